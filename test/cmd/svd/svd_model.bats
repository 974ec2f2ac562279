#!/usr/bin/env bats
# gt-svd --loadings, --project and --fit: the variants' side of components, and samples on the axes of others.

bats_require_minimum_version 1.5.0

setup() { cd "$BATS_TEST_TMPDIR" || exit 1; }

need_numpy() { "$PYTHON" -c 'import numpy' 2> /dev/null || skip "no python3-numpy"; }
need_zarr() { "$PYTHON" -c 'import numpy, zarr' 2> /dev/null || skip "no python3-zarr"; }

refused() { # STATUS TEXT COMMAND...
    run --separate-stderr timeout 60 "${@:3}"
    # shellcheck disable=SC2154
    { [ "$status" -eq "$1" ] && [[ "${stderr_lines[0]}" == *"$2"* ]] && [ -z "$output" ]; } ||
        { echo "${*:3}: status $status: $output $stderr"; return 1; }
}

# No variant of x is constant.
make_x() {
    gt-sim -q --samples 120 --variants 2200 --pops 4 --seed 5 "$@" -o all.bed
    gt-unpack -q --polymorphic all -o x.bed
    n=$(wc -l < x.bim)
}

# alike A.npy B.npy TOLERANCE: up to the sign of columns
alike() {
    "$PYTHON" - "$@" << 'PY'
import numpy as np, sys
a, b = np.load(sys.argv[1]), np.load(sys.argv[2])
b = b * np.sign((a * b).sum(axis=0))
off = np.abs(a - b).max()
assert a.shape == b.shape and np.isfinite(a).all() and off <= float(sys.argv[3]), off
PY
}

# PLINK 2's averages over alleles, times 2 / sqrt(eigenvalue), of SCORES.sscore are those of OURS.npy.
as_plink() { # OURS SCORES EIGENVALUES
    "$PYTHON" - "$@" << 'PY'
import numpy as np, sys
ours, ids = np.load(sys.argv[1] + ".npy"), open(sys.argv[1] + ".npy.id").read().split()
lines = [line.split("\t") for line in open(sys.argv[2] + ".sscore").read().splitlines()]
head = [name.lstrip("#") for name in lines[0]]
at, iid = head.index("PC1_AVG"), head.index("IID")
theirs = {line[iid]: [float(x) for x in line[at:at + ours.shape[1]]] for line in lines[1:]}
b = np.array([theirs[i] for i in ids]) * 2 / np.sqrt(np.loadtxt(sys.argv[3])[:ours.shape[1]])
b = b * np.sign((ours * b).sum(axis=0))
off = (np.abs(ours - b).max(axis=0) / np.abs(ours).max(axis=0)).max()
assert off < 2e-5, off  # plink2 prints 6 digits: averages, eigenvalues, loadings and frequencies are each off by up to 5e-6
PY
}

@test "projection is plink2's --score, times 2 over the root of the eigenvalue: 1000 Genomes on axes of HapMap3" {
    need_numpy
    command -v plink2 > /dev/null || skip "no plink2"
    [ -f "$GT_TEST_DATA/plink/HM3_thinned.bed" ] || skip "no test data (GT_TEST_DATA)"
    hm3=$GT_TEST_DATA/plink/HM3_thinned kg=$GT_TEST_DATA/plink/1kg_phase1_thinned
    gt-svd -q --loadings "$hm3" -o our
    gt-svd -q --project our.model.zip --match id "$kg" -o kg.npy
    theirs() { # is ours what PLINK 2 says?
        plink2 --threads 1 --bfile "$hm3" --freq --pca 10 biallelic-var-wts meanimpute --silent --out their > /dev/null
        for weights in their our; do # either program takes these
            plink2 --threads 1 --bfile "$kg" --read-freq their.afreq --score $weights.eigenvec.var 2 4 header-read no-mean-imputation \
                variance-standardize --score-col-nums 5-14 --silent --out score > /dev/null
            as_plink kg score their.eigenval || return 1
        done
    }
    # once in some hundred runs on a busy machine plink2 2.00a3 says something else: it is asked again
    theirs || theirs
    # few are found by position: the genome build is another one
    gt-svd --min-match 0 --project our.model.zip "$kg" -o none 2> said
    grep -q 'warning: .* model variants not found in the data by position' said
}

@test "loadings are those of plink2 --pca biallelic-var-wts" {
    need_numpy
    command -v plink2 > /dev/null || skip "no plink2"
    make_x --missing 0.02
    theirs() { # are our loadings what PLINK 2 says?
        plink2 --threads 1 --bfile x --pca 4 biallelic-var-wts meanimpute --silent --out their > /dev/null
        "$PYTHON" - << 'PY'
import numpy as np
def table(path):
    lines = [line.split("\t") for line in open(path).read().splitlines()]
    return lines[0], [line[:4] for line in lines[1:]], np.array([[float(x) for x in line[4:]] for line in lines[1:]])
(head, names, a), (their_head, their_names, b) = table("our.eigenvec.var"), table("their.eigenvec.var")
assert head == their_head and [n[:2] for n in names] == [n[:2] for n in their_names]
swap = np.array([n != m for n, m in zip(names, their_names)])  # of two alleles that are as frequent
assert swap.mean() < 0.02, swap.mean()
b = np.where(swap[:, None], -b, b)
b = b * np.sign((a * b).sum(axis=0))
assert np.abs(a - b).max() < 1e-4, np.abs(a - b).max()
PY
    }
    for way in "gram" "krylov --tol 1e-7"; do
        # shellcheck disable=SC2086
        gt-svd -q -k 4 --algorithm $way --loadings -f x -o our
        theirs || theirs # as above
    done
}

