#!/usr/bin/env bats
# README and doc/: the examples print what the pages say, and no example has an option that its command lacks.

bats_require_minimum_version 1.5.0

setup() { cd "$BATS_TEST_TMPDIR" || exit 1; }

@test "the examples of README.md and doc/ print what is written there" {
    local page
    for page in "$GT_SOURCE"/README.md "$GT_SOURCE"/doc/*.md; do
        "$PYTHON" "$GT_SOURCE/test/support/doc_examples.py" "$page" > said || { echo "$page"; cat said; return 1; }
        [[ $page != */README.md ]] || [ "$(sed -n '$s/ examples.*//p' said)" -ge 4 ]
    done
}

@test "an example that prints something else, fails, or has an option that is not there is found" {
    printf '# Title\n\n    $ echo 1.25 s\n    9.99 s\n    $ echo 3 MiB\n    3 MiB\n\nText\n\n```\ngt-pack --no-such-option -q x.vcf | gt-pdist -q\n```\n' > page.md
    run "$PYTHON" "$GT_SOURCE/test/support/doc_examples.py" page.md
    [ "$status" -eq 1 ]
    [ "${lines[0]}" = "gt-pack has no option --no-such-option: gt-pack --no-such-option -q x.vcf | gt-pdist -q" ]
    [ "${lines[1]}" = "2 examples, 1 wrong" ]
    sed -i 's/^    3 MiB/    4 MiB/; s/--no-such-option//' page.md
    run "$PYTHON" "$GT_SOURCE/test/support/doc_examples.py" page.md
    [ "$status" -eq 1 ]
    [[ $output == *"echo 3 MiB"*"3 MiB"*"4 MiB"*"2 examples, 1 wrong" ]]
    printf '    $ echo 0.0159605 196.5 s1\n    0.0159609 196.5 s1\n' > page.md
    "$PYTHON" "$GT_SOURCE/test/support/doc_examples.py" page.md
    printf '    $ echo 0.0159605 196.5\n    0.0159905 196.5\n' > page.md
    run ! "$PYTHON" "$GT_SOURCE/test/support/doc_examples.py" page.md
    printf '    $ echo 0.979 bits\n    0.978 bits\n' > page.md
    run ! "$PYTHON" "$GT_SOURCE/test/support/doc_examples.py" page.md
    printf '    $ false\n' > page.md
    run ! "$PYTHON" "$GT_SOURCE/test/support/doc_examples.py" page.md
}
