#!/usr/bin/env bats
# No option does nothing in silence: every option of every command with every kind of
# input either changes what comes out or is refused (exit 2, one line that names it).
# A table says which; an option that is not in it fails the test.

bats_require_minimum_version 1.5.0

# shellcheck source=test/support/level.bash
. "$GT_SOURCE/test/support/level.bash"

setup_file() {
    cd "$BATS_FILE_TMPDIR" || exit 1
    "$PYTHON" "$GT_SOURCE/test/support/options_data.py"
    for data in base poly twin; do
        ! command -v bcftools > /dev/null || bcftools view -Ob $data.vcf -o $data.bcf 2> /dev/null
    done
    for data in base twin; do
        for kind in packed zip tar; do
            gt-pack -q --no-version $data.vcf -o $data.$kind
        done
    done
}

setup() { cd "$BATS_FILE_TMPDIR" || exit 1; }

# --- kinds of input ---------------------------------------------------------------

# A kind is a file's ending; pipe and stream are a VCF and a store that come through a pipe.
all_kinds="vcf bcf bed packed zip calls1 calls2 calls3 bare pipe stream"
some_kinds="vcf bed packed calls2 bare" # for commands that read as gt-pack does
packed="packed zip stream"

path_of() {
    local path
    case $2 in
    pipe) path=$1.vcf ;;
    stream) path=$1.tar ;;
    *) path=$1.$2 ;;
    esac
    [ -e "$path" ] && echo "$path"
}

# Runs a command line on data $1 as kind $2: its exit code and what it wrote.
try() {
    local path code=0 out=$BATS_TEST_TMPDIR/out
    path=$(path_of "$1" "$2") || path=$(path_of base "$2")
    case $2 in
    pipe | stream) "${@:3}" - < <(cat "$path") > "$out" 2> "$out.err" || code=$? ;;
    *) "${@:3}" "$path" > "$out" 2> "$out.err" || code=$? ;;
    esac
    [ "$code" -lt 5 ] || { echo "${*:3} $path: exit $code: $(cat "$out.err")"; return 1; }
    result="$code $(cksum < "$out")"
}

declare -gA known # results of command lines without the option

# The option is refused by the kinds $5, and changes what comes out of the others.  A quick run takes every second kind, the
# other half of them for the next option.
n_rows=0 every=$(by_level 2 1 1)
row() {
    local data=$1 command=$2 context=$3 option=$4 refused=" $5 " kind with given name=${4%% *}
    local turn=$((n_rows++))
    for kind in $kinds; do
        ((turn++ % every == 0)) || continue
        path_of base "$kind" > /dev/null || continue
        # calls of one allele are haploid as they are
        given=$option
        [ "$kind $option" != "calls1 --ploidy 1" ] || given="--ploidy 2"
        # shellcheck disable=SC2086
        try "$data" "$kind" $command $context $given || return 1
        with=$result
        if [[ $refused == *" $kind "* ]]; then
            { [ "${with%% *}" = 2 ] && head -1 "$BATS_TEST_TMPDIR/out.err" | grep -q -e "$name"; } ||
                { echo "$command $context $option on $kind is not refused: $(cat "$BATS_TEST_TMPDIR/out.err")"; return 1; }
            continue
        fi
        [ "${with%% *}" != 2 ] || { echo "$command $context $option on $kind: $(cat "$BATS_TEST_TMPDIR/out.err")"; return 1; }
        result=${known["$data $kind $command $context"]}
        # shellcheck disable=SC2086
        [ -n "$result" ] || try "$data" "$kind" $command $context || return 1
        known["$data $kind $command $context"]=$result
        [ "$with" != "$result" ] || { echo "$command $context $option on $kind does nothing"; return 1; }
    done
}

