#!/usr/bin/env bats
# Which variants stay: --mac, --hwe, --extract, --exclude and --exclude-long-range, against plink2.

bats_require_minimum_version 1.5.0

. "$GT_SOURCE/test/support/level.bash"

setup() { cd "$BATS_TEST_TMPDIR" || exit 1; }

need_plink2() { command -v plink2 > /dev/null || skip "no plink2"; }
need_data() { [ -f "$GT_TEST_DATA/plink/HM3_thinned.bed" ] || skip "no test data (GT_TEST_DATA)"; }

refused() { # STATUS TEXT COMMAND...
    run --separate-stderr timeout 60 "${@:3}"
    # shellcheck disable=SC2154
    { [ "$status" -eq "$1" ] && [[ "${stderr_lines[0]}" == *"$2"* ]]; } || { echo "${*:3}: status $status: $output $stderr"; return 1; }
}

ours() { gt-info -q --stats variants --contigs all "$@" | tail -n +2 | cut -f 3; }
theirs() { # BFILE OPTION...
    plink2 --bfile "$1" "${@:2}" --write-snplist --silent --out their > /dev/null
    cat their.snplist
}

@test "--mac and --hwe: the variants that plink2 keeps" {
    need_plink2
    need_data
    for bed in HM3_thinned 1kg_phase1_thinned; do
        bed=$GT_TEST_DATA/plink/$bed
        for option in "--mac 80" "--mac 400" "--hwe 1e-6" "--hwe 0.001" "--hwe 0.2"; do
            # shellcheck disable=SC2086
            diff <(ours $option "$bed.bed") <(theirs "$bed" $option) || { echo "$bed $option"; return 1; }
        done
    done
    [ "$(ours --hwe 1e-6 --mac 100 "$bed.bed" | wc -l)" -gt 1000 ]
}

@test "--hwe: exact p of all sizes, those as likely count whole" {
    need_plink2
    gt-sim -q --samples 61 --variants 3000 --missing 0.2 --seed 3 --min-maf 0.02 -o x.bed
    for p in 0.0001 0.01 0.05 0.3 0.6 0.95 1; do
        diff <(ours --hwe $p x) <(theirs x --hwe $p) || { echo "$p"; return 1; }
    done
}

@test "--extract and --exclude take ids, one a line or several" {
    need_plink2
    gt-sim -q --samples 20 --variants 300 --contigs 2 --seed 3 -o x.vcf.gz
    gt-pack -q x.vcf.gz -o x.zarr
    plink2 --vcf x.vcf.gz --make-bed --allow-extra-chr --silent --out x > /dev/null
    ours x.zarr > all
    [ "$(sort -u all | wc -l)" -eq 300 ]
    sed -n '1~7p' all > few
    sed -n '1~5p' all | paste -d ' \t' - - > pairs
    echo nothing >> few
    gzip -k few
    for from in x.vcf.gz x.zarr x.bed; do
        diff <(ours --extract few $from) <(theirs x --allow-extra-chr --extract few)
        diff <(ours --extract few.gz $from) <(grep -v nothing few)
        diff <(ours --exclude few --extract pairs $from) <(theirs x --allow-extra-chr --extract pairs --exclude few)
    done
    gt-pack --extract few --exclude pairs x.vcf.gz -o few.zarr 2> said
    grep -q "  $((300 - 43 + 9)) dropped by --extract or --exclude" said
    refused 1 "cannot open 'nowhere'" gt-pack --extract nowhere x.vcf.gz -o y.zarr
}

# A VCF of positions on 6 and 8, around the ends of regions; $1: in front of the contig's number.
around() {
    echo "##fileformat=VCFv4.2"
    for contig in 6 8 9; do echo "##contig=<ID=$1$contig>"; done
    printf '#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\tA\tB\n'
    for at in 6:24999999 6:25000000 6:25391791 6:25391792 6:33424245 6:33424246 6:35000000 6:35000001 8:7000000 8:8105067 8:12105083 \
        8:13000001 9:8105067; do
        printf '%s%s\t%s\t%s\tA\tC\t.\t.\t.\tGT\t0/1\t0/0\n' "$1" "${at%:*}" "${at#*:}" "$at"
    done
}

@test "--exclude-long-range: ends of regions, any form of a contig's name, a file" {
    for form in "" chr; do
        around "$form" > x.vcf
        [ "$(ours --exclude-long-range b37 x.vcf | tr '\n' ' ')" = "6:24999999 6:35000001 8:13000001 9:8105067 " ]
        [ "$(ours --exclude-long-range b38 x.vcf | tr '\n' ' ')" = \
            "6:24999999 6:25000000 6:25391791 6:33424246 6:35000000 6:35000001 8:7000000 8:12105083 8:13000001 9:8105067 " ]
        printf 'chr6 25000000 33424245 HLA\n9\t1\t8105067\n' > regions
        [ "$(ours --exclude-long-range regions x.vcf | tr '\n' ' ')" = \
            "6:24999999 6:33424246 6:35000000 6:35000001 8:7000000 8:8105067 8:12105083 8:13000001 " ]
        printf 'chr9\t8105066\t8105067\n' > regions.bed
        [ "$(ours --exclude-long-range regions.bed x.vcf | wc -l)" -eq 12 ]
        [ "$(ours --exclude-long-range regions.bed -r "${form}9" x.vcf | wc -l)" -eq 0 ]
    done
    gt-pack --exclude-long-range b38 x.vcf -o x.zarr 2> said
    grep -q '  3 dropped by --exclude-long-range' said
    gt-pack --exclude-long-range b38 -r chr9 x.vcf -o 9.zarr 2> said
    grep -q 'no variant lies in a region of --exclude-long-range b38' said
    refused 1 "cannot open 'b36'" gt-pack --exclude-long-range b36 x.vcf -o y.zarr
}

@test "numbers that make no sense are refused" {
    around "" > x.vcf
    refused 2 "'--mac' must be at least 1" gt-pack --mac 0 x.vcf -o y.zarr
    refused 2 "'--hwe' must be above 0" gt-pack --hwe 0 x.vcf -o y.zarr
    refused 2 "--hwe" gt-pack --hwe 1.5 x.vcf -o y.zarr
}

# --- --ld-prune ------------------------------------------------------------------------

# The variants that plink2 (and with $real plink1.9) keeps of BFILE, for each "WINDOW STEP R2" of ours as theirs.
prunes() { # BFILE...
    for bed in "$@"; do
        for how in "50 5 0.02" "50 1 0.05" "200 10 0.1" "2 1 0.01" "100kb 1 0.1" "5000kb 1 0.03" "3kb 1 0.5"; do
            # shellcheck disable=SC2086
            set -- $how
            if [[ $1 = *kb ]]; then ours="$1,$3" their2="$1 $3"; else ours="$1,$2,$3" their2=$how; fi
            # shellcheck disable=SC2086
            plink2 --bfile "$bed" --autosome --indep-pairwise $their2 --silent --out p2 > /dev/null
            gt-info -q --stats variants --contigs autosomes --ld-prune "$ours" "$bed.bed" | tail -n +2 | cut -f 3 > our.in
            cmp our.in p2.prune.in || { echo "$bed $how: plink2"; return 1; }
            { [ -n "${real:-}" ] && command -v plink1.9 > /dev/null; } || continue
            # shellcheck disable=SC2086
            plink1.9 --bfile "$bed" --autosome --allow-no-sex --indep-pairwise $how --silent --out p1 > /dev/null
            cmp our.in p1.prune.in || { echo "$bed $how: plink1.9"; return 1; }
        done
    done
}

