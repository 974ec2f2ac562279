/* The rule that converts calls to codes, for VCF, BCF and stores of calls.
 *
 * The code is the number of non-reference alleles.  A call of one allele is haploid, one of two alleles with one missing
 * is a half call, one of more than two alleles is polyploid.  A call without non-missing alleles is missing, whatever its
 * ploidy. */
#ifndef GT_GENO_DOSAGE_H
#define GT_GENO_DOSAGE_H

#include <string.h>

#include "geno/model/ploidy.h"
#include "geno/model/select_opts.h"

#define GT_ALLELE_MISSING (-1) /* '.' */
#define GT_ALLELE_NONE (-2)    /* the call has no such allele */

/* Ploidy of a sample at a site on X, Y or MT, see geno/samples/sex.h. */
enum gt_call_ploidy { GT_PLOIDY_TWO, GT_PLOIDY_ONE, GT_PLOIDY_NONE };

struct gt_dosage_rule {
    int ploidy;  /* of the data (geno/model/ploidy.h); equals the code of a haploid ALT call: 1 or 2 */
    bool as_one; /* haploid data: two equal alleles count as one; otherwise diploid calls are refused */
    enum gt_half_call half_call;
    bool polyploid_missing; /* polyploid calls are missing; otherwise refused */
    const uint8_t *keep;    /* per input sample: calls of samples with 0 are neither counted nor refused; NULL = all samples */
    const uint8_t *copies;  /* enum gt_call_ploidy of each input sample at this site; NULL = diploid */
};

/* select: NULL = defaults. */
struct gt_dosage_rule gt_dosage_rule(const struct gt_select_opts *select, const uint8_t *keep);

/* Results of a call other than the codes 0, 1, 2. */
enum { GT_CALL_MISSING = 3, GT_CALL_HALF_ERROR, GT_CALL_POLYPLOID_ERROR, GT_CALL_UNPHASED, GT_CALL_DIPLOID, GT_CALL_HET, GT_CALL_OTHER };

/* Description of a refused call, and the hint for it. */
const char *gt_call_fault(int code);
void gt_call_hint(int code, struct gt_err *err);

/* Counts over the kept samples. */
struct gt_call_counts {
    int64_t half, haploid, polyploid;
    int64_t het_haploid; /* heterozygous haploid calls, set to missing */
};
void gt_call_counts_add(const struct gt_call_counts *counts, struct gt_select_stats *stats);

static inline bool gt_dosage_kept(const struct gt_dosage_rule *rule, int64_t sample)
{
    return !rule->keep || rule->keep[sample];
}

/* A call of one non-missing and one missing allele. */
int gt_half_call_code(const struct gt_dosage_rule *rule, int32_t allele, int64_t sample, struct gt_call_counts *counts);
/* A call of more than two alleles; known: at least one is not missing. */
int gt_polyploid_code(const struct gt_dosage_rule *rule, bool known, int64_t sample, struct gt_call_counts *counts);

/* A diploid call in haploid data. */
int gt_two_alleles_code(const struct gt_dosage_rule *rule, int32_t a, int32_t b, int64_t sample);

/* Is the call heterozygous although the sample is haploid here, or present although the sample has no copy?  Such calls
 * are missing; the former are counted. */
bool gt_call_ploidy_fault(const struct gt_dosage_rule *rule, int32_t a, int32_t b, int64_t sample, struct gt_call_counts *counts);

/* The code of a call of alleles a and b, either of which may be missing or absent. */
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

/* Of a heterozygous call: not; as 0|1; as 1|0. */
enum gt_phased { GT_PHASED_NOT, GT_PHASED_ASCENDING, GT_PHASED_DESCENDING };

/* Of a phased call with that code; a missing allele of a heterozygous call was read as REF. */
static inline unsigned gt_phase_of(int32_t a, int32_t b, int code)
{
    const int32_t first = a < 0 ? 0 : a, second = b < 0 ? 0 : b;
    if (b == GT_ALLELE_NONE || code == GT_CALL_MISSING || first == second || (code == 2 && (!first || !second)))
        return GT_PHASED_NOT;
    return first < second ? GT_PHASED_ASCENDING : GT_PHASED_DESCENDING;
}
static inline void gt_put_phase(uint8_t *row, int64_t sample, unsigned phase)
{
    row[sample / 4] |= (uint8_t)(phase << 2 * (sample & 3));
}

