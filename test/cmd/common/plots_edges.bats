#!/usr/bin/env bats
# Plots of numbers at the ends of their ranges: 0, 1, one half, one value only, one sample, negative kinship; read back from the SVG.

bats_require_minimum_version 1.5.0

setup() {
    cd "$BATS_TEST_TMPDIR" || exit 1
    export PYTHONPATH=$GT_SOURCE/test/support
    "$PYTHON" -c 'import numpy' || skip "no numpy"
}

@test "gt-info --plot: rates and frequencies that are ends of bars, one sample, one variant, all alike" {
    "$PYTHON" << 'PY'
import numpy as np
from stats_oracle import write
rng = np.random.default_rng(4)
g = rng.integers(0, 3, (100, 20))
for s in range(20):
    g[: 5 * s, s] = -1                        # missing rates of samples 0, 0.05, 0.1, ...
write("steps.vcf", g)
g = np.zeros((41, 20), int)
for v in range(41):
    g[v].flat[: v // 2] = 2
    g[v, v // 2 : v // 2 + v % 2] = 1         # frequencies 0, 1/40, ... 1
write("freq.vcf", g)
write("one.vcf", rng.integers(0, 3, (30, 1)))
write("single.vcf", rng.integers(0, 3, (1, 30)))
write("ref.vcf", np.zeros((10, 5), int))
write("hets.vcf", np.ones((10, 5), int))
write("half.vcf", np.where(np.arange(10)[:, None] % 2, -1, 1) * np.ones((10, 4), int))
PY
    for name in steps freq one single ref hets half; do gt-info -q --plot $name.svg $name.vcf; done
    "$PYTHON" << 'PY'
from fractions import Fraction
from svg_numbers import *
def calls(path):
    rows = [l.split()[9:] for l in open(path) if l[0] != "#"]
    return np.array([[-1 if c[0] == "." else int(c[0]) + int(c[2]) for c in r] for r in rows])
def check_bars(plot, k, values, what):
    bars = plot.bars(k)
    count = 0
    for left, right, height, title in bars:
        left, right = round(left, 3), round(right, 3)
        inside = sum(left <= np.floor(1000 * float(v) + 1e-9) / 1000 < right for v in values)
        count += inside
        assert int(title.split(": ")[1].replace(",", "")) == inside > 0 and abs(height - inside) < 0.02 * max(inside, 5), (what, left, right, height, inside)
        assert title.split(": ")[0] == "%.4g to %.4g" % (left, right), (what, title, left, right)
    assert count == len(values), (what, count, len(values))
for name in "steps", "freq", "one", "single", "ref", "hets", "half":
    g, plot = calls(name + ".vcf"), Plot(name + ".svg")
    gone = g < 0
    full = lambda v: min(v, Fraction(999, 1000))  # the last bar has its upper end
    check_bars(plot, 0, [full(Fraction(int(n), len(g))) for n in gone.sum(0)], name)
    check_bars(plot, 1, [full(Fraction(int(n), g.shape[1])) for n in gone.sum(1)], name)
    alt, called = np.where(gone, 0, g).sum(1), 2 * (~gone).sum(1)
    check_bars(plot, 2, [min(Fraction(min(int(a), int(c - a)), int(c)), Fraction(499, 1000)) for a, c in zip(alt, called) if c], name)
    points, (px, py) = plot.points(3)
    for s in range(g.shape[1]):
        if gone[:, s].all():
            assert f"s{s}" not in points
            continue
        x, y = gone[:, s].mean(), (g[:, s] == 1).sum() / (~gone[:, s]).sum()
        assert abs(points[f"s{s}"][0] - x) <= px and abs(points[f"s{s}"][1] - y) <= py, (name, s, points[f"s{s}"], x, y)
    plot.texts_inside()
PY
}

@test "gt-info --kinship: values from -0.5 to 0.5, ends of bars, one value, all negative" {
    gt-sim -q --samples 5 --variants 20 -O vcf -o x.vcf
    kin() { { printf '#ID1\tID2\tKINSHIP\n'; printf 'a\tb\t%s\n' "${@:2}"; } > "$1.kin0"; }
    kin all -0.5 -0.25 -0.1 0 0.0442 0.0884 0.125 0.177 0.25 0.354 0.5
    kin one 0.25
    kin low -0.4 -0.3 -0.2 -0.4
    kin zero 0 0 0 -0.001 0.001
    kin high 0.499 0.5 0.5
    for name in all one low zero high; do gt-info -q --plot $name.svg --kinship $name.kin0 x.vcf; done
    "$PYTHON" << 'PY'
from svg_numbers import *
for name in "all", "one", "low", "zero", "high":
    values = [float(l.split()[2]) for l in open(name + ".kin0").readlines()[1:]]
    plot = Plot(name + ".svg")
    count = 0
    for low, high, height, title in plot.bars(4):
        low, high = round(low, 3), round(high, 3)
        inside = sum(low <= min(np.floor((v + 0.5) * 1000 + 1e-9) / 1000 - 0.5, 0.499) + 1e-7 < high for v in values)
        assert int(title.split(": ")[1]) == inside and abs(height - inside) < 0.05, (name, low, high, height, title, inside)
        count += inside
    assert count == len(values), (name, count)
    assert plot.label(4, "x") == "kinship coefficient"
    plot.texts_inside()
PY
}

@test "gt-svd --plot: two and three samples, one to four components, mirrored samples: points, bars and percentages by numpy" {
    "$PYTHON" << 'PY'
import numpy as np
from stats_oracle import write
rng = np.random.default_rng(4)
write("two.vcf", rng.integers(0, 3, (40, 2)))
write("three.vcf", rng.integers(0, 3, (40, 3)))
write("nine.vcf", rng.integers(0, 3, (60, 9)))
half = rng.integers(0, 3, (60, 4))
write("mirror.vcf", np.concatenate([half, 2 - half], 1))
PY
    for run in two:1 two:2 three:1 three:2 three:3 nine:1 nine:3 nine:4 mirror:2; do
        gt-svd -q -f -k ${run#*:} --algorithm gram ${run%:*}.vcf --plot $run.svg -O plink -o $run
    done
    "$PYTHON" << 'PY'
from svg_numbers import *
for run in "two:1 two:2 three:1 three:2 three:3 nine:1 nine:3 nine:4 mirror:2".split():
    name, k = run.split(":")[0], int(run.split(":")[1])
    rows = [l.split()[9:] for l in open(name + ".vcf") if l[0] != "#"]
    g = np.array([[int(c[0]) + int(c[2]) for c in r] for r in rows], float)
    p = g.mean(1) / 2
    used = (p > 0) & (p < 1)
    x = ((g - 2 * p[:, None]) / np.sqrt(np.where(used, 2 * p * (1 - p), 1))[:, None])[used]
    values, vectors = np.linalg.eigh(x.T @ x)
    values, vectors = np.maximum(values[::-1], 0), vectors[:, ::-1]
    plot, percent = Plot(run + ".svg"), 100 * values / values.sum()
    seen = set()
    for frame in range(len(plot.frames)):
        for side in "xy":
            said = re.match(r"PC(\d+)(?: \(([\d.e+-]+) %\))?$", plot.label(frame, side) or "")
            if not said:
                continue  # samples in their order, or the bars
            c = int(said[1]) - 1
            seen.add(c)
            assert abs(float(said[2] or 0) - percent[c]) <= 0.006 * max(percent[c], 1), (run, said[0], percent)
            if values[c] < 1e-9 * values[0] or (c + 1 < len(values) and values[c] - values[c + 1] < 1e-6 * values[0]):
                continue  # a vector of any direction
            points, pixels = plot.points(frame)
            at = "xy".index(side)
            got = np.array([points.get(f"s{i}", (np.nan, np.nan))[at] for i in range(g.shape[1])])
            shown = np.isfinite(got)
            length = 1 if np.abs(got[shown]).max() <= 1.01 else np.sqrt(values[c])
            off = min(np.abs(sign * vectors[shown, c] * length - got[shown]).max() for sign in (1, -1))
            assert shown.sum() >= 1 and off <= pixels[at], (run, side, off, pixels)
    assert seen == set(range(k)), (run, seen)  # pairs; the last of an odd number has PC1 beside it
    if k > 1 and plot.label(len(plot.frames) - 1, "x") == "PC":  # one bar has one tick
        for c, (left, right, height, _) in enumerate(sorted(plot.bars(len(plot.frames) - 1))):
            assert abs((left + right) / 2 - c - 1) < 0.01 and abs(height - percent[c]) <= 0.006 * percent[0], (run, c, height, percent)
    plot.texts_inside()
PY
}
