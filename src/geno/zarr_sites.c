/* Site arrays: chunks shared between tickets, and struct gt_site made of them. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/size.h"
#include "codec/vlen.h"
#include "geno/zarr_reader.h"

/* --- chunks ------------------------------------------------------------------ */

static void chunk_free(struct zr_chunk *chunk)
{
    gt_buf_release(&chunk->stored);
    gt_buf_release(&chunk->raw);
    gt_strs_release(&chunk->texts);
    free(chunk);
}

/* Drops chunks that nobody holds.  One that a later ticket may still want (it
 * reaches as far as the newest) stays: a stream gives it once only. */
static void drop_idle(struct zr_column *column)
{
    for (struct zr_chunk **at = &column->chunks; *at;) {
        struct zr_chunk *chunk = *at;
        if (chunk->refs == 0 && chunk->row < column->newest) {
            *at = chunk->next;
            chunk_free(chunk);
        } else {
            at = &chunk->next;
        }
    }
}

/* *out: the chunk, held, even when it could not be read; as it was when there is no memory. */
static int acquire(struct zarr_reader *reader, struct zr_column *column, int64_t row, int64_t col, struct zr_chunk **out,
                   struct gt_err *err)
{
    struct zr_chunk *chunk;
    int status = GT_OK;

    pthread_mutex_lock(&column->lock);
    for (chunk = column->chunks; chunk && (chunk->row != row || chunk->col != col);)
        chunk = chunk->next;
    if (!chunk) {
        int64_t index[2] = {row, col};
        chunk = gt_alloc(1, sizeof *chunk, err);
        if (!chunk) {
            pthread_mutex_unlock(&column->lock);
            return GT_FAIL;
        }
        chunk->row = row;
        chunk->col = col;
        chunk->stored.budget = chunk->raw.budget = chunk->texts.budget = &reader->base.engine->budget;
        status = gt_array_fetch(column->array, index, &chunk->stored, err);
        chunk->missing = status == GT_NOENT;
        gt_flow_bytes((int64_t)chunk->stored.len);
        chunk->next = column->chunks;
        column->chunks = chunk;
    }
    chunk->refs++;
    if (row > column->newest)
        column->newest = row;
    drop_idle(column);
    pthread_mutex_unlock(&column->lock);
    *out = chunk;
    return status > 0 ? status : GT_OK;
}

/* S and U items, and numbers in their raw form. */
static int decode_fixed_texts(struct zr_column *column, struct zr_chunk *chunk, struct gt_err *err)
{
    for (size_t i = 0; i < column->array->chunk_items; i++) {
        int status = gt_array_item_text(column->array, chunk->raw.data + i * column->array->dtype.size, &chunk->texts, err);
        if (status)
            return status;
    }
    gt_buf_release(&chunk->raw);
    return GT_OK;
}

static int decode(struct zr_column *column, struct zr_chunk *chunk, struct gt_err *err)
{
    int64_t index[2] = {chunk->row, chunk->col};
    int status = GT_OK;

    pthread_mutex_lock(&column->lock);
    if (!chunk->decoded) {
        enum gt_type type = column->array->dtype.type;
        status = gt_array_decode(column->array, index, chunk->missing ? NULL : &chunk->stored, &chunk->raw, column->scratch, err);
        gt_strs_clear(&chunk->texts);
        if (!status && type == GT_STRING) {
            status = gt_vlen_unpack(&chunk->raw, &chunk->texts, err);
            gt_buf_release(&chunk->raw);
        } else if (!status && (type == GT_BYTES || type == GT_UCS4)) {
            status = decode_fixed_texts(column, chunk, err);
        }
        if (status == GT_NOFIT)
            gt_fail_prefix(err, "array '%s'", column->array->path);
        gt_buf_release(&chunk->stored);
        chunk->decoded = !status;
    }
    pthread_mutex_unlock(&column->lock);
    return status;
}

