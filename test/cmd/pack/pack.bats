#!/usr/bin/env bats
# gt-pack: content against bcftools, plink and numpy; streams; selections; bad input.

bats_require_minimum_version 1.5.0

. "$GT_SOURCE/test/support/level.bash"
. "$GT_SOURCE/test/support/genotypes.bash"

need_zarr() { "$PYTHON" -c 'import zarr, numpy' 2> /dev/null || skip "no python3-zarr"; }
oracle() { "$PYTHON" "$GT_SOURCE/test/support/pack_oracle.py" "$@"; }

@test "a million INFO keys: values of the undeclared are left out, a header of them has to fit" {
    { small_vcf | sed '$d'; printf '1\t30\trs3\tAT\tA\t50\t.\t'; seq -f 'K%.0f=1;' 1000000 | tr -d '\n'; printf 'Z\tGT:DP\t1:3\t.:3\t0:.\t1/1\n'; } > k.vcf
    gt-pack --layout vcz k.vcf -o k.zarr 2> said
    grep -q "1,000,001 values of fields that the header does not declare are dropped; the first is INFO/K1$" said
    small_vcf > s.vcf
    gt-pack -q --no-version s.vcf -o want.zarr
    gt-pack -q --no-version k.vcf -o p.zarr
    diff -r want.zarr p.zarr
    ! sanitized || return 0 # htslib makes its list of header lines one longer at each, which AddressSanitizer copies each time
    { small_vcf | grep '^##'; seq -f '##INFO=<ID=K%.0f,Number=1,Type=Integer,Description="x">' 1000000; small_vcf | grep -v '^##'; } > h.vcf
    for layout in packed vcz; do
        refused 4 "'h.vcf'" gt-pack -q --layout $layout --memory 256M h.vcf -o out.zarr
    done
}

@test "/dev/stdout is the same stream as -" {
    small_vcf > s.vcf
    gt-pack -q --no-version s.vcf -o - > a.tar
    gt-pack -q --no-version s.vcf -o /dev/stdout > b.tar
    cmp a.tar b.tar
}

@test "ALT alleles that come after the first row group of a .bed reach the end of a pipe" {
    printf 'f\ts%d\t0\t0\t0\t-9\n' 1 2 3 4 > m.fam
    printf '1\tv%d\t0\t%d0\t%s\tA\n' 1 1 0 2 2 0 3 3 C 4 4 G > m.bim
    printf '\x6c\x1b\x01\xff\xff\xfb\xfe' > m.bed
    gt-pack -q --chunks variants=2 m -o - | gt-pack -q - -o m.zarr
    gt-info --stats variants m.zarr | tail -n +2 | cut -f 3-5 > alleles
    printf 'v%d\tA\t%s\n' 1 . 2 . 3 C 4 G | cmp - alleles
}

@test "a small VCF, item by item" {
    need_zarr
    small_vcf > s.vcf
    run --separate-stderr gt-pack s.vcf -o s.zarr
    [ "$status" -eq 0 ]
    [ -z "$output" ]
    [[ "$stderr" == *"4 samples, 3 variants, 25 % missing"* ]]
    [[ "$stderr" == *"1 half call, read as missing"* ]]
    [[ "$stderr" == *"1 multiallelic"* ]]
    "$PYTHON" - << 'PY'
import zarr
z = zarr.open("s.zarr", mode="r")
assert z["packed_dosage"][:3].ravel().tolist() == [0b11_10_01_00, 0b11_10_01_00, 0b10_00_11_10]
assert z["variant_position"][:].tolist() == [10, 20, 30]
assert z["variant_position"].dtype == "i4" and z["variant_contig"].dtype == "i1"
assert z["variant_length"][:].tolist() == [1, 1, 2]
assert z["variant_id"][:].tolist() == ["rs1", ".", "rs3"]
assert z["variant_id_mask"][:].tolist() == [False, True, False]
assert z["variant_allele"][:].tolist() == [["A", "C", ""], ["A", "C", "G"], ["AT", "A", ""]]
assert z["variant_quality"][:].view("u4").tolist()[1] == 0x7F800001
assert z["filter_id"][:].tolist() == ["PASS", "q10"]
assert z["variant_filter"][:].tolist() == [[True, False], [False, True], [False, False]]
assert z["variant_multiallelic"][:].tolist() == [False, True, False]
assert z["contig_id"][:].tolist() == ["1"] and z["contig_length"][:].tolist() == [1000]
assert z["sample_id"][:].tolist() == ["a", "b", "c", "d"]
assert z["packed_dosage"].fill_value is None
assert len(z.attrs["gt:history"]) == 1 and "s.vcf -o s.zarr" in z.attrs["gt:history"][0]
assert ["fileformat", "VCFv4.2"] in z.attrs["vcf_meta_information"]
zarr.open_consolidated("s.zarr")
PY
    oracle vcf s.zarr s.vcf
}

@test "dosage rules: --half-call" {
    need_zarr
    need bcftools
    small_vcf > s.vcf
    for half in missing haploid reference; do
        gt-pack -q --half-call $half s.vcf -o $half.zarr
        oracle vcf $half.zarr s.vcf --half-call $half
    done
    refused 3 "half call" gt-pack --half-call error s.vcf -o out.zarr
    # a record that is split into rows has its half calls once
    [ "$(grep -v '^#' s.vcf | cut -f 10- | grep -oE '\./[0-9]|[0-9]/\.' | wc -l)" -eq 1 ]
    bcftools view -O b s.vcf -o s.bcf
    gt-pack -q --layout vcz s.vcf -o s.vcz
    for input in s.vcf s.bcf s.vcz; do
        gt-pack -q -f --json --split-multiallelic --half-call haploid $input -o split.zarr | grep -q '"half_calls": 1[,} ]' || { echo "$input"; return 1; }
    done
}

@test "ploidy above 2 is refused with a hint, or counts as missing" {
    small_vcf | sed 's,0/1,0/0/1,' > p.vcf
    small_vcf | sed 's,0/1,./.,' > m.vcf
    run ! cmp -s p.vcf m.vcf
    refused 3 "ploidy is above 2" gt-pack p.vcf -o out.zarr
    [[ "$output$stderr" == *"--polyploid missing"* ]]
    refused 2 "--polyploid" gt-pack --polyploid none p.vcf -o out.zarr
    run --separate-stderr gt-pack --polyploid missing p.vcf -o p.zarr
    [ "$status" -eq 0 ]
    [[ "$stderr" == *"of ploidy above 2 set to missing"* ]]
    gt-pack -q m.vcf -o m.zarr
    diff -r p.zarr/packed_dosage m.zarr/packed_dosage
}

