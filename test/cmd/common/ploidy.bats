#!/usr/bin/env bats
# Ploidy is a property of the data: haploid data has allele counts 0 and 1 in every command, against bcftools, plink2 and numpy.

bats_require_minimum_version 1.5.0

. "$GT_SOURCE/test/support/level.bash"

setup() { cd "$BATS_TEST_TMPDIR" || exit 1; }

need() { command -v "$1" > /dev/null || skip "no $1"; }
need_numpy() { "$PYTHON" -c 'import numpy, zarr' 2> /dev/null || skip "no python3-zarr"; }
py() { "$PYTHON" "$GT_SOURCE/test/support/ploidy.py" "$@"; }
calls() { grep -v '^#' | cut -f 10-; }
unpacked() { gt-unpack -q "$@" | calls; }
# Exit $1 and a first line with $2, of the rest.
refused() {
    run --separate-stderr "${@:3}"
    [ "$status" -eq "$1" ] && [[ "${stderr_lines[0]}" == *"$2"* ]] || { echo "exit $status: $stderr"; return 1; }
}
# A VCF of contigs $1, the sites (contig, calls) on standard input.
vcf() {
    printf '##fileformat=VCFv4.2\n##FORMAT=<ID=GT,Number=1,Type=String,Description="g">\n'
    for c in $1; do printf '##contig=<ID=%s>\n' "$c"; done
    printf '#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\ta\tb\tc\n'
    awk '{ printf "%s\t%d\t.\tA\tC\t.\t.\t.\tGT\t%s\t%s\t%s\n", $1, NR * 10, $2, $3, $4 }'
}

@test "haploid VCF, BCF and pipes: 0 and 1 in stores and .npy, and gt-unpack gives the calls back" {
    need_numpy
    need bcftools
    py write 30 200 1 > h.vcf
    calls < h.vcf > want
    bcftools view -Ob h.vcf -o h.bcf
    sed 's/\t\./\t.\/./g; s/\t\.\/\./\t./; s/\t\.\/\.\t\.\/\.\t\.\/\.\tGT/\t.\t.\t.\tGT/' h.vcf > slashes.vcf # as bcftools merge has missing calls
    grep -q '\./\.' slashes.vcf
    for from in h.vcf h.bcf slashes.vcf; do
        gt-pack -q -f --no-version $from -o h.zarr
        "$PYTHON" -c 'import zarr; assert zarr.open("h.zarr")["packed_dosage"].attrs["gt_packed"]["ploidy"] == 1'
        unpacked h.zarr | cmp - want
        unpacked $from | cmp - <(if [ $from = slashes.vcf ]; then calls < $from; else cat want; fi) # records stay as they are
    done
    gt-pack -q --no-version - -o - < h.bcf | gt-unpack -q - | calls | cmp - want
    gt-unpack -q -O bcf h.zarr -o u.bcf
    bcftools view -H u.bcf | cut -f 10- | cmp - want
    gt-unpack -q -O npy h.zarr -o u.npy
    "$PYTHON" -c 'import numpy as np; a = np.load("u.npy"); b = [[-1 if c == "." else int(c) for c in l.split()] for l in open("want")]; assert (a == b).all()'
    for layout in plain calls packed; do
        gt-rechunk -q -f --layout $layout h.zarr -o $layout.zarr
        unpacked $layout.zarr | cmp - want
    done
    gt-rechunk -q --layout plain calls.zarr -o back.zarr
    unpacked back.zarr | cmp - want
    "$PYTHON" -c 'import zarr; assert zarr.open("calls.zarr")["call_genotype"].shape[2] == 1'
    gt-pack -q --layout vcz h.vcf -o vcz.zarr
    gt-pack -q vcz.zarr -o vp.zarr
    unpacked vp.zarr | cmp - want
    # of ploidy 2, as PLINK has it, where that is asked for
    [ "$(gt-unpack -q -O npy --ploidy 2 h.vcf -o two.npy && "$PYTHON" -c 'import numpy as n; print(n.unique(n.load("two.npy")))')" = "[-1  0  2]" ]
    gt-unpack -q -f -O npy --ploidy 2 h.zarr -o same.npy
    cmp two.npy same.npy
}

@test "calls whose second allele is a fill value are haploid, also where MT is the only contig" {
    need_numpy
    for contig in c MT; do haploid_by_fill $contig; done
}

