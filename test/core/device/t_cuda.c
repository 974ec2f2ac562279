/* The CUDA module against the mock of CUDA's libraries (test/support/cuda_mock): the bytes of the host device, waiting and order as the
 * seam wants them, no leaks, and clean failures of every call.  The program starts itself anew with the mock as LD_LIBRARY_PATH.
 * GT_TEST_GPU=1: with the libraries of CUDA on a GPU instead, what does not need the mock; see scripts/test --gpu. */
#include "config.h"

#include <dlfcn.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "core/base/module.h"
#include "core/device/device_open.h"
#include "kernels/device/list.h"
#include "test/support/level.h"
#include "test/support/random.h"
#include "test/support/tap.h"

/* Functions of the mock. */
static int (*mock_n_faults)(void);
static int (*mock_n_live)(void);
static int64_t (*mock_n_failing_calls)(void);

static bool find_mock(void)
{
    mock_n_faults = (int (*)(void))dlsym(RTLD_DEFAULT, "mock_n_faults");
    mock_n_live = (int (*)(void))dlsym(RTLD_DEFAULT, "mock_n_live");
    mock_n_failing_calls = (int64_t(*)(void))dlsym(RTLD_DEFAULT, "mock_n_failing_calls");
    return mock_n_faults && mock_n_live && mock_n_failing_calls;
}

/* --- a device with what a trial needs --------------------------------------------------------------- */

enum { STREAMS = 3, BUFFERS = 6, BUFFER_BYTES = 1 << 14 };

struct world {
    struct gt_device device;
    struct gt_err err; /* of opening */
    const struct gt_device_ops *ops;
    struct gt_stream *streams[STREAMS];
    struct gt_event *event;
    char *buffers[BUFFERS]; /* of the device */
    char *pinned[2];
    char *pageable; /* what copies read has to stay as it is: each takes the next bytes */
    size_t used;
    struct log { /* of all streams, where one is wanted */
        int64_t last[STREAMS];
        int n[STREAMS], ended;
        bool bad; /* times are out of order */
        char kinds[2000];
    } log;
};

enum { PAGEABLE_BYTES = 1 << 20 };

static bool logged; /* worlds have a log */

struct log_to {
    struct log *log;
    int stream;
};
static struct log_to log_to[STREAMS];

static void note(void *to, const char *kind, int64_t bytes, int64_t start, int64_t end)
{
    const struct log_to *at = to;
    struct log *log = at->log;
    const size_t used = strlen(log->kinds);
    log->ended += !kind;
    if (!kind)
        return;
    log->n[at->stream]++;
    log->bad |= start < log->last[at->stream] || end < start || bytes < 0;
    log->last[at->stream] = end;
    snprintf(log->kinds + used, sizeof log->kinds - used, "%d:%s, ", at->stream, kind);
}

static int world_open(struct world *w, const char *name)
{
    int code = 0;
    memset(w, 0, sizeof *w);
    w->pageable = malloc(PAGEABLE_BYTES);
    if (gt_device_open(&w->device, name, 0, &w->err))
        return GT_DEVICE_FAILED;
    w->ops = w->device.ops;
    for (int i = 0; i < STREAMS && !code; i++)
        code = w->ops->stream_new(w->device.impl, &w->streams[i]);
    for (int i = 0; i < STREAMS && !code && logged; i++) {
        log_to[i] = (struct log_to){&w->log, i};
        code = w->ops->stream_log(w->streams[i], note, &log_to[i]);
    }
    code = code ? code : w->ops->event_new(w->device.impl, &w->event);
    for (int i = 0; i < BUFFERS && !code; i++)
        code = w->ops->alloc(w->device.impl, BUFFER_BYTES, (void **)&w->buffers[i]);
    for (int i = 0; i < 2 && !code; i++)
        code = w->ops->host_alloc(w->device.impl, BUFFER_BYTES, (void **)&w->pinned[i]);
    return code;
}

static void world_close(struct world *w)
{
    if (w->ops) {
        for (int i = 0; i < 2; i++)
            w->ops->host_free(w->device.impl, w->pinned[i]);
        for (int i = 0; i < BUFFERS; i++)
            w->ops->free(w->device.impl, w->buffers[i]);
        w->ops->event_free(w->event);
        for (int i = 0; i < STREAMS; i++)
            w->ops->stream_free(w->streams[i]);
    }
    gt_device_close(&w->device);
    free(w->pageable);
}