@test "gzip without blocks is read again from its first record in every pass" {
    gt-sim -q --samples 12 --variants 2000 --missing 0.1 --seed 3 -o x.vcf
    head -c 100000 x.vcf | gzip > two.vcf.gz # of two members
    tail -c +100001 x.vcf | gzip >> two.vcf.gz
    gt-info -q --stats samples --mind 0.1 x.vcf > want
    [ "$(wc -l < want)" -gt 2 ]
    [ "$(wc -l < want)" -lt 13 ]
    gt-info -q --stats samples --mind 0.1 two.vcf.gz | cmp - want
    gt-svd -q -k 2 --algorithm krylov --memory 64M x.vcf -o x.npy
    gt-svd -q -k 2 --algorithm krylov --memory 64M two.vcf.gz -o two.npy
    cmp x.npy two.npy
}

@test "1000 Genomes chr22 is what bcftools query says, from VCF.gz, VCF and BCF, by file and by pipe" {
    need_data; need_zarr; need bcftools
    gt-pack -q "$chr22" -o c.zarr
    [ "$(oracle vcf c.zarr "$chr22")" = "6109 2504" ]
    bcftools view -Ob "$chr22" -o c.bcf 2> /dev/null
    gt-pack -q c.bcf -o b.zarr
    oracle same b.zarr c.zarr
    bcftools view "$chr22" 2> /dev/null | gt-pack -q - -o p.zip
    oracle same p.zip c.zarr
    bcftools view -Ou "$chr22" 2> /dev/null | gt-pack -q -o u.zip
    oracle same u.zip c.zarr
}

@test "a stream: tar x gives the store, tar c of it is accepted back" {
    need_data; need_zarr; need bcftools
    gt-pack -q "$chr22" -o c.zarr
    bcftools view "$chr22" 2> /dev/null | gt-pack -q - -o - > s.tar
    mkdir x
    tar xf s.tar -C x
    oracle same x c.zarr
    "$PYTHON" -c 'import zarr; zarr.open_consolidated("x")'
    # metadata first, consolidated root before all
    tar tf s.tar | head -1 | grep -Eq '^(\.zmetadata|\.zgroup|\.zattrs)$'
    (cd x && find . -name '.z*' -type f | LC_ALL=C sort && find . -type f ! -name '.z*' | LC_ALL=C sort) > names
    tar cf back.tar -C x --no-recursion -T names
    gt-pack -q back.tar -o back.zarr
    oracle same back.zarr c.zarr
    gt-pack -q - -o back.zip < back.tar
    oracle same back.zip c.zarr
    gt-info back.tar > /dev/null
    gt-pdist -q -m sqeuclidean -O npy c.zarr -o 1.npy
    gt-pdist -q -m sqeuclidean -O npy - -o 2.npy < back.tar
    gt-pdist -q -m sqeuclidean -O npy - -o 3.npy < s.tar
    cmp 1.npy 2.npy
    cmp 1.npy 3.npy
}

@test "any number of threads, the same bytes: directory, zip and tar" {
    need_data
    for n in 1 2 5; do
        gt-pack -q -@ $n --no-version --chunks variants=500,samples=1000 "$chr22" -o $n.zarr
        gt-pack -q -@ $n --no-version --chunks variants=500 "$chr22" -o $n.zip
        gt-pack -q -@ $n --no-version --chunks variants=500 "$chr22" -o - > $n.tar
    done
    for n in 2 5; do
        diff -r 1.zarr $n.zarr
        cmp 1.zip $n.zip
        cmp 1.tar $n.tar
    done
    run ! grep -rq gt:history 1.zarr
}

@test "PLINK: HapMap3 is what plink --recode A counts, A1 as the counted allele" {
    need_data; need_zarr; need plink1.9
    gt-pack -q "$hm3" -o h.zarr
    plink1.9 --bfile "$hm3" --keep-allele-order --recode A --out h --allow-no-sex > /dev/null 2>&1
    [ "$(oracle raw h.zarr h.raw)" = "14079 957" ]
    gt-pack -q "$hm3.bed" --zarr-format 2 --chunks variants=1000,samples=100 -o h2.zip
    oracle same h2.zip h.zarr
}

@test "PLINK edge cases are what plink made of them" {
    need_data; need_zarr; need plink1.9
    for set in example example_with_fam plink_sim_10s_100v_10pmiss; do
        gt-pack -q "$GT_TEST_DATA/plink/edge/$set.bed" -o $set.zarr
        plink1.9 --bfile "$GT_TEST_DATA/plink/edge/$set" --keep-allele-order --recode A --out $set --allow-no-sex > /dev/null 2>&1
        oracle raw $set.zarr $set.raw
    done
}

# edge_cases FILE...
edge_cases() {
    for f in "$@"; do
        rm -rf e.zarr
        run --separate-stderr gt-pack -q "$f" -o e.zarr
        echo "$f: $status $stderr"
        case $(basename "$f") in
        triploid* | mixed_ploidy*) refusal="its ploidy is above 2" ;;
        field_type_combos* | issue_251*) refusal="no record has a GT field" ;;
        sample_no_genotypes* | multi_contig* | out_of_order_contigs* | *annotations.bcf) refusal="no samples" ;;
        *) refusal= ;;
        esac
        if [ -n "$refusal" ]; then
            [ "$status" -eq 3 ]
            [[ "$stderr" == *"$refusal"* ]]
        else
            [ "$status" -eq 0 ]
            oracle vcf e.zarr "$f"
        fi
    done
}

@test "VCF edge cases: bcftools' content, or one line and exit 3: six of them" {
    need_data; need_zarr; need bcftools
    cd "$GT_TEST_DATA/vcf/edge"
    local some=("$PWD"/{sample,chr_m_indels,mixed_ploidy,sample_no_genotypes}.vcf.gz "$PWD/sample.bcf" "$PWD/CEUTrio.20.21.gatk3.4.g.vcf.bgz")
    cd "$BATS_TEST_TMPDIR"
    edge_cases "${some[@]}"
}