haploid_by_fill() { # CONTIG
    rm -rf p.zarr k.zarr d.zarr
    "$PYTHON" - $1 << 'PY'
import sys, numpy as np, zarr
g = zarr.open("p.zarr", "w")
calls = np.full((6, 4, 2), -2, "i1")
calls[:, :, 0] = np.random.default_rng(1).integers(0, 2, (6, 4))
calls[2, 1, 0] = -1
g.array("call_genotype", calls, chunks=(2, 3, 2)).attrs["_ARRAY_DIMENSIONS"] = ["variants", "samples", "ploidy"]
for name, value in {"variant_position": np.arange(1, 7, dtype="i4"), "variant_contig": np.zeros(6, "i1")}.items():
    g.array(name, value).attrs["_ARRAY_DIMENSIONS"] = ["variants"]
g.array("variant_allele", np.array([["A", "C"]] * 6, "O"), dtype=str)
g.array("contig_id", np.array([sys.argv[1]], "O"), dtype=str)
g.array("sample_id", np.array(list("abcd"), "O"), dtype=str)
np.savetxt("want", calls[:, :, 0], fmt="%d", delimiter="\t")
PY
    gt-pack -q p.zarr -o k.zarr
    gt-unpack -q k.zarr | calls | sed 's/\./-1/g' | cmp - want
    gt-rechunk -q --layout plain p.zarr -o d.zarr
    gt-unpack -q d.zarr | calls | sed 's/\./-1/g' | cmp - want
    # differences count once
    [ "$(gt-pdist -q -m mismatches -s a,b -O tsv p.zarr | tail -n 1 | cut -f 2)" = "$(awk '$1 >= 0 && $2 >= 0 { n++; d += $1 != $2 } END { print d * NR / n }' want)" ]
}

@test "haploid allele counts of 2 are no calls" {
    need_numpy
    printf '1 0 1 .\n1 1 0 0\n' | vcf 1 > h.vcf
    gt-pack -q h.vcf -o h.zarr
    gt-rechunk -q --layout plain h.zarr -o d.zarr
    gt-rechunk -q --layout calls d.zarr -o c.zarr
    [ "$(gt-unpack -q c.zarr | calls)" = "$(calls < h.vcf)" ]
    "$PYTHON" -c 'import zarr; zarr.open("d.zarr/call_dosage")[0, 1] = 2'
    refused 3 "has dosages that are not calls of one allele: they are not -1, 0 or 1" gt-rechunk --layout calls d.zarr -o none.zarr
    [ ! -e none.zarr ]
}

@test "gt-info --stats: AC and AN of bcftools, no heterozygotes" {
    need_numpy
    need bcftools
    py write 40 300 2 > h.vcf
    gt-info -q --stats variants h.vcf > table
    py stats table
    bcftools +fill-tags h.vcf -- -t AC,AN 2> /dev/null | bcftools query -f '%AC\t%AN\n' > tags || skip "no fill-tags"
    awk -F '\t' 'NR > 1 { print $11 "\t" $6 }' table | cmp - tags
    gt-info -q --stats samples h.vcf | awk -F '\t' 'NR > 1 && ($5 + $7 != $2 || $6 != "nan" || $8 != "nan" || $10 != 0 || $13 != "nan") { exit 1 }'
    gt-info -q --json --stats samples h.vcf | "$PYTHON" -c 'import json, sys; assert all(s["het"] is None and s["f"] is None for s in json.load(sys.stdin))'
}

@test "--maf, --mac, --geno and --polymorphic keep what bcftools keeps" {
    need_numpy
    need bcftools
    py write 40 300 3 > h.vcf
    gt-pack -q h.vcf -o h.zarr
    while IFS='|' read -r ours theirs; do
        # shellcheck disable=SC2086
        bcftools query -f '%ID\n' $theirs h.vcf > want
        [ -s want ]
        [ "$(wc -l < want)" -lt 300 ]
        for from in h.vcf h.zarr; do
            # shellcheck disable=SC2086
            gt-unpack -q $ours $from | grep -v '^#' | cut -f 3 | cmp - want || { echo "$ours $from"; return 1; }
        done
    done << 'TABLE'
--maf 0.3|-i MAF>=0.3
--mac 1|-i MAC>=1
--mac 3|-i MAC>=3
--mac 12|-i MAC>=12
--geno 0.03|-i F_MISSING<=0.03
--polymorphic|-i MAC>=1
TABLE
}

