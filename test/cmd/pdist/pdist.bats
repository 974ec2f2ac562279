#!/usr/bin/env bats
# gt-pdist: answers against numpy and stored references, formats, limits, errors.

bats_require_minimum_version 1.5.0

setup() {
    cd "$BATS_TEST_TMPDIR" || exit 1
    chr22=$GT_TEST_DATA/vcf/1kg_phase3_chr22_16-16.5mb.vcf.gz
    hapmap=$GT_TEST_DATA/pdist/hapmap279
}

need_data() { [ -e "$GT_TEST_DATA/README.md" ] || skip "no test data"; }

# A VCF of four samples: dosages 0 1 2 ., 0 0 2 1, 2 . 1 1
small_vcf() {
    printf '##fileformat=VCFv4.2\n##contig=<ID=1>\n##FORMAT=<ID=GT,Number=1,Type=String,Description="x">\n'
    printf '#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\ta\tb\tc\td\n'
    printf '1\t10\t.\tA\tC\t.\t.\t.\tGT\t0/0\t0/1\t1/1\t./.\n'
    printf '1\t20\t.\tA\tC\t.\t.\t.\tGT\t0/0\t0|0\t1/1\t0/1\n'
    printf '1\t30\t.\tA\tC\t.\t.\t.\tGT\t1/1\t./.\t0/1\t1|0\n'
}

@test "npy into a pipe has no file of ids beside it" {
    small_vcf > s.vcf
    gt-pdist -q -O npy s.vcf -o d.npy
    [ -e d.npy.id ]
    mkfifo p
    timeout 60 cat p > piped.npy 3>&- &
    timeout 60 gt-pdist -q -O npy s.vcf -o p
    wait
    cmp d.npy piped.npy
    [ ! -e p.id ]
}

@test "a small matrix by hand, as tsv" {
    small_vcf > s.vcf
    run --separate-stderr gt-pdist -q -m sqeuclidean s.vcf
    [ "$status" -eq 0 ]
    # a,b: 1 + 0 over 2 of 3 sites; a,c: 4 + 4 + 1; a,d: 1 + 1 over 2; b,c: 1 + 4 over 2; b,d: 1 over 1; c,d: 1 + 0 over 2
    expected=$(printf 'id\ta\tb\tc\td\na\t0\t1.5\t9\t3\nb\t1.5\t0\t7.5\t3\nc\t9\t7.5\t0\t1.5\nd\t3\t3\t1.5\t0')
    [ "$output" = "$expected" ]
}

@test "--missing ignore, and error with exit 3" {
    small_vcf > s.vcf
    run --separate-stderr gt-pdist -q -m cityblock --missing ignore s.vcf
    [ "$status" -eq 0 ]
    [ "${lines[1]}" = "$(printf 'a\t0\t1\t5\t2')" ]
    run gt-pdist -q --missing error s.vcf -o d.tsv
    [ "$status" -eq 3 ]
    [[ "${lines[0]}" == "gt-pdist: s.vcf has missing genotypes" ]]
    [ ! -e d.tsv ]
    run --separate-stderr gt-pdist -q --missing error s.vcf
    [ "$status" -eq 3 ]
    [ -z "$output" ] # bad input is found before the first byte
}

@test "1000 Genomes: store, VCF and stream give numpy's squared distances, the same bytes for any -@" {
    need_data
    gt-pack -q "$chr22" -o c.zarr
    gt-pdist -q -m sqeuclidean -O npy c.zarr -o d.npy
    bcftools view "$chr22" 2> /dev/null | gt-pack -q - -o - | gt-pdist -q -m sqeuclidean -O npy - -o d2.npy
    cmp d.npy d2.npy
    cmp d.npy.id d2.npy.id
    for n in 1 3 7; do
        gt-pdist -q -@ $n -m sqeuclidean -O npy "$chr22" -o d3.npy
        cmp d.npy d3.npy
    done
    bcftools query -f '[%GT\t]\n' "$chr22" | gzip -1 > gt.txt.gz
    "$PYTHON" - << 'PY'
import gzip, numpy as np
rows = []
for line in gzip.open("gt.txt.gz", "rt"):
    rows.append([sum(a != "0" for a in g.split("|")) for g in line.split()])
x = np.array(rows, dtype=np.float64).T  # products of small integers: exact
assert x.shape == (2504, 6109), x.shape
g = x @ x.T
s = np.diag(g)
want = s[:, None] + s[None, :] - 2 * g
got = np.load("d.npy")
assert got.dtype == np.float64 and (got == want).all()
PY
}

@test "every kernel level gives the same bytes" {
    need_data
    gt-pdist -q -m cityblock -O npy "$hapmap/hapmap279" -o best.npy
    for level in ref avx2 avx512 avx512vbmi avx512amx; do
        run env GT_CPU=$level gt-pdist -q -m cityblock -O npy "$hapmap/hapmap279" -o d.npy
        [ "$status" -eq 2 ] && [[ "$output" == *"lacks '$level'"* ]] && continue
        [ "$status" -eq 0 ]
        cmp best.npy d.npy
    done
}

@test "HapMap: exact counts, and scikit-learn's nan_euclidean" {
    need_data
    gt-pdist -q -m cityblock --missing ignore -O npy "$hapmap/hapmap279" -o l1.npy
    gt-pdist -q -m sqeuclidean --missing ignore -O npy "$hapmap/hapmap279" -o l2.npy
    gt-pdist -q -O npy "$hapmap/hapmap279.bed" -o e.npy
    "$PYTHON" - "$hapmap/pairwise" << 'PY'
import sys, numpy as np
ref = lambda name: np.load(f"{sys.argv[1]}/{name}.npy")
assert (np.load("l1.npy") == ref("cityblock_pairwise_complete_int64")).all()
assert (np.load("l2.npy") == ref("sqeuclidean_pairwise_complete_int64")).all()
assert np.allclose(np.load("e.npy"), ref("nan_euclidean"), rtol=1e-14, atol=0)
PY
    [ "$(wc -l < l1.npy.id)" -eq 279 ]
}

