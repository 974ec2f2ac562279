/* Accumulators: the cpu's, at every kernel level, against the oracle, through the same
 * operations. */
#include <math.h>
#include <pthread.h>
#include <string.h>

#include "calc/pdist/metric.h"
#include "core/device/device_open.h"
#include "kernels/kernels.h"
#include "test/support/acc_oracle.h"
#include "test/support/guard_page.h"
#include "test/support/level.h"
#include "test/support/rank_threads.h"
#include "test/support/tap.h"

static struct gt_budget budget;
static struct gt_device device; /* open: accumulators are on it, in tiles of this side */
static int64_t device_side;
static bool marked; /* rows may be of one allele, as their last bytes say */
/* Frequencies of simulated sites: any; rare (few samples differ from the others, which have code 0 or 2); both. */
static enum { COMMON, RARE, MIXED, SPECTRA } spectrum;

struct data {
    int64_t n, sites;
    size_t stride;
    struct guard rows;
};

/* Samples that have code 0 or 2 at most sites: of 10,000 differ. */
static int code_at(int64_t site, int differ)
{
    const int major = site % 3 ? 0 : 2;
    return (int)(rnd() % 10000) < differ ? (int)(rnd() % 3) : major;
}

/* Of 10,000 samples. */
static int differ_at(void)
{
    static const int few[] = {0, 10, 50, 200, 1000};
    return spectrum == COMMON || (spectrum == MIXED && rnd() % 2) ? 10000 : few[rnd() % 5];
}

/* Pad bits, and what lies between rows, are whatever they are. */
static struct data make_data(int64_t n, int64_t sites, double missing)
{
    struct data d = {.n = n, .sites = sites, .stride = (size_t)(n + 3) / 4 + rnd() % 3};
    d.stride += marked;
    size_t size = d.stride * (size_t)sites + GT_KERNEL_PAD;
    d.rows = guard_new(size, 0);
    for (size_t k = 0; k < size; k++)
        d.rows.data[k] = (uint8_t)rnd();
    for (int64_t k = 0, differ = 0; k < n * sites; k++) {
        uint8_t *at = d.rows.data + (size_t)(k / n) * d.stride + (size_t)(k % n / 4);
        differ = k % n ? differ : differ_at();
        int shift = (int)(k % n % 4) * 2, code = rnd() % 10000 < missing * 10000 ? 3 : code_at(k / n, (int)differ);
        *at = (uint8_t)((*at & ~(3 << shift)) | code << shift);
    }
    for (int64_t v = 0; v < sites && marked; v++)
        d.rows.data[(size_t)(v + 1) * d.stride - 1] = rnd() % 3 == 0;
    return d;
}

/* --- planes -------------------------------------------------------------------- */

#define SQUARE                                                                                                                             \
    {                                                                                                                                      \
        {0, 1, 4, 0}, {1, 0, 1, 0}, {4, 1, 0, 0},                                                                                          \
        {                                                                                                                                  \
            0, 0, 0, 0                                                                                                                     \
        }                                                                                                                                  \
    }
#define ABSOLUTE                                                                                                                           \
    {                                                                                                                                      \
        {0, 1, 2, 0}, {1, 0, 1, 0}, {2, 1, 0, 0},                                                                                          \
        {                                                                                                                                  \
            0, 0, 0, 0                                                                                                                     \
        }                                                                                                                                  \
    }
#define OBSERVED                                                                                                                           \
    {                                                                                                                                      \
        {1, 1, 1, 0}, {1, 1, 1, 0}, {1, 1, 1, 0},                                                                                          \
        {                                                                                                                                  \
            0, 0, 0, 0                                                                                                                     \
        }                                                                                                                                  \
    }
#define PRODUCT                                                                                                                            \
    {                                                                                                                                      \
        {0, 0, 0, 0}, {0, 1, 2, 0}, {0, 2, 4, 0},                                                                                          \
        {                                                                                                                                  \
            0, 0, 0, 0                                                                                                                     \
        }                                                                                                                                  \
    }
#define IBS0                                                                                                                               \
    {                                                                                                                                      \
        {0, 0, 1, 0}, {0, 0, 0, 0}, {1, 0, 0, 0},                                                                                          \
        {                                                                                                                                  \
            0, 0, 0, 0                                                                                                                     \
        }                                                                                                                                  \
    }
#define HET_OF_I                                                                                                                           \
    {                                                                                                                                      \
        {0, 0, 0, 0}, {1, 1, 1, 0}, {0, 0, 0, 0},                                                                                          \
        {                                                                                                                                  \
            0, 0, 0, 0                                                                                                                     \
        }                                                                                                                                  \
    }
#define X_OF_J                                                                                                                             \
    {                                                                                                                                      \
        {0, 1, 2, 0}, {0, 1, 2, 0}, {0, 1, 2, 0},                                                                                          \
        {                                                                                                                                  \
            0, 0, 0, 0                                                                                                                     \
        }                                                                                                                                  \
    }

