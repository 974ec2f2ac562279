#include "calc/stats/stats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "calc/stats/stats_internal.h"
#include "core/base/mem.h"
#include "core/engine/flow.h"
#include "geno/model/contigs.h"
#include "geno/model/hwe.h"
#include "geno/model/ploidy.h"
#include "kernels/kernels.h"

/* --- what both share --------------------------------------------------------------- */

int stats_begin(struct stats_run *run, struct gt_engine *engine, struct gt_source *source, const struct gt_stats_opts *opts,
                struct gt_stats_totals *totals, struct gt_err *err)
{
    const struct gt_sex_rows *all = gt_source_sex_rows(source);
    int status = GT_OK;
    *totals = (struct gt_stats_totals){0};
    *run = (struct stats_run){.engine = engine,
                              .source = source,
                              .opts = opts,
                              .totals = totals,
                              .has_calls = gt_source_info(source)->has & GT_HAS_CALLS,
                              .ploidy = gt_source_info(source)->ploidy,
                              .who = gt_alloc((size_t)opts->n_groups, sizeof *run->who, err)};
    if (!run->who)
        return GT_FAIL;
    for (int g = 0; g < opts->n_groups && !status; g++) {
        const struct gt_stats_group *group = &opts->groups[g];
        run->who[g] = all && !group->samples ? *all : (struct gt_sex_rows){.n = group->n};
        if (all && group->samples)
            status = gt_sex_rows_choose(&run->who[g], all, group->samples, group->n, err);
    }
    return status;
}

void stats_end(struct stats_run *run)
{
    for (int g = 0; run->who && g < run->opts->n_groups; g++)
        if (run->opts->groups[g].samples)
            gt_sex_rows_release(&run->who[g]);
    free(run->who);
}

static int row_room(struct gt_buf *to, struct gt_budget *budget, int64_t n, struct gt_err *err)
{
    to->budget = budget;
    return gt_buf_resize(to, (size_t)((n + 3) / 4) + GT_KERNEL_PAD, err);
}

/* *row becomes that of the group, in `to` where it is another one. */
static int of_group(const struct stats_row *site, const struct gt_stats_group *group, struct gt_budget *budget, unsigned nothing,
                    const uint8_t **row, struct gt_buf *to, struct gt_err *err)
{
    const bool on_y = site->chrom_class == GT_CHROM_Y;
    if (!*row || (!group->samples && !on_y))
        return GT_OK;
    int status = row_room(to, budget, group->n, err);
    if (!status && group->samples)
        gt_kernels()->gather_samples(*row, group->samples, group->n, to->data);
    if (!status && on_y)
        gt_sex_rows_on_y(site->who, group->samples ? to->data : *row, nothing, to->data);
    *row = to->data;
    return status;
}

int stats_row(const struct stats_run *run, struct stats_scratch *scratch, const struct gt_block *block, int64_t v, int g,
              struct stats_row *row, struct gt_err *err)
{
    const struct gt_stats_group *group = &run->opts->groups[g];
    const struct gt_site *site = gt_block_sites(block) + v;
    struct gt_budget *budget = &run->engine->budget;
    *row = (struct stats_row){
        gt_block_row(block, v), gt_block_hets(block, site), group->n, &run->who[g], (enum gt_chrom_class)site->chrom_class, run->ploidy};
    int status = of_group(row, group, budget, 3, &row->codes, &scratch->codes, err);
    return status ? status : of_group(row, group, budget, 0, &row->hets, &scratch->hets, err);
}

void stats_scratch_release(struct stats_scratch *scratch)
{
    gt_buf_release(&scratch->codes);
    gt_buf_release(&scratch->hets);
    gt_buf_release(&scratch->masked);
}

