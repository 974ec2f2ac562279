#!/usr/bin/env bash
# A store back to VCF.gz, BCF and .bed: against bcftools view -Oz from BCF and plink2 --make-bed,
# whole process against whole process, alternating runs, medians and the median of the ratios.
#   unpack.sh [SAMPLES [VARIANTS [RUNS]]]      needs GT_BIN; default 2504 50000 3
set -euo pipefail
# shellcheck source=scripts/lib-bench.sh
source "$(dirname "${BASH_SOURCE[0]}")/../lib-bench.sh"
samples=${1:-2504} variants=${2:-50000} runs=${3:-3}
cd "$work"

gt-sim -q -@ "$threads" --samples "$samples" --variants "$variants" --missing 0.01 --seed 1 -o x.zarr
gt-unpack -q x.zarr -o x.bcf
gt-unpack -q x.zarr -o x.bed
gt-unpack -q x.zarr | gt-pack -q --layout vcz - -o gt.vcz
gt-unpack -q --thin 5 x.zarr | "$PYTHON" "$TOP/scripts/bench-parts/vcz_fields.py" "$variants" | gt-pack -q --layout vcz - -o fields.vcz
for x in gt fields; do gt-unpack -q $x.vcz -o $x.bcf; done

for ((i = 0; i < runs; i++)); do
    timed ours gt-unpack -q -@ "$threads" -f x.zarr -o out.vcf.gz
    timed six gt-unpack -q -@ "$threads" --level 6 -f x.zarr -o six.vcf.gz
    timed theirs bcftools view -Oz x.bcf -o view.vcf.gz
    timed theirs2 bcftools view -Oz --threads "$threads" x.bcf -o view2.vcf.gz
    timed bcf gt-unpack -q -@ "$threads" -f x.zarr -o out.bcf
    timed text gt-unpack -q -@ "$threads" -f x.zarr -o out.vcf
    timed bed gt-unpack -q -@ "$threads" -f x.zarr -o out.bed
    timed copy cp x.bed copy.bed
    for x in gt fields; do
        timed $x.ours gt-unpack -q -@ "$threads" -f $x.vcz -o $x.vcf.gz
        timed $x.theirs bcftools view -Oz $x.bcf -o view.vcf.gz
    done
done
for x in gt fields; do paste $x.theirs.s $x.ours.s | awk '{ print $1 / $2 }' > $x.ratio; done
paste theirs.s ours.s | awk '{ print $1 / $2 }' > ratio
paste theirs2.s ours.s | awk '{ print $1 / $2 }' > ratio2
printf '%-52s %8s %10s\n' "$samples x $variants, $threads threads, $runs runs" "median s" "MB"
row() { printf '%-52s %8.2f %10.1f\n' "$1" "$(median "$2.s")" "$(stat -c %s "$3" | awk '{ print $1 / 1e6 }')"; }
row "gt-unpack x.zarr -o x.vcf.gz" ours out.vcf.gz
row "gt-unpack --level 6 x.zarr -o x.vcf.gz" six six.vcf.gz
row "bcftools view -Oz x.bcf" theirs view.vcf.gz
row "bcftools view -Oz --threads $threads x.bcf" theirs2 view2.vcf.gz
row "gt-unpack x.zarr -o x.bcf" bcf out.bcf
row "gt-unpack x.zarr -o x.vcf" text out.vcf
row "gt-unpack x.zarr -o x.bed" bed out.bed
row "cp x.bed" copy copy.bed
printf '%-52s %8.2f\n' "VCF.gz: times as fast as bcftools view" "$(median ratio)" "with --threads $threads" "$(median ratio2)"
for x in gt fields; do
    row "gt-unpack $x.vcz -o x.vcf.gz" $x.ours $x.vcf.gz
    row "bcftools view -Oz $x.bcf" $x.theirs view.vcf.gz
    printf '%-52s %8.2f\n' "$x.vcz: times as fast as bcftools view" "$(median $x.ratio)"
done