/* Terms by site as they may be at the most: any symmetric table with a product of w. */
static int64_t hash(const int64_t counts[4], int64_t salt, int64_t most)
{
    uint64_t x = (uint64_t)(counts[0] * 7919 + counts[1] * 104729 + counts[2] * 1299709 + salt * 15485863) * UINT64_C(0x9e3779b97f4a7c15);
    return (int64_t)((x ^ x >> 29) % (uint64_t)most);
}
static void any_terms(const struct gt_plane *plane, const int64_t counts[4], int64_t add[4][4])
{
    (void)plane;
    const int64_t samples = counts[0] + counts[1] + counts[2] + counts[3], w = hash(counts, 1, (samples + 2) << 31);
    int64_t alone[3];
    for (int x = 0; x < 3; x++)
        alone[x] = hash(counts, 2 + x, INT64_C(1) << 40) - (INT64_C(1) << 39);
    for (int x = 0; x < 4; x++)
        for (int y = 0; y < 4; y++)
            add[x][y] = x < 3 && y < 3 ? alone[x] + alone[y] + w * (x - 1) * (y - 1) : hash(counts, 10 + x * y + x + y, INT64_C(1) << 36);
}
static void small_terms(const struct gt_plane *plane, const int64_t counts[4], int64_t add[4][4])
{
    (void)plane;
    for (int x = 0; x < 3; x++)
        add[x][3] = add[3][x] = -(x + 1) * counts[x];
    add[3][3] = -counts[3];
}
/* What a sample adds alone is another thing for a row than for a column. */
static void sided_terms(const struct gt_plane *plane, const int64_t counts[4], int64_t add[4][4])
{
    if (plane->reach != GT_SITE_WEIGHTS_ALONE)
        any_terms(plane, counts, add);
    for (int x = 0; x < 4; x++)
        for (int y = 0; y < 4; y++)
            add[x][y] += hash(counts, 30 + x, INT64_C(1) << 38) - hash(counts, 40 + y, INT64_C(1) << 39);
}
/* Eight sites and more of the same weight, with zeros in its digits. */
static void even_terms(const struct gt_plane *plane, const int64_t counts[4], int64_t add[4][4])
{
    (void)plane;
    add[0][0] = add[2][2] = INT64_C(1) << (counts[0] % 32);
    add[0][2] = add[2][0] = -add[0][0];
}

static const struct plane_set {
    const char *name;
    struct gt_plane planes[GT_MAX_PLANES];
    int n;
} sets[] = {
    {"square, observed", {{.f = SQUARE}, {.f = OBSERVED}}, 2},
    {"absolute, observed", {{.f = ABSOLUTE}, {.f = OBSERVED}}, 2},
    {"square alone", {{.f = SQUARE}}, 1},
    {"observed alone", {{.f = OBSERVED}}, 1},
    {"king", {{.f = SQUARE}, {.f = HET_OF_I}, {.f = OBSERVED}, {.f = IBS0}}, 4},
    {"correlation", {{.f = PRODUCT}, {.f = X_OF_J}, {.f = OBSERVED}}, 3},
    {"terms by site", {{.f = OBSERVED}, {.terms = any_terms, .reach = GT_SITE_WEIGHTS_PRODUCTS}}, 2},
    {"terms of rows and columns",
     {{.f = X_OF_J, .terms = sided_terms, .sided = true}, {.terms = sided_terms, .sided = true, .reach = GT_SITE_WEIGHTS_PRODUCTS}},
     2},
    {"terms of missing calls",
     {{.f = SQUARE, .terms = small_terms, .reach = GT_SITE_WEIGHTS_MISSING}, {.terms = even_terms, .reach = GT_SITE_WEIGHTS_PRODUCTS}},
     2},
};

/* Any table that the cpu takes: symmetric but for what a sample adds alone and with a missing one. */
static void random_planes(struct plane_set *set)
{
    *set = (struct plane_set){.name = "random tables", .n = 1 + (int)(rnd() % 3)};
    for (int k = 0; k < set->n; k++) {
        int8_t(*f)[4] = set->planes[k].f;
        for (int x = 0; x < 4; x++)
            for (int y = 0; y < 4; y++)
                f[x][y] = (int8_t)(rnd() % 9 - 4);
        f[2][0] = (int8_t)(f[0][2] - f[0][1] - f[1][2] + f[2][1] + f[1][0]);
        for (int x = 0; x < 3; x++)
            for (int y = 0; y <= x; y++)
                set->planes[k].of_alleles[x][y] = set->planes[k].of_alleles[y][x] = (int8_t)(rnd() % 9 - 4);
    }
}

/* The implementation that is tested. */
static const struct gt_acc_ops *tested(void)
{
    return device.ops ? &gt_acc_device : &gt_acc_cpu;
}

/* --- one run through the operations ---------------------------------------------- */

struct run {
    const struct gt_acc_ops *ops;
    struct gt_acc *acc;
    struct gt_acc_block *block;
    struct gt_err err;
    int status;
};

static enum gt_rare rare;
static int64_t block_rows = 2000;

