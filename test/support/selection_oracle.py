"""Options of selection together: the samples, variants and calls that they leave, by the order that gt-utils(7) gives, counted from the
text of a VCF and compared with the commands.

python3 selection_oracle.py sets SEED         sets of options in which each pair occurs, of all commands and kinds of input
python3 selection_oracle.py pipes SEED N      N pairs: gt-pack A | gt-pack B and gt-pack A B, where B comes later in the order
Files are made in the working directory.
"""
import itertools
import json
import random
import re
import subprocess
import sys

import numpy as np

from stats_oracle import het_weights

SAMPLES = [f"s{i}" for i in range(14)]


# --- data -------------------------------------------------------------------------------


def make(rng, most_alts):
    """Variants (contig, position, id, ref, alts, filter, calls) in order, some of them twice."""
    sites = []
    for contig in "123":
        position = 0
        for v in range(60):
            position += rng.choice([0, 1, 2, 10, 40])
            position = max(position, 1)
            alts = "CGT"[: rng.choices((1, 2, 3), (8, 1, 1))[0]] if most_alts > 1 else "C"
            rate, gaps = rng.choice([0, 0.02, 0.1, 0.3, 0.5, 0.9, 1]), rng.choice([0, 0, 0.1, 0.3])
            calls = []
            for _ in SAMPLES:
                ploidy = 1 if rng.random() < 0.04 else 2
                call = [str(rng.randint(1, len(alts))) if rng.random() < rate else "0" for _ in range(ploidy)]
                if rng.random() < gaps:
                    call = ["."] * ploidy
                elif ploidy == 2 and rng.random() < 0.03:
                    call[rng.randrange(2)] = "."
                calls.append(call)
            ref = rng.choice(["A", "A", "A", "AT", "ATTGA"])
            sites.append((contig, position, f"{contig}v{v}", ref, list(alts), rng.choice(["PASS", "PASS", "q10", "."]), calls))
            if rng.random() < 0.1:
                sites.append((contig, position, f"{contig}v{v}b", ref, list(alts)[::-1], "PASS", calls[::-1]))
    return sites


def write(name, sites):
    with open(name, "w") as f:
        print('##fileformat=VCFv4.2\n##FILTER=<ID=q10,Description="x">', file=f)
        for contig in "123":
            print(f"##contig=<ID={contig},length=9000>", file=f)
        print('##FORMAT=<ID=GT,Number=1,Type=String,Description="x">', file=f)
        print("#CHROM", "POS", "ID", "REF", "ALT", "QUAL", "FILTER", "INFO", "FORMAT", *SAMPLES, sep="\t", file=f)
        for contig, position, id_, ref, alts, passed, calls in sites:
            print(contig, position, id_, ref, ",".join(alts), ".", passed, ".", "GT", *map("/".join, calls), sep="\t", file=f)


def code(call):
    return None if "." in call else sum(a != "0" for a in call) * (2 if len(call) == 1 else 1)


# --- what the options mean -----------------------------------------------------------------


def hwe(counts):
    """Exact test of Wigginton, Cutler and Abecasis (2005), by all tables."""
    weights = het_weights(counts)
    return sum(w for w in weights.values() if w <= weights[counts[1]] * (1 + 1e-9)) / sum(weights.values())


class State:
    def __init__(self, sites):
        self.distinct = False
        self.sites, self.variants, self.samples = sites, list(range(len(sites))), list(range(len(SAMPLES)))

    def keep(self, test):
        self.variants = [v for v in self.variants if test(self.sites[v])]

    def codes(self, site):
        return [code(site[6][s]) for s in self.samples]

    def keep_counts(self, test):
        def passes(site):
            codes = self.codes(site)
            counts = [codes.count(k) for k in range(3)]
            return test(counts, codes.count(None))

        self.keep(passes)


def python_slice(text):
    return slice(*(int(p) if p else None for p in text.split(":")))


def do_slice(state, text):
    rows, columns = map(python_slice, text.split(","))
    state.variants, state.samples = state.variants[rows], state.samples[columns]


def do_samples(state, text):
    names = text.lstrip("^").split(",")
    if text[0] == "^":
        state.samples = [s for s in state.samples if SAMPLES[s] not in names]
    else:
        state.samples = [s for name in names for s in state.samples if SAMPLES[s] == name]


