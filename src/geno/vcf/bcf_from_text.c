#include "config.h"

#include "geno/vcf/bcf_from_text.h"

#include <htslib/hts_log.h>
#include <htslib/kstring.h>
#include <htslib/vcf.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/le.h"
#include "core/base/mem.h"

/* What a thread parses with: htslib may add to a header while it parses, and uses the text in place. */
struct parser {
    struct parser *next;
    bcf_hdr_t *hdr;
    bcf1_t *record;
    kstring_t line;
    size_t counted; /* bytes of htslib's buffers that the budget knows */
};

struct gt_bcf_from_text {
    bcf_hdr_t *hdr; /* without samples, whose names would take 120 bytes each in every parser */
    int n_samples;
    struct gt_budget *budget;
    pthread_mutex_t lock; /* of idle */
    struct parser *idle;
};

static void parser_free(struct parser *parser)
{
    if (!parser)
        return;
    bcf_hdr_destroy(parser->hdr);
    if (parser->record)
        bcf_destroy(parser->record);
    free(parser->line.s);
    free(parser);
}

/* htslib looks at how many samples a header has, not at their names, when it parses a record. */
static struct parser *parser_new(const struct gt_bcf_from_text *from, struct gt_err *err)
{
    struct parser *parser = gt_alloc(1, sizeof *parser, err);
    if (!parser)
        return NULL;
    parser->hdr = bcf_hdr_dup(from->hdr);
    parser->record = bcf_init();
    if (parser->hdr && parser->record) {
        parser->hdr->n[BCF_DT_SAMPLE] = from->n_samples;
        return parser;
    }
    if (!parser->hdr)
        parser->hdr = bcf_hdr_init("r");
    parser_free(parser);
    gt_no_memory(err);
    return NULL;
}

static struct parser *take(struct gt_bcf_from_text *from, struct gt_err *err)
{
    pthread_mutex_lock(&from->lock);
    struct parser *parser = from->idle;
    from->idle = parser ? parser->next : NULL;
    pthread_mutex_unlock(&from->lock);
    return parser ? parser : parser_new(from, err);
}

static void give_back(struct gt_bcf_from_text *from, struct parser *parser)
{
    pthread_mutex_lock(&from->lock);
    parser->next = from->idle;
    from->idle = parser;
    pthread_mutex_unlock(&from->lock);
}

/* Counts what htslib's buffers have grown by. */
static int count_parser(const struct gt_bcf_from_text *from, struct parser *parser, struct gt_err *err)
{
    const size_t now = parser->line.m + parser->record->shared.m + parser->record->indiv.m + parser->hdr->mem.m;
    int status = now > parser->counted ? gt_budget_take(from->budget, now - parser->counted, err) : GT_OK;
    parser->counted = status || now < parser->counted ? parser->counted : now;
    return status;
}

static const char columns[] = "#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\n";

/* The header without its samples. */
static int parse_head(struct gt_bcf_from_text *from, const char *text, size_t n, struct gt_err *err)
{
    struct gt_str lines = {0};
    gt_str_addn(&lines, text, n);
    gt_str_add(&lines, columns);
    int status = gt_str_check(&lines, err);
    hts_set_log_level(HTS_LOG_OFF);
    from->hdr = bcf_hdr_init("r");
    status = status || from->hdr ? status : gt_no_memory(err);
    if (!status && (bcf_hdr_parse(from->hdr, lines.s) < 0 || bcf_hdr_sync(from->hdr) < 0))
        status = gt_fail(err, GT_INPUT, "htslib cannot parse the header");
    gt_str_release(&lines);
    return status;
}

/* "BCF\2\2", and htslib's text of the header with `last`, the line of columns and samples, instead of its own. */
static int put_head(const struct gt_bcf_from_text *from, const char *last, size_t n, struct gt_buf *bytes, struct gt_err *err)
{
    kstring_t text = {0, 0, NULL};
    uint8_t head[9] = "BCF\2\2";
    int status = bcf_hdr_format(from->hdr, 1, &text) < 0 || text.l < sizeof columns - 1 ? gt_no_memory(err) : GT_OK;
    const size_t lines = status ? 0 : text.l - (sizeof columns - 1);
    if (!status && lines + n >= UINT32_MAX)
        status = gt_fail(err, GT_INPUT, "a header of %zu bytes is too long for BCF", lines + n);
    gt_le_put(head + 5, lines + n + 1, 4);
    status = status ? status : gt_buf_append(bytes, head, sizeof head, err);
    status = status ? status : gt_buf_append(bytes, text.s, lines, err);
    status = status ? status : gt_buf_append(bytes, last, n, err);
    status = status ? status : gt_buf_append(bytes, "", 1, err);
    free(text.s);
    return status;
}

