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

/* How the set of calls is stored.  pgenlib takes lists of less than a ninth of the calls. */
enum { FORM_BITS = 0, FORM_LIST = 1, FORM_NONE = 15, LIST_PART = 9 };

static unsigned code_of(const uint8_t *row, int64_t sample)
{
    return row[sample / 4] >> 2 * (sample & 3) & 3;
}

/* --- reading ------------------------------------------------------------------------------- */

static const char NO_ALT[] = "a call has an allele that the variant does not have",
                  OTHER_CODE[] = "a list of calls with other ALTs names a sample whose call has none",
                  BAD_FORM[] = "the ALTs of calls are stored in an unknown form";

/* Marks the calls of the set with 0 in the first of their two bytes; *n: how many. */
static const char *read_set(struct gt_pgen_bytes *r, unsigned form, unsigned code, int64_t n_samples, const uint8_t *row, uint8_t *alleles,
                            int64_t *n)
{
    int64_t of = 0;
    uint32_t listed = 0;

    *n = 0;
    if (form == FORM_NONE)
        return NULL;
    if (form == FORM_LIST) {
        const char *fault = gt_pgen_read_list(r, n_samples, NULL, alleles, &listed);
        *n = listed;
        return fault;
    }
    if (form != FORM_BITS)
        return BAD_FORM;
    for (int64_t s = 0; s < n_samples; s++)
        of += code_of(row, s) == code;
    const uint8_t *bits = gt_pgen_take(r, ((uint64_t)of + 7) / 8);
    if (!bits)
        return GT_PGEN_TOO_SHORT;
    for (int64_t s = 0, i = 0; s < n_samples; s++) {
        if (code_of(row, s) != code)
            continue;
        if (bits[i / 8] >> i % 8 & 1) {
            alleles[2 * s] = 0;
            ++*n;
        }
        i++;
    }
    return NULL;
}

static uint32_t value_at(const uint8_t *values, int64_t i, unsigned bits)
{
    uint32_t value = 0;
    if (bits < 8)
        return bits ? values[i * bits / 8] >> i * bits % 8 & ((1u << bits) - 1) : 0;
    memcpy(&value, values + i * (bits / 8), bits / 8);
    return value;
}

/* The i-th call of the set, of this code. */
static void alleles_at(const uint8_t *values, int64_t i, unsigned bits, unsigned code, uint32_t n_alleles, uint32_t pair[2])
{
    if (code == 1) {
        pair[0] = 0;
        pair[1] = value_at(values, i, bits) + 2;
    } else if (n_alleles == 3) {
        pair[0] = value_at(values, i, 1) + 1;
        pair[1] = 2;
    } else {
        pair[0] = value_at(values, 2 * i, bits) + 1;
        pair[1] = value_at(values, 2 * i + 1, bits) + 1;
    }
}

static uint8_t as_byte(uint32_t allele)
{
    return allele < GT_ALLELE_LAST ? (uint8_t)allele : GT_ALLELE_LAST;
}

static const char *read_patches(struct gt_pgen_bytes *r, unsigned form, unsigned code, int64_t n_samples, uint32_t n_alleles,
                                const uint8_t *row, uint8_t *alleles)
{
    const unsigned bits = code == 1 ? gt_pgen_alt_bits((int64_t)n_alleles - 2) : n_alleles == 3 ? 1 : gt_pgen_pair_bits(n_alleles);
    const uint64_t each = code == 2 && n_alleles > 3 ? 2 * bits : bits;
    int64_t n, i = 0;
    const char *fault = read_set(r, form, code, n_samples, row, alleles, &n);
    const uint8_t *values = fault ? NULL : gt_pgen_take(r, ((uint64_t)n * each + 7) / 8);

    if (!values)
        return fault ? fault : GT_PGEN_TOO_SHORT;
    for (int64_t s = 0; s < n_samples && i < n; s++) {
        uint32_t pair[2];
        if (code_of(row, s) != code || alleles[2 * s] != 0)
            continue;
        alleles_at(values, i++, bits, code, n_alleles, pair);
        if (pair[0] >= n_alleles || pair[1] >= n_alleles)
            return NO_ALT;
        alleles[2 * s] = as_byte(pair[0]);
        alleles[2 * s + 1] = as_byte(pair[1]);
    }
    return i == n ? NULL : OTHER_CODE;
}

const char *gt_pgen_read_alts(struct gt_pgen_bytes *r, int64_t n_samples, uint32_t n_alleles, const uint8_t *row, uint8_t *alleles)
{
    const uint8_t *form = gt_pgen_take(r, 1);

    if (!form)
        return GT_PGEN_TOO_SHORT;
    const char *fault = read_patches(r, *form & 15, 1, n_samples, n_alleles, row, alleles);
    return fault ? fault : read_patches(r, *form >> 4, 2, n_samples, n_alleles, row, alleles);
}

/* --- writing ------------------------------------------------------------------------------- */

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
        if (code_of(row, s) != code)
            continue;
        const unsigned a = alleles[2 * s], b = alleles[2 * s + 1];
        if (a != GT_ALLELE_BY_CODE && (a > 1 || b > 1))
            add_patch(p, code, (uint32_t)s, a < b ? a : b, a < b ? b : a, n_alleles);
        p->of++;
    }
}

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
