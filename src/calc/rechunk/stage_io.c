#include <string.h>

#include "arrays/zarr/fill.h"
#include "calc/rechunk/rechunk_internal.h"
#include "core/base/size.h"
#include "kernels/kernels.h"

void gt_rechunk_coder_init(struct gt_rechunk_coder *coder, struct gt_budget *budget)
{
    coder->raw.budget = coder->cast.budget = coder->codes.budget = coder->scratch[0].budget = coder->scratch[1].budget =
        coder->stored.budget = budget;
}

void gt_rechunk_coder_release(struct gt_rechunk_coder *coder)
{
    gt_buf_release(&coder->raw);
    gt_buf_release(&coder->cast);
    gt_buf_release(&coder->codes);
    gt_buf_release(&coder->scratch[0]);
    gt_buf_release(&coder->scratch[1]);
    gt_buf_release(&coder->stored);
}

void gt_rechunk_coder_take(struct gt_rechunk *r, struct gt_rechunk_coder *coder)
{
    *coder = (struct gt_rechunk_coder){0};
    pthread_mutex_lock(&r->lock);
    if (r->n_spare > 0)
        *coder = r->spare[--r->n_spare];
    pthread_mutex_unlock(&r->lock);
    gt_rechunk_coder_init(coder, &r->engine->budget);
}

void gt_rechunk_coder_give(struct gt_rechunk *r, struct gt_rechunk_coder *coder)
{
    pthread_mutex_lock(&r->lock);
    const bool kept = r->n_spare < r->cap_spare;
    if (kept)
        r->spare[r->n_spare++] = *coder;
    pthread_mutex_unlock(&r->lock);
    if (!kept)
        gt_rechunk_coder_release(coder);
}

/* --- memory --------------------------------------------------------------------------------- */

static int64_t cell_items(const struct gt_rechunk_end *end)
{
    int64_t items = 1;
    for (int i = 0; i < end->ndim; i++)
        items = gt_bytes_mul(items, end->cell[i]);
    return items;
}

/* Of a unit or chunk in the other type and in the other form. */
static int64_t beside(const struct gt_rechunk_end *end, bool cast)
{
    const int in_form = end->form == GT_ITEMS_PLAIN ? 0 : end->form == GT_ITEMS_PACKED ? 1 : 2;
    return gt_bytes_mul(gt_bytes_mul(cell_items(end), (int64_t)end->item), cast + in_form);
}

/* What texts of variable length take is not known before they are read: about this, each. */
enum { TEXT_BYTES = 64 };

static int64_t texts(const struct gt_rechunk_end *end)
{
    int64_t items = 1;
    for (int i = 0; i < end->ndim; i++)
        items = gt_bytes_mul(items, end->cell[i] < end->shape[i] ? end->cell[i] : end->shape[i]);
    return gt_bytes_add(gt_bytes_mul(TEXT_BYTES, items), 64 << 10);
}

/* As stored and as decoded, and what codecs need in between. */
int64_t gt_rechunk_unit_bytes(const struct gt_rechunk_end *from, bool cast)
{
    if (from->type == GT_STRING)
        return texts(from);
    return gt_bytes_add(gt_bytes_add(gt_bytes_mul(3, (int64_t)from->array->unit_bytes), beside(from, cast)), 64 << 10);
}

int64_t gt_rechunk_chunk_bytes(const struct gt_rechunk_end *to, bool cast)
{
    const struct gt_array *array = to->array;
    const bool text = to->type == GT_STRING;
    bool exact;
    size_t bound = text ? 0 : gt_codec_bound(array->codecs, &exact);
    int64_t coding = gt_bytes_add((int64_t)bound, gt_codec_encode_bytes(array->codecs, text ? (size_t)texts(to) : array->chunk_bytes));
    if (text)
        return gt_bytes_add(texts(to), coding);
    return gt_bytes_add(gt_bytes_add(gt_bytes_mul(2, (int64_t)array->chunk_bytes), beside(to, cast)), gt_bytes_add(coding, 64 << 10));
}

