/* From accumulators to sinks: every part and order, over one and over several passes, with
 * an accumulator whose sums are known beforehand. */
#include <pthread.h>
#include <string.h>

#include "calc/pairs/tile_writer.h"
#include "test/support/tap.h"
#include "test/support/test_engine.h"

static struct gt_engine engine;

/* --- an accumulator of made-up sums ------------------------------------------- */

enum { COUNTS = 2 };

static double made_up(int plane, int64_t i, int64_t j)
{
    return (double)(plane * 1000000 + (i < j ? i * 1000 + j : j * 1000 + i));
}

static _Atomic int64_t outside; /* pairs asked for that the pass has not counted */

static void tile(const struct gt_acc *acc, const struct gt_pair_box *box, double *const planes[])
{
    const struct gt_pair_box *has = &acc->setup.box;
    for (int p = 0; p < COUNTS; p++)
        for (int64_t i = box->row0, k = 0; i < box->row1; i++)
            for (int64_t j = box->col0; j < box->col1; j++, k++) {
                int64_t low = i < j ? i : j, high = i < j ? j : i;
                outside += low < has->row0 || low >= has->row1 || high >= has->col1;
                planes[p][k] = made_up(p, i, j);
            }
}

/* Results "b" and "a": the second count less 1, the first doubled. */
static void make(void *ctx, const struct gt_pair_box *box, double *const planes[])
{
    (void)ctx;
    for (int64_t k = 0; k < (box->row1 - box->row0) * (box->col1 - box->col0); k++) {
        double first = planes[0][k];
        planes[0][k] = planes[1][k] - 1;
        planes[1][k] = first * 2;
    }
}

static const char *const names[] = {"b", "a", NULL};
static const struct gt_tile_maker maker = {.make = make, .names = names};

/* --- a sink that looks at what it gets ------------------------------------------ */

struct probe {
    struct gt_sink base;
    int64_t n, next_row, wrong;
    int64_t first, last; /* rows wanted */
    int64_t fail_at;     /* row at which write fails; -1: none */
    uint8_t *seen;       /* times that a cell came */
    pthread_mutex_t lock;
};

static bool is_lower(const struct probe *p)
{
    return p->base.wants.part == GT_PART_LOWER || p->base.wants.part == GT_PART_LOWER_DIAGONAL;
}

static bool wanted(const struct probe *p, int64_t i, int64_t j)
{
    enum gt_sink_part part = p->base.wants.part;
    bool here = part == GT_PART_SQUARE || (is_lower(p) ? j < i : j > i) || (j == i && part == GT_PART_LOWER_DIAGONAL);
    return here && i >= p->first && i < p->last;
}

static int format(struct gt_sink *base, const struct gt_tile *tile, struct gt_buf *bytes, struct gt_err *err)
{
    (void)base;
    int status = gt_buf_resize(bytes, sizeof tile->row, err);
    if (!status)
        memcpy(bytes->data, &tile->row, sizeof tile->row);
    return status;
}

static int write_tile(struct gt_sink *base, const struct gt_tile *tile, const struct gt_buf *bytes, struct gt_err *err)
{
    struct probe *p = (struct probe *)base;
    pthread_mutex_lock(&p->lock);
    p->wrong += memcmp(bytes->data, &tile->row, sizeof tile->row) != 0;
    if (base->order == GT_TILES_IN_ROWS) {
        int64_t first = base->wants.part == GT_PART_UPPER ? tile->row : 0, last = is_lower(p) ? tile->row + tile->rows : p->n;
        p->wrong += tile->row != p->next_row || tile->column != first || tile->column + tile->columns != last;
        p->next_row = tile->row + tile->rows;
    }
    for (int64_t i = 0; i < tile->rows; i++)
        for (int64_t j = 0; j < tile->columns; j++) {
            int64_t row = tile->row + i, column = tile->column + j;
            p->seen[row * p->n + column]++;
            p->wrong += tile->planes[0][i * tile->columns + j] != made_up(0, row, column) * 2;
            p->wrong += base->wants.planes[1] && tile->planes[1][i * tile->columns + j] != made_up(1, row, column) - 1;
        }
    bool fails = p->fail_at >= tile->row && p->fail_at < tile->row + tile->rows;
    pthread_mutex_unlock(&p->lock);
    return fails ? gt_fail(err, GT_FAIL, "no room for row %lld", (long long)p->fail_at) : GT_OK;
}

static const struct gt_sink_ops probe_ops = {.format = format, .write = write_tile};

/* Wanted cells came once, others at most once. */
static int64_t uncovered(const struct probe *p)
{
    int64_t wrong = 0;
    for (int64_t k = 0; k < p->n * p->n; k++)
        wrong += p->seen[k] > 1 || (wanted(p, k / p->n, k % p->n) && !p->seen[k]);
    return wrong;
}

