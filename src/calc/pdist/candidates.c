#include "calc/pdist/candidates.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/size.h"
#include "core/engine/flow.h"
#include "core/engine/memory_plan.h"

/* With fewer samples, a pass that turns out to be of no use costs more than is gained. */
enum { FEWEST_SAMPLES = 8192 };
/* Beyond all limits and sums, which are int32_t with this added to each once or twice. */
enum { MOST_SITES = 1 << 26, FAR = 1 << 29 };
/* Samples of a task that makes panels. */
enum { GROUP_PANELS = 8, GROUP = GROUP_PANELS * GT_PANEL };

/* --- the plan ------------------------------------------------------------------- */

/* Are all planes sums of what gt_kernels()->bits_pair counts? */
static bool has_forms(const struct gt_pdist_plan *plan)
{
    struct gt_cpu_plane form;
    for (int k = 0; k < plan->n_planes; k++) {
        gt_cpu_make_form(&form, plan->planes[k].f);
        if (plan->planes[k].terms || form.dense[GT_PAIR_ALT])
            return false;
    }
    return true;
}

void gt_candidates_plan(struct gt_pdist_plan *plan, const struct gt_engine *engine, const struct gt_row_source_info *info,
                        const struct gt_pdist_opts *opts)
{
    const struct gt_metric_use use = gt_pdist_use(plan, opts);
    const bool plain = plan->kind == GT_ROWS_PACKED && !plan->alleles && !plan->device && !info->plain && !info->slab_row &&
                       !plan->column_at && engine->comm.size == 1;
    const bool wanted = opts->wants.limited && !opts->wants.counts && opts->wants.part == GT_PART_LOWER;
    const int64_t sites = info->sites < 0 ? info->most : info->sites;
    plan->bound = NULL;
    if (!plain || !wanted || sites < 1 || sites > MOST_SITES || !has_forms(plan) || opts->early == GT_PDIST_EARLY_NEVER)
        return;
    if (plan->samples < FEWEST_SAMPLES && opts->early != GT_PDIST_EARLY_ALWAYS)
        return;
    plan->most_sites = sites;
    plan->most_first = gt_ceil_div(opts->early == GT_PDIST_EARLY_ALWAYS ? sites : gt_ceil_div(sites, 4), GT_BIT_ROW) * GT_BIT_ROW;
    plan->bound = gt_metric_bound(&use, opts->wants.least);
}

/* A task's: sites by sample and by site, while panels are made; bits of two samples, and of candidates of a row of panels. */
static int64_t task_bytes(const struct gt_pdist_plan *plan)
{
    const int64_t first = plan->most_first, bits = gt_ceil_div(plan->most_sites, GT_BIT_ROW) * (GT_BIT_ROW / 8);
    return first / 4 * GROUP * 2 + GROUP * 64 + 6 * bits + GT_TILE_ROWS * (plan->samples / 8 + 8) + 4096;
}

int64_t gt_candidates_bytes(const struct gt_pdist_plan *plan, const struct gt_engine *engine)
{
    if (!plan->bound)
        return 0;
    const int64_t panel = gt_max_i64(gt_kernels()->pair.bytes(plan->most_first), gt_kernels()->pair_agree.bytes(plan->most_first));
    const int64_t steps = gt_min_i64(GT_CANDIDATES_MOST_MORE, plan->most_first / GT_CANDIDATES_STEP);
    const int64_t sample = 2 * sizeof(int32_t) + 1 + steps * (int64_t)(3 * GT_CANDIDATES_LINE + sizeof(int32_t));
    const int64_t samples = gt_bytes_mul(plan->samples + GT_PANEL, sample) + 5 * 64;
    return gt_sample_rows_bytes(plan->samples, plan->most_sites) + plan->most_sites * (int64_t)(3 * sizeof(uint64_t)) +
           gt_ceil_div(plan->samples, GT_PANEL) * panel + samples + task_bytes(plan) * engine->limits.threads;
}

/* Panels are whole. */
static int64_t padded(int64_t samples)
{
    return gt_ceil_div(samples, GT_PANEL) * GT_PANEL;
}

/* --- limits of samples ------------------------------------------------------------ */

/* Where a sample is missing, the other one may take off so much from what it adds elsewhere. */
static int64_t slack_of(const int gap[GT_CPU_GAPS], int both)
{
    const int hom = gap[GT_CPU_HOM], alt = hom + gap[GT_CPU_ALT];
    return -gt_min_i64(gt_min_i64(0, both), gt_min_i64(hom, alt));
}

int64_t gt_candidates_own(const struct gt_candidates *c, const int64_t codes[4])
{
    const struct gt_cpu_plane *sum = &c->sum;
    return sum->row[GT_CPU_HOM] * (codes[0] + codes[2]) + sum->row[GT_CPU_ALT] * codes[2] +
           (sum->row[GT_CPU_MISSING] - slack_of(sum->gap[0], sum->both)) * codes[3];
}