void zr_columns_release(struct zarr_reader *reader)
{
    for (int i = 0; i < ZR_SITE_ARRAYS; i++) {
        struct zr_column *column = &reader->site[i];
        while (column->chunks) {
            struct zr_chunk *next = column->chunks->next;
            chunk_free(column->chunks);
            column->chunks = next;
        }
        column->newest = 0;
        gt_buf_release(&column->scratch[0]);
        gt_buf_release(&column->scratch[1]);
    }
}

/* --- what a ticket needs -------------------------------------------------------- */

/* Whether a site is multiallelic has to be told from its alleles, of which there may be more than two. */
static bool counts_alleles(const struct zarr_reader *reader, int which)
{
    const struct gt_array *array = reader->site[which].array;
    return (reader->fields & GT_SITE_MULTI) && !reader->site[ZR_MULTI].array && reader->slice < 0 && array && array->ndim > 1 &&
           array->shape[1] > (which == ZR_ALLELE ? 2 : 1);
}

bool zr_site_needed(const struct zarr_reader *reader, int which)
{
    if ((which == ZR_ALLELE || which == ZR_ALT) && counts_alleles(reader, which))
        return true;
    static const unsigned fields[ZR_SITE_ARRAYS] = {
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
    };
    return reader->site[which].array && (fields[which] & reader->fields);
}

static int64_t n_columns(const struct gt_array *array)
{
    return array->ndim > 1 ? gt_array_grid(array, 1) : 1;
}

/* Rows of the column's grid that the item's variants lie in. */
static int64_t first_row(const struct zr_item *item, const struct gt_array *array)
{
    return item->first / array->chunk[0];
}

static int fetch_column(struct zarr_reader *reader, struct zr_item *item, int which, struct gt_err *err)
{
    struct zr_column *column = &reader->site[which];
    int64_t from = first_row(item, column->array), to = (item->first + item->n - 1) / column->array->chunk[0],
            cols = n_columns(column->array);
    size_t n = (size_t)((to - from + 1) * cols);
    int status = GT_OK;

    status = gt_grow(&item->chunk[which], &item->cap_chunk[which], n, sizeof *item->chunk[which], err);
    for (int64_t row = from; row <= to; row++)
        for (int64_t col = 0; col < cols && !status; col++) {
            struct zr_chunk **chunk = &item->chunk[which][item->n_chunk[which]];
            *chunk = NULL;
            status = acquire(reader, column, row, col, chunk, err);
            item->n_chunk[which] += *chunk != NULL;
        }
    return status;
}

int zr_sites_fetch(struct zarr_reader *reader, struct zr_item *item, struct gt_err *err)
{
    int status = GT_OK;

    for (int i = 0; i < ZR_SITE_ARRAYS && !status && item->n > 0; i++)
        if (zr_site_needed(reader, i))
            status = fetch_column(reader, item, i, err);
    return status;
}

void zr_sites_done(struct zarr_reader *reader, struct zr_item *item)
{
    for (int which = 0; which < ZR_SITE_ARRAYS; which++) {
        struct zr_column *column = &reader->site[which];
        if (item->n_chunk[which] == 0)
            continue;
        pthread_mutex_lock(&column->lock);
        for (size_t i = 0; i < item->n_chunk[which]; i++)
            item->chunk[which][i]->refs--;
        drop_idle(column);
        pthread_mutex_unlock(&column->lock);
        item->n_chunk[which] = 0;
    }
}

/* --- values ------------------------------------------------------------------------ */

/* Item (v, k) of a site array of the ticket: its chunk, and its place there. */
static const struct zr_chunk *find(const struct zarr_reader *reader, const struct zr_item *item, int which, int64_t v, int64_t k,
                                   size_t *at)
{
    const struct gt_array *array = reader->site[which].array;
    int64_t row = v / array->chunk[0], width = array->ndim > 1 ? array->chunk[1] : 1;

    *at = (size_t)((v - row * array->chunk[0]) * width + k % width);
    return item->chunk[which][(row - first_row(item, array)) * n_columns(array) + k / width];
}

