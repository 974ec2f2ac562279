#!/usr/bin/env bats
# gt-pdist of more than one run holds: parts, counts and what is put together of them.

bats_require_minimum_version 1.5.0

setup() { cd "$BATS_TEST_TMPDIR" || exit 1; }

need_arrays() { "$PYTHON" -c 'import numpy, scipy, zarr' 2> /dev/null || skip "no python3-scipy, -zarr"; }

# parts N ARG...: the output of all N parts, one behind another.
parts() {
    local n=$1 i
    shift
    for ((i = 1; i <= n; i++)); do gt-pdist -q --part "$i/$n" "$@" || return; done
}

@test "--part: parts of every format follow each other to the bytes of one run" {
    gt-sim -q --samples 150 --variants 300 --missing 0.05 --seed 3 -o x.zarr
    for format in tsv npy condensed triangle pairs phylip plink king kin0 "plink --plink-shape square0" "plink --plink-shape bin" \
        "king --plink-shape bin4-square" "plink -m ibs"; do
        # shellcheck disable=SC2086
        gt-pdist -q -O $format x.zarr > whole
        for n in 1 3 7; do
            # shellcheck disable=SC2086
            parts $n -O $format x.zarr | cmp - whole || { echo "$format in $n parts"; return 1; }
        done
    done
    gt-pdist -q -O triangle x.zarr > whole
    parts 200 -O triangle x.zarr | cmp - whole # parts of one row, and of none
    need_arrays
    "$PYTHON" -c 'import numpy as np; np.save("a.npy", np.random.RandomState(5).standard_normal((130, 40)))'
    gt-pdist -q a.npy > whole
    parts 4 a.npy | cmp - whole
}

@test "--part: in little memory, into files, and of no samples" {
    gt-sim -q --samples 2200 --variants 60 --missing 0.02 --seed 5 -o x.zarr
    for format in npy condensed triangle; do
        gt-pdist -q -O $format x.zarr > whole
        [[ "$(gt-pdist -n -O $format --part 2/3 --memory 44M x.zarr)" =~ passes\ +([0-9]+) ]]
        [ "${BASH_REMATCH[1]}" -gt 2 ]
        parts 3 -O $format --memory 44M x.zarr | cmp - whole
    done
    for i in 1 2 3; do gt-pdist -q -O condensed --part $i/3 x.zarr -o part$i.npy; done
    gt-pdist -q -O condensed x.zarr -o all.npy
    cat part?.npy | cmp - all.npy
    cmp part1.npy.id all.npy.id
    [ ! -e part2.npy.id ]
    need_arrays
    for n in 0 1 2; do
        "$PYTHON" -c "import numpy as np; np.save('few.npy', np.ones(($n, 4)))"
        for format in tsv condensed pairs; do
            gt-pdist -q -O $format few.npy > whole
            parts 3 -O $format few.npy | cmp - whole
        done
    done
}

@test "--part: the plan says which, and what is no part is refused" {
    gt-sim -q --samples 150 --variants 30 --seed 3 -o x.zarr
    run gt-pdist -n --part 2/4 -O triangle x.zarr
    [[ "$output" == *"part           2 of 4: 31 of 150 rows"* ]]
    for bad in 0/3 4/3 3 /3 3/ a/3 1/a 1/0 -1/3 1.5/3 1/3/3; do
        run gt-pdist --part $bad x.zarr -o no.tsv
        [ "$status" -eq 2 ]
        [ "${lines[0]}" = "gt-pdist: --part $bad: I/N was expected, with I from 1 to N" ]
        [ ! -e no.tsv ]
    done
    # every pair is counted in one of the parts
    for format in tsv pairs condensed; do
        sum=0
        for i in 1 2 3; do
            gt-pdist -O $format --part $i/3 x.zarr 2> err > out
            [[ "$(cat err)" =~ ([0-9,]+)\ pairs ]]
            sum=$((sum + ${BASH_REMATCH[1]//,/}))
        done
        [ $format = tsv ] || [ $sum -eq $((150 * 149 / 2)) ]
    done
}
