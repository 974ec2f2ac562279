#!/usr/bin/env bats
# gt-rechunk: .npy files as inputs.

bats_require_minimum_version 1.5.0

setup() {
    cd "$BATS_TEST_TMPDIR" || exit 1
    "$PYTHON" -c 'import zarr, sys; sys.exit(not zarr.__version__.startswith("2."))' 2> /dev/null || skip "no python3-zarr 2"
}

need_zarr3() { "${PYTHON_ZARR3:-false}" -c 'import zarr' 2> /dev/null || skip "no zarr-python 3"; }

@test ".npy files of any order, type and shape: the array of numpy in Zarr 2 and 3" {
    need_zarr3
    "$PYTHON" - << 'PY'
import numpy as np
r = np.random.default_rng(1)
big = r.integers(0, 300, (300, 20, 700))
arrays = {"c": r.normal(size=(1100, 1000)), "f": np.asfortranarray(big.astype(">i2")), "long": r.normal(size=1_200_000), "single": r.normal(size=(3, 5)).astype("f2"),
          "bool": r.random(77) < 0.5, "none": np.zeros((0, 4), "u1"), "scalar": np.float32(3), "f8": np.asfortranarray(r.normal(size=(700, 900)))}
for name, x in arrays.items():
    np.save(name + ".npy", x)
PY
    for x in *.npy; do
        gt-rechunk -q "$x" -o "${x%.npy}.zarr"
        gt-rechunk -q --zarr-format 3 - -o "${x%.npy}.zarr3" < "$x"
        gt-rechunk -q --transpose - -o "${x%.npy}.turned" -O npy < <(cat "$x")
    done
    for format in zarr zarr3; do
        python=$PYTHON && [ $format = zarr ] || python=$PYTHON_ZARR3
        FORMAT=$format "$python" - << 'PY'
import glob, os, zarr, numpy as np
for path in glob.glob("*.npy"):
    x, z = np.load(path), zarr.open(path[:-3] + os.environ["FORMAT"], mode="r")
    assert z.dtype == x.dtype.newbyteorder("<") and z.shape == x.shape and np.array_equal(z[...], x), path
    assert np.array_equal(np.load(path[:-3] + "turned"), x.T), path
PY
    done
    gt-rechunk -q -c 100,-1 --order 1,0 --slice '::2,3,:' --codec zstd:1 --dtype int32 f.npy -o part.zarr
    gt-rechunk -q --pick 0:5,2 --reduce std:1 c.npy -o std.npy
    for memory in 50M 1G; do
        gt-rechunk -q -f --memory $memory -c -1,10 c.npy -o wide.zarr
        "$PYTHON" - << 'PY'
import zarr, numpy as np
z = zarr.open("wide.zarr", "r")
assert z.chunks == (1100, 10) and np.array_equal(z[:], np.load("c.npy"))
PY
    done
    "$PYTHON" - << 'PY'
import zarr, numpy as np
z = zarr.open("part.zarr", "r")
assert z.chunks == (100, 150) and z.dtype == "i4" and np.array_equal(z[:], np.load("f.npy")[::2, 3].T)
assert np.allclose(np.load("std.npy"), np.load("c.npy")[[5, 2]].std(1), rtol=1e-13)
PY
}

@test ".npy files that do not hold, and what has no meaning for them" {
    "$PYTHON" -c 'import numpy as np
np.save("x.npy", np.arange(12.).reshape(3, 4)); np.save("texts.npy", np.array(["a", "b"]))'
    head -c 180 x.npy > cut.npy
    cat x.npy x.npy > long.npy
    cp x.npy kept.npy
    while IFS='|' read -r want text args; do
        # shellcheck disable=SC2086
        run gt-rechunk -f -o o.zarr $args
        [ "$status" -eq "$want" ] && [[ "$output" == *"$text"* ]] || { echo "$args: $status $output"; false; }
        [ ! -e o.zarr ]
    done << 'TEXT'
3|'cut.npy' is truncated|cut.npy
3|'long.npy' is too long|long.npy
3|only integers, floats and booleans|texts.npy
2|--array needs a store, but 'x.npy' is a NumPy array|--array a x.npy
2|-c has 3 lengths, but 'x.npy' has 2 axes|-c 1,2,3 x.npy
TEXT
    run gt-rechunk -f x.npy -o x.npy
    [ "$status" -eq 2 ]
    cmp x.npy kept.npy
}
