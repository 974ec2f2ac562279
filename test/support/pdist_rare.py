"""pdist_rare.py write: x.bed, 900 samples x 500 variants of which nine in ten are rare; and distances by numpy, want.METRIC.npy.
pdist_rare.py check METRIC: got.npy is what numpy has, but for the diagonal."""
import sys

import numpy as np

if sys.argv[1] == "check":
    got, want = np.load("got.npy"), np.load(f"want.{sys.argv[2]}.npy")
    off = ~np.eye(len(want), dtype=bool)
    assert np.array_equal(got[off], want[off], equal_nan=True), (sys.argv[2], np.nanmax(abs(got - want)[off]))
    sys.exit()

rng = np.random.default_rng(1)
n, m = 900, 500
p = np.where(rng.random(m) < 0.9, 10 ** rng.uniform(-3, -1.7, m), rng.random(m))
g = rng.binomial(2, p[:, None], (m, n))
g = np.where(rng.random((m, 1)) < 0.3, 2 - g, g)  # ALT is the major allele
g[rng.random((m, n)) < np.where(np.arange(m) % 2, 0.005, 0)[:, None]] = 3
codes = np.array([3, 2, 0, 1])[g]  # of A1
codes = np.pad(codes, ((0, 0), (0, -n % 4))).reshape(m, -1, 4)
with open("x.bed", "wb") as bed:
    bed.write(b"\x6c\x1b\x01" + (codes << np.array([0, 2, 4, 6])).sum(2).astype(np.uint8).tobytes())
open("x.bim", "w").writelines(f"1 v{k} 0 {k + 1} A C\n" for k in range(m))
open("x.fam", "w").writelines(f"0 s{k} 0 0 0 -9\n" for k in range(n))
h = [(g == c).astype(float) for c in range(3)]


def pairs(f):
    return sum(f(x, y) * h[x].T @ h[y] for x in range(3) for y in range(3))


square, hets = pairs(lambda x, y: (x - y) ** 2), pairs(lambda x, y: x == 1)
np.save("want.cityblock.npy", pairs(lambda x, y: abs(x - y)))
np.save("want.euclidean.npy", np.sqrt(square))
with np.errstate(all="ignore"):
    king = 0.5 - square / (4 * np.minimum(hets, hets.T))
np.save("want.king.npy", king)
