"""What --json, notes and plans of the commands say of x.vcf, counted from its text.

python3 summary_counts.py make > x.vcf         calls of every kind: missing, half, haploid, of three alleles; sites of every kind
python3 summary_counts.py CHECK ...            CHECK: a function below
"""
import json
import math
import os
import random
import sys

import numpy as np

SAMPLES = 14
KEPT = [0, 2, 3, 4, 6, 7, 8, 9, 11, 12, 13]  # of -s


def make(seed="1"):
    rng = random.Random(int(seed))
    print("##fileformat=VCFv4.2\n##contig=<ID=1,length=9000>\n##contig=<ID=2,length=9000>\n##contig=<ID=3,length=9000>")
    print('##FILTER=<ID=q10,Description="x">\n##FORMAT=<ID=GT,Number=1,Type=String,Description="x">')
    print("#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\t" + "\t".join(f"s{i}" for i in range(SAMPLES)))
    for contig in "123":
        for v in range(80):
            n_alts = rng.choices((1, 2, 3), (8, 1, 1))[0]
            ref = rng.choice(["A", "A", "A", "AT"])
            rate = rng.choice([0.02, 0.1, 0.3, 0.5, 0.9])
            gaps = rng.choice([0, 0.05, 0.3])
            alleles = lambda: str(rng.randint(1, n_alts)) if rng.random() < rate else "0"
            calls = []
            for _ in range(SAMPLES):
                kind = rng.random()
                ploidy = 1 if kind < 0.03 else 3 if kind < 0.05 else 2
                call = [alleles() for _ in range(ploidy)]
                if rng.random() < gaps:
                    call = ["."] * ploidy
                elif ploidy == 2 and rng.random() < 0.04:
                    call[rng.randrange(2)] = "."
                calls.append("/".join(call))
            alts = ",".join("CGT"[:n_alts])
            print(contig, 1 + v * 100, f"{contig}v{v}", ref, alts, ".", rng.choice(["PASS", "PASS", "q10"]), ".", "GT", *calls, sep="\t")


def records(path):
    for line in open(path):
        if not line.startswith("#"):
            f = line.split()
            yield f[0], int(f[1]), f[3], f[4].split(","), f[6], [c.split("/") for c in f[9:]]


def code(call):
    """0, 1, 2 ALTs of any kind, a haploid call twice; None: missing, half, or of three alleles."""
    if "." in call or len(call) > 2:
        return None
    return sum(a != "0" for a in call) * (2 if len(call) == 1 else 1)


def counted(path, keep):
    """The table of codes, and calls by kind."""
    rows, kinds = [], dict(multiallelic=0, half_calls=0, haploid_calls=0, polyploid_calls=0)
    for _, _, _, alts, _, calls in records(path):
        calls = [calls[i] for i in keep]
        rows.append([code(c) for c in calls])
        kinds["multiallelic"] += len(alts) > 1
        kinds["half_calls"] += sum(len(c) == 2 and c.count(".") == 1 for c in calls)
        kinds["haploid_calls"] += sum(len(c) == 1 and c != ["."] for c in calls)
        kinds["polyploid_calls"] += sum(len(c) > 2 and c.count(".") < len(c) for c in calls)
    return rows, kinds


def want(said, **expected):
    for key, value in expected.items():
        near = isinstance(value, float) and abs(said[key] - value) <= 1e-9 * max(1, abs(value))
        assert said[key] == value or near, (key, said[key], value)


def load(name):
    text = open(name).read()
    said = json.loads(text[text.index("{") :])
    assert said.get("threads", 3) == 3, said  # of GT_THREADS
    return said


def sizes(folder):
    found = [os.path.join(d, f) for d, _, names in os.walk(folder) for f in names]
    return {f: os.path.getsize(f) for f in found}


def is_chunk(path):
    return not os.path.basename(path).startswith(".")


def size(n):
    return f"{n} B" if n < 1024 else f"{n / 1024:.1f} KiB"


