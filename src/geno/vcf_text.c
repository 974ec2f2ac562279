/* VCF text.  The eight fixed columns are found by memchr; FORMAT is looked at once
 * and again only where it changes; lines with GT alone go through the scan_gt
 * kernel, which leaves what is not "a|b" of single digits to the scalar code. */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>

#include "geno/vcf_parse.h"
#include "kernels/kernels.h"

#define MISSING_FLOAT 0x7F800001u

enum column { CHROM, POS, ID, REF, ALT, QUAL, FILTER, INFO, FORMAT, N_COLUMNS };

struct span {
    const char *s;
    size_t n;
};

struct reader {
    const struct gt_vcf_parse *parse;
    struct gt_block *block;
    struct gt_err *err;
    int64_t line;
    struct span columns[N_COLUMNS];
    struct gt_site site;
    struct span contig_name; /* of the line before */
    int32_t contig;
    struct gt_names *new_names; /* of block->new_contigs */
    struct span format;         /* of the line before, and what it means: */
    int gt_at;                  /* subfield of GT, -1 = none */
    bool gt_only;
    struct gt_call_counts counts;
    uint64_t seen; /* alleles of kept samples */
};

static bool is(const struct span *span, const char *text)
{
    return strlen(text) == span->n && memcmp(span->s, text, span->n) == 0;
}

static bool same(const struct span *a, const struct span *b)
{
    return a->n == b->n && a->s && memcmp(a->s, b->s, b->n) == 0;
}

/* The failure's place: "'x', line 12 (chr1:100): ". */
__attribute__((format(printf, 2, 3))) static int bad(struct reader *r, const char *fmt, ...)
{
    char what[512];
    const struct span *chrom = &r->columns[CHROM], *pos = &r->columns[POS];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(what, sizeof what, fmt, ap);
    va_end(ap);
    if (!pos->s)
        return gt_fail(r->err, GT_INPUT, "'%s', line %lld: %s", r->parse->info->name, (long long)r->line, what);
    return gt_fail(r->err, GT_INPUT, "'%s', line %lld (%.*s:%.*s): %s", r->parse->info->name, (long long)r->line,
                   (int)(chrom->n > 100 ? 100 : chrom->n), chrom->s, (int)(pos->n > 20 ? 20 : pos->n), pos->s, what);
}

/* --- the fixed columns ------------------------------------------------------------- */

/* Splits the line up to FORMAT; *calls is where the sample columns begin. */
static int split(struct reader *r, const char *line, const char *end, const char **calls)
{
    const char *p = line;
    for (int c = 0; c < N_COLUMNS; c++) {
        const char *tab = memchr(p, '\t', (size_t)(end - p));
        if (!tab && c < INFO)
            return bad(r, "%d columns where at least 8 were expected", c + 1);
        if (!tab)
            return bad(r, "no genotypes: 0 sample columns, the header has %lld", (long long)r->parse->info->n_samples);
        r->columns[c] = (struct span){p, (size_t)(tab - p)};
        p = tab + 1;
    }
    *calls = p;
    return memchr(line, '\0', (size_t)(p - line)) ? bad(r, "a NUL byte") : 0;
}

/* Digits only, below 10^18; -1 for anything else. */
static int64_t number(const char *s, size_t n)
{
    int64_t value = 0;
    if (!n || n > 18)
        return -1;
    for (size_t i = 0; i < n; i++) {
        if (s[i] < '0' || s[i] > '9')
            return -1;
        value = value * 10 + (s[i] - '0');
    }
    return value;
}

static int parse_place(struct reader *r)
{
    const struct span *chrom = &r->columns[CHROM];
    if (!chrom->n)
        return bad(r, "CHROM is empty");
    if (!same(&r->contig_name, chrom)) {
        r->contig = gt_vcf_contig(r->parse, chrom->s, chrom->n, r->block, &r->new_names);
        r->contig_name = *chrom;
    }
    r->site.contig = r->contig;
    r->site.position = number(r->columns[POS].s, r->columns[POS].n);
    return r->site.position < 0 ? bad(r, "POS is not a number") : 0;
}

