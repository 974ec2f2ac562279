/* The device seam with the host device: order, waiting, products, faults. */
#include "config.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/device/device_open.h"
#include "kernels/device/list.h"
#include "kernels/kernels.h"
#include "test/support/random.h"
#include "test/support/tap.h"

static struct gt_device device;
static const struct gt_device_ops *ops;
static struct gt_stream *stream;

static bool start(const char *fault)
{
    struct gt_err err = {0};
    if (fault)
        setenv("GT_DEVICE_FAULT", fault, 1);
    else
        unsetenv("GT_DEVICE_FAULT");
    stream = NULL;
    if (gt_device_open(&device, "host", 0, &err))
        return false;
    ops = device.ops;
    return ops->stream_new(device.impl, &stream) == 0;
}

static void stop(void)
{
    if (device.ops)
        device.ops->stream_free(stream);
    gt_device_close(&device);
}

/* --- opening ------------------------------------------------------------------------- */

static bool refuses(const char *name, int64_t memory, int status, const char *message)
{
    struct gt_err err = {0};
    struct gt_device d;
    const int got = gt_device_open(&d, name, memory, &err);
    gt_device_close(&d);
    if (got != status || !strstr(err.msg, message))
        diag("%s: status %d, '%s'", name, got, err.msg);
    return got == status && strstr(err.msg, message);
}

static void test_open(void)
{
    ok(refuses("gpu", 0, GT_USAGE, "no device 'gpu'") && refuses("host:x", 0, GT_USAGE, "no device 'host:x'") &&
           refuses("host:", 0, GT_USAGE, "no device 'host:'"),
       "names that are none");
    ok(refuses("host:1", 0, GT_FAIL, "host:1: cannot be used: there is one device, 0"), "an index too large");
    ok(refuses("host", (int64_t)1 << 50, GT_NOFIT, "--device-memory"), "more memory than there is");
    setenv("GT_MODULES", "/nonexistent", 1);
    ok(refuses("cuda", 0, GT_FAIL, "no CUDA module"), "no module");
    unsetenv("GT_MODULES");
    setenv("GT_DEVICE_FAULT", "allocate:1", 1);
    ok(refuses("host", 0, GT_FAIL, "'allocate:1' is not OPERATION:N"), "a fault of no operation");
    setenv("GT_DEVICE_FAULT", "open:1", 1);
    ok(refuses("host", 0, GT_FAIL, "host:0: cannot be opened: fault injected in call 1 of open"), "a fault while opening");
}

static void test_memory(void)
{
    struct gt_err err = {0};
    struct gt_device_buf a = {0}, b = {0};
    struct gt_budget budget;
    gt_budget_init(&budget, 1000);
    ok(!gt_device_open(&device, "host", 4096, &err) && !gt_device_alloc(&a, &device, 4000, &err) && device.memory.used == 4000 &&
           gt_device_alloc(&b, &device, 200, &err) == GT_NOFIT && strstr(err.msg, "--device-memory"),
       "memory beyond --device-memory is refused");
    gt_err_clear(&err);
    ok(gt_device_alloc_pinned(&b, &device, &budget, 1001, &err) == GT_NOFIT && budget.used == 0 &&
           !gt_device_alloc_pinned(&b, &device, &budget, 500, &(struct gt_err){0}) && budget.used == 500,
       "pinned memory counts in the host's budget");
    gt_device_release(&a);
    gt_device_release(&b);
    ok(device.memory.used == 0 && budget.used == 0, "both are given back");
    gt_device_close(&device);
}

/* --- order ------------------------------------------------------------------------------- */

