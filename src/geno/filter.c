#include "config.h"

#include "geno/filter.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "geno/regions.h"
#include "geno/samples.h"
#include "geno/slice.h"
#include "geno/source.h"
#include "kernels/kernels.h"

struct gt_filter {
    struct gt_select_opts opts;
    const struct gt_source_info *input;
    uint32_t *samples; /* NULL = all as they stand */
    int64_t n_samples;
    uint8_t *keep; /* one an input sample; NULL = all */
    struct gt_slice variants;
    int64_t first;             /* number of the input's first variant among all */
    int64_t start, stop, step; /* the variants slice, resolved */
    struct gt_regions regions;
    bool use_regions;
    struct gt_names *contigs; /* names that --contigs lists; NULL = no list */
    bool autosomes;
    uint8_t *contig_kept; /* for the contigs of the header */
    const struct gt_intervals **intervals;
    size_t n_contigs;
    struct gt_strs absent;
};

static bool is_autosome(const char *name)
{
    if (strncasecmp(name, "chr", 3) == 0)
        name += 3;
    if (*name < '1' || *name > '9')
        return false;
    int n = *name++ - '0';
    if (*name >= '0' && *name <= '9')
        n = n * 10 + *name++ - '0';
    return !*name && n <= 22;
}

static bool contig_named(const struct gt_filter *f, const char *name)
{
    if (f->autosomes)
        return is_autosome(name);
    return !f->contigs || gt_names_find(f->contigs, name, strlen(name)) >= 0;
}

static const struct gt_intervals *intervals_of(const struct gt_filter *f, const char *name)
{
    int64_t at = gt_regions_find(&f->regions, name);
    return at >= 0 ? &f->regions.of[at] : NULL;
}

/* Contigs that the options name and the input lacks, for the caller to judge. */
static void note_absent(struct gt_filter *f, const char *name)
{
    for (size_t i = 0; i < f->input->contigs.n; i++)
        if (strcmp(gt_strs_get(&f->input->contigs, i), name) == 0)
            return;
    gt_strs_add(&f->absent, name, strlen(name));
}

static int parse_contigs(struct gt_filter *f, struct gt_err *err)
{
    const char *list = f->opts.contigs;
    int status = 0;
    if (!list || strcmp(list, "all") == 0)
        return 0;
    f->autosomes = strcmp(list, "autosomes") == 0;
    if (f->autosomes)
        return 0;
    f->contigs = gt_names_new();
    for (const char *p = list; !status; p++) {
        size_t n = strcspn(p, ",");
        char *name = gt_xstrndup(p, n);
        if (!n)
            status = gt_fail(err, GT_USAGE, "a contig name in '%s' is empty", list);
        else if (gt_names_add(f->contigs, name, n, 0) < 0)
            note_absent(f, name);
        free(name);
        p += n;
        if (!*p)
            break;
    }
    return status;
}

static int parse_regions(struct gt_filter *f, struct gt_err *err)
{
    f->use_regions = f->opts.regions || f->opts.regions_file;
    if (f->opts.regions && f->opts.regions_file)
        return gt_fail(err, GT_USAGE, "-r and -R exclude each other");
    int status = gt_regions_parse(&f->regions, f->opts.regions, f->opts.regions_file, &f->input->contigs, err);
    for (size_t i = 0; !status && i < f->regions.contigs.n; i++)
        note_absent(f, gt_strs_get(&f->regions.contigs, i));
    return status;
}

static void index_contigs(struct gt_filter *f)
{
    f->n_contigs = f->input->contigs.n;
    f->contig_kept = gt_xcalloc(f->n_contigs, 1);
    f->intervals = gt_xcalloc(f->n_contigs, sizeof *f->intervals);
    for (size_t i = 0; i < f->n_contigs; i++) {
        const char *name = gt_strs_get(&f->input->contigs, i);
        f->contig_kept[i] = contig_named(f, name);
        f->intervals[i] = intervals_of(f, name);
    }
}

static void index_samples(struct gt_filter *f)
{
    free(f->keep);
    f->keep = NULL;
    if (!f->samples)
        return;
    f->keep = gt_xcalloc((size_t)f->input->n_samples, 1);
    for (int64_t i = 0; i < f->n_samples; i++)
        f->keep[f->samples[i]] = 1;
}

