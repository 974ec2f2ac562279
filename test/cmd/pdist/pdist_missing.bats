#!/usr/bin/env bats
# gt-pdist: what missing genotypes do to a pair (--missing), and metrics against counts that
# others made.

bats_require_minimum_version 1.5.0

setup() { cd "$BATS_TEST_TMPDIR" || exit 1; }

need_numpy() { "$PYTHON" -c 'import numpy, scipy' 2> /dev/null || skip "no python3-numpy, python3-scipy"; }
need_data() { [ -e "$GT_TEST_DATA/README.md" ] || skip "no test data"; }

oracle() {
    cat > oracle.py << 'PY'
import numpy as np

def load(prefix):
    n = sum(1 for _ in open(prefix + ".fam"))
    rows = np.frombuffer(open(prefix + ".bed", "rb").read()[3:], "u1").reshape(-1, (n + 3) // 4)
    code = (rows[:, :, None] >> np.array([0, 2, 4, 6], "u1") & 3).reshape(len(rows), -1)[:, :n]
    return np.array([2, np.nan, 1, 0])[code].T  # samples by sites, of A1

def save(prefix, x):
    codes = np.where(np.isnan(x), 1, np.array([3, 2, 0])[np.nan_to_num(x).astype(int)]).T
    codes = np.pad(codes, ((0, 0), (0, -len(x) % 4))).reshape(len(codes), -1, 4)
    open(prefix + ".bed", "wb").write(b"\x6c\x1b\x01" + (codes << np.array([0, 2, 4, 6])).sum(2).astype("u1").tobytes())

def absolute(x):
    return np.array([np.nansum(abs(x - row), 1) for row in x])

def both(x, weights):
    known = (~np.isnan(x)).astype(float)
    return (known * weights) @ known.T

def plink_weights(x):
    known = (~np.isnan(x)).sum(0)
    p = np.nansum(x, 0) / np.maximum(2 * known, 1)
    p[known == 0] = 0.5
    return np.where((p == 0) | (p == 1), 1, p * (1 - p) * (p * p - p + 1))
PY
}

# sim PREFIX SAMPLES VARIANTS MISSING: a .bed set, with sites that nobody and everybody has, all
# heterozygous ones, and ones without any call.
sim() {
    gt-sim -q --samples "$2" --variants "$3" --missing "$4" --seed 11 -o "$1.bed"
    "$PYTHON" - "$1" << 'PY'
import sys; from oracle import *
x = load(sys.argv[1])
x[:, 3], x[:, 4], x[:, 5], x[:, 6:9] = 0, 2, 1, np.nan
x[0, 3] = x[0, 4] = np.nan
save(sys.argv[1], x)
PY
}

@test "--missing plink: sums over what PLINK's weights expect of the sites known of both" {
    need_numpy
    oracle
    for shape in "1 40 0.1" "5 60 0.2" "33 700 0" "130 3000 0.08" "40 20 1"; do
        # shellcheck disable=SC2086
        sim x $shape
        for metric in allele-count 1-ibs ibs mismatches cityblock; do gt-pdist -q -m $metric --missing plink x -o $metric.npy -f; done
        "$PYTHON" - "$shape" << 'PY'
import sys; from oracle import *
x, w = load("x"), plink_weights(load("x"))
with np.errstate(all="ignore"):
    d = absolute(x) * (w.sum() / both(x, w))
share = d / (2 * x.shape[1])
for name, want in ("allele-count", d), ("mismatches", d), ("cityblock", d), ("1-ibs", share), ("ibs", 1 - share):
    assert np.allclose(np.load(name + ".npy"), want, rtol=1e-9, atol=1e-12, equal_nan=True), (sys.argv[1], name)
PY
    done
}

@test "--missing plink: the files of PLINK 1.9 --distance, with and without missing calls" {
    command -v plink1.9 > /dev/null || skip "no plink1.9"
    need_numpy
    oracle
    for shape in "120 5000 0.08" "41 900 0.5" "64 1000 0"; do
        # shellcheck disable=SC2086
        sim x $shape
        for kind in "allele-ct allele-count dist" "ibs ibs mibs" "1-ibs 1-ibs mdist"; do
            read -r plink metric suffix <<< "$kind"
            plink1.9 --bfile x --distance square $plink --out p > log
            gt-pdist -q -O plink --plink-shape square -m $metric --missing plink x -o g
            "$PYTHON" - $suffix << 'PY'
import numpy as np, sys
# PLINK's weights have 32 bits: the sixth digit may be another one
a, b = np.loadtxt("g." + sys.argv[1]), np.loadtxt("p." + sys.argv[1])
assert (abs(a - b) <= 1.01e-5 * b).all() and (a == b).mean() > 0.99, (abs(a - b).max(), (a == b).mean())
PY
        done
    done
    "$PYTHON" -c 'from oracle import *; x = load("x"); x[np.isnan(x)] = 1; save("x", x)'
    plink1.9 --bfile x --distance square bin allele-ct --out p > log
    gt-pdist -q -O plink --plink-shape bin-square --missing plink x -o g
    cmp g.dist.bin p.dist.bin # complete: to the last bit
}

@test "HapMap: --missing plink is what PLINK 1.9 makes of real data" {
    command -v plink1.9 > /dev/null || skip "no plink1.9"
    need_data
    need_numpy
    x=$GT_TEST_DATA/pdist/hapmap279/hapmap279
    plink1.9 --bfile "$x" --distance square allele-ct ibs --out p > log
    gt-pdist -q -O plink --plink-shape square --missing plink "$x" -o g
    gt-pdist -q -O plink --plink-shape square --missing plink -m ibs "$x" -o g
    "$PYTHON" - << 'PY'
import numpy as np
for suffix in "dist", "mibs":
    a, b = np.loadtxt("g." + suffix), np.loadtxt("p." + suffix)
    assert (abs(a - b) <= 1.01e-5 * b).all() and (a == b).mean() > 0.999, (suffix, (a == b).mean())
PY
}

@test "--missing mean: scipy's distances of what was put in for missing calls" {
    need_numpy
    oracle
    for shape in "5 60 0.2" "33 700 0" "130 2000 0.08" "70 300 0.6"; do
        # shellcheck disable=SC2086
        sim x $shape
        metrics="euclidean sqeuclidean cityblock canberra braycurtis cosine correlation hamming jaccard dice yule russellrao"
        for metric in $metrics; do gt-pdist -q -m $metric --missing mean x -o $metric.npy -f; done
        # shellcheck disable=SC2086
        "$PYTHON" - "$shape" $metrics << 'PY'
import sys; from oracle import *
from scipy.spatial.distance import pdist, squareform
x = load("x")
x = x[:, (~np.isnan(x)).any(0)]  # a site without calls has no mean
x = np.where(np.isnan(x), np.nanmean(x, 0), x)
for name in sys.argv[2:]:
    want = squareform(pdist(x != 0 if name in ("dice", "jaccard", "yule", "russellrao") else x, name))
    got = np.load(name + ".npy")
    np.fill_diagonal(got, 0)  # russellrao is none
    assert np.allclose(got, want, rtol=1e-8, atol=3e-8), (sys.argv[1], name, abs(got - want).max())
PY
    done
}

@test "--missing plink and mean: the same bits for any threads, kernels, chunks, memory and parts" {
    gt-sim -q --samples 300 --variants 3000 --missing 0.05 --seed 5 -o x.zarr
    gt-pack -q --chunks variants=333,samples=100 x.zarr -o y.zarr
    for how in "-m ibs --missing plink" "-m correlation --missing mean" "-m jaccard --missing mean"; do
        # shellcheck disable=SC2086
        gt-pdist -q $how -O npy x.zarr > whole
        for args in "-@ 1" "-@ 3" "--memory 40M" "--memory 44M -@ 2"; do
            # shellcheck disable=SC2086
            gt-pdist -q $how $args -O npy y.zarr | cmp - whole || { echo "$how $args"; return 1; }
        done
        for level in ref avx2 avx512 avx512vbmi; do
            GT_CPU=$level gt-pdist -q -n x.zarr > /dev/null 2>&1 || continue # not of this cpu
            # shellcheck disable=SC2086
            GT_CPU=$level gt-pdist -q $how -O npy x.zarr | cmp - whole || { echo "$how $level"; return 1; }
        done
        # shellcheck disable=SC2086
        for part in 1 2 3; do gt-pdist -q $how -O npy --part $part/3 x.zarr; done | cmp - whole
    done
}

@test "samples and sites around the borders of words, panels and bit rows: sums by their definition, of rare and common variants" {
    "$PYTHON" - << 'PY'
import os, subprocess, numpy as np
few = os.environ.get("GT_TEST_LEVEL", "quick") == "quick"
random = np.random.default_rng(8)
sizes = [(1, 3), (2, 1), (3, 63), (31, 64), (33, 65), (64, 129), (65, 300), (127, 64), (129, 1), (511, 65), (512, 64), (513, 193), (577, 70), (1030, 66)]
for number, (n, sites) in enumerate(sizes):
    for turn, missing in enumerate([(0.03, 0.6, 0, 0.003)[number % 4]] if few and n < 512 else [0.02, 0.6, 0][:3 - few]):
        rate = np.where(random.random(sites) < 0.5, 2 / n, random.random(sites))
        x = random.binomial(2, np.minimum(rate, 1), (n, sites))
        known = random.random((n, sites)) >= missing
        if n > 5 and missing:
            known[-1, ::3], known[n // 2] = False, True  # the last sample misses many, one none
            known[:, sites // 2] = False  # and a site is missing in all
        code = np.array([3, 2, 0, 1])[np.where(known, x, 3)]  # of A1: two, one, none; missing
        code = np.vstack([code, np.zeros((-n % 4, sites), int)]).T.reshape(sites, -1, 4)
        with open("x.bed", "wb") as f:
            f.write(b"\x6c\x1b\x01" + (code << np.array([0, 2, 4, 6])).sum(2).astype("u1").tobytes())
        with open("x.fam", "w") as f:
            f.writelines("0 s%d 0 0 0 -9\n" % i for i in range(n))
        with open("x.bim", "w") as f:
            f.writelines("1 v%d 0 %d A C\n" % (v, v + 1) for v in range(sites))
        k = known.astype(float)
        of = [k * (x == g) for g in range(3)]
        both = k @ k.T
        table = [[of[a] @ of[b].T for b in range(3)] for a in range(3)]
        def sums(weight):
            return sum(weight(a, b) * table[a][b] for a in range(3) for b in range(3))
        l1, l2, ibs0 = sums(lambda a, b: abs(a - b)), sums(lambda a, b: (a - b) ** 2), sums(lambda a, b: abs(a - b) == 2)
        mean = np.where(known, x, (x * k).sum(0) / np.maximum(k.sum(0), 1))
        g = mean @ mean.T
        with np.errstate(invalid="ignore", divide="ignore"):
            het = [of[1] @ k.T, k @ of[1].T]
            wants = {
                "cityblock ignore": l1, "sqeuclidean ignore": l2, "cityblock rescale": l1 * sites / both, "euclidean rescale": np.sqrt(l2 * sites / both),
                "ibs rescale": 1 - l1 / (2 * both), "ibs0 rescale": ibs0 / both,
                "king rescale": 0.5 - l2 / (4 * np.minimum(*het)),
                "sqeuclidean mean": np.where(known.any(), np.diag(g)[:, None] + np.diag(g)[None] - 2 * g, np.nan)}
        for place, (what, want) in enumerate(wants.items()):
            metric, rule = what.split()
            if few and (number + turn + place) % 3:
                continue
            subprocess.run(["gt-pdist", "-q", "-m", metric, "--missing", rule, "-O", "npy", "x.bed", "-o", "d.npy"], check=True, stderr=subprocess.DEVNULL)
            got = np.load("d.npy")
            off = ~np.eye(n, dtype=bool)
            right = np.isclose(got, want, rtol=1e-12, atol=1e-6 if rule == "mean" else 1e-12, equal_nan=True) | ~off
            assert got.shape == (n, n) and right.all(), (n, sites, missing, what, np.argwhere(~right)[:5], got[~right][:5], want[~right][:5])
PY
}

@test "a rule of missing calls that a metric does not have is an error" {
    gt-sim -q --samples 9 --variants 50 --missing 0.1 -o x.zarr
    gt-sim -q --samples 9 --variants 50 --normal -O zarr -o x.plain
    for pair in "euclidean plink" "king plink" "grm plink" "hamming plink" "ibs mean" "king mean" "grm mean" "chebyshev mean" \
        "minkowski mean" "ibs literal" "grm literal"; do
        read -r metric rule <<< "$pair"
        run gt-pdist -q -m "$metric" --missing "$rule" x.zarr -o d.tsv
        [ "$status" -eq 2 ] || { echo "$pair"; return 1; }
        [[ "$output" == *"$metric"*"--missing $rule does not apply"* ]]
        [ ! -e d.tsv ]
    done
    for rule in "plink needs genotypes; this is a plain array" "literal needs integers"; do
        run gt-pdist -q -m cityblock --missing "${rule%% *}" x.plain -o d.tsv
        [ "$status" -eq 2 ]
        [[ "$output" == *"--missing $rule"* ]]
    done
    printf 'S1\nS2\n' > a
    for args in "--rows a" "--cols a"; do
        # shellcheck disable=SC2086
        run gt-pdist -q -m cityblock --missing mean $args x.zarr
        [ "$status" -eq 2 ]
        [[ "$output" == *"--missing mean needs the frequencies of all samples"* ]]
    done
    run gt-pdist -q -m cityblock --missing plink -O counts x.zarr -o c
    [ "$status" -eq 2 ]
    [[ "$output" == *"--missing plink needs weighted sums"* ]]
    [ ! -e c ]
    gt-pdist -q -m cityblock -O counts x.zarr -o c
    run gt-pdist -q -m cityblock --missing plink --merge c
    [ "$status" -eq 2 ]
    [[ "$output" == *"--missing plink applies when genotypes are counted, not with --merge"* ]]
}

@test "40 % missing in one sample: rescale keeps all neighbours, ignore makes it everybody's nearest" {
    need_numpy
    oracle
    gt-sim -q --samples 30 --variants 6000 --pops 3 --fst 0.1 --seed 2 -o x.bed
    gt-pdist -q --knn 9 x > complete.tsv
    "$PYTHON" -c 'from oracle import *; x = load("x"); x[12, np.random.default_rng(1).random(x.shape[1]) < 0.4] = np.nan; save("x", x)'
    gt-pdist -q --knn 9 x > rescale.tsv
    gt-pdist -q --knn 9 --missing ignore x > ignore.tsv
    "$PYTHON" - << 'PY'
def nearest(name):
    near = {}
    for line in list(open(name + ".tsv"))[1:]:
        a, b, _, _ = line.split("\t")
        near.setdefault(a, set()).add(b)
    return near
pop = dict(reversed(line.split()[:2]) for line in open("x.fam"))
complete, rescale, ignore = map(nearest, ("complete", "rescale", "ignore"))
assert len(complete) == 30 and all(len(b) == 9 for b in complete.values())
assert all(pop[a] == pop[b] for a in complete for b in complete[a])  # else this test says nothing
assert rescale == complete
assert all("S13" in ignore[a] for a in ignore if a != "S13"), ignore
PY
}

@test "pairs under half of the sites are counted in a warning, those without any are nan and counted" {
    need_numpy
    oracle
    gt-sim -q --samples 6 --variants 100 --seed 2 -o x.bed
    "$PYTHON" - << 'PY'
from oracle import *
x = load("x")
x[0, 50:], x[1, 49:], x[2, :49] = np.nan, np.nan, np.nan  # 50, 49 and 51 sites are left; 0 and 1 share 49, 0 and 2 one, 1 and 2 none
save("x", x)
PY
    # 0-1, 0-2, 1-2 and 1 with the three others
    run --separate-stderr gt-pdist -m cityblock x
    [ "$status" -eq 0 ]
    [[ "$stderr" == *"less than half of the variants are observed in both samples of 6 pairs; none in 1"* ]]
    [ "$(cut -f4 <<< "${lines[2]}")" = nan ] # S2 and S3
    [ "$(tr '\t' '\n' <<< "$output" | grep -c '^nan$')" -eq 2 ]
    gt-pdist --json -q -m ibs x -o d.tsv > json
    grep -q '"pairs_low_overlap": *6' json
    grep -q '"pairs_no_overlap": *1' json
    for how in "-m hamming" "-m 1-ibs --missing plink"; do
        # shellcheck disable=SC2086
        [ "$(gt-pdist -q $how x | tr '\t' '\n' | grep -c '^nan$')" -eq 2 ] || { echo "$how"; return 1; }
    done
    # a mean stands in for what is missing
    [ "$(gt-pdist -q -m cityblock --missing mean x | tr '\t' '\n' | grep -c '^nan$')" -eq 0 ]
}

@test "HapMap: whole counts to the last one, and metrics to the last bit of their formulas of these" {
    need_data
    need_numpy
    x=$GT_TEST_DATA/pdist/hapmap279
    for metric in cityblock sqeuclidean mismatches; do gt-pdist -q -m $metric --missing ignore -O npy "$x/hapmap279" -o $metric.npy; done
    gt-pdist -q --contigs all -m allele-count --missing ignore -O npy "$x/hapmap279" -o allele-count.npy
    for metric in euclidean hamming chebyshev; do gt-pdist -q -m $metric -O npy "$x/hapmap279" -o $metric.npy; done
    gt-pdist -q -m cityblock -O npy "$x/hapmap279" -o rescaled.npy
    for metric in ibs 1-ibs ibs0 king; do gt-pdist -q --contigs all -m $metric -O npy "$x/hapmap279" -o $metric.npy; done
    for metric in ibs-prob jaccard braycurtis canberra dice yule correlation cosine; do
        gt-pdist -q -m $metric --missing ignore -O npy "$x/hapmap279" -o $metric.npy
    done
    gt-pdist -q -O pairs "$x/hapmap279" -o pairs.tsv
    "$PYTHON" - "$x/pairwise" << 'PY'
import sys, numpy as np
ref = lambda name: np.load(f"{sys.argv[1]}/{name}.npy")
n, l1, l2, x = ref("N_pairwise_complete_int64"), ref("cityblock_pairwise_complete_int64"), ref("sqeuclidean_pairwise_complete_int64"), ref("X_int8_279x9088")
m = x.shape[1]
two = (l2 - l1) // 2
one = l1 - 2 * two
def same(name, want):
    got = np.load(name + ".npy")
    off = ~np.eye(len(got), dtype=bool)
    assert np.array_equal(got[off], np.asarray(want, float)[off], equal_nan=True), (name, np.nanmax(abs(got - want)))
def close(name, want, by=1e-13):
    assert np.allclose(np.load(name + ".npy"), want, rtol=0, atol=by, equal_nan=True), (name, np.nanmax(abs(np.load(name + ".npy") - want)))
same("cityblock", l1)
same("mismatches", l1)
same("allele-count", l1)
same("sqeuclidean", l2)
same("rescaled", l1 * (m / n))
same("euclidean", np.sqrt(l2 * (m / n)))
same("hamming", (one + two) / n)
same("chebyshev", np.where(two > 0, 2, one > 0))
same("1-ibs", l1 / (2 * n))
same("ibs", 1 - l1 / (2 * n))
same("ibs0", two / n)
count = lambda a, b: a.astype(float) @ b.astype(float).T  # of bools: exact
known = x >= 0
assert (count(known, known) == n).all()
het = count(x == 1, known)
same("king", 0.5 - l2 / (4 * np.minimum(het, het.T)))
v = np.where(known, x, 0)
xy, sx, sxx = count(v, v), count(v, known), count(v * v, known)
same("ibs-prob", (xy + count(np.where(known, 2 - x, 0), np.where(known, 2 - x, 0))) / 2 / (2 * n))
some = count(x > 0, x > 0)
either = count(x > 0, known) + count(x > 0, known).T - some
apart = either - some
same("jaccard", apart / either)
same("dice", apart / (apart + 2 * some))
same("braycurtis", l1 / (sx + sx.T))
third = count(x == 1, x == 2)
same("canberra", (3 * (two + one - third - third.T) + third + third.T) / 3)
only, neither = count(x > 0, x == 0), count(x == 0, x == 0)
same("yule", 2 * only * only.T / (some * neither + only * only.T))
close("cosine", 1 - xy / np.sqrt(sxx * sxx.T))
close("correlation", 1 - (n * xy - sx * sx.T) / np.sqrt((n * sxx - sx * sx) * (n * sxx - sx * sx).T))
lines = [line.split("\t") for line in open("pairs.tsv")][1:]
assert [int(line[3]) for line in lines] == list(n[np.tril_indices(len(n), -1)])
PY
}

@test "no variants, none that differ, no calls, one sample: 0 or nan, and no rule or metric fails" {
    printf '##fileformat=VCFv4.2\n##contig=<ID=1>\n##FORMAT=<ID=GT,Number=1,Type=String,Description="x">\n' > none.vcf
    printf '#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\ta\tb\n' >> none.vcf
    cp none.vcf alike.vcf
    printf '1\t%d\t.\tA\tC\t.\t.\t.\tGT\t0/0\t0/0\n' 1 2 3 >> alike.vcf
    sed 's,0/0,./.,g' alike.vcf > unknown.vcf
    while read -r how; do
        for input in none unknown alike; do
            local value=nan
            [ $input != alike ] || value=${how##*=}
            for samples in a,b a; do
                # shellcheck disable=SC2086
                got=$(gt-pdist -q -s $samples ${how%=*} $input.vcf | tail -n +2 | cut -f2- | tr '\t' '\n' | sort -u)
                [ "$got" = "$value" ] || { echo "$how $input $samples: $got"; return 1; }
            done
        done
    done << 'TABLE'
-m cityblock --missing plink=0
-m 1-ibs --missing plink=0
-m ibs --missing plink=1
-m euclidean --missing mean=0
-m jaccard --missing mean=0
-m correlation --missing mean=nan
-m cosine --missing mean=nan
-m weir-goudet=nan
-m grm=0
-m ibs-prob=1
TABLE
}
