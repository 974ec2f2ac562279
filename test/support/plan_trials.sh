#!/bin/bash
# plan_trials.sh SEED COUNT DIR: random commands, inputs, memory and threads.  What -n accepts
# must run; what it refuses must say which --memory would do, and with that it must run.
# Prints what went wrong, and counts; exit 1 when something did.
set -u
seed=$1 count=$2
cd "$3" || exit 1
RANDOM=$seed

pick() { local i=$((RANDOM % $#)); shift $i; printf %s "$1"; }

# --- inputs: shapes by kinds, made when they are first asked for ---------------------

shapes=("3 30000" "90 12000" "1142 3000" "2504 1500" "8000 700" "30000 150" "120000 24")
kinds=(packed tall zip tar vcz vcf vcf.gz bed array codes npy)

make_input() { # KIND SAMPLES VARIANTS: its name in $input
    input=in.$2.$1
    [ ! -e "$input" ] || return 0
    local sim=(gt-sim -q --samples "$2" --variants "$3" --seed 1)
    case $1 in
        packed) "${sim[@]}" --missing 0.02 --contigs 2 -O packed -o "$input" ;;
        tall) "${sim[@]}" --missing 0.02 -O packed -o in.packed.tmp && gt-pack -q --chunks variants=20000 in.packed.tmp -o "$input" && rm -r in.packed.tmp ;;
        zip) "${sim[@]}" --missing 0.02 -O packed -o in.zip && mv in.zip "$input" ;;
        tar) "${sim[@]}" --missing 0.02 -O packed -o in.tar && mv in.tar "$input" ;;
        vcz) "${sim[@]}" --multiallelic 0.05 -O vcz -o "$input" ;;
        vcf) "${sim[@]}" --multiallelic 0.05 -O vcf -o in.vcf && mv in.vcf "$input" ;;
        vcf.gz) "${sim[@]}" --missing 0.02 -O vcf -o in.vcf.gz && mv in.vcf.gz "$input" ;;
        bed) "${sim[@]}" --missing 0.02 -O bed -o "$input" ;;
        array) "${sim[@]}" --normal -O zarr -o "$input" ;;
        codes) "${sim[@]}" --uniform 0..2 --dtype uint8 -O zarr -o "$input" ;;
        npy) { # 64 samples are enough: the matrix of their distances is as good a matrix
            gt-sim -q --samples $((64 + $2 / 200)) --variants 100 --seed 1 -O packed -o in.packed.tmp &&
                gt-pdist -q -O npy in.packed.tmp -o in.npy && mv in.npy "$input" && rm -r in.packed.tmp
        } ;;
    esac || { echo "cannot make $input"; exit 1; }
}

# --- a command --------------------------------------------------------------------------

# Some of the samples S1, S2, ... of an input, and pairs of them.
name_samples() { # SAMPLES
    awk -v n="$1" -v at="$RANDOM" 'BEGIN { for (i = 0; i < 40; i++) print "S" 1 + (at + i * 31) % n }' | sort -u > some.ids
    paste some.ids <(tail -n +2 some.ids) | awk 'NF == 2' > some.pairs
}

# Which pairs, what number of them, and how they are written.
choose_pdist() { # SAMPLES
    local metric
    metric=$(pick euclidean correlation king grm grm-vanraden weir-goudet ibs)
    cmd=(gt-pdist "${with[@]}" "$input" -f)
    name_samples "$1"
    case $((RANDOM % 12)) in
        0 | 1) cmd+=(-o "out.$(pick npy tsv zarr zip tar kin0 king)") ;;
        2) cmd+=(-m "$metric" -o "out.$(pick npy tsv)") ;;
        3) cmd+=(-m "$(pick cityblock correlation jaccard)" --missing mean -o out.npy) ;;
        4) cmd+=(-m "$(pick ibs allele-count)" --missing plink -o out.npy) ;;
        5) cmd+=(-m "$(pick euclidean king grm)" --part "$(pick 1 2 3)/3" -O "$(pick npy tsv condensed triangle)" -o out.part) ;;
        6) cmd+=(-m "$metric" --knn "$(pick 1 10 300)" -o out.pairs) ;;
        7) cmd+=(-m "$metric" "$(pick --min --max)" 0.4 -o out.pairs) ;;
        8) cmd+=(-m "$(pick euclidean king correlation)" -O counts -o out.counts) ;;
        9) cmd+=(--unrelated "$(pick 0.0442 0.177)" -o out) ;;
        10) cmd+=(-m "$(pick euclidean king)" "$(pick --rows --cols)" some.ids -O "$(pick npy tsv pairs)" -o out.some) ;;
        *) cmd+=(-m "$(pick euclidean king grm)" --pairs some.pairs -o out.pairs) ;;
    esac
}

