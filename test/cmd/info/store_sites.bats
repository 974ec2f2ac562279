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

@test "fields of a store: every type and shape of them, as VCF and as BCF; arrays that are no field are named" {
    gt-unpack --no-version f.zarr > f.vcf 2> note
    grep -c 'is skipped' note | grep -x 7
    for name in call_GT call_few call_one variant_3d 'variant_bad name' variant_few variant_time; do
        grep -q "array '$name' is skipped: its name, shape or data type matches no VCF field" note
    done
    grep '^##INFO\|^##FORMAT' f.vcf | sed 's/^##\(.*\)=<ID=\(.*\),Number=\(.*\),Type=\(.*\),Description="\(.*\)">/\1 \2 \3 \4 \5/; s/ $//' > got
    diff got - << 'DECLARED'
FORMAT GT 1 String Genotype
FORMAT AD R Integer
FORMAT B 1 Integer
FORMAT C 1 Character
FORMAT DP 1 Integer
FORMAT F 1 Float
FORMAT T 1 String
INFO A A Integer
INFO CS1 1 Character
INFO CU 1 Character
INFO CU1 1 Character
INFO CbeU1 1 Character
INFO DB 0 Flag
INFO Fbef2 1 Float real
INFO Fbef4 1 Float real
INFO Fbef8 1 Float real
INFO Ff2 1 Float real
INFO Ff4 1 Float real
INFO Ff8 1 Float real
INFO Ibei2 1 Integer
INFO Ibei8 1 Integer
INFO Ii1 1 Integer
INFO Ii4 1 Integer
INFO Ii8 1 Integer
INFO M . Integer
INFO R R Integer
INFO TO 1 String
INFO TS3 1 String
INFO TU3 1 String
INFO Ubeu4 1 Integer
INFO Uu1 1 Integer
INFO Uu2 1 Integer
INFO Uu8 1 Integer
DECLARED
    grep -v '^#' f.vcf | cut -f 8- | tr '\t' ' ' > got
    diff got - << 'VALUES'
A=1;CS1=x;CU=é;CU1=x;CbeU1=x;DB;Fbef2=1.5;Fbef4=1.5;Fbef8=1.5;Ff2=1.5;Ff4=1.5;Ff8=1.5;Ibei2=5;Ibei8=5;Ii1=5;Ii4=5;Ii8=5;M=1,2;R=1,2;TO=xy;TS3=xy;TU3=xy;Ubeu4=5;Uu1=5;Uu2=5;Uu8=5 GT:AD:B:C:DP:F:T 0/1:1,2:1:x:1:1.5:x 1:1,2:0:.:2:nan:. ./.:1,2:1:z:3:2:zz
A=2,3;CU=日;Fbef2=nan;Fbef4=nan;Fbef8=nan;Ff2=nan;Ff4=nan;Ff8=nan;M=.,3,.;R=2,3,4;Ubeu4=0;Uu1=0;Uu2=0;Uu8=0 GT:AD:B:C:DP:F:T 2/1:1,2:1:x:.:1.5:x 0/0:1,2:0:.:5:nan:. ./1:1,2:1:z:6:2:zz
CU=😀;DB;Fbef2=-0.25;Fbef4=-0.25;Fbef8=-0.25;Ff2=-0.25;Ff4=-0.25;Ff8=-0.25;M=5;R=5;Ubeu4=255;Uu1=255;Uu2=255;Uu8=255 GT:AD:B:C:F:T 0/0:1,2:1:x:1.5:x 0:1,2:0:.:nan:. 0/0:1,2:1:z:2:zz
CS1=q;CU=~;CU1=q;CbeU1=q;Fbef2=inf;Fbef4=inf;Fbef8=inf;Ff2=inf;Ff4=inf;Ff8=inf;Ibei2=-100;Ibei8=-100;Ii1=-100;Ii4=-100;Ii8=-100;TO=a,b;TS3=a,b;TU3=a,b;Ubeu4=7;Uu1=7;Uu2=7;Uu8=7 GT:AD:B:C:DP:F:T ./.:1,2:1:x:7:1.5:x 0/0:1,2:0:.:.:nan:. .:1,2:1:z:.:2:zz
VALUES
    command -v bcftools > /dev/null || skip "no bcftools"
    gt-unpack -q --no-version f.zarr -o f.bcf
    bcftools view --no-version f.bcf | cmp - f.vcf
}

@test "ALTs of a store that end in empty strings or dots: as many alleles for each filter" {
    while IFS='|' read -r options several one; do
        for store in d-*.zarr; do
            case $store in d-one*) want=$one ;; *) want=$several ;; esac
            # shellcheck disable=SC2086
            got=$(gt-unpack -q $options $store | grep -v '^#' | cut -f 2,5 | tr '\t\n' ' ;') || true
            [ "$got" = "$want" ] || { echo "$options $store: $got"; return 1; }
        done
    done << 'CASES'
--biallelic|7 C;60000 C;|7 C;30000 G;60000 C;
--skip-multiallelic|7 C;5 .;60000 C;|7 C;30000 G;5 .;60000 C;
--min-alleles 3|30000 C,G;|
--max-alleles 1|5 .;|5 .;
CASES
    # a dot between two ALTs is no end of them
    [ "$(gt-unpack -q --skip-multiallelic gap.zarr | grep -v '^#' | cut -f 2,5 | tr '\t\n' ' ;')" = "7 C;5 .;60000 C;" ]
}
