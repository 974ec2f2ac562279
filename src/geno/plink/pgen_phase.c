/* A bit that says whether only some of the heterozygous calls are phased, then a bit for each of these calls: of all phased ones, whether
 * the larger allele comes first; of some, whether the call is phased, and those that are have their bit in an array of its own.
 *
 * Source: PLINK 2's file format specification (pgen_spec), "Phased heterozygous hard-calls". */
#include "geno/plink/pgen_phase.h"

#include <string.h>

#include "geno/model/block.h"
#include "geno/model/dosage.h"

static unsigned bits_of(const uint8_t *row, int64_t s)
{
    return row[s / 4] >> 2 * (s & 3) & 3;
}

static bool is_het(const uint8_t *row, const uint8_t *alleles, int64_t s)
{
    const unsigned code = bits_of(row, s);
    return code == 1 || (code == 2 && alleles && alleles[2 * s] != alleles[2 * s + 1]);
}

/* The first heterozygous call from s on; n if there is none. */
static int64_t next_het(const uint8_t *row, const uint8_t *alleles, int64_t s, int64_t n)
{
    for (; s < n; s++) {
        if (!alleles && s % 32 == 0 && !gt_het_codes(row, 0, n, s / 32)) {
            s += 31; /* none of these */
            continue;
        }
        if (is_het(row, alleles, s))
            return s;
    }
    return n;
}

static bool bit_at(const uint8_t *bits, int64_t i)
{
    return bits[i / 8] >> i % 8 & 1;
}

static void set_bit(uint8_t *bits, int64_t i)
{
    bits[i / 8] |= (uint8_t)(1u << i % 8);
}

const char *gt_pgen_read_phase(struct gt_pgen_bytes *r, int64_t n_samples, const uint8_t *row, const uint8_t *alleles, uint8_t *phases)
{
    int64_t hets = 0, phased = 0, s, at = 0, in = 0;

    for (s = next_het(row, alleles, 0, n_samples); s < n_samples; s = next_het(row, alleles, s + 1, n_samples))
        hets++;
    const uint8_t *calls = gt_pgen_take(r, ((uint64_t)hets + 1 + 7) / 8);
    if (!calls)
        return GT_PGEN_TOO_SHORT;
    const bool some = bit_at(calls, 0);
    for (int64_t i = 1; i <= hets && some; i++)
        phased += bit_at(calls, i);
    const uint8_t *turned = some ? gt_pgen_take(r, ((uint64_t)phased + 7) / 8) : NULL;
    if (some && !turned)
        return GT_PGEN_TOO_SHORT;
    for (s = next_het(row, alleles, 0, n_samples); s < n_samples; s = next_het(row, alleles, s + 1, n_samples)) {
        const bool bit = bit_at(calls, ++at);
        if (some && !bit)
            continue;
        gt_put_phase(phases, s, (some ? bit_at(turned, in++) : bit) ? GT_PHASED_DESCENDING : GT_PHASED_ASCENDING);
    }
    return NULL;
}

/* Heterozygous calls, and those of them that are phased. */
static int64_t count_hets(const uint8_t *row, const uint8_t *alleles, const uint8_t *phases, int64_t n_samples, int64_t *phased)
{
    int64_t hets = 0;
    *phased = 0;
    for (int64_t s = next_het(row, alleles, 0, n_samples); s < n_samples; s = next_het(row, alleles, s + 1, n_samples)) {
        hets++;
        *phased += gt_get_phase(phases, s) != GT_PHASED_NOT;
    }
    return hets;
}

int gt_pgen_put_phase(const uint8_t *row, const uint8_t *alleles, const uint8_t *phases, int64_t n_samples, struct gt_buf *bytes, bool *any,
                      struct gt_err *err)
{
    int64_t phased = 0;
    const int64_t hets = phases ? count_hets(row, alleles, phases, n_samples, &phased) : 0;
    const bool some = phased < hets;
    const size_t first = (size_t)(hets + 1 + 7) / 8, second = some ? (size_t)(phased + 7) / 8 : 0;

    *any = phased > 0;
    if (!*any)
        return GT_OK;
    int status = gt_buf_reserve(bytes, bytes->len + first + second, err);
    if (status)
        return status;
    uint8_t *calls = bytes->data + bytes->len, *turned = calls + first;
    int64_t at = 0, in = 0;
    memset(calls, 0, first + second);
    calls[0] = some;
    for (int64_t s = next_het(row, alleles, 0, n_samples); s < n_samples; s = next_het(row, alleles, s + 1, n_samples)) {
        const unsigned phase = gt_get_phase(phases, s);
        at++;
        if (!some && phase == GT_PHASED_DESCENDING)
            set_bit(calls, at);
        if (!some || phase == GT_PHASED_NOT)
            continue;
        set_bit(calls, at);
        if (phase == GT_PHASED_DESCENDING)
            set_bit(turned, in);
        in++;
    }
    bytes->len += first + second;
    return GT_OK;
}
