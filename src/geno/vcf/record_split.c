/* Splits the bytes of a VCF or BCF into tasks of complete records.
 *
 * Lines of text are located in parallel when segments are inflated.  The sequential part only joins a line that spans two
 * segments; all other lines are parsed in place.  BCF records are located one by one by their
 * lengths. */
#include "config.h"

#include <string.h>

#include "core/base/le.h"
#include "core/base/size.h"
#include "geno/vcf/vcf_internal.h"
#include "kernels/kernels.h"

#define ROWS_MORE ((size_t)1 << 20) /* bytes that the rows of a task may take beyond its text */

static struct gt_vcf_cut cut_text(const uint8_t *data, size_t n)
{
    struct gt_vcf_cut cut = {0};
    if (!n)
        return cut;
    const uint8_t *p = data, *end = data + n, *nl;
    for (; p < end && (nl = memchr(p, '\n', (size_t)(end - p))); p = nl + 1) {
        cut.lines++;
        cut.records += !gt_vcf_is_blank(p, (size_t)(nl - p));
    }
    cut.bytes = (size_t)(p - data);
    return cut;
}

/* The rows of the next record, where records are split, as many as the item has room for.  False: of some that it has, no room. */
static bool take_rows(struct gt_vcf *vcf, struct gt_vcf_item *item, const uint8_t *record)
{
    const int64_t rows = (gt_le32(record) >= 20 ? gt_vcf_rows_of_bcf(record + 8) : 1) - (vcf->alt - 1);
    const int64_t some = gt_min_i64(rows, vcf->most_rows - item->rows);
    if (!item->first_alt)
        item->first_alt = vcf->alt;
    item->rows += some;
    if (some < rows)
        item->after = vcf->alt += (int32_t)some;
    else
        vcf->alt = 1;
    return some == rows;
}

/* stride: of the rows; records without FORMAT are short, so their rows are bounded too. */
static struct gt_vcf_cut cut_bcf(struct gt_vcf *vcf, struct gt_vcf_item *item, size_t stride)
{
    struct gt_vcf_cut cut = {0};
    const uint8_t *data = vcf->tail.data;
    const size_t n = vcf->tail.len;
    while (n - cut.bytes >= 8) {
        uint64_t size = (uint64_t)gt_le32(data + cut.bytes) + gt_le32(data + cut.bytes + 4) + 8;
        if (size > n - cut.bytes || (cut.records && (uint64_t)cut.records * stride > cut.bytes + ROWS_MORE))
            break;
        if (vcf->most_rows && item->rows == vcf->most_rows)
            break;
        if (vcf->most_rows && !take_rows(vcf, item, data + cut.bytes)) {
            cut.part = (size_t)size;
            break;
        }
        cut.bytes += (size_t)size;
        cut.records++;
    }
    return cut;
}

/* The next piece of the stream; NULL at its end.  What is left in tail must go on in it. */
static int next_piece(struct gt_vcf *vcf, struct gt_text_segment **piece, struct gt_err *err)
{
    *piece = NULL;
    if (vcf->apart && vcf->tail.len)
        return gt_bytes_misfit(vcf->bytes, err);
    int status = vcf->end ? GT_END : gt_bytes_next(vcf->bytes, piece, err);
    vcf->end |= status == GT_END;
    vcf->apart = *piece && (*piece)->cut;
    return status == GT_END ? 0 : status;
}

/* n bytes of the piece onto tail. */
static int add_to_tail(struct gt_vcf *vcf, const struct gt_text_segment *piece, size_t from, size_t n, struct gt_err *err)
{
    /* in steps, so that the few buffers that go round reach their size soon */
    size_t room = (vcf->tail.len + n + GT_KERNEL_PAD + GT_VCF_ROOM_STEP - 1) / GT_VCF_ROOM_STEP * GT_VCF_ROOM_STEP;
    if (n)
        (void)gt_buf_try(&vcf->tail, room);
    int status = n ? gt_buf_append(&vcf->tail, piece->text.data + from, n, err) : 0;
    if (!status)
        status = gt_buf_reserve(&vcf->tail, vcf->tail.len + GT_KERNEL_PAD, err);
    if (status == GT_NOFIT)
        gt_fail_prefix(err, "'%s': a record of more than %zu bytes", vcf->base.info.name, vcf->tail.len);
    return status;
}

/* The records at the head of tail go to the item, with the buffer; the rest moves to a fresh tail. */
static int take_tail(struct gt_vcf *vcf, struct gt_vcf_item *item, struct gt_vcf_cut cut, struct gt_err *err)
{
    struct gt_buf *tail = &vcf->tail;
    item->joined.len = 0;
    int status = gt_buf_append(&item->joined, tail->data + cut.bytes, tail->len - cut.bytes, err);
    if (!status)
        status = gt_buf_reserve(tail, tail->len + GT_KERNEL_PAD, err);
    if (status)
        return status;
    tail->len = cut.bytes + cut.part;
    gt_buf_swap(&item->joined, tail);
    item->first = cut;
    return 0;
}

/* --- text ----------------------------------------------------------------------------- */

