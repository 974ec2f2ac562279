#include "config.h"

#include "core/base/slice.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FAR ((int64_t)1 << 62)

static int bad(const char *text, const char *why, struct gt_err *err)
{
    gt_fail(err, GT_USAGE, "bad slice '%s': %s", text, why);
    gt_hint(err, "write it as for numpy, one part an axis (of genotypes: variants,samples,ploidy): ':,:,1' or '0:1000,::2'");
    return GT_USAGE;
}

static const char *skip_space(const char *p)
{
    return p + strspn(p, " \t");
}

/* A whole number at *p, or none; *p moves past it.  What does not fit becomes the first or the last that does. */
static bool number(const char **p, bool *has, int64_t *value)
{
    char *end;
    *p = skip_space(*p);
    errno = 0;
    long long v = strtoll(*p, &end, 10);
    *has = end != *p;
    *value = *has ? v : 0;
    *p = skip_space(end);
    return errno == 0;
}

/* A bound or a step after the end of every axis is as good as one far after it, and sums of two do not overflow. */
static int64_t limit(int64_t v)
{
    return v > FAR ? FAR : v < -FAR ? -FAR : v;
}

static int parse_axis(const char *text, const char **p, struct gt_slice *axis, struct gt_err *err)
{
    bool has_step;
    *axis = (struct gt_slice){.given = true, .step = 1};
    const bool fits = number(p, &axis->has_start, &axis->start);
    if (**p != ':') {
        axis->is_index = true;
        return !fits ? bad(text, "an index is too large", err) : axis->has_start ? 0 : bad(text, "a number or ':' is missing", err);
    }
    ++*p;
    axis->start = limit(axis->start);
    number(p, &axis->has_stop, &axis->stop);
    axis->stop = limit(axis->stop);
    if (**p != ':')
        return 0;
    ++*p;
    number(p, &has_step, &axis->step);
    axis->step = has_step ? limit(axis->step) : 1;
    return axis->step == 0 ? bad(text, "a step is 0", err) : 0;
}

static int too_many(int n_axes, const char *text, struct gt_err *err)
{
    char why[48];
    if (n_axes == 3)
        snprintf(why, sizeof why, "there are at most three axes");
    else
        snprintf(why, sizeof why, n_axes == 1 ? "there is one axis" : "there are at most %d axes", n_axes);
    return bad(text, why, err);
}

int gt_slice_parse(const char *text, struct gt_slice *axes, int n_axes, struct gt_err *err)
{
    int n_parts = 1, at = 0;
    bool dots = false;
    memset(axes, 0, (size_t)n_axes * sizeof *axes);
    for (const char *c = text; *c; c++)
        n_parts += *c == ',';
    for (const char *p = text;;) {
        p = skip_space(p);
        if (strncmp(p, "...", 3) == 0) {
            if (dots)
                return bad(text, "'...' occurs twice", err);
            if (n_parts - 1 > n_axes)
                return too_many(n_axes, text, err);
            dots = true;
            p = skip_space(p + 3);
            at += n_axes - (n_parts - 1);
        } else {
            if (at == n_axes)
                return too_many(n_axes, text, err);
            if (parse_axis(text, &p, &axes[at++], err))
                return GT_USAGE;
        }
        if (!*p)
            return 0;
        if (*p++ != ',')
            return bad(text, "a ',' was expected", err);
    }
}

static int64_t clamp(int64_t at, int64_t n)
{
    if (at < 0)
        at += n;
    return at < 0 ? 0 : at > n ? n : at;
}

int gt_slice_check_step(const struct gt_slice *slice, const char *axis, struct gt_err *err)
{
    if (!slice->given || slice->step > 0)
        return GT_OK;
    return gt_fail(err, GT_USAGE, "a slice with step %lld: a negative step would reverse the %s axis", (long long)slice->step, axis);
}

int gt_slice_resolve(const struct gt_slice *slice, int64_t n, const char *axis, int64_t *start, int64_t *stop, int64_t *step,
                     struct gt_err *err)
{
    *start = 0;
    *stop = n;
    *step = 1;
    if (!slice->given)
        return 0;
    if (gt_slice_check_step(slice, axis, err))
        return GT_USAGE;
    if (slice->is_index) {
        *start = slice->start < 0 ? slice->start + n : slice->start;
        if (*start < 0 || *start >= n)
            return gt_fail(err, GT_USAGE, "index %lld is outside the %s axis of %lld", (long long)slice->start, axis, (long long)n);
        *stop = *start + 1;
        return 0;
    }
    if (slice->has_start)
        *start = clamp(slice->start, n);
    if (slice->has_stop)
        *stop = clamp(slice->stop, n);
    *step = slice->step < n ? slice->step : n > 0 ? n : 1; /* the next item is after the end in either case */
    return 0;
}

/* A bound counted from the end, between -1 and n - 1. */
static int64_t clamp_backwards(int64_t at, int64_t n)
{
    if (at < 0)
        at += n;
    return at < -1 ? -1 : at >= n ? n - 1 : at;
}

int64_t gt_slice_backwards(const struct gt_slice *slice, int64_t n, int64_t *start)
{
    const int64_t stop = slice->has_stop ? clamp_backwards(slice->stop, n) : -1;
    *start = slice->has_start ? clamp_backwards(slice->start, n) : n - 1;
    return *start > stop ? (*start - stop - 1) / -slice->step + 1 : 0;
}
