"""Chunks that are damaged, in many ways and codecs, against what gt-info --check says of them.

    zarr_damage.py SEED ROUNDS

Each round damages every other chunk of arrays in all kinds of codec.  What must be found is listed with
its key, exit 3; what nothing but a checksum would find may be; a chunk that is whole is never listed.
Where there is a checksum, a change that is not found has changed no item (frames have bits that mean nothing).
"""
import io
import json
import os
import random
import shutil
import struct
import subprocess
import sys
import tarfile

from zarr_trips import LITTLE, WORDS, write_raw

CRC = {"name": "crc32c"}
ZSTD = {"name": "zstd", "configuration": {"level": 1, "checksum": True}}


def shards(codecs, index, where):
    return [{"name": "sharding_indexed", "configuration": {"chunk_shape": [4, 5], "codecs": [LITTLE] + codecs, "index_codecs": [LITTLE] + index,
                                                           "index_location": where}}]


# name -> codecs of Zarr 3, or of 2.  Items of 4 bytes in chunks of 8 x 10.
ARRAYS = {
    "raw": "none", "crc": [LITTLE, CRC], "zstd": [LITTLE, ZSTD], "gzip": "gzip:6", "both": [LITTLE, {"name": "gzip", "configuration": {"level": 1}}, CRC],
    "blosc": "blosc:lz4:5:shuffle", "bitshuffle": "blosc:zstd:5:bitshuffle", "blosclz": "blosc:blosclz:9:noshuffle",
    "sharded": shards([ZSTD], [CRC], "end"), "started": shards([CRC], [CRC], "start"), "bare_index": shards([CRC], [], "end"),
    "old_zstd": "zstd:3", "old_lz4": "lz4", "old_bz2": [{"id": "bz2", "level": 1}], "old_zlib": "zlib:3",
    "old_filters": [{"id": "delta", "dtype": "<i4"}, {"id": "crc32"}], "texts": "zstd:1",
}
CHECKED = {"crc", "zstd", "gzip", "both", "sharded", "started", "bare_index", "old_bz2", "old_zlib", "old_filters", "texts"}


def make(rng):
    shutil.rmtree("damage", ignore_errors=True)
    os.mkdir("damage")
    write_raw("damage/numbers", "<i4", [64, 60], struct.pack("<3840i", *(rng.choice([0, 1, 2, rng.randrange(-2**31, 2**31)]) for _ in range(3840))))
    texts = [rng.choice(WORDS).encode() for _ in range(3840)]
    write_raw("damage/words", "|O", [64, 60], struct.pack("<I", 3840) + b"".join(struct.pack("<I", len(t)) + t for t in texts))
    for name, codec in ARRAYS.items():
        codec = codec if isinstance(codec, str) else json.dumps(codec)
        subprocess.run(["gt-rechunk", "-q", "--no-version", "--zarr-format", "2" if name.startswith("old") else "3", "--codec", codec, "-c", "8,10",
                        "damage/" + ("words" if name == "texts" else "numbers"), "-o", "damage/" + name + ".tar"], check=True)
        os.mkdir("damage/" + name)
        subprocess.run(["tar", "-xf", "damage/" + name + ".tar", "-C", "damage/" + name], check=True)


def lie_blosc(rng, data):
    """Sizes in the header that are not so."""
    at = rng.choice([4, 4, 12, 12, 8])
    value = rng.choice([0, 1, 15, 16, 319, 321, 2**31 - 1, 2**31, 2**32 - 1, len(data) + 1])
    lie = data[:at] + struct.pack("<I", value) + data[at + 4:]
    return lie, at != 8 and lie != data


def lie_index(rng, data):
    """An inner chunk that is said to be where it cannot be."""
    i = len(data) - 64 + 16 * rng.randrange(4)
    offset, n = rng.choice([(2**64 - 8, 16), (0, 2**64 - 1), (2**64 - 1, 5), (len(data), 1), (0, 0), (2**63, 2**63), (1, 2**63 - 1), (0, len(data) + 1)])
    return data[:i] + struct.pack("<QQ", offset, n) + data[i + 16:], True


