/* Products of a block of variants: listed rows give the numbers of packed ones, both are those of the rows of X in doubles, and what is
 * kept for later passes gives them again. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "calc/pca/pca_memory.h"
#include "test/support/random.h"
#include "test/support/tap.h"
#include "test/support/test_engine.h"

enum { UNIT = -20 };

static struct gt_engine engine;

struct trial {
    int64_t samples, rows, width;
    int digits, ploidy;
    enum gt_svd_scale scale;
    int common, missing; /* in a thousand: of rows that are, of calls that are; rows without calls are among them */
};

/* What a block gives. */
struct products {
    double *values; /* [rows][width] */
    int64_t *sums;  /* [samples][digits * width] */
    int64_t *back;  /* [digits * width] */
    int64_t listed;
    int shift;
};

static int code_at(const uint8_t *row, int64_t s)
{
    return row[s / 4] >> s % 4 * 2 & 3;
}

static bool draw(int thousandths)
{
    return (int)random_below(1000) < thousandths;
}

/* Most rows have few carriers; of every third of these code 2 is the major homozygote. */
static void draw_rows(const struct trial *t, struct gt_block *block)
{
    struct gt_err err;
    block->n = t->rows, block->stride = (size_t)(t->samples + 3) / 4 + random_below(3);
    block->rows.budget = &engine.budget;
    gt_buf_zeros(&block->rows, (size_t)t->rows * block->stride + GT_KERNEL_PAD, &err);
    for (int64_t v = 0; v < t->rows; v++) {
        const int rate = draw(t->common) ? 400 : (int)random_below(12), major = v % 3 == 2 ? 2 : 0;
        const bool none = draw(5);
        for (int64_t s = 0; s < t->samples; s++) {
            const int other = t->ploidy == 1 || draw(300) ? 2 - major : 1;
            const int code = none || draw(t->missing) ? 3 : draw(rate) ? other : major;
            block->rows.data[(size_t)v * block->stride + (size_t)(s / 4)] |= (uint8_t)(code << s % 4 * 2);
        }
    }
}

static void fail_with(const struct gt_err *err)
{
    printf("Bail out! %s\n", err->msg);
    exit(1);
}

static struct products multiply_once(const struct trial *t, const struct gt_block *from, const struct gt_svd_fixed *columns,
                                     struct gt_svd_block *block)
{
    struct gt_err err;
    const size_t all = (size_t)(t->digits * t->width);
    struct products p = {.values = malloc((size_t)(t->rows * t->width) * sizeof(double) + 1),
                         .sums = calloc((size_t)t->samples * all + 1, sizeof(int64_t)),
                         .back = calloc(all, sizeof(int64_t))};
    if (gt_svd_block_forward(block, from, t->scale, t->ploidy, columns, &err))
        fail_with(&err);
    memcpy(p.values, block->values.data, (size_t)(t->rows * t->width) * sizeof(double));
    if (gt_svd_block_turn(block, from->rows.data, from->stride, t->samples, &err) ||
        gt_svd_block_weigh(block, t->width, t->digits, UNIT, &err))
        fail_with(&err);
    const int64_t half = t->samples / 2 / 64 * 64;
    gt_svd_block_back(block, 0, half, p.sums);
    gt_svd_block_back(block, half, t->samples - half, p.sums + half * (int64_t)all);
    gt_svd_block_means(block, p.back);
    p.listed = block->lists.n, p.shift = block->shift;
    return p;
}

static void products_free(struct products *p)
{
    free(p->values), free(p->sums), free(p->back);
}

static bool same(const struct trial *t, const struct products *a, const struct products *b)
{
    const size_t all = (size_t)(t->digits * t->width) * sizeof(int64_t);
    return memcmp(a->values, b->values, (size_t)(t->rows * t->width) * sizeof(double)) == 0 && a->listed == b->listed &&
           memcmp(a->sums, b->sums, (size_t)t->samples * all) == 0 && memcmp(a->back, b->back, all) == 0 && a->shift == b->shift;
}

/* As if the buffer had been used for other rows. */
static void spoil(struct gt_buf *buf)
{
    if (buf->len)
        memset(buf->data, 0xff, buf->len);
}

/* Twice: the second time with what the first one made of the rows, if `kept`; *wrong: they differ, or it was not kept. */
static struct products multiply(const struct trial *t, const struct gt_block *from, const struct gt_svd_fixed *columns, int64_t most,
                                bool kept, int64_t *wrong)
{
    enum { NUMBER = 3, OTHER = 1 };
    struct gt_svd_memory memory;
    struct gt_svd_block block = {.lists.most = most};
    gt_svd_memory_init(&memory, &engine.budget, kept ? 1 << 24 : 0);
    gt_svd_block_budget(&block, &engine.budget);
    struct products p = multiply_once(t, from, columns, &block);
    gt_svd_memory_keep(&memory, NUMBER, &block);
    *wrong += kept && block.means.data;
    gt_svd_memory_prepare(&memory, OTHER, &block);
    *wrong += block.prepared;
    gt_svd_memory_prepare(&memory, NUMBER, &block);
    *wrong += block.prepared != kept;
    spoil(&block.lists.packed);
    spoil(&block.turned);
    struct products again = multiply_once(t, from, columns, &block);
    *wrong += !same(t, &p, &again);
    products_free(&again);
    gt_svd_block_release(&block);
    gt_svd_memory_release(&memory);
    return p;
}

