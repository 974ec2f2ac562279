/* A selection compiled for one input: sample indices, contig and region tables, thresholds.  Built once by the source; used by
 * readers from any thread.
 *
 * Filters of the site come first (slice, thin, contig, region, pass, number of alleles, snps), then filters of the kept samples'
 * genotypes (polymorphic, geno, maf).  If records are split, --slice, --thin and the number of alleles apply to records; snps and
 * later filters apply to rows.  The counting pass of --mind applies only the site filters: the kept samples must not depend on
 * filters that depend on the samples. */
#ifndef GT_GENO_FILTER_H
#define GT_GENO_FILTER_H

#include "geno/model/block.h"
#include "geno/model/select_opts.h"

struct gt_geno_info;
struct gt_intervals;
struct gt_filter;

/* opts: NULL = select everything.  input: info of the reader (all samples); must outlive the filter.  GT_USAGE for options
 * that cannot be parsed, GT_INPUT for samples that do not exist.  Contigs missing from the input are kept by name,
 * since another input or a later line may have them: gt_filter_contigs_named lists them and the source decides. */
int gt_filter_new(struct gt_filter **out, const struct gt_select_opts *opts, const struct gt_geno_info *input, struct gt_err *err);
void gt_filter_free(struct gt_filter *filter);
/* Contigs that an option names. */
struct gt_filter_contigs {
    const char *option;    /* as messages name it; NULL: not given */
    bool excludes;         /* the option drops them, in any form of their name */
    int64_t named;         /* how many names it has; a range counts as one */
    struct gt_strs absent; /* those that the table of the input lacks */
};
enum { GT_FILTER_NAMES_CONTIGS = 3 };                                                    /* --contigs; --not-chr; -r and -R */
const struct gt_filter_contigs *gt_filter_contigs_named(const struct gt_filter *filter); /* of each */
/* Variant IDs that an option lists, and which of them passed by so far. */
struct gt_id_list;
enum { GT_FILTER_LISTS_IDS = 2 };                                                                   /* --extract, --exclude */
const struct gt_id_list *gt_filter_ids(const struct gt_filter *filter, int k, const char **option); /* NULL: not given */
/* Notes on samples that options name, see geno/model/absent.h. */
const struct gt_strs *gt_filter_notes(const struct gt_filter *filter);
/* The input is part of `total` concatenated variants (-1 = not known) and starts at index `first`.  Call before readers start;
 * default 0, n_variants.  GT_USAGE if --slice selects a single variant that does not exist. */
int gt_filter_set_start(struct gt_filter *filter, int64_t first, int64_t total, struct gt_err *err);
/* Variants of all inputs together that are not in [from, to) are dropped without being counted. */
void gt_filter_range(struct gt_filter *filter, int64_t from, int64_t to);
/* The range [*from, *to) of an input of n variants (-1 = not known) that may be kept according to its index.  Readers may skip the
 * rest. */
void gt_filter_window(const struct gt_filter *filter, int64_t n, int64_t *from, int64_t *to);
/* Value of gt_reader.n_skipped if only [from, to) is read. */
int64_t gt_filter_count_skipped(const struct gt_filter *filter, int64_t n, int64_t from, int64_t to);
/* Does --slice count from the end, so that `total` must be known? */
bool gt_filter_needs_total(const struct gt_filter *filter);
/* Does it go by the numbers of variants in the input, or note which IDs pass by?  Then all of an input goes through one filter. */
bool gt_filter_is_sequential(const struct gt_filter *filter);
/* Can variants be skipped without being looked at? */
bool gt_filter_reads_part(const struct gt_filter *filter);
/* Number of variants kept, if known in advance, else -1; and an upper bound for an input of n variants. */
int64_t gt_filter_count(const struct gt_filter *filter, int64_t n);
int64_t gt_filter_count_max(const struct gt_filter *filter, int64_t n);

/* Indices in the input of the kept samples, in output order.  NULL and *n = all if samples are not selected. */
const uint32_t *gt_filter_samples(const struct gt_filter *filter, int64_t *n);
/* Drops samples above --mind; missing: missing rate of each input sample, 0 to 1.  GT_INPUT if none is left. */
int gt_filter_mind(struct gt_filter *filter, const double *missing, struct gt_select_stats *stats, struct gt_err *err);
/* Sexes of the input samples used by the filters; owned by the filter.  NULL: filters do not depend on sex. */
struct gt_sexes;
const struct gt_sexes *gt_filter_sexes(const struct gt_filter *filter);
/* The same for the kept samples, valid until they change. */
struct gt_sex_rows;
const struct gt_sex_rows *gt_filter_sex_rows(const struct gt_filter *filter);
/* The options it was created from. */
const struct gt_select_opts *gt_filter_opts(const struct gt_filter *filter);
/* Site fields needed by the filter (regions need GT_SITE_POS, ...). */
unsigned gt_filter_fields(const struct gt_filter *filter);
/* Does it need more of a site than its index? */
bool gt_filter_looks_at_sites(const struct gt_filter *filter);
/* Must readers set gt_site.alleles_seen of multiallelic sites?  It counts alleles of the kept samples, those with non-zero
 * gt_filter_keep (per input sample; NULL = all). */
bool gt_filter_wants_seen(const struct gt_filter *filter);
/* Does gt_filter_block make rows of haplotypes?  Readers must then fill block->haplotypes. */
bool gt_filter_wants_haplotypes(const struct gt_filter *filter);
const uint8_t *gt_filter_keep(const struct gt_filter *filter);

/* enum gt_call_ploidy of each input sample at the site, from --sex; NULL: all diploid. */
const uint8_t *gt_filter_call_ploidy(const struct gt_filter *filter, const struct gt_block *block, const struct gt_site *site);

/* Are multiallelic records split into a row per ALT?  The reader does that and must call gt_filter_site itself. */
bool gt_filter_splits(const struct gt_filter *filter);

/* For readers with an index: true if regions or contigs select sites and no option counts skipped sites (--slice, --thin).  Only
 * sites that overlap the intervals of their contig can be kept; NULL: none on that contig. */
bool gt_filter_by_region(const struct gt_filter *filter);
const struct gt_intervals *gt_filter_regions(const struct gt_filter *filter, const char *contig);
/* Counts n sites skipped by such a reader as dropped. */
void gt_filter_add_skipped(const struct gt_filter *filter, struct gt_block *block, int64_t n);

/* For readers that can drop a site before reading its genotypes: false if the site is dropped (counted in block->stats).  `site` need
 * not be in the block yet, but its strings are in block->alleles and block->filters; number: index of the variant in the input.  Set
 * block->sites_filtered if it was called for all sites. */
bool gt_filter_site(const struct gt_filter *filter, struct gt_block *block, const struct gt_site *site, int64_t number);
/* The row of ALT `alt` of a record accepted by gt_filter_site: sets *row, with REF and that ALT in block->alleles if the
 * record's alleles are there.  *kept is false if the row is dropped (counted). */
int gt_filter_split(const struct gt_filter *filter, struct gt_block *block, const struct gt_site *record, int32_t alt, struct gt_site *row,
                    bool *kept, struct gt_err *err);

/* Applies the filter to a block in place: selects the kept samples, removes dropped sites and updates block->stats.  block->first is
 * the index of its first variant in the input (for --slice and --thin).  With haplotypes, the rows finally become rows of
 * haplotypes; block->stats counts calls. */
int gt_filter_block(const struct gt_filter *filter, struct gt_block *block, struct gt_err *err);

#endif
