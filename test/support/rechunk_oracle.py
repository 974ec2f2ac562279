"""gt-rechunk against zarr and numpy.

    rechunk_oracle.py trials SEED COUNT     random arrays, slices, orders, types, chunks, codecs and formats
    rechunk_oracle.py group DIR             makes DIR/in.zarr, a group of arrays and groups
    rechunk_oracle.py same OUT IN EXPR      array OUT is EXPR of array IN, called x
"""
import base64
import gzip
import io
import json
import os
import random
import shutil
import subprocess
import sys
import tarfile
import warnings

import numcodecs
import numpy as np
import zarr

NUMBERS = ["|b1", "|i1", "<i2", ">i4", "<i8", "|u1", "<u2", "<u4", ">u8", "<f2", "<f4", ">f8"]
TEXTS = ["|S5", "<U3", ">U4", "|O"]


# --- Zarr 3, as far as it is written here -----------------------------------------------------

def v3_decode(data, codecs, shape, dtype):
    """The bytes of a chunk -> its items."""
    for codec in reversed(codecs[1:]):
        conf = dict(codec.get("configuration", {}))
        if codec["name"] == "gzip":
            data = gzip.decompress(data)
        elif codec["name"] == "zstd":
            data = numcodecs.Zstd().decode(data)
        elif codec["name"] == "blosc":
            data = numcodecs.Blosc().decode(data)
        elif codec["name"].startswith("numcodecs."):
            data = numcodecs.get_codec({"id": codec["name"].split(".")[1], **codec["configuration"]}).decode(data)
        else:
            raise ValueError(codec["name"])
    first = codecs[0]
    if first["name"] == "vlen-utf8":
        return np.array(numcodecs.VLenUTF8().decode(data), dtype=object).reshape(shape)
    if first["name"] == "sharding_indexed":
        return v3_shard(data, first["configuration"], shape, dtype)
    assert first["name"] == "bytes", first
    assert dtype.itemsize == 1 or first["configuration"]["endian"] == "little" or dtype.kind == "S"
    return np.frombuffer(data, dtype).reshape(shape)


