#!/usr/bin/env bats
# Branches that few inputs reach: each case makes such an input, with another program or by hand, and says what must come of it.

bats_require_minimum_version 1.5.0

# shellcheck source=test/support/mpirun.bash
. "$GT_SOURCE/test/support/mpirun.bash"
# shellcheck source=test/support/level.bash
. "$GT_SOURCE/test/support/level.bash"

setup() { cd "$BATS_TEST_TMPDIR" || exit 1; }

need() { "$PYTHON" -c "import $1" 2> /dev/null || skip "no python3-$1"; }

@test "gt-info of a report: cpu seconds are those of the user and of the system" {
    gt-pi -q --points 1e4 --report r.json > pi
    sed -i 's/\("cpu_user": \)[0-9.e-]*/\11.25/; s/\("cpu_system": \)[0-9.e-]*/\12.5/; s/\("wall": \)[0-9.e-]*/\19.125/; s/\("peak": \)[0-9]*/\177/' r.json
    gt-info r.json > said
    awk -F'\t' 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i } NR == 2 { print $at["seconds"], $at["cpu_seconds"], $at["peak_bytes"] }' said > got
    cat got
    [ "$(cat got)" = "9.125 3.750 77" ]
}

@test "the page of a failed run shows no plot and no tree that an earlier run made" {
    gt-sim -q --samples 8 --variants 100 -o s.zarr
    gt-pdist -q -m 1-ibs --plot p.svg --tree p.nwk s.zarr --report page.html
    grep -q '<svg[^>]*viewBox' page.html
    grep -q "$(head -c 20 p.nwk)" page.html
    find s.zarr/packed_dosage -type f ! -name '.*' ! -name zarr.json -exec truncate -s 3 {} +
    run -3 gt-pdist -q -f -m 1-ibs --plot p.svg --tree p.nwk s.zarr --report page.html
    [ -s p.svg ]
    [ -s p.nwk ]
    grep -q '"state": *"failed"' page.html
    run ! grep -q '<svg[^>]*viewBox' page.html
    run ! grep -q "$(head -c 20 p.nwk)" page.html
}

@test "--trace and --report of one run: the same tasks in flight at the same time" {
    gt-sim -q --samples 1000 --variants 4000 -o s.zarr
    gt-pack -q -@ 1 --codec zstd:19 --chunks variants=500 s.zarr -o t.zarr --trace t.json --report r.json
    "$PYTHON" - << 'PY'
import json
trace, report = json.load(open("t.json")), json.load(open("r.json"))
counters = {}
for e in trace["traceEvents"]:
    if e.get("ph") == "C" and e["name"] != "memory":
        counters[round(e["ts"]), e["name"].split(":")[0]] = (e["args"]["waiting"], e["args"]["others in flight"])
assert counters and all(w >= 0 and o >= 0 for w, o in counters.values()), counters
same = 0
for q in report["queues"]:
    for when, in_flight, waiting, held in q["samples"]:
        at = [v for d in (-1, 0, 1) if (v := counters.get((round(when * 1e6) + d, q["flow"])))]
        if at:
            assert any(v == (waiting, in_flight - waiting) for v in at), (when, waiting, in_flight, at)
            same += waiting > 0
assert same, len(counters) # zstd:19 takes longer than reading
PY
}

@test "--pick of a group: indices with a step are those items of each array that has the axis" {
    need numpy
    "$PYTHON" - << 'PY'
import json, os
import numpy as np
rng = np.random.default_rng(1)
os.mkdir("g.zarr")
json.dump({"zarr_format": 3, "node_type": "group", "attributes": {}}, open("g.zarr/zarr.json", "w"))
for name, axes, shape in (("t", ["x", "y"], (40, 9)), ("x", ["x"], (40,)), ("y", ["y"], (9,)), ("z", ["z"], (5,))):
    x = rng.integers(0, 1000, shape).astype("<i4")
    os.makedirs(f"g.zarr/{name}/c/" + "0/" * (len(shape) - 1))
    json.dump({"zarr_format": 3, "node_type": "array", "shape": shape, "data_type": "int32", "fill_value": 0, "dimension_names": axes,
               "codecs": [{"name": "bytes", "configuration": {"endian": "little"}}],
               "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": shape}},
               "chunk_key_encoding": {"name": "default"}}, open(f"g.zarr/{name}/zarr.json", "w"))
    x.tofile(f"g.zarr/{name}/c/" + "/".join("0" for _ in shape))
    np.save(f"{name}.npy", x)
