/* Diploid calls, two alleles each, and dosages. */
#include <string.h>

#include "calc/rechunk/rechunk_internal.h"
#include "core/base/size.h"
#include "geno/model/dosage.h"
#include "kernels/kernels.h"

enum { RUN = 4096 }; /* calls that are coded at a time */

int gt_rechunk_calls_in(const struct gt_rechunk *r, const struct gt_buf *calls, struct gt_buf *dosages, struct gt_err *err)
{
    /* after the edge of the array stand fill values, which may be two equal alleles */
    const struct gt_select_opts select = {.ploidy = r->from.ploidy, .data_ploidy = r->from.ploidy};
    const struct gt_dosage_rule rule = gt_dosage_rule(&select, NULL);
    const int axis = (int)r->from.array->shape[2];
    const int8_t *alleles = (const int8_t *)calls->data;
    const int64_t n = (int64_t)calls->len / axis;
    struct gt_call_counts counts = {0};
    uint8_t codes[RUN / 4 + GT_KERNEL_PAD];
    int status = gt_buf_resize(dosages, (size_t)n, err);
    for (int64_t i = 0; i < n && !status; i += RUN) {
        const struct gt_stored_calls some = {alleles + axis * i, axis, 0, gt_min_i64(RUN, n - i)};
        int64_t sample;
        const int fault = gt_dosage_row(&rule, &some, codes, &counts, &sample);
        if (fault)
            return gt_fail(err, GT_INPUT, "'%s' has calls without an allele count: %s", gt_rechunk_name(r->from.array),
                           gt_call_fault(fault));
        gt_kernels()->unpack_i8(codes, some.n, (int8_t *)dosages->data + i);
    }
    return status;
}

/* What -1, 0, 1 and 2 become where each is two items of a byte. */
static const int8_t CALLS[4][2] = {{-1, -1}, {0, 0}, {0, 1}, {1, 1}}, MASK[4][2] = {{1, 1}};

/* Pairs of bytes; returns the largest dosage, -1 being 0. */
static unsigned put_pairs(const int8_t pairs[4][2], const uint8_t *dosages, size_t n, uint8_t *to)
{
    unsigned most = 0;
    for (size_t i = 0; i < n; i++) {
        const unsigned at = (uint8_t)(dosages[i] + 1);
        most = at > most ? at : most;
        memcpy(to + 2 * i, pairs[at & 3], 2);
    }
    return most;
}

/* Of haploid data: a call is its dosage. */
static unsigned put_alleles(bool mask, const uint8_t *dosages, size_t n, uint8_t *to)
{
    unsigned most = 0;
    for (size_t i = 0; i < n; i++) {
        const unsigned at = (uint8_t)(dosages[i] + 1);
        most = at > most ? at : most;
        to[i] = mask ? at == 0 : dosages[i];
    }
    return most;
}

int gt_rechunk_calls_out(const struct gt_rechunk *r, const struct gt_buf *dosages, struct gt_buf *chunk, struct gt_err *err)
{
    const bool phased = r->to.form == GT_ITEMS_PHASED; /* of no call, which the calls themselves were looked at for */
    const bool haploid = r->from.ploidy == GT_HAPLOID, calls = r->to.form == GT_ITEMS_CALLS;
    int status = phased ? gt_buf_zeros(chunk, dosages->len, err) : gt_buf_resize(chunk, (haploid ? 1 : 2) * dosages->len, err);
    if (status || phased)
        return status;
    const unsigned most = haploid ? put_alleles(!calls, dosages->data, dosages->len, chunk->data)
                                  : put_pairs(calls ? CALLS : MASK, dosages->data, dosages->len, chunk->data);
    if (most > (haploid ? 2 : 3)) {
        status = gt_fail(err, GT_INPUT, "'%s' has dosages that are not calls of %s: they are not -1, 0%s", gt_rechunk_name(r->from.array),
                         haploid ? "one allele" : "two alleles", haploid ? " or 1" : ", 1 or 2");
        gt_hint(err, "keep them as int8 with --layout plain");
    }
    return status;
}
