#!/usr/bin/env bats
# Types and values that are rare: strings beyond ASCII, integers of any width, haploid data as .bed, names of several ALTs.

bats_require_minimum_version 1.5.0

setup() {
    cd "$BATS_TEST_TMPDIR" || exit 1
    "$PYTHON" -c 'import numpy, zarr' 2> /dev/null || skip "no python3-zarr"
}

@test "fixed-length strings of UTF-32: characters of one to four bytes of UTF-8, as zarr-python has them" {
    "$PYTHON" -c '
import numpy as np, zarr
texts = ["a", "\x7f", "\x80", "é", "\u07ff", "\u0800", "日本", "\uffff", "\U00010000", "😀x", "\U0010ffff", ""]
zarr.open("u.zarr", "w", shape=len(texts), chunks=5, dtype="<U2")[:] = texts
open("want", "w").write("".join(t + "\n" for t in texts if t.isprintable()))'
    gt-info --head 12 u.zarr | grep -x 'a\|é\|日本\|😀x' | cmp - <(grep -x 'a\|é\|日本\|😀x' want)
    gt-rechunk -q --zarr-format 2 -c 4 u.zarr -o o.zarr
    "$PYTHON" -c 'import zarr; a, b = (list(zarr.open(p, mode="r")[:]) for p in ("u.zarr", "o.zarr")); assert a == b, (a, b)'
}

@test "gt-pdist: 0, 1 and 2 in integers of any width and order are the same genotypes" {
    "$PYTHON" -c '
import numpy as np
x = np.random.default_rng(2).integers(0, 3, (9, 40))
for t in "u1", "i1", "u2", "i2", "u4", "i4", "u8", "i8":
    np.save(t + ".npy", x.astype(t))
np.save("f8.npy", x.astype("f8"))'
    gt-pdist -q -m cityblock f8.npy > want
    for t in u1 i1 u2 i2 u4 i4 u8 i8; do
        gt-pdist -q -m cityblock $t.npy | cmp - want || { echo $t; return 1; }
    done
}

@test "haploid data as .bed: homozygous, as plink2 writes it" {
    command -v plink2 > /dev/null || skip "no plink2"
    {
        printf '##fileformat=VCFv4.2\n##contig=<ID=1,length=1000>\n##FORMAT=<ID=GT,Number=1,Type=String,Description="x">\n'
        printf '#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\ta\tb\tc\td\te\n'
        printf '1\t%d\tv%d\tA\tC\t.\t.\t.\tGT\t%s\t%s\t%s\t%s\t%s\n' 5 1 0 1 . 1 0 9 2 1 1 0 . 1 11 3 0 0 0 0 1
    } > h.vcf
    gt-unpack -q h.vcf -o h.bed
    plink2 --silent --vcf h.vcf --make-bed --out t
    cmp h.bed t.bed
}

@test "--set-all-var-ids: all ALTs, in the order of the VCF" {
    {
        printf '##fileformat=VCFv4.2\n##contig=<ID=1,length=1000>\n##FORMAT=<ID=GT,Number=1,Type=String,Description="x">\n'
        printf '#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\ta\n'
        printf '1\t%d\tv\t%s\t%s\t.\t.\t.\tGT\t0/1\n' 5 A C 7 AT A,G,TTT 9 C T,CA
    } > x.vcf
    gt-unpack -q --set-all-var-ids '@:#:$r:$a' x.vcf | grep -v '^#' | cut -f 3 | diff - <(printf '%s\n' 1:5:A:C 1:7:AT:A,G,TTT 1:9:C:T,CA)
}

@test "gt-sim --truth of arrays" {
    gt-sim -q --samples 4 --variants 6 --uniform -2..5 --seed 3 -o a.zarr --truth a.json
    gt-sim -q --samples 4 --variants 6 --normal --seed 4 -o b.zarr --truth b.json
    "$PYTHON" -c '
import json
assert json.load(open("a.json")) == {"seed": 3, "shape": [6, 4], "uniform": [-2, 5]}
assert json.load(open("b.json")) == {"seed": 4, "shape": [6, 4], "normal": [0, 1]}'
}
