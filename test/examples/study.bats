#!/usr/bin/env bats
# The study of examples/: with make and with Snakemake, whose jobs are killed and started again.  The data is simulated: ten samples are
# children of two others.
bats_require_minimum_version 1.5.0

examples=$GT_SOURCE/examples

setup_file() {
    cd "$BATS_FILE_TMPDIR" || return
    export LC_ALL=C # the order of ids
    export REAL_DATA=$GT_TEST_DATA GT_TEST_DATA=''
    local command
    mkdir made killing
    for command in gt-pack gt-info gt-pdist gt-svd; do killing >killing/$command && chmod +x killing/$command; done
    cd made && study_make
}

# The sizes that all cases use.
study_make() { make -s -j2 -f "$GT_SOURCE/examples/make/Makefile" CHROMOSOMES=2 SAMPLES=60 VARIANTS=6000; }

# snakemake ARG...: the same study, and what is in the array config.
snakemake() {
    timeout 300 "${PYTHON_SNAKEMAKE%/*}/snakemake" -s "$examples/snakemake/Snakefile" "$@" --config chromosomes=2 samples=60 variants=6000 "${config[@]}"
}

setup() {
    unset GT_THREADS GT_MEMORY
    cd "$BATS_TEST_TMPDIR" || return
    export XDG_CACHE_HOME=$BATS_TEST_TMPDIR/cache
    config=()
    made=$BATS_FILE_TMPDIR/made
}

need_snakemake() { [ -n "$PYTHON_SNAKEMAKE" ] || skip "no Snakemake"; }

