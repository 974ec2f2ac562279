#include "config.h"

#include "geno/vcf/vcf_deal.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/mem.h"
#include "core/base/size.h"
#include "geno/model/block_message.h"
#include "geno/vcf/vcf_internal.h"

enum {
    BATCH = GT_COMM_PART / 2, /* bytes of a message, about */
    BATCH_ROOM = 2 * BATCH,   /* that it has from the start; it ends with a whole block */
    BATCHES_LEAST = 3,        /* that wait, where there is memory */
    BATCHES = 64,             /* at most */
    SPARES = 4,               /* blocks that are kept for the next ones */
};

/* Blocks that are delivered, or were. */
struct gt_vcf_spare {
    struct gt_block block; /* first */
    struct gt_vcf_spare *next;
};

/* What goes before a batch, or in the place of one. */
struct head {
    int64_t bytes; /* of the batch that follows */
    int last;      /* of its unit */
    int status;    /* struct gt_err follows */
};

/* Beside the batches that wait: the one that was received, kept blocks, and one in use. */
static int64_t beside_queue(int64_t block)
{
    return BATCH + (1 + SPARES + 1) * block;
}

void gt_vcf_deal_needs(int64_t least_block, int64_t block, int64_t *minimum, int64_t *preferred)
{
    *minimum = SPARES * (BATCH + least_block);
    *preferred = gt_max_i64(*minimum, beside_queue(block) + BATCHES_LEAST * (BATCH + block)) + (INT64_C(16) << 20);
}

bool gt_vcf_can_deal(const struct gt_vcf *vcf, const struct gt_start *start)
{
    return start->deal && vcf->base.deal && vcf->base.can_deal && !vcf->limited && !gt_filter_is_sequential(vcf->base.filter) &&
           !(start->fields & (GT_SITE_RECORD | GT_SITE_COLUMNS));
}

static int send_all(struct gt_vcf_deal *deal, const void *data, size_t n, struct gt_err *err)
{
    int status = GT_OK;
    for (int i = 1; i < deal->comm.size && !status; i++)
        status = gt_comm_send(&deal->comm, (deal->comm.rank + i) % deal->comm.size, data, n, err);
    return status;
}

/* --- own units ------------------------------------------------------------------------------- */

static bool is_own(const struct gt_vcf_deal *deal, int64_t unit)
{
    return unit % deal->comm.size == deal->comm.rank;
}

static int find_units(struct gt_vcf *vcf, struct gt_err *err)
{
    struct gt_vcf_deal *deal = &vcf->deal;
    int status = GT_OK;
    for (int64_t k = deal->comm.rank; k < deal->units.n && !status; k += deal->comm.size) {
        struct gt_stretch stretch;
        status = gt_vcf_units_find(&deal->units, vcf->bytes, k, &stretch, &deal->damage);
        if (status == GT_INPUT) { /* reported when it comes to that unit */
            deal->damaged = k;
            return GT_OK;
        }
        if (status || stretch.from >= stretch.to)
            continue;
        status = gt_buf_append(&deal->own, &stretch, sizeof stretch, err);
        status = status ? status : gt_buf_append(&deal->numbers, &k, sizeof k, err);
    }
    if (status && deal->damage.status)
        *err = deal->damage;
    return status;
}

/* As rank 0 has cut: what the others know of the input may have been read with less memory. */
static int share_units(struct gt_vcf_deal *deal, struct gt_err *err)
{
    struct gt_vcf_units *units = &deal->units;
    return deal->comm.rank ? gt_comm_recv(&deal->comm, 0, units, sizeof *units, err) : send_all(deal, units, sizeof *units, err);
}

