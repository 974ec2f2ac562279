/* BCF records: binary, every length checked before it is believed. */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>

#include "core/base/size.h"
#include "geno/vcf/bcf_value.h"
#include "geno/vcf/vcf_parse.h"
#include "kernels/kernels.h"

enum { SHARED_FIXED = 24 };

static int32_t i32(const uint8_t *p)
{
    return (int32_t)gt_le32(p);
}

struct reader {
    const struct gt_vcf_parse *parse;
    struct gt_block *block;
    struct gt_err *err;
    int64_t record; /* in the input, from 0 */
    const uint8_t *shared, *shared_end, *indiv, *indiv_end;
    int32_t n_alleles, n_formats;
    const uint8_t *info; /* after FILTER, where that was asked for */
    struct gt_site site;
    bool placed; /* site.contig and position are known */
    struct gt_call_counts counts;
    struct gt_row_kind row; /* being made */
    struct gt_seen seen;
    struct gt_alts alts; /* where it is split */
};

__attribute__((format(printf, 2, 3))) static int bad(struct reader *r, const char *fmt, ...)
{
    char what[512];
    const struct gt_geno_info *info = r->parse->info;
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(what, sizeof what, fmt, ap);
    va_end(ap);
    char record[40] = "";
    if (r->parse->numbered)
        snprintf(record, sizeof record, ", record %lld", (long long)r->record + 1);
    if (!r->placed)
        return gt_fail(r->err, GT_INPUT, "'%s'%s: %s", info->name, record, what);
    return gt_fail(r->err, GT_INPUT, "'%s'%s (%.100s:%lld): %s", info->name, record, gt_strs_get(&info->contigs, (size_t)r->site.contig),
                   (long long)r->site.position, what);
}

/* --- the site --------------------------------------------------------------------- */

static int parse_alleles(struct reader *r, const uint8_t **p)
{
    bool keep = r->parse->fields & GT_SITE_ALLELES;
    struct gt_bcf_value t;
    if (r->n_alleles < 1)
        return bad(r, "it has no REF");
    for (int32_t a = 0; a < r->n_alleles; a++) {
        if (!gt_bcf_value(p, r->shared_end, &t) || (t.n && t.type != GT_BCF_CHAR))
            return bad(r, "an allele is damaged");
        if (!a)
            r->site.first_allele = keep ? (uint32_t)r->block->alleles.n : 0;
        int status = keep ? gt_strs_add(&r->block->alleles, (const char *)t.data, (size_t)t.n, r->err) : 0;
        if (status)
            return status;
        if (a)
            continue;
        if (r->site.length <= 0)
            r->site.length = t.n;
    }
    r->site.n_alleles = r->n_alleles;
    r->site.multiallelic = r->n_alleles > 2;
    return 0;
}

static int parse_filters(struct reader *r, const uint8_t **p)
{
    const struct gt_vcf_header *header = r->parse->header;
    struct gt_bcf_value t;
    r->site.filter_from = (uint32_t)(r->block->filters.len / sizeof(int32_t));
    if (!gt_bcf_value(p, r->shared_end, &t) || (t.n && t.type != GT_BCF_NULL && !gt_bcf_is_int(&t)))
        return bad(r, "FILTER is damaged");
    for (int64_t i = 0; i < t.n && t.type != GT_BCF_NULL; i++) {
        int32_t key = gt_bcf_int(&t, i);
        int32_t id = key >= 0 && key < header->n_dict ? header->bcf_filters[key] : -1;
        if (id < 0)
            return bad(r, "FILTER number %d is not in the header", key);
        int status = gt_buf_append(&r->block->filters, &id, sizeof id, r->err);
        if (status)
            return status;
        r->site.filter_n++;
    }
    return 0;
}

