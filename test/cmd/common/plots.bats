#!/usr/bin/env bats
# The numbers of plots, read back from the SVG; PNG and PDF of them; groups.

bats_require_minimum_version 1.5.0

setup_file() {
    cd "$BATS_FILE_TMPDIR" || exit 1
    gt-sim -q --samples 90 --variants 700 --pops 3 --fst 0.2 --missing 0.02 --seed 4 -o s.zarr
    for i in $(seq 90); do echo "S$i g$((i % 60 + 1))"; done > sixty
    for i in $(seq 90); do echo "S$i g$((i % 3 + 1))"; done > three
}

setup() {
    cd "$BATS_FILE_TMPDIR" || exit 1
    export PYTHONPATH=$GT_SOURCE/test/support
    "$PYTHON" -c 'import numpy' || skip "no numpy"
}

has_pictures() { ASAN_OPTIONS=${ASAN_OPTIONS:-}:detect_leaks=0 gt-svd -q s.zarr -k 2 -f --plot try.png 2> /dev/null || skip "built without librsvg"; }

@test "gt-svd --plot: the last of 3 and of 5 PCs is drawn against PC1; of 1, against the samples; of 7, none" {
    for k in 1 3 5 7; do gt-svd -q s.zarr -k $k -f --plot p$k.svg -o q$k --output-format plink; done
    "$PYTHON" << 'PY'
from svg_numbers import *
for k, pairs in (3, ((0, 1), (0, 2))), (5, ((0, 1), (2, 3), (0, 4))), (7, ((0, 1), (2, 3), (4, 5))):
    plot, rows = Plot("p%d.svg" % k), [l.split() for l in open("q%d.eigenvec" % k)][1:]
    for frame, pair in enumerate(pairs):
        points, pixel = plot.points(frame)
        assert len(points) >= 80
        for r in rows:
            if r[-k - 1] in points:
                for axis in 0, 1:
                    assert abs(points[r[-k - 1]][axis] - float(r[-k:][pair[axis]])) < 0.6 * pixel[axis], (k, pair, r)
        for axis, name in enumerate("xy"):
            assert plot.label(frame, name).startswith("PC%d (" % (pair[axis] + 1)), plot.label(frame, name)
    assert plot.label(len(pairs), "x") == "PC"
assert Plot("p1.svg").label(0, "x") == "sample"
PY
}

@test "gt-svd --plot: each point is where its sample's components say, with the sample and its group" {
    gt-svd -q s.zarr -k 4 -f --plot p.svg --groups three -o p --output-format plink
    "$PYTHON" << 'PY'
from svg_numbers import *
plot, rows = Plot("p.svg"), [l.split() for l in open("p.eigenvec")]
names = rows[0]
pcs = {r[names.index("#IID") if "#IID" in names else 1]: [float(v) for v in r[-4:]] for r in rows[1:]}
group = dict(l.split() for l in open("three"))
assert len(pcs) == 90
for frame, (a, b) in enumerate(((0, 1), (2, 3))):
    points, (px, py) = plot.points(frame)
    assert 80 <= len(points) <= 90  # two at one place are one point
    for title, (x, y) in points.items():
        sample, g = title.split(", ")
        assert group[sample] == g and abs(x - pcs[sample][a]) < 0.6 * px and abs(y - pcs[sample][b]) < 0.6 * py, title
    assert plot.label(frame, "x").startswith("PC%d (" % (a + 1)) and plot.label(frame, "y").startswith("PC%d (" % (b + 1))
# the bars of the scree plot: the eigenvalues, in % of the variance as the label of the first axis says it
values = [float(v) for v in open("p.eigenval")]
bars = sorted(plot.bars(2))
assert len(bars) == len(values) == 4 and plot.label(2, "y") == "% of variance explained" and plot.label(2, "x") == "PC"
percent = float(re.match(r"PC1 \(([\d.]+) %\)", plot.label(0, "x"))[1])
assert abs(bars[0][2] - percent) < 0.006 * percent, (bars, percent)
for c, (left, right, height, _) in enumerate(bars):
    assert abs((left + right) / 2 - c - 1) < 0.01 and abs(right - left - 0.7) < 0.01, bars
    assert abs(height / bars[0][2] - values[c] / values[0]) < 0.005, (bars, values)
colours = {}  # one for each group, in points and legend
for g in plot.root.iter(SVG + "g"):
    for title in g.iter(SVG + "title"):
        colours.setdefault(title.text.split(", ")[1], set()).add(g.get("stroke") or g.get("fill"))
assert len(colours) == 3 and all(len(c) == 1 for c in colours.values()) and len(set.union(*colours.values())) == 3, colours
plot.texts_inside()
PY
}

