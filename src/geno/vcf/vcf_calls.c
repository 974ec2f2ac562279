/* The sample columns of VCF text.  Lines that have GT alone, or first, go through the scan_gt kernels,
 * which leave what is not "a|b" of single digits to the scalar code. */
#include "config.h"

#include "geno/vcf/vcf_line.h"
#include "kernels/kernels.h"
#include "kernels/plain_call.h"

static int bad_call(struct gt_vcf_line *r, int64_t sample, const char *s, const char *end, const char *what)
{
    size_t n = 0;
    while (s + n < end && n < 40 && s[n] != '\t' && s[n] != ':')
        n++;
    return gt_vcf_bad(r, "sample '%.100s' has genotype '%.*s': %s", gt_strs_get(&r->parse->info->samples, (size_t)sample), (int)n, s, what);
}

static int few_columns(struct gt_vcf_line *r, int64_t n)
{
    return gt_vcf_bad(r, "%lld sample columns, the header has %lld", (long long)n, (long long)r->parse->info->n_samples);
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

/* A call that the rule refuses. */
static int refuse_call(struct gt_vcf_line *r, int64_t sample, const char *s, const char *end, int code)
{
    bad_call(r, sample, s, end, gt_call_fault(code));
    gt_call_hint(code, r->err);
    return GT_INPUT;
}

static bool separates(const char *p, const char *end)
{
    return p < end && gt_is_separator(*p);
}

/* The GT subfield at [s, end), any form.  Its code into *code. */
static int call(struct gt_vcf_line *r, int64_t sample, const char *s, const char *end, int *code)
{
    const struct gt_dosage_rule *rule = &r->row.rule;
    const char *p = s + separates(s, end); /* VCF 4.4: the phase of the first allele */
    int32_t allele_of[2] = {GT_ALLELE_NONE, GT_ALLELE_NONE};
    int n = 0;
    bool known = false, phased = false;
    do {
        phased = n == 1 ? *p == '|' : phased;
        p += n > 0;
        int32_t a = allele(&p, end);
        if (a == -3)
            return bad_call(r, sample, s, end, "not a genotype");
        if (a >= r->n_alleles)
            return bad_call(r, sample, s, end, "there is no such allele");
        if (n < 2)
            allele_of[n] = a;
        known |= a >= 0;
        n++;
    } while (separates(p, end));
    if (p != end)
        return bad_call(r, sample, s, end, "not a genotype");
    int32_t a = allele_of[0], b = allele_of[1];
    gt_row_alleles(&r->row, sample, &a, &b);
    *code = n > 2 ? gt_polyploid_code(rule, known, sample, &r->counts) : gt_call_code(rule, a, b, sample, &r->counts);
    if (*code > GT_CALL_MISSING)
        return refuse_call(r, sample, s, end, *code);
    if (r->row.haplotypes && !gt_put_haplotypes(rule, a, b, *code, phased, r->row.calls, sample, r->row.haplotypes))
        return refuse_call(r, sample, s, end, GT_CALL_UNPHASED);
    if (r->row.calls)
        gt_put_alleles(rule, a, b, *code, r->row.haplotypes, r->row.calls + 2 * sample);
    if (r->row.phases && phased)
        gt_put_phase(r->row.phases, sample, gt_phase_of(a, b, *code));
    if (gt_dosage_kept(rule, sample))
        gt_see_call(&r->seen, rule, a, b, *code);
    return 0;
}

/* Of a plain heterozygous call. */
static unsigned phase_at(const char *call)
{
    return call[1] != '|' ? GT_PHASED_NOT : call[0] < call[2] ? GT_PHASED_ASCENDING : GT_PHASED_DESCENDING;
}

/* Of n samples from `from` on, whose text is four bytes each and whose codes are in row. */
static void put_phases(const char *text, int64_t from, int64_t n, const uint8_t *row, uint8_t *phases)
{
    for (int64_t i = 0; 32 * i < n; i++)
        for (uint64_t hets = gt_het_codes(row, from, n, i); hets; hets &= hets - 1) {
            const int64_t s = 32 * i + __builtin_ctzll(hets) / 2;
            gt_put_phase(phases, from + s, phase_at(text + 4 * s));
        }
}

/* Samples [from, to), from % 4 == 0, of the text at *text, which ends in a tab, into
 * row.  The text of a sample is a call alone (gt_only) or has it in subfield gt_at. */
static int scan_samples(struct gt_vcf_line *r, const char **text, const char *end, int64_t from, int64_t to, uint8_t *row)
{
    const char *p = *text;
    unsigned byte = 0;
    int status = 0;
    const unsigned alleles = r->n_alleles < 10 ? (unsigned)r->n_alleles : 10;
    const bool quick = !r->parse->want_seen && !r->row.exact && r->gt_at == 0;
    for (int64_t s = from; s < to && !status; s++) {
        int code = GT_CALL_MISSING;
        if (p >= end)
            return few_columns(r, s);
        const char *stop = gt_vcf_find(p, end, '\t'), *g = p;
        /* two single digits: nearly all calls, of lines too that are half haploid */
        if (quick && stop - p >= 3 && gt_is_plain_call(p, alleles) && gt_ends_call(p[3])) {
            code = (p[0] != '0') + (p[2] != '0');
            if (code == 1 && r->row.phases)
                gt_put_phase(r->row.phases, s, phase_at(p));
        } else {
            for (int skip = r->gt_at; skip > 0 && g < stop; skip--)
                g = gt_vcf_find(g, stop, ':') + 1;
            if (g < stop || (r->gt_at == 0 && g == stop))
                status = call(r, s, g, gt_vcf_find(g, stop, ':'), &code);
        }
        p = stop + 1;
        byte |= (unsigned)code << 2 * (s & 3);
        if ((s & 3) == 3 || s + 1 == to) {
            row[s / 4] = (uint8_t)byte;
            byte = 0;
        }
    }
    *text = p;
    return status;
}

/* Lines with GT alone or first: the kernel scans as many samples as it can, the next ones are parsed one by one.  If the
 * kernel makes no progress (haploid lines), it is called less and less often. */
static int scan_gt_lines(struct gt_vcf_line *r, const char **text, const char *end, uint8_t *row)
{
    const struct gt_kernels *k = gt_kernels();
    const int alleles = r->n_alleles < 10 ? r->n_alleles : 10;
    const bool plain = !r->row.exact && (r->gt_only || (!r->parse->want_seen && !r->row.phases));
    int64_t n = r->parse->info->n_samples, at = 0, by_hand = 4;
    while (at < n) {
        if (plain) {
            struct gt_scan_result got = (r->gt_only ? k->scan_gt : k->scan_gt_first)(*text, end, n - at, at, alleles, row);
            if (r->row.phases)
                put_phases(*text, at, got.done, row, r->row.phases);
            at += got.done;
            *text = got.end;
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
    if (plain)
        r->seen = (struct gt_seen){0}; /* the kernel's samples are not in it: the codes tell */
    return 0;
}

/* No GT in FORMAT: the columns are counted all the same. */
static int skip_samples(struct gt_vcf_line *r, const char **text, const char *end, uint8_t *row)
{
    int64_t n = r->parse->info->n_samples;
    const char *p = *text;
    for (int64_t s = 0; s < n; s++) {
        if (p >= end)
            return few_columns(r, s);
        p = gt_vcf_find(p, end, '\t') + 1;
    }
    *text = p;
    memset(row, 0xff, r->block->stride);
    if (n % 4)
        row[r->block->stride - 1] = (uint8_t)((1u << 2 * (n % 4)) - 1);
    return 0;
}

int gt_vcf_calls(struct gt_vcf_line *r, char *text, char *end)
{
    struct gt_block *block = r->block;
    uint8_t *row = block->rows.data + (size_t)block->n * block->stride;
    const char *p = text;
    int status;
    *end = '\t'; /* every call then ends in a tab */
    r->seen = (struct gt_seen){0};
    if (!r->parse->info->n_samples)
        return 0;
    if (r->gt_at < 0)
        status = skip_samples(r, &p, end + 1, row);
    else if (r->gt_at == 0)
        status = scan_gt_lines(r, &p, end + 1, row);
    else
        status = scan_samples(r, &p, end + 1, 0, r->parse->info->n_samples, row);
    if (status || p == end + 1)
        return status;
    int64_t n = r->parse->info->n_samples;
    for (; p < end + 1; n++)
        p = gt_vcf_find(p, end + 1, '\t') + 1;
    return few_columns(r, n);
}
