#!/usr/bin/env bats
# The values -1 and -2, for which VCF Zarr has no number: counted, marked, and given back.

bats_require_minimum_version 1.5.0

setup() { cd "$BATS_TEST_TMPDIR" || exit 1; }

# A VCF with such values in INFO and FORMAT, alone and in lists, from the first record on (CN) and late (SVLEN, N); what it has
# of each field, as gt-pack is to count them, in counts.
make_vcf() {
    "$PYTHON" - > in.vcf << 'END'
import random, re, sys
random.seed(22)
print('##fileformat=VCFv4.3\n##contig=<ID=1,length=100000>')
for what, fields in (('INFO', 'SVLEN:A N:1 M:. P:1'), ('FORMAT', 'CN:1 V:.')):
    for field in fields.split():
        print('##%s=<ID=%s,Number=%s,Type=Integer,Description="x">' % (what, *field.split(':')))
print('##FORMAT=<ID=GT,Number=1,Type=String,Description="Genotype">')
print('#CHROM', 'POS', 'ID', 'REF', 'ALT', 'QUAL', 'FILTER', 'INFO', 'FORMAT', *('s%d' % s for s in range(21)), sep='\t')
count = {}
def numbers(name, n, values):
    got = [random.choice(values) for _ in range(n)]
    for value in got:
        count[name] = count.get(name, 0) + (value in ('-1', '-2'))
    return ','.join(got)
for i in range(700):
    all = ['-1', '-2', '.', '0', '5', '-3'] + (['300', '-70000'] if i > 500 else ['7'])
    plain = ['1', '.', '-5']
    n_alt = random.choice([1, 1, 2])
    info = []
    if random.random() < 0.8:
        info += ['SVLEN=' + numbers('INFO/SVLEN', n_alt, all if i >= 300 else plain)]
    info += ['N=' + numbers('INFO/N', 1, ['-2'] if i == 650 else ['3'])] + ['P=4']
    if random.random() < 0.5:
        info += ['M=' + numbers('INFO/M', random.randint(1, 3 + (i > 600)), all)]
    info = [text for text in info if not re.search('=[.,]*$', text)]
    calls = ['%s:%s:%s' % (random.choice(['0/1', '1|1', './.']), numbers('FORMAT/CN', 1, all),
                           numbers('FORMAT/V', random.randint(1, 2 + (i > 600)), all)) for _ in range(21)]
    print(1, i + 1, '.', 'A', 'C,T' if n_alt == 2 else 'C', '.', '.', ';'.join(info), 'GT:CN:V', *calls, sep='\t')
order = ['INFO/SVLEN', 'INFO/N', 'INFO/M', 'FORMAT/CN', 'FORMAT/V']
with open('counts', 'w') as out:
    print(', '.join('%s %d' % (name, count[name]) for name in order), file=out)
END
}

# What bcftools reads of a VCF or BCF from INFO on.
values() { bcftools query -f '%POS %SVLEN %N %M %P[ %GT:%CN:%V]\n' "$@"; }

@test "the values -1 and -2 come back exactly, from text and BCF, in any chunks and format; they are counted by field" {
    make_vcf
    bcftools view -Ob -o in.bcf in.vcf
    values in.vcf > want
    for input in in.vcf in.bcf; do
        for args in "--chunks variants=97,samples=8 -@ 3" "--chunks variants=1000" "--zarr-format 3"; do
            read -ra args <<< "$args"
            gt-pack -f --layout vcz "${args[@]}" "$input" -o out.vcz 2> said
            grep -q "values -1 or -2 ($(cat counts))" said
            gt-unpack -q -O vcf out.vcz | values > got
            cmp want got
            gt-unpack -f -q -O bcf out.vcz -o got.bcf
            values got.bcf > got
            cmp want got
        done
    done
    gt-unpack -q -r 1:290-310,1:640-660 -s s20,s3,s0 -O vcf out.vcz | values > got
    bcftools view -I -t 1:290-310,1:640-660 -s s20,s3,s0 in.bcf | values > want
    cmp want got
}

