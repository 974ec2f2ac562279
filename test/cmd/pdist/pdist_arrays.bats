#!/usr/bin/env bats
# gt-pdist on plain arrays: scipy's metrics.

bats_require_minimum_version 1.5.0

. "$GT_SOURCE/test/support/pdist.bash"

setup() { cd "$BATS_TEST_TMPDIR" || exit 1; }

need_scipy() { "$PYTHON" -c 'import numpy, scipy' 2> /dev/null || skip "no python3-scipy"; }


@test "every metric of scipy on arrays of many kinds, with weights" {
    need_scipy
    "$PYTHON" "$GT_SOURCE/test/support/pdist_arrays.py" 1 scipy
}

@test "mahalanobis is scipy's; scipy's other names of metrics" {
    need_scipy
    "$PYTHON" "$GT_SOURCE/test/support/pdist_arrays.py" 1 mahalanobis names
}

@test "every metric of scipy with missing values: scipy's of the columns that both rows have, with weights and without" {
    need_scipy
    "$PYTHON" "$GT_SOURCE/test/support/pdist_arrays.py" 1 missing
}

@test "MATLAB's vectors, to scipy's tolerances" {
    need_scipy
    [ -e "$GT_TEST_DATA/README.md" ] || skip "no test data"
    "$PYTHON" - "$GT_TEST_DATA/pdist/scipy_ml" << 'PY'
import subprocess, sys, numpy as np
at = sys.argv[1]
def check(name, array, metric, rtol, *args):
    np.save("x.npy", array)
    subprocess.run(["gt-pdist", "-q", "-f", "-m", metric, *args, "-O", "condensed", "x.npy", "-o", "d.npy"], check=True)
    want = np.loadtxt(f"{at}/pdist-{name}.txt")
    got = np.load("d.npy")
    assert np.allclose(got, want, rtol=rtol, atol=rtol), (name, abs(got - want).max())
double, iris = np.loadtxt(f"{at}/pdist-double-inp.txt"), np.loadtxt(f"{at}/iris.txt")
boolean = np.loadtxt(f"{at}/pdist-boolean-inp.txt")
# rtol as in scipy/spatial/tests/test_distance.py
for metric, rtol in [("euclidean", 1e-7), ("seuclidean", 1e-7), ("cityblock", 1e-7), ("cosine", 1e-7), ("correlation", 1e-7),
                     ("chebyshev", 1e-7), ("jensenshannon", 1e-7)]:
    check(f"{metric}-ml", double, metric, rtol)
for metric, rtol in [("euclidean", 1e-7), ("seuclidean", 1e-7), ("cityblock", 1e-14), ("cosine", 1e-7), ("correlation", 1e-7),
                     ("chebyshev", 1e-14), ("jensenshannon", 1e-12)]:
    check(f"{metric}-ml-iris", iris, metric, rtol)
check("minkowski-3.2-ml", double, "minkowski", 1e-7, "-p", "3.2")
check("minkowski-3.2-ml-iris", iris, "minkowski", 1e-7, "-p", "3.2")
check("minkowski-5.8-ml-iris", iris, "minkowski", 1e-7, "-p", "5.8")
for metric in "hamming", "jaccard":
    check(f"{metric}-ml", boolean, metric, 1e-7)
PY
}

@test "the example of the article: dask's random integers, euclidean" {
    "$PYTHON" -c 'import dask.array' 2> /dev/null || skip "no python3-dask"
    "$PYTHON" -c 'import dask.array as da, numpy as np
np.save("x.npy", da.random.RandomState(0).randint(0, 3, size=(5, 4)).compute())'
    gt-pdist -q -O npy x.npy -o d.npy
    "$PYTHON" -c 'import numpy as np
first = " ".join(f"{v:.8f}" for v in np.load("d.npy")[0])
assert first == "0.00000000 1.73205081 2.44948974 2.23606798 2.44948974", first'
}

@test "the same bytes at every kernel level, for any threads and memory, with missing values or not" {
    need_scipy
    "$PYTHON" -c 'import numpy as np
x = np.random.RandomState(2).rand(700, 90); np.save("x.npy", x); x[::3, ::7] = np.nan; np.save("m.npy", x)'
    for x in x.npy m.npy; do
        for metric in euclidean correlation cosine canberra chebyshev "minkowski -p 3" yule seuclidean; do
            # shellcheck disable=SC2086
            gt-pdist -q -f -m $metric -O npy $x -o best.npy
            for level in ref avx2 avx512; do
                # shellcheck disable=SC2086
                run env GT_CPU=$level gt-pdist -q -f -m $metric -O npy $x -o d.npy
                [ "$status" -eq 2 ] && [[ "$output" == *"lacks '$level'"* ]] && continue
                [ "$status" -eq 0 ]
                cmp best.npy d.npy
            done
        done
    done
    "$PYTHON" -c 'import numpy as np
x = np.random.RandomState(3).rand(3000, 20); x[5, 3] = np.nan; np.save("tall.npy", x)'
    gt-pdist -q -@ 1 -m correlation -O npy tall.npy -o one.npy
    gt-pdist -q -@ 5 -m correlation --memory 110M -O npy tall.npy -o several.npy
    [[ "$(gt-pdist -n -@ 5 -m correlation --memory 110M tall.npy)" =~ passes\ +([0-9]+) ]]
    [ "${BASH_REMATCH[1]}" -gt 2 ]
    cmp one.npy several.npy
}

