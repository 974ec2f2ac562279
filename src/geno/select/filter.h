/* A selection made ready for one input: sample numbers, contig and region
 * tables, thresholds.  Built once by the source; used by readers from any
 * thread on their blocks.
 *
 * Filters that look at a site alone come first (slice, thin, contig, region, pass,
 * number of alleles, snps), then those that look at the kept samples' genotypes
 * (polymorphic, geno, maf).  Where records are split, the numbers of --slice and --thin,
 * and the number of alleles, are of records; snps and what follows look at rows.  The pass that counts for --mind applies the former only:
 * which samples stay must not depend on filters that depend on the samples. */
#ifndef GT_GENO_FILTER_H
#define GT_GENO_FILTER_H

#include "geno/model/block.h"
#include "geno/model/select_opts.h"

struct gt_geno_info;
struct gt_intervals;
struct gt_filter;

/* opts: NULL = everything.  input: the reader's info (all samples of the input);
 * must outlive the filter.  GT_USAGE for options that do not parse, GT_INPUT for
 * samples that do not exist.  Contigs that the input lacks are kept by name, since
 * another input or a later line may have them: gt_filter_absent lists them and the
 * source decides. */
int gt_filter_new(struct gt_filter **out, const struct gt_select_opts *opts, const struct gt_geno_info *input, struct gt_err *err);
void gt_filter_free(struct gt_filter *filter);
/* Contigs that the options name and the input's table lacks. */
const struct gt_strs *gt_filter_absent(const struct gt_filter *filter);
/* The input is a piece of `total` joined variants (-1 = not known) and its first
 * one is number `first` of them.  Before readers start; default 0, n_variants.
 * GT_USAGE when --slice names a single variant that is not there. */
int gt_filter_set_start(struct gt_filter *filter, int64_t first, int64_t total, struct gt_err *err);
/* Of all joined variants those before `from` are not kept, and count nowhere. */
void gt_filter_begin_at(struct gt_filter *filter, int64_t from);
/* Of an input of n variants (-1 = not known) those that may be kept, as far as their number in
 * the input tells: none outside of [*from, *to) is.  Readers may leave those out. */
void gt_filter_window(const struct gt_filter *filter, int64_t n, int64_t *from, int64_t *to);
/* For gt_reader.passed_over, when only [from, to) will be looked at. */
int64_t gt_filter_count_skipped(const struct gt_filter *filter, int64_t n, int64_t from, int64_t to);
/* True when --slice counts from the end, so that `total` must be known. */
bool gt_filter_needs_total(const struct gt_filter *filter);
/* Variants that are left, when that can be told beforehand, else -1; and an upper
 * bound for an input of n variants. */
int64_t gt_filter_count(const struct gt_filter *filter, int64_t n);
int64_t gt_filter_count_max(const struct gt_filter *filter, int64_t n);

/* Samples kept, in output order: numbers in the input.  *n = all and NULL when
 * the input's own samples and order are kept. */
const uint32_t *gt_filter_samples(const struct gt_filter *filter, int64_t *n);
/* Drop samples that are over --mind; missing: the rate of each input sample, 0 to 1.  GT_INPUT when none is left. */
int gt_filter_mind(struct gt_filter *filter, const double *missing, struct gt_select_stats *stats, struct gt_err *err);
/* Sexes that filters count by, of the input's samples; the filter's, as long as it lives.  NULL: all are alike to them. */
struct gt_sexes;
const struct gt_sexes *gt_filter_sexes(const struct gt_filter *filter);
/* The same of the samples kept, as long as those stay; NULL likewise. */
struct gt_sex_rows;
const struct gt_sex_rows *gt_filter_sex_rows(const struct gt_filter *filter);
/* The options it was made of. */
const struct gt_select_opts *gt_filter_opts(const struct gt_filter *filter);
/* Site fields that the filter itself has to see (regions need GT_SITE_POS, ...). */
unsigned gt_filter_fields(const struct gt_filter *filter);
/* True when it looks at more of a site than its number. */
bool gt_filter_looks_at_sites(const struct gt_filter *filter);
/* True when readers should fill in gt_site.alleles_seen of sites with several ALTs,
 * over the kept samples: those whose byte of gt_filter_keep (one an input sample; NULL =
 * all) is not 0. */
bool gt_filter_wants_seen(const struct gt_filter *filter);
/* True when gt_filter_block makes rows of haplotypes: readers must then fill in block->haplotypes. */
bool gt_filter_wants_haplotypes(const struct gt_filter *filter);
const uint8_t *gt_filter_keep(const struct gt_filter *filter);

/* enum gt_call_ploidy of each input sample at the site, where --sex tells; NULL: all have two. */
const uint8_t *gt_filter_call_ploidy(const struct gt_filter *filter, const struct gt_block *block, const struct gt_site *site);

/* True when records with several ALTs become a row for each.  The reader does that,
 * and must then ask gt_filter_site itself. */
bool gt_filter_splits(const struct gt_filter *filter);

/* For readers that can find sites by their place: true when regions or contigs choose
 * sites, and nothing counts the sites that are passed over (--slice, --thin).  Then the
 * sites that may stay are those that overlap one of these intervals of their contig;
 * NULL: none on that contig does. */
bool gt_filter_by_region(const struct gt_filter *filter);
const struct gt_intervals *gt_filter_regions(const struct gt_filter *filter, const char *contig);
/* n sites that such a reader did not look at are counted as dropped. */
void gt_filter_add_skipped(const struct gt_filter *filter, struct gt_block *block, int64_t n);

/* For readers that can leave out a site before they look at its genotypes: false
 * when the site is dropped, counted in block->stats.  `site` need not be in the
 * block yet, its texts are in block->alleles and block->filters; number: of the
 * variant in the input.  Set block->screened when all sites were asked for. */
bool gt_filter_site(const struct gt_filter *filter, struct gt_block *block, const struct gt_site *site, int64_t number);
/* The row of ALT number `alt` of a record that gt_filter_site let through: *row becomes
 * its site, with REF and that ALT in block->alleles where the record's alleles are there.
 * *kept is false when the row is dropped, counted. */
int gt_filter_split(const struct gt_filter *filter, struct gt_block *block, const struct gt_site *record, int32_t alt, struct gt_site *row,
                    bool *kept, struct gt_err *err);

/* Apply to a block in place: rows of all input samples become rows of the kept
 * ones, sites that are dropped go, block->stats counts.  block->first is the
 * number of its first variant in the input (for --slice and --thin, which count
 * input variants).  Where haplotypes are wanted their rows take the place of those of
 * calls in the end; block->stats is of calls. */
int gt_filter_block(const struct gt_filter *filter, struct gt_block *block, struct gt_err *err);

#endif
