# shellcheck shell=bash
# shellcheck disable=SC2034
# For the parts of scripts/bench, which source it: a folder to work in, which goes at the end, and
# times.  Sets GT_BIN (the built commands, also first in PATH), $threads and $work.

# shellcheck source=scripts/lib-setup.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib-setup.sh"
GT_BIN=${GT_BIN:?run this as scripts/bench NAME}
PATH=$GT_BIN:$PATH
threads=${GT_THREADS:-2}
work=$(mktemp -d "${TMPDIR:-/tmp}/gt-bench.XXXXXX")
trap 'rm -rf "$work"' EXIT

# A virtual machine gives free memory back to its host, and takes ten times as long to get some as to clear it: who runs first
# would pay for all.  So 6 GiB, or half of what is free, are touched before each run: after less, commands of 700 MiB
# still met pages that the host had to find.
touched=$(awk '/^MemAvailable/ { half = $2 * 512; most = 6 * 2^30; printf "%.0f", half < most ? half : most }' /proc/meminfo)
touch_memory() { python3 -c "b'1' * $touched"; }

# timed NAME COMMAND...: its wall seconds go behind those in $work/NAME.s, its cpu seconds (user and system) behind those in
# $work/NAME.cpu, its largest memory in KiB behind those in $work/NAME.kb.
timed() {
    local name=$1 rc=0 start end
    shift
    touch_memory
    start=$EPOCHREALTIME
    /usr/bin/time -o "$work/time" -f '%M %U %S' "$@" > /dev/null 2> "$work/said" || rc=$?
    end=$EPOCHREALTIME
    if [ "$rc" -ne 0 ]; then
        echo "$name: $(tail -n 1 "$work/said")" >&2
        return "$rc"
    fi
    echo "$end - $start" | bc >> "$work/$name.s"
    cut -d ' ' -f 1 "$work/time" >> "$work/$name.kb"
    awk '{ print $2 + $3 }' "$work/time" >> "$work/$name.cpu"
}

# Of numbers, one a line, in the file or on standard input.
median() { sort -g ${1+"$1"} | awk '{ v[NR] = $1 } END { print (v[int((NR + 1) / 2)] + v[int(NR / 2) + 1]) / 2 }'; }
largest() { sort -g ${1+"$1"} | tail -n 1; }
