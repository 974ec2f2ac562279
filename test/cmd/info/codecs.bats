#!/usr/bin/env bats
# Arrays with filters, orders and shards: what zarr-python writes is read, and what is
# written here it reads, versions 2 and 3.

bats_require_minimum_version 1.5.0

. "$GT_SOURCE/test/support/level.bash"

setup() {
    cd "$BATS_TEST_TMPDIR" || exit 1
}

need_zarr2() { "$PYTHON" -c 'import zarr, numcodecs; assert zarr.__version__ < "3"' 2> /dev/null || skip "no zarr-python 2"; }
need_zarr3() { [ -n "${PYTHON_ZARR3:-}" ] || skip "no zarr 3: PYTHON_ZARR3 is not set (scripts/test makes it where it can)"; }

# Fails unless gt-info --head of each array of $1 gives the numbers in NAME.txt.
same_numbers() {
    local text name
    for text in *.txt; do
        name=${text%.txt}
        gt-info --head 1000 "$1/$name" | tr '\t,' '  ' > have
        cmp have "$text" || { echo "$name"; return 1; }
    done
}

@test "zarr-python 2: filters, byte orders and order F are read" {
    need_zarr2
    "$PYTHON" - << 'PY'
import numcodecs as n, numpy as np, os, zarr
lzma = "#define HAVE_LZMA 1" in open(os.environ["GT_BUILD"] + "/config.h").read()
g = zarr.open("p.zarr", mode="w")
rng = np.random.default_rng(1)
def add(name, x, **how):
    a = g.create_dataset(name, data=x, **how)
    y = a[:]
    with open(name + ".txt", "w") as f:
        for row in y.reshape(len(y), -1):
            f.write(" ".join(text(v, y.dtype.kind) for v in row) + "\n")
def text(v, kind):
    if kind in "bM":
        return str(v).lower() if kind == "b" else str(v)
    return "%d" % v if kind in "iu" else "%g%+gj" % (v.real, v.imag) if kind == "c" else str(v).removesuffix(".0")
i = rng.integers(-1000, 1000, (23, 7, 3))
for t in "<i2", ">i2", "<i8", ">i4":
    for order in "CF":
        add("order%s%s%s" % (order, "bl"[t[0] == "<"], t[1:]), i.astype(t), chunks=(10, 3, 2), order=order)
up = np.cumsum(rng.integers(0, 100, 1000)).reshape(200, 5)
add("delta", up.astype("<i4"), chunks=(33, 4), filters=[n.Delta(dtype="<i4")])
add("delta_narrow", up.astype("<i8"), chunks=(33, 5), filters=[n.Delta(dtype="<i8", astype="<i4")])
add("delta_big", up.astype(">i4"), chunks=(33, 5), order="F", filters=[n.Delta(dtype=">i4")], compressor=None)
add("delta_unsigned", rng.integers(0, 2**16, 100).astype("<u2"), chunks=30, filters=[n.Delta(dtype="<u2")], compressor=n.Zlib(1))
whole = rng.integers(0, 200, (40, 3)).astype("<f8")
add("scale", whole / 4, chunks=(7, 3), filters=[n.FixedScaleOffset(offset=0, scale=4, dtype="<f8", astype="<u2")])
add("scale4", (whole / 4).astype("<f4"), chunks=(7, 2), filters=[n.FixedScaleOffset(offset=8, scale=4, dtype="<f4", astype="<i2")])
add("both", whole.astype("<i4"), chunks=(7, 3),
    filters=[n.FixedScaleOffset(offset=0, scale=1, dtype="<i4", astype="<i2"), n.Delta(dtype="<i2")])
add("astype", up.astype("<i8"), chunks=(33, 5), filters=[n.AsType("<i2", "<i8")])
add("astype_real", whole, chunks=(33, 3), filters=[n.AsType("<f4", "<f8")])
add("quantize", whole / 7, chunks=(33, 3), filters=[n.Quantize(2, "<f8", astype="<f4")])
add("bitround", whole / 7, chunks=(33, 3), filters=[n.BitRound(9)])
raw = n.LZMA(format=3, filters=[{"id": 3, "dist": 4}, {"id": 33, "preset": 1}])
for name, compressor in (("lzma", n.LZMA(preset=1)), ("lzma_alone", n.LZMA(format=2)), ("lzma_raw", raw)) if lzma else ():
    add(name, i, chunks=(10, 7, 2), compressor=compressor)
for compressor in n.BZ2(3), n.Adler32(), n.CRC32():
    add(compressor.codec_id, i, chunks=(10, 7, 2), compressor=compressor)
for size in 0, 4, 8:
    add("shuffle%d" % size, i, chunks=(10, 4, 2), filters=[n.Shuffle(size)])
add("packbits", i % 3 == 0, chunks=(10, 7, 2), filters=[n.PackBits()])
add("delta_float", rng.normal(size=(500, 3)).astype("<f4"), chunks=(100, 2), filters=[n.Delta(dtype="<f4")])
for t in "<c8", ">c16":
    add("complex" + t[2:], i[:, :2] - 1j, chunks=(10, 2, 2), dtype=t)
for unit, order in ("D", "<"), ("s", ">"), ("ns", "<"):
    add("time" + unit, np.array(["1600-03-01", "1969-12-31", "NaT", "2024-02-29"]).astype("M8[%s]" % unit), chunks=3, dtype="%sM8[%s]" % (order, unit))
PY
    same_numbers p.zarr
}

