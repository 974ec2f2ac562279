#!/usr/bin/env bats
# The numbers of --json, of notes and of plans, counted in Python.

bats_require_minimum_version 1.5.0

setup() {
    cd "$BATS_TEST_TMPDIR" || exit 1
    "$PYTHON" -c 'import numpy, zarr' 2> /dev/null || skip "no python3-zarr"
    export GT_THREADS=3
}

py() { "$PYTHON" "$GT_SOURCE/test/support/summary_counts.py" "$@"; }
# has TEXT...: each is a line of the plan, blanks as they come.
has() {
    local text
    sed 's/  */ /g' plan > lines
    for text in "$@"; do grep -qxF -- "$text" lines || { echo "no '$text' in:" && cat plan && return 1; }; done
}

kept=s0,s2,s3,s4,s6,s7,s8,s9,s11,s12,s13

@test "gt-pack: samples, variants, calls by kind, bytes and files; what each filter dropped" {
    py make > x.vcf
    gt-pack --json --polyploid missing -s $kept x.vcf -o x.zarr > json 2> notes
    py pack x.vcf json x.zarr notes
    printf '2\t501\t9000\n1\n3\n' > regions
    gt-pack --json --polyploid missing -s $kept --contigs 1,2 -r 1,2:501-9000,3 --pass --max-alleles 3 --snps --polymorphic --geno 0.2 --maf 0.1 \
        --mac 4 --hwe 0.3 x.vcf -o y.zarr > json 2> notes
    py dropped x.vcf json notes
    gt-pack -n -s $kept x.vcf --polyploid missing -o z.zarr > plan
    has "samples 11" "variants unknown before the end"
}

@test "gt-unpack: what came in, what went out, multiallelic variants that .bed cannot have" {
    py make > x.vcf
    gt-pack -q --polyploid missing x.vcf -o x.zarr
    gt-unpack --json -s $kept --skip-multiallelic x.zarr -o x.bed > json 2> notes
    many=$(grep -v '^#' x.vcf | cut -f 5 | grep -c ,)
    py json_has json samples=11 samples_in=14 variants=$((240 - many)) variants_in=240 dropped_multiallelic="$many"
    grep -q ": kept 11 of 14 samples$" notes
    grep -q ": kept $((240 - many)) of 240 variants$" notes
    grep -q ":   $many dropped with several ALT alleles " notes
    grep -q ": 11 samples, $((240 - many)) variants: " notes
    gt-unpack -n --skip-multiallelic -r 2 x.zarr -o y.bed > plan
    has "samples 14"
}

@test "gt-pdist: samples, variants, pairs, overlap, calls by kind" {
    py make > x.vcf
    gt-pdist --json --polyploid missing -m ibs x.vcf -o d.tsv > json 2> notes
    py pdist x.vcf json notes
    gt-pack -q --polyploid missing x.vcf -o x.zarr
    gt-pdist -n -m ibs x.zarr > plan
    has "samples 14" "variants unknown before the end; at most 240" "pairs 91" "passes 1"
    gt-pdist -n -m ibs --contigs all x.zarr > plan
    has "variants 240" "pairs 91" "pair-sites 2.18e+04"
    gt-pdist -n -m ibs --part 2/3 x.zarr -o d.counts > plan
    grep -q '^part  *2 of 3: [1-9][0-9]* of 14 rows$' plan
}

