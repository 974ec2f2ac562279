#!/usr/bin/env bash
# Complete VCF Zarr against bio2zarr: the same VCF.gz, whole process against whole process,
# alternating runs, medians and the median of the ratios; with GT alone, unphased and phased,
# real calls repeated with their positions shifted (where GT_TEST_DATA has them), and
# GT:AD:DP:GQ:PL, made by rule of the same genotypes.  Each run has an output of its own and
# nothing is removed before the end: where a thousand files were removed some minutes ago, ext4
# takes several times as long to make new ones.
#   vcz.sh [SAMPLES [VARIANTS [FIELDVARIANTS [RUNS]]]]      needs GT_BIN; default 2504 100000 20000 3
set -euo pipefail
# shellcheck source=scripts/lib-bench.sh
source "$(dirname "${BASH_SOURCE[0]}")/../lib-bench.sh"
samples=${1:-2504} variants=${2:-100000} fieldvariants=${3:-20000} runs=${4:-3}
peer=$(dirname "$(bio2zarr "$TOP/build/bio2zarr")")/vcf2zarr
[ -x "$peer" ] || { echo "no bio2zarr: see build/bio2zarr.log" >&2; exit 1; }
cd "$work"

gt-sim -q -@ "$threads" --samples "$samples" --variants "$variants" --missing 0.01 --seed 1 -O vcf -o gt.vcf.gz
gt-unpack -q --slice ":$fieldvariants" -O vcf gt.vcf.gz -o - | "$PYTHON" "$TOP/scripts/bench-parts/vcz_fields.py" "$fieldvariants" | bgzip > fields.vcf.gz
gt-sim -q -@ "$threads" --samples "$samples" --variants "$variants" --missing 0.01 --seed 1 --phased -O vcf -o phased.vcf.gz
names=(gt phased fields)
real=$GT_TEST_DATA/vcf/1kg_phase3_chr22_16-16.5mb.vcf.gz
if [ -f "$real" ]; then
    zcat "$real" | awk -v OFS='\t' -v most="$variants" '/^#/ { print; next } { line[n++] = $0 }
        END { for (i = 0; i < most; i++) { $0 = line[i % n]; $2 += int(i / n) * 600000; print } }' FS='\t' | bgzip -@ "$threads" > real.vcf.gz
    names=(gt phased real fields)
fi
for x in "${names[@]}"; do bcftools index "$x.vcf.gz" 2> index.log; done
ls -l --block-size=K ./*.vcf.gz | awk '{ print $NF, $5 }'

for x in "${names[@]}"; do
    for ((i = 0; i < runs; i++)); do
        timed "$x.ours" gt-pack -q -@ "$threads" --layout vcz "$x.vcf.gz" -o "ours.$x.$i.vcz"
        timed "$x.peer" "$peer" convert -Q -p "$threads" "$x.vcf.gz" "peer.$x.$i.vcz"
    done
    paste "$x.peer.s" "$x.ours.s" | awk '{ print $1 / $2 }' > "$x.ratio"
    "$(dirname "$peer")/python" "$TOP/test/support/vcz_oracle.py" "ours.$x.0.vcz" "peer.$x.0.vcz"
    du -s --apparent-size --block-size=K "ours.$x.0.vcz" "peer.$x.0.vcz" | awk '{ print $2, $1 }'
done
printf '%-52s %8s\n' "$samples samples, $threads threads, $runs runs" "median s"
for x in "${names[@]}"; do
    n=$variants
    [ "$x" != fields ] || n=$fieldvariants
    printf '%-52s %8.2f\n' "gt-pack --layout vcz $x.vcf.gz ($n variants)" "$(median "$x.ours.s")" "vcf2zarr convert -p $threads $x.vcf.gz" \
        "$(median "$x.peer.s")" "times as fast" "$(median "$x.ratio")"
done
