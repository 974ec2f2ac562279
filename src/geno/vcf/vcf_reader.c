/* The reader of VCF and BCF: bytes -> tasks of whole records -> blocks. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/mem.h"
#include "core/base/size.h"
#include "core/engine/memory_plan.h"
#include "geno/vcf/vcf_internal.h"
#include "geno/vcf/vcf_reader.h"

static struct gt_vcf *of_stage(struct gt_stage *stage)
{
    return (struct gt_vcf *)stage;
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

static int vcf_work(void *ctx, int64_t task, void *data, struct gt_err *err)
{
    struct gt_vcf *vcf = ctx;
    struct gt_vcf_item *item = data;
    struct gt_block *block = &item->block;
    struct gt_vcf_text text = {.text = (char *)item->joined.data,
                               .n = item->joined.len,
                               .line = item->line,
                               .record = block->first,
                               .records = item->first.records,
                               .first_alt = item->first_alt,
                               .after = item->after};
    int status;
    (void)task;
    gt_block_clear(block);
    block->first = text.record;
    block->virtual_offset = item->virtual_offset;
    block->line = item->line;
    block->begun = item->first_alt > 1;
    status = item->rows ? gt_expect_rows(&vcf->parse, block, item->rows, err) : GT_OK;
    if (!status)
        status = vcf->bcf ? gt_vcf_parse_bcf(&vcf->parse, &text, block, err) : gt_vcf_parse_text(&vcf->parse, &text, block, err);
    if (item->piece) {
        status = status ? status : parse_piece(vcf, item, err);
        gt_bytes_done(vcf->bytes, item->piece);
        item->piece = NULL;
    }
    gt_flow_bytes((int64_t)(item->joined.len + item->to - item->from));
    if (item->unseen)
        gt_filter_add_skipped(vcf->parse.filter, block, item->unseen);
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

/* The buffer that did not fit reports the error. */
static int name_nofit(const struct gt_vcf *vcf, int status, struct gt_err *err)
{
    if (status == GT_NOFIT)
        gt_fail_prefix(err, "'%s'", vcf->base.info.name);
    return status;
}

/* Bytes of a record, about: of the first one, or of GT alone. */
static size_t record_bytes(const struct gt_vcf *vcf)
{
    size_t samples = (size_t)vcf->base.info.n_samples, minimum = (vcf->bcf ? samples : 2 * samples) + 24;
    const uint8_t *nl = vcf->bcf || !vcf->carry.len ? NULL : memchr(vcf->carry.data, '\n', vcf->carry.len);
    size_t first = nl ? (size_t)(nl + 1 - vcf->carry.data) : vcf->bcf ? 0 : vcf->carry.len;
    return first > minimum ? first : minimum;
}

static bool splits(const struct gt_vcf *vcf)
{
    return vcf->base.filter && gt_filter_splits(vcf->base.filter);
}

/* Records of a task whose segments have n bytes, about, in so many bytes that were put together. */
static size_t records_of(const struct gt_vcf *vcf, size_t n, size_t *joined)
{
    const size_t record = record_bytes(vcf);
    *joined = vcf->bcf ? 2 * (n + record) : record + record / 2 + GT_VCF_ROOM_STEP;
    return (vcf->bcf ? *joined : n) / record + 2;
}

/* Rows of a task, where records are split: what is more is for the next ones. */
static size_t most_rows(const struct gt_vcf *vcf, size_t n)
{
    size_t joined;
    return 2 * records_of(vcf, n, &joined);
}

#define TASK_MORE (64 << 10) /* for sites whose texts are longer than those of the first records */

/* Memory of a task whose segments have n bytes: joined records, rows and sites. */
static size_t task_bytes(const struct gt_vcf *vcf, unsigned fields, size_t n)
{
    size_t joined, records = records_of(vcf, n, &joined), row = ((size_t)vcf->base.info.n_samples + 3) / 4;
    row += fields & GT_SITE_PHASES ? row : 0;
    row += fields & GT_SITE_HAPLOTYPES ? gt_haplotype_stride(vcf->base.info.n_samples) : 0;
    joined += fields & GT_SITE_CALLS ? 3 * records * (size_t)vcf->base.info.n_samples : 0;
    joined += fields & GT_SITE_RECORD ? n + n / 2 + joined : 0;
    joined += splits(vcf) && !vcf->bcf ? n : 0; /* copies of lines */
    return joined + 2 * records * row + (splits(vcf) ? most_rows(vcf, n) : records) * (fields ? 280 : 16) + TASK_MORE;
}

