#!/usr/bin/env bats
# VCF Zarr 0.5: numbers of half and double precision, as bio2zarr writes them, and the version that gt-pack writes.

bats_require_minimum_version 1.5.0

setup() { cd "$BATS_TEST_TMPDIR" || exit 1; }

@test "fields and QUAL of float16 and float64 from bio2zarr: missing and fill values, and numbers as numpy rounds them" {
    [ -n "${PYTHON_VCZ:-}" ] || skip "no bio2zarr: PYTHON_VCZ is not set (scripts/test makes it where it can)"
    "$PYTHON" - > in.vcf << 'END'
import random
random.seed(5)
print('##fileformat=VCFv4.3\n##contig=<ID=1,length=100000>')
for what, name, number in (('INFO', 'F', '1'), ('INFO', 'G', '.'), ('INFO', 'AF', 'A'), ('FORMAT', 'D', '1'), ('FORMAT', 'E', '.')):
    print('##%s=<ID=%s,Number=%s,Type=Float,Description="x">' % (what, name, number))
print('##FORMAT=<ID=GT,Number=1,Type=String,Description="Genotype">')
print('#CHROM', 'POS', 'ID', 'REF', 'ALT', 'QUAL', 'FILTER', 'INFO', 'FORMAT', 'a', 'b', 'c', sep='\t')
def one(): return random.choice(['.', '0', '1', '-2.5', '0.125', '1e-7', '0.333333', '2048.5', '65504', '-0.0001', '%.4g' % random.gauss(0, 10)])
def some(): return ','.join(one() for _ in range(random.randint(1, 4)))
for i in range(300):
    n = random.choice([1, 1, 2])
    info = ['F=' + one(), 'G=' + some(), 'AF=' + ','.join(one() for _ in range(n))]
    info = [x for x in info if set(x[x.index('=') + 1:]) - set('.,')]
    print(1, i + 1, '.', 'A', 'C,T' if n == 2 else 'C', one().replace('-', ''), '.', ';'.join(info) or '.', 'GT:D:E',
          *('0/1:%s:%s' % (one(), some()) for _ in range(3)), sep='\t')
END
    bgzip in.vcf
    tabix in.vcf.gz
    vcf2zarr() { "$PYTHON_VCZ" -m bio2zarr vcf2zarr "$@"; }
    vcf2zarr explode -Q in.vcf.gz in.icf
    vcf2zarr mkschema in.icf > schema.json
    for type in f2 f8; do
        sed "s/\"dtype\": \"f4\"/\"dtype\": \"$type\"/" schema.json > $type.json
        cmp -s schema.json $type.json && return 1
        vcf2zarr encode -Q -s $type.json in.icf $type.vcz
        gt-info $type.vcz | grep -q "variant_AF *float$([ $type = f2 ] && echo 16 || echo 64)"
        gt-unpack -q $type.vcz -o $type.bcf
        gt-unpack -q -O vcf $type.vcz > $type.vcf
        for made in $type.bcf $type.vcf; do
            bcftools query -f '%POS %QUAL %F %G %AF[ %D %E]\n' $made > got
            "$PYTHON" - $type got << 'END'
import gzip, sys
import numpy as np
kind = sys.argv[1]
def near(text): return np.float32(np.dtype(kind).type(np.float32(text)))
rows = [line.split('\t') for line in gzip.open('in.vcf.gz', 'rt').read().splitlines() if line[0] != '#']
got = [line.split() for line in open(sys.argv[2])]
assert len(rows) == len(got) == 300
numbers = 0
for row, mine in zip(rows, got):
    info = dict(x.split('=') for x in row[7].split(';') if '=' in x)
    want = [row[5]] + [info.get(k, '.') for k in ('F', 'G', 'AF')] + [x for call in row[9:] for x in call.strip().split(':')[1:]]
    assert len(want) == len(mine) - 1, (want, mine)
    for w, m in zip(want, mine[1:]):
        w, m = w.split(','), m.split(',')
        while len(m) > len(w) and m[-1] == '.':  # bio2zarr 0.2.1 writes 'missing' for the end of a sample's list
            m.pop()
        while len(w) > len(m) and w[-1] == '.':
            w.pop()
        assert len(w) == len(m), (w, m)
        for x, y in zip(w, m):
            assert (x == '.') == (y == '.'), (row, mine)
            numbers += x != '.'
            assert x == '.' or near(x) == np.float32(y) or abs(near(x) - np.float32(y)) <= 5.1e-6 * abs(near(x)), (x, y)  # six digits
assert numbers > 3000
END
        done
    done
}

@test "the version of VCF Zarr is bio2zarr 0.2.1's" {
    gt-sim -q --samples 3 --variants 10 -O vcf -o in.vcf
    gt-pack -q --layout vcz in.vcf -o out.vcz
    grep -q '"vcf_zarr_version": *"0.5"' out.vcz/.zattrs
}
