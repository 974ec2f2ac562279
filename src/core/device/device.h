/* The device seam: what a computation needs of an accelerator, as a table of functions in plain C types.
 *
 * There are two implementations: `host` (core/device/host_*.c: plain C on the cpu, in every build, for tests) and `cuda` (the module
 * gt-cuda.so, loaded on request).  Computations use core/device/device_open.h, which adds error messages and counts memory; they know
 * no implementation.  An implementation uses nothing of libgt: this header and those of kernels/device/ are all that it includes.
 *
 * Results.  Every function that returns int returns an enum gt_device_code; after one that is not GT_DEVICE_OK, last_error has the
 * cause.  An operation that was only started may report its failure from a later call on the same stream, at the latest from
 * stream_wait or event_wait.  After GT_DEVICE_FAILED a device is good for freeing, close and nothing else; once a wait has failed, no
 * operation of any stream uses memory of the host any more.
 *
 * Threads.  Any thread may call, but only one at a time for one stream; last_error is of the calling thread.  An implementation
 * whose library has a current device sets it in each call.
 *
 * Memory.  An address in device memory is opaque to the caller except that a number of bytes may be added to it.  alloc returns
 * addresses that are multiples of 256; contents are undefined.  host_alloc is pinned memory of the host, for copies.  free functions
 * take NULL and wait for operations that use the memory.
 *
 * Order.  Operations of a stream run in the order of the calls; operations of two streams run in any order, or at the same time, except
 * for what event_record and stream_after say.  Operations with a stream return at once unless stated otherwise: the caller
 * neither reads nor changes host memory of a copy, nor frees memory, until stream_wait or event_wait says that it is complete.
 *
 * Determinism.  launch, igemm and copies give the same bits on all devices.  fgemm, syev and qr add in an order of their own: within
 * the usual a-priori bounds (|error| <= k eps |a||b| for a product of k terms); the same call on the same device gives the same
 * bits.
 *
 * Sizes are in items, leading dimensions too; strides and addresses may exceed 2^31 bytes.  n, m, k of 0 are allowed and do nothing
 * (a product with k = 0 that does not accumulate writes zeros). */
#ifndef GT_DEVICE_H
#define GT_DEVICE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Changes with every change of this file, and of the kernels in kernels/device/. */
#define GT_DEVICE_ABI 8

enum gt_device_code {
    GT_DEVICE_OK,
    GT_DEVICE_ABSENT,    /* no driver, a driver too old, or no device of that index */
    GT_DEVICE_NO_MEMORY, /* of the device, or pinned memory of the host; nothing was changed and the device can be used */
    GT_DEVICE_FAILED,    /* all else: a failed copy or launch, no convergence, a device that was lost */
};

struct gt_device_info {
    char name[96];                        /* "NVIDIA H100 80GB HBM3" */
    char version[96];                     /* "CUDA 13.0, driver 580.82, sm_90" */
    int64_t memory, memory_free;          /* bytes */
    double int8_rate, f32_rate, f64_rate; /* multiply-adds per second in products, nominal; 0: not known, also below */
    double memory_rate, bus_rate;         /* bytes per second: of its own memory, to and from the host */
    int64_t product_memory;               /* bytes that products take of its memory, for each stream that has some */
};

struct gt_device_impl; /* an open device, a stream, an event: each implementation defines its own */
struct gt_stream;
struct gt_event;

/* One operation of a stream has run.  kind, static text: "copy to device", "copy from device", "clear", "int8 product", "float32 product",
 * "float64 product", "eigenvectors", "QR", or the kernel's name; NULL: the stream is freed, this is the last call.  bytes: copied or
 * cleared.  start, end: ns of CLOCK_MONOTONIC; operations of a stream do not overlap. */
typedef void gt_device_log(void *to, const char *kind, int64_t bytes, int64_t start, int64_t end);

enum gt_device_float { GT_DEVICE_F32, GT_DEVICE_F64 };

struct gt_device_ops {
    int abi;
    const char *name; /* "cuda", as in --device */
    const char *note; /* for --version: how it was tested, one line */

    /* Devices are numbered from 0.  These three need no open device.  *n may be 0 with GT_DEVICE_OK; without a driver: GT_DEVICE_ABSENT. */
    int (*count)(int *n);
    int (*describe)(int index, struct gt_device_info *info);
    /* One line without a full stop, "no CUDA driver"; what the calling thread's last failure was. */
    void (*last_error)(char *text, size_t size);

