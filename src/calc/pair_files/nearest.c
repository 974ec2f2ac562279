/* A table of the nearest neighbours of each row, in as many numbers as that is. */
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "calc/pair_files/pair_writers_internal.h"
#include "core/base/mem.h"
#include "core/base/size.h"
#include "storage/text/text_file.h"

enum { LOCKS = 64 };

struct neighbour {
    double value, sites;
    int64_t column;
};

/* Of each row a heap, the farthest of its neighbours on top. */
struct nearest {
    struct gt_sink base;
    struct gt_pairs_limits limits;
    bool largest; /* are nearest */
    const char *value;
    bool head;
    int64_t first, rows, most; /* rows [first, first + rows); neighbours that one has room for */
    struct gt_strs row_ids, column_ids;
    bool square; /* rows are columns */
    const uint32_t *row_samples, *column_samples;
    struct gt_buf heap; /* struct neighbour [rows][most] */
    struct gt_buf n;    /* int64_t [rows] */
    pthread_mutex_t lock[LOCKS];
    struct gt_outfile file;
};

/* Ties go to the earlier column, so that the order of tiles does not matter. */
static bool is_farther(const struct nearest *sink, const struct neighbour *a, const struct neighbour *b)
{
    if (a->value != b->value)
        return (a->value > b->value) != sink->largest;
    return a->column > b->column;
}

static void swap(struct neighbour *a, struct neighbour *b)
{
    struct neighbour c = *a;
    *a = *b;
    *b = c;
}

static void rise(const struct nearest *sink, struct neighbour *heap, int64_t at)
{
    for (; at && is_farther(sink, &heap[at], &heap[(at - 1) / 2]); at = (at - 1) / 2)
        swap(&heap[at], &heap[(at - 1) / 2]);
}

static void sink_down(const struct nearest *sink, struct neighbour *heap, int64_t n)
{
    for (int64_t at = 0, child; (child = 2 * at + 1) < n; at = child) {
        child += child + 1 < n && is_farther(sink, &heap[child + 1], &heap[child]);
        if (!is_farther(sink, &heap[child], &heap[at]))
            return;
        swap(&heap[at], &heap[child]);
    }
}

static struct neighbour *heap_of(const struct nearest *sink, int64_t row)
{
    return (struct neighbour *)(void *)sink->heap.data + (row - sink->first) * sink->most;
}

static int64_t *number_of(const struct nearest *sink, int64_t row)
{
    return (int64_t *)(void *)sink->n.data + row - sink->first;
}

static void offer(const struct nearest *sink, int64_t row, const struct neighbour *other)
{
    struct neighbour *heap = heap_of(sink, row);
    int64_t *n = number_of(sink, row);
    if (*n < sink->most) {
        heap[*n] = *other;
        rise(sink, heap, (*n)++);
    } else if (*n && is_farther(sink, &heap[0], other)) {
        heap[0] = *other;
        sink_down(sink, heap, *n);
    }
}

static int nearest_begin(struct gt_sink *base, const struct gt_sink_subject *subject, struct gt_err *err)
{
    struct nearest *sink = (struct nearest *)base;
    int64_t others = (int64_t)subject->columns->n - (subject->rows == subject->columns);
    size_t bytes = 0;
    sink->head = subject->head;
    sink->first = subject->first;
    sink->rows = subject->last - subject->first;
    sink->square = subject->rows == subject->columns;
    sink->row_samples = subject->row_samples;
    sink->column_samples = subject->column_samples;
    sink->most = sink->most < others ? sink->most : others > 0 ? others : 0;
    sink->row_ids.budget = sink->column_ids.budget = sink->heap.budget = sink->n.budget = subject->budget;
    int status = gt_check_ids(subject->rows, err);
    if (!status)
        status = gt_check_ids(subject->columns, err);
    if (!status)
        status = gt_strs_copy(&sink->row_ids, subject->rows, err);
    if (!status)
        status = gt_strs_copy(&sink->column_ids, subject->columns, err);
    if (!status && !gt_mul_size((size_t)(sink->rows * sink->most), sizeof(struct neighbour), &bytes))
        status = gt_fail(err, GT_NOFIT, "too many neighbours to address");
    if (!status)
        status = gt_buf_resize(&sink->heap, bytes, err);
    if (!status)
        status = gt_buf_resize(&sink->n, (size_t)sink->rows * sizeof(int64_t), err);
    if (!status && sink->n.len)
        memset(sink->n.data, 0, sink->n.len);
    return status;
}

