/* Block Krylov iteration on matrices whose eigenvalues are known. */
#include "arrays/linalg/krylov.h"

#include <math.h>
#include <string.h>

#include "arrays/linalg/linalg.h"
#include "test/support/random.h"
#include "test/support/tap.h"

enum { MOST = 900 };

/* Diagonal in a basis of reflections: A = H D H, H = 1 - 2 v v' / v'v. */
struct matrix {
    int64_t n, width;
    double values[MOST], v[MOST], size;
    int products;
};

static void make(struct matrix *a, int64_t n, int64_t width, int64_t rank, double gap)
{
    *a = (struct matrix){.n = n, .width = width};
    for (int64_t i = 0; i < n; i++) {
        a->values[i] = i < rank ? (i < 6 ? 100 / (double)(i + 1) : gap / (1 + (double)i / (double)n)) : 0;
        a->v[i] = (double)random_below(1000) - 500;
        a->size += a->v[i] * a->v[i];
    }
}

static void reflect(const struct matrix *a, double *x)
{
    double sum = 0;
    for (int64_t i = 0; i < a->n; i++)
        sum += a->v[i] * x[i];
    for (int64_t i = 0; i < a->n; i++)
        x[i] -= 2 * sum / a->size * a->v[i];
}

static int multiply(void *ctx, const double *columns, double *product, struct gt_err *err)
{
    struct matrix *a = ctx;
    a->products++;
    if (a->products > 100000)
        return gt_fail(err, GT_FAIL, "too many products");
    memcpy(product, columns, (size_t)(a->n * a->width) * sizeof *product);
    for (int64_t c = 0; c < a->width; c++) {
        reflect(a, product + c * a->n);
        for (int64_t i = 0; i < a->n; i++)
            product[i + c * a->n] *= a->values[i];
        reflect(a, product + c * a->n);
    }
    return GT_OK;
}

/* The largest |A u - value u| and |u'u - 1| of the first k. */
static double off_by(struct matrix *a, const struct gt_krylov_result *r, int64_t k)
{
    static double product[MOST * 64];
    const double *u = (const double *)(const void *)r->vectors.data;
    double most = 0;
    static double padded[MOST * 64];
    memset(padded, 0, sizeof padded);
    memcpy(padded, u, r->vectors.len);
    multiply(a, padded, product, NULL);
    for (int64_t c = 0; c < k; c++)
        for (int64_t i = 0; i < a->n; i++)
            most = fmax(most, fabs(product[i + c * a->n] - a->values[c] * u[i + c * a->n]));
    for (int64_t c = 0; c < k; c++)
        for (int64_t b = 0; b <= c; b++) {
            double sum = b == c ? -1 : 0;
            for (int64_t i = 0; i < a->n; i++)
                sum += u[i + b * a->n] * u[i + c * a->n];
            most = fmax(most, fabs(sum));
        }
    return most;
}

static struct gt_krylov problem_of(struct matrix *a, int64_t k, double tol, int64_t steps, struct gt_budget *budget)
{
    return (struct gt_krylov){.n = a->n,
                              .k = k,
                              .width = a->width,
                              .tol = tol,
                              .zero = 1e-26,
                              .steps = steps,
                              .seed = 7,
                              .multiply = multiply,
                              .ctx = a,
                              .budget = budget};
}

static void solve(int64_t n, int64_t k, int64_t width, int64_t rank, double gap, int64_t steps, double tol, double most, const char *what)
{
    static struct matrix a;
    struct gt_budget budget;
    struct gt_krylov_result r;
    struct gt_err err = {0};
    gt_budget_init(&budget, INT64_C(1) << 30);
    make(&a, n, width, rank, gap);
    const struct gt_krylov problem = problem_of(&a, k, tol, steps, &budget);
    int status = gt_krylov_solve(&problem, &r, &err);
    bool fits = budget.high <= gt_krylov_bytes(n, width) && r.steps <= steps;
    double off = status ? INFINITY : off_by(&a, &r, k);
    gt_buf_release(&r.vectors), gt_buf_release(&r.values);
    ok(!status && off <= most && (r.residual <= tol || r.steps == steps) && fits && budget.used == 0,
       "%s: off by %.2g after %lld products, residual %.2g%s", what, off, (long long)r.steps, r.residual, err.msg);
}

/* What the first k have of eigenvectors of other values, and |u'u - 1| of all. */
static void graded(const double *values, int64_t n, int64_t k, double tol, int64_t most_steps, const char *what)
{
    static struct matrix a;
    static double columns[MOST * 16];
    struct gt_budget budget;
    struct gt_krylov_result r;
    struct gt_err err = {0};
    double most = 0, off = 0;
    gt_budget_init(&budget, INT64_C(1) << 30);
    make(&a, n, 16, n, 1);
    memcpy(a.values, values, (size_t)n * sizeof *values);
    const struct gt_krylov problem = problem_of(&a, k, tol, 200, &budget);
    int status = gt_krylov_solve(&problem, &r, &err);
    if (!status)
        memcpy(columns, r.vectors.data, r.vectors.len);
    for (int64_t c = 0; c < r.found && !status; c++)
        for (int64_t b = 0; b <= c; b++) {
            double sum = b == c ? -1 : 0;
            for (int64_t i = 0; i < n; i++)
                sum += columns[i + b * n] * columns[i + c * n];
            off = fmax(off, fabs(sum));
        }
    for (int64_t c = 0; c < k && !status; c++) {
        double sum = 0;
        reflect(&a, columns + c * n);
        for (int64_t i = 0; i < n; i++)
            sum += values[i] < values[c] || values[i] > values[c] ? pow(columns[i + c * n], 2) : 0;
        most = fmax(most, sqrt(sum));
    }
    ok(!status && r.found == 16 && most <= 20 * tol && off < 1e-13 && r.steps <= most_steps,
       "%s: vectors off by %.2g with tol %g after %lld products, |u'u - 1| %.2g %s", what, most, tol, (long long)r.steps, off, err.msg);
    gt_buf_release(&r.vectors), gt_buf_release(&r.values);
}

