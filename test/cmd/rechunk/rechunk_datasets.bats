#!/usr/bin/env bats
# gt-rechunk: groups of arrays that share axes, as xarray and OME-Zarr write them.

bats_require_minimum_version 1.5.0

setup_file() {
    "${PYTHON_ZARR3:-false}" -c 'import zarr, xarray' 2> /dev/null || return 0
    "$PYTHON_ZARR3" -W ignore - "$BATS_FILE_TMPDIR" << 'PY'
import os, sys, numpy as np, xarray as xr, zarr
os.chdir(sys.argv[1])
r = np.random.default_rng(1)
ds = xr.Dataset(
    {"air": (("time", "lat", "lon"), r.normal(size=(40, 25, 53)).astype("f4"), {"units": "K"}), "rain": (("lat", "time"), r.integers(0, 9, (25, 40)).astype("i2")),
     "mask": (("lat", "lon"), r.random((25, 53)) < 0.5)},
    coords={"time": np.arange(40) * 6.0, "lat": np.linspace(75, 15, 25), "lon": np.linspace(200, 330, 53), "label": ("time", [f"t{i}" for i in range(40)])}, attrs={"title": "x"})
for form in 2, 3:
    ds.to_zarr(f"ds{form}.zarr", zarr_format=form, encoding={"air": {"chunks": (10, 25, 53)}})
for form in 2, 3:
    g = zarr.open_group(f"image{form}.zarr", mode="w", zarr_format=form)
    axes = [{"name": n} for n in "cyx"]
    scales = [{"axes": axes, "datasets": [{"path": "0"}, {"path": "1"}], "version": "0.4"}]
    g.attrs.update({"multiscales": scales} if form == 2 else {"ome": {"version": "0.5", "multiscales": scales}})
    for level in 0, 1:
        z = g.create_array(str(level), shape=(3, 64 >> level, 48 >> level), chunks=(1, 16, 16), dtype="u2")
        z[...] = r.integers(0, 999, z.shape)
PY
}

setup() {
    cd "$BATS_FILE_TMPDIR" || exit 1
    [ -d ds3.zarr ] || skip "no zarr-python 3 with xarray"
}

fails() {
    run --separate-stderr gt-rechunk -f -o bad.zarr "${@:2}"
    # shellcheck disable=SC2154
    { [ "$status" -eq 2 ] && [[ "${stderr_lines[0]}" == *"$1" ]]; } || { echo "$status: $stderr"; return 1; }
}

@test "--slice, --pick, --order and --transpose by names of axes: what xarray makes of the dataset, coordinates included" {
    printf '%s\n' 3 1 2 > rows.txt
    for form in 2 3; do
        x=ds$form.zarr
        gt-rechunk -q --slice time=2:30:3,lon=5 $x -o slice$form.zarr
        gt-rechunk -q --pick time:rows.txt --slice lat=::-1 --zarr-format $((5 - form)) $x -o pick$form.zarr
        gt-rechunk -q --transpose --slice lon=-1:3:-7 $x -o transpose$form.zarr
        gt-rechunk -q --order lat,lon,time --pick time:-1,0 -c lat=5,air:time=7,lon=11 $x -o order$form.zarr
        gt-rechunk -q --slice time=7 --memory 40M $x -o one$form.zip
    done
    "$PYTHON_ZARR3" -W ignore - << 'PY'
import xarray as xr, zarr
for form in "23":
    want = xr.open_zarr(f"ds{form}.zarr").load()
    def check(name, expected):
        got = xr.open_zarr(zarr.storage.ZipStore(name + form + ".zip", mode="r") if name == "one" else name + form + ".zarr")
        xr.testing.assert_equal(got.load(), expected)
        assert {v: got[v].dims for v in got.variables} == {v: expected[v].dims for v in expected.variables}, name
        assert got.attrs["title"] == "x" and got.air.attrs["units"] == "K"
        return got
    check("slice", want.isel(time=slice(2, 30, 3), lon=5))
    check("pick", want.isel(time=[3, 1, 2], lat=slice(None, None, -1)))
    check("transpose", want.isel(lon=slice(-1, 3, -7)).transpose())
    got = check("order", want.isel(time=[-1, 0]).transpose("lat", "lon", "time"))
    assert got.air.encoding["chunks"] == (5, 11, 2) and got.rain.encoding["chunks"] == (5, 2) and got.mask.encoding["chunks"] == (5, 53)
    check("one", want.isel(time=7))
PY
}

