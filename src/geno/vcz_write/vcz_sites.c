/* Collects the sites of several row groups into one chunk of each site array.
 *
 * Each row group writes its numbers at their positions in the chunk and its strings to a separate segment, concurrently with others; the
 * last one to finish joins the segments and encodes.  Everything after the last variant is zeros
 * and "". */
#include <stdlib.h>
#include <string.h>

#include "core/base/mem.h"
#include "core/base/size.h"
#include "geno/vcz_write/vcz_internal.h"

/* --- chunks on their way -------------------------------------------------------- */

void vcz_piece_bufs(struct vcz_piece *piece, struct gt_buf *bufs[VCZ_PIECE_BUFS])
{
    struct gt_buf *own[VCZ_PIECE_BUFS] = {&piece->id, &piece->allele[0], &piece->allele[1], &piece->more, &piece->filters};

    memcpy(bufs, own, sizeof own);
}

static void sites_free(const struct gt_vcz *vcz, struct vcz_sites *sites)
{
    struct gt_buf *bufs[VCZ_PIECE_BUFS];

    for (int i = 0; i < VCZ_NUMBERS_END; i++)
        gt_buf_release(&sites->number[i]);
    for (int64_t k = 0; sites->piece && k < vcz->each; k++) {
        vcz_piece_bufs(&sites->piece[k], bufs);
        for (int i = 0; i < VCZ_PIECE_BUFS; i++)
            gt_buf_release(bufs[i]);
    }
    free(sites->piece);
    free(sites);
}

void vcz_free_sites(struct gt_vcz *vcz)
{
    struct vcz_sites **lists[] = {&vcz->open, &vcz->spare};

    for (int i = 0; i < 2; i++)
        while (*lists[i]) {
            struct vcz_sites *sites = *lists[i];
            *lists[i] = sites->next;
            sites_free(vcz, sites);
        }
}

static struct vcz_sites *sites_new(const struct gt_vcz *vcz, struct gt_err *err)
{
    struct vcz_sites *sites = gt_alloc(1, sizeof *sites, err);
    struct gt_buf *bufs[VCZ_PIECE_BUFS];

    if (sites && !(sites->piece = gt_alloc((size_t)vcz->each, sizeof *sites->piece, err))) {
        free(sites);
        return NULL;
    }
    for (int i = 0; sites && i < VCZ_NUMBERS_END; i++)
        sites->number[i].budget = vcz->budget;
    for (int64_t k = 0; sites && k < vcz->each; k++) {
        vcz_piece_bufs(&sites->piece[k], bufs);
        for (int i = 0; i < VCZ_PIECE_BUFS; i++)
            bufs[i]->budget = vcz->budget;
    }
    return sites;
}

/* Empty, and with room for the numbers of a chunk. */
static int clear_sites(const struct gt_vcz *vcz, struct vcz_sites *sites, int64_t row, struct gt_err *err)
{
    sites->row = row;
    sites->row_groups = sites->variants = 0;
    sites->alleles = sites->filters = 1;
    for (int i = VCZ_SITES; i < VCZ_NUMBERS_END; i++) {
        int status = vcz->array[i] ? gt_buf_resize(&sites->number[i], vcz->array[i]->chunk_bytes, err) : 0;
        if (status)
            return status;
        if (vcz->array[i])
            memset(sites->number[i].data, 0, sites->number[i].len);
    }
    return 0;
}

static int open_sites(struct gt_vcz *vcz, int64_t row, struct vcz_sites **out, struct gt_err *err)
{
    struct vcz_sites *sites;
    int status = 0;

    pthread_mutex_lock(&vcz->lock);
    gt_budget_locked();
    for (sites = vcz->open; sites && sites->row != row;)
        sites = sites->next;
    if (!sites) {
        sites = vcz->spare;
        if (sites)
            vcz->spare = sites->next;
        else
            sites = sites_new(vcz, err);
        status = sites ? clear_sites(vcz, sites, row, err) : GT_FAIL;
        if (sites) {
            sites->next = vcz->open;
            vcz->open = sites;
        }
    }
    gt_budget_unlocked();
    pthread_mutex_unlock(&vcz->lock);
    *out = sites;
    return status;
}