static int parse(struct gt_filter *f, struct gt_err *err)
{
    struct gt_slice axes[GT_SLICE_AXES] = {{0}};
    const char *name = f->input->name;
    int status = f->opts.slice ? gt_slice_parse(f->opts.slice, axes, err) : 0;
    f->variants = axes[0];
    if (!status)
        status = gt_samples_choose(&f->opts, &axes[1], &f->input->samples, name, &f->samples, &f->n_samples, err);
    if (!status && f->opts.thin < 0)
        status = gt_fail(err, GT_USAGE, "--thin needs a number above 0");
    if (!status && f->opts.pass && !f->input->filters.n)
        status = gt_fail(err, GT_USAGE, "--pass needs FILTERs and '%s' has none", name);
    if (!status)
        status = parse_contigs(f, err);
    if (!status)
        status = parse_regions(f, err);
    return status;
}

int gt_filter_new(struct gt_filter **out, const struct gt_select_opts *opts, const struct gt_source_info *input, struct gt_err *err)
{
    static const struct gt_select_opts everything = GT_SELECT_ALL;
    struct gt_filter *f = gt_xcalloc(1, sizeof *f);
    f->opts = opts ? *opts : everything;
    f->input = input;
    int status = parse(f, err);
    if (status) {
        gt_filter_free(f);
        return status;
    }
    index_contigs(f);
    index_samples(f);
    gt_filter_place(f, 0, input->n_variants, NULL);
    *out = f;
    return 0;
}

void gt_filter_free(struct gt_filter *f)
{
    if (!f)
        return;
    free(f->samples);
    free(f->keep);
    free(f->contig_kept);
    free(f->intervals);
    if (f->contigs)
        gt_names_free(f->contigs);
    gt_regions_release(&f->regions);
    gt_strs_release(&f->absent);
    free(f);
}

const struct gt_strs *gt_filter_absent(const struct gt_filter *f)
{
    return &f->absent;
}

bool gt_filter_needs_total(const struct gt_filter *f)
{
    return f->variants.given && (f->variants.start < 0 || f->variants.stop < 0);
}

int gt_filter_place(struct gt_filter *f, int64_t first, int64_t total, struct gt_err *err)
{
    const struct gt_slice *v = &f->variants;
    f->first = first;
    if (total >= 0)
        return gt_slice_resolve(v, total, "variants", &f->start, &f->stop, &f->step, err);
    f->start = v->start;
    f->stop = v->is_index ? v->start + 1 : v->has_stop ? v->stop : INT64_MAX;
    f->step = v->given ? v->step : 1;
    return 0;
}

const uint32_t *gt_filter_samples(const struct gt_filter *f, int64_t *n)
{
    *n = f->n_samples;
    return f->samples;
}

static bool looks_at_sites(const struct gt_filter *f)
{
    return f->use_regions || f->autosomes || f->contigs || f->opts.pass || f->opts.snps;
}

static bool looks_at_genotypes(const struct gt_filter *f)
{
    return !f->opts.full && (f->opts.biallelic || f->opts.geno >= 0 || f->opts.maf >= 0);
}

const struct gt_select_opts *gt_filter_opts(const struct gt_filter *f) { return &f->opts; }

bool gt_filter_is_all(const struct gt_filter *f)
{
    return !f->samples && !f->variants.given && f->opts.thin <= 1 && !looks_at_sites(f) && !looks_at_genotypes(f);
}

unsigned gt_filter_fields(const struct gt_filter *f)
{
    unsigned fields = f->use_regions || f->autosomes || f->contigs ? GT_SITE_POS : GT_SITE_NONE;
    if (f->opts.snps || f->opts.biallelic)
        fields |= GT_SITE_ALLELES;
    return f->opts.pass ? fields | GT_SITE_QUAL : fields;
}

bool gt_filter_wants_contig(const struct gt_filter *f, int32_t contig)
{
    if (contig < 0 || (size_t)contig >= f->n_contigs)
        return true;
    return f->contig_kept[contig] && (!f->use_regions || f->intervals[contig]);
}

bool gt_filter_wants_seen(const struct gt_filter *f)
{
    return f->opts.biallelic && !f->opts.full;
}