@test "bytes of whole numbers: the distances of the same numbers as doubles, bit by bit" {
    need_scipy
    "$PYTHON" -c 'import numpy as np
r = np.random.RandomState(3)
def save(name, x):
    np.save(name + ".npy", x)
    x = x.astype("f8"); x[x < 0] = np.nan; np.save(name + "-f8.npy", x)
save("u1", r.randint(0, 256, size=(67, 301)).astype("u1"))
save("b1", r.randint(0, 2, size=(33, 65)).astype("?"))
save("one", r.randint(0, 9, size=(40, 1)).astype("i1"))
x = r.randint(0, 128, size=(131, 8300)).astype("i1"); save("i1", x)
x[5::40, ::3] = -1; x[:, 4000:4100] = 0; save("gaps", x)'
    for x in u1 b1 one i1 gaps; do
        for metric in euclidean cityblock hamming cosine braycurtis jaccard yule; do
            gt-pdist -q -f -m "$metric" -O npy "$x-f8.npy" -o want.npy
            gt-pdist -q -f -m "$metric" -O npy "$x.npy" -o got.npy
            cmp want.npy got.npy
        done
        for level in ref avx2 avx512; do
            run env GT_CPU=$level gt-pdist -q -f -@1 --memory 40M -m yule -O npy "$x.npy" -o "$level.npy"
            [ "$status" -eq 2 ] && [[ "$output" == *"lacks '$level'"* ]] && continue
            cmp want.npy "$level.npy"
        done
    done
}

@test "integers of 0, 1 and 2 are compared as genotypes are, whichever way they lie; other values as doubles" {
    need_scipy
    "$PYTHON" -c 'import numpy as np
r = np.random.RandomState(5)
x = r.randint(-1, 3, size=(67, 3001)).astype("i1")
x[5] = 1
for t in "i1", "<i2", ">i4", "<i8":
    np.save(f"x{np.dtype(t).itemsize}.npy", x.astype(t))
np.save("turned.npy", np.ascontiguousarray(x.T))
np.save("fortran.npy", np.asfortranarray(x))
np.save("u1.npy", abs(x).astype("u1")); np.save("u8.npy", abs(x).astype("u8"))
y = x.astype("f8"); y[y < 0] = np.nan
np.save("want.npy", y); np.save("whole.npy", abs(x).astype("f8"))
x = abs(x).astype("u1"); x[66, 3000] = 200; np.save("late.npy", x); np.save("late-f8.npy", x.astype("f8"))'
    gt-pdist -n x1.npy > plan
    grep -q "^numbers  *if all are 0, 1 or 2: stored in two bits" plan
    for metric in euclidean sqeuclidean cityblock chebyshev hamming braycurtis dice yule rogerstanimoto; do
        for rule in rescale ignore; do
            gt-pdist -q -f -m $metric --missing $rule -O npy want.npy -o want.out.npy
            for x in x1 x2 x4 x8 fortran "turned --axis 1"; do
                # shellcheck disable=SC2086
                gt-pdist -q -f -m $metric --missing $rule -O npy ${x/ /.npy }"$([[ $x == *" "* ]] || echo .npy)" -o got.npy
                cmp want.out.npy got.npy || { echo "$metric $rule $x"; return 1; }
            done
        done
        gt-pdist -q -f -m $metric -O npy whole.npy -o want.out.npy
        for x in u1 u8; do
            gt-pdist -q -f -m $metric -O npy $x.npy -o got.npy
            cmp want.out.npy got.npy
        done
        gt-pdist -q -f -m $metric -O npy late-f8.npy -o want.out.npy
        gt-pdist -q -f -m $metric --memory 40M -O npy late.npy -o got.npy
        cmp want.out.npy got.npy
    done
    run --separate-stderr gt-pdist -O npy late.npy -o again.npy
    [ "$status" -eq 0 ]
    [ "$(grep -c comparing <<< "$stderr")" -eq 1 ] # said once, though the input was read twice
    gt-pdist -q late.npy | cmp - <(gt-pdist -q late-f8.npy)
    run --separate-stderr gt-pdist --missing error x1.npy
    [ "$status" -eq 3 ]
    [[ "$stderr" == *"x1.npy has missing values"* ]]
    printf '%s\n' 3 1 64 > rows
    printf '%s\n' 66 2 > columns
    gt-pdist -q --rows rows --cols columns late.npy | cmp - <(gt-pdist -q --rows rows --cols columns late-f8.npy)
}

