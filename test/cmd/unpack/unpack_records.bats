#!/usr/bin/env bats
# gt-unpack of VCF and BCF: records are filtered, not made anew, as bcftools view does it.

bats_require_minimum_version 1.5.0

. "$GT_SOURCE/test/support/genotypes.bash"

# What bcftools makes of a file, but for the line of provenance.
view() { bcftools view --no-version "$@" 2> /dev/null | grep -v '^##gt_unpack'; }
same() { diff <(view "$1") <(view "$2") > differ || { head -5 differ | cut -c 1-300; return 1; }; }

# Types, numbers, missing values, phases and ploidies of fields, a FILTER, texts, no GT at all.
make_vcf() {
    cat << 'VCF'
##fileformat=VCFv4.3
##source=somebody, "else"
##contig=<ID=1,length=5000,assembly=b37,md5=f126cdf8a6e0c7f379d618ff66beb2da>
##contig=<ID=2>
##FILTER=<ID=q10,Description="below 10">
##INFO=<ID=AC,Number=A,Type=Integer,Description="x">
##INFO=<ID=AN,Number=1,Type=Integer,Description="x">
##INFO=<ID=AF,Number=A,Type=Float,Description="x",Source="y",Version="3">
##INFO=<ID=DB,Number=0,Type=Flag,Description="x">
##INFO=<ID=CSQ,Number=.,Type=String,Description="x|y">
##INFO=<ID=V,Number=.,Type=Float,Description="x">
##FORMAT=<ID=GT,Number=1,Type=String,Description="x">
##FORMAT=<ID=AD,Number=R,Type=Integer,Description="x">
##FORMAT=<ID=GL,Number=G,Type=Float,Description="x">
##FORMAT=<ID=FT,Number=1,Type=String,Description="x">
#CHROM	POS	ID	REF	ALT	QUAL	FILTER	INFO	FORMAT	a	b	c	d
1	10	rs1	A	C,G	12.5	PASS	AC=3,1;AN=7;AF=0.428571,0.142857;DB;CSQ=x|y,z;V=1e-10,.,-3	GT:AD:GL:FT	0|1:1,2,70000:.:q10;x	1/2:3:.,-1.5,-2e-05:.	1|1|0:.:.:y	.:.,300,.
1	20	.	ACG	A	.	q10	DB;AN=6;AC=2;V=.	AD:GT	1,2:0/1	.:1|0	0,0:0	5,6:./.
2	5	long	T	.	3	.	.	GT:FT	0/0:.	0/0	./0:z	0|0
2	9	none	T	A	0	PASS	CSQ=only	AD	1,2	3,4	.	5,6
VCF
}

@test "everything of a record stays: text and BCF to text and BCF" {
    need bcftools
    make_vcf > x.vcf
    bcftools view --no-version x.vcf -Ob -o x.bcf
    bcftools view --no-version x.vcf -Oz -o x.vcf.gz
    for from in x.vcf x.bcf x.vcf.gz; do
        for to in out.vcf out.vcf.gz out.bcf; do
            gt-unpack -q -f $from -o $to
            same $to x.vcf
        done
    done
    gt-unpack -q --no-version - < x.vcf | cmp - x.vcf
    gt-unpack -q -f x.bcf -o out.bcf
    [ "$(bcftools view -H -r 2 out.bcf | wc -l)" -eq 2 ]
    grep -q '^##gt_unpackCommand=.*x.vcf' <(gt-unpack -q x.vcf)
}

