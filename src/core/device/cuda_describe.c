/* What a GPU is: from the runtime, and from what is known of its architecture. */
#include "core/device/cuda_impl.cuh"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int gt_cuda_count(int *n)
{
    *n = 0;
    cudaError_t status = cudaGetDeviceCount(n);
    if (status == cudaErrorNoDevice) {
        *n = 0;
        cudaGetLastError();
        return GT_DEVICE_OK;
    }
    return gt_cuda_check(status, "cannot count the GPUs");
}

static int attribute(int index, enum cudaDeviceAttr which, int *value)
{
    return gt_cuda_check(cudaDeviceGetAttribute(value, which, index), "cannot describe GPU %d", index);
}

static int capability(int index, int *of)
{
    int major, minor, code = attribute(index, cudaDevAttrComputeCapabilityMajor, &major);
    code = code ? code : attribute(index, cudaDevAttrComputeCapabilityMinor, &minor);
    if (!code)
        *of = major * 10 + minor;
    return code;
}

int gt_cuda_check_gpu(int index)
{
    int of, n, code = gt_cuda_count(&n);
    if (!code && index >= n)
        return gt_cuda_fail(GT_DEVICE_ABSENT, n ? "there is no GPU %d, only %d" : "there is no GPU", index, n);
    code = code ? code : capability(index, &of);
    if (code || of >= GT_CUDA_LEAST_CAPABILITY)
        return code;
    return gt_cuda_fail(GT_DEVICE_ABSENT, "GPU %d has compute capability %d.%d; at least %d.%d is needed", index, of / 10, of % 10,
                        GT_CUDA_LEAST_CAPABILITY / 10, GT_CUDA_LEAST_CAPABILITY % 10);
}

/* Multiply-adds per multiprocessor and clock: dense int8 products of the tensor cores, float32 and float64 (with tensor cores where
 * they take float64).  From NVIDIA's architecture papers; others are not known. */
struct rates {
    int capability, int8, f32, f64;
};
static const struct rates rates[] = {
    {80, 2048, 64, 64},   {86, 1024, 128, 2},    {87, 1024, 128, 2},  {89, 1024, 128, 2},
    {90, 4096, 128, 128}, {100, 8192, 128, 128}, {120, 1024, 128, 2},
};

static void set_rates(int of, int processors, int khz, struct gt_device_info *info)
{
    const double clocks = (double)processors * khz * 1e3;
    for (size_t i = 0; i < sizeof rates / sizeof *rates; i++)
        if (rates[i].capability == of) {
            info->int8_rate = clocks * rates[i].int8;
            info->f32_rate = clocks * rates[i].f32;
            info->f64_rate = clocks * rates[i].f64;
        }
}

/* A number from /sys/bus/pci/devices/BUS/NAME; 0 where there is none. */
static double read_pci(const char *bus, const char *name)
{
    char path[200], line[64] = "";
    snprintf(path, sizeof path, "/sys/bus/pci/devices/%s/%s", bus, name);
    FILE *file = fopen(path, "re");
    if (!file)
        return 0;
    if (!fgets(line, sizeof line, file))
        line[0] = '\0';
    fclose(file);
    return strtod(line, NULL);
}

/* PCI Express 3 and later: transfers of a bit, 128 of 130 of them data. */
static void set_bus_rate(int index, struct gt_device_info *info)
{
    char bus[32];
    if (cudaDeviceGetPCIBusId(bus, sizeof bus, index) != cudaSuccess) {
        cudaGetLastError();
        return;
    }
    for (char *at = bus; *at; at++)
        *at = *at >= 'A' && *at <= 'F' ? *at - 'A' + 'a' : *at;
    info->bus_rate = read_pci(bus, "max_link_speed") * 1e9 * read_pci(bus, "max_link_width") / 8 * 128 / 130;
}

static int set_memory(int index, struct gt_device_info *info)
{
    size_t available, all;
    int code = gt_cuda_check(cudaSetDevice(index), "cannot use GPU %d", index);
    code = code ? code : gt_cuda_check(cudaMemGetInfo(&available, &all), "cannot tell the memory of GPU %d", index);
    if (!code) {
        info->memory = (int64_t)all;
        info->memory_free = (int64_t)available;
    }
    return code;
}

static int set_version(int index, int of, struct gt_device_info *info)
{
    int driver = 0, runtime = 0, code = gt_cuda_check(cudaDriverGetVersion(&driver), "cannot tell the version of the driver");
    code = code ? code : gt_cuda_check(cudaRuntimeGetVersion(&runtime), "cannot tell the version of CUDA");
    struct cudaDeviceProp properties;
    code = code ? code : gt_cuda_check(cudaGetDeviceProperties(&properties, index), "cannot describe GPU %d", index);
    if (!code) {
        snprintf(info->name, sizeof info->name, "%.90s", properties.name);
        snprintf(info->version, sizeof info->version, "CUDA %d.%d, driver for CUDA %d.%d, sm_%d", runtime / 1000, runtime % 1000 / 10,
                 driver / 1000, driver % 1000 / 10, of);
    }
    return code;
}

int gt_cuda_describe(int index, struct gt_device_info *info)
{
    int of, processors, khz, memory_khz, bus_bits;
    memset(info, 0, sizeof *info);
    int code = gt_cuda_check_gpu(index);
    code = code ? code : capability(index, &of);
    code = code ? code : set_version(index, of, info);
    code = code ? code : attribute(index, cudaDevAttrMultiProcessorCount, &processors);
    code = code ? code : attribute(index, cudaDevAttrClockRate, &khz);
    code = code ? code : attribute(index, cudaDevAttrMemoryClockRate, &memory_khz);
    code = code ? code : attribute(index, cudaDevAttrGlobalMemoryBusWidth, &bus_bits);
    code = code ? code : set_memory(index, info);
    if (code)
        return code;
    set_rates(of, processors, khz, info);
    info->memory_rate = 2e3 * memory_khz * bus_bits / 8; /* two transfers a clock */
    set_bus_rate(index, info);
    info->product_memory = (int64_t)GT_CUDA_BLAS_BYTES;
    return GT_DEVICE_OK;
}
