#!/usr/bin/env bats
# Commands under a Slurm that this suite starts and ends: two nodes on this machine.

bats_require_minimum_version 1.5.0

setup_file() {
    # shellcheck source=test/support/slurm.bash
    source "$GT_SOURCE/test/support/slurm.bash"
    cd "$BATS_FILE_TMPDIR"
    gt-sim -q --samples 60 --variants 20000 --missing 0.02 --seed 4 --chunks variants=500,samples=60 -o x.zarr
    gt-pdist -q -m king x.zarr -o king.npy
    export GT_SLURM
    GT_SLURM=$(slurm_lacks)
    [ -z "$GT_SLURM" ] || return 0
    SLURM_HOME=$(mktemp -d /tmp/gt-slurm.XXXXXX) # a socket's path must be short
    export SLURM_HOME
    slurm_start "$SLURM_HOME" || { GT_SLURM="Slurm does not start: $(tail -n 1 "$SLURM_HOME/start.log")"; slurm_stop; }
}

teardown_file() {
    source "$GT_SOURCE/test/support/slurm.bash"
    [ -n "$SLURM_HOME" ] || return 0
    slurm_stop
    rm -rf "$SLURM_HOME"
}

setup() {
    cd "$BATS_TEST_TMPDIR"
    unset GT_THREADS OMP_NUM_THREADS GT_MEMORY GT_CPU GT_MODULES
    [ -z "$GT_SLURM" ] || skip "$GT_SLURM"
    # shellcheck source=test/support/mpirun.bash
    source "$GT_SOURCE/test/support/mpirun.bash"
    export ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0 # of the libraries of MPI
    data=$BATS_FILE_TMPDIR
}

need() { modules | grep -q "^$1\$" || skip "no module for $1"; }

# once TEXT: a line of standard error has it, and only one.
once() {
    [ "$(grep -c -F "$1" <<<"$stderr")" -eq 1 ] || {
        echo "expected once: $1"
        echo "$stderr"
        return 1
    }
}

@test "srun --mpi=pmix with Open MPI" {
    need openmpi
    run -0 --separate-stderr timeout 60 srun --mpi=pmix -n 3 gt-pdist -m king -@ 1 "$data/x.zarr" -o d.npy
    cmp "$data/king.npy" d.npy
    once "comparing 60 samples"
}

@test "srun --mpi=pmi2 with MPICH, on two nodes" {
    need mpich
    run -0 --separate-stderr timeout 60 srun --mpi=pmi2 -K -N 2 -n 4 gt-pdist -m king -@ 1 "$data/x.zarr" -o d.npy
    cmp "$data/king.npy" d.npy
    once "comparing 60 samples"
    gt-rechunk -q --no-version -c variants=300 "$data/x.zarr" -o alone.zarr
    run -0 timeout 60 srun --mpi=pmi2 -K -N 2 -n 3 gt-rechunk -q --no-version -@ 1 -c variants=300 "$data/x.zarr" -o ranks.zarr
    diff -r alone.zarr ranks.zarr
}

@test "srun without an MPI, and with that of the other, is refused once" {
    run -2 --separate-stderr timeout 60 srun --mpi=none -N 2 -n 2 gt-pi --points 1000
    once "gt-pi: srun started 2 processes without an MPI"
    need openmpi
    need mpich
    run -2 --separate-stderr timeout 60 srun --mpi=pmix -n 2 gt-pi --points 1000 --mpi mpich
    [ -z "$output" ]
    once "started 2 processes, but the MPI of module 'mpich' finds 1"
}

@test "a rank that fails: one message, its status, no output" {
    need mpich
    # shellcheck disable=SC2016
    run -2 --separate-stderr timeout 60 srun --mpi=pmi2 -K -n 3 bash -c '[ "$SLURM_PROCID" != 2 ] || export GT_THREADS=many; exec gt-pdist "$@"' - "$data/x.zarr" -o d.npy
    once "environment variable GT_THREADS: 'many' is not a number"
    once "gt-pdist: rank 2 on "
    [ ! -e d.npy ]
}

@test "a rank killed with SIGKILL ends the others with -K; nothing has the output's name" {
    need mpich
    # shellcheck disable=SC2016
    run --separate-stderr timeout 60 srun --mpi=pmi2 -K -n 3 bash -c '[ "$SLURM_PROCID" != 1 ] || { pid=$$; (sleep 1; kill -KILL $pid) >/dev/null 2>&1 & }; exec gt-pi "$@"' - --points 1e12 -@ 1
    [ "$status" -ne 0 ]
    [ "$status" -ne 124 ]
    [ -z "$output" ]
}

# wait_for JOB: until it has ended.
wait_for() {
    for _ in $(seq 300); do
        [ -n "$(squeue -h -j "$1" 2>/dev/null)" ] || return 0
        sleep 0.2
    done
    scontrol show job "$1"
    return 1
}

@test "sbatch --array=1-4 with --part auto, and a merge that depends on it" {
    printf '#!/bin/bash\ngt-pdist -q -m king -O counts --part auto -@ 1 "$1" -o $SLURM_ARRAY_TASK_ID.counts\n' >part.sh
    printf '#!/bin/bash\ngt-pdist -q -m king --merge [1-4].counts -o merged.npy\n' >merge.sh
    array=$(sbatch --parsable --array=1-4 -o '%a.log' part.sh "$data/x.zarr")
    merge=$(sbatch --parsable --dependency=afterok:"$array" --kill-on-invalid-dep=yes -o merge.log merge.sh)
    wait_for "$merge"
    cat ./*.log
    cmp "$data/king.npy" merged.npy
}

@test "examples/slurm/array.sh" {
    merge=$(MEMORY=200M THREADS=1 "$GT_SOURCE/examples/slurm/array.sh" "$data/x.zarr" out.npy 3)
    wait_for "$merge"
    cat out.npy.log
    cmp "$data/king.npy" out.npy
    [ ! -e out.npy.parts ]
}

@test "examples/slurm/mpi.sh, and again after it was interrupted" {
    need openmpi
    run -0 timeout 100 sbatch --wait -n 3 -o mpi.log "$GT_SOURCE/examples/slurm/mpi.sh" "$data/x.zarr" rows.zarr out.npy
    cmp "$data/king.npy" out.npy
    gt-info --check rows.zarr
    run -0 timeout 100 sbatch --wait -n 2 -o again.log "$GT_SOURCE/examples/slurm/mpi.sh" "$data/x.zarr" rows.zarr out.npy
    grep -q "'rows.zarr' is already complete" again.log
    cmp "$data/king.npy" out.npy
}
