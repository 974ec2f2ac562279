#!/usr/bin/env bats
# Which variants stay: --mac, --hwe, --extract, --exclude and --exclude-long-range, against plink2.

bats_require_minimum_version 1.5.0

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
    grep -q 'no variant is in a region of --exclude-long-range b38' said
    refused 1 "cannot open 'b36'" gt-pack --exclude-long-range b36 x.vcf -o y.zarr
}

@test "numbers that make no sense are refused" {
    around "" > x.vcf
    refused 2 "'--mac' must be at least 1" gt-pack --mac 0 x.vcf -o y.zarr
    refused 2 "'--hwe' must be above 0" gt-pack --hwe 0 x.vcf -o y.zarr
    refused 2 "--hwe" gt-pack --hwe 1.5 x.vcf -o y.zarr
}
