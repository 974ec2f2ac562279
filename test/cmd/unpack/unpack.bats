#!/usr/bin/env bats
# gt-unpack: what bcftools, plink and numpy read of it; there and back; indexes; bad input.

bats_require_minimum_version 1.5.0

. "$GT_SOURCE/test/support/level.bash"
. "$GT_SOURCE/test/support/genotypes.bash"

records() { bcftools view -H "$@" 2> said && [ ! -s said ]; }
# A VCF of two contigs: all that a site can have.
make_vcf() {
    printf '##fileformat=VCFv4.2\n##reference=GRCh38\n##contig=<ID=1,length=5000>\n##contig=<ID=2>\n##contig=<ID=3>\n'
    printf '##FILTER=<ID=q10,Description="x">\n##FILTER=<ID=GT,Description="a name that FORMAT has too">\n'
    printf '##FORMAT=<ID=GT,Number=1,Type=String,Description="x">\n'
    printf '#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\ta\tb\tc\td\te\n'
    printf '1\t10\trs1\tA\tC\t12.5\tPASS\t.\tGT\t0/0\t0/1\t1/1\t./.\t0/0\n'
    printf '1\t10\t.\tA\t.\t.\t.\t.\tGT\t0/0\t0/0\t0/0\t./.\t0/0\n'
    printf '1\t4000\tlonger_than_fifteen_bytes\tACGTACGTACGTACGTACGT\tA\t1e-05\tq10;GT\t.\tGT\t1/1\t1/1\t0/1\t0/1\t./.\n'
    printf '3\t1\tx\tG\t<DEL>\t100\tGT\t.\tGT\t0/1\t0/0\t0/1\t0/1\t0/1\n'
}

@test "a small VCF comes back, as VCF and as BCF, through a store and directly" {
    need bcftools
    make_vcf > x.vcf
    grep -v '^##' x.vcf > expected
    gt-pack -q x.vcf -o x.zarr
    for from in x.vcf x.zarr; do
        gt-unpack -q $from | grep -v '^##' | diff expected -
        for to in out.vcf out.vcf.gz out.bcf; do
            gt-unpack -q -f $from -o $to
            bcftools view --no-version $to 2> said | grep -v '^##' | diff expected -
            [ ! -s said ]
        done
        [ "$(gt-unpack -q -O bcf $from | bcftools view -H | cksum)" = "$(records x.vcf | cksum)" ]
    done
    gt-unpack -q x.zarr | grep "^##" > "head"
    grep -qx '##reference=GRCh38' head
    grep -qx '##contig=<ID=1,length=5000>' head
    [ "$(grep -c 'FILTER=<ID=q10\|FILTER=<ID=GT' head)" -eq 2 ]
    grep -q '^##gt_unpackCommand=.*x.zarr' head
    gt-unpack -q --no-version x.zarr | grep "^##" > "head"
    run ! grep gt_unpack head
}

@test "real data: dosages as bcftools has them, sites byte for byte" {
    need bcftools
    need_data
    for file in "$chr22" "$pinf"; do
        bcftools view -M2 "$file" 2> /dev/null | bcftools annotate -x INFO,^FORMAT/GT 2> /dev/null |
            bcftools view -H | sed 's/|/\//g; s/1\/0/0\/1/g; s/\t\.:/\t.\/.:/g' | sed 's/\t\.$/\t.\/./; s/\t\.\t/\t.\/.\t/g' | cut -f 1-7,9- > all
        gt-pack -q -f "$file" -o real.zarr
        gt-unpack -q --skip-multiallelic real.zarr | bcftools view -H | cut -f 1-7,9- > got
        cut -f 1,2,4,5 all | cmp - <(cut -f 1,2,4,5 got)
        cut -f 9- all | cmp - <(cut -f 9- got)
    done
}

