/* Genotypes of a row group of variants. */
#include "calc/sim/sim_internal.h"

#include <math.h>
#include <string.h>

#include "core/base/size.h"
#include "kernels/kernels.h"

uint32_t gt_sim_above(double c)
{
    double x = nearbyint(c * 0x1p32);
    return x < 1 ? 0 : x >= 0x1p32 ? UINT32_MAX : (uint32_t)x - 1;
}

void gt_calls_init(struct gt_calls *calls, struct gt_sim_room *room, struct gt_budget *budget)
{
    memset(calls, 0, sizeof *calls);
    memset(room, 0, sizeof *room);
    gt_block_init(&calls->block, budget);
    calls->phase.budget = calls->second.budget = room->freq.budget = room->copies.budget = room->tree.budget = budget;
}

void gt_calls_release(struct gt_calls *calls, struct gt_sim_room *room)
{
    gt_block_release(&calls->block);
    gt_buf_release(&calls->phase);
    gt_buf_release(&calls->second);
    gt_buf_release(&room->freq);
    gt_buf_release(&room->copies);
    gt_buf_release(&room->tree);
    gt_sim_on_device_free(room->on_device);
}

/* codes of samples [first, first + n) under one draw each. */
static void codes(const struct gt_sim *sim, int64_t variant, uint32_t purpose, int64_t first, int64_t n, const uint32_t above[3],
                  uint8_t *row)
{
    const uint32_t counter[3] = {(uint32_t)variant, (uint32_t)((uint64_t)variant >> 32), purpose};
    gt_kernels()->sim_codes(sim->key, counter, first, n, above, row);
}

/* Two draws with each population's frequency. */
static void plain_row(const struct gt_sim *sim, int64_t variant, const double *freq, uint8_t *row)
{
    row[sim->stride - 1] = 0;
    for (int64_t k = 0; k < sim->o.pops; k++) {
        int64_t first = gt_sim_pop_first(sim, k);
        uint32_t above[3];
        gt_sim_thresholds(freq[k], above);
        codes(sim, variant, GT_SIM_GENOTYPE, first, gt_sim_pop_first(sim, k + 1) - first, above, row);
    }
}

static void plain_phase(const struct gt_sim *sim, int64_t variant, uint8_t *phase)
{
    const uint32_t above[3] = {gt_sim_above(0.5), UINT32_MAX, UINT32_MAX};
    phase[sim->stride - 1] = 0;
    codes(sim, variant, GT_SIM_PHASE, 0, sim->o.samples, above, phase);
}

/* Missing calls over a row; scratch is a row.  They have a draw of their own, so that all other calls are those of a simulation without
 * missing ones. */
static void add_missing(const struct gt_sim *sim, int64_t variant, uint8_t *row, uint8_t *scratch)
{
    uint32_t t = gt_sim_above(1 - sim->o.missing);
    const uint32_t above[3] = {t, t, t};

    scratch[sim->stride - 1] = 0;
    codes(sim, variant, GT_SIM_MISSING, 0, sim->o.samples, above, scratch);
    for (size_t i = 0; i < sim->stride; i++)
        row[i] |= scratch[i];
}

static void second_alts(const struct gt_sim *sim, int64_t variant, double x, uint8_t *second)
{
    const uint32_t above[3] = {gt_sim_above((1 - x) * (1 - x)), gt_sim_above(1 - x), gt_sim_above(1 - x * x)};
    second[sim->stride - 1] = 0;
    codes(sim, variant, GT_SIM_SECOND, 0, sim->o.samples, above, second);
}

static int reserve(const struct gt_sim *sim, int64_t n, unsigned what, struct gt_calls *calls, struct gt_sim_room *room, struct gt_err *err)
{
    size_t rows;
    int status;

    if (!gt_mul_size(sim->stride, (size_t)n, &rows))
        return gt_fail(err, GT_NOFIT, "a row group of %lld variants is too large", (long long)n);
    (void)((status = gt_buf_resize(&calls->block.rows, rows + GT_KERNEL_PAD, err)) ||
           (status = gt_buf_resize(&calls->phase, what & GT_CALLS_PHASE ? rows : 0, err)) ||
           (status = gt_buf_resize(&calls->second, what & GT_CALLS_ALTS ? rows : 0, err)) ||
           (status = gt_buf_resize(&room->freq, (size_t)sim->o.pops * sizeof(double) + sim->stride, err)));
    return status;
}

/* What each of the models sets up for variant `first`. */
static int begin(const struct gt_sim *sim, int64_t first, struct gt_sim_room *room, struct gt_err *err)
{
    if (sim->o.spectrum == GT_SIM_GROWTH_SPECTRUM)
        return gt_sim_tree_begin(sim, first, room, err);
    return sim->o.ld ? gt_sim_copy_begin(sim, first, room, err) : GT_OK;
}

/* One row of genotypes; phase: NULL where it is not asked for. */
static void make_row(const struct gt_sim *sim, int64_t variant, const struct gt_sim_site *site, struct gt_sim_room *room, uint8_t *row,
                     uint8_t *phase)
{
    double *freq = (double *)room->freq.data;
    if (sim->o.spectrum == GT_SIM_GROWTH_SPECTRUM) {
        gt_sim_tree_row(sim, variant, room, row, phase);
    } else {
        gt_sim_drift(sim, variant, site->p, freq);
        if (sim->o.ld)
            gt_sim_copy_row(sim, variant, site, room, row, phase);
        else
            plain_row(sim, variant, freq, row);
    }
    if (!sim->o.ld && phase)
        plain_phase(sim, variant, phase);
    if (sim->o.missing > 0)
        add_missing(sim, variant, row, (uint8_t *)(freq + sim->o.pops));
}

int gt_sim_generate(const struct gt_sim *sim, int64_t first, int64_t n, unsigned fields, unsigned what, struct gt_calls *calls,
                    struct gt_sim_room *room, struct gt_err *err)
{
    struct gt_block *block = &calls->block;
    struct gt_sim_site site;
    int status;

    gt_block_clear(block);
    if ((status = reserve(sim, n, what, calls, room, err)) || (status = gt_sim_sites(sim, first, n, fields, block, err)) ||
        (status = begin(sim, first, room, err)))
        return status;
    block->first = first;
    block->n = n;
    block->stride = sim->stride;
    if (sim->device && (status = gt_sim_device_rows(sim, first, n, room, block->rows.data, err)))
        return status;
    for (int64_t i = 0; i < n; i++) {
        size_t at = (size_t)i * sim->stride;
        uint8_t *row = block->rows.data + at, *phase = what & GT_CALLS_PHASE ? calls->phase.data + at : NULL;
        gt_sim_site(sim, first + i, &site);
        if (!sim->device)
            make_row(sim, first + i, &site, room, row, phase);
        else if (phase)
            plain_phase(sim, first + i, phase);
        if (what & GT_CALLS_ALTS) {
            if (site.multiallelic)
                second_alts(sim, first + i, site.second, calls->second.data + at);
            else
                memset(calls->second.data + at, 0, sim->stride);
        }
    }
    memset(block->rows.data + sim->stride * (size_t)n, 0, GT_KERNEL_PAD);
    return 0;
}
