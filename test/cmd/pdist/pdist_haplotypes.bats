#!/usr/bin/env bats
# gt-pdist --haplotypes: rows of single alleles of phased calls.

bats_require_minimum_version 1.5.0

. "$GT_SOURCE/test/support/pdist.bash"

setup() {
    cd "$BATS_TEST_TMPDIR" || exit 1
    cat > read.py << 'PY'
import numpy as np, sys

def load(path):  # haplotypes (2 samples, variants), nan where an allele is missing; names
    rows = []
    for line in open(path):
        if line.startswith("#CHROM"):
            names = line.split()[9:]
        if line.startswith("#"):
            continue
        row = []
        for call in line.split()[9:]:
            alleles = call.split(":")[0].replace("/", "|").split("|")
            pair = [float(a) for a in alleles] if "." not in alleles else []
            row += (pair + [np.nan, np.nan])[:2]
        rows.append(row)
    return np.array(rows).T, [f"{n}_{k}" for n in names for k in (0, 1)]

def cityblock(h):
    known = ~np.isnan(h)
    both = (known[:, None] & known[None]).sum(2)
    with np.errstate(all="ignore"):
        return ((h[:, None] != h[None]) & known[:, None] & known[None]).sum(2) * h.shape[1] / both
PY
}

need_numpy() { "$PYTHON" -c 'import numpy' 2> /dev/null || skip "no python3-numpy"; }

# x.vcf and x.bcf: phased calls, some missing, some of several ALT alleles, some of one allele.
make_vcf() { # SAMPLES VARIANTS
    gt-sim -q --samples "$1" --variants "$2" --missing 0.05 --phased --multiallelic 0.1 --contigs 2 --seed 3 -f -O vcf -o plain.vcf
    awk 'BEGIN { OFS = FS = "\t" } /^#/ || NR % 7 { print; next } { $10 = substr($10, 1, 1); print }' plain.vcf > x.vcf
    bcftools view -Ob -o x.bcf x.vcf
}

check() { # FILE OPTION...: the distances of x.vcf's haplotypes
    gt-pdist -q -f -m cityblock --haplotypes -O npy -o d.npy "$@"
    "$PYTHON" -c 'from read import *
h, names = load("x.vcf")
want, got = cityblock(h), np.load("d.npy")
assert open("d.npy.id").read().split() == names, names
assert np.allclose(got, want, rtol=1e-13, atol=0, equal_nan=True), abs(got - want).max()'
}

@test "--haplotypes: two rows a sample, of VCF, BCF and a store, whatever is missing, haploid or multiallelic" {
    need_numpy
    for shape in "1 40" "2 30" "5 60" "33 500"; do
        # shellcheck disable=SC2086
        make_vcf $shape
        check x.vcf
        check x.bcf -@ 3 --memory 40M
        bgzip -c x.vcf > x.vcf.gz
        check - < x.vcf.gz
    done
    gt-sim -q --samples 33 --variants 500 --missing 0.05 --phased --multiallelic 0.1 --seed 3 -f -O vcf -o x.vcf
    gt-sim -q --samples 33 --variants 500 --missing 0.05 --phased --multiallelic 0.1 --seed 3 -O vcz -o x.zarr
    check x.zarr
    gt-pdist -m cityblock --haplotypes x.zarr -o d.tsv 2> err
    grep -q "comparing 66 haplotypes over 500 variants" err
    run ! grep -q "phased" err
    gt-sim -q --samples 33 --variants 500 --missing 0.05 --phased --multiallelic 0.1 --seed 3 -O vcz -o - | gt-pdist -q -m cityblock --haplotypes - | cmp - d.tsv
}

@test "--haplotypes: samples and variants are chosen as of genotypes, and rows then" {
    make_vcf 40 400
    gt-pdist -q -m cityblock --haplotypes -s S7,S2,S30 --maf 0.2 --geno 0.1 --mind 0.5 x.vcf > d.tsv
    [ "$(head -n 1 d.tsv)" = "$(printf 'id\tS7_0\tS7_1\tS2_0\tS2_1\tS30_0\tS30_1')" ]
    bcftools view -s S7,S2,S30 x.vcf > some.vcf
    gt-pdist -q -m cityblock --haplotypes --maf 0.2 --geno 0.1 some.vcf | cmp - d.tsv
    for args in "--biallelic" "--split-multiallelic" "--half-call reference" "-r 2" "--thin 3" "--between variants --thin 40"; do
        # shellcheck disable=SC2086
        gt-pdist -q -m hamming --haplotypes $args x.vcf > a
        # shellcheck disable=SC2086
        gt-pdist -q -m hamming --haplotypes $args x.bcf | cmp - a
    done
    printf 'S1_0\nS4_1\n' > rows
    gt-pdist -q -m cityblock --haplotypes x.vcf > all
    gt-pdist -q -m cityblock --haplotypes --rows rows x.vcf | cmp - <(awk 'NR == 1 || $1 == "S1_0" || $1 == "S4_1"' all)
    for part in 1 2; do gt-pdist -q -m cityblock --haplotypes -O counts --part $part/2 x.vcf -o $part.counts; done
    gt-pdist -q -m cityblock --merge 1.counts 2.counts | cmp - all
}

