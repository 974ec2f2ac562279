#!/usr/bin/env bats
# Sites of stores that other programs wrote: every type and layout of them, and what is wrong in them.

bats_require_minimum_version 1.5.0

setup_file() {
    cd "$BATS_FILE_TMPDIR" || exit 1
    "$PYTHON" -c 'import numpy' 2> /dev/null || return 0
    "$PYTHON" -B "$GT_SOURCE/test/support/store_sites.py"
}

setup() {
    cd "$BATS_TEST_TMPDIR" || exit 1
    [ -e "$BATS_FILE_TMPDIR/v-plain.zarr" ] || skip "no python3-numpy"
    ln -s "$BATS_FILE_TMPDIR"/*.zarr .
}

# Columns without INFO and FORMAT; $1: QUAL of the first site, $2: of the second.
records() {
    local i name
    local at=(7 30000 5 60000) ids=(rs1 . c long) alleles=($'A\tC' $'AC\tA,ACC' $'G\t.' $'T\t.') quality=("$1" "$2" 0 1024)
    local calls=($'0/1\t1\t./.' $'2/1\t0/0\t./1' $'0/0\t0\t0/0' $'./.\t0/0\t.')
    for i in 0 1 2 3; do
        name=$([ $i -lt 2 ] && echo "${3:-x}" || echo "${4:-y}")
        printf '%s\t%s\t%s\t%s\t%s\t%s\t.\tGT\t%s\n' "$name" "${at[i]}" "${ids[i]}" "${alleles[i]}" "${quality[i]}" \
            "$([ $((i % 2)) = 0 ] && echo PASS || echo "${5:-q10}")" "${calls[i]}"
    done
}

body() { gt-unpack -q "$@" | grep -v '^#'; }

@test "sites of a store: every type of integers, reals and strings, VCF Zarr and scikit-allel, are the same VCF" {
    records nan 12.5 > v.want
    records . 12.5 > a.want
    records -1 12 > whole.want
    records . 12.5 2R 2R . > n.want
    records . 12.5 x y . > allel.want
    for store in v-*.zarr q-*.zarr; do
        case $store in
            v-* | q-bef4*) want=v.want ;;
            q-i*) want=whole.want ;;
            *) want=a.want ;;
        esac
        gt-unpack -q $store | tail -n 4 | cmp - $want || { echo $store; return 1; }
    done
    for store in a-*.zarr; do
        gt-unpack -q $store | tail -n 4 | cmp - allel.want || { echo $store; return 1; }
    done
    paste <(cut -f 1-9 v.want) <(printf '0/1\t1/0\t0/0\n2/1\t0/0\t0/1\n0/0\t0/0\t0/0\n0/0\t0/0\t0/0\n') > u.want
    for store in u-*.zarr; do
        gt-unpack -q $store | tail -n 4 | cmp - u.want || { echo $store; return 1; }
    done
    gt-unpack n-top.zarr/2R 2> note | tail -n 4 | cmp - n.want
    grep -q '2R:5 comes after 2R:30000' note
    gt-unpack -q v-plain.zarr | grep '^##contig' | diff - <(printf '##contig=<ID=x,length=40000>\n##contig=<ID=y,length=70000>\n')
}

@test "a site without variant_length is as long as its REF: -r finds its last base" {
    for store in v-plain.zarr a-0.zarr a-2.zarr; do
        [ "$(body -r x:30001-39000 $store | cut -f 1-4)" = $'x\t30000\t.\tAC' ]
        [ -z "$(body -r x:30002-39000 $store)" ]
        [ "$(body -r y:1-5 $store | cut -f 1-4)" = $'y\t5\tc\tG' ]
        [ -z "$(body -r y:6-59999 $store)" ]
    done
}

@test "sites, samples and genotypes of a store that do not fit: refused with what is wrong" {
    "$PYTHON" -B "$GT_SOURCE/test/support/store_sites.py" refused "$(command -v gt-info)"
}

@test "--slice of the ploidy axis: the numbers of that allele, by every way to name it; what has no such axis is refused" {
    cp -rL v-plain.zarr one.zarr
    cp -rL v-plain.zarr flat.zarr
    cp -rL v-plain.zarr three.zarr
    "$PYTHON" -B - "$GT_SOURCE/test/support" << 'PY'
import sys
sys.path.insert(0, sys.argv.pop(1))
import store_sites as s
x = s.np.array(s.GT)
for p in 0, 1:
    code = s.np.where(x[:, :, p] < 0, 3, x[:, :, p])
    open("want%d" % p, "w").writelines("%d\n" % (row[0] | row[1] << 2 | row[2] << 4) for row in code)
x[2, 1, 1] = 3
s.again("three.zarr", "call_genotype", x, "|i1")
s.again("one.zarr", "call_genotype", x[:, :, :1], "|i1")
s.again("flat.zarr", "call_genotype", x[:, :, 0], "|i1")
PY
    for slice in 0.0 0.:1 0.::2 0.-2 1.1 1.1: 1.-1 1.1:9; do
        gt-pack -q -f --slice ":,:,${slice#*.}" v-plain.zarr -o p.zarr
        gt-info --head 9 p.zarr/packed_dosage | cmp - want${slice%%.*} || { echo "$slice"; return 1; }
    done
    for store in v-calls-i2 v-calls-bei4 one; do
        gt-pack -q -f --slice ":,:,0" $store.zarr -o p.zarr
        gt-info --head 9 p.zarr/packed_dosage | cmp - want0 || { echo "$store"; return 1; }
    done
    gt-unpack -q --no-version v-plain.zarr > v.vcf
    while IFS='|' read -r status slice input message; do
        run -"$status" --separate-stderr gt-pack -f --slice ":,:,$slice" "$input" -o q.zarr
        grep -qF "$message" <<< "$stderr" || { echo "$slice $input: $stderr"; return 1; }
        [ ! -e q.zarr ]
    done << 'CASES'
2|0:0|v-plain.zarr|the ploidy axis can be sliced to one item only
2|1:1|v-plain.zarr|the ploidy axis can be sliced to one item only
2|2:|v-plain.zarr|the ploidy axis can be sliced to one item only
2|2|v-plain.zarr|index 2 is outside the ploidy axis of 2
2|-3|v-plain.zarr|index -3 is outside the ploidy axis of 2
2|::-1|v-plain.zarr|a negative step would reverse the ploidy axis
2|1|one.zarr|slice 1 of the ploidy axis of 'call_genotype', which has 1
2|0|flat.zarr|array 'call_genotype' has no ploidy axis to slice
2|0|p.zarr|packed allele counts have no ploidy axis to slice
2|0|v.vcf|'v.vcf' has no ploidy axis to slice
3|1|three.zarr|allele 3 at variant 3, sample 'b'; only 0, 1 and 2 are possible
CASES
}

@test "calls of every type of integers are the same allele counts" {
    for store in u-*.zarr v-calls-*.zarr a-0.zarr; do
        gt-unpack -q -O npy "$store" -o "${store%.zarr}.npy"
    done
    "$PYTHON" -B - "$GT_SOURCE/test/support" << 'PY'
import glob, sys
sys.path.insert(0, sys.argv.pop(1))
import store_sites as s
np = s.np
x = np.array(s.GT)
counts = np.where(x[:, :, 1] == -2, 2 * (x[:, :, 0] > 0), (x > 0).sum(2))
counts[(x == -1).any(2)] = -1
full = (x > 0).sum(2)
files = glob.glob("*.npy")
assert len(files) == 9, files
for f in files:
    got = np.load(f)
    want = full if f[0] == "u" else counts
    assert (got == want).all(), (f, got, want)
PY
}
