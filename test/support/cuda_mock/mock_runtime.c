/* libcudart: devices, memory, copies and launches. */
#include "mock.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mock_kernels.h"

/* --- devices -------------------------------------------------------------------------------------------- */

static _Thread_local int current;

static cudaError_t driver(void)
{
    const char *text = getenv("GT_MOCK_DRIVER");
    return text ? cudaErrorInsufficientDriver : mock_lost();
}

static cudaError_t check_device(int index)
{
    return index < 0 || index >= mock_number("GT_MOCK_DEVICES", 1) ? cudaErrorInvalidDevice : driver();
}

cudaError_t cudaGetDeviceCount(int *n)
{
    cudaError_t status = mock_enter(__func__, "%s", "") ? cudaErrorUnknown : driver();
    if (!status)
        *n = (int)mock_number("GT_MOCK_DEVICES", 1);
    mock_leave();
    return !status && !*n ? cudaErrorNoDevice : status;
}

cudaError_t cudaSetDevice(int index)
{
    cudaError_t status = mock_enter(__func__, "%d", index) ? cudaErrorUnknown : check_device(index);
    if (!status)
        current = index;
    mock_leave();
    return status;
}

cudaError_t cudaDriverGetVersion(int *version)
{
    const char *text = getenv("GT_MOCK_DRIVER");
    cudaError_t status = mock_enter(__func__, "%s", "") ? cudaErrorUnknown : cudaSuccess;
    *version = !text ? 13000 : strcmp(text, "old") == 0 ? 11040 : 0;
    mock_leave();
    return status;
}

cudaError_t cudaRuntimeGetVersion(int *version)
{
    cudaError_t status = mock_enter(__func__, "%s", "") ? cudaErrorUnknown : cudaSuccess;
    *version = CUDART_VERSION;
    mock_leave();
    return status;
}

/* Few threads, so that the loops of kernels go around. */
static int attribute(enum cudaDeviceAttr which)
{
    switch (which) {
    case cudaDevAttrComputeCapabilityMajor:
        return (int)mock_number("GT_MOCK_CAPABILITY", 90) / 10;
    case cudaDevAttrComputeCapabilityMinor:
        return (int)mock_number("GT_MOCK_CAPABILITY", 90) % 10;
    case cudaDevAttrMultiProcessorCount:
        return 2;
    case cudaDevAttrMaxThreadsPerMultiProcessor:
        return 256;
    case cudaDevAttrClockRate:
    case cudaDevAttrMemoryClockRate:
        return 1000000;
    case cudaDevAttrGlobalMemoryBusWidth:
        return 4096;
    default:
        mock_fault("no value for attribute %d", (int)which);
        return 0;
    }
}

cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr which, int index)
{
    cudaError_t status = mock_enter(__func__, "%d %d", (int)which, index) ? cudaErrorUnknown : check_device(index);
    *value = attribute(which);
    mock_leave();
    return status;
}

cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *properties, int index)
{
    cudaError_t status = mock_enter(__func__, "%d", index) ? cudaErrorUnknown : check_device(index);
    memset(properties, 0, sizeof *properties);
    snprintf(properties->name, sizeof properties->name, "Mock GPU");
    mock_leave();
    return status;
}

cudaError_t cudaDeviceGetPCIBusId(char *text, int size, int index)
{
    cudaError_t status = mock_enter(__func__, "%d", index) ? cudaErrorUnknown : check_device(index);
    snprintf(text, (size_t)size, "0000:FF:1F.7");
    mock_leave();
    return status;
}

cudaError_t cudaMemGetInfo(size_t *left, size_t *all)
{
    cudaError_t status = mock_enter(__func__, "%s", "") ? cudaErrorUnknown : check_device(current);
    *left = (size_t)mock_memory_left();
    *all = (size_t)mock_number("GT_MOCK_MEMORY", (int64_t)1 << 32);
    mock_leave();
    return status;
}

cudaError_t cudaGetLastError(void)
{
    return mock_lost();
}

const char *cudaGetErrorString(cudaError_t status)
{
    switch (status) {
    case cudaErrorMemoryAllocation:
        return "out of memory";
    case cudaErrorInsufficientDriver:
        return "CUDA driver version is insufficient for CUDA runtime version";
    case cudaErrorNoDevice:
        return "no CUDA-capable device is detected";
    case cudaErrorInvalidDevice:
        return "invalid device ordinal";
    case cudaErrorLaunchFailure:
        return "unspecified launch failure";
    case cudaErrorInvalidValue:
        return "invalid argument";
    default:
        return "unknown error";
    }
}

/* --- memory --------------------------------------------------------------------------------------------- */

static cudaError_t allocate(enum mock_place place, void **address, size_t bytes)
{
    void *made = mock_memory_new(place, bytes);
    if (!made)
        return cudaErrorMemoryAllocation;
    *address = made;
    return cudaSuccess;
}

