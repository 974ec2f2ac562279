#!/usr/bin/env bats
# gt-rechunk with several ranks: the bytes of one process, and what becomes of failures.

bats_require_minimum_version 1.5.0

setup_file() {
    cd "$BATS_FILE_TMPDIR"
    gt-sim -q --samples 70 --variants 30000 --pops 3 --missing 0.02 --multiallelic 0.05 --seed 4 --chunks variants=1000,samples=16 -o base.zarr
    gt-sim -q --samples 40 --variants 3000 --normal --dtype float32 --seed 7 --chunks variants=100,samples=9 -o array.zarr
    gt-sim -q --samples 1 --variants 40 --seed 5 -o one.zarr
    gt-sim -q --samples 5 --variants 2 --seed 6 -o few.zarr
}

setup() {
    cd "$BATS_TEST_TMPDIR"
    unset GT_THREADS OMP_NUM_THREADS GT_MEMORY GT_CPU GT_MODULES
    # shellcheck source=test/support/mpirun.bash
    source "$GT_SOURCE/test/support/mpirun.bash"
    # shellcheck source=test/support/level.bash
    source "$GT_SOURCE/test/support/level.bash"
    data=$BATS_FILE_TMPDIR
}

same() { same_with_ranks gt-rechunk -q --no-version "$@" -o o.zarr; }

@test "a store: all arrays, in other chunks, another codec, another layout" {
    need_mpi
    same -c variants=700,samples=20 "$data/base.zarr"
    same --codec zstd:3 "$data/base.zarr"
    same -r 1:200000-900000 -s S1,S7,S30,S69 --layout plain -c variants=100 "$data/base.zarr"
}

@test "an array: tiles, a file, shards, a transpose, picked items, reductions" {
    need_mpi
    same -c -1,1 "$data/array.zarr"
    same -c -1,4 --memory 29M "$data/array.zarr"
    same --zarr-format 3 -c 50,10 --shard 500,20 "$data/array.zarr"
    same --transpose --slice '3:2900:3,::2' -c 7,200 "$data/array.zarr"
    printf '%s\n' 2999 5 17 3 800 4 {100..2000..7} >items.txt
    same --pick 0:"$PWD/items.txt" -c 60,40 "$data/array.zarr"
    same --reduce std:1 -c 100 "$data/array.zarr"
    same --reduce sum:0,1 "$data/array.zarr"
}

@test "fewer chunks than ranks, one sample, nothing left" {
    need_mpi
    same -c variants=1 "$data/few.zarr"
    same -c variants=30 "$data/one.zarr"
    same --slice 5:5 "$data/base.zarr"
}

@test "the summary counts what all did" {
    need_mpi
    gt-rechunk -q --json -c variants=100,samples=20 "$data/base.zarr" -o alone.zarr >alone
    mpis_in_turn
    for mpi in "${tried[@]}"; do
        run -0 --separate-stderr mpirun_of "$mpi" -n 3 gt-rechunk --json -c variants=100,samples=20 "$data/base.zarr" -o ranks.zarr
        [ "$(grep -o '"[a-z]*_written": [0-9]*' <<<"$output" | head -n 1)" = "$(grep -o '"[a-z]*_written": [0-9]*' alone | head -n 1)" ]
        [[ $output == *'"ranks": 3'* ]]
        [ "$(grep -c ' written, ' <<<"$stderr")" -eq 1 ]
        rm -r ranks.zarr
    done
}

@test "the plan has the memory of the rank that needs most" {
    need_mpi
    local args=(-n -@ 1 --memory 200M --layout plain -c variants=-1,samples=-1 "$data/base.zarr" -o o.zarr)
    needed() { grep -o '^memory .* needed'; }
    alone=$(gt-rechunk "${args[@]}" | needed)
    mpis_in_turn
    for mpi in "${tried[@]}"; do
        for n in 2 3; do # the large array is the fourth, of one chunk: rank 1 has it, or rank 0
            [ "$(mpirun_of "$mpi" -n $n gt-rechunk "${args[@]}" | needed)" = "$alone" ]
        done
    done
}

