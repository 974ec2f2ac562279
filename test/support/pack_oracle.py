"""What a packed store must hold, worked out from text by other tools.

    pack_oracle.py vcf STORE VCF [--half-call KIND] [bcftools view options]
    pack_oracle.py raw STORE FILE.raw       plink --recode A, of the same variants
    pack_oracle.py same STORE STORE         the same content, whatever the chunks
    pack_oracle.py rows STORE STORE EXPR    STORE 1 is STORE 2 after the numpy selection EXPR, which gives (variants, samples)
"""
import subprocess
import sys

import numpy as np
import zarr

MISSING = 0x7F800001
SITE = ["variant_contig", "variant_position", "variant_length", "variant_id", "variant_id_mask",
        "variant_quality", "variant_multiallelic"]


def unpack(z):
    p = z["packed_dosage"]
    attrs = p.attrs["gt_packed"]
    assert attrs == {"bits": 2, "samples": attrs["samples"], "missing": 3}, attrs
    assert p.attrs["_ARRAY_DIMENSIONS"] == ["variants", "samples_packed"]
    g = (p[:][:, :, None] >> np.array([0, 2, 4, 6], dtype="u1") & 3).reshape(p.shape[0], p.shape[1] * 4).astype("i1")
    assert (g[:, attrs["samples"]:] == 0).all(), "pad bits"
    g = g[:, :attrs["samples"]]
    g[g == 3] = -1
    return g


def contents(z):
    d = {k: z[k][:] for k in SITE}
    d["variant_quality"] = d["variant_quality"].view("u4")
    d["variant_contig"] = z["contig_id"][:][d["variant_contig"]] if len(d["variant_contig"]) else np.array([], object)
    f = z["variant_filter"][:]
    names = z["filter_id"][:]
    assert f.shape[1] == len(names)
    d["filters"] = np.array([";".join(names[row]) for row in f], object)
    d["alleles"] = np.array([",".join(x for x in row if x) for row in z["variant_allele"][:]], object)
    d["samples"] = z["sample_id"][:]
    d["g"] = unpack(z)
    return d


def compare(a, b):
    for k in a:
        assert a[k].shape == b[k].shape, (k, a[k].shape, b[k].shape)
        differ = a[k] != b[k]
        if k == "variant_quality":  # bcftools prints 6 digits
            with np.errstate(invalid="ignore"):
                x, y = np.asarray(a[k], "u4").view("f4").astype("f8"), b[k].view("f4").astype("f8")
                differ &= ~(np.abs(x - y) <= 1e-5 * np.abs(x))
        bad = np.argwhere(differ)
        assert not len(bad), (k, len(bad), bad[0], a[k][tuple(bad[0])], b[k][tuple(bad[0])])


def dosage(text, half):
    alleles = text.replace("|", "/").split("/")
    if len(alleles) > 2:
        raise ValueError("ploidy")
    n = sum(a not in (".", "0") for a in alleles)
    if len(alleles) == 1:
        return -1 if "." in alleles else 2 * n
    if alleles == [".", "."]:
        return -1
    if "." in alleles:
        return {"missing": -1, "haploid": 2 * n, "reference": n}[half]
    return n


def from_vcf(vcf, options, half):
    head = subprocess.run(["bcftools", "view", "-h"] + options + [vcf], check=True, capture_output=True, text=True).stdout
    samples = head.splitlines()[-1].split("\t")[9:]
    gt = "[\t%GT]" if "##FORMAT=<ID=GT," in head else "[\t.]"
    query = ["bcftools", "query", "-f", "%CHROM\t%POS\t%END\t%ID\t%REF\t%ALT\t%QUAL\t%FILTER" + gt + "\n"]
    view = None
    if options:
        view = subprocess.Popen(["bcftools", "view", "-Ov"] + options + [vcf], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    text = subprocess.run(query + ([] if view else [vcf]), stdin=view and view.stdout, check=True, capture_output=True, text=True).stdout
    rows = [line.split("\t") for line in text.splitlines()]
    col = lambda i: [r[i] for r in rows]
    obj = lambda x: np.array(list(x) + [None], object)[:-1]
    pos = np.array(col(1), "i8")
    alt = [r[5].split(",") if r[5] != "." else [] for r in rows]
    qual = np.array([MISSING if q == "." else np.float32(q).view("u4") for q in col(6)], "u4")
    cache = {}
    g = np.array([[cache.setdefault(t, dosage(t, half)) for t in r[8:]] for r in rows], "i1")
    return {
        "samples": obj(samples), "variant_contig": obj(col(0)), "variant_position": pos,
        "variant_length": np.array(col(2), "i8") - pos + 1, "variant_id": obj(col(3)),
        "variant_id_mask": np.array([x == "." for x in col(3)], bool), "variant_quality": qual,
        "variant_multiallelic": np.array([len(a) > 1 for a in alt], bool),
        "filters": obj("" if f == "." else f for f in col(7)),
        "alleles": obj(",".join([r[4]] + a) for r, a in zip(rows, alt)),
        "g": g.reshape(len(rows), len(samples)),
    }


def take(options, name, default):
    if name in options:
        i = options.index(name)
        default = options[i + 1]
        del options[i:i + 2]
    return default


def main():
    mode, path, other = sys.argv[1:4]
    options = sys.argv[4:]
    z = zarr.open(path, mode="r")
    assert z.attrs["vcf_zarr_version"] == "0.5" and "gt_stream" not in z.attrs
    d = contents(z)
    if mode == "vcf":
        half = take(options, "--half-call", "missing")
        want = from_vcf(other, options, half)
        if not len(want["g"]):
            want = {k: want[k] for k in ("samples", "g")}
        compare(want, d)
    elif mode == "raw":
        lines = [line.split() for line in open(other)]
        g = np.array([[-1 if x == "NA" else int(x) for x in r[6:]] for r in lines[1:]], "i1").T
        compare({"g": g, "samples": np.array([r[1] for r in lines[1:]], object)}, d)
        counted = [name.rsplit("_", 1)[1] for name in lines[0][6:]]
        # PLINK: "0" for the allele that nobody has
        assert all(a.split(",")[1:] in ([c], []) for a, c in zip(d["alleles"], counted)), "counted allele is ALT"
    else:
        base = contents(zarr.open(other, mode="r"))
        v, s = np.arange(len(base["g"])), np.arange(base["g"].shape[1])
        if mode == "rows":
            g, pos = base["g"], base["variant_position"]
            v, s = eval(options[0], {"np": np, "g": g, "pos": pos, "v": v, "s": s, "alleles": base["alleles"]})
        want = {k: x[v] for k, x in base.items() if k not in ("g", "samples")}
        compare({"g": base["g"][v][:, s], "samples": base["samples"][s], **want}, d)
    print(*d["g"].shape)


main()
