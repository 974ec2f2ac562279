#!/usr/bin/env bats
# VCF and BCF at the borders of their encodings, compared with bcftools.

bats_require_minimum_version 1.5.0

setup() { cd "$BATS_TEST_TMPDIR" || exit 1; }

header() {
    printf '##fileformat=VCFv4.3\n##contig=<ID=1,length=1000000>\n##INFO=<ID=END,Number=1,Type=Integer,Description="e">\n'
    printf '##INFO=<ID=I,Number=.,Type=Integer,Description="i">\n##FORMAT=<ID=GT,Number=1,Type=String,Description="g">\n'
    printf '##FORMAT=<ID=F,Number=.,Type=Integer,Description="f">\n#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\ta\tb\n'
}

# Positions of the variants of a region, by bcftools and by us.
theirs() { bcftools view -H "$@" | cut -f 2,4,5; }
ours() { gt-unpack -q -O vcf "$@" | bcftools view -H | cut -f 2,4,5; }

@test "regions that begin and end where a window of the index does, through .tbi and .csi" {
    {
        header
        for k in 1 2 3 8 9; do
            for d in -1 0 1 2 3; do
                printf '1\t%d\t.\tA\tC\t.\t.\t.\tGT\t0/1\t0/0\n' $((k * 16384 + d))
            done
        done
    } > in.vcf
    bgzip -c in.vcf > t.vcf.gz
    tabix -p vcf t.vcf.gz
    cp t.vcf.gz c.vcf.gz
    bcftools index -c c.vcf.gz
    bcftools view -Ob in.vcf -o b.bcf
    bcftools index b.bcf
    [ -e t.vcf.gz.tbi ] && [ -e c.vcf.gz.csi ] && [ -e b.bcf.csi ]
    for k in 1 2 8; do
        for d in 0 1 2; do
            at=$((k * 16384 + d))
            for region in 1:1-$at 1:$at-$at 1:$at-999999 1:$((at > 16384 ? at - 16384 : 1))-$at; do
                theirs t.vcf.gz -r $region > want
                for file in t.vcf.gz c.vcf.gz b.bcf in.vcf; do
                    ours -r $region $file | diff want - || { echo "$file $region"; return 1; }
                done
            done
        done
    done
}

@test "a long REF whose END is its POS: which regions have it, with and without an index" {
    {
        header
        printf '1\t50\t.\tA\tC\t.\t.\t.\tGT\t0/1\t0/0\n'
        printf '1\t100\t.\t%s\tA\t.\t.\tEND=100\tGT\t0/1\t0/0\n' "$(printf 'A%.0s' {1..60})"
        printf '1\t300\t.\t%s\tA\t.\t.\t.\tGT\t0/1\t0/0\n' "$(printf 'A%.0s' {1..60})"
        printf '1\t400\t.\tA\tC\t.\t.\t.\tGT\t0/1\t0/0\n'
    } > in.vcf
    bgzip -c in.vcf > t.vcf.gz
    tabix -p vcf t.vcf.gz
    bcftools view -Ob in.vcf -o b.bcf
    bcftools index b.bcf
    for region in 1:100-100 1:101-120 1:120 1:159 1:160-200 1:310 1:359 1:360; do
        theirs b.bcf -r $region > want
        for file in t.vcf.gz b.bcf in.vcf; do
            ours -r $region $file | diff want - || { echo "$file $region"; return 1; }
        done
    done
}

@test "integers at the borders of BCF's types are read back by bcftools" {
    {
        header
        n=0
        for from in -120 -32760 127 32767 -2147483640 2147483640; do
            for d in 0 1 2 3 4 5 6 7 8 9; do
                x=$((from < 0 ? from - d : from + d))
                [ "$x" -ge -2147483640 ] && [ "$x" -le 2147483647 ] || continue
                # -1 and -2 stand for missing and fill, alone and beside others
                printf '1\t%d\t.\tA\tC\t.\t.\tI=%s\tGT:F\t0/1:%s\t0/0:%s\n' $((++n)) "$x" "$x,.,$x" 5
                printf '1\t%d\t.\tA\tC\t.\t.\tI=%s\tGT:F\t0/1:%s\t0/0:%s\n' $((++n)) "$x,1" . "$x"
            done
        done
    } > in.vcf
    fields='%POS %I[ %F]\n'
    bcftools query -f "$fields" in.vcf > want
    [ "$(wc -l < want)" -gt 60 ]
    gt-pack -q --layout vcz in.vcf -o v.vcz
    gt-unpack -q v.vcz -o back.bcf
    bcftools query -f "$fields" back.bcf | diff want -
    bcftools view -Ob in.vcf -o in.bcf
    gt-pack -q -f --layout vcz in.bcf -o v.vcz
    gt-unpack -q -O vcf v.vcz | bcftools query -f "$fields" | diff want -
}

@test "an empty interval of a BED file has no variants, also inside a deletion" {
    {
        header
        printf '1\t100\t.\tAAAAAAAAAAAAAAAAAAAA\tA\t.\t.\t.\tGT\t0/1\t0/0\n'
        printf '1\t200\t.\tA\tC\t.\t.\t.\tGT\t0/1\t0/0\n'
    } > in.vcf
    bgzip -c in.vcf > in.vcf.gz
    tabix -p vcf in.vcf.gz
    printf '1\t105\t105\n' > empty.bed
    printf '1\t105\t105\n1\t199\t200\n' > one.bed
    printf '1\t104\t105\n' > inside.bed
    for file in in.vcf in.vcf.gz; do
        [ -z "$(ours -R empty.bed $file)" ]
        [ "$(ours -R one.bed $file | cut -f 1)" = 200 ]
        ours -R inside.bed $file | diff <(theirs in.vcf.gz -R inside.bed) -
    done
    gt-pack -q in.vcf -o in.zarr
    [ -z "$(ours -R empty.bed in.zarr)" ]
}

@test "more FILTERs that the header lacks than a chunk is wide: each comes back at its variant" {
    {
        header
        for ((i = 1; i <= 700; i++)); do
            printf '1\t%d\t.\tA\tC\t.\tf%d;f%d\t.\tGT\t0/1\t0/0\n' "$i" "$i" $((i * 7 % 500 + 1000))
            printf '1\t%d\t.\tA\tC\t.\tPASS\t.\tGT\t0/1\t0/0\n' "$i"
        done
    } > in.vcf
    # FILTERs of a record have no order
    filters() { "$PYTHON" -c 'import sys
for line in sys.stdin:
    if line[0] != "#":
        row = line.split("\t")
        print(row[1], *sorted(row[6].split(";")))'; }
    filters < in.vcf > want
    for args in "" "--chunks variants=50" "--layout vcz" "--layout vcz --chunks variants=50"; do
        read -ra args <<< "$args"
        gt-pack -f -q "${args[@]}" in.vcf -o out.zarr
        gt-unpack -q -O vcf out.zarr | filters | diff want -
        gt-info --check out.zarr > /dev/null
    done
    gt-pack -q --chunks variants=50 in.vcf -o - | gt-unpack -q -O vcf | filters | diff want -
}
