#!/usr/bin/env bash
# scripts/bench pdist [ROW...]: distances, whole process against whole process in turn, 2 threads
# each, both writing a binary square matrix: cityblock against plink1.9, king and grm against plink2.
#
# A line for each level of kernels and each input: the medians, their ratio, pair-sites a second,
# what share that is of the kernel's own rate on two threads (test/kernels/bench_pair), peak memory.
#
# A ROW is SAMPLESxVARIANTS, of which 1 % are missing, or that and -complete; from 5 million
# variants on without a peer, which would take too long.  Behind sgkit- it is timed against
# sgkit's pairwise_distance (PyPI), which is given the array and writes nothing.
# related20000 is a coalescent simulation of 20,000 samples (msprime, PyPI; GT_TEST_DATA has the model): the table of pairs
# with a kinship above 0.2 against plink2 --king-table-filter, in cpu seconds (user + system).
# chr22xVARIANTS is sequencing data, where GT_TEST_DATA has it: 0.5 MB of chromosome 22 of 1000
# Genomes, phase 3 (2,504 samples, nine of ten variants rare), repeated with positions shifted.
#   RUNS=5           runs of each command
#   LEVELS='...'     of kernels; default: all but plain C
#   BENCH_DATA=DIR   where simulated data is looked for and kept; default: a temporary folder
set -euo pipefail
# shellcheck source=scripts/lib-setup.sh
source "$(dirname "${BASH_SOURCE[0]}")/../lib-setup.sh"
# shellcheck source=scripts/bench-parts/sequencing.sh
source "$(dirname "${BASH_SOURCE[0]}")/sequencing.sh"
GT_BIN=${GT_BIN:?run this as scripts/bench pdist}
runs=${RUNS:-5}
[ $# -gt 0 ] || set -- 2504x100000 4000x50000 2504x100000-complete 4000x50000-complete 279x1000000 chr22x1000000

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
data=${BENCH_DATA:-$work}
make -C "$GT_BIN" test/kernels/bench_pair >/dev/null
"$GT_BIN/test/kernels/bench_pair" 0.3 >"$work/kernels"
levels=${LEVELS:-$(awk '$2 == "agree" && $1 != "ref" {print $1}' "$work/kernels")}

median() { sort -g | awk '{v[NR] = $1} END {print (v[int((NR + 1) / 2)] + v[int(NR / 2) + 1]) / 2}'; }

# shape ROW: sets samples, variants and the share of missing calls
shape() {
    local row=${1#sgkit-}
    samples=${row%%x*} variants=${row#*x} missing=0.01
    [ "$samples" != chr22 ] || samples=2504
    [ "$variants" = "${variants%-complete}" ] || missing=0
    variants=${variants%-complete}
}

# simulate ROW: makes $data/ROW.zarr and .bed unless they are there; what is long has no .bed
simulate() {
    local at=$data/$1
    local sim=("$GT_BIN/gt-sim" -q --samples "$samples" --variants "$variants" --pops 5 --missing "$missing" --seed 1)
    [ ! -e "$at.zarr" ] || return 0
    if [ "${1%%x*}" = chr22 ]; then
        sequencing "$variants" "$at.bed"
        "$GT_BIN/gt-pack" -q "$at.bed" -o "$at.zarr"
    elif [ "$variants" -ge 5000000 ]; then
        "${sim[@]}" -o "$at.zarr"
    else
        "${sim[@]}" -O bed -o "$at.bed"
        "$GT_BIN/gt-pack" -q "$at.bed" -o "$at.zarr"
    fi
}

# timed NAME COMMAND...: its wall seconds go behind those in NAME.s, its peak memory into NAME.kb
timed() {
    local name=$work/$1 start
    shift
    rm -f "$work"/out.*
    start=$EPOCHREALTIME
    /usr/bin/time -f %M -o "$name.kb" "$@" >"$work/log" 2>&1 || { cat "$work/log" >&2; return 1; }
    echo "$EPOCHREALTIME - $start" | bc >>"$name.s"
}

# ours METRIC LEVEL INPUT ROW; sgkit leaves missing calls out without making up for them
ours() {
    local rule=rescale
    [ "$1" != euclidean ] || rule=ignore
    GT_CPU=$2 timed "ours.$3.$2" "$GT_BIN/gt-pdist" -q -@ 2 -m "$1" --missing "$rule" -O npy "$data/$4.$3" -o "$work/out.npy"
}

# peer METRIC ROW: its matrix as plain numbers in the file "theirs"
peer() {
    case $1 in
    cityblock) timed peer plink1.9 --bfile "$data/$2" --distance square bin flat-missing --threads 2 --out "$work/out" ;;
    king) timed peer plink2 --bfile "$data/$2" --make-king square bin --threads 2 --out "$work/out" ;;
    grm) timed peer plink2 --bfile "$data/$2" --make-rel square bin --threads 2 --out "$work/out" ;;
    euclidean)
        [ -e "$work/peer.s" ] || sgkit "$2" # once: it takes minutes
        return
        ;;
    esac
    mv "$work"/out.*.bin "$work/theirs"
}

