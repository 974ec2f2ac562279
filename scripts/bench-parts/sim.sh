#!/usr/bin/env bash
# gt-sim: cpu seconds of two large packed stores, and VCF.gz against bgzip -@2 on the
# same text.  Needs GT_BIN; works in a folder of its own under TMPDIR.
set -euo pipefail
work=$(mktemp -d "${TMPDIR:-/tmp}/gt-bench.XXXXXX")
trap 'rm -rf "$work"' EXIT
cd "$work"
sim=$GT_BIN/gt-sim
TIMEFORMAT='%R %U %S'

# timed COMMAND...: wall and cpu seconds of one run.
timed() {
    local times
    { times=$( { time "$@" >/dev/null 2>&3; } 2>&1); } 3>&2
    # shellcheck disable=SC2086
    set -- $times
    awk -v r="$1" -v u="$2" -v s="$3" 'BEGIN { printf "%.2f %.2f\n", r, u + s }'
}
median() { sort -n | awk '{ x[NR] = $1 } END { print x[int((NR + 1) / 2)] }'; }

printf '%-36s %10s %10s %14s\n' "packed, 5 populations, 1 % missing" "wall s" "cpu s" "genotypes/s"
for shape in "2504 1000000" "20000 100000"; do
    read -r n m <<<"$shape"
    read -r wall cpu < <(timed "$sim" -q -@ 2 --samples "$n" --variants "$m" --pops 5 --missing 0.01 -o big.zarr)
    awk -v n="$n" -v m="$m" -v w="$wall" -v c="$cpu" \
        'BEGIN { printf "%-36s %10.2f %10.2f %14.3g   %s\n", n " x " m, w, c, n * m / w, c < 60 ? "under 60 s of cpu" : "OVER 60 s of cpu" }'
    rm -rf big.zarr
done

args=(-q -@ 2 --samples 2504 --variants 50000 --pops 5 --missing 0.01)
"$sim" "${args[@]}" -o text.vcf
for _ in 1 2 3 4 5; do
    timed "$sim" "${args[@]}" -o ours.vcf.gz >>ours
    timed bgzip -@2 -c text.vcf >>theirs
done
ours=$(cut -d' ' -f1 ours | median) theirs=$(cut -d' ' -f1 theirs | median)
printf '\nVCF.gz of %s bytes of text, median of 5\n' "$(stat -c %s text.vcf)"
awk -v a="$ours" -v b="$theirs" 'BEGIN { printf "  gt-sim -@2  %.2f s (making the data too)\n  bgzip -@2   %.2f s\n  ratio       %.2f\n", a, b, b / a }'
