#include "config.h"

#include "geno/select/filter_table.h"

#include <string.h>

#include "geno/model/hwe.h"
#include "geno/model/ploidy.h"
#include "geno/model/var_ids.h"
#include "geno/select/filter_internal.h"

/* --- filters that look at the site ------------------------------------------------------ */

static bool on_kept_contig(const struct gt_filter *f, const struct gt_block *block, const struct gt_site *site)
{
    const char *name = gt_filter_new_contig(f, block, site->contig);
    return !gt_filter_by_contig(f) || (name ? gt_filter_contig_named(f, name) : f->contig_kept[site->contig]);
}

static bool overlaps(const struct gt_intervals *intervals, enum gt_overlap how, const struct gt_block *block, const struct gt_site *site)
{
    const size_t n = (size_t)site->first_allele + (size_t)site->n_alleles <= block->alleles.n ? (size_t)site->n_alleles : 0;
    const struct gt_interval span = gt_overlap_span(how, site->position, site->length, &block->alleles, site->first_allele, n);
    return intervals && gt_intervals_overlap(intervals, span.from, span.to);
}

static bool in_region(const struct gt_filter *f, const struct gt_block *block, const struct gt_site *site)
{
    const char *name = gt_filter_new_contig(f, block, site->contig);
    return overlaps(name ? gt_filter_intervals(f, name) : f->intervals[site->contig], f->opts.overlap, block, site);
}

static bool outside_long_range(const struct gt_filter *f, const struct gt_block *block, const struct gt_site *site)
{
    const char *name = gt_filter_new_contig(f, block, site->contig);
    return !overlaps(name ? gt_filter_left_out(f, name) : f->left_out[site->contig], GT_OVERLAP_RECORD, block, site);
}

/* The id of a site, or that of --set-all-var-ids, which is made in `made`. */
static const char *id_of(const struct gt_filter *f, const struct gt_block *block, const struct gt_site *site, struct gt_str *made)
{
    if (f->opts.var_ids)
        gt_var_id_add(made, f->opts.var_ids, gt_filter_contig_name(f, block, site->contig), block, site);
    return made->s ? made->s : gt_strs_get(&block->ids, site->id);
}

void gt_filter_meet_id(const struct gt_filter *f, const struct gt_block *block, const struct gt_site *site)
{
    struct gt_str made = {0};
    const char *id = id_of(f, block, site, &made);
    if (f->opts.extract)
        gt_id_list_meet(&f->extract, id);
    if (f->opts.exclude)
        gt_id_list_meet(&f->exclude, id);
    gt_str_release(&made);
}

static bool is_extracted(const struct gt_filter *f, const struct gt_block *block, const struct gt_site *site)
{
    struct gt_str made = {0};
    const bool listed = gt_id_list_has(&f->extract, id_of(f, block, site, &made));
    gt_str_release(&made);
    return listed;
}

static bool not_excluded(const struct gt_filter *f, const struct gt_block *block, const struct gt_site *site)
{
    struct gt_str made = {0};
    const bool listed = gt_id_list_has(&f->exclude, id_of(f, block, site, &made));
    gt_str_release(&made);
    return !listed;
}

static bool is_pass(const struct gt_filter *f, const struct gt_block *block, const struct gt_site *site)
{
    return site->filter_n == 1 && f->pass >= 0 && ((const int32_t *)block->filters.data)[site->filter_from] == f->pass;
}

static bool enough_alleles(const struct gt_filter *f, const struct gt_block *block, const struct gt_site *site)
{
    (void)block;
    return site->n_alleles >= f->opts.min_alleles;
}

static bool few_alleles(const struct gt_filter *f, const struct gt_block *block, const struct gt_site *site)
{
    (void)block;
    return site->n_alleles <= f->opts.max_alleles;
}

static bool is_biallelic(const struct gt_filter *f, const struct gt_block *block, const struct gt_site *site)
{
    (void)f, (void)block;
    return site->n_alleles == 2;
}

