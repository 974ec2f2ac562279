#include "config.h"

#include "geno/model/block.h"

#include <string.h>

#include "core/base/size.h"
#include "geno/model/dosage.h"
#include "kernels/kernels.h"

void gt_block_init(struct gt_block *block, struct gt_budget *budget)
{
    memset(block, 0, sizeof *block);
    block->rows.budget = budget;
    block->sites.budget = budget;
    block->filters.budget = budget;
    block->hets.budget = budget;
    block->calls.budget = budget;
    block->phases.budget = budget;
    block->records.budget = block->texts.budget = budget;
    block->haplotypes.budget = budget;
    block->scratch.budget = budget;
    block->alleles.budget = block->ids.budget = block->new_contigs.budget = block->new_filters.budget = budget;
}

void gt_block_clear(struct gt_block *block)
{
    block->first = block->line = 0;
    block->virtual_offset = UINT64_MAX;
    block->n = 0;
    block->stride = 0;
    block->rows.len = 0;
    block->sites.len = 0;
    block->filters.len = 0;
    block->hets.len = 0;
    block->calls.len = 0;
    block->phases.len = 0;
    block->marked = block->begun = false;
    block->records.len = block->texts.len = 0;
    block->haplotypes.len = 0;
    block->sites_filtered = false;
    block->has_gt = false;
    gt_strs_clear(&block->alleles);
    gt_strs_clear(&block->ids);
    gt_strs_clear(&block->new_contigs);
    gt_strs_clear(&block->new_filters);
    memset(&block->stats, 0, sizeof block->stats);
}

void gt_block_release(struct gt_block *block)
{
    gt_buf_release(&block->rows);
    gt_buf_release(&block->sites);
    gt_buf_release(&block->filters);
    gt_buf_release(&block->hets);
    gt_buf_release(&block->calls);
    gt_buf_release(&block->phases);
    gt_buf_release(&block->records);
    gt_buf_release(&block->texts);
    gt_buf_release(&block->haplotypes);
    gt_buf_release(&block->scratch);
    gt_strs_release(&block->alleles);
    gt_strs_release(&block->ids);
    gt_strs_release(&block->new_contigs);
    gt_strs_release(&block->new_filters);
}

/* Room for len bytes; grows by half where the budget has that much, so that
 * appending many small pieces stays linear. */
static int grow(struct gt_buf *buf, size_t len, struct gt_err *err)
{
    size_t more = buf->cap + buf->cap / 2;
    if (len > buf->cap && (more <= len || !gt_buf_try(buf, more))) {
        int status = gt_buf_reserve(buf, len, err);
        if (status)
            return status;
    }
    return gt_buf_resize(buf, len, err);
}

int gt_block_rows(struct gt_block *block, int64_t n, struct gt_err *err)
{
    size_t bytes, end;
    if (!gt_mul_size((size_t)n, block->stride, &bytes) || !gt_add_size(bytes, GT_KERNEL_PAD, &end))
        return gt_fail(err, GT_NOFIT, "a block of %lld rows of %zu bytes is too large", (long long)n, block->stride);
    return grow(&block->rows, end, err);
}

static int append_rows(struct gt_block *to, const struct gt_block *src, int64_t from, int64_t n, struct gt_err *err)
{
    if (to->n == 0)
        to->stride = src->stride;
    int status = gt_block_rows(to, to->n + n, err);
    if (status)
        return status;
    uint8_t *dst = to->rows.data + (size_t)to->n * to->stride;
    if (to->stride == src->stride) {
        memcpy(dst, gt_block_row(src, from), (size_t)n * to->stride);
        return 0;
    }
    size_t common = to->stride < src->stride ? to->stride : src->stride;
    for (int64_t v = 0; v < n; v++, dst += to->stride) {
        memcpy(dst, gt_block_row(src, from + v), common);
        memset(dst + common, 0, to->stride - common);
    }
    return 0;
}

