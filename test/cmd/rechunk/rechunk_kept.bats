#!/usr/bin/env bats
# gt-rechunk: what stays of codecs, shards and absent chunks.

bats_require_minimum_version 1.5.0

setup() {
    cd "$BATS_TEST_TMPDIR" || exit 1
    "$PYTHON" -c 'import zarr, sys; sys.exit(not zarr.__version__.startswith("2."))' 2> /dev/null || skip "no python3-zarr 2"
}

need_zarr3() { "${PYTHON_ZARR3:-false}" -c 'import zarr' 2> /dev/null || skip "no zarr-python 3"; }

files() { find "$1" -type f | wc -l; }

@test "lz4, zlib and bz2 stay what they are from Zarr 2 to 3 and back; --codec names them with a level" {
    need_zarr3
    "$PYTHON" -c 'import zarr, numpy as np, numcodecs
for name, codec in ("lz4", numcodecs.LZ4(1)), ("zlib", numcodecs.Zlib(2)), ("bz2", numcodecs.BZ2(4)):
    z = zarr.open(name + ".zarr", "w", shape=(100, 30), chunks=(10, 30), dtype="i4", compressor=codec)
    z[:] = np.arange(3000).reshape(100, 30)'
    for name in lz4 zlib bz2; do
        gt-rechunk -q --zarr-format 3 $name.zarr -o 3.zarr -f
        gt-rechunk -q --zarr-format 2 3.zarr -o 2.zarr -f
        gt-rechunk -q -c 7,-1 $name.zarr -o same.zarr -f
        NAME=$name "$PYTHON" -c 'import os, zarr, numpy as np
want = zarr.open(os.environ["NAME"] + ".zarr", "r")
for path in "2.zarr", "same.zarr":
    z = zarr.open(path, "r")
    assert z.compressor == want.compressor, (z.compressor, want.compressor)
    assert (z[:] == want[:]).all()'
        NAME=$name "$PYTHON_ZARR3" -W ignore -c 'import json, os, zarr, numpy as np
assert (zarr.open_array("3.zarr", mode="r")[:] == np.arange(3000).reshape(100, 30)).all()
assert [c["name"] for c in json.load(open("3.zarr/zarr.json"))["codecs"]] == ["bytes", "numcodecs." + os.environ["NAME"]]'
    done
    gt-rechunk -q --codec bz2:9 lz4.zarr -o a.zarr
    gt-rechunk -q --codec zlib:3 lz4.zarr -o b.zarr
    "$PYTHON" -c 'import zarr
a, b = zarr.open("a.zarr", "r"), zarr.open("b.zarr", "r")
assert (a.compressor.codec_id, a.compressor.level, b.compressor.codec_id, b.compressor.level) == ("bz2", 9, "zlib", 3)
assert (a[:] == b[:]).all() and a[99, 29] == 2999'
    run gt-rechunk --codec bz2:10 lz4.zarr -o c.zarr
    [ "$status" -eq 2 ]
    [[ "$output" == *"level '10' of codec 'bz2' is not a number from 1 to 9"* ]]
}

@test "shards of Zarr 3 become chunks of Zarr 2 as they are inside" {
    need_zarr3
    "$PYTHON_ZARR3" -c 'import zarr, numpy as np
z = zarr.create_array("s.zarr", shape=(100, 60), chunks=(10, 20), shards=(50, 60), dtype="f4")
z[:] = np.arange(6000).reshape(100, 60)'
    gt-rechunk -q --zarr-format 2 s.zarr -o 2.zarr
    "$PYTHON" -c 'import zarr, numpy as np
z = zarr.open("2.zarr", "r")
assert z.chunks == (10, 20) and (z[:] == np.arange(6000).reshape(100, 60)).all(), z.chunks'
    gt-rechunk -q --zarr-format 3 s.zarr -o 3.zarr
    "$PYTHON_ZARR3" -c 'import zarr
z = zarr.open_array("3.zarr", mode="r")
assert (z.chunks, z.shards) == ((10, 20), (50, 60))'
}