@test "--missing literal: integers below 0 are numbers, as numpy has them" {
    need_scipy
    "$PYTHON" -c 'import numpy as np
r = np.random.RandomState(6)
np.save("codes.npy", r.randint(-1, 3, size=(40, 333)).astype("i1"))
np.save("below.npy", r.randint(-2, 3, size=(40, 333)).astype("i4"))
np.save("wide.npy", r.randint(-128, 128, size=(40, 333)).astype("i1"))
np.save("real.npy", r.rand(4, 3))'
    for x in codes below wide; do
        for metric in euclidean cityblock canberra correlation hamming chebyshev seuclidean minkowski; do
            gt-pdist -q -f -m $metric --missing literal -O condensed $x.npy -o got.npy
            X=$x M=$metric "$PYTHON" -c 'import os, numpy as np
from scipy.spatial.distance import pdist
np.testing.assert_allclose(np.load("got.npy"), pdist(np.load(os.environ["X"] + ".npy").astype("f8"), os.environ["M"]), rtol=1e-11)'
        done
    done
    run --separate-stderr gt-pdist --missing literal codes.npy
    [[ "$stderr" != *"negative"* ]]
    run gt-pdist --missing literal real.npy
    [ "$status" -eq 2 ]
    [[ "$output" == *"--missing literal needs integers; 'real.npy' holds floating-point numbers"* ]]
}

@test "--as: a Zarr array of small integers as genotypes or as a plain array, and what is assumed" {
    need_scipy
    "$PYTHON" -c 'import zarr' 2> /dev/null || skip "no python3-zarr"
    "$PYTHON" -c 'import numpy as np, zarr
x = np.random.RandomState(7).randint(0, 3, size=(30, 9)).astype("i1")
np.save("x.npy", x)
for name, axes in ("named", ["variants", "samples"]), ("bare", None), ("turned", ["samples", "variants"]):
    z = zarr.open(name + ".zarr", "w", shape=x.shape, chunks=(7, 4), dtype="i1")
    z[:] = x
    if axes:
        z.attrs["_ARRAY_DIMENSIONS"] = axes'
    is() { # is FILE AXIS: distances between the rows of x, or of its transpose
        F=$1 AXIS=$2 "$PYTHON" -c 'import os, numpy as np
from scipy.spatial.distance import pdist
x = np.load("x.npy"); x = x.T if os.environ["AXIS"] == "1" else x
np.testing.assert_allclose(np.load(os.environ["F"]), pdist(x.astype("f8")), rtol=1e-12)'
    }
    run --separate-stderr gt-pdist -O condensed named.zarr -o d.npy
    [[ "$stderr" == *"reading 'named.zarr' as genotypes, since its second axis is named samples; --as array reads it as a plain array"* ]]
    is d.npy 1
    run --separate-stderr gt-pdist -f --as array -O condensed named.zarr -o d.npy
    [[ "$stderr" != *reading* ]]
    [[ "$stderr" == *"comparing 30 rows over 9 columns"* ]]
    is d.npy 0
    gt-pdist -q -f --as array --axis 1 -O condensed named.zarr -o d.npy
    is d.npy 1
    run --separate-stderr gt-pdist -f -O condensed bare.zarr -o d.npy
    [[ "$stderr" == *"reading 'bare.zarr' as a plain array; --as genotypes reads it as variants x samples"* ]]
    is d.npy 0
    run --separate-stderr gt-pdist -f --as genotypes -O condensed bare.zarr -o d.npy
    [[ "$stderr" == *"comparing 9 samples over 30 variants"* ]]
    is d.npy 1
    for at in named bare turned; do # as piped tar streams too
        tar -C $at.zarr -cf - . | gt-pdist -q -f --as array -O condensed -o d.npy
        is d.npy 0
    done
    tar -C named.zarr -cf - .zarray .zattrs $(cd named.zarr; ls) > named.tar
    run --separate-stderr gt-pdist -f -O condensed -o d.npy < named.tar
    [[ "$stderr" == *"reading 'standard input' as genotypes; --as array reads it as a plain array"* ]]
    is d.npy 1
    for type in i2 u2 i8 f4; do # by zarr.json too
        gt-sim -q --samples 9 --variants 30 --uniform 0..9 --dtype $type --zarr-format 3 -o w3.zarr -f
        for format in 2 3; do
            gt-rechunk -q w3.zarr --zarr-format $format -o w.zarr -f
            gt-rechunk -q w3.zarr --zarr-format $format | gt-pdist -q -f -O condensed -o d.npy
            gt-pdist -q -f -O condensed w.zarr -o e.npy
            cmp d.npy e.npy
        done
    done
    "$PYTHON" -c 'import numpy as np, zarr
zarr.save_array("truths.zarr", np.load("x.npy") > 1)'
    gt-pdist -q -f -O condensed truths.zarr -o e.npy
    tar -C truths.zarr -cf - .zarray $(ls truths.zarr) | gt-pdist -q -f -O condensed -o d.npy
    cmp d.npy e.npy
    # the metadata of a group that begin with its members' are not those of an array
    gt-sim -q --samples 9 --variants 30 -O vcf --seed 1 | gt-pack -q --layout vcz --zarr-format 3 -o group.zarr
    "$PYTHON" -c 'import glob, json
group = json.load(open("group.zarr/zarr.json"))
names = ["call_genotype_phased"] + sorted(f.split("/")[1] for f in glob.glob("group.zarr/*/zarr.json"))
members = {"kind": "inline", "must_understand": False, "metadata": {n: json.load(open("group.zarr/%s/zarr.json" % n)) for n in names}}
json.dump({"zarr_format": 3, "consolidated_metadata": members, "node_type": "group", "attributes": group["attributes"]}, open("zarr.json", "w"))
json.dump({"zarr_format": 3, "node_type": "group", "attributes": dict({"is": {"data_type": "int16"}}, **group["attributes"])}, open("group.json", "w"))'
    gt-pdist -q -f -O condensed group.zarr -o e.npy
    for document in zarr.json group.json; do
        cp $document group.zarr/zarr.json
        tar -C group.zarr -cf - zarr.json $(cd group.zarr; ls -I zarr.json) | gt-pdist -f -O condensed -o d.npy 2> said
        cmp d.npy e.npy
        run ! grep reading said
    done
    gt-sim -q --samples 9 --variants 30 -o packed.zarr
    run gt-pdist --as array packed.zarr
    [ "$status" -eq 2 ]
    [[ "$output" == *"--as array: 'packed.zarr' is a group of arrays"*"--array"* ]]
    run gt-pdist --as array packed.zarr/packed_dosage
    [ "$status" -eq 2 ]
    [[ "$output" == *"holds four genotypes in each byte"*"gt-rechunk --layout plain --dtype int8"* ]]
    run gt-pdist --as genotypes x.npy
    [ "$status" -eq 2 ]
    [[ "$output" == *"--as genotypes needs a Zarr array; 'x.npy' is a NumPy .npy"* ]]
    run gt-pdist --as genotypes turned.zarr
    [ "$status" -eq 3 ]
    gt-sim -q --samples 9 --variants 30 -o x.vcf
    run gt-pdist --as array x.vcf
    [ "$status" -eq 2 ]
    [[ "$output" == *"--as array needs a Zarr array or a .npy file; 'x.vcf' is a VCF"* ]]
    run gt-pdist --as array --between samples named.zarr
    [ "$status" -eq 2 ]
}

