# shellcheck shell=bash
# shellcheck disable=SC2034
# For the other scripts, which source it: packages and builds.  TOP is the source folder.

TOP=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

BUILD_PACKAGES=(build-essential autoconf automake libtool pkg-config libhts-dev libblosc-dev libzstd-dev liblz4-dev
    zlib1g-dev libdeflate-dev libarchive-dev libjson-c-dev libxxhash-dev librandom123-dev)
TEST_PACKAGES=(bats mandoc python3-numpy python3-scipy python3-zarr python3-dask plink1.9 bcftools tabix time unzip)

# say WORDS...: what the script is about to do.
say() { printf '== %s\n' "$*" >&2; }

# need_packages NAME...: installs what is missing, with sudo unless root.
need_packages() {
    local missing=() name sudo=()
    if ! command -v dpkg-query >/dev/null; then
        say "not a Debian system: these must be there: $*"
        return
    fi
    for name in "$@"; do
        [[ $(dpkg-query -W -f '${Status}' "$name" 2>/dev/null) == *" installed" ]] || missing+=("$name")
    done
    [ ${#missing[@]} -gt 0 ] || return 0
    [ "$(id -u)" -eq 0 ] || sudo=(sudo)
    say "installing ${missing[*]}"
    "${sudo[@]}" apt-get -qq update
    "${sudo[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -qq -y --no-install-recommends install "${missing[@]}" >/dev/null
}

# build DIR ARG...: configures TOP in DIR with these arguments (again when they
# changed) and runs make there.  Works in conditions, where bash ignores set -e.
build() {
    local dir=$1
    shift
    mkdir -p "$dir" || return
    [ -x "$TOP/configure" ] || (cd "$TOP" && autoreconf -fi) || return
    if [ ! -f "$dir/Makefile" ] || [ "$(cat "$dir/configure.args" 2>/dev/null)" != "$*" ]; then
        (cd "$dir" && "$TOP/configure" "$@") || return
        printf '%s\n' "$*" >"$dir/configure.args"
    fi
    make -C "$dir" -j"$(nproc)"
}

# logged FILE COMMAND...: its output goes to FILE, of which the end is shown if it fails.
logged() {
    local log=$1
    shift
    "$@" >"$log" 2>&1 && return
    tail -n 40 "$log" >&2
    say "failed; all of it is in $log"
    return 1
}
