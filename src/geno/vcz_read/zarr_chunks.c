/* The chunks that a task holds while it needs them. */
#include "geno/vcz_read/zarr_reader.h"

#include <stdlib.h>

#include "core/base/mem.h"
#include "core/base/size.h"
#include "core/engine/memory_plan.h"
#include "geno/select/filter.h"
#include "kernels/kernels.h"

#define MAX_HELD ((size_t)1 << 24) /* chunks of a task */
#define AT_ONCE 64                 /* that are asked for in one question */

static bool is_text(const struct gt_array *array)
{
    return gt_type_is_text(array->dtype.type);
}

/* --- the caches of a pass ------------------------------------------------------- */

/* What a chunk that is not stored holds, as text. */
static int fill_text(struct zr_column *column, struct gt_err *err)
{
    const struct gt_array *array = column->array;
    const char *text = array->fill_text ? array->fill_text : "";

    if (column->fill.n || !is_text(array))
        return GT_OK;
    if (array->dtype.type == GT_STRING || !array->fill_text)
        return gt_strs_add(&column->fill, text, strlen(text), err);
    return gt_array_item_text(array, (const uint8_t *)text, false, &column->fill, err);
}

static int open_site_caches(struct zarr_reader *r, int behind, struct gt_err *err)
{
    int status = GT_OK;

    for (int i = 0; i < ZR_SITE_ARRAYS && !status; i++) {
        struct zr_column *column = &r->site[i];
        if (!zr_site_needed(r, i, r->fields))
            continue;
        struct gt_cache_opts opts = {.budget = &r->base.engine->budget,
                                     .texts = is_text(column->array),
                                     .few = true,
                                     .bare = true,
                                     .ordered = true,
                                     .behind = behind};
        status = fill_text(column, err);
        if (!status)
            status = gt_cache_new(&column->cache, column->array, &opts, err);
    }
    return status;
}

/* Chunks of genotypes are dropped with their task, unless the next one will want them:
 * a part of them, or another part of their shard. */
static bool keep_calls(const struct zarr_reader *r, int64_t memory)
{
    const struct gt_array *a = r->geno;
    int64_t bytes = (int64_t)a->unit_bytes;
    bool shards = memcmp(a->unit, a->chunk, (size_t)a->ndim * sizeof *a->unit) != 0;

    if (r->carries)
        return r->kept > 0;
    for (int i = 1; i < a->ndim; i++)
        if (!gt_mul_i64(bytes, gt_array_units(a, i), &bytes))
            return r->store->stream;
    return (r->store->stream && shards) || ((shards || r->rows % r->step != 0) && (bytes <= memory / 4 || bytes == (int64_t)a->unit_bytes));
}

int zr_caches_open(struct zarr_reader *r, int64_t memory, struct gt_err *err)
{
    bool stream = r->store->stream;
    struct gt_cache_opts opts = {
        .budget = &r->base.engine->budget, .ordered = keep_calls(r, memory), .behind = stream ? 0 : 1, .pad = GT_KERNEL_PAD};
    int status = open_site_caches(r, stream ? 0 : 1, err);

    r->wanted.budget = r->site[ZR_PHASED].wanted.budget = &r->base.engine->budget;
    if (!status && r->layout != ZR_SITES)
        status = zr_want_columns(r, r->geno, r->layout == ZR_PACKED ? 4 : 1, &r->wanted, err);
    if (!status && r->site[ZR_PHASED].array)
        status = zr_want_columns(r, r->site[ZR_PHASED].array, 1, &r->site[ZR_PHASED].wanted, err);
    if (!status && r->layout != ZR_SITES)
        status = gt_cache_new(&r->calls, r->geno, &opts, err);
    return status ? status : zr_records_begin(r, memory, err);
}

void zr_caches_close(struct zarr_reader *r)
{
    gt_buf_release(&r->wanted);
    gt_buf_release(&r->site[ZR_PHASED].wanted);
    for (int i = 0; i < ZR_SITE_ARRAYS; i++) {
        gt_cache_free(r->site[i].cache);
        r->site[i].cache = NULL;
    }
    zr_records_end(r);
    gt_cache_free(r->calls);
    r->calls = NULL;
}

void zr_caches_trim(struct zarr_reader *r)
{
    for (int i = 0; i < ZR_SITE_ARRAYS; i++)
        if (r->site[i].cache)
            gt_cache_trim(r->site[i].cache);
    if (r->calls)
        gt_cache_trim(r->calls);
    zr_records_trim(r);
}

/* --- what is needed ---------------------------------------------------------------- */

