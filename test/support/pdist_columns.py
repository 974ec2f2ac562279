"""Every column of the tables of gt-pdist against numpy, on calls of every kind: missing, half, haploid, of several ALTs.

python3 pdist_columns.py       files are made in the working directory
"""
import random

import numpy as np

from selection_oracle import SAMPLES, code, make, run, write

rng = random.Random(7)
SITES = make(rng, 3)
X = np.array([[np.nan if code(c) is None else code(c) for c in s[6]] for s in SITES])
N = len(SAMPLES)


def table(*args):
    rows = [line.split("\t") for line in run("gt-pdist", "-q", *args).decode().split("\n")[:-1]]
    return rows[0], rows[1:]


def near(text, value):
    return abs(float(text) - value) <= 1e-5 * max(1, abs(value)) if np.isfinite(value) else text in ("nan", "-nan", "NA", "inf", "-inf")


def pair(i, j):
    both = ~np.isnan(X[:, i]) & ~np.isnan(X[:, j])
    return X[both, i], X[both, j]


def ibs(i, j):
    a, b = pair(i, j)
    return 1 - np.abs(a - b).sum() / (2 * len(a))


def kin0(path):
    head, rows = table("-m", "king", "-O", "kin0", path)
    assert head == ["#FID1", "IID1", "FID2", "IID2", "NSNP", "HETHET", "IBS0", "KINSHIP"], head
    assert len(rows) == N * (N - 1) // 2 == len({frozenset((r[1], r[3])) for r in rows})
    for _, one, _, two, n, hethet, ibs0, kinship in rows:
        a, b = pair(SAMPLES.index(one), SAMPLES.index(two))
        least = min((a == 1).sum(), (b == 1).sum())
        assert int(n) == len(a), (path, one, two, n, len(a))
        assert near(hethet, ((a == 1) & (b == 1)).mean()) and near(ibs0, (np.abs(a - b) == 2).mean()), (path, one, two)
        assert near(kinship, 0.5 - ((a - b) ** 2).sum() / (4 * least)), (path, one, two, kinship)


def pairs(path):
    values = {(i, j): ibs(i, j) for i in range(N) for j in range(N) if i != j}
    low, high = np.quantile(list(values.values()), [0.3, 0.8])
    for options, kept in ((), lambda v: True), (("--min", repr(low)), lambda v: v >= low), (("--max", repr(high)), lambda v: v <= high):
        head, rows = table("-m", "ibs", "-O", "pairs", *options, path)
        assert head == ["id1", "id2", "ibs", "n"], head
        assert {frozenset(r[:2]) for r in rows} == {frozenset((SAMPLES[i], SAMPLES[j])) for (i, j), v in values.items() if kept(v)}
        for one, two, value, n in rows:
            i, j = SAMPLES.index(one), SAMPLES.index(two)
            assert int(n) == len(pair(i, j)[0]) and near(value, values[i, j]), (path, one, two, value, n)
    for k in 1, 3, N - 1:
        head, rows = table("-m", "ibs", "--knn", str(k), path)
        assert head[:3] == ["id1", "id2", "ibs"] and len(rows) == k * N, (head, len(rows))
        for i, sample in enumerate(SAMPLES):
            mine = [r for r in rows if r[0] == sample]
            best = sorted((v for (a, _), v in values.items() if a == i), reverse=True)[:k]
            assert len({r[1] for r in mine}) == k and all(near(r[2], v) for r, v in zip(mine, best)), (path, sample, mine, best)
            for r in mine:
                j = SAMPLES.index(r[1])
                assert near(r[2], values[i, j]) and int(r[3]) == len(pair(i, j)[0])


def groups(path):
    """Rows and columns of lists, in their order, with names that occur in both."""
    rows, columns = rng.sample(SAMPLES, 5), rng.sample(SAMPLES, 6)
    open("rows.list", "w").write("\n".join(rows) + "\n")
    open("columns.list", "w").write("\n".join(columns) + "\n")
    head, got = table("-m", "ibs", "-O", "pairs", "--rows", "rows.list", "--cols", "columns.list", path)
    assert [tuple(r[:2]) for r in got] == [(a, b) for a in rows for b in columns], (path, got[:3])
    for one, two, value, n in got:
        i, j = SAMPLES.index(one), SAMPLES.index(two)
        assert near(value, ibs(i, j)) and int(n) == len(pair(i, j)[0]), (path, one, two)


if __name__ == "__main__":
    write("x.vcf", SITES)
    run("gt-pack", "-q", "--chunks", "variants=16,samples=4", "x.vcf", "-o", "x.zarr")
    run("gt-pack", "-q", "--layout", "vcz", "x.vcf", "-o", "x.vcz")
    run("gt-unpack", "-q", "x.vcf", "-o", "x.bcf")
    for check in (kin0, pairs, groups):
        for path in "x.vcf", "x.bcf", "x.zarr", "x.vcz":
            check(path)
