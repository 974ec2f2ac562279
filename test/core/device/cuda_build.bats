#!/usr/bin/env bats
# How the CUDA module is built: its kernels, what it needs, and that no C header has types of CUDA.

setup() {
    bats_require_minimum_version 1.5.0
    module=$GT_BUILD/gt-cuda.so
    usage=$GT_BUILD/gt-cuda.usage
}

need_module() {
    [ -e "$module" ] || skip "this build has no CUDA module"
}

@test "no kernel spills registers into local memory, and each fills at least half of a multiprocessor" {
    need_module
    run -0 "$GT_SOURCE/test/support/cuda_usage.py" "$usage"
    grep -q $'^gt_cuda_pi_count\tsm_90\t' <<< "$output"
    awk -F '\t' 'NR > 1 && $4 < 0.5 { print; bad = 1 } END { exit bad }' <<< "$output"
}

@test "the check of local memory finds a spill" {
    need_module
    sed 's/0 bytes spill stores/8 bytes spill stores/' "$usage" > "$BATS_TEST_TMPDIR/usage"
    run -1 "$GT_SOURCE/test/support/cuda_usage.py" "$BATS_TEST_TMPDIR/usage"
    : > "$BATS_TEST_TMPDIR/usage"
    run -1 "$GT_SOURCE/test/support/cuda_usage.py" "$BATS_TEST_TMPDIR/usage"
}

@test "every kernel of the list is compiled for every GPU that --version names" {
    need_module
    gpus=$("$GT_BUILD/gt-pi" --version | grep '^CUDA module: ' | grep -o 'sm_[0-9]*')
    [ -n "$gpus" ]
    for kernel in $(sed -n 's/.*KERNEL(\([a-z_0-9]*\)) *\\\?$/\1/p' "$GT_SOURCE/kernels/device/list.h"); do
        for gpu in $gpus; do
            grep -q "entry function 'gt_cuda_$kernel' for '$gpu'" "$usage"
        done
    done
}

@test "the module exports one symbol; programs and C headers know nothing of CUDA" {
    need_module
    [ "$(nm -D --defined-only "$module" | awk '{ print $3 }')" = gt_device_module ]
    for library in cudart cublasLt cusolver; do
        readelf -d "$module" | grep -q "NEEDED.*lib$library\.so"
    done
    run ! sh -c "ldd '$GT_BUILD/gt-svd' | grep -E 'libcu(da|blas|solver)'"
    run ! grep -rlE --include='*.h' 'cuda_runtime|cudaStream_t|cublas|cusolver' "$GT_SOURCE/src" "$GT_SOURCE/cmd" "$GT_SOURCE/kernels"
}