@test "--haplotypes: half calls keep the place of what is known" {
    { gt-sim -q --samples 4 --variants 1 --seed 1 -O vcf -o - | grep '^#'; printf '1\t5\t.\tA\tC\t.\t.\t.\tGT\t0|.\t.|1\t1\t1|0\n'; } > x.vcf
    bcftools view -Ob -o x.bcf x.vcf
    pair() { # FILE A B OPTION...: their number
        gt-pdist -q -m cityblock --haplotypes -O pairs "${@:4}" "$1" | awk -v a="$2" -v b="$3" '$1 == a && $2 == b { print $3 }'
    }
    for file in x.vcf x.bcf; do
        [ "$(pair $file S3_0 S4_0)" = 0 ]
        [ "$(pair $file S3_0 S4_1)" = 1 ]
        [ "$(pair $file S3_0 S3_1)" = nan ]
        [ "$(pair $file S1_0 S4_0)" = nan ]
        [ "$(pair $file S1_0 S4_0 --half-call haploid)" = 1 ]
        [ "$(pair $file S1_1 S4_0 --half-call haploid)" = nan ]
        [ "$(pair $file S2_0 S4_0 --half-call haploid)" = nan ]
        [ "$(pair $file S2_1 S4_0 --half-call haploid)" = 0 ]
        [ "$(pair $file S1_1 S4_0 --half-call reference)" = 1 ]
        [ "$(pair $file S2_0 S2_1 --half-call reference)" = 1 ]
        run gt-pdist --haplotypes --half-call error $file
        [ "$status" -eq 3 ]
    done
}

@test "--haplotypes: an unphased heterozygous call is an error, of whoever is compared" {
    { gt-sim -q --samples 4 --variants 1 --seed 1 -O vcf -o - | grep '^#'; printf '1\t5\t.\tA\tC,G\t.\t.\t.\tGT\t0/0\t1/2\t0/1\t1|0\n'; } > x.vcf
    bcftools view -Ob -o x.bcf x.vcf
    for file in x.vcf x.bcf; do
        run --separate-stderr gt-pdist -q --haplotypes -m cosine $file
        [ "$status" -eq 3 ]
        [[ "${stderr_lines[0]}" == *"sample 'S3'"*": an unphased heterozygous call" ]]
        [[ "${stderr_lines[1]}" == "hint: --haplotypes needs phased calls"* ]]
        [ -z "$output" ]
        gt-pdist -q --haplotypes -m cosine -s ^S3 $file > /dev/null # where all ALTs count as one, 1/2 is 1/1
        run gt-pdist -q --haplotypes -s ^S3 $file
        [ "$status" -eq 3 ]
        [[ "${lines[0]}" == *"sample 'S2'"* ]]
        run gt-pdist -q --haplotypes --split-multiallelic -s ^S3 $file
        [ "$status" -eq 3 ]
    done
    gt-sim -q --samples 9 --variants 50 --seed 1 -O vcz -o x.zarr
    run gt-pdist -q --haplotypes x.zarr
    [ "$status" -eq 3 ]
    [[ "$output" == *"'x.zarr': the call of sample "*": an unphased heterozygous call"* ]]
    rm -r x.zarr/call_genotype_phased x.zarr/.zmetadata
    gt-pdist --haplotypes -m cityblock x.zarr > d.tsv 2> err
    grep -q "'x.zarr' has no call_genotype_phased: all calls are assumed to be phased" err
}

@test "--haplotypes: what has none is refused" {
    gt-sim -q --samples 6 --variants 20 --seed 1 -o p.zarr
    gt-sim -q --samples 6 --variants 20 --seed 1 -O bed -o b
    gt-sim -q --samples 6 --variants 20 --phased --seed 1 -O vcz -o x.zarr
    gt-sim -q --samples 6 --variants 20 --normal -o a.zarr
    gt-pdist -q -O counts x.zarr -o x.counts
    refuses --haplotypes << 'EOF'
2|p.zarr|--haplotypes needs calls; 'p.zarr' (packed store) has only dosages
2|b|--haplotypes needs calls; 'b' (PLINK bed) has only dosages
2|a.zarr|--haplotypes needs genotypes; 'a.zarr' is a plain array
2|--slice :,:,1 x.zarr|--haplotypes needs calls; 'x.zarr' (VCF Zarr store) has only single alleles
2|-m king x.zarr|-m king needs genotypes, but --haplotypes selects single alleles
2|--ploidy 1 x.zarr|--ploidy 1 cannot be combined with --haplotypes
2|--merge x.counts|--haplotypes cannot be combined with --merge
EOF
}
