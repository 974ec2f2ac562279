#!/usr/bin/env bats
# PLINK 2 .pgen: every form of record, against an encoder of our own and against plink2; lying files.

bats_require_minimum_version 1.5.0

setup() {
    cd "$BATS_TEST_TMPDIR" || exit 1
    chr22=$GT_TEST_DATA/vcf/1kg_phase3_chr22_16-16.5mb.vcf.gz
}

need() { command -v "$1" > /dev/null || skip "no $1"; }
need_data() { [ -e "$GT_TEST_DATA/README.md" ] || skip "no test data"; }
write() { "$PYTHON" "$GT_SOURCE/test/support/pgen_write.py" x "$@"; }
# The items of x.npy, without its header.
items() { tail -c +"$(($(od -An -tu2 -j8 -N2 "$1") + 11))" "$1"; }

# every_form SAMPLES...
every_form() {
    local seed=0
    for samples in "$@"; do
        seed=$((seed + 1))
        write $seed $samples 150
        gt-unpack -q -f x.pgen -o x.npy
        items x.npy | cmp - x.rows
    done
}

@test "every form of record, of 3, 64 and 257 samples" { every_form 3 64 257; }

@test "every form of record, odd numbers of samples, types of 4 and of 8 bits" {
    every_form 1 2 3 4 5 63 64 65 255 256 257 1000
    write 77 65537 40
    gt-unpack -q -f x -o x.npy
    items x.npy | cmp - x.rows
    for o in '-@ 1' '-@ 7 --memory 64M'; do
        # shellcheck disable=SC2086
        gt-unpack -q -f $o x -o y.npy
        cmp x.npy y.npy
    done
}

@test "plink2's records of 65 samples: phases, dosages, several ALTs" {
    need plink2
    local phased alts dosage
    while read -r phased alts dosage; do
        "$PYTHON" "$GT_SOURCE/test/support/pgen_vcf.py" write 65 60 7 "$phased" "$alts" "$dosage" > p.vcf
        # shellcheck disable=SC2046
        plink2 --silent --vcf p.vcf $([ "$dosage" = none ] || echo dosage=$dosage) --make-pgen --out p
        plink2 --silent --pfile p --export vcf-4.2 --out e
        "$PYTHON" "$GT_SOURCE/test/support/pgen_vcf.py" codes < e.vcf > e.rows
        gt-unpack -q -f p.pgen -o p.npy
        items p.npy | cmp - e.rows || { echo "$phased $alts $dosage"; return 1; }
    done << END
0.5 3 none
0.9 20 none
0.5 1 DS
1 1 HDS
END
}

@test "plink2's records at the borders of their sample indices: phases, dosages, several ALTs" {
    need plink2
    local n how alts dosage
    for n in 1 2 3 4 63 64 65 255 256 257 65535 65536 65537; do
        for how in '0 1 none' '0.5 3 none' '0.9 20 none' '0 1 DS' '0.5 1 DS' '1 1 HDS'; do
            [ $n -lt 65535 ] || [ "$how" = '0.5 3 none' ] || [ "$how" = '0.5 1 DS' ] || continue
            read -r phased alts dosage <<< "$how"
            "$PYTHON" "$GT_SOURCE/test/support/pgen_vcf.py" write $n $((n < 65535 ? 60 : 8)) 7 "$phased" "$alts" "$dosage" > p.vcf
            # shellcheck disable=SC2046
            plink2 --silent --vcf p.vcf $([ "$dosage" = none ] || echo dosage=$dosage) --make-pgen --out p
            plink2 --silent --pfile p --export vcf-4.2 --out e
            "$PYTHON" "$GT_SOURCE/test/support/pgen_vcf.py" codes < e.vcf > e.rows
            gt-unpack -q -f p.pgen -o p.npy || { echo "$n samples, $how"; return 1; }
            items p.npy | cmp - e.rows || { echo "$n samples, $how"; return 1; }
            [ "$alts" -eq 1 ] && [ "$n" -ge 255 ] || continue
            gt-sim -q -f --samples $n --variants 60 --seed 4 --missing 0.01 -O bed -o s.bed
            plink2 --silent --bfile s --make-pgen --out s
            gt-unpack -q -f s.pgen -o t.bed
            cmp s.bed t.bed
        done
    done
}