/* REF's length, or END - POS + 1 where INFO has an END that makes sense. */
static int64_t site_length(const struct reader *r)
{
    const struct span *info = &r->columns[INFO];
    const char *p = info->s, *end = p + info->n;
    int64_t length = (int64_t)r->columns[REF].n;
    while (p && end - p >= 4) {
        if (memcmp(p, "END=", 4) == 0) {
            const char *stop = memchr(p, ';', (size_t)(end - p));
            int64_t last = number(p + 4, (size_t)((stop ? stop : end) - p - 4));
            return last >= r->site.position ? last - r->site.position + 1 : length;
        }
        p = memmem(p, (size_t)(end - p), ";END=", 5);
        p = p ? p + 1 : NULL;
    }
    return length;
}

static int parse_alleles(struct reader *r)
{
    const struct span *ref = &r->columns[REF], *alt = &r->columns[ALT];
    bool keep = r->parse->fields & GT_SITE_ALLELES;
    if (!ref->n || !alt->n)
        return bad(r, "%s is empty", ref->n ? "ALT" : "REF");
    if (keep)
        r->site.first_allele = (uint32_t)gt_strs_add(&r->block->alleles, ref->s, ref->n);
    r->site.n_alleles = 1;
    if (is(alt, "."))
        return 0;
    for (const char *p = alt->s, *end = p + alt->n; p <= end;) {
        const char *comma = memchr(p, ',', (size_t)(end - p)), *stop = comma ? comma : end;
        if (stop == p)
            return bad(r, "an ALT allele is empty");
        if (keep)
            gt_strs_add(&r->block->alleles, p, (size_t)(stop - p));
        r->site.n_alleles++;
        p = stop + 1;
    }
    r->site.multiallelic = r->site.n_alleles > 2;
    return 0;
}

/* What a decimal number below 2^53 with at most 22 places is, correctly rounded, is
 * one division; the rest is strtod's. */
static bool parse_quality(const struct span *text, float *quality)
{
    static const double tens[] = {1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};
    uint64_t digits = 0;
    size_t places = 0, i = 0;
    bool point = false;
    if (is(text, ".")) {
        uint32_t bits = MISSING_FLOAT;
        memcpy(quality, &bits, sizeof bits);
        return true;
    }
    for (; i < text->n && i < 16; i++) {
        char c = text->s[i];
        if (c >= '0' && c <= '9') {
            digits = digits * 10 + (uint64_t)(c - '0');
            places += point;
        } else if (c == '.' && !point) {
            point = true;
        } else {
            break;
        }
    }
    if (i == text->n && i > point) {
        *quality = (float)((double)digits / tens[places]);
        return true;
    }
    char copy[64], *end;
    if (!text->n || text->n >= sizeof copy)
        return false;
    memcpy(copy, text->s, text->n);
    copy[text->n] = '\0';
    *quality = (float)strtod(copy, &end);
    return !*end;
}

static int parse_filters(struct reader *r)
{
    const struct span *text = &r->columns[FILTER];
    r->site.filter_from = (uint32_t)(r->block->filters.len / sizeof(int32_t));
    if (is(text, "."))
        return 0;
    for (const char *p = text->s, *end = p + text->n; p <= end;) {
        const char *stop = memchr(p, ';', (size_t)(end - p));
        stop = stop ? stop : end;
        int32_t id = (int32_t)gt_names_find(r->parse->header->filters, p, (size_t)(stop - p));
        if (id < 0) {
            bad(r, "FILTER '%.*s' is not in the header", (int)(stop - p > 100 ? 100 : stop - p), p);
            gt_hint(r->err, "add its ##FILTER line, with bcftools reheader or annotate -h");
            return GT_INPUT;
        }
        int status = gt_buf_append(&r->block->filters, &id, sizeof id, r->err);
        if (status)
            return status;
        r->site.filter_n++;
        p = stop + 1;
    }
    return 0;
}

