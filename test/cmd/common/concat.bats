#!/usr/bin/env bats
# --concat samples: inputs of the same sites with other samples, side by side, against the whole.

bats_require_minimum_version 1.5.0

setup() { cd "$BATS_TEST_TMPDIR" || exit 1; }

refused() { # STATUS TEXT COMMAND...
    run --separate-stderr timeout 60 "${@:3}"
    # shellcheck disable=SC2154
    { [ "$status" -eq "$1" ] && [[ "${stderr_lines[0]}" == *"$2"* ]]; } || { echo "${*:3}: status $status: $output $stderr"; return 1; }
}

# 23 samples as files of 5, 8, 1 and 9.
make_parts() {
    gt-sim -q --samples 23 --variants 700 --contigs 2 --missing 0.1 --multiallelic 0.1 --seed 4 -O vcf -o whole.vcf
    for part in 1-5 6-13 14-14 15-23; do
        grep '^##' whole.vcf > "p$part.vcf"
        grep -v '^##' whole.vcf | cut -f "1-9,$((${part%-*} + 9))-$((${part#*-} + 9))" >> "p$part.vcf"
    done
    parts=(p1-5.vcf p6-13.vcf p14-14.vcf p15-23.vcf)
}

@test "--concat samples: text, stores of other chunks, BCF and .bed beside one another are the whole" {
    make_parts
    gt-pack -q --no-version whole.vcf -o whole.zip
    gt-unpack -q -O npy whole.zip -o whole.npy
    gt-pack -q --chunks variants=13 p1-5.vcf -o a.zarr
    gt-pack -q --layout vcz --chunks variants=100,samples=3 p6-13.vcf -o b.zarr
    gt-pack -q p14-14.vcf -o c.tar
    gt-unpack -q --no-version b.zarr -o b.bcf
    for threads in 1 3; do
        gt-pack -qf --no-version -@ $threads --concat samples "${parts[@]}" -o ours.zip
        cmp ours.zip whole.zip
        for inputs in "a.zarr b.zarr c.tar p15-23.vcf" "p1-5.vcf b.bcf c.tar p15-23.vcf" "a.zarr b.zarr p14-14.vcf p15-23.vcf"; do
            # shellcheck disable=SC2086
            gt-pack -qf --no-version -@ $threads --concat samples $inputs -o ours.zip
            gt-unpack -qf -O npy ours.zip -o ours.npy
            cmp ours.npy whole.npy || { echo "$inputs"; return 1; }
        done
    done
    # the selection is of all samples together; passes are repeated
    # shellcheck disable=SC2086
    for options in "-s S20,S1,S7" "--maf 0.1 --geno 0.1 --mind 0.12" "-r 2:1-30000000 --thin 3" "--slice 100:-50,::3" "--biallelic --polymorphic" "--ld-prune 20,0.2"; do
        gt-pdist -qf -m ibs $options whole.vcf -o whole.tsv
        gt-pdist -qf -m ibs $options --concat samples "${parts[@]}" -o ours.tsv
        cmp whole.tsv ours.tsv || { echo "$options"; return 1; }
        cmp <(gt-info -q --stats variants $options whole.vcf) <(gt-info -q --stats variants $options --concat samples "${parts[@]}") || { echo "stats $options"; return 1; }
    done
    gt-svd -qf -k 3 --algorithm krylov --concat samples "${parts[@]}" -o ours.tsv
    gt-svd -qf -k 3 --algorithm krylov whole.vcf -o whole.tsv
    cmp ours.tsv whole.tsv
    gt-pack -qf --no-version --memory 64M --chunks variants=1000 -@ 1 --concat samples "${parts[@]}" -o ours.zip
    gt-pack -qf --no-version --memory 64M --chunks variants=1000 -@ 1 whole.vcf -o whole.zip
    cmp ours.zip whole.zip
}

@test "--concat samples: calls of two ALTs beside a packed store, which has none" {
    header='##fileformat=VCFv4.2\n##contig=<ID=1>\n##FORMAT=<ID=GT,Number=1,Type=String,Description="x">\n#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT'
    printf "$header\ta\tb\n1\t10\t.\tA\tC,G\t.\t.\t.\tGT\t0/1\t1/1\n1\t20\t.\tA\tC,G\t.\t.\t.\tGT\t0/0\t2/2\n" > a.vcf
    printf "$header\tc\td\n1\t10\t.\tA\tC,G\t.\t.\t.\tGT\t1/2\t0/2\n1\t20\t.\tA\tC,G\t.\t.\t.\tGT\t./.\t1/2\n" > b.vcf
    gt-pack -q a.vcf -o a.zarr
    for first in a.vcf a.zarr; do
        gt-info -q --stats samples --concat samples $first b.vcf | tail -n +2 | cut -f 1-3,5-7 |
            cmp - <(printf '%s\t%s\t%s\t%s\t%s\t%s\n' a 2 0 1 1 0 b 2 0 0 0 2 c 1 1 0 1 0 d 2 0 0 2 0) || { echo $first; return 1; }
    done
}