static const char *text_at(const struct zarr_reader *reader, const struct zr_item *item, int which, int64_t v, int64_t k)
{
    size_t at;
    const struct zr_chunk *chunk = find(reader, item, which, v, k, &at);
    return gt_strs_get(&chunk->texts, at);
}

static double real_of(enum gt_type type, const uint8_t *p)
{
    double d;
    float f;

    if (type == GT_F64) {
        memcpy(&d, p, 8);
        return d;
    }
    memcpy(&f, p, 4);
    return f;
}

static int64_t number_at(const struct zarr_reader *reader, const struct zr_item *item, int which, int64_t v, int64_t k)
{
    enum gt_type type = reader->site[which].array->dtype.type;
    size_t at, size = reader->site[which].array->dtype.size;
    const uint8_t *p = find(reader, item, which, v, k, &at)->raw.data + at * size;

    if (type == GT_F32 || type == GT_F64) {
        double d = real_of(type, p);
        return d >= -0x1p62 && d <= 0x1p62 ? (int64_t)d : -1;
    }
    return gt_dtype_whole(type, size, p);
}

/* --- sites ------------------------------------------------------------------------- */

/* Contigs that came up after the stream had sent its table: their names stand in
 * the final one, so the rest of the stream is read into the spool first. */
static int load_late_contigs(struct zarr_reader *reader, struct gt_err *err)
{
    int status = gt_tar_drain(reader->store, err);

    if (!status)
        status = zr_read_more(reader, "contig_id", reader->n_known, &reader->late, err);
    reader->late_loaded = !status;
    return status;
}

static int new_contig(struct gt_block *block, const char *name, int32_t *contig, struct gt_err *err)
{
    size_t i = block->new_contigs.n;

    while (i > 0 && strcmp(gt_strs_get(&block->new_contigs, i - 1), name) != 0)
        i--;
    *contig = i > 0 ? -(int32_t)i : -1 - (int32_t)block->new_contigs.n;
    return i > 0 ? GT_OK : gt_strs_add(&block->new_contigs, name, strlen(name), err);
}

static int contig_by_number(struct zarr_reader *reader, struct gt_block *block, int64_t number, int32_t *contig, struct gt_err *err)
{
    int status = GT_OK;

    *contig = (int32_t)number;
    if (number >= 0 && (size_t)number < reader->n_known)
        return GT_OK;
    pthread_mutex_lock(&reader->late_lock);
    if (reader->base.info.open_contigs && !reader->late_loaded && number >= 0)
        status = load_late_contigs(reader, err);
    if (!status && (number < 0 || (size_t)number - reader->n_known >= reader->late.n ||
                    !*gt_strs_get(&reader->late, (size_t)number - reader->n_known)))
        status = gt_fail(err, GT_INPUT, "'%s': variant_contig has %lld, which is no index into contig_id", reader->base.info.name,
                         (long long)number);
    if (!status)
        status = new_contig(block, gt_strs_get(&reader->late, (size_t)number - reader->n_known), contig, err);
    pthread_mutex_unlock(&reader->late_lock);
    return status;
}

static int contig_of(struct zarr_reader *reader, struct zr_item *item, int64_t v, int32_t *contig, struct gt_err *err)
{
    const char *name;
    int64_t number;

    if (reader->site[ZR_CONTIG].array)
        return contig_by_number(reader, &item->block, number_at(reader, item, ZR_CONTIG, v, 0), contig, err);
    *contig = reader->default_contig;
    if (!reader->site[ZR_CHROM].array)
        return GT_OK;
    name = text_at(reader, item, ZR_CHROM, v, 0);
    number = gt_names_find(reader->known, name, strlen(name));
    *contig = (int32_t)number;
    return number >= 0 ? GT_OK : new_contig(&item->block, name, contig, err);
}

static int add_allele(struct gt_block *block, const char *text, struct gt_err *err)
{
    return gt_strs_add(&block->alleles, text, strlen(text), err);
}