@test "VCF edge cases: bcftools' content, or one line and exit 3" {
    need_data; need_zarr; need bcftools
    edge_cases "$GT_TEST_DATA"/vcf/edge/*.vcf.gz "$GT_TEST_DATA"/vcf/edge/*.bcf "$GT_TEST_DATA"/vcf/edge/*.bgz "$pinf"
}

@test "selections: samples" {
    need_data; need_zarr; need bcftools
    gt-pack -q "$pinf" -o p.zarr
    s=$(bcftools query -l "$pinf" | sed -n '3p;1p;7p' | paste -sd,)
    gt-pack -q -s "$s" "$pinf" -o 1.zarr
    oracle vcf 1.zarr "$pinf" -s "$s"
    gt-pack -q -s "^$s" p.zarr -o 2.zarr
    oracle vcf 2.zarr "$pinf" -s "^$s"
    tr , '\n' <<< "$s" > s.txt
    gt-pack -q -S s.txt p.zarr -o 3.zarr
    oracle same 3.zarr 1.zarr
    gt-pack -q -S ^s.txt "$pinf" -o 4.zarr
    oracle same 4.zarr 2.zarr
    refused 3 "nobody" gt-pack --strict -s "nobody,$s" "$pinf" -o out.zarr
    gt-pack -q -s "nobody,$s" "$pinf" -o 5.zarr
    oracle same 5.zarr 1.zarr
}

@test "a sample that is called almost so is named in the hint" {
    gt-sim -q --samples 12 --variants 3 -o s.zarr
    for name in s3 ' S3' 'S3 '; do
        run --separate-stderr gt-pack -s "$name" s.zarr -o out.zarr
        [ "$status" -eq 3 ]
        [ "${stderr_lines[1]}" = "hint: did you mean 'S3'? gt-info --stats samples lists the samples of an input" ]
    done
    run --separate-stderr gt-pack -s S s.zarr -o out.zarr
    [ "${stderr_lines[1]}" = "hint: gt-info --stats samples lists the samples of an input" ]
}

@test "selections: regions of 1000 Genomes, by index, by pipe and of a store" {
    need_data; need_zarr; need bcftools
    gt-pack -q "$chr22" -o c.zarr
    regions=22:16100000-16150000,22:16300000-16300500
    gt-pack -q -r $regions "$chr22" -o 1.zarr
    oracle vcf 1.zarr "$chr22" -r $regions
    gt-pack -q -r $regions c.zarr -o 2.zarr
    oracle same 2.zarr 1.zarr
    printf '22\t16099999\t16150000\n22\t16300000\t16300500\n' > r.bed
    printf '22\t16100000\t16150000\n22\t16300001\t16300500\n' > r.txt
    gt-pack -q -R r.bed c.zarr -o 3.zarr
    gt-pack -q -R r.txt c.zarr -o 4.zarr
    oracle vcf 3.zarr "$chr22" -t 22:16100000-16150000,22:16300001-16300500
    oracle same 3.zarr 4.zarr
    bcftools view "$chr22" 2> /dev/null | gt-pack -q -r $regions - -o 5.zarr
    oracle same 5.zarr 1.zarr
}

@test "selections: contigs" {
    need_data; need_zarr
    gt-pack -q --contigs 21,22 "$hm3" -o 6.zarr
    gt-pack -q -r 21,22 "$hm3" -o 7.zarr
    oracle same 6.zarr 7.zarr
    refused 3 "chrQ" gt-pack -r chrQ:1-5 "$chr22" -o out.zarr
}

@test "selections: rates and frequencies" {
    need_data; need_zarr; need bcftools
    gt-pack -q "$pinf" -o p.zarr
    gt-pack -q --geno 0.05 "$pinf" -o geno.zarr
    oracle rows geno.zarr p.zarr '((g < 0).mean(1) <= 0.05, s)'
    gt-pack -q --maf 0.1 "$pinf" -o maf.zarr
    oracle rows maf.zarr p.zarr '(lambda a, n: (10 * np.minimum(a, n - a) >= n, s))(np.where(g < 0, 0, g).sum(1), 2 * (g >= 0).sum(1))'
    gt-pack -q --mind 0.08 "$pinf" -o mind.zarr
    oracle rows mind.zarr p.zarr '(v, (g < 0).mean(0) <= 0.08)'
    gt-pack -q --mind 0.08 --geno 0 - -o both.zarr < "$pinf"
    oracle rows both.zarr p.zarr '(lambda k: ((g[:, k] >= 0).all(1), k))((g < 0).mean(0) <= 0.08)'
}

@test "selections: kinds of sites, thinning, slices" {
    need_data; need_zarr; need bcftools
    gt-pack -q "$pinf" -o p.zarr
    gt-pack -q --snps "$pinf" -o snps.zarr
    oracle rows snps.zarr p.zarr '([set(a) <= set("ACGT,") and max(map(len, a.split(","))) == 1 for a in alleles], s)'
    gt-pack -q --pass "$pinf" -o pass.zarr
    oracle vcf pass.zarr "$pinf" -f PASS
    gt-pack -q --pass "$GT_TEST_DATA/vcf/edge/sample.vcf.gz" -o pass2.zarr
    [ "$(oracle vcf pass2.zarr "$GT_TEST_DATA/vcf/edge/sample.vcf.gz" -f PASS)" = "5 3" ]
    gt-pack -q --thin 10 "$pinf" -o thin.zarr
    oracle rows thin.zarr p.zarr '(v[::10], s)'
    gt-pack -q --slice '100:9000:7,::2' "$pinf" -o slice.zarr
    oracle rows slice.zarr p.zarr '(v[100:9000:7], s[::2])'
    gt-pack -q --slice '-500:,-3:' p.zarr -o last.zarr
    oracle rows last.zarr p.zarr '(v[-500:], s[-3:])'
}

@test "--biallelic, --min-alleles and --max-alleles count the record's alleles, as bcftools view -m -M" {
    need_data; need_zarr; need bcftools
    gt-pack -q "$pinf" -o packed.zarr
    bcftools view -Ob "$pinf" -o pinf.bcf 2> /dev/null
    for from in "$pinf" pinf.bcf packed.zarr; do
        gt-pack -qf --biallelic "$from" -o o.zarr
        [ "$(oracle vcf o.zarr "$pinf" -m2 -M2)" = "21719 18" ]
        gt-pack -qf --min-alleles 3 --max-alleles 3 "$from" -o o.zarr
        [ "$(oracle vcf o.zarr "$pinf" -m3 -M3)" = "301 18" ]
        gt-pack -qf --max-alleles 2 -s t30-4,IN2009T1_us22 "$from" -o o.zarr
        [ "$(oracle rows o.zarr packed.zarr '([a.count(",") < 2 for a in alleles], [17, 2])')" = "21719 2" ]
    done
    # sites that are constant in the samples kept stay: single ALT, nobody has it
    gt-pack -qf --biallelic -s t30-4 "$pinf" -o one.zarr
    [ "$(oracle vcf one.zarr "$pinf" -m2 -M2 -s t30-4)" = "21719 1" ]
}

@test "--min-alleles and --max-alleles, of sites without any ALT and with three, as bcftools view -m -M" {
    need_data; need_zarr; need bcftools
    g=$GT_TEST_DATA/vcf/edge/sample.vcf.gz # with sites without any ALT, and three
    for n in "1 1" "2 2" "1 2" "3 4"; do
        gt-pack -qf --min-alleles "${n% *}" --max-alleles "${n#* }" "$g" -o o.zarr
        oracle vcf o.zarr "$g" "-m${n% *}" "-M${n#* }"
    done
}

@test "--polymorphic looks at the samples kept; a packed store says what it cannot know" {
    small_vcf > s.vcf
    printf '1\t40\t.\tA\tC,G\t.\tPASS\t.\tGT\t1/2\t1/1\t2/2\t./.\n' >> s.vcf
    gt-pack -q --polymorphic s.vcf -o all.zarr
    [ "$(gt-info --stats variants all.zarr | cut -f 2 | xargs)" = "position 10 20 30 40" ]
    gt-pack -q --polymorphic -s a s.vcf -o a.zarr
    [ "$(gt-info --stats variants a.zarr | cut -f 2 | xargs)" = "position 40" ]
    gt-pack -q --polymorphic -s b s.vcf -o b.zarr
    [ "$(gt-info --stats variants b.zarr | cut -f 2 | xargs)" = "position 10 20" ]
    # a second ALT that only others have
    printf '1\t50\t.\tA\tC,G\t.\tPASS\t.\tGT\t1/1\t1/1\t2/2\t2/2\n' >> s.vcf
    gt-pack -q --layout vcz s.vcf -o s.vcz
    bcftools view -O b s.vcf -o s.bcf
    for input in s.vcf s.bcf s.vcz; do
        [ "$(gt-info -q --stats variants --polymorphic -s a,b $input | cut -f 2 | xargs)" = "position 10 20 40" ] || { echo "$input"; return 1; }
        [ "$(gt-info -q --stats variants --polymorphic -s ^a,b $input | cut -f 2 | xargs)" = "position 20 30" ] || { echo "$input"; return 1; }
        [ "$(gt-info -q --stats variants --polymorphic -s b,c $input | tail -n 1 | cut -f 2)" = 50 ] || { echo "$input"; return 1; }
    done
    run --separate-stderr gt-pack --polymorphic all.zarr -o p.zarr
    [ "$status" -eq 0 ]
    [ "$(gt-info --stats variants p.zarr | cut -f 2 | xargs)" = "position 10 20 30" ]
    [[ "$stderr" == *"1 of these have two ALT alleles in every call, and the input does not show which"* ]]
}

# splits_as_bcftools FILE...: of VCF, and of the same as BCF
splits_as_bcftools() {
    local vcf
    for vcf in "$@"; do
        bcftools norm -m- "$vcf" -Oz -o norm.vcf.gz 2> /dev/null
        gt-pack -qf --split-multiallelic "$vcf" -o t.zarr
        oracle vcf t.zarr norm.vcf.gz
        bcftools view -Ob "$vcf" -o in.bcf 2> /dev/null
        gt-pack -qf --split-multiallelic in.bcf -o b.zarr
        oracle same b.zarr t.zarr
    done
}

@test "--split-multiallelic is bcftools norm -m-: a file of few sites" {
    need_data; need_zarr; need bcftools
    splits_as_bcftools "$GT_TEST_DATA/vcf/edge/sample.vcf.gz" "$GT_TEST_DATA/vcf/edge/CEUTrio.20.21.gatk3.4.g.vcf.bgz"
}

@test "--split-multiallelic is bcftools norm -m-: VCF, BCF and a store of calls" {
    need_data; need_zarr; need bcftools
    local edge=$GT_TEST_DATA/vcf/edge
    # shellcheck disable=SC2046
    splits_as_bcftools "$pinf" $(by_level "" "$chr22" "$chr22") "$edge/sample.vcf.gz" "$edge/chr_m_indels.vcf.gz" \
        "$edge/CEUTrio.20.21.gatk3.4.g.vcf.bgz"
    gt-pack -qf --split-multiallelic "$GT_TEST_DATA/vcz/sample.vcz.zip" -o z.zarr
    gt-pack -qf --split-multiallelic "$edge/sample.vcf.gz" -o t.zarr
    oracle same z.zarr t.zarr
    # filters of sites look at records, those of alleles and genotypes at rows
    bcftools norm -m- "$pinf" 2> /dev/null | bcftools view -v snps -Oz -o snps.vcf.gz
    gt-pack -qf --split-multiallelic --snps --min-alleles 3 "$pinf" -o s.zarr
    bcftools view -m3 "$pinf" 2> /dev/null | bcftools norm -m- 2> /dev/null | bcftools view -i 'STRLEN(REF)=1 && STRLEN(ALT)=1' -Oz -o s.vcf.gz
    oracle vcf s.zarr s.vcf.gz
    [[ "$(gt-pack --split-multiallelic "$pinf" -o n.zarr 2>&1)" == *"22,031 variants split into 22,356 rows"* ]]
    gt-pack -q "$pinf" -o packed.zarr
    refused 2 "needs calls" gt-pack --split-multiallelic packed.zarr -o out.zarr
    refused 2 "biallelic" gt-pack --split-multiallelic --biallelic "$pinf" -o out.zarr
    gt-pack -q --biallelic "$pinf" -o two.zarr
    gt-pack -q --split-multiallelic two.zarr -o same.zarr # nothing to split
    oracle same same.zarr two.zarr
}

@test "options about calls or alleles are refused where the input has none" {
    need_data
    small_vcf > s.vcf
    gt-pack -q s.vcf -o s.zarr
    refused 2 "--half-call needs calls" gt-pack --half-call missing s.zarr -o out.zarr
    refused 2 "--half-call needs calls" gt-pack --half-call missing "$hm3" -o out.zarr
    rm -r s.zarr/variant_allele s.zarr/.zmetadata
    echo '{}' > s.zarr/.zattrs # not as gt-pack wrote it: less may stand there
    for option in --snps --biallelic "--min-alleles 2" "--max-alleles 2"; do
        refused 2 "${option% *} needs alleles, and 's.zarr' has none" gt-pack $option s.zarr -o out.zarr
    done
    rm -r s.zarr/variant_filter s.zarr/variant_position
    refused 2 "pass needs FILTERs" gt-pack --pass s.zarr -o out.zarr
    refused 2 "r needs positions" gt-pack -r 1:1-20 s.zarr -o out.zarr
    rm -r s.zarr/variant_contig s.zarr/contig_id s.zarr/contig_length
    refused 2 "contigs needs contigs" gt-pack --contigs autosomes s.zarr -o out.zarr
}

@test "-r: another form of a contig's name is told, commas between thousands are read, contigs that the header lacks are found" {
    small_vcf > s.vcf
    printf 'X\t1500\tx1\tA\tC\t.\tPASS\t.\tGT\t0/0\t0/1\t0/0\t0/0\nX\t2500\tx2\tA\tC\t.\tPASS\t.\tGT\t0/0\t0/1\t0/0\t0/0\n' >> s.vcf
    gt-pack -q s.vcf -o s.zarr
    for from in s.vcf s.zarr; do
        for name in chr1 Chr1 01; do
            run --separate-stderr gt-pack -r $name:5-10 $from -o out.zarr
            [ "$status" -eq 3 ]
            [[ "$stderr" == *"there is no contig '$name' in '$from'"*"hint: did you mean '1'?"* ]]
        done
        gt-pack -qf -r X $from -o x.zarr
        [ "$(gt-info --stats variants x.zarr | cut -f 3 | xargs)" = "id x1 x2" ]
        gt-pack -qf -r X:1,000-2,000 $from -o x.zarr
        [ "$(gt-info --stats variants x.zarr | cut -f 3 | xargs)" = "id x1" ]
        gt-pack -qf -r 1:1-10,X:2,001-1,000,000 $from -o x.zarr
        [ "$(gt-info --stats variants x.zarr | cut -f 3 | xargs)" = "id rs1 x2" ]
        refused 3 "no contig '20'" gt-pack --strict -r 1:10,20 $from -o out.zarr # no thousands: two digits
        refused 3 "no contig 'Y'" gt-pack -r Y $from -o out.zarr
    done
    sed 's/^X/200/' s.vcf > 200.vcf
    gt-pack -qf -r 1:10,200:1-2000 200.vcf -o x.zarr
    [ "$(gt-info --stats variants x.zarr | cut -f 3 | xargs)" = "id rs1 x1" ]
    sed 's/^##contig.*/##contig=<ID=1>\n##contig=<ID=200>/' 200.vcf > known.vcf
    gt-pack -qf -r 1:10,200 known.vcf -o x.zarr # a contig of that name: no thousands
    [ "$(gt-info --stats variants x.zarr | cut -f 3 | xargs)" = "id rs1 x1 x2" ]
    refused 2 "bad region" gt-pack -r 1:10-5 s.vcf -o out.zarr
}