@test "gt-pdist: metrics by their definitions on one allele" {
    need_numpy
    py write 25 150 4 > h.vcf
    for metric in mismatches allele-count cityblock ibs 1-ibs ibs-prob ibs0 hamming grm grm-vanraden weir-goudet; do
        py pdist $metric || { echo $metric; return 1; }
    done
    py pdist mismatches --missing ignore
    refused 2 "-m king needs heterozygous calls, and 'h.vcf' is haploid" gt-pdist -m king h.vcf
    refused 2 "--missing plink is for diploid data" gt-pdist -m mismatches --missing plink h.vcf
    refused 2 "--haplotypes needs heterozygous calls" gt-pdist --haplotypes h.vcf
    # counts know it, alone and merged
    for metric in ibs grm mismatches; do
        gt-pdist -q -m $metric h.vcf -o want.tsv -f
        gt-pdist -q -m $metric -O counts --part 1/2 h.vcf -o 1.counts -f
        gt-pdist -q -m $metric -O counts --part 2/2 h.vcf -o 2.counts -f
        gt-pdist -q -m $metric --merge 1.counts 2.counts -o got.tsv -f
        cmp got.tsv want.tsv
    done
    gt-pdist -q -m mismatches -O counts --ploidy 2 --part 2/2 h.vcf -o 3.counts
    refused 3 "or of another ploidy" gt-pdist -m mismatches --merge 1.counts 3.counts
    gt-unpack -q --ploidy 2 h.vcf -o d.vcf
    refused 3 "'h.vcf' is haploid, but 'd.vcf' is diploid" gt-pdist --cols d.vcf h.vcf -O npy -o o.npy
}

@test "gt-svd: the scale of one allele, and models that know their ploidy" {
    need_numpy
    py write 30 400 5 > h.vcf
    for scale in binomial patterson center standard none; do
        for algorithm in krylov gram compressed; do
            py svd $scale $algorithm || { echo "$scale $algorithm"; return 1; }
        done
    done
    gt-svd -q -k 3 --loadings -O zarr h.vcf -o m.zarr -f
    gt-svd -q --project m.zarr -O npy h.vcf -o p -f
    "$PYTHON" - << 'PY'
import numpy as np, zarr, glob
m = zarr.open("m.zarr")
assert m.attrs["gt_svd"]["ploidy"] == 1 and m["variant_mean"][:].max() < 1
PY
    refused 3 "the model is of haploid data, and 'h.vcf' is diploid" gt-svd --ploidy 2 --project m.zarr h.vcf -o q
}

@test "a diploid call after haploid ones is an error with hints; --ploidy says otherwise" {
    local n
    n=$(by_level 4000 40000 40000)
    {
        vcf c < <(for _ in $(seq $n); do echo "c 0 1 ."; done)
        printf 'c\t900000\t.\tA\tC\t.\t.\t.\tGT\t1/1\t0/0\t.\n'
    } > late.vcf
    for from in late.vcf "-"; do
        refused 3 "line $((n + 5)) (c:900000): sample 'a' has genotype '1/1': a diploid call after haploid calls" gt-pack $from -o x.zarr < late.vcf
        [[ "$stderr" == *"hint: --ploidy 2 counts haploid calls as homozygous, --ploidy 1 counts homozygous calls as haploid"* ]]
        [ ! -e x.zarr ]
    done
    [ "$(unpacked --ploidy 2 late.vcf | sort | uniq -c | tr -s ' \t\n' ' ')" = " $n 0/0 1/1 ./. 1 1/1 0/0 ./. " ]
    [ "$(unpacked --ploidy 1 late.vcf | sort | uniq -c | tr -s ' \t\n' ' ')" = " $n 0 1 . 1 1 0 . " ]
    sed -i '$ s,0/0,0/1,' late.vcf
    refused 3 "a heterozygous call in data that is read as haploid" gt-pack --ploidy 1 late.vcf -o x.zarr
    [[ "$stderr" == *"bcftools +setGT"* ]]
    vcf c <<< 'c 0/0 1/1 ./.' > d.vcf # by itself it is diploid data
    [ "$(unpacked d.vcf)" = $'0/0\t1/1\t./.' ]
    [ "$(unpacked --ploidy 1 d.vcf)" = $'0\t1\t.' ]
    gt-unpack -q d.vcf -o d.bed
    [ "$(unpacked --ploidy 1 d.bed)" = $'0\t1\t.' ]
    vcf c <<< 'c 0/1 1/1 ./.' > het.vcf
    gt-unpack -q het.vcf -o het.bed
    refused 3 "sample 'a' at variant 1: a heterozygous call" gt-unpack --ploidy 1 het.bed
}

