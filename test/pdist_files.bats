#!/usr/bin/env bats
# What gt-pdist writes for others to read: stores, and what tree programs take.

bats_require_minimum_version 1.5.0

setup() {
    cd "$BATS_TEST_TMPDIR" || exit 1
}

# --- -O zarr ----------------------------------------------------------------------

@test "-O zarr: directory, zip and tar hold what -O npy writes, and zarr-python reads them" {
    gt-sim -q --samples 300 --variants 400 --missing 0.05 --seed 1 -o s.zarr
    for metric in euclidean king; do
        gt-pdist -q -f -m $metric -O npy s.zarr -o d.npy
        gt-pdist -q -f -m $metric s.zarr -o d.zarr
        gt-pdist -q -f -m $metric s.zarr -o d.zip
        gt-pdist -q -f -m $metric --dtype f4 -O zarr s.zarr -o f4
        gt-pdist -q -m $metric -O zarr s.zarr > d.tar
        "$PYTHON" - $metric << 'PY'
import sys, tarfile
import numpy as np, zarr
want, ids = np.load("d.npy"), open("d.npy.id").read().split()
tarfile.open("d.tar").extractall("untarred")
for path in "d.zarr", "d.zip", "untarred", "f4":
    g = zarr.open(path, mode="r")
    d = g["distance"]
    exact = want.astype("f4") if path == "f4" else want
    assert d.dtype == exact.dtype and np.array_equal(d[:], exact, equal_nan=True), path
    assert list(g["sample_id"][:]) == ids, path
    assert d.attrs["metric"] == sys.argv[1]
    assert d.attrs["_ARRAY_DIMENSIONS"] == ["samples_0", "samples_1"]
    assert d.fill_value is None  # xarray would make a mask of it
PY
        gt-pdist -q -O npy d.zarr/distance > again.npy # our own reader, of its rows
        gt-pdist -q -O npy d.npy | cmp - again.npy
        gt-pdist -q -O npy --array distance d.tar | cmp - again.npy
    done
    gt-info -q --check d.zip
    gt-info d.zarr > said
    grep -q 'distance .*float64 .*(300, 300) in (128, 300)' said
    grep -q 'history: gt-pdist' said
}

@test "-O zarr: the same bytes for any threads and memory, and of counts that are merged" {
    gt-sim -q --samples 3000 --variants 60 --missing 0.02 --seed 2 -o s.zarr
    local with=(-q -f -m cityblock --no-version)
    gt-pdist "${with[@]}" -@ 1 s.zarr -o one.zarr
    gt-pdist "${with[@]}" -@ 3 --memory 56M s.zarr -o few.zarr
    [ "$(gt-pdist -n -m cityblock --memory 56M s.zarr -o few.zip | awk '/^passes/ {print $2}')" -gt 1 ]
    diff -r one.zarr few.zarr
    for k in 1 2 3; do gt-pdist -q -m cityblock --part $k/3 -O counts s.zarr -o $k.counts; done
    gt-pdist "${with[@]}" --merge [123].counts -o merged.zarr
    diff -r one.zarr merged.zarr
    gt-pdist -q -f -m cityblock s.zarr -o one.zarr
    run diff -r one.zarr merged.zarr
    [[ "${lines[0]}" == diff*.zattrs* ]] # provenance
}

@test "-O zarr: --rows and --cols have a list of ids each" {
    gt-sim -q --samples 7 --variants 40 --seed 3 -o s.zarr
    printf 'S%d\n' 6 2 > rows
    printf 'S%d\n' 1 2 3 > cols
    gt-pdist -q --rows rows --cols cols s.zarr -o d.zarr
    gt-pdist -q --rows rows --cols cols -O npy s.zarr -o d.npy
    "$PYTHON" - << 'PY'
import numpy as np, zarr
g = zarr.open("d.zarr", mode="r")
assert np.array_equal(g["distance"][:], np.load("d.npy")) and g["distance"].shape == (2, 3)
assert list(g["sample_id_0"][:]) == ["S6", "S2"] and list(g["sample_id_1"][:]) == ["S1", "S2", "S3"]
PY
}

@test "-O zarr: one sample, no samples, and no variants" {
    gt-sim -q --samples 3 --variants 5 --seed 4 -O vcf -o x.vcf
    gt-pdist -q -s S1 x.vcf -o one.zarr
    [ "$(gt-info --head 1 one.zarr/distance)" = 0 ]
    bcftools view -h x.vcf | cut -f 1-9 > none.vcf
    run gt-pdist none.vcf -o none.zarr
    [ "$status" -eq 0 ] || [ ! -e none.zarr ]
    bcftools view -h x.vcf > bare.vcf
    gt-pdist -q bare.vcf -o bare.zarr
    gt-info --head 3 bare.zarr/distance | grep -q nan
}

@test "-O zarr: a store that is there stays, and a part is none" {
    gt-sim -q --samples 5 --variants 20 --seed 5 -o s.zarr
    mkdir kept
    run gt-pdist s.zarr -O zarr -o kept
    [ "$status" -eq 1 ]
    [[ "${lines[1]}" == "hint: replace it with --force" ]]
    gt-pdist -q s.zarr -o d.zarr
    run gt-pdist s.zarr -o d.zarr
    [ "$status" -eq 1 ]
    run gt-pdist s.zarr -f -o s.zarr
    [ "$status" -eq 2 ]
    run gt-pdist s.zarr --part 1/2 -o p.zarr
    [ "$status" -eq 2 ]
    [[ "${lines[1]}" == "hint: -O counts takes --part"* ]]
    [ ! -e p.zarr ]
    gt-pdist -q s.zarr --part 1/1 -o p.zarr
    run gt-pdist s.zarr --no-version -o d.tsv
    [ "$status" -eq 2 ]
}