@test "little memory: rows in bands, several passes, the same bytes" {
    need_data
    gt-pack -q "$chr22" -o c.zarr
    run gt-pdist -n --memory 100M c.zarr
    [ "$status" -eq 0 ]
    [[ "$output" =~ passes\ +([0-9]+) ]]
    [ "${BASH_REMATCH[1]}" -gt 1 ] || skip "100M is enough for one pass here"
    gt-pdist -q -m sqeuclidean -O npy c.zarr -o d.npy
    gt-pdist -q --memory 100M -m sqeuclidean -O npy c.zarr -o d2.npy
    cmp d.npy d2.npy
    gt-pack -q c.zarr | gt-pdist -q --memory 100M -m sqeuclidean -O npy - -o d3.npy
    cmp d.npy d3.npy
    bcftools view "$chr22" 2> err | gt-pdist -q --memory 100M -m sqeuclidean -O npy -o d4.npy
    cmp d.npy d4.npy
}

@test "several passes, each counting what is left: the same bytes from files and from a stream" {
    gt-sim -q --samples 2200 --variants 300 --missing 0.02 --seed 5 -o sim.zarr
    run gt-pdist -n --memory 70M sim.zarr
    [ "$status" -eq 0 ]
    [[ "$output" =~ passes\ +([0-9]+) ]]
    [ "${BASH_REMATCH[1]}" -gt 2 ]
    # a pass keeps what one of so many would at the least: no pair is counted twice
    [ "${BASH_REMATCH[1]}" -lt 8 ]
    for format in npy tsv; do
        gt-pdist -q -O $format sim.zarr -o one.$format
        gt-pdist -q -O $format --memory 70M sim.zarr -o several.$format
        cmp one.$format several.$format
        gt-pack -q sim.zarr | gt-pdist -q -O $format --memory 70M - > piped.$format
        cmp one.$format piped.$format
    done
}

@test "the numbers of an npy begin at a multiple of 64, however long its header" {
    for n in 1 9 10 99 100 1000; do
        gt-sim -q --samples $n --variants 2 --seed 1 -o s$n.zarr
        gt-pdist -q -m cityblock -O npy s$n.zarr -o d.npy
        size=$(stat -c %s d.npy)
        [ $(((size - n * n * 8) % 64)) -eq 0 ]
        [ "$(od -An -tu2 -j8 -N2 d.npy | tr -d ' ')" -eq $((size - n * n * 8 - 10)) ]
        [ "$(od -An -c -j $((size - n * n * 8 - 1)) -N1 d.npy | tr -d ' ')" = '\n' ]
    done
}

