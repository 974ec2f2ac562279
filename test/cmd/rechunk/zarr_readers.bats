#!/usr/bin/env bats
# What is written here is opened by others, with the same values: zarr-python 2 and 3, xarray, TensorStore.

bats_require_minimum_version 1.5.0

. "$GT_SOURCE/test/support/level.bash"

setup_file() {
    cd "$BATS_FILE_TMPDIR" || exit 1
    gt-sim -q --samples 40 --variants 300 --missing 0.05 --multiallelic 0.1 --phased --contigs 2 --seed 3 -O vcf -o x.vcf
    gt-pack -q --layout vcz --chunks variants=100,samples=16 x.vcf -o v2.zarr
    gt-pack -q --layout vcz --chunks variants=100,samples=16 --zarr-format 3 x.vcf -o v3.zarr
    gt-rechunk -q -c variants=25,samples=8 --shard variants=100,samples=16 v3.zarr -o v3_shards.zarr
    local store name
    for store in v2 v3 v3_shards; do
        gt-rechunk -q $store.zarr -o $store.zip
    done
    mkdir want
    for name in call_genotype call_genotype_phased variant_position variant_contig variant_quality variant_filter; do
        gt-rechunk -q -O npy --array $name v2.zarr -o want/$name.npy
    done
    for name in variant_allele sample_id contig_id; do
        gt-info --head 1000 v2.zarr/$name | "$PYTHON" -c 'import json, sys
json.dump([text for line in sys.stdin.read().splitlines() for text in line.split("\t")], sys.stdout)' > want/$name.json
    done
}

setup() { cd "$BATS_FILE_TMPDIR" || exit 1; }

@test "zarr-python 2" {
    "$PYTHON" -c 'import zarr, sys; sys.exit(not zarr.__version__.startswith("2."))' 2> /dev/null || skip "no python3 with zarr 2"
    timeout 300 "$PYTHON" "$GT_SOURCE/test/support/zarr_readers.py" v2.zarr v2.zip > read
    [ "$(grep -c 'zarr 2' read)" -eq 2 ]
}

@test "zarr-python 3, xarray and TensorStore" {
    [ -n "${PYTHON_ZARR3:-}" ] || skip "no zarr 3: PYTHON_ZARR3 is not set (scripts/test makes it where it can)"
    timeout 300 "$PYTHON_ZARR3" "$GT_SOURCE/test/support/zarr_readers.py" v2.zarr v2.zip v3.zarr v3.zip v3_shards.zarr v3_shards.zip > read
    [ "$(grep -c 'zarr 3' read)" -eq 6 ]
    local library
    for library in xarray tensorstore; do
        ! "$PYTHON_ZARR3" -c "import $library" 2> /dev/null || [ "$(grep -c " $library" read)" -eq 6 ]
    done
}

@test "xarray reads after gt-rechunk what it read before: fill values, scales, reductions" {
    [ -n "${PYTHON_ZARR3:-}" ] && "$PYTHON_ZARR3" -c 'import xarray' 2> /dev/null || skip "no xarray: PYTHON_ZARR3 is not set (scripts/test makes it where it can)"
    mkdir masks
    cd masks
    timeout "$(by_level 600 600 14000)" "$PYTHON_ZARR3" "$GT_SOURCE/test/support/xarray_masks.py" "${GT_MASKS_SEED:-1}" "$(by_level 0.03 0.1 1)"
}

@test "inner chunks that shards do not store have the fill value, of numbers and of strings, in shards inside of shards too" {
    [ -n "${PYTHON_ZARR3:-}" ] || skip "no zarr 3: PYTHON_ZARR3 is not set (scripts/test makes it where it can)"
    "$PYTHON_ZARR3" - << 'PY'
import subprocess, warnings
import numpy as np, zarr
from zarr.codecs import BytesCodec, ShardingCodec, VLenUTF8Codec, ZstdCodec
warnings.simplefilter("ignore")
for kind, fill, some, bare in (str, "none", ["x", "", "zwei"], VLenUTF8Codec()), ("i4", -7, [3, -7, 0], BytesCodec()):
    inner = ShardingCodec(chunk_shape=(2,), codecs=[bare, ZstdCodec()])
    for depth, codec in enumerate([inner, ShardingCodec(chunk_shape=(4,), codecs=[inner])]):
        name = f"in{np.dtype(kind).kind}{depth}.zarr"
        a = zarr.create_array(name, shape=(45,), chunks=(8,), dtype=kind, fill_value=fill, serializer=codec, compressors=None, zarr_format=3)
        a[3], a[10:13], a[41] = some[0], some, some[2]
        want = [fill] * 45
        want[3], want[10:13], want[41] = some[0], some, some[2]
        for chunks in "5", "8", "45":
            subprocess.run(["gt-rechunk", "-q", "-f", name, "-c", chunks, "-o", "out.zarr"], check=True)
            got = list(zarr.open_array("out.zarr", mode="r")[:])
            assert got == want, (name, chunks, got)
PY
}

