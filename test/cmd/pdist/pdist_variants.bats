#!/usr/bin/env bats
# gt-pdist --between variants and --axis.

bats_require_minimum_version 1.5.0

. "$GT_SOURCE/test/support/pdist.bash"

setup() { cd "$BATS_TEST_TMPDIR" || exit 1; }

need_numpy() { "$PYTHON" -c 'import numpy' 2> /dev/null || skip "no python3-numpy"; }

# small FORMAT OUT: few samples by variants, a tenth missing.
small() { gt-sim -q --samples 75 --variants 333 --missing 0.1 --contigs 2 --seed 1 -O "$1" -o "$2"; }

@test "--between variants: numpy's numbers from every kind of input, with missing genotypes" {
    need_numpy
    small packed s.zarr
    small vcf s.vcf
    small bed s.bed
    small packed s.tar
    for metric in euclidean correlation hamming; do
        for input in s.zarr s.vcf s.bed s.tar; do
            gt-pdist -q -f -m $metric --between variants -O npy $input -o $input.$metric.npy
        done
        timeout 60 gt-pdist -q -f -m $metric --between variants -O npy -o stream.tar.$metric.npy < s.tar
        timeout 60 gt-pdist -q -f -m $metric --axis 0 -O npy -o stream.vcf.$metric.npy < s.vcf
    done
    "$PYTHON" - << 'PY'
import numpy as np
ids, g = [], []
for line in open("s.vcf"):
    if line[0] != "#":
        f = line.rstrip().split("\t")
        ids.append(f[2])
        g.append([np.nan if "." in c else int(c[0]) + int(c[2]) for c in f[9:]])
g = np.array(g)
m, x = (~np.isnan(g)).astype(float), np.nan_to_num(g)
assert g.shape == (333, 75) and m.min() == 0
n, xy, sx, sy = m @ m.T, x @ x.T, x @ m.T, m @ x.T
xx, yy = (x * x) @ m.T, m @ (x * x).T
same = sum((x == k) * m @ ((x == k) * m).T for k in range(3))
np.seterr(all="ignore")
want = {"euclidean": np.sqrt((xx + yy - 2 * xy) * 75 / n), "hamming": (n - same) / n,
        "correlation": 1 - (n * xy - sx * sy) / np.sqrt((n * xx - sx ** 2) * (n * yy - sy ** 2))}
for metric, square in want.items():
    np.fill_diagonal(square, 0)
    for name in "s.zarr", "s.vcf", "s.bed", "s.tar", "stream.tar", "stream.vcf":
        got = np.load(f"{name}.{metric}.npy")
        np.fill_diagonal(got, 0)
        assert np.allclose(got, square, rtol=1e-12, atol=1e-12, equal_nan=True), (name, metric)
assert open("s.zarr.euclidean.npy.id").read().split() == ids
PY
}

@test "--between variants: the same bytes for any threads, memory, chunks, level and in parts" {
    gt-sim -q --samples 3000 --variants 700 --missing 0.02 --seed 2 -O packed -o a.zarr
    gt-pack -q --chunks variants=37,samples=1000 a.zarr -o b.zarr
    gt-pdist -q --between variants -m correlation -O npy a.zarr -o best.npy
    [[ "$(gt-pdist -n -@ 1 --between variants -m correlation --memory 37M a.zarr)" =~ passes\ +([0-9]+) ]]
    [ "${BASH_REMATCH[1]}" -gt 5 ]
    gt-pdist -q -@ 1 --between variants -m correlation --memory 37M -O npy a.zarr -o small.npy
    GT_CPU=ref gt-pdist -q -@ 5 --between variants -m correlation -O npy b.zarr -o ref.npy
    cmp best.npy small.npy
    cmp best.npy ref.npy
    for i in 1 2 3; do gt-pdist -q --between variants -m correlation -O condensed --part $i/3 a.zarr; done > parts
    gt-pdist -q --between variants -m correlation -O condensed a.zarr | cmp - parts
}

