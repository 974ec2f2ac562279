#!/usr/bin/env bats
# How many files a store has: what the plan says is what is written, and large stores have few.

bats_require_minimum_version 1.5.0

setup() {
    cd "$BATS_TEST_TMPDIR" || exit 1
}

count() { find "$1" -type f | wc -l; }
planned() { sed -n 's/^files  *\(about \)\{0,1\}//p' | tr -d ,; }

# The plan of gt-sim with these options, and what it makes.
sim_as_planned() {
    local n
    n=$(gt-sim -n "$@" -o p.zarr | planned)
    gt-sim -q "$@" -o p.zarr
    [ "$(count p.zarr)" -eq "$n" ] || { echo "$*: planned $n, made $(count p.zarr)"; return 1; }
    rm -r p.zarr
}

@test "gt-sim's plan has the number of files that are written" {
    for v in 5 7 100 1000 20000; do
        for options in "" "--zarr-format 3" "--chunks variants=64,samples=8" "--contigs 5" "-O vcz" "-O vcz --chunks variants=300,samples=7 --zarr-format 3" \
            "--zarr-format 3 --chunks variants=64 --shard variants=192"; do
            sim_as_planned --samples 33 --variants $v $options
        done
    done
    sim_as_planned --samples 70000 --variants 1500
}

@test "gt-pack's plan has the number of files that are written, and --json what was written" {
    gt-sim -q --samples 33 --variants 9000 -o x.bed
    gt-sim -q --samples 33 --variants 9000 -o x.zip
    for options in "" "--chunks variants=100" "--thin 3" "--chunks variants=500,samples=12 --zarr-format 3" \
        "--zarr-format 3 --chunks variants=100,samples=8 --shard variants=300,samples=16"; do
        for from in x.bed x.zip; do
            n=$(gt-pack -n $options $from -o p.zarr | planned)
            gt-pack -q --json $options $from -o p.zarr > json
            [ "$(count p.zarr)" -eq "$n" ] || { echo "$options $from: planned $n, made $(count p.zarr)"; return 1; }
            grep -q "\"files\": $n," json
            rm -r p.zarr
        done
    done
    gt-sim -q --samples 33 --variants 9000 --multiallelic 0.01 --contigs 3 -o x.vcf
    gt-pack -q --json --chunks variants=100 x.vcf -o v.zarr > json
    grep -q "\"files\": $(count v.zarr)," json
    gt-pack -q --json x.vcf -o v.zip > json
    grep -q "\"files\": 1," json
    [ "$(gt-pack -n x.vcf -o x.zip | planned)" = 1 ]
    [ "$(gt-pack -n x.vcf | planned)" = 1 ]
    [[ "$(cat x.vcf | gt-pack -n - -o p.zarr | planned)" == "unknown before the end" ]]
}

