"""Inputs of forms that are rare but valid, made from known calls; the commands have to read these calls.

python3 rare_inputs.py       files are made in the working directory
"""
import gzip
import random
import shutil
import subprocess

from selection_oracle import SAMPLES, code, make, records, run, write

rng = random.Random(2)
SITES = [s for s in make(rng, 1) if rng.random() < 0.3]
SITES = [(c, p, i, r, a, f, [x if len(x) == 2 and "." not in x else ["0", "1"] if len(x) == 1 else [".", "."] for x in calls]) for c, p, i, r, a, f, calls in SITES]
WANTED = SAMPLES, [(c, p, i, [code(x) for x in calls]) for c, p, i, _, _, _, calls in SITES]


def expect(path, wanted=WANTED):
    for command in (["gt-unpack", "-q", "-O", "vcf", path], ["gt-pack", "-q", path, "-o", "out.tar", "-f"]):
        text = run(*command)
        if command[0] == "gt-pack":
            text = run("gt-unpack", "-q", "-O", "vcf", "out.tar")
        got = records(text)
        assert got == wanted, (path, command, got[0], [(a, b) for a, b in zip(got[1], wanted[1]) if a != b][:2], len(got[1]))


def lines(path):
    return open(path).read().splitlines()


def put(path, text, newline="\n", last=True):
    body = newline.join(text) + (newline if last else "")
    (gzip.open(path, "wt", newline="") if path.endswith(".gz") else open(path, "w", newline="")).write(body)


# Each changes the lines of a text: with what line ends, and whether the last line has one.
ENDS = {"crlf": ("\r\n", True), "open": ("\n", False), "crlfopen": ("\r\n", False)}


def vcf():
    write("x.vcf", SITES)
    text = lines("x.vcf")
    head, body = [l for l in text if l[0] == "#"], [l for l in text if l[0] != "#"]
    for name, (end, last) in ENDS.items():
        for suffix in ".vcf", ".vcf.gz":
            put(name + suffix, text, end, last)
            expect(name + suffix)
    put("empty.vcf", text + [""])
    expect("empty.vcf")
    put("bom.vcf", ["\ufeff" + text[0]] + text[1:])
    # a header line of its own between, FORMAT keys behind GT that end early, GT with lower ploidy separators
    more = [l + "\tGT:DP:GQ\t" + "\t".join(c + rng.choice([":3:4", ":3", ""]) for c in calls) for l, calls in
            (("\t".join(l.split("\t")[:8]), l.split("\t")[9:]) for l in body)]
    put("short.vcf", head[:1] + ["##source=a \"quoted, text\" <x>", "##FORMAT=<ID=DP,Number=1,Type=Integer,Description=\"x, y > z\">",
                                 "##FORMAT=<ID=GQ,Number=1,Type=Integer,Description=\"\">"] + head[1:] + more)
    expect("short.vcf")
    phased = [l.split("\t")[:9] + [c.replace("/", rng.choice("/|")) for c in l.split("\t")[9:]] for l in body]
    put("phased.vcf", head + ["\t".join(f) for f in phased])
    expect("phased.vcf")


def bed(prefix="b"):
    run("gt-unpack", "-q", "-f", "x.vcf", "-o", prefix + ".bed")
    bim, fam = lines(prefix + ".bim"), lines(prefix + ".fam")
    for name, (end, last) in ENDS.items():
        put(prefix + ".bim", bim, end, last)
        put(prefix + ".fam", fam, end, last)
        expect(prefix + ".bed")
    for apart in " ", "  ", "\t \t":
        put(prefix + ".bim", [apart.join(l.split()) for l in bim])
        put(prefix + ".fam", [apart.join(l.split()) for l in fam])
        expect(prefix + ".bed")
    put(prefix + ".bim", ["  " + l + "  " for l in bim])
    put(prefix + ".fam", ["  " + l + "\t" for l in fam])
    expect(prefix + ".bed")
    put(prefix + ".bim", bim + [""])
    put(prefix + ".fam", fam + [""])
    expect(prefix + ".bed")
    cm = [l.split() for l in bim]
    put(prefix + ".bim", ["\t".join([*f[:2], rng.choice(["1e-3", "-0.5", "12", "0.000001"]), *f[3:]]) for f in cm])
    put(prefix + ".fam", ["\t".join([*f[:5], rng.choice(["-9", "1.5e3", "NA", "2"])]) for f in (l.split() for l in fam)])
    expect(prefix + ".bed")


def pgen():
    run("gt-unpack", "-q", "-f", "x.vcf", "-o", "p.pgen")
    pvar = [l for l in lines("p.pvar") if not l.startswith("##")]
    columns = [l.split("\t") for l in pvar]
    at = {name: k for k, name in enumerate(columns[0])}
    short = [[f[at[n]] for n in ("#CHROM", "POS", "ID", "REF", "ALT")] for f in columns]
    put("p.psam", ["#IID", *SAMPLES])
    for name, (end, last) in ENDS.items():
        put("p.pvar", ["\t".join(f) for f in short], end, last)
        put("p.psam", ["#IID", *SAMPLES], end, last)
        expect("p.pgen")
    full = [["#CHROM", "POS", "ID", "REF", "ALT", "QUAL", "FILTER", "INFO", "CM"]] + [f + [".", "PASS", "A=1;B", "0.5"] for f in short[1:]]
    put("p.pvar", ["##comment=x", "##INFO=<ID=A,Number=1,Type=Integer,Description=\"x\">"] + ["\t".join(f) for f in full])
    put("p.psam", ["##comment", "#FID\tIID\tSID\tPAT\tMAT\tSEX\tp1\tp 2"] + [f"f{i}\t{s}\t1\t0\t0\t{rng.choice('12')}\t-9\tNA" for i, s in enumerate(SAMPLES)])
    expect("p.pgen")
    put("p.pvar", ["\t".join(f) for f in short])
    put("p.psam", ["#IID\tSEX\tcase"] + [f"{s}\tNA\t1" for s in SAMPLES])
    expect("p.pgen")
    bim = [f"{f[0]}\t{f[2]}\t0\t{f[1]}\t{f[4]}\t{f[3]}" for f in short[1:]]  # without a header: a .bim and a .fam
    put("p.pvar", bim)
    put("p.psam", [f"0\t{s}\t0\t0\t0\t-9" for s in SAMPLES])
    expect("p.pgen")
    if not shutil.which("zstd"):
        return
    subprocess.run(["zstd", "-q", "-f", "p.pvar", "-o", "p.pvar.zst"], check=True)
    subprocess.run(["rm", "p.pvar"], check=True)
    expect("p.pgen")


def eigenstrat():
    calls = [["9" if code(c) is None else str(2 - code(c)) for c in s[6]] for s in SITES]
    put("e.geno", ["".join(c) for c in calls])
    snp = [f"{s[2]} {s[0]} 0.{k:03d} {s[1]} {s[3][0]} C" for k, s in enumerate(SITES)]
    ind = [f"{s} {'MFU'[i % 3]} pop" for i, s in enumerate(SAMPLES)]
    for name, (end, last) in ENDS.items():
        put("e.geno", ["".join(c) for c in calls], end, last)
        put("e.snp", snp, end, last)
        put("e.ind", ind, end, last)
        expect("e.geno")
    put("e.snp", ["    " + "\t".join(l.split()) + "  " for l in snp])
    put("e.ind", ["\t" + "   ".join(l.split()) + " " for l in ind])
    expect("e.geno")


if __name__ == "__main__":
    for check in (vcf, bed, pgen, eigenstrat):
        check()
