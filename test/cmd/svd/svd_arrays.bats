#!/usr/bin/env bats
# gt-svd of plain arrays: u, s and v against numpy and dask.

bats_require_minimum_version 1.5.0

. "$GT_SOURCE/test/support/level.bash"

setup() { cd "$BATS_TEST_TMPDIR" || exit 1; }

need_dask() { "$PYTHON" -c 'import numpy, dask.array' 2> /dev/null || skip "no python3-dask"; }
need_zarr() { "$PYTHON" -c 'import numpy, zarr' 2> /dev/null || skip "no python3-zarr"; }

# refused STATUS TEXT COMMAND...: fails with that status and a first line that has the text.
refused() {
    run --separate-stderr timeout 60 "${@:3}"
    # shellcheck disable=SC2154
    { [ "$status" -eq "$1" ] && [[ "${stderr_lines[0]}" == *"$2"* ]] && [ -z "$output" ]; } ||
        { echo "${*:3}: status $status: $output $stderr"; return 1; }
}

# make EXPRESSION: x.npy of a NumPy expression, rng at hand.
make_x() { "$PYTHON" -c "import numpy as np; rng = np.random.default_rng(7); np.save('x.npy', $1)"; }

@test "tsqr and krylov against numpy and dask, uneven chunks, missing values" {
    need_dask
    "$PYTHON" "$GT_SOURCE/test/support/svd_arrays.py" 1 tsqr uneven krylov missing
}

@test "--center against numpy and dask" {
    need_dask
    "$PYTHON" "$GT_SOURCE/test/support/svd_arrays.py" 1 center
}

@test "compressed, and arrays of whole numbers, against numpy and dask, of many shapes and kinds" {
    need_dask
    "$PYTHON" "$GT_SOURCE/test/support/svd_arrays.py" 1 compressed whole
}

@test "the same bits for any threads, memory, chunks and kernels" {
    need_zarr
    "$PYTHON" - << 'PY'
import numpy as np, zarr
x = np.random.default_rng(3).standard_normal((1500, 400)).astype("f4")
np.save("x.npy", x)
for name, chunks in ("a", (1500, 400)), ("b", (7, 400)), ("c", (100, 33)):
    zarr.save_array(name + ".zarr", x, chunks=chunks)
np.save("y.npy", x.T)
PY
    for way in tsqr "compressed --power-iterations 1 -k 5" "compressed --iterator QR --power-iterations 1" "krylov --tol 1e-2"; do
        for x in x y; do
            # shellcheck disable=SC2086
            gt-svd -q -f --algorithm $way $x.npy -o one
            for how in "-@1" "-@3" "--memory 200M" "-@5 --memory 128M"; do
                # shellcheck disable=SC2086
                gt-svd -q -f --algorithm $way $how $x.npy -o other
                for part in u s v; do cmp one.$part.npy other.$part.npy; done
            done
        done
        # shellcheck disable=SC2086
        gt-svd -q -f --algorithm $way x.npy -o one
        for store in a b c; do
            # shellcheck disable=SC2086
            gt-svd -q -f --algorithm $way $store.zarr -o other
            for part in u s v; do cmp one.$part.npy other.$part.npy; done
        done
        for level in ref avx2; do
            # shellcheck disable=SC2086
            GT_CPU=$level gt-svd -q -f --algorithm $way x.npy -o other
            for part in u s v; do cmp one.$part.npy other.$part.npy; done
        done
    done
}

@test "small arrays of 0, 1 and 2: the same bits as npy or Zarr, by other kernels and threads; krylov's are numpy's" {
    need_zarr
    "$PYTHON" - << 'PY'
import numpy as np, zarr
x = np.random.default_rng(3).integers(0, 3, (700, 300)).astype("u1")
for name, a in ("x", x), ("y", np.ascontiguousarray(x.T)):
    np.save(name + ".npy", a)
    np.save(name + "8.npy", a.astype("i8"))
    zarr.save_array(name + ".zarr", a, chunks=(100, 77))
PY
    local way how x
    for x in x y; do
        for way in "compressed --power-iterations 1 -k 5" "compressed --iterator QR --power-iterations 1" "krylov --passes 4"; do
            # shellcheck disable=SC2086
            gt-svd -q -f --algorithm $way $x.npy -o one
            for how in "$x.zarr" "$x.npy -@ 1" "${x}8.npy -@ 3"; do
                # shellcheck disable=SC2086
                gt-svd -q -f --algorithm $way $how -o other
                for part in u s v; do cmp one.$part.npy other.$part.npy; done
            done
            # shellcheck disable=SC2086
            GT_CPU=ref gt-svd -q -f --algorithm $way $x.npy -o other
            for part in u s v; do cmp one.$part.npy other.$part.npy; done
        done
        gt-svd -q -f --algorithm krylov -k 4 --tol 1e-6 --passes 300 $x.npy -o exact-$x
    done
    "$PYTHON" - << 'PY'
import numpy as np
for name in "xy":
    a = np.load(name + ".npy").astype(float)
    u, s, v = (np.load("exact-%s.%s.npy" % (name, part)) for part in "usv")
    assert np.allclose(s, np.linalg.svd(a, compute_uv=False)[:4], rtol=1e-6), s
    assert np.abs(a @ v.T - u * s).max() < 1e-3 * s[0]
PY
}

