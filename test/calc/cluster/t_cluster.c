/* calc/cluster: neighbour joining against a search through all pairs, average linkage against
 * means of pairs, with and without equal distances; the order of a drawing. */
#include <math.h>

#include "calc/cluster/cluster.h"
#include "test/support/random.h"
#include "test/support/tap.h"

enum { MOST = 90 };

static double square[MOST][MOST];

static double random_unit(void)
{
    return (double)random_below(1 << 30) / (1 << 30);
}

static const struct gt_join *joins_of(const struct gt_buf *joins)
{
    return (const struct gt_join *)(const void *)joins->data;
}

/* kinds: 0 any numbers, 1 small whole numbers, 2 all the same, 3 close to each other */
static void fill(int n, int kind)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++)
            square[i][j] = square[j][i] = kind == 0   ? random_unit()
                                          : kind == 1 ? (double)(1 + random_below(4))
                                          : kind == 2 ? 1
                                                      : 1 + 1e-3 * random_unit();
}

static void to_triangle(int n, double *triangle)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++)
            triangle[gt_triangle_at(i, j)] = square[i][j];
}

/* --- neighbour joining -------------------------------------------------------------- */

static struct gt_join plain_step(int n, int left, double sum[], double u[], bool is_free[], uint32_t node[], uint32_t number)
{
    int x = -1, y = -1;
    double best = INFINITY;
    for (int i = 0; i < n; i++) {
        double minimum = INFINITY;
        int at = -1;
        for (int j = 0; j < i && !is_free[i]; j++)
            if (!is_free[j] && square[i][j] - u[j] < minimum)
                minimum = square[i][j] - u[j], at = j;
        if (at >= 0 && minimum - u[i] < best)
            best = minimum - u[i], y = i, x = at;
    }
    double d = square[y][x], apart = (sum[x] - sum[y]) / (left - 2), all = 0;
    struct gt_join join = {.children = 2, .child = {node[x], node[y]}, .length = {(d + apart) / 2, (d - apart) / 2}};
    for (int k = 0; k < n; k++) {
        if (is_free[k] || k == x || k == y)
            continue;
        double middle = (square[x][k] + square[y][k] - d) / 2;
        sum[k] += middle - square[x][k] - square[y][k];
        square[y][k] = square[k][y] = middle;
        all += middle;
    }
    sum[y] = all;
    is_free[x] = true;
    node[y] = number;
    for (int k = 0; k < n; k++)
        u[k] = sum[k] / (left - 3);
    return join;
}

/* The joins before the last; square is used up. */
static void plain(int n, struct gt_join *join)
{
    double sum[MOST] = {0}, u[MOST];
    bool is_free[MOST] = {false};
    uint32_t node[MOST];
    for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++)
            sum[i] += square[i][j], sum[j] += square[i][j];
    for (int i = 0; i < n; i++)
        u[i] = sum[i] / (n - 2), node[i] = (uint32_t)i;
    for (int k = 0; k < n - 3; k++)
        join[k] = plain_step(n, n - k, sum, u, is_free, node, (uint32_t)(n + k));
}

static bool is_same(const struct gt_join *a, const struct gt_join *b)
{
    return a->children == b->children && a->child[0] == b->child[0] && a->child[1] == b->child[1] && a->length[0] == b->length[0] &&
           a->length[1] == b->length[1];
}

static void test_neighbours(void)
{
    static double triangle[MOST * MOST];
    struct gt_join want[MOST];
    struct gt_buf joins = {0};
    struct gt_err err = {0};
    bool same[4] = {true, true, true, true};
    for (int kind = 0; kind < 4; kind++)
        for (int n = 3; n <= MOST; n += n < 12 ? 1 : 13) {
            fill(n, kind);
            to_triangle(n, triangle);
            plain(n, want);
            same[kind] &= gt_cluster_neighbours(triangle, n, &joins, &err) == GT_OK && joins.len == (size_t)(n - 2) * sizeof *want;
            for (int k = 0; k < n - 3; k++)
                same[kind] &= is_same(&joins_of(&joins)[k], &want[k]);
        }
    ok(same[0], "neighbour joining is that of a search through all pairs");
    ok(same[1] && same[2], "also where many pairs are equal");
    ok(same[3], "and where distances are all about the same");
    gt_buf_release(&joins);
}

