#!/usr/bin/env bash
# Steps of published workflows (pairwise distances by map-reduce, Monte Carlo pi, singular values of large matrices, arrays larger
# than memory), as dask, zarr and sgkit do them and in one command of ours; both in turn.  Of each step: cpu seconds (user and system)
# and wall seconds of the whole process, medians, and the largest resident memory.
#   workflows.sh [ROWS [RUNS [STEP...]]]         needs GT_BIN; default 100000 3, all steps; the matrix has ROWS x 5,000 numbers
# PYTHON_DASK: a Python with "dask[array]", "zarr<3" and sgkit, made where it is not set.
set -euo pipefail
# shellcheck source=scripts/lib-bench.sh
source "$(dirname "${BASH_SOURCE[0]}")/../lib-bench.sh"
rows=${1:-100000} runs=${2:-3} chosen=("${@:3}")
theirs=$(realpath "$(dirname "${BASH_SOURCE[0]}")/workflows.py")
python=${PYTHON_DASK:-$(pypi "$TOP/build/python-dask" 'dask[array] zarr<3 sgkit>=0.8 numpy>=2' 'import dask.array, sgkit, zarr')}
[ -n "$python" ] || { echo "no dask, zarr and sgkit: see build/python-dask.log" >&2; exit 1; }
export OPENBLAS_NUM_THREADS=1
cd "$work"

gt-sim -q --samples 1142 --variants 40000 --seed 1 -O vcz -o ag.vcz
gt-sim -q --samples 20 --variants $((20 * rows)) --normal --chunks variants=$((5 * rows / 4)) --codec none -o tall.zarr
gt-sim -q --samples 5000 --variants "$rows" --uniform 0..2 --chunks variants=1000,samples=5000 --codec blosc:lz4:3:bitshuffle -o wide.zarr
seq $((rows - 1)) -7 0 > rows.txt
"$python" -c 'import dask, numpy, sgkit, sys, zarr
print("Python %s, " % sys.version.split()[0] + ", ".join("%s %s" % (m.__name__, m.__version__) for m in (dask, numpy, sgkit, zarr)))'
printf '%-11s %8s %8s %6s %8s %8s %6s %6s\n' step cpu wall MB cpu wall MB ratio

figures() { printf '%8.2f %8.2f %6d' "$(median "$1.cpu")" "$(median "$1.s")" "$(($(largest "$1.kb") / 1024))"; }

# step NAME COMMAND...: workflows.py NAME and the command
step() {
    local i
    [ ${#chosen[@]} -eq 0 ] || [[ " ${chosen[*]} " == *" $1 "* ]] || return 0
    rm -f their.* our.*
    for ((i = 0; i < runs; i++)); do
        rm -rf theirs.zarr ours.*
        timed their timeout 600 "$python" "$theirs" "$1" "$threads"
        timed our "${@:2}"
    done
    printf '%-11s %s %s %6.1f   %s\n' "$1" "$(figures their)" "$(figures our)" \
        "$(echo "$(median their.cpu) / ($(median our.cpu) + 0.005)" | bc -l)" "${*:2}"
}

# same FILE: the numbers of both, within a part in 10^5
same() {
    [ -e theirs.npy ] || return 0
    "$python" -c 'import numpy as np, sys
a, b = np.load("theirs.npy").ravel(), np.load(sys.argv[1]).ravel()
assert a.shape == b.shape and np.allclose(a, b, rtol=1e-5, atol=1e-4), (a[:4], b[:4])' "$1"
    rm theirs.npy
}

step sgkit gt-pdist -q -@ "$threads" --slice ':,:,1' ag.vcz/call_genotype -O npy -o ours.npy --report report.html -f
same ours.npy
step map-reduce gt-pdist -q -@ "$threads" --slice ':,:,1' ag.vcz/call_genotype -O npy -o ours.npy --report report.html -f
same ours.npy
step pi-1e4-1 gt-pi -@ "$threads" --bytes 10k
step pi-1e9-1 gt-pi -@ "$threads" --bytes 1G
step pi-1e10-40 gt-pi -@ "$threads" --bytes 10G --chunks 40
step svd gt-svd -q -@ "$threads" tall.zarr -o ours
same ours.s.npy
step compressed gt-svd -q -@ "$threads" --as array -k 10 --algorithm compressed wide.zarr -o ours
rm -f theirs.npy # both are approximations
step mean gt-rechunk -q -@ "$threads" --reduce mean:0 wide.zarr -o ours.npy
same ours.npy
step slice gt-rechunk -q -@ "$threads" --slice '::10,::-1' wide.zarr -o ours.zarr
step fancy gt-rechunk -q -@ "$threads" --pick 0:rows.txt wide.zarr -o ours.zarr
step transpose gt-rechunk -q -@ "$threads" --transpose wide.zarr -o ours.zarr
step rechunk gt-rechunk -q -@ "$threads" -c -1,50 wide.zarr -o ours.zarr
