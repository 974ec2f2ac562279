#!/usr/bin/env bats
# gt-unpack with several ranks: the bytes of one process.

bats_require_minimum_version 1.5.0

setup_file() {
    cd "$BATS_FILE_TMPDIR"
    gt-sim -q --samples 70 --variants 30000 --pops 3 --missing 0.02 --multiallelic 0.05 --seed 4 -O vcf -o base.vcf.gz
    gt-sim -q --samples 70 --variants 30000 --missing 0.02 --seed 4 -o base.zarr
    gt-pack -q --layout vcz base.vcf.gz -o base.vcz
    gt-sim -q --samples 500 --variants 20000 --seed 7 --chunks variants=100,samples=-1 -o long.zarr
    gt-sim -q --samples 1 --variants 40 --seed 5 -o one.zarr
    gt-sim -q --samples 12 --variants 10 --seed 6 -O vcf -o none.vcf
    grep '^#' none.vcf >empty.vcf
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

same() { same_with_ranks gt-unpack -q --no-version "$@"; }
# Of formats that do not record the command line.
same_plain() { same_with_ranks gt-unpack -q "$@"; }

@test "VCF, BCF, their indexes, .bed, .npy and .pgen, from a store, from VCF Zarr and from a VCF" {
    need_mpi
    same "$data/base.zarr" -o o.vcf.gz
    [ -s alone/o.vcf.gz.csi ]
    same "$data/base.vcz" -o o.vcf.gz
    same "$data/base.vcz" -o o.bcf
    same "$data/base.zarr" -o o.vcf
    same_plain --skip-multiallelic "$data/base.vcf.gz" -o o.bed
    same_plain "$data/base.vcf.gz" -o o.npy
    same_plain "$data/base.vcf.gz" -o o.pgen
    same --skip-multiallelic --maf 0.1 -r 1:200000-900000 "$data/base.vcf.gz" -o o.bcf
}

@test "many more blocks than are in flight" {
    need_mpi
    same --memory 100M "$data/long.zarr" -o o.bcf
}

@test "standard output; fewer variants than ranks; one sample; none" {
    need_mpi
    gt-unpack -q --no-version "$data/base.zarr" >alone.vcf
    mpis_in_turn
    for mpi in "${tried[@]}"; do
        mpirun_of "$mpi" -n 3 gt-unpack -q --no-version "$data/base.zarr" >ranks.vcf
        cmp alone.vcf ranks.vcf
    done
    same "$data/one.zarr" -o o.vcf
    same_plain "$data/one.zarr" -o o.npy
    same "$data/empty.vcf" -o o.vcf.gz
}

@test "a damaged input: one message, the status of one process, no output" {
    need_mpi
    head -c 30000 "$data/base.vcf.gz" >cut.vcf.gz
    run --separate-stderr gt-unpack cut.vcf.gz -o o.bcf
    alone=$status
    [ "$alone" -ne 0 ]
    mpis_in_turn
    for mpi in "${tried[@]}"; do
        run --separate-stderr mpirun_of "$mpi" -n 3 gt-unpack cut.vcf.gz -o o.bcf
        [ "$status" -eq "$alone" ]
        [ "$(grep -c '^gt-unpack: .*cut.vcf.gz' <<<"$stderr")" -eq 1 ]
        [ -z "$(find . -name '*o.bcf*')" ]
    done
}
