# One set of genotypes as every kind of input, in the current folder: what each option
# of test/cmd/common/options.bats looks at is among them.  NAME.KIND; "poly" has a call of three
# alleles beside, "twin" a site that is there twice, "lost" sites of no contig.
import json
import os
import struct

SAMPLES = ["a", "b", "c", "d", "e", "f"]
CONTIGS = ["1", "2", "X"]
FILTERS = ["PASS", "q10"]
# contig, position, alleles, filter, calls
SITES = [
    ("1", 10, ["A", "C"], "PASS", "0/0 0/1 1/1 0/0 0/1 ./."),
    ("1", 20, ["A", "C", "G"], "PASS", "0/0 0/2 1/2 2/2 0/1 0/0"),
    ("1", 30, ["AT", "A"], "PASS", "0/1 0/1 1/1 0/0 0/0 0/1"),
    ("1", 40, ["G", "T"], "q10", "1/1 0/0 0/1 0/1 ./1 0/0"),
    ("1", 50, ["G", "T"], "PASS", "./. ./. 0/1 1/1 0/0 0/0"),
    ("2", 10, ["C"], "PASS", "0/0 0/0 0/0 0/0 0/0 0/0"),
    ("2", 20, ["C", "T"], "q10", "0/1 1/1 0/0 0/0 0/1 ./."),
    ("2", 30, ["C", "T"], "PASS", "0/0 0/0 0/1 0/0 0/0 0/0"),
    ("X", 10, ["T", "A"], "PASS", "0 1 0/1 1/1 0/0 1"),
    ("X", 20, ["T", "A"], "PASS", "0/1 0 0/1 0/1 1 ./."),
]
TWIN = ("2", 30, ["C", "T"], "PASS", "1/1 0/1 0/0 0/1 1/1 0/0")
POLY = ("X", 30, ["T", "A"], "PASS", "0/1 0/0/1 0/1 0/1 1 0/0")


def alleles(call, ploidy):
    known = [-1 if a == "." else int(a) for a in call.split("/")]
    return known + [-2] * (ploidy - len(known))


def vcf(name, sites):
    with open(name, "w") as f:
        f.write("##fileformat=VCFv4.2\n##FILTER=<ID=q10,Description=\"x\">\n")
        f.write("".join("##contig=<ID=%s>\n" % c for c in CONTIGS))
        f.write("##FORMAT=<ID=GT,Number=1,Type=String,Description=\"x\">\n")
        f.write("\t".join(["#CHROM", "POS", "ID", "REF", "ALT", "QUAL", "FILTER", "INFO", "FORMAT"] + SAMPLES) + "\n")
        for contig, pos, names, passed, calls in sites:
            line = [contig, str(pos), "v%s_%d" % (contig, pos), names[0], ",".join(names[1:]) or ".", ".", passed, ".", "GT"]
            f.write("\t".join(line + calls.split()) + "\n")


def bed(name, sites):
    with open(name + ".fam", "w") as f:
        f.write("".join("%s %s 0 0 0 -9\n" % ("FG"[i % 2], s) for i, s in enumerate(SAMPLES)))
    codes = {"0": 3, "1": 0}
    with open(name + ".bim", "w") as bim, open(name + ".bed", "wb") as out:
        out.write(b"\x6c\x1b\x01")
        for contig, pos, names, _, calls in sites:
            bim.write("%s\tv%d\t0\t%d\t%s\t%s\n" % (contig, pos, pos, (names + ["0"])[1], names[0]))
            row = 0
            for i, call in enumerate(calls.split()):
                known = alleles(call, 2)
                missing = -1 in known
                alts = [a for a in known if a > 0]
                code = codes.get(call, 1 if missing else 3 if not alts else 0 if len(alts) == 2 else 2)
                row |= code << 2 * i
            out.write(struct.pack("<H", row))