static void test_order(void)
{
    struct gt_stream *other = NULL;
    struct gt_event *event = NULL;
    struct gt_device_buf at = {0};
    char in[8] = "first", out[8] = "none";
    if (!ok(start(NULL) && !ops->stream_new(device.impl, &other) && !ops->event_new(device.impl, &event) &&
                !gt_device_alloc(&at, &device, 8, &(struct gt_err){0}),
            "two streams"))
        return;
    ok(!ops->event_wait(event) && !ops->stream_after(other, event), "an event that was never recorded is over");
    ok(!ops->copy_to(stream, at.data, in, 8) && !ops->copy_from(stream, out, at.data, 8) && !strcmp(out, "none"),
       "copies are not made before somebody waits");
    ok(!ops->event_record(event, stream) && !ops->copy_to(stream, at.data, "second\0", 8) && !ops->event_wait(event) &&
           !strcmp(out, "first"),
       "an event waits for what was before it");
    ok(!ops->copy_from(other, out, at.data, 8) && !ops->stream_wait(other) && !strcmp(out, "first"), "another stream does not wait");
    ok(!ops->event_record(event, stream) && !ops->stream_after(other, event) && !ops->copy_from(other, out, at.data, 8) &&
           !ops->stream_wait(other) && !strcmp(out, "second"),
       "unless it is told to");
    ok(!ops->zero(stream, at.data, 3) && !ops->copy_from(stream, out, at.data, 8) && !ops->stream_wait(stream) && !out[0] && !out[2] &&
           out[3] == 'o',
       "zero");
    ops->event_record(event, other);
    ops->stream_free(other);
    ok(!ops->event_wait(event), "the event of a stream that is gone");
    ops->event_free(event);
    gt_device_release(&at);
    stop();
}

/* --- products --------------------------------------------------------------------------------- */

enum { M = 16, N = 32, K = 48, LDA = 64, LDB = 48, LDC = 48 };

static void test_igemm(void)
{
    static _Alignas(16) int8_t a[M * LDA], b[N * LDB];
    static _Alignas(16) int32_t c[M * LDC];
    bool good = true;
    for (int i = 0; i < M * LDA; i++)
        a[i] = (int8_t)random_u64();
    for (int i = 0; i < N * LDB; i++)
        b[i] = (int8_t)random_u64();
    if (!start(NULL))
        return;
    for (int i = 0; i < M * LDC; i++)
        c[i] = i % LDC < N ? INT32_MAX - 1000 : -7;
    good &= !ops->igemm(stream, M, N, K, a, LDA, b, LDB, c, LDC, 1) && !ops->stream_wait(stream);
    for (int accumulate = 1; accumulate >= 0; accumulate--) {
        for (int i = 0; i < M && good; i++)
            for (int j = 0; j < LDC && good; j++) {
                int64_t sum = accumulate ? INT32_MAX - 1000 : 0;
                for (int t = 0; t < K; t++)
                    sum += j < N ? a[i * LDA + t] * b[j * LDB + t] : 0;
                good &= c[i * LDC + j] == (j < N ? (int32_t)(uint32_t)sum : -7);
            }
        ok(good, "igemm%s, by definition, modulo 2^32", accumulate ? " that accumulates" : "");
        good &= !ops->igemm(stream, M, N, K, a, LDA, b, LDB, c, LDC, 0) && !ops->stream_wait(stream);
    }
    ok(!ops->igemm(stream, M, N, 0, a, LDA, b, LDB, c, LDC, 0) && !ops->stream_wait(stream) && c[0] == 0 && c[N] == -7,
       "k = 0 writes zeros");
    ok(ops->igemm(stream, M, N, 40, a, LDA, b, LDB, c, LDC, 0) == GT_DEVICE_FAILED, "sizes that are no multiples of 16 are refused");
    stop();
}

