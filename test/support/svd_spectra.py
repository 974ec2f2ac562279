"""svd_spectra.py [--full] [--only NAME,...]: gt-svd of arrays with known, hard spectra against LAPACK (numpy), for many limits of
passes and tolerances.

Of every run: U and V are orthonormal to 1e-12; each component whose residual, computed here in extended precision, is above
--tol is named by a warning; the residuals in --json are right; singular values that are not warned of are those of LAPACK to
max(tol, eps (s1 / si)^2).  By default a few limits and tolerances of each spectrum.  --full takes an hour: every limit from 3
to 200 passes that is reached, as float64 and float32; a coarse grid of all spectra first."""
import json
import re
import subprocess
import sys

import numpy as np

EPS = np.finfo(float).eps
K = 10


def rotated(rng, rows, columns, values):
    """An array with these singular values, the rest 0."""
    n = len(values)
    u = np.linalg.qr(rng.standard_normal((rows, n)))[0]
    v = np.linalg.qr(rng.standard_normal((columns, n)))[0]
    return u * values @ v.T


def uncentred(rng, mean, rows=4000, columns=600):
    """Noise and one direction on top of a mean."""
    return mean + rng.standard_normal((rows, columns)) + 3 * rng.standard_normal((rows, 1)) * rng.standard_normal(columns) / 8


def genotypes(rng, rows, columns):
    return rng.binomial(2, rng.beta(0.5, 0.5, (3, columns))[rng.integers(0, 3, rows)])


def spectra():
    """name -> a function of a random generator that makes the array."""
    i = np.arange(1, 301)
    made = {
        "geometric 1e-6": lambda r: rotated(r, 600, 400, np.geomspace(1, 1e-6, 400)),
        "geometric 1e-12": lambda r: rotated(r, 600, 400, np.geomspace(1, 1e-12, 400)),
        "tenfold to 1e-12": lambda r: rotated(r, 500, 300, 10.0 ** -np.arange(13)),
        "twofold": lambda r: rotated(r, 500, 300, 0.5 ** np.arange(50)),
        "dominant 1e5": lambda r: rotated(r, 500, 300, np.append(1e5, np.linspace(1, 0.5, 299))),
        "dominant 1e8": lambda r: rotated(r, 500, 300, np.append(1e8, np.linspace(1, 0.5, 299))),
        "two dominant": lambda r: rotated(r, 500, 300, np.append([1e6, 1e3], np.linspace(1, 0.1, 298))),
        "dominant, wide": lambda r: rotated(r, 300, 700, np.append(1e4, np.linspace(1, 0.5, 299))),
        "clusters": lambda r: rotated(r, 500, 300, np.repeat([1, 0.5, 0.1], 100) * (1 + 1e-9 * r.standard_normal(300))),
        "repeated twelve times": lambda r: rotated(r, 500, 300, np.append(np.ones(12), 0.9 / i[:288])),
        "repeated pairs": lambda r: rotated(r, 500, 300, np.repeat(1.0 / i[:150], 2)),
        "all equal": lambda r: rotated(r, 400, 300, np.ones(300)),
        "gaussian": lambda r: r.standard_normal((700, 400)),
        "gaussian, square": lambda r: r.standard_normal((320, 320)),
        "rank 6": lambda r: rotated(r, 500, 300, np.array([6.0, 5, 4, 3, 2, 1])),
        "1/i": lambda r: rotated(r, 500, 300, 1.0 / i),
        "1/i^2": lambda r: rotated(r, 500, 300, 1.0 / i**2),
        "1/sqrt(i)": lambda r: rotated(r, 900, 300, 1.0 / np.sqrt(i)),
        "step to 1e-3": lambda r: rotated(r, 500, 300, np.append(np.ones(10), 1e-3 * np.ones(290))),
        "step to 0.99": lambda r: rotated(r, 500, 300, np.append(np.ones(10), 0.99 * np.ones(290))),
        "signal in noise": lambda r: r.standard_normal((700, 8)) @ r.standard_normal((8, 400)) + 5 * r.standard_normal((700, 400)),
        "mean 1": lambda r: uncentred(r, 1, 900, 500),
        "mean 100": lambda r: uncentred(r, 100, 900, 500),
        "mean 1e4": lambda r: uncentred(r, 1e4),
        "mean 1e6": lambda r: uncentred(r, 1e6, 900, 500),
        "pressure": lambda r: uncentred(r, 101325, 900, 500),
        "column scales": lambda r: r.standard_normal((700, 400)) * np.geomspace(1e-6, 1e6, 400),
        "float32, mean 1000": lambda r: uncentred(r, 1000, 900, 500).astype("f4"),
        "float32, geometric": lambda r: rotated(r, 600, 400, np.geomspace(1, 1e-6, 400)).astype("f4"),
        "0, 1 and 2": lambda r: genotypes(r, 900, 400).astype("u1"),
        "1e-160": lambda r: rotated(r, 500, 300, 1e-160 / i),
        "near 1e-307": lambda r: r.standard_normal((400, 300)) * 1e-307,
        "near 1e300": lambda r: rotated(r, 500, 300, 1e300 / i),
        "equal rows": lambda r: np.ones((400, 1)) * r.standard_normal(300),
        "0, 1 and 2, nearly equal": lambda r: np.where(r.random((400, 300)) < 1e-4, 1, 2).astype("u1"),
        "gaussian, 8 by 8": lambda r: r.standard_normal((8, 8)),
        "gaussian, 40 by 17": lambda r: r.standard_normal((40, 17)),
        "centred, mean 1e6": lambda r: uncentred(r, 1e6, 900, 500),
        "centred, mean 1e9": lambda r: uncentred(r, 1e9, 900, 500),
        "centred, equal rows": lambda r: np.ones((400, 1)) * r.standard_normal(300),
    }
    return made


