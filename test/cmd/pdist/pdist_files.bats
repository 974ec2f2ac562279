#!/usr/bin/env bats
# What gt-pdist writes for others to read: stores, and what tree programs take.

bats_require_minimum_version 1.5.0

setup() {
    cd "$BATS_TEST_TMPDIR" || exit 1
}

# --- -O zarr ----------------------------------------------------------------------

@test "-O zarr: directory, zip and tar hold what -O npy writes, and zarr-python reads them" {
    gt-sim -q --samples 300 --variants 400 --missing 0.05 --seed 1 -o s.zarr
    for metric in euclidean king; do
        gt-pdist -q -f -m $metric -O npy s.zarr -o d.npy
        gt-pdist -q -f -m $metric s.zarr -o d.zarr
        gt-pdist -q -f -m $metric s.zarr -o d.zip
        gt-pdist -q -f -m $metric --dtype f4 -O zarr s.zarr -o f4
        gt-pdist -q -m $metric -O zarr s.zarr > d.tar
        "$PYTHON" - $metric << 'PY'
import sys, tarfile
import numpy as np, zarr
want, ids = np.load("d.npy"), open("d.npy.id").read().split()
tarfile.open("d.tar").extractall("untarred")
for path in "d.zarr", "d.zip", "untarred", "f4":
    g = zarr.open(path, mode="r")
    d = g["distance"]
    exact = want.astype("f4") if path == "f4" else want
    assert d.dtype == exact.dtype and np.array_equal(d[:], exact, equal_nan=True), path
    assert list(g["sample_id"][:]) == ids, path
    assert d.attrs["metric"] == sys.argv[1]
    assert d.attrs["_ARRAY_DIMENSIONS"] == ["samples_0", "samples_1"]
    assert d.fill_value is None  # xarray would make a mask of it
PY
        gt-pdist -q -O npy d.zarr/distance > again.npy # our own reader, of its rows
        gt-pdist -q -O npy d.npy | cmp - again.npy
        gt-pdist -q -O npy --array distance d.tar | cmp - again.npy
    done
    gt-info -q --check d.zip
    gt-info d.zarr > said
    grep -q 'distance .*float64 .*(300, 300) in (128, 300)' said
    grep -q 'history: gt-pdist' said
}

@test "-O zarr: the same bytes for any threads and memory, and of counts that are merged" {
    gt-sim -q --samples 3000 --variants 60 --missing 0.02 --seed 2 -o s.zarr
    local with=(-q -f -m cityblock --no-version)
    gt-pdist "${with[@]}" -@ 1 s.zarr -o one.zarr
    gt-pdist "${with[@]}" -@ 3 --memory 56M s.zarr -o few.zarr
    [ "$(gt-pdist -n -m cityblock --memory 56M s.zarr -o few.zip | awk '/^passes/ {print $2}')" -gt 1 ]
    diff -r one.zarr few.zarr
    for k in 1 2 3; do gt-pdist -q -m cityblock --part $k/3 -O counts s.zarr -o $k.counts; done
    gt-pdist "${with[@]}" --merge [123].counts -o merged.zarr
    diff -r one.zarr merged.zarr
    gt-pdist -q -f -m cityblock s.zarr -o one.zarr
    run diff -r one.zarr merged.zarr
    [[ "${lines[0]}" == diff*.zattrs* ]] # provenance
}

@test "-O zarr: --rows and --cols have a list of ids each" {
    gt-sim -q --samples 7 --variants 40 --seed 3 -o s.zarr
    printf 'S%d\n' 6 2 > rows
    printf 'S%d\n' 1 2 3 > cols
    gt-pdist -q --rows rows --cols cols s.zarr -o d.zarr
    gt-pdist -q --rows rows --cols cols -O npy s.zarr -o d.npy
    "$PYTHON" - << 'PY'
import numpy as np, zarr
g = zarr.open("d.zarr", mode="r")
assert np.array_equal(g["distance"][:], np.load("d.npy")) and g["distance"].shape == (2, 3)
assert list(g["sample_id_0"][:]) == ["S6", "S2"] and list(g["sample_id_1"][:]) == ["S1", "S2", "S3"]
PY
}

