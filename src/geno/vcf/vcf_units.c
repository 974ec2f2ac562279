/* How text is cut into units for several ranks. */
#include "config.h"

#include "core/base/size.h"
#include "geno/vcf/vcf_deal.h"

#define UNIT (INT64_C(4) << 20) /* bytes of text: some hundred KiB of packed rows */
#define UNIT_LEAST (INT64_C(512) << 10)
#define RATIO 8        /* bytes of text in one of BGZF, about */
#define EACH 8         /* units for a rank, if they have enough bytes */
#define RECORDS 16     /* of a unit, so that few lines are inflated twice */
#define MOST (1 << 14) /* units: their lines are looked for when a pass begins */

void gt_vcf_units_cut(struct gt_vcf_units *units, const struct gt_bytes *text, int64_t input, uint64_t first, int size, int64_t records)
{
    const int64_t base = gt_bytes_place_offset(text, first), all = input > base ? input - base : 1,
                  ratio = gt_bytes_is_bgzf(text) ? RATIO : 1;
    int64_t bytes = gt_min_i64(UNIT / ratio, gt_max_i64(UNIT_LEAST / ratio, all / (EACH * size)));
    bytes = gt_max_i64(bytes, records > 0 ? all / records * RECORDS : 0);
    bytes = gt_max_i64(bytes, all / MOST + 1);
    *units = (struct gt_vcf_units){.n = gt_ceil_div(all, bytes), .bytes = bytes, .base = base, .first = first};
}

static int begin_of(const struct gt_vcf_units *units, const struct gt_bytes *bytes, int64_t k, uint64_t *place, struct gt_err *err)
{
    int status = GT_OK;
    *place = k ? UINT64_MAX : units->first;
    if (k && k < units->n)
        status = gt_bytes_next_line(bytes, units->base + k * units->bytes, place, err);
    if (*place < units->first)
        *place = units->first;
    return status;
}

int gt_vcf_units_find(const struct gt_vcf_units *units, const struct gt_bytes *bytes, int64_t k, struct gt_stretch *stretch,
                      struct gt_err *err)
{
    int status = begin_of(units, bytes, k, &stretch->from, err);
    return status ? status : begin_of(units, bytes, k + 1, &stretch->to, err);
}
