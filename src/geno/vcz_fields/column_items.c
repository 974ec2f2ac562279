#include "config.h"

#include "geno/vcz_fields/column_items.h"

#include <string.h>

#include "core/base/le.h"
#include "core/base/size.h"
#include "geno/model/vcf_number.h"

int64_t gt_column_missing(enum gt_column_kind kind)
{
    return kind == GT_COLUMN_INT     ? -1
           : kind == GT_COLUMN_FLOAT ? (int64_t)GT_VCF_FLOAT_MISSING
           : kind == GT_COLUMN_CHAR  ? '.'
                                     : kind == GT_COLUMN_MASK;
}

static int64_t fill_of(enum gt_column_kind kind)
{
    return kind == GT_COLUMN_INT ? -2 : kind == GT_COLUMN_FLOAT ? (int64_t)GT_VCF_FLOAT_END : kind == GT_COLUMN_MASK;
}

void gt_items_set(uint8_t *to, int size, int64_t n, int64_t value)
{
    if (size == 1 && n)
        memset(to, (int)value, (size_t)n);
    else
        for (int64_t i = 0; i < n; i++)
            memcpy(to + i * size, &value, (size_t)size); /* little endian */
}

static int64_t item(const uint8_t *from, int size)
{
    return size == 1 ? (int8_t)*from : size == 2 ? (int16_t)gt_le16(from) : size == 4 ? (int32_t)gt_le32(from) : (int64_t)gt_le64(from);
}

void gt_items_move(enum gt_column_kind kind, const uint8_t *src, struct gt_column_shape from, uint8_t *dst, struct gt_column_shape to,
                   int64_t n)
{
    const int64_t fill = fill_of(kind);
    if (from.size == to.size && from.k == to.k) {
        if (n)
            memcpy(dst, src, (size_t)(n * to.k * to.size));
        return;
    }
    for (int64_t r = 0; r < n; r++, dst += to.k * to.size) {
        for (int64_t i = 0; i < from.k; i++, src += from.size) {
            int64_t value = item(src, from.size);
            memcpy(dst + i * to.size, &value, (size_t)to.size);
        }
        gt_items_set(dst + from.k * to.size, to.size, to.k - from.k, fill);
    }
}

bool gt_items_bytes(int64_t variants, int64_t rows, struct gt_column_shape form, size_t *bytes)
{
    int64_t n;
    return gt_mul_i64(variants, rows, &n) && gt_mul_i64(n, form.k, &n) && gt_mul_i64(n, form.size, &n) && n <= INT64_MAX / 4 &&
           (*bytes = (size_t)n, true);
}

int gt_items_too_large(struct gt_err *err)
{
    return gt_fail(err, GT_NOFIT, "a field has too many values per variant");
}
