"""Stores that were written here, opened by the libraries that others use: zarr-python (2 or 3), and where they are
installed xarray and TensorStore.

    zarr_readers.py STORE...        "v3.zarr", "v2.zip"; texts and numbers that they have to give are in want/

want/NAME.npy is the array NAME as gt-rechunk -O npy wrote it, want/NAME.json a list of texts.  Zarr 3 is for zarr-python 3
alone.  Prints a line for each store and library.
"""
import json
import os
import sys
import warnings

import numpy as np
import zarr

warnings.simplefilter("ignore")
want = {}
for name in os.listdir("want"):
    stem, kind = os.path.splitext(name)
    want[stem] = np.load("want/" + name) if kind == ".npy" else np.array(json.load(open("want/" + name)), dtype=object)


def check(who, store, name, got):
    """Bits of floats, NaNs of any payload among them, are to be the same."""
    a, b = np.asarray(got), want[name]
    if b.dtype == object:
        a = a.astype(object).reshape(-1)
    elif b.dtype.kind == "f":
        a, b = a.view("u%d" % a.dtype.itemsize), b.view("u%d" % b.dtype.itemsize)
    assert a.dtype == b.dtype and a.shape == b.shape and (a == b).all(), (who, store, name, a.dtype, b.dtype, a.shape, b.shape)


def open_store(store):
    if not store.endswith(".zip"):
        return store
    return zarr.ZipStore(store, mode="r") if zarr.__version__ < "3" else zarr.storage.ZipStore(store, mode="r")


def by_zarr(store):
    group = zarr.open_group(open_store(store), mode="r")
    for name in want:
        check("zarr", store, name, group[name][:])
    return "zarr " + zarr.__version__


def by_xarray(store):
    import xarray
    data = xarray.open_zarr(open_store(store), consolidated=True, mask_and_scale=False, decode_times=False, chunks=None)
    for name in want:
        check("xarray", store, name, data[name].values)
    assert data["call_genotype"].dims == ("variants", "samples", "ploidy"), data["call_genotype"].dims
    return "xarray " + xarray.__version__


def by_tensorstore(store):
    import tensorstore
    for name in want:
        if want[name].dtype == object:
            continue  # it has no texts of variable length
        path = os.path.abspath(store)
        place = {"driver": "zip", "base": {"driver": "file", "path": path}, "path": name + "/"}
        if not store.endswith(".zip"):
            place = {"driver": "file", "path": path + "/" + name + "/"}
        array = tensorstore.open({"driver": "zarr" if "v2" in store else "zarr3", "kvstore": place}, read=True).result()
        check("tensorstore", store, name, array.read().result())
    return "tensorstore"


for store in sys.argv[1:]:
    for read in (by_zarr, by_xarray, by_tensorstore):
        try:
            print(store, read(store))
        except ImportError:
            pass