PY
    gt-rechunk -q --pick x:2,5,8,11,y:6,4,2 g.zarr -o h.zarr
    local name
    for name in t x y z; do gt-rechunk -q h.zarr/$name -o new_$name.npy; done
    "$PYTHON" - << 'PY'
import numpy as np
want = {"t": np.s_[2:12:3, 6:1:-2], "x": np.s_[2:12:3], "y": np.s_[6:1:-2], "z": np.s_[:]}
for name, part in want.items():
    assert np.array_equal(np.load(f"new_{name}.npy"), np.load(f"{name}.npy")[part]), name
PY
}

@test "OUT.partial.old, which a killed run left, is removed" {
    gt-sim -q --samples 9 --variants 40 -o s.zarr
    mkdir -p o.zarr.partial.old/a
    echo x > o.zarr.partial.old/a/b
    gt-pack -q s.zarr -o o.zarr
    [ -e o.zarr ]
    [ ! -e o.zarr.partial.old ]
}

@test "integers of a plain array: negative ones in the first row alone, in the last one alone, and none" {
    need numpy
    "$PYTHON" - << 'PY'
import numpy as np
g = np.random.default_rng(1).integers(0, 3, (300, 7))
for name, row in (("first", 0), ("last", -1), ("none", None)):
    x = g.copy()
    if row is not None:
        x[row, 2:4] = -1
    np.save(name + ".npy", x.astype("i2"))
    np.save(name + "_nan.npy", np.where(x < 0, np.nan, x))
PY
    local name
    for name in first last none; do
        gt-pdist -m cityblock $name.npy -O npy -o d.npy 2> $name.said
        gt-pdist -q -m cityblock ${name}_nan.npy -O npy -o e.npy
        "$PYTHON" -c "import numpy as np; np.testing.assert_allclose(np.load('d.npy'), np.load('e.npy'), rtol=1e-12)"
        rm d.npy e.npy
    done
    grep -i 'negative' first.said
    grep -i 'negative' last.said
    run ! grep -i 'negative' none.said
}

@test "--resume: an input whose last byte is another, with the same size and time, was changed" {
    gt-sim -q --samples 40 --variants 9000 -O vcf -o good.vcf
    local rows
    for rows in 600 9000; do # below and above 1 MiB, of which blocks alone are hashed
        rm -rf o.zarr*
        head -$rows good.vcf > in.vcf
        printf '%s' "$(tail -1 in.vcf | sed 's/^\([^\t]*\t\)[^\t]*/\1999999999/; s/...$/x\/0/')" >> in.vcf # without a line end
        touch -d '2020-01-02 03:04:05' in.vcf
        run -3 gt-pack -q -@ 1 --resume --chunks variants=20 in.vcf -o o.zarr
        [ -d o.zarr.partial ]
        run -3 gt-pack -q -@ 1 --resume --chunks variants=20 in.vcf -o o.zarr
        [[ "${lines[0]}" != *"was begun differently"* ]]
        printf 1 | dd of=in.vcf conv=notrunc bs=1 seek=$(($(stat -c %s in.vcf) - 1)) status=none
        touch -d '2020-01-02 03:04:05' in.vcf
        run -3 gt-pack -q -@ 1 --resume --chunks variants=20 in.vcf -o o.zarr
        [[ "${lines[0]}" == *"was begun differently"* ]]
    done
}

