#include "calc/pdist.h"

#include <math.h>
#include <string.h>

#include "base/size.h"
#include "base/spoolfile.h"
#include "calc/paircount.h"
#include "engine/flow.h"
#include "kernels/kernels.h"

/* f(x, y) for dosages; 3 is missing. */
static const uint8_t squared[4][4] = {{0, 1, 4, 0}, {1, 0, 1, 0}, {4, 1, 0, 0}, {0, 0, 0, 0}};
static const uint8_t absolute[4][4] = {{0, 1, 2, 0}, {1, 0, 1, 0}, {2, 1, 0, 0}, {0, 0, 0, 0}};

/* --- plan ------------------------------------------------------------------ */

static int64_t row_bytes(int64_t n)
{
    return gt_ceil_div(n, 4);
}

static int64_t block_bytes(int64_t n, int64_t sites)
{
    return row_bytes(n) * sites + gt_pair_block_bytes(gt_kernels(), n, sites);
}

/* Sums may take half of the budget, one block a thirty-second, so that the
 * source and a few blocks in flight fit beside them. */
int gt_pdist_plan(struct gt_pdist_plan *plan, const struct gt_engine *engine, const struct gt_source_info *info, struct gt_err *err)
{
    enum { MOST_SITES = 4096, FEWEST_SITES = 48 };
    int64_t limit = engine->budget.limit, n = info->n_samples;
    memset(plan, 0, sizeof *plan);
    plan->samples = n;
    plan->pairs = n * (n - 1) / 2;
    plan->variants = info->n_variants;
    plan->block_sites = MOST_SITES;
    while (plan->block_sites > FEWEST_SITES && block_bytes(n, plan->block_sites) > limit / 32)
        plan->block_sites /= 2;
    plan->block_bytes = block_bytes(n, plan->block_sites);
    plan->passes = 1;
    plan->band_rows = n;
    plan->sums_bytes = gt_pair_triangle_bytes(n);
    if (plan->sums_bytes <= limit / 2)
        return GT_OK;
    int64_t panels = limit / 2 / gt_pair_band_bytes(n, GT_PANEL);
    if (panels < 1) {
        char need[GT_NUM_LEN], have[GT_NUM_LEN];
        gt_fail(err, GT_NOFIT, "%lld samples need %s for the sums of one band of rows, %s are there", (long long)n,
                gt_format_size(need, gt_pair_band_bytes(n, GT_PANEL)), gt_format_size(have, limit / 2));
        gt_hint(err, "give more with --memory");
        return GT_NOFIT;
    }
    plan->band_rows = panels * GT_PANEL;
    plan->passes = gt_ceil_div(n, plan->band_rows);
    plan->sums_bytes = gt_pair_band_bytes(n, plan->band_rows);
    return GT_OK;
}

/* --- summing: source -> blocks -> parts ------------------------------------- */

struct sum_run {
    struct gt_source *source;
    const struct gt_pdist_plan *plan;
    const struct gt_pdist_opts *opts;
    struct gt_pair_counts *counts;
    struct gt_budget *budget;
    struct gt_spoolfile spool; /* rows without padding */
    struct gt_block *held;     /* source block that is not all taken yet, or NULL */
    int64_t taken;             /* variants of it that are */
    int64_t pass, sites;       /* read in this pass */
    bool ended;
};

struct sum_item {
    int64_t sites;
    size_t stride;
    struct gt_buf rows;
    struct gt_pair_block block;
};

/* Rows of the held block onto the item, up to the planned number of sites.  A
 * block of about that size is taken over as it is; a taller one in pieces. */