@test "-O zarr: ids and axes are named by what is compared" {
    gt-sim -q --samples 4 --variants 6 --seed 3 -O vcf -o s.vcf
    "$PYTHON" -c 'import numpy as np; np.save("n.npy", np.arange(15.0).reshape(5, 3) ** 2)'
    gt-pdist -q --between variants s.vcf -o variant.zarr
    gt-pdist -q --axis 0 n.npy -o row.zarr
    gt-pdist -q --axis 1 n.npy -o column.zarr
    printf '2\n' > one
    gt-pdist -q --axis 1 --rows one n.npy -o part.zarr
    "$PYTHON" - << 'PY'
import zarr
for item, n in ("variant", 6), ("row", 5), ("column", 3):
    g = zarr.open(f"{item}.zarr", mode="r")
    assert sorted(g.array_keys()) == sorted(["distance", f"{item}_id"])
    assert g[f"{item}_id"].shape == (n,) and g[f"{item}_id"].attrs["_ARRAY_DIMENSIONS"] == [f"{item}s"]
    assert g["distance"].attrs["_ARRAY_DIMENSIONS"] == [f"{item}s_0", f"{item}s_1"]
assert sorted(zarr.open("part.zarr", mode="r").array_keys()) == ["column_id_0", "column_id_1", "distance"]
PY
}

@test "-O zarr: one sample, no samples, and no variants" {
    gt-sim -q --samples 3 --variants 5 --seed 4 -O vcf -o x.vcf
    gt-pdist -q -s S1 x.vcf -o one.zarr
    [ "$(gt-info --head 1 one.zarr/distance)" = 0 ]
    bcftools view -h x.vcf | cut -f 1-9 > none.vcf
    run gt-pdist none.vcf -o none.zarr
    [ "$status" -eq 0 ] || [ ! -e none.zarr ]
    bcftools view -h x.vcf > bare.vcf
    gt-pdist -q bare.vcf -o bare.zarr
    gt-info --head 3 bare.zarr/distance | grep -q nan
}

@test "-O zarr: a store that is there stays, and a part is none" {
    gt-sim -q --samples 5 --variants 20 --seed 5 -o s.zarr
    mkdir kept
    run gt-pdist s.zarr -O zarr -o kept
    [ "$status" -eq 1 ]
    [[ "${lines[1]}" == "hint: replace it with --force" ]]
    gt-pdist -q s.zarr -o d.zarr
    run gt-pdist s.zarr -o d.zarr
    [ "$status" -eq 1 ]
    run gt-pdist s.zarr -f -o s.zarr
    [ "$status" -eq 2 ]
    run gt-pdist s.zarr --part 1/2 -o p.zarr
    [ "$status" -eq 2 ]
    [[ "${lines[1]}" == "hint: write parts with -O counts --part"* ]]
    [ ! -e p.zarr ]
    gt-pdist -q s.zarr --part 1/1 -o p.zarr
    run gt-pdist s.zarr --no-version -o d.tsv
    [ "$status" -eq 2 ]
}

# --- --tree -------------------------------------------------------------------------

@test "--tree: an additive tree comes back with its lengths, UPGMA is scipy's average linkage" {
    for seed in 1 2 3; do "$PYTHON" "$GT_SOURCE/test/support/pdist_trees.py" $seed; done
}

@test "--tree: the same bytes for any threads, memory and format; the matrix only where it is asked for" {
    gt-sim -q --samples 150 --variants 30 --missing 0.01 --seed 6 -o s.zarr # many distances are equal
    for method in nj upgma; do
        local with=(-q -m cityblock --missing ignore --tree-method $method)
        gt-pdist "${with[@]}" --tree one.nwk s.zarr > said
        [ ! -s said ]
        gt-pdist "${with[@]}" -@ 1 --tree two.nwk s.zarr -o d.tsv
        gt-pdist "${with[@]}" -@ 3 --memory 40M -O condensed --tree three.nwk s.zarr > d.npy
        gt-pdist "${with[@]}" --knn 2 --tree four.nwk s.zarr > d.knn
        gt-pdist "${with[@]}" -O triangle -f -o d.triangle --tree - s.zarr > five.nwk
        gt-pdist "${with[@]}" --tree six.nwk.gz s.zarr
        gunzip -f six.nwk.gz
        for k in two three four five six; do cmp one.nwk $k.nwk; done
        rm two.nwk three.nwk
        cut -f 1 d.tsv | tail -n +2 | sort > ids
        grep -o 'S[0-9]*' one.nwk | sort | cmp - ids
        [ "$(wc -l < d.knn)" -eq 301 ]
    done
    gt-pdist -q -m cityblock --missing ignore s.zarr | cmp - d.tsv
}