# Rows "data | context | option | kinds that refuse it", of the command $1.
rows() {
    local data context option refused all=$kinds kinds
    while IFS='|' read -r data context option refused; do
        kinds=$all
        # .bed has no site that could be split: there is nothing to say against it
        case $option in
        --split*) kinds=${all/ bed / } ;;
        --sex*) kinds=${all/ calls1 / } ;; # calls of one allele are as it has them
        esac
        row "$data" "$1" "$context" "$option" "$refused" || return 1
    done
}

selection() {
    cat << TABLE
base||-s a,c|
base||-s ^a,S0|
base||-S list.txt|
base||--keep-fam families.txt|${all_kinds/ bed / }
base||-r 1:15-45,X|bare
base||-R regions.txt|bare
base|-r 1:31-45|--regions-overlap pos|bare
base|-r 1:15-30|--regions-overlap variant|bare
base||--contigs 2,X|bare
base||--contigs autosomes|bare
base||--contigs ^X|bare
base||--not-chr 2|bare
base||--geno 0.1|
base||--mind 0.2|
base||--maf 0.3|
base||--mac 2|
base||--hwe 0.9|calls1
base||--ld-prune 3,0.1|
base||--extract ids.txt|bare
base||--exclude ids.txt|bare
base|--extract made.txt|--set-all-var-ids @:#|bare
base||--exclude-long-range regions.txt|bare
base||--snps|bare
base||--biallelic|bare
base||--min-alleles 3|bare
base||--max-alleles 1|bare
base||--polymorphic|
base||--split-multiallelic|bare $packed
base||--pass|bare bed
twin||--rm-dup force-first|bare
base||--thin 2|
base||--thin-count 3|
base||--bp-space 15|bare
base||--slice 0:3|
base||--require-sites 1000|
base||--skip-absent|$all_kinds plain
base|-s S0,a|--strict|
base||--strict|$all_kinds plain
base||--sex sexes.txt|bare
base||--ploidy 1|
base||--half-call reference|bed $packed calls1
poly||--polyploid missing|bed $packed calls1 calls2 bare
TABLE
}

# Fails unless the rows on standard input, and the names $2..., are all options that $1 lists.
covers() {
    { cut -d '|' -f 3 | sed 's/ .*//; s/^-*//'; printf '%s\n' "${@:2}"; } | sort -u > "$BATS_TEST_TMPDIR/rows"
    "$1" --help-options | awk -F '\t' -v OFS='\n' '{print $2 != "-" ? $2 : $1}' | sort > "$BATS_TEST_TMPDIR/options"
    "$1" --help-options | awk -F '\t' '$1 != "-" && $2 != "-" {print $1, $2}' > "$BATS_TEST_TMPDIR/letters"
    awk 'NR == FNR {long[$1] = $2; next} {print $1 in long ? long[$1] : $1}' "$BATS_TEST_TMPDIR/letters" "$BATS_TEST_TMPDIR/rows" |
        sort -u | diff - "$BATS_TEST_TMPDIR/options"
}

# --- commands that read genotypes --------------------------------------------------------

# They say how, not what: threads, memory, where spools go; what is said on standard error.
ways="threads memory progress no-progress quiet verbose trace report graph log json dry-run force h help version"
reads="io timeout missing-403 missing-chunks tmpdir output"
# Stores beside the input, several inputs: test/cmd/common/sites_mask.bats, test/cmd/common/concat.bats.
# --skip-absent: test/cmd/common/absent.bats.
# --no-update: test/cmd/unpack/allele_counts.bats; --lenient: test/cmd/pack/vcz.bats.
apart="sites mask concat"

