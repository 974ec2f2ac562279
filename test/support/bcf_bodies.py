# BCF records whose INFO and FORMAT have values of every type and length, also such as no text is parsed to.
#     bcf_bodies.py              makes bodies.bcf
#     bcf_bodies.py wrong DIR    records with something wrong in them, each to gt-unpack and to gt-pack --layout vcz of DIR
import os
import shutil
import struct
import subprocess
import sys

HEAD = """##fileformat=VCFv4.3
##FILTER=<ID=PASS,Description="All filters passed">
##contig=<ID=1,length=100000>
##INFO=<ID=I,Number=.,Type=Integer,Description="i">
##INFO=<ID=F,Number=.,Type=Float,Description="f">
##INFO=<ID=S,Number=.,Type=String,Description="s">
##INFO=<ID=D,Number=0,Type=Flag,Description="d">
##FORMAT=<ID=GT,Number=1,Type=String,Description="g">
##FORMAT=<ID=FI,Number=.,Type=Integer,Description="i">
##FORMAT=<ID=FF,Number=.,Type=Float,Description="f">
##FORMAT=<ID=FS,Number=.,Type=String,Description="s">
#CHROM	POS	ID	REF	ALT	QUAL	FILTER	INFO	FORMAT	a	b
"""
KEY = {k: i + 1 for i, k in enumerate(["I", "F", "S", "D", "GT", "FI", "FF", "FS"])}
NULL, I8, I16, I32, F32, CHAR = 0, 1, 2, 3, 5, 7


def typed(type, n):
    return bytes([n << 4 | type]) if n < 15 else bytes([15 << 4 | type, 1 << 4 | I8, n])


def value(type, list):
    if type == CHAR:
        return list
    if type == F32:
        return b"".join(struct.pack("<I", x) if isinstance(x, int) else struct.pack("<f", x) for x in list)
    return b"".join(struct.pack({I8: "<b", I16: "<h", I32: "<i", NULL: "<b"}[type], x) for x in list)


def key(name):
    return bytes([1 << 4 | I8, KEY[name] if isinstance(name, str) else name])


def info(name, type, list):
    return key(name) + typed(type, len(list)) + value(type, list)


def fmt(name, type, one, two):
    return key(name) + typed(type, len(one)) + value(type, one) + value(type, two)


def record(pos, infos, fmts, alleles=(b"A", b"C", b"G")):
    shared = struct.pack("<iiifHHI", 0, pos - 1, 1, 1.5, len(infos), len(alleles), 2 | len(fmts) << 24)
    shared += b"\x07" + b"".join(typed(CHAR, len(a)) + a for a in alleles) + b"\x00" + b"".join(infos)
    indiv = b"".join(fmts)
    return struct.pack("<II", len(shared), len(indiv)) + shared + indiv


def bcf(records):
    text = HEAD.encode() + b"\0"
    return b"BCF\2\2" + struct.pack("<I", len(text)) + text + b"".join(records)


M = {I8: -128, I16: -32768, I32: -2**31}
MF, EF = 0x7F800001, 0x7F800002
GT = fmt("GT", I8, [2, 4], [4, 5])


def sound():
    n = 0
    def one(infos, fmts):
        nonlocal n
        n += 1
        return record(n, infos, fmts)
    out = [one([], []), one([], [GT])]
    for t in I8, I16, I32:
        for list in [], [0], [M[t]], [M[t] + 1], [1, M[t], -5], [M[t], M[t]], [7, 8, M[t] + 1], [M[t] + 8, 2 ** (8 * {I8: 1, I16: 2, I32: 4}[t] - 1) - 1], [3] * 15, [M[t], M[t] + 1]:
            if list != [M[t] + 1]:
                out.append(one([info("I", t, list), info("D", I8, [1])], [GT]))
            out.append(one([], [GT, fmt("FI", t, list, [*list[:-1], 9] if list else [])]))
        end = M[t] + 1
        for calls in [[2, 4], [4, 3]], [[0, 0], [0, 1]], [[4, end], [0, end]], [[2], [6]], [[2, 5, 7], [2, 4, end]], [[2, 4, 6, 1], [end, end, end, end]], [[], []], [[1, 5], [3, 2]]:
            out.append(one([], [fmt("GT", t, *calls)]))
    for list in [], [0.0], [MF], [EF], [1.5, MF, -3e-10], [MF, MF], [7.25, 1e10, EF], [float("inf"), float("-inf")], [float("nan")], [0.1] * 15, [MF, EF]:
        if list != [EF]:
            out.append(one([info("F", F32, list)], [GT]))
        out.append(one([], [GT, fmt("FF", F32, list, [*list[:-1], 0.25] if list else [])]))
    for list in b"", b"a", b"abc\0\0", b"x,y", b".", b"\x07", b",", b"q" * 20, b"a,\0":
        if list != b"\x07":  # htslib's byte for a missing string
            out.append(one([info("S", CHAR, list)], [GT]))
        out.append(one([], [GT, fmt("FS", CHAR, list, b"zz"[:len(list)].ljust(len(list), b"\0"))]))
    for name in "I", "F", "S", "D":
        out.append(one([info(name, NULL, [])], [GT]))
    for name in "FI", "FF", "FS":
        out.append(one([], [GT, fmt(name, NULL, [], [])]))
    out.append(one([info("I", I8, [1]), info("F", F32, [2.0]), info("S", CHAR, b"s")], [GT, fmt("FS", CHAR, b"ab", b"c\0"), fmt("FF", F32, [1.0], [2.0])]))
    return out


