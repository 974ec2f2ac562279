/* What a call counts as: the one rule for VCF, BCF and stores of calls.
 *
 * The dosage is the number of alleles that are not REF.  A call of one allele is
 * haploid, one of whose two alleles is missing is a half call, one of more than two
 * alleles is polyploid.  A call without any allele that is known is missing, whatever its
 * ploidy. */
#ifndef GT_GENO_DOSAGE_H
#define GT_GENO_DOSAGE_H

#include "geno/model/ploidy.h"
#include "geno/model/select_opts.h"

#define GT_ALLELE_MISSING (-1) /* '.' */
#define GT_ALLELE_NONE (-2)    /* an allele that the call does not have */

/* Copies of a site that a sample has, where that is known: of X and Y, see geno/sex.h. */
enum gt_call_ploidy { GT_PLOIDY_TWO, GT_PLOIDY_ONE, GT_PLOIDY_NONE };

struct gt_dosage_rule {
    int ploidy;  /* of the data (geno/model/ploidy.h), which is the code of one allele that is ALT: 1 or 2 */
    bool as_one; /* haploid data: two equal alleles count as one; else they are refused, as different ones are */
    enum gt_half_call half_call;
    bool polyploid_missing; /* polyploid calls count as missing; else they are refused */
    const uint8_t *keep;    /* one an input sample: where it is 0, calls do not count and are never refused; NULL = all */
    const uint8_t *copies;  /* enum gt_call_ploidy of each input sample, at the site in question; NULL = two */
};

/* select: NULL = the defaults. */
struct gt_dosage_rule gt_dosage_rule(const struct gt_select_opts *select, const uint8_t *keep);

/* What a call is beside the codes 0, 1, 2. */
enum { GT_CALL_MISSING = 3, GT_CALL_HALF_ERROR, GT_CALL_POLYPLOID_ERROR, GT_CALL_UNPHASED, GT_CALL_DIPLOID, GT_CALL_HET, GT_CALL_OTHER };

/* What is wrong with a call that is refused, and the hint for it. */
const char *gt_call_fault(int code);
void gt_call_hint(int code, struct gt_err *err);

/* Of the samples that are kept. */
struct gt_call_counts {
    int64_t half, haploid, polyploid;
    int64_t het_haploid; /* two alleles where there is one copy: missing */
};
void gt_call_counts_add(const struct gt_call_counts *counts, struct gt_select_stats *stats);

static inline bool gt_dosage_kept(const struct gt_dosage_rule *rule, int64_t sample)
{
    return !rule->keep || rule->keep[sample];
}

/* A call of one known allele and one that is missing. */
int gt_half_call_code(const struct gt_dosage_rule *rule, int32_t allele, int64_t sample, struct gt_call_counts *counts);
/* A call of more than two alleles; known: one of them is. */
int gt_polyploid_code(const struct gt_dosage_rule *rule, bool known, int64_t sample, struct gt_call_counts *counts);

/* Of two known alleles in haploid data. */
int gt_two_alleles_code(const struct gt_dosage_rule *rule, int32_t a, int32_t b, int64_t sample);

/* Has the call two alleles that differ, where there is one copy, or any where there is none?  Then it counts as
 * missing, and is counted in the former case. */
bool gt_call_ploidy_fault(const struct gt_dosage_rule *rule, int32_t a, int32_t b, int64_t sample, struct gt_call_counts *counts);

/* A call of alleles a and b, either of which may be missing or none. */
static inline int gt_call_code(const struct gt_dosage_rule *rule, int32_t a, int32_t b, int64_t sample, struct gt_call_counts *counts)
{
    const bool one = rule->copies && rule->copies[sample];
    if (one && gt_call_ploidy_fault(rule, a, b, sample, counts))
        return GT_CALL_MISSING;
    if (a >= 0 && b >= 0)
        return rule->ploidy == GT_HAPLOID ? gt_two_alleles_code(rule, a, b, sample) : (a > 0) + (b > 0);
    if (a < 0 && b < 0)
        return GT_CALL_MISSING;
    int32_t known = a >= 0 ? a : b, other = a >= 0 ? b : a;
    if (other != GT_ALLELE_NONE)
        return gt_half_call_code(rule, known, sample, counts);
    counts->haploid += gt_dosage_kept(rule, sample);
    return known > 0 ? rule->ploidy : 0;
}

static inline unsigned gt_haplotype_code(const struct gt_dosage_rule *rule, int32_t allele)
{
    if (allele == GT_ALLELE_MISSING && rule->half_call == GT_HALF_REFERENCE)
        return 0;
    return allele < 0 ? GT_CALL_MISSING : allele > 0;
}

/* The alleles of a call with that code into a row of two codes a sample, all missing so far.  A
 * haploid call has the first one alone.  alleles: two ALTs are not the same.  False: which is which is not known, and
 * matters. */
