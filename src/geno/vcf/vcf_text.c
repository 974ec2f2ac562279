/* VCF text: lines and their fixed columns, found by memchr.  FORMAT is looked at once
 * and again only where it changes. */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>

#include "core/base/mem.h"
#include "geno/model/vcf_number.h"
#include "geno/vcf/vcf_line.h"
#include "kernels/kernels.h"

static bool is(const struct span *span, const char *text)
{
    return strlen(text) == span->n && memcmp(span->s, text, span->n) == 0;
}

static bool same(const struct span *a, const struct span *b)
{
    return a->n == b->n && a->s && memcmp(a->s, b->s, b->n) == 0;
}

int gt_vcf_bad(struct gt_vcf_line *r, const char *fmt, ...)
{
    char what[512];
    const struct span *chrom = &r->columns[CHROM], *pos = &r->columns[POS];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(what, sizeof what, fmt, ap);
    va_end(ap);
    char line[40] = "";
    if (r->parse->numbered)
        snprintf(line, sizeof line, ", line %lld", (long long)r->line);
    if (!pos->s)
        return gt_fail(r->err, GT_INPUT, "'%s'%s: %s", r->parse->info->name, line, what);
    return gt_fail(r->err, GT_INPUT, "'%s'%s (%.*s:%.*s): %s", r->parse->info->name, line, (int)(chrom->n > 100 ? 100 : chrom->n), chrom->s,
                   (int)(pos->n > 20 ? 20 : pos->n), pos->s, what);
}

/* --- the fixed columns ------------------------------------------------------------- */

/* Splits the line up to FORMAT; *calls is where the sample columns begin. */
static int split(struct gt_vcf_line *r, const char *line, const char *end, const char **calls)
{
    const char *p = line;
    for (int c = 0; c < N_COLUMNS; c++) {
        const char *tab = memchr(p, '\t', (size_t)(end - p));
        if (!tab && c >= INFO && !r->parse->info->n_samples) {
            r->columns[c] = (struct span){p, (size_t)(end - p)};
            *calls = end;
            return memchr(line, '\0', (size_t)(end - line)) ? gt_vcf_bad(r, "a NUL byte") : 0;
        }
        if (!tab && c < INFO)
            return gt_vcf_bad(r, "%d columns where at least 8 were expected", c + 1);
        if (!tab)
            return gt_vcf_bad(r, "no genotypes: 0 sample columns, the header has %lld", (long long)r->parse->info->n_samples);
        r->columns[c] = (struct span){p, (size_t)(tab - p)};
        p = tab + 1;
    }
    *calls = p;
    return memchr(line, '\0', (size_t)(p - line)) ? gt_vcf_bad(r, "a NUL byte") : 0;
}

static int parse_place(struct gt_vcf_line *r)
{
    const struct span *chrom = &r->columns[CHROM];
    if (!chrom->n)
        return gt_vcf_bad(r, "CHROM is empty");
    if (!same(&r->contig_name, chrom)) {
        int status =
            gt_vcf_number(r->parse->header->contigs, chrom->s, chrom->n, &r->block->new_contigs, &r->new_contigs, &r->contig, r->err);
        if (status)
            return status;
        r->contig_name = *chrom;
    }
    r->site.contig = r->contig;
    r->site.position = gt_vcf_position(r->columns[POS].s, r->columns[POS].n);
    return r->site.position < 0 ? gt_vcf_bad(r, "POS is not a number") : 0;
}

static int parse_alleles(struct gt_vcf_line *r)
{
    const struct span *ref = &r->columns[REF], *alt = &r->columns[ALT];
    bool keep = r->parse->fields & GT_SITE_ALLELES;
    if (!ref->n || !alt->n)
        return gt_vcf_bad(r, "%s is empty", ref->n ? "ALT" : "REF");
    r->site.first_allele = keep ? (uint32_t)r->block->alleles.n : 0;
    int status = keep ? gt_strs_add(&r->block->alleles, ref->s, ref->n, r->err) : 0;
    r->site.n_alleles = 1;
    if (is(alt, "."))
        return status;
    for (const char *p = alt->s, *end = p + alt->n; p <= end && !status;) {
        const char *comma = memchr(p, ',', (size_t)(end - p)), *stop = comma ? comma : end;
        if (stop == p)
            return gt_vcf_bad(r, "an ALT allele is empty");
        if (r->site.n_alleles == GT_MAX_ALLELES)
            return gt_vcf_bad(r, "more than %d alleles", GT_MAX_ALLELES);
        if (keep)
            status = gt_strs_add(&r->block->alleles, p, (size_t)(stop - p), r->err);
        r->site.n_alleles++;
        p = stop + 1;
    }
    r->site.multiallelic = r->site.n_alleles > 2;
    return status;
}