# Sites and calls of VCF on standard input, with the phase of heterozygous ones.
calls() { "$PYTHON" "$GT_SOURCE/test/support/pgen_vcf.py" calls "$@"; }

@test "which ALTs the calls of plink2's records have: 65 samples, of three ALTs and of 18" {
    need plink2
    need bcftools
    for how in '0.5 3 none' '0 18 none'; do
        # shellcheck disable=SC2086
        "$PYTHON" "$GT_SOURCE/test/support/pgen_vcf.py" write 65 30 5 $how > p.vcf
        plink2 --silent --vcf p.vcf --make-pgen --out p
        calls < p.vcf > want
        gt-unpack -q p.pgen | calls | cmp want -
        gt-pack -q -f --layout vcz p.pgen -o p.vcz
        gt-unpack -q p.vcz | calls | cmp want -
        gt-unpack -q -s s64,s3,s9 p.pgen | calls > got
        bcftools view -I -s s64,s3,s9 p.vcf | calls | cmp got -
    done
}

@test "which ALTs the calls of plink2's records have: to VCF, BCF, VCF Zarr and .pgen, and of some samples" {
    need plink2
    need bcftools
    local n how
    for n in 1 2 3 4 63 64 65 255 256 257 65535 65536 65537; do
        for how in '0 2 none' '0.5 3 none' '0.9 5 none' '0 18 none' '0.5 70 none'; do
            [ $n = 65 ] || [ $n = 256 ] || [ "$how" = '0.5 3 none' ] || continue
            # shellcheck disable=SC2086
            "$PYTHON" "$GT_SOURCE/test/support/pgen_vcf.py" write $n $((n < 65535 ? 30 : 6)) 5 $how > p.vcf
            plink2 --silent --vcf p.vcf --make-pgen --out p
            calls < p.vcf > want
            gt-unpack -q p.pgen | calls | cmp want - || { echo "$n samples, $how"; return 1; }
            gt-unpack -q -f p.pgen -o q.pgen
            gt-unpack -q q.pgen | calls | cmp want -
            [ $n -lt 65535 ] || continue
            gt-unpack -q -O bcf p.pgen | bcftools view | calls | cmp want -
            gt-pack -q -f --layout vcz p.pgen -o p.vcz
            gt-unpack -q p.vcz | calls | cmp want -
            [ $n = 65 ] || continue
            gt-unpack -q -s s64,s3,s9 p.pgen | calls > got
            bcftools view -I -s s64,s3,s9 p.vcf | calls | cmp got -
        done
    done
}

@test "ALTs of a .pgen count separately, and males have one of X, as in the VCF" {
    need plink2
    "$PYTHON" "$GT_SOURCE/test/support/pgen_vcf.py" write 40 400 5 0 4 none > p.vcf
    plink2 --silent --vcf p.vcf --make-pgen --out p
    gt-unpack -q p.pgen -o e.vcf
    local o
    for o in '-m weir-goudet' '-m ibs-prob --min 0' '-m king' '-m cityblock' '-m cityblock --polymorphic' '-m mismatches --maf 0.2'; do
        # shellcheck disable=SC2086
        gt-pdist -q $o p.pgen > got
        # shellcheck disable=SC2086
        gt-pdist -q $o e.vcf | cmp got - || { echo "$o"; return 1; }
    done
    awk '{ print "s" NR - 1, 1 + NR % 2 }' <(seq 40) > sexes
    sed -i 's/^1\t/X\t/; s/^##contig=<ID=1,.*/##contig=<ID=X,length=155270560>/' p.pvar e.vcf
    gt-pdist -q --sex sexes -m weir-goudet p.pgen > got
    gt-pdist -q --sex sexes -m weir-goudet e.vcf | cmp got -
    gt-info -q --stats samples --sex sexes p.pgen > got
    gt-info -q --stats samples --sex sexes e.vcf | cmp got -
    gt-info -q --stats variants p.pgen > got
    gt-info -q --stats variants e.vcf | cmp got -
}

