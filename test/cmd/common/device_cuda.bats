#!/usr/bin/env bats
# --device cuda through the module and the mock of CUDA's libraries (test/support/cuda_mock/mock.h): the CPU's results, no wrong use of CUDA,
# nothing left behind, and one line for a failure of any call.  GT_TEST_GPU=1: on a GPU, without what needs the mock.

bats_require_minimum_version 1.5.0

# shellcheck source=test/support/level.bash
. "$GT_SOURCE/test/support/level.bash"

setup() {
    cd "$BATS_TEST_TMPDIR" || exit 1
    unset GT_DEVICE GT_DEVICE_FAULT GT_MOCK_FAIL GT_MOCK_ORDER GT_MODULES
    mock=$GT_BUILD/test/support/cuda_mock
    [ -e "$GT_BUILD/gt-cuda.so" ] || skip "this build has no CUDA module"
    log=$PWD/log
}

# mocked COMMAND...: with the mock, whose log is written anew.
mocked() {
    rm -f "$log"
    if [ -n "${GT_TEST_GPU:-}" ]; then
        "$@"
        return
    fi
    LD_LIBRARY_PATH=$mock GT_MOCK_LOG=$log "$@"
}

# The last run used CUDA as it should, and freed all that it took.
clean() {
    [ -z "${GT_TEST_GPU:-}" ] || return 0
    [ "$(tail -n 1 "$log")" = end ] || { echo "the log has no end"; return 1; }
    ! grep -E '^(fault|leak) ' "$log"
}

# same COMMAND... OPTION: the option for the output comes last; CPU (or $reference) and GPU write the same bytes, in any order of the work of
# streams.
same() {
    local order
    GT_DEVICE=${reference:-cpu} "$@" cpu
    for order in 0 $(seq "$(by_level 2 5 20)"); do
        GT_MOCK_ORDER=$order mocked env GT_DEVICE=cuda "$@" cuda
        clean
        diff -r cpu cuda
        rm -r cuda
    done
    rm -r cpu
}

# every_failure OUT COMMAND...: the first, the last and (by level) other calls of each function of CUDA that COMMAND calls fail.
every_failure() {
    local out=$1 function calls n late counts
    [ -z "${GT_TEST_GPU:-}" ] || return 0
    shift
    mocked "$@" > /dev/null
    clean
    rm -rf want
    mkdir want
    [ -z "$out" ] || cp -r "$out"* want
    counts=$(sed -n 's/^count //p' "$log")
    local tried=0
    while read -r function calls; do
        case $function in # these only describe a GPU, or free what it has
        cudaDeviceGetPCIBusId | cudaDeviceSynchronize | cudaDriverGetVersion | *Destroy | *DestroyParams | cudaFree*) continue ;;
        esac
        for n in $({ echo 1; echo "$calls"; seq 2 $((calls / $(by_level 1 4 20) + 1)) "$calls"; } | sort -un); do
            for late in "" :late; do
                case $function$late in # what work is queued by
                cudaMem*Async:late | cudaLaunchKernel:late | cublasLtMatmul:late | cusolverDnXsyevd:late | cusolverDnD*qr[f]:late | cudaEventRecord:late) ;;
                *:late) continue ;;
                esac
                [ -z "$out" ] || rm -rf "$out"*
                tried=$((tried + 1))
                GT_MOCK_FAIL=$function:$n$late check_failure "$out" "$@" || { echo "$function:$n$late"; return 1; }
            done
        done
    done <<< "$counts"
    echo "$tried failures"
    ((tried > 20))
}