static bool is_snp(const struct gt_filter *f, const struct gt_block *block, const struct gt_site *site)
{
    (void)f;
    if (site->n_alleles < 1 || (size_t)site->first_allele + (size_t)site->n_alleles > block->alleles.n)
        return false;
    for (int32_t a = 0; a < site->n_alleles; a++) {
        const char *text = gt_strs_get(&block->alleles, site->first_allele + (size_t)a);
        if (!*text || text[1] || !strchr("ACGTNacgtn", *text))
            return false;
    }
    return true;
}

/* --- filters that look at the calls of the samples kept --------------------------------- */

/* At least two alleles.  Known from the codes, except at a multiallelic site whose alleles were not counted and where no call has
 * REF: then it is unknown. */
static bool is_polymorphic(const struct gt_filter *f, const struct gt_filter_calls *calls)
{
    const struct gt_site *site = calls->site;
    const int64_t *codes = calls->counters->codes;
    const int64_t het = f->opts.data_ploidy == GT_HAPLOID ? 0 : codes[1], alt = codes[1] + codes[2];
    if (site && site->alleles_seen)
        return site->alleles_seen > 1;
    if (het > 0 || (codes[0] > 0 && alt > 0))
        return true;
    calls->stats->not_known_polymorphic += site && site->multiallelic && alt > 0;
    return false;
}

/* Twice the minor alleles. */
static int64_t minor_alleles_x2(const struct gt_sex_site_counts *c)
{
    return c->alt_alleles_x2 < c->alleles_x2 - c->alt_alleles_x2 ? c->alt_alleles_x2 : c->alleles_x2 - c->alt_alleles_x2;
}

static bool few_missing(const struct gt_filter *f, const struct gt_filter_calls *calls)
{
    const struct gt_sex_site_counts *c = calls->counters;
    return !c->samples || (double)c->missing / (double)c->samples <= f->opts.geno;
}

static bool frequent(const struct gt_filter *f, const struct gt_filter_calls *calls)
{
    const struct gt_sex_site_counts *c = calls->counters;
    return f->opts.maf <= (c->alleles_x2 ? (double)minor_alleles_x2(c) / (double)c->alleles_x2 : 0);
}

static bool enough_minor(const struct gt_filter *f, const struct gt_filter_calls *calls)
{
    return minor_alleles_x2(calls->counters) / 2 >= f->opts.mac;
}

static bool in_equilibrium(const struct gt_filter *f, const struct gt_filter_calls *calls)
{
    const struct gt_sex_site_counts *c = calls->counters;
    if (c->chrom_class == GT_CHROM_X)
        return gt_sex_hwe_x(c, f->opts.hwe) >= f->opts.hwe * (1 - 1e-9);
    return c->chrom_class != GT_CHROM_AUTOSOME || gt_hwe_exact(c->codes[0], c->codes[1], c->codes[2]) >= f->opts.hwe;
}

/* --- the table ---------------------------------------------------------------------------- */

#define OPT(name) offsetof(struct gt_select_opts, name)
#define COUNT(name) offsetof(struct gt_select_stats, dropped_##name)
#define SITES GT_HAS_GENOTYPES
#define PLACES (GT_HAS_GENOTYPES | GT_HAS_POSITIONS)
#define ALLELES (GT_HAS_GENOTYPES | GT_HAS_ALLELES)
#define DOSAGES (GT_HAS_GENOTYPES | GT_HAS_DOSAGES)
#define CALLS GT_FILTER_CALLS
#define ALLELE_COUNTS (GT_FILTER_CALLS | GT_FILTER_BY_SEX)

