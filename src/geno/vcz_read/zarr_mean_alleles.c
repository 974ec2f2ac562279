/* How many alleles the sites of a store have, from three of its chunks.  Its arrays only tell how many the widest site has. */
#include <string.h>

#include "core/base/size.h"
#include "geno/vcz_read/zarr_reader.h"

/* The chunk that is looked at: a chunk has one column, or many. */
struct look {
    struct gt_cache *cache;
    const struct gt_array *array;
    struct gt_chunk *chunk; /* NULL: none yet */
    struct gt_buf scratch[2];
    int64_t rows; /* that it has */
};

static int hold(struct look *look, int64_t row, int64_t column, struct gt_err *err)
{
    const int64_t index[GT_MAX_DIMS] = {row, column / look->array->unit[1]};
    if (look->chunk && look->chunk->index[0] == index[0] && look->chunk->index[1] == index[1])
        return GT_OK;
    if (look->chunk)
        gt_cache_give(look->cache, look->chunk);
    look->chunk = NULL;
    look->rows = gt_min_i64(look->array->unit[0], look->array->shape[0] - row * look->array->unit[0]);
    int status = gt_cache_acquire(look->cache, index, &look->chunk, err);
    return status ? status : gt_cache_decode(look->cache, look->chunk, look->scratch, err);
}

/* Texts of one column that are not "", in one row of chunks. */
static int count_texts(struct look *look, int64_t row, int64_t column, int64_t *n, struct gt_err *err)
{
    const int64_t width = look->array->unit[1];
    int status = hold(look, row, column, err);

    *n = 0;
    for (int64_t v = 0; !status && v < look->rows && !look->chunk->absent; v++)
        *n += *gt_chunk_text(look->chunk, (size_t)(v * width + column % width)) != 0;
    return status;
}

/* Texts a site in columns from `column` on, in one row of chunks, at most.  A column has no more of them than those before it, so it is
 * enough to look at columns at growing distances. */
static int mean_from(struct look *look, int64_t row, int64_t column, int64_t *mean, struct gt_err *err)
{
    int64_t n = 1, sum = 0;
    int status = GT_OK;

    for (int64_t next; column < look->array->shape[1] && n && !status; column = next) {
        next = gt_min_i64(2 * column, look->array->shape[1]);
        status = count_texts(look, row, column, &n, err);
        sum += n * (next - column);
    }
    *mean = status ? 0 : gt_ceil_div(sum, look->rows);
    return status;
}

/* The most of the first, the middle and the last row of chunks. */
static int look_at(struct look *look, int64_t from, int64_t *most, struct gt_err *err)
{
    const int64_t last = gt_array_units(look->array, 0) - 1, rows[] = {0, last / 2, last};
    int status = GT_OK;

    *most = 0;
    for (int i = 0; i < 3 && !status; i++) {
        int64_t mean = 0;
        if (i == 0 || rows[i] > rows[i - 1])
            status = mean_from(look, rows[i], from, &mean, err);
        *most = gt_max_i64(*most, mean);
    }
    return status;
}

void zr_mean_alleles(struct zarr_reader *r)
{
    struct gt_geno_info *info = &r->base.info;
    struct gt_budget *budget = &r->base.engine->budget;
    const bool ref = r->site[ZR_ALLELE].array; /* are REFs in that array too? */
    struct gt_array *array = r->site[ref ? ZR_ALLELE : ZR_ALT].array;
    const struct gt_cache_opts opts = {.budget = budget, .texts = true, .few = true, .bare = true};
    struct look look = {.array = array, .scratch = {{.budget = budget}, {.budget = budget}}};
    struct gt_err err = {0};
    int64_t most = 0;

    if (r->store->stream || info->alleles <= GT_COMMON_ALLELES || array->ndim != 2 || array->shape[0] == 0)
        return;
    int status = gt_cache_new(&look.cache, array, &opts, &err);
    status = status ? status : look_at(&look, GT_COMMON_ALLELES - !ref, &most, &err);
    if (look.chunk)
        gt_cache_give(look.cache, look.chunk);
    gt_cache_free(look.cache);
    gt_buf_release(&look.scratch[0]);
    gt_buf_release(&look.scratch[1]);
    if (!status)
        info->mean_alleles = GT_COMMON_ALLELES + most;
    gt_err_clear(&err);
}
