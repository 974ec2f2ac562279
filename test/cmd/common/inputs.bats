#!/usr/bin/env bats
# The same genotypes as every kind of input: the same counts; inputs that can be read
# once only where several passes are needed.

bats_require_minimum_version 1.5.0

. "$GT_SOURCE/test/support/level.bash"

setup_file() {
    cd "$BATS_FILE_TMPDIR" || exit 1
    "$PYTHON" "$GT_SOURCE/test/support/options_data.py"
    ! command -v bcftools > /dev/null || bcftools view -Ob base.vcf -o base.bcf 2> /dev/null
    gt-pack -q --no-version base.vcf -o base.packed
    gt-pack -q --no-version base.vcf -o base.tar
}

setup() { cd "$BATS_FILE_TMPDIR" || exit 1; }

# What gt-pack says it read, dropped and kept.
counts() {
    gt-pack -qf --json -o "$BATS_TEST_TMPDIR/out.zarr" "$@" | "$PYTHON" -c 'import json, sys
o = json.load(sys.stdin)
d = {k: n for k, n in o["dropped"].items() if n}
print(o["samples_in"], o["samples"], o["variants_in"], o["split_rows"], o["variants"], o["multiallelic"], "%.6g" % o["missing_rate"], d)'
}

@test "samples and variants in, dropped and kept: the same of every kind of input" {
    while IFS='|' read -r option want; do
        for kind in $(by_level "vcf packed" "vcf bcf calls2 calls3 packed tar" "vcf bcf calls2 calls3 packed tar"); do
            [ -e base.$kind ] || continue
            # shellcheck disable=SC2086
            got=$(counts $option base.$kind)
            [ "$got" = "$want" ] || { echo "$option, $kind: $got"; return 1; }
        done
    done << 'TABLE'
|6 6 10 0 10 1 0.1 {}
-r 1:15-45,X|6 6 10 0 5 1 0.0666667 {'region': 5}
--contigs 2|6 6 10 0 3 0 0.0555556 {'contigs': 7}
--slice 2:9:3|6 6 10 0 3 0 0 {'slice': 7}
--slice -3: --thin 2|6 6 10 0 1 0 0 {'slice': 7, 'thin': 2}
--thin 4 -s a,b|6 2 10 0 3 0 0.333333 {'thin': 7}
--pass --snps|6 6 10 0 7 1 0.0952381 {'pass': 2, 'snps': 1}
--min-alleles 2 --max-alleles 2|6 6 10 0 8 0 0.125 {'alleles': 2}
--biallelic --maf 0.3|6 6 10 0 7 0 0.142857 {'biallelic': 2, 'maf': 1}
--polymorphic -s d,f|6 2 10 0 5 1 0.1 {'polymorphic': 5}
--mind 0.2 --geno 0|6 5 10 0 8 1 0 {'mind': 1, 'geno': 2}
--mind 0.1 --contigs 1 -s ^c|6 1 10 0 5 1 0 {'mind': 4, 'contigs': 5}
TABLE
}

@test "several inputs: counts and selections go over all of them" {
    grep '^#' base.vcf > first
    for part in 1 2; do
        { cat first; grep -v '^#' base.vcf | sed -n "$([ $part = 1 ] && echo 1,4p || echo '5,$p')"; } > part$part.vcf
        gt-pack -qf part$part.vcf -o part$part.zarr
    done
    for option in "" "-r 1:15-45,X" "--slice 2:9:3" "--slice -3:" "--thin 4" "--mind 0.2 --geno 0"; do
        # shellcheck disable=SC2086
        want=$(counts $option base.vcf)
        for kind in vcf zarr; do
            # shellcheck disable=SC2086
            [ "$(counts $option part1.$kind part2.$kind)" = "$want" ] || { echo "$option, $kind: $want"; return 1; }
        done
    done
}

@test "several inputs: options about calls are for those that have such" {
    [[ "$(counts --half-call reference 12.calls2 x.calls1)" == "6 6 10 0 10 1 0.0833333 "* ]] # the one of 1:40 is not missing
    run gt-pack --half-call reference x.calls1 -o no.zarr
    [ "$status" -eq 2 ]
    [[ "${lines[0]}" == *"needs diploid calls; those of 'x.calls1' have one allele" ]]
    run gt-pack --polyploid missing 12.calls2 x.calls1 -o no.zarr
    [ "$status" -eq 2 ]
    [[ "${lines[0]}" == *"needs calls of ploidy above 2; those of '"*"' have at most 2 alleles" ]]
    gt-pack -qf 12.calls2 -o 12.packed
    run gt-pack --half-call missing 12.packed x.calls1 -o no.zarr
    [ "$status" -eq 2 ]
    [[ "${lines[0]}" == *"--half-call needs calls; '12.packed' (packed store) has only dosages" ]]
    gt-unpack -q --skip-multiallelic 12.packed -o 12.pgen
    run gt-pack --half-call missing 12.pgen -o no.zarr
    [ "$status" -eq 2 ]
    [[ "${lines[0]}" == *"--half-call needs calls; '12.pgen' (PLINK pgen) is read as dosages" ]]
    [ "${lines[1]}" = "hint: gt-unpack 12.pgen -o OUT.bcf writes its calls" ]
}

