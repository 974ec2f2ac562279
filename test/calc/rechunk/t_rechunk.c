/* Arrays that get other chunks, axes, formats and codecs, within any memory, against plain indexing. */
#include <stdlib.h>
#include <string.h>

#include "calc/rechunk/rechunk.h"
#include "storage/store/memory_store.h"
#include "test/support/random.h"
#include "test/support/tap.h"
#include "test/support/test_engine.h"
#include "test/support/zarr_write.h"

static struct gt_engine engine;

static const enum gt_type types[] = {GT_BOOL, GT_I8, GT_U16, GT_I32, GT_F32, GT_F64, GT_I64};
static const char *const codecs[] = {"none", "zstd:1", "gzip:1", "blosc:lz4:5:shuffle", "lz4"};

struct trial {
    enum gt_type type;
    int64_t size;
    struct gt_array *source, *to;
    struct gt_matrix_view view;
    uint8_t *data, *want;
    size_t want_bytes;
    int64_t *list[GT_MAX_DIMS]; /* of the source's axes: picked items */
};

static int new_array(struct gt_array **out, struct gt_store *store, enum gt_type type, int ndim, const int64_t *shape, int format,
                     struct gt_err *err)
{
    struct gt_array_spec spec = {.path = "x", .type = type, .ndim = ndim, .codec = codecs[random_below(5)]};
    for (int i = 0; i < ndim; i++) {
        spec.shape[i] = shape[i];
        spec.chunk[i] = 1 + random_below(random_below(3) ? 6 : shape[i] + 3);
    }
    if (format == 2 && !strcmp(spec.codec, "lz4") && type == GT_BOOL)
        spec.codec = "none";
    return gt_array_new(out, store, &spec, format, err);
}

/* A view of an array of this shape: sliced, its axes in any order. */
static int choose_view(struct gt_matrix_view *view, int ndim, const int64_t *shape, struct gt_err *err)
{
    char slice[200] = "";
    for (int i = 0; i < ndim; i++) {
        size_t at = strlen(slice);
        int64_t n = shape[i];
        if (n > 0 && random_below(6) == 0)
            snprintf(slice + at, sizeof slice - at, "%s%d", i ? "," : "", (int)random_below(n));
        else if (random_below(2))
            snprintf(slice + at, sizeof slice - at, "%s%d:%d:%d", i ? "," : "", (int)random_below(n / 2 + 1),
                     (int)(n / 2 + random_below(n + 3)), (int)(1 + random_below(4)));
        else
            snprintf(slice + at, sizeof slice - at, "%s:", i ? "," : "");
    }
    int status = gt_matrix_view_make(view, ndim, shape, ndim && random_below(3) ? slice : NULL, err);
    for (int i = view->ndim - 1; i > 0 && random_below(2); i--) {
        int k = (int)random_below(i + 1), axis = view->axis[i];
        view->axis[i] = view->axis[k];
        view->axis[k] = axis;
    }
    return status;
}

enum { MASK, FALLING, ANY_ORDER, MIXED_BLOCKS, KINDS };

/* Items of some axes are picked: those of a mask, from the last on, in any order and any number of times, or
 * in any order within blocks. */
static void choose_lists(struct trial *t, const int64_t *shape)
{
    for (int axis = 0; axis < t->view.array_ndim; axis++) {
        const int kind = (int)random_below(KINDS);
        const int64_t size = shape[axis], room = 2 * size + 1, block = 1 + random_below(size + 1);
        bool whole = t->view.all.count[axis] == size && t->view.all.step[axis] == 1;
        int64_t n = 0;
        if (!whole || size == 0 || random_below(2))
            continue;
        int64_t *list = t->list[axis] = calloc((size_t)room, sizeof *list);
        for (int64_t i = 0; i < room - 1; i++) {
            if (kind == MASK && i < size && random_below(2))
                list[n++] = i;
            else if (kind == FALLING && i < size && random_below(3))
                list[n++] = size - 1 - i;
            else if (kind == ANY_ORDER && random_below(3))
                list[n++] = random_below(size);
            else if (kind == MIXED_BLOCKS && i < size)
                list[n++] = i / block * block + random_below(size - i / block * block < block ? size - i / block * block : block);
        }
        for (int i = 0; i < t->view.ndim; i++)
            whole = whole && t->view.axis[i] != axis;
        if (whole) { /* the axis went */
            free(list);
            t->list[axis] = NULL;
            continue;
        }
        t->view.all.count[axis] = n;
        t->view.list[axis] = list;
    }
}