/* The beginning of a record is kept in addition to the tasks, in a buffer that goes round. */
static int64_t tail_bytes(const struct gt_vcf *vcf)
{
    return (splits(vcf) ? 3 : 2) * (int64_t)(record_bytes(vcf) + GT_VCF_ROOM_STEP);
}

static void deal_needs(const struct gt_vcf *vcf, unsigned fields, int64_t *minimum, int64_t *preferred)
{
    gt_vcf_deal_needs((int64_t)task_bytes(vcf, fields, GT_BYTES_MIN), (int64_t)task_bytes(vcf, fields, GT_BYTES_SEGMENT), minimum,
                      preferred);
}

static void vcf_needs(const struct gt_stage *stage, unsigned fields, struct gt_stage_needs *needs)
{
    const struct gt_vcf *vcf = (const struct gt_vcf *)stage;
    int64_t pieces_minimum, pieces_preferred;
    gt_bytes_needs(vcf->bytes, &pieces_minimum, &pieces_preferred);
    needs->minimum = pieces_minimum + tail_bytes(vcf) + (int64_t)task_bytes(vcf, fields, GT_BYTES_MIN);
    needs->preferred = gt_bytes_add(pieces_preferred + tail_bytes(vcf),
                                    gt_memory_plan_of_flow(vcf->base.engine, 1, (int64_t)task_bytes(vcf, fields, GT_BYTES_SEGMENT)));
    if (vcf->base.deal && vcf->base.can_deal) {
        int64_t unused, preferred; /* the minimum is that of one process, which chunk shapes may depend on */
        deal_needs(vcf, fields, &unused, &preferred);
        needs->preferred = gt_bytes_add(needs->preferred, preferred);
    }
    needs->block =
        splits(vcf) ? (int64_t)most_rows(vcf, GT_BYTES_SEGMENT) : (int64_t)((vcf->bcf ? 2 : 1) * GT_BYTES_SEGMENT / record_bytes(vcf)) + 2;
}

/* Sets vcf->dealt: where memory is scarce, rank 0 decides that each rank parses all. */
static int deal(struct gt_vcf *vcf, const struct gt_start *start, struct gt_err *err)
{
    struct gt_stage_needs needs;
    int64_t more, unused;
    vcf_needs(&vcf->base.stage, start->fields, &needs);
    deal_needs(vcf, start->fields, &more, &unused);
    vcf->dealt = true; /* gt_vcf_deal_close is called */
    int status = gt_bytes_rewind(vcf->bytes, err);
    status = status ? status : gt_vcf_deal_open(vcf, start, start->memory >= needs.minimum + more, err);
    if (!status && !vcf->deal.units.n) {
        gt_vcf_deal_close(vcf);
        vcf->dealt = false;
    }
    return status;
}

/* Of a pass that is dealt: memory for blocks on their way between ranks; the more there are, the less often a rank waits for the others. */
static int64_t deal_memory(const struct gt_vcf *vcf, const struct gt_start *start)
{
    struct gt_stage_needs needs;
    int64_t least, wanted;
    vcf_needs(&vcf->base.stage, start->fields, &needs);
    deal_needs(vcf, start->fields, &least, &wanted);
    const int64_t left = start->memory - (needs.preferred - wanted);
    return gt_max_i64(least, gt_min_i64(wanted, gt_max_i64(left, start->memory / 4)));
}