check_failure() {
    local out=$1 status=0
    shift
    mocked "$@" > stdout 2> stderr || status=$?
    clean || return 1
    if [ "$status" -eq 0 ]; then # a call that sets the device before memory is freed, or the last wait, or memory that saves time only
        local name
        [[ $GT_MOCK_FAIL == cudaSetDevice:* || $GT_MOCK_FAIL == cudaStreamSynchronize:* || $GT_MOCK_FAIL == cudaMalloc:* && -n $out ]] || return
        for name in want/*; do [ ! -e "$name" ] || diff -r "$name" "${name#want/}" || return; done
        return
    fi
    [[ $status -eq 1 || $status -eq 4 ]] || { echo "exit $status"; return 1; }
    [ "$(grep -vc '^hint: ' stderr)" -eq 1 ] && grep -q 'cuda:0: ' stderr || { cat stderr; return 1; }
    [ -z "$out" ] || ! compgen -G "$out*" > /dev/null || { echo "left: $(compgen -G "$out*")"; return 1; }
}

@test "what the module says of GPUs and drivers" {
    [ -z "${GT_TEST_GPU:-}" ] || skip "needs the mock"
    run -0 mocked gt-info --devices
    [[ $output == *"cuda:0: Mock GPU"*"sm_90"* ]]
    clean
    run -0 mocked gt-info --devices --json
    "${PYTHON:-python3}" -c 'import json, sys
d = json.loads(sys.argv[1]); one = d["devices"][0]
assert "cause" not in d and one["device"] == "cuda:0" and one["name"].startswith("Mock GPU") and one["memory"] >= one["memory_free"] > 0, d' "$output"
    GT_MOCK_DEVICES=0 run -0 mocked gt-info --devices
    [[ $output == *"cuda: no device"* ]]
    GT_MOCK_DRIVER=none run -0 mocked gt-info --devices
    [[ $output == *"cuda: no CUDA driver"* ]]
    GT_MOCK_DRIVER=none run -1 --separate-stderr mocked gt-pi --points 1000 --device cuda
    [[ $stderr == "gt-pi: cuda:0: cannot be used: no CUDA driver" ]]
    GT_MOCK_DRIVER=old run -1 --separate-stderr mocked gt-pi --points 1000 --device cuda
    [[ $stderr == *"driver version is insufficient"* ]]
    GT_MOCK_MEMORY=2000 run -4 --separate-stderr mocked gt-pi --points 1000 --device cuda
    [[ $stderr == *"cuda:0: this work needs "*"may use "* ]]
}

# auto DEVICE COMMAND...: what --device auto says that it chose, and why; the plan has that device.
auto() {
    local want=$1
    shift
    run -0 --separate-stderr mocked "$@" --device auto -n
    echo "$stderr"
    [[ $stderr == *": device: $want ("* && $output == *"device  "*" $want ("* ]]
}

# 2,000 samples and 10^6 variants: enough for plans.
large_fileset() {
    seq 2000 | awk -v OFS='\t' '{print 0, "s" $1, 0, 0, 0, -9}' > large.fam
    seq 1000000 | awk -v OFS='\t' '{print 1, "v" $1, 0, $1, "A", "C"}' > large.bim
    printf '\x6c\x1b\x01' > large.bed
    truncate -s $((3 + 500 * 1000000)) large.bed
}

@test "--device auto: the faster one by its prediction, and the CPU where the GPU has too little memory" {
    [ -z "${GT_TEST_GPU:-}" ] || skip "needs the mock"
    auto cuda:0 gt-pi --points 1e12 -@ 1
    [[ $stderr == *"predicted "*" s on Mock GPU, "*" s on the CPU)"* ]]
    auto cpu gt-pi --points 1000
    [[ $stderr == *"predicted 0.5 s on Mock GPU, "*" s on the CPU)"* ]]
    large_fileset
    gt-sim -q --samples 50 --variants 400 --missing 0.1 --seed 2 -o small.zarr
    gt-unpack -q small.zarr -O vcf -o small.vcf
    gt-svd -q -k 2 --loadings small.zarr -o model
    for command in gt-pdist "gt-svd -k 10" "gt-svd -k 10 --algorithm gram"; do
        # shellcheck disable=SC2086
        auto cuda:0 $command -@ 1 large.bed
        # shellcheck disable=SC2086
        auto cpu $command small.zarr
        # shellcheck disable=SC2086
        auto cpu $command small.vcf
        [[ $stderr == *"the size of the input is not known in advance"* ]]
        # shellcheck disable=SC2086
        GT_MOCK_MEMORY=20000000 auto cpu $command -@ 1 large.bed
        [[ $stderr == *"cuda:0: this work needs "*" of device memory, and may use "* ]]
        # shellcheck disable=SC2086
        GT_MOCK_MEMORY=20000000 run -4 --separate-stderr mocked $command -@ 1 large.bed -n --device cuda
        [[ $stderr == *"cuda:0: this work needs "* ]]
        # of two causes the one that remains without a GPU is reported
        # shellcheck disable=SC2086
        needed=$($command -@ 1 large.bed -n | sed -n 's/^memory *\([0-9]*\)M needed.*/\1/p')
        # shellcheck disable=SC2086
        GT_MOCK_MEMORY=20000000 run -4 --separate-stderr mocked $command -@ 1 large.bed -n --device auto --memory $((needed - 1))M
        [[ $stderr == *" of memory leaves "*"hint: --memory ${needed}M would do"* && $stderr != *"device: cpu ("* ]] || { echo "$stderr"; return 1; }
    done
    auto cpu gt-svd --project model.model.zip small.zarr
    # the decision changes no byte
    mocked gt-pdist -q --device auto small.zarr | cmp - <(gt-pdist -q small.zarr)
}