static void start(struct run *run, const struct gt_acc_ops *ops, const struct plane_set *set, int64_t n, struct gt_pair_box box,
                  int64_t parts)
{
    struct gt_acc_setup setup = {.n_samples = n,
                                 .alleles = marked,
                                 .rare = rare,
                                 .device = device.ops ? &device : NULL,
                                 .device_side = device_side,
                                 .box = box,
                                 .planes = set->planes,
                                 .n_planes = set->n,
                                 .block_rows = block_rows,
                                 .parts_wanted = parts,
                                 .budget = &budget};
    *run = (struct run){.ops = ops};
    run->status = ops->takes(&setup) ? ops->init(&run->acc, &setup, &run->err) : -1;
}

static void free_block(struct run *run)
{
    run->ops->block_free(run->block);
    run->block = NULL;
}

/* Sites [from, to) in blocks of `cut`, parts in an order of their own. */
static void row_source(struct run *run, const struct data *d, int64_t from, int64_t to, int64_t cut)
{
    for (int64_t s = from; !run->status && s < to; s += cut) {
        struct gt_rows rows = {d->rows.data + (size_t)s * d->stride, d->stride, to - s < cut ? to - s : cut, s, marked};
        run->status = run->ops->prepare(run->acc, &rows, &run->block, &run->err);
        for (int64_t p = run->acc->parts - 1; !run->status && p >= 0; p--)
            run->status = run->ops->add(run->acc, run->block, p, &run->err);
    }
    if (run->status)
        free_block(run);
}

/* The rest comes in a block that had others, or in a new one. */
static int finish(struct run *run, struct gt_comm *comm, struct gt_err *err)
{
    if (run->acc->sites % 2)
        free_block(run);
    int status = run->ops->rest ? run->ops->rest(run->acc, &run->block, err) : GT_END;
    for (int64_t p = 0; !status && p < run->acc->parts; p++)
        status = run->ops->add(run->acc, run->block, p, err);
    free_block(run);
    return status && status != GT_END ? status : run->ops->finish(run->acc, comm, err);
}

static double *tile_of(const struct run *run, const struct gt_pair_box *box, int n_planes)
{
    size_t cells = (size_t)((box->row1 - box->row0) * (box->col1 - box->col0));
    double *all = malloc(cells * (size_t)n_planes * sizeof *all + 8), *planes[GT_MAX_PLANES];
    for (int k = 0; k < n_planes; k++)
        planes[k] = all + (size_t)k * cells;
    run->ops->tile(run->acc, box, planes);
    return all;
}

static int64_t differ(const struct run *a, const struct run *b, const struct gt_pair_box *box, int n_planes)
{
    double *x = tile_of(a, box, n_planes), *y = tile_of(b, box, n_planes);
    int64_t cells = (box->row1 - box->row0) * (box->col1 - box->col0) * n_planes, wrong = 0;
    for (int64_t k = 0; k < cells; k++)
        wrong += x[k] != y[k];
    free(x);
    free(y);
    return wrong;
}

/* Random boxes of counted pairs, and all of them; both ways round where both are in. */
static int64_t compare(const struct run *a, const struct run *b, const struct gt_pair_box *box, int n_planes)
{
    int64_t wrong = 0;
    for (int t = 0; t < 6; t++) {
        struct gt_pair_box part = *box, turned;
        if (t) {
            part.row0 += rnd() % (box->row1 - box->row0);
            part.row1 = part.row0 + 1 + rnd() % (box->row1 - part.row0);
            part.col0 += rnd() % (box->col1 - box->col0);
            part.col1 = part.col0 + 1 + rnd() % (box->col1 - part.col0);
        }
        turned = (struct gt_pair_box){part.col0, part.col1, part.row0, part.row1};
        wrong += differ(a, b, &part, n_planes) + differ(a, b, &turned, n_planes);
    }
    return wrong;
}

/* The cpu's sums, of rare variants in any way, are those of the oracle. */
static int64_t check(const struct data *d, const struct plane_set *set, struct gt_pair_box box, int64_t parts, int64_t cut)
{
    static const char *const ways[] = {
        [GT_RARE_BY_COST] = "by cost", [GT_RARE_DENSE] = "dense", [GT_RARE_LISTS] = "lists", [GT_RARE_SPARSE] = "sparse"};
    struct run cpu, oracle;
    struct gt_comm comm;
    int64_t all = 0;
    gt_comm_self(&comm);
    start(&oracle, &oracle_ops, set, d->n, box, 1);
    row_source(&oracle, d, 0, d->sites, d->sites + 1);
    finish(&oracle, &comm, &oracle.err);
    for (rare = device.ops ? GT_RARE_BY_COST : GT_RARE_SPARSE;; rare--) {
        block_rows = rnd() % 2 ? 2000 : cut; /* few rows are pending */
        device_side = (int64_t[]){0, 16, 48, 64}[rnd() % 4];
        start(&cpu, marked ? &gt_acc_alleles : tested(), set, d->n, box, parts);
        row_source(&cpu, d, 0, d->sites, cut);
        block_rows = 2000;
        cpu.status = cpu.status ? cpu.status : finish(&cpu, &comm, &cpu.err);
        const int64_t wrong = cpu.status ? 1 : compare(&cpu, &oracle, &box, set->n) + (cpu.acc->sites != oracle.acc->sites);
        if (wrong)
            diag("%s: %s, %s, %lld samples, %lld sites in blocks of %lld, box %lld-%lld x %lld-%lld: %lld wrong %s", gt_kernels()->name,
                 set->name, device.ops ? "on a device" : ways[rare], (long long)d->n, (long long)d->sites, (long long)cut,
                 (long long)box.row0, (long long)box.row1, (long long)box.col0, (long long)box.col1, (long long)wrong, cpu.err.msg);
        cpu.ops->free(cpu.acc);
        all += wrong;
        rare -= rare == GT_RARE_LISTS && by_level(1, 0, 0) && rnd() % 2; /* a quick run takes one of the other two */
        if (rare == GT_RARE_BY_COST || device.ops || (rare == GT_RARE_DENSE && by_level(1, 0, 0)))
            break;
    }
    rare = GT_RARE_BY_COST;
    oracle.ops->free(oracle.acc);
    return all;
}