int gt_bcf_from_text_new(struct gt_bcf_from_text **out, const char *text, size_t n, struct gt_buf *head, struct gt_err *err)
{
    struct gt_bcf_from_text *from = gt_alloc(1, sizeof *from, err);
    size_t last = n;
    int tabs = 0;
    if (!from)
        return GT_FAIL;
    pthread_mutex_init(&from->lock, NULL);
    from->budget = head->budget;
    while (last > 0 && (last == n || text[last - 1] != '\n'))
        tabs += text[--last] == '\t';
    from->n_samples = tabs > 8 ? tabs - 8 : 0;
    int status = parse_head(from, text, last, err);
    status = status ? status : put_head(from, text + last, n - last, head, err);
    if (status)
        gt_bcf_from_text_free(from);
    else
        *out = from;
    return status;
}

/* Shared and individual parts, with their lengths before them. */
static int put_record(const bcf1_t *record, struct gt_buf *bytes, struct gt_err *err)
{
    uint8_t head[32], *p = head;
    uint32_t quality;
    memcpy(&quality, &record->qual, sizeof quality);
    p = gt_le_put(p, record->shared.l + 24, 4);
    p = gt_le_put(p, record->indiv.l, 4);
    p = gt_le_put(p, (uint64_t)record->rid, 4);
    p = gt_le_put(p, (uint64_t)record->pos, 4);
    p = gt_le_put(p, (uint64_t)record->rlen, 4);
    p = gt_le_put(p, quality, 4);
    p = gt_le_put(p, (uint64_t)record->n_info | (uint64_t)record->n_allele << 16, 4);
    gt_le_put(p, (uint64_t)record->n_sample | (uint64_t)record->n_fmt << 24, 4);
    int status = gt_buf_append(bytes, head, sizeof head, err);
    status = status ? status : gt_buf_append(bytes, record->shared.s, record->shared.l, err);
    return status ? status : gt_buf_append(bytes, record->indiv.s, record->indiv.l, err);
}

static int parse(struct parser *parser, const char *line, size_t n, struct gt_err *err)
{
    if (ks_resize(&parser->line, n + 2) < 0)
        return gt_no_memory(err);
    memcpy(parser->line.s, line, n);
    parser->line.s[n] = '\0';
    parser->line.l = n;
    bcf_clear(parser->record);
    const int failed = vcf_parse(&parser->line, parser->hdr, parser->record);
    const char *tab = memchr(line, '\t', n), *pos = tab ? tab + 1 : line + n;
    const int chrom = (int)(tab ? tab - line : 0), digits = (int)strspn(pos, "0123456789");
    if (parser->record->errcode & (BCF_ERR_CTG_UNDEF | BCF_ERR_TAG_UNDEF)) {
        gt_fail(err, GT_INPUT,
                "the input's header lacks an INFO or FORMAT field of %.*s:%.*s, and a BCF header cannot be extended after it is written",
                chrom, line, digits, pos);
        gt_hint(err, "write VCF, or through a store: gt-pack IN -o x.zarr && gt-unpack x.zarr -o x.bcf");
        return GT_INPUT;
    }
    if (failed < 0 || parser->record->errcode)
        return gt_fail(err, GT_INPUT, "the record at %.*s:%.*s cannot be written as BCF", chrom, line, digits, pos);
    if (parser->record->pos > INT32_MAX)
        return gt_fail(err, GT_INPUT, "position %lld is too large for BCF", (long long)parser->record->pos + 1);
    return GT_OK;
}

int gt_bcf_from_text_add(struct gt_bcf_from_text *from, const char *line, size_t n, struct gt_buf *bytes, int32_t *contig,
                         struct gt_err *err)
{
    struct parser *parser = take(from, err);
    if (!parser)
        return GT_FAIL;
    int status = parse(parser, line, n, err);
    status = status ? status : count_parser(from, parser, err);
    status = status ? status : put_record(parser->record, bytes, err);
    *contig = parser->record->rid;
    give_back(from, parser);
    return status;
}

void gt_bcf_from_text_free(struct gt_bcf_from_text *from)
{
    if (!from)
        return;
    for (struct parser *parser = from->idle, *next; parser; parser = next) {
        next = parser->next;
        gt_budget_give(from->budget, parser->counted);
        parser_free(parser);
    }
    if (from->hdr)
        bcf_hdr_destroy(from->hdr);
    pthread_mutex_destroy(&from->lock);
    free(from);
}
