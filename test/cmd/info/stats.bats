#!/usr/bin/env bats
# gt-info --stats: counts, Hardy-Weinberg, inbreeding, groups; against plink2 and
# plain reading of the text.

bats_require_minimum_version 1.5.0

setup() {
    cd "$BATS_TEST_TMPDIR" || exit 1
    info=$GT_BUILD/gt-info
}

need() { command -v "$1" > /dev/null || skip "no $1"; }
need_data() { [ -e "$GT_TEST_DATA/README.md" ] || skip "no test data"; }

# The tables of both commands for PREFIX.bed, number by number.
like_plink() {
    plink2 --bfile "$1" --hardy midp --het --out p > log || { cat log; return 1; }
    "$info" -q --stats samples --contigs autosomes "$1" > samples.tsv
    "$info" -q --stats variants --contigs autosomes "$1" > variants.tsv
    "$PYTHON" - << 'PY'
import csv
table = lambda name: list(csv.DictReader(open(name), delimiter="\t"))
close = lambda a, b: abs(a - b) <= 6e-6 * max(abs(a), abs(b)) + 1e-9  # plink2 prints six digits
het = table("p.het")
ours = table("samples.tsv")
assert len(het) == len(ours) > 0
for p, o in zip(het, ours):
    assert (int(p["O(HOM)"]), int(p["OBS_CT"])) == (int(o["hom"]), int(o["f_sites"])), (p, o)
    assert close(float(p["E(HOM)"]), float(o["expected_hom"])) and abs(float(p["F"]) - float(o["f"])) < 1e-5, (p, o)
hardy = {(p["#CHROM"], p["ID"]): p for p in table("p.hardy")}
ours = table("variants.tsv")
assert len(hardy) == len(ours) > 0
for o in ours:
    p = hardy[o["contig"], o["id"]]
    if o["called"] == "0":
        assert o["hwe"] == "nan"  # plink2 says 0.5
        continue
    assert int(p["HET_A1_CT"]) == int(o["het"])
    assert sorted([int(p["HOM_A1_CT"]), int(p["TWO_AX_CT"])]) == sorted([int(o["hom_ref"]), int(o["hom_alt"])])
    assert close(float(p["MIDP"]), float(o["hwe"])), (p, o)
PY
}

@test "simulated populations: hwe and F as plink2 has them" {
    need plink2
    gt-sim -q --samples 403 --variants 3000 --pops 3 --fst 0.2 --missing 0.03 --contigs 3 --seed 2 -o x.bed
    awk -v OFS='\t' '{ $2 = "rs" NR; print }' x.bim > named
    mv named x.bim
    like_plink x
    gt-sim -q --samples 55 --variants 500 --missing 0.9 --seed 3 -o y.bed # few calls
    awk -v OFS='\t' '{ $2 = "rs" NR; print }' y.bim > named
    mv named y.bim
    like_plink y
}

