/* struct gt_site made of the site arrays' chunks that a task holds. */
#include <string.h>

#include "geno/vcz_read/zarr_reader.h"
#include "kernels/half.h"
#include "storage/archive/tar_store.h"

/* --- values ------------------------------------------------------------------------ */

/* Item (v, k) of a site array of the task: its chunk, and its place there.  NULL: it
 * is not stored. */
static const struct gt_chunk *find(const struct zarr_reader *reader, const struct zr_item *item, int which, int64_t v, int64_t k,
                                   size_t *at)
{
    const struct gt_array *array = reader->site[which].array;
    const struct zr_held *held = &item->site[which];
    int64_t row = v / array->unit[0], width = array->ndim > 1 ? array->unit[1] : 1;
    const struct gt_chunk *chunk = held->chunk[(row - held->first) * held->columns + k / width];

    *at = (size_t)((v - row * array->unit[0]) * width + k % width);
    return chunk->absent ? NULL : chunk;
}

static const char *text_at(const struct zarr_reader *reader, const struct zr_item *item, int which, int64_t v, int64_t k)
{
    size_t at;
    const struct gt_chunk *chunk = find(reader, item, which, v, k, &at);
    return chunk ? gt_chunk_text(chunk, at) : gt_strs_get(&reader->site[which].fill, 0);
}

static const uint8_t *bytes_at(const struct zarr_reader *reader, const struct zr_item *item, int which, int64_t v, int64_t k)
{
    const struct gt_array *array = reader->site[which].array;
    size_t at;
    const struct gt_chunk *chunk = find(reader, item, which, v, k, &at);
    return chunk ? chunk->raw.data + at * array->dtype.size : array->fill;
}

static double real_of(enum gt_type type, const uint8_t *p)
{
    double d;
    float f;
    uint16_t h;

    if (type == GT_F16) {
        memcpy(&h, p, 2);
        return (double)gt_half_number(h);
    }
    if (type == GT_F64) {
        memcpy(&d, p, 8);
        return d;
    }
    memcpy(&f, p, 4);
    return f;
}

static int64_t number_at(const struct zarr_reader *reader, const struct zr_item *item, int which, int64_t v, int64_t k)
{
    struct gt_dtype dtype = reader->site[which].array->dtype;
    const uint8_t *p = bytes_at(reader, item, which, v, k);

    if (dtype.type >= GT_F16 && dtype.type <= GT_F64) {
        double d = real_of(dtype.type, p);
        return d >= -0x1p62 && d <= 0x1p62 ? (int64_t)d : -1;
    }
    return gt_dtype_load_int(dtype.type, dtype.size, p);
}