def do_regions(state, text, overlap):
    def inside(site):
        for region in text.split(","):
            contig, _, range_ = region.partition(":")
            first, _, last = range_.partition("-")
            low, high = int(first or 1), int(last or (1 << 40 if "-" in range_ or not range_ else first))
            begin, end = site[1], site[1] + (0 if overlap == "pos" else len(site[3]) - 1)
            if site[0] == contig and begin <= high and end >= low:
                return True
        return False

    state.keep(inside)


def do_polymorphic(state):
    state.keep(lambda site: len({a for s in state.samples if code(site[6][s]) is not None for a in site[6][s]}) > 1)


def do_mind(state, most, distinct):
    """distinct: --rm-dup is given too, duplicates count once."""
    other = State(state.sites)
    other.variants = state.variants
    if distinct:
        do_dup(other)
    n = len(other.variants)
    state.samples = [s for s in state.samples if sum(code(state.sites[v][6][s]) is None for v in other.variants) / max(n, 1) <= most]


def do_dup(state):
    seen, kept = set(), []
    for v in state.variants:
        contig, position, _, ref, alts = state.sites[v][:5]
        key = contig, position, ref, tuple(sorted(alts))
        if key not in seen:
            kept.append(v)
        seen.add(key)
    state.variants = kept


def do_space(state, n):
    last, kept = None, []
    for v in state.variants:
        contig, position = state.sites[v][:2]
        if last is None or last[0] != contig or position - last[1] >= n:
            kept.append(v)
            last = contig, position
    state.variants = kept


def minor(counts):
    alt = counts[1] + 2 * counts[2]
    return min(alt, 2 * sum(counts) - alt)


