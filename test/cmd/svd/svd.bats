#!/usr/bin/env bats
# gt-svd: principal components against references, oracles and itself.

bats_require_minimum_version 1.5.0

# shellcheck source=test/support/level.bash
. "$GT_SOURCE/test/support/level.bash"

setup() { cd "$BATS_TEST_TMPDIR" || exit 1; }

need_numpy() { "$PYTHON" -c 'import numpy' 2> /dev/null || skip "no python3-numpy"; }
need_data() { [ -f "$GT_TEST_DATA/pca/$1.exact.S.txt" ] || skip "no test data (GT_TEST_DATA)"; }

# refused STATUS TEXT COMMAND...: fails with that status and a first line that has the text.
refused() {
    run --separate-stderr timeout 60 "${@:3}"
    # shellcheck disable=SC2154
    { [ "$status" -eq "$1" ] && [[ "${stderr_lines[0]}" == *"$2"* ]] && [ -z "$output" ]; } ||
        { echo "${*:3}: status $status: $output $stderr"; return 1; }
}

# --- real data ---------------------------------------------------------------------

# Singular values and vectors of WAY.K.npy are those of the reference.
within() { # REFERENCE WAY...
    "$PYTHON" - "$GT_TEST_DATA/pca/$1.exact" "${@:2}" << 'PY'
import numpy as np, sys
reference = sys.argv[1]
all_s, all_u = np.loadtxt(reference + ".S.txt"), np.loadtxt(reference + ".U.txt")
for way in sys.argv[2:]:
    for k, mev in (10, 1e-6), (20, 1e-4):
        s, u, name = all_s[:k], all_u[:, :k], "%s.%d" % (way, k)
        values, v = np.loadtxt(name + ".eigenval"), np.load(name + ".npy")
        off, lost = np.abs(np.sqrt(values * 14079) / s - 1).max(), 1 - np.sqrt(((u.T @ v) ** 2).sum(axis=1)).mean()
        print(name, "off by", off, "1 - MEV", lost)
        assert v.shape == u.shape and off < 1e-6 and lost < mev
PY
}

check_reference() { # NAME BED
    long_on_host
    need_numpy
    need_data "$1"
    for way in auto krylov; do
        for k in 10 20; do
            gt-svd -q --algorithm $way -k $k "$GT_TEST_DATA/plink/$2.bed" -o $way.$k.npy
        done
    done
    gt-svd -n "$GT_TEST_DATA/plink/$2.bed" | grep -q 'algorithm *gram'
    within "$1" auto krylov
}

@test "HapMap3: singular values to 1e-6, vectors to 1 - MEV of 1e-6 (20 of them 1e-4)" { check_reference hm3 HM3_thinned; }
@test "1000 Genomes: the same" { check_reference kg1092 1kg_phase1_thinned; }

@test "eigenvalues of plink2 --pca meanimpute, all digits" {
    long_on_host
    need_data hm3
    for name in hm3:HM3_thinned kg1092:1kg_phase1_thinned; do
        for way in gram krylov; do
            gt-svd -q --algorithm $way "$GT_TEST_DATA/plink/${name#*:}" -o pca
            diff pca.eigenval "$GT_TEST_DATA/pca/${name%:*}.plink2_meanimpute.eigenval"
        done
    done
}