# A program that stands for a command of its own name: its first run for each log is killed after 0 to 30 ms; see $KILLED.
killing() {
    cat <<'SH'
#!/bin/bash
name=${0##*/} log= before=
for arg in "$@"; do
    [ "$before" != --log ] || log=$arg
    before=$arg
done
mark=$KILLED/${log//\//-}
[ ! -e "$mark" ] || exec "$GT_BUILD/$name" "$@"
"$GT_BUILD/$name" "$@" &
sleep 0.0$(($(ls "$KILLED" | wc -l) % 4))
touch "$mark"
! kill -KILL $! 2>/dev/null || echo killed >"$mark"
wait $!
SH
}

# same_results DIR: as those of make.  Snakemake puts a file into a folder that is an output; and a gt-pack that was killed after its
# store got its name has not removed the journal and what it replaced.
same_results() { diff -rq -x .snakemake_timestamp -x .gt-journal -x '*.zarr.partial.old' "$made/results" "$1/results"; }

@test "make: the children are found, and are projected; a second make does nothing" {
    cd "$made"
    diff <(printf 'C%d\n' {1..10} | sort) <(sed 1d results/samples.out.id | cut -f 2 | sort)
    # kinship of a child and each parent: 1/4; nobody else is listed as close
    awk 'NR > 1 && $8 > 0.177 { pairs++; if ($2 !~ /^C/ && $4 !~ /^C/) bad++ } END { exit !(pairs == 20 && !bad) }' results/kinship.kin0
    diff <(printf 'C%d\n' {1..10}) <(sed 1d results/related.eigenvec | cut -f 1)
    [ "$(wc -l <results/unrelated.eigenvec)" -eq 61 ]
    [ "$(tr -cd , <results/tree.nwk | wc -c)" -ge 58 ]
    for plot in qc components distances; do tail -c 8 results/$plot.svg | grep -q '</svg>'; done
    run -0 make -q -f "$examples/make/Makefile" CHROMOSOMES=2
}

@test "make: killed at several moments, and started again: the same bytes" {
    export -f study_make
    kills=0
    for delay in 0.2 0.3 0.4 0.5; do
        setsid bash -c study_make >log 2>&1 &
        sleep $delay
        ! kill -KILL -- -$! 2>/dev/null || kills=$((kills + 1))
        wait $! || true
        for _ in {1..200}; do # until its jobs are gone, too
            kill -0 -- -$! 2>/dev/null || break
            sleep 0.05
        done
    done
    [ "$kills" -gt 0 ]
    study_make
    same_results .
}

@test "Snakemake: the bytes of make; every job has a log, a report and a benchmark" {
    need_snakemake
    snakemake --cores 2
    same_results .
    [ -s results/related.eigenvec ]
    for folder in reports benchmarks; do [ "$(find $folder -type f | wc -l)" -ge 14 ]; done
    [ "$(find logs -name '*.log' | wc -l)" -eq "$(find benchmarks -type f | wc -l)" ]
    [ "$(find reports -name '*.html' -exec tail -qc 9 {} + | grep -c '</html>')" -eq "$(find reports -type f | wc -l)" ]
    run -0 snakemake --cores 2
    [[ "$output" == *"Nothing to be done"* ]]
}

@test "Snakemake: every job is killed once, and tried again: the same bytes" {
    need_snakemake
    export KILLED=$BATS_TEST_TMPDIR/killed
    mkdir "$KILLED"
    PATH=$BATS_FILE_TMPDIR/killing:$PATH snakemake --cores 2
    [ "$(grep -l killed "$KILLED"/* | wc -l)" -ge 3 ]
    same_results .
}

@test "Snakemake: killed with all its jobs, unlocked and started again: the same bytes" {
    need_snakemake
    export -f snakemake
    examples=$examples setsid bash -c 'config=(); snakemake --cores 2' >log 2>&1 &
    for _ in {1..1200}; do # Snakemake may take long to start on a busy machine
        ! compgen -G 'results/stores/*.zarr*' >/dev/null || break
        sleep 0.05
    done
    compgen -G 'results/stores/*.zarr*'
    kill -KILL -- -$!
    wait $! || true
    [ ! -e results/related.eigenvec ]
    snakemake --unlock
    snakemake --cores 2
    same_results .
}

@test "Snakemake: exit status 4 is tried again with more memory, other failures are not" {
    need_snakemake
    config=(mem_mb=10)
    run -0 snakemake --cores 2 --retries 4 results/stores/chr1.zarr
    [[ "$output" == *"(--memory) is too little"* ]]
    [[ "$output" == *"Trying to restart job"* ]]
    [ "$(cat logs/pack/chr1.log.status)" -eq 0 ]
    cmp <(gt-unpack -q --no-version -O vcf "$made/results/stores/chr1.zarr") <(gt-unpack -q --no-version -O vcf results/stores/chr1.zarr)
    printf 'not a VCF\n' | gzip >bad.vcf.gz
    config=(vcf=bad.vcf.gz)
    run -1 snakemake --cores 2 results/stores/chr2.zarr
    [[ "$output" == *"gt-pack: not run again: it failed with exit status 3"* ]]
    [ "$(grep -c "^gt-pack: not run again" <<<"$output")" -eq 3 ]
}

@test "HapMap 3, two chromosomes: the related samples are those of plink2" {
    need_snakemake
    [ -r "$REAL_DATA/plink/HM3_thinned.bed" ] || skip "no test data in GT_TEST_DATA"
    command -v plink2 >/dev/null || skip "no plink2"
    GT_TEST_DATA=$REAL_DATA snakemake --cores 2
    gt-unpack -q results/pruned/chr{1,2}.zarr -O bed -o pruned.bed
    plink2 --bfile pruned --king-cutoff 0.0884 --out plink --threads 2 >/dev/null
    diff <(sed 1d results/samples.out.id | cut -f 2 | sort) <(sed 1d plink.king.cutoff.out.id | awk '{ print $NF }' | sort)
    [ "$(wc -l <results/related.eigenvec)" -eq "$(wc -l <plink.king.cutoff.out.id)" ]
    [ "$(wc -l <plink.king.cutoff.out.id)" -gt 60 ]
}
