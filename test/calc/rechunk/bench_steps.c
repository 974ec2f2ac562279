/* What gt-rechunk has to do at least, each step alone: files read and decoded, items moved from their units to their chunks, chunks
 * encoded, files written and synced.  Not a test.
 *
 *     bench_steps IN.zarr OUT.zarr FOLDER THREADS
 *
 * OUT.zarr, which gt-rechunk has made of IN.zarr, says which chunks and codec; that the steps give its bytes is checked.  The whole array
 * is in memory, all of which has been touched before.  For each step: wall and cpu seconds. */
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "arrays/zarr/array.h"
#include "core/base/size.h"
#include "core/os/os_files.h"
#include "storage/store/dir_store.h"
#include "test/support/clock.h"

/* Chunks of one of the arrays, by number: the first is `first`. */
struct cells {
    struct gt_array *array;
    int64_t count[GT_MAX_DIMS], n, first;
    struct gt_buf *buf; /* of each: decoded, as an item of the output, or as stored; NULL: thrown away */
};
struct steps {
    struct cells in, out;
    struct gt_buf *stored; /* of `out` */
    const char *folder;
    int threads;
};
/* What a thread has of its own. */
struct own {
    struct gt_buf stored, raw, scratch[2];
};
typedef int (*step_fn)(struct steps *s, int64_t i, struct own *own, struct gt_err *err);

struct run {
    struct steps *steps;
    step_fn step;
    int64_t n;
    _Atomic int64_t next;
};

static int fetch(struct cells *cells, int64_t i, struct gt_buf *stored, int64_t *index, struct gt_err *err)
{
    gt_nd_index(cells->array->ndim, cells->count, i, index);
    return gt_array_fetch(cells->array, index, stored, err);
}

static int decode(struct steps *s, int64_t i, struct own *own, struct gt_err *err)
{
    int64_t index[GT_MAX_DIMS];
    const int status = fetch(&s->in, s->in.first + i, &own->stored, index, err);
    return status ? status : gt_array_decode(s->in.array, index, &own->stored, s->in.buf ? &s->in.buf[i] : &own->raw, own->scratch, err);
}

/* Copies what two chunks share. */
static void move(const struct steps *s, const struct gt_buf *from, const int64_t *unit, struct gt_buf *to, const int64_t *chunk)
{
    const struct gt_array *in = s->in.array, *out = s->out.array;
    struct gt_nd nd = {.ndim = in->ndim};
    int64_t here[GT_MAX_DIMS], there[GT_MAX_DIMS], from_at = 0, to_at = 0;
    gt_nd_strides(nd.ndim, in->chunk, here);
    gt_nd_strides(nd.ndim, out->chunk, there);
    for (int k = 0; k < nd.ndim; k++) {
        const int64_t begin = gt_max_i64(unit[k] * in->chunk[k], chunk[k] * out->chunk[k]),
                      end = gt_min_i64(gt_min_i64((unit[k] + 1) * in->chunk[k], (chunk[k] + 1) * out->chunk[k]), in->shape[k]);
        nd.axis[k] = (struct gt_nd_axis){end - begin, here[k], there[k]};
        from_at += (begin - unit[k] * in->chunk[k]) * here[k];
        to_at += (begin - chunk[k] * out->chunk[k]) * there[k];
    }
    const int64_t item = (int64_t)in->dtype.size;
    gt_nd_copy(&nd, (size_t)item, to->data + to_at * item, from->data + from_at * item);
}

static int transpose(struct steps *s, int64_t i, struct own *own, struct gt_err *err)
{
    const int ndim = s->in.array->ndim;
    int64_t unit[GT_MAX_DIMS], low[GT_MAX_DIMS], n[GT_MAX_DIMS], at[GT_MAX_DIMS] = {0}, chunk[GT_MAX_DIMS];
    (void)own, (void)err;
    gt_nd_index(ndim, s->in.count, s->in.first + i, unit);
    for (int k = 0; k < ndim; k++) {
        const int64_t side = s->in.array->chunk[k], end = gt_min_i64((unit[k] + 1) * side, s->in.array->shape[k]);
        low[k] = unit[k] * side / s->out.array->chunk[k];
        n[k] = gt_ceil_div(end, s->out.array->chunk[k]) - low[k];
    }
    do {
        for (int k = 0; k < ndim; k++)
            chunk[k] = low[k] + at[k];
        move(s, &s->in.buf[i], unit, &s->out.buf[gt_nd_number(ndim, s->out.count, chunk)], chunk);
    } while (gt_nd_next(ndim, n, at));
    return 0;
}

static int encode(struct steps *s, int64_t i, struct own *own, struct gt_err *err)
{
    return gt_array_encode(s->out.array, &s->out.buf[i], &own->stored, own->scratch, err);
}