@test "zarr-python 2 reads filters that are written here" {
    need_zarr2
    for codec in '[{"id":"delta","dtype":"<i2"},{"id":"zstd","level":1}]' '[{"id":"delta","dtype":"<i2","astype":"<i4"}]' \
        '[{"id":"fixedscaleoffset","dtype":"<i2","astype":"|i1","scale":1,"offset":100},{"id":"lz4"}]'; do
        gt-sim -q -f --samples 23 --variants 57 --uniform 0..200 --dtype i2 --chunks variants=20,samples=10 --codec "$codec" -o w.zarr
        gt-sim -q -f --samples 23 --variants 57 --uniform 0..200 --dtype i2 -o plain.zarr
        "$PYTHON" -c 'import zarr; a, b = (zarr.open(p, mode="r")[:] for p in ("w.zarr", "plain.zarr")); assert (a == b).all()'
        cmp <(gt-info --head 99 w.zarr) <(gt-info --head 99 plain.zarr)
    done
    # halves are rounded to even numbers, as numpy does
    for dtype in f8 f4; do
        "$PYTHON" -c 'import numpy, zarr, sys; zarr.open("half.zarr", mode="w", shape=64, chunks=64, dtype=sys.argv[1])[:] = numpy.arange(-32, 32) / 4' $dtype
        gt-rechunk -q -f half.zarr --codec "[{\"id\":\"fixedscaleoffset\",\"dtype\":\"<$dtype\",\"astype\":\"|i1\",\"scale\":2,\"offset\":0}]" -o w.zarr
        "$PYTHON" -c 'import numpy, zarr; a, b = (zarr.open(p, mode="r")[:] for p in ("w.zarr", "half.zarr")); assert (a == numpy.around(b * 2) / 2).all(), a'
    done
    # booleans whose last byte is full, and is not
    "$PYTHON" -c 'import numpy, zarr; zarr.open("bits.zarr", mode="w", shape=(64, 11), chunks=(8, 5), dtype=bool)[:] = numpy.random.default_rng(1).random((64, 11)) < 0.3'
    for chunks in 8,5 7,3; do
        gt-rechunk -q -f bits.zarr -c $chunks --codec '[{"id":"packbits"},{"id":"zstd","level":1}]' -o w.zarr
        "$PYTHON" -c 'import zarr; a, b = (zarr.open(p, mode="r")[:] for p in ("w.zarr", "bits.zarr")); assert (a == b).all()'
    done
}

