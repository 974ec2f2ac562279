/* The simulator against its model: each statistic is compared with what was asked
 * for, and the same test is shown to fail on data that was asked for differently. */
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "calc/sim/sim.h"
#include "kernels/kernels.h"
#include "test/support/tap.h"

/* All genotypes of a simulation, one byte each, -1 missing. */
struct data {
    int64_t n, m;
    int8_t *g;     /* [m][n] */
    double *p, *f; /* ancestor [m], populations [m][pops] */
    struct gt_sim *sim;
};

static struct gt_sim_opts basic(int64_t samples, int64_t variants)
{
    return (struct gt_sim_opts){.seed = 7, .samples = samples, .variants = variants, .pops = 1, .contigs = 1, .fst = 0, .min_maf = 0.01};
}

static void simulate(struct data *d, struct gt_sim_opts o)
{
    struct gt_err err = {0};
    struct gt_calls calls;
    struct gt_sim_room room;

    if (gt_sim_new(&d->sim, &o, &err)) {
        diag("%s", err.msg);
        exit(1);
    }
    d->n = o.samples;
    d->m = o.variants;
    d->g = malloc((size_t)(d->n * d->m));
    d->p = malloc((size_t)d->m * sizeof *d->p);
    d->f = malloc((size_t)(d->m * o.pops) * sizeof *d->f);
    gt_calls_init(&calls, &room, NULL);
    int64_t each = gt_sim_row_group(d->sim);
    for (int64_t v = 0; v < d->m; v += each) {
        int64_t n = d->m - v < each ? d->m - v : each;
        gt_sim_generate(d->sim, v, n, 0, 0, &calls, &room, &err);
        for (int64_t i = 0; i < n; i++) {
            gt_kernels()->unpack_i8(gt_block_row(&calls.block, i), d->n, d->g + (v + i) * d->n);
            d->p[v + i] = gt_sim_frequencies(d->sim, v + i, d->f + (v + i) * o.pops);
        }
    }
    gt_calls_release(&calls, &room);
}

static void data_free(struct data *d)
{
    gt_sim_free(d->sim);
    free(d->g);
    free(d->p);
    free(d->f);
}

/* --- kernels ------------------------------------------------------------------ */

static void test_kernels(void)
{
    enum { ROOM = 512 };
    static uint8_t want[ROOM], got[ROOM];
    static uint32_t words[4 * 128], others[4 * 128];
    uint32_t key[2] = {0x12345678, 0x9ABCDEF0}, rng = 1;
    int n_levels;
    const struct gt_kernels *const *level = gt_kernels_all(&n_levels);

    for (int l = 1; l < n_levels; l++) {
        bool same = true;
        for (int i = 0; i < 4000 && same; i++) {
            uint32_t t[3], counter[3] = {(uint32_t)i, (uint32_t)i * 77, 1};
            for (int k = 0; k < 3; k++)
                t[k] = rng = rng * 1664525 + 1013904223;
            if (i % 5 == 0)
                t[2] = UINT32_MAX;
            if (i % 7 == 0)
                t[0] = t[1] = 0;
            int64_t first = i % 131, n = i * 7 % 600;
            memset(want, 0xA5, ROOM);
            memset(got, 0xA5, ROOM);
            level[0]->sim_codes(key, counter, first, n, t, want);
            level[l]->sim_codes(key, counter, first, n, t, got);
            level[0]->sim_words(key, counter, t[0], i % 128, words);
            level[l]->sim_words(key, counter, t[0], i % 128, others);
            same = !memcmp(want, got, ROOM) && !memcmp(words, others, (size_t)(i % 128) * 16);
        }
        ok(same, "%s: words and codes are those of ref", level[l]->name);
    }
    /* known answer of Random123: counter and key all ones */
    uint32_t ones[3] = {UINT32_MAX, UINT32_MAX, UINT32_MAX};
    level[0]->sim_words(ones, ones, UINT32_MAX, 1, words);
    ok(words[0] == 0x408f276d && words[1] == 0x41c83b0e && words[2] == 0xa20bc7c6 && words[3] == 0x6d5451fd,
       "Philox4x32-10's known answer");
}

/* --- the same data whatever is asked beside it ----------------------------------- */

