#!/usr/bin/env bats
# gt-pdist: what PLINK's files tell of families, and sets of samples without relatives.

bats_require_minimum_version 1.5.0

setup() { cd "$BATS_TEST_TMPDIR" || exit 1; }

need_plink() { command -v plink1.9 > /dev/null && command -v plink2 > /dev/null || skip "no plink1.9, plink2"; }

refused() { # STATUS TEXT COMMAND...
    run --separate-stderr timeout 60 "${@:3}"
    # shellcheck disable=SC2154
    { [ "$status" -eq "$1" ] && [[ "${stderr_lines[0]}" == *"$2"* ]] && [ -z "$output" ]; } ||
        { echo "${*:3}: status $status: $output $stderr"; return 1; }
}

# families PREFIX: a .bed set of 60 samples in families, some of whom have none, with ids of any length.
families() {
    gt-sim -q --samples 60 --variants 2000 --missing 0.02 --seed 3 -o "$1.bed"
    awk 'BEGIN { OFS = "\t" } { $1 = NR % 7 ? "family" int(NR / 3) : 0; $2 = "i" NR * NR * NR; print }' "$1.fam" > fam.new
    mv fam.new "$1.fam"
}

@test "family ids of a .fam are in all files that PLINK has them in, byte by byte" {
    need_plink
    families x
    plink1.9 --bfile x --distance square allele-ct ibs 1-ibs flat-missing --out p > log
    plink2 --bfile x --make-king triangle --out p > log
    plink2 --bfile x --make-king-table --out p > log
    plink2 --threads 1 --bfile x --make-grm-bin --out p > log
    plink2 --threads 1 --bfile x --make-rel square --out p > log
    for suffix in dist mibs mdist king kin0 rel; do gt-pdist -q x -o g.$suffix; done
    gt-pdist -q -O grm x -o g
    for file in dist.id mibs.id mdist.id king.id kin0 rel.id grm.id; do cmp g.$file p.$file || { echo "$file"; return 1; }; done
}

@test "family ids: of ids that are there twice, of some samples, and where there are none" {
    need_plink
    families x
    awk 'BEGIN { OFS = "\t" } { $1 = "f" NR; $2 = "i" NR % 30; print }' x.fam > fam.new
    mv fam.new x.fam
    plink2 --bfile x --make-king-table --out p > log
    plink2 --bfile x --make-king triangle --out p > log
    gt-pdist -q x -o g.kin0
    gt-pdist -q x -o g.king
    cmp g.kin0 p.kin0
    cmp g.king.id p.king.id
    printf 'f9_i9\nf2_i2\nf40_i10\n' > some # a selection has its own order
    gt-pdist -q -S some x -o g.king
    [ "$(cat g.king.id)" = "$(printf '#FID\tIID\nf9\ti9\nf2\ti2\nf40\ti10')" ]
    gt-pack -q x -o x.zarr # a store keeps them
    gt-pdist -q -S some x.zarr -o g.king
    [ "$(cat g.king.id)" = "$(printf '#FID\tIID\nf9\ti9\nf2\ti2\nf40\ti10')" ]
    gt-pdist -q x.zarr -o g.kin0
    cmp g.kin0 p.kin0
    rm -r x.zarr/sample_family_id x.zarr/sample_member_id x.zarr/.zmetadata
    gt-pdist -q -S some x.zarr -o g.king
    [ "$(cat g.king.id)" = "$(printf '#FID\tIID\n0\tf9_i9\n0\tf2_i2\n0\tf40_i10')" ]
    gt-pdist -q -S some x.zarr -o g.kin0
    [ "$(cut -f1-4 g.kin0 | tail -1)" = "$(printf '0\tf40_i10\t0\tf2_i2')" ]
}

