/* Tiles of pairs of numbers at every level: the plain C one against sums written out, the
 * others against its bits. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "kernels/kernels.h"
#include "test/support/guard_page.h"
#include "test/support/tap.h"

enum { CELLS = GT_PANEL * GT_PANEL, MOST_SITES = 300 };

struct panels {
    struct guard a, b, weights, sums;
};

static double *numbers(const struct guard *g)
{
    return (double *)(void *)g->data;
}

/* Zeros and equal numbers are common, the ends of double's range too with `wild`. */
static double number(double missing, bool wild)
{
    static const double ends[] = {INFINITY, -INFINITY, DBL_MAX, -DBL_MAX, DBL_MIN, 5e-324, -0.0};
    if (rnd() % 1000 < missing * 1000)
        return NAN;
    if (wild && rnd() % 20 == 0)
        return ends[rnd() % 7];
    return rnd() % 3 ? (double)(int32_t)rnd() * 1e-7 : (double)(rnd() % 3);
}

static struct panels make_panels(double missing, bool wild)
{
    struct panels p;
    size_t panel = MOST_SITES * GT_PANEL * sizeof(double);
    p.a = guard_new(panel, 0);
    p.b = guard_new(panel, 0);
    p.weights = guard_new(MOST_SITES * sizeof(double), 0);
    p.sums = guard_new(CELLS * sizeof(double), 0);
    for (int k = 0; k < MOST_SITES * GT_PANEL; k++) {
        numbers(&p.a)[k] = number(missing, wild);
        numbers(&p.b)[k] = rnd() % 4 ? number(missing, wild) : numbers(&p.a)[k];
    }
    for (int k = 0; k < MOST_SITES; k++)
        numbers(&p.weights)[k] = rnd() % 5 ? rnd() * 1e-9 : 0;
    return p;
}

static void free_panels(struct panels *p)
{
    guard_free(&p->a);
    guard_free(&p->b);
    guard_free(&p->weights);
    guard_free(&p->sums);
}

/* --- the plain C one ------------------------------------------------------------- */

/* The terms in words of their own; w is a weight. */
static double term_of(enum gt_float_term term, double p, double w, double x, double y)
{
    double m = x / 2 + y / 2, by_x = x > 0 ? x * log(x / m) : 0, by_y = y > 0 ? y * log(y / m) : 0;
    switch (term) {
    case GT_FLOAT_N:
        return w;
    case GT_FLOAT_ABS:
        return w * fabs(x - y);
    case GT_FLOAT_SQUARE:
        return w * pow(x - y, 2);
    case GT_FLOAT_POWER:
        return w * pow(fabs(x - y), p);
    case GT_FLOAT_MAX:
        return w > 0 ? fabs(x - y) : 0;
    case GT_FLOAT_TOTAL:
        return w * fabs(x + y);
    case GT_FLOAT_CANBERRA:
        return x != 0 || y != 0 ? w * fabs(x - y) / (fabs(x) + fabs(y)) : 0;
    case GT_FLOAT_X:
        return w * x;
    case GT_FLOAT_Y:
        return w * y;
    case GT_FLOAT_XX:
        return w * x * x;
    case GT_FLOAT_YY:
        return w * y * y;
    case GT_FLOAT_XY:
        return w * x * y;
    case GT_FLOAT_DIFFER:
        return w * (x < y || x > y);
    case GT_FLOAT_NONZERO:
        return w * (fabs(x) + fabs(y) > 0);
    case GT_FLOAT_BOTH:
        return w * (fabs(x) > 0 && fabs(y) > 0);
    case GT_FLOAT_ONLY_X:
        return w * (fabs(x) > 0 && !(fabs(y) > 0));
    case GT_FLOAT_ONLY_Y:
        return w * (fabs(y) > 0 && !(fabs(x) > 0));
    default:
        return x < 0 || y < 0 ? INFINITY : w * (by_x + by_y);
    }
}