static cudaError_t release(enum mock_place place, void *address, const char *function)
{
    if (mock_in_use(address, 1))
        mock_fault("%s: the memory is still in use", function);
    if (address && !mock_memory_free(place, address))
        mock_fault("%s: this is no such memory, or it was freed before", function);
    return mock_lost();
}

cudaError_t cudaMalloc(void **address, size_t bytes)
{
    cudaError_t status = mock_enter(__func__, "%zu", bytes) ? cudaErrorMemoryAllocation : mock_lost();
    status = status ? status : allocate(MOCK_DEVICE, address, bytes);
    mock_leave();
    return status;
}

cudaError_t cudaFree(void *address)
{
    mock_enter(__func__, "%p", address);
    cudaError_t status = release(MOCK_DEVICE, address, __func__);
    mock_leave();
    return status;
}

cudaError_t cudaMallocHost(void **address, size_t bytes)
{
    cudaError_t status = mock_enter(__func__, "%zu", bytes) ? cudaErrorMemoryAllocation : mock_lost();
    status = status ? status : allocate(MOCK_PINNED, address, bytes);
    mock_leave();
    return status;
}

cudaError_t cudaFreeHost(void *address)
{
    mock_enter(__func__, "%p", address);
    cudaError_t status = release(MOCK_PINNED, address, __func__);
    mock_leave();
    return status;
}

/* --- copies --------------------------------------------------------------------------------------------- */

struct copy {
    void *to;
    const void *from; /* NULL: pageable memory, a copy of which follows */
    size_t bytes;
    char staged[];
};

static void run_copy(const void *args)
{
    const struct copy *copy = args;
    memcpy(copy->to, copy->from ? copy->from : copy->staged, copy->bytes);
}

static cudaError_t enqueue_copy(cudaStream_t stream, const struct copy *copy, bool staged, const struct mock_range *ranges, int n)
{
    const size_t bytes = sizeof *copy + (staged ? copy->bytes : 0);
    struct copy *whole = malloc(bytes);
    *whole = *copy;
    if (staged) {
        whole->from = NULL;
        memcpy(whole->staged, copy->from, copy->bytes);
    }
    cudaError_t status = mock_enqueue(stream, "cudaMemcpyAsync", run_copy, whole, bytes, ranges, n);
    free(whole);
    return status;
}

static void check_kind(const void *device, const void *host, size_t bytes, const char *function)
{
    bool whole;
    if (mock_memory_find(device, bytes, &whole) != MOCK_DEVICE)
        mock_fault("%s: no device memory on the side of the device", function);
    if (mock_memory_find(host, bytes, &whole) == MOCK_DEVICE)
        mock_fault("%s: device memory on the side of the host", function);
}

/* As CUDA does: pageable memory is read during the call, and written before it returns. */
cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind, cudaStream_t stream)
{
    const bool up = kind == cudaMemcpyHostToDevice;
    cudaError_t status = mock_enter(__func__, "%zu %s", bytes, up ? "to device" : "to host") ? cudaErrorUnknown : mock_lost();
    const struct copy copy = {to, from, bytes};
    struct mock_range ranges[2] = {{up ? to : from, bytes}, {up ? from : to, bytes}};
    bool whole;
    check_kind(ranges[0].address, ranges[1].address, bytes, __func__);
    const bool pageable = mock_memory_find(ranges[1].address, bytes, &whole) == MOCK_PAGEABLE;
    status = status ? status : enqueue_copy(stream, &copy, pageable && up, ranges, pageable ? 1 : 2);
    if (!status && pageable && !up)
        status = mock_run_stream(stream);
    mock_leave();
    return status;
}

/* On the default stream, which our streams do not wait for. */
cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind)
{
    const bool up = kind == cudaMemcpyHostToDevice;
    const void *device = up ? to : from;
    cudaError_t status = mock_enter(__func__, "%zu", bytes) ? cudaErrorUnknown : mock_lost();
    bool whole;
    mock_memory_find(device, bytes, &whole);
    check_kind(device, up ? from : to, bytes, __func__);
    if (!whole || mock_in_use(device, bytes))
        mock_fault("%s: the memory is %s", __func__, whole ? "in use" : "not live");
    if (!status && whole) {
        mock_memory_open();
        memcpy(to, from, bytes);
        mock_memory_close();
    }
    mock_leave();
    return status;
}

struct fill {
    void *at;
    int value;
    size_t pitch, width, height;
};

static void run_fill(const void *args)
{
    const struct fill *fill = args;
    for (size_t y = 0; y < fill->height; y++)
        memset((char *)fill->at + y * fill->pitch, fill->value, fill->width);
}

static cudaError_t enqueue_fill(cudaStream_t stream, const char *name, const struct fill *fill)
{
    const struct mock_range range = {fill->at, fill->height ? (fill->height - 1) * fill->pitch + fill->width : 0};
    return mock_enqueue(stream, name, run_fill, fill, sizeof *fill, &range, 1);
}

