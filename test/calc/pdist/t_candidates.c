/* Pairs above a limit: those that are left out early, and what is reported of all pairs, are what counting every pair at every site gives.
 * Samples without calls or heterozygotes, duplicates and relatives are among them. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "calc/pdist/candidates.h"
#include "test/support/level.h"
#include "test/support/random.h"
#include "test/support/tap.h"
#include "test/support/test_engine.h"

static struct gt_engine engine;

/* --- genotypes ------------------------------------------------------------------ */

struct data {
    int64_t samples, sites;
    uint8_t *codes; /* [sites][samples] */
    struct gt_strs ids;
};

static uint8_t *call(const struct data *d, int64_t site, int64_t sample)
{
    return d->codes + site * d->samples + sample;
}

static int draw(double p)
{
    return (double)random_below(1 << 20) < p * (1 << 20);
}

/* One allele of the parent's two. */
static int passed_on(int code)
{
    return code == 3 ? draw(0.5) : code == 1 ? draw(0.5) : code / 2;
}

/* A third are founders; of the others each has two parents before it, or is a copy of one.  Then calls are missing; and sample 3 has no
 * heterozygotes, 7 no calls, 11 half of them. */
static void draw_calls(const struct data *d, double missing)
{
    for (int64_t k = 0; k < d->sites; k++) {
        const double p = draw(0.9) ? (double)(1 + random_below(30)) / 1000 : 0.5;
        const int64_t n = d->samples, founders = (n + 2) / 3;
        for (int64_t s = 0; s < n; s++) {
            const int64_t a = s * 7 % founders, b = s * 5 % founders;
            *call(d, k, s) = (uint8_t)(s < founders ? draw(p) + draw(p)
                                       : s % 4 == 0 ? *call(d, k, a)
                                                    : passed_on(*call(d, k, a)) + passed_on(*call(d, k, b)));
        }
        for (int64_t s = 0; s < n; s++)
            if (draw(missing) || s == 7 || (s == 11 && k % 2))
                *call(d, k, s) = 3;
            else if (s == 3 && *call(d, k, s) == 1)
                *call(d, k, s) = 2;
    }
}

static struct data make_data(int64_t samples, int64_t sites, double missing)
{
    struct data d = {.samples = samples, .sites = sites, .codes = malloc((size_t)(samples * sites) + 1)};
    for (int64_t i = 0; i < samples; i++) {
        char id[24];
        const int len = snprintf(id, sizeof id, "s%lld", (long long)i);
        if (gt_strs_add(&d.ids, id, (size_t)len, NULL))
            printf("Bail out! no memory\n"), exit(1);
    }
    draw_calls(&d, missing);
    return d;
}

/* --- as a row source ------------------------------------------------------------ */

struct rows_of {
    struct gt_row_source base;
    const struct data *data;
    int64_t block, at;
};

static int start(struct gt_row_source *base, const struct gt_row_source_opts *opts, struct gt_err *err)
{
    (void)err;
    ((struct rows_of *)base)->block = opts->block_sites;
    return GT_OK;
}

static int next(struct gt_row_source *base, struct gt_rows *rows, const void **held, struct gt_err *err)
{
    struct rows_of *source = (struct rows_of *)base;
    const struct data *d = source->data;
    const size_t stride = (size_t)(d->samples + 3) / 4;
    const int64_t n = source->block < d->sites - source->at ? source->block : d->sites - source->at;
    (void)err;
    if (!n)
        return GT_END;
    uint8_t *packed = calloc((size_t)n * stride + GT_KERNEL_PAD, 1);
    for (int64_t r = 0; r < n; r++)
        for (int64_t s = 0; s < d->samples; s++)
            packed[(size_t)r * stride + (size_t)s / 4] |= (uint8_t)(*call(d, source->at + r, s) << s % 4 * 2);
    *rows = (struct gt_rows){.data = packed, .stride = stride, .n = n};
    *held = packed;
    source->at += n;
    return GT_OK;
}

static void done(struct gt_row_source *base, const void *held)
{
    (void)base;
    free((void *)held);
}

static int rewind_rows(struct gt_row_source *base, struct gt_err *err)
{
    (void)err;
    ((struct rows_of *)base)->at = 0;
    return GT_OK;
}