@test "input that is not sorted is told of once" {
    small_vcf > s.vcf
    printf '1\t5\tx\tA\tC\t.\tPASS\t.\tGT\t0/0\t0/1\t0/0\t0/0\n%.0s' 1 2 3 >> s.vcf
    printf '1\t2\tx\tA\tC\t.\tPASS\t.\tGT\t0/0\t0/1\t0/0\t0/0\n' >> s.vcf
    for mind in "" "--mind 1"; do
        run --separate-stderr gt-pack -f $mind s.vcf -o s.zarr
        [ "$status" -eq 0 ]
        [ "$(grep "not sorted" <<< "$stderr")" = "gt-pack: warning: 's.vcf' is not sorted: 1:5 comes after 1:30" ]
    done
    small_vcf > s.vcf
    printf '%s\t5\tx\tA\tC\t.\tPASS\t.\tGT\t0/0\t0/1\t0/0\t0/0\n' 2 1 >> s.vcf
    sed -i 's/^##contig.*/##contig=<ID=1>\n##contig=<ID=2>/' s.vcf
    run --separate-stderr gt-pack -f s.vcf -o s.zarr
    [[ "$stderr" == *"is not sorted: 1:5 comes after 2:5"* ]]
    small_vcf > s.vcf
    [[ "$(gt-pack -f s.vcf -o s.zarr 2>&1)" != *"not sorted"* ]]
}