/* --- random programs: operations on random streams, each after the one before --------------------------------- */

static int random_product(struct world *w, struct gt_stream *stream, char *const *at)
{
    const int64_t m = 16 * random_below(3), n = 16 * random_below(3), k = 16 * random_below(5);
    const int64_t lda = k + 16, ldb = k + 32, ldc = n + 16 * random_below(2) + 16;
    return w->ops->igemm(stream, m, n, k, (int8_t *)at[0] + 16 * random_below(4), lda, (int8_t *)at[1], ldb,
                         (int32_t *)at[2] + 16 * random_below(4), ldc, random_below(2) != 0);
}

/* 200 numbers from -1 to 1 into a buffer, as float32 or float64. */
static int put_numbers(struct world *w, struct gt_stream *stream, char *at, bool single)
{
    float *x = (float *)(w->pageable + w->used);
    double *y = (double *)(w->pageable + w->used);
    w->used += 200 * sizeof *y;
    for (int i = 0; i < 200; i++) {
        const double number = (double)random_below(2001) / 1000 - 1;
        if (single)
            x[i] = (float)number;
        else
            y[i] = number;
    }
    return w->ops->copy_to(stream, at, single ? (void *)x : y, 200 * (single ? sizeof *x : sizeof *y));
}

static int random_float_product(struct world *w, struct gt_stream *stream, char *const *at)
{
    const bool single = random_below(2) != 0;
    const int ta = (int)random_below(2), tb = (int)random_below(2);
    const int64_t m = random_below(9), n = random_below(9), k = random_below(9), ld = 10 + random_below(3);
    const double beta = k ? (double)random_below(3) : (double)random_below(2);
    int code = 0;
    for (int i = 0; i < 3 && !code; i++)
        code = put_numbers(w, stream, at[i], single);
    return code
               ? code
               : w->ops->fgemm(stream, single ? GT_DEVICE_F32 : GT_DEVICE_F64, ta, tb, m, n, k, 0.5, at[0], ld, at[1], ld, beta, at[2], ld);
}

static int random_launch(struct world *w, struct gt_stream *stream, char *const *at)
{
    const uint64_t first = random_u64() >> 20;
    const int64_t n = random_below(3000);
    if (random_below(2)) {
        const struct gt_device_pi_count_args args = {random_u64(), first, first + (uint64_t)n * 7, 7, (uint32_t *)at[0]};
        return w->ops->launch(stream, "pi_count", n, &args, sizeof args);
    }
    const int64_t order = 1 + random_below(40);
    const struct gt_device_upper_triangle_args args = {order, order, order, (const double *)at[0], (double *)at[1]};
    return w->ops->launch(stream, "upper_triangle", order * order, &args, sizeof args);
}

static void put_bytes(char *at, size_t n)
{
    for (size_t i = 0; i < n; i++)
        at[i] = (char)random_u64();
}

static int random_copy(struct world *w, struct gt_stream *stream, char *const *at)
{
    const size_t bytes = (size_t)random_below(BUFFER_BYTES - 2000), to = (size_t)random_below(1000);
    char *from = w->pageable + w->used;
    int code;
    switch (random_below(3)) {
    case 0:
        return w->ops->zero(stream, at[0] + to, bytes);
    case 1:
        put_bytes(from, bytes);
        w->used += (bytes + 15) / 16 * 16;
        return w->ops->copy_to(stream, at[0] + to, from, bytes);
    default: /* pinned memory, which the next one changes */
        put_bytes(w->pinned[1], bytes);
        code = w->ops->copy_to(stream, at[0] + to, w->pinned[1], bytes);
        code = code ? code : w->ops->event_record(w->event, stream);
        return code ? code : w->ops->event_wait(w->event);
    }
}

