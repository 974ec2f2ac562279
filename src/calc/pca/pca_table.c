#include "calc/pca/pca_table.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "calc/pca/pca_loadings_table.h"
#include "core/base/outfile.h"
#include "storage/text/decimal.h"
#include "storage/text/id_text.h"
#include "storage/text/npy_head.h"
#include "storage/text/text_file.h"

static void add_number(struct gt_str *text, double value, const struct gt_components_format *format)
{
    char digits[GT_DECIMAL_LEN];
    gt_str_addn(text, digits, (size_t)(format->number(digits, value) - digits));
}

static bool has_families(const struct gt_strs *plink_ids)
{
    for (size_t i = 0; i < plink_ids->n; i++)
        if (strncmp(gt_strs_get(plink_ids, i), "0\t", 2) != 0)
            return true;
    return false;
}

static int write_table(struct gt_outfile *file, const struct gt_components *c, const struct gt_components_format *format,
                       struct gt_err *err)
{
    const size_t n = c->ids->n;
    const bool plinks = format == &gt_components_plink, families = plinks && has_families(c->plink_ids);
    const struct gt_strs *ids = families ? c->plink_ids : c->ids;
    struct gt_str text = {0};
    int status = GT_OK;
    gt_str_add(&text, families ? "#FID\tIID" : plinks ? "#IID" : "id");
    gt_str_add(&text, !c->fit ? "" : c->refit ? "\tREFIT" : "\tFIT");
    for (int64_t k = 1; k <= c->k; k++)
        gt_str_addf(&text, "\tPC%lld", (long long)k);
    gt_str_add(&text, "\n");
    for (size_t i = 0; i < n && !status; i++) {
        gt_str_add(&text, gt_strs_get(ids, i));
        if (c->fit)
            gt_str_add(&text, c->fit[i] ? "\t1" : "\t0");
        for (int64_t k = 0; k < c->k; k++) {
            gt_str_addn(&text, "\t", 1);
            add_number(&text, c->vectors[(size_t)k * n + i], format);
        }
        gt_str_addn(&text, "\n", 1);
        status = gt_text_put(file, &text, GT_TEXT_GATHER, err);
    }
    status = status ? status : gt_text_put(file, &text, 1, err);
    gt_str_release(&text);
    return status;
}

static int write_plink(struct gt_outfile *file, const struct gt_components *c, struct gt_err *err)
{
    return write_table(file, c, &gt_components_plink, err);
}

static int write_tsv(struct gt_outfile *file, const struct gt_components *c, struct gt_err *err)
{
    return write_table(file, c, &gt_components_tsv, err);
}

static int write_npy(struct gt_outfile *file, const struct gt_components *c, struct gt_err *err)
{
    const size_t n = c->ids->n;
    char head[GT_NPY_HEAD], shape[64];
    snprintf(shape, sizeof shape, "(%zu, %lld)", n, (long long)c->k);
    int status = gt_outfile_write(file, head, gt_npy_head(head, "<f8", shape, false), err);
    double row[64];
    for (size_t i = 0; i < n && !status; i++)
        for (int64_t from = 0; from < c->k && !status; from += 64) {
            int64_t some = c->k - from < 64 ? c->k - from : 64;
            for (int64_t k = 0; k < some; k++)
                row[k] = c->vectors[(size_t)(from + k) * n + i];
            gt_npy_numbers(row, (size_t)some);
            status = gt_outfile_write(file, row, (size_t)some * sizeof *row, err);
        }
    return status;
}

static int write_text(struct gt_outfile *file, struct gt_str *text, struct gt_err *err)
{
    int status = gt_text_put(file, text, 1, err);
    gt_str_release(text);
    return status;
}

static int write_values(struct gt_outfile *file, const struct gt_components *c, const struct gt_components_format *format,
                        struct gt_err *err)
{
    struct gt_str text = {0};
    for (int64_t k = 0; k < c->k; k++) {
        add_number(&text, c->values[k], format);
        gt_str_add(&text, "\n");
    }
    return write_text(file, &text, err);
}

static int write_ids(struct gt_outfile *file, const struct gt_components *c, const char *path, struct gt_err *err)
{
    struct gt_str text = {0}, name = {0};
    gt_str_addf(&name, "%s.id", path);
    gt_ids_text(&text, c->ids, NULL, GT_IDS_PLAIN);
    int status = gt_str_check(&name, err);
    if (!status)
        status = gt_outfile_open(file, name.s, false, err);
    gt_str_release(&name);
    if (!status)
        return write_text(file, &text, err);
    gt_str_release(&text);
    return status;
}

static int write_pruned(struct gt_outfile *file, const struct gt_strs *ids, struct gt_err *err)
{
    struct gt_str text = {0};
    int status = GT_OK;
    for (size_t i = 0; i < ids->n && !status; i++) {
        gt_str_add(&text, gt_strs_get(ids, i));
        gt_str_add(&text, "\n");
        status = gt_text_put(file, &text, GT_TEXT_GATHER, err);
    }
    if (!status)
        status = gt_text_put(file, &text, 1, err);
    gt_str_release(&text);
    return status;
}

static int write_lists(struct gt_outfile files[3], const struct gt_components *c, const struct gt_components_format *format,
                       const struct gt_components_paths *paths, struct gt_err *err)
{
    int status = paths->values ? gt_outfile_open(&files[0], paths->values, false, err) : GT_OK;
    if (!status && paths->values)
        status = write_values(&files[0], c, format, err);
    if (!status && paths->pruned && c->pruned)
        status = gt_outfile_open(&files[1], paths->pruned, false, err);
    if (!status && paths->pruned && c->pruned)
        status = write_pruned(&files[1], c->pruned, err);
    if (!status && paths->loadings)
        status = gt_outfile_open(&files[2], paths->loadings, false, err);
    return status || !paths->loadings ? status : gt_loadings_write(&files[2], c->model, err);
}

const struct gt_components_format gt_components_plink = {.write = write_plink, .number = gt_decimal_plink};
const struct gt_components_format gt_components_tsv = {.write = write_tsv, .number = gt_decimal_double};
const struct gt_components_format gt_components_npy = {.write = write_npy, .number = gt_decimal_double, .binary = true};

void gt_components_begin(struct gt_components_files *files)
{
    for (int i = 0; i < GT_COMPONENTS_FILES; i++)
        files->file[i] = (struct gt_outfile){.fd = -1};
}

int gt_components_write(struct gt_components_files *files, const struct gt_components *c, const struct gt_components_format *format,
                        const struct gt_components_paths *paths, struct gt_err *err)
{
    struct gt_outfile *const file = files->file;
    int status = gt_check_ids(c->ids, err);
    if (!status)
        status = format->binary ? gt_outfile_open(&file[0], paths->vectors, true, err) : gt_text_open(&file[0], paths->vectors, NULL, err);
    if (!status)
        status = format->write(&file[0], c, err);
    if (!status && format->binary && !gt_is_stream(paths->vectors))
        status = write_ids(&file[1], c, paths->vectors, err);
    return status ? status : write_lists(&file[2], c, format, paths, err);
}

int gt_components_commit(struct gt_components_files *files, struct gt_err *err)
{
    struct gt_outfile *all[GT_COMPONENTS_FILES];
    for (int i = 0; i < GT_COMPONENTS_FILES; i++)
        all[i] = &files->file[i];
    return gt_outfile_commit_all(all, GT_COMPONENTS_FILES, err);
}

void gt_components_abort(struct gt_components_files *files)
{
    for (int i = 0; i < GT_COMPONENTS_FILES; i++)
        gt_outfile_abort(&files->file[i]);
}