@test "zarr-python 3: transpose, shards and numcodecs' filters are read" {
    need_zarr3
    "$PYTHON_ZARR3" -W ignore - << 'PY'
import numpy as np, zarr
from zarr.codecs import BytesCodec, Crc32cCodec, GzipCodec, ShardingCodec, TransposeCodec, ZstdCodec
from zarr.codecs.numcodecs import BZ2, Adler32, Delta, FixedScaleOffset, PackBits, Shuffle
g = zarr.open_group("p.zarr", mode="w")
rng = np.random.default_rng(1)
def add(name, x, **how):
    a = g.create_array(name, shape=x.shape, dtype=x.dtype, **how)
    a[:] = x
    with open(name + ".txt", "w") as f:
        for row in a[:].reshape(len(x), -1):
            f.write(" ".join(text(v, x.dtype.kind) for v in row) + "\n")
def text(v, kind):
    if kind in "bM":
        return str(v).lower() if kind == "b" else str(v)
    return "%d" % v if kind in "iu" else "%g%+gj" % (v.real, v.imag) if kind == "c" else repr(float(v)).removesuffix(".0")
i = rng.integers(-1000, 1000, (23, 7, 3)).astype("int32")
add("transpose", i, chunks=(10, 3, 2), filters=[TransposeCodec(order=(2, 0, 1))])
add("big", i, chunks=(10, 3, 2), serializer=BytesCodec(endian="big"))
index = [BytesCodec(), Crc32cCodec()]
for place in "start", "end":
    add("shard_" + place, i, chunks=(12, 6, 3), compressors=None,
        serializer=ShardingCodec(chunk_shape=(4, 2, 3), codecs=[BytesCodec(), ZstdCodec()], index_codecs=index, index_location=place))
add("shard_inside", i, chunks=(12, 6, 3), compressors=None,
    serializer=ShardingCodec(chunk_shape=(6, 6, 3), codecs=[ShardingCodec(chunk_shape=(2, 3, 1))]))
add("shard_transpose", i, chunks=(12, 6, 3), compressors=[GzipCodec()],
    serializer=ShardingCodec(chunk_shape=(4, 2, 3), codecs=[TransposeCodec(order=(1, 2, 0)), BytesCodec()]))
holes = np.zeros((40, 9), "uint8")
holes[17, 3] = 5
add("shard_holes", holes, shards=(20, 9), chunks=(5, 3), fill_value=0)
holes[:] = 7
holes[17, 3] = 5
add("shard_filled", holes, shards=(20, 9), chunks=(5, 3), fill_value=7)
up = np.cumsum(rng.integers(0, 100, 1000)).reshape(200, 5).astype("int64")
add("delta", up, chunks=(33, 4), filters=[Delta(dtype="<i8", astype="<i4")])
add("scale", up / 4, chunks=(33, 4), filters=[FixedScaleOffset(offset=0, scale=4, dtype="<f8", astype="<u4")])
add("bz2", i, chunks=(10, 3, 2), compressors=[Shuffle(elementsize=4), BZ2(level=2), Adler32()])
add("packbits", i % 3 == 0, chunks=(10, 3, 2), filters=[PackBits()])
add("complex", i[:, :2] - 1j, chunks=(10, 2, 2), serializer=BytesCodec(endian="big"))
add("time", np.array(["1600-03-01", "NaT", "2024-02-29"], dtype="M8[s]"), chunks=(2,))
PY
    same_numbers p.zarr
    gt-info --check p.zarr > /dev/null
    tar cf p.tar -C p.zarr $(cd p.zarr && find . -name zarr.json -o -type f ! -name zarr.json | sed 's,^\./,,' | sort -r)
    gt-info --check p.tar > /dev/null
}

@test "zarr-python 3 reads shards and transposed chunks that are written here" {
    need_zarr3
    little='{"name":"bytes","configuration":{"endian":"little"}}'
    index="\"index_codecs\":[$little,{\"name\":\"crc32c\"}]"
    gt-sim -q -f --samples 23 --variants 57 --uniform 0..200 --dtype i2 -o plain.zarr
    for codec in "[{\"name\":\"transpose\",\"configuration\":{\"order\":[1,0]}},{\"name\":\"zstd\",\"configuration\":{\"level\":1}}]" \
        "[{\"name\":\"sharding_indexed\",\"configuration\":{\"chunk_shape\":[5,2],\"codecs\":[$little],$index}}]" \
        "[{\"name\":\"sharding_indexed\",\"configuration\":{\"chunk_shape\":[4,10],\"codecs\":[$little,{\"name\":\"gzip\",\"configuration\":{\"level\":1}}],$index,\"index_location\":\"start\"}}]"; do
        gt-sim -q -f --samples 23 --variants 57 --uniform 0..200 --dtype i2 --zarr-format 3 --chunks variants=20,samples=10 --codec "$codec" -o w.zarr
        "$PYTHON_ZARR3" -W ignore - << 'PY'
import zarr
a, b = zarr.open_array("w.zarr", mode="r"), zarr.open_array("plain.zarr", mode="r")
assert a.metadata.zarr_format == 3 and (a[:] == b[:]).all()
PY
        cmp <(gt-info --head 99 w.zarr) <(gt-info --head 99 plain.zarr)
    done
    run ! gt-sim -q -f --samples 23 --variants 57 --uniform 0..200 --dtype i2 --zarr-format 3 --chunks variants=20,samples=10 \
        --codec "[{\"name\":\"sharding_indexed\",\"configuration\":{\"chunk_shape\":[7,2],\"codecs\":[$little],$index}}]" -o bad.zarr
    [[ "$output" == *"does not divide the shard along axis 0"* ]]
}