@test "--ld-prune leaves what PLINK 1.9 and 2 --indep-pairwise leave: HapMap3, 1000 Genomes" {
    need_plink2
    need_data
    real=1 prunes "$GT_TEST_DATA/plink/HM3_thinned" "$GT_TEST_DATA/plink/1kg_phase1_thinned"
    plink2 --vcf "$GT_TEST_DATA/vcf/1kg_phase3_chr22_16-16.5mb.vcf.gz" --max-alleles 2 --set-all-var-ids '@:#:$r:$a' \
        --new-id-max-allele-len 300 --rm-dup force-first --make-bed --silent --out dense > /dev/null
    real=1 prunes dense
    [ "$(wc -l < our.in)" -lt 5800 ]
}

# linked DISTANCE: 60 samples, 40 pairs of variants DISTANCE bases apart with the same or the opposite calls, far from each other.
linked() {
    "$PYTHON" - "$1" << 'PY'
import random, sys
random.seed(5)
apart, pos, rows = int(sys.argv[1]), 1000, []
for k in range(40):
    codes = [random.choice([0, 2, 2, 3, 3]) for _ in range(60)]
    other = codes if k % 2 else [{0: 3, 2: 2, 3: 0}[c] for c in codes]  # frequencies f and f, or f and 1 - f
    for step, row in ((0, codes), (apart, other)):
        rows.append((pos + step, row))
    pos += 100000
rows += [(pos + step, [random.choice([0, 2, 3]) for _ in range(60)]) for step in (0, 10)]  # PLINK 2 wants a pair in a window
with open("two.bed", "wb") as bed, open("two.bim", "w") as bim, open("two.fam", "w") as fam:
    bed.write(b"\x6c\x1b\x01")
    for n, (at, row) in enumerate(rows):
        bed.write(bytes(sum(row[i + j] << 2 * j for j in range(4)) for i in range(0, 60, 4)))
        bim.write("1\tv%d\t0\t%d\tA\tC\n" % (n, at))
    fam.writelines("f%d\ti%d\t0\t0\t0\t-9\n" % (i, i) for i in range(60))
PY
}

@test "--ld-prune: two linked variants exactly the window apart, and of equal frequency, as PLINK 1.9 and 2" {
    need_plink2
    command -v plink1.9 > /dev/null || skip "no plink1.9"
    for apart in 2999 3000 3001; do
        linked $apart
        plink2 --bfile two --indep-pairwise 3kb 1 0.5 --silent --out p2 > /dev/null
        plink1.9 --bfile two --allow-no-sex --indep-pairwise 3kb 1 0.5 --silent --out p1 > /dev/null
        gt-info -q --stats variants --ld-prune 3kb,0.5 two.bed | tail -n +2 | cut -f 3 > our.in
        cmp our.in p2.prune.in || { echo "$apart: plink2"; return 1; }
        cmp our.in p1.prune.in || { echo "$apart: plink1.9"; return 1; }
        echo "$(wc -l < our.in)" >> kept
    done
    [ "$(tr '\n' ' ' < kept)" = "42 42 82 " ]
    for window in "2 1" "3 1" "2 2"; do
        # shellcheck disable=SC2086
        set -- $window
        linked 10
        plink2 --bfile two --indep-pairwise "$1" "$2" 0.5 --silent --out p2 > /dev/null || continue
        gt-info -q --stats variants --ld-prune "$1,$2,0.5" two.bed | tail -n +2 | cut -f 3 > our.in
        cmp our.in p2.prune.in || { echo "$window: plink2"; return 1; }
    done
}

