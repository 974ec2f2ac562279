/* The spectrum `growth`: variants on coalescent trees (calc/sim/sim.h has the model). */
#include "calc/sim/sim_internal.h"

#include <math.h>
#include <string.h>

/* The tree of a block of variants.  Nodes 0 .. haplotypes - 1 are the leaves; a node's parent has a larger number,
 * and the root is the last.  The leaves below a node are a run of `order`. */
struct tree {
    double *weight;   /* of each node: its time, then the sum of the branches up to its own */
    uint32_t *parent; /* of each node but the root */
    uint32_t *first;  /* of each node: where its leaves start in `order` */
    uint32_t *leaves; /* of each node: how many they are */
    uint32_t *order;  /* lineages while the tree is made, then leaves */
};

static int64_t node_count(const struct gt_sim *sim)
{
    return 4 * sim->o.samples - 1;
}

size_t gt_sim_tree_bytes(const struct gt_sim *sim)
{
    return (size_t)(node_count(sim) + 1) * (sizeof(double) + 3 * sizeof(uint32_t)) + (size_t)(2 * sim->o.samples) * sizeof(uint32_t);
}

static struct tree tree_of(const struct gt_sim *sim, struct gt_sim_room *room)
{
    const size_t nodes = (size_t)node_count(sim) + 1;
    struct tree t = {.weight = (double *)room->tree.data};
    t.parent = (uint32_t *)(t.weight + nodes);
    t.first = t.parent + nodes;
    t.leaves = t.first + nodes;
    t.order = t.leaves + nodes;
    return t;
}

/* --- the demography ------------------------------------------------------------ */

/* Expected coalescences of one pair within t generations: the integral of 1 / (2 N). */
static double intensity(double t)
{
    const double grown = t < GT_SIM_GROWTH_TIME ? t : GT_SIM_GROWTH_TIME;
    return expm1(GT_SIM_GROWTH * grown) / (2 * GT_SIM_SIZE_NOW * GT_SIM_GROWTH) + (t - grown) / (2 * GT_SIM_SIZE_BEFORE);
}

static double time_of(double x)
{
    const double grown = intensity(GT_SIM_GROWTH_TIME);
    if (x <= grown)
        return log1p(2 * GT_SIM_SIZE_NOW * GT_SIM_GROWTH * x) / GT_SIM_GROWTH;
    return GT_SIM_GROWTH_TIME + (x - grown) * (2 * GT_SIM_SIZE_BEFORE);
}

/* Expected time to the ancestor of two lineages that are in one population from time `from` on. */
static double pair_time(double from)
{
    enum { STEPS = 1000 };
    double sum = 0, end = from < GT_SIM_GROWTH_TIME ? GT_SIM_GROWTH_TIME : from, step = (end - from) / STEPS;
    for (int i = 0; i <= STEPS && step > 0; i++) /* Simpson's rule over the survival */
        sum += exp(intensity(from) - intensity(from + i * step)) * (i == 0 || i == STEPS ? 1 : i % 2 ? 4 : 2) * step / 3;
    return from + sum + exp(intensity(from) - intensity(end)) * (2 * GT_SIM_SIZE_BEFORE);
}

double gt_sim_split_time(double fst)
{
    const double wanted = pair_time(0) / (1 - fst);
    double low = 0, high = wanted;
    for (int i = 0; i < 100; i++) {
        const double middle = (low + high) / 2;
        *(pair_time(middle) < wanted ? &low : &high) = middle;
    }
    return low;
}

/* --- the tree ------------------------------------------------------------------ */

/* A tree while it is made, from now into the past. */
struct growing {
    const struct gt_sim *sim;
    int64_t block;
    struct tree *tree;
    uint32_t nodes; /* made so far */
};

static uint32_t below(uint32_t word, int64_t n)
{
    return (uint32_t)((uint64_t)word * (uint64_t)n >> 32);
}

/* Joins random pairs of the n lineages, which are apart at intensity x, until one is left or the intensity is `end`.
 * Returns how many are left. */
static int64_t coalesce(struct growing *g, uint32_t *lineage, int64_t n, double x, double end)
{
    uint32_t w[4];
    for (; n > 1; n--) {
        gt_sim_words(g->sim, g->nodes, g->block, GT_SIM_JOIN, 0, w);
        x -= log(gt_unit32(w[0])) / (0.5 * (double)n * (double)(n - 1));
        if (x > end)
            break;
        const uint32_t i = below(w[1], n), j = below(w[2], n - 1), node = g->nodes++;
        g->tree->weight[node] = time_of(x);
        g->tree->parent[lineage[i]] = node;
        lineage[i] = lineage[n - 1];
        g->tree->parent[lineage[j]] = node;
        lineage[j] = node;
    }
    return n;
}