@test "gt-pack: every option, every kind of input" {
    kinds=$all_kinds
    selection | rows "gt-pack -q --no-version"
    kinds=calls2
    rows "gt-pack -q" <<< "base||--array other/call_genotype|"
    kinds="vcf bed packed pipe stream"
    rows "gt-pack -q --no-version" <<< "base||--array other/call_genotype|vcf bed pipe"
    rows "gt-pack -q --no-version" << TABLE
base||--chunks variants=8|
base||--codec none|
base||--zarr-format 3|
base|--zarr-format 3 --chunks variants=8|--shard variants=16|
TABLE
    kinds=vcf
    rows "gt-pack -q --no-version --layout vcz" << TABLE
base||--fields none|
base||--ploidy 3|
base||--local-alleles|
TABLE
    kinds="vcf bed packed pipe stream"
    rows "gt-pack -q" <<< "base||--no-version|"
    gt-pack -q base.vcf -o once.zarr
    gt-pack --resume base.vcf -o once.zarr 2>&1 | grep -q "is already complete"
    gt-pack -f --verify base.vcf -o once.zarr 2>&1 | grep -q "read back (.*): all match what was written"
    gt-pack -q --no-version base.vcf -o alone.zarr
    PMI_SIZE=3 PMI_RANK=1 gt-pack -q --no-version --mpi off base.vcf -o off.zarr
    diff -r alone.zarr off.zarr
    # shellcheck disable=SC2086
    selection | covers gt-pack array chunks shard codec zarr-format no-version layout fields ploidy local-alleles no-update lenient resume verify mpi $ways $reads $apart
}

@test "gt-rechunk: every option, every kind of store" {
    kinds="packed zip stream"
    printf '4\n0\n' > places.txt
    printf 'b\n' > names.txt
    printf '2\t0\t15\n' > names.bed
    rows "gt-rechunk -q --no-version" << TABLE
base||-c variants=2|
base||--array variant_id|
base||--slice :3|
base||--pick samples:places.txt|
base||--transpose|
base||--order samples,variants|
base||--reduce sum:samples|
base||-s c,a|
base||-S names.txt|
base||-r 1|
base||-R names.bed|
base|-r 1:31-45|--regions-overlap pos|
base|-r 1:15-30|--regions-overlap variant|
base|-r 9|--skip-absent|
base|-s a,S0|--strict|
base||--dtype int16|
base|--dtype bool|--cast unsafe|
base||--cast unsafe|$kinds
base||--layout plain|
base||--codec none|
base||--chunk-bytes 1K|
base||--zarr-format 3|
base|--zarr-format 3|--shard variants=1000|
base||--shard variants=1000|$kinds
TABLE
    rows "gt-rechunk -q" << TABLE
base||--no-version|
base||-O npy|
TABLE
    gt-rechunk -q base.packed -o again.zarr
    run gt-rechunk -q base.packed -o again.zarr
    [ "$status" -eq 1 ]
    gt-rechunk --resume base.packed -o again.zarr 2>&1 | grep -q "is already complete"
    gt-rechunk -f --verify base.packed -o again.zarr 2>&1 | grep -q "read back (.*): all match what was written"
    gt-rechunk -q -f --no-version base.packed -o alone.zarr
    PMI_SIZE=3 PMI_RANK=1 gt-rechunk -q -f --no-version --mpi off base.packed -o off.zarr
    diff -r alone.zarr off.zarr
    # shellcheck disable=SC2086
    covers gt-rechunk chunks chunk-bytes array slice pick output-format reduce skip-missing samples samples-file regions regions-file regions-overlap skip-absent strict transpose order dtype cast layout codec zarr-format shard drop-empty no-update no-version resume verify mpi $ways $reads < /dev/null
}