int gt_block_haplotypes(struct gt_block *block, int64_t n, int64_t n_samples, struct gt_err *err)
{
    const size_t stride = gt_haplotype_stride(n_samples), have = block->haplotypes.len ? block->haplotypes.len - GT_KERNEL_PAD : 0;
    size_t bytes, end;
    if (!gt_mul_size((size_t)n, stride, &bytes) || !gt_add_size(bytes, GT_KERNEL_PAD, &end))
        return gt_fail(err, GT_NOFIT, "a block of %lld rows of %zu bytes is too large", (long long)n, stride);
    int status = grow(&block->haplotypes, end, err);
    if (status)
        return status;
    memset(block->haplotypes.data + have, 0xff, bytes - have);
    for (size_t at = have + stride; n_samples % 2 && at <= bytes; at += stride)
        block->haplotypes.data[at - 1] = 0x0f;
    return GT_OK;
}

/* A zeroed row of two bits a sample; *number: 1 + its index. */
static int add_bits(struct gt_buf *rows, size_t stride, uint32_t *number, uint8_t **row, struct gt_err *err)
{
    size_t at = rows->len;
    int status = grow(rows, at + stride + GT_KERNEL_PAD, err);
    if (status)
        return status;
    rows->len = at + stride;
    *row = rows->data + at;
    memset(*row, 0, stride);
    *number = (uint32_t)(at / stride) + 1;
    return 0;
}

int gt_block_add_hets(struct gt_block *block, struct gt_site *site, uint8_t **row, struct gt_err *err)
{
    return add_bits(&block->hets, block->stride, &site->hets, row, err);
}

int gt_block_add_phases(struct gt_block *block, struct gt_site *site, uint8_t **row, struct gt_err *err)
{
    return add_bits(&block->phases, block->stride, &site->phases, row, err);
}

/* The row `from` of another block. */
static int append_bits(struct gt_buf *rows, size_t stride, const uint8_t *from, size_t from_stride, uint32_t *number, struct gt_err *err)
{
    uint8_t *row;
    int status = add_bits(rows, stride, number, &row, err);
    if (!status)
        memcpy(row, from, stride < from_stride ? stride : from_stride);
    return status;
}

int gt_block_add_calls(struct gt_block *block, struct gt_site *site, int64_t n_samples, uint8_t **row, struct gt_err *err)
{
    const size_t at = block->calls.len, stride = 2 * (size_t)n_samples;
    int status = grow(&block->calls, at + stride, err);
    if (status)
        return status;
    block->call_samples = n_samples;
    *row = block->calls.data + at;
    memset(*row, GT_ALLELE_BY_CODE, stride);
    site->calls = (uint32_t)(at / (stride ? stride : 1)) + 1;
    return GT_OK;
}

int gt_block_add_record(struct gt_block *block, struct gt_site *site, const struct gt_record_body *record, uint8_t **to, struct gt_err *err)
{
    struct gt_record_body own = *record;
    own.from = block->texts.len;
    size_t end, room;
    if (!gt_add_size(own.from, own.n, &end) || !gt_add_size(end, GT_KERNEL_PAD, &room))
        return gt_fail(err, GT_NOFIT, "a record of %zu bytes is too large", own.n);
    int status = grow(&block->texts, room, err);
    block->texts.len = own.from;
    if (status)
        return status;
    site->record = (uint32_t)(block->records.len / sizeof own);
    if ((status = gt_buf_append(&block->records, &own, sizeof own, err)) != 0)
        return status;
    *to = block->texts.data + own.from;
    block->texts.len = end;
    return 0;
}

static int append_record(struct gt_block *to, const struct gt_block *src, struct gt_site *site, struct gt_err *err)
{
    const struct gt_record_body *record = gt_block_record(src, site);
    uint8_t *text;
    int status = gt_block_add_record(to, site, record, &text, err);
    if (!status && record->n)
        memcpy(text, src->texts.data + record->from, record->n);
    return status;
}

static int append_calls(struct gt_block *to, const struct gt_block *src, struct gt_site *site, struct gt_err *err)
{
    const int64_t samples = src->call_samples;
    const uint8_t *from = gt_block_calls(src, site);
    uint8_t *row;
    int status = gt_block_add_calls(to, site, samples, &row, err);
    if (!status)
        memcpy(row, from, 2 * (size_t)samples);
    return status;
}

static int append_text(struct gt_strs *to, const struct gt_strs *from, size_t i, struct gt_err *err)
{
    const char *text = gt_strs_get(from, i);
    return gt_strs_add(to, text, strlen(text), err);
}

