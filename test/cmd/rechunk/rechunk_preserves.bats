#!/usr/bin/env bats
# gt-rechunk: what of a store stays as it was where nothing else is said.

bats_require_minimum_version 1.5.0

setup_file() {
    cd "$BATS_FILE_TMPDIR" || exit 1
    gt-sim -q --samples 30 --variants 500 --missing 0.05 --seed 1 -O packed -o packed.zarr
    gt-sim -q --samples 300 --variants 400 --uniform 0..99 --seed 1 -o plain.zarr
}

setup() {
    cd "$BATS_TEST_TMPDIR" || exit 1
    in=$BATS_FILE_TMPDIR
}

# Exit $1, and the first line of standard error ends in $2.
fails() {
    local code=$1 want=$2
    run --separate-stderr "${@:3}"
    # shellcheck disable=SC2154
    { [ "$status" -eq "$code" ] && [[ "${stderr_lines[0]}" == *"$want" ]]; } || { echo "$status: $stderr"; return 1; }
}

# shapes STORE: of its root array: shards, and the chunks in them where there are any.
shapes() {
    "$PYTHON" -c 'import json, sys
meta = json.load(open(sys.argv[1] + "/zarr.json"))
shard = [c for c in meta["codecs"] if c["name"] == "sharding_indexed"]
print(meta["chunk_grid"]["configuration"]["chunk_shape"], *[c["configuration"]["chunk_shape"] for c in shard])' "$1"
}

@test "shards and their chunks, and -n tells of them" {
    gt-rechunk -q --zarr-format 3 -c 20,30 --shard 100,60 "$in/plain.zarr" -o s.zarr
    gt-rechunk -q -O npy "$in/plain.zarr" -o want.npy
    local args want
    while read -r want args; do
        # shellcheck disable=SC2086
        gt-rechunk -q -f $args s.zarr -o o.zarr
        [ "$(shapes o.zarr | tr -d ' ')" = "$want" ] || { echo "$args: $(shapes o.zarr)"; return 1; }
        gt-rechunk -q -f -O npy o.zarr -o o.npy
        cmp o.npy want.npy
    done << 'CASES'
[100,60][20,30]
[200,300][20,30] --shard 200,300
[200,60][20,30] --shard variants=200
[10,30] -c variants=10
[50,50] -c 50,50
[50,150][50,50] -c 50,50 --shard 50,150
CASES
    gt-rechunk -n --shard 200,300 s.zarr -o n.zarr > plan
    grep -q '^array .* in chunks of 20 x 30 in shards of 100 x 60, ' plan
    grep -q ' -> .* in chunks of 20 x 30 in shards of 200 x 300, ' plan
    fails 2 "--shard: 90 is not a multiple of the chunk length 20" gt-rechunk --shard 90,60 s.zarr -o n.zarr
}

# slashes DIR: "/" between the indices in the keys of its root array.
slashes() {
    "$PYTHON" - "$1" << 'PY'
import json, os, sys
os.chdir(sys.argv[1])
meta = json.load(open(".zarray"))
meta["dimension_separator"] = "/"
json.dump(meta, open(".zarray", "w"))
os.mkdir(".keys")
for key in os.listdir("."):
    if key[0] != ".":
        row, column = key.split(".")
        os.makedirs(".keys/" + row, exist_ok=True)
        os.rename(key, ".keys/" + row + "/" + column)
for row in os.listdir(".keys"):
    os.rename(".keys/" + row, row)
os.rmdir(".keys")
PY
}

@test "the separator of chunk keys, where the format does" {
    gt-rechunk -q --array packed_dosage "$in/packed.zarr" -o dots.zarr
    cp -r dots.zarr slashes.zarr
    slashes slashes.zarr
    local args
    for args in "" "-c 50,8" "--layout plain" "-c 50,8 --dtype int16"; do
        # shellcheck disable=SC2086
        gt-rechunk -q -f --no-version $args slashes.zarr -o s.zarr
        # shellcheck disable=SC2086
        gt-rechunk -q -f --no-version $args dots.zarr -o d.zarr
        grep -q '"dimension_separator": "/"' s.zarr/.zarray
        grep -q '"dimension_separator": "."' d.zarr/.zarray
        cmp s.zarr/0/0 d.zarr/0.0
        gt-rechunk -q -f -O npy s.zarr -o s.npy
        gt-rechunk -q -f -O npy d.zarr -o d.npy
        cmp s.npy d.npy
    done
    gt-rechunk -q --zarr-format 3 slashes.zarr -o three.zarr
    [ -f three.zarr/c/0/0 ]
    gt-rechunk -q --zarr-format 2 three.zarr -o two.zarr
    [ -f two.zarr/0.0 ]
}

