/* gt-pi: Monte Carlo estimate of 3.14159..., a benchmark and smoke test of the engine. */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "calc/pi/pi.h"
#include "cmd/common/cli.h"
#include "cmd/common/progress.h"
#include "cmd/common/report.h"
#include "cmd/device/device_choice.h"
#include "core/base/size.h"

enum { DEFAULT_POINTS = 1000000000, MAX_COUNTS = 64, MAX_RUNS = 1000 };

static struct gt_device device;
static int64_t points = -1, bytes = -1, chunks = -1, runs = 1;
static const char *threads_text;

/* --threads 1,2,4 */
static int counts[MAX_COUNTS], n_counts;

static const struct gt_opt options[] = {
    {0, "points", GT_OPT_COUNT, &points, "N", NULL, "number of points (default 1e9)"},
    {0, "bytes", GT_OPT_SIZE, &bytes, "SIZE", NULL, "as many points as fit in SIZE, at 16 bytes per point"},
    {0, "chunks", GT_OPT_COUNT, &chunks, "N", NULL, "number of chunks (default: by the number of points)"},
    {0, "runs", GT_OPT_COUNT, &runs, "N", NULL, "repeat N times and print median and range (default 1)"},
    {'@', "threads", GT_OPT_TEXT, &threads_text, "N[,N...]", NULL, "computing threads; a list prints scaling tables"},
    {0},
};

/* --- options ---------------------------------------------------------------- */

static int parse_threads(const char *text, struct gt_err *err)
{
    const char *item = text;
    for (n_counts = 0;; n_counts++) {
        char number[16];
        size_t n = strcspn(item, ",");
        int64_t value = 0;
        if (n_counts < MAX_COUNTS && n < sizeof number) {
            memcpy(number, item, n);
            number[n] = '\0';
            if (gt_parse_count(number, &value, NULL))
                value = 0;
        }
        if (value < 1 || value > GT_MAX_THREADS)
            return gt_fail(err, GT_USAGE, "--threads '%s': give a number from 1 to %d, or at most %d of them, separated by commas", text,
                           GT_MAX_THREADS, MAX_COUNTS);
        counts[n_counts] = (int)value;
        item += n;
        if (!*item++)
            break;
    }
    n_counts++;
    return GT_OK;
}

static int check(struct gt_cli *cli, struct gt_err *err)
{
    struct gt_pi_plan plan;
    int status;
    if (points >= 0 && bytes >= 0)
        return gt_fail(err, GT_USAGE, "give --points or --bytes, not both");
    if (bytes >= 0 && bytes < GT_PI_POINT_BYTES)
        return gt_fail(err, GT_USAGE, "--bytes %" PRId64 " is less than one point, which is %d bytes", bytes, GT_PI_POINT_BYTES);
    if (bytes >= 0)
        points = bytes / GT_PI_POINT_BYTES;
    if (points == 0)
        return gt_fail(err, GT_USAGE, "--points 0: must be at least 1");
    if (points < 0)
        points = DEFAULT_POINTS;
    if (chunks == 0)
        return gt_fail(err, GT_USAGE, "--chunks 0: must be at least 1");
    if (runs < 1 || runs > MAX_RUNS)
        return gt_fail(err, GT_USAGE, "--runs %" PRId64 ": give a number from 1 to %d", runs, MAX_RUNS);
    if (threads_text && (status = parse_threads(threads_text, err)) != GT_OK)
        return status;
    for (int i = 0; i < n_counts; i++) {
        int64_t most;
        if (n_counts > 1 && !gt_mul_i64(points, counts[i], &most))
            return gt_fail(err, GT_USAGE, "%" PRId64 " points on each of %d threads are too many", points, counts[i]);
        if (counts[i] > cli->threads)
            cli->threads = counts[i];
    }
    return gt_pi_plan(&plan, points, chunks < 0 ? 0 : chunks, err);
}

/* --- measuring ---------------------------------------------------------------- */

/* All runs of one number of threads and points. */
struct series {
    int threads;
    struct gt_pi_plan plan;
    struct gt_pi_result result[MAX_RUNS];
    double seconds[MAX_RUNS]; /* sorted by sort_series */
};

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void sort_series(struct series *s)
{
    for (int64_t r = 0; r < runs; r++)
        s->seconds[r] = s->result[r].seconds;
    qsort(s->seconds, (size_t)runs, sizeof *s->seconds, by_value);
}

static double median_seconds(const struct series *s)
{
    return (s->seconds[(runs - 1) / 2] + s->seconds[runs / 2]) / 2;
}