@test "fields of 64 bits of another writer's store: every number as it is" {
    "$PYTHON" -c 'import zarr, numpy' 2> /dev/null || skip "no python3-zarr"
    printf '##fileformat=VCFv4.2\n##contig=<ID=1>\n##FORMAT=<ID=GT,Number=1,Type=String,Description="g">\n' > x.vcf
    printf '#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\ta\tb\n1\t1\t.\tA\tC\t.\t.\t.\tGT\t0/1\t1/1\n' >> x.vcf
    gt-pack -q --layout vcz x.vcf -o x.vcz
    "$PYTHON" -c "import zarr, numpy as np
z = zarr.open('x.vcz', mode='a')
for name, values, type in ('U', (2**64 - 1, 2**63, 0), 'u8'), ('I', (2**63 - 1, -2**63, -3), 'i8'), ('W', (2**32 - 1, 2**31, 7), 'u4'):
    z.create_dataset('variant_' + name, data=np.array(values[:1], type)).attrs['_ARRAY_DIMENSIONS'] = ['variants']
    z.create_dataset('call_' + name, data=np.array([values[1:]], type)).attrs['_ARRAY_DIMENSIONS'] = ['variants', 'samples']
zarr.consolidate_metadata('x.vcz')"
    for field in U:18446744073709551615 I:9223372036854775807 W:4294967295 FORMAT/U:9223372036854775808 FORMAT/I:-9223372036854775808; do
        cp -r x.vcz one.vcz
        [[ $field = FORMAT* ]] && rm -r one.vcz/variant_[UIW] || rm -r one.vcz/call_[UIW]
        for name in U I W; do [[ ${field%:*} = *$name ]] || rm -rf one.vcz/*_$name; done
        "$PYTHON" -c "import zarr; zarr.consolidate_metadata('one.vcz')"
        run -3 gt-unpack -q one.vcz -O bcf -o one.bcf
        [[ "$output" = *"${field%:*} has ${field#*:}, which BCF cannot hold"* ]]
        [ ! -e one.bcf ]
        rm -r one.vcz
    done
    gt-unpack -q x.vcz -O vcf > got
    [ "$(grep -v '^#' got | cut -f 8 | tr ';' '\n' | sort | xargs)" = "I=9223372036854775807 U=18446744073709551615 W=4294967295" ]
    "$PYTHON" -c "
format, *calls = [line for line in open('got') if line[0] != '#'][0].split()[8:]
got = [dict(zip(format.split(':'), call.split(':'))) for call in calls]
assert got == [dict(GT='0/1', U='9223372036854775808', I='-9223372036854775808', W='2147483648'), dict(GT='1/1', U='0', I='-3', W='7')], got"
}

@test "the index finds what a scan finds, in VCF.gz and BCF" {
    need bcftools
    gt-sim -q --samples 40 --variants 30000 --contigs 3 --missing 0.02 --seed 3 -o x.zarr
    for to in out.vcf.gz out.bcf; do
        gt-unpack -q x.zarr -o $to
        [ "$(bcftools index -n $to)" -eq 30000 ]
        for region in 1 2:1-200000 2:5000000-5400000 3:9900000- 1:100000-100300,3:700000-701000; do
            bcftools view -H -r $region $to > by_index
            bcftools view -H -t $region $to > by_scan
            [ -s by_scan ]
            cmp by_index by_scan
        done
        bcftools index -f $to -o again.csi
        [ "$(bcftools index -s $to)" = "$(bcftools index -s $to##idx##again.csi)" ]
        bgzip -t $to
    done
    gt-unpack -q x.zarr -O vcf -o - > plain.vcf
    [ ! -e plain.vcf.csi ]
    bcftools view -H plain.vcf | cmp - <(bcftools view -H out.bcf)
}

@test "a pipe that is named as a file gets the records, and no index next to it" {
    need bcftools
    make_vcf > x.vcf
    mkfifo p.vcf.gz p.bcf
    for to in p.vcf.gz p.bcf; do
        timeout 60 cat $to > got 3>&- &
        gt-unpack -q x.vcf -o $to
        wait
        records got | cmp - <(records x.vcf)
        [ "$(echo $to*)" = $to ]
    done
}

@test "sites out of order: no index, a warning, and none is left from before" {
    need bcftools
    make_vcf | awk -F '\t' '/^#/ { print; next } { line[++n] = $0 } END { for (i = n; i; i--) print line[i] }' > x.vcf
    for to in out.vcf.gz out.bcf; do
        make_vcf | gt-unpack -q -o $to
        [ -e $to.csi ]
        gt-unpack x.vcf -o $to 2> said
        grep -q "'$to' has no index: its records are not in order" said
        [ ! -e $to.csi ]
        [ "$(bcftools view -H $to | wc -l)" -eq 4 ]
    done
}

@test "VCF.gz: level 1 by default, the same bytes of any kernels, read by all" {
    need bcftools
    gt-sim -q --samples 1000 --variants 1500 --missing 0.01 --seed 4 -o x.zarr
    gt-unpack -q --no-version x.zarr > expected
    for level in "" 1 4; do
        gt-unpack -q --no-version ${level:+--level $level} x.zarr -o "l$level.vcf.gz"
        gzip -dc "l$level.vcf.gz" | cmp expected
        bcftools view -H "l$level.vcf.gz" | cmp - <(grep -v '^#' expected)
    done
    cmp l.vcf.gz l1.vcf.gz
    [ "$(stat -c %s l4.vcf.gz)" -lt "$(stat -c %s l1.vcf.gz)" ]
    for cpu in ref avx2; do
        GT_CPU=$cpu gt-unpack --version > /dev/null 2>&1 || continue
        GT_CPU=$cpu gt-unpack -q --no-version x.zarr -f -o y.vcf.gz
        cmp l.vcf.gz y.vcf.gz
    done
}

@test "the same bytes for any number of threads and any memory" {
    gt-sim -q --samples 300 --variants 5000 --missing 0.02 --seed 3 -o x.zarr
    for to in vcf.gz bcf npy; do
        plain=--no-version
        [ $to != npy ] || plain=
        gt-unpack -q $plain -@ 1 x.zarr -o one.$to
        gt-unpack -q $plain -@ 5 --memory 100M x.zarr -o five.$to
        cmp one.$to five.$to
        [ ! -e one.$to.csi ] || cmp one.$to.csi five.$to.csi
    done
}

@test "PLINK there and back gives the same bytes" {
    need_data
    gt-pack -q "$hm3" -o x.zarr
    gt-unpack -q x.zarr -o out.bed
    cmp "$hm3.bed" out.bed
    tr -s ' \t' '\t' < "$hm3.fam" | sed 's/^\t//' | cmp - out.fam
    tr -s ' \t' '\t' < "$hm3.bim" | awk -v OFS='\t' '{ $3 = 0; print }' | cmp - out.bim
    for file in "$GT_TEST_DATA"/plink/edge/*.bed; do
        gt-unpack -q "$file" -O bed -o again
        cmp "$file" again.bed
        cut -f 1,2,4- "${file%bed}bim" | cmp - <(cut -f 1,2,4- again.bim)
    done
    [ -e again.bed ]
}

# PREFIX.bed of three samples, whose .fam has these lines.
make_fam() {
    printf '\154\033\001\074' > "$1.bed"
    printf '1\trs1\t0\t10\tC\tA\n' > "$1.bim"
    printf '%b\n' "${@:2}" > "$1.fam"
}

@test "families, parents, sex and phenotypes come back, through every kind of store" {
    make_fam x 'F1\ta\t0\t0\t1\t-9' 'F1\tb\t0\t0\t2\t1.50' 'F2\tc\ta\tb\t1\tNA'
    for store in x.zarr x.zip x.tar; do
        gt-pack -q x.bed -o $store
        gt-unpack -q $store -o out.bed
        for suffix in bed bim fam; do cmp x.$suffix out.$suffix; done
    done
    for format in 2 3; do
        gt-pack -q --zarr-format $format -s c,a x.bed -o y$format.zarr
        gt-unpack -q y$format.zarr -o out.bed
        printf 'F2\tc\ta\tb\t1\tNA\nF1\ta\t0\t0\t1\t-9\n' | cmp - out.fam
    done
    gt-pack -q x.bed | gt-unpack -q -o out.bed
    cmp x.fam out.fam
    # ids that are not unique, and short lines
    make_fam x 'F1 a' 'F2 a 0 0 1' 'F3 c'
    gt-pack -q x.bed -o z.zarr
    gt-unpack -q z.zarr -o out.bed
    printf 'F1\ta\t0\t0\t0\t-9\nF2\ta\t0\t0\t1\t-9\nF3\tc\t0\t0\t0\t-9\n' | cmp - out.fam
    [ ! -e z.zarr/sample_phenotype ]
    [ -e z.zarr/sample_sex ]
    [ -e z.zarr/sample_member_id ]
    gt-pack -n x.bed -o w.zarr | grep -x "files          $(find z.zarr -type f | wc -l)"
    # what is of no known family takes no room
    make_fam x '0 a 0 0 0 -9' '0 b 0 0 0 -9' '0 c'
    gt-pack -q x.bed -o v.zarr
    run ! ls v.zarr/sample_family_id
    # others keep numbers there
    bare_store n.zarr
    mkdir n.zarr/sample_sex
    printf '{"zarr_format": 2, "shape": [3], "chunks": [3], "dtype": "|i1", "compressor": null, "filters": null, "fill_value": 0, "order": "C"}' \
        > n.zarr/sample_sex/.zarray
    printf '\0\1\2' > n.zarr/sample_sex/0
    gt-unpack -q n.zarr -o out.npy
}

@test "plink2 reads the .bed as it reads the VCF" {
    need plink2
    gt-sim -q --samples 77 --variants 900 --missing 0.05 --seed 5 -O vcf -o x.vcf
    gt-unpack -q x.vcf -o out.bed
    plink2 --vcf x.vcf --double-id --make-bed --out expected > /dev/null
    cmp expected.bed out.bed
    cmp <(cut -f 1-2,4- expected.bim) <(cut -f 1-2,4- out.bim)
}

@test "sites without ID, ALT or position in .bim and .pvar, as PLINK writes them, and back" {
    header | sed '/contig/ { p; s/1,length=1000/X/; p; s/X/chrUn_3/ }' > x.vcf
    columns a b c d e >> x.vcf
    local site from to
    for site in 1/0/./A/. '1/10/x;y/A/<DEL>' 1/11/./ACGTA/N 'X/2147483646/z/A/*' chrUn_3/5/./N/G; do
        printf '%s\t.\t.\t.\tGT\t0/0\t./.\t0/0\t./.\t%s\n' "${site//\//$'\t'}" "$([[ $site == */. ]] && echo 0/0 || echo 1/1)" >> x.vcf
    done
    gt-pack -q x.vcf -o x.zarr
    gt-unpack -q x.vcf -o x.pgen
    grep '^[^#]' x.vcf | awk -v OFS='\t' '{ print $1, $3, 0, $2, $5 == "." ? 0 : $5, $4 }' > want.bim
    for from in x.vcf x.zarr x.pgen; do
        gt-unpack -q -f $from -o out.bed
        cmp want.bim out.bim
        gt-unpack -q -f $from -o out.pgen
        grep -v '^##' out.pvar | cut -f 1-5 | cmp - <(grep -v '^##' x.vcf | cut -f 1-5)
        for to in out.bed out.pgen; do
            gt-unpack -q -f $to -o back.vcf
            grep -v '^##' back.vcf | cmp - <(grep -v '^##' x.vcf)
        done
    done
    printf '0\t%s\t0\t0\t0\t-9\n' a b c d e | cmp - out.fam
    cut -f 2,5 out.psam | tr '\n' ' ' | grep -qx 'IID.SEX a.0 b.0 c.0 d.0 e.0 '
    if command -v plink1.9 > /dev/null; then
        plink1.9 --silent --vcf x.vcf --double-id --allow-extra-chr --keep-allele-order --make-bed --out p
        cmp out.bed p.bed
        sed 's/^X/23/' out.bim | cmp - p.bim
    fi
    need plink2
    plink2 --silent --pfile out --allow-extra-chr --validate --export vcf --out p
    grep -v '^##' p.vcf | cmp - <(grep -v '^##' x.vcf)
}

