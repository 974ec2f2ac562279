/* The smallest of the forms that pgen_record.c reads, but for inverted differences (3): its size is estimated from counts of codes, and a
 * record that turns out larger than two bits a sample is stored so.  pgenlib refuses lists of more than an eighth of the samples, and
 * in form 1 of a sixteenth. */
#include "geno/plink/pgen_encode.h"

#include <string.h>

#include "geno/plink/pgen_alts.h"
#include "geno/plink/pgen_phase.h"
#include "geno/plink/pgen_record.h"
#include "kernels/kernels.h"

enum { ALL = 0, TWO_CODES = 1, DIFFERENCE = 2, LIST = 4 };
enum { LIST_PART = 8, TWO_CODES_PART = 16 };
#define LOW_BITS 0x5555555555555555u

/* How a row is stored. */
struct way {
    unsigned type;
    unsigned code, other;  /* LIST: the code of those that are not listed; TWO_CODES: also that of the set bits, which is larger */
    const uint8_t *base;   /* DIFFERENCE */
    int64_t listed, bytes; /* bytes: an estimate */
};

struct row {
    const uint8_t *codes;
    int64_t n; /* samples */
};

static int64_t words_of(int64_t n_samples)
{
    return (n_samples + 31) / 32;
}

/* 32 codes of a row; those after its end are 0. */
static uint64_t word_of(const uint8_t *codes, int64_t n_samples, int64_t i)
{
    const int64_t bytes = (n_samples + 3) / 4 - 8 * i;
    uint64_t word = 0;

    memcpy(&word, codes + 8 * i, bytes < 8 ? (size_t)bytes : 8);
    return word;
}

/* The low bit of each code of word i that is there. */
static uint64_t samples_of(int64_t n_samples, int64_t i)
{
    const int64_t n = n_samples - 32 * i;
    return n < 32 ? LOW_BITS & (((uint64_t)1 << 2 * n) - 1) : LOW_BITS;
}

/* The low bit of each code that is not `code`. */
static uint64_t unlike(uint64_t word, unsigned code)
{
    const uint64_t x = word ^ code * LOW_BITS;
    return (x | x >> 1) & LOW_BITS;
}

/* The low bits of the codes of word i that a list has to have. */
static uint64_t listed(const struct way *way, const struct row *row, int64_t i)
{
    const uint64_t word = word_of(row->codes, row->n, i);
    uint64_t bits = unlike(word, way->code);

    if (way->type == TWO_CODES)
        bits &= unlike(word, way->other);
    if (way->type == DIFFERENCE)
        bits = unlike(word ^ word_of(way->base, row->n, i), 0);
    return bits & samples_of(row->n, i);
}

/* --- the choice --------------------------------------------------------------------------- */

static void consider(struct way *best, struct way way, int64_t most, int64_t n_samples, int64_t more)
{
    way.bytes = gt_pgen_list_bytes(way.listed, n_samples, true) + more;
    if (way.listed <= most && way.bytes < best->bytes)
        *best = way;
}

/* The two most common codes, in ascending order. */
static void most_common(const int64_t counts[4], unsigned codes[2])
{
    unsigned first = 0, second = 1;
    for (unsigned c = 1; c < 4; c++)
        first = counts[c] > counts[first] ? c : first;
    second = first == 0;
    for (unsigned c = 0; c < 4; c++)
        second = c != first && counts[c] > counts[second] ? c : second;
    codes[0] = first < second ? first : second;
    codes[1] = first < second ? second : first;
}

static int64_t count_listed(const struct way *way, const struct row *row)
{
    int64_t n = 0;
    for (int64_t i = 0; i < words_of(row->n); i++)
        n += __builtin_popcountll(listed(way, row, i));
    return n;
}

enum { SHORT = 16 }; /* bytes of a record that differences are not tried for */

static struct way choose(const struct row *row, const uint8_t *base)
{
    struct way best = {.type = ALL, .bytes = (row->n + 3) / 4};
    int64_t counts[4];
    unsigned common[2];

