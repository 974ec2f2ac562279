"""svd_arrays.py SEED [CHECK...]: gt-svd of plain arrays against numpy's and dask's singular values and vectors, on arrays of many
shapes and kinds; what differs is printed, and is an error.  CHECK: center, tsqr, uneven, compressed, krylov, whole or missing
(default: all)."""
import os
import subprocess
import sys

import dask
import dask.array as da
import numpy as np
from dask.array import linalg

rng = np.random.default_rng(int(sys.argv[1]))
dask.config.set(scheduler="single-threaded")
quick = os.environ.get("GT_TEST_LEVEL", "quick") == "quick"
wrong = 0


def ours(x, *args):
    np.save("in.npy", x)
    subprocess.run(["gt-svd", "-q", "-f", *args, "in.npy", "-o", "out"], check=True)
    return [np.load("out.%s.npy" % part) for part in "usv"]


def flipped(u, s, v):
    sign = np.where(v.sum(axis=1) >= 0, 1.0, -1.0)
    return u * sign, s, v * sign[:, None]


def exact(x):
    return flipped(*np.linalg.svd(x.astype(float), full_matrices=False))


def compare(name, got, want, most):
    global wrong
    shapes = [(g.shape, w.shape) for g, w in zip(got, want)]
    off = [abs(g - w).max() / abs(w).max() if g.shape == w.shape else np.inf for g, w in zip(got, want)]
    if not max(off) < most:
        print(name, shapes, off)
        wrong += 1


class Start(linalg.RandomState):
    """Random numbers that dask begins with: a matrix of ours."""

    def standard_normal(self, size=None, chunks=None):
        return da.from_array(np.load("sketch.npy"), chunks=size)


def check_tsqr():
    for rows, columns in (300, 40), (40, 300), (20, 5000), (20000, 3), (600, 300), (1, 7), (7, 1), (5, 5), (2000, 33):
        x = rng.standard_normal((rows, columns))
        compare(("tsqr", rows, columns), ours(x, "--algorithm", "tsqr"), exact(x), 1e-10)
        k = min(rows, columns, 4)
        got, (u, s, v) = ours(x, "--algorithm", "tsqr", "-k", str(k)), exact(x)
        compare(("tsqr -k", rows, columns), got, (u[:, :k], s[:k], v[:k]), 1e-10)
    for kind in "u1", "i2", "f4", "f2", "u8", ">i4", "?":
        x = rng.integers(0, 3, (300, 40)).astype(kind)
        compare(("tsqr", kind), ours(x, "--algorithm", "tsqr"), exact(x), 1e-10)
    x = rng.standard_normal((900, 30))
    want = dask.compute(*da.linalg.svd(da.from_array(x, chunks=(100, 30))))
    compare("dask.array.linalg.svd", ours(x, "--algorithm", "tsqr"), want, 1e-10)
    compare("a slice", ours(x, "--algorithm", "tsqr", "--slice", "::3,2:20"), exact(x[::3, 2:20]), 1e-10)
    compare("Fortran's order", ours(np.asfortranarray(x), "--algorithm", "tsqr"), exact(x), 1e-10)


# Singular values over twelve orders of magnitude: U is orthonormal, and the product is the array.
def check_uneven():
    q = np.linalg.qr(rng.standard_normal((3000, 12)))[0]
    p = np.linalg.qr(rng.standard_normal((12, 12)))[0]
    x = q * 10.0 ** -np.arange(12) @ p
    u, s, v = ours(x, "--algorithm", "tsqr")
    compare("orthonormal", [u.T @ u, v @ v.T], [np.eye(12)] * 2, 1e-14)
    compare("product", [u * s @ v], [x], 1e-14)
    compare("values", [s], [10.0 ** -np.arange(12)], 1e-14)


# With power iterations beyond these dask's own rounding is more than that, as its chunks show.
def check_compressed():
    for rows, columns in (300, 140), (140, 300), (1000, 30), (30, 1000), (12, 900), (900, 12):
        x = rng.standard_normal((rows, columns)) / np.sqrt(1 + np.arange(columns))
        np.save("sketch.npy", rng.standard_normal((columns, min(20, rows, columns))))
        for iterator, powers in ("power", range(3)), ("QR", range(4)):
            for power in powers:
                how = dict(k=10, iterator=iterator, n_power_iter=power, seed=Start(0))
                want = dask.compute(*da.linalg.svd_compressed(da.from_array(x, chunks=(50, columns)), **how))
                args = ["--iterator", iterator, "--power-iterations", str(power)]
                got = ours(x, "--algorithm", "compressed", "--sketch", "sketch.npy", "-k", "10", *args)
                compare((rows, columns, iterator, power), got, want, 1e-10)
    x = rng.integers(0, 3, (400, 200)).astype("u1")
    np.save("sketch.npy", rng.standard_normal((200, 35)))
    want = dask.compute(*da.linalg.svd_compressed(da.from_array(x, chunks=(50, 40)), k=30, n_oversamples=5, seed=Start(0)))
    compare("uint8, chunks both ways", ours(x, "--sketch", "sketch.npy", "-k", "30", "--oversample", "5"), want, 1e-10)