static void test_few(void)
{
    double two[] = {3}, three[] = {5, 9, 10};
    struct gt_buf joins = {0};
    struct gt_err err = {0};
    ok(!gt_cluster_neighbours(NULL, 0, &joins, &err) && !joins.len && !gt_cluster_neighbours(NULL, 1, &joins, &err) && !joins.len,
       "no tree of none and of one");
    ok(!gt_cluster_neighbours(two, 2, &joins, &err) && joins_of(&joins)->children == 2 && joins_of(&joins)->length[1] == 1.5,
       "two halves of two");
    gt_cluster_neighbours(three, 3, &joins, &err);
    const double *length = joins_of(&joins)->length;
    ok(joins_of(&joins)->children == 3 && length[0] == 2 && length[1] == 3 && length[2] == 7, "three of three");
    ok(!gt_cluster_average(NULL, 0, &joins, &err) && !joins.len && !gt_cluster_average(NULL, 1, &joins, &err) && !joins.len,
       "no clusters of none and of one");
    gt_buf_release(&joins);
}

/* --- average linkage ------------------------------------------------------------------ */

static int items_of(const struct gt_join *join, int n, uint32_t node, int *items)
{
    if (node < (uint32_t)n) {
        items[0] = (int)node;
        return 1;
    }
    int some = items_of(join, n, join[node - (uint32_t)n].child[0], items);
    return some + items_of(join, n, join[node - (uint32_t)n].child[1], items + some);
}

/* The mean over the pairs of two nodes. */
static double mean_of(const struct gt_join *join, int n, uint32_t a, uint32_t b)
{
    int of_a[MOST], of_b[MOST], n_a = items_of(join, n, a, of_a), n_b = items_of(join, n, b, of_b);
    double sum = 0;
    for (int i = 0; i < n_a; i++)
        for (int j = 0; j < n_b; j++)
            sum += square[of_a[i]][of_b[j]];
    return sum / n_a / n_b;
}

static void test_average(void)
{
    static double triangle[MOST * MOST];
    struct gt_buf joins = {0};
    struct gt_err err = {0};
    bool means = true, rises = true, all = true, lengths = true, drawn = true;
    for (int kind = 0; kind < 4; kind++)
        for (int n = 2; n <= MOST; n += n < 12 ? 1 : 13) {
            int items[MOST], seen[MOST] = {0};
            uint32_t order[MOST];
            fill(n, kind);
            to_triangle(n, triangle);
            gt_cluster_average(triangle, n, &joins, &err);
            const struct gt_join *join = joins_of(&joins);
            for (int k = 0; k < n - 1; k++) {
                const uint32_t *child = join[k].child;
                means &= fabs(mean_of(join, n, child[0], child[1]) - join[k].height) < 1e-12;
                rises &= !k || join[k].height >= join[k - 1].height;
                for (int c = 0; c < 2; c++) {
                    double below = child[c] < (uint32_t)n ? 0 : join[child[c] - (uint32_t)n].height;
                    lengths &= join[k].length[c] == (join[k].height - below) / 2 && child[c] < (uint32_t)(n + k);
                }
            }
            all &= items_of(join, n, (uint32_t)(2 * n - 2), items) == n;
            drawn &= gt_cluster_order(&joins, n, order, &err) == GT_OK;
            for (int i = 0; i < n; i++)
                seen[order[i]]++;
            for (int i = 0; i < n; i++)
                drawn &= seen[i] == 1;
        }
    ok(means && rises, "clusters are joined at the mean of their pairs, the nearest first");
    ok(all && lengths, "all items are in the tree, at the same depth");
    ok(drawn, "each has one place in the drawing");
    gt_buf_release(&joins);
}

static void test_order(void)
{
    /* 1 and 3 are nearest, 0 comes to them later, 2 last */
    double triangle[] = {4, 9, 9, 4, 1, 9};
    struct gt_buf joins = {0};
    struct gt_err err = {0};
    uint32_t order[4];
    gt_cluster_average(triangle, 4, &joins, &err);
    gt_cluster_order(&joins, 4, order, &err);
    ok(order[0] == 2 && order[1] == 0 && order[2] == 1 && order[3] == 3, "the closer cluster is drawn first");
    gt_buf_release(&joins);
}

int main(void)
{
    test_neighbours();
    test_few();
    test_average();
    test_order();
    return done_testing();
}
