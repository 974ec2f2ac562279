#!/usr/bin/env bash
# Rechunking beside its peers and beside its floor.  int8 (2 GB), tall to wide: chunks of 1,000 rows to chunks of 10 columns,
# blosc:lz4; float32 (0.5 GB), zstd:1, Zarr 3: rows to columns, (1,:,:) to (:,32,32), and the same in shards.  Peers: for
# int8 rechunker, dask and TensorStore ($PEERS; distributed has a worker that is held to 1 GB), else TensorStore; given up after two minutes.
# All results are compared number by number.
# The floor: files read and decoded, items moved, chunks encoded, files written and synced, each step alone with the same libraries,
# chunks and threads, in memory that was touched before (test/calc/rechunk/bench_steps.c).
# Of each: wall and cpu seconds of the whole process (medians; all in turn), and the largest resident memory.
#   rechunk.sh [RUNS [PARTS [CASE...]]]         needs GT_BIN; default 3 1 int8 memory copies columns layers shards
# PARTS: arrays of a so manieth part of the length.  memory: int8 at five limits of memory; copies: int8 with the same chunks.
# PYTHON_RECHUNK: a Python with "dask[array]", "zarr<3", rechunker and tensorstore, made where it is not set.
set -euo pipefail
# shellcheck source=scripts/lib-bench.sh
source "$(dirname "${BASH_SOURCE[0]}")/../lib-bench.sh"
runs=${1:-3} parts=${2:-1} cases=("${@:3}")
[ ${#cases[@]} -gt 0 ] || cases=(int8 memory copies columns layers shards)
theirs=$(realpath "$(dirname "${BASH_SOURCE[0]}")/rechunk.py")
python=${PYTHON_RECHUNK:-$(pypi "$TOP/build/python-rechunk" 'dask[array,distributed] zarr<3 rechunker tensorstore' \
    'import dask.array, rechunker, tensorstore, zarr')}
[ -n "$python" ] || { echo "no rechunker, dask and TensorStore: see build/python-rechunk.log" >&2; exit 1; }
steps=$GT_BIN/test/calc/rechunk/bench_steps
[ -x "$steps" ] || make -C "$GT_BIN" -s test/calc/rechunk/bench_steps
cd "$work"

over() { echo "$1 / $2" | bc -l; }

# row TEXT NAME: what its runs took, and the ratio of its times to ours
row() {
    printf '| %s | %.2f | %.2f | %d | %.2f | %.2f |\n' "$1" "$(median "$2.s")" "$(median "$2.cpu")" "$(($(largest "$2.kb") / 1024))" \
        "$(over "$(median "$2.s")" "$(median ours.s)")" "$(over "$(median "$2.cpu")" "$(median ours.cpu)")"
}

# Each step of the floor: its times go behind those in STEP.s and STEP.cpu.
floor_steps() {
    local step wall cpu
    mkdir floor
    "$steps" in.zarr ours.zarr floor "$threads" > floor.said
    rm -r floor
    while read -r step wall cpu; do echo "$wall" >> "$step.s"; echo "$cpu" >> "$step.cpu"; done < floor.said
}

# compare CASE: ours, the floor and the peers, in turn
compare() {
    local name=$1 tools=(tensorstore) tool step i options
    [ "$name" != int8 ] || read -ra tools <<< "${PEERS:-rechunker dask tensorstore}"
    read -ra options < <("$python" "$theirs" options "$name")
    for ((i = 0; i < runs; i++)); do
        rm -rf ours.zarr
        timed ours "$GT_BIN/gt-rechunk" -q -@ "$threads" --memory 1G "${options[@]}" in.zarr -o ours.zarr
        floor_steps
        for tool in "${tools[@]}"; do
            rm -rf theirs.zarr temp.zarr
            [ ! -e "$tool.failed" ] || continue
            timed "$tool" timeout 120 "$python" "$theirs" "$tool" "$name" "$threads" || { touch "$tool.failed"; continue; }
            "$python" "$theirs" same ours.zarr theirs.zarr
        done
    done
    rm -rf theirs.zarr temp.zarr
    printf '\n%s: `gt-rechunk --memory 1G %s`, %s stored\n\n' "$name" "${options[*]}" "$(du -sh ours.zarr | cut -f 1)"
    printf '| | wall s | cpu s | MiB | wall / ours | cpu / ours |\n|---|---|---|---|---|---|\n'
    row gt-rechunk ours
    for tool in "${tools[@]}"; do
        if [ -e "$tool.failed" ]; then echo "| $tool: failed, or not ended after two minutes | | | | | |"; else row "$tool" "$tool"; fi
    done
    for step in decode transpose encode write floor; do
        printf '| %s | %.2f | %.2f | | | |\n' "$step" "$(median "$step.s")" "$(median "$step.cpu")"
    done
    printf '| gt-rechunk over the floor | %.2f | %.2f | | | |\n' "$(over "$(median ours.s)" "$(median floor.s)")" \
        "$(over "$(median ours.cpu)" "$(median floor.cpu)")"
}


# in_turn NAME=OPTIONS...: gt-rechunk of in.zarr; cp has no options
in_turn() {
    local i row
    for ((i = 0; i < runs; i++)); do
        for row in "$@"; do
            rm -rf ours.zarr
            # shellcheck disable=SC2086
            case $row in
            cp=*) timed cp sh -c "cp -r in.zarr ours.zarr && sync -f ours.zarr" ;;
            *) timed "${row%%=*}" "$GT_BIN/gt-rechunk" -q -@ "$threads" ${row#*=} in.zarr -o ours.zarr ;;
            esac
        done
    done
    printf '\n| | wall s | cpu s | MiB |\n|---|---|---|---|\n'
    for row in "$@"; do
        printf '| %s | %.2f | %.2f | %d |\n' "${row#*=}" "$(median "${row%%=*}.s")" "$(median "${row%%=*}.cpu")" \
            "$(($(largest "${row%%=*}.kb") / 1024))"
    done
}

made=
for name in "${cases[@]}"; do
    input=$name
    case $name in memory | copies) input=int8 ;; esac
    rm -f ./*.s ./*.cpu ./*.kb ./*.failed
    [ "$input" = "$made" ] || "$python" "$theirs" make "$input" "$parts"
    made=$input
    case $name in
    memory) in_turn "m128=-c -1,10 --memory 128M" "m256=-c -1,10 --memory 256M" "m512=-c -1,10 --memory 512M" \
        "m1024=-c -1,10 --memory 1G" "m4096=-c -1,10 --memory 4G" ;;
    copies) in_turn "same=-@ $threads" "zstd=--codec zstd:1" "cp=cp -r, and sync -f" ;;
    *) compare "$name" ;;
    esac
done
