#!/usr/bin/env bash
# A store back to VCF.gz, BCF and .bed against bcftools view -Oz from BCF, VCF Zarr back to VCF text and VCF.gz against vcztools view
# (text, and through bgzip) and bcftools, and .pgen to .bed and to a store against plink2 --make-bed: whole process against whole
# process, alternating runs, medians and the median of the ratios.
#   unpack.sh [SAMPLES [VARIANTS [RUNS]]]      needs GT_BIN; default 2504 50000 3; a fifth of the variants have AD:DP:GQ:PL too
set -euo pipefail
# shellcheck source=scripts/lib-bench.sh
source "$(dirname "${BASH_SOURCE[0]}")/../lib-bench.sh"
samples=${1:-2504} variants=${2:-50000} runs=${3:-3}
vcztools=$(dirname "$(vcztools "$TOP/build/vcztools")")/vcztools
[ -x "$vcztools" ] || echo "no vcztools: see build/vcztools.log" >&2
cd "$work"

gt-sim -q -@ "$threads" --samples "$samples" --variants "$variants" --missing 0.01 --seed 1 -o x.zarr
gt-unpack -q x.zarr -o x.bcf
gt-unpack -q x.zarr -o x.bed
gt-unpack -q x.zarr | gt-pack -q --layout vcz - -o gt.vcz
gt-unpack -q --thin 5 x.zarr | "$PYTHON" "$TOP/scripts/bench-parts/vcz_fields.py" "$variants" | gt-pack -q --layout vcz - -o fields.vcz
for x in gt fields; do gt-unpack -q $x.vcz -o $x.bcf; done
plink2 --threads "$threads" --bfile x --make-pgen --out x > /dev/null

# What is written is not there yet: to replace a file takes time of its own.
fresh() {
    local name=$1 out=$2
    shift 2
    rm -rf "$out" "$out.csi"
    timed "$name" "$@"
}
peer() { "$vcztools" view "$1" > view.vcf; }
peer_gz() { "$vcztools" view "$1" | bgzip -@ "$threads" > peer.vcf.gz; }
export -f peer peer_gz
export vcztools threads

for ((i = 0; i < runs; i++)); do
    fresh ours out.vcf.gz gt-unpack -q -@ "$threads" x.zarr -o out.vcf.gz
    fresh six six.vcf.gz gt-unpack -q -@ "$threads" --level 6 x.zarr -o six.vcf.gz
    fresh theirs view.vcf.gz bcftools view -Oz x.bcf -o view.vcf.gz
    fresh theirs2 view2.vcf.gz bcftools view -Oz --threads "$threads" x.bcf -o view2.vcf.gz
    fresh bcf out.bcf gt-unpack -q -@ "$threads" x.zarr -o out.bcf
    fresh text out.vcf gt-unpack -q -@ "$threads" x.zarr -o out.vcf
    fresh bed out.bed gt-unpack -q -@ "$threads" -f x.zarr -o out.bed
    fresh copy copy.bed cp x.bed copy.bed
    fresh pgen.bed pgen.bed gt-unpack -q -@ "$threads" -f x.pgen -o pgen.bed
    fresh pgen.theirs plink.bed plink2 --threads "$threads" --pfile x --make-bed --out plink
    fresh pgen.zarr pgen.zarr gt-pack -q -@ "$threads" x.pgen -o pgen.zarr
    fresh bed.zarr bed.zarr gt-pack -q -@ "$threads" x.bed -o bed.zarr
    for x in gt fields; do
        fresh $x.ours $x.vcf.gz gt-unpack -q -@ "$threads" $x.vcz -o $x.vcf.gz
        fresh $x.text $x.vcf gt-unpack -q -@ "$threads" $x.vcz -o $x.vcf
        fresh $x.theirs $x.view.vcf.gz bcftools view -Oz $x.bcf -o $x.view.vcf.gz
        [ -x "$vcztools" ] || continue
        fresh $x.peer view.vcf bash -c "peer $x.vcz"
        fresh $x.peer_gz peer.vcf.gz bash -c "peer_gz $x.vcz"
        mv peer.vcf.gz $x.peer.vcf.gz
    done
done
ratio() { paste "$1.s" "$2.s" | awk '{ print $1 / $2 }' | median; }
printf '%-52s %8s %10s\n' "$samples x $variants, $threads threads, $runs runs" "median s" "MB"
row() { printf '%-52s %8.2f %10.1f\n' "$1" "$(median "$2.s")" "$(du -s --apparent-size -B1 "$3" | awk '{ print $1 / 1e6 }')"; }
row "gt-unpack x.zarr -o x.vcf.gz" ours out.vcf.gz
row "gt-unpack --level 6 x.zarr -o x.vcf.gz" six six.vcf.gz
row "bcftools view -Oz x.bcf" theirs view.vcf.gz
row "bcftools view -Oz --threads $threads x.bcf" theirs2 view2.vcf.gz
row "gt-unpack x.zarr -o x.bcf" bcf out.bcf
row "gt-unpack x.zarr -o x.vcf" text out.vcf
row "gt-unpack x.zarr -o x.bed" bed out.bed
row "cp x.bed" copy copy.bed
times() { printf '%-52s %8.2f\n' "  times as fast as $1" "$(ratio "$2" "$3")"; }
times "bcftools view -Oz" theirs ours
times "bcftools view -Oz --threads $threads" theirs2 ours
for x in gt fields; do
    row "gt-unpack $x.vcz -o x.vcf.gz" $x.ours $x.vcf.gz
    row "bcftools view -Oz $x.bcf" $x.theirs $x.view.vcf.gz
    times "bcftools view -Oz" $x.theirs $x.ours
    row "gt-unpack $x.vcz -o x.vcf" $x.text $x.vcf
    [ -x "$vcztools" ] || continue
    row "vcztools view $x.vcz > x.vcf" $x.peer $x.vcf
    row "vcztools view $x.vcz | bgzip -@ $threads > x.vcf.gz" $x.peer_gz $x.peer.vcf.gz
    times "vcztools view, text against text" $x.peer $x.text
    times "vcztools view | bgzip, VCF.gz against VCF.gz" $x.peer_gz $x.ours
    times "vcztools view, VCF.gz against text" $x.peer $x.ours
done
row "gt-unpack x.pgen -o x.bed" pgen.bed pgen.bed
row "plink2 --pfile x --make-bed" pgen.theirs plink.bed
times "plink2 --make-bed" pgen.theirs pgen.bed
row "gt-pack x.pgen -o x.zarr" pgen.zarr pgen.zarr
row "gt-pack x.bed -o x.zarr" bed.zarr bed.zarr
