/* A stripe: blocks of variants in, the encoded chunks of all site arrays out.
 * Everything beyond the stripe's last variant is written as zeros and "". */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/size.h"
#include "calc/pack_impl.h"

void pack_item_init(struct pack *pack, struct pack_item *item)
{
    struct gt_budget *budget = &pack->engine->budget;
    struct gt_buf *bufs[] = {&item->raw, item->scratch, item->scratch + 1, &item->text, item->small, item->small + 1, &item->runs};

    for (size_t i = 0; i < sizeof bufs / sizeof *bufs; i++)
        bufs[i]->budget = budget;
}

void pack_item_release(struct pack_item *item)
{
    struct gt_buf *bufs[] = {&item->raw, item->scratch, item->scratch + 1, &item->text, item->small, item->small + 1, &item->runs};

    for (size_t i = 0; i < sizeof bufs / sizeof *bufs; i++)
        gt_buf_release(bufs[i]);
    for (size_t i = 0; i < item->cap_chunks; i++)
        gt_buf_release(&item->stored[i]);
    free(item->stored);
    free(item->chunk);
}

static int grow_chunks(const struct pack *pack, struct pack_item *item, struct gt_err *err)
{
    size_t cap = item->cap_chunks ? 2 * item->cap_chunks : 32;

    if (gt_resize(&item->stored, cap, sizeof *item->stored, err) || gt_resize(&item->chunk, cap, sizeof *item->chunk, err))
        return GT_FAIL;
    for (size_t i = item->cap_chunks; i < cap; i++)
        item->stored[i] = (struct gt_buf){.budget = &pack->engine->budget};
    item->cap_chunks = cap;
    return 0;
}

static int encode(const struct pack *pack, struct pack_item *item, int array, int64_t column, const struct gt_buf *raw,
                  struct gt_buf scratch[2], struct gt_err *err)
{
    int rc = 0;

    if (raw->len > INT32_MAX)
        return gt_fail(err, GT_INPUT, "'%s': a chunk of %zu bytes is larger than 2 GiB", pack->array[array]->path, raw->len);
    if (item->n_chunks == item->cap_chunks)
        rc = grow_chunks(pack, item, err);
    if (rc)
        return rc;
    rc = gt_array_encode(pack->array[array], raw, &item->stored[item->n_chunks], scratch, err);
    item->chunk[item->n_chunks++] = (struct pack_chunk){array, column};
    return rc;
}

/* Rows as they are, where they fill the chunk. */
static int encode_whole_rows(const struct pack *pack, struct pack_item *item, struct gt_err *err)
{
    size_t bytes = (size_t)pack->plan.chunk_variants * (size_t)pack->row_bytes;
    struct gt_buf view = {.data = item->block->rows.data, .len = bytes, .cap = bytes};

    return encode(pack, item, PACK_DOSAGE, 0, &view, item->scratch, err);
}

static int encode_dosage(const struct pack *pack, struct pack_item *item, struct gt_err *err)
{
    size_t width = (size_t)pack->plan.chunk_samples / 4, n = (size_t)pack->plan.chunk_variants, row = (size_t)pack->row_bytes;

    if (pack->plan.sample_chunks == 1 && item->block->stride == row && item->block->n == pack->plan.chunk_variants)
        return encode_whole_rows(pack, item, err);
    for (size_t c = 0; c < (size_t)pack->plan.sample_chunks; c++) {
        size_t from = c * width, part = row - from < width ? row - from : width;
        int rc = gt_buf_resize(&item->raw, n * width, err);
        if (rc)
            return rc;
        memset(item->raw.data, 0, n * width);
        for (size_t v = 0; v < (size_t)item->block->n; v++)
            memcpy(item->raw.data + v * width, gt_block_row(item->block, (int64_t)v) + from, part);
        rc = encode(pack, item, PACK_DOSAGE, (int64_t)c, &item->raw, item->scratch, err);
        if (rc)
            return rc;
    }
    return 0;
}

/* A zeroed chunk of chunk_variants items in item->text. */
static int start_numbers(const struct pack *pack, struct pack_item *item, size_t item_size, struct gt_err *err)
{
    size_t bytes = (size_t)pack->plan.chunk_variants * item_size;
    int rc = gt_buf_resize(&item->text, bytes, err);

    if (!rc)
        memset(item->text.data, 0, bytes);
    return rc;
}

static int64_t site_number(const struct gt_site *site, int array)
{
    return array == PACK_POSITION ? site->position : site->length;
}

static int encode_int(const struct pack *pack, struct pack_item *item, int array, struct gt_err *err)
{
    size_t size = pack->array[array]->dtype.size;
    int rc = start_numbers(pack, item, size, err);

    for (int64_t v = 0; v < item->block->n && !rc; v++) {
        int64_t x = site_number(&gt_block_sites(item->block)[v], array);
        int32_t x32 = (int32_t)x;
        if (size == 8)
            memcpy(item->text.data + v * 8, &x, 8);
        else if (x == x32)
            memcpy(item->text.data + v * 4, &x32, 4);
        else
            return gt_fail(err, GT_INPUT, "a site at position %lld does not fit 32 bits, and no contig is declared that long",
                           (long long)gt_block_sites(item->block)[v].position);
    }
    return rc ? rc : encode(pack, item, array, 0, &item->text, item->small, err);
}

/* Copied as bits: a missing value is a signalling NaN. */
static int encode_quality(const struct pack *pack, struct pack_item *item, struct gt_err *err)
{
    int rc = start_numbers(pack, item, sizeof(float), err);

    for (int64_t v = 0; v < item->block->n && !rc; v++)
        memcpy(item->text.data + v * sizeof(float), &gt_block_sites(item->block)[v].quality, sizeof(float));
    return rc ? rc : encode(pack, item, PACK_QUALITY, 0, &item->text, item->small, err);
}

