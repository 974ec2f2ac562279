#include "calc/cluster/cluster.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/mem.h"

/* A cluster stands in the slot of one of its items. */
struct average {
    double *triangle;
    int64_t n;
    struct slot {
        int64_t items; /* 0: it is part of another one */
        double height;
    } * slot;
    struct merge {
        double height;
        uint32_t a, b; /* slots, a < b; the cluster is in b */
        uint32_t number;
    } * merge;
    uint32_t *chain;
};

int64_t gt_cluster_bytes(int64_t n)
{
    return n * (int64_t)(sizeof(struct slot) + sizeof(struct merge) + 4 * sizeof(uint32_t) + 2 * sizeof(struct gt_join)) + 4096;
}

static double *distance(const struct average *c, int64_t i, int64_t j)
{
    return &c->triangle[i > j ? gt_triangle_at(i, j) : gt_triangle_at(j, i)];
}

/* The nearest cluster; `before` when no other is nearer. */
static int64_t nearest(const struct average *c, int64_t i, int64_t before)
{
    int64_t found = before;
    double minimum = before < 0 ? INFINITY : *distance(c, i, before);
    for (int64_t j = 0; j < c->n; j++)
        if (c->slot[j].items && j != i && (found < 0 || *distance(c, i, j) < minimum)) {
            found = j;
            minimum = *distance(c, i, j);
        }
    return found;
}

/* Rounding must not put a cluster below those that it is made of. */
static void merge(struct average *c, int64_t number, int64_t i, int64_t j)
{
    const int64_t a = i < j ? i : j, b = i < j ? j : i;
    struct slot *x = &c->slot[a], *y = &c->slot[b];
    const double all = (double)(x->items + y->items), below = x->height > y->height ? x->height : y->height, height = *distance(c, a, b);
    for (int64_t k = 0; k < c->n; k++)
        if (c->slot[k].items && k != a && k != b)
            *distance(c, b, k) = ((double)x->items * *distance(c, a, k) + (double)y->items * *distance(c, b, k)) / all;
    y->height = height < below ? below : height;
    y->items += x->items;
    x->items = 0;
    c->merge[number] = (struct merge){y->height, (uint32_t)a, (uint32_t)b, (uint32_t)number};
}

/* Nearest neighbours of nearest neighbours, until two are each other's: these are joined. */
static void join_all(struct average *c)
{
    int64_t depth = 0, start = 0;
    for (int64_t done = 0; done < c->n - 1;) {
        while (!depth && !c->slot[start].items)
            start++;
        if (!depth)
            c->chain[depth++] = (uint32_t)start;
        int64_t top = c->chain[depth - 1], next = nearest(c, top, depth > 1 ? (int64_t)c->chain[depth - 2] : -1);
        if (depth > 1 && next == c->chain[depth - 2]) {
            merge(c, done++, top, next);
            depth -= 2;
        } else {
            c->chain[depth++] = (uint32_t)next;
        }
    }
}

static int by_height(const void *a, const void *b)
{
    const struct merge *x = a, *y = b;
    if (x->height != y->height)
        return x->height < y->height ? -1 : 1;
    return (x->number > y->number) - (x->number < y->number);
}

/* Merges in order as joins; node: of the cluster in each slot. */
static void number_nodes(struct average *c, struct gt_join *join)
{
    uint32_t *node = c->chain;
    for (int64_t i = 0; i < c->n; i++) {
        node[i] = (uint32_t)i;
        c->slot[i].height = 0;
    }
    qsort(c->merge, (size_t)(c->n - 1), sizeof *c->merge, by_height);
    for (int64_t k = 0; k < c->n - 1; k++) {
        const struct merge *m = &c->merge[k];
        const double h = m->height;
        join[k] = (struct gt_join){.children = 2,
                                   .child = {node[m->a], node[m->b]},
                                   .length = {(h - c->slot[m->a].height) / 2, (h - c->slot[m->b].height) / 2},
                                   .height = h};
        node[m->b] = (uint32_t)(c->n + k);
        c->slot[m->b].height = h;
    }
}

int gt_cluster_average(double *triangle, int64_t n, struct gt_buf *joins, struct gt_err *err)
{
    struct gt_buf slots = {.budget = joins->budget}, merges = {.budget = joins->budget}, chain = {.budget = joins->budget};
    int status = gt_buf_resize(joins, (size_t)(n > 0 ? n - 1 : 0) * sizeof(struct gt_join), err);
    if (!status)
        status = gt_buf_resize(&slots, (size_t)n * sizeof(struct slot), err);
    if (!status)
        status = gt_buf_resize(&merges, (size_t)n * sizeof(struct merge), err);
    if (!status)
        status = gt_buf_resize(&chain, (size_t)n * sizeof(uint32_t), err);
    if (!status && n > 1) {
        struct average c = {triangle, n, (struct slot *)(void *)slots.data, (struct merge *)(void *)merges.data,
                            (uint32_t *)(void *)chain.data};
        for (int64_t i = 0; i < n; i++)
            c.slot[i] = (struct slot){1, -INFINITY};
        join_all(&c);
        number_nodes(&c, (struct gt_join *)(void *)joins->data);
    }
    gt_buf_release(&slots);
    gt_buf_release(&merges);
    gt_buf_release(&chain);
    return status;
}

/* --- the order of a drawing --------------------------------------------------------- */

/* Closer first; of equally close ones that with the earlier item. */
static bool comes_first(const struct gt_join *join, const uint32_t *first, int64_t n, uint32_t a, uint32_t b)
{
    double x = a < n ? -INFINITY : join[a - n].height, y = b < n ? -INFINITY : join[b - n].height;
    return x != y ? x < y : first[a] < first[b];
}

int gt_cluster_order(const struct gt_buf *joins, int64_t n, uint32_t *order, struct gt_err *err)
{
    const struct gt_join *join = (const struct gt_join *)(const void *)joins->data;
    const int64_t n_joins = (int64_t)(joins->len / sizeof *join);
    struct gt_buf firsts = {.budget = joins->budget}, stack = {.budget = joins->budget};
    int64_t depth = 0, at = 0;
    int status = gt_buf_resize(&firsts, (size_t)(n + n_joins) * sizeof(uint32_t), err);
    if (!status)
        status = gt_buf_resize(&stack, (size_t)(n + 1) * sizeof(uint32_t), err);
    uint32_t *first = (uint32_t *)(void *)firsts.data, *open = (uint32_t *)(void *)stack.data; /* first: item of a node */
    for (int64_t i = 0; i < n && !status; i++)
        first[i] = (uint32_t)i;
    for (int64_t k = 0; k < n_joins && !status; k++) {
        uint32_t a = first[join[k].child[0]], b = first[join[k].child[1]];
        first[n + k] = a < b ? a : b;
    }
    if (!status && n)
        open[depth++] = (uint32_t)(n + n_joins - 1);
    while (depth) {
        uint32_t node = open[--depth];
        if (node < n) {
            order[at++] = node;
            continue;
        }
        uint32_t a = join[node - n].child[0], b = join[node - n].child[1];
        const bool a_first = comes_first(join, first, n, a, b);
        open[depth++] = a_first ? b : a;
        open[depth++] = a_first ? a : b;
    }
    gt_buf_release(&firsts);
    gt_buf_release(&stack);
    return status;
}
