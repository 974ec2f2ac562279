#!/usr/bin/env bats
# Commands under mpirun: started right or refused, and what becomes of failures.

bats_require_minimum_version 1.5.0

setup() {
    cd "$BATS_TEST_TMPDIR"
    unset GT_THREADS OMP_NUM_THREADS GT_MEMORY GT_CPU GT_MODULES
    # shellcheck source=test/support/mpirun.bash
    source "$GT_SOURCE/test/support/mpirun.bash"
}

# Message TEXT stands once on standard error.
once() {
    [ "$(grep -c -F -- "$1" <<<"$stderr")" -eq 1 ] || {
        echo "expected once: $1"
        echo "$stderr"
        return 1
    }
}

other() { if [ "$1" = mpich ]; then echo openmpi; else echo mpich; fi; }

@test "the same count for any ranks and threads, printed once" {
    need_mpi
    want=$(gt-pi --points 3000001 --seed 5 --json | grep -o '"inside": [0-9]*')
    for mpi in $(mpis); do
        for n in $(ranks_to_try); do
            for threads in 1 2; do
                run -0 --separate-stderr mpirun_of "$mpi" -n "$n" gt-pi --points 3000001 --seed 5 --json -@ $threads
                [ "${#lines[@]}" -eq 1 ]
                [[ $output == *"$want, "*"\"threads\": $threads, \"ranks\": $n,"* ]]
            done
        done
    done
}

@test "ranks of one node divide its threads, with one note" {
    need_mpi
    for mpi in $(mpis); do
        run -0 --separate-stderr mpirun_of "$mpi" -n 2 gt-pi --points 1000 --json
        once "2 ranks share a node: each has "
        [[ $output == *"\"threads\": $(($(nproc) / 2 > 0 ? $(nproc) / 2 : 1)), \"ranks\": 2"* ]]
        run -0 --separate-stderr mpirun_of "$mpi" -n 2 gt-pi --points 1000 --json -@ 1 --memory 100M
        [ -z "$stderr" ]
    done
}

@test "--trace has the events of all ranks" {
    need_mpi
    for mpi in $(mpis); do
        run -0 mpirun_of "$mpi" -n 3 gt-pi --points 3000001 --chunks 9 -@ 2 --memory 100M --trace t.json
        python3 - <<-'END'
	import json
	t = json.load(open("t.json"))
	names = {e["pid"]: e["args"]["name"] for e in t["traceEvents"] if e["name"] == "process_name"}
	assert names[1] == "gt-utils, rank 0" and [names[i].split(" on ")[0] for i in (2, 3)] == ["rank 1", "rank 2"], names
	tasks = sum(e["args"]["tasks"] for e in t["traceEvents"] if e["ph"] == "X" and e["name"] == "count" and "tasks" in e["args"])
	assert tasks == 9, tasks
	END
    done
}

# threads_of FILE: how many threads of each rank have compared pairs, of a trace.
threads_of() {
    "$PYTHON" -c '
import json, sys
threads = {}
for e in json.load(open(sys.argv[1]))["traceEvents"]:
    if e["ph"] == "X" and e["name"] == "pairs":
        threads.setdefault(e["pid"], set()).add(e["tid"])
print(*(len(threads[pid]) for pid in sorted(threads)))' "$1"
}

@test "the threads of a rank that has nothing to compute are used by another one" {
    need_mpi
    [ "$(nproc)" -gt 1 ] || skip "one CPU"
    gt-sim -q --samples 1500 --variants 12000 --contigs 2 --missing 0.01 -o two.zarr
    gt-pdist -q -@ 2 -m king -r 1 two.zarr -o want.npy
    mpis_in_turn
    for mpi in "${tried[@]}"; do # of contig 1, rank 1 has no variants
        for i in 1 2 3 4 5; do   # other work of the machine may leave no CPU to the second thread
            mpirun_of "$mpi" -n 2 gt-pdist -q -f -@ 1 -m king -r 1 two.zarr --trace t.json -o o.npy
            cmp o.npy want.npy
            [ "$(threads_of t.json)" = 2 ] && break
        done
        [ "$(threads_of t.json)" = 2 ]
    done
}

@test "commands do not link MPI" {
    for path in "$GT_BUILD"/gt-*; do
        [ ! -x "$path" ] || [[ $path == *.so ]] || ! ldd "$path" | grep -i 'libmpi'
    done
}

@test "a launcher of another MPI is refused, once" {
    need_mpi
    [ "$(modules | wc -l)" -eq 2 ] || skip "only one MPI"
    for mpi in $(modules); do
        run --separate-stderr mpirun_of "$mpi" -n 3 gt-pi --points 1000 --mpi "$(other "$mpi")"
        echo "status $status: $stderr"
        [ "$status" -eq 2 ]
        [ -z "$output" ]
        once "started 3 processes, but the MPI of module '$(other "$mpi")' finds 1"
        once "hint: use --mpi $mpi"
    done
}

