/* A plain array as a row source: its rows are sites, its columns samples. */
#include <stdlib.h>

#include "calc/pdist/row_source.h"
#include "core/base/mem.h"

struct row_source_matrix {
    struct gt_row_source base;
    struct gt_matrix *matrix;
};

/* It can always be read again. */
static int start(struct gt_row_source *base, const struct gt_row_source_opts *opts, struct gt_err *err)
{
    struct gt_matrix *matrix = ((struct row_source_matrix *)base)->matrix;
    gt_matrix_set_memory(matrix, opts->memory);
    return gt_matrix_reblock(matrix, opts->block_sites, err);
}

static int next(struct gt_row_source *base, struct gt_rows *rows, const void **held, struct gt_err *err)
{
    const struct gt_matrix_block *block;
    int status = gt_matrix_next(((struct row_source_matrix *)base)->matrix, &block, err);
    if (status)
        return status;
    *rows = (struct gt_rows){.data = block->values.data, .stride = base->info.row_bytes, .n = block->n, .first = block->first};
    *held = block;
    return 0;
}

static void done(struct gt_row_source *base, const void *held)
{
    gt_matrix_done(((struct row_source_matrix *)base)->matrix, held);
}

static int rewind_row_source(struct gt_row_source *base, struct gt_err *err)
{
    return gt_matrix_rewind(((struct row_source_matrix *)base)->matrix, err);
}

static void free_row_source(struct gt_row_source *base)
{
    free(base);
}

int gt_row_source_matrix(struct gt_row_source **out, struct gt_matrix *matrix, const struct gt_strs *ids, struct gt_err *err)
{
    static const struct gt_row_source_ops ops = {start, next, done, rewind_row_source, free_row_source};
    const struct gt_matrix_info *info = gt_matrix_info(matrix);
    struct row_source_matrix *row_source = gt_alloc(1, sizeof *row_source, err);
    if (!row_source)
        return GT_FAIL;
    row_source->base.ops = &ops;
    row_source->base.info = (struct gt_row_source_info){.rows = GT_ROWS_F64,
                                                        .samples = info->columns,
                                                        .sites = info->rows,
                                                        .row_bytes = (size_t)info->columns * sizeof(double),
                                                        .whole = gt_dtype_of(info->stored).size == 1,
                                                        .read_minimum = info->read_minimum,
                                                        .read_preferred = info->read_preferred,
                                                        .ids = ids,
                                                        .name = info->name};
    row_source->matrix = matrix;
    *out = &row_source->base;
    return 0;
}
