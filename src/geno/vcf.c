/* The reader of VCF and BCF: bytes -> tickets of whole records -> blocks. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "geno/vcf_impl.h"

static struct gt_vcf *of_reader(struct gt_reader *reader)
{
    return (struct gt_vcf *)reader;
}

static int parse_piece(const struct gt_vcf *vcf, struct gt_vcf_item *item, struct gt_err *err)
{
    struct gt_vcf_text text = {.text = (char *)item->piece->text.data + item->from,
                               .n = item->to - item->from,
                               .line = item->line + item->first.lines,
                               .record = item->block.first + item->first.records,
                               .records = item->rest.records};
    return gt_vcf_parse_text(&vcf->parse, &text, &item->block, err);
}

static int vcf_work(void *ctx, int64_t ticket, void *data, struct gt_err *err)
{
    struct gt_vcf *vcf = ctx;
    struct gt_vcf_item *item = data;
    struct gt_block *block = &item->block;
    struct gt_vcf_text text = {.text = (char *)item->joined.data,
                               .n = item->joined.len,
                               .line = item->line,
                               .record = block->first,
                               .records = item->first.records};
    int status;
    (void)ticket;
    gt_block_clear(block);
    block->first = text.record;
    status = vcf->bcf ? gt_vcf_parse_bcf(&vcf->parse, &text, block, err) : gt_vcf_parse_text(&vcf->parse, &text, block, err);
    if (item->piece) {
        status = status ? status : parse_piece(vcf, item, err);
        gt_bytes_done(vcf->bytes, item->piece);
        item->piece = NULL;
    }
    gt_flow_bytes((int64_t)(item->joined.len + item->to - item->from));
    if (item->unseen)
        gt_filter_unseen(vcf->parse.filter, block, item->unseen);
    return status ? status : gt_filter_block(vcf->parse.filter, block, err);
}

static void vcf_release(void *ctx, void *data)
{
    struct gt_vcf_item *item = data;
    (void)ctx;
    gt_block_release(&item->block);
    gt_buf_release(&item->joined);
}

/* --- the reader ----------------------------------------------------------------------- */

/* What did not fit is told by the buffers, whose it was here. */
static int name_nofit(const struct gt_vcf *vcf, int status, struct gt_err *err)
{
    if (status == GT_NOFIT)
        gt_fail_prefix(err, "'%s'", vcf->base.info.name);
    return status;
}

/* Bytes of a ticket: of text, what is made of a piece, and a record where it ends in it;
 * of BCF the records too. */
static size_t ticket_bytes(const struct gt_vcf *vcf, unsigned fields)
{
    size_t piece = (size_t)1 << 19, text = 2 * piece, samples = (size_t)vcf->base.info.n_samples, joined = text;
    if (!vcf->bcf) {
        const uint8_t *nl = vcf->carry.len ? memchr(vcf->carry.data, '\n', vcf->carry.len) : NULL;
        joined = nl ? (size_t)(nl - vcf->carry.data) : vcf->carry.len;
        joined += joined / 2;
        text = joined > piece ? joined : piece;
    }
    /* a GT-only line is four bytes a sample and its row a sixteenth of that */
    return joined + text / 8 + (text / (4 * samples + 100) + 1) * (fields ? 192 : 0);
}

static int begin_pass(struct gt_vcf *vcf, const struct gt_filter *filter, unsigned fields, struct gt_err *err)
{
    int status = vcf->fresh ? 0 : gt_bytes_rewind(vcf->bytes, err);
    vcf->fresh = false;
    vcf->tail.len = 0;
    vcf->end = vcf->apart = vcf->begun = vcf->unseen_told = vcf->any_gt = false;
    vcf->line = vcf->header_lines + 1;
    vcf->record = 0;
    if (!status)
        status = gt_vcf_use_index(vcf, filter, err);
    if (!status && !vcf->limited)
        status = gt_buf_append(&vcf->tail, vcf->carry.data, vcf->carry.len, err);
    vcf->parse = (struct gt_vcf_parse){
        .header = &vcf->header,
        .info = &vcf->base.info,
        .filter = filter,
        .keep = gt_filter_keep(filter),
        .want_seen = gt_filter_wants_seen(filter),
        .split = gt_filter_splits(filter),
        .numbered = !vcf->limited,
        .fields = fields,
        .haploid_alt = vcf->select.haploid == 1 ? 1 : 2,
        .half_call = vcf->select.half_call,
    };
    return status;
}