def damage(rng, name, data):
    """The damaged bytes, and whether that must be found."""
    how = rng.choice(["empty", "cut", "cut", "longer", "zeros", "flip", "flip", "flip", "lie", "lie", "noise"])
    if how == "empty":
        return b"", True
    if how == "cut":
        return data[:rng.randrange(1, len(data))], True
    if how == "longer":
        return data + rng.randbytes(rng.randrange(1, 30)), name in ("raw", "crc", "sharded")
    if how == "zeros":
        return bytes(len(data)), name != "raw"
    if how == "lie" and "blosc" in name or how == "lie" and name == "bitshuffle":
        return lie_blosc(rng, data)
    if how == "lie" and name == "bare_index":
        return lie_index(rng, data)
    data = bytearray(data)
    if how == "noise":
        at = rng.randrange(len(data))
        new = rng.randbytes(len(data[at:at + 16]))
        same, data[at:at + 16] = data[at:at + 16] == new, new
        return bytes(data), name == "crc" and not same
    data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
    return bytes(data), name == "crc"


def chunks_of(name):
    for folder, _, names in sorted(os.walk("damage/" + name)):
        for key in sorted(names):
            if not key.startswith(".z") and key != "zarr.json":
                yield os.path.join(folder, key)


def check(name):
    done = subprocess.run(["gt-info", "--check", "--deep", "damage/" + name], stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=120)
    if done.returncode not in (0, 3):
        raise SystemExit("%s: exit %d: %s" % (name, done.returncode, done.stderr.decode()))
    listed = {line.split("\t")[1] for line in done.stdout.decode().splitlines() if line.startswith("damaged\t")}
    if bool(listed) != (done.returncode == 3):
        raise SystemExit("%s: exit %d, and %d are listed" % (name, done.returncode, len(listed)))
    return listed


def one_round(rng, name):
    """Faults, and how many chunks were damaged."""
    before, must, may = {}, set(), set()
    for path in chunks_of(name):
        with open(path, "rb") as file:
            data = file.read()
        new, found = damage(rng, name, data) if rng.random() < 0.5 else (data, False)
        if new == data:
            continue
        before[path] = data
        (must if found else may).add(os.path.relpath(path, "damage/" + name))
        with open(path, "wb") as file:
            file.write(new)
    listed = check(name)
    faults = ["%s/%s is damaged, and it is not said" % (name, key) for key in sorted(must - listed)]
    faults += ["%s/%s is whole, and it is said to be damaged" % (name, key) for key in sorted(listed - must - may)]
    if faults:
        shutil.copytree("damage/" + name, "faulty." + name, dirs_exist_ok=True)
    restore({path: data for path, data in before.items() if name not in CHECKED or os.path.relpath(path, "damage/" + name) in listed})
    if name in CHECKED and items(name) != items(name, whole=True):
        faults.append("%s has other items, and no chunk that is said to be damaged" % name)
        shutil.copytree("damage/" + name, "faulty." + name, dirs_exist_ok=True)
    restore(before)
    return faults, len(before), len(listed)


def restore(before):
    for path, data in before.items():
        with open(path, "wb") as file:
            file.write(data)


def items(name, whole=False, known={}):
    if not whole or name not in known:
        done = subprocess.run(["gt-rechunk", "-q", "--no-version", "--zarr-format", "2", "--codec", "none", "-c", "-1,-1", "-o", "-",
                               "damage/" + name + (".tar" if whole else "")], stdout=subprocess.PIPE, check=True)
        with tarfile.open(fileobj=io.BytesIO(done.stdout)) as tar:
            known[name if whole else ""] = tar.extractfile("0.0").read()
    return known[name if whole else ""]


def main():
    seed, rounds = int(sys.argv[1]), int(sys.argv[2])
    rng = random.Random(seed)
    make(rng)
    faults, damaged, listed = [], 0, 0
    for name in ARRAYS:
        if check(name):
            faults.append(name + " is whole, and it is said to be damaged")
        for _ in range(rounds):
            new, n, m = one_round(rng, name)
            faults, damaged, listed = faults + new, damaged + n, listed + m
    print("\n".join(faults + ["%d chunks were damaged, %d of them found, %d faults" % (damaged, listed, len(faults))]))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