static struct rows_of source_of(const struct data *d)
{
    static const struct gt_row_source_ops ops = {start, next, done, rewind_rows, NULL};
    return (struct rows_of){.base = {.ops = &ops,
                                     .info = {.rows = GT_ROWS_PACKED,
                                              .ploidy = 2,
                                              .samples = d->samples,
                                              .sites = d->sites,
                                              .row_bytes = (size_t)(d->samples + 3) / 4,
                                              .read_minimum = 1 << 20,
                                              .read_preferred = 1 << 20,
                                              .ids = &d->ids,
                                              .name = "test"}},
                            .data = d};
}

/* --- what is expected ------------------------------------------------------------- */

struct expected {
    double n, hethet, ibs0, kinship;
};

static struct expected by_definition(const struct data *d, int64_t i, int64_t j)
{
    int64_t n = 0, square = 0, hets_i = 0, hets_j = 0, both = 0, opposite = 0;
    for (int64_t k = 0; k < d->sites; k++) {
        const int x = *call(d, k, i), y = *call(d, k, j);
        if (x == 3 || y == 3)
            continue;
        n++;
        square += (x - y) * (x - y);
        hets_i += x == 1;
        hets_j += y == 1;
        both += x == 1 && y == 1;
        opposite += abs(x - y) == 2;
    }
    const double hets = (double)(hets_i < hets_j ? hets_i : hets_j);
    return (struct expected){(double)n, (double)both, (double)opposite, n ? 0.5 - (double)square / (4 * hets) : NAN};
}

static struct gt_pdist_stats count_stats(const struct data *d, const struct expected *all, int64_t first, int64_t last)
{
    struct gt_pdist_stats stats = {.sites = d->sites};
    for (int64_t i = first; i < last; i++)
        for (int64_t j = 0; j < i; j++) {
            const struct expected *e = &all[i * d->samples + j];
            stats.low_overlap += e->n * 2 < (double)d->sites || e->n == 0;
            stats.no_overlap += e->n == 0;
            stats.no_value += e->n > 0 && !isfinite(e->kinship);
        }
    return stats;
}

/* --- a sink that compares ----------------------------------------------------------- */

struct probe {
    struct gt_sink base;
    const struct data *data;
    const struct expected *all;
    int64_t met, wrong; /* pairs at or above the limit */
};

static int begin(struct gt_sink *sink, const struct gt_sink_subject *subject, struct gt_err *err)
{
    (void)err;
    ((struct probe *)sink)->wrong += subject->sites != ((struct probe *)sink)->data->sites;
    return GT_OK;
}

static int write_tile(struct gt_sink *sink, const struct gt_tile *tile, const struct gt_buf *bytes, struct gt_err *err)
{
    struct probe *p = (struct probe *)sink;
    (void)bytes, (void)err;
    for (int64_t k = 0; k < tile->rows * tile->columns; k++) {
        const int64_t row = tile->row + k / tile->columns, column = tile->column + k % tile->columns;
        if (column >= row || !(tile->planes[3][k] >= p->base.wants.least))
            continue;
        const struct expected *e = &p->all[row * p->data->samples + column];
        p->met++;
        p->wrong += tile->planes[0][k] != e->n || tile->planes[1][k] != e->hethet || tile->planes[2][k] != e->ibs0 ||
                    tile->planes[3][k] != e->kinship;
    }
    return GT_OK;
}

static int finish(struct gt_sink *sink, struct gt_err *err)
{
    (void)sink, (void)err;
    return GT_OK;
}

/* --- trials ------------------------------------------------------------------------ */

struct trial {
    const struct data *data;
    const struct expected *all;
    double least;
    enum gt_pdist_early early;
    int64_t part, parts;
};

