#include "calc/stats.h"

#include <math.h>
#include <string.h>

#include "calc/stats_impl.h"
#include "engine/flow.h"
#include "geno/contigs.h"
#include "geno/hwe.h"
#include "kernels/kernels.h"

/* --- what both share --------------------------------------------------------------- */

static int gather(struct gt_buf *to, struct gt_budget *budget, const uint8_t *row, const struct gt_stats_group *group, struct gt_err *err)
{
    to->budget = budget;
    int status = gt_buf_resize(to, (size_t)((group->n + 3) / 4) + GT_KERNEL_PAD, err);
    if (!status)
        gt_kernels()->gather_samples(row, group->samples, group->n, to->data);
    return status;
}

int stats_row(const struct stats_run *run, struct stats_scratch *scratch, const struct gt_block *block, int64_t v, int g,
              struct stats_row *row, struct gt_err *err)
{
    const struct gt_stats_group *group = &run->opts->groups[g];
    int status = GT_OK;
    *row = (struct stats_row){gt_block_row(block, v), gt_block_hets(block, gt_block_sites(block) + v), group->n};
    if (!group->samples)
        return GT_OK;
    status = gather(&scratch->codes, &run->engine->budget, row->codes, group, err);
    row->codes = scratch->codes.data;
    if (status || !row->hets)
        return status;
    status = gather(&scratch->hets, &run->engine->budget, row->hets, group, err);
    row->hets = scratch->hets.data;
    return status;
}

void stats_scratch_release(struct stats_scratch *scratch)
{
    gt_buf_release(&scratch->codes);
    gt_buf_release(&scratch->hets);
}

void stats_count(const struct stats_row *row, int64_t counts[STATS_COUNTS])
{
    int64_t hets[4];
    gt_kernels()->count_codes(row->codes, row->n, counts); /* codes in the order of the first four */
    counts[ALT_ALLELES] = counts[HET] + 2 * counts[HOM_ALT];
    if (!row->hets)
        return;
    gt_kernels()->count_codes(row->hets, row->n, hets);
    counts[HET] += hets[1];
    counts[HOM_ALT] -= hets[1];
}

bool stats_is_collapsed(const struct stats_run *run, const struct gt_site *site)
{
    return site->multiallelic && !site->hets && !run->has_calls;
}

static bool is_off_autosomes(const struct gt_block *block, const struct gt_site *site)
{
    return site->contig >= 0 && !gt_contig_is_autosome(gt_strs_get(&block->contigs, (size_t)site->contig));
}

bool stats_is_tested(const struct stats_run *run, const struct gt_block *block, const struct gt_site *site)
{
    return !site->multiallelic && (run->opts->all_contigs || !is_off_autosomes(block, site));
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

static int read_block(void *ctx, int64_t ticket, void *data, struct gt_err *err)
{
    struct variants_run *run = ctx;
    (void)ticket;
    return gt_source_next(run->base.source, &((struct variants_item *)data)->block, err);
}

static void count_site(const struct stats_row *row, bool collapsed, bool tested, struct gt_site_stats *s)
{
    int64_t n[STATS_COUNTS];
    stats_count(row, n);
    *s = (struct gt_site_stats){n[HOM_REF], n[HET], n[HOM_ALT], n[MISSING], n[ALT_ALLELES], collapsed, NAN};
    if (tested && n[MISSING] < row->n)
        s->hwe = gt_hwe_midp(n[HOM_REF], n[HET], n[HOM_ALT]);
}

static int work_variants(void *ctx, int64_t ticket, void *data, struct gt_err *err)
{
    struct variants_run *run = ctx;
    struct variants_item *item = data;
    const struct gt_block *block = item->block;
    int groups = run->base.opts->n_groups, status;
    (void)ticket;
    item->stats.budget = item->bytes.budget = &run->base.engine->budget;
    status = gt_buf_resize(&item->stats, (size_t)(block->n * groups) * sizeof(struct gt_site_stats), err);
    for (int64_t v = 0; v < block->n && !status; v++) {
        const struct gt_site *site = gt_block_sites(block) + v;
        bool collapsed = stats_is_collapsed(&run->base, site), tested = stats_is_tested(&run->base, block, site);
        struct stats_row row;
        for (int g = 0; g < groups && !status; g++)
            if ((status = stats_row(&run->base, &item->scratch, block, v, g, &row, err)) == GT_OK)
                count_site(&row, collapsed, tested, (struct gt_site_stats *)item->stats.data + v * groups + g);
    }
    stats_totals_of(&run->base, block, &item->totals);
    item->bytes.len = 0;
    return status ? status : run->sink->format(run->sink->ctx, block, (const struct gt_site_stats *)item->stats.data, &item->bytes, err);
}

static int commit_variants(void *ctx, int64_t ticket, void *data, struct gt_err *err)
{
    struct variants_run *run = ctx;
    struct variants_item *item = data;
    (void)ticket;
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

void gt_stats_share(struct gt_share *share, const struct gt_engine *engine, const struct gt_source_info *info,
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
    *share = (struct gt_share){.name = "counting", .least = one, .wanted = gt_bytes_mul(engine->limits.threads + 1, most)};
}

int gt_stats_variants(struct gt_engine *engine, struct gt_source *source, const struct gt_stats_opts *opts,
                      const struct gt_stats_sink *sink, struct gt_stats_totals *totals, struct gt_err *err)
{
    static const struct gt_flow_ops ops = {.name = "stats",
                                           .read_name = "next",
                                           .work_name = "count",
                                           .item_size = sizeof(struct variants_item),
                                           .read = read_block,
                                           .work = work_variants,
                                           .release = release_variants};
    const struct gt_flow_opts how = {.tickets = -1,
                                     .readers = 1,
                                     .ticket_bytes = (size_t)(opts->memory / (engine->limits.threads + 1)),
                                     .memory = opts->memory,
                                     .max_items = engine->limits.threads + 1};
    struct variants_run run = {{engine, source, opts, totals, gt_source_info(source)->has & GT_HAS_CALLS}, sink};
    *totals = (struct gt_stats_totals){0};
    return gt_flow_run(engine, &ops, &how, &run, commit_variants, err);
}