@test "half of the variants observed in both is not under half" {
    half() { # GENOTYPES-OF-A GENOTYPES-OF-B...: one site a pair
        printf '##fileformat=VCFv4.2\n##contig=<ID=1>\n##FORMAT=<ID=GT,Number=1,Type=String,Description="x">\n'
        printf '#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\ta\tb\n'
        while [ $# -gt 1 ]; do
            printf '1\t%d\t.\tA\tC\t.\t.\t.\tGT\t%s\t%s\n' $# "$1" "$2"
            shift 2
        done | sort -n -k2
    }
    half 0/0 0/1 0/0 0/0 ./. 0/0 1/1 ./. > two_of_four.vcf
    run --separate-stderr gt-pdist two_of_four.vcf
    [ "$status" -eq 0 ]
    [[ "$stderr" != *"less than half"* ]]
    half 0/0 0/1 0/0 0/0 ./. 0/0 1/1 ./. ./. ./. > two_of_five.vcf
    run --separate-stderr gt-pdist two_of_five.vcf
    [ "$status" -eq 0 ]
    [[ "$stderr" == *"less than half"*" of 1 pair;"* ]]
}

@test "chunks far taller than a block: the same bytes, also under little memory" {
    gt-sim -q --samples 2504 --variants 70000 --missing 0.01 --seed 3 -o flat.zarr
    gt-pack -q --chunks variants=65536 flat.zarr -o tall.zarr
    gt-pdist -q -m cityblock -O npy flat.zarr -o d.npy
    gt-pdist -q -m cityblock -O npy tall.zarr -o d2.npy
    cmp d.npy d2.npy
    gt-pdist -q -m cityblock -O npy --memory 200M tall.zarr -o d3.npy
    cmp d.npy d3.npy
}

@test "no overlap is nan under rescale, and counted in a warning" {
    small_vcf | sed '$d' | sed '$d' | sed '$s/1\/1/.\/./' > s.vcf
    run --separate-stderr gt-pdist s.vcf
    [ "$status" -eq 0 ]
    [[ "${lines[1]}" == *nan* ]]
    [[ "$stderr" == *"less than half"* ]]
}

@test "no variants left: nan, and a warning" {
    small_vcf > s.vcf
    run --separate-stderr gt-pdist -r 1:500-600 s.vcf
    [ "$status" -eq 0 ]
    [ "${lines[1]}" = "$(printf 'a\tnan\tnan\tnan\tnan')" ]
    [[ "$stderr" == *"no variants of 's.vcf' are left"* ]]
}

@test "what was collapsed and understood is told, the same of every kind of input, and how fast it went" {
    size="-q --samples 7 --variants 300 --missing 0.05 --multiallelic 0.2 --seed 4"
    # shellcheck disable=SC2086
    for name in m.vcf m.vcz m.zarr m.tar; do
        gt-sim $size -o $name
        gt-pdist --json $name -o d.npy > json 2> err
        grep -E '^gt-pdist: [0-9]+ multiallelic variants: ' err > said || { cat err; false; }
        [ ! -e before ] || cmp before said
        mv said before
        grep -qE '^gt-pdist: 21 pairs, 300 variants, [0-9.]+ s: [0-9.]+e[+][0-9]+ pairs x variants a second$' err
        "$PYTHON" -c 'import json; o = json.load(open("json")); assert o["multiallelic"] > 30 and o["seconds"] > 0 and o["pairs"] == 21, o'
    done
    gt-pdist --slice ':,:,1' m.vcz -o d.npy 2> err # allele numbers: nothing is collapsed
    run ! grep -q multiallelic err
    gt-sim -q --samples 7 --variants 300 -o b.bed
    gt-pdist b -o d.npy 2> err
    [ "$(wc -l < err)" -eq 2 ]
    small_vcf | sed 's/0\/1/0/; s/1|0/.\/1/' > h.vcf
    gt-pdist h.vcf -o d.npy 2> err
    grep -qx 'gt-pdist: 3 haploid calls counted as homozygous, 0 or 2' err
    grep -qx 'gt-pdist: 1 half call, read as missing' err
    gt-pdist --half-call reference h.vcf -o d.npy 2> err
    grep -qx 'gt-pdist: 1 half call, read as reference' err
    gt-pdist -s a -r 1:10 h.vcf -o d.npy 2> err
    grep -qx 'gt-pdist: 0 pairs, 1 variant, .*' err
    grep -qx 'gt-pdist: comparing 1 sample (number of variants not known in advance)' err
}

@test "an id that would break the table is refused" {
    small_vcf > s.vcf
    gt-pack -q --codec none --chunks variants=8 s.vcf -o s.zarr
    "$PYTHON" -c 'import zarr' 2> err || skip "no python3-zarr"
    "$PYTHON" -c 'import zarr; zarr.open("s.zarr")["sample_id"][1] = "b\tx"'
    for format in tsv npy; do
        run --separate-stderr gt-pdist -O $format s.zarr -o d
        [ "$status" -eq 3 ]
        [[ "$stderr" == *"sample id 'b"*"tab"* ]]
        [ ! -e d ]
    done
}

# Dosages of x.zarr and every metric of them by its definition: expect(x, metric, missing, p).
definitions() {
    cat > definitions.py << 'PY'
import numpy as np, sys, zarr

def load(path):
    g = zarr.open(path, mode="r")
    packed, n = g["packed_dosage"][:], g["packed_dosage"].attrs["gt_packed"]["samples"]
    x = (packed[:, :, None] >> np.array([0, 2, 4, 6], "u1") & 3).reshape(len(packed), -1)[:, :n].T.astype(float)
    x[x == 3] = np.nan
    return x

sums = "euclidean sqeuclidean cityblock minkowski canberra mismatches allele-count".split()

def pair(x, y, metric, missing, p):
    m = len(x)
    if missing == "literal":
        x, y = np.nan_to_num(x, nan=-1), np.nan_to_num(y, nan=-1)
    there = ~np.isnan(x) & ~np.isnan(y)
    x, y = x[there], y[there]
    n, d = len(x), np.abs(x - y)
    if n == 0:
        return 0 if missing == "ignore" and metric in sums else np.nan
    scale = m / n if missing == "rescale" else 1
    hx, hy = (x == 1).sum(), (y == 1).sum()
    both, s, t = (np.float64(k.sum()) for k in ((x != 0) & (y != 0), (x != 0) & (y == 0), (x == 0) & (y != 0)))
    one = s + t
    with np.errstate(all="ignore"):
        return {
            "euclidean": lambda: np.sqrt((d * d).sum() * scale),
            "sqeuclidean": lambda: (d * d).sum() * scale,
            "cityblock": lambda: d.sum() * scale,
            "minkowski": lambda: ((d ** p).sum() * scale) ** (1 / p),
            "chebyshev": lambda: d.max(),
            "canberra": lambda: np.nansum(d / (np.abs(x) + np.abs(y))) * scale,
            "braycurtis": lambda: d.sum() / np.abs(x + y).sum(),
            "cosine": lambda: 1 - (x * y).sum() / np.sqrt((x * x).sum() * (y * y).sum()),
            "correlation": lambda: 1 - ((x - x.mean()) * (y - y.mean())).sum() / np.sqrt(((x - x.mean()) ** 2).sum() * ((y - y.mean()) ** 2).sum()),
            "hamming": lambda: (x != y).mean(),
            "jaccard": lambda: one / max(one + both, 1),
            "dice": lambda: one / (one + 2 * both),
            "kulczynski1": lambda: both / one,
            "kulsinski": lambda: (one - both + n) / (one + n),
            "rogerstanimoto": lambda: 2 * one / (n + one),
            "russellrao": lambda: (n - both) / n,
            "sokalmichener": lambda: 2 * one / (n + one),
            "sokalsneath": lambda: 2 * one / (2 * one + both),
            "yule": lambda: 2 * s * t / (both * (n - both - one) + s * t) if s * t else 0,
            "mismatches": lambda: d.sum() * scale,
            "allele-count": lambda: d.sum() * scale,
            "1-ibs": lambda: d.sum() / (2 * n),
            "ibs": lambda: 1 - d.sum() / (2 * n),
            "ibs-prob": lambda: (x / 2 * y / 2 + (1 - x / 2) * (1 - y / 2)).mean(),
            "ibs0": lambda: (d == 2).mean(),
            "king": lambda: 0.5 - np.float64((d * d).sum()) / (4 * min(hx, hy)),
        }[metric]()

def related(x):
    known = ~np.isnan(x)
    f = np.nan_to_num(np.nansum(x, 0) / np.maximum(2 * known.sum(0), 1))
    v, d = 2 * f * (1 - f), np.where(known, x - 2 * f, 0)
    z = d / np.sqrt(np.where(v > 0, v, 1))
    with np.errstate(all="ignore"):
        return {"grm": (z @ z.T) / (known.astype(float) @ known.T), "grm-vanraden": d @ d.T / ((known * v) @ known.T)}

def expect(x, metric, missing, p=2):
    if metric.startswith("grm"):
        return related(x)[metric]
    if metric == "weir-goudet":
        alike = expect(x, "ibs-prob", missing, p)
        mean = np.nanmean(alike[np.tril_indices(len(x), -1)])
        return (alike - mean) / (1 - mean)
    return np.array([[pair(a, b, metric, missing, p) for b in x] for a in x])
PY
}

# by_definition RULE...: x.zarr, and METRIC.RULE.npy of each metric, which are what they are by their definitions.
by_definition() {
    local metric missing metrics power
    definitions
    gt-sim -q --samples 23 --variants 300 --missing 0.3 --seed 3 -o x.zarr
    "$PYTHON" - << 'PY'
import zarr
g = zarr.open("x.zarr", mode="r+")
d = g["packed_dosage"][:]
d[:, 0] |= 3  # sample 0: nothing known
d[:150, 1] |= 15  # samples 4 and 5 have no site in common
d[150:, 1] |= 3
d[150:, 1] &= 0xf3
d[:, 2] &= 0xf0  # samples 8 and 9: no alternative allele at all
g["packed_dosage"][:] = d
PY
    metrics=$("$GT_BUILD/test/calc/pdist/metric_list" | awk '/^\.It Cm/ { name = $3; getline; if (!/; arrays only\)$/) print name }')
    [ "$(wc -w <<< "$metrics")" -ge 26 ]
    for metric in $metrics; do
        power=()
        [ "$metric" != minkowski ] || power=(-p 3)
        for missing in "$@"; do
            run gt-pdist -q -m $metric "${power[@]}" --missing $missing -O npy -f x.zarr -o $metric.$missing.npy
            [ "$status" -eq 0 ] || { [ $missing = literal ] && [[ "$output" == *"compares genotypes, not numbers"* ]]; }
        done
    done
    "$PYTHON" - "$*" $metrics << 'PY'
import sys, os; from definitions import *
x = load("x.zarr")
for metric in sys.argv[2:]:
    for missing in sys.argv[1].split():
        name = f"{metric}.{missing}.npy"
        if os.path.exists(name):
            got, want = np.load(name), expect(x, metric, missing, 3)
            atol = 1e-9 if metric.startswith("grm") else 1e-15  # weights are rounded
            assert np.allclose(got, want, rtol=1e-13, atol=atol, equal_nan=True), (name, got, want)
            assert np.array_equal(got, got.T, equal_nan=True), name
            assert missing == "ignore" and metric in sums or missing == "literal" or np.isnan(got[0]).all(), name
        else:
            assert missing == "literal", name
PY
}

@test "every metric of genotypes by its definition, missing ones ignored" {
    need_arrays
    by_definition ignore
}

@test "every metric of genotypes by its definition, missing ones as literal numbers" {
    need_arrays
    by_definition literal
}

@test "every metric of genotypes by its definition, rescaled; kernels, and what king says of pairs without a value" {
    need_arrays
    by_definition rescale
    gt-pdist -m king x.zarr -o king.tsv 2> err
    want=$(tail -n +2 king.tsv | awk '{ for (j = NR + 2; j <= NF; j++) n += $j ~ /inf|nan/ } END { print n }')
    [[ "$(cat err)" =~ "none in "([0-9]+) ]]
    grep -q "king: $((want - BASH_REMATCH[1])) pairs of samples have no finite value" err
    for level in ref avx2 avx512; do
        GT_CPU=$level gt-pdist -q -m correlation -O npy x.zarr -o level.npy 2> err || grep -q lacks err || { cat err; false; }
        cmp level.npy correlation.rescale.npy
    done
}

@test "HapMap: PLINK's ibs, KING's kinship, sgkit's correlation" {
    need_data
    need_arrays
    for metric in ibs 1-ibs king ibs0 correlation allele-count; do
        gt-pdist -m $metric -O npy "$hapmap/hapmap279" -o $metric.npy 2> $metric.err
    done
    grep -q '365 dropped on X, Y or mitochondria (--contigs all keeps them)' king.err
    run ! grep -q mitochondria correlation.err
    "$PYTHON" - "$hapmap" << 'PY'
import sys, numpy as np
at = sys.argv[1]
text = lambda name: np.loadtxt(f"{at}/{name}")
close = lambda got, want, rtol: np.allclose(np.load(f"{got}.npy"), want, rtol=rtol, atol=1e-12)
assert close("ibs", text("plink19/sqflat.mibs"), 6e-6)
assert close("1-ibs", text("plink19/sqflat.mdist"), 6e-6)
assert close("allele-count", text("plink19/sqflat.dist"), 6e-6)
assert close("king", text("plink2/sq.king"), 6e-6)
assert close("correlation", 1 - np.load(f"{at}/pairwise/sgkit_correlation.npy"), 1e-12) or close("correlation", np.load(f"{at}/pairwise/sgkit_correlation.npy"), 1e-12)
PY
    gt-pdist --contigs all -m ibs "$hapmap/hapmap279" -o all.tsv 2> all.err
    run ! grep -q mitochondria all.err
}

# sim.bed, family ids 0, some calls missing.
simulate() {
    gt-sim -q --samples "$1" --variants 700 --pops 3 --missing 0.04 --seed 9 -O bed -o sim
    awk '{ $1 = 0; print }' sim.fam > fam
    mv fam sim.fam
}

@test "PLINK 1.9's --distance: the same files, of every metric and shape" {
    command -v plink1.9 > /dev/null || skip "no plink1.9"
    simulate 75
    for shape in triangle square0 square; do
        plink1.9 --bfile sim --distance $shape flat-missing ibs 1-ibs allele-ct --out p.$shape > log
        for metric in allele-count:dist ibs:mibs 1-ibs:mdist; do
            gt-pdist -q -O plink -m ${metric%:*} --plink-shape $shape sim -o o.$shape
            cmp p.$shape.${metric#*:} o.$shape.${metric#*:}
            cmp p.$shape.${metric#*:}.id o.$shape.${metric#*:}.id
        done
    done
    gt-pdist -q -O plink sim.bed -o default # allele counts, a triangle
    cmp default.dist p.triangle.dist
    for end in dist mibs mdist; do
        gt-pdist -q sim.bed -o named.$end # the name says the metric
        cmp named.$end p.triangle.$end
    done
    # of the square of 4 bytes it writes another diagonal
    for shape in bin:"triangle bin" bin-square:"square bin" bin4:"triangle bin4"; do
        # shellcheck disable=SC2086
        plink1.9 --bfile sim --distance ${shape#*:} flat-missing allele-ct --out b > log
        gt-pdist -q -O plink --plink-shape ${shape%%:*} sim -o o.b
        cmp b.dist.bin o.b.dist.bin
        cmp b.dist.id o.b.dist.id
    done
    gt-pdist -q -O plink sim -o gz.dist.gz
    gzip -dc gz.dist.gz | cmp - p.triangle.dist
    gt-pdist -q -O plink sim | cmp - p.triangle.dist
    gt-pdist -q -O plink --memory 60M sim -o few
    cmp few.dist p.triangle.dist
}

@test "PLINK 2's --make-king and --make-king-table: the same files" {
    command -v plink2 > /dev/null || skip "no plink2"
    simulate 75
    plink2 --bfile sim --make-king-table --out p > log
    gt-pdist -q -O kin0 sim -o o
    cmp p.kin0 o.kin0
    gt-pdist -q sim -o named.kin0
    cmp p.kin0 named.kin0
    for shape in triangle square0 square bin:"triangle bin" bin-square:"square bin" bin4:"triangle bin4" bin4-square:"square bin4"; do
        # shellcheck disable=SC2086
        plink2 --bfile sim --make-king ${shape#*:} --out p > log
        gt-pdist -q -O king --plink-shape "${shape%%:*}" sim -o o
        for end in king king.bin; do
            [[ $shape == *bin* ]] && [ $end = king ] && continue
            [[ $shape != *bin* ]] && [ $end = king.bin ] && continue
            cmp p.$end o.$end
        done
        cmp p.king.id o.king.id
    done
}

@test "condensed, triangle and pairs of 37 samples hold the numbers of the square; formats of one sample and of two" {
    need_arrays
    gt-sim -q --samples 37 --variants 60 --missing 0.3 --seed 5 -o x.zarr
    gt-pdist -q -O npy x.zarr -o square.npy
    for format in condensed triangle pairs; do
        gt-pdist -q -O $format x.zarr -o $format
        gt-pdist -q -O $format x.zarr | cmp - $format
    done
    cmp condensed.id square.npy.id
    cmp triangle.id square.npy.id
    [ ! -e pairs.id ]
    "$PYTHON" - << 'PY'
import numpy as np, scipy.spatial.distance as sd
import zarr
square, ids = np.load("square.npy"), open("square.npy.id").read().split()
packed = zarr.open("x.zarr", mode="r")["packed_dosage"][:]
known = (packed[:, :, None] >> np.array([0, 2, 4, 6]) & 3).reshape(60, -1)[:, :37] != 3
assert np.array_equal(np.load("condensed"), sd.squareform(square, checks=False), equal_nan=True)
rows, columns = np.tril_indices(37, -1)
below = [line.rstrip("\n").split("\t") for line in open("triangle")]
assert [len(row) for row in below] == list(range(1, 37))
assert np.allclose([float(v) for row in below for v in row], square[rows, columns], rtol=1e-9, equal_nan=True)
pairs = [line.split() for line in open("pairs")]
upper = [(j, i) for i in range(37) for j in range(i)]
assert pairs[0] == ["id1", "id2", "euclidean", "n"] and [p[:2] for p in pairs[1:]] == [[ids[i], ids[j]] for i, j in upper]
assert np.allclose([float(p[2]) for p in pairs[1:]], [square[i, j] for i, j in upper], rtol=1e-9, equal_nan=True)
assert [int(p[3]) for p in pairs[1:]] == [int((known[:, i] & known[:, j]).sum()) for i, j in upper]
PY
    few_samples
}

# Formats of one sample and of two.
few_samples() {
    local n format
    for n in 1 2; do
        gt-sim -q --samples 2 --variants 5 --seed 1 -O vcf -o two.vcf -f
        cut -f "1-$((9 + n))" two.vcf > few.vcf
        for format in condensed triangle pairs plink king kin0 phylip; do
            gt-pdist -q -O $format few.vcf -o $format.$n
        done
        [ "$("$PYTHON" -c 'import sys, numpy as np; print(np.load(sys.argv[1]).shape)' condensed.$n)" = "($((n * (n - 1) / 2)),)" ]
    done
}

@test "condensed, triangle and pairs hold the numbers of the square; into a pipe the same bytes, in several passes too" {
    need_arrays
    gt-sim -q --samples 2200 --variants 60 --missing 0.3 --seed 5 -o x.zarr
    [[ "$(gt-pdist -n --memory 70M x.zarr)" =~ passes\ +([0-9]+) ]]
    [ "${BASH_REMATCH[1]}" -gt 1 ]
    gt-pdist -q -O npy x.zarr -o square.npy
    for format in condensed triangle pairs; do
        gt-pdist -q -O $format x.zarr -o $format
        gt-pdist -q -O $format --memory 70M x.zarr -o several.$format
        gt-pdist -q -O $format --memory 70M x.zarr | cat > piped.$format
        cmp $format several.$format
        cmp $format piped.$format
    done
    cmp condensed.id square.npy.id
    cmp triangle.id square.npy.id
    [ ! -e pairs.id ]
    "$PYTHON" - << 'PY'
import numpy as np, scipy.spatial.distance as sd
square, ids = np.load("square.npy"), open("square.npy.id").read().split()
condensed = np.load("condensed")
assert condensed.shape == (2200 * 2199 // 2,)
assert np.array_equal(condensed, sd.squareform(square, checks=False), equal_nan=True)
below = [line.split("\t") for line in open("triangle")]
assert [len(row) for row in below] == list(range(1, 2200))
assert np.allclose([float(v) for row in below for v in row], square[np.tril_indices(2200, -1)], rtol=1e-9, equal_nan=True)
pairs = [line.split() for line in open("pairs")]
assert pairs[0] == ["id1", "id2", "euclidean", "n"] and len(pairs) == 1 + len(condensed)
assert [p[:2] for p in pairs[1:4]] == [[ids[0], ids[1]], [ids[0], ids[2]], [ids[1], ids[2]]]
assert np.allclose([float(p[2]) for p in pairs[1:]], square[np.tril_indices(2200, -1)], rtol=1e-9, equal_nan=True)
assert {int(p[3]) for p in pairs[1:]} <= set(range(61))
PY
}

@test "PHYLIP: a tree program reads it; what the format cannot hold is refused" {
    simulate 40
    gt-pdist -q -m 1-ibs sim -o sim.phy
    [ "$(head -1 sim.phy)" = 40 ]
    if command -v quicktree > /dev/null; then
        quicktree -in m -out t sim.phy > sim.nwk
        [ "$(grep -o 'S[0-9]*:' sim.nwk | sort -u | wc -l)" -eq 40 ]
    fi
    small_vcf | sed 's/\tb\tc/\tb b\tc/' > s.vcf
    run gt-pdist -q s.vcf -o s.phy
    [ "$status" -eq 3 ]
    [[ "$output" == *"'b b'"* ]]
    run gt-pdist -qn s.vcf -o s.phy # the plan says so too
    [ "$status" -eq 3 ]
    small_vcf | sed '$d' | sed '$d' | sed '$s/1\/1/.\/./' > s.vcf
    run gt-pdist -q s.vcf -o s.phy
    [ "$status" -eq 3 ]
    [[ "$output" == *"'a' and 'd' have no finite distance"* || "$output" == *"'a' and 'c' have no finite distance"* ]]
    [ ! -e s.phy ]
    { # b and c have no site in common, a has one with each
        small_vcf | grep '^#'
        printf '1\t10\t.\tA\tC\t.\t.\t.\tGT\t0/0\t0/1\t./.\t1/1\n1\t20\t.\tA\tC\t.\t.\t.\tGT\t0/0\t./.\t0/1\t0/0\n'
    } > s.vcf
    run gt-pdist -q s.vcf -o s.phy
    [ "$status" -eq 3 ]
    [[ "$output" == *"'b' and 'c' have no finite distance"* ]]
    [ ! -e s.phy ]
}

@test "formats, their names and metrics: what does not go together is refused" {
    small_vcf > s.vcf
    for args in "-O king -m ibs -o x" "-O kin0 -m euclidean -o x" "--plink-shape square -o x" "-O npy --plink-shape bin -o x" \
        "-O npy -o x.kin0" "-O condensed -o x.tsv" "-O king -o x.dist" "-m king -o x.rel" "-m ibs -o x.dist" "-m king -o x.mibs" "-O plink -m 1-ibs -o x.mibs.bin"; do
        # shellcheck disable=SC2086
        run gt-pdist -q $args s.vcf
        [ "$status" -eq 2 ] || { echo "$args: $status $output"; return 1; }
        [ -z "$(find . -name 'x*')" ]
    done
    touch P.dist.id
    echo mine > P.dist
    gt-pdist -q -O plink s.vcf -o P # names of PLINK's: replaced
    gt-pdist -q -O king s.vcf -o P.king
    [ -e P.king.id ]
    [ ! -e P.king.king ]
}

@test "PLINK's names are looked at where they end: directories, and the same suffix twice" {
    small_vcf > s.vcf
    mkdir a.dist a.mibs a.king
    gt-pdist -q -O plink s.vcf -o a.dist/x.dist
    gt-pdist -q -O plink s.vcf -o a.dist/x.mibs
    gt-pdist -q -O plink s.vcf -o a.dist/y
    gt-pdist -q -O plink s.vcf -o a.mibs/x.mibs
    gt-pdist -q -O plink s.vcf -o a.mibs/y
    gt-pdist -q -O king s.vcf -o a.king/x
    gt-pdist -q -O king --plink-shape bin s.vcf -o a.king/x.king.bin
    gt-pdist -q -O plink s.vcf -o z.dist.dist
    [ "$(find a.* z.* -type f ! -name '*.id' | LC_ALL=C sort | tr '\n' ' ')" = "a.dist/x.dist a.dist/x.mibs a.dist/y.dist a.king/x.king a.king/x.king.bin a.mibs/x.mibs a.mibs/y.dist z.dist.dist " ]
    cmp a.dist/x.mibs a.mibs/x.mibs
    cmp a.dist/x.dist a.mibs/y.dist
    gt-pdist -q -O plink -m ibs s.vcf -o z.mibs
    cmp z.mibs a.mibs/x.mibs
}

@test "a metric that is not known is told with what may be meant" {
    small_vcf > s.vcf
    run gt-pdist -m citiblock s.vcf
    [ "$status" -eq 2 ]
    [ "${lines[0]}" = "gt-pdist: unknown metric 'citiblock'" ]
    [ "${lines[1]}" = "hint: did you mean 'cityblock'?" ]
    run gt-pdist -m xyz s.vcf
    [[ "${lines[1]}" == "hint: choose euclidean, "*", king, "* ]]
    for args in "-p 0 -m minkowski" "-p -1 -m minkowski" "-p 1001 -m minkowski" "-p nan -m minkowski" "-p 2 -m king"; do
        # shellcheck disable=SC2086
        run gt-pdist $args s.vcf
        [ "$status" -eq 2 ]
    done
    cmp <(gt-pdist -q -m minkowski -p inf s.vcf) <(gt-pdist -q -m chebyshev s.vcf)
    cmp <(gt-pdist -q -m minkowski -p Inf s.vcf) <(gt-pdist -q -m chebyshev s.vcf)
}

@test "selection: -s keeps the order asked for" {
    small_vcf > s.vcf
    run --separate-stderr gt-pdist -q -m cityblock --missing ignore -s c,a s.vcf
    [ "$output" = "$(printf 'id\tc\ta\nc\t0\t5\na\t5\t0')" ]
}

@test "usage errors exit 2 and leave nothing" {
    small_vcf > s.vcf
    run gt-pdist -m nonsense s.vcf -o d.tsv
    [ "$status" -eq 2 ]
    [ ! -e d.tsv ]
    run gt-pdist --no-such-option s.vcf
    [ "$status" -eq 2 ]
    [[ "${lines[0]}" == *"no-such-option"* ]]
    run gt-pdist absent.zarr
    [ "$status" -eq 1 ]
    [[ "${lines[0]}" == "gt-pdist: cannot open 'absent.zarr': No such file or directory" ]]
}

@test "a full file system: one line, exit 1, nothing left" {
    small_vcf > s.vcf
    for i in $(seq 300); do printf '\tx%d' "$i"; done > more
    awk -v m="$(cat more)" '/^#CHROM/{print $0 m; next} /^#/{print; next} {for(i=1;i<=300;i++)$0=$0 "\t0/1"; print}' s.vcf > wide.vcf
    run bash -c 'ulimit -f 64; gt-pdist -q -O npy wide.vcf -o d.npy'
    [ "$status" -eq 1 ]
    [[ "${lines[0]}" == "gt-pdist: cannot write 'd.npy'"* ]]
    [ -z "$(find . -name '*d.npy*')" ]
}

@test "a closed pipe ends it quietly" {
    small_vcf > s.vcf
    run bash -c 'gt-pdist -q s.vcf | true; echo "${PIPESTATUS[0]}"'
    [[ "$output" == 0 || "$output" == 141 ]]
}

# Arrays and scipy's answers: x.npy ..., as want_METRIC.npy.
arrays() {
    "$PYTHON" - << 'PY'
import numpy as np, scipy.spatial.distance as sd, zarr
r = np.random.RandomState(7)
x = r.standard_normal((83, 301)) * 10
i = r.randint(0, 100, (83, 301)).astype("i2")
for name, a in ("x", x), ("i", i):
    for metric in "euclidean", "sqeuclidean", "cityblock":
        np.save(f"want_{name}_{metric}.npy", sd.squareform(sd.pdist(a.astype("f8"), metric)))
np.save("x.npy", x)
np.save("fortran.npy", np.asfortranarray(x))
np.save("big.npy", x.astype(">f8"))
np.save("i.npy", i)
z = zarr.open("a.zarr", "w")
z.create_dataset("g/x", data=x, chunks=(10, 77))
z.create_dataset("tall", data=x.T, chunks=(301, 2))
z.create_dataset("call_DP", data=i.T, chunks=(50, 40)).attrs["_ARRAY_DIMENSIONS"] = ["variants", "samples"]
z.create_dataset("by_sample", data=i, chunks=(50, 40)).attrs["_ARRAY_DIMENSIONS"] = ["samples", "variants"]
z.create_dataset("sample_id", data=np.array([f"id{k}" for k in range(83)]))
PY
}
need_arrays() { "$PYTHON" -c 'import numpy, scipy, zarr' 2> /dev/null || skip "no python3-scipy, -zarr"; }
close_to() {
    "$PYTHON" -c 'import sys, numpy as np; a, b = np.load(sys.argv[1]), np.load(sys.argv[2]); assert np.allclose(a, b, rtol=1e-13, atol=0), abs(a - b).max()' "$@"
}

@test "plain arrays: rows of .npy and Zarr are compared as scipy's pdist does" {
    need_arrays
    arrays
    for metric in euclidean sqeuclidean cityblock; do
        for from in x.npy fortran.npy big.npy a.zarr/g/x; do
            gt-pdist -q -m $metric -O npy $from -o d.npy
            close_to d.npy want_x_$metric.npy
        done
        gt-pdist -q -m $metric -O npy -f i.npy -o d.npy
        close_to d.npy want_i_$metric.npy
    done
    gt-pdist -q -O npy x.npy -o d.npy
    gt-pdist -q -O npy - -o stdin.npy < x.npy
    cat x.npy | gt-pdist -q -O npy -o pipe.npy
    gt-pdist -q -@ 5 -O npy --array g/x a.zarr -o array.npy
    for same in stdin pipe array; do cmp d.npy $same.npy; done
    [ "$(head -3 d.npy.id | xargs)" = "0 1 2" ]
    run --separate-stderr gt-pdist x.npy
    [[ "$stderr" == *"comparing 83 rows over 301 columns"* ]]
    [[ "$stderr" == *"3,403 pairs, 301 columns"* ]]
}

@test "plain arrays: an axis that is named samples is what is compared, also after a slice" {
    need_arrays
    arrays
    for from in a.zarr/call_DP a.zarr/by_sample; do
        gt-pdist -q -m cityblock -O npy $from -o d.npy
        close_to d.npy want_i_cityblock.npy
        [ "$(head -2 d.npy.id | xargs)" = "id0 id1" ]
    done
    gt-pdist -q --slice '::3,5:20:5' a.zarr/call_DP -o d.tsv
    gt-pdist -q --slice '5:20:5,::3' a.zarr/by_sample -o e.tsv
    cmp d.tsv e.tsv
    [ "$(head -1 d.tsv)" = "$(printf 'id\tid5\tid10\tid15')" ]
    gt-pdist -q --slice '5:20:5,::3' i.npy -o f.tsv # nothing is named there: rows
    [ "$(tail -n +2 d.tsv | cut -f 2-)" = "$(tail -n +2 f.tsv | cut -f 2-)" ]
    [ "$(head -1 f.tsv)" = "$(printf 'id\t5\t10\t15')" ]
}

@test "plain arrays: what is missing, little memory, and what is refused" {
    need_arrays
    arrays
    "$PYTHON" -c 'import numpy as np
np.save("m.npy", np.array([[0, 1, np.nan, 3], [1, np.nan, 1, 3], [2, 2, 2, 2.]]))
np.save("n.npy", np.array([[0, 1, -1, 3], [1, -5, 1, 3], [2, 2, 2, 2]], "i1"))
np.save("w.npy", np.random.RandomState(1).standard_normal((3000, 20)))
np.save("one.npy", np.arange(4.)); np.save("c.npy", np.arange(4.) * 1j)'
    for from in m.npy n.npy; do
        gt-pdist -q -m sqeuclidean $from -o d.tsv
        [ "$(tail -n +2 d.tsv | cut -f 2- | xargs)" = "0 2 8 2 0 4 8 4 0" ] # 1 of 2 * 4/2; 6 of 3 * 4/3; 3 of 3 * 4/3
        run gt-pdist -q --missing error $from -o e.tsv
        [ "$status" -eq 3 ]
        [[ "$output" == *"$from has missing values"* ]]
    done
    gt-pdist -q -O npy w.npy -o d.npy
    [[ "$(gt-pdist -n --memory 100M w.npy)" =~ passes\ +([0-9]+) ]]
    [ "${BASH_REMATCH[1]}" -gt 1 ]
    gt-pdist -q --memory 100M -O npy w.npy -o e.npy
    cmp d.npy e.npy
    for args in "2 -s 1 x.npy" "2 --maf 0.1 x.npy" "2 x.npy i.npy" "2 one.npy" "2 --slice 1 x.npy" "2 --slice 0:5,0,0 x.npy" "3 c.npy" \
        "2 --array q x.npy" "3 a.zarr" "3 a.zarr/sample_id" "2 --slice :,1 a.zarr/call_DP" "2 -r 1:5 a.zarr/g/x"; do
        run gt-pdist -q ${args#? } -o no.tsv
        [ "$status" -eq "${args%% *}" ] || { echo "$args: $status $output"; return 1; }
        [ ! -e no.tsv ]
    done
    # genotypes stay genotypes: by name, by attribute, by their axes
    gt-pack -q "$(small_vcf > s.vcf; echo s.vcf)" -o s.zarr
    gt-pdist -q s.zarr -o 1.tsv
    gt-pdist -q s.zarr/packed_dosage -o 2.tsv
    cmp 1.tsv 2.tsv
}

@test "inputs by the hundred: the limit of open files is raised as far as it goes, and named" {
    for i in {1..150}; do
        printf '##fileformat=VCFv4.2\n##contig=<ID=1>\n##FORMAT=<ID=GT,Number=1,Type=String,Description="x">\n#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\ta\tb\n1\t%s\t.\tA\tC\t.\t.\t.\tGT\t0/0\t1/1\n' "$i" >"$i.vcf"
    done
    seq -f %g.vcf 1 150 | (ulimit -Sn 40 && xargs gt-pdist -q -m cityblock >d.tsv)
    [ "$(sed -n 2p d.tsv)" = "$(printf 'a\t0\t300')" ]
    run bash -c "ulimit -n 40 && gt-pdist -q {1..150}.vcf"
    [ "$status" -eq 1 ]
    [[ "${lines[0]}" == *".vcf': Too many open files" ]]
    [ "${lines[1]}" = "hint: raise the limit of open files (ulimit -Hn), or give fewer inputs" ]
}