/* may_deal: this is a pass of the stage, not the second look of a rank at an error. */
static int begin_pass(struct gt_vcf *vcf, const struct gt_start *start, bool may_deal, struct gt_err *err)
{
    const struct gt_filter *filter = vcf->base.filter;
    const struct gt_checkpoint *at = start->at && start->at->virtual_offset != UINT64_MAX ? start->at : NULL;
    int status = vcf->fresh ? 0 : gt_bytes_rewind(vcf->bytes, err);
    vcf->fresh = false;
    vcf->tail.len = 0;
    vcf->end = vcf->apart = vcf->begun = vcf->unseen_told = vcf->any_gt = false;
    vcf->line = vcf->header_lines + 1;
    vcf->record = 0;
    vcf->tail_offset = UINT64_MAX;
    vcf->alt = 1;
    gt_vcf_drop_rest(vcf);
    if (!status)
        status = gt_vcf_use_index(vcf, filter, err);
    if (vcf->limited)
        gt_engine_pass(vcf->base.engine, 0); /* a part is read, here and there */
    if (!status && may_deal && gt_vcf_can_deal(vcf, start))
        status = deal(vcf, start, err);
    if (may_deal && vcf->dealt) {
        vcf->line = vcf->record = 0; /* of this rank's lines alone */
    } else if (!status && at && !vcf->limited) {
        status = gt_bytes_rewind(vcf->bytes, err);
        status = status ? status : gt_bytes_seek(vcf->bytes, at->virtual_offset, err);
        vcf->line = at->line;
        vcf->record = at->record;
    } else if (!status && !vcf->limited) {
        status = gt_buf_append(&vcf->tail, vcf->carry.data, vcf->carry.len, err);
        gt_engine_passed(vcf->base.engine, gt_bytes_before(vcf->bytes)); /* the header and what was read with it */
    }
    struct gt_select_opts select = vcf->select;
    select.data_ploidy = gt_filter_opts(filter)->data_ploidy;
    vcf->parse = (struct gt_vcf_parse){
        .header = &vcf->header,
        .info = &vcf->base.info,
        .filter = filter,
        .rule = gt_dosage_rule(&select, gt_filter_keep(filter)),
        .want_seen = gt_filter_wants_seen(filter),
        .split = gt_filter_splits(filter),
        .numbered = !vcf->limited,
        .fields = start->fields,
    };
    return status;
}

static int start_pass(struct gt_vcf *vcf, const struct gt_start *start, bool may_deal, struct gt_err *err)
{
    static const struct gt_flow_ops ops = {.name = "vcf",
                                           .read_name = "split lines",
                                           .work_name = "parse",
                                           .item_size = sizeof(struct gt_vcf_item),
                                           .read = gt_vcf_read,
                                           .work = vcf_work,
                                           .release = vcf_release};
    int64_t pieces, wanted, more;
    int status = begin_pass(vcf, start, may_deal, err);
    if (status)
        return name_nofit(vcf, status, err);
    gt_bytes_needs(vcf->bytes, &pieces, &wanted);
    const int64_t dealt = may_deal && vcf->dealt ? deal_memory(vcf, start) : 0, memory = start->memory - dealt;
    /* text is parsed where it was inflated, BCF where it was put together */
    more = memory - pieces - tail_bytes(vcf) - (int64_t)task_bytes(vcf, start->fields, GT_BYTES_MIN);
    pieces += more <= 0 ? 0 : vcf->bcf ? more / 3 : more / 3 * 2;
    status = gt_bytes_start(vcf->bytes, !vcf->bcf, pieces, err);
    if (status)
        return name_nofit(vcf, status, err);
    struct gt_flow_opts opts = {.tasks = -1, .readers = 1, .memory = memory - pieces};
    opts.task_bytes = task_bytes(vcf, start->fields, gt_bytes_segment_bytes(vcf->bytes));
    vcf->most_rows = splits(vcf) ? (int64_t)most_rows(vcf, gt_bytes_segment_bytes(vcf->bytes)) : 0;
    status = gt_flow_start(&vcf->flow, vcf->base.engine, &ops, &opts, vcf, err);
    if (!status && dealt)
        status = gt_vcf_deal_start(vcf, dealt, (int64_t)opts.task_bytes, err);
    if (status)
        gt_vcf_stop_flows(vcf);
    return status;
}

static int vcf_start(struct gt_stage *stage, struct gt_start *start, struct gt_err *err)
{
    return start_pass(of_stage(stage), start, true, err);
}

int gt_vcf_start_plain(struct gt_vcf *vcf, struct gt_start *start, struct gt_err *err)
{
    return start_pass(vcf, start, false, err);
}