static int64_t ref_errors(const struct panels *p, enum gt_float_term term, const struct gt_float_sites *sites)
{
    const struct gt_kernels *ref = gt_kernels_all(&(int){0})[0];
    int64_t wrong = 0;
    for (int k = 0; term == GT_FLOAT_SHANNON && k < MOST_SITES * GT_PANEL; k++) { /* of shares */
        numbers(&p->a)[k] = fabs(numbers(&p->a)[k]);
        numbers(&p->b)[k] = fabs(numbers(&p->b)[k]);
    }
    memset(p->sums.data, 0, CELLS * sizeof(double));
    ref->float_tile(term, sites, numbers(&p->a), numbers(&p->b), numbers(&p->sums));
    for (int c = 0; c < CELLS; c++) {
        double want = 0, size = 0;
        for (int64_t k = 0; k < sites->n; k++) {
            double x = numbers(&p->a)[k * GT_PANEL + c / GT_PANEL], y = numbers(&p->b)[k * GT_PANEL + c % GT_PANEL];
            double more = isnan(x) || isnan(y) ? 0 : term_of(term, sites->p, sites->weights ? sites->weights[k] : 1, x, y);
            want = term != GT_FLOAT_MAX ? want + more : more > want ? more : want;
            size += fabs(more);
        }
        wrong += !(fabs(numbers(&p->sums)[c] - want) <= 1e-13 * size);
    }
    if (wrong)
        diag("ref: term %d, %lld sites, p %g: %lld sums are wrong", (int)term, (long long)sites->n, sites->p, (long long)wrong);
    return wrong;
}

static void check_ref(void)
{
    int64_t wrong = 0;
    for (int round = 0; round < 3; round++) {
        struct panels p = make_panels(round ? 0.1 : 0, false);
        for (int term = 0; term < GT_FLOAT_TERMS; term++) {
            static const double powers[] = {3, 0.5, 16, 3.2};
            struct gt_float_sites sites = {.n = 50, .weights = round == 2 ? numbers(&p.weights) : NULL, .missing = round > 0};
            for (int k = 0; k < (term == GT_FLOAT_POWER ? 4 : 1); k++) {
                sites.p = powers[k];
                wrong += ref_errors(&p, (enum gt_float_term)term, &sites);
            }
        }
        free_panels(&p);
    }
    ok(wrong == 0, "ref: every term is what it is said to be");
}

/* --- the others -------------------------------------------------------------------- */

/* In calls of `cut` sites; NaN of any kind is NaN. */
static void tile_in(const struct gt_kernels *k, enum gt_float_term term, struct gt_float_sites sites, const struct panels *p, int64_t cut,
                    double *sums)
{
    const int64_t n = sites.n;
    const double *weights = sites.weights;
    for (int c = 0; c < CELLS; c++)
        numbers(&p->sums)[c] = c % 7;
    for (int64_t from = 0; from < n; from += cut) {
        sites.n = n - from < cut ? n - from : cut;
        sites.weights = weights ? weights + from : NULL;
        k->float_tile(term, &sites, numbers(&p->a) + from * GT_PANEL, numbers(&p->b) + from * GT_PANEL, numbers(&p->sums));
    }
    for (int c = 0; c < CELLS; c++)
        sums[c] = isnan(numbers(&p->sums)[c]) ? NAN : numbers(&p->sums)[c];
}

static int64_t differ(const struct gt_kernels *k, enum gt_float_term term, const struct gt_float_sites *sites, const struct panels *p)
{
    static double want[CELLS], got[CELLS];
    tile_in(gt_kernels_all(&(int){0})[0], term, *sites, p, sites->n, want);
    tile_in(k, term, *sites, p, 1 + rnd() % 130, got);
    if (!memcmp(want, got, sizeof want))
        return 0;
    diag("%s: term %d, %lld sites, p %g, %s%s", k->name, (int)term, (long long)sites->n, sites->p, sites->weights ? "weights " : "",
         sites->missing ? "missing" : "");
    return 1;
}