def array(store, name, kind, shape, values):
    """One chunk without a codec; texts of eight bytes."""
    os.makedirs(os.path.join(store, name))
    meta = {"zarr_format": 2, "shape": shape, "chunks": shape, "dtype": kind, "order": "C", "fill_value": None, "compressor": None, "filters": None}
    with open(os.path.join(store, name, ".zarray"), "w") as f:
        json.dump(meta, f)
    form = {"|S8": "8s", "|i1": "b", "|b1": "?", "<i4": "<i", "<f8": "<d"}[kind]
    with open(os.path.join(store, name, ".".join(["0"] * len(shape))), "wb") as f:
        for value in values:
            f.write(struct.pack(form, value.encode() if kind == "|S8" else value))


def calls_of(sites, ploidy, flip=False):
    for _, _, _, _, calls in sites:
        for call in calls.split()[:: -1 if flip else 1]:
            yield from alleles(call, ploidy)[:ploidy]


def group(store):
    os.makedirs(store)
    with open(os.path.join(store, ".zgroup"), "w") as f:
        f.write('{"zarr_format": 2}')


def calls(store, sites, ploidy, bare=False, contigs=CONTIGS):
    n, m = len(sites), len(SAMPLES)
    shape = [n, m] if ploidy == 1 else [n, m, ploidy]
    group(store)
    array(store, "call_genotype", "|i1", shape, calls_of(sites, ploidy))
    array(store, "other/call_genotype", "|i1", shape, calls_of(sites, ploidy, True))
    if bare:
        return
    array(store, "sample_id", "|S8", [m], SAMPLES)
    array(store, "contig_id", "|S8", [len(contigs)], contigs)
    array(store, "filter_id", "|S8", [len(FILTERS)], FILTERS)
    array(store, "variant_contig", "|i1", [n], (CONTIGS.index(s[0]) for s in sites))
    array(store, "variant_position", "<i4", [n], (s[1] for s in sites))
    array(store, "variant_id", "|S8", [n], ("v%s_%d" % s[:2] for s in sites))
    array(store, "variant_allele", "|S8", [n, 3], (a for s in sites for a in (s[2] + ["", ""])[:3]))
    array(store, "variant_filter", "|b1", [n, 2], (s[3] == f for s in sites for f in FILTERS))


TWINS = SITES[:8] + [TWIN] + SITES[8:]
for name, sites in ("base", SITES), ("poly", SITES + [POLY]), ("twin", TWINS):
    vcf(name + ".vcf", sites)
    for ploidy in 1, 2, 3:
        calls("%s.calls%d" % (name, ploidy), sites, ploidy)
    calls(name + ".bare", sites, 2, bare=True)
for ploidy in 1, 2, 3:
    calls("lost.calls%d" % ploidy, SITES, ploidy, contigs=CONTIGS[:2])
calls("x.calls1", [s for s in SITES if s[0] == "X"], 1)
calls("12.calls2", [s for s in SITES if s[0] != "X"], 2)
bed("base", [s for s in SITES if len(s[2]) < 3])
bed("twin", [s for s in TWINS if len(s[2]) < 3])
group("base.plain")
array("base.plain", "x", "<f8", [4, 3], [1, 2, 3, 5, 1, 2, 8, 1, 0, 2, 2, 2])
array("base.plain", "y", "<f8", [4, 3], [1, 2, 3, 5, 1, 7, 8, 1, 0, 2, 2, 2])
with open("ids.txt", "w") as f:
    f.write("v1_10 v10\nv2_20\tv20\n")
with open("made.txt", "w") as f:
    f.write("1:10 2:20\n")
with open("families.txt", "w") as f:
    f.write("F\n")
with open("sexes.txt", "w") as f:
    f.write("#IID SEX\n" + "".join("%s %s\n" % (s, 1 + i % 2) for i, s in enumerate(SAMPLES)))
with open("list.txt", "w") as f:
    f.write("a\nc\n")
with open("regions.txt", "w") as f:
    f.write("1 15 45\nX 1 100\n")
with open("groups.txt", "w") as f:
    f.write("".join("%s %s\n" % (s, "GHI"[i % 3]) for i, s in enumerate(SAMPLES)))
