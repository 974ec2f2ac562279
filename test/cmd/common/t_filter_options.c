/* The selection options and the table of filters agree: an option that is in neither the table nor the list of those that
 * drop no variants is a filter that would not work on X, with --fit, or in summaries. */
#include <string.h>

#include "cmd/common/options.h"
#include "geno/select/filter_table.h"
#include "test/support/tap.h"

/* Options of the group that are no filters of the table. */
static const char *const others[] = {"array",       "samples",   "samples-file", "keep-fam",      "set-all-var-ids", "regions-overlap",
                                     "skip-absent", "strict",    "concat",       "sites",         "ploidy",          "split-multiallelic",
                                     "sex",         "half-call", "polyploid",    "require-sites", "haplotypes"};

static bool is_other(const char *name)
{
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (strcmp(others[i], name) == 0)
            return true;
    return false;
}

/* By the letter, where the option has one. */
static const struct gt_filter_row *find(const struct gt_opt *opt)
{
    const struct gt_filter_row *row;
    char name[64];
    if (opt->letter)
        snprintf(name, sizeof name, "-%c", opt->letter);
    else
        snprintf(name, sizeof name, "--%s", opt->name);
    for (size_t k = 0; (row = gt_filter_row(k)); k++)
        if (row->option && strcmp(row->option, name) == 0)
            return row;
    return NULL;
}

/* The row's member is the one that the option fills in; --rm-dup goes through an index. */
static bool agrees(const struct gt_filter_row *row, const struct gt_opt *opt)
{
    const char *base = (const char *)&gt_shared_cli()->select;
    return strcmp(opt->name, "rm-dup") == 0 || (const char *)opt->value == base + row->member;
}

static int check_options(void)
{
    const struct gt_cmd cmd = {.shared = GT_SHARED_SELECT, .takes_input = true};
    struct gt_opt_group_part parts[GT_SHARED_PARTS];
    const size_t n = gt_shared_groups(&cmd, parts);
    int filters = 0;
    for (size_t p = 0; p < n; p++)
        for (const struct gt_opt *opt = parts[p].opts; parts[p].group == GT_GROUP_SELECT && opt->name; opt++) {
            const struct gt_filter_row *row = find(opt);
            filters += row != NULL;
            ok(is_other(opt->name) == !row, "--%s is in the table of filters, or is known to be none", opt->name);
            ok(!row || agrees(row, opt), "--%s and its row mean the same member", opt->name);
        }
    return filters;
}

static void check_rows(int filters)
{
    const struct gt_filter_row *row;
    int named = 0;
    for (size_t k = 0; (row = gt_filter_row(k)); k++) {
        struct gt_select_opts opts = GT_SELECT_ALL;
        const char *name = row->option ? row->option : "a row without option";
        named += row->option != NULL;
        ok(!gt_filter_given(row, &opts), "%s: not given by default", name);
        memset((char *)&opts + row->member, row->kind == GT_FILTER_FLAG ? 1 : 0x3f,
               row->kind == GT_FILTER_FLAG     ? sizeof(bool)
               : row->kind == GT_FILTER_CHOICE ? sizeof(int)
                                               : 8);
        ok(gt_filter_given(row, &opts), "%s: given", name);
        ok(gt_filters_given(&opts, row->traits), "%s: found by its traits", name);
        gt_filters_clear(&opts, row->traits);
        ok(gt_filter_given(row, &opts) == !!(row->traits & GT_FILTER_SAMPLES), "%s: taken off", name);
        ok(!row->calls || row->traits & GT_FILTER_CALLS, "%s: one that looks at calls says so", name);
    }
    ok(named == filters, "%d rows with an option, %d options in the table", named, filters);
}

int main(void)
{
    check_rows(check_options());
    return done_testing();
}