/* Whether a site is multiallelic can only be known from its alleles, of which there may be more than two. */
static bool counts_alleles(const struct zarr_reader *r, int which, unsigned fields)
{
    const struct gt_array *array = r->site[which].array;

    return (fields & GT_SITE_MULTI) && !r->site[ZR_MULTI].array && r->slice < 0 && array->ndim > 1 &&
           array->shape[1] > (which == ZR_ALLELE ? 2 : 1);
}

/* The end of a site is computed from REF if the store has no lengths. */
static bool measures_ref(const struct zarr_reader *r, int which, unsigned fields)
{
    return (fields & GT_SITE_POS) && !r->site[ZR_LENGTH].array && r->site[ZR_POS].array && (which == ZR_REF || !r->site[ZR_REF].array);
}

/* Columns of chunks, from the first on; 0: the array is not needed. */
static int64_t columns_needed(const struct zarr_reader *r, int which, unsigned fields)
{
    static const unsigned whole[ZR_SITE_ARRAYS] = {
        [ZR_CONTIG] = GT_SITE_POS | GT_SITE_CONTIG,
        [ZR_CHROM] = GT_SITE_POS | GT_SITE_CONTIG,
        [ZR_POS] = GT_SITE_POS,
        [ZR_LENGTH] = GT_SITE_POS,
        [ZR_ID] = GT_SITE_ID,
        [ZR_ALLELE] = GT_SITE_ALLELES,
        [ZR_REF] = GT_SITE_ALLELES,
        [ZR_ALT] = GT_SITE_ALLELES,
        [ZR_QUAL] = GT_SITE_QUAL,
        [ZR_FILTER] = GT_SITE_QUAL,
        [ZR_MULTI] = ~0u,
        [ZR_PHASED] = GT_SITE_HAPLOTYPES | GT_SITE_PHASES,
    };
    const struct gt_array *array = r->site[which].array;
    int64_t all, n = 0;

    if (!array || !fields)
        return 0;
    all = array->ndim > 1 ? gt_array_units(array, 1) : 1;
    if (whole[which] & fields)
        return all;
    if ((which == ZR_ALLELE || which == ZR_REF) && measures_ref(r, which, fields))
        n = 1;
    if ((which == ZR_ALLELE || which == ZR_ALT) && counts_alleles(r, which, fields))
        n = (which == ZR_ALLELE ? 2 : 1) / array->unit[1] + 1;
    return n < all ? n : all;
}

bool zr_site_needed(const struct zarr_reader *r, int which, unsigned fields)
{
    return columns_needed(r, which, fields) > 0;
}

/* Columns of texts after the second are mostly empty: see `few` of gt_cache_opts. */
int64_t zr_site_bytes(const struct zarr_reader *r, int64_t rows, unsigned fields)
{
    enum { TEXT = 48, HELD = 24, FULL = 2, EMPTY = 16 << 10 }; /* TEXT: of a text, about, with the buffers that it goes through */
    int64_t sum = 0;

    for (int i = 0; i < ZR_SITE_ARRAYS; i++) {
        const struct gt_array *array = r->site[i].array;
        int64_t columns = columns_needed(r, i, fields);
        if (!columns)
            continue;
        const int64_t bytes = gt_bytes_mul(2, (int64_t)array->unit_bytes), texts = gt_bytes_mul(TEXT, (int64_t)array->unit_items);
        const int64_t chunk_rows = rows > array->unit[0] ? gt_ceil_div(rows, array->unit[0]) + 1 : 1;
        if (is_text(array) && columns > FULL) {
            sum = gt_bytes_add(sum, gt_bytes_mul(columns - FULL, EMPTY));
            if (i == ZR_ALLELE || i == ZR_ALT)
                sum = gt_bytes_add(
                    sum, gt_bytes_mul(gt_bytes_mul(HELD, r->base.info.mean_alleles - GT_COMMON_ALLELES), chunk_rows * array->unit[0]));
            columns = FULL;
        }
        sum = gt_bytes_add(sum, gt_bytes_mul(gt_bytes_mul(columns, chunk_rows), is_text(array) ? gt_bytes_add(bytes, texts) : bytes));
    }
    return sum;
}

/* --- holding --------------------------------------------------------------------------- */

void zr_held_release(struct gt_cache *cache, struct zr_held *held)
{
    for (size_t i = 0; i < held->n; i++)
        if (held->chunk[i])
            gt_cache_give(cache, held->chunk[i]);
    held->n = 0;
}

int zr_held_room(struct zr_held *held, int64_t first, int64_t rows, int64_t columns, struct gt_err *err)
{
    size_t n;

    if (!gt_mul_size((size_t)rows, (size_t)columns, &n) || n > MAX_HELD)
        return gt_fail(err, GT_INPUT, "it has too many chunks");
    if (n > held->cap && gt_grow(&held->chunk, &held->cap, n, sizeof(struct gt_chunk *), err))
        return GT_FAIL;
    if (n)
        memset(held->chunk, 0, n * sizeof(struct gt_chunk *));
    held->n = n;
    held->first = first;
    held->columns = columns;
    return GT_OK;
}

