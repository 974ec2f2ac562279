#include "config.h"

#include "geno/model/dosage.h"

#include "kernels/kernels.h"
#include "storage/text/decimal.h"

enum { PART = 4096 }; /* samples whose masks are looked at together */

struct gt_dosage_rule gt_dosage_rule(const struct gt_select_opts *select, const uint8_t *keep)
{
    return (struct gt_dosage_rule){
        .ploidy = select && select->data_ploidy == GT_HAPLOID ? GT_HAPLOID : GT_DIPLOID,
        .as_one = select && select->ploidy == GT_HAPLOID,
        .half_call = select ? select->half_call : GT_HALF_MISSING,
        .polyploid_missing = select && select->polyploid == GT_POLYPLOID_MISSING,
        .keep = keep,
    };
}

char *gt_put_alleles_text(char *to, unsigned code, const uint8_t pair[2], unsigned phase, bool one)
{
    int alleles[2];
    gt_get_alleles(code, pair, &alleles[0], &alleles[1]);
    const bool phased = phase && alleles[0] != alleles[1];
    if (phased && phase == GT_PHASED_DESCENDING) {
        const int first = alleles[0];
        alleles[0] = alleles[1];
        alleles[1] = first;
    }
    for (int i = one; i < 2; i++) {
        if (alleles[i] < 0)
            *to++ = '.';
        else
            to = gt_decimal_uint(to, (uint64_t)alleles[i]);
        *to++ = i ? '\t' : phased ? '|' : '/';
    }
    return to;
}

const char *gt_call_fault(int code)
{
    return code == GT_CALL_HALF_ERROR ? "a half call"
           : code == GT_CALL_UNPHASED ? "an unphased heterozygous call"
           : code == GT_CALL_DIPLOID  ? "a diploid call after haploid calls"
           : code == GT_CALL_HET      ? "a heterozygous call in data that is read as haploid"
                                      : "its ploidy is above 2";
}

void gt_call_hint(int code, struct gt_err *err)
{
    if (code == GT_CALL_POLYPLOID_ERROR)
        gt_hint(err, "--polyploid missing sets such calls to missing");
    if (code == GT_CALL_UNPHASED)
        gt_hint(err, "--haplotypes needs phased calls such as 0|1; Beagle or SHAPEIT phase genotypes");
    if (code == GT_CALL_DIPLOID)
        gt_hint(err, "--ploidy 2 counts haploid calls as homozygous, --ploidy 1 counts homozygous calls as haploid");
    if (code == GT_CALL_HET)
        gt_hint(err, "bcftools +setGT IN -- -t q -n . -i 'GT=\"het\"' sets such calls to missing");
}

void gt_call_counts_add(const struct gt_call_counts *counts, struct gt_select_stats *stats)
{
    stats->half_calls += counts->half;
    stats->haploid_calls += counts->haploid;
    stats->polyploid_calls += counts->polyploid;
    stats->het_haploid_calls += counts->het_haploid;
}

int gt_half_call_code(const struct gt_dosage_rule *rule, int32_t allele, int64_t sample, struct gt_call_counts *counts)
{
    const bool kept = gt_dosage_kept(rule, sample);
    counts->half += kept;
    switch (rule->half_call) {
    case GT_HALF_HAPLOID:
        return allele > 0 ? rule->ploidy : 0;
    case GT_HALF_REFERENCE:
        return allele > 0;
    case GT_HALF_ERROR:
        return kept ? GT_CALL_HALF_ERROR : GT_CALL_MISSING;
    default:
        return GT_CALL_MISSING;
    }
}

int gt_two_alleles_code(const struct gt_dosage_rule *rule, int32_t a, int32_t b, int64_t sample)
{
    if (!gt_dosage_kept(rule, sample))
        return GT_CALL_MISSING;
    if (!rule->as_one)
        return GT_CALL_DIPLOID;
    return a != b ? GT_CALL_HET : a > 0;
}