static int parse_site(struct reader *r)
{
    unsigned fields = r->parse->fields;
    r->site = (struct gt_site){.length = 0};
    int status = parse_place(r);
    if (!status)
        status = parse_alleles(r);
    if (!status && (fields & GT_SITE_POS))
        r->site.length = site_length(r);
    if (!status && (fields & GT_SITE_ID))
        r->site.id = (uint32_t)gt_strs_add(&r->block->ids, r->columns[ID].s, r->columns[ID].n);
    if (!status && (fields & GT_SITE_QUAL)) {
        if (!parse_quality(&r->columns[QUAL], &r->site.quality))
            return bad(r, "QUAL is not a number");
        status = parse_filters(r);
    }
    return status;
}

static void parse_format(struct reader *r)
{
    const struct span *format = &r->columns[FORMAT];
    const char *p = format->s, *end = p + format->n;
    if (same(&r->format, format))
        return;
    r->format = *format;
    r->gt_only = is(format, "GT");
    r->gt_at = -1;
    for (int at = 0; p <= end; at++) {
        const char *colon = memchr(p, ':', (size_t)(end - p)), *stop = colon ? colon : end;
        if (stop - p == 2 && p[0] == 'G' && p[1] == 'T') {
            r->gt_at = at;
            return;
        }
        p = stop + 1;
    }
}

/* --- genotypes -------------------------------------------------------------------- */

static int bad_call(struct reader *r, int64_t sample, const char *s, const char *end, const char *what)
{
    size_t n = 0;
    while (s + n < end && n < 40 && s[n] != '\t' && s[n] != ':')
        n++;
    return bad(r, "sample '%.100s' has genotype '%.*s': %s", gt_strs_get(&r->parse->info->samples, (size_t)sample), (int)n, s, what);
}

static int few_columns(struct reader *r, int64_t n)
{
    return bad(r, "%lld sample columns, the header has %lld", (long long)n, (long long)r->parse->info->n_samples);
}

/* An allele at *p: its number, GT_ALLELE_MISSING, or -3 for neither. */
static int32_t allele(const char **p, const char *end)
{
    int64_t value = 0;
    const char *s = *p;
    if (s < end && *s == '.') {
        *p = s + 1;
        return GT_ALLELE_MISSING;
    }
    for (; s < end && *s >= '0' && *s <= '9'; s++)
        value = value < 100000000 ? value * 10 + (*s - '0') : value;
    bool none = s == *p;
    *p = s;
    return none ? -3 : (int32_t)value;
}

/* The GT subfield at [s, end), any form.  Its code into *code. */
static int call(struct reader *r, int64_t sample, const char *s, const char *end, int *code)
{
    const struct gt_vcf_parse *parse = r->parse;
    bool kept = !parse->keep || parse->keep[sample];
    const char *p = s;
    if (p < end && (*p == '|' || *p == '/')) /* VCF 4.4: the phase of the first allele */
        p++;
    int32_t a = allele(&p, end), b = GT_ALLELE_NONE;
    if (a == -3)
        return bad_call(r, sample, s, end, "not a genotype");
    if (p < end && (*p == '|' || *p == '/')) {
        p++;
        if ((b = allele(&p, end)) == -3)
            return bad_call(r, sample, s, end, "not a genotype");
        if (p < end && (*p == '|' || *p == '/')) {
            *code = GT_CALL_MISSING;
            return kept ? bad_call(r, sample, s, end, "its ploidy is above 2, which is not supported") : 0;
        }
    }
    if (p != end)
        return bad_call(r, sample, s, end, "not a genotype");
    if (a >= r->site.n_alleles || b >= r->site.n_alleles)
        return bad_call(r, sample, s, end, "there is no such allele");
    *code = gt_call_code(parse, a, b, kept, &r->counts);
    if (*code == GT_CALL_HALF_ERROR)
        return bad_call(r, sample, s, end, "a half call");
    if (kept)
        r->seen |= gt_call_alleles(parse, a, b, *code);
    return 0;
}

