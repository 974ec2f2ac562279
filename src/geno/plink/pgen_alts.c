/* Source: PLINK 2's file format specification (pgen_spec), "Multiallelic hard-calls". */
#include "geno/plink/pgen_alts.h"

#include <string.h>

#include "geno/model/dosage.h"

unsigned gt_pgen_alt_bits(int64_t values)
{
    return values <= 1 ? 0 : values <= 2 ? 1 : values <= 4 ? 2 : values <= 16 ? 4 : values <= 256 ? 8 : values <= 65536 ? 16 : 24;
}

unsigned gt_pgen_pair_bits(int64_t n_alleles)
{
    return n_alleles - 1 <= 4 ? 2 : gt_pgen_alt_bits(n_alleles - 1);
}

/* The calls of one code that have another ALT than the first. */
struct patches {
    int64_t of;      /* calls of the code */
    uint32_t n;      /* that are listed */
    uint32_t *which; /* samples */
    uint8_t *bits;   /* of calls of the code */
    uint8_t *values; /* what the track says of them: one value each for code 1, two or, of three alleles, one for code 2 */
    int64_t n_values;
};

static void add_patch(struct patches *p, unsigned code, uint32_t sample, unsigned x, unsigned y, int n_alleles)
{
    p->bits[p->of / 8] |= (uint8_t)(1u << p->of % 8);
    p->which[p->n++] = sample;
    if (code == 1) {
        p->values[p->n_values++] = (uint8_t)(y - 2);
    } else if (n_alleles == 3) {
        p->values[p->n_values++] = x == 2;
    } else {
        p->values[p->n_values++] = (uint8_t)(x - 1);
        p->values[p->n_values++] = (uint8_t)(y - 1);
    }
}

/* Alleles of a call in ascending order: 0 and an ALT of code 1, two ALTs of code 2. */
static void find_patches(struct patches *p, unsigned code, const uint8_t *row, const uint8_t *alleles, int64_t n_samples, int n_alleles)
{
    memset(p->bits, 0, ((size_t)n_samples + 7) / 8);
    p->of = p->n_values = 0;
    p->n = 0;
    for (int64_t s = 0; s < n_samples; s++) {
        if ((row[s / 4] >> 2 * (s & 3) & 3) != code)
            continue;
        const unsigned a = alleles[2 * s], b = alleles[2 * s + 1];
        if (a != GT_ALLELE_BY_CODE && (a > 1 || b > 1))
            add_patch(p, code, (uint32_t)s, a < b ? a : b, a < b ? b : a, n_alleles);
        p->of++;
    }
}

/* pgenlib takes lists of less than a ninth of the calls. */
enum { FORM_BITS = 0, FORM_LIST = 1, FORM_NONE = 15, LIST_PART = 9 };

static unsigned put_patches(const struct patches *p, unsigned bits, int64_t n_samples, uint8_t **to)
{
    if (!p->n)
        return FORM_NONE;
    const bool list = p->n < p->of / LIST_PART;
    if (list) {
        *to = gt_pgen_write_list(*to, p->which, NULL, p->n, n_samples);
    } else {
        memcpy(*to, p->bits, ((size_t)p->of + 7) / 8);
        *to += (p->of + 7) / 8;
    }
    *to = gt_pgen_write_packed(*to, p->values, p->n_values, bits);
    return list ? FORM_LIST : FORM_BITS;
}

int gt_pgen_put_alts(const uint8_t *row, const uint8_t *alleles, int64_t n_samples, int n_alleles, struct gt_buf *scratch,
                     struct gt_buf *bytes, bool *any, struct gt_err *err)
{
    const size_t n = (size_t)n_samples;
    int status = gt_buf_resize(scratch, n * 4 + n * 2 + n / 8 + 1, err);
    /* a list is shorter than the bits, but for its few bytes of overhead; two values per call */
    status = status ? status : gt_buf_reserve(bytes, bytes->len + 1 + 2 * (n / 8 + 1) + 2 * n + 2 * GT_PGEN_LIST_ROOM(n / LIST_PART), err);
    if (status)
        return status;
    struct patches p = {.which = gt_buf_u32(scratch), .values = scratch->data + n * 4, .bits = scratch->data + n * 6};
    uint8_t *form = bytes->data + bytes->len, *to = form + 1;
    find_patches(&p, 1, row, alleles, n_samples, n_alleles);
    const unsigned one = put_patches(&p, gt_pgen_alt_bits(n_alleles - 2), n_samples, &to);
    find_patches(&p, 2, row, alleles, n_samples, n_alleles);
    const unsigned two = put_patches(&p, n_alleles == 3 ? 1 : gt_pgen_pair_bits(n_alleles), n_samples, &to);
    *form = (uint8_t)(one | two << 4);
    *any = one != FORM_NONE || two != FORM_NONE;
    if (*any)
        bytes->len += (size_t)(to - form);
    return GT_OK;
}
