#!/bin/bash
# resume_kills.sh SEED COUNT DIR COMMAND: gt-rechunk or gt-pack killed at random moments and started
# again with --resume, now and then killed again: what it makes is what it makes without.  While it is
# not finished nothing stands under the output's name.  Every third is ended by SIGTERM.  One that had
# ended before is no kill.  Prints what went wrong, and counts; exit 1 when something did.
set -u
seed=$1 count=$2 command=$4
cd "$3" || exit 1
RANDOM=$seed

gt-sim -q --samples 200 --variants 3000 --missing 0.02 --contigs 2 -O vcz -o vcz.zarr || exit 1

if [ "$command" = gt-rechunk ]; then
    gt-sim -q --samples 400 --variants 6000 --uniform 0..2 --chunks variants=20,samples=400 -o plain.zarr || exit 1
    gt-rechunk -q -c variants=30,samples=40 vcz.zarr -o small.zarr || exit 1

    seq 0 17 5999 > places.txt
    seq 5999 -13 0 >> places.txt
    printf '1\t0\t100000000\n' > sites.bed
    printf 'S%d\n' 7 3 {20..90..2} > ids.txt

    # One for each way: copied; tile by tile; box by box; through a file; texts and tables; over another store; items picked in any
    # order; reduced; samples and sites.
    ways=(
        "plain.zarr"
        "-c 10,400 --codec zstd:1 plain.zarr"
        "-c -1,4 --codec none plain.zarr"
        "-c -1,4 --memory 29M -@ 1 plain.zarr"
        "-c variants=25,samples=40 small.zarr"
        "-f --transpose --zarr-format 3 -c 100,100 plain.zarr"
        "--pick 0:places.txt --memory 29M -@ 1 -c 10,400 plain.zarr"
        "--reduce mean:1 -c 50 plain.zarr"
        "-s S4,S2,S9 -r 1 -c variants=25,samples=40 small.zarr"
        "--zarr-format 3 -c 10,100 --shard 100,400 plain.zarr"
        "-R sites.bed -S ids.txt --layout plain -c variants=20,samples=7 small.zarr"
    )
else
    gt-sim -q --samples 100 --variants 60000 --missing 0.02 --multiallelic 0.05 --contigs 3 -O vcf -o a.vcf || exit 1
    gt-pack -q --layout vcz a.vcf -o a.zarr || exit 1
    gt-unpack -q a.zarr -o a.bcf || exit 1
    gt-unpack -q a.zarr -o c.vcf.gz || exit 1
    gt-sim -q --samples 100 --variants 60000 --missing 0.02 -O bed -o b || exit 1
    # A contig and a FILTER that the header lacks, and a field, in the last third; three inputs to be joined.
    awk -F '\t' -v OFS='\t' '/^##contig=<ID=3/ { next } $1 == 3 { $7 = "late"; $8 = "XY=" NR } { print }' a.vcf > late.vcf
    grep '^#' a.vcf > head.txt
    for n in 1 2 3; do
        { cat head.txt; awk -v n=$n '$1 == n' a.vcf; } | gzip -1 > "part$n.vcf.gz"
    done

    sed '/^#/!p' a.vcf > twice.vcf

    for n in 1 2; do
        seq -f 'S%.0f' $((n * 50 - 49)) $((n * 50)) > half.txt
        gt-unpack -q -S half.txt a.zarr -o "half$n.vcf.gz" || exit 1
    done
    # Text, compressed or not, with an index or not; BCF; .bed; several inputs; filters; what only a second pass knows.
    small="--chunks variants=100"
    ways=(
        "$small c.vcf.gz"
        "$small --layout vcz c.vcf.gz"
        "$small --layout vcz --zarr-format 3 a.vcf"
        "$small a.bcf"
        "$small --layout vcz a.bcf"
        "$small b.bed"
        "$small --memory 40M -@ 1 --maf 0.05 --thin 3 --polymorphic b.bed"
        "$small --layout vcz late.vcf"
        "$small late.vcf"
        "$small part1.vcf.gz part2.vcf.gz part3.vcf.gz"
        "$small --split-multiallelic --snps --slice 100:50000 a.vcf"
        "$small -r 1,2:1-40000 --layout vcz c.vcf.gz"
        "$small --ld-prune 50,5,0.2 --mind 0.5 b.bed"
        "$small --rm-dup force-first twice.vcf"
        "-f $small vcz.zarr"
        "$small --layout vcz part1.vcf.gz part2.vcf.gz part3.vcf.gz"
        "$small --concat samples half1.vcf.gz half2.vcf.gz"
        "$small --layout vcz --rm-dup force-first twice.vcf"
        "$small --layout vcz b.bed"
    )
    if command -v plink2 > /dev/null; then
        plink2 --bfile b --make-pgen --silent --out p > /dev/null || exit 1
        ways+=("$small p.pgen" "$small --layout vcz p.pgen")
    fi
