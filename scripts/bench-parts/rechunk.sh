#!/usr/bin/env bash
# Tall to wide, the case that rechunking tools find hard: int8, chunks of 1,000 rows to chunks of 10
# columns; beside it chunks that are copied, and chunks that get another codec.  Wall seconds
# (median) and peak resident memory.  rechunker, dask, and dask.distributed with a worker that is held to
# 1 GB, are measured where $PYTHON has them, and given up after two minutes.
#   rechunk.sh [ROWS [COLUMNS [RUNS]]]         needs GT_BIN; default 200000 10000 3
set -euo pipefail
# shellcheck source=scripts/lib-bench.sh
source "$(dirname "${BASH_SOURCE[0]}")/../lib-bench.sh"
rows=${1:-200000} columns=${2:-10000} runs=${3:-3}
cd "$work"

"$GT_BIN/gt-sim" -q -@ "$threads" --samples "$columns" --variants "$rows" --uniform 0..2 --chunks "variants=1000,samples=$columns" \
    --codec blosc:lz4:5:bitshuffle -o in.zarr

cat > theirs.py << 'PYTHON'
import sys
import dask, numcodecs, zarr

def by_dask():
    import dask.array
    dask.array.from_zarr("in.zarr").rechunk(shape).to_zarr("out.zarr", compressor=codec)

codec = numcodecs.Blosc("lz4", 5, numcodecs.Blosc.BITSHUFFLE)  # as in.zarr has it, and gt-rechunk keeps it
shape = (int(sys.argv[2]), 10)
with dask.config.set(scheduler="threads", num_workers=int(sys.argv[3])):
    if sys.argv[1] == "rechunker":
        from rechunker import rechunk
        rechunk(zarr.open("in.zarr"), target_chunks=shape, max_mem="1GB", target_store="out.zarr",
                temp_store="temp.zarr", target_options={"compressor": codec}, temp_options={"compressor": codec}).execute()
    elif sys.argv[1] == "dask":
        by_dask()
if sys.argv[1] == "distributed" and __name__ == "__main__":
    from dask.distributed import Client, LocalCluster
    with LocalCluster(n_workers=1, threads_per_worker=int(sys.argv[3]), memory_limit="1GB", dashboard_address=None,
                      local_directory=".") as cluster, Client(cluster):
        by_dask()
PYTHON

# row NAME COMMAND...: median seconds and largest memory of the runs
row() {
    rm -f row.s row.kb
    for ((i = 0; i < runs; i++)); do
        rm -rf out.zarr temp.zarr
        timed row "${@:2}" || { [ $? -ne 124 ] || printf '%-44s not ended after two minutes\n' "$1"; return 0; }
    done
    printf '%-44s %8.2f s %8d MiB\n' "$1" "$(median row.s)" "$(($(largest row.kb) / 1024))"
}

ours() { row "$1" "$GT_BIN/gt-rechunk" -q -@ "$threads" "${@:2}" in.zarr -o out.zarr; }

ours "tall to wide, --memory 1G" --memory 1G -c -1,10
ours "tall to wide, --memory 128M" --memory 128M -c -1,10
for tool in rechunker dask distributed; do
    "$PYTHON" -c "import dask.array, numcodecs, zarr; import $tool" 2> /dev/null || continue
    row "tall to wide, $tool" timeout 120 "$PYTHON" theirs.py "$tool" "$rows" "$threads"
done
ours "same chunks, same codec"
row "cp -r, synced as well" sh -c "cp -r in.zarr out.zarr && sync -f out.zarr"
ours "same chunks, zstd:1" --codec zstd:1

# What decoding and encoding take alone: in memory, chunks of 10 MB to chunks of 2 and of 10.
[ -x "$GT_BIN/test/storage/codec/bench_codec" ] || exit 0
"$GT_BIN/test/storage/codec/bench_codec" blosc:lz4:5:bitshuffle blosc:lz4:5:bitshuffle 2
"$GT_BIN/test/storage/codec/bench_codec" blosc:lz4:5:bitshuffle zstd:1 10
