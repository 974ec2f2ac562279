#!/usr/bin/env bats
# Genotypes of Zarr stores in all layouts, through gt-info --stats.

setup_file() {
    "$PYTHON" -c 'import zarr, numpy, sys; sys.exit(not zarr.__version__.startswith("2."))' 2>/dev/null || return 0
    "$PYTHON" "$GT_SOURCE/test/support/zarr_stores.py" "$BATS_FILE_TMPDIR"
    cut -f 5-8 "$BATS_FILE_TMPDIR/want.tsv" >"$BATS_FILE_TMPDIR/want_counts.tsv"
}

setup() {
    cd "$BATS_FILE_TMPDIR"
    info=$GT_BUILD/gt-info
}

need_stores() { [ -f want.tsv ] || skip "no python3 with zarr 2"; }
variants() { "$info" --stats variants "$@" | tail -n +2; }

@test "VCF Zarr in any chunks, type, order and separator" {
    need_stores
    for store in plain ploidy big raw one thin consolidated; do
        variants $store.zarr | cut -f 1,2,4,5,7,9-11 | cmp - want.tsv || { echo $store; return 1; }
    done
}

@test "packed, scikit-allel and plain dosages" {
    need_stores
    for path in allel.zarr/2R allel.zarr/2R/calldata/GT; do
        variants $path | cut -f 7,9-11 | cmp - want_counts.tsv || { echo $path; return 1; }
    done
    for path in packed.zarr numbers.zarr/dosage; do # these have no alleles, so no site is known to be multiallelic
        variants $path | cut -f 7,9-11 | cmp - want_dosages.tsv || { echo $path; return 1; }
    done
    variants allel.zarr/2R | cut -f 1,2,4,5 | cmp - <(cut -f 2-4 want.tsv | sed 's/^/2R\t/')
}

@test "samples" {
    need_stores
    for path in plain.zarr big.zarr allel.zarr/2R; do
        "$info" --stats samples $path | tail -n +2 | cut -f 1,3,5-7 | cmp - want_samples.tsv || { echo $path; return 1; }
    done
    # chunks of ten samples: what is known of a site comes piece by piece
    for path in plain.zarr big.zarr; do
        "$info" -q --stats samples -s s47,s3,s12 $path | tail -n +2 | cut -f 1,3,5-7 |
            cmp - <(awk -F '\t' '$1 == "s47"' want_samples.tsv; awk -F '\t' '$1 == "s3"' want_samples.tsv; awk -F '\t' '$1 == "s12"' want_samples.tsv)
        "$info" -q --stats variants -s ^s47,s3,s12 --maf 0.1 plain.zarr | cmp - <("$info" -q --stats variants -s ^s47,s3,s12 --maf 0.1 $path)
    done
    "$info" --stats samples packed.zarr | tail -n +2 | cut -f 1,3,5-7 | cmp - want_dosages_samples.tsv
}

@test "little memory, one thread, many threads: the same" {
    need_stores
    for args in "-@ 1 --io 1" "-@ 4 --io 4" "--memory 64M"; do
        variants $args big.zarr | cut -f 1,2,4,5,7,9-11 | cmp - want.tsv || { echo "$args"; return 1; }
    done
}

@test "--array names the array" {
    need_stores
    variants --array dosage numbers.zarr | cut -f 7,9-11 | cmp - want_dosages.tsv
    run "$info" --stats variants --array nothing numbers.zarr
    [ "$status" -eq 3 ]
    [[ $output == *"there is no Zarr array or group 'nothing'"* ]]
}

@test "texts larger than the memory given are refused" {
    need_stores
    run "$info" --stats samples --memory 256M bomb.zarr
    [ "$status" -eq 4 ]
    [[ $output == *"array 'sample_id'"*"hint:"* ]]
}

@test "a filter without a name is refused, and not made up" {
    need_stores
    for name in unnamed beyond; do
        run timeout 60 "$GT_BUILD/gt-pack" $name.zarr -o $name-out.zarr
        [ "$status" -eq 3 ]
        [[ $output == *"of variant_filter is set, but filter_id has no name for it"* ]]
        [ ! -e $name-out.zarr ]
    done
}

@test "a store without genotypes, ploidy above 2" {
    need_stores
    run "$info" --stats variants numbers.zarr
    [ "$status" -eq 3 ]
    [[ $output == *"has no genotypes"*"hint:"* ]]
    run "$info" --stats variants triploid.zarr
    [ "$status" -eq 3 ]
    [[ $output == *"sample '"*"' at variant 1: its ploidy is above 2"*"--polyploid missing"* ]]
}