static bool rows_equal(const struct gt_sim *sim, int64_t first, int64_t n, unsigned what, const struct data *d)
{
    struct gt_calls calls;
    struct gt_sim_room room;
    struct gt_err err = {0};
    int8_t *row = malloc((size_t)d->n);
    int64_t width = gt_sim_options(sim)->samples;
    int8_t *mine = malloc((size_t)width);

    gt_calls_init(&calls, &room, NULL);
    bool same = gt_sim_generate(sim, first, n, GT_SITE_ALL, what, &calls, &room, &err) == 0;
    for (int64_t i = 0; i < n && same; i++) {
        gt_kernels()->unpack_i8(gt_block_row(&calls.block, i), width, mine);
        same = !memcmp(mine, d->g + (first + i) * d->n, (size_t)(width < d->n ? width : d->n));
    }
    gt_calls_release(&calls, &room);
    free(row);
    free(mine);
    return same;
}

static void test_same(int64_t ld)
{
    struct gt_sim_opts o = basic(101, 500);
    struct data d;
    struct gt_sim *wide;

    o.missing = 0.05;
    o.ld = ld;
    o.multiallelic = 0.3;
    simulate(&d, o);
    bool same = true;
    for (int64_t v = 0; v < 500; v++)
        same &= rows_equal(d.sim, v, 1, 0, &d);
    ok(same, "ld %d: one variant at a time", (int)ld);
    same = true;
    for (int64_t v = 0, n; v < 500; v += n)
        same &= rows_equal(d.sim, v, n = 500 - v < 37 ? 500 - v : 37, GT_CALLS_PHASE | GT_CALLS_ALTS, &d);
    ok(same, "ld %d: row groups of 37, phased, with ALTs", (int)ld);
    o.samples = 250;
    gt_sim_new(&wide, &o, NULL);
    ok(rows_equal(wide, 100, 300, 0, &d), "ld %d: more samples", (int)ld);
    gt_sim_free(wide);
    o.samples = 101;
    o.seed = 8;
    gt_sim_new(&wide, &o, NULL);
    ok(!rows_equal(wide, 100, 300, 0, &d), "ld %d: another seed is other data", (int)ld);
    gt_sim_free(wide);
    data_free(&d);
}

/* --- statistics ------------------------------------------------------------------ */

/* Hudson's F_ST of populations 0 and 1, ratio of sums (Bhatia et al. 2013, eq. 10). */
static double hudson(const struct data *d)
{
    double num = 0, den = 0;
    for (int64_t v = 0; v < d->m; v++) {
        double p[2], n[2];
        for (int k = 0; k < 2; k++) {
            int64_t sum = 0, seen = 0;
            for (int64_t s = gt_sim_pop_first(d->sim, k); s < gt_sim_pop_first(d->sim, k + 1); s++)
                if (d->g[v * d->n + s] >= 0) {
                    sum += d->g[v * d->n + s];
                    seen++;
                }
            n[k] = 2.0 * (double)seen;
            p[k] = (double)sum / n[k];
        }
        num += (p[0] - p[1]) * (p[0] - p[1]) - p[0] * (1 - p[0]) / (n[0] - 1) - p[1] * (1 - p[1]) / (n[1] - 1);
        den += p[0] * (1 - p[1]) + p[1] * (1 - p[0]);
    }
    return num / den;
}

static void test_fst(double fst, int64_t ld, double tolerance)
{
    struct gt_sim_opts o = basic(600, 6000);
    struct data d;

    o.pops = 3;
    o.fst = fst;
    o.ld = ld;
    o.missing = 0.02;
    simulate(&d, o);
    double f = hudson(&d);
    ok(fabs(f - fst) < tolerance, "F_ST %.3f asked (ld %d): Hudson's estimate is %.4f", fst, (int)ld, f);
    data_free(&d);
}

/* Largest distance of the empirical from the neutral distribution, times sqrt(n). */
static double spectrum_distance(struct data *d, double lo)
{
    double most = 0;
    int bins = 200;
    for (int b = 1; b < bins; b++) {
        double x = lo * pow((1 - lo) / lo, (double)b / bins), below = 0;
        for (int64_t v = 0; v < d->m; v++)
            below += d->p[v] <= x;
        double off = fabs(below / (double)d->m - (double)b / bins);
        most = off > most ? off : most;
    }
    return most * sqrt((double)d->m);
}

static void test_spectrum(void)
{
    struct gt_sim_opts o = basic(4, 20000);
    struct data d;

    simulate(&d, o);
    double near = spectrum_distance(&d, o.min_maf);
    data_free(&d);
    o.spectrum = GT_SIM_FLAT;
    simulate(&d, o);
    double far = spectrum_distance(&d, o.min_maf);
    data_free(&d);
    ok(near < 1.95, "the neutral spectrum: Kolmogorov-Smirnov %.2f is below 1.95", near);
    ok(far > 10, "which a flat one fails: %.1f", far);
}