static bool is_missing_id(const struct pack_item *item, const struct gt_site *site)
{
    const char *id = gt_strs_get(&item->block->ids, site->id);

    return id[0] == '.' && !id[1];
}

static int encode_flag(const struct pack *pack, struct pack_item *item, int array, struct gt_err *err)
{
    int rc = start_numbers(pack, item, 1, err);

    for (int64_t v = 0; v < item->block->n && !rc; v++) {
        const struct gt_site *site = &gt_block_sites(item->block)[v];
        item->text.data[v] = array == PACK_MULTIALLELIC ? site->multiallelic : is_missing_id(item, site);
    }
    return rc ? rc : encode(pack, item, array, 0, &item->text, item->small, err);
}

/* One string of a vlen-utf8 chunk. */
static int add_text(struct gt_buf *buf, const char *text, struct gt_err *err)
{
    size_t n = strlen(text);
    uint32_t n32 = (uint32_t)n;
    int rc;

    if (n > INT32_MAX)
        return gt_fail(err, GT_INPUT, "a text of %zu bytes is larger than 2 GiB", n);
    rc = gt_buf_append(buf, &n32, 4, err);
    return rc || !n ? rc : gt_buf_append(buf, text, n, err);
}

/* Text of site v: allele number `column`, or the id. */
static const char *site_text(const struct pack_item *item, const struct gt_site *site, int array, int64_t column)
{
    if (array == PACK_ID)
        return gt_strs_get(&item->block->ids, site->id);
    return column < site->n_alleles ? gt_strs_get(&item->block->alleles, site->first_allele + (size_t)column) : "";
}

static int encode_texts(const struct pack *pack, struct pack_item *item, int array, int64_t column, struct gt_err *err)
{
    uint32_t count = (uint32_t)pack->plan.chunk_variants;
    int rc;

    item->text.len = 0;
    rc = gt_buf_append(&item->text, &count, 4, err);
    for (int64_t v = 0; v < item->block->n && !rc; v++)
        rc = add_text(&item->text, site_text(item, &gt_block_sites(item->block)[v], array, column), err);
    for (int64_t v = item->block->n; v < pack->plan.chunk_variants && !rc; v++)
        rc = add_text(&item->text, "", err);
    return rc ? rc : encode(pack, item, array, column, &item->text, item->small, err);
}

/* Filter columns [group * width, (group + 1) * width) of variant_filter. */
static int encode_filters(const struct pack *pack, struct pack_item *item, int64_t group, struct gt_err *err)
{
    int64_t width = pack->array[PACK_FILTER]->chunk[1];
    const int32_t *filters = (const int32_t *)item->block->filters.data;
    int rc = start_numbers(pack, item, (size_t)width, err);

    for (int64_t v = 0; v < item->block->n && !rc; v++) {
        const struct gt_site *site = &gt_block_sites(item->block)[v];
        for (uint32_t f = 0; f < site->filter_n; f++) {
            int64_t at = filters[site->filter_from + f] - group * width;
            if (at >= 0 && at < width)
                item->text.data[v * width + at] = 1;
        }
    }
    return rc ? rc : encode(pack, item, PACK_FILTER, group, &item->text, item->small, err);
}

static void measure_columns(const struct pack *pack, struct pack_item *item)
{
    const int32_t *filters = (const int32_t *)item->block->filters.data;
    int64_t width = pack->array[PACK_FILTER]->chunk[1];

    item->allele_columns = item->filter_columns = 1;
    for (int64_t v = 0; v < item->block->n; v++) {
        const struct gt_site *site = &gt_block_sites(item->block)[v];
        if (site->n_alleles > item->allele_columns)
            item->allele_columns = site->n_alleles;
        for (uint32_t f = 0; f < site->filter_n; f++)
            if (filters[site->filter_from + f] / width >= item->filter_columns)
                item->filter_columns = filters[site->filter_from + f] / width + 1;
    }
}

/* Contigs wait as runs: how wide the array must be is known when all were seen. */
static int collect_runs(struct pack_item *item, struct gt_err *err)
{
    struct pack_run run = {0};
    int rc = 0;

    item->runs.len = 0;
    for (int64_t v = 0; v < item->block->n && !rc; v++) {
        int32_t contig = gt_block_sites(item->block)[v].contig;
        if (run.n && contig != run.contig) {
            rc = gt_buf_append(&item->runs, &run, sizeof run, err);
            run.n = 0;
        }
        run = (struct pack_run){contig, run.n + 1};
    }
    return rc || !run.n ? rc : gt_buf_append(&item->runs, &run, sizeof run, err);
}

int pack_stripe_encode(const struct pack *pack, struct pack_item *item, struct gt_err *err)
{
    int rc;

    item->n_chunks = 0;
    measure_columns(pack, item);
    rc = collect_runs(item, err);
    rc = rc ? rc : encode_dosage(pack, item, err);
    rc = rc ? rc : encode_int(pack, item, PACK_POSITION, err);
    rc = rc ? rc : encode_int(pack, item, PACK_LENGTH, err);
    rc = rc ? rc : encode_texts(pack, item, PACK_ID, 0, err);
    rc = rc ? rc : encode_flag(pack, item, PACK_ID_MASK, err);
    rc = rc ? rc : encode_quality(pack, item, err);
    rc = rc ? rc : encode_flag(pack, item, PACK_MULTIALLELIC, err);
    for (int64_t c = 0; c < item->allele_columns && !rc; c++)
        rc = encode_texts(pack, item, PACK_ALLELE, c, err);
    for (int64_t g = 0; g < item->filter_columns && !rc; g++)
        rc = encode_filters(pack, item, g, err);
    return rc;
}
