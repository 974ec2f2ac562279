# Genotypes in many Zarr layouts below a folder, and what gt-info --stats variants
# is to print of all of them (want.tsv, some columns).
import os
import shutil
import sys

import numcodecs
import numpy as np
import zarr

os.chdir(sys.argv[1])
rng = np.random.default_rng(1)
V, S = 1037, 53
g = rng.choice([0, 1], size=(V, S, 2)).astype("i1")
g[rng.random((V, S)) < 0.05] = -1
haploid = rng.random((V, S)) < 0.02
g[haploid, 1] = -2
g[(rng.random((V, S)) < 0.02) & ~haploid, 0] = -1
mult = rng.random(V) < 0.1
g[mult] = np.where(g[mult] > 0, rng.choice([1, 2], size=g[mult].shape), g[mult])
pos = np.sort(rng.integers(1, 10**6, V)).astype("i4")
ids = np.array(["s%d" % i for i in range(S)], dtype="U5")


def vcz(path, chunks, dtype="i1", order="C", site=100, compressor="default", sep="."):
    r = zarr.group(zarr.DirectoryStore(path, dimension_separator=sep), overwrite=True)
    r.create_dataset("call_genotype", data=g.astype(dtype), chunks=chunks, order=order, compressor=compressor, fill_value=None)
    r.create_dataset("sample_id", data=ids)
    r.create_dataset("contig_id", data=np.array(["1", "2"], dtype="S3"))
    r.create_dataset("variant_contig", data=(np.arange(V) > 500).astype("i1"), chunks=site)
    r.create_dataset("variant_position", data=pos, chunks=site * 3)
    alleles = np.array([["A", "C", "GT"] if m else ["A", "CC", ""] for m in mult], dtype=object)
    r.create_dataset("variant_allele", data=alleles, object_codec=numcodecs.VLenUTF8(), chunks=(site // 7 + 1, 2))
    return r


vcz("plain.zarr", (100, 53, 2))
vcz("ploidy.zarr", (33, 7, 1), site=1000)
vcz("big.zarr", (1000, 10, 2), dtype=">i2", order="F", site=11)
vcz("raw.zarr", (64, 13, 2), dtype="i4", compressor=None, sep="/")
vcz("one.zarr", (2000, 60, 2), order="F", site=2000)
vcz("thin.zarr", (1, 53, 2), dtype="i8")
vcz("consolidated.zarr", (64, 13, 2))
zarr.consolidate_metadata("consolidated.zarr")

a, b = g[:, :, 0], g[:, :, 1]
d = np.where((a >= 0) & (b >= 0), (a > 0).astype(int) + (b > 0), 3)
d = np.where((a >= 0) & (b == -2), 2 * (a > 0), d)
wide = np.full((V, 56), 3, "u1")  # what stands in the pad bits is nobody's
wide[:, :S] = d
packed = wide[:, 0::4] | wide[:, 1::4] << 2 | wide[:, 2::4] << 4 | wide[:, 3::4] << 6
# Filters: the third column has no name, and a fourth none in the table.
for name, at in ("unnamed", 2), ("beyond", 3):
    r = vcz(name + ".zarr", (100, 53, 2))
    filters = np.zeros((V, 4), bool)
    filters[:, 0] = True
    filters[7, at] = True
    r.create_dataset("variant_filter", data=filters, chunks=(100, 4))
    r.create_dataset("filter_id", data=np.array(["PASS", "q10", ""], dtype=object), object_codec=numcodecs.VLenUTF8())

r = zarr.open("packed.zarr", "w")
x = r.create_dataset("packed_dosage", data=packed.astype("u1"), chunks=(90, 4), fill_value=None)
x.attrs["gt_packed"] = {"bits": 2, "samples": S, "missing": 3}
r.create_dataset("sample_id", data=ids)

r = zarr.open("allel.zarr", "w")
r.create_dataset("samples", data=ids.astype("S8"))
r.create_dataset("2R/calldata/GT", data=g, chunks=(300, 50, 2))
r.create_dataset("2R/variants/POS", data=pos, chunks=524)
r.create_dataset("2R/variants/REF", data=np.array(["A"] * V, dtype="S1"))
r.create_dataset("2R/variants/ALT", data=np.array([["C", "GT", ""] if m else ["CC", "", ""] for m in mult], dtype="S2"))

zarr.open("numbers.zarr", "w").create_dataset("dosage", data=np.where(d == 3, -1, d).astype("i2"), chunks=(100, 9))
zarr.open("triploid.zarr", "w").create_dataset("call_genotype", data=np.zeros((4, 3, 3), "i1"))

# Forty ids of 32 MiB, a few kB each where they are stored.
r = zarr.open("bomb.zarr", "w")
r.create_dataset("call_genotype", data=np.zeros((4, 40, 2), "i1"))
x = r.create_dataset("sample_id", shape=40, chunks=1, dtype=object, object_codec=numcodecs.VLenUTF8(), compressor=numcodecs.Zstd(1))
x[0] = "a" * 2**25
for i in range(1, 40):
    shutil.copy("bomb.zarr/sample_id/0", "bomb.zarr/sample_id/%d" % i)

# Calls as they are told by their alleles (two different ones are a heterozygote), and by their dosage alone.
real = np.where((d == 2) & (b >= 0) & (a != b), 1, d)
assert (real != d).any()


def counts(kinds):
    return "%d\t%d\t%d\t%d" % tuple((kinds == i).sum() for i in (3, 0, 1, 2))


with open("want.tsv", "w") as f:
    for v in range(V):
        f.write("%d\t%d\t%s\t%s\n" % (1 + (v > 500), pos[v], "A\tC,GT" if mult[v] else "A\tCC", counts(real[v])))
with open("want_samples.tsv", "w") as f:
    for s in range(S):
        f.write("s%d\t%s\n" % (s, counts(real[:, s])))
with open("want_dosages.tsv", "w") as f:
    for v in range(V):
        f.write(counts(d[v]) + "\n")
with open("want_dosages_samples.tsv", "w") as f:
    for s in range(S):
        f.write("s%d\t%s\n" % (s, counts(d[:, s])))