@test "gt-svd: variants used and monomorphic ones, trace, variance explained; of a model, which variants were found" {
    py make > x.vcf
    for k in 1 4; do
        gt-svd --json --polyploid missing -k $k --algorithm gram x.vcf -f -o x > json 2> notes
        py svd x.vcf json $k notes
    done
    gt-svd -n --polyploid missing -k 3 --algorithm gram x.vcf -o y > plan
    has "samples 14" "components 3" "passes 1" "variants unknown before the end"
    # the model has 100 variants; of these the data has 4 not, 9 with REF and ALT swapped, 7 with other alleles, 5 twice, and 30 more
    gt-sim -q --samples 60 --variants 130 --contigs 1 --spectrum common --seed 4 -O bed -o s.bed
    gt-unpack -q s.bed -o s.vcf
    { grep '^#' s.vcf && grep -v '^#' s.vcf | head -n 100; } > m.vcf
    gt-svd -q -k 2 --loadings m.vcf -o m.npy
    awk -v OFS='\t' '/^#/ { print; next }
        { v++; if (v <= 4) next
          if (v <= 13) { t = $4; $4 = $5; $5 = t; for (i = 10; i <= NF; i++) $i = $i == "0/0" ? "1/1" : $i == "1/1" ? "0/0" : $i }
          else if (v <= 20) $5 = $5 == "A" || $4 == "A" ? ($5 == "C" || $4 == "C" ? "G" : "C") : "A"
          print; if (v > 20 && v <= 25) print }' s.vcf > data.vcf
    gt-svd --json --project m.model.zip data.vcf -o p.tsv > json 2> notes
    py json_has json samples=60 components=2 model=100 same=80 swapped=9 absent=11 other_alleles=7 duplicates=5 unknown=30 empty=0
    grep -q ": 89 variants of the model's 100 found, 9 with REF and ALT swapped" notes
    printf '%s\n' S1 S2 S3 S9 S20 S33 > fit
    gt-svd -k 2 --fit fit s.vcf -o f.tsv 2> notes2
    grep -q ': 54 samples projected onto the PCs of 6$' notes2
    grep -q ': 7 variants excluded: alleles differ from the model' notes
    grep -q ': 30 variants excluded: not in the model' notes
    grep -q ": 5 duplicates excluded: the model's variant was already found" notes
}

@test "arrays: gt-svd's and gt-pdist's shapes, ranks and missing values; gt-sim's and gt-rechunk's" {
    "$PYTHON" -c '
import numpy as np
x = np.random.default_rng(1).normal(size=(50, 3)) @ np.random.default_rng(2).normal(size=(3, 9))
np.save("x.npy", x)
x[[1, 5, 7], [2, 3, 2]] = np.nan
np.save("gaps.npy", x)'
    gt-svd -q --json -k 5 x.npy -o u > json 2> notes
    py json_has json rows=50 columns=9 components=5 rank=3 missing=0 centered=false 'algorithm="tsqr"'
    gt-svd --json -k 3 --center --missing mean gaps.npy -f -o u > json 2> notes
    py json_has json rows=50 columns=9 components=3 missing=3 centered=true
    grep -q ': 3 missing values replaced by the mean of the column' notes
    gt-svd -n -k 5 x.npy -o u > plan
    has "rows 50" "columns 9" "values 5"
    gt-pdist -q --json -m euclidean x.npy -o d.tsv > json
    py json_has json rows=50 columns=9 pairs=1225 passes=1
    gt-pdist -n -m euclidean x.npy > plan
    has "rows 50" "columns 9" "pairs 1,225" "pair-sites 1.1e+04"
    gt-sim -q --json --samples 7 --variants 11 --seed 5 -o s.vcf > json
    py json_has json samples=7 variants=11 'format="vcf"' seed=5
    gt-sim -q --json --samples 7 --variants 11 --uniform 0..9 --seed 6 -o s.zarr > json
    py json_has json samples=7 variants=11 seed=6
}

@test "gt-info: keys, chunks and bytes of each array, and of --check; gt-rechunk: those read, written and copied" {
    gt-sim -q --samples 70 --variants 500 --missing 0.1 --chunks variants=64,samples=24 --seed 1 -o s.zarr
    gt-info --json s.zarr > json
    gt-info --json --check s.zarr > checked
    py info s.zarr json checked
    "$PYTHON" -c 'import zarr; g = zarr.open("t.zarr", "w"); g.create_dataset("x", shape=(30, 7), chunks=(4, 3), dtype="f4"); g["x"][5:9, :4] = 1'
    gt-info --json t.zarr > json
    gt-info --json --check t.zarr > checked
    py info t.zarr json checked
    for chunks in 64,24 32,12; do
        gt-rechunk -q -f --json -c $chunks s.zarr -o r.zarr > json
        py rechunk s.zarr r.zarr json
    done
}

