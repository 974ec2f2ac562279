/* bench_device DEVICE [SAMPLES [VARIANTS]]: what the operations of a device reach, one line each, beside the nominal rate where that is
 * known.  Each is queued several times on one stream, after one that does not count, and timed until the stream is done. */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/device/device_open.h"
#include "kernels/device/list.h"
#include "test/support/clock.h"

static struct gt_device device;
static struct gt_stream *stream;

static void check(int code, const char *what)
{
    struct gt_err err = {0};
    if (gt_device_status(&device, code, what, &err)) {
        fprintf(stderr, "bench_device: %s\n", err.msg);
        exit(1);
    }
}

static void *get(size_t bytes)
{
    void *at;
    check(device.ops->alloc(device.impl, bytes, &at), "memory");
    check(device.ops->zero(stream, at, bytes), "zero");
    return at;
}

/* One operation; what it works on. */
struct bench {
    int64_t m, k;
    void *a, *b, *c, *pinned;
    size_t bytes;
};

static int run_igemm(const struct bench *b)
{
    return device.ops->igemm(stream, b->m, b->m, b->k, b->a, b->k, b->a, b->k, b->c, b->m, 1);
}

static int run_f32(const struct bench *b)
{
    return device.ops->fgemm(stream, GT_DEVICE_F32, 0, 1, b->m, b->m, b->k, 1, b->a, b->k, b->a, b->k, 0, b->c, b->m);
}

static int run_f64(const struct bench *b)
{
    return device.ops->fgemm(stream, GT_DEVICE_F64, 0, 1, b->m, b->m, b->k, 1, b->a, b->k, b->a, b->k, 0, b->c, b->m);
}

static int run_up(const struct bench *b)
{
    return device.ops->copy_to(stream, b->a, b->pinned, b->bytes);
}

static int run_down(const struct bench *b)
{
    return device.ops->copy_from(stream, b->pinned, b->a, b->bytes);
}

static int run_zero(const struct bench *b)
{
    return device.ops->zero(stream, b->a, b->bytes);
}

/* 4096 points for each index, as gt-pi has them. */
static int run_pi(const struct bench *b)
{
    const struct gt_device_pi_count_args args = {1, 0, (uint64_t)b->k * 4096, 4096, b->a};
    return device.ops->launch(stream, "pi_count", b->k, &args, sizeof args);
}

static void measure(const char *name, const char *unit, int (*run)(const struct bench *), const struct bench *b, double work,
                    double nominal)
{
    enum { TIMES = 5 };
    check(run(b), name);
    check(device.ops->stream_wait(stream), name);
    const double start = now();
    for (int i = 0; i < TIMES; i++)
        check(run(b), name);
    check(device.ops->stream_wait(stream), name);
    const double rate = TIMES * work / (now() - start);
    printf("%-26s %10.3g %s", name, rate, unit);
    if (nominal > 0)
        printf("  (%.0f %% of %.3g)", 100 * rate / nominal, nominal);
    putchar('\n');
}

static void measure_dense(int64_t n)
{
    double *identity = calloc((size_t)(n * n), sizeof *identity);
    void *a = get((size_t)(n * n) * 8), *b = get((size_t)(n * n) * 8);
    for (int64_t i = 0; identity && i < n; i++)
        for (int64_t j = 0; j < n; j++)
            identity[i * n + j] = 1.0 / (double)(1 + llabs(i - j));
    for (int kind = 0; identity && kind < 2; kind++) {
        check(device.ops->copy_to(stream, a, identity, (size_t)(n * n) * 8), "copy");
        check(device.ops->stream_wait(stream), "copy");
        const double start = now();
        check(kind ? device.ops->qr(stream, n, n, a, n, b, n) : device.ops->syev(stream, n, a, n, b), kind ? "qr" : "syev");
        printf("%-26s %10.3g s, n = %lld\n", kind ? "QR" : "symmetric eigenproblem", now() - start, (long long)n);
    }
    free(identity);
    device.ops->free(device.impl, a);
    device.ops->free(device.impl, b);
}

int main(int argc, char **argv)
{
    struct gt_err err = {0};
    const int64_t samples = argc > 2 ? atoll(argv[2]) / 16 * 16 : 20000, variants = argc > 3 ? atoll(argv[3]) / 16 * 16 : 16384;
    if (argc < 2 || gt_device_open(&device, argv[1], 0, &err)) {
        fprintf(stderr, "bench_device: %s\n", argc < 2 ? "bench_device DEVICE [SAMPLES [VARIANTS]]" : err.msg);
        return argc < 2 ? 2 : 1;
    }
    check(device.ops->stream_new(device.impl, &stream), "stream");
    const size_t bytes = (size_t)(samples * variants) * 8;
    struct bench b = {.m = samples, .k = variants, .a = get(bytes), .c = get((size_t)(samples * samples) * 8), .bytes = bytes / 8};
    check(device.ops->host_alloc(device.impl, b.bytes, &b.pinned), "pinned memory");
    memset(b.pinned, 1, b.bytes);
    printf("%s: %s, %s; %lld x %lld\n", argv[1], device.info.name, device.info.version, (long long)samples, (long long)variants);

    const double macs = (double)samples * (double)samples * (double)variants;
    measure("int8 product", "pair-sites/s", run_igemm, &b, macs, device.info.int8_rate);
    measure("float32 product", "multiply-adds/s", run_f32, &b, macs, device.info.f32_rate);
    measure("float64 product", "multiply-adds/s", run_f64, &b, macs, device.info.f64_rate);
    measure("copy to the device", "bytes/s", run_up, &b, (double)b.bytes, device.info.bus_rate);
    measure("copy from the device", "bytes/s", run_down, &b, (double)b.bytes, device.info.bus_rate);
    measure("clear", "bytes/s", run_zero, &b, (double)b.bytes, device.info.memory_rate);
    measure("pi_count", "points/s", run_pi, &b, (double)variants * 4096, 0);
    measure_dense(samples < 2000 ? samples : 2000);
    device.ops->host_free(device.impl, b.pinned);
    device.ops->free(device.impl, b.a);
    device.ops->free(device.impl, b.c);
    device.ops->stream_free(stream);
    gt_device_close(&device);
    return 0;
}