# kin PREFIX: 30 families of two parents, their children and a child's children, who are mixed up.
kin() {
    "$PYTHON" - "$1" << 'PY'
import numpy as np, sys
rng = np.random.default_rng(4)
sites, people, ids = 3000, [], []
f = rng.uniform(0.1, 0.5, sites)
new = lambda: (rng.random((2, sites)) < f).astype(int)
child = lambda a, b: np.array([np.where(rng.random(sites) < 0.5, *x) for x in (a, b)])
for family in range(30):
    all = [new(), new()]
    for _ in range(rng.integers(0, 4)):
        all.append(child(all[0], all[1]))
    if len(all) > 2:
        all.append(new())
        all += [child(all[2], all[-1]) for _ in range(rng.integers(1, 3))]
    people += all
    ids += [f"f{family}\ti{len(ids) + k}" for k in range(len(all))]
order = rng.permutation(len(ids))
x = np.array([people[k].sum(0) for k in order])
codes = np.where(rng.random(x.shape) < 0.01, 1, np.array([3, 2, 0])[x]).T
codes = np.pad(codes, ((0, 0), (0, -len(x) % 4))).reshape(sites, -1, 4)
open(sys.argv[1] + ".bed", "wb").write(b"\x6c\x1b\x01" + (codes << np.array([0, 2, 4, 6])).sum(2).astype("u1").tobytes())
open(sys.argv[1] + ".bim", "w").writelines(f"1\ts{k}\t0\t{k + 1}\tA\tC\n" for k in range(sites))
open(sys.argv[1] + ".fam", "w").writelines(f"{ids[k]}\t0\t0\t0\t-9\n" for k in order)
PY
}

@test "--unrelated: the lists of PLINK 2 --king-cutoff, byte by byte" {
    need_plink
    "$PYTHON" -c 'import numpy' 2> /dev/null || skip "no python3-numpy"
    kin x
    families y
    inputs=(x y)
    [ ! -e "$GT_TEST_DATA/README.md" ] || inputs+=("$GT_TEST_DATA/pdist/hapmap279/hapmap279")
    for input in "${inputs[@]}"; do
        for most in 0 0.005 0.02 0.0442 0.0884 0.177 0.354; do
            plink2 --bfile "$input" --king-cutoff $most --out p > log
            gt-pdist -q --unrelated $most "$input" -o g
            cmp g.in.id p.king.cutoff.in.id && cmp g.out.id p.king.cutoff.out.id || { echo "$input $most"; return 1; }
        done
    done
    [ "$(wc -l < g.in.id)" -gt 2 ]
    [ "$(wc -l < g.out.id)" -ge 1 ]
    gt-pdist --unrelated 0.0884 x -o g 2> said
    [ "$(wc -l < g.out.id)" -gt 10 ]
    grep -qx "gt-pdist: $(($(wc -l < g.in.id) - 1)) samples unrelated ('g.in.id'), $(($(wc -l < g.out.id) - 1)) excluded ('g.out.id')" said
    for args in "-@ 1" "-@ 3 --memory 40M" "-m king"; do
        # shellcheck disable=SC2086
        gt-pdist -q --unrelated 0.0884 $args x -o h
        cmp g.in.id h.in.id
        cmp g.out.id h.out.id
    done
    for part in 1 2; do gt-pdist -q -m king -O counts --part $part/2 x -o $part.counts; done
    gt-pdist -q --unrelated 0.0884 --merge 1.counts 2.counts -o h # a file of counts has no family ids
    [ "$(cut -f2 h.in.id)" = "$(cut -f2 g.in.id)" ]
}

@test "--unrelated: one sample, nothing known, more than a pass holds; what makes no sense is refused" {
    gt-sim -q --samples 1 --variants 50 --seed 1 -o one.bed
    gt-pdist -q --unrelated 0.1 one -o g
    [ "$(wc -l < g.in.id)" -eq 2 ]
    [ "$(cat g.out.id)" = "$(printf '#FID\tIID')" ]
    gt-sim -q --samples 9 --variants 50 --missing 1 --seed 1 -o none.zarr
    gt-pdist --unrelated 0.1 none.zarr -o g 2> err
    [ "$(wc -l < g.in.id)" -eq 10 ]
    grep -q "none in 36" err
    gt-sim -q --samples 2200 --variants 300 --seed 5 -o x.zarr
    gt-pdist -q --unrelated 0.06 x.zarr -o g
    gt-pdist -q --unrelated 0.06 --memory 70M x.zarr -o h
    cmp g.in.id h.in.id
    cmp g.out.id h.out.id
    [ "$(cat g.in.id g.out.id | wc -l)" -eq 2202 ]
    [ "$(wc -l < g.out.id)" -gt 100 ]
    mkdir z
    cd z
    for args in "" "-o -" "-m ibs -o a" "-O npy -o a" "--knn 2 -o a" "--min 0 -o a" "--part 1/2 -o a" "--tree t.nwk -o a" "--dtype f4 -o a"; do
        # shellcheck disable=SC2086
        run gt-pdist -q --unrelated 0.1 $args ../none.zarr
        [ "$status" -eq 2 ] || { echo "$args"; return 1; }
    done
    for most in -0.1 0.5 nan; do
        run gt-pdist -q --unrelated $most ../none.zarr -o a
        [ "$status" -eq 2 ] || { echo "$most"; return 1; }
    done
    [ -z "$(ls)" ]
    mkdir b.out.id
    run gt-pdist -q --unrelated 0.1 ../none.zarr -o b
    [ "$status" -eq 1 ]
    [ "$(ls)" = b.out.id ]
}

