/* What listed sites add to planes with per-site weights. */
#include <stdlib.h>

#include "calc/pairs/acc_geno.h"

/* --- of a block ----------------------------------------------------------------- */

static struct gt_cpu_listed_weights *weights_of(const struct gt_cpu_carriers *lists, int k)
{
    return (struct gt_cpu_listed_weights *)(void *)lists->weights[k].data;
}

/* What two codes add, as doubles of the tables that planes give. */
static void make_weights(int64_t t[4][4], int major, struct gt_cpu_listed_weights *to)
{
    const int code[GT_CARRIER_KINDS] = {[GT_CARRIER_HET] = 1, [GT_CARRIER_HOM] = 2 - major, [GT_CARRIER_MISSING] = 3};
    *to = (struct gt_cpu_listed_weights){.most = 2 * t[major][major], .most_size = gt_cpu_weight_size(t, major)};
    for (int x = 0; x < GT_CARRIER_KINDS; x++) {
        to->alone[0][x] = 2 * (t[code[x]][major] - t[major][major]);
        to->alone[1][x] = 2 * (t[major][code[x]] - t[major][major]);
        to->size[x] = gt_cpu_weight_size(t, code[x]) - to->most_size;
        for (int y = 0; y < GT_CARRIER_KINDS; y++) {
            to->pair[x][y] = 2 * (t[code[x]][code[y]] - t[code[x]][major] - t[major][code[y]] + t[major][major]);
            to->any[x] |= to->pair[x][y] != 0;
        }
    }
}

int gt_cpu_list_weights(const struct gt_cpu_acc *acc, const struct gt_rows *rows, struct gt_cpu_carriers *lists, struct gt_err *err)
{
    const struct gt_cpu_listed *sites = (const struct gt_cpu_listed *)(const void *)lists->sites.data;
    for (int k = 0; k < acc->base.setup.n_planes; k++) {
        const struct gt_plane *plane = acc->weighed[k].plane;
        if (!plane)
            continue;
        const int status = gt_buf_reserve(&lists->weights[k], (size_t)lists->n * sizeof(struct gt_cpu_listed_weights), err);
        if (status)
            return status;
        for (int64_t s = 0; s < lists->n; s++) {
            int64_t counts[4], t[4][4] = {{0}};
            acc->kernels->count_codes((const uint8_t *)rows->data + sites[s].row * rows->stride, acc->base.setup.n_samples, counts);
            plane->terms(plane, counts, t);
            make_weights(t, sites[s].alt ? 2 : 0, weights_of(lists, k) + s);
        }
    }
    return GT_OK;
}

/* --- sums --------------------------------------------------------------------------- */

static void add_row(int64_t *sums, int64_t at, const uint32_t *carriers, int64_t n, const int64_t add[GT_CARRIER_KINDS])
{
    for (int64_t k = 0; k < n; k++) {
        int64_t *to = &sums[at + (carriers[k] >> 2)];
        *to = (int64_t)((uint64_t)*to + (uint64_t)add[carriers[k] & 3]);
    }
}

void gt_cpu_add_listed_weights(struct gt_cpu_acc *acc, const struct gt_cpu_carriers *lists, int k, int64_t a)
{
    const struct gt_cpu_listed *sites = (const struct gt_cpu_listed *)(const void *)lists->sites.data;
    const struct gt_cpu_carrier_rows *rows = (const struct gt_cpu_carrier_rows *)(const void *)lists->rows.data;
    const uint32_t *start = (const uint32_t *)(const void *)lists->panel_start.data + (a - acc->panels.row0);
    const uint32_t *carriers = (const uint32_t *)(const void *)lists->carriers.data;
    const int64_t at = gt_cpu_row_of_tiles(acc, a);
    for (uint32_t r = start[0]; r < start[1]; r++) {
        const struct gt_cpu_listed *site = &sites[rows[r].site];
        const struct gt_cpu_listed_weights *weights = weights_of(lists, k) + rows[r].site;
        const uint32_t first = rows[r].first, from = first > site->column ? first : site->column;
        for (uint32_t c = first; c < site->end && GT_CARRIER_PANEL(carriers[c]) == a && from < site->end_column; c++)
            if (weights->any[carriers[c] & 3])
                add_row(gt_cpu_i64(&acc->weighed[k].sums), at + GT_CARRIER_LANE(carriers[c]) * GT_PANEL, carriers + from,
                        site->end_column - from, weights->pair[carriers[c] & 3]);
    }
}

static void add_wrapped(int64_t *to, int64_t more)
{
    *to = (int64_t)((uint64_t)*to + (uint64_t)more);
}

/* Of all carriers of a site, alone. */
static void add_carriers(struct gt_cpu_weighed *sum, const struct gt_cpu_listed *site, const uint32_t *carriers,
                         const struct gt_cpu_listed_weights *weights)
{
    const bool sided = sum->plane->sided;
    for (uint32_t c = site->first; c < site->end; c++) {
        const int64_t s = GT_CARRIER_SAMPLE(carriers[c]);
        const int kind = carriers[c] & 3;
        for (int side = 0; side <= sided; side++)
            add_wrapped(gt_cpu_i64(&sum->alone[side]) + s, weights->alone[side][kind]);
        gt_cpu_i64(&sum->size)[s] += weights->size[kind];
    }
}

void gt_cpu_add_listed_samples(struct gt_cpu_acc *acc, const struct gt_cpu_carriers *lists)
{
    const struct gt_cpu_listed *sites = (const struct gt_cpu_listed *)(const void *)lists->sites.data;
    for (int k = 0; k < acc->base.setup.n_planes; k++) {
        struct gt_cpu_weighed *sum = &acc->weighed[k];
        int64_t size = 0;
        for (int64_t s = 0; s < lists->n && sum->plane; s++) {
            const struct gt_cpu_listed_weights *weights = weights_of(lists, k) + s;
            add_carriers(sum, &sites[s], (const uint32_t *)(const void *)lists->carriers.data, weights);
            sum->sites += (uint64_t)weights->most;
            size += weights->most_size;
        }
        for (int64_t s = 0; s < acc->n && size; s++)
            gt_cpu_i64(&sum->size)[s] += size;
    }
}