@test "a changed byte in a shard is found and its key named, in any part of it" {
    little='{"name":"bytes","configuration":{"endian":"little"}}'
    gt-sim -q --samples 8 --variants 16 --uniform 0..200 --dtype i2 --zarr-format 3 --chunks variants=8,samples=8 --codec \
        "[{\"name\":\"sharding_indexed\",\"configuration\":{\"chunk_shape\":[4,4],\"codecs\":[$little,\"crc32c\"],\"index_codecs\":[$little,\"crc32c\"],\"index_location\":\"start\"}}]" \
        -o s.zarr
    cp s.zarr/c/1/0 kept
    for at in 0 9 60 68 100 200; do
        "$PYTHON" -c 'import sys; b = bytearray(open("kept", "rb").read()); b[int(sys.argv[1])] ^= 4; open("s.zarr/c/1/0", "wb").write(b)' $at
        run gt-info --check s.zarr
        [ "$status" -eq 3 ]
        [[ "$output" == *"damaged	c/1/0	"* ]]
        run gt-info --head 16 s.zarr
        [ "$status" -eq 3 ]
        [[ "$output" == *"chunk 'c/1/0'"* ]]
    done
}

@test "random arrays of any type come back as they were: codecs, orders, versions, shapes, kinds of store" {
    "$PYTHON" -c 'import numpy' 2> /dev/null || skip "no numpy"
    timeout 3600 "$PYTHON" -W ignore "$GT_SOURCE/test/support/zarr_trips.py" "${GT_TRIALS_SEED:-1}" "$(by_level 20 60 1000)"
}

@test "zarr-python 3 reads random arrays as they were" {
    need_zarr3
    timeout 3600 "$PYTHON_ZARR3" -W ignore "$GT_SOURCE/test/support/zarr_trips.py" "${GT_TRIALS_SEED:-2}" "$(by_level 20 60 1000)"
}

@test "damaged chunks of all codecs are found and named, whole ones are not" {
    timeout 3600 "$PYTHON" "$GT_SOURCE/test/support/zarr_damage.py" "${GT_TRIALS_SEED:-1}" "$(by_level 1 1 20)"
}

@test "a chunk is missing where there is no file of its name, and for no other reason" {
    gt-sim -q --samples 30 --variants 40 --uniform 0..9 --zarr-format 3 --chunks variants=10,samples=10 -o x.zarr
    gt-info --head 40 x.zarr > want
    rm x.zarr/c/1/1
    [ "$(gt-info --check x.zarr)" = "12 chunks checked, 1 missing, 0 damaged, 0 not supported" ]
    gt-info --head 40 x.zarr | cut -f 1-10 | cmp - <(cut -f 1-10 want)
    mkdir x.zarr/c/1/1
    run gt-info --check x.zarr
    [ "$status" -eq 3 ]
    [[ $output == *"damaged	c/1/1	"*"is a directory, not a chunk"* ]]
    rm -r x.zarr/c/1
    : > x.zarr/c/1
    run gt-info --check x.zarr
    [ "$status" -eq 3 ]
    [[ $output == *"damaged	c/1/0	"*"a file is in the place of a directory"* ]]
    rm x.zarr/c/1
    ln -s 1 x.zarr/c/1
    run gt-info --head 40 x.zarr
    [ "$status" -eq 1 ]
    [[ $output == *"cannot open 'x.zarr/c/1/0': Too many levels of symbolic links"* ]]
}

