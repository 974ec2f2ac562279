/* Passes that are made before the first one: how many variants there are, and --mind. */
#include "config.h"

#include <stdlib.h>

#include "core/base/mem.h"
#include "geno/samples/sex.h"
#include "geno/source/source_internal.h"
#include "kernels/kernels.h"

/* Of --mind: missing calls of each output sample, those on Y apart. */
struct missing {
    uint32_t *elsewhere, *on_y;
    int64_t sites_on_y;
    const struct gt_sexes *sexes; /* NULL: sites do not depend on sex */
};

static bool is_on_y(const struct gt_block *block, int64_t v)
{
    return gt_sexes_chrom_class_named(gt_site_contig(block, &gt_block_sites(block)[v])) == GT_CHROM_Y;
}

static void count_missing(const struct gt_block *block, int64_t n_samples, struct missing *m)
{
    for (int64_t v = 0, end; v < block->n; v = end) {
        const bool on_y = m->sexes && is_on_y(block, v);
        end = m->sexes ? v + 1 : block->n;
        while (end < block->n && gt_block_sites(block)[end].contig == gt_block_sites(block)[v].contig)
            end++;
        gt_kernels()->add_missing(block->rows.data + (size_t)v * block->stride, block->stride, end - v, n_samples,
                                  on_y ? m->on_y : m->elsewhere);
        m->sites_on_y += on_y ? end - v : 0;
    }
}

/* Reads all that the filters let through, on the chain without the stages of the consumer: *sites of them; missing may be NULL. */
static int count_pass(struct gt_concat *c, struct missing *missing, int64_t *sites, struct gt_err *err)
{
    struct gt_start start = {.fields = GT_SITE_NONE, .memory = c->start.memory};
    const struct gt_start consumer = c->start;
    struct gt_stage *last;
    struct gt_block *block;
    *sites = 0;
    int status = gt_chain_build(&last, c, missing ? GT_CHAIN_MIND : GT_CHAIN_COUNT, err);
    if (status)
        return status;
    status = last->ops->start(last, &start, err);
    while (!status && (status = last->ops->next(last, &block, err)) == 0) {
        if (missing)
            count_missing(block, c->tables.info.n_samples, missing);
        *sites += block->n;
        gt_stage_release(block);
    }
    last->ops->stop(last);
    gt_chain_close(last, &c->stage);
    c->start = consumer;
    return status == GT_END ? gt_concat_check_restart(c, err) : status;
}

int gt_concat_count_variants(struct gt_concat *c, struct gt_err *err)
{
    bool unknown = false;
    int64_t sites;
    for (int i = 0; i < c->n; i++)
        unknown |= c->segment[i]->sites < 0;
    if (!unknown || !gt_filter_needs_total(c->segment[0]->filter))
        return 0;
    return count_pass(c, NULL, &sites, err);
}

int gt_concat_count_thin(struct gt_concat *c, struct gt_err *err)
{
    const int64_t known = c->select.rm_dup || c->select.bp_space ? -1 : c->tables.info.n_variants;
    c->select.thin_total = known;
    return !c->select.thin_count || known >= 0 ? GT_OK : count_pass(c, NULL, &c->select.thin_total, err);
}

/* Y tells nothing of those who are no males. */
static double rate_of(const struct missing *m, int64_t output, int64_t input, int64_t sites)
{
    const bool y = !m->sexes || gt_sexes_is_male(m->sexes, input);
    const int64_t n = m->elsewhere[output] + (y ? m->on_y[output] : 0), of = sites - (y ? 0 : m->sites_on_y);
    return of ? (double)n / (double)of : 0;
}

static int apply_mind(struct gt_concat *c, const struct missing *missing, int64_t sites, struct gt_err *err)
{
    double *rates = gt_alloc((size_t)c->stage.stats.samples_in, sizeof *rates, err);
    struct gt_select_stats others = {0};
    int64_t n;
    if (!rates)
        return GT_FAIL;
    const uint32_t *chosen = gt_filter_samples(c->segment[0]->filter, &n);
    for (int64_t i = 0; i < n; i++) {
        const int64_t input = chosen ? chosen[i] : i;
        rates[input] = rate_of(missing, i, input, sites);
    }
    int status = gt_concat_make_filters(c, false, err);
    for (int i = 0; i < c->n && !status; i++)
        status = gt_filter_mind(c->segment[i]->filter, rates, i ? &others : &c->stage.stats, err);
    free(rates);
    return status;
}

int gt_concat_drop_samples(struct gt_concat *c, struct gt_err *err)
{
    if (c->select.mind < 0)
        return 0;
    int64_t sites;
    int status = gt_concat_make_filters(c, true, err);
    if (status || (status = gt_concat_set_samples(c, err)))
        return status;
    struct missing missing = {gt_alloc((size_t)c->tables.info.n_samples, sizeof(uint32_t), err),
                              gt_alloc((size_t)c->tables.info.n_samples, sizeof(uint32_t), err), 0, gt_concat_sexes(c)};
    status = missing.elsewhere && missing.on_y ? count_pass(c, &missing, &sites, err) : GT_FAIL;
    if (!status)
        status = apply_mind(c, &missing, sites, err);
    free(missing.elsewhere);
    free(missing.on_y);
    return status;
}
