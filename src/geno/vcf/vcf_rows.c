/* Records that are split into rows, one for each ALT: a task has a limited number of them, whatever the number of ALTs.
 *
 * Text with more rows is set apart as it was read, and tasks get copies of its lines, of the last of which the first rows may be theirs,
 * and the others the next task's. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/le.h"
#include "core/base/mem.h"
#include "core/base/size.h"
#include "geno/vcf/vcf_internal.h"
#include "kernels/kernels.h"

struct gt_vcf_rest {
    struct gt_buf joined;
    struct gt_text_segment *piece; /* NULL: no more lines than `joined` has */
    size_t at, to;                 /* what is left of `joined`, and when that is over, of the piece */
    size_t piece_from, piece_to;
    bool in_piece, ends;
    uint64_t virtual_offset; /* of `joined` */
};

static int64_t rows_of(int64_t alts)
{
    return alts > 1 ? gt_min_i64(alts, GT_MAX_ALLELES - 1) : 1;
}

int64_t gt_vcf_rows_of_line(const uint8_t *line, size_t n)
{
    const uint8_t *p = line, *end = line + n, *tab = NULL;
    int64_t alts = 1;
    for (int c = 0; c < 4; c++, p = tab + 1)
        if (!(tab = memchr(p, '\t', (size_t)(end - p))))
            return 1; /* it will be refused */
    tab = memchr(p, '\t', (size_t)(end - p));
    for (const uint8_t *comma; tab && (comma = memchr(p, ',', (size_t)(tab - p))); p = comma + 1)
        alts++;
    return rows_of(alts);
}

int64_t gt_vcf_rows_of_bcf(const uint8_t *shared)
{
    return rows_of((int64_t)gt_le16(shared + 18) - 1);
}

/* Stops when there are more than `most`. */
static int64_t count_rows(const uint8_t *data, size_t n, int64_t most)
{
    int64_t rows = 0;
    const uint8_t *p = data, *end = n ? data + n : data, *nl;
    for (; p < end && rows <= most && (nl = memchr(p, '\n', (size_t)(end - p))); p = nl + 1)
        rows += gt_vcf_is_blank(p, (size_t)(nl - p)) ? 0 : gt_vcf_rows_of_line(p, (size_t)(nl - p));
    return rows;
}

/* Of a part that is over to the next one; false: all is taken. */
static bool has_lines(struct gt_vcf_rest *rest)
{
    if (rest->at == rest->to && rest->piece && !rest->in_piece) {
        rest->in_piece = true;
        rest->at = rest->piece_from;
        rest->to = rest->piece_to;
    }
    return rest->at < rest->to;
}

static const uint8_t *data_of(const struct gt_vcf_rest *rest)
{
    return rest->in_piece ? rest->piece->text.data : rest->joined.data;
}

/* As many rows of the next line as the item has room for. */
static int take_line(struct gt_vcf *vcf, struct gt_vcf_item *item, struct gt_err *err)
{
    struct gt_vcf_rest *rest = vcf->rest;
    const uint8_t *line = data_of(rest) + rest->at, *nl = memchr(line, '\n', rest->to - rest->at);
    const size_t n = (size_t)(nl - line);
    const bool blank = gt_vcf_is_blank(line, n);
    const int64_t rows = blank ? 0 : gt_vcf_rows_of_line(line, n) - (vcf->alt - 1), some = gt_min_i64(rows, vcf->most_rows - item->rows);
    int status = gt_buf_append(&item->joined, line, n + 1, err);
    if (!item->first_alt)
        item->first_alt = vcf->alt;
    item->rows += some;
    if (some < rows) {
        item->after = vcf->alt += (int32_t)some;
        return status;
    }
    vcf->alt = 1;
    rest->at += n + 1;
    item->first.lines++;
    item->first.records += !blank;
    return status;
}

int gt_vcf_take_rest(struct gt_vcf *vcf, struct gt_vcf_item *item, struct gt_err *err)
{
    struct gt_vcf_rest *rest = vcf->rest;
    int status = GT_OK;
    item->virtual_offset = rest->virtual_offset;
    if (has_lines(rest) && rest->in_piece)
        item->virtual_offset = gt_bytes_segment_offset(vcf->bytes, rest->piece, rest->at);
    while (!status && item->rows < vcf->most_rows && has_lines(rest))
        status = take_line(vcf, item, err);
    if (!status)
        status = gt_buf_reserve(&item->joined, item->joined.len + GT_KERNEL_PAD, err);
    item->first.bytes = item->joined.len;
    if (status || has_lines(rest))
        return status;
    item->ends = rest->ends;
    if (rest->piece)
        gt_bytes_done(vcf->bytes, rest->piece);
    gt_vcf_drop_rest(vcf);
    return GT_OK;
}

int gt_vcf_limit_rows(struct gt_vcf *vcf, struct gt_vcf_item *item, struct gt_err *err)
{
    struct gt_text_segment *piece = item->piece;
    item->rows = count_rows(item->joined.data, item->joined.len, vcf->most_rows);
    if (piece)
        item->rows += count_rows(piece->text.data + item->from, item->to - item->from, vcf->most_rows);
    if (item->rows <= vcf->most_rows)
        return GT_OK;
    if (!(vcf->rest = gt_alloc(1, sizeof *vcf->rest, err)))
        return GT_FAIL;
    *vcf->rest = (struct gt_vcf_rest){.joined.budget = item->joined.budget,
                                      .piece = piece,
                                      .to = item->joined.len,
                                      .piece_from = item->from,
                                      .piece_to = item->to,
                                      .ends = item->ends,
                                      .virtual_offset = item->virtual_offset};
    gt_buf_swap(&vcf->rest->joined, &item->joined);
    item->joined.len = item->from = item->to = 0;
    item->first = item->rest = (struct gt_vcf_cut){0};
    item->piece = NULL;
    item->ends = false;
    item->rows = 0;
    return gt_vcf_take_rest(vcf, item, err);
}

void gt_vcf_drop_rest(struct gt_vcf *vcf)
{
    if (vcf->rest)
        gt_buf_release(&vcf->rest->joined);
    free(vcf->rest);
    vcf->rest = NULL;
}
