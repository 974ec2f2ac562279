#!/usr/bin/env bats
# gt-pdist: variants of several ALT alleles, each of which counts separately.

bats_require_minimum_version 1.5.0

. "$GT_SOURCE/test/support/pdist.bash"

setup() {
    cd "$BATS_TEST_TMPDIR" || exit 1
    export PYTHONPATH=$GT_SOURCE/test/support PYTHONDONTWRITEBYTECODE=1
}

need_numpy() { "$PYTHON" -c 'import numpy' 2> /dev/null || skip "no python3-numpy"; }

# x.vcf, x.bcf and x.zarr
make() { # SAMPLES VARIANTS KIND [PACK-OPTION...]
    SEED=$1 "$PYTHON" -c "import alleles_oracle; alleles_oracle.write('x.vcf', $1, $2, '$3')"
    bcftools view -Ob -o x.bcf x.vcf
    rm -rf x.zarr
    gt-pack -q --layout vcz "${@:4}" x.vcf -o x.zarr
}

is() { # PYTHON: what d.npy has to be
    "$PYTHON" -c "from alleles_oracle import *; check('d.npy', $1)"
}

@test "mismatches, ibs-prob and weir-goudet are their definitions by allele: 33 samples" {
    need_numpy
    for kind in diploid mixed; do
        make 33 50 $kind --chunks variants=17,samples=30
        for metric in mismatches ibs-prob; do
            gt-pdist -q -f -m $metric -O npy x.zarr -o d.npy
            is "by_definition('x.vcf', '$metric'), '$metric' != 'mismatches'"
        done
        gt-pdist -q -f -m weir-goudet -O npy x.bcf -o d.npy
        is "weir_goudet('x.vcf')"
    done
    gt-pdist -q -f -m mismatches --missing ignore --half-call haploid -O npy x.vcf -o d.npy
    is "by_definition('x.vcf', 'mismatches', 'ignore', 'haploid')"
}

@test "mismatches, ibs-prob and weir-goudet are their definitions by allele: VCF, BCF and a store of calls" {
    need_numpy
    for shape in "2 9" "33 50" "64 40" "65 60" "129 30"; do
        for kind in diploid mixed haploid; do
            # shellcheck disable=SC2086
            make $shape $kind --chunks variants=17,samples=30
            for metric in mismatches ibs-prob; do
                gt-pdist -q -f -m $metric -O npy x.vcf -o d.npy
                is "by_definition('x.vcf', '$metric'), '$metric' != 'mismatches'"
                for file in x.bcf x.zarr; do gt-pdist -q -m $metric -O npy $file -o - | cmp - d.npy; done
            done
            [ "$kind" = haploid ] && continue
            gt-pdist -q -f -m weir-goudet -O npy x.bcf -o d.npy
            is "weir_goudet('x.vcf')"
        done
    done
    for half in haploid reference; do
        make 40 50 mixed
        for file in x.vcf x.bcf x.zarr; do
            gt-pdist -q -f -m mismatches --missing ignore --half-call $half -O npy $file -o d.npy
            is "by_definition('x.vcf', 'mismatches', 'ignore', '$half')"
        done
    done
}