@test "what is not known in a .psam is what plink2 writes to a .fam" {
    need plink2
    gt-sim -q --samples 6 --variants 5 -o s.bed
    plink2 --silent --bfile s --make-pgen --out x
    printf '#FID\tIID\tPAT\tMAT\tSEX\tPHENO1\nf\ta\t0\t0\tNA\tNA\nf\tb\t0\t0\t1\t2\nf\tc\ta\tb\tF\tNA\ng\td\t0\t0\tM\t1\ng\te\t0\t0\t2\t-9\ng\tf\t0\t0\t0\t1\n' > x.psam
    plink2 --silent --pfile x --make-bed --out their
    gt-unpack -q x.pgen -o ours.bed
    cmp ours.bed their.bed
    diff <(tr ' ' '\t' < ours.fam) <(tr ' ' '\t' < their.fam)
}

@test "a .pvar and .psam with CRLF are those without" {
    need plink2
    gt-sim -q --samples 9 --variants 30 --missing 0.05 -o s.bed
    plink2 --silent --bfile s --make-pgen --out x
    [ "$(grep -v '^##' x.pvar | cut -f 5- | head -n 1)" = ALT ] # the last column
    sed -i 's/$/\r/' x.pvar x.psam
    gt-unpack -q x.pgen -o have.bed
    plink2 --silent --pfile x --make-bed --out their
    cmp have.bed s.bed
    cmp have.bim s.bim
    cmp <(cut -f 1,2,4- have.bim) <(cut -f 1,2,4- their.bim)
    cmp <(cut -f 2 have.fam) <(cut -f 2 their.fam)
}

@test "missing_rate and counts are those of the .bed, whatever the pad bits" {
    need plink2
    local n
    for n in 5 6 7 257; do
        "$PYTHON" "$GT_SOURCE/test/support/pgen_vcf.py" write $n 100 6 0 1 none > s.vcf
        plink2 --silent --vcf s.vcf --make-pgen --out s
        plink2 --silent --vcf s.vcf --make-bed --out s
        # the types of records, a digit each: all homozygous for ALT but a list (6), all missing but a list (7)
        od -An -tx1 -v -j20 -N50 s.pgen | tr -d ' \n' > types
        grep -q 6 types
        grep -q 7 types
        for kind in variants samples; do
            gt-info -q --stats $kind s.bed > want
            gt-info -q --stats $kind s.pgen | cmp - want
        done
    done
}

@test "more than a block of records, and parts of them" {
    write 5 9 70000
    gt-unpack -q -f x.pgen -o x.npy
    items x.npy | cmp - x.rows
    gt-unpack -q -f --slice 65530:65545 x.pgen -o y.npy
    items y.npy | cmp - <(tail -c +$((65530 * 9 + 1)) x.rows | head -c $((15 * 9)))
}