@test "--tree: names that mean something in Newick are quoted; few samples" {
    vcf() {
        printf '##fileformat=VCFv4.2\n##contig=<ID=1>\n##FORMAT=<ID=GT,Number=1,Type=String,Description="x">\n'
        printf '#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\t%s\n' "$(IFS=$'\t'; echo "$*")"
        printf '1\t10\t.\tA\tC\t.\t.\t.\tGT\t0/0\t0/1\t1/1\t0/0\n1\t20\t.\tA\tC\t.\t.\t.\tGT\t0/0\t0/0\t1/1\t1/1\n'
    }
    vcf "a b" "it's" "x:1,(y)" plain_1 > s.vcf
    gt-pdist -q -m cityblock --tree t.nwk s.vcf
    # distances 1 4 2, 3 3, 2: the first two and the last two are as near, and their node is 3 and 2 from the others
    [ "$(cat t.nwk)" = "(('a b':0.5,'it''s':0.5):1.5,'x:1,(y)':1.5,'plain_1':0.5);" ]
    gt-pdist -q -m cityblock --tree-method upgma --tree t.nwk s.vcf
    [ "$(cat t.nwk)" = "(('a b':0.5,'it''s':0.5):1,('x:1,(y)':1,'plain_1':1):0.5);" ]
    vcf a b c d | gt-pdist -q -m cityblock -s a,b,d --tree - - > t.nwk
    [ "$(cat t.nwk)" = "(a:0,b:1,d:2);" ]
    vcf a b c d | gt-pdist -q -m cityblock -s a,c --tree - - > t.nwk
    [ "$(cat t.nwk)" = "(a:2,c:2);" ]
    vcf a b c d | gt-pdist -q -m cityblock -s c --tree - - > t.nwk
    [ "$(cat t.nwk)" = "c;" ]
}

@test "--tree: what is no tree is refused, and nothing is written" {
    gt-sim -q --samples 6 --variants 20 --seed 6 -O vcf -o s.vcf
    refused() { # STATUS WORDS OPTION...
        run gt-pdist s.vcf "${@:3}"
        [ "$status" -eq "$1" ] || { echo "exit $status: $output"; return 1; }
        [[ "${lines[0]}" == *"$2"* ]] || { echo "$output"; return 1; }
        [ ! -e t.nwk ]
        [ ! -e d.tsv ]
    }
    refused 2 "--tree needs distances, but king is a similarity" -m king --tree t.nwk
    refused 2 "-O counts writes pair counts" -O counts -o c.counts --tree t.nwk
    refused 2 "--part selects some" --part 1/2 --tree t.nwk -o d.tsv
    refused 2 "--tree-method needs --tree" --tree-method nj -o d.tsv
    refused 2 "cannot both go to standard output" --tree - -o -
    refused 2 "'t.nwk' has the suffix of a tree" -o t.nwk
    [[ "${lines[1]}" == "hint: use --tree t.nwk" ]]
    refused 2 "two outputs need two names" --tree d.tsv -o d.tsv
    refused 2 "is the input" --tree s.vcf
    echo S1 > S1
    refused 2 "--rows or --cols selects some" --rows S1 --tree t.nwk
    sed 's/\t[01][/|][01]$/\t.\/./' s.vcf > missing.vcf
    run gt-pdist -q missing.vcf --tree t.nwk -o d.tsv
    [ "$status" -eq 3 ]
    [[ "${lines[0]}" == "gt-pdist: a tree needs a finite distance for every pair; that of 'S1' and 'S6' is nan" ]]
    [[ "${lines[1]}" == "hint: --mind excludes samples without data" ]]
    grep '^#' s.vcf > none.vcf
    run gt-pdist -q none.vcf --tree t.nwk -o d.tsv
    [ "$status" -eq 3 ]
    [[ "${lines[1]}" == "hint: the input has nothing to compare" ]]
    [ ! -e t.nwk ]
    [ ! -e d.tsv ]
}

@test "--tree: of merged counts, and within --memory" {
    gt-sim -q --samples 1500 --variants 50 --seed 7 -o s.zarr
    gt-pdist -q --tree one.nwk s.zarr
    gt-pdist -q -O counts --part 1/2 s.zarr -o 1.counts
    gt-pdist -q -O counts --part 2/2 s.zarr -o 2.counts
    gt-pdist -q --merge 1.counts 2.counts --tree two.nwk
    cmp one.nwk two.nwk
    run gt-pdist --memory 36M --tree t.nwk s.zarr
    [ "$status" -eq 4 ]
    local fits
    fits=$(sed -n 's/hint: --memory \(.*\) would do/\1/p' <<< "$output")
    timeout 60 gt-pdist -q -f --memory "$fits" --tree two.nwk s.zarr
    cmp one.nwk two.nwk
}

# --- --plot -------------------------------------------------------------------------

