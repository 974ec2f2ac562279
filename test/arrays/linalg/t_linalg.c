/* calc/linalg.h against what it says. */
#include "arrays/linalg/linalg.h"

#include <math.h>
#include <pthread.h>
#include <string.h>

#include "test/support/random.h"
#include "test/support/tap.h"

enum { LARGEST = 96, LEAD = LARGEST + 3 };

static void fill(double *a, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        a[i] = (double)random_below(2001) / 1000 - 1;
}

/* a b of matrices that stand as their names say, entry by entry. */
static double furthest(int64_t rows, int64_t columns, int64_t inner, const struct gt_matrix_ref *a, const struct gt_matrix_ref *b,
                       const double *before, double keep, const double *c)
{
    double most = 0;
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < columns; j++) {
            double sum = keep * before[i + j * LEAD];
            for (int64_t k = 0; k < inner; k++)
                sum += a->a[a->transposed ? k + i * a->lead : i + k * a->lead] * b->a[b->transposed ? j + k * b->lead : k + j * b->lead];
            most = fmax(most, fabs(sum - c[i + j * LEAD]));
        }
    return most;
}

static void check_products(void)
{
    static double a[LEAD * LEAD], b[LEAD * LEAD], c[LEAD * LEAD], before[LEAD * LEAD];
    double most = 0;
    for (int round = 0; round < 40; round++) {
        const int64_t rows = random_below(40), columns = random_below(40), inner = random_below(40);
        const struct gt_matrix_ref x = {a, LEAD, round % 2 == 1}, y = {b, LEAD, round / 2 % 2 == 1};
        fill(a, LEAD * LEAD), fill(b, LEAD * LEAD), fill(before, LEAD * LEAD);
        memcpy(c, before, sizeof c);
        gt_linalg_product(rows, columns, inner, &x, &y, round % 3, c, LEAD);
        most = fmax(most, furthest(rows, columns, inner, &x, &y, before, round % 3, c));
        if (rows < LEAD && columns && c[rows] != before[rows])
            most = INFINITY;
    }
    ok(most < 1e-12, "products of any shape and side, none of them too");
}

/* a = Q diag(values) Q', which has those eigenvalues: made of reflections. */
static void make_symmetric(int64_t n, const double *values, double *a)
{
    double v[LARGEST], w[LARGEST];
    memset(a, 0, LEAD * LEAD * sizeof *a);
    for (int64_t i = 0; i < n; i++)
        a[i + i * LEAD] = values[i];
    for (int round = 0; round < 3; round++) {
        double norm = 0, both = 0;
        fill(v, n);
        for (int64_t i = 0; i < n; i++)
            norm += v[i] * v[i];
        for (int64_t i = 0; i < n; i++) {
            w[i] = 0;
            for (int64_t j = 0; j < n; j++)
                w[i] += a[i + j * LEAD] * v[j] * 2 / norm;
        }
        for (int64_t i = 0; i < n; i++)
            both += v[i] * w[i] / norm;
        for (int64_t i = 0; i < n; i++)
            for (int64_t j = 0; j < n; j++)
                a[i + j * LEAD] -= v[i] * w[j] + w[i] * v[j] - 2 * both * v[i] * v[j];
    }
}

static double residual(int64_t n, int64_t k, const double *a, const double *values, const double *vectors)
{
    double most = 0;
    for (int64_t j = 0; j < k; j++)
        for (int64_t i = 0; i < n; i++) {
            double sum = -values[j] * vectors[i + j * n];
            for (int64_t l = 0; l < n; l++)
                sum += a[i + l * LEAD] * vectors[l + j * n];
            most = fmax(most, fabs(sum));
        }
    for (int64_t j = 0; j < k; j++)
        for (int64_t i = 0; i <= j; i++) {
            double sum = i == j ? -1 : 0;
            for (int64_t l = 0; l < n; l++)
                sum += vectors[l + i * n] * vectors[l + j * n];
            most = fmax(most, fabs(sum));
        }
    return most;
}

