/* A selection made ready for one input: sample numbers, contig and region
 * tables, thresholds.  Built once by the source; used by readers from any
 * thread on their blocks. */
#ifndef GT_GENO_FILTER_H
#define GT_GENO_FILTER_H

#include "geno/block.h"
#include "geno/select.h"

struct gt_source_info;
struct gt_filter;

/* input: the reader's info (all samples of the input).  GT_USAGE for options
 * that do not parse, GT_INPUT for samples or contigs that do not exist. */
int gt_filter_new(struct gt_filter **out, const struct gt_select_opts *opts, const struct gt_source_info *input, struct gt_err *err);
void gt_filter_free(struct gt_filter *filter);

/* Samples kept, in output order: numbers in the input.  *n = all and NULL when
 * the input's own samples and order are kept. */
const uint32_t *gt_filter_samples(const struct gt_filter *filter, int64_t *n);
/* Drop samples that are over --mind: missing[i] of `sites` for input sample i. */
int gt_filter_mind(struct gt_filter *filter, const uint32_t *missing, int64_t sites, struct gt_select_stats *stats, struct gt_err *err);
/* True when it changes nothing at all. */
bool gt_filter_is_all(const struct gt_filter *filter);
/* Site fields that the filter itself has to see (regions need GT_SITE_POS, ...). */
unsigned gt_filter_fields(const struct gt_filter *filter);
/* False when no variant of input variants [first, first + n) or no site of contig
 * `contig` between positions can be kept; lets readers with an index skip. */
bool gt_filter_wants_contig(const struct gt_filter *filter, int32_t contig);

/* Apply to a block in place: rows of all input samples become rows of the kept
 * ones, sites that are dropped go, block->stats counts.  block->first is the
 * number of its first variant in the input (for --slice and --thin, which count
 * input variants). */
int gt_filter_block(const struct gt_filter *filter, struct gt_block *block, struct gt_err *err);

#endif
