#!/usr/bin/env bats
# gt-unpack -O pgen: what plink2 reads of it.

bats_require_minimum_version 1.5.0

. "$GT_SOURCE/test/support/genotypes.bash"

made() { "$PYTHON" "$GT_SOURCE/test/support/pgen_vcf.py" write "$@"; }
# Sites and calls of a VCF, unphased, haploid calls as homozygous ones.
calls() { "$PYTHON" "$GT_SOURCE/test/support/pgen_vcf.py" calls; }
# plink2 finds no fault in out.pgen, and exports what is in the VCF $1.
same_calls() {
    plink2 --silent --pfile out --validate --out v || { cat v.log; return 1; }
    plink2 --silent --pfile out --export vcf-4.2 --out e || { cat e.log; return 1; }
    calls < "$1" > want
    calls < e.vcf | cmp want -
}

@test "plink2 exports the calls of the VCF, at the borders of sample indices, with any number of ALTs" {
    need plink2
    local n alts
    for n in 1 2 3 4 63 64 65 255 256 257 65535 65536 65537; do
        for alts in 1 2 3 5 18; do
            [ $alts = 3 ] || [ $n = 65 ] || [ $n = 256 ] || continue
            made $n $((n < 65535 ? 40 : 6)) 9 0.5 $alts none > p.vcf
            gt-unpack -q -f p.vcf -o out.pgen
            same_calls p.vcf || { echo "$n samples, $alts ALTs"; return 1; }
            plink2 --silent --vcf p.vcf --make-pgen erase-phase --out t
            [ "$(wc -c < out.pgen)" -le $(($(wc -c < t.pgen) * 101 / 100)) ] || { ls -l out.pgen t.pgen; return 1; }
        done
    done
    made 40 30 3 0 120 none > p.vcf
    gt-unpack -q -f p.vcf -o out.pgen
    same_calls p.vcf
}

@test "plink2 --make-bed of a .pgen is the .bed: any frequency, missing calls, linkage, more than a block of records" {
    need plink2
    local o
    for o in '--samples 333 --variants 3000 --missing 0.5' '--samples 130 --variants 3000 --ld 20' '--samples 1000 --variants 500 --missing 0.99' \
        '--samples 20 --variants 70000 --missing 0.01'; do
        # shellcheck disable=SC2086
        gt-sim -q -f --seed 4 $o -O bed -o s.bed
        gt-unpack -q -f s.bed -o out.pgen
        plink2 --silent --pfile out --make-bed --out t
        cmp s.bed t.bed
        cmp <(cut -f 1,2,4- s.bim) <(cut -f 1,2,4- t.bim)
        cmp <(tr ' ' '\t' < s.fam) <(tr ' ' '\t' < t.fam)
        gt-unpack -q -f -@ 3 -O pgen s.bed -o two
        cmp out.pgen two.pgen
        gt-unpack -q -f out.pgen -o u.bed
        cmp s.bed u.bed
    done
    # next to each other, and once more
    gt-unpack -q -f s.bed -o s.pgen
    gt-unpack -q s.bed -o s.pgen
    cmp s.pgen out.pgen
    gt-unpack -q s.pgen -o s.bed
    cmp s.bed u.bed
    run -2 --separate-stderr gt-unpack -q s.pgen -o s.pgen
    # whether REF is the reference allele is not known
    [ "$(od -An -tx1 -j11 -N1 out.pgen)" = " 82" ] || [ "$(od -An -tx1 -j11 -N1 out.pgen)" = " 80" ]
}

@test "real data: a VCF, VCF Zarr, BCF, with the sites; no larger than plink2's file" {
    need plink2
    need bcftools
    need_data
    plink2 --silent --vcf "$chr22" --make-pgen erase-phase --out t
    gt-pack -q --layout vcz "$chr22" -o c.vcz
    bcftools view -Ob -o c.bcf "$chr22"
    gt-unpack -q "$chr22" -o out.pgen
    same_calls <(bcftools view "$chr22")
    cmp <(bcftools view -H "$chr22" | cut -f 1-7) <(grep -v '^#' out.pvar)
    [ "$(wc -c < out.pgen)" -le "$(wc -c < t.pgen)" ]
    for from in c.vcz c.bcf; do
        gt-unpack -q -f -@ 2 $from -o other.pgen
        cmp out.pgen other.pgen
        cmp out.psam other.psam
        cmp <(grep -v '^##' out.pvar) <(grep -v '^##' other.pvar)
    done
    # differences from other records, in the same row group
    gt-unpack -q -f --biallelic c.vcz -o b.bed
    gt-unpack -q -f b.bed -o out.pgen
    plink2 --silent --bfile b --make-pgen --out t
    [ "$(wc -c < out.pgen)" -le "$(wc -c < t.pgen)" ]
    plink2 --silent --pfile out --make-bed --out t
    cmp b.bed t.bed
}

