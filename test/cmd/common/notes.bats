#!/usr/bin/env bats
# Notes and warnings: all that a run says, line by line, and where a warning begins.

bats_require_minimum_version 1.5.0

. "$GT_SOURCE/test/support/said.bash"

setup_file() {
    cd "$BATS_FILE_TMPDIR" || exit 1
    "$PYTHON" - << 'PY'
import random
rng = random.Random(3)
def vcf(name, samples, variants, gaps, alts=lambda v: "C"):
    with open(name, "w") as f:
        print('##fileformat=VCFv4.2\n##contig=<ID=1>\n##FORMAT=<ID=GT,Number=1,Type=String,Description="x">', file=f)
        print("#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT", *["s%d" % i for i in range(samples)], sep="\t", file=f)
        for v in range(variants):
            calls = ["./." if v < gaps(i) else rng.choice(["0/0", "0/1", "1/1"]) for i in range(samples)]
            print(1, v + 1, "v%d" % v, "A", alts(v), ".", ".", ".", "GT", *calls, sep="\t", file=f)
vcf("one.vcf", 50, 100, lambda i: 9 + i if i < 3 else 0)    # of s0 to s2 9, 10 and 11 % are missing
vcf("two.vcf", 49, 100, lambda i: 9 + i if i < 4 else 0)
vcf("half.vcf", 3, 100, lambda i: (0, 50, 51)[i])           # s2 lacks one more than half
vcf("model.vcf", 60, 100, lambda i: 0)
lines = open("model.vcf").read().split("\n")
head = [l for l in lines if l.startswith("#")]
body = [l for l in lines if l and not l.startswith("#")]
for n in 5, 6:
    open("less%d.vcf" % n, "w").write("\n".join(head + body[n:]) + "\n")
PY
    printf 's1 a\ns2 b\nzz a\nyy a\n' > groups
    gt-sim -q --samples 6 --variants 30 --contigs 1 --seed 1 -O vcf -o s.vcf
    gt-pack -q s.vcf -o s.zarr
    gt-pack -q --layout vcz s.vcf -o s.vcz
    "$PYTHON" -c '
import numpy as np
np.save("x.npy", np.arange(12.0).reshape(3, 4))
np.save("i.npy", np.arange(-1, 11).reshape(3, 4))'
    gt-svd -q -k 1 --loadings model.vcf -o m
}

setup() {
    cd "$BATS_FILE_TMPDIR" || exit 1
    export GT_THREADS=3
}

@test "gt-svd: few samples, missing calls, algorithms, models and groups" {
    all_said << 'RUNS'
> gt-svd -f -k 2 one.vcf -o u
gt-svd: warning: 1 sample has more than 10 % missing genotypes (highest: s2, 11 %); --mind 0.1 would exclude it
gt-svd: 2 PCs of 50 samples, 100 variants: * % of the variance explained (exact, * s)

> gt-svd -f -k 1 two.vcf -o u
gt-svd: warning: only 49 samples: these PCs may not generalise to other samples
gt-svd: warning: 2 samples have more than 10 % missing genotypes (highest: s3, 12 %); --mind 0.1 would exclude them
gt-svd: 1 PC of 49 samples, 100 variants: * % of the variance explained (exact, * s)

> gt-svd -f -k 3 --algorithm compressed model.vcf -o u
gt-svd: 3 PCs of 60 samples, 100 variants: * % of the variance explained (random projection, * s)

> gt-svd -f -k 2 --algorithm krylov --tol 1e-6 model.vcf -o u
gt-svd: 2 PCs of 60 samples, 100 variants: * % of the variance explained (krylov, * passes, residual *e-*, * s)

> gt-svd -f -k 2 --algorithm krylov --passes 3 --tol 1e-7 model.vcf -o u
gt-svd: warning: the residual is 0.* after 3 passes, above --tol 1e-07
gt-svd: 2 PCs of 60 samples, 100 variants: * % of the variance explained (krylov, 3 passes, residual 0.*, * s)

> gt-svd -f -k 2 --algorithm krylov --passes 3 --tol 0.99e-7 model.vcf -o u
gt-svd: warning: --tol 9.9e-08 may not be reached: genotypes are multiplied in 28-bit fixed point, which ends at about 1e-07
gt-svd: warning: the residual is 0.* after 3 passes, above --tol 9.9e-08
gt-svd: 2 PCs of 60 samples, 100 variants: * % of the variance explained (krylov, 3 passes, residual 0.*, * s)

> gt-svd -f -k 1 --project m.model.zip less5.vcf -o p
gt-svd: 95 variants of the model's 100 found, 0 with REF and ALT swapped
gt-svd: 1 component of 60 samples projected, * s

> gt-svd -f -k 1 --project m.model.zip --match id less6.vcf -o p
gt-svd: 94 variants of the model's 100 found, 0 with REF and ALT swapped
gt-svd: warning: 6 of 100 model variants not found in the data by id (--match)
gt-svd: 1 component of 60 samples projected, * s

> gt-svd -f -k 1 --project m.model.zip less6.vcf -o p
gt-svd: 94 variants of the model's 100 found, 0 with REF and ALT swapped
gt-svd: warning: 6 of 100 model variants not found in the data by position (--match)
gt-svd: 1 component of 60 samples projected, * s

> gt-svd -f -k 2 model.vcf -o u --plot u.svg --groups groups
gt-svd: 'groups' has no group for 58 samples
gt-svd: 2 PCs of 60 samples, 100 variants: * % of the variance explained (exact, * s)

> gt-svd -f -k 2 x.npy -o u
gt-svd: 2 singular values of 3 x 4 by tsqr, 2 passes, * s

> gt-svd -f -k 3 x.npy -o u
gt-svd: warning: the array has numerical rank 2, as numpy.linalg.matrix_rank: component 3 may be rounding error
gt-svd: 3 singular values of 3 x 4 by tsqr, * passes, * s

RUNS
}