static inline unsigned gt_get_phase(const uint8_t *row, int64_t sample)
{
    return row ? row[sample / 4] >> 2 * (sample & 3) & 3 : 0;
}

/* Bits of the heterozygous calls among n codes from sample `from` on, which is a multiple of 4, in word i of 32 codes: the low bit
 * of each. */
static inline uint64_t gt_het_codes(const uint8_t *row, int64_t from, int64_t n, int64_t i)
{
    const int64_t left = n - 32 * i;
    uint64_t word = 0, low = 0x5555555555555555u;
    memcpy(&word, row + from / 4 + 8 * i, left < 32 ? ((size_t)left + 3) / 4 : sizeof word);
    return word & ~(word >> 1) & (left < 32 ? low & (((uint64_t)1 << 2 * left) - 1) : low);
}

/* And back: the alleles of a call of such a row and its code in ascending order, -1 where missing. */
static inline void gt_get_alleles(unsigned code, const uint8_t pair[2], int *a, int *b)
{
    const bool known = pair[0] != GT_ALLELE_BY_CODE, turned = known && pair[0] > pair[1];
    if (code == GT_CALL_MISSING)
        *a = *b = -1;
    else if (known)
        *a = pair[turned], *b = pair[!turned];
    else
        *a = code == 2, *b = code >= 1;
}
/* Its text and a tab: at most GT_ALLELES_TEXT bytes.  phase: enum gt_phased, looked at if the alleles differ.  one: one allele alone, of
 * haploid data.  Returns the end. */
#define GT_ALLELES_TEXT 8
char *gt_put_alleles_text(char *to, unsigned code, const uint8_t pair[2], unsigned phase, bool one);

/* The first two alleles of a call stored in `ploidy` places, GT_ALLELE_NONE if it has fewer; returns its number of alleles. */
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

/* --- alleles shown by calls: none, one, or more --- */

struct gt_seen {
    int64_t first; /* the allele that was seen first */
    bool any, more;
};

/* A missing one is none. */
static inline void gt_see_allele(struct gt_seen *seen, int64_t allele)
{
    if (allele < 0)
        return;
    seen->more |= seen->any && allele != seen->first;
    seen->first = seen->any ? seen->first : allele;
    seen->any = true;
}

/* Alleles shown by a call with that code.  A half call that is set to missing shows none; one whose missing allele is read as
 * REF shows REF. */
static inline void gt_see_call(struct gt_seen *seen, const struct gt_dosage_rule *rule, int32_t a, int32_t b, int code)
{
    if (code == GT_CALL_MISSING)
        return;
    gt_see_allele(seen, a);
    gt_see_allele(seen, b);
    if (rule->half_call == GT_HALF_REFERENCE && (a == GT_ALLELE_MISSING || b == GT_ALLELE_MISSING))
        gt_see_allele(seen, 0);
}

static inline uint8_t gt_alleles_seen(const struct gt_seen *seen)
{
    return (uint8_t)(seen->any + seen->more);
}

/* --- rows ---------------------------------------------------------------- */

/* Calls of a store, `ploidy` alleles each, of samples first .. first + n. */
struct gt_stored_calls {
    const int8_t *calls;
    int ploidy;
    int64_t first, n;
};
/* Converts them to codes in row, from its first byte, pad bits 0.  Returns 0, or why a call is refused and its *sample. */
int gt_dosage_row(const struct gt_dosage_rule *rule, const struct gt_stored_calls *from, uint8_t *row, struct gt_call_counts *counts,
                  int64_t *sample);
/* Converts BCF GT of two int8 per sample, of a record of at most GT_DOSAGE_BCF_ALLELES alleles.  GT_CALL_OTHER: a value is not a
 * valid call; convert the calls one by one.  Nothing is counted on failure. */
#define GT_DOSAGE_BCF_ALLELES 62
int gt_dosage_row_bcf(const struct gt_dosage_rule *rule, const int8_t *gt, int n_alleles, int64_t n, uint8_t *row,
                      struct gt_call_counts *counts, int64_t *sample);
/* Applies the rule's call ploidies to n codes of an input without alleles. */
void gt_call_ploidy_row(const struct gt_dosage_rule *rule, int64_t n, uint8_t *row, struct gt_call_counts *counts);
/* Converts numbers, number `which` of each `width` per sample: 0, 1, 2 are codes, negative numbers are missing.  Returns -1, or the
 * first sample with a number above 2. */
int64_t gt_number_row(const int8_t *values, int width, int which, int64_t n, uint8_t *row);

#endif
