# shellcheck shell=bash
# shellcheck disable=SC2034
# For scripts/package-*, which source it: new chroots of Debian 12 to build and to try packages in.  Sets VERSION, SAMPLE and $work, a folder
# that is removed at the end.

# shellcheck source=scripts/lib-setup.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib-setup.sh"

VERSION=$(sed -n 's/^AC_INIT(\[gt-utils\], \[\(.*\)\])$/\1/p' "$TOP/configure.ac")
# A pipeline of the commands that is run in what is installed, and its results, pcs.*, compared with those of the build.
SAMPLE='gt-sim -q --samples 50 --variants 3000 --missing 0.01 --seed 1 | gt-pack -q | gt-svd -q -k 3 -o pcs'
MIRROR=http://deb.debian.org/debian
[ "$(id -u)" -eq 0 ] || { say "chroots need root" && exit 1; }
need_packages mmdebstrap
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# new_root NAME PACKAGE,...: a chroot in $work/NAME, of the essential packages, apt and these.
new_root() {
    mmdebstrap --quiet --variant=apt --include="$2" bookworm "$work/$1" "$MIRROR" || return
    cp /etc/resolv.conf "$work/$1/etc"
}

# inside NAME COMMAND...: in that chroot, with a /proc that ends with the command.
inside() {
    local root=$work/$1
    shift
    # shellcheck disable=SC2016
    LC_ALL=C unshare --mount bash -c 'mount -t proc proc "$0/proc" && exec chroot "$0" "$@"' "$root" "$@"
}