/* clang-format off */
static const struct gt_filter_row rows[] = {
    {"--mind", GT_FILTER_RATE, OPT(mind), ALLELE_COUNTS | GT_FILTER_SAMPLES, SITES, 0, COUNT(mind), "mind", "by --mind", NULL, NULL},
    {"--slice", GT_FILTER_TEXT, OPT(slice), 0, 0, 0, COUNT(slice), "slice", "by --slice", NULL, NULL},
    {"--thin", GT_FILTER_COUNT, OPT(thin), 0, SITES, 0, COUNT(thin), "thin", "by --thin", NULL, NULL},
    {"--mask", GT_FILTER_TEXT, OPT(mask), 0, SITES, 0, COUNT(mask), "mask", "by --mask", NULL, NULL},
    {"--contigs", GT_FILTER_TEXT, OPT(contigs), 0, SITES, GT_SITE_POS, COUNT(contig), "contigs", "by --contigs", on_kept_contig, NULL},
    {"--not-chr", GT_FILTER_TEXT, OPT(not_chr), 0, SITES | GT_HAS_CONTIGS, GT_SITE_POS, COUNT(contig), "contigs", "by --not-chr",
     on_kept_contig, NULL},
    {NULL, GT_FILTER_FLAG, OPT(autosomal), 0, 0, GT_SITE_POS, COUNT(contig), "contigs",
     "on X, Y or mitochondria (--contigs all keeps them)", on_kept_contig, NULL},
    {"-r", GT_FILTER_TEXT, OPT(regions), 0, PLACES, GT_SITE_POS, COUNT(region), "region", "outside the regions", in_region, NULL},
    {"-R", GT_FILTER_TEXT, OPT(regions_file), 0, PLACES, GT_SITE_POS, COUNT(region), "region", "outside the regions",
     in_region, NULL},
    {"--exclude-long-range", GT_FILTER_TEXT, OPT(exclude_long_range), 0, PLACES | GT_HAS_CONTIGS, GT_SITE_POS, COUNT(long_range),
     "long_range", "by --exclude-long-range", outside_long_range, NULL},
    {"--extract", GT_FILTER_TEXT, OPT(extract), 0, SITES | GT_HAS_IDS, GT_SITE_ID, COUNT(ids), "ids", "by --extract or --exclude",
     is_extracted, NULL},
    {"--exclude", GT_FILTER_TEXT, OPT(exclude), 0, SITES | GT_HAS_IDS, GT_SITE_ID, COUNT(ids), "ids", "by --extract or --exclude",
     not_excluded, NULL},
    {"--pass", GT_FILTER_FLAG, OPT(pass), 0, SITES | GT_HAS_FILTERS, GT_SITE_QUAL, COUNT(pass), "pass", "by --pass", is_pass, NULL},
    {"--min-alleles", GT_FILTER_COUNT, OPT(min_alleles), 0, ALLELES, GT_SITE_ALLELES, COUNT(alleles), "alleles",
     "by --min-alleles or --max-alleles", enough_alleles, NULL},
    {"--max-alleles", GT_FILTER_COUNT, OPT(max_alleles), 0, ALLELES, GT_SITE_ALLELES, COUNT(alleles), "alleles",
     "by --min-alleles or --max-alleles", few_alleles, NULL},
    {"--biallelic", GT_FILTER_FLAG, OPT(biallelic), 0, ALLELES, GT_SITE_ALLELES, COUNT(biallelic), "biallelic", "by --biallelic",
     is_biallelic, NULL},
    {"--snps", GT_FILTER_FLAG, OPT(snps), GT_FILTER_ROWS, ALLELES, GT_SITE_ALLELES, COUNT(snps), "snps", "by --snps", is_snp, NULL},
    {NULL, GT_FILTER_FLAG, OPT(one_alt), 0, 0, 0, COUNT(multiallelic), NULL,
     "with several ALT alleles (--split-multiallelic keeps them)", NULL, NULL},
    {"--polymorphic", GT_FILTER_FLAG, OPT(polymorphic), CALLS, SITES, GT_SITE_ALLELES, COUNT(polymorphic), "polymorphic",
     "by --polymorphic", NULL, is_polymorphic},
    {"--geno", GT_FILTER_RATE, OPT(geno), ALLELE_COUNTS, SITES, 0, COUNT(geno), "geno", "by --geno", NULL, few_missing},
    {"--maf", GT_FILTER_RATE, OPT(maf), ALLELE_COUNTS, DOSAGES, 0, COUNT(maf), "maf", "by --maf", NULL, frequent},
    {"--mac", GT_FILTER_COUNT, OPT(mac), ALLELE_COUNTS, DOSAGES, 0, COUNT(mac), "mac", "by --mac", NULL, enough_minor},
    {"--hwe", GT_FILTER_ABOVE, OPT(hwe), ALLELE_COUNTS, DOSAGES, 0, COUNT(hwe), "hwe", "by --hwe", NULL, in_equilibrium},
    {"--rm-dup", GT_FILTER_CHOICE, OPT(rm_dup), 0, PLACES | GT_HAS_ALLELES, 0, COUNT(dup), "duplicates", "by --rm-dup", NULL, NULL},
    {"--bp-space", GT_FILTER_COUNT, OPT(bp_space), 0, PLACES, 0, COUNT(space), "bp_space", "by --bp-space", NULL, NULL},
    {"--thin-count", GT_FILTER_COUNT, OPT(thin_count), 0, SITES, 0, COUNT(thin_count), "thin_count", "by --thin-count", NULL, NULL},
    {"--ld-prune", GT_FILTER_TEXT, OPT(ld_prune), CALLS, DOSAGES, 0, COUNT(ld), "ld", "by --ld-prune", NULL, NULL},
};
/* clang-format on */
enum { ROWS = sizeof rows / sizeof *rows };
_Static_assert(ROWS <= GT_FILTER_MOST, "gt_filter has room for all rows");

