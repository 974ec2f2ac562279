#!/usr/bin/env bats
# Stores that are sound and odd: what of them is read, and what is refused by name.

bats_require_minimum_version 1.5.0

setup() {
    cd "$BATS_TEST_TMPDIR" || exit 1
}

@test "metadata of every odd kind: read, not supported or damaged" {
    "$PYTHON" -B "$GT_SOURCE/test/support/zarr_odd.py" "$(command -v gt-info)" odd.zarr
}

# Arrays of texts with NULs inside, in each way that there is to hold texts.
make_texts() {
    "$PYTHON" - << 'PY'
import json, os, struct
texts = [b"a\0b", b"", b"\0", b"x"]
def put(path, data):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as f:
        f.write(data)
def vlen(list):
    return struct.pack("<I", len(list)) + b"".join(struct.pack("<I", len(t)) + t for t in list)
def v2(name, dtype, data, filters=None):
    put("t.zarr/%s/.zarray" % name, json.dumps({"zarr_format": 2, "shape": [4], "chunks": [4], "dtype": dtype, "compressor": None,
        "fill_value": None, "order": "C", "filters": filters}).encode())
    put("t.zarr/%s/0" % name, data)
put("t.zarr/.zgroup", b'{"zarr_format": 2}')
v2("strings", "|O", vlen(texts), [{"id": "vlen-utf8"}])
v2("bytes", "|O", vlen([b"\xff\0"] + texts[1:]), [{"id": "vlen-bytes"}])
v2("fixed", "|S4", b"".join(t.ljust(4, b"\0") for t in texts))
v2("wide", ">U3", b"".join(t.decode().ljust(3, "\0").encode("utf-32-be") for t in texts))
# a shard of two, and turned round
little = {"name": "bytes", "configuration": {"endian": "little"}}
inner = [vlen(texts[:2]), vlen(texts[2:])]
index = struct.pack("<4Q", 0, len(inner[0]), len(inner[0]), len(inner[1]))
def v3(name, codecs, data, **more):
    put("t3.zarr/%s/zarr.json" % name, json.dumps({"zarr_format": 3, "node_type": "array", "shape": [4], "data_type": "string",
        "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [4]}}, "chunk_key_encoding": "v2", "fill_value": "",
        "codecs": codecs, **more}).encode())
    put("t3.zarr/%s/0" % name, data)
put("t3.zarr/zarr.json", b'{"zarr_format": 3, "node_type": "group"}')
v3("shard", [{"name": "sharding_indexed", "configuration": {"chunk_shape": [2], "codecs": ["vlen-utf8"], "index_codecs": [little]}}],
   b"".join(inner) + index)
v3("shard_shard", [{"name": "sharding_indexed", "configuration": {"chunk_shape": [4], "index_codecs": [little], "codecs": [
   {"name": "sharding_indexed", "configuration": {"chunk_shape": [2], "codecs": ["vlen-utf8"], "index_codecs": [little]}}]}}],
   b"".join(inner) + index + struct.pack("<2Q", 0, len(b"".join(inner)) + 32))
v3("turned", [{"name": "transpose", "configuration": {"order": [0]}}, "vlen-utf8"], vlen(texts))
v3("binary", ["vlen-bytes"], vlen([b"\xff\0"] + texts[1:]), data_type="variable_length_bytes")
PY
}