static int parse_site(struct reader *r)
{
    const struct gt_geno_info *info = r->parse->info;
    const uint8_t *p = r->shared;
    struct gt_bcf_value id;
    int32_t contig = i32(p);
    r->site = (struct gt_site){.contig = contig, .position = (int64_t)i32(p + 4) + 1, .length = i32(p + 8)};
    if (contig < 0 || (size_t)contig >= info->contigs.n || !r->parse->header->contig_declared[contig])
        return bad(r, "contig number %d is not in the header", contig);
    r->placed = true;
    if (r->site.position < 0)
        return bad(r, "the position is negative");
    memcpy(&r->site.quality, p + 12, sizeof r->site.quality);
    r->n_alleles = gt_le16(p + 18);
    r->n_formats = p[23];
    p += SHARED_FIXED;
    if (!gt_bcf_value(&p, r->shared_end, &id) || (id.n && id.type != GT_BCF_CHAR))
        return bad(r, "the ID is damaged");
    int status = 0;
    if (r->parse->fields & GT_SITE_ID) {
        r->site.id = (uint32_t)r->block->ids.n;
        status = gt_strs_add(&r->block->ids, id.n ? (const char *)id.data : ".", id.n ? (size_t)id.n : 1, r->err);
    }
    if (!status)
        status = parse_alleles(r, &p);
    if (!status && (r->parse->fields & GT_SITE_QUAL))
        status = parse_filters(r, &p);
    r->info = p;
    return status;
}

/* --- genotypes ---------------------------------------------------------------------- */

/* A FORMAT field at *p, [p, t->data + all samples' values); *p moves past it. */
static int format_field(struct reader *r, const uint8_t **p, struct gt_bcf_value *key, struct gt_bcf_value *t)
{
    if (!gt_bcf_value(p, r->indiv_end, key) || !gt_bcf_is_int(key) || key->n != 1 || !gt_bcf_descriptor(p, r->indiv_end, t))
        return bad(r, "a FORMAT field is damaged");
    /* n is below 2^31, size at most 4 and samples below 2^24 */
    uint64_t bytes = (uint64_t)t->n * t->size * (uint64_t)r->parse->info->n_samples;
    if (bytes > (uint64_t)(r->indiv_end - *p))
        return bad(r, "a FORMAT field is longer than its record");
    t->data = *p;
    *p += bytes;
    return 0;
}

/* The GT values of all samples; t->n = 0 when the record has none. */
static int find_gt(struct reader *r, struct gt_bcf_value *gt)
{
    const uint8_t *p = r->indiv;
    int64_t n_samples = r->parse->info->n_samples, has = (int64_t)(gt_le32(r->shared + 20) & 0xffffff);
    *gt = (struct gt_bcf_value){.n = 0};
    char n[GT_THINGS_LEN], other[GT_NUM_LEN];
    if (r->n_formats && has != n_samples)
        return bad(r, "%s, the header has %s", gt_format_things(n, has, "sample"), gt_format_count(other, n_samples));
    for (int f = 0; f < r->n_formats; f++) {
        struct gt_bcf_value key, t;
        int status = format_field(r, &p, &key, &t);
        if (status)
            return status;
        if (gt_bcf_int(&key, 0) != r->parse->header->gt_key)
            continue;
        if (t.n && !gt_bcf_is_int(&t))
            return bad(r, "GT is not of an integer type");
        *gt = t;
        r->block->has_gt = true;
        return 0;
    }
    return 0;
}

/* Of a record that is dropped: where there is a GT it comes first. */
static bool gt_is_first(const struct reader *r)
{
    const uint8_t *p = r->indiv;
    struct gt_bcf_value key;
    return r->n_formats && gt_bcf_value(&p, r->indiv_end, &key) && gt_bcf_is_int(&key) && key.n == 1 &&
           gt_bcf_int(&key, 0) == r->parse->header->gt_key;
}

/* An allele as BCF has it: (number + 1) << 1 | phased; 0 is '.'; the type's smallest
 * values are "missing" and "end of vector". */
static int32_t allele_at(const struct gt_bcf_value *gt, int64_t i)
{
    int32_t v = gt_bcf_int(gt, i);
    int32_t minimum = gt_bcf_missing(gt);
    if (v == minimum)
        return GT_ALLELE_MISSING;
    if (v == minimum + 1)
        return GT_ALLELE_NONE;
    return v < 0 ? -3 : (v >> 1) - 1;
}

static int bad_call(struct reader *r, int64_t sample, const char *what)
{
    return bad(r, "sample '%.100s': %s", gt_strs_get(&r->parse->info->samples, (size_t)sample), what);
}

/* A call that the rule refuses. */
static int refuse_call(struct reader *r, int64_t sample, int code)
{
    bad_call(r, sample, gt_call_fault(code));
    gt_call_hint(code, r->err);
    return GT_INPUT;
}

