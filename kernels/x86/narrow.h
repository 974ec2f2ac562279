/* Products with narrow matrices, once for each level.  The file that includes this says what a
 * vector is (vec, LANES and what is done with it), and how many rows (MOST_ROWS) stand against
 * how many vectors (VECTORS) in registers, at most. */
#include <immintrin.h>

#include "kernels/impl.h"

GT_INLINE void narrow_tile(const int rows, const int vectors, const double *a, int64_t row, int64_t step, int64_t n_terms, const double *b,
                           int64_t width, double *sums)
{
    vec s[MOST_ROWS][VECTORS], y[VECTORS];
    GT_UNROLL
    for (int i = 0; i < rows; i++)
        GT_UNROLL
    for (int j = 0; j < vectors; j++)
        s[i][j] = load(sums + i * width + j * LANES);
    for (int64_t t = 0; t < n_terms; t++, a += step, b += width) {
        GT_UNROLL
        for (int j = 0; j < vectors; j++)
            y[j] = load(b + j * LANES);
        GT_UNROLL
        for (int i = 0; i < rows; i++) {
            const vec x = set(a[i * row]);
            GT_UNROLL
            for (int j = 0; j < vectors; j++)
                s[i][j] = fused(x, y[j], s[i][j]);
        }
    }
    GT_UNROLL
    for (int i = 0; i < rows; i++)
        GT_UNROLL
    for (int j = 0; j < vectors; j++)
        store(sums + i * width + j * LANES, s[i][j]);
}

GT_INLINE void narrow_strip(const int rows, const int vectors, const double *a, int64_t row, int64_t step, int64_t n_rows, int64_t n_terms,
                            const double *b, int64_t width, double *sums)
{
    int64_t r = 0;
    for (; r + rows <= n_rows; r += rows)
        narrow_tile(rows, vectors, a + r * row, row, step, n_terms, b, width, sums + r * width);
    for (; r < n_rows; r++)
        narrow_tile(1, vectors, a + r * row, row, step, n_terms, b, width, sums + r * width);
}