/* ALTs end at the last one that is not "" (fill) or "." (missing). */
static int add_alts(const struct zarr_reader *reader, struct zr_item *item, struct gt_site *site, int which, int64_t v, int64_t from,
                    struct gt_err *err)
{
    const struct gt_array *array = reader->site[which].array;
    int64_t n = array->ndim > 1 ? array->shape[1] : 1;
    int status = GT_OK;

    while (n > from && (!*text_at(reader, item, which, v, n - 1) || strcmp(text_at(reader, item, which, v, n - 1), ".") == 0))
        n--;
    for (int64_t k = from; k < n && !status; k++, site->n_alleles++)
        status = add_allele(&item->block, text_at(reader, item, which, v, k), err);
    return status;
}

static int alleles_of(const struct zarr_reader *reader, struct zr_item *item, struct gt_site *site, int64_t v, struct gt_err *err)
{
    const struct gt_array *alleles = reader->site[ZR_ALLELE].array;
    int status;

    site->first_allele = (uint32_t)item->block.alleles.n;
    site->n_alleles = 1;
    if (alleles && (alleles->ndim < 2 || alleles->shape[1] > 0)) {
        status = add_allele(&item->block, text_at(reader, item, ZR_ALLELE, v, 0), err);
        if (!status && alleles->ndim > 1)
            status = add_alts(reader, item, site, ZR_ALLELE, v, 1, err);
    } else {
        status = add_allele(&item->block, reader->site[ZR_REF].array ? text_at(reader, item, ZR_REF, v, 0) : "N", err);
        if (!status && reader->site[ZR_ALT].array)
            status = add_alts(reader, item, site, ZR_ALT, v, 0, err);
    }
    site->multiallelic = site->multiallelic || site->n_alleles > 2;
    return status;
}

/* Column k of variant_filter is set.  A store without any filter_id has filters of
 * no name, which are left out. */
static int add_filter(const struct zarr_reader *reader, struct zr_item *item, struct gt_site *site, int64_t k, struct gt_err *err)
{
    if (reader->n_filter_map == 0)
        return GT_OK;
    if ((size_t)k >= reader->n_filter_map || reader->filter_map[k] < 0)
        return gt_fail(err, GT_INPUT, "'%s': column %lld of variant_filter is set, and filter_id has no name for it",
                       reader->base.info.name, (long long)k);
    site->filter_n++;
    return gt_buf_append(&item->block.filters, &reader->filter_map[k], sizeof(int32_t), err);
}

static int quality_of(const struct zarr_reader *reader, struct zr_item *item, struct gt_site *site, int64_t v, struct gt_err *err)
{
    const struct zr_column *quality = &reader->site[ZR_QUAL], *filter = &reader->site[ZR_FILTER];
    int64_t width = filter->array ? (filter->array->ndim > 1 ? filter->array->shape[1] : 1) : 0;
    int status = GT_OK;

    gt_site_no_quality(site);
    if (quality->array) {
        size_t at;
        const struct zr_chunk *chunk = find(reader, item, ZR_QUAL, v, 0, &at);
        if (quality->array->dtype.type == GT_F32)
            memcpy(&site->quality, chunk->raw.data + 4 * at, 4); /* the bits: missing is a signalling NaN */
        else if (quality->array->dtype.type == GT_F64)
            site->quality = (float)real_of(GT_F64, chunk->raw.data + 8 * at);
        else
            site->quality = (float)number_at(reader, item, ZR_QUAL, v, 0);
    }
    site->filter_from = (uint32_t)(item->block.filters.len / sizeof(int32_t));
    for (int64_t k = 0; k < width && !status; k++)
        if (number_at(reader, item, ZR_FILTER, v, k))
            status = add_filter(reader, item, site, k, err);
    return status;
}

/* Positions count from 1: a chunk of them that is not there reads as 0.  (A packed
 * store of ours has all its chunks, and has the 0 that PLINK writes for unknown.) */