int gt_vcf_deal_open(struct gt_vcf *vcf, const struct gt_start *start, bool roomy, struct gt_err *err)
{
    struct gt_vcf_deal *deal = &vcf->deal;
    const struct gt_checkpoint *at = start->at && start->at->virtual_offset != UINT64_MAX ? start->at : NULL;
    struct gt_budget *budget = &vcf->base.engine->budget;
    *deal = (struct gt_vcf_deal){.damaged = INT64_MAX};
    deal->own.budget = deal->numbers.budget = deal->received.budget = budget;
    pthread_mutex_init(&deal->lock, NULL);
    gt_comm_second(&vcf->base.engine->comm, &deal->comm);
    deal->place = at ? *at : (struct gt_checkpoint){.virtual_offset = vcf->first, .line = vcf->header_lines + 1};
    deal->line = deal->place.line;
    deal->record = deal->place.record;
    deal->memory = start->memory;
    gt_vcf_units_cut(&deal->units, vcf->bytes, vcf->input.size, vcf->first, deal->comm.size, vcf->base.info.n_variants_guess);
    deal->units.n = roomy ? deal->units.n : 0;
    deal->units.first = (uint64_t)deal->place.virtual_offset;
    int status = share_units(deal, err);
    status = status ? status : find_units(vcf, err);
    if (status || !deal->units.n)
        return status;
    gt_bytes_uncounted(vcf->bytes);
    gt_engine_passed(vcf->base.engine, deal->units.base);
    gt_bytes_limit(vcf->bytes, (const struct gt_stretch *)(const void *)deal->own.data, deal->own.len / sizeof(struct gt_stretch));
    return GT_OK;
}

/* --- own batches: on the thread of their flow ------------------------------------------------ */

static int64_t unit_of(struct gt_vcf_deal *deal, const struct gt_vcf_item *item)
{
    const struct gt_stretch *own = (const struct gt_stretch *)(const void *)deal->own.data;
    while (item->virtual_offset >= own[deal->at].to && (deal->at + 1) * sizeof *own < deal->own.len)
        deal->at++;
    return gt_buf_i64(&deal->numbers)[deal->at];
}

/* The next item, unless one is left. */
static int next_item(struct gt_vcf *vcf, struct gt_err *err)
{
    struct gt_vcf_deal *deal = &vcf->deal;
    void *item;
    int64_t task;
    int status = deal->item ? GT_OK : gt_flow_next(vcf->flow, &item, &task, err);
    if (status || deal->item)
        return status;
    deal->item = item;
    deal->item_unit = unit_of(deal, item);
    return GT_OK;
}

static int add_item(struct gt_vcf *vcf, struct gt_vcf_batch *batch, struct gt_err *err)
{
    struct gt_vcf_item *item = vcf->deal.item;
    const int64_t counts[2] = {item->first.lines + item->rest.lines, item->first.records + item->rest.records};
    batch->unit = vcf->deal.item_unit;
    batch->last = item->ends;
    int status = gt_buf_append(&batch->bytes, counts, sizeof counts, err);
    status = status ? status : gt_block_to_message(&item->block, &batch->bytes, err);
    vcf->deal.item = NULL;
    gt_flow_done(vcf->flow, item);
    return status;
}

static int collect(void *ctx, int64_t task, void *data, struct gt_err *err)
{
    struct gt_vcf *vcf = ctx;
    struct gt_vcf_batch *batch = data;
    (void)task;
    if (!batch->ready)
        batch->bytes.budget = &vcf->base.engine->budget;
    batch->ready = true;
    batch->bytes.len = 0;
    batch->last = false;
    struct gt_err *failure = &vcf->deal.failure; /* after the blocks that are there */
    int status = failure->status ? failure->status : gt_buf_reserve(&batch->bytes, BATCH_ROOM, failure);
    while (!status && !batch->last && batch->bytes.len < BATCH) {
        status = next_item(vcf, failure);
        if (status || (batch->bytes.len && vcf->deal.item_unit != batch->unit))
            break;
        status = add_item(vcf, batch, failure);
    }
    gt_flow_bytes((int64_t)batch->bytes.len);
    if (status && batch->bytes.len) {
        failure->status = status > 0 ? status : GT_OK;
        return GT_OK;
    }
    if (status > 0)
        *err = *failure;
    return status;
}

static void release_batch(void *ctx, void *data)
{
    (void)ctx;
    gt_buf_release(&((struct gt_vcf_batch *)data)->bytes);
}