@test "texts with NULs inside are shown whole, and refused where they would be cut" {
    make_texts
    local name
    for name in fixed wide; do # NULs at the end are padding
        [ "$(gt-info --head 9 t.zarr/$name)" = $'a\\x00b\n\n\nx' ] || { gt-info --head 9 t.zarr/$name; return 1; }
    done
    for name in t.zarr/strings t3.zarr/shard t3.zarr/shard_shard t3.zarr/turned; do
        [ "$(gt-info --head 9 $name)" = $'a\\x00b\n\n\\x00\nx' ] || { gt-info --head 9 $name; return 1; }
    done
    for name in t.zarr/bytes t3.zarr/binary; do
        cmp <(gt-info --head 9 $name) <(printf '\377\\x00\n\n\\x00\nx\n')
    done
    [[ $(gt-info --check t.zarr) == *"0 damaged, 0 not supported" ]]
    [[ $(gt-info t3.zarr) == *variable_length_bytes* ]]
    for name in strings fixed wide; do # ids of samples are texts without
        rm -rf g.zarr
        mkdir -p g.zarr
        cp t.zarr/.zgroup g.zarr
        cp -r t.zarr/$name g.zarr/sample_id
        mkdir g.zarr/call_genotype
        printf '{"zarr_format":2,"shape":[1,4,2],"chunks":[1,4,2],"dtype":"|i1","compressor":null,"fill_value":0,"order":"C","filters":null}' \
            > g.zarr/call_genotype/.zarray
        run gt-info --stats samples g.zarr
        [ "$status" -eq 3 ]
        [[ $output == *"NUL"*"not supported"* ]]
    done
    run gt-rechunk -q --array bytes -c 2 t.zarr -o b.zarr
    [ "$status" -eq 3 ]
    [[ $output == *"variable-length bytes cannot be written"* ]]
    [ ! -e b.zarr ]
}

# Zips with entries that Python does not write: NAME METHOD SIZE DATA.
make_zip() {
    cat > zips.py << 'PY'
import binascii, struct
def write(path, entries):
    with open(path, "wb") as f:
        directory = b""
        for name, method, plain, packed, size in entries:
            both = struct.pack("<HHHIIIIHH", 63, 0, method, 0x210000, binascii.crc32(plain), len(packed), size, len(name), 0)
            directory += b"PK\1\2" + struct.pack("<H", 63) + both + struct.pack("<HHHII", 0, 0, 0, 0, f.tell()) + name
            f.write(b"PK\3\4" + both + name + packed)
        start = f.tell()
        n = len(entries)
        f.write(directory + b"PK\5\6" + struct.pack("<HHHHIIH", 0, 0, n, n, len(directory), start, 0))
def zstd(plain):  # one frame: a raw block, then one that repeats a byte
    head, run = plain[:-1000], plain[-1000:]
    assert run == run[:1] * 1000
    return b"\x28\xb5\x2f\xfd\x60" + struct.pack("<H", len(plain) - 256) + struct.pack("<I", len(head) << 3)[:3] + head + struct.pack(
        "<I", 1000 << 3 | 2 | 1)[:3] + run[:1]
meta = (b'{"zarr_format":2,"shape":[1200],"chunks":[1200],"dtype":"|u1","compressor":null,"fill_value":null,"order":"C","filters":null}')
plain = bytes(range(200)) + b"\x07" * 1000
good = zstd(plain)
write("good.zip", [(b".zarray", 0, meta, meta, len(meta)), (b"0", 93, plain, good, 1200)])
bad = bytearray(good)
bad[-1] ^= 1
write("crc.zip", [(b".zarray", 0, meta, meta, len(meta)), (b"0", 93, plain, bytes(bad), 1200)])
write("cut.zip", [(b".zarray", 0, meta, meta, len(meta)), (b"0", 93, plain, good[:-1], 1200)])
write("short.zip", [(b".zarray", 0, meta, meta, len(meta)), (b"0", 93, plain, good, 1199)])
write("long.zip", [(b".zarray", 0, meta, meta, len(meta)), (b"0", 93, plain, good, 1201)])
write("bomb.zip", [(b".zarray", 0, meta, meta, len(meta)), (b"0", 93, plain, good, 2**32 - 2)])
write("lzma.zip", [(b".zarray", 0, meta, meta, len(meta)), (b"0", 14, plain, good, 1200)])
PY
    "$PYTHON" -B zips.py
}

@test "a zip with values that zstd compressed, whole and damaged" {
    make_zip
    [ "$(gt-info --head 1200 good.zip | cksum)" = "$({ seq 0 199; printf '7\n%.0s' {1..1000}; } | cksum)" ]
    local name
    for name in crc cut short long bomb; do
        run gt-info --head 1200 $name.zip
        [ "$status" -eq 3 ]
        [[ $output == *"entry '0'"* ]] || { echo "$name: $output"; return 1; }
    done
    [[ $output == *"claims more bytes than it can hold"* ]]
    run gt-info --check bomb.zip
    [ "$status" -eq 3 ]
    run gt-info --check lzma.zip
    [ "$status" -eq 0 ]
    [[ $output == *"method 14, which is not supported"* ]]
}