@test "texts in shards, complex numbers and times are written, and not cast" {
    need_zarr2
    "$PYTHON" - << 'PY'
import numcodecs, numpy as np, zarr
g = zarr.open("in.zarr", mode="w")
g.create_dataset("texts", data=np.array([["a%d" % (i * j) if i else "" for i in range(5)] for j in range(7)], dtype=object),
                 object_codec=numcodecs.VLenUTF8(), chunks=(3, 5))
g.create_dataset("times", data=np.arange(12).astype("M8[25us]"), chunks=5)
g.create_dataset("numbers", data=np.arange(6) - 2j, chunks=5)
PY
    gt-rechunk -q --zarr-format 3 --array texts -c 2,2 --shard 4,4 in.zarr -o texts.zarr
    [[ $(gt-info texts.zarr) == *"sharding_indexed(2x2 "* ]]
    cmp <(gt-info --head 7 texts.zarr) <(gt-info --head 7 in.zarr/texts)
    for version in 2 3; do
        for name in times numbers; do
            gt-rechunk -q --zarr-format $version --array $name -c 4 in.zarr -o $name$version.zip
            cmp <(gt-info --head 12 $name$version.zip) <(gt-info --head 12 in.zarr/$name)
            run gt-rechunk -q --array $name --dtype float64 in.zarr -o cast.zip
            [ "$status" -eq 2 ]
            [[ $output == *"complex numbers and datetimes cannot be cast"* ]]
        done
    done
    # what the numbers of times count
    "$PYTHON" - << 'PY'
import numpy as np, zarr
g = zarr.open("kinds.zarr", mode="w")
for kind in "M8[25us]", "M8[D]", "m8[7m]", "m8[ns]", "M8[10Y]":
    g.create_dataset(kind.translate(str.maketrans("[]", "__")), data=np.arange(-3, 9).astype("i8").view(kind), chunks=5)
PY
    gt-rechunk -q --zarr-format 3 kinds.zarr -o kinds3.zarr
    gt-rechunk -q --zarr-format 2 kinds3.zarr -o kinds2.zarr
    "$PYTHON" - << 'PY'
import json, numpy as np, re, zarr
for kind in "M8[25us]", "M8[D]", "m8[7m]", "m8[ns]", "M8[10Y]":
    name = kind.translate(str.maketrans("[]", "__"))
    meta = json.load(open(f"kinds3.zarr/{name}/zarr.json"))["data_type"]
    factor, unit = re.match(r"..\[(\d*)(\w+)\]", kind).groups()
    assert meta["name"] == {"M": "numpy.datetime64", "m": "numpy.timedelta64"}[kind[0]], meta
    assert meta["configuration"] == {"unit": unit, "scale_factor": int(factor or 1)}, meta
    back = zarr.open("kinds2.zarr", mode="r")[name]
    assert back.dtype == np.dtype(kind) and (back[:].view("i8") == np.arange(-3, 9)).all(), (back.dtype, back[:])
PY
}