int zr_want_columns(const struct zarr_reader *r, const struct gt_array *a, int per_item, struct gt_buf *wanted, struct gt_err *err)
{
    const uint8_t *keep = gt_filter_keep(r->base.filter);
    size_t n = 0;

    wanted->len = 0;
    if (!keep || a->ndim < 2)
        return 0;
    int status = gt_buf_zeros(wanted, (size_t)gt_array_units(a, 1), err);
    for (int64_t s = 0; s < r->base.info.n_samples && !status; s++)
        if (keep[s] && (size_t)(s / per_item / a->unit[1]) < wanted->len)
            wanted->data[s / per_item / a->unit[1]] = 1;
    for (size_t c = 0; c < wanted->len; c++)
        n += wanted->data[c];
    if (n == wanted->len)
        wanted->len = 0;
    return status;
}

static bool is_wanted(const struct gt_buf *wanted, int64_t column)
{
    return !wanted->len || wanted->data[column];
}

static int hold_column(struct zr_column *column, struct zr_held *held, const struct zr_item *item, int64_t columns, struct gt_err *err)
{
    const struct gt_array *a = column->array;
    int64_t first = item->first / a->unit[0], rows = (item->first + item->n - 1) / a->unit[0] - first + 1;
    int status;

    zr_held_release(column->cache, held);
    status = zr_held_room(held, first, rows, columns, err);
    for (int64_t i = 0; i < rows * columns && !status; i++)
        if (is_wanted(&column->wanted, i % columns))
            status = gt_cache_acquire(column->cache, (int64_t[]){first + i / columns, i % columns}, &held->chunk[i], err);
    return status;
}

int zr_acquire_sites(struct zarr_reader *r, struct zr_item *item, unsigned fields, struct gt_err *err)
{
    int status = GT_OK;

    for (int i = 0; i < ZR_SITE_ARRAYS && !status && item->n > 0; i++) {
        int64_t columns = columns_needed(r, i, fields);
        if (columns > 0 && (item->site[i].n == 0 || item->site[i].columns < columns))
            status = hold_column(&r->site[i], &item->site[i], item, columns, err);
    }
    return status;
}

int zr_held_row(struct gt_cache *cache, const struct gt_array *a, const struct gt_buf *wanted, struct zr_held *held, int64_t row,
                struct gt_err *err)
{
    int64_t index[GT_MAX_DIMS] = {row}, units[GT_MAX_DIMS];
    int status = GT_OK;

    for (int i = 1; i < a->ndim; i++)
        units[i] = gt_array_units(a, i);
    for (int64_t i = 0; i < held->columns && !status; i++) {
        gt_nd_index(a->ndim - 1, units + 1, i, index + 1);
        if (a->ndim < 2 || is_wanted(wanted, index[1]))
            status = gt_cache_acquire(cache, index, &held->chunk[(row - held->first) * held->columns + i], err);
    }
    return status;
}

int zr_acquire_calls(struct zarr_reader *r, struct zr_item *item, struct gt_err *err)
{
    const struct gt_array *a = r->geno;
    int64_t unit = a->unit[0], first = item->first / unit, last = (item->first + item->n - 1) / unit, columns = 1, row = first - 1;
    int status = GT_OK;

    if (r->layout == ZR_SITES)
        return GT_OK;
    for (int i = 1; i < a->ndim && !status; i++)
        if (!gt_mul_i64(columns, gt_array_units(a, i), &columns))
            columns = INT64_MAX / 4;
    status = zr_held_room(&item->calls, first, last - first + 1, columns, err);
    if (status) {
        gt_fail_prefix(err, "'%s': array '%s'", r->base.info.name, a->path);
        return status;
    }
    for (int64_t j = 0; item->chosen && j < item->n_rows && !status; j++)
        if (zr_record_of(item, j) / unit > row) {
            row = zr_record_of(item, j) / unit;
            status = zr_held_row(r->calls, a, &r->wanted, &item->calls, row, err);
        }
    for (row = first; !item->chosen && row <= last && !status; row++)
        status = zr_held_row(r->calls, a, &r->wanted, &item->calls, row, err);
    return status;
}

void zr_give_sites(struct zarr_reader *r, struct zr_item *item)
{
    for (int i = 0; i < ZR_SITE_ARRAYS; i++)
        zr_held_release(r->site[i].cache, &item->site[i]);
}

void zr_give_calls(struct zarr_reader *r, struct zr_item *item)
{
    zr_held_release(r->calls, &item->calls);
}