@test "outputs that are no directory are refused" {
    need_mpi
    mpis_in_turn
    for mpi in "${tried[@]}"; do
        for out in o.zip o.tar o.npy; do
            run -2 --separate-stderr mpirun_of "$mpi" -n 2 gt-rechunk "$data/array.zarr" -o $out
            [ "$(grep -c "^gt-rechunk: 2 ranks write one directory store, and '$out' is a" <<<"$stderr")" -eq 1 ]
            [[ $stderr == *"hint: write -o OUT.zarr"* ]]
            [ -z "$(find . -name 'o.*')" ]
        done
    done
}

@test "an error of one rank ends all, with its message once; nothing is left without --resume" {
    need_mpi
    gt-rechunk -q -c 100,40 --codec none "$data/array.zarr" -o bad.zarr
    truncate -s -5 bad.zarr/29.0
    for mpi in $(mpis); do
        run -3 --separate-stderr mpirun_of "$mpi" -n 3 gt-rechunk -c 70,40 bad.zarr -o o.zarr
        [ "$(grep -c '^gt-rechunk: rank [0-2] on .*bad.zarr' <<<"$stderr")" -eq 1 ]
        [ "$(grep -c '^gt-rechunk: .*bad.zarr' <<<"$stderr")" -eq 1 ]
        [ -z "$(find . -maxdepth 1 -name 'o.zarr*')" ]
        run -3 --separate-stderr mpirun_of "$mpi" -n 3 gt-rechunk --resume -c 70,40 bad.zarr -o o.zarr
        [ -d o.zarr.partial ]
        [ ! -e o.zarr ]
        run -0 --separate-stderr mpirun_of "$mpi" -n 3 gt-rechunk -n --resume -c 70,40 bad.zarr -o o.zarr
        [ "$(grep -c '^resume .* chunks are there' <<<"$output")" -eq 1 ]
        rm -r o.zarr.partial
    done
}

@test "when rank 0 fails the others stop, before it removes the store" {
    need_mpi
    gt-rechunk -q -c 100,40 --codec none "$data/array.zarr" -o bad.zarr
    truncate -s -5 bad.zarr/0.0
    for mpi in $(mpis); do # the others have 40,000 chunks to write, which takes longer than rank 0 waits for their journals
        run -3 --separate-stderr mpirun_of "$mpi" -n 3 gt-rechunk -q -@ 1 --memory 100M -c 2,1 --codec none bad.zarr -o o.zarr
        [[ $stderr == *"bad.zarr: chunk '0.0'"* ]]
        [ -z "$(find . -maxdepth 1 -name 'o.zarr*')" ]
    done
}

@test "a run of three ranks is continued by another number" {
    need_mpi
    gt-rechunk -q -c 100,40 --codec zstd:1 "$data/array.zarr" -o whole.zarr
    gt-rechunk -q --no-version -c 10,40 whole.zarr -o want.zarr
    cp -rp whole.zarr bad.zarr
    mpis_in_turn
    for mpi in "${tried[@]}"; do
        for n in $(few 1 4 1 2); do
            printf damaged | dd of=bad.zarr/17.0 conv=notrunc bs=1 seek=2 status=none
            touch -r whole.zarr/17.0 bad.zarr/17.0
            for _ in {1..20}; do # the damage may be met before any chunk is written
                run -3 mpirun_of "$mpi" -n 3 gt-rechunk -q --no-version -@ 1 --memory 40M --resume -c 10,40 bad.zarr -o o.zarr
                ! grep -qr '^[0-9]* [0-9a-f]* [0-9]*\.0$' o.zarr.partial/.gt-journal o.zarr.partial/.gt-ranks || break
            done
            cp -p whole.zarr/17.0 bad.zarr/17.0
            run -0 --separate-stderr mpirun_of "$mpi" -n $n gt-rechunk --json --no-version --resume --verify -c 10,40 bad.zarr -o o.zarr
            [ "$(sed 's/.*"chunks_kept": *\([0-9]*\).*/\1/' <<<"$output")" -gt 0 ]
            [[ $stderr == *"all match what was written"* ]]
            diff -r want.zarr o.zarr
            rm -r o.zarr
        done
    done
}

@test "a rank killed with SIGKILL: no output, and --resume with other ranks makes it" {
    need_mpi
    mpis_in_turn
    for mpi in "${tried[@]}"; do
        mkdir "$mpi"
        "$GT_SOURCE/test/support/rank_kills.sh" "${GT_KILLS_SEED:-1}" "$(by_level 1 4 100)" "$mpi" gt-rechunk "$mpi"
    done
}