@test "regions, filters and samples: the records of bcftools view, with AC, AN and AF of the samples that stay" {
    need bcftools
    make_vcf | sed 's/1|1|0/1|1/' > x.vcf # fill-tags takes all calls for diploid
    bcftools view --no-version x.vcf -Ob -o x.bcf
    for from in x.vcf x.bcf; do
        for samples in c,a d b,d,a; do
            gt-unpack -q -f -s $samples $from -o out.vcf
            bcftools view --no-version -s $samples x.vcf 2> /dev/null | bcftools +fill-tags --no-version -- -t AF 2> /dev/null > want.vcf
            # bcftools adds AC, AN and AF to all records; ours are compared where there were some
            paste <(view -H out.vcf) <(grep -v '^#' x.vcf) | grep -c . | grep -qx 4
            diff <(view -H out.vcf | cut -f 9-) <(view -H want.vcf | cut -f 9-)
            for tag in AC AN AF; do
                bcftools query -f "%POS %$tag\n" out.vcf | grep -v ' \.$' > got || true
                bcftools query -f "%POS %$tag\n" want.vcf > all
                while read -r line; do grep -qxF "$line" all; done < got
            done
            [ "$(bcftools query -i 'POS=10' -f '%AN %AC %AF' out.vcf)" = "$(bcftools query -i 'POS=10' -f '%AN %AC %AF' want.vcf)" ]
            [ "$(bcftools query -i 'POS=20' -f '%AN %AC %AF' out.vcf)" = "$(bcftools query -i 'POS=20' -f '%AN %AC .' want.vcf)" ]
            [ -z "$(bcftools query -i 'POS=9' -f '%AC%AN' out.vcf | tr -d .)" ]
        done
        gt-unpack -q -f -I -s c,a $from -o out.vcf
        same out.vcf <(bcftools view --no-version -I -s c,a x.vcf)
        gt-unpack -q -f -r 1:15-30,2:1-5 $from -o out.bcf
        same out.bcf <(bcftools view --no-version -t 1:15-30,2:1-5 x.vcf)
    done
}

@test "AC, AN and AF are counted again where --slice or --mind leaves out samples, as bcftools view -s does" {
    need bcftools
    # d lacks three calls of four, b and c two; AF of the input is not that of its calls
    make_vcf | sed 's/1|1|0/1|1/; s#1/2:3#./.:3#; s/DB;AN=6/DB;AF=0.3;AN=6/' > x.vcf
    bcftools view --no-version x.vcf -Ob -o x.bcf
    count() { bcftools view -H -t 1 2> /dev/null | grep -o '^1.[0-9]*\|AC=[^;]*\|AN=[^;]*\|GT.*' | sort; }
    for from in x.vcf x.bcf; do
        gt-unpack -q --slice :,:2 $from | count | cmp - <(bcftools view --no-version -s a,b x.vcf | count)
        gt-unpack -q --slice :2,1::2 $from | count | cmp - <(bcftools view --no-version -s b,d x.vcf | count)
        gt-unpack -q --mind 0.6 $from | count | cmp - <(bcftools view --no-version -s a,b,c x.vcf | count)
        gt-unpack -q -I --slice :,:2 $from | view -H - | cut -f 8 | cmp - <(view -H x.vcf | cut -f 8)
        gt-unpack -q --slice ::2 $from | view -H - | cmp - <(view -H x.vcf | awk 'NR % 2')
    done
}

@test "AC, AN and AF of some samples of a store: 140 ALTs, haploid and half calls, sites without any call, a store without calls" {
    need bcftools
    {
        make_vcf | sed -n '1,2p; /ID=1,/p; /INFO=<ID=A/p; /ID=GT/p; /^#CHROM/p'
        "$PYTHON" -c '
alts = ["A" + "".join("ACGT"[i >> 2 * k & 3] for k in range(4)) for i in range(1, 141)]
for pos, (n, *calls) in enumerate([(140, "0/140", "127/128", "126|127", "129/."), (1, "0/1", "1/1", "./.", "0"), (2, "./.", "./.", "./.", "."),
        (3, "3/3", "2", "1/2", ".|3"), (1, "./.", "0/0", "1", "1/1"), (128, "127/127", "128|126", "0/127", "128"), (0, "0/0", "0", "./.", "0/0")]):
    some = [",".join([x] * n) or "." for x in ("9", "0.5")]
    print(1, pos + 1, ".", "A", ",".join(alts[:n]) or ".", ".", ".", "AC=%s;AN=9999;AF=%s" % tuple(some), "GT", *calls, sep="\t")'
    } > x.vcf
    numbers() { bcftools query -f '%POS %AC %AN %AF\n' | sed 's/ \.\(,\.\)*$/ ./'; } # AF of no call: one dot or several
    gt-pack -q --layout vcz x.vcf -o x.zarr
    gt-pack -q --layout vcz --chunks variants=3,samples=2 x.vcf -o parts.zarr
    for samples in a,b c,d c d,a,b; do
        bcftools view --no-version -I -s $samples x.vcf -Ou | bcftools +fill-tags --no-version -- -t AC,AN,AF 2> note | numbers > want
        [ "$(wc -l < want)" -eq 7 ]
        for from in x.vcf x.zarr parts.zarr; do
            gt-unpack -q -s $samples $from | numbers | diff - want > differ || { echo "$from $samples"; cut -c 1-200 differ; return 1; }
        done
    done
    rm -r x.zarr/call_genotype* x.zarr/.zmetadata # nobody knows what these samples have
    gt-unpack -q -s a,b x.zarr | grep -v '^#' | cut -f 8 | sort -u | cmp - <(echo .)
    gt-unpack -q -I -s a,b x.zarr | grep -v '^#' | cut -f 8 | sed -n 2p | cmp - <(grep -v '^#' x.vcf | cut -f 8 | sed -n '2s/;AN=9999;AF=0.5/;AF=0.5;AN=9999/p')
}