@test "--concat samples: half calls and calls of three alleles are read by the rules that were given" {
    header='##fileformat=VCFv4.2\n##contig=<ID=1>\n##FORMAT=<ID=GT,Number=1,Type=String,Description="x">\n#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT'
    printf "$header\ta\tb\n1\t10\t.\tA\tC\t.\t.\t.\tGT\t0/.\t1/1\n1\t20\t.\tA\tC\t.\t.\t.\tGT\t./1\t0/1\n" > a.vcf
    printf "$header\tc\td\n1\t10\t.\tA\tC\t.\t.\t.\tGT\t1/.\t0/0\n1\t20\t.\tA\tC\t.\t.\t.\tGT\t0/1\t./0\n" > b.vcf
    while read -r rule first second; do # counts of ALT, of a to d
        gt-unpack -q --half-call "$rule" --concat samples a.vcf b.vcf -O npy -o o.npy
        "${PYTHON:-python3}" -c 'import numpy, sys; print(*("".join(map(str, r)) for r in numpy.load("o.npy").tolist()))' > got
        echo "$first $second" | diff - got || { echo "$rule"; return 1; }
    done <<< 'missing -12-10 -111-1
haploid 0220 2110
reference 0210 1110'
    refused 3 "half call" gt-pack --half-call error --concat samples a.vcf b.vcf -o o.zarr
    sed 's,0/0,0/0/1,' b.vcf > three.vcf
    refused 3 "three.vcf" gt-pack --concat samples a.vcf three.vcf -o o.zarr
    gt-unpack -q --polyploid missing --concat samples a.vcf three.vcf -O npy -o o.npy
    [ "$("${PYTHON:-python3}" -c 'import numpy; print(*numpy.load("o.npy")[0])')" = "-1 2 -1 -1" ]
}

@test "--concat samples: where sites differ, with file and line" {
    make_parts
    line=$(($(grep -c '^#' whole.vcf) + 300))
    grep_at() { sed -n "${line}p" "$1" | cut -f "$2"; }
    place=$(grep_at whole.vcf 1):$(grep_at whole.vcf 2)
    awk -F '\t' -v OFS='\t' -v l=$line 'NR == l {$4 = $4 "A"} {print}' p6-13.vcf > alleles.vcf
    refused 3 "variant 300: 'p1-5.vcf', line $line, has $place $(grep_at whole.vcf 4)" gt-pack --concat samples p1-5.vcf alleles.vcf -o y.zarr
    [[ "${stderr_lines[0]}" == *"and 'alleles.vcf', line $line, has $place $(grep_at whole.vcf 4)A"* ]]
    sed "${line}d" p6-13.vcf > less.vcf
    refused 3 "variant 300: 'p1-5.vcf', line $line, has $place" gt-pack --concat samples p1-5.vcf p15-23.vcf less.vcf -o y.zarr
    head -n $line p6-13.vcf > short.vcf
    refused 3 "'short.vcf' ends after 300 variants, and 'p1-5.vcf', line $((line + 1)), has" gt-pack --concat samples p1-5.vcf short.vcf -o y.zarr
    refused 3 "'short.vcf' ends after 300 variants" gt-pack --concat samples short.vcf p1-5.vcf -o y.zarr
    cp p6-13.vcf b.vcf
    refused 3 "sample 'S6' is in both 'p6-13.vcf' and 'b.vcf'" gt-pack --concat samples p6-13.vcf b.vcf -o y.zarr
    gt-pack -q short.vcf -o short.zarr
    gt-pack -q p1-5.vcf -o a.zarr
    refused 3 "'a.zarr' has 700 variants and 'short.zarr' has 300" gt-pack --concat samples a.zarr short.zarr -o y.zarr
    refused 2 "--concat samples cannot be combined with --layout vcz" gt-pack --layout vcz --concat samples p1-5.vcf p6-13.vcf -o y.zarr
    refused 2 "--concat samples joins allele counts: it cannot be combined with --haplotypes" gt-pdist --haplotypes --concat samples p1-5.vcf p6-13.vcf
    [ ! -e y.zarr ]
}

