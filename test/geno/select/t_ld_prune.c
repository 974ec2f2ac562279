/* LD pruning: windows and order of pairs in their plainest form, over all calls of all pairs.  Cases of select.bats compare with PLINK. */
#include "geno/select/ld_prune.h"

#include <stdlib.h>
#include <string.h>

#include "kernels/kernels.h"
#include "test/support/random.h"
#include "test/support/tap.h"

#define NEARLY (1 + 0x1p-44)

enum { SAMPLES = 130, VARIANTS = 6000 };

struct data {
    int64_t samples, n;
    uint8_t (*code)[SAMPLES]; /* of each variant */
    int32_t *contig;
    int64_t *position;
};

/* --- the rule ------------------------------------------------------------------------------------------------------------- */

static double major(const struct data *d, int64_t v)
{
    int64_t alt = 0, known = 0;
    for (int64_t s = 0; s < d->samples; s++)
        if (d->code[v][s] != 3)
            known++, alt += d->code[v][s];
    return (double)(alt > 2 * known - alt ? alt : 2 * known - alt) / (double)(2 * known);
}

static bool varies(const struct data *d, int64_t v)
{
    bool seen[4] = {false};
    for (int64_t s = 0; s < d->samples; s++)
        seen[d->code[v][s]] = true;
    return seen[0] + seen[1] + seen[2] > 1;
}

static bool linked(const struct data *d, int64_t a, int64_t b, double r2)
{
    int64_t n = 0, x = 0, y = 0, xx = 0, yy = 0, xy = 0;
    for (int64_t s = 0; s < d->samples; s++) {
        const int64_t i = d->code[a][s], j = d->code[b][s];
        if (i == 3 || j == 3)
            continue;
        n++, x += i, y += j, xx += i * i, yy += j * j, xy += i * j;
    }
    const double both = (double)(xy * n - x * y);
    return both * both > r2 * NEARLY * (double)(xx * n - x * x) * (double)(yy * n - y * y);
}

static void prune(const struct data *d, int64_t from, int64_t to, double r2, bool *gone, int64_t *unchecked)
{
    for (bool any = true; any;) {
        any = false;
        for (int64_t i = from; i < to; i++) {
            int64_t j = unchecked[i] > i ? unchecked[i] : i + 1;
            for (; !gone[i] && j < to; j++)
                if (!gone[j] && linked(d, i, j, r2)) {
                    any = true;
                    gone[major(d, i) > major(d, j) * NEARLY ? i : j] = true;
                    while (j < to && gone[j])
                        j++;
                    break;
                }
            unchecked[i] = gone[i] ? 0 : j;
        }
    }
}

static void by_rule(const struct data *d, const struct gt_prune_opts *o, bool *gone)
{
    int64_t *unchecked = calloc((size_t)d->n, sizeof *unchecked), stretch = 0, start = 0;
    for (int64_t v = 0; v < d->n; v++)
        gone[v] = !varies(d, v);
    for (int64_t v = 1; v <= d->n; v++) {
        const bool apart = v == d->n || d->contig[v] != d->contig[v - 1] || (o->bases && d->position[v] - d->position[v - 1] > o->window);
        if (apart || (o->bases ? d->position[v] - d->position[start] > o->window : v - start >= o->window))
            prune(d, start, v, o->r2, gone, unchecked);
        if (apart && v - stretch == 1)
            gone[stretch] = false;
        if (apart)
            stretch = start = v;
        else if (!o->bases && v - start >= o->window)
            start += o->step;
        while (!apart && o->bases && d->position[v] - d->position[start] > o->window)
            start++;
    }
    free(unchecked);
}

/* --- data ----------------------------------------------------------------------------------------------------------------- */

/* Variants that resemble one shortly before, some that do not differ, some with missing calls. */
static struct data make(int64_t samples, int64_t n, int missing)
{
    struct data d = {samples, n, calloc((size_t)n, sizeof *d.code), calloc((size_t)n, sizeof *d.contig),
                     calloc((size_t)n, sizeof *d.position)};
    for (int64_t v = 0; v < n; v++) {
        const int64_t like = v - 1 - random_below(4), noise = random_below(12), common = 1 + random_below(6);
        const bool differs = random_below(20) > 0;
        d.contig[v] = v == 0 || random_below(60) ? (v ? d.contig[v - 1] : 0) : d.contig[v - 1] + 1;
        d.position[v] = (v && d.contig[v] == d.contig[v - 1] ? d.position[v - 1] : 0) + random_below(9) * (random_below(30) ? 1 : 20);
        for (int64_t s = 0; s < samples; s++) {
            d.code[v][s] = !differs ? 2
                           : like < 0 || noise > 8 || random_below(10) < noise
                               ? (uint8_t)(random_below(common) == 0) + (uint8_t)(random_below(common) == 0)
                               : d.code[like][s] % 3;
            if (random_below(100) < missing)
                d.code[v][s] = 3;
        }
    }
    return d;
}

static void release(struct data *d)
{
    free(d->code);
    free(d->contig);
    free(d->position);
}

