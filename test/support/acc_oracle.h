/* An accumulator without any cleverness: every pair, every site, every table, int64;
 * terms by site in GT_SITE_UNIT.
 * It stands behind the same operations as the others, and says what they must give. */
#ifndef GT_TEST_ACC_ORACLE_H
#define GT_TEST_ACC_ORACLE_H

#include <stdlib.h>
#include <string.h>

#include "calc/pairs/accumulator.h"

struct oracle {
    struct gt_acc base;
    int64_t *sums, *terms, *halves; /* [planes][n][n]; halves: of rows of one allele */
};

struct oracle_block {
    struct gt_acc_block base;
    uint8_t *codes; /* [rows][n] */
    bool *marked;   /* [rows] */
    int64_t rows;
};

static const struct gt_acc_ops oracle_ops;

static bool oracle_takes(const struct gt_acc_setup *setup)
{
    return setup->rows == GT_ROWS_PACKED;
}

static int64_t oracle_bytes(const struct gt_acc_setup *setup)
{
    return setup->n_samples * setup->n_samples * setup->n_planes * 8;
}

static int oracle_init(struct gt_acc **out, const struct gt_acc_setup *setup, struct gt_err *err)
{
    struct oracle *o = calloc(1, sizeof *o);
    (void)err;
    o->base = (struct gt_acc){.ops = &oracle_ops, .setup = *setup, .parts = 1};
    o->sums = calloc((size_t)(setup->n_planes * setup->n_samples * setup->n_samples) + 1, sizeof *o->sums);
    o->terms = calloc((size_t)(setup->n_planes * setup->n_samples * setup->n_samples) + 1, sizeof *o->terms);
    o->halves = calloc((size_t)(setup->n_planes * setup->n_samples * setup->n_samples) + 1, sizeof *o->halves);
    *out = &o->base;
    return GT_OK;
}

static void oracle_block_free(struct gt_acc_block *block)
{
    if (block) {
        free(((struct oracle_block *)block)->codes);
        free(((struct oracle_block *)block)->marked);
    }
    free(block);
}

static int oracle_prepare(struct gt_acc *acc, const struct gt_rows *rows, struct gt_acc_block **block, struct gt_err *err)
{
    struct oracle_block *b = calloc(1, sizeof *b);
    int64_t n = acc->setup.n_samples;
    (void)err;
    oracle_block_free(*block);
    b->rows = rows->n;
    b->marked = calloc((size_t)rows->n + 1, sizeof *b->marked);
    for (int64_t v = 0; v < rows->n; v++) {
        b->marked[v] = rows->marked && ((const uint8_t *)rows->data)[(size_t)(v + 1) * rows->stride - 1];
        b->base.sites += !b->marked[v];
    }
    b->codes = malloc((size_t)(n * rows->n) + 1);
    for (int64_t k = 0; k < n * rows->n; k++) {
        int code = ((const uint8_t *)rows->data)[(size_t)(k / n) * rows->stride + (size_t)(k % n / 4)] >> k % n % 4 * 2 & 3;
        b->codes[k] = (uint8_t)code;
        b->base.any_missing |= code == 3 && !b->marked[k / n];
    }
    *block = &b->base;
    return GT_OK;
}

static void oracle_terms(struct oracle *o, const uint8_t *codes, int p)
{
    int64_t n = o->base.setup.n_samples, counts[4] = {0}, add[4][4] = {{0}};
    for (int64_t i = 0; i < n; i++)
        counts[codes[i]]++;
    o->base.setup.planes[p].terms(&o->base.setup.planes[p], counts, add);
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++)
            o->terms[(p * n + i) * n + j] += add[codes[i]][codes[j]];
}

