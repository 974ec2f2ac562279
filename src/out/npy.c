#include <endian.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/outfile.h"
#include "base/str.h"
#include "out/ids.h"
#include "out/matrix.h"

struct npy_sink {
    struct gt_sink base;
    int64_t n;
    int64_t head;  /* bytes before the data */
    char *id_path; /* NULL: no id file */
    struct gt_outfile file, ids;
};

/* The header of format 1.0: padded with spaces so that data starts at a multiple of 64. */
static int write_header(struct npy_sink *sink, struct gt_err *err)
{
    char head[192];
    memset(head, ' ', sizeof head);
    memcpy(head, "\x93NUMPY\x01\x00", 8);
    int n = snprintf(head + 10, sizeof head - 10, "{'descr': '<f8', 'fortran_order': False, 'shape': (%lld, %lld), }", (long long)sink->n,
                     (long long)sink->n);
    head[10 + n] = ' ';
    size_t total = ((size_t)n + 11 + 63) / 64 * 64;
    head[total - 1] = '\n';
    head[8] = (char)((total - 10) & 0xff);
    head[9] = (char)((total - 10) >> 8);
    sink->head = (int64_t)total;
    return gt_outfile_write(&sink->file, head, total, err);
}

static int write_ids(struct npy_sink *sink, const struct gt_strs *ids, struct gt_err *err)
{
    struct gt_str text = {0};
    int status = gt_check_ids(ids, err);
    if (status)
        return status;
    for (size_t i = 0; i < ids->n; i++) {
        gt_str_add(&text, gt_strs_get(ids, i));
        gt_str_addn(&text, "\n", 1);
    }
    status = gt_str_check(&text, err);
    if (!status)
        status = gt_outfile_open(&sink->ids, sink->id_path, false, err);
    if (!status)
        status = gt_outfile_write(&sink->ids, text.s, text.len, err);
    gt_str_release(&text);
    return status;
}

static int npy_begin(struct gt_sink *base, const struct gt_strs *ids, struct gt_err *err)
{
    struct npy_sink *sink = (struct npy_sink *)base;
    sink->n = (int64_t)ids->n;
    int status = write_header(sink, err);
    return !status && sink->id_path ? write_ids(sink, ids, err) : status;
}

/* n values at an offset, or behind what was written where there are no offsets. */
static int put(struct npy_sink *sink, const double *values, size_t n, int64_t offset, struct gt_err *err)
{
    enum { STRETCH = 512 };
    uint64_t bits[STRETCH];
    int status = GT_OK;
    for (size_t done = 0, some; done < n && !status; done += some, offset += (int64_t)(some * sizeof *bits)) {
        bool as_is = htole64(1) == 1;
        some = as_is || n - done < STRETCH ? n - done : STRETCH;
        if (!as_is)
            memcpy(bits, values + done, some * sizeof *bits);
        for (size_t i = 0; i < some && !as_is; i++)
            bits[i] = htole64(bits[i]);
        const void *from = as_is ? (const void *)(values + done) : bits;
        status = sink->file.in_place ? gt_outfile_write(&sink->file, from, some * sizeof *bits, err)
                                     : gt_outfile_pwrite(&sink->file, from, some * sizeof *bits, offset, err);
    }
    return status;
}

static int npy_write(struct gt_sink *base, const struct gt_tile *tile, const struct gt_buf *bytes, struct gt_err *err)
{
    struct npy_sink *sink = (struct npy_sink *)base;
    int64_t at = sink->head + (tile->row * sink->n + tile->column) * 8;
    int status = GT_OK;
    (void)bytes;
    if (tile->columns == sink->n)
        return put(sink, tile->planes[0], (size_t)(tile->rows * tile->columns), at, err);
    for (int64_t i = 0; i < tile->rows && !status; i++, at += sink->n * 8)
        status = put(sink, tile->planes[0] + i * tile->columns, (size_t)tile->columns, at, err);
    return status;
}

static int npy_finish(struct gt_sink *base, struct gt_err *err)
{
    struct npy_sink *sink = (struct npy_sink *)base;
    return gt_outfile_commit_all((struct gt_outfile *[]){&sink->ids, &sink->file}, 2, err);
}

static void npy_free(struct gt_sink *base)
{
    struct npy_sink *sink = (struct npy_sink *)base;
    gt_outfile_abort(&sink->file);
    gt_outfile_abort(&sink->ids);
    free(sink->id_path);
    free(sink);
}

int gt_sink_npy(struct gt_sink **out, const char *path, struct gt_err *err)
{
    static const struct gt_sink_ops ops = {npy_begin, NULL, npy_write, npy_finish, npy_free};
    struct npy_sink *sink = gt_alloc(1, sizeof *sink, err);
    if (!sink)
        return GT_FAIL;
    sink->base = (struct gt_sink){.ops = &ops, .planes = {"distance"}};
    int status = gt_outfile_open(&sink->file, path, true, err);
    sink->base.order = status || sink->file.in_place ? GT_TILES_IN_ROWS : GT_TILES_ANY;
    if (!status && !sink->file.in_place) {
        struct gt_str id = {0};
        gt_str_addf(&id, "%s.id", path);
        status = gt_str_check(&id, err);
        sink->id_path = status ? NULL : id.s;
    }
    if (status)
        npy_free(&sink->base);
    else
        *out = &sink->base;
    return status;
}
