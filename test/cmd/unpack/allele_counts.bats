#!/usr/bin/env bats
# INFO/AC, AN and AF where samples are selected: those of bcftools view -s and of its plugin fill-tags.

bats_require_minimum_version 1.5.0

setup() {
    cd "$BATS_TEST_TMPDIR" || exit 1
    "$PYTHON" - > in.vcf << 'END'
import random
random.seed(14)
print('##fileformat=VCFv4.3\n##contig=<ID=1,length=100000>\n##FILTER=<ID=PASS,Description="All filters passed">')
for name, number, kind in (('AC', 'A', 'Integer'), ('AN', '1', 'Integer'), ('AF', 'A', 'Float'), ('DP', '1', 'Integer')):
    print('##INFO=<ID=%s,Number=%s,Type=%s,Description="x">' % (name, number, kind))
print('##FORMAT=<ID=GT,Number=1,Type=String,Description="Genotype">')
print('#CHROM', 'POS', 'ID', 'REF', 'ALT', 'QUAL', 'FILTER', 'INFO', 'FORMAT', *('s%d' % s for s in range(90)), sep='\t')
for i in range(400):
    n = random.choice([1, 1, 1, 2, 3])
    rare = random.random() < 0.3
    allele = lambda: '.' if random.random() < 0.1 else str(0 if rare and random.random() < 0.98 else random.randint(0, n))
    calls = [random.choice('/|').join(allele() for _ in range(random.choice([2, 2, 2, 1]))) for _ in range(90)]
    calls = ['./.' if c == '.|.' else c for c in calls]
    if i % 50 == 7:
        calls = [c if s % 3 else './.' for s, c in enumerate(calls)]
    print(1, i + 1, '.', 'A', ','.join(['C', 'G', 'T'][:n]), '.', 'PASS', 'DP=%d' % i, 'GT', *calls, sep='\t')
END
    bcftools +fill-tags in.vcf -Ob -o full.bcf -- -t AC,AN,AF
    bcftools view full.bcf > full.vcf
    printf 's3\ns9\ns0\ns33\ns60\n' > five
    bcftools view -s s3,s9,s0,s33,s60 -Ou full.bcf | bcftools +fill-tags -- -t AF | sites > want
    bcftools view -I -s s3,s9,s0,s33,s60 full.bcf | sites > asis
    ! cmp -s want asis
}

# An AF that is missing for each ALT is ".", too.
sites() { bcftools query -f '%POS %AC %AN %AF %DP[ %GT]\n' "$@" | sed 's/ \.\(,\.\)* / . /'; }

@test "gt-unpack -s counts AC, AN and AF of these samples; -I leaves them" {
    for chunks in variants=1000 variants=64,samples=7; do
        gt-pack -f -q --layout vcz --chunks $chunks full.vcf -o full.vcz
        gt-unpack -q -s s3,s9,s0,s33,s60 -O vcf full.vcz | sites | diff want -
        gt-unpack -f -q -S five -O bcf full.vcz -o some.bcf
        sites some.bcf | diff want -
        gt-unpack -q -I -s s3,s9,s0,s33,s60 -O vcf full.vcz | sites | diff asis -
        gt-unpack -q -O vcf full.vcz | sites | diff <(sites full.vcf) -
    done
    # samples that --mind drops are none of those that are counted
    gt-unpack -q --mind 0.12 -O vcf full.vcz > left.vcf
    bcftools query -l left.vcf > kept
    [ "$(wc -l < kept)" -lt 90 ]
    bcftools view -S kept -Ou full.bcf | bcftools +fill-tags -- -t AF | sites | diff - <(sites left.vcf)
}

@test "gt-pack --layout vcz -s likewise, of text and BCF; without calls they are left out" {
    for input in full.vcf full.bcf; do
        gt-pack -f -q --layout vcz -s s3,s9,s0,s33,s60 $input -o some.vcz
        gt-unpack -q -O vcf some.vcz | sites | diff want -
        gt-pack -f -q --layout vcz -I -s s3,s9,s0,s33,s60 $input -o some.vcz
        gt-unpack -q -O vcf some.vcz | sites | diff asis -
    done
    gt-pack -f -q --layout vcz --fields INFO -s s3,s9 full.vcf -o some.vcz
    gt-unpack -q -O vcf some.vcz | bcftools query -f '%AC %AN %AF\n' | sort -u | diff - <(echo ". . .")
    gt-pack -f -q --layout vcz --fields INFO -I -s s3,s9 full.vcf -o some.vcz
    gt-unpack -q -O vcf some.vcz | bcftools query -f '%AC %AN %AF\n' | diff <(bcftools query -f '%AC %AN %AF\n' full.vcf) -
    run gt-pack -I full.vcf -o p.zarr
    [ "$status" -eq 2 ]
}

@test "gt-rechunk -s leaves them out, with a warning; -I keeps them" {
    gt-pack -q --layout vcz full.vcf -o full.vcz
    gt-rechunk -s s3,s9,s0,s33,s60 full.vcz -o some.vcz 2> said
    grep -q "variant_AC, variant_AN and variant_AF are dropped" said
    [ -z "$(ls -d some.vcz/variant_A[CNF] 2> /dev/null)" ]
    gt-rechunk -q -f -I -S five full.vcz -o some.vcz
    gt-unpack -q -O vcf some.vcz | sites | diff asis -
    gt-rechunk -q -f -r 1:1-50 full.vcz -o some.vcz
    [ -e some.vcz/variant_AC ]
}