void zr_give_some_calls(struct zarr_reader *r, struct zr_item *item, size_t at, size_t n)
{
    for (size_t i = at; i < at + n; i++) {
        gt_cache_give(r->calls, item->calls.chunk[i]);
        item->calls.chunk[i] = NULL;
    }
}

/* --- reading ----------------------------------------------------------------------------- */

/* The next chunks, from *i on: as many as `bytes` have room for where they do not compress, but one. */
static size_t take_some(const struct gt_array *array, const struct zr_held *held, int64_t bytes, size_t *i, struct gt_chunk *some[AT_ONCE])
{
    if (!held->n)
        return 0;
    const size_t most = (size_t)gt_max_i64(1, gt_min_i64(AT_ONCE, bytes / gt_max_i64(1, (int64_t)array->unit_bytes)));
    size_t n = 0;

    for (; *i < held->n && n < most; (*i)++)
        if (held->chunk[*i])
            some[n++] = held->chunk[*i];
    return n;
}

int zr_held_fetch(struct gt_cache *cache, const struct gt_array *array, const struct zr_held *held, int64_t *left, struct gt_err *err)
{
    struct gt_chunk *some[AT_ONCE];
    int64_t bytes;
    int status = GT_OK;

    for (size_t i = 0; i < held->n && !status && *left > 0;) {
        size_t n = take_some(array, held, *left, &i, some);
        if (n == 0)
            break;
        status = gt_cache_fetch(cache, some, n, &bytes, err);
        gt_flow_bytes(bytes);
        *left -= bytes;
    }
    return status;
}

/* The first chunks of all that is held, as one question: of a small task these are all.  *calls: bytes of those of genotypes. */
static int fetch_first(struct zarr_reader *r, struct zr_item *item, int64_t *calls, struct gt_err *err)
{
    struct gt_chunk *some[ZR_SITE_ARRAYS + 1][AT_ONCE];
    struct gt_cache_request request[ZR_SITE_ARRAYS + 1];
    size_t n = 0;

    for (int i = 0; i <= ZR_SITE_ARRAYS; i++) {
        struct gt_cache *cache = i < ZR_SITE_ARRAYS ? r->site[i].cache : r->calls;
        const bool site = i < ZR_SITE_ARRAYS;
        size_t from = 0, k = site ? take_some(r->site[i].array, &item->site[i], INT64_MAX, &from, some[n])
                                  : take_some(r->geno, &item->calls, r->stored_max, &from, some[n]);
        if (k > 0)
            request[n] = (struct gt_cache_request){.cache = cache, .chunks = some[n], .n = k}, n++;
    }
    int status = n > 1 ? gt_caches_fetch(request, n, err) : GT_OK;
    for (size_t w = 0; w < n && n > 1; w++) {
        gt_flow_bytes(request[w].bytes);
        *calls += request[w].cache == r->calls ? request[w].bytes : 0;
    }
    return status;
}

int zr_fetch(struct zarr_reader *r, struct zr_item *item, struct gt_err *err)
{
    int64_t sites = INT64_MAX, calls = r->store->stream ? INT64_MAX : r->stored_max; /* the rest is got when it is decoded */
    int64_t first = 0;
    int status = r->store->ops->get_many ? fetch_first(r, item, &first, err) : GT_OK;

    calls -= first;
    for (int i = 0; i < ZR_SITE_ARRAYS && !status; i++)
        status = zr_held_fetch(r->site[i].cache, r->site[i].array, &item->site[i], &sites, err);
    return status ? status : zr_held_fetch(r->calls, r->geno, &item->calls, &calls, err);
}

int zr_decode_sites(struct zarr_reader *r, struct zr_item *item, struct gt_err *err)
{
    int status = GT_OK;

    for (int i = 0; i < ZR_SITE_ARRAYS; i++)
        for (size_t k = 0; k < item->site[i].n && !status; k++)
            if (item->site[i].chunk[k])
                status = gt_cache_decode(r->site[i].cache, item->site[i].chunk[k], item->scratch, err);
    return status;
}

int zr_decode_calls(struct zarr_reader *r, struct zr_item *item, size_t at, int64_t row, int64_t n, struct gt_chunk **chunk,
                    struct gt_err *err)
{
    const size_t all = r->geno->unit_items, per = all / (size_t)r->geno->unit[0], first = (size_t)row * per, end = first + (size_t)n * per;

    *chunk = item->calls.chunk[at];
    if (!item->chosen) /* the other rows are next */
        return gt_cache_decode(r->calls, *chunk, item->scratch, err);
    return gt_cache_decode_part(r->calls, *chunk, first, (end + GT_KERNEL_PAD < all ? end + GT_KERNEL_PAD : all) - first, item->scratch,
                                err);
}