@test "an empty selection warns and is done; --require-sites makes fewer an error" {
    small_vcf > s.vcf
    run --separate-stderr gt-pack -r 1:500 s.vcf -o e.zarr
    [ "$status" -eq 0 ]
    [ "$(grep -c "warning: no variants of 's.vcf' are left" <<< "$stderr")" -eq 1 ]
    gt-info e.zarr > /dev/null
    run --separate-stderr gt-pdist e.zarr
    [ "$status" -eq 0 ]
    [ "$(grep -c "warning: 'e.zarr' has no variants" <<< "$stderr")" -eq 1 ]
    gt-pack -q --require-sites 3 s.vcf -o s.zarr
    for from in s.vcf s.zarr; do
        refused 3 "2 variants of '$from' are left; --require-sites needs 3" gt-pack --require-sites 3 --thin 2 $from -o out.zarr
        refused 3 "1 variant of '$from' is left; --require-sites needs 3" gt-pack --require-sites 3 --thin 3 $from -o out.zarr
        refused 3 "2 variants of '$from' are left" gt-pack --require-sites 3 --maf 0.4 $from -o out.zarr
        run gt-pdist -q --require-sites 3 --maf 0.4 $from -o out.tsv
        [ "$status" -eq 3 ]
        [ ! -e out.tsv ]
    done
    run gt-pack -n --require-sites 4 s.zarr # known before anything is read
    [ "$status" -eq 3 ]
}

@test "several inputs are joined along variants" {
    need_data; need_zarr; need bcftools
    gt-pack -q "$chr22" -o c.zarr
    bcftools view -Ob -t 22:1-16200000 "$chr22" -o 1.bcf 2> /dev/null
    bcftools view -t 22:16200001-99999999 "$chr22" -o 2.vcf 2> /dev/null
    gt-pack -q 1.bcf 2.vcf -o j.zarr
    oracle same j.zarr c.zarr
    bcftools view -s ^HG00096 2.vcf -o 3.vcf 2> /dev/null
    refused 3 "3.vcf" gt-pack 1.bcf 3.vcf -o out.zarr
}

@test "of several inputs two are read at once, each with the memory that one has" {
    gt-sim -q --samples 1000 --variants 700 -O vcf -o one.vcf
    sed 's/ID=1,/ID=2,/; s/^1\t/2\t/' one.vcf > other.vcf
    most() { gt-pack -n -@ 2 "$@" -o o.zarr | sed -n 's/^memory .*needed, \([0-9]*\)M used.*/\1/p'; }
    [ "$(most one.vcf other.vcf)" -ge "$(($(most one.vcf) + 4))" ]
}