@test "arrays of 0, 1 and 2: the same bits for any threads, memory, chunks, kernels and types" {
    need_zarr
    "$PYTHON" - << 'PY'
import numpy as np, zarr
x = np.random.default_rng(3).integers(0, 3, (9000, 2100)).astype("u1")
np.save("x.npy", x)
np.save("wide.npy", x.astype("i8"))
np.save("y.npy", x[:2500].T)
for name, chunks in ("a", (9000, 2100)), ("b", (7, 2100)), ("c", (1000, 333)):
    zarr.save_array(name + ".zarr", x, chunks=chunks)
zarr.save_array("t.zarr", x[:2500].T, chunks=(300, 100))
PY
    same() { for part in u s v; do cmp "one.$part.npy" "other.$part.npy"; done; }
    for way in compressed "compressed --power-iterations 1 -k 5" "compressed --iterator QR --power-iterations 1" "krylov --passes 4"; do
        # shellcheck disable=SC2086
        gt-svd -q -f --algorithm $way y.npy -o one
        # shellcheck disable=SC2086
        gt-svd -q -f --algorithm $way t.zarr -o other
        same
        # shellcheck disable=SC2086
        gt-svd -q -f --algorithm $way x.npy -o one
        least=$(gt-svd -q --memory 40M -@ 1 -n --algorithm ${way% -k*} x.npy 2>&1 > plan | sed -n 's/^hint: --memory \([0-9]*\)M would do/\1/p')
        for how in "-@ 1" "-@ 3" "--memory $((least + 4))M -@ 1" "--memory $((least + 12))M -@ 2"; do
            # shellcheck disable=SC2086
            gt-svd -q -f --algorithm $way $how x.npy -o other
            same
        done
        for x in a.zarr b.zarr c.zarr wide.npy; do
            # shellcheck disable=SC2086
            gt-svd -q -f --algorithm $way $x -o other
            same
        done
        for level in avx2 avx512; do
            GT_CPU=$level gt-svd --version > /dev/null 2>&1 || continue # not of this cpu
            # shellcheck disable=SC2086
            GT_CPU=$level gt-svd -q -f --algorithm $way x.npy -o other
            same
        done
    done
    GT_CPU=ref gt-svd -q -f --algorithm compressed -k 5 y.npy -o one
    gt-svd -q -f --algorithm compressed -k 5 y.npy -o other
    same
    gt-svd -n --algorithm compressed x.npy | grep -q '^numbers .*in two bits'
    gt-svd -n --algorithm krylov --tol 1e-8 x.npy | run ! grep '^numbers'
}

@test "tables, and values on standard output" {
    need_dask
    make_x 'rng.standard_normal((30, 6))'
    gt-svd -q --algorithm tsqr x.npy -o x
    gt-svd -q --algorithm tsqr -O tsv x.npy -o x
    gt-svd -q --algorithm tsqr x.npy -o named.tsv
    gt-svd -q --algorithm tsqr x.npy > s.tsv
    cmp s.tsv x.s.tsv
    for part in u s v; do cmp x.$part.tsv named.$part.tsv; done
    "$PYTHON" - << 'PY'
import numpy as np
table = lambda name: np.loadtxt(name, skiprows=1)
assert np.allclose(table("x.u.tsv")[:, 1:], np.load("x.u.npy"), atol=1e-9) and (table("x.u.tsv")[:, 0] == range(30)).all()
assert np.allclose(table("x.v.tsv")[:, 1:], np.load("x.v.npy").T, atol=1e-9) and (table("x.v.tsv")[:, 0] == range(6)).all()
assert np.allclose(np.loadtxt("x.s.tsv"), np.load("x.s.npy"), atol=1e-9)
PY
    [ "$(head -1 x.u.tsv)" = "row	u1	u2	u3	u4	u5	u6" ]
    [ "$(head -1 x.v.tsv)" = "column	v1	v2	v3	v4	v5	v6" ]
    gt-sim -q --samples 2 --variants 20000 --normal -o tall.zarr # rows are written in pieces
    gt-svd -q -O tsv tall.zarr -o tall
    cut -f 1 tall.u.tsv | sed 1d | cmp - <(seq 0 19999)
}