@test "gt-pdist: every option, every kind of input" {
    kinds=$some_kinds
    selection | rows "gt-pdist -q"
    rows "gt-pdist -q" << TABLE
base||-m cityblock|
base||-O npy|
base||-m king|
base||-O pairs|
base||-O counts|
base||--part 2/2|
base|-O npy|--dtype f4|
base||--dtype f4|$some_kinds
base|-O zarr|--dtype f4|
base|-O zarr|--no-version|
base||--no-version|$some_kinds
base||--ranks 3|$some_kinds
base|-n|--ranks 3|
base||--min 1|
base||--unrelated 0.1|$some_kinds
base||--max 1|
base||--between variants|
base||--axis 0|
base||--knn 1|
base||--sum|$some_kinds
base|-O plink|--plink-shape square|
base||--plink-shape square|$some_kinds
base||--tree -|
base||--plot -|
base||--groups list.txt|$some_kinds
base|--tree -|--tree-method upgma|
base||--tree-method upgma|$some_kinds
base|-m minkowski|-p 3|
base||-p 3|$some_kinds
base||--missing ignore|
base||--missing error|
base||--missing literal|
base|-m ibs|--missing plink|
base||--missing plink|$some_kinds
base||--missing mean|
TABLE
    # shellcheck disable=SC2086
    selection | covers gt-pdist device device-memory ranks array haplotypes metric power no-version tree tree-method plot groups plot-width plot-dpi output-format plink-shape missing part merge sum allow-overlaps dtype min max knn pairs rows cols weights variances vi between as axis mpi unrelated $ways $reads $apart
}

@test "gt-svd: every option, every kind of input" {
    kinds=$some_kinds
    # what is not polymorphic is left out anyway, but it counts in the eigenvalues
    selection | sed '/--polymorphic/d; /--biallelic/d; /--contigs/d; s/S0,a/S0,S1,S2,a,b,c/' | rows "gt-svd -q -k 2 --contigs all"
    rows "gt-svd -q -k 2" <<< "base||--contigs 2,X|bare"
    gt-svd -q -k 2 base.vcf -o all
    for option in --polymorphic --biallelic; do
        gt-svd -q -k 2 $option base.vcf -o some
        run ! cmp -s all.eigenval some.eigenval
    done
    gt-svd -q -k 2 --contigs all base.vcf -o some
    run ! cmp -s all.eigenvec some.eigenvec
    rows "gt-svd -q" << TABLE
base|-k 2|-k 3|
base|-k 2|--scale center|
base|-k 2|-O tsv|
base|-k 2|-O npy|
base|-k 2|--array other/call_genotype|vcf bed
base|-k 2 --algorithm gram|--tol 1e-3|$some_kinds
base|-k 2 --algorithm gram|--passes 5|$some_kinds
base|-k 2 --algorithm gram|--oversample 5|$some_kinds
base|-k 2 --algorithm gram|--seed 5|$some_kinds
base|-k 2 --algorithm gram|--power-iterations 1|$some_kinds
base|-k 2|--center|$some_kinds
base|-k 2|--missing mean|$some_kinds
base|-k 2|--algorithm tsqr|$some_kinds
base|-k 2|--iterator QR|$some_kinds
base|-k 2|--sketch list.txt|$some_kinds
base|-k 2|--scores|
base|-k 2|--loadings|$some_kinds
base|-k 2|--no-version|$some_kinds
base|-k 2|--ranks 3|$some_kinds
base|-k 2|--match id|$some_kinds
base|-k 2|--min-match 0.1|$some_kinds
base|-k 2|--plot -|
base|-k 2|--groups groups.txt|$some_kinds
TABLE
    kinds=${some_kinds/ bare/} rows "gt-svd -q" <<< "base|-k 2 --plot -|--groups groups.txt|"
    kinds=${some_kinds/ bare/} rows "gt-svd -q" <<< "base|-k 1|--fit list.txt --refit|"
    # a model's files, and what it takes of others: svd_model.bats
    gt-svd -q -k 2 --loadings base.vcf -o pca
    rows "gt-svd -q" <<< "base|-k 2|--project pca.model.zip|bare"
    # what krylov does with its own: svd.bats
    gt-svd -k 2 -n base.vcf > few
    gt-svd -k 2 -n --algorithm krylov base.vcf > many
    PMI_SIZE=3 PMI_RANK=0 gt-svd -k 2 -n --algorithm krylov --mpi off base.vcf | cmp - many
    gt-svd -k 2 -n --algorithm krylov --ranks 3 base.vcf > ranks
    run ! cmp -s many ranks
    run -2 --separate-stderr gt-svd -k 2 --ranks 3 base.vcf
    [[ $stderr == *"--ranks needs --dry-run"* ]]
    run ! cmp -s few many
    # shellcheck disable=SC2086
    selection | covers gt-svd device device-memory ranks array as components algorithm scale tol passes oversample seed power-iterations iterator sketch center missing loadings scores fit refit project match min-match plot groups plot-width plot-dpi no-version output-format mpi $ways $reads $apart
}