bool zr_is_phased(const struct zarr_reader *reader, const struct zr_item *item, int64_t variant, int64_t sample)
{
    return number_at(reader, item, ZR_PHASED, variant, sample) != 0;
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

/* Who has the lock may wait for a thread that waits for memory. */
static void lock_late(struct zarr_reader *reader)
{
    struct gt_budget *budget = &reader->base.engine->budget;

    if (pthread_mutex_trylock(&reader->late_lock)) {
        gt_budget_waiting(budget, 1);
        pthread_mutex_lock(&reader->late_lock);
        gt_budget_waiting(budget, -1);
    }
    gt_budget_locked();
}

static void unlock_late(struct zarr_reader *reader)
{
    gt_budget_unlocked();
    pthread_mutex_unlock(&reader->late_lock);
}

static int contig_by_number(struct zarr_reader *reader, struct gt_block *block, int64_t number, int32_t *contig, struct gt_err *err)
{
    int status = GT_OK;

    *contig = (int32_t)number;
    if (number >= 0 && (size_t)number < reader->n_known)
        return GT_OK;
    lock_late(reader);
    if (reader->base.info.open_contigs && !reader->late_loaded && number >= 0)
        status = load_late_contigs(reader, err);
    if (!status && (number < 0 || (size_t)number - reader->n_known >= reader->late.n ||
                    !*gt_strs_get(&reader->late, (size_t)number - reader->n_known)))
        status = gt_fail(err, GT_INPUT, "'%s': variant_contig has %lld, which is not an index into contig_id", reader->base.info.name,
                         (long long)number);
    if (!status)
        status = new_contig(block, gt_strs_get(&reader->late, (size_t)number - reader->n_known), contig, err);
    unlock_late(reader);
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

/* After these columns v has nothing: a site with hundreds of alleles is as wide as all
 * of the array, and most rows of chunks are not. */
static int64_t columns_stored(const struct zarr_reader *reader, const struct zr_item *item, int which, int64_t v)
{
    const struct gt_array *array = reader->site[which].array;
    const struct zr_held *held = &item->site[which];
    int64_t n = held->columns, first = (v / array->unit[0] - held->first) * held->columns;

    if (array->ndim < 2)
        return 1;
    while (n > 0 && held->chunk[first + n - 1]->absent && !*gt_strs_get(&reader->site[which].fill, 0))
        n--;
    return n * array->unit[1] < array->shape[1] ? n * array->unit[1] : array->shape[1];
}

/* Not "" (fill) and not "." (missing). */
static bool is_allele(const char *text)
{
    return *text && strcmp(text, ".") != 0;
}

/* ALTs end at the last one that is one. */
static int add_alts(const struct zarr_reader *reader, struct zr_item *item, struct gt_site *site, int which, int64_t v, int64_t from,
                    struct gt_err *err)
{
    int64_t n = columns_stored(reader, item, which, v);
    int status = GT_OK;

    while (n > from && !is_allele(text_at(reader, item, which, v, n - 1)))
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
        return gt_fail(err, GT_INPUT, "'%s': column %lld of variant_filter is set, but filter_id has no name for it",
                       reader->base.info.name, (long long)k);
    site->filter_n++;
    return gt_buf_append(&item->block.filters, &reader->filter_map[k], sizeof(int32_t), err);
}

/* Missing and fill are NaNs. */
static void set_quality(struct gt_site *site, double quality)
{
    if (quality == quality)
        site->quality = (float)quality;
}

static int quality_of(const struct zarr_reader *reader, struct zr_item *item, struct gt_site *site, int64_t v, struct gt_err *err)
{
    const struct zr_column *quality = &reader->site[ZR_QUAL], *filter = &reader->site[ZR_FILTER];
    int64_t width = filter->array ? (filter->array->ndim > 1 ? filter->array->shape[1] : 1) : 0;
    int status = GT_OK;

    gt_site_no_quality(site);
    if (quality->array && quality->array->dtype.type == GT_F32 && !reader->any_nan)
        memcpy(&site->quality, bytes_at(reader, item, ZR_QUAL, v, 0), 4); /* the bits: missing is a signalling NaN */
    else if (quality->array && quality->array->dtype.type >= GT_F16 && quality->array->dtype.type <= GT_F64)
        set_quality(site, real_of(quality->array->dtype.type, bytes_at(reader, item, ZR_QUAL, v, 0)));
    else if (quality->array)
        site->quality = (float)number_at(reader, item, ZR_QUAL, v, 0);
    site->filter_from = (uint32_t)(item->block.filters.len / sizeof(int32_t));
    for (int64_t k = 0; k < width && !status; k++)
        if (number_at(reader, item, ZR_FILTER, v, k))
            status = add_filter(reader, item, site, k, err);
    return status;
}

/* Positions count from 1, and 0 is VCF's place before a contig and PLINK's unknown one; but a chunk of them that is not
 * stored, as of a store that was copied in part, reads as 0 too. */
static int no_position(const struct zarr_reader *reader, int64_t position, int64_t v, struct gt_err *err)
{
    gt_fail(err, GT_INPUT, "'%s': variant %lld has position %lld in '%s'; positions count from 1", reader->base.info.name, (long long)v + 1,
            (long long)position, reader->site[ZR_POS].array->path);
    gt_hint(err, "missing chunks read as 0; was the store copied in part?");
    return GT_INPUT;
}

static int position_of(struct zarr_reader *reader, struct zr_item *item, struct gt_site *site, int64_t v, struct gt_err *err)
{
    size_t at;

    if (reader->site[ZR_POS].array)
        site->position = number_at(reader, item, ZR_POS, v, 0);
    if (reader->site[ZR_POS].array && site->position < (find(reader, item, ZR_POS, v, 0, &at) ? 0 : 1))
        return no_position(reader, site->position, v, err);
    site->length = 1;
    if (reader->site[ZR_LENGTH].array)
        site->length = number_at(reader, item, ZR_LENGTH, v, 0);
    else if (item->site[ZR_REF].n)
        site->length = (int64_t)strlen(text_at(reader, item, ZR_REF, v, 0));
    else if (item->site[ZR_ALLELE].n)
        site->length = (int64_t)strlen(text_at(reader, item, ZR_ALLELE, v, 0));
    return contig_of(reader, item, v, &site->contig, err);
}

/* An allele from column `from` on; "" is behind the last one. */
static bool has_allele(const struct zarr_reader *reader, const struct zr_item *item, int which, int64_t v, int64_t from)
{
    const int64_t n = columns_stored(reader, item, which, v);
    for (int64_t k = from; k < n; k++) {
        const char *text = text_at(reader, item, which, v, k);
        if (!*text || is_allele(text))
            return *text;
    }
    return false;
}

/* More than one ALT: is one there after the first? */
static bool is_multiallelic(const struct zarr_reader *reader, struct zr_item *item, int64_t v)
{
    if (reader->site[ZR_MULTI].array)
        return number_at(reader, item, ZR_MULTI, v, 0) != 0;
    if (!(reader->fields & GT_SITE_MULTI) || reader->slice >= 0)
        return false;
    if (item->site[ZR_ALLELE].n && reader->site[ZR_ALLELE].array->ndim > 1)
        return has_allele(reader, item, ZR_ALLELE, v, 2);
    return item->site[ZR_ALT].n && has_allele(reader, item, ZR_ALT, v, 1);
}

static int add_fields(struct zarr_reader *reader, struct zr_item *item, unsigned fields, struct gt_site *site, int64_t v,
                      struct gt_err *err)
{
    const char *id;
    int status = GT_OK;

    if (fields & GT_SITE_POS)
        status = position_of(reader, item, site, v, err);
    else if (fields & GT_SITE_CONTIG)
        status = contig_of(reader, item, v, &site->contig, err);
    if (!status && (fields & GT_SITE_ALLELES))
        status = alleles_of(reader, item, site, v, err);
    if (!status && (fields & GT_SITE_ID)) {
        id = reader->site[ZR_ID].array ? text_at(reader, item, ZR_ID, v, 0) : ".";
        id = *id ? id : ".";
        site->id = (uint32_t)item->block.ids.n;
        status = gt_strs_add(&item->block.ids, id, strlen(id), err);
    }
    if (!status && (fields & GT_SITE_QUAL))
        status = quality_of(reader, item, site, v, err);
    return status;
}

int zr_make_record(struct zarr_reader *reader, struct zr_item *item, int64_t v, struct gt_site *site, struct gt_err *err)
{
    *site = (struct gt_site){0};
    return add_fields(reader, item, reader->first_fields, site, v, err);
}

static bool any_multiallelic(const struct zarr_reader *reader, struct zr_item *item)
{
    for (int64_t j = 0; j < item->n_rows; j++)
        if (is_multiallelic(reader, item, zr_record_of(item, j)))
            return true;
    return false;
}

int zr_complete_sites(struct zarr_reader *reader, struct zr_item *item, struct gt_err *err)
{
    unsigned rest = reader->fields & ~reader->first_fields;
    struct gt_buf *sites = &item->block.sites;
    int status = GT_OK;

    if (!reader->fields || (!(reader->fields & ~(unsigned)(GT_SITE_MULTI | GT_SITE_CALLS)) && !any_multiallelic(reader, item)))
        return GT_OK;
    if (!reader->first_fields) {
        status = gt_buf_resize(sites, (size_t)item->n_rows * sizeof(struct gt_site), err);
        if (!status && sites->len)
            memset(sites->data, 0, sites->len);
    }
    for (int64_t j = 0; j < item->n_rows && !status; j++) {
        struct gt_site *site = &gt_block_sites(&item->block)[j];
        if (!((const struct zr_row *)item->rows.data)[j].alt)
            site->multiallelic = site->multiallelic || is_multiallelic(reader, item, zr_record_of(item, j));
        status = add_fields(reader, item, rest, site, zr_record_of(item, j), err);
    }
    return status;
}
