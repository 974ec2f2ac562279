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
gt-svd: 2 lines of 'groups' name samples that the input does not have
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
gt-pdist: 2 lines of 'groups' name samples that the input does not have
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
gt-pack: 6 samples, 30 variants, 0 % missing: genotypes 86 B (3.82 bits each), all arrays * B, * s (* read at */s)

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

@test "calls of every kind, sexes, fields, multiallelic variants, and contigs that are left out" {
    odd_vcf > k.vcf
    grep -v '0/1/1' k.vcf > two.vcf
    awk -F '\t' -v OFS='\t' '/^#/ { print; next } !/C,G/ { for (i = 10; i <= NF; i++) $i = substr($i, 1, 1); $9 = "GT"; print }' two.vcf > hap.vcf
    printf 'a 1\nb 2\nzz 1\n' > sex
    printf '1\t10000\t20000\n' > far
    gt-pack -q -f --polyploid missing k.vcf -o k.zarr
    gt-pack -q -f --layout vcz two.vcf -o two.vcz
    all_said << 'RUNS'
> gt-pack -f --polyploid missing k.vcf -o o.zarr
gt-pack: 1 half call, read as missing
gt-pack: 3 haploid calls counted as homozygous, 0 or 2
gt-pack: 2 calls of ploidy above 2 set to missing
gt-pack: 1 multiallelic variant: all ALT alleles of a variant count as one (1/1 equals 2/2)
gt-pack: 4 samples, 5 variants, 20 % missing: genotypes * (* bits each), all arrays * B, * s (* read at */s)

> gt-pack -f --half-call haploid --split-multiallelic two.vcf -o o.zarr
gt-pack: 4 variants split into 5 rows, one per ALT allele
gt-pack: 1 half call, read as haploid
gt-pack: 2 haploid calls counted as homozygous, 0 or 2
gt-pack: 4 samples, 5 variants, 5 % missing: genotypes * (* bits each), all arrays * B, * s (* read at */s)

> gt-pack -f --half-call reference --sex sex two.vcf -o o.zarr
gt-pack: 1 male, 1 female and 2 samples of unknown sex
gt-pack: 2 samples not in 'sex'
gt-pack: 1 line of 'sex' names samples that the input does not have
gt-pack: contig X has the length of neither GRCh37 nor GRCh38: no pseudoautosomal regions are assumed, males are haploid on all of X
gt-pack: 1 half call, read as reference
gt-pack: 2 haploid calls counted as homozygous, 0 or 2
gt-pack: 1 call heterozygous on a haploid chromosome, set to missing
gt-pack: 1 multiallelic variant: all ALT alleles of a variant count as one (1/1 equals 2/2)
gt-pack: 4 samples, 4 variants, 12.5 % missing: genotypes * (* bits each), all arrays * B, * s (* read at */s)

> gt-pack -f --exclude-long-range far hap.vcf -o o.zarr
gt-pack: no variant lies in a region of --exclude-long-range far
gt-pack: haploid data: allele counts are 0 and 1
gt-pack: 4 samples, 3 variants, 8.333 % missing: genotypes * (* bits each), all arrays * B, * s (* read at */s)

> gt-pack -f --layout vcz k.vcf -o o.zarr
gt-pack: warning: 1 value of fields that the header does not declare is dropped; the first is INFO/ZZ
gt-pack: warning: 2 values -1 or -2 (FORMAT/DP 2): VCF Zarr uses these numbers for missing values; gt-unpack restores them, other programs read them as missing
gt-pack: 4 samples, 5 variants, 20 % missing: genotypes * (* bits each), all arrays * B, * s (* read at */s)

> gt-pack -f --timeout 5 --missing-403 s.vcf -o o.zarr
gt-pack: --timeout only applies to stores at URLs, and there is none here
gt-pack: 6 samples, 30 variants, 0 % missing: genotypes 86 B (3.82 bits each), all arrays 756 B, * s (* read at */s)

> gt-pack -f --not-chr 2 s.vcf -o o.zarr
gt-pack: 1 of 1 contig of --not-chr not in 's.vcf' (first: '2')
gt-pack: 6 samples, 30 variants, 0 % missing: genotypes 86 B (3.82 bits each), all arrays 756 B, * s (* read at */s)

> gt-pdist -m ibs two.vcf
gt-pdist: comparing 4 samples (number of variants not known in advance)
gt-pdist: kept 3 of 4 variants
gt-pdist:   1 dropped on X, Y or mitochondria (--contigs all keeps them)
gt-pdist: 1 half call, read as missing
gt-pdist: 1 haploid call counted as homozygous, 0 or 2
gt-pdist: 1 multiallelic variant: all ALT alleles of a variant count as one (1/1 equals 2/2)
gt-pdist: warning: less than half of the variants are observed in both samples of 1 pair; none in 0
gt-pdist: 6 pairs, 3 variants, * s: * pairs x variants a second

> gt-unpack -f two.vcz -o o.bed --skip-multiallelic
gt-unpack: kept 3 of 4 variants
gt-unpack:   1 dropped with several ALT alleles (--split-multiallelic keeps them)
gt-unpack: 1 half call, read as missing
gt-unpack: 2 haploid calls counted as homozygous, 0 or 2
gt-unpack: 4 samples, 3 variants: * s

> gt-unpack -f two.vcz -o o.bcf --split-multiallelic
gt-unpack: 4 variants split into 5 rows, one per ALT allele
gt-unpack: 1 half call, read as missing
gt-unpack: 2 haploid calls counted as homozygous, 0 or 2
gt-unpack: only GT was written
gt-unpack: 4 samples, 5 variants: * s

> gt-info --stats variants k.zarr
gt-info: 1 multiallelic variant in a packed store: whether calls of two ALT alleles are heterozygous is unknown
gt-info: 2 variants on X, Y or MT excluded from hwe and f; --contigs all keeps them

> gt-info --stats samples two.vcf
gt-info: 1 half call, read as missing
gt-info: 2 haploid calls counted as homozygous, 0 or 2
gt-info: 1 variant on X, Y or MT excluded from hwe and f; --contigs all keeps them

> gt-rechunk -f -s a two.vcz -o o.zarr
gt-rechunk: 18 arrays: * read, * written, * s
gt-rechunk: warning: variant_AC, variant_AN and variant_AF are dropped: they count all samples (-I keeps them)
gt-rechunk: region_index dropped: it describes the old chunks

> gt-rechunk -f -I -s a two.vcz -o o.zarr
gt-rechunk: 20 arrays: * read, * written, * s
gt-rechunk: region_index dropped: it describes the old chunks

RUNS
}

