#!/usr/bin/env bats
# gt-pdist: what PLINK's files tell of families, and sets of samples without relatives.

bats_require_minimum_version 1.5.0

setup() { cd "$BATS_TEST_TMPDIR" || exit 1; }

need_plink() { command -v plink1.9 > /dev/null && command -v plink2 > /dev/null || skip "no plink1.9, plink2"; }

# families PREFIX: a .bed set of 60 samples in families, some of whom have none, with ids of any length.
families() {
    gt-sim -q --samples 60 --variants 2000 --missing 0.02 --seed 3 -o "$1.bed"
    awk 'BEGIN { OFS = "\t" } { $1 = NR % 7 ? "family" int(NR / 3) : 0; $2 = "i" NR * NR * NR; print }' "$1.fam" > fam.new
    mv fam.new "$1.fam"
}

@test "family ids of a .fam are in all files that PLINK has them in, byte by byte" {
    need_plink
    families x
    plink1.9 --bfile x --distance square allele-ct ibs 1-ibs flat-missing --out p > log
    plink2 --bfile x --make-king triangle --out p > log
    plink2 --bfile x --make-king-table --out p > log
    plink2 --bfile x --make-grm-bin --out p > log
    plink2 --bfile x --make-rel square --out p > log
    for suffix in dist mibs mdist king kin0 rel; do gt-pdist -q x -o g.$suffix; done
    gt-pdist -q -O grm x -o g
    for file in dist.id mibs.id mdist.id king.id kin0 rel.id grm.id; do cmp g.$file p.$file || { echo "$file"; return 1; }; done
}

@test "family ids: of ids that are there twice, of some samples, and where there are none" {
    need_plink
    families x
    awk 'BEGIN { OFS = "\t" } { $1 = "f" NR; $2 = "i" NR % 30; print }' x.fam > fam.new
    mv fam.new x.fam
    plink2 --bfile x --make-king-table --out p > log
    plink2 --bfile x --make-king triangle --out p > log
    gt-pdist -q x -o g.kin0
    gt-pdist -q x -o g.king
    cmp g.kin0 p.kin0
    cmp g.king.id p.king.id
    printf 'f9_i9\nf2_i2\nf40_i10\n' > some # a selection has its own order
    gt-pdist -q -S some x -o g.king
    [ "$(cat g.king.id)" = "$(printf '#FID\tIID\nf9\ti9\nf2\ti2\nf40\ti10')" ]
    gt-pack -q x -o x.zarr
    gt-pdist -q -S some x.zarr -o g.king
    [ "$(cat g.king.id)" = "$(printf '#FID\tIID\n0\tf9_i9\n0\tf2_i2\n0\tf40_i10')" ]
    gt-pdist -q -S some x.zarr -o g.kin0
    [ "$(cut -f1-4 g.kin0 | tail -1)" = "$(printf '0\tf40_i10\t0\tf2_i2')" ]
}
