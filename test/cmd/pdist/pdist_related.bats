#!/usr/bin/env bats
# gt-pdist: relatedness (grm, grm-vanraden), whose sums have a weight at each site.

bats_require_minimum_version 1.5.0

setup() { cd "$BATS_TEST_TMPDIR" || exit 1; }

need_numpy() { "$PYTHON" -c 'import numpy' 2> /dev/null || skip "no python3-numpy"; }

# sim PREFIX SAMPLES VARIANTS MISSING: a .bed set with variants that nobody or everybody has, all
# heterozygous, all missing, and singletons.
sim() {
    gt-sim -q --samples "$2" --variants "$3" --missing "$4" --seed 7 -o "$1.bed"
    "$PYTHON" - "$1" "$2" << 'PY'
import sys
path, n = sys.argv[1] + ".bed", int(sys.argv[2])
data, row = bytearray(open(path, "rb").read()), (n + 3) // 4
for site, byte in (3, 0xff), (4, 0x00), (5, 0xaa), (6, 0x55), (7, 0xff), (8, 0x00):
    data[3 + site * row:3 + (site + 1) * row] = bytes([byte]) * row
    if n % 4:
        data[2 + (site + 1) * row] &= (1 << 2 * (n % 4)) - 1  # PLINK 2 takes pad bits for calls
data[3 + 7 * row] = 0xfe  # one heterozygote among those without the allele
data[3 + 8 * row] = 0x01  # one missing among those who all have it
open(path, "wb").write(data)
PY
}