@test "npy: dosages, -1 where missing, ids beside" {
    "$PYTHON" -c 'import numpy' 2> /dev/null || skip "no numpy"
    make_vcf > x.vcf
    gt-unpack -q x.vcf -o out.npy
    printf '%s\n' a b c d e | cmp - out.npy.id
    gt-pack -q x.vcf -o x.zarr
    gt-unpack -q -O npy x.zarr | cmp - out.npy
    "$PYTHON" - << 'PY'
import numpy as np
g = np.load("out.npy")
assert g.dtype == np.int8
assert g.tolist() == [[0, 1, 2, -1, 0], [0, 0, 0, -1, 0], [2, 2, 1, 1, -1], [1, 0, 1, 1, 1]], g
PY
    rm out.npy*
    refused 3 "not known before the end" gt-unpack -q -O npy x.vcf -o -
}

@test "a multiallelic site is refused, left out, or split" {
    need bcftools
    make_vcf | sed 's/\tA\tC\t/\tA\tC,T\t/' > x.vcf
    gt-pack -q x.vcf -o x.zarr
    for from in x.vcf x.zarr; do
        for to in out.vcf out.vcf.gz out.bcf out.bed; do
            if [ $from = x.zarr ] || [ $to = out.bed ]; then
                refused 3 "1:10 is multiallelic" gt-unpack $from -o $to
            else
                gt-unpack -q -f $from -o $to
                records $to | cmp - <(records x.vcf)
                rm $to*
            fi
        done
        [ "$(gt-unpack -q --skip-multiallelic $from | records | wc -l)" -eq 3 ]
        gt-unpack -q $from -o out.npy
        rm out.npy*
    done
    gt-unpack --skip-multiallelic x.zarr -o out.bed 2>&1 | grep '1 dropped'
    [ "$(gt-unpack -q --split-multiallelic x.vcf | records | wc -l)" -eq 5 ]
    rm out.*
    refused 2 "needs calls" gt-unpack --split-multiallelic x.zarr -o out.vcf
}