# Through a store; from VCF directly the calls are copied.
restored() { gt-pack -q -f "$@" -o restored.zarr && unpacked restored.zarr; }

@test "mixed data stays as PLINK has it; X, Y and MT decide only where there is nothing else" {
    vcf "MT 1" < <(printf 'MT 0 1 .\n1 0/1 1/1 0\n') > mixed.vcf
    [ "$(restored mixed.vcf)" = $'0/0\t1/1\t./.\n0/1\t1/1\t0/0' ]
    vcf "chrM chr1" <<< 'chrM 0 1 .' > mt.vcf
    [ "$(restored mt.vcf)" = $'0/0\t1/1\t./.' ]
    [ "$(unpacked --ploidy 1 mt.vcf)" = $'0\t1\t.' ]
    vcf "chrM" <<< 'chrM 0 1 .' > alone.vcf
    [ "$(restored alone.vcf)" = $'0\t1\t.' ]
    printf 'a 1\nb 1\nc 1\n' > sex
    [ "$(unpacked --sex sex alone.vcf)" = $'0/0\t1/1\t./.' ]
    vcf "c" <<< 'c 0/1 1 ./.' > first.vcf
    [ "$(restored first.vcf)" = $'0/1\t1/1\t./.' ]
    # many haploid calls before the first diploid one
    vcf "MT 1" < <(for i in {1..1000}; do echo MT 0 1 1; done; echo 1 0/1 1/1 0/0) > many.vcf
    gt-pack -q -f --layout vcz --chunks variants=100 many.vcf -o many.vcz
    [ "$(gt-pdist -q -m cityblock -O tsv many.vcz | sed 1d)" = $'a\t0\t2001\t2001\nb\t2001\t0\t2\nc\t2001\t2\t0' ]
    # inputs of both kinds are mixed data; samples beside one another are not
    vcf "c d" <<< 'd 1 1 .' > one.vcf
    [ "$(restored first.vcf one.vcf)" = $'0/1\t1/1\t./.\n1/1\t1/1\t./.' ]
    sed 's/\ta\tb\tc$/\td\te\tf/; s/^c/d/' first.vcf > beside.vcf
    refused 3 "'beside.vcf' is diploid, but the inputs before it are haploid" gt-unpack --concat samples one.vcf beside.vcf
    [ "$(unpacked --ploidy 2 --concat samples one.vcf beside.vcf)" = $'1/1\t1/1\t./.\t0/1\t1/1\t./.' ]
}

@test "what is about heterozygotes is refused, and what contradicts --ploidy" {
    vcf c < <(printf 'c 0 1 .\nc 1 1 0\n') > h.vcf
    refused 2 "--hwe needs heterozygous calls, and 'h.vcf' is haploid" gt-pack --hwe 0.1 h.vcf -o x.zarr
    printf 'a 1\n' > sex
    refused 2 "--ploidy 1 cannot be combined with --sex" gt-pack --ploidy 1 --sex sex h.vcf -o x.zarr
    refused 2 "--ploidy 3: allele counts are of haploid (1) or diploid (2) data" gt-pack --ploidy 3 h.vcf -o x.zarr
    refused 2 "'--ploidy' must be at least 1" gt-pack --ploidy 0 h.vcf -o x.zarr
    gt-pack -q h.vcf -o h.zarr
    run gt-info --check h.zarr
    [ "$status" -eq 0 ]
}

@test "gt-svd --project of haploid data: REF and ALT may be swapped" {
    need_numpy
    py write 30 400 5 > h.vcf
    awk -F '\t' -v OFS='\t' '!/^#/ && NR % 2 { x = $4; $4 = $5; $5 = x; for (i = 10; i <= NF; i++) if ($i != ".") $i = 1 - $i } 1' h.vcf > swapped.vcf
    gt-svd -q -k 3 --loadings -O zarr h.vcf -o m.zarr -f
    for from in h swapped; do
        gt-svd -q --project m.zarr -O npy $from.vcf -o $from.npy -f
    done
    "$PYTHON" -c 'import numpy as np; a, b = np.load("h.npy"), np.load("swapped.npy"); assert np.abs(a).max() > 0.1 and np.allclose(a, b, rtol=0, atol=1e-9), (a, b)'
}
