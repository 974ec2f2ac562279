# shellcheck shell=bash
# shellcheck disable=SC2034
# For the other scripts, which source it: packages and builds.  TOP is the source folder,
# PYTHON the Python that they run.

TOP=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
# Debian's, which has the packages below; the first in PATH may be another.
PYTHON=${PYTHON:-/usr/bin/python3}

LIBRARY_PACKAGES=(libhts-dev libblosc-dev libzstd-dev liblz4-dev zlib1g-dev libdeflate-dev libbz2-dev libcurl4-gnutls-dev
    libarchive-dev libjson-c-dev libxxhash-dev librandom123-dev liblapacke-dev libopenblas-serial-dev)
MPI_PACKAGES=(libopenmpi-dev openmpi-bin libmpich-dev mpich) # of the MPI modules and their tests
PICTURE_PACKAGES=(librsvg2-dev libgraphviz-dev)            # of the module of pictures and its tests
BUILD_PACKAGES=(build-essential autoconf automake libtool pkg-config "${LIBRARY_PACKAGES[@]}")
SLURM_PACKAGES=(slurm-wlm munge slurm-wlm-basic-plugins libpmi2-0)
TEST_PACKAGES=(bats clang-format-14 mandoc python3-venv python3-numpy python3-scipy python3-zarr python3-dask plink1.9 plink2 quicktree eigensoft bcftools tabix time unzip nginx-light tmux zsh fish "${MPI_PACKAGES[@]}" "${SLURM_PACKAGES[@]}" "${PICTURE_PACKAGES[@]}")

ARM64_PACKAGES=(gcc-aarch64-linux-gnu qemu-user-static) # and LIBRARY_PACKAGES of arm64, see scripts/lib-arm64.sh

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
    if [ "$(id -u)" -ne 0 ]; then
        if ! command -v sudo >/dev/null; then
            say "these packages are missing, and you are not root and there is no sudo"
            say "ask an administrator to run: apt-get install ${missing[*]}"
            return 1
        fi
        sudo=(sudo)
    fi
    say "installing ${missing[*]}"
    "${sudo[@]}" apt-get -qq update
    "${sudo[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -qq -y --no-install-recommends install "${missing[@]}" >/dev/null
}

# sources: prints the folder to build from.  That is TOP, but a copy of it when TOP
# itself was configured, since automake then refuses to build anywhere else.
sources() {
    local copy=$TOP/build/source
    if [ ! -f "$TOP/config.status" ]; then
        echo "$TOP"
        return
    fi
    if ! git -C "$TOP" ls-files --error-unmatch scripts/lib-setup.sh >/dev/null 2>&1; then
        say "$TOP is built in place and no git checkout: run make distclean there first"
        return 1
    fi
    mkdir -p "$copy" && cd "$TOP" || return
    git ls-files -z -co --exclude-standard | tar -c --null -T - --ignore-failed-read 2>/dev/null | tar -x -C "$copy" || return
    echo "$copy"
}

# configure_in DIR ARG...: configures the sources in DIR with these arguments, again when
# they changed.  Works in conditions, where bash ignores set -e.
configure_in() {
    local dir=$1 from
    shift
    mkdir -p "$dir" || return
    from=$(sources) || return
    [ -x "$from/configure" ] || (cd "$from" && autoreconf -fi) || return
    if [ ! -f "$dir/Makefile" ] || [ "$(cat "$dir/configure.args" 2>/dev/null)" != "$from $*" ]; then
        (cd "$dir" && "$from/configure" "$@") || return
        printf '%s\n' "$from $*" >"$dir/configure.args"
    fi
}

# build DIR ARG...: configures the sources in DIR and runs make there.
build() { configure_in "$@" && make -C "$1" -j"$(nproc)"; }

# pypi DIR PACKAGES CODE: a Python that has PACKAGES from PyPI, in DIR; its name is printed.
# It is taken as it stands if it runs CODE.  Nothing is printed where it cannot be had.
pypi() {
    local python=$1/bin/python log=$1.log packages
    read -ra packages <<<"$2"
    if ! "$python" -c "$3" 2>/dev/null; then
        rm -rf "$1"
        { "$PYTHON" -m venv "$1" && "$python" -m pip install -q "${packages[@]}"; } >"$log" 2>&1 || return 0
    fi
    realpath -s "$python"
}

# zarr3 DIR: a Python with zarr-python 3, which Debian 12 lacks, xarray, and where it can be had TensorStore.
zarr3() {
    local python
    python=$(pypi "$1" 'zarr>=3,<4 xarray tensorstore' 'import zarr, xarray, tensorstore; assert zarr.__version__ >= "3"')
    echo "${python:-$(pypi "$1" 'zarr>=3,<4 xarray' 'import zarr, xarray; assert zarr.__version__ >= "3"')}"
}

# moto DIR: a Python with a server that speaks S3.
moto() { pypi "$1" 'moto[s3,server]>=5,<6' 'import moto.server'; }

# bio2zarr DIR: a Python with bio2zarr and what reads its stores.
bio2zarr() { pypi "$1" 'bio2zarr[vcf]==0.2.1' 'import bio2zarr, cyvcf2; assert bio2zarr.__version__ == "0.2.1"'; }

# snakemake DIR: a Python with Snakemake, and the plugin with which it submits jobs to Slurm.
snakemake() {
    pypi "$1" 'snakemake>=9,<10 snakemake-executor-plugin-slurm>=2,<3' 'import snakemake.api, snakemake_executor_plugin_slurm'
}

# vcztools DIR: a Python with vcztools, which writes VCF from a store.
vcztools() { pypi "$1" 'vcztools==0.2.0' 'import vcztools'; }

# building FILE DIR: builds in DIR as logged does, says how long that takes, and shows every 5 seconds how far it is.
building() {
    local log=$1 dir=$2 files cpus pid
    cpus=$(nproc)
    files=$(find "$TOP/src" "$TOP/cmd" "$TOP/kernels" -name '*.c' | wc -l)
    say "building $files files on $cpus cpus: about $(((90 + cpus - 1) / cpus + 15)) s, the first time; messages are in $log"
    logged "$log" build "$dir" &
    pid=$!
    while sleep 5 && kill -0 "$pid" 2>/dev/null; do
        say "  $(grep -cE '^ +CC ' "$log" || true) of about $files files compiled"
    done
    wait "$pid"
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