@test "gt-svd: every option with a plain array" {
    ln -sfn base.plain/x base.plain_x
    kinds=plain_x
    selection | sed 's/|-s S0,a|/||/; /slice/!s/|[^|]*$/|plain_x/' | rows "gt-svd -q"
    rows "gt-svd -q" << TABLE
base||-k 2|
base||--scale center|plain_x
base||--algorithm gram|plain_x
base||--loadings|plain_x
base||--scores|plain_x
base||--no-version|plain_x
base||--fit list.txt|plain_x
base||--project pca.model.zip|plain_x
base||--plot -|plain_x
base||--groups groups.txt|plain_x
base||--center|
base|-k 1|--algorithm tsqr -k 2|
base||--algorithm krylov --tol 0.9 --passes 3 -k 2|
TABLE
    # what compressed and krylov do with their own: svd_arrays.bats
    [ "$(gt-svd -q --array x base.plain | cksum)" = "$(gt-svd -q base.plain/x | cksum)" ]
    [ "$(gt-svd -q --array x base.plain | cksum)" != "$(gt-svd -q --array y base.plain | cksum)" ]
}

@test "gt-pdist: every option with a plain array" {
    ln -sfn base.plain/x base.plain_x
    kinds=plain_x
    selection | sed '/|-s/d; /slice/!s/|[^|]*$/|plain_x/' | rows "gt-pdist -q"
    rows "gt-pdist -q" << TABLE
base||-m cityblock|
base||-O npy|
base||-p 3|plain_x
base||--axis 1|
base||--between variants|plain_x
base||--missing literal|plain_x
TABLE
    kinds=plain
    [ "$(gt-pdist -q --array x base.plain | cksum)" = "$(gt-pdist -q base.plain/x | cksum)" ]
    [ "$(gt-pdist -q --array x base.plain | cksum)" != "$(gt-pdist -q --array y base.plain | cksum)" ]
    "$PYTHON" -c 'open("x.npy", "wb").write(b"\x93NUMPY\x01\x00" + (118).to_bytes(2, "little") + b"{\"descr\": \"<f8\", \"fortran_order\": False, \"shape\": (4, 3), }".replace(b"\"", b"\x27").ljust(117) + b"\n" + open("base.plain/x/0.0", "rb").read())'
    [ "$(gt-pdist -q x.npy | cksum)" = "$(gt-pdist -q base.plain/x | cksum)" ]
    for option in "--array x" "-s 0" "--snps" "--ploidy 1" "--require-sites 3"; do
        # shellcheck disable=SC2086
        run gt-pdist -q $option x.npy
        [ "$status" -eq 2 ]
        [[ "${lines[0]}" == *"${option%% *}"* ]]
    done
}

@test "gt-info --stats: every option, every kind of input" {
    kinds=$some_kinds
    selection | rows "gt-info -q --stats variants"
    selection | rows "gt-info -q --stats samples"
    for what in samples variants; do
        rows "gt-info -q" << TABLE
base|--stats $what|--groups groups.txt|
base|--stats $what|--json|
TABLE
    done
    kinds="vcf bed packed calls2"
    rows "gt-info -q --stats variants" <<< "base||--contigs all|" # X has no hwe without
    # shellcheck disable=SC2086
    selection | covers gt-info devices array groups check deep head stats plot kinship plot-width plot-dpi ${ways} $reads $apart
}