@test "call arrays without an axis of ploidy hold haploid calls" {
    need zarr
    "$PYTHON" - << 'PY'
import json, os
import numpy as np
g = np.random.default_rng(1).integers(-1, 3, (50, 6)).astype("i1")
os.makedirs("c.zarr/GT")
json.dump({"zarr_format": 2}, open("c.zarr/.zgroup", "w"))
json.dump({"zarr_format": 2, "shape": [50, 6], "chunks": [50, 6], "dtype": "|i1", "fill_value": 0, "order": "C", "filters": None,
           "compressor": None}, open("c.zarr/GT/.zarray", "w"))
g.tofile("c.zarr/GT/0.0")
np.save("g.npy", g)
PY
    gt-unpack -q c.zarr/GT -O npy -o d.npy
    "$PYTHON" - << 'PY'
import numpy as np
assert (np.load("d.npy") == np.minimum(np.load("g.npy"), 1)).all()  # any ALT counts
PY
}

@test "a tar with consolidated metadata has the arrays that these list, not those with a part of their names" {
    "$PYTHON" - << 'PY'
import json, os
def array(n):
    return {"zarr_format": 3, "node_type": "array", "shape": [n], "data_type": "int32", "fill_value": 0,
            "codecs": [{"name": "bytes", "configuration": {"endian": "little"}}],
            "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [n]}},
            "chunk_key_encoding": {"name": "default"}}
listed = {"ba": array(2), "ab": array(3)}
os.mkdir("s.zarr")
json.dump({"zarr_format": 3, "node_type": "group", "attributes": {},
           "consolidated_metadata": {"kind": "inline", "must_understand": False, "metadata": listed}}, open("s.zarr/zarr.json", "w"))
for name, meta in {"a": array(4), **listed}.items():
    os.mkdir("s.zarr/" + name)
    json.dump(meta, open(f"s.zarr/{name}/zarr.json", "w"))
PY
    (cd s.zarr && tar cf ../s.tar zarr.json a ba ab)
    gt-info s.zarr | tail -n +2 > want
    [ "$(awk '{ print $1 }' want | tr '\n' ' ')" = "ab ba " ]
    gt-info - < s.tar | tail -n +2 | cmp want
    gt-rechunk -q - -o t.tar < s.tar
    [ "$(tar tf t.tar | grep -c zarr.json)" -eq 3 ]
}

@test "-r with an index: the variants outside are those of all contigs, as the index counts them" {
    command -v bcftools > /dev/null || skip "no bcftools"
    gt-sim -q --samples 5 --variants 400 --contigs 3 -O vcf -o v.vcf
    bcftools view -Oz v.vcf -o v.vcf.gz
    local contig kind
    contig=$(bcftools view -H v.vcf | sed -n '200{s/\t.*//;p}')
    for kind in -t -c; do
        rm -f v.vcf.gz.*
        bcftools index $kind v.vcf.gz
        gt-pack -q -f --json -r "$contig" v.vcf.gz -o o.zarr > said
        grep -q '"variants_in": 400,' said
        grep -q "\"region\": $((400 - $(bcftools view -H -r "$contig" v.vcf.gz | wc -l)))," said
    done
}

@test "lzma: a raw stream that refers further back than its preset does, by its dict_size" {
    need numpy
    grep -q '#define HAVE_LZMA 1' "$GT_BUILD/config.h" || skip "no liblzma"
    "$PYTHON" - << 'PY'
import json
import lzma
import os
import numpy as np
x = np.tile(np.random.default_rng(1).integers(0, 255, 1 << 20).astype("u1"), 2)
filters = [{"id": lzma.FILTER_LZMA2, "preset": 0, "dict_size": 4 << 20}]  # preset 0: 256 KiB
data = lzma.compress(x.tobytes(), format=lzma.FORMAT_RAW, filters=filters)
assert len(data) < 1.1 * (1 << 20)
os.mkdir("x.zarr")
open("x.zarr/0", "wb").write(data)
json.dump({"zarr_format": 2, "shape": [2 << 20], "chunks": [2 << 20], "dtype": "|u1", "fill_value": 0, "order": "C", "filters": None,
           "compressor": {"id": "lzma", "format": 3, "check": -1, "preset": None, "filters": filters}}, open("x.zarr/.zarray", "w"))
np.save("x.npy", x)
PY
    gt-rechunk -q x.zarr -o y.npy
    cmp x.npy y.npy
}

