#!/usr/bin/env bats
# gt-sim with several ranks: the bytes of one process.

bats_require_minimum_version 1.5.0

setup() {
    cd "$BATS_TEST_TMPDIR"
    unset GT_THREADS OMP_NUM_THREADS GT_MEMORY GT_CPU GT_MODULES
    # shellcheck source=test/support/level.bash
    source "$GT_SOURCE/test/support/level.bash"
    # shellcheck source=test/support/mpirun.bash
    source "$GT_SOURCE/test/support/mpirun.bash"
}

@test "every format, with many row groups" {
    need_mpi
    model=(--samples 503 --variants 21000 --pops 3 --missing 0.01 --seed 3)
    same_with_ranks gt-sim "${model[@]}" --chunks variants=700,samples=200 -o s.zarr
    same_with_ranks gt-sim "${model[@]}" --phased --multiallelic 0.1 -o s.vcf.gz
    same_with_ranks gt-sim "${model[@]}" -O bed -o s --truth truth.json
    same_with_ranks gt-sim "${model[@]}" --multiallelic 0.1 -O vcz --chunks variants=900 -o s.vcz
    [ "$(by_level quick full full)" = full ] || return 0
    same_with_ranks gt-sim "${model[@]}" -O vcf -o s.vcf
    same_with_ranks gt-sim "${model[@]}" --ld 50 --zarr-format 3 -o s.zip
    same_with_ranks gt-sim "${model[@]}" --spectrum growth -O bed -o s
}

@test "site chunks that span row groups; metadata of the packed layout" {
    need_mpi
    same_with_ranks gt-sim --samples 20 --variants 200000 --chunks variants=10000 -o s.zarr
}

@test "the last chunk of sites, whichever thread completes it" {
    for i in 1 2 3 4 5 6; do
        gt-sim --samples 130 --variants 20011 --chunks variants=1700 -@ 4 -f -o s.zarr
        gt-info --check s.zarr
    done
}

@test "matrices" {
    need_mpi
    same_with_ranks gt-sim --samples 300 --variants 2000 --uniform 0..2 --chunks variants=100,samples=70 -o a.zarr
    same_with_ranks gt-sim --samples 30 --variants 900 --rank 4 --dtype float32 --chunks variants=41 -o a.zarr --truth a.json
}

@test "fewer row groups than ranks, one variant" {
    need_mpi
    same_with_ranks gt-sim --samples 3 --variants 1 -o s.zarr
    same_with_ranks gt-sim --samples 1 --variants 9 -o s.vcf
    same_with_ranks gt-sim --samples 2 --variants 2 --normal --chunks variants=1 -o a.zarr
}

@test "the plan names the ranks; what rank 0 cannot write ends all, with one message" {
    need_mpi
    for mpi in $(mpis); do
        run -0 --separate-stderr mpirun_of "$mpi" -n 2 gt-sim -n --samples 10 --variants 1000 -o s.zarr
        [ "$(grep -c '^ranks  ' <<<"$output")" -eq 1 ]
        run -1 --separate-stderr mpirun_of "$mpi" -n 3 gt-sim --samples 100 --variants 100000 -o nowhere/s.vcf
        [ "$(grep -c '^gt-sim: .*nowhere' <<<"$stderr")" -eq 1 ]
    done
}
