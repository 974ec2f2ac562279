/* transpose of bytes where lines are 2 or 4 bytes on one side: planes of numbers of 2 or 4 bytes, as Blosc shuffles them. */
#ifndef GT_KERNELS_X86_ZIP_H
#define GT_KERNELS_X86_ZIP_H

#include <immintrin.h>
#include <stdint.h>

#include "kernels/unroll.h"

GT_INLINE __m128i zip_load(const uint8_t *p)
{
    return _mm_loadu_si128((const __m128i *)(const void *)p);
}
GT_INLINE void zip_store(uint8_t *p, __m128i v)
{
    _mm_storeu_si128((__m128i *)(void *)p, v);
}

/* The lower and the upper bytes of pairs. */
GT_INLINE __m128i lower_bytes(__m128i a, __m128i b)
{
    const __m128i mask = _mm_set1_epi16(255);

    return _mm_packus_epi16(_mm_and_si128(a, mask), _mm_and_si128(b, mask));
}
GT_INLINE __m128i upper_bytes(__m128i a, __m128i b)
{
    return _mm_packus_epi16(_mm_srli_epi16(a, 8), _mm_srli_epi16(b, 8));
}

/* 2 or 4 rows, `stride` bytes apart -> lines of that many bytes one after another; how many columns were done. */
GT_INLINE int64_t zip(int rows, int64_t columns, const uint8_t *from, int64_t stride, uint8_t *to)
{
    int64_t c = 0;

    for (; rows == 2 && c + 16 <= columns; c += 16) {
        const __m128i a = zip_load(from + c), b = zip_load(from + stride + c);
        zip_store(to + 2 * c, _mm_unpacklo_epi8(a, b));
        zip_store(to + 2 * c + 16, _mm_unpackhi_epi8(a, b));
    }
    for (; rows == 4 && c + 16 <= columns; c += 16) {
        const __m128i v0 = zip_load(from + c), v1 = zip_load(from + stride + c), v2 = zip_load(from + 2 * stride + c),
                      v3 = zip_load(from + 3 * stride + c);
        const __m128i low01 = _mm_unpacklo_epi8(v0, v1), low23 = _mm_unpacklo_epi8(v2, v3);
        const __m128i high01 = _mm_unpackhi_epi8(v0, v1), high23 = _mm_unpackhi_epi8(v2, v3);
        zip_store(to + 4 * c, _mm_unpacklo_epi16(low01, low23));
        zip_store(to + 4 * c + 16, _mm_unpackhi_epi16(low01, low23));
        zip_store(to + 4 * c + 32, _mm_unpacklo_epi16(high01, high23));
        zip_store(to + 4 * c + 48, _mm_unpackhi_epi16(high01, high23));
    }
    return c;
}

/* The reverse: lines of 2 or 4 bytes -> rows; returns the number of lines done. */
GT_INLINE int64_t unzip(int columns, int64_t rows, const uint8_t *from, uint8_t *to, int64_t stride)
{
    int64_t r = 0;

    for (; columns == 2 && r + 16 <= rows; r += 16) {
        const __m128i a = zip_load(from + 2 * r), b = zip_load(from + 2 * r + 16);
        zip_store(to + r, lower_bytes(a, b));
        zip_store(to + stride + r, upper_bytes(a, b));
    }
    for (; columns == 4 && r + 16 <= rows; r += 16) {
        const __m128i v0 = zip_load(from + 4 * r), v1 = zip_load(from + 4 * r + 16), v2 = zip_load(from + 4 * r + 32),
                      v3 = zip_load(from + 4 * r + 48);
        const __m128i even0 = lower_bytes(v0, v1), even1 = lower_bytes(v2, v3), odd0 = upper_bytes(v0, v1), odd1 = upper_bytes(v2, v3);
        zip_store(to + r, lower_bytes(even0, even1));
        zip_store(to + stride + r, lower_bytes(odd0, odd1));
        zip_store(to + 2 * stride + r, upper_bytes(even0, even1));
        zip_store(to + 3 * stride + r, upper_bytes(odd0, odd1));
    }
    return r;
}

/* As gt_kernels.transpose has it, of items of one byte; false: it is another shape. */
GT_INLINE bool transpose_zip(int64_t rows, int64_t columns, const uint8_t *from, int64_t from_stride, uint8_t *to, int64_t to_stride)
{
    if ((rows == 2 || rows == 4) && to_stride == rows && columns >= 16) {
        const int64_t done = rows == 2 ? zip(2, columns, from, from_stride, to) : zip(4, columns, from, from_stride, to);
        gt_transpose_ref(1, rows, columns - done, from + done, from_stride, to + done * rows, to_stride);
        return true;
    }
    if ((columns == 2 || columns == 4) && from_stride == columns && rows >= 16) {
        const int64_t done = columns == 2 ? unzip(2, rows, from, to, to_stride) : unzip(4, rows, from, to, to_stride);
        gt_transpose_ref(1, rows - done, columns, from + done * columns, from_stride, to + done, to_stride);
        return true;
    }
    return false;
}

#endif
