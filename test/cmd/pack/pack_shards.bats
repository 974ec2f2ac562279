#!/usr/bin/env bats
# gt-pack --shard and gt-sim --shard: zarr-python reads what stores without shards have.

bats_require_minimum_version 1.5.0

. "$GT_SOURCE/test/support/level.bash"

setup_file() {
    cd "$BATS_FILE_TMPDIR"
    gt-sim -q --samples 101 --variants 2050 --missing 0.01 --multiallelic 0.05 --contigs 3 --seed 1 -O vcf -o x.vcf
    gt-sim -q --samples 20 --variants 20000 --missing 0.01 --multiallelic 0.05 --contigs 3 --seed 1 -O vcf -o long.vcf
    gt-unpack -q --skip-multiallelic x.vcf -O bed -o x.bed
}

setup() {
    cd "$BATS_TEST_TMPDIR"
    data=$BATS_FILE_TMPDIR
}

need_zarr3() { [ -n "${PYTHON_ZARR3:-}" ] || skip "no zarr-python 3 (PYTHON_ZARR3)"; }

# both ARRAYS... -- OPTIONS SHARD COMMAND...: stores without shards and with them, to be compared by `compared`.
both() {
    local arrays=() n
    while [ "$1" != -- ]; do arrays+=("$1") && shift; done
    n=$(cat lines 2> /dev/null | wc -l)
    # shellcheck disable=SC2086
    "${@:4}" --zarr-format 3 $2 -o plain$n.zarr
    # shellcheck disable=SC2086
    "${@:4}" -@ 3 --zarr-format 3 $2 --shard "$3" -o sharded$n.zarr
    echo "plain$n.zarr sharded$n.zarr ${arrays[*]}" >> lines
}
compared() { "$PYTHON_ZARR3" "$GT_SOURCE/test/support/zarr_shards.py" < lines; }

# same INPUT OPTIONS SHARD [ARRAY=CHUNKS/SHARDS...]
same() {
    both "${@:4}" -- "$2" "$3" gt-pack -q "$1"
    gt-info -q --check --deep "sharded$(($(wc -l < lines) - 1)).zarr"
}

@test "shards of packed genotypes: one chunk, several, larger than the data" {
    need_zarr3
    local chunks="--chunks variants=100,samples=40"
    same "$data/x.vcf" "$chunks" variants=100,samples=40 packed_dosage=100x10/100x10
    same "$data/x.vcf" "$chunks" variants=500,samples=80 packed_dosage=100x10/500x20
    same "$data/x.vcf" "$chunks" samples=-1 packed_dosage=100x10/100x30
    same "$data/x.vcf" "$chunks" variants=2100 packed_dosage=100x10/2100x10 variant_position=2050/-
    same "$data/x.vcf" "$chunks" variants=1000000,samples=1000 packed_dosage=100x10/2100x30
    same "$data/x.bed" "$chunks" variants=1000000,samples=1000 packed_dosage=100x10/2000x30
    same "$data/x.bed" "$chunks" variants=1000 packed_dosage=100x10/1000x10
    # chunks that are chosen become shorter where shards are not whole ones of them
    same "$data/x.vcf" "" variants=350 packed_dosage=350x26/350x26
    same "$data/x.vcf" "--maf 0.1 -r 2" variants=64
    same "$data/x.vcf" "--chunks variants=3" variants=9,samples=104 packed_dosage=3x26/9x26
    compared
}

@test "shards of packed genotypes of 1 to 5 samples, of one variant a chunk, and larger than the data" {
    need_zarr3
    for n in 1 3 4 5; do
        gt-sim -q --samples $n --variants 257 --seed $n -O bed -o few
        same few.bed "--chunks variants=1" variants=255
        same few.bed "--chunks variants=256" variants=256
        same few.bed "--chunks variants=256" variants=512
    done
    compared
}

@test "all arrays of variants in complete VCF Zarr" {
    need_zarr3
    local chunks="--layout vcz --chunks variants=100,samples=40"
    same "$data/x.vcf" "$chunks" variants=100,samples=40 call_genotype=100x40x2/100x40x2
    same "$data/x.vcf" "$chunks" variants=500,samples=80 call_genotype=100x40x2/500x80x2 variant_allele=100x3/500x3 variant_contig=100/500 \
        call_genotype_phased=100x40/500x80 variant_position=100/500 variant_id=100/500
    same "$data/x.vcf" "$chunks" variants=10000,samples=-1 call_genotype=100x40x2/2100x120x2 variant_position=100/2100
    same "$data/x.vcf" "--layout vcz --chunks variants=5000" variants=10000 call_genotype=2050x101x2/2050x101x2
    same "$data/x.bed" "--layout vcz" variants=2000
    gt-sim -q --samples 4 --variants 3 --seed 2 -O vcf -o few.vcf
    sed -i 's/FORMAT=<ID=GT/INFO=<ID=A,Number=.,Type=Integer,Description="a">\n##FORMAT=<ID=GT/; 0,/\tPASS\t./s//\tPASS\tA=1,2,70000/' few.vcf
    same few.vcf "--layout vcz --chunks variants=1" variants=2 variant_A=1x3/2x3 # laid out anew when it is known how wide they are
    compared
}

