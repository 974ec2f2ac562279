/* Diploid calls, two alleles each, and dosages. */
#include <string.h>

#include "core/base/size.h"
#include "calc/rechunk/rechunk_internal.h"
#include "geno/model/dosage.h"
#include "kernels/kernels.h"

enum { RUN = 4096 }; /* calls that are coded at a time */

int gt_rechunk_calls_in(const struct gt_rechunk *r, const struct gt_buf *calls, struct gt_buf *dosages, struct gt_err *err)
{
    const struct gt_dosage_rule rule = gt_dosage_rule(NULL, NULL);
    const int8_t *alleles = (const int8_t *)calls->data;
    const int64_t n = (int64_t)calls->len / 2;
    struct gt_call_counts counts = {0};
    uint8_t codes[RUN / 4 + GT_KERNEL_PAD];
    int status = gt_buf_resize(dosages, (size_t)n, err);
    for (int64_t i = 0; i < n && !status; i += RUN) {
        const int64_t some = gt_least(RUN, n - i);
        int64_t sample;
        if (gt_dosage_row(&rule, alleles + 2 * i, 2, 0, some, codes, &counts, &sample))
            return gt_fail(err, GT_INPUT, "'%s' has calls that have no dosage", gt_rechunk_name(r->from.array));
        gt_kernels()->unpack_i8(codes, some, (int8_t *)dosages->data + i);
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

int gt_rechunk_calls_out(const struct gt_rechunk *r, const struct gt_buf *dosages, struct gt_buf *chunk, struct gt_err *err)
{
    const bool phased = r->to.form == GT_FORM_PHASED; /* of no call, which the calls themselves were looked at for */
    int status = phased ? gt_buf_zeros(chunk, dosages->len, err) : gt_buf_resize(chunk, 2 * dosages->len, err);
    if (status || phased)
        return status;
    if (put_pairs(r->to.form == GT_FORM_CALLS ? CALLS : MASK, dosages->data, dosages->len, chunk->data) > 3) {
        status = gt_fail(err, GT_INPUT, "'%s' has dosages that are no calls of two alleles: they are not -1, 0, 1 or 2",
                         gt_rechunk_name(r->from.array));
        gt_hint(err, "--layout plain keeps them as int8");
    }
    return status;
}