def v3_shard(data, conf, shape, dtype):
    inner = conf["chunk_shape"]
    assert [c["name"] for c in conf["index_codecs"]] == ["bytes", "crc32c"]
    grid = [s // i for s, i in zip(shape, inner)]
    assert all(g * i == s for g, i, s in zip(grid, inner, shape))
    n = int(np.prod(grid, dtype=int))
    index = np.frombuffer(data[-16 * n - 4:-4], "<u8").reshape(n, 2)
    out = np.zeros(shape, dtype=dtype)
    for i, at in enumerate(np.ndindex(*grid)):
        offset, size = (int(v) for v in index[i])
        if offset == 2 ** 64 - 1:
            if dtype == object:
                out[tuple(slice(a * c, a * c + c) for a, c in zip(at, inner))] = ""
            continue
        part = v3_decode(data[offset:offset + size], conf["codecs"], inner, dtype)
        out[tuple(slice(a * c, a * c + c) for a, c in zip(at, inner))] = part
    return out


def v3_type(name):
    if isinstance(name, dict):
        n = name["configuration"]["length_bytes"]
        return np.dtype("<U%d" % (n // 4) if name["name"] == "fixed_length_utf32" else "S%d" % n)
    return np.dtype(object) if name == "string" else np.dtype(name)


def v3_fill(meta, dtype):
    fill = meta["fill_value"]
    if dtype.kind == "S":
        return base64.b64decode(fill)
    return fill if dtype.kind in "OU" else np.array(fill, dtype=dtype)  # also "NaN", "Infinity"


def v3_open(path):
    meta = json.load(open(path + "/zarr.json"))
    shape, chunk = meta["shape"], meta["chunk_grid"]["configuration"]["chunk_shape"]
    dtype = v3_type(meta["data_type"])
    out = np.full([-(-s // c) * c for s, c in zip(shape, chunk)], v3_fill(meta, dtype), dtype=dtype)
    for at in np.ndindex(*[-(-s // c) for s, c in zip(shape, chunk)]):
        file_name = "/".join([path, "c"] + [str(a) for a in at])
        if not os.path.exists(file_name):
            continue
        with open(file_name, "rb") as file:
            part = v3_decode(file.read(), meta["codecs"], chunk, dtype)
        out[tuple(slice(a * c, a * c + c) for a, c in zip(at, chunk))] = part
    return np.asarray(out[tuple(slice(0, s) for s in shape)], dtype=dtype), meta


def read(path):
    """The items, and the shape of chunks."""
    if os.path.exists(path + "/zarr.json"):
        items, meta = v3_open(path)
        codec = meta["codecs"][0]
        sharded = codec["name"] == "sharding_indexed"
        return items, codec["configuration"]["chunk_shape"] if sharded else meta["chunk_grid"]["configuration"]["chunk_shape"]
    array = zarr.open(path, mode="r")
    return np.asarray(array[...], dtype=array.dtype), list(array.chunks)


# --- random arrays ----------------------------------------------------------------------------

def fill(rng, shape, dtype):
    n = int(np.prod(shape, dtype=int))
    if dtype == "|O" or dtype[1] == "U":
        words = ["", "a", "bb", "caf\u00e9", "longer", "\u65e5\u672c"]
        return np.array([rng.choice(words) for _ in range(n)], dtype=object if dtype == "|O" else dtype).reshape(shape)
    if dtype[1] == "S":
        return np.array([rng.choice([b"", b"x", b"abc", b"abcde"]) for _ in range(n)], dtype=dtype).reshape(shape)
    if dtype[1] == "b":
        return np.array([rng.random() < 0.5 for _ in range(n)], dtype=bool).reshape(shape)
    if dtype[1] == "f":
        return np.array([rng.choice([0, 1, -2, 100, 0.5, float("nan"), float("inf")]) for _ in range(n)], dtype=dtype).reshape(shape)
    info = np.iinfo(dtype)
    return np.array([rng.choice([0, 1, 2, 3, 100, info.min, info.max]) for _ in range(n)], dtype=dtype).reshape(shape)


def compressor(rng):
    return rng.choice([None, numcodecs.Zstd(1), numcodecs.GZip(1), numcodecs.Zlib(1), numcodecs.LZ4(),
                       numcodecs.Blosc("lz4", 1, numcodecs.Blosc.SHUFFLE), numcodecs.Blosc("zstd", 1, numcodecs.Blosc.BITSHUFFLE)])


def make_source(rng):
    dtype = rng.choice(NUMBERS * 2 + TEXTS)
    shape = [rng.choice([0, 1, 2, 3, 5, 7, 12, 23] if rng.random() < 0.3 else [1, 4, 6, 9, 17, 30]) for _ in range(rng.randrange(5))]
    chunks = [rng.randrange(1, max(2, s + 3)) for s in shape]
    options = {"object_codec": numcodecs.VLenUTF8(), "fill_value": ""} if dtype == "|O" else {}
    if dtype[1] in "iu" and rng.random() < 0.2:
        options["filters"] = [numcodecs.Delta(dtype)]
    shutil.rmtree("in.zarr", ignore_errors=True)
    array = zarr.open("in.zarr", mode="w", shape=shape, chunks=chunks, dtype=dtype, compressor=compressor(rng),
                      order=rng.choice("CF"), dimension_separator=rng.choice("./"), write_empty_chunks=rng.random() < 0.5, **options)
    x = fill(rng, shape, dtype)
    if rng.random() < 0.9:
        array[...] = x
    return np.asarray(array[...], dtype=object if dtype == "|O" else dtype), dtype  # of no axes: a scalar, of its own length


def make_slice(rng, x):
    parts, keys = [], []
    for n in x.shape:
        if n and rng.random() < 0.2:
            i = rng.randrange(-n, n)
            parts.append(str(i))
            keys.append(i)
        else:
            a, b = rng.choice([None, rng.randrange(-n - 1, n + 2)]), rng.choice([None, rng.randrange(-n - 1, n + 2)])
            step = rng.choice([None, 1, 2, 5])
            parts.append(":".join("" if v is None else str(v) for v in ((a, b) if step is None else (a, b, step))))
            keys.append(slice(a, b, step))
    return ",".join(parts), tuple(keys)


def make_picks(rng, shape):
    """--pick of some axes, in files of all kinds, and what numpy takes for it."""
    texts, keys = [], [slice(None)] * len(shape)
    for axis, n in enumerate(shape):
        if rng.random() < 0.4:
            continue
        kind = rng.choice(["mask", "rising", "falling", "any", "blocks"])
        if kind == "mask":
            p = rng.choice([0, 0.1, 0.5, 1])
            key = np.array([rng.random() < p for _ in range(n)], dtype=bool)
        else:
            k = 0 if n == 0 else rng.choice([0, 1, n, rng.randrange(1, 2 * n + 2)])
            key = [rng.randrange(-n, n) for _ in range(k)]
            if kind in ("rising", "falling"):
                key = sorted((i % n for i in key), reverse=kind == "falling")
            if kind == "blocks":
                key = sorted(key, key=lambda i: (i % n // 5 * 7 % 3, rng.random()))
            key = np.array(key, dtype=rng.choice(["<i8", "<i4", ">i2", "i1"]))
        name = "pick%d" % axis
        where = rng.choice(["npy", "txt", "zarr"])
        shutil.rmtree(name + ".zarr", ignore_errors=True)
        if where == "npy":
            np.save(name + ".npy", key)
        elif where == "txt":
            np.savetxt(name + ".txt", key, fmt="%s")
        else:
            zarr.save(name + ".zarr", key)
        if len(key) == 0 and key.dtype != bool:
            key = key.astype(int)
        texts.append("%d:%s.%s" % (axis, name, where))
        keys[axis] = key
    return ",".join(texts), keys


def wanted_type(rng, x, dtype):
    """A type for --dtype, and the numbers as it has them; None where nobody says what they are."""
    kind, to = dtype[1], rng.choice(["bool", "int8", "int16", "int64", "uint8", "uint32", "float16", "float32", "float64"])
    if kind in "SUO":
        return None, x
    with np.errstate(all="ignore"):
        if kind == "f" and np.dtype(to).kind in "iu":
            x = np.where(np.isfinite(x), x, 0)
            if np.any((x < 0) | (x > 127)):
                return None, x
            return None, x
        return to, x.astype(to)


def exact_mean(x, axes):
    """Of whole numbers, whose sum numpy would round."""
    if x.dtype.kind not in "iu" or x.size == 0:
        return np.mean(x, axis=axes)
    n = x.size if axes is None else int(np.prod([x.shape[i] for i in axes], dtype=int))
    return np.asarray(np.sum(x.astype(object), axis=axes) / n, dtype="f8")  # Python's whole numbers, and one division


def make_reduce(rng, x):
    """--reduce, and what numpy makes of it."""
    axes = tuple(sorted(rng.sample(range(x.ndim), rng.randrange(1, x.ndim + 1)))) if x.ndim else ()
    op = rng.choice(["sum", "mean", "std", "any", "all", "count", "min", "max"])
    if op in ("min", "max") and 0 in [x.shape[i] for i in axes]:
        op = "sum"
    if op == "std" and x.dtype.kind in "iu" and x.size and np.abs(x.astype(float)).max() > 2**40:
        op = "sum"  # such numbers cancel each other out in doubles, numpy's and ours
    text = op if len(axes) == x.ndim and rng.random() < 0.5 else op + ":" + ",".join(map(str, axes))
    if not axes:
        text, axes = op, None
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        y = np.count_nonzero(x, axis=axes) if op == "count" else exact_mean(x, axes) if op == "mean" else getattr(np, op)(x, axis=axes)
    return ["--reduce", text], np.asarray(y)


def choose(rng, x, dtype):
    """Options, and what is to come out."""
    args = []
    how = rng.random()
    if x.ndim and how < 0.4:
        text, keys = make_picks(rng, x.shape)
        if text:
            args += ["--pick", text]
        for axis, key in enumerate(keys):
            x = x[(slice(None),) * axis + (key,)]
    elif x.ndim and how < 0.75:
        text, key = make_slice(rng, x)
        args += ["--slice", text]
        x = np.asarray(x[key], dtype=x.dtype)
    if rng.random() < 0.3:
        args += ["--transpose"]
        x = x.T
    elif x.ndim and rng.random() < 0.3:
        order = list(range(x.ndim))
        rng.shuffle(order)
        args += ["--order", ",".join(map(str, order))]
        x = x.transpose(order)
    if dtype[1] in "biuf" and rng.random() < 0.2:
        more, x = make_reduce(rng, x)
        args += more
    elif rng.random() < 0.4:
        to, cast = wanted_type(rng, x, dtype)
        if to:
            args += ["--dtype", to, "--cast", "unsafe"]
            x = cast
    chunks = None
    if dtype != "|O" and rng.random() < 0.15:
        return args + ["-O", "npy", "-@", str(rng.randrange(1, 4))], x, None
    if x.ndim and rng.random() < 0.7:
        chunks = [rng.choice([-1, 1, 2, 5, 1000, rng.randrange(1, max(2, n + 1))]) for n in x.shape]
        args += ["-c", ",".join(map(str, chunks))]
        chunks = [max(n, 1) if c < 0 else min(c, max(n, 1)) for c, n in zip(chunks, x.shape)]
    version = rng.choice([None, "2", "3", "3"])
    if version:
        args += ["--zarr-format", version]
    if version == "3" and chunks and dtype != "|O" and rng.random() < 0.4:
        args += ["--shard", ",".join("-1" if rng.random() < 0.3 else str(c * rng.randrange(1, 4)) for c in chunks)]
    if rng.random() < 0.5:
        args += ["--codec", rng.choice(["none", "zstd:1", "gzip:1", "blosc:lz4:1:shuffle"])]
    return args + ["-@", str(rng.randrange(1, 4))], x, chunks


def equal(a, b):
    return a.shape == b.shape and (a.dtype == b.dtype.newbyteorder("<") or b.dtype.kind in "OU") and (
        np.array_equal(a, b, equal_nan=True) if b.dtype.kind == "f" else np.array_equal(a, b))


def close(a, b):
    """Sums of reals are made in another order than numpy's, which rounds to the type each time."""
    part = {"f2": 0.05, "f4": 1e-3, "f8": 1e-9}.get(b.dtype.str[1:], 0)
    return a.shape == b.shape and a.dtype == b.dtype.newbyteorder("<") and np.allclose(
        a.astype(float), b.astype(float), rtol=part, atol=20 * part, equal_nan=True) if part else equal(a, b)


def trial(rng):
    x, dtype = make_source(rng)
    args, want, chunks = choose(rng, x, dtype)
    shutil.rmtree("out.zarr", ignore_errors=True)
    stream = rng.random() < 0.9  # a directory is synced to disk first, which takes its time
    done = subprocess.run(["gt-rechunk", "-q", "in.zarr", "-o", "-" if stream else "out.npy" if "npy" in args else "out.zarr"] + args, capture_output=True)
    if done.returncode == 2 and "--reduce" in args and b"reorders across chunks" in done.stderr:
        return None
    if done.returncode:
        return "%s: %s" % (args, done.stderr)
    if "npy" in args:
        got, had = np.load(io.BytesIO(done.stdout) if stream else "out.npy"), None
    elif stream:
        tarfile.open(fileobj=io.BytesIO(done.stdout)).extractall("out.zarr")
    if "npy" not in args:
        got, had = read("out.zarr")
    if not (close if "--reduce" in args else equal)(got, want):
        return "%s of %s %s: %s %s where %s %s is wanted" % (args, x.shape, dtype, got.shape, got.dtype, want.shape, want.dtype)
    return None if chunks is None or chunks == had else "%s: chunks of %s" % (args, had)


def trials(seed, count):
    wrong = 0
    for i in range(count):
        said = trial(random.Random(seed * 100000 + i))
        if said:
            wrong += 1
            print("trial %d: %s" % (i, said))
    return wrong


# --- groups -------------------------------------------------------------------------------------

def group(where):
    rng = np.random.default_rng(1)
    root = zarr.open_group(where + "/in.zarr", mode="w")
    root.attrs.update({"source": "by hand", "list": [1, {"a": None}]})

    def add(name, data, dims, **options):
        array = root.create_dataset(name, data=data, **options)
        array.attrs.update({"_ARRAY_DIMENSIONS": dims, "note": name})

    add("call_genotype", rng.integers(-1, 3, (50, 12, 2), dtype="i1"), ["variants", "samples", "ploidy"], chunks=(7, 5, 2))
    add("call_DP", rng.integers(0, 99, (50, 12), dtype="i2"), ["variants", "samples"], chunks=(7, 5))
    add("variant_position", np.arange(100, 150, dtype="i4"), ["variants"], chunks=7)
    add("variant_allele", np.array([["A", "C"]] * 49 + [["G", "TTT"]], dtype=object), ["variants", "alleles"], chunks=(7, 1),
        object_codec=numcodecs.VLenUTF8())
    add("sample_id", np.array(["s%d" % i for i in range(12)], dtype=object), ["samples"], chunks=5, object_codec=numcodecs.VLenUTF8())
    add("contig_id", np.array(["1", "2"], dtype="S3"), ["contigs"])
    root.create_dataset("region_index", data=np.zeros((8, 6), dtype="i4"))
    root.create_group("extra/deep").attrs["level"] = 2
    root["extra/deep"].create_dataset("numbers", data=np.arange(5.0))
    zarr.consolidate_metadata(where + "/in.zarr")


def same(out, source, expr):
    got, x = read(out)[0], zarr.open(source, mode="r")[...]
    return 0 if equal(np.asarray(got), np.asarray(eval(expr, {"x": x, "np": np}))) else 1


if __name__ == "__main__":
    what, rest = sys.argv[1], sys.argv[2:]
    sys.exit(1 if {"trials": lambda: trials(int(rest[0]), int(rest[1])), "group": lambda: group(*rest),
                   "same": lambda: same(*rest)}[what]() else 0)