/* What the view holds, in C order. */
static void index_plainly(struct trial *t, const int64_t *shape)
{
    int64_t extent[GT_MAX_DIMS], at[GT_MAX_DIMS] = {0}, stride[GT_MAX_DIMS];
    size_t items = 1, size = (size_t)t->size;
    for (int i = 0; i < t->view.ndim; i++)
        items *= (size_t)(extent[i] = t->view.all.count[t->view.axis[i]]);
    t->want_bytes = items * size;
    t->want = malloc(t->want_bytes + 1);
    gt_nd_strides(t->source->ndim, shape, stride);
    for (size_t k = 0; k < items; k++) {
        int64_t from = 0;
        for (int axis = 0; axis < t->view.array_ndim; axis++)
            from += t->view.all.start[axis] * stride[axis];
        for (int i = 0; i < t->view.ndim; i++) {
            const int axis = t->view.axis[i];
            from += (t->list[axis] ? t->list[axis][at[i]] : at[i] * t->view.all.step[axis]) * stride[axis];
        }
        memcpy(t->want + k * size, t->data + (size_t)from * size, size);
        gt_nd_next(t->view.ndim, extent, at);
    }
}

static int make_trial(struct trial *t, struct gt_store *stores[2], struct gt_err *err)
{
    int64_t shape[GT_MAX_DIMS], turned[GT_MAX_DIMS];
    const int ndim = (int)random_below(5);
    size_t items = 1;
    *t = (struct trial){.type = types[random_below(7)]};
    for (int i = 0; i < ndim; i++)
        items *= (size_t)(shape[i] = random_below(15) ? 1 + random_below(ndim > 2 ? 9 : 40) : 0);
    int status = new_array(&t->source, stores[0], t->type, ndim, shape, 2 + (int)random_below(2), err);
    if (status)
        return status;
    t->size = (int64_t)t->source->dtype.size;
    t->data = malloc(items * (size_t)t->size + 1);
    for (size_t i = 0; i < items * (size_t)t->size; i++)
        t->data[i] = (uint8_t)random_below(t->type == GT_BOOL ? 2 : 256);
    status = write_array(t->source, t->data, err);
    status = status ? status : choose_view(&t->view, ndim, shape, err);
    if (status)
        return status;
    if (random_below(2))
        choose_lists(t, shape);
    index_plainly(t, shape);
    for (int i = 0; i < t->view.ndim; i++)
        turned[i] = t->view.all.count[t->view.axis[i]];
    return new_array(&t->to, stores[1], t->type, t->view.ndim, turned, 2 + (int)random_below(2), err);
}

/* Chunks of whole arrays as the others' may be copied. */
static void drop_lists(struct trial *t)
{
    for (int i = 0; i < GT_MAX_DIMS; i++)
        free(t->list[i]);
    memset(t->list, 0, sizeof t->list);
}

static int same_grid(struct trial *t, struct gt_store *store, struct gt_err *err)
{
    struct gt_array_spec spec = {.path = "x", .type = t->type, .ndim = t->source->ndim, .codec = gt_codec_describe(t->source->codecs)};
    memcpy(spec.shape, t->source->shape, sizeof spec.shape);
    memcpy(spec.chunk, t->source->chunk, sizeof spec.chunk);
    int status = gt_matrix_view_make(&t->view, spec.ndim, spec.shape, NULL, err);
    gt_array_free(t->to);
    t->to = NULL;
    drop_lists(t);
    free(t->want);
    index_plainly(t, t->source->shape);
    return status ? status : gt_array_new(&t->to, store, &spec, t->source->zarr_format, err);
}

static int plan_trial(struct gt_rechunk **out, struct gt_array *source, const struct gt_matrix_view *view, struct gt_array *to,
                      int64_t memory, struct gt_err *err)
{
    struct gt_rechunk_end from, end;
    gt_rechunk_end_init(&from, source, false, GT_ITEMS_PLAIN, 0);
    gt_rechunk_end_init(&end, to, true, GT_ITEMS_PLAIN, 0);
    return gt_rechunk_new(out, &engine, &(struct gt_rechunk_setup){&from, &end, view, false, memory}, err);
}

static int run_trial(struct trial *t, int64_t memory, int *way, bool *within, struct gt_err *err)
{
    struct gt_rechunk *rechunk;
    int status = plan_trial(&rechunk, t->source, &t->view, t->to, INT64_C(1) << 40, err);
    if (status)
        return status;
    const int64_t minimum = gt_rechunk_plan(rechunk)->minimum;
    gt_rechunk_free(rechunk);
    if (memory)
        memory = minimum + (random_below(2) ? 0 : random_below(4000));
    status = plan_trial(&rechunk, t->source, &t->view, t->to, memory ? memory : INT64_C(1) << 28, err);
    if (status)
        return status;
    const int64_t before = atomic_load(&engine.budget.used);
    atomic_store(&engine.budget.high, before);
    *way = (int)gt_rechunk_plan(rechunk)->way;
    status = gt_rechunk_run(rechunk, err);
    *within = atomic_load(&engine.budget.high) - before <= gt_rechunk_plan(rechunk)->peak;
    gt_rechunk_free(rechunk);
    return status;
}

