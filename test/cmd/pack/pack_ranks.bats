#!/usr/bin/env bats
# gt-pack with several ranks: the bytes of one process, interrupted or not.

bats_require_minimum_version 1.5.0

setup_file() {
    cd "$BATS_FILE_TMPDIR"
    gt-sim -q --samples 70 --variants 20000 --missing 0.02 --multiallelic 0.05 --contigs 2 --seed 4 -O vcf -o base.vcf.gz
    gt-sim -q --samples 70 --variants 20000 --missing 0.02 --seed 5 -O bed -o set
    gt-sim -q --samples 70 --variants 20000 --missing 0.02 --seed 6 -o base.zarr
    gt-sim -q --samples 1 --variants 40 --seed 5 -O vcf -o one.vcf
    gt-sim -q --samples 12 --variants 2 --seed 6 -O vcf -o few.vcf
    grep '^#' few.vcf >empty.vcf
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

same() { same_with_ranks gt-pack -q --no-version "$@" -o o.zarr; }

@test "VCF, .bed, stores and several inputs; filters; chunks of sites that end anywhere" {
    need_mpi
    same --chunks variants=100 "$data/base.vcf.gz"
    same --chunks variants=250,samples=16 --zarr-format 3 "$data/set.bed"
    same --chunks variants=70 --maf 0.05 "$data/base.zarr"
    same --zarr-format 3 --chunks variants=100,samples=16 --shard variants=700,samples=48 "$data/base.vcf.gz"
    same --zarr-format 3 --chunks variants=100 --shard variants=50000 "$data/base.vcf.gz"
    same --chunks variants=100 --ld-prune 50,5,0.2 "$data/set.bed"
    same --chunks variants=64 -r 2:1-500000 --split-multiallelic "$data/base.vcf.gz"
    sed 's/^1\t/3\t/' "$data/one.vcf" | sed 's/contig=<ID=1/contig=<ID=3/' >other.vcf
    same --chunks variants=7 "$data/one.vcf" "$PWD/other.vcf"
}

@test "fewer variants than ranks, one sample, none" {
    need_mpi
    same "$data/few.vcf"
    same --chunks variants=3 "$data/one.vcf"
    same "$data/empty.vcf"
}

@test "the summary and its counts are those of one process; the plan names the ranks" {
    need_mpi
    gt-pack --json --no-version --chunks variants=100 --maf 0.05 "$data/base.vcf.gz" -o alone.zarr 2>alone.err | sed 's/"seconds.*//' >alone
    mpis_in_turn
    for mpi in "${tried[@]}"; do
        mpirun_of "$mpi" -n 3 gt-pack --json --no-version -@ 1 --memory 200M --chunks variants=100 --maf 0.05 "$data/base.vcf.gz" -o ranks.zarr 2>ranks.err | sed 's/"seconds.*//' >ranks
        diff alone ranks
        diff <(sed 's/, [0-9.]* s (.*//' alone.err) <(sed 's/, [0-9.]* s (.*//' ranks.err)
        rm -r ranks.zarr
        run -0 mpirun_of "$mpi" -n 3 gt-pack -n "$data/base.vcf.gz" -o ranks.zarr
        [[ $output == *"ranks          3: each reads all of the input and encodes its share of the row groups; rank 0 writes"* ]]
    done
}

@test "a run of three ranks is continued by another number, and counts once" {
    need_mpi
    gt-sim -q --samples 100 --variants 60000 --missing 0.02 --contigs 2 -O vcf -o good.vcf # large: only parts of it are hashed
    gt-pack -q --no-version --chunks variants=50 good.vcf -o want.zarr
    mpis_in_turn
    for n in $(few 1 4 1 2); do
        for mpi in "${tried[@]}"; do
            cp -p good.vcf in.vcf
            sed -i '59000s/0\/./0\/x/' in.vcf
            run ! cmp -s good.vcf in.vcf
            touch -r good.vcf in.vcf
            run -3 mpirun_of "$mpi" -n 3 gt-pack -q --no-version -@ 1 --resume --chunks variants=50 in.vcf -o o.zarr
            [ -d o.zarr.partial ]
            [ ! -e o.zarr ]
            cp -p good.vcf in.vcf
            run -0 --separate-stderr mpirun_of "$mpi" -n "$n" gt-pack --json --no-version --resume --verify --chunks variants=50 in.vcf -o o.zarr
            [ "$(sed 's/.*"row_groups_kept": *\([0-9]*\).*/\1/' <<<"$output")" -gt 0 ]
            [[ $stderr == *"all match what was written"* ]]
            diff -r want.zarr o.zarr
            rm -r o.zarr
        done
    done
}

@test "what runs in one process is refused" {
    need_mpi
    mpis_in_turn
    for mpi in "${tried[@]}"; do
        run -2 --separate-stderr mpirun_of "$mpi" -n 2 gt-pack --layout vcz "$data/one.vcf" -o o.vcz
        [[ $stderr == *"gt-pack: --layout vcz runs in one process, and 2 were started"* ]]
        run -2 --separate-stderr mpirun_of "$mpi" -n 2 gt-pack "$data/one.vcf" -o o.zip
        [[ $stderr == *"2 ranks write one directory store, and 'o.zip' is a zip archive"* ]]
        [ -z "$(find . -name 'o.*')" ]
    done
}

@test "a rank killed with SIGKILL: no output, and --resume with other ranks makes it" {
    need_mpi
    mpis_in_turn
    for mpi in "${tried[@]}"; do
        mkdir "$mpi"
        "$GT_SOURCE/test/support/rank_kills.sh" "${GT_KILLS_SEED:-1}" "$(by_level 1 4 100)" "$mpi" gt-pack "$mpi"
    done
}
