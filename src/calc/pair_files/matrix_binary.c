/* Matrices of binary numbers: .npy, PLINK's, which are the numbers alone, and GCTA's, two files of them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "calc/pair_files/pair_writers_internal.h"
#include "core/base/le.h"
#include "core/base/mem.h"
#include "core/engine/trace.h"
#include "storage/text/npy_head.h"

enum shape { SQUARE, SQUARE0, UPPER, LOWER, LOWER_DIAGONAL };

struct binary_sink {
    struct gt_sink base;
    enum shape shape;
    bool diagonal; /* of SQUARE0: its diagonal is data, not 0 */
    bool npy;
    size_t width;    /* bytes of a number: 8 or 4 */
    int64_t rows, n; /* n: columns */
    int64_t at;      /* where number 0 of the whole output stands in this file: before its begin, in a later part */
    struct gt_id_file ids;
    struct gt_outfile file[2]; /* a plane each */
    int n_files;
};

static int write_header(struct binary_sink *sink, struct gt_err *err)
{
    char head[GT_NPY_HEAD], shape[64];
    long long n = sink->n, rows = sink->rows;
    if (sink->shape == UPPER)
        snprintf(shape, sizeof shape, "(%lld,)", n * (n - 1) / 2);
    else
        snprintf(shape, sizeof shape, "(%lld, %lld)", rows, n);
    size_t len = gt_npy_head(head, sink->width == sizeof(double) ? "<f8" : "<f4", shape, false);
    sink->at = (int64_t)len;
    return gt_outfile_write(&sink->file[0], head, len, err);
}

void gt_pairs_bytes(const double *values, size_t n, size_t width, void *out)
{
    for (size_t i = 0; i < n; i++) {
        uint64_t wide;
        uint32_t narrow;
        float value = (float)values[i];
        memcpy(&wide, &values[i], sizeof wide);
        memcpy(&narrow, &value, sizeof narrow);
        wide = gt_as_le64(wide), narrow = gt_as_le32(narrow);
        memcpy((char *)out + i * width, width == sizeof wide ? (void *)&wide : &narrow, width);
    }
}

/* n values at an offset, or after what was written where there are no offsets. */
static int put(struct binary_sink *sink, int plane, const double *values, size_t n, int64_t offset, struct gt_err *err)
{
    enum { STRETCH = 512 };
    struct gt_outfile *file = &sink->file[plane];
    uint64_t bytes[STRETCH];
    const bool as_is = gt_as_le64(1) == 1 && sink->width == sizeof *values;
    int status = GT_OK;
    for (size_t done = 0, some; done < n && !status; done += some, offset += (int64_t)(some * sink->width)) {
        some = as_is || n - done < STRETCH ? n - done : STRETCH;
        if (!as_is)
            gt_pairs_bytes(values + done, some, sink->width, bytes);
        const void *from = as_is ? (const void *)(values + done) : bytes;
        status = file->in_place ? gt_outfile_write(file, from, some * sink->width, err)
                                : gt_outfile_pwrite(file, from, some * sink->width, offset, err);
    }
    if (!status)
        gt_trace_bytes((int64_t)(n * sink->width));
    return status;
}

/* The columns [from, to) of a row that are written, and the number of the first of them. */
static int64_t columns_of(const struct binary_sink *sink, int64_t row, int64_t *from, int64_t *to)
{
    *from = sink->shape == UPPER ? row + 1 : 0;
    const bool below = sink->shape == LOWER || (sink->shape == SQUARE0 && !sink->diagonal);
    *to = below ? row : sink->shape == LOWER_DIAGONAL || sink->shape == SQUARE0 ? row + 1 : sink->n;
    switch (sink->shape) {
    case UPPER:
        return row * sink->n - row * (row + 1) / 2;
    case LOWER:
        return row * (row - 1) / 2;
    case LOWER_DIAGONAL:
        return row * (row + 1) / 2;
    default:
        return row * sink->n;
    }
}

static int binary_begin(struct gt_sink *base, const struct gt_sink_subject *subject, struct gt_err *err)
{
    struct binary_sink *sink = (struct binary_sink *)base;
    int64_t from, to;
    sink->rows = (int64_t)subject->rows->n;
    sink->n = (int64_t)subject->columns->n;
    int status = sink->npy && subject->head ? write_header(sink, err) : GT_OK;
    sink->at -= columns_of(sink, subject->first, &from, &to) * (int64_t)sink->width;
    return status ? status : gt_id_file_write(&sink->ids, subject, err);
}

/* Zeros from column `column` to the end of the row. */
static int put_zeros(struct binary_sink *sink, int plane, int64_t row, int64_t column, struct gt_err *err)
{
    enum { STRETCH = 512 };
    static const double zeros[STRETCH];
    int status = GT_OK;
    for (int64_t n; column < sink->n && !status; column += n) {
        n = sink->n - column < STRETCH ? sink->n - column : STRETCH;
        status = put(sink, plane, zeros, (size_t)n, sink->at + (row * sink->n + column) * (int64_t)sink->width, err);
    }
    return status;
}