# Well-formed, with so many cells drawn a side; prints how often each word of the drawing stands there.
look_at() {
    "$PYTHON" - "$@" << 'PY'
import re, sys
import xml.etree.ElementTree as ET
name, cells = sys.argv[1], int(sys.argv[2])
root = ET.parse(name).getroot()
svg = "{http://www.w3.org/2000/svg}"
drawn = set()
for path in root.iter(svg + "path"):
    for x, y, n in re.findall(r"M(\d+) (\d+)h(\d+)", path.get("d")):
        for k in range(int(x), int(x) + int(n)):
            assert (k, int(y)) not in drawn
            drawn.add((k, int(y)))
assert all((y, x) in drawn for x, y in drawn)
assert len(drawn) == cells, len(drawn)
width, height = float(root.get("width")), float(root.get("height"))
for rect in root.iter(svg + "rect"):
    if rect.get("x"):
        assert float(rect.get("x")) + float(rect.get("width")) <= width
        assert float(rect.get("y")) + float(rect.get("height")) <= height
print("\n".join(t.text for t in root.iter(svg + "text")))
PY
}

@test "--plot with more samples than cells: a cell has the group of most of its samples" {
    for n in 670 640 901; do # 300 cells: borders of populations are inside of cells
        gt-sim -q --samples $n --variants 600 --pops 3 --fst 0.5 --seed 8 -f -o s.bed
        awk -v n=$n '{ print $2 "\tg" int((NR - 1) * 3 / n) }' s.fam > groups
        gt-pdist -q -m 1-ibs --plot d.svg --groups groups s
        "$PYTHON" - $n << 'PY'
import re, sys
n, cells, side = int(sys.argv[1]), 300, 600
groups = [line.split()[1] for line in open("groups")]
names = sorted(set(groups))
rect = [dict(re.findall(r'(\w+)="([^"]*)"', r)) for r in re.findall(r"<rect ([^>]*)>", open("d.svg").read())]
top, left = 57, 25
strips = sorted((float(r["y"]), float(r["height"]), r["fill"]) for r in rect if r.get("width") == "10" and float(r["x"]) < left)
columns = sorted((float(r["x"]), float(r["width"]), r["fill"]) for r in rect if r.get("height") == "10" and float(r["y"]) < top)
colour = {}
for r in rect:  # the legend: one square a group, from top to bottom
    if float(r.get("x", "0").rstrip("%")) > 700:
        colour[r["fill"]] = names[len(colour)]
assert len(strips) == 3 and len(colour) == 3, (strips, colour)
order = [g for _, _, c in strips for g in [colour[c]] * groups.count(colour[c])]  # populations are apart: each is one run
want = []
for k in range(cells):
    cell = order[-(-k * n // cells):-(-(k + 1) * n // cells)]
    want.append(max(names, key=lambda g: (cell.count(g), -names.index(g))))
runs, at = [], 0
while at < cells:
    end = at
    while end < cells and want[end] == want[at]:
        end += 1
    runs.append((at * side / cells, (end - at) * side / cells, want[at]))
    at = end
for start, got in ((top, strips), (left, columns)):
    for (a, length, c), (b, wanted, g) in zip(got, runs):
        assert abs(a - start - b) < 0.011 and abs(length - wanted) < 0.011 and colour[c] == g, (n, got, runs)
PY
    done
}

@test "--plot: one cell a pair, names beside it, groups in order of clusters" {
    gt-sim -q --samples 12 --variants 400 --pops 3 --fst 0.3 --seed 8 -O vcf -o s.vcf
    bcftools query -l s.vcf | awk '{print $1 "\tp&" int((NR - 1) / 4)}' | tail -n +2 > groups
    gt-pdist -m 1-ibs --plot d.svg --groups groups s.vcf > said 2> err
    [ ! -s said ]
    grep -q "'groups' has no group for 1 sample" err
    look_at d.svg $((12 * 11)) > words
    [ "$(sed -n 1p words)" = "1-ibs of 12 samples" ]
    [ "$(grep -c '^S[0-9]*$' words)" -eq 24 ]
    [ "$(grep -c '^p&[012]$' words)" -eq 3 ]
    # the four of each population stand together: 3 strips a side, and one sample of the first has none
    [ "$(grep '^S' words | awk 'NR % 2' | sed 's/S//' | awk '{print int(($1 - 1) / 4)}' | uniq | wc -l)" -eq 3 ]
    gt-pdist -q -m 1-ibs -@ 1 --plot two.svg --groups groups s.vcf -O condensed -o d.npy
    cmp d.svg two.svg
    gt-pdist -q -m 1-ibs --plot - --groups groups s.vcf | cmp - d.svg
    gt-pdist -q -m ibs --plot like.svg s.vcf # likeness: the same order
    look_at like.svg $((12 * 11)) | grep '^S' > like
    grep '^S' words | cmp - like
}

@test "--plot: many samples are averaged, few and strange ones are drawn" {
    gt-sim -q --samples 700 --variants 60 --pops 2 --seed 9 -o s.zarr
    gt-pdist -q --plot d.svg --tree d.nwk s.zarr
    gt-pdist -q --tree alone.nwk s.zarr
    cmp d.nwk alone.nwk
    look_at d.svg 90000 > words
    [ "$(sed -n 1p words)" = "euclidean of 700 samples, cells are means of up to 3 x 3" ]
    gt-sim -q --samples 301 --variants 9 -o next.zarr
    gt-pdist -q --plot d.svg -f next.zarr
    [ "$(look_at d.svg 89701 | sed -n 1p)" = "euclidean of 301 samples, cells are means of up to 2 x 2" ]
    [ "$(stat -c %s d.svg)" -lt 1000000 ]
    gt-pdist -q -s S1 --plot d.svg -f s.zarr
    look_at d.svg 0 | grep -q 'euclidean of 1 sample$'
    gt-pdist -q -s S1,S2 --plot d.svg.gz s.zarr
    gunzip -f d.svg.gz
    look_at d.svg 2 > words
    printf '##fileformat=VCFv4.2\n##contig=<ID=1>\n##FORMAT=<ID=GT,Number=1,Type=String,Description="x">\n' > x.vcf
    printf '#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\t<a>&"b"\t\x01\xff\tc\n' >> x.vcf
    printf '1\t10\t.\tA\tC\t.\t.\t.\tGT\t0/0\t0/1\t./.\n' >> x.vcf
    gt-pdist -q --plot d.svg x.vcf # c has nothing in common with the others
    look_at d.svg 2 > words
    grep -qxF '<a>&"b"' words
    grep -qxF '??' words
}

@test "--plot: an array without rows is a heat map without cells" {
    "$PYTHON" -c 'import numpy as np; np.save("none.npy", np.zeros((0, 5)))'
    gt-pdist -q --plot d.svg none.npy
    look_at d.svg 0 | grep -qx 'euclidean of 0 rows'
}

@test "--plot: what is no drawing is refused" {
    gt-sim -q --samples 6 --variants 20 --seed 6 -O vcf -o s.vcf
    echo S1 > nogroup
    echo other g > stranger
    refused() { # STATUS WORDS OPTION...
        run gt-pdist s.vcf "${@:3}"
        [ "$status" -eq "$1" ] || { echo "exit $status: $output"; return 1; }
        [[ "${lines[0]}" == *"$2"* ]] || { echo "$output"; return 1; }
        [ ! -e d.svg ]
        [ ! -e d.tsv ]
    }
    refused 2 "--groups needs --plot" --groups nogroup -o d.tsv
    refused 2 "the name must end in .svg, .png or .pdf" --plot d.jpg
    refused 2 "'d.svg' has the suffix of a picture" -o d.svg
    refused 2 "--tree and --plot cannot both" --plot - --tree -
    refused 2 "--plot and the matrix cannot both" --plot - -O npy
    refused 3 "line 1: a sample without a group" --plot d.svg --groups nogroup
    refused 3 "'stranger' has no sample of" --plot d.svg --groups stranger
    gt-sim -q --samples 6 --variants 20 --seed 6 -O bed -o b
    awk '{ print "F" NR % 2, $2, $3, $4, $5, $6 }' b.fam > fam
    mv fam b.fam
    printf 'F1 S1 g\nF0 S3 h\n' > families
    run gt-pdist b --plot noted.svg --groups families
    [ "$status" -eq 0 ]
    [[ "$output" == *"gt-pdist: 1 line of 'families' with another family id than the input; samples were found by their own ids"* ]]
    run gt-info --stats samples b --groups families
    [ "$status" -eq 0 ]
    [[ "$output" == *"gt-info: 1 line of 'families' with another family id"* ]]
    printf 'F1 S1 g\n0 S3 h\nS2 h\n' > families
    gt-pdist -q b --plot other.svg --groups families
    refused 2 "--part selects some" --plot d.svg --part 1/2
    refused 4 "MiB is needed" --plot d.svg --memory 30M
    run gt-pdist s.vcf -n --plot d.svg
    [[ "$output" == *"output keeps"* ]]
}