/* --- units ------------------------------------------------------------------------------------- */

int gt_rechunk_fetch_held(struct gt_rechunk *r, struct gt_chunk *const *units, int64_t n, struct gt_err *err)
{
    int64_t bytes = 0;
    int status = gt_cache_fetch(r->cache, units, (size_t)n, &bytes, err);
    atomic_fetch_add(&r->bytes_read, bytes);
    gt_flow_bytes(bytes);
    return status;
}

static int unpack(const struct gt_rechunk *r, const struct gt_buf *raw, struct gt_buf *dosages, struct gt_err *err)
{
    const size_t row = (size_t)r->from.array->unit[1], rows = (size_t)r->from.array->unit[0];
    int status = gt_buf_resize(dosages, 4 * row * rows, err);
    for (size_t i = 0; i < rows && !status; i++)
        gt_kernels()->unpack_i8(raw->data + i * row, (int64_t)(4 * row), (int8_t *)dosages->data + i * 4 * row);
    return status;
}

/* A decoded unit in the form and the type that items have in the room. */
static int turn_in(const struct gt_rechunk *r, enum gt_type type, const struct gt_chunk *unit, const struct gt_box *items,
                   struct gt_rechunk_coder *coder, const uint8_t **data, struct gt_err *err)
{
    struct gt_rechunk_numbers numbers = {.items = items, .type = r->from.type, .n = cell_items(&r->from)};
    int status = 0;
    *data = unit->raw.data;
    if (r->from.form == GT_ITEMS_PACKED) {
        status = unpack(r, &unit->raw, &coder->codes, err);
        *data = coder->codes.data;
    } else if (r->from.form == GT_ITEMS_CALLS) {
        status = gt_rechunk_calls_in(r, &unit->raw, &coder->codes, err);
        *data = coder->codes.data;
    }
    if (status || type == r->from.type)
        return status;
    numbers.place = gt_rechunk_unit_place(r, unit->index);
    numbers.data = *data;
    status = gt_rechunk_cast(r, &numbers, type, &coder->cast, err);
    *data = coder->cast.data;
    return status;
}

static int64_t count_units(const struct gt_rechunk *r, int64_t count[GT_MAX_DIMS])
{
    int64_t n = 1;
    for (int k = 0; k < r->from.ndim; k++)
        n = gt_bytes_mul(n, count[k] = gt_ceil_div(r->from.shape[k], r->from.cell[k]));
    return n;
}

static _Atomic uint8_t *absent_at(const struct gt_rechunk *r, const int64_t *index)
{
    int64_t count[GT_MAX_DIMS];
    count_units(r, count);
    return (_Atomic uint8_t *)(void *)r->absent.data + gt_nd_number(r->from.ndim, count, index);
}

/* Has the plan room for the buffers that the cache keeps for later units: at most those of all tasks, as stored and as decoded? */
static bool has_room_for_kept(const struct gt_rechunk *r)
{
    return gt_rechunk_left(r) >= gt_bytes_mul(2 * r->plan.tasks, r->request.held_bytes);
}

int gt_rechunk_decode(struct gt_rechunk *r, const struct gt_rechunk_room *room, struct gt_chunk *unit, const struct gt_box *items,
                      struct gt_rechunk_coder *coder, struct gt_err *err)
{
    const uint8_t *data;
    int status = gt_cache_decode(r->cache, unit, coder->scratch, err);
    if (!status)
        status = turn_in(r, room->type, unit, items, coder, &data, err);
    if (!status)
        gt_rechunk_fill(r, room, unit->index, items, data);
    if (!status && unit->absent && r->absent.len)
        atomic_store(absent_at(r, unit->index), 1);
    gt_cache_give(r->cache, unit);
    if (!has_room_for_kept(r))
        gt_cache_trim(r->cache);
    return status;
}

/* --- chunks ------------------------------------------------------------------------------------- */

