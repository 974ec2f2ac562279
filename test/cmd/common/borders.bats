#!/usr/bin/env bats
# Numbers of options: the last that is taken, and the next one, which is refused.

bats_require_minimum_version 1.5.0

setup() {
    cd "$BATS_TEST_TMPDIR" || exit 1
    gt-sim -q --samples 12 --variants 40 --contigs 1 --seed 1 -o s.zarr
    gt-sim -q --samples 7 --variants 9 --uniform 0..99 --seed 1 -o a.zarr
}

# borders COMMAND: of each line OPTION|TAKEN|REFUSED (values, separated by blanks), every value behind the option; - is no value.
borders() {
    local option taken refused value status
    while IFS='|' read -r option taken refused; do
        for value in $taken; do
            status=0
            # shellcheck disable=SC2086
            "$@" $option "$value" > said 2>&1 || status=$?
            [ $status -eq 0 ] || { echo "exit $status: $* $option $value"; cat said; return 1; }
        done
        for value in $refused; do
            status=0
            # shellcheck disable=SC2086
            "$@" $option "$value" > said 2>&1 || status=$?
            [ $status -eq 2 ] || { echo "exit $status, not 2: $* $option $value"; cat said; return 1; }
            [[ $(head -n 1 said) == "gt-"*": "* ]]
        done
    done
}

@test "gt-sim: genotypes and arrays" {
    borders gt-sim -n -q --samples 5 --variants 6 -o x.zarr << TABLE
--fst|0 0.999|-0.001 1 nan
--missing|0 1|-0.001 1.001
--min-maf|0.001 0.5|0 0.501
--pops|1 5|0 6
--contigs|1 6|0 7
--ld|1 2147483647|0 2147483648
--spectrum growth --fst|0 0.98|0.99
--seed|0 9223372036854775807|-1
TABLE
    borders gt-sim -n -q --samples 5 --variants 6 -O vcf -o x.vcf <<< '--multiallelic|0 1|-0.001 1.001'
    borders gt-sim -n -q --samples 5 --variants 6 -o x.zarr << TABLE
--rank|1 5|0 6
--rank 2 --noise|0 1e9|-0.001 inf nan
--dtype i1 --uniform|-128..127 0..0|-129..127 -128..128 1..0
--dtype u1 --uniform|0..255|-1..255 0..256
--dtype i2 --uniform|-32768..32767|-32769..0 0..32768
--dtype u4 --uniform|0..4294967295|0..4294967296
--dtype i8 --uniform|-2147483648..2147483647|-2147483648..2147483648
TABLE
    borders gt-sim -n -q --samples 6 --variants 5 -o x.zarr <<< '--rank|5|6'
    borders gt-sim -n -q --samples 65537 --variants 65537 -o x.zarr <<< '--rank|10000|10001'
    # the data type is the smallest that has the range
    local range type
    while read -r range type; do
        gt-sim -q -f --samples 2 --variants 3 --uniform "$range" -o x.zarr
        gt-info --json x.zarr | grep -q "\"type\": \"$type\"" || { echo "$range is not $type"; gt-info x.zarr; return 1; }
    done << TABLE
-128..127 int8
-129..127 int16
-128..128 int16
-32768..32767 int16
-32769..0 int32
0..32768 int32
-2147483648..-2147483000 int32
-2147483649..-2147483000 int64
2147483000..2147483648 int64
0..0.5 float64
TABLE
    run -2 --separate-stderr gt-sim -q --samples 5 --variants 6 -O vcf --truth - -o -
    [[ $stderr == *"--truth -"* ]]
}

@test "options of selection" {
    borders gt-pack -n -q s.zarr -o x.zarr << TABLE
--maf|0 0.5|-0.001 0.501 nan
--geno|0 1|-0.001 1.001
--mind|0.999 1|-0.001 1.001
--mac|1 24|0
--hwe|1e-300 1|0 1.001
--thin|2|0 1
--thin-count|1|0
--bp-space|1|0
--min-alleles|1 2|0
--max-alleles|2|0
--require-sites|1 40|
--ploidy|1 2|0 3
--slice|0:1 -40:|0:1:0
TABLE
    gt-unpack -q s.zarr -o s.vcf
    borders gt-pack -n -q -o x.zarr s.vcf << TABLE
--chunks|variants=1,samples=4 variants=5,samples=8|variants=0 samples=0 samples=3 samples=6
--timeout|0.001 86400|0 86400.1
TABLE
}