@test "--concat samples: contigs that the headers lack, families of each" {
    make_parts
    for part in "${parts[@]}"; do
        sed -i '/^##contig/d' "$part"
    done
    grep -v '^##contig' whole.vcf > bare.vcf
    for options in "-r 2:1-30000000" "--contigs 1" "--exclude-long-range b37"; do
        # shellcheck disable=SC2086
        cmp <(gt-info -q --stats variants $options bare.vcf) <(gt-info -q --stats variants $options --concat samples "${parts[@]}") ||
            { echo "$options"; return 1; }
        # shellcheck disable=SC2086
        [ "$(gt-info -q --stats variants $options bare.vcf | wc -l)" -lt 701 ] || [[ $options = *long* ]]
    done
    gt-unpack -q --skip-multiallelic p1-5.vcf -o a.bed
    gt-unpack -q --skip-multiallelic p6-13.vcf -o b.bed
    gt-unpack -q --skip-multiallelic p14-14.vcf -o c.vcf
    awk -v OFS='\t' '{$1 = "f" NR; $5 = 1 + NR % 2; print}' a.fam > x
    mv x a.fam
    awk -v OFS='\t' '{$1 = "g" NR; $3 = "pa"; print}' b.fam > x
    mv x b.fam
    gt-unpack -q --concat samples a.bed c.vcf b.bed -o ours.bed
    { cat a.fam; printf '0\tS14\t0\t0\t0\t-9\n'; cat b.fam; } | cmp - ours.fam
    gt-pack -q --concat samples a.bed b.bed -o ours.zarr
    gt-unpack -q --sex auto ours.zarr -o again.bed # which needs someone's sex
    cat a.fam b.fam | cmp - again.fam
    # families alone
    for part in a b; do
        awk -v OFS='\t' '{ $3 = $4 = $5 = 0; print }' $part.fam > x
        mv x $part.fam
    done
    gt-unpack -q -f --concat samples a.bed b.bed -o ours.bed
    cat a.fam b.fam | cmp - ours.fam
    # one with contigs that its header lacks, and one that is known to have no others, in both orders
    grep -v '^##contig' c.vcf > d.vcf
    for inputs in "a.bed d.vcf" "d.vcf a.bed"; do
        # shellcheck disable=SC2086
        cmp <(gt-info -q --stats variants -r 2 --concat samples ${inputs/d.vcf/c.vcf}) <(gt-info -q --stats variants -r 2 --concat samples $inputs)
        # shellcheck disable=SC2086
        [ "$(gt-info -q --stats variants -r 2 --concat samples $inputs | wc -l)" -gt 100 ]
        # shellcheck disable=SC2086
        gt-pack -f --concat samples $inputs -o ours.zarr 2>&1 | grep -q "'d.vcf': 2 contigs are not in the header, '1' the first: they are added"
    done
    refused 2 "--concat samples needs at least two inputs" gt-pack --concat samples a.bed -o no.zarr
}

@test "inputs one after another: a position that two of them have is an overlap, the next one is none" {
    vcf() { # POSITION...
        printf '##fileformat=VCFv4.2\n##contig=<ID=1,length=100>\n##FORMAT=<ID=GT,Number=1,Type=String,Description="x">\n'
        printf '#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\ta\n'
        printf '1\t%d\t.\tA\tC\t.\t.\t.\tGT\t0/1\n' "$@"
    }
    vcf 10 20 > a.vcf
    vcf 20 30 > b.vcf
    vcf 21 30 > c.vcf
    refused 3 "'b.vcf' overlaps an earlier input at 1:20" gt-pack a.vcf b.vcf -o no.zarr
    [ "$(gt-unpack -q a.vcf c.vcf | grep -v '^#' | cut -f 2 | xargs)" = "10 20 21 30" ]
}

@test "--concat samples: calls that are heterozygous on a haploid chromosome, half, haploid or polyploid are counted in all inputs" {
    vcf() { # SAMPLES CALLS
        printf '##fileformat=VCFv4.2\n##contig=<ID=X,length=155270560>\n##FORMAT=<ID=GT,Number=1,Type=String,Description="x">\n'
        printf '#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\t%b\n' "$1"
        printf 'X\t100000000\t.\tA\tC\t.\t.\t.\tGT\t%b\n' "$2"
    }
    vcf 'a\tb' '0/1\t0/1' > a.vcf
    vcf 'c\td\te' '0/1\t0/1\t0/1' > b.vcf
    printf '%s 1\n' a c d > sex
    printf '%s 2\n' b e >> sex
    gt-pack -q --json --sex sex --concat samples a.vcf b.vcf -o x.zarr > json
    grep -q '"het_haploid_calls": *3,' json || { cat json; return 1; }
    vcf 'a\tb\tc\td' './1\t0/1\t1\t0/1/1' | sed 's/^X/1/; s/ID=X/ID=1/' > a.vcf
    vcf 'e\tf\tg\th\ti' '0\t1/.\t./0\t0\t0/0/1' | sed 's/^X/1/; s/ID=X/ID=1/' > b.vcf
    gt-pack --polyploid missing --concat samples a.vcf b.vcf -o y.zarr 2> said
    grep -qx 'gt-pack: 3 half calls, read as missing' said
    grep -qx 'gt-pack: 3 haploid calls counted as homozygous, 0 or 2' said
    grep -qx 'gt-pack: 2 calls of ploidy above 2 set to missing' said
}

@test "--concat samples: a pipe next to a file, read twice" {
    gt-sim -q --samples 9 --variants 50 --seed 3 -O vcf -o whole.vcf
    gt-unpack -q -s S1,S2,S3,S4 whole.vcf -o a.vcf
    gt-unpack -q -s ^S1,S2,S3,S4 whole.vcf -o b.vcf
    gt-svd -q -k 2 whole.vcf -o whole
    # shellcheck disable=SC2002
    cat a.vcf | gt-svd -q -k 2 --concat samples - b.vcf -o parts
    cmp whole.eigenvec parts.eigenvec
}