static bool parse_quality(const struct span *text, struct gt_site *site)
{
    uint32_t bits;
    const bool good = gt_vcf_quality(text->s, text->n, &bits);
    memcpy(&site->quality, &bits, sizeof bits);
    return good;
}

static int parse_filters(struct gt_vcf_line *r)
{
    const struct span *text = &r->columns[FILTER];
    r->site.filter_from = (uint32_t)(r->block->filters.len / sizeof(int32_t));
    if (is(text, "."))
        return 0;
    for (const char *p = text->s, *end = p + text->n; p <= end;) {
        const char *stop = memchr(p, ';', (size_t)(end - p));
        stop = stop ? stop : end;
        int32_t id;
        if (stop == p)
            return gt_vcf_bad(r, "a FILTER is empty");
        int status = gt_vcf_number(r->parse->header->filters, p, (size_t)(stop - p), &r->block->new_filters, &r->new_filters, &id, r->err);
        if (!status)
            status = gt_buf_append(&r->block->filters, &id, sizeof id, r->err);
        if (status)
            return status;
        r->site.filter_n++;
        p = stop + 1;
    }
    return 0;
}

static int parse_site(struct gt_vcf_line *r)
{
    unsigned fields = r->parse->fields;
    r->site = (struct gt_site){.length = 0};
    int status = parse_place(r);
    if (!status)
        status = parse_alleles(r);
    if (!status && (fields & GT_SITE_POS))
        r->site.length = gt_vcf_length(r->columns[INFO].s, r->columns[INFO].n, r->site.position, (int64_t)r->columns[REF].n);
    if (!status && (fields & GT_SITE_ID)) {
        const struct span *id = &r->columns[ID]; /* an empty one is missing, as for bcftools */
        r->site.id = (uint32_t)r->block->ids.n;
        status = gt_strs_add(&r->block->ids, id->n ? id->s : ".", id->n ? id->n : 1, r->err);
    }
    if (!status && (fields & GT_SITE_QUAL)) {
        if (!parse_quality(&r->columns[QUAL], &r->site))
            return gt_vcf_bad(r, "QUAL is not a number");
        status = parse_filters(r);
    }
    return status;
}

static void parse_format(struct gt_vcf_line *r)
{
    const struct span *format = &r->columns[FORMAT];
    const char *p = format->s, *end = p + format->n;
    if (same(&r->format, format))
        return;
    r->format = *format;
    r->gt_only = is(format, "GT");
    r->gt_at = -1;
    for (int at = 0; p && p <= end; at++) { /* NULL: the line has no such column */
        const char *colon = memchr(p, ':', (size_t)(end - p)), *stop = colon ? colon : end;
        if (stop - p == 2 && p[0] == 'G' && p[1] == 'T') {
            r->gt_at = at;
            return;
        }
        p = stop + 1;
    }
}

/* --- lines ----------------------------------------------------------------------------- */

/* The row that r->site is for; alt: as in struct gt_row_kind. */
static int add_row(struct gt_vcf_line *r, char *calls, char *end, int32_t alt)
{
    int status = gt_row_begin(r->parse, r->block, &r->site, alt, &r->row, r->err);
    if (!status)
        status = gt_vcf_calls(r, calls, end);
    return status ? status : gt_row_end(r->parse, r->block, &r->site, &r->seen, r->err);
}

struct split_line {
    struct gt_vcf_line *line;
    char *calls, *end;
};

static int add_split_row(void *ctx, int32_t alt)
{
    struct split_line *split = ctx;
    return add_row(split->line, split->calls, split->end, alt);
}

/* Places of the sample columns, and after the last one the end. */
static int find_columns(struct gt_vcf_line *r, const char *calls, const char *end, const char **column)
{
    const int64_t n = r->parse->info->n_samples;
    const char *p = calls;
    for (int64_t s = 0; s < n; s++) {
        if (p > end)
            return gt_vcf_bad(r, "%lld sample columns, the header has %lld", (long long)s, (long long)n);
        column[s] = p;
        const char *tab = memchr(p, '\t', (size_t)(end - p));
        p = (tab ? tab : end) + 1;
    }
    column[n] = p;
    return 0;
}

