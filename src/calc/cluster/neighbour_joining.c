/* Neighbour joining (Saitou and Nei 1987, in the formulation of Studier and Keppler 1988).
 *
 * Each step joins the pair i > j with the smallest q = d(i, j) - u(j) - u(i), where u is the sum of an item's distances divided
 * by m - 2, for m remaining items.  Searching all pairs in each step would take n^3 / 6 operations.  So each row has a lower bound
 * low(i) <= min over j of d(i, j) - u(j).  It is computed when the row is searched, and remains valid later after subtracting the
 * largest growth of any u since then, which is the same for all rows and kept as one sum.  A row whose bound exceeds the
 * best pair is skipped. */
#include <math.h>
#include <string.h>

#include "calc/cluster/cluster.h"
#include "core/base/mem.h"

/* A node stands in the slot of an item.  The u of a slot that is free is -inf, so that its q is inf. */
struct nj {
    double *triangle;
    int64_t slots, left; /* left: nodes that are not joined yet */
    double *sum, *u;
    double *low;  /* bound of the row + grown, at the time it was made */
    double grown; /* sum over all steps of the most that a u grew by */
    double slack; /* what rounding may have done to bounds */
    uint32_t *node;
};

struct pair {
    int64_t row, column;
    double q;
};

static double *at(const struct nj *t, int64_t i, int64_t j)
{
    return &t->triangle[i > j ? gt_triangle_at(i, j) : gt_triangle_at(j, i)];
}

static bool is_free(const struct nj *t, int64_t i)
{
    return t->u[i] == -INFINITY;
}

/* The least d - u of n. */
static double least_of(const double *restrict d, const double *restrict u, int64_t n)
{
    enum { LANES = 8 };
    double lane[LANES], minimum = INFINITY;
    int64_t j = 0;
    for (int k = 0; k < LANES; k++)
        lane[k] = INFINITY;
    for (; j + LANES <= n; j += LANES)
        for (int k = 0; k < LANES; k++) {
            double x = d[j + k] - u[j + k];
            lane[k] = x < lane[k] ? x : lane[k];
        }
    for (int k = 0; k < LANES; k++)
        minimum = lane[k] < minimum ? lane[k] : minimum;
    for (; j < n; j++)
        minimum = d[j] - u[j] < minimum ? d[j] - u[j] : minimum;
    return minimum;
}

/* --- a step: which pair ---------------------------------------------------------------- */

static void look_through(struct nj *t, int64_t row, struct pair *best)
{
    double minimum = least_of(t->triangle + gt_triangle_at(row, 0), t->u, row), q = minimum - t->u[row];
    t->low[row] = minimum + t->grown;
    if (q < best->q || (q == best->q && row < best->row))
        *best = (struct pair){row, -1, q};
}

static double bound(const struct nj *t, int64_t row)
{
    return t->low[row] - t->grown - t->u[row];
}

/* The row that promises most is looked through first. */
static struct pair find_pair(struct nj *t)
{
    struct pair best = {-1, -1, INFINITY};
    int64_t first = -1;
    for (int64_t i = 1; i < t->slots; i++)
        if (!is_free(t, i) && (first < 0 || bound(t, i) < bound(t, first)))
            first = i;
    look_through(t, first, &best);
    for (int64_t i = 1; i < t->slots; i++)
        if (i != first && !is_free(t, i) && bound(t, i) <= best.q + t->slack)
            look_through(t, i, &best);
    const double *d = t->triangle + gt_triangle_at(best.row, 0), minimum = least_of(d, t->u, best.row);
    best.column = 0;
    while (d[best.column] - t->u[best.column] != minimum)
        best.column++;
    return best;
}

/* --- a step: the node of two ------------------------------------------------------------ */

/* The new node takes the place of y. */
static void take_place(struct nj *t, int64_t x, int64_t y)
{
    const double both = *at(t, x, y);
    double sum = 0;
    for (int64_t k = 0; k < t->slots; k++)
        if (!is_free(t, k) && k != x && k != y) {
            double from_x = *at(t, x, k), *from_y = at(t, y, k), middle = (from_x + *from_y - both) / 2;
            t->sum[k] += middle - from_x - *from_y;
            *from_y = middle;
            sum += middle;
        }
    t->sum[y] = sum;
    t->u[x] = -INFINITY;
    t->left--;
}