/* Weights and missing, in all four ways; numbers at the ends of their range every other time. */
static void check_level(const struct gt_kernels *k)
{
    static const int64_t counts[] = {0, 1, 2, 63, 64, 65, 127, 129, MOST_SITES};
    static const double powers[] = {1, 2, 3, 5, 16, 17, 0.7};
    int64_t wrong = 0;
    for (int round = 0; round < 8; round++) {
        bool missing = round & 1;
        struct panels p = make_panels(missing ? 0.2 : 0, round & 4);
        for (int term = 0; term < GT_FLOAT_TERMS; term++) {
            struct gt_float_sites sites = {.n = counts[rnd() % 9], .weights = round & 2 ? numbers(&p.weights) : NULL, .missing = missing};
            for (int q = 0; q < (term == GT_FLOAT_POWER ? 7 : 1); q++) {
                sites.p = powers[q];
                wrong += differ(k, (enum gt_float_term)term, &sites, &p);
            }
            sites.missing = true; /* that none is does not matter */
            wrong += differ(k, (enum gt_float_term)term, &sites, &p);
        }
        free_panels(&p);
    }
    ok(wrong == 0, "%s: the bits of the plain C one: every term, with and without weights and missing numbers, any cut", k->name);
}

/* Each term's sums of the samples are those of their pairs with anyone, where nothing is missing. */
static void check_panel(const struct gt_kernels *k)
{
    static const enum gt_float_term terms[] = {GT_FLOAT_N, GT_FLOAT_X, GT_FLOAT_XX};
    static _Alignas(64) double pairs[CELLS], got[GT_PANEL];
    int64_t wrong = 0;
    for (int round = 0; round < 12; round++) {
        struct panels p = make_panels(0, round & 1);
        struct gt_float_sites sites = {.n = round < 2 ? round : (int64_t)(rnd() % MOST_SITES),
                                       .weights = round & 2 ? numbers(&p.weights) : NULL};
        memset(pairs, 0, sizeof pairs);
        memset(got, 0, sizeof got);
        gt_kernels_all(&(int){0})[0]->float_tile(terms[round % 3], &sites, numbers(&p.a), numbers(&p.b), pairs);
        k->float_panel(terms[round % 3], &sites, numbers(&p.a), got);
        for (int i = 0; i < GT_PANEL; i++)
            wrong += memcmp(&got[i], &pairs[i * GT_PANEL + 7], sizeof *got) != 0 && !(isnan(got[i]) && isnan(pairs[i * GT_PANEL + 7]));
        free_panels(&p);
    }
    ok(wrong == 0, "%s: sums of single samples", k->name);
}

/* --- small whole numbers --------------------------------------------------------------- */

/* Each term's sums are those of the same numbers as doubles. */
static void check_whole(const struct gt_kernels *k)
{
    int64_t wrong = 0, terms = 0;
    for (int round = 0; round < 20; round++) {
        const int64_t n = round < 4 ? round : 1 + (int64_t)(rnd() % MOST_SITES);
        const size_t bytes = (size_t)((n + 1) / 2) * 2 * GT_PANEL * sizeof(int16_t);
        const int range = round % 2 ? 3 : 384;
        struct panels p = make_panels(0, false);
        struct guard a = guard_new(bytes, 0), b = guard_new(bytes, 0);
        memset(a.data, 0, bytes);
        memset(b.data, 0, bytes);
        for (int64_t s = 0; s < n; s++)
            for (int i = 0; i < GT_PANEL; i++) {
                double x = (double)(rnd() % (unsigned)range) - (range > 3 ? 128 : 1),
                       y = (double)(rnd() % (unsigned)range) - (range > 3 ? 128 : 1);
                numbers(&p.a)[s * GT_PANEL + i] = x;
                numbers(&p.b)[s * GT_PANEL + i] = y;
                ((int16_t *)(void *)a.data)[GT_SMALL_INT_AT(s, i)] = (int16_t)x;
                ((int16_t *)(void *)b.data)[GT_SMALL_INT_AT(s, i)] = (int16_t)y;
            }
        for (int term = 0; term < GT_FLOAT_TERMS; term++) {
            static double want[CELLS];
            if (!gt_small_int_term((enum gt_float_term)term))
                continue;
            terms++;
            tile_in(gt_kernels_all(&(int){0})[0], (enum gt_float_term)term, (struct gt_float_sites){.n = n}, &p, n + 1, want);
            for (int c = 0; c < CELLS; c++)
                numbers(&p.sums)[c] = c % 7;
            k->small_int_tile((enum gt_float_term)term, n, (const int16_t *)(void *)a.data, (const int16_t *)(void *)b.data,
                              numbers(&p.sums));
            wrong += memcmp(want, p.sums.data, sizeof want) != 0;
        }
        guard_free(&a);
        guard_free(&b);
        free_panels(&p);
    }
    ok(wrong == 0 && terms == 20 * 9, "%s: sums of small whole numbers are those of doubles", k->name);
}

