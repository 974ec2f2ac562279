#include "calc/rechunk/plan.h"

#include "core/base/size.h"
#include "core/engine/memory_plan.h"

/* The sides of boxes, 1 along axes that are folded, that are cut at the same places: none narrower than the narrowest that
 * may be, and those that are wanted up to `width`. */
struct sides {
    enum gt_partition_at where;
    int64_t narrow[GT_MAX_DIMS], width[GT_MAX_DIMS];
    int64_t parts[GT_MAX_DIMS]; /* of narrow ones */
};

static void measure(struct sides *sides, const struct gt_rechunk_request *request, enum gt_partition_at where)
{
    sides->where = where;
    for (int i = 0; i < request->ndim; i++) {
        gt_partition_measure(&request->axis[i], where, &sides->narrow[i], &sides->parts[i]);
        if (request->axis[i].reduced)
            sides->narrow[i] = gt_min_i64(1, sides->narrow[i]);
        sides->width[i] = sides->narrow[i];
    }
}

static int64_t product(const int64_t *of, int n)
{
    int64_t all = 1;
    for (int i = 0; i < n; i++)
        all = gt_bytes_mul(all, of[i]);
    return all;
}

static int64_t side_bytes(const struct sides *sides, const struct gt_rechunk_request *request)
{
    return gt_bytes_mul(product(sides->width, request->ndim), request->item_bytes);
}

/* Units or chunks at work next to a box of that many bytes: they get half of the memory, or what
 * the box leaves. */
static int64_t choose_tasks(const struct gt_rechunk_request *request, int64_t box, int64_t each)
{
    int64_t half = request->memory / 2, rest = request->memory - box, room = gt_min_i64(half, rest);
    int64_t n = each > 0 ? room / each : request->tasks;
    return gt_max_i64(1, gt_min_i64(request->tasks, n));
}

/* Has an axis a list that mixes units? */
static bool is_mixed(const struct gt_rechunk_request *request)
{
    bool mixed = false;
    for (int i = 0; i < request->ndim; i++)
        mixed = mixed || (request->axis[i].list && request->axis[i].list->order);
    return mixed;
}

/* --- one pass ---------------------------------------------------------------------------- */

/* Wider boxes than this are no faster. */
enum { GOOD_BOX = 256 << 20 };

/* Wider boxes, the last axis first, so that chunks are written in their order. */
static void widen(struct sides *sides, const struct gt_rechunk_request *request, int64_t bytes)
{
    for (int i = request->ndim - 1; i >= 0; i--) {
        int64_t others = side_bytes(sides, request) / gt_max_i64(1, sides->width[i]),
                n = request->axis[i].reduced ? sides->width[i] : request->axis[i].n;
        int64_t fits = others > 0 ? bytes / others : n;
        sides->width[i] = gt_max_i64(sides->width[i], gt_min_i64(n, fits));
        if (sides->width[i] < n)
            return;
    }
}

/* Boxes of one chunk each, or many of them: threads need not share one. */
static bool are_many(const struct sides *sides, const struct gt_rechunk_plan *plan, const struct gt_rechunk_request *request)
{
    int64_t tiles = product(sides->parts, request->ndim);
    return tiles >= gt_bytes_mul(4, request->tasks) || (tiles == plan->units && tiles == plan->chunks);
}

static void plan_one_pass(struct gt_rechunk_plan *plan, struct sides *sides, const struct gt_rechunk_request *request)
{
    int64_t box = side_bytes(sides, request), both = gt_bytes_add(request->unit_bytes, request->chunk_bytes);
    int64_t work = gt_max_i64(request->unit_bytes, request->chunk_bytes), tile = gt_bytes_add(box, both);
    if (!is_mixed(request) && !request->whole_boxes && request->memory / gt_max_i64(1, tile) >= request->tasks &&
        are_many(sides, plan, request)) {
        plan->way = GT_RECHUNK_TILES;
        plan->tasks = request->tasks;
        plan->peak = gt_bytes_mul(plan->tasks, tile);
        return;
    }
    plan->way = plan->way == GT_RECHUNK_GATHER ? GT_RECHUNK_GATHER : GT_RECHUNK_BATCHES;
    plan->tasks = choose_tasks(request, box, work);
    const int64_t most = plan->way == GT_RECHUNK_GATHER ? INT64_MAX : GOOD_BOX;
    widen(sides, request, gt_min_i64(most, request->memory - gt_bytes_mul(plan->tasks, work)));
    plan->peak = gt_bytes_add(side_bytes(sides, request), gt_bytes_mul(plan->tasks, work));
}