@test "jaccard: every value that is not 0 counts as true, as in scipy 1.17" {
    printf '%s\n' 0,2,0 0,1,2 3,0,0 0,0,0 | "$PYTHON" -c 'import sys, numpy as np
np.save("x.npy", np.loadtxt(sys.stdin, delimiter=","))' 2> /dev/null || skip "no python3-numpy"
    [ "$(gt-pdist -q -m jaccard -O triangle x.npy | tr '\t\n' '  ')" = "0.5 1 1 1 1 1 " ]
}

@test "minkowski of any power and size; seuclidean of very large and small values; jensenshannon of nearly equal rows" {
    need_scipy
    "$PYTHON" - << 'PY'
import os, subprocess, numpy as np
from scipy.spatial.distance import pdist
L, r = np.longdouble, np.random.RandomState(1)
def run(x, *args, level=""):
    np.save("x.npy", x)
    done = subprocess.run(["gt-pdist", "-q", "-f", *args, "-O", "condensed", "x.npy", "-o", "d.npy"], env=dict(os.environ, GT_CPU=level) if level else None, stderr=subprocess.PIPE, text=True)
    assert done.returncode == 0 or "lacks" in done.stderr, done.stderr
    return np.load("d.npy") if done.returncode == 0 else None
def minkowski(x, p, w=1, share=1):
    x = x.astype(L)
    d = [abs(x[i] - x[j]) for i in range(len(x)) for j in range(i + 1, len(x))]
    return np.array([v.max() * ((share * w * (v / v.max()) ** L(p)).sum()) ** (1 / L(p)) if v.max() else 0 for v in d], dtype=float)
x = r.rand(6, 50) * 100
x[5] = x[4]
for size in 1, 1e-3, 1e200, 1e-200:
    for p in 33, 100.5, 1000:
        for level in "ref", "avx2", "avx512":
            got = run(x * size, "-m", "minkowski", "-p", str(p), level=level)
            assert got is None or np.allclose(got, minkowski(x * size, p), rtol=1e-12, atol=0), (size, p, level)
w = r.rand(50)
w[3] = 0
np.save("w.npy", w)
assert np.allclose(run(x, "-m", "minkowski", "-p", "200", "--weights", "w.npy"), minkowski(x, 200, w), rtol=1e-12)
half = x.copy()
half[:, 25:] = np.nan
assert np.allclose(run(half, "-m", "minkowski", "-p", "200"), minkowski(x[:, :25], 200, share=2), rtol=1e-12)
for p in "inf", "1000":
    codes = r.randint(0, 3, (8, 40)).astype("i1")
    want = pdist(codes.astype(float), "chebyshev") if p == "inf" else minkowski(codes, 1000)
    assert np.allclose(run(codes, "-m", "minkowski", "-p", p), want, rtol=1e-12), p
assert np.allclose(run(x, "-m", "minkowski", "-p", "inf"), pdist(x, "chebyshev"), rtol=1e-15)
for size in 1e200, 1e-200, 1e300, 1e-306:
    assert np.allclose(run(x * size, "-m", "seuclidean"), pdist(x, "seuclidean"), rtol=1e-9 if size < 1e-300 else 1e-13), size
def shannon(x):
    p, q = (v.astype(L) / v.astype(L).sum() for v in x)
    m = (p + q) / 2
    return float(np.sqrt(((p * np.log(p / m) + q * np.log(q / m)).sum()) / 2))
for apart in 1e-6, 1e-3, 0.1:
    x = r.rand(2, 1000)
    x[1] = x[0] * (1 + apart * r.rand(1000))
    assert np.allclose(run(x, "-m", "jensenshannon")[0], shannon(x), rtol=3e-15 / apart + 1e-13), apart # rounding of shares over their difference
PY
    run gt-pdist -m minkowski -p 1001 x.npy
    [ "$status" -eq 2 ]
    [[ "$output" == *"-p 1001: must be above 0 and at most 1000, or inf"* ]]
}