# Values to the square of --tol, vectors to --tol; the sign rule is that of the others.
def check_krylov():
    for rows, columns in (700, 300), (300, 700):
        x = rng.standard_normal((rows, 8)) @ rng.standard_normal((8, columns)) * 3 + rng.standard_normal((rows, columns))
        u, s, v = exact(x)
        for args in [], ["--tol", "1e-8"]:
            got = ours(x, "-k", "8", *args)
            compare(("krylov values", rows, columns), got[1:2], [s[:8]], 1e-8)
            compare(("krylov vectors", rows, columns), got[::2], [u[:, :8], v[:8]], 1e-6 if args else 1e-2)


# Arrays of 0, 1 and 2 are multiplied as whole numbers: what they project on is a little else than of doubles, and values
# and vectors are those of that projection to the last bits; with any other number they are doubles.
def check_whole():
    global wrong
    a, b = rng.integers(0, 2, (900, 12)), np.eye(12, dtype=int)[rng.integers(0, 12, 500)].T
    for kind in ("u1", "i2", ">i4", "?") if quick else ("u1", "i1", "i2", ">i4", "i8", "u2", "?"):
        for x in (a @ b).astype(kind), (a @ b).T.astype(kind), (a @ b)[:, :331].astype(kind):
            s = exact(x)[1]
            for args in ["compressed"], ["compressed", "--iterator", "QR", "--power-iterations", "1"], ["krylov", "--tol", "1e-6"]:
                got = ours(x, "--algorithm", *args, "-k", "12")
                compare(("whole", kind, x.shape, args), got[1:2], [s[:12]], 1e-12)
                compare(("whole, product", kind, args), [got[0] * got[1] @ got[2]], [x], 1e-7 if "krylov" in args else 1e-12)
    freq, pop = rng.beta(0.5, 0.5, (4, 2000)), rng.integers(0, 4, 700)
    for x in rng.binomial(2, freq[pop]).astype("u1"), rng.binomial(2, freq[pop]).T.astype("i2"):
        for args in ["--power-iterations", "1"], ["--power-iterations", "2", "--iterator", "QR"], []:
            args = ["--algorithm", "compressed", "-k", "4", *args]
            got, want = ours(x, *args), ours(x.astype(float), *args)
            compare(("whole, as doubles", x.shape, args), got, want, 1e-4 if len(args) > 4 else 3e-2)
            compare("orthonormal", [got[0].T @ got[0], got[2] @ got[2].T], [np.eye(4)] * 2, 1e-13)
        compare(("whole, krylov", x.shape), ours(x, "-k", "4", "--algorithm", "krylov")[1:2], [exact(x)[1][:4]], 1e-8)
        for kind, other in ("u1", 3), ("u1", 255), ("i1", -1), ("i2", 258), ("u4", 1 << 16), ("i8", 1 << 32), ("i8", -2):
            y = x.astype(kind)
            y[-1, -1] = other
            for way in "compressed", "krylov":
                got, want = ours(y, "--algorithm", way, "-k", "4"), ours(y.astype(float), "--algorithm", way, "-k", "4")
                if not all((g == w).all() for g, w in zip(got, want)):
                    print("another number", kind, other, way)
                    wrong += 1


def check_missing():
    for shape in (200, 30), (30, 200):
        x = rng.standard_normal(shape).astype("f4") + np.arange(shape[1])
        x[rng.random(shape) < 0.1] = np.nan
        filled = np.where(np.isnan(x), np.nanmean(x.astype(float), axis=0), x)
        for way in "tsqr", "compressed", "krylov":
            u, s, v = exact(filled)
            got = ours(x, "--missing", "mean", "--algorithm", way, "-k", "1", *(["--power-iterations", "6"] if way == "compressed" else []))
            compare(("missing", way, shape), got, (u[:, :1], s[:1], v[:1]), 1e-3 if way == "krylov" else 1e-9)


# Means of the columns of the array that was named are taken off, also of integers, of arrays that are read by columns, and
# where values are missing.
def check_center():
    for shape in (900, 40), (40, 900), (500, 300), (300, 500):
        base = rng.standard_normal(shape) + 3 * rng.standard_normal((shape[0], 1)) * rng.standard_normal(shape[1])
        for kind, x in ("f8", base + 1e6), ("f4", base + 100), ("u1", rng.integers(0, 3, shape)), ("i2", 50 * base - 1000):
            x = x.astype(kind)
            u, s, v = exact(x.astype(float) - x.astype(float).mean(axis=0))
            for way in ["tsqr"], ["krylov", "--tol", "1e-6"], ["compressed", "--power-iterations", "8", "--iterator", "QR"]:
                got = ours(x, "--center", "--algorithm", *way, "-k", "1")
                most = (1e-9, 1e-5) if kind != "u1" or way == ["tsqr"] else (1e-1, 10)
                compare(("center, value", way, shape, kind), got[1:2], [s[:1]], most[0])
                compare(("center, vectors", way, shape, kind), got[::2], (u[:, :1], v[:1]), most[1])
        x = base.astype("f4") + 1000
        x[rng.random(shape) < 0.1] = np.nan
        filled = np.where(np.isnan(x), np.nanmean(x.astype(float), axis=0), x)
        want = exact(filled - filled.mean(axis=0))
        got = ours(x, "--center", "--missing", "mean", "--algorithm", "tsqr", "-k", "2")
        compare(("center, missing", shape), got, (want[0][:, :2], want[1][:2], want[2][:2]), 1e-9)


for name in sys.argv[2:] or ["center", "tsqr", "uneven", "compressed", "krylov", "whole", "missing"]:
    globals()["check_" + name]()
sys.exit(wrong > 0)