static void check_eigen(void)
{
    static double a[LEAD * LEAD], copy[LEAD * LEAD], vectors[LARGEST * LARGEST];
    double most = 0, values[LARGEST], found[LARGEST];
    struct gt_budget budget;
    struct gt_err err = {0};
    gt_budget_init(&budget, 1 << 24);
    for (int64_t n = 1; n <= LARGEST; n += 1 + n / 3)
        for (int64_t k = 0; k <= n; k += 1 + n / 4) {
            for (int64_t i = 0; i < n; i++) /* some of them alike */
                values[i] = (double)((n - i) / 2);
            make_symmetric(n, values, a);
            memcpy(copy, a, sizeof a);
            if (gt_linalg_eigen(n, a, LEAD, k, found, vectors, &budget, &err))
                most = INFINITY;
            for (int64_t i = 0; i < k; i++)
                most = fmax(most, fabs(found[i] - values[i]));
            most = fmax(most, residual(n, k, copy, found, vectors));
        }
    ok(most < 1e-11, "the largest eigenvalues and their vectors, of values that are alike too: off by %g", most);
    ok(budget.high > 0 && budget.high <= gt_linalg_eigen_bytes(LARGEST, LARGEST) && budget.used == 0, "memory as told, and given back");
    a[1] = NAN;
    ok(gt_linalg_eigen(3, a, LEAD, 2, found, vectors, &budget, &err) == GT_INPUT, "a matrix with NaN is refused");
    gt_budget_init(&budget, 64);
    ok(gt_linalg_eigen(LARGEST, copy, LEAD, 2, found, vectors, &budget, &err) == GT_NOFIT, "no more memory than there is");
}

static void check_cholesky(void)
{
    static double a[LEAD * LEAD], l[LEAD * LEAD], b[LEAD * LEAD], kept[LEAD * LEAD];
    struct gt_err err = {0};
    double most = 0, values[LARGEST];
    for (int64_t n = 0; n <= LARGEST; n += 1 + n / 2) {
        const struct gt_matrix_ref lower = {l, LEAD, false}, right = {b, LEAD, false};
        for (int64_t i = 0; i < n; i++)
            values[i] = 1 + (double)i / 10;
        make_symmetric(n, values, a);
        memcpy(l, a, sizeof a);
        if (gt_linalg_cholesky(n, l, LEAD, &err))
            most = INFINITY;
        fill(b, LEAD * LEAD);
        memcpy(kept, b, sizeof b);
        gt_linalg_solve_lower(n, 5, l, LEAD, b, LEAD);
        for (int64_t j = 0; j < n; j++)
            for (int64_t i = 0; i < j; i++)
                l[i + j * LEAD] = 0;
        memset(a, 0, sizeof a);
        gt_linalg_product(n, 5, n, &lower, &right, 0, a, LEAD);
        for (int64_t j = 0; j < 5; j++)
            for (int64_t i = 0; i < n; i++)
                most = fmax(most, fabs(a[i + j * LEAD] - kept[i + j * LEAD]));
    }
    ok(most < 1e-12, "a triangle of a matrix, and what it is solved for: off by %g", most);
    for (int64_t i = 0; i < 4; i++)
        values[i] = i == 3 ? -1 : 1;
    make_symmetric(4, values, a);
    ok(gt_linalg_cholesky(4, a, LEAD, &err) == GT_INPUT && strstr(err.msg, "positive definite"), "and one that has none: %s", err.msg);
}

/* --- several threads ------------------------------------------------------------------- */

enum { N = 64, ROUNDS = 200 };

struct caller {
    double a[N * N], want[N * N];
    int wrong;
};

static void *call(void *arg)
{
    static _Thread_local double c[N * N];
    struct caller *caller = arg;
    const struct gt_matrix_ref a = {caller->a, N, false}, b = {caller->a, N, true};
    for (int i = 0; i < ROUNDS; i++) {
        gt_linalg_product(N, N, N, &a, &b, 0, c, N);
        caller->wrong += memcmp(c, caller->want, sizeof c) != 0;
    }
    return NULL;
}

static void check_callers(void)
{
    static struct caller callers[4];
    pthread_t threads[4];
    int wrong = 0;
    for (int i = 0; i < 4; i++) {
        const struct gt_matrix_ref a = {callers[i].a, N, false}, b = {callers[i].a, N, true};
        fill(callers[i].a, N * N);
        gt_linalg_product(N, N, N, &a, &b, 0, callers[i].want, N);
    }
    for (int i = 0; i < 4; i++)
        if (pthread_create(&threads[i], NULL, call, &callers[i]))
            exit(1);
    for (int i = 0; i < 4; i++) {
        pthread_join(threads[i], NULL);
        wrong += callers[i].wrong;
    }
    ok(wrong == 0, "several callers at once get the bits that one gets");
}

int main(void)
{
    check_products();
    check_eigen();
    check_cholesky();
    check_callers();
    return done_testing();
}
