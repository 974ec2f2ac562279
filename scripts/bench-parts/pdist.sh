#!/bin/bash
# gt-pdist against plink1.9 --distance: 2,504 x 100,000 genotypes, 1 % missing,
# whole process against whole process, in turn.  Both write a binary matrix of
# allele-count distances with missing calls rescaled.
set -euo pipefail

runs=${RUNS:-5}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

seconds() { # COMMAND...: wall seconds on standard output
    local start end
    start=$(date +%s.%N)
    "$@" > log 2>&1 || { cat log >&2; exit 1; }
    end=$(date +%s.%N)
    echo "$end - $start" | bc
}
median() { sort -g | awk '{a[NR] = $1} END {print NR % 2 ? a[(NR + 1) / 2] : (a[NR / 2] + a[NR / 2 + 1]) / 2}'; }

"$GT_BIN/gt-sim" -q --samples 2504 --variants 100000 --pops 5 --missing 0.01 --seed 1 -O bed -o sim
"$GT_BIN/gt-pack" -q sim.bed -o sim.zarr

ours() { "$GT_BIN/gt-pdist" -q -@ 2 -m cityblock -O npy sim.zarr -o ours.npy; }
plink() { plink1.9 --bfile sim --distance bin square flat-missing --threads 2 --out plink; }

seconds ours > /dev/null # warm the page cache for both
for _ in $(seq "$runs"); do
    seconds ours >> ours.t
    seconds plink >> plink.t
done
a=$(median < ours.t) b=$(median < plink.t)

"${PYTHON:-python3}" - << 'PY'
import numpy as np
d = np.load("ours.npy")
p = np.fromfile("plink.dist.bin").reshape(d.shape)
print(f"largest relative difference of the two matrices: {np.max(np.abs(d - p) / np.maximum(p, 1)):.1e}")
PY
printf 'pdist 2,504 x 100,000, 1 %% missing, 2 threads, median of %d runs in turn\n' "$runs"
printf '  gt-pdist -m cityblock     %8.3f s\n' "$a"
printf '  plink1.9 --distance       %8.3f s\n' "$b"
awk -v a="$a" -v b="$b" 'BEGIN {printf "  ratio                     %8.1f\n", b / a}'