# fill DIR FORMAT TYPE VALUE NAMES: an array of 6 items, none of them stored; NAMES: of its axes, in version 3.
fill() {
    "$PYTHON" - "$@" << 'PY'
import json, os, sys
path, zarr_format, dtype, value, names = sys.argv[1], int(sys.argv[2]), sys.argv[3], sys.argv[4], json.loads(sys.argv[5])
both = {"zarr_format": zarr_format, "shape": [3, 2], "fill_value": "VALUE"}
meta = {**both, "chunks": [2, 2], "dtype": dtype, "compressor": None, "filters": None, "order": "C"} if zarr_format == 2 else {
    **both, "node_type": "array", "data_type": dtype, "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [2, 2]}},
    "chunk_key_encoding": {"name": "default"}, "codecs": [{"name": "bytes", "configuration": {"endian": "little"}}], "dimension_names": names}
os.makedirs(path)
with open(path + ("/.zarray" if zarr_format == 2 else "/zarr.json"), "w") as f:
    f.write(json.dumps(meta).replace('"VALUE"', value))
PY
}

# member FILE NAME: of a metadata document, on one line.
member() { "$PYTHON" -c 'import json, sys; print(json.dumps(json.load(open(sys.argv[1]))[sys.argv[2]]))' "$@"; }

@test "the fill value, where numbers and format do" {
    local format file type value
    while read -r format type value; do
        rm -rf x.zarr o.zarr
        fill x.zarr "$format" "$type" "$value" null
        file=$([ "$format" = 2 ] && echo .zarray || echo zarr.json)
        gt-rechunk -q --transpose x.zarr -o o.zarr
        [ "$(member "o.zarr/$file" fill_value)" = "$value" ] || { echo "$type: $(cat "o.zarr/$file")"; return 1; }
        gt-info --head 3 x.zarr | sort -u > want
        gt-info --head 3 o.zarr | tr '\t' '\n' | paste - - | sort -u | cmp - want
    done << 'CASES'
2 <i2 -32767
2 <i2 0
2 <i2 null
2 <f8 "NaN"
2 <f4 -0.0
2 |S3 "YWI="
2 <U2 "ab"
2 <u8 18446744073709551615
3 float32 "0x7fc00001"
3 uint8 255
3 bool true
3 complex64 ["NaN", 1.5]
CASES
    fill y.zarr 2 '<i2' -1 null
    gt-rechunk -q --dtype int32 y.zarr -o y1.zarr
    [ "$(member y1.zarr/.zarray fill_value)" = -1 ]
    gt-rechunk -q --zarr-format 3 y.zarr -o y3.zarr
    [ "$(member y3.zarr/zarr.json fill_value)" = -1 ]
    gt-rechunk -q --reduce max:0 y.zarr -o y4.zarr
    [ "$(member y4.zarr/.zarray fill_value)" = null ]
    for format in y y1 y3; do gt-info --head 3 $format.zarr | cmp - <(printf -- '-1\t-1\n%.0s' 1 2 3); done
}

@test "names of some axes, and one name of two" {
    fill some.zarr 3 int8 7 '[null, "x"]'
    gt-rechunk -q -c 3,1 some.zarr -o o.zarr
    [ "$(member o.zarr/zarr.json dimension_names)" = '[null, "x"]' ]
    gt-rechunk -q --zarr-format 2 some.zarr -o old.zarr # all of its names are strings, or it has none
    run ! grep -rq _ARRAY_DIMENSIONS old.zarr
    fill none.zarr 3 int8 7 '[null, null]'
    gt-rechunk -q none.zarr -o n.zarr
    run ! member n.zarr/zarr.json dimension_names
    fill two.zarr 3 int8 7 '["x", "x"]'
    gt-rechunk -q -c 3,1 two.zarr -o t.zarr
    [ "$(shapes t.zarr)" = "[3, 1]" ]
    gt-rechunk -q -c 1,1 --shard 3,2 two.zarr -o s.zarr
    [ "$(shapes s.zarr)" = "[3, 2] [1, 1]" ]
}