@test "the same bytes with any number of threads, in pipes and after an interruption; regions, and the way back" {
    for args in "variants=300" "variants=300,samples=-1 --layout vcz"; do
        rm -rf one.zarr four.zarr
        read -ra args <<< "--no-version --zarr-format 3 --chunks variants=100,samples=40 --shard $args"
        gt-pack -q -@ 1 "${args[@]}" "$data/x.vcf" -o one.zarr
        gt-pack -q -@ 4 "${args[@]}" "$data/x.vcf" -o four.zarr
        diff -r one.zarr four.zarr
        gt-pack -q "${args[@]}" "$data/x.vcf" -o x.zip
        gt-pack -q "${args[@]}" "$data/x.vcf" > x.tar
        gt-unpack -q --no-version --skip-multiallelic -O vcf "$data/x.vcf" | grep -v '^##' > want
        for store in one.zarr x.zip x.tar; do
            gt-unpack -q --skip-multiallelic -O vcf $store | grep -v '^##' | cut -f 1-5,10- | diff - <(cut -f 1-5,10- want)
        done
        gt-unpack -q --skip-multiallelic -r 2:200000-400000,3:1-1000 -O vcf one.zarr | grep -v '^#' | cut -f 2 > some
        awk '$1 == 2 && $2 >= 200000 && $2 <= 400000 || $1 == 3 && $2 <= 1000 { print $2 }' want | diff some -
        # a damaged line ends the first run
        sed '12000s,0/0,0/x,' "$data/long.vcf" > in.vcf
        touch -r "$data/long.vcf" in.vcf
        rm -rf o.zarr
        run -3 gt-pack -q "${args[@]}" --resume in.vcf -o o.zarr
        cp -p "$data/long.vcf" in.vcf
        gt-pack -q "${args[@]}" --resume --json in.vcf -o o.zarr | grep -q '"row_groups_kept": *[1-3][0-9],'
        gt-pack -q "${args[@]}" in.vcf -o want.zarr
        diff -r want.zarr o.zarr
        rm -r want.zarr o.zarr
    done
}

@test "the plan has the shapes and memory that are used; what it refuses says what would do" {
    gt-sim -q --samples 4000 --variants 40000 -O bed -o big
    run -0 gt-pack -n --zarr-format 3 --chunks variants=1000 --shard variants=20000 big.bed -o o.zarr
    [[ $output == *"chunks         1,000 variants x 4,000 samples"*"shards         20,000 variants x 4,000 samples"*"row groups     2, of 1 genotype shards each"* ]]
    run -4 --separate-stderr gt-pack -@ 2 -n --zarr-format 3 --chunks variants=1000 --shard variants=40000 --memory 64M big.bed -o o.zip
    [[ $stderr =~ hint:\ (--memory [0-9]+M)\ would\ do,\ or\ (--shard variants=[0-9]+000)$ ]]
    local more=${BASH_REMATCH[1]} lower=${BASH_REMATCH[2]}
    # shellcheck disable=SC2086
    for options in "--shard variants=40000 $more" "--memory 64M $lower"; do
        mib=$(sed 's/.*--memory \([0-9]*\)M.*/\1/' <<< "$options")
        /usr/bin/time -q -f %M -o peak gt-pack -q -@ 2 --zarr-format 3 --chunks variants=1000 $options big.bed -o o.zip
        sanitized || [ "$(tail -1 peak)" -le $((mib * 1024)) ]
        gt-info --check o.zip > /dev/null
        rm o.zip
    done
    refused() { # MESSAGE HINT ARG...
        run -2 --separate-stderr "${@:3}" -o o.zarr
        [ "${stderr_lines[0]}" = "$3: $1" ] || { echo "$stderr"; return 1; }
        [ "${stderr_lines[1]-}" = "$2" ]
        [ ! -e o.zarr ]
    }
    refused "--shard: Zarr 2 has no shards" "hint: add --zarr-format 3" gt-pack --shard variants=1000 big.bed
    refused "--shard: 1500 is not a multiple of the chunk length 1000" "hint: use --shard variants=2000" \
        gt-pack --zarr-format 3 --chunks variants=1000 --shard variants=1500 big.bed
    refused "--shard: 42 is not a multiple of the chunk length 40" "hint: use --shard samples=80" \
        gt-pack --zarr-format 3 --layout vcz --chunks samples=40 --shard samples=42 big.bed
    refused "--shard '100': not variants=N,samples=M" "" gt-pack --zarr-format 3 --shard 100 big.bed
    refused "--shard 'variants=0': '0' is not a length" "" gt-sim --samples 5 --variants 5 --zarr-format 3 --shard variants=0
    refused "--shard: Zarr 2 has no shards" "hint: add --zarr-format 3" gt-sim --samples 5 --variants 5 --normal --shard variants=5
}

@test "simulated genotypes and matrices" {
    need_zarr3
    sim() { both "${@:3}" -- "$1" "$2" gt-sim -q --samples 101 --variants 2050 --seed 4; }
    sim "-O packed --missing 0.01 --chunks variants=100" variants=500 packed_dosage=100x26/500x26
    sim "-O vcz --phased --chunks variants=100,samples=40" variants=500,samples=80 call_genotype=100x40x2/500x80x2 variant_position=100/500
    sim "-O vcz --chunks variants=3000" variants=3000 call_genotype=3000x101x2/3000x101x2
    sim "--uniform 0..9 --chunks variants=100,samples=7" variants=700,samples=70 =100x7/700x70
    sim "--normal" variants=64 =64x101/64x101
    sim "--rank 3 --dtype float32 --chunks variants=100" variants=5000,samples=-1 =100x101/2100x101
    compared
}