static void join_lineages(const struct gt_sim *sim, int64_t block, struct tree *t)
{
    const uint32_t haplotypes = (uint32_t)(2 * sim->o.samples);
    const double split = sim->o.pops > 1 ? intensity(sim->split_time) : 0;
    struct growing g = {sim, block, t, haplotypes};
    int64_t left = 0;

    for (uint32_t h = 0; h < haplotypes; h++) {
        t->order[h] = h;
        t->weight[h] = 0;
    }
    for (int64_t k = 0; k < sim->o.pops; k++) {
        uint32_t *lineage = t->order + 2 * gt_sim_pop_first(sim, k);
        int64_t n = 2 * (gt_sim_pop_first(sim, k + 1) - gt_sim_pop_first(sim, k));
        n = coalesce(&g, lineage, n, 0, split);
        memmove(t->order + left, lineage, (size_t)n * sizeof *lineage);
        left += n;
    }
    coalesce(&g, t->order, left, split, INFINITY);
}

/* Leaves of each node as runs of `order`. */
static void order_leaves(const struct gt_sim *sim, struct tree *t)
{
    const uint32_t haplotypes = (uint32_t)(2 * sim->o.samples), root = 2 * haplotypes - 2;
    for (uint32_t i = 0; i <= root; i++)
        t->leaves[i] = i < haplotypes;
    for (uint32_t i = 0; i < root; i++)
        t->leaves[t->parent[i]] += t->leaves[i];
    t->first[root] = 0;
    for (uint32_t i = root; i-- > 0;) { /* first of a parent moves on over its children, and back in the end */
        t->first[i] = t->first[t->parent[i]];
        t->first[t->parent[i]] += t->leaves[i];
    }
    for (uint32_t i = haplotypes; i <= root; i++)
        t->first[i] -= t->leaves[i];
    for (uint32_t i = 0; i < haplotypes; i++)
        t->order[t->first[i]] = i;
}

static void make_tree(const struct gt_sim *sim, int64_t variant, struct gt_sim_room *room)
{
    struct tree t = tree_of(sim, room);
    const int64_t root = node_count(sim) - 1;
    double sum = 0;

    gt_sim_block(sim, variant, room);
    join_lineages(sim, room->block_first, &t);
    order_leaves(sim, &t);
    for (int64_t i = 0; i < root; i++)
        t.weight[i] = sum += t.weight[t.parent[i]] - t.weight[i];
}

int gt_sim_tree_begin(const struct gt_sim *sim, int64_t first, struct gt_sim_room *room, struct gt_err *err)
{
    int status = gt_buf_resize(&room->tree, gt_sim_tree_bytes(sim), err);
    if (status == GT_OK)
        make_tree(sim, first, room);
    return status;
}

/* The node whose branch has the mutation: each with a probability that is proportional to its length. */
static uint32_t mutated(const struct gt_sim *sim, const struct tree *t, int64_t variant)
{
    uint32_t low = 0, high = (uint32_t)node_count(sim) - 2, w[4];
    gt_sim_words(sim, 0, variant, GT_SIM_MUTATION, 0, w);
    const double at = (gt_unit32(w[0]) * 0x1p-32 + w[1] * 0x1p-32) * t->weight[high];
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (t->weight[middle] > at)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

void gt_sim_tree_row(const struct gt_sim *sim, int64_t variant, struct gt_sim_room *room, uint8_t *row, uint8_t *phase)
{
    if (variant >= room->block_end)
        make_tree(sim, variant, room);
    const struct tree t = tree_of(sim, room);
    const uint32_t node = mutated(sim, &t, variant);
    memset(row, 0, sim->stride);
    if (phase)
        memset(phase, 0, sim->stride);
    for (uint32_t i = t.first[node], end = i + t.leaves[node]; i < end; i++) {
        const uint32_t h = t.order[i];
        row[h / 8] = (uint8_t)(row[h / 8] + (1u << h / 2 % 4 * 2));
        if (phase && h % 2 == 0)
            phase[h / 8] |= (uint8_t)(1u << h / 2 % 4 * 2);
    }
}
