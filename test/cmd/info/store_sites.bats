#!/usr/bin/env bats
# Sites of stores that other programs wrote: every type and layout of them, and what is wrong in them.

bats_require_minimum_version 1.5.0

setup() {
    cd "$BATS_TEST_TMPDIR" || exit 1
    "$PYTHON" -c 'import numpy' 2> /dev/null || skip "no python3-numpy"
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
    "$PYTHON" -B "$GT_SOURCE/test/support/store_sites.py"
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
    "$PYTHON" -B "$GT_SOURCE/test/support/store_sites.py"
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