static const char *find(const char *p, const char *end, char c)
{
    const char *at = memchr(p, c, (size_t)(end - p));
    return at ? at : end;
}

/* Samples [from, to), from % 4 == 0, of the text at *text, which ends in a tab, into
 * row.  The text of a sample is a call alone (gt_only) or has it in subfield gt_at. */
static int scan_samples(struct reader *r, const char **text, const char *end, int64_t from, int64_t to, uint8_t *row)
{
    const char *p = *text;
    unsigned byte = 0;
    int status = 0;
    const unsigned alleles = r->site.n_alleles < 10 ? (unsigned)r->site.n_alleles : 10;
    const bool quick = !r->parse->want_seen;
    for (int64_t s = from; s < to && !status; s++) {
        int code = GT_CALL_MISSING;
        if (p >= end)
            return few_columns(r, s);
        /* two single digits: nearly all calls */
        if (quick && r->gt_at == 0 && end - p > 3 && (p[1] == '|' || p[1] == '/') && (p[3] == ':' || p[3] == '\t') &&
            (unsigned)(p[0] - '0') < alleles && (unsigned)(p[2] - '0') < alleles) {
            code = (p[0] != '0') + (p[2] != '0');
            p = p[3] == '\t' ? p + 4 : find(p + 4, end, '\t') + 1;
        } else {
            const char *stop = find(p, end, '\t'), *g = p;
            for (int skip = r->gt_at; skip > 0 && g < stop; skip--)
                g = find(g, stop, ':') + 1;
            if (g < stop || (r->gt_at == 0 && g == stop))
                status = call(r, s, g, find(g, stop, ':'), &code);
            p = stop + 1;
        }
        byte |= (unsigned)code << 2 * (s & 3);
        if ((s & 3) == 3 || s + 1 == to) {
            row[s / 4] = (uint8_t)byte;
            byte = 0;
        }
    }
    *text = p;
    return status;
}

typedef int8_t vec16 __attribute__((vector_size(16)));

/* Are all allele digits of "a|b\t..." at most '0' + max? '.' and the separators but
 * '|' are below the digits, and '|' never stands in an allele's place. */
static bool digits_within(const char *text, size_t n, int max)
{
    static const vec16 places = {-1, 0, -1, 0, -1, 0, -1, 0, -1, 0, -1, 0, -1, 0, -1, 0};
    vec16 limit, over = {0};
    size_t i = 0;
    memset(&limit, '0' + max, sizeof limit);
    for (; i + sizeof limit <= n; i += sizeof limit) {
        vec16 v;
        memcpy(&v, text + i, sizeof v);
        over |= (v & places) > limit;
    }
    uint64_t any[2];
    memcpy(any, &over, sizeof any);
    for (; i < n; i += 2)
        any[0] |= text[i] > '0' + max;
    return !(any[0] | any[1]);
}

/* Lines with GT alone: the kernel as far as it goes, then some samples by hand.
 * Where it gets nowhere (haploid lines) it is asked less and less often. */
static int scan_gt_only(struct reader *r, const char **text, const char *end, uint8_t *row)
{
    int64_t n = r->parse->info->n_samples, at = 0, by_hand = 4;
    const bool exact = r->parse->want_seen && (r->site.n_alleles > 2 || r->parse->haploid_alt == 1);
    while (at < n) {
        if (!exact) {
            struct gt_scan_result got = gt_kernels()->scan_gt(*text, end, n - at, at, row);
            if (r->site.n_alleles < 10 && !digits_within(*text, (size_t)(got.end - *text), r->site.n_alleles - 1)) {
                got.done = 0; /* let the scalar code find and name it */
                by_hand = n;
            }
            at += got.done;
            *text += got.done * 4;
            by_hand = got.done ? 4 : by_hand < n ? by_hand * 4 : n;
        } else {
            by_hand = n;
        }
        int64_t to = at + by_hand < n ? at + by_hand : n;
        int status = at < to ? scan_samples(r, text, end, at, to, row) : 0;
        if (status)
            return status;
        at = to;
    }
    if (!exact)
        r->seen = 0; /* the kernel's samples are not in it: the codes tell */
    return 0;
}

