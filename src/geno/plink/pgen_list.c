/* A list: its length; the first sample of each group of 64 entries; for each group but the last the bytes of
 * its steps, less 63; where the list has codes, two bits per entry; and the steps from one sample to the next
 * within each group.  Lengths and steps are LEB128.
 *
 * A sample takes as many bytes as the number of samples itself does, so 2 for 256 samples, although their
 * indices fit in 1.  The specification (pgen_spec) says 1 there; plink2 writes and reads 2. */
#include "geno/plink/pgen_list.h"

#include <string.h>

#include "core/base/le.h"

const char GT_PGEN_TOO_SHORT[] = "a record is too short for its contents";
static const char BAD_LIST[] = "a list of samples is not in order, or has an index beyond the last sample",
                  BAD_SIZE[] = "a list of samples gives a wrong size for one of its groups";

enum { GROUP = 64, LEAST_STEPS = 63 };

/* LEB128 of at most 32 bits. */
static bool take_number(struct gt_pgen_bytes *r, uint32_t *value)
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

const uint8_t *gt_pgen_take(struct gt_pgen_bytes *r, uint64_t n)
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

static size_t sample_bytes(int64_t n_samples)
{
    return n_samples < 1 << 8 ? 1 : n_samples < 1 << 16 ? 2 : n_samples < 1 << 24 ? 3 : 4;
}

const char *gt_pgen_read_list(struct gt_pgen_bytes *r, int64_t n_samples, uint8_t *row, uint8_t *marks, uint32_t *n)
{
    const size_t width = sample_bytes(n_samples);

    if (!take_number(r, n))
        return GT_PGEN_TOO_SHORT;
    if (*n == 0)
        return NULL;
    if (*n > n_samples)
        return BAD_LIST;
    const uint64_t groups = ((uint64_t)*n + GROUP - 1) / GROUP;
    const uint8_t *firsts = gt_pgen_take(r, groups * width), *sizes = firsts ? gt_pgen_take(r, groups - 1) : NULL;
    const uint8_t *codes = sizes ? gt_pgen_take(r, row ? ((uint64_t)*n + 3) / 4 : 0) : NULL;
    if (!codes)
        return GT_PGEN_TOO_SHORT;
    const uint8_t *steps = r->at;
    int64_t last = -1;
    for (uint32_t i = 0; i < *n; i++) {
        uint32_t sample = 0, step;
        if (i % GROUP == 0) {
            if (i && r->at - steps != sizes[i / GROUP - 1] + LEAST_STEPS)
                return BAD_SIZE;
            steps = r->at;
            memcpy(&sample, firsts + i / GROUP * width, width); /* little endian, as we are */
        } else {
            if (!take_number(r, &step))
                return GT_PGEN_TOO_SHORT;
            sample = step > (uint64_t)(n_samples - last) ? (uint32_t)n_samples : (uint32_t)(last + step);
        }
        if (sample >= n_samples || sample <= last)
            return BAD_LIST;
        if (row)
            set_code(row, sample, codes[i / 4] >> 2 * (i & 3) & 3);
        if (marks)
            marks[2 * (size_t)sample] = 0;
        last = sample;
    }
    return NULL;
}

/* --- writing ------------------------------------------------------------------------------- */

static uint8_t *put_number(uint8_t *to, uint32_t value)
{
    for (; value > 127; value >>= 7)
        *to++ = (uint8_t)(value | 128);
    *to++ = (uint8_t)value;
    return to;
}

uint8_t *gt_pgen_write_packed(uint8_t *to, const uint8_t *values, int64_t n, unsigned bits)
{
    unsigned byte = 0, at = 0;

    for (int64_t i = 0; i < n && bits; i++) {
        byte |= (unsigned)values[i] << at;
        at += bits;
        if (at == 8 || i + 1 == n) {
            *to++ = (uint8_t)byte;
            byte = at = 0;
        }
    }
    return to;
}

int64_t gt_pgen_list_bytes(int64_t n, int64_t n_samples, bool codes)
{
    if (!n)
        return 1;
    const int64_t groups = (n + GROUP - 1) / GROUP, step = n_samples / n;
    const int64_t step_bytes = step < 1 << 7 ? 1 : step < 1 << 14 ? 2 : 3, count = n < 1 << 7 ? 1 : n < 1 << 14 ? 2 : 3;
    return count + groups * (int64_t)sample_bytes(n_samples) + groups - 1 + (codes ? (n + 3) / 4 : 0) + (n - groups) * step_bytes;
}

uint8_t *gt_pgen_write_list(uint8_t *to, const uint32_t *samples, const uint8_t *codes, uint32_t n, int64_t n_samples)
{
    const int width = (int)sample_bytes(n_samples);
    const uint32_t groups = (uint32_t)(((uint64_t)n + GROUP - 1) / GROUP);
    uint8_t *firsts = put_number(to, n), *sizes = firsts + (size_t)groups * (size_t)width, *steps;

    if (!n)
        return firsts;
    to = sizes + groups - 1;
    to = steps = codes ? gt_pgen_write_packed(to, codes, n, 2) : to;
    for (uint32_t i = 0; i < n; i++) {
        if (i % GROUP) {
            to = put_number(to, samples[i] - samples[i - 1]);
            continue;
        }
        if (i)
            *sizes++ = (uint8_t)(to - steps - LEAST_STEPS);
        firsts = gt_le_put(firsts, samples[i], width);
        steps = to;
    }
    return to;
}