static int pass(struct gt_tiles *tiles, struct gt_pair_box box, struct gt_err *err)
{
    static const struct gt_acc_ops ops = {.name = "made up", .tile = tile};
    struct gt_acc acc = {.ops = &ops, .setup = {.n_samples = tiles->frame.columns, .n_planes = COUNTS, .box = box}};
    return gt_tiles_pass(tiles, &acc, err);
}

/* Boxes as pdist cuts them, at the multiples of `step` samples. */
static int run(struct probe *p, int64_t step, struct gt_err *err)
{
    struct gt_tiles tiles;
    const struct gt_tiles_frame frame = {.columns = p->n, .first = p->first, .last = p->last};
    int64_t from = p->first / 64 * 64;
    int status = gt_tiles_begin(&tiles, &engine, &p->base, &maker, &frame, engine.budget.limit / 8, err);
    for (int64_t k = 0; !status && p->base.wants.part == GT_PART_SQUARE && k < from; k += step)
        status = pass(&tiles, (struct gt_pair_box){k, k + step < from ? k + step : from, from, p->last}, err);
    for (int64_t k = from, end; !status && k < p->last; k = end) {
        end = k + step < p->last ? k + step : p->last;
        status = pass(&tiles, is_lower(p) ? (struct gt_pair_box){0, end, k, end} : (struct gt_pair_box){k, end, k, p->n}, err);
    }
    gt_tiles_release(&tiles);
    return status;
}

enum { ONE_PASS = 1000, SEVERAL = 128 };
static const char *const one_plane[] = {"a", NULL}, *const both_planes[] = {"a", "b", NULL};

static void check(int64_t n, int64_t first, int64_t last, int64_t step, enum gt_sink_order order, enum gt_sink_part part, bool both)
{
    static const char *const order_names[] = {"in rows", "in any order"}, *const part_names[] = {"square", "lower", "lower with diagonal",
                                                                                                 "upper"};
    struct probe p = {.base = {.ops = &probe_ops, .order = order, .wants = {.part = part, .planes = both ? both_planes : one_plane}},
                      .n = n,
                      .first = first,
                      .last = last,
                      .next_row = first,
                      .fail_at = -1,
                      .seen = calloc((size_t)(n * n) + 1, 1)};
    struct gt_err err = {0};
    pthread_mutex_init(&p.lock, NULL);
    outside = 0;
    int status = run(&p, step, &err);
    bool whole = order == GT_TILES_ANY || p.next_row == last;
    ok(!status && !p.wrong && !uncovered(&p) && !outside && whole,
       "rows %lld to %lld of %lld, %s, %s, %s: %lld wrong, %lld uncovered, %lld not counted %s", (long long)first, (long long)last,
       (long long)n, step == ONE_PASS ? "one pass" : "several passes", order_names[order], part_names[part], (long long)p.wrong,
       (long long)uncovered(&p), (long long)outside, err.msg);
    pthread_mutex_destroy(&p.lock);
    free(p.seen);
}

static void check_failures(void)
{
    static const char *const not_made[] = {"a", "nothing", NULL};
    struct probe p = {.base = {.ops = &probe_ops, .wants = {.planes = not_made}}, .n = 10, .last = 10};
    struct gt_err err = {0};
    ok(run(&p, ONE_PASS, &err) == GT_USAGE && strstr(err.msg, "'nothing'"), "a plane that nobody makes: %s", err.msg);
    for (int order = 0; order < 2; order++) {
        p = (struct probe){.base = {.ops = &probe_ops, .order = (enum gt_sink_order)order, .wants = {.planes = one_plane}},
                           .n = 300,
                           .last = 300,
                           .fail_at = 170,
                           .seen = calloc(300 * 300, 1)};
        pthread_mutex_init(&p.lock, NULL);
        gt_err_clear(&err);
        int status = run(&p, SEVERAL, &err);
        ok(status == GT_FAIL && strstr(err.msg, "no room for row 170"), "a sink that fails in its second pass: %s", err.msg);
        pthread_mutex_destroy(&p.lock);
        free(p.seen);
    }
}

int main(void)
{
    static const int64_t sizes[] = {0, 1, 5, 64, 65, 193, 300};
    start_engine(&engine, 3);
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
        for (int order = 0; order < 2; order++)
            for (int part = 0; part < 4; part++) {
                int64_t n = sizes[s];
                check(n, 0, n, ONE_PASS, (enum gt_sink_order)order, (enum gt_sink_part)part, false);
                check(n, 0, n, SEVERAL, (enum gt_sink_order)order, (enum gt_sink_part)part, true);
                check(n, n / 3, n - n / 4, ONE_PASS, (enum gt_sink_order)order, (enum gt_sink_part)part, true);
                check(n, n * 2 / 3, n, 64, (enum gt_sink_order)order, (enum gt_sink_part)part, false);
            }
    check_failures();
    ok(engine.budget.used == 0, "every byte was given back");
    gt_engine_release(&engine);
    return done_testing();
}