/* Lines of the piece, and the one that ends in its head. */
static int take_lines(struct gt_vcf *vcf, struct gt_vcf_item *item, struct gt_text_segment *piece, struct gt_err *err)
{
    struct gt_vcf_cut line = {.lines = 1};
    size_t head = piece->head;
    int status = 0;
    item->rest = (struct gt_vcf_cut){.bytes = piece->tail, .records = piece->records, .lines = piece->lines};
    item->virtual_offset = vcf->tail.len ? vcf->tail_offset : gt_bytes_segment_offset(vcf->bytes, piece, 0);
    if (vcf->tail.len) {
        status = add_to_tail(vcf, piece, 0, head, err);
        line.bytes = vcf->tail.len;
        line.records = !gt_vcf_is_blank(vcf->tail.data, line.bytes - 1);
        if (!status)
            status = take_tail(vcf, item, line, err);
        item->from = head;
    } else {
        item->rest.records += !gt_vcf_is_blank(piece->text.data, head - 1);
        item->rest.lines++;
        item->from = 0;
    }
    item->to = piece->tail;
    vcf->tail_offset = gt_bytes_segment_offset(vcf->bytes, piece, piece->tail);
    if (!status)
        status = add_to_tail(vcf, piece, piece->tail, piece->text.len - piece->tail, err);
    item->piece = piece;
    item->ends = piece->cut && piece->tail == piece->text.len;
    return status;
}

/* The stream has ended: a last line may lack its newline. */
static int last_line(struct gt_vcf *vcf, struct gt_vcf_item *item, struct gt_err *err)
{
    if (!vcf->tail.len)
        return GT_END;
    struct gt_vcf_cut line = {.bytes = vcf->tail.len + 1, .records = !gt_vcf_is_blank(vcf->tail.data, vcf->tail.len), .lines = 1};
    item->virtual_offset = vcf->tail_offset;
    int status = gt_buf_append(&vcf->tail, "\n", 1, err);
    return status ? status : take_tail(vcf, item, line, err);
}

static int read_text(struct gt_vcf *vcf, struct gt_vcf_item *item, struct gt_err *err)
{
    struct gt_vcf_cut cut = vcf->begun ? (struct gt_vcf_cut){0} : cut_text(vcf->tail.data, vcf->tail.len);
    vcf->begun = true;
    if (cut.bytes) /* what followed the header */
        return take_tail(vcf, item, cut, err);
    for (;;) {
        struct gt_text_segment *piece;
        int status = next_piece(vcf, &piece, err);
        if (status)
            return status;
        if (!piece)
            return last_line(vcf, item, err);
        if (piece->head)
            return take_lines(vcf, item, piece, err);
        if (!vcf->tail.len)
            vcf->tail_offset = gt_bytes_segment_offset(vcf->bytes, piece, 0);
        status = add_to_tail(vcf, piece, 0, piece->text.len, err);
        gt_bytes_done(vcf->bytes, piece);
        if (status)
            return status;
    }
}

/* --- BCF ------------------------------------------------------------------------------- */

static int read_bcf(struct gt_vcf *vcf, struct gt_vcf_item *item, struct gt_err *err)
{
    const size_t stride = ((size_t)vcf->base.info.n_samples + 3) / 4;
    for (;;) {
        struct gt_text_segment *piece;
        struct gt_vcf_cut cut = cut_bcf(vcf, item, stride);
        if (cut.bytes || cut.part)
            return take_tail(vcf, item, cut, err);
        int status = next_piece(vcf, &piece, err);
        if (status)
            return status;
        if (!piece && !vcf->tail.len)
            return GT_END;
        if (!piece)
            return gt_fail(err, GT_INPUT, "'%s' is truncated: it ends inside record %lld", vcf->base.info.name, (long long)vcf->record + 1);
        status = add_to_tail(vcf, piece, 0, piece->text.len, err);
        gt_bytes_done(vcf->bytes, piece);
        if (status)
            return status;
    }
}

/* --- tasks --------------------------------------------------------------------------- */

/* At the end of a pass that an index limited: how many records it did not see. */
static int report_skipped(struct gt_vcf *vcf, struct gt_vcf_item *item)
{
    int64_t all = vcf->limited ? gt_index_records(vcf->index) : -1;
    if (vcf->unseen_told || all <= vcf->record)
        return GT_END;
    vcf->unseen_told = true;
    item->unseen = all - vcf->record;
    return 0;
}

int gt_vcf_read(void *ctx, int64_t task, void *data, struct gt_err *err)
{
    struct gt_vcf *vcf = ctx;
    struct gt_vcf_item *item = data;
    (void)task;
    if (!item->ready) {
        gt_block_init(&item->block, &vcf->base.engine->budget);
        item->joined.budget = &vcf->base.engine->budget;
        item->ready = true;
    }
    item->joined.len = item->from = item->to = 0;
    item->first = item->rest = (struct gt_vcf_cut){0};
    item->unseen = 0;
    item->ends = false;
    item->virtual_offset = UINT64_MAX;
    item->rows = item->first_alt = item->after = 0;
    int status = vcf->bcf ? read_bcf(vcf, item, err) : vcf->rest ? gt_vcf_take_rest(vcf, item, err) : read_text(vcf, item, err);
    if (!status && vcf->most_rows && !vcf->bcf && !item->first_alt)
        status = gt_vcf_limit_rows(vcf, item, err);
    if (status == GT_END)
        status = report_skipped(vcf, item);
    item->line = vcf->line;
    item->block.first = vcf->record;
    vcf->line += item->first.lines + item->rest.lines;
    vcf->record += item->first.records + item->rest.records;
    gt_flow_bytes((int64_t)(item->joined.len + item->to - item->from));
    return status;
}
