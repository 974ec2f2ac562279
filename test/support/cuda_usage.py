#!/usr/bin/env python3
"""cuda_usage.py FILE: registers and occupancy of each kernel, from what nvcc --resource-usage wrote (gt-cuda.usage in the build tree).

Prints a table, a line for each kernel and GPU.  Exit status 1: a kernel spills registers or has a stack frame in local memory,
or there are no kernels in the file.
"""
import re
import sys

BLOCK = 256  # GT_CUDA_BLOCK of src/core/device/cuda_impl.cuh
REGISTERS, THREADS = 65536, 2048  # of a multiprocessor of sm_80, sm_90 and sm_100
WARP_UNIT = 256  # registers are given to a warp in units of so many


def occupancy(registers):
    """The share of a multiprocessor's threads that blocks of this kernel can fill."""
    warp = -(-registers * 32 // WARP_UNIT) * WARP_UNIT
    blocks = min(REGISTERS // (warp * BLOCK // 32), THREADS // BLOCK)
    return blocks * BLOCK / THREADS


def kernels(text):
    """(name, GPU, registers, bytes of local memory) of each."""
    entry = re.compile(
        r"Compiling entry function '(\w+)' for '(\w+)'.*?(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads"
        r".*?Used (\d+) registers",
        re.S,
    )
    return [(m[1], m[2], int(m[6]), int(m[3]) + int(m[4]) + int(m[5])) for m in entry.finditer(text)]


def main():
    with open(sys.argv[1], encoding="utf-8") as f:
        found = kernels(f.read())
    print("kernel\tGPU\tregisters\toccupancy\tlocal_bytes")
    for name, gpu, registers, local in sorted(found):
        print(f"{name}\t{gpu}\t{registers}\t{occupancy(registers):.2f}\t{local}")
    return 0 if found and not any(local for _, _, _, local in found) else 1


sys.exit(main())