/* Genotype counts against Hardy-Weinberg at the known frequency, as z-scores. */
static void test_counts(int64_t ld, double missing)
{
    struct gt_sim_opts o = basic(3000, 1500);
    struct data d;
    double seen[4] = {0}, want[3] = {0}, var[3] = {0};

    o.ld = ld;
    o.missing = missing;
    simulate(&d, o);
    for (int64_t v = 0; v < d.m; v++) {
        double p = d.f[v], q = 1 - p, part[3] = {q * q, 2 * p * q, p * p};
        for (int64_t s = 0; s < d.n; s++)
            seen[d.g[v * d.n + s] & 3]++;
        for (int c = 0; c < 3; c++) {
            double e = (1 - missing) * part[c];
            want[c] += e * (double)d.n;
            var[c] += e * (1 - e) * (double)d.n;
        }
    }
    /* linkage makes sites of a block go together: about ld / switches of them */
    double together = ld ? (double)ld / GT_SIM_SWITCHES : 1;
    for (int c = 0; c < 3; c++) {
        double z = (seen[c] - want[c]) / sqrt(var[c] * together);
        ok(fabs(z) < 4, "ld %d, missing %.2f: dosage %d, z = %.2f", (int)ld, missing, c, z);
    }
    double total = (double)(d.n * d.m), z = missing > 0 ? (seen[3] - missing * total) / sqrt(missing * (1 - missing) * total) : seen[3];
    ok(fabs(z) < 4, "ld %d, missing %.2f: missing calls, z = %.2f", (int)ld, missing, z);
    data_free(&d);
}

/* Mean r^2 of common variants of one block, `distance` apart, less what chance gives. */
static double mean_r2(const struct data *d, int64_t block, int64_t distance, bool across)
{
    double sum = 0, n = (double)d->n;
    int64_t pairs = 0;
    for (int64_t v = 0; v + distance < d->m; v++) {
        const int8_t *x = d->g + v * d->n, *y = x + distance * d->n;
        double sx = 0, sy = 0, xx = 0, yy = 0, xy = 0;
        if ((v / block != (v + distance) / block) != across || d->f[v] < 0.1 || d->f[v] > 0.9 || d->f[v + distance] < 0.1 ||
            d->f[v + distance] > 0.9)
            continue;
        for (int64_t s = 0; s < d->n; s++) {
            sx += x[s];
            sy += y[s];
            xx += x[s] * x[s];
            yy += y[s] * y[s];
            xy += x[s] * y[s];
        }
        double cov = xy - sx * sy / n;
        sum += cov * cov / ((xx - sx * sx / n) * (yy - sy * sy / n)) - 1 / n;
        pairs++;
    }
    return sum / (double)pairs;
}

static void test_ld(void)
{
    const int64_t block = 100;
    struct gt_sim_opts o = basic(1000, 20000);
    struct data d;
    double keep = pow(1 - (double)GT_SIM_SWITCHES / (double)block, 2);

    o.ld = block;
    simulate(&d, o);
    double near = mean_r2(&d, block, 1, false);
    ok(near > 0.1, "linkage: r^2 of neighbours is %.3f", near);
    for (int64_t distance = 5; distance <= 20; distance += 5) {
        double r2 = mean_r2(&d, block, distance, false), want = near * pow(keep, (double)distance - 1);
        ok(fabs(r2 / want - 1) < 0.1, "linkage: r^2 at distance %d is %.4f, %.4f expected", (int)distance, r2, want);
    }
    double apart = mean_r2(&d, block, 5, true);
    ok(fabs(apart) < 0.002, "linkage: r^2 across blocks is %.4f", apart);
    data_free(&d);
    o.ld = 0;
    simulate(&d, o);
    double none = mean_r2(&d, block, 1, false);
    ok(fabs(none) < 0.001, "no linkage: r^2 of neighbours is %.5f", none);
    data_free(&d);
}