@test "a zip of more entries than its end record counts, and all of them small" {
    "$PYTHON" - << 'PY'
import zipfile
with zipfile.ZipFile("many.zip", "w") as z:
    z.writestr(".zarray", '{"zarr_format":2,"shape":[66000],"chunks":[1],"dtype":"|u1","compressor":null,"fill_value":0,"order":"C","filters":null}')
    for i in range(66000):
        z.writestr(str(i), bytes([i % 251]))
PY
    gt-rechunk -q many.zip -O npy -o many.npy
    "$PYTHON" -c 'import numpy as np; assert (np.load("many.npy") == np.arange(66000) % 251).all()'
}

@test "names beyond ASCII in a zip that is written here are those that Python reads" {
    "$PYTHON" -c 'import numpy, zarr; g = zarr.open("names.zarr", mode="w"); g["caf\u00e9"] = numpy.arange(5); g["\u65e5\u672c"] = numpy.arange(7)'
    gt-rechunk -q names.zarr -o names.zip
    "$PYTHON" - << 'PY'
import zarr, zipfile
assert "caf\u00e9/.zarray" in zipfile.ZipFile("names.zip").namelist(), zipfile.ZipFile("names.zip").namelist()
g = zarr.open(zarr.ZipStore("names.zip", mode="r"), mode="r")
assert list(g["caf\u00e9"][:]) == list(range(5)) and list(g["\u65e5\u672c"][:]) == list(range(7))
PY
}

@test "a zip that macOS made of a folder: what it adds is not part of the store" {
    gt-sim -q -f --samples 3 --variants 10 --uniform 0..9 --chunks variants=5,samples=3 -o plain.zarr
    "$PYTHON" -c 'import os, zipfile
with zipfile.ZipFile("mac.zip", "w") as z:
    for name in [".zarray", ".zattrs", "0.0", "1.0"]:
        if os.path.exists("plain.zarr/" + name):
            z.write("plain.zarr/" + name, "plain.zarr/" + name)
            z.writestr("__MACOSX/plain.zarr/._" + name, b"\0\5\x16\7")'
    cmp <(gt-info --head 30 plain.zarr) <(gt-info --head 30 mac.zip)
    gt-info --check mac.zip | grep -x '2 chunks checked, 0 missing, 0 damaged, 0 not supported'
}

@test "a zip in which some names begin with ./" {
    gt-sim -q --samples 40 --variants 30 --uniform 0..9 --dtype i2 --chunks variants=10,samples=40 -o plain.zarr
    "$PYTHON" -c 'import zipfile
with zipfile.ZipFile("dots.zip", "w") as z:
    for key in "./.zarray", ".zattrs", "./0.0", "1.0", "././2.0":
        z.writestr(key, open("plain.zarr/" + key, "rb").read())
    assert z.namelist()[:3] == ["./.zarray", ".zattrs", "./0.0"]'
    cmp <(gt-info --head 30 plain.zarr) <(gt-info --head 30 dots.zip)
}

# A store with an array "a", of whose two chunks the first is there.
make_plain() {
    mkdir -p "$1/a"
    printf '{"zarr_format":2}' > "$1/.zgroup"
    printf '{"zarr_format":2,"shape":[4],"chunks":[2],"dtype":"|u1","compressor":null,"fill_value":7,"order":"C","filters":null}' > "$1/a/.zarray"
    printf '\1\2' > "$1/a/0"
}

