/* Sites: frequencies, alleles and positions. */
#include "calc/sim/sim_internal.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/mem.h"
#include "core/base/size.h"

static const char bases[24][3] = {"ACG", "ACT", "AGC", "AGT", "ATC", "ATG", "CAG", "CAT", "CGA", "CGT", "CTA", "CTG",
                                  "GAC", "GAT", "GCA", "GCT", "GTA", "GTC", "TAC", "TAG", "TCA", "TCG", "TGA", "TGC"};

void gt_sim_site(const struct gt_sim *sim, int64_t variant, struct gt_sim_site *site)
{
    uint32_t w[4];
    gt_sim_words(sim, 0, variant, GT_SIM_SITE, 0, w);
    double u = gt_unit32(w[0]), lo = sim->o.min_maf;
    site->p = sim->o.spectrum == GT_SIM_FLAT ? lo + (1 - 2 * lo) * u : exp(sim->log_lo + sim->log_ratio * u);
    site->bases = (int)(w[1] % 24);
    site->order = (int)(w[1] / 24 % GT_SIM_ORDERS);
    site->multiallelic = gt_unit32(w[2]) < sim->o.multiallelic;
    site->second = 0.05 + 0.45 * gt_unit32(w[3]);
}

/* --- Beta draws ------------------------------------------------------------- */

/* Uniforms of one population at one variant, one after another. */
struct draws {
    const struct gt_sim *sim;
    int64_t variant;
    uint32_t pop, index;
    uint32_t word[4];
    int used;
};

static double draw(struct draws *d)
{
    if (d->used == 4) {
        gt_sim_words(d->sim, d->pop, d->variant, GT_SIM_BETA, d->index++, d->word);
        d->used = 0;
    }
    return gt_unit32(d->word[d->used++]);
}

/* Logarithm of a Gamma(shape) variate: Marsaglia and Tsang (2000).  Below shape 1 the
 * variate of shape + 1 is scaled by u^(1/shape), which the logarithm keeps from
 * underflowing. */
static double log_gamma_draw(struct draws *d, double shape)
{
    double extra = 0;
    if (shape < 1) {
        extra = log(draw(d)) / shape;
        shape += 1;
    }
    double a = shape - 1.0 / 3, c = 1 / sqrt(9 * a);
    for (;;) {
        double r = sqrt(-2 * log(draw(d))), x = r * cos(2 * M_PI * draw(d));
        double t = 1 + c * x;
        if (t <= 0)
            continue;
        double v = t * t * t;
        if (log(draw(d)) < 0.5 * x * x + a - a * v + a * log(v))
            return log(a * v) + extra;
    }
}

void gt_sim_drift(const struct gt_sim *sim, int64_t variant, double p, double *freq)
{
    double scale = sim->o.fst > 0 ? (1 - sim->o.fst) / sim->o.fst : 0;

    for (int64_t k = 0; k < sim->o.pops; k++) {
        if (scale == 0) {
            freq[k] = p;
            continue;
        }
        struct draws d = {sim, variant, (uint32_t)k, 0, {0}, 4};
        double x = log_gamma_draw(&d, p * scale), y = log_gamma_draw(&d, (1 - p) * scale);
        freq[k] = 1 / (1 + exp(y - x));
    }
}

double gt_sim_frequencies(const struct gt_sim *sim, int64_t variant, double *freq)
{
    struct gt_sim_site site;
    gt_sim_site(sim, variant, &site);
    gt_sim_drift(sim, variant, site.p, freq);
    return site.p;
}

/* --- positions --------------------------------------------------------------- */

/* Mean distance of neighbours on a contig of n variants: 250 Mb shared out, at most 1 kb. */
static int64_t spacing(int64_t n)
{
    int64_t s = 250000000 / n;
    return s < 1 ? 1 : s > 1000 ? 1000 : s;
}