@test "a contig or FILTER that the header lacks: VCF has it, BCF says so" {
    need bcftools
    make_vcf | grep -v 'ID=3\|ID=q10' > x.vcf
    refused 3 "the input's header lacks '3'" gt-unpack -q <(make_vcf | grep -v 'ID=3') -o out.bcf
    refused 3 "the input's header lacks 'q10'" gt-unpack -q <(make_vcf | grep -v 'ID=q10') -o out.bcf
    gt-unpack -q x.vcf -o out.vcf
    [ "$(grep -vc '^#' out.vcf)" -eq 4 ]
    gt-pack -q x.vcf -o x.zarr
    gt-unpack -q x.zarr -o out.bcf
    # a store keeps which FILTERs a site has, in the order of its table
    [ "$(records out.bcf | cksum)" = "$(make_vcf | sed 's/q10;GT/GT;q10/' | records - | cksum)" ]
}

# A store of calls with nothing but genotypes, as zarr writes it.
bare_store() {
    mkdir -p "$1/call_genotype"
    echo '{"zarr_format": 2}' > "$1/.zgroup"
    printf '{"zarr_format": 2, "shape": [2, 3, 2], "chunks": [2, 3, 2], "dtype": "|i1", "compressor": null, "filters": null, "fill_value": 0, "order": "C"}' \
        > "$1/call_genotype/.zarray"
    printf '\0\0\0\1\1\1\0\0\377\377\0\1' > "$1/call_genotype/0.0.0"
}

