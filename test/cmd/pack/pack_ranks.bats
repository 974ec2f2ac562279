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
    gt-sim -q --samples 70 --variants 24000 --missing 0.02 --multiallelic 0.05 --contigs 4 --seed 7 -O vcf -o many.vcf.gz
    for c in 1 2 3 4; do gt-unpack -q -r $c many.vcf.gz -o $c.vcf.gz; done
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

@test "several files of text, plain and BGZF, which the ranks parse together" {
    need_mpi
    local all=("$data"/[1-4].vcf.gz)
    same --chunks variants=100 "${all[@]}"
    same --chunks variants=250 --maf 0.05 --rm-dup force-first --bp-space 100 "${all[@]}"
    gt-unpack -q -r 2:1-20000 "$data/2.vcf.gz" -o short.vcf.gz
    gt-unpack -q -r 3:1-1 "$data/3.vcf.gz" -o none.vcf.gz
    same --chunks variants=70 "$data/1.vcf.gz" "$PWD/short.vcf.gz" "$PWD/none.vcf.gz" "$data/4.vcf.gz"
    same --set-all-var-ids @:# --ld-prune 50,5,0.2 "${all[@]}"
    same --thin 3 "${all[@]}" # by numbers of variants: each rank parses all
    zcat "$data/4.vcf.gz" | sed '/^##contig=<ID=4/d; 500s/^/\n/' | bgzip -c >late.vcf.gz # a blank line, a contig that the header lacks
    zcat "$data/2.vcf.gz" | gzip -c >gzip.vcf.gz
    zcat "$data/3.vcf.gz" >plain.vcf
    same "$data/1.vcf.gz" "$PWD/gzip.vcf.gz" "$PWD/plain.vcf" "$PWD/late.vcf.gz"
    mpis_in_turn
    run -0 mpirun_of "${tried[0]}" -n 2 gt-pack -n "${all[@]}" -o o.zarr
    [[ $output == *"ranks          2: each parses its share of the lines and encodes its share of the row groups; rank 0 writes"* ]]
    run -0 mpirun_of "${tried[0]}" -n 2 gt-pack -n "${all[0]}" "$PWD/plain.vcf" -o o.zarr
    [[ $output == *"2: each parses its share of the lines and encodes"* ]]
    run -0 mpirun_of "${tried[0]}" -n 2 gt-pack -n "${all[0]}" "$PWD/gzip.vcf.gz" -o o.zarr
    [[ $output == *"2: each parses its share of the lines of 1 input, reads all of 1 other input and encodes"* ]]
}

@test "plain text: without a last line end, with CR LF, with blank lines, longer lines than a unit" {
    need_mpi
    gt-unpack -q "$data/few.vcf" -O vcf | head -c -1 >cut.vcf
    same "$PWD/cut.vcf"
    zcat "$data/1.vcf.gz" | head -c -1 >cut.vcf
    zcat "$data/2.vcf.gz" | sed 's/$/\r/' >crlf.vcf
    zcat "$data/3.vcf.gz" | sed '700,3000s/$/\n/' >blank.vcf
    same --chunks variants=100 "$PWD/cut.vcf" "$PWD/crlf.vcf" "$PWD/blank.vcf"
    zcat "$data/4.vcf.gz" | "$PYTHON" -c '
import sys
for i, line in enumerate(sys.stdin):
    c = line.split("\t")
    if line[0] != "#" and i % 1000 == 1:
        c[7] = "X=" + "x" * 700000
    sys.stdout.write("\t".join(c))' >long.vcf
    same --chunks variants=100 "$PWD/long.vcf"
}

@test "what is wrong in a file is said as by one process, and there is no output" {
    need_mpi
    local good=("$data"/[1-3].vcf.gz) mpi bad
    zcat "$data/4.vcf.gz" | sed '2500s/\t0\//\tx\//' >plain.vcf
    zcat "$data/4.vcf.gz" | awk 'BEGIN {OFS = "\t"} NR == 900 || NR == 5000 {$20 = "0/x"} {print}' | bgzip -c >call.vcf.gz
    head -c -28 "$data/4.vcf.gz" >end.vcf.gz
    head -c -1000 "$data/4.vcf.gz" >cut.vcf.gz
    cp "$data/4.vcf.gz" damaged.vcf.gz
    printf XXXX | dd of=damaged.vcf.gz bs=1 seek=150000 conv=notrunc status=none
    mpis_in_turn
    for bad in call.vcf.gz end.vcf.gz cut.vcf.gz damaged.vcf.gz plain.vcf; do
        run -3 --separate-stderr gt-pack -q "${good[@]}" $bad -o o.zarr
        local said=${stderr#gt-pack: }
        for mpi in "${tried[@]}"; do
            for n in $(few 3 2 7); do
                run -3 --separate-stderr mpirun_of "$mpi" -n "$n" gt-pack -q -@ 1 "${good[@]}" $bad -o o.zarr
                [[ $stderr == *"$said"* ]] || { echo "$mpi $n: $said / $stderr"; return 1; }
                [ ! -e o.zarr ]
            done
        done
    done
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
        [[ $output == *"ranks          3: each parses its share of the lines and encodes its share of the row groups; rank 0 writes"* ]]
        run -0 mpirun_of "$mpi" -n 3 gt-pack -n "$data/base.zarr" -o ranks.zarr
        [[ $output == *"ranks          3: each reads all of the input and encodes its share of the row groups; rank 0 writes"* ]]
    done
}

@test "blocks between ranks take the memory that is planned for them, also where few samples make them large" {
    need_mpi
    gt-sim -q --samples 3 --variants 400000 --seed 9 -O vcf -o tall.vcf.gz
    peak=peak
    ! sanitized || peak=peak_buffers # a sanitizer takes memory of its own
    mpis_in_turn
    for mpi in "${tried[@]}"; do
        mpirun_of "$mpi" -n 2 gt-pack -q -f -@ 1 --memory 400M --chunks variants=1000 tall.vcf.gz -o tall.zarr --report report.json
        "$PYTHON" - $peak <<'PY'
import json, sys
report = json.load(open("report.json"))
use = report["memory_use"]
assert 0 < use[sys.argv[1]] <= use["planned_most"], use
deal = [step for step in report["plan"]["steps"] if step["flow"] == "deal"]
assert deal and 0 < deal[0]["task_peak"] <= deal[0]["task_bytes"], deal
PY
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
