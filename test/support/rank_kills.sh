#!/bin/bash
# rank_kills.sh SEED COUNT DIR COMMAND MPI: gt-rechunk, gt-pack or gt-pdist with three ranks, one of which is killed with SIGKILL at a
# random moment: the launcher ends, nothing half-written stands under the output's name, and the command started again, with --resume
# where it has that, and with 1 to 4 ranks, makes what it makes without.  Prints what went wrong, and counts; exit 1 when something did.
set -u
seed=$1 count=$2 command=$4 mpi=$5
cd "$3" || exit 1
# shellcheck source=test/support/mpirun.bash
source "$GT_SOURCE/test/support/mpirun.bash"
RANDOM=$seed
export victim seconds

out=o.zarr resume=--resume more=(--no-version)
case $command in
gt-rechunk)
    gt-sim -q --samples 400 --variants 6000 --uniform 0..2 --chunks variants=20,samples=400 -o plain.zarr || exit 1
    gt-sim -q --samples 200 --variants 3000 --missing 0.02 --contigs 2 -O vcz -o vcz.zarr || exit 1
    ways=(
        "-c 10,400 --codec zstd:1 plain.zarr"
        "-c -1,4 --codec none plain.zarr"
        "-c -1,4 --memory 29M plain.zarr"
        "--zarr-format 3 -c 10,100 --shard 100,400 plain.zarr"
        "-c variants=25,samples=40 vcz.zarr"
    )
    ;;
gt-pack)
    gt-sim -q --samples 100 --variants 60000 --missing 0.02 --contigs 3 -O vcf -o a.vcf.gz || exit 1
    gt-sim -q --samples 100 --variants 60000 --missing 0.02 -O bed -o b || exit 1
    gt-pack -q --chunks variants=100 a.vcf.gz -o p.zarr || exit 1
    ways=(
        "--chunks variants=100 a.vcf.gz"
        "--chunks variants=100 --maf 0.05 b.bed"
        "--chunks variants=70 p.zarr"
    )
    ;;
gt-pdist)
    out=o.npy resume='' more=()
    gt-sim -q --samples 300 --variants 60000 -O bed -o b || exit 1
    ways=("-m king b.bed" "-m 1-ibs --part 2/2 b.bed")
    ;;
*) exit 1 ;;
esac

# run RANKS VICTIM SECONDS [OPTION...]
run() {
    local n=$1
    victim=$2 seconds=$3
    shift 3
    # shellcheck disable=SC2016,SC2086
    mpirun_of "$mpi" -n "$n" bash -c '
        if [ "${OMPI_COMM_WORLD_RANK:-${PMI_RANK:-0}}" = "$victim" ]; then
            pid=$$
            (
                sleep "$seconds"
                read -r _ _ _ parent _ </proc/$BASHPID/stat
                [ "$parent" -ne "$pid" ] || kill -KILL "$pid"
            ) </dev/null >/dev/null 2>&1 &
        fi
        exec "$@"' - "$command" -q -@ 1 "${more[@]}" "$@" ${ways[way]} -o "$out" >said 2>err
}

declare -a took
for way in "${!ways[@]}"; do
    from=$EPOCHREALTIME
    run 3 -1 0 || { cat err; exit 1; }
    took[way]=$(((${EPOCHREALTIME/./} - ${from/./}) / 1000)) # milliseconds
    mv "$out" "want.$way"
done

kills=0 kept=0 wrong=0 launcher=0
fail() {
    wrong=$((wrong + 1))
    echo "trial $trial, way $way: $*"
    cat err
}

for ((trial = 0; kills < count && trial < 20 * count; trial++)); do
    way=$((trial % ${#ways[@]}))
    rm -rf "$out" "$out".*
    # Starting MPI takes most of the time: moments after that are as likely as those in it.
    ms=$((RANDOM % 2 ? RANDOM % took[way] : took[way] / 3 + RANDOM % (took[way] / 2 + 1)))
    from=$SECONDS
    run 3 $((RANDOM % 3)) "$(printf '%d.%03d' $((ms / 1000)) $((ms % 1000 + 1)))"
    rc=$?
    if [ $((SECONDS - from)) -ge 100 ]; then
        # mpirun of Open MPI 4.1 waits forever for a rank that was killed while it connected, in MPI_Init.
        grep -q 'PMIX ERROR: UNREACHABLE' err || fail "it hangs"
        launcher=$((launcher + 1))
        continue
    fi
    if [ -e "$out" ]; then # the rank was killed when all was done
        diff -r "want.$way" "$out" >err 2>&1 || fail "'$out' is there, and is not the same"
        continue
    fi
    [ $rc -ne 0 ] || fail "exit 0 without an output"
    kills=$((kills + 1))
    [ ! -d "$out.partial" ] || kept=$((kept + 1))
    # shellcheck disable=SC2086
    run $((RANDOM % 4 + 1)) -1 0 $resume || fail "started again: exit $?"
    diff -r "want.$way" "$out" >err 2>&1 || fail "it is not the same"
    [ ! -e "$out.partial" ] || fail "'$out.partial' is left"
done
echo "$command, $mpi, seed $seed: $kills kills in $trial trials, $kept left something to go on with, $launcher hung in mpirun, $wrong wrong"
[ "$wrong" -eq 0 ] && [ "$kills" -eq "$count" ]
