"""The tables of gt-info --stats, counted from the text of a VCF.

python3 stats_oracle.py OF VCF TABLE [packed] [GROUPS]     OF: samples or variants; packed: the table is of a packed store
GROUPS: a file of lines "sample group"
"""
import csv
import math
import re
import sys

NOT_AUTOSOMES = {"X", "Y", "M", "MT", "23", "24", "26"}


def read(path):
    """Samples, and of each variant contig, position, id, ref, alts and calls (lists of alleles)."""
    sites = []
    for line in open(path):
        f = line.rstrip("\r\n").split("\t")
        if line.startswith("#CHROM"):
            samples = f[9:]
        elif not line.startswith("#"):
            calls = [re.split(r"[/|]", c.split(":")[0]) for c in f[9:]]
            sites.append((f[0], int(f[1]), f[2], f[3], [] if f[4] == "." else f[4].split(","), calls))
    return samples, sites


def write(path, counts):
    """A VCF of contig 1 with these numbers of ALT (variants x samples), -1 where a call is missing; samples s0, s1, ..."""
    with open(path, "w") as f:
        names = [f"s{i}" for i in range(len(counts[0]))]
        head = "##fileformat=VCFv4.2\n##contig=<ID=1>\n#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT"
        print(head, *names, sep="\t", file=f)
        for v, row in enumerate(counts):
            print(1, v + 1, ".", "A", "C", ".", ".", ".", "GT", *["./." if c < 0 else ("0/0", "0/1", "1/1")[c] for c in row], sep="\t", file=f)


def kind(call):
    """Of a call: "missing", "ref", "het" or "alt"; half calls and those of three alleles are missing."""
    if "." in call or len(call) > 2:
        return "missing"
    return "het" if len(set(call)) > 1 else "ref" if call[0] == "0" else "alt"


def alts_of(call):
    """Of two alleles; a haploid call counts as a homozygous one."""
    return sum(a != "0" for a in call) * (2 if len(call) == 1 else 1)


def het_weights(counts):
    """Of each number of heterozygotes that these allele counts allow, its probability up to a factor (Wigginton et al. 2005)."""
    n, minor = sum(counts), min(2 * counts[0] + counts[1], 2 * counts[2] + counts[1])
    f, weights = math.lgamma, {}
    for het in range(minor % 2, minor + 1, 2):
        a, b = (minor - het) // 2, n - het - (minor - het) // 2
        weights[het] = math.exp(het * math.log(2) - f(a + 1) - f(het + 1) - f(b + 1))
    return weights


def mid_p(counts):
    """Exact test of Hardy-Weinberg equilibrium by all tables (Graffelman and Moreno 2013)."""
    weights = het_weights(counts)
    seen = weights[counts[1]]
    less = sum(w for w in weights.values() if w < seen * (1 - 1e-9))
    ties = sum(w for w in weights.values() if abs(w - seen) <= seen * 1e-9)
    return (less + ties / 2) / sum(weights.values())


def ratio(a, b):
    return a / b if b else math.nan


def counts(calls, pooled):
    kinds = [kind(c) for c in calls]
    ref, het, alt, missing = (kinds.count(k) for k in ("ref", "het", "alt", "missing"))
    called = ref + het + alt
    nan = math.nan
    return {
        "called": called,
        "missing": missing,
        "missing_rate": missing / len(kinds) if kinds else 0,
        "hom_ref": ref,
        "het": nan if pooled else het,
        "hom_alt": nan if pooled else alt,
        "heterozygosity": nan if pooled else ratio(het, called),
    }


def is_tested(site):
    return len(site[4]) <= 1 and re.sub("^chr", "", site[0]) not in NOT_AUTOSOMES


def variant_row(site, at, packed):
    calls = [site[5][i] for i in at]
    known = [c for c in calls if kind(c) != "missing"]
    row = counts(calls, packed and len(site[4]) > 1)
    alt = sum(map(alts_of, known))
    row["alt_frequency"] = ratio(alt, 2 * len(known))
    row["maf"] = ratio(min(alt, 2 * len(known) - alt), 2 * len(known))
    three = [sum(alts_of(c) == k for c in known) for k in range(3)]
    row["hwe"] = mid_p(three) if is_tested(site) and known else math.nan
    return row


def sample_row(i, sites, at, packed):
    apart = [packed and len(s[4]) > 1 for s in sites]
    row = counts([s[5][i] for s, p in zip(sites, apart) if not p], False)
    pooled = [kind(s[5][i]) for s, p in zip(sites, apart) if p]
    called = len(pooled) - pooled.count("missing")
    row["called"] += called
    row["missing"] += pooled.count("missing")
    row["missing_rate"] = row["missing"] / len(sites) if sites else 0
    row["multiallelic"] = called
    row["f_sites"] = row["hom"] = expected = 0
    for s in filter(is_tested, sites):
        known = [s[5][k] for k in at if kind(s[5][k]) != "missing"]
        p = ratio(sum(map(alts_of, known)), 2 * len(known))
        if kind(s[5][i]) != "missing" and 0 < p < 1:
            row["f_sites"] += 1
            row["hom"] += kind(s[5][i]) != "het"
            expected += 1 - 2 * p * (1 - p)
    row["expected_hom"] = expected
    row["f"] = ratio(row["hom"] - expected, row["f_sites"] - expected)
    return row


def rows(of, path, packed=False, groups=None):
    samples, sites = read(path)
    named = {}
    if groups:
        for line in open(groups):
            sample, group = line.split()
            named.setdefault(group, []).append(sample)
    split = {g: sorted(samples.index(s) for s in names) for g, names in named.items()} or {None: list(range(len(samples)))}
    if of == "samples":
        for g, at in split.items():
            for i in at:
                yield {"sample": samples[i], **({"group": g} if groups else {}), **sample_row(i, sites, at, packed)}
    else:
        for s in sites:
            for g, at in split.items():
                head = {"contig": s[0], "position": s[1], "id": s[2], "ref": s[3], "alt": ",".join(s[4]) or "."}
                yield {**head, **({"group": g} if groups else {}), **variant_row(s, at, packed)}


def same(said, wanted):
    if isinstance(wanted, float):
        value = float(said)
        return math.isnan(value) if math.isnan(wanted) else abs(value - wanted) <= 2e-9 * max(1, abs(wanted))
    return said == str(wanted)


def check(of, path, table, *more):
    packed = "packed" in more
    groups = next((m for m in more if m != "packed"), None)
    got, want = list(csv.DictReader(open(table), delimiter="\t")), list(rows(of, path, packed, groups))
    assert len(got) == len(want), (len(got), len(want))
    for g, w in zip(got, want):
        assert list(g) == list(w), (list(g), list(w))
        for name, value in w.items():
            assert same(g[name], value), (w, name, g[name], value)


if __name__ == "__main__":
    check(*sys.argv[1:])