class Reference:
    """LAPACK's singular values of an array, and residuals in extended precision."""

    def __init__(self, x, center=False):
        x = x.astype(np.longdouble)
        self.largest = abs(x).max()
        if center:
            x -= np.round(x.mean(axis=0))  # without rounding, and the rest is small
            x -= x.mean(axis=0)
        self.scale = np.longdouble(2) ** (int(np.frexp(float(abs(x).max()))[1]) // 2)
        self.exact = x / self.scale / self.scale
        self.x = self.exact.astype(float)
        self.values = np.linalg.svd(self.x, compute_uv=False)

    def residuals(self, u, s, v, tol):
        """max(|A v - s u|, |A'u - s v|) / s of each component: in doubles, and if these cannot tell from tol, in extended precision."""
        for kind, x in (float, self.x), (np.longdouble, self.exact):
            values = (s.astype(np.longdouble) / self.scale / self.scale).astype(kind)
            left = np.linalg.norm((x @ v.T - u * values).astype(float), axis=0)
            right = np.linalg.norm((x.T @ u - v.T * values).astype(float), axis=0)
            with np.errstate(all="ignore"):
                residuals = np.maximum(left, right) / values.astype(float)
                if (EPS * max(x.shape) * values[0] / values < 1e-3 * tol).all():
                    break
        return residuals


def run(args):
    done = subprocess.run(["gt-svd", "-f", "--json", *args, "in.npy", "-o", "out"], capture_output=True, text=True)
    return done.returncode, done.stdout, done.stderr


def named(stderr):
    """Numbers of the components that warnings name."""
    found = set()
    for line in stderr.splitlines():
        if "warning:" in line:
            for part in re.findall(r"components? ([0-9, toand]+)", line.split(";")[0]):
                for low, high in re.findall(r"(\d+)(?: to (\d+))?", part):
                    found |= set(range(int(low), int(high or low) + 1))
    return found


def check(reference, tol, args):
    """What is wrong with a run, in words (empty: nothing), and the passes it took."""
    status, summary, stderr = run(args)
    if status:
        return ["exit %d: %s" % (status, stderr.strip())], 0
    u, s, v = (np.load("out.%s.npy" % part) for part in "usv")
    wrong = []
    for name, q in ("U", u.T @ u), ("V", v @ v.T):
        if not abs(q - np.eye(len(s))).max() <= 1e-12:
            wrong.append("|%s'%s - I| = %.2g" % (name, name, abs(q - np.eye(len(s))).max()))
    warned = {c - 1 for c in named(stderr)}
    told, rank = json.loads(summary)["residuals"], json.loads(summary)["rank"]
    s1 = (s.astype(np.longdouble) / reference.scale / reference.scale).astype(float)
    rounding = EPS * max(reference.x.shape) * s1[0] / np.maximum(s1, 1e-300)
    shown = [*range(len(s))] if len(s) <= 2 * K else [*range(K), *range(len(s) - K, len(s))]
    for c, r in zip(shown, reference.residuals(u[:, shown], s[shown], v[shown], tol or 0)):
        if s1[c] == 0 and reference.values[c] <= 1e-18 * reference.largest:
            continue  # 0 it is, but for the rounding of extended precision
        limit = tol or 100 * rounding[c]  # tsqr: exact; compressed without --tol promises nothing
        if not r <= limit and c not in warned and (tol or "tsqr" in args):
            wrong.append("component %d: residual %.17g and no warning" % (c + 1, r))
        if told and (told[c] is None) != (c >= rank):
            wrong.append("component %d: residual %s, rank %d" % (c + 1, told[c], rank))
        if told and told[c] is not None and not abs(told[c] - r) <= 0.05 * r + rounding[c]:
            wrong.append("component %d: residual %.3g, printed %.3g" % (c + 1, r, told[c]))
        want = reference.values[c]
        most = max(tol or 0, EPS * (reference.values[0] / want) ** 2 if want > 0 else np.inf, 5e-14)  # LAPACK's own error
        if c not in warned and not abs(s1[c] - want) <= most * want and (tol or "tsqr" in args):
            wrong.append("value %d: %.17g, LAPACK %.17g" % (c + 1, s1[c], want))
    return wrong, json.loads(summary)["passes"]


COMPRESSED = [[], ["--power-iterations", "2"], ["--iterator", "QR", "--power-iterations", "2"]]
TOLS = [1e-2, 1e-3, 1e-4, 1e-6, 1e-8, 1e-10, 1e-12]
LIMITS = [*range(3, 31), 40, 50, 60, 80, 100, 130, 160, 199]


class Trials:
    """Runs of one array."""

    saved = None

    def __init__(self, name, x):
        self.name, self.array, self.reference = name, x, Reference(x, "centred" in name)
        self.k = ["-k", str(min(K, *x.shape))]
        self.runs = self.failed = 0
        self.passes = {}  # of krylov, tol -> those that it takes

    def trial(self, tol, args):
        if self.array is not Trials.saved:
            np.save("in.npy", self.array)
            Trials.saved = self.array
        args = [*args, *(["--center"] if "centred" in self.name else [])]
        wrong, passes = check(self.reference, tol, args)
        self.runs += 1
        self.failed += bool(wrong)
        if wrong:
            print(self.name, " ".join(args), *wrong[:4], sep="; ", flush=True)
        return passes

    def krylov(self, limit, tol):
        limit = max(limit, 4) if "centred" in self.name else limit
        return self.trial(tol, ["--algorithm", "krylov", *self.k, "--tol", str(tol), "--passes", str(limit)])

    def compressed(self, tol, more):
        return self.trial(tol, ["--algorithm", "compressed", *self.k, *more, *(["--tol", str(tol)] if tol else [])])

    def few(self):
        for limit, tol in (200, 1e-4), (6, 1e-2), (40, 1e-12):
            self.krylov(limit, tol)
        self.trial(None, ["--algorithm", "tsqr"])
        self.compressed(None, [])
        self.compressed(1e-3, COMPRESSED[1])
        self.compressed(1e-12, COMPRESSED[0])

    def coarse(self):
        self.trial(None, ["--algorithm", "tsqr"])
        self.trial(None, ["--algorithm", "tsqr", *self.k])
        for more in COMPRESSED:
            for tol in None, *TOLS:
                self.compressed(tol, more)
        for tol in TOLS:
            self.passes[tol] = self.krylov(200, tol)

    def fine(self, limits):
        """A limit that is not reached changes nothing: one of those is enough."""
        for tol in TOLS:
            beyond = [n for n in limits if n > self.passes[tol]]
            for limit in [n for n in limits if n <= self.passes[tol]] + beyond[:1]:
                self.krylov(limit, tol)


def arrays(full, only):
    for number, (name, make) in enumerate(spectra().items()):
        if only and not any(part in name for part in only):
            continue
        x = make(np.random.default_rng(number))
        yield name, x
        small = x.astype("f4") if full and x.dtype == float and 1e-30 < abs(x).max() < 1e30 else None
        if small is not None:
            yield name + ", as float32", small


def main():
    full = "--full" in sys.argv
    only = sys.argv[sys.argv.index("--only") + 1].split(",") if "--only" in sys.argv else None
    all_trials = []
    for name, x in arrays(full, only):
        trials = Trials(name, x)
        all_trials.append(trials)
        if full:
            trials.coarse()
        else:
            trials.few()
            trials.array = trials.reference = None
    for limits in (LIMITS[::4], LIMITS[1::4], LIMITS[2::4], LIMITS[3::4]) if full else ():
        for trials in all_trials:
            trials.fine(limits)
        print("passes", *limits, "done:", sum(t.runs for t in all_trials), "runs", flush=True)
    print("%d runs, %d wrong" % (sum(t.runs for t in all_trials), sum(t.failed for t in all_trials)))
    sys.exit(any(t.failed for t in all_trials))


if __name__ == "__main__":
    main()
