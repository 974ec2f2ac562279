#!/usr/bin/env bats
# gt-pack --layout vcz: field by field what bio2zarr makes of a VCF; the same store however it is made; what is refused.

bats_require_minimum_version 1.5.0

. "$GT_SOURCE/test/support/level.bash"

setup() { cd "$BATS_TEST_TMPDIR" || exit 1; }

need_data() { [ -e "$GT_TEST_DATA/README.md" ] || skip "no test data"; }
need_bio2zarr() { [ -n "${PYTHON_VCZ:-}" ] || skip "no bio2zarr: PYTHON_VCZ is not set (scripts/test makes it where it can)"; }
need_zarr() { "$PYTHON" -c 'import zarr, numpy' 2> /dev/null || skip "no python3-zarr"; }
vcz() { gt-pack -q --no-version --layout vcz "$@"; }
# What two stores say, by zarr-python 2, in any chunks.
same() { "$PYTHON" "$GT_SOURCE/test/support/vcz_same.py" "$@"; }

refused() {
    local code=$1 text=$2
    shift 2
    run --separate-stderr gt-pack -q --layout vcz -o out.vcz "$@"
    [ "$status" -eq "$code" ] || { echo "exit $status, not $code: $stderr"; return 1; }
    [[ "$stderr" == *"$text"* ]] || { echo "no '$text' in: $stderr"; return 1; }
    [ "$(grep -vc '^hint: ' <<< "$stderr")" -eq 1 ] || { echo "not one line: $stderr"; return 1; }
    [ -z "$(find . -name 'out.vcz*')" ] || { echo "left: $(ls)"; return 1; }
}

header() {
    printf '##fileformat=VCFv4.3\n##contig=<ID=1,length=1000>\n##contig=<ID=2,length=2000>\n##FILTER=<ID=q10,Description="ten">\n'
    for f in II:.:Integer I1:1:Integer IF:.:Float IS:.:String IC:.:Character C1:1:Character FL:0:Flag AA:A:Integer RR:R:Float; do
        IFS=: read -r id number type <<< "$f"
        printf '##INFO=<ID=%s,Number=%s,Type=%s,Description="of %s">\n' "$id" "$number" "$type" "$id"
    done
    for f in GT:1:String FI:.:Integer FF:1:Float FS:.:String FC:1:Character AD:R:Integer PL:G:Integer; do
        IFS=: read -r id number type <<< "$f"
        printf '##FORMAT=<ID=%s,Number=%s,Type=%s,Description="of %s">\n' "$id" "$number" "$type" "$id"
    done
    printf '#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\ta\tb\tc\td\n'
}

# Records whose widths, counts and ploidies grow late; 40 of them.
many() {
    header
    for ((i = 1; i <= 40; i++)); do
        local gt="0/1 1|0 ./. 0|0" info="I1=$i" format="GT:FI:FS" alt=C
        [ "$i" -lt 9 ] || info+=";II=$i,300;FL"
        [ "$i" -lt 17 ] || info="II=1,2,70000;IS=x,y,z;IF=1.5,."
        [ "$i" -lt 23 ] || alt=C,G,T,CA
        [ "$i" -lt 30 ] || gt="0/1/2 1|0 . 2"
        printf '%d\t%d\t.\tA\t%s\t%d.5\tq10\t%s\t%s' $((1 + (i > 20))) $((i * 10)) $alt "$i" "$info" "$format"
        for g in $gt; do printf '\t%s:%d,%d:%s' "$g" "$i" $((i * i * i)) "t$i"; done
        echo
    done
}