/* --- what the header lacks --------------------------------------------------------------- */

/* Names that the header lacks get their numbers here, in the order of the file: the k-th of
 * `fresh` is (*numbers)[k], malloc'ed. */
static int number_late(struct gt_vcf_late *late, struct gt_strs *table, const struct gt_strs *fresh, int32_t **numbers, struct gt_err *err)
{
    int status = 0;
    if (!late->names && !(late->names = gt_names_new(table->budget, err)))
        return GT_FAIL;
    if (!(*numbers = gt_alloc(fresh->n, sizeof **numbers, err)))
        return GT_FAIL;
    for (size_t k = 0; k < fresh->n && !status; k++) {
        const char *name = gt_strs_get(fresh, k);
        size_t known = table->n;
        int64_t at = 0;
        status = gt_names_number(late->names, table, name, strlen(name), &at, err);
        (*numbers)[k] = (int32_t)at;
        late->first = late->n || status ? late->first : at;
        late->n += (int64_t)(table->n - known);
    }
    return status;
}

static int number_contigs(struct gt_vcf *vcf, struct gt_block *block, struct gt_err *err)
{
    int32_t *numbers = NULL;
    int status = number_late(&vcf->late_contigs, &vcf->base.info.contigs, &block->new_contigs, &numbers, err);
    struct gt_site *sites = gt_block_sites(block);
    for (int64_t v = 0; !status && block->sites.len && v < block->n; v++)
        if (sites[v].contig < 0)
            sites[v].contig = numbers[-1 - sites[v].contig];
    free(numbers);
    return status;
}

static int number_filters(struct gt_vcf *vcf, struct gt_block *block, struct gt_err *err)
{
    int32_t *numbers = NULL, *filters = (int32_t *)block->filters.data;
    int status = number_late(&vcf->late_filters, &vcf->base.info.filters, &block->new_filters, &numbers, err);
    for (size_t i = 0; !status && i < block->filters.len / sizeof *filters; i++)
        if (filters[i] < 0)
            filters[i] = numbers[-1 - filters[i]];
    free(numbers);
    return status;
}

/* At the end of a pass that has met some: one warning, with their number. */
static int warn_late(struct gt_vcf *vcf, struct gt_vcf_late *late, const struct gt_strs *table, const char *what, struct gt_err *err)
{
    struct gt_strs *warnings = &vcf->base.warnings;
    if (late->n == late->warned)
        return 0;
    const char *first = gt_strs_get(table, (size_t)late->first), *name = vcf->base.info.name;
    late->warned = late->n;
    if (late->n == 1)
        return gt_strs_addf(warnings, err, "'%s': %s '%s' is not in the header: it is added", name, what, first);
    return gt_strs_addf(warnings, err, "'%s': %lld %ss are not in the header, '%s' the first: they are added", name, (long long)late->n,
                        what, first);
}

/* --- blocks ---------------------------------------------------------------------------------- */

static int end_pass(struct gt_vcf *vcf, struct gt_err *err)
{
    struct gt_geno_info *info = &vcf->base.info;
    if (vcf->dealt)
        vcf->record = vcf->deal.record;
    if (vcf->record && !vcf->any_gt && !vcf->select.records)
        return gt_fail(err, GT_INPUT, "'%s' has no genotypes: no record%s has a GT field", info->name,
                       vcf->limited ? " in these regions" : "");
    vcf->base.counted = vcf->limited ? gt_index_records(vcf->index) : vcf->record;
    int status = warn_late(vcf, &vcf->late_contigs, &info->contigs, "contig", err);
    if (!status)
        status = warn_late(vcf, &vcf->late_filters, &info->filters, "FILTER", err);
    return status ? status : GT_END;
}

static int next_block(struct gt_vcf *vcf, struct gt_block **block, struct gt_err *err)
{
    void *item;
    int64_t task;
    if (vcf->dealt)
        return gt_vcf_deal_next(vcf, block, err);
    int status = gt_flow_next(vcf->flow, &item, &task, err);
    if (!status)
        *block = item;
    return status;
}

static void vcf_release_block(struct gt_stage *stage, struct gt_block *block)
{
    struct gt_vcf *vcf = of_stage(stage);
    if (vcf->dealt)
        gt_vcf_deal_release(vcf, block);
    else
        gt_flow_done(vcf->flow, block);
}