@test "gt-pdist" {
    borders gt-pdist -n -q s.zarr << TABLE
--part|1/1 3/3 12/12|0/3 4/3 1/0 -1/3
--knn|1 11|0
-m king -o x --unrelated|0 0.499|-0.001 0.5
TABLE
    borders gt-pdist -n -q a.zarr <<< '-m minkowski -p|0.001 1 1000 inf|0 -1 1000.1 nan'
    borders gt-pdist -n -q s.zarr -O pairs -m ibs << TABLE
--min|-1e9 0|nan
--max|-1e9 0|nan
--min 0.5 --max|0.5|0.499
TABLE
}

@test "gt-svd" {
    borders gt-svd -n -q s.zarr -o x << TABLE
-k|1 12|0 13
--tol|1e-300 0.999|0 1
-k 2 --algorithm krylov --passes|3 4|2
-k 2 --algorithm compressed --power-iterations|0 5|-1
TABLE
    gt-svd -q -k 2 --loadings s.zarr -o m.npy
    borders gt-svd -n -q --project m.model.zip s.zarr -o x << TABLE
-k|1 2|0 3
--min-match|0 1|-0.001 1.001
TABLE
    borders gt-svd -n -q --as array a.zarr -o x << TABLE
-k|1 7|0 8
-k 2 --algorithm krylov --passes|3|2
-k 2 --algorithm krylov --center --passes|4|3
TABLE
}

@test "gt-rechunk" {
    borders gt-rechunk -n -q a.zarr -o x.zarr << TABLE
-c|1,1 9,7 100,100|0,1 1,0 1,1,1
--pick|0:0 0:8 0:-9 1:6 1:-7|0:9 0:-10 1:7 1:-8 2:0
--reduce|sum:0 sum:1 sum:-1 sum:-2|sum:2 sum:-3
--order|0,1 1,0|0,2 1,1 0
--slice|0:9,0:7 -9:|0:9,0:7,0:1
-c auto,auto --chunk-bytes|1 1000|0
TABLE
}

@test "gt-pi and gt-info" {
    local value many
    many=$(printf '1,%.0s' {1..63})1
    borders gt-pi -n -q << TABLE
--points|1 9e15|0
--points 100 --chunks|1 100|0
--bytes|16 17|0 15
--runs|1 1000|0 1001
-@|1 1,2 4096 $many|0 -1 1,0 4097 1,4097 1,1234567890123456789012345678901234 $many,1
TABLE
    for value in '16 1' '31 1' '32 2' '47 2'; do
        gt-pi -n --bytes "${value% *}" | grep -qE "^points +${value#* }\$"
    done
    # of a list of threads, the strong ones and then the weak ones, whose chunks grow too
    gt-pi --points 1000 --chunks 3 --seed 5 -@ 1,2,3 --json > said
    gt-pi --points 3000 --chunks 7 --seed 5 --json > same
    "$PYTHON" - << 'PY'
import json, math
said = [json.loads(line) for line in open("said")]
assert [r["points"] for r in said] == [1000, 1000, 1000, 1000, 2000, 3000] and [r["threads"] for r in said] == [1, 2, 3] * 2
assert len({r["inside"] for r in said[:4]}) == 1 and said[5]["inside"] == json.load(open("same"))["inside"]
for r in said:
    p = r["inside"] / r["points"]
    assert r["seed"] == 5 and r["pi"] == 4 * p and math.isclose(r["error"], 4 * p - math.pi), r
    assert math.isclose(r["stderr"], math.sqrt(math.pi * (4 - math.pi) / r["points"])), r
    assert math.isclose(r["points_per_second"], r["points"] / r["seconds"], rel_tol=1e-6), r
PY
    borders gt-info -q s.zarr <<< '--array sample_id --head|1 12 13|-1'
}
