"""What gt-rechunk writes, read back: any type, codecs, order, version, shape and kind of store.

    zarr_trips.py SEED COUNT

Each trial makes a raw array by hand, has gt-rechunk write it in another form, has gt-rechunk
read that back into a raw array, and compares bytes.  With zarr (2 or 3) that is compared as well,
where it has the codecs.
"""
import io
import json
import os
import random
import shutil
import subprocess
import sys
import tarfile

import numpy as np

try:
    import zarr
    ZARR = int(zarr.__version__.split(".")[0])
except ImportError:
    ZARR = 0

TYPES = ["|b1", "|i1", "<i2", "<i4", "<i8", "|u1", "<u2", "<u4", "<u8", "<f2", "<f4", "<f8", "<c8", "<c16", "<M8[s]", "<m8[ms]",
         "|S1", "|S7", "<U1", "<U5", "|O"]
LITTLE = {"name": "bytes", "configuration": {"endian": "little"}}
WORDS = ["", "", "a", "caf\u00e9", "\u65e5\u672c", "longer than the others", "\U0001f9ec"]


def items(rng, dtype, shape):
    """Bytes of the items in C order, as an uncompressed chunk of Zarr 2 has them; the items for texts."""
    n = int(np.prod(shape, dtype=int))
    if dtype == "|O":
        texts = [rng.choice(WORDS) for _ in range(n)]
        coded = [t.encode() for t in texts]
        return n.to_bytes(4, "little") + b"".join(len(c).to_bytes(4, "little") + c for c in coded), texts
    if dtype[1] == "U":
        return np.array([rng.choice(WORDS)[:int(dtype[2:])] for _ in range(n)], dtype).tobytes(), None
    if dtype[1] == "S":
        return np.array([bytes(rng.randrange(1, 128) for _ in range(rng.randrange(int(dtype[2:]) + 1))) for _ in range(n)], dtype).tobytes(), None
    size = np.dtype(dtype).itemsize
    if dtype[1] == "b":
        return bytes(rng.randrange(2) for _ in range(n)), None
    if rng.random() < 0.3:  # runs, which codecs like
        return b"".join(rng.choice([0, 1, 2 ** (8 * size - 1), 2 ** (8 * size) - 1]).to_bytes(size, "little") for _ in range(n)), None
    return rng.randbytes(n * size), None  # NaNs of all payloads, negative zeros


def write_raw(path, dtype, shape, data):
    os.makedirs(path)
    with open(path + "/.zarray", "w") as file:
        json.dump({"zarr_format": 2, "shape": shape, "chunks": [max(1, s) for s in shape], "dtype": dtype, "compressor": None, "order": "C",
                   "fill_value": None, "filters": [{"id": "vlen-utf8"}] if dtype == "|O" else None}, file)
    if 0 not in shape:
        with open(path + "/" + ".".join("0" for _ in shape) if shape else path + "/0", "wb") as file:
            file.write(data)


def read_raw(stream, shape):
    """The one chunk in a tar."""
    if 0 in shape:
        return b""
    with tarfile.open(fileobj=io.BytesIO(stream)) as tar:
        return tar.extractfile(".".join("0" for _ in shape) if shape else "0").read()


def blosc(rng, size, version):
    conf = {"cname": rng.choice(["lz4", "lz4hc", "zstd", "zlib", "blosclz"]), "clevel": rng.randrange(10), "blocksize": rng.choice([0, 0, 64, 1024])}
    shuffle = rng.randrange(3)
    if version == 2:
        return dict(conf, id="blosc", shuffle=shuffle)
    return {"name": "blosc", "configuration": dict(conf, shuffle=["noshuffle", "shuffle", "bitshuffle"][shuffle], typesize=rng.choice([max(size, 1), 1, 3]))}


def codecs2(rng, dtype, size):
    """Filters and a compressor; whether zarr-python has them all is not asked."""
    filters = []
    if dtype[1] in "iu" and rng.random() < 0.3:
        filters.append({"id": "delta", "dtype": dtype})
    if dtype[1] == "b" and rng.random() < 0.4:
        filters.append({"id": "packbits"})
    elif size > 1 and rng.random() < 0.2:
        filters.append({"id": "shuffle", "elementsize": size})
    if rng.random() < 0.2:
        filters.append({"id": rng.choice(["crc32", "adler32"])})
    last = rng.choice([None, {"id": "zstd", "level": rng.choice([-3, 1, 5])}, {"id": "gzip", "level": 1}, {"id": "zlib", "level": 4},
                       {"id": "lz4", "acceleration": 1}, {"id": "bz2", "level": 1}, blosc(rng, max(size, 1), 2)])
    return filters + ([last] if last else [])


def compressors3(rng, size):
    out = []
    for _ in range(rng.choice([0, 1, 1, 1, 2])):
        out.append(rng.choice([{"name": "zstd", "configuration": {"level": rng.choice([-1, 1, 6]), "checksum": rng.random() < 0.5}},
                               {"name": "gzip", "configuration": {"level": rng.randrange(10)}}, {"name": "crc32c"}, blosc(rng, size, 3)]))
    return out


def divisor(rng, n):
    return rng.choice([d for d in range(1, n + 1) if n % d == 0])


