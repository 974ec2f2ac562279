/* A table of pairs that were asked for one by one, in their order. */
#include <stdlib.h>
#include <string.h>

#include "calc/pair_files/pair_writers_internal.h"
#include "core/base/mem.h"
#include "storage/text/text_file.h"

struct listed {
    struct gt_sink base;
    const char *value;
    const struct gt_pair_list *list;
    struct gt_strs ids;
    struct gt_outfile file;
};

static int selected_begin(struct gt_sink *base, const struct gt_sink_subject *subject, struct gt_err *err)
{
    struct listed *sink = (struct listed *)base;
    sink->ids.budget = subject->budget;
    int status = gt_check_ids(subject->rows, err);
    return status ? status : gt_strs_copy(&sink->ids, subject->rows, err);
}

/* The first of the pairs in order of rows that is of this row or a later one. */
static int64_t first_of(const struct gt_pair_list *list, int64_t row)
{
    int64_t low = 0, high = list->n;
    while (low < high) {
        int64_t mid = (low + high) / 2;
        if (list->pair[list->order[mid]].row < row)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

static int selected_write(struct gt_sink *base, const struct gt_tile *tile, const struct gt_buf *bytes, struct gt_err *err)
{
    const struct gt_pair_list *list = ((struct listed *)base)->list;
    (void)bytes, (void)err;
    for (int64_t k = first_of(list, tile->row); k < list->n; k++) {
        struct gt_selected_pair *pair = &list->pair[list->order[k]];
        if (pair->row >= tile->row + tile->rows)
            break;
        if (pair->column < tile->column || pair->column >= tile->column + tile->columns)
            continue;
        int64_t at = (pair->row - tile->row) * tile->columns + pair->column - tile->column;
        pair->value = tile->planes[0][at];
        pair->sites = tile->planes[1][at];
    }
    return GT_OK;
}

static int selected_finish(struct gt_sink *base, struct gt_err *err)
{
    struct listed *sink = (struct listed *)base;
    struct gt_str text = {0};
    int status = GT_OK;
    gt_list_head(&text, sink->value);
    for (int64_t k = 0; k < sink->list->n && !status; k++) {
        const struct gt_selected_pair *pair = &sink->list->pair[k];
        const char *row = gt_strs_get(&sink->ids, pair->row), *column = gt_strs_get(&sink->ids, pair->column);
        gt_list_line(&text, pair->turned ? row : column, pair->turned ? column : row, pair->value, pair->sites);
        status = gt_list_put(&sink->file, &text, false, err);
    }
    status = status ? status : gt_list_put(&sink->file, &text, true, err);
    gt_str_release(&text);
    return status ? status : gt_outfile_commit(&sink->file, err);
}

static void selected_free(struct gt_sink *base)
{
    struct listed *sink = (struct listed *)base;
    gt_outfile_abort(&sink->file);
    gt_strs_release(&sink->ids);
    free(sink);
}

int gt_selected_open(struct gt_sink **out, const struct gt_pairs_opts *opts, const char *path, struct gt_err *err)
{
    static const struct gt_sink_ops ops = {selected_begin, NULL, selected_write, selected_finish, selected_free};
    struct listed *sink = gt_alloc(1, sizeof *sink, err);
    if (!sink)
        return GT_FAIL;
    sink->base = (struct gt_sink){.ops = &ops, .order = GT_TILES_ANY};
    sink->value = opts->value;
    sink->list = opts->list;
    int status = gt_text_open(&sink->file, path, NULL, err);
    if (status)
        selected_free(&sink->base);
    else
        *out = &sink->base;
    return status;
}
