"""svd_spectra.py [--full | --sample N] [--only NAME,...]: gt-svd of arrays with known, hard spectra against LAPACK (numpy), for many limits
of passes and tolerances.

Of every run: U and V are orthonormal to 1e-12; each component whose residual, computed here in extended precision, is above
--tol is named by a warning; the residuals in --json are right; singular values that are not warned of are those of LAPACK to
max(tol, eps (s1 / si)^2).  By default a few limits and tolerances of each spectrum; --full takes hours, and --sample runs N
that are drawn from those of each spectrum."""
import json
import random
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
    }
    return made


class Reference:
    """What LAPACK says of an array."""

    def __init__(self, x, center=False):
        x = x.astype(float)
        exponent = np.frexp(abs(x).max())[1]
        self.scale = 2.0 ** (int(exponent) // 2)  # twice: a power of 2 that double precision has
        self.x = x / self.scale / self.scale
        if center:
            self.x = self.x - self.x.mean(axis=0)
        self.values = np.linalg.svd(self.x, compute_uv=False)
        self.exact = self.x.astype(np.longdouble)

    def residuals(self, u, s, v):
        """max(|A v - s u|, |A'u - s v|) / s of each component."""
        s = (s / self.scale / self.scale).astype(np.longdouble)
        left = np.linalg.norm((self.exact @ v.T - u * s).astype(float), axis=0)
        right = np.linalg.norm((self.exact.T @ u - v.T * s).astype(float), axis=0)
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.maximum(left, right) / s.astype(float)


def run(args):
    done = subprocess.run(["gt-svd", "-f", "--json", *args, "in.npy", "-o", "out"], capture_output=True, text=True)
    return done.returncode, done.stdout, done.stderr


def named(stderr):
    """Numbers of the components that warnings name."""
    found = set()
    for line in stderr.splitlines():
        if "warning:" in line:
            for part in re.findall(r"components? ([0-9, toand]+)", line):
                for low, high in re.findall(r"(\d+)(?: to (\d+))?", part):
                    found |= set(range(int(low), int(high or low) + 1))
    return found


def check(reference, tol, args):
    """What is wrong with a run, in words; empty: nothing."""
    status, summary, stderr = run(args)
    if status:
        return ["exit %d: %s" % (status, stderr.strip())]
    u, s, v = (np.load("out.%s.npy" % part) for part in "usv")
    wrong = []
    for name, q in ("U", u.T @ u), ("V", v @ v.T):
        if not abs(q - np.eye(len(s))).max() <= 1e-12:
            wrong.append("|%s'%s - I| = %.2g" % (name, name, abs(q - np.eye(len(s))).max()))
    warned = {c - 1 for c in named(stderr)}
    told = json.loads(summary)["residuals"]
    s1 = s / reference.scale / reference.scale
    rounding = EPS * max(reference.x.shape) * s1[0] / np.maximum(s1, 1e-300)
    for c, r in enumerate(reference.residuals(u, s, v)):
        if tol and not r <= tol * 1.01 and c not in warned:
            wrong.append("component %d: residual %.2g and no warning" % (c + 1, r))
        if told and told[c] is not None and not abs(told[c] - r) <= 0.05 * r + rounding[c]:
            wrong.append("component %d: residual %.3g, printed %.3g" % (c + 1, r, told[c]))
        want = reference.values[c]
        most = max(tol or 0, 4 * EPS * (reference.values[0] / want) ** 2 if want > 0 else np.inf, 1e-14)
        if c not in warned and not abs(s1[c] - want) <= most * want and "compressed" not in args:
            wrong.append("value %d: %.17g, LAPACK %.17g" % (c + 1, s1[c], want))
    return wrong


def main():
    full = "--full" in sys.argv
    only = sys.argv[sys.argv.index("--only") + 1].split(",") if "--only" in sys.argv else None
    limits = [*range(1, 31), 40, 50, 60, 80, 100, 130, 160, 200]
    tols = [1e-2, 1e-3, 1e-4, 1e-6, 1e-8, 1e-10, 1e-12]
    sample = int(sys.argv[sys.argv.index("--sample") + 1]) if "--sample" in sys.argv else 0
    everything = [(n, tol) for n in limits for tol in tols]
    krylov = everything if full else [(200, 1e-4), (6, 1e-2), (40, 1e-12)]
    compressed = [[], ["--power-iterations", "2"], ["--iterator", "QR", "--power-iterations", "2"]]
    runs = failed = 0
    for number, (name, make) in enumerate(spectra().items()):
        if only and not any(part in name for part in only):
            continue
        if sample:
            krylov = random.Random(number).sample(everything, sample)
        x = make(np.random.default_rng(number))
        np.save("in.npy", x)
        reference = Reference(x)
        tried = [(tol, ["--algorithm", "krylov", "-k", str(K), "--tol", str(tol), "--passes", str(n)]) for n, tol in krylov]
        tried += [(None, ["--algorithm", "tsqr"])]
        checked = [(tol, [*more, "--tol", str(tol)]) for more in (compressed if full else compressed[1:2]) for tol in (tols if full else [1e-3])]
        tried += [(tol, ["--algorithm", "compressed", "-k", str(K), *more]) for tol, more in [(None, compressed[0]), *checked]]
        for tol, args in tried:
            if "--passes" in args and int(args[-1]) < 3:
                wrong = [] if run(args)[0] == 2 else ["fewer than 3 passes are not refused"]
            else:
                wrong = check(reference, tol, args)
            runs += 1
            failed += bool(wrong)
            if wrong:
                print(name, " ".join(args), *wrong[:4], sep="; ", flush=True)
    print("%d runs, %d wrong" % (runs, failed))
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