@test "a FIFO where several passes are needed: --mind, slices from the end, several inputs" {
    mkfifo in
    for kind in vcf bcf tar; do
        [ -e base.$kind ] || continue
        for command in "gt-pack -q --no-version --mind 0.2" "gt-pack -q --no-version --slice -4:-1" "gt-pdist -q --mind 0.2" \
            "gt-pdist -q --slice -4:" "gt-info -q --stats samples --mind 0.2" "gt-info -q --stats variants --slice -3:,:3"; do
            $command base.$kind > want
    timeout 60 cat base.$kind > in 3>&- &
            timeout 60 $command in > got
            wait
            cmp got want
        done
    done
    { grep '^#' base.vcf; grep '^X' base.vcf; } > x.vcf
    grep -v '^X' base.vcf > 12.vcf
    gt-pdist -q base.vcf > want
    timeout 60 cat x.vcf > in 3>&- &
    timeout 60 gt-pdist -q in 12.vcf > got # put in order by their first sites
    wait
    cmp got want
}

@test "a FIFO where the sums of pairs take several passes, and memory does not hold what was read" {
    memory=48M
    ! sanitized || memory=256M # then it does
    gt-sim -q --samples 1500 --variants 40000 --missing 0.01 --seed 3 -o wide.tar
    gt-pdist -q wide.tar -O npy -o want.npy
    [[ "$(gt-pdist -n --memory $memory wide.tar)" =~ passes\ +([0-9]+) ]]
    [ "${BASH_REMATCH[1]}" -gt 1 ] || [ $memory = 256M ]
    mkfifo wide.in
    timeout 300 cat wide.tar > wide.in 3>&- &
    timeout 300 gt-pdist -q --memory $memory wide.in -O npy -o got.npy
    wait
    cmp got.npy want.npy
}

@test "what one pass over a FIFO cannot give is refused, not waited for" {
    for kind in bed zip; do
        gt-pack -qf base.vcf -o base.zip
        mkfifo p.$kind
        timeout 60 cat base.$kind > p.$kind 3>&- &
        run timeout 60 gt-pdist -q p.$kind
        kill $! 2> /dev/null || true
        [ "$status" -ne 0 ] && [ "$status" -lt 5 ] || { echo "$kind: $status $output"; return 1; }
    done
}

@test "a store whose groups hold the genotypes: the hint names them" {
    mkdir ag.zarr
    echo '{"zarr_format": 2}' > ag.zarr/.zgroup
    for arm in 2L 2R 3L 3R X Y; do gt-sim -q --samples 3 --variants 5 -O vcz -o ag.zarr/$arm; done
    run gt-pack ag.zarr -o arm.zarr
    [ "$status" -eq 3 ]
    [[ "${lines[0]}" == "gt-pack: 'ag.zarr' has no genotypes"* ]]
    [ "${lines[1]}" = "hint: 6 groups have genotypes: ag.zarr/2L, ag.zarr/2R, ag.zarr/3L, ag.zarr/3R, ..." ]
    gt-pack -q ag.zarr/2R -o arm.zarr
    rm -r ag.zarr/2? ag.zarr/3? ag.zarr/Y
    run gt-pdist ag.zarr
    [ "${lines[-1]}" = "hint: 1 group has genotypes: ag.zarr/X" ]
    rm -r ag.zarr/X
    run gt-pdist ag.zarr
    [ "${lines[-1]}" = "hint: gt-info lists the arrays; name one with --array" ]
}

@test "gt-pdist of an array with many more rows than columns says how to compare columns" {
    "$PYTHON" -c 'import numpy' 2> /dev/null || skip "no python3-numpy"
    "$PYTHON" -c 'import numpy as np; np.save("tall.npy", np.ones((40, 4))); np.save("square.npy", np.ones((39, 4)))'
    gt-pdist tall.npy 2> said > out
    grep -qx "gt-pdist: comparing 40 rows over 4 columns; --axis 1 compares columns" said
    gt-pdist square.npy 2> said > out
    grep -qx "gt-pdist: comparing 39 rows over 4 columns" said
    gt-pdist --axis 0 tall.npy 2> said > out
    grep -qx "gt-pdist: comparing 40 rows over 4 columns" said
    # axes with names are those that are meant
    "$PYTHON" -c 'import zarr; zarr.save("named.zarr", [[1]] * 40); zarr.open("named.zarr").attrs["_ARRAY_DIMENSIONS"] = ["samples", "variants"]'
    for between in "" "--between samples"; do
        # shellcheck disable=SC2086
        gt-pdist $between named.zarr 2> said > out
        grep -qx "gt-pdist: comparing 40 samples over 1 value" said || { cat said; return 1; }
    done
}
