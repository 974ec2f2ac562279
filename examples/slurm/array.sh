#!/bin/bash
# A kinship matrix by an array job: each task computes a part of the pair counts, and a job after them joins the parts.
#
#     examples/slurm/array.sh cohort.zarr king.npy 20
#
# submits 20 tasks and the merge, and prints the number of the merge job.  The folder of the output must be on a file system that
# all nodes share.  Options of the site (partition, account, time) come from the environment: SBATCH_PARTITION, SBATCH_ACCOUNT,
# SBATCH_TIMELIMIT.
set -euo pipefail

input=$(realpath "$1")
output=$(realpath "$2")
tasks=$3
parts=$output.parts
threads=${THREADS:-2} memory=${MEMORY:-1G}
mkdir -p "$parts"

# gt-pdist finds its part in the variables of the task, and its threads in the CPUs that Slurm gave it.
array=$(sbatch --parsable --job-name=pdist --array="1-$tasks" --cpus-per-task="$threads" --mem="$memory" \
    --output="$parts/%a.log" --export=ALL,input="$input",parts="$parts" <<'JOB'
#!/bin/bash
set -euo pipefail
gt-pdist -m king -O counts --part auto -@ "$SLURM_CPUS_PER_TASK" "$input" -o "$parts/$SLURM_ARRAY_TASK_ID.counts" --force
JOB
)

# Runs when all tasks have succeeded; removes the parts only after the matrix is complete.
sbatch --parsable --job-name=merge --dependency="afterok:$array" --kill-on-invalid-dep=yes --mem="$memory" \
    --output="$output.log" --export=ALL,parts="$parts",output="$output" <<'JOB'
#!/bin/bash
set -euo pipefail
gt-pdist -m king --merge "$parts"/*.counts -o "$output" --force
rm -r "$parts"
JOB