int64_t vcz_site_row_groups(const struct gt_vcz *vcz, int64_t row)
{
    const int64_t variants = vcz->info->n_variants;
    return variants < 0 ? vcz->each : gt_min_i64(vcz->each, gt_ceil_div(variants, vcz->opts.chunk_variants) - row * vcz->each);
}

/* True for who brings the last row group: the chunk is that caller's then. */
static bool close_sites(struct gt_vcz *vcz, struct vcz_sites *sites, int64_t variants, int64_t alleles, int64_t filters)
{
    bool last;

    pthread_mutex_lock(&vcz->lock);
    sites->variants += variants;
    sites->alleles = gt_max_i64(sites->alleles, alleles);
    sites->filters = gt_max_i64(sites->filters, filters);
    last = ++sites->row_groups == vcz_site_row_groups(vcz, sites->row);
    if (last) {
        struct vcz_sites **at = &vcz->open;
        while (*at != sites)
            at = &(*at)->next;
        *at = sites->next;
    }
    pthread_mutex_unlock(&vcz->lock);
    return last;
}

static void spare_sites(struct gt_vcz *vcz, struct vcz_sites *sites)
{
    pthread_mutex_lock(&vcz->lock);
    sites->next = vcz->spare;
    vcz->spare = sites;
    pthread_mutex_unlock(&vcz->lock);
}

/* --- encoding --------------------------------------------------------------------------------- */

static int append_zeros(struct gt_buf *buf, size_t n, struct gt_err *err)
{
    size_t len = buf->len;
    int status = gt_buf_reserve(buf, len + n, err);

    if (status)
        return status;
    memset(buf->data + len, 0, n);
    buf->len = len + n;
    return 0;
}

/* Texts of all pieces, one after another; which: 0 for ids, else 1 + the allele's column. */
static int join_texts(const struct gt_vcz *vcz, const struct vcz_sites *sites, int array, int which, struct gt_buf *raw, struct gt_err *err)
{
    const struct gt_array *a = vcz->array[array];
    size_t width = array == VCZ_ALLELE ? (size_t)a->chunk[1] : 1;
    uint32_t count = (uint32_t)((size_t)a->chunk[0] * width);
    int status;

    raw->len = 0;
    status = gt_buf_append(raw, &count, 4, err);
    for (int64_t k = 0; k < vcz->each && k < sites->row_groups && !status; k++) {
        const struct gt_buf *part = which ? &sites->piece[k].allele[which - 1] : &sites->piece[k].id;
        status = gt_buf_append(raw, part->data, part->len, err);
    }
    return status ? status : append_zeros(raw, 4 * width * (size_t)(a->chunk[0] - sites->variants), err);
}

/* A column of further alleles: mostly "", which is four zeros. */
static int join_more(const struct gt_vcz *vcz, const struct vcz_sites *sites, int64_t column, struct gt_buf *raw, struct gt_err *err)
{
    uint32_t count = (uint32_t)vcz->array[VCZ_ALLELE]->chunk[0];
    int64_t first = 0, done = 0;
    struct vcz_more more;
    int status;

    raw->len = 0;
    status = gt_buf_append(raw, &count, 4, err);
    for (int64_t k = 0; k < sites->row_groups && !status; first += sites->piece[k++].variants) {
        const struct gt_buf *from = &sites->piece[k].more;
        for (size_t at = 0; at < from->len && !status; at += sizeof more + more.n) {
            memcpy(&more, from->data + at, sizeof more);
            if (more.number != column)
                continue;
            status = append_zeros(raw, 4 * (size_t)(first + more.variant - done), err);
            status = status ? status : gt_buf_append(raw, &more.n, 4, err);
            status = status ? status : gt_buf_append(raw, from->data + at + sizeof more, more.n, err);
            done = first + more.variant + 1;
        }
    }
    return status ? status : append_zeros(raw, 4 * (size_t)(count - done), err);
}