@test "cosine and correlation of nearly equal rows; mahalanobis of an ill-conditioned covariance" {
    need_scipy
    "$PYTHON" - << 'PY'
import subprocess, numpy as np
from fractions import Fraction
L, r = np.longdouble, np.random.RandomState(7)
def run(x, metric, *args):
    np.save("x.npy", x)
    subprocess.run(["gt-pdist", "-q", "-f", "-m", metric, "-O", "condensed", *args, "x.npy", "-o", "d.npy"], check=True)
    return np.load("d.npy")[0]
def cosine(x, y, w):
    """In integers: exact but for the last steps."""
    x, y, w = ([Fraction(float(v)) for v in a] for a in (x, y, w))
    xy, xx, yy = (sum(c * a * b for a, b, c in zip(p, q, w)) for p, q in ((x, y), (x, x), (y, y)))
    least = (xx * yy - xy * xy) / (xx * yy)  # 1 - c^2
    return float(L(float(least)) / (1 + np.sqrt(1 - L(float(least)))))
def centred(x, y, w):
    x, y, w = ([Fraction(float(v)) for v in a] for a in (x, y, w))
    mean = [sum(a * c for a, c in zip(v, w)) / sum(w) for v in (x, y)]
    x, y = [a - mean[0] for a in x], [a - mean[1] for a in y]
    xy, xx, yy = (sum(c * a * b for a, b, c in zip(p, q, w)) for p, q in ((x, y), (x, x), (y, y)))
    least = (xx * yy - xy * xy) / (xx * yy)
    return float(L(float(least)) / (1 + np.sqrt(1 - L(float(least)))))
one, w = np.ones(200), r.rand(200)
np.save("w.npy", w)
for apart in 1e-10, 1e-7, 1e-3:
    for factor, shift in (1, 0), (3.7, 0), (1e150, 0), (1e-200, 0), (1, 5):
        x = r.rand(2, 200) * factor + shift
        x[1] = x[0] * (1 + apart * r.rand(200)) * 3
        for metric, definition in ("cosine", cosine), ("correlation", centred):
            rough = 4e-15 * (1 if not shift or metric == "cosine" else 100) / apart + 1e-12
            want = definition(x[0], x[1], one)
            assert abs(run(x, metric) / want - 1) < rough, (metric, apart, factor, shift, run(x, metric), want)
            if shift == 0:
                assert abs(run(x, metric, "--weights", "w.npy") / definition(x[0], x[1], w) - 1) < rough, (metric, apart, factor)
    some = x.copy()
    some[:, ::7] = np.nan
    known = ~np.isnan(some).any(0)
    assert abs(run(some, "cosine") / cosine(*some[:, known], one[known]) - 1) < 4e-15 / apart + 1e-12, apart
whole = np.array([np.arange(1, 100), np.arange(1, 100)], dtype="i1")
whole[1, 5] += 1
for metric, definition in ("cosine", cosine), ("correlation", centred):
    for dtype in "i1", "f8":
        assert abs(run(whole.astype(dtype), metric) / definition(*whole, np.ones(99)) - 1) < 1e-13, (metric, dtype)
assert run(np.array([[1e-3, 2e-3, 7e-3], [2e-3, 4e-3, 14e-3]]), "cosine") == 0
# The covariance has a condition number of 1e14 and 1e18: its own rounding would be 1e-2, or more than all of it.
for apart, rough in (1e-7, 1e-8), (1e-9, 1e-6):
    x = r.normal(size=(60, 4)) @ np.diag([1, 1e3, 1e-3, 1]) + 10
    x[:, 3] = x[:, 0] + apart * x[:, 3]
    fine = x.astype(L) - x.astype(L).mean(0)
    q = np.empty_like(fine)  # Gram-Schmidt, twice, in long double
    for j in range(4):
        q[:, j] = fine[:, j]
        for again in 0, 1:
            for k in range(j):
                q[:, j] -= (q[:, k] @ q[:, j]) * q[:, k]
        q[:, j] /= np.sqrt(q[:, j] @ q[:, j])
    want = float(np.sqrt((((q[0] - q[1]) ** 2).sum()) * 59))
    np.save("x.npy", x)
    subprocess.run(["gt-pdist", "-q", "-f", "-m", "mahalanobis", "-O", "condensed", "x.npy", "-o", "d.npy"], check=True)
    got = np.load("d.npy")[0]
    assert abs(got / want - 1) < rough, (apart, got, want)
PY
}