/* --- narrow products ----------------------------------------------------------------- */

struct narrow {
    int64_t rows, terms, width, row, step;
    struct guard a, b, sums;
};

/* Row after row, or turned, with and without gaps between; the last number stands before a forbidden page. */
static struct narrow make_narrow(int round)
{
    struct narrow n = {.rows = rnd() % 30, .terms = rnd() % 40, .width = (1 + rnd() % 6) * GT_NARROW};
    const int64_t gap = rnd() % 3;
    n.row = round % 2 ? 1 : n.terms + gap;
    n.step = round % 2 ? n.rows + gap : 1;
    const int64_t last = n.rows && n.terms ? (n.rows - 1) * n.row + (n.terms - 1) * n.step + 1 : 0;
    n.a = guard_new((size_t)last * sizeof(double), 0);
    n.b = guard_new((size_t)(n.terms * n.width) * sizeof(double), 0);
    n.sums = guard_new((size_t)(n.rows * n.width) * sizeof(double), 0);
    for (int64_t i = 0; i < last; i++)
        numbers(&n.a)[i] = number(0, false);
    for (int64_t i = 0; i < n.terms * n.width; i++)
        numbers(&n.b)[i] = number(0, false);
    return n;
}

/* In calls of so many rows and terms. */
static void narrow_in(const struct gt_kernels *k, const struct narrow *n, int64_t rows, int64_t terms, double *sums)
{
    for (int64_t i = 0; i < n->rows * n->width; i++)
        numbers(&n->sums)[i] = (double)(i % 5);
    for (int64_t r = 0; r < n->rows; r += rows)
        for (int64_t t = 0; t < n->terms; t += terms)
            k->narrow(numbers(&n->a) + r * n->row + t * n->step, n->row, n->step, n->rows - r < rows ? n->rows - r : rows,
                      n->terms - t < terms ? n->terms - t : terms, numbers(&n->b) + t * n->width, n->width,
                      numbers(&n->sums) + r * n->width);
    memcpy(sums, n->sums.data, (size_t)(n->rows * n->width) * sizeof *sums);
}

static void check_narrow(const struct gt_kernels *k)
{
    static double want[30 * 6 * GT_NARROW], got[30 * 6 * GT_NARROW];
    int64_t wrong = 0;
    for (int round = 0; round < 200; round++) {
        struct narrow n = make_narrow(round);
        for (int64_t i = 0; i < n.rows * n.width; i++) {
            want[i] = (double)(i % 5);
            for (int64_t t = 0; t < n.terms; t++)
                want[i] = fma(numbers(&n.a)[i / n.width * n.row + t * n.step], numbers(&n.b)[t * n.width + i % n.width], want[i]);
        }
        narrow_in(k, &n, 1 + rnd() % 30, 1 + rnd() % 40, got);
        wrong += memcmp(want, got, (size_t)(n.rows * n.width) * sizeof *want) != 0;
        guard_free(&n.a);
        guard_free(&n.b);
        guard_free(&n.sums);
    }
    ok(wrong == 0, "%s: narrow products, by rows and turned, the same bits for any cut", k->name);
}

int main(void)
{
    int n;
    const struct gt_kernels *const *levels = gt_kernels_all(&n);
    check_ref();
    for (int k = 0; k < n; k++)
        check_level(levels[k]), check_panel(levels[k]), check_whole(levels[k]), check_narrow(levels[k]);
    return done_testing();
}