@test "--reduce and --order: axes below 0 count from the last one, as numpy counts them" {
    "$PYTHON" -c 'import zarr, numpy as np
z = zarr.open("x.zarr", "w", shape=(4, 5, 6), chunks=(2, 2, 6), dtype="i4")
z[:] = np.random.RandomState(1).randint(0, 99, (4, 5, 6))'
    for axes in -1 -3 -1,0 -2,2; do
        gt-rechunk -q -f --reduce sum:$axes x.zarr -o r.npy
        AXES=$axes "$PYTHON" -c 'import os, zarr, numpy as np
x = zarr.open("x.zarr", "r")[:]
assert (np.load("r.npy") == x.sum(axis=tuple(map(int, os.environ["AXES"].split(","))))).all()'
    done
    gt-rechunk -q -f --order=-1,0,-2 x.zarr -o r.npy
    "$PYTHON" -c 'import zarr, numpy as np
assert (np.load("r.npy") == zarr.open("x.zarr", "r")[:].transpose(-1, 0, -2)).all()'
    run gt-rechunk --reduce sum:-4 x.zarr -o s.npy
    [ "$status" -eq 2 ]
    [[ "$output" == *"has no axis '-4'"* ]]
}

@test "--drop-empty: chunks at an edge count what is behind it as fill values, as zarr-python writes them" {
    "$PYTHON" -c 'import zarr
for name, dtype, fill in ("i.zarr", "i4", 7), ("f.zarr", "f8", float("nan")):
    zarr.open(name, "w", shape=(10, 10), chunks=(4, 4), dtype=dtype, fill_value=fill)[0, 0] = 1'
    for x in i.zarr "--dtype f8 i.zarr" "--transpose i.zarr" f.zarr "--dtype f4 f.zarr"; do
        for shape in 3,3 4,4 7,10 1000,6; do
            # shellcheck disable=SC2086
            gt-rechunk -q -f --drop-empty -c $shape $x -o out.zarr
            [ "$(cd out.zarr && echo [0-9]*)" = 0.0 ]
        done
    done
    gt-rechunk -q -f -c 3,3 i.zarr -o out.zarr # all chunks that are written, byte by byte
    "$PYTHON" -c 'import zarr, numcodecs, numpy as np
codec = zarr.open("out.zarr", "r").compressor
x = np.frombuffer(codec.decode(open("out.zarr/0.0", "rb").read()), "i4"); assert list(x) == [1] + 8 * [7], x
zarr.open("edge.zarr", "w", shape=(10, 10), chunks=(4, 4), dtype="i4", fill_value=7)[9, 9] = 3'
    gt-rechunk -q -f -c 3,4 edge.zarr -o out.zarr
    "$PYTHON" -c 'import zarr, numpy as np
codec = zarr.open("out.zarr", "r").compressor
x = np.frombuffer(codec.decode(open("out.zarr/3.2", "rb").read()), "i4"); assert list(x) == [7, 3] + 10 * [7], x'
}

