#!/usr/bin/env bats
# gt-svd with several ranks: the bytes of one process.

bats_require_minimum_version 1.5.0

setup_file() {
    cd "$BATS_FILE_TMPDIR"
    gt-sim --samples 130 --variants 20011 --pops 3 --missing 0.02 --seed 4 --chunks variants=1700 -o base.zarr
    gt-sim --samples 130 --variants 9011 --pops 3 --missing 0.02 --multiallelic 0.05 --seed 9 -o base.vcf.gz
    gt-sim --samples 130 --variants 9000 --pops 3 --seed 5 -O bed -o base
    gt-sim --samples 9 --variants 2 --seed 6 -o few.vcf
    gt-sim --samples 1 --variants 4000 --missing 0.1 --seed 7 -o one.zarr
}

setup() {
    cd "$BATS_TEST_TMPDIR"
    unset GT_THREADS OMP_NUM_THREADS GT_MEMORY GT_CPU GT_MODULES
    # shellcheck source=test/support/level.bash
    source "$GT_SOURCE/test/support/level.bash"
    # shellcheck source=test/support/mpirun.bash
    source "$GT_SOURCE/test/support/mpirun.bash"
    data=$BATS_FILE_TMPDIR
}

same() { same_with_ranks gt-svd "$@" -o pca; }

@test "krylov, compressed and gram of a store, of which each rank reads its part" {
    need_mpi
    for algorithm in krylov compressed gram; do
        same -k 4 --algorithm $algorithm --loadings "$data/base.zarr"
    done
    same -k 3 --algorithm krylov --tol 1e-6 --maf 0.1 "$data/base.zarr"
    [ "$(by_level quick full full)" = full ] || return 0
    same -k 3 --algorithm compressed --power-iterations 2 --slice 500:17003:3 "$data/base.zarr"
    for scale in patterson center standard none; do
        same -k 3 --algorithm krylov --scale $scale "$data/base.zarr"
        same -k 3 --algorithm gram --scale $scale "$data/base.zarr"
    done
}

@test "a model of several contigs, of which each rank has others" {
    need_mpi
    gt-sim -q --samples 40 --variants 6000 --contigs 3 --pops 2 --chunks variants=500 -o contigs.zarr
    same -k 2 --algorithm krylov --loadings "$PWD/contigs.zarr"
    [ "$(tail -n +2 alone/pca.eigenvec.var | cut -f 1 | uniq | wc -l)" -eq 3 ]
}

@test "the plan's bytes between ranks are those that a run moves" {
    need_mpi
    mpis_in_turn
    for algorithm in compressed gram; do
        mpirun_of "${tried[0]}" -n 3 gt-svd -n -k 4 --algorithm $algorithm "$data/base.bed" -o moved 2>/dev/null >plan
        mpirun_of "${tried[0]}" -n 3 gt-svd -q -f -k 4 --algorithm $algorithm "$data/base.bed" -o moved --report moved.json
        "$PYTHON" - <<'PYTHON'
import json, re
plan, ranks = open('plan').read(), json.load(open('moved.json'))['ranks']
sends, of_rank_0 = [float(n) * {'B': 1, 'KiB': 2**10, 'MiB': 2**20}[u] for n, u in re.findall(r'(?:, sends|rank 0  *receives) (?:at most )?(\S+) ([KM]?i?B)', plan)]
assert 'a pass' in plan and sends == of_rank_0 and re.search(r'passes +1$', plan, re.M)
least = 0.3 if 'sends at most' in plan else 0.98 # of counts of missing calls, a byte of four
for k in ranks[1:]: # beside sums by sample
    assert (least - 1) * sends - 1000 <= k['sent'] - sends <= 0.02 * sends + 30000, (k, plan)
assert abs(ranks[0]['received'] - ranks[1]['sent']) < 10000
PYTHON
    done
}

@test "what ranks keep between passes has room, also where their parts, whole chunks, are unequal" {
    need_mpi
    gt-sim -q --samples 500 --variants 20000 --missing 0.01 --seed 3 --chunks variants=6000 -o uneven.zarr
    mpi=$(mpis | head -n 1)
    mpirun_of "$mpi" -n 3 gt-svd -q -k 3 --algorithm krylov --passes 12 --tol 1e-15 uneven.zarr -o x --report r.json
    "$PYTHON" - <<'PYTHON'
import json
stages = json.load(open('r.json'))['stages']
tasks = {(s['flow'], s['stage']): s['tasks'] for s in stages}
# 4 chunks, for counting and for the first pass, and where parts of ranks meet the next one
assert 4 <= tasks['zarr', 'read'] <= 2 * 4 + 3, tasks
PYTHON
}

@test "filesets, several inputs, little memory" {
    need_mpi
    same -k 3 --algorithm krylov --loadings "$data/base.bed" --memory 69M
    gt-unpack --slice :3000 "$data/base.zarr" -o a.vcf.gz
    gt-pack -q a.vcf.gz -o a.zarr
    gt-unpack --slice 3000: "$data/base.zarr" -o b.vcf.gz
    gt-pack -q b.vcf.gz -o b.zarr
    same -k 3 --algorithm krylov --loadings --geno 0.03 "$PWD/a.zarr" "$PWD/b.zarr"
    gt-svd -k 3 --algorithm krylov --loadings --geno 0.03 "$data/base.zarr" -o whole
    cmp whole.eigenvec.var alone/pca.eigenvec.var
}

@test "VCF and --ld-prune, which all ranks read" {
    need_mpi
    same -k 3 --algorithm krylov --loadings "$data/base.vcf.gz"
    same -k 3 --algorithm krylov --ld-prune 50kb,0.1 --loadings "$data/base.zarr"
    [ "$(by_level quick full full)" = quick ] || same -k 3 --algorithm gram --ld-prune 50kb,0.1 "$data/base.zarr"
}

@test "--fit, --project" {
    need_mpi
    seq -f S%g 1 70 >some
    same -k 3 --fit "$PWD/some" --algorithm krylov "$data/base.zarr"
    gt-svd -q -k 3 --algorithm krylov --loadings "$data/base.bed" -o model
    same --project "$PWD/model.model.zip" "$data/base.bed"
}

@test "fewer blocks than ranks, one sample, nothing left" {
    need_mpi
    same -k 1 --algorithm krylov "$data/one.zarr" --scale none
    same -k 1 --algorithm gram "$data/few.vcf"
    same -k 2 --algorithm krylov --maf 0.2 --loadings --slice :700 "$data/base.zarr"
    for mpi in $(mpis); do
        run -3 --separate-stderr mpirun_of "$mpi" -n 3 gt-svd --slice :30 --maf 0.5 "$data/base.zarr" -o pca
        [ "$(grep -c '^gt-svd: ' <<<"$stderr")" -ge 1 ]
        [ -z "$(find . -maxdepth 1 -name 'pca*')" ]
    done
}

@test "the summary is of all ranks, and the plan names them" {
    need_mpi
    mpi=$(mpis | head -n 1)
    gt-svd --json -q -k 2 --algorithm krylov --maf 0.05 "$data/base.zarr" -o a | grep -o '"variants.*"seconds' >alone
    mpirun_of "$mpi" -n 3 gt-svd --json -q -k 2 --algorithm krylov --maf 0.05 "$data/base.zarr" -o b | grep -o '"variants.*"seconds' >several
    [ -s alone ]
    cmp alone several
    run -0 --separate-stderr mpirun_of "$mpi" -n 3 gt-svd -n --algorithm krylov "$data/base.zarr"
    [ "$(grep -c '^ranks  ' <<<"$output")" -eq 1 ]
}
