#!/usr/bin/env bats
# gt-sim: the same data in every format, on any number of threads; what it refuses.

. "$GT_SOURCE/test/support/level.bash"

setup() {
    cd "$BATS_TEST_TMPDIR"
    unset GT_CPU GT_THREADS GT_MEMORY OMP_NUM_THREADS
    sim=$GT_BUILD/gt-sim
    py=${PYTHON:-python3}
}

need_zarr() { "$py" -c 'import zarr, numpy' 2>/dev/null || skip "no zarr for $py"; }
need() { command -v "$1" >/dev/null || skip "no $1"; }

# refused MESSAGE ARG...: exit code 2, one line with MESSAGE, nothing written.
refused() {
    local message=$1
    shift
    run "$sim" "$@" -o out
    [ "$status" -eq 2 ] || { echo "exit $status: $output"; return 1; }
    [[ ${lines[0]} == "gt-sim: "*"$message"* ]] || { echo "no '$message' in: $output"; return 1; }
    [ -z "$(ls -A)" ] || { ls -A; return 1; }
}

# Reads any output as dosages, -1 missing: dosages(path) -> array (variants, samples).
cat_reader() {
    cat <<'PYTHON'
import gzip, json, sys
import numpy as np
def unpack(b, n):
    return np.stack([b >> s & 3 for s in (0, 2, 4, 6)], -1).reshape(len(b), -1)[:, :n]
def vcf(path):
    rows = []
    with (gzip.open if path.endswith('gz') else open)(path, 'rt') as f:
        for line in f:
            if line[0] != '#':
                calls = [c.replace('|', '/').split('/') for c in line.split()[9:]]
                rows.append([-1 if '.' in c else sum(a != '0' for a in c) for c in calls])
    return np.array(rows)
def bed(path):
    n = sum(1 for _ in open(path[:-3] + 'fam'))
    raw = np.fromfile(path, dtype='u1')
    assert bytes(raw[:3]) == b'l\x1b\x01'
    return np.array([2, -1, 1, 0])[unpack(raw[3:].reshape(-1, (n + 3) // 4), n)]
def dosages(path):
    if 'vcf' in path:
        return vcf(path)
    if path.endswith('.bed'):
        return bed(path)
    import zarr
    z = zarr.open(path, 'r')
    if 'call_genotype' in z:
        g = z['call_genotype'][:]
        return np.where((g < 0).any(-1), -1, (g > 0).sum(-1))
    return np.array([0, 1, 2, -1])[unpack(z['packed_dosage'][:], len(z['sample_id']))]
PYTHON
}

@test "every format has the same genotypes" {
    need_zarr
    args=(-q --samples 203 --variants 1500 --pops 3 --missing 0.03 --contigs 2 --seed 5)
    "$sim" "${args[@]}" -o p.zarr
    "$sim" "${args[@]}" -o p.zip
    "$sim" "${args[@]}" -o p3.zarr --zarr-format 3
    "$sim" "${args[@]}" -o - >p.tar
    "$sim" "${args[@]}" -o a.vcf
    "$sim" "${args[@]}" -o a.vcf.gz
    "$sim" "${args[@]}" -O vcf >b.vcf
    "$sim" "${args[@]}" -o a.bed
    "$sim" "${args[@]}" --phased -o phased.vcf
    "$sim" "${args[@]}" -O vcz -o v.zarr
    "$sim" "${args[@]}" -O vcz --phased --chunks variants=400,samples=50 -o w.zarr
    "$sim" "${args[@]}" -O vcz -o - >v.tar
    mkdir t u
    tar -xf p.tar -C t
    tar -xf v.tar -C u
    cat_reader >reader.py
    "$py" - p.zarr p.zip t u a.vcf a.vcf.gz b.vcf a.bed phased.vcf v.zarr w.zarr <<'PYTHON'
exec(open('reader.py').read())
first = dosages(sys.argv[1])
assert first.shape == (1500, 203) and set(np.unique(first)) == {-1, 0, 1, 2}
for path in sys.argv[2:]:
    assert (dosages(path) == first).all(), path
PYTHON
    grep -v '^#' a.vcf | cut -f 10- | grep -q '|' && return 1
    grep -v '^#' phased.vcf | cut -f 10- | grep -q / && return 1
    [ -f p3.zarr/zarr.json ]
    # the last byte of a .bed row has three samples, and nothing behind them
    "$py" -c "rows = open('a.bed', 'rb').read()[3:]; assert len(rows) == 1500 * 51 and all(b < 64 for b in rows[50::51])"
}

@test "--missing masks calls: all others are those of the same seed without it" {
    need_zarr
    cat_reader >reader.py
    for how in "" "--ld 30" "--pops 3 --phased"; do
        # shellcheck disable=SC2086
        "$sim" -q --samples 203 --variants 700 --seed 5 $how -o all.vcf
        # shellcheck disable=SC2086
        "$sim" -q --samples 203 --variants 700 --seed 5 $how --missing 0.1 -o some.vcf
        "$py" - <<'PYTHON'
import sys
rows = lambda name: [l.split() for l in open(name) if l[0] != '#']
missing = n = 0
for a, b in zip(rows('all.vcf'), rows('some.vcf')):
    assert a[:9] == b[:9]
    for x, y in zip(a[9:], b[9:]):
        n += 1
        missing += y[0] == '.'
        assert y[0] == '.' or x == y, (a[:5], x, y)
assert 0.09 < missing / n < 0.11, missing / n
PYTHON
    done
}

@test "alleles and phase are the same in VCF and VCF Zarr" {
    need_zarr
    args=(-q --samples 50 --variants 800 --multiallelic 0.3 --missing 0.1 --ld 40)
    for phased in "" --phased; do
        rm -rf v.zarr
        # with it in chunks, of which the last one is not full
        chunks=${phased:+--chunks=variants=70,samples=20}
        "$sim" "${args[@]}" $phased -o a.vcf
        "$sim" "${args[@]}" $phased $chunks -O vcz -o v.zarr
        "$py" - "$phased" <<'PYTHON'
import sys, zarr, numpy as np
z = zarr.open('v.zarr', 'r')
rows = [l.split() for l in open('a.vcf') if l[0] != '#']
number = lambda a: -1 if a == '.' else int(a)
g = np.array([[[number(a) for a in c.replace('|', '/').split('/')] for c in r[9:]] for r in rows])
assert (g == z['call_genotype'][:]).all() and g.max() == 2
assert (z['call_genotype_mask'][:] == (g < 0)).all()
assert z['call_genotype_phased'][:].all() == bool(sys.argv[1])
assert (z['variant_position'][:] == [int(r[1]) for r in rows]).all()
assert [','.join(a for a in v[1:] if a) for v in z['variant_allele'][:]] == [r[4] for r in rows]
assert list(z['sample_id'][:]) == ['S%d' % (i + 1) for i in range(50)]
if not sys.argv[1]:
    assert (np.diff(g) >= 0).all()
PYTHON
    done
}

@test "threads, memory and the instruction set change no byte" {
    args=(-q --no-version --samples 997 --variants 3000 --pops 4 --missing 0.02 --seed 9)
    "$sim" "${args[@]}" -@ 1 -o a.vcf.gz
    "$sim" "${args[@]}" -@ 1 --ld 100 -o l.vcf.gz
    "$sim" "${args[@]}" -@ 1 --spectrum growth --contigs 7 -o g.vcf.gz
    "$sim" "${args[@]}" -@ 1 -o - >a.tar
    for how in "-@ 2" "-@ 5" "-@ 3 --memory 128M"; do
        "$sim" "${args[@]}" $how -o b.vcf.gz
        "$sim" "${args[@]}" $how --ld 100 -o m.vcf.gz
        "$sim" "${args[@]}" $how -o - >b.tar
        cmp a.vcf.gz b.vcf.gz
        cmp l.vcf.gz m.vcf.gz
        "$sim" "${args[@]}" $how --spectrum growth --contigs 7 -o h.vcf.gz
        cmp g.vcf.gz h.vcf.gz
        cmp a.tar b.tar
    done
    for level in ref avx2 avx512; do
        GT_CPU=$level "$sim" "${args[@]}" -o b.vcf.gz 2>message || { grep -q lacks message && continue; cat message; return 1; }
        cmp a.vcf.gz b.vcf.gz
    done
    "$sim" "${args[@]}" --seed 10 -o b.vcf.gz
    run cmp a.vcf.gz b.vcf.gz
    [ "$status" -eq 1 ]
}

@test "VCF is what bcftools reads, with its end block" {
    need bcftools
    "$sim" -q --samples 20 --variants 5000 --multiallelic 0.1 --contigs 25 -o a.vcf.gz
    bcftools view a.vcf.gz >a.vcf 2>warnings
    [ ! -s warnings ] || { cat warnings; return 1; }
    [ "$(grep -vc '^#' a.vcf)" -eq 5000 ]
    bcftools index a.vcf.gz
    [ "$(tail -c 28 a.vcf.gz | head -c 4 | od -An -tx1 | tr -d ' ')" = 1f8b0804 ]
}

@test "the truth: populations and their frequencies" {
    need_zarr
    "$sim" -q --samples 1200 --variants 400 --pops 3 --fst 0.2 --truth t.json -o a.bed
    cat_reader >reader.py
    "$py" - <<'PYTHON'
exec(open('reader.py').read())
g, t = dosages('a.bed'), json.load(open('t.json'))
assert (t['samples'], t['variants'], len(t['frequencies'])) == (1200, 400, 400)
assert [len(p['samples']) for p in t['populations']] == [400] * 3
assert sum((p['samples'] for p in t['populations']), []) == [l.split()[1] for l in open('a.fam')]
assert [l.split()[0] for l in open('a.fam')] == ['pop%d' % (i // 400 + 1) for i in range(1200)]
f = np.array(t['frequencies'])
for k in range(3):
    p = f[:, k + 1]
    common = (p > 0.05) & (p < 0.95)
    p, other = p[common], f[common, (k + 1) % 3 + 1]
    seen = g[common, 400 * k:400 * (k + 1)].mean(1) / 2
    z = lambda q: (((seen - q) / np.sqrt(p * (1 - p) / 800)) ** 2).mean()
    assert abs(z(p) - 1) < 0.4 and z(other) > 5, (z(p), z(other))
PYTHON
}

@test "genotypes and numbers are those of the scheme in calc/sim.h" {
    need_zarr
    "$sim" -q --samples 41 --variants 30 --pops 2 --missing 0.1 --seed 8589934597 --truth t.json -o a.vcf
    "$sim" -q --samples 41 --variants 30 --uniform 0..2 --seed 8589934597 -o u.zarr
    cat_reader >reader.py
    "$py" - <<'PYTHON'
exec(open('reader.py').read())
import zarr
def philox(c, k):
    for _ in range(10):
        a, b = c[0] * 0xD2511F53, c[2] * 0xCD9E8D57
        c = [b >> 32 ^ c[1] ^ k[0], b & 0xffffffff, a >> 32 ^ c[3] ^ k[1], a & 0xffffffff]
        k = [(k[0] + 0x9E3779B9) & 0xffffffff, (k[1] + 0xBB67AE85) & 0xffffffff]
    return c
key, g, u = [5, 2], dosages('a.vcf'), zarr.open('u.zarr', 'r')[:]
t = json.load(open('t.json'))
for v in range(30):
    for s in range(41):
        assert u[v, s] == philox([s // 4, v, 0, 11], key)[s % 4] * 3 >> 32
        x, p = philox([s // 4, v, 0, 1], key)[s % 4] / 2 ** 32, t['frequencies'][v][1 + (s >= 21)]
        bounds, seen = np.array([(1 - p) ** 2, 1 - p ** 2]), philox([s // 4, v, 0, 7], key)[s % 4] / 2 ** 32
        if min(abs(bounds - x).min(), abs(seen - 0.9)) > 1e-7:
            assert g[v, s] == (-1 if seen > 0.9 else (x > bounds).sum())
PYTHON
}

@test "--spectrum growth: the frequencies that msprime gives, F_ST, and shared carriers" {
    need_zarr
    "$sim" -q --samples 100 --variants 20000 --spectrum growth --ld 1 -o a.bed
    "$sim" -q --samples 400 --variants 20000 --spectrum growth --ld 20 --pops 4 --fst 0.1 --seed 3 -o f.bed
    "$sim" -q --samples 2504 --variants 3000 --spectrum growth -o c.bed
    cat_reader >reader.py
    "$py" - <<'PYTHON'
exec(open('reader.py').read())
# msprime 1.4.4: shares of the derived allele counts of 200 haplotypes, mean of 20,000 trees;
# initial_size=5e5, growth_rate=0.02, from 200 generations on 1e4
edges = [1, 2, 3, 4, 6, 11, 21, 51, 101, 151, 200]
share = np.array([0.26375, 0.08107, 0.05203, 0.0702, 0.09867, 0.10218, 0.13486, 0.1008, 0.05717, 0.03926])
seen = np.histogram(dosages('a.bed').sum(1), edges)[0]
assert seen.sum() == 20000
z = (seen - 20000 * share) / np.sqrt(20000 * share * (1 - share))
assert abs(z).max() < 4, z
f = dosages('f.bed').reshape(-1, 4, 100).mean(2) / 2  # Hudson's estimator, summed over variants
apart = within = 0
for i in range(4):
    for j in range(i):
        apart += ((f[:, i] - f[:, j]) ** 2 - (f[:, i] * (1 - f[:, i]) + f[:, j] * (1 - f[:, j])) / 199).sum()
        within += (f[:, i] * (1 - f[:, j]) + f[:, j] * (1 - f[:, i])).sum()
assert 0.09 < apart / within < 0.11, apart / within
# carriers below one branch are the same samples: of variants with 5 to 20 carriers on one tree, many have equal rows
c = dosages('c.bed')
rare = [tuple(np.flatnonzero(r)) for r in c[:300] if 5 <= r.sum() <= 20]
assert len(set(rare)) < len(rare), len(rare)
PYTHON
}

@test "--spectrum growth: every format and any shape has the same genotypes" {
    need_zarr
    cat_reader >reader.py
    args=(-q --samples 101 --variants 700 --spectrum growth --ld 90 --pops 3 --contigs 2 --missing 0.05 --seed 4)
    "$sim" "${args[@]}" -o a.bed
    "$sim" "${args[@]}" -o a.zarr
    "$sim" "${args[@]}" --phased -o a.vcf.gz
    "$sim" "${args[@]}" --phased --chunks variants=37,samples=50 -o a.vcz
    "$sim" -q --samples 3 --variants 4 --pops 3 --spectrum growth -o three.bed
    "$sim" -q --samples 1 --variants 5 --spectrum growth --truth t.json -o one.bed
    "$py" - <<'PYTHON'
exec(open('reader.py').read())
g = dosages('a.bed')
for path in 'a.zarr', 'a.vcf.gz', 'a.vcz':
    assert (dosages(path) == g).all(), path
assert set(np.unique(g)) == {-1, 0, 1, 2}
calls = [[c for c in l.split()[9:]] for l in gzip.open('a.vcf.gz', 'rt') if l[0] != '#']
assert any('0|1' in c for c in calls) and any('1|0' in c for c in calls)
for path, n in ('three.bed', 3), ('one.bed', 1):
    ac = dosages(path).sum(1)
    assert (0 < ac).all() and (ac < 2 * n).all(), ac
t = json.load(open('t.json'))
assert t['spectrum'] == 'growth' and t['frequencies'] == []
PYTHON
}

@test "--spectrum common: uniform from 0.05 on" {
    "$sim" -q --samples 50 --variants 300 --spectrum common -o a.vcf --truth a.json
    "$sim" -q --samples 50 --variants 300 --spectrum flat --min-maf 0.05 -o b.vcf --no-version
    "$sim" -q --samples 50 --variants 300 --spectrum common -o c.vcf --no-version
    cmp b.vcf c.vcf
    "$py" -c "
import json
p = sorted(f[0] for f in json.load(open('a.json'))['frequencies'])
assert 0.05 <= p[0] < 0.1 and 0.9 < p[-1] <= 0.95 and 0.4 < p[150] < 0.6, p"
}

@test "positions rise within a contig and are not beyond its length" {
    for variants in 1 2 3 17 33 65 1000; do
        for contigs in 1 2 7; do
            [ $contigs -le $variants ] || continue
            "$sim" -q -f --samples 2 --variants $variants --contigs $contigs --seed $variants -o a.vcf
            awk -F '[=,>\t]' -v n=$variants '
                /^##contig/ { for (i = 1; i < NF; i++) { if ($i ~ /ID$/) id = $(i + 1); if ($i == "length") length_of[id] = $(i + 1) } next }
                /^#/ { next }
                !($1 in length_of) || $2 < 1 || $2 > length_of[$1] || ($1 == last && $2 <= at) { print; bad = 1 }
                { last = $1; at = $2; seen++ }
                END { exit bad || seen != n }' a.vcf || { echo "$variants variants, $contigs contigs"; return 1; }
        done
    done
}

@test "contigs are 1 to 22, then scaffold23 and so on" {
    for contigs in 1 22 23 24; do
        { seq $((contigs < 22 ? contigs : 22)) && seq -f scaffold%g 23 $contigs; } > want
        "$sim" -q -f --samples 2 --variants 50 --contigs $contigs -o a.vcf
        sed -n 's/^##contig=<ID=\([^,>]*\).*/\1/p' a.vcf | cmp - want
        grep -v '^#' a.vcf | cut -f 1 | uniq | cmp - want
        "$sim" -q -f --samples 2 --variants 50 --contigs $contigs -o a.bed
        cut -f 1 a.bim | uniq | cmp - want
    done
}

@test "positions are spread over 250 Mb of each contig, or 1 kb per variant where that is less" {
    while read -r variants contigs low high; do
        "$sim" -q -f --samples 1 --variants $variants --contigs $contigs --seed 2 -o a.vcf
        awk -F '\t' -v low=$low -v high=$high '!/^#/ { if ($2 <= last[$1]) { print "not in order", $1, last[$1], $2; exit 1 }; last[$1] = $2 }
            END { for (c in last) if (last[c] < low || last[c] > high) { print c, last[c]; exit 1 } }' a.vcf || { echo "$variants"; return 1; }
    done << 'SPANS'
2000 1 1900000 2010000
6000 3 1900000 2010000
400000 1 249000000 250000000
SPANS
}

@test "--multiallelic: the second ALT has its share of the alleles that are not REF" {
    need_zarr
    "$sim" -q --samples 400 --variants 600 --multiallelic 1 --min-maf 0.1 --seed 8589934597 -o a.vcf
    "$py" - <<'PYTHON'
import math
def philox(c, k=(5, 2)):
    for _ in range(10):
        a, b = c[0] * 0xD2511F53, c[2] * 0xCD9E8D57
        c = [b >> 32 ^ c[1] ^ k[0], b & 0xffffffff, a >> 32 ^ c[3] ^ k[1], a & 0xffffffff]
        k = (k[0] + 0x9E3779B9) & 0xffffffff, (k[1] + 0xBB67AE85) & 0xffffffff
    return c
seen = {1: [0, 0, 0], 2: [0, 0, 0]}  # by the number of ALT alleles of a call: second ones, as expected, variance
for v, line in enumerate(line for line in open('a.vcf') if line[0] != '#'):
    share = 0.05 + 0.45 * (philox([0, v, 0, 2])[3] + 0.5) / 2 ** 32
    for call in line.split()[9:]:
        alts = [a for a in call.split('/') if a in '12']
        if alts:
            for k, x in enumerate((alts.count('2'), len(alts) * share, len(alts) * share * (1 - share))):
                seen[len(alts)][k] += x
for second, expected, variance in seen.values():
    assert variance > 1000 and abs(second - expected) < 4.5 * math.sqrt(variance), seen
PYTHON
}

@test "--ld: haplotypes are those of the scheme in calc/sim.h, in blocks of a contig" {
    need_zarr
    "$sim" -q --samples 12 --variants 150 --contigs 2 --pops 2 --ld 20 --phased --seed 8589934597 --truth t.json -o a.vcf
    "$py" - <<'PYTHON'
import json, math
def philox(c, k=(5, 2)):
    for _ in range(10):
        a, b = c[0] * 0xD2511F53, c[2] * 0xCD9E8D57
        c = [b >> 32 ^ c[1] ^ k[0], b & 0xffffffff, a >> 32 ^ c[3] ^ k[1], a & 0xffffffff]
        k = (k[0] + 0x9E3779B9) & 0xffffffff, (k[1] + 0xBB67AE85) & 0xffffffff
    return c
frequencies = json.load(open('t.json'))['frequencies']
rows = [[c.split('|') for c in line.split()[9:]] for line in open('a.vcf') if line[0] != '#']
assert len(rows) == 150 and all(len(row) == 12 for row in rows)
rate, checked = 4 / 20, 0
for v in range(150):
    contig = v // 75
    begin = v - (v - 75 * contig) % 20
    order = list(range(32))  # of founders, by rank
    which = philox([0, v, 0, 2])[1] // 24 % 3
    for i in range(31, 0, -1):
        j = philox([which, begin, 0, 8 + 256 * ((31 - i) // 4)])[(31 - i) % 4] * (i + 1) >> 32
        order[i], order[j] = order[j], order[i]
    for h in range(24):
        at, segment = begin, 0
        while True:
            founder, length = philox([h, begin, 0, 9 + 256 * (segment // 2)])[segment % 2 * 2:][:2]
            at += 1 + math.floor(math.log((length + 0.5) / 2 ** 32) / math.log1p(-rate))
            segment += 1
            if at > v:
                break
        x = 32 * frequencies[v][1 + (h >= 12)]
        rank, whole = order.index(founder >> 27), int(x)
        has = rank < whole or (rank == whole and philox([h // 4, v, 0, 10])[h % 4] / 2 ** 32 < x - whole)
        if abs(x - round(x)) > 1e-6:
            assert rows[v][h // 2][h % 2] == str(int(has)), (v, h, founder >> 27, rank, x)
            checked += 1
assert checked > 3400, checked
PYTHON
}

@test "principal components tell the populations apart, and cannot without drift" {
    need_zarr
    "$sim" -q --samples 150 --variants 3000 --pops 3 --fst 0.05 --missing 0.01 -o a.vcf
    "$sim" -q --samples 150 --variants 3000 --pops 3 --fst 0 --missing 0.01 -o b.vcf
    cat_reader >reader.py
    "$py" - <<'PYTHON'
exec(open('reader.py').read())
def separated(path):
    g = dosages(path).astype(float)
    g[g < 0] = np.nan
    p = np.nanmean(g, 1, keepdims=True) / 2
    keep = (p > 0.01) & (p < 0.99)
    x = np.nan_to_num((g - 2 * p) / np.sqrt(2 * p * (1 - p)))[keep[:, 0]]
    v = np.linalg.svd(x, full_matrices=False)[2][:2].T
    groups = [v[50 * k:50 * (k + 1)] for k in range(3)]
    inside = max(np.linalg.norm(q - q.mean(0), axis=1).max() for q in groups)
    between = min(np.linalg.norm(groups[i].mean(0) - groups[j].mean(0)) for i in range(3) for j in range(i))
    return between > 2 * inside
assert separated('a.vcf')
assert not separated('b.vcf')
PYTHON
}

@test "matrices: uniform, normal, known singular values" {
    need_zarr
    "$sim" -q --samples 501 --variants 1003 --uniform 0..2 --chunks variants=100,samples=77 -o u.zarr
    "$sim" -q --samples 501 --variants 1003 --uniform 0..2 --chunks variants=64 -@ 1 -o w.zarr
    "$sim" -q --samples 300 --variants 1000 --uniform=-1..1 --dtype f4 -o f.zarr
    "$sim" -q --samples 501 --variants 1003 --normal --dtype float32 -o n.zarr
    "$sim" -q --samples 200 --variants 501 --rank 7 --noise 0 --truth r.json -o r.zarr
    "$sim" -q --samples 200 --variants 501 --rank 7 --noise 0.5 --truth s.json -o s.zarr
    "$py" - <<'PYTHON'
import json, zarr, numpy as np
a = lambda p: zarr.open(p, 'r')[:]
u = a('u.zarr')
assert u.dtype == 'i1' and u.shape == (1003, 501) and (u == a('w.zarr')).all()
n = np.bincount(u.ravel()) / u.size
assert len(n) == 3 and abs(n - 1 / 3).max() < 5 * np.sqrt(2 / 9 / u.size)
f = a('f.zarr')
assert f.dtype == 'f4' and f.min() > -1 and f.max() < 1 and abs(f.mean()) < 5 / np.sqrt(3 * f.size)
x = a('n.zarr').astype(float)
assert abs(x.mean()) < 5 / np.sqrt(x.size) and abs((x ** 2).mean() - 1) < 5 * np.sqrt(2 / x.size) and abs((x ** 4).mean() - 3) < 0.1
assert abs(np.corrcoef(x.T)[np.triu_indices(501, 1)]).max() < 6 / np.sqrt(1003)
t, s = json.load(open('r.json')), np.linalg.svd(a('r.zarr'), compute_uv=False)
assert np.allclose(s[:7], t['singular_values'], rtol=1e-12) and s[7] < 1e-9
t, s = json.load(open('s.json')), np.linalg.svd(a('s.zarr'), compute_uv=False)
assert 0.9 < s[7] / t['noise_norm'] < 1.05
PYTHON
}

@test "nonsense is refused" {
    refused "--samples and --variants are needed" --samples 5
    refused "--samples must be at least 1" --samples 0 --variants 5
    refused "--variants must be at least 1" --samples 5 --variants 0
    refused "--fst must be" --samples 5 --variants 5 --fst -0.1
    refused "--fst must be" --samples 5 --variants 5 --fst 1
    refused "missing" --samples 5 --variants 5 --missing 1.1
    refused "--contigs 6 is more than --variants 5" --samples 5 --variants 5 --contigs 6
    refused "--pops 6 is more than --samples 5" --samples 5 --variants 5 --pops 6
    refused "samples" --samples 9223372036854775808 --variants 5
    refused "--samples 4611686018427387904 is too large" --samples 4611686018427387904 --variants 5
    refused "--variants 9223372036854775807 is too large" --samples 5 --variants 9223372036854775807
    refused "--ld must be" --samples 5 --variants 5 --ld 0
    refused "--min-maf must be" --samples 5 --variants 5 --min-maf 0.6
    refused "--min-maf must be" --samples 5 --variants 5 --min-maf -1
    refused "--min-maf cannot be combined" --samples 5 --variants 5 --min-maf 0.1 --spectrum growth
    refused "--dtype needs" --samples 5 --variants 5 --dtype i1
    refused "the range is empty" --samples 5 --variants 5 --uniform 2..0
    refused "expected A..B" --samples 5 --variants 5 --uniform 3
    refused "does not fit the --dtype" --samples 5 --variants 5 --uniform 0..300 --dtype i1
    refused "cannot be combined" --samples 5 --variants 5 --normal --rank 3
    refused "--rank must be" --samples 5 --variants 5 --rank 6
    refused "--pops needs genotypes" --samples 5 --variants 5 --normal --pops 2
    refused "cannot be written as vcf" --samples 5 --variants 5 --normal -O vcf
    refused "-O zarr needs" --samples 5 --variants 5 -O zarr
    refused "--multiallelic needs" --samples 5 --variants 5 -O bed --multiallelic 0.1
    refused "--chunks 'x=5'" --samples 5 --variants 5 --chunks x=5
    refused "unexpected" --samples 5 --variants 5 some.vcf
    run "$sim" --samples 5 --variants 5 -O bed
    [ "$status" -eq 2 ]
}

@test "what does not fit the memory is refused" {
    unset GT_DEVICE # which would be refused first
    for how in "-o a.zarr" "-o a.vcf" "-o a.bed"; do
        run "$sim" --samples 1e9 --variants 1 --memory 256M $how
        [ "$status" -eq 4 ]
        [[ ${lines[0]} == "gt-sim: 256.0 MiB of memory leaves "*" for names" ]] || { echo "$output"; return 1; }
        [ -z "$(ls -A)" ]
    done
}

@test "a full disk leaves nothing" {
    for out in a.vcf.gz a.vcf a.bed a.zip; do
        run bash -c "ulimit -f 64; exec '$sim' -q --samples 2000 --variants 4000 -o $out"
        [ "$status" -eq 1 ] || { echo "$out: exit $status: $output"; return 1; }
        [[ $output == "gt-sim: cannot write"* ]] || { echo "$out: $output"; return 1; }
        [ -z "$(ls -A)" ] || { ls -A; return 1; }
    done
}

@test "a directory that exists is kept, unless forced" {
    "$sim" -q --samples 5 --variants 5 -o a.zarr
    run "$sim" -q --samples 6 --variants 5 -o a.zarr
    [ "$status" -ne 0 ]
    "$sim" -q --samples 6 --variants 5 -f -o a.zarr
}

@test "a closed pipe ends it quietly" {
    run bash -c "'$sim' -q --samples 1000 --variants 1e6 -O vcf 2>message | head -c 1000 >/dev/null; exit \${PIPESTATUS[0]}"
    [ ! -s message ] || { cat message; return 1; }
}

@test "memory stays under its ceiling" {
    sanitized && skip "not under AddressSanitizer"
    [ -x /usr/bin/time ] || skip "no GNU time"
    for how in "-o big.zarr" "-o big.vcf.gz --phased" "-o big.bed --ld 200" "-O vcz -o big.vcz"; do
        rows=500000
        [ "$how" = "-o big.zarr" ] || rows=20000
        /usr/bin/time -f %M -o peak "$sim" -q --samples 2504 --variants $rows --pops 5 --missing 0.01 --memory 256M $how
        kb=$(tail -n 1 peak)
        [ "$kb" -le $((256 * 1024 * 12 / 10)) ] || { echo "$how: $kb KiB"; return 1; }
        rm -rf big.*
    done
}

@test "what was run stands in every store, and on one line of a VCF" {
    odd=$'a\nb'
    "$sim" -q --samples 5 --variants 7 -o p.zarr
    "$sim" -q --samples 5 --variants 7 -O vcz -o v.zarr
    "$sim" -q --samples 5 --variants 7 --normal -o m.zarr
    for store in p v m; do
        "$GT_BUILD/gt-info" $store.zarr | grep "^history: gt-sim [0-9.]*: gt-sim -q --samples 5 "
        "$GT_BUILD/gt-info" --json $store.zarr | grep '"history"'
    done
    "$sim" -q --samples 5 --variants 7 -o "$odd.vcf"
    grep -F "##source=gt-sim" "$odd.vcf" | grep -F "\$'a\x0ab.vcf'"
    [ "$("$GT_BUILD/gt-info" --stats samples "$odd.vcf" | wc -l)" -eq 6 ]
    "$sim" -q --samples 5 --variants 7 --no-version -o n.zarr
    [ -z "$(grep -r gt:history n.zarr)" ]
}