static int call(struct reader *r, const struct gt_bcf_value *gt, int64_t sample, int *code)
{
    const struct gt_dosage_rule *rule = &r->row.rule;
    int32_t allele_of[2] = {GT_ALLELE_NONE, GT_ALLELE_NONE}, a;
    int64_t at = sample * gt->n, n = 0;
    bool known = false;
    for (; n < gt->n && (a = allele_at(gt, at + n)) != GT_ALLELE_NONE; n++) {
        if (a == -3)
            return bad_call(r, sample, "not a genotype");
        if (a >= r->n_alleles)
            return bad_call(r, sample, "there is no such allele");
        if (n < 2)
            allele_of[n] = a;
        known |= a >= 0;
    }
    int32_t b = allele_of[1];
    const bool phased = n > 1 && gt_bcf_int(gt, at + 1) & 1;
    a = allele_of[0];
    gt_row_alleles(&r->row, sample, &a, &b);
    *code = n > 2 ? gt_polyploid_code(rule, known, sample, &r->counts) : gt_call_code(rule, a, b, sample, &r->counts);
    if (*code > GT_CALL_MISSING)
        return refuse_call(r, sample, *code);
    if (r->row.haplotypes && !gt_put_haplotypes(rule, a, b, *code, phased, r->row.calls, sample, r->row.haplotypes))
        return refuse_call(r, sample, GT_CALL_UNPHASED);
    if (r->row.calls)
        gt_put_alleles(rule, a, b, *code, r->row.haplotypes, r->row.calls + 2 * sample);
    if (r->row.phases && phased)
        gt_put_phase(r->row.phases, sample, gt_phase_of(a, b, *code));
    if (gt_dosage_kept(rule, sample))
        gt_see_call(&r->seen, rule, a, b, *code);
    return 0;
}

/* All samples, one by one. */
static int parse_each(struct reader *r, const struct gt_bcf_value *gt, uint8_t *row)
{
    const int64_t n = r->parse->info->n_samples;
    unsigned byte = 0;
    int status = 0;
    for (int64_t s = 0; s < n && !status; s++) {
        int code = GT_CALL_MISSING;
        if (gt->n)
            status = call(r, gt, s, &code);
        byte |= (unsigned)code << 2 * (s & 3);
        if ((s & 3) == 3 || s + 1 == n) {
            row[s / 4] = (uint8_t)byte;
            byte = 0;
        }
    }
    return status;
}

/* Of calls in two int8 each, whose codes are in row. */
static void put_phases(const struct reader *r, const int8_t *gt, const uint8_t *row)
{
    const int64_t n = r->parse->info->n_samples;
    for (int64_t i = 0; 32 * i < n; i++)
        for (uint64_t hets = gt_het_codes(row, 0, n, i); hets; hets &= hets - 1) {
            const int64_t s = 32 * i + __builtin_ctzll(hets) / 2;
            if (gt[2 * s + 1] & 1)
                gt_put_phase(r->row.phases, s, gt_phase_of((gt[2 * s] >> 1) - 1, (gt[2 * s + 1] >> 1) - 1, 1));
        }
}

static int parse_calls(struct reader *r, const struct gt_bcf_value *gt)
{
    struct gt_block *block = r->block;
    uint8_t *row = block->rows.data + (size_t)block->n * block->stride;
    int64_t sample;
    int fault = GT_CALL_OTHER;
    r->seen = (struct gt_seen){0};
    if (gt->size == 1 && gt->n == 2 && r->n_alleles <= GT_DOSAGE_BCF_ALLELES && !r->row.exact)
        fault =
            gt_dosage_row_bcf(&r->parse->rule, (const int8_t *)gt->data, r->n_alleles, r->parse->info->n_samples, row, &r->counts, &sample);
    if (fault == GT_CALL_OTHER)
        return parse_each(r, gt, row);
    if (!fault && r->row.phases)
        put_phases(r, (const int8_t *)gt->data, row);
    return fault ? refuse_call(r, sample, fault) : 0;
}

/* --- the record as it stands ---------------------------------------------------------- */

/* The FORMAT fields of these n samples (NULL: the first n): *bytes is what they take.  They are copied to `to` unless
 * that is NULL. */
