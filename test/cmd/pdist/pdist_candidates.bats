#!/usr/bin/env bats
# gt-pdist of kinship above a limit, of many samples: most pairs are left out before all variants are counted.

bats_require_minimum_version 1.5.0

. "$GT_SOURCE/test/support/level.bash"

setup() { cd "$BATS_TEST_TMPDIR" || exit 1; }

need_plink() { command -v plink2 > /dev/null || skip "no plink2"; }

# x.bed: 8,192 samples, a quarter of the variants common. 40 samples are copies of others, 400 of others at every second variant,
# and the 4 from s8000 on have no heterozygotes, and calls at a third of the variants.
make_samples() {
    gt-sim -q --samples 8192 --variants 400 --missing 0.002 --seed 3 -o common.bed
    gt-sim -q --samples 8192 --variants 1200 --missing 0.002 --spectrum growth --seed 3 -o rare.bed
    "$PYTHON" - << 'PY'
samples, row, sites = 8192, 2048, []
for name in "common.bed", "rare.bed":
    data = open(name, "rb").read()[3:]
    sites += [bytearray(data[k : k + row]) for k in range(0, len(data), row)]
for k, site in enumerate(sites):
    site[300:310] = site[100:110]
    if k % 2:
        site[1500:1600] = site[200:300]
    site[2000] = 0x55 if k % 3 else 0xFF
open("x.bed", "wb").write(b"\x6c\x1b\x01" + b"".join(sites))
open("x.bim", "w").writelines(f"1\tv{k}\t0\t{k + 1}\tA\tC\n" for k in range(len(sites)))
open("x.fam", "w").writelines(f"0\ts{k}\t0\t0\t0\t-9\n" for k in range(samples))
PY
}

@test "the plan says when pairs are candidates: of --min and --unrelated, by their limits" {
    gt-sim -q --samples 8192 --variants 20 -O bed -o s.bed
    for args in "--min 0.3 -O kin0" "--min 0.3 -m king -O pairs" "--unrelated 0.3"; do
        # shellcheck disable=SC2086
        gt-pdist -n $args s.bed -o o | grep -q '^or candidates  pairs that may reach 0.3, ' || { echo "$args"; return 1; }
    done
    for args in "--max 0.3 -O kin0" "--min 0.3 -m ibs -O pairs" "--unrelated 0 -m king" "-O kin0" "--min 0 -O kin0" "--min 0.2 -O kin0 --missing error" \
        "--min 0.2 --knn 3 -m king -O pairs"; do
        # shellcheck disable=SC2086
        gt-pdist -n $args s.bed -o o > plan
        run ! grep 'or candidates' plan
    done
}

@test "--min of 8,192 samples: the pairs of PLINK 2, and what is reported of the others" {
    need_plink
    make_samples
    plink2 --bfile x --make-king-table --king-table-filter 0.2 --threads 2 --out p > log
    awk '$8 != "nan"' p.kin0 > want
    [ "$(wc -l < want)" -gt 440 ]
    gt-pdist --trace trace.json --min 0.2 x -o o.kin0 2> said
    cmp want o.kin0
    grep -q '"turn"' trace.json # the genotypes were turned: candidates, and not pair sums
    run ! grep -q '"pairs"' trace.json
    # the four with all others and with each other: 4 * 8188 + 6
    grep -qx 'gt-pdist: warning: less than half of the variants are observed in both samples of 32,758 pairs; none in 0' said
    grep -qx 'gt-pdist: warning: king: 32,758 pairs of samples have no finite value' said
}

@test "--min of 8,192 samples in parts, and --unrelated: the pairs of one run" {
    make_samples
    gt-pdist -q --min 0.2 x -o o.kin0
    awk '$8 != "nan"' o.kin0 > want
    [ "$(wc -l < want)" -gt 440 ]
    for part in 1 2 3; do GT_CPU=avx2 gt-pdist -q -@ $part --min 0.2 -O kin0 --part $part/3 x; done | cmp - o.kin0
    gt-pdist -q --unrelated 0.2 x -o u
    [ "$(($(wc -l < u.in.id) + $(wc -l < u.out.id)))" -eq 8194 ]
    tail -n +2 u.in.id | cut -f 2 | sort > in
    awk 'NR == FNR {left[$1] = 1; next} FNR > 1 && $8 > 0.2 && left[$2] && left[$4]' in want > related
    [ ! -s related ]
    tail -n +2 want | cut -f 2,4 | tr '\t' '\n' | sort -u > relatives
    tail -n +2 u.out.id | cut -f 2 | sort | comm -23 - relatives > alone
    [ ! -s alone ]
}

@test "--min of 8,192 samples: the bytes of pair sums, also where most pairs are left over" {
    [ "$(by_level 0 1 1)" -eq 1 ] || skip "not at the quick level"
    make_samples
    gt-unpack -q -O vcf x -o x.vcf # whose variants are not known before the end
    for least in 0.02 0.2 0.354; do
        gt-pdist --min $least x.vcf -o sums.kin0 -f 2> said
        gt-pdist --min $least x -o o.kin0 -f 2> says
        cmp sums.kin0 o.kin0
        cmp <(grep warning said) <(grep warning says)
    done
}