@test "QUAL and FILTER of a .pvar: in any order of columns, into a store and through --pass; damaged ones" {
    write 3 4 7
    sites() {
        printf '##FILTER=<ID=q10,Description="ten">\n#CHROM\tFILTER\tPOS\tID\tREF\tALT\tINFO\tQUAL\n'
        local v=0
        for f in q10 PASS . 'q10;s50' PASS late PASS; do
            v=$((v + 1))
            printf '1\t%s\t%d\tv%d\tA\tC\tX=1\t%s\n' "$f" $((v * 10)) $v "$1"
        done
    }
    sites 1.25 | sed '5s/1.25/./' > x.pvar
    gt-pack -q x.pgen -o x.zarr
    for from in x.pgen x.zarr; do
        [ "$(gt-unpack -q --no-version $from | grep -v '^#' | cut -f 6,7 | tr '\t\n' ' ,')" = '1.25 q10,1.25 PASS,. .,1.25 q10;s50,1.25 PASS,1.25 late,1.25 PASS,' ]
        [ "$(gt-unpack -q --no-version --pass $from | grep -vc '^#')" -eq 3 ]
    done
    sites 1.25 | cut -f 1,3- > x.pvar
    [ "$(gt-unpack -q --no-version x.pgen | grep -v '^#' | cut -f 6,7 | sort -u)" = "$(printf '1.25\t.')" ]
    run ! --separate-stderr gt-unpack -q --pass x.pgen
    grep -q "needs FILTERs" <<< "$stderr"
    sites 1.25 | sed 's/q10;s50/;s50/' > x.pvar
    refused "x.pvar', line 6: a FILTER is empty"
    sites 1.25 | sed '7s/1.25/1,25/; 4s/^/\n/' > x.pvar # an empty line is counted too
    run ! --separate-stderr gt-unpack -q x.pgen
    grep -q "x.pvar', line 8: QUAL is not a number" <<< "$stderr"
}

@test "--layout vcz: sites, INFO and calls are those of the VCF that says the same" {
    "$PYTHON" -c 'import zarr, numpy' 2> /dev/null || skip "no python3-zarr"
    write 8 9 40
    printf '%s\n' '#IID' s{0..8} > x.psam
    {
        printf '##fileformat=PVARv1.0\n##contig=<ID=1,length=5000>\n##INFO=<ID=X,Number=.,Type=Integer,Description="of x">\n'
        printf '##INFO=<ID=F,Number=0,Type=Flag,Description="f">\n##INFO=<ID=END,Number=1,Type=Integer,Description="end">\n'
        printf '##FILTER=<ID=q10,Description="ten">\n##chrSet=<autosomePairCt=22,X,Y>\n##made=by hand\n'
    } > meta
    {
        cat meta
        printf '#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\n'
        for ((v = 1; v <= 40; v++)); do
            printf '%d\t%d\tv%d\tA\tC\t%d.5\t%s\t%s\n' $((1 + v / 30)) $v $v $v "$([ $((v % 3)) -eq 0 ] && echo q10 || echo PASS)" \
                "$([ $((v % 4)) -eq 0 ] && echo . || echo "X=$v,$((v * v * 99));END=$((v + 3));F")"
        done
    } > x.pvar
    gt-unpack -q x.pgen | grep -v '^#' | cut -f 9- > calls
    {
        grep -v 'PVAR\|chrSet' meta | sed '1i ##fileformat=VCFv4.3'
        printf '##contig=<ID=2>\n##FORMAT=<ID=GT,Number=1,Type=String,Description="Genotype">\n'
        printf '#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\ts0\ts1\ts2\ts3\ts4\ts5\ts6\ts7\ts8\n'
        grep -v '^#' x.pvar | paste - calls
    } > x.vcf
    for options in '' '-s s7,s2,s3 --maf 0.2' '--chunks variants=7,samples=4 -r 1:5-20 --pass'; do
        # shellcheck disable=SC2086
        for from in pgen vcf; do gt-pack -q -f --no-version --layout vcz $options x.$from -o $from.vcz; done
        "$PYTHON" "$GT_SOURCE/test/support/vcz_same.py" pgen.vcz vcf.vcz
    done
    gt-pack -q -f x.pgen -o x.zarr
    gt-unpack -q x.zarr | grep '^##made=by hand'
    gt-unpack -q x.zarr | grep -q '^##contig=<ID=1,length=5000>'
    gt-unpack -q x.pgen | grep -q '^##FILTER=<ID=q10,Description="ten">'
    gt-unpack -q x.zarr -o b.bed
    gt-pack -q -f --no-version --layout vcz b.bed -o bed.vcz
    gt-info --check bed.vcz > /dev/null
    [ "$(gt-unpack -q bed.vcz | grep -v '^#' | cut -f 9-)" = "$(cat calls)" ]
    sed -i 's/\tC\t7.5/\tC,G\t7.5/' x.pvar # no call has the second ALT
    gt-pack -q -f --layout vcz x.pgen -o pgen.vcz
    [ "$(gt-unpack -q pgen.vcz | grep -v '^#' | cut -f 9-)" = "$(cat calls)" ]
    sed -i 's/ID=F,Number=0/ID=F,IDX=4000000000,Number=0/' x.pvar
    gt-pack -f x.pgen -o x.zarr 2> said
    grep -q "its header is dropped" said
}

