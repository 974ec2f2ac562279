/* Records of a VCF or BCF input that were selected, as VCF or BCF. */
#include <stdlib.h>
#include <string.h>

#include "core/base/mem.h"
#include "core/engine/memory_plan.h"
#include "geno/model/site_check.h"
#include "geno/vcf/bcf_from_text.h"
#include "geno/vcf/header_writer.h"
#include "geno/vcf/record_copy.h"
#include "geno/vcf/record_file.h"
#include "geno/vcf/record_writer.h"
#include "geno/vcf/vcf_writers.h"

enum { LINE = GT_RECORDS_PLACES + 1 /* of the buffers of a row group: a line on its way into BCF */, FIXED_BYTES = 160 };

struct copy {
    struct gt_calls_sink base;
    struct gt_vcf_opts opts;
    struct gt_records *records;
    struct gt_bcf_from_text *bcf; /* NULL: the output is VCF */
    bool binary;
    int64_t n_samples;
    size_t contigs, filters; /* that the header has */
};

/* The record as read; its text, or that of BCF, in a buffer that grows; for BCF htslib's buffers too; and what is compressed of it. */
int64_t gt_copy_variant_bytes(const struct gt_geno_info *info, bool bcf, int level)
{
    const int64_t text = gt_bytes_mul(2 + (bcf ? 4 : 0) + (level ? 2 : 0), gt_bytes_add(info->record_text, FIXED_BYTES));
    return gt_bytes_add(gt_bytes_add(info->record_bytes, FIXED_BYTES), text);
}

static int write_head(struct copy *copy, const struct gt_geno_info *info, const struct gt_str *text, struct gt_err *err)
{
    struct gt_buf head = {.budget = info->contigs.budget};
    int status = gt_bcf_from_text_new(&copy->bcf, text->s, text->len, &head, err);
    status = status ? status : gt_records_head(copy->records, info, head.data, head.len, err);
    gt_buf_release(&head);
    return status;
}

static int begin(struct gt_calls_sink *base, const struct gt_geno_info *info, struct gt_err *err)
{
    struct copy *copy = (struct copy *)base;
    struct gt_str text = {0};
    copy->n_samples = info->n_samples;
    copy->contigs = info->contigs.n;
    copy->filters = info->filters.n;
    base->variant_bytes = gt_copy_variant_bytes(info, copy->binary, copy->opts.level);
    int status = gt_vcf_head(&text, info, &copy->opts, err);
    if (!status)
        status = copy->binary ? write_head(copy, info, &text, err) : gt_records_head(copy->records, info, text.s, text.len, err);
    gt_str_release(&text);
    return status;
}

static int add_line(const struct copy *copy, const struct gt_block *block, const struct gt_site *site, struct gt_buf *text,
                    struct gt_err *err)
{
    int status = gt_site_check(block, site, true, err);
    status = status ? status : gt_record_site(block, site, text, err);
    return status ? status : gt_record_copy(block, site, copy->n_samples, copy->opts.recount, text, err);
}

/* The contig has the number of the header there. */
static int add_binary(const struct copy *copy, const struct gt_block *block, struct gt_site *site, struct gt_buf bytes[GT_CALLS_BUFS],
                      struct gt_err *err)
{
    struct gt_buf *line = &bytes[LINE];
    line->len = 0;
    int status = gt_record_check_names(block, site, copy->contigs, copy->filters, err);
    status = status ? status : add_line(copy, block, site, line, err);
    return status ? status
                  : gt_bcf_from_text_add(copy->bcf, (const char *)line->data, line->len, &bytes[GT_RECORDS_TEXT], &site->contig, err);
}

static int format(struct gt_calls_sink *base, const struct gt_calls *calls, struct gt_buf bytes[GT_CALLS_BUFS], struct gt_err *err)
{
    const struct copy *copy = (const struct copy *)base;
    const struct gt_block *block = &calls->block;
    struct gt_buf *text = &bytes[GT_RECORDS_TEXT];
    int status = GT_OK;
    text->len = bytes[GT_RECORDS_PLACES].len = 0;
    for (int64_t v = 0; v < block->n && !status; v++) {
        struct gt_site site = gt_block_sites(block)[v];
        status = copy->binary ? add_binary(copy, block, &site, bytes, err) : add_line(copy, block, &site, text, err);
        if (!status && !copy->binary)
            status = gt_buf_append(text, "\n", 1, err);
        status = status ? status : gt_records_add(copy->records, &site, bytes, err);
    }
    return status ? status : gt_records_pack(copy->records, bytes, err);
}

static int write_bytes(struct gt_calls_sink *base, const struct gt_calls *calls, const struct gt_buf bytes[GT_CALLS_BUFS],
                       struct gt_err *err)
{
    return gt_records_write(((struct copy *)base)->records, &calls->block.contigs, bytes, err);
}

static int finish(struct gt_calls_sink *base, struct gt_err *err)
{
    return gt_records_finish(((struct copy *)base)->records, &base->note, err);
}

static void copy_free(struct gt_calls_sink *base)
{
    gt_records_free(((struct copy *)base)->records);
    gt_bcf_from_text_free(((struct copy *)base)->bcf);
    free(base);
}

int gt_sink_copy(struct gt_calls_sink **out, const char *path, bool bcf, const struct gt_vcf_opts *opts, struct gt_err *err)
{
    static const struct gt_calls_sink_ops ops = {begin, format, write_bytes, finish, copy_free};
    const struct gt_records_opts file = {.level = opts->level, .binary = bcf, .index = opts->index && opts->level};
    struct copy *copy = gt_alloc(1, sizeof *copy, err);
    if (!copy)
        return GT_FAIL;
    copy->base = (struct gt_calls_sink){.ops = &ops, .fields = GT_SITE_ALL | GT_SITE_RECORD};
    copy->base.results = gt_records_results(opts->level, opts->index);
    copy->opts = *opts;
    copy->binary = bcf;
    int status = gt_records_open(&copy->records, path, &file, err);
    if (status)
        free(copy);
    else
        *out = &copy->base;
    return status;
}