/* Bytes of all items. */
static int64_t all_bytes(const struct gt_rechunk_request *request)
{
    int64_t bytes = request->item_bytes;
    for (int i = 0; i < request->ndim; i++)
        bytes = gt_bytes_mul(bytes, request->axis[i].n);
    return bytes;
}

/* Where a piece stands in the file; and bytes from which on it is no matter where. */
enum { HEAD_BYTES = 16, GOOD_PIECE = 512 << 10 };

/* --- slabs and bands ----------------------------------------------------------------------- */

/* Pieces along an axis, about: where both are cut a piece ends. */
static double pieces_along(const struct gt_partition_axis *axis, int64_t slab, int64_t band)
{
    return axis->n ? (double)gt_ceil_div(axis->n, slab) + (double)gt_ceil_div(axis->n, band) - 1 : 1;
}

/* One axis of the sides grows by a quarter: that which leaves the fewest pieces.  false: none
 * has room. */
static bool grow(struct sides *sides, const struct sides *other, const struct gt_rechunk_request *request, int64_t bytes)
{
    int best = -1;
    int64_t best_width = 0;
    double best_share = 2;
    for (int i = 0; i < request->ndim; i++) {
        const struct gt_partition_axis *axis = &request->axis[i];
        int64_t old = sides->width[i], width = gt_min_i64(axis->n, old + gt_max_i64(sides->narrow[i], old / 4));
        sides->width[i] = width;
        bool fits = width > old && side_bytes(sides, request) <= bytes;
        sides->width[i] = old;
        if (!fits)
            continue;
        double part = pieces_along(axis, width, other->width[i]) / pieces_along(axis, old, other->width[i]);
        if (part < best_share)
            best = i, best_share = part, best_width = width;
    }
    if (best >= 0)
        sides->width[best] = best_width;
    return best >= 0;
}

static int64_t count_pieces(const struct gt_partition *a, const struct gt_partition *b)
{
    int64_t n = 0;
    for (int64_t i = 0, k = 0; i < a->n && k < b->n; n++) {
        int64_t end = gt_min_i64(a->at[i + 1], b->at[k + 1]);
        i += a->at[i + 1] == end;
        k += b->at[k + 1] == end;
    }
    return n;
}

/* Memory of a slab, its stored units (except the one being decoded, whose memory is counted elsewhere), and the parts of this or the
 * previous slab with their headers. */
static int64_t slab_bytes(const struct sides *slab, const struct sides *band, const struct gt_rechunk_request *request)
{
    int64_t box = side_bytes(slab, request), units = 1, pieces = 1;
    for (int i = 0; i < request->ndim; i++) {
        units = gt_bytes_mul(units, gt_ceil_div(slab->width[i], gt_max_i64(1, slab->narrow[i])));
        pieces = gt_bytes_mul(pieces, gt_min_i64(slab->width[i], gt_ceil_div(slab->width[i], gt_max_i64(1, band->width[i])) + 1));
    }
    int64_t aside = gt_bytes_add(box, gt_bytes_mul(pieces, HEAD_BYTES)), held = gt_bytes_mul(gt_max_i64(1, units) - 1, request->held_bytes);
    return gt_bytes_add(gt_bytes_add(box, aside), gt_bytes_add(held, request->unit_bytes));
}

/* What each of the threads at work on a band takes in addition to it: a piece that is read back, or a chunk. */
static int64_t band_work(const struct sides *slab, const struct sides *band, const struct gt_rechunk_request *request)
{
    return gt_max_i64(gt_min_i64(side_bytes(slab, request), side_bytes(band, request)), request->chunk_bytes);
}

static int64_t band_bytes(const struct gt_rechunk_plan *plan, const struct sides *slab, const struct sides *band,
                          const struct gt_rechunk_request *request)
{
    return gt_bytes_add(side_bytes(band, request), gt_bytes_mul(plan->tasks, band_work(slab, band, request)));
}

static int64_t spill_bytes(const struct gt_rechunk_plan *plan, const struct sides *slab, const struct sides *band,
                           const struct gt_rechunk_request *request)
{
    return gt_max_i64(gt_bytes_mul(plan->tasks, slab_bytes(slab, band, request)), band_bytes(plan, slab, band, request));
}

/* Are bands as large as is of use: their pieces of slabs of a good length, and chunks for all threads? */
static bool are_good(const struct sides *band, const struct sides *slab, const struct gt_rechunk_request *request)
{
    const double bands = (double)all_bytes(request) / (double)gt_max_i64(1, side_bytes(band, request));
    int64_t chunks = 1;
    for (int i = 0; i < request->ndim; i++)
        chunks = gt_bytes_mul(chunks, gt_ceil_div(band->width[i], gt_max_i64(1, band->narrow[i])));
    return (double)side_bytes(slab, request) >= bands * GOOD_PIECE && chunks >= 4 * request->tasks;
}