/* Of two samples with at most a quarter missing, half of the sites are in both.  Most of their missing calls: what a sample's heterozygotes
 * can lose to the other. */
static bool is_often_missing(const struct gt_sample_rows *rows, int64_t sample)
{
    return 4 * gt_sample_counts(rows, sample)[3] > rows->sites;
}

static int set_limits(struct gt_candidates *c, double least, struct gt_err *err)
{
    const struct gt_sample_rows *rows = &c->rows;
    const double top = FAR / 2;
    int64_t lost = 0;
    int status = gt_buf_zeros(&c->most, (size_t)padded(rows->samples) * sizeof(int32_t), err);
    if (!status)
        status = gt_buf_zeros(&c->never, (size_t)rows->samples, err);
    for (int64_t s = 0; s < rows->samples && !status; s++)
        if (!is_often_missing(rows, s))
            lost = gt_max_i64(lost, gt_sample_counts(rows, s)[3]);
    for (int64_t s = 0; s < rows->samples && !status; s++) {
        const double most = c->plan->bound->most(least, gt_sample_counts(rows, s));
        const double whole = most < -top ? -top : most > top ? top : most;
        c->never.data[s] = is_often_missing(rows, s) || gt_sample_counts(rows, s)[1] <= lost;
        ((int32_t *)(void *)c->most.data)[s] = c->never.data[s] ? FAR : (int32_t)whole - (whole < (int32_t)whole);
    }
    return status;
}

/* --- the first sites ---------------------------------------------------------------- */

