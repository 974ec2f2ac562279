#!/usr/bin/env python3
"""What scripts/bench rechunk compares with.

    rechunk.py make CASE PARTS         the input, as in.zarr, of a so manieth part of the length
    rechunk.py options CASE            those of gt-rechunk
    rechunk.py TOOL CASE THREADS       in.zarr to theirs.zarr, by rechunker, dask, distributed or tensorstore
    rechunk.py same A B                fails if the numbers are not the same

TensorStore reads the whole array and writes it, which is its fastest way here; it does not wait for the disk."""
import sys

CASES = {  # shape, type, format, chunks of in.zarr; of the output: chunks and shards along the axes after the first, which is not cut
    "int8": ((200000, 10000), "int8", 2, (1000, 10000), (10,), None),
    "columns": ((12800, 10000), "float32", 3, (128, 10000), (100,), None),
    "layers": ((500, 512, 512), "float32", 3, (1, 512, 512), (32, 32), None),
    "shards": ((500, 512, 512), "float32", 3, (1, 512, 512), (32, 32), (128, 128)),
}


def codec(name):
    return {"id": "blosc", "cname": "lz4", "clevel": 5, "shuffle": 2} if name == "int8" else {"name": "zstd", "configuration": {"level": 1}}


def context(threads):
    import tensorstore as ts
    return ts.Context({"data_copy_concurrency": {"limit": threads}, "file_io_concurrency": {"limit": threads}, "file_io_sync": False})


def create(path, name, shape, chunks, shards, threads):
    import tensorstore as ts
    _, kind, version, *_ = CASES[name]
    if version == 2:
        meta = {"shape": shape, "chunks": chunks, "dtype": "|i1", "compressor": codec(name)}
    else:
        codecs = [{"name": "bytes", "configuration": {"endian": "little"}}, codec(name)]
        if shards:
            codecs = [{"name": "sharding_indexed", "configuration": {"chunk_shape": chunks, "codecs": codecs}}]
        meta = {"shape": shape, "data_type": kind, "codecs": codecs,
                "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": shards or chunks}}}
    return ts.open({"driver": "zarr" if version == 2 else "zarr3", "kvstore": {"driver": "file", "path": path}, "metadata": meta},
                   context=context(threads), create=True, delete_existing=True).result()


def opened(path, threads=2):
    import os
    import tensorstore as ts
    driver = "zarr3" if os.path.exists(path + "/zarr.json") else "zarr"
    return ts.open({"driver": driver, "kvstore": {"driver": "file", "path": path}}, context=context(threads)).result()


def make(name, parts):
    """Floats: a wave with noise, rounded to a sixteenth, as measurements are."""
    import numpy as np
    shape, kind, _, chunks, *_ = CASES[name]
    shape = (shape[0] // parts,) + shape[1:]
    rng = np.random.default_rng(1)
    array = create("in.zarr", name, shape, chunks, None, 2)
    for at in range(0, shape[0], chunks[0]):
        part = (min(chunks[0], shape[0] - at),) + shape[1:]
        if kind == "int8":
            array[at:at + part[0]] = rng.integers(0, 3, part, dtype="int8")
        else:
            slope = 280 + at / shape[0] + 8 * np.sin(np.arange(shape[-1]) / 300)
            array[at:at + part[0]] = (np.rint(16 * (slope + rng.standard_normal(part, "f4"))) / 16).astype("f4")


def by_tensorstore(name, threads):
    *_, chunks, shards = CASES[name]
    source = opened("in.zarr", threads)
    rows = source.shape[:1]
    array = create("theirs.zarr", name, source.shape, rows + chunks, shards and rows + shards, threads)
    array.write(source.read().result()).result()


def by_python(tool, name, threads):
    import dask
    import dask.array
    import numcodecs
    import zarr
    blosc = numcodecs.Blosc("lz4", 5, numcodecs.Blosc.BITSHUFFLE)  # as in.zarr has it, and gt-rechunk keeps it
    source = zarr.open("in.zarr")
    chunks = source.shape[:1] + CASES[name][4]

    def by_dask():
        dask.array.from_zarr("in.zarr").rechunk(chunks).to_zarr("theirs.zarr", compressor=blosc)

    with dask.config.set(scheduler="threads", num_workers=threads):
        if tool == "rechunker":
            from rechunker import rechunk
            rechunk(source, target_chunks=chunks, max_mem="1GB", target_store="theirs.zarr", temp_store="temp.zarr",
                    target_options={"compressor": blosc}, temp_options={"compressor": blosc}).execute()
        elif tool == "dask":
            by_dask()
    if tool == "distributed":
        from dask.distributed import Client, LocalCluster
        with LocalCluster(n_workers=1, threads_per_worker=threads, memory_limit="1GB", dashboard_address=None,
                          local_directory=".") as cluster, Client(cluster):
            by_dask()


def same(a, b):
    import numpy as np
    a, b = opened(a), opened(b)
    assert a.shape == b.shape and a.dtype == b.dtype
    for at in range(0, a.shape[1], 1000):
        part = slice(at, min(at + 1000, a.shape[1]))
        assert np.array_equal(a[:, part].read().result(), b[:, part].read().result())


if __name__ == "__main__":
    what, name = sys.argv[1:3]
    if what == "make":
        make(name, int(sys.argv[3]))
    elif what == "same":
        same(name, sys.argv[3])
    elif what == "options":  # of gt-rechunk
        *_, chunks, shards = CASES[name]
        print("-c", ",".join(map(str, (-1,) + chunks)), *(["--shard", ",".join(map(str, (-1,) + shards))] if shards else []))
    elif what == "tensorstore":
        by_tensorstore(name, int(sys.argv[3]))
    else:
        by_python(what, name, int(sys.argv[3]))