@test "a sparse store stays sparse: chunks that are absent, or with --drop-empty all of fill values, are not written" {
    "$PYTHON" -c 'import zarr
for name, dtype, fill in ("i.zarr", "i4", 0), ("f.zarr", "f8", float("nan")), ("b.zarr", ">i2", -7):
    z = zarr.open(name, "w", shape=(1000, 1000), chunks=(50, 50), dtype=dtype, fill_value=fill)
    z[0, 0] = 1; z[999, 999] = 2
    z[100:150, 100:150] = fill # there, of fill values'
    same() { # same A B: the same numbers
        A=$1 B=$2 "$PYTHON" -c 'import os, zarr, numpy as np
a, b = (zarr.open(os.environ[x], "r")[:] for x in "AB")
assert np.array_equal(a, b, equal_nan=a.dtype.kind == "f")'
    }
    for x in i f b; do
        before=$(files $x.zarr)
        for how in "" "--codec gzip:1" "-@ 1 --verify" "--resume"; do
            # shellcheck disable=SC2086
            gt-rechunk -q -f $how $x.zarr -o out.zarr
            [ "$(files out.zarr)" -eq $((before + $([ -e $x.zarr/.zattrs ] && echo 0 || echo 1))) ]
            same $x.zarr out.zarr
        done
        for how in "" "-c 100,100" "-c 500,20 --memory 40M" "-c 10,1000 --verify"; do
            # shellcheck disable=SC2086
            gt-rechunk -q -f --drop-empty $how $x.zarr -o out.zarr
            [ "$(find out.zarr -type f -name '[0-9]*' | wc -l)" -eq 2 ]
            same $x.zarr out.zarr
        done
        local how picked n=0
        while IFS='|' read -r how picked; do
            # shellcheck disable=SC2086
            gt-rechunk -q -f $how $x.zarr -o some$n.zarr
            echo "$picked" > some$n.zarr/picked
            n=$((n + 1))
        done << 'END'
-c 100,100|
-c 70,130 --codec gzip:1|
-c 500,20 --memory 40M|
-c 1000,30 -@ 1 --verify|
-c 300,300 --slice 100:1000:3,::-1|[100:1000:3, ::-1]
-c 64,1000 --transpose|.T
-c 77,99 --slice 200:900,:40|[200:900, :40]
-c 90,70 --pick 1:999,5,500,110|[:, [999, 5, 500, 110]]
END
        A=$x.zarr N=$n "$PYTHON" -c 'import os, zarr, numpy as np
a, there = zarr.open(os.environ["A"], "r"), np.zeros((1000, 1000), bool)
keys = lambda z: {key for key in z.chunk_store.keys() if key[0] in "0123456789"}
for key in keys(a):
    i, k = (50 * int(x) for x in key.split("."))
    there[i:i + 50, k:k + 50] = True
for n in range(int(os.environ["N"])):
    b, picked = zarr.open("some%d.zarr" % n, "r"), open("some%d.zarr/picked" % n).read()
    some, want = (eval("x" + picked) for x in (there, a[:]))
    chunks = {"%d.%d" % (i, k) for i in range(b.cdata_shape[0]) for k in range(b.cdata_shape[1])
              if some[i * b.chunks[0]:, k * b.chunks[1]:][:b.chunks[0], :b.chunks[1]].any()}
    assert len(chunks) < b.nchunks and chunks == keys(b), (picked, chunks, keys(b))
    assert np.array_equal(b[:], want, equal_nan=want.dtype.kind == "f")'
    done
    gt-sim -q --samples 8 --variants 20 -o g.zarr
    run gt-rechunk --drop-empty g.zarr -o out2.zarr
    [ "$status" -eq 2 ]
    [[ "$output" == *"--drop-empty is for plain arrays"* ]]
}

# keys STORE: of the chunks of its root array.
keys() { (cd "$1" && echo [0-9]*); }

@test "Zarr 2 output without a fill value has all chunks, also with --drop-empty: for zarr-python an absent one is uninitialised memory" {
    "$PYTHON" -c 'import zarr, numpy as np
zarr.open("n.zarr", "w", shape=(4, 4), chunks=(2, 2), dtype="i4", fill_value=None)[...] = 0
zarr.open("f.zarr", "w", shape=(4, 4), chunks=(2, 2), dtype="f4", fill_value=np.nan)[:2, :2] = 7
zarr.open("m.zarr", "w", shape=(4, 4), chunks=(2, 2), dtype="M8[s]", fill_value=None)[:2, :2] = 7'
    local all="0.0 0.1 1.0 1.1"
    gt-rechunk --drop-empty n.zarr -o nd.zarr 2> warning
    grep -q "^gt-rechunk: warning: 'n.zarr': --drop-empty has no effect: the output has no fill value" warning
    [ "$(keys nd.zarr)" = "$all" ]
    gt-rechunk -q --drop-empty --codec gzip:1 n.zarr -o nc.zarr
    [ "$(keys nc.zarr)" = "$all" ]
    gt-rechunk -q --drop-empty --reduce sum:0 -c 2 n.zarr -o ns.zarr
    [ "$(keys ns.zarr)" = "0 1" ]
    gt-rechunk -q --dtype int32 --cast unsafe f.zarr -o fi.zarr
    [ "$(keys fi.zarr)" = "$all" ]
    gt-rechunk -q --dtype int32 --cast unsafe -c 3,3 f.zarr -o fc.zarr
    [ "$(keys fc.zarr)" = "$all" ]
    gt-rechunk -q m.zarr -o mm.zarr
    [ "$(keys mm.zarr)" = "$all" ]
    "$PYTHON" -c 'import zarr, numpy as np
z = lambda name: zarr.open(name + ".zarr", "r")
seven = np.pad(np.full((2, 2), 7), (0, 2))
for name in "nd", "nc", "ns", "fi", "fc":
    assert z(name).fill_value is None, name # a number would be missing for xarray
    assert (z(name)[:] == (seven if name[0] == "f" else 0)).all(), (name, z(name)[:])
assert (z("mm")[:2, :2] == np.datetime64(7, "s")).all() and np.isnat(z("mm")[:]).sum() == 12, z("mm")[:]'
}