/* Only the mock adds products of floats in the order of the host device. */
static int random_program(struct world *w, int length, bool floats)
{
    static int (*const operations[])(struct world *, struct gt_stream *, char *const *) = {random_product, random_launch, random_copy,
                                                                                           random_float_product};
    int code = 0;
    for (int i = 0; i < BUFFERS && !code; i++)
        code = w->ops->zero(w->streams[0], w->buffers[i], BUFFER_BYTES);
    for (int step = 0, last = 0; step < length && !code; step++) {
        const int s = (int)random_below(STREAMS), first = (int)random_below(BUFFERS);
        char *at[3];
        for (int i = 0; i < 3; i++)
            at[i] = w->buffers[(first + i) % BUFFERS];
        if (s != last)
            code = w->ops->event_record(w->event, w->streams[last]);
        if (s != last && !code)
            code = w->ops->stream_after(w->streams[s], w->event);
        code = code ? code : operations[random_below(floats ? 4 : 3)](w, w->streams[s], at);
        last = s;
        if (step == length - 1)
            for (int i = 0; i < STREAMS && !code; i++)
                code = w->ops->stream_wait(w->streams[i]);
    }
    return code;
}

/* What the buffers hold after a program. */
static bool run_program(const char *device, uint64_t seed, bool floats, char *result)
{
    struct world w;
    random_state = seed * 0x9E3779B97F4A7C15u;
    int code = world_open(&w, device);
    code = code ? code : random_program(&w, 30, floats);
    for (int i = 0; i < BUFFERS && !code; i++) {
        code = w.ops->copy_from(w.streams[0], w.pinned[0], w.buffers[i], BUFFER_BYTES);
        code = code ? code : w.ops->stream_wait(w.streams[0]);
        if (!code)
            memcpy(result + (size_t)i * BUFFER_BYTES, w.pinned[0], BUFFER_BYTES);
    }
    if (code) {
        char text[256] = "";
        if (w.ops)
            w.ops->last_error(text, sizeof text);
        diag("%s: code %d: %s", device, code, text);
    }
    world_close(&w);
    return !code && !w.log.bad;
}

static void test_programs(bool floats)
{
    static char host[BUFFERS * BUFFER_BYTES], cuda[BUFFERS * BUFFER_BYTES];
    const int trials = (int)by_level(40, 400, 4000);
    int good = 0;
    for (int t = 0; t < trials; t++) {
        const uint64_t seed = 1000 + (uint64_t)t;
        char order[20];
        snprintf(order, sizeof order, "%d", t % 4 ? t : 0);
        setenv("GT_MOCK_ORDER", order, 1);
        memset(cuda, 1, sizeof cuda);
        logged = t % 2;
        good += run_program("host", seed, floats, host) && run_program("cuda", seed, floats, cuda) && memcmp(host, cuda, sizeof host) == 0;
    }
    logged = false;
    ok(good == trials, "random programs on three streams: the bytes of the host device, %d of %d", good, trials);
}

/* --- eigenproblem and QR: as the host device within the bounds of the problem --------------------------------- */

enum { N = 24, M = 40, LD = 44 };

static int upload(struct world *w, char *to, const void *from, size_t bytes)
{
    memcpy(w->pinned[0], from, bytes);
    int code = w->ops->copy_to(w->streams[0], to, w->pinned[0], bytes);
    return code ? code : w->ops->stream_wait(w->streams[0]);
}

static int download(struct world *w, void *to, const char *from, size_t bytes)
{
    int code = w->ops->copy_from(w->streams[0], w->pinned[0], from, bytes);
    code = code ? code : w->ops->stream_wait(w->streams[0]);
    memcpy(to, w->pinned[0], bytes);
    return code;
}

/* The largest |x_v . y_w - (v == w ? diagonal[v] : 0)| over rows of n numbers. */
static double off_diagonal(const double *x, const double *y, int rows, int n, const double *diagonal)
{
    double worst = 0;
    for (int v = 0; v < rows; v++)
        for (int w = 0; w < rows; w++) {
            double sum = v == w ? -(diagonal ? diagonal[v] : 1) : 0;
            for (int i = 0; i < n; i++)
                sum += x[v * LD + i] * y[w * LD + i];
            worst = fmax(worst, fabs(sum));
        }
    return worst;
}