@test "what an input lacks is said; -O npy needs none of it" {
    bare_store x.zarr
    for to in out.vcf out.bcf out.bed; do
        refused 3 "'x.zarr' has no " gt-unpack -q x.zarr -o $to
    done
    gt-unpack -q x.zarr -o out.npy
    [ "$(tail -c 6 out.npy | od -An -td1 | tr -s ' ')" = " 0 1 2 0 -1 1" ]
}

@test "texts that would break a line are refused" {
    make_vcf > x.vcf
    gt-pack -q --codec none x.vcf -o x.zarr
    sed -i 's/rs1/r 1/; s/rs1/r\t1/' x.zarr/variant_id/0*
    refused 3 "id 'r 1' contains a blank" gt-unpack -q x.zarr -o out.vcf
    refused 3 "id 'r 1' contains a blank" gt-unpack -q x.zarr -o out.bed
}

@test "a description of two lines, or with quotes, is one line of the header" {
    need bcftools
    make_vcf | sed 's/^##FORMAT/##INFO=<ID=DP,Number=1,Type=Integer,Description="x">\n&/' > x.vcf
    gt-pack -q --layout vcz x.vcf -o d.vcz
    "$PYTHON" -c 'import json
for path in ".zmetadata", "variant_DP/.zattrs":
    doc = json.load(open("d.vcz/" + path))
    doc.get("metadata", {}).get("variant_DP/.zattrs", doc)["description"] = "two\nlines, \"quoted\""
    json.dump(doc, open("d.vcz/" + path, "w"))'
    gt-unpack -q d.vcz -o d.vcf
    grep -Fx '##INFO=<ID=DP,Number=1,Type=Integer,Description="two lines, \"quoted\"">' d.vcf
    [ "$(bcftools view -h d.vcf | grep -c '^##INFO=<ID=DP,')" -eq 1 ]
}

@test "usage" {
    make_vcf > x.vcf
    refused 2 "-O bed writes PREFIX.bed" gt-unpack -O bed x.vcf
    refused 2 "has the suffix of a table" gt-unpack x.vcf -o out.tsv
    refused 2 "contradicts" gt-unpack -O vcf x.vcf -o out.bcf
    refused 2 "not between 1 and 12" gt-unpack --level 13 x.vcf -o out.bcf
    refused 2 "--level needs BCF or VCF.gz" gt-unpack --level 3 x.vcf -o out.vcf
    bare_store x.zarr
    refused 2 "which is not a genotype" gt-unpack --slice ':,:,1' x.zarr -o out.vcf
    cp x.vcf y.vcf
    run gt-unpack y.vcf -f -o y.vcf
    [ "$status" -eq 2 ]
    cmp x.vcf y.vcf
    make_vcf | gt-unpack -q -o z.vcf.gz
    run gt-unpack z.vcf.gz -o ./z.vcf.gz
    [ "$status" -eq 2 ]
}

@test "no variants, one sample, --json, a plan" {
    need bcftools
    make_vcf | grep '^#' > none.vcf
    for to in vcf vcf.gz bcf bed npy; do
        gt-unpack -q none.vcf -o out.$to
        [ -s out.$to ]
    done
    [ "$(records out.bcf | wc -l)" -eq 0 ]
    [ "$(bcftools index -s out.vcf.gz | wc -l)" -eq 0 ]
    make_vcf | gt-unpack -q -s c | bcftools query -f '[%GT ]\n' | tr '\n' ' ' | grep -x '1/1  0/0  0/1  0/1  '
    make_vcf | gt-unpack -q --json -o j.vcf | grep '"variants": *4'
    make_vcf > x.vcf
    gt-unpack -n x.vcf -o plan.bcf | grep -x 'output         plan.bcf (BCF, with .csi)'
    [ ! -e plan.bcf ]
}