bool gt_call_ploidy_fault(const struct gt_dosage_rule *rule, int32_t a, int32_t b, int64_t sample, struct gt_call_counts *counts)
{
    const bool half = a == GT_ALLELE_MISSING || b == GT_ALLELE_MISSING;
    if (rule->copies[sample] == GT_PLOIDY_NONE)
        return true;
    if (half && rule->half_call == GT_HALF_REFERENCE) { /* REF stands in */
        a = a < 0 ? 0 : a;
        b = b < 0 ? 0 : b;
    }
    if (a < 0 || b < 0 || a == b)
        return false;
    counts->het_haploid += gt_dosage_kept(rule, sample);
    return true;
}

int gt_polyploid_code(const struct gt_dosage_rule *rule, bool known, int64_t sample, struct gt_call_counts *counts)
{
    if (!known || !gt_dosage_kept(rule, sample))
        return GT_CALL_MISSING;
    counts->polyploid++;
    return rule->polyploid_missing ? GT_CALL_MISSING : GT_CALL_POLYPLOID_ERROR;
}

/* --- rows ------------------------------------------------------------------------------- */

static void set_code(uint8_t *row, int64_t s, int code)
{
    unsigned shift = 2 * (unsigned)(s & 3);
    row[s / 4] = (uint8_t)((row[s / 4] & ~(3u << shift)) | (unsigned)code << shift);
}

/* Bits of samples first, first + 1, ... that are kept. */
static int64_t count_kept(const struct gt_dosage_rule *rule, const uint64_t *bits, int64_t first, int64_t n)
{
    int64_t count = 0;
    for (int64_t w = 0; w < (n + 63) / 64; w++) {
        if (!rule->keep)
            count += __builtin_popcountll(bits[w]);
        for (uint64_t left = rule->keep ? bits[w] : 0; left; left &= left - 1)
            count += rule->keep[first + 64 * w + __builtin_ctzll(left)] != 0;
    }
    return count;
}

/* What the kernels have met in up to PART calls. */
struct met {
    unsigned what;
    uint64_t haploid[PART / 64], half[PART / 64];
};

/* The kernel has left the half calls missing.  Calls are two alleles each, of a store or, with ploidy BCF, as BCF has them. */
enum { BCF = 0 };
static int put_half_calls(const struct gt_dosage_rule *rule, const struct met *met, const struct gt_stored_calls *from, uint8_t *row,
                          struct gt_call_counts *counts, int64_t *sample)
{
    const int8_t *calls = from->calls;
    for (int64_t w = 0; w < (from->n + 63) / 64; w++) {
        for (uint64_t left = met->half[w]; left; left &= left - 1) {
            int64_t s = 64 * w + __builtin_ctzll(left);
            /* of the two the known one is the greater, as both have them */
            int32_t known = calls[2 * s] > calls[2 * s + 1] ? calls[2 * s] : calls[2 * s + 1];
            int code = gt_half_call_code(rule, from->ploidy == BCF ? (known >> 1) - 1 : known, from->first + s, counts);
            *sample = from->first + s;
            if (code > GT_CALL_MISSING)
                return code;
            set_code(row, s, code);
        }
    }
    return 0;
}

static int put_met(const struct gt_dosage_rule *rule, const struct met *met, const struct gt_stored_calls *from, uint8_t *row,
                   struct gt_call_counts *counts, int64_t *sample)
{
    if (met->what & GT_CALLS_HAPLOID)
        counts->haploid += count_kept(rule, met->haploid, from->first, from->n);
    return met->what & GT_CALLS_HALF ? put_half_calls(rule, met, from, row, counts, sample) : 0;
}

/* Calls of up to two alleles, at most PART. */
static int put_part(const struct gt_dosage_rule *rule, const struct gt_stored_calls *from, uint8_t *row, struct gt_call_counts *counts,
                    int64_t *sample)
{
    struct met met; /* not cleared: a row is short */
    met.what = GT_CALLS_HAPLOID;
    if (from->ploidy == 1)
        gt_kernels()->pack_haploid(from->calls, from->n, rule->ploidy, row, met.haploid);
    else
        met.what = gt_kernels()->pack_calls(from->calls, from->n, rule->ploidy, row, met.haploid, met.half);
    return put_met(rule, &met, from, row, counts, sample);
}