static void check_graded(void)
{
    double values[300];
    for (int i = 0; i < 300; i++)
        values[i] = i ? 1 / (double)i : 1e10;
    graded(values, 300, 8, 1e-4, 30, "the first value dominates by 1e10");
    graded(values, 300, 8, 1e-8, 40, "the same, more exactly");
    values[0] = 1e14;
    values[1] = 1e7;
    graded(values, 300, 8, 1e-4, 30, "two values dominate");
    for (int i = 0; i < 300; i++)
        values[i] = pow(10, -2 * i);
    graded(values, 300, 10, 1e-2, 30, "a hundredth from value to value");
    for (int i = 0; i < 300; i++)
        values[i] = i < 3 ? 1 : 0;
    graded(values, 300, 8, 1e-8, 6, "three equal values, and nothing else");
    for (int i = 0; i < 300; i++)
        values[i] = 1;
    graded(values, 300, 8, 1e-8, 2, "all values are equal");
}

/* The largest |A u - value u| / value of the first k, from what the vectors have of each eigenvector, without what they have of the first
 * `skip`, which rounding alone says. */
static double true_residual(const struct matrix *a, const struct gt_krylov_result *r, int64_t k, int64_t skip)
{
    static double columns[MOST * 16];
    double most = 0;
    memcpy(columns, r->vectors.data, r->vectors.len);
    for (int64_t c = skip; c < k; c++) {
        const double value = ((const double *)(const void *)r->values.data)[c];
        double sum = 0;
        reflect(a, columns + c * a->n);
        for (int64_t i = skip; i < a->n; i++)
            sum += pow((a->values[i] - value) * columns[i + c * a->n], 2);
        most = fmax(most, sqrt(sum) / value);
    }
    return most;
}

/* One value of 1e10 is locked soon; the others, 1 to 0.5, converge slowly behind it.  Stopped after any number of products. */
static void check_residual(void)
{
    static struct matrix a;
    bool all_same = true;
    for (int64_t steps = 5; steps <= 30; steps++) {
        struct gt_budget budget;
        struct gt_krylov_result r;
        struct gt_err err = {0};
        gt_budget_init(&budget, INT64_C(1) << 30);
        make(&a, 300, 16, 300, 1);
        for (int i = 0; i < 300; i++)
            a.values[i] = i ? 1 - 0.5 * i / 300 : 1e10;
        const struct gt_krylov problem = problem_of(&a, 6, 1e-10, steps, &budget);
        const int status = gt_krylov_solve(&problem, &r, &err);
        const double true_one = status ? NAN : true_residual(&a, &r, 6, 1);
        /* 2e-6: rounding of products of 1e10 */
        const bool same = !status && fabs(r.residual - true_one) <= 0.05 * true_one + 2e-6 && r.steps <= steps;
        if (!same)
            diag("%lld products: residual %.3g, it is %.3g %s", (long long)r.steps, r.residual, true_one, err.msg);
        all_same &= same;
        gt_buf_release(&r.vectors), gt_buf_release(&r.values);
    }
    ok(all_same, "with a locked vector the reported residual is that of the other vectors, after 5 to 30 products");
}

static void check_stop(void)
{
    static struct matrix a;
    struct gt_budget budget;
    struct gt_krylov_result r;
    struct gt_err err = {0};
    gt_budget_init(&budget, INT64_C(1) << 30);
    make(&a, 300, 8, 300, 20);
    a.products = 100000;
    const struct gt_krylov problem = problem_of(&a, 5, 1e-6, 100, &budget);
    ok(gt_krylov_solve(&problem, &r, &err) == GT_FAIL && budget.used == 0, "what the product says is handed on: %s", err.msg);
    gt_buf_release(&r.vectors), gt_buf_release(&r.values);
}

/* Bytes of that many columns. */
static int64_t columns(int64_t n, int64_t count)
{
    return n * count * (int64_t)sizeof(double);
}

static void check_bytes(void)
{
    ok(gt_krylov_bytes(200000, 16) > columns(200000, 24 * 16), "24 blocks of 200,000 rows");
    ok(gt_krylov_bytes(500000, 16) < columns(500000, 16 * 16),
       "12 blocks, and what is beside them, of 500,000 rows: they would take 1.5 GB");
    ok(gt_krylov_bytes(1000000, 16) > columns(1000000, 12 * 16), "never fewer than 12");
}

int main(void)
{
    check_bytes();
    solve(900, 6, 8, 900, 5, 200, 1e-9, 1e-6, "values far from the rest");
    solve(900, 12, 16, 900, 12, 400, 1e-9, 1e-6, "values near each other");
    solve(900, 8, 8, 900, 14, 600, 1e-8, 1e-5, "a basis that is full, several times");
    solve(300, 6, 16, 6, 0, 50, 1e-9, 1e-6, "less rank than a block has columns");
    solve(60, 6, 16, 60, 10, 50, 1e-9, 1e-9, "few rows: the basis becomes all there is");
    solve(5, 5, 8, 5, 0, 50, 1e-9, 1e-9, "fewer rows than a block has columns");
    solve(1, 1, 8, 1, 0, 50, 1e-9, 1e-9, "one row");
    solve(900, 6, 8, 900, 5, 4, 1e-12, 100, "no more products than asked for");
    check_graded();
    check_residual();
    check_stop();
    return done_testing();
}