@test "family ids: --rows and --pairs take the sample of that family" {
    families x
    read -r fid iid _ < <(awk '$1 != 0' x.fam)
    printf '%s %s\n' "$fid" "$iid" > rows
    [ "$(gt-pdist -q --rows rows x -o - | tail -n +2 | cut -f 1)" = "$iid" ]
    printf '0 %s\n' "$iid" > rows
    [ "$(gt-pdist -q --rows rows x -o - | tail -n +2 | cut -f 1)" = "$iid" ]
    printf 'elsewhere %s\n' "$iid" > rows
    refused 3 "sample 'elsewhere $iid' is not in 'x': it has another family id" gt-pdist --rows rows x -o -
    printf '#FID1\tIID1\tFID2\tIID2\nelsewhere\t%s\t0\ti27\n' "$iid" > pairs
    refused 3 "sample 'elsewhere $iid' is not in" gt-pdist --strict --pairs pairs x -o -
    gt-sim -q --samples 5 --variants 40 -o x.vcf.gz
    printf 'S1 S2\n' > two
    refused 3 "'S1 S2' names two samples of 'x.vcf.gz'" gt-pdist -S two x.vcf.gz -o -
}

@test "XY, the part that X and Y share, counts as PLINK has it count" {
    need_plink
    families x
    awk 'BEGIN { OFS = "\t" } { $1 = NR % 3 ? NR % 2 ? 25 : 7 : 23; print }' x.bim | sort -k1,1n -s > bim.new
    mv bim.new x.bim
    plink1.9 --bfile x --distance square allele-ct flat-missing --out p > log
    plink2 --bfile x --make-king triangle --out p > log
    gt-pdist -q x --plink-shape square -o g.dist
    gt-pdist -q x -o g.king
    cmp g.dist p.dist
    cmp g.king p.king
}

@test "a sample and itself are what PLINK writes, without data too" {
    need_plink
    families x
    "$PYTHON" - << 'PY'
import numpy as np
raw = np.fromfile("x.bed", np.uint8)
rows = raw[3:].reshape(2000, 15).copy()
rows[:, 0] = rows[:, 0] & 0xf0 | 0b0001 | 0b1100  # sample 0 has no call, sample 1 is homozygous
raw[3:] = rows.ravel()
raw.tofile("x.bed")
PY
    plink1.9 --bfile x --distance square ibs 1-ibs allele-ct flat-missing --out p > log
    plink2 --bfile x --make-king square --out p > log
    gt-pdist -q x --plink-shape square -o g.king
    diag() { awk '{ print $NR }' "$1"; }
    diff <(diag g.king) <(diag p.king)
    [ "$(diag g.king | sort -u)" = 0.5 ]
    for suffix in mibs mdist dist; do
        gt-pdist -q x --plink-shape square -o g.$suffix 2> said
        diff <(diag g.$suffix) <(diag p.$suffix) || { echo $suffix; return 1; }
    done
    gt-pdist -q -m king x -O npy -o g.npy
    "$PYTHON" -c 'import numpy as np; d = np.diag(np.load("g.npy")); assert np.isnan(d[:2]).all() and (d[2:] == 0.5).all()'
}

