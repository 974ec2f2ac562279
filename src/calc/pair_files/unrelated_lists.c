/* Two lists of samples: those left, without relatives among them, and those that left. */
#include <stdlib.h>
#include <string.h>

#include "calc/cluster/unrelated.h"
#include "calc/pair_files/pair_writers_internal.h"
#include "core/base/mem.h"
#include "core/engine/memory_plan.h"
#include "storage/text/text_file.h"

enum { IN, OUT, LISTS };

struct unrelated {
    struct gt_sink base;
    double most; /* kinship of those who are no relatives */
    int64_t *listed;
    struct gt_relatives relatives;
    struct gt_strs ids, plink_ids;
    struct gt_outfile file[LISTS];
};

static int unrelated_begin(struct gt_sink *base, const struct gt_sink_subject *subject, struct gt_err *err)
{
    struct unrelated *sink = (struct unrelated *)base;
    sink->ids.budget = sink->plink_ids.budget = sink->relatives.bits.budget = subject->budget;
    int status = gt_check_ids(subject->rows, err);
    if (!status)
        status = gt_strs_copy(&sink->ids, subject->rows, err);
    if (!status && subject->plink_ids)
        status = gt_strs_copy(&sink->plink_ids, subject->plink_ids, err);
    return status ? status : gt_relatives_init(&sink->relatives, (int64_t)subject->rows->n, err);
}

static int unrelated_write(struct gt_sink *base, const struct gt_tile *tile, const struct gt_buf *bytes, struct gt_err *err)
{
    struct unrelated *sink = (struct unrelated *)base;
    (void)bytes, (void)err;
    for (int64_t i = 0; i < tile->rows; i++) {
        const double *kinship = tile->planes[0] + i * tile->columns;
        for (int64_t j = 0; j < tile->columns && tile->column + j < tile->row + i; j++)
            if (kinship[j] > sink->most)
                gt_relatives_add(&sink->relatives, tile->row + i, tile->column + j);
    }
    return GT_OK;
}

/* Those whose flag is `left`. */
static int write_list(struct unrelated *sink, int list, const bool *left, struct gt_err *err)
{
    struct gt_str text = {0};
    int status = GT_OK;
    gt_str_add(&text, "#FID\tIID\n");
    for (size_t i = 0; i < sink->ids.n && !status; i++) {
        if (left[i] != (list == OUT))
            continue;
        gt_str_addf(&text, "%s%s\n", sink->plink_ids.n ? "" : "0\t", gt_strs_get(sink->plink_ids.n ? &sink->plink_ids : &sink->ids, i));
        status = gt_list_put(&sink->file[list], &text, false, err);
    }
    status = status ? status : gt_list_put(&sink->file[list], &text, true, err);
    gt_str_release(&text);
    return status;
}

static int unrelated_finish(struct gt_sink *base, struct gt_err *err)
{
    struct unrelated *sink = (struct unrelated *)base;
    bool *left = gt_alloc(sink->ids.n + 1, sizeof *left, err);
    int status = left ? gt_unrelated(&sink->relatives, left, err) : GT_FAIL;
    for (size_t i = 0; i < sink->ids.n && !status && sink->listed; i++)
        sink->listed[left[i] ? OUT : IN]++;
    for (int list = 0; list < LISTS && !status; list++)
        status = write_list(sink, list, left, err);
    free(left);
    return status ? status : gt_outfile_commit_all((struct gt_outfile *[]){&sink->file[OUT], &sink->file[IN]}, LISTS, err);
}

static void unrelated_free(struct gt_sink *base)
{
    struct unrelated *sink = (struct unrelated *)base;
    for (int list = 0; list < LISTS; list++)
        gt_outfile_abort(&sink->file[list]);
    gt_buf_release(&sink->relatives.bits);
    gt_strs_release(&sink->ids);
    gt_strs_release(&sink->plink_ids);
    free(sink);
}

static int open_list(struct gt_outfile *file, const char *prefix, const char *suffix, struct gt_err *err)
{
    struct gt_str name = {0};
    gt_str_addf(&name, "%s%s", prefix, suffix);
    int status = gt_str_check(&name, err);
    status = status ? status : gt_outfile_open(file, name.s, false, err);
    gt_str_release(&name);
    return status;
}

int64_t gt_unrelated_memory(const struct gt_sink_wants *wants, const struct gt_strs *rows, const struct gt_strs *columns)
{
    (void)wants, (void)columns;
    return gt_bytes_add(gt_relatives_bytes((int64_t)rows->n), gt_bytes_mul(4, (int64_t)rows->text_len + 16 * (int64_t)rows->n));
}

int gt_unrelated_open(struct gt_sink **out, const struct gt_pairs_opts *opts, const char *path, struct gt_err *err)
{
    static const struct gt_sink_ops ops = {unrelated_begin, NULL, unrelated_write, unrelated_finish, unrelated_free};
    struct unrelated *sink = gt_alloc(1, sizeof *sink, err);
    if (!sink)
        return GT_FAIL;
    sink->base = (struct gt_sink){.ops = &ops, .order = GT_TILES_ANY};
    sink->most = opts->limits.max;
    sink->listed = opts->listed;
    int status = open_list(&sink->file[IN], path, ".in.id", err);
    if (!status)
        status = open_list(&sink->file[OUT], path, ".out.id", err);
    if (status)
        unrelated_free(&sink->base);
    else
        *out = &sink->base;
    return status;
}
