/* How hard calls are stored (the bottom three bits of a record's type):
 *
 * 0     two bits a sample.
 * 1     a byte that names two codes, a bit a sample which of them it has, and a list of those that have another.
 * 2, 3  a list of those that differ from the base; of 3 codes 0 and 2 change places then.
 * 4, 6, 7  a list of those whose code is not 0, 2, 3.
 *
 * A list has its length; for each 64 entries the number of the first sample, in as few bytes as can number
 * all; for each 64 but the last how many bytes their steps take, less 63; two bits an entry, its code; and
 * the steps from one sample to the next within each 64.  Lengths and steps are LEB128.
 *
 * Source: PLINK 2's file format specification (pgen_spec). */
#include "geno/plink/pgen_record.h"

#include <string.h>

static const char TOO_SHORT[] = "a record is shorter than what it holds", BAD_LIST[] = "a list of samples is not in order or names one that there is not",
                  NO_BASE[] = "a record differs from one that there is not", BAD_TYPE[] = "a record has a type that is not known",
                  TOO_LONG[] = "a record is longer than what it holds";

struct reader {
    const uint8_t *at, *end;
};

/* LEB128 of at most 32 bits. */
static bool take_number(struct reader *r, uint32_t *value)
{
    uint64_t v = 0;

    for (int shift = 0; shift < 35 && r->at < r->end; shift += 7) {
        const uint8_t byte = *r->at++;
        v |= (uint64_t)(byte & 127) << shift;
        if (byte < 128) {
            *value = (uint32_t)v;
            return v <= UINT32_MAX;
        }
    }
    return false;
}

static const uint8_t *take_bytes(struct reader *r, uint64_t n)
{
    const uint8_t *from = r->at;

    if ((uint64_t)(r->end - r->at) < n)
        return NULL;
    r->at += n;
    return from;
}

static void set_code(uint8_t *row, uint32_t sample, unsigned code)
{
    const unsigned shift = 2 * (sample & 3);

    row[sample / 4] = (uint8_t)((row[sample / 4] & ~(3u << shift)) | code << shift);
}

enum { GROUP = 64 };

static const char *patch(struct reader *r, int64_t n_samples, uint8_t *row)
{
    const size_t width = n_samples <= 1 << 8 ? 1 : n_samples <= 1 << 16 ? 2 : n_samples <= 1 << 24 ? 3 : 4;
    uint32_t n;

    if (!take_number(r, &n))
        return TOO_SHORT;
    if (n == 0)
        return NULL;
    if (n > n_samples)
        return BAD_LIST;
    const uint64_t groups = ((uint64_t)n + GROUP - 1) / GROUP;
    const uint8_t *firsts = take_bytes(r, groups * width), *sizes = firsts ? take_bytes(r, groups - 1) : NULL;
    const uint8_t *codes = sizes ? take_bytes(r, ((uint64_t)n + 3) / 4) : NULL;
    if (!codes)
        return TOO_SHORT;
    int64_t last = -1;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t sample = 0, step;
        if (i % GROUP == 0) {
            memcpy(&sample, firsts + i / GROUP * width, width); /* little endian, as we are */
        } else {
            if (!take_number(r, &step))
                return TOO_SHORT;
            sample = step > (uint64_t)(n_samples - last) ? (uint32_t)n_samples : (uint32_t)(last + step);
        }
        if (sample >= n_samples || sample <= last)
            return BAD_LIST;
        set_code(row, sample, codes[i / 4] >> 2 * (i & 3) & 3);
        last = sample;
    }
    return NULL;
}

/* Bits of a byte, apart by one. */
static unsigned spread(unsigned x)
{
    x = (x | x << 4) & 0x0f0f;
    x = (x | x << 2) & 0x3333;
    return (x | x << 1) & 0x5555;
}

static const char *two_codes(struct reader *r, int64_t n_samples, uint8_t *row)
{
    const size_t bytes = ((size_t)n_samples + 3) / 4;
    const uint8_t *names = take_bytes(r, 1), *bits = names ? take_bytes(r, ((uint64_t)n_samples + 7) / 8) : NULL;

    if (!bits)
        return TOO_SHORT;
    const unsigned low = *names >> 2, more = *names & 3;
    if (!more || low + more > 3)
        return BAD_TYPE;
    for (size_t i = 0; i < bytes; i += 2) {
        const unsigned codes = low * 0x5555 + more * spread(bits[i / 2]);
        row[i] = (uint8_t)codes;
        if (i + 1 < bytes)
            row[i + 1] = (uint8_t)(codes >> 8);
    }
    return patch(r, n_samples, row);
}

/* Codes 0 and 2 change places. */
static void turn(uint8_t *row, size_t n)
{
    for (size_t i = 0; i < n; i++)
        row[i] = (uint8_t)(row[i] ^ (~row[i] & 0x55) << 1);
}

const char *gt_pgen_decode(uint8_t type, const uint8_t *data, size_t n, int64_t n_samples, const uint8_t *base, uint8_t *row)
{
    const size_t bytes = ((size_t)n_samples + 3) / 4;
    struct reader r = {data, data + n};
    const unsigned how = type & GT_PGEN_HOW;
    const uint8_t *from = how == 0 ? take_bytes(&r, bytes) : base;
    const char *fault = NULL;

    if (how == 5)
        return BAD_TYPE;
    if (how == 0 && !from)
        return TOO_SHORT;
    if (gt_pgen_is_difference(type) && !base)
        return NO_BASE;
    if (how == 0 || gt_pgen_is_difference(type))
        memcpy(row, from, bytes);
    else if (how != 1)
        memset(row, (how & 3) * 0x55, bytes);
    if (how)
        fault = how == 1 ? two_codes(&r, n_samples, row) : patch(&r, n_samples, row);
    if (how == 3)
        turn(row, bytes);
    row[bytes - 1] &= (uint8_t)(0xff >> (-2 * n_samples & 7));
    return fault ? fault : type <= GT_PGEN_HOW && r.at < r.end ? TOO_LONG : NULL;
}