@test "real data: -r, -S, --maf and --skip-multiallelic together, files of every kind unchanged" {
    need bcftools
    need_data
    bcftools query -l "$chr22" | awk 'NR % 7 == 3' > s.txt
    gt-unpack -q -r 22:16050000-16200000 -S s.txt --maf 0.02 --skip-multiallelic "$chr22" -o out.vcf.gz
    bcftools view --no-version -r 22:16050000-16200000 -S s.txt -Ou "$chr22" | bcftools view --no-version -q 0.02:minor -M2 -Ob -o want.bcf
    bcftools +fill-tags want.bcf --no-version -Ov -o want.vcf -- -t AF
    same out.vcf.gz want.vcf
    [ "$(view -H want.vcf | wc -l)" -gt 50 ]
    for file in 1kg_2020_chrM.bcf 1kg_2020_chr20_annotations.bcf CEUTrio.20.21.gatk3.4.g.bcf field_type_combos.vcf.gz sample-split-alleles.vcf.gz sample_no_genotypes.vcf.gz triploid3.vcf.gz; do
        gt-unpack -q -f "$GT_TEST_DATA/vcf/edge/$file" -o out.vcf
        same out.vcf "$GT_TEST_DATA/vcf/edge/$file"
        gt-unpack -q -f "$GT_TEST_DATA/vcf/edge/$file" -o out.bcf
        same out.bcf "$GT_TEST_DATA/vcf/edge/$file"
    done
}

@test "several inputs: the header has the lines of all; the same bytes for any threads" {
    need bcftools
    make_vcf > x.vcf
    make_vcf | sed '/^2\t/d; s/^1\t/3\t/; s/^##contig=<ID=1.*/##contig=<ID=3>/; /ID=FT/d; s/:FT//; s/^##source.*/##more=y\n##INFO=<ID=W,Number=1,Type=Integer,Description="x">/; s/;DB;/;W=7;/; s/:q10;x//; s/-2e-05:\./-2e-05/; s/:\.:y/:./' > y.vcf
    gt-unpack -q x.vcf y.vcf -o both.vcf
    gt-unpack -q x.vcf y.vcf -o both.bcf
    view -H both.vcf > got
    cat <(view -H x.vcf) <(view -H y.vcf) | cmp - got
    view -H both.bcf | cmp - got
    bcftools view -h both.bcf > head
    for line in more=y 'contig=<ID=3>' 'source=somebody, "else"' 'contig=<ID=1,length=5000,assembly=b37,md5=f126cdf8a6e0c7f379d618ff66beb2da>' 'INFO=<ID=W,Number=1,Type=Integer,Description="x">'; do
        grep -qxF "##$line" head
    done
    [ "$(grep -c '^##INFO=<ID=AC' head)" -eq 1 ]
    need_data
    gt-unpack -q -f -@ 1 --no-version -s HG00096,HG00101 "$chr22" -o one.bcf
    gt-unpack -q -f -@ 3 --no-version -s HG00096,HG00101 "$chr22" -o three.bcf
    cmp one.bcf three.bcf
}

