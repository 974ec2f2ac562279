#!/usr/bin/env bats
# Options of selection, several together: what the order of gt-utils(7) leaves, counted from the text, of each command and kind of input.

bats_require_minimum_version 1.5.0

. "$GT_SOURCE/test/support/level.bash"

setup() {
    cd "$BATS_TEST_TMPDIR" || exit 1
    "$PYTHON" -c 'import numpy' || skip "no numpy"
}

@test "sets of four options in which each pair occurs" {
    for seed in $(seq "$(by_level 1 3 30)"); do
        mkdir $seed
        (cd $seed && "$PYTHON" "$GT_SOURCE/test/support/selection_oracle.py" sets $seed)
    done
}

@test "gt-pack A | gt-pack B is gt-pack A B, where B comes later in the order" {
    "$PYTHON" "$GT_SOURCE/test/support/selection_oracle.py" pipes "${GT_PIPES_SEED:-1}" "$(by_level 12 30 600)"
}

@test "--mind counts before --bp-space, and without the multiallelic sites that gt-svd leaves out, of any input" {
    {
        printf '##fileformat=VCFv4.2\n##contig=<ID=1>\n##FORMAT=<ID=GT,Number=1,Type=String,Description="g">\n'
        printf '#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\ta\tb\tc\td\n'
        for i in 1 2 3 4 5 6; do # a lacks calls of variants that --bp-space drops, b of others
            a=0/1 b=1/1
            [ $((i % 2)) -eq 1 ] || a=./.
            [ $i -ne 1 ] || b=./.
            printf '1\t%d\tv%d\tA\tC\t.\t.\t.\tGT\t%s\t%s\t0/0\t0/1\n' $((i / 2 * 100 + i)) $i $a $b
        done
        for i in 7 8 9; do printf '1\t%d\tm%d\tA\tC,G\t.\t.\t.\tGT\t0/1\t0/2\t./.\t0/0\n' $((i * 100)) $i; done # only c lacks these
    } > x.vcf
    gt-pack -q x.vcf -o x.zarr
    gt-pack -q --layout vcz x.vcf -o x.vcz
    gt-unpack -q x.vcf -o x.bcf
    for input in x.vcf x.bcf x.zarr x.vcz; do
        [ "$(gt-info -q --stats samples --biallelic --mind 0.4 --bp-space 50 $input | tail -n +2 | cut -f 1 | xargs)" = "b c d" ]
        [ "$(gt-info -q --stats samples --mind 0.3 $input | tail -n +2 | cut -f 1 | xargs)" = "b d" ]
        gt-svd -q -f --json -k 1 --mind 0.2 $input -o pca | grep -q '"samples": 3,'
    done
}