@test "gt-info: every option without --stats, every kind of input" {
    kinds="vcf bcf bed packed zip calls2 bare plain pipe stream"
    selection | while IFS='|' read -r _ context option _; do
        # shellcheck disable=SC2086
        run gt-info $context $option base.vcf
        { [ "$status" -eq 2 ] && [[ "${lines[0]}" == *"needs --stats"* ]]; } || { echo "$option: $output"; return 1; }
    done
    rows "gt-info -q" << TABLE
base||--check|
base||--groups groups.txt|$kinds
base||--deep|$kinds
base|--check|--json|
TABLE
    kinds="vcf bcf bed calls1 calls2 calls3 pipe stream" # sites of a contig that is not there: told by --deep alone
    rows "gt-info -q" <<< "lost|--check|--deep|vcf bcf bed pipe stream"
    kinds="vcf bcf bed packed zip calls2 bare pipe stream"
    rows "gt-info -q" <<< "base||--stats samples|"
    kinds="vcf packed bed" rows "gt-info -q" <<< "base||--plot -|"
    kinds=${all_kinds/ pipe /}
    rows "gt-info -q" <<< "base||--json|"
    kinds="vcf bcf bed pipe calls2 bare"
    rows "gt-info -q" << TABLE
base||--array call_genotype|vcf bcf bed pipe
base|--array call_genotype|--head 2|vcf bcf bed pipe
TABLE
}

@test "an empty selection warns once in every command; --require-sites makes fewer an error" {
    local command kind option
    for command in "gt-pack -o e.zip -f" gt-pdist "gt-info --stats samples" "gt-info --stats variants"; do
        for kind in vcf bed packed tar calls2 bare; do
            for option in "--slice 0:0" "--maf 0.5 --geno 0 --thin 9"; do
                # shellcheck disable=SC2086
                $command $option base.$kind > out 2> said
                [ "$(grep -c "warning: no variants of 'base.$kind' are left" said)" -eq 1 ] || { cat said; return 1; }
                # shellcheck disable=SC2086
                run $command $option --require-sites 1 base.$kind
                [ "$status" -eq 3 ]
                [[ "$output" == *"0 variants of 'base.$kind' are left; --require-sites needs 1"* ]]
            done
        done
    done
    for slice in 0:0 :,0:0; do
        gt-pdist --slice $slice base.plain/x > out 2> said
        grep -q "warning: no [a-z]* of 'base.plain/x' are left" said
    done
}

@test "an allele of each call: options that need genotypes are refused" {
    for kind in calls2 calls3 bare; do
        gt-pdist -q --slice ':,:,1' base.$kind > 1.tsv
        gt-pdist -q --slice ':,:,0' base.$kind > 0.tsv
        run ! cmp -s 0.tsv 1.tsv
        gt-pdist -q --slice ':,:,1' --geno 0.1 --polymorphic base.$kind > 2.tsv
        run ! cmp -s 2.tsv 1.tsv
        for option in "--maf 0.1" "--ploidy 1" "--half-call missing" "--polyploid missing" "-m king" "-m ibs" "-m ibs-prob"; do
            # shellcheck disable=SC2086
            run gt-pdist -q --slice ':,:,1' $option base.$kind
            [ "$status" -eq 2 ] && [[ "${lines[0]}" == *"${option%% *}"*" needs "* ]] || { echo "$option: $output"; return 1; }
        done
        run gt-info --stats samples --slice ':,:,1' base.$kind
        [ "$status" -eq 2 ]
        [[ "${lines[0]}" == *"--stats needs genotypes"* ]]
    done
    gt-pack --slice ':,:,1' base.calls2 -o a.zarr -f 2> said
    grep -q 'one allele of each call; its index is stored as the allele count' said
    for kind in vcf bed packed calls1; do
        run gt-pdist -q --slice ':,:,1' base.$kind
        [ "$status" -eq 2 ]
        [[ "${lines[0]}" == *"no ploidy axis"* ]]
    done
}

