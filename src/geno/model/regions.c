#include "config.h"

#include "geno/model/regions.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/line_file.h"
#include "core/base/mem.h"

/* The intervals of a contig; NULL when memory is out. */
static struct gt_intervals *contig(struct gt_regions *regions, const char *name, size_t n, struct gt_err *err)
{
    size_t known = regions->contigs.n;
    int64_t at;
    if (!regions->numbers && !(regions->numbers = gt_names_new(NULL, err)))
        return NULL;
    if (gt_grow(&regions->of, &regions->cap, known + 1, sizeof *regions->of, err) ||
        gt_names_number(regions->numbers, &regions->contigs, name, n, &at, err))
        return NULL;
    if ((size_t)at == known)
        regions->of[at] = (struct gt_intervals){0};
    return &regions->of[at];
}

static int add(struct gt_regions *regions, const char *name, size_t n, int64_t from, int64_t to, struct gt_err *err)
{
    struct gt_intervals *intervals = contig(regions, name, n, err);
    if (!intervals || gt_grow(&intervals->at, &intervals->cap, intervals->n + 1, sizeof *intervals->at, err))
        return GT_FAIL;
    intervals->at[intervals->n++] = (struct gt_interval){from, to};
    return 0;
}

static bool digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Three digits after a comma, as 1,000,000 has them. */
static bool thousands(const char *comma)
{
    return comma[0] == ',' && digit(comma[1]) && digit(comma[2]) && digit(comma[3]) && !digit(comma[4]);
}

/* A position at *p, decimal digits, with commas between thousands; false when there is none. */
static bool position(const char **p, int64_t *value)
{
    const char *start = *p;
    *value = 0;
    for (; digit(**p) || (*p > start && thousands(*p)); ++*p)
        if (**p != ',' && (__builtin_mul_overflow(*value, 10, value) || __builtin_add_overflow(*value, **p - '0', value)))
            return false;
    const char *comma = memchr(start, ',', (size_t)(*p - start));
    return *p > start && (!comma || comma - start <= 3);
}

/* "FROM", "FROM-" or "FROM-TO" up to the end of the text. */
static bool range(const char *p, int64_t *from, int64_t *to)
{
    if (!position(&p, from))
        return false;
    *to = *from;
    if (!*p)
        return true;
    if (*p++ != '-')
        return false;
    *to = INT64_MAX;
    return !*p || (position(&p, to) && !*p && *to >= *from);
}

static bool is_known(const struct gt_names *known, const char *name)
{
    return known && gt_names_find(known, name, strlen(name)) >= 0;
}

static int add_text(struct gt_regions *regions, const char *text, const struct gt_names *known, struct gt_err *err)
{
    int64_t from, to;
    const char *colon = strrchr(text, ':');
    if (!*text)
        return gt_fail(err, GT_USAGE, "a region is empty");
    if (!colon || is_known(known, text))
        return add(regions, text, strlen(text), 0, INT64_MAX, err);
    if (colon == text || !range(colon + 1, &from, &to)) {
        gt_fail(err, GT_USAGE, "bad region '%s'", text);
        gt_hint(err, "write CHR, CHR:POS, CHR:FROM- or CHR:FROM-TO, first base 1");
        return GT_USAGE;
    }
    return add(regions, text, (size_t)(colon - text), from, to, err);
}

/* Bytes of the first region of a list.  A comma between thousands is none between
 * regions, unless what follows it is a contig of that name. */
static size_t first_of_list(const char *list, const struct gt_names *known)
{
    size_t n = strcspn(list, ",");
    const char *colon = list + n;
    while (colon > list && *colon != ':')
        colon--;
    if (*colon != ':')
        colon = NULL;
    while (colon && list[n]) {
        const char *comma = list + n, *group = comma;
        while (digit(group[-1]))
            group--;
        if (group == comma || comma - group > 3 || !thousands(comma) || !strchr(",-", comma[4]))
            break;
        const char next[] = {comma[1], comma[2], comma[3], '\0'};
        if (is_known(known, next))
            break;
        n += 1 + strcspn(comma + 1, ",");
    }
    return n;
}

static int add_list(struct gt_regions *regions, const char *list, const struct gt_names *known, struct gt_err *err)
{
    int status = 0;
    for (const char *p = list; !status; p++) {
        size_t n = first_of_list(p, known);
        char *text = gt_strndup(p, n, err);
        status = text ? add_text(regions, text, known, err) : GT_FAIL;
        free(text);
        p += n;
        if (!*p)
            break;
    }
    return status;
}