@test "BCF: a contig number that the header does not declare is refused, as bcftools does" {
    command -v bcftools > /dev/null || skip "no bcftools"
    command -v bgzip > /dev/null || skip "no bgzip"
    printf '##fileformat=VCFv4.3\n##contig=<ID=a>\n##contig=<ID=b>\n##FORMAT=<ID=GT,Number=1,Type=String,Description="g">\n' > v.vcf
    printf '#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\tx\ty\na\t5\t.\tA\tC\t.\t.\t.\tGT\t0/1\t1/1\nb\t7\t.\tA\tC\t.\t.\t.\tGT\t0/0\t0/1\n' >> v.vcf
    bcftools view -Ou v.vcf -o v.bcf
    "$PYTHON" - << 'PY'
import struct
data = open("v.bcf", "rb").read()
if data[:2] == b"\x1f\x8b":
    import gzip
    data = gzip.open("v.bcf").read()
size = struct.unpack("<I", data[5:9])[0]
head, rest = data[9:9 + size], data[9 + size:]
for name, number in (("two", 2), ("one", 1)):
    text = head.replace(b"##contig=<ID=b,IDX=1>", b"##contig=<ID=b,IDX=2>")
    assert text != head
    body = bytearray(rest)
    at = 8 + struct.unpack("<I", rest[0:4])[0] + struct.unpack("<I", rest[4:8])[0]
    assert struct.unpack("<i", body[at + 8:at + 12])[0] == 1
    body[at + 8:at + 12] = struct.pack("<i", number)
    open(name + ".raw", "wb").write(data[:5] + struct.pack("<I", len(text)) + text + bytes(body))
PY
    bgzip -c two.raw > two.bcf
    bgzip -c one.raw > one.bcf
    gt-unpack -q two.bcf -O vcf | grep -v '^#' | cut -f 1,2 > got
    [ "$(cat got)" = "$(printf 'a\t5\nb\t7')" ]
    run gt-pack -q one.bcf -o o.zarr
    [ "$status" -eq 3 ]
    run gt-unpack -q one.bcf -O vcf -o o.vcf
    [ "$status" -eq 3 ]
}