@test "two homozygotes of different ALTs share nothing, and 0/1 and 0/2 one allele" {
    { gt-sim -q --samples 5 --variants 1 --seed 1 -O vcf -o - | grep '^#'; printf '1\t5\t.\tA\tC,G,*\t.\t.\t.\tGT\t1/1\t2/2\t0/1\t0/2\t2/3\n'; } > x.vcf
    row() { gt-pdist -q -m "$1" "${@:2}" x.vcf | sed -n 2p | cut -f 2-; }
    [ "$(row mismatches)" = "$(printf '0\t2\t1\t2\t2')" ]
    [ "$(row ibs-prob)" = "$(printf '1\t0\t0.5\t0\t0')" ]
    [ "$(row mismatches --missing plink)" = "$(printf '0\t0\t1\t1\t0')" ] # as PLINK, which has one ALT
    [ "$(row cityblock)" = "$(printf '0\t0\t1\t1\t0')" ]
    gt-pdist -m mismatches x.vcf 2>&1 > /dev/null | grep "1 multiallelic variant: each ALT allele counts separately"
    gt-pdist -m cityblock x.vcf 2>&1 > /dev/null | grep "1 multiallelic variant: all ALT alleles of a variant count as one"
    gt-pack -q x.vcf -o x.zarr 2> /dev/null
    gt-pdist -m mismatches x.zarr 2>&1 > d | grep "1 multiallelic variant: all ALT alleles of a variant count as one"
    [ "$(sed -n 2p d | cut -f 2-)" = "$(printf '0\t0\t1\t1\t0')" ]
    gt-pdist -m mismatches --json x.vcf -o d.tsv | grep -q '"multiallelic_pooled": *0'
    gt-pdist -m mismatches --json -f x.zarr -o d.tsv | grep -q '"multiallelic_pooled": *1'
    gt-pdist -n -m mismatches x.vcf | grep "half of it for multiallelic variants"
    run ! grep -q "multiallelic" <(gt-pdist -n -m mismatches x.zarr; gt-pdist -n -m ibs x.vcf)
}

@test "distances of haplotypes are of their alleles, and all ALTs count as one in the other metrics" {
    need_numpy
    for shape in "2 9" "33 50" "65 40"; do
        # shellcheck disable=SC2086
        make $shape phased --chunks variants=17,samples=30
        for file in x.vcf x.bcf x.zarr; do
            for metric in hamming cityblock euclidean; do
                gt-pdist -q -f --haplotypes -m $metric -O npy $file -o d.npy
                is "haplotypes('x.vcf', '$metric'), False"
            done
        done
        for half in haploid reference; do
            gt-pdist -q -f --haplotypes --half-call $half -m hamming -O npy x.bcf -o d.npy
            is "haplotypes('x.vcf', 'hamming', '$half'), False"
        done
    done
    awk 'BEGIN { FS = OFS = "\t" } /^#/ { print; next } { $5 = "C"; for (i = 10; i <= NF; i++) gsub(/[0-9]+/, "&x", $i); for (i = 10; i <= NF; i++) { gsub(/[1-9][0-9]*x/, "1", $i); gsub(/0x/, "0", $i) } print }' x.vcf > one.vcf
    for metric in cosine correlation dice jaccard yule; do
        gt-pdist -q --haplotypes -m $metric x.vcf > a
        gt-pdist -q --haplotypes -m $metric one.vcf | cmp - a
    done
}

@test "alleles: the same bytes for any threads, kernels, memory, chunks, streams, inputs and parts" {
    make 300 120 mixed --chunks variants=37,samples=100
    bcftools index x.bcf
    for metric in mismatches ibs-prob; do
        gt-pdist -q -@ 1 -m $metric -O npy x.vcf -o $metric.npy
        same() { gt-pdist -q -f -m $metric -O npy -o d.npy "$@" && cmp d.npy $metric.npy; }
        for level in ref avx2 avx512 avx512vbmi avx512amx; do
            GT_CPU=$level gt-pdist --version > /dev/null 2>&1 || continue
            GT_CPU=$level same -@ 3 x.bcf
        done
        for file in x.vcf x.bcf x.zarr; do
            least=$(gt-pdist -n -@ 1 -m $metric --memory 20M $file 2>&1 | grep -o 'memory [0-9]*M' | grep -o '[0-9]*M')
            gt-pdist -n -@ 1 -m $metric --memory "$least" $file | grep -q '^passes  *[2-9]'
            same -@ 1 --memory "$least" $file
            same -@ 2 --memory 40M $file
        done
        same -@ 1 --memory 33M - < x.vcf
        gt-pack -q --layout vcz x.vcf -o - | same -
        bcftools view -r 1 -Oz -o one.vcf.gz x.bcf
        bcftools view -r 2 -Ob -o two.bcf x.bcf
        same one.vcf.gz two.bcf
        for part in 1 2 3; do gt-pdist -q -f -m $metric -O counts --part $part/3 x.bcf -o $part.counts; done
        same --merge 3.counts 1.counts 2.counts
        gt-pdist -q -f -m $metric -O counts one.vcf.gz -o 1.counts
        gt-pdist -q -f -m $metric -O counts two.bcf -o 2.counts
        same --merge --sum 1.counts 2.counts
    done
    run gt-pdist -m ibs --merge 1.counts
    [ "$status" -eq 2 ]
    [[ "$output" == *"lacks the count 'abs'"* ]]
}