@test "gt-pdist: what is compared, missing calls of half of the variants, groups" {
    all_said << 'RUNS'
> gt-pdist -m 1-ibs s.vcf
gt-pdist: comparing 6 samples (number of variants not known in advance)
gt-pdist: 15 pairs, 30 variants, * s: * pairs x variants a second

> gt-pdist -m 1-ibs -s s0,s1 half.vcf
gt-pdist: comparing 2 samples (number of variants not known in advance)
gt-pdist: kept 2 of 3 samples
gt-pdist: 1 pair, 100 variants, * s: * pairs x variants a second

> gt-pdist -m 1-ibs half.vcf
gt-pdist: comparing 3 samples (number of variants not known in advance)
gt-pdist: warning: less than half of the variants are observed in both samples of 2 pairs; none in 0
gt-pdist: 3 pairs, 100 variants, * s: * pairs x variants a second

> gt-pdist -m 1-ibs --rows <(printf 'S1\nS2\n') --cols <(printf 'S3\nS4\nS5\n') s.zarr
gt-pdist: comparing 2 samples with 3 (number of variants not known in advance)
gt-pdist: 6 pairs, 30 variants, * s: * pairs x variants a second

> gt-pdist x.npy
gt-pdist: comparing 3 rows over 4 columns
gt-pdist: 3 pairs, 4 columns, * s: * pairs x columns a second

> gt-pdist -m euclidean --axis 1 i.npy
gt-pdist: comparing 4 columns over 3 rows
gt-pdist: negative integers in 'i.npy' are taken as missing; floating-point values are compared as they are
gt-pdist: 6 pairs, 3 rows, * s: * pairs x rows a second

> gt-pdist -q -f -O counts -m ibs half.vcf -o half.counts

> gt-pdist --merge -m ibs half.counts
gt-pdist: comparing 3 samples over 100 variants
gt-pdist: warning: less than half of the variants are observed in both samples of 2 pairs; none in 0
gt-pdist: 3 pairs, 100 variants, * s: * pairs x variants a second

> gt-pdist -m 1-ibs model.vcf -f --plot d.svg --groups groups
gt-pdist: 'groups' has no group for 58 samples
gt-pdist: comparing 60 samples (number of variants not known in advance)
gt-pdist: 1,770 pairs, 100 variants, * s: * pairs x variants a second

> gt-pdist -m king --unrelated 0.49 s.vcf -o r
gt-pdist: comparing 6 samples (number of variants not known in advance)
gt-pdist: 6 samples unrelated ('r.in.id'), 0 excluded ('r.out.id')
gt-pdist: 15 pairs, 30 variants, * s: * pairs x variants a second

RUNS
}

@test "gt-sim, gt-pack, gt-unpack, gt-rechunk and gt-info" {
    all_said << 'RUNS'
> gt-sim -f --samples 1 --variants 2 -o o.zarr
gt-sim: 1 sample x 2 variants

> gt-sim -f --samples 1000 --variants 1 -o o.zarr
gt-sim: 1,000 samples x 1 variant

> gt-pack -f s.vcf -o o.zarr
gt-pack: 6 samples, 30 variants, 0 % missing: genotypes 86 B (3.82 bits each), all arrays * B, * s (* genotypes/s)

> gt-unpack -f s.zarr -o o.vcf
gt-unpack: 6 samples, 30 variants: * s

> gt-unpack -f one.vcf -o o.bed
gt-unpack: 50 samples, 100 variants: * s

> gt-unpack -f -s S1 --maf 0.01 s.zarr -o o.npy
gt-unpack: kept 1 of 6 samples
gt-unpack: kept 7 of 30 variants
gt-unpack:   23 dropped by --maf
gt-unpack: 1 sample, 7 variants: * s

> gt-rechunk -f -c 10,4 s.zarr -o o.zarr
gt-rechunk: 14 arrays: * read, * written, * s
gt-rechunk: region_index dropped: it describes the old chunks

> gt-rechunk -f --array packed_dosage -c 10,4 s.zarr -o o.zarr
gt-rechunk: 1 array: 86 B read, * written, * s

> gt-rechunk -f --layout calls s.zarr/packed_dosage -o o.zarr
gt-rechunk: 1 array: 86 B read, * written, * s
gt-rechunk: a single array does not show which variants are multiallelic: all are written as biallelic

> gt-info s.zarr

> gt-info --stats samples --groups groups one.vcf
gt-info: 2 lines of 'groups' name samples that the input does not have
gt-info: 48 samples without a group excluded

RUNS
}

@test "--verify: all files are read back, and their bytes" {
    size() { find "$1" -type f -printf '%s\n' | awk '{ n += $1 } END { printf "%.1f KiB", n / 1024 }'; }
    gt-pack -f --verify --chunks variants=7 s.vcf -o v.zarr 2> said
    [ "$(head -n 1 said)" = "gt-pack: $(find v.zarr -type f | wc -l) files read back ($(size v.zarr)): all match what was written" ]
    gt-rechunk -f --verify -c 10,4 s.zarr -o v.zarr 2> said
    [ "$(head -n 1 said)" = "gt-rechunk: $(find v.zarr -type f | wc -l) files read back ($(size v.zarr)): all match what was written" ]
}