void stats_count(const struct stats_row *row, int64_t counts[STATS_COUNTS])
{
    int64_t hets[4];
    gt_kernels()->count_codes(row->codes, row->n, counts); /* codes in the order of the first four */
    counts[ALT_ALLELES] = counts[HET] + 2 * counts[HOM_ALT];
    if (row->ploidy == GT_HAPLOID) {
        counts[HOM_ALT] += counts[HET];
        counts[HET] = 0;
    }
    if (!row->hets)
        return;
    gt_kernels()->count_codes(row->hets, row->n, hets);
    counts[HET] += hets[1];
    counts[HOM_ALT] -= hets[1];
}

bool stats_is_collapsed(const struct stats_run *run, const struct gt_site *site)
{
    return run->ploidy != GT_HAPLOID && site->multiallelic && !site->hets && !run->has_calls;
}

static bool is_off_autosomes(const struct gt_block *block, const struct gt_site *site)
{
    return site->contig >= 0 && !gt_contig_is_autosome(gt_strs_get(&block->contigs, (size_t)site->contig));
}

bool stats_is_tested(const struct stats_run *run, const struct gt_block *block, const struct gt_site *site)
{
    return run->ploidy != GT_HAPLOID && !site->multiallelic && (run->opts->all_contigs || !is_off_autosomes(block, site));
}

void stats_totals_of(const struct stats_run *run, const struct gt_block *block, struct gt_stats_totals *totals)
{
    const struct gt_site *sites = gt_block_sites(block);
    *totals = (struct gt_stats_totals){.variants = block->n};
    for (int64_t v = 0; v < block->n; v++) {
        totals->collapsed += stats_is_collapsed(run, &sites[v]);
        totals->off_autosomes += is_off_autosomes(block, &sites[v]);
    }
}

void stats_add_totals(const struct stats_run *run, const struct gt_stats_totals *more)
{
    run->totals->variants += more->variants;
    run->totals->collapsed += more->collapsed;
    run->totals->off_autosomes += more->off_autosomes;
}

/* --- variants ------------------------------------------------------------------------ */

struct variants_run {
    struct stats_run base;
    const struct gt_stats_sink *sink;
};

struct variants_item {
    struct gt_block *block;
    struct stats_scratch scratch;
    struct gt_stats_totals totals;
    struct gt_buf stats, bytes;
};

static int read_block(void *ctx, int64_t task, void *data, struct gt_err *err)
{
    struct variants_run *run = ctx;
    (void)task;
    return gt_source_next(run->base.source, &((struct variants_item *)data)->block, err);
}

/* NaN where there is nothing to test. */
static double hwe_of(const struct gt_sex_site_counts *c, const int64_t n[STATS_COUNTS])
{
    int64_t known = 0;
    if (c->chrom_class == GT_CHROM_AUTOSOME)
        return n[HOM_REF] + n[HET] + n[HOM_ALT] ? gt_hwe_midp(n[HOM_REF], n[HET], n[HOM_ALT]) : NAN;
    for (int code = 0; code < 3; code++)
        known += c->males[code] + c->females[code];
    return c->chrom_class == GT_CHROM_X && known ? gt_sex_hwe_x(c, 2) : NAN;
}

static int count_site(const struct stats_run *run, struct stats_scratch *scratch, const struct stats_row *row, const struct gt_site *site,
                      bool tested, struct gt_site_stats *s, struct gt_err *err)
{
    const struct gt_sex_rule rule = {.ploidy = run->ploidy, .test = tested};
    struct gt_sex_site_counts c;
    int64_t n[STATS_COUNTS];
    int status = row_room(&scratch->masked, &run->engine->budget, row->n, err);
    if (status)
        return status;
    stats_count(row, n);
    gt_sex_count(row->who, &rule, row->chrom_class, row->codes, scratch->masked.data, &c);
    *s = (struct gt_site_stats){.hom_ref = n[HOM_REF],
                                .het = n[HET],
                                .hom_alt = n[HOM_ALT],
                                .missing = c.missing,
                                .alleles_x2 = c.alleles_x2,
                                .alt_alleles_x2 = c.alt_alleles_x2,
                                .collapsed = stats_is_collapsed(run, site),
                                .hwe = tested ? hwe_of(&c, n) : NAN};
    return GT_OK;
}