@test "arrays of low rank, of one row, one column, one value, constant ones, zeros" {
    need_dask
    for x in 'np.ones((50, 30))' 'np.zeros((50, 30))' 'rng.standard_normal((60, 2)) @ rng.standard_normal((2, 30))' \
        'rng.standard_normal((1, 30))' 'rng.standard_normal((30, 1))' 'np.array([[-3.0]])' 'np.full((30, 40), -1, "i1")' \
        'np.full((30, 40), 2**64 - 1, "u8")' 'np.ones((4, 3)) * 1e-200' 'np.zeros((300, 301)) + np.arange(301) // 300'; do
        make_x "$x"
        for way in auto tsqr compressed krylov; do
            gt-svd -f --algorithm $way x.npy -o out 2> notes
            "$PYTHON" - << 'PY'
import numpy as np
x, (u, s, v) = np.load("x.npy").astype(float), (np.load("out.%s.npy" % part) for part in "usv")
rank, want, notes = np.linalg.matrix_rank(x), np.linalg.svd(x, compute_uv=False)[:len(s)], open("notes").read()
assert abs(s - want).max() <= 1e-14 * want[0] and (s >= 0).all(), (s, want)
assert abs(u * s @ v - x).max() <= 1e-13 * abs(x).max() * len(s), abs(u * s @ v - x).max()
assert max(abs(u.T @ u - np.eye(len(s))).max(), abs(v @ v.T - np.eye(len(s))).max()) < 1e-13
assert ("numerical rank %d, as numpy.linalg.matrix_rank: component" % rank in notes) == (rank < len(s)) and "residual above" not in notes, notes
PY
        done
    done
}

