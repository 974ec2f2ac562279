/* --head N: the first values of an array along its first axis, a line each; numbers
 * through a matrix. */
#include "cmd/info.h"

#include <stdlib.h>
#include <string.h>

#include "engine/shares.h"
#include "kernels/half.h"

static void add_real(struct gt_str *out, double d, int digits)
{
    char text[40];

    for (int n = 6; n <= digits; n++) { /* as short as it can be read back */
        snprintf(text, sizeof text, "%.*g", n, d);
        if (digits == 9 ? strtof(text, NULL) == (float)d : strtod(text, NULL) == d)
            break;
    }
    gt_str_add(out, text);
}

static void add_number(struct gt_str *out, enum gt_type type, const uint8_t *p)
{
    int64_t whole = type <= GT_U64 ? gt_dtype_whole(type, gt_dtype_of(type).size, p) : 0;
    uint16_t h;
    float f;
    double d;

    if (type == GT_F16) {
        memcpy(&h, p, 2);
        add_real(out, (double)gt_half_number(h), 9);
    } else if (type == GT_F32) {
        memcpy(&f, p, 4);
        add_real(out, (double)f, 9);
    } else if (type == GT_F64) {
        memcpy(&d, p, 8);
        add_real(out, d, 17);
    } else if (type == GT_BOOL) {
        gt_str_add(out, whole ? "true" : "false");
    } else if (type == GT_U64) {
        gt_str_addf(out, "%llu", (unsigned long long)whole);
    } else {
        gt_str_addf(out, "%lld", (long long)whole);
    }
}

/* The rows of a block; values of the last of three or more axes stand together. */
static void print_rows(const struct gt_matrix_info *info, const struct gt_matrix_block *block, struct gt_str *out)
{
    const size_t size = gt_dtype_of(info->type).size;
    const int64_t inner = info->ndim > 2 ? info->shape[info->ndim - 1] : 1;
    const uint8_t *p = block->values.data;
    for (int64_t r = 0; r < block->n; r++) {
        for (int64_t k = 0; k < info->columns; k++, p += size) {
            if (k > 0)
                gt_str_add(out, k % inner != 0 ? "," : "\t");
            add_number(out, info->type, p);
        }
        gt_str_add(out, "\n");
    }
}

static int settle(const struct gt_cli *cli, struct gt_matrix *matrix, int64_t rows, struct gt_err *err)
{
    const struct gt_matrix_info *info = gt_matrix_info(matrix);
    struct gt_share share = {.name = "reading", .least = info->read_least, .wanted = info->read_wanted};
    int status = gt_shares_settle(&share, 1, &cli->engine, err);
    gt_matrix_grant(matrix, share.size);
    return status ? status : gt_matrix_regroup(matrix, rows > 0 ? rows : 1, err);
}

int info_head_numbers(const struct gt_cli *cli, struct gt_matrix *matrix, int64_t n, struct gt_outfile *out, struct gt_err *err)
{
    const struct gt_matrix_info *info = gt_matrix_info(matrix);
    const struct gt_matrix_block *block;
    struct gt_str text = {0};
    if (info->columns == 0)
        return GT_OK;
    int status = settle(cli, matrix, n, err);
    if (status || cli->dry_run)
        return status;
    status = gt_matrix_range(matrix, 0, n < info->rows ? n : info->rows, err);
    while (!status && (status = gt_matrix_next(matrix, &block, err)) == 0) {
        gt_str_clear(&text);
        print_rows(info, block, &text);
        gt_matrix_done(matrix, block);
        status = info_write(out, &text, err);
    }
    gt_str_release(&text);
    return status == GT_END ? GT_OK : status;
}
