#!/usr/bin/env bash
# Packing against bcftools view -Ob: the same VCF.gz, whole process against whole
# process, alternating runs, medians and the median of the ratios.
#   pack.sh [SAMPLES [VARIANTS [RUNS]]]      needs GT_BIN; default 2504 100000 5
set -euo pipefail
samples=${1:-2504} variants=${2:-100000} runs=${3:-5} threads=${GT_THREADS:-2}
PATH=$GT_BIN:$PATH
work=$(mktemp -d "${TMPDIR:-/tmp}/bench-pack.XXXXXX")
trap 'rm -rf "$work"' EXIT
cd "$work"

gt-sim -q -@ "$threads" --samples "$samples" --variants "$variants" --missing 0.01 --seed 1 -O vcf -o x.vcf.gz
bcftools view -Ob --threads "$threads" x.vcf.gz -o x.bcf
gt-pack -q x.bcf -o x.zip
ls -l --block-size=K x.vcf.gz x.bcf x.zip | awk '{ print $NF, $5 }'

# seconds FILE COMMAND...: appends the wall time to FILE
seconds() {
    local file=$1 from to
    shift
    from=$(date +%s%N)
    "$@" > /dev/null
    to=$(date +%s%N)
    echo "$(((to - from) / 1000))" | awk '{ printf "%.4f\n", $1 / 1e6 }' >> "$file"
}
median() { sort -g "$1" | awk '{ x[NR] = $1 } END { print NR % 2 ? x[(NR + 1) / 2] : (x[NR / 2] + x[NR / 2 + 1]) / 2 }'; }

for ((i = 0; i < runs; i++)); do
    seconds pack gt-pack -q -@ "$threads" -f x.vcf.gz -o out.zarr
    seconds view bcftools view -Ob x.vcf.gz -o out.bcf
    seconds view2 bcftools view -Ob --threads "$threads" x.vcf.gz -o out.bcf
    seconds read zcat x.vcf.gz
    seconds frombcf gt-pack -q -@ "$threads" -f x.bcf -o out.zarr
    seconds repack gt-pack -q -@ "$threads" -f x.zip -o out.zarr
done
paste view pack | awk '{ print $1 / $2 }' > ratio
paste view2 pack | awk '{ print $1 / $2 }' > ratio2
printf '%-44s %8s\n' "$samples x $variants, $threads threads, $runs runs" "median s"
printf '%-44s %8.2f\n' "gt-pack x.vcf.gz" "$(median pack)" "bcftools view -Ob x.vcf.gz" "$(median view)" \
    "bcftools view -Ob --threads $threads x.vcf.gz" "$(median view2)" "zcat x.vcf.gz" "$(median read)" \
    "gt-pack x.bcf" "$(median frombcf)" "gt-pack x.zip (packed)" "$(median repack)"
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