@test "a launcher that offers no MPI, and a module that is not installed, are refused" {
    SLURM_STEP_NUM_TASKS=3 SLURM_PROCID=0 run -2 --separate-stderr gt-pi --points 1000
    once "srun started 3 processes without an MPI"
    once "srun --mpi=pm"
    SLURM_STEP_NUM_TASKS=3 SLURM_PROCID=1 run -2 --separate-stderr gt-pi --points 1000
    [ -z "$output$stderr" ]
    need_mpi
    mpi=$(mpis | head -n 1)
    GT_MODULES=$PWD run -1 --separate-stderr gt-pi --points 1000 --mpi "$mpi"
    once "cannot load the MPI module '$mpi'"
    GT_MODULES=$PWD run -0 gt-pi --version
    [[ $output == *"$mpi (not installed)"* ]]
}

@test "--mpi off: one process, whatever the launcher says" {
    PMI_SIZE=3 PMI_RANK=2 run -0 --separate-stderr gt-pi --points 1000 --json --mpi off
    [[ $output == *'"ranks": 1'* ]]
}

@test "an MPI without a launcher is one rank" {
    need_mpi
    export ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0 # of the libraries of MPI
    for mpi in $(modules) node; do
        OMPI_ALLOW_RUN_AS_ROOT=1 run -0 --separate-stderr gt-pi --points 1000 --json --mpi "$mpi"
        [[ $output == *'"ranks": 1'* ]]
    done
}

@test "GT_MPI is the default of --mpi" {
    PMI_SIZE=3 PMI_RANK=2 GT_MPI=off run -0 --separate-stderr gt-pi --points 1000 --json
    [[ $output == *'"ranks": 1'* ]]
    GT_MPI=lam run -2 --separate-stderr gt-pi --points 1000
    once "environment variable GT_MPI: 'lam' is not one of auto, off, node, openmpi, mpich"
    GT_MPI=lam run -0 gt-pi --points 1000 --mpi off
}

@test "ranks of one node start no MPI, unless it was chosen; --mpi node needs one node" {
    need_mpi
    export GT_MODULES=$PWD # there is none here
    for mpi in $(modules); do
        for how in auto node; do
            run -0 --separate-stderr mpirun_of "node-$mpi" -n 2 gt-pi --points 1000 --json -@ 1 --memory 100M --mpi $how
            [[ $output == *'"ranks": 2'* ]]
            [ -z "$stderr" ]
        done
        run -1 --separate-stderr mpirun_of "node-$mpi" -n 2 gt-pi --points 1000 --mpi "$mpi"
        [[ $stderr == *"cannot load the MPI module '$mpi'"* ]]
    done
    PMI_SIZE=3 PMI_RANK=0 run -2 --separate-stderr gt-pi --points 1000 --mpi node
    once "--mpi node: mpirun of MPICH does not say that all 3 processes are on this node"
}

@test "wrong options are reported once" {
    need_mpi
    for mpi in $(mpis); do
        run -2 --separate-stderr mpirun_of "$mpi" -n 3 gt-pi --bogus
        once "gt-pi: unknown option '--bogus'"
        run -2 --separate-stderr mpirun_of "$mpi" -n 3 gt-pi --points 0
        once "gt-pi: --points 0: must be at least 1"
    done
}

@test "ranks with other options or another instruction set are refused before work begins" {
    need_mpi
    for mpi in $(mpis); do
        run -2 --separate-stderr mpirun_of "$mpi" -n 2 gt-pi --points 1e6 : -n 1 gt-pi --points 1e7
        [ -z "$output" ]
        once 'gt-pi: rank 2 on '
        once 'has command line "gt-pi --points 1e7", and rank 0 has command line "gt-pi --points 1e6"'
        run -2 --separate-stderr mpirun_of "$mpi" -n 1 env GT_CPU=ref gt-pi --points 1e6 : -n 1 gt-pi --points 1e6
        if [ "$(GT_CPU='' gt-pi --version | grep -c 'ref in use')" -eq 0 ]; then
            once "and rank 0 has instruction set ref"
            once "hint: set GT_CPU"
        fi
    done
}

@test "a rank that fails ends all, with its message once and its status" {
    need_mpi
    for mpi in $(mpis); do
        from=$SECONDS
        mpirun_of "$mpi" -n 3 gt-pi -q --points 1000
        took=$((SECONDS - from)) from=$SECONDS
        run -2 --separate-stderr mpirun_of "$mpi" -n 2 gt-pi --points 1e11 : -n 1 env GT_THREADS=many gt-pi --points 1e11
        [ -z "$output" ]
        [ $((SECONDS - from)) -lt $((2 * took + 8)) ] # the ranks wait at most 10 s for one another
        once "environment variable GT_THREADS: 'many' is not a number"
        once "gt-pi: rank 2 on "
        [ "$(grep -c '^gt-pi: ' <<<"$stderr")" -eq 1 ]
        run -4 --separate-stderr mpirun_of "$mpi" -n 3 gt-pi --points 1e11 --memory 1M
        once "of memory (--memory) is too little"
    done
}

