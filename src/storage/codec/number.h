/* Numbers of the filters that calculate (delta, fixedscaleoffset): which type, in
 * which byte order, and how one is loaded and stored.  Private to src/codec. */
#ifndef GT_CODEC_NUMBER_H
#define GT_CODEC_NUMBER_H

#include <string.h>

#include "storage/codec/dtype.h"
#include "storage/codec/step.h"

static inline bool gt_number_is_float(struct gt_dtype d)
{
    return d.type == GT_F32 || d.type == GT_F64;
}

static inline bool gt_number_is_signed(struct gt_dtype d)
{
    return d.type >= GT_I8 && d.type <= GT_I64;
}

/* Member `key` of a configuration as a type of numbers ("<i4"); a missing one gives
 * *dtype unchanged if `may_lack`.  GT_INPUT for what is no integer or float of 32 or 64 bits. */
int gt_conf_number(struct json_object *conf, const char *key, bool may_lack, struct gt_dtype *dtype, struct gt_err *err);

static inline void gt_number_bytes(struct gt_dtype d, const uint8_t *from, uint8_t *to)
{
    for (size_t i = 0; i < d.size; i++)
        to[i] = from[d.big_endian ? d.size - 1 - i : i];
}

static inline int64_t gt_number_load_int(struct gt_dtype d, const uint8_t *p)
{
    uint8_t bytes[8];
    if (!d.big_endian)
        return gt_dtype_load_int(d.type, d.size, p);
    gt_number_bytes(d, p, bytes);
    return gt_dtype_load_int(d.type, d.size, bytes);
}

/* The lowest bytes of x. */
static inline void gt_number_store_int(struct gt_dtype d, uint8_t *p, int64_t x)
{
    uint8_t bytes[8];
    memcpy(bytes, &x, 8);
    gt_number_bytes(d, bytes, p);
}

static inline double gt_number_load_real(struct gt_dtype d, const uint8_t *p)
{
    uint8_t bytes[8];
    float f;
    double x;
    gt_number_bytes(d, p, bytes);
    if (d.type == GT_F32) {
        memcpy(&f, bytes, 4);
        return (double)f;
    }
    memcpy(&x, bytes, 8);
    return x;
}

static inline void gt_number_store_real(struct gt_dtype d, uint8_t *p, double x)
{
    uint8_t bytes[8];
    float f = (float)x;
    if (d.type == GT_F32)
        memcpy(bytes, &f, 4);
    else
        memcpy(bytes, &x, 8);
    gt_number_bytes(d, bytes, p);
}

/* Any of the numbers as a real. */
double gt_number_load(struct gt_dtype d, const uint8_t *p);
/* x, of which wholes lose what is after the point.  False when it does not fit the type. */
bool gt_number_store(struct gt_dtype d, uint8_t *p, double x);

#endif
