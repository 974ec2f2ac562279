/* The reader of VCF and BCF: bytes -> tickets of whole records -> blocks. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "engine/flow.h"
#include "geno/bytes.h"
#include "geno/reader.h"
#include "geno/vcf_parse.h"
#include "kernels/kernels.h"

#define HEADER_MAX ((size_t)256 << 20)
#define ROOM_STEP ((size_t)1 << 18)
#define ROWS_MORE ((size_t)1 << 20) /* bytes that the rows of a ticket may take beyond its text */

struct vcf {
    struct gt_reader base;
    struct gt_input input;
    struct gt_bytes *bytes;
    struct gt_vcf_header header;
    struct gt_vcf_parse parse;
    struct gt_select_opts select; /* dosage rules */
    bool bcf, fresh;              /* fresh: nothing was read since open */
    struct gt_buf carry;          /* the bytes that follow the header, up to the mark in the stream */
    int64_t header_lines;
    struct gt_names *late; /* contigs missing from the header -> number in info.contigs */
    /* of the pass, touched by the flow's reader only: */
    struct gt_flow *flow;
    struct gt_buf tail;  /* the beginning of a record whose end comes later */
    size_t tail_scanned; /* bytes of tail known to hold no end of record */
    bool end;
    int64_t line, record;
    bool any_gt; /* touched by next only */
};

struct vcf_item {
    struct gt_block block; /* first: next hands it out */
    struct gt_buf text;
    int64_t line, records;
    bool ready;
};

static struct vcf *of_reader(struct gt_reader *reader)
{
    return (struct vcf *)reader;
}

/* --- cutting the bytes at records ----------------------------------------------------- */