cudaError_t cudaMemsetAsync(void *at, int value, size_t bytes, cudaStream_t stream)
{
    cudaError_t status = mock_enter(__func__, "%zu", bytes) ? cudaErrorUnknown : mock_lost();
    status = status ? status : enqueue_fill(stream, __func__, &(struct fill){at, value, bytes, bytes, 1});
    mock_leave();
    return status;
}

cudaError_t cudaMemset2DAsync(void *at, size_t pitch, int value, size_t width, size_t height, cudaStream_t stream)
{
    cudaError_t status = mock_enter(__func__, "%zu %zu %zu", pitch, width, height) ? cudaErrorUnknown : mock_lost();
    status = status ? status : enqueue_fill(stream, __func__, &(struct fill){at, value, pitch, width, height});
    mock_leave();
    return status;
}

/* --- kernels: what nvcc's code registers when the module is loaded ---------------------------------------------------- */

static struct {
    const void *stub;
    const struct mock_kernel *kernel;
} registered[100];
static int n_registered;

void **__cudaRegisterFatBinary(void *binary)
{
    static void *handle;
    handle = binary;
    return &handle;
}

void __cudaRegisterFatBinaryEnd(void **handle)
{
    (void)handle;
}

void __cudaUnregisterFatBinary(void **handle)
{
    (void)handle;
}

void __cudaRegisterFunction(void **handle, const char *stub, char *device, const char *name, int limit, void *tid, void *bid, void *block,
                            void *grid, int *warp)
{
    (void)handle, (void)device, (void)limit, (void)tid, (void)bid, (void)block, (void)grid, (void)warp;
    registered[n_registered].stub = stub;
    registered[n_registered++].kernel = mock_kernel_find(name);
}

/* Launches by <<< >>>: the module has none, but nvcc's stubs name these. */
cudaError_t __cudaGetKernel(void **kernel, const void *stub)
{
    (void)kernel, (void)stub;
    return cudaErrorNotSupported;
}

cudaError_t __cudaLaunchKernel(void *kernel, dim3 grid, dim3 block, void **args, size_t shared, cudaStream_t stream)
{
    (void)kernel, (void)grid, (void)block, (void)args, (void)shared, (void)stream;
    return cudaErrorNotSupported;
}

unsigned __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared, void *stream)
{
    (void)grid, (void)block, (void)shared, (void)stream;
    return cudaErrorNotSupported;
}

unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared, void *stream)
{
    (void)grid, (void)block, (void)shared, (void)stream;
    return cudaErrorNotSupported;
}

struct launch {
    const struct mock_kernel *kernel;
    unsigned grid, block;
    int64_t n;
    _Alignas(16) char args[512];
};

static void run_launch(const void *args)
{
    const struct launch *launch = args;
    mock_kernel_run(launch->kernel, launch->grid, launch->block, launch->n, launch->args);
}

/* Words of the arguments that are addresses of memory. */
static int find_addresses(const struct launch *launch, size_t bytes, struct mock_range *ranges, int most)
{
    int n = 0;
    for (size_t at = 0; at + sizeof(void *) <= bytes; at += sizeof(void *)) {
        const void *word;
        bool whole;
        memcpy(&word, launch->args + at, sizeof word);
        if (mock_memory_find(word, 1, &whole) == MOCK_PAGEABLE)
            continue;
        if (n < most)
            ranges[n++] = (struct mock_range){word, 1};
    }
    return n;
}

cudaError_t cudaLaunchKernel(const void *stub, dim3 grid, dim3 block, void **args, size_t shared, cudaStream_t stream)
{
    struct launch launch = {.grid = grid.x, .block = block.x};
    struct mock_range ranges[8];
    for (int i = 0; i < n_registered; i++)
        if (registered[i].stub == stub)
            launch.kernel = registered[i].kernel;
    cudaError_t status = mock_enter(__func__, "%u x %u", grid.x, block.x) ? cudaErrorLaunchFailure : mock_lost();
    if (!launch.kernel || !grid.x || grid.x > INT32_MAX || !block.x || block.x > 1024 || grid.y * grid.z * block.y * block.z != 1 ||
        shared || launch.kernel->bytes > sizeof launch.args) {
        mock_fault("%s: no such kernel, or a grid that is none", __func__);
        status = cudaErrorInvalidConfiguration;
    }
    if (!status) {
        const size_t bytes = launch.kernel->bytes;
        memcpy(&launch.n, args[0], sizeof launch.n);
        memcpy(launch.args, args[1], bytes);
        const int n = find_addresses(&launch, bytes, ranges, 8);
        status = mock_enqueue(stream, __func__, run_launch, &launch, sizeof launch, ranges, n);
    }
    mock_leave();
    return status;
}
