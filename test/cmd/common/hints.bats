#!/usr/bin/env bats
# Hints for what users of plink, bcftools and vcftools type first: each is printed, and what it says runs.

setup() {
    cd "$BATS_TEST_TMPDIR" || exit 1
    PATH=$GT_BUILD:$PATH
}

@test "every row of hints.def: the hint is printed, and what it says runs" {
    command -v bcftools > /dev/null || skip "no bcftools"
    quick=
    [ "${GT_TEST_LEVEL:-quick}" != quick ] || quick=--quick
    # shellcheck disable=SC2086
    run "$PYTHON" "$GT_SOURCE/test/support/hints.py" "$GT_SOURCE/cmd/common/hints.def" "$GT_BUILD" $quick
    [ "$status" -eq 0 ] || { echo "$output"; return 1; }
    [[ "${lines[-1]}" == *" 0 failed" ]]
}