@test "the memory that products take on each stream is planned and counted" {
    [ -z "${GT_TEST_GPU:-}" ] || skip "needs the mock"
    gt-sim -q --samples 50 --variants 400 --missing 0.1 --seed 2 -o small.zarr
    for command in gt-pdist "gt-svd -k 3 --algorithm krylov"; do
        # shellcheck disable=SC2086
        run -4 --separate-stderr mocked $command --device cuda --device-memory 32M small.zarr -o none
        [[ $stderr == *"cuda:0: this work needs "*"hint: use --device-memory "* ]]
        memory=$(sed -n 's/^hint: use --device-memory //p' <<< "$stderr")
        ((${memory%M} >= 33 && ${memory%M} < 60))
        # shellcheck disable=SC2086
        mocked $command -q --device cuda --device-memory "$memory" small.zarr -o "out$((++n))"
        clean
    done
}

@test "gt-pi: the CPU's count" {
    for args in "--points 3000001 --seed 5" "--points 1" "--points 400000 --chunks 77 --runs 2"; do
        # shellcheck disable=SC2086
        run -0 mocked gt-pi --json --device cuda $args
        clean
        # shellcheck disable=SC2086
        [ "$(sed 's/.*"inside": \([0-9]*\),.*/\1/' <<< "$output")" = "$(gt-pi --json $args | sed 's/.*"inside": \([0-9]*\),.*/\1/')" ]
    done
    every_failure "" gt-pi --points 100000 --device cuda
}

@test "gt-sim: the CPU's genotypes" {
    same gt-sim -q --samples 1001 --variants 700 --pops 3 --missing 0.05 --no-version -o
    same gt-sim -q --samples 130 --variants 300 --phased --multiallelic 0.3 -O vcz --no-version -o
    every_failure out gt-sim -q --samples 101 --variants 900 --pops 2 --missing 0.1 --device cuda -o out.zarr
}

@test "gt-pdist: the CPU's sums of pairs" {
    gt-sim -q --samples 77 --variants 1500 --missing 0.03 --seed 2 -o m.zarr
    gt-sim -q --samples 40 --variants 900 --seed 3 -o c.zarr
    for metric in king euclidean 1-ibs grm; do
        same gt-pdist -q -m $metric m.zarr -o
        same gt-pdist -q -m $metric c.zarr -o
    done
    every_failure out gt-pdist -q -m king m.zarr --device cuda -o out.npy
}

@test "gt-svd: the CPU's components" {
    gt-sim -q --samples 77 --variants 1500 --missing 0.03 --seed 2 -o m.zarr
    for algorithm in krylov compressed gram; do
        same gt-svd -q -k 3 --no-version --algorithm $algorithm m.zarr -O zarr -o
    done
    every_failure out gt-svd -q -k 3 m.zarr --device cuda -o out.zarr
    rm -rf out.zarr
    gt-svd -q -k 3 --loadings m.zarr -o model
    same gt-svd -q --no-version --project model.model.zip m.zarr -O zarr -o
    every_failure out gt-svd -q --project model.model.zip m.zarr --device cuda -o out.zarr
}

@test "gt-pdist of arrays: the CPU's sums of pairs" {
    gt-sim -q --samples 70 --variants 300 --normal --seed 2 -o x.zarr
    same gt-pdist -q -m correlation x.zarr -o
    [ -n "${GT_TEST_GPU:-}" ] || same gt-pdist -q -m jensenshannon x.zarr -o
    every_failure out gt-pdist -q -m cosine x.zarr --device cuda -o out.npy
}

@test "gt-svd of arrays: the host device's results, for 0, 1 and 2 the CPU's" {
    local way reference
    [ -z "${GT_TEST_GPU:-}" ] || skip "products of a GPU are rounded otherwise"
    gt-sim -q --samples 70 --variants 1100 --normal --seed 2 -o x.zarr
    gt-sim -q --samples 70 --variants 1100 --uniform 0..2 --seed 2 -o codes.zarr
    for way in "krylov -k 3 --tol 1e-2" "compressed -k 3 --power-iterations 1"; do
        # shellcheck disable=SC2086
        reference=host same gt-svd -q --no-version --algorithm $way x.zarr -O zarr -o
    done
    mocked gt-svd -q --algorithm tsqr --device cuda x.zarr -o on_cuda
    clean
    gt-svd -q --algorithm tsqr x.zarr -o on_cpu
    "${PYTHON:-python3}" -c 'import numpy as np
for part in "usv":
    a, b = np.load(f"on_cpu.{part}.npy"), np.load(f"on_cuda.{part}.npy")
    assert np.allclose(a, b, rtol=1e-12, atol=1e-10), part'
    same gt-svd -q -k 3 --no-version --as array --algorithm krylov --tol 1e-2 codes.zarr -O zarr -o
    every_failure out gt-svd -q --algorithm tsqr x.zarr --device cuda -o out.zarr
}