@test "marks of -1 and -2 follow what gt-rechunk selects, and --resume" {
    make_vcf
    gt-pack -q --layout vcz --chunks variants=50,samples=4 in.vcf -o all.vcz
    gt-rechunk -q --chunks variants=33,samples=5 -r 1:290-310 -S <(printf 's20\ns3\ns0\n') all.vcz -o some.vcz
    gt-unpack -q -O vcf some.vcz | values > got
    bcftools view -I -t 1:290-310 -s s20,s3,s0 in.vcf | values > want
    cmp want got
    # so large that --resume compares blocks of it, and not all bytes: the damage below is between two of them
    awk 'NR == 2 { for (i = 0; i < 40000; i++) printf "##pad=%090d\n", i } { print }' in.vcf > big.vcf
    mv big.vcf in.vcf
    cp -p in.vcf good.vcf
    sed -i '40690s/0\/1/0\/x/' in.vcf
    touch -r good.vcf in.vcf
    run ! gt-pack --no-version -q -@ 1 --layout vcz --chunks variants=50,samples=4 --resume in.vcf -o out.vcz
    cp -p good.vcf in.vcf
    gt-pack --no-version -@ 1 --layout vcz --chunks variants=50,samples=4 --resume in.vcf -o out.vcz 2> said
    grep -q "were already complete" said
    grep -q "values -1 or -2 ($(cat counts))" said
    gt-pack --no-version -q --layout vcz --chunks variants=50,samples=4 in.vcf -o want.vcz
    diff -r want.vcz out.vcz
}

@test "other readers see -1 and -2 as missing; a file without them has no marks" {
    "$PYTHON" -c 'import zarr, numpy' 2> /dev/null || skip "no python3-zarr"
    make_vcf
    gt-pack -q --layout vcz in.vcf -o out.vcz
    [ ! -e out.vcz/literal_variant_P ]
    "$PYTHON" - << 'END'
import zarr
import numpy as np
g = zarr.open('out.vcz', mode='r')
lines = [line.rstrip('\n').split('\t') for line in open('in.vcf') if line[0] != '#']
for i, line in enumerate(lines):
    info = dict(x.split('=') for x in line[7].split(';'))
    want = [x for x in info.get('SVLEN', '.').split(',')]
    value, mark = g['variant_SVLEN'][i], g['literal_variant_SVLEN'][i]
    for k, x in enumerate(want):
        assert value[k] == (-1 if x == '.' else int(x)), (line, value)
        assert mark[k] == (x in ('-1', '-2')), (line, mark)
    assert not mark[len(want):].any()
cn = np.array([[call.split(':')[1] for call in line[9:]] for line in lines])
assert ((g['literal_call_CN'][:] == 1) == ((cn == '-1') | (cn == '-2'))).all()
END
    sed 's/-[12]\b/6/g' in.vcf > none.vcf
    gt-pack -f --layout vcz none.vcf -o out.vcz 2> said
    run ! grep -q "values -1" said
    [ -z "$(ls -d out.vcz/literal_* 2> /dev/null)" ]
}

@test "with --local-alleles -1 and -2 of AD and PL become missing, and the warning says so" {
    {
        printf '##fileformat=VCFv4.2\n##contig=<ID=1>\n##FORMAT=<ID=GT,Number=1,Type=String,Description="g">\n'
        printf '##FORMAT=<ID=AD,Number=R,Type=Integer,Description="a">\n##FORMAT=<ID=PL,Number=G,Type=Integer,Description="p">\n'
        printf '##INFO=<ID=SVLEN,Number=1,Type=Integer,Description="l">\n#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\ta\tb\n'
        printf '1\t5\t.\tA\tC,G\t.\t.\tSVLEN=-1\tGT:AD:PL\t0/1:-1,-2,3:1,-1,-2,4,5,6\t1/2:7,8,9:1,2,3,4,5,6\n'
    } > l.vcf
    gt-pack --layout vcz --local-alleles l.vcf -o l.vcz 2> said
    grep -q "^gt-pack: warning: 1 value -1 or -2 (INFO/SVLEN 1): .*gt-unpack restores them" said
    grep -q "^gt-pack: warning: 4 values -1 or -2 (FORMAT/LAD 2, FORMAT/LPL 2): .*with --local-alleles they become missing$" said
    [ ! -e l.vcz/literal_call_LAD ]
    [ -e l.vcz/literal_variant_SVLEN ]
    gt-unpack -q -O vcf l.vcz | bcftools query -f '[%LAD;%LPL ]\n' | grep -qF '.;1,. 8,9;3,5,6'
    gt-pack -f --layout vcz l.vcf -o m.vcz 2> said
    run ! grep become said
}