static int choose_formats(struct reader *r, const uint32_t *chosen, int64_t n, uint8_t *to, size_t *bytes)
{
    const uint8_t *p = r->indiv;
    *bytes = 0;
    for (int f = 0; f < r->n_formats; f++) {
        const uint8_t *from = p;
        struct gt_bcf_value key, t;
        int status = format_field(r, &p, &key, &t);
        if (status)
            return status;
        const size_t head = (size_t)(t.data - from), width = (size_t)t.n * t.size;
        if (to)
            memcpy(to + *bytes, from, head);
        *bytes += head;
        for (int64_t i = 0; i < n && to; i++)
            memcpy(to + *bytes + width * (size_t)i, t.data + width * (chosen ? chosen[i] : (size_t)i), width);
        *bytes += width * (size_t)n;
    }
    return 0;
}

static int keep_record(struct reader *r)
{
    int64_t n;
    const uint32_t *chosen = gt_filter_samples(r->parse->filter, &n);
    const size_t info = (size_t)(r->shared_end - r->info);
    size_t formats;
    int status = choose_formats(r, chosen, n, NULL, &formats);
    struct gt_record_body record = {.bcf = r->parse->header,
                                    .n = info + formats,
                                    .n_info = gt_le16(r->shared + 16),
                                    .info_bytes = (uint32_t)info,
                                    .n_format = (uint32_t)r->n_formats};
    uint8_t *to;
    if (!status)
        status = gt_block_add_record(r->block, &r->site, &record, &to, r->err);
    if (status)
        return status;
    memcpy(to, r->info, info);
    return choose_formats(r, chosen, n, to + info, &formats);
}

/* --- records ------------------------------------------------------------------------- */

/* The row that r->site is for; alt: as in struct gt_row_kind. */
static int add_row(struct reader *r, const struct gt_bcf_value *gt, int32_t alt)
{
    int status = gt_row_begin(r->parse, r->block, &r->site, alt, &r->row, r->err);
    if (!status)
        status = parse_calls(r, gt);
    return status ? status : gt_row_end(r->parse, r->block, &r->site, &r->seen, r->err);
}

struct split_record {
    struct reader *reader;
    const struct gt_bcf_value *gt;
};

static int add_split_row(void *ctx, int32_t alt)
{
    struct split_record *split = ctx;
    return add_row(split->reader, split->gt, alt);
}

static int parse_record(struct reader *r, int64_t number)
{
    struct gt_block *block = r->block;
    struct gt_site_checkpoint mark = gt_site_checkpoint(block);
    int status = parse_site(r);
    if (status)
        return status;
    if (!gt_record_kept(r->parse, block, &r->site, number, r->alts)) {
        gt_site_undo(block, mark);
        block->has_gt |= gt_is_first(r);
        return 0;
    }
    struct gt_bcf_value gt;
    if ((status = find_gt(r, &gt)) != 0)
        return status;
    if ((r->parse->fields & GT_SITE_RECORD) && (status = keep_record(r)) != 0)
        return status;
    struct split_record split = {r, &gt};
    if (r->parse->split && r->n_alleles > 2)
        return gt_split_rows(r->parse, block, &r->site, r->alts, &r->counts, add_split_row, &split, r->err);
    return add_row(r, &gt, 0);
}

int gt_vcf_parse_bcf(const struct gt_vcf_parse *parse, const struct gt_vcf_text *text, struct gt_block *block, struct gt_err *err)
{
    struct reader r = {.parse = parse, .block = block, .err = err, .record = text->record};
    block->stride = ((size_t)parse->info->n_samples + 3) / 4;
    block->sites_filtered = true;
    /* what has a GT has a byte a sample; rows of records without one make the block grow */
    int64_t most = (int64_t)text->n / (parse->info->n_samples + 32) + 1;
    int status = gt_block_rows(block, block->n + (text->records < most ? text->records : most), err);
    for (const uint8_t *p = (const uint8_t *)text->text, *end = text->n ? p + text->n : p; p < end && !status; r.record++) {
        uint64_t shared = end - p >= 8 ? gt_le32(p) : 0, indiv = end - p >= 8 ? gt_le32(p + 4) : 0;
        r.placed = false;
        if (shared < SHARED_FIXED || shared + indiv > (uint64_t)(end - p) - 8)
            return bad(&r, "its length is damaged");
        r.alts.first = p == (const uint8_t *)text->text ? text->first_alt : 0;
        r.alts.after = (uint64_t)(end - p) == shared + indiv + 8 ? text->after : 0;
        r.shared = p + 8;
        r.shared_end = r.indiv = r.shared + shared;
        r.indiv_end = p = r.indiv + indiv;
        status = parse_record(&r, r.record);
    }
    gt_call_counts_add(&r.counts, &block->stats);
    return status;
}