@test "loadings of several chromosomes: the major allele is the more frequent one, and REF of two that are as frequent" {
    need_numpy
    gt-sim -q --samples 8 --variants 300 --contigs 3 --missing 0.05 --seed 3 -o x.bed
    gt-svd -q -k 3 --loadings -O plink x -o our
    gt-svd -q -k 3 x -o our.npy
    "$PYTHON" - << 'PY'
import numpy as np
n = 8
data = np.frombuffer(open("x.bed", "rb").read()[3:], "u1").reshape(-1, n // 4)
code = (data[:, :, None] >> np.array([0, 2, 4, 6]) & 3).reshape(len(data), n)
alt = np.array([2, np.nan, 1, 0])[code]  # of A1, the first allele of .bim
sites = [line.split() for line in open("x.bim")]
mean = np.nanmean(alt, axis=1)
keep = [i for i in range(len(sites)) if np.nanmin(alt[i]) != np.nanmax(alt[i])]
assert sum(mean[i] == 1 for i in keep) >= 5
lines = [line.rstrip("\n").split("\t") for line in open("our.eigenvec.var")]
assert lines[0] == ["#CHROM", "ID", "MAJ", "NONMAJ", "PC1", "PC2", "PC3"], lines[0]
want = [[s[0], s[1], *((s[4], s[5]) if m > 1 else (s[5], s[4]))] for s, m in ((sites[i], mean[i]) for i in keep)]
assert [line[:4] for line in lines[1:]] == want
# the products of genotypes and PCs, of the allele that is NONMAJ
pcs, values = np.load("our.npy"), np.loadtxt("our.eigenval")[:3]
p = mean[keep] / 2
x = np.nan_to_num((alt[keep] - 2 * p[:, None]) / np.sqrt(2 * p * (1 - p))[:, None]) * np.where(mean[keep] > 1, -1, 1)[:, None]
y = x @ (pcs / np.linalg.norm(pcs, axis=0))
got = np.array([[float(t) for t in line[4:]] for line in lines[1:]])
ratio = (got * y).sum(axis=0) / (y * y).sum(axis=0)
assert np.allclose(got, y * ratio, rtol=1e-4, atol=1e-4 * abs(got).max()), abs(got - y * ratio).max()
# of unit length times the square root of their number
assert np.allclose((got**2).mean(axis=0), 1, rtol=1e-4), (got**2).mean(axis=0)
PY
}

@test "the files of each format, and loadings of PCs that explain nothing, which are 0" {
    gt-sim -q --samples 9 --variants 300 --seed 1 -o x.zarr
    files() { # FILES ARGUMENT...: no others are made
        mkdir made
        (cd made && gt-svd -q -k 9 ../x.zarr "${@:2}" && printf '%s ' *) > list
        [ "$(cat list)" = "$1 " ] || { echo "${@:2}: $(cat list)"; return 1; }
        rm -rf last
        mv made last
    }
    local ld="--ld-prune 50,5,0.5"
    files "a.eigenval a.eigenvec" -o a
    # shellcheck disable=SC2086
    files "a.eigenval a.eigenvec a.prune.in" $ld -o a.eigenvec
    # shellcheck disable=SC2086
    files "a.eigenval a.eigenvec.var a.model.zip a.npy a.npy.id a.prune.in" $ld --loadings -o a.npy
    files "a.eigenval a.eigenvec.var a.model.zip a.tsv" --loadings -o a.tsv
    # shellcheck disable=SC2086
    files "a.zarr" $ld --loadings -o a.zarr
    # shellcheck disable=SC2086
    files "a.zip" $ld --loadings -O zarr -o a.zip
    # their names are taken: no other output may have one
    local name
    for name in eigenvec eigenval prune.in eigenvec.var model.zip npy.id; do
        # shellcheck disable=SC2086
        refused 2 "'a.$name' (--log) and 'a.$name' (-o) are the same file" gt-svd -k 2 x.zarr $ld --loadings --log a.$name -o a$([ $name != npy.id ] || echo .npy)
    done
    # shellcheck disable=SC2086
    gt-svd -q -k 2 x.zarr $ld --loadings --log a.prune.in -o a.zarr
    # nine samples that are centred have rank 8
    files "a.eigenval a.eigenvec a.eigenvec.var a.model.zip" --loadings -O plink -o a
    [ "$(tail -n 1 last/a.eigenval)" = 0 ]
    run ! grep -qi nan last/a.eigenvec.var
    [ "$(cut -f 13 last/a.eigenvec.var | sed 's/^-0$/0/' | sort -u | tr '\n' ' ')" = "0 PC9 " ]
    [ "$(cut -f 12 last/a.eigenvec.var | sort -u | wc -l)" -gt 50 ]
}

@test "missing calls, sites that are missing, alleles the other way round: plink2's averages, and numpy" {
    need_numpy
    command -v plink2 > /dev/null || skip "no plink2"
    make_x --missing 0.03
    gt-sim -q --samples 70 --variants "$n" --pops 4 --seed 6 --missing 0.05 -o y.bed
    cp x.bim y.bim # the same sites, other genotypes
    plink2 --threads 1 --bfile x --freq --pca 5 biallelic-var-wts meanimpute --silent --out their > /dev/null
    gt-svd -q -k 5 --loadings x -o our
    "$PYTHON" - << 'PY'
# of z every third site of y is left out, and at every fourth the alleles are the other way round
n = sum(1 for _ in open("y.fam"))
rows, sites, wide = open("y.bed", "rb").read()[3:], open("y.bim").read().splitlines(), (n + 3) // 4
turn = bytes(sum({0: 3, 1: 1, 2: 2, 3: 0}[b >> s & 3] << s for s in (0, 2, 4, 6)) for b in range(256))
last = (1 << 2 * ((n - 1) % 4 + 1)) - 1
with open("z.bed", "wb") as bed, open("z.bim", "w") as bim:
    bed.write(bytes([0x6c, 0x1b, 1]))
    for i, line in enumerate(sites):
        row, f = rows[i * wide:(i + 1) * wide], line.split("\t")
        if i % 3 == 0:
            continue
        if i % 4 == 0:
            row, f[4], f[5] = row.translate(turn), f[5], f[4]
            row = row[:-1] + bytes([row[-1] & last])
        bed.write(row)
        bim.write("\t".join(f) + "\n")
PY
    cp y.fam z.fam
    plink2 --threads 1 --bfile z --read-freq their.afreq --score their.eigenvec.var 2 4 header-read no-mean-imputation variance-standardize \
        --score-col-nums 5-9 --silent --out score > /dev/null
    gt-svd -q --project our.model.zip y -o y.npy
    "$PYTHON" - << 'PY'
import numpy as np
def bed(stem, n):  # copies of A1
    rows = np.frombuffer(open(stem + ".bed", "rb").read()[3:], "u1").reshape(-1, (n + 3) // 4)
    codes = np.stack([rows >> s & 3 for s in (0, 2, 4, 6)], 2).reshape(len(rows), -1)[:, :n]
    return np.array([2, np.nan, 1, 0])[codes]
x, y = bed("x", 120), bed("y", 70)
p = np.nanmean(x, axis=1, keepdims=True) / 2
standard = lambda g: (g - 2 * p) / np.sqrt(2 * p * (1 - p))
x, y = np.nan_to_num(standard(x)), standard(y)
vectors = np.linalg.eigh(x.T @ x)[1][:, :-6:-1]
scores = np.nan_to_num(y).T @ (x @ vectors) / (~np.isnan(y)).sum(axis=0)[:, None]
for score, got in zip(scores.T, np.load("y.npy").T):
    off = abs(got - score * (score @ got / (score @ score))).max() / abs(got).max()
    assert off < 1e-6, off
PY
    for match in position id; do
        gt-svd --json --project our.model.zip --match $match z -o z.npy > said
        as_plink z score their.eigenval
        "$PYTHON" - "$n" << 'PY'
import json, sys
said, n = json.load(open("said")), int(sys.argv[1])
swapped = sum(i % 3 != 0 and i % 4 == 0 for i in range(n))
absent = sum(i % 3 == 0 for i in range(n))
assert (said["swapped"], said["absent"], said["same"]) == (swapped, absent, n - swapped - absent) and said["unknown"] == 0, said
PY
    done
    gt-svd -q --project our.model.zip -s "$(cut -f 2 y.fam | sed -n 7p)" y -k 2 -o one.npy
    gt-svd -q --project our.model.zip y -o all.npy
    "$PYTHON" -c 'import numpy as np; assert np.abs(np.load("one.npy") - np.load("all.npy")[6:7, :2]).max() < 1e-8'
}

@test "samples of the model without missing calls are where they were; --scores are times the singular values" {
    need_numpy
    make_x
    for scale in binomial patterson center standard none; do
        gt-svd -q -k 4 --scale $scale --loadings -f x -o x.npy
        gt-svd -q --project x.model.zip x -o again.npy
        alike x.npy again.npy 1e-7
    done
    gt-svd -q -k 4 --scores x -o s.npy
    gt-svd -q -k 4 --loadings x -o x.npy
    gt-svd -q --scores --project x.model.zip x -o t.npy
    "$PYTHON" - << 'PY'
import numpy as np
v, s, t = np.load("x.npy"), np.load("s.npy"), np.load("t.npy")
size = np.sqrt(np.loadtxt("s.eigenval") * sum(1 for _ in open("x.bim")))
assert np.abs(v * size - s).max() < 1e-6 and np.abs(s - t).max() < 1e-5
PY
}

@test "a model is a Zarr group: X = U diag(s) V'" {
    need_zarr
    make_x --missing 0.02
    gt-svd -q -k 5 --loadings x -o x
    gt-svd -q -k 5 --loadings -O zarr x -o x.zarr
    gt-svd -q -k 5 -O zarr x -o bare.zarr
    gt-info --check --deep x.model.zip > /dev/null
    "$PYTHON" - << 'PY'
import numpy as np, zarr
g = zarr.open_group(zarr.ZipStore("x.model.zip", mode="r"), mode="r")
n = sum(1 for _ in open("x.fam"))
rows = np.frombuffer(open("x.bed", "rb").read()[3:], "u1").reshape(-1, (n + 3) // 4)
d = np.array([2, np.nan, 1, 0])[(rows[:, :, None] >> np.array([0, 2, 4, 6], "u1") & 3).reshape(len(rows), -1)[:, :n]]
x = np.nan_to_num((d - g["variant_mean"][:][:, None]) / g["variant_scale"][:][:, None])
u, s, v = g["variant_component"][:], g["singular_value"][:], g["sample_component"][:]
assert np.abs(u.T @ u - np.eye(5)).max() < 1e-7 and np.abs(x @ v - u * s).max() < 1e-6 * s[0]
sites = [line.split() for line in open("x.bim")]
assert list(g["variant_id"][:]) == [f[1] for f in sites] and list(g["variant_position"][:]) == [int(f[3]) for f in sites]
assert [list(a) for a in g["variant_allele"][:]] == [[f[5], f[4]] for f in sites]
assert list(g["sample_id"][:]) == [line.split()[1] for line in open("x.fam")]
assert g.attrs["gt_svd"]["scale"] == "binomial" and g.attrs["gt:history"]
h, b = zarr.open_group("x.zarr", mode="r"), zarr.open_group("bare.zarr", mode="r")
for name in g.array_keys():
    assert (h[name][:] == g[name][:]).all(), name
assert sorted(b.array_keys()) == ["eigenvalue", "sample_component", "sample_id", "singular_value"]
assert (b["sample_component"][:] == v).all()
PY
    [ ! -e x.zarr.eigenval ]
    [ ! -e x.eigenval.zarr ]
    gt-svd -q --project x.zarr x -o a.npy
    gt-svd -q --project x.model.zip x -o b.npy
    cmp a.npy b.npy
    refused 3 "is not a model" gt-svd --project bare.zarr x -o c
    [ ! -e c.eigenvec ]
}

@test "--fit: -n counts the projection of the others, and its hint does" {
    gt-sim -q --samples 60000 --variants 300 -O bed -o wide
    awk 'NR <= 100 { print $2 }' wide.fam > few
    run -4 --separate-stderr gt-svd -n -k 10 --memory 40M --fit few wide
    hint=$(grep -o -- '--memory [0-9]*M' <<< "$stderr")
    # sums of 60,001 samples alone take (3 * 16 + 16 + 11) * 8 bytes each
    [ "$(tr -dc 0-9 <<< "$hint")" -ge 60 ]
    # shellcheck disable=SC2086
    run -0 gt-svd -n -k 10 $hint --fit few wide
    [[ $output == *"${hint#--memory } needed"* ]]
    # shellcheck disable=SC2086
    gt-svd -q -k 10 $hint --fit few wide -o few.npy
    run -4 gt-svd -q -k 10 --memory $(($(tr -dc 0-9 <<< "$hint") - 1))M --fit few wide -o no
    run ! compgen -G 'no*'
}

@test "--fit: axes of some samples, the others are projected" {
    need_numpy
    make_x --missing 0.01
    awk 'NR % 3 { print $2 }' x.fam > fit
    gt-svd -q -k 4 --fit fit x -o both.tsv
    gt-svd -q -k 4 --fit fit x -o both.npy -f
    gt-svd -q -k 4 -S fit --loadings x -o own.npy
    gt-svd -q --project own.model.zip -S ^fit x -o rest.npy
    "$PYTHON" - << 'PY'
import numpy as np
fit = np.arange(120) % 3 != 2
both, own, rest = np.load("both.npy"), np.load("own.npy"), np.load("rest.npy")
assert (both[fit] == own).all() and (both[~fit] == rest).all()
lines = [line.split("\t") for line in open("both.tsv").read().splitlines()]
assert lines[0] == ["id", "FIT", "PC1", "PC2", "PC3", "PC4"]
assert [line[1] for line in lines[1:]] == ["1" if x else "0" for x in fit]
PY
    cmp both.eigenval own.eigenval
    # all as --project has them, and the note
    gt-svd -k 4 --fit fit --refit x -f -o re.npy 2> notes
    grep -q 'all samples are projected' notes
    gt-svd -q --project own.model.zip x -o again.npy
    cmp re.npy again.npy
    run ! cmp -s re.npy both.npy
    gt-svd -q -k 4 --fit fit --refit x -f -o re.tsv
    [ "$(head -1 re.tsv)" = "$(head -1 both.tsv | sed 's/FIT/REFIT/')" ]
    gt-svd -q --json -k 4 --fit fit --refit x -f -o re.npy | grep -q '"projected": 40, "missing_in_fit": "rescaled", "missing_in_projected": "rescaled"'
    gt-svd -q --json -k 4 --fit fit x -f -o both.npy | grep -q '"projected": 40, "missing_in_fit": "mean", "missing_in_projected": "rescaled"'
    { cat fit && echo nobody; } > more
    gt-svd -k 4 --fit more x -f -o both.npy 2>&1 | grep -q "1 of 81 samples of --fit not in 'x' (first: 'nobody')"
    gt-svd -k 4 --fit fit x -f -o both.npy 2> notes
    grep -q -- '--refit treats all the same' notes
    # missing calls of variants that are not in the model do not count
    gt-unpack -q x -o x.vcf
    awk -v OFS='\t' '!/^#/ { for (i = 10; i <= NF; i++) if (NR % 9 == 0) $i = i % 7 ? "0/0" : "./."; else if ($i == "./.") $i = "0/0" } 1' x.vcf > other.vcf
    gt-svd -k 4 --fit fit other.vcf -f -o both.npy 2> notes
    run ! grep -q -- '--refit treats all the same' notes
    refused 2 "--refit needs --fit" gt-svd --refit x -o c
    # those who are left out; and only some are written
    awk 'NR % 3 == 0 { print $2 }' x.fam > out
    gt-svd -q -k 4 --fit ^out -S out x -o some
    gt-svd -q -k 4 --fit fit x -o all
    diff some.eigenvec <(awk -F '\t' 'NR == 1 || $3 == 0' all.eigenvec)
    head -1 all.eigenvec | grep -q "^#FID	IID	FIT	PC1"
    # filters are by the samples of the fit
    gt-svd -q -k 4 --maf 0.2 --ld-prune 50,5,0.5 --fit fit --loadings x -o f.npy
    gt-svd -q -k 4 --maf 0.2 --ld-prune 50,5,0.5 -S fit --loadings x -o g.npy
    cmp f.eigenvec.var g.eigenvec.var
    cmp f.prune.in g.prune.in
    gt-svd -q --project f.model.zip x -o all.npy
    "$PYTHON" -c 'import numpy as np; fit = np.arange(120) % 3 != 2; assert (np.load("all.npy")[~fit] == np.load("f.npy")[~fit]).all()'
}

@test "--fit and copies of a variant: --rm-dup is of the fit alone, and what cannot be known is warned of" {
    need_numpy
    gt-sim -q --samples 40 --variants 300 --seed 4 -O vcf -o one.vcf
    # a common variant twice: the first copy has REF calls alone in the samples of the fit, and --maf drops it there
    awk -F '\t' -v OFS='\t' '!/^#/ && gsub(/0\/1/, "0/1") > 19 && !n++ { row = $0; for (i = 10; i <= 29; i++) $i = "0/0"; print; $0 = row } { print }' one.vcf > x.vcf
    printf 'S%d\n' {1..20} > fit
    # the fit is that of the data without the first copy
    gt-svd -q -k 2 --fit fit --maf 0.05 --rm-dup force-first --loadings x.vcf -o a.tsv
    gt-svd -q -k 2 --fit fit --maf 0.05 --loadings one.vcf -o b.tsv
    cmp a.eigenvec.var b.eigenvec.var
    for options in "--maf 0.05" "--maf 0.05 --rm-dup force-first" "--maf 0.05 --rm-dup error" "--thin 3"; do
        # shellcheck disable=SC2086
        gt-svd -k 2 --fit fit $options x.vcf -f -o c.tsv 2> notes
        [ "$options" = "--thin 3" ] || grep "^gt-svd: warning: 1 duplicate of a model variant in the data: the first copy is projected" notes
    done
    gt-svd -k 2 --fit fit x.vcf -f -o c.tsv 2> notes # a monomorphic variant is not in the model
    grep "^gt-svd: warning: 1 duplicate" notes
    awk '!/^#/ && ++n == 40 { print } { print }' one.vcf > y.vcf
    gt-svd -k 2 --fit fit --rm-dup force-first y.vcf -f -o c.tsv 2> notes # the first copy is in the model
    run ! grep warning.*duplicate notes
    gt-svd -k 2 --fit fit --maf 0.05 one.vcf -f -o c.tsv 2> notes
    run ! grep warning.*duplicate notes
}

@test "the same bits for any threads, memory, chunks, kernels and kind of input" {
    make_x --missing 0.02
    gt-sim -q --samples 33 --variants "$n" --pops 4 --seed 7 --missing 0.1 -o y.bed
    cp x.bim y.bim
    gt-svd -q -k 3 --loadings x -o x
    gt-svd -q --project x.model.zip y -o y.npy
    gt-pack -q --chunks variants=300,samples=12 y -o y.zarr
    gt-pack -q x -o x.zarr
    gt-unpack -q x.zarr -o x.vcf
    n=0
    for how in "-@ 1" "-@ 5" "--memory 64M"; do
        # shellcheck disable=SC2086
        gt-svd -q $how --project x.model.zip y.zarr -o o.npy
        cmp o.npy y.npy
        # shellcheck disable=SC2086
        gt-svd -q $how -k 3 --loadings -f x.zarr -o o
        cmp o.eigenvec.var x.eigenvec.var
        n=$((n + 1))
    done
    [ $n -eq 3 ]
    for cpu in ref avx2 avx512; do
        GT_CPU=$cpu gt-svd --version > /dev/null 2>&1 || continue
        GT_CPU=$cpu gt-svd -q --project x.model.zip y -o o.npy
        cmp o.npy y.npy
    done
    gt-svd -q -k 3 --loadings -f - -o o < x.vcf # read twice
    cmp o.eigenvec.var x.eigenvec.var
    gt-svd -q -k 3 --loadings --no-version x -o a
    gt-svd -q -k 3 --loadings --no-version -@ 1 x -o b
    cmp a.model.zip b.model.zip
}

@test "a site whose only allele is known is all of that one" {
    need_numpy
    make_x
    gt-svd -q -k 3 --loadings x -o x
    # nobody of z has A1: it is "0" in .bim, as PLINK writes it
    "$PYTHON" - << 'PY'
sites = [line.split("\t") for line in open("x.bim").read().splitlines()]
with open("z.bim", "w") as bim, open("w.bim", "w") as other:
    for i, f in enumerate(sites):
        own = f[5] if i % 2 else f[4]
        bim.write("\t".join(f[:4] + [".", own]) + "\n")
        other.write("\t".join(f) + "\n")
open("z.fam", "w").write("a a 0 0 0 0\n")
open("w.fam", "w").write("a a 0 0 0 0\n")
open("z.bed", "wb").write(bytes([0x6c, 0x1b, 1]) + b"\x03" * len(sites))
open("w.bed", "wb").write(bytes([0x6c, 0x1b, 1]) + b"".join(b"\x03" if i % 2 else b"\x00" for i in range(len(sites))))
PY
    gt-svd --json --project x.model.zip z -o z.npy > said
    gt-svd -q --project x.model.zip w -o w.npy
    alike z.npy w.npy 1e-9
    grep -q "\"swapped\": *$(((n + 1) / 2))," said
}

@test "alleles of a model in lower case are the same, and a variant that stands twice counts once" {
    make_x
    gt-svd -q -k 3 --loadings x -o x
    gt-svd -q --project x.model.zip x -o y.npy
    ln -s x.bed low.bed
    ln -s x.fam low.fam
    awk 'BEGIN { OFS = "\t" } { $5 = tolower($5); $6 = tolower($6); print }' x.bim > low.bim
    gt-svd -q --project x.model.zip low -o low.npy
    cmp low.npy y.npy
    # the first variant again, behind the last one
    { cat x.bed && tail -c +4 x.bed | head -c $(($(tail -c +4 x.bed | wc -c) / $(wc -l < x.bim))); } > two.bed
    { cat x.bim && head -n 1 x.bim; } > two.bim
    ln -s x.fam two.fam
    gt-svd --json --project x.model.zip two -o two.npy > said 2> told
    cmp two.npy y.npy
    grep -q '"duplicates": *1,' said
    grep -q '"other_alleles": *0,' said
    grep -q '1 duplicate excluded' told
}

@test "a model that memory does not hold is refused with a figure" {
    gt-sim -q --samples 20 --variants 200000 --seed 1 -o m.bed
    gt-svd -q --loadings -k 10 m -o m
    refused 4 "the model's" gt-svd --memory 32M -@ 1 --project m.model.zip m -o y
    gt-svd --memory 32M -@ 1 --project m.model.zip m -o y 2> said || true
    least=$(sed -n 's/^hint: use --memory \([0-9]*\)M or more$/\1/p' said)
    gt-svd -q --memory $((least + 40))M -@ 1 --project m.model.zip m -o y.npy
    [ -s y.npy ]
    # what a plan says that it needs is enough, and no more than that
    for command in "gt-svd -k 10 m" "gt-svd -k 10 --loadings m" "gt-svd --project m.model.zip m" "gt-svd --project m.model.zip --match id m"; do
        needed=$($command -n -@ 1 -o z | sed -n 's/^memory *\([0-9]*\)M needed.*/\1/p')
        $command -q --memory "${needed}M" -@ 1 -o z || { echo "$command: not in ${needed}M"; return 1; }
        run -4 $command -q --memory $((needed - 1))M -@ 1 -o no
    done
}

@test "what cannot be projected is refused, and nothing is left" {
    make_x
    gt-svd -q -k 3 --loadings x -o x
    refused 2 "-k 4: the model has 3 components" gt-svd --project x.model.zip -k 4 x -o y
    refused 3 "not a model" gt-svd --project x.bed x -o y
    refused 1 "cannot open 'absent'" gt-svd --project absent x -o y
    refused 2 "--match needs --project" gt-svd --match id x -o y
    for option in "--scale none" "--tol 1e-3" "--algorithm gram" "--loadings" "--seed 1"; do
        # shellcheck disable=SC2086
        refused 2 "which uses an existing model" gt-svd --project x.model.zip $option x -o y
    done
    refused 2 "--loadings writes several files" gt-svd --loadings x
    refused 2 "--scores cannot be combined with -O zarr" gt-svd --scores -O zarr x -o y.zarr
    refused 2 "-O zarr writes a directory or a .zip" gt-svd -O zarr x
    refused 2 "--no-version needs" gt-svd --no-version x -o y
    gt-unpack -q x -o x.vcf
    refused 2 "--fit reads its input twice" gt-svd --fit x.fam - -o y < x.vcf
    cp x.bed z.bed
    cp x.fam z.fam
    awk 'BEGIN { OFS = "\t" } { $4 += 1000000000; print }' x.bim > z.bim
    refused 3 "none of ${n:0:-3},${n: -3} model variants found in 'z' by position" gt-svd --project x.model.zip z -o y
    head -c 20000 x.model.zip > half.zip
    refused 3 "half.zip" gt-svd --project half.zip x -o y
    run ! compgen -G 'y*'
}

@test "a sample without any call is 0, and told of" {
    need_numpy
    make_x
    gt-svd -q -k 3 --loadings x -o x
    "$PYTHON" -c '
rows = open("x.bed", "rb").read()
wide = 30
open("z.bed", "wb").write(rows[:3] + b"".join(bytes([rows[i] & ~3 | 1]) + rows[i + 1:i + wide] for i in range(3, len(rows), wide)))'
    cp x.bim z.bim
    cp x.fam z.fam
    gt-svd --project x.model.zip z -o z.npy 2> said
    grep -q 'warning: 1 sample with no call at any of the' said
    "$PYTHON" -c 'import numpy as np; z = np.load("z.npy"); assert (z[0] == 0).all() and np.isfinite(z).all() and (z[1:] != 0).all()'
}

@test "--plot: pairs of components and eigenvalues, in colours of groups" {
    need_numpy
    make_x
    awk '{ print $2, "pop<" int((NR - 1) / 30) ">" }' x.fam | sed 3d > groups
    gt-svd -q x --plot p.svg --groups groups
    [ ! -e p.eigenvec ]
    [ ! -e p.svg.eigenvec ]
    gt-svd -q x --plot q.svg.gz --groups groups -o x
    gunzip -c q.svg.gz | cmp - p.svg
    [ -s x.eigenvec ]
    [ -s x.eigenval ]
    gt-svd -q x --plot - --groups groups | cmp - p.svg
    gt-svd -q x -O zarr -o x.zarr --plot r.svg --groups groups
    cmp p.svg r.svg
    awk 'NR % 2 { print $2 }' x.fam > fit
    gt-svd -q x --fit fit --plot f.svg
    gt-svd -q -k 1 x --plot one.svg
    awk '{ print $2, "P" NR % 40 }' x.fam > many
    gt-svd -q -k 2 x --plot many.svg --groups many
    gt-svd -q x -k 2 --loadings -o m
    gt-svd -q --project m.model.zip x --plot m.svg
    "$PYTHON" - << 'PY'
import re, xml.dom.minidom
def read(name):
    text = xml.dom.minidom.parse(name)
    names = [t.firstChild.data for t in text.getElementsByTagName("text")]
    paths = [p.getAttribute("d") for p in text.getElementsByTagName("path")]
    return names, paths, text.getElementsByTagName("rect")
names, paths, rects = read("p.svg")
assert all("pop<%d>" % i in names for i in range(4)) and "no group" in names, names
axes = [n for n in names if re.match(r"PC\d", n)]
assert axes == sorted(axes) and len(axes) == 6 and names.count("PC") == 1
assert 300 < sum(d.count("h0") for d in paths) - 5 <= 3 * 120  # the legend has five: four groups and one sample without
for d in paths[:-5]:
    for x, y in re.findall(r"M([\d.]+) ([\d.]+)h0", d):
        assert 70 <= float(x) <= 70 + 320 + 16 + 70 + 320 and 40 <= float(y) <= 2 * (40 + 320 + 46)
bars = [float(r.getAttribute("height")) for r in rects if r.getAttribute("fill") == "#7f8fa6"]
values = [float(line) for line in open("x.eigenval")]
assert len(bars) == 10 and all(abs(b / bars[0] - v / values[0]) < 0.01 for b, v in zip(bars, values))
names, paths, rects = read("f.svg")
assert "projected" in names and sum(d.count("m-3 0") for d in paths) > 150 and sum(d.count("h0") for d in paths) > 150
page = xml.dom.minidom.parse("many.svg")
lines = [float(t.getAttribute("y")) for t in page.getElementsByTagName("text") if t.firstChild.data.startswith("P") and t.firstChild.data[1:].isdigit()]
assert len(lines) == 40 and max(lines) < float(page.documentElement.getAttribute("height")), lines
names, paths, rects = read("one.svg")
assert "sample" in names and sum(bool(re.match(r"PC\d", n)) for n in names) == 1
assert "PC2" in read("m.svg")[0] and "eigenvalue" in read("m.svg")[0]
PY
    refused 2 "the name must end in .svg, .png or .pdf" gt-svd x --plot p.jpg
    refused 2 "--plot-dpi is the resolution of PNG" gt-svd x --plot p.pdf --plot-dpi 100
    refused 2 "--plot-width is the size of PNG and PDF" gt-svd x --plot p.svg --plot-width 100
    refused 2 "--plot-width needs --plot" gt-svd x --plot-width 100
    refused 2 "cannot both go to standard output" gt-svd x --plot - -O tsv
    refused 2 "--groups needs --plot" gt-svd x --groups groups
    refused 1 "cannot open 'absent'" gt-svd x --plot g.svg --groups absent
    refused 2 "--loadings writes several files" gt-svd x --plot g.svg --loadings
    [ ! -e g.svg ]
}

@test "--plot: the bars of the eigenvalues have the heights that the axis beside them says" {
    need_numpy
    make_x
    for k in 3 12; do gt-svd -q -k $k x --plot $k.svg; done
    gt-svd -q -k 4 x --loadings -o m
    gt-svd -q --project m.model.zip x --plot projected.svg
    "$PYTHON" - "$n" << 'PY'
import re, sys, xml.dom.minidom, numpy as np
codes = np.fromfile("x.bed", "u1")[3:].reshape(int(sys.argv[1]), -1)
g = np.array([2, np.nan, 1, 0])[(codes[:, :, None] >> np.arange(0, 8, 2)) & 3].reshape(len(codes), -1)[:, :120]
p = np.nanmean(g, axis=1, keepdims=True) / 2
squares = np.linalg.svd(np.nan_to_num((g - 2 * p) / np.sqrt(2 * p * (1 - p))), compute_uv=False) ** 2

def bars_and_axis(name):
    page = xml.dom.minidom.parse(name)
    number = lambda e, key: float(e.getAttribute(key))
    bars = [r for r in page.getElementsByTagName("rect") if r.getAttribute("fill") == "#7f8fa6"]
    frame = [r for r in page.getElementsByTagName("rect") if r.getAttribute("fill") == "none"][-1]
    left, bottom = number(frame, "x"), number(frame, "y") + number(frame, "height")
    ticks = [l for l in page.getElementsByTagName("line") if number(l, "x1") == left and number(l, "x2") < left
             and number(l, "y1") == number(l, "y2") and number(frame, "y") <= number(l, "y1") <= bottom]
    labels = [float(l.nextSibling.nextSibling.firstChild.data) for l in ticks]
    slope, zero = np.polyfit([number(l, "y1") for l in ticks], labels, 1)
    assert len(ticks) > 3 and abs(slope * bottom + zero) < 1e-3 * max(labels)
    assert all(abs(number(b, "y") + number(b, "height") - bottom) < 0.1 for b in bars)
    return np.array([slope * number(b, "y") + zero for b in bars])

for name, want in ("3.svg", 100 * squares[:3] / squares.sum()), ("12.svg", 100 * squares[:12] / squares.sum()), ("projected.svg", squares[:4] / len(g)):
    got = bars_and_axis(name)
    assert len(got) == len(want) and abs(got - want).max() < 2e-3 * want[0], (name, got, want)
PY
}

@test "a damaged model is refused" {
    need_zarr
    make_x
    gt-svd -q -k 3 --loadings -O zarr x -o m.zarr
    damage() { # TEXT STATUS PYTHON
        rm -rf bad.zarr
        cp -r m.zarr bad.zarr
        rm bad.zarr/.zmetadata
        "$PYTHON" -c "import numpy as np, zarr; g = zarr.open_group('bad.zarr', mode='a'); $3"
        refused "$2" "$1" gt-svd --project bad.zarr x -o y
    }
    damage "cannot come from a decomposition" 3 "g['variant_mean'][5] = np.nan"
    damage "cannot come from a decomposition" 3 "g['variant_component'][5, 1] = 1e300"
    damage "cannot come from a decomposition" 3 "g['variant_contig'][3] = 99"
    damage "cannot come from a decomposition" 3 "g['variant_scale'][0] = 0"
    damage "cannot come from a decomposition" 3 "g.attrs['gt_svd'] = {'version': 1, 'scale': 'binomial', 'variants': 0}"
    damage "is not a model: variant_id" 3 "g['variant_id'].resize(10)"
    damage "is not a model: variant_scale" 3 "del g['variant_scale']"
    damage "its scale is unknown" 3 "g.attrs['gt_svd'] = {'version': 1, 'scale': 'x', 'variants': 9000}"
    damage "a model of version 2" 3 "g.attrs['gt_svd'] = {'version': 2, 'scale': 'center', 'variants': 9000}"
    damage "is not a model: variant_mean" 3 "g['variant_mean'].resize(10**12)"
    damage "TiB" 4 "g['variant_component'].resize(10**12, 3)"
    run ! compgen -G 'y*'
}

# lifted FROM TO KEEP: FROM with positions of another build, but for the first KEEP variants.
lifted() {
    cp "$1.bed" "$2.bed"
    cp "$1.fam" "$2.fam"
    awk -v keep="$3" 'BEGIN { OFS = "\t" } NR > keep { $4 += 500000007 } { print }' "$1.bim" > "$2.bim"
}

@test "--min-match: data of another genome build is refused, and the hint counts what ids would find" {
    need_numpy
    make_x
    gt-svd -q -k 3 --loadings x -o x
    count=${n:0:-3},${n: -3}
    lifted x z 5
    refused 3 "only 5 of $count model variants found in 'z' by position (--min-match 0.5)" gt-svd --project x.model.zip z -o y
    [ "${stderr_lines[1]}" = "hint: --match id would find $count" ]
    run ! compgen -G 'y*'
    gt-svd -q --project x.model.zip z --match id -o id.npy
    gt-svd -q --project x.model.zip x -o whole.npy
    cmp id.npy whole.npy
    gt-svd --project x.model.zip z --min-match 0.001 -o five.npy 2> said
    grep -q "warning: .* of $count model variants not found in the data by position" said

    # the limit itself, on both sides
    lifted x half $(((n + 1) / 2))
    gt-svd -q --project x.model.zip half -o y.npy
    lifted x less $(((n + 1) / 2 - 1))
    refused 3 "model variants found in 'less' by position" gt-svd --project x.model.zip less -o y
    lifted x most $((n - 1))
    refused 3 "(--min-match 1)" gt-svd --project x.model.zip --min-match 1 most -o y
    gt-svd -q --project x.model.zip --min-match 1 x -o y.npy

    # ids that say nothing, by id and by position; names of contigs with and without chr are the same
    awk 'BEGIN { OFS = "\t" } { $1 = "chr" $1; $2 = "."; print }' x.bim > dots.bim
    cp x.bed dots.bed
    cp x.fam dots.fam
    refused 3 "none of $count model variants found in 'dots' by id" gt-svd --project x.model.zip --match id dots -o y
    [ "${stderr_lines[1]}" = "hint: --match position would find $count" ]
    gt-svd -q --project x.model.zip dots -o dots.npy
    cmp dots.npy whole.npy
    gt-svd -q -k 3 --loadings dots -o d
    refused 3 "none of $count model variants found in 'dots' by id" gt-svd --project d.model.zip --match id dots -o y

    # a stream cannot be read again to count; other alleles are named
    gt-unpack -q z -o z.vcf
    run --separate-stderr bash -c "cat z.vcf | gt-svd --project x.model.zip -o y.npy"
    [ "$status" -eq 3 ]
    [ "${stderr_lines[1]}" = "hint: try --match id" ]
    cp x.bed strand.bed
    cp x.fam strand.fam
    awk 'BEGIN { OFS = "\t"; to["A"] = "T"; to["C"] = "G"; to["G"] = "C"; to["T"] = "A" } { $2 = "."; $5 = to[$5]; $6 = to[$6]; print }' x.bim > strand.bim
    run --separate-stderr gt-svd --project x.model.zip strand -o y
    [ "$status" -eq 3 ]
    [[ "${stderr_lines[1]}" == "hint: "*" variants in the data with a model variant's position but other alleles"* ]]

    for bad in -0.1 1.5; do refused 2 "--min-match $bad: not between 0 and 1" gt-svd --project x.model.zip --min-match=$bad x -o y; done
    refused 2 "--min-match needs --project" gt-svd --min-match 0.2 x -o y
}

@test "--min-match: 1000 Genomes (GRCh37) on a model of HapMap3 (NCBI36)" {
    [ -f "$GT_TEST_DATA/plink/HM3_thinned.bed" ] || skip "no test data (GT_TEST_DATA)"
    hm3=$GT_TEST_DATA/plink/HM3_thinned kg=$GT_TEST_DATA/plink/1kg_phase1_thinned
    gt-svd -q --loadings "$hm3" -o our
    # what the tables say, without our programs
    ids=$(join -j 1 <(cut -f 2 "$hm3.bim" | sort) <(cut -f 2 "$kg.bim" | sort) | wc -l)
    run --separate-stderr gt-svd --project our.model.zip "$kg" -o y
    [ "$status" -eq 3 ]
    [[ "${stderr_lines[0]}" == *"by position (--min-match 0.5)" ]]
    [[ "${stderr_lines[1]}" == "hint: --match id would find "* ]]
    found=${stderr_lines[1]##* }
    [ "${found//,/}" -le "$ids" ] && [ "${found//,/}" -ge $((ids * 9 / 10)) ]
}