@test "haploid and half calls, filters, families" {
    need plink2
    small_vcf > x.vcf
    gt-unpack -q --half-call reference x.vcf -o out.pgen
    printf '1\t10\trs1\tA\tC\t0/0\t0/1\t1/1\t.\n1\t20\t.\tA\tC,G\t0/0\t0/2\t1/2\t0/1\n1\t30\trs3\tAT\tA\t1/1\t.\t0/0\t1/1\n' > want
    plink2 --silent --pfile out --export vcf-4.2 --out e
    calls < e.vcf | diff want -
    grep -q '^##FILTER=<ID=q10' out.pvar
    [ "$(grep -v '^#' out.pvar | cut -f 6,7 | tr '\t\n' ' ,')" = '30.5 PASS,. q10,50 .,' ]
    # of one allele each
    { header && columns a b && printf '1\t10\t.\tA\tC,G\t.\t.\t.\tGT\t1\t2\n1\t20\t.\tA\tC\t.\t.\t.\tGT\t0\t.\n'; } > h.vcf
    gt-unpack -q -f h.vcf -o out.pgen
    plink2 --silent --pfile out --export vcf-4.2 --out e
    [ "$(calls < e.vcf | cut -f 6- | tr '\t\n' ' ,')" = '1/1 2/2,0/0 .,' ]
    printf 'F1 a 0 0 1 2\nF1 b 0 0 2 1\nF2 c a b 0 -9\n' > s.fam
    gt-sim -q --samples 3 --variants 5 -O bed -o sim.bed
    cp sim.bed s.bed
    cp sim.bim s.bim
    gt-unpack -q -f s.bed -o out.pgen
    plink2 --silent --pfile out --make-just-fam --out e
    cmp <(tr ' ' '\t' < s.fam) <(tr ' ' '\t' < e.fam)
}

@test "what it refuses; nothing is left" {
    small_vcf > x.vcf
    gt-pack -q --half-call missing x.vcf -o packed.zarr
    refused 3 "1:20 is multiallelic" gt-unpack packed.zarr -o out.pgen
    gt-unpack -q --skip-multiallelic packed.zarr -o p.pgen
    refused 2 "needs -o PREFIX" gt-unpack -O pgen packed.zarr
    refused 2 "contradicts" gt-unpack -O bed packed.zarr -o out.pgen
    refused 2 "a PLINK .pvar, which gt-unpack does not write" gt-unpack packed.zarr -o out.pvar
    made 3 400 3 0 300 none > many.vcf
    refused 3 "alleles; a .pgen is written with at most 128" gt-unpack many.vcf -o out.pgen
    mkdir out.pvar
    run ! --separate-stderr gt-unpack --skip-multiallelic packed.zarr -o out.pgen
    [ ! -e out.pgen ] && [ ! -e out.psam ]
    rmdir out.pvar
    cp x.vcf cut.vcf
    printf '1\t40\tx\n' >> cut.vcf
    run -3 --separate-stderr gt-unpack --half-call missing cut.vcf -o out.pgen
    [ -z "$(outs)" ]
}

@test "haploid data: the ALT of each call" {
    need plink2
    {
        printf '##fileformat=VCFv4.2\n##contig=<ID=1>\n##FORMAT=<ID=GT,Number=1,Type=String,Description="x">\n'
        printf '#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\ta\tb\tc\td\te\n'
        printf '1\t10\tx\tA\tC,G,T\t.\t.\t.\tGT\t1\t0\t2\t.\t3\n'
    } > h.vcf
    plink2 --silent --vcf h.vcf --make-pgen --out h
    printf '1\n0\n2\n.\n3\n' > want
    for to in vcf bcf; do
        gt-unpack -q -f --ploidy 1 h.pgen -o "h1.$to"
        bcftools query -f '[%GT\n]' "h1.$to" | cmp want -
    done
}

@test "more than 128 alleles: an error, not other alleles" {
    need plink2
    made 40 60 5 0 150 none > p.vcf
    plink2 --silent --vcf p.vcf --make-pgen --out p
    for to in vcf bcf pgen; do
        run -3 --separate-stderr gt-unpack -q -f p.pgen -o "o.$to"
        [[ $stderr =~ ' alleles; ' ]]
        [ ! -e "o.$to" ]
        gt-unpack -q -f --max-alleles 128 p.pgen -o "o.$to"
    done
    run -3 gt-pack -q --layout vcz p.pgen -o o.zarr
    [ ! -e o.zarr ]
}

@test "multiallelic .pgen beside other inputs, in any order; VCF whose calls are made anew" {
    made 30 200 7 0 3 none > m.vcf
    gt-unpack -q m.vcf -o m.pgen
    gt-sim -q --samples 30 --variants 50 --seed 2 -O bed -o s.bed
    awk '{ print "0", "s" NR - 1, 0, 0, 0, -9 }' s.fam > t.fam && mv t.fam s.fam
    sed 's/^1\t/2\t/' s.bim > t.bim && mv t.bim s.bim
    gt-unpack -q m.pgen s.bed -o two.vcf
    calls < m.vcf > want
    grep -v '^2' two.vcf | calls | cmp want -
    for rule in '--half-call missing' '--ploidy 2' '--polyploid missing'; do
        # shellcheck disable=SC2086
        gt-unpack -q -f $rule m.vcf -o again.vcf
        calls < again.vcf | cmp want -
    done
}

@test "multiallelic .pgen at the ceiling that the plan names" {
    made 3000 300 8 0 2 none > m.vcf
    gt-unpack -q m.vcf -o m.pgen
    local to needed memory
    for to in vcf pgen bcf; do
        gt-unpack -q -f m.pgen -@ 2 -o "free.$to"
        needed=$(gt-unpack -f m.pgen -@ 2 -o "o.$to" -n | sed -n 's/^memory *\([0-9]*\)M needed.*/\1/p')
        for memory in "$needed" $((needed + 1)) $((needed * 5 / 4)); do
            gt-unpack -q -f m.pgen --no-version -@ 2 -o "o.$to" --memory "${memory}M"
        done
        [ "$to" = pgen ] || cmp <(bcftools view -H "free.$to") <(bcftools view -H "o.$to")
        [ "$to" != pgen ] || cmp free.pgen o.pgen
    done
}