/* Beyond the tiles and the terms that the host device takes at once; extreme values too. */
static void test_igemm_shapes(void)
{
    enum { MOST_N = 144, MOST_K = 800 };
    static _Alignas(16) int8_t a[MOST_N * MOST_K], b[MOST_N * MOST_K];
    static _Alignas(16) int32_t c[MOST_N * MOST_N];
    bool good = start(NULL);
    for (int i = 0; i < MOST_N * MOST_K; i++) {
        a[i] = (int8_t)(i % 3 ? random_u64() : INT8_MIN);
        b[i] = (int8_t)(i % 5 ? random_u64() : INT8_MIN);
    }
    for (int trial = 0; trial < 12 && good; trial++) {
        const int m = 16 * (int)(1 + random_below(MOST_N / 16)), n = 16 * (int)(1 + random_below(MOST_N / 16));
        const int k = trial < 3 ? 16 + 16 * trial : 16 * (int)(1 + random_below(MOST_K / 16)), before = trial % 2 * 5;
        for (int i = 0; i < MOST_N * MOST_N; i++)
            c[i] = 5;
        good = !ops->igemm(stream, m, n, k, a, MOST_K, b, MOST_K, c, MOST_N, trial % 2) && !ops->stream_wait(stream);
        for (int i = 0; i < MOST_N; i++)
            for (int j = 0; j < MOST_N; j++) {
                int32_t sum = i < m && j < n ? before : 5;
                for (int t = 0; t < k && i < m && j < n; t++)
                    sum += a[i * MOST_K + t] * b[j * MOST_K + t];
                good &= c[i * MOST_N + j] == sum;
            }
    }
    ok(good, "igemm of many shapes");
    stop();
}

static void test_fgemm(void)
{
    double a[6 * 5], b[6 * 5], c[4 * 5];
    bool good = start(NULL);
    for (int i = 0; i < 30; i++) {
        a[i] = i % 7 - 3;
        b[i] = i % 5 - 2;
    }
    /* small whole numbers: exact */
    for (int form = 0; form < 4 && good; form++) {
        const int ta = form & 1, tb = form >> 1, m = 3, n = 4, k = 5;
        for (int i = 0; i < 20; i++)
            c[i] = 1;
        good &=
            !ops->fgemm(stream, GT_DEVICE_F64, ta, tb, m, n, k, 2, a, ta ? 3 : 5, b, tb ? 6 : 4, 0.5, c, 5) && !ops->stream_wait(stream);
        for (int i = 0; i < m; i++)
            for (int j = 0; j < n; j++) {
                double sum = 0;
                for (int t = 0; t < k; t++)
                    sum += (ta ? a[t * 3 + i] : a[i * 5 + t]) * (tb ? b[j * 6 + t] : b[t * 4 + j]);
                good &= c[i * 5 + j] == 2 * sum + 0.5;
            }
    }
    ok(good, "fgemm, all four forms");
    float x[2] = {3, 4}, y = NAN;
    ok(!ops->fgemm(stream, GT_DEVICE_F32, 0, 1, 1, 1, 2, 1, x, 2, x, 2, 0, &y, 1) && !ops->stream_wait(stream) && y == 25,
       "float32; beta = 0 does not read what is there");
    stop();
}

static void test_dense(void)
{
    enum { n = 20, m = 33 };
    static double s[n * n], a[n * n], values[n], q[n * m], x[n * m], r[n * n];
    double off = 0, wrong = 0;
    if (!start(NULL))
        return;
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++)
            s[i * n + j] = s[j * n + i] = a[i * n + j] = a[j * n + i] = (double)random_below(2001) / 1000 - 1;
    bool good = !ops->syev(stream, n, a, n, values);
    for (int v = 0; v < n; v++)
        for (int w = 0; w < n; w++) {
            double inner = 0, product = -values[v] * a[v * n + w];
            for (int i = 0; i < n; i++) {
                inner += a[v * n + i] * a[w * n + i];
                product += s[w * n + i] * a[v * n + i];
            }
            off = fmax(off, fabs(inner - (v == w)));
            wrong = fmax(wrong, fabs(product));
            good &= v == 0 || values[v - 1] <= values[v];
        }
    ok(good && off < 1e-13 && wrong < 1e-13, "syev: S v = w v, orthonormal, ascending (%.1e, %.1e)", off, wrong);
    a[0] = NAN;
    ok(ops->syev(stream, n, a, n, values) == GT_DEVICE_FAILED, "syev of what is no number");
    stop();

    good = start(NULL);
    for (int i = 0; i < n * m; i++)
        q[i] = x[i] = (double)random_below(2001) / 1000 - 1;
    for (int i = 0; i < m; i++)
        q[5 * m + i] = x[5 * m + i] = 3 * x[2 * m + i]; /* a dependent column */
    good &= !ops->qr(stream, m, n, q, m, r, n);
    off = wrong = 0;
    for (int v = 0; v < n; v++)
        for (int w = 0; w < n; w++) {
            double inner = 0;
            for (int i = 0; i < m; i++)
                inner += q[v * m + i] * q[w * m + i];
            off = fmax(off, fabs(inner - (v == w)));
            good &= v <= w || r[v * n + w] == 0;
        }
    for (int v = 0; v < n; v++)
        for (int i = 0; i < m; i++) {
            double product = -x[v * m + i];
            for (int t = 0; t < n; t++)
                product += q[t * m + i] * r[t * n + v];
            wrong = fmax(wrong, fabs(product));
        }
    ok(good && off < 1e-13 && wrong < 1e-13, "qr with a dependent column: Q R is the matrix, Q orthonormal (%.1e, %.1e)", off, wrong);
    stop();
}