/* --- the cpu's -------------------------------------------------------------------- */

/* Plain C with many samples takes half of the time: a quick run leaves it out. */
static bool takes_long(int64_t samples)
{
    return by_level(1, 0, 0) && samples > 200 && strcmp(gt_kernels()->name, "ref") == 0;
}

/* A quick run takes every second of these. */
static bool is_left_out(size_t k)
{
    return by_level(1, 0, 0) && k % 2;
}

static void check_level(void)
{
    static const int64_t shapes[][3] = {{1, 5, 5},    {3, 200, 7},    {31, 0, 1},    {32, 70, 64},
                                        {33, 64, 33}, {65, 130, 129}, {130, 40, 17}, {519, 20, 9}};
    static const double rates[] = {0, 0.01, 0.2, 0.6, 1};
    int64_t wrong = 0;
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++)
        for (size_t r = 0; r < sizeof rates / sizeof *rates; r++) {
            if (takes_long(shapes[s][0]))
                continue;
            spectrum = (s + r) % SPECTRA;
            struct data d = make_data(shapes[s][0], shapes[s][1], rates[r]);
            for (size_t p = 0; p <= sizeof sets / sizeof *sets; p++) {
                struct plane_set random, *set = &random;
                if (is_left_out(s + r / 2 + p) || (p < sizeof sets / sizeof *sets && sets[p].planes[1].terms && r % 2))
                    continue; /* terms take their time */
                random_planes(set);
                wrong += check(&d, p < sizeof sets / sizeof *sets ? &sets[p] : set, (struct gt_pair_box){0, d.n, 0, d.n},
                               rnd() % 2 ? 1 : 300, shapes[s][2]);
            }
            guard_free(&d.rows);
        }
    spectrum = COMMON;
    ok(wrong == 0, "%s: all pairs, odd shapes, any rate of missing calls, any tables", gt_kernels()->name);
}

/* Bands of several passes, and rectangles of two sets of samples. */
static void check_boxes(void)
{
    static const struct gt_pair_box boxes[] = {{0, 64, 0, 200},    {64, 128, 64, 200},  {128, 200, 128, 200}, {192, 200, 192, 200},
                                               {0, 10, 128, 200},  {0, 100, 128, 131},  {64, 70, 192, 193},   {64, 65, 64, 65},
                                               {0, 200, 192, 200}, {128, 200, 128, 150}};
    static const double rates[] = {0, 0.05, 0.7};
    int64_t wrong = 0;
    for (size_t b = 0; b < sizeof boxes / sizeof *boxes; b++)
        for (size_t r = 0; r < 3; r++) {
            spectrum = (b + r) % SPECTRA;
            struct data d = make_data(200, 90, rates[r]);
            const struct gt_pair_box *box = &boxes[b];
            for (size_t p = 0; p < sizeof sets / sizeof *sets; p++) {
                struct gt_pair_box seen = *box;
                if (box->row1 > box->col1) /* pairs below the diagonal are not counted */
                    seen.row1 = box->col0;
                if (seen.row1 > seen.row0 && !(sets[p].planes[1].terms ? r != b % 3 : is_left_out(b + r + p)))
                    wrong += check(&d, &sets[p], seen, 40, 50);
            }
            guard_free(&d.rows);
        }
    spectrum = COMMON;
    ok(wrong == 0, "%s: bands and rectangles", gt_kernels()->name);
}