@test "gt-pdist --plot: names of samples stand at the middle of their rows and columns" {
    gt-sim -q --samples 9 --variants 100 --seed 6 -f -o nine.zarr
    gt-pdist -q -f nine.zarr --plot nine.svg -o nine.tsv
    "$PYTHON" << 'PY'
import re
svg = open("nine.svg").read()
left, top, cell = (float(x) for x in re.search(r'<g transform="translate\(([\d.]+) ([\d.]+)\) scale\(([\d.]+)\)"', svg).groups())
rows = re.findall(r'<text x="[\d.]+" y="([\d.]+)" font-size="([\d.]+)" text-anchor="end">(S\d)<', svg)
columns = re.findall(r'<text transform="translate\(([\d.]+) [\d.]+\) rotate\(-90\)" font-size="([\d.]+)" text-anchor="end">(S\d)<', svg)
assert len(rows) == len(columns) == 9 and [r[2] for r in rows] == [c[2] for c in columns]
# a stroke of one unit is drawn around the middle of a row; letters stand a third of their size below it
for k, (row, column) in enumerate(zip(rows, columns)):
    size = float(row[1])
    assert abs(float(row[0]) - (top + cell * k) - size / 3) < 0.05 * size, (k, row)
    assert abs(float(column[0]) - (left + cell * (k + 0.5)) - size / 3) < 0.05 * size, (k, column)
PY
}

@test "gt-pdist --plot: a cell's colour is the mean of its pairs, in one cell a pair and in many" {
    gt-sim -q --samples 640 --variants 300 --pops 3 --seed 6 -f -o many.zarr
    gt-sim -q --samples 60 --variants 300 --pops 3 --seed 5 -f -o few.zarr
    for s in few many; do
        gt-pdist -q -f -m 1-ibs $s.zarr --plot $s.svg -O npy -o $s.npy
    done
    "$PYTHON" -c 'import scipy' || skip "no scipy"
    "$PYTHON" << 'PY'
from scipy.cluster.hierarchy import linkage
from scipy.spatial.distance import squareform
from svg_numbers import *

def in_order(joins, n):
    """Of each join the cluster that was joined at a smaller distance comes first; of equal ones that with the earlier item."""
    nodes = [(0.0, i, [i]) for i in range(n)]
    for a, b, height, _ in joins:
        one, two = sorted((nodes[int(a)], nodes[int(b)]), key=lambda node: node[:2])
        nodes.append((height, min(one[1], two[1]), one[2] + two[2]))
    return nodes[-1][2]

for name, n, m in (("few", 60, 60), ("many", 640, 300)):
    d, plot = np.load(name + ".npy"), Plot(name + ".svg")
    cells, low, high = plot.cells()
    order = in_order(linkage(squareform(d, checks=False), "average"), n)
    labels = [int(t.text[1:]) - 1 for t in plot.root.iter(SVG + "text") if re.fullmatch(r"S\d+", t.text) and not t.get("transform")]
    assert labels == (order if name == "few" else [])
    assert sorted(order) == list(range(n))
    d = d[np.ix_(order, order)].copy()
    np.fill_diagonal(d, np.nan)
    of = np.arange(n) * m // n
    mean = np.full((m, m), np.nan)
    for i in range(m):
        for j in range(m):
            block = d[np.ix_(of == i, of == j)]
            if np.isfinite(block).any():
                mean[i, j] = np.nanmean(block)
    values = np.sort(mean[np.tril_indices(m)][np.isfinite(mean[np.tril_indices(m)])])
    k = len(values) // 200
    assert abs(low - values[k]) < 1e-3 * (high - low) and abs(high - values[-1 - k]) < 1e-3 * (high - low), (low, values[k], high, values[-1 - k])
    far = [(i, j) for (j, i), shade in cells.items()
           if abs(shade + 0.5 - np.clip((mean[i, j] - low) / (high - low) * 64, 0.5, 63.5)) > 0.51 + 0.1]
    assert len(cells) == np.isfinite(mean).sum() and len(far) <= 0.002 * len(cells), (name, len(far), len(cells))
    plot.texts_inside()
PY
}