@test "--skip-missing: missing calls of packed genotypes" {
    gt-sim -q --samples 30 --variants 200 --missing 0.2 --seed 5 -O packed -o m.zarr
    gt-rechunk -q --layout plain m.zarr/packed_dosage -o plain.zarr
    "$PYTHON" - << 'PY'
import subprocess, numpy, zarr
x = zarr.open("plain.zarr", "r")[:].astype(float)
x[x < 0] = numpy.nan
assert numpy.isnan(x).any()
for op in "sum", "mean", "min", "max", "std", "count":
    for axis, name in enumerate(("variants", "samples")):
        subprocess.run(["gt-rechunk", "-qf", "--skip-missing", "--reduce", op + ":" + name, "m.zarr/packed_dosage", "-o", "r.zarr"], check=True)
        want = (x > 0).sum(axis) if op == "count" else getattr(numpy, "nan" + op)(x, axis=axis)
        assert numpy.allclose(zarr.open("r.zarr", "r")[:], want), (op, name)
PY
}

@test "--skip-missing: both attributes of the CF conventions, one of them, or one value twice" {
    # _FillValue is fill_value in Zarr 2
    "$PYTHON" - << 'PY'
import itertools, json, os, shutil, subprocess
import numpy, zarr
x = numpy.array([[1, -9, 77, 5], [-9, -9, -9, -9], [77, 77, 77, 77], [-9, 77, 77, -9], [0, 4, 8, 16]])
for kind, version, (fill, missing) in itertools.product(("i2", "f4"), (2, 3), ((-9, 77), (77, -9), (None, 77), (-9, None), (77, 77))):
    shutil.rmtree("in.zarr", ignore_errors=True)
    os.makedirs("in.zarr/c/0")
    attrs = {k: v for k, v in (("_FillValue", fill), ("missing_value", missing)) if v is not None}
    if version == 2:
        attrs.pop("_FillValue", None)
        json.dump(dict(zarr_format=2, shape=x.shape, chunks=x.shape, dtype="<" + kind, order="C", filters=None, compressor=None,
                       fill_value=fill), open("in.zarr/.zarray", "w"))
        json.dump(attrs, open("in.zarr/.zattrs", "w"))
    else:
        json.dump(dict(zarr_format=3, node_type="array", shape=x.shape, data_type=numpy.dtype(kind).name, fill_value=0, attributes=attrs,
                       chunk_grid=dict(name="regular", configuration=dict(chunk_shape=x.shape)), chunk_key_encoding=dict(name="default"),
                       codecs=[dict(name="bytes", configuration=dict(endian="little"))]), open("in.zarr/zarr.json", "w"))
    x.astype("<" + kind).tofile("in.zarr/0.0" if version == 2 else "in.zarr/c/0/0")
    subprocess.run(["gt-rechunk", "-q", "-f", "--skip-missing", "--zarr-format", "2", "--reduce", "mean:1", "in.zarr", "-o", "r.zarr"], check=True)
    left = [[v for v in row if v not in (fill, missing)] for row in x.tolist()]
    want = [sum(row) / len(row) if row else numpy.nan for row in left]
    assert numpy.allclose(zarr.open("r.zarr", "r")[:], want, equal_nan=True), (kind, version, fill, missing)
PY
    run -2 gt-rechunk -q --skip-missing in.zarr -o n.zarr
    [ "${lines[0]}" = "gt-rechunk: --skip-missing needs --reduce" ]
}
