#!/usr/bin/env python3
"""zarr_shards.py < LINES: for each line `PLAIN SHARDED [ARRAY=CHUNKS/SHARDS...]` zarr-python 3 reads the same values from both stores, and
of the named arrays of the second one these shapes of chunks and shards (AxB; '-' for no shards)."""
import sys

import numpy as np
import zarr


def shape(text):
    return None if text == "-" else tuple(int(n) for n in text.split("x"))


def same(x, y):
    if x.shape != y.shape or x.dtype != y.dtype:
        return False
    return x.tobytes() == y.tobytes() if x.dtype.kind in "iufb" else bool(np.all(x == y))


def check_regions(group):
    """Rows of region_index are runs of variants on a contig: chunk, contig, start, end, largest end, number."""
    index, position, contig = (np.asarray(group[name][...]) for name in ("region_index", "variant_position", "variant_contig"))
    chunk = group["variant_position"].chunks[0]
    first = 0
    for row in index:
        last = first + row[5]
        assert (contig[first:last] == row[1]).all() and position[first:last].min() == row[2] and position[first:last].max() == row[3], row
        assert row[0] == first // chunk == (last - 1) // chunk, row
        first = last
    assert first == len(position)


def check(plain, sharded, *shapes):
    plain, sharded = (zarr.open(path, mode="r") for path in (plain, sharded))
    if isinstance(plain, zarr.Array):
        arrays = {"": (plain, sharded)}
    else:
        names = sorted(dict(plain.arrays()))
        assert names == sorted(dict(sharded.arrays())), names
        arrays = {name: (plain[name], sharded[name]) for name in names}
    for name, (one, other) in arrays.items():
        assert name == "region_index" or same(one[...], other[...]), name
    for wanted in shapes:
        name, _, lengths = wanted.partition("=")
        chunks, _, shards = lengths.partition("/")
        array = arrays[name][1]
        assert (array.chunks, array.shards) == (shape(chunks), shape(shards)), (name, array.chunks, array.shards)
    if "region_index" in arrays:
        check_regions(sharded)


for line in sys.stdin:
    try:
        check(*line.split())
    except AssertionError:
        print(line, end="", file=sys.stderr)
        raise