/* No GT in FORMAT: the columns are counted all the same. */
static int skip_samples(struct reader *r, const char **text, const char *end, uint8_t *row)
{
    int64_t n = r->parse->info->n_samples;
    const char *p = *text;
    for (int64_t s = 0; s < n; s++) {
        if (p >= end)
            return few_columns(r, s);
        p = find(p, end, '\t') + 1;
    }
    *text = p;
    memset(row, 0xff, r->block->stride);
    if (n % 4)
        row[r->block->stride - 1] = (uint8_t)((1u << 2 * (n % 4)) - 1);
    return 0;
}

static int parse_calls(struct reader *r, char *text, char *end)
{
    struct gt_block *block = r->block;
    uint8_t *row = block->rows.data + (size_t)block->n * block->stride;
    const char *p = text;
    int status;
    *end = '\t'; /* every call then ends in a tab */
    r->seen = 0;
    if (r->gt_at < 0)
        status = skip_samples(r, &p, end + 1, row);
    else if (r->gt_only)
        status = scan_gt_only(r, &p, end + 1, row);
    else
        status = scan_samples(r, &p, end + 1, 0, r->parse->info->n_samples, row);
    if (status || p == end + 1)
        return status;
    int64_t n = r->parse->info->n_samples;
    for (; p < end + 1; n++)
        p = find(p, end + 1, '\t') + 1;
    return few_columns(r, n);
}

/* --- lines ----------------------------------------------------------------------------- */

static int parse_line(struct reader *r, char *line, char *end, int64_t record)
{
    struct gt_block *block = r->block;
    const char *calls = line;
    memset(r->columns, 0, sizeof r->columns);
    if (*line == '#')
        return bad(r, "a header line among the records");
    int status = split(r, line, end, &calls);
    if (status)
        return status;
    struct gt_site_mark mark = gt_site_mark(block);
    if ((status = parse_site(r)) != 0)
        return status;
    if (!gt_filter_site(r->parse->filter, block, &r->site, record)) {
        gt_site_undo(block, mark);
        return 0;
    }
    parse_format(r);
    if ((status = parse_calls(r, line + (calls - line), end)) != 0)
        return status;
    if (r->parse->want_seen)
        r->site.alleles_seen = gt_alleles_seen(r->seen);
    if (r->parse->fields)
        status = gt_buf_append(&block->sites, &r->site, sizeof r->site, r->err);
    block->n++;
    return status;
}

int gt_vcf_parse_text(const struct gt_vcf_parse *parse, char *text, size_t n, int64_t line, int64_t records, struct gt_block *block,
                      struct gt_err *err)
{
    struct reader r = {.parse = parse, .block = block, .err = err, .line = line};
    int64_t record = block->first;
    block->stride = ((size_t)parse->info->n_samples + 3) / 4;
    block->screened = true;
    int status = gt_buf_resize(&block->rows, (size_t)records * block->stride + GT_KERNEL_PAD, err);
    for (char *p = text, *end = text + n, *next; p < end && !status; p = next, r.line++) {
        char *stop = memchr(p, '\n', (size_t)(end - p));
        next = stop + 1;
        if (stop > p && stop[-1] == '\r')
            stop--;
        if (stop > p)
            status = parse_line(&r, p, stop, record++);
    }
    if (r.new_names)
        gt_names_free(r.new_names);
    block->stats.half_calls += r.counts.half;
    block->stats.haploid_calls += r.counts.haploid;
    return status;
}