static int take_rows(struct sum_run *run, struct sum_item *item, struct gt_err *err)
{
    struct gt_block *from = run->held;
    int64_t room = run->plan->block_sites - item->sites, n = from->n - run->taken;
    if (!item->sites && !run->taken && n <= room && n * 2 >= room) {
        gt_buf_swap(&item->rows, &from->rows);
        item->sites = run->taken = n;
        item->stride = from->stride;
        return GT_OK;
    }
    size_t width = (size_t)row_bytes(run->plan->samples);
    n = n < room ? n : room;
    item->stride = width; /* a block that was taken over leaves the loop of read_source */
    int status = gt_buf_resize(&item->rows, (size_t)(item->sites + n) * width + GT_KERNEL_PAD, err);
    if (status)
        return status;
    for (int64_t v = 0; v < n; v++)
        memcpy(item->rows.data + (size_t)(item->sites + v) * width, gt_block_row(from, run->taken + v), width);
    item->sites += n;
    run->taken += n;
    return GT_OK;
}

static int read_source(struct sum_run *run, struct sum_item *item, struct gt_err *err)
{
    int status = GT_OK;
    while (!run->ended && !status && item->sites * 2 < run->plan->block_sites) {
        if (!run->held) {
            status = gt_source_next(run->source, &run->held, err);
            run->taken = 0;
        }
        if (status == GT_END) {
            run->ended = true;
            return GT_OK;
        }
        if (status)
            return status;
        status = take_rows(run, item, err);
        if (run->taken == run->held->n) {
            gt_source_done(run->source, run->held);
            run->held = NULL;
        }
    }
    return status;
}

/* The next rows of what the first pass kept. */
static int read_spool(struct sum_run *run, struct sum_item *item, struct gt_err *err)
{
    int64_t left = run->spool.end / row_bytes(run->plan->samples) - run->sites;
    item->sites = left < run->plan->block_sites ? left : run->plan->block_sites;
    item->stride = (size_t)row_bytes(run->plan->samples);
    size_t n = (size_t)item->sites * item->stride;
    int status = gt_buf_resize(&item->rows, n + GT_KERNEL_PAD, err);
    return status ? status : gt_spoolfile_read(&run->spool, item->rows.data, n, run->sites * (int64_t)item->stride, err);
}

static int sum_read(void *ctx, int64_t ticket, void *it, struct gt_err *err)
{
    struct sum_run *run = ctx;
    struct sum_item *item = it;
    (void)ticket;
    item->sites = 0;
    item->rows.budget = run->budget;
    item->rows.len = 0;
    int status = run->opts->spool && run->pass ? read_spool(run, item, err) : read_source(run, item, err);
    if (status)
        return status;
    run->sites += item->sites;
    if (run->sites > UINT32_MAX)
        return gt_fail(err, GT_FAIL, "more than %lld variants in one run", (long long)UINT32_MAX);
    gt_flow_bytes(item->sites * (int64_t)item->stride);
    return item->sites ? GT_OK : GT_END;
}

static int sum_work(void *ctx, int64_t ticket, void *it, struct gt_err *err)
{
    struct sum_run *run = ctx;
    struct sum_item *item = it;
    (void)ticket;
    int status = gt_pair_prepare(run->counts, item->rows.data, item->stride, item->sites, &item->block, err);
    if (!status && run->opts->missing == GT_MISSING_ERROR && item->block.n_missing) {
        status = gt_fail(err, GT_INPUT, "%s has missing genotypes", gt_source_info(run->source)->name);
        gt_hint(err, "--missing rescale or --missing ignore says how to treat them");
    }
    return status;
}

static int sum_part(void *ctx, int64_t ticket, int64_t part, void *it, struct gt_err *err)
{
    struct sum_run *run = ctx;
    struct sum_item *item = it;
    (void)ticket;
    (void)err;
    gt_pair_add(run->counts, &item->block, part);
    return GT_OK;
}

/* For the passes to come; the item's rows are not needed any more. */
static int keep_rows(struct sum_run *run, struct sum_item *item, struct gt_err *err)
{
    size_t width = (size_t)row_bytes(run->plan->samples);
    for (int64_t v = 1; v < item->sites && item->stride != width; v++)
        memmove(item->rows.data + (size_t)v * width, item->rows.data + (size_t)v * item->stride, width);
    int status = gt_spoolfile_open(&run->spool, err);
    return status ? status : gt_spoolfile_write(&run->spool, item->rows.data, (size_t)item->sites * width, run->spool.end, err);
}

