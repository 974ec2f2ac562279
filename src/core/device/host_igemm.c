/* Integer products of the host device: suites of the commands multiply much, so they are made in tiles that compilers turn into vectors. */
#include <string.h>

#include "core/device/host_internal.h"

struct igemm {
    int64_t m, n, k, lda, ldb, ldc;
    const int8_t *a, *b;
    int32_t *c;
    int accumulate;
};

/* Terms are widened to int16, MOST at a time, those of PANEL rows of b together: 32 KiB.  A tile is ROWS x COLUMNS sums. */
enum { MOST = 256, FEW = 32, PANEL = 64, ROWS = 4, COLUMNS = 2 };
typedef int16_t wide[MOST];

static int64_t depth_of(int64_t terms)
{
    return terms > FEW ? MOST : FEW;
}

/* With zeros up to the depth. */
static void widen(const int8_t *from, int64_t ld, int64_t rows, int64_t terms, wide *to)
{
    for (int64_t r = 0; r < rows; r++, from += ld) {
        for (int64_t t = 0; t < terms; t += 16)
            for (int u = 0; u < 16; u++)
                to[r][t + u] = from[t + u];
        memset(to[r] + terms, 0, (size_t)(depth_of(terms) - terms) * sizeof **to);
    }
}

/* `terms` is a constant where this is inlined: gcc's -O2 makes vectors only of such loops. */
static inline __attribute__((always_inline)) void add_tile(int terms, wide *a, wide *b, int32_t *c, int64_t ldc)
{
    int32_t sums[ROWS][COLUMNS] = {{0}};
    for (int t = 0; t < terms; t++)
#pragma GCC unroll 4
        for (int i = 0; i < ROWS; i++)
#pragma GCC unroll 2
            for (int j = 0; j < COLUMNS; j++)
                sums[i][j] += a[i][t] * b[j][t];
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < COLUMNS; j++)
            c[i * ldc + j] = (int32_t)((uint32_t)c[i * ldc + j] + (uint32_t)sums[i][j]);
}

/* ROWS rows of a by `columns` of b. */
static void add_row(int64_t terms, int64_t columns, wide *a, wide *b, int32_t *c, int64_t ldc)
{
    for (int64_t j = 0; j < columns; j += COLUMNS)
        if (depth_of(terms) == MOST)
            add_tile(MOST, a, b + j, c + j, ldc);
        else
            add_tile(FEW, a, b + j, c + j, ldc);
}

/* Columns j to j + columns - 1 of c. */
static void add_panel(const struct igemm *g, int64_t j, int64_t columns)
{
    wide a[ROWS], b[PANEL];
    for (int64_t t = 0; t < g->k; t += MOST) {
        const int64_t terms = g->k - t < MOST ? g->k - t : MOST;
        widen(g->b + j * g->ldb + t, g->ldb, columns, terms, b);
        for (int64_t i = 0; i < g->m; i += ROWS) {
            widen(g->a + i * g->lda + t, g->lda, ROWS, terms, a);
            add_row(terms, columns, a, b, g->c + i * g->ldc + j, g->ldc);
        }
    }
}

static int run_igemm(const void *args)
{
    const struct igemm *g = args;
    if (!g->accumulate)
        for (int64_t i = 0; i < g->m; i++)
            memset(g->c + i * g->ldc, 0, (size_t)g->n * sizeof *g->c);
    for (int64_t j = 0; j < g->n; j += PANEL)
        add_panel(g, j, g->n - j < PANEL ? g->n - j : PANEL);
    return GT_DEVICE_OK;
}

const char *gt_host_product_kind(int64_t m, int64_t n, int64_t k, bool adds, const char *kind)
{
    return !m || !n || (!k && adds) ? NULL : k ? kind : "clear";
}

int gt_host_igemm(struct gt_stream *stream, int64_t m, int64_t n, int64_t k, const int8_t *a, int64_t lda, const int8_t *b, int64_t ldb,
                  int32_t *c, int64_t ldc, int accumulate)
{
    if ((m | n | k | lda | ldb | ldc | (int64_t)(intptr_t)a | (int64_t)(intptr_t)b | (int64_t)(intptr_t)c) % 16)
        return gt_host_fail(GT_DEVICE_FAILED, "igemm: sizes and addresses are not multiples of 16");
    const struct igemm g = {m, n, k, lda, ldb, ldc, a, b, c, accumulate};
    return gt_host_enqueue(stream, GT_HOST_igemm, gt_host_product_kind(m, n, k, accumulate, "int8 product"), 0, run_igemm, &g, sizeof g);
}