/* The runs of all series in turn, so that a slow moment of the machine meets each of them. */
static int measure(struct gt_cli *cli, struct series *series, int n, struct gt_err *err)
{
    int status;
    for (int64_t r = 0; r < runs; r++)
        for (int i = 0; i < n; i++) {
            struct series *s = &series[i];
            if ((status = gt_pi_run(&cli->engine, &device, &s->plan, (uint64_t)cli->seed, s->threads, &s->result[r], err)) != GT_OK)
                return status;
            if (s->result[r].inside != s->result[0].inside)
                return gt_fail(err, GT_FAIL,
                               "run %" PRId64 " counted %" PRId64 " points and run 1 %" PRId64 ": this machine computes wrong results",
                               r + 1, s->result[r].inside, s->result[0].inside);
        }
    for (int i = 0; i < n; i++)
        sort_series(&series[i]);
    return GT_OK;
}

/* --- printing ------------------------------------------------------------------- */

static void print_json(const struct gt_cli *cli, const struct series *s)
{
    for (int64_t r = 0; r < runs; r++) {
        const struct gt_pi_result *p = &s->result[r];
        printf("{\"points\": %" PRId64 ", \"inside\": %" PRId64 ", \"pi\": %.17g, \"error\": %.17g, \"stderr\": %.17g, \"seconds\": %.9g, "
               "\"points_per_second\": %.9g, \"threads\": %d, \"ranks\": %d, \"device\": \"%s\", \"seed\": %" PRId64 "}\n",
               p->points, p->inside, p->pi, p->error, p->stderr_, p->seconds, (double)p->points / p->seconds, s->threads,
               cli->engine.comm.size, device.ops ? device.label : "cpu", cli->seed);
    }
}

static void print_size(const struct gt_pi_plan *plan)
{
    char a[GT_NUM_LEN];
    printf("points       %s\n", gt_format_count(a, plan->points));
    if (plan->points <= INT64_MAX / GT_PI_POINT_BYTES)
        printf("bytes        %s", gt_format_count(a, plan->points * GT_PI_POINT_BYTES));
    else
        printf("bytes        %.4g", (double)plan->points * GT_PI_POINT_BYTES);
    printf(" (%d a point, none stored)\n", GT_PI_POINT_BYTES);
    printf("chunks       %s\n", gt_format_count(a, plan->chunks));
}

static void print_result(const struct gt_cli *cli, const struct series *s)
{
    const struct gt_pi_result *p = &s->result[0];
    double n = (double)p->points, seconds = median_seconds(s);
    char a[GT_NUM_LEN];
    print_size(&s->plan);
    printf("inside       %s\n", gt_format_count(a, p->inside));
    printf("pi           %.10f\n", p->pi);
    printf("error        %+.3e\n", p->error);
    printf("stderr       %.3e\n", p->stderr_);
    printf("z            %+.2f\n", p->z);
    printf("seconds      %.4g", seconds);
    if (runs > 1)
        printf(" (median of %" PRId64 " runs, %.4g to %.4g)", runs, s->seconds[0], s->seconds[runs - 1]);
    printf("\npoints/s     %.4g", n / seconds);
    if (runs > 1)
        printf(" (%.4g to %.4g)", n / s->seconds[runs - 1], n / s->seconds[0]);
    printf("\nthreads      %d\n", s->threads);
    printf("ranks        %d\n", cli->engine.comm.size);
    printf("device       %s\n", gt_device_text((char[GT_DEVICE_TEXT_LEN]){0}, &device, NULL));
    printf("seed         %" PRId64 "\n", cli->seed);
}

static double rate(const struct series *s)
{
    return (double)s->plan.points / median_seconds(s);
}

static void print_table(const char *title, const struct series *series, int n)
{
    char a[GT_NUM_LEN];
    printf("%s\n%8s %22s %12s %12s %26s %9s %11s\n", title, "threads", "points", "seconds", "points/s", "spread", "speedup", "efficiency");
    for (int i = 0; i < n; i++) {
        const struct series *s = &series[i];
        double speedup = rate(s) / rate(&series[0]), p = (double)s->plan.points;
        char spread[64];
        snprintf(spread, sizeof spread, "%.4g to %.4g", p / s->seconds[runs - 1], p / s->seconds[0]);
        printf("%8d %22s %12.4g %12.4g %26s %9.2f %9.1f %%\n", s->threads, gt_format_count(a, s->plan.points), median_seconds(s), rate(s),
               spread, speedup, 100 * speedup * series[0].threads / s->threads);
    }
}