@test "every array of the test data shows its first values, or says what is not supported" {
    [ -f "$GT_TEST_DATA/README.md" ] || skip "no test data"
    local store array
    while read -r store; do
        run --separate-stderr gt-info --head 3 "$store"
        [ "$status" -eq 0 ] || [[ $stderr == *"is not supported"* ]] || { echo "$store: $stderr"; return 1; }
    done < <(find "$GT_TEST_DATA/zarr" -name .zarray -o -name zarr.json | sed 's,/[^/]*$,,' | sort)
    for store in "$GT_TEST_DATA"/vcz/*.zip; do
        [[ $(gt-info --check --deep "$store") == *" 0 damaged, 0 not supported" ]]
        while read -r array; do
            gt-info --head 3 "$store/$array" > /dev/null
        done < <(gt-info --json "$store" | "$PYTHON" -c 'import json, sys; print(*(a["path"] for a in json.load(sys.stdin)["arrays"]), sep="\n")')
    done
}

@test "--codec as JSON: a name alone is written so that zarr-python 3 opens it" {
    need_zarr3
    gt-sim -q --samples 20 --variants 300 --uniform 0..2 --dtype int32 -O zarr -o plain.zarr
    local codec
    for codec in '[{"name":"zstd"}]' '["zstd"]' '{"name":"blosc"}' '["gzip","crc32c"]' '["bytes",{"name":"zstd","configuration":{"level":3}}]' \
        '{"name":"sharding_indexed","configuration":{"chunk_shape":[50,10],"codecs":["bytes","zstd"],"index_codecs":["bytes","crc32c"]}}'; do
        rm -rf named.zarr
        gt-rechunk -q --zarr-format 3 -c 100,10 --codec "$codec" plain.zarr -o named.zarr
        "$PYTHON_ZARR3" -W ignore -c 'import zarr; a, b = (zarr.open(p, mode="r")[:] for p in ("named.zarr", "plain.zarr")); assert (a == b).all()'
    done
}

@test "--codec as JSON: what is written has each codec with all of its members" {
    gt-sim -q --samples 10 --variants 30 --uniform 0..200 --dtype i4 -o wide.zarr
    gt-sim -q --samples 10 --variants 30 --uniform 0..200 --dtype u1 -o narrow.zarr
    local codec want got store little='{"name": "bytes", "configuration": {"endian": "little"}}' zstd='{"name": "zstd", "configuration": {"level": 0, "checksum": true}}'
    local gzip='{"name": "gzip", "configuration": {"level": 1}}' turned='{"name": "transpose", "configuration": {"order": [1, 0]}}'
    local shard='"sharding_indexed","configuration":{"chunk_shape":[5,5],"codecs":["bytes","zstd"],"index_codecs":["bytes","crc32c"]'
    while IFS='|' read -r codec want; do
        for store in wide narrow; do
            gt-rechunk -q -f -c 10,10 --zarr-format 3 --codec "$codec" $store.zarr -o o.zarr
            got=$("$PYTHON" -c 'import json; print(json.dumps(json.load(open("o.zarr/zarr.json"))["codecs"]))')
            [ $store = wide ] || want=${want/"$little"/'{"name": "bytes"}'}
            [ $store = wide ] || want=${want/'"typesize": 4'/'"typesize": 1'}
            [ "$got" = "$want" ] || { echo "$codec of $store: $got, not $want"; return 1; }
        done
    done << END
["zstd"]|[$little, $zstd]
{"name":"gzip"}|[$little, $gzip]
["blosc"]|[$little, {"name": "blosc", "configuration": {"cname": "lz4", "clevel": 5, "blocksize": 0, "shuffle": "shuffle", "typesize": 4}}]
{"name":"blosc","configuration":{"cname":"zstd"}}|[$little, {"name": "blosc", "configuration": {"cname": "zstd", "clevel": 5, "blocksize": 0, "shuffle": "shuffle", "typesize": 4}}]
["numcodecs.zlib"]|[$little, {"name": "numcodecs.zlib", "configuration": {}}]
["bytes",{"name":"zstd","configuration":{"level":3}}]|[$little, {"name": "zstd", "configuration": {"level": 3, "checksum": true}}]
["zstd","crc32c"]|[$little, $zstd, {"name": "crc32c"}]
[{"name":"transpose","configuration":{"order":[1,0]}},"gzip"]|[$turned, $little, $gzip]
[{"name":$shard}}]|[{"name": "sharding_indexed", "configuration": {"chunk_shape": [5, 5], "codecs": [$little, $zstd], "index_codecs": [{"name": "bytes", "configuration": {"endian": "little"}}, {"name": "crc32c"}]}}]
END
}

@test "--codec as JSON of the other Zarr format: the hint says how this one names it" {
    gt-sim -q --samples 20 --variants 30 --uniform 0..2 --dtype int32 -O zarr -o plain.zarr
    for codec in '[{"name":"zstd"}]' '["zstd"]' '{"name":"zstd","configuration":{"level":3}}'; do
        run gt-rechunk -q -f -c 10,10 --zarr-format 2 --codec "$codec" plain.zarr -o o.zarr
        [ "$status" -eq 2 ]
        [ "${lines[1]}" = "hint: add --zarr-format 3, or name the codec as Zarr 2 does: --codec '[{\"id\": \"zstd\", \"level\": 1}]'" ]
        gt-rechunk -q -f -c 10,10 --zarr-format 3 --codec "$codec" plain.zarr -o o.zarr
    done
    run gt-rechunk -q -f -c 10,10 --zarr-format 3 --codec '{"id":"zstd","level":1}' plain.zarr -o o.zarr
    [ "$status" -eq 2 ]
    [[ "${lines[1]}" == "hint: use --zarr-format 2, or name the codec as Zarr 3 does: --codec '[{\"name\": \"zstd\","* ]]
    gt-rechunk -q -f -c 10,10 --zarr-format 2 --codec '[{"id": "zstd", "level": 1}]' plain.zarr -o o.zarr
    run gt-rechunk -q -f -c 10,10 --zarr-format 2 --codec '[{"id":"zstd","level":"x"}]' plain.zarr -o o.zarr
    [ "$status" -eq 2 ]
    [[ "$output" != *"Zarr 2 does"* ]]
}