@test "integers below 0 are missing, which is said" {
    need_scipy
    "$PYTHON" -c 'import numpy as np
x = np.arange(12, dtype="i2").reshape(3, 4); np.save("x.npy", x); x[1, 2] = -7; np.save("m.npy", x); np.save("f.npy", x.astype("f4"))'
    for x in x f; do
        run gt-pdist -O tsv "$x.npy"
        [ "$status" -eq 0 ]
        [[ "$output" != *"below 0"* ]]
    done
    run gt-pdist -O tsv m.npy
    [ "$status" -eq 0 ]
    [[ "$output" == *"negative integers in 'm.npy' are taken as missing"* ]]
}

@test "a row of one value has no correlation, whatever its mean is rounded to" {
    need_scipy
    "$PYTHON" -c 'import numpy as np
x = np.random.RandomState(4).rand(4, 1001); x[1] = 0.1; x[2] = 1 / 3; np.save("x.npy", x)'
    run --separate-stderr gt-pdist -m correlation x.npy
    [ "$(cut -f 3,4 <<< "${lines[1]}")" = "$(printf 'nan\tnan')" ]
    [[ "$stderr" == *"correlation: 5 pairs of rows have no finite value"* ]]
}

@test "rows of one value in the columns that both have, and of others elsewhere, have no correlation" {
    need_scipy
    "$PYTHON" -c 'import numpy as np
r = np.random.RandomState(5)
x = r.rand(9, 300)
for i, value in enumerate((0.1, 1 / 3, 0.7, 12345.678, 1e-7)): # rows 1 to 5: in the first half, which is all that rows 6 to 8 have
    x[1 + i, :150] = value
x[6:, 150:] = np.nan
np.save("x.npy", x), np.save("w.npy", r.rand(300) + 0.1)'
    for weights in "" "--weights w.npy"; do
        # shellcheck disable=SC2086
        gt-pdist -q -m correlation $weights -O pairs x.npy > pairs
        [ "$(awk 'NR > 1 && $1 >= 1 && $1 <= 5 && $2 >= 6 && $3 == "nan"' pairs | wc -l)" -eq 15 ]
        [ "$(grep -c nan pairs)" -eq 15 ]
    done
}

@test "rows that are multiples of each other: no distance is below 0 or above 2" {
    need_scipy
    "$PYTHON" -c 'import numpy as np
x = np.random.default_rng(2).normal(size=(20, 7)); np.save("x.npy", np.concatenate([x, 3 * x, x / 7, -x, -0.3 * x]))'
    for metric in cosine correlation; do
        gt-pdist -q -f -m $metric -O npy x.npy -o d.npy
        "$PYTHON" -c 'import numpy as np, sys
from scipy.spatial.distance import cdist
x, d = np.load("x.npy"), np.load("d.npy")
assert d.min() == 0 and d.max() == 2 and np.allclose(d, cdist(x, x, sys.argv[1]), atol=1e-14), (d.min(), d.max())' $metric
    done
}

