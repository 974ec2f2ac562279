/* Sites of a row group into the chunk that is gathered: numbers where they belong in it, texts
 * into the row group's own piece. */
#include <string.h>

#include "core/base/size.h"
#include "geno/model/text_check.h"
#include "geno/vcz_write/vcz_internal.h"

/* --- numbers --------------------------------------------------------------------------- */

static bool is_missing_id(const struct gt_block *block, const struct gt_site *site)
{
    const char *id = gt_strs_get(&block->ids, site->id);

    return id[0] == '.' && !id[1];
}

static int put_int(const struct gt_vcz *vcz, int which, uint8_t *to, int64_t x, const struct gt_site *site, struct gt_err *err)
{
    int32_t x32 = (int32_t)x;

    if (vcz->array[which]->dtype.size == 8)
        memcpy(to, &x, 8);
    else if (x == x32)
        memcpy(to, &x32, 4);
    else
        return gt_fail(err, GT_INPUT, "position %lld does not fit 32 bits, and no contig is declared that long", (long long)site->position);
    return 0;
}

/* at: number of the row group's first variant in the chunk. */
static int add_numbers(const struct gt_vcz *vcz, struct vcz_sites *sites, int64_t at, const struct gt_block *block, struct gt_err *err)
{
    size_t size = vcz->array[VCZ_POSITION]->dtype.size;
    int status = 0;

    for (int64_t v = 0; v < block->n && !status; v++) {
        const struct gt_site *site = &gt_block_sites(block)[v];
        size_t i = (size_t)(at + v);
        status = put_int(vcz, VCZ_POSITION, sites->number[VCZ_POSITION].data + i * size, site->position, site, err);
        if (!status)
            status = put_int(vcz, VCZ_LENGTH, sites->number[VCZ_LENGTH].data + i * size, site->length, site, err);
        memcpy(sites->number[VCZ_QUALITY].data + 4 * i, &site->quality, 4); /* the bits: missing is a signalling NaN */
        sites->number[VCZ_ID_MASK].data[i] = is_missing_id(block, site);
        if (vcz->array[VCZ_MULTIALLELIC])
            sites->number[VCZ_MULTIALLELIC].data[i] = site->multiallelic;
    }
    return status;
}

/* Filters of the first columns into the chunk, those after them into the piece. */
static int add_filters(const struct gt_vcz *vcz, struct vcz_sites *sites, struct vcz_piece *piece, int64_t at, const struct gt_block *block,
                       int64_t *columns, struct gt_err *err)
{
    const int32_t *filters = (const int32_t *)(const void *)block->filters.data;
    int64_t width = vcz->array[VCZ_FILTER]->chunk[1];
    int status = 0;

    for (int64_t v = 0; v < block->n && !status; v++) {
        const struct gt_site *site = &gt_block_sites(block)[v];
        for (uint32_t k = 0; k < site->filter_n && !status; k++) {
            int32_t f = filters[site->filter_from + k];
            if (f < width) {
                sites->number[VCZ_FILTER].data[(at + v) * width + f] = 1;
                continue;
            }
            *columns = gt_max_i64(*columns, f / width + 1);
            status = gt_buf_append(&piece->filters, &(struct vcz_more){(uint32_t)v, (uint32_t)f, 0}, sizeof(struct vcz_more), err);
        }
    }
    return status;
}

/* --- texts -------------------------------------------------------------------------------- */

/* One text of a vlen-utf8 chunk. */
static int add_text(struct gt_buf *buf, const char *text, struct gt_err *err)
{
    size_t n = strlen(text);
    uint32_t n32 = (uint32_t)n;
    int status;

    if (n > INT32_MAX)
        return gt_fail(err, GT_INPUT, "a string of %zu bytes is larger than 2 GiB", n);
    status = gt_buf_append(buf, &n32, 4, err);
    return status || !n ? status : gt_buf_append(buf, text, n, err);
}

static int add_more(struct vcz_piece *piece, int64_t variant, int64_t allele, const char *text, struct gt_err *err)
{
    struct vcz_more more = {(uint32_t)variant, (uint32_t)allele, (uint32_t)strlen(text)};
    int status = gt_buf_append(&piece->more, &more, sizeof more, err);

    return status || !more.n ? status : gt_buf_append(&piece->more, text, more.n, err);
}

static int check_alleles(const struct gt_vcz *vcz, const struct gt_block *block, const struct gt_site *site, struct gt_err *err)
{
    int status = 0;

    for (int32_t a = 0; a < site->n_alleles && !status; a++) {
        const size_t i = site->first_allele + (size_t)a;
        status =
            gt_check_site_text(vcz->info, block, site, "allele", gt_strs_get(&block->alleles, i), gt_strs_len(&block->alleles, i), err);
    }
    return status;
}

/* Of packed groups REF and the first ALT have a column of chunks each, of calls all alleles
 * are in one. */
static int add_alleles(const struct gt_vcz *vcz, struct vcz_piece *piece, const struct gt_block *block, int64_t v, int64_t *columns,
                       struct gt_err *err)
{
    const struct gt_site *site = &gt_block_sites(block)[v];
    int64_t near = vcz_is_packed(vcz) ? 2 : vcz->opts.alleles;
    int status = check_alleles(vcz, block, site, err);

    if (!status && !vcz_is_packed(vcz) && site->n_alleles > near)
        return gt_fail(err, GT_FAIL, "a variant has %d alleles; %lld were declared", (int)site->n_alleles, (long long)near);
    for (int64_t a = 0; a < near && !status; a++) {
        const char *text = a < site->n_alleles ? gt_strs_get(&block->alleles, site->first_allele + (size_t)a) : "";
        status = add_text(&piece->allele[vcz_is_packed(vcz) ? a : 0], text, err);
    }
    for (int64_t a = near; a < site->n_alleles && !status; a++)
        status = add_more(piece, v, a, gt_strs_get(&block->alleles, site->first_allele + (size_t)a), err);
    *columns = vcz_is_packed(vcz) ? gt_max_i64(*columns, site->n_alleles) : 1;
    return status;
}

static int add_texts(const struct gt_vcz *vcz, struct vcz_piece *piece, const struct gt_block *block, int64_t *columns, struct gt_err *err)
{
    struct gt_buf *bufs[VCZ_PIECE_BUFS];
    int status = 0;

    vcz_piece_bufs(piece, bufs);
    for (int i = 0; i < VCZ_PIECE_BUFS; i++)
        bufs[i]->len = 0;
    piece->variants = block->n;
    for (int64_t v = 0; v < block->n && !status; v++) {
        const struct gt_site *site = &gt_block_sites(block)[v];
        const char *id = gt_strs_get(&block->ids, site->id);
        status = gt_check_site_text(vcz->info, block, site, "ID", id, strlen(id), err);
        status = status ? status : add_text(&piece->id, id, err);
        status = status ? status : add_alleles(vcz, piece, block, v, columns, err);
    }
    return status;
}

int vcz_fill_sites(const struct gt_vcz *vcz, struct vcz_sites *sites, int64_t part, const struct gt_block *block, int64_t *alleles,
                   int64_t *filters, struct gt_err *err)
{
    struct vcz_piece *piece = &sites->piece[part];
    int64_t at = part * vcz->opts.chunk_variants;
    int status = add_texts(vcz, piece, block, alleles, err);

    status = status ? status : add_numbers(vcz, sites, at, block, err);
    return status ? status : add_filters(vcz, sites, piece, at, block, filters, err);
}