@test "vcz: the edge files have the values that bio2zarr gives, but for the order of contigs that a header lacks" {
    need_data
    need_bio2zarr
    # Records on contigs that the header lacks stay where they stand; bio2zarr takes the order of its index.
    elsewhere="sample_missing_contig.vcf.gz sample_missing_contig_csi.vcf.gz sample_missing_contig.bcf"
    # bio2zarr refuses a FILTER that the header lacks; here it is added, with a warning.
    lacking="sample_missing_filter.vcf.gz"
    pairs=()
    mapfile -t files < <(few 20 "$GT_TEST_DATA"/vcf/edge/*.{vcf,vcf.gz,bcf,vcf.bgz} && ls "$GT_TEST_DATA"/vcf/edge/sample_missing_contig{.vcf.gz,_csi.vcf.gz,.bcf} && \
        ls "$GT_TEST_DATA"/vcf/edge/mixed_ploidy.vcf.gz)
    for f in "${files[@]}"; do
        name=${f##*/}
        [[ " $lacking " != *" $name "* ]] && [ ! -e "$name.vcz" ] || continue
        vcz "$f" -o "$name.vcz"
        pairs+=("$f" "$name.vcz")
    done
    [ ${#pairs[@]} -ge "$(by_level 36 60 60)" ] # two for each file
    status=0
    "$PYTHON_VCZ" "$GT_SOURCE/test/support/vcz_oracle.py" --vcf "${pairs[@]}" > said 2> log || status=$?
    [ "$status" -le 1 ] || { cat log; return 1; }
    for name in $elsewhere; do grep -q "^$name: .*values differ" said; done
    # Of a record of haploid calls bio2zarr takes the phase of the last sample from behind the array.
    behind="mixed_ploidy.vcf.gz: call_genotype_phased: 1 values differ"
    run ! grep -v "^\(${elsewhere// /\\|}\): .*values differ\|^$behind" said
    gt-pack --layout vcz "$GT_TEST_DATA/vcf/edge/sample_missing_filter.vcf.gz" -o f.vcz 2> said
    grep -q "FILTER 'q10' is not in the header: it is added" said
}

# as_bio2zarr NAME: what is made of NAME.vcf, as text and as BCF, in one chunk and in several
as_bio2zarr() {
    bgzip -f $1.vcf
    bcftools index -f $1.vcf.gz
    # BCF has the same values, htslib having written it
    bcftools view --no-version -Ob $1.vcf.gz -o $1.bcf
    rm -rf ours*
    vcz --lenient $1.vcf.gz -o ours.vcz
    vcz --lenient $1.vcf.gz -o ours7.vcz --chunks variants=7,samples=3
    vcz --lenient $1.bcf -o oursbcf.vcz
    "$PYTHON_VCZ" "$GT_SOURCE/test/support/vcz_oracle.py" --vcf $1.vcf.gz ours.vcz $1.vcf.gz ours7.vcz $1.vcf.gz oursbcf.vcz
}

@test "vcz: growing widths and ploidies are bio2zarr's" {
    need_bio2zarr
    many > m.vcf
    as_bio2zarr m
}

@test "vcz: values of every form are bio2zarr's" {
    need_bio2zarr
    {
        header
        printf '1\t10\tx;y\tA\tC,G\t.\tPASS\tII=1,2,.;I1=5;IF=1.5,.,3;IS=a,b;IC=x,y;C1=q;FL;AA=1,2;RR=.1,1e-3,3e38'
        printf '\tGT:FI:FF:FS:FC:AD:PL\t0|1:1,2,3:1.5:a,b:x:1,2,3:1,2,3,4,5,6\t0/1:.:.:.:.:.:.\t1\t./.:-5,.:-0:c:yz:300,.,70000:0,0,0,0,0,255\n'
        printf '1\t20\t.\tA\tC\t1e-3\tq10\tII=.;I1=.;IF=.;IS=.;IC=.;C1=.\tFI\t1\t.\t3\t4\n'
        printf '1\t30\t.\tA\tC,G\t3\t.\tII=1.5,x,99999999999;I1=2.7;IF=1e40,abc,1.5x;IS=;IC=xyz;C1=q\tGT\t1|1\t.|.\t0|1|2\t1|0\n'
        printf '2\t40\t.\tA\tC\t50\tPASS;q10\tII=7,,8;I1=3,4;IF=1,,2;IS=a,,b;IC=x,,z;II=9\tGT:FS\t0/0\t1/1:q\t./.\t0/1\n'
        printf '2\t50\t.\tACGT\tC\t.\t.\t.\tGT\t./.\t./.\t./.\t.|.\n'
    } > v.vcf
    as_bio2zarr v
}

@test "vcz: text and BCF of the same records are the same bytes, also where nobody has what FORMAT names last" {
    command -v bcftools > /dev/null || skip "no bcftools"
    {
        header
        printf '1\t1\t.\tA\tC\t.\t.\t.\tGT:FI:FF:FS\t0|1:1,2:1:a,b\t1/1:3,4:2:c\t0/1/1\t1\n'
        printf '1\t2\t.\tA\tC\t.\t.\t.\tFC:GT\tx\ty\tz\tw\n'
        printf '1\t3\t.\tA\tC\t.\t.\t.\tFC:GT\tx\ty\tz:.\tw\n'
        printf '1\t4\t.\tA\tC\t.\t.\t.\tFC:FI:FF:FS:AD:GT\tx\ty\tz\tw\n'
        printf '1\t5\t.\tA\tC\t.\t.\t.\tFC:FI:FF:FS:AD:GT\tx\ty:1\tz:.:3:b\tw\n'
        printf '1\t6\t.\tA\tC\t.\t.\t.\tFC:GT\tx\ty\tz:0/1\tw\n'
        printf '1\t7\t.\tA\tC\t.\t.\t.\tFI:GT\t1\t2:1/1\t3:0/1\t4\n' # as long as the one before
        printf '1\t8\t.\tA\tC\t.\t.\t.\tGT:FS\t0/1:x\t1/1:y\t0/1\t1\n'
    } > t.vcf
    bcftools view --no-version -Ob t.vcf -o t.bcf
    vcz t.vcf -o text.vcz
    vcz t.bcf -o bcf.vcz
    diff -r -x .zattrs -x .zmetadata text.vcz bcf.vcz
    [ "$(gt-unpack -q --no-version text.vcz | sed -n 's/^1\t2\t.*\t\(GT.*\)/\1/p')" = "GT:FC	.:x	.:y	.:z	.:w" ]
    [ "$(gt-unpack -q --no-version text.vcz | sed -n 's/^1\t7\t.*\t\(GT.*\)/\1/p')" = "GT:FI	.:1	1/1:2	0/1:3	.:4" ]
}

@test "vcz: numbers of which nothing is written are an error or missing, in text as in BCF; flags of samples are refused" {
    need_zarr
    {
        header | sed '/^#CHROM/d'
        printf '##FORMAT=<ID=FL,Number=0,Type=Flag,Description="f">\n##FORMAT=<ID=FM,Number=.,Type=Float,Description="m">\n'
        printf '#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT'
        printf '\ts%d' {1..20}
        for x in '5,' ,5 5,,6 ',' ''; do
            for y in 1 1,2,3 "$x"; do
                printf '\n1\t1\t.\tA\tC\t.\t.\tII=%s;IF=%s\tFI:FM' "$x" "$x"
                for _ in {1..10}; do printf '\t%s:%s\t%s:%s' "$y" "$y" "$x" "$x"; done
            done
        done
    } > n.vcf
    echo >> n.vcf
    refused 3 "(1:1): sample 's2' has FI '5,': a value is missing next to a comma" --fields FI n.vcf
    refused 3 "(1:1): INFO has IF '5,': a value is missing next to a comma" --fields INFO/IF n.vcf
    vcz --lenient --fields FI,FM,II,IF n.vcf -o n.vcz
    "$PYTHON" -c '
import numpy as np, zarr
g = zarr.open_group("n.vcz", mode="r")
def row(x, k, whole):
    x = [(-1 if whole else 0x7F800001) if v == "" else int(v) if whole else int(np.float32(v).view("u4")) for v in x.split(",")]
    return (x + [-2 if whole else 0x7F800002] * k)[:k]
v = 0
for x in ["5,", ",5", "5,,6", ",", ""]:
    for y in ["1", "1,2,3", x]:
        for a, info, whole in (("FI", "II", True), ("FM", "IF", False)):
            got, of_info = g["call_" + a][v], g["variant_" + info][v]
            got, of_info = (got, of_info) if whole else (got.view("u4"), of_info.view("u4"))
            assert got.tolist() == [row(y, 3, whole), row(x, 3, whole)] * 10, (v, got)
            wanted = row(x, 3, whole) if x else [row("", 1, whole)[0]] * 3
            assert of_info.tolist() == wanted, (v, of_info, wanted)
        v += 1
'
    if command -v bcftools > /dev/null; then
        bcftools view --no-version -Ob n.vcf -o n.bcf 2> log
        vcz --fields FI,FM,II,IF n.bcf -o bcf.vcz
        diff -r n.vcz/call_FI bcf.vcz/call_FI
        diff -r n.vcz/variant_II bcf.vcz/variant_II
        diff -r n.vcz/variant_IF bcf.vcz/variant_IF
    fi
    for x in x 5x 5,x 1.5 ' 5'; do
        sed "s/FI:FM\t1:1/FI:FM\t$x:1/" n.vcf > bad.vcf
        refused 3 "sample 's1' has FI '$x': not a number" --lenient --fields FI bad.vcf
    done
    sed 's/FI:FM/FI:FL/' n.vcf > flag.vcf
    refused 3 "FORMAT/FL has Type=Flag" --lenient flag.vcf
    vcz --lenient --fields FI flag.vcf -o flag.vcz
    diff -r n.vcz/call_FI flag.vcz/call_FI
}

@test "vcz: the same bytes for any number of threads, the same values in any chunks and store" {
    need_zarr
    many > m.vcf
    vcz m.vcf -@ 1 -o 1.vcz --chunks variants=3,samples=2
    for n in 2 4 4 4; do
        rm -rf n.vcz
        vcz m.vcf -@ $n -o n.vcz --chunks variants=3,samples=2
        diff -r 1.vcz n.vcz
    done
    vcz m.vcf -o whole.vcz
    same 1.vcz whole.vcz
    vcz - --chunks variants=3,samples=2 --memory 64M -o pipe.vcz < m.vcf
    diff -r 1.vcz pipe.vcz
    vcz m.vcf --zarr-format 3 -o z.zip --chunks variants=3,samples=2
    vcz m.vcf -o - --chunks variants=3,samples=2 > s.tar
    mkdir s.vcz
    tar x -C s.vcz -f s.tar
    diff -r 1.vcz s.vcz
    [[ "$(tar tf s.tar | head -3 | tr '\n' ' ')" == ".zmetadata .zgroup .zattrs " ]]
    for s in 1.vcz z.zip s.tar; do gt-info --check $s; done
    [ "$(gt-info z.zip | grep -c call_)" -eq 9 ]
}

@test "vcz: position 0 comes back; without its chunk there is none; what becomes of calls is told where filters count them" {
    printf '##fileformat=VCFv4.2\n##contig=<ID=1,length=1000>\n##FORMAT=<ID=GT,Number=1,Type=String,Description="x">\n#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\ta\tb\n' > x.vcf
    printf '1\t%s\t.\tA\tC\t.\t.\t.\tGT\t0/1/1\t./1\n' 0 5 >> x.vcf
    for format in 2 3; do
        gt-pack -f --zarr-format $format --layout vcz x.vcf -o x.vcz 2> said
        run ! grep -E "half call|ploidy above" said
        gt-unpack -q x.vcz | grep -v '^##' | cmp - <(grep -v '^##' x.vcf)
        gt-info --check --deep x.vcz | grep " 0 damaged"
        gt-pack -f --geno 0.9 --layout vcz x.vcf -o filtered.vcz 2> said
        grep -q "half calls, read as missing" said
        rm "$(find x.vcz/variant_position -name 0)"
        run gt-unpack x.vcz
        [ "$status" -eq 3 ]
        [[ $output == *"chunk 'variant_position/"*" is missing"* ]]
        # in a stream and in shards it can be told as well whether the chunk is there
        gt-pack -q --zarr-format $format --layout vcz x.vcf -o - > x.tar
        gt-unpack -q x.tar | grep -v '^##' | cmp - <(grep -v '^##' x.vcf)
        gt-unpack -q - < x.tar | grep -v '^##' | cmp - <(grep -v '^##' x.vcf)
        rm -rf part
        mkdir part
        tar xf x.tar -C part
        tar tf x.tar | grep -v '^variant_position/\(c/\)\?0$' > names
        tar cf x.tar -C part --no-recursion -T names
        run gt-unpack x.tar
        [ "$status" -eq 3 ]
        [[ $output == *"variant 1 has position 0 in 'variant_position'"*"missing chunks read as 0"* ]]
    done
}

@test "vcz: selections, of samples, of sites and of several inputs" {
    need_zarr
    many > m.vcf
    vcz m.vcf -s d,a -r 1:50-150 -o some.vcz
    grep '^#' m.vcf | cut -f 1-9,13,10 > t.vcf || true
    "$PYTHON" - m.vcf > t.vcf << 'PY'
import sys
for line in open(sys.argv[1]):
    f = line.rstrip("\n").split("\t")
    if line.startswith("##"):
        print(line, end="")
    elif line.startswith("#") or (f[0] == "1" and 50 <= int(f[1]) <= 150):
        print("\t".join(f[:9] + [f[12], f[9]]))
PY
    vcz t.vcf -o all.vcz
    same some.vcz all.vcz
    { grep '^#' m.vcf; grep '^1' m.vcf; } > 1.vcf
    { grep '^#' m.vcf; grep '^2' m.vcf; } > 2.vcf
    vcz 2.vcf 1.vcf -o both.vcz
    vcz m.vcf -o whole.vcz
    same both.vcz whole.vcz
    vcz m.vcf --maf 0.45 -o maf.vcz
    [ "$(gt-info --json maf.vcz | "$PYTHON" -c 'import json, sys; print(json.load(sys.stdin)["variants"])')" -lt 40 ]
}

@test "vcz: --fields and --ploidy" {
    need_zarr
    many > m.vcf
    arrays() { (cd "$1" && echo call_* variant_*); }
    sites="variant_allele variant_contig variant_filter variant_id variant_id_mask"
    vcz m.vcf --fields none -o none.vcz
    [ "$(arrays none.vcz)" = "call_* $sites variant_length variant_position variant_quality" ]
    vcz m.vcf --fields GT,INFO/FL,FORMAT/FI -o some.vcz
    [ "$(arrays some.vcz)" = "call_FI call_genotype call_genotype_mask call_genotype_phased variant_FL $sites variant_length variant_position variant_quality" ]
    vcz m.vcf --fields INFO -o info.vcz
    [[ "$(arrays info.vcz)" == "call_* variant_AA"* ]]
    vcz m.vcf --ploidy 4 -o four.vcz
    [ "$("$PYTHON" -c 'import zarr; print(zarr.open("four.vcz")["call_genotype"].shape[2])')" -eq 4 ]
    refused 3 "more than --ploidy 2" m.vcf --ploidy 2
    refused 2 "declares no such field" m.vcf --fields INFO/XX
    refused 2 "declares no such field" m.vcf --fields FORMAT/II
    run --separate-stderr gt-pack -q m.vcf --fields all -o out.zarr
    [ "$status" -eq 2 ] && [[ "$stderr" == *"--fields needs --layout vcz"* ]]
}

@test "vcz: what cannot be is refused, and nothing is left" {
    many > m.vcf
    for option in --split-multiallelic "--half-call missing" "--polyploid missing"; do
        # shellcheck disable=SC2086
        refused 2 "--layout vcz keeps the calls" m.vcf $option
    done
    gt-pack -q m.vcf --polyploid missing -o p.zarr
    refused 2 "--layout vcz reads VCF, BCF, PLINK" p.zarr
    refused 2 "EIGENSTRAT; 'p.zarr' is a packed store" m.vcf p.zarr
    sed 's/:1,1:t1/:1,x:t1/' m.vcf > x.vcf
    refused 3 "(1:10): sample 'a' has FI '1,x': not a number" x.vcf
    sed '$ s/$/:more/' m.vcf > x.vcf
    refused 3 "more values than FORMAT names" x.vcf
    sed '$ s/$/:/' m.vcf > x.vcf
    refused 3 "more values than FORMAT names" x.vcf
    sed 's|0/1/2|0/7/2|' m.vcf > x.vcf
    refused 3 "there is no such allele" x.vcf
    sed '$ s/$/\tx/' m.vcf > x.vcf
    refused 3 "5 sample columns" x.vcf
    sed '$ s/\t[^\t]*$//' m.vcf > x.vcf
    refused 3 "3 sample columns" x.vcf
    sed 's/ID=II,/ID=position,/' m.vcf > x.vcf
    refused 3 "INFO/position cannot be an array of VCF Zarr" x.vcf
    sed 's/ID=FL,/ID=..\/..\/FL,/' m.vcf > x.vcf
    refused 3 "cannot be an array of VCF Zarr" x.vcf
    sed 's/ID=I1,Number=1,Type=Integer/ID=I1,Number=1,Type=Float/' m.vcf > y.vcf
    sed -i 's/^1\t/2\t/' y.vcf
    refused 3 "declare INFO/I1 with different Number or Type" m.vcf y.vcf
    bgzip -c m.vcf | head -c -60 > cut.vcf.gz
    refused 3 "truncated" cut.vcf.gz
    grep -v 'ID=IS' m.vcf > z.vcf
    gt-pack --layout vcz z.vcf -o z.vcz 2> said
    grep -q "24 values of fields that the header does not declare are dropped; the first is INFO/IS" said
}

# Calls of every form, AD and PL of every length, in records whose widths grow late.
local_calls() {
    header | grep -v 'FORMAT=<ID=F'
    for ((i = 1; i <= 12; i++)); do
        local alt=C,G pl=0,1,2,3,4,$((i * i * i * i * 5)) ad=5,$((i * i * 20)),7
        [ "$i" -ne 9 ] || { alt=C,G,T,CA; pl=$(seq -s, 15); ad=1,2,3,4,5; }
        printf '1\t%d\t.\tA\t%s\t.\t.\t.\tGT:AD:PL' $((i * 10)) $alt
        printf '\t0/%d:%s:%s' $((i % 3)) "$ad" "$pl" '' '' ''
        printf '\t2|1:%s:%s\t./%d:%s:%s\t%d:%s:%s\n' "$ad" "$pl" $((i % 2)) "$ad" "$pl" $((i % 3)) "$ad" "$pl"
    done | awk -F '\t' -v OFS='\t' '{ print $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $(NF - 2), $(NF - 1), $NF }'
}

@test "vcz: --local-alleles: names, types, axes and values are bio2zarr's, on the edge files, the real ones and made ones" {
    need_data
    need_bio2zarr
    # As above; bio2zarr ends with an error where a record has no AD or PL, or there are no samples.
    elsewhere="sample_missing_contig.vcf.gz sample_missing_contig_csi.vcf.gz sample_missing_contig.bcf"
    pairs=()
    local_calls > local.vcf
    bgzip local.vcf
    bcftools index local.vcf.gz
    mapfile -t files < <(few 14 "$GT_TEST_DATA"/vcf/edge/*.{vcf,vcf.gz,bcf,vcf.bgz})
    for f in "${files[@]}" "$GT_TEST_DATA"/vcf/*.vcf.gz local.vcf.gz; do
        name=${f##*/}
        run --separate-stderr vcz --local-alleles "$f" -o "$name.vcz"
        case $stderr in
        *"has none"* | *"--local-alleles needs diploid calls"*) [ "$status" -ge 2 ] && continue ;;
        esac
        [ "$status" -eq 0 ]
        pairs+=("$f" "$name.vcz")
    done
    [ ${#pairs[@]} -ge "$(by_level 10 50 50)" ] # two for each file
    status=0
    "$PYTHON_VCZ" "$GT_SOURCE/test/support/vcz_oracle.py" --local-alleles "${pairs[@]}" > said 2> log || status=$?
    [ "$status" -le 1 ] || { cat log; return 1; }
    run ! grep -v "^\(${elsewhere// /\\|}\): .*values differ\|: bio2zarr: " said
    [ "$(grep -c ': bio2zarr: ' said)" -le 5 ]
    for name in pinf_sc50.vcf.gz local.vcf.gz; do
        [ -e "$name.vcz/call_LAD/0.0.0" ]
        [ -e "$name.vcz/call_LPL/0.0.0" ]
        [ ! -e "$name.vcz/call_AD" ]
    done
}

@test "vcz: --local-alleles: the same bytes by threads, the same values by chunks; where there is nothing; the way back; what is refused" {
    need_zarr
    local_calls > l.vcf
    printf '1\t200\t.\tA\tC\t.\t.\t.\tGT\t0/1\t1\t1|1\t./.\n1\t210\t.\tA\tC\t.\t.\t.\tPL\t1\t.\t2,3\t4,5,6\n' >> l.vcf
    vcz --local-alleles l.vcf -@ 1 -o 1.vcz --chunks variants=3,samples=3
    vcz --local-alleles l.vcf -@ 4 -o 4.vcz --chunks variants=3,samples=3
    diff -r 1.vcz 4.vcz
    vcz --local-alleles l.vcf -o whole.vcz
    same 1.vcz whole.vcz
    "$PYTHON" - << 'PY'
import zarr
g = zarr.open("whole.vcz")
la, lad, lpl = (g["call_" + n][:] for n in ("LA", "LAD", "LPL"))
assert la[0].tolist() == [[0, 1], [1, 2], [1, -2], [1, -2]], la[0]
assert lad[0].tolist() == [[5, 20], [20, 7], [20, -2], [20, -2]], lad[0]
assert lpl[0].tolist() == [[0, 1, 2], [2, 4, 5], [2, -2, -2], [2, -2, -2]], lpl[0]
assert la[12].tolist() == [[0, 1], [1, -2], [1, -2], [-2, -2]], la[12]
assert (lad[12:] == -1).all() and (lpl[12] == -1).all()
assert (la[13] == -2).all() and (lpl[13] == -2).all()
assert lad.dtype == "i2" and lpl.dtype == "i4" and la.dtype == "i1"
assert "call_AD" not in g and "call_PL" not in g
PY
    gt-unpack -q whole.vcz > back.vcf
    [ "$(grep -v '^#' back.vcf | head -1 | cut -f 9-)" = $'GT:LA:LAD:LPL\t0/1:0,1:5,20:0,1,2\t2|1:1,2:20,7:2,4,5\t./1:1:20:2\t1:1:20:2' ]
    refused 3 "FORMAT/LA already exists, and --local-alleles would write it again" back.vcf --local-alleles
    vcz back.vcf -o again.vcz
    refused 2 "what --fields keeps of 'l.vcf' has none" l.vcf --local-alleles --fields AD
    refused 2 "--ploidy says 3" l.vcf --local-alleles --ploidy 3
    sed 's|2.1:|0/2/1:|' l.vcf > t.vcf
    refused 3 "--local-alleles needs diploid calls" t.vcf --local-alleles
    run --separate-stderr gt-pack -q l.vcf --local-alleles -o out.zarr
    [ "$status" -eq 2 ]
    [[ "$stderr" == *"--local-alleles needs --layout vcz"* ]]
    vcz l.vcf --local-alleles --fields GT,PL -o pl.vcz
    [ "$(cd pl.vcz && echo call_L*)" = "call_LA call_LPL" ]
}

# A VCF of one call with $1 as its source, $2 as its ID and $3 as its sample.
one_call() {
    printf '##fileformat=VCFv4.2\n##contig=<ID=1>\n##source=%b\n##FORMAT=<ID=GT,Number=1,Type=String,Description="g">\n' "$1"
    printf '#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\t%b\n1\t10\t%b\tA\tC\t.\t.\t.\tGT\t0/1\n' "$3" "$2"
}

@test "vcz: --local-alleles: the likelihoods of a haploid call are those of its allele" {
    {
        printf '##fileformat=VCFv4.3\n##contig=<ID=1>\n##FORMAT=<ID=GT,Number=1,Type=String,Description="g">\n'
        printf '##FORMAT=<ID=AD,Number=R,Type=Integer,Description="a">\n##FORMAT=<ID=PL,Number=G,Type=Integer,Description="p">\n'
        printf '#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\ta\tb\tc\td\te\n'
        printf '1\t5\t.\tA\tC,G\t.\t.\t.\tGT:AD:PL\t2:1,2,3:10,20,30\t1:1,2,3:10,20,30\t0:1,2,3:10,20,30\t1/2:1,2,3:1,2,3,4,5,6\t1:1,2,3:1,2,3,4,5,6\n'
        printf '1\t6\t.\tA\tC\t.\t.\t.\tGT:AD:PL\t1:1,2:10,20\t1:1,2:10,20\t0:1,2:10,20\t.:1,2:10,20\t0/1:1,2:1,2,3\n'
        printf '1\t7\t.\tA\tC\t.\t.\t.\tGT:AD:PL\t0:1,2:5,6,7\t1:1,2:5,6,7\t1:1,2:5,6,7\t1/1:1,2:5,6,7\t0:1,2:8,9\n' # ploidy 2
    } > h.vcf
    vcz --local-alleles h.vcf -o h.vcz
    # the order of genotypes of VCF 4.3, 1.6.2: of ploidy 1 that of alleles; sample e has values of ploidy 2
    gt-unpack -q h.vcz | bcftools query -f '[%LA=%LPL ]\n' | diff - <(echo '2=30 1=20 0=10 1,2=3,5,6 1=3 '; echo '1=20 1=20 0=10 .=. 0,1=1,2,3 '; echo '0=5 1=7 1=7 1=7 0=8 ')
}

@test "texts that are no UTF-8, which no reader of Zarr takes, are refused" {
    one_call 'Jos\xc3\xa9' 'r\xc3\xa9' 's\xc3\xa9' > good.vcf
    vcz good.vcf -o good.vcz
    [ "$(gt-unpack -q good.vcz | grep -v '^#' | cut -f3)" = "$(printf 'r\xc3\xa9')" ]
    one_call 'Jos\xe9' r s > header.vcf
    one_call x 'r\xe9' s > id.vcf
    one_call x r 's\xe9' > sample.vcf
    one_call x 'r\xed\xa0\x80' s > surrogate.vcf
    for what in "header text of the header" "id ID" "sample sample" "surrogate ID"; do
        for layout in vcz packed; do
            run --separate-stderr gt-pack -q --layout $layout "${what%% *}.vcf" -o out.zarr
            [ "$status" -eq 3 ] && [[ "$stderr" == *"${what#* } '"*"' is not UTF-8"* ]] || { echo "$layout $what: $status $stderr"; return 1; }
            [ ! -e out.zarr ]
        done
        gt-unpack -q "${what%% *}.vcf" > /dev/null
    done
}

# no_utf8 FILE MESSAGE: gt-pack in both layouts, or in $layouts.
no_utf8() {
    local layout
    for layout in ${layouts:-packed vcz}; do
        run --separate-stderr -3 gt-pack -q --layout "$layout" "$1" -o out.zarr
        [ "${stderr_lines[0]}" = "gt-pack: $2, which strings of a Zarr store must be" ]
        [ ! -e out.zarr ]
    done
}

@test "texts of records that are no UTF-8: the message has the file, the site and the field, the hint has what to convert" {
    {
        printf '##fileformat=VCFv4.3\n##contig=<ID=1>\n##FORMAT=<ID=GT,Number=1,Type=String,Description="g">\n'
        printf '##FORMAT=<ID=FT,Number=1,Type=String,Description="f">\n##INFO=<ID=ANN,Number=.,Type=String,Description="i">\n'
        printf '#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\ta\n1\t5\tx\tA\tC\t.\t.\tANN=b,k\tGT:FT\t0/1:c\n'
        printf '1\t7\ty\tA\t<D>\t.\tPASS\tANN=b,z\tGT:FT\t0/1:w\n'
    } > good.vcf
    sed 's/^1\t7/n\xe9\t7/' good.vcf > contig.vcf
    sed 's/\ty\t/\ty\xe9\t/' good.vcf > id.vcf
    sed 's/<D>/<D\xe9>/' good.vcf > allele.vcf
    sed 's/PASS/q\xe9/' good.vcf > filter.vcf
    sed 's/b,z/b,z\xe9/' good.vcf > info.vcf
    sed 's/:w/:w\xe9/' good.vcf > format.vcf
    no_utf8 contig.vcf "'contig.vcf' (n\\xe9:7): contig 'n?' is not UTF-8"
    no_utf8 id.vcf "'id.vcf' (1:7): ID 'y?' is not UTF-8"
    [ "${stderr_lines[1]}" = "hint: convert the VCF with iconv -f LATIN1 -t UTF-8" ]
    no_utf8 allele.vcf "'allele.vcf' (1:7): allele '<D?>' is not UTF-8"
    no_utf8 filter.vcf "'filter.vcf': FILTER 'q?' is not UTF-8"
    sed '2i ##FILTER=<ID=q\xe9,Description="q">' filter.vcf > declared.vcf
    no_utf8 declared.vcf "'declared.vcf': FILTER 'q?' is not UTF-8"
    layouts=vcz no_utf8 info.vcf "'info.vcf' (1:7): INFO/ANN 'z?' is not UTF-8"
    layouts=vcz no_utf8 format.vcf "'format.vcf' (1:7): FORMAT/FT 'w?' is not UTF-8"
    [ "${stderr_lines[1]}" = "hint: convert the VCF with iconv -f LATIN1 -t UTF-8" ]
    gt-unpack -q id.vcf -O bcf -o id.bcf
    no_utf8 id.bcf "'id.bcf' (1:7): ID 'y?' is not UTF-8"
    [[ "${stderr_lines[1]}" == "hint: make VCF of it"* ]]
    gt-sim -q --samples 3 --variants 4 -O bed -o b
    sed -i '2s/^\(.*\t\)S2\t/\1S\xe9\t/' b.fam
    no_utf8 b.bed "'b.bed': sample 'S?' is not UTF-8"
    [ "${stderr_lines[1]}" = "hint: convert the .bim and the .fam with iconv -f LATIN1 -t UTF-8" ]
    run -3 gt-pdist -q b.bed -O zarr -o d.zarr
    [ "$output" = "gt-pdist: array 'sample_id': string 'S?' is not UTF-8, which strings of a Zarr store must be" ]
}

@test "calls that the header does not declare are no field like others: an error" {
    one_call x r s | sed '/^##FORMAT/d' > x.vcf
    refused 3 "FORMAT has GT, but the header does not declare it" x.vcf
    refused 2 "option '--ploidy' must be at least 1" --ploidy 0 x.vcf
    refused 2 "--fields ''" --fields '' x.vcf
    gt-pack -q x.vcf -o x.zarr # which has nothing but calls
}

@test "a chunk that a store lost is an error, no fill value" {
    gt-sim -q --samples 5 --variants 40 -O vcf -o x.vcf
    vcz --chunks variants=10 x.vcf -o x.vcz
    for chunk in call_genotype/2.0.0 variant_contig/0 variant_filter/1.0 variant_allele/3.0; do
        mv "x.vcz/$chunk" lost
        run --separate-stderr gt-unpack -q x.vcz -o out.vcf
        [ "$status" -eq 3 ] && [[ "$stderr" == *"chunk '$chunk' is missing"* ]] || { echo "$chunk: $status $stderr"; return 1; }
        run gt-info --check --deep x.vcz
        [ "$status" -eq 3 ]
        mv lost "x.vcz/$chunk"
    done
    gt-unpack -q x.vcz -o out.vcf
}

@test "a FORMAT key that a record has twice: the first one counts, as for bcftools" {
    command -v bcftools > /dev/null || skip "no bcftools"
    need_zarr
    printf '##fileformat=VCFv4.2\n##contig=<ID=1,length=1000>\n##FORMAT=<ID=GT,Number=1,Type=String,Description="x">\n' > x.vcf
    printf '##FORMAT=<ID=DP,Number=1,Type=Integer,Description="x">\n#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\ta\tb\n' >> x.vcf
    printf '1\t5\t.\tA\tC\t.\t.\t.\tGT:DP:DP\t0/1:3:7\t1/1:4:8\n' >> x.vcf
    vcz x.vcf -o x.vcz
    [ "$("$PYTHON" -c 'import zarr; print(*zarr.open("x.vcz")["call_DP"][0])')" = "$(bcftools query -f '[%DP ]' x.vcf | xargs)" ]
}

@test "a store is no input of --layout vcz: what the hint says makes one" {
    need_zarr
    gt-sim -q --samples 5 --variants 20 --seed 1 -o s.zarr
    refused 2 "--layout vcz reads VCF, BCF, PLINK and EIGENSTRAT; 's.zarr' is a" s.zarr
    # shellcheck disable=SC2154
    hint=$(sed -n 's/^hint: .*: gt-unpack/gt-unpack -q/p' <<< "$stderr")
    [ -n "$hint" ]
    $hint > s.vcf
    vcz s.vcf -o s.vcz
    [ "$("$PYTHON" -c 'import zarr; print(zarr.open("s.vcz")["call_genotype"].shape)')" = "(20, 5, 2)" ]
}

@test "256 FORMAT fields of a record, 255 in BCF; lines of a header that no VCF can have are not written" {
    command -v bcftools > /dev/null || skip "no bcftools"
    fields() { # N: a VCF whose record has N FORMAT fields
        printf '##fileformat=VCFv4.3\n##contig=<ID=1>\n##FORMAT=<ID=GT,Number=1,Type=String,Description="x">\n'
        printf '##FORMAT=<ID=F%d,Number=1,Type=Integer,Description="x">\n' $(seq 2 "$1")
        printf '#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\ta\n1\t5\t.\tA\tC\t.\t.\t.\tGT%s\t0/1%s\n' "$(printf ':F%d' $(seq 2 "$1"))" \
            "$(printf ':%d' $(seq 2 "$1"))"
    }
    for n in 255 256; do
        fields $n > x.vcf
        vcz -f x.vcf -o x.vcz
        gt-unpack -q --no-version x.vcz | tail -n 1 | cmp - <(tail -n 1 x.vcf)
        for from in x.vcf x.vcz; do
            rm -f x.bcf
            run gt-unpack -q $from -o x.bcf
            if [ $n -eq 255 ]; then
                bcftools view -H x.bcf | cmp - <(tail -n 1 x.vcf)
            else
                { [ "$status" -eq 3 ] && [ ! -e x.bcf ]; } || { echo "$from: $status $output"; return 1; }
                [ $from = x.vcf ] || [[ $output == *"1:5 has 0 INFO and 256 FORMAT fields; a BCF record has at most 65,535 and 255"* ]]
            fi
        done
    done
    fields 257 > x.vcf
    refused 3 "'x.vcf' (1:5): more than 256 FORMAT fields" x.vcf
    rm x.vcz/.zmetadata
    "$PYTHON" - << 'PY'
import json
attrs = json.load(open("x.vcz/.zattrs"))
attrs["vcf_meta_information"] = [["fileformat", "VCFv9"], ["source", "me"], ["", "empty"], ["a=b", "x"], ["c\rd", "x"], ["c\nd", "x"], ["e", "f\ng"],
    ["h", "i\rj"], ["k", "v=w"], ["contig", "<ID=9>"], ["FILTER", "<ID=z>"], ["INFO", "<ID=z>"], ["FORMAT", "<ID=z>"], ["contigs", "x"]]
json.dump(attrs, open("x.vcz/.zattrs", "w"))
PY
    gt-unpack -q --no-version x.vcz | grep '^##' | grep -v '##FORMAT=<ID=F[0-9]' > head
    printf '%s\n' '##fileformat=VCFv4.3' '##FILTER=<ID=PASS,Description="All filters passed">' '##source=me' '##k=v=w' '##contigs=x' \
        '##contig=<ID=1>' '##FORMAT=<ID=GT,Number=1,Type=String,Description="Genotype">' | diff - head
}

@test "two fields of 255 to 300 values of each sample come back" {
    for n in 255 256 257 300; do
        "$PYTHON" -c "
print('##fileformat=VCFv4.3\n##contig=<ID=1>\n##FORMAT=<ID=GT,Number=1,Type=String,Description=\"x\">')
for name in 'AB':
    print(f'##FORMAT=<ID={name},Number=$n,Type=Integer,Description=\"x\">')
print('#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\ta\tb\tc')
for position in range(1, 41):
    calls = [':'.join(['0/1'] + [','.join(str((position * sample + k) % 1000) for k in range($n)) for _ in 'AB']) for sample in (1, 2, 3)]
    print(1, position, '.', 'A', 'C', '.', '.', '.', 'GT:A:B', *calls, sep='\t')" > x.vcf
        gt-pack -qf --layout vcz x.vcf -o x.vcz
        gt-unpack -q --no-version x.vcz | grep -v '^#' | cmp - <(grep -v '^#' x.vcf) || { echo "$n values"; return 1; }
    done
}

@test "an empty ID of a VCF is missing, in stores and in what is written of them" {
    printf '##fileformat=VCFv4.3\n##contig=<ID=1>\n##FORMAT=<ID=GT,Number=1,Type=String,Description="x">\n' > x.vcf
    printf '#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\ta\n1\t5\t.\tA\tC\t.\t.\t.\tGT\t0/1\n' >> x.vcf
    sed 's/^1\t5\t\./1\t5\t/' x.vcf > empty.vcf
    vcz x.vcf -o x.vcz
    vcz empty.vcf -o empty.vcz
    diff -r x.vcz empty.vcz
    for from in empty.vcz empty.vcf; do
        gt-unpack -q --no-version $from | grep -v '^#' | diff - <(grep -v '^#' x.vcf)
    done
    gt-unpack -q empty.vcf -o x.bed
    [ "$(cut -f 2 x.bim)" = . ]
}