static void test_random(bool little)
{
    int ways[GT_RECHUNK_TEXTS] = {0}, wrong = 0;
    for (int turn = 0; turn < 600; turn++) {
        struct gt_store *stores[2];
        struct gt_err err = {0};
        struct gt_buf got = {0};
        struct trial t;
        int way = 0;
        bool within = false;
        gt_store_new_memory(&stores[0], NULL, NULL);
        gt_store_new_memory(&stores[1], NULL, NULL);
        int status = make_trial(&t, stores, &err);
        if (!status && random_below(6) == 0)
            status = same_grid(&t, stores[1], &err);
        status = status ? status : run_trial(&t, little, &way, &within, &err);
        status = status ? status : gt_array_read_all(t.to, &got, &err);
        if (status || got.len != t.want_bytes || (got.len && memcmp(got.data, t.want, got.len) != 0) || !within) {
            wrong++;
            diag("turn %d, way %d, %d axes: %s", turn, way, t.source ? t.source->ndim : -1,
                 status   ? err.msg
                 : within ? "other items"
                          : "memory");
        }
        ways[way]++;
        gt_array_free(t.source), gt_array_free(t.to);
        gt_store_free(stores[0]), gt_store_free(stores[1]);
        gt_buf_release(&got);
        free(t.data), free(t.want);
        drop_lists(&t);
    }
    ok(wrong == 0 && ways[GT_RECHUNK_COPY] > 10 && ways[GT_RECHUNK_TILES] + ways[GT_RECHUNK_BATCHES] > 50 &&
           (!little || (ways[GT_RECHUNK_SPILL] > 15 && ways[GT_RECHUNK_GATHER] > 10)),
       "600 random arrays, views and lists, %s memory: %d copies, %d of tiles, %d of batches, %d spills, %d gathered",
       little ? "little" : "much", ways[GT_RECHUNK_COPY], ways[GT_RECHUNK_TILES], ways[GT_RECHUNK_BATCHES], ways[GT_RECHUNK_SPILL],
       ways[GT_RECHUNK_GATHER]);
}

/* Chains that have one name for people, and write other bytes. */
static void test_alike(void)
{
    static const char *const pairs[][2] = {
        {"[{\"name\": \"bytes\", \"configuration\": {\"endian\": \"big\"}}]", "none"},
        {"[{\"name\": \"transpose\", \"configuration\": {\"order\": [1, 0]}}]",
         "[{\"name\": \"transpose\", \"configuration\": {\"order\": [0, 1]}}]"},
        {"zstd:1", "gzip:1"},
        {"zstd:1", "zstd:1"},
    };
    static const int64_t shape[2] = {6, 8};
    int copied = 0, right = 0;
    for (int i = 0; i < 4; i++) {
        struct gt_store *stores[2];
        struct gt_array *arrays[2] = {NULL, NULL};
        struct gt_matrix_view view;
        struct gt_rechunk *rechunk = NULL;
        struct gt_buf got = {0};
        struct gt_err err = {0};
        int32_t items[48];
        int status = gt_matrix_view_make(&view, 2, shape, NULL, &err);
        for (int k = 0; k < 48; k++)
            items[k] = k * 65537 + 3;
        for (int k = 0; k < 2 && !status; k++) {
            const struct gt_array_spec spec = {
                .path = "x", .type = GT_I32, .ndim = 2, .shape = {6, 8}, .chunk = {3, 4}, .codec = pairs[i][k]};
            gt_store_new_memory(&stores[k], NULL, NULL);
            status = gt_array_new(&arrays[k], stores[k], &spec, 3, &err);
        }
        status = status ? status : write_array(arrays[0], items, &err);
        status = status ? status : plan_trial(&rechunk, arrays[0], &view, arrays[1], INT64_C(1) << 28, &err);
        copied += !status && gt_rechunk_plan(rechunk)->way == GT_RECHUNK_COPY;
        status = status ? status : gt_rechunk_run(rechunk, &err);
        status = status ? status : gt_array_read_all(arrays[1], &got, &err);
        right += !status && got.len == sizeof items && memcmp(got.data, items, sizeof items) == 0;
        if (status)
            diag("%s", err.msg);
        gt_rechunk_free(rechunk);
        for (int k = 0; k < 2; k++)
            gt_array_free(arrays[k]), gt_store_free(stores[k]);
        gt_buf_release(&got);
    }
    ok(right == 4 && copied == 1, "chunks are copied only where they mean the same: big endian, other order, other codec, same codec");
}

int main(void)
{
    start_engine(&engine, 3);
    test_random(false);
    test_random(true);
    test_alike();
    ok(atomic_load(&engine.budget.used) == 0, "all memory is given back");
    gt_engine_release(&engine);
    return done_testing();
}