@test "names of PLINK's binary matrices are for those, and no others" {
    families x
    for name in d.mdist.bin d.mibs.bin d.dist.bin d.rel.bin d.king.bin; do
        refused 2 "'$name' has the suffix of a binary matrix, but this one is text" gt-pdist x -o $name
        gt-pdist -q --plink-shape bin-square x -o $name
        [ "$(stat -c %s $name)" -eq $((60 * 60 * 8)) ]
        refused 2 "'${name%.bin}' has the suffix of a text matrix, but --plink-shape asks for a binary one" gt-pdist --plink-shape bin x -o ${name%.bin}
    done
    gt-pdist -q -m grm x -o g.grm.N.bin
    [ -s g.grm.bin ]
    [ "$(stat -c %s g.grm.N.bin)" -eq $((60 * 61 / 2 * 4)) ]
    refused 2 "contradicts 'x.pairs'" gt-pdist -O tsv x -o x.pairs
    gt-pdist -q x -o x.pairs
    [ "$(wc -l < x.pairs)" -eq $((60 * 59 / 2 + 1)) ]
    refused 3 "at most 2,000 variants of 'x' are left; --require-sites needs 2,001" gt-pdist --require-sites 2001 -r 1:1-9000 x -o -
}

# same_numbers OURS PLINK'S BYTES: as many numbers of that many bytes, float32 bit by bit, float64 up to four ulps (PLINK rounds more often).
same_numbers() {
    "$PYTHON" - "$@" << 'PY'
import numpy as np, sys
ours, theirs = (np.fromfile(path, "<f" + sys.argv[3]) for path in sys.argv[1:3])
assert len(ours) == len(theirs), (sys.argv, len(ours), len(theirs))
assert np.isfinite(theirs).all() and len(theirs) > 1000
tolerance = 0 if sys.argv[3] == "4" else 4 * np.spacing(np.abs(theirs))
assert (np.abs(ours - theirs) <= tolerance).all(), sys.argv
PY
}

@test "every shape and type of PLINK 1.9 --distance" {
    need_plink
    "$PYTHON" -c 'import numpy' 2> /dev/null || skip "no python3-numpy"
    families x
    for metric in allele-count:allele-ct:dist ibs:ibs:mibs 1-ibs:1-ibs:mdist; do
        IFS=: read -r ours theirs suffix <<< "$metric"
        for shape in triangle square square0; do
            for bytes in 4 8; do
                [ "$bytes" = 4 ] && type=bin4 || type=bin
                # PLINK 1.9 writes stray numbers on the diagonal of this one
                [ "$theirs $shape $type" != "allele-ct square bin4" ] || continue
                # with two metrics in one run PLINK 1.9 appends two numbers to the second file
                plink1.9 --bfile x --distance "$shape" $type "$theirs" flat-missing --out p > log
                name=$type-$shape
                gt-pdist -q -m "$ours" -O plink --plink-shape "${name%-triangle}" x -o g
                same_numbers g.$suffix.bin p.$suffix.bin $bytes
                gt-pdist -q -m "$ours" -O plink --plink-shape "${name%-triangle}" x | cmp - g.$suffix.bin
                cmp g.$suffix.id p.$suffix.id
            done
            plink1.9 --bfile x --distance "$shape" "$theirs" flat-missing --out p > log
            gt-pdist -q -m "$ours" -O plink --plink-shape "$shape" x -o g
            cmp g.$suffix p.$suffix
        done
    done
    gt-pdist -q -m ibs -O plink --plink-shape bin x -o g
    [ "$(stat -c %s g.mibs.bin)" -eq $((60 * 59 / 2 * 8)) ]
}

@test "every shape and type of PLINK's --make-rel and --make-king" {
    need_plink
    "$PYTHON" -c 'import numpy' 2> /dev/null || skip "no python3-numpy"
    families x
    for shape in triangle square square0; do
        for type in bin bin4; do
            plink2 --threads 1 --bfile x --make-rel $shape $type --make-king $shape $type --out p > log
            plink1.9 --bfile x --make-rel $shape $type --out p1 > log
            name=$type-$shape
            gt-pdist -q -m grm -O plink --plink-shape "${name%-triangle}" x -o g
            gt-pdist -q -O king --plink-shape "${name%-triangle}" x -o g
            cmp g.king.bin p.king.bin
            [ "$(stat -c %s g.rel.bin)" -eq "$(stat -c %s p1.rel.bin)" ]
            "$PYTHON" - g.rel.bin p.rel.bin $type << 'PY'
import numpy as np, sys
ours, theirs = (np.fromfile(path, "<f4" if sys.argv[3] == "bin4" else "<f8") for path in sys.argv[1:3])
assert len(ours) == len(theirs) and ((ours == 0) == (theirs == 0)).all() and np.abs(ours - theirs).max() < 1e-6
PY
        done
    done
}