static void test_syev(struct world *w)
{
    static double s[N * LD], a[N * LD], product[N * LD], values[N];
    for (int i = 0; i < N; i++)
        for (int j = 0; j <= i; j++)
            s[i * LD + j] = s[j * LD + i] = (double)random_below(2001) / 1000 - 1;
    bool good = !upload(w, w->buffers[0], s, sizeof s) &&
                !w->ops->syev(w->streams[1], N, (double *)w->buffers[0], LD, (double *)w->buffers[1]) &&
                !download(w, a, w->buffers[0], sizeof a) && !download(w, values, w->buffers[1], sizeof values);
    for (int v = 0; v < N; v++)
        for (int i = 0; i < N; i++) {
            product[v * LD + i] = 0;
            for (int t = 0; t < N; t++)
                product[v * LD + i] += s[i * LD + t] * a[v * LD + t];
        }
    for (int v = 1; v < N; v++)
        good &= values[v - 1] <= values[v];
    ok(good && off_diagonal(a, a, N, N, NULL) < 1e-13 && off_diagonal(product, a, N, N, values) < 1e-12,
       "syev: S v = w v, rows orthonormal, ascending");
}

static void test_qr(struct world *w)
{
    static double x[N * LD], q[N * LD], r[N * LD];
    double wrong = 0;
    for (int i = 0; i < N * LD; i++)
        x[i] = (double)random_below(2001) / 1000 - 1;
    memcpy(x + 5 * LD, x + 2 * LD, LD * sizeof *x); /* a dependent column */
    bool good = !upload(w, w->buffers[0], x, sizeof x) &&
                !w->ops->qr(w->streams[2], M, N, (double *)w->buffers[0], LD, (double *)w->buffers[1], LD) &&
                !download(w, q, w->buffers[0], sizeof q) && !download(w, r, w->buffers[1], sizeof r);
    for (int v = 0; v < N; v++)
        for (int i = 0; i < M; i++) {
            double sum = -x[v * LD + i];
            for (int t = 0; t < N; t++)
                sum += q[t * LD + i] * r[t * LD + v];
            wrong = fmax(wrong, fabs(sum));
            good &= i >= N || i <= v || r[i * LD + v] == 0;
        }
    ok(good && wrong < 1e-13 && off_diagonal(q, q, N, M, NULL) < 1e-13, "qr: Q R is the matrix, Q orthonormal, R upper triangular");
}

/* The largest |c - a b| / (k eps |a| |b|) of random shapes, by long double; 1 is the bound of any order of the sums. */
static double product_error(struct world *w, bool single)
{
    static float x[3][400];
    static double y[3][400];
    double worst = 0;
    for (int trial = 0; trial < 20; trial++) {
        const int ta = (int)random_below(2), tb = (int)random_below(2), ld = 20;
        const int64_t m = 1 + random_below(20), n = 1 + random_below(20), k = 1 + random_below(20);
        for (int i = 0; i < 400; i++)
            for (int of = 0; of < 2; of++)
                y[of][i] = x[of][i] = (float)(random_below(2001) / 1000.0 - 1);
        const size_t bytes = single ? sizeof x[0] : sizeof y[0];
        if (upload(w, w->buffers[0], single ? (void *)x[0] : y[0], bytes) ||
            upload(w, w->buffers[1], single ? (void *)x[1] : y[1], bytes) ||
            w->ops->fgemm(w->streams[0], single ? GT_DEVICE_F32 : GT_DEVICE_F64, ta, tb, m, n, k, 1, w->buffers[0], ld, w->buffers[1], ld,
                          0, w->buffers[2], ld) ||
            download(w, single ? (void *)x[2] : y[2], w->buffers[2], bytes))
            return INFINITY;
        for (int64_t i = 0; i < m; i++)
            for (int64_t j = 0; j < n; j++) {
                long double sum = 0, size = 0;
                for (int64_t t = 0; t < k; t++) {
                    const long double term = (long double)y[0][ta ? t * ld + i : i * ld + t] * y[1][tb ? j * ld + t : t * ld + j];
                    sum += term;
                    size += fabsl(term);
                }
                const double c = single ? (double)x[2][i * ld + j] : y[2][i * ld + j];
                worst = fmax(worst, (double)(fabsl(c - sum) / (k * (single ? 0x1p-23L : 0x1p-52L) * size + 1e-300L)));
            }
    }
    return worst;
}

static void test_dense(void)
{
    struct world w;
    if (ok(!world_open(&w, "cuda"), "a device of the module")) {
        const double f32 = product_error(&w, true), f64 = product_error(&w, false);
        ok(f32 <= 1 && f64 <= 1, "products of floats: errors of %.2f and %.2f of the a-priori bound", f32, f64);
        test_syev(&w);
        test_qr(&w);
    }
    world_close(&w);
}

