#!/bin/bash
# output_races.sh ROUNDS PROCESSES KIND DIR [US [PRELOAD]]: that many commands, each with an input of its own, write one output at
# the same time.  KIND: dir, dir-force (a store is replaced), dead (a killed run left OUT.partial), zip, tar, npy.  US: delays of up to that many
# microseconds before system calls (test/support/syscalls.c, built as PRELOAD).
# Whoever ends with status 0 has written the output; all others end with 1 and say that it is taken.  What stands there at the end is
# what one of the former made, whole, and nothing is left beside it.  Prints what went wrong, and counts; exit 1 when something did.
set -u
rounds=$1 processes=$2 kind=$3 us=${5:-0} preload=${6:-}
cd "$4" || exit 1

case $kind in
    dir | dir-force | dead) out=o.zarr ;;
    zip | tar | npy) out=o.$kind ;;
    *) exit 2 ;;
esac
rm -rf o.*
for ((i = 0; i <= processes; i++)); do
    [ -e "in.$i" ] || gt-sim -q --samples $((10 + i)) --variants 300 --seed "$i" --chunks variants=100 -O packed -o "in.$i" || exit 1
done

# write INPUT OUTPUT: one command.
write() {
    case $kind in
        npy) exec gt-pdist -q "$1" -o "$2" ;;
        dir-force) exec gt-pack -q -f --no-version --chunks variants=50 "$1" -o "$2" ;;
        *) exec gt-pack -q --no-version --chunks variants=50 "$1" -o "$2" ;;
    esac
}
for ((i = 0; i <= processes; i++)); do
    [ -e "want.$kind.$i" ] || { (write "in.$i" "$out") && mv "$out" "want.$kind.$i" || exit 1; }
    [ $kind != npy ] || mv "$out.id" "want.$kind.$i.id" 2> /dev/null
done
same() {
    diff -r "want.$kind.$1" "$out" > /dev/null && { [ $kind != npy ] || cmp -s "want.$kind.$1.id" "$out.id"; }
}

wrong=0 several=0
fail() {
    wrong=$((wrong + 1))
    echo "$kind, round $round: $*"
}
for ((round = 1; round <= rounds; round++)); do
    rm -rf o.*
    [ $kind != dir-force ] || cp -r "want.$kind.0" "$out"
    if [ $kind = dead ]; then
        cp -r "want.$kind.0" "$out.partial" && rm "$out.partial/.zgroup" && : > "$out.partial/.gt-journal"
    fi
    pids=()
    for ((i = 1; i <= processes; i++)); do
        (
            if [ "$us" -gt 0 ]; then export LD_PRELOAD=$preload SYSCALL_DELAY=$((round * 16 + i)),$us; fi
            write "in.$i" "$out" 2> "err.$i"
        ) &
        pids+=($!)
    done
    won=()
    for ((i = 1; i <= processes; i++)); do
        wait "${pids[i - 1]}"
        rc=$?
        if [ $rc -eq 0 ]; then
            won+=("$i")
        elif [ $rc -ne 1 ] || ! grep -Eq 'another process (is writing it|has written it since this command began)|already exists' "err.$i"; then
            fail "exit $rc: $(cat "err.$i")"
        fi
    done
    right=0
    for i in "${won[@]}"; do same "$i" && right=1; done
    [ ${#won[@]} -gt 0 ] || fail "nobody won: $(cat err.*)"
    [ ${#won[@]} -le 1 ] || several=$((several + 1))
    [ $right -eq 1 ] || fail "what stands there is nobody's, of ${won[*]}"
    left=$(find . -maxdepth 1 -name 'o.*' ! -name "$out" ! -name o.npy.id)
    [ -z "$left" ] || fail "left: $left"
done
echo "$kind: $rounds rounds of $processes processes, delays to $us us, $several with winners one after another, $wrong wrong"
[ $wrong -eq 0 ]
