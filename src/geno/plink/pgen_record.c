/* How hard calls are stored (the bottom three bits of a record's type):
 *
 * 0     two bits a sample.
 * 1     a byte that names two codes, a bit a sample which of them it has, and a list of those that have another.
 * 2, 3  a list of those that differ from the base; of 3 codes 0 and 2 change places then.
 * 4, 6, 7  a list of those whose code is not 0, 2, 3.
 *
 * Source: PLINK 2's file format specification (pgen_spec). */
#include "geno/plink/pgen_record.h"

#include <string.h>

#include "geno/plink/pgen_alts.h"
#include "geno/plink/pgen_list.h"
#include "geno/plink/pgen_phase.h"
#include "geno/plink/pgen_tracks.h"

static const char NO_BASE[] = "a record refers to one that does not exist", BAD_TYPE[] = "a record has an unknown type";

/* Bits of a byte, apart by one. */
static unsigned spread(unsigned x)
{
    x = (x | x << 4) & 0x0f0f;
    x = (x | x << 2) & 0x3333;
    return (x | x << 1) & 0x5555;
}

/* A row of two codes, which a list then corrects. */
static const char *two_codes(struct gt_pgen_bytes *r, int64_t n_samples, uint8_t *row)
{
    const size_t bytes = ((size_t)n_samples + 3) / 4;
    const uint8_t *names = gt_pgen_take(r, 1), *bits = names ? gt_pgen_take(r, ((uint64_t)n_samples + 7) / 8) : NULL;

    if (!bits)
        return GT_PGEN_TOO_SHORT;
    const unsigned low = *names >> 2, more = *names & 3;
    if (!more || low + more > 3)
        return BAD_TYPE;
    for (size_t i = 0; i < bytes; i += 2) {
        const unsigned codes = low * 0x5555 + more * spread(bits[i / 2]);
        row[i] = (uint8_t)codes;
        if (i + 1 < bytes)
            row[i + 1] = (uint8_t)(codes >> 8);
    }
    return NULL;
}

/* Codes 0 and 2 change places. */
static void turn(uint8_t *row, size_t n)
{
    for (size_t i = 0; i < n; i++)
        row[i] = (uint8_t)(row[i] ^ (~row[i] & 0x55) << 1);
}

static const char *hard_calls(struct gt_pgen_bytes *r, uint8_t type, int64_t n_samples, const uint8_t *base, uint8_t *row)
{
    const size_t bytes = ((size_t)n_samples + 3) / 4;
    const unsigned how = type & GT_PGEN_HOW;
    const char *fault = NULL;
    uint32_t n;

    if (how == 5)
        return BAD_TYPE;
    const uint8_t *from = how == 0 ? gt_pgen_take(r, bytes) : base;
    if (!from && how == 0)
        return GT_PGEN_TOO_SHORT;
    if (!from && gt_pgen_is_difference(type))
        return NO_BASE;
    if (how == 0 || gt_pgen_is_difference(type))
        memcpy(row, from, bytes);
    else if (how == 1)
        fault = two_codes(r, n_samples, row);
    else
        memset(row, (how & 3) * 0x55, bytes);
    if (!fault && how)
        fault = gt_pgen_read_list(r, n_samples, row, NULL, &n);
    if (how == 3)
        turn(row, bytes);
    return fault;
}

const char *gt_pgen_decode(uint8_t type, const uint8_t *data, size_t n, int64_t n_samples, uint32_t n_alleles, const uint8_t *base,
                           uint8_t *row)
{
    struct gt_pgen_bytes r = {data, data + n};
    const char *fault = hard_calls(&r, type, n_samples, base, row);

    row[((size_t)n_samples + 3) / 4 - 1] &= (uint8_t)(0xff >> (-2 * n_samples & 7)); /* pad bits: those of the last byte */
    return fault ? fault : gt_pgen_check_tracks(&r, type, n_samples, n_alleles, row);
}

const char *gt_pgen_decode_tracks(uint8_t type, const uint8_t *data, size_t n, int64_t n_samples, uint32_t n_alleles, const uint8_t *row,
                                  uint8_t *scratch, uint8_t *alleles, uint8_t *phases)
{
    struct gt_pgen_bytes r = {data, data + n};
    const char *fault = hard_calls(&r, type, n_samples, row, scratch); /* only to pass over them */
    struct gt_pgen_bytes tracks = r;

    fault = fault ? fault : gt_pgen_check_tracks(&tracks, type, n_samples, n_alleles, row);
    if (!fault && alleles && type & GT_PGEN_ALTS)
        fault = gt_pgen_read_alts(&r, n_samples, n_alleles, row, alleles);
    return fault || !phases || !(type & GT_PGEN_PHASE) ? fault : gt_pgen_read_phase(&r, n_samples, row, alleles, phases);
}
