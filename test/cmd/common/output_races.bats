#!/usr/bin/env bats
# Outputs that two commands write at the same time, commands that are killed between two system calls, and what --force may replace.

bats_require_minimum_version 1.5.0

. "$GT_SOURCE/test/support/level.bash"

setup() {
    cd "$BATS_TEST_TMPDIR" || exit 1
    preload=$GT_BUILD/test/support/syscalls.so
    support=$GT_SOURCE/test/support
    export SYSCALL_NOSYNC=1
}

preloads() {
    [ -e "$preload" ] && ! sanitized || skip "no test/support/syscalls.so, or a sanitizer"
}

@test "of several commands that write one output one wins, and the others say that it is taken" {
    for kind in dir dir-force dead zip tar npy; do
        "$support/output_races.sh" "$(by_level 2 4 500)" 2 $kind .
        "$support/output_races.sh" "$(by_level 2 4 500)" 4 $kind .
    done
}

@test "the same with delays before system calls" {
    preloads
    for kind in dir dir-force dead zip tar npy; do
        "$support/output_races.sh" "$(by_level 2 4 500)" 2 $kind . 10000 "$preload"
        "$support/output_races.sh" "$(by_level 2 4 500)" 4 $kind . 10000 "$preload"
    done
}

@test "what another process has written since a command began is not replaced by it" {
    gt-sim -q --samples 10 --variants 100 --seed 1 -O vcf -o a.vcf
    gt-sim -q --samples 9 --variants 100 --seed 2 -O vcf -o b.vcf
    mkfifo pipe
    for before in none old; do
        rm -f d.*
        [ $before = none ] || gt-pdist -q -m ibs b.vcf -o d.npy
        timeout 60 gt-pdist -q pipe -o d.npy 2> said 3>&- &
        exec 9> pipe # it reads now
        gt-pdist -q b.vcf -o d.npy
        cp d.npy want.npy
        cat a.vcf >&9
        exec 9>&-
        status=0
        wait $! || status=$?
        [ $status -eq 1 ]
        grep -qx "gt-pdist: cannot create 'd.npy': another process has written it since this command began" said
        cmp d.npy want.npy
        [ "$(wc -l < d.npy.id)" -eq 9 ]
        [ "$(find . -name 'd.*' | wc -l)" -eq 2 ]
    done
    # in one command after another
    gt-pdist -q a.vcf -o d.npy
    [ "$(wc -l < d.npy.id)" -eq 10 ]
}

@test "killed before any system call a command leaves the old output or the new one, and the next run clears up" {
    preloads
    calls=rename,link,rmdir,flock,fsync,truncate
    SYSCALL_ONLY=$(by_level $calls $calls,unlink $calls,unlink,open,mkdir) "$support/output_crashes.sh" "$preload" .
}

@test "a store is on disk before it has its name, and its name before what it replaces is gone" {
    preloads
    unset SYSCALL_NOSYNC
    gt-sim -q --samples 10 --variants 100 -O packed -o in.zarr
    gt-pack -q in.zarr -o o.zarr
    SYSCALL_LIST=list SYSCALL_ONLY=rename,fsync,unlink LD_PRELOAD=$preload gt-pack -q -f in.zarr -o o.zarr
    # chunks on disk | the name | the folder | the old store | the journal
    [ "$(sed -n 's/ .*//; /fsync\|rename/p' list | tr '\n' ' ')" = "fsync rename rename fsync rename " ]
    [ "$(tail -n 1 list)" = "unlink .gt-journal" ]

    # a disk that fails: the old store stays, or the new one does, and the status tells
    for n in 1 2; do
        run -1 env SYSCALL_ONLY=fsync SYSCALL_FAIL=$n,5 LD_PRELOAD="$preload" gt-pack -q -f -s ^S1 in.zarr -o o.zarr
        [[ "$output" == "gt-pack: cannot "*"'o.zarr': Input/output error" ]]
        gt-info --check --deep o.zarr
        [ "$(gt-info --head 20 o.zarr/sample_id | wc -l)" -eq $((n == 1 ? 10 : 9)) ]
    done
    gt-pack -q -f in.zarr -o o.zarr
    [ ! -e o.zarr.partial ]
    [ ! -e o.zarr/.gt-journal ]
    [ ! -e o.zarr.partial.old ]
    run -1 env SYSCALL_ONLY=fsync SYSCALL_FAIL=2,5 LD_PRELOAD="$preload" gt-pack -q in.zarr -o p.zarr
    gt-pack --resume in.zarr -o p.zarr 2>&1 | grep -q "is already complete"
    [ ! -e p.zarr/.gt-journal ]
}

@test "temporary files of a killed run are removed by the next one, and nothing else is" {
    gt-sim -q --samples 10 --variants 100 -O packed -o in.zarr
    echo half > o.vcf.gt-tmp
    gt-unpack -q in.zarr -o o.vcf
    [ "$(ls -d o.*)" = o.vcf ]
    for there in "mkdir o.vcf.gt-tmp" "ln -s in.zarr o.vcf.gt-tmp" "mkfifo o.vcf.gt-tmp"; do
        $there
        run -1 timeout 20 gt-unpack -q in.zarr -o o.vcf
        [ "${lines[0]}" = "gt-unpack: cannot create 'o.vcf': 'o.vcf.gt-tmp' is in the way" ]
        rm -r o.vcf.gt-tmp
    done
    (flock 9 && run -1 gt-unpack -q in.zarr -o o.vcf && [ "$output" = "gt-unpack: cannot create 'o.vcf': another process is writing it" ]) 9> o.vcf.gt-tmp
    echo letter > o.zarr.partial
    run -1 gt-pack -q in.zarr -o o.zarr
    [ "${lines[0]}" = "gt-pack: cannot create 'o.zarr': 'o.zarr.partial' is in the way" ]
    rm o.zarr.partial
    mkdir o.zarr.partial
    ln -s nowhere o.zarr.partial/link
    run -1 gt-pack -q in.zarr -o o.zarr
    [ -L o.zarr.partial/link ]
}

@test "--force replaces stores and empty folders, and no other folder" {
    gt-sim -q --samples 10 --variants 100 -O packed -o in.zarr
    refused() {
        run -1 gt-pack -q -f in.zarr -o o
        [ "${lines[0]}" = "gt-pack: cannot replace 'o': it is a directory without the metadata of a Zarr store" ]
    }
    mkdir o
    ln -s nowhere o/link
    refused
    mkfifo o/pipe
    rm o/link
    refused
    mkdir o/below
    rm o/pipe
    refused
    for text in "a letter" '{}' '[3]' '{"zarr_format": 3}' '{"zarr_format": 3, "node_type": "leaf"}' '{"zarr_format": 2, "node_type": "group"}'; do
        echo "$text" > o/zarr.json
        refused
    done
    rm o/zarr.json
    for text in "" '{"zarr_format": 3}'; do
        echo "$text" > o/.zgroup
        refused
    done
    rm o/.zgroup
    echo '{"zarr_format": 2}' > o/.zarray
    refused
    echo '{"zarr_format": 3, "node_type": "group"}' > o/zarr.json
    gt-pack -q -f in.zarr -o o
    for there in .zgroup .zarray nothing; do
        rm -rf o
        mkdir o
        [ $there = nothing ] || echo '{"zarr_format": 2, "shape": []}' > o/$there
        gt-pack -q -f in.zarr -o o
        gt-info --check o
    done
}