/* Sites of all kinds, rows that wait for a later block, parts in any order. */
static void check_rare(void)
{
    static const double rates[] = {0, 0.002, 0.01, 0.2};
    static const struct gt_pair_box boxes[] = {{0, 700, 0, 700}, {0, 128, 128, 700}, {320, 384, 320, 700}, {0, 700, 640, 700}};
    int64_t wrong = 0;
    for (size_t r = 0; r < sizeof rates / sizeof *rates && !takes_long(700); r++)
        for (spectrum = RARE; spectrum < SPECTRA; spectrum++) {
            struct data d = make_data(700, 40, rates[r]);
            struct plane_set random;
            random_planes(&random);
            wrong += check(&d, r % 2 ? &random : &sets[0], boxes[(r + spectrum) % 4], r ? 3 : 300, spectrum == RARE ? 40 : 7);
            guard_free(&d.rows);
            d = make_data(330, 40, rates[r]);
            for (size_t p = 6; p < sizeof sets / sizeof *sets; p++)
                wrong += check(&d, &sets[p], (struct gt_pair_box){0, r % 2 ? 64 : 330, 0, 330}, 300, 13);
            guard_free(&d.rows);
        }
    spectrum = COMMON;
    ok(wrong == 0, "%s: rare variants", gt_kernels()->name);
}

/* Sums of (x - y)^2 with missing calls replaced by the mean of their site, in doubles; of sites with a call. */
static int64_t check_squares(const struct data *d, const struct run *run)
{
    const struct gt_pair_box all = {0, d->n, 0, d->n};
    double *x = malloc((size_t)d->n * sizeof *x), *want = calloc((size_t)(d->n * d->n), sizeof *want), *got = tile_of(run, &all, 1);
    int64_t wrong = 0;
    for (int64_t v = 0; v < d->sites; v++) {
        double sum = 0, known = 0;
        for (int64_t s = 0; s < d->n; s++) {
            const int code = d->rows.data[(size_t)v * d->stride + (size_t)s / 4] >> s % 4 * 2 & 3;
            x[s] = code;
            known += code < 3;
            sum += code < 3 ? code : 0;
        }
        for (int64_t s = 0; s < d->n; s++)
            x[s] = x[s] < 3 ? x[s] : known > 0 ? sum / known : 0;
        for (int64_t k = 0; k < d->n * d->n; k++)
            want[k] += (x[k / d->n] - x[k % d->n]) * (x[k / d->n] - x[k % d->n]);
    }
    for (int64_t k = 0; k < d->n * d->n; k++)
        wrong += !(fabs(got[k] - want[k]) < 1e-6);
    free(x), free(want), free(got);
    return wrong;
}

/* Missing calls as means of their site: every count of genotypes that takes them, three at a time. */
static void check_means(void)
{
    static const double rates[] = {0.02, 0.3, 1};
    int64_t wrong = 0, squares = 0;
    for (int r = 0; r < 3; r++) {
        struct plane_set set = {.name = "means"};
        struct data d;
        spectrum = (unsigned)r;
        d = make_data(67, 50, rates[r]);
        for (enum gt_count count = 0; count < GT_COUNT_RELATED; count++) {
            if (gt_count_takes_means(count) && count != GT_COUNT_TOTAL) /* the oracle rounds a sum of two means once */
                set.planes[set.n++] = gt_count_plane(count, GT_MISSING_MEAN);
            if (set.n < 3 && (count < GT_COUNT_RELATED - 1 || set.n == 0))
                continue;
            wrong += check(&d, &set, (struct gt_pair_box){0, d.n, 0, d.n}, rnd() % 2 ? 1 : 300, 17);
            set.n = 0;
        }
        struct run run;
        struct gt_comm self;
        gt_comm_self(&self);
        set.planes[set.n++] = gt_count_plane(GT_COUNT_SQUARE, GT_MISSING_MEAN);
        start(&run, tested(), &set, d.n, (struct gt_pair_box){0, d.n, 0, d.n}, 1);
        row_source(&run, &d, 0, d.sites, 17);
        wrong += run.status || finish(&run, &self, &run.err);
        squares += check_squares(&d, &run);
        run.ops->free(run.acc);
        guard_free(&d.rows);
    }
    spectrum = COMMON;
    ok(wrong == 0, "%s: means for missing calls", gt_kernels()->name);
    ok(squares == 0, "%s: the same in doubles", gt_kernels()->name);
}

/* More sites than one stretch of a sample's missing calls holds, few or most of them missing. */
static void check_long(void)
{
    int64_t wrong = 0;
    for (int dense = 0; dense < 2; dense++) {
        struct data d = make_data(35, 10001, dense ? 0.7 : 0.02);
        for (size_t p = 0; p <= 6; p += 6)
            wrong += check(&d, &sets[p], (struct gt_pair_box){0, 35, 0, 35}, 1, 10001);
        guard_free(&d.rows);
    }
    ok(wrong == 0, "%s: a block of 10,001 sites", gt_kernels()->name);
}