@test "an array with two axes of one name, as a covariance matrix: both are sliced and ordered" {
    "$PYTHON_ZARR3" - << 'PY'
import numpy as np, zarr
for form in 2, 3:
    g = zarr.open_group(f"cov{form}.zarr", mode="w", zarr_format=form)
    for name, dims in ("cov", ("k", "k")), ("x", ("time", "k")):
        z = g.create_array(name, shape=(5, 5), chunks=(2, 3), dtype="f8", dimension_names=dims if form == 3 else None)
        z[...] = np.random.default_rng(len(name)).random((5, 5))
        if form == 2:
            z.attrs["_ARRAY_DIMENSIONS"] = list(dims)
PY
    for form in 2 3; do
        gt-rechunk -q -f --slice k=1:4 cov$form.zarr -o cut.zarr
        gt-rechunk -q -f --pick k:3,0 --order k,time cov$form.zarr -o pick.zarr
        "$PYTHON_ZARR3" - cov$form.zarr << 'PY'
import numpy as np, sys, zarr
was, cut, pick = (zarr.open_group(p, mode="r") for p in (sys.argv[1], "cut.zarr", "pick.zarr"))
cov, x = was["cov"][...], was["x"][...]
assert np.array_equal(cut["cov"], cov[1:4, 1:4]) and np.array_equal(cut["x"], x[:, 1:4])
assert np.array_equal(pick["cov"], cov[np.ix_([3, 0], [3, 0])]) and np.array_equal(pick["x"], x[:, [3, 0]].T)
PY
    done
}

@test "-c for one variable, auto and by bytes" {
    gt-rechunk -q -c time=20,air:time=10,lat=-1,rain:lat=3 ds2.zarr -o named.zarr
    gt-rechunk -q -c lat=5,lon=auto,time=7 --chunk-bytes 1K ds3.zarr -o auto.zarr
    gt-rechunk -q --chunk-bytes 4K ds2.zarr -o bytes.zarr
    gt-rechunk -q -c auto ds3.zarr -o whole.zarr
    gt-rechunk -q -c 8,auto,auto --chunk-bytes 4000 ds3.zarr/air -o place.zarr
    gt-sim -q --samples 1001 --variants 3000 -o packed.zarr
    gt-rechunk -q -c samples=auto,variants=100 --chunk-bytes 10K packed.zarr -o packed_auto.zarr
    "$PYTHON_ZARR3" -W ignore - << 'PY'
import numpy as np, xarray as xr, zarr
def chunks(path):
    xr.testing.assert_equal(xr.open_zarr(path).load(), xr.open_zarr("ds2.zarr").load())
    return {v: x.encoding["chunks"] for v, x in xr.open_zarr(path).variables.items()}
c = chunks("named.zarr")
assert c["air"] == (10, 25, 53) and c["rain"] == (3, 20) and c["time"] == (20,) and c["lat"] == (25,), c
c = chunks("auto.zarr")
assert c["air"] == (7, 5, 7) and c["mask"] == (5, 53) and c["rain"] == (5, 7), c  # 1024 / 4 / 7 / 5 = 7.3
c = chunks("bytes.zarr")
assert c["air"] == (10, 10, 10) and c["mask"] == (25, 53), c  # the cube root of 1024
assert all(c == xr.open_zarr("ds2.zarr")[v].shape for v, c in chunks("whole.zarr").items())
assert zarr.open_array("place.zarr").chunks == (8, 11, 11)  # sqrt(125); 4000 / 4 / 8 = 125
packed = zarr.open_group("packed_auto.zarr")["packed_dosage"]
assert packed.chunks == (100, 102) and packed.shape == (3000, 251), packed.chunks  # 10240 / 100 bytes
PY
    fails "--chunk-bytes needs lengths that are auto, as in -c time=auto" -c time=3 --chunk-bytes 1M ds2.zarr
    fails "-c: no array 'wind' has an axis 'time'" -c wind:time=3 ds2.zarr
    fails "-c: 'air:3' is not ARRAY:AXIS=LENGTH" -c air:3 ds2.zarr
    fails "-c: 'time' was given twice" -c air:time=3,air:time=4 ds2.zarr
    fails "--shard: 'auto' is for chunks (-c)" --shard time=auto ds3.zarr
}

@test "axes of OME-Zarr 0.4 and 0.5 are found by name" {
    for form in 2 3; do
        gt-rechunk -q --slice c=1:2 -c y=32,x=-1 image$form.zarr -o part$form.zarr
        gt-rechunk -q --order x,c,y --slice y=::-1 image$form.zarr/1 -o turned$form.zarr
    done
    "$PYTHON_ZARR3" - << 'PY'
import zarr, numpy as np
for form in "23":
    x, got = zarr.open_group(f"image{form}.zarr"), zarr.open_group(f"part{form}.zarr")
    for level in "01":
        assert np.array_equal(got[level][...], x[level][1:2]) and got[level].chunks == (1, 32, x[level].shape[2])
    assert {k: v for k, v in got.attrs.items() if k != "gt:history"} == dict(x.attrs)
    assert np.array_equal(zarr.open_array(f"turned{form}.zarr")[...], x["1"][...][:, ::-1].transpose(2, 0, 1))
PY
    fails "axes cannot go or change places" --slice c=1 image2.zarr
    fails "axes cannot go or change places" --transpose image3.zarr
    fails "--slice: axis 'y' has 64 items in '0', and 32 in '1'" --slice y=:10 image2.zarr
}

