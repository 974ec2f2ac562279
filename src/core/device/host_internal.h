/* Internals of the host device: plain C on the cpu, slow and deterministic, for tests.
 *
 * Operations of a stream are queued and run only when somebody waits for them, one stream at a time, so a caller that forgot to wait,
 * or to order two streams, computes wrong results every time.  Memory of the device is ordinary memory, which sanitizers watch.
 *
 * GT_DEVICE_FAULT=OPERATION:N[:late],... makes the Nth call of an operation fail (alloc:7): with late, an operation of a
 * stream is accepted and fails when it is waited for. */
#ifndef GT_DEVICE_HOST_INTERNAL_H
#define GT_DEVICE_HOST_INTERNAL_H

#include <pthread.h>
#include <stdbool.h>

#include "core/device/device.h"

#define GT_HOST_OPERATIONS(OPERATION)                                                                                                      \
    OPERATION(open)                                                                                                                        \
    OPERATION(alloc)                                                                                                                       \
    OPERATION(host_alloc)                                                                                                                  \
    OPERATION(stream_new)                                                                                                                  \
    OPERATION(stream_wait)                                                                                                                 \
    OPERATION(stream_log)                                                                                                                  \
    OPERATION(event_new)                                                                                                                   \
    OPERATION(event_record)                                                                                                                \
    OPERATION(event_wait)                                                                                                                  \
    OPERATION(stream_after)                                                                                                                \
    OPERATION(copy_to)                                                                                                                     \
    OPERATION(copy_from)                                                                                                                   \
    OPERATION(zero)                                                                                                                        \
    OPERATION(launch)                                                                                                                      \
    OPERATION(igemm)                                                                                                                       \
    OPERATION(fgemm)                                                                                                                       \
    OPERATION(syev)                                                                                                                        \
    OPERATION(qr)

enum gt_host_operation {
#define AS_ENUM(name) GT_HOST_##name,
    GT_HOST_OPERATIONS(AS_ENUM)
#undef AS_ENUM
        GT_HOST_N_OPERATIONS
};

struct gt_device_impl {
    pthread_mutex_t lock; /* of the queues, and held while operations run */
    struct gt_stream *streams;
    struct gt_event *events;
    bool failed;
    char cause[200];
};

/* What the fault table says of this call. */
enum gt_host_fault { GT_HOST_GOOD, GT_HOST_FAILS, GT_HOST_FAILS_LATE };
enum gt_host_fault gt_host_fault(enum gt_host_operation operation);
/* Reads GT_DEVICE_FAULT anew; false and last_error: it makes no sense. */
bool gt_host_faults_read(void);
/* Sets last_error of this thread; returns the code. */
int gt_host_fail(enum gt_device_code code, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void gt_host_last_error(char *text, size_t size);

/* Queues run(args), bytes long and copied; the failure of a fault.  kind, moved: for the log. */
int gt_host_enqueue(struct gt_stream *stream, enum gt_host_operation operation, const char *kind, size_t moved,
                    int (*run)(const void *args), const void *args, size_t bytes);

int gt_host_stream_new(struct gt_device_impl *device, struct gt_stream **stream);
void gt_host_stream_free(struct gt_stream *stream);
int gt_host_stream_wait(struct gt_stream *stream);
int gt_host_stream_log(struct gt_stream *stream, gt_device_log *log, void *to);
/* Until everything is complete. */
void gt_host_wait_all(struct gt_device_impl *device);
int gt_host_event_new(struct gt_device_impl *device, struct gt_event **event);
void gt_host_event_free(struct gt_event *event);
int gt_host_event_record(struct gt_event *event, struct gt_stream *stream);
int gt_host_event_wait(struct gt_event *event);
int gt_host_stream_after(struct gt_stream *stream, struct gt_event *event);

/* What a product is called in the log: one of no terms clears, or does nothing. */
const char *gt_host_product_kind(int64_t m, int64_t n, int64_t k, bool adds, const char *kind);
int gt_host_igemm(struct gt_stream *stream, int64_t m, int64_t n, int64_t k, const int8_t *a, int64_t lda, const int8_t *b, int64_t ldb,
                  int32_t *c, int64_t ldc, int accumulate);
int gt_host_fgemm(struct gt_stream *stream, enum gt_device_float type, int ta, int tb, int64_t m, int64_t n, int64_t k, double alpha,
                  const void *a, int64_t lda, const void *b, int64_t ldb, double beta, void *c, int64_t ldc);
int gt_host_syev(struct gt_stream *stream, int64_t n, double *a, int64_t lda, double *values);
int gt_host_qr(struct gt_stream *stream, int64_t m, int64_t n, double *a, int64_t lda, double *r, int64_t ldr);

#endif