@test "a missing chunk of packed genotypes is an error, of calls it is fill" {
    need_stores
    cp -r packed.zarr hole.zarr
    rm hole.zarr/packed_dosage/3.1
    run "$info" --stats variants hole.zarr
    [ "$status" -eq 3 ]
    [[ $output == *"chunk 'packed_dosage/3.1' is missing"* ]]
    cp -r plain.zarr calls.zarr
    rm calls.zarr/call_genotype/3.0.0
    [ "$(variants calls.zarr | sed -n 301p | cut -f 7,9)" = "$(printf '0\t53')" ]
}

@test "lengths that disagree name both" {
    need_stores
    cp -r packed.zarr few.zarr
    sed -i 's/"samples": 53/"samples": 54/' few.zarr/packed_dosage/.zattrs
    run "$info" --stats samples few.zarr
    [ "$status" -eq 3 ]
    [[ $output == *"sample_id has 53 samples and gt_packed has 54"* ]]
    cp -r plain.zarr short.zarr
    sed -i 's/1037/1036/' short.zarr/variant_position/.zarray
    run "$info" --stats variants short.zarr
    [ "$status" -eq 3 ]
    [[ $output == *"'variant_position' has 1,036 variants and 'call_genotype' has 1,037"* ]]
}

@test "a damaged chunk is named" {
    need_stores
    cp -r plain.zarr damaged.zarr
    printf 'garbage' >damaged.zarr/call_genotype/4.0.0
    run "$info" --stats samples damaged.zarr
    [ "$status" -eq 3 ]
    [[ $output == *"call_genotype/4.0.0"* ]]
    : >damaged.zarr/call_genotype/4.0.0
    run "$info" --stats samples damaged.zarr
    [ "$status" -eq 3 ]
    [[ $output == *"call_genotype/4.0.0"*"empty"* ]]
}

@test "a tar of a store, metadata first, is read as a stream" {
    need_stores
    cd packed.zarr
    find . -name '.z*' -type f | sed 's,^\./,,' | sort >../meta
    find . -type f ! -name '.z*' | sed 's,^\./,,' | sort >../chunks
    tar -cf ../packed.tar -T ../meta -T ../chunks
    cd ..
    variants - <packed.tar | cut -f 7,9-11 | cmp - want_dosages.tsv
    head -c 20480 packed.tar >cut.tar
    run bash -c "'$info' --stats variants - <cut.tar"
    [ "$status" -eq 3 ]
}

# --- streams of gt-pack, whose metadata is provisional until the end ------------------

need_pack() {
    [ -x "$GT_BUILD/gt-pack" ] || skip "no gt-pack"
    [ -f "$GT_TEST_DATA/README.md" ] || skip "no test data"
    PATH=$GT_BUILD:$PATH
    vcf=$GT_TEST_DATA/vcf/pinf_sc50.vcf.gz
    cd "$BATS_TEST_TMPDIR"
}

@test "alleles that come up late in a stream" {
    need_pack
    gt-pack -q "$vcf" -o whole.zarr
    cmp <("$info" --stats variants --biallelic "$vcf") <("$info" --stats variants --biallelic whole.zarr)
    "$info" --stats variants whole.zarr >want
    for n in 13 500 100000; do
        zcat "$vcf" | gt-pack -q --chunks variants=$n - -o - | "$info" --stats variants - | cmp - want
    done
    "$info" --stats samples whole.zarr >want
    zcat "$vcf" | gt-pack -q --chunks variants=13 - -o - | "$info" --stats samples - | cmp - want
}

@test "contigs that come up late in a stream" {
    need_pack
    vcf=$GT_TEST_DATA/vcf/edge/sample.vcf.gz
    gt-pack -q "$vcf" -o whole.zarr
    "$info" --stats variants whole.zarr >want
    zcat "$vcf" | grep -av '^##contig' | gt-pack -q --chunks variants=2 - -o s.tar
    "$info" --stats variants - <s.tar | cmp - want
    gt-pack -q --chunks variants=3 - -o - <s.tar | gt-pack -q --chunks variants=4 - -o - | "$info" --stats variants - | cmp - want
    gt-pack -q -r X,20:1110000-1240000 - -o r.zarr <s.tar
    gt-pack -q -r X,20:1110000-1240000 "$vcf" -o r2.zarr
    cmp <("$info" --stats variants r.zarr) <("$info" --stats variants r2.zarr)
}

@test "what is left of a stream that was cut is refused" {
    need_pack
    zcat "$vcf" | gt-pack -q --chunks variants=500 - -o - | head -c 100000 >cut.tar
    for args in "--stats samples" "--stats variants" "--check" ""; do
        run bash -c "'$info' $args - <cut.tar"
        [ "$status" -eq 3 ]
        [[ $output == *"truncated"* ]]
    done
    mkdir left.zarr
    tar -xf cut.tar -C left.zarr || true
    for args in "--stats samples" "--check" ""; do
        run "$info" $args left.zarr
        [ "$status" -eq 3 ]
        [[ $output == *"is unfinished"*"hint:"* ]]
    done
}

