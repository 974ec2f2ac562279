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

# dressed 'SEXES' ARG...: x.bed of so many contigs as ARG say, which are called 1, X, Y, XY, MT; SEXES: awk for each sample's.
dressed() {
    local sexes=$1
    shift
    gt-sim -q --missing 0.1 "$@" -o x.bed
    sed -i 's/^2\t/X\t/; s/^3\t/Y\t/; s/^4\t/XY\t/; s/^5\t/MT\t/' x.bim
    awk -v OFS='\t' "{\$5 = $sexes; print}" x.fam > y && mv y x.fam
}

make_bed() { dressed 'NR % 3' --samples 41 --variants 400 --contigs 4 --seed 7; }

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
    grep -q '14 males, 14 females and 13 samples of unknown sex' said
    grep -q 'calls heterozygous on a haploid chromosome, set to missing' said
}

@test "--sex: the pseudoautosomal regions of GRCh37 and GRCh38, haploid calls" {
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
    # of a packed store 1/2 is two ALTs
    [ "$(codes --sex sex packed.zarr)" = "$in $in x22211 x22211 x22211 $in" ]
    [ "$(codes --sex sex --split-multiallelic none.vcf)" = "x22x11 000x00 x22x11 000x00" ]
}

@test "--sex: what is no list of sexes, and where there is none" {
    make_bed
    gt-unpack -q x.bed -o x.vcf
    refused 3 "--sex auto: 'x.vcf' has no sex for any sample" gt-pack --sex auto x.vcf -o y.zarr
    echo "S1" > one
    refused 3 "'one', line 1: 1 column" gt-pack --sex one x.vcf -o y.zarr
    printf 'S1 1\nS2 2\nS1 2\n' > twice
    refused 3 "'twice', line 3: sample 'S1' has another sex above" gt-pack --sex twice x.vcf -o y.zarr
    printf 'a 1\nb 2\n' > others
    refused 3 "'others' has no sex for any sample of 'x.vcf'" gt-pack --sex others x.vcf -o y.zarr
    printf '#IID AGE\nS1 2\n' > header
    refused 3 "its header has no columns IID and SEX" gt-pack --sex header x.vcf -o y.zarr
    refused 1 "nothere" gt-pack --sex nothere x.vcf -o y.zarr
    refused 2 "--sex changes how allele counts are made" gt-pack --layout vcz --sex x.fam x.vcf -o y.zarr
    refused 2 "--sex cannot be combined with --haplotypes" gt-pdist --haplotypes --sex x.fam x.vcf -o y.tsv
    [ ! -e y.zarr ]
}

# Filters, as PLINK 2 counts for them; contigs that differ in how often who has them.
more_contigs() { dressed 'NR * 7 % 5 % 3' --samples 60 --variants 250 --contigs 5 --fst 0.2 --pops 3 --seed 6; }

@test "sexes: --maf, --mac, --geno, --hwe and --mind keep what plink2 keeps on X, Y, XY and MT" {
    need_plink2
    more_contigs
    plink2 --bfile x --set-hh-missing --make-bed --silent --out h > /dev/null
    gt-pack -q x.bed -o x.zarr
    n=0
    for how in "--maf 0.1" "--maf 0.3" "--mac 5" "--mac 20" "--geno 0.1" "--geno 0.05" "--hwe 0.1" "--hwe 0.01" "--mind 0.1" \
        "--mind 0.12 --geno 0.12 --hwe 0.05 --maf 0.05"; do
        # by the .fam's sexes alone, where a heterozygote of one copy counts half, and with --sex, where it is missing
        for from in x "--sex auto x" "--sex h.fam x.zarr" "x.zarr"; do
            set=x
            [[ $from != *--sex* ]] || set=h
            rm -f their.*
            plink2 --bfile $set --nonfounders $how --write-snplist --write-samples --silent --out their > /dev/null 2>&1 || true
            gt-unpack -qf $how ${from/%x/x.bed} -o ours.bed
            diff <(cut -f2 ours.bim) their.snplist || { echo "$how $from"; return 1; }
            diff <(cut -f2 ours.fam) <(sed 1d their.id | awk '{print $NF}') || { echo "$how $from"; return 1; }
            [ "$(wc -l < their.snplist)" -eq 250 ] || n=$((n + 1))
        done
    done
    [ $n -gt 30 ] # they had something to do
    # two files side by side count as one
    awk '{print $1, $2}' x.fam | head -25 > a
    awk '{print $1, $2}' x.fam | tail -35 > b
    gt-unpack -q -S a x.bed -o a.bed
    gt-unpack -q -S b x.bed -o b.bed
    for how in "--maf 0.3" "--mac 20" "--geno 0.1 --mind 0.11" "--hwe 0.1" "--maf 0.3 --hwe 0.1"; do
        gt-unpack -qf --sex auto $how x.bed -o one.bed
        gt-unpack -qf --sex auto --concat samples $how a.bed b.bed -o two.bed
        cmp one.bed two.bed
        cmp one.bim two.bim
        cmp one.fam two.fam
    done
}

