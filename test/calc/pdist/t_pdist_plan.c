/* Plans of pairs: what is computed by a formula is what a loop counts, boxes are as large as memory allows, rare sites are listed where
 * there is room for that, and planning for 10,000,000 samples takes less than 0.1 s. */
#include <string.h>

#include "calc/pairs/acc_geno.h"
#include "calc/pairs/tiling.h"
#include "calc/pdist/pdist_internal.h"
#include "core/engine/memory_plan.h"
#include "test/support/clock.h"
#include "test/support/random.h"
#include "test/support/tap.h"
#include "test/support/test_engine.h"

static struct gt_engine engine;

/* --- sizes of a box ---------------------------------------------------------- */

static struct gt_pair_box random_box(int64_t most)
{
    const int64_t row0 = random_below(most) / GT_PAIR_STEP * GT_PAIR_STEP;
    const int64_t col0 = random_below(most) / GT_PAIR_STEP * GT_PAIR_STEP;
    return (struct gt_pair_box){row0, row0 + random_below(300), col0, col0 + random_below(300)};
}

static int64_t loop_cells(const struct gt_pair_box *box)
{
    int64_t n = 0;
    for (int64_t i = box->row0; i < box->row1; i++)
        for (int64_t j = box->col0; j < box->col1; j++)
            n += i <= j;
    return n;
}

/* Rectangles that cover the panels, band by band. */
static int64_t loop_rects(const struct gt_tiling *t)
{
    int64_t n = 0;
    for (int64_t a = t->panels.row0; a < t->panels.row1; a += t->side) {
        const int64_t from = a > t->panels.column0 ? a : t->panels.column0;
        n += from < t->panels.column1 ? (t->panels.column1 - from + t->side - 1) / t->side : 0;
    }
    return n;
}

static int64_t length_of(const struct gt_buf *spans)
{
    const struct gt_cpu_span *span = (const struct gt_cpu_span *)(const void *)spans->data;
    int64_t n = 0;
    for (size_t k = 0; k < spans->len / sizeof *span; k++)
        n += (int64_t)(span[k].to - span[k].from) * GT_BIT_ROW;
    return n;
}

/* The accumulator's own spans, which it makes sample by sample, take what was measured. */
static bool has_spans(const struct gt_pair_box *box)
{
    /* counts of missing calls of one side, of the other, and of both */
    const struct gt_plane plane = {.name = "x", .f = {{0, 1, 4, 2}, {1, 0, 1, 3}, {4, 1, 0, 5}, {2, 3, 5, 7}}};
    const int64_t n = gt_max_i64(box->row1, box->col1);
    const struct gt_acc_setup setup = {
        .n_samples = n, .box = *box, .planes = &plane, .n_planes = 1, .block_rows = 64, .parts_wanted = 4, .budget = &engine.budget};
    struct gt_acc *acc;
    struct gt_err err = {0};
    if (gt_acc_cpu.init(&acc, &setup, &err))
        return false;
    const struct gt_cpu_acc *cpu = (const struct gt_cpu_acc *)acc;
    const bool same = length_of(&cpu->gap_span) == cpu->gap_size && length_of(&cpu->both_span) == cpu->both_size;
    gt_acc_cpu.free(acc);
    return same;
}

static void check_sizes(void)
{
    int cells = 0, rects = 0, spans = 0;
    for (int k = 0; k < 2000; k++) {
        const struct gt_pair_box box = random_box(1500);
        struct gt_tiling tiling;
        gt_tiling_measure(&tiling, &box, 1 + k % 40);
        const struct gt_pair_box panels = {tiling.panels.row0, tiling.panels.row1, tiling.panels.column0, tiling.panels.column1};
        cells += gt_box_cells(&box) != loop_cells(&box) || tiling.tiles != loop_cells(&panels);
        rects += tiling.rects != loop_rects(&tiling);
        if (box.row1 > box.row0 && box.col1 > box.col0 && k % 10 == 0)
            spans += !has_spans(&box);
    }
    ok(cells == 0, "cells of a box on and above the diagonal: %d of 2000 boxes wrong", cells);
    ok(rects == 0, "rectangles of a box's panels: %d of 2000 wrong", rects);
    ok(spans == 0, "spans of missing calls: %d wrong", spans);
}

/* --- boxes ------------------------------------------------------------------- */

static const enum gt_sink_part parts[] = {GT_PART_LOWER, GT_PART_LOWER_DIAGONAL, GT_PART_UPPER, GT_PART_SQUARE};
static const char *const distance[] = {"distance", NULL};

static bool plan_for(struct gt_pdist_plan *plan, const struct gt_strs *ids, enum gt_row_kind rows, enum gt_sink_part part, int64_t parts_of)
{
    const struct gt_row_source_info info = {.rows = rows,
                                            .samples = (int64_t)ids->n,
                                            .sites = 1000000,
                                            .row_bytes = rows == GT_ROWS_F64 ? ids->n * sizeof(double) : (ids->n + 3) / 4,
                                            .read_minimum = 1 << 20,
                                            .read_preferred = 1 << 24,
                                            .ids = ids,
                                            .name = "test"};
    const struct gt_pdist_opts opts = {.use = {.metric = gt_metric_find("euclidean"), .missing = GT_MISSING_RESCALE},
                                       .wants = {.part = part, .planes = distance},
                                       .part = parts_of ? parts_of / 2 : 0,
                                       .parts = parts_of};
    struct gt_err err = {0};
    const int status = gt_pdist_plan(plan, &engine, &info, &opts, &err);
    if (status)
        diag("%s", err.msg);
    return status == 0;
}

