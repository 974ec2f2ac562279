#include "config.h"

#include "geno/model/block_message.h"

#include "kernels/kernels.h"

enum { ROWS, SITES, BUFS = 9, LISTS = 4 };

struct head {
    int64_t first, line, n, call_samples;
    uint64_t virtual_offset;
    size_t stride, buf[BUFS], strings[LISTS], text[LISTS];
    bool marked, begun, sites_filtered, has_gt;
    struct gt_select_stats stats;
};

static void list_parts(struct gt_block *b, struct gt_buf *bufs[BUFS], struct gt_strs *lists[LISTS])
{
    struct gt_buf *const all[BUFS] = {&b->rows, &b->sites, &b->filters, &b->records,   &b->texts,
                                      &b->hets, &b->calls, &b->phases,  &b->haplotypes};
    struct gt_strs *const strings[LISTS] = {&b->alleles, &b->ids, &b->new_contigs, &b->new_filters};
    memcpy(bufs, all, sizeof all);
    memcpy(lists, strings, sizeof strings);
}

static size_t used(size_t len, size_t most)
{
    return len < most ? len : most;
}

static int put(struct gt_buf *message, const void *data, size_t n, struct gt_err *err)
{
    return n ? gt_buf_append(message, data, n, err) : GT_OK;
}

int gt_block_to_message(const struct gt_block *block, struct gt_buf *message, struct gt_err *err)
{
    struct gt_block parts = *block; /* only looked at */
    struct gt_buf *bufs[BUFS];
    struct gt_strs *lists[LISTS];
    struct head head;
    memset(&head, 0, sizeof head);
    head.first = block->first;
    head.line = block->line;
    head.n = block->n;
    head.call_samples = block->call_samples;
    head.virtual_offset = block->virtual_offset;
    head.stride = block->stride;
    head.marked = block->marked;
    head.begun = block->begun;
    head.sites_filtered = block->sites_filtered;
    head.has_gt = block->has_gt;
    head.stats = block->stats;
    list_parts(&parts, bufs, lists);
    size_t all = sizeof head, rows = (size_t)block->n * block->stride, sites = (size_t)block->n * sizeof(struct gt_site);
    for (int i = 0; i < BUFS; i++)
        all += head.buf[i] = used(bufs[i]->len, i == ROWS ? rows : i == SITES ? sites : SIZE_MAX);
    for (int i = 0; i < LISTS; i++) {
        head.strings[i] = lists[i]->n;
        head.text[i] = lists[i]->n ? lists[i]->text_len : 0;
        all += head.strings[i] * sizeof(size_t) + head.text[i];
    }
    int status = gt_buf_reserve(message, message->len + all, err);
    status = status ? status : put(message, &head, sizeof head, err);
    for (int i = 0; i < BUFS && !status; i++)
        status = put(message, bufs[i]->data, head.buf[i], err);
    for (int i = 0; i < LISTS && !status; i++) {
        status = put(message, lists[i]->start, head.strings[i] * sizeof(size_t), err);
        status = status ? status : put(message, lists[i]->text, head.text[i], err);
    }
    return status;
}

static void take(void *to, size_t n, const struct gt_buf *message, size_t *at)
{
    if (n)
        memcpy(to, message->data + *at, n);
    *at += n;
}

int gt_block_from_message(struct gt_block *block, const struct gt_buf *message, size_t *at, struct gt_err *err)
{
    struct gt_buf *bufs[BUFS];
    struct gt_strs *lists[LISTS];
    struct head head;
    int status = GT_OK;
    gt_block_clear(block);
    take(&head, sizeof head, message, at);
    list_parts(block, bufs, lists);
    for (int i = 0; i < BUFS && !status; i++) {
        status = head.buf[i] ? gt_buf_reserve(bufs[i], head.buf[i] + GT_KERNEL_PAD, err) : GT_OK;
        if (status)
            break;
        take(bufs[i]->data, head.buf[i], message, at);
        bufs[i]->len = head.buf[i];
    }
    for (int i = 0; i < LISTS && !status; i++) {
        status = head.strings[i] ? gt_strs_reserve(lists[i], head.strings[i], head.text[i], err) : GT_OK;
        if (status)
            break;
        take(lists[i]->start, head.strings[i] * sizeof(size_t), message, at);
        take(lists[i]->text, head.text[i], message, at);
        lists[i]->n = head.strings[i];
        lists[i]->text_len = head.text[i];
    }
    block->first = head.first;
    block->line = head.line;
    block->n = head.n;
    block->call_samples = head.call_samples;
    block->virtual_offset = head.virtual_offset;
    block->stride = head.stride;
    block->marked = head.marked;
    block->begun = head.begun;
    block->sites_filtered = head.sites_filtered;
    block->has_gt = head.has_gt;
    block->stats = head.stats;
    return status;
}
