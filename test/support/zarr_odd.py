# Metadata of every odd kind: python3 zarr_odd.py GT-INFO FOLDER.  Each of them stands as array
# "a" of a store; what gt-info --head and --check say of it is held against what it is.
import copy
import json
import os
import shutil
import subprocess
import sys

info, folder = sys.argv[1:]
little = {"name": "bytes", "configuration": {"endian": "little"}}
V3 = {
    "zarr_format": 3, "node_type": "array", "shape": [2], "data_type": "int32", "fill_value": 7, "codecs": [little],
    "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [2]}}, "chunk_key_encoding": {"name": "default"},
}
V2 = {"zarr_format": 2, "shape": [2], "chunks": [2], "dtype": "<i4", "compressor": None, "fill_value": 7, "order": "C", "filters": None}
GONE = object()
failed = []


def run(*args):
    done = subprocess.run([info, *args], capture_output=True, text=True)
    return done.returncode, done.stdout, done.stderr


# want: the values, "unsupported: WORD" or "damaged"
def try_one(base, want, root=False, chunk=None, **change):
    doc = copy.deepcopy(base)
    for key, value in change.items():
        doc.pop(key, None)
        if value is not GONE:
            doc[key] = value
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder + "/a")
    v3 = base is V3
    with open(folder + ("/zarr.json" if v3 else "/.zgroup"), "w") as f:
        json.dump({"zarr_format": 3, "node_type": "group"} if v3 else {"zarr_format": 2}, f)
    with open(folder + ("/" if root else "/a/") + ("zarr.json" if v3 else ".zarray"), "w") as f:
        json.dump(doc, f)
    if chunk:
        with open(folder + "/a/0", "wb") as f:
            f.write(chunk)
    head, text, error = run("--head", "2", folder + ("" if root else "/a"))
    check, report, _ = run("--check", folder)
    if want.startswith("unsupported"):
        word = want.partition(": ")[2]
        ok = head == 3 and word in error and "not supported" in error
        ok = ok and (check == 3 if root else check == 0 and "0 damaged, 1 not supported" in report)
    elif want == "damaged":
        ok = head == 3 and "not supported" not in error and (root or check == 3 and "damaged\ta\t" in report)
    else:
        ok = head == 0 and text.split("\n")[:-1] == want.split() and check == 0 and "0 damaged, 0 not supported" in report
    if not ok:
        failed.append((change, want, head, text, error, check, report))


def v3(want, **change):
    try_one(V3, want, **change)


def v2(want, **change):
    try_one(V2, want, **change)


def codec(name, **conf):
    return {"codecs": [little, {"name": name, "configuration": conf}]}


v3("7 7")
v2("7 7")
for n in 1, 4, 2**40:
    v3("unsupported: zarr_format %d" % n, zarr_format=n)
    v2("unsupported: zarr_format %d" % n, zarr_format=n)
    try_one(V3, "unsupported: zarr_format %d" % n, root=True, zarr_format=n, node_type="group")
for value in GONE, "3", 3.5, None:
    v3("damaged", zarr_format=value)
draft = "https://purl.org/zarr/spec/protocol/core/3.0"  # as GDAL wrote it up to 3.7, without a node_type
try_one(V3, "unsupported: a draft of Zarr v3", root=True, zarr_format=draft, node_type=GONE, metadata_key_suffix=".json")
v3("damaged", zarr_format=2)
v3("unsupported: 'table'", node_type="table")
try_one(V3, "unsupported: 'table'", root=True, node_type="table")
v3("damaged", node_type=GONE)
v3("damaged", node_type=3)

# data types
for name in "r16", "bfloat16", "float8_e4m3fn", "struct", "json", "complex_bfloat16":
    v3("unsupported: '%s'" % name, data_type=name)
    v3("unsupported: '%s'" % name, data_type={"name": name, "configuration": {"x": [1]}})
v3("7 7", data_type={"name": "int32"})
v3("damaged", data_type=[1])
v3("damaged", data_type=GONE)
v3("unsupported: fortnight", data_type={"name": "numpy.datetime64", "configuration": {"unit": "fortnight", "scale_factor": 1}})
v3("1970-01-08 1970-01-08", data_type={"name": "numpy.datetime64", "configuration": {"unit": "D", "scale_factor": 1}})
for name in "|V10", "<q9", "<f16", "<c32":
    v2("unsupported: " + name, dtype=name)
v2("unsupported: structured", dtype=[["a", "<i4"], ["b", "|S3"]])
v2("7 7", dtype="<M8[W]")
v2("1970-01-01T00:00:00.000000007 1970-01-01T00:00:00.000000007", dtype=">M8[ns]")
v2("7 7", dtype="int32")
v2("7 7", dtype="int4")
v2("damaged", dtype=GONE)

# grids, keys, what is to be understood
v3("unsupported: 'rectilinear'", chunk_grid={"name": "rectilinear", "configuration": {"kind": "inline", "chunk_shapes": [[1, 1]]}})
v3("damaged", chunk_grid=GONE)
v3("damaged", chunk_grid="regular")
v3("damaged", chunk_grid={"name": "regular", "configuration": {"chunk_shape": [0]}})
v3("unsupported: 'suffix'", chunk_key_encoding={"name": "suffix", "configuration": {}})
v3("7 7", chunk_key_encoding="v2")
v3("damaged", chunk_key_encoding=GONE)
v3("damaged", chunk_key_encoding={"name": "default", "configuration": {"separator": "_"}})
v2("damaged", dimension_separator="_")
v2("7 7", dimension_separator="/")
v3("unsupported: storage transformers", storage_transformers=[{"name": "x"}])
v3("7 7", storage_transformers=[])
for value in 1, None, {"a": 1}, {"must_understand": True}:
    v3("unsupported: 'foo'", foo=value)
