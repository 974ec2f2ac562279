#!/usr/bin/env bats
# gt-info without options, line by line: of stores as zarr-python sees them, of files as their text has it.

bats_require_minimum_version 1.5.0

setup() {
    cd "$BATS_TEST_TMPDIR" || exit 1
    "$PYTHON" -c 'import numpy, zarr' 2> /dev/null || skip "no python3-zarr"
    export GT_THREADS=3
}

# vcf SAMPLES CONTIGS FILTERS
vcf() {
    echo '##fileformat=VCFv4.2'
    for ((i = 1; i <= $2; i++)); do echo "##contig=<ID=c$i>"; done
    for ((i = 1; i <= $3; i++)); do echo "##FILTER=<ID=f$i,Description=\"x\">"; done
    echo '##FORMAT=<ID=GT,Number=1,Type=String,Description="x">'
    printf '#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT'
    for ((i = 1; i <= $1; i++)); do printf '\ts%d' $i; done
    printf '\nc1\t7\tx\tA\tC\t.\tPASS\t.\tGT'
    for ((i = 1; i <= $1; i++)); do printf '\t0/1'; done
    echo
}

@test "files: the first five samples, contigs and filters, and how many there are" {
    local n text
    for n in 1 2 5 6 11; do
        vcf $n $((n == 5 ? 1 : n)) $n > x.vcf
        gt-info x.vcf > text
        gt-info --json x.vcf > json
        "$PYTHON" - $n $((n == 5 ? 1 : n)) $n << 'PY'
import json, sys
samples, contigs, filters = [["%s%d" % (c, i + 1) for i in range(int(n))] for c, n in zip("scf", sys.argv[1:])]
filters.insert(0, "PASS")
line = lambda label, names: "%s: %d (%s)\n" % (label, len(names), ", ".join(names[:5] + ["..."] * (len(names) > 5)))
want = "x.vcf: VCF\n" + line("samples", samples) + line("contigs", contigs) + line("filters", filters)
assert open("text").read() == want, (open("text").read(), want)
said = json.load(open("json"))
assert said == dict(name="x.vcf", kind="VCF", samples=len(samples), variants=None, sample_id=samples, contig_id=contigs, filter_id=filters), said
PY
    done
    gt-sim -q --samples 7 --variants 12 --contigs 3 -O bed -o y.bed
    [ "$(gt-info y.bed)" = "$(printf 'y.bed: PLINK bed\nsamples: 7 (S1, S2, S3, S4, S5, ...)\nvariants: 12\ncontigs: 3 (1, 2, 3)')" ]
    gt-info --json y.bed | grep -q '"variants": 12,'
}