static int sum_commit(void *ctx, int64_t ticket, void *it, struct gt_err *err)
{
    struct sum_run *run = ctx;
    struct sum_item *item = it;
    (void)ticket;
    gt_pair_count_block(run->counts, &item->block);
    return run->opts->spool && !run->pass && run->plan->passes > 1 ? keep_rows(run, item, err) : GT_OK;
}

static void sum_release(void *ctx, void *it)
{
    struct sum_item *item = it;
    (void)ctx;
    gt_buf_release(&item->rows);
    gt_pair_block_release(&item->block);
}

static int sum_pass(struct gt_engine *engine, struct sum_run *run, struct gt_err *err)
{
    static const struct gt_flow_ops ops = {.name = "pdist",
                                           .read_name = "gather",
                                           .work_name = "encode",
                                           .part_name = "pairs",
                                           .item_size = sizeof(struct sum_item),
                                           .read = sum_read,
                                           .work = sum_work,
                                           .part = sum_part,
                                           .release = sum_release};
    struct gt_flow_opts opts = {.tickets = -1,
                                .parts = run->counts->n_parts,
                                .readers = 1,
                                .ticket_bytes = (size_t)run->plan->block_bytes,
                                .memory = engine->budget.limit / 6};
    run->ended = false;
    run->held = NULL;
    run->sites = 0;
    return gt_flow_run(engine, &ops, &opts, run, sum_commit, err);
}

/* --- finishing: sums -> distances -> sink ------------------------------------ */

struct finish_run {
    const struct gt_pair_counts *counts;
    const struct gt_pdist_opts *opts;
    struct gt_sink *sink;
    struct gt_pdist_stats *stats;
    struct gt_budget *budget;
    int64_t ticket_rows;
};

struct finish_item {
    struct gt_buf sums, joint, bytes;
    int64_t low_overlap, no_overlap;
};

static double distance(const struct gt_pdist_opts *opts, int64_t sum, int64_t joint, int64_t sites)
{
    double d = (double)sum;
    if (opts->missing == GT_MISSING_RESCALE && (joint != sites || !joint))
        d = joint ? d * (double)sites / (double)joint : NAN;
    return opts->metric == GT_EUCLIDEAN ? sqrt(d) : d;
}

/* Sums and joint counts become distances in place of the sums. */
static void make_distances(const struct finish_run *run, struct finish_item *item, int64_t row, int64_t rows)
{
    const int64_t n = run->counts->n, sites = run->counts->sites, *joint = (int64_t *)item->joint.data;
    item->low_overlap = item->no_overlap = 0;
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < n; j++) {
            int64_t at = i * n + j, sum;
            memcpy(&sum, item->sums.data + at * 8, sizeof sum);
            double d = distance(run->opts, sum, joint[at], sites);
            memcpy(item->sums.data + at * 8, &d, sizeof d);
            item->low_overlap += j > row + i && (joint[at] * 2 < sites || !joint[at]);
            item->no_overlap += j > row + i && !joint[at];
        }
}

static int64_t ticket_rows_left(const struct finish_run *run, int64_t row)
{
    int64_t left = run->counts->row1 - row;
    return left < run->ticket_rows ? left : run->ticket_rows;
}

static int finish_work(void *ctx, int64_t ticket, void *it, struct gt_err *err)
{
    struct finish_run *run = ctx;
    struct finish_item *item = it;
    int64_t row = run->counts->row0 + ticket * run->ticket_rows, rows = ticket_rows_left(run, row);
    size_t cells = (size_t)rows * (size_t)run->counts->n;
    item->sums.budget = item->joint.budget = item->bytes.budget = run->budget;
    int status = gt_buf_resize(&item->sums, cells * sizeof(int64_t), err);
    if (!status)
        status = gt_buf_resize(&item->joint, cells * sizeof(int64_t), err);
    if (status)
        return status;
    gt_pair_band(run->counts, row, rows, (int64_t *)item->sums.data, (int64_t *)item->joint.data);
    make_distances(run, item, row, rows);
    return run->sink->ops->format(run->sink, row, rows, (const double *)item->sums.data, &item->bytes, err);
}