static void count_anew(struct nj *t, int64_t y)
{
    double most = -INFINITY;
    for (int64_t k = 0; k < t->slots; k++) {
        if (is_free(t, k))
            continue;
        double u = t->sum[k] / (double)(t->left - 2);
        most = k != y && u - t->u[k] > most ? u - t->u[k] : most;
        t->u[k] = u;
    }
    t->grown += most;
    for (int64_t k = y + 1; k < t->slots; k++) {
        double low = t->triangle[gt_triangle_at(k, y)] - t->u[y] + t->grown;
        t->low[k] = low < t->low[k] ? low : t->low[k];
    }
    t->low[y] = -INFINITY; /* looked through next time */
}

/* Free slots are left out where they are many. */
static void close_up(struct nj *t)
{
    int64_t to = 0;
    if (t->left > t->slots - t->slots / 8)
        return;
    for (int64_t i = 0; i < t->slots; i++) {
        if (is_free(t, i))
            continue;
        double *row = t->triangle + gt_triangle_at(to, 0);
        for (int64_t j = 0, column = 0; j < i; j++)
            if (!is_free(t, j))
                row[column++] = *at(t, i, j);
        t->sum[to] = t->sum[i], t->low[to] = t->low[i], t->node[to] = t->node[i];
        to++;
    }
    t->slots = to;
    for (int64_t i = 0; i < to; i++)
        t->u[i] = t->sum[i] / (double)(t->left - 2);
}

static struct gt_join join_two(struct nj *t, uint32_t number)
{
    const struct pair best = find_pair(t);
    const int64_t x = best.column, y = best.row;
    const double d = *at(t, x, y), apart = (t->sum[x] - t->sum[y]) / (double)(t->left - 2);
    struct gt_join join = {.children = 2, .child = {t->node[x], t->node[y]}, .length = {(d + apart) / 2, (d - apart) / 2}};
    take_place(t, x, y);
    count_anew(t, y);
    t->node[y] = number;
    close_up(t);
    return join;
}

/* --- the whole tree ----------------------------------------------------------------------- */

static struct gt_join join_last(const struct nj *t)
{
    int64_t s[3];
    int n = 0;
    for (int64_t k = 0; k < t->slots; k++)
        if (!is_free(t, k))
            s[n++] = k;
    if (n == 2) {
        double half = *at(t, s[0], s[1]) / 2;
        return (struct gt_join){.children = 2, .child = {t->node[s[0]], t->node[s[1]]}, .length = {half, half}};
    }
    const double ab = *at(t, s[0], s[1]), ac = *at(t, s[0], s[2]), bc = *at(t, s[1], s[2]);
    return (struct gt_join){.children = 3,
                            .child = {t->node[s[0]], t->node[s[1]], t->node[s[2]]},
                            .length = {(ab + ac - bc) / 2, (ab + bc - ac) / 2, (ac + bc - ab) / 2}};
}

static void begin(struct nj *t, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        t->node[i] = (uint32_t)i;
        t->low[i] = -INFINITY;
        t->sum[i] = 0;
    }
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < i; j++) {
            double d = t->triangle[gt_triangle_at(i, j)];
            t->sum[i] += d;
            t->sum[j] += d;
        }
    for (int64_t i = 0; i < n; i++) {
        t->u[i] = n > 2 ? t->sum[i] / (double)(n - 2) : 0;
        t->slack = fabs(t->u[i]) > t->slack ? fabs(t->u[i]) : t->slack;
    }
    t->slack *= 1e-9;
}

int gt_cluster_neighbours(double *triangle, int64_t n, struct gt_buf *joins, struct gt_err *err)
{
    struct gt_buf numbers = {.budget = joins->budget}, nodes = {.budget = joins->budget};
    const int64_t n_joins = n < 2 ? 0 : n == 2 ? 1 : n - 2;
    int status = gt_buf_resize(joins, (size_t)n_joins * sizeof(struct gt_join), err);
    if (!status)
        status = gt_buf_resize(&numbers, 3 * (size_t)n * sizeof(double), err);
    if (!status)
        status = gt_buf_resize(&nodes, (size_t)n * sizeof(uint32_t), err);
    if (!status && n_joins) {
        double *number = (double *)(void *)numbers.data;
        struct nj t = {triangle, n, n, number, number + n, number + 2 * n, 0, 0, (uint32_t *)(void *)nodes.data};
        struct gt_join *join = (struct gt_join *)(void *)joins->data;
        begin(&t, n);
        for (int64_t k = 0; k < n_joins - 1; k++)
            join[k] = join_two(&t, (uint32_t)(n + k));
        join[n_joins - 1] = join_last(&t);
    }
    gt_buf_release(&numbers);
    gt_buf_release(&nodes);
    return status;
}
