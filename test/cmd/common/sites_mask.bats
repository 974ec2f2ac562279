#!/usr/bin/env bats
# --sites and --mask: calls, sites and filters in three stores, as MalariaGEN keeps them.

bats_require_minimum_version 1.5.0

setup_file() {
    cd "$BATS_FILE_TMPDIR" || exit 1
    "$PYTHON" "$GT_SOURCE/test/support/sites_mask.py"
}
setup() { cd "$BATS_FILE_TMPDIR" || exit 1; }

refused() { # STATUS TEXT COMMAND...
    run --separate-stderr timeout 60 "${@:3}"
    # shellcheck disable=SC2154
    { [ "$status" -eq "$1" ] && [[ "${stderr_lines[0]}" == *"$2"* ]]; } || { echo "${*:3}: status $status: $output $stderr"; return 1; }
}

# Contig, position, REF, ALTs and dosages of a packed store.
rows() { gt-unpack -qf -O npy "$1" -o codes.npy && "$PYTHON" -c 'import numpy as n; a = n.load("codes.npy"); [print(*("." if v < 0 else v for v in r), sep="\t") for r in (a if a.shape[1] < 9 else a.T)]' > codes
    gt-info -q --stats variants "$1" | tail -n +2 | cut -f 1,2,4,5 | paste - codes; }

@test "--sites: calls with the sites of another store are as those that have them" {
    for contig in 2R 3L; do
        gt-pack -qf set1.zarr/$contig --sites sites.zarr -o ours.zarr
        diff <(rows ours.zarr) <(grep "^$contig" want.tsv | cut -f 1-9)
        gt-pack -qf --no-version set1.zarr/$contig --sites sites.zarr -o a.zip
        gt-pack -qf --no-version whole.zarr/$contig -o b.zip
        gt-pack -qf --no-version set1.zarr --array $contig/calldata/GT --sites sites.zarr/$contig -o c.zip
        cmp a.zip b.zip
        cmp a.zip c.zip
    done
    gt-pack -qf set1.zarr/2R set1.zarr/3L --sites sites.zarr -o ours.zarr
    diff <(rows ours.zarr) <(cut -f 1-9 want.tsv)
    gt-pack -f --no-version whole.zarr --array 2R/calldata/GT --sites sites.zarr/2R -o c.zip 2> said
    grep -q "'whole.zarr' has its own sites beside '2R/calldata/GT'; those of --sites 'sites.zarr/2R' are used" said
    gt-pack -f set1.zarr/2R --sites sites.zarr -o d.zip 2> said
    run ! grep 'its own sites' said
    for options in "-r 2R:300-600" "--snps --maf 0.3" "--split-multiallelic --polymorphic" "--max-alleles 3" "--thin 3 -s set1-4,set1-0"; do
        # shellcheck disable=SC2086
        cmp <(gt-pdist -q -m cityblock --between variants $options set1.zarr/2R --sites sites.zarr 2>&1) \
            <(gt-pdist -q -m cityblock --between variants $options whole.zarr/2R 2>&1) || { echo "$options"; return 1; }
    done
}

@test "--mask: the variants for which the array is true, of stores, .bed and several inputs" {
    for threads in 1 2; do
        gt-pack -qf -@ $threads set1.zarr/2R set1.zarr/3L --sites sites.zarr --mask filters.zarr/gamb -o ours.zarr
        diff <(rows ours.zarr) <(awk '$NF == 1' want.tsv | cut -f 1-9)
    done
    gt-pack -qf set1.zarr/2R --sites sites.zarr --mask filters.zarr/gamb/2R/variants/filter_pass --thin 4 -o ours.zarr
    diff <(rows ours.zarr) <(grep ^2R want.tsv | awk 'NR % 4 == 1 && $NF == 1' | cut -f 1-9)
    gt-pack -qf set1.zarr/2R --sites sites.zarr -o all.zarr
    gt-pack -qf --no-version all.zarr --mask filters.zarr/gamb/2R -o a.zip
    gt-pack -qf --no-version set1.zarr/2R --sites sites.zarr --mask filters.zarr/gamb/2R -o b.zip
    gt-unpack -q -O npy a.zip -o a.npy
    gt-unpack -q -O npy b.zip -o b.npy
    cmp a.npy b.npy
    gt-pack --json -f set1.zarr/2R --sites sites.zarr --mask filters.zarr/gamb -o ours.zarr > json 2> said
    dropped=$(grep ^2R want.tsv | awk '$NF == 0' | wc -l)
    grep -q "$dropped dropped by --mask" said
    grep -q "\"mask\": *$dropped\b" json
    gt-unpack -qf all.zarr --split-multiallelic -o all.bed 2> /dev/null || gt-sim -q --samples 5 --variants 70 -o all.bed
    gt-unpack -q all.bed --mask filters.zarr/gamb/2R/variants/filter_pass -o few.bed
    diff <(cut -f 2,4 few.bim) <(paste all.bim <(grep ^2R want.tsv) | awk -F "\t" -v OFS="\t" '$NF == 1 {print $2, $4}')
    # only the mask tells them apart
    diff <(gt-pdist -q set1.zarr/2R --mask filters.zarr/gamb --sites sites.zarr) <(gt-pdist -q b.zip)
}

@test "--sites, --mask: what does not go together is refused" {
    refused 3 "'2R/variants/POS' has 70 variants and '3L/calldata/GT' has 33" gt-pack set1.zarr/3L --sites sites.zarr/2R -o no.zarr
    refused 3 "--sites: 'filters.zarr' has no positions for 'set1.zarr/2R'" gt-pack set1.zarr/2R --sites filters.zarr -o no.zarr
    refused 3 "'set1.zarr/3L' has 33 variants and array 'gamb/2R/variants/filter_pass' of --mask" \
        gt-pack set1.zarr/3L --mask filters.zarr/gamb/2R/variants/filter_pass -o no.zarr
    refused 3 "--mask: 'sites.zarr' is not an array, and has no 2R/variants/filter_pass" gt-pack set1.zarr/2R --mask sites.zarr -o no.zarr
    refused 2 "indexes the variants of one input" \
        gt-pack set1.zarr/2R set1.zarr/2R --sites sites.zarr --mask filters.zarr/gamb/2R/variants/filter_pass -o no.zarr
    refused 3 "is not a list of booleans" gt-pack set1.zarr/2R --mask set2.zarr/2R/calldata/GT -o no.zarr
    gt-sim -qf --samples 3 --variants 20 -O vcf -o x.vcf
    refused 2 "--sites needs a store of calls; 'x.vcf' is a VCF" gt-pack x.vcf --sites sites.zarr -o no.zarr
    refused 2 "--mask selects variants by index, and the number of variants of 'x.vcf' (VCF) is not known" gt-pack x.vcf --mask filters.zarr -o no.zarr
    gt-pack -qf x.vcf -o x.zarr
    refused 2 "'x.zarr' has its own sites" gt-pack x.zarr --sites sites.zarr -o no.zarr
    refused 3 "x.vcf" gt-pack set1.zarr/2R --sites x.vcf -o no.zarr
    refused 1 "nothere" gt-pack set1.zarr/2R --sites nothere.zarr -o no.zarr
    refused 2 "it is the input 'sites.zarr'" gt-pack -f set1.zarr/2R --sites sites.zarr -o sites.zarr
    [ ! -e no.zarr ]
}
