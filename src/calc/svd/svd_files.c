#include "calc/svd/svd_files.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/mem.h"
#include "core/base/outfile.h"
#include "core/base/str.h"
#include "storage/text/decimal.h"
#include "storage/text/npy_head.h"
#include "storage/text/text_file.h"

enum { U, S, V, FILES };

struct gt_svd_files {
    struct gt_svd_array_sink base;
    const struct gt_svd_format *format;
    int64_t rows, columns, k;
    struct gt_outfile file[FILES];
    struct gt_str text;
};

static int open_file(struct gt_svd_files *f, int which, const char *prefix, struct gt_err *err)
{
    struct gt_str path = {0};
    gt_str_addf(&path, "%s.%c%s", prefix, "usv"[which], f -> format -> suffix);
    int status = gt_str_check(&path, err);
    if (!status)
        status = gt_outfile_open(&f->file[which], path.s, f->format->binary, err);
    gt_str_release(&path);
    return status;
}

static int flush(struct gt_svd_files *f, int which, size_t minimum, struct gt_err *err)
{
    return gt_text_put(&f->file[which], &f->text, minimum, err);
}

static void add_number(struct gt_str *text, double value)
{
    char digits[GT_DECIMAL_LEN];
    gt_str_addn(text, digits, (size_t)(gt_decimal_double(digits, value) - digits));
}

/* --- how files begin ------------------------------------------------------------------ */

static int begin_npy(struct gt_svd_files *f, int which, struct gt_err *err)
{
    char head[GT_NPY_HEAD], shape[64];
    if (which == S)
        snprintf(shape, sizeof shape, "(%" PRId64 ",)", f->k);
    else
        snprintf(shape, sizeof shape, "(%" PRId64 ", %" PRId64 ")", which == U ? f->rows : f->k, which == U ? f->k : f->columns);
    return gt_outfile_write(&f->file[which], head, gt_npy_head(head, "<f8", shape, which == V), err);
}

static int begin_table(struct gt_svd_files *f, int which, struct gt_err *err)
{
    if (which == S)
        return GT_OK;
    gt_str_add(&f->text, which == U ? "row" : "column");
    for (int64_t c = 1; c <= f->k; c++)
        gt_str_addf(&f->text, "\t%c%" PRId64, "usv"[which], c);
    gt_str_add(&f->text, "\n");
    return flush(f, which, 1, err);
}

/* --- vectors ---------------------------------------------------------------------------- */

static int put_numbers(struct gt_svd_files *f, int which, int64_t first, int64_t n, const double *values, int64_t lead, struct gt_err *err)
{
    double row[64];
    int status = GT_OK;
    (void)first;
    for (int64_t i = 0; i < n && !status; i++)
        for (int64_t from = 0; from < f->k && !status; from += 64) {
            const int64_t some = f->k - from < 64 ? f->k - from : 64;
            memcpy(row, values + i * lead + from, (size_t)some * sizeof *row);
            gt_npy_numbers(row, (size_t)some);
            gt_str_addn(&f->text, (const char *)row, (size_t)some * sizeof *row);
            status = flush(f, which, GT_TEXT_GATHER, err);
        }
    return status ? status : flush(f, which, 1, err);
}

static int put_lines(struct gt_svd_files *f, int which, int64_t first, int64_t n, const double *values, int64_t lead, struct gt_err *err)
{
    int status = GT_OK;
    for (int64_t i = 0; i < n && !status; i++) {
        gt_str_addf(&f->text, "%" PRId64, first + i);
        for (int64_t c = 0; c < f->k; c++) {
            gt_str_addn(&f->text, "\t", 1);
            add_number(&f->text, values[i * lead + c]);
        }
        gt_str_addn(&f->text, "\n", 1);
        status = flush(f, which, GT_TEXT_GATHER, err);
    }
    return status ? status : flush(f, which, 1, err);
}

static int put_rows(struct gt_svd_array_sink *sink, bool u, int64_t first, int64_t n, const double *values, int64_t lead,
                    struct gt_err *err)
{
    struct gt_svd_files *f = (struct gt_svd_files *)sink;
    return f->format->rows(f, u ? U : V, first, n, values, lead, err);
}

/* --- values ------------------------------------------------------------------------------ */

static int put_value_lines(struct gt_outfile *file, const double *values, int64_t k, struct gt_err *err)
{
    struct gt_str text = {0};
    for (int64_t c = 0; c < k; c++) {
        add_number(&text, values[c]);
        gt_str_addn(&text, "\n", 1);
    }
    int status = gt_text_put(file, &text, 0, err);
    gt_str_release(&text);
    return status;
}

int gt_svd_values_write(const char *path, const double *values, int64_t k, struct gt_err *err)
{
    struct gt_outfile file;
    int status = gt_outfile_open(&file, path, false, err);
    if (status)
        return status;
    status = put_value_lines(&file, values, k, err);
    if (!status)
        status = gt_outfile_commit(&file, err);
    gt_outfile_abort(&file);
    return status;
}

static int put_value_numbers(struct gt_outfile *file, const double *values, int64_t k, struct gt_err *err)
{
    int status = GT_OK;
    for (int64_t c = 0; c < k && !status; c++) {
        double value = values[c];
        gt_npy_numbers(&value, 1);
        status = gt_outfile_write(file, &value, sizeof value, err);
    }
    return status;
}

/* --- all ---------------------------------------------------------------------------------- */

const struct gt_svd_format gt_svd_npy = {".npy", true, begin_npy, put_numbers, put_value_numbers};
const struct gt_svd_format gt_svd_tsv = {".tsv", false, begin_table, put_lines, put_value_lines};

int gt_svd_files_open(struct gt_svd_files **out, const char *prefix, const struct gt_svd_format *format, int64_t rows, int64_t columns,
                      int64_t k, struct gt_err *err)
{
    struct gt_svd_files *f = gt_alloc(1, sizeof *f, err);
    if (!f)
        return GT_FAIL;
    f->base.rows = put_rows;
    f->format = format;
    f->rows = rows;
    f->columns = columns;
    f->k = k;
    for (int i = 0; i < FILES; i++)
        f->file[i].fd = -1;
    int status = GT_OK;
    for (int i = 0; i < FILES && !status; i++) {
        status = open_file(f, i, prefix, err);
        if (!status)
            status = format->begin(f, i, err);
    }
    if (status)
        gt_svd_files_free(f);
    else
        *out = f;
    return status;
}

struct gt_svd_array_sink *gt_svd_files_sink(struct gt_svd_files *files)
{
    return &files->base;
}

int gt_svd_files_finish(struct gt_svd_files *f, const double *values, struct gt_err *err)
{
    struct gt_outfile *const all[] = {&f->file[U], &f->file[S], &f->file[V]};
    int status = f->format->values(&f->file[S], values, f->k, err);
    return status ? status : gt_outfile_commit_all(all, FILES, err);
}

void gt_svd_files_free(struct gt_svd_files *f)
{
    if (!f)
        return;
    for (int i = 0; i < FILES; i++)
        gt_outfile_abort(&f->file[i]);
    gt_str_release(&f->text);
    free(f);
}
