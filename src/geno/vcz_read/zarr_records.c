/* Records of a pass: which chunks the columns of records take (geno/model/record_columns.h), and those of a task, held. */
#include "geno/vcz_read/zarr_records.h"

#include "core/base/mem.h"
#include "core/base/size.h"
#include "core/engine/memory_plan.h"
#include "geno/select/filter.h"

/* --- the plan of a pass ----------------------------------------------------------------- */

/* Chunks of a row of the grid. */
static int64_t columns_of(const struct gt_array *a)
{
    int64_t n = 1;

    for (int i = 1; i < a->ndim; i++)
        if (!gt_mul_i64(n, gt_array_units(a, i), &n))
            return INT64_MAX / 4;
    return n;
}

/* A text that is not known takes about so much, with its NUL. */
enum { TEXT_BYTES = 6 };

int64_t zr_record_bytes(const struct zarr_reader *r, int64_t n_samples)
{
    int64_t sum = 0;

    for (size_t i = 0; i < r->n_fields; i++) {
        const struct zr_field *field = zr_fields(r) + i;
        const int64_t values = gt_bytes_mul(zr_of_calls(field) ? n_samples : 1, zr_width(field));
        const int64_t size = zr_is_text(field) ? TEXT_BYTES : (int64_t)field->column.array->dtype.size;
        sum = gt_bytes_add(sum, gt_bytes_add(gt_bytes_mul(values, size), 12));
    }
    return sum;
}

void zr_record_chunks(const struct zarr_reader *r, int64_t *largest, int64_t *all)
{
    *largest = *all = 0;
    for (size_t i = 0; i < r->n_fields; i++) {
        const struct zr_field *field = zr_fields(r) + i;
        const struct gt_array *a = field->column.array;
        const int64_t bytes = zr_is_text(field) ? gt_bytes_mul(2 * TEXT_BYTES, (int64_t)a->unit_items) : (int64_t)a->unit_bytes;
        *largest = bytes > *largest ? bytes : *largest;
        *all = gt_bytes_add(*all, gt_bytes_mul(bytes, columns_of(a)));
    }
}

/* Samples that are kept by the column of chunks they are in: pairs of their place in the output and
 * in the chunk.  Nothing when all are kept as they stand. */
static int plan_samples(const struct zarr_reader *r, struct zr_field *field, struct gt_err *err)
{
    const struct gt_array *a = field->column.array;
    int64_t n;
    const uint32_t *kept = zr_of_calls(field) ? gt_filter_samples(r->base.filter, &n) : NULL;
    int status = 0;

    field->take.len = field->take_from.len = 0;
    if (!kept)
        return 0;
    status = zr_want_columns(r, a, 1, &field->column.wanted, err);
    if (status)
        return status;
    const int64_t columns = gt_array_units(a, 1);
    status = gt_buf_zeros(&field->take_from, (size_t)(columns + 2) * sizeof(uint32_t), err);
    if (!status)
        status = gt_buf_resize(&field->take, (size_t)n * 2 * sizeof(uint32_t), err);
    if (status)
        return status;
    uint32_t *from = (uint32_t *)(void *)field->take_from.data, *take = (uint32_t *)(void *)field->take.data;
    for (int64_t i = 0; i < n; i++)
        from[kept[i] / a->unit[1] + 2]++;
    for (int64_t c = 2; c < columns + 2; c++)
        from[c] += from[c - 1];
    for (int64_t i = 0; i < n; i++) {
        uint32_t at = from[kept[i] / a->unit[1] + 1]++;
        take[2 * at] = (uint32_t)i;
        take[2 * at + 1] = (uint32_t)(kept[i] % a->unit[1]);
    }
    return 0;
}

/* INFO/AC, AN and AF of all samples are not those of some. */
static enum zr_recount recount_of(const struct zarr_reader *r, const struct zr_field *field)
{
    const enum gt_type type = field->column.array->dtype.type;
    const bool whole = type >= GT_I8 && type <= GT_U64;

    if (field->kind != GT_RECORD_INFO || field->literal || !gt_select_recounts(r->select))
        return ZR_AS_STORED;
    if (strcmp(field->name, "AF") == 0)
        return type >= GT_F16 && type <= GT_F64 ? ZR_COUNT_AF : ZR_AS_STORED;
    return !whole                           ? ZR_AS_STORED
           : strcmp(field->name, "AC") == 0 ? ZR_COUNT_AC
           : strcmp(field->name, "AN") == 0 ? ZR_COUNT_AN
                                            : ZR_AS_STORED;
}