@test "hwe: tables that are as likely as the one seen, and not next to it, count half" {
    "$PYTHON" - > t.vcf << 'PY'
# n genotypes with a rare alleles: those with het heterozygotes and with `other` are exactly as likely
ties = [(165, 86, 62, 66), (188, 36, 30, 36), (219, 34, 30, 34), (224, 75, 61, 65)]
print("##fileformat=VCFv4.2\n##contig=<ID=1>\n##FORMAT=<ID=GT,Number=1,Type=String,Description=\"g\">")
print("#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\t" + "\t".join("s%d" % i for i in range(224)))
for n, a, *hets in ties:
    for het in hets:
        rare = (a - het) // 2
        calls = ["1/1"] * rare + ["0/1"] * het + ["0/0"] * (n - rare - het) + ["./."] * (224 - n)
        print("1\t%d\t%d,%d\tA\tC\t.\t.\t.\tGT\t%s" % (n, a, het, "\t".join(calls)))
PY
    "$info" -q --stats variants t.vcf > table
    "$PYTHON" - << 'PY'
from fractions import Fraction
from math import factorial
lines = [line.split("\t") for line in open("table").read().splitlines()]
assert len(lines) == 9
for line in lines[1:]:
    row = dict(zip(lines[0], line))
    n, (a, het) = int(row["position"]), map(int, row["id"].split(","))
    assert int(row["het"]) == het and int(row["called"]) == n, row
    weight = {h: Fraction(2**h, factorial((a - h) // 2) * factorial(h) * factorial(n - (a + h) // 2)) for h in range(a % 2, a + 1, 2)}
    tied = [h for h in weight if weight[h] == weight[het]]
    assert len(tied) == 2 and abs(tied[0] - tied[1]) > 2
    p = (sum(w for w in weight.values() if w < weight[het]) + sum(weight[h] for h in tied) / 2) / sum(weight.values())
    assert abs(float(row["hwe"]) - float(p)) < 1e-9 * float(p), (row, float(p))
PY
}

@test "HapMap: hwe and F as plink2 has them" {
    need plink2
    need_data
    like_plink "$GT_TEST_DATA/plink/HM3_thinned"
}

# Counts of calls of a VCF with GT alone, read plainly: a line a variant, or a sample.
count_plainly() {
    "$PYTHON" - "$1" << 'PY'
import sys
sites, samples, names = [], {}, []
for line in open(sys.argv[1]):
    if line.startswith("##"):
        continue
    f = line.rstrip("\n").split("\t")
    if line.startswith("#"):
        names = f[9:]
        samples = {n: [0, 0, 0, 0] for n in names}
        continue
    counts = [0, 0, 0, 0]
    for name, call in zip(names, f[9:]):
        a = call.replace("|", "/").split("/")
        kind = 3 if "." in a else 0 if a == ["0", "0"] else 2 if a[0] == a[1] else 1
        counts[kind] += 1
        samples[name][kind] += 1
    sites.append(counts)
with open("plain.variants", "w") as out:
    for c in sites:
        print(c[3], c[0], c[1], c[2], sep="\t", file=out)
with open("plain.samples", "w") as out:
    for c in samples.values():
        print(c[3], c[0], c[1], c[2], sep="\t", file=out)
PY
}

@test "heterozygotes of two ALTs are heterozygotes, from VCF, BCF and stores of calls" {
    gt-sim -q --samples 37 --variants 800 --missing 0.05 --multiallelic 0.3 --seed 9 -o m.vcf
    gt-sim -q --samples 37 --variants 800 --missing 0.05 --multiallelic 0.3 --seed 9 -o m.vcz
    count_plainly m.vcf
    ! command -v bcftools > /dev/null || bcftools view -Ob m.vcf -o m.bcf 2> log
    for input in m.vcf m.vcz m.bcf; do
        [ -e $input ] || continue
        "$info" -q --stats variants $input | tail -n +2 | cut -f 7,9-11 | cmp plain.variants
        "$info" -q --stats samples $input | tail -n +2 | cut -f 3,5-7 | cmp plain.samples
    done
    awk -F '\t' 'NR > 1 && $5 ~ /,/ && $15 != "nan"' <("$info" -q --stats variants m.vcf) > tested
    [ ! -s tested ] # Hardy-Weinberg is for two alleles
}

# What is expected of the homozygotes of each sample, by the definition, from a VCF of two alleles a site.
expect_plainly() {
    "$PYTHON" - "$1" "$2" << 'PY'
import csv, sys
rows = [line.rstrip("\n").split("\t") for line in open(sys.argv[1]) if not line.startswith("##")]
names, sites = rows[0][9:], [r[9:] for r in rows[1:] if "," not in r[4]]
expected, known = dict.fromkeys(names, 0.0), dict.fromkeys(names, 0)
for calls in sites:
    alleles = [a for c in calls if "." not in c for a in c.replace("|", "/").split("/")]
    alt = alleles.count("1") / max(len(alleles), 1)
    for name, call in zip(names, calls):
        if 0 < alt < 1 and "." not in call:
            expected[name] += 1 - 2 * alt * (1 - alt)
            known[name] += 1
table = list(csv.DictReader(open(sys.argv[2]), delimiter="\t"))
assert [t["sample"] for t in table] == names
for t in table:
    assert int(t["f_sites"]) == known[t["sample"]], t
    assert abs(float(t["expected_hom"]) - expected[t["sample"]]) <= 2e-10 * expected[t["sample"]] + 1e-9 * len(sites), (t, expected[t["sample"]])
PY
}

@test "as many samples as a word has, and one less and more: heterozygotes and F by their definitions" {
    for n in 31 32 33 64 96; do
        gt-sim -q --samples $n --variants 300 --missing 0.2 --multiallelic 0.3 --seed $n -o w$n.vcf
        count_plainly w$n.vcf
        "$info" -q --stats samples w$n.vcf > table
        tail -n +2 table | cut -f 3,5-7 | cmp plain.samples
        expect_plainly w$n.vcf table
    done
}

@test "a packed store: multiallelic sites are counted apart, and that is said" {
    gt-sim -q --samples 37 --variants 800 --missing 0.05 --multiallelic 0.3 --seed 9 -o m.vcf
    gt-pack -q m.vcf -o m.zarr
    count_plainly m.vcf
    many=$(awk '!/^#/ && $5 ~ /,/' m.vcf | wc -l)
    [ "$many" -gt 100 ]
    "$info" --stats variants m.zarr > table 2> err
    grep -q "^gt-info: $many multiallelic variants in a packed store: " err
    tail -n +2 table | cut -f 7,9-11 | paste - plain.variants | awk -F '\t' -v many="$many" '
        $3 == "nan" { apart++; if ($4 != "nan" || $1 != $5 || $2 != $6) exit 1; next }
        $1 != $5 || $2 != $6 || $3 != $7 || $4 != $8 { exit 1 }
        END { exit apart != many }'
    "$info" --stats samples m.zarr > table 2> err
    grep -q "^gt-info: $many multiallelic variants in a packed store: " err
    bcf=$("$info" -q --stats samples m.vcf | awk -F '\t' 'NR > 1 { print $1, $2, $3 }')
    [ "$(awk -F '\t' 'NR > 1 { print $1, $2, $3 }' table)" = "$bcf" ] # called and missing are known
    awk -F '\t' -v many="$many" 'NR > 1 && ($2 != $5 + $6 + $7 + $9 || $9 > many || $9 < many / 2) { exit 1 }' table
    "$info" -q --stats samples --biallelic m.vcf | cut -f 5-7 > two
    cut -f 5-7 table | cmp two # the rest is as without those sites
}

@test "the same bytes for any number of threads, chunks and kind of input" {
    gt-sim -q --samples 131 --variants 5000 --missing 0.1 --pops 2 --seed 5 -o a.vcf.gz
    gt-pack -q a.vcf.gz -o a.zarr
    gt-pack -q --chunks variants=64,samples=32 a.vcf.gz -o b.zarr
    gt-pack -q a.vcf.gz -o a.tar
    for of in samples variants; do
        "$info" -q --stats $of a.vcf.gz > expected
        for input in a.zarr b.zarr a.tar; do
            for threads in 1 3; do
                "$info" -q --stats $of -@ $threads $input | cmp expected
            done
        done
        "$info" -q --stats $of - < a.tar | cmp expected
    done
}

@test "a group is as if it were alone" {
    gt-sim -q --samples 60 --variants 900 --missing 0.05 --multiallelic 0.1 --pops 3 --seed 6 -o a.vcf
    gt-pack -q a.vcf -o a.zarr
    # in the order red, blue; samples in turn, some in none
    awk 'BEGIN { for (i = 60; i >= 1; i--) if (i % 3) print "S" i "\t" (i % 3 == 1 ? "blue" : "red") }' > groups
    for input in a.vcf a.zarr; do
        "$info" --stats variants --groups groups $input > grouped 2> err
        grep -qx 'gt-info: 20 samples without a group excluded' err
        "$info" -q --stats samples --groups groups $input > sgrouped
        for group in red blue; do
            awk -v g=$group '$2 == g { print $1 }' groups | sort -V > list
            "$info" -q --stats variants -S list $input > alone
            awk -F '\t' -v OFS='\t' -v g=$group 'NR == 1 || $6 == g { sub("\t[^\t]*", "", $0); print }' grouped > x
            awk -F '\t' -v g=$group 'NR == 1 || $6 == g' grouped | cut -f 1-5,7- | cmp alone
            awk -F '\t' -v g=$group 'NR == 1 || $2 == g' sgrouped | cut -f 1,3- | cmp <("$info" -q --stats samples -S list $input)
        done
        [ "$(tail -n +2 sgrouped | cut -f 2 | uniq | tr '\n' ' ')" = "red blue " ]
    done
}

@test "files of groups: columns of PLINK, faults" {
    gt-sim -q --samples 4 --variants 20 -o a.zarr
    printf '#IID POP\nS1 p\nS2 q\n\nS9 r\n' > g
    run "$info" --stats samples --groups g a.zarr
    [ "$status" -eq 0 ]
    [[ "$output" == *"1 line of 'g' names samples that the input does not have"* && "$output" == *"2 samples without a group"* ]]
    printf 'FID IID dad mom population\nf1 S1 0 0 p\nf1 S2 0 0 q\n' > g
    "$info" -q --stats samples --groups g a.zarr | cut -f 1,2 > table
    [ "$(cat table)" = "$(printf 'sample\tgroup\nS1\tp\nS2\tq')" ]
    printf 'S1\tSouth Asia\n' > g
    [ "$("$info" -q --stats samples --groups g a.zarr | cut -f 2 | tail -n 1)" = "South Asia" ]
    for text in 'S1 p\nS1 q\n' 'S1\n' 'T1 p\n' ''; do
        printf "$text" > g
        run "$info" --stats samples --groups g a.zarr -o none.tsv
        [ "$status" -eq 3 ] || { echo "'$text': $status $output"; false; }
        [[ "${lines[0]}" == *"'g'"* ]]
        [ ! -e none.tsv ]
    done
    run "$info" --groups g a.zarr
    [ "$status" -eq 2 ]
    [[ "${lines[0]}" == "gt-info: --groups needs --stats" ]]
    run "$info" --stats samples --groups g g -o g -f
    [ "$status" -eq 2 ]
}

@test "the selection options choose, are told of, and go with --stats only" {
    gt-sim -q --samples 40 --variants 400 --missing 0.1 --contigs 2 --seed 8 -o a.zarr
    "$info" -q --stats variants a.zarr > all
    "$info" --stats variants --geno 0.1 --maf 0.05 -r 2 -s ^S1 a.zarr > some 2> err
    grep -q '^gt-info: kept 39 of 40 samples' err
    grep -q 'outside the regions' err
    "$info" -q --stats variants -s ^S1 a.zarr | awk -F '\t' 'NR == 1 || ($1 == 2 && $8 <= 0.1 && $14 >= 0.05)' | cmp some
    [ "$(wc -l < some)" -gt 20 ]
    for option in "-r 1" "-s S1" "--maf 0.1" "--snps" "--thin 2" "--require-sites 5"; do
        for mode in "" "--check" "--head 3"; do
            # shellcheck disable=SC2086
            run "$info" $mode $option a.zarr
            [ "$status" -eq 2 ]
            [[ "${lines[0]}" == "gt-info: --"*" needs --stats" ]]
        done
    done
    run "$info" --stats samples --require-sites 500 a.zarr -o x.tsv
    [ "$status" -eq 3 ]
    [ ! -e x.tsv ]
}

@test "contigs that are no autosomes are left out of hwe and F, and told of" {
    gt-sim -q --samples 40 --variants 300 --missing 0.1 --contigs 3 --seed 8 -o a.vcf
    sed 's/^2\t/chrX\t/; s/^##contig=<ID=2\>/##contig=<ID=chrX/; s/^3\t/MT\t/; s/^##contig=<ID=3\>/##contig=<ID=MT/' a.vcf > x.vcf
    "$info" --stats variants x.vcf > table 2> err
    grep -qx 'gt-info: 200 variants on X, Y or MT excluded from hwe and f; --contigs all keeps them' err
    awk -F '\t' 'NR > 1 && ($1 == "1") == ($15 == "nan") { exit 1 }' table
    "$info" -q --stats samples x.vcf | cut -f 10- > auto
    "$info" -q --stats samples --contigs 1 a.vcf | cut -f 10- | cmp auto
    "$info" --stats samples --contigs all x.vcf 2> err | cut -f 10- > every
    "$info" -q --stats samples a.vcf | cut -f 10- | cmp every
    run ! grep -q 'excluded' err
}

@test "where sexes are known X, Y and MT are counted as plink2 counts them, in groups and selections too" {
    need plink2
    gt-sim -q --missing 0.1 --samples 41 --variants 400 --contigs 5 --seed 7 -o x.bed
    awk -v OFS='\t' '{ split("1 X Y XY MT", c, " "); $1 = c[$1]; $2 = "rs" NR; print }' x.bim > named
    mv named x.bim
    awk -v OFS='\t' '{ $5 = NR % 3; print }' x.fam > named
    mv named x.fam
    awk '{ print $2 "\t" (NR % 2 ? "odd" : "even") }' x.fam > groups
    awk 'NR % 2 { print $1, $2 }' x.fam > odd
    plink2 --bfile x --nonfounders --freq --hardy --missing --out all > log
    plink2 --bfile x --keep odd --nonfounders --freq --hardy --missing --out odd > log
    "$info" -q --stats variants --contigs all x > all.variants
    "$info" -q --stats samples x > all.samples
    "$info" -q --stats variants --contigs all -S odd x > odd.variants
    "$info" -q --stats samples -S odd x > odd.samples
    for table in variants samples; do
        "$info" -q --stats $table --contigs all --groups groups x > groups.$table
        { head -1 groups.$table; grep -P '\todd\t' groups.$table; } | sed 's/\todd\t/\t/; s/\tgroup\t/\t/' > of_group
        "$info" -q --stats $table --contigs all -S odd x | diff - of_group
    done
    "$PYTHON" - << 'PY'
import csv
table = lambda name: list(csv.DictReader(open(name), delimiter="\t"))
close = lambda a, b: abs(float(a) - float(b)) <= 1e-5
for which in ("all", "odd"):
    ours = {o["id"]: o for o in table(which + ".variants")}
    assert len(ours) == 400
    for p in table(which + ".afreq"):
        assert close(p["ALT_FREQS"], ours[p["ID"]]["alt_frequency"]), (p, ours[p["ID"]])
        f = float(p["ALT_FREQS"])
        assert close(min(f, 1 - f), ours[p["ID"]]["maf"])
    for p in table(which + ".vmiss"):
        o = ours[p["ID"]]
        assert p["MISSING_CT"] == o["missing"] and close(p["F_MISS"], o["missing_rate"]), (p, o)
    on_x = table(which + ".hardy.x")
    assert len(on_x) == 80 and all(close(p["P"], ours[p["ID"]]["hwe"]) for p in on_x)
    assert all((o["hwe"] == "nan") == (o["contig"] in ("Y", "MT")) for o in ours.values())
    ours = {o["sample"]: o for o in table(which + ".samples")}
    for p in table(which + ".smiss"):
        o = ours[p["IID"]]
        assert (p["MISSING_CT"], int(p["OBS_CT"])) == (o["missing"], int(o["called"]) + int(o["missing"])), (p, o)
PY
    # --maf and --geno keep what the table says
    "$info" -q --stats variants --contigs all --maf 0.2 --geno 0.1 x | cut -f 3 > kept
    awk -F '\t' 'NR == 1 || ($14 >= 0.2 && $8 <= 0.1) { print $3 }' all.variants | diff - kept
    # nobody's sex is known: two alleles, as before
    awk -v OFS='\t' '{ $5 = 0; print }' x.fam > named
    mv named x.fam
    "$info" -q --stats variants --contigs all x | awk -F '\t' '$1 == "X" && ($13 * 2 * $6 - ($10 + 2 * $11)) ^ 2 > 1e-6' | diff - /dev/null
}

@test "--json has the table's numbers, and null where there is none" {
    gt-sim -q --samples 7 --variants 50 --missing 0.5 --multiallelic 0.3 --seed 1 -o a.zarr
    printf 'S1 "a\\b"\nS2 c\n' > g
    for args in "samples" "variants" "samples --groups g" "variants --groups g"; do
        # shellcheck disable=SC2086
        "$info" -q --stats $args a.zarr > t.tsv
        # shellcheck disable=SC2086
        "$info" -q --json --stats $args a.zarr > t.json
        "$PYTHON" - << 'PY'
import csv, json
rows, objects = list(csv.DictReader(open("t.tsv"), delimiter="\t", quoting=csv.QUOTE_NONE)), json.load(open("t.json"))
assert len(rows) == len(objects) > 1
texts = {"sample", "group", "contig", "id", "ref", "alt"}
for r, o in zip(rows, objects):
    assert list(r) == list(o), (r, o)
    for k in r:
        if k in texts:
            assert r[k].replace("\\\\", "\\") == o[k], (r, o)
        else:
            assert (o[k] is None and r[k] == "nan") or float(r[k]) == o[k], (k, r, o)
PY
    done
    "$info" -q --stats samples a.zarr -o t2.json # the name asks for it
    "$info" -q --json --stats samples a.zarr | cmp t2.json
    [ "$("$info" -q --json --stats variants -r 1:1 a.zarr)" = "[]" ]
}

@test "shapes nobody had in mind" {
    gt-sim -q --samples 1 --variants 3 -o one.vcf
    run --separate-stderr "$info" --stats samples one.vcf
    [ "$status" -eq 0 ]
    [ "${#lines[@]}" -eq 2 ]
    run --separate-stderr "$info" --stats variants -r 1:1 one.vcf
    [ "$status" -eq 0 ]
    [ "${#lines[@]}" -eq 1 ]
    [[ "$stderr" == *"no variants of 'one.vcf' are left"* ]]
    grep '^#' one.vcf > none.vcf
    run --separate-stderr "$info" --stats samples none.vcf
    [ "$status" -eq 0 ]
    [ "${lines[1]}" = "$(printf 'S1\t0\t0\tnan\t0\t0\t0\tnan\t0\t0\t0\t0\tnan')" ] || { echo "$output"; false; }
    sed 's/[01][/|][01]$/.\/./' one.vcf > missing.vcf
    run --separate-stderr "$info" --stats variants missing.vcf
    [ "$status" -eq 0 ]
    [[ "${lines[1]}" == *"$(printf '\t0\t1\t1\t0\t0\t0\tnan\tnan\tnan\tnan')" ]] || { echo "$output"; false; }
    run "$info" -n --stats samples one.vcf -o plan.tsv
    [ "$status" -eq 0 ]
    [[ "$output" == *"samples        1"* ]]
    [ ! -e plan.tsv ]
    run bash -c '"$0" --stats variants "$1" | head -n 1' "$info" one.vcf
    [ "${#lines[@]}" -eq 1 ]
}

@test "300 ALT alleles: a store of calls has the tables of the VCF, whole and split as bcftools norm splits it" {
    need bcftools
    "$PYTHON" - << 'PY'
import itertools
alts = ["".join(p) for p in itertools.product("ACGT", repeat=5)][:300]
with open("a.vcf", "w") as f:
    print('##fileformat=VCFv4.2\n##contig=<ID=1>\n##FORMAT=<ID=GT,Number=1,Type=String,Description="g">', file=f)
    print("#CHROM POS ID REF ALT QUAL FILTER INFO FORMAT a b c d e f".replace(" ", "\t"), file=f)
    calls = "0/256 127/300 127/127 126/126 128|129 300/300", "0|126 127|127 300|127 ./. 1|0 .|255"
    for position, row in enumerate(calls, 5):
        print(1, position, ".", "GGGGGG", ",".join(alts), ".", ".", ".", "GT", *row.split(), sep="\t", file=f)
PY
    gt-pack -q a.vcf -o a.vcz
    for input in a.vcf a.vcz; do
        "$info" -q --stats samples "$input" > "samples.$input"
        "$info" -q --stats variants "$input" > "variants.$input"
        gt-unpack -q --split-multiallelic "$input" | bcftools query -f '%POS %ALT[ %GT]\n' > "split.$input"
    done
    cmp samples.a.vcf samples.a.vcz
    cmp variants.a.vcf variants.a.vcz
    [ "$(cut -f 6,7,9-11 variants.a.vcz | tail -n 2 | tr '\t\n' ' /')" = "6 0 0 3 3/4 2 0 3 1/" ]
    cmp split.a.vcf split.a.vcz
    bcftools norm -m- a.vcf 2> log | bcftools query -f '%POS %ALT[ %GT]\n' > split.norm
    same() { sed 's/|/\//g; s/1\/0/0\/1/g; s/[.]\/[01]/.\/./g' "$1"; } # without order and half calls
    cmp <(same split.norm) <(same split.a.vcz)
    grep -q '1|0' split.a.vcz
}

@test "--polymorphic: alleles of any number are different ones, in VCF, BCF, and stores whose chunks cut calls" {
    local f
    "$PYTHON" - << 'PY'
rows = ["63/63 64/64 .", "127/127 128/128 .", "130/130 200/200 .", "130/130 130/130 .", ". 255/256 .", "299/299 ./. 0/0", "299/299 299/299 299/299"]
with open("p.vcf", "w") as f:
    f.write('##fileformat=VCFv4.3\n##contig=<ID=1>\n##FORMAT=<ID=GT,Number=1,Type=String,Description="g">\n')
    f.write("#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\ts1\ts2\ts3\n")
    for i, row in enumerate(rows):
        f.write("1\t%d\tv%d\tA\t%s\t.\t.\t.\tGT\t%s\n" % (i + 1, i, ",".join("A" + "C" * k for k in range(1, 300)), row.replace(" ", "\t")))
PY
    gt-unpack -q p.vcf -O bcf -o p.bcf
    gt-pack -q --layout vcz p.vcf -o p.zarr
    gt-rechunk -q -c 2,1,1 p.zarr -o cut.zarr
    for f in p.vcf p.bcf p.zarr cut.zarr; do
        [ "$(gt-unpack -q --polymorphic $f -O vcf | grep -v '^#' | cut -f3 | xargs)" = "v0 v1 v2 v4 v5" ]
        [ "$(gt-unpack -q --polymorphic -s s2,s3 $f -O vcf | grep -v '^#' | cut -f3 | xargs)" = "v4" ]
    done
}
