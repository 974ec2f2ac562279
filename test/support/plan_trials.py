"""plan_trials.py SEED COUNT DIR: random commands at the smallest --memory that their plans name.

Each trial makes an input of one of many kinds and one command.  `-n` names the smallest ceiling N.  The command
runs without a ceiling and at N, 1.1 N and 1.5 N: each run must succeed, stay within its ceiling (MARGIN) and write
the same bytes.  Below N the command is refused with exit 4 and a hint; what the hint names is accepted and runs.

Prints what went wrong, then counts.  Exit 1 when anything did.  Only the standard library is needed.
GT_TRIALS_ONLY=I runs trial I alone, GT_TRIALS_FROM=I those from I on; GT_TRIALS_VERBOSE=1 prints each command.
"""

import array
import hashlib
import json
import os
import random
import re
import shutil
import struct
import subprocess
import sys
import tarfile
import zipfile
import zlib

MARGIN = 1.0  # peak resident memory over the ceiling: none
SHAPES = [(3, 30000), (90, 12000), (1142, 3000), (2504, 1500), (8000, 500), (30000, 100), (120000, 24)]
GENOTYPES = ["packed", "tall", "sharded", "zip", "tar", "vcz", "gt", "vcf", "vcf.gz", "bcf", "bed", "pgen", "geno", "samples", "pieces"]
ALTS = ["alts.vcf", "alts.vcf.gz", "alts.bcf", "alts.pgen", "alts.vcz", "alts.gt"]
ARRAYS = ["float", "codes", "npy"]
# Not wait4: the resident memory of the process that forks counts there.
TIME = ["/usr/bin/time", "-q", "-f", "%M", "-o", "peak"] if os.access("/usr/bin/time", os.X_OK) else []
CODECS = ["none", "zstd:1", "zstd:12", "zstd:19", "blosc:zstd:9", "blosc:lz4:5:bitshuffle", "gzip:1", "lz4", "bz2:9", "lzma:6"]