@test "a table as plink2 --pca writes it" {
    command -v plink2 > /dev/null || skip "no plink2"
    gt-sim -q --samples 120 --variants 3000 --pops 4 --missing 0.02 --seed 5 -o x.bed
    plink2 --threads 1 --bfile x --pca 4 meanimpute --silent --out their > /dev/null
    gt-svd -q -k 4 x -o our
    # columns have either sign
    "$PYTHON" - << 'PY'
def table(path):
    lines = [line.split("\t") for line in open(path).read().splitlines()]
    at = lines[0].index("PC1")
    return lines[0][at:], [line[at - 1] for line in lines[1:]], [[float(x) for x in line[at:]] for line in lines[1:]]
(head, ids, a), (their_head, their_ids, b) = table("our.eigenvec"), table("their.eigenvec")
assert head == their_head == ["PC1", "PC2", "PC3", "PC4"] and ids == their_ids
for c in range(4):
    sign = 1 if sum(x[c] * y[c] for x, y in zip(a, b)) > 0 else -1
    assert max(abs(x[c] - sign * y[c]) for x, y in zip(a, b)) < 2e-6, c
    column = [x[c] for x in a]
    assert max(column) == max(column, key=abs)
x, y = ([float(line) for line in open(name + ".eigenval")] for name in ("our", "their"))
assert len(x) == 4 and all(abs(p / q - 1) < 1e-5 for p, q in zip(x, y)), (x, y)
PY
    diff <(head -1 our.eigenvec) <(head -1 their.eigenvec)
    awk '{ $1 = "F" NR % 3; print }' x.fam > y
    mv y x.fam
    plink2 --threads 1 --bfile x --pca 4 meanimpute --silent --out their > /dev/null
    gt-svd -q -k 4 x -o our
    head -1 our.eigenvec | grep -q "^#FID	IID	PC1	PC2	PC3	PC4$"
    diff <(cut -f 1-2 our.eigenvec) <(cut -f 1-2 their.eigenvec)
}

# --- an oracle -----------------------------------------------------------------------

