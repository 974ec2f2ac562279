#!/usr/bin/env bats
# Sample ids with spaces, and byte order marks in lists and in PLINK's tables.

bats_require_minimum_version 1.5.0

setup() {
    cd "$BATS_TEST_TMPDIR" || exit 1
    gt-sim -q --samples 6 --variants 300 --seed 4 -O vcf | sed '/^#CHROM/s/FORMAT\t.*/FORMAT\tmy sample\ta\tmy\tsample\tb c d\tz/' > in.vcf
}

refused() { # TEXT COMMAND...
    local text=$1
    shift
    run --separate-stderr "$@"
    [ "$status" -eq 3 ] || { echo "exit $status: $stderr"; return 1; }
    [[ "$stderr" == *"$text"* ]] || { echo "no '$text' in: $stderr"; return 1; }
    [ -z "$(find . -name 'out*')" ] || { echo "left: $(ls)"; return 1; }
}

@test "a list of ids with spaces selects them; one with tabs is split at tabs only" {
    bcftools view -s 'my sample,b c d' -H in.vcf | cut -f 10- > want
    printf 'my sample\nb c d\n' > plain
    printf '0\tmy sample\n0\tb c d\n' > tabs
    printf '#FID\tIID\n0\tmy sample\n0\tb c d\n' > header
    printf '\xef\xbb\xbfmy sample\nb c d\n' > marked
    printf '\xef\xbb\xbf#FID\tIID\r\n0\tmy sample\r\n0\tb c d\r\n' > marked_header
    for list in plain tabs header marked marked_header; do
        gt-unpack -q -O vcf -S $list in.vcf | bcftools view -H | cut -f 10- > got
        cmp want got || { echo "$list"; return 1; }
    done
    # before, this was sample 'sample' of family 'my'
    printf 'x\tno sample\n' > wrong
    refused "there is no sample 'no sample'" gt-unpack -q -O vcf -S wrong in.vcf -o out.vcf
}

@test "gt-pdist --unrelated: its list of ids with spaces is one for -S" {
    gt-pdist -q --unrelated 0.4 in.vcf -o rel
    gt-pack -q -S rel.in.id in.vcf -o some.zarr
    gt-info --json some.zarr | grep -q '"samples": *6'
    gt-unpack -q -O vcf some.zarr | bcftools query -l | diff - <(bcftools query -l in.vcf)
}

@test "PLINK's files cannot hold ids with spaces: an error that names the id" {
    refused "sample id 'my sample' contains white space" gt-unpack -q -O bed in.vcf -o out
    refused "sample id 'my sample' contains white space" gt-pdist -q -m ibs -O plink in.vcf -o out
    refused "sample id 'my sample' contains white space" gt-pdist -q -O kin0 in.vcf -o out
    refused "sample id 'my sample' contains white space" gt-pdist -q -O grm in.vcf -o out
    bcftools reheader -s <(printf 'my_sample\na\nmy\nsample\nb_c_d\nz\n') in.vcf > good.vcf
    gt-unpack -q -O bed good.vcf -o good
    plink2 --bfile good --export vcf --out back > /dev/null
    diff <(bcftools query -l good.vcf) <(bcftools query -l back.vcf | sed 's/^0_//')
}

@test "byte order marks are skipped in lists of regions and of sexes" {
    sed -i 's/^1\t/X\t/; s/##contig=<ID=1/##contig=<ID=X/' in.vcf
    printf '\xef\xbb\xbfX\t10\t20000\n' > regions
    gt-unpack -q -O vcf -R regions in.vcf | bcftools view -H | cut -f 1-5 > got
    bcftools view -H -t X:10-20000 in.vcf | cut -f 1-5 > want
    [ -s want ]
    cmp want got
    printf '\xef\xbb\xbfmy sample\tM\na\tF\nmy\tF\nsample\tM\nb c d\tF\nz\tM\n' > sexes
    gt-unpack --sex sexes --maf 0.01 in.vcf -O vcf 2>&1 > /dev/null | grep -q "3 males, 3 females and 0 samples of unknown sex"
}

@test "byte order marks before a .bim and a .fam: the first variant has its contig, as without" {
    gt-sim -q --samples 5 --variants 2100 --seed 5 -O vcf -o s.vcf
    plink2 --vcf s.vcf --make-bed --out s > /dev/null
    gt-unpack -q s.bed -o want.vcf --no-version
    [ "$(bcftools query -f '%CHROM\n' want.vcf | sort -u)" = 1 ]
    for table in bim fam; do
        printf '\xef\xbb\xbf' | cat - s.$table > marked
        mv marked s.$table
        gt-unpack -q s.bed -f -o got.vcf --no-version
        cmp want.vcf got.vcf
    done
}