@test "packed genotypes without samples or sites are packed" {
    : > none
    local axis
    for axis in samples variants; do
        gt-rechunk -q --pick $axis:none "$in/packed.zarr" -o none.zarr
        grep -q '"gt_packed"' none.zarr/packed_dosage/.zattrs
        gt-info --check none.zarr | grep ' 0 damaged, 0 not supported'
        gt-rechunk -q none.zarr -o again.zarr
        cmp none.zarr/packed_dosage/.zattrs again.zarr/packed_dosage/.zattrs
        rm -r none.zarr again.zarr
    done
    gt-rechunk -q --slice ':,:0' "$in/packed.zarr" -o none.zarr
    [[ $(gt-info none.zarr) == *"0 samples x 500 variants"* ]]
}

@test "genotypes that were turned are a plain array of samples, and no store of genotypes before they are turned back" {
    gt-rechunk -q --transpose "$in/packed.zarr" -o turned.zarr
    [[ $(gt-info turned.zarr) == *"allele counts: 30 samples x 500 variants"* ]]
    for command in "gt-info --stats samples" "gt-pdist" "gt-pack -o o.zarr"; do
        # shellcheck disable=SC2086
        fails 3 "array 'call_dosage' has samples first; genotypes need variants first" $command turned.zarr
    done
    gt-pdist -q turned.zarr/call_dosage > turned.tsv
    gt-rechunk -q --layout plain "$in/packed.zarr" -o plain.zarr
    gt-pdist -q --array call_dosage plain.zarr > straight.tsv
    cmp turned.tsv straight.tsv
    gt-rechunk -q --transpose turned.zarr -o back.zarr
    diff -r --exclude .zattrs --exclude .zmetadata plain.zarr back.zarr
}

@test "zstd:1 of bytes that are no genotypes looks for short matches too" {
    mkdir x.zarr
    "$PYTHON" - << 'PY'
import json, math
n = 1 << 18
with open("x.zarr/0", "wb") as f:
    f.write(bytes(int(127 + 120 * math.sin(i / 50) * math.cos(i / 777)) for i in range(n)))
with open("x.zarr/.zarray", "w") as f:
    json.dump({"zarr_format": 2, "shape": [n], "chunks": [n], "dtype": "|u1", "compressor": None, "filters": None, "order": "C",
               "fill_value": None}, f)
PY
    gt-rechunk -q --codec zstd:1 x.zarr -o 1.zarr
    gt-rechunk -q --codec zstd:2 x.zarr -o 2.zarr
    [ "$(stat -c %s 1.zarr/0)" -lt $(($(stat -c %s 2.zarr/0) * 3 / 2)) ]
}

@test "integers beyond 64 bits in attributes keep their digits" {
    "$PYTHON" -c 'import zarr' 2> /dev/null || skip "no python3 with zarr"
    "$PYTHON" -c 'import zarr
g = zarr.open_group("g.zarr", "w")
for x in g, g.create_dataset("a", shape=4, chunks=2, dtype="i4"):
    x.attrs["h"], x.attrs["deep"], x.attrs["text"] = 2 ** 64 + 5, [{"x": -2 ** 63 - 1}, 2 ** 63, 2 ** 64 - 1, 10 ** 40, 1.5e300], "9" * 30
zarr.consolidate_metadata("g.zarr")'
    gt-rechunk -q g.zarr -o two.zarr
    gt-rechunk -q --zarr-format 3 g.zarr -o three.zarr
    gt-rechunk -q three.zarr -o three.tar
    gt-rechunk -q --zarr-format 2 three.tar -o back.zarr
    "$PYTHON" -c 'import json, zarr
want = zarr.open("g.zarr", "r").attrs.asdict()
def attrs(x):
    return {key: x[key] for key in want}
for name in "two", "back":
    for g in zarr.open(name + ".zarr", "r"), zarr.open_consolidated(name + ".zarr"):
        assert attrs(g.attrs.asdict()) == attrs(g["a"].attrs.asdict()) == want, g["a"].attrs.asdict()
for name in "", "a/":
    assert attrs(json.load(open("three.zarr/" + name + "zarr.json"))["attributes"]) == want'
}