static int join_filters(const struct gt_vcz *vcz, const struct vcz_sites *sites, int64_t column, struct gt_buf *raw, struct gt_err *err)
{
    const struct gt_array *array = vcz->array[VCZ_FILTER];
    int64_t width = array->chunk[1], first = 0;
    int status = gt_buf_resize(raw, array->chunk_bytes, err);

    if (status)
        return status;
    memset(raw->data, 0, raw->len);
    for (int64_t k = 0; k < sites->row_groups; first += sites->piece[k++].variants) {
        const struct gt_buf *from = &sites->piece[k].filters;
        const struct vcz_more *more = (const struct vcz_more *)(const void *)from->data;
        for (size_t i = 0; i < from->len / sizeof *more; i++)
            if (more[i].number / width == column)
                raw->data[(first + more[i].variant) * width + more[i].number % width] = 1;
    }
    return 0;
}

static int encode_numbers(const struct gt_vcz *vcz, const struct vcz_sites *sites, struct gt_buf *bytes, struct gt_err *err)
{
    int status = 0;

    for (int i = VCZ_SITES; i < VCZ_NUMBERS_END && !status; i++) {
        if (!vcz->array[i])
            continue;
        size_t n = vcz->array[i]->chunk_bytes; /* less than there is room for where this is the only chunk */
        const struct gt_buf view = {.data = sites->number[i].data, .len = n, .cap = n};
        status = vcz_add_chunk(vcz, i, sites->row, 0, &view, bytes, err);
    }
    for (int64_t c = 1; c < sites->filters && !status; c++) {
        status = join_filters(vcz, sites, c, &bytes[VCZ_RAW], err);
        status = status ? status : vcz_add_chunk(vcz, VCZ_FILTER, sites->row, c, &bytes[VCZ_RAW], bytes, err);
    }
    return status;
}

int vcz_encode_sites(const struct gt_vcz *vcz, const struct vcz_sites *sites, struct gt_buf *bytes, struct gt_err *err)
{
    const struct vcz_record reach[] = {{VCZ_REACH, VCZ_ALLELE, sites->row, sites->alleles, 0},
                                       {VCZ_REACH, VCZ_FILTER, sites->row, sites->filters, 0}};
    struct gt_buf *raw = &bytes[VCZ_RAW];
    int status = vcz_add_record(bytes, &reach[0], NULL, err);

    status = status ? status : vcz_add_record(bytes, &reach[1], NULL, err);
    status = status ? status : encode_numbers(vcz, sites, bytes, err);
    status = status ? status : join_texts(vcz, sites, VCZ_ID, 0, raw, err);
    status = status ? status : vcz_add_chunk(vcz, VCZ_ID, sites->row, 0, raw, bytes, err);
    for (int64_t c = 0; c < sites->alleles && !status; c++) {
        status = c < 2 ? join_texts(vcz, sites, VCZ_ALLELE, 1 + (int)c, raw, err) : join_more(vcz, sites, c, raw, err);
        status = status ? status : vcz_add_chunk(vcz, VCZ_ALLELE, sites->row, c, raw, bytes, err);
    }
    return status;
}

int vcz_add_sites(struct gt_vcz *vcz, int64_t row_group, const struct gt_block *block, struct gt_buf *bytes, struct gt_err *err)
{
    int64_t row = row_group / vcz->each, part = row_group % vcz->each, alleles = 1, filters = 1;
    struct vcz_sites *sites;
    int status = open_sites(vcz, row, &sites, err);

    if (status)
        return status;
    status = vcz_fill_sites(vcz, sites, part, block, &alleles, &filters, err);
    if (status || !close_sites(vcz, sites, block->n, alleles, filters))
        return status;
    status = !bytes ? gt_fail(err, GT_INPUT, "'%s' has more variants than it declared", vcz->info->name)
                    : vcz_encode_sites(vcz, sites, bytes, err);
    spare_sites(vcz, sites);
    return status;
}
