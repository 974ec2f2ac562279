#!/usr/bin/env bats
# What the steps of a command plan to take, next to what they count, see test/support/plan_peaks.py.

bats_require_minimum_version 1.5.0

. "$GT_SOURCE/test/support/level.bash"

setup_file() {
    cd "$BATS_FILE_TMPDIR" || exit 1
    gt-sim -q --samples 2000 --variants 4000 --missing 0.01 -O packed -o p.zarr
    gt-sim -q --samples 1000 --variants 700 --missing 0.01 -O vcf -o v.vcf
    sed 's/ID=1,/ID=2,/; s/^1\t/2\t/' v.vcf > w.vcf
    gt-unpack -q v.vcf -o v.bcf
    gt-unpack -q p.zarr -o p.bed
    gt-unpack -q p.zarr -o p.pgen
    gt-sim -q --samples 300 --variants 1500 --missing 0.01 -O packed -o q.zarr
    gt-sim -q --samples 300 --variants 500 --normal -o n.zarr
    gt-sim -q --samples 40 --variants 1500 --normal -o t.zarr
    gt-sim -q --samples 1000 --variants 700 --missing 0.01 -O vcz -o z.zarr
    gt-rechunk -q n.zarr -o n.npy
    gt-rechunk -q n.zarr --codec zstd:3 -c variants=100 -o nz.zarr
}

setup() { cd "$BATS_FILE_TMPDIR" || exit 1; }

# The table on standard input.
peaks() {
    local sanitized=0
    ! sanitized || sanitized=1
    SANITIZED=$sanitized run "$PYTHON" "$GT_SOURCE/test/support/plan_peaks.py"
    echo "$output"
    [ "$status" -eq 0 ]
}

@test "gt-unpack: each format, from stores, VCF, BCF, .bed and .pgen" {
    peaks << 'TABLE'
unpack p.zarr -o u.vcf | unpack 0.73 1.00 | zarr 0.41 0.59 | least 0.55 0.80
unpack p.zarr -o u.vcf.gz | unpack 0.78 1.00 | zarr 0.41 0.59
unpack p.zarr -o u.bcf | unpack 0.73 1.00 | zarr 0.41 0.59
unpack p.zarr -o u.bed | unpack 0.80 1.00 | zarr 0.41 0.59
unpack p.zarr -o u.pgen | unpack 0.41 0.59 | zarr 0.35 0.50
unpack p.zarr -o u.npy | unpack 0.78 1.00 | zarr 0.38 0.55
unpack v.vcf -o u.vcf | unpack 0.84 1.21 | text 0.55 0.79 | vcf 1.00 1.44 | least 0.60 0.87
unpack v.vcf -o u.bcf | unpack 0.24 0.35 | text 0.55 0.79 | vcf 1.00 1.44
unpack v.vcf -o u.pgen | unpack 0.13 0.19 | text 0.55 0.79 | vcf 0.54 0.78
unpack v.bcf -o u.vcf.gz | unpack 0.39 0.56 | bgzf 0.65 0.93 | vcf 0.49 0.71
unpack p.bed -o u.npy | unpack 0.74 1.00 | rows 0.65 0.94
unpack p.pgen -o u.npy | unpack 0.73 1.00 | rows 0.74 1.00
TABLE
}

@test "gt-pack: from VCF, BCF, .bed, .pgen, VCF Zarr, and with --ld-prune" {
    peaks << 'TABLE'
pack v.vcf -o o.zarr | pack 0.29 0.42 | text 0.55 0.79 | vcf 1.18 1.70 | least 0.21 0.30
pack v.vcf w.vcf -o o.zarr | pack 0.17 0.24 | text 0.55 0.79 | vcf 1.18 1.70 | least 0.21 0.30
pack v.bcf -o o.zip | pack 0.17 0.25 | bgzf 0.69 0.99 | vcf 0.51 0.73 | least 0.22 0.31
pack p.bed -o o.zarr | pack 0.45 0.65 | rows 0.76 1.00 | least 0.50 0.71
pack p.pgen -o o.tar | pack 0.57 0.82 | rows 0.76 1.00 | least 0.55 0.79
pack z.zarr -o o.zarr | pack 0.37 0.53 | zarr 0.31 0.44 | least 0.31 0.44
pack --ld-prune 50,0.3 q.zarr -o o.zarr | pack 0.37 0.53 | zarr 0.38 0.54 | least 0.12 0.17
TABLE
}