# The file with all of its fields through a store and back, as each format; $2...: more options of gt-pack.
there_and_back() {
    local in=$1
    shift
    rm -rf x.vcz out.*
    gt-pack -q --layout vcz "$in" -o x.vcz "$@"
    bcftools view -H "$in" > a 2> /dev/null
    for to in out.vcf out.vcf.gz out.bcf; do
        gt-unpack -q x.vcz -o $to
        bcftools view -H $to > b 2> said || { cat said; return 1; }
        "$PYTHON" "$GT_SOURCE/test/support/unpack_same.py" a b || { echo "$in as $to"; return 1; }
    done
}

@test "all that VCF Zarr has of a VCF comes back: two files of edge" {
    need bcftools
    need_data
    there_and_back "$GT_TEST_DATA/vcf/edge/sample.vcf.gz"
    there_and_back "$GT_TEST_DATA/vcf/edge/mixed_ploidy.vcf.gz"
}

@test "all that VCF Zarr has of a VCF comes back: every file of edge" {
    need bcftools
    need_data
    local n=0
    for f in "$GT_TEST_DATA"/vcf/edge/*.vcf.gz "$GT_TEST_DATA"/vcf/edge/*.bcf "$GT_TEST_DATA"/vcf/edge/*.bgz; do
        there_and_back "$f"
        n=$((n + 1))
    done
    [ "$n" -gt 30 ]
    there_and_back "$pinf" --zarr-format 3 --chunks variants=1000,samples=7
}

@test "random fields, calls and sites come back" {
    need bcftools
    local how=('' '--chunks variants=3,samples=2' '--zarr-format 3' '--chunks variants=7,samples=5 --zarr-format 3')
    for seed in $(by_level "$(seq -s ' ' 0 9)" "$(seq -s ' ' 0 15)" "$(seq -s ' ' 0 15)"); do
        "$PYTHON" "$GT_SOURCE/test/support/unpack_random.py" "$seed" > random.vcf
        # shellcheck disable=SC2086
        there_and_back random.vcf ${how[seed % 4]} || { echo "seed $seed"; return 1; }
    done
    [ "$seed" -ge 9 ]
}

make_fields() {
    printf '##fileformat=VCFv4.3\n##contig=<ID=1,length=9000>\n##contig=<ID=2>\n##FILTER=<ID=q10,Description="low q">\n'
    printf '##INFO=<ID=AF,Number=A,Type=Float,Description="freq">\n##INFO=<ID=DB,Number=0,Type=Flag,Description="known">\n'
    printf '##INFO=<ID=S,Number=.,Type=String,Description="words">\n'
    printf '##FORMAT=<ID=GT,Number=1,Type=String,Description="Genotype">\n##FORMAT=<ID=PL,Number=G,Type=Integer,Description="pl">\n'
    printf '##FORMAT=<ID=FT,Number=1,Type=String,Description="ft">\n##FORMAT=<ID=DS,Number=.,Type=Float,Description="ds">\n'
    printf '#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\ta\tb\tc\td\te\n'
    printf '1\t10\trs1\tA\tC,<DEL>\t18013.25\tPASS\tAF=0.1,1e-07;DB;S=x,yy,.\tGT:PL:FT:DS\t0/2:0,1000,-3:ok:0.5\t1|2:.:.:1e-05,2'
    printf '\t.:1,2,3,4,5,70000:a,b:.\t./1:.:.:nan\t0|0:.:.:.\n'
    printf '1\t20\t.\tA\t.\t.\t.\t.\tGT\t0/0\t0|0\t.\t./.\t.|.\n'
    printf '2\t5\tx\tAC\tA\t0\tq10\tS=z\tGT:DS\t0\t1\t.\t1\t0/1:3.25\n'
    printf '2\t7\ty\tA\tG\t1\tPASS\tAF=0.25\tPL\t1,2,3\t.\t3,2,1\t.\t.\n'
}

@test "fields, calls and the header come back, of samples and sites that are asked for" {
    need bcftools
    make_fields > x.vcf
    gt-pack -q --layout vcz --chunks variants=3,samples=2 x.vcf -o x.vcz
    gt-unpack -q --no-version x.vcz > all.vcf
    grep -qx '##INFO=<ID=AF,Number=A,Type=Float,Description="freq">' all.vcf
    grep -qx '##INFO=<ID=DB,Number=0,Type=Flag,Description="known">' all.vcf
    grep -qx '##FORMAT=<ID=PL,Number=G,Type=Integer,Description="pl">' all.vcf
    grep -qx '##FILTER=<ID=q10,Description="low q">' all.vcf
    grep -qx '##contig=<ID=1,length=9000>' all.vcf
    for o in '' '-s d,a' '-s ^b' '-r 2' '-r 1:20-30' '--min-alleles 3' '--pass' '-s e,b,a -r 1' '--snps' '--thin 2' '--slice 1:4,::2'; do
        # shellcheck disable=SC2086
        gt-unpack -q -I $o x.vcz -o out.vcf -f
        # shellcheck disable=SC2086
        gt-unpack -q -I $o x.vcz -o out.bcf -f
        bcftools view -H out.vcf > a
        bcftools view -H out.bcf > b
        cmp a b
        bcftools view -H -I -s "$(grep '^#CHROM' out.vcf | cut -f 10- | tr '\t' ',')" x.vcf > whole
        cut -f 1,2 a > places
        grep -wf places whole > c
        "$PYTHON" "$GT_SOURCE/test/support/unpack_same.py" c a || { echo "$o"; return 1; }
    done
    grep '^1.10' all.vcf | cut -f 10- | grep -qP '^0/2:0,1000,-3:ok:0.5\t1\|2:\.:\.:1e-05,2\t'
}

@test "a fill value between values is written as missing, and those after the last value are not" {
    "$PYTHON" -c 'import zarr' 2> /dev/null || skip "no python3-zarr"
    for type in int8 int16 int32; do
        {
            printf '##fileformat=VCFv4.2\n##contig=<ID=1>\n##FORMAT=<ID=GT,Number=1,Type=String,Description="x">\n##FORMAT=<ID=XX,Number=.,Type=Integer,Description="x">\n'
            printf '#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\ta\tb\n1\t10\t.\tA\tC\t.\t.\t.\tGT:XX\t0/1:5,6,7,8\t1/1:%s,2,3\n' $((${type#int} < 32 ? 2 ** (${type#int} - 1) - 1 : 2 ** 30))
        } > x.vcf
        gt-pack -q -f --layout vcz x.vcf -o x.vcz
        "$PYTHON" -c 'import sys, zarr
a = zarr.open("x.vcz/call_XX")
assert a.dtype == sys.argv[1] and a[0, 1, 3] == -2, (a.dtype, a[:])
a[0, 0, 1] = a[0, 1, 1] = -2; a[0, 0, 2] = -1' $type
        want=$(printf '0/1:5,.,.,8\t1/1:%s,.,3' "$(grep -v '^#' x.vcf | cut -f 11 | sed 's/.*:\([0-9]*\),.*/\1/')")
        [ "$(gt-unpack -q x.vcz | grep -v '^#' | cut -f 10-)" = "$want" ]
        gt-unpack -q -f x.vcz -o x.bcf
        [ "$(bcftools view -H x.bcf | cut -f 10-)" = "$want" ]
    done
}