static int append_site(struct gt_block *to, const struct gt_block *src, const struct gt_site *site, struct gt_err *err)
{
    struct gt_site copy = *site;
    int status = 0;
    if ((size_t)site->first_allele + (size_t)site->n_alleles <= src->alleles.n) {
        copy.first_allele = (uint32_t)to->alleles.n;
        for (int32_t a = 0; a < site->n_alleles && !status; a++)
            status = append_text(&to->alleles, &src->alleles, site->first_allele + (size_t)a, err);
    }
    if (site->id < src->ids.n && !status) {
        copy.id = (uint32_t)to->ids.n;
        status = append_text(&to->ids, &src->ids, site->id, err);
    }
    if (site->hets && !status)
        status = append_bits(&to->hets, to->stride, gt_block_hets(src, site), src->stride, &copy.hets, err);
    if (site->phases && !status)
        status = append_bits(&to->phases, to->stride, gt_block_phases(src, site), src->stride, &copy.phases, err);
    if (site->calls && !status)
        status = append_calls(to, src, &copy, err);
    if (src->records.len && !status)
        status = append_record(to, src, &copy, err);
    copy.filter_from = (uint32_t)(to->filters.len / sizeof(int32_t));
    size_t item = sizeof(int32_t);
    if (site->filter_n && !status)
        status = gt_buf_append(&to->filters, src->filters.data + site->filter_from * item, site->filter_n * item, err);
    return status ? status : gt_buf_append(&to->sites, &copy, sizeof copy, err);
}

/* Room for the sites of n variants, so that they grow once; also for its texts, where a whole block goes into an empty one. */
static int reserve_sites(struct gt_block *to, const struct gt_block *src, int64_t n, struct gt_err *err)
{
    const size_t had = to->sites.len;
    int status = grow(&to->sites, had + (size_t)n * sizeof(struct gt_site), err);

    to->sites.len = had;
    if (status || to->n || n < src->n)
        return status;
    status = gt_strs_reserve(&to->alleles, src->alleles.n, src->alleles.text_len, err);
    return status ? status : gt_strs_reserve(&to->ids, src->ids.n, src->ids.text_len, err);
}

int gt_block_append(struct gt_block *to, const struct gt_block *src, int64_t from, int64_t n, struct gt_err *err)
{
    if (from < 0 || n < 0 || n > src->n - from)
        return gt_fail(err, GT_FAIL, "variants %lld to %lld requested from a block of %lld", (long long)from, (long long)(from + n),
                       (long long)src->n);
    if (n == 0)
        return 0;
    bool with_sites = src->sites.len > 0;
    to->contigs = src->contigs; /* the later block knows more of them */
    to->filter_names = src->filter_names;
    if (to->n > 0 && with_sites != (to->sites.len > 0))
        return gt_fail(err, GT_FAIL, "blocks with and without sites cannot be joined");
    if (to->n == 0)
        to->first = src->first + from;
    int status = append_rows(to, src, from, n, err);
    status = status || !with_sites ? status : reserve_sites(to, src, n, err);
    for (int64_t v = 0; with_sites && !status && v < n; v++)
        status = append_site(to, src, &gt_block_sites(src)[from + v], err);
    if (!status)
        to->n += n;
    return status;
}

static bool same_alleles(const struct gt_block *a, const struct gt_site *x, const struct gt_block *b, const struct gt_site *y)
{
    bool same = x->n_alleles == y->n_alleles;
    for (int32_t k = 0; k < x->n_alleles && same; k++)
        same =
            strcmp(gt_strs_get(&a->alleles, x->first_allele + (uint32_t)k), gt_strs_get(&b->alleles, y->first_allele + (uint32_t)k)) == 0;
    return same;
}

enum gt_site_differs gt_site_differs(const struct gt_block *a, const struct gt_site *x, const struct gt_block *b, const struct gt_site *y,
                                     unsigned has)
{
    if ((has & GT_HAS_CONTIGS) && strcmp(gt_site_contig(a, x), gt_site_contig(b, y)) != 0)
        return GT_SITE_OTHER_PLACE;
    if ((has & GT_HAS_POSITIONS) && x->position != y->position)
        return GT_SITE_OTHER_PLACE;
    return (has & GT_HAS_ALLELES) && !same_alleles(a, x, b, y) ? GT_SITE_OTHER_ALLELES : GT_SITE_SAME;
}