@test "plans: shapes, chunks, files and bytes are those of what is written then" {
    gt-sim -q --samples 70 --variants 500 --missing 0.1 --chunks variants=64,samples=24 --seed 1 -o s.zarr
    for options in '-c 32,12' '-c 500,70'; do
        # shellcheck disable=SC2086
        gt-rechunk -n -f $options s.zarr -o r.zarr > plan
        # shellcheck disable=SC2086
        gt-rechunk -q -f $options s.zarr -o r.zarr
        py plan plan s.zarr r.zarr
    done
    gt-rechunk -v -f -@ 2 -c 32,12 --array packed_dosage s.zarr -o r.zarr 2> notes
    for stage in 'decode/decode: 24' 'decompress/zstd: 24' 'encode/encode: 96' 'encode/commit: 96' 'compress/zstd: 96'; do
        grep -qE "^gt-rechunk: $stage tasks, [0-9.]+ s at work, [0-9.]+ s waiting$" notes
    done
    bytes() { find "$1" -type f ! -name '.*' -printf '%s\n' | awk '{ n += $1 } END { printf "%.1f KiB", n / 1024 }'; }
    grep -q ": 1 array: $(bytes s.zarr/packed_dosage) read, $(bytes r.zarr) written, " notes
    gt-sim -n --samples 70 --variants 500 --contigs 1 --chunks variants=64,samples=24 -o t.zarr > plan
    gt-sim -q --samples 70 --variants 500 --contigs 1 --chunks variants=64,samples=24 -o t.zarr
    has "shape 500 variants x 70 samples" "values 3.5e+04" "chunks 64 variants x 24 samples" "files $(find t.zarr -type f | wc -l)"
    gt-pack -n -s S1,S2,S9,S30,S70 --chunks variants=100,samples=4 s.zarr -o p.zarr > plan
    gt-pack -q -s S1,S2,S9,S30,S70 --chunks variants=100,samples=4 s.zarr -o p.zarr
    has "samples 5" "variants 500" "chunks 100 variants x 4 samples" "files $(find p.zarr -type f | wc -l)" "row groups 5, of 2 genotype chunks each"
    gt-svd -n -k 3 --algorithm gram s.zarr -o u > plan
    has "matrix 38.3 KiB" # 8 * 70 * 70
    gt-info -n --check s.zarr > plan
    has "$(find s.zarr -type f ! -name '.*' | wc -l) stored chunks of 15 arrays are read and decoded, $(find s.zarr -type f -printf '%s\n' |
        awk '{ n += $1 } END { printf "%.1f KiB", n / 1024 }') in the store"
    gt-pi -n --points 1e9 --chunks 7 > plan
    has "points 1,000,000,000" "bytes 16,000,000,000 (16 a point, none stored)" "chunks 7" "chunk 142,857,143 points, 2,285,714,288 bytes (2.1 GiB)"
}

@test "every kind of input counts the variants that it skips" {
    command -v bcftools > /dev/null && command -v tabix > /dev/null || skip "no bcftools"
    py make | sed 's|\([01234.]/\)\{2\}[0-9.]|./.|g' > x.vcf
    bgzip -kf x.vcf
    tabix -fp vcf x.vcf.gz
    bcftools view -Ob x.vcf -o x.bcf 2> /dev/null
    bcftools index -f x.bcf
    gt-pack -q --chunks variants=16 x.vcf -o x.zarr
    gt-pack -q --chunks variants=16 x.vcf -o - > x.tar
    gt-pack -q --layout vcz --chunks variants=16 x.vcf -o x.vcz
    gt-sim -q --samples 5 --variants 240 --contigs 3 -O bed -o x.bed
    awk -v OFS='\t' '{ $4 = 1 + 100 * ((NR - 1) % 80) } 1' x.bim > y.bim
    mv y.bim x.bim
    local kind options left key
    for kind in vcf vcf.gz bcf zarr tar vcz bed; do
        while read -r left key options; do
            # shellcheck disable=SC2086
            gt-pack -q -f --json $options x.$kind -o o.zarr > json
            py json_has json variants="$left" variants_in=240
            grep -q "\"$key\": $((240 - left))," json || { echo "$kind $options" && cat json && return 1; }
        done << TABLE
25 region -r 2:501-3000
1 region -r 3:7901-
80 contigs --contigs 2
160 contigs --not-chr 2
10 slice --slice 100:110
35 thin --thin 7
TABLE
    done
}
