"""Arrays as xarray writes them, through gt-rechunk: what xarray reads before and after is the same.

Numbers of all types with and without fill values, scale_factor, add_offset and missing_value, in Zarr 2 and 3: converted to the other
format, cast, and reduced, with and without --skip-missing.  Prints how many comparisons were made.

    xarray_masks.py SEED SHARE
"""
import itertools
import shutil
import subprocess
import sys
import warnings

import numpy as np
import xarray as xr
import zarr

warnings.simplefilter("ignore")
count = refused = 0
rng = np.random.default_rng(int(sys.argv[1]))
some = float(sys.argv[2])  # the share of all cases that is tried


def rechunk(source, *args):
    shutil.rmtree("out.zarr", ignore_errors=True)
    return subprocess.run(["gt-rechunk", "-q", *args, source, "-o", "out.zarr"], capture_output=True, text=True)


def read(path, decode=True):
    with xr.open_zarr(path, mask_and_scale=decode, consolidated=False, decode_times=False) as data:
        return data["x"].values


def same(got, want, what, rtol=0.0):
    global count
    count += 1
    got, want = np.asarray(got, "f8"), np.asarray(want, "f8")
    assert got.shape == want.shape and np.allclose(got, want, rtol=rtol, atol=rtol, equal_nan=True), (what, got, want)


def make(dtype, fmt, fill, scale, missing):
    """An array of 12 x 9 in chunks of 5 x 4, a third of it missing where there is a fill value; row 3 all."""
    info = np.iinfo(dtype) if dtype[0] in "iu" else None
    raw = rng.integers(1, 100, (12, 9)).astype(dtype)
    attrs = {}
    if fill is not None:
        raw[rng.random(raw.shape) < 0.3] = fill
        raw[3] = fill
        attrs["_FillValue"] = np.array(fill, dtype)[()]
    if scale:
        attrs |= {"scale_factor": scale[0], "add_offset": scale[1]}
    if missing is not None:
        raw[rng.random(raw.shape) < 0.1] = missing
        attrs["missing_value"] = np.array(missing, dtype)[()]
    shutil.rmtree("in.zarr", ignore_errors=True)
    # already encoded: xarray writes it as it is, with the marks
    xr.Dataset({"x": (("a", "b"), raw, attrs)}).to_zarr("in.zarr", zarr_format=fmt, consolidated=False, encoding={"x": {"chunks": (5, 4)}})
    assert np.array_equal(read("in.zarr", False), raw, equal_nan=info is None)
    return raw


def fills(dtype):
    if dtype[0] == "f":
        return [None, float("nan"), -9999.0]
    info = np.iinfo(dtype)
    return [None, 0, info.max, info.min, -99 if info.min else 99]


def reductions(source, raw, masked, scale):
    global refused
    s, o = scale or (1.0, 0.0)
    plain = raw.astype("f8") * s + o
    for (op, axis), skip in itertools.product(itertools.product(("sum", "mean", "min", "max", "std", "count", "any", "all"), ("a", "b")), (False, True)):
        if rng.random() > 0.3 or (not skip and np.nanmax(abs(raw.astype("f8"))) > 1e6):  # sums go round
            continue
        values = np.where(masked, np.nan, plain) if skip else plain
        k = "ab".index(axis)
        done = rechunk(source, "--array", "x", "--reduce", f"{op}:{axis}", *["--skip-missing"] * skip)
        if done.returncode == 2 and scale and "has scale_factor" in done.stderr and "hint: " in done.stderr:
            assert op in ("count", "any", "all") or (op == "sum" and skip), (op, skip, done.stderr)
            refused += 1
            continue
        assert done.returncode == 0, (op, skip, done.stderr)
        if op in ("count", "any", "all"):
            truth = np.nan_to_num(values, nan=1.0 if op == "all" else 0.0) != 0 if skip else values != 0
            want = {"count": np.sum, "any": np.any, "all": np.all}[op](truth, axis=k)
        elif skip:
            want = {"sum": np.nansum, "mean": np.nanmean, "min": np.nanmin, "max": np.nanmax, "std": np.nanstd}[op](values, axis=k)
        else:
            want = getattr(np, op)(values, axis=k)
        group = zarr.open_group("out.zarr.group", mode="w", zarr_format=zarr.open_array("out.zarr", mode="r").metadata.zarr_format)
        shutil.copytree("out.zarr", "out.zarr.group/x")
        same(read("out.zarr.group"), want, (source, op, axis, skip, scale), 1e-5)
        shutil.rmtree("out.zarr.group")


cases = list(itertools.product(("i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f4", "f8"), (2, 3)))
for dtype, fmt in cases:
    for fill, scale, missing in itertools.product(fills(dtype), (None, (0.5, 100.0), (2.0, 0.0)), (None, 77)):
        if rng.random() > some:
            continue
        raw = make(dtype, fmt, fill, scale, missing)
        before = read("in.zarr")
        what = (dtype, fmt, fill, scale, missing)
        for other in (2, 3):
            assert rechunk("in.zarr", "--zarr-format", str(other), "-c", "6,9").returncode == 0, what
            same(read("out.zarr"), before, what + ("to", other))
            same(read("out.zarr", False), raw, what + ("raw", other))
            for to in rng.permutation(["i2", "i8", "f4", "f8", "u1"])[:2]:
                done = rechunk("in.zarr", "--zarr-format", str(other), "--array", "x", "--dtype", to)
                if done.returncode == 3 and "does not fit" in done.stderr:
                    continue
                assert done.returncode == 0, (what, to, done.stderr)
                shutil.rmtree("out.zarr.group", ignore_errors=True)
                zarr.open_group("out.zarr.group", mode="w", zarr_format=other)
                shutil.copytree("out.zarr", "out.zarr.group/x")
                same(read("out.zarr.group"), before, what + ("as", to, other), 1e-6)
                shutil.rmtree("out.zarr.group")
        if rng.random() < 0.5:
            masked = np.zeros(raw.shape, bool) if fill is None else np.isnan(raw) if fill != fill else raw == np.array(fill, dtype)
            if missing is not None:
                masked |= raw == missing
            if dtype[0] == "f":
                masked |= np.isnan(raw)
            reductions("in.zarr", raw, masked, scale)

# Zarr 2 times without a fill value: chunks that are not there are NaT
shutil.rmtree("in.zarr", ignore_errors=True)
times = zarr.create_array("in.zarr", shape=(6,), chunks=(2,), dtype="M8[s]", zarr_format=2, fill_value=None)
times[:2] = np.array(["2020-01-01", "NaT"], "M8[s]")
want = zarr.open_array("in.zarr", mode="r")[:]
for other in ("2", "3"):
    done = rechunk("in.zarr", "--zarr-format", other, "-c", "3")
    assert done.returncode == 0, done.stderr
    got = zarr.open_array("out.zarr", mode="r")[:]
    assert np.array_equal(got, want, equal_nan=True), (got, want)
    count += 1

print(count, "comparisons,", refused, "refused")
