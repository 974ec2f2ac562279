#!/usr/bin/env bats
# gt-unpack -O pgen: what plink2 reads of it.

bats_require_minimum_version 1.5.0

. "$GT_SOURCE/test/support/genotypes.bash"

made() { "$PYTHON" "$GT_SOURCE/test/support/pgen_vcf.py" write "$@"; }
# Sites and calls of a VCF, haploid calls as homozygous ones, with the phase of heterozygous ones.
calls() { "$PYTHON" "$GT_SOURCE/test/support/pgen_vcf.py" calls "$@"; }
# plink2 finds no fault in out.pgen, and exports what it exports of t.pgen, which it makes of the VCF $1: that VCF's calls, but
# plink2 2.00a3.5 exports some unphased calls of two ALTs as phased, which gt-unpack does not.
same_calls() {
    cat "$1" > same.vcf
    calls < same.vcf > want
    plink2 --silent --pfile out --validate --out v || { cat v.log; return 1; }
    plink2 --silent --pfile out --export vcf-4.2 --out e || { cat e.log; return 1; }
    plink2 --silent --vcf same.vcf --make-pgen --out t || { cat t.log; return 1; }
    plink2 --silent --pfile t --export vcf-4.2 --out f || { cat f.log; return 1; }
    cmp <(grep -v '^##' e.vcf | cut -f 1-5,10-) <(grep -v '^##' f.vcf | cut -f 1-5,10-)
    cmp <(calls unphased < same.vcf) <(calls unphased < e.vcf)
    gt-unpack -q -f out.pgen -o back.vcf
    calls < back.vcf | cmp want -
    gt-unpack -q -f t.pgen -o back.vcf
    calls < back.vcf | cmp want -
}

# Of N samples and ALTS: the calls that plink2 exports are those of the VCF.
exported() {
    made "$1" $(($1 < 65535 ? 40 : 2)) 9 0.5 "$2" none > p.vcf
    gt-unpack -q -f p.vcf -o out.pgen
    same_calls p.vcf || { echo "$1 samples, $2 ALTs"; return 1; }
    [ "$(wc -c < out.pgen)" -le $(($(wc -c < t.pgen) * 101 / 100)) ] || { ls -l out.pgen t.pgen; return 1; }
}

@test "plink2 exports the calls of the VCF: few and many ALTs" {
    need plink2
    local alts
    for alts in 1 2 3 18; do
        exported 65 $alts
    done
    exported 256 3
}

@test "plink2 exports the calls of the VCF, at the borders of sample indices, with any number of ALTs" {
    need plink2
    local n alts
    for n in 1 2 3 4 63 64 65 255 256 257 65535 65536 65537; do
        for alts in 1 2 3 5 18; do
            [ $alts = 3 ] || [ $n = 65 ] || [ $n = 256 ] || continue
            exported $n $alts
        done
    done
    made 40 30 3 0 120 none > p.vcf
    gt-unpack -q -f p.vcf -o out.pgen
    same_calls p.vcf
}

@test "phases of all, some or no heterozygous calls, from VCF, BCF, VCF Zarr and .pgen" {
    need plink2
    need bcftools
    local n phased from to
    for phased in 0 0.5 1; do
        for n in 3 64 131; do
            made $n 40 4 $phased 3 none > p.vcf
            sed '/^[^#]/ { s/\tGT\t/\tGT:DP\t/; s/\([0-9.][/|][0-9.]\)/\1:7/g }; 2a ##FORMAT=<ID=DP,Number=1,Type=Integer,Description="x">' p.vcf > fields.vcf
            bcftools view -Ob -o p.bcf p.vcf
            gt-pack -q -f --layout vcz --chunks variants=7,samples=20 p.vcf -o p.vcz
            gt-unpack -q -f p.vcf -o out.pgen
            same_calls p.vcf
            [ "$(grep -q '|' want; echo $?)" = "$([ $phased = 0 ] && echo 1 || echo 0)" ]
            for from in fields.vcf p.bcf p.vcz out.pgen; do
                gt-unpack -q -f -@ 2 $from -o two.pgen
                cmp out.pgen two.pgen || { echo "$n samples, $phased, $from"; return 1; }
            done
            for to in vcf bcf; do
                gt-unpack -q -f out.pgen -o "again.$to"
                bcftools view "again.$to" | calls | cmp want -
            done
        done
    done
}