BODY, INFO, FORMAT = "1:2: INFO or FORMAT of the BCF record is damaged", "(1:2): INFO is damaged", "record 2 (1:2): a FORMAT field is damaged"
TYPE, NOT_GT = "(1:2): %s is not of the type that the header says", "record 2 (1:2): GT is not of an integer type"
ONE = typed(I8, 1) + b"\1"
WRONG = [  # INFO, FORMAT, what gt-unpack says of it, what gt-pack
    (key(99) + ONE, None, BODY, "(1:2): field number 99 is not in the header"),
    (key(255) + ONE, None, BODY, "(1:2): field number -1 is not in the header"),
    (b"\x21\1\1" + ONE, None, BODY, INFO),
    (b"\x17\1" + ONE, None, BODY, INFO),
    (b"\x14\1" + ONE, None, BODY, INFO),
    (key("I") + b"\x14\1", None, BODY, INFO),
    (key("I") + typed(I32, 14), None, BODY, INFO),
    (key("I"), None, BODY, INFO),
    (b"", None, BODY, INFO),
    (info("I", CHAR, b"1"), None, "I=1", TYPE % "variant_I"),
    (info("I", F32, [1.0]), None, "I=1", TYPE % "variant_I"),
    (info("F", I8, [1]), None, "F=1", TYPE % "variant_F"),
    (info("F", CHAR, b"1"), None, "F=1", TYPE % "variant_F"),
    (info("S", I8, [1]), None, "S=1", TYPE % "variant_S"),
    (info("S", F32, [1.0]), None, "S=1", TYPE % "variant_S"),
    (None, key(99) + ONE + b"\1", BODY, "(1:2): field number 99 is not in the header"),
    (None, key(255) + ONE + b"\1", BODY, "(1:2): field number -1 is not in the header"),
    (None, b"\x17\6" + ONE + b"\1", FORMAT, FORMAT),
    (None, key("FI") + b"\x14\1\1", FORMAT, FORMAT),
    (None, key("FI") + typed(I16, 1) + b"\1\1", "a FORMAT field is longer than its record", "a FORMAT field is longer than its record"),
    (None, key("FI"), FORMAT, FORMAT),
    (None, b"", FORMAT, FORMAT),
    (None, fmt("FI", F32, [1.0], [2.0]), "GT:FI\t0/1:1\t1|1:2", TYPE % "call_FI"),
    (None, fmt("FI", CHAR, b"1", b"2"), "GT:FI\t0/1:1\t1|1:2", TYPE % "call_FI"),
    (None, fmt("FF", I8, [1], [2]), "GT:FF\t0/1:1\t1|1:2", TYPE % "call_FF"),
    (None, fmt("FF", CHAR, b"1", b"2"), "GT:FF\t0/1:1\t1|1:2", TYPE % "call_FF"),
    (None, fmt("FS", I8, [1], [2]), "GT:FS\t0/1:1\t1|1:2", TYPE % "call_FS"),
    (None, fmt("FS", F32, [1.0], [2.0]), "GT:FS\t0/1:1\t1|1:2", TYPE % "call_FS"),
    (None, None, NOT_GT, NOT_GT),
]


def wrong(folder):
    bad = 0
    for i, (of_site, of_calls, *says) in enumerate(WRONG):
        calls = [fmt("GT", F32, [1.0, 1.0], [1.0, 1.0])] if of_site is of_calls is None else [GT]
        site = [info("I", I8, [1])] if of_site is None else [of_site]
        calls += [] if of_calls is None else [of_calls]
        with open("w.bcf", "wb") as f:
            f.write(bcf([record(1, [info("I", I8, [1])], [GT]), record(2, site, calls)]))
        for want, name, out, *args in (says[0], "gt-unpack", "w.vcf"), (says[1], "gt-pack", "w.zarr", "--layout", "vcz"):
            run = subprocess.run([folder + "/" + name, "-q", "w.bcf", "-o", out, *args], capture_output=True, text=True)
            fine = want[:3] in ("I=1", "F=1", "S=1", "GT:")
            said = open(out).read().splitlines()[-1] if fine and run.returncode == 0 else run.stderr
            if run.returncode != (0 if fine else 3) or want not in said or os.path.exists(out) != fine or run.stderr.count("\n") != (not fine):
                print(i, name, run.returncode, want, said, sep="\n")
                bad += 1
            shutil.rmtree(out, ignore_errors=True)
            if os.path.exists(out):
                os.remove(out)
    sys.exit(bad != 0)


if sys.argv[1:2] == ["wrong"]:
    wrong(sys.argv[2])
with open("bodies.bcf", "wb") as f:
    f.write(bcf(sound()))
