/* The bare loop that gt-pi is compared with: each thread counts one run of
 * points by the kernel and nothing else.
 *
 *     test/calc/pi/bench_pi POINTS THREADS [LEVEL]      prints points/s and the count */
#include "config.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "kernels/kernels.h"

struct part {
    pthread_t thread;
    uint64_t first;
    int64_t n, inside;
};

static void *count(void *arg)
{
    struct part *part = arg;
    part->inside = gt_kernels()->pi_count(0, part->first, part->n);
    return NULL;
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

int main(int argc, char **argv)
{
    int64_t points = argc > 1 ? (int64_t)atof(argv[1]) : 1000000000, threads = argc > 2 ? atoi(argv[2]) : 1, inside = 0;
    if (points < 1 || threads < 1 || threads > 1000 || gt_kernels_select(argc > 3 ? argv[3] : NULL))
        return 2;
    struct part *parts = calloc((size_t)threads, sizeof *parts);
    if (!parts)
        return 1;
    double begin = now();
    for (int64_t i = 0; i < threads; i++) {
        parts[i].first = (uint64_t)(points / threads * i);
        parts[i].n = i + 1 < threads ? points / threads : points - points / threads * i;
        if (pthread_create(&parts[i].thread, NULL, count, &parts[i]))
            return 1;
    }
    for (int64_t i = 0; i < threads; i++) {
        pthread_join(parts[i].thread, NULL);
        inside += parts[i].inside;
    }
    printf("%.4g points/s, %" PRId64 " inside, %s\n", (double)points / (now() - begin), inside, gt_kernels()->name);
    free(parts);
    return 0;
}