static int vcf_start(struct gt_reader *reader, const struct gt_filter *filter, unsigned fields, int64_t memory, struct gt_err *err)
{
    static const struct gt_flow_ops ops = {.name = "vcf",
                                           .read_name = "cut",
                                           .work_name = "parse",
                                           .item_size = sizeof(struct gt_vcf_item),
                                           .read = gt_vcf_read,
                                           .work = vcf_work,
                                           .release = vcf_release};
    struct gt_vcf *vcf = of_reader(reader);
    /* text is parsed where it was inflated, BCF where it was put together */
    int64_t pieces = vcf->bcf ? memory / 3 : memory / 3 * 2;
    int status = begin_pass(vcf, filter, fields, err);
    if (!status)
        status = gt_bytes_start(vcf->bytes, !vcf->bcf, pieces, err);
    if (status)
        return name_nofit(vcf, status, err);
    struct gt_flow_opts opts = {.tickets = -1, .readers = 1, .memory = memory - pieces, .ticket_bytes = ticket_bytes(vcf, fields)};
    status = gt_flow_start(&vcf->flow, reader->engine, &ops, &opts, vcf, err);
    if (status)
        gt_bytes_stop(vcf->bytes);
    return status;
}

/* Contigs that the header lacks get their numbers here, in the order of the file. */
static int late_contig(struct gt_vcf *vcf, const char *name, int32_t *number, struct gt_err *err)
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

static int number_contigs(struct gt_vcf *vcf, struct gt_block *block, struct gt_err *err)
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
    struct gt_vcf *vcf = of_reader(reader);
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
    struct gt_vcf *vcf = of_reader(reader);
    gt_flow_free(vcf->flow);
    vcf->flow = NULL;
    gt_bytes_stop(vcf->bytes);
}

static void vcf_close(struct gt_vcf *vcf)
{
    gt_bytes_free(vcf->bytes);
    gt_vcf_header_release(&vcf->header);
    gt_buf_release(&vcf->carry);
    gt_buf_release(&vcf->tail);
    gt_buf_release(&vcf->stretches);
    gt_index_free(vcf->index);
    gt_names_free(vcf->late);
    gt_reader_base_release(&vcf->base);
    free(vcf);
}

static void vcf_free(struct gt_reader *reader)
{
    struct gt_vcf *vcf = of_reader(reader);
    vcf_stop(reader);
    gt_input_release(&vcf->input);
    vcf_close(vcf);
}

static const struct gt_reader_ops vcf_ops = {vcf_start, vcf_next, vcf_done, vcf_stop, vcf_free};

int gt_reader_open_vcf(struct gt_reader **out, struct gt_engine *engine, struct gt_input *input, const struct gt_select_opts *select,
                       struct gt_err *err)
{
    struct gt_vcf *vcf = gt_alloc(1, sizeof *vcf, err);
    if (!vcf)
        return GT_FAIL;
    vcf->base.ops = &vcf_ops;
    vcf->base.engine = engine;
    vcf->base.can_restart = input->seekable;
    vcf->base.info.name = gt_strdup(input->name, err);
    vcf->base.info.contig_lengths.budget = vcf->carry.budget = vcf->tail.budget = vcf->stretches.budget = &engine->budget;
    vcf->input = *input;
    vcf->select = select ? *select : (struct gt_select_opts)GT_SELECT_ALL;
    vcf->bcf = input->kind == GT_KIND_BCF;
    vcf->base.info.kind = gt_strdup(vcf->bcf ? "BCF" : "VCF", err);
    vcf->fresh = true;
    vcf->late = gt_names_new(err);
    int status = vcf->base.info.name && vcf->base.info.kind && vcf->late ? gt_bytes_open(&vcf->bytes, engine, &vcf->input, err) : GT_FAIL;
    if (!status)
        status = gt_vcf_read_header(vcf, err);
    if (status) {
        name_nofit(vcf, status, err);
        vcf_close(vcf);
        return status;
    }
    *out = &vcf->base;
    return 0;
}