@test "sexes: counts of a few calls" {
    # m m m f u f: 3 of the 4 alleles of x are known to be G in males, ...
    printf '##fileformat=VCFv4.2\n##contig=<ID=X>\n##contig=<ID=Y>\n##contig=<ID=MT>\n##FORMAT=<ID=GT,Number=1,Type=String,Description="x">\n' > x.vcf
    printf '#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\tm1\tm2\tm3\tf1\tu\tf2\n' >> x.vcf
    printf 'X\t9\tx\tA\tG\t.\t.\t.\tGT\t1/1\t1\t0/0\t0/1\t0/0\t./.\n' >> x.vcf  # 3 G of 7
    printf 'Y\t9\ty\tA\tG\t.\t.\t.\tGT\t1/1\t./.\t0\t./.\t1/1\t./.\n' >> x.vcf # 1 G of 2, one of three males missing
    printf 'MT\t9\tm\tA\tG\t.\t.\t.\tGT\t1/1\t0/1\t0/0\t0/0\t0\t0/0\n' >> x.vcf # 1.5 G of 6
    printf 'm1 1\nm2 M\nm3 1\nf1 2\nf2 F\nnobody 1\n' > sex
    kept() { gt-unpack -q --sex sex "$@" x.vcf | grep -v '^#' | cut -f3 | tr '\n' ' '; }
    [ "$(kept --maf 0.42)" = "x y " ]
    [ "$(kept --maf 0.43)" = "y " ]
    [ "$(kept --geno 0.33)" = "x m " ]
    [ "$(kept --geno 0.34)" = "x y m " ]
    [ "$(kept --mac 3)" = "x " ]
    [ "$(kept --mac 1)" = "x y m " ]
    [ "$(kept --mac 2)" = "x " ]
    # Y says nothing of f1 and f2; of u neither
    [ "$(gt-unpack -q --sex sex --mind 0.4 x.vcf | grep '^#C' | cut -f10-)" = $'m1\tm2\tm3\tf1\tu' ]
    # without sexes nothing is special
    [ "$(gt-unpack -q --maf 0.3 x.vcf | grep -v '^#' | cut -f3 | tr '\n' ' ')" = "x y " ]
    [ "$(gt-unpack -q --geno 0.3 x.vcf | grep -v '^#' | cut -f3 | tr '\n' ' ')" = "x m " ]
    gt-unpack --sex sex x.vcf -o o.vcf 2> said
    grep -q '3 males, 2 females and 1 sample of unknown sex' said
    grep -q "1 sample not in 'sex'" said
    grep -q "1 line of 'sex' names samples that the input does not have" said
    grep -q 'contig X has the length of neither GRCh37 nor GRCh38' said
    # those that are selected are told, and -s takes none of the others
    gt-unpack -f --sex sex -s m1,f1,m2 x.vcf -o o.vcf 2> said
    grep -q '2 males, 1 female and 0 samples of unknown sex' said
    run ! grep -q "not in 'sex'" said
    gt-unpack -f --sex sex -s u,f1 x.vcf -o o.vcf 2> said
    grep -q '0 males, 1 female and 1 sample of unknown sex' said
    grep -q "1 sample not in 'sex'" said
    sed -i 's/ID=X>/ID=X,length=156040895>/' x.vcf
    gt-unpack -f --sex sex x.vcf -o o.vcf 2> said
    run ! grep -q 'length of neither' said
}

@test "sexes: --mind of files by contig, in any order, is that of one file" {
    make_bed
    for contig in 1 X Y XY; do gt-unpack -q -r $contig x.bed -o c$contig.bed; done
    for mind in 0.08 0.1 0.11 0.12; do
        gt-unpack -qf --mind $mind x.bed -o whole.bed
        for order in "1 X Y XY" "Y 1 XY X" "XY X Y 1"; do
            # shellcheck disable=SC2086
            gt-unpack -f --mind $mind $(printf 'c%s.bed ' $order) -o parts.bed 2> said
            cmp whole.fam parts.fam || { echo "$mind: $order"; return 1; }
            # of those that are kept
            [ "$(awk '{ n[$5]++ } END { print n[1] + 0, n[2] + 0, n[0] + 0 }' parts.fam)" = \
                "$(sed -n 's/.*: \([0-9]*\) males*, \([0-9]*\) females* and \([0-9]*\) samples* of unknown sex.*/\1 \2 \3/p' said)" ]
        done
    done
    [ "$(wc -l < whole.fam)" -lt 41 ]
    [ "$(wc -l < whole.fam)" -gt 0 ]
}

@test "sexes: files by contig that contradict each other are refused, unless --sex says who is what" {
    make_bed
    for contig in 1 X Y; do gt-unpack -q -r $contig x.bed -o c$contig.bed; done
    awk -v OFS='\t' '$2 == "S5" || $2 == "S8" {$5 = 3 - $5} {print}' cY.fam > y
    mv y cY.fam
    for what in "gt-info --stats variants" "gt-unpack -f --geno 0.1 -o o.vcf" "gt-pack -f --sex auto -o o.zarr"; do
        refused 3 "sample 'S5' is female in 'cX.bed' but male in 'cY.bed'" $what cX.bed cY.bed
    done
    gt-unpack -q -f --sex x.fam --geno 0.1 c1.bed cX.bed cY.bed -o o.vcf
    gt-unpack -q -f c1.bed cX.bed cY.bed -o o.vcf # where nothing goes by sexes
    awk -v OFS='\t' '{$5 = 0; print}' cY.fam > y
    mv y cY.fam
    gt-unpack -q -f --geno 0.1 c1.bed cX.bed cY.bed -o o.vcf # not known is no contradiction
}