@test "tsqr keeps singular values that are small, as LAPACK does; arrays near the limits of doubles" {
    need_dask
    "$PYTHON" - << 'PY'
import subprocess, numpy as np
rng = np.random.default_rng(2)

def ours(x, *args):
    np.save("x.npy", x)
    done = subprocess.run(["gt-svd", "-f", *args, "x.npy", "-o", "out"], capture_output=True, text=True)
    assert not done.returncode, (args, done.stderr)
    return [np.load("out.%s.npy" % part) for part in "usv"]

def check(x, scale, most, *args):
    u, s, v = ours(x, *args)
    k, want = len(s), np.linalg.svd(x / scale / scale, compute_uv=False)
    off = abs(s / scale / scale - want[:k]).max() - most * want[0]
    wrong = [abs(q - np.eye(k)).max() for q in (u.T @ u, v @ v.T)]
    assert off <= 0 and max(wrong) < 1e-12, (args, x.shape, scale, off, wrong, s)

def made(rows, values):
    n = len(values)
    return np.linalg.qr(rng.standard_normal((rows, n)))[0] * values @ np.linalg.qr(rng.standard_normal((n, n)))[0]

s = np.array([1, 1e-3, 1e-6, 1e-9, 1e-11])
for x in made(200000, s), made(200000, s).T.copy():
    got = ours(x, "--algorithm", "tsqr")[1]
    assert (abs(got - s) < 1e-15).all(), got
for values in 10.0 ** -np.arange(25.0), np.append(np.ones(3), np.zeros(5)), np.zeros(4), np.full(6, 1e-17):
    for x in made(3000, values), made(len(values), values), made(3000, values).T.copy():
        check(x, 1.0, 2e-15, "--algorithm", "tsqr")
check(made(3000, np.ones(6))[:, [0, 1, 2, 0, 1, 2]], 1.0, 2e-15, "--algorithm", "tsqr")  # columns twice
for x in rng.standard_normal((400, 300)), rng.standard_normal((300, 400)):
    for power in -308, -307, -300, -170, -150, 0, 150, 170, 300, 305:
        scale = 2.0 ** (power * 5 // 3)  # squared: about 10 ** power
        most = 1e-13 if power > -305 else 1e-6  # denormals
        y = x * scale * scale
        check(y, scale, most, "--algorithm", "tsqr")
        for way in ["compressed", "--oversample", "290"], ["krylov", "--tol", "1e-8"]:
            check(y, scale, max(most, 1e-12), "--algorithm", *way, "-k", "10")
PY
}

@test "hard spectra: residuals are computed, printed, and warned of; vectors are orthonormal" {
    need_dask
    OPENBLAS_NUM_THREADS=1 "$PYTHON" "$GT_SOURCE/test/support/svd_spectra.py"
}

@test "residuals: with -v, in --json, null where not computed; what helps" {
    need_dask
    make_x '1e4 + rng.standard_normal((900, 500))'
    gt-svd --json -v x.npy -o out --algorithm krylov -k 3 --passes 4 > summary 2> notes
    grep -q '^gt-svd: component 1: singular value 670[0-9.]*, residual [0-9.]*e-[01][0-9]$' notes
    grep -q '^gt-svd: warning: components 2 to 3: residual above --tol 0.0001 after 4 passes (largest: 0\.[0-9]*); --center subtracts the column means, which make up component 1; --algorithm tsqr is exact$' notes
    "$PYTHON" -c 'import json; s = json.load(open("summary")); r = s["residuals"]; assert s["residual"] == max(r) > 1e-2 and 0 < r[0] < 1e-8 and len(r) == 3, s'
    gt-svd x.npy -f -o out --center --algorithm krylov -k 3 --passes 4 2>&1 | grep -q 'components 1 to 3: residual above .*; try more --passes, or --algorithm tsqr$'
    run ! grep warning < <(gt-svd x.npy -f -o out --center --algorithm krylov -k 3 2>&1)
    for way in tsqr compressed; do
        gt-svd --json x.npy -f -o out -k 3 --algorithm $way 2> notes |
            "$PYTHON" -c 'import json, sys; s = json.load(sys.stdin); assert s["residual"] is None and s["residuals"] is None, s'
    done
    gt-svd --json -v x.npy -f -o out -k 3 --algorithm compressed --tol 1e-3 > summary 2> notes
    grep -q '^gt-svd: warning: components 2 to 3: residual above --tol 0.001 after 3 passes (largest: 0\.[0-9]*); --center subtracts' notes
    "$PYTHON" -c 'import json; r = json.load(open("summary"))["residuals"]; assert 0 < r[0] < 1e-3 < r[1], r'
    gt-svd x.npy -f -o out -k 3 --center --power-iterations 1 --tol 1e-3 2>&1 | grep -q 'residual above .*; try more --power-iterations, --algorithm krylov or tsqr$'
    run ! grep warning < <(gt-svd x.npy -f -o out -k 1 --iterator QR --power-iterations 2 --tol 1e-3 2>&1)
    make_x 'np.eye(20, 30) * [[3], [2], *[[0]] * 18]'
    gt-svd -v x.npy -f -o out -k 3 --algorithm krylov 2>&1 | grep -q '^gt-svd: component 3: singular value [0-9.e-]*$'
    for way in "krylov --tol 1e-4" "compressed --tol 1e-4"; do
        # shellcheck disable=SC2086
        gt-svd -q --json x.npy -f -o out -k 3 --algorithm $way |
            "$PYTHON" -c 'import json, sys; s = json.load(sys.stdin); r = s["residuals"]; assert s["rank"] == 2 and r[2] is None and s["residual"] == max(r[:2]) < 1e-12, s'
    done
    gt-sim -q --samples 60 --variants 300 -o g.bed
    refused 2 "--tol with --algorithm compressed needs a plain array" gt-svd --power-iterations 1 --tol 1e-3 g
    for way in gram compressed; do
        gt-svd --json -q g -f -o out -k 3 --algorithm $way |
            "$PYTHON" -c 'import json, sys; s = json.load(sys.stdin); assert "residual" in s and s["residual"] is None, s'
    done
    gt-svd --json -q g -f -o out -k 3 --algorithm krylov |
        "$PYTHON" -c 'import json, sys; s = json.load(sys.stdin); assert 0 < s["residual"] <= 1e-4, s'
    refused 2 "--center needs a plain array" gt-svd --center g
    make_x '1e4 + rng.standard_normal((900, 500))'
    refused 2 "--passes 3: krylov with --center needs at least 4" gt-svd --center --algorithm krylov -k 3 --passes 3 x.npy -f -o out
    for limit in 4 7; do
        gt-svd -q --json --center --algorithm krylov -k 3 --passes $limit x.npy -f -o out | grep -q "\"passes\": $limit,"
    done
}

@test "--center: means far larger than the spread; missing values count as the mean" {
    need_dask
    "$PYTHON" - << 'PY'
import subprocess, numpy as np
rng = np.random.default_rng(4)
x = rng.integers(-40, 41, (500, 300)) + 20 * rng.integers(-3, 4, (500, 1))
known = rng.random(x.shape) >= 0.02
sums, n = np.where(known, x, 0).sum(axis=0), known.sum(axis=0)
for mean in 0, 10**9, -10**12, 10**15:  # of the last one sums are rounded
    for mask in False, True:
        a = (x + mean).astype(float)
        if mask:
            a[~known] = np.nan
        m, c = (n, sums) if mask else (len(x), x.sum(axis=0))
        centred = np.where(known | (not mask), x * m - c, 0).astype(np.longdouble) / m  # of whole numbers: exact
        want = np.linalg.svd(centred.astype(float), compute_uv=False)[:4]
        for y, t in (a, centred), (a.T.copy(), None):
            if t is None:  # columns are those of the transpose
                if mask:
                    continue
                t = (x.T * 300 - x.T.sum(axis=0)).astype(np.longdouble) / 300
                want = np.linalg.svd(t.astype(float), compute_uv=False)[:4]
            np.save("x.npy", y)
            for way in ["tsqr"], ["krylov", "--tol", "1e-12"]:
                done = subprocess.run(["gt-svd", "-f", "-k", "4", "--center", *(["--missing", "mean"] if mask else []), "--algorithm", *way,
                                       "x.npy", "-o", "out"], capture_output=True, text=True)
                assert not done.returncode and "warning" not in done.stderr, done.stderr
                u, s, v = (np.load("out.%s.npy" % part) for part in "usv")
                off = max(abs(t @ v.T - u * s).max(), abs(t.T @ u - v.T * s).max()) / s[-1]
                assert off < 1e-12 and (abs(s - want) < 1e-13 * want).all(), (mean, mask, way, off, s, want)
PY
}

@test "krylov: numbers whose fourth powers are none" {
    need_dask
    for power in 0 80 160 250 305 -80 -160 -250; do
        make_x "np.random.default_rng(5).normal(size=(400, 300)) * 10.0 ** $power"
        gt-svd -q -f --algorithm krylov -k 6 x.npy -o out
        "$PYTHON" -c "import numpy as np
want = np.linalg.svd(np.load('x.npy') * 10.0 ** -($power))[1][:6]
assert abs(np.load('out.s.npy') * 10.0 ** -($power) / want - 1).max() < 1e-7, $power"
    done
}

@test "what cannot be decomposed is refused" {
    need_dask
    make_x 'np.where(np.arange(1200).reshape(40, 30) == 400, np.nan, 1.0)'
    for way in auto tsqr compressed krylov; do
        refused 3 "'x.npy': a value is missing (NaN) in row 13, column 10" gt-svd --algorithm $way x.npy
    done
    make_x 'np.where(np.arange(1200).reshape(30, 40) == 401, np.inf, 1.0)'
    refused 3 "'x.npy': a value is infinite in row 10, column 1" gt-svd --missing mean --algorithm tsqr x.npy
    refused 3 "'x.npy': a value is infinite in row 10, column 1" gt-svd --algorithm compressed x.npy
    make_x 'np.where(np.arange(30) == 4, np.nan, 1.0) * np.ones((40, 1))'
    refused 3 "all values of column 4 are missing" gt-svd --missing mean x.npy
    make_x 'np.where(rng.standard_normal((300, 290)) < 0, -1e307, 1e307)'
    for way in auto tsqr compressed krylov; do
        refused 3 "are not finite" gt-svd --algorithm $way x.npy
        # shellcheck disable=SC2154
        [[ "$stderr" == *"products of the values of 'x.npy' overflow"* ]]
    done
    make_x 'np.zeros((0, 30))'
    refused 3 "0 x 30" gt-svd x.npy
    make_x 'np.zeros(30)'
    refused 2 "has 1 axis" gt-svd x.npy
    make_x 'np.ones((40, 30))'
    refused 2 "--no-version needs -O zarr" gt-svd --no-version -k 2 x.npy
    refused 2 "--no-version needs -O zarr" gt-svd --no-version -k 2 -O tsv x.npy -o out
    make_x 'np.zeros((30, 4, 2))'
    refused 2 "has 3 axes" gt-svd x.npy
    make_x 'rng.standard_normal((30, 40))'
    refused 2 "has at most 30 singular values" gt-svd -k 31 x.npy
    refused 2 "--scale needs genotypes" gt-svd --scale center x.npy
    refused 2 "--algorithm gram needs genotypes" gt-svd --algorithm gram x.npy
    refused 2 "-O plink is for genotypes" gt-svd -O plink x.npy -o x
    refused 2 "--maf needs genotypes" gt-svd --maf 0.1 x.npy
    refused 2 "give one array" gt-svd x.npy x.npy
    refused 2 "--tol needs --algorithm krylov or compressed" gt-svd --algorithm tsqr --tol 0.1 x.npy
    refused 2 "--iterator needs --algorithm compressed" gt-svd --passes 9 --iterator QR x.npy
    refused 2 "--seed cannot be combined with --sketch" gt-svd --seed 1 --sketch x.npy x.npy
    cp x.npy sketch.npy
    refused 3 "a sketch of 'x.npy' must be 40 x 20" gt-svd --sketch sketch.npy x.npy
    "$PYTHON" -c "import numpy as np; np.save('few.npy', np.ones((6, 5)))"
    refused 3 "a sketch of 'few.npy' must be 5 x 5" gt-svd --algorithm compressed -k 2 --sketch sketch.npy few.npy
    [[ "$stderr$output" == *"hint: one row per column of the array, and max(K + oversample, 20) columns, but no more than the array's shorter side"* ]]
    run -4 gt-svd --memory 40M --algorithm tsqr few.npy
    [[ "$output" == *"gt-svd: 40.0 MiB of memory leaves"* ]]
    [[ "$output" != *"short side"* ]]
    "$PYTHON" -c "import numpy as np; np.lib.format.open_memmap('big.npy', mode='w+', dtype='u1', shape=(20000, 21000))"
    refused 4 "a short side; 'big.npy' is 20000 x 21000: 256.0 MiB" gt-svd --memory 256M --algorithm tsqr big.npy
}

@test "--as array: the plain SVD of a Zarr array whose axes are named as those of genotypes" {
    "$PYTHON" -c 'import numpy, zarr' 2> /dev/null || skip "no python3-numpy, -zarr"
    "$PYTHON" -c 'import numpy as np, zarr
x = np.random.RandomState(7).randint(0, 3, size=(300, 19)).astype("i1")
np.save("x.npy", x)
z = zarr.open("x.zarr", "w", shape=x.shape, chunks=(70, 10), dtype="i1")
z[:] = x
z.attrs["_ARRAY_DIMENSIONS"] = ["variants", "samples"]'
    run --separate-stderr gt-svd -k 5 x.zarr -o pca
    [[ "$stderr" == *"reading 'x.zarr' as genotypes, since its second axis is named samples; --as array reads it as a plain array"* ]]
    [ -e pca.eigenvec ]
    run --separate-stderr gt-svd --as array x.zarr -o x
    [[ "$stderr" != *reading* ]]
    "$PYTHON" -c 'import numpy as np
s = np.linalg.svd(np.load("x.npy").astype("f8"), compute_uv=False)
np.testing.assert_allclose(np.load("x.s.npy"), s[:len(np.load("x.s.npy"))], rtol=1e-9)'
    run gt-svd --as array --scale none x.zarr -o y
    [ "$status" -eq 2 ]
    [[ "$output" == *"--scale needs genotypes; 'x.zarr' is a plain array"* ]]
}

@test "options say which algorithm is meant; the plan tells" {
    need_dask
    make_x 'rng.standard_normal((300, 290))'
    gt-svd -n x.npy | grep -q 'algorithm *krylov (both sides are long)'
    gt-svd -n --slice :,:100 x.npy | grep -q 'algorithm *tsqr (one side is short: exact)'
    gt-svd -n --power-iterations 2 x.npy | grep -q 'algorithm *compressed (whose options are given)'
    gt-svd -n --slice :100 --tol 0.1 x.npy | grep -q 'algorithm *krylov (whose options are given)'
    gt-svd -n --slice :100 x.npy | grep -q 'by columns'
    gt-svd -n --oversample 20 --algorithm compressed x.npy | grep -q 'projection *30 columns'
}

@test "seeds draw other projections; nothing is left of a run that fails" {
    need_dask
    make_x 'rng.standard_normal((300, 290))'
    for seed in 0 1; do gt-svd -q --algorithm compressed --seed $seed x.npy -o s$seed; done
    gt-svd -q --algorithm compressed x.npy -o s
    cmp s.v.npy s0.v.npy
    run ! cmp -s s0.v.npy s1.v.npy
    make_x 'np.where(np.arange(90000).reshape(300, 300) == 89999, np.nan, 1.0)'
    mkdir out
    refused 3 "row 299, column 299" gt-svd --algorithm compressed x.npy -o out/x
    [ -z "$(ls out)" ]
    cp x.npy y.u.npy
    refused 2 "y.u.npy" gt-svd y.u.npy -o y
}

@test "names of what genotypes would give are free" {
    "$PYTHON" -c "import numpy" 2> /dev/null || skip "no python3-numpy"
    "$PYTHON" -c 'import numpy as np; np.save("x.npy", np.random.rand(30, 4))'
    mkdir x.eigenvec x.eigenval
    gt-svd -q x.npy -o x
    [ -f x.u.npy ]
    [ -f x.s.npy ]
    [ -f x.v.npy ]
    gt-sim -q --samples 20 --variants 100 -o g.bed
    mkdir -p g.u.npy
    gt-svd -q g -k 2 -o g
    mkdir y.eigenval
    run ! gt-svd -q g -k 2 -o y
    [ ! -e y.eigenvec ]
}

@test "a Zarr group of u, s and v holds what .npy does" {
    need_zarr
    local shapes shape way
    read -ra shapes <<< "$(by_level "5,3 2,7000 300,40 1,1" "5,3 3,5 300,40 70000,2 2,70000 1,1" "5,3 3,5 300,40 70000,2 2,70000 1,1")"
    "$PYTHON" -c "import sys, numpy as np
for shape in sys.argv[1:]: np.save(shape + '.npy', np.random.default_rng(3).random([int(n) for n in shape.split(',')]))" "${shapes[@]}"
    for shape in "${shapes[@]}"; do
        for way in "" "--algorithm compressed -k 1"; do
            # shellcheck disable=SC2086
            {
                gt-svd -q $way "$shape.npy" -o "x$shape$way"
                gt-svd -q $way "$shape.npy" -o "x$shape$way.zarr"
                gt-svd -q $way "$shape.npy" -O zarr -o "x$shape$way.zip"
            }
        done
    done
    "$PYTHON" - << 'PY'
import glob, numpy as np, zarr
names = [path[:-4] for path in glob.glob("x*.zip")]
assert len(names) >= 8
for x in names:
    for g in zarr.open_group(x + ".zarr", mode="r"), zarr.open_group(zarr.ZipStore(x + ".zip", mode="r"), mode="r"):
        assert sorted(g.array_keys()) == ["s", "u", "v"] and g.attrs["gt:history"]
        for name in "usv":
            want = np.load("%s.%s.npy" % (x, name))
            assert g[name].shape == want.shape and (g[name][:] == want).all(), (x, name)
PY
    cp 300,40.npy x.npy
    mv "x300,40.zarr" x.zarr
    gt-info --check --deep x.zarr > /dev/null
    refused 2 "-O zarr writes a directory or a .zip" gt-svd -O zarr x.npy
    refused 2 "-O plink is for genotypes" gt-svd -O plink x.npy -o y
    gt-svd -q --no-version -f x.npy -o a.zip
    gt-svd -q --no-version -f -@ 1 x.npy -o b.zip
    cmp a.zip b.zip
}

@test "auto with a short side: all singular values; a Zarr stream of real numbers is a plain array" {
    "$PYTHON" -c 'import numpy as np; np.save("x.npy", np.random.default_rng(1).random((500, 20)))'
    gt-svd -q x.npy -o x
    gt-svd -q -k 3 x.npy -o three
    "$PYTHON" -c 'import numpy as np
x = np.load("x.npy")
assert np.allclose(np.load("x.s.npy"), np.linalg.svd(x, compute_uv=False), rtol=1e-12) and np.load("x.u.npy").shape == (500, 20)
assert np.load("three.s.npy").shape == (3,)'
    for args in "--uniform 0..1 --dtype float64" "--normal --zarr-format 3" "--uniform 0..1 --dtype float32 --codec none"; do
        # shellcheck disable=SC2086
        gt-sim -q --samples 30 --variants 700 $args -f -o z.zarr
        # shellcheck disable=SC2086
        gt-sim -q --samples 30 --variants 700 $args | gt-svd -q -f -o stream
        gt-svd -q -f z.zarr -o stored
        for part in u s v; do cmp stream.$part.npy stored.$part.npy; done
        # its axes have names, so that samples are compared
        # shellcheck disable=SC2086
        gt-sim -q --samples 30 --variants 700 $args | gt-pdist -q -f -O npy -o stream.npy
        gt-pdist -q -f -O npy z.zarr -o stored.npy
        cmp stream.npy stored.npy
        cmp stream.npy.id stored.npy.id
        gt-rechunk -q -f z.zarr -o x.npy
        "$PYTHON" -c 'import numpy as np
from scipy.spatial.distance import pdist, squareform
assert np.allclose(np.load("stream.npy"), squareform(pdist(np.load("x.npy").astype(float).T)), rtol=1e-12)'
    done
}

@test "krylov: no copy in memory of an array that is uncompressed in files, and the same bits" {
    gt-sim -q --samples 400 --variants 20000 --rank 9 --seed 2 --chunks variants=1000 --codec none -o raw.zarr
    gt-rechunk -q --codec zstd:1 raw.zarr -o packed.zarr
    gt-rechunk -q raw.zarr -o raw.npy
    for from in raw.zarr packed.zarr raw.npy; do
        gt-svd -q -f -k 5 --algorithm krylov --as array $from -o "of_${from/./_}"
        for part in u s v; do cmp "of_${from/./_}.$part.npy" of_raw_zarr.$part.npy; done
    done
    gt-svd -n -k 5 --algorithm krylov --as array packed.zarr | grep -q '^array  *stays in memory'
    for from in raw.zarr raw.npy; do
        gt-svd -n -k 5 --algorithm krylov --as array $from | grep -q '^array  *is read again in each pass; it is uncompressed'
    done
    gt-svd -n -k 5 --algorithm krylov --as array --slice ::2 raw.zarr | grep -q '^array  *stays in memory'
    # with more columns than rows, blocks of columns are not as the file has them
    gt-rechunk -q --transpose raw.npy -o wide.npy
    gt-svd -n -k 5 --algorithm krylov --as array wide.npy | grep -q '^array  *stays in memory'
    # unless its order is Fortran's
    "$PYTHON" -c 'import numpy as np
for name in "wide", "raw":
    np.save("f_" + name, np.asfortranarray(np.load(name + ".npy")))'
    gt-svd -n -k 5 --algorithm krylov --as array f_wide.npy | grep -q '^array  *is read again in each pass; it is uncompressed'
    gt-svd -n -k 5 --algorithm krylov --as array f_raw.npy | grep -q '^array  *stays in memory'
    gt-svd -q -f -k 5 --algorithm krylov --as array f_raw.npy -o of_f_raw
    cmp of_f_raw.s.npy of_raw_npy.s.npy
    used() { gt-svd -n -k 5 --algorithm krylov --as array "$1" | sed -n 's/^memory .*needed, \([0-9]*\)M used.*/\1/p'; }
    [ "$(($(used packed.zarr) - $(used raw.zarr)))" -ge 60 ] # of 61 MiB
    # LZ4 is read again if there are few passes; whole numbers above 2 are not copied because they might have been 0, 1 and 2
    gt-rechunk -q --codec lz4 raw.zarr -o lz4.zarr
    for from in lz4.zarr:1:fast lz4.zarr:2: packed.zarr:1: raw.zarr:2:uncompressed; do
        IFS=: read -r store power why <<< "$from"
        gt-svd -n -k 5 --algorithm compressed --power-iterations $power --as array "$store" > plan
        grep -q "^array  *$([ "$why" ] && echo "is read again in each pass; it is $why" || echo 'stays in memory')" plan || { echo "$from"; cat plan; return 1; }
    done
    gt-sim -q --samples 2000 --variants 20000 --uniform 0..9 --dtype uint8 --codec none -o u1.zarr
    gt-svd -q -k 3 --algorithm krylov --tol 0.5 --as array --trace t.json u1.zarr -f -o p
    times() { grep -o "\"name\":\"$1\"" t.json | wc -l; }
    [ "$(times decode)" -ge "$(times multiply)" ] # in each pass
}

@test "an array that memory holds is read once, one that it does not in each pass, with the same bits" {
    [ "${GT_DEVICE:-cpu}" = cpu ] || skip "values stay on the device, whatever the memory"
    need_zarr
    "$PYTHON" -c '
import numpy as np, zarr
rng = np.random.default_rng(4)
zarr.open("x.zarr", mode="w", shape=(10000, 1500), chunks=(1000, 500), dtype="f4")[:] = rng.random((10000, 1500), dtype="f4")'
    for way in "krylov --tol 0.5 --passes 5" "compressed --power-iterations 2" "compressed --iterator QR --power-iterations 1"; do
        # shellcheck disable=SC2086
        gt-svd -n -k 3 --algorithm $way x.zarr | grep -q '^array  *stays in memory'
        # shellcheck disable=SC2086
        gt-svd -n -k 3 --memory 100M --algorithm $way x.zarr | grep -q '^array  *is read again'
        # shellcheck disable=SC2086
        gt-svd -q -f -k 3 --algorithm $way --trace all.json x.zarr -o all
        for memory in 86M 100M 130M; do # nothing, some, nearly all of 57 MiB
            # shellcheck disable=SC2086
            gt-svd -q -f -k 3 --memory $memory --algorithm $way --trace some.json x.zarr -o some
            for part in u s v; do cmp all.$part.npy some.$part.npy; done
            [ "$(grep -c '"decode"' some.json)" -gt "$(grep -c '"decode"' all.json)" ]
        done
    done
    # nothing is kept for a pass that does not come
    run ! grep -q '^array' < <(gt-svd -n -k 3 --algorithm compressed x.zarr)
    run ! grep -q '^array' < <(gt-svd -n --algorithm tsqr -k 3 --slice :,:50 x.zarr)
}