/* --- failures --------------------------------------------------------------------------------------------- */

/* Each operation once. */
static int all_operations(struct world *w)
{
    const struct gt_device_pi_count_args args = {1, 0, 100, 10, (uint32_t *)w->buffers[0]};
    const double unit[4] = {1, 0, 0, 1};
    int code = w->ops->zero(w->streams[0], w->buffers[0], BUFFER_BYTES);
    code = code ? code : w->ops->launch(w->streams[0], "pi_count", 10, &args, sizeof args);
    code = code ? code : w->ops->event_record(w->event, w->streams[0]);
    code = code ? code : w->ops->stream_after(w->streams[1], w->event);
    code = code ? code
                : w->ops->igemm(w->streams[1], 16, 16, 16, (int8_t *)w->buffers[0], 16, (int8_t *)w->buffers[0], 16,
                                (int32_t *)w->buffers[1], 16, 0);
    code = code ? code : w->ops->igemm(w->streams[1], 16, 16, 0, NULL, 16, NULL, 16, (int32_t *)w->buffers[1], 16, 0);
    code = code ? code : w->ops->event_wait(w->event);
    code = code ? code : upload(w, w->buffers[2], unit, sizeof unit);
    code = code ? code : w->ops->syev(w->streams[1], 2, (double *)w->buffers[2], 2, (double *)w->buffers[3]);
    code = code ? code : w->ops->qr(w->streams[1], 2, 2, (double *)w->buffers[2], 2, (double *)w->buffers[3], 2);
    for (int i = 1; i < STREAMS && !code; i++)
        code = w->ops->stream_wait(w->streams[i]);
    double back[4];
    return code ? code : download(w, back, w->buffers[2], sizeof back);
}

/* --- the log of streams -------------------------------------------------------------------------------------- */

static int64_t now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * INT64_C(1000000000) + time.tv_nsec;
}

enum { MANY = 2500 }; /* more than the module keeps before it waits */

/* Each operation once, then many without a wait, and one of another stream that no wait is for. */
static bool make_log(const char *device, struct log *log)
{
    struct world w;
    const int64_t before = now();
    int code = world_open(&w, device);
    code = code ? code : all_operations(&w);
    code = code ? code : w.ops->stream_wait(w.streams[1]);
    for (int i = 0; i < MANY && !code; i++)
        code = w.ops->zero(w.streams[2], w.buffers[4], 64);
    code = code ? code : w.ops->stream_wait(w.streams[2]);
    const bool all = w.log.n[2] == MANY;
    code = code ? code : w.ops->zero(w.streams[1], w.buffers[5], 64);
    code = code ? code : w.ops->zero(w.streams[1], w.buffers[5], 0); /* nothing to do */
    world_close(&w);
    *log = w.log;
    bool good = !code && all && !log->bad && log->ended == STREAMS;
    for (int i = 0; i < STREAMS; i++)
        good &= log->last[i] > before && log->last[i] < now() + 1000000;
    if (!good)
        diag("%s: code %d, %d of stream 2, %d ended, bad %d: %.300s", device, code, log->n[2], log->ended, log->bad, log->kinds);
    return good;
}

static void test_log(void)
{
    static struct log host, cuda;
    const bool was = logged;
    logged = true;
    unsetenv("GT_MOCK_ORDER");
    ok(make_log("host", &host) && make_log("cuda", &cuda), "the log of streams: every operation, in order, and its end");
    for (int i = 0; i < STREAMS; i++)
        ok(host.n[i] == cuda.n[i], "stream %d: as many as of the host device, %d", i, cuda.n[i]);
    const char *const kinds[] = {
        "0:clear, ", "0:pi_count, ", "0:copy to device, ", "0:copy from device, ", "1:int8 product, 1:clear, ", "1:eigenvectors, 1:QR, "};
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
        ok(strstr(host.kinds, kinds[k]) && strstr(cuda.kinds, kinds[k]), "%s", kinds[k]);
    logged = was;
}

