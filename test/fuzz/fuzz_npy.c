/* A .npy file: the first byte chooses the view, the rest is the file.  As many values come
 * as the header says, whatever else it says. */
#include "config.h"

#include <string.h>

#include "arrays/matrix/matrix.h"
#include "fuzz.h"
#include "fuzz_engine.h"
#include "memfile.h"

static void read_all(struct gt_matrix *matrix)
{
    const struct gt_matrix_info *info = gt_matrix_info(matrix);
    const struct gt_matrix_block *block;
    struct gt_err err = {0};
    size_t size = gt_dtype_of(info->type).size;
    int64_t rows = 0;
    int status;
    while ((status = gt_matrix_next(matrix, &block, &err)) == 0) {
        if (block->first != rows || block->values.len != (size_t)(block->n * info->columns) * size)
            abort();
        rows += block->n;
        gt_matrix_done(matrix, block);
    }
    if (status == GT_END ? rows != info->rows : !err.msg[0])
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    static const char *const slices[] = {NULL, "::2", "1:,:3", "...,0"};
    struct gt_input input = {0};
    struct gt_matrix *matrix = NULL;
    struct gt_err err = {0};
    struct memfile file;
    if (n == 0)
        return 0;
    struct gt_matrix_opts opts = {.slice = slices[data[0] & 3],
                                  .transpose = data[0] & 4,
                                  .cast = data[0] & 8,
                                  .type = data[0] & 16 ? GT_F32 : GT_F64,
                                  .negative_missing = data[0] & 32,
                                  .block_rows = data[0] >> 6};
    memfile_open(&file, data + 1, n - 1);
    int status = gt_input_open(&input, file.path, &err);
    if (!status)
        status = gt_matrix_open(&matrix, fuzz_engine(), &input, &opts, &err);
    if (!status)
        read_all(matrix);
    else if (!err.msg[0])
        abort();
    gt_matrix_free(matrix);
    gt_input_release(&input);
    close(file.fd);
    if (fuzz_engine()->budget.used != 0)
        abort();
    return 0;
}

size_t fuzz_seed(unsigned which, uint8_t *out, size_t room)
{
    static const char *const heads[] = {
        "{'descr': '<i4', 'fortran_order': False, 'shape': (3, 4), }", "{'descr': '>f8', 'fortran_order': True, 'shape': (2, 3, 2), }\n",
        "{'descr': '|b1', 'fortran_order': False, 'shape': (7,)}", "{\"shape\": (), \"descr\": \"<f2\", \"fortran_order\": False}"};
    static const size_t bytes[] = {48, 96, 7, 2};
    if (which >= sizeof heads / sizeof *heads || room < 300)
        return 0;
    size_t n = strlen(heads[which]);
    memset(out, 0, 300);
    out[0] = (uint8_t)(which * 77);
    memcpy(out + 1, "\x93NUMPY\x01", 8);
    out[9] = (uint8_t)n;
    memcpy(out + 11, heads[which], n);
    memset(out + 11 + n, 0x91, bytes[which]);
    return 11 + n + bytes[which];
}