static int vcf_next(struct gt_stage *stage, struct gt_block **block, struct gt_err *err)
{
    struct gt_vcf *vcf = of_stage(stage);
    int status = next_block(vcf, block, err);
    if (status == GT_END)
        return end_pass(vcf, err);
    if (status)
        return name_nofit(vcf, status, err);
    (*block)->owner = stage;
    vcf->any_gt |= (*block)->has_gt;
    if ((*block)->new_contigs.n)
        status = number_contigs(vcf, *block, err);
    if (!status && (*block)->new_filters.n)
        status = number_filters(vcf, *block, err);
    if (status)
        vcf_release_block(stage, *block);
    return status;
}

void gt_vcf_stop_flows(struct gt_vcf *vcf)
{
    gt_flow_free(vcf->flow);
    vcf->flow = NULL;
    gt_vcf_drop_rest(vcf);
    gt_buf_release(&vcf->tail); /* how large it has become depends on who was first */
    gt_bytes_stop(vcf->bytes);
}

static void vcf_stop(struct gt_stage *stage)
{
    struct gt_vcf *vcf = of_stage(stage);
    if (vcf->dealt)
        gt_vcf_deal_close(vcf);
    vcf->dealt = false;
    gt_vcf_stop_flows(vcf);
}

static void free_vcf(struct gt_vcf *vcf)
{
    gt_bytes_free(vcf->bytes);
    gt_vcf_header_release(&vcf->header);
    gt_buf_release(&vcf->carry);
    gt_buf_release(&vcf->tail);
    gt_buf_release(&vcf->stretches);
    gt_index_free(vcf->index);
    gt_names_free(vcf->late_contigs.names);
    gt_names_free(vcf->late_filters.names);
    gt_reader_base_release(&vcf->base);
    free(vcf);
}

static void vcf_close(struct gt_stage *stage)
{
    struct gt_vcf *vcf = of_stage(stage);
    vcf_stop(stage);
    gt_input_release(&vcf->input);
    free_vcf(vcf);
}

static const struct gt_stage_ops vcf_ops = {vcf_needs, vcf_start, vcf_next, vcf_release_block, vcf_stop, vcf_close, NULL};

int gt_reader_open_vcf(struct gt_reader **out, struct gt_engine *engine, struct gt_input *input, const struct gt_select_opts *select,
                       struct gt_err *err)
{
    struct gt_vcf *vcf = gt_alloc(1, sizeof *vcf, err);
    if (!vcf)
        return GT_FAIL;
    gt_reader_init(&vcf->base, &vcf_ops, engine, input->seekable);
    vcf->base.info.name = gt_strdup(input->name, err);
    vcf->carry.budget = vcf->tail.budget = vcf->stretches.budget = &engine->budget;
    vcf->input = *input;
    vcf->select = select ? *select : (struct gt_select_opts)GT_SELECT_ALL;
    if (vcf->select.records && vcf->select.polyploid == GT_POLYPLOID_UNSAID)
        vcf->select.polyploid = GT_POLYPLOID_MISSING; /* nobody counts alleles, but for filters */
    vcf->bcf = input->kind == GT_KIND_BCF;
    vcf->base.info.to_utf8 = vcf->bcf ? "make VCF of it: bcftools view, or gt-unpack -O vcf, and iconv -f LATIN1 -t UTF-8"
                                      : "convert the VCF with iconv -f LATIN1 -t UTF-8";
    vcf->base.info.kind = gt_strdup(vcf->bcf ? "BCF" : "VCF", err);
    vcf->fresh = true;
    int status = vcf->base.info.name && vcf->base.info.kind ? gt_bytes_open(&vcf->bytes, engine, &vcf->input, err) : GT_FAIL;
    if (!status)
        status = gt_vcf_read_header(vcf, err);
    if (status) {
        name_nofit(vcf, status, err);
        free_vcf(vcf);
        return status;
    }
    vcf->base.can_deal = !vcf->bcf && gt_bytes_can_seek(vcf->bytes) && !input->remote; /* that asks for many places */
    *out = &vcf->base;
    return 0;
}
