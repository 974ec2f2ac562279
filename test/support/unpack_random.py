"""python3 unpack_random.py SEED: a VCF of random fields, calls and sites that gt-unpack has to give back as it was, but for what
gt-unpack(1) names: no integers -1 and -2, one kind of separator in a call, FILTERs in the order of the header."""
import random
import sys

rng = random.Random(int(sys.argv[1]))
TYPES = ["Integer", "Float", "String", "Character"]
NUMBERS = ["1", "2", "3", "A", "R", "G", "."]
LETTERS = "abcXYZ0129 _-+*/|<>()[]{}%&$#@!?'\"^~`é中"


def fields(prefix, flags):
    out = []
    for i in range(rng.randrange(6)):
        kind = rng.choice(TYPES + ["Flag"] * flags)
        out.append((f"{prefix}{i}{rng.choice(['', '_x', '.y'])}", "0" if kind == "Flag" else rng.choice(NUMBERS), kind))
    return out


def integer():
    v = rng.choice([rng.randrange(10), rng.randrange(128), rng.randrange(3000), rng.randrange(40000), rng.randrange(2**31 - 1)])
    return str(-v if v > 2 and rng.random() < 0.2 else v)


def real():
    if rng.random() < 0.05:
        return rng.choice(["nan", "inf", "-inf", "0", "-0", "1e-40", "3.4e38", "1e6", "999999.5", "123456.5", "0.0001", "0.00009999995"])
    v = rng.choice([rng.random(), rng.random() * 1000, rng.randrange(100) / 4, 10 ** rng.uniform(-30, 30)])
    return rng.choice(["%.3g", "%.6g", "%.9g", "%e"]) % (-v if rng.random() < 0.2 else v)


def word(apart):
    n = rng.choice([1, 2, 5, 20]) if rng.random() < 0.97 else rng.choice([200, 5000, 70000])
    text = "".join(rng.choice(LETTERS) for _ in range(n)).replace(" ", "" if apart == ";" else "s") or "e"
    return "w" + text if text[0] in ".-" else text


def value(kind, apart):
    if rng.random() < 0.1:
        return "."
    if kind == "Integer":
        return integer()
    if kind == "Float":
        return real()
    return rng.choice("abcXYZ019+*") if kind == "Character" else word(apart)


def values(number, kind, alleles, apart):
    n = {"A": alleles - 1, "R": alleles, "G": alleles * (alleles + 1) // 2, ".": rng.randrange(1, 5)}.get(number) or int(number if number.isdigit() else 0)
    if n == 0 or rng.random() < 0.1:
        return "."
    return ",".join(value(kind, apart) for _ in range(n))


def call(alleles, ploidies):
    ploidy = rng.choice(ploidies)
    return rng.choice("/|").join("." if rng.random() < 0.1 else str(rng.randrange(alleles)) for _ in range(ploidy))


def main():
    samples = rng.choice([0, 1, 2, 5, 17, 70])
    info, form = fields("I", 1), fields("F", 0)
    has_gt, ploidies = rng.random() < 0.8, rng.choice([[2], [2], [1, 2], [1, 2, 3]])
    out = ["##fileformat=VCFv4.3"]
    contigs = [f"c{i}" for i in range(rng.randrange(1, 4))]
    out += [f"##contig=<ID={c}{rng.choice(['', ',length=100000000'])}>" for c in contigs]
    filters = ["q10", "s50", "LowQual"][: rng.randrange(4)]
    out += [f'##FILTER=<ID={f},Description="d">' for f in filters]
    out += [f'##INFO=<ID={k},Number={n},Type={t},Description="d, {k}">' for k, n, t in info]
    out += ['##FORMAT=<ID=GT,Number=1,Type=String,Description="Genotype">'] * has_gt
    out += [f'##FORMAT=<ID={k},Number={n},Type={t},Description="d">' for k, n, t in form]
    names = [f"s{i}" for i in range(samples)]
    out.append("\t".join("#CHROM POS ID REF ALT QUAL FILTER INFO".split() + (["FORMAT"] + names if samples else [])))
    for contig in contigs:
        at = 0
        for _ in range(rng.choice([0, 1, 3, 30])):
            at += rng.choice([0, 1, 50, 10000])
            alts = rng.choice([0, 1, 1, 1, 2, 3, 11])
            alleles = ["".join(rng.choice("ACGT") for _ in range(rng.choice([1, 1, 1, 2, 9, 300]))) for _ in range(alts + 1)]
            alleles = [alleles[0]] + [rng.choice([a, a, "<DEL>", "*"]) if i else a for i, a in enumerate(alleles[1:])]
            passed = [rng.choice([".", "PASS"])] if not filters or rng.random() < 0.6 else [";".join(sorted(rng.sample(filters, rng.randrange(1, len(filters) + 1)), key=filters.index))]
            kept = [f for f in info if rng.random() < 0.7]
            said = [k if t == "Flag" else f"{k}={values(n, t, alts + 1, ';')}" for k, n, t in kept]
            row = [contig, str(at + 1), rng.choice([".", f"rs{at}", f"a{at};b"]), alleles[0], ",".join(alleles[1:]) or ".", rng.choice([".", real().replace("inf", "5").replace("nan", "6").replace("-", "")])]
            row += passed + [";".join(said) or "."]
            if samples:
                keys = [f for f in form if rng.random() < 0.8]
                gt = has_gt and rng.random() < 0.9
                row.append(":".join(["GT"] * gt + [k for k, _, _ in keys]) or ".")
                for _ in names:
                    of = [call(alts + 1, ploidies)] * gt + [values(n, t, alts + 1, ":") for _, n, t in keys]
                    while len(of) > 1 and rng.random() < 0.1:
                        of.pop()
                    row.append(":".join(of) or ".")
            out.append("\t".join(row))
    print("\n".join(out))


main()
