#include <math.h>

#include "kernels/impl.h"

void gt_narrow_ref(const double *a, int64_t row, int64_t step, int64_t n_rows, int64_t n_terms, const double *b, int64_t width,
                   double *sums)
{
    for (int64_t r = 0; r < n_rows; r++)
        for (int64_t t = 0; t < n_terms; t++)
            for (int64_t c = 0; c < width; c++)
                sums[r * width + c] = fma(a[r * row + t * step], b[t * width + c], sums[r * width + c]);
}