static inline bool gt_put_haplotypes(const struct gt_dosage_rule *rule, int32_t a, int32_t b, int code, bool phased, bool alleles,
                                     int64_t sample, uint8_t *row)
{
    const unsigned first = gt_haplotype_code(rule, a), second = gt_haplotype_code(rule, b), shift = 4 * (unsigned)(sample & 1);
    if (code == GT_CALL_MISSING)
        return true;
    row[sample / 2] = (uint8_t)((row[sample / 2] & ~(15u << shift)) | (first | second << 2) << shift);
    const bool same = first == second && !(alleles && first == 1 && a != b);
    return phased || same || b == GT_ALLELE_NONE || !gt_dosage_kept(rule, sample);
}

/* The alleles of a call with that code, one or both above 1, for rows of single alleles; other calls leave `pair` as it is.
 * Of a diploid call both, of a haploid call the one twice; of haplotypes each in its place, GT_ALLELE_BY_CODE where the
 * haplotype's code says it.  Alleles from GT_ALLELE_LAST on count as one. */
enum { GT_ALLELE_LAST = 127, GT_ALLELE_BY_CODE = 255 };
static inline void gt_put_alleles(const struct gt_dosage_rule *rule, int32_t a, int32_t b, int code, bool haplotypes, uint8_t pair[2])
{
    if (code == GT_CALL_MISSING || (a < 2 && b < 2))
        return;
    if (!haplotypes) {
        const bool reference = rule->half_call == GT_HALF_REFERENCE;
        const int32_t first = a;
        a = a >= 0 ? a : a == GT_ALLELE_MISSING && reference ? 0 : b;
        b = b >= 0 ? b : b == GT_ALLELE_MISSING && reference ? 0 : first;
    }
    a = a < GT_ALLELE_LAST ? a : GT_ALLELE_LAST;
    b = b < GT_ALLELE_LAST ? b : GT_ALLELE_LAST;
    pair[0] = haplotypes && a < 2 ? GT_ALLELE_BY_CODE : (uint8_t)a;
    pair[1] = haplotypes && b < 2 ? GT_ALLELE_BY_CODE : (uint8_t)b;
}

/* A call with room for `ploidy` alleles, most often not used: how many it has, and the first two
 * of them, GT_ALLELE_NONE where it has fewer. */
static inline int gt_call_pair(const int8_t *call, int ploidy, int32_t pair[2])
{
    int n = 0;
    pair[0] = pair[1] = GT_ALLELE_NONE;
    for (int i = 0; i < ploidy; i++) {
        if (call[i] == GT_ALLELE_NONE)
            continue;
        if (n < 2)
            pair[n] = call[i];
        n++;
    }
    return n;
}

/* --- alleles that calls show: bits, the last of which stands for all from 63 on --- */

static inline uint64_t gt_allele_bit(int32_t allele)
{
    return allele < 0 ? 0 : (uint64_t)1 << (allele < 63 ? allele : 63);
}

/* Of a call with that code.  A half call that counts as missing shows none; one where REF
 * stands in for the missing allele shows REF. */
static inline uint64_t gt_call_shows(const struct gt_dosage_rule *rule, int32_t a, int32_t b, int code)
{
    if (code == GT_CALL_MISSING)
        return 0;
    bool half = a == GT_ALLELE_MISSING || b == GT_ALLELE_MISSING;
    return gt_allele_bit(a) | gt_allele_bit(b) | (half && rule->half_call == GT_HALF_REFERENCE);
}

static inline uint8_t gt_alleles_seen(uint64_t bits)
{
    return (uint8_t)__builtin_popcountll(bits);
}

/* --- rows ---------------------------------------------------------------- */

/* The calls of a store, `ploidy` alleles each, of samples first .. first + n as codes in row, from
 * its first byte on, pad bits 0.  0, or what a call is that is refused and *sample whose. */
int gt_dosage_row(const struct gt_dosage_rule *rule, const int8_t *calls, int ploidy, int64_t first, int64_t n, uint8_t *row,
                  struct gt_call_counts *counts, int64_t *sample);
/* GT of BCF in two int8 a sample, of a record of at most GT_DOSAGE_BCF_ALLELES, likewise.
 * GT_CALL_OTHER: one of them is no call of this record: they are to be looked at one by
 * one.  Nothing is counted when there is a fault. */
#define GT_DOSAGE_BCF_ALLELES 62
int gt_dosage_row_bcf(const struct gt_dosage_rule *rule, const int8_t *gt, int n_alleles, int64_t n, uint8_t *row,
                      struct gt_call_counts *counts, int64_t *sample);
/* n codes that the input has in the place of calls, as the rule's copies want them. */
void gt_call_ploidy_row(const struct gt_dosage_rule *rule, int64_t n, uint8_t *row, struct gt_call_counts *counts);
/* One number a sample, number `which` of each `width`: 0, 1, 2 as they are, below 0 is
 * missing.  -1, or the first sample with a number above 2. */
int64_t gt_number_row(const int8_t *values, int width, int which, int64_t n, uint8_t *row);

#endif
