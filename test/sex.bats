#!/usr/bin/env bats
# --sex: one X and one Y of a male, against plink2 and, with pseudoautosomal regions, a few lines of awk.

bats_require_minimum_version 1.5.0

setup() { cd "$BATS_TEST_TMPDIR" || exit 1; }

need_plink2() { command -v plink2 > /dev/null || skip "no plink2"; }

refused() { # STATUS TEXT COMMAND...
    run --separate-stderr timeout 60 "${@:3}"
    # shellcheck disable=SC2154
    { [ "$status" -eq "$1" ] && [[ "${stderr_lines[0]}" == *"$2"* ]]; } || { echo "${*:3}: status $status: $output $stderr"; return 1; }
}

# Contigs 1, X, Y and XY of a .bed, sexes not known, male and female in turn.
make_bed() {
    gt-sim -q --samples 41 --variants 400 --contigs 4 --missing 0.1 --seed 7 -o x.bed
    sed -i 's/^2\t/X\t/; s/^3\t/Y\t/; s/^4\t/XY\t/' x.bim
    awk -v OFS='\t' '{$5 = NR % 3; print}' x.fam > y && mv y x.fam
}

@test "--sex: .bed, .pgen, stores and VCF as plink2 --set-hh-missing has them" {
    need_plink2
    make_bed
    plink2 --bfile x --set-hh-missing --make-bed --silent --out their > /dev/null
    plink2 --bfile x --make-pgen --silent --out p > /dev/null
    run ! cmp x.bed their.bed
    gt-pack -q x.bed -o x.zarr
    gt-pack -q x.bed -o small.zip --chunks variants=7,samples=8
    gt-unpack -q x.bed -o x.vcf
    gt-pack -q --layout vcz x.vcf -o calls.zarr
    gt-pack -q --layout vcz --chunks variants=7,samples=6 x.vcf -o few.zarr
    bcftools view -Ob x.vcf -o x.bcf 2> /dev/null
    awk '{print $1, $2, $5}' x.fam > three.txt
    awk 'BEGIN {print "#SEX\tother\tIID"} {print ($5 == 1 ? "M" : $5 == 2 ? "female" : "NA") "\tx\t" $2}' x.fam > named.txt
    awk '{print $2, $5} END {print "nobody 1"}' x.fam | gzip > two.gz
    { echo '##made by hand'; echo '#FID IID SEX PHENO1'; awk '{print $1, $2, $5, -9}' x.fam; } > x.psam
    { awk '{print $1 "x", $2, 1 + $5 % 2}' x.fam; cat three.txt; } > namesakes.txt # of other families
    for from in x.bed p.pgen x.zarr small.zip; do
        for sex in auto x.fam three.txt named.txt two.gz x.psam namesakes.txt; do
            gt-unpack -qf -@ 2 --sex $sex $from -o ours.bed
            cmp ours.bed their.bed || { echo "$from $sex"; return 1; }
        done
    done
    for from in x.vcf x.bcf calls.zarr few.zarr; do
        gt-unpack -qf --sex x.fam $from -o ours.bed
        cmp ours.bed their.bed || { echo "$from"; return 1; }
        gt-pack -qf --no-version --sex x.fam $from -o ours.zip
        gt-unpack -qf ours.zip -o ours.bed
        cmp ours.bed their.bed
    done
    # some samples in another order, and filters that see what the rule left
    gt-unpack -q -s S5,S2,S40 --geno 0.4 --maf 0.01 --sex auto x.bed -o ours.vcf
    gt-unpack -q -s S5,S2,S40 --geno 0.4 --maf 0.01 their -o their.vcf
    diff <(grep -v '^##' ours.vcf) <(grep -v '^##' their.vcf)
    gt-pack --json --sex auto x.bed -o j.zarr > json 2> said
    grep -q '"het_haploid_calls": *[1-9]' json
    grep -q 'calls of males on X or Y, heterozygous, counted as missing' said
}

@test "--sex: the pseudoautosomal regions of GRCh37 and GRCh38, haploid calls, --haploid 1" {
    make_vcf() { # LENGTH POSITION...
        printf '##fileformat=VCFv4.2\n##contig=<ID=chrX%s>\n##FORMAT=<ID=GT,Number=1,Type=String,Description="x">\n#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\tm1\tm2\tm3\tm4\tf\tu\n' "$1"
        printf 'chrX\t%s\t.\tA\tC,G\t.\t.\t.\tGT\t0/1\t1|1\t1\t1/2\t0/1\t0/1\n' "${@:2}"
    }
    printf 'm%d 1\n' 1 2 3 4 > sex
    printf 'f 2\nu 0\n' >> sex
    codes() { gt-unpack -qf "$@" -o codes.npy && "$PYTHON" -c 'import numpy as n; a = n.load("codes.npy"); print(*("".join("x" if v < 0 else str(v) for v in r) for r in (a if a.shape[1] == 6 else a.T)))'; }
    make_vcf ',length=155270560' 60001 2699520 2699521 100000000 154931043 154931044 > 37.vcf
    make_vcf ',length=156040895' 2781479 2781480 155701382 155701383 > 38.vcf
    make_vcf '' 1 155260000 > none.vcf
    in=122211 out=x22x11
    [ "$(codes --sex sex 37.vcf)" = "$in $in $out $out $out $in" ]
    [ "$(codes --sex sex 38.vcf)" = "$in $out $out $in" ]
    [ "$(codes --sex sex none.vcf)" = "$out $out" ]
    for layout in packed vcz; do
        gt-pack -qf --layout $layout 37.vcf -o $layout.zarr
    done
    [ "$(codes --sex sex vcz.zarr)" = "$in $in $out $out $out $in" ]
    [ "$(codes --sex sex --haploid 1 none.vcf)" = "x11x11 x11x11" ]
    [ "$(codes --sex sex --haploid 1 vcz.zarr)" = "121211 121211 x11x11 x11x11 x11x11 121211" ]
    # of a packed store 1/2 is two ALTs
    [ "$(codes --sex sex packed.zarr)" = "$in $in x22211 x22211 x22211 $in" ]
    [ "$(codes --sex sex --haploid 1 -r chrX:100000000 packed.zarr)" = "x11111" ]
    [ "$(codes --sex sex --split-multiallelic none.vcf)" = "x22x11 000x00 x22x11 000x00" ]
}

@test "--sex: what is no list of sexes, and where there is none" {
    make_bed
    gt-unpack -q x.bed -o x.vcf
    refused 3 "--sex auto: 'x.vcf' tells the sex of no sample" gt-pack --sex auto x.vcf -o y.zarr
    echo "S1" > one
    refused 3 "'one', line 1: 1 column" gt-pack --sex one x.vcf -o y.zarr
    printf 'S1 1\nS2 2\nS1 2\n' > twice
    refused 3 "'twice', line 3: sample 'S1' had another sex before" gt-pack --sex twice x.vcf -o y.zarr
    printf 'a 1\nb 2\n' > others
    refused 3 "'others' tells the sex of no sample of 'x.vcf'" gt-pack --sex others x.vcf -o y.zarr
    printf '#IID AGE\nS1 2\n' > header
    refused 3 "its header names no IID and SEX" gt-pack --sex header x.vcf -o y.zarr
    refused 1 "nothere" gt-pack --sex nothere x.vcf -o y.zarr
    refused 2 "--sex makes dosages" gt-pack --layout vcz --sex x.fam x.vcf -o y.zarr
    refused 2 "--sex is about dosages" gt-pdist --haplotypes --sex x.fam x.vcf -o y.tsv
    [ ! -e y.zarr ]
}