/* Was all as expected?  early: were pairs left out early? */
static bool is_right(const struct trial *t, bool *early)
{
    static const struct gt_sink_ops ops = {.begin = begin, .write = write_tile, .finish = finish};
    static const char *const planes[] = {"n", "hethet", "ibs0", "distance", NULL};
    const struct gt_sink_wants wants = {.part = GT_PART_LOWER, .planes = planes, .limited = true, .least = t->least};
    struct probe probe = {.base = {&ops, GT_TILES_IN_ROWS, wants, 32}, .data = t->data, .all = t->all};
    const struct gt_pdist_opts opts = {
        .use = {.metric = gt_metric_find("king"), .ploidy = 2}, .wants = wants, .part = t->part, .parts = t->parts, .early = t->early};
    struct rows_of source = source_of(t->data);
    struct gt_pdist_plan plan;
    struct gt_pdist_stats stats = {0};
    struct gt_err err = {0};
    int status = gt_pdist_plan(&plan, &engine, &source.base.info, &opts, &err);
    plan.block_sites = plan.block_sites < 192 ? plan.block_sites : 192;
    status = status ? status : gt_pdist_run(&engine, &source.base, &plan, &opts, &probe.base, &stats, &err);
    const struct gt_pdist_stats want = count_stats(t->data, t->all, plan.first, plan.last);
    int64_t within = 0;
    for (int64_t i = plan.first; i < plan.last; i++)
        for (int64_t j = 0; j < i; j++)
            within += t->all[i * t->data->samples + j].kinship >= t->least;
    *early |= plan.bound != NULL;
    if (status)
        diag("%s", err.msg);
    return !status && !probe.wrong && probe.met == within && stats.sites == want.sites && stats.low_overlap == want.low_overlap &&
           stats.no_overlap == want.no_overlap && stats.no_value == want.no_value && atomic_load(&engine.budget.used) == 0;
}

/* A value that a pair has. */
static double any_value(const struct expected *all, int64_t n)
{
    const int64_t i = n > 1 ? 1 + random_below(n - 1) : 0, j = i ? random_below(i) : 0;
    return n > 1 && all[i * n + j].kinship > 0 ? all[i * n + j].kinship : 0.25;
}

/* Every by-th limit. */
static void check_shape(int64_t samples, int64_t sites, double missing, size_t by)
{
    const struct data d = make_data(samples, sites, missing);
    struct expected *all = calloc((size_t)(samples * samples) + 1, sizeof *all);
    for (int64_t i = 0; i < samples; i++)
        for (int64_t j = 0; j < i; j++)
            all[i * samples + j] = by_definition(&d, i, j);
    const double value = any_value(all, samples), limits[] = {-1, 0, 0.05, 0.2, 0.354, 0.5, 0.6, INFINITY, value, nextafter(value, 1)};
    int wrong = 0;
    bool early = false;
    for (size_t k = random_u64() % by; k < sizeof limits / sizeof *limits; k += by) {
        for (int e = GT_PDIST_EARLY_NEVER; e <= GT_PDIST_EARLY_ALWAYS; e++)
            wrong += !is_right(&(struct trial){&d, all, limits[k], (enum gt_pdist_early)e, 0, 0}, &early);
        for (int64_t part = 0; part < 3 && samples > 3; part += 2)
            wrong += !is_right(&(struct trial){&d, all, limits[k], GT_PDIST_EARLY_ALWAYS, part, 3}, &early);
    }
    ok(!wrong && (early || sites == 0 || by > 1), "%s: %lld samples, %lld sites, %g missing: %d runs wrong", gt_kernels()->name,
       (long long)samples, (long long)sites, missing, wrong);
    gt_strs_release((struct gt_strs *)&d.ids);
    free(d.codes);
    free(all);
}

static void check_level(bool last)
{
    static const int64_t samples[] = {1, 2, 31, 32, 33, 63, 64, 65, 130, 255, 256, 257};
    static const int64_t sites[] = {0, 1, 63, 64, 65, 511, 512, 513, 1500, 2600};
    static const double missing[] = {0, 0.01, 0.2};
    const int64_t shapes = sizeof samples / sizeof *samples, lengths = sizeof sites / sizeof *sites;
    for (int64_t k = 0; k < shapes; k++)
        for (int64_t more = 0; more < by_level(last, 4, 20); more++)
            check_shape(samples[k], sites[random_below(samples[k] < 100 ? lengths : lengths - 2)], missing[random_below(3)], 2);
    for (int64_t k = 0; k < lengths; k++)
        check_shape(20 + random_below(20), sites[k], missing[k % 3], last ? 1 : by_level(5, 2, 1));
}

int main(void)
{
    int n;
    const struct gt_kernels *const *levels = gt_kernels_all(&n);
    for (int k = 0; k < n; k++) {
        gt_kernels_select(levels[k]->name);
        start_engine(&engine, 3);
        check_level(k == n - 1);
        gt_engine_release(&engine);
    }
    return done_testing();
}
