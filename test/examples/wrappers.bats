#!/usr/bin/env bats
# packaging/snakemake: the example of each wrapper is run; they read each other's outputs.
bats_require_minimum_version 1.5.0

wrappers=$GT_SOURCE/packaging/snakemake/bio/gt-utils

setup() {
    unset GT_THREADS GT_MEMORY
    cd "$BATS_TEST_TMPDIR" || return
    export XDG_CACHE_HOME=$BATS_TEST_TMPDIR/cache
}

@test "each command has a wrapper with its page, its environment and an example" {
    local program name
    for program in "$GT_SOURCE"/cmd/*/gt-*.c; do
        name=$(basename "${program%.c}")
        for file in wrapper.py meta.yaml environment.yaml test/Snakefile; do [ -s "$wrappers/${name#gt-}/$file" ]; done
        grep -q "^name: $name\$" "$wrappers/${name#gt-}/meta.yaml"
        grep -q "shell(\"$name " "$wrappers/${name#gt-}/wrapper.py"
    done
}

@test "the examples of the wrappers run, and their outputs are those of the commands" {
    [ -n "$PYTHON_SNAKEMAKE" ] || skip "no Snakemake"
    mkdir prefix
    ln -s "$GT_SOURCE/packaging/snakemake" prefix/master
    {
        echo 'rule all:'
        echo '    input: "sim/cohort.vcf.gz", "rechunk/cohort.zarr", "unpack/cohort.bed", "info/cohort.tsv", "info/cohort.svg", "pdist/cohort.npy",'
        echo '        "svd/cohort.model.zip", "svd/cohort.projected.eigenvec", "pi/pi.json"'
        printf 'include: "%s"\n' "$wrappers"/*/test/Snakefile
    } >Snakefile
    timeout 200 "${PYTHON_SNAKEMAKE%/*}/snakemake" --cores 2 --wrapper-prefix "file://$PWD/prefix/"
    gt-pack -q --no-version --maf 0.01 sim/cohort.vcf.gz -o want.zarr
    cmp <(gt-unpack -q --no-version -O vcf want.zarr) <(gt-unpack -q --no-version -O vcf pack/cohort.zarr)
    gt-unpack -q want.zarr -o want.bed
    cmp want.bed unpack/cohort.bed
    gt-pdist -q -m 1-ibs want.zarr -o want.npy --tree want.nwk
    cmp want.npy pdist/cohort.npy
    cmp want.nwk pdist/cohort.nwk
    gt-info -q --stats samples want.zarr -o want.tsv
    cmp want.tsv info/cohort.tsv
    [ "$(wc -l <svd/cohort.projected.eigenvec)" -eq 61 ]
    [[ "$(tr -d ' \n' <rechunk/cohort.zarr/packed_dosage/.zarray)" == *'"chunks":[500,'* ]]
    for picture in info/cohort.svg pdist/cohort.svg svd/cohort.svg; do tail -c 8 $picture | grep -q '</svg>'; done
    grep -q '"points": 1000000' pi/pi.json
    grep -q '^gt-pack: 60 samples' logs/pack/cohort.log
}
