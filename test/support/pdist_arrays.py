"""pdist_arrays.py SEED [CHECK...]: gt-pdist against scipy's pdist, on arrays of many shapes and kinds; what
differs is printed, and is an error.  And with missing values, against sums written out.  CHECK: scipy, mahalanobis, names or missing
(default: all)."""
import os
import subprocess
import sys
import warnings

import numpy as np
from scipy.spatial.distance import pdist

warnings.simplefilter("ignore")
BOOLEAN = "jaccard dice kulczynski1 kulsinski rogerstanimoto russellrao sokalmichener sokalsneath yule".split()
NUMERIC = "euclidean sqeuclidean cityblock minkowski chebyshev canberra braycurtis cosine correlation hamming".split()
UNWEIGHTED = ["seuclidean", "jensenshannon"]
quick = os.environ.get("GT_TEST_LEVEL", "quick") == "quick"
rng = np.random.RandomState(int(sys.argv[1]))


def ours(x, metric, *args):
    np.save("in.npy", x)
    subprocess.run(["gt-pdist", "-q", "-f", "-m", metric, "-O", "condensed", *args, "in.npy", "-o", "out.npy"], check=True)
    return np.load("out.npy")


def theirs(x, metric, **more):
    try:
        return pdist(x != 0 if metric in BOOLEAN else x, metric, **more)
    except ValueError:  # this scipy lacks it, or refuses zeros
        return None


def arrays(shape):
    x = rng.normal(size=shape)
    yield "normal", x
    yield "far from 0", x + 1e6
    yield "whole", rng.randint(0, 3, shape).astype("i1")
    yield "single", x.astype("f4")
    yield "zeros", np.zeros(shape)
    x = x.copy()
    x[0], x[-1] = 0.1, 0
    yield "rows of one value", x
    x = x.copy()
    x[0, 0], x[-1, -1] = np.inf, -np.inf
    yield "infinite", x


def same(got, want, x):
    # what differences of numbers far from 0 leave of them
    rough = 1e-16 * np.max(np.abs(x[np.isfinite(x)]), initial=1) ** 2 if x.dtype.kind == "f" else 0
    return np.isclose(got, want, rtol=1e-11, atol=max(1e-13, min(rough, 1e-5)), equal_nan=True)


def undefined(x, metric):
    """Pairs with a row that has no direction."""
    row = ~np.isfinite(x).all(1) | ((x == 0).all(1) if metric == "cosine" else np.max(x, 1) == np.min(x, 1))
    i, j = np.triu_indices(len(x), 1)
    return row[i] | row[j]


def check_scipy():
    for shape in [(1, 5), (2, 1), (5, 4), (33, 40)]:
        w = rng.rand(shape[1])
        np.savetxt("w.txt", w, fmt="%.17g")
        for kind, x in arrays(shape):
            if shape[0] < 3 and kind != "normal" or quick and shape[0] == 5 and kind not in ("normal", "infinite"):
                continue
            for metric in NUMERIC + BOOLEAN + UNWEIGHTED:
                power = {"p": 3.2} if metric == "minkowski" else {}
                args = ["-p", "3.2"] if power else []
                for weights in [{}, {"w": w}]:
                    if weights and metric in UNWEIGHTED:
                        continue
                    want = theirs(x, metric, **power, **weights)
                    got = ours(x, metric, *args, *(["--weights", "w.txt"] if weights else []))
                    if want is None:
                        continue
                    ok = same(got, want, x)
                    if metric == "jensenshannon":
                        ok |= np.isnan(want) & ((got < 1e-7) | np.isinf(got))  # scipy: the root of what rounding left below 0
                    if metric in ("cosine", "correlation"):  # scipy may give noise of rounding, or 0 with weights, for 0 / 0
                        ok = np.where(undefined(x, metric), np.isnan(got), ok)
                    if not ok.all():
                        at = int(np.argmin(ok))
                        sys.exit(f"{shape} {kind} {metric} {list(weights)}: pair {at} is {got[at]!r}, not {want[at]!r}")


def check_mahalanobis():
    """With the covariance of the rows, and with another one; columns near 0 and far from it, of any unit."""
    for shape in [(2, 1), (6, 5), (40, 33), (300, 64), (200, 129)]:
        x = rng.normal(size=shape)
        half = rng.normal(size=(shape[1], shape[1]))
        vi = half @ half.T + np.eye(shape[1]) + (half - half.T)  # only what is symmetric of it counts
        np.save("vi.npy", vi)
        for kind, y in [("normal", x), ("far from 0", x + 1e6), ("of many units", x * 10.0 ** rng.randint(-6, 6, shape[1]))]:
            for args, more in [([], {}), (["--vi", "vi.npy"], {"VI": vi})]:
                got, want = ours(y, "mahalanobis", *args), pdist(y, "mahalanobis", **more)
                if not np.allclose(got, want, rtol=1e-10):  # scipy's own rounding is of that size
                    sys.exit(f"mahalanobis {shape} {kind} {args}: differs by {np.max(np.abs(got / want - 1))}")


def check_names():
    from scipy.spatial import distance

    x = rng.randint(0, 3, (9, 7)).astype(float)
    for metric in distance._METRIC_INFOS:
        for name in metric.aka:
            if not np.array_equal(ours(x, name), ours(x, metric.canonical_name), equal_nan=True):
                sys.exit(f"{name} is not {metric.canonical_name}")


def check_missing():
    """rescale, ignore: pair by pair, scipy on the columns that both have."""
    x = rng.normal(size=(12, 60))
    x[rng.rand(*x.shape) < 0.2] = np.nan
    x[3] = np.nan
    x[7, :30] = np.nan
    x[8, 30:] = np.nan  # no column in common with the one before
    w = rng.rand(60)
    np.save("w.npy", w)
    grows = ["euclidean", "sqeuclidean", "cityblock", "minkowski", "canberra"]
    for metric in NUMERIC + BOOLEAN:
        for rule in ["rescale", "ignore"]:
            for weights in [None, w]:
                got = iter(ours(x, metric, "--missing", rule, *(["--weights", "w.npy"] if weights is not None else [])))
                for i in range(12):
                    for j in range(i + 1, 12):
                        known = ~np.isnan(x[i]) & ~np.isnan(x[j])
                        value, more = next(got), {} if weights is None else {"w": w[known]}
                        if not known.any():
                            want = 0 if rule == "ignore" and metric in grows else np.nan
                        else:
                            want = theirs(x[[i, j]][:, known], metric, **more)[0]
                            share = 60 / known.sum() if weights is None else w.sum() / w[known].sum()
                            if rule == "rescale" and metric in grows:
                                want *= share ** (0.5 if metric in ("euclidean", "minkowski") else 1)
                        if not np.isclose(value, want, rtol=1e-11, atol=1e-12, equal_nan=True):
                            sys.exit(f"{metric} --missing {rule} {weights is not None}: {i}, {j} is {value!r}, not {want!r}")


for name in sys.argv[2:] or ["scipy", "mahalanobis", "names", "missing"]:
    globals()["check_" + name]()