@test "links that lead round, to nowhere and far down are no keys and no end" {
    make_plain l.zarr
    ln -s self l.zarr/self
    ln -s nowhere l.zarr/a/gone
    ln -s .. l.zarr/a/up
    ln -s / l.zarr/a/top
    ln -s . l.zarr/a/here
    ln -s . l.zarr/a/there
    ln -s ../../l.zarr l.zarr/a/round
    [[ $(timeout 20 gt-info l.zarr) == *"in 3 keys"* ]]
    [[ $(timeout 20 gt-info --check l.zarr) == *"2 chunks checked, 1 missing, 0 damaged, 0 not supported" ]]
    ln -s a l.zarr/b # an array by a link is one
    [[ $(timeout 20 gt-info l.zarr) == *"  b "* ]]
    (mkdir d.zarr && make_plain d.zarr && cd d.zarr && for _ in {1..300}; do mkdir g && cd g || exit 1; done)
    run timeout 20 gt-info d.zarr
    [ "$status" -eq 3 ]
    [[ $output == *"directories deep"* ]]
}

@test "what is no file where a chunk or metadata are to be is damage, and is not waited for" {
    make_plain f.zarr
    mkfifo f.zarr/a/1
    run timeout 20 gt-info --check f.zarr
    [ "$status" -eq 3 ]
    [[ $output == *"damaged	a/1	"*"not a regular file"*"1 damaged, 0 not supported"* ]]
    rm f.zarr/a/1
    ln -s /dev/zero f.zarr/a/1
    run timeout 20 gt-info --head 4 f.zarr/a
    [ "$status" -eq 3 ]
    rm f.zarr/a/1 f.zarr/a/.zarray
    mkfifo f.zarr/a/.zarray
    timeout 20 gt-info f.zarr
}

@test "names that no line can have are written as what they are" {
    make_plain n.zarr
    local name
    for name in $'new\nline' $'tab\tx' $'esc\e[31m'; do
        cp -r n.zarr/a "n.zarr/$name"
    done
    [ "$(gt-info n.zarr | wc -l)" -eq 5 ]
    [[ $(gt-info n.zarr) == *'  new\x0aline  uint8'* ]]
    [[ $(gt-info n.zarr) == *'  esc\x1b[31m  uint8'* ]]
    mkdir $'n.zarr/tab\tx/1'
    [[ $(gt-info --check n.zarr 2> /dev/null) == *'damaged	tab\x09x/1	'* ]]
    [ "$(gt-info --json n.zarr | "$PYTHON" -c 'import json, sys; print(sorted(a["path"] for a in json.load(sys.stdin)["arrays"]))')" = \
        "['a', 'esc\\x1b[31m', 'new\\nline', 'tab\\tx']" ]
}

@test "a directory of a zip that names a million values" {
    "$PYTHON" - << 'PY'
import struct
n = 1000000
names = [b".zgroup"] + [b"a/%d" % i for i in range(n)]
group = b'{"zarr_format":2}'
with open("m.zip", "wb") as f:
    f.write(b"PK\3\4" + struct.pack("<HHHIIIIHH", 20, 0, 0, 0x210000, 0xCA87C9A9, 17, 17, 7, 0) + b".zgroup" + group)
    import binascii
    f.seek(14), f.write(struct.pack("<I", binascii.crc32(group))), f.seek(0, 2)
    start = f.tell()
    for i, name in enumerate(names):
        size, crc = (17, binascii.crc32(group)) if i == 0 else (0, 0)
        f.write(b"PK\1\2" + struct.pack("<HHHHIIIIHHHHHII", 20, 20, 0, 0, 0x210000, crc, size, size, len(name), 0, 0, 0, 0, 0, 0) + name)
    end = f.tell()
    f.write(b"PK\6\6" + struct.pack("<QHHIIQQQQ", 44, 45, 45, 0, 0, n + 1, n + 1, end - start, start))
    f.write(b"PK\6\7" + struct.pack("<IQI", 0, end, 1))
    f.write(b"PK\5\6" + struct.pack("<HHHHIIH", 0, 0, 65535, 65535, 0xFFFFFFFF, 0xFFFFFFFF, 0))
PY
    [[ $(timeout 60 gt-info m.zip) == *"17 B in 1,000,001 keys" ]]
    run gt-info --memory 64M m.zip
    [ "$status" -eq 4 ]
    [[ $output == *"its directory: needs"* ]]
}
