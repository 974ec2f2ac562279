"""Stores of gt-utils as xarray datasets, with the names of sgkit and VCF Zarr.

    import gt_utils
    data = gt_utils.open("cohort.zarr")
    data.call_dosage[:1000].mean("samples")         # reads the chunks of these 1,000 variants

call_dosage has the number of non-reference alleles of each call.  It is computed when it is read, and only from the chunks that the
selection needs, so that a dataset may be larger than memory.
"""
import itertools
import os
import zipfile

import numpy as np
import xarray as xr
import zarr
from xarray.backends.common import BackendArray
from xarray.core import indexing
from zarr.core.sync import sync

__version__ = "0.1.0"
__all__ = ["open"]

COORDINATES = ["sample_id", "variant_contig", "variant_position", "variant_id"]


def open(path, dtype="float32"):
    """The store at PATH, a folder, a zip file or a URL that zarr-python opens: packed, or VCF Zarr.

    call_dosage (variants, samples) has this dtype.  Missing calls are NaN, as in sgkit, or -1 if dtype is an integer type.
    A call with one missing allele is missing; a haploid call in diploid data is 0 or 2.
    """
    dtype = np.dtype(dtype)
    if dtype.kind not in "fi":
        raise ValueError(f"dtype {dtype} has no missing value: use a float or a signed integer")
    store = path
    if isinstance(path, (str, os.PathLike)) and os.path.isfile(path) and zipfile.is_zipfile(path):
        store = zarr.storage.ZipStore(path, mode="r")
    group = zarr.open_group(store, mode="r")
    source = next((name for name in ("packed_dosage", "call_dosage", "call_genotype") if name in group), None)
    if source is None:
        raise ValueError(f"{path}: no packed_dosage, call_dosage or call_genotype")
    data = xr.open_zarr(store, chunks=None, mask_and_scale=False)
    array = group[source]
    lazy = {"packed_dosage": PackedDosage, "call_dosage": StoredDosage, "call_genotype": GenotypeDosage}[source](array, dtype)
    ploidy = array.attrs.get("gt_packed", array.attrs).get("ploidy", 2 if array.ndim == 2 else array.shape[2])
    dosage = xr.Variable(("variants", "samples"), indexing.LazilyIndexedArray(lazy), {"ploidy": int(ploidy)})
    per_byte = 4 if source == "packed_dosage" else 1
    dosage.encoding["preferred_chunks"] = {"variants": array.chunks[0], "samples": min(array.chunks[1] * per_byte, lazy.shape[1])}
    data = data.drop_vars("packed_dosage", errors="ignore").assign(call_dosage=dosage)
    return data.set_coords([name for name in COORDINATES if name in data])


class Dosage(BackendArray):
    """Counts of non-reference alleles, made from ARRAY when they are read.  decode() turns what was read into counts, with -1."""

    per_column = 1  # samples in a column of the array

    def __init__(self, array, dtype):
        self.array, self.dtype, self.shape = array, dtype, self.count(array)

    def count(self, array):
        return array.shape[:2]

    def __getitem__(self, key):
        return indexing.explicit_indexing_adapter(key, self.shape, indexing.IndexingSupport.OUTER, self.read)

    def read(self, key):
        rows, samples = (_indices(k, n) for k, n in zip(key, self.shape))
        scalar = tuple(0 if isinstance(k, (int, np.integer)) else slice(None) for k in key)
        if not len(rows) or not len(samples):
            return np.empty((len(rows), len(samples)), self.dtype)[scalar]
        row, row_back = np.unique(rows, return_inverse=True)
        column, column_back = np.unique(samples // self.per_column, return_inverse=True)
        self.demand_chunks(row, column)
        part = self.array.oindex[(_slice(row), _slice(column))]
        counts = self.decode(part[row_back][:, column_back], samples)
        if self.dtype.kind == "f":
            counts = np.where(counts < 0, self.dtype.type("nan"), counts)
        return counts.astype(self.dtype)[scalar]

    def demand_chunks(self, row, column):
        """A missing chunk would read as homozygous reference."""
        lengths = self.array.shards or self.array.chunks
        grid = [np.unique(index // length).tolist() for index, length in zip((row, column), lengths)]
        rest = [0] * (self.array.ndim - 2)
        for chunk in itertools.product(*grid):
            name = self.array.store_path / self.array.metadata.encode_chunk_key((*chunk, *rest))
            if not sync(name.exists()):
                raise ValueError(f"{name}: no such chunk; the store is damaged")


class PackedDosage(Dosage):
    """Four samples in a byte, the first in the lowest two bits; 3 is missing (gt-packed(5))."""

    per_column = 4

    def count(self, array):
        return array.shape[0], array.attrs["gt_packed"]["samples"]

    def decode(self, part, samples):
        counts = (part >> (samples % 4 * 2).astype("u1") & 3).astype("i1")
        return np.where(counts == 3, np.int8(-1), counts)


class StoredDosage(Dosage):
    """Counts or doses as they are; what is below 0 is missing."""

    def decode(self, part, samples):
        return np.where(part < 0, part.dtype.type(-1), part) if part.dtype.kind in "fi" else part


class GenotypeDosage(Dosage):
    """Alleles of each call: -1 is a missing allele, -2 stands behind the alleles of a call of lower ploidy."""

    def decode(self, part, samples):
        alleles = (part > 0).sum(axis=2, dtype="i1")
        used = (part != -2).sum(axis=2)
        if part.shape[2] == 2:
            alleles = np.where(used == 1, 2 * alleles, alleles)
        return np.where((part == -1).any(axis=2) | (used == 0), np.int8(-1), alleles)


def _indices(key, n):
    """The positions that an outer index (integer, slice or array) selects of n."""
    if isinstance(key, slice):
        return np.arange(*key.indices(n))
    return np.arange(n)[key] if getattr(key, "dtype", None) == bool else np.atleast_1d(key) % max(n, 1)


def _slice(index):
    """Sorted positions as a slice where they are contiguous, which is read faster."""
    first, last = int(index[0]), int(index[-1])
    return slice(first, last + 1) if last - first + 1 == len(index) else index