def pack(vcf, said, store, notes):
    """gt-pack --json -s KEPT VCF -o STORE 2> NOTES"""
    rows, kinds = counted(vcf, KEPT)
    n = len(rows)
    files = sizes(store)
    genotypes = sum(b for f, b in files.items() if "/packed_dosage/" in f and is_chunk(f))
    missing = sum(r.count(None) for r in rows) / (n * len(KEPT))
    want(load(said), samples=len(KEPT), variants=n, samples_in=SAMPLES, variants_in=n, split_rows=0, missing_rate=missing, **kinds)
    want(load(said), het_haploid_calls=0, genotype_bytes_stored=genotypes, bits_per_genotype=8 * genotypes / (n * len(KEPT)))
    want(load(said), row_groups_kept=0, genotype_bytes_raw=n * ((len(KEPT) + 3) // 4))
    want(load(said), bytes_stored=sum(b for f, b in files.items() if is_chunk(f)), files=len(files))
    assert all(x == 0 for x in load(said)["dropped"].values())
    text = open(notes).read()
    all_ = size(sum(b for f, b in files.items() if is_chunk(f)))
    assert f"{100 * missing:.4g} % missing: genotypes {size(genotypes)} ({8 * genotypes / n / len(KEPT):.3g} bits each), all arrays {all_}," in text, text
    assert f"{len(KEPT)} samples, {n} variants, " in text and f"kept {len(KEPT)} of {SAMPLES} samples\n" in text, text


def hwe(counts):
    """Exact test of Wigginton, Cutler and Abecasis (2005), by all tables."""
    n, minor = sum(counts), min(2 * counts[0] + counts[1], 2 * counts[2] + counts[1])
    f = math.lgamma
    weights = {}
    for het in range(minor % 2, minor + 1, 2):
        a, b = (minor - het) // 2, n - het - (minor - het) // 2
        weights[het] = math.exp(het * math.log(2) - f(a + 1) - f(het + 1) - f(b + 1))
    seen = weights[counts[1]]
    return sum(w for w in weights.values() if w <= seen * (1 + 1e-9)) / sum(weights.values())


def dropped(vcf, said, notes):
    """gt-pack --json -s KEPT --contigs 1,2 -r 1,2:501-9000,3 --pass --min-alleles 2 --max-alleles 3 --snps --polymorphic --geno 0.2 --maf 0.1
    --mac 4 --hwe 0.3"""
    out, missing = {}, 0
    for contig, position, ref, alts, filters, calls in records(vcf):
        codes = [code(calls[i]) for i in KEPT]
        counts = [codes.count(c) for c in (0, 1, 2)]
        known = sum(counts)
        alt = counts[1] + 2 * counts[2]
        minor = min(alt, 2 * known - alt)
        seen = {a for i in KEPT for a in calls[i] if code(calls[i]) is not None}
        tests = [
            ("contigs", contig != "3"),
            ("region", contig == "1" or position >= 501),
            ("pass", filters == "PASS"),
            ("alleles", len(alts) <= 2),
            ("snps", len(ref) == 1),
            ("polymorphic", len(seen) > 1),
            ("geno", codes.count(None) / len(codes) <= 0.2),
            ("maf", known and minor / (2 * known) >= 0.1),
            ("mac", minor >= 4),
            ("hwe", hwe(counts) >= 0.3 if known else True),
        ]
        first = next((name for name, stays in tests if not stays), None)
        out[first] = out.get(first, 0) + 1
        missing += 0 if first else codes.count(None)
    left = out.pop(None)
    assert left > 5 and len(out) == 10, out
    json_ = load(said)
    want(json_, variants=left, variants_in=240, missing_rate=missing / (left * len(KEPT)))
    want(json_["dropped"], **out)
    assert sum(json_["dropped"].values()) == 240 - left, json_
    text = open(notes).read()
    assert f"kept {left} of 240 variants" in text, text
    for name, how in dict(contigs="by --contigs", region="outside the regions", maf="by --maf", hwe="by --hwe", geno="by --geno").items():
        assert f"  {out[name]} dropped {how}" in text, (name, text)


def table(vcf, keep=range(SAMPLES)):
    rows, kinds = counted(vcf, keep)
    return np.array([[np.nan if c is None else c for c in r] for r in rows]), kinds


def pdist(vcf, said, notes):
    """gt-pdist --json -m ibs --contigs all VCF"""
    g, kinds = table(vcf)
    both = ~np.isnan(g[:, :, None]) & ~np.isnan(g[:, None, :])
    shared = both.sum(0)[np.triu_indices(SAMPLES, 1)]
    del kinds["polyploid_calls"]
    want(load(said), samples=SAMPLES, variants=len(g), pairs=SAMPLES * (SAMPLES - 1) // 2, passes=1, metric="ibs", **kinds)
    want(load(said), pairs_low_overlap=int((2 * shared < len(g)).sum()), pairs_no_overlap=int((shared == 0).sum()), pairs_no_value=0)
    want(load(said), multiallelic_pooled=kinds["multiallelic"])
    text = open(notes).read()
    assert f"comparing {SAMPLES} samples (number of variants not known in advance)" in text, text
    assert f": {SAMPLES * (SAMPLES - 1) // 2} pairs, {len(g)} variants, " in text, text
    assert f": {kinds['half_calls']} half calls, read as missing" in text and f": {kinds['haploid_calls']} haploid calls counted as homozygous" in text, text


def svd(vcf, said, k, notes):
    """gt-svd --json -k K --algorithm gram of allele counts, standardised with their mean and sqrt(2p(1-p)); missing calls are the mean"""
    k = int(k)
    g = table(vcf)[0][[len(alts) == 1 for _, _, _, alts, _, _ in records(vcf)]]
    p = np.nanmean(g, 1) / 2
    used = (p > 0) & (p < 1)
    x = np.where(np.isnan(g), 2 * p[:, None], g)[used] - 2 * p[used, None]
    x /= np.sqrt(2 * p * (1 - p))[used, None]
    values = np.linalg.eigvalsh(x.T @ x)[::-1]
    s = load(said)
    want(s, samples=SAMPLES, variants=int(used.sum()), constant=int((~used).sum()), components=k, rank=k, passes=1, residual=None)
    scale = s["trace"] / values.sum()
    assert abs(scale - 1) < 1e-9 or abs(scale * used.sum() - 1) < 1e-9 or abs(scale * (SAMPLES - 1) - 1) < 1e-9, scale
    explained = float(values[:k].sum() / values.sum())
    want(s, variance_explained=explained)
    text, components = open(notes).read(), f"{k} PC{'s' if k > 1 else ''}"
    assert f"{components} of {SAMPLES} samples, {used.sum()} variants: {100 * explained:.4g} % of the variance explained (exact, " in text, text
    assert f"{(~used).sum()} monomorphic variants excluded" in text and f"only {SAMPLES} samples: these PCs may not generalise" in text, text


def info(store, said, checked):
    """gt-info --json STORE and gt-info --json --check STORE"""
    import zarr

    files = sizes(store)
    top = load(said)
    want(top, keys=len(files), bytes_stored=sum(files.values()))
    chunks = 0
    for a in top["arrays"]:
        z = zarr.open(store, mode="r")[a["path"]]
        stored = {f: b for f, b in files.items() if f.startswith(f"{store}/{a['path']}/")}
        own = [f for f in stored if is_chunk(f)]
        want(a, shape=list(z.shape), chunk_shape=list(z.chunks), chunks=math.prod(-(-n // c) for n, c in zip(z.shape, z.chunks)))
        want(a, chunks_stored=len(own), bytes_stored=sum(stored[f] for f in own))
        if z.dtype != object:
            want(a, bytes=z.size * z.dtype.itemsize)
        chunks += a["chunks"]
    c = load(checked)
    want(c, chunks=chunks, not_there=chunks - sum(a["chunks_stored"] for a in top["arrays"]), damaged=[], orphaned=[])


def rechunk(source, store, said):
    """gt-rechunk --json SOURCE -o STORE"""
    import zarr

    a, b = (sizes(x) for x in (source, store))
    names = [n for n, _ in zarr.open(source, mode="r").arrays() if n != "region_index"]  # that one is made anew
    chunks = lambda files, which: [f for f in files if is_chunk(f) and f.split("/")[-2] in which]
    s = load(said)
    want(s, arrays=len(names), chunks_read=len(chunks(a, names)), chunks_written=len(chunks(b, names)), bytes_spilled=0, ranks=1)
    want(s, bytes_read=sum(a[f] for f in chunks(a, names)), bytes_written=sum(b[f] for f in chunks(b, names)))
    want(s, chunks_kept=0, bytes_kept=0)


def plan(text, source, store):
    """gt-rechunk -n SOURCE -o STORE, and the same without -n"""
    import re

    import zarr

    lines = re.sub(" +", " ", open(text).read()).split("\n")
    a, b = (zarr.open(x, mode="r") for x in (source, store))
    n_chunks = lambda z: math.prod(-(-n // c) for n, c in zip(z.shape, z.chunks))
    sides = lambda z, n: " x ".join(f"{k * (4 if 'packed_dosage' in z.name and i == 1 else 1):,}" for i, k in enumerate(n)) or "1"
    things = lambda n: f"{n:,} chunk" + "s" * (n != 1)
    total = 0
    for name in (n for n, _ in a.arrays() if n != "region_index"):
        at = next(i for i, line in enumerate(lines) if line.startswith(f"array {name}: "))
        x, y = a[name], b[name]
        assert f"in chunks of {sides(x, x.chunks)}," in lines[at] and f"in chunks of {sides(y, y.chunks)}," in lines[at + 1], lines[at : at + 2]
        assert lines[at + 2].startswith(f" {things(n_chunks(x))} read, {things(n_chunks(y))} written: "), (lines[at + 2], n_chunks(x))
        if name != "packed_dosage":
            assert lines[at + 1].startswith(f" -> {name}: {sides(y, y.shape)} "), lines[at + 1]
        items = y.shape[0] * b["sample_id"].shape[0] if name == "packed_dosage" else y.size  # a byte each
        total += items * (y.dtype.itemsize if y.dtype != object else 4)
    made = sum(is_chunk(f) and "/region_index/" not in f for f in sizes(store))
    for line in f"passes 1|read {size(total)}, decoded|written {size(total)}, before it is encoded|spilled 0 B|chunk files {made}".split("|"):
        assert line in lines, (line, lines)


def json_has(said, *pairs):
    """KEY=NUMBER ..."""
    want(load(said), **{k: json.loads(v) for k, v in (p.split("=") for p in pairs)})


if __name__ == "__main__":
    globals()[sys.argv[1]](*sys.argv[2:])
