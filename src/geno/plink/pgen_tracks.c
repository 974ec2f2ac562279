/* Tracks 1 to 8 of a record, as PLINK 2's file format specification (pgen_spec) has them.  Those of multiallelic
 * dosages, which it leaves open, are not checked. */
#include "geno/plink/pgen_tracks.h"

#include <string.h>

#include "geno/plink/pgen_alts.h"
#include "geno/plink/pgen_record.h"
#include "kernels/kernels.h"

static const char BAD_TYPE[] = "a record has an unknown type", TOO_LONG[] = "a record is longer than its contents",
                  BAD_BITS[] = "a record has more bits set than samples to set them for";

static int64_t count_bits(const uint8_t *bits, uint64_t n_bytes)
{
    int64_t n = 0;
    uint64_t word;

    for (; n_bytes >= sizeof word; n_bytes -= sizeof word, bits += sizeof word) {
        memcpy(&word, bits, sizeof word);
        n += __builtin_popcountll(word);
    }
    for (uint64_t i = 0; i < n_bytes; i++)
        n += __builtin_popcount(bits[i]);
    return n;
}

/* A bit for each of n things; *set: how many are 1.  The bits after them must be 0. */
static const char *take_bits(struct gt_pgen_bytes *r, int64_t n, int64_t *set)
{
    const uint64_t n_bytes = ((uint64_t)n + 7) / 8;
    const uint8_t *bits = gt_pgen_take(r, n_bytes);

    if (!bits)
        return GT_PGEN_TOO_SHORT;
    *set = count_bits(bits, n_bytes);
    return n % 8 && bits[n_bytes - 1] >> n % 8 ? BAD_BITS : NULL;
}

/* Which of the n calls of a kind have another ALT than the first: all bits, a list, or none. */
static const char *patch_set(struct gt_pgen_bytes *r, unsigned how, int64_t n, int64_t n_samples, int64_t *entries)
{
    uint32_t listed;
    const char *fault;

    *entries = 0;
    if (how == 15)
        return NULL;
    if (how == 0)
        return take_bits(r, n, entries);
    if (how != 1)
        return BAD_TYPE;
    fault = gt_pgen_read_list(r, n_samples, NULL, NULL, &listed);
    *entries = fault ? 0 : listed;
    return fault ? fault : listed > n ? BAD_BITS : NULL;
}

/* How many of n pairs of ALTs, `bits` each, are two different ones. */
static int64_t count_unlike(const uint8_t *pairs, int64_t n, unsigned bits)
{
    int64_t unlike = 0;

    for (int64_t i = 0; i < n; i++) {
        uint32_t a = 0, b = 0;
        if (bits < 8) {
            const unsigned pair = pairs[i * 2 * bits / 8] >> i * 2 * bits % 8;
            a = pair & ((1u << bits) - 1);
            b = pair >> bits & ((1u << bits) - 1);
        } else {
            memcpy(&a, pairs + i * 2 * (bits / 8), bits / 8);
            memcpy(&b, pairs + (i * 2 + 1) * (bits / 8), bits / 8);
        }
        unlike += a != b;
    }
    return unlike;
}

/* Track 1; *hets grows by the calls with two different ALTs. */
static const char *alts(struct gt_pgen_bytes *r, int64_t n_samples, uint32_t n_alleles, const int64_t counts[4], int64_t *hets)
{
    const uint8_t *how = gt_pgen_take(r, 1);
    int64_t entries, set;

    if (!how)
        return GT_PGEN_TOO_SHORT;
    const char *fault = patch_set(r, *how & 15, counts[1], n_samples, &entries);
    if (fault)
        return fault;
    if (!gt_pgen_take(r, ((uint64_t)entries * gt_pgen_alt_bits((int64_t)n_alleles - 2) + 7) / 8))
        return GT_PGEN_TOO_SHORT;
    fault = patch_set(r, *how >> 4, counts[2], n_samples, &entries);
    if (fault)
        return fault;
    if (n_alleles == 3) { /* a bit each: homozygous for the second ALT */
        fault = take_bits(r, entries, &set);
        *hets += fault ? 0 : entries - set;
        return fault;
    }
    const unsigned bits = gt_pgen_pair_bits(n_alleles);
    const uint8_t *pairs = gt_pgen_take(r, ((uint64_t)entries * 2 * bits + 7) / 8);
    if (!pairs)
        return GT_PGEN_TOO_SHORT;
    *hets += count_unlike(pairs, entries, bits);
    return NULL;
}

/* Track 2: its first bit says whether a bit for each heterozygous call says that it is phased. */
static const char *phase(struct gt_pgen_bytes *r, int64_t hets)
{
    int64_t set;

    if (r->at == r->end)
        return GT_PGEN_TOO_SHORT;
    const int64_t some = *r->at & 1;
    const char *fault = take_bits(r, 1 + hets, &set);
    return fault || !some ? fault : take_bits(r, set - 1, &set);
}

/* Tracks 3, 4, 7 and 8. */
static const char *dosages(struct gt_pgen_bytes *r, uint8_t type, int64_t n_samples)
{
    enum { SOME = 32, ALL = 64, PHASED = 128 };
    const char *fault = NULL;
    uint32_t listed = 0;
    int64_t n = n_samples;

    if ((type & GT_PGEN_DOSAGE) == GT_PGEN_DOSAGE)
        fault = take_bits(r, n_samples, &n);
    else if (type & SOME) {
        fault = gt_pgen_read_list(r, n_samples, NULL, NULL, &listed);
        n = listed;
    }
    if (!fault && !gt_pgen_take(r, (uint64_t)n * 2))
        fault = GT_PGEN_TOO_SHORT;
    if (fault || !(type & PHASED))
        return fault;
    if (type & SOME)
        fault = take_bits(r, n, &n);
    return fault ? fault : gt_pgen_take(r, (uint64_t)n * 2) ? NULL : GT_PGEN_TOO_SHORT;
}

const char *gt_pgen_check_tracks(struct gt_pgen_bytes *r, uint8_t type, int64_t n_samples, uint32_t n_alleles, const uint8_t *row)
{
    const bool multiallelic = type & GT_PGEN_ALTS;
    const char *fault = NULL;
    int64_t counts[4] = {0};

    if (multiallelic && n_alleles < 3)
        return NULL;
    if (multiallelic || (type & GT_PGEN_PHASE))
        gt_kernels()->count_codes(row, n_samples, counts);
    int64_t hets = counts[1];
    if (multiallelic)
        fault = alts(r, n_samples, n_alleles, counts, &hets);
    if (!fault && (type & GT_PGEN_PHASE))
        fault = phase(r, hets);
    if (!fault && (type & GT_PGEN_DOSAGE)) {
        if (n_alleles > 2)
            return NULL;
        fault = dosages(r, type, n_samples);
    }
    return fault ? fault : r->at < r->end ? TOO_LONG : NULL;
}