    gt_kernels()->count_codes(row->codes, row->n, counts);
    for (unsigned c = 0; c < 4; c += c ? 1 : 2)
        consider(&best, (struct way){.type = LIST + c, .code = c, .listed = row->n - counts[c]}, row->n / LIST_PART, row->n, 0);
    most_common(counts, common);
    const struct way two = {
        .type = TWO_CODES, .code = common[0], .other = common[1], .listed = row->n - counts[common[0]] - counts[common[1]]};
    consider(&best, two, row->n / TWO_CODES_PART - 1, row->n, 1 + (row->n + 7) / 8);
    if (base && best.bytes > SHORT) {
        struct way difference = {.type = DIFFERENCE, .base = base};
        difference.listed = count_listed(&difference, row);
        consider(&best, difference, row->n / LIST_PART, row->n, 0);
    }
    return best;
}

/* --- the record ------------------------------------------------------------------------------ */

/* Every other bit of x, the lowest first. */
static uint32_t even_bits(uint64_t x)
{
    x &= LOW_BITS;
    x = (x | x >> 1) & 0x3333333333333333;
    x = (x | x >> 2) & 0x0f0f0f0f0f0f0f0f;
    x = (x | x >> 4) & 0x00ff00ff00ff00ff;
    x = (x | x >> 8) & 0x0000ffff0000ffff;
    return (uint32_t)(x | x >> 16);
}

/* Which two codes, and a bit per sample. */
static uint8_t *put_two_codes(uint8_t *to, const struct way *way, const struct row *row)
{
    const int64_t bytes = (row->n + 7) / 8;

    *to++ = (uint8_t)(way->code << 2 | (way->other - way->code));
    for (int64_t i = 0; i < words_of(row->n); i++) {
        const uint64_t set = ~unlike(word_of(row->codes, row->n, i), way->other) & samples_of(row->n, i);
        const uint32_t bits = even_bits(set);
        memcpy(to + 4 * i, &bits, bytes - 4 * i < 4 ? (size_t)(bytes - 4 * i) : 4);
    }
    return to + bytes;
}

static uint8_t *put_listed(uint8_t *to, const struct way *way, const struct row *row, uint32_t *samples, uint8_t *codes)
{
    uint32_t n = 0;

    for (int64_t i = 0; i < words_of(row->n); i++)
        for (uint64_t bits = listed(way, row, i); bits; bits &= bits - 1) {
            const int64_t s = 32 * i + __builtin_ctzll(bits) / 2;
            samples[n] = (uint32_t)s;
            codes[n++] = row->codes[s / 4] >> 2 * (s & 3) & 3;
        }
    return gt_pgen_write_list(to, samples, codes, n, row->n);
}

static int put_calls(struct gt_pgen_encoder *e, const struct row *row, struct way *way, struct gt_buf *bytes, struct gt_err *err)
{
    const size_t all = ((size_t)row->n + 3) / 4, n = (size_t)way->listed;
    int status = gt_buf_resize(&e->list, n * 5, err);

    status = status ? status : gt_buf_reserve(bytes, bytes->len + all + ((size_t)row->n + 7) / 8 + 1 + GT_PGEN_LIST_ROOM(n), err);
    if (status)
        return status;
    uint8_t *from = bytes->data + bytes->len, *to = from;
    if (way->type == TWO_CODES)
        to = put_two_codes(to, way, row);
    if (way->type != ALL)
        to = put_listed(to, way, row, gt_buf_u32(&e->list), e->list.data + n * 4);
    if (way->type == ALL || (size_t)(to - from) > all) {
        way->type = ALL;
        memcpy(from, row->codes, all);
        to = from + all;
    }
    bytes->len += (size_t)(to - from);
    return GT_OK;
}

int gt_pgen_encode(struct gt_pgen_encoder *encoder, const uint8_t *row, const uint8_t *alleles, int n_alleles, const uint8_t *phases,
                   struct gt_buf *bytes, uint8_t *type, struct gt_err *err)
{
    const struct row r = {row, encoder->n_samples};
    struct way way = choose(&r, encoder->base);
    bool alts = false, phased = false;
    int status = put_calls(encoder, &r, &way, bytes, err);

    if (!status && alleles)
        status = gt_pgen_put_alts(row, alleles, r.n, n_alleles, &encoder->list, bytes, &alts, err);
    status = status ? status : gt_pgen_put_phase(row, alleles, phases, r.n, bytes, &phased, err);
    *type = (uint8_t)(way.type | (alts ? GT_PGEN_ALTS : 0) | (phased ? GT_PGEN_PHASE : 0));
    if (!gt_pgen_is_difference(*type))
        encoder->base = row;
    return status;
}