/* Bands, and then slabs, grow until they are good; memory that is touched for the first time is not for nothing. */
static void plan_spill(struct gt_rechunk_plan *plan, struct sides *slab, struct sides *band, const struct gt_rechunk_request *request)
{
    plan->way = GT_RECHUNK_SPILL;
    for (plan->tasks = gt_max_i64(1, request->tasks); plan->tasks > 1;) {
        const int64_t enough =
            plan->tasks > 2 ? request->memory / 2 : request->memory; /* one that decodes and one that writes gain more than large bands */
        if (spill_bytes(plan, slab, band, request) <= enough)
            break;
        plan->tasks--;
    }
    for (struct sides wider = *band; !are_good(band, slab, request) && grow(&wider, slab, request, request->memory) &&
                                     spill_bytes(plan, slab, &wider, request) <= request->memory;)
        *band = wider;
    for (struct sides wider = *slab; !are_good(band, slab, request) && grow(&wider, band, request, request->memory) &&
                                     spill_bytes(plan, &wider, band, request) <= request->memory;)
        *slab = wider;
    plan->slab_bytes = slab_bytes(slab, band, request);
    plan->piece_bytes = gt_min_i64(side_bytes(slab, request), side_bytes(band, request));
    plan->peak = spill_bytes(plan, slab, band, request);
}

/* A large box, or the file in its place if that costs less and has room.  Prices are seconds of all threads for a GB: memory that is
 * touched for the first time takes 0.2 to 3 of them, the most on virtual machines, whose hosts must find it first. */
static void plan_file(struct gt_rechunk_plan *plan, const struct sides *box, struct sides *slab, struct sides *band,
                      const struct gt_rechunk_request *request)
{
    static const double touch = 2, through_file = 1.2;
    struct gt_rechunk_plan file = *plan;
    const int64_t bytes = side_bytes(box, request);
    if (plan->way != GT_RECHUNK_BATCHES || bytes <= GOOD_BOX || is_mixed(request) || request->whole_boxes ||
        all_bytes(request) > request->file_room)
        return;
    plan_spill(&file, slab, band, request);
    if (file.peak <= request->memory / 2 && touch * (double)file.peak + through_file * (double)all_bytes(request) < touch * (double)bytes)
        *plan = file;
}

/* --- all --------------------------------------------------------------------------------- */

/* Are chunks of the output chunks of the source, with nothing else in them? */
static bool same_grid(const struct gt_rechunk_request *request)
{
    for (int i = 0; i < request->ndim; i++) {
        const struct gt_partition_axis *axis = &request->axis[i];
        if (axis->list || axis->step != 1 || axis->unit != axis->chunk || axis->start % axis->chunk != 0 ||
            (axis->n % axis->chunk != 0 && axis->start + axis->n != request->size[i]))
            return false;
    }
    return true;
}

static int64_t count_units(const struct gt_rechunk_request *request)
{
    int64_t units = 1;
    for (int i = 0; i < request->ndim; i++)
        units = gt_bytes_mul(units, gt_partition_cells(&request->axis[i], GT_PARTITION_UNITS, 0, request->axis[i].n));
    return units;
}

static int cut(struct gt_partition *partition, const struct sides *sides, const struct gt_rechunk_request *request, int64_t *boxes,
               struct gt_err *err)
{
    *boxes = 1;
    for (int i = 0; i < request->ndim; i++) {
        int status = gt_partition_make(&partition[i], &request->axis[i], sides->where,
                                       request->axis[i].reduced ? request->axis[i].n : sides->width[i], err);
        if (status)
            return status;
        *boxes = gt_bytes_mul(*boxes, partition[i].n);
    }
    return 0;
}

/* Of the units that boxes have items of, in all. */
static int64_t count_decodes(const struct gt_partition *partition, const struct gt_rechunk_request *request)
{
    int64_t all = 1;
    for (int k = 0; k < request->ndim; k++) {
        int64_t units = 0;
        for (int64_t i = 0; i < partition[k].n; i++)
            units += gt_partition_cells(&request->axis[k], GT_PARTITION_UNITS, partition[k].at[i], partition[k].at[i + 1]);
        all = gt_bytes_mul(all, units);
    }
    return all;
}

static int cut_all(struct gt_rechunk_plan *plan, const struct sides *slab, const struct sides *band,
                   const struct gt_rechunk_request *request, struct gt_err *err)
{
    int status = cut(plan->slab, slab, request, &plan->slabs, err);
    if (!status)
        status = cut(plan->band, band, request, &plan->bands, err);
    if (!status && (plan->way == GT_RECHUNK_TEXTS || plan->way == GT_RECHUNK_GATHER))
        plan->decodes = count_decodes(plan->band, request);
    if (status || plan->way != GT_RECHUNK_SPILL)
        return status;
    plan->pieces = 1;
    for (int i = 0; i < request->ndim; i++)
        plan->pieces = gt_bytes_mul(plan->pieces, count_pieces(&plan->slab[i], &plan->band[i]));
    plan->spilled = all_bytes(request);
    return 0;
}

