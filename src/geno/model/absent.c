#include "config.h"

#include "geno/model/absent.h"

#include <stdio.h>
#include <string.h>

#include "core/base/size.h"

bool gt_absent_add(struct gt_absent *a, const char *name, size_t len)
{
    if (a->n++)
        return false;
    gt_str_addn(&a->first, name, len);
    return true;
}

void gt_absent_release(struct gt_absent *a)
{
    gt_str_release(&a->first);
}

static int note(const struct gt_absent *a, const char *where, struct gt_strs *notes, struct gt_err *err)
{
    char n[GT_NUM_LEN], named[GT_THINGS_LEN];
    return gt_strs_addf(notes, err, "%s of %s of %s not in %s (first: '%s')", gt_format_count(n, a->n),
                        gt_format_things(named, a->named, a->thing), a->option, where, a->first.s);
}

static int fail(const struct gt_absent *a, const char *where, const char *like, bool strict, struct gt_err *err)
{
    const char *name = a->first.s;
    char n[GT_NUM_LEN], named[GT_THINGS_LEN], of[GT_NUM_LEN + GT_THINGS_LEN + 32] = "", hint[sizeof err->hint] = "";
    const bool all = a->n == a->named;
    if (a->named > 1)
        snprintf(of, sizeof of, " (absent: %s%s%s of %s)", all ? "all" : gt_format_count(n, a->n), all ? " " : " of ",
                 gt_format_things(named, a->named, a->thing), a->option);
    if (a->reason.status)
        gt_fail(err, GT_INPUT, "%s%s", a->reason.msg, of);
    else
        gt_fail(err, GT_INPUT, "there is no %s '%s' in %s%s", a->thing, name, where, of);
    if (like)
        snprintf(hint, sizeof hint, "did you mean '%s'? ", like);
    if (a->reason.hint[0])
        gt_hint(err, "%s", a->reason.hint);
    else if (all && !a->optional && strcmp(a->thing, "sample") == 0)
        gt_hint(err, "%sgt-info --stats samples lists the samples of an input", hint);
    else if (all && !a->optional && strcmp(a->thing, "family id") == 0)
        gt_hint(err, "the first column of a .fam file has the family ids");
    else if (strict)
        gt_hint(err, "%s%s", hint,
                all && !a->optional ? "--skip-absent, instead of --strict, continues without them"
                                    : "without --strict, a note counts the names that are absent");
    else if (like)
        gt_hint(err, "%s--skip-absent continues without '%s'", hint, name);
    else
        gt_hint(err, "--skip-absent continues without it");
    return GT_INPUT;
}

int gt_absent_judge(const struct gt_absent *a, const struct gt_select_opts *opts, const char *where, const char *like,
                    struct gt_strs *notes, struct gt_err *err)
{
    int status = gt_str_check(&a->first, err);
    if (status || !a->n)
        return status;
    if (opts->strict || (!opts->skip_absent && !a->optional && a->n == a->named))
        return fail(a, where, like, opts->strict, err);
    return note(a, where, notes, err);
}