    int (*open)(int index, struct gt_device_impl **device);
    void (*close)(struct gt_device_impl *device); /* everything made of it was freed before */

    int (*alloc)(struct gt_device_impl *device, size_t bytes, void **address);
    void (*free)(struct gt_device_impl *device, void *address);
    int (*host_alloc)(struct gt_device_impl *device, size_t bytes, void **address);
    void (*host_free)(struct gt_device_impl *device, void *address);

    int (*stream_new)(struct gt_device_impl *device, struct gt_stream **stream);
    void (*stream_free)(struct gt_stream *stream); /* waits for its operations; their failures are lost */
    int (*stream_wait)(struct gt_stream *stream);  /* until all operations are complete */
    /* Of a new stream: from now on log(to, ...) is called for each operation that has run and had something to do, in order, at some
     * later call on the stream or a wait, at the latest in stream_free.  After a failure nothing is logged. */
    int (*stream_log)(struct gt_stream *stream, gt_device_log *log, void *to);
    int (*event_new)(struct gt_device_impl *device, struct gt_event **event);
    void (*event_free)(struct gt_event *event);
    /* The event stands for everything that is on the stream now.  It may be recorded again. */
    int (*event_record)(struct gt_event *event, struct gt_stream *stream);
    int (*event_wait)(struct gt_event *event); /* at once if it was never recorded; so too for: */
    /* Later operations of the stream begin after the event; does not block the caller. */
    int (*stream_after)(struct gt_stream *stream, struct gt_event *event);

    /* host memory: pinned or not; if not, the call may wait for the copy */
    int (*copy_to)(struct gt_stream *stream, void *to, const void *from_host, size_t bytes);
    int (*copy_from)(struct gt_stream *stream, void *to_host, const void *from, size_t bytes);
    int (*zero)(struct gt_stream *stream, void *at, size_t bytes);

    /* Runs kernel `name` of kernels/device/list.h for each i from 0 to n - 1, in any order.  args: its struct, bytes long; copied during
     * the call; addresses in it are device memory.  GT_DEVICE_FAILED: there is no such kernel, or its struct has another size. */
    int (*launch)(struct gt_stream *stream, const char *name, int64_t n, const void *args, size_t bytes);

    /* c[i][j] = (accumulate: c[i][j]) + the sum over t < k of a[i][t] * b[j][t], i < m, j < n, modulo 2^32; all matrices by rows.
     * The terms of both operands are contiguous, the one form that int8 units of accelerators take without a transposition; a kernel
     * writes planes that way round.  m, n, k, lda, ldb, ldc and addresses are multiples of 16: callers fill up with zeros. */
    int (*igemm)(struct gt_stream *stream, int64_t m, int64_t n, int64_t k, const int8_t *a, int64_t lda, const int8_t *b, int64_t ldb,
                 int32_t *c, int64_t ldc, int accumulate);

    /* c = alpha op(a) op(b) + beta c, by rows: op(a) is [m][k], op(b) [k][n]; ta: a is stored [k][m]; tb: b is stored [n][k].
     * beta = 0: c may be undefined.  F32: products in full float32, not in a shorter format. */
    int (*fgemm)(struct gt_stream *stream, enum gt_device_float type, int ta, int tb, int64_t m, int64_t n, int64_t k, double alpha,
                 const void *a, int64_t lda, const void *b, int64_t ldb, double beta, void *c, int64_t ldc);

    /* Symmetric eigenproblem of a [n][n] (float64, all of it given): eigenvalues in ascending order, row j of a becomes the eigenvector of
     * values[j], of length 1 and of either sign.  Waits for the stream. */
    int (*syev)(struct gt_stream *stream, int64_t n, double *a, int64_t lda, double *values);
    /* QR of a matrix of m rows and n <= m columns (float64) that stands column after column: a [n][m].  Its columns become those of
     * Q; r [n][n] by rows: R, zeros below the diagonal, signs of either kind.  Waits for the stream. */
    int (*qr)(struct gt_stream *stream, int64_t m, int64_t n, double *a, int64_t lda, double *r, int64_t ldr);
};

/* The only symbol of a module, which is named gt-NAME.so. */
#define GT_DEVICE_MODULE_SYMBOL "gt_device_module"
extern const struct gt_device_ops gt_device_module;

#ifdef __cplusplus
}
#endif

#endif
