/* Plans of rechunking: thousands of random shapes against counting item by item. */
#include "calc/rechunk/plan.h"
#include "test/support/random.h"
#include "test/support/tap.h"

enum { DIMS = 3, MOST = 24 };

static void choose(struct gt_rechunk_request *request)
{
    *request = (struct gt_rechunk_request){.ndim = (int)random_below(DIMS + 1),
                                           .item_bytes = 1 << random_below(4),
                                           .unit_bytes = random_below(400),
                                           .chunk_bytes = random_below(400),
                                           .same = random_below(4) == 0,
                                           .alike = random_below(3) == 0,
                                           .tasks = 1 + random_below(6)};
    for (int i = 0; i < request->ndim; i++) {
        struct gt_partition_axis *axis = &request->axis[i];
        *axis = (struct gt_partition_axis){.n = random_below(12) ? 1 + random_below(MOST) : 0,
                                           .start = random_below(3) ? 0 : random_below(20),
                                           .step = random_below(3) ? 1 : 1 + random_below(4),
                                           .unit = 1 + random_below(12),
                                           .chunk = 1 + random_below(12)};
        if (random_below(3) == 0)
            axis->chunk = axis->unit * (1 + random_below(3));
        request->size[i] = axis->start + axis->n * axis->step + (random_below(2) ? 0 : random_below(9));
    }
}

/* Of item i of an axis: the number of its unit, or of its chunk. */
static int64_t group_of(const struct gt_partition_axis *axis, bool chunks, int64_t i)
{
    return chunks ? i / axis->chunk : (axis->start + i * axis->step) / axis->unit;
}

/* Every item is in one part, and every unit, or chunk, that has items. */
static bool holds_whole(const struct gt_partition *partition, const struct gt_partition_axis *axis, bool chunks)
{
    if (partition->n == 0)
        return axis->n == 0;
    bool holds = partition->at[0] == 0 && partition->at[partition->n] == axis->n;
    for (int64_t p = 0; p < partition->n && holds; p++) {
        int64_t from = partition->at[p], to = partition->at[p + 1];
        holds = from < to && to - from <= partition->widest && (p == 0 || group_of(axis, chunks, from - 1) != group_of(axis, chunks, from));
        for (int64_t i = from; i < to && holds; i++)
            holds = gt_partition_find(partition, i) == p;
    }
    return holds;
}

static int64_t count_groups(const struct gt_rechunk_request *request, bool chunks)
{
    int64_t all = 1;
    for (int k = 0; k < request->ndim; k++) {
        const struct gt_partition_axis *axis = &request->axis[k];
        int64_t n = axis->n > 0;
        for (int64_t i = 1; i < axis->n; i++)
            n += group_of(axis, chunks, i) != group_of(axis, chunks, i - 1);
        all *= n;
    }
    return all;
}

static int64_t largest_box(const struct gt_partition *partition, const struct gt_rechunk_request *request)
{
    int64_t items = 1;
    for (int i = 0; i < request->ndim; i++)
        items *= partition[i].widest;
    return items * request->item_bytes;
}

/* Pieces fill slabs and bands without gaps, and each has its place in either. */
static bool pieces_fill(const struct gt_rechunk_plan *plan, const struct gt_rechunk_request *request, bool of_slabs)
{
    const struct gt_partition *outer = of_slabs ? plan->slab : plan->band, *inner = of_slabs ? plan->band : plan->slab;
    const int64_t n_outer = of_slabs ? plan->slabs : plan->bands, n_inner = of_slabs ? plan->bands : plan->slabs;
    int64_t pieces = 0, bytes = 0;
    for (int64_t o = 0; o < n_outer; o++) {
        struct gt_box box, other;
        gt_rechunk_box(&box, outer, plan->ndim, o);
        int64_t at = 0;
        for (int64_t i = 0; i < n_inner; i++) {
            gt_rechunk_box(&other, inner, plan->ndim, i);
            struct gt_box piece = gt_box_both(&box, &other);
            if (gt_box_items(&piece) == 0)
                continue;
            if (gt_box_place(&box, &piece) != at)
                return false;
            at += gt_box_items(&piece);
            pieces++;
        }
        if (at != gt_box_items(&box))
            return false;
        bytes += at * request->item_bytes;
    }
    return pieces == plan->pieces && bytes == plan->spilled;
}

static const char *what_is_wrong(const struct gt_rechunk_plan *plan, const struct gt_rechunk_request *request)
{
    const bool spills = plan->way == GT_RECHUNK_SPILL;
    const int64_t work = request->unit_bytes > request->chunk_bytes ? request->unit_bytes : request->chunk_bytes;
    const int64_t slab = largest_box(plan->slab, request), band = largest_box(plan->band, request);
    for (int i = 0; i < request->ndim; i++) {
        if (!holds_whole(&plan->slab[i], &request->axis[i], false) || (!spills && !holds_whole(&plan->slab[i], &request->axis[i], true)))
            return "a slab has a part of a unit or chunk";
        if (!holds_whole(&plan->band[i], &request->axis[i], true))
            return "a band has a part of a chunk";
    }
    if (plan->units != count_groups(request, false) || plan->chunks != count_groups(request, true))
        return "units or chunks are miscounted";
    if (spills && !(pieces_fill(plan, request, true) && pieces_fill(plan, request, false)))
        return "pieces";
    if (plan->peak > request->memory || plan->minimum > request->memory || plan->tasks < 1 || plan->tasks > request->tasks)
        return "more memory than there is";
    if (plan->way == GT_RECHUNK_TILES && plan->peak < plan->tasks * (slab + request->unit_bytes + request->chunk_bytes))
        return "more memory than is said for tiles";
    if (spills &&
        (plan->peak < band + plan->tasks * (plan->piece_bytes > request->chunk_bytes ? plan->piece_bytes : request->chunk_bytes) ||
         plan->slab_bytes < 2 * slab + request->unit_bytes || plan->peak < plan->tasks * plan->slab_bytes))
        return "more memory than is said for slabs or bands";
    if (plan->way == GT_RECHUNK_RECODE && plan->peak < plan->tasks * (request->unit_bytes + request->chunk_bytes))
        return "more memory than is said for chunks by themselves";
    if (plan->way == GT_RECHUNK_BATCHES && plan->peak < slab + plan->tasks * work)
        return "more memory than is said";
    if (spills && request->memory >= plan->peak && plan->slabs == 1 && plan->bands == 1)
        return "a spill of what fits";
    return NULL;
}