static void print_plan(const struct gt_cli *cli, const struct gt_pi_plan *plan)
{
    char a[GT_NUM_LEN], b[GT_NUM_LEN];
    int64_t most = gt_ceil_div(plan->points, plan->chunks);
    print_size(plan);
    printf("chunk        %s points", gt_format_count(a, most));
    if (most <= INT64_MAX / GT_PI_POINT_BYTES)
        printf(", %s bytes (%s)", gt_format_count(a, most * GT_PI_POINT_BYTES), gt_format_size(b, most * GT_PI_POINT_BYTES));
    printf("\nmemory       %s\n", gt_format_memory((char[GT_MEMORY_LEN]){0}, &cli->engine));
    printf("runs         %" PRId64 "\n", runs);
    printf("threads      ");
    for (int i = 0; i < n_counts; i++)
        printf("%s%d", i ? ", " : "", counts[i]);
    const struct gt_device_work work = gt_pi_device_work(plan, cli->engine.limits.threads);
    printf("%s\ndevice       %s\nseed         %" PRId64 "\n", n_counts > 1 ? ", with strong and weak scaling" : "",
           gt_device_text((char[GT_DEVICE_TEXT_LEN]){0}, &device, &work), cli->seed);
}

/* --- the command ------------------------------------------------------------------ */

/* One table: the same points for every number of threads, or that many for each thread. */
static int scale(struct gt_cli *cli, struct series *series, bool weak, struct gt_err *err)
{
    char title[96], a[GT_NUM_LEN];
    int status = GT_OK;
    gt_progress_hold(false);
    for (int i = 0; i < n_counts && !status; i++) {
        int64_t times = weak ? counts[i] : 1, cut = 0;
        if (chunks > 0 && !gt_mul_i64(chunks, times, &cut))
            cut = INT64_MAX;
        series[i].threads = counts[i];
        status = gt_pi_plan(&series[i].plan, points * times, cut, err);
    }
    if (!status)
        status = measure(cli, series, n_counts, err);
    if (status)
        return status;
    snprintf(title, sizeof title, weak ? "weak scaling: %s points a thread" : "strong scaling: %s points in all",
             gt_format_count(a, points));
    gt_progress_hold(true);
    if (cli->json)
        for (int i = 0; i < n_counts; i++)
            print_json(cli, &series[i]);
    else
        print_table(title, series, n_counts);
    return GT_OK;
}

static int compute(struct gt_cli *cli, const struct gt_pi_plan *plan, struct gt_err *err)
{
    struct series *series = calloc((size_t)n_counts, sizeof *series);
    int status;
    if (!series)
        return gt_fail(err, GT_FAIL, "out of memory");
    if (n_counts > 1) {
        status = scale(cli, series, false, err);
        if (!status && !cli->json)
            putchar('\n');
        if (!status)
            status = scale(cli, series, true, err);
    } else {
        *series = (struct series){.threads = counts[0], .plan = *plan};
        status = measure(cli, series, 1, err);
        gt_progress_hold(true);
        if (!status && cli->json)
            print_json(cli, series);
        else if (!status)
            print_result(cli, series);
    }
    free(series);
    return status;
}

static int run(struct gt_cli *cli, struct gt_err *err)
{
    struct gt_pi_plan plan;
    int status = gt_pi_plan(&plan, points, chunks < 0 ? 0 : chunks, err);
    if (!n_counts)
        counts[n_counts++] = cli->engine.limits.threads;
    if (status)
        return status;
    gt_plan_record_step(cli->engine.plan, &(struct gt_plan_step){.flow = "pi", .work = "count", .tasks = plan.chunks, .passes = runs});
    const struct gt_device_work work = gt_pi_device_work(&plan, cli->engine.limits.threads);
    status = gt_device_choose(cli, &work, n_counts > 1 ? "a list of --threads" : NULL, &device, err);
    if (!status && cli->dry_run)
        print_plan(cli, &plan);
    else if (!status)
        status = compute(cli, &plan, err);
    gt_device_close(&device);
    return status;
}

static const struct gt_cmd command = {
    .name = "gt-pi",
    .summary = "Monte Carlo estimate of 3.14159..., a benchmark",
    .synopsis = "[--points N | --bytes SIZE] [--chunks N] [--seed N] [--runs N]",
    .examples = "  gt-pi --bytes 100GB --chunks 40\n"
                "  gt-pi --threads 1,2,4 --runs 5\n"
                "  gt-pi --bytes 10kB --chunks 4 --graph pi.svg --dry-run\n",
    .options = options,
    .shared = GT_SHARED_RESOURCES | GT_SHARED_DEVICE | GT_SHARED_WATCH | GT_SHARED_SEED,
    .ranks = true,
    .check = check,
    .run = run,
};

int main(int argc, char **argv)
{
    return gt_cli_main(argc, argv, &command);
}
