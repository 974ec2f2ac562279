#!/bin/bash
# output_crashes.sh PRELOAD DIR: a command that writes a store or a file is killed before each system call that changes a folder or
# makes data durable (test/support/syscalls.c), one after another, and run again.  After the kill the output is what it was
# before or what it is to be, whole; after the second run it is what it is to be, and nothing is left beside it.
# SYSCALL_ONLY chooses the calls, as there.  Prints what went wrong, and counts; exit 1 when something did.
set -u
preload=$1
cd "$2" || exit 1
gt-sim -q --samples 12 --variants 300 --seed 1 -O packed -o in.new || exit 1
gt-sim -q --samples 11 --variants 200 --seed 2 -O packed -o in.old || exit 1
wrong=0 kills=0
export SYSCALL_NOSYNC=1

fail() {
    wrong=$((wrong + 1))
    echo "$name, call $n: $*"
}

# equal A B: but for the journal of a store that is finished.
equal() {
    diff -r --exclude .gt-journal "$1" "$2" > /dev/null 2>&1 && { [ ! -e "want.$name.id" ] || [ "$1" = was ] || cmp -s "$1.id" "$2.id"; }
}

# crash_all NAME OUT BEFORE COMMAND... -- AGAIN...: BEFORE is what OUT is before (a path, or none); AGAIN: options of the second run.
crash_all() {
    name=$1 out=$2 before=$3
    local command=() again=() n_calls left
    shift 3
    while [ "$1" != -- ]; do
        command+=("$1")
        shift
    done
    shift
    again=("$@")
    rm -rf o.* want.* was list
    begin() {
        rm -rf o.*
        [ "$before" = none ] || cp -r "$before" "$out"
        [ ! -e "$before.id" ] || cp "$before.id" "$out.id"
    }
    begin
    n=all
    SYSCALL_LIST=list LD_PRELOAD=$preload "${command[@]}" -o "$out" || { fail "exit $?"; return; }
    cp -r "$out" "want.$name"
    [ ! -e "$out.id" ] || cp "$out.id" "want.$name.id"
    n_calls=$(wc -l < list)
    for ((n = 1; n <= n_calls; n++)); do
        begin
        made=
        { SYSCALL_KILL=$n LD_PRELOAD=$preload "${command[@]}" -o "$out" 2> err; } 2> /dev/null
        [ $? -eq 137 ] || fail "not killed: $(cat err)"
        kills=$((kills + 1))
        if [ -e "$out" ]; then
            equal "want.$name" "$out" || { [ "$before" != none ] && diff -r "$before" "$out" > /dev/null; } ||
                [ -e "want.$name.id" ] || fail "'$out' is neither the one before nor the new one: $(sed -n "${n}p" list)"
        elif [ "$before" != none ]; then
            fail "'$out' is gone: $(sed -n "${n}p" list)"
        fi
        [ ! -d "$out" ] || [ "$before" != none ] || made=1
        LD_PRELOAD=$preload "${command[@]}" "${again[@]}" -o "$out" 2> err
        rc=$?
        if [ -n "$made" ] && [ "${again[*]}" != --resume ]; then # the journal stays until the store is read or replaced
            [ $rc -eq 1 ] && grep -q "already exists" err && [ ! -e "$out.partial" ] || fail "again: exit $rc: $(cat err)"
            continue
        fi
        [ $rc -eq 0 ] || fail "again: exit $rc: $(cat err)"
        equal "want.$name" "$out" || fail "the second run made something else"
        left=$(find . -maxdepth 1 -name 'o.*' ! -name "$out" ! -name "$out.id" ! -name "$out.csi"; find "$out" -name '.gt-*')
        [ -z "$left" ] || fail "left: $left ($(sed -n "${n}p" list))"
    done
    echo "$name: $n_calls calls"
}

pack=(gt-pack -q --no-version --chunks variants=100)
"${pack[@]}" in.old -o old.zarr && "${pack[@]}" in.old -o old.zip && gt-pdist -q in.old -o old.npy || exit 1
crash_all new o.zarr none "${pack[@]}" in.new --
crash_all force o.zarr old.zarr "${pack[@]}" -f in.new --
crash_all resume o.zarr none gt-pack -q --chunks variants=100 --verify in.new -- --resume
crash_all zip o.zip old.zip "${pack[@]}" in.new --
crash_all tar o.tar none "${pack[@]}" in.new --
crash_all npy o.npy old.npy gt-pdist -q in.new --
crash_all vcf o.vcf.gz none gt-unpack -q --no-version in.new --
echo "$kills kills, $wrong wrong"
[ $wrong -eq 0 ]
