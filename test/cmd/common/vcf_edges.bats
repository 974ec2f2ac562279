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
    [ -e t.vcf.gz.tbi ]
    [ -e c.vcf.gz.csi ]
    [ -e b.bcf.csi ]
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

@test "fields whose names only begin or end as END and GT do say nothing of a record's length and calls" {
    {
        printf '##fileformat=VCFv4.3\n##contig=<ID=1,length=5000>\n'
        for id in ENDX XEND END; do printf '##INFO=<ID=%s,Number=1,Type=Integer,Description="x">\n' $id; done
        for id in GTX XGT GT; do printf '##FORMAT=<ID=%s,Number=1,Type=String,Description="x">\n' $id; done
        printf '#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\ta\tb\n'
        printf '1\t10\tp\tA\tC\t.\t.\tENDX=500;XEND=600\tGT:GTX:XGT\t0/1:1/1:1/1\t0/0:0/1:.\n'
        printf '1\t20\tq\tA\t<DEL>\t.\t.\tENDX=25;END=300;XEND=21\tGT:XGT\t0/1:1/1\t0/0:0/1\n'
        printf '1\t30\tr\tA\tG\t.\t.\tXEND=400\tGTX:XGT\t0/1:1/1\t0/0:0/1\n'
    } > x.vcf
    bgzip -c x.vcf > x.vcf.gz
    bcftools index x.vcf.gz
    bcftools view -Ob x.vcf -o x.bcf
    bcftools index x.bcf
    gt-pack -q x.vcf -o x.zarr
    gt-pack -q --layout vcz x.vcf -o x.vcz
    for input in x.vcf x.vcf.gz x.bcf x.zarr x.vcz; do
        [ "$(gt-info -q --stats variants -r 1:200-700 $input | tail -n +2 | cut -f 3 | xargs)" = q ] || { echo "$input"; return 1; }
        gt-unpack -q $input -o calls.npy -f
        "$PYTHON" -c 'import numpy; a = numpy.load("calls.npy").tolist(); assert a == [[1, 0], [1, 0], [-1, -1]], a'
    done
}