/* A block is used again for rows with and without missing calls, and for none. */
static void check_reuse(void)
{
    static const double rates[] = {0.9, 0, 0.02, 0.6, 0};
    struct gt_pair_box all = {0, 70, 0, 70};
    struct gt_acc_block *block = NULL;
    struct run cpu, oracle;
    struct gt_comm comm;
    gt_comm_self(&comm);
    start(&cpu, tested(), &sets[0], 70, all, 5);
    start(&oracle, &oracle_ops, &sets[0], 70, all, 1);
    for (int k = 0; k < 5; k++) {
        struct data d = make_data(70, k == 3 ? 0 : 100, rates[k]);
        struct gt_rows rows = {d.rows.data, d.stride, d.sites, 0, false};
        cpu.status |= cpu.ops->prepare(cpu.acc, &rows, &block, &cpu.err);
        cpu.status |= block->any_missing != (rates[k] > 0 && d.sites);
        for (int64_t p = 0; p < cpu.acc->parts; p++)
            cpu.status |= cpu.ops->add(cpu.acc, block, p, &cpu.err);
        row_source(&oracle, &d, 0, d.sites, 100);
        guard_free(&d.rows);
    }
    cpu.status |= finish(&cpu, &comm, &cpu.err) | finish(&oracle, &comm, &oracle.err);
    ok(!cpu.status && differ(&cpu, &oracle, &all, 2) == 0, "%s: one block for all rows", gt_kernels()->name);
    cpu.ops->block_free(block);
    cpu.ops->free(cpu.acc);
    oracle.ops->free(oracle.acc);
}

static void check_merge(const struct plane_set *set)
{
    struct data d = make_data(70, 300, 0.1);
    struct gt_pair_box all = {0, 70, 0, 70};
    struct run whole, first, second;
    int64_t wrong = 0;
    for (int complete = 0; complete < 2; complete++) { /* the first, or neither, has missing calls */
        struct data none = make_data(70, 100, 0);
        start(&whole, tested(), set, d.n, all, 1);
        start(&first, tested(), set, d.n, all, 1);
        start(&second, tested(), set, d.n, all, 9);
        row_source(&whole, complete ? &none : &d, 0, 100, 30);
        row_source(&whole, &none, 0, 100, 100);
        row_source(&second, complete ? &none : &d, 0, 100, 11);
        row_source(&first, &none, 0, 100, 41);
        struct gt_comm comm;
        gt_comm_self(&comm);
        wrong += finish(&whole, &comm, &whole.err) || finish(&first, &comm, &first.err) || finish(&second, &comm, &second.err);
        wrong += first.ops->merge(first.acc, second.acc, &first.err);
        wrong += differ(&whole, &first, &all, set->n) + (first.acc->sites != 200);
        whole.ops->free(whole.acc);
        first.ops->free(first.acc);
        second.ops->free(second.acc);
        guard_free(&none.rows);
    }
    ok(wrong == 0, "%s, %s: merged sums are those of all sites", gt_kernels()->name, set->name);
    guard_free(&d.rows);
}

/* --- several ranks ------------------------------------------------------------------- */

struct shared {
    const struct gt_acc_ops *ops;
    const struct plane_set *set;
    struct data none, some; /* without and with missing calls */
    struct run whole;
    int64_t differ, sites;
};

/* The first rank meets no missing call, and the last one no site. */
static int sum_rank(struct gt_comm *comm, void *ctx, struct gt_err *err)
{
    struct shared *shared = ctx;
    struct gt_pair_box all = {0, shared->some.n, 0, shared->some.n};
    struct run run;
    int busy = comm->size - 1, last = comm->rank == busy;
    start(&run, shared->ops, shared->set, shared->some.n, all, 1);
    if (comm->rank == 0)
        row_source(&run, &shared->none, 0, 100, 100);
    if (!last)
        row_source(&run, &shared->some, gt_comm_partition(400, comm->rank, busy), gt_comm_partition(400, comm->rank + 1, busy), 100);
    int status = run.status ? run.status : finish(&run, comm, err);
    if (!status && comm->rank == 0) {
        shared->sites = run.acc->sites;
        shared->differ = differ(&shared->whole, &run, &all, shared->set->n);
    }
    run.ops->free(run.acc);
    return status;
}

static void check_ranks(const struct gt_acc_ops *ops, const struct plane_set *set)
{
    struct shared shared = {.ops = ops, .set = set, .none = make_data(50, 100, 0), .some = make_data(50, 400, 0.05)};
    struct gt_pair_box all = {0, 50, 0, 50};
    struct gt_err err[MOST_RANKS];
    struct gt_comm self;
    gt_comm_self(&self);
    start(&shared.whole, ops, set, 50, all, 1);
    row_source(&shared.whole, &shared.none, 0, 100, 100);
    row_source(&shared.whole, &shared.some, 0, 400, 100);
    finish(&shared.whole, &self, &shared.whole.err);
    for (int n = 2; n <= 5; n++) {
        shared.differ = -1;
        ranks_run(n, sum_rank, &shared, err);
        ok(!err[0].status && !err[n - 1].status && shared.sites == 500 && shared.differ == 0, "%s, %s, %s: %d ranks have the sums of one",
           ops->name, gt_kernels()->name, set->name, n);
    }
    shared.whole.ops->free(shared.whole.acc);
    guard_free(&shared.none.rows);
    guard_free(&shared.some.rows);
}

/* --- largest counts of missing calls ------------------------------------------------- */