@test "up to 1e11 genotypes a directory has about 5,000 files; above that a note says how many" {
    for shape in "1142 20e6" "2504 39e6" "500 200e6" "1000 100e6" "100000 1e6" "20000 5e6" "10 10e6" "1 5e6"; do
        n=$(gt-sim -n --memory 2G --samples ${shape% *} --variants ${shape#* } -o x.zarr | planned)
        [ "$n" -le 5050 ] || { echo "$shape: $n"; return 1; }
    done
    gt-sim --samples 9 --variants 60000 --chunks variants=10 -o x.zarr 2> log
    grep "gt-sim: 'x.zarr' will have $(count x.zarr | sed 's/.\{3\}$/,&/') files" log | grep "\.zip"
    gt-sim --samples 9 --variants 60000 --chunks variants=10 -o x.zip 2> log
    run ! grep files log
}

# 40,000 sites; one of them, in the middle, has $1 alleles.
many_alleles() {
    printf '##fileformat=VCFv4.2\n##FILTER=<ID=PASS,Description="x">\n##contig=<ID=1>\n##FORMAT=<ID=GT,Number=1,Type=String,Description="x">\n'
    printf '#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\ta\tb\n'
    awk -v n="$1" 'BEGIN {
        alt = "C"; for (i = 2; i < n; i++) { alt = alt ",A" sprintf("%*s", i, ""); gsub(/ /, "T", alt) }
        for (v = 1; v <= 40000; v++)
            printf "1\t%d\t.\tA\t%s\t.\tPASS\t.\tGT\t0/1\t%s\n", v, v == 25000 ? alt : "G", v == 25000 ? "1/" n - 1 : "1/1"
    }'
}

@test "one site with 300 alleles costs 298 files, and is read back whole from a directory, a zip and a stream" {
    many_alleles 300 > x.vcf
    gt-pack -q --no-version --chunks variants=500 x.vcf -o x.zarr
    [ "$(count x.zarr)" -lt 600 ]
    [ "$(find x.zarr/variant_allele -name '*.299')" = x.zarr/variant_allele/6.299 ]
    [ "$(find x.zarr/variant_allele -name '*.2')" = x.zarr/variant_allele/6.2 ]
    gt-info --check --deep x.zarr > check
    grep -q "2682 missing, 0 damaged" check
    gt-pack -q --no-version --chunks variants=500 x.vcf -o x.zip
    gt-pack -q --no-version --chunks variants=500 x.vcf -o x.tar
    [ "$(tar tf x.tar | grep -c variant_allele)" -lt 500 ]
    for x in x.zarr x.zip x.tar; do
        gt-pack -q --no-version --chunks variants=700 $x -o again.zarr
        gt-info --head 25001 again.zarr/variant_allele | tail -n 2 > have
        [ "$(head -n 1 have | tr '\t' '\n' | grep -c .)" -eq 300 ]
        [ "$(tail -n 1 have | tr '\t' '\n' | grep -c .)" -eq 2 ]
        cmp have ${want:=have}
        cp have want
        want=want
        rm -r again.zarr
    done
}

@test "columns that the metadata leaves out are no damage, others are, and metadata that does not fit is refused" {
    many_alleles 5 > x.vcf
    gt-pack -q --chunks variants=500 x.vcf -o x.zarr
    rm x.zarr/variant_allele/6.3
    run gt-info --check x.zarr
    [ "$status" -eq 3 ]
    [[ "$output" == *"damaged	variant_allele/6.3	"* ]]
    gt-pack -q -f --chunks variants=500 x.vcf -o x.zarr
    for columns in '[[11, 2]]' '[[6, 2], [1, 9], [3, 2]]' '[[1e9, 2]]' '7' '[]' '[[6, 2], [1, 5], [3]]' '[[6, 2], [1, 5], [2, 2]]' '[[6, 2], [-1, 5], [5, 2]]'; do
        cp -r x.zarr y.zarr
        "$PYTHON" - "$columns" << 'PY'
import json, sys
for name in "y.zarr/.zmetadata", "y.zarr/variant_allele/.zattrs":
    doc = json.load(open(name))
    attrs = doc["metadata"]["variant_allele/.zattrs"] if "metadata" in doc else doc
    assert attrs["gt_columns"] == [[6, 2], [1, 5], [3, 2]]
    attrs["gt_columns"] = json.loads(sys.argv[1])
    json.dump(doc, open(name, "w"))
PY
        run --separate-stderr gt-pack -q y.zarr -o z.zip
        [ "$status" -eq 3 ] || { echo "$columns: $status $stderr"; return 1; }
        [[ "$stderr" == *"gt_columns"* ]] || { echo "$columns: $stderr"; return 1; }
        rm -r y.zarr
    done
}

@test "tall chunks of sites: what a plan accepts runs, also where one site has 300 alleles" {
    many_alleles 300 > x.vcf
    gt-pack -q x.vcf -o x.zarr
    gt-info x.zarr | grep -q "variant_allele .*(40000, 300) in (40000, 1)"
    for memory in 30M 32M 34M 36M 38M 40M 44M 48M 56M; do
        gt-pack -q -n --memory $memory x.zarr -o y.zip > plan 2> log || continue
        rm -f y.zip
        gt-pack -q --memory $memory x.zarr -o y.zip || { echo "$memory: accepted, and then failed"; return 1; }
    done
    [ -e y.zip ]
}
