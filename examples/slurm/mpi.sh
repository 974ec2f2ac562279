#!/bin/bash
# A store rechunked, and distances from it, by the ranks of an MPI job.
#
#     sbatch --nodes=2 --ntasks=8 --cpus-per-task=2 --mem-per-cpu=1G examples/slurm/mpi.sh cohort.zarr rows.zarr king.npy
#
#SBATCH --job-name=gt-mpi
#SBATCH --requeue
set -euo pipefail
input=$1 rows=$2 matrix=$3

# MPI_TYPE: pmix for Open MPI, pmi2 for MPICH.  -K: a rank that is killed ends the others; without it they wait forever with pmi2.
run() { srun --mpi="${MPI_TYPE:-pmix}" -K "$@"; }
threads=(-@ "${SLURM_CPUS_PER_TASK:-1}")
[ -z "${SLURM_MEM_PER_CPU:-}" ] || threads+=(--memory "$((SLURM_MEM_PER_CPU * ${SLURM_CPUS_PER_TASK:-1} * 9 / 10))M")

# After a requeue the finished chunks are there, and are kept, with any number of ranks.
run gt-rechunk "${threads[@]}" --resume -c variants=1000,samples=-1 "$input" -o "$rows"
run gt-pdist "${threads[@]}" -m king "$rows" -o "$matrix" --force
