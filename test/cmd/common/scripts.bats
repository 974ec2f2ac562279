#!/usr/bin/env bats
# What the scripts share.
bats_require_minimum_version 1.5.0

setup() {
    cd "$BATS_TEST_TMPDIR" || exit 1
    command -v git > /dev/null || skip "no git"
    mkdir -p tree/scripts
    cp "$GT_SOURCE/scripts/lib-setup.sh" tree/scripts
    # a project whose configure is as strict as automake's
    cat > tree/configure << 'SH'
#!/bin/sh
from=$(dirname "$0")
[ ! -f "$from/config.status" ] || [ "$PWD" = "$(cd "$from" && pwd)" ] || { echo "source directory already configured"; exit 1; }
touch config.status
printf 'all:\n\tcp %s/answer made\n' "$from" > Makefile
SH
    chmod +x tree/configure
    echo 42 > tree/answer
    printf '/build/\n/config.status\n/Makefile\n/made\n' > tree/.gitignore
    git -C tree init -q
    git -C tree add .
}

@test "build: from the source folder, and from a copy when that was built in place" {
    run bash -c 'source tree/scripts/lib-setup.sh && cd tree && build build --flag'
    [ "$status" -eq 0 ]
    [ "$(cat tree/build/made)" = 42 ]
    [ ! -e tree/build/source ]
    rm -r tree/build
    (cd tree && ./configure && make)
    echo 43 > tree/answer
    run bash -c 'source tree/scripts/lib-setup.sh && cd tree && build build --flag'
    [ "$status" -eq 0 ] || { echo "$output"; false; }
    [ "$(cat tree/build/made)" = 43 ]
    [ "$(cat tree/made)" = 42 ]
}

@test "build: a failure is one, also in place without git" {
    (cd tree && ./configure)
    rm -rf tree/.git
    run bash -c 'source tree/scripts/lib-setup.sh && cd tree && GIT_CEILING_DIRECTORIES=$PWD/.. build build'
    [ "$status" -ne 0 ]
    [[ "$output" == *"make distclean"* ]]
}

# What the tests get as GT_TEST_DATA from make with these assignments around it.
data_of() {
    env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL -u GT_TEST_DATA "$@" make -s -C "$GT_BUILD" \
        --eval='show-data: ; @$(AM_TESTS_ENVIRONMENT) echo "$$GT_TEST_DATA"' show-data
}

@test "make check: GT_TEST_DATA in the environment counts, a relative one from the build" {
    [ "$(data_of GT_TEST_DATA=/some/where)" = /some/where ]
    [ "$(data_of GT_TEST_DATA=here)" = "$(cd "$GT_BUILD" && pwd)/here" ]
    [ -n "$(data_of)" ]
}

@test "scripts run the Python that has what they need, whatever python3 comes first" {
    /usr/bin/python3 -c 'import numpy' || skip "no numpy for /usr/bin/python3"
    mkdir first
    printf '#!/bin/sh\nexit 1\n' > first/python3
    chmod +x first/python3
    run env -u PYTHON PATH="$PWD/first:$PATH" bash -c 'source tree/scripts/lib-setup.sh && "$PYTHON" -c "import numpy; print(42)"'
    [ "$status" -eq 0 ]
    [ "$output" = 42 ]
    for part in "$GT_SOURCE"/scripts/bench-parts/*.sh; do
        run ! grep -n '^[^#]*python3' "$part"
    done
}