@test "records are the same bytes for any threads, memory, kernels" {
    need_data
    gt-pack -q --layout vcz "$pinf" -o x.vcz --chunks variants=500,samples=4
    gt-unpack -q --no-version x.vcz -o one.vcf
    for o in '-@ 1' '-@ 7' '--memory 64M -@ 3' '--io 1'; do
        # shellcheck disable=SC2086
        gt-unpack -q --no-version $o x.vcz | cmp - one.vcf
    done
    GT_CPU=ref gt-unpack -q --no-version x.vcz | cmp - one.vcf
}

@test "records are the same bytes of kinds of store; regions of their index are those of a scan" {
    need_data
    gt-pack -q --layout vcz "$pinf" -o x.vcz --chunks variants=500,samples=4
    gt-unpack -q --no-version x.vcz -o one.vcf
    for x in x.zip x.tar; do
        gt-pack -q --layout vcz "$pinf" -o $x --chunks variants=500,samples=4
        gt-unpack -q --no-version $x | grep -v '^##' | cmp - <(grep -v '^##' one.vcf)
    done
    gt-unpack -q --no-version - < x.tar | grep -v '^##' | cmp - <(grep -v '^##' one.vcf)
    gt-unpack -q x.vcz -o y.vcf.gz
    need bcftools
    at=$(bcftools query -f '%CHROM:%POS\n' y.vcf.gz | sed -n 300p)
    [ "$(bcftools view -H -r "$at" y.vcf.gz | cksum)" = "$(bcftools view -H -t "$at" y.vcf.gz | cksum)" ]
}

