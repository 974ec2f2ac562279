# Stores of the same four sites and three samples, in all types and layouts that sites have, written by hand (Zarr 2, without compression):
#     store_sites.py                 makes them in the working directory
#     store_sites.py refused GT-INFO makes one store after the other with something wrong; GT-INFO has to refuse each with its message
import json
import os
import shutil
import struct
import subprocess
import sys

import numpy as np

NAN = float("nan")
CONTIG, POS, QUAL = [0, 0, 1, 1], [7, 30000, 5, 60000], [NAN, 12.5, 0, 1024]
ID, REF = ["rs1", ".", "c", "long"], ["A", "AC", "G", "T"]
ALT = [["C", ""], ["A", "ACC"], ["", ""], [".", ""]]
PASS = [True, False, True, False]
GT = [[[0, 1], [1, -2], [-1, -1]], [[2, 1], [0, 0], [-1, 1]], [[0, 0], [0, -2], [0, 0]], [[-1, -1], [0, 0], [-1, -2]]]


def put(path, data):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as f:
        f.write(data)


def texts(list):
    return struct.pack("<I", len(list)) + b"".join(struct.pack("<I", len(t.encode())) + t.encode() for t in list)


def array(path, values, dtype, rows=3):
    """Chunks of three rows."""
    strings = dtype == "|O"
    a = np.array(values, dtype=object if strings else dtype)
    chunks = [rows] + list(a.shape[1:])
    put(path + "/.zarray", json.dumps({"zarr_format": 2, "shape": a.shape, "chunks": chunks, "dtype": dtype, "compressor": None,
        "fill_value": None, "order": "C", "filters": [{"id": "vlen-utf8"}] if strings else None}).encode())
    for c in range(-(-a.shape[0] // rows)):
        part = np.full(chunks, "" if strings or "U" in dtype or "S" in dtype else 0, dtype=a.dtype)
        part[: len(a[c * rows : c * rows + rows])] = a[c * rows : c * rows + rows]
        put("%s/%d%s" % (path, c, ".0" * (a.ndim - 1)), texts(part.ravel().tolist()) if strings else part.tobytes())


def group(path, attrs=None):
    put(path + "/.zgroup", b'{"zarr_format": 2}')
    if attrs:
        put(path + "/.zattrs", json.dumps(attrs).encode())


def vcz(path, **types):
    of = types.get
    group(path, {"vcf_zarr_version": "0.4"})
    array(path + "/sample_id", ["a", "b", "c"], of("text", "|O"))
    array(path + "/contig_id", ["x", "y"], of("text", "|O"))
    array(path + "/contig_length", [40000, 70000], of("length", "<i8"))
    array(path + "/variant_contig", CONTIG, of("contig", "|i1"))
    array(path + "/variant_position", POS, of("position", "<i4"))
    array(path + "/variant_id", ID, of("text", "|O"))
    array(path + "/variant_allele", [[r] + a for r, a in zip(REF, ALT)], of("text", "|O"))
    array(path + "/variant_quality", QUAL if "f" in of("quality", "<f4") else [-1, 12, 0, 1024], of("quality", "<f4"))
    filters = of("filters", ["PASS", "q10"])
    array(path + "/filter_id", filters, of("text", "|O"))
    array(path + "/variant_filter", [[f == ("PASS" if p else "q10") for f in filters] for p in PASS], of("filter", "|b1"))
    calls = of("calls", "|i1")
    array(path + "/call_genotype", np.maximum(GT, 0) if "u" in calls else GT, calls)
    array(path + "/call_genotype_phased", [[False, False, False]] * 4, "|b1")


def allel(path, top="", chrom="|S1", text="|S4", number="<i4", quality="<f4", calls="|i1"):
    group(path)
    if top:
        group(path + top)
    array(path + top + "/samples", ["a", "b", "c"], text)
    array(path + top + "/calldata/GT", GT, calls)
    if chrom:
        array(path + top + "/variants/CHROM", ["xy"[c] for c in CONTIG], chrom)
    array(path + top + "/variants/POS", POS, number)
    array(path + top + "/variants/ID", ID, text)
    array(path + top + "/variants/REF", REF, text)
    array(path + top + "/variants/ALT", ALT, text)
    array(path + top + "/variants/QUAL", QUAL, quality)
    array(path + top + "/variants/FILTER_PASS", PASS, "|b1")


def suffix(t):
    return {"<": "", ">": "be", "|": ""}[t[0]] + t[1:]


def make():
    vcz("v-plain.zarr")
    for t in "<i2", ">i2", "<u4", ">i8", "|u1":
        vcz("v-contig-%s.zarr" % suffix(t), contig=t)
    for t in ">i4", "<i8", "<u8", "<u2", "<f4", ">f4", "<f8", ">f8", "<u4":
        vcz("v-position-%s.zarr" % suffix(t), position=t)
    for t in ">i4", "<u8", "<u4":
        vcz("v-length-%s.zarr" % suffix(t), length=t)
    for t in "|S4", "<U4", ">U4":
        vcz("v-text-%s.zarr" % suffix(t), text=t)
    for t in "<i2", ">i4", "<i8":
        vcz("v-calls-%s.zarr" % suffix(t), calls=t)
    for t in "|u1", ">u2", "<u4", "<u8", ">u8":  # which have no missing calls
        vcz("u-%s.zarr" % suffix(t), calls=t)
    vcz("v-filters.zarr", filters=["q10", "PASS"], filter="|u1")
    vcz("v-filters3.zarr", filters=["s50", "q10", "PASS"])
    for t in "<f2", ">f2", ">f4", "<f8", ">f8", "<i2", "<i4":  # in f4, VCF Zarr has NaNs that are none and NaNs that are missing
        vcz("q-%s.zarr" % suffix(t), quality=t)
    for i, types in enumerate([("|S1", "|S4", "<i4", "<f4"), ("<U1", "<U4", ">i8", "<f8"), ("|O", "|O", "<f8", "<f2")]):
        allel("a-%d.zarr" % i, "", *types)
    allel("n-top.zarr", "/2R", None)
    fields("f.zarr")
    for pad in "", ".":
        alts = [["C", pad], ["C", "G"], [pad, pad], ["C", pad]]
        vcz("d-vcz%s.zarr" % pad)
        again("d-vcz%s.zarr" % pad, "variant_allele", [["A"] + a for a in alts], "|O")
        allel("d-allel%s.zarr" % pad)
        again("d-allel%s.zarr" % pad, "variants/ALT", alts, "|S1")
        allel("d-one%s.zarr" % pad)
        again("d-one%s.zarr" % pad, "variants/ALT", ["C", "G", pad, "C"], "|S1")  # an axis for ALTs is not there
    vcz("gap.zarr")
    again("gap.zarr", "variant_allele", [["A", "C", "", ""], ["A", "C", ".", "G"], ["A", "", "", ""], ["A", "C", ".", "."]], "|O")


def field(path, values, dtype, dims=None, **attrs):
    array(path, values, dtype)
    if dims:
        attrs["_ARRAY_DIMENSIONS"] = dims
    put(path + "/.zattrs", json.dumps(attrs).encode())


def fields(p):
    """A store with INFO and FORMAT fields of all types and shapes, and arrays that are none."""
    vcz(p)
    for t in "<f2", ">f2", "<f4", ">f4", "<f8", ">f8":
        field(p + "/variant_F" + suffix(t), [1.5, NAN, -0.25, float("inf")], t, description="real")
    for t in "|i1", ">i2", "<i4", "<i8", ">i8":
        field(p + "/variant_I" + suffix(t), [5, -1, -2, -100], t)
    for t in "|u1", "<u2", ">u4", "<u8":
        field(p + "/variant_U" + suffix(t), [5, 0, 255, 7], t)
    for t in "|S1", "<U1", ">U1":
        field(p + "/variant_C" + suffix(t), ["x", "", ".", "q"], t)
    for t in "|S3", "<U3", "|O":
        field(p + "/variant_T" + suffix(t), ["xy", "", ".", "a,b"], t)
    field(p + "/variant_CU", ["é", "日", "😀", "~"], "<U1")
    field(p + "/variant_DB", [True, False, True, False], "|b1")
    field(p + "/variant_A", [[1, -2], [2, 3], [-2, -2], [-1, -2]], "<i4", ["variants", "alt_alleles"])
    field(p + "/variant_R", [[1, 2, -2], [2, 3, 4], [5, -2, -2], [-1, -2, -2]], "<i2", ["variants", "alleles"])
    field(p + "/variant_M", [[1, 2, -2], [-1, 3, -1], [5, -2, -2], [-2, -2, -2]], "<i2", ["variants", "other"])
    field(p + "/call_DP", [[1, 2, 3], [-1, 5, 6], [-2, -2, -2], [7, -1, -1]], "<i2", ["variants", "samples"])
    field(p + "/call_B", [[True, False, True]] * 4, "|b1")
    field(p + "/call_F", [[1.5, NAN, 2.0]] * 4, "<f8")
    field(p + "/call_T", [["x", "", "zz"]] * 4, "<U2")
    field(p + "/call_C", [["x", "", "z"]] * 4, "|S1")
    field(p + "/call_AD", [[[1, 2, -2]] * 3] * 4, "|i1", ["variants", "samples", "alleles"])
    for name in "variant_bad name", "call_one", "call_GT":
        field(p + "/" + name, [1, 2, 3, 4], "<i4")
    field(p + "/variant_3d", [[[1]], [[2]], [[3]], [[4]]], "<i4")
    field(p + "/variant_few", [1, 2, 3], "<i4")
    field(p + "/call_few", [[1, 2], [3, 4], [5, 6], [7, 8]], "<i4")
    field(p + "/variant_time", [1, 2, 3, 4], "<M8[s]")


def packed(path, attrs={}, **more):
    """Allele counts of three samples; attrs replace those of gt_packed, more those of the array."""
    group(path)
    array(path + "/packed_dosage", [[0x24], [0x3F], [0], [0x15]], "|u1")
    meta(path, "packed_dosage", **more)
    put(path + "/packed_dosage/.zattrs", json.dumps({"gt_packed": {**{"bits": 2, "missing": 3, "samples": 3}, **attrs}}).encode())


def meta(path, name, **more):
    file = "%s/%s/.zarray" % (path, name)
    with open(file) as f:
        old = json.load(f)
    put(file, json.dumps({**old, **more}).encode())


def again(path, name, values, dtype):
    shutil.rmtree(path + "/" + name)
    array(path + "/" + name, values, dtype)


REFUSED = [
    (lambda p: packed(p, dtype="<u2"), "is not a uint8 matrix, which packed genotypes need"),
    (lambda p: packed(p, shape=[4], chunks=[3]), "is not a uint8 matrix, which packed genotypes need"),
    (lambda p: packed(p, {"bits": 4}), "gt_packed must have bits 2 and missing 3"),
    (lambda p: packed(p, {"missing": 2}), "gt_packed must have bits 2 and missing 3"),
    (lambda p: packed(p, {"bits": "2"}), "gt_packed must have bits 2 and missing 3"),
    (lambda p: packed(p, {"samples": -1}), "has no usable number of samples in gt_packed"),
    (lambda p: packed(p, {"samples": "three"}), "has no usable number of samples in gt_packed"),
    (lambda p: packed(p, {"samples": 5}), "'packed_dosage' has 1 bytes per variant, which does not fit 5 samples"),
    (lambda p: packed(p, {"samples": 10**9}), "has 1000000000 samples, and there is no sample_id"),
    (lambda p: packed(p, {"samples": 0}), "has no samples"),
    (lambda p: (packed(p), put(p + "/packed_dosage/.zattrs", b"{}")), "'packed_dosage' does not give its number of samples, and there is no sample_id"),
    (lambda p: (vcz(p), again(p, "sample_id", ["a", "", "c"], "|O")), "sample 2 has an empty id"),
    (lambda p: (vcz(p), again(p, "sample_id", ["a", "b", "a"], "|O")), "samples 1 and 3 have the same id, 'a'"),
    (lambda p: (vcz(p), again(p, "sample_id", ["a", "b"], "|O")), "sample_id has 2 samples and call_genotype has 3"),
    (lambda p: (vcz(p), again(p, "contig_length", [4e4, 7e4], "<f8")), "contig_length is not a list of integers"),
    (lambda p: (vcz(p), again(p, "contig_length", [[4, 7]], "<i8")), "contig_length is not a list of integers"),
    (lambda p: (vcz(p), again(p, "variant_contig", [0, 0, 1, 2], "|i1")), "variant_contig has 2, which is not an index into contig_id"),
    (lambda p: (vcz(p), again(p, "variant_contig", [0, 0, -1, 1], "|i1")), "variant_contig has -1, which is not an index into contig_id"),
    (lambda p: (vcz(p), again(p, "variant_contig", [0, 0, 1, 2**32], "<i8")), "variant_contig has 4294967296, which is not an index into contig_id"),
    (lambda p: (vcz(p), again(p, "variant_position", [7, 9, -3, 5], "<i4")), "variant 3 has position -3 in 'variant_position'"),
    (lambda p: (vcz(p), again(p, "variant_position", [7, 9, 1, NAN], "<f4")), "variant 4 has position -1 in 'variant_position'"),
    (lambda p: (vcz(p), again(p, "variant_position", [7, 1e30, 1, 3], "<f8")), "variant 2 has position -1 in 'variant_position'"),
    (lambda p: (vcz(p), again(p, "variant_position", ["7", "9", "1", "3"], "|S1")), "'variant_position' has the wrong shape or data type"),
    (lambda p: (vcz(p), again(p, "variant_contig", [0, 0, 1, 1], "<f4")), "'variant_contig' has the wrong shape or data type"),
    (lambda p: (vcz(p), again(p, "variant_id", [1, 2, 3, 4], "<i4")), "'variant_id' has the wrong shape or data type"),
    (lambda p: (vcz(p), again(p, "variant_quality", [[1], [2], [3], [4]], "<f4")), "'variant_quality' has the wrong shape or data type"),
    (lambda p: (vcz(p), again(p, "variant_id", ["a", "b", "c"], "|O")), "'variant_id' has 3 variants and 'call_genotype' has 4"),
    (lambda p: (vcz(p), again(p, "call_genotype", np.zeros((4, 3, 2)), "<f4")), "'call_genotype' does not hold integers, which genotypes need"),
    (lambda p: (vcz(p), again(p, "call_genotype", np.zeros((4, 3, 2, 1)), "|i1")), "is neither (variants, samples) nor (variants, samples, ploidy)"),
    (lambda p: (vcz(p), again(p, "call_genotype", np.zeros((4, 3, 1025)), "|i1")), "has no usable ploidy axis"),
    (lambda p: (vcz(p), meta(p, "call_genotype", shape=[4, 3, 0])), "has no usable ploidy axis"),
]


def refused(info):
    bad = 0
    for i, (wrong, message) in enumerate(REFUSED):
        path = "r%d.zarr" % i
        wrong(path)
        run = subprocess.run([info, "-q", "--stats", "variants", path], capture_output=True, text=True)
        if run.returncode != 3 or message not in run.stderr or run.stderr.count("\n") != 1 + run.stderr.count("hint:"):
            print(i, run.returncode, message, run.stderr, run.stdout[-200:], sep="\n")
            bad += 1
    sys.exit(bad != 0)


if __name__ == "__main__":
    if sys.argv[1:2] == ["refused"]:
        refused(sys.argv[2])
    make()
