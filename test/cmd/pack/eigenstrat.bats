#!/usr/bin/env bats
# EIGENSOFT's genotype files: what its own convertf makes of a .bed, and TGENO, which it does not
# write; the .bed has the allele that is counted as its A1, so that dosages are the other way round.

bats_require_minimum_version 1.5.0

setup() { cd "$BATS_TEST_TMPDIR" || exit 1; }

refused() { # STATUS TEXT COMMAND...
    run --separate-stderr timeout 60 "${@:3}"
    # shellcheck disable=SC2154
    { [ "$status" -eq "$1" ] && [[ "${stderr_lines[0]}" == *"$2"* ]] && [ -z "$output" ]; } ||
        { echo "${*:3}: status $status: $output $stderr"; return 1; }
}

# convert FORMAT OUT: of x.bed, by convertf.
convert() {
    printf '%s\n' "genotypename: x.bed" "snpname: x.bim" "indivname: x.fam" "outputformat: $1" "familynames: NO" \
        "genooutfilename: $2.geno" "snpoutfilename: $2.snp" "indoutfilename: $2.ind" > par
    convertf -p par > convertf.log 2>&1
}

# The three forms of a matrix of counts: digits, and records of both kinds.  SAMPLES VARIANTS SEED
forms() {
    "$PYTHON" - "$@" << 'PY'
import sys, numpy as np
n, m, seed = map(int, sys.argv[1:])
x = np.random.default_rng(seed).choice([0, 1, 2, 3], (m, n), p=[.4, .2, .3, .1]).astype(np.uint8)
np.save("want.npy", np.where(x == 3, -1, 2 - x.astype(np.int8)).astype(np.int8))
with open("t.geno", "wb") as f:
    f.write(b"".join(b"".join(b"0129"[v:v + 1] for v in row) + b"\n" for row in x))
def records(x):
    width = max(48, -(-x.shape[1] // 4))
    out = np.zeros((len(x), width * 4), np.uint8)
    out[:, :x.shape[1]] = x
    out = out.reshape(len(x), width, 4)
    return width, (out[:, :, 0] << 6 | out[:, :, 1] << 4 | out[:, :, 2] << 2 | out[:, :, 3]).astype(np.uint8).tobytes()
for name, word, data in (("p", "GENO", x), ("s", "TGENO", x.T)):
    width, raw = records(data)
    head = f"{word} {n:7d} {m:7d} 0 0".encode()
    open(name + ".geno", "wb").write(head.ljust(width if name == "p" else 48, b"\0") + raw)
for name in "tps":
    open(name + ".snp", "w").writelines(f"  rs{v} {1 + v * 3 // m} 0.{v:06d} {100 + v} {'ACGT'[v % 4]} {'CGTA'[v % 4]}\n" for v in range(m))
    open(name + ".ind", "w").writelines(f"   i{s} {'MFU'[s % 3]} pop{s % 2}\n" for s in range(n))
PY
}

same_as_want() { # NPY
    "$PYTHON" -c 'import sys, numpy as np
x, y = np.load("want.npy"), np.load(sys.argv[1])
sys.exit(not (x.shape == y.shape and (x == y).all()))' "$1"
}

@test "eigenstrat: what convertf makes of a .bed has the .bed's calls, alleles changed about" {
    command -v convertf > /dev/null || skip "no convertf (eigensoft)"
    gt-sim -q --samples 301 --variants 97 --contigs 2 --missing 0.1 --seed 5 -o x.bed
    gt-unpack -q x.bed -o x.npy
    for form in EIGENSTRAT PACKEDANCESTRYMAP; do
        convert $form y
        gt-unpack -q -f y.geno -o y.npy
        "$PYTHON" -c 'import sys, numpy as np
x, y = np.load("x.npy"), np.load("y.npy")
sys.exit(not (np.where(x < 0, x, 2 - x) == y).all())'
        gt-pack -q -f y.geno -o y.zarr
        diff <(gt-unpack -q y.zarr -O vcf -o - | bcftools query -f '%CHROM %POS %ID %ALT %REF\n') \
            <(gt-unpack -q x.bed -O vcf -o - | bcftools query -f '%CHROM %POS %ID %REF %ALT\n')
        diff <(gt-pdist -q -m cityblock -O tsv y.geno) <(gt-pdist -q -m cityblock -O tsv x.bed)
    done
}

# same_of_shapes SHAPE...: by any kernels, threads and memory
same_of_shapes() {
    local shape form
    for shape in "$@"; do
        # shellcheck disable=SC2086
        forms $shape 1
        for form in t p s; do
            gt-unpack -q -f --contigs all $form.geno -o got.npy
            same_as_want got.npy || { echo "$shape $form"; return 1; }
            GT_CPU=ref gt-unpack -q -f -@ 1 --memory 48M --contigs all $form.geno -o got.npy
            same_as_want got.npy || { echo "$shape $form, plain C"; return 1; }
        done
    done
}

@test "eigenstrat: text, records of sites and records of samples" { same_of_shapes "3 7" "193 191"; }

@test "eigenstrat: text, records of sites and records of samples, of any shape" {
    same_of_shapes "1 1" "4 4" "64 260" "200 5000" "5 70000"
}

@test "eigenstrat: lines that end as on Windows, and a last one without its end" {
    forms 9 50 3
    cp t.geno bare.geno
    sed -i 's/$/\r/' t.geno
    gt-unpack -q -f --contigs all t.geno -o got.npy
    same_as_want got.npy
    cp t.geno dos.geno
    for cut in 1 2; do
        head -c -$cut dos.geno > t.geno
        gt-unpack -q -f --contigs all t.geno -o got.npy
        same_as_want got.npy
    done
    sed '7s/\r$/ /' dos.geno > t.geno
    refused 3 "'t.geno', line 7" gt-unpack -q -f --contigs all t.geno -o no.npy
    head -c -1 bare.geno > t.geno
    gt-unpack -q -f --contigs all t.geno -o got.npy
    same_as_want got.npy
}

@test "eigenstrat: ids, alleles, sex and groups, regions and samples, and back to .bed" {
    forms 6 40 2
    gt-pack -q s.geno -o s.zarr
    [ "$(gt-unpack -q s.geno -O vcf -o - | bcftools query -l | tr '\n' ' ')" = "i0 i1 i2 i3 i4 i5 " ]
    gt-unpack -q s.zarr -o back.bed
    [ "$(head -n 2 back.fam | tr '\t' ' ')" = "$(printf 'pop0 i0 0 0 1 -9\npop1 i1 0 0 2 -9')" ]
    [ "$(head -n 1 back.bim | cut -f 1,2,4-6 | tr '\t' ' ')" = "1 rs0 100 C A" ]
    for form in t p; do
        cmp <(gt-unpack -q -s i5,i1 -r 2:115-120,3 s.geno -O vcf --no-version -o -) \
            <(gt-unpack -q -s i5,i1 -r 2:115-120,3 $form.geno -O vcf --no-version -o -)
    done
    # X is no allele, and alleles may be left out
    printf 'a 1 0 5 A X\nb 1 0 6 X C\nc 1 0 7 G T\n' > x.snp
    printf 'i0 U p\n' > x.ind
    printf '2\n1\n9\n' > x.geno
    gt-unpack -q x.geno -o u.bed
    [ "$(tr '\t' ' ' < u.fam)" = "p i0 0 0 0 -9" ]
    [ "$(gt-unpack -q x.geno -O vcf -o - | bcftools query -f '%ID %REF %ALT [%GT] ')" = "a A . 0/0 b N C 0/1 c G T ./. " ]
    printf 'a 1 0 5\nb 1 0 6\nc 1 0 7\n' > x.snp
    [ "$(gt-pdist -q -O tsv x.geno)" != "" ]
}

@test "eigenstrat: what does not fit is refused, with file and line" {
    forms 7 30 4
    refused 1 "cannot open 't.snp'" sh -c 'mv t.snp away; gt-pack t.geno -o t.zarr; rc=$?; mv away t.snp; exit $rc'
    refused 3 "cannot be read from standard input" sh -c 'gt-pack - -o t.zarr < p.geno'
    sed '4s/./3/5' t.geno > b.geno; cp t.snp b.snp; cp t.ind b.ind
    refused 3 "line 4: sample 'i4' has '3', not 0, 1, 2 or 9" gt-pack b.geno -o t.zarr
    sed '4s/./&1/5; 6s/.//' t.geno > b.geno
    refused 3 "line 4: '" gt-pack b.geno -o t.zarr
    head -n 29 t.geno > b.geno
    refused 3 "is truncated" gt-pack b.geno -o t.zarr
    for form in p s; do
        cp $form.geno b.geno
        printf 'x' >> b.geno
        refused 3 "is too long" gt-pack b.geno -o t.zarr
        head -c -3 $form.geno > b.geno
        refused 3 "is truncated" gt-pack b.geno -o t.zarr
        head -c 12 $form.geno > b.geno
        refused 3 "first line is damaged" gt-pack b.geno -o t.zarr
        sed '1s/ 30 / 31 /' $form.geno > b.geno
        refused 3 "declares 7 samples and 31 variants" gt-pack b.geno -o t.zarr
    done
    cp t.geno b.geno
    printf 'i0 U p\n' >> b.ind
    refused 3 "b.ind', line 8: sample i0 is duplicated" gt-pack b.geno -o t.zarr
    echo i9 > b.ind
    refused 3 "line 1: not the three columns of a .ind" gt-pack b.geno -o t.zarr
    : > b.ind
    refused 3 "lists no samples" gt-pack b.geno -o t.zarr
    cp t.ind b.ind
    sed -i '3s/ [ACGT]$//' b.snp
    refused 3 "b.snp', line 3: a .snp line has six columns" gt-pack b.geno -o t.zarr
    [ ! -e t.zarr ]
}

@test "eigenstrat: any name that ends in geno, with .snp and .ind beside it" {
    "$PYTHON" -c 'import numpy' || skip "no numpy"
    forms 50 60 1
    for kind in t p s; do
        for suffix in eigenstratgeno packedancestrymapgeno ancestrymapgeno geno; do
            mkdir -p a.b
            cp $kind.geno "a.b/x.y.$suffix"
            cp $kind.snp a.b/x.y.snp
            cp $kind.ind a.b/x.y.ind
            gt-unpack -q -f "a.b/x.y.$suffix" -o got.npy
            same_as_want got.npy
            [ "$(gt-info -q --stats samples "a.b/x.y.$suffix" | sed -n 4p | cut -f 1)" = i2 ]
        done
    done
}