int gt_dosage_row_bcf(const struct gt_dosage_rule *rule, const int8_t *gt, int n_alleles, int64_t n, uint8_t *row,
                      struct gt_call_counts *counts, int64_t *sample)
{
    const struct gt_call_counts before = *counts;
    int fault = 0;
    for (int64_t s = 0; s < n && !fault; s += PART) {
        struct met met;
        const struct gt_stored_calls part = {gt + 2 * s, BCF, s, n - s < PART ? n - s : PART};
        met.what = gt_kernels()->pack_bcf(part.calls, part.n, n_alleles, rule->ploidy, row + s / 4, met.haploid, met.half);
        if (met.what & GT_CALLS_BAD)
            fault = GT_CALL_OTHER;
        else
            fault = put_met(rule, &met, &part, row + s / 4, counts, sample);
    }
    if (fault)
        *counts = before;
    return fault;
}

static int wide_code(const struct gt_dosage_rule *rule, const int8_t *call, int ploidy, int64_t sample, struct gt_call_counts *counts)
{
    int32_t allele[2];
    bool known = false;
    if (gt_call_pair(call, ploidy, allele) <= 2)
        return gt_call_code(rule, allele[0], allele[1], sample, counts);
    for (int i = 0; i < ploidy; i++)
        known |= call[i] >= 0;
    return gt_polyploid_code(rule, known, sample, counts);
}

static int put_wide(const struct gt_dosage_rule *rule, const struct gt_stored_calls *from, uint8_t *row, struct gt_call_counts *counts,
                    int64_t *sample)
{
    for (int64_t s = 0; s < from->n; s++) {
        int code = wide_code(rule, from->calls + s * from->ploidy, from->ploidy, from->first + s, counts);
        *sample = from->first + s;
        if (code > GT_CALL_MISSING)
            return code;
        if (s % 4 == 0)
            row[s / 4] = 0;
        set_code(row, s, code);
    }
    return 0;
}

int gt_dosage_row(const struct gt_dosage_rule *rule, const struct gt_stored_calls *from, uint8_t *row, struct gt_call_counts *counts,
                  int64_t *sample)
{
    const int ploidy = from->ploidy;
    int fault = 0;
    if (ploidy > 2 || rule->copies || (ploidy == 2 && rule->ploidy == GT_HAPLOID))
        return put_wide(rule, from, row, counts, sample);
    for (int64_t s = 0; s < from->n && !fault; s += PART) {
        const int64_t left = from->n - s;
        const struct gt_stored_calls part = {from->calls + s * ploidy, ploidy, from->first + s, left < PART ? left : PART};
        fault = put_part(rule, &part, row + s / 4, counts, sample);
    }
    return fault;
}

void gt_call_ploidy_row(const struct gt_dosage_rule *rule, int64_t n, uint8_t *row, struct gt_call_counts *counts)
{
    for (int64_t s = 0; s < n; s++) {
        const int code = row[s / 4] >> 2 * (s & 3) & 3;
        if (rule->copies[s] && code != GT_CALL_MISSING) /* of a code the alleles are REF and any ALT */
            set_code(row, s, gt_call_code(rule, code == 2, code > 0, s, counts));
    }
}

int64_t gt_number_row(const int8_t *values, int width, int which, int64_t n, uint8_t *row)
{
    int over = 0;
    if (width == 1) {
        over = gt_kernels()->pack_i8(values, n, row);
    } else if (width == 2) {
        over = gt_kernels()->pack_allele(values, which, n, row);
    } else {
        for (int64_t s = 0; s < n; s++) {
            int8_t v = values[s * width + which];
            if (s % 4 == 0)
                row[s / 4] = 0;
            set_code(row, s, v < 0 || v > 2 ? GT_CALL_MISSING : v);
            over |= v > 2;
        }
    }
    for (int64_t s = 0; over && s < n; s++)
        if (values[s * width + which] > 2)
            return s;
    return -1;
}