/* INFO, FORMAT and the columns of the chosen samples. */
static int choose_columns(struct gt_vcf_line *r, const char *calls, const char *end, const uint32_t *chosen, int64_t n)
{
    const char **column = gt_alloc((size_t)r->parse->info->n_samples + 1, sizeof *column, r->err);
    const char *from = r->columns[INFO].s;
    struct gt_record_body record = {.n = (size_t)(calls - from)};
    uint8_t *to;
    int status = column ? find_columns(r, calls, end, column) : GT_FAIL;
    for (int64_t i = 0; i < n && !status; i++)
        record.n += (size_t)(column[chosen[i] + 1] - column[chosen[i]]);
    if (!status)
        status = gt_block_add_record(r->block, &r->site, &record, &to, r->err);
    if (!status) {
        memcpy(to, from, (size_t)(calls - from));
        to += calls - from;
    }
    for (int64_t i = 0; i < n && !status; i++) {
        size_t width = (size_t)(column[chosen[i] + 1] - column[chosen[i]]) - 1;
        memcpy(to, column[chosen[i]], width);
        to += width;
        *to++ = '\t';
    }
    free(column);
    return status;
}

static int keep_record(struct gt_vcf_line *r, const char *calls, const char *end)
{
    int64_t n;
    const uint32_t *chosen = gt_filter_samples(r->parse->filter, &n);
    const char *from = r->columns[INFO].s;
    uint8_t *to;
    if (chosen)
        return choose_columns(r, calls, end, chosen, n);
    struct gt_record_body record = {.n = (size_t)(end - from) + 1};
    int status = gt_block_add_record(r->block, &r->site, &record, &to, r->err);
    if (status)
        return status;
    memcpy(to, from, record.n - 1);
    to[record.n - 1] = '\t';
    return 0;
}

static int parse_line(struct gt_vcf_line *r, char *line, char *end, int64_t record)
{
    struct gt_block *block = r->block;
    const char *calls = line;
    memset(r->columns, 0, sizeof r->columns);
    if (*line == '#')
        return gt_vcf_bad(r, "a header line among the records");
    int status = split(r, line, end, &calls);
    if (status)
        return status;
    struct gt_site_checkpoint mark = gt_site_checkpoint(block);
    if ((status = parse_site(r)) != 0)
        return status;
    parse_format(r);
    block->has_gt |= r->gt_at >= 0;
    if (!gt_record_kept(r->parse, block, &r->site, record, r->alts)) {
        gt_site_undo(block, mark);
        return 0;
    }
    r->n_alleles = r->site.n_alleles;
    if ((r->parse->fields & GT_SITE_RECORD) && (status = keep_record(r, calls, end)) != 0)
        return status;
    struct split_line rows = {r, line + (calls - line), end};
    if (r->parse->split && r->n_alleles > 2)
        return gt_split_rows(r->parse, block, &r->site, r->alts, &r->counts, add_split_row, &rows, r->err);
    return add_row(r, rows.calls, end, 0);
}

int gt_vcf_parse_text(const struct gt_vcf_parse *parse, const struct gt_vcf_text *text, struct gt_block *block, struct gt_err *err)
{
    struct gt_vcf_line r = {.parse = parse, .block = block, .err = err, .line = text->line};
    int64_t record = text->record;
    block->stride = ((size_t)parse->info->n_samples + 3) / 4;
    block->sites_filtered = true;
    /* a call is four bytes as a rule; shorter ones, even empty, make the block grow */
    int64_t most = (int64_t)text->n / (4 * parse->info->n_samples + 16) + 1;
    int status = gt_block_rows(block, block->n + (text->records < most ? text->records : most), err);
    for (char *p = text->text, *end = text->n ? p + text->n : p, *next; p < end && !status; p = next, r.line++) {
        char *stop = memchr(p, '\n', (size_t)(end - p));
        next = stop + 1;
        r.alts = (struct gt_alts){p == text->text ? text->first_alt : 0, next == end ? text->after : 0};
        if (stop > p && stop[-1] == '\r')
            stop--;
        if (stop > p)
            status = parse_line(&r, p, stop, record++);
    }
    gt_names_free(r.new_contigs);
    gt_names_free(r.new_filters);
    gt_call_counts_add(&r.counts, &block->stats);
    return status;
}
