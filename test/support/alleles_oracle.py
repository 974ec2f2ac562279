"""Calls of several ALT alleles, and distances of them by definition: alleles are looked at one by one."""
import itertools
import os
import re
import sys

import numpy as np

rng = np.random.default_rng(int(os.environ.get("SEED", 1)))


def call(alleles, kind):
    """A GT string.  kind: "diploid", "mixed" (some of one allele, some half calls), "haploid", "phased"."""
    a, b = rng.integers(0, alleles, 2)
    if rng.random() < 0.4:
        a = b
    x = rng.random()
    if kind == "haploid":
        return "." if x < 0.1 else str(a)
    if x < 0.08:
        return "./." if kind != "phased" else ".|."
    if kind in ("mixed", "phased") and x < 0.14:
        return str(a)
    if kind in ("mixed", "phased") and x < 0.22:
        return f".|{a}" if x < 0.18 else f"{a}|."
    return f"{a}|{b}" if kind == "phased" or x < 0.5 else f"{a}/{b}"


def write(path, samples, variants, kind="diploid"):
    texts = "ACGT"
    with open(path, "w") as f:
        f.write("##fileformat=VCFv4.2\n##contig=<ID=1>\n##contig=<ID=2>\n##ALT=<ID=DEL,Description=d>\n"
                '##FORMAT=<ID=GT,Number=1,Type=String,Description="g">\n')
        f.write("\t".join(["#CHROM", "POS", "ID", "REF", "ALT", "QUAL", "FILTER", "INFO", "FORMAT"] + [f"s{i}" for i in range(samples)]) + "\n")
        for v in range(variants):
            alts = int(rng.choice([1, 1, 2, 2, 3, 4, 5, 6, 10, 12]))
            names = ["".join(p) for p in itertools.islice(itertools.product(texts, repeat=3), 5, 5 + alts)]
            if alts > 1 and v % 3 == 0:
                names[1] = "*"
            if alts > 2 and v % 4 == 0:
                names[2] = "<DEL>"
            shown = alts + 1 if v % 5 else min(alts + 1, 2)  # sometimes nobody has the other ones
            calls = [call(shown, kind) for _ in range(samples)]
            if v % 7 == 1 and alts > 1 and kind == "diploid":  # nobody has REF
                calls = [re.sub(r"\b0\b", "2", c) for c in calls]
            f.write("\t".join(["1" if 2 * v < variants else "2", str(100 + v), ".", "AAC", ",".join(names), ".", ".", ".", "GT"] + calls) + "\n")


def records(path):
    for line in open(path):
        if line[0] != "#":
            column = line.rstrip("\n").split("\t")
            yield column, [c.split(":")[0] for c in column[9:]]


def alleles_of(gt, half="missing"):
    """What a call counts as: a list of alleles, or None."""
    parts = gt.replace("|", "/").split("/")
    if all(p == "." for p in parts):
        return None
    if "." in parts:
        if half == "missing":
            return None
        parts = [p if p != "." else "0" for p in parts] if half == "reference" else [p for p in parts if p != "."]
    return [int(p) for p in parts]


def genotypes(path, half="missing"):
    """Sites of allele counts (samples, alleles), of two alleles a call (one of haploid data), nan where it is missing."""
    rows = list(records(path))
    haploid = all("/" not in g and "|" not in g for _, gts in rows for g in gts)
    for _, gts in rows:
        x = np.zeros((len(gts), 16))
        for s, gt in enumerate(gts):
            a = alleles_of(gt, half)
            if a is None:
                x[s] = np.nan
            elif len(a) == 1 and not haploid:
                x[s, a[0]] = 2
            else:
                for one in a:
                    x[s, one] += 1
        yield x, 1 if haploid else 2


def by_definition(path, metric, missing="rescale", half="missing"):
    total = n = sites = 0
    for x, ploidy in genotypes(path, half):
        both = ~np.isnan(x[:, None, 0] + x[None, :, 0])
        if metric == "mismatches":
            value = abs(x[:, None] - x[None]).sum(2) / 2
        else:
            value = (x[:, None] * x[None]).sum(2) / ploidy**2
        total = total + np.where(both, value, 0)
        n = n + both
        sites += 1
    with np.errstate(all="ignore"):
        if metric == "mismatches":
            return total if missing == "ignore" else total * (sites / n)
        return total / n


def haplotypes(path, metric, half="missing"):
    """Two haplotypes differ by 1 where their alleles do."""
    total = n = sites = 0
    for _, gts in records(path):
        h = np.full((len(gts), 2), np.nan)
        for s, gt in enumerate(gts):
            parts = gt.split("|")
            if all(p == "." for p in parts) or ("." in parts and half == "missing"):
                continue
            for k, p in enumerate(parts):
                h[s, k] = int(p) if p != "." else 0 if half == "reference" else np.nan
        h = h.ravel()
        both = ~np.isnan(h[:, None] + h[None])
        total = total + (both & (h[:, None] != h[None]))
        n = n + both
        sites += 1
    with np.errstate(all="ignore"):
        rescaled = total * (sites / n)
        return {"hamming": total / n, "cityblock": rescaled, "sqeuclidean": rescaled, "euclidean": np.sqrt(rescaled)}[metric]


def weir_goudet(path):
    s = by_definition(path, "ibs-prob")
    m = np.nanmean(s[np.triu_indices(len(s), 1)])
    return (s - m) / (1 - m)


def check(got, want, diagonal=True):
    """GOT.npy is what was wanted, nan where nothing is known."""
    got = np.load(got)
    cells = np.ones(want.shape, bool) if diagonal else ~np.eye(len(want), dtype=bool)
    good = np.isclose(got, want, rtol=1e-13, atol=1e-13, equal_nan=True) | ~cells
    assert good.all(), [(tuple(b), got[tuple(b)], want[tuple(b)]) for b in np.argwhere(~good)[:3]]
    assert len(want) < 3 or len(np.unique(got)) > 2