/* Keeps a chunk as it was encoded, which is what stands in OUT.zarr. */
static int keep(struct steps *s, int64_t i, struct own *own, struct gt_err *err)
{
    int64_t index[GT_MAX_DIMS];
    int status = encode(s, i, own, err);
    status = status ? status : gt_buf_append(&s->stored[i], own->stored.data, own->stored.len, err);
    status = status ? status : fetch(&s->out, i, &own->stored, index, err);
    if (!status && (own->stored.len != s->stored[i].len || memcmp(own->stored.data, s->stored[i].data, own->stored.len) != 0))
        status = gt_fail(err, GT_FAIL, "chunk %lld is not that of OUT.zarr", (long long)i);
    return status;
}

static int put(struct steps *s, int64_t i, struct own *own, struct gt_err *err)
{
    char path[4096];
    (void)own;
    snprintf(path, sizeof path, "%s/%lld", s->folder, (long long)i);
    const int fd = open(path, O_WRONLY | O_CREAT | O_EXCL, 0666);
    const bool all = fd >= 0 && write(fd, s->stored[i].data, s->stored[i].len) == (ssize_t)s->stored[i].len;
    return (fd >= 0 && close(fd) != 0) || !all ? gt_fail(err, GT_FAIL, "cannot write %s", path) : 0;
}

static void *work(void *data)
{
    struct run *run = data;
    struct own own = {0};
    struct gt_err err = {0};
    for (int64_t i; (i = atomic_fetch_add(&run->next, 1)) < run->n;)
        if (run->step(run->steps, i, &own, &err)) {
            fprintf(stderr, "bench_steps: %s\n", err.msg);
            exit(1);
        }
    gt_buf_release(&own.stored), gt_buf_release(&own.raw), gt_buf_release(&own.scratch[0]), gt_buf_release(&own.scratch[1]);
    return NULL;
}

struct took {
    double wall, cpu;
};

/* Adds what n tasks took. */
static void run_all(struct steps *s, step_fn step, int64_t n, struct took *took)
{
    struct run run = {.steps = s, .step = step, .n = n};
    pthread_t thread[64];
    const double wall = now(), cpu = cpu_seconds();
    for (int t = 0; t < s->threads; t++)
        pthread_create(&thread[t], NULL, work, &run);
    for (int t = 0; t < s->threads; t++)
        pthread_join(thread[t], NULL);
    if (step == put) {
        const int folder = open(s->folder, O_RDONLY | O_DIRECTORY);
        if (folder < 0 || gt_sync_tree(folder) != 0)
            exit(1);
        close(folder);
    }
    took->wall += now() - wall;
    took->cpu += cpu_seconds() - cpu;
}

static void open_cells(struct cells *cells, const char *path)
{
    struct gt_store *store = NULL;
    struct gt_err err = {0};
    if (gt_store_open_dir(&store, path, &err) || gt_array_open(&cells->array, store, "", &err)) {
        fprintf(stderr, "bench_steps: %s\n", err.msg);
        exit(1);
    }
    cells->n = 1;
    for (int k = 0; k < cells->array->ndim; k++)
        cells->n *= cells->count[k] = gt_array_grid(cells->array, k);
}

static struct gt_buf *new_bufs(int64_t n)
{
    struct gt_buf *bufs = calloc((size_t)n, sizeof *bufs);
    if (!bufs)
        exit(1);
    return bufs;
}

/* Units at a time that the transposition starts from, in bytes. */
enum { DECODED = 128 << 20 };

static struct took transpose_all(struct steps *s)
{
    const int64_t n = s->in.n, most = gt_max_i64(s->threads, DECODED / (int64_t)s->in.array->chunk_bytes);
    struct took took = {0}, other = {0};
    s->in.buf = new_bufs(most);
    for (s->in.first = 0; s->in.first < n; s->in.first += most) {
        const int64_t some = gt_min_i64(most, n - s->in.first);
        run_all(s, decode, some, &other);
        run_all(s, transpose, some, &took);
    }
    return took;
}

int main(int argc, char **argv)
{
    struct steps s = {0};
    struct took took[4] = {0}, other = {0};
    struct gt_err err = {0};
    if (argc != 5 || (s.threads = atoi(argv[4])) < 1 || s.threads > 64)
        return 2;
    open_cells(&s.in, argv[1]);
    open_cells(&s.out, argv[2]);
    s.folder = argv[3];
    s.out.buf = new_bufs(s.out.n);
    s.stored = new_bufs(s.out.n);
    for (int64_t i = 0; i < s.out.n; i++) {
        if (gt_buf_resize(&s.out.buf[i], s.out.array->chunk_bytes, &err))
            return 1;
        memset(s.out.buf[i].data, 0, s.out.buf[i].len);
    }
    run_all(&s, decode, s.in.n, &took[0]);
    took[1] = transpose_all(&s);
    run_all(&s, encode, s.out.n, &took[2]);
    run_all(&s, keep, s.out.n, &other);
    run_all(&s, put, s.out.n, &took[3]);
    const char *const name[] = {"decode", "transpose", "encode", "write"};
    double wall = 0, cpu = 0;
    for (int i = 0; i < 4; i++) {
        printf("%s %.3f %.3f\n", name[i], took[i].wall, took[i].cpu);
        wall += took[i].wall, cpu += took[i].cpu;
    }
    printf("floor %.3f %.3f\n", wall, cpu);
    return 0;
}