@test "mahalanobis: the same bytes for any memory, threads, level and axis; what it cannot take is refused" {
    need_scipy
    "$PYTHON" -c 'import numpy as np
r = np.random.RandomState(5); np.save("big.npy", r.normal(size=(700, 300))); x = r.normal(size=(20, 5)); np.save("x.npy", x)
np.save("v.npy", np.linalg.inv(np.cov(x.T))); np.save("v3.npy", np.eye(3)); np.save("below.npy", -np.eye(5)); np.save("v1.npy", np.ones(5))
v = np.eye(5); v[2, 1] = np.nan; np.save("vnan.npy", v); np.save("few.npy", x[:5]); np.save("wide.npy", np.zeros((4001, 4000), "i1"))
y = x.copy(); y[3, 2] = np.nan; np.save("nan.npy", y); y[3, 2] = np.inf; np.save("inf.npy", y)
y = x.copy(); y[:, 3] = y[:, 1] + 2 * y[:, 2]; np.save("singular.npy", y); y[:, 3] = 7; np.save("same.npy", y)'
    gt-pdist -q -m mahalanobis -O npy big.npy -o best.npy
    [[ "$(gt-pdist -n -@ 1 -m mahalanobis --memory 37M big.npy)" =~ passes\ +([0-9]+) ]]
    [ "${BASH_REMATCH[1]}" -gt 5 ]
    gt-pdist -q -@ 1 -m mahalanobis --memory 37M -O npy big.npy -o small.npy
    GT_CPU=ref gt-pdist -q -@ 3 -m mahal -O npy big.npy -o ref.npy
    cmp best.npy small.npy
    cmp best.npy ref.npy
    for i in 1 2 3; do gt-pdist -q -m mahalanobis --part $i/3 big.npy; done > parts.tsv
    gt-pdist -q -m mahalanobis big.npy | cmp - parts.tsv
    refuses -m mahalanobis << 'EOF'
3|nan.npy|nan.npy has missing values, and mahalanobis does not allow any
3|inf.npy|'inf.npy', column 2: -m mahalanobis needs finite values
3|--vi v.npy nan.npy|nan.npy has missing or infinite values
3|--vi v.npy inf.npy|inf.npy has missing or infinite values
3|singular.npy|'singular.npy': the covariance of its columns is singular
3|same.npy|'same.npy': all values of column 3 are identical
3|--axis 1 x.npy|'x.npy': the covariance of 20 rows needs at least 21 columns; there are 5
3|few.npy|'few.npy': the covariance of 5 columns needs at least 6 rows; there are 5
3|--vi v3.npy x.npy|'v3.npy' has 2 axes (3, 3); the inverse covariance of 'x.npy' must be 5 x 5
3|--vi v1.npy x.npy|'v1.npy' has 1 axes
3|--vi below.npy x.npy|'below.npy' is not the inverse of a covariance
3|--vi vnan.npy x.npy|'vnan.npy' has missing or infinite values
4|--memory 200M wide.npy|hint: --memory
2|--weights v1.npy x.npy|-m mahalanobis cannot be weighted
2|--rows v1.npy x.npy|this metric needs the variances of all rows
EOF
    run gt-pdist --vi v.npy x.npy
    [ "$status" -eq 2 ]
    [[ "$output" == *"--vi needs -m mahalanobis; 'euclidean' takes no inverse covariance"* ]]
    gt-sim -q --samples 3 --variants 4 --seed 1 -o s.zarr
    run gt-pdist -q -m mahalanobis s.zarr
    [ "$status" -eq 2 ]
    [[ "$output" == *"metric mahalanobis needs a plain array, not genotypes"* ]]
}

@test "bad input, every metric of arrays: one row, none, no columns, missing values, infinite ones" {
    need_scipy
    "$PYTHON" -c 'import numpy as np
np.save("one.npy", np.array([[1., 2, 3, 0, 5]])); np.save("none.npy", np.zeros((0, 3))); np.save("narrow.npy", np.zeros((3, 0)))
x = np.random.RandomState(3).rand(5, 6); x[1, 2] = np.nan; np.save("missing.npy", x)
x[0, 2] = x[1, 2] = np.inf; x[2, 2] = -np.inf; np.save("infinite.npy", x)'
    metrics=$("$GT_BUILD/test/calc/pdist/metric_list" | awk '/^\.It Cm/ { name = $3; getline; if (!/; genotypes only\)$/) print name }')
    [ "$(wc -w <<< "$metrics")" -eq 22 ]
    for metric in $metrics; do
        [ "$(gt-pdist -q -m "$metric" narrow.npy | tail -n +2 | cut -f 2- | tr '\t\n' '  ')" = "nan nan nan nan nan nan nan nan nan " ]
        [ "$metric" != mahalanobis ] || continue
        run gt-pdist -q -m "$metric" --missing error missing.npy
        [ "$status" -eq 3 ]
        [[ "$output" == *"missing.npy has missing values"* ]]
        [ "$(gt-pdist -q -m "$metric" one.npy | wc -l)" -eq 2 ]
        [ "$(gt-pdist -q -m "$metric" none.npy)" = id ]
        gt-pdist -q -f -m "$metric" -O condensed infinite.npy -o "$metric.npy"
    done
    for x in one.npy none.npy; do
        run gt-pdist -q -m mahalanobis $x
        [ "$status" -eq 3 ]
        [[ "$output" == *" rows; there are"* ]]
    done
    # shellcheck disable=SC2086
    "$PYTHON" -W ignore - $metrics << 'PY'
import sys, numpy as np
from scipy.spatial.distance import pdist
x = np.load("infinite.npy")
far = np.isinf(x).any(1)
i, j = np.triu_indices(len(x), 1)
boolean = "jaccard dice kulczynski1 kulsinski rogerstanimoto russellrao sokalmichener sokalsneath yule".split()
for metric in sys.argv[1:]:
    if metric == "mahalanobis":
        continue
    got = np.load(metric + ".npy")
    try:
        want = pdist(x != 0 if metric in boolean else x, metric)
    except ValueError:  # this scipy lacks it
        continue
    if metric == "jensenshannon":  # a row without shares
        want[far[i] | far[j]] = np.inf
    assert np.allclose(got, want, rtol=1e-12, equal_nan=True), (metric, got, want)
PY
}