fi

run() { # SIGNAL SECONDS [OPTION...]
    local signal=$1 seconds=$2
    shift 2
    # shellcheck disable=SC2086
    { timeout --foreground -s "$signal" "$seconds" "$command" -q --no-version "$@" ${ways[way]} -o o.zarr 2> err; } 2> /dev/null
}

declare -a took
for way in "${!ways[@]}"; do
    from=$EPOCHREALTIME
    run KILL 600 || { cat err; exit 1; }
    took[way]=$(((${EPOCHREALTIME/./} - ${from/./}) / 1000)) # milliseconds
    mv o.zarr "want.$way"
done

kills=0 terms=0 wrong=0 kept=0
fail() {
    wrong=$((wrong + 1))
    echo "trial $trial, way $way: $*"
    cat err
}

for ((trial = 0; kills < count; trial++)); do
    way=$((trial % ${#ways[@]}))
    rm -rf o.zarr o.zarr.partial
    [[ ${ways[way]} != -f* ]] || cp -r vcz.zarr o.zarr
    resume=()
    for ((n = 0; n < 4; n++)); do
        signal=$([ $((RANDOM % 3)) -eq 0 ] && echo TERM || echo KILL)
        ms=$((RANDOM % (took[way] + took[way] / 4 + 2) + 2))
        run $signal "$(printf '%d.%03d' $((ms / 1000)) $((ms % 1000)))" "${resume[@]}"
        rc=$?
        [ $rc -ne 0 ] || break
        kills=$((kills + 1))
        [ $signal = KILL ] || terms=$((terms + 1))
        case $rc in 124 | 137 | 143) ;; *) fail "exit $rc" ;; esac
        if [ -e o.zarr ] && [[ ${ways[way]} != -f* ]] && ! diff -r --exclude .gt-journal "want.$way" o.zarr > err; then
            fail "o.zarr is there, and unfinished"
        fi
        [ ! -e o.zarr ] || [[ ${ways[way]} = -f* ]] || break
        resume=(--resume)
        [ $((RANDOM % 3)) -gt 0 ] || break
    done
    rm -f said
    if [ "$rc" -ne 0 ]; then
        # shellcheck disable=SC2086
        [ -e o.zarr ] && [[ ${ways[way]} != -f* ]] && continue # killed when all was done, and --no-version tells nobody
        run KILL 600 --resume --json > said || fail "--resume: exit $?"
        grep -q '"[a-z]*_kept": 0,' said || kept=$((kept + 1))
    fi
    diff -r "want.$way" o.zarr > err 2>&1 || fail "it is not the same"
    [ ! -e o.zarr.partial ] || fail "o.zarr.partial is left"
done
echo "seed $seed: $kills kills ($terms by SIGTERM) in $trial trials, $kept went on with what was finished, $wrong wrong"
[ "$wrong" -eq 0 ]