# --- commands that make data, and what all share -------------------------------------------

# What gt-sim writes in a format, or of a matrix, with these options.
simulate() {
    local how="-O $1" code=0
    [[ $1 != --* ]] || how=$1
    rm -rf sim.out
    mkdir sim.out
    # shellcheck disable=SC2086
    gt-sim -q --samples 9 --variants 60 $how "${@:2}" -o sim.out/x 2> sim.err || code=$?
    result="$code $(find sim.out -type f | sort | xargs cat | cksum)"
}

# What makes two runs write the same; a .bed has no room for the command line.
reproducible() { [ "$1" = bed ] || echo --no-version; }

@test "gt-sim: every option, every format" {
    table() {
        local matrix="--uniform=0..2 --normal --rank=3" genotypes="packed vcz vcf bed"
        cat << TABLE
|--pops 3|$matrix
|--fst 0.3|$matrix
|--missing 0.2|$matrix
|--ld 5|$matrix
|--contigs 2|$matrix
|--spectrum flat|$matrix
|--min-maf 0.3|$matrix
|--multiallelic 0.5|bed $matrix
|--phased|packed bed $matrix
|--seed 4|
|--dtype float32|$genotypes
|--noise 0.5|$genotypes --uniform=0..2 --normal
|--chunks variants=8|vcf bed
|--codec none|vcf bed
|--zarr-format 3|vcf bed
--zarr-format 3 --chunks variants=8|--shard variants=16|vcf bed
TABLE
    }
    local context option refused format with
    while IFS='|' read -r context option refused; do
        for format in packed vcz vcf bed --uniform=0..2 --normal --rank=3; do
            # shellcheck disable=SC2086
            simulate $format $(reproducible $format) $context $option
            with=$result
            if [[ " $refused " == *" $format "* ]]; then
                { [ "${with%% *}" = 2 ] && head -1 sim.err | grep -q -e "${option%% *}"; } || { echo "$format $option: $(cat sim.err)"; return 1; }
            else
                # shellcheck disable=SC2086
                simulate $format $(reproducible $format) $context
                { [ "${with%% *}" = 0 ] && [ "$with" != "$result" ]; } || { echo "$format $option: $with, $(cat sim.err)"; return 1; }
            fi
        done
    done < <(table)
    for format in packed vcz vcf --normal; do
        simulate $format
        with=$result
        simulate $format --no-version
        [ "$with" != "$result" ]
    done
    simulate bed --no-version
    grep -q "^gt-sim: --no-version needs a store or -O vcf" sim.err
    PMI_SIZE=3 PMI_RANK=0 simulate packed --mpi off
    simulate packed --truth facts.json
    grep -q samples facts.json
    # shellcheck disable=SC2086
    table | sed 's/^/|/' | covers gt-sim device device-memory samples variants output-format uniform normal rank truth output no-version mpi $ways
}

@test "gt-unpack: every option, every kind of input" {
    kinds=${all_kinds/ bare/}
    # stores of calls are written as they are
    selection | sed '/--slice/d; /--ha\|--ploi\|--poly\|--sex/s/$/ calls1 calls2 calls3/; /--polym/s/ calls.*//' | rows "gt-unpack -q --no-version --skip-multiallelic"
    kinds=bare
    selection | sed '/--slice/d; s/base|-s S0,a/base|-s S0,a/' | rows "gt-unpack -q -O npy"
    kinds="vcf bed packed pipe stream"
    rows "gt-unpack -q --no-version --skip-multiallelic" << TABLE
base||--slice 0:3|
base||--array other/call_genotype|vcf bed pipe
base||--level 3|$kinds
base||-O bcf|
base|-O bcf|--level 3|
base||-O bed|$kinds
TABLE
    kinds="packed calls2"
    rows "gt-unpack -q -O npy" <<< "base||--skip-multiallelic|"
    rows "gt-unpack -q --skip-multiallelic" <<< "base||--no-version|"
    gt-unpack -q -O npy base.packed -o alone.npy
    PMI_SIZE=3 PMI_RANK=1 gt-unpack -q -O npy --mpi off base.packed -o off.npy
    cmp alone.npy off.npy
    # shellcheck disable=SC2086
    selection | covers gt-unpack array level skip-multiallelic no-update output-format no-version mpi $ways $reads $apart
}

