#!/usr/bin/env bats
# gt-pdist with several ranks: the bytes of one process, and what ranks cannot do.

bats_require_minimum_version 1.5.0

setup_file() {
    cd "$BATS_FILE_TMPDIR"
    gt-sim --samples 70 --variants 30000 --pops 3 --missing 0.02 --multiallelic 0.05 --seed 4 -O vcf -o base.vcf.gz
    gt-pack base.vcf.gz -o base.zarr --no-version
    gt-sim --samples 1 --variants 40 --seed 5 -o one.vcf
    gt-sim --samples 12 --variants 2 --seed 6 -o few.vcf
    gt-sim --samples 12 --variants 10 --seed 6 -o none.vcf
    grep '^#' none.vcf >empty.vcf
    gt-sim --samples 40 --variants 9000 --normal --dtype float32 --seed 7 -o array.zarr
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

# same OUT ARG...: gt-pdist writes the same OUT with any ranks and threads.
same() { same_with_ranks gt-pdist "${@:2}" -o "$1"; }

@test "genotypes: every metric, from a VCF and from a store" {
    need_mpi
    blocks=$(gt-pdist -n "$data/base.zarr" --memory 60M | sed -n 's/^block *\([0-9,]*\) sites.*/\1/p' | tr -d ,)
    [ "$blocks" -lt 10000 ] # so that there are some for each rank
    for metric in $(few 4 euclidean cityblock mismatches ibs 1-ibs ibs-prob allele-count ibs0 king grm grm-vanraden weir-goudet correlation hamming); do
        same d.tsv -m "$metric" "$data/base.zarr" --memory 60M
    done
    same d.npy -m king "$data/base.vcf.gz"
    same d.npy -m mismatches "$data/base.vcf.gz"
}

@test "arrays: sums of float64 have the bits of one process" {
    need_mpi
    for metric in euclidean correlation chebyshev; do
        same a.npy -m $metric "$data/array.zarr"
    done
}

@test "fewer variants than ranks, one sample, no variants" {
    need_mpi
    same d.tsv -m 1-ibs "$data/few.vcf"
    same d.tsv "$data/one.vcf"
    same d.tsv "$data/empty.vcf"
}

@test "other outputs: counts, pairs, a tree, a part, bands of rows" {
    need_mpi
    same c.counts -O counts -m king "$data/base.zarr"
    same p.tsv -m king --min 0.01 "$data/base.zarr"
    same p.tsv -m 1-ibs --knn 3 "$data/base.zarr"
    same p.tsv -m 1-ibs --part 2/3 --maf 0.1 "$data/base.zarr"
    same d.tsv --between variants --thin 300 "$data/base.zarr"
}

@test "the plan names the ranks; the notes are printed once" {
    need_mpi
    mpi=$(mpis | head -n 1)
    run -0 --separate-stderr mpirun_of "$mpi" -n 3 gt-pdist -n "$data/base.zarr"
    [ "$(grep -c '^ranks  ' <<<"$output")" -eq 1 ]
    [[ $output == *"ranks          3: each reads and counts its range of the variants; rank 0 adds up and writes"* ]]
    [[ $output == *"per rank       reads "*" of genotypes a pass, sends "* ]]
    run -0 --separate-stderr mpirun_of "$mpi" -n 3 gt-pdist -n --maf 0.1 "$data/base.zarr" # nobody knows how many variants are left
    [[ $output == *"unknown before the end; at most 30,000"*"each reads and counts its range of the variants"*"per rank       reads at most "*", sends "* ]]
    run -0 --separate-stderr mpirun_of "$mpi" -n 3 gt-pdist -n "$data/base.vcf.gz"
    [[ $output == *"ranks          3: each reads all of the input and counts its share of the variants; rank 0 writes"* ]]
    run -0 --separate-stderr mpirun_of "$mpi" -n 3 gt-pdist --json "$data/base.zarr" -o d.tsv
    [ "${#lines[@]}" -eq 1 ]
    [ "$(grep -c 'comparing 70 samples' <<<"$stderr")" -eq 1 ]
}

@test "the estimate: each term of the plan by its rate, and the sum" {
    local -x GT_RATES=start=2,read=1e5,decode=1e6,compute=1e8,link=2e5,latency=0.125,finish=1e4,write=1e5
    for n in 1 2 4 10; do
        gt-pdist -n -m 1-ibs -@ 1 -O npy --ranks $n --contigs all "$data/base.zarr" >plan
        "$PYTHON" - $n "$data/base.zarr" <<'PYTHON'
import json, math, re, sys
plan, ranks = open('plan').read(), int(sys.argv[1])
def number(what):
    value, unit = re.search(what + r' +([0-9.,]+) ?([KMG]?i?B)?', plan).groups()
    return float(value.replace(',', '')) * {None: 1, 'B': 1, 'KiB': 2**10, 'MiB': 2**20}[unit]
pairs = 70 * 69 / 2
chunk = min(json.load(open(sys.argv[2] + '/packed_dosage/.zarray'))['chunks'][0], math.ceil(30000 / ranks))
own = min(math.ceil(math.ceil(30000 / chunk) / ranks) * chunk, 30000)  # whole chunks: rank 0 has most
want = {'read': own * 18 / 1e5, 'decode': own * 18 / 1e6, 'compute': pairs * own / 1e8, 'finish': pairs / 1e4, 'write': 2 * pairs * 8 / 1e5}
if ranks > 1:
    sends = number('per rank .*sends at most')
    hops = {2: 1, 4: 1, 10: 4}[ranks]
    want |= {'start': 2, 'send': sends * hops / 2e5, 'latency': math.ceil(math.log2(ranks)) * math.ceil(sends / 2**20) * 0.125}
got = dict(re.findall(r'^  (\w+) +(\S+) s', plan, re.M))
assert got.keys() == want.keys(), (got, want)
for name in want:
    assert abs(float(got[name]) - want[name]) <= 0.02 * want[name], (name, got, want)
total = sum(want.values()) - min(want['read'], want['decode'] + want['compute'])
assert f'with {ranks} rank' in plan and abs(number('estimate') - total) <= 0.02 * total, (plan, total)
PYTHON
    done
    GT_RATES=link=fast run -2 --separate-stderr gt-pi --points 10 # also without a plan
    [[ $stderr == *"GT_RATES: 'link=fast'"*"hint: "* ]]
    GT_RATES=link=fast run -2 --separate-stderr gt-pdist -n "$data/base.zarr"
    [[ $stderr == *"GT_RATES: 'link=fast'"*"hint: "* ]]
    run -2 --separate-stderr gt-pdist --ranks 3 "$data/base.zarr"
    [[ $stderr == *"--ranks needs --dry-run"* ]]
    run -2 --separate-stderr gt-pdist -n --merge --ranks 3 "$data/base.zarr"
    [[ $stderr == *"--ranks: --merge runs in one process"* ]]
}

@test "the estimate is for the ranks that run, and the CPUs that they share" {
    need_mpi
    mpi=$(mpis | head -n 1)
    mpirun_of "$mpi" -n 3 gt-pdist -n -@ 2 "$data/base.zarr" >plan 2>err
    "$PYTHON" - "$(nproc)" <<'PYTHON'
import re, sys
ranks, cores = re.search(r'^estimate .* with (\d+) ranks, (\S+) cores each', open('plan').read(), re.M).groups()
assert ranks == '3' and abs(float(cores) - min(2, int(sys.argv[1]) / 3)) < 0.01, (ranks, cores)
PYTHON
}

# moves RANKS ARG...: the bytes that -n says ranks send and receive, as many as gt-pdist then counts, but for 2 % and 24 kB; where -n says
# "at most", of three planes one is sums of 4 bytes, and two are counts of missing calls of 1 byte at least.
moves() {
    local n=$1
    shift
    mpirun_of "$mpi" -n "$n" gt-pdist -n "$@" 2>/dev/null >plan
    mpirun_of "$mpi" -n "$n" gt-pdist -q -f -o moved.npy --report moved.json "$@" 2>err || { cat err; return 1; }
    "$PYTHON" - <<'PYTHON'
import json, re
plan, ranks = open('plan').read(), json.load(open('moved.json'))['ranks']
def planned(what):
    number, unit = re.search(what + r' (?:at most )?(\S+) ([KMG]?i?B)', plan).groups()
    return float(number.replace(',', '')) * {'B': 1, 'KiB': 2**10, 'MiB': 2**20}[unit]
least = 0.4 if 'sends at most' in plan else 1
def near(got, want): assert 0.98 * least * want - 24000 <= got <= 1.02 * want + 24000, (got, want, plan)
sends, passed_on = planned('per rank .*sends'), 'from rank to rank' in plan
for k in ranks:
    near(k['sent'], sends if k['rank'] or passed_on else 0)
    near(k['received'], planned('rank 0 .*receives') if k['rank'] == 0 else sends if passed_on else 0)
assert sends > 100000
PYTHON
}

@test "the plan's bytes between ranks are those that a run moves" {
    need_mpi
    gt-sim -q --samples 500 --variants 4000 --missing 0.02 --seed 8 -O bed -o many
    gt-sim -q --samples 300 --variants 200 --normal --dtype float32 --seed 7 -o wide.zarr
    mpis_in_turn
    for mpi in "${tried[@]}"; do
        moves 3 -m king many.bed
        grep -q '^per rank  *reads at most 16[0-9]\.[0-9] KiB of genotypes a pass, ' plan
        least=$(gt-pdist -n -m 1-ibs many.bed | sed -n 's/^memory  *\([0-9]*\)M needed.*/\1/p')
        moves 2 -m 1-ibs many.bed --memory $((least + 2))M
        [ "$(sed -n "s/^passes  *//p" plan)" -gt 1 ]
        moves 3 -m euclidean wide.zarr
        moves 4 -m correlation wide.zarr
    done
}

@test "standard input, a pipe and --merge are refused" {
    need_mpi
    mkfifo pipe
    for mpi in $(mpis); do
        run -2 --separate-stderr mpirun_of "$mpi" -n 2 gt-pdist - -o d.tsv
        [[ $stderr == *"gt-pdist: standard input cannot be read with several ranks"* ]]
        run -2 --separate-stderr mpirun_of "$mpi" -n 2 gt-pdist pipe -o d.tsv
        [[ $stderr == *"'pipe' is a pipe or a device, which cannot be read with several ranks"* ]]
        run -2 --separate-stderr mpirun_of "$mpi" -n 2 gt-pdist --merge a.counts -o d.tsv
        [[ $stderr == *"--merge runs in one process, and 2 were started"* ]]
        [ ! -e d.tsv ]
    done
}

@test "an input that one rank sees with another size, or not at all" {
    need_mpi
    mkdir a b c
    cp "$data/one.vcf" a/x.vcf
    head -n 20 "$data/one.vcf" >b/x.vcf
    for mpi in $(mpis); do
        run -3 --separate-stderr mpirun_of "$mpi" -wdir "$PWD/a" -n 1 gt-pdist x.vcf -o d.tsv : -wdir "$PWD/b" -n 1 gt-pdist x.vcf -o d.tsv
        [ "$(grep -c "^gt-pdist: rank 1 on .* has input 'x.vcf': $(stat -c %s b/x.vcf) bytes, and rank 0 has input 'x.vcf': $(stat -c %s a/x.vcf) bytes" <<<"$stderr")" -eq 1 ]
        run -3 --separate-stderr mpirun_of "$mpi" -wdir "$PWD/a" -n 1 gt-pdist x.vcf -o d.tsv : -wdir "$PWD/c" -n 1 gt-pdist x.vcf -o d.tsv
        [ "$(grep -c "^gt-pdist: rank 1 on .* has input 'x.vcf': No such file" <<<"$stderr")" -eq 1 ]
        [ ! -e a/d.tsv ]
        [ ! -e b/d.tsv ]
    done
}

@test "a damaged input and an output that cannot be written: one message, the status of one process" {
    need_mpi
    head -c 30000 "$data/base.vcf.gz" >cut.vcf.gz
    for mpi in $(mpis); do
        run --separate-stderr gt-pdist cut.vcf.gz -o d.tsv
        alone=$status
        [ "$alone" -ne 0 ]
        run --separate-stderr mpirun_of "$mpi" -n 3 gt-pdist cut.vcf.gz -o d.tsv
        [ "$status" -eq "$alone" ]
        [ "$(grep -c '^gt-pdist: .*cut.vcf.gz' <<<"$stderr")" -eq 1 ]
        run -1 --separate-stderr mpirun_of "$mpi" -n 3 gt-pdist "$data/one.vcf" -o nowhere/d.tsv
        [ "$(grep -c '^gt-pdist: .*nowhere' <<<"$stderr")" -eq 1 ]
        [ -z "$(find . -name '*d.tsv*')" ]
    done
}

# It has loaded an MPI, or talks to both others.
has_come() { grep -q gt-mpi "/proc/$1/maps" || [ "$(find "/proc/$1/fd" -lname 'socket:*' 2>/dev/null | wc -l)" -ge 6 ]; }

@test "a rank killed with SIGKILL leaves no output" {
    need_mpi
    for mpi in $(mpis); do
        mpirun_of "$mpi" -n 3 env GT_RANK_TEST="$BATS_TEST_TMPDIR" gt-pdist --between variants "$data/base.zarr" -O npy -o killed.npy >out 2>err &
        launcher=$!
        victim=
        for _ in $(seq 300); do
            victim=$(grep -l -a -z "^GT_RANK_TEST=$BATS_TEST_TMPDIR\$" /proc/[0-9]*/environ 2>/dev/null | cut -d/ -f3 |
                while read -r pid; do [ "$(readlink "/proc/$pid/exe")" != "$(realpath "$GT_BUILD/gt-pdist")" ] || ! has_come "$pid" || echo "$pid"; done | tail -n 1)
            [ -z "$victim" ] || break
            sleep 0.05
        done
        [ -n "$victim" ]
        kill -KILL "$victim"
        status=0
        wait $launcher || status=$?
        [ "$status" -ne 0 ]
        # mpirun of Open MPI 4.1 waits forever for a rank that was killed while it connected, in MPI_Init.
        [ "$status" -ne 124 ] || { [ "$mpi" = openmpi ] && grep -q 'PMIX ERROR: UNREACHABLE' err; }
        [ ! -e killed.npy ]
    done
}

@test "a rank killed with SIGKILL at a random moment: no output, and any number of ranks makes it afterwards" {
    need_mpi
    mpis_in_turn
    for mpi in "${tried[@]}"; do
        mkdir "$mpi"
        "$GT_SOURCE/test/support/rank_kills.sh" "${GT_KILLS_SEED:-1}" "$(by_level 2 4 100)" "$mpi" gt-pdist "$mpi"
    done
}
