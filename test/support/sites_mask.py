# Calls, sites and filters in three stores, as MalariaGEN keeps those of Ag3: a store of calls for each sample set.
#   sites.zarr    2R/variants/{POS,REF,ALT}, 3L/...
#   filters.zarr  gamb/2R/variants/filter_pass, ...
#   set1.zarr, set2.zarr  samples, 2R/calldata/GT, ...
# and whole.zarr, which has all of set1 in groups of its own; want.tsv: contig, position, alleles, dosages, passed.
import json
import os
import random
import struct

rng = random.Random(3)
SETS = {"set1": 5, "set2": 3}
CONTIGS = {"2R": 70, "3L": 33}


def group(path):
    os.makedirs(path, exist_ok=True)
    with open(os.path.join(path, ".zgroup"), "w") as f:
        f.write('{"zarr_format": 2}')


def array(path, kind, shape, chunks, form, values):
    """Values in C order; only the first axis is chunked.  A boolean chunk without a true one is not stored."""
    group(os.path.dirname(path))
    os.makedirs(path)
    meta = {"zarr_format": 2, "shape": shape, "chunks": [chunks] + shape[1:], "dtype": kind, "order": "C", "fill_value": 0 if kind == "|b1" else None,
            "compressor": None, "filters": None}
    with open(os.path.join(path, ".zarray"), "w") as f:
        json.dump(meta, f)
    row = 1
    for n in shape[1:]:
        row *= n
    for c in range(-(-shape[0] // chunks)):
        part = values[c * chunks * row:(c + 1) * chunks * row]
        if kind == "|b1" and not any(part):
            continue
        part = part + [part[-1]] * (chunks * row - len(part))
        with open(os.path.join(path, ".".join([str(c)] + ["0"] * (len(shape) - 1))), "wb") as f:
            f.write(b"".join(struct.pack(form, v) for v in part))


want = open("want.tsv", "w")
for store in list(SETS) + ["whole", "sites", "filters"]:
    group(store + ".zarr")
group("filters.zarr/gamb")
for name, n in SETS.items():
    array(name + ".zarr/samples", "|S8", [n], n, "8s", [("%s-%d" % (name, i)).encode() for i in range(n)])
array("whole.zarr/samples", "|S8", [5], 5, "8s", [("set1-%d" % i).encode() for i in range(5)])
for contig, n in CONTIGS.items():
    positions = sorted(rng.sample(range(1, 1000), n))
    ref = [rng.choice("ACGT") for _ in range(n)]
    alt = [[b for b in "ACGT" if b != r] for r in ref]
    passed = [rng.random() < 0.6 and not 16 <= i < 24 for i in range(n)]
    for store in list(SETS) + ["whole", "sites", "filters.zarr/gamb"]:
        group("%s/%s" % (store if "/" in store else store + ".zarr", contig))
    for store in "sites", "whole":
        place = "%s.zarr/%s/variants/" % (store, contig)
        array(place + "POS", "<i4", [n], 16, "<i", positions)
        array(place + "REF", "|S1", [n], 16, "1s", [r.encode() for r in ref])
        array(place + "ALT", "|S1", [n, 3], 16, "1s", [a.encode() for row in alt for a in row])
    array("filters.zarr/gamb/%s/variants/filter_pass" % contig, "|b1", [n], 4, "?", passed) # no whole byte of bits in a chunk
    for name, m in SETS.items():
        calls = [[-1, -1] if rng.random() < 0.1 else [rng.choice([0, 0, 1, 2, 3]), rng.choice([0, 0, 1, 2])] for _ in range(n * m)]
        for store in [name] + (["whole"] if name == "set1" else []):
            array("%s.zarr/%s/calldata/GT" % (store, contig), "|i1", [n, m, 2], 11, "b", [a for call in calls for a in call])
        for v in range(n if name == "set1" else 0):
            dosages = ["." if c[0] < 0 else str((c[0] > 0) + (c[1] > 0)) for c in calls[v * m:(v + 1) * m]]
            want.write("\t".join([contig, str(positions[v]), ref[v], ",".join(alt[v])] + dosages + [str(int(passed[v]))]) + "\n")
