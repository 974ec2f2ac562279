"""Haploid data, and what numpy says of it: python3 ploidy.py COMMAND ...

write SAMPLES VARIANTS SEED   a haploid VCF on standard output, some calls missing
pdist METRIC [OPTION...]      gt-pdist of h.vcf against its definition on one allele, to 1e-12
svd SCALE ALGORITHM           gt-svd of h.vcf against numpy's SVD
stats FILE                    rows of `gt-info --stats variants` against counts of h.vcf
"""
import random
import subprocess
import sys

import numpy as np


def write(samples, variants, seed):
    random.seed(int(seed))
    samples = int(samples)
    print("##fileformat=VCFv4.2\n##contig=<ID=NC_000962.3,length=4411532>")
    print('##FORMAT=<ID=GT,Number=1,Type=String,Description="g">')
    print("#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\t" + "\t".join("s%d" % s for s in range(samples)))
    for v in range(int(variants)):
        p = random.choice([0, 0.05, 0.3, 0.6, 1])
        calls = ["." if random.random() < 0.02 else str(int(random.random() < p)) for _ in range(samples)]
        print("NC_000962.3\t%d\tv%d\tA\tC\t.\t.\t.\tGT\t%s" % (10 * v + 1, v, "\t".join(calls)))


def genotypes():
    rows = [line.split("\t")[9:] for line in open("h.vcf").read().splitlines() if line[0] != "#"]
    return np.array([[-1 if call == "." else int(call) for call in row] for row in rows])


def frequencies(g):
    known = g >= 0
    return np.where(known, g, 0).sum(1) / known.sum(1)


def expected(metric, g, ignore):
    known = g >= 0
    both = known[:, :, None] & known[:, None, :]
    n = both.sum(0)
    differ = ((g[:, :, None] != g[:, None, :]) & both).sum(0)
    f = frequencies(g)
    used = (f > 0) & (f < 1)
    x = np.where(known, g - f[:, None], 0)[used]
    variance = (f * (1 - f))[used]
    same = 1 - differ / n
    mean = same[np.triu_indices(len(n), 1)].mean()
    return {
        "mismatches": differ * (1 if ignore else len(g) / n),
        "allele-count": differ * (1 if ignore else len(g) / n),
        "cityblock": differ * (1 if ignore else len(g) / n),
        "ibs": same,
        "1-ibs": 1 - same,
        "ibs-prob": same,
        "ibs0": differ / n,
        "hamming": differ / n,
        "grm": (x / variance[:, None]).T @ x / n,
        "grm-vanraden": x.T @ x / (both[used] * variance[:, None, None]).sum(0),
        "weir-goudet": (same - mean) / (1 - mean),
    }[metric]


def pdist(metric, *options):
    g = genotypes()
    subprocess.check_call(["gt-pdist", "-q", "-m", metric, "-O", "npy", "-f", "-o", "d.npy", *options, "h.vcf"])
    pairs = np.triu_indices(g.shape[1], 1)
    np.testing.assert_allclose(np.load("d.npy")[pairs], expected(metric, g, "ignore" in options)[pairs], rtol=0, atol=1e-9)


def svd(scale, algorithm):
    g = genotypes()
    f = frequencies(g)
    used = f > 0 if scale == "none" else (f > 0) & (f < 1)
    divisor = np.sqrt(f * (1 - f)) if scale in ("binomial", "patterson", "standard") else np.ones(len(f))
    x = np.where(g >= 0, g - (0 if scale == "none" else f[:, None]), 0)[used] / divisor[used, None]
    command = ["gt-svd", "-q", "-k", "5", "--scale", scale, "--algorithm", algorithm, "-f", "-o", "svd.zarr", "h.vcf"]
    subprocess.check_call(command + (["--oversample", "25"] if algorithm == "compressed" else []))
    import zarr

    got = zarr.open("svd.zarr", "r")
    u, s, v = np.linalg.svd(x, full_matrices=False)
    rtol = 1e-3 if algorithm == "compressed" else 1e-7
    np.testing.assert_allclose(got["singular_value"][:], s[:5], rtol=rtol)
    dots = np.abs((got["sample_component"][:] * v[:5].T).sum(0))
    np.testing.assert_allclose(dots, 1, atol=10 * rtol)
    if "variant_mean" in got:
        np.testing.assert_allclose(got["variant_mean"][:], f[used], rtol=1e-12)


def stats(path):
    lines = [line.split("\t") for line in open(path).read().splitlines()]
    g = genotypes()
    assert len(lines) == len(g) + 1
    for line, row in zip(lines[1:], g):
        s = dict(zip(lines[0], line))
        n, alt = (row >= 0).sum(), (row == 1).sum()
        assert (int(s["called"]), int(s["missing"])) == (n, len(row) - n), s
        assert (int(s["hom_ref"]), int(s["hom_alt"])) == (n - alt, alt), s
        assert {s["het"], s["heterozygosity"], s["hwe"]} == {"nan"}, s
        assert abs(float(s["alt_frequency"]) - alt / n) < 1e-9 and abs(float(s["maf"]) - min(alt, n - alt) / n) < 1e-9, s


{"write": write, "pdist": pdist, "svd": svd, "stats": stats}[sys.argv[1]](*sys.argv[2:])