# as_rank RANK SIZE COMMAND ARG...: a rank of a job step on one node, as srun --mpi=none starts it
as_rank() {
    local -x ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0 # as mpirun_of
    SLURM_STEP_NUM_TASKS=$2 SLURM_PROCID=$1 SLURM_STEP_NUM_NODES=1 SLURM_JOB_ID=$$ SLURM_STEP_ID=$BATS_TEST_NUMBER exec "${@:3}"
}

@test "srun without an MPI, on one node: the end of a rank is noticed without the help of a launcher" {
    want=$(gt-pi --points 3000001 --seed 5 --json | grep -o '"inside": [0-9]*')
    for r in 1 2; do (as_rank $r 3 gt-pi --points 3000001 --seed 5 --json) & done
    run -0 --separate-stderr as_rank 0 3 gt-pi --points 3000001 --seed 5 --json
    wait
    [[ $output == *"$want, "*'"ranks": 3,'* ]]

    pids=()
    for r in 0 1 2; do
        (as_rank $r 3 gt-pi --points 1e12 --seed 5) >out.$r 2>err.$r &
        pids+=($!)
    done
    sleep 1
    kill -KILL "${pids[1]}"
    for r in 0 2; do
        status=0
        wait "${pids[r]}" || status=$?
        [ "$status" -eq 1 ]
    done
    grep -q "^gt-pi: rank 1 has ended before its work was done" err.0
    [ "$(grep -c '' err.2)" -eq 0 ]
}

@test "a rank that waits for others ends by a signal; a second command of a job step is told so" {
    (as_rank 0 2 gt-pi --points 1000) >out 2>err &
    first=$!
    sleep 0.5
    run -1 --separate-stderr as_rank 0 2 gt-pi --points 1000
    once "another command has the name of this job"
    kill -TERM $first
    status=0
    wait $first || status=$?
    [ "$status" -eq 143 ]
    run -2 --separate-stderr as_rank 0 129 gt-pi --points 1000 --mpi node
    once "srun started 129 processes, and at most 128 are possible"
}

@test "GT_MPI is of no matter to a command that runs in one process" {
    gt-sim -q --samples 10 --variants 10 -o s.zarr
    for name in node openmpi mpich; do
        GT_MPI=$name run -0 --separate-stderr gt-info s.zarr
    done
    GT_MPI=node run -0 --separate-stderr gt-pi --points 1000 --json
    [[ $output == *'"ranks": 1'* ]]
}

@test "a rank killed with SIGKILL before it has come to the others ends all" {
    need_mpi
    for mpi in $(mpis); do
        # shellcheck disable=SC2016
        run --separate-stderr mpirun_of "$mpi" -n 3 bash -c '[ "${OMPI_COMM_WORLD_RANK:-$PMI_RANK}" != 1 ] || kill -KILL $$; exec gt-sim -q --samples 10 --variants 10 -o s.zarr'
        [ "$status" -ne 0 ]
        [ "$status" -ne 124 ]
        [ ! -e s.zarr ]
    done
}

@test "a rank killed with SIGKILL ends all" {
    need_mpi
    for mpi in $(mpis); do
        mpirun_of "$mpi" -n 3 gt-pi --points 1e12 --seed 77 >out 2>err &
        launcher=$!
        pids=()
        for _ in $(seq 200); do
            mapfile -t pids < <(grep -l -a -z -- "$BATS_TEST_TMPDIR\$" /proc/[0-9]*/environ 2>/dev/null | cut -d/ -f3 |
                while read -r pid; do [ "$(readlink "/proc/$pid/exe")" != "$(realpath "$GT_BUILD/gt-pi")" ] || [ "$(wc -l <"/proc/$pid/maps")" -lt 100 ] || echo "$pid"; done)
            [ "${#pids[@]}" -lt 3 ] || break
            sleep 0.1
        done
        [ "${#pids[@]}" -eq 3 ]
        sleep 0.5
        kill -KILL "${pids[1]}"
        status=0
        wait $launcher || status=$?
        [ "$status" -ne 0 ]
        [ "$status" -ne 124 ]
        run ! grep -q "^inside" out # mpirun of MPICH has its own words for it there
        for pid in "${pids[@]}"; do [ "$(readlink "/proc/$pid/exe")" != "$(realpath "$GT_BUILD/gt-pi")" ]; done
    done
}

@test "commands that run in one process refuse several" {
    for c in gt-info; do
        PMI_SIZE=3 PMI_RANK=0 run -2 --separate-stderr "$c" -o out nowhere.zarr
        once "mpirun of MPICH started 3 processes, and $c runs in one"
        PMI_SIZE=3 PMI_RANK=1 run -2 --separate-stderr "$c" -o out nowhere.zarr
        [ -z "$output$stderr" ]
        [ ! -e out ]
    done
}