static void make_ids(struct gt_strs *ids, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        char id[24];
        const int len = snprintf(id, sizeof id, "s%lld", (long long)i);
        if (gt_strs_add(ids, id, (size_t)len, NULL))
            printf("Bail out! no memory\n"), exit(1);
    }
}

static int64_t bytes_of(const struct gt_pdist_plan *plan, const struct gt_pair_box *box)
{
    struct gt_acc_setup setup = gt_pdist_setup(plan, &engine, box);
    return gt_acc_choose(&setup)->sums_bytes(&setup);
}

/* Each box fits, and with one more step of samples it would not; together they have each row once. */
static bool is_greedy(const struct gt_pdist_plan *plan)
{
    const bool lower = plan->part == GT_PART_LOWER || plan->part == GT_PART_LOWER_DIAGONAL;
    const int64_t room = plan->allotment[GT_PDIST_SUMS].size;
    int64_t at = 0, boxes = 0;
    for (struct gt_pdist_walk walk = {0}; gt_pdist_next_box(plan, &engine, &walk); boxes++) {
        struct gt_pair_box more = walk.box;
        const int64_t from = lower ? walk.box.col0 : walk.box.row0, to = lower ? walk.box.col1 : walk.box.row1;
        if (from != at || bytes_of(plan, &walk.box) != walk.sums_bytes || (walk.sums_bytes > room && to - from > GT_PAIR_STEP))
            return false;
        if (lower)
            more.row1 = more.col1 = to + GT_PAIR_STEP;
        else
            more.row1 = to + GT_PAIR_STEP;
        if (to + GT_PAIR_STEP <= plan->samples && bytes_of(plan, &more) <= room)
            return false;
        at = to;
    }
    return at == plan->samples && boxes == plan->boxes;
}

static void check_boxes(void)
{
    struct gt_strs ids = {0};
    struct gt_pdist_plan plan;
    make_ids(&ids, 9000);
    for (size_t k = 0; k < sizeof parts / sizeof *parts; k++) {
        bool all = plan_for(&plan, &ids, GT_ROWS_PACKED, parts[k], 0);
        int64_t most = 0;
        const int64_t whole = plan.allotment[GT_PDIST_SUMS].size;
        for (int64_t allotment = whole; allotment > whole / 5000 && all;
             allotment = allotment * 3 / 4) { /* many boxes, then one step each */
            plan.allotment[GT_PDIST_SUMS].size = allotment;
            plan.boxes = 0;
            for (struct gt_pdist_walk walk = {0}; gt_pdist_next_box(&plan, &engine, &walk);)
                plan.boxes++;
            all = is_greedy(&plan);
            most = gt_max_i64(most, plan.boxes);
        }
        ok(all && most >= 9000 / GT_PAIR_STEP, "boxes are the largest that fit, up to %lld of them (part %d)", (long long)most,
           (int)parts[k]);
    }
    gt_strs_release(&ids);
}

/* --- blocks ------------------------------------------------------------------ */

static void check_lists(void)
{
    static const int64_t samples[] = {2504, 8192, 8256, 20000};
    const int64_t limit = engine.budget.limit;
    engine.budget.limit = INT64_C(14) << 30; /* nothing of it is taken */
    for (size_t n = 0; n < sizeof samples / sizeof *samples; n++) {
        struct gt_strs ids = {0};
        struct gt_pdist_plan plan;
        make_ids(&ids, samples[n]);
        const bool made = plan_for(&plan, &ids, GT_ROWS_PACKED, GT_PART_LOWER, 0);
        ok(made && plan.rare == GT_RARE_BY_COST && plan.block_sites >= 512 && plan.boxes == 1,
           "%lld samples in 14 GiB: rare sites are listed, in blocks of %lld sites", (long long)samples[n],
           made ? (long long)plan.block_sites : 0);
        gt_strs_release(&ids);
    }
    engine.budget.limit = limit;
}

/* --- time -------------------------------------------------------------------- */

/* Seconds of cpu time that a plan may take. */
static const double plan_seconds = 0.1 * SLOWER;

static void check_time(void)
{
    static const enum gt_row_kind kinds[] = {GT_ROWS_PACKED, GT_ROWS_F64};
    static const int64_t samples[] = {3000000, 10000000};
    engine.budget.limit = INT64_C(64) << 30; /* nothing of it is taken */
    for (size_t n = 0; n < 2; n++) {
        struct gt_strs ids = {0};
        make_ids(&ids, samples[n]);
        for (size_t k = 0; k < 2 * sizeof parts / sizeof *parts; k++) {
            struct gt_pdist_plan plan;
            const enum gt_row_kind kind = kinds[k % 2];
            const double before = cpu_seconds();
            const bool made = plan_for(&plan, &ids, kind, parts[k / 2], 0) && plan_for(&plan, &ids, kind, parts[k / 2], 7);
            const double took = (cpu_seconds() - before) / 2;
            ok(made && plan.boxes > 10 && took < plan_seconds, "%lld samples, part %d, rows %d: %lld boxes, planned in %.3f s",
               (long long)samples[n], (int)parts[k / 2], (int)kind, made ? (long long)plan.boxes : 0, took);
        }
        gt_strs_release(&ids);
    }
}

int main(void)
{
    start_engine(&engine, 4);
    check_sizes();
    check_boxes();
    check_lists();
    check_time();
    gt_engine_release(&engine);
    return done_testing();
}
