/* Genotypes of a row group drawn on a device, without linkage: the cpu draws frequencies, which need libm. */
#include "calc/sim/sim_internal.h"

#include <stdlib.h>

#include "core/base/mem.h"
#include "core/base/size.h"
#include "core/engine/memory_plan.h"
#include "kernels/device/random.h"

/* What one thread has on the device. */
struct gt_sim_on_device {
    struct gt_device *device;
    struct gt_stream *stream;
    struct gt_device_buf rows, thresholds, population;
    struct gt_buf above; /* uint32_t [variants][populations][3]: copied to thresholds */
};

const char *gt_sim_no_device(const struct gt_sim_opts *opts)
{
    return opts->spectrum == GT_SIM_GROWTH_SPECTRUM ? "--spectrum growth" : opts->ld ? "--ld" : NULL;
}

void gt_sim_use_device(struct gt_sim *sim, struct gt_device *device)
{
    sim->device = device;
}

static int64_t threshold_bytes(const struct gt_sim *sim, int64_t n)
{
    return gt_bytes_mul(n, sim->o.pops * 3 * (int64_t)sizeof(uint32_t));
}

size_t gt_sim_device_bytes(const struct gt_sim *sim, int64_t n)
{
    return (size_t)threshold_bytes(sim, n);
}

struct gt_device_work gt_sim_device_work(const struct gt_sim *sim, int threads)
{
    const int64_t n = gt_sim_row_group(sim), row = (int64_t)sim->stride, samples = sim->o.samples * (int64_t)sizeof(uint16_t);
    const int64_t thread = gt_bytes_add(gt_bytes_mul(n, row), gt_bytes_add(threshold_bytes(sim, n), samples));
    const double genotypes = (double)sim->o.samples * (double)sim->o.variants, cpu_rate = 1.5e9, operations = 40;
    return (struct gt_device_work){.cpu_seconds = genotypes / (cpu_rate * threads),
                                   .scalar = genotypes * operations,
                                   .bus_bytes = genotypes / 4,
                                   .minimum = gt_bytes_mul(thread, threads),
                                   .preferred = gt_bytes_mul(thread, 2 * threads + 2)};
}

static int upload(struct gt_sim_on_device *on, struct gt_device_buf *to, const struct gt_buf *from, struct gt_err *err)
{
    const struct gt_device_ops *ops = on->device->ops;
    int status = to->bytes < from->len ? gt_device_alloc(to, on->device, from->len, err) : GT_OK;
    if (status)
        return status;
    return gt_device_status(on->device, ops->copy_to(on->stream, to->data, from->data, from->len), "copying thresholds", err);
}

/* Which population each sample is of; waits until it is there. */
static int upload_populations(const struct gt_sim *sim, struct gt_sim_on_device *on, struct gt_err *err)
{
    struct gt_buf population = {.budget = on->above.budget};
    int status = gt_buf_resize(&population, (size_t)sim->o.samples * sizeof(uint16_t), err);
    for (int64_t k = 0; k < sim->o.pops && !status; k++)
        for (int64_t s = gt_sim_pop_first(sim, k); s < gt_sim_pop_first(sim, k + 1); s++)
            ((uint16_t *)(void *)population.data)[s] = (uint16_t)k;
    if (!status)
        status = upload(on, &on->population, &population, err);
    if (on->stream) {
        const int code = on->device->ops->stream_wait(on->stream);
        status = status ? status : gt_device_status(on->device, code, "copying populations", err);
    }
    gt_buf_release(&population);
    return status;
}

static int begin(const struct gt_sim *sim, struct gt_sim_room *room, struct gt_err *err)
{
    struct gt_sim_on_device *on = room->on_device = gt_alloc(1, sizeof *on, err);
    if (!on)
        return GT_FAIL;
    on->device = sim->device;
    on->above.budget = room->freq.budget;
    const int status = gt_device_stream_plain(on->device, "genotypes", &on->stream, err);
    return status ? status : upload_populations(sim, on, err);
}

static int draw_thresholds(const struct gt_sim *sim, int64_t first, int64_t n, struct gt_sim_room *room, struct gt_err *err)
{
    struct gt_buf *above = &room->on_device->above;
    double *freq = gt_buf_f64(&room->freq);
    int status = gt_buf_resize(above, (size_t)threshold_bytes(sim, n), err);
    for (int64_t i = 0; i < n && !status; i++) {
        struct gt_sim_site site;
        gt_sim_site(sim, first + i, &site);
        gt_sim_drift(sim, first + i, site.p, freq);
        for (int64_t k = 0; k < sim->o.pops; k++)
            gt_sim_thresholds(freq[k], gt_buf_u32(above) + 3 * (i * sim->o.pops + k));
    }
    return status;
}

int gt_sim_device_rows(const struct gt_sim *sim, int64_t first, int64_t n, struct gt_sim_room *room, uint8_t *rows, struct gt_err *err)
{
    const size_t bytes = (size_t)n * sim->stride;
    int status = room->on_device ? GT_OK : begin(sim, room, err);
    struct gt_sim_on_device *on = room->on_device;
    if (!status)
        status = draw_thresholds(sim, first, n, room, err);
    if (!status)
        status = upload(on, &on->thresholds, &on->above, err);
    if (!status && on->rows.bytes < bytes)
        status = gt_device_alloc(&on->rows, on->device, bytes, err);
    if (status)
        return status;
    const struct gt_device_ops *ops = on->device->ops;
    const struct gt_device_sim_codes_args args = {.key = {sim->key[0], sim->key[1]},
                                                  .first = (uint64_t)first,
                                                  .bytes = (int64_t)sim->stride,
                                                  .samples = sim->o.samples,
                                                  .populations = sim->o.pops,
                                                  .purpose = GT_SIM_GENOTYPE,
                                                  .missing_purpose = GT_SIM_MISSING,
                                                  .missing_above = sim->o.missing > 0 ? gt_sim_above(1 - sim->o.missing) : UINT32_MAX,
                                                  .thresholds = on->thresholds.data,
                                                  .population = on->population.data,
                                                  .rows = on->rows.data};
    int code = ops->launch(on->stream, "sim_codes", (int64_t)bytes, &args, sizeof args);
    if (!code)
        code = ops->copy_from(on->stream, rows, on->rows.data, bytes);
    const int waited = ops->stream_wait(on->stream); /* also where the copy failed: nothing writes to rows afterwards */
    return gt_device_status(on->device, code ? code : waited, "drawing genotypes", err);
}

void gt_sim_on_device_free(struct gt_sim_on_device *on)
{
    if (!on)
        return;
    if (on->stream)
        on->device->ops->stream_free(on->stream);
    gt_device_release(&on->rows);
    gt_device_release(&on->thresholds);
    gt_device_release(&on->population);
    gt_buf_release(&on->above);
    free(on);
}
