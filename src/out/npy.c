#include <endian.h>
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

static int npy_begin(struct gt_sink *base, int64_t n_rows, const struct gt_strs *ids, struct gt_err *err)
{
    struct npy_sink *sink = (struct npy_sink *)base;
    sink->n = n_rows;
    int status = write_header(sink, err);
    return !status && sink->id_path ? write_ids(sink, ids, err) : status;
}

static int npy_format(struct gt_sink *base, int64_t row, int64_t n, const double *values, struct gt_buf *bytes, struct gt_err *err)
{
    struct npy_sink *sink = (struct npy_sink *)base;
    (void)row;
    int status = gt_buf_resize(bytes, (size_t)n * (size_t)sink->n * sizeof *values, err);
    if (status)
        return status;
    for (size_t i = 0; i < (size_t)n * (size_t)sink->n; i++) {
        uint64_t bits;
        memcpy(&bits, &values[i], sizeof bits);
        bits = htole64(bits);
        memcpy(bytes->data + i * sizeof bits, &bits, sizeof bits);
    }
    return GT_OK;
}

static int npy_write(struct gt_sink *base, const struct gt_buf *bytes, struct gt_err *err)
{
    return gt_outfile_write(&((struct npy_sink *)base)->file, bytes->data, bytes->len, err);
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
    static const struct gt_sink_ops ops = {npy_begin, npy_format, npy_write, npy_finish, npy_free};
    struct npy_sink *sink = gt_alloc(1, sizeof *sink, err);
    if (!sink)
        return GT_FAIL;
    sink->base.ops = &ops;
    int status = gt_outfile_open(&sink->file, path, true, err);
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
