#!/usr/bin/env bats
# gt-pdist --part auto: the tasks of array jobs, and --merge of what they left.

bats_require_minimum_version 1.5.0

setup_file() {
    cd "$BATS_FILE_TMPDIR"
    gt-sim -q --samples 50 --variants 300 --seed 3 -o x.zarr
    gt-sim -q --samples 50 --variants 300 --seed 4 -o y.zarr
    gt-pdist -q -m king -O npy x.zarr -o whole.npy
}

setup() {
    cd "$BATS_TEST_TMPDIR"
    unset GT_THREADS OMP_NUM_THREADS GT_MEMORY GT_CPU "${!SLURM_@}" "${!SGE_@}" "${!LSB_@}" "${!PBS_@}"
    data=$BATS_FILE_TMPDIR
}

# part NAME=VALUE... PART: the part that gt-pdist -n names.
part() {
    local n=$(($# - 1))
    env "${@:1:n}" gt-pdist -n --part "${!#}" "$data/x.zarr" | sed -n 's/^part  *\([0-9]* of [0-9]*\):.*/\1/p'
}

@test "the place of a task, as each scheduler numbers them" {
    slurm() { part SLURM_ARRAY_TASK_ID="$1" SLURM_ARRAY_TASK_MIN="$2" SLURM_ARRAY_TASK_MAX="$3" SLURM_ARRAY_TASK_STEP="$4" SLURM_ARRAY_TASK_COUNT="$5" auto; }
    [ "$(slurm 1 1 4 1 4)" = "1 of 4" ]
    [ "$(slurm 4 1 4 1 4)" = "4 of 4" ]
    [ "$(slurm 0 0 3 1 4)" = "1 of 4" ]
    [ "$(slurm 15 5 20 5 4)" = "3 of 4" ]
    [ "$(part SGE_TASK_ID=3 SGE_TASK_FIRST=1 SGE_TASK_LAST=5 SGE_TASK_STEPSIZE=2 auto)" = "2 of 3" ]
    [ "$(part LSB_JOBINDEX=7 LSB_JOBINDEX_END=10 LSB_JOBINDEX_STEP=1 auto)" = "7 of 10" ]
    [ "$(part PBS_ARRAY_INDEX=2 auto/3)" = "2 of 3" ]
    [ "$(part PBS_ARRAYID=3 auto/3)" = "3 of 3" ]
    [ "$(part SLURM_ARRAY_TASK_ID=2 SLURM_ARRAY_TASK_MIN=1 SLURM_ARRAY_TASK_MAX=9 auto/20)" = "2 of 20" ]
}

@test "what is no task, or is not numbered evenly, is refused" {
    refused() { # MESSAGE NAME=VALUE... PART
        local n=$(($# - 2))
        run -2 env "${@:2:n}" gt-pdist --part "${!#}" "$data/x.zarr" -o no.tsv
        [[ $output == *"$1"* ]] || { echo "$output"; return 1; }
        [ ! -e no.tsv ]
    }
    refused "--part auto: this process is not a task of an array job" A=1 auto
    refused "--part auto: this process is not a task of an array job" SGE_TASK_ID=undefined auto
    refused "--part auto: this process is not a task of an array job" LSB_JOBINDEX=0 LSB_JOBINDEX_END=0 auto
    refused "--part auto: PBS does not say how many tasks" PBS_ARRAY_INDEX=2 auto
    refused "hint: number the tasks 1 to N, and give --part auto/N" PBS_ARRAY_INDEX=2 auto
    refused "are not numbered evenly" SLURM_ARRAY_TASK_ID=7 SLURM_ARRAY_TASK_MIN=1 SLURM_ARRAY_TASK_MAX=7 SLURM_ARRAY_TASK_COUNT=3 auto
    refused "this is task 4, which must be from 1 to 3" PBS_ARRAY_INDEX=4 auto/3
    refused "--part auto/x: N must be a number above 0" PBS_ARRAY_INDEX=1 auto/x
    refused "--part automatic: must be I/N" PBS_ARRAY_INDEX=1 automatic
}

@test "the parts of an array job are merged; one that is missing, there twice, or of another input is named" {
    for task in 1 2 3 4; do
        SLURM_ARRAY_TASK_ID=$task SLURM_ARRAY_TASK_MIN=1 SLURM_ARRAY_TASK_MAX=4 SLURM_ARRAY_TASK_COUNT=4 \
            gt-pdist -q -m king -O counts --part auto "$data/x.zarr" -o $task.counts
    done
    gt-pdist -q -m king --merge [1-4].counts -o merged.npy
    cmp "$data/whole.npy" merged.npy
    refused() { # MESSAGE FILE...
        run -3 gt-pdist -q -m king --merge "${@:2}" -o no.npy
        # shellcheck disable=SC2053 # a pattern
        [[ ${lines[0]} == gt-pdist:\ $1 ]] || { echo "$output"; return 1; }
        [ ! -e no.npy ]
    }
    refused "'2.counts' is one of several parts; rows from * on are missing" 1.counts 2.counts 4.counts
    refused "'1.counts' is one of several parts; rows from * on are missing" 1.counts
    cp 3.counts again.counts
    refused "'again.counts' has rows that '3.counts' has too" [1-4].counts again.counts
    gt-pdist -q -m king -O counts --part 3/4 "$data/y.zarr" -o 3.counts
    refused "'2.counts' and '3.counts' are parts of different runs: their variants differ" [1-4].counts
    gt-pdist -q -m king -O counts --part 3/4 -s ^S7 "$data/x.zarr" -o 3.counts
    refused "'1.counts' and '3.counts' have different samples, or the same in another order" [1-4].counts
}