/* --- kernels -------------------------------------------------------------------------------------- */

static void test_kernels(void)
{
    uint32_t counts[10];
    const uint64_t key = 0x123456789abcdefu, first = ((uint64_t)1 << 33) - 6011;
    struct gt_device_pi_count_args args = {key, first, first + 9500, 1001, counts};
    bool good = start(NULL) && !ops->launch(stream, "pi_count", 10, &args, sizeof args) && !ops->stream_wait(stream);
    for (int i = 0; i < 10; i++)
        good &= counts[i] == gt_kernels()->pi_count(key, first + 1001 * (uint64_t)i, i < 9 ? 1001 : 491);
    ok(good, "pi_count");
    ok(ops->launch(stream, "pi", 10, &args, sizeof args) == GT_DEVICE_FAILED &&
           ops->launch(stream, "pi_count", 10, &args, 8) == GT_DEVICE_FAILED,
       "a kernel that is not there, or has other arguments");
    stop();
}

/* Random rows, every table by site or one; rows of the plane end anywhere after the last sample. */
static void test_code_plane(void)
{
    enum { SITES = 40, SAMPLES = 30, WIDTH = 48, HEIGHT = 35, STRIDE = 9 };
    static uint8_t rows[SITES * STRIDE];
    static _Alignas(4) int8_t table[SITES * 4];
    static _Alignas(16) int8_t plane[(HEIGHT + 1) * WIDTH];
    bool good = start(NULL);
    for (int trial = 0; trial < 50 && good; trial++) {
        const int sites = (int)random_below(SITES + 1), samples = (int)random_below(SAMPLES + 1);
        const int height = samples + (int)random_below(HEIGHT - SAMPLES + 1), step = trial & 1;
        for (int i = 0; i < SITES * STRIDE; i++)
            rows[i] = (uint8_t)random_u64();
        for (int i = 0; i < SITES * 4; i++)
            table[i] = (int8_t)random_u64();
        memset(plane, 77, sizeof plane);
        const struct gt_device_code_plane_args args = {
            rows, STRIDE, sites, samples, WIDTH, height, (uint32_t *)table, step, (struct gt_device_vector *)plane};
        good = !ops->launch(stream, "code_plane", (height + 3) / 4 * (WIDTH / 16), &args, sizeof args) && !ops->stream_wait(stream);
        for (int s = 0; s <= HEIGHT; s++)
            for (int v = 0; v < WIDTH; v++) {
                const int code = v < sites && s < samples ? rows[v * STRIDE + s / 4] >> (2 * (s % 4)) & 3 : 0;
                const int want = s >= height ? 77 : v < sites && s < samples ? table[v * 4 * step + code] : 0;
                good &= plane[s * WIDTH + v] == want;
            }
    }
    ok(good, "code_plane");
    stop();
}