@test "QUAL and FILTER are those of the VCF that plink2 made a .pgen of" {
    need plink2
    need bcftools
    need_data
    for f in "$chr22" "$GT_TEST_DATA/vcf/edge/sample.vcf.gz" "$GT_TEST_DATA/vcf/pinf_sc50.vcf.gz"; do
        bcftools view --no-version -m2 -M2 "$f" | bcftools annotate --no-version --set-id '%CHROM-%POS' > p.vcf
        plink2 --vcf p.vcf --make-pgen --allow-extra-chr --vcf-half-call m --max-alleles 2 --out p > log
        gt-pack -q -f p.pgen -o p.zarr
        gt-unpack -q p.zarr | grep -v '^#' | cut -f 1-7 > got
        bcftools view -H p.vcf | cut -f 1-7 | cmp - got
    done
}

@test "sites and samples are those of .pvar and .psam" {
    write 3 4 7
    gt-unpack -q --no-version x.pgen | grep -v '^##' | cut -f 1-5,10- > got
    [ "$(sed -n 1p got | cut -f 6-)" = "$(printf 's0\ts1\ts2\ts3')" ]
    [ "$(sed -n 7p got | cut -f 1-5)" = "$(printf '2\t6\tv5\tA\tC')" ]
    gt-unpack -q x.pgen -o b.bed
    [ "$(sed -n 2p b.fam)" = "$(printf '0\ts1\t0\t0\t1\t-9')" ] || [ "$(tr ' ' '\t' < b.fam | sed -n 2p)" = "$(printf '0\ts1\t0\t0\t1\t-9')" ]
    printf '#FID IID SID PAT MAT SEX PHENO1\nf a 1 p m 2 1.5\nf b 1 0 0 NA NONE\ng c 1 0 0 1 NA\ng d 2 0 0 0 -9\n' > x.psam
    printf '#CHROM\tID\tALT\tREF\tPOS\n' > x.pvar
    for v in 1 2 3 4 5 6; do printf 'X\tr%d\tC,<DEL>\tAG\t%d\n' $v $((v * 10)) >> x.pvar; done
    printf 'Y\t.\t.\tN\t5\n' >> x.pvar
    gt-unpack -q --skip-multiallelic x.pgen -f -o b.bed
    [ "$(wc -l < b.bim)" -eq 1 ]
    tr ' ' '\t' < b.fam | diff - <(printf '%s\t%s\t%s\t%s\t%s\t%s\n' f a p m 2 1.5 f b 0 0 0 -9 g c 0 0 1 -9 g d 0 0 0 -9)
    [ "$(gt-unpack -q x.pgen | grep -c 'C,<DEL>')" -eq 6 ]
    gt-pack -q x.pgen -o x.zarr
    gt-info --head 1 x.zarr/variant_allele | grep -q DEL
}