# Pair counts of an input, put together.
choose_merge() {
    local metric i
    metric=$(pick euclidean king ibs)
    for i in 1 2; do
        [ -e "$input.$metric.$i" ] || gt-pdist -q -m "$metric" -O counts --part $i/2 "$input" -o "$input.$metric.$i" || exit 1
    done
    cmd=(gt-pdist "${with[@]}" -m "$metric" --merge "$input.$metric.1" "$input.$metric.2" -o "out.$(pick npy tsv pairs)" -f)
}

# Other chunks, codecs, orders and layouts; a vcz store has texts of variable length, too.
choose_rechunk() { # KIND
    cmd=(gt-rechunk "${with[@]}" "$input" -f -o "$(pick out.zarr out.zarr out.zip out.tar)")
    case $1 in
        array | codes) cmd+=(-c "$(pick -1,1 1,-1 1000,1000 -1,-1 7,-1)") ;;
        *) cmd+=(-c "variants=$(pick 10 1000 -1),samples=$(pick 100 1000 -1)") ;;
    esac
    [ $((RANDOM % 3)) -gt 0 ] || cmd+=(--codec "$(pick none zstd:1 zstd:19 blosc:zstd:9 gzip:1)")
    [ $((RANDOM % 3)) -gt 0 ] || cmd+=(--zarr-format "$(pick 2 3)")
    case $((RANDOM % 6)).$1 in
        0.*) cmd+=(--transpose) ;;
        1.*) cmd+=(--slice "::$(pick 2 50),:") ;;
        2.packed | 2.tall | 2.zip | 2.tar) cmd+=(--layout plain --dtype "$(pick int8 float64)") ;;
        3.array | 3.codes) cmd+=(--dtype "$(pick float32 int8)" --cast unsafe) ;;
    esac
}

choose_command() { # ${cmd[@]}
    local kind shape memory threads
    kind=$(pick "${kinds[@]}")
    shape=$(pick "${shapes[@]}")
    # shellcheck disable=SC2086
    make_input "$kind" $shape
    memory=$((20 + RANDOM % 24 + (RANDOM % 4 == 0) * (RANDOM % 64)))
    threads=$(pick 1 2 2 3 8)
    local with=(--memory "${memory}M" -@ "$threads" -q)
    if [ $((RANDOM % 25)) -eq 0 ] && [ "${shape% *}" -lt 3000 ]; then
        case $kind in array | codes | npy) ;; *)
            choose_merge
            return
            ;;
        esac
    fi
    case $kind in array | codes | packed | tall | zip | tar | vcz)
        if [ $((RANDOM % 5)) -eq 0 ]; then
            choose_rechunk "$kind"
            return
        fi
        ;;
    esac
    case $kind in
        array | codes | npy)
            case $((RANDOM % 4 * (${#kind} - 3))) in
                3 | 6) cmd=(gt-svd "${with[@]}" --algorithm "$(pick auto krylov compressed)" -k 2 --slice :,:500 "$input" -o out -f) ;;
                0 | 2) cmd=(gt-pdist "${with[@]}" -m "$(pick euclidean cityblock)" -O npy "$input" -o out.npy -f) ;;
                *) cmd=(gt-info "${with[@]}" --head 3 "$input" -o out.txt -f) ;;
            esac
            ;;
        *)
            case $((RANDOM % 13)) in
                9 | 10) cmd=(gt-svd "${with[@]}" -k 2 --tol "$(pick 0.1 1e-2 1e-6)" --passes 6 "$input" -o out.pca -f) ;;
                11 | 12) cmd=(gt-unpack "${with[@]}" --skip-multiallelic "$input" -o "$(pick out.vcf out.vcf.gz out.bcf out.bed out.npy)" -f) ;;
                0 | 1 | 2) cmd=(gt-pack "${with[@]}" "$input" -o "$(pick out.zip out.tar out.zarr)" -f) ;;
                3) cmd=(gt-pack "${with[@]}" --chunks "variants=$(pick 100 1000 5000 40000)" --codec "$(pick zstd:1 zstd:12 zstd:19 blosc:zstd:9)" "$input" -o out.zip -f) ;;
                4) choose_pdist "${shape% *}" ;;
                5) cmd=(gt-pdist "${with[@]}" "$input" "$(pick --tree=out.nwk --plot=out.svg)" -f) ;;
                6) cmd=(gt-info "${with[@]}" --stats "$(pick samples variants)" "$input" -o out.txt -f) ;;
                7)
                    cmd=(gt-info "${with[@]}" --check "$input" -o out.txt -f)
                    case $kind in packed | tall | zip | vcz) cmd+=(--deep) ;; esac
                    ;;
                *)
                    # shellcheck disable=SC2086
                    set -- $shape
                    cmd=(gt-sim "${with[@]}" --samples "$1" --variants "$2" --pops "$(pick 1 3)" --ld "$(pick 1 20)" -O "$(pick packed vcf bed vcz)" --truth out.truth -o out.sim -f)
                    ;;
            esac
            ;;
    esac
}

