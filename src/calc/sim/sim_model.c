/* The model's options, and how samples and variants are dealt out. */
#include "calc/sim/sim_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/mem.h"
#include "core/base/size.h"
#include "core/engine/memory_plan.h"

/* Where part k of `parts` starts when n things are dealt out in runs. */
static int64_t deal(int64_t n, int64_t parts, int64_t k)
{
    int64_t rest = n % parts;
    return k * (n / parts) + (k < rest ? k : rest);
}

static int check_count(int64_t value, int64_t most, const char *option, struct gt_err *err)
{
    if (value < 1)
        return gt_fail(err, GT_USAGE, "--%s must be at least 1", option);
    if (value > most)
        return gt_fail(err, GT_USAGE, "--%s %lld is too large: at most %lld", option, (long long)value, (long long)most);
    return 0;
}

static int check(const struct gt_sim_opts *o, struct gt_err *err)
{
    int status;

    if ((status = check_count(o->samples, GT_SIM_MAX_SAMPLES, "samples", err)) ||
        (status = check_count(o->variants, GT_SIM_MAX_VARIANTS, "variants", err)) ||
        (status = check_count(o->pops, GT_SIM_MAX_POPS, "pops", err)) ||
        (status = check_count(o->contigs, GT_SIM_MAX_CONTIGS, "contigs", err)))
        return status;
    if (o->pops > o->samples)
        return gt_fail(err, GT_USAGE, "--pops %lld is more than --samples %lld", (long long)o->pops, (long long)o->samples);
    if (o->contigs > o->variants)
        return gt_fail(err, GT_USAGE, "--contigs %lld is more than --variants %lld", (long long)o->contigs, (long long)o->variants);
    if (gt_ceil_div(o->variants, o->contigs) > INT32_MAX - GT_SIM_BIN) {
        gt_fail(err, GT_USAGE, "%lld variants a contig do not fit 31-bit positions", (long long)gt_ceil_div(o->variants, o->contigs));
        gt_hint(err, "ask for more --contigs");
        return GT_USAGE;
    }
    if (!(o->fst >= 0 && o->fst < 1))
        return gt_fail(err, GT_USAGE, "--fst must be at least 0 and below 1");
    if (!(o->missing >= 0 && o->missing <= 1))
        return gt_fail(err, GT_USAGE, "--missing must be between 0 and 1");
    if (!(o->multiallelic >= 0 && o->multiallelic <= 1))
        return gt_fail(err, GT_USAGE, "--multiallelic must be between 0 and 1");
    if (!(o->min_maf >= 1e-9 && o->min_maf <= 0.5))
        return gt_fail(err, GT_USAGE, "--min-maf must be above 0 and at most 0.5");
    if (o->spectrum == GT_SIM_GROWTH_SPECTRUM && o->fst >= 0.99)
        return gt_fail(err, GT_USAGE, "--fst must be below 0.99 with --spectrum growth");
    if (o->ld < 0 || o->ld > INT32_MAX)
        return gt_fail(err, GT_USAGE, "--ld must be between 1 and %d", INT32_MAX);
    return 0;
}

int gt_sim_new(struct gt_sim **out, const struct gt_sim_opts *opts, struct gt_err *err)
{
    int status = check(opts, err);
    if (status)
        return status;
    struct gt_sim *sim = gt_alloc(1, sizeof *sim, err);
    if (!sim)
        return GT_FAIL;
    sim->o = *opts;
    sim->key[0] = (uint32_t)opts->seed;
    sim->key[1] = (uint32_t)(opts->seed >> 32);
    sim->log_lo = log(opts->min_maf);
    sim->log_ratio = log(1 - opts->min_maf) - sim->log_lo;
    if (opts->spectrum == GT_SIM_GROWTH_SPECTRUM) {
        sim->split_time = gt_sim_split_time(opts->fst);
        sim->o.ld = opts->ld ? opts->ld : GT_SIM_TREE_VARIANTS;
    }
    sim->stride = (size_t)gt_ceil_div(opts->samples, 4);
    *out = sim;
    return 0;
}

void gt_sim_free(struct gt_sim *sim)
{
    free(sim);
}

const struct gt_sim_opts *gt_sim_options(const struct gt_sim *sim)
{
    return &sim->o;
}

int64_t gt_sim_pop_first(const struct gt_sim *sim, int64_t k)
{
    return deal(sim->o.samples, sim->o.pops, k);
}

int64_t gt_sim_contig_first(const struct gt_sim *sim, int64_t c)
{
    return deal(sim->o.variants, sim->o.contigs, c);
}

int64_t gt_sim_contig_of(const struct gt_sim *sim, int64_t variant)
{
    int64_t each = sim->o.variants / sim->o.contigs, rest = sim->o.variants % sim->o.contigs;
    int64_t long_ones = rest * (each + 1);
    return variant < long_ones ? variant / (each + 1) : rest + (variant - long_ones) / each;
}

int64_t gt_sim_row_group(const struct gt_sim *sim)
{
    /* with linkage a row group replays its block from the start, so it is larger */
    int64_t n = (sim->o.ld ? 1 << 20 : 1 << 18) / (int64_t)sim->stride;
    n = n < 1 ? 1 : n > 4096 ? 4096 : n;
    if (sim->o.spectrum == GT_SIM_GROWTH_SPECTRUM) /* whole trees */
        n = n < sim->o.ld ? sim->o.ld : n - n % sim->o.ld;
    return n;
}

size_t gt_sim_row_group_bytes(const struct gt_sim *sim, int64_t n, unsigned what)
{
    size_t row = sim->stride * (1 + !!(what & GT_CALLS_PHASE) + !!(what & GT_CALLS_ALTS));
    size_t linkage = sim->o.spectrum == GT_SIM_GROWTH_SPECTRUM ? gt_sim_tree_bytes(sim) : sim->o.ld ? (size_t)sim->o.samples * 32 : 0;
    return (row + sizeof(struct gt_site) + 96) * (size_t)n + linkage + (sim->device ? gt_sim_device_bytes(sim, n) : 0) +
           (size_t)sim->o.pops * sizeof(double);
}

int gt_sim_fit_memory(const struct gt_sim *sim, const struct gt_engine *engine, const struct gt_sim_needs *needs, int64_t *memory,
                      struct gt_err *err)
{
    enum { ROW_GROUPS, NAMES, ALLOTMENTS };
    int64_t n = needs->row_group ? needs->row_group : gt_sim_row_group(sim);
    int64_t bytes = gt_bytes_add((int64_t)gt_sim_row_group_bytes(sim, n, needs->want), gt_bytes_mul(n, needs->variant_bytes));

    bytes = gt_bytes_add(bytes, needs->row_group_bytes);
    /* a name is some 20 bytes, and is copied once by what writes it */
    int64_t names = needs->site_bytes + (needs->named ? 0 : sim->o.samples * 40 + sim->o.contigs * 80 + 4096);
    struct gt_allotment allotment[ALLOTMENTS] = {
        {.name = "a row group", .minimum = bytes, .preferred = gt_memory_plan_of_flow(engine, 0, bytes)},
        {.name = "names", .minimum = names, .preferred = names}};
    gt_plan_record_step(engine->plan,
                        &(struct gt_plan_step){.flow = "sim", .work = "generate", .tasks = -1, .task_bytes = bytes, .passes = 1});
    int status = gt_memory_plan_fit(allotment, ALLOTMENTS, engine, err);
    *memory = allotment[ROW_GROUPS].size;
    return status;
}