@test "--ld-prune: two variants whose squared correlation is the threshold stay, as PLINK 2 has it" {
    need_plink2
    # that of each pair is 3/10, 7/10, 1/5 and 4/5, by whole numbers; of the first two the nearest double is below
    while read -r r2 x y; do
        {
            printf '##fileformat=VCFv4.2\n##contig=<ID=1>\n##FORMAT=<ID=GT,Number=1,Type=String,Description="x">\n'
            printf '#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT'
            printf '\ts%d' $(seq ${#x})
            v=0
            for calls in $x $y; do
                printf '\n1\t%d\tv%d\tA\tC\t.\t.\t.\tGT' $((++v * 10)) $v
                fold -w 1 <<< "$calls" | sed 's,1,0/1,; s,^0$,0/0,; s,2,1/1,' | sed 's/^/\t/' | tr -d '\n'
            done
            echo
        } > pair.vcf
        plink2 --vcf pair.vcf --make-bed --silent --out pair > /dev/null
        for threshold in $r2 0.05; do
            plink2 --bfile pair --indep-pairwise 50 1 $threshold --bad-ld --silent --out pruned > /dev/null
            diff <(ours --ld-prune 50,$threshold pair.bed) pruned.prune.in || { echo "$x $y $threshold"; return 1; }
        done
    done << 'EOF'
0.3 00200220 11202222
0.7 012100111010 012100112000
0.2 02010022 00020112
0.8 10222000221101 11222000211101
EOF
}

@test "--ld-prune with linkage, missing calls and variants that do not differ, as PLINK" {
    need_plink2
    for shape in "60 2000 0.1 25" "130 3000 0 10" "701 1500 0.3 40"; do
        # shellcheck disable=SC2086
        set -- $shape
        gt-sim -q --samples "$1" --variants "$2" --missing "$3" --ld "$4" --contigs 3 --seed 5 -f -o x.bed
        # a contig of one variant, one alone on its stretch, neither of which differs
        "$PYTHON" - "$1" << 'PY'
import sys
stride = (int(sys.argv[1]) + 3) // 4
bim = open("x.bim").read().splitlines()
bed = bytearray(open("x.bed", "rb").read())
for v in 3, 70, 71, 500:
    bed[3 + v * stride:3 + (v + 1) * stride] = bytes(stride) if v % 2 else bytes([0xaa]) * (stride - 1) + bytes([0xaa & (1 << (2 * ((int(sys.argv[1]) - 1) % 4 + 1))) - 1])
open("x.bed", "wb").write(bed + bytes(stride) + bytes(stride))
lines = [line.split("\t") for line in bim]
far = [lines[-1][0], "far", "0", str(int(lines[-1][3]) + 50000000), "A", "C"]
open("x.bim", "w").write("\n".join(bim + ["\t".join(far), "\t".join(["9", "alone", "0", "10", "A", "C"])]) + "\n")
PY
        prunes x
        grep -q alone our.in
    done
}

@test "--ld-prune is the same of any input, threads and pass" {
    gt-sim -q --samples 101 --variants 4000 --missing 0.05 --ld 20 --contigs 2 --seed 5 -o x.vcf.gz
    gt-pack -q --chunks variants=37 x.vcf.gz -o x.zarr
    gt-pack -q --no-version --ld-prune 40,3,0.2 x.zarr -o pruned.zarr
    ours pruned.zarr > left
    [ "$(wc -l < left)" -gt 300 ]
    [ "$(wc -l < left)" -lt 3500 ]
    for from in x.vcf.gz x.zarr; do
        for threads in 1 4; do
            diff left <(ours -@ $threads --ld-prune 40,3,0.2 $from)
        done
    done
    diff left <(zcat x.vcf.gz | ours --ld-prune 40,3,0.2 -)
    gt-svd -q -k 3 pruned.zarr -o a
    gt-svd -q -k 3 --algorithm krylov pruned.zarr -o c
    for from in x.vcf.gz x.zarr; do
        gt-svd -qf -k 3 --ld-prune 40,3,0.2 $from -o b
        cmp a.eigenvec b.eigenvec
        cmp left b.prune.in
        gt-svd -qf -k 3 --algorithm krylov --ld-prune 40,3,0.2 - -o b < <(zcat x.vcf.gz)
        cmp c.eigenvec b.eigenvec
        cmp left b.prune.in
    done
    gt-pack --ld-prune 40,3,0.2 --maf 0.1 x.zarr -o some.zarr 2> said
    grep -q 'dropped by --ld-prune' said
    diff <(ours some.zarr) <(gt-pack -q --maf 0.1 x.zarr -o - | ours --ld-prune 40,3,0.2 -)
}

@test "--ld-prune of nothing, of one sample, and where it cannot be" {
    gt-sim -q --samples 20 --variants 100 --seed 5 -o x.vcf.gz
    [ "$(ours --ld-prune 50,0.2 --maf 0.5 --mac 19 -r 1:1-2 x.vcf.gz | wc -l)" -eq 0 ]
    [ "$(ours --ld-prune 50,0.2 -s S1 x.vcf.gz | wc -l)" -eq 0 ]
    for wrong in 50 50,2 1,0.1 50,0,0.1 50,51,0.1 1000kb,5,0.1 kb,0.1 50, 50,0.1x 50,-1 50,nan 0kb,0.1 50.5,0.1 ,0.1; do
        refused 2 "--ld-prune $wrong: give a window and a squared correlation" gt-pack --ld-prune "$wrong" x.vcf.gz -o y.zarr
    done
    zcat x.vcf.gz | awk '/^#/ { print; next } { line[n++] = $0 } END { for (i = n; i--;) print line[i] }' > back.vcf
    refused 3 "--ld-prune with a kb window needs sorted positions" gt-pack --ld-prune 10kb,0.1 back.vcf -o y.zarr
    gt-pack -q --ld-prune 50,0.1 back.vcf -o y.zarr
    refused 3 "are left; --require-sites needs 100" gt-pack --ld-prune 50,0.01 --require-sites 100 x.vcf.gz -o z.zarr
    [ ! -e z.zarr ]
}

@test "-S with PLINK's lines FID IID: the sample of that family, as plink2 --keep" {
    need_plink2
    gt-sim -q --samples 6 --variants 40 --seed 3 -o x.bed
    printf 'f%s i%s 0 0 0 -9\n' 1 1 1 2 2 3 2 4 3 5 0 6 | sed 's/^f0/0/' > x.fam
    gt-pack -q x.bed -o x.zarr
    printf 'f2 i3\nf1 i2\n0 i6\n' > two
    plink2 --bfile x --keep two --write-samples --silent --out their
    for from in x.bed x.zarr; do
        diff <(gt-info -q --stats samples -S two $from | tail -n +2 | cut -f 1 | sort) <(tail -n +2 their.id | cut -f 2 | sort)
        diff <(gt-info -q --stats samples -S ^two $from | tail -n +2 | cut -f 1) <(printf 'i1\ni4\ni5\n')
        printf 'f2 i3\nf1 i4\n' > other
        refused 3 "there is no sample 'f1 i4' in '$from': its family id is 'f2'" gt-info --strict --stats samples -S other $from
        diff <(gt-info -q --stats samples -S other $from | tail -n +2 | cut -f 1) <(echo i3)
        # of no family, on either side; IIDs alone; an id and something else
        diff <(printf '0 i3\nf9 i6\ni1\ni5 control\n' | gt-info -q --stats samples -S /dev/stdin $from | tail -n +2 | cut -f 1) \
            <(printf 'i3\ni6\ni1\ni5\n')
    done
}

# --- --rm-dup --------------------------------------------------------------------------

# Records twice, four times, with other alleles at the same place, before and behind, and ids of position and alleles.
make_twins() {
    gt-sim -q --samples 25 --variants 400 --contigs 2 --missing 0.1 --seed 5 -o once.vcf.gz
    zcat once.vcf.gz | awk -v OFS='\t' '/^#/ {print; next}
        {$3 = $1 ":" $2 ":" $4 ":" $5; line = $0; print}
        n++ % 3 == 0 {other = $5 == "A" ? "C" : "A"; if (other == $4) other = $5 "T"
            split(line, f, "\t"); f[5] = other; f[3] = $1 ":" $2 ":" $4 ":" other; text = f[1]; for (i = 2; i <= NF; i++) text = text OFS f[10 > i ? i : NF + 10 - i]
            print text; print line; if (n % 2) {print text; print line}}' > twins.vcf
}

@test "--rm-dup leaves what plink2 and bcftools leave, of every kind of input, with any threads" {
    need_plink2
    make_twins
    plink2 --vcf twins.vcf --allow-extra-chr --make-bed --silent --out twins > /dev/null
    plink2 --vcf twins.vcf --allow-extra-chr --rm-dup force-first list --make-bed --silent --out kept > /dev/null
    [ "$(wc -l < kept.bim)" -eq 534 ]
    gt-pack -q twins.vcf -o twins.zarr
    gt-pack -q twins.vcf -o small.zip --chunks variants=3
    bcftools view -Ob twins.vcf -o twins.bcf
    for from in twins.vcf twins.bcf twins.bed twins.zarr small.zip; do
        for threads in 1 3; do
            gt-unpack -qf -@ $threads --rm-dup force-first $from -o ours.bed
            cmp ours.bed kept.bed
            diff <(cut -f 2,4- ours.bim) <(cut -f 2,4- kept.bim)
        done
    done
    bcftools norm -d exact twins.vcf 2> /dev/null | bcftools query -f '%ID\n' | diff - <(ours --rm-dup force-first twins.vcf)
    # the rest of the numbers are those of the store that has them once
    diff <(gt-info --stats variants kept.bed) <(gt-info --stats variants --rm-dup force-first twins.bed)
    gt-pack --json --rm-dup force-first twins.vcf -o kept.zarr > json 2> said
    gt-pack -q --json kept.bed -o again.zarr > again
    "$PYTHON" -c 'import json; a, b = json.load(open("json")), json.load(open("again"))
d = a["dropped"]["duplicates"]; assert d == 268 and a["variants_in"] - d == a["variants"] == 534, a
assert [a[k] for k in ("variants", "missing_rate", "samples")] == [b[k] for k in ("variants", "missing_rate", "samples")]'
    grep -q '268 dropped by --rm-dup' said
}

@test "--rm-dup compares alleles without case, and ALTs in any order, as bcftools norm -d exact" {
    "$PYTHON" -c '
import itertools, random
random.seed(7)
print("##fileformat=VCFv4.3\n##contig=<ID=1,length=9999>")
print("##FORMAT=<ID=GT,Number=1,Type=String,Description=\"g\">")
print("#CHROM", "POS", "ID", "REF", "ALT", "QUAL", "FILTER", "INFO", "FORMAT", "a", "b", sep="\t")
n = 0
for pos in range(1, 60):
    rows = []
    for ref in ("A", "a", "AC"):
        for alts in (["C"], ["c"], ["G", "C"], ["C", "G"], ["<DEL>", "C"], ["C", "<DEL>"], ["C", "G", "ACT"], ["ACT", "G", "C"]):
            rows.append((ref, ",".join(alts)))
    for ref, alts in random.choices(rows, k=7):
        n += 1
        print(1, pos, "v%d" % n, ref, alts, ".", ".", ".", "GT", "0/1", "0/0", sep="\t")' > case.vcf
    # bcftools takes a and A for the same where there is one ALT
    bcftools norm -d exact case.vcf 2> /dev/null | bcftools query -f '%ID\n' > want
    [ "$(wc -l < want)" -gt 60 ]
    [ "$(wc -l < want)" -lt 410 ]
    ours --rm-dup force-first case.vcf | diff want -
    run gt-pack --rm-dup error case.vcf -o case.zarr
    [ "$status" -eq 3 ]
}

@test "an empty list and --thin 1 are errors of usage" {
    gt-sim -q --samples 4 --variants 20 -o in.vcf
    : > empty
    printf '\n\n' > blank
    printf '# nothing\n' > none.bed
    for args in "-S empty" "-S ^empty" "-S blank" "-R empty" "-R none.bed" "--extract empty" "--exclude blank" "--exclude-long-range empty"; do
        read -ra args <<< "$args"
        run --separate-stderr gt-unpack -q "${args[@]}" in.vcf
        [ "$status" -eq 2 ] || { echo "${args[*]}: $status"; return 1; }
        [[ "$stderr" == *"lists no "* ]]
    done
    for list in "-s" "-r" "--contigs"; do
        run gt-unpack -q $list "" in.vcf
        [ "$status" -eq 2 ]
    done
    run --separate-stderr gt-unpack -q --thin 1 in.vcf
    [ "$status" -eq 2 ]
    [[ "$stderr" == *"--thin 1: the number must be at least 2"* ]]
    gt-unpack -q --thin 2 in.vcf > /dev/null
}

@test "--rm-dup: the same alleles at the same position of the next contig are no duplicate" {
    command -v bcftools > /dev/null || skip "no bcftools"
    {
        printf '##fileformat=VCFv4.2\n##contig=<ID=1>\n##contig=<ID=2>\n##contig=<ID=3>\n##FORMAT=<ID=GT,Number=1,Type=String,Description="x">\n'
        printf '#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\ta\tb\n'
        for site in '1 5' '1 9' '2 9' '2 9' '3 9'; do printf '%s\t%s\tr%d\tA\tC\t.\t.\t.\tGT\t0/1\t1/1\n' $site $((n++)); done
    } > next.vcf
    bcftools norm -d exact next.vcf 2> /dev/null | bcftools query -f '%CHROM:%POS\n' > theirs
    [ "$(wc -l < theirs)" -eq 4 ]
    gt-pack -q next.vcf -o next.zarr
    for from in next.vcf next.zarr; do
        gt-info -q --stats variants --contigs all --rm-dup force-first $from | tail -n +2 | cut -f 1,2 | tr '\t' : | cmp - theirs
    done
}

@test "--rm-dup counts a variant once for --mind, looks at split rows, and at single alleles" {
    make_twins
    awk -v OFS='\t' '/^#/ {print; next} {$10 = NR % 3 ? "./." : $10; print}' twins.vcf > holes.vcf
    gt-pack -q --no-version --rm-dup force-first holes.vcf -o once.zarr
    diff <(gt-info -q --stats samples once.zarr) <(gt-info -q --stats samples --rm-dup force-first holes.vcf)
    for mind in 0.3 0.5 0.6 0.65 0.7; do
        gt-pack -qf --no-version --rm-dup force-first --mind $mind holes.vcf -o a.zip
        gt-pack -qf --no-version --mind $mind once.zarr -o b.zip
        diff <(gt-unpack -q --no-version a.zip) <(gt-unpack -q --no-version b.zip) || { echo "$mind"; return 1; }
    done
    printf '##fileformat=VCFv4.2\n##contig=<ID=1>\n##FORMAT=<ID=GT,Number=1,Type=String,Description="x">\n#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\ta\tb\n' > split.vcf
    printf '1\t%s\t%s\t%s\t%s\t.\t.\t.\tGT\t0/1\t1/1\n' 0 z A C 0 z A C 5 x A C,G 5 y A G 5 w G A 7 x A C 7 X A C,G >> split.vcf
    [ "$(ours --rm-dup force-first split.vcf | tr '\n' ' ')" = "z z x y w x X " ]
    [ "$(ours --split-multiallelic --rm-dup force-first split.vcf | tr '\n' ' ')" = "z z x x w x X " ]
    zcat once.vcf.gz | sed '/^#/!s,/,|,g' > phased.vcf
    sed '/^#/!s,/,|,g' twins.vcf > twice.vcf
    gt-unpack -q --rm-dup force-first twins.vcf -o kept.vcf
    sed -i '/^#/!s,/,|,g' kept.vcf
    diff <(gt-pdist -q --haplotypes --rm-dup force-first twice.vcf 2>&1) <(gt-pdist -q --haplotypes kept.vcf 2>&1)
}

@test "--rm-dup error names the first that is there twice; sites must be in order" {
    make_twins
    refused 3 "has duplicated variants at 1:" gt-pack --rm-dup error twins.vcf -o y.zarr
    [[ "$stderr" == *"--rm-dup force-first"* ]]
    [ ! -e y.zarr ]
    gt-pack -q --rm-dup error once.vcf.gz -o y.zarr
    [ "$(ours y.zarr | wc -l)" -eq 400 ]
    { grep '^#' twins.vcf; grep -v '^#' twins.vcf | tac; } > back.vcf
    refused 3 "--rm-dup needs sorted input: in 'back.vcf'" gt-pack --rm-dup force-first back.vcf -o z.zarr
    refused 2 "--rm-dup" gt-pack --rm-dup exclude-all twins.vcf -o z.zarr
}

@test "--rm-dup compares what --maf leaves" {
    {
        printf '##fileformat=VCFv4.3\n##contig=<ID=1>\n##FORMAT=<ID=GT,Number=1,Type=String,Description="x">\n'
        printf '#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\ts\tt\n'
        for row in 10:a:A:C 10:b:a:c 10:c:A:C 20:d:A:C,G 20:e:A:G,C 20:f:A:C,G 30:g:A:. 30:h:A:.; do
            IFS=: read -r at id ref alt <<< "$row"
            printf '1\t%s\t%s\t%s\t%s\t.\t.\t.\tGT\t0/0\t%s\n' "$at" "$id" "$ref" "$alt" "$([ "$id" = a ] && echo 0/0 || echo 0/1)"
        done
    } | sed '/\t[gh]\t/s|0/1|0/0|' > x.vcf
    [ "$(ours --rm-dup force-first x.vcf | tr '\n' ' ')" = "a d g " ]
    [ "$(ours --rm-dup force-first --maf 0.1 x.vcf | tr '\n' ' ')" = "b d " ]
    refused 3 "'x.vcf' has duplicated variants at 1:10 a c" gt-info --stats variants --rm-dup error x.vcf
}

@test "a list from a pipe is read once: refused where it would be read again, and empty then" {
    gt-sim -q --samples 8 --variants 40 --contigs 2 --seed 3 -o x.bed
    awk -v OFS='\t' '{ $2 = "v" NR; print }' x.bim > y
    mv y x.bim
    for contig in 1 2; do gt-unpack -q -r $contig x.bed -o c$contig.bed; done
    cut -f 2 x.bim | sed 2~3d > ids
    awk '{ print $1, $2 }' x.fam | head -5 > some
    awk '{ print $1, $2, NR % 2 + 1 }' x.fam > sexes
    printf '1\t1\t900\n2\t1\t900\n' > where
    while read -r option list; do
        refused 2 "is a pipe, and --mind reads it again" gt-unpack --mind 0.9 "$option" <(cat "$list") x.bed -o y.bed
        refused 2 "is a pipe, and each input reads it again" gt-unpack "$option" <(cat "$list") c1.bed c2.bed -o y.bed
        [ ! -e y.bed ]
        gt-unpack -qf "$option" <(cat "$list") x.bed -o one.bed
        gt-unpack -qf "$option" "$list" x.bed -o file.bed
        gt-unpack -qf "$option" "$list" c1.bed c2.bed -o two.bed
        for end in bed bim fam; do cmp one.$end file.$end; cmp two.$end file.$end; done
    done << 'END'
-S some
-R where
--extract ids
--exclude ids
--exclude-long-range where
--sex sexes
END
    refused 2 "-S '/dev/fd/" gt-unpack --mind 0.9 -S ^<(cat some) x.bed -o y.bed
    refused 2 "'/dev/null' lists no ids" gt-unpack --exclude /dev/null c1.bed c2.bed -o y.bed
}

@test "--mac beyond all counts, families that begin as a header does" {
    gt-sim -q --samples 6 --variants 20 --seed 1 -o x.bed
    for mac in 13 4611686018427387904 9223372036854775807; do
        [ "$(ours --mac $mac x.bed | wc -l)" -eq 0 ]
    done
    awk -v OFS='\t' '{$1 = "FID"; $2 = "IID" NR; print}' x.fam > y
    mv y x.fam
    printf 'FID IID2\nFID IID5\n' > keep
    gt-unpack -q -S keep x.bed -o kept.bed
    [ "$(cut -f 2 kept.fam | tr '\n' ' ')" = "IID2 IID5 " ]
}

# A VCF of everything that has a length of its own: indels, several ALTs, MNPs, symbolic ALTs with END, no ALT, '*', lower case.
make_lengths() {
    "$PYTHON" - << 'PY'
import random
random.seed(7)
bases = lambda n: "".join(random.choice("ACGT") for _ in range(n))
with open("x.vcf", "w") as f:
    f.write("##fileformat=VCFv4.2\n##contig=<ID=1,length=100000>\n##contig=<ID=2,length=100000>\n##ALT=<ID=DEL,Description=\"x\">\n"
            "##INFO=<ID=END,Number=1,Type=Integer,Description=\"x\">\n##FORMAT=<ID=GT,Number=1,Type=String,Description=\"x\">\n"
            "#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\ta\tb\tc\n")
    for contig in "12":
        pos = 1
        for i in range(400):
            pos += random.choice([0, 1, 1, 2, 5])
            ref, info = bases(random.choice([1, 1, 1, 2, 5, 9])), "."
            kind = random.randrange(8)
            alts = {0: [bases(1)], 1: [ref + bases(3)], 2: [ref[0]], 3: [ref[:2] + bases(2), ref[0]], 4: ["<DEL>"], 5: ["."],
                    6: ["*", bases(1)], 7: [ref[:-1] + bases(1)]}[kind]
            alts = [a for a in alts if a != ref] or ["."]
            if kind == 4:
                ref, info = ref[0], "END=%d" % (pos + random.randrange(12))
            calls = [random.choice(["0/0", "0/1", "1/1"]) if alts != ["."] else "0/0" for _ in "abc"]
            f.write("\t".join([contig, str(pos), "v%s_%d" % (contig, i), ref, ",".join(alts), ".", "PASS", info, "GT"] + calls) + "\n")
PY
    bcftools view -O z -o x.vcf.gz x.vcf
    bcftools index -f x.vcf.gz
    bcftools view -O b -o x.bcf x.vcf
    bcftools index -f x.bcf
    bgzip -c x.vcf > bare.vcf.gz
    gt-pack -q x.vcf -o x.zarr
    gt-pack -q --layout vcz x.vcf -o x.vcz
    # records of one chunk of sites reach into the next one
    gt-pack -q --chunks variants=1 x.vcf -o chunks.zarr
    gt-pack -q --layout vcz --chunks variants=9 x.vcf -o chunks.vcz
}

@test "--regions-overlap: pos, record and variant take what bcftools takes, of every kind of input" {
    command -v bcftools > /dev/null && command -v bgzip > /dev/null || skip "no bcftools"
    "$PYTHON" -c 'import numpy' 2> /dev/null || skip "no python3-numpy"
    make_lengths
    differ=0
    for seed in $(by_level 1 "1 2 3" "1 2 3"); do
        "$PYTHON" - $seed << 'PY' > regions
import random, sys
random.seed(int(sys.argv[1]))
at = 1
for _ in range(12):
    at += random.randrange(1, 60)
    end = at + random.randrange(0, 40)
    print("1:%d-%d" % (at, end))
    at = end + 1 if random.random() < 0.5 else end + 9  # adjacent ones too
print("2:%d-%d" % (at, at + 100))
PY
        list=$(paste -sd, regions)
        for how in pos record variant; do
            bcftools view -H -r "$list" --regions-overlap $how x.vcf.gz | cut -f 3 | sort -u > theirs.$how
            for input in x.vcf x.vcf.gz bare.vcf.gz x.bcf x.zarr x.vcz chunks.zarr chunks.vcz; do
                ours -r "$list" --regions-overlap $how $input | sort > ours
                cmp ours theirs.$how || { echo "$seed $how $input"; diff ours theirs.$how; return 1; }
            done
            tr ':-' '\t\t' < regions > regions.tsv
            ours -R regions.tsv --regions-overlap $how x.zarr | sort | cmp - theirs.$how
            for store in x.zarr x.vcz; do
                gt-rechunk -q -r "$list" --regions-overlap $how $store -o some.zarr -f
                ours some.zarr | sort | cmp - theirs.$how || { echo "gt-rechunk: $seed $how $store"; return 1; }
            done
        done
        ours -r "$list" x.bcf | sort | cmp - theirs.record # the default
        for how in 0:pos 1:record 2:variant; do ours -r "$list" --regions-overlap ${how%:*} x.bcf | sort | cmp - theirs.${how#*:}; done
        cmp -s theirs.record theirs.pos || cmp -s theirs.variant theirs.record || cmp -s theirs.variant theirs.pos || differ=$((differ + 1))
    done
    [ $differ -ge "$(by_level 1 2 2)" ]
}

@test "--regions-overlap pos: windows of a chromosome have each variant once" {
    command -v bcftools > /dev/null && command -v bgzip > /dev/null || skip "no bcftools"
    make_lengths
    for input in x.vcf.gz x.bcf x.zarr; do
        : > windows
        for from in $(seq 1 37 1500); do
            ours -r "1:$from-$((from + 36))" --regions-overlap pos $input 2> /dev/null >> windows || true
        done
        cmp windows <(ours -r 1 $input)
    done
    for args in "--regions-overlap pos" "--regions-overlap variant -s a"; do
        # shellcheck disable=SC2086
        run --separate-stderr gt-info --stats variants $args x.vcf
        # shellcheck disable=SC2154
        [ "$status" -eq 2 ]
        [[ "$stderr" == *"--regions-overlap needs -r or -R"* ]]
    done
    run --separate-stderr gt-rechunk --regions-overlap pos x.zarr -o y.zarr
    [ "$status" -eq 2 ]
    [[ "$stderr" == *"--regions-overlap needs -r or -R"* ]]
    [ ! -e y.zarr ]
}

@test "--slice: '...' stands for all axes that are not given, as in numpy" {
    "$PYTHON" -c 'import numpy, zarr; zarr.save("cube.zarr", numpy.arange(60).reshape(5, 4, 3))'
    for slice in ...,1 1,... ...,1:,0 0,...,::2 ... 1:,...,2,: 4,1:3,0,... ...,::2,1:,2; do
        gt-rechunk -qf "--slice=$slice" cube.zarr -o o.zarr
        "$PYTHON" - "$slice" << 'PY'
import sys, zarr
want = eval("zarr.open('cube.zarr', 'r')[:][%s]" % sys.argv[1])
have = zarr.open("o.zarr", "r")[:]
assert have.shape == want.shape and (have == want).all(), (sys.argv, have.shape, want.shape)
PY
    done
}

@test "--slice near 2^63 selects what Python selects" {
    gt-sim -q --samples 6 --variants 50 -O vcf -o big.vcf
    gt-pack -q big.vcf -o big.zarr
    "$PYTHON" -c 'import numpy, zarr; zarr.save("table.zarr", numpy.arange(100).reshape(50, 2))'
    for slice in 9223372036854775807: :9223372036854775807 :9223372036854775808 ::9223372036854775807 1::9223372036854775807 49::9223372036854775806 \
        50::9223372036854775807 -9223372036854775808: -9223372036854775808::9223372036854775807 3:9223372036854775807:9223372036854775807 \
        3:-9223372036854775808:4611686018427387904 ::99999999999999999999 -99999999999999999999:99999999999999999999:2; do
        for input in big.vcf big.zarr; do
            rm -rf o.zarr
            gt-pack -q "--slice=$slice" $input -o o.zarr
            "$PYTHON" - "$slice" << 'PY'
import sys, zarr
want = range(50)[slice(*(int(x) if x else None for x in sys.argv[1].split(":")))]
site = [line.split("\t")[1] for line in open("big.vcf") if line[0] != "#"]
assert list(zarr.open("o.zarr/variant_position", "r")[:]) == [int(site[i]) for i in want], (sys.argv, list(want))
PY
        done
        rm -rf o.zarr
        gt-rechunk -q "--slice=$slice,1" table.zarr -o o.zarr
        "$PYTHON" - "$slice" << 'PY'
import sys, zarr
want = zarr.open("table.zarr", "r")[:][slice(*(int(x) if x else None for x in sys.argv[1].split(":")))][:, 1]
assert (zarr.open("o.zarr", "r")[:] == want).all() and zarr.open("o.zarr", "r").shape == want.shape, sys.argv
PY
    done
    for slice in 9223372036854775807 -9223372036854775808; do
        for input in big.vcf big.zarr; do
            run -2 gt-pack -q "--slice=$slice" $input -o q.zarr
            [ "${lines[0]}" = "gt-pack: index $slice is outside the variants axis of 50" ]
        done
    done
    run -2 gt-pack -q --slice 9223372036854775808 big.vcf -o q.zarr
    [ "${lines[0]}" = "gt-pack: bad slice '9223372036854775808': an index is too large" ]
}

@test "--snps: the variants that plink2 keeps, with alleles in capitals, in small letters, or in both" {
    need_plink2
    head='##fileformat=VCFv4.2\n##contig=<ID=1>\n##FORMAT=<ID=GT,Number=1,Type=String,Description="x">\n#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\tA\n'
    at=0
    { printf '%b' "$head"
        for ref in A c G t Ac tt R; do
            for alt in C g T a gt Ta '*' '<DEL>' C,G g,T T,gA a,'*' r; do
                [ "${ref^^}" != "${alt^^}" ] && [[ ,${alt^^}, != *,${ref^^},* ]] || continue
                printf '1\t%d\t%s>%s\t%s\t%s\t.\t.\t.\tGT\t0/1\n' $((at += 20)) "$ref" "$alt" "$ref" "$alt"
            done
        done; } > x.vcf
    plink2 --vcf x.vcf --snps-only just-acgt --write-snplist --silent --out their > /dev/null
    [ "$(grep -c '[acgt]' their.snplist)" -gt 9 ]
    gt-pack -q x.vcf -o x.zarr
    gt-pack -q --layout vcz x.vcf -o x.vcz
    bcftools view -O b -o x.bcf x.vcf
    for from in x.vcf x.bcf x.zarr x.vcz; do diff <(ours --snps $from) their.snplist || { echo "$from"; return 1; }; done
    # bcftools takes N for a base, plink2 does not
    { printf '%b' "$head" && printf '1\t%d\t%s\t%s\t%s\t.\t.\t.\tGT\t0/1\n' 1 capital N A 2 small a n 3 two C T,n; } > n.vcf
    diff <(ours --snps n.vcf) <(bcftools query -i 'TYPE="snp"' -f '%ID\n' n.vcf)
}

@test "--polymorphic: the REF that a half call shows counts, of every kind of input with calls" {
    {
        printf '##fileformat=VCFv4.2\n##contig=<ID=1>\n##FORMAT=<ID=GT,Number=1,Type=String,Description="g">\n'
        printf '#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\ta\tb\n'
        printf '1\t%d\tv%d\tA\t%s\t.\t.\t.\tGT\t%s\t%s\n' 1 1 C ./1 1/1 2 2 C 1/1 1/1 3 3 C,G ./1 1/1 4 4 C,G ./2 2/2 5 5 C,G ./. 2/2 \
            6 6 C,G ./0 0/0 7 7 C,G ./1 2/2
    } > x.vcf
    bcftools view -Ob x.vcf -o x.bcf
    gt-pack -q --layout vcz x.vcf -o x.vcz
    for input in x.vcf x.bcf x.vcz; do
        ids() { gt-info -q --stats variants --polymorphic --half-call "$1" $input | tail -n +2 | cut -f 3 | xargs; }
        [ "$(ids missing)" = "" ]
        [ "$(ids haploid)" = v7 ]
        [ "$(ids reference)" = "v1 v3 v4 v7" ]
    done
}

@test "--bp-space: the variants that plink2 keeps" {
    need_plink2
    need_data
    bed=$GT_TEST_DATA/plink/HM3_thinned
    for option in "--bp-space 1" "--bp-space 300000" "--bp-space 2000000" "--bp-space 500000 --maf 0.3"; do
        # shellcheck disable=SC2086
        diff <(ours $option "$bed.bed") <(theirs "$bed" $option) || { echo "$option"; return 1; }
    done
    # at the distance itself, at one position, on the next contig; a tie over two inputs
    printf '##fileformat=VCFv4.2\n##contig=<ID=1>\n##contig=<ID=2>\n#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\tA\n' > x.vcf
    for at in 1:10 1:10 1:19 1:20 1:29 1:30 2:31 2:41; do
        printf '%s\t%s\t%s\tA\tC\t.\t.\t.\tGT\t0/1\n' "${at%:*}" "${at#*:}" "$at"
    done >> x.vcf
    [ "$(ours --bp-space 10 x.vcf | tr '\n' ' ')" = "1:10 1:20 1:30 2:31 2:41 " ]
    { grep '^#' x.vcf && grep -v '^#' x.vcf | sort -k2,2nr; } > back.vcf
    refused 3 "--bp-space needs sorted input" gt-info --stats variants --bp-space 10 back.vcf
}

@test "--thin-count: so many variants of those that pass, each as likely, the same again" {
    gt-sim -q --samples 9 --variants 4000 --seed 3 -o x.vcf.gz
    gt-pack -q x.vcf.gz -o x.zarr
    ours --maf 0.2 x.zarr > pass
    ours --maf 0.2 --thin-count 500 x.zarr > few
    [ "$(wc -l < few)" -eq 500 ]
    [ "$(grep -cxFf pass few)" -eq 500 ]
    for from in x.zarr x.vcf.gz; do diff few <(ours --maf 0.2 --thin-count 500 --threads 1 $from); done
    diff few <(zcat x.vcf.gz | ours --maf 0.2 --thin-count 500 -)
    [ "$(ours --thin-count 4000 x.zarr | wc -l)" -eq 4000 ]
    [ "$(ours --thin-count 9e6 x.zarr | wc -l)" -eq 4000 ]
    [ "$(ours --thin-count 1 x.zarr | wc -l)" -eq 1 ]
    # of 2,000 variants half: each eighth of them has 250 x 1/2, with a standard deviation of 7.4
    ours --thin-count 2000 x.zarr > half
    for part in 0 1 2 3 4 5 6 7; do
        n=$(ours x.zarr | awk -v p=$part 'NR > 500 * p && NR <= 500 * (p + 1)' | grep -cxFf - half)
        [ "$n" -gt 205 ] && [ "$n" -lt 295 ] || { echo "$part: $n"; return 1; }
    done
    gt-pack --maf 0.2 --thin-count 500 x.zarr -o few.zarr 2> said
    grep -q "  $(($(wc -l < pass) - 500)) dropped by --thin-count" said
    # one contig and no id: 10 of 100
    [ "$(ours --bp-space 3 --thin-count 100 x.zarr | wc -l)" -eq 100 ]
    gt-svd -q -k 2 --maf 0.05 --thin-count 300 --seed 1 --loadings x.zarr -o a
    gt-svd -q -k 2 --maf 0.05 --thin-count 300 --seed 2 --loadings x.zarr -o b
    [ "$(wc -l < a.eigenvec.var)" -eq 301 ]
    run ! diff -q <(cut -f 2 a.eigenvec.var) <(cut -f 2 b.eigenvec.var)
}

kept() { gt-info -q --stats variants "$@" | tail -n +2 | cut -f 3; } # without --contigs all

@test "--contigs with ranges and ^, --not-chr: the variants that plink2 keeps" {
    need_plink2
    need_data
    bed=$GT_TEST_DATA/plink/HM3_thinned
    plink2 --bfile "$bed" --thin-indiv-count 9 --seed 1 --make-bed --silent --out few > /dev/null
    awk 'BEGIN {name[19] = "X"; name[20] = "Y"; name[21] = "XY"; name[22] = "MT"} $1 in name {$1 = name[$1]} 1' OFS='\t' few.bim > y
    mv y few.bim
    plink2 --bfile few --output-chr chrM --make-bed --silent --out chr > /dev/null
    for of in few chr; do
        diff <(kept --contigs 1-3 $of.bed) <(theirs few --chr 1-3)
        diff <(kept --contigs 3-5,18-24,26-26 $of.bed | sort) <(theirs few --chr 3-5,18-24,MT | sort)
        diff <(kept --contigs chr20-chr30 $of.bed | sort) <(theirs few --chr X,Y,XY,MT | sort)
        diff <(kept --contigs 1-22 $of.bed) <(theirs few --autosome)
        for list in X 2 1-17 X,3-7; do
            theirs few --not-chr $list | sort > want
            [ "$(wc -l < want)" -gt 500 ]
            diff <(kept --not-chr $list $of.bed | sort) want
            diff <(kept --contigs ^$list $of.bed | sort) want
        done
    done
    around chr > x.vcf
    sed 's/chr8/6-8/' x.vcf > odd.vcf
    [ "$(kept --contigs 6-8 odd.vcf | wc -l)" -eq 4 ]
    [ "$(kept --contigs ^chr6,9 x.vcf | cut -d : -f 1 | sort -u)" = 8 ]
    refused 3 "there is no contig '6'" gt-info --stats variants --contigs 6 x.vcf
    refused 2 "a contig name in '6,,8' is empty" gt-info --stats variants --contigs 6,,8 x.vcf
    [ "$(kept --contigs 6-8 --not-chr 6 x.vcf | cut -d : -f 1 | sort -u)" = 8 ]
    [ "$(kept --contigs all --not-chr 6,8 x.vcf | cut -d : -f 1 | sort -u)" = 9 ]
    # what a metric leaves out by default stays out
    gt-pdist -q -m king --not-chr 9 "$bed.bed" -o a.tsv
    gt-pdist -q -m king --contigs 1-8,10-22 "$bed.bed" -o b.tsv
    cmp a.tsv b.tsv
}

@test "--keep-fam: the samples that plink2 keeps" {
    need_plink2
    gt-sim -q --samples 12 --variants 30 --seed 3 -o x.bed
    awk '{$1 = "f" NR % 4} 1' OFS='\t' x.fam > y
    mv y x.fam
    printf 'f1\nf3\n' > list
    printf 'f2\n' > one
    samples() { gt-info -q --stats samples "$@" x.bed | tail -n +2 | cut -f 1; }
    their_samples() { plink2 --bfile x "$@" --make-just-fam --silent --out their > /dev/null && cut -f 2 their.fam; }
    diff <(samples --keep-fam list) <(their_samples --keep-fam list)
    diff <(samples --keep-fam ^list) <(their_samples --remove-fam list)
    sed -n '2,9p' x.fam | awk '{print $1, $2}' > both
    cut -d ' ' -f 2 both > ids
    diff <(samples --keep-fam list -S ids) <(their_samples --keep-fam list --keep both)
    refused 3 "no samples of" gt-info --stats samples --keep-fam one -s S1 x.bed
    echo f9 >> list
    refused 3 "there is no family id 'f9' in 'x.bed' (absent: 1 of 3 family ids of --keep-fam)" gt-info --strict --stats samples --keep-fam list x.bed
    [ "$(samples --keep-fam list | wc -l)" -eq 6 ]
    gt-unpack -q x.bed -o x.vcf
    refused 2 "--keep-fam needs family ids" gt-info --stats samples --keep-fam list x.vcf
}

@test "--set-all-var-ids: the IDs that plink2 makes" {
    need_plink2
    gt-sim -q --samples 12 --variants 300 --contigs 3 --seed 3 -o x.bed
    gt-pack -q x.bed -o x.zarr
    # shellcheck disable=SC2016
    for form in '@:#' '@:#:$r:$a' 'v@_#_$1_$2' '#@' '@:#[b37]$r,$a'; do
        theirs x --set-all-var-ids "$form" > want
        for from in x.bed x.zarr; do
            diff <(ours --set-all-var-ids "$form" $from) want
            sed -n '3~7p' want > some
            diff <(ours --set-all-var-ids "$form" --extract some $from) some
            diff <(ours --set-all-var-ids "$form" --exclude some $from) <(grep -vxFf some want)
            gt-unpack -q --set-all-var-ids "$form" $from -o new.vcf
            diff <(grep -v '^#' new.vcf | cut -f 3) want
            gt-pack -q -f --set-all-var-ids "$form" $from -o new.zarr
            diff <(ours new.zarr) want
        done
    done
    refused 2 "--set-all-var-ids '@'" gt-info --stats variants --set-all-var-ids @ x.bed
    # shellcheck disable=SC2016
    for form in '@:#:$x' '@:#:$1:$r' '@:#:$1' '@:#:$r:$r'; do
        refused 2 "give \$r (REF) and \$a (ALT) at most once each, or \$1 and \$2 once each" gt-info --stats variants --set-all-var-ids "$form" x.bed
        run ! plink2 --bfile x --set-all-var-ids "$form" --make-just-bim --out y
    done
    refused 2 "@ (contig) and # (position), once each" gt-info --stats variants --set-all-var-ids '@#@' x.bed
    run ! plink2 --bfile x --set-all-var-ids '@#@' --make-just-bim --out y
    refused 2 "an ID has no blanks and no ';'" gt-info --stats variants --set-all-var-ids '@;#' x.bed
}

@test "-R and an index of many contigs: what bcftools keeps, in time that grows with their number" {
    command -v bcftools > /dev/null || skip "no bcftools"
    many() { # N: n.vcf.gz of N contigs with 3 variants each, indexed, and n.regions of every second one
        awk -v n="$1" 'BEGIN {
            OFS = "\t"
            print "##fileformat=VCFv4.2"
            for (i = 0; i < n; i++) print "##contig=<ID=sc_" i ",length=1000>"
            print "##FORMAT=<ID=GT,Number=1,Type=String,Description=\"x\">"
            print "#CHROM", "POS", "ID", "REF", "ALT", "QUAL", "FILTER", "INFO", "FORMAT", "a"
            for (i = 0; i < n; i++) for (p = 10; p <= 30; p += 10) print "sc_" i, p, ".", "A", "C", ".", ".", ".", "GT", "0/1"
        }' > n.vcf
        awk -v n="$1" 'BEGIN {for (i = 0; i < n; i += 2) print (i % 4 ? "sc_" i : "sc_" i "\t15\t25")}' > n.regions
        sed 's/^\(sc_[0-9]*\)$/\1\t1\t1000/' n.regions > full.regions
    }
    cpu() { # COMMAND...: user and system time in ms
        local TIMEFORMAT='%U %S'
        { time "$@" > /dev/null 2>&1; } 2>&1 | awk '{printf "%d", 1000 * ($1 + $2)}'
    }
    many 8000
    gt-unpack -q n.vcf -o n.vcf.gz
    bcftools view -H -R full.regions n.vcf.gz | cut -f 1,2 > want
    [ "$(wc -l < want)" -eq 8000 ]
    for from in n.vcf.gz n.vcf; do diff <(gt-unpack -q -R n.regions $from | grep -v '^#' | cut -f 1,2) want; done
    # AddressSanitizer's realloc copies each time: no time is compared with it
    ! sanitized || return 0
    # of what is quadratic, 16 times as many take 256 times as long
    some=$(cpu gt-unpack -f -R n.regions n.vcf -o x.vcf.gz)
    many 128000
    more=$(cpu gt-unpack -f -R n.regions n.vcf -o x.vcf.gz)
    [ "$more" -lt $((60 * (some + 20))) ] || { echo "$some ms, then $more ms"; return 1; }
}

@test "gt-rechunk -r of stores without lengths of variants: REF says how long they are, as for bcftools" {
    command -v bcftools > /dev/null && command -v bgzip > /dev/null || skip "no bcftools"
    "$PYTHON" -c 'import zarr, numpy' 2> /dev/null || skip "no python3-zarr"
    printf '##fileformat=VCFv4.2\n##contig=<ID=1,length=1000>\n##contig=<ID=2,length=1000>\n##FORMAT=<ID=GT,Number=1,Type=String,Description="x">\n' > x.vcf
    printf '#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\ta\n' >> x.vcf
    printf '%d\t%d\t.\t%s\t%s\t.\t.\t.\tGT\t0/0\n' 1 10 ACGT A 1 11 C A 1 13 AT A,ATT 1 14 G GAA 1 17 ACGTACGT ACG,ACGTA,ACGTACGTT 1 25 C . 2 10 ACG ACT,A 2 12 TTT TTTT >> x.vcf
    bgzip -kf x.vcf
    bcftools index -f x.vcf.gz
    gt-pack -q --layout vcz x.vcf -o lengths.vcz
    gt-pack -q --layout vcz x.vcf -o x.vcz
    rm -r x.vcz/variant_length x.vcz/.zmetadata
    "$PYTHON" - << 'PY'
import os, subprocess, zarr
x, y = zarr.open("x.vcz"), zarr.open("allel.zarr", "w")
y["calldata/GT"] = x["call_genotype"][:]
contig = x["contig_id"][:][x["variant_contig"][:]]
for name, value in dict(POS=x["variant_position"][:], CHROM=list(contig), ID=list(x["variant_id"][:]), REF=list(x["variant_allele"][:, 0]), ALT=x["variant_allele"][:, 1:]).items():
    y.create_dataset("variants/" + name, data=value, **({} if name == "POS" else {"dtype": str}))
y.create_dataset("samples", data=["a"], dtype=str)
regions = ["1:12-12", "1:13-13", "1:14-14", "1:15-16", "1:20-21", "1:24-24", "1:25-1000", "2", "2:11-11,1:1-10", "2:14-14", "2:15-40", "2:1-9"]
few = os.environ.get("GT_TEST_LEVEL", "quick") == "quick"
for number, region in enumerate(regions):
    for turn, how in enumerate(("pos", "record", "variant")):
        theirs = subprocess.run(["bcftools", "view", "-H", "-r", region, "--regions-overlap", how, "x.vcf.gz"], check=True, stdout=subprocess.PIPE, text=True).stdout
        want = sorted((tuple(line.split("\t")[:2]) for line in theirs.splitlines()), key=lambda site: (site[0], int(site[1])))
        for place, store in enumerate(("lengths.vcz", "x.vcz", "allel.zarr")):
            if few and (number + turn + place) % 3:
                continue
            subprocess.run(["gt-rechunk", "-qf", "-r", region, "--regions-overlap", how, store, "-o", "y.zarr"], check=True)
            got = zarr.open("y.zarr", "r")
            if store == "allel.zarr":
                got = list(zip(got["variants/CHROM"][:], map(str, got["variants/POS"][:])))
            else:
                got = list(zip(got["contig_id"][:][got["variant_contig"][:]], map(str, got["variant_position"][:])))
            assert got == want, (region, how, store, got, want)
PY
}

@test "gt-rechunk -s and -r: what a store does not have, and what does not go with them" {
    "$PYTHON" -c 'import zarr, numpy' 2> /dev/null || skip "no python3-zarr"
    gt-sim -q --samples 4 --variants 9 --contigs 2 --seed 3 -O vcf -o x.vcf
    gt-pack -q x.vcf -o packed.zarr
    "$PYTHON" - << 'PY'
import shutil, subprocess, zarr
def refused(code, message, *options):
    done = subprocess.run(["gt-rechunk", "-f", *options, "-o", "o.zarr"], stderr=subprocess.PIPE, text=True)
    assert done.returncode == code and done.stderr.splitlines()[0] == "gt-rechunk: " + message, (options, done)
with open("places.txt", "w") as f:
    f.write("1\n")
refused(2, "--regions-overlap needs -r or -R", "--regions-overlap", "pos", "-s", "S1", "packed.zarr")
refused(2, "--strict cannot be combined with --skip-absent", "--strict", "--skip-absent", "-s", "S1", "packed.zarr")
for how in "strict", "skip-absent":
    refused(2, "--%s needs -s, -S, -r or -R" % how, "--" + how, "packed.zarr")
refused(2, "--samples cannot be combined with --pick: both select samples", "-s", "S1", "--pick", "samples:places.txt", "packed.zarr")
refused(2, "--regions cannot be combined with --pick: both select variants", "-r", "1", "--pick", "variants:places.txt", "packed.zarr")
positions = ("'x.zarr' has no positions of its variants",
             "hint: they are read from variant_position, variant_contig and contig_id, or variants/POS, variants/CHROM and variants/REF")
subprocess.run(["gt-pack", "-q", "--layout", "vcz", "x.vcf", "-o", "x.vcz"], check=True)
for name, wrong, option, message in [
        ("variant_position", None, "-r", positions[0]), ("variant_contig", None, "-r", positions[0]), ("contig_id", None, "-r", positions[0]),
        ("variant_contig", slice(5), "-r", "array 'variant_contig' does not have 9 variants"),
        ("variant_position", slice(8), "-r", "array 'variant_position' does not have 9 variants"),
        ("sample_id", None, "-s", "'call_genotype' has no ids for its 4 samples"), ("sample_id", slice(3), "-s", "'call_genotype' has no ids for its 4 samples")]:
    shutil.rmtree("x.zarr", ignore_errors=True)
    shutil.copytree("x.vcz", "x.zarr")
    shutil.os.remove("x.zarr/.zmetadata")
    z = zarr.open("x.zarr")
    value = z[name][:]
    attributes = dict(z[name].attrs)
    del z[name]
    if wrong:
        z.create_dataset(name, data=value[wrong], dtype=str if value.dtype == object else value.dtype).attrs.update(attributes)
    refused(3, message, option, "S1" if option == "-s" else "1", "x.zarr")
PY
    [ ! -e o.zarr ]
}
