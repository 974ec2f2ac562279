#!/usr/bin/env bats
# Inputs of forms that are rare but valid: line ends, blanks, comments, optional columns, no newline at the end.

bats_require_minimum_version 1.5.0

setup() {
    cd "$BATS_TEST_TMPDIR" || exit 1
    "$PYTHON" -c 'import numpy' || skip "no numpy"
}

@test "VCF, PLINK 1 and 2, EIGENSTRAT: the calls that are in the text" {
    "$PYTHON" "$GT_SOURCE/test/support/rare_inputs.py"
}
