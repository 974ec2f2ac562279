#!/usr/bin/env bash
# scripts/bench svd_arrays: gt-svd of plain arrays beside dask, whole process against whole process in turn, both
# with 2 threads and one thread in OpenBLAS; each reads the Zarr array and writes u, s and v.
#
#   RUNS=3           runs of each command
#   BENCH_DATA=DIR   where the arrays are looked for and kept; default: a temporary folder
set -euo pipefail
# shellcheck source=scripts/lib-bench.sh
source "$(dirname "${BASH_SOURCE[0]}")/../lib-bench.sh"
runs=${RUNS:-3}
data=${BENCH_DATA:-$work}
export OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1

# array NAME ROWS COLUMNS KIND CHUNKS: unless it is there.
array() {
    [ -d "$data/$1" ] || "$PYTHON" - "$data/$1" "$2" "$3" "$4" "$5" <<'PY'
import numpy as np, sys, zarr
path, rows, columns, kind, chunks = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4], eval(sys.argv[5])
rng = np.random.default_rng(1)
z = zarr.open(path, mode="w", shape=(rows, columns), chunks=chunks, dtype=kind)
for i in range(0, rows, chunks[0]):
    shape = (min(chunks[0], rows - i), columns)
    z[i:i + shape[0]] = rng.integers(0, 3, shape, dtype=kind) if kind == "u1" else rng.standard_normal(shape).astype(kind)
PY
}

theirs() { # NAME ARRAY CALL
    timed "$1" "$PYTHON" -c 'import sys, dask, numpy as np, dask.array as da
dask.config.set(scheduler="threads", num_workers=2)
x = da.from_zarr(sys.argv[1])
for part, value in zip("usv", dask.compute(*eval(sys.argv[2]))):
    np.save(sys.argv[3] + "." + part + ".npy", value)' "$data/$2" "$3" "$work/theirs"
}

# row TEXT ARRAY CALL OPTION...
row() {
    rm -f "$work"/*.s
    for ((i = 0; i < runs; i++)); do
        timed ours "$GT_BIN/gt-svd" -q -f -@ 2 "${@:4}" "$data/$2" -o "$work/ours"
        theirs dask "$2" "$3"
    done
    local ours theirs
    ours=$(median <"$work/ours.s") theirs=$(median <"$work/dask.s")
    printf '| %s | %.2f | %.2f | %.1f |\n' "$1" "$ours" "$theirs" "$(echo "$theirs / $ours" | bc -l)"
}

array u8.zarr 40000 20000 u1 4000,2000
array tall.zarr 2000000 20 f8 100000,20
array wide.zarr 100000 300 f8 10000,300
echo "| array | gt-svd, s | dask, s | ratio |"
echo "|---|---|---|---|"
for power in 0 1 2; do
    row "40,000 x 20,000 uint8 of 0 to 2, \`compressed -k 10\`, power iterations: $power" u8.zarr \
        "da.linalg.svd_compressed(x, 10, n_power_iter=$power)" --algorithm compressed -k 10 --power-iterations "$power"
done
row "2,000,000 x 20 float64, \`tsqr\`" tall.zarr "da.linalg.svd(x)" --algorithm tsqr
row "100,000 x 300 float64, \`tsqr\`" wide.zarr "da.linalg.svd(x)" --algorithm tsqr
