#!/usr/bin/env bats
# Every column of gt-info --stats and --plot against counts of the text: haploid, half and missing calls, several ALTs, sites without any,
# X, groups.

bats_require_minimum_version 1.5.0

setup_file() {
    cd "$BATS_FILE_TMPDIR" || exit 1
    "$PYTHON" "$GT_SOURCE/test/support/summary_counts.py" make 3 | sed -E "/^[^#]/s,\t[0-9.]/[0-9.]/[0-9.],\t./.,g" > x.vcf
    { # all missing, monomorphic, without an ALT, all ALT, and a contig that is no autosome
        printf '3\t9000\tgone\tA\tC\t.\t.\t.\tGT%s\n' "$(printf '\t./.%.0s' {1..14})"
        printf '3\t9001\tref\tA\tC\t.\t.\t.\tGT%s\n' "$(printf '\t0/0%.0s' {1..14})"
        printf '3\t9002\tnone\tA\t.\t.\t.\t.\tGT%s\n' "$(printf '\t0/0%.0s' {1..14})"
        printf '3\t9003\talt\tA\tC,G\t.\t.\t.\tGT%s\n' "$(printf '\t2/2%.0s' {1..14})"
        printf '3\t9004\thets\tA\tC,G,T\t.\t.\t.\tGT%s\n' "$(printf '\t1/3%.0s' {1..14})"
        printf 'chrX\t5\tx1\tA\tC\t.\t.\t.\tGT%s\n' "$(printf '\t0|1\t1\t./.\t1|1\t0%.0s' {1..3} | cut -f 1-15)"
    } >> x.vcf
    sed -i 's/^##contig=<ID=3,.*/&\n##contig=<ID=chrX>/' x.vcf
    printf 's%d g%d\n' 0 2 1 1 2 2 3 1 5 2 8 3 9 1 10 3 13 2 > groups
    gt-pack -q x.vcf -o x.zarr
    gt-pack -q --layout vcz x.vcf -o x.vcz
    gt-unpack -q x.vcf -o x.bcf
}

setup() {
    cd "$BATS_FILE_TMPDIR" || exit 1
    export PYTHONPATH=$GT_SOURCE/test/support
}

check() { # OF TABLE MORE...
    "$PYTHON" "$GT_SOURCE/test/support/stats_oracle.py" "$1" x.vcf "$2" "${@:3}"
}

@test "each column of samples and variants, of VCF, BCF, calls and packed stores" {
    for of in samples variants; do
        for input in x.vcf x.bcf x.vcz; do
            gt-info -q --stats $of $input > table
            check $of table
        done
        gt-info -q --stats $of x.zarr > table
        check $of table packed
    done
}

@test "each column of groups" {
    for of in samples variants; do
        gt-info -q --stats $of --groups groups x.vcf > table
        check $of table groups
        gt-info -q --stats $of --groups groups x.zarr > table
        check $of table packed groups
    done
}

@test "--json has the columns and numbers of the table" {
    for of in samples variants; do
        for input in x.vcf x.zarr; do
            gt-info -q --stats $of --groups groups $input > table
            gt-info -q --stats $of --groups groups --json $input > rows.json
            "$PYTHON" - << 'PY'
import csv, json, math
from stats_oracle import same
table, rows = list(csv.DictReader(open("table"), delimiter="\t")), json.load(open("rows.json"))
assert len(table) == len(rows) > 8
for t, r in zip(table, rows):
    assert list(t) == list(r), (list(t), list(r))
    for name in t:
        value = math.nan if r[name] is None else r[name]
        assert same(t[name], value), (name, t[name], r[name])
PY
        done
    done
}

@test "--plot: points and bars of a packed store with multiallelic sites" {
    gt-info -q -f --plot x.svg x.zarr
    gt-info -q -f --plot calls.svg x.vcf
    "$PYTHON" << 'PY'
from svg_numbers import *
from stats_oracle import rows
for name, packed in (("x.svg", True), ("calls.svg", False)):
    plot = Plot(name)
    wanted = {r["sample"]: (r["missing_rate"], r["heterozygosity"]) for r in rows("samples", "x.vcf", packed)}
    points, (px, py) = plot.points(3)
    assert set(points) == set(wanted), (points, wanted)
    for sample, (x, y) in wanted.items():
        assert abs(points[sample][0] - x) < px and abs(points[sample][1] - y) < py, (name, sample, points[sample], x, y)
    bars = plot.bars(1)
    n = len(list(rows("variants", "x.vcf", packed)))
    assert sum(int(title.split(": ")[1].replace(",", "")) for _, _, _, title in bars) == n
    for left, right, height, title in plot.bars(0):
        inside = sum(left - 1e-6 <= int(1000 * x + 1e-9) / 1000 < right - 1e-6 for x, _ in wanted.values())
        assert inside == int(title.split(": ")[1]) and abs(height - inside) < 0.05, (name, left, right, height, title, inside)
PY
}
