#include "kernels/x86/doubles256.h"

enum { VECTORS = 2, MOST_ROWS = 6 };

#include "kernels/x86/narrow.h"

void gt_narrow_avx2(const double *a, int64_t row, int64_t step, int64_t n_rows, int64_t n_terms, const double *b, int64_t width,
                    double *sums)
{
    for (int64_t c = 0; c < width; c += 2 * LANES)
        narrow_strip(6, 2, a, row, step, n_rows, n_terms, b + c, width, sums + c);
}