@test "chunks, codecs and formats change nothing but the bytes" {
    need_data; need_zarr
    gt-pack -q "$hm3" -o h.zarr
    n=0
    for options in "--codec none" "--codec lz4" "--codec gzip:1" "--codec blosc:zstd:3:bitshuffle" "--chunks variants=777,samples=-1" \
        "--chunks samples=64" "--chunks variants=1e5"; do
        n=$((n + 1))
        [ "$(by_level $((n % 4)) 1 1)" -eq 1 ] || continue
        gt-pack -q $options "$hm3" -o $n.zarr
        oracle same $n.zarr h.zarr
    done
    gt-pack -q --zarr-format 3 --chunks variants=3000,samples=400 "$hm3" -o v3.zarr
    [ -e v3.zarr/zarr.json ]
    gt-pdist -q -O npy h.zarr -o h.npy
    gt-pdist -q -O npy v3.zarr -o v3.npy
    cmp h.npy v3.npy
    gt-pack -q v3.zarr -o back.zarr
    oracle same back.zarr h.zarr
}

@test "records of which none has a GT are refused, those of which some have it are not" {
    need bcftools
    {
        header
        columns a b
        for i in $(seq 1 300); do printf '1\t%d\t.\tA\tC\t.\tPASS\t.\tDP\t7\t8\n' "$i"; done
    } > none.vcf
    sed 's/^1\t150\t\(.*\)DP\t7\t8/1\t150\t\1GT\t0\/1\t./' none.vcf > one.vcf
    for kind in none one; do
        bcftools view -Ob $kind.vcf -o $kind.bcf 2> /dev/null
    done
    for input in none.vcf none.bcf; do
        refused 3 "'$input' has no genotypes: no record has a GT field" gt-pack $input -o out.zarr
        run gt-info --stats samples $input
        [ "$status" -eq 3 ]
    done
    for input in one.vcf one.bcf; do
        gt-pack -q $input -f -o some.zarr
        gt-pack -q -r 1:1-100 $input -f -o some.zarr
    done
    sed 's/^1\t\([0-9]*\)/1\t1\1000/' one.vcf > two.vcf
    refused 3 "'none.vcf' has no genotypes" gt-pack two.vcf none.vcf -o out.zarr
}

@test "a store of no variants is valid" {
    need_zarr
    small_vcf | grep '^#' > none.vcf
    for out in none.zarr none.zip; do
        gt-pack -q none.vcf -o $out
        [ "$(oracle vcf $out none.vcf)" = "0 4" ]
    done
    gt-pack -q none.vcf > none.tar
    gt-pack -q none.tar -o back.zarr
    [ "$(oracle vcf back.zarr none.vcf)" = "0 4" ]
}

@test "late alleles and contigs: directory, zip and stream alike" {
    need_zarr; need bcftools
    {
        header
        columns a b
        for i in $(seq 1 2500); do printf '1\t%d\t.\tA\tC\t.\tPASS\t.\tGT\t0/1\t./.\n' "$i"; done
        printf 'late\t7\t.\tA\tC,G,T,AA\t.\tq10\t.\tGT\t3/1\t0/4\n'
        for i in $(seq 8 1200); do printf 'late\t%d\t.\tA\tC\t.\t.\t.\tGT\t0/1\t1/1\n' "$i"; done
    } > late.vcf
    gt-pack --chunks variants=500 late.vcf -o d.zarr 2> log
    [ "$(grep -c 'warning: .*late' log)" -eq 1 ]
    oracle vcf d.zarr late.vcf
    gt-pack -q --chunks variants=500 late.vcf -o d.zip
    oracle same d.zip d.zarr
    gt-pack -q --chunks variants=500 - < late.vcf > d.tar
    mkdir x
    tar xf d.tar -C x
    oracle same x d.zarr
    gt-pack -q d.tar -o back.zarr
    oracle same back.zarr d.zarr
    [ -z "$(tar tf d.tar | grep -v '\.z' | sort | uniq -d)" ]
}

@test "--dry-run, --json, -q, --force" {
    small_vcf > s.vcf
    run --separate-stderr gt-pack -n s.vcf -o out.zarr
    [ "$status" -eq 0 ]
    [[ "$output" == *"samples        4"* ]]
    [[ "$output" == *"chunks         65,536 variants x 4 samples"* ]]
    [ ! -e out.zarr ]
    run --separate-stderr gt-pack --json -q s.vcf -o s.zarr
    [ -z "$stderr" ]
    "$PYTHON" -c 'import json, sys; j = json.loads(sys.argv[1]); assert (j["samples"], j["variants"], j["half_calls"], j["multiallelic"], j["missing_rate"]) == (4, 3, 1, 1, 0.25), j' "$output"
    gt-pack --json -q s.vcf -o - 2> j.json > s.tar
    "$PYTHON" -c 'import json; json.load(open("j.json"))'
    run --separate-stderr gt-pack -q s.vcf -o s.zarr
    [ "$status" -eq 1 ]
    [[ "$stderr" == *"s.zarr"*"--force"* ]]
    gt-pack -q -f s.vcf -o s.zarr
    gt-pack -q s.vcf -o s.zip
    gt-pack -q s.vcf -o s.zip
}

@test "--json: bytes_read is the size of a VCF or BCF, also with ranks; null where bytes are not counted" {
    gt-sim -q --samples 40 --variants 9000 --missing 0.01 -O vcf -o a.vcf
    gzip -k a.vcf
    gt-unpack -q a.vcf -o a.bcf
    gt-unpack -q a.vcf -o b.vcf.gz
    head -30 a.vcf > small.vcf
    gt-pack -q a.vcf -o a.zarr
    bytes_read() { "$PYTHON" -c 'import json, sys; print(json.load(sys.stdin)["bytes_read"])' < "$1"; }
    for input in a.vcf a.vcf.gz a.bcf b.vcf.gz small.vcf; do
        gt-pack -f --json "$input" -o o.zarr > said
        [ "$(bytes_read said)" -eq "$(stat -c %s $input)" ]
        gt-pack -f --json - -o o.zarr < "$input" > said
        [ "$(bytes_read said)" -eq "$(stat -c %s $input)" ]
    done
    gt-pack -f --json --ld-prune 50,5,0.5 a.vcf -o o.zarr > said # several passes
    [ "$(bytes_read said)" -eq "$(stat -c %s a.vcf)" ]
    gt-pack -f --json a.zarr -o o.zarr > said
    [ "$(bytes_read said)" = None ]
    # shellcheck source=test/support/mpirun.bash
    source "$GT_SOURCE/test/support/mpirun.bash"
    need_mpi
    for input in a.vcf b.vcf.gz small.vcf; do
        mpirun_of "$(mpis | tail -n 1)" -n 3 gt-pack -f -@ 1 --json "$input" -o o.zarr > said
        [ "$(bytes_read said)" -eq "$(stat -c %s $input)" ]
    done
}