@test "sixty groups: legends stay inside, each group differs by colour or symbol; few groups differ for all eyes" {
    gt-svd -q s.zarr -k 4 -f --plot p.svg --groups sixty
    gt-pdist -q s.zarr -m 1-ibs -f --plot d.svg --groups sixty
    gt-svd -q s.zarr -k 4 -f --plot three.svg --groups three
    "$PYTHON" << 'PY'
from svg_numbers import *
for name in "p.svg", "d.svg":
    plot = Plot(name)
    assert len({t.text for t in plot.root.iter(SVG + "text") if re.fullmatch(r"g\d+", t.text)}) == 60
    plot.texts_inside()
legend = [p for p in Plot("p.svg").root.iter(SVG + "path") if len(p) == 0]
kinds = {(p.get("stroke") or p.get("fill"), p.get("fill") == "none", re.sub(r"^M[\d.]+ [\d.]+", "", p.get("d"))) for p in legend}
assert len(legend) == 60 and len(kinds) == 60
# Machado, Oliveira and Fernandes 2009: what those without red and green cones see, in linear RGB
eyes = (np.eye(3), [[.152286, 1.052583, -.204868], [.114503, .786281, .099216], [-.003882, -.048116, 1.051998]],
        [[.367322, .860646, -.227968], [.280085, .672501, .047413], [-.011820, .042940, .968881]])
first = [p.get("stroke") for p in legend[:7]]
def lab(rgb):
    xyz = np.array([[.4124, .3576, .1805], [.2126, .7152, .0722], [.0193, .1192, .9505]]) @ np.clip(rgb, 0, 1) / [.9505, 1, 1.089]
    f = np.cbrt(np.maximum(xyz, .008856))
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])
linear = [np.array([(v / 12.92 if v <= .04045 else ((v + .055) / 1.055) ** 2.4) for v in (int(c[i:i + 2], 16) / 255 for i in (1, 3, 5))]) for c in first]
for eye in eyes:
    seen = [lab(np.asarray(eye) @ c) for c in linear]
    assert min(np.linalg.norm(a - b) for i, a in enumerate(seen) for b in seen[:i]) > 11, eye
PY
}

@test "--plot FILE.png and FILE.pdf: what the SVG shows, in the size and resolution that are asked for" {
    has_pictures
    ASAN_OPTIONS=${ASAN_OPTIONS:-}:detect_leaks=0
    export ASAN_OPTIONS
    gt-pdist -q s.zarr -m 1-ibs -f --plot d.svg
    gt-pdist -q s.zarr -m 1-ibs -f --plot d.png
    gt-pdist -q s.zarr -m 1-ibs -f --plot small.png --plot-width 300 --plot-dpi 96
    gt-pdist -q s.zarr -m 1-ibs -f --plot d.pdf --plot-width 480
    gt-pdist -q s.zarr -m 1-ibs -f --plot again.pdf --plot-width 480
    cmp d.pdf again.pdf
    "$PYTHON" << 'PY'
import re, struct, zlib
from svg_numbers import *
def png(name):
    data = open(name, "rb").read()
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    at, parts = 8, b""
    while at < len(data):
        n, kind = struct.unpack(">I4s", data[at:at + 8])
        if kind == b"IHDR":
            w, h, depth, colour = struct.unpack(">IIBB", data[at + 8:at + 18])
        parts += data[at + 8:at + 8 + n] if kind == b"IDAT" else b""
        at += 12 + n
    assert (depth, colour) == (8, 2)
    raw, rows, before = zlib.decompress(parts), [], np.zeros(3 * w, int)
    for y in range(h):
        kind, line = raw[y * (3 * w + 1)], np.frombuffer(raw, np.uint8, 3 * w, y * (3 * w + 1) + 1).astype(int)
        if kind == 1:
            line = np.cumsum(line.reshape(w, 3), 0).reshape(-1) % 256
        elif kind == 2:
            line = (line + before) % 256
        elif kind:  # average, Paeth: left to right
            out = np.zeros(3 * w + 3, int)
            up = np.concatenate([np.zeros(3, int), before])
            for i in range(3, 3 * w + 3):
                a, b, c = out[i - 3], up[i], up[i - 3]
                p = a + b - c
                guess = (a + b) // 2 if kind == 3 else min((abs(p - a), 0, a), (abs(p - b), 1, b), (abs(p - c), 2, c))[2]
                out[i] = (line[i - 3] + guess) % 256
            line = out[3:]
        rows.append(line)
        before = line
    return np.array(rows).reshape(h, w, 3)
plot = Plot("d.svg")
w, h = float(plot.root.get("width")), float(plot.root.get("height"))
image = png("d.png")
assert image.shape[:2] == (2 * h, 2 * w), image.shape
small = png("small.png")
assert small.shape[1] == 300 and abs(small.shape[0] - 300 * h / w) <= 1
cells, _, _ = plot.cells()
g = next(g for g in plot.root.iter(SVG + "g"))
left, top, size = map(float, re.match(r"translate\(([\d.]+) ([\d.]+)\) scale\((\d+)\)", g.get("transform")).groups())
fills = [r.get("fill") for r in plot.root.iter(SVG + "rect") if r.get("width") == "14"]
for (x, y), shade in list(cells.items())[::37]:  # the pixel in the middle of a cell
    got = image[int(2 * (top + y * size)), int(2 * (left + (x + 0.5) * size))]
    assert list(got) == [int(fills[shade][i:i + 2], 16) for i in (1, 3, 5)], (x, y, got, fills[shade])
pdf = open("d.pdf", "rb").read()
assert pdf[:5] == b"%PDF-" and pdf.rstrip().endswith(b"%%EOF")
box = re.search(rb"/MediaBox \[ 0 0 ([\d.]+) ([\d.]+) \]", pdf)
assert box is None or (abs(float(box[1]) - 360) < 0.01 and abs(float(box[2]) - 360 * h / w) < 0.01), box
PY
    run gt-pdist -q s.zarr -m 1-ibs -f --plot large.png --plot-width 30000 --plot-dpi 2400
    [ "$status" -eq 1 ]
    [[ "${lines[0]}" == *"cannot draw 'large.png'"*"pixels are too many"* ]]
    [ ! -e large.png ]
}