@test "gt-svd and gt-pdist: models of some samples, copies, ranks and residuals, arrays that stand on end, values that are none" {
    printf '%s\n' S1 S2 S3 S4 > fit4
    { grep '^#' s.vcf && grep -v '^#' s.vcf | sed 's|0/1|./.|'; } > gaps.vcf
    { grep '^#' s.vcf && grep -v '^#' s.vcf | sed p; } > twice.vcf
    "$PYTHON" -c '
import numpy as np
np.save("tall.npy", np.arange(30.0)[:, None] * np.ones(3))
np.save("short.npy", np.arange(29.0)[:, None] * np.ones(3))
np.save("low.npy", np.outer(np.arange(5.0), np.arange(6.0)))
np.save("random.npy", np.random.default_rng(1).normal(size=(300, 300)))'
    all_said << 'RUNS'
> gt-svd -f -k 1 --fit fit4 s.vcf -o u
gt-svd: kept 4 of 6 samples
gt-svd: 2 samples projected onto the PCs of 4
gt-svd: 10 monomorphic variants excluded
gt-svd: warning: only 4 samples: these PCs may not generalise to other samples
gt-svd: 1 PC of 4 samples, 20 variants: 41.21 % of the variance explained (exact, * s)

> gt-svd -f -k 1 --fit fit4 --refit gaps.vcf -o u
gt-svd: kept 4 of 6 samples
gt-svd: 2 samples projected onto the PCs of 4
gt-svd: all samples are projected, those of --fit too (--refit)
gt-svd: * monomorphic variants excluded
gt-svd: warning: only 4 samples: these PCs may not generalise to other samples
gt-svd: warning: * samples have more than 10 % missing genotypes (highest: S*, * %); --mind 0.1 would exclude them
gt-svd: 1 PC of 4 samples, * variants: * % of the variance explained (exact, * s)

> gt-svd -f -k 1 --fit fit4 gaps.vcf -o u
gt-svd: kept 4 of 6 samples
gt-svd: 2 samples projected onto the PCs of 4
gt-svd: missing calls count as the mean in samples of --fit (FIT 1), and are rescaled in projected samples (FIT 0); --refit treats all the same
gt-svd: * monomorphic variants excluded
gt-svd: warning: only 4 samples: these PCs may not generalise to other samples
gt-svd: warning: * samples have more than 10 % missing genotypes (highest: S*, * %); --mind 0.1 would exclude them
gt-svd: 1 PC of 4 samples, * variants: * % of the variance explained (exact, * s)

> gt-svd -f -k 1 --fit fit4 --rm-dup force-first twice.vcf -o u
gt-svd: kept 4 of 6 samples
gt-svd: kept 30 of 60 variants
gt-svd:   30 dropped by --rm-dup
gt-svd: 2 samples projected onto the PCs of 4
gt-svd: 10 monomorphic variants excluded
gt-svd: warning: only 4 samples: these PCs may not generalise to other samples
gt-svd: 1 PC of 4 samples, 20 variants: 41.21 % of the variance explained (exact, * s)

> gt-svd -f -k 1 --fit fit4 --maf 0.01 --rm-dup force-first twice.vcf -o u
gt-svd: kept 4 of 6 samples
gt-svd: kept 20 of 60 variants
gt-svd:   20 dropped by --maf
gt-svd:   20 dropped by --rm-dup
gt-svd: warning: 20 duplicates of a model variant in the data: the first copy is projected, but the filters may have kept another one for the fit; remove duplicates first with gt-pack --rm-dup force-first
gt-svd: 2 samples projected onto the PCs of 4
gt-svd: warning: only 4 samples: these PCs may not generalise to other samples
gt-svd: 1 PC of 4 samples, 20 variants: 41.21 % of the variance explained (exact, * s)

> gt-svd -f -k 6 s.vcf -o u
gt-svd: 8 monomorphic variants excluded
gt-svd: warning: only 6 samples: these PCs may not generalise to other samples
gt-svd: warning: the data has only 5 components; the others are 0
gt-svd: 6 PCs of 6 samples, 22 variants: 100 % of the variance explained (exact, * s)

> gt-svd -f -k 5 low.npy -o u
gt-svd: warning: the array has numerical rank 1, as numpy.linalg.matrix_rank: components 2 to 5 may be rounding error
gt-svd: 5 singular values of 5 x 6 by tsqr, * passes, * s

> gt-svd -f -k 2 --algorithm krylov --passes 3 --tol 1e-9 random.npy -o u
gt-svd: warning: components 1 to 2: residual above --tol 1e-09 after 3 passes (largest: 0.*); try more --passes, or --algorithm tsqr
gt-svd: 2 singular values of 300 x 300 by krylov, 3 passes, * s

> gt-svd -f -k 2 --algorithm compressed --tol 1e-9 random.npy -o u
gt-svd: warning: components 1 to 2: residual above --tol 1e-09 after 3 passes (largest: 0.*); try more --power-iterations, --algorithm krylov or tsqr
gt-svd: 2 singular values of 300 x 300 by compressed, 3 passes, * s

> gt-svd -f -k 1 --algorithm krylov --tol 1e-15 --passes 50 random.npy -o u
gt-svd: warning: component 1: residual above --tol 1e-15 after * passes (largest: *e-15); rounding allows no better here; --algorithm tsqr is exact
gt-svd: 1 singular value of 300 x 300 by krylov, * passes, * s

> gt-pdist tall.npy
gt-pdist: comparing 30 rows over 3 columns; --axis 1 compares columns
gt-pdist: 435 pairs, 3 columns, * s: * pairs x columns a second

> gt-pdist short.npy
gt-pdist: comparing 29 rows over 3 columns
gt-pdist: 406 pairs, 3 columns, * s: * pairs x columns a second

> gt-pdist --axis 0 tall.npy
gt-pdist: comparing 30 rows over 3 columns
gt-pdist: 435 pairs, 3 columns, * s: * pairs x columns a second

> gt-pdist -m correlation low.npy
gt-pdist: comparing 5 rows over 6 columns
gt-pdist: warning: correlation: 4 pairs of rows have no finite value
gt-pdist: 10 pairs, 6 columns, * s: * pairs x columns a second

> gt-pdist --slice 1:1 s.zarr
gt-pdist: comparing 6 samples over 0 variants
gt-pdist: warning: no variants of 's.zarr' are left
gt-pdist: kept 0 of 30 variants
gt-pdist:   30 dropped by --slice
gt-pdist: 15 pairs, 0 variants, * s: * pairs x variants a second

RUNS
}
