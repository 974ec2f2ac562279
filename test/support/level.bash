# shellcheck shell=bash
# by_level QUICK FULL LONG: one of the three, as GT_TEST_LEVEL says (quick when it is not set): how
# many random trials, kills, failing allocations or variants a case takes.
by_level() {
    case ${GT_TEST_LEVEL:-quick} in
    quick) echo "$1" ;;
    full) echo "$2" ;;
    long) echo "$3" ;;
    *) echo "GT_TEST_LEVEL=$GT_TEST_LEVEL: quick, full or long" >&2 && return 1 ;;
    esac
}

# few N WORD...: N of the words, evenly spread, for a quick run; all of them otherwise.
few() {
    local n=$1 i
    shift
    n=$(by_level "$n" $# $#)
    for ((i = 0; i < n; i++)); do
        printf '%s\n' "${@:1 + i * $# / n:1}"
    done
}

# sanitized: whether the commands are built with a sanitizer, where times and memory say nothing.
sanitized() { grep -qs '^GT_LDFLAGS = ..*sanitize' "$GT_BUILD/Makefile"; }

# long_on_host: skips a case that takes half a minute or more where the host device computes it, unless the level is full or long.
long_on_host() {
    [[ ${GT_DEVICE:-} != host || ${GT_TEST_LEVEL:-quick} != quick ]] || skip "long on the host device: GT_TEST_LEVEL=full runs it"
}