const uint8_t *gt_filter_keep(const struct gt_filter *f)
{
    return f->keep;
}

int64_t gt_filter_count_max(const struct gt_filter *f, int64_t n)
{
    if (n < 0)
        return f->variants.given && !gt_filter_needs_total(f) && f->stop < INT64_MAX ? (f->stop - f->start < 0 ? 0 : f->stop - f->start)
                                                                                     : -1;
    int64_t step = f->variants.given ? f->step : f->opts.thin > 1 ? f->opts.thin : 1;
    int64_t start = f->variants.given ? f->start : 0, stop = f->variants.given ? f->stop : INT64_MAX;
    int64_t from = start, end = f->first + n < stop ? f->first + n : stop;
    if (from < f->first)
        from += (f->first - from + step - 1) / step * step;
    return from < end ? (end - from + step - 1) / step : 0;
}

int64_t gt_filter_count(const struct gt_filter *f, int64_t n)
{
    if (n < 0 || looks_at_sites(f) || looks_at_genotypes(f) || (f->variants.given && f->opts.thin > 1))
        return -1;
    return gt_filter_count_max(f, n);
}

int gt_filter_mind(struct gt_filter *f, const uint32_t *missing, int64_t sites, struct gt_select_stats *stats, struct gt_err *err)
{
    uint32_t *kept = gt_xmalloc((size_t)f->n_samples * sizeof *kept);
    int64_t n = 0;
    for (int64_t i = 0; i < f->n_samples; i++) {
        uint32_t s = f->samples ? f->samples[i] : (uint32_t)i;
        if (sites == 0 || (double)missing[s] / (double)sites <= f->opts.mind)
            kept[n++] = s;
    }
    stats->dropped_mind += f->n_samples - n;
    if (n == f->n_samples) {
        free(kept);
        return 0;
    }
    free(f->samples);
    f->samples = kept;
    f->n_samples = n;
    index_samples(f);
    return n ? 0 : gt_fail(err, GT_INPUT, "--mind leaves no sample of '%s'", f->input->name);
}

static bool in_slice(const struct gt_filter *f, int64_t number)
{
    return !f->variants.given || (number >= f->start && number < f->stop && (number - f->start) % f->step == 0);
}

/* Contigs that are not in the header are known by name only. */
static const char *new_contig(const struct gt_block *block, int32_t contig)
{
    return gt_strs_get(&block->new_contigs, (size_t)(-1 - contig));
}

static bool on_kept_contig(const struct gt_filter *f, const struct gt_block *block, int32_t contig)
{
    if (contig < 0)
        return contig_named(f, new_contig(block, contig));
    return (size_t)contig >= f->n_contigs || f->contig_kept[contig];
}

static bool in_region(const struct gt_filter *f, const struct gt_block *block, const struct gt_site *site)
{
    const struct gt_intervals *intervals = NULL;
    if (site->contig < 0)
        intervals = intervals_of(f, new_contig(block, site->contig));
    else if ((size_t)site->contig < f->n_contigs)
        intervals = f->intervals[site->contig];
    int64_t length = site->length > 0 ? site->length : 1;
    return intervals && gt_intervals_overlap(intervals, site->position, site->position + length - 1);
}

static bool is_pass(const struct gt_filter *f, const struct gt_block *block, const struct gt_site *site)
{
    if (site->filter_n != 1)
        return false;
    const int32_t *filters = (const int32_t *)block->filters.data;
    int32_t id = filters[site->filter_from];
    return id >= 0 && (size_t)id < f->input->filters.n && strcmp(gt_strs_get(&f->input->filters, (size_t)id), "PASS") == 0;
}

static bool is_snp(const struct gt_block *block, const struct gt_site *site)
{
    if (site->n_alleles < 1 || (size_t)site->first_allele + (size_t)site->n_alleles > block->alleles.n)
        return false;
    for (int32_t a = 0; a < site->n_alleles; a++) {
        const char *text = gt_strs_get(&block->alleles, site->first_allele + (size_t)a);
        if (!*text || text[1] || !strchr("ACGTNacgtn", *text))
            return false;
    }
    return true;
}