/* A sample is no neighbour of itself. */
static bool is_itself(const struct nearest *sink, int64_t row, int64_t column)
{
    if (sink->row_samples)
        return sink->row_samples[row] == sink->column_samples[column];
    return sink->square && row == column;
}

static int nearest_write(struct gt_sink *base, const struct gt_tile *tile, const struct gt_buf *bytes, struct gt_err *err)
{
    struct nearest *sink = (struct nearest *)base;
    (void)bytes, (void)err;
    for (int64_t i = 0; i < tile->rows; i++) {
        const int64_t row = tile->row + i;
        const double *value = tile->planes[0] + i * tile->columns, *sites = tile->planes[1] + i * tile->columns;
        pthread_mutex_lock(&sink->lock[row % LOCKS]);
        for (int64_t j = 0; j < tile->columns; j++) {
            const struct neighbour other = {value[j], sites[j], tile->column + j};
            if (!is_itself(sink, row, other.column) && gt_pairs_within(&sink->limits, value[j]))
                offer(sink, row, &other);
        }
        pthread_mutex_unlock(&sink->lock[row % LOCKS]);
    }
    return GT_OK;
}

/* The heap becomes a list, the nearest first: the farthest is taken off the top, one after another. */
static void sort(const struct nearest *sink, struct neighbour *heap, int64_t n)
{
    while (n > 1) {
        swap(&heap[0], &heap[--n]);
        sink_down(sink, heap, n);
    }
}

static int nearest_finish(struct gt_sink *base, struct gt_err *err)
{
    struct nearest *sink = (struct nearest *)base;
    struct gt_str text = {0};
    int status = GT_OK;
    if (sink->head)
        gt_list_head(&text, sink->value);
    for (int64_t row = sink->first; row < sink->first + sink->rows && !status; row++) {
        struct neighbour *heap = heap_of(sink, row);
        int64_t n = *number_of(sink, row);
        sort(sink, heap, n);
        for (int64_t k = 0; k < n && !status; k++) {
            gt_list_line(&text, gt_strs_get(&sink->row_ids, (size_t)row), gt_strs_get(&sink->column_ids, (size_t)heap[k].column),
                         heap[k].value, heap[k].sites);
            status = gt_list_put(&sink->file, &text, false, err);
        }
    }
    status = status ? status : gt_list_put(&sink->file, &text, true, err);
    gt_str_release(&text);
    return status ? status : gt_outfile_commit(&sink->file, err);
}

static void nearest_free(struct gt_sink *base)
{
    struct nearest *sink = (struct nearest *)base;
    gt_outfile_abort(&sink->file);
    gt_strs_release(&sink->row_ids);
    gt_strs_release(&sink->column_ids);
    gt_buf_release(&sink->heap);
    gt_buf_release(&sink->n);
    for (int k = 0; k < LOCKS; k++)
        pthread_mutex_destroy(&sink->lock[k]);
    free(sink);
}

int64_t gt_nearest_pair_bytes(void)
{
    return (int64_t)sizeof(struct neighbour);
}

int gt_nearest_open(struct gt_sink **out, const struct gt_pairs_opts *opts, const char *path, struct gt_err *err)
{
    static const struct gt_sink_ops ops = {nearest_begin, NULL, nearest_write, nearest_finish, nearest_free};
    struct nearest *sink = gt_alloc(1, sizeof *sink, err);
    if (!sink)
        return GT_FAIL;
    sink->base = (struct gt_sink){.ops = &ops, .order = GT_TILES_ANY};
    sink->limits = opts->limits;
    sink->most = opts->neighbours;
    sink->largest = opts->largest;
    sink->value = opts->value;
    for (int k = 0; k < LOCKS; k++)
        pthread_mutex_init(&sink->lock[k], NULL);
    int status = gt_text_open(&sink->file, path, NULL, err);
    if (status)
        nearest_free(&sink->base);
    else
        *out = &sink->base;
    return status;
}
