#!/usr/bin/env bash
# What a GPU reaches: its operations, then the commands on it and on the CPU.
#
#   scripts/bench gpu [SAMPLES [VARIANTS]]     on data of gt-sim, 20,000 x 200,000 if not given
#
# GT_BENCH_DEVICE: cuda (the default), cuda:N; host with small sizes tries the script itself.
set -euo pipefail
# shellcheck source=scripts/lib-bench.sh
source "$(dirname "${BASH_SOURCE[0]}")/../lib-bench.sh"
device=${GT_BENCH_DEVICE:-cuda} samples=${1:-20000} variants=${2:-200000}
tile=$((variants < 16384 ? variants : 16384))
points=100000000000
[ "$device" != host ] || points=10000000

make -C "$GT_BIN" test/core/device/bench_device > /dev/null
gt-info --devices
GT_MODULES=$GT_BIN "$GT_BIN/test/core/device/bench_device" "$device" "$samples" "$tile"

# compare NAME WORK UNIT COMMAND...: seconds on the device and on the CPU, three times in turn, and WORK per second of the device.
compare() {
    local name=$1 amount=$2 unit=$3 place
    shift 3
    for _ in 1 2 3; do
        for place in "$device" cpu; do
            rm -rf "$work"/out.*
            timed "$name.$place" env GT_DEVICE="$place" "$@"
        done
    done
    awk -v name="$name" -v amount="$amount" -v unit="$unit" -v a="$(median "$work/$name.$device.s")" -v b="$(median "$work/$name.cpu.s")" \
        'BEGIN { printf "%-16s %9.2f s on the device, %9.2f s on the cpu, %.3g %s/s on the device\n", name, a, b, amount / a, unit }'
}

gt-sim -q --samples "$samples" --variants "$variants" --no-version -o "$work/complete.zarr"
gt-sim -q --samples "$samples" --variants "$variants" --missing 0.01 --no-version -o "$work/missing.zarr"
genotypes=$((samples * variants)) pair_sites=$((samples * samples / 2 * variants))
compare pi "$points" points gt-pi --points "$points"
compare sim "$genotypes" genotypes gt-sim -q --samples "$samples" --variants "$variants" -o "$work/out.zarr"
compare pdist-complete "$pair_sites" pair-sites gt-pdist -q -m euclidean "$work/complete.zarr" -o "$work/out.npy"
compare pdist-missing "$pair_sites" pair-sites gt-pdist -q -m euclidean "$work/missing.zarr" -o "$work/out.npy"
compare pdist-king "$pair_sites" pair-sites gt-pdist -q -m king "$work/missing.zarr" -o "$work/out.npy"
compare svd "$genotypes" genotypes gt-svd -q -k 10 "$work/complete.zarr" -o "$work/out.zarr"