static int by_key(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static int sort_sites(struct gt_candidates *c, struct gt_err *err)
{
    struct gt_buf keys = {.budget = &c->engine->budget};
    const int64_t n = c->rows.sites;
    int status = gt_buf_resize(&keys, (size_t)n * sizeof(uint64_t), err);
    status = status ? status : gt_buf_resize(&c->order, (size_t)n * sizeof(uint32_t), err);
    uint64_t *key = (uint64_t *)(void *)keys.data;
    for (int64_t k = 0; k < n && !status; k++)
        key[k] = (uint64_t)(UINT32_MAX - gt_buf_u32(&c->rows.hets)[k]) << 32 | (uint64_t)k;
    if (!status && n)
        qsort(key, (size_t)n, sizeof *key, by_key);
    for (int64_t k = 0; k < n && !status; k++)
        gt_buf_u32(&c->order)[k] = (uint32_t)key[k];
    gt_buf_release(&keys);
    return status;
}

void gt_candidates_split(const uint8_t *row, int64_t steps, uint8_t *bits)
{
    enum { LINE = GT_CANDIDATES_LINE };
    gt_kernels()->bits_split(row, GT_CANDIDATES_STEP / 4, steps, GT_CANDIDATES_STEP, (size_t)3 * LINE, bits, bits + LINE, bits + 2 * LINE);
}

int64_t gt_candidates_together(const struct gt_candidates *c, const uint8_t *x, const uint8_t *y)
{
    int64_t counts[GT_BITS_PAIR];
    gt_kernels()->bits_pair(x, y, GT_CANDIDATES_LINE, false, counts);
    return counts[GT_BITS_HOM] - (c->product == GT_PAIR_DOT ? 2 : 1) * counts[GT_BITS_UNLIKE];
}

/* A sample's sites in order: what it adds alone at the first of them, and the steps after these. */
static void set_sample(struct gt_candidates *c, int64_t sample, const uint8_t *row)
{
    const uint8_t *more = row + c->first_sites / 4;
    int32_t *steps = (int32_t *)(void *)c->steps.data + sample * c->more_steps;
    int64_t codes[4];
    gt_kernels()->count_codes(row, c->first_sites, codes);
    ((int32_t *)(void *)c->own.data)[sample] = c->never.data[sample] ? -FAR : (int32_t)gt_candidates_own(c, codes);
    for (int64_t k = 0; k < c->more_steps; k++) {
        gt_kernels()->count_codes(more + k * (GT_CANDIDATES_STEP / 4), GT_CANDIDATES_STEP, codes);
        steps[k] = (int32_t)gt_candidates_own(c, codes);
    }
    if (c->more_steps)
        gt_candidates_split(more, c->more_steps, c->bits.data + (size_t)(sample * c->more_steps) * 3 * GT_CANDIDATES_LINE);
}

/* The panels of a group of samples: their first sites, as rows of samples and then of sites. */
static int make_panels(void *ctx, int64_t task, void *item, struct gt_err *err)
{
    struct gt_candidates *c = ctx;
    struct gt_buf rows = {.budget = &c->engine->budget}, turned = rows;
    const int64_t sites = c->first_sites, all = sites + c->more_steps * GT_CANDIDATES_STEP;
    const int64_t from = task * GROUP, n = gt_min_i64(GROUP, c->rows.samples - from);
    const size_t stride = (size_t)gt_ceil_div(all, 64) * 16, out = GROUP / 4;
    (void)item;
    int status = gt_buf_resize(&rows, (size_t)n * stride + GT_KERNEL_PAD, err);
    status = status ? status : gt_buf_resize(&turned, (size_t)gt_ceil_div(sites, 64) * 64 * out + GT_KERNEL_PAD, err);
    for (int64_t s = 0; s < n && !status; s++) {
        gt_kernels()->gather_samples(gt_sample_row(&c->rows, from + s), gt_buf_u32(&c->order), all, rows.data + (size_t)s * stride);
        set_sample(c, from + s, rows.data + (size_t)s * stride);
    }
    if (!status) {
        gt_kernels()->turn_codes(rows.data, stride, n, sites, turned.data, out);
        c->pair->encode(turned.data, out, sites, n, c->panels.data + task * GROUP_PANELS * c->pair->bytes(sites));
    }
    gt_buf_release(&rows);
    gt_buf_release(&turned);
    return status;
}

static int encode(struct gt_candidates *c, struct gt_err *err)
{
    static const struct gt_flow_ops ops = {.name = "pdist", .work_name = "encode", .item_size = 1, .work = make_panels};
    const struct gt_flow_opts opts = {
        .tasks = gt_ceil_div(c->rows.samples, GROUP), .task_bytes = 1, .memory = 1 << 20, .max_items = c->engine->limits.threads};
    const int64_t panels = gt_ceil_div(c->rows.samples, GT_PANEL);
    int status = gt_buf_resize(&c->panels, (size_t)(panels * c->pair->bytes(c->first_sites)), err);
    status = status ? status : gt_buf_zeros(&c->own, (size_t)padded(c->rows.samples) * sizeof(int32_t), err);
    const size_t steps = (size_t)(c->rows.samples * c->more_steps);
    status = status ? status : gt_buf_resize(&c->bits, steps * 3 * GT_CANDIDATES_LINE, err);
    status = status ? status : gt_buf_resize(&c->steps, steps * sizeof(int32_t), err);
    return status || !opts.tasks ? status : gt_flow_run(c->engine, &ops, &opts, c, NULL, err);
}

/* --- all of it ------------------------------------------------------------------------ */

static void set_forms(struct gt_candidates *c)
{
    const struct gt_plane sum = gt_count_plane(c->plan->bound->count, c->use.missing);
    for (int k = 0; k < c->plan->n_planes; k++)
        gt_cpu_make_form(&c->form[k], c->plan->planes[k].f);
    gt_cpu_make_form(&c->sum, sum.f);
    c->product = c->sum.dense[GT_PAIR_DOT] ? GT_PAIR_DOT : GT_PAIR_AGREE;
    c->pair = c->product == GT_PAIR_DOT ? &gt_kernels()->pair : &gt_kernels()->pair_agree;
}

/* A quarter of the sites, and steps after them. */
static void begin_anyhow(struct gt_candidates *c)
{
    const int64_t sites = c->rows.sites;
    c->first_sites = gt_min_i64(sites, gt_ceil_div(sites, 16) * 4);
    c->more_steps = gt_min_i64(GT_CANDIDATES_MOST_MORE, (sites - c->first_sites) / GT_CANDIDATES_STEP);
}

int gt_candidates_find(struct gt_candidates *c, struct gt_engine *engine, struct gt_row_source *row_source,
                       const struct gt_pdist_plan *plan, const struct gt_pdist_opts *opts, struct gt_err *err)
{
    *c = (struct gt_candidates){.engine = engine, .plan = plan, .use = gt_pdist_use(plan, opts)};
    c->order.budget = c->panels.budget = c->bits.budget = c->steps.budget = c->most.budget = c->own.budget = c->never.budget =
        &engine->budget;
    set_forms(c);
    int status =
        gt_sample_rows_read(&c->rows, engine, row_source, plan->most_sites, plan->block_sites * (int64_t)row_source->info.row_bytes + 4096,
                            plan->allotment[GT_PDIST_BLOCKS].size, err);
    status = status ? status : set_limits(c, opts->wants.least, err);
    status = status ? status : sort_sites(c, err);
    status = status ? status : gt_candidates_try(c, err);
    if (!status && opts->early == GT_PDIST_EARLY_ALWAYS && !c->first_sites)
        begin_anyhow(c);
    if (!status && !c->first_sites)
        status = GT_NOENT;
    status = status ? status : encode(c, err);
    if (status)
        gt_candidates_release(c);
    return status;
}

void gt_candidates_release(struct gt_candidates *c)
{
    gt_sample_rows_release(&c->rows);
    gt_buf_release(&c->order);
    gt_buf_release(&c->panels);
    gt_buf_release(&c->bits);
    gt_buf_release(&c->steps);
    gt_buf_release(&c->most);
    gt_buf_release(&c->own);
    gt_buf_release(&c->never);
}