/* Chunks may be copied, or recoded by themselves, only where those of the source have the same items, and no others. */
static bool copies_rightly(const struct gt_rechunk_plan *plan, const struct gt_rechunk_request *request)
{
    bool may = true;
    for (int k = 0; k < request->ndim; k++) {
        const struct gt_partition_axis *axis = &request->axis[k];
        bool alike = axis->unit == axis->chunk && axis->step == 1;
        for (int64_t i = 0; i < axis->n; i++)
            alike = alike && (axis->start + i) % axis->unit == i % axis->chunk;
        if (axis->n == 0)
            alike = alike && axis->start % axis->chunk == 0;
        /* the unit of the last item holds nothing that the output has not */
        int64_t after = axis->start + axis->n;
        alike = alike && (after % axis->unit == 0 || after == request->size[k] || axis->n % axis->chunk == 0);
        may = may && alike;
    }
    return (plan->way == GT_RECHUNK_COPY) == (may && request->same) &&
           (plan->way == GT_RECHUNK_RECODE) == (may && request->alike && !request->same);
}

static void test_random(void)
{
    int ways[GT_RECHUNK_TEXTS + 1] = {0}, refused = 0, wrong = 0;
    for (int turn = 0; turn < 20000; turn++) {
        struct gt_rechunk_request request;
        struct gt_rechunk_plan plan;
        struct gt_err err = {0};
        choose(&request);
        request.memory = random_below(5) ? random_below(1 << (6 + random_below(12))) : INT64_C(1) << 40;
        int status = gt_rechunk_plan_make(&plan, &request, &err);
        if (status) {
            refused++;
            wrong += status != GT_NOFIT || request.memory >= plan.minimum;
            request.memory = plan.minimum;
            gt_err_clear(&err);
            status = gt_rechunk_plan_make(&plan, &request, &err);
        }
        const char *what = status ? err.msg : what_is_wrong(&plan, &request);
        if (!what && !copies_rightly(&plan, &request))
            what = "chunks are copied that differ, or not those that do not";
        if (what) {
            wrong++;
            diag("turn %d, way %d: %s", turn, (int)plan.way, what);
        }
        ways[plan.way]++;
        gt_rechunk_plan_release(&plan);
    }
    ok(wrong == 0, "20,000 random plans hold what they say, and take the least memory that they name");
    bool of_each = refused > 200;
    for (int way = GT_RECHUNK_COPY; way <= GT_RECHUNK_SPILL; way++)
        of_each = of_each && ways[way] > 200;
    ok(of_each, "of every kind: %d copies, %d recoded, %d of tiles, %d of batches, %d spills; %d refused first", ways[GT_RECHUNK_COPY],
       ways[GT_RECHUNK_RECODE], ways[GT_RECHUNK_TILES], ways[GT_RECHUNK_BATCHES], ways[GT_RECHUNK_SPILL], refused);
}

/* 2 GiB of int8, from chunks of 1,000 whole rows to chunks of 10 whole columns. */
static void test_tall_to_wide(void)
{
    struct gt_rechunk_request request = {.ndim = 2,
                                         .axis = {{200000, 0, 1, 1000, 200000, .list = NULL}, {10000, 0, 1, 10000, 10, .list = NULL}},
                                         .size = {200000, 10000},
                                         .item_bytes = 1,
                                         .held_bytes = 10 << 20,
                                         .unit_bytes = 31 << 20,
                                         .chunk_bytes = 6 << 20,
                                         .tasks = 5};
    /* then with chunks of 25,000 rows: boxes are small enough to be faster than the file; and with too little room for a file */
    static const int64_t memory[5] = {64 << 20, 900 << 20, INT64_C(3) << 30, INT64_C(3) << 30, INT64_C(3) << 30};
    for (int i = 0; i < 5; i++) {
        struct gt_rechunk_plan plan;
        struct gt_err err = {0};
        request.memory = memory[i];
        request.axis[0].chunk = i == 3 ? 25000 : 200000;
        request.file_room = 2000000000 - (i == 4);
        if (gt_rechunk_plan_make(&plan, &request, &err)) {
            ok(false, "%s", err.msg);
            continue;
        }
        const bool spills = plan.way == GT_RECHUNK_SPILL;
        ok(spills == (i < 3) && (i < 1 || i == 4 || plan.peak < 500 << 20) && plan.spilled == (spills ? 2000000000 : 0) &&
               plan.pieces <= (i ? 6000 : 10000),
           "tall to wide with %lld MiB: way %d, %lld slabs, %lld bands, %lld pieces, peak %lld MiB", (long long)(memory[i] >> 20),
           (int)plan.way, (long long)plan.slabs, (long long)plan.bands, (long long)plan.pieces, (long long)(plan.peak >> 20));
        gt_rechunk_plan_release(&plan);
    }
}

int main(void)
{
    test_random();
    test_tall_to_wide();
    return done_testing();
}