/* The first sample misses `most` sites, the next one those but one; the others few. */
static struct data make_gaps(int64_t most)
{
    struct data d = make_data(4, most + 2, 0);
    for (int64_t v = 0; v < most; v++) {
        uint8_t *at = d.rows.data + (size_t)v * d.stride;
        *at = (uint8_t)(*at | 0x03 | (v ? 0x0c : 0) | (v % 1000 ? 0 : 0x30)); /* 3 at samples 0, 1 and 2 */
    }
    return d;
}

struct border {
    struct data *d;
    const struct plane_set *set;
    struct run oracle;
    int64_t wrong;
};

static int border_rank(struct gt_comm *comm, void *ctx, struct gt_err *err)
{
    struct border *border = ctx;
    struct gt_pair_box all = {0, 4, 0, 4};
    struct run run;
    start(&run, &gt_acc_cpu, border->set, 4, all, 1);
    row_source(&run, border->d, gt_comm_partition(border->d->sites, comm->rank, comm->size),
               gt_comm_partition(border->d->sites, comm->rank + 1, comm->size), 2000);
    const int status = run.status ? run.status : finish(&run, comm, err);
    if (!status && comm->rank == 0)
        border->wrong += differ(&border->oracle, &run, &all, border->set->n);
    run.ops->free(run.acc);
    return status;
}

/* Two halves of the sites, of which one alone stays below the border. */
static int64_t merge_halves(const struct border *border)
{
    struct gt_pair_box all = {0, 4, 0, 4};
    struct run half[2];
    struct gt_comm self;
    int64_t wrong = 0;
    gt_comm_self(&self);
    for (int h = 0; h < 2; h++) {
        start(&half[h], &gt_acc_cpu, border->set, 4, all, 3);
        row_source(&half[h], border->d, gt_comm_partition(border->d->sites, h, 2), gt_comm_partition(border->d->sites, h + 1, 2), 2000);
        wrong += finish(&half[h], &self, &half[h].err) != 0;
    }
    wrong += half[0].ops->merge(half[0].acc, half[1].acc, &half[0].err) != 0;
    wrong += differ(&border->oracle, &half[0], &all, border->set->n);
    for (int h = 0; h < 2; h++)
        half[h].ops->free(half[h].acc);
    return wrong;
}

/* Counts of one byte, two and three: the numbers around their largest. */
static void check_borders(const struct plane_set *set)
{
    static const int64_t most[] = {0, 1, 254, 255, 256, 257, 65534, 65535, 65536, 65537};
    int64_t wrong = 0;
    for (size_t k = 0; k < sizeof most / sizeof *most; k++) {
        struct gt_pair_box all = {0, 4, 0, 4};
        struct data d = make_gaps(most[k]);
        struct border border = {.d = &d, .set = set};
        struct gt_err err[MOST_RANKS];
        struct gt_comm self;
        gt_comm_self(&self);
        wrong += check(&d, set, all, 1, k % 2 ? 2000 : 777);
        start(&border.oracle, &oracle_ops, set, 4, all, 1);
        row_source(&border.oracle, &d, 0, d.sites, d.sites);
        finish(&border.oracle, &self, &border.oracle.err);
        wrong += merge_halves(&border);
        ranks_run(2, border_rank, &border, err);
        wrong += err[0].status || err[1].status ? 1 : border.wrong;
        border.oracle.ops->free(border.oracle.acc);
        guard_free(&d.rows);
    }
    ok(wrong == 0, "%s, %s: up to 254 to 257 and 65,534 to 65,537 sites at which a sample is missing", gt_kernels()->name, set->name);
}

static void check_limits(void)
{
    struct data d = make_data(5, 10, 0);
    struct run run;
    start(&run, &gt_acc_cpu, &sets[0], 5, (struct gt_pair_box){0, 5, 0, 5}, 1);
    run.acc->sites = INT32_MAX - 9;
    row_source(&run, &d, 0, 10, 10);
    ok(run.status == GT_FAIL && strstr(run.err.msg, "2,147,483,647"), "more sites than 32 bits can count are an error: %s", run.err.msg);
    run.ops->free(run.acc);
    struct plane_set odd = {.planes = {{.f = {{0, 0, 1, 0}}}}, .n = 1};
    start(&run, &gt_acc_cpu, &odd, 5, (struct gt_pair_box){0, 5, 0, 5}, 1);
    ok(run.status == -1, "the cpu does not take a table that tells 0,2 from 2,0");
    guard_free(&d.rows);
}

/* Rows of alleles among those of sites. */
static void check_alleles(void)
{
    static const int64_t samples[] = {1, 5, 31, 32, 33, 64, 65, 130}, sites[] = {1, 7, 64, 65, 300};
    int64_t wrong = 0;
    marked = true;
    for (size_t k = 0; k < sizeof samples / sizeof *samples; k++)
        for (size_t s = 0; s < sizeof sites / sizeof *sites; s++) {
            struct plane_set set;
            spectrum = (k + s) % SPECTRA;
            struct data d = make_data(samples[k], sites[s], rnd() % 3 ? 0.1 : 0);
            const int64_t n = samples[k], at = n > 64 && rnd() % 2 ? 64 : 0;
            random_planes(&set);
            wrong += check(&d, &set, (struct gt_pair_box){0, at ? at : n, at, n}, 1 + rnd() % 9, 1 + rnd() % (sites[s] + 1));
            guard_free(&d.rows);
        }
    marked = false;
    spectrum = COMMON;
    ok(wrong == 0, "%s: rows of alleles", gt_kernels()->name);
}

