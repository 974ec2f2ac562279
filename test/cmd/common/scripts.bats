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

# --- test/support/run_suites.py ---------------------------------------------------------------

# suites: a source tree and a build with suites that pass, fail, skip and end badly.
suites() {
    unset GT_TEST_SHORT
    mkdir -p tree/test/{support,core/one,cmd/two} out/test/core/one
    cp "$GT_SOURCE/test/support/"{limit,run_suites.py} tree/test/support
    touch tree/test/core/one/t_{good,short,silent}.c
    echo '/* a case of its own */' > tree/test/core/one/t_bad.c
    program good 'printf "ok 1 - a\nok 2 # SKIP no data\n1..2\n"'
    program bad 'printf "ok 1 - a\nnot ok 2 - b\n# why\n1..2\n"; exit 1'
    program short 'printf "ok 1 - a\n1..2\n"'
    program silent 'kill -SEGV $$'
    sed 's/^case/@test/' > tree/test/cmd/two/two.bats << 'BATS'
case "first (of two) + more" { echo "$GT_TEST_LEVEL" > "$GT_BUILD/level"; }
case "second: 'of two' [x]?" { [ -z "$FAIL" ]; }
case "third" { skip "no luck"; }
BATS
}
program() { printf '#!/bin/sh\n%s\n' "$2" > "out/test/core/one/t_$1" && chmod +x "out/test/core/one/t_$1"; }

@test "suites are selected by suite, folder, room or command, and case" {
    suites
    choose() { tree/test/support/run_suites.py select tree "$@" 2>&1 | paste -sd ' '; }
    [ "$(choose)" = "cmd/two/two.bats core/one/t_bad.c core/one/t_good.c core/one/t_short.c core/one/t_silent.c" ]
    local name
    for name in core/one core one test/core/one/; do
        [ "$(choose $name)" = "core/one/t_bad.c core/one/t_good.c core/one/t_short.c core/one/t_silent.c" ] || { echo "$name: $(choose $name)"; return 1; }
    done
    for name in good t_good core/one/t_good test/core/one/t_good.c; do
        [ "$(choose $name)" = core/one/t_good.c ]
    done
    for name in two gt-two cmd two.bats 'of two' '(of two) +' "two' [x]"; do
        [ "$(choose "$name")" = cmd/two/two.bats ]
    done
    [ "$(choose 'of its own')" = core/one/t_bad.c ]
    [ "$(choose two good third)" = cmd/two/two.bats ]
    run tree/test/support/run_suites.py select tree core 'no such case'
    [ "$status" -eq 1 ]
    [[ ${lines[0]} == "scripts/test: no suite, room, command or case is named 'no such case'" ]]
}

@test "suites are run, and summed up: failures, skips, and suites that end badly" {
    suites
    local all="tree/test/support/run_suites.py run tree out"
    run env -u GT_TEST_LEVEL $all good two
    [ "$status" -eq 0 ]
    [ "${lines[-1]}" = "3 passed, 0 failed, 2 skipped" ]
    [[ $output == *"skipped 1: no luck"* ]]
    [ "$(cat out/level)" = quick ]
    run $all 'first (of two) + more' third
    [ "${lines[-1]}" = "1 passed, 0 failed, 1 skipped" ]
    run env FAIL=1 $all
    [ "$status" -eq 1 ]
    # bad: a case; short: the plan; silent: nothing at all; two: a case
    [ "${lines[-1]}" = "4 passed, 4 failed, 2 skipped" ] || { echo "$output"; return 1; }
    [[ $output == *"not ok 2 - b"*"# why"* ]]
    [[ $output == *"failed in core/one/t_short: core/one/t_short: 1 cases, 2 in the plan, status 0"* ]]
    [[ $output == *"failed in cmd/two/two: not ok 2 second: 'of two' [x]?"* ]]
    [ -z "$(ls -A out/tests/tmp)" ]
}

@test "a long bats file is run in parts, each case once" {
    suites
    printf 'cmd/two/two\t%s\t20\n' 'first (of two) + more' "second: 'of two' [x]?" > tree/test/support/seconds.tsv
    run tree/test/support/run_suites.py run tree out good two
    [ "${lines[-1]}" = "3 passed, 0 failed, 2 skipped" ]
    [[ $output == *"cmd/two/two.1: "* && $output == *"cmd/two/two.2: "* ]]
    [ -e out/tests/seconds.tsv ]
    # both take longer than 4 s by the table, whatever this machine's run measured
    GT_TEST_SHORT=4 run tree/test/support/run_suites.py run tree out good two
    [ "${lines[0]}" = "2 cases that take longer than 4 s are left to scripts/test --all" ]
    [ "${lines[-1]}" = "1 passed, 0 failed, 2 skipped" ]
}