bool gt_filter_site(const struct gt_filter *f, struct gt_block *block, const struct gt_site *site, int64_t number)
{
    struct gt_select_stats *stats = &block->stats;
    number += f->first;
    stats->sites_in++;
    if (!in_slice(f, number))
        return stats->dropped_slice++, false;
    if (f->opts.thin > 1 && number % f->opts.thin)
        return stats->dropped_thin++, false;
    if (!looks_at_sites(f))
        return true;
    if ((f->autosomes || f->contigs) && !on_kept_contig(f, block, site->contig))
        return stats->dropped_contig++, false;
    if (f->use_regions && !in_region(f, block, site))
        return stats->dropped_region++, false;
    if (f->opts.pass && !is_pass(f, block, site))
        return stats->dropped_pass++, false;
    if (f->opts.snps && !is_snp(block, site))
        return stats->dropped_snps++, false;
    return true;
}

/* Exactly two alleles among the kept samples.  Codes tell it for one ALT only; a
 * site with more whose alleles nobody counted is not known to be biallelic. */
static bool is_biallelic(const struct gt_site *site, const int64_t counts[4])
{
    if (site && site->alleles_seen)
        return site->alleles_seen == 2;
    if (site && (site->multiallelic || site->n_alleles > 2))
        return false;
    return counts[1] > 0 || (counts[0] > 0 && counts[2] > 0);
}

static bool genotypes_pass(const struct gt_filter *f, const struct gt_site *site, const int64_t counts[4], struct gt_select_stats *stats)
{
    int64_t seen = f->n_samples - counts[3], alt = counts[1] + 2 * counts[2];
    int64_t minor = alt < 2 * seen - alt ? alt : 2 * seen - alt;
    if (f->opts.biallelic && !is_biallelic(site, counts))
        return stats->dropped_biallelic++, false;
    if (f->opts.geno >= 0 && (double)counts[3] / (double)f->n_samples > f->opts.geno)
        return stats->dropped_geno++, false;
    if (f->opts.maf >= 0 && f->opts.maf > (seen ? (double)minor / (double)(2 * seen) : 0))
        return stats->dropped_maf++, false;
    return true;
}

/* Row `from` of the block becomes row `to`, with the kept samples only. */
static void move_row(const struct gt_filter *f, struct gt_block *block, int64_t from, int64_t to, size_t stride)
{
    uint8_t *dst = block->rows.data + (size_t)to * stride;
    const uint8_t *src = gt_block_row(block, from);
    if (f->samples) {
        gt_kernels()->gather_samples(src, f->samples, f->n_samples, block->scratch.data);
        memcpy(dst, block->scratch.data, stride);
    } else if (dst != src) {
        memmove(dst, src, stride);
    }
}

int gt_filter_block(const struct gt_filter *f, struct gt_block *block, struct gt_err *err)
{
    struct gt_site *sites = block->sites.len ? gt_block_sites(block) : NULL;
    size_t stride = f->samples ? ((size_t)f->n_samples + 3) / 4 : block->stride;
    bool by_genotypes = looks_at_genotypes(f);
    static const struct gt_site no_site = {0};
    int64_t out = 0;
    int status = gt_buf_resize(&block->scratch, f->samples ? stride + GT_KERNEL_PAD : 0, err);
    if (status)
        return status;
    for (int64_t v = 0; v < block->n; v++) {
        int64_t counts[4];
        const struct gt_site *site = sites ? &sites[v] : &no_site;
        if (!block->screened && !gt_filter_site(f, block, site, block->first + v))
            continue;
        move_row(f, block, v, out, stride);
        gt_kernels()->count_codes(block->rows.data + (size_t)out * stride, f->n_samples, counts);
        if (by_genotypes && !genotypes_pass(f, sites ? site : NULL, counts, &block->stats))
            continue;
        block->stats.missing += counts[3];
        block->stats.multiallelic += site->multiallelic;
        if (sites)
            sites[out] = *site;
        out++;
    }
    block->stats.sites_kept += out;
    block->stats.genotypes += out * f->n_samples;
    block->n = out;
    block->stride = stride;
    if (sites)
        block->sites.len = (size_t)out * sizeof *sites;
    return gt_buf_resize(&block->rows, (size_t)out * stride + GT_KERNEL_PAD, err);
}