const struct gt_filter_row *gt_filter_row(size_t k)
{
    return k < ROWS ? &rows[k] : NULL;
}

bool gt_filter_given(const struct gt_filter_row *row, const struct gt_select_opts *opts)
{
    const void *at = (const char *)opts + row->member;
    switch (row->kind) {
    case GT_FILTER_TEXT:
        return *(const char *const *)at;
    case GT_FILTER_FLAG:
        return *(const bool *)at;
    case GT_FILTER_COUNT:
        return *(const int64_t *)at;
    case GT_FILTER_CHOICE:
        return *(const int *)at;
    case GT_FILTER_RATE:
        return *(const double *)at >= 0;
    case GT_FILTER_ABOVE:
        break;
    }
    return *(const double *)at > 0;
}

static void clear(const struct gt_filter_row *row, struct gt_select_opts *opts)
{
    static const size_t sizes[] = {
        [GT_FILTER_TEXT] = sizeof(char *), [GT_FILTER_FLAG] = sizeof(bool),   [GT_FILTER_COUNT] = sizeof(int64_t),
        [GT_FILTER_CHOICE] = sizeof(int),  [GT_FILTER_RATE] = sizeof(double), [GT_FILTER_ABOVE] = sizeof(double)};
    void *at = (char *)opts + row->member;
    memset(at, 0, sizes[row->kind]);
    if (row->kind == GT_FILTER_RATE)
        *(double *)at = -1;
}

bool gt_filters_given(const struct gt_select_opts *opts, unsigned traits)
{
    for (size_t k = 0; k < ROWS; k++)
        if ((rows[k].traits & traits) == traits && gt_filter_given(&rows[k], opts))
            return true;
    return false;
}

void gt_filters_clear(struct gt_select_opts *opts, unsigned traits)
{
    for (size_t k = 0; k < ROWS; k++)
        if ((rows[k].traits & traits) == traits && !(rows[k].traits & GT_FILTER_SAMPLES))
            clear(&rows[k], opts);
}

int64_t gt_filter_dropped(const struct gt_filter_row *row, const struct gt_select_opts *opts, const struct gt_select_stats *stats)
{
    if (!gt_filter_given(row, opts))
        return 0;
    for (const struct gt_filter_row *other = rows; other < row; other++)
        if (other->counter == row->counter && gt_filter_given(other, opts))
            return 0;
    return *(const int64_t *)((const char *)stats + row->counter);
}