@test "weights and variances: what does not go together, and files that do not hold, are refused" {
    need_scipy
    "$PYTHON" -c 'import numpy as np; np.save("x.npy", np.arange(12.).reshape(3, 4)); np.save("v.npy", np.array([1., 4, 4, 1]))
np.save("wide.npy", np.ones((2, 4))); x = np.arange(12.).reshape(3, 4); x[0, 0] = np.nan; np.save("m.npy", x)'
    printf '1\n2\n0\n1\n' > w.txt
    [ "$(gt-pdist -q -m sqeuclidean --weights w.txt x.npy | sed -n 2p)" = "$(printf '0\t0\t64\t256')" ]
    [ "$(gt-pdist -q -m seuclidean -V v.npy x.npy | sed -n 2p)" = "$(printf '0\t0\t6.32455532\t12.64911064')" ]
    printf '1\n2\n3\n' > short.txt
    printf '1\n-2\n0\n1\n' > below.txt
    printf '1\ntwo\n0\n1\n' > word.txt
    printf '0\n0\n0\n0\n' > zeros.txt
    refuses << 'EOF'
2|--weights short.txt x.npy|3 weights or variances for 'x.npy', which has 4 columns
3|--weights below.txt x.npy|'below.txt': value 2 is -2
3|--weights word.txt x.npy|'word.txt', line 2: 'two' is not a number
3|--weights zeros.txt x.npy|'zeros.txt' has no value above 0
3|--weights wide.npy x.npy|'wide.npy' has 2 axes
1|--weights none.txt x.npy|none.txt
2|-m seuclidean --weights w.txt x.npy|-m seuclidean cannot be weighted
2|-m cityblock -V v.npy x.npy|-V needs -m seuclidean
3|-m jensenshannon m.npy|m.npy has missing values, and jensenshannon does not allow any
2|-m king x.npy|metric king needs genotypes, not a plain array
EOF
    gt-sim -q --samples 3 --variants 4 --seed 1 -o s.zarr
    run gt-pdist -q --weights w.txt s.zarr
    [ "$status" -eq 2 ]
    [[ "$output" == *"weights need a plain array"* ]]
    run gt-pdist -q -m seuclidean s.zarr
    [ "$status" -eq 2 ]
    [[ "$output" == *"metric seuclidean needs a plain array, not genotypes"* ]]
}

@test "--missing mean: scipy's distances of arrays whose missing values are their column's mean" {
    need_scipy
    "$PYTHON" -c '
import numpy as np
r = np.random.RandomState(5); x = r.normal(size=(90, 700)); x[r.rand(90, 700) < 0.2] = np.nan; x[:, 3] = np.nan
np.save("x.npy", x); np.save("w.npy", r.rand(700)); np.save("i.npy", r.randint(-1, 9, (90, 700)).astype("i1"))'
    metrics="euclidean seuclidean cityblock minkowski chebyshev canberra braycurtis cosine correlation hamming jaccard"
    for metric in $metrics; do
        gt-pdist -q -f -m $metric --missing mean -O condensed x.npy -o x-$metric.npy
        gt-pdist -q -f -m $metric --missing mean -O condensed i.npy -o i-$metric.npy
        gt-pdist -q -m $metric --missing mean -O condensed -@ 3 --memory 40M x.npy | cmp - x-$metric.npy
        for part in 1 2 3; do gt-pdist -q -m $metric --missing mean -O condensed --part $part/3 x.npy; done | cmp - x-$metric.npy
        [ $metric = seuclidean ] || gt-pdist -q -f -m $metric --missing mean --weights w.npy -O condensed x.npy -o w-$metric.npy
    done
    # shellcheck disable=SC2086
    "$PYTHON" - $metrics << 'PY'
import numpy as np, sys
from scipy.spatial.distance import pdist
def put_in(x):
    x = x[:, ~np.isnan(x).all(0)]  # a column without values is left out
    return np.where(np.isnan(x), np.nanmean(x, 0), x)
x, i, w = np.load("x.npy"), np.load("i.npy").astype(float), np.load("w.npy")
i[i < 0] = np.nan
w = w[~np.isnan(x).all(0)]
for name in sys.argv[1:]:
    for prefix, rows, more in ("x", put_in(x), {}), ("i", put_in(i), {}), ("w", put_in(x), {"w": w}):
        if prefix == "w" and name == "seuclidean":
            continue
        want, got = pdist(rows != 0 if name == "jaccard" else rows, name, **more), np.load(f"{prefix}-{name}.npy")
        assert np.allclose(got, want, rtol=1e-9, atol=1e-12), (prefix, name, abs(got - want).max())
PY
    run gt-pdist -q -m jensenshannon --missing mean x.npy
    [ "$status" -eq 2 ]
    [[ "$output" == *"does not allow missing values: --missing mean does not apply"* ]]
    printf '0\n1\n' > rows
    run gt-pdist -q --missing mean --rows rows x.npy
    [ "$status" -eq 2 ]
    [[ "$output" == *"--missing mean needs the means of all rows"* ]]
    for rule in plink literal; do
        run gt-pdist -q --missing $rule x.npy
        [ "$status" -eq 2 ]
    done
}