int gt_vcf_deal_start(struct gt_vcf *vcf, int64_t memory, int64_t block, struct gt_err *err)
{
    static const struct gt_flow_ops ops = {
        .name = "deal", .read_name = "collect", .item_size = sizeof(struct gt_vcf_batch), .read = collect, .release = release_batch};
    const int64_t queue = gt_max_i64(memory / 2, memory - beside_queue(block)), each = BATCH + block;
    const struct gt_flow_opts opts = {.tasks = -1,
                                      .readers = 1,
                                      .memory = queue,
                                      .task_bytes = (size_t)each,
                                      .max_items = (int)gt_max_i64(BATCHES_LEAST, gt_min_i64(BATCHES, queue / each))};
    return gt_flow_start(&vcf->deal.flow, vcf->base.engine, &ops, &opts, vcf, err);
}

/* --- all batches ------------------------------------------------------------------------------ */

/* What one process would say, which knows the number of each line: it is read again from the block delivered last. */
static void say_again(struct gt_vcf *vcf, struct gt_err *err)
{
    struct gt_start plain = {.fields = vcf->parse.fields, .memory = vcf->deal.memory, .at = &vcf->deal.place};
    struct gt_err why = {0};
    void *item;
    int64_t task;
    gt_vcf_deal_stop(vcf);
    gt_vcf_stop_flows(vcf);
    int status = gt_vcf_start_plain(vcf, &plain, &why);
    while (!status && (status = gt_flow_next(vcf->flow, &item, &task, &why)) == GT_OK)
        gt_flow_done(vcf->flow, item);
    if (status > 0)
        *err = why;
}

/* An error on the rank that has the unit is the error of all. */
static int tell_failure(struct gt_vcf *vcf, int status, struct gt_err *err)
{
    struct gt_err why = {0};
    const struct head head = {.status = status};
    if (status == GT_INPUT)
        say_again(vcf, err);
    status = send_all(&vcf->deal, &head, sizeof head, &why);
    if (!status)
        (void)send_all(&vcf->deal, err, sizeof *err, &why);
    return head.status;
}

/* The next own batch into `coming`, unless it is there; none after the last. */
static int own_next(struct gt_vcf_deal *deal, struct gt_err *err)
{
    void *item;
    int64_t task;
    if (deal->coming || deal->ended)
        return GT_OK;
    int status = gt_flow_next(deal->flow, &item, &task, err);
    deal->ended = status == GT_END;
    if (status)
        return deal->ended ? GT_OK : status;
    deal->coming = item;
    return GT_OK;
}

/* On to the next unit; this one counts as if this rank had read it, whichever did. */
static void unit_ends(struct gt_vcf *vcf)
{
    struct gt_vcf_deal *deal = &vcf->deal;
    const int64_t from = deal->units.base + deal->unit++ * deal->units.bytes;
    gt_engine_passed(vcf->base.engine, gt_max_i64(0, gt_min_i64(deal->units.bytes, vcf->input.size - from)));
}

/* The next batch of a unit of this rank, if there is one; sends it to all others. */
static int own_batch(struct gt_vcf *vcf, struct gt_err *err)
{
    struct gt_vcf_deal *deal = &vcf->deal;
    int status = own_next(deal, err);
    if (!status && deal->unit >= deal->damaged && !deal->coming) {
        *err = deal->damage;
        status = deal->damage.status;
    }
    if (status)
        return tell_failure(vcf, status, err);
    struct gt_vcf_batch *batch = deal->coming && deal->coming->unit == deal->unit ? deal->coming : NULL;
    const struct head head = {.bytes = batch ? (int64_t)batch->bytes.len : 0, .last = !batch || batch->last};
    status = send_all(deal, &head, sizeof head, err);
    if (batch && !status)
        status = send_all(deal, batch->bytes.data, batch->bytes.len, err);
    if (head.last)
        unit_ends(vcf);
    if (!batch || status)
        return status;
    deal->batch = batch;
    deal->coming = NULL;
    deal->bytes = &batch->bytes;
    return GT_OK;
}

/* The same of a unit of another rank. */
static int receive_batch(struct gt_vcf *vcf, struct gt_err *err)
{
    struct gt_vcf_deal *deal = &vcf->deal;
    const int from = (int)(deal->unit % deal->comm.size);
    struct head head;
    int status = gt_comm_recv(&deal->comm, from, &head, sizeof head, err);
    if (status)
        return status;
    if (head.status) {
        struct gt_err why;
        status = gt_comm_recv(&deal->comm, from, &why, sizeof why, err);
        if (!status)
            *err = why;
        return head.status;
    }
    status = gt_buf_resize(&deal->received, (size_t)head.bytes, err);
    if (head.bytes && !status)
        status = gt_comm_recv(&deal->comm, from, deal->received.data, (size_t)head.bytes, err);
    if (head.last)
        unit_ends(vcf);
    deal->bytes = &deal->received;
    return status;
}