static int pack(const struct gt_rechunk *r, const struct gt_buf *dosages, struct gt_buf *codes, struct gt_err *err)
{
    const size_t row = (size_t)r->to.array->chunk[1], rows = (size_t)r->to.array->chunk[0];
    int above = 0, status = gt_buf_resize(codes, row * rows, err);
    for (size_t i = 0; i < rows && !status; i++)
        above |= gt_kernels()->pack_i8((const int8_t *)dosages->data + i * 4 * row, (int64_t)(4 * row), codes->data + i * row);
    if (!status && above) {
        status = gt_fail(err, GT_INPUT, "'%s' has dosages above 2, which packed genotypes cannot have", gt_rechunk_name(r->from.array));
        gt_hint(err, "keep them as int8 with --layout plain");
    }
    return status;
}

/* raw, items as in the room, becomes a chunk of the output in one of the coder's buffers. */
static int turn_out(const struct gt_rechunk *r, const int64_t *index, const struct gt_box *items, struct gt_rechunk_coder *coder,
                    const struct gt_buf **chunk, struct gt_err *err)
{
    int status = 0;
    *chunk = &coder->raw;
    if (r->type != r->to.type) {
        const struct gt_rechunk_numbers numbers = {.items = items,
                                                   .place = gt_rechunk_chunk_position(r, index),
                                                   .type = r->type,
                                                   .data = coder->raw.data,
                                                   .n = cell_items(&r->to)};
        status = gt_rechunk_cast(r, &numbers, r->to.type, &coder->cast, err);
        *chunk = &coder->cast;
    }
    if (!status && r->to.form == GT_ITEMS_PACKED) {
        status = pack(r, *chunk, &coder->codes, err);
        *chunk = &coder->codes;
    } else if (!status && r->to.form != GT_ITEMS_PLAIN) {
        status = gt_rechunk_calls_out(r, *chunk, &coder->codes, err);
        *chunk = &coder->codes;
    }
    return status;
}

/* --- chunks that are not written ----------------------------------------------------------------------- */

static bool begins_with_fill(const struct gt_array *array, const struct gt_buf *raw)
{
    const size_t size = array->dtype.size;
    if (gt_type_is_text(array->dtype.type) || size == 0 || size > sizeof array->fill || raw->len < size)
        return false;
    return memcmp(raw->data, array->fill, size) == 0;
}

/* Has the chunk nothing but fill values? */
static bool is_empty(const struct gt_array *array, const struct gt_buf *raw)
{
    const size_t size = array->dtype.size;
    return begins_with_fill(array, raw) && memcmp(raw->data, raw->data + size, raw->len - size) == 0;
}

/* Are all units absent that the chunk has items of?  Then these are all the same. */
static bool is_of_absent(const struct gt_rechunk *r, const struct gt_box *items)
{
    int64_t count[GT_MAX_DIMS], index[GT_MAX_DIMS];
    struct gt_box part;
    bool all = r->absent.len > 0;
    for (int64_t i = 0, n = gt_rechunk_units(r, items, count); i < n && all; i++) {
        gt_rechunk_unit(r, items, count, i, index, &part);
        all = atomic_load(absent_at(r, index)) || !gt_rechunk_unit_has(r, items, index);
    }
    return all;
}

/* Units of larger arrays are not noted, so that slicing them needs little memory. */
enum { MOST_NOTED = 4 << 20 };

int64_t gt_rechunk_absent_bytes(const struct gt_rechunk *r)
{
    int64_t count[GT_MAX_DIMS];
    const int64_t n = count_units(r, count);
    return r->to.drop_absent && !r->to.drop_empty && n <= MOST_NOTED ? n : 0;
}

/* What a chunk at an edge has behind the array's end: fill values, as zarr-python writes there, so that it counts as empty too; of
 * genotypes 0. */
static int fill_up(const struct gt_rechunk *r, struct gt_buf *raw, struct gt_err *err)
{
    const struct gt_array *array = r->type == r->to.type ? r->to.array : r->from.array;
    if (r->from.form == GT_ITEMS_PLAIN && r->to.form == GT_ITEMS_PLAIN && array->dtype.size == r->item)
        return gt_fill_chunk(array, raw->len / r->item, raw, err);
    memset(raw->data, 0, raw->len);
    return GT_OK;
}

