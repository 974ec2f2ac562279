/* An open device as computations use it: its table (core/device/device.h), error messages, and a count of its memory. */
#ifndef GT_DEVICE_OPEN_H
#define GT_DEVICE_OPEN_H

#include "core/base/budget.h"
#include "core/device/device.h"
#include "core/engine/trace.h"

extern const struct gt_device_ops gt_device_host;

struct gt_device {
    const struct gt_device_ops *ops; /* NULL: none is open, the work runs on the cpu */
    struct gt_device_impl *impl;
    struct gt_device_info info;
    char label[32];          /* "cuda:0", for messages */
    struct gt_budget memory; /* of the device; its limit is what may be used */
    struct gt_trace *trace;  /* set after opening: gets the work of streams; NULL: it is not measured */
};

/* The table of an implementation: "host", or "cuda", whose module is loaded.  GT_FAIL: there is no such module, or it cannot be loaded. */
int gt_device_ops_find(const char *name, const struct gt_device_ops **ops, struct gt_err *err);

/* Opens "cuda", "cuda:1", "host".  memory: bytes that may be used, 0: nine tenths of what is free.  GT_USAGE: no such name; GT_FAIL: no
 * driver, no device; GT_NOFIT: the device has less memory than that.  device need not be initialised; close also takes one that failed
 * to open. */
int gt_device_open(struct gt_device *device, const char *name, int64_t memory, struct gt_err *err);
void gt_device_close(struct gt_device *device);

/* The status of what an operation returned: GT_OK, GT_NOFIT (memory) or GT_FAIL, with a message "cuda:0: WHAT: cause". */
int gt_device_status(const struct gt_device *device, int code, const char *what, struct gt_err *err);

/* A stream, which the trace has under that name; ops->stream_free frees it. */
int gt_device_stream_plain(struct gt_device *device, const char *name, struct gt_stream **stream, struct gt_err *err);
/* A stream for products of matrices: what these take of the memory counts, too.  free takes NULL. */
int gt_device_stream_new(struct gt_device *device, const char *name, struct gt_stream **stream, struct gt_err *err);
void gt_device_stream_free(struct gt_device *device, struct gt_stream *stream);

/* Memory of a device, or pinned memory of the host for it.  Zero-initialise.  alloc replaces what was there; contents are undefined. */
struct gt_device_buf {
    struct gt_device *device;
    struct gt_budget *budget;
    void *data;
    size_t bytes;
    bool pinned;
};
int gt_device_alloc(struct gt_device_buf *buf, struct gt_device *device, size_t bytes, struct gt_err *err);
/* budget: of the host. */
int gt_device_alloc_pinned(struct gt_device_buf *buf, struct gt_device *device, struct gt_budget *budget, size_t bytes, struct gt_err *err);
void gt_device_release(struct gt_device_buf *buf);

#endif