@test "gt-rechunk: other chunks, transposed, .npy, archives" {
    peaks << 'TABLE'
rechunk n.zarr -o r.zarr -c variants=100 | decode 0.52 0.75 | encode 0.50 0.72 | least 0.56 0.80
rechunk nz.zarr -o r.npy | decode 0.49 0.71 | encode 0.54 0.77 | least 0.57 0.82
rechunk n.npy -o r.zarr | copy 0.27 0.39 | least 0.24 0.34
rechunk n.npy --transpose -o r.zarr | rechunk 0.58 0.83 | least 0.57 0.82
rechunk --codec blosc:zstd:3 nz.zarr -o r.zip | recode 0.55 0.79
rechunk z.zarr -o r.zip
TABLE
}

@test "gt-pdist: of genotypes and of arrays" {
    peaks << 'TABLE'
pdist q.zarr -m king -O npy -o d.npy | pdist 0.14 0.20 | distances 0.44 0.64 | zarr 0.38 0.55 | least 0.53 0.76
pdist q.zarr -m ibs -O counts -o d.counts | pdist 0.14 0.20 | distances 0.56 0.80 | zarr 0.46 0.66 | least 0.53 0.77
pdist q.zarr -m ibs -O zarr -o d.zarr | pdist 0.14 0.20 | distances 1.05 1.52 | zarr 0.38 0.55 | least 0.29 0.42
pdist n.zarr -m euclidean --axis 0 -O npy -o d.npy | pdist 0.06 0.09 | distances 0.41 0.59 | matrix 0.35 0.50 | least 0.40 0.58
pdist nz.zarr -m cityblock --axis 1 -O npy -o d.npy | pdist 0.10 0.15 | distances 0.51 0.73 | matrix 0.47 0.67 | least 0.40 0.57
pdist t.zarr -m mahalanobis --axis 0 -O npy -o d.npy | distances 0.32 0.46 | matrix 0.35 0.50 | least 0.54 0.78
TABLE
}

@test "gt-svd: each algorithm" {
    peaks << 'TABLE'
svd -k 5 --algorithm krylov q.zarr -o s | multiply 0.18 0.26 | zarr 0.38 0.55
svd -k 5 --algorithm compressed q.zarr -o s | multiply 0.10 0.14 | zarr 0.38 0.55
svd -k 5 --algorithm tsqr nz.zarr -o s | matrix 0.47 0.67 | least 0.20 0.29
svd -k 5 --algorithm krylov n.zarr -o s | multiply 0.46 0.66 | matrix 0.35 0.50
svd -k 5 --algorithm gram q.zarr -o s | pdist 0.14 0.19 | distances 0.49 0.70 | zarr 0.38 0.55
GT_DEVICE=host svd -k 5 --algorithm tsqr t.zarr -o s | matrix 0.35 0.50
TABLE
}

@test "gt-info and gt-sim" {
    peaks << 'TABLE'
info --stats samples p.zarr --json | stats 0.66 0.95 | zarr 0.40 0.58 | least 0.43 0.62
info --stats variants p.zarr --json | stats 0.73 1.00 | zarr 0.41 0.58 | least 0.37 0.54
info --check p.zarr | check 0.42 0.60 | least 0.40 0.58
info --check v.vcf | text 0.55 0.79 | vcf 1.37 1.97 | least 0.56 0.80
sim --samples 1000 --variants 2000 -o o.zarr | sim 0.50 0.72 | least 0.38 0.54
sim --samples 1000 --variants 300 -O vcf -o o.vcf | sim 0.23 0.34 | least 0.21 0.31
sim --samples 1000 --variants 300 --normal -o o.zarr | sim 0.63 0.91 | least 0.62 0.90
TABLE
}