static int does_not_fit(const struct gt_rechunk_plan *plan, const struct gt_rechunk_request *request, struct gt_err *err)
{
    char least_size[GT_NUM_LEN], memory[GT_NUM_LEN];
    return gt_fail(err, GT_NOFIT, "%s of memory for data is less than the largest chunks need (%s)",
                   gt_format_size(memory, request->memory), gt_format_size(least_size, plan->minimum));
}

int gt_rechunk_plan_make(struct gt_rechunk_plan *plan, const struct gt_rechunk_request *request, struct gt_err *err)
{
    struct sides box, slab, band;
    int status;
    measure(&box, request, GT_PARTITION_BOTH);
    measure(&slab, request, GT_PARTITION_UNITS);
    measure(&band, request, GT_PARTITION_CHUNKS);
    const int64_t work = gt_max_i64(request->unit_bytes, request->chunk_bytes), one_pass = gt_bytes_add(side_bytes(&box, request), work),
                  gather = gt_bytes_add(side_bytes(&band, request), work);
    *plan = (struct gt_rechunk_plan){.ndim = request->ndim,
                                     .units = count_units(request),
                                     .decodes = count_units(request),
                                     .chunks = product(band.parts, request->ndim),
                                     .tasks = 1};
    plan->minimum = gt_min_i64(one_pass, request->whole_boxes ? one_pass
                                         : is_mixed(request)  ? gather
                                                              : spill_bytes(plan, &slab, &band, request));
    if (request->same && same_grid(request)) {
        plan->minimum = request->chunk_bytes;
        plan->tasks = gt_max_i64(1, gt_min_i64(request->tasks, request->memory / gt_max_i64(1, request->chunk_bytes)));
        plan->peak = gt_bytes_mul(plan->tasks, request->chunk_bytes);
    } else if (request->alike && same_grid(request)) {
        plan->way = GT_RECHUNK_RECODE;
        plan->minimum = gt_bytes_add(request->unit_bytes, request->chunk_bytes);
        plan->tasks = gt_max_i64(1, gt_min_i64(request->tasks, request->memory / gt_max_i64(1, plan->minimum)));
        plan->peak = gt_bytes_mul(plan->tasks, plan->minimum);
    } else if (request->texts) {
        plan->way = GT_RECHUNK_TEXTS;
        plan->minimum = gt_bytes_add(request->unit_bytes, request->chunk_bytes);
        plan->tasks = gt_max_i64(1, gt_min_i64(request->tasks, request->memory / gt_max_i64(1, plan->minimum)));
        plan->peak = gt_bytes_mul(plan->tasks, plan->minimum);
    } else if (one_pass <= request->memory || request->whole_boxes) {
        plan_one_pass(plan, &box, request);
        plan_file(plan, &box, &slab, &band, request);
    } else if (is_mixed(request)) {
        plan->way = GT_RECHUNK_GATHER;
        plan_one_pass(plan, &band, request);
        box = band;
    } else {
        plan_spill(plan, &slab, &band, request);
    }
    if (request->memory < plan->minimum)
        return does_not_fit(plan, request, err);
    bool apart = plan->way == GT_RECHUNK_SPILL || plan->way == GT_RECHUNK_TEXTS;
    status = cut_all(plan, apart ? &slab : &box, apart ? &band : &box, request, err);
    if (status)
        gt_rechunk_plan_release(plan);
    return status;
}

void gt_rechunk_plan_release(struct gt_rechunk_plan *plan)
{
    for (int i = 0; i < plan->ndim; i++) {
        gt_partition_release(&plan->slab[i]);
        gt_partition_release(&plan->band[i]);
    }
}

void gt_rechunk_box(struct gt_box *box, const struct gt_partition *partition, int ndim, int64_t i)
{
    box->ndim = ndim;
    for (int k = ndim - 1; k >= 0; k--) {
        int64_t part = i % partition[k].n;
        box->from[k] = partition[k].at[part];
        box->to[k] = partition[k].at[part + 1];
        i /= partition[k].n;
    }
}

int64_t gt_rechunk_box_number(const struct gt_box *box, const struct gt_partition *partition)
{
    int64_t number = 0;
    for (int k = 0; k < box->ndim; k++)
        number = number * partition[k].n + gt_partition_find(&partition[k], box->from[k]);
    return number;
}