# sgkit ROW: the seconds of one call, after one that compiles, into peer.s
sgkit() {
    local python
    python=$(pypi "$TOP/build/sgkit" sgkit "import sgkit")
    [ -n "$python" ] || { say "no sgkit from PyPI"; return 1; }
    "$python" - "$data/$1.bed" "$samples" "$variants" "$work/theirs" >"$work/peer.s" <<'PY'
import sys, time
import dask
import dask.array as da
import numpy as np
from sgkit import pairwise_distance

path, n, m, out = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4]
rows = np.fromfile(path, np.uint8)[3:].reshape(m, -1)
codes = np.stack([rows >> s & 3 for s in (0, 2, 4, 6)], axis=2).reshape(m, -1)[:, :n]
x = np.array([2, np.nan, 1, 0], np.float32)[codes].T.copy()
with dask.config.set(scheduler="threads", num_workers=2):
    np.asarray(pairwise_distance(da.from_array(x[:8, :100], chunks=(4, 100)), metric="euclidean"))
    begin = time.perf_counter()
    d = np.asarray(pairwise_distance(da.from_array(x, chunks=(-1, m // 8 + 1)), metric="euclidean"))
    print(time.perf_counter() - begin)
d.astype(np.float64).tofile(out)
PY
}

# What the last runs of both wrote, but for the diagonals.
difference() {
    "$PYTHON" - "$work" <<'PY'
import sys
import numpy as np
ours = np.load(sys.argv[1] + "/ours.npy")
peer = np.fromfile(sys.argv[1] + "/theirs").reshape(ours.shape)
np.fill_diagonal(peer, ours.diagonal())
print(f"  the matrices differ by at most {np.abs(ours - peer).max() / np.abs(peer).max():.1e} of the largest number")
PY
}

# line METRIC INPUT LEVEL: what was timed
line() {
    local form="dot" ours=ours.$2.$3 theirs=0 kernel
    [ "$1" != cityblock ] || form=agree
    [ ! -e "$work/peer.s" ] || theirs=$(median <"$work/peer.s")
    kernel=$(awk -v l="$3" -v f="$form" '$1 == l && $2 == f {print 2 * $3}' "$work/kernels")
    awk -v what="$2 $3" -v s="$(median <"$work/$ours.s")" -v kb="$(cat "$work/$ours.kb")" -v theirs="$theirs" -v n="$samples" \
        -v m="$variants" -v kernel="$kernel" 'BEGIN {
        rate = n * (n - 1) / 2 * m / s
        printf "  %-18s %8.3f s", what, s
        if (theirs > 0)
            printf "  peer %8.3f s  ratio %6.1f", theirs, theirs / s
        printf "  %8.2e pair-sites/s  %3.0f %% of the kernel  %5.0f MB\n", rate, 100 * rate / kernel, kb / 1024
    }'
}

# compare METRIC ROW: each level and input in turn with the peer
compare() {
    local from level inputs=(zarr bed)
    [ -e "$data/$2.bed" ] || inputs=(zarr)
    rm -f "$work"/*.s
    for _ in $(seq "$runs"); do
        for from in "${inputs[@]}"; do
            for level in $levels; do
                ours "$1" "$level" "$from" "$2"
            done
        done
        mv "$work/out.npy" "$work/ours.npy"
        [ ! -e "$data/$2.bed" ] || peer "$1" "$2"
    done
    printf '%s, -m %s, median of %d\n' "$2" "$1" "$runs"
    [ ! -e "$data/$2.bed" ] || difference
    for from in "${inputs[@]}"; do
        for level in $levels; do
            line "$1" "$from" "$level"
        done
    done
}

# cpu NAME COMMAND...: its cpu and wall seconds and peak memory as a line of NAME.cpu
cpu() {
    local name=$work/$1
    shift
    /usr/bin/time -a -f '%U %S %e %M' -o "$name.cpu" "$@" >"$work/log" 2>&1 || { cat "$work/log" >&2; return 1; }
}

# related SAMPLES: the table of related pairs
related() {
    local at=$data/related$1 python name
    python=$(pypi "$TOP/build/msprime" msprime "import msprime")
    [ -n "$python" ] || { say "no msprime from PyPI"; return 1; }
    [ -e "$at.bed" ] || "$python" "${GT_TEST_DATA:?}/make/coalescent.py" "$1" 2e6 "$at" >"$work/log"
    rm -f "$work"/*.cpu
    for _ in $(seq "$runs"); do
        cpu ours "$GT_BIN/gt-pdist" -q -f -@ 2 --min 0.2 "$at.bed" -o "$work/ours.kin0"
        cpu plink2 plink2 --bfile "$at" --make-king-table --king-table-filter 0.2 --threads 2 --out "$work/theirs"
    done
    # without pairs that have no heterozygotes, and the numbers of variants, which PLINK 2.00a3.5 has 1 too many of in some pairs
    cmp <(cut -f 1-4,8 "$work/ours.kin0") <(awk '$8 != "nan"' "$work/theirs.kin0" | cut -f 1-4,8)
    printf 'related%s, medians of %d\n' "$1" "$runs"
    for name in ours plink2; do
        printf '  %-8s cpu %6.2f s  wall %6.2f s  %6.0f MB\n' "$name" "$(awk '{print $1 + $2}' "$work/$name.cpu" | median)" \
            "$(awk '{print $3}' "$work/$name.cpu" | median)" "$(awk '{print $4 / 1024}' "$work/$name.cpu" | median)"
    done
}

awk -F': *' '/model name/ {print $2; exit}' /proc/cpuinfo
date -u +%F
for row in "$@"; do
    if [ "${row#related}" != "$row" ]; then
        related "${row#related}"
        continue
    fi
    shape "$row"
    if [ "${row%%x*}" = chr22 ] && [ ! -f "$real" ]; then
        say "$row: no $real"
        continue
    fi
    simulate "$row"
    case $row in
    sgkit-*) compare euclidean "$row" ;;
    *)
        compare cityblock "$row"
        compare king "$row"
        [ "${row%%x*}" != chr22 ] || compare grm "$row"
        ;;
    esac
done