@test "stores of each layout: genotypes, and of each array type, shape, chunks, bytes, ratio and chunks that are not stored" {
    gt-sim -q --samples 9 --variants 50 --contigs 2 --missing 0.1 --chunks variants=16,samples=4 -o packed.zarr
    gt-sim -q --samples 9 --variants 50 --contigs 2 -O vcz --chunks variants=20,samples=5 -o calls.zarr
    gt-rechunk -q --layout plain packed.zarr -o counts.zarr
    "$PYTHON" - << 'PY'
import os, shutil
import numpy as np, zarr
g = zarr.open("allel.zarr", "w")
g.create_dataset("calldata/GT", data=np.zeros((8, 3, 2), "i1"), chunks=(3, 2, 2))
g.create_dataset("variants/POS", data=np.arange(8, dtype="i4"), chunks=(8,))
g.create_dataset("samples", data=np.array(["a", "b", "c"], "U3"))
g = zarr.open("turned.zarr", "w")
a = g.create_dataset("call_dosage", data=np.zeros((3, 8), "i1"), chunks=(3, 8))
a.attrs["_ARRAY_DIMENSIONS"] = ["samples", "variants"]
g = zarr.open("plain.zarr", "w")
x = g.create_dataset("x", shape=(10, 4), chunks=(3, 4), dtype="f4", compressor=None)
x[4:7] = 5
g.create_dataset("sub/a_rather_long_name_of_an_array", data=np.arange(6, dtype="u2"), chunks=(4,))
g.create_dataset("sub/wide", data=np.zeros(6, "c16"), chunks=(6,))
g.create_dataset("sub/broken", data=np.arange(6), chunks=(4,))
g.attrs["gt:history"] = ["one a", "two b", "three c"]
open("plain.zarr/sub/broken/.zarray", "w").write("{}")
PY
    for store in packed calls counts allel turned plain; do
        gt-info $store.zarr > $store.text
        gt-info --json $store.zarr > $store.json
    done
    gt-info plain.zarr/sub > sub.text
    gt-info plain.zarr/x > x.text
    "$PYTHON" - << 'PY'
import json, os, re
import numpy as np, zarr
def size(n):
    return "%d B" % n if n < 1024 else "%.1f KiB" % (n / 1024)
def stored(folder):
    names = [n for n in os.listdir(folder) if not n.startswith(".")]
    return len(names), sum(os.path.getsize(folder + "/" + n) for n in names)
def arrays(folder):
    return sorted(os.path.relpath(d, folder) for d, _, names in os.walk(folder) if ".zarray" in names)
TYPES = dict(i1="int8", i2="int16", i4="int32", i8="int64", u1="uint8", u2="uint16", f4="float32", b1="bool", c16="complex128")
shape = lambda s: "(" + ", ".join(map(str, s)) + ")"
summary = dict(packed="packed genotypes: 9 samples x 50 variants, ", calls="genotype calls: 9 samples x 50 variants",
               counts="allele counts: 9 samples x 50 variants", allel="genotype calls (scikit-allel): 3 samples x 8 variants",
               turned="allele counts: 3 samples x 8 variants")
for name in "packed", "calls", "counts", "allel", "turned", "plain":
    store = name + ".zarr"
    lines, said = open(name + ".text").read().split("\n"), json.load(open(name + ".json"))
    files = [os.path.join(d, n) for d, _, names in os.walk(store) for n in names]
    total = sum(map(os.path.getsize, files))
    assert lines.pop(0) == "%s: Zarr v2, directory, %s in %d keys" % (store, size(total), len(files)), (name, total, len(files))
    assert said["keys"] == len(files) and said["bytes_stored"] == total
    if name in summary:
        want = summary[name]
        if name == "packed":
            want += "%.3g bits per genotype" % (8 * stored(store + "/packed_dosage")[1] / (9 * 50))
        assert lines.pop(0) == want, (lines, want)
    paths = arrays(store)
    width = max([8] + [len(p) for p in paths])
    assert [a["path"] for a in said["arrays"]] == paths
    for path, facts in zip(paths, said["arrays"]):
        n, b = stored(store + "/" + path)
        line = lines.pop(0)
        if path == "sub/broken":
            assert line.startswith("  " + path.ljust(width) + "  ") and "zarr_format" in line and "error" in facts, line
            continue
        a = zarr.open(store)[path]
        kind = TYPES.get(a.dtype.str[1:], "string" if a.dtype == object else None)
        chunks = int(np.prod([-(-s // c) for s, c in zip(a.shape, a.chunks)]))
        ratio = a.nbytes / b if kind != "string" and b else 0
        end = size(b) + (" (ratio %.1f)" % ratio if ratio else "") + ("  %d of %d chunks" % (n, chunks) if n < chunks else "")
        if kind:
            head = "  " + path.ljust(width) + "  " + (kind + " ").ljust(9) + shape(a.shape) + " in " + shape(a.chunks) + "  "
            assert line.startswith(head) and line.endswith("  " + end), (line, head, end)
            assert (facts["type"], facts["bytes"]) == (kind, a.nbytes) or kind == "string", facts
        assert facts["shape"] == list(a.shape) and facts["chunk_shape"] == list(a.chunks) and facts["zarr_format"] == 2
        assert (facts["chunks"], facts["chunks_stored"], facts["bytes_stored"]) == (chunks, n, b), facts
        assert facts["dimensions"] == a.attrs.get("_ARRAY_DIMENSIONS", [None] * a.ndim), facts
    if name == "plain":
        assert lines == ["history: one a", "         two b", "         three c", ""], lines
        assert said["history"] == ["one a", "two b", "three c"]
sub = open("sub.text").read().split("\n")
assert sub[1].startswith("  a_rather_long_name_of_an_array  uint16   (6) in (4)  ") and sub[2].startswith("  broken" + " " * 26), sub
assert sub[3].startswith("  wide                            complex128 (6) in (6)  "), sub  # longer than the column of types
assert open("x.text").read().split("\n")[1].startswith("  x         float32  (10, 4) in (3, 4)  none  96 B (ratio 1.7)  2 of 4 chunks"), open("x.text").read()
PY
}

@test "--head and names: tabs, line ends, backslashes and other control characters are made visible" {
    "$PYTHON" -c '
import zarr, numcodecs
g = zarr.open("t.zarr", "w")
texts = ["plain", "a\tb", "a\nb", "a\rb", "a\\b", "say \"x\"", "bell\x07", "\x1f \x7f", "\u00e9\u4e00", ""]
g.create_dataset("x", shape=(10,), chunks=(3,), dtype=object, object_codec=numcodecs.VLenUTF8())[:] = texts'
    gt-info --head 10 t.zarr/x > said
    printf '%s\n' plain 'a\tb' 'a\nb' 'a\rb' 'a\\b' 'say "x"' 'bell\x07' '\x1f \x7f' $'\xc3\xa9\xe4\xb8\x80' '' | diff - said
    mkdir $'t.zarr/odd\x01'
    cp -r t.zarr/x/. $'t.zarr/odd\x01/'
    gt-info t.zarr | grep -q '^  odd\\x01  '
}

@test "-n: what is read" {
    gt-sim -q --samples 9 --variants 50 --chunks variants=16,samples=4 -o s.zarr
    run -0 gt-info -n s.zarr
    [ "${lines[0]}" = "metadata of $(find s.zarr -name .zarray | wc -l) arrays and the sizes of all keys" ]
    run -0 gt-info -n --head 2 s.zarr/sample_id
    [ "${lines[0]}" = "metadata of 1 array and the chunks of the values shown" ]
    run -0 gt-info -n --check s.zarr/sample_id
    [[ ${lines[0]} == "1 stored chunk of 1 array is read and decoded, "* ]]
    run -0 gt-info -n --check --deep s.zarr
    [[ ${lines[0]} == *" arrays are read and decoded, and the genotypes once more, "*" in the store" ]]
    printf 'S1 a\nS2 b\nS3 a\nS4 c\n' > groups
    run -0 --separate-stderr gt-info -n --stats samples --groups groups s.zarr
    [[ ${lines[0]} =~ ^input\ +s.zarr\ \(packed\ store\)$ && ${lines[1]} =~ ^samples\ +9$ && ${lines[2]} =~ ^groups\ +3$ && ${lines[3]} =~ ^variants\ +50$ ]]
}