struct file_ctx {
    struct gt_regions *regions;
    const struct gt_names *known;
    const char *name;
    bool zero_based, any;
};

static int add_line(void *ctx, char *line, int64_t number, struct gt_err *err)
{
    struct file_ctx *f = ctx;
    char *column[3];
    gt_line_columns(line, gt_line_between(line), column, 3);
    const char *name = column[0], *a = column[1], *b = column[2];
    if (!name || *name == '#' || strcmp(name, "track") == 0 || strcmp(name, "browser") == 0)
        return 0;
    f->any = true;
    if (!a && !f->zero_based)
        return add_text(f->regions, name, f->known, err);
    int64_t from, to;
    const char *p = a, *q = b ? b : a;
    bool good = a && (b || !f->zero_based) && position(&p, &from) && !*p && position(&q, &to) && !*q;
    if (!good || to < from)
        return gt_fail(err, GT_INPUT, "'%s', line %lld: not a region", f->name, (long long)number);
    if (f->zero_based && from == to)
        return 0;
    return add(f->regions, name, strlen(name), from + f->zero_based, to, err);
}

static int by_start(const void *a, const void *b)
{
    const struct gt_interval *x = a, *y = b;
    return (x->from > y->from) - (x->from < y->from);
}

/* Sort, and join what overlaps: then the ends are sorted too. */
static void make_ready(struct gt_intervals *intervals)
{
    size_t n = 0;
    struct gt_interval *at = intervals->at;
    if (!intervals->n)
        return;
    qsort(at, intervals->n, sizeof *at, by_start);
    for (size_t i = 1; i < intervals->n; i++) {
        if (at[i].from > at[n].to)
            at[++n] = at[i];
        else if (at[i].to > at[n].to)
            at[n].to = at[i].to;
    }
    intervals->n = n + 1;
}

int gt_regions_parse(struct gt_regions *regions, const char *list, const char *file, const struct gt_names *known, struct gt_err *err)
{
    int status = list ? add_list(regions, list, known, err) : 0;
    if (!status && file) {
        struct file_ctx ctx = {regions, known, file, gt_ends_with(file, ".bed") || gt_ends_with(file, ".bed.gz"), false};
        status = gt_lines_read(file, add_line, &ctx, err);
        if (!status && !ctx.any)
            status = gt_fail(err, GT_USAGE, "'%s' lists no regions", file);
    }
    for (size_t i = 0; i < regions->contigs.n; i++)
        make_ready(&regions->of[i]);
    return status;
}

void gt_regions_release(struct gt_regions *regions)
{
    for (size_t i = 0; i < regions->contigs.n; i++)
        free(regions->of[i].at);
    free(regions->of);
    if (regions->numbers)
        gt_names_free(regions->numbers);
    gt_strs_release(&regions->contigs);
    *regions = (struct gt_regions){0};
}

int64_t gt_regions_find(const struct gt_regions *regions, const char *name)
{
    return regions->numbers ? gt_names_find(regions->numbers, name, strlen(name)) : -1;
}

/* Leading bases that REF shares with every ALT. */
static int64_t shared_bases(const struct gt_strs *alleles, size_t first, size_t n, int64_t length)
{
    const char *ref = n ? gt_strs_get(alleles, first) : "";
    int64_t shared = n ? length : 0;
    for (size_t i = 1; i < n; i++) {
        const char *alt = gt_strs_get(alleles, first + i);
        int64_t j = 0;
        while (j < shared && ref[j] && ref[j] == alt[j])
            j++;
        if (strcmp(alt, ".") != 0)
            shared = j;
    }
    return shared;
}

struct gt_interval gt_overlap_span(enum gt_overlap overlap, int64_t position, int64_t length, const struct gt_strs *alleles, size_t first,
                                   size_t n)
{
    length = length > 0 ? length : 1;
    const int64_t last = overlap == GT_OVERLAP_POS ? position : position + length - 1;
    return (struct gt_interval){overlap == GT_OVERLAP_VARIANT ? position + shared_bases(alleles, first, n, length) : position, last};
}

bool gt_intervals_overlap(const struct gt_intervals *intervals, int64_t from, int64_t to)
{
    size_t lo = 0, hi = intervals->n;
    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        if (intervals->at[mid].to < from)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo < intervals->n && intervals->at[lo].from <= to;
}
