#!/usr/bin/env bats
# gt-pdist --rows and --cols against the samples of another input.

bats_require_minimum_version 1.5.0

. "$GT_SOURCE/test/support/pdist.bash"

setup() {
    cd "$BATS_TEST_TMPDIR" || exit 1
    gt-sim -q --samples 170 --variants 900 --missing 0.05 --contigs 2 --seed 7 -O packed -o all.zarr
    for i in $(seq 170); do echo "S$i"; done > ids
    head -n 70 ids > a.ids
    tail -n 100 ids > b.ids
    gt-pack -q -S a.ids all.zarr -o a.zarr
    gt-pack -q --chunks variants=130 -S b.ids all.zarr -o b.zarr
}

# The second samples as a VCF, b.vcf.
make_vcf() {
    gt-sim -q --samples 170 --variants 900 --missing 0.05 --contigs 2 --seed 7 -O vcf -o all.vcf
    { grep '^##' all.vcf && grep -v '^##' all.vcf | cut -f 1-9,80-179; } > b.vcf
}

@test "rows of one input and columns of another: the bytes of --rows and --cols within one, by any metric" {
    for metric in cityblock king correlation hamming ibs; do
        gt-pdist -q -m $metric --rows a.ids --cols b.ids all.zarr > want.tsv
        gt-pdist -q -m $metric --cols b.zarr a.zarr | cmp - want.tsv
        gt-pdist -q -m $metric --rows a.zarr b.zarr | cmp - want.tsv
    done
    make_vcf
    gt-pdist -q -m ibs --cols b.vcf a.zarr | cmp - want.tsv
    timeout 60 gt-pdist -q -m ibs --rows a.zarr < b.vcf | cmp - want.tsv
    sed -n '5p;2p' a.ids > some
    gt-pdist -q -m ibs --rows some --cols b.ids all.zarr > some.tsv
    gt-pdist -q -m ibs --rows some --cols b.zarr a.zarr | cmp - some.tsv
    gt-pdist -q -m ibs --rows <(cat some) --cols b.zarr a.zarr | cmp - some.tsv
    gt-pdist -q -m ibs --cols b.zarr -S some a.zarr | cmp - some.tsv
    gt-pdist -q -m ibs -r 2 --rows a.ids --cols b.ids all.zarr > second.tsv
    gt-pdist -q -m ibs -r 2 --cols b.zarr a.zarr | cmp - second.tsv
    [ "$(gt-pdist -q -m ibs -O pairs --cols a.zarr a.zarr | awk -F '\t' '$1 == $2 && $3 == 1' | wc -l)" -eq 70 ]
}

@test "another input: the same bytes for any threads and memory, in parts and in several passes" {
    gt-pdist -q --rows a.ids --cols b.ids -O npy all.zarr -o want.npy
    gt-pdist -q -@ 1 --memory 34M --cols b.zarr -O npy a.zarr -o got.npy
    cmp want.npy got.npy
    cmp want.npy.id got.npy.id
    for i in 1 2 3; do gt-pdist -q --part $i/3 --cols b.zarr a.zarr; done > parts.tsv
    gt-pdist -q --rows a.ids --cols b.ids all.zarr | cmp - parts.tsv
    gt-sim -q --samples 1500 --variants 60 --missing 0.05 --seed 8 -O packed -o c.zarr
    gt-sim -q --samples 1400 --variants 60 --missing 0.05 --seed 8 -O packed -o d.zarr
    [[ "$(gt-pdist -n -@ 1 --memory 40M --cols d.zarr -m correlation c.zarr)" =~ passes\ +([0-9]+) ]]
    [ "${BASH_REMATCH[1]}" -gt 1 ]
    gt-pdist -q -@ 1 --memory 40M --cols d.zarr -m correlation -O npy c.zarr -o few.npy
    gt-pdist -q --cols d.zarr -m correlation -O npy c.zarr -o many.npy
    cmp few.npy many.npy
}

@test "rows of one array against those of another" {
    "$PYTHON" -c 'import numpy, scipy' 2> /dev/null || skip "no python3-scipy"
    "$PYTHON" -c 'import numpy as np
r = np.random.RandomState(9); np.save("a.npy", r.rand(70, 33)); np.save("b.npy", r.rand(41, 33)); np.save("narrow.npy", r.rand(4, 32)); np.save("v.npy", np.eye(33))'
    for metric in euclidean correlation canberra jensenshannon; do
        gt-pdist -q -f -m $metric --cols b.npy -O npy a.npy -o $metric.npy
    done
    "$PYTHON" -c 'import numpy as np
from scipy.spatial.distance import cdist
for m in "euclidean", "correlation", "canberra", "jensenshannon":
    assert np.allclose(np.load(m + ".npy"), cdist(np.load("a.npy"), np.load("b.npy"), m), rtol=1e-12), m'
    run gt-pdist -q --cols narrow.npy a.npy
    [ "$status" -eq 3 ]
    [[ "$output" == *"'a.npy' has 33 columns, but 'narrow.npy' has 32"* ]]
    run gt-pdist -q -m mahalanobis --vi v.npy --cols b.npy a.npy
    [ "$status" -eq 2 ]
    [[ "$output" == *"-m mahalanobis compares rows of one array"* ]]
    run gt-pdist -q --cols b.npy a.zarr
    [ "$status" -eq 3 ]
    [[ "$output" == *"'a.zarr' has genotypes but 'b.npy' does not"* ]]
}

@test "another input of other sites is refused, and what has no meaning" {
    make_vcf
    awk -F '\t' 'BEGIN { OFS = "\t" } !/^#/ && ++n == 500 { $2++ } { print }' b.vcf > moved.vcf
    awk -F '\t' 'BEGIN { OFS = "\t" } !/^#/ && ++n == 500 { t = $4; $4 = $5; $5 = t } { print }' b.vcf > turned.vcf
    head -n -1 b.vcf > short.vcf
    sed 's/^\([12]\t\)/chr\1/; s/ID=\([12]\)/ID=chr\1/' b.vcf > chr.vcf
    gt-pdist -q --cols b.vcf a.zarr > /dev/null
    refuses << 'EOF'
3|--cols moved.vcf a.zarr|where 'moved.vcf' has
3|--cols turned.vcf a.zarr|have different alleles, or another order of them, at
3|--cols short.vcf a.zarr|, but 'short.vcf' has ended
3|--cols chr.vcf a.zarr|where 'chr.vcf' has chr1:
2|--rows a.zarr --cols b.zarr all.zarr|are both inputs
2|--between variants --cols b.zarr a.zarr|variants are compared within one input
2|-m grm --cols b.zarr a.zarr|needs the frequencies of all samples
2|-O triangle --cols b.zarr a.zarr|--rows and --cols need
2|--merge --cols b.zarr a.zarr|--cols cannot be combined with --merge
1|--cols none.zarr a.zarr|none.zarr
EOF
    run gt-pdist -q --cols b.zarr a.zarr -o b.zarr -f
    [ "$status" -eq 2 ]
    [ -e b.zarr/.zgroup ] || [ -e b.zarr/zarr.json ]
    run gt-pdist -q --cols b.vcf a.zarr -o b.vcf -f
    [ "$status" -eq 2 ]
}
