#include "calc/svd/svd_zarr.h"

#include <stdlib.h>
#include <string.h>

#include "arrays/zarr/put.h"
#include "core/base/json.h"
#include "core/base/mem.h"
#include "storage/archive/store_create.h"

/* Numbers of a chunk, about. */
enum { CHUNK_ITEMS = 1 << 17 };

enum { U, V, SIDES };

struct gt_svd_zarr {
    struct gt_svd_array_sink base;
    struct gt_store *store;
    struct gt_put put;
    struct gt_array *array[SIDES]; /* of put */
    int64_t k, n[SIDES], each[SIDES];
    struct gt_buf chunk; /* of the side that comes */
};

static int new_side(struct gt_svd_zarr *z, int side, struct gt_err *err)
{
    const int64_t n = z->n[side], k = z->k, most = CHUNK_ITEMS / k > 0 ? CHUNK_ITEMS / k : 1, each = n < most ? n : most;
    const bool u = side == U;
    const struct gt_array_spec spec = {.path = u ? "u" : "v",
                                       .type = GT_F64,
                                       .ndim = 2,
                                       .shape = {u ? n : k, u ? k : n},
                                       .chunk = {u ? each : k, u ? k : each},
                                       .dim_names = {u ? "rows" : "values", u ? "values" : "columns"},
                                       .codec = "blosc:zstd:1:shuffle"};
    z->each[side] = each;
    return gt_put_array(&z->put, &spec, &z->array[side], err);
}

/* Number i of vector c in a chunk: rows of u, columns of v. */
static double *place(const struct gt_svd_zarr *z, int side, int64_t i, int64_t c)
{
    return gt_buf_f64(&z->chunk) + (side == U ? i * z->k + c : c * z->each[V] + i);
}

static int put_rows(struct gt_svd_array_sink *sink, bool u, int64_t first, int64_t n, const double *values, int64_t lead,
                    struct gt_err *err)
{
    struct gt_svd_zarr *z = (struct gt_svd_zarr *)sink;
    const int side = u ? U : V;
    const int64_t each = z->each[side];
    int status = gt_buf_resize(&z->chunk, z->array[side]->chunk_bytes, err);
    for (int64_t i = first; i < first + n && !status; i++) {
        if (i % each == 0) /* what lies outside of the array is 0 */
            memset(z->chunk.data, 0, z->chunk.len);
        for (int64_t c = 0; c < z->k; c++)
            *place(z, side, i % each, c) = values[(i - first) * lead + c];
        if (i % each == each - 1 || i == z->n[side] - 1)
            status = gt_put_chunk(&z->put, z->array[side], (const int64_t[]){u ? i / each : 0, u ? 0 : i / each}, &z->chunk, err);
    }
    return status;
}

int gt_svd_zarr_open(struct gt_svd_zarr **out, const char *path, bool replace, const char *command, const struct gt_svd_array_plan *plan,
                     struct gt_budget *budget, struct gt_err *err)
{
    struct gt_svd_zarr *z = gt_alloc(1, sizeof *z, err);
    if (!z)
        return GT_FAIL;
    z->base.rows = put_rows;
    z->k = plan->k;
    z->n[U] = plan->rows, z->n[V] = plan->columns;
    z->chunk.budget = budget;
    int status = gt_store_create(&z->store, path, replace, command, err);
    gt_put_begin(&z->put, z->store, budget);
    for (int side = 0; side < SIDES && !status; side++)
        status = new_side(z, side, err);
    if (status)
        gt_svd_zarr_free(z);
    else
        *out = z;
    return status;
}

struct gt_svd_array_sink *gt_svd_zarr_sink(struct gt_svd_zarr *z)
{
    return &z->base;
}

int gt_svd_zarr_finish(struct gt_svd_zarr *z, const double *values, const char *history, struct gt_err *err)
{
    struct gt_array_spec spec = {.path = "s", .type = GT_F64, .ndim = 1, .shape = {z->k}, .dim_names = {"values"}};
    struct json_object *attrs = json_object_new_object();
    int status = attrs ? gt_attrs_add_history(attrs, history, err) : gt_no_memory(err);
    if (!status)
        status = gt_put_values(&z->put, &spec, values, err);
    if (!status)
        status = gt_put_end(&z->put, attrs, err);
    json_object_put(attrs);
    return status ? status : gt_store_finish(z->store, err);
}

void gt_svd_zarr_free(struct gt_svd_zarr *z)
{
    if (!z)
        return;
    gt_put_release(&z->put);
    gt_store_free(z->store);
    gt_buf_release(&z->chunk);
    free(z);
}
