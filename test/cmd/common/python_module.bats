#!/usr/bin/env bats
# packaging/python: datasets of xarray beside bcftools, gt-unpack's arrays, and definitions written here.
bats_require_minimum_version 1.5.0

setup() {
    cd "$BATS_TEST_TMPDIR" || exit 1
    export PYTHONPATH=$GT_SOURCE/packaging/python PYTHONDONTWRITEBYTECODE=1
    [ -n "${PYTHON_ZARR3:-}" ] && "$PYTHON_ZARR3" -c 'import xarray' 2> /dev/null || skip "no xarray"
}

# Calls of every kind: missing, half missing, haploid, two ALT alleles.
vcf() {
    printf '##fileformat=VCFv4.2\n##contig=<ID=1>\n##contig=<ID=X>\n##FORMAT=<ID=GT,Number=1,Type=String,Description="x">\n'
    printf '#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\ta\tb\tc\td\te\n'
    printf '1\t10\trs1\tA\tC\t.\t.\t.\tGT\t0/0\t0/1\t1/1\t./.\t0|1\n'
    printf '1\t20\t.\tA\tC,G\t.\t.\t.\tGT\t0/2\t1/2\t2/2\t./1\t0/0\n'
    printf 'X\t7\trs3\tT\tG\t.\t.\t.\tGT\t1\t0\t.\t0/1\t1|1\n'
}

@test "every kind of call, packed and VCF Zarr, both Zarr formats, folder and zip: bcftools' genotypes" {
    command -v bcftools > /dev/null || skip "no bcftools"
    vcf > x.vcf
    bcftools query -f '[%GT\t]\n' x.vcf > gt.tsv
    for layout in packed vcz; do
        for format in 2 3; do gt-pack -q --layout $layout --zarr-format $format x.vcf -o $layout$format.zarr; done
        gt-pack -q --layout $layout x.vcf -o $layout.zip
    done
    "$PYTHON_ZARR3" - *.zarr *.zip << 'PY'
import re, sys
import gt_utils, numpy as np

def count(call):
    alleles = re.split(r"[/|]", call)
    return -1 if "." in alleles else sum(a != "0" for a in alleles) * 2 // len(alleles)

want = np.array([[count(c) for c in line.split()] for line in open("gt.tsv")])
assert (want == -1).sum() == 3 and len(sys.argv) == 7, (want, sys.argv)
for name in sys.argv[1:]:
    data, whole = gt_utils.open(name), gt_utils.open(name, dtype="int8").call_dosage
    assert whole.dtype == "i1" and np.array_equal(whole.values, want), (name, whole.values)
    assert data.call_dosage.dtype == "f4" and data.call_dosage.dims == ("variants", "samples")
    assert np.array_equal(data.call_dosage.values, np.where(want < 0, np.nan, want), equal_nan=True), name
    assert list(data.call_dosage.sample_id.values) == list("abcde"), name
    assert list(data.call_dosage.variant_position.values) == [10, 20, 7], name
    assert [data.contig_id.values[i] for i in data.call_dosage.variant_contig.values] == ["1", "1", "X"], name
try:
    gt_utils.open(sys.argv[1], dtype="uint8")
    sys.exit("uint8 has no missing value")
except ValueError:
    pass
PY
}

@test "selections, of haploid and diploid data: those of gt-unpack's array" {
    gt-sim -q --samples 37 --variants 500 --missing 0.1 --seed 3 -O vcf -o d.vcf
    sed 's/\([0-9.]\)[/|][0-9.]/\1/g; s/^##.*//; /^$/d' d.vcf > body
    { grep '^##' d.vcf; cat body; } > h.vcf
    for ploidy in d h; do
        for layout in packed vcz; do
            gt-pack -q --layout $layout --chunks variants=64,samples=16 $ploidy.vcf -o $ploidy$layout.zarr
            gt-unpack -q $ploidy$layout.zarr -o $ploidy$layout.npy
        done
    done
    "$PYTHON_ZARR3" - [dh]*.zarr << 'PY'
import sys
import gt_utils, numpy as np
assert len(sys.argv) == 5
for name in sys.argv[1:]:
    want, got = np.load(name[:-5] + ".npy"), gt_utils.open(name, dtype="int8").call_dosage
    assert got.shape == want.shape == (500, 37) and got.ploidy == (1 if name[0] == "h" else 2), (name, got.attrs)
    assert want.max() == got.ploidy and want.min() == -1
    few, some = np.array([5, 400, 5, -1]), np.arange(37) % 3 == 1
    for key in [(slice(None), slice(None)), (7, 9), (-1, slice(3, 30)), (slice(None, None, -7), slice(30, 1, -1)), (slice(90, 90), 3),
                (slice(499, 700), slice(36, 40)), (few, slice(1, 2)), (slice(63, 65), some), (slice(2), np.array([36, 0, 17]))]:
        assert np.array_equal(got[key].values, want[key]), (name, key)
    assert np.array_equal(got[few, some].values, want[np.ix_(few, some)]), name
PY
}

@test "a selection reads its chunks only, and a missing chunk is an error" {
    gt-sim -q --samples 40 --variants 300 --seed 1 -o s.zarr
    gt-pack -q --chunks variants=100,samples=16 s.zarr -o x.zarr
    gt-unpack -q x.zarr -o x.npy
    find x.zarr/packed_dosage -type f ! -name '.z*' ! -name 1.1 -delete
    "$PYTHON_ZARR3" - << 'PY'
import sys
import gt_utils, numpy as np
got, want = gt_utils.open("x.zarr").call_dosage, np.load("x.npy")
assert np.array_equal(got[100:200, 16:32].values, want[100:200, 16:32])
for key in [(slice(99, 101), 20), (150, slice(15, 17)), (250, 39)]:
    try:
        got[key].values
    except ValueError as e:
        assert "no such chunk" in str(e), e
    else:
        sys.exit(f"{key}: a missing chunk was read")
PY
}