static void drop_batch(struct gt_vcf_deal *deal)
{
    if (deal->batch)
        gt_flow_done(deal->flow, deal->batch);
    deal->batch = NULL;
    deal->bytes = NULL;
    deal->taken = 0;
}

/* --- blocks ----------------------------------------------------------------------------------- */

static struct gt_block *take_spare(struct gt_vcf *vcf, struct gt_err *err)
{
    struct gt_vcf_deal *deal = &vcf->deal;
    pthread_mutex_lock(&deal->lock);
    struct gt_vcf_spare *spare = deal->spare;
    deal->spare = spare ? spare->next : NULL;
    deal->spares -= spare != NULL;
    pthread_mutex_unlock(&deal->lock);
    if (!spare && (spare = gt_alloc(1, sizeof *spare, err)) != NULL)
        gt_block_init(&spare->block, &vcf->base.engine->budget);
    return spare ? &spare->block : NULL;
}

static void free_spare(struct gt_vcf_spare *spare)
{
    gt_block_release(&spare->block);
    free(spare);
}

void gt_vcf_deal_release(struct gt_vcf *vcf, struct gt_block *block)
{
    struct gt_vcf_deal *deal = &vcf->deal;
    struct gt_vcf_spare *spare = (struct gt_vcf_spare *)block;
    pthread_mutex_lock(&deal->lock);
    const bool full = deal->spares == SPARES;
    if (!full) {
        spare->next = deal->spare;
        deal->spare = spare;
        deal->spares++;
    }
    pthread_mutex_unlock(&deal->lock);
    if (full)
        free_spare(spare);
}

/* The next block of the batch, with its numbers in the whole input. */
static int take_block(struct gt_vcf *vcf, struct gt_block **out, struct gt_err *err)
{
    struct gt_vcf_deal *deal = &vcf->deal;
    struct gt_block *block = take_spare(vcf, err);
    int64_t counts[2];
    if (!block)
        return GT_FAIL;
    memcpy(counts, deal->bytes->data + deal->taken, sizeof counts);
    deal->taken += sizeof counts;
    int status = gt_block_from_message(block, deal->bytes, &deal->taken, err);
    if (status) {
        gt_vcf_deal_release(vcf, block);
        return status;
    }
    block->line = deal->line;
    block->first = deal->record;
    deal->place.virtual_offset = block->virtual_offset;
    deal->place.line = deal->line;
    deal->place.record = deal->record;
    deal->line += counts[0];
    deal->record += counts[1];
    *out = block;
    return GT_OK;
}

int gt_vcf_deal_next(struct gt_vcf *vcf, struct gt_block **out, struct gt_err *err)
{
    struct gt_vcf_deal *deal = &vcf->deal;
    for (;;) {
        if (deal->bytes && deal->taken < deal->bytes->len)
            return take_block(vcf, out, err);
        drop_batch(deal);
        if (deal->unit == deal->units.n)
            return GT_END;
        int status = is_own(deal, deal->unit) ? own_batch(vcf, err) : receive_batch(vcf, err);
        if (status)
            return status;
    }
}

void gt_vcf_deal_stop(struct gt_vcf *vcf)
{
    struct gt_vcf_deal *deal = &vcf->deal;
    gt_flow_free(deal->flow);
    deal->flow = NULL;
    deal->batch = deal->coming = NULL;
    deal->bytes = NULL;
    deal->item = NULL;
}

void gt_vcf_deal_close(struct gt_vcf *vcf)
{
    struct gt_vcf_deal *deal = &vcf->deal;
    gt_vcf_deal_stop(vcf);
    for (struct gt_vcf_spare *spare = deal->spare, *next; spare; spare = next) {
        next = spare->next;
        free_spare(spare);
    }
    gt_buf_release(&deal->own);
    gt_buf_release(&deal->numbers);
    gt_buf_release(&deal->received);
    pthread_mutex_destroy(&deal->lock);
    *deal = (struct gt_vcf_deal){0};
}