/* Places of columns in a record. */
static int plan_columns(struct zarr_reader *r, struct gt_err *err)
{
    struct gt_record_columns *columns = &r->record_columns;
    struct gt_record_column *list =
        columns->list ? (struct gt_record_column *)(uintptr_t)columns->list : gt_alloc(r->n_fields + 1, sizeof *list, err);

    if (!list)
        return GT_FAIL;
    *columns = (struct gt_record_columns){.list = list, .n = r->n_fields};
    gt_filter_samples(r->base.filter, &columns->n_samples);
    for (size_t i = 0; i < r->n_fields; i++) {
        struct zr_field *field = zr_fields(r) + i;
        struct gt_dtype t = field->column.array->dtype;
        field->recount = recount_of(r, field);
        if (field->recount)
            t = (struct gt_dtype){.type = field->recount == ZR_COUNT_AF ? GT_F32 : GT_I32, .size = 4};
        const bool text = zr_is_text(field);
        const int64_t values = gt_bytes_mul(zr_of_calls(field) ? columns->n_samples : 1, zr_width(field));
        const int64_t bytes = text ? 4 : gt_bytes_mul(values, (int64_t)t.size);
        list[i] = (struct gt_record_column){
            field->name, field->kind, text ? GT_STRING : t.type, text ? 0 : t.size, zr_width(field), columns->fixed, 0, field->literal};
        if (field->literal && !field[-1].recount)
            list[i - 1].literal = columns->fixed;
        if (bytes > INT32_MAX - 8 - (int64_t)columns->fixed)
            return gt_fail(err, GT_NOFIT, "'%s': a record with '%s' is larger than 2 GiB", r->base.info.name, field->column.array->path);
        columns->fixed += ((size_t)bytes + 7) / 8 * 8;
    }
    return 0;
}

int zr_records_begin(struct zarr_reader *r, int64_t memory, struct gt_err *err)
{
    int64_t largest, all;
    int status = zr_wants_records(r) ? plan_columns(r, err) : 0;

    if (status || !zr_wants_records(r))
        return status;
    zr_record_chunks(r, &largest, &all);
    for (size_t i = 0; i < r->n_fields && !status; i++) {
        struct zr_field *field = zr_fields(r) + i;
        struct gt_cache_opts opts = {.budget = &r->base.engine->budget,
                                     .texts = zr_is_text(field),
                                     .few = true,
                                     .ordered = r->store->stream || all <= memory / 4,
                                     .behind = r->store->stream ? 0 : 1};
        field->take.budget = field->take_from.budget = field->column.fill.budget = field->column.wanted.budget = &r->base.engine->budget;
        status = plan_samples(r, field, err);
        if (!status && field->kind != GT_RECORD_ALLELES)
            status = gt_cache_new(&field->column.cache, field->column.array, &opts, err);
    }
    return status;
}

void zr_records_end(struct zarr_reader *r)
{
    for (size_t i = 0; i < r->n_fields; i++) {
        gt_cache_free(zr_fields(r)[i].column.cache);
        zr_fields(r)[i].column.cache = NULL;
        gt_buf_release(&zr_fields(r)[i].column.wanted);
    }
}

void zr_records_trim(struct zarr_reader *r)
{
    for (size_t i = 0; i < r->n_fields; i++)
        if (zr_fields(r)[i].column.cache)
            gt_cache_trim(zr_fields(r)[i].column.cache);
}

/* --- chunks ------------------------------------------------------------------------------ */

void zr_give_records(struct zarr_reader *r, struct zr_item *item)
{
    for (size_t i = 0; i < r->n_fields && item->fields; i++)
        zr_held_release(zr_field_cache(r, zr_fields(r) + i), &item->fields[i]);
}

static int hold_field(struct zarr_reader *r, struct zr_item *item, size_t i, struct gt_err *err)
{
    const struct zr_field *field = zr_fields(r) + i;
    const struct gt_array *a = field->column.array;
    struct zr_held *held = &item->fields[i];
    int64_t first = item->first / a->unit[0], rows = (item->first + item->n - 1) / a->unit[0] - first + 1, done = first - 1;
    int status = zr_held_room(held, first, rows, columns_of(a), err);

    if (status)
        return gt_fail_prefix(err, "'%s': array '%s'", r->base.info.name, a->path), status;
    for (int64_t j = 0; j < (item->chosen ? item->n_rows : item->n) && !status; j++) {
        const int64_t row = (item->chosen ? zr_record_of(item, j) : item->first + j) / a->unit[0];
        if (row > done)
            status = zr_held_row(zr_field_cache(r, field), a, &field->column.wanted, held, row, err);
        done = row > done ? row : done;
    }
    return status;
}

int zr_acquire_records(struct zarr_reader *r, struct zr_item *item, struct gt_err *err)
{
    int status = 0;

    if (!zr_wants_records(r))
        return 0;
    if (!item->fields && !(item->fields = gt_alloc(r->n_fields + 1, sizeof *item->fields, err)))
        return GT_FAIL;
    zr_give_records(r, item);
    for (size_t i = 0; i < r->n_fields && !status; i++)
        status = zr_fields(r)[i].recount ? 0 : hold_field(r, item, i, err);
    return status;
}

int zr_fetch_records(struct zarr_reader *r, struct zr_item *item, struct gt_err *err)
{
    int64_t left = r->store->stream ? INT64_MAX : r->stored_max;
    int status = 0;

    for (size_t i = 0; i < r->n_fields && item->fields && !status && left > 0; i++)
        status = zr_held_fetch(zr_field_cache(r, zr_fields(r) + i), zr_fields(r)[i].column.array, &item->fields[i], &left, err);
    return status;
}