@test "alleles: samples are chosen, side by side and in rectangles, and sites are filtered before they are split" {
    make 90 150 mixed --chunks variants=37,samples=20
    gt-pdist -q -m mismatches x.vcf > all
    some() { awk -F '\t' -v OFS='\t' -v want="$1" 'BEGIN { n = split(want, id, ",") } NR == 1 { for (i = 2; i <= NF; i++) at[$i] = i }
        NR > 1 { row[$1] = $0 }
        END { for (k = 0; k <= n; k++) { if (k) split(row[id[k]], x); line = k ? id[k] : "id"; for (j = 1; j <= n; j++) line = line OFS (k ? x[at[id[j]]] : id[j]); print line } }' all; }
    some s70,s3,s4,s41 > want
    for file in x.vcf x.bcf x.zarr; do
        gt-pdist -q -m mismatches -s s70,s3,s4,s41 $file | cmp - want
    done
    bcftools view -I -s "$(seq -s, -f s%g 0 39)" x.vcf > a.vcf
    bcftools view -I -s "$(seq -s, -f s%g 40 89)" -Ob -o b.bcf x.vcf
    gt-pack -q --layout vcz b.bcf -o b.zarr
    gt-pdist -q -m mismatches --concat samples a.vcf b.bcf | cmp - all
    gt-pdist -q -m mismatches --concat samples a.vcf b.zarr | cmp - all
    gt-pack -q b.bcf -o p.zarr 2> /dev/null
    gt-pdist -m mismatches --concat samples a.vcf p.zarr 2>&1 > /dev/null | grep "all ALT alleles of a variant count as one"
    printf 's7\ns80\ns9\n' > rows
    gt-pdist -q -m mismatches --rows rows x.bcf | cmp - <(awk 'NR == FNR { n[NR] = $1; next } { line[$1] = $0 } END { print line["id"]; for (i = 1; i <= 3; i++) print line[n[i]] }' rows all)
    rm -rf x.zarr/variant_allele x.zarr/.zmetadata # calls alone tell of several ALTs
    gt-pdist -q -m mismatches x.zarr | cmp - all
    for options in "--maf 0.3" "--max-alleles 4 --geno 0.3" "--rm-dup force-first" "--ld-prune 50,5,0.2" "--mind 0.25 --thin 3" "--biallelic"; do
        # shellcheck disable=SC2086
        gt-pack -q -f --layout vcz $options x.vcf -o some.zarr
        # shellcheck disable=SC2086
        gt-pdist -q -m mismatches $options x.vcf > d
        gt-pdist -q -m mismatches some.zarr | cmp - d
    done
    gt-pack -q --biallelic x.vcf -o two.zarr
    gt-pdist -q -m mismatches two.zarr | cmp - <(gt-pdist -q -m mismatches --biallelic x.vcf)
    gt-pdist -q -m mismatches --split-multiallelic x.vcf > d # an ALT a row, the other ones count as REF
    gt-pack -q --split-multiallelic x.vcf -o split.zarr
    gt-pdist -q -m mismatches split.zarr | cmp - d
}