/* Nearly all the time of the tests goes here. */
#if defined __SANITIZE_ADDRESS__
__attribute__((no_sanitize("address", "undefined")))
#endif
static int
oracle_add(struct gt_acc *acc, const struct gt_acc_block *block, int64_t part, struct gt_err *err)
{
    const struct oracle_block *b = (const struct oracle_block *)block;
    const uint8_t *codes = b->codes;
    int64_t n = acc->setup.n_samples, *sum = ((struct oracle *)acc)->sums, *half = ((struct oracle *)acc)->halves;
    (void)part, (void)err;
    for (int p = 0; p < acc->setup.n_planes; p++)
        for (int64_t i = 0; i < n; i++)
            for (int64_t j = 0; j < n; j++, sum++, half++)
                for (int64_t k = 0; k < b->rows; k++)
                    *(b->marked[k] ? half : sum) +=
                        (b->marked[k] ? acc->setup.planes[p].of_alleles : acc->setup.planes[p].f)[codes[k * n + i]][codes[k * n + j]];
    for (int p = 0; p < acc->setup.n_planes; p++)
        for (int64_t k = 0; k < b->rows && acc->setup.planes[p].terms; k++)
            oracle_terms((struct oracle *)acc, codes + k * n, p);
    acc->sites += block->sites;
    return GT_OK;
}

static int oracle_merge(struct gt_acc *acc, const struct gt_acc *from, struct gt_err *err)
{
    (void)err;
    for (int64_t k = 0; k < acc->setup.n_planes * acc->setup.n_samples * acc->setup.n_samples; k++) {
        ((struct oracle *)acc)->sums[k] += ((const struct oracle *)from)->sums[k];
        ((struct oracle *)acc)->terms[k] += ((const struct oracle *)from)->terms[k];
        ((struct oracle *)acc)->halves[k] += ((const struct oracle *)from)->halves[k];
    }
    acc->sites += from->sites;
    return GT_OK;
}

static int oracle_finish(struct gt_acc *acc, struct gt_comm *comm, struct gt_err *err)
{
    size_t n = (size_t)(acc->setup.n_planes * acc->setup.n_samples * acc->setup.n_samples);
    int status = gt_comm_reduce_i64(comm, ((struct oracle *)acc)->sums, n, 0, err);
    if (!status)
        status = gt_comm_reduce_i64(comm, ((struct oracle *)acc)->terms, n, 0, err);
    if (!status)
        status = gt_comm_reduce_i64(comm, ((struct oracle *)acc)->halves, n, 0, err);
    return status ? status : gt_comm_reduce_i64(comm, &acc->sites, 1, 0, err);
}

static void oracle_tile(const struct gt_acc *acc, const struct gt_pair_box *box, double *const planes[])
{
    int64_t n = acc->setup.n_samples;
    for (int p = 0; p < acc->setup.n_planes; p++) {
        double *out = planes[p];
        for (int64_t i = box->row0; i < box->row1; i++)
            for (int64_t j = box->col0; j < box->col1; j++)
                *out++ = (double)((const struct oracle *)acc)->sums[(p * n + i) * n + j] +
                         (double)((const struct oracle *)acc)->halves[(p * n + i) * n + j] / 2 +
                         (double)((const struct oracle *)acc)->terms[(p * n + i) * n + j] * GT_SITE_UNIT;
    }
}

static void oracle_free(struct gt_acc *acc)
{
    if (acc) {
        free(((struct oracle *)acc)->sums);
        free(((struct oracle *)acc)->terms);
        free(((struct oracle *)acc)->halves);
    }
    free(acc);
}

static const struct gt_acc_ops oracle_ops = {.name = "oracle",
                                             .takes = oracle_takes,
                                             .sums_bytes = oracle_bytes,
                                             .block_bytes = oracle_bytes,
                                             .init = oracle_init,
                                             .prepare = oracle_prepare,
                                             .add = oracle_add,
                                             .merge = oracle_merge,
                                             .finish = oracle_finish,
                                             .tile = oracle_tile,
                                             .block_free = oracle_block_free,
                                             .free = oracle_free};

#endif