@test "plink2's own files: real data, phased, multiallelic, .zst, rows of one length, a .bed" {
    need plink2
    need_data
    plink2 --silent --vcf "$chr22" --max-alleles 2 --make-pgen --out a
    plink2 --silent --pfile a --make-bed --out a
    run --separate-stderr gt-unpack a.pgen -o b.bed
    [ "$status" -eq 0 ]
    grep -q "only hard calls are read; phases are ignored" <<< "$stderr"
    cmp a.bed b.bed
    cmp <(cut -f 1,2,4- a.bim) <(cut -f 1,2,4- b.bim)
    plink2 --silent --vcf "$chr22" --make-pgen vzs erase-phase --out m
    gt-unpack -q m -o m.npy
    gt-unpack -q "$chr22" -o v.npy
    cmp m.npy v.npy
    plink2 --silent --pfile a --make-pgen format=2 --out f
    gt-unpack -q -f f.pgen -o b.bed
    cmp a.bed b.bed
    cp a.bed a.pgen
    gt-unpack -q -f a.pgen -o b.bed
    cmp a.bed b.bed
}

@test "plink2's records of made-up data: any frequency, any share missing, in blocks that are alike" {
    need plink2
    for o in '--missing 0' '--missing 0.5' '--missing 0.01 --ld 20' '--missing 0.99'; do
        # shellcheck disable=SC2086
        gt-sim -q -f --samples 333 --variants 3000 --seed 4 $o -O bed -o s.bed
        plink2 --silent --bfile s --make-pgen --out s
        gt-unpack -q -f s.pgen -o t.bed
        cmp s.bed t.bed
        gt-pack -q -f s.pgen -o s.zarr
        gt-unpack -q -f s.zarr -o t.bed
        cmp s.bed t.bed
    done
}

# Exit 3 and one line that holds $1, from what x.pgen is.
refused() {
    local text=$1
    run --separate-stderr gt-unpack x.pgen -o y.npy
    [ "$status" -eq 3 ] || { echo "exit $status: $stderr"; return 1; }
    grep -q -- "$text" <<< "$stderr" || { echo "no '$text': $stderr"; return 1; }
    [ ! -e y.npy ]
}

@test "truncated and lying files are refused by name" {
    write 9 20 30
    cp x.pvar whole.pvar
    cp x.psam whole.psam
    cp x.pgen whole.pgen
    write 9 20 30 cut 1
    refused "truncated"
    printf 'x' | cat whole.pgen - > x.pgen
    refused "is too long"
    cp whole.pgen x.pgen
    sed -i '$d' x.psam
    refused "has 20 samples, but its .psam has 19"
    cp whole.psam x.psam
    sed -i '$d' x.pvar
    refused "has 30 variants, but its .pvar has 29"
    sed 's/\tA\tC/\tA\tC,/' whole.pvar > x.pvar
    refused "x.pvar', line $(grep -n -m 1 -v '^#' whole.pvar | cut -d : -f 1): an empty column or allele"
    grep -v '^#' whole.pvar | sed 's/\t[^\t]*$//' | cat <(printf '#CHROM\tPOS\tREF\tALT\n') - > x.pvar
    refused "its header has no column ID"
    cp whole.pvar x.pvar
    printf '\x6c\x1b\x03' > x.pgen
    refused "fixed-width dosages is not supported"
    printf '\x6c\x1b\x11' > x.pgen
    refused "storage mode 0x11 is not supported"
    head -c 11 whole.pgen > x.pgen
    refused "truncated"
    printf '#SID\na\n' > x.psam
    cp whole.pgen x.pgen
    refused "the header has no column IID"
    run ! --separate-stderr gt-unpack - < whole.pgen
    grep -q "its .pvar and .psam are needed" <<< "$stderr"
}

@test "no byte that is wrong crashes it: an error, or other genotypes" {
    local at
    for ((at = 0; at < 400; at += 7)); do
        write 11 37 12 damage $at
        run --separate-stderr timeout 20 gt-unpack -q -f x.pgen -o y.npy
        [ "$status" -eq 0 ] || [ "$status" -eq 3 ] || { echo "byte $at: exit $status: $stderr"; return 1; }
    done
}