oracle() {
    cat > oracle.py << 'PY'
import numpy as np, sys

def load(prefix):
    n = sum(1 for _ in open(prefix + ".fam"))
    rows = np.frombuffer(open(prefix + ".bed", "rb").read()[3:], "u1").reshape(-1, (n + 3) // 4)
    code = (rows[:, :, None] >> np.array([0, 2, 4, 6], "u1") & 3).reshape(len(rows), -1)[:, :n]
    return np.array([2, np.nan, 1, 0])[code]  # of A1

def related(x):
    known = ~np.isnan(x)
    with np.errstate(all="ignore"):
        f = np.nansum(x, 1) / (2 * known.sum(1))
    f[~np.isfinite(f)] = 0
    v = (2 * f * (1 - f))[:, None]
    d = np.where(known, x - 2 * f[:, None], 0)
    with np.errstate(all="ignore"):
        z = np.where(v > 0, d / np.sqrt(v), 0)
        return (z.T @ z) / (known.T.astype(float) @ known), (d.T @ d) / ((known * v).T @ known.astype(float))
PY
}

@test "grm and grm-vanraden are their definitions, with and without missing calls" {
    need_numpy
    oracle
    for shape in "1 40 0.1" "5 60 0.2" "33 700 0" "130 3000 0.01" "70 900 0.4" "40 20 1"; do
        # shellcheck disable=SC2086
        sim x $shape
        gt-pdist -q -m grm x -o grm.npy -f
        gt-pdist -q -m grm-vanraden x -o vanraden.npy -f
        "$PYTHON" - "$shape" << 'PY'
import sys; from oracle import *
want = related(load("x"))
for name, w in zip(("grm", "vanraden"), want):
    got = np.load(name + ".npy")
    assert np.array_equal(np.isnan(got), np.isnan(w)), (sys.argv[1], name)
    assert np.allclose(got, w, rtol=0, atol=2e-9, equal_nan=True), (sys.argv[1], name, np.nanmax(abs(got - w)))
    assert np.array_equal(got, got.T, equal_nan=True), name
PY
    done
}

@test "grm has the same bits for any threads, kernels, chunks, memory and parts" {
    gt-sim -q --samples 300 --variants 5000 --missing 0.03 --seed 5 -o x.zarr
    gt-pack -q --chunks variants=333,samples=100 x.zarr -o y.zarr
    for metric in grm grm-vanraden; do
        gt-pdist -q -m $metric -O npy x.zarr > whole
        for args in "-@ 1" "-@ 3" "--memory 40M" "--memory 44M -@ 2"; do
            # shellcheck disable=SC2086
            gt-pdist -q -m $metric $args -O npy y.zarr | cmp - whole || { echo "$args"; return 1; }
        done
        for level in ref avx2 avx512 avx512vbmi; do
            GT_CPU=$level gt-pdist -q -n x.zarr > /dev/null 2>&1 || continue # not of this cpu
            GT_CPU=$level gt-pdist -q -m $metric -O npy x.zarr | cmp - whole || { echo "$level"; return 1; }
        done
        for part in 1 2 3; do gt-pdist -q -m $metric -O npy --part $part/3 x.zarr; done | cmp - whole
    done
}

@test "sites of several ALT alleles are left out of a grm, unless they are split" {
    printf '##fileformat=VCFv4.2\n##contig=<ID=1>\n##contig=<ID=X>\n##FORMAT=<ID=GT,Number=1,Type=String,Description="x">\n' > m.vcf
    printf '#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\ta\tb\tc\n' >> m.vcf
    cp m.vcf two.vcf
    printf '1\t10\t.\tA\tC\t.\t.\t.\tGT\t0/0\t0/1\t1/1\n1\t30\t.\tA\tC\t.\t.\t.\tGT\t0/1\t0/0\t./.\n' | tee -a two.vcf >> m.vcf
    printf '1\t40\t.\tA\tC,G\t.\t.\t.\tGT\t0/0\t1/2\t2/2\nX\t50\t.\tA\tC\t.\t.\t.\tGT\t0/0\t0/1\t1/1\n' >> m.vcf
    gt-pdist -q -m grm two.vcf > two.tsv
    gt-pack -q m.vcf -o m.zarr
    for input in m.vcf m.zarr; do
        run --separate-stderr gt-pdist -m grm $input
        [ "$status" -eq 0 ]
        [ "$output" = "$(< two.tsv)" ] || { echo "$input"; return 1; }
        [[ "$stderr" == *"1 dropped with several ALT alleles (--split-multiallelic keeps them)"* ]]
        [[ "$stderr" != *"count as one"* ]]
    done
    gt-pdist -q -m grm --split-multiallelic m.vcf > split.tsv
    run ! cmp -s split.tsv two.tsv
    bcftools norm -m- m.vcf 2> /dev/null | gt-pdist -q -m grm - | cmp - split.tsv
}

@test "grm: PLINK 2's numbers to its digits, its files and ids" {
    command -v plink2 > /dev/null || skip "no plink2"
    need_numpy
    for shape in "120 4000 0" "90 3001 0.05"; do
        # shellcheck disable=SC2086
        sim x $shape
        # one thread: the serial OpenBLAS that PLINK 2 calls is not made for calls from several
        plink2 --threads 1 --bfile x --make-grm-bin --out p > log
        gt-pdist -q -O grm x -o o
        cmp o.grm.N.bin p.grm.N.bin
        for kind in triangle square0 square bin; do
            plink2 --threads 1 --bfile x --make-rel ${kind/bin/triangle bin} --out p > log
            gt-pdist -q -O plink -m grm --plink-shape $kind x -o o
        done
        plink2 --threads 1 --bfile x --make-rel square --out p > log
        gt-pdist -q -O plink -m grm --plink-shape square x -o o
        "$PYTHON" - << 'PY'
import numpy as np
a, b = np.loadtxt("o.rel"), np.loadtxt("p.rel")
assert (abs(a - b) <= np.maximum(1.01e-5 * abs(b), 1e-10)).all() and (a == b).mean() > 0.98, (abs(a - b).max(), (a == b).mean())
text = b[np.tril_indices(len(b))]
a, b = np.fromfile("o.rel.bin"), np.fromfile("p.rel.bin")
assert a.shape == b.shape
assert abs(a - b).max() < 2e-10, [(name, abs(x - text).max(), (abs(x - text) > 1.01e-5 * abs(text) + 1e-10).nonzero()[0][:9])
                                  for name, x in (("ours", a), ("PLINK 2's", b))]
a, b = np.fromfile("o.grm.bin", "f4"), np.fromfile("p.grm.bin", "f4")
assert (abs(a - b) <= np.spacing(abs(b)) + 1e-10).all() and (a == b).mean() > 0.7, (a == b).mean()
PY
    done
}

@test "-O counts of a grm: parts and chromosomes put together are one run, to the last bit" {
    gt-sim -q --samples 150 --variants 900 --contigs 3 --missing 0.05 -o x.zarr
    for metric in grm grm-vanraden; do
        gt-pdist -q -f -m $metric -O npy x.zarr -o whole.npy
        gt-pdist -q -f -m $metric -O grm x.zarr -o whole
        for k in 1 2 3; do
            gt-pdist -q -f -m $metric -O counts -@ $k --contigs $k x.zarr -o c$k.counts
            gt-pdist -q -f -m $metric -O counts --part $k/3 x.zarr -o p$k.counts
        done
        gt-pdist -q -f -m $metric --merge --sum c3.counts c1.counts c2.counts -O npy -o sum.npy
        gt-pdist -q -f -m $metric --merge p2.counts p3.counts p1.counts -O npy -o merged.npy
        gt-pdist -q -f -m $metric --merge p2.counts p3.counts p1.counts -O grm -o merged
        cmp whole.npy sum.npy
        cmp whole.npy merged.npy
        cmp whole.grm.bin merged.grm.bin
        cmp whole.grm.N.bin merged.grm.N.bin
    done
    gt-pdist -q -f -m king -O counts x.zarr -o k.counts
    run gt-pdist -q -m grm --merge k.counts -o d # it lacks what a grm is made of
    [ "$status" -eq 2 ]
    run gt-pdist -q -m ibs --merge p1.counts p2.counts p3.counts -o d
    [ "$status" -eq 2 ]
    [ ! -e d ]
    run gt-pdist -q -m cityblock --missing mean -O counts x.zarr -o d
    [ "$status" -eq 2 ]
    [ ! -e d ]
}

@test "--merge: counts of another metric are named before their contigs" {
    gt-sim -q --samples 9 --variants 30 --seed 1 -o x.zarr
    gt-pdist -q -m grm -O counts x.zarr -o x.counts
    run gt-pdist --merge x.counts -o d.tsv
    [ "$status" -eq 2 ]
    [ "${lines[0]}" = "gt-pdist: 'x.counts' lacks the count 'square', which euclidean needs" ]
    gt-pdist -q -m cityblock -O counts x.zarr -o y.counts
    run gt-pdist -m ibs --merge y.counts -o d.tsv
    [ "$status" -eq 2 ]
    [[ "${lines[0]}" == "gt-pdist: 'y.counts' was made with X, Y and mitochondria, which this metric leaves out" ]]
    [ ! -e d.tsv ]
}

@test "a grm of rows and columns is refused: its frequencies are those of all that are compared" {
    gt-sim -q --samples 100 --variants 50 -o x.zarr
    printf 'S1\nS2\n' > a
    printf 'S5\nS6\nS7\n' > b
    gt-pdist -q -m king --rows a --cols b x.zarr -o k.tsv
    for metric in grm grm-vanraden; do
        run gt-pdist -q -m $metric --rows a --cols b x.zarr -o d.tsv
        [ "$status" -eq 2 ]
        [[ "$output" == *"it cannot be combined with --rows and --cols"* ]]
        [ ! -e d.tsv ]
    done
}

@test "-O grm: names, no standard output, no other metric" {
    gt-sim -q --samples 5 --variants 50 -o x.zarr
    for out in p p.grm p.grm.bin p.grm.N.bin; do
        gt-pdist -q -O grm x.zarr -o $out
        [ "$(echo p.*)" = "p.grm.N.bin p.grm.bin p.grm.id" ]
        [ "$(stat -c %s p.grm.bin)" -eq 60 ]
        rm p.*
    done
    gt-pdist -q x.zarr -o q.grm # the name says it
    [ -e q.grm.N.bin ]
    gt-pdist -q x.zarr -o q.rel
    [ "$(wc -l < q.rel)" -eq 5 ]
    for args in "" "-o -" "-m king -o r" "-m euclidean -o r.rel"; do
        # shellcheck disable=SC2086
        run gt-pdist -q -O grm $args x.zarr
        [ "$status" -eq 2 ] || { echo "$args"; return 1; }
    done
    [ -z "$(find . -name 'r.*')" ]
    mkdir s.grm.N.bin
    run gt-pdist -q -O grm x.zarr -o s
    [ "$status" -eq 1 ]
    [ ! -e s.grm.bin ]
    [ ! -e s.grm.id ]
}

@test "weir-goudet is its definition, also where there is nothing to say" {
    need_numpy
    oracle
    for shape in "1 40 0.1" "2 30 0" "5 60 0.2" "33 700 0" "130 2000 0.1" "40 20 1"; do
        # shellcheck disable=SC2086
        sim x $shape
        gt-pdist -q -m weir-goudet x -o got.npy -f
        "$PYTHON" - "$shape" << 'PY'
import sys; from oracle import *
x = load("x").T
known = ~np.isnan(x)
y = np.where(known, x, 0)
of = lambda a, b: a.astype(float) @ b.astype(float).T
with np.errstate(all="ignore"):
    alike = (of(y, y) + of(np.where(known, 2 - x, 0), np.where(known, 2 - x, 0))) / (4 * of(known, known))
    pairs = alike[np.tril_indices(len(x), -1)]
    mean = np.nansum(pairs) / (~np.isnan(pairs)).sum()
    want = (alike - mean) / (1 - mean)
got = np.load("got.npy")
assert np.array_equal(np.isnan(got), np.isnan(want)), sys.argv[1]
assert np.allclose(got, want, rtol=0, atol=1e-12, equal_nan=True), (sys.argv[1], np.nanmax(abs(got - want)))
PY
    done
    "$PYTHON" -c 'open("x.bed", "r+b").write(b"\x6c\x1b\x01" + (b"\xff" * 10 + b"\xaa" * 20 + b"\0" * 10) * 5)' # all are the same
    [ "$(gt-pdist -q -m weir-goudet x | tail -n +2 | cut -f2- | tr '\t' '\n' | sort -u)" = 0 ]
    "$PYTHON" -c 'import numpy as np; open("x.bed", "r+b").write(b"\x6c\x1b\x01" + b"\xff" * 200)' # nobody differs: 0 / 0
    run --separate-stderr gt-pdist -m weir-goudet x
    [ "$status" -eq 0 ]
    [ "$(tail -n +2 <<< "$output" | cut -f2- | tr '\t' '\n' | sort -u)" = nan ]
    [[ "$stderr" == *"weir-goudet: 780 pairs of samples have no finite value"* ]]
}

@test "weir-goudet: the same bits in one pass, in several over a file or a stream, and of merged parts" {
    gt-sim -q --samples 2200 --variants 300 --missing 0.02 --seed 5 -o x.zarr
    gt-pdist -q -m weir-goudet -O condensed x.zarr > whole
    run gt-pdist -n -m weir-goudet --memory 70M x.zarr
    [[ "$output" =~ passes\ +([0-9]+) ]]
    [ "${BASH_REMATCH[1]}" -gt 3 ]
    gt-pdist -q -m weir-goudet -O condensed --memory 70M -@ 3 x.zarr | cmp - whole
    gt-pack -q x.zarr -o - | gt-pdist -q -m weir-goudet -O condensed --memory 70M -@ 1 - | cmp - whole
    for part in 1 2 3; do gt-pdist -q -m weir-goudet -O counts --part $part/3 x.zarr -o $part.counts; done
    gt-pdist -q -m weir-goudet -O condensed --merge [123].counts | cmp - whole
    gt-pdist -q -m weir-goudet --knn 2 x.zarr > two.tsv
    [ "$(wc -l < two.tsv)" -eq 4401 ]
}

@test "weir-goudet is about all pairs: --part, --pairs, --rows and --cols are refused" {
    gt-sim -q --samples 20 --variants 50 -o x.zarr
    printf 'S1\tS2\n' > pairs
    printf 'S1\nS2\n' > rows
    for args in "--part 1/2" "--pairs pairs" "--rows rows" "--cols rows"; do
        # shellcheck disable=SC2086
        run gt-pdist -q -m weir-goudet $args x.zarr -o d.tsv
        [ "$status" -eq 2 ] || { echo "$args"; return 1; }
        [[ "$output" == *"-m weir-goudet needs the mean of all pairs"* ]]
        [ ! -e d.tsv ]
    done
}