static int compare(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* Sorted uniform draws in the bin's span, each moved by its rank so that no two
 * are equal: local Poisson spacing, with no sum over what comes before. */
static void bin_positions(const struct gt_sim *sim, int64_t contig_first, int64_t contig_n, int64_t bin, int64_t pos[GT_SIM_BIN])
{
    int64_t span = spacing(contig_n) * GT_SIM_BIN;
    uint32_t w[4];

    for (int i = 0; i < GT_SIM_BIN; i++) {
        if (i % 4 == 0)
            gt_sim_words(sim, (uint32_t)i / 4, contig_first + bin * GT_SIM_BIN, GT_SIM_POSITION, 0, w);
        pos[i] = (int64_t)((uint64_t)w[i % 4] * (uint64_t)(span - GT_SIM_BIN + 1) >> 32);
    }
    qsort(pos, GT_SIM_BIN, sizeof pos[0], compare);
    for (int i = 0; i < GT_SIM_BIN; i++)
        pos[i] += 1 + bin * span + i;
}

int gt_sim_info(const struct gt_sim *sim, struct gt_geno_info *info, struct gt_err *err)
{
    char name[32];
    int status = 0;

    info->n_samples = sim->o.samples;
    info->n_variants = info->n_variants_max = sim->o.variants;
    for (int64_t s = 0; s < sim->o.samples && !status; s++)
        status = gt_strs_add(&info->samples, name, (size_t)snprintf(name, sizeof name, "S%lld", (long long)s + 1), err);
    for (int64_t c = 0; c < sim->o.contigs && !status; c++) {
        int64_t n = gt_sim_contig_first(sim, c + 1) - gt_sim_contig_first(sim, c);
        int64_t length = gt_ceil_div(n, GT_SIM_BIN) * GT_SIM_BIN * spacing(n);
        status =
            gt_strs_add(&info->contigs, name, (size_t)snprintf(name, sizeof name, c < 22 ? "%lld" : "scaffold%lld", (long long)c + 1), err);
        if (!status)
            status = gt_buf_append(&info->contig_lengths, &length, sizeof length, err);
    }
    if (!status)
        status = gt_strs_add(&info->filters, "PASS", 4, err);
    info->has = GT_HAS_GENOTYPES | GT_HAS_CONTIGS | GT_HAS_POSITIONS | GT_HAS_ALLELES | GT_HAS_FILTERS | GT_HAS_IDS | GT_HAS_DOSAGES;
    info->two_alleles = sim->o.multiallelic <= 0;
    info->kind = gt_strdup("simulation", err);
    info->name = gt_strdup("simulation", err);
    return status || (info->kind && info->name) ? status : GT_FAIL;
}

static int add_alleles(struct gt_block *block, struct gt_site *site, const struct gt_sim_site *drawn, struct gt_err *err)
{
    int status = 0;
    site->n_alleles = drawn->multiallelic ? 3 : 2;
    site->first_allele = (uint32_t)block->alleles.n;
    for (int a = 0; a < site->n_alleles && !status; a++)
        status = gt_strs_add(&block->alleles, &bases[drawn->bases][a], 1, err);
    return status;
}

int gt_sim_sites(const struct gt_sim *sim, int64_t first, int64_t n, unsigned fields, struct gt_block *block, struct gt_err *err)
{
    int64_t contig = gt_sim_contig_of(sim, first), from = gt_sim_contig_first(sim, contig), to = gt_sim_contig_first(sim, contig + 1);
    int64_t pos[GT_SIM_BIN], bin = -1;
    char id[32];

    int status = gt_buf_resize(&block->sites, (size_t)n * sizeof(struct gt_site), err);
    for (int64_t v = first; v < first + n && !status; v++) {
        struct gt_site *site = gt_block_sites(block) + (v - first);
        struct gt_sim_site drawn;
        if (v == to) {
            from = to;
            to = gt_sim_contig_first(sim, ++contig + 1);
            bin = -1;
        }
        if ((v - from) / GT_SIM_BIN != bin) {
            bin = (v - from) / GT_SIM_BIN;
            bin_positions(sim, from, to - from, bin, pos);
        }
        gt_sim_site(sim, v, &drawn);
        *site = (struct gt_site){.contig = (int32_t)contig,
                                 .n_alleles = drawn.multiallelic ? 3 : 2,
                                 .position = pos[(v - from) % GT_SIM_BIN],
                                 .length = 1,
                                 .filter_n = 1,
                                 .multiallelic = drawn.multiallelic};
        gt_site_no_quality(site);
        if (fields & GT_SITE_ALLELES)
            status = add_alleles(block, site, &drawn, err);
        site->id = fields & GT_SITE_ID ? (uint32_t)block->ids.n : 0;
        if (!status && (fields & GT_SITE_ID))
            status = gt_strs_add(&block->ids, id, (size_t)snprintf(id, sizeof id, "v%lld", (long long)v + 1), err);
    }
    return status ? status : gt_buf_append(&block->filters, &(int32_t){0}, sizeof(int32_t), err);
}