# Eigenvalues and vectors of SCALE.WAY.npy are those of numpy.
oracle() { # BED-PREFIX
    "$PYTHON" - "$1" << 'PY'
import numpy as np, sys
path = sys.argv[1]
n = sum(1 for _ in open(path + ".fam"))
rows = np.frombuffer(open(path + ".bed", "rb").read()[3:], "u1").reshape(-1, (n + 3) // 4)
g = np.array([2, np.nan, 1, 0])[(rows[:, :, None] >> np.array([0, 2, 4, 6], "u1") & 3).reshape(len(rows), -1)[:, :n]]
known, m, whole = (~np.isnan(g)).sum(axis=1), len(g), g
p = np.nansum(g, axis=1) / np.maximum(2 * known, 1)
g, p = g[(p > 0) & (p < 1)], p[(p > 0) & (p < 1)]
scales = {"binomial": np.sqrt(2 * p * (1 - p)), "patterson": np.sqrt(p * (1 - p)), "center": np.ones(len(p))}
scales["standard"], scales["none"] = np.nanstd(g, axis=1), np.ones(len(p))
all_g = g
for scale, d in scales.items():
    g, q = (all_g[d > 0], p[d > 0]) if scale == "standard" else (all_g, p)
    x = np.nan_to_num((g - 2 * q[:, None]) / d[d > 0][:, None]) if scale != "none" else np.nan_to_num(whole)
    s = np.linalg.eigvalsh(x.T @ x / m)[::-1]
    for way in "gram", "krylov":
        name = scale + "." + way
        values, v = np.loadtxt(name + ".eigenval", ndmin=1), np.load(name + ".npy")
        k, rank = len(values), (values > 0).sum()
        assert v.shape == (n, k) and np.isfinite(v).all(), name
        assert np.abs(values - s[:k]).max() < 1e-7 * s[0], (name, values, s[:k])
        assert (v[:, rank:] == 0).all() and np.abs(v[:, :rank].T @ v[:, :rank] - np.eye(rank)).max() < 1e-9, name
        residual = np.abs(x.T @ (x @ v) / m - v * values).max()
        assert residual < (1e-8 if way == "gram" else 1e-4) * s[0], (name, residual)
PY
}

@test "odd shapes, all scales: eigenvalues and vectors of numpy" {
    need_numpy
    for shape in "2 40 0" "3 700 0.1" "5 9 0.3" "17 4097 0.01" "65 513 0.02" "130 2000 0.2" "301 1025 0" "90 20 0.05"; do
        # shellcheck disable=SC2086
        set -- $shape
        gt-sim -q --samples "$1" --variants "$2" --missing "$3" --pops 2 --seed 11 -f -o x.bed
        for scale in binomial patterson center standard none; do
            for way in gram krylov; do
                gt-svd -q -k "$(($1 < 12 ? 2 : 6))" --algorithm $way --scale $scale -f x -o $scale.$way.npy
            done
        done
        oracle x || { echo "$shape"; return 1; }
    done
}

@test "variants at which all calls are heterozygous have no variance: eigenvalues and vectors of numpy" {
    need_numpy
    gt-sim -q --samples 33 --variants 500 --missing 0.02 --pops 2 --seed 12 -o x.bed
    # every seventh variant: 10 is the code of a heterozygote; and missing for one sample in half of these
    "$PYTHON" -c 'b = bytearray(open("x.bed", "rb").read())
for v in range(0, 497, 7):
    b[3 + 9 * v:12 + 9 * v] = (b"\xaa" if v % 2 else b"\xa9") + b"\xaa" * 7 + b"\2"
open("x.bed", "wb").write(b)'
    for scale in binomial patterson center standard none; do
        for way in gram krylov; do
            gt-svd -q -k 6 --algorithm $way --scale $scale -f x -o $scale.$way.npy
        done
    done
    oracle x
}

@test "krylov stops where --tol says, however fine" {
    gt-sim -q --samples 400 --variants 3000 --pops 3 --missing 0.01 --seed 2 -o x.bed
    gt-svd -q --algorithm gram --json x -o exact.npy
    for tol in 1e-1 1e-3 1e-6 1e-9; do
        gt-svd -q --tol $tol --json x -o $tol.npy > said
        "$PYTHON" -c 'import json, sys; s = json.load(open("said")); assert 0 < s["residual"] <= float(sys.argv[1]) and s["algorithm"] == "krylov", s' $tol
        grep -o '"passes": *[0-9]*' said | tr -dc '0-9\n' >> passes
    done
    sort -n -u passes | diff passes - # tighter ones take more of them
    paste exact.eigenval 1e-9.eigenval | awk '{ off = $1 / $2 - 1 } off > 1e-8 || off < -1e-8 { exit 1 } END { exit NR != 10 }'
}

@test "the sign of components whose entries are tied: populations that mirror each other" {
    need_numpy
    "$PYTHON" - << 'PY'
import subprocess, numpy as np
rng, n, m = np.random.default_rng(1), 40, 1500
a = rng.binomial(2, rng.beta(1, 1, (4, m))[rng.integers(0, 4, n)])
both = np.vstack([a, 2 - a])  # sample i + n is sample i with REF and ALT exchanged: minus sample i in each component
for order in np.arange(2 * n), rng.permutation(2 * n), rng.permutation(2 * n):
    g = both[order]
    calls = np.array(["0/0", "0/1", "1/1"])[g.T]
    with open("x.vcf", "w") as out:
        print('##fileformat=VCFv4.2\n##contig=<ID=1>\n##FORMAT=<ID=GT,Number=1,Type=String,Description="GT">', file=out)
        print("#CHROM", "POS", "ID", "REF", "ALT", "QUAL", "FILTER", "INFO", "FORMAT", *("s%d" % i for i in range(2 * n)), sep="\t", file=out)
        for v in range(m):
            print(1, v + 1, ".", "A", "C", ".", ".", ".", "GT", *calls[v], sep="\t", file=out)
    p = g.mean(axis=0) / 2
    used = (p > 0) & (p < 1)
    want = np.linalg.svd(((g - 2 * p) / np.sqrt(2 * p * (1 - p) + ~used))[:, used])[0][:, :5]
    tied = [np.flatnonzero(abs(x) > abs(x).max() * (1 - 1e-9)) for x in want.T]
    assert all(len(t) == 2 for t in tied)
    want *= [np.sign(x[t[0]]) for x, t in zip(want.T, tied)]
    for args in "gram", "krylov", "krylov --seed 3", "krylov --seed 4", "krylov --tol 1e-9", "compressed --power-iterations 30":
        subprocess.run(["gt-svd", "-q", "-f", "-k", "5", "--algorithm", *args.split(), "x.vcf", "-o", "o.npy"], check=True)
        assert abs(np.load("o.npy") - want).max() < 0.02, (args, np.load("o.npy")[[t[0] for t in tied]])
PY
}

@test "krylov settles where many samples share few variants: no end of passes" {
    long_on_host
    gt-sim -q --samples 20000 --variants 1500 --pops 6 --missing 0.01 --seed 1 -o x.bed
    gt-svd -q --json x -o out > said
    "$PYTHON" -c 'import json; s = json.load(open("said")); assert s["residual"] <= 1e-4 and s["passes"] < 60, s'
}

@test "no more passes than --passes, and a warning" {
    gt-sim -q --samples 400 --variants 3000 --pops 3 --seed 2 -o x.bed
    for passes in 3 5; do
        gt-svd --passes $passes --json x -o out.npy > said 2> warned
        grep -q "\"passes\": *$passes[,}]" said
        grep -q "warning: the residual is .* after $passes passes, above --tol 0.0001" warned
    done
}

# --- the same bits ---------------------------------------------------------------------

@test "the same bits for any threads, chunks, kernels, memory and kind of input" {
    gt-sim -q --samples 150 --variants 9000 --pops 3 --missing 0.03 --seed 3 -O packed -o x.zarr
    gt-sim -q --samples 150 --variants 9000 --pops 3 --missing 0.03 --seed 3 -O vcf -o x.vcf.gz
    gt-pack -q --chunks variants=333 x.zarr -o small.zarr
    for way in gram krylov; do
        gt-svd -q --algorithm $way x.zarr -o want.npy
        run ! cmp -s want.npy want.eigenval
        for with in "-@ 1" "-@ 5" "--memory 72M"; do
            # shellcheck disable=SC2086
            gt-svd -q -f --algorithm $way $with x.zarr -o got.npy
            cmp want.npy got.npy
        done
        for level in ref avx2 avx512 avx512vbmi; do
            GT_CPU=$level gt-svd --version > /dev/null 2>&1 || continue
            GT_CPU=$level gt-svd -q -f --algorithm $way x.zarr -o got.npy
            cmp want.npy got.npy
        done
        for input in small.zarr x.vcf.gz; do
            gt-svd -q -f --algorithm $way $input -o got.npy
            cmp want.npy got.npy
            gt-svd -q -f --algorithm $way -O npy - < <(if [ -d $input ]; then tar -c -C $input .; else cat $input; fi) > got.npy
            cmp want.npy got.npy
        done
    done
}

@test "what passes make of some blocks, or of all, is kept: the same bits" {
    gt-sim -q --samples 2000 --variants 12000 --spectrum growth --missing 0.01 --seed 3 -o rare.zarr
    gt-svd -q -k 4 --tol 1e-3 rare.zarr -o want
    local least more
    least=$(gt-svd -n -k 4 --tol 1e-3 -@ 2 rare.zarr | sed -n 's/^memory *\([0-9]*\)M needed.*/\1/p')
    for more in 0 2 5 8 13 18 28; do
        gt-svd -q -k 4 --tol 1e-3 -@ 2 --memory $((least + more))M rare.zarr -o got
        cmp want.eigenvec got.eigenvec
        cmp want.eigenval got.eigenval
        rm got.*
    done
}

@test "genotypes that memory does not hold are read again, those of a stream from a file" {
    gt-sim -q --samples 200 --variants 100000 --pops 3 --missing 0.01 --seed 4 -O packed -o x.zarr
    local memory
    memory=$(gt-svd -n --memory 40M --tol 0.1 x.zarr 2>&1 | grep -o '[0-9]*M would do')
    memory=${memory% would do}
    gt-svd -n --memory "$memory" --tol 0.1 x.zarr | grep -q 'genotypes *are read again'
    gt-svd -n --tol 0.1 x.zarr | grep -q 'genotypes *stay in memory'
    gt-svd -q --tol 0.1 x.zarr -o want.npy
    gt-svd -q --tol 0.1 --memory "$memory" x.zarr -o got.npy
    cmp want.npy got.npy
    gt-svd -q --tol 0.1 --memory "$((${memory%M} + 24))M" --tmpdir . -O npy - < <(tar -c -C x.zarr .) > got.npy
    cmp want.npy got.npy
}

@test "more than 200,000 variants that were not pruned: a warning" {
    gt-sim -q --samples 12 --variants 201000 --min-maf 0.3 --seed 1 -O packed -o x.zarr
    gt-svd -k 2 x.zarr -o many 2> said
    grep -q 'variants may be in linkage disequilibrium.*--ld-prune' said
    gt-svd -k 2 --ld-prune 2,0.99 x.zarr -o pruned 2> said
    run ! grep -q 'linkage' said
    gt-svd -k 2 --thin 2 x.zarr -o few 2> said
    run ! grep -q 'linkage' said
}

# --- what samples have no components ------------------------------------------------------

vcf() { # NAMES, then lines of genotypes on standard input
    printf '##fileformat=VCFv4.2\n##contig=<ID=1>\n##FORMAT=<ID=GT,Number=1,Type=String,Description="G">\n'
    printf '#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT'
    printf '\t%s' "$@"
    printf '\n'
    awk '{ printf "1\t%d\t.\tA\tC\t.\t.\t.\tGT", NR; for (i = 1; i <= NF; i++) printf "\t%s", $i; printf "\n" }'
}

@test "nothing that differs: an error that says so, no file" {
    echo '0/1' | vcf a > one.vcf
    printf '0/0 0/0\n1/1 1/1\n./. ./.\n' | vcf a b > alike.vcf
    printf '0/1 0/1 0/1\n0/1 0/1 0/1\n' | vcf a b c > hets.vcf
    printf '' | vcf a b > none.vcf
    for way in gram krylov; do
        refused 3 "no variant is left to make components of" gt-svd -q -k 1 --algorithm $way none.vcf -o out
        refused 3 "no variants of 'alike.vcf' are left" gt-svd -k 1 --algorithm $way --mac 1 alike.vcf -o out
        # shellcheck disable=SC2154
        [[ "$stderr" == *"3 dropped by --mac"*"no variant is left to make components of"* ]]
        for input in one alike hets; do
            refused 3 "no variant differs between the samples" gt-svd -q -k 1 --algorithm $way $input.vcf -o out
        done
    done
    [ -z "$(ls out* 2> /dev/null)" ]
}

@test "fewer components than asked for: those behind are 0, and a warning" {
    for i in 0 1 0 1 1 0 0 1 0 0; do echo "0/$i 1/$i 0/$i 0/$i ./."; done | vcf a b c d lost > dup.vcf
    for way in gram krylov; do
        gt-svd -k 5 --algorithm $way dup.vcf -o out.tsv 2> said
        grep -q 'warning: the data has only [1-4] components\?; the others are 0' said
        run ! grep -q -i -e nan -e inf out.tsv out.eigenval
        awk -F '\t' 'NR > 1 && $6 != 0' out.tsv | grep . && return 1
        awk -F '\t' '$1 == "a" { a = $2 } $1 == "c" && ($2 - a > 1e-7 || a - $2 > 1e-7) { exit 1 } $1 == "lost" && ($2 > 1e-7 || $2 < -1e-7) { exit 1 }' out.tsv
    done
}

@test "compressed: no more components than variants" {
    gt-sim -q --samples 30 --variants 4 --spectrum flat -O vcf -o few.vcf
    gt-svd -k 5 --algorithm compressed few.vcf -o out 2> said
    grep -q 'warning: the data has only 4 components; the others are 0' said
    [ "$(tail -n 1 out.eigenval)" = 0 ]
    awk '$1 > 0' out.eigenval | wc -l | grep -qx 4
}

@test "more components than samples, and other nonsense" {
    printf '0/1 0/0\n0/0 0/1\n' | vcf a b > two.vcf
    refused 2 "-k 10 is more than 'two.vcf' has (2 samples)" gt-svd two.vcf
    refused 2 "-k 0: must be from 1 to 1000" gt-svd -k 0 two.vcf
    refused 2 "--tol 0: must be above 0" gt-svd --tol 0 two.vcf
    refused 2 "--tol 2: must be above 0" gt-svd --tol 2 two.vcf
    refused 2 "--passes 2: krylov" gt-svd --passes 2 two.vcf
    refused 2 "--oversample 2000: must be at most 1000" gt-svd --oversample 2000 two.vcf
    for option in "--tol 1e-3" "--passes 9" "--oversample 8" "--seed 2"; do
        # shellcheck disable=SC2086
        refused 2 "${option% *} needs --algorithm krylov" gt-svd --algorithm gram $option two.vcf
    done
    refused 2 "use -O plink" gt-svd -O npy two.vcf -o x.eigenvec
    refused 2 "which gt-svd does not write" gt-svd two.vcf -o x.vcf
    refused 4 "is needed: " gt-svd -k 1 --algorithm krylov --memory 34M two.vcf
}

# --- files -----------------------------------------------------------------------------------

@test "plink, tsv and npy hold the same numbers, eigenvalues beside them" {
    gt-sim -q --samples 70 --variants 900 --pops 3 --seed 8 -o x.bed
    gt-svd -q -k 3 x -o a
    gt-svd -q -k 3 x -o b.eigenvec
    gt-svd -q -k 3 x > c
    cmp a.eigenvec b.eigenvec
    cmp a.eigenvec c
    cmp a.eigenval b.eigenval
    gt-svd -q -k 3 x -o d.tsv
    gt-svd -q -k 3 x -o e.tsv.gz
    gzip -dc e.tsv.gz | cmp - d.tsv
    cmp d.eigenval e.eigenval
    gt-svd -q -k 3 x -o f.npy
    cut -f 1 d.tsv | sed 1d | cmp - f.npy.id
    need_numpy
    "$PYTHON" - << 'PY'
import numpy as np
a, d = (np.array([[float(x) for x in line.split("\t")[-3:]] for line in open(name).readlines()[1:]]) for name in ("a.eigenvec", "d.tsv"))
f = np.load("f.npy")
assert f.dtype == "<f8" and f.shape == (70, 3) and np.abs(f - d).max() < 1e-10 and np.abs(f - a).max() < 1e-6
assert np.abs(np.loadtxt("a.eigenval") / np.loadtxt("d.eigenval") - 1).max() < 1e-5
PY
}

@test "a sum that fails leaves no file" {
    gt-sim -q --samples 70 --variants 900 --seed 8 -O packed -o x.zarr
    find x.zarr/packed_dosage -type f -name '[0-9]*' | head -1 | xargs truncate -s 20
    for way in gram krylov; do
        run timeout 60 gt-svd -q --algorithm $way x.zarr -o out
        [ "$status" -eq 3 ]
        [ -z "$(ls out* 2> /dev/null)" ]
    done
}

@test "selection: as if the others were not there" {
    gt-sim -q --samples 60 --variants 2000 --pops 3 --missing 0.05 --seed 9 -O vcf -o x.vcf.gz
    gt-pack -q -s S5,S1,S9,S7,S30,S40,S41 --maf 0.2 --geno 0.2 x.vcf.gz -o part.zarr
    for way in gram krylov; do
        gt-svd -q -k 3 --algorithm $way -s S5,S1,S9,S7,S30,S40,S41 --maf 0.2 --geno 0.2 x.vcf.gz > a
        gt-svd -q -k 3 --algorithm $way part.zarr > b
        cmp a b
        [ "$(cut -f 1 a | tr '\n' ' ')" = "#IID S5 S1 S9 S7 S30 S40 S41 " ]
    done
}

@test "sex chromosomes and multiallelic variants are left out unless asked for" {
    printf '##fileformat=VCFv4.2\n##FORMAT=<ID=GT,Number=1,Type=String,Description="G">\n#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\ta\tb\tc\n' > x.vcf
    for line in "1 1 A C 0/1 0/0 1/1" "1 2 A C 0/0 0/1 0/1" "X 3 A C 0/1 1/1 0/0" "1 4 A C,T 0/2 1/2 0/0"; do
        # shellcheck disable=SC2086
        set -- $line
        printf '%s\t%s\t.\t%s\t%s\t.\t.\t.\tGT\t%s\t%s\t%s\n' "$@" >> x.vcf
    done
    gt-svd -k 1 x.vcf 2> said > /dev/null
    grep -q ' samples, 2 variants: ' said
    gt-svd -k 1 --contigs all x.vcf 2> said > /dev/null
    grep -q ' samples, 3 variants: ' said
    gt-svd -k 1 --split-multiallelic x.vcf 2> said > /dev/null
    grep -q ' samples, 4 variants: ' said
}

# --- random projection --------------------------------------------------------------

@test "compressed: a first look without power iterations, the exact components with some" {
    need_numpy
    gt-sim -q --samples 300 --variants 4000 --pops 5 --fst 0.1 --missing 0.02 -o x.bed
    gt-pack -q x.bed -o x.zarr
    gt-svd -q -k 4 --algorithm compressed x.zarr -O npy -o none
    gt-svd -q -k 4 --algorithm compressed --power-iterations 6 x.zarr -O npy -o six
    gt-svd -q -k 4 --algorithm gram x.zarr -O npy -o exact
    gt-svd -q -k 10 --algorithm compressed x.zarr -O npy -o all
    gt-svd -q -k 20 --scale none --algorithm compressed --json x.zarr -O npy -o dosages > json
    grep -q '"passes": *2' json # without a mean one digit is not enough, and a pass looks first
    gt-svd -q -k 10 --algorithm compressed --json x.zarr -O npy -o all > json
    grep -q '"passes": *1' json
    grep -o '"trace": *[0-9.]*' json > trace # of the only pass
    gt-svd -q -k 10 --algorithm gram --json x.zarr -O npy -o all.gram | grep -o '"trace": *[0-9.]*' > trace.gram
    "$PYTHON" -c 'a, b = (float(open(f).read().split(":")[1]) for f in ("trace", "trace.gram")); assert abs(a / b - 1) < 1e-9, (a, b)'
    "$PYTHON" - << 'PY'
import numpy as np
read = lambda name: (np.load(name), np.loadtxt(name.split(".")[0] + ".eigenval"))
(v0, s0), (v6, s6), (v, s), (va, sa) = (read(name) for name in ("none", "six", "exact", "all"))
# both project on 20 columns; a recipe of no iterations is below the exact values, and not by much
assert np.allclose(s0, sa[:4], rtol=1e-9) and np.allclose(abs((v0 * va[:, :4]).sum(axis=0)), 1)
assert (s0 < s).all() and (s0 > s / 4).all(), (s0, s)
assert abs(s6 / s - 1).max() < 1e-4 and 1 - abs((v6 * v).sum(axis=0)).min() < 1e-6
assert abs(va.T @ va - np.eye(10)).max() < 1e-10
PY
}

@test "compressed: as many columns as samples lose nothing, and values are no larger than what their vectors have" {
    need_numpy
    gt-sim -q --samples 90 --variants 1500 --pops 3 --fst 0.1 --missing 0.02 -o x.bed
    gt-pack -q x.bed -o x.zarr
    gt-svd -q -k 20 --algorithm compressed x.zarr -O npy -o out
    gt-svd -q -k 90 --power-iterations 1 x.zarr -O npy -o whole
    gt-svd -q -k 90 --algorithm gram x.zarr -O npy -o exact
    "$PYTHON" - << 'PY'
import numpy as np
# of as many columns as samples nothing is lost, but what rounding leaves of the smallest
s, w = np.loadtxt("exact.eigenval"), np.loadtxt("whole.eigenval")
assert abs(w[:89] / s[:89] - 1).max() < 1e-6 and w[89] < 1e-6 * w[0], w
v, values = np.load("out"), np.loadtxt("out.eigenval")
u = np.load("exact")
# vectors and values are those of one projection: v' K v is at least its values, since B'B is below K
k = (v.T @ u) ** 2 @ s
assert (k >= values * (1 - 1e-4)).all() and (k <= s[0]).all()
PY
}

@test "compressed: the same bits for any threads, memory and input; few samples, no structure" {
    gt-sim -q --samples 150 --variants 3000 --pops 3 --missing 0.05 --seed 3 -o x.bed
    gt-pack -q --chunks variants=77,samples=40 x.bed -o x.zarr
    gt-svd -q -k 3 --algorithm compressed --power-iterations 1 x.bed -O npy -o one
    for how in "-@1" "-@5" "--memory 128M"; do
        # shellcheck disable=SC2086
        gt-svd -q -k 3 --algorithm compressed --power-iterations 1 $how x.zarr -O npy -o other
        cmp one other
        cmp one.eigenval other.eigenval
    done
    gt-svd -q -k 3 --algorithm compressed x.bed -O npy -o first
    for how in "-@1" "-@5" "--memory 128M"; do
        # shellcheck disable=SC2086
        gt-svd -q -k 3 --algorithm compressed $how x.zarr -O npy -o other
        cmp first other
        cmp first.eigenval other.eigenval
    done
    gt-svd -q -k 3 --algorithm compressed --power-iterations 1 --seed 2 x.zarr -O npy -o other
    run ! cmp -s one other
    for samples in 2 3 19 21; do
        gt-sim -q --samples $samples --variants 40 -o few.bed -f
        gt-svd -q -k 2 --algorithm compressed few.bed -o few
        run ! grep -qi nan few.eigenvec few.eigenval
    done
    gt-svd -n -k 3 --power-iterations 2 x.bed | grep -q 'algorithm *compressed (whose options are given)'
    refused 2 "--tol with --algorithm compressed needs a plain array" gt-svd --algorithm compressed --tol 0.1 x.bed
}

@test "samples that lack many calls are told of" {
    gt-sim -q --samples 70 --variants 900 --pops 3 --missing 0.02 --seed 3 -o x.bed
    "$PYTHON" - << 'PY'
# S6 has half of its calls, S67 eight of ten, S70 none
rows, wide = bytearray(open("x.bed", "rb").read()), 18
for v in range(900):
    for sample, missing in (5, v % 2), (66, v % 5 == 0), (69, True):
        at = 3 + v * wide + sample // 4
        if missing:
            rows[at] = rows[at] & ~(3 << sample % 4 * 2) | 1 << sample % 4 * 2
open("x.bed", "wb").write(rows)
PY
    for how in "--algorithm gram" "--algorithm krylov" "--algorithm compressed" "--algorithm compressed --power-iterations 1"; do
        # shellcheck disable=SC2086
        gt-svd -k 3 $how -f x -o x.npy 2> said
        grep -q 'warning: 3 samples have more than 10 % missing genotypes (highest: S70, 100 %); --mind 0.1 would exclude them' said
        "$PYTHON" -c 'import numpy as np; x = np.load("x.npy"); assert np.isfinite(x).all() and np.abs(x[69]).max() < 1e-4, x[69]'
        # shellcheck disable=SC2086
        gt-svd -k 3 $how -f --mind 0.1 x -o y.npy 2> said
        run ! grep -q 'missing genotypes' said
    done
    gt-svd -k 3 --fit x.fam x -o z.npy 2>&1 | grep -q '3 samples have more than 10 % missing genotypes'
}

@test "a pass uses the memory of the one before: its pages are not taken and cleared again" {
    local passes
    [ -x /usr/bin/time ] || skip "no GNU time"
    gt-sim -q --samples 60000 --variants 600 --pops 3 --missing 0.01 -o x.zarr
    for passes in 3 9; do
        /usr/bin/time -f %R -o faults.$passes gt-svd -q -@ 2 -k 4 --algorithm krylov --tol 1e-12 --passes $passes -O npy -o v.npy -f x.zarr
    done
    cat faults.*
    [ $(($(cat faults.9) - $(cat faults.3))) -lt 6000 ] # with blocks made anew, 2,800 a pass
}