# The distances of many samples take long, and much room on disk.
too_large() { [ "${cmd[0]}" = gt-pdist ] && case $input in in.30000.* | in.120000.* | in.8000.*) true ;; *) false ;; esac; }

accepted=0 refused=0 wrong=0

# The last --memory of a command, in KiB.
ceiling() {
    local kib=0
    while [ $# -gt 0 ]; do
        [ "$1" != --memory ] || kib=$((${2%M} * 1024))
        shift
    done
    echo $kib
}

# The command runs, under its ceiling; or what went wrong is said.
must_run() {
    local rc peak
    rm -rf out.*
    "${watch[@]}" "$@" > out.stdout 2> out.err
    rc=$?
    peak=$(cat peak)
    if [ $rc -ne 0 ]; then
        wrong=$((wrong + 1))
        echo "exit $rc after an accepted plan: $*"
        cat out.err
    elif [ "$peak" -gt "$(ceiling "$@")" ]; then
        wrong=$((wrong + 1))
        echo "$((peak / 1024)) MiB resident: $*"
    fi
}

# What a sanitizer takes is no business of --memory.
echo 0 > peak
watch=()
if [ -x /usr/bin/time ] && ! ldd "$(command -v gt-pack)" | grep -q -e libasan -e libtsan; then
    watch=(/usr/bin/time -f %M -o peak)
fi

for ((trial = 0; trial < count; trial++)); do
    choose_command
    ! too_large || continue
    rm -rf out.*
    "${cmd[@]}" -n > out.plan 2> out.err
    rc=$?
    if [ $rc -eq 0 ]; then
        accepted=$((accepted + 1))
        must_run "${cmd[@]}"
        continue
    fi
    refused=$((refused + 1))
    if [ $rc -ne 4 ]; then
        wrong=$((wrong + 1))
        echo "exit $rc: ${cmd[*]} -n"
        cat out.err
        continue
    fi
    # An engine that cannot start knows of no plan: its advice is a beginning.  Where the names
    # of samples do not fit there is no plan either.
    for ((step = 0; step < 4 && rc == 4; step++)); do
        advice=$(grep -o -e '--memory [0-9]*M' out.err | tail -1)
        [ -n "$advice" ] || advice="--memory $((48 + 16 * step))M"
        # shellcheck disable=SC2086
        "${cmd[@]}" $advice -n > out.plan 2> out.err
        rc=$?
    done
    if [ $rc -ne 0 ]; then
        wrong=$((wrong + 1))
        echo "not accepted as advised: ${cmd[*]} $advice -n"
        cat out.err
    else
        must_run "${cmd[@]}" $advice
    fi
done
rm -rf out.*
echo "seed $seed: $accepted accepted, $refused refused, $wrong wrong"
[ $wrong -eq 0 ]