@test "usage errors: one line, exit 2, nothing written" {
    small_vcf > s.vcf
    refused 2 "nonsense" gt-pack --nonsense s.vcf -o out.zarr
    refused 2 "chunks" gt-pack --chunks 7 s.vcf -o out.zarr
    refused 2 "--maf" gt-pack --maf 0.6 s.vcf -o out.zarr
    refused 2 "--dry-run" gt-pack -n --json s.vcf -o out.zarr
    refused 2 "empty name" gt-pack s.vcf -o ''
    refused 2 "which gt-pack does not write" gt-pack s.vcf -o s.vcf
    cp s.vcf file
    refused 1 "a file of that name already exists" gt-pack s.vcf -o file
    cmp s.vcf file
    refused 2 "chunks" gt-pack --chunks variants=0 s.vcf -o out.zarr
    refused 2 "chunks" gt-pack --chunks rows=5 s.vcf -o out.zarr
    refused 2 "multiple of 4" gt-pack --chunks samples=2 s.vcf -o out.zarr
    refused 2 "2 GiB" gt-pack --chunks variants=4e9 s.vcf -o out.zarr
    refused 2 "codec 'zip'" gt-pack --codec zip:zap s.vcf -o out.zarr
    refused 2 "zarr-format" gt-pack --zarr-format 4 s.vcf -o out.zarr
    refused 2 "layout" gt-pack --layout other s.vcf -o out.zarr
    refused 2 "memory" gt-pack --memory cow s.vcf -o out.zarr
}

@test "what does not fit the memory is refused with the numbers, exit 4" {
    { header; columns $(seq -f 's%.0f' 1 200000); } > wide.vcf
    refused 4 "for a row group" gt-pack --memory 96M wide.vcf -o out.zarr
    [[ "$stderr" == *"hint: "*"--chunks variants="* ]]
    # the chunks of the input count too
    gt-sim -q --samples 4000 --variants 30000 --chunks variants=30000,samples=4000 -o wide.zarr
    refused 4 "40.0 MiB of memory leaves [0-9.]* MiB for data, .*[0-9.]* MiB for reading" gt-pack -@ 2 --memory 40M wide.zarr -o out.zarr
}

@test "bad input: one line, exit code, nothing under the output's name" {
    small_vcf > s.vcf
    refused 1 "cannot open 'nowhere.vcf'" gt-pack nowhere.vcf -o out.zarr
    { header; columns; } > nosamples.vcf
    refused 3 "no samples" gt-pack nosamples.vcf -o out.zarr
    : > nothing
    refused 3 "nothing" gt-pack nothing -o out.zip
    head -c 1000 /dev/urandom > noise
    refused 3 "noise" gt-pack noise -o out.zarr
    mkdir empty.zarr
    refused 3 "empty.zarr" gt-pack empty.zarr -o out.zarr
    printf '1\t40\t.\tA\tC\t.\t.\t.\tGT\t0/0\n' | cat s.vcf - > short.vcf
    refused 3 "short.vcf" gt-pack short.vcf -o out.zarr
    printf '1\tx\t.\tA\tC\t.\t.\t.\tGT\t0/0\t0/0\t0/0\t0/0\n' | cat s.vcf - > pos.vcf
    refused 3 "pos.vcf" gt-pack pos.vcf -o out.zarr
    printf '1\t40\t.\tA\tC\t.\t.\t.\tGT\t0/0/0\t0/0\t0/0\t0/0\n' | cat s.vcf - > ploidy.vcf
    refused 3 "ploidy" gt-pack ploidy.vcf -o out.zarr
}

@test "bad input: a NUL byte in a line or the header, of both layouts; a line of many MB is read" {
    small_vcf > s.vcf
    local long
    long=$(by_level 10000000 100000000 100000000)
    sed '$s/$/\x00/' s.vcf > line.vcf
    sed '2s/=/\x00/' s.vcf > head.vcf
    { cat s.vcf; head -c 3000000 /dev/zero; } > zeros.vcf
    { header; columns a; printf '1\t5\t.\t'; head -c "$long" /dev/zero | tr '\0' A; printf '\tC\t.\t.\t.\tGT\t0/1\n'; } > long.vcf
    for layout in packed vcz; do
        refused 3 "'line.vcf', line $(wc -l < s.vcf)" gt-pack --layout $layout line.vcf -o out.zarr
        refused 3 "'head.vcf': bad VCF header: it holds a NUL byte" gt-pack --layout $layout head.vcf -o out.zarr
        refused 3 "'zeros.vcf'" gt-pack --layout $layout zeros.vcf -o out.zarr
        gt-pack -qf --memory 1G --layout $layout long.vcf -o long.zip
        [ "$(gt-unpack -q long.zip | grep -v '^#' | cut -f 4 | tr -d '\n' | wc -c)" -eq "$long" ]
        rm long.zip
    done
}

@test "bad input: truncated VCF.gz and BCF" {
    need_data; need bcftools
    head -c 100000 "$chr22" > t.vcf.gz
    refused 3 "t.vcf.gz" gt-pack t.vcf.gz -o out.zarr
    # cut exactly before the end block
    head -c -28 "$chr22" > e.vcf.gz
    refused 3 "e.vcf.gz" gt-pack e.vcf.gz -o out.zip
    bcftools view -Ob "$GT_TEST_DATA/vcf/1kg_phase3_chr21_start.vcf.gz" -o c.bcf 2> /dev/null
    head -c -28 c.bcf > e.bcf
    refused 3 "e.bcf" gt-pack e.bcf -o out.tar
    head -c 30000 c.bcf > t.bcf
    refused 3 "t.bcf" gt-pack t.bcf -o out.zarr
    run --separate-stderr bash -c 'set -o pipefail; head -c 100000 "$1" | gt-pack -o out.zarr' - "$chr22"
    [ "$status" -eq 3 ]
    [ -z "$(outs)" ]
}

@test "bad input: PLINK files" {
    need_data
    for e in bed bim fam; do cp "$GT_TEST_DATA/plink/edge/plink_sim_10s_100v_10pmiss.$e" p.$e; done
    head -c -1 p.bed > q.bed; cp p.bim q.bim; cp p.fam q.fam
    refused 3 "'q' is" gt-pack q -o out.zarr
    { cat p.bed; printf x; } > q.bed
    refused 3 "'q' is" gt-pack q -o out.zarr
    { printf 'XYZ'; tail -c +4 p.bed; } > q.bed
    refused 3 "q.bed" gt-pack q.bed -o out.zarr
    { printf '\x6c\x1b\x00'; tail -c +4 p.bed; } > q.bed
    refused 3 "q.bed" gt-pack q.bed -o out.zarr
    cp p.bed q.bed; rm q.fam
    refused 1 "q.fam" gt-pack q.bed -o out.zarr
}

