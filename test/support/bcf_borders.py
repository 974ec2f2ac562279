"""Values at the borders of BCF's types.

    bcf_borders.py vcf            a VCF of them
    bcf_borders.py same A B       fails unless two BCF files have the same records, byte by byte
"""
import gzip
import struct
import sys

INTS = [-2147483640, -32761, -32760, -32759, -129, -121, -120, -119, -1, 0, 127, 128, 32767, 32768, 2147483647]
COUNTS = [1, 2, 14, 15, 16, 127, 128]


def header():
    yield "##fileformat=VCFv4.3"
    for name in ["1"] + ["c%d" % i for i in range(130)]:
        yield "##contig=<ID=%s>" % name
    for i in range(20):
        yield '##FILTER=<ID=f%d,Description="x">' % i
    fields = [("INFO=<ID=pad%d" % i, 1, "Integer") for i in range(110)]
    fields += [("INFO=<ID=II", ".", "Integer"), ("INFO=<ID=IF", ".", "Float"), ("INFO=<ID=IS", ".", "String"), ("INFO=<ID=FL", 0, "Flag")]
    fields += [("FORMAT=<ID=GT", 1, "String"), ("FORMAT=<ID=FS", ".", "String"), ("FORMAT=<ID=FF", ".", "Float"), ("FORMAT=<ID=FI", ".", "Integer")]
    for start, number, kind in fields:
        yield '##%s,Number=%s,Type=%s,Description="x">' % (start, number, kind)
    yield "#CHROM POS ID REF ALT QUAL FILTER INFO FORMAT a b c".replace(" ", "\t")


def records():
    """(CHROM, ID, REF, ALT, QUAL, FILTER, INFO, FORMAT and calls)"""
    gt = "GT 0/1 1|0 ./."
    for v in INTS:
        for info in "II=%d" % v, "II=%d,.,1;FL" % v, "pad%d=%d" % (abs(v) % 110, v):
            yield "1", ".", "A", "C", ".", ".", info, gt
        yield "1", ".", "A", "C", ".", ".", ".", "GT:FI 0/0:%d 1|1:1 .:." % v
        yield "1", ".", "A", "C", ".", ".", ".", "GT:FI 0:1,.,%d 1|1:. ./1:.,2" % v
    for n in COUNTS:
        floats = ",".join("%.2g" % (i / 8) for i in range(n))
        yield "1", ".", "A", "C", ".", ".", "II=%s;IF=%s" % (",".join(["7"] * n), floats), gt
        yield "1", ".", "A", "C", ".", ".", ".", "GT:FF:FI 0/0:.:%s 1:%s:. ./.:1e30:1,2" % (",".join(["300"] * n), floats)
        yield "1", ".", "A", "C", ".", ".", "FL", "GT %s 0|1 ." % "/".join(["1"] * min(n, 16))
        yield "1", "i" * n, "A" * n, "C" * n + ",G", ".", ";".join("f%d" % i for i in range(min(n, 20))), ".", gt
    for n in COUNTS + [32767, 32768]:
        yield "1", ".", "A", "C", ".", ".", "IS=" + "x" * n, "GT:FS:FI 0/1:%s:3 0/0:.:. 1/1:z,w:1" % ("y" * n)
        yield "1", ".", "A", "C", ".", ".", "IS=a,%s;FL" % ("b" * n), gt
    for n in 1, 2, 61, 62, 63, 64, 126, 127, 128:
        yield "1", ".", "A", ",".join("A" * (i + 2) for i in range(n)), ".", ".", ".", "GT 0/%d %d|%d %d/." % (n, n, n - 1, n)
    for contig in "c0", "c125", "c126", "c127", "c129":
        yield contig, ".", "A", "C", "3.25", "PASS", "pad0=1;pad105=2;pad109=3;FL", gt


def raw(path):
    with open(path, "rb") as f:
        data = f.read()
    data = gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data
    at, found = 9 + struct.unpack("<I", data[5:9])[0], []
    while at < len(data):
        n = 8 + sum(struct.unpack("<II", data[at : at + 8]))
        found.append(data[at : at + n])
        at += n
    return found


def main():
    if sys.argv[1] == "vcf":
        print("\n".join(header()))
        for i, (contig, *rest, calls) in enumerate(records()):
            print("\t".join([contig, str(10 * i + 10)] + rest + calls.split(" ")))
        return
    a, b = raw(sys.argv[2]), raw(sys.argv[3])
    if len(a) != len(b) or not a:
        sys.exit("%d records, %d expected" % (len(b), len(a)))
    for i, (x, y) in enumerate(zip(a, b)):
        if x != y:
            sys.exit("record %d:\n%s, expected:\n%s" % (i, y[:400].hex(), x[:400].hex()))


main()
