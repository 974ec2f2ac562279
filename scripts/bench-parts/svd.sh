#!/usr/bin/env bash
# scripts/bench svd [ROW...]: principal components, whole process against whole process in turn,
# 2 threads each, k = 10, of six simulated populations (Fst 0.05) with 1 % of the calls missing.
#
# A line for each way: the median seconds, how many times faster than plink2 --pca approx, what of
# the exact components was lost (1 - MEV: the mean length of each in the space of those found), and
# where the time of the computing threads went.  Exact is gt-svd --tol 1e-9, with which gram agrees.
#
# A ROW is SAMPLESxVARIANTS (default 2504x100000), or chr22xVARIANTS: sequencing data, see bench-parts/sequencing.sh.
#   RUNS=3           runs of each command
#   BENCH_DATA=DIR   where simulated data is looked for and kept; default: a temporary folder
#   PCAONE=PROGRAM   a PCAone that was built beside this, to be timed as well
set -euo pipefail
# shellcheck source=scripts/lib-setup.sh
source "$(dirname "${BASH_SOURCE[0]}")/../lib-setup.sh"
# shellcheck source=scripts/bench-parts/sequencing.sh
source "$(dirname "${BASH_SOURCE[0]}")/sequencing.sh"
GT_BIN=${GT_BIN:?run this as scripts/bench svd}
runs=${RUNS:-3}
[ $# -gt 0 ] || set -- 2504x100000

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
data=${BENCH_DATA:-$work}
make -C "$GT_BIN" test/kernels/bench_sketch >/dev/null
"$GT_BIN/test/kernels/bench_sketch"
"$GT_BIN/test/kernels/bench_sketch" 20000

median() { sort -g | awk '{v[NR] = $1} END {print (v[int((NR + 1) / 2)] + v[int(NR / 2) + 1]) / 2}'; }

# timed NAME COMMAND...: its wall seconds go behind those in NAME.s
timed() {
    local name=$1 start=$EPOCHREALTIME
    shift
    "$@" >"$work/log" 2>&1 || { cat "$work/log" >&2; return 1; }
    echo "$EPOCHREALTIME - $start" | bc >>"$work/$name.s"
}

ours() { # NAME OPTION...
    timed "$1" "$GT_BIN/gt-svd" -@ 2 -f --trace "$work/$1.json" "${@:2}" "$bed" -o "$work/$1.npy"
}

pcaone() { # NAME
    timed "$1" "$PCAONE" -b "${bed%.bed}" -k 10 -n 2 -o "$work/$1"
}

theirs() { # NAME OPTION...
    timed "$1" plink2 --threads 2 --bfile "${bed%.bed}" --pca 10 "${@:2}" --out "$work/$1"
}

lost() { # NAME: 1 - MEV against exact.npy
    "$PYTHON" - "$work" "$1" <<'PY'
import numpy as np, os, sys
exact, name = np.load(sys.argv[1] + "/exact.npy"), sys.argv[1] + "/" + sys.argv[2]
if os.path.exists(name + ".npy"):
    v = np.load(name + ".npy")
else:
    plink = os.path.exists(name + ".eigenvec")
    lines = [line.split("\t") for line in open(name + (".eigenvec" if plink else ".eigvecs")).read().splitlines()]
    at = lines[0].index("PC1") if plink else 0
    v = np.linalg.qr(np.array([[float(x) for x in line[at:]] for line in lines[plink:]]))[0]
print("%.1e" % max(0, 1 - np.sqrt(((exact.T @ v) ** 2).sum(axis=1)).mean()))
PY
}

stages() { # NAME: shares of the work of all stages
    [ -f "$work/$1.json" ] || return 0
    "$PYTHON" - "$work/$1.json" <<'PY'
import json, sys
worked = {}
for s in json.load(open(sys.argv[1]))["stages"]:
    worked[s["flow"] + "/" + s["stage"]] = worked.get(s["flow"] + "/" + s["stage"], 0) + s["worked"]
total = sum(worked.values())
print(", ".join("%s %.0f %%" % (name, 100 * w / total) for name, w in sorted(worked.items(), key=lambda x: -x[1])[:5]))
PY
}

printf '%-14s %-20s %9s %7s %9s  %s\n' data way seconds times '1 - MEV' 'where the time goes'
for row in "$@"; do
    bed=$data/svd-$row.bed
    samples=${row%x*} variants=${row#*x}
    if [ "$samples" = chr22 ]; then
        samples=2504
        [ -e "$bed" ] || sequencing "$variants" "$bed"
    fi
    [ -e "$bed" ] || "$GT_BIN/gt-sim" -q --samples "$samples" --variants "$variants" --pops 6 --fst 0.05 --missing 0.01 --seed 1 -o "$bed"
    rm -f "$work"/*.s
    ways=(tol-2e-2 tol-1e-2 default plink2-approx plink2)
    [ "$samples" -gt 4000 ] || ways+=(gram)
    [ -z "${PCAONE:-}" ] || ways+=(pcaone)
    ours exact --tol 1e-9
    for ((run = 0; run < runs; run++)); do
        ours tol-2e-2 --tol 2e-2
        ours tol-1e-2 --tol 1e-2
        ours default --algorithm krylov
        [ "$samples" -gt 4000 ] || ours gram --algorithm gram
        theirs plink2-approx approx
        theirs plink2
        [ -z "${PCAONE:-}" ] || pcaone pcaone
    done
    peer=$(median <"$work/plink2-approx.s")
    for way in "${ways[@]}"; do
        seconds=$(median <"$work/$way.s")
        printf '%-14s %-20s %9.2f %7.1f %9s  %s\n' "$row" "$way" "$seconds" "$(echo "scale=2; $peer / $seconds" | bc)" "$(lost "$way")" "$(stages "$way")"
    done
done
