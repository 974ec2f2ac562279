#include "cmd/pdist/pdist_column_file.h"

#include <math.h>

#include "arrays/matrix/matrix.h"
#include "core/base/line_file.h"
#include "core/base/size.h"
#include "core/base/str.h"

struct reading {
    struct gt_buf *numbers;
    const char *path;
};

static int add_line(void *ctx, char *text, int64_t number, struct gt_err *err)
{
    struct reading *reading = ctx;
    double value;
    if (gt_parse_double(text, &value, NULL))
        return gt_fail(err, GT_INPUT, "'%s', line %lld: '%.40s' is not a number", reading->path, (long long)number, text);
    return gt_buf_append(reading->numbers, &value, sizeof value, err);
}

static int read_npy(struct gt_buf *numbers, struct gt_engine *engine, const char *path, struct gt_err *err)
{
    const struct gt_matrix_opts opts = {.cast = true, .type = GT_F64};
    const struct gt_matrix_block *block;
    struct gt_input input = {0};
    struct gt_matrix *matrix = NULL;
    int status = gt_input_open(&input, path, err);
    if (!status)
        status = gt_matrix_open(&matrix, engine, &input, &opts, err);
    if (!status && gt_matrix_info(matrix)->ndim != 1)
        status = gt_fail(err, GT_INPUT, "'%s' has %d axes; one is needed", path, gt_matrix_info(matrix)->ndim);
    while (!status && !(status = gt_matrix_next(matrix, &block, err))) {
        status = gt_buf_append(numbers, block->values.data, (size_t)block->n * sizeof(double), err);
        gt_matrix_done(matrix, block);
    }
    gt_matrix_free(matrix);
    gt_input_release(&input);
    return status == GT_END ? GT_OK : status;
}

int pdist_numbers_read(struct gt_buf *numbers, struct gt_engine *engine, const char *path, struct gt_err *err)
{
    struct reading reading = {numbers, path};
    numbers->budget = &engine->budget;
    int status = gt_ends_with(path, ".npy") ? read_npy(numbers, engine, path, err) : gt_lines_read(path, add_line, &reading, err);
    const double *values = (const double *)(const void *)numbers->data;
    for (size_t k = 0; !status && k < numbers->len / sizeof *values; k++)
        if (!(values[k] >= 0 && isfinite(values[k])))
            status = gt_fail(err, GT_INPUT, "'%s': value %zu is %g; values must be finite and not negative", path, k + 1, values[k]);
    return status;
}
