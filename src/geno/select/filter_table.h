/* The table of filters: one row for each option that drops variants, in the order in which they are applied, and --mind.
 *
 * Whoever asks whether a filter is given, takes it off, applies it, checks what it needs of the input, or reports what it
 * dropped goes by this table.  To add a filter: a member and a counter in geno/model/select_opts.h, an option in
 * cmd/common/common_options.c, a row here. */
#ifndef GT_GENO_FILTER_TABLE_H
#define GT_GENO_FILTER_TABLE_H

#include <stddef.h>

#include "geno/model/block.h"
#include "geno/model/select_opts.h"

struct gt_filter;
struct gt_sex_site_counts;

/* How a member of gt_select_opts says that its option was given. */
enum gt_filter_kind {
    GT_FILTER_TEXT,   /* const char *: not NULL */
    GT_FILTER_FLAG,   /* bool: true */
    GT_FILTER_COUNT,  /* int64_t: not 0 */
    GT_FILTER_CHOICE, /* enum: not 0 */
    GT_FILTER_RATE,   /* double: not negative */
    GT_FILTER_ABOVE   /* double: above 0 */
};

enum {
    GT_FILTER_CALLS = 1,   /* its answer depends on the genotypes of the samples kept */
    GT_FILTER_BY_SEX = 2,  /* it counts alleles, by sex on X, Y and MT */
    GT_FILTER_ROWS = 4,    /* where multiallelic records are split it sees the row of each ALT, not the record */
    GT_FILTER_SAMPLES = 8, /* it drops samples, not variants */
};

/* What a filter by genotypes sees: the site, NULL where the input has none, and what its calls count. */
struct gt_filter_calls {
    const struct gt_site *site;
    const struct gt_sex_site_counts *counters;
    struct gt_select_stats *stats;
};

struct gt_filter_row {
    const char *option; /* as messages name it; NULL: no option, a program sets it */
    enum gt_filter_kind kind;
    size_t member; /* of struct gt_select_opts */
    unsigned traits;
    unsigned needs;  /* enum gt_has */
    unsigned fields; /* GT_SITE_...: what readers must fill in */
    size_t counter;  /* of struct gt_select_stats; options that work together share one */
    const char *key; /* of the counter in summaries; NULL: not there */
    const char *why; /* for messages: "N dropped ..." */
    /* True keeps the variant.  Both NULL: applied by its number (gt_filter_site), or by a stage of the source. */
    bool (*site)(const struct gt_filter *, const struct gt_block *, const struct gt_site *);
    bool (*calls)(const struct gt_filter *, const struct gt_filter_calls *);
};

#define GT_FILTER_MOST 40 /* rows at most */
/* Row k; NULL after the last. */
const struct gt_filter_row *gt_filter_row(size_t k);
bool gt_filter_given(const struct gt_filter_row *row, const struct gt_select_opts *opts);
/* Is a filter given that has all of these traits? */
bool gt_filters_given(const struct gt_select_opts *opts, unsigned traits);
/* Takes off the filters of variants that have these traits. */
void gt_filters_clear(struct gt_select_opts *opts, unsigned traits);
/* What the row's counter says; 0 where an earlier row that is given has the same counter, so that none is reported twice. */
int64_t gt_filter_dropped(const struct gt_filter_row *row, const struct gt_select_opts *opts, const struct gt_select_stats *stats);

#endif