/* What the plan counts on is what is used. */
static void check_bytes(const struct plane_set *set)
{
    static const int64_t samples[] = {1, 40, 300, 700}, cuts[] = {2000, 700, 90};
    struct gt_comm self;
    bool fits = true;
    gt_comm_self(&self);
    for (size_t k = 0; k < 4; k++)
        for (int band = takes_long(samples[k]) ? 2 : 0; band < 2; band++) {
            struct gt_budget own;
            struct data d = make_data(samples[k], 2000, 0.02);
            struct gt_pair_box box = {0, band ? (d.n < 64 ? d.n : 64) : d.n, 0, d.n};
            struct gt_acc_setup setup = {.n_samples = d.n,
                                         .box = box,
                                         .planes = set->planes,
                                         .n_planes = set->n,
                                         .block_rows = 2000,
                                         .rare = rare,
                                         .parts_wanted = 30,
                                         .budget = &own};
            struct run run = {.ops = &gt_acc_cpu};
            gt_budget_init(&own, INT64_C(1) << 30);
            run.status = run.ops->init(&run.acc, &setup, &run.err);
            const int64_t cut = cuts[rnd() % 3];
            row_source(&run, &d, 0, 2000, cut);
            run.status = run.status ? run.status : finish(&run, &self, &run.err);
            fits &= !run.status;
            int64_t said = run.ops->sums_bytes(&setup) + run.ops->block_bytes(&setup);
            const bool little =
                rare == GT_RARE_DENSE && cut == setup.block_rows && own.high * 10 <= said * 7; /* other plans leave room for lists */
            fits &= own.high <= said + 64 * 20 && !little;
            if (own.high > said + 64 * 20 || little)
                diag("%lld samples: %lld bytes used, %lld said", (long long)d.n, (long long)own.high, (long long)said);
            run.ops->free(run.acc);
            fits &= own.used == 0;
            guard_free(&d.rows);
        }
    ok(fits, "%s, %s: sums and a block take what the plan says", gt_kernels()->name, set->name);
}

/* Samples that are heterozygous at all but a site or none, of as many sites as there may be: what
 * their correlation is made of has more bits than a double. */
static void check_long_metric(void)
{
    const double n = INT32_MAX;
    const double c[6][3] = {{n, n, n}, {n + 1, n + 1, n + 1}, {n + 1, n + 1, n}, {n + 3, n + 3, n + 3}, {n + 3, n + 3, n}, {2, 0, 1}};
    const double *const planes[] = {c[0], c[1], c[2], c[3], c[4], c[5]};
    const struct gt_metric_use use = {.metric = gt_metric_find("correlation"), .missing = GT_MISSING_RESCALE};
    double out[3];
    gt_metric_values(&use, planes, n, 3, out);
    ok(out[0] == 1 + 1 / (n - 1) && out[1] == 0 && isnan(out[2]), "a correlation over 2^31 - 1 sites: %.17g %.17g %g", out[0], out[1],
       out[2]);
}

/* The same on the host device, which is slow. */
static void check_device(void)
{
    struct gt_err err = {0};
    if (gt_device_open(&device, "host", 0, &err))
        device.ops = NULL;
    ok(device.ops != NULL, "the host device opens");
    check_level();
    check_boxes();
    check_alleles();
    check_reuse();
    check_merge(&sets[4]);
    check_merge(&sets[6]);
    check_ranks(&gt_acc_device, &sets[1]);
    check_ranks(&gt_acc_device, &sets[6]);
    ok(device.memory.used == 0, "its memory was given back");
    gt_device_close(&device);
}

int main(void)
{
    int n;
    gt_budget_init(&budget, INT64_C(1) << 31);
    const struct gt_kernels *const *levels = gt_kernels_all(&n);
    for (int k = 0; k < n; k++) {
        gt_kernels_select(levels[k]->name);
        check_level();
        check_boxes();
        check_long();
        check_rare();
        check_means();
        check_alleles();
        for (rare = GT_RARE_BY_COST; rare <= GT_RARE_LISTS; rare++) {
            spectrum = rare == GT_RARE_DENSE ? COMMON : MIXED;
            check_reuse();
            check_merge(&sets[4]);
            check_merge(&sets[6]);
            check_ranks(&gt_acc_cpu, &sets[1]);
            check_ranks(&gt_acc_cpu, &sets[6]);
            check_bytes(&sets[0]);
            check_bytes(&sets[6]);
        }
        rare = GT_RARE_BY_COST;
        check_borders(&sets[4]);
        spectrum = COMMON;
        rare = GT_RARE_BY_COST;
    }
    check_ranks(&oracle_ops, &sets[6]);
    check_limits();
    check_long_metric();
    check_device();
    ok(budget.used == 0, "every byte was given back");
    return done_testing();
}