@test "fields that the header lacks: kept in VCF, an error in BCF; damaged calls" {
    need bcftools
    make_vcf | grep -v 'ID=CSQ' > x.vcf
    gt-unpack -q --no-version x.vcf | cmp - x.vcf
    run gt-unpack -q x.vcf -o out.bcf
    [ "$status" -eq 3 ]
    [[ "$output" == *"the input's header lacks an INFO or FORMAT field of 1:10"* ]]
    [ ! -e out.bcf ]
    make_vcf | sed 's/0|1:1,2/0|9:1,2/' > bad.vcf
    run gt-unpack -q bad.vcf -o out.vcf
    [ "$status" -eq 3 ]
    [ ! -e out.vcf ]
}

@test "-s counts AC, AN and AF of calls that are all missing, and leaves fields whose names only begin so" {
    need bcftools
    {
        printf '##fileformat=VCFv4.3\n##contig=<ID=1,length=5000>\n'
        for field in AC:A:Integer AN:1:Integer AF:A:Float AC_EUR:A:Integer ANN:.:String AFR:0:Flag; do
            IFS=: read -r id number type <<< "$field"
            printf '##INFO=<ID=%s,Number=%s,Type=%s,Description="x">\n' "$id" "$number" "$type"
        done
        printf '##FORMAT=<ID=GT,Number=1,Type=String,Description="x">\n#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\ta\tb\n'
        printf '1\t10\t.\tA\tC\t.\t.\tANN=x|y;AC_EUR=7;AC=2;AFR;AN=4;AF=0.5\tGT\t0/0\t1/1\n'
        printf '1\t20\t.\tA\tC\t.\t.\tAC=2;AN=2;AF=1;AFR\tGT\t./.\t1/1\n'
    } > x.vcf
    bcftools view --no-version -Ob x.vcf -o x.bcf
    sorted() { bcftools view -H "$@" | cut -f 8 | while read -r info; do tr ';' '\n' <<< "$info" | sort | paste -sd ';'; done; }
    printf 'AC=0;AC_EUR=7;AF=0;AFR;AN=2;ANN=x|y\nAC=0;AF=.;AFR;AN=0\n' > want
    for from in x.vcf x.bcf; do
        for to in vcf bcf; do
            gt-unpack -q -s a $from -O $to -o - | sorted - | diff want -
        done
    done
    # a store has nothing where a record has a missing value
    gt-pack -q --layout vcz x.vcf -o all.vcz
    gt-pack -q --layout vcz -s a x.vcf -o a.vcz
    sed -i 's/AF=[.];//' want
    for to in vcf bcf; do
        gt-unpack -q -s a all.vcz -O $to -o - | sorted - | diff want -
        gt-unpack -q a.vcz -O $to -o - | sorted - | diff want -
    done
}

@test "BCF at the borders of its types has the bytes that bcftools writes: of VCF, of BCF, of a store, of some samples" {
    need bcftools
    borders() { "$PYTHON" "$GT_SOURCE/test/support/bcf_borders.py" "$@"; }
    # A store numbers its fields in its own way: bcftools writes them again from text, with a byte more for texts.
    again() { bcftools view --no-version "$1" | bcftools view --no-version -Ou -o again.bcf; }
    borders vcf > x.vcf
    bcftools view --no-version x.vcf -Ou -o x.bcf
    gt-unpack -q x.vcf -o out.bcf
    borders same x.bcf out.bcf
    bcftools index -o want.csi out.bcf
    cmp <(bgzip -dc want.csi) <(bgzip -dc out.bcf.csi)
    gt-pack -q --layout vcz x.vcf -o x.vcz
    gt-unpack -q x.vcz -O bcf | bcftools view -H | cmp - <(bcftools view -H x.vcf)
    bcftools annotate --no-version -x FORMAT/FS x.vcf 2> log | gt-pack -q --layout vcz - -o y.vcz
    for s in a,b,c a c,a b,c; do
        gt-unpack -q -f -I -s $s y.vcz -o out.bcf
        again out.bcf
        borders same again.bcf out.bcf
        bcftools view --no-version -I -s $s x.vcf | bcftools view --no-version -Ou -o want.bcf
        for from in x.vcf x.bcf; do
            gt-unpack -q -f -I -s $s $from -o out.bcf
            borders same want.bcf out.bcf
            gt-unpack -q -I -s $s $from | bcftools view -H | cmp - <(bcftools view -H want.bcf)
        done
    done
}