# p.vcf, .bcf, .vcz and .pgen
make_phased() {
    made 131 60 4 0.5 3 none > p.vcf
    bcftools view -Ob -o p.bcf p.vcf
    gt-pack -q --layout vcz --chunks variants=7,samples=20 p.vcf -o p.vcz
    gt-unpack -q p.vcf -o p.pgen
}

@test "phases of chosen and joined samples" {
    need plink2
    need bcftools
    local from
    make_phased
    printf 's70\ns3\ns130\ns64\ns65\n' > ids
    bcftools view -S ids p.vcf > some.vcf
    for from in vcf bcf vcz pgen; do
        gt-unpack -q -f -S ids p.$from -o out.pgen
        same_calls some.vcf || { echo "$from"; return 1; }
    done
    bcftools query -l p.vcf | head -50 > first
    bcftools view -S first p.vcf > a.vcf
    bcftools view -S ^first p.vcf > b.vcf
    gt-unpack -q -f --concat samples a.vcf b.vcf -o out.pgen
    same_calls p.vcf
    gt-unpack -q --concat samples a.vcf b.vcf -o out.bcf
    bcftools view out.bcf | calls | cmp want -
}

@test "phases of split variants and of half calls" {
    need plink2
    need bcftools
    local from
    make_phased
    bcftools norm -m -any p.vcf 2> /dev/null > split.vcf
    for from in vcf bcf vcz; do
        gt-unpack -q -f --split-multiallelic p.$from -o out.pgen
        same_calls split.vcf || { echo "$from"; return 1; }
    done
    { header && columns a b c d && printf '1\t10\t.\tA\tC,G\t.\t.\t.\tGT\t.|1\t1|.\t./1\t.|0\n'; } > h.vcf
    gt-unpack -q -f --half-call reference h.vcf -o out.pgen
    plink2 --silent --pfile out --export vcf-4.2 --out e
    [ "$(calls < e.vcf | cut -f 6- | tr '\t' ' ')" = '0|1 1|0 0/1 0/0' ]
    gt-unpack -q -f --half-call haploid h.vcf -o out.pgen
    plink2 --silent --pfile out --export vcf-4.2 --out e
    [ "$(calls < e.vcf | cut -f 6- | tr '\t' ' ')" = '1/1 1/1 1/1 0/0' ]
}

@test "calls of a .pgen in BCF are those of the VCF, at the number of alleles where they become 16 bits wide" {
    need plink2
    need bcftools
    awk -v OFS='\t' 'BEGIN {
        print "##fileformat=VCFv4.2\n##contig=<ID=1>\n##FORMAT=<ID=GT,Number=1,Type=String,Description=\"g\">"
        line = "#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT"
        for (s = 0; s < 40; s++) line = line "\ts" s
        print line
        for (n = 61; n <= 127; n += n < 65 ? 1 : 62) {
            alt = a = "A"
            for (i = 0; i < n; i++) alt = i ? alt "," (a = a "C") : (a = a "C")
            line = "1\t" n "\t.\tA\t" alt "\t.\t.\t.\tGT"
            for (s = 0; s < 40; s++) line = line "\t" s "/" n - s # somebody has the last allele
            print line
        }
    }' > p.vcf
    gt-unpack -q p.vcf -o out.pgen
    same_calls p.vcf
    gt-unpack -q out.pgen -o out.bcf
    bcftools view out.bcf | calls | cmp want -
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