@test "gt-pi: every option" {
    pi() { gt-pi --json "$@" | sed 's/"seconds.*"threads"/"threads"/'; }
    pi --points 5000 > all
    for option in "--points 6000" "--bytes 64000" "--seed 3" "--runs 2" "--threads 3"; do
        # shellcheck disable=SC2086
        pi ${option/--points*/} --points 5000 ${option/--bytes*/} > some || true
        ! cmp -s all some || { echo "$option"; return 1; }
    done
    gt-pi -n --points 5000 > all
    gt-pi -n --points 5000 --chunks 7 > some
    run ! cmp -s all some
    # shellcheck disable=SC2086
    run env PMI_SIZE=3 PMI_RANK=0 gt-info base.vcf
    [ "$status" -eq 2 ]
    PMI_SIZE=3 PMI_RANK=0 gt-pi --points 5000 --mpi off > all
    covers gt-pi device device-memory points bytes chunks runs seed mpi $ways < /dev/null
}

@test "what is about stores by URL says so where there is none" {
    local option
    for option in "--timeout 5" --missing-403; do
        # shellcheck disable=SC2086
        run --separate-stderr gt-pack $option base.vcf
        [ "$status" -eq 0 ]
        [[ $stderr == *"${option% *} only applies to stores at URLs"* ]]
    done
    run --separate-stderr gt-pack --timeout 5 http://127.0.0.1:1/x.zarr -o none.zarr
    [[ $status -eq 1 && $stderr != *"only applies to"* ]]
    run --separate-stderr gt-pdist --timeout 5 --mask http://127.0.0.1:1/x.zarr/mask base.vcf
    [[ $stderr != *"only applies to"* ]]
}

@test "what all commands share: each option has its effect" {
    local command
    for command in "gt-pack base.vcf" "gt-unpack --skip-multiallelic base.vcf" "gt-pdist base.vcf" "gt-svd -k 2 base.vcf" "gt-info --stats samples base.vcf" "gt-sim --samples 5 --variants 50" "gt-rechunk base.packed" "gt-pi --points 5000"; do
        # shellcheck disable=SC2086
        try_shared $command || { echo "$command"; return 1; }
    done
}

try_shared() {
    "$@" > out 2> said
    "$@" -v > out 2> says_more
    [ "$(wc -l < says_more)" -gt "$(wc -l < said)" ] || return 1
    "$@" -q > out 2> less
    [ ! -s less ] || return 1
    run "$@" -q -v
    { [ "$status" -eq 2 ] && [[ "${lines[0]}" == *"--quiet"*"--verbose"* ]]; } || return 1
    "$@" -q -v --log log > out 2> less
    { [ ! -s less ] && grep -q 'computing threads' log; } || return 1
    [[ "$("$@" -v -@ 3 2>&1 > out)" == *"3 computing threads"* ]] || return 1
    [[ "$("$@" -v --memory 777M 2>&1 > out)" == *"memory 777"* ]] || return 1
    "$@" -n > plan
    ! cmp -s plan out || return 1
    "$@" --trace trace.json > out 2> said
    grep -q traceEvents trace.json || return 1
    "$@" --report report.json > out 2> said
    grep -q '"state": "done"' report.json || return 1
    "$@" --json > out 2> said
    cat out said | grep -aq '[{]' || return 1
}