/* Random rows and tables, any number of rows and samples. */
static void test_row_plane(void)
{
    enum { ROWS = 7, WIDTH = 48, STRIDE = 13 };
    static uint8_t rows[ROWS * STRIDE];
    static _Alignas(4) int8_t table[4];
    static _Alignas(16) int8_t plane[(ROWS + 1) * WIDTH];
    bool good = start(NULL);
    for (int samples = 0; samples <= WIDTH && good; samples++) {
        const int n = (int)random_below(ROWS + 1);
        for (int i = 0; i < ROWS * STRIDE; i++)
            rows[i] = (uint8_t)random_u64();
        for (int i = 0; i < 4; i++)
            table[i] = (int8_t)random_u64();
        memset(plane, 77, sizeof plane);
        const struct gt_device_row_plane_args args = {rows, STRIDE, n, samples, WIDTH, (uint32_t *)table, (struct gt_device_vector *)plane};
        good = !ops->launch(stream, "row_plane", ROWS * (WIDTH / 16), &args, sizeof args) && !ops->stream_wait(stream);
        for (int v = 0; v <= ROWS; v++)
            for (int s = 0; s < WIDTH; s++) {
                const bool there = v < n && s < samples;
                good &= plane[v * WIDTH + s] == (v == ROWS ? 77 : there ? table[rows[v * STRIDE + s / 4] >> (2 * (s % 4)) & 3] : 0);
            }
    }
    ok(good, "row_plane");
    stop();
}

/* --- faults: each operation, at once and late -------------------------------------------------------- */

static int all_operations(void)
{
    static double two[4] = {1, 0, 0, 1}, values[2];
    static _Alignas(16) int8_t a[256];
    static _Alignas(16) int32_t c[256];
    struct gt_err err = {0};
    struct gt_device_buf memory = {0}, pinned = {0};
    struct gt_event *event = NULL;
    struct gt_budget budget;
    static uint32_t counts;
    const struct gt_device_pi_count_args args = {0, 0, 10, 10, &counts};
    int status = 0;
    gt_budget_init(&budget, 1000);
    (void)((status = gt_device_alloc(&memory, &device, 16, &err)) ||
           (status = gt_device_alloc_pinned(&pinned, &device, &budget, 16, &err)) || (status = ops->event_new(device.impl, &event)) ||
           (status = ops->copy_to(stream, memory.data, pinned.data, 16)) || (status = ops->zero(stream, memory.data, 16)) ||
           (status = ops->launch(stream, "pi_count", 1, &args, sizeof args)) || (status = ops->event_record(event, stream)) ||
           (status = ops->stream_after(stream, event)) || (status = ops->igemm(stream, 16, 16, 16, a, 16, a, 16, c, 16, 0)) ||
           (status = ops->fgemm(stream, GT_DEVICE_F64, 0, 0, 1, 1, 1, 1, two, 2, two, 2, 0, values, 2)) ||
           (status = ops->event_wait(event)) || (status = ops->syev(stream, 2, two, 2, values)) ||
           (status = ops->qr(stream, 2, 1, two, 2, values, 1)) || (status = ops->copy_from(stream, pinned.data, memory.data, 16)) ||
           (status = ops->stream_wait(stream)));
    ops->event_free(event);
    gt_device_release(&memory);
    gt_device_release(&pinned);
    return status;
}

static void test_faults(void)
{
    static const char *const names[] = {"alloc",      "host_alloc",   "stream_new", "stream_wait", "event_new", "event_record",
                                        "event_wait", "stream_after", "copy_to",    "copy_from",   "zero",      "launch",
                                        "igemm",      "fgemm",        "syev",       "qr"};
    ok(start(NULL) && !all_operations(), "without faults all operations succeed");
    stop();
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        bool failed = true;
        for (int late = 0; late < 2; late++) {
            char fault[64];
            snprintf(fault, sizeof fault, "%s:1%s", names[i], late ? ":late" : "");
            failed &= !start(fault) || all_operations() != 0;
            stop();
        }
        ok(failed, "a fault in %s is reported", names[i]);
    }
    ok(start("zero:2") && !all_operations() && all_operations() && all_operations(), "in the second call; and everything fails after that");
    stop();
}

int main(void)
{
    test_open();
    unsetenv("GT_DEVICE_FAULT");
    test_memory();
    test_order();
    test_igemm();
    test_igemm_shapes();
    test_fgemm();
    test_dense();
    test_kernels();
    test_code_plane();
    test_row_plane();
    test_faults();
    return done_testing();
}
