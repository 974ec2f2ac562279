#include "arrays/matrix/npy_store.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "arrays/matrix/matrix_impl.h"
#include "core/base/mem.h"
#include "core/base/size.h"
#include "storage/input/spool.h"

/* Bytes of a chunk, about. */
enum { STRETCH = 4 << 20 };

struct npy_store {
    struct gt_store base;
    struct gt_input input;
    struct gt_npy head;
    int64_t chunk[GT_MAX_DIMS];
    struct gt_str meta;
    pthread_mutex_t lock; /* of a remote file, which one thread reads at a time */
};

/* --- chunks ------------------------------------------------------------------------- */

/* The i-th axis as the file has them, the slowest first. */
static int axis_at(const struct gt_npy *head, int i)
{
    return head->fortran ? head->ndim - 1 - i : i;
}

/* Whole along the inner axes, 1 along the outer ones: so a chunk is contiguous in the file. */
static void choose_chunks(struct npy_store *self)
{
    int64_t room = STRETCH / (int64_t)self->head.dtype.size;
    for (int i = self->head.ndim - 1; i >= 0; i--) {
        const int axis = axis_at(&self->head, i);
        const int64_t n = gt_max_i64(1, self->head.shape[axis]);
        self->chunk[axis] = gt_min_i64(n, room);
        room = self->chunk[axis] < n ? 1 : gt_max_i64(1, room / n);
    }
}

static void add_sizes(struct gt_str *text, const char *key, int ndim, const int64_t *sizes)
{
    gt_str_addf(text, "\"%s\": [", key);
    for (int k = 0; k < ndim; k++)
        gt_str_addf(text, "%s%" PRId64, k ? ", " : "", sizes[k]);
    gt_str_add(text, "], ");
}

static int write_meta(struct npy_store *self, struct gt_err *err)
{
    char type[GT_DTYPE_NAME];
    gt_str_add(&self->meta, "{\"zarr_format\": 2, ");
    add_sizes(&self->meta, "shape", self->head.ndim, self->head.shape);
    add_sizes(&self->meta, "chunks", self->head.ndim, self->chunk);
    gt_str_addf(&self->meta, "\"dtype\": \"%s\", \"order\": \"%c\", \"compressor\": null, \"filters\": null, \"fill_value\": null}",
                gt_dtype_name_v2(&self->head.dtype, type), self->head.fortran ? 'F' : 'C');
    return gt_str_check(&self->meta, err);
}

/* The first item of the chunk of a key, and how many of it are the array's; false: it is no key of a chunk. */
static bool find_chunk(const struct npy_store *self, const char *key, int64_t *first, int64_t *n)
{
    int64_t index[GT_MAX_DIMS] = {0};
    char *end;
    for (int k = 0; k < self->head.ndim || k == 0; k++, key = *end ? end + 1 : end) {
        index[k] = strtoll(key, &end, 10);
        if (end == key || index[k] < 0 || (*end && *end != '.'))
            return false;
    }
    *first = 0;
    *n = 1;
    for (int i = 0; i < self->head.ndim; i++) {
        const int axis = axis_at(&self->head, i);
        if (index[axis] >= gt_ceil_div(self->head.shape[axis], self->chunk[axis]))
            return false;
        const int64_t at = index[axis] * self->chunk[axis];
        *first = *first * self->head.shape[axis] + at;
        *n *= gt_min_i64(self->chunk[axis], self->head.shape[axis] - at);
    }
    return *key == 0;
}

/* --- the store ---------------------------------------------------------------------- */

static bool is_meta(const char *key)
{
    return strcmp(key, ".zarray") == 0;
}

static int read_chunk(struct npy_store *self, int64_t first, int64_t n, struct gt_buf *buf, struct gt_err *err)
{
    const int64_t size = (int64_t)self->head.dtype.size;
    int64_t items = 1;
    for (int k = 0; k < self->head.ndim; k++)
        items *= self->chunk[k];
    int status = gt_buf_resize(buf, (size_t)(items * size), err);
    if (status)
        return status;
    if (self->input.remote)
        pthread_mutex_lock(&self->lock);
    status = gt_input_pread(&self->input, buf->data, (size_t)(n * size), self->head.data + first * size, err);
    if (self->input.remote)
        pthread_mutex_unlock(&self->lock);
    memset(buf->data + n * size, 0, (size_t)((items - n) * size));
    return status;
}

static int get(struct gt_store *store, const char *key, struct gt_buf *buf, struct gt_err *err)
{
    struct npy_store *self = (struct npy_store *)store;
    int64_t first, n;
    buf->len = 0;
    if (is_meta(key))
        return gt_buf_append(buf, self->meta.s, self->meta.len, err);
    return find_chunk(self, key, &first, &n) ? read_chunk(self, first, n, buf, err) : GT_NOENT;
}

static int has(struct gt_store *store, const char *key, struct gt_err *err)
{
    int64_t first, n;
    (void)err;
    return is_meta(key) || find_chunk((struct npy_store *)store, key, &first, &n) ? 0 : GT_NOENT;
}

static void free_store(struct gt_store *store)
{
    struct npy_store *self = (struct npy_store *)store;
    gt_input_release(&self->input);
    gt_str_release(&self->meta);
    pthread_mutex_destroy(&self->lock);
    free(store->name);
    free(self);
}

int gt_npy_store_open(struct gt_store **out, struct gt_engine *engine, struct gt_input *input, struct gt_err *err)
{
    static const struct gt_store_ops ops = {.kind = ".npy file", .get = get, .has = has, .free = free_store};
    struct npy_store *self = gt_alloc(1, sizeof *self, err);
    if (!self)
        return GT_FAIL;
    self->base = (struct gt_store){.ops = &ops, .name = gt_strdup(input->name, err), .budget = &engine->budget};
    pthread_mutex_init(&self->lock, NULL);
    int status = self->base.name ? gt_spool(input, engine->tmpdir, err) : GT_FAIL;
    status = status ? status : gt_npy_read_head(&self->head, input, &engine->budget, err);
    if (!status) {
        choose_chunks(self);
        status = write_meta(self, err);
    }
    if (status) {
        self->input.fd = -1;
        free_store(&self->base);
        return status;
    }
    self->input = *input;
    *input = (struct gt_input){.fd = -1};
    *out = &self->base;
    return GT_OK;
}