v3("7 7", foo={"must_understand": False, "x": 1})
v2("7 7", foo=1)
for value in GONE, None, [None], ["x"], []:
    v3("7 7", dimension_names=value)
for value in GONE, None, {"a": [None, "\0"]}:
    v3("7 7", attributes=value)
v3("damaged", shape=[-1])
v3("damaged", shape="2")
v3("unsupported: 40 dimensions", shape=[1] * 40, chunk_grid={"name": "regular", "configuration": {"chunk_shape": [1] * 40}})

# codecs
v3("unsupported: 'zip7'", codecs=[little, "zip7"])
v3("unsupported: 'zip7'", codecs=[little, {"name": "zip7", "must_understand": False}])
v3("unsupported: 'https://x.org/zstd'", codecs=[little, {"name": "https://x.org/zstd"}])
v3("7 7", codecs=[little, "crc32c", {"name": "gzip"}, {"name": "zstd", "configuration": {"level": 99, "checksum": True}}])
v3("7 7", codecs=[dict(little, must_understand=False), {"name": "crc32c", "configuration": None}])
for bad in [], GONE, "bytes", ["bytes"], ["crc32c", little], [{"name": "bytes", "configuration": {"endian": "middle"}}]:
    v3("damaged", codecs=bad)
v3("unsupported: codecs in a row", codecs=[little] + ["crc32c"] * 20)
nested = [little]
for depth in range(6):
    shard = {"chunk_shape": [2], "codecs": nested, "index_codecs": [little]}
    nested = [{"name": "sharding_indexed", "configuration": shard}]
    v3("7 7" if depth < 4 else "unsupported: nested", codecs=nested)
v3("damaged", codecs=[{"name": "sharding_indexed", "configuration": dict(shard, index_codecs=[little, "gzip"])}])
blosc = {"cname": "zstd", "clevel": 3, "shuffle": "noshuffle", "blocksize": 0}
v3("7 7", **codec("blosc", **blosc))
v3("7 7", **codec("blosc", **dict(blosc, typesize=0)))
v3("7 7", **codec("blosc", **dict(blosc, shuffle=1, typesize=8)))
v3("unsupported: 'lzma'", **codec("blosc", **dict(blosc, cname="lzma")))
v3("unsupported: 'zigzag'", **codec("blosc", **dict(blosc, shuffle="zigzag")))
v3("damaged", **codec("blosc", **dict(blosc, clevel=10)))
v2("unsupported: 'zip7'", compressor={"id": "zip7"})
# netCDF 4.9 writes texts, and 4.10 means the size of an item by 0, as numcodecs does not
moved, plain = bytes([1, 2, 0, 0, 1, 1, 0, 0]), bytes([1, 0, 1, 0, 2, 0, 1, 0])
for size, netcdf, chunk in ("4", False, moved), ("4", True, moved), (0, True, moved), (0, False, plain), (1, True, plain), ("0", True, moved):
    v2("65537 65538", chunk=chunk, filters=[{"id": "shuffle", "elementsize": size}], _NCZARR_ARRAY={} if netcdf else GONE)
for level in "1", "9", 4.0, None, GONE:
    v2("7 7", compressor={"id": "zlib"} if level is GONE else {"id": "zlib", "level": level})
for level in "", "x", "1x", " 1", "-", "10", 1.5, [1], "99999999999999999999":
    v2("damaged", compressor={"id": "zlib", "level": level})
v2("damaged", compressor={"x": 1})
v2("damaged", compressor="zlib")
v2("damaged", filters={})
v2("7 7", filters=GONE, compressor=GONE)
v2("damaged", order="A")

# fill values
for value in None, GONE:
    v3("0 0", fill_value=value)
    v2("0 0", fill_value=value)
for value in "NaN", 1.5, 2**40, "0x123", [1, 2]:
    v3("damaged", fill_value=value)
v3("7 7", fill_value="0x00000007")
for value, want in ("0x7fc00001", "nan"), ("-Infinity", "-inf"), ("+Infinity", "inf"), (-0.0, "-0"), (3, "3"), ("NaN", "nan"):
    v3("%s %s" % (want, want), data_type="float32", fill_value=value)
    if not str(value).startswith("0x"):
        v2("%s %s" % (want, want), dtype=">f8", fill_value=value)
v3("1+infj 1+infj", data_type="complex64", fill_value=[1, "Infinity"])
v3("true true", data_type="bool", fill_value=1, codecs=["bytes"])
v2("18446744073709551615 18446744073709551615", dtype="<u8", fill_value=2**64 - 1)
for value, want in ("YWI=", "ab"), ("YQBi", "a\\x00b"), ("ab!", "ab!"), ("", ""):
    v2(want + " " + want if want else "", dtype="|S4", fill_value=value) if want else None
v3("a\\x00b a\\x00b", data_type={"name": "fixed_length_utf32", "configuration": {"length_bytes": 16}}, fill_value="a\0b")
v3("unsupported: NUL", data_type="string", fill_value="a\0b", codecs=["vlen-utf8"])
v3("ab ab", data_type="variable_length_bytes", fill_value="YWI=", codecs=["vlen-bytes"])
v3("ab ab", data_type="bytes", fill_value="YWI=", codecs=["vlen-bytes"])
v3("damaged", data_type="bytes", fill_value="YW", codecs=["vlen-bytes"])

for change, want, *got in failed:
    print("%s: not %r: %s" % (change, want, got))
sys.exit(1 if failed else 0)