/* Does the product over samples and rows agree with doubles? */
static int64_t check_sums(const struct trial *t, const struct gt_block *from, const double *columns, const struct products *p)
{
    double *want = calloc((size_t)(t->samples * t->width), sizeof *want), *got = malloc((size_t)(t->samples * t->width) * sizeof *got);
    double largest = 1e-9;
    int64_t wrong = 0;
    for (int64_t v = 0; v < t->rows; v++) {
        struct gt_svd_site site;
        int64_t counts[4] = {0};
        for (int64_t s = 0; s < t->samples; s++)
            counts[code_at(gt_block_row(from, v), s)]++;
        gt_svd_site(t->scale, t->ploidy, counts, &site);
        for (int64_t c = 0; c < t->width; c++) {
            double value = 0;
            for (int64_t s = 0; s < t->samples; s++)
                if (code_at(gt_block_row(from, v), s) != 3)
                    value += (code_at(gt_block_row(from, v), s) - site.mean) * columns[c * t->samples + s];
            wrong += !(fabs(p->values[v * t->width + c] - value) <= 4e-4 * sqrt((double)t->samples));
            for (int64_t s = 0; s < t->samples; s++)
                if (code_at(gt_block_row(from, v), s) != 3)
                    want[c * t->samples + s] += (code_at(gt_block_row(from, v), s) - site.mean) * value * site.weight;
        }
    }
    gt_svd_block_product(p->sums, p->back, t->samples, t->width, t->digits, UNIT, got);
    for (int64_t i = 0; i < t->samples * t->width; i++)
        largest = fabs(want[i]) > largest ? fabs(want[i]) : largest;
    for (int64_t i = 0; i < t->samples * t->width; i++)
        wrong += !(fabs(got[i] - want[i]) <= 1e-3 * largest);
    free(want), free(got);
    return wrong;
}

static int64_t check(const struct trial *t, int64_t *listed)
{
    struct gt_err err;
    struct gt_block block = {0};
    struct gt_svd_fixed columns = {0};
    double *random = malloc((size_t)(t->samples * t->width) * sizeof *random);
    for (int64_t i = 0; i < t->samples * t->width; i++)
        random[i] = (double)random_below(2001) / 1000 - 1;
    draw_rows(t, &block);
    gt_svd_fixed_budget(&columns, &engine.budget);
    gt_svd_fixed_start(&columns, t->samples, t->width, t->digits, &err);
    gt_svd_fixed_columns(&columns, random);
    int64_t wrong = 0;
    struct products packed = multiply(t, &block, &columns, 0, true, &wrong);
    wrong += packed.listed + check_sums(t, &block, random, &packed);
    const int64_t most[] = {1, t->samples / 50 + 1, t->samples};
    for (int k = 0; k < 3; k++) {
        struct products lists = multiply(t, &block, &columns, most[k], k != 1, &wrong);
        wrong += memcmp(lists.values, packed.values, (size_t)(t->rows * t->width) * sizeof(double)) != 0;
        wrong += lists.shift != packed.shift;
        for (int64_t s = 0; s < t->samples; s++)
            for (int64_t c = 0; c < t->digits * t->width; c++)
                wrong +=
                    lists.sums[s * t->digits * t->width + c] - lists.back[c] != packed.sums[s * t->digits * t->width + c] - packed.back[c];
        *listed += lists.listed;
        products_free(&lists);
    }
    if (wrong)
        diag("%lld samples, %lld rows, width %lld, %d digits, ploidy %d, scale %d, %d common, %d missing: %lld wrong",
             (long long)t->samples, (long long)t->rows, (long long)t->width, t->digits, t->ploidy, (int)t->scale, t->common, t->missing,
             (long long)wrong);
    products_free(&packed);
    gt_svd_fixed_release(&columns);
    gt_buf_release(&block.rows);
    free(random);
    return wrong;
}

static void check_shapes(const char *level)
{
    static const int64_t samples[] = {1, 2, 3, 4, 63, 64, 65, 255, 256, 257, 600, 5003 /* several pieces */};
    static const enum gt_svd_scale scales[] = {GT_SVD_BINOMIAL, GT_SVD_PATTERSON, GT_SVD_CENTER, GT_SVD_STANDARD, GT_SVD_NONE};
    int64_t wrong = 0, listed = 0;
    for (int k = 0; k < 12; k++)
        for (int i = 0; i < (samples[k] > 600 ? 2 : 5); i++) {
            const int missing[] = {0, 10, 200}, common[] = {0, 300, 1000};
            const struct trial t = {
                samples[k], 1 + random_below(130),   GT_SKETCH * (1 + random_below(3)), 1 + (int)random_below(2), 1 + (int)random_below(2),
                scales[i],  common[random_below(3)], missing[random_below(3)]};
            wrong += check(&t, &listed);
        }
    ok(wrong == 0, "%s: listed rows as packed ones, and as in doubles", level);
    ok(listed > 3000, "%s: %lld rows were listed", level, (long long)listed);
}

int main(void)
{
    int n;
    const struct gt_kernels *const *levels = gt_kernels_all(&n);
    start_engine(&engine, 1);
    for (int k = 0; k < n; k++) {
        gt_kernels_select(levels[k]->name);
        check_shapes(levels[k]->name);
    }
    gt_engine_release(&engine);
    return done_testing();
}
