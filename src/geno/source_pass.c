/* Passes over a source before the first one: how many variants there are, and --mind. */
#include "config.h"

#include <stdlib.h>

#include "base/mem.h"
#include "geno/source_impl.h"
#include "kernels/kernels.h"

/* Reads all that the filters let through: *sites of them; missing: one an output
 * sample, or NULL. */
static int count_pass(struct gt_source *source, uint32_t *missing, int64_t *sites, struct gt_err *err)
{
    struct gt_block *block;
    unsigned fields = source->fields;
    int status;
    source->fields = source->n > 1 ? GT_SITE_POS : GT_SITE_NONE;
    source->counting = true;
    gt_source_begin_pass(source);
    while ((status = gt_source_next(source, &block, err)) == 0) {
        if (missing)
            gt_kernels()->add_missing(block->rows.data, block->stride, block->n, source->info.n_samples, missing);
        gt_source_done(source, block);
    }
    *sites = source->delivered;
    source->fields = fields;
    source->counting = false;
    return status == GT_END ? gt_source_rewind(source, err) : status;
}

int gt_source_total(struct gt_source *source, int64_t *total, struct gt_err *err)
{
    int64_t sites;
    bool known = true;
    int status = 0;
    for (int i = 0; i < source->n; i++)
        known &= source->pieces[i].sites >= 0;
    source->from = 0;
    source->to = INT64_MAX;
    if (!known)
        status = count_pass(source, NULL, &sites, err);
    *total = 0;
    for (int i = 0; i < source->n && !status; i++)
        *total += source->pieces[i].sites;
    return status;
}

int gt_source_count_variants(struct gt_source *source, struct gt_err *err)
{
    bool unknown = false;
    int64_t sites;
    for (int i = 0; i < source->n; i++)
        unknown |= source->pieces[i].sites < 0;
    if (!unknown || !gt_filter_needs_total(source->pieces[0].filter))
        return 0;
    return count_pass(source, NULL, &sites, err);
}

static int apply_mind(struct gt_source *source, const uint32_t *by_output, int64_t sites, struct gt_err *err)
{
    uint32_t *by_input = gt_alloc((size_t)source->stats.samples_in, sizeof *by_input, err);
    struct gt_select_stats others = {0};
    int64_t n;
    if (!by_input)
        return GT_FAIL;
    const uint32_t *chosen = gt_filter_samples(source->pieces[0].filter, &n);
    for (int64_t i = 0; i < n; i++)
        by_input[chosen ? chosen[i] : i] = by_output[i];
    int status = gt_source_make_filters(source, false, err);
    for (int i = 0; i < source->n && !status; i++)
        status = gt_filter_mind(source->pieces[i].filter, by_input, sites, i ? &others : &source->stats, err);
    free(by_input);
    return status;
}

int gt_source_drop_samples(struct gt_source *source, struct gt_err *err)
{
    if (source->select.mind < 0)
        return 0;
    int64_t sites;
    int status = gt_source_make_filters(source, true, err);
    if (status || (status = gt_source_set_samples(source, err)))
        return status;
    uint32_t *missing = gt_alloc((size_t)source->info.n_samples, sizeof *missing, err);
    status = missing ? count_pass(source, missing, &sites, err) : GT_FAIL;
    if (!status)
        status = apply_mind(source, missing, sites, err);
    free(missing);
    return status;
}
