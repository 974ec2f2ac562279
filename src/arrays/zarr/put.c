#include "arrays/zarr/put.h"

#include <string.h>

#include "core/base/json.h"
#include "storage/codec/vlen.h"

/* Of a chunk, about; texts count as that many bytes. */
enum { CHUNK_BYTES = 1 << 20, TEXT_BYTES = 16 };

void gt_put_begin(struct gt_put *put, struct gt_store *store, struct gt_budget *budget)
{
    put->store = store;
    put->budget = budget;
    put->raw.budget = put->stored.budget = put->scratch[0].budget = put->scratch[1].budget = budget;
}

void gt_put_release(struct gt_put *put)
{
    for (size_t i = 0; i < put->n; i++)
        gt_array_free(put->array[i]);
    put->n = 0;
    gt_buf_release(&put->raw);
    gt_buf_release(&put->stored);
    gt_buf_release(&put->scratch[0]);
    gt_buf_release(&put->scratch[1]);
}

static int64_t row_items(const struct gt_array_spec *spec)
{
    int64_t items = 1;
    for (int d = 1; d < spec->ndim; d++)
        items *= spec->shape[d];
    return items;
}

int gt_put_array(struct gt_put *put, const struct gt_array_spec *spec, struct gt_array **out, struct gt_err *err)
{
    if (put->n == GT_PUT_ARRAYS)
        return gt_fail(err, GT_FAIL, "more than %d arrays", GT_PUT_ARRAYS);
    int status = gt_array_new(&put->array[put->n], put->store, spec, 2, err);
    if (!status)
        *out = put->array[put->n++];
    return status;
}

int gt_put_chunk(struct gt_put *put, struct gt_array *array, const int64_t *index, const struct gt_buf *raw, struct gt_err *err)
{
    int status = gt_array_encode(array, raw, &put->stored, put->scratch, err);
    return status ? status : gt_array_put(array, index, &put->stored, err);
}

static int new_array(struct gt_put *put, struct gt_array_spec *spec, size_t item, struct gt_array **out, struct gt_err *err)
{
    const int64_t row = row_items(spec) * (int64_t)item, rows = CHUNK_BYTES / (row > 0 ? row : 1);
    for (int d = 0; d < spec->ndim; d++)
        spec->chunk[d] = spec->shape[d] > 0 ? spec->shape[d] : 1;
    if (spec->chunk[0] > rows)
        spec->chunk[0] = rows > 0 ? rows : 1;
    return gt_put_array(put, spec, out, err);
}

static int put_raw(struct gt_put *put, struct gt_array *array, int64_t chunk, struct gt_err *err)
{
    const int64_t index[GT_MAX_DIMS] = {chunk};
    return gt_put_chunk(put, array, index, &put->raw, err);
}

int gt_put_values(struct gt_put *put, struct gt_array_spec *spec, const void *values, struct gt_err *err)
{
    const size_t item = gt_dtype_of(spec->type).size, row = (size_t)row_items(spec) * item;
    struct gt_array *array = NULL;
    spec->codec = spec->codec ? spec->codec : "blosc:zstd:1:shuffle";
    int status = new_array(put, spec, item, &array, err);
    for (int64_t from = 0; !status && from < spec->shape[0]; from += spec->chunk[0]) {
        const int64_t left = spec->shape[0] - from, n = left < spec->chunk[0] ? left : spec->chunk[0];
        status = gt_buf_zeros(&put->raw, array->chunk_bytes, err);
        if (!status && row)
            memcpy(put->raw.data, (const uint8_t *)values + (size_t)from * row, (size_t)n * row);
        if (!status && row)
            status = put_raw(put, array, from / spec->chunk[0], err);
    }
    return status;
}

int gt_put_texts(struct gt_put *put, struct gt_array_spec *spec, const struct gt_strs *texts, struct gt_err *err)
{
    const int64_t each = row_items(spec);
    struct gt_array *array = NULL;
    spec->type = GT_STRING;
    spec->codec = spec->codec ? spec->codec : "zstd:3";
    int status = new_array(put, spec, TEXT_BYTES, &array, err);
    for (int64_t from = 0; !status && from < spec->shape[0]; from += spec->chunk[0]) {
        const int64_t left = spec->shape[0] - from, n = left < spec->chunk[0] ? left : spec->chunk[0];
        gt_buf_release(&put->raw);
        status = gt_vlen_pack(texts, (size_t)(from * each), (size_t)(n * each), array->chunk_items, &put->raw, err);
        if (status == GT_INPUT)
            gt_fail_prefix(err, "array '%s'", gt_array_name(array->path));
        if (!status)
            status = put_raw(put, array, from / spec->chunk[0], err);
    }
    return status;
}

int gt_put_end(struct gt_put *put, struct json_object *attrs, struct gt_err *err)
{
    return gt_group_put_meta(put->store, 2, attrs, put->array, put->n, err);
}
