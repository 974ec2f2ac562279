/* How many alleles the sites of a store have, from its first chunk.  Its arrays only tell how many the widest site has. */
#include <string.h>

#include "core/base/size.h"
#include "geno/vcz_read/zarr_reader.h"

/* Texts of one column that are not "", in the first row of units. */
static int count_texts(struct gt_cache *cache, const struct gt_array *array, int64_t column, struct gt_buf scratch[2], int64_t *n,
                       struct gt_err *err)
{
    const int64_t rows = gt_min_i64(array->unit[0], array->shape[0]);
    struct gt_chunk *chunk;

    *n = 0;
    int status = gt_cache_acquire(cache, (int64_t[]){0, column / array->unit[1]}, &chunk, err);
    if (status)
        return status;
    status = gt_cache_decode(cache, chunk, scratch, err);
    for (int64_t v = 0; v < rows && !status && !chunk->absent; v++)
        *n += *gt_chunk_text(chunk, (size_t)(v * array->unit[1] + column % array->unit[1])) != 0;
    gt_cache_give(cache, chunk);
    return status;
}

/* Texts of all columns from `column` on, at most.  A column has no more of them than those before it, so columns at growing distances do.
 */
static int count_from(struct gt_cache *cache, const struct gt_array *array, int64_t column, struct gt_buf scratch[2], int64_t *sum,
                      struct gt_err *err)
{
    int64_t n = 1;
    int status = GT_OK;

    for (int64_t next; column < array->shape[1] && n && !status; column = next) {
        next = gt_min_i64(2 * column, array->shape[1]);
        status = count_texts(cache, array, column, scratch, &n, err);
        *sum += n * (next - column);
    }
    return status;
}

void zr_mean_alleles(struct zarr_reader *r)
{
    struct gt_geno_info *info = &r->base.info;
    const bool ref = r->site[ZR_ALLELE].array; /* are REFs in that array too? */
    struct gt_array *array = r->site[ref ? ZR_ALLELE : ZR_ALT].array;
    const struct gt_cache_opts opts = {.budget = &r->base.engine->budget, .texts = true, .few = true, .bare = true};
    struct gt_buf scratch[2] = {{.budget = opts.budget}, {.budget = opts.budget}};
    struct gt_cache *cache = NULL;
    struct gt_err err = {0};
    int64_t sum = 0;

    if (r->store->stream || info->alleles <= GT_COMMON_ALLELES || array->ndim != 2 || array->shape[0] == 0)
        return;
    int status = gt_cache_new(&cache, array, &opts, &err);
    status = status ? status : count_from(cache, array, GT_COMMON_ALLELES - !ref, scratch, &sum, &err);
    gt_cache_free(cache);
    gt_buf_release(&scratch[0]);
    gt_buf_release(&scratch[1]);
    if (!status)
        info->mean_alleles = GT_COMMON_ALLELES + gt_ceil_div(sum, gt_min_i64(array->unit[0], array->shape[0]));
    gt_err_clear(&err);
}
