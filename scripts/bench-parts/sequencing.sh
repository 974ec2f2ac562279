# shellcheck shell=bash
# Sourced by others: sequencing data, where GT_TEST_DATA has it.  0.5 MB of chromosome 22 of 1000 Genomes, phase 3 (2,504 samples,
# nine of ten variants rare), repeated with positions shifted.
real=${GT_TEST_DATA:-}/vcf/1kg_phase3_chr22_16-16.5mb.vcf.gz

# repeat BED VARIANTS OUT: the variants of a .bed again and again
repeat() {
    "$PYTHON" - "${1%.bed}" "$2" "${3%.bed}" <<'PY'
import sys
base, n, out = sys.argv[1], int(sys.argv[2]), sys.argv[3]
rows = open(base + ".bed", "rb").read()[3:]
sites = [line.split() for line in open(base + ".bim")]
with open(out + ".bed", "wb") as bed, open(out + ".bim", "w") as bim:
    bed.write(b"\x6c\x1b\x01" + (rows * (n // len(sites) + 1))[: len(rows) // len(sites) * n])
    for k in range(n):
        chrom, _, cm, pos, a1, a2 = sites[k % len(sites)]
        print(chrom, f"v{k}", cm, int(pos) + k // len(sites) * 600000, a1, a2, sep="\t", file=bim)
open(out + ".fam", "w").write(open(base + ".fam").read())
PY
}

# sequencing VARIANTS OUT.bed
sequencing() {
    "$GT_BIN/gt-unpack" -q --max-alleles 2 -O bed "$real" -o "$work/chr22.bed"
    repeat "$work/chr22.bed" "$1" "$2"
}