@test "negative steps of slices: as numpy, with a main array and without" {
    gt-rechunk -q --slice '::-3,20:2:-5,-1::-1' ds3.zarr/air -o air.npy
    gt-sim -q --samples 101 --variants 300 -o steps.zarr
    gt-rechunk -q --slice samples=::-7,variants=-1 steps.zarr -o genotypes.zarr
    gt-rechunk -q --slice ':3:-1,5:5:-1,:' ds3.zarr/air -o none.npy
    "$PYTHON_ZARR3" -W ignore - << 'PY'
import numpy as np, zarr
air = zarr.open_group("ds3.zarr")["air"][...]
assert np.array_equal(np.load("air.npy"), air[::-3, 20:2:-5, -1::-1])
assert np.load("none.npy").shape == air[:3:-1, 5:5:-1].shape
x, got = zarr.open_group("steps.zarr"), zarr.open_group("genotypes.zarr")
assert np.array_equal(got["sample_id"][...], x["sample_id"][...][::-7])
PY
    run gt-pdist --slice '::-1,:' none.npy
    [ "$status" -eq 2 ]
    [[ "$output" == *"a negative step would reverse the"* ]]
}

@test "what cannot be done with names of axes" {
    fails "option '--slice' was given twice: 'time=:3' and 'lat=2'" --slice time=:3 --slice lat=2 ds3.zarr
    fails "option '--pick' was given twice: 'time:3' and 'lat:2'" --pick time:3 --pick lat:2 ds3.zarr
    fails "--slice: no array has an axis 'depth'" --slice depth=3 ds2.zarr
    fails "--slice: ':3' is not AXIS=SLICE; name all axes or none" --slice lat=1,:3 ds2.zarr
    fails "--pick: items of axis 'time' were chosen before" --slice time=:3 --pick time:1,2 ds2.zarr
    fails "index 40 is outside the time axis of 40" --slice time=40 ds2.zarr
    fails "--order: axis 'lon' of 'air' is missing; name the axes of all arrays" --order time,lat ds2.zarr
    fails "--order: no array has an axis 'z'" --order time,lat,lon,z ds2.zarr
    fails "--slice without names of axes: the store has no genotypes, and it has 7 arrays" --slice :3 ds2.zarr
}

@test "slices by names of axes, at their borders and beyond, with their coordinates: as numpy" {
    "$PYTHON" -c 'import zarr, numpy' 2> /dev/null || skip "no python3-zarr"
    "$PYTHON" - << 'PY'
import itertools, random, subprocess
import numpy as np, zarr
g = zarr.open("b.zarr", "w")
data = np.arange(7 * 5 * 3).reshape(7, 5, 3).astype("i2")
for name, value, axes, chunks in (("v", data, "tyx", (3, 2, 3)), ("w", data[:, 0], "tx", (2, 2)), ("t", np.arange(7) * 10, "t", (4,)), ("y", np.arange(5) + 100, "y", (5,))):
    g.create_dataset(name, data=value, chunks=chunks).attrs["_ARRAY_DIMENSIONS"] = list(axes)
text = lambda s: ":".join("" if x is None else str(x) for x in (s.start, s.stop)) + ("" if s.step is None else f":{s.step}")
ends = [None, 0, 1, 3, 6, 7, 9, -1, -6, -7, -8]
random.seed(3)
slices = [slice(a, b, c) for a, b, c in itertools.product(ends, ends, (None, 2, 3, 7, -1, -2))]
for t in random.sample(slices, 40):
    y = random.choice([slice(None), slice(1, 4), slice(-2, None), slice(None, None, 2)])
    done = subprocess.run(["gt-rechunk", "-q", "-f", "b.zarr", "-o", "o.zarr", "--slice", f"t={text(t)},y={text(y)}"], capture_output=True, text=True)
    assert done.returncode == 0, (t, y, done.stderr)
    o = zarr.open("o.zarr", "r")
    for name, want in dict(v=data[t, y], w=data[t, 0], t=g["t"][:][t], y=g["y"][:][y]).items():
        assert o[name].shape == want.shape and (o[name][:] == want).all(), (t, y, name, o[name][:], want)
for index in 0, 6, -1, -7:
    subprocess.run(["gt-rechunk", "-q", "-f", "b.zarr", "-o", "o.zarr", "--slice", f"t={index}"], check=True)
    o = zarr.open("o.zarr", "r")
    assert (o["v"][:] == data[index]).all() and (o["w"][:] == data[index, 0]).all(), index
for index in 7, -8:
    done = subprocess.run(["gt-rechunk", "-q", "-f", "b.zarr", "-o", "o.zarr", "--slice", f"t={index}"], capture_output=True, text=True)
    assert done.returncode == 2 and "t" in done.stderr, (index, done)
PY
}

@test "the history of a group has all commands, the earliest first" {
    gt-sim -q --samples 4 --variants 20 -o one.zarr
    gt-rechunk -q -c variants=5,samples=4 one.zarr -o two.zarr
    gt-rechunk -q -c variants=7,samples=4 two.zarr -o three.zarr
    "$PYTHON" -c '
import json
history = [line.split(": ", 1)[1] for line in json.load(open("three.zarr/.zattrs"))["gt:history"]]
assert history == ["gt-sim -q --samples 4 --variants 20 -o one.zarr", "gt-rechunk -q -c variants=5,samples=4 one.zarr -o two.zarr",
                   "gt-rechunk -q -c variants=7,samples=4 two.zarr -o three.zarr"], history'
}