static int no_position(const struct zarr_reader *reader, int64_t position, int64_t v, struct gt_err *err)
{
    gt_fail(err, GT_INPUT, "'%s': variant %lld has position %lld in '%s'; positions count from 1", reader->base.info.name, (long long)v + 1,
            (long long)position, reader->site[ZR_POS].array->path);
    gt_hint(err, "a store that was copied in part lacks chunks, which read as 0");
    return GT_INPUT;
}

static int position_of(struct zarr_reader *reader, struct zr_item *item, struct gt_site *site, int64_t v, struct gt_err *err)
{
    if (reader->site[ZR_POS].array)
        site->position = number_at(reader, item, ZR_POS, v, 0);
    if (reader->site[ZR_POS].array && site->position < 1 && !reader->whole)
        return no_position(reader, site->position, v, err);
    site->length = 1;
    if (reader->site[ZR_LENGTH].array)
        site->length = number_at(reader, item, ZR_LENGTH, v, 0);
    else if (reader->site[ZR_REF].array && (reader->fields & GT_SITE_ALLELES))
        site->length = (int64_t)strlen(text_at(reader, item, ZR_REF, v, 0));
    return contig_of(reader, item, v, &site->contig, err);
}

/* More than one ALT: is the second one there? */
static bool is_multiallelic(const struct zarr_reader *reader, struct zr_item *item, int64_t v)
{
    if (reader->site[ZR_MULTI].array)
        return number_at(reader, item, ZR_MULTI, v, 0) != 0;
    if (counts_alleles(reader, ZR_ALLELE))
        return *text_at(reader, item, ZR_ALLELE, v, 2) != '\0';
    return counts_alleles(reader, ZR_ALT) && *text_at(reader, item, ZR_ALT, v, 1) != '\0';
}

static int make_site(struct zarr_reader *reader, struct zr_item *item, struct gt_site *site, int64_t v, struct gt_err *err)
{
    const char *id;
    int status = GT_OK;

    memset(site, 0, sizeof *site);
    site->multiallelic = is_multiallelic(reader, item, v);
    if (reader->fields & GT_SITE_POS)
        status = position_of(reader, item, site, v, err);
    else if (reader->fields & GT_SITE_CONTIG)
        status = contig_of(reader, item, v, &site->contig, err);
    if (!status && (reader->fields & GT_SITE_ALLELES))
        status = alleles_of(reader, item, site, v, err);
    if (!status && (reader->fields & GT_SITE_ID)) {
        id = reader->site[ZR_ID].array ? text_at(reader, item, ZR_ID, v, 0) : ".";
        id = *id ? id : ".";
        site->id = (uint32_t)item->block.ids.n;
        status = gt_strs_add(&item->block.ids, id, strlen(id), err);
    }
    if (!status && (reader->fields & GT_SITE_QUAL))
        status = quality_of(reader, item, site, v, err);
    return status;
}

static bool any_multiallelic(const struct zarr_reader *reader, struct zr_item *item)
{
    for (int64_t i = 0; i < item->n; i++)
        if (is_multiallelic(reader, item, item->first + i))
            return true;
    return false;
}

int zr_sites_make(struct zarr_reader *reader, struct zr_item *item, struct gt_err *err)
{
    int status = GT_OK;

    item->records.len = 0;
    if (reader->fields == GT_SITE_NONE || item->n == 0)
        return GT_OK;
    for (int i = 0; i < ZR_SITE_ARRAYS && !status; i++)
        for (size_t k = 0; k < item->n_chunk[i] && !status; k++)
            status = decode(&reader->site[i], item->chunk[i][k], err);
    if (!status && reader->fields == GT_SITE_MULTI && !any_multiallelic(reader, item))
        return GT_OK;
    if (!status)
        status = gt_buf_resize(&item->records, (size_t)item->n * sizeof(struct gt_site), err);
    for (int64_t i = 0; i < item->n && !status; i++)
        status = make_site(reader, item, (struct gt_site *)item->records.data + i, item->first + i, err);
    return status;
}