@test "plink2 reads records of 255 to 257, 65535 and 65536 bytes, a block of variants and one more" {
    need plink2
    local samples variants
    while read -r samples variants; do
        "$PYTHON" - "$samples" "$variants" << 'PY'
import random, sys
n, variants = int(sys.argv[1]), int(sys.argv[2])
random.seed(n + variants)
open("s.bed", "wb").write(b"\x6c\x1b\x01" + random.randbytes((n + 3) // 4 * variants))
open("s.bim", "w").writelines("1\tv%d\t0\t%d\tC\tA\n" % (v, v + 1) for v in range(variants))
open("s.fam", "w").writelines("0\ts%d\t0\t0\t0\t-9\n" % i for i in range(n))
PY
        gt-unpack -q -f s.bed -o out.pgen
        plink2 --silent --pfile out --make-bed --out t
        cmp s.bed t.bed || { echo "$samples samples, $variants variants"; return 1; }
        gt-unpack -q -f out.pgen -o u.bed
        cmp s.bed u.bed
    done << 'SIZES'
1020 3
1024 3
1028 3
262140 1
262144 1
4 65536
4 65537
SIZES
}

@test "real data: a VCF, VCF Zarr, BCF, with the sites; no larger than plink2's file" {
    need plink2
    need bcftools
    need_data
    gt-pack -q --layout vcz "$chr22" -o c.vcz
    bcftools view -Ob -o c.bcf "$chr22"
    bcftools view -t 22:16000000-16150000 "$chr22" > part.vcf
    gt-unpack -q part.vcf -o out.pgen
    [ "$(grep -vc '^#' out.pvar)" -gt 500 ]
    same_calls part.vcf
    gt-unpack -q -f "$chr22" -o out.pgen
    plink2 --silent --vcf "$chr22" --make-pgen --out t
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
    printf '1\t10\trs1\tA\tC\t0/0\t0/1\t1/1\t.\n1\t20\t.\tA\tC,G\t0/0\t0|2\t1/2\t0/1\n1\t30\trs3\tAT\tA\t1/1\t.\t0/0\t1/1\n' > want
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
    [ ! -e out.pgen ]
    [ ! -e out.psam ]
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
    awk '{ print "0", "s" NR - 1, 0, 0, 0, -9 }' s.fam > t.fam
    mv t.fam s.fam
    sed 's/^1\t/2\t/' s.bim > t.bim
    mv t.bim s.bim
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
            gt-unpack -q -f m.pgen -@ 2 -o "o.$to" --memory "${memory}M"
        done
        [ "$to" = pgen ] || cmp <(bcftools view -H "free.$to") <(bcftools view -H "o.$to")
        [ "$to" != pgen ] || cmp free.pgen o.pgen
    done
}

# The last byte of a header: 40 if all REFs are known, 80 if they are provisional, c0 if a bit of each variant says so.
ref_of() { od -An -tu1 -j11 -N1 "$1" | awk '{ printf "%x", $1 - $1 % 64 }'; }

@test "provisional REFs stay provisional, through stores, streams and other inputs; known ones stay known" {
    need plink2
    gt-sim -q --samples 11 --variants 90 --seed 3 -O bed -o s.bed
    plink2 --silent --bfile s --make-pgen --out all
    plink2 --silent --bfile s --ref-allele force <(cut -f 2,6 s.bim) 2 1 --make-pgen --out flags
    "$PYTHON" -c '
b = bytearray(open("flags.pgen", "rb").read())
at = 20 + 45 + 90 * (1 + (b[11] & 3))
assert bytes(b[at : at + 12]) == b"\xff" * 11 + b"\x03"
b[at : at + 11] = bytes(11)
open("some.pgen", "wb").write(b)
b[at + 11] = 0
open("none.pgen", "wb").write(b)'
    for f in some none; do cp flags.pvar $f.pvar && cp flags.psam $f.psam; done
    plink2 --silent --pfile some --make-pgen format=2 --out rows
    [ "$(ref_of all.pgen) $(ref_of some.pgen) $(ref_of none.pgen)" = '80 c0 c0' ]
    gt-unpack -q s.bed -o s.vcf
    gt-unpack -q -O pgen s.vcf -o v
    local from
    for from in s.bed:80 all.pgen:80 some.pgen:80 rows.pgen:80 none.pgen:40 v.pgen:40 s.vcf:40; do
        gt-pack -q -f "${from%:*}" -o p.zarr
        gt-pack -q -f --layout vcz "${from%:*}" -o p.vcz
        gt-pack -q "${from%:*}" -o - > p.tar
        gt-rechunk -q -f -c 20,8 p.zarr -o r.zarr
        for store in "${from%:*}" p.zarr p.vcz p.tar r.zarr; do
            gt-unpack -q -f $store -o out.pgen
            [ "$(ref_of out.pgen)" = "${from#*:}" ] || { echo "$from, $store: $(ref_of out.pgen)"; return 1; }
        done
    done
    sed 's/^1\t/2\t/' s.vcf > two.vcf
    for from in 's.bed two.vcf' 's.vcf two.vcf'; do
        # shellcheck disable=SC2086
        gt-unpack -q -f $from -o out.pgen
        [ "$from $(ref_of out.pgen)" = "$from $([ "${from%% *}" = s.bed ] && echo 80 || echo 40)" ]
    done
    # the header leaves it to the .pvar
    cp v.pgen pr.pgen
    cp v.psam pr.psam
    printf '%b' "\\x$(printf %02x $(($(od -An -tu1 -j11 -N1 v.pgen) - 64)))" | dd of=pr.pgen bs=1 seek=11 conv=notrunc status=none
    cp v.pvar pr.pvar
    gt-unpack -q -f pr.pgen -o out.pgen
    [ "$(ref_of out.pgen)" = 40 ]
    sed '1i ##INFO=<ID=PR,Number=0,Type=Flag,Description="x">' v.pvar > pr.pvar
    gt-unpack -q -f pr.pgen -o out.pgen
    [ "$(ref_of out.pgen)" = 80 ]
}

@test "a .pvar with another number of alleles than the .pgen: an error, whatever is read" {
    need plink2
    made 20 30 5 0 3 none > p.vcf
    plink2 --silent --vcf p.vcf --make-pgen --out p
    gt-unpack -q p.pgen -o o.vcf
    gt-unpack -q -O pgen p.pgen -o q # without counts in its header
    cp p.pvar p.whole
    cp q.pvar q.whole
    for v in 1 17; do
        awk -v OFS='\t' -v v=$v '!/^#/ && ++n == v { sub(/,[^,]*$/, "", $5) } 1' p.whole > p.pvar
        run -1 cmp -s p.pvar p.whole # variant $v has several ALTs
        for to in vcf npy bed; do
            run -3 --separate-stderr gt-unpack -q p.pgen -o "out.$to"
            [[ $stderr == "gt-unpack: 'p.pgen', variant $v: "* ]] || { echo "$stderr"; return 1; }
            [ -z "$(outs)" ]
        done
        run -3 --separate-stderr gt-pdist -m ibs p.pgen
    done
    # with numbers of alleles in the header
    cp q.whole q.pvar
    "$PYTHON" -c '
import struct
b = open("q.pgen", "rb").read()
n, width = struct.unpack("<I", b[3:7])[0], 1 + (b[11] & 3)
alleles = [2 + line.split("\t")[4].count(",") for line in open("q.pvar") if line[0] != "#"]
at = 20 + (n + 1) // 2 + n * width
assert len(alleles) == n and struct.unpack("<Q", b[12:20])[0] == at
head = b[:11] + bytes([b[11] | 0x10]) + struct.pack("<Q", at + n)
open("c.pgen", "wb").write(head + b[20:at] + bytes(alleles) + b[at:])
alleles[16] += 1
open("d.pgen", "wb").write(head + b[20:at] + bytes(alleles) + b[at:])'
    for name in c d; do
        cp q.pvar $name.pvar
        cp q.psam $name.psam
    done
    gt-unpack -q c.pgen -o o2.vcf
    cmp <(grep -v '^##' o.vcf) <(grep -v '^##' o2.vcf)
    for to in vcf npy pgen; do
        run -3 --separate-stderr gt-unpack -q d.pgen -o "out.$to"
        [[ $stderr == "gt-unpack: 'd.pgen', variant 17: "* ]] || { echo "$stderr"; return 1; }
        [ -z "$(outs)" ]
    done
    awk -v OFS='\t' '!/^#/ && ++n == 9 { sub(/,.*/, "", $5) } 1' q.whole > c.pvar
    run -3 --separate-stderr gt-unpack -q c.pgen -o out.npy
    [[ $stderr == "gt-unpack: 'c.pgen', variant 9: it has "*" alleles, but 2 in 'c.pvar'" ]] || { echo "$stderr"; return 1; }
    # a third allele where there are two
    awk -v OFS='\t' '!/^#/ { sub(/,.*/, "", $5) } 1' q.whole > q.pvar
    run -3 --separate-stderr gt-unpack -q q.pgen -o out.npy
    [[ $stderr == *": it has at least 3 alleles, but 2 in 'q.pvar'" ]] || { echo "$stderr"; return 1; }
}

@test "an x.pvar.zst of an earlier fileset: gt-utils and plink2 read the x.pvar that was written" {
    need plink2
    gt-sim -q --samples 11 --variants 90 --seed 3 -O bed -o s.bed
    plink2 --silent --bfile s --make-pgen vzs --out x
    sed 's/snp/new/; s/v/w/' s.bim > t.bim
    cp s.bed t.bed
    cp s.fam t.fam
    gt-unpack -q -f t.bed -o x.pgen
    [ -e x.pvar ]
    [ -e x.pvar.zst ]
    gt-unpack -q x.pgen -o again.bed
    cmp <(cut -f 2 again.bim) <(cut -f 2 t.bim)
    run ! cmp -s t.bim s.bim
    plink2 --silent --pfile x --make-just-bim --out e
    cmp <(cut -f 2 e.bim) <(cut -f 2 t.bim)
}