static int work_variants(void *ctx, int64_t task, void *data, struct gt_err *err)
{
    struct variants_run *run = ctx;
    struct variants_item *item = data;
    const struct gt_block *block = item->block;
    int groups = run->base.opts->n_groups, status;
    (void)task;
    item->stats.budget = item->bytes.budget = &run->base.engine->budget;
    status = gt_buf_resize(&item->stats, (size_t)(block->n * groups) * sizeof(struct gt_site_stats), err);
    for (int64_t v = 0; v < block->n && !status; v++) {
        const struct gt_site *site = gt_block_sites(block) + v;
        const bool tested = stats_is_tested(&run->base, block, site);
        struct stats_row row;
        for (int g = 0; g < groups && !status; g++)
            if ((status = stats_row(&run->base, &item->scratch, block, v, g, &row, err)) == GT_OK)
                status = count_site(&run->base, &item->scratch, &row, site, tested,
                                    (struct gt_site_stats *)item->stats.data + v * groups + g, err);
    }
    stats_totals_of(&run->base, block, &item->totals);
    item->bytes.len = 0;
    return status ? status : run->sink->format(run->sink->ctx, block, (const struct gt_site_stats *)item->stats.data, &item->bytes, err);
}

static int commit_variants(void *ctx, int64_t task, void *data, struct gt_err *err)
{
    struct variants_run *run = ctx;
    struct variants_item *item = data;
    (void)task;
    stats_add_totals(&run->base, &item->totals);
    gt_source_done(run->base.source, item->block);
    return run->sink->write(run->sink->ctx, &item->bytes, err);
}

static void release_variants(void *ctx, void *data)
{
    struct variants_item *item = data;
    (void)ctx;
    stats_scratch_release(&item->scratch);
    gt_buf_release(&item->stats);
    gt_buf_release(&item->bytes);
}

static int64_t site_bytes(const struct gt_stats_opts *opts, int64_t text_bytes)
{
    return gt_bytes_mul(opts->n_groups, (int64_t)sizeof(struct gt_site_stats) + 2 * text_bytes);
}

void gt_stats_share(struct gt_allotment *allotment, const struct gt_engine *engine, const struct gt_geno_info *info,
                    const struct gt_stats_opts *opts, int64_t text_bytes)
{
    enum { SOME = 1024 };
    int64_t one = stats_samples_bytes(opts), most = one;
    if (text_bytes) {
        one = gt_bytes_mul(info->read_block < SOME ? info->read_block : SOME, site_bytes(opts, text_bytes));
        most = gt_bytes_mul(info->read_block, site_bytes(opts, text_bytes));
    }
    one = gt_bytes_add(one, info->n_samples + 4096);
    most = gt_bytes_add(most, info->n_samples + 4096);
    *allotment = (struct gt_allotment){.name = "counting", .minimum = one, .preferred = gt_bytes_mul(engine->limits.threads + 1, most)};
}

int gt_stats_variants(struct gt_engine *engine, struct gt_source *source, const struct gt_stats_opts *opts,
                      const struct gt_stats_sink *sink, struct gt_stats_totals *totals, struct gt_err *err)
{
    static const struct gt_flow_ops ops = {.name = "stats",
                                           .read_name = "collect",
                                           .work_name = "count",
                                           .item_size = sizeof(struct variants_item),
                                           .read = read_block,
                                           .work = work_variants,
                                           .release = release_variants};
    const struct gt_flow_opts how = {.tasks = -1,
                                     .readers = 1,
                                     .task_bytes = (size_t)(opts->memory / (engine->limits.threads + 1)),
                                     .memory = opts->memory,
                                     .max_items = engine->limits.threads + 1};
    struct variants_run run = {.sink = sink};
    int status = stats_begin(&run.base, engine, source, opts, totals, err);
    status = status ? status : gt_flow_run(engine, &ops, &how, &run, commit_variants, err);
    stats_end(&run.base);
    return status;
}
