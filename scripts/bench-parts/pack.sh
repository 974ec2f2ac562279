#!/usr/bin/env bash
# Packing against bcftools view -Ob: the same VCF.gz, whole process against whole
# process, alternating runs, medians and the median of the ratios.
#   pack.sh [SAMPLES [VARIANTS [RUNS]]]      needs GT_BIN; default 2504 100000 5
set -euo pipefail
# shellcheck source=scripts/lib-bench.sh
source "$(dirname "${BASH_SOURCE[0]}")/../lib-bench.sh"
samples=${1:-2504} variants=${2:-100000} runs=${3:-5}
cd "$work"

gt-sim -q -@ "$threads" --samples "$samples" --variants "$variants" --missing 0.01 --seed 1 -O vcf -o x.vcf.gz
bcftools view -Ob --threads "$threads" x.vcf.gz -o x.bcf
gt-pack -q x.bcf -o x.zip
ls -l --block-size=K x.vcf.gz x.bcf x.zip | awk '{ print $NF, $5 }'

for ((i = 0; i < runs; i++)); do
    timed pack gt-pack -q -@ "$threads" -f x.vcf.gz -o out.zarr
    timed view bcftools view -Ob x.vcf.gz -o out.bcf
    timed view2 bcftools view -Ob --threads "$threads" x.vcf.gz -o out.bcf
    timed read zcat x.vcf.gz
    timed frombcf gt-pack -q -@ "$threads" -f x.bcf -o out.zarr
    timed repack gt-pack -q -@ "$threads" -f x.zip -o out.zarr
done
paste view.s pack.s | awk '{ print $1 / $2 }' > ratio
paste view2.s pack.s | awk '{ print $1 / $2 }' > ratio2
printf '%-44s %8s\n' "$samples x $variants, $threads threads, $runs runs" "median s"
printf '%-44s %8.2f\n' "gt-pack x.vcf.gz" "$(median pack.s)" "bcftools view -Ob x.vcf.gz" "$(median view.s)" \
    "bcftools view -Ob --threads $threads x.vcf.gz" "$(median view2.s)" "zcat x.vcf.gz" "$(median read.s)" \
    "gt-pack x.bcf" "$(median frombcf.s)" "gt-pack x.zip (packed)" "$(median repack.s)"
printf '%-44s %8.2f\n' "times as fast as bcftools view" "$(median ratio)" "times as fast as bcftools view --threads" "$(median ratio2)"

# where the time goes: seconds per stage, over all threads
gt-pack -q -@ "$threads" -f x.vcf.gz -o out.zarr --trace trace.json
"$PYTHON" - << 'PY'
import collections, json
events = json.load(open("trace.json"))
events = events.get("traceEvents", events)
total = collections.Counter()
for e in events:
    if e.get("ph") == "X":
        total[e["name"]] += e["dur"] / 1e6
for name, s in total.most_common():
    print(f"  stage {name:<36} {s:8.2f}")
PY