def choose(rng, sites):
    """Each option by name: its stage in the order, arguments, and what it does to a state."""
    names = rng.sample(SAMPLES, rng.randint(7, 12))
    ids = [s[2] for s in sites]
    some = rng.sample(ids, 2 * len(ids) // 3)
    text = ",".join(names)
    listed = rng.choice(["-s", "-S"])
    except_ = "^" if rng.random() < 0.3 else ""
    open("samples.list", "w").write("\n".join(names) + "\n")
    open("ids.list", "w").write("\n".join(some) + "\n")
    if except_:
        names = names[:4]
        text = ",".join(names)
        open("samples.list", "w").write("\n".join(names) + "\n")
    region = rng.choice(["1:50-700,3", "2,1:1-300", "3:100-,1:20-90", "2:400-1200,3:1-1000"])
    overlap = rng.choice(["pos", "record"])
    cut = rng.choice(["::2,:", "10:,:12", ":-20,::1", "5::3,1:13", ":,:-1", "-150:,2:"])
    n, f = rng.choice([2, 3]), rng.choice([0.1, 0.2])
    space, maf, least = rng.choice([2, 10, 30]), rng.choice([0.05, 0.1, 0.3]), rng.choice([1, 2, 4])
    p, missing = rng.choice([0.05, 0.3]), rng.choice([0.1, 0.2])
    inside = set(some)
    return {
        "slice": (0, ["--slice", cut], lambda s: do_slice(s, cut)),
        "samples": (1, [listed, except_ + (text if listed == "-s" else "samples.list")], lambda s: do_samples(s, except_ + text)),
        "thin": (2, ["--thin", str(n)], lambda s: setattr(s, "variants", [v for v in s.variants if v % n == 0])),
        "contigs": (3, ["--contigs", "1,3"], lambda s: s.keep(lambda x: x[0] != "2")),
        "not-chr": (3, ["--not-chr", "1"], lambda s: s.keep(lambda x: x[0] != "1")),
        "region": (3, ["-r", region, "--regions-overlap", overlap], lambda s: do_regions(s, region, overlap)),
        "extract": (3, ["--extract", "ids.list"], lambda s: s.keep(lambda x: x[2] in inside)),
        "exclude": (3, ["--exclude", "ids.list"], lambda s: s.keep(lambda x: x[2] not in inside)),
        "pass": (3, ["--pass"], lambda s: s.keep(lambda x: x[5] == "PASS")),
        "max-alleles": (3, ["--max-alleles", "3"], lambda s: s.keep(lambda x: len(x[4]) <= 2)),
        "biallelic": (3, ["--biallelic"], lambda s: s.keep(lambda x: len(x[4]) == 1)),
        "snps": (3, ["--snps"], lambda s: s.keep(lambda x: len(x[3]) == 1)),
        "mind": (4, ["--mind", str(f)], lambda s: do_mind(s, f, s.distinct)),
        "polymorphic": (5, ["--polymorphic"], do_polymorphic),
        "geno": (5, ["--geno", str(missing)], lambda s: s.keep_counts(lambda c, gone: gone <= missing * (sum(c) + gone) + 1e-12)),
        "maf": (5, ["--maf", str(maf)], lambda s: s.keep_counts(lambda c, _: sum(c) and minor(c) / (2 * sum(c)) >= maf - 1e-12)),
        "mac": (5, ["--mac", str(least)], lambda s: s.keep_counts(lambda c, _: minor(c) >= least)),
        "hwe": (5, ["--hwe", str(p)], lambda s: s.keep_counts(lambda c, _: not sum(c) or hwe(c) >= p)),
        "rm-dup": (6, ["--rm-dup", "force-first"], do_dup),
        "bp-space": (7, ["--bp-space", str(space)], lambda s: do_space(s, space)),
    }


def sets_of(rng, names, size=4):
    """Sets of options in which each pair occurs."""
    left = {frozenset(p) for p in itertools.combinations(names, 2)} - {frozenset(("extract", "exclude"))}
    while left:
        best = []
        for _ in range(20):
            chosen = list(rng.choice(sorted(map(sorted, left))))
            chosen += rng.sample([n for n in names if n not in chosen], size - 2)
            if "extract" in chosen and "exclude" in chosen:
                continue
            best.append((sum(frozenset(p) in left for p in itertools.combinations(chosen, 2)), chosen))
        chosen = max(best)[1] if best else None
        if chosen:
            left -= {frozenset(p) for p in itertools.combinations(chosen, 2)}
            yield chosen


# --- the commands -----------------------------------------------------------------------------


def run(*args, data=None):
    done = subprocess.run(args, input=data, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60)
    assert done.returncode == 0, (args, done.returncode, done.stderr.decode())
    return done.stdout


def records(text):
    """Samples, and (contig, position, id, counts of ALT) of the VCF's records."""
    rows, samples = [], []
    for line in text.decode().split("\n"):
        f = line.split("\t")
        if line.startswith("#CHROM"):
            samples = f[9:]
        elif line and line[0] != "#":
            rows.append((f[0], int(f[1]), f[2], [code(re.split("[/|]", c.split(":")[0])) for c in f[9:]]))
    return samples, rows


def wanted(state):
    sites = [state.sites[v] for v in state.variants]
    return [SAMPLES[s] for s in state.samples], [(s[0], s[1], s[2], state.codes(s)) for s in sites]


def check_vcf(args, path, state):
    got, want = records(run("gt-unpack", "-q", *args, "-O", "vcf", path)), wanted(state)
    assert got[0] == want[0], (got[0], want[0])
    assert got == want, [(a, b) for a, b in zip(got[1], want[1]) if a != b][:2]


def check_pack(args, path, state):
    text = run("gt-pack", "-q", "-f", "--layout", "vcz", "--json", *args, path, "-o", "packed.zarr")
    said = json.loads(text[text.index(b"{") :])
    assert (said["samples"], said["variants"]) == (len(state.samples), len(state.variants)), said
    assert records(run("gt-unpack", "-q", "-O", "vcf", "packed.zarr")) == wanted(state)


def check_info(args, path, state):
    samples, rows = wanted(state)
    table = [line.split("\t") for line in run("gt-info", "-q", "--stats", "variants", *args, path).decode().split("\n")[1:-1]]
    assert [(t[0], int(t[1]), t[2]) for t in table] == [r[:3] for r in rows]
    assert [int(t[6]) for t in table] == [r[3].count(None) for r in rows]
    table = [line.split("\t") for line in run("gt-info", "-q", "--stats", "samples", *args, path).decode().split("\n")[1:-1]]
    assert [(t[0], int(t[2])) for t in table] == [(s, sum(r[3][i] is None for r in rows)) for i, s in enumerate(samples)]


def check_pdist(args, path, state):
    samples, rows = wanted(state)
    x = np.array([[np.nan if c is None else c for c in r[3]] for r in rows]).reshape(len(rows), len(samples))
    out = run("gt-pdist", "-q", "-m", "ibs", "-O", "pairs", *args, path).decode().split("\n")[1:-1]
    got = {tuple(line.split("\t")[:2]): line.split("\t")[2:] for line in out}
    assert len(got) == len(samples) * (len(samples) - 1) // 2
    for i, j in itertools.combinations(range(len(samples)), 2):
        both = ~np.isnan(x[:, i]) & ~np.isnan(x[:, j])
        value, n = got.get((samples[i], samples[j])) or got[samples[j], samples[i]]
        assert int(n) == both.sum(), (samples[i], samples[j], n, both.sum())
        if both.any():
            assert abs(float(value) - (1 - np.abs(x[both, i] - x[both, j]).sum() / (2 * both.sum()))) < 1e-9


def check_svd(args, path, state):
    sites = [state.sites[v] for v in state.variants]
    counts = [[c for c in state.codes(s) if c is not None] for s in sites]
    used = [c for c in counts if c and 0 < sum(c) < 2 * len(c)]
    if len(state.samples) < 2 or len(used) < 2:
        return
    text = run("gt-svd", "-q", "-f", "--json", "-k", "1", "--algorithm", "gram", *args, path, "-o", "svd")
    said = json.loads(text[text.index(b"{") :])
    assert (said["samples"], said["variants"], said["constant"]) == (len(state.samples), len(used), len(sites) - len(used)), (said, len(used), len(sites))


CHECKS = [check_vcf, check_pack, check_info, check_pdist, check_svd]


def apply(state, chosen, options):
    state.distinct = "rm-dup" in chosen
    for name in sorted(chosen, key=lambda n: options[n][0]):
        options[name][2](state)


def sets(seed):
    rng = random.Random(int(seed))
    sites = make(rng, 3)
    write("x.vcf", sites)
    run("gt-unpack", "-q", "x.vcf", "-O", "vcf", "-o", "x.vcf.gz")
    run("gt-unpack", "-q", "x.vcf", "-o", "x.bcf")
    run("gt-pack", "-q", "--chunks", "variants=16,samples=4", "x.vcf", "-o", "x.zarr")
    run("gt-pack", "-q", "--layout", "vcz", "--chunks", "variants=32,samples=8", "x.vcf", "-o", "x.vcz")
    trials = empty = 0
    for k, chosen in enumerate(sets_of(rng, list(choose(rng, sites)))):
        options = choose(rng, sites)
        state = State(sites)
        apply(state, chosen, options)
        args = [a for name in chosen for a in options[name][1]]
        if not state.samples or not state.variants:
            empty += 1
            continue
        for j, check in enumerate(CHECKS):
            path = ["x.vcf", "x.vcf.gz", "x.bcf", "x.vcz", "x.zarr"][(k + j) % 5]
            if path == "x.zarr" and "polymorphic" in chosen:  # which ALT a call has is not known
                path = "x.vcz"
            if path == "x.zarr" and check is check_vcf or path[-5:] in ("x.vcz", ".zarr") and check is check_pack:  # nor written as calls
                path = "x.vcf.gz"
            try:
                if check is check_svd:  # leaves out multiallelic sites
                    state = State(sites)
                    apply(state, {*chosen, "biallelic"}, options)
                check(args, path, state)
            except AssertionError:
                print(check.__name__, " ".join(args), path, flush=True)
                raise
            trials += 1
    assert trials > 20 and empty < trials, (trials, empty)


def pipes(seed, n):
    rng = random.Random(int(seed))
    sites = make(rng, 1)
    write("y.vcf", sites)
    for _ in range(int(n)):
        options = choose(rng, sites)
        a, b = sorted(rng.sample(list(options), 2), key=lambda name: options[name][0])
        state = State(sites)
        apply(state, [a, b], options)
        if options[a][0] == options[b][0] == 3 and {a, b} == {"extract", "exclude"} or not state.variants or not state.samples:
            continue
        first, second = options[a][1], options[b][1]
        both = run("gt-pack", "-q", "--no-version", *first, *second, "y.vcf")
        piped = run("gt-pack", "-q", "--no-version", *second, "-", data=run("gt-pack", "-q", "--no-version", *first, "y.vcf"))
        one, two = (records(run("gt-unpack", "-q", "-O", "vcf", "-", data=d)) for d in (both, piped))
        assert one == two == wanted(state), (first, second, len(one[1]), len(two[1]), len(state.variants))


if __name__ == "__main__":
    globals()[sys.argv[1]](*sys.argv[2:])