static uint32_t u32(const uint8_t *p)
{
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

/* Whole records at the head of data, as bytes and as a number; text records are
 * lines, `records` counts those that are not blank and `lines` all. */
struct cut {
    size_t bytes;
    int64_t records, lines;
};

static struct cut cut_text(const uint8_t *data, size_t n)
{
    struct cut cut = {0};
    const uint8_t *p = data, *end = data + n, *nl;
    for (; p < end && (nl = memchr(p, '\n', (size_t)(end - p))); p = nl + 1) {
        cut.lines++;
        cut.records += nl - p > 1 || (nl - p == 1 && *p != '\r');
    }
    cut.bytes = (size_t)(p - data);
    return cut;
}

/* stride: of the rows; records without FORMAT are short, so their rows are bounded too. */
static struct cut cut_bcf(const uint8_t *data, size_t n, size_t stride)
{
    struct cut cut = {0};
    while (n - cut.bytes >= 8) {
        uint64_t size = (uint64_t)u32(data + cut.bytes) + u32(data + cut.bytes + 4) + 8;
        if (size > n - cut.bytes || (cut.records && (uint64_t)cut.records * stride > cut.bytes + ROWS_MORE))
            break;
        cut.bytes += (size_t)size;
        cut.records++;
    }
    return cut;
}

/* More bytes into tail; vcf->end at their end. */
static int more(struct vcf *vcf, struct gt_err *err)
{
    const struct gt_buf *piece;
    int status = gt_bytes_next(vcf->bytes, &piece, err);
    if (status == GT_END) {
        vcf->end = true;
        return 0;
    }
    if (status)
        return status;
    /* in steps, so that the few buffers that go round reach their size soon */
    size_t room = (vcf->tail.len + piece->len + GT_KERNEL_PAD + ROOM_STEP - 1) / ROOM_STEP * ROOM_STEP;
    (void)gt_buf_reserve(&vcf->tail, room, NULL);
    status = gt_buf_append(&vcf->tail, piece->data, piece->len, err);
    gt_bytes_done(vcf->bytes, piece);
    if (status == GT_NOFIT)
        gt_fail_prefix(err, "'%s', line %lld: a record of more than %zu bytes", vcf->base.info.name, (long long)vcf->line, vcf->tail.len);
    return status;
}

/* The last bytes of the input are no whole record. */
static int finish_tail(struct vcf *vcf, struct gt_err *err)
{
    if (vcf->bcf)
        return gt_fail(err, GT_INPUT, "'%s' is truncated: it ends inside record %lld", vcf->base.info.name, (long long)vcf->record + 1);
    return gt_buf_append(&vcf->tail, "\n", 1, err); /* a last line without its newline */
}

/* Reads on until tail holds a whole record; GT_END when there is none left. */
static int next_records(struct vcf *vcf, struct cut *cut, struct gt_err *err)
{
    struct gt_buf *tail = &vcf->tail;
    int status = 0;
    *cut = (struct cut){0};
    while (!status) {
        if (tail->len > vcf->tail_scanned) {
            /* a line may span many pieces: look for its end in the new bytes only */
            bool none = !vcf->bcf && !memchr(tail->data + vcf->tail_scanned, '\n', tail->len - vcf->tail_scanned);
            vcf->tail_scanned = tail->len;
            if (!none)
                *cut = vcf->bcf ? cut_bcf(tail->data, tail->len, ((size_t)vcf->base.info.n_samples + 3) / 4) : cut_text(tail->data, tail->len);
        }
        if (cut->bytes)
            return 0;
        if (vcf->end && !tail->len)
            return GT_END;
        status = vcf->end ? finish_tail(vcf, err) : more(vcf, err);
    }
    return status;
}

/* Whole records into the item: all of tail up to the end of its last record. */
static int vcf_read(void *ctx, int64_t ticket, void *data, struct gt_err *err)
{
    struct vcf *vcf = ctx;
    struct vcf_item *item = data;
    struct gt_buf *tail = &vcf->tail;
    struct cut cut;
    (void)ticket;
    if (!item->ready) {
        gt_block_init(&item->block, &vcf->base.engine->budget);
        item->text.budget = &vcf->base.engine->budget;
        item->ready = true;
    }
    int status = next_records(vcf, &cut, err);
    if (status)
        return status;
    /* the records stay where they are: the item takes the buffer, the rest moves to a fresh tail */
    item->text.len = 0;
    status = gt_buf_append(&item->text, tail->data + cut.bytes, tail->len - cut.bytes, err);
    if (!status)
        status = gt_buf_reserve(tail, tail->len + GT_KERNEL_PAD, err);
    if (status)
        return status;
    tail->len = cut.bytes;
    gt_buf_swap(&item->text, tail);
    vcf->tail_scanned = 0;
    item->line = vcf->line;
    item->records = cut.records;
    item->block.first = vcf->record;
    vcf->line += cut.lines;
    vcf->record += cut.records;
    gt_flow_bytes((int64_t)item->text.len);
    return 0;
}

static int vcf_work(void *ctx, int64_t ticket, void *data, struct gt_err *err)
{
    struct vcf *vcf = ctx;
    struct vcf_item *item = data;
    struct gt_block *block = &item->block;
    int64_t first = block->first;
    (void)ticket;
    gt_block_clear(block);
    block->first = first;
    int status = vcf->bcf ? gt_vcf_parse_bcf(&vcf->parse, item->text.data, item->text.len, item->records, block, err)
                          : gt_vcf_parse_text(&vcf->parse, (char *)item->text.data, item->text.len, item->line, item->records, block, err);
    gt_flow_bytes((int64_t)item->text.len);
    return status ? status : gt_filter_block(vcf->parse.filter, block, err);
}

static void vcf_release(void *ctx, void *data)
{
    struct vcf_item *item = data;
    (void)ctx;
    gt_block_release(&item->block);
    gt_buf_release(&item->text);
}

/* --- the reader ----------------------------------------------------------------------- */

/* What did not fit is told by the buffers, whose it was here. */
static int name_nofit(const struct vcf *vcf, int status, struct gt_err *err)
{
    if (status == GT_NOFIT)
        gt_fail_prefix(err, "'%s'", vcf->base.info.name);
    return status;
}

/* Bytes of a ticket: a piece of the stream, or a record where those are larger. */
static size_t ticket_bytes(const struct vcf *vcf, unsigned fields)
{
    size_t text = (size_t)1 << 20, samples = (size_t)vcf->base.info.n_samples;
    struct cut one = {0};
    if (!vcf->bcf) {
        const uint8_t *nl = vcf->carry.len ? memchr(vcf->carry.data, '\n', vcf->carry.len) : NULL;
        one.bytes = nl ? (size_t)(nl - vcf->carry.data) : vcf->carry.len;
    }
    if (one.bytes > text)
        text = one.bytes + one.bytes / 2;
    /* a GT-only line is four bytes a sample and its row a sixteenth of that */
    return text + text / 8 + (text / (4 * samples + 100) + 1) * (fields ? 192 : 0);
}

static int vcf_start(struct gt_reader *reader, const struct gt_filter *filter, unsigned fields, int64_t memory, struct gt_err *err)
{
    static const struct gt_flow_ops ops = {.name = "vcf",
                                           .read_name = "cut",
                                           .work_name = "parse",
                                           .item_size = sizeof(struct vcf_item),
                                           .read = vcf_read,
                                           .work = vcf_work,
                                           .release = vcf_release};
    struct vcf *vcf = of_reader(reader);
    int status = vcf->fresh ? 0 : gt_bytes_rewind(vcf->bytes, err);
    vcf->fresh = false;
    vcf->tail.len = vcf->tail_scanned = 0;
    if (!status)
        status = gt_buf_append(&vcf->tail, vcf->carry.data, vcf->carry.len, err);
    if (status)
        return name_nofit(vcf, status, err);
    vcf->end = false;
    vcf->line = vcf->header_lines + 1;
    vcf->record = 0;
    vcf->any_gt = false;
    vcf->parse = (struct gt_vcf_parse){
        .header = &vcf->header,
        .info = &reader->info,
        .filter = filter,
        .keep = gt_filter_keep(filter),
        .want_seen = gt_filter_wants_seen(filter),
        .split = gt_filter_splits(filter),
        .fields = fields,
        .haploid_alt = vcf->select.haploid == 1 ? 1 : 2,
        .half_call = vcf->select.half_call,
    };
    if ((status = gt_bytes_start(vcf->bytes, memory / 3, err)) != 0)
        return status;
    struct gt_flow_opts opts = {.tickets = -1, .readers = 1, .memory = memory - memory / 3, .ticket_bytes = ticket_bytes(vcf, fields)};
    status = gt_flow_start(&vcf->flow, reader->engine, &ops, &opts, vcf, err);
    if (status)
        gt_bytes_stop(vcf->bytes);
    return status;
}

/* Contigs that the header lacks get their numbers here, in the order of the file. */
static int late_contig(struct vcf *vcf, const char *name, int32_t *number, struct gt_err *err)
{
    struct gt_source_info *info = &vcf->base.info;
    size_t known = info->contigs.n;
    int64_t at = 0;
    int status = gt_names_number(vcf->late, &info->contigs, name, strlen(name), &at, err);
    *number = (int32_t)at;
    if (status || (size_t)at < known)
        return status;
    struct gt_str text = {0};
    gt_str_addf(&text, "'%s': contig '%s' is not in the header: it is added", info->name, name);
    status = gt_str_check(&text, err);
    if (!status)
        status = gt_strs_add(&vcf->base.warnings, text.s, text.len, err);
    gt_str_release(&text);
    return status;
}

static int number_contigs(struct vcf *vcf, struct gt_block *block, struct gt_err *err)
{
    if (!block->new_contigs.n)
        return 0;
    int32_t *numbers = gt_alloc(block->new_contigs.n, sizeof *numbers, err);
    int status = numbers ? 0 : GT_FAIL;
    for (size_t i = 0; i < block->new_contigs.n && !status; i++)
        status = late_contig(vcf, gt_strs_get(&block->new_contigs, i), &numbers[i], err);
    struct gt_site *sites = gt_block_sites(block);
    for (int64_t v = 0; !status && block->sites.len && v < block->n; v++)
        if (sites[v].contig < 0)
            sites[v].contig = numbers[-1 - sites[v].contig];
    free(numbers);
    return status;
}

static int vcf_next(struct gt_reader *reader, struct gt_block **block, struct gt_err *err)
{
    struct vcf *vcf = of_reader(reader);
    void *item;
    int64_t ticket;
    int status = gt_flow_next(vcf->flow, &item, &ticket, err);
    if (status == GT_END && vcf->record && !vcf->any_gt && vcf->base.info.n_samples)
        return gt_fail(err, GT_INPUT, "'%s' has no genotypes: no record has a GT field", vcf->base.info.name);
    if (status)
        return name_nofit(vcf, status, err);
    *block = item;
    vcf->any_gt |= (*block)->has_gt;
    status = number_contigs(vcf, *block, err);
    if (status)
        gt_flow_done(vcf->flow, item);
    return status;
}

static void vcf_done(struct gt_reader *reader, struct gt_block *block)
{
    gt_flow_done(of_reader(reader)->flow, block);
}

static void vcf_stop(struct gt_reader *reader)
{
    struct vcf *vcf = of_reader(reader);
    gt_flow_free(vcf->flow);
    vcf->flow = NULL;
    gt_bytes_stop(vcf->bytes);
}

static void vcf_close(struct vcf *vcf)
{
    gt_bytes_free(vcf->bytes);
    gt_vcf_header_release(&vcf->header);
    gt_buf_release(&vcf->carry);
    gt_buf_release(&vcf->tail);
    gt_names_free(vcf->late);
    gt_reader_base_release(&vcf->base);
    free(vcf);
}

static void vcf_free(struct gt_reader *reader)
{
    struct vcf *vcf = of_reader(reader);
    vcf_stop(reader);
    gt_input_release(&vcf->input);
    vcf_close(vcf);
}

static const struct gt_reader_ops vcf_ops = {vcf_start, vcf_next, vcf_done, vcf_stop, vcf_free};

/* --- the header -------------------------------------------------------------------------- */

/* Bytes of the header at the head of `text`: up to and with the #CHROM line; 0 = not
 * all is there yet. */
static size_t text_header(const struct gt_buf *text, size_t *from, bool *no_header)
{
    const char *p = (const char *)text->data + *from, *end = (const char *)text->data + text->len;
    for (const char *nl; p < end && (nl = memchr(p, '\n', (size_t)(end - p))); p = nl + 1) {
        if (*p != '#') {
            *no_header = true;
            return 0;
        }
        if (end - p > 1 && p[1] != '#')
            return (size_t)(nl + 1 - (const char *)text->data);
    }
    *from = (size_t)(p - (const char *)text->data); /* the line that is not whole yet */
    return 0;
}

/* BCF: "BCF\2\2", the length of the header's text, the text. */
static int bcf_header(const struct vcf *vcf, const struct gt_buf *text, size_t *size, struct gt_err *err)
{
    *size = 0;
    if (text->len < 9)
        return 0;
    if (memcmp(text->data, "BCF\2", 4) != 0)
        return gt_fail(err, GT_INPUT, "'%s' is no BCF2 file", vcf->base.info.name);
    size_t n = u32(text->data + 5);
    if (n > HEADER_MAX)
        return gt_fail(err, GT_INPUT, "'%s': bad BCF header: it says it has %zu bytes", vcf->base.info.name, n);
    if (text->len - 9 >= n)
        *size = n + 9;
    return 0;
}

/* Reads on until the header is whole; its size into *size. */
static int read_header(struct vcf *vcf, size_t *size, struct gt_err *err)
{
    struct gt_buf *text = &vcf->carry;
    size_t from = 0;
    bool no_header = false;
    *size = 0;
    for (;;) {
        int status = gt_bytes_pull(vcf->bytes, text, err);
        if (status > 0)
            return status;
        if (status == GT_END) {
            if (vcf->bcf || (!from && text->len == 0))
                return gt_fail(err, GT_INPUT, "'%s' is truncated: it ends inside its header", vcf->base.info.name);
            if (text->data[text->len - 1] == '\n')
                return gt_fail(err, GT_INPUT, "'%s': bad VCF header: there is no #CHROM line", vcf->base.info.name);
            status = gt_buf_append(text, "\n", 1, err);
            if (status)
                return status;
        }
        if (vcf->bcf)
            status = bcf_header(vcf, text, size, err);
        else
            *size = text_header(text, &from, &no_header);
        if (status > 0 || *size)
            return status > 0 ? status : 0;
        if (no_header)
            return gt_fail(err, GT_INPUT, "'%s': bad VCF header: there is no #CHROM line before the records", vcf->base.info.name);
        if (text->len > HEADER_MAX)
            return gt_fail(err, GT_INPUT, "'%s': bad VCF header: it is longer than %zu MiB", vcf->base.info.name, HEADER_MAX >> 20);
    }
}

static int parse_header(struct vcf *vcf, size_t size, struct gt_err *err)
{
    size_t from = vcf->bcf ? 9 : 0;
    struct gt_source_info *info = &vcf->base.info;
    size_t n = size - from;
    while (vcf->bcf && n && vcf->carry.data[from + n - 1] == '\0') /* NULs end BCF's text */
        n--;
    char *text = gt_alloc(n + 1, 1, err);
    if (!text)
        return GT_FAIL;
    memcpy(text, vcf->carry.data + from, n);
    for (size_t i = 0; i < n; i++)
        vcf->header_lines += text[i] == '\n';
    int status = gt_vcf_header_parse(&vcf->header, info, text, n, err);
    free(text);
    if (status)
        return status;
    info->open_contigs = !vcf->bcf;
    info->n_variants = info->n_variants_max = -1;
    info->has = GT_HAS_CONTIGS | GT_HAS_POSITIONS | GT_HAS_ALLELES | GT_HAS_FILTERS | GT_HAS_CALLS;
    memmove(vcf->carry.data, vcf->carry.data + size, vcf->carry.len - size);
    vcf->carry.len -= size;
    return 0;
}

/* Some of the first record, so that tickets can be sized by it. */
static int read_first_line(struct vcf *vcf, struct gt_err *err)
{
    size_t enough = (size_t)64 << 20;
    int status = 0;
    while (!status && !vcf->bcf && vcf->carry.len < enough && !memchr(vcf->carry.data, '\n', vcf->carry.len))
        status = gt_bytes_pull(vcf->bytes, &vcf->carry, err);
    gt_bytes_mark(vcf->bytes);
    return status == GT_END ? 0 : status;
}

int gt_reader_open_vcf(struct gt_reader **out, struct gt_engine *engine, struct gt_input *input, const struct gt_select_opts *select,
                       struct gt_err *err)
{
    struct vcf *vcf = gt_alloc(1, sizeof *vcf, err);
    size_t size;
    if (!vcf)
        return GT_FAIL;
    vcf->base.ops = &vcf_ops;
    vcf->base.engine = engine;
    vcf->base.can_restart = input->seekable;
    vcf->base.info.name = gt_strdup(input->name, err);
    vcf->base.info.contig_lengths.budget = vcf->carry.budget = vcf->tail.budget = &engine->budget;
    vcf->input = *input;
    vcf->select = select ? *select : (struct gt_select_opts)GT_SELECT_ALL;
    vcf->bcf = input->kind == GT_KIND_BCF;
    vcf->base.info.kind = gt_strdup(vcf->bcf ? "BCF" : "VCF", err);
    vcf->fresh = true;
    vcf->late = gt_names_new(err);
    int status = vcf->base.info.name && vcf->base.info.kind && vcf->late ? gt_bytes_open(&vcf->bytes, engine, &vcf->input, err) : GT_FAIL;
    if (!status)
        status = read_header(vcf, &size, err);
    if (!status)
        status = parse_header(vcf, size, err);
    if (!status)
        status = read_first_line(vcf, err);
    if (status) {
        name_nofit(vcf, status, err);
        vcf_close(vcf);
        return status;
    }
    *out = &vcf->base;
    return 0;
}
