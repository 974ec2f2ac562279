#!/usr/bin/env bash
# gt-pi against dask, against one thread, and against the bare loop of its kernel.
set -euo pipefail
GT_BIN=${GT_BIN:?run this as scripts/bench pi}
[ -x "$GT_BIN/test/calc/pi/bench_pi" ] || make -C "$GT_BIN" test/calc/pi/bench_pi >/dev/null

# rate THREADS POINTS: points/s of one run of gt-pi
rate() { "$GT_BIN/gt-pi" --points "$2" -@ "$1" --json | sed 's/.*"points_per_second": \([^,]*\),.*/\1/'; }
bare() { "$GT_BIN/test/calc/pi/bench_pi" "$2" "$1" | awk '{print $1}'; }
median() { sort -g | awk '{v[NR] = $1} END {print (v[int((NR + 1) / 2)] + v[int(NR / 2) + 1]) / 2}'; }

points=4e9
one=() two=() loop=()
for _ in 1 2 3 4 5; do
    one+=("$(rate 1 "$points")")
    two+=("$(rate 2 "$points")")
    loop+=("$(bare 2 "$points")")
done
one=$(printf '%s\n' "${one[@]}" | median)
two=$(printf '%s\n' "${two[@]}" | median)
loop=$(printf '%s\n' "${loop[@]}" | median)

# The course's function: uniform points, 16 bytes each, in chunks, two threads.
dask=$("$PYTHON" - <<'PY'
import time
import dask
import dask.array as da

def calculate_pi(size_in_bytes, number_of_chunks):
    n = size_in_bytes // 16
    xy = da.random.uniform(0, 1, size=(n, 2), chunks=(n // number_of_chunks, 2))
    inside = (xy ** 2).sum(axis=1) < 1
    return 4 * inside.mean()

size = 16 * 10**8
with dask.config.set(scheduler="threads", num_workers=2):
    calculate_pi(10**6, 4).compute()
    begin = time.perf_counter()
    calculate_pi(size, 40).compute()
    print(size / 16 / (time.perf_counter() - begin))
PY
)

awk -v one="$one" -v two="$two" -v loop="$loop" -v dask="$dask" 'BEGIN {
    printf "gt-pi, 1 thread           %.4g points/s (median of 5)\n", one
    printf "gt-pi, 2 threads          %.4g points/s (median of 5, alternating)\n", two
    printf "bare loop, 2 threads      %.4g points/s (median of 5, alternating)\n", loop
    printf "dask, 2 threads           %.4g points/s (1e8 points in 40 chunks)\n", dask
    printf "gt-pi / dask              %.1f   (at least 20 wanted)\n", two / dask
    printf "2 threads / (2 x 1)       %.3f  (at least 0.9 wanted)\n", two / (2 * one)
    printf "gt-pi / bare loop         %.3f  (at least 0.75 wanted)\n", two / loop
}'