/* A site is the same in whatever block it comes; contigs of fewer variants than are placed at a time among them. */
static void test_site_blocks(void)
{
    static const struct {
        int64_t variants, contigs;
    } of[] = {{10, 10}, {50, 10}, {64, 1}, {65, 2}, {128, 2}, {129, 2}, {200, 7}, {700, 3}};
    struct gt_err err = {0};
    struct gt_calls whole, part;
    struct gt_sim_room rooms[2];

    gt_calls_init(&whole, &rooms[0], NULL);
    gt_calls_init(&part, &rooms[1], NULL);
    for (size_t k = 0; k < sizeof of / sizeof *of; k++) {
        struct gt_sim_opts o = basic(3, of[k].variants);
        struct gt_sim *sim;
        int64_t same = 0;
        bool apart = true;
        o.contigs = of[k].contigs;
        gt_sim_new(&sim, &o, &err);
        gt_sim_generate(sim, 0, o.variants, GT_SITE_ALL, 0, &whole, &rooms[0], &err);
        for (int64_t v = 0, n = 1; v < o.variants; v += n, n = 1 + (v * 7) % 13) {
            n = v + n < o.variants ? n : o.variants - v;
            gt_sim_generate(sim, v, n, GT_SITE_ALL, 0, &part, &rooms[1], &err);
            for (int64_t i = 0; i < n; i++) {
                const struct gt_site *a = gt_block_sites(&whole.block) + v + i, *b = gt_block_sites(&part.block) + i;
                same += a->contig == b->contig && a->position == b->position &&
                        strcmp(gt_strs_get(&whole.block.alleles, a->first_allele), gt_strs_get(&part.block.alleles, b->first_allele)) == 0;
                apart &= v + i == 0 || a->contig == a[-1].contig || a->position != gt_block_sites(&whole.block)[0].position;
            }
        }
        ok(same == o.variants && apart, "%lld variants on %lld contigs: %lld sites are the same in blocks of any size, contigs differ",
           (long long)o.variants, (long long)o.contigs, (long long)same);
        gt_sim_free(sim);
    }
    gt_calls_release(&whole, &rooms[0]);
    gt_calls_release(&part, &rooms[1]);
}

static void test_sites(void)
{
    struct gt_sim_opts o = basic(5, 1000);
    struct gt_err err = {0};
    struct gt_calls calls;
    struct gt_sim_room room;
    struct gt_sim *sim;

    o.contigs = 3;
    o.multiallelic = 0.25;
    gt_sim_new(&sim, &o, &err);
    gt_calls_init(&calls, &room, NULL);
    gt_sim_generate(sim, 0, 1000, GT_SITE_ALL, GT_CALLS_ALTS, &calls, &room, &err);
    bool increasing = true, alleles = true;
    int multi = 0, contigs = 1;
    for (int i = 0; i < 1000; i++) {
        struct gt_site *site = gt_block_sites(&calls.block) + i;
        multi += site->multiallelic;
        for (int a = 0; a < site->n_alleles; a++)
            for (int b = 0; b < a; b++)
                alleles &= strcmp(gt_strs_get(&calls.block.alleles, site->first_allele + (size_t)a),
                                  gt_strs_get(&calls.block.alleles, site->first_allele + (size_t)b)) != 0;
        if (i && site->contig == site[-1].contig)
            increasing &= site->position > site[-1].position;
        else if (i)
            contigs++;
    }
    ok(increasing && contigs == 3, "positions increase on each of 3 contigs");
    ok(alleles, "alleles of a site differ");
    ok(multi > 190 && multi < 310, "a quarter of the sites has two ALTs: %d of 1000", multi);
    gt_calls_release(&calls, &room);
    gt_sim_free(sim);
}

static void refused(struct gt_sim_opts o, const char *what)
{
    struct gt_sim *sim = NULL;
    struct gt_err err = {0};
    ok(gt_sim_new(&sim, &o, &err) == GT_USAGE && err.msg[0], "refused: %s (%s)", what, err.msg);
}

#define REFUSED(field, value, what)                                                                                                        \
    do {                                                                                                                                   \
        struct gt_sim_opts bad = basic(10, 10);                                                                                            \
        bad.field = value;                                                                                                                 \
        refused(bad, what);                                                                                                                \
    } while (0)

static void test_nonsense(void)
{
    REFUSED(samples, 0, "no samples");
    REFUSED(variants, -1, "negative variants");
    REFUSED(variants, INT64_MAX, "2^63 - 1 variants");
    REFUSED(fst, -0.1, "negative F_ST");
    REFUSED(fst, 1, "F_ST 1");
    REFUSED(fst, NAN, "F_ST NaN");
    REFUSED(missing, 1.5, "missing above 1");
    REFUSED(contigs, 11, "more contigs than variants");
    REFUSED(pops, 11, "more populations than samples");
    REFUSED(variants, (int64_t)1 << 33, "positions past 31 bits");
}

int main(void)
{
    test_kernels();
    test_same(0);
    test_same(64);
    test_fst(0.02, 0, 0.002);
    test_fst(0.1, 0, 0.006);
    test_fst(0.4, 0, 0.02);
    test_fst(0.1, 50, 0.006);
    test_spectrum();
    test_counts(0, 0);
    test_counts(0, 0.1);
    test_counts(50, 0);
    test_counts(50, 0.1);
    test_ld();
    test_sites();
    test_site_blocks();
    test_nonsense();
    return done_testing();
}