@test "a contig of more than 2^32 bases: the index finds its last records" {
    printf '##fileformat=VCFv4.3\n##contig=<ID=1,length=5000000000>\n##FORMAT=<ID=GT,Number=1,Type=String,Description="x">\n' > far.vcf
    printf '#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\ta\n' >> far.vcf
    printf '1\t%s\t.\tA\tC\t.\t.\t.\tGT\t0/1\n' 10 4294967296 4294967297 4999999999 >> far.vcf
    gt-unpack -q far.vcf -o far.vcf.gz
    [ "$(bcftools view -H -r 1:4294967297-5000000000 far.vcf.gz | cut -f 2 | tr '\n' ' ')" = "4294967297 4999999999 " ]
    [ "$(gt-info -q --stats variants -r 1:4294967297- far.vcf.gz | cut -f 2 | tr '\n' ' ')" = "position 4294967297 4999999999 " ]
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

@test "a BCF record with one wrong field is refused by each command that reads the field, and leaves nothing behind" {
    {
        header | sed '1a ##FILTER=<ID=q10,Description="q">'
        for k in 1 2 3; do printf '1\t%d0\trs%d\tA\tC\t30\tq10\tI=7\tGT\t0/1\t1/1\n' $k $k; done
    } > in.vcf
    bcftools view -Ob in.vcf -o in.bcf
    cat > wrong.py << 'PY'
import gzip, struct, sys
raw = gzip.decompress(open("in.bcf", "rb").read())
first = 9 + struct.unpack("<I", raw[5:9])[0]
at = first + 8 + sum(struct.unpack("<II", raw[first:first + 8]))  # the second record
shared = struct.unpack("<I", raw[at:at + 4])[0]
assert raw[at + 32:at + 42] == b"\x37rs2\x17A\x17C\x11\x01" and raw[at + 8 + shared + 2:at + 8 + shared + 3] == b"\x21"
gt = at + 8 + shared  # key, type, values
i32 = lambda v: struct.pack("<i", v)
cases = [  # bytes from the record's beginning, what stands there, the message; none: it is fine
    (8, i32(-1), "contig number -1 is not in the header"), (8, i32(1), "contig number 1 is not in the header"),
    (12, i32(-2), "the position is negative"), (12, i32(-1), None), (12, i32(2**31 - 1), None),
    (26, b"\0\0", "it has no REF"), (26, b"\3\0", "an allele is damaged"),
    (28, b"\3\0\0", "3 samples, the header has 2"), (28, b"\1\0\0", "1 sample, the header has 2"),
    (32, b"\x31", "the ID is damaged"), (32, b"\x35", "the ID is damaged"), (36, b"\x11", "an allele is damaged"),
    (38, b"\x15", "an allele is damaged"), (40, b"\x17", "FILTER is damaged"),
    (41, b"\xff", "FILTER number -1 is not in the header"), (41, b"\x7f", "FILTER number 127 is not in the header"),
    (41, b"\2", "FILTER number 2 is not in the header"), (41, b"\0", None),
    (gt - at, b"\x17", "a FORMAT field is damaged"), (gt - at, b"\x21", "a FORMAT field is damaged"),
    (gt - at + 2, b"\x71", "a FORMAT field is longer than its record"), (gt - at + 2, b"\x22", "a FORMAT field is longer than its record"),
    (gt - at + 2, b"\x31", "a FORMAT field is longer than its record"), (gt - at + 2, b"\x24", "a FORMAT field is damaged"),
    (gt - at + 2, b"\x27", "GT is not of an integer type"), (0, i32(23), "its length is damaged"),
]
case = cases[int(sys.argv[1])] if len(sys.argv) > 1 else sys.exit(print(len(cases)))
bad = raw[:at + case[0]] + case[1] + raw[at + case[0] + len(case[1]):]
sys.stdout.buffer.write(bad)
print(case[2] or "", file=sys.stderr)
PY
    n=$("$PYTHON" wrong.py)
    for ((i = 0; i < n; i++)); do
        "$PYTHON" wrong.py $i 2> want | bgzip > bad.bcf
        for command in "gt-pack --layout vcz -o out.zarr bad.bcf" "gt-unpack -O vcf -o out.vcf bad.bcf"; do
            status=0
            $command 2> err || status=$?
            if [ -n "$(cat want)" ]; then
                [ $status -eq 3 ] && grep -qF "$(cat want)" err && grep -q "'bad.bcf', record 2" err || { echo "case $i: $status"; cat want err; return 1; }
                [ "$(ls)" = "$(printf 'bad.bcf\nerr\nin.bcf\nin.vcf\nwant\nwrong.py')" ] || { ls; return 1; }
            else
                [ $status -eq 0 ] || { echo "case $i: $status"; cat err; return 1; }
            fi
            rm -rf out.zarr out.vcf
        done
    done
}

@test "FORMAT that changes from one record to the next, in names of the same length and in their order" {
    {
        header | sed '/^#CHROM/i ##FORMAT=<ID=AD,Number=1,Type=Integer,Description="a">\n##FORMAT=<ID=DP,Number=1,Type=Integer,Description="d">'
        n=0
        for format in GT:AD GT:DP GT:AD:DP GT:DP:AD GT GT:F:AD GT:F:DP GT GT:DP GT:AD; do
            n=$((n + 1))
            fields=${format//[^:]/}
            printf '1\t%d\t.\tA\tC\t.\t.\t.\t%s' $((10 * n)) $format
            for sample in 1 2; do
                printf '\t0/1'
                for ((k = 1; k <= ${#fields}; k++)); do printf ':%d' $((100 * n + 10 * sample + k)); done
            done
            printf '\n'
        done
    } > in.vcf
    bcftools query -f '%POS[ %GT %AD %DP %F]\n' in.vcf > want
    bcftools view -Ob in.vcf -o in.bcf
    for input in in.vcf in.bcf; do
        gt-pack -q --layout vcz -o $input.zarr $input
        gt-unpack -q -O vcf $input.zarr | bcftools query -f '%POS[ %GT %AD %DP %F]\n' > got
        diff got want || { echo "$input.zarr"; return 1; }
        gt-unpack -q -O vcf $input | bcftools query -f '%POS[ %GT %AD %DP %F]\n' > got
        diff got want || { echo "$input"; return 1; }
    done
}

@test "INFO and FORMAT of BCF: values of every type and length are the text of bcftools, also through VCF Zarr" {
    "$PYTHON" -B "$GT_SOURCE/test/support/bcf_bodies.py"
    bcftools view --no-version bodies.bcf > bodies.vcf
    gt-unpack -q --no-version bodies.bcf | grep -v '^##' | cmp - <(grep -v '^##' bodies.vcf)
    for input in bodies.bcf bodies.vcf; do
        gt-pack -q --layout vcz $input -o $input.zarr
        gt-unpack -q --no-version $input.zarr -o $input.back
    done
    cmp bodies.bcf.back bodies.vcf.back
}

@test "INFO and FORMAT of BCF that are damaged or of another type: what gt-unpack and gt-pack --layout vcz say" {
    "$PYTHON" -B "$GT_SOURCE/test/support/bcf_bodies.py" wrong "$GT_BUILD"
}