@test "a suite that hangs fails, and the rest is run" {
    suites
    program good 'sleep 60'
    program silent 'printf "ok 1\n1..1\n"'
    GT_TEST_JOBS=1 GT_TEST_LIMIT=6 run tree/test/support/run_suites.py run tree out good silent
    [ "$status" -eq 1 ]
    [ "${lines[-1]}" = "1 passed, 1 failed, 0 skipped" ]
    [[ $output == *"Bail out! More than 6 s"* ]]
}

@test "a condition that does not hold fails its test: none stands where bash ignores it" {
    find "$GT_SOURCE/test" -name '*.bats' -o -name '*.bash' | xargs "$PYTHON" "$GT_SOURCE/test/support/check_bats.py"
    local kind
    for kind in '[ -e x ] && [ -e y ]' 'gt-pi -q && cmp a b # both' '! cmp a b'; do
        printf '@test "one" {\n    %s\n    true\n}\n' "$kind" > one.bats
        run -1 "$PYTHON" "$GT_SOURCE/test/support/check_bats.py" one.bats
        [ "$output" = "one.bats:2: $kind" ]
    done
    for kind in '[[ $a == 1 && $b == 2 ]]' '[ -e x ] && continue' '[ -e x ] || [ -e y ] && return 1' 'if a && b; then' 'echo "a && b"' 'run ! cmp a b'; do
        printf '@test "one" {\n    %s\n    true\n}\n' "$kind" > one.bats
        run -0 "$PYTHON" "$GT_SOURCE/test/support/check_bats.py" one.bats
    done
}

@test "files that the documents name exist" {
    cd "$GT_SOURCE"
    n=0
    for path in $(grep -hoE '`(src|cmd|kernels|test|man|scripts|doc)/[A-Za-z0-9_./-]+' README.md CONTRIBUTING.md doc/*.md | tr -d '`' | sed 's/[.]$//' | sort -u); do
        [[ $path != *NAME* ]] || continue
        # Programs that make builds are named without their suffix.
        [ -e "$path" ] || [ -e "$path.c" ] || { echo "$path does not exist"; return 1; }
        n=$((n + 1))
    done
    [ "$n" -gt 50 ]
}

@test "need_packages: neither root nor sudo, packages that are missing are named" {
    mkdir -p bin
    printf '#!/bin/sh\nexit 1\n' > bin/dpkg-query
    printf '#!/bin/sh\necho 1000\n' > bin/id
    chmod +x bin/*
    for tool in bash dirname; do ln -s "$(command -v $tool)" bin; done
    run env PATH="$PWD/bin" bash -c "source '$GT_SOURCE/scripts/lib-setup.sh' && need_packages libone libtwo && echo went on"
    [ "$status" -eq 1 ]
    [ "${lines[0]}" = "== these packages are missing, and you are not root and there is no sudo" ]
    [ "${lines[1]}" = "== ask an administrator to run: apt-get install libone libtwo" ]
}

@test "building: says how long, how far it is, and fails as the build does" {
    cat > run << 'SCRIPT'
source "$GT_SOURCE/scripts/lib-setup.sh"
build() { for i in 1 2 3; do echo "  CC       src/$i.o"; sleep 2; done; return "$CODE"; }
building log dir
SCRIPT
    CODE=0 run bash run
    [ "$status" -eq 0 ]
    [[ "${lines[0]}" == "== building "*" files on "*" cpus: about "*" s, the first time; messages are in log" ]]
    [[ "${lines[1]}" == "==   3 of about "*" files compiled" ]]
    CODE=3 run bash run
    [ "$status" -ne 0 ]
    [[ "$output" == *"failed; all of it is in log"* ]]
}

@test "the version is the same everywhere" {
    version=$(sed -n 's/^AC_INIT(\[gt-utils\], \[\(.*\)\])$/\1/p' "$GT_SOURCE/configure.ac")
    [[ $version =~ ^[0-9]+\.[0-9]+\.[0-9]+$ ]]
    [ "$(gt-pack --version | head -n 1)" = "gt-pack $version" ]
    grep -qx "version: $version" "$GT_SOURCE/CITATION.cff"
    grep -qx "version = \"$version\"" "$GT_SOURCE/packaging/python/pyproject.toml"
    grep -q "^{% set version = \"$version\" %}" "$GT_SOURCE/packaging/conda/meta.yaml"
    grep -qx "__version__ = \"$version\"" "$GT_SOURCE/packaging/python/gt_utils/__init__.py"
    head -n 1 "$GT_SOURCE/packaging/debian/changelog" | grep -q "^gt-utils ($version-[0-9]*) "
    for file in "$GT_SOURCE"/packaging/snakemake/bio/gt-utils/*/environment.yaml; do grep -qx "  - gt-utils =${version%.*}" "$file"; done
}