def chain3(rng, dtype, size, chunk, depth=0):
    out, shape = [], list(chunk)
    for _ in range(rng.choice([0, 0, 0, 1, 2]) if chunk else 0):
        order = list(range(len(shape)))
        rng.shuffle(order)
        shape = [shape[o] for o in order]
        out.append({"name": "transpose", "configuration": {"order": order}})
    if chunk and depth < 2 and rng.random() < 0.35:
        inner = [divisor(rng, n) for n in shape]
        out.append({"name": "sharding_indexed", "configuration": {
            "chunk_shape": inner, "codecs": chain3(rng, dtype, size, inner, depth + 1), "index_location": rng.choice(["start", "end"]),
            "index_codecs": [LITTLE] + rng.choice([[], [{"name": "crc32c"}]])}})
        # what a shard is in after compression nobody can read in part, but it is legal
        return out + ([{"name": "crc32c"}] if rng.random() < 0.1 else [])
    if dtype == "|O":
        out.append({"name": "vlen-utf8"})
    elif dtype == "|b1" and rng.random() < 0.3:
        out.append({"name": "packbits"})
    else:
        out.append({"name": "bytes", "configuration": {"endian": rng.choice(["little", "big"]) if size > 1 else "little"}})
    return out + compressors3(rng, size)


def run(args):
    return subprocess.run(args, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=120)


def by_zarr(path, dtype, version, chain):
    """The items as zarr has them; None where it lacks something."""
    text = json.dumps(chain)
    if not ZARR or (ZARR == 2 and version == 3) or "packbits" in text and version == 3 or '"transpose"' in text and "sharding" in text:
        return None  # zarr-python 3 turns the shape of a shard by its transpose the wrong way round (issue 3330 there and others)
    if version == 3 and dtype[1] in "SUM" + "m":
        return None  # their names in v3 are not settled
    if path.endswith(".zip"):
        store = zarr.ZipStore(path, mode="r") if ZARR == 2 else zarr.storage.ZipStore(path, mode="r")
        got = np.asarray(zarr.open(store, mode="r")[...])
        store.close()
        return got
    return np.asarray(zarr.open(path, mode="r")[...])


def same_items(got, dtype, data, texts):
    if dtype == "|O":
        return [str(x) for x in got.ravel()] == texts
    return np.ascontiguousarray(got.astype(dtype)).tobytes() == data  # a single text comes without its padding


def trial(rng):
    for name in ("in.zarr", "out.zarr", "out.zip", "out.tar"):
        shutil.rmtree(name, ignore_errors=True)
        if os.path.isfile(name):
            os.remove(name)
    dtype, version = rng.choice(TYPES), rng.choice([2, 3])
    size = 0 if dtype == "|O" else np.dtype(dtype).itemsize
    shape = [rng.choice([0, 1, 1, 2, 3, 5, 8, 13] if rng.random() < 0.3 else [1, 4, 6, 9, 17]) for _ in range(rng.choice([0, 1, 1, 2, 2, 2, 3, 4]))]
    chunk = [rng.choice([1, 2, 3, 4, 6, 12, 40]) for _ in shape]
    chunk = [min(c, 12) for c in chunk] if len(shape) > 2 else chunk
    if int(np.prod([-(-s // c) for s, c in zip(shape, chunk)], dtype=int)) > 300:
        chunk = [max(c, 6) for c in chunk]
    # gt-rechunk cuts chunks to the array
    chunk = [min(c, max(s, 1)) for c, s in zip(chunk, shape)]
    data, texts = items(rng, dtype, shape)
    write_raw("in.zarr", dtype, shape, data)
    chain = codecs2(rng, dtype, size) if version == 2 else chain3(rng, dtype, size, chunk)
    out = rng.choice((["out.zarr"] if rng.random() < 0.3 else []) + ["out.zip", "out.zip", "out.tar", "out.tar", "-"])
    args = ["gt-rechunk", "-q", "--zarr-format", str(version), "--codec", json.dumps(chain), "-@", str(rng.randrange(1, 4)), "in.zarr", "-o", out]
    if shape:
        args += ["-c", ",".join(map(str, chunk))]
    what = "%s %s in %s, %s" % (dtype, shape, chunk, args)
    done = run(args)
    if done.returncode:
        return "%s: %s" % (what, done.stderr.decode())
    if out == "-":
        out = "out.tar"
        with open(out, "wb") as file:
            file.write(done.stdout)
    done = run(["gt-rechunk", "-q", "--zarr-format", "2", "--codec", "none", "-o", "-", out] + (["-c", ",".join("-1" for _ in shape)] if shape else []))
    if done.returncode:
        return "%s: back: %s" % (what, done.stderr.decode())
    if read_raw(done.stdout, shape) != (b"" if 0 in shape else data):
        return "%s: other bytes came back" % what
    done = run(["gt-info", "--check", "--deep", out])
    if done.returncode:
        return "%s: check: %s" % (what, done.stdout + done.stderr)
    if out == "out.tar":
        with tarfile.open(out) as tar:
            tar.extractall("out.zarr")
        out = "out.zarr"
    try:
        got = by_zarr(out, dtype, version, chain)
    except Exception as error:
        return "%s: zarr %d: %s: %s" % (what, ZARR, type(error).__name__, error)
    if got is not None:
        trial.seen += 1
        if list(got.shape) != shape or not same_items(got, dtype, data if 0 not in shape else b"", texts if 0 not in shape else []):
            return "%s: zarr %d has other items" % (what, ZARR)
    return None


trial.seen = 0


def main():
    seed, count, wrong = int(sys.argv[1]), int(sys.argv[2]), 0
    for i in range(count):
        said = trial(random.Random(seed * 1000000 + i))
        if said:
            wrong += 1
            print("trial %d: %s" % (i, said), flush=True)
    print("%d trials, %d read by zarr %d too, %d wrong" % (count, trial.seen, ZARR, wrong))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