static int64_t differences(const struct data *d, const char *text, int64_t *kept)
{
    uint8_t row[SAMPLES / 4 + 1 + GT_KERNEL_PAD];
    struct gt_prune_opts o;
    struct gt_prune *p = NULL;
    struct gt_err err = {0};
    bool *gone = calloc((size_t)d->n, 1);
    int64_t wrong = 0, at = 0;
    *kept = 0;
    if (gt_prune_parse(&o, text, &err) || gt_prune_new(&p, &o, d->samples, NULL, &err))
        return -1;
    by_rule(d, &o, gone);
    for (int64_t v = 0; v <= d->n; v++) {
        memset(row, 0, sizeof row);
        for (int64_t s = 0; s < d->samples && v < d->n; s++)
            row[s / 4] |= (uint8_t)(d->code[v][s] << s % 4 * 2);
        if (v == d->n)
            gt_prune_end(p);
        else if (gt_prune_add(p, d->contig[v], d->position[v], row, &err))
            return -1;
        for (; at < gt_prune_decided(p); at++) {
            const bool keeps = gt_prune_keeps(p, at);
            *kept += keeps;
            wrong += keeps == gone[at];
        }
    }
    wrong += d->n - at;
    gt_prune_free(p);
    free(gone);
    return wrong;
}

static void test_rule(void)
{
    static const char *const windows[] = {"2,0.2",       "5,0.1",      "20,7,0.3",  "50,0.5", "50,50,0",
                                          "0.001kb,0.2", "0.02kb,0.1", "0.1kb,0.4", "1kb,0.2"};
    static const int64_t samples[] = {1, 2, 9, 64, 65, SAMPLES};
    for (size_t w = 0; w < sizeof windows / sizeof *windows; w++) {
        int64_t wrong = 0, kept = 0, n = 0, all = 0;
        for (size_t k = 0; k < sizeof samples / sizeof *samples; k++)
            for (int missing = 0; missing <= 10; missing += 10) {
                struct data d = make(samples[k], 300, missing);
                wrong += differences(&d, windows[w], &n);
                kept += n;
                all += d.n;
                release(&d);
            }
        ok(wrong == 0 && kept > all / 100 && kept < all, "%s: %lld of %lld variants are left, %lld differ", windows[w], (long long)kept,
           (long long)all, (long long)wrong);
    }
    struct data d = make(9, VARIANTS, 3);
    int64_t kept;
    const int64_t wrong = differences(&d, "8,0.2", &kept) + differences(&d, "0.03kb,0.2", &kept);
    ok(wrong == 0, "%d variants: %lld differ", VARIANTS, (long long)wrong);
    release(&d);
}

static void test_order(void)
{
    const uint8_t row[1 + GT_KERNEL_PAD] = {0x24}; /* 0 1 2 0 */
    struct gt_prune_opts o;
    struct gt_err err = {0};
    for (int bases = 0; bases < 2; bases++) {
        struct gt_prune *p = NULL;
        gt_prune_parse(&o, bases ? "1kb,0.5" : "50,0.5", &err);
        gt_prune_new(&p, &o, 4, NULL, &err);
        bool good =
            gt_prune_add(p, 0, 700, row, &err) == 0 && gt_prune_add(p, 0, 700, row, &err) == 0 && gt_prune_add(p, 1, 5, row, &err) == 0;
        good = good && gt_prune_add(p, 1, 4, row, &err) == (bases ? GT_INPUT : 0);
        ok(good, "positions that fall: %s", bases ? err.msg : "windows in variants do not look at them");
        gt_prune_free(p);
    }
}

static void test_parse(void)
{
    static const struct {
        const char *text;
        int64_t window, step; /* 0: an error */
        bool bases;
        double r2;
    } cases[] = {{"50,0.2", 50, 1, false, 0.2},
                 {"50,5,0.2", 50, 5, false, 0.2},
                 {"50,50,0.25", 50, 50, false, 0.25},
                 {"50,1,0.25", 50, 1, false, 0.25},
                 {"2,0", 2, 1, false, 0},
                 {"1000kb,0.1", 1000000, 1, true, 0.1},
                 {"1.5KB,0.1", 1500, 1, true, 0.1},
                 {"0.001kb,0.1", 1, 1, true, 0.1},
                 {"1Mb,0.1", 1000000, 1, true, 0.1},
                 {"0.25mb,0.1", 250000, 1, true, 0.1},
                 {"1Mb,5,0.1", 0, 0, true, 0},
                 {"1M,0.1", 0, 0, false, 0},
                 {"2147483648,0.1", 2147483648, 1, false, 0.1},
                 {"2147483649,0.1", 0, 0, false, 0},
                 {"1,0.2", 0, 0, false, 0},
                 {"0.0005kb,0.2", 0, 0, false, 0},
                 {"50.5,0.2", 0, 0, false, 0},
                 {"50,51,0.2", 0, 0, false, 0},
                 {"50,0,0.2", 0, 0, false, 0},
                 {"50,1.5,0.2", 0, 0, false, 0},
                 {"10kb,5,0.1", 0, 0, true, 0},
                 {"50,1", 0, 0, false, 0},
                 {"50,-0.1", 0, 0, false, 0},
                 {"50,nan", 0, 0, false, 0},
                 {"nan,0.1", 0, 0, false, 0},
                 {"50,", 0, 0, false, 0},
                 {"50,5,", 0, 0, false, 0},
                 {"50", 0, 0, false, 0},
                 {"50,0.2x", 0, 0, false, 0},
                 {"50k,0.2", 0, 0, false, 0},
                 {"", 0, 0, false, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct gt_prune_opts o;
        struct gt_err err = {0};
        const int status = gt_prune_parse(&o, cases[i].text, &err);
        const bool same =
            !status && o.window == cases[i].window && o.step == cases[i].step && o.bases == cases[i].bases && o.r2 == cases[i].r2;
        ok(cases[i].window ? same : status == GT_USAGE, "--ld-prune '%s'%s", cases[i].text, status ? " is refused" : "");
    }
}

int main(void)
{
    test_parse();
    test_order();
    test_rule();
    return done_testing();
}