def sh(*args):
    done = subprocess.run(args, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    if done.returncode:
        sys.exit(f"cannot make an input: {' '.join(args)}\n{done.stderr}")


def write_calldata(path, samples, variants, rng):
    """calldata/GT, POS, REF, ALT as scikit-allel writes them, zlib, in Zarr 2."""
    rows = max(1, min(variants, 2_000_000 // (2 * samples)))
    arrays = {"calldata/GT": ("|i1", [variants, samples, 2], [rows, min(samples, 64), 2]),
              "variants/POS": ("<i4", [variants], [variants])}
    for name, (dtype, shape, chunks) in arrays.items():
        os.makedirs(f"{path}/{name}")
        meta = {"zarr_format": 2, "shape": shape, "chunks": chunks, "dtype": dtype, "order": "C", "fill_value": 0,
                "filters": None, "compressor": {"id": "zlib", "level": 1}}
        with open(f"{path}/{name}/.zarray", "w") as file:
            file.write(str(meta).replace("'", '"').replace("None", "null"))
    for group in ("", "/calldata", "/variants"):
        with open(f"{path}{group}/.zgroup", "w") as file:
            file.write('{"zarr_format": 2}')
    positions = struct.pack(f"<{variants}i", *range(1, variants + 1))
    with open(f"{path}/variants/POS/0", "wb") as file:
        file.write(zlib.compress(positions, 1))
    pool = bytes(rng.choice((0, 0, 0, 1, 255)) for _ in range(4099))
    chunk = (pool * (rows * min(samples, 64) * 2 // len(pool) + 1))[: rows * min(samples, 64) * 2]
    for i in range(-(-variants // rows)):
        for j in range(-(-samples // min(samples, 64))):
            with open(f"{path}/calldata/GT/{i}.{j}.0", "wb") as file:
                file.write(zlib.compress(chunk, 1))


def alts_of_sites(kind, samples, variants):
    """The number of ALTs of each site: few, or many at some, or many at all; and the number of sites."""
    rng = random.Random(f"{kind}.{samples}")
    which = rng.randrange(3)
    draw = (lambda: rng.choice((1, 1, 1, 2, 3, 7)), lambda: rng.randint(60, 250 if "pgen" in kind else 299) if rng.random() < 0.02 else 1, lambda: rng.randint(20, 140))[which]
    most = max(24, min(150_000, 16_000_000 // samples))  # rows of one ALT
    alts = []
    while len(alts) < variants and sum(alts) < most:
        alts.append(draw())
    return alts


def alt_name(i):
    """Of different ALTs, different bases."""
    name = ""
    while i >= 0:
        name, i = "ACGT"[i % 4] + name, i // 4 - 1
    return "C" + name


def draw_calls(rng, n):
    """Allele numbers of calls at a site of n ALTs."""
    return [rng.choice((0, 0, 0, rng.randint(0, n), -1 if rng.random() < 0.05 else 1)) for _ in range(1999)]


def write_alts_vcf(path, samples, alts):
    rng = random.Random(samples)
    calls = {}
    for n in {*alts}:
        drawn = ["." if a < 0 else str(a) for a in draw_calls(rng, n)]
        calls[n] = ["|".join(pair) for pair in zip(drawn, drawn[1:])]
    with open(path, "w") as file:
        file.write('##fileformat=VCFv4.3\n##contig=<ID=1>\n##FORMAT=<ID=GT,Number=1,Type=String,Description="x">\n#CHROM\tPOS\tID\tREF\tALT'
                   "\tQUAL\tFILTER\tINFO\tFORMAT\t" + "\t".join(f"S{i + 1}" for i in range(samples)) + "\n")
        for v, n in enumerate(alts):
            row = calls[n][v % 1000 :] + calls[n] * (samples // 1998 + 1)
            file.write(f"1\t{100 * v + 1}\t.\tA\t{','.join(map(alt_name, range(n)))}\t.\t.\t.\tGT\t" + "\t".join(row[:samples]) + "\n")


def write_alts_calldata(path, samples, alts):
    """calldata/GT as int16, and variants/ALT as wide as the site of most ALTs."""
    rng = random.Random(samples)
    width, rows, variants = min(samples, 1000), max(1, 2_000_000 // (4 * samples)), len(alts)
    rows = min(rows, variants)
    names = {"calldata/GT": ("<i2", [variants, samples, 2], [rows, width, 2], 0), "variants/POS": ("<i4", [variants], [variants], 0),
             "variants/REF": ("|S1", [variants], [variants], ""), "variants/ALT": ("|S8", [variants, max(alts)], [64, max(alts)], "")}
    for name, (dtype, shape, chunks, fill) in names.items():
        os.makedirs(f"{path}/{name}")
        with open(f"{path}/{name}/.zarray", "w") as file:
            json.dump({"zarr_format": 2, "shape": shape, "chunks": chunks, "dtype": dtype, "order": "C", "fill_value": fill,
                       "filters": None, "compressor": {"id": "zlib", "level": 1}}, file)
    for group in ("", "/calldata", "/variants"):
        with open(f"{path}{group}/.zgroup", "w") as file:
            file.write('{"zarr_format": 2}')

    def put(key, data):
        with open(f"{path}/{key}", "wb") as file:
            file.write(zlib.compress(data, 1))

    put("variants/POS/0", struct.pack(f"<{variants}i", *range(1, variants + 1)))
    put("variants/REF/0", b"A" * variants)
    texts = [b"".join(alt_name(a).encode().ljust(8, b"\0") for a in range(n)).ljust(8 * max(alts), b"\0") for n in alts]
    for i in range(0, variants, 64):
        put(f"variants/ALT/{i // 64}.0", b"".join(texts[i : i + 64]).ljust(64 * 8 * max(alts), b"\0"))
    pool = {n: array.array("h", draw_calls(rng, n) * (2 * width // 1999 + 2)).tobytes() for n in {*alts}}
    for i in range(0, variants, rows):
        for j in range(-(-samples // width)):
            parts = [pool[n][2 * ((i + v + j) % 1000) :][: 4 * width] for v, n in enumerate(alts[i : i + rows])]
            put(f"calldata/GT/{i // rows}.{j}.0", b"".join(parts).ljust(4 * width * rows, b"\0"))


def make_alts(kind, path, samples, variants):
    alts = alts_of_sites(kind, samples, variants)
    if kind == "alts.gt":
        write_alts_calldata(path, samples, alts)
    elif kind == "alts.vcf":
        write_alts_vcf(path, samples, alts)
    else:
        write_alts_vcf("in.tmp.vcf", samples, alts)
        if kind == "alts.pgen":
            sh("plink2", "--vcf", "in.tmp.vcf", "--vcf-half-call", "missing", "--make-pgen", "--threads", "1", "--out", path[: -len(".pgen")])
        elif kind == "alts.vcz":
            sh("gt-pack", "-q", "--layout", "vcz", "in.tmp.vcf", "-o", path)
        else:
            sh("gt-unpack", "-q", "in.tmp.vcf", "-o", path)


def write_eigenstrat(stem, samples, variants, rng):
    pool = "".join(rng.choice("0122209") for _ in range(samples + 997))
    with open(f"{stem}.geno", "w") as file:
        for v in range(variants):
            file.write(pool[v % 997 : v % 997 + samples] + "\n")
    with open(f"{stem}.snp", "w") as file:
        file.writelines(f"rs{v} 1 0.0 {v + 1} A C\n" for v in range(variants))
    with open(f"{stem}.ind", "w") as file:
        file.writelines(f"S{i} U pop\n" for i in range(samples))


def make_input(kind, samples, variants):
    """The path of an input, made when it is first asked for; None: the tool that makes it is not here."""
    name = {"bed": "bed.bed", "pgen": "pgen.pgen", "geno": "geno.geno", "zip": "x.zip", "tar": "x.tar", "npy": "x.npy",
            "vcf": "x.vcf", "vcf.gz": "x.vcf.gz", "bcf": "x.bcf"}.get(kind.replace("alts.", ""), "zarr")
    path, stem = f"in.{samples}.{kind}.{name}", f"in.{samples}.{kind}.{kind}"
    if os.path.exists(path):
        return path
    if kind.endswith("pgen") and not shutil.which("plink2"):
        return None
    rng = random.Random(samples)
    sim = ["gt-sim", "-q", "--samples", str(samples), "--variants", str(variants), "--seed", "1"]
    some = [*sim, "--missing", "0.02"]
    if kind in ("samples", "pieces"):  # two halves, for --concat
        half = samples // 2 if kind == "samples" else variants // 2
        sh(*some, "-O", "packed", "-o", "in.tmp")
        for i, part in enumerate((f":{half}", f"{half}:")):
            part = f":,{part}" if kind == "samples" else f"{part},:"
            sh("gt-pack", "-q", "--slice", part, "in.tmp", "-o", f"{path}.{i}")
        os.mkdir(path)
    elif kind in ALTS:
        make_alts(kind, path, samples, variants)
    elif kind in ("packed", "zip", "tar"):
        sh(*some, "--contigs", "2", "-O", "packed", "-o", path)
    elif kind == "tall":
        sh(*some, "-O", "packed", "-o", "in.tmp")
        sh("gt-pack", "-q", "--chunks", "variants=20000", "in.tmp", "-o", path)
    elif kind == "sharded":
        sh(*some, "-O", "packed", "-o", "in.tmp")
        sh("gt-rechunk", "-q", "-c", "variants=100,samples=1000", "--shard", "variants=1000,samples=4000", "--zarr-format", "3", "in.tmp", "-o", path)
    elif kind == "vcz":
        sh(*sim, "--multiallelic", "0.05", "--phased", "-O", "vcz", "-o", path)
    elif kind == "gt":
        write_calldata(path, samples, variants, rng)
    elif kind in ("vcf", "vcf.gz"):
        sh(*sim, "--multiallelic", "0.05", "-O", "vcf", "-o", path)
    elif kind == "bcf":
        sh(*some, "-O", "vcf", "-o", "in.tmp.vcf")
        sh("gt-unpack", "-q", "in.tmp.vcf", "-o", path)
    elif kind == "bed":
        sh(*some, "-O", "bed", "-o", path)
    elif kind == "pgen":
        sh(*some, "-O", "bed", "-o", "in.tmp.bed")
        sh("plink2", "--bfile", "in.tmp", "--make-pgen", "--threads", "1", "--out", stem)
    elif kind == "geno":
        write_eigenstrat(stem, samples, variants, rng)
    elif kind == "float":
        sh(*sim, "--normal", "-O", "zarr", "-o", path)
    elif kind == "codes":
        sh(*sim, "--uniform", "0..2", "--dtype", "uint8", "-O", "zarr", "-o", path)
    elif kind == "npy":
        sh("gt-sim", "-q", "--samples", str(64 + samples // 200), "--variants", "100", "--seed", "1", "-O", "packed", "-o", "in.tmp")
        sh("gt-pdist", "-q", "-O", "npy", "in.tmp", "-o", path)
    for file in os.listdir("."):
        if file.startswith("in.tmp"):
            shutil.rmtree(file) if os.path.isdir(file) else os.remove(file)
    return path


def selection(rng, kind, samples):
    """Options that choose samples and sites."""
    first = "F" if kind == "geno" else "S"
    most = [f"S{1 + (i * 31) % samples}" for i in range(rng.randint(2, 40))]
    some = [["-s", ",".join(sorted(set(most)))], ["--mind", rng.choice(["0.5", "0.9"])], ["--geno", "0.5"], ["--maf", "0.01"], ["--mac", "1"],
            ["--ld-prune", rng.choice(["50,5,0.2", "200,10,0.5"])], ["--rm-dup", "force-first"], ["--thin", "3"], ["--split-multiallelic"],
            ["--skip-multiallelic"], ["--polymorphic"], ["--hwe", "1e-6"], ["-r", "1:50-20000"]]
    if kind in ("gt", "alts.gt"):
        some[0] = ["--thin", "2"]
    if kind in ALTS and rng.random() < 0.6:
        return ["--split-multiallelic", *(rng.choice(some[:-4] + some[-2:]) if rng.random() < 0.3 else [])]
    return rng.choice(some) if rng.random() < 0.4 and first else []


def pdist(rng, kind, samples, path):
    cmd = ["gt-pdist", path]
    if samples > 3000:
        cmd += [["--knn", "10"], ["--min", "0.4"], ["--part", "1/300"]][rng.randrange(3)] if samples <= 8000 else ["--part", "1/3000"]
        return cmd + (["-O", rng.choice(["npy", "tsv", "condensed"])] if "--part" in cmd else []) + ["-m", rng.choice(["euclidean", "king", "ibs"]), "-o", "out.part"]
    with open("some.ids", "w") as file:
        ids = sorted({f"S{1 + (7 + i * 31) % samples}" for i in range(40)})
        file.writelines(i + "\n" for i in ids)
    with open("some.pairs", "w") as file:
        file.writelines(f"{a}\t{b}\n" for a, b in zip(ids, ids[1:]))
    metric = rng.choice(["euclidean", "correlation", "king", "grm", "grm-vanraden", "weir-goudet", "ibs", "ibs-prob", "mismatches",
                         "cityblock", "cosine", "hamming", "jaccard", "canberra", "braycurtis", "chebyshev", "minkowski", "sqeuclidean"])
    kin = rng.choice(["euclidean", "king", "grm", "ibs"])
    if (kind in ALTS or kind == "vcz") and rng.random() < 0.2:
        cmd += ["--haplotypes", "--half-call", "reference", "-m", rng.choice(["cityblock", "correlation", "jaccard"])]
        return cmd + ["--part", "1/50", "-O", "npy", "-o", "out.part"] if samples > 100 else [*cmd, "-o", "out.npy"]
    return cmd + rng.choice([
        ["-m", metric, "-o", "out." + rng.choice(["npy", "tsv"])],
        ["-o", "out." + rng.choice(["npy", "tsv", "zarr", "zip", "tar"])],
        ["-m", "king", "-O", rng.choice(["king", "kin0"]), "-o", "out"],
        ["-m", rng.choice(["cityblock", "correlation", "jaccard"]), "--missing", "mean", "-o", "out.npy"],
        ["-m", rng.choice(["ibs", "allele-count"]), "--missing", "plink", "-o", "out.npy"],
        ["-m", kin, "--part", rng.choice(["1/3", "2/3", "3/3"]), "-O", rng.choice(["npy", "tsv", "condensed", "triangle"]), "-o", "out.part"],
        ["-m", kin, "--knn", rng.choice(["1", "10", "300"]), "-o", "out.pairs"],
        ["-m", kin, rng.choice(["--min", "--max"]), "0.4", "-o", "out.pairs"],
        ["-m", rng.choice(["euclidean", "king", "correlation"]), "-O", "counts", "-o", "out.counts"],
        ["-m", "king", "--unrelated", rng.choice(["0.0442", "0.177"]), "-o", "out"],
        ["-m", rng.choice(["euclidean", "king"]), rng.choice(["--rows", "--cols"]), "some.ids", "-O", rng.choice(["npy", "tsv", "pairs"]), "-o", "out.some"],
        ["-m", kin, "--pairs", "some.pairs", "-o", "out.pairs"],
        ["-m", "euclidean", "--tree", "out.nwk", "-o", "out.tsv"],
        ["-m", "euclidean", "--plot", "out.svg", "-o", "out.tsv"],
    ])


def rechunk(rng, kind, path):
    out = rng.choice(["out.zarr", "out.zarr", "out.zip", "out.tar"])
    cmd = ["gt-rechunk", path, "-o", out]
    plain = kind in ("float", "codes")
    shard = rng.random() < 0.3
    if plain:
        cmd += ["-c", rng.choice(["-1,1", "1,-1", "1000,1000", "-1,-1", "7,-1", "100,100"] if not shard else ["100,100", "10,50"])]
    else:
        cmd += ["-c", f"variants={rng.choice([10, 100, 1000, -1] if not shard else [10, 100])},samples={rng.choice([100, 1000, -1] if not shard else [100, 1000])}"]
    if shard:
        cmd += ["--shard", rng.choice(["1000,1000", "-1,500"]) if plain else f"variants={rng.choice([1000, 5000, -1])},samples={rng.choice([2000, -1])}"]
    if rng.random() < 0.4:
        cmd += ["--codec", rng.choice(CODECS[:-2] if not shard else ["none", "zstd:1", "zstd:12", "gzip:1", "blosc:zstd:9"])]
    if shard or rng.random() < 0.3:
        cmd += ["--zarr-format", "3" if shard else rng.choice(["2", "3"])]
    pick = rng.randrange(7)
    if pick == 0 and plain:
        cmd += ["--transpose"]
    elif pick == 1:
        cmd += ["--slice", f"::{rng.choice([2, 50])},:"]
    elif pick == 2 and kind in ("packed", "tall", "zip", "tar", "sharded"):
        cmd += ["--layout", "plain", "--dtype", rng.choice(["int8", "float64"])]
    elif pick == 3 and plain:
        cmd += ["--dtype", rng.choice(["float32", "int8"]), "--cast", "unsafe"]
    elif pick == 4 and plain:
        cmd += ["--reduce", rng.choice(["sum:0", "mean:1", "max:0"])]
        del cmd[cmd.index("-c") : cmd.index("-c") + 2]
        if "--shard" in cmd:
            del cmd[cmd.index("--shard") : cmd.index("--shard") + 2]
    return cmd


def command(rng, kind, samples, variants, path):
    """One command over an input."""
    pick = rng.random()
    if kind in ARRAYS:
        if pick < 0.4 and kind != "npy":
            return rechunk(rng, kind, path)
        if pick < 0.6:
            small = ["--slice", ":,:500"] if kind != "npy" else []
            return ["gt-svd", "--algorithm", rng.choice(["auto", "krylov", "compressed", "tsqr"]), "-k", "2", *small, path, "-o", "out"]
        if pick < 0.85:
            few = ["--slice", ":,:300"] if samples > 300 and kind != "npy" else []
            return ["gt-pdist", "-m", rng.choice(["euclidean", "cityblock", "correlation", "mahalanobis"][: 3 if samples < 9 else 4]), "-O", "npy", *few, path, "-o", "out.npy"]
        return ["gt-info", "--head", rng.choice(["3", "1000"]), path, "-o", "out.txt"]
    store = kind in ("packed", "tall", "sharded", "zip", "tar", "vcz", "gt", "alts.vcz", "alts.gt")
    if pick < 0.25 and store:
        return rechunk(rng, kind, path)
    where = rng.randrange(16)
    if where == 0:
        return ["gt-sim", "--samples", str(samples), "--variants", str(variants), "--pops", rng.choice(["1", "3"]), "--ld", rng.choice(["1", "20"]), "-O",
                rng.choice(["packed", "vcf", "bed", "vcz"]), "--truth", "out.truth", "-o", "out.sim", "--codec"][:-1]
    if where == 1:
        return ["gt-info", "--stats", rng.choice(["samples", "variants"]), path, "-o", "out.txt"]
    if where == 2:
        if kind in ("samples", "pieces"):
            return ["gt-svd", "-k", "2", path, "-o", "out.pca"]
        return ["gt-info", "--check", path, "-o", "out.txt"] + (["--deep"] if kind in ("packed", "tall", "zip", "vcz") else [])
    if where == 3:
        return ["gt-pi", "--points", "1e6", "--chunks", rng.choice(["1", "64", "5000"])]
    chosen = selection(rng, kind, samples)
    if where < 8:
        out = rng.choice(["out.zip", "out.tar", "out.zarr"])
        cmd = ["gt-pack", *chosen, path, "-o", out]
        if rng.random() < 0.4:
            cmd += ["--chunks", f"variants={rng.choice([100, 1000, 5000, 40000])}"]
        if rng.random() < 0.4:
            cmd += ["--codec", rng.choice(CODECS)]
        if kind.replace("alts.", "") in ("vcf", "vcf.gz", "bcf", "vcz") and rng.random() < 0.5 and not chosen:
            cmd += ["--layout", "vcz"]
        elif rng.random() < 0.2:
            cmd += ["--zarr-format", "3"]
            cmd = [c for c in cmd if c not in ("bz2:9", "lzma:6")]
            if cmd[-3:-2] == ["--codec"]:
                del cmd[-3]
        return cmd
    if where < 10:
        skip = rng.choice([[], ["--skip-multiallelic"]]) if kind in ALTS else ["--skip-multiallelic"]
        skip = [] if "--split-multiallelic" in chosen or "--skip-multiallelic" in chosen else skip
        return ["gt-unpack", *chosen, *skip, path, "-o", rng.choice(["out.vcf", "out.vcf.gz", "out.bcf", "out.bed", "out.npy"])]
    if where < 12:
        return ["gt-svd", *chosen, "-k", "2", *rng.choice([["--tol", "0.1", "--passes", "6"], ["--algorithm", "compressed"], ["--loadings", "--tol", "0.1"], []]), path, "-o", "out.pca"]
    cmd = pdist(rng, kind, samples, path)
    return cmd + (chosen if not {"--rows", "--cols", "--pairs", "-s", "--mind"} & {*cmd, *chosen[:1]} else [])


def records_history(cmd):
    """Does the output have a place for the command line, which then differs from run to run?"""
    if cmd[0] in ("gt-pack", "gt-rechunk", "gt-sim", "gt-unpack"):
        return "bed" not in cmd and not {"out.bed", "out.npy"} & {*cmd}
    return "--loadings" in cmd or bool({"out.zarr", "out.zip", "out.tar"} & {*cmd})


def clean():
    for file in os.listdir("."):
        if file.startswith("out"):
            shutil.rmtree(file) if os.path.isdir(file) else os.remove(file)


def digest():
    """Of all outputs, names and bytes."""
    h = hashlib.blake2b(digest_size=8)
    files = [file for file in os.listdir(".") if file.startswith("out.") and os.path.isfile(file)]
    for top in os.listdir("."):
        if top.startswith("out.") and os.path.isdir(top):
            files += [os.path.join(at, file) for at, _, names in os.walk(top) for file in names]
    for file in sorted(files):
        if file.endswith(".zip"):  # members stand in the order in which they were ready
            with zipfile.ZipFile(file) as archive:
                for name in sorted(archive.namelist()):
                    h.update(name.encode() + b"\0" + archive.read(name))
        elif file.endswith(".tar"):
            with tarfile.open(file) as archive:
                for member in sorted(archive.getmembers(), key=lambda m: m.name):
                    if member.isfile():
                        h.update(member.name.encode() + b"\0" + archive.extractfile(member).read())
        elif file not in ("out.stdout", "out.stderr"):
            with open(file, "rb") as data:
                h.update(file.encode() + b"\0" + data.read())
    return h.hexdigest()


def watch(cmd):
    """Runs it: exit status, peak in KiB, standard output, standard error."""
    clean()
    with open("out.stdout", "wb") as out, open("out.stderr", "wb") as err:
        rc = subprocess.run([*TIME, *cmd], stdin=subprocess.DEVNULL, stdout=out, stderr=err, check=False).returncode
    peak = 0
    if TIME:
        with open("peak") as file:
            peak = int(file.read().split()[-1])
    with open("out.stdout", errors="replace") as out, open("out.stderr", errors="replace") as err:
        return rc, peak, out.read(), err.read()


class Trials:
    def __init__(self, limited):
        self.wrong = self.ran = self.refused = self.skipped = self.runs = 0
        self.limited = limited  # false under a sanitizer: its own memory is no business of --memory

    def fault(self, what, cmd, text=""):
        self.wrong += 1
        print(f"trial {self.number}: {what}: {' '.join(cmd)}\n{text}".rstrip(), flush=True)

    def must_run(self, cmd, mib, want):
        self.runs += 1
        at = [*cmd, "--memory", f"{mib}M"]
        rc, peak, _, err = watch(at)
        if rc:
            return self.fault(f"exit {rc} at an accepted ceiling", at, err)
        if want and digest() != want:
            self.fault("other bytes than without a ceiling", at)
        if self.limited and peak > mib * 1024 * MARGIN:
            self.fault(f"peak {peak / 1024:.1f} MiB", at)
        return None

    def needed(self, cmd):
        found = re.search(r"^memory +(\d+)M needed", watch([*cmd, "-n"])[2], re.M)
        return int(found.group(1)) if found else None

    def refuse(self, cmd, need, rng, want):
        """Below what is needed: refused, and the hint is right the first time."""
        low = max(1, min(need - 1, rng.choice([need - 1, 29, 30, 32, 20])))
        at = [*cmd, "--memory", f"{low}M"]
        rc, _, _, err = watch([*at, "-n"])
        if rc == 0:
            if not adapts(cmd):
                self.fault(f"{need}M is not the smallest", at)
            return
        self.refused += 1
        hint = re.search(r"--memory (\d+)M", err)
        if rc != 4 or not hint:
            self.fault(f"exit {rc} and no ceiling", at, err)
            return
        named = int(hint.group(1))
        rc, _, out, err = watch([*cmd, "--memory", f"{named}M", "-n"])
        if rc:
            self.fault(f"the hint's ceiling {named}M is refused", at, err)
        elif named != need:
            self.must_run(cmd, named, want if named > need else None)

    def trial(self, number, seed):
        self.number = number
        rng = random.Random(f"{seed}.{number}")
        kind = rng.choice(GENOTYPES * 2 + ALTS * 3 + ARRAYS)
        samples, variants = rng.choice(SHAPES)
        path = make_input(kind, samples, variants)
        if not path:
            self.skipped += 1
            return
        cmd = command(rng, kind, samples, variants, path)
        if kind in ("samples", "pieces") and path in cmd:
            at = cmd.index(path)
            cmd[at : at + 1] = [f"{path}.0", f"{path}.1", *(["--concat", "samples"] if kind == "samples" else [])]
        cmd = [*cmd, "-@", rng.choice(["1", "2", "2", "3", "8"])]
        if cmd[0] != "gt-pi":
            cmd += ["-f"]
        if records_history(cmd):
            cmd += ["--no-version"]
        if os.environ.get("GT_TRIALS_VERBOSE"):
            print(number, " ".join(cmd), flush=True)
        rc, _, out, err = watch([*cmd, "-n"])
        found = re.search(r"^memory +(\d+)M needed", out, re.M)
        if rc in (2, 3):  # the options do not go together, or nothing is left
            self.skipped += 1
            if os.environ.get("GT_TRIALS_VERBOSE"):
                print(err)
            return
        if rc or not found:
            self.fault(f"exit {rc}, and -n names no memory", cmd, err)
            return
        need = int(found.group(1))
        rc, _, _, err = watch(cmd)
        if rc in (2, 3):
            self.skipped += 1
            return
        if rc:
            self.fault(f"exit {rc} without a ceiling", cmd, err)
            return
        self.ran += 1
        want = digest()
        for times in (1, 1.1, 1.5):
            self.must_run(cmd, int(need * times), want)
        self.refuse(cmd, need, rng, want)


def adapts(cmd):
    """Chunks are lower where --memory has no room for those of the plan; what is kept of a tar in memory is a share of it."""
    return cmd[0] in ("gt-pack", "gt-sim") or any(arg.endswith("x.tar") for arg in cmd)


def sanitized():
    done = subprocess.run(["ldd", shutil.which("gt-pack") or ""], capture_output=True, text=True)
    return "libasan" in done.stdout or "libtsan" in done.stdout


def main():
    seed, count, folder = sys.argv[1], int(sys.argv[2]), sys.argv[3]
    os.chdir(folder)
    only = os.environ.get("GT_TRIALS_ONLY")
    trials = Trials(not sanitized())
    for number in [int(only)] if only else range(int(os.environ.get("GT_TRIALS_FROM", "0")), count):
        trials.trial(number, seed)
    clean()
    print(f"seed {seed}: {trials.ran} commands, {trials.runs} runs under a ceiling, {trials.refused} refusals, "
          f"{trials.skipped} skipped, {trials.wrong} wrong")
    return trials.wrong > 0


sys.exit(main())