/* What may fail unnoticed in a description, or when things are freed. */
static bool may_fail(const char *function)
{
    static const char *const names[] = {"cudaDeviceGetPCIBusId", "cudaDeviceSynchronize", "cudaSetDevice", "cudaStreamSynchronize"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcmp(names[i], function))
            return true;
    return false;
}

/* Fails call n of a function; *called: there was such a call.  A failure has a message of one line. */
static bool fails_cleanly(const char *function, int n, bool *called)
{
    char fault[100], text[256] = "";
    struct world w;
    const int faults = mock_n_faults();
    snprintf(fault, sizeof fault, "%s:%d", function, n);
    setenv("GT_MOCK_FAIL", fault, 1);
    int code = world_open(&w, "cuda");
    code = code ? code : all_operations(&w);
    if (w.ops)
        w.ops->last_error(text, sizeof text);
    world_close(&w);
    *called = mock_n_failing_calls() >= n;
    const char *message = *w.err.msg ? w.err.msg : text;
    bool good = mock_n_live() == 0 && mock_n_faults() == faults && (!*called || code || may_fail(function)) &&
                (!code || (*message && !strchr(message, '\n')));
    if (!good)
        diag("%s: code %d, %d live, %d faults, message '%s'", fault, code, mock_n_live(), mock_n_faults() - faults, message);
    return good;
}

static void each_fails(const char *function)
{
    bool good = true, called = true;
    int n = 0;
    while (good && called)
        good = fails_cleanly(function, ++n, &called);
    ok(good && n > 1, "%s: a failure of each of %d calls ends cleanly%s", function, n - 1, logged ? ", with a log" : "");
}

static void test_failures(void)
{
    static const char *const of_log[] = {"cudaEventCreateWithFlags", "cudaEventElapsedTime", "cudaEventQuery", "cudaEventRecord",
                                         "cudaEventSynchronize",     "cudaLaunchKernel",     "cublasLtMatmul", "cusolverDnDorgqr"};
    static const char *const functions[] = {"cublasLtCreate",
                                            "cublasLtMatmul",
                                            "cublasLtMatmulAlgoGetHeuristic",
                                            "cublasLtMatmulDescCreate",
                                            "cublasLtMatmulDescSetAttribute",
                                            "cublasLtMatmulPreferenceCreate",
                                            "cublasLtMatmulPreferenceSetAttribute",
                                            "cublasLtMatrixLayoutCreate",
                                            "cudaDeviceGetAttribute",
                                            "cudaDeviceGetPCIBusId",
                                            "cudaDeviceSynchronize",
                                            "cudaDriverGetVersion",
                                            "cudaEventCreateWithFlags",
                                            "cudaEventRecord",
                                            "cudaEventSynchronize",
                                            "cudaGetDeviceCount",
                                            "cudaGetDeviceProperties",
                                            "cudaLaunchKernel",
                                            "cudaMalloc",
                                            "cudaMallocHost",
                                            "cudaMemGetInfo",
                                            "cudaMemcpy",
                                            "cudaMemcpyAsync",
                                            "cudaMemset2DAsync",
                                            "cudaMemsetAsync",
                                            "cudaRuntimeGetVersion",
                                            "cudaSetDevice",
                                            "cudaStreamCreateWithFlags",
                                            "cudaStreamSynchronize",
                                            "cudaStreamWaitEvent",
                                            "cusolverDnCreate",
                                            "cusolverDnCreateParams",
                                            "cusolverDnDgeqrf",
                                            "cusolverDnDgeqrf_bufferSize",
                                            "cusolverDnDorgqr",
                                            "cusolverDnDorgqr_bufferSize",
                                            "cusolverDnSetStream",
                                            "cusolverDnXsyevd",
                                            "cusolverDnXsyevd_bufferSize"};
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        each_fails(functions[i]);
    logged = true;
    for (size_t i = 0; i < sizeof of_log / sizeof *of_log; i++)
        each_fails(of_log[i]);
    logged = false;
    unsetenv("GT_MOCK_FAIL");
}

/* --- the program alone ------------------------------------------------------------------------------------- */

/* Failures that come to light when somebody waits lose the device for the process, so each is a process of its own. */
static const char *const late[] = {"cublasLtMatmul:1:late",   "cudaEventRecord:1:late",  "cudaLaunchKernel:1:late",
                                   "cudaMemcpyAsync:1:late",  "cudaMemcpyAsync:2:late",  "cudaMemset2DAsync:1:late",
                                   "cudaMemsetAsync:1:late",  "cusolverDnDgeqrf:1:late", "cudaStreamWaitEvent:1:late",
                                   "cusolverDnDorgqr:1:late", "cusolverDnXsyevd:1:late"};