@test "several stores with fields are joined; what no VCF can hold is refused" {
    need bcftools
    make_fields > x.vcf
    grep -v '^2' x.vcf > 1.vcf
    grep -v '^1' x.vcf > 2.vcf
    gt-pack -q --layout vcz 1.vcf -o 1.vcz
    gt-pack -q --layout vcz 2.vcf -o 2.vcz
    bcftools view -H x.vcf > a
    for to in out.vcf out.bcf; do
        gt-unpack -q 2.vcz 1.vcz -o $to
        bcftools view -H $to > b
        "$PYTHON" "$GT_SOURCE/test/support/unpack_same.py" a b
    done
    rm out.*
    gt-pack -q --layout vcz x.vcf -o x.vcz
    gt-unpack -q --split-multiallelic --half-call missing x.vcf | grep -v '^##' > split
    gt-unpack -q --split-multiallelic --half-call missing x.vcz | grep -v '^##' | cmp - split
    "$PYTHON" "$GT_SOURCE/test/support/unpack_bad.py" x.vcz
    refused 3 "INFO/S 'a;b' has a character that separates fields" gt-unpack x.vcz -o out.vcf
    refused 3 "INFO/S 'a;b' has a character that separates fields" gt-unpack x.vcz -o out.bcf
}

@test "a contig that comes back: a warning and no index; values of a call in chunks of their own" {
    {
        printf '##fileformat=VCFv4.3\n##contig=<ID=1>\n##contig=<ID=2>\n##FORMAT=<ID=GT,Number=1,Type=String,Description="x">\n'
        printf '##FORMAT=<ID=PL,Number=G,Type=Integer,Description="x">\n#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\ta\tb\n'
        printf '%s\t.\tA\tC\t.\t.\t.\tGT:PL\t0/1:1,2,3\t0/0:%s\n' $'1\t5' 4,5,6 $'2\t6' 7,8,9 $'1\t7' 0,2,1
    } > in.vcf
    grep -v '^#' in.vcf > want
    run -0 --separate-stderr gt-unpack in.vcf -o out.vcf.gz
    [[ $stderr == *"'out.vcf.gz' has no index: its records are not in order"* ]]
    gzip -dc out.vcf.gz | grep -v '^#' | diff want -
    [ ! -e out.vcf.gz.csi ]
    [ ! -e out.vcf.gz.tbi ]
    gt-pack -q --layout vcz in.vcf -o in.vcz
    gt-rechunk -q -c genotypes=2 in.vcz -o cut.vcz
    gt-unpack -q -O vcf cut.vcz | grep -v '^#' | diff want -
}

@test "chunks of one value each, of several values in turn, come back" {
    {
        printf '##fileformat=VCFv4.3\n##contig=<ID=1>\n##FORMAT=<ID=GT,Number=1,Type=String,Description="x">\n'
        awk 'BEGIN {
            OFS = "\t"; same[0] = "0/0"; same[1] = "1/1"; same[2] = "./."
            head = "#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT"
            for (i = 0; i < 70; i++) { head = head "\ts" i; for (k in same) calls[k] = calls[k] "\t" same[k] }
            print head
            for (v = 0; v < 9000; v++) print 1, v + 1, ".", "A", "C", ".", ".", ".", "GT" calls[int(v / 1000) % 3]
        }'
    } > in.vcf
    gt-pack -q -@ 1 --layout vcz in.vcf -o in.vcz # one thread meets all chunks
    gt-unpack -q -O vcf in.vcz | grep -v '^#' | cmp - <(grep -v '^#' in.vcf)
}

@test "END of symbolic ALTs and of records without ALT comes back from packed stores" {
    {
        printf '##fileformat=VCFv4.3\n##FILTER=<ID=q,Description="q">\n##contig=<ID=1>\n##INFO=<ID=END,Number=1,Type=Integer,Description="e">\n'
        printf '##ALT=<ID=DEL,Description="d">\n##FORMAT=<ID=GT,Number=1,Type=String,Description="g">\n'
        printf '#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\ta\tb\n'
        while read -r pos ref alt filter info; do
            printf '1\t%s\tv%s\t%s\t%s\t1.5\t%s\t%s\tGT\t0/0\t%s\n' "$pos" "$pos" "$ref" "$alt" "$filter" "$info" "$([ "$alt" = . ] && echo 0/0 || echo 0/1)"
        done <<< '5 A C PASS .
9 A <DEL> q END=2000000
10 A . PASS END=20
12 ATC A PASS .
13 ATC <DUP:TANDEM> q END=14
14 A <INS> PASS .
15 A <*> PASS END=300'
    } > in.vcf
    gt-pack -q in.vcf -o p.zarr
    fields='%CHROM %POS %ID %REF %ALT %QUAL %FILTER %END %INFO[ %GT]\n'
    bcftools query -f "$fields" in.vcf > want
    gt-unpack -q -O vcf p.zarr | bcftools query -f "$fields" | diff want -
    gt-unpack -q p.zarr -o p.bcf
    bcftools query -f "$fields" p.bcf | diff want -
    [ "$(bcftools view -H -r 1:1500000 p.bcf | cut -f 3)" = v9 ]
}