@test "a slice of the ploidy axis gives allele numbers" {
    need_pack
    cd "$BATS_FILE_TMPDIR"
    need_stores
    gt-pack -q -f --slice ':,:,1' big.zarr -o slice.zarr
    gt-pack -q -f --slice ':,:,1' ploidy.zarr -o slice2.zarr
    cmp <("$info" --stats variants slice.zarr | cut -f 6-) <("$info" --stats variants slice2.zarr | cut -f 6-)
    run gt-pack -f --slice ':,:,1' packed.zarr -o slice3.zarr
    [ "$status" -eq 2 ]
    [[ $output == *"packed allele counts have no ploidy axis"* ]]
}

# --- only what is needed is read ---------------------------------------------------------

# Makes every chunk of array $1/$2 useless but those of the rows given.
keep_rows() {
    local array=$1/$2 key row
    shift 2
    for key in "$array"/[0-9]*; do
        row=${key##*/}
        row=${row%%.*}
        [[ " $* " == *" $row "* ]] || printf 'not to be read' >"$key"
    done
}

# 2,000 variants of two contigs, with their positions, as a packed store and as VCF Zarr.
need_sim() {
    need_pack
    gt-sim -q --no-version --samples 9 --variants 2000 --contigs 2 --missing 0.05 --chunks variants=100 -O packed -o p.zarr
    gt-sim -q --no-version --samples 9 --variants 2000 --contigs 2 --missing 0.05 --chunks variants=100,samples=4 -O vcz -o v.zarr
    gt-sim -q --no-version --samples 9 --variants 2000 --contigs 2 --missing 0.05 -o x.vcf
    position() { gt-info --head 2000 v.zarr/variant_position | sed -n "$(($1 + 1))p"; }
    from=$(position 1330)
    to=$(position 1369)
}

@test "-r reads the genotypes of its own chunks only" {
    need_sim
    gt-pack -q --no-version -r "2:$from-$to" x.vcf -o want.zip
    "$info" --stats variants want.zip >want
    [ "$(wc -l <want)" -eq 41 ]
    keep_rows p.zarr packed_dosage 13
    keep_rows v.zarr call_genotype 0 13 # the first chunk shows the ploidy
    gt-pack -q --no-version -r "2:$from-$to" p.zarr -o p.zip
    "$info" --stats variants p.zip | cmp - want
    gt-pack -q --no-version -r "2:$from-$to" v.zarr -o v.zip
    "$info" --stats variants v.zip | cmp - want
    run gt-pack -q -r "2:$from-$((to + 1000000))" p.zarr -o q.zip
    [ "$status" -eq 3 ]
}

@test "with a region_index -r reads no sites of other chunks either, and an index that does not fit is not believed" {
    need_sim
    gt-pack --json -r "2:$from-$to" v.zarr -o want.zip >want.json
    cp -r v.zarr kept.zarr
    for array in variant_position variant_contig variant_length variant_id variant_allele variant_quality variant_filter call_genotype; do
        keep_rows v.zarr $array 13 "$([ $array != call_genotype ] || echo 0)"
    done
    gt-pack --json -r "2:$from-$to" v.zarr -o have.zip >have.json
    cmp <("$info" --stats variants want.zip) <("$info" --stats variants have.zip)
    counts() { grep -o '"samples": .*"missing_rate": [0-9.e-]*' "$1"; }
    [[ "$(counts want.json)" == *'"variants": 40,'*'"variants_in": 2000,'*'"region": 1960,'* ]]
    cmp <(counts want.json) <(counts have.json)
    gt-pack --json -r "2:$from-$to" x.vcf -o text.zip >text.json
    cmp <(counts want.json) <(counts text.json)
    # a packed store, whose sites have chunks of eight times as many variants
    for array in variant_position variant_contig variant_length variant_id variant_allele variant_quality variant_filter variant_multiallelic; do
        keep_rows p.zarr $array 1
    done
    keep_rows p.zarr packed_dosage 13
    gt-pack --json -r "2:$from-$to" p.zarr -o packed.zip >packed.json
    cmp <("$info" --stats variants want.zip) <("$info" --stats variants packed.zip)
    cmp <(counts want.json) <(counts packed.json)
    rm kept.zarr/region_index/0.0
    gt-pack -q -r "2:$from-$to" kept.zarr -o again.zip
    cmp <("$info" --stats variants want.zip) <("$info" --stats variants again.zip)
    run gt-pack --json -r 1:999999999-1000000000 kept.zarr -o none.zip
    [ "$status" -eq 0 ]
}

@test "alleles at the borders of int8 in calls of int16: not REF, and not missing" {
    need_pack
    "$PYTHON" - <<'PY'
import numpy as np, zarr
calls = np.array([[[0, a], [a, a], [-1, a], [-1, -1]] for a in (1, 126, 127, 128, 129, 255, 256, 300)], "i2")
zarr.open("wide.zarr", mode="w").create_dataset("call_genotype", data=calls, chunks=(3, 4, 2)).attrs["_ARRAY_DIMENSIONS"] = ["variants", "samples", "ploidy"]
PY
    gt-unpack -q wide.zarr -O npy -o wide.npy
    "$PYTHON" -c 'import numpy as np; x = np.load("wide.npy"); assert (x == [1, 2, -1, -1]).all() and x.shape == (8, 4), x'
}

@test "sites that a filter drops cost no genotypes" {
    need_pack
    {
        printf '##fileformat=VCFv4.2\n##FILTER=<ID=q10,Description="x">\n##contig=<ID=1>\n##FORMAT=<ID=GT,Number=1,Type=String,Description="x">\n'
        printf '#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\ta\tb\n'
        for i in $(seq 400); do
            printf '1\t%d\t.\tA\t%s\t.\t%s\t.\tGT\t0/1\t1/1\n' $i "$([ $((i / 100)) -eq 2 ] && echo C || echo CC,G)" "$([ $((i / 100)) -eq 2 ] && echo PASS || echo q10)"
        done
    } >x.vcf
    gt-pack -q --chunks variants=50 x.vcf -o p.zarr
    keep_rows p.zarr packed_dosage 3 4 5
    for option in --pass --snps --biallelic "--max-alleles 2" "--slice 199:299" "-r 1:200-299"; do
        gt-pack -q -f $option p.zarr -o out.zip
        [ "$("$info" --head 500 out.zip/variant_position | tr '\n' ' ')" = "$(seq 200 299 | tr '\n' ' ')" ] || { echo "$option"; return 1; }
    done
    run gt-pack -q -f --min-alleles 2 p.zarr -o out.zip
    [ "$status" -eq 3 ]
}

@test "what stands in the pad bits of a foreign packed store is nobody's" {
    need_stores
    "$GT_BUILD/gt-pack" -q --no-version packed.zarr -o own.zarr
    "$PYTHON" - <<'END'
import zarr
foreign, own = (zarr.open(p, "r")["packed_dosage"][:] for p in ("packed.zarr", "own.zarr"))
assert foreign.shape == own.shape and (foreign[:, :-1] == own[:, :-1]).all()
assert (foreign[:, -1] >> 2 == 63).all() and (own[:, -1] == foreign[:, -1] & 3).all()
END
    "$GT_BUILD/gt-pdist" -q packed.zarr >distances
    "$GT_BUILD/gt-pdist" -q own.zarr | cmp - distances
}

@test "a region_index of which one number does not fit is not believed: the variants of the region, and no others" {
    gt-sim -q --samples 4 --variants 300 --contigs 3 --seed 2 -O vcf -o i.vcf
    gt-pack -q --layout vcz --codec none --chunks variants=64 i.vcf -o i.vcz
    # 7 rows of chunk, contig, first and last position, last end, count
    "$PYTHON" - << 'PY'
import os, shutil, struct
rows = list(struct.iter_unpack("<6i", open("i.vcz/region_index/0.0", "rb").read()))
assert len(rows) == 7 and sum(r[5] for r in rows) == 300 and [r[0] for r in rows] == [0, 1, 1, 2, 3, 3, 4], rows
bad = [(row, column, value) for row in (0, 3) for column, values in ((0, (-1, 1 + rows[row][0], 9)), (1, (-1, 3)), (5, (0, -1, rows[row][5] + 1, rows[row][5] - 1, 64, 2**31 - 1))) for value in values if value != rows[row][column]]
for i, (row, column, value) in enumerate(bad):
    changed = [list(r) for r in rows]
    changed[row][column] = value
    open(f"bad{i}", "wb").write(b"".join(struct.pack("<6i", *r) for r in changed))
PY
    for region in 2 3:100000-; do
        gt-unpack -q --no-version -r $region i.vcz | grep -v '^#' > want
        gt-unpack -q --no-version -r $region i.vcf | grep -v '^#' | cut -f 1-5 | cmp - <(cut -f 1-5 want)
        [ -s want ]
        for bad in bad*; do
            cp "$bad" i.vcz/region_index/0.0
            gt-unpack -q --no-version -r $region i.vcz | grep -v '^#' | cmp - want || { echo "$bad $region"; return 1; }
        done
    done
}