@test "two ranks continue a run of two that stopped: the store is that of one" {
    need_mpi
    gt-sim -q --samples 30 --variants 12000 --missing 0.02 -O vcf -o good.vcf
    touch -d '2020-01-02 03:04:05' good.vcf
    gt-pack -q --no-version --chunks variants=100 good.vcf -o want.zarr
    # a call that is none, where --resume does not look
    "$PYTHON" - << 'PY'
data = bytearray(open("good.vcf", "rb").read())
seen = {b for i in range(256) for b in range(i * (len(data) - 4096) // 255 - 1, i * (len(data) - 4096) // 255 + 4097)}
at = max(i for i in range(len(data) - 300000, len(data) - 100000) if data.startswith(b"\t0/0\t", i) and not seen & {i, i + 3})
data[at + 3] = ord("x")
open("in.vcf", "wb").write(data)
PY
    touch -d '2020-01-02 03:04:05' in.vcf
    local mpi
    mpi=$(mpis | head -1)
    run -3 mpirun_of "$mpi" -n 2 gt-pack -q --no-version -@ 1 --resume --chunks variants=100 in.vcf -o o.zarr
    [ -d o.zarr.partial ]
    cp -p good.vcf in.vcf
    run -0 --separate-stderr mpirun_of "$mpi" -n 2 gt-pack --json --no-version -@ 1 --resume --chunks variants=100 in.vcf -o o.zarr
    [ "$(sed 's/.*"row_groups_kept": *\([0-9]*\).*/\1/' <<< "$output")" -gt 0 ]
    diff -r want.zarr o.zarr
}

@test "--contigs with an index: the variants outside are those of other contigs; --slice of a .bed: read from the middle, all are counted" {
    command -v bcftools > /dev/null || skip "no bcftools"
    gt-sim -q --samples 5 --variants 400 --contigs 3 -O vcf -o v.vcf
    bcftools view -Oz v.vcf -o v.vcf.gz
    bcftools index -t v.vcf.gz
    gt-pack -q --json --contigs 2 v.vcf.gz -o o.zarr > said
    grep -q '"variants_in": 400,' said
    grep -q "\"contigs\": $((400 - $(bcftools view -H -r 2 v.vcf.gz | wc -l)))," said
    grep -q '"region": 0,' said
    gt-sim -q --samples 5 --variants 20000 -O bed -o b # tasks of 4096 rows at most
    local slice
    for slice in 5:20 15005:15020 19990:20005; do
        gt-pack -q -f --json --slice $slice b.bed -o o.zarr > said
        grep -q '"variants_in": 20000,' said
        grep -q "\"slice\": $((20000 - $(sed 's/.*"variants": *\([0-9]*\).*/\1/' said)))," said
    done
}

@test "EIGENSTRAT: the dot of a folder's name is none of the file's" {
    mkdir a.b
    printf '0129\n2012\n' > a.b/xgeno
    printf 'rs%d 1 0 %d A C\n' 1 10 2 20 > a.b/xgeno.snp
    run -1 gt-unpack -q a.b/xgeno -O vcf
    [[ "$output" == *"'a.b/xgeno.ind'"* ]]
    printf '%s U x\n' p q r s > a.b/xgeno.ind
    printf '0129\n2012\n' > x.geno
    cp a.b/xgeno.snp x.snp
    cp a.b/xgeno.ind x.ind
    gt-unpack -q --no-version a.b/xgeno -O vcf | grep -v '^##' > got
    gt-unpack -q --no-version x.geno -O vcf | grep -v '^##' | cmp - got
}

@test "names of contigs that are no UTF-8: the message has the file and what it is" {
    local layout
    gt-sim -q --samples 3 --variants 4 -O bed -o b
    sed -i 's/^[^\t]*/a\xff/' b.bim
    for layout in packed vcz; do
        run -3 gt-pack -q --layout $layout b.bed -o o.zarr
        [[ "$output" == *"'b.bed'"*"contig"*"UTF-8"* ]]
    done
}

@test "BCF of a store: a vector that is all fill is a missing value, as of bcftools" {
    command -v bcftools > /dev/null || skip "no bcftools"
    printf '##fileformat=VCFv4.3\n##contig=<ID=a>\n##FORMAT=<ID=GT,Number=1,Type=String,Description="g">\n' > v.vcf
    printf '##FORMAT=<ID=AD,Number=R,Type=Integer,Description="d">\n' >> v.vcf
    printf '#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\tx\ty\na\t5\t.\tA\tC\t.\t.\t.\tGT:AD\t0/1:3,4\t1/1:7,9\n' >> v.vcf
    gt-pack -q --layout vcz --codec none v.vcf -o s.zarr
    printf '\x03\x04\x07\x09' | cmp - s.zarr/call_AD/0.0.0
    printf '\x03\x04\xfe\xfe' > s.zarr/call_AD/0.0.0
    gt-unpack -q s.zarr -O bcf -o s.bcf
    sed 's/7,9/./' v.vcf | bcftools view -Ob -o want.bcf
    cmp <(gzip -dc s.bcf | tail -c 5) <(gzip -dc want.bcf | tail -c 5)
    cmp <(bcftools view -H s.bcf) <(bcftools view -H want.bcf)
    bcftools view -H s.bcf | grep -q '1/1:\.$'
}

@test "--graph: a step of two passes says so, one of one pass does not" {
    gt-sim -q --samples 60 --variants 300 --normal -o m.zarr
    gt-svd -n -q --algorithm compressed -k 3 --graph two.dot m.zarr -o x > plan
    grep -q '^passes  *2 ' plan
    grep -q '\\n2 passes"' two.dot
    gt-rechunk -n -q --graph one.dot --chunks 10,10 m.zarr -o y.zarr
    run ! grep -q passes one.dot
}

@test "gt-info --head: the plan has all chunks of a row, on each of its axes" {
    "$PYTHON" - << 'PY'
import json, os
for a, b in (30, 400), (400, 30), (1, 12000), (1, 30):
    os.mkdir(f"{a}x{b}.zarr")
    json.dump({"zarr_format": 2, "shape": [4, a * 5, b * 5], "chunks": [2, 5, 5], "dtype": "<U9", "fill_value": "", "order": "C",
               "filters": None, "compressor": None}, open(f"{a}x{b}.zarr/.zarray", "w"))
PY
    local name
    for name in 30x400 400x30 1x12000 1x30; do
        gt-info -n -@ 2 --head 2 $name.zarr | sed -n 's/^memory  *\([0-9]*\)M needed.*/\1/p' > $name.needs
    done
    cmp 30x400.needs 1x12000.needs
    cmp 400x30.needs 1x12000.needs
    # 12000 chunks, each of 50 texts of 36 bytes three times over and of 48 bytes, 2400000 cells of 16 bytes, in MiB
    [ "$(cat 1x12000.needs)" -ge $(($(cat 1x30.needs) + (12000 * 50 * (3 * 36 + 48) + 600000 * 16) / 1048576 - 1)) ]
}

@test "a group with metadata of both versions: those of version 3 count" {
    "$PYTHON" - << 'PY'
import json, os, struct
os.makedirs("g.zarr/x/c")
json.dump({"zarr_format": 3, "node_type": "group", "attributes": {}}, open("g.zarr/zarr.json", "w"))
json.dump({"zarr_format": 2}, open("g.zarr/.zgroup", "w"))
json.dump({"zarr_format": 2, "shape": [4], "chunks": [2], "dtype": "<i4", "fill_value": 0, "order": "C", "filters": None,
           "compressor": None}, open("g.zarr/x/.zarray", "w"))
json.dump({"zarr_format": 3, "node_type": "array", "shape": [4], "data_type": "int32", "fill_value": 0,
           "codecs": [{"name": "bytes", "configuration": {"endian": "little"}}],
           "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [4]}},
           "chunk_key_encoding": {"name": "default"}}, open("g.zarr/x/zarr.json", "w"))
open("g.zarr/x/c/0", "wb").write(struct.pack("<4i", 1, 2, 3, 4))
open("g.zarr/x/0", "wb").write(struct.pack("<2i", 5, 6))
open("g.zarr/x/1", "wb").write(struct.pack("<2i", 7, 8))
def copy(name, to):
    os.makedirs(os.path.dirname(to), exist_ok=True)
    open(to, "wb").write(open("g.zarr/" + name, "rb").read())
copy("zarr.json", "m.zarr/zarr.json")
copy("x/zarr.json", "m.zarr/array/zarr.json")
copy("x/c/0", "m.zarr/array/c/0")
copy(".zgroup", "m.zarr/array/.zgroup")
copy("zarr.json", "m.zarr/group/zarr.json")
copy("x/.zarray", "m.zarr/group/.zarray")
copy("x/0", "m.zarr/group/0")
PY
    gt-info g.zarr > said
    [ "$(grep -c '^  x ' said)" -eq 1 ]
    grep -q '^  x .*(4) in (4)' said
    gt-rechunk -q g.zarr -o h.zarr
    [ "$(gt-info --head 9 h.zarr/x | tr '\n' ' ')" = "1 2 3 4 " ]
    gt-info --json m.zarr | "$PYTHON" -c 'import json, sys; i = json.load(sys.stdin); assert i["groups"] == ["", "group"], i; assert [a["path"] for a in i["arrays"]] == ["array"], i'
}
