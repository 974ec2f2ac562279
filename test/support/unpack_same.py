"""Compares two VCFs record by record: python3 unpack_same.py A B, each the text of `bcftools view -H` or '-'.

Records are the same when their columns are, INFO as a set of KEY=VALUE and samples as maps of FORMAT
keys to values, without what is missing everywhere: an INFO field of nothing but '.', a FORMAT field that
no sample has, '.' at the end of a list that no longer says how long it was.
"""
import sys


def info_of(text):
    fields = dict(f.partition("=")[::2] for f in text.split(";") if f != ".")
    return {k: v for k, v in fields.items() if v == "" or set(v) - set(".,")}


def calls_of(columns):
    if not columns:
        return {}
    keys = columns[0].split(":")
    rows = [c.split(":") for c in columns[1:]]
    fields = {k: [r[i] if i < len(r) else "." for r in rows] for i, k in enumerate(keys)}
    return {k: v for k, v in fields.items() if any(set(x) - set(".,/|") for x in v)}


def records(path):
    with open(path) as lines:
        for line in lines:
            c = line.rstrip("\n").split("\t")
            yield c[:7], info_of(c[7]), calls_of(c[8:])


def main():
    a, b = list(records(sys.argv[1])), list(records(sys.argv[2]))
    if len(a) != len(b):
        sys.exit(f"{len(a)} records, and {len(b)}")
    for i, (x, y) in enumerate(zip(a, b)):
        if x != y:
            what = [p for p, q in zip(x, y) if p != q][0]
            other = [q for p, q in zip(x, y) if p != q][0]
            if isinstance(what, dict):
                keys = [k for k in {**what, **other} if what.get(k) != other.get(k)]
                what, other = {k: what.get(k) for k in keys}, {k: other.get(k) for k in keys}
            sys.exit(f"record {i + 1} {x[0][:2]}:\n{str(what)[:600]}\n{str(other)[:600]}")


main()