static int finish_commit(void *ctx, int64_t ticket, void *it, struct gt_err *err)
{
    struct finish_run *run = ctx;
    struct finish_item *item = it;
    (void)ticket;
    run->stats->low_overlap += item->low_overlap;
    run->stats->no_overlap += item->no_overlap;
    return run->sink->ops->write(run->sink, &item->bytes, err);
}

static void finish_release(void *ctx, void *it)
{
    struct finish_item *item = it;
    (void)ctx;
    gt_buf_release(&item->sums);
    gt_buf_release(&item->joint);
    gt_buf_release(&item->bytes);
}

static int finish_pass(struct gt_engine *engine, struct finish_run *run, struct gt_err *err)
{
    static const struct gt_flow_ops ops = {.name = "distances",
                                           .work_name = "format",
                                           .item_size = sizeof(struct finish_item),
                                           .work = finish_work,
                                           .release = finish_release};
    const int64_t row_cost = run->counts->n * 48; /* sums, joint counts, and text */
    int64_t share = engine->budget.limit / 8, rows = share / 4 / (row_cost ? row_cost : 1);
    run->ticket_rows = rows < 1 ? 1 : rows > 64 ? 64 : rows;
    struct gt_flow_opts opts = {.tickets = gt_ceil_div(run->counts->row1 - run->counts->row0, run->ticket_rows),
                                .ticket_bytes = (size_t)(run->ticket_rows * row_cost),
                                .memory = share};
    return gt_flow_run(engine, &ops, &opts, run, finish_commit, err);
}

/* --- the run ------------------------------------------------------------------ */

/* Rows [row0, row1): one pass over the source, then their distances.  The sink begins
 * after the first pass, so that bad input is found before anything is written. */
static int run_band(struct gt_engine *engine, struct sum_run *sum, struct finish_run *finish, int64_t row0, int64_t row1,
                    struct gt_err *err)
{
    struct gt_pair_counts counts;
    bool whole = row0 == 0 && row1 == sum->plan->samples && sum->plan->passes == 1;
    int64_t parts = 16 * (int64_t)engine->limits.threads;
    int status = gt_pair_counts_init(&counts, engine, sum->plan->samples, sum->opts->metric == GT_CITYBLOCK ? absolute : squared, whole,
                                     row0, row1, parts, err);
    sum->counts = &counts;
    finish->counts = &counts;
    if (!status)
        status = sum_pass(engine, sum, err);
    if (!status && row0 == 0)
        status = finish->sink->ops->begin(finish->sink, sum->plan->samples, &gt_source_info(sum->source)->samples, err);
    if (!status)
        status = finish_pass(engine, finish, err);
    finish->stats->sites = counts.sites;
    gt_pair_counts_release(&counts);
    return status;
}

int gt_pdist_run(struct gt_engine *engine, struct gt_source *source, const struct gt_pdist_plan *plan, const struct gt_pdist_opts *opts,
                 struct gt_sink *sink, struct gt_pdist_stats *stats, struct gt_err *err)
{
    struct sum_run sum = {
        .source = source, .plan = plan, .opts = opts, .budget = &engine->budget, .spool = {.fd = -1, .tmpdir = engine->tmpdir}};
    struct finish_run finish = {.opts = opts, .sink = sink, .stats = stats, .budget = &engine->budget};
    memset(stats, 0, sizeof *stats);
    int status = GT_OK;
    for (int64_t pass = 0; !status && pass < plan->passes; pass++) {
        int64_t row0 = pass * plan->band_rows, row1 = row0 + plan->band_rows;
        sum.pass = pass;
        if (pass && !opts->spool)
            status = gt_source_rewind(source, err);
        if (!status)
            status = run_band(engine, &sum, &finish, row0, row1 < plan->samples ? row1 : plan->samples, err);
    }
    gt_spoolfile_release(&sum.spool);
    return status ? status : sink->ops->finish(sink, err);
}