@test "bad input: a tar stream cut anywhere" {
    small_vcf > s.vcf
    gt-pack -q s.vcf > s.tar
    size=$(stat -c %s s.tar)
    for ((n = 512; n < size - 512; n += 512)); do
        head -c $n s.tar > cut.tar
        refused 3 "cut.tar" gt-pack cut.tar -o out.zarr
    done
    run --separate-stderr gt-pack - -o out.zarr < cut.tar
    [ "$status" -eq 3 ]
    [ -z "$(outs)" ]
    for n in 1 511 513 1000 $((size / 2 + 100)); do
        head -c $n s.tar > cut.tar
        refused 3 "cut.tar\|standard input" gt-pack cut.tar -o out.zip
    done
    # the metadata at the start of a stream says that it is not final
    mkdir x
    tar xf s.tar -C x --occurrence=1 .zmetadata .zgroup .zattrs packed_dosage/.zarray packed_dosage/.zattrs
    grep -q provisional x/.zattrs
    refused 3 "unfinished" gt-pack x -o out.zarr
}

@test "bad input: stores with a chunk missing, cut or damaged, and without metadata" {
    need_data
    gt-pack -q --chunks variants=1000 "$hm3" -o h.zarr
    cp -r h.zarr m.zarr
    rm m.zarr/packed_dosage/3.0
    refused 3 "packed_dosage/3.0" gt-pack m.zarr -o out.zarr
    cp h.zarr/packed_dosage/3.0 chunk
    head -c 1000 chunk > m.zarr/packed_dosage/3.0
    refused 3 "packed_dosage/3.0" gt-pack m.zarr -o out.zip
    : > m.zarr/packed_dosage/3.0
    refused 3 "packed_dosage/3.0" gt-pack m.zarr -o out.zip
    cp chunk m.zarr/packed_dosage/3.0
    printf x > m.zarr/variant_position/1
    refused 3 "variant_position/1" gt-pack m.zarr -o out.zarr
    rm h.zarr/.z*
    refused 3 "h.zarr" gt-pack h.zarr -o out.zarr
}

@test "a full disk: one line, exit 1, nothing left" {
    need_data
    run bash -c 'ulimit -f 40; gt-pack -q --codec none "$1" -o out.zip' - "$hm3"
    [ "$status" -eq 1 ]
    [ "${#lines[@]}" -eq 1 ]
    [[ "$output" == "gt-pack: "*"out.zip"* ]]
    [ -z "$(outs)" ]
    run bash -c 'ulimit -f 40; gt-pack -q --codec none "$1" -o out.zarr' - "$hm3"
    [ "$status" -eq 1 ]
    [ -z "$(outs)" ]
    if [ -w /dev/full ]; then
        run bash -c 'gt-pack -q "$1" > /dev/full' - "$hm3"
        [ "$status" -eq 1 ]
        [ "${#lines[@]}" -eq 1 ]
        [[ "$output" == *"No space left"* ]]
    fi
    if [ "$(id -u)" -eq 0 ] && mkdir small && mount -t tmpfs -o size=1m none small 2> /dev/null; then
        run gt-pack -q --codec none "$hm3" -o small/out.zarr
        rest=$(find small -mindepth 1)
        umount small
        [ "$status" -eq 1 ]
        [[ "$output" == *"No space left"* ]]
        [ -z "$rest" ]
    fi
}

@test "a reader that goes away ends it quietly" {
    need_data
    run bash -c 'gt-pack -q "$1" --codec none -o - 2> err | head -c 1000 > /dev/null; echo ${PIPESTATUS[0]}' - "$hm3"
    [ "$output" = 141 ]
    [ ! -s err ]
}

@test "the empty block at the end of a BGZF file is given back once, however little memory there is" {
    gt-sim -q --samples 90 --variants 12000 --missing 0.02 -O vcf -o x.vcf.gz --seed 1
    gt-pack -q x.vcf.gz -o want.zip
    for memory in 30M 32M 34M 36M; do
        timeout -s KILL 60 gt-pack -q --memory $memory -@ 2 --chunks variants=1000 x.vcf.gz -o few.zarr -f || [ $? -eq 4 ]
        timeout -s KILL 60 gt-pack -q --memory $memory -@ 2 x.vcf.gz -o out.zarr -f || [ $? -eq 4 ]
    done
    gt-pdist -q -O npy out.zarr | cmp - <(gt-pdist -q -O npy want.zip)
}

@test "a signal leaves nothing" {
    need_data
    mkfifo in
    timeout 60 gt-pack -q in -o out.zarr 3>&- & pid=$!
    { zcat "$chr22" | head -3000; sleep 5; } > in 2> /dev/null 3>&- & feeder=$!
    sleep 1
    kill -TERM $pid
    wait $pid || status=$?
    kill $feeder 2> /dev/null || true
    [ "$status" -eq 143 ]
    [ -z "$(outs)" ]
    run gt-pack --resume in -o out.zarr
    [ "$status" -eq 2 ]
    [[ "${lines[0]}" == "gt-pack: --resume: 'in' cannot be read again" ]]
}

@test "--chunks samples=N of all samples, or a few more, when four do not divide them: every sample is written" {
    gt-sim -q --samples 50 --variants 700 --missing 0.05 -O vcf -o fifty.vcf
    grep -v '^##' fifty.vcf | cut -f 1,2,4,5,10- | sed 's/|/\//g' > want
    for n in 50 51 52 53 -1; do
        gt-pack -q -f --chunks variants=200,samples=$n fifty.vcf -o fifty.zarr
        gt-unpack -q fifty.zarr -o - -O vcf | grep -v '^##' | cut -f 1,2,4,5,10- | cmp - want
    done
}

@test "names that are not ASCII, or not UTF-8, in metadata: Debian's zarr-python reads them" {
    need_zarr
    gt-sim -q --samples 3 --variants 10 -O vcf -o 'é𝄞.vcf'
    gt-pack -q 'é𝄞.vcf' -o named.zarr
    run ! env LC_ALL=C grep -q $'[\x80-\xff]' named.zarr/.zattrs
    "$PYTHON" -c 'import zarr; assert "é𝄞.vcf" in str(dict(zarr.open_group("named.zarr", "r").attrs)); zarr.open_consolidated("named.zarr")'
    cp 'é𝄞.vcf' $'bad\xff.vcf'
    gt-pack -q $'bad\xff.vcf' -o bad.zarr
    "$PYTHON" -c 'import zarr; assert "bad\ufffd.vcf" in str(dict(zarr.open_group("bad.zarr", "r").attrs))'
}
