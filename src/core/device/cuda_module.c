/* The module gt-cuda.so: devices, memory, streams, events and copies by the CUDA runtime, and its table. */
#include "core/device/cuda_impl.cuh"

#include <stdbool.h>
#include <stdlib.h>

static int use(const struct gt_device_impl *device)
{
    return gt_cuda_check(cudaSetDevice(device->index), "cannot use GPU %d", device->index);
}

static void close_device(struct gt_device_impl *device)
{
    if (device && device->blas)
        cublasLtDestroy(device->blas);
    free(device);
}

static int set_threads(struct gt_device_impl *device)
{
    int processors, each;
    int code = gt_cuda_check(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device->index), "cannot describe GPU %d",
                             device->index);
    code = code ? code
                : gt_cuda_check(cudaDeviceGetAttribute(&each, cudaDevAttrMaxThreadsPerMultiProcessor, device->index),
                                "cannot describe GPU %d", device->index);
    device->threads = code ? 0 : processors * each;
    return code;
}

static int open_device(int index, struct gt_device_impl **device)
{
    struct gt_device_impl *made = calloc(1, sizeof *made);
    if (!made)
        return gt_cuda_fail(GT_DEVICE_FAILED, "out of memory");
    made->index = index;
    int code = gt_cuda_check_gpu(index);
    code = code ? code : use(made);
    code = code ? code : set_threads(made);
    code = code ? code : gt_cuda_check_blas(cublasLtCreate(&made->blas), "cannot start cuBLASLt");
    if (code)
        close_device(made);
    else
        *device = made;
    return code;
}

/* --- memory ----------------------------------------------------------------------- */

static int alloc_device(struct gt_device_impl *device, size_t bytes, void **address)
{
    int code = use(device);
    return code ? code : gt_cuda_check(cudaMalloc(address, bytes ? bytes : 1), "cannot allocate %zu bytes of the GPU", bytes);
}

/* cudaFree is not promised to wait for what uses the memory. */
static void free_device(struct gt_device_impl *device, void *address)
{
    if (address) {
        (void)use(device); /* of a device that was lost we free what we can */
        cudaDeviceSynchronize();
        cudaFree(address);
    }
}

static int alloc_pinned(struct gt_device_impl *device, size_t bytes, void **address)
{
    int code = use(device);
    return code ? code : gt_cuda_check(cudaMallocHost(address, bytes ? bytes : 1), "cannot allocate %zu bytes of pinned memory", bytes);
}

static void free_pinned(struct gt_device_impl *device, void *address)
{
    if (address) {
        (void)use(device);
        cudaDeviceSynchronize();
        cudaFreeHost(address);
    }
}

/* --- streams and events ----------------------------------------------------------- */

static int new_stream(struct gt_device_impl *device, struct gt_stream **stream)
{
    struct gt_stream *made = calloc(1, sizeof *made);
    if (!made)
        return gt_cuda_fail(GT_DEVICE_FAILED, "out of memory");
    made->device = device;
    int code = use(device);
    code = code ? code : gt_cuda_check(cudaStreamCreateWithFlags(&made->stream, cudaStreamNonBlocking), "cannot create a stream");
    if (code)
        free(made);
    else
        *stream = made;
    return code;
}

static void free_stream(struct gt_stream *stream)
{
    if (stream) {
        (void)use(stream->device);
        cudaStreamSynchronize(stream->stream);
        gt_cuda_log_free(stream);
        if (stream->solver)
            cusolverDnDestroy(stream->solver);
        if (stream->blas_memory)
            cudaFree(stream->blas_memory);
        cudaStreamDestroy(stream->stream);
    }
    free(stream);
}

static int wait_stream(struct gt_stream *stream)
{
    int code = use(stream->device);
    code = code ? code : gt_cuda_check(cudaStreamSynchronize(stream->stream), "an operation failed");
    return code ? code : gt_cuda_log_all(stream);
}

static int new_event(struct gt_device_impl *device, struct gt_event **event)
{
    struct gt_event *made = calloc(1, sizeof *made);
    if (!made)
        return gt_cuda_fail(GT_DEVICE_FAILED, "out of memory");
    made->device = device;
    int code = use(device);
    code = code ? code : gt_cuda_check(cudaEventCreateWithFlags(&made->event, cudaEventDisableTiming), "cannot create an event");
    if (code)
        free(made);
    else
        *event = made;
    return code;
}

static void free_event(struct gt_event *event)
{
    if (event) {
        (void)use(event->device);
        cudaEventDestroy(event->event);
    }
    free(event);
}

static int record_event(struct gt_event *event, struct gt_stream *stream)
{
    int code = use(stream->device);
    return code ? code : gt_cuda_check(cudaEventRecord(event->event, stream->stream), "cannot record an event");
}

static int wait_event(struct gt_event *event)
{
    int code = use(event->device);
    return code ? code : gt_cuda_check(cudaEventSynchronize(event->event), "an operation failed");
}

static int stream_after(struct gt_stream *stream, struct gt_event *event)
{
    int code = use(stream->device);
    return code ? code : gt_cuda_check(cudaStreamWaitEvent(stream->stream, event->event, 0), "cannot order two streams");
}

/* --- copies ----------------------------------------------------------------------- */

static int copy(struct gt_stream *stream, void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind)
{
    int code = use(stream->device);
    if (code || !bytes)
        return code;
    const bool up = kind == cudaMemcpyHostToDevice;
    code = gt_cuda_log_begin(stream, up ? "copy to device" : "copy from device", bytes);
    code = code ? code
                : gt_cuda_check(cudaMemcpyAsync(to, from, bytes, kind, stream->stream), "cannot copy %zu bytes %s the GPU", bytes,
                                up ? "to" : "from");
    return gt_cuda_log_end(stream, code);
}

static int copy_to(struct gt_stream *stream, void *to, const void *from_host, size_t bytes)
{
    return copy(stream, to, from_host, bytes, cudaMemcpyHostToDevice);
}

static int copy_from(struct gt_stream *stream, void *to_host, const void *from, size_t bytes)
{
    return copy(stream, to_host, from, bytes, cudaMemcpyDeviceToHost);
}

static int zero(struct gt_stream *stream, void *at, size_t bytes)
{
    int code = use(stream->device);
    if (code || !bytes)
        return code;
    code = gt_cuda_log_begin(stream, "clear", bytes);
    code = code ? code : gt_cuda_check(cudaMemsetAsync(at, 0, bytes, stream->stream), "cannot clear %zu bytes", bytes);
    return gt_cuda_log_end(stream, code);
}

__attribute__((visibility("default"))) const struct gt_device_ops gt_device_module = {
    .abi = GT_DEVICE_ABI,
    .name = "cuda",
    .note = "compiled and run against a mock; not run on a GPU",
    .count = gt_cuda_count,
    .describe = gt_cuda_describe,
    .last_error = gt_cuda_last_error,
    .open = open_device,
    .close = close_device,
    .alloc = alloc_device,
    .free = free_device,
    .host_alloc = alloc_pinned,
    .host_free = free_pinned,
    .stream_new = new_stream,
    .stream_free = free_stream,
    .stream_wait = wait_stream,
    .stream_log = gt_cuda_stream_log,
    .event_new = new_event,
    .event_free = free_event,
    .event_record = record_event,
    .event_wait = wait_event,
    .stream_after = stream_after,
    .copy_to = copy_to,
    .copy_from = copy_from,
    .zero = zero,
    .launch = gt_cuda_launch,
    .igemm = gt_cuda_igemm,
    .fgemm = gt_cuda_fgemm,
    .syev = gt_cuda_syev,
    .qr = gt_cuda_qr,
};