@test "--between variants goes with lists, neighbours and a filter of sites; names stand for places" {
    gt-sim -q --samples 40 --variants 60 --missing 0.05 --seed 3 -O vcf -o s.vcf
    gt-pdist -q --between variants s.vcf > all.tsv
    printf 'v7\nv3\n' > rows
    printf 'v60\nv1\nv7\n' > columns
    gt-pdist -q --between variants --rows rows --cols columns s.vcf > some.tsv
    awk -F '\t' 'NR == FNR { for (i = 2; i <= NF; i++) if (FNR == 1) name[i] = $i; else cell[$1, name[i]] = $i; next }
        FNR == 1 { for (i = 2; i <= NF; i++) name[i] = $i; next }
        { for (i = 2; i <= NF; i++) { n++; if (cell[$1, name[i]] != $i) exit 1 } } END { exit n != 6 }' all.tsv some.tsv
    [ "$(gt-pdist -q --between variants --knn 1 s.vcf | wc -l)" -eq 61 ]
    gt-pdist --between variants --maf 0.2 s.vcf 2> log > maf.tsv
    kept=$(gt-pack -q --maf 0.2 s.vcf -o maf.zarr && gt-info --json maf.zarr | "$PYTHON" -c 'import json, sys; print(json.load(sys.stdin)["variants"])')
    [ "$kept" -lt 60 ]
    [ "$(wc -l < maf.tsv)" -eq $((kept + 1)) ]
    grep -q "comparing $kept variants over 40 samples" log
    awk -F '\t' 'BEGIN { OFS = "\t" } !/^#/ { $3 = "." } { print }' s.vcf > unnamed.vcf
    grep -v '^#' s.vcf | awk '{ print $1 ":" $2 }' > places
    gt-pdist -q --between variants unnamed.vcf | tail -n +2 | cut -f 1 | cmp - places
}

@test "--between and --axis: odd shapes, and what has no meaning" {
    for shape in "1 1" "1 5" "5 1" "65 3"; do
        read -r samples variants <<< "$shape"
        gt-sim -q --samples "$samples" --variants "$variants" --seed 1 -O packed -o one.zarr -f
        [ "$(gt-pdist -q --between variants one.zarr | wc -l)" -eq $((variants + 1)) ]
    done
    gt-sim -q --samples 5 --variants 8 --seed 1 -O packed -o s.zarr
    run gt-pdist --between variants -r 9 s.zarr --skip-absent
    [ "$status" -eq 0 ]
    [[ "$output" == *"no variants of 's.zarr' are left"* ]]
    "$PYTHON" -c 'open("x.npy", "wb").write(b"\x93NUMPY\x01\x00" + (118).to_bytes(2, "little") + b"{\"descr\": \"|i1\", \"fortran_order\": False, \"shape\": (2, 3), }".replace(b"\"", b"\x27").ljust(117) + b"\n" + bytes([0, 3, 1, 4, 3, 2]))'
    [ "$(gt-pdist -q --axis 1 -m cityblock x.npy | tr '\n' ' ')" = "$(printf 'id\t0\t1\t2 0\t0\t4\t3 1\t4\t0\t3 2\t3\t3\t0 ')" ]
    gt-sim -q --samples 5 --variants 8 --uniform 0..2 -o unplaced.zarr
    [ "$(gt-pdist -q --axis 0 -O pairs unplaced.zarr | cut -f 1,2 | sed -n '2p;$p' | tr '\t\n' '  ')" = "V0 V1 V6 V7 " ]
    [ "$(gt-pdist -q --axis 0 -m cityblock x.npy | cksum)" = "$(gt-pdist -q -m cityblock x.npy | cksum)" ]
    refuses << 'EOF'
2|--between variants -m king s.zarr|-m king compares samples
2|--axis 0 -m grm s.zarr|-m grm compares samples
2|--between variants --missing mean s.zarr|--missing mean applies to samples
2|--axis 2 s.zarr|genotypes have variants on axis 0
2|--axis 2 x.npy|'x.npy' has axes 0 and 1
2|--between variants x.npy|--between needs an axis named samples, and 'x.npy' has none
2|--axis 1 --between samples s.zarr|--axis cannot be combined with --between
2|--axis 1 --merge s.zarr|--axis cannot be combined with --merge
EOF
    run gt-pdist -q --between variants -O counts s.zarr -o no.counts
    [ "$status" -eq 2 ]
    [[ "$output" == *"-O counts needs samples"* ]]
    run gt-pdist -q --between variants --memory 28M s.zarr -@ 1
    [ "$status" -eq 0 ] || [ "$status" -eq 4 ]
}