static int put_plane(struct binary_sink *sink, int plane, const struct gt_tile *tile, struct gt_err *err)
{
    const double *values = tile->planes[plane];
    int status = GT_OK;
    if (sink->shape == SQUARE && tile->columns == sink->n)
        return put(sink, plane, values, (size_t)(tile->rows * tile->columns), sink->at + tile->row * sink->n * (int64_t)sink->width, err);
    for (int64_t i = 0; i < tile->rows && !status; i++) {
        int64_t first, last, at = columns_of(sink, tile->row + i, &first, &last);
        int64_t from = tile->column > first ? tile->column : first;
        int64_t end = tile->column + tile->columns, to = end < last ? end : last;
        if (from < to)
            status = put(sink, plane, values + i * tile->columns + from - tile->column, (size_t)(to - from),
                         sink->at + (at + from - first) * (int64_t)sink->width, err);
        if (sink->shape == SQUARE0 && !status && tile->column <= tile->row + i && tile->row + i < end)
            status = put_zeros(sink, plane, tile->row + i, last, err);
    }
    return status;
}

static int binary_write(struct gt_sink *base, const struct gt_tile *tile, const struct gt_buf *bytes, struct gt_err *err)
{
    struct binary_sink *sink = (struct binary_sink *)base;
    int status = GT_OK;
    (void)bytes;
    for (int k = 0; k < sink->n_files && !status; k++)
        status = put_plane(sink, k, tile, err);
    return status;
}

static int binary_finish(struct gt_sink *base, struct gt_err *err)
{
    struct binary_sink *sink = (struct binary_sink *)base;
    struct gt_outfile *const files[] = {&sink->ids.file, &sink->file[1], &sink->file[0]};
    return gt_outfile_commit_all((struct gt_outfile **)files, 3, err);
}

static void binary_free(struct gt_sink *base)
{
    struct binary_sink *sink = (struct binary_sink *)base;
    for (int k = 0; k < sink->n_files; k++)
        gt_outfile_abort(&sink->file[k]);
    gt_id_file_free(&sink->ids);
    free(sink);
}

static void choose_shape(struct binary_sink *sink, const struct gt_pairs_opts *opts)
{
    const bool plink = opts->format == GT_PAIRS_PLINK, grm = opts->format == GT_PAIRS_GRM;
    sink->npy = !plink && !grm;
    sink->width = grm ? 4 : (size_t)opts->width;
    sink->shape = opts->format == GT_PAIRS_CONDENSED ? UPPER : grm ? LOWER_DIAGONAL : SQUARE;
    sink->diagonal = opts->diagonal;
    if (!plink)
        return;
    sink->width = gt_plink_is_float32(opts->shape) ? 4 : 8;
    if (gt_plink_is_triangle(opts->shape))
        sink->shape = opts->diagonal ? LOWER_DIAGONAL : LOWER;
    else if (gt_plink_is_square0(opts->shape))
        sink->shape = SQUARE0;
}

/* The numbers of sites of PREFIX.grm.bin are in PREFIX.grm.N.bin. */
static int open_files(struct binary_sink *sink, const struct gt_pairs_opts *opts, const char *path, struct gt_err *err)
{
    struct gt_str name = {0};
    sink->n_files = 1;
    int status = gt_outfile_open(&sink->file[0], path, true, err);
    if (status || opts->format != GT_PAIRS_GRM)
        return status;
    gt_str_addn(&name, path, strlen(path) - strlen(".bin"));
    gt_str_add(&name, ".N.bin");
    sink->n_files = 2;
    status = gt_str_check(&name, err);
    if (!status)
        status = gt_outfile_open(&sink->file[1], name.s, true, err);
    gt_str_release(&name);
    return status;
}

int gt_binary_open(struct gt_sink **out, const struct gt_pairs_opts *opts, const char *path, struct gt_err *err)
{
    static const struct gt_sink_ops ops = {binary_begin, NULL, binary_write, binary_finish, binary_free};
    struct binary_sink *sink = gt_alloc(1, sizeof *sink, err);
    if (!sink)
        return GT_FAIL;
    sink->base.ops = &ops;
    choose_shape(sink, opts);
    int status = open_files(sink, opts, path, err);
    sink->base.order = status || sink->file[0].in_place || sink->file[1].in_place ? GT_TILES_IN_ROWS : GT_TILES_ANY;
    if (!status)
        status = gt_id_file_plan(&sink->ids, opts, path, err);
    if (status)
        binary_free(&sink->base);
    else
        *out = &sink->base;
    return status;
}
