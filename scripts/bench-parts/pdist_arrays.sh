#!/bin/bash
# gt-pdist against scipy's pdist and scikit-learn's pairwise_distances (where $PYTHON has it), on
# a .npy of 1,000 x 20,000 float64: whole process against whole process, in turn, each reads the
# array and writes a matrix.  2 threads for those that have threads.
set -euo pipefail

runs=${RUNS:-3}
python=$PYTHON
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
export OPENBLAS_NUM_THREADS=2 OMP_NUM_THREADS=2

seconds() { # COMMAND...: wall seconds on standard output
    local start end
    start=$(date +%s.%N)
    "$@" > log 2>&1 || { cat log >&2; exit 1; }
    end=$(date +%s.%N)
    echo "$end - $start" | bc
}
median() { sort -g | awk '{a[NR] = $1} END {print NR % 2 ? a[(NR + 1) / 2] : (a[NR / 2] + a[NR / 2 + 1]) / 2}'; }

"$python" -c 'import numpy as np; np.save("x.npy", np.random.RandomState(1).normal(size=(1000, 20000)))'

ours() { "$GT_BIN/gt-pdist" -q -@ 2 -m "$1" -O npy -f x.npy -o ours.npy; }
scipy() {
    "$python" -c 'import sys, numpy as np
from scipy.spatial.distance import pdist, squareform
np.save("theirs.npy", squareform(pdist(np.load("x.npy"), sys.argv[1])))' "$1"
}
sklearn() {
    "$python" -c 'import sys, numpy as np
from sklearn.metrics import pairwise_distances
np.save("theirs.npy", pairwise_distances(np.load("x.npy"), metric=sys.argv[1]))' "$1"
}

peers=(scipy)
if "$python" -c 'import sklearn' 2> /dev/null; then
    peers+=(sklearn)
fi
printf 'pdist of 1,000 x 20,000 float64, 2 threads, median of %d runs in turn: seconds, and times gt-pdist\n' "$runs"
printf '  %-12s %9s' metric gt-pdist
printf ' %16s' "${peers[@]}"
echo
for metric in ${METRICS:-euclidean correlation cosine cityblock chebyshev canberra}; do
    rm -f ./*.t
    seconds ours "$metric" > /dev/null
    for _ in $(seq "$runs"); do
        seconds ours "$metric" >> ours.t
        for peer in "${peers[@]}"; do
            seconds "$peer" "$metric" >> "$peer.t"
        done
    done
    a=$(median < ours.t)
    printf '  %-12s %9.2f' "$metric" "$a"
    for peer in "${peers[@]}"; do
        b=$(median < "$peer.t")
        awk -v a="$a" -v b="$b" 'BEGIN {printf " %9.2f (%4.1f)", b, b / a}'
    done
    echo
done
