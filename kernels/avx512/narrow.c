#include "kernels/avx512/doubles512.h"

enum { VECTORS = 3, MOST_ROWS = 8 };

#include "kernels/x86/narrow.h"

void gt_narrow_avx512(const double *a, int64_t row, int64_t step, int64_t n_rows, int64_t n_terms, const double *b, int64_t width,
                      double *sums)
{
    int64_t c = 0;
    for (; width - c >= 3 * LANES; c += 3 * LANES)
        narrow_strip(8, 3, a, row, step, n_rows, n_terms, b + c, width, sums + c);
    if (width - c >= 2 * LANES)
        narrow_strip(8, 2, a, row, step, n_rows, n_terms, b + c, width, sums + c);
    else if (width - c >= LANES)
        narrow_strip(8, 1, a, row, step, n_rows, n_terms, b + c, width, sums + c);
}