int gt_rechunk_encode(struct gt_rechunk *r, const struct gt_rechunk_room *room, const int64_t *index, const struct gt_box *items,
                      struct gt_rechunk_coder *coder, struct gt_buf *stored, struct gt_err *err)
{
    const int64_t bytes = cell_items(&r->to) * (int64_t)r->item;
    const struct gt_buf *chunk;
    int status = gt_buf_resize(&coder->raw, (size_t)bytes, err);
    if (status)
        return status;
    const struct gt_box whole = gt_rechunk_reduced(r, items);
    if (gt_box_items(&whole) * (int64_t)r->item < bytes && (status = fill_up(r, &coder->raw, err)) != 0)
        return status;
    gt_rechunk_take(r, room, index, items, coder->raw.data);
    status = turn_out(r, index, &whole, coder, &chunk, err);
    if (!status && is_of_absent(r, items) && begins_with_fill(r->to.array, chunk))
        return gt_buf_resize(stored, 0, err);
    return status ? status : gt_rechunk_encode_chunk(r, chunk, r->to.drop_empty, stored, coder->scratch, err);
}

int gt_rechunk_encode_chunk(struct gt_rechunk *r, const struct gt_buf *raw, bool drop, struct gt_buf *stored, struct gt_buf scratch[2],
                            struct gt_err *err)
{
    if (drop && is_empty(r->to.array, raw))
        return gt_buf_resize(stored, 0, err);
    const int stopped = gt_engine_stopped(r->engine); /* a box may have 100,000 chunks */
    return stopped ? stopped : gt_array_encode(r->to.array, raw, stored, scratch, err);
}

/* --- chunks that a run before has written ----------------------------------------------------------- */

static void count_kept(struct gt_rechunk *r, int64_t chunks, int64_t bytes)
{
    atomic_fetch_add(&r->chunks_kept, chunks);
    atomic_fetch_add(&r->bytes_kept, bytes);
}

/* The index in the array of a chunk of the part. */
static const int64_t *in_array(const struct gt_rechunk *r, const int64_t *index, int64_t to[GT_MAX_DIMS])
{
    for (int k = 0; k < r->to.array->ndim; k++)
        to[k] = index[k] + r->to.first[k];
    return to;
}

int gt_rechunk_chunk_done(struct gt_rechunk *r, const int64_t *index, bool *kept, struct gt_err *err)
{
    int64_t size, at[GT_MAX_DIMS];
    int status = gt_array_done(r->to.array, in_array(r, index, at), &size, err);
    *kept = status == GT_OK;
    if (*kept)
        count_kept(r, 1, size);
    return status == GT_NOENT ? GT_OK : status;
}

int gt_rechunk_box_done(struct gt_rechunk *r, const struct gt_box *box, bool *kept, struct gt_err *err)
{
    int64_t count[GT_MAX_DIMS], index[GT_MAX_DIMS], at[GT_MAX_DIMS], size, bytes = 0;
    const int64_t n = gt_rechunk_chunks(r, box, count);
    struct gt_box items;
    int status = GT_OK;
    for (int64_t i = 0; i < n && !status; i++) {
        gt_rechunk_chunk(r, box, count, i, index, &items);
        status = gt_array_done(r->to.array, in_array(r, index, at), &size, err);
        bytes += size;
    }
    *kept = status == GT_OK;
    if (*kept)
        count_kept(r, n, bytes);
    return status == GT_NOENT ? GT_OK : status;
}

int gt_rechunk_put(struct gt_rechunk *r, const int64_t *index, const struct gt_buf *stored, struct gt_err *err)
{
    int64_t at[GT_MAX_DIMS];
    if (!stored->len && (r->to.drop_absent || r->to.drop_empty))
        return GT_OK;
    const int stopped = gt_engine_stopped(r->engine);
    if (stopped)
        return stopped;
    atomic_fetch_add(&r->bytes_written, (int64_t)stored->len);
    return gt_array_put(r->to.array, in_array(r, index, at), stored, err);
}
