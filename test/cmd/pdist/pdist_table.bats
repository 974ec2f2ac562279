#!/usr/bin/env bats
# gt-pdist -m table:FILE: a user's own metric, against numpy and against metrics that such a table can express.

bats_require_minimum_version 1.5.0

setup() { cd "$BATS_TEST_TMPDIR" || exit 1; }

need_numpy() { "$PYTHON" -c 'import numpy' 2> /dev/null || skip "no python3-numpy"; }

# table LINE...: a file of these lines
table() { printf '%s\n' "$@" > t.txt; }

refused() { # STATUS TEXT COMMAND...
    run --separate-stderr timeout 60 "${@:3}"
    # shellcheck disable=SC2154
    { [ "$status" -eq "$1" ] && [[ "${stderr_lines[0]}" == *"$2"* ]]; } || { echo "${*:3}: status $status: $output $stderr"; return 1; }
}

@test "random tables: the numbers of numpy, for every transform and rule of missing genotypes" {
    need_numpy
    gt-sim -q --samples 37 --variants 900 --missing 0.1 --seed 5 -o x.vcf.gz
    gt-pack -q x.vcf.gz -o x.zarr
    gt-unpack -q x.zarr -o x.npy
    cat > check.py << 'PY'
import subprocess, sys
import numpy as np
x = np.load("x.npy").astype(int)
x = x if x.shape[0] == 37 else x.T
known = x >= 0
n = (known[:, None] & known).sum(2)
rng = np.random.default_rng(7)
for trial in range(int(sys.argv[1])):
    t = rng.integers(-9, 9, (3, 3)) if trial % 2 else np.round(rng.random((3, 3)) * 4, 3)
    t = t + t.T
    transform = ["none", "sqrt", "mean", "1-mean"][trial // 2 % 4]
    t = abs(t) if transform == "sqrt" else t
    rule = ["rescale", "ignore"][trial // 8 % 2]
    open("t.txt", "w").write("transform %s # of the sum\n" % transform + "\n".join(" ".join(map(repr, row)) for row in t.tolist()) + "\n")
    want = np.zeros((37, 37))
    for a in range(3):
        for b in range(3):
            want += t[a, b] * ((x == a)[:, None] & (x == b)).sum(2)
    if transform in ("none", "sqrt") and rule == "rescale":
        want = want * (x.shape[1] / n)
    want = {"none": want, "sqrt": np.sqrt(want), "mean": want / n, "1-mean": 1 - want / n}[transform]
    for source in ("x.zarr", "x.vcf.gz"):
        subprocess.check_call(["gt-pdist", "-q", "-f", "-m", "table:t.txt", "--missing", rule, source, "-o", "d.npy"])
        d = np.load("d.npy")
        off = ~np.eye(37, dtype=bool)
        assert np.allclose(d[off], want[off], rtol=1e-12, atol=1e-12), (trial, transform, rule, abs(d - want)[off].max())
PY
    "$PYTHON" check.py 16
}

@test "tables that are other metrics: cityblock, hamming, ibs0 and ibs-prob to the last digits" {
    gt-sim -q --samples 20 --variants 700 --missing 0.05 --seed 6 -o x.zarr
    table "0 1 2" "1 0 1" "2 1 0"
    cmp <(gt-pdist -q -m table:t.txt x.zarr) <(gt-pdist -q -m cityblock x.zarr)
    table "# opposite homozygotes" "0,0,1" "0,0,0" "1,0,0" "transform mean"
    cmp <(gt-pdist -q -m table:t.txt x.zarr) <(gt-pdist -q -m ibs0 x.zarr)
    table "0 1 1" "1 0 1" "1 1 0" "transform mean"
    cmp <(gt-pdist -q -m table:t.txt x.zarr) <(gt-pdist -q -m hamming x.zarr)
    table "1 0.5 0" "0.5 0.5 0.5" "0 0.5 1" "transform mean"
    cmp <(gt-pdist -q -m table:t.txt x.zarr) <(gt-pdist -q -m ibs-prob x.zarr)
    table "0 1 4" "1 0 1" "4 1 0" "transform sqrt"
    cmp <(gt-pdist -q -m table:t.txt x.zarr) <(gt-pdist -q -m euclidean x.zarr)
    # counts of two halves, added
    gt-pdist -q -m table:t.txt --slice :350 x.zarr -o a.counts
    gt-pdist -q -m table:t.txt --slice 350: x.zarr -o b.counts
    cmp <(gt-pdist -q --merge --sum -m table:t.txt a.counts b.counts) <(gt-pdist -q -m euclidean x.zarr)
    table "1 0 0" "0 1 0" "0 0 1" "transform 1-mean"
    refused 2 "--tree needs distances" gt-pdist -m table:t.txt x.zarr --tree t.nwk
}

@test "haploid data: allele counts 0 and 1" {
    gt-sim -q --samples 9 --variants 200 --seed 6 -o x.vcf
    awk -F '\t' -v OFS='\t' '!/^#/ {for (i = 10; i <= NF; i++) $i = substr($i, 1, 1)} 1' x.vcf > h.vcf
    table "0 1 7" "1 0 7" "7 7 7"
    cmp <(gt-pdist -q -m table:t.txt h.vcf) <(gt-pdist -q -m cityblock h.vcf)
}

@test "what is no table, and what it does not apply to, is refused" {
    gt-sim -q --samples 5 --variants 30 -o x.zarr
    table "0 1 2" "1 0 1" "2 2 0"
    refused 3 "'t.txt' is not symmetric: 2 and 1 give 2, 1 and 2 give 1" gt-pdist -m table:t.txt x.zarr
    table "0 1 2" "1 0 1"
    refused 3 "a table has 3 lines of 3 numbers" gt-pdist -m table:t.txt x.zarr
    table "0 1 2" "1 0 1" "2 1 0 3"
    refused 3 "'t.txt', line 3: a table has 3 lines of 3 numbers" gt-pdist -m table:t.txt x.zarr
    table "0 1 2" "1 0 1" "2 1 0" "0 0 0"
    refused 3 "'t.txt', line 4: a table has 3 lines" gt-pdist -m table:t.txt x.zarr
    table "0 1 2" "1 0 x" "2 1 0"
    refused 3 "'t.txt', line 2: 'x' is not a number" gt-pdist -m table:t.txt x.zarr
    for line in "transform log" "transform" "transform mean mean"; do
        table "0 1 2" "1 0 1" "2 1 0" "$line"
        refused 3 "'t.txt', line 4: give one line 'transform" gt-pdist -m table:t.txt x.zarr
    done
    refused 1 "cannot open 'nowhere'" gt-pdist -m table:nowhere x.zarr
    table "0 1 2" "1 0 1" "2 1 0"
    refused 2 "compares genotypes, not numbers: --missing literal" gt-pdist -m table:t.txt --missing literal x.zarr
    refused 2 "PLINK does not define weights" gt-pdist -m table:t.txt --missing plink x.zarr
    gt-sim -q --samples 5 --variants 30 --normal -o p.zarr
    refused 2 "needs genotypes, not a plain array" gt-pdist -m table:t.txt p.zarr
}