@test "--plot FILE.png without the module: a message that says so" {
    run env GT_MODULES=/nowhere gt-svd s.zarr --plot p.png
    [ "$status" -eq 2 ]
    [[ "${lines[0]}" == "gt-svd: --plot 'p.png': this build writes only SVG" && "${lines[1]}" == "hint: name the file .svg, or install librsvg2-dev"* ]]
    [ ! -e p.png ]
}

@test "gt-info --plot: bars, points and axes against counts of the calls" {
    gt-sim -q --samples 120 --variants 1500 --pops 2 --missing 0.04 --seed 9 -O vcf -f -o q.vcf
    gt-pdist -q -f q.vcf -m king -O kin0 -o q.kin0
    gt-info -q -f --plot q.svg --kinship q.kin0 q.vcf
    gt-info -q -f --plot - --kinship q.kin0 - < q.vcf | cmp - q.svg # a stream
    gt-info -q -f -s S1,S2,S3 --maf 0.2 --plot few.svg q.vcf
    "$PYTHON" << 'PY'
from svg_numbers import *
def calls(path):
    ids, rows = None, []
    for line in open(path):
        f = line.rstrip("\n").split("\t")
        if line.startswith("#CHROM"):
            ids = f[9:]
        elif not line.startswith("#"):
            rows.append([-1 if "." in c[:3] else int(c[0]) + int(c[2]) for c in f[9:]])
    return ids, np.array(rows)
ids, g = calls("q.vcf")
gone = g < 0
plot = Plot("q.svg")

def check_bars(frame, fine, zero):
    """fine: the thousandth that each value is in; bars are sums of some of these."""
    bars = plot.bars(frame)
    width = round(1000 * min(r - l for l, r, _, _ in bars))
    want = {}
    for k in fine:
        want[k // width] = want.get(k // width, 0) + 1
    got = {}
    for left, right, height, title in bars:
        assert abs(right - left - width / 1000) < 2e-4
        got[round(1000 * (left - zero) / width)] = height
        assert title.split(": ")[1] == format(want[round(1000 * (left - zero) / width)], ",")
    assert set(got) == set(want) and all(abs(got[k] - want[k]) < 0.005 * max(want.values()) for k in want), (frame, got, want)

check_bars(0, gone.sum(0) * 1000 // len(g), 0)
check_bars(1, gone.sum(1) * 1000 // len(ids), 0)
called = 2 * (~gone).sum(1)
alt = np.where(gone, 0, g).sum(1)
check_bars(2, np.minimum(np.minimum(alt, called - alt) * 1000 // called, 499), 0)
kinship = [float(l.split()[7]) for l in open("q.kin0").read().splitlines()[1:]]
check_bars(4, np.floor(np.clip(kinship, -.5, .5) * 1000 + 500).astype(int), -0.5)
points, (px, py) = plot.points(3)
assert set(points) == set(ids)
for i, s in enumerate(ids):
    x, y = gone[:, i].mean(), (g[:, i] == 1).sum() / (~gone[:, i]).sum()
    assert abs(points[s][0] - x) < px and abs(points[s][1] - y) < py, (s, points[s], x, y)
assert [plot.label(k, "x") for k in range(5)] == ["missing rate of a sample", "missing rate of a variant", "minor allele frequency", "missing rate of a sample", "kinship coefficient"]
assert [plot.label(k, "y") for k in range(5)] == ["samples", "variants", "variants", "heterozygosity", "pairs"]
plot.texts_inside()
few = Plot("few.svg")
assert few.root.find(SVG + "title").text.startswith("3 samples, ") and len(few.frames) == 4 and set(few.points(3)[0]) == {"S1", "S2", "S3"}
PY
    printf 'ID1 ID2 KIN\n' > bad.kin0
    run gt-info --plot b.svg --kinship bad.kin0 q.vcf
    [ "$status" -eq 3 ]
    [[ "${lines[0]}" == "gt-info: 'bad.kin0' has no column KINSHIP" ]]
    printf 'KINSHIP\n0.1\nx\n' > bad.kin0
    run gt-info --plot b.svg --kinship bad.kin0 q.vcf
    [ "$status" -eq 3 ]
    [[ "${lines[0]}" == *"'bad.kin0', line 3: no number in column 1"* ]]
    run gt-info --kinship q.kin0 q.vcf
    [ "$status" -eq 2 ]
    run gt-info --plot b.svg --stats samples q.vcf
    [ "$status" -eq 2 ]
    [ ! -e b.svg ]
}

@test "gt-info --plot of haploid data and of nothing" {
    gt-sim -q --samples 20 --variants 50 -O vcf -f -o h.vcf
    sed -i '/^[^#]/s/\([01]\)\/[01]/\1/g' h.vcf
    gt-info -q -f --plot h.svg h.vcf
    "$PYTHON" -c 'from svg_numbers import *; assert len(Plot("h.svg").frames) == 3'
    gt-info -q -f --plot none.svg --maf 0.5 s.zarr
    "$PYTHON" -c 'from svg_numbers import *; assert len(Plot("none.svg").frames) == 4'
}

@test "gt-pdist --plot: outliers on one side, on both, on none; constant, negative and few numbers" {
    "$PYTHON" << 'PY'
import numpy as np
def save(name, x):
    np.save(name, np.asarray(x, "f8").reshape(len(x), -1))
rng = np.random.default_rng(1)
save("even.npy", np.arange(40.0))            # 780 distances
save("high.npy", [*[0.0] * 39, 100.0])       # one sample far from all others, which are alike
save("low.npy", np.eye(40) * 7)              # all as far
near = np.eye(40) * 7
near[1] = near[0]                            # and one pair nearer
save("near.npy", near)
save("two.npy", [1.0, 3.5])
save("alike.npy", [2.0] * 6)
save("signs.npy", np.concatenate([[1, -1, 2, -2], rng.normal(size=8)])[:, None] * np.arange(1, 6))
PY
    for name in even high low near two alike; do gt-pdist -q -f --as array -m euclidean $name.npy --plot $name.svg -O npy -o $name.d.npy; done
    gt-pdist -q -f --as array -m cosine signs.npy --plot signs.svg -O npy -o signs.d.npy
    "$PYTHON" << 'PY'
from svg_numbers import *
for name in "even", "high", "low", "near", "two", "alike", "signs":
    d, plot = np.load(name + ".d.npy"), Plot(name + ".svg")
    n = len(d) if d.ndim == 2 else round((1 + (1 + 8 * len(d)) ** 0.5) / 2)
    values = np.sort(d[np.tril_indices(n, -1)] if d.ndim == 2 else d)
    k = len(values) // 200
    low, high = values[k], values[-1 - k]
    cut = values[0] < low or values[-1] > high
    said = any(t.text == "1 % lie outside" for t in plot.root.iter(SVG + "text"))
    assert said == cut, (name, said, values[:3], values[-3:], k)
    if low == high:
        low, high = (low - 0.5, high + 0.5) if low == 0 else (low - abs(low) / 2, high + abs(high) / 2)
    cells, first, last = plot.cells()
    assert abs(first - low) < 1e-3 * (high - low) and abs(last - high) < 1e-3 * (high - low), (name, low, first, high, last)
    assert len(cells) == n * (n - 1)
    shades = sorted(np.clip(np.floor((v - low) / (high - low) * 64), 0, 63) for v in values for _ in (0, 1))
    assert np.abs(np.array(sorted(cells.values())) - shades).max() <= 1, name
    plot.texts_inside()
PY
}