static int be_late(const char *fault)
{
    struct world w;
    char text[256] = "";
    setenv("GT_MOCK_FAIL", fault, 1);
    int code = world_open(&w, "cuda");
    code = code ? code : all_operations(&w);
    if (w.ops)
        w.ops->last_error(text, sizeof text);
    world_close(&w);
    return code == GT_DEVICE_FAILED && strstr(text, "unspecified launch failure") && find_mock() && !mock_n_live() && !mock_n_faults() ? 0
                                                                                                                                       : 1;
}

static void with_mock(const char *self)
{
    char command[9000];
    snprintf(command, sizeof command, "env -u LD_LIBRARY_PATH ASAN_OPTIONS=detect_leaks=0 '%s' driver", self);
    if (access("/dev/nvidiactl", F_OK) == 0)
        skip("there is a driver");
    else
        ok(system(command) == 0, "the libraries of CUDA themselves, without a driver: no CUDA driver");
    for (size_t i = 0; i < sizeof late / sizeof *late; i++) {
        for (int with_log = 0; with_log < 2; with_log++) {
            snprintf(command, sizeof command, "'%s' %s %s", self, with_log ? "logged" : "late", late[i]);
            ok(system(command) == 0, "%s is reported, and nothing is left behind%s", late[i], with_log ? ", with a log" : "");
        }
    }
    test_programs(true);
    test_dense();
    test_log();
    ok(mock_n_faults() == 0 && mock_n_live() == 0, "no wrong use of CUDA, nothing is left behind");
    test_failures();
}

static int with_gpu(void)
{
    test_programs(false);
    test_dense();
    test_log();
    return done_testing();
}

static bool refuses(const char *variable, const char *value, const char *device, const char *message)
{
    struct gt_err err = {0};
    struct gt_device d;
    setenv(variable, value, 1);
    const int status = gt_device_open(&d, device, 0, &err);
    gt_device_close(&d);
    unsetenv(variable);
    if (status != GT_FAIL || !strstr(err.msg, message))
        diag("status %d, '%s'", status, err.msg);
    return status == GT_FAIL && strstr(err.msg, message);
}

static void test_absent(void)
{
    ok(refuses("GT_MOCK_DRIVER", "none", "cuda", "cuda:0: cannot be used: no CUDA driver"), "no driver");
    ok(refuses("GT_MOCK_DRIVER", "old", "cuda", "CUDA driver version is insufficient"), "an old driver");
    ok(refuses("GT_MOCK_DEVICES", "0", "cuda", "there is no GPU"), "no GPU");
    ok(refuses("GT_MOCK_DEVICES", "2", "cuda:2", "there is no GPU 2, only 2"), "an index too large");
    ok(refuses("GT_MOCK_CAPABILITY", "75", "cuda", "compute capability 7.5; at least 8.0"), "a GPU that is too old");
}

int main(int argc, char **argv)
{
    const char *build = getenv("GT_BUILD") ? getenv("GT_BUILD") : ".";
    char path[5000];
    setenv("GT_MODULES", build, 1);
    if (!gt_module_is_installed("gt-cuda.so")) {
        skip("this build has no CUDA module");
        return done_testing();
    }
    logged = argc == 3 && !strcmp(argv[1], "logged");
    if (argc == 3)
        return be_late(argv[2]);
    if (argc == 2 && !strcmp(argv[1], "driver"))
        return refuses("GT_MOCK_DRIVER", "", "cuda", "cuda:0: cannot be used: no CUDA driver") ? 0 : 1;
    if (getenv("GT_TEST_GPU"))
        return with_gpu();
    if (argc == 1) {
        snprintf(path, sizeof path, "%s/test/support/cuda_mock", build);
        setenv("LD_LIBRARY_PATH", path, 1);
        execl(argv[0], argv[0], "mock", (char *)NULL);
        return 1;
    }
    test_absent();
    if (ok(find_mock(), "the mock is loaded"))
        with_mock(argv[0]);
    return done_testing();
}
