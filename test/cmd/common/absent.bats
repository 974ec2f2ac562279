#!/usr/bin/env bats
# Names in options that the input lacks: one rule for samples, families, contigs and variant IDs, in all commands.

bats_require_minimum_version 1.5.0

setup_file() {
    cd "$BATS_FILE_TMPDIR" || exit 1
    gt-sim -q --samples 12 --variants 90 --contigs 3 --seed 3 -o x.vcf.gz
    gt-pack -q --no-version x.vcf.gz -o x.zarr
    gt-unpack -q x.zarr -o x.bed
    grep -v '^##contig' <(zcat x.vcf.gz) > open.vcf # contigs that the header lacks
    zcat x.vcf.gz | grep -v '^#' | cut -f 3 > all
    printf 'S3\nS7\nnobody\nS12\nno one\n' > samples
    { sed -n '1~9p' all; printf 'rs1\nrs2\nrs3\n'; } > ids
    printf '1\t0\t1000000000\n7\t5\t90\n8\t5\t90\n3\t0\t1000000000\n' > regions.bed
}

setup() { cd "$BATS_FILE_TMPDIR" || exit 1; }

# Runs a command line; its status, the notes on names, and its error have to be as given.
says() { # STATUS TEXT COMMAND...
    run --separate-stderr timeout 60 "${@:3}"
    # shellcheck disable=SC2154
    { [ "$status" -eq "$1" ] && [[ "$stderr" == *"$2"* ]]; } || { echo "${*:3}: status $status: $output $stderr"; return 1; }
}
ids_of() { gt-info -q --stats variants "$@" | tail -n +2 | cut -f 3; }
samples_of() { gt-info -q --stats samples "$@" | tail -n +2 | cut -f 1; }

@test "a note counts the names that are absent; the others are used" {
    for from in x.vcf.gz x.zarr x.bed; do
        says 0 "2 of 5 samples of -S not in '$from' (first: 'nobody')" gt-info --stats samples -S samples $from
        diff <(samples_of -S samples $from) <(printf 'S3\nS7\nS12\n')
        says 0 "2 of 5 samples of -S not in '$from' (first: 'nobody')" gt-info --stats samples -S ^samples $from
        [ "$(samples_of -S ^samples $from | wc -l)" -eq 9 ]
        says 0 "1 of 2 samples of -s not in '$from' (first: 'X')" gt-info --stats samples -s S1,X $from
        says 0 "3 of 13 variant IDs of --extract not in '$from' (first: 'rs1')" gt-info --stats variants --extract ids $from
        diff <(ids_of --extract ids $from) <(sed -n '1~9p' all)
        says 0 "3 of 13 variant IDs of --exclude not in '$from' (first: 'rs1')" gt-info --stats variants --exclude ids $from
        [ "$(ids_of --exclude ids $from | wc -l)" -eq 80 ]
        says 0 "2 of 4 contigs of -R not in '$from' (first: '7')" gt-info --stats variants -R regions.bed $from
        [ "$(gt-info -q --stats variants -R regions.bed $from | tail -n +2 | cut -f 1 | sort -u | xargs)" = "1 3" ]
        says 0 "1 of 2 contigs of -r not in '$from' (first: 'Q')" gt-info --stats variants -r 2,Q $from
        says 0 "1 of 2 contigs of --contigs not in '$from' (first: 'Q')" gt-info --stats variants --contigs 1-2,Q $from
        says 0 "1 of 1 contig of --not-chr not in '$from' (first: 'X')" gt-info --stats variants --not-chr X $from
        [ "$(ids_of --not-chr X $from | wc -l)" -eq 90 ]
        [ -z "$(gt-info --stats variants --not-chr chr1 $from 2>&1 > /dev/null | grep contigs)" ] # another form of the name
    done
    printf 'S1 S2\nS3 nobody\nS4 S5\n' > pairs
    says 0 "1 of 6 samples of --pairs not in 'x.zarr' (first: 'nobody')" gt-pdist --pairs pairs x.zarr
    [ "$(tail -n +2 <<< "$output" | cut -f 1,2 | xargs)" = "S1 S2 S4 S5" ]
    says 0 "2 of 5 samples of --rows not in 'x.zarr' (first: 'nobody')" gt-pdist --rows samples x.zarr
    [ "$(tail -n +2 <<< "$output" | cut -f 1 | xargs)" = "S3 S7 S12" ]
    says 0 "2 of 5 samples of -S not in 'x.zarr' (first: 'nobody')" gt-rechunk -f -S samples x.zarr -o y.zarr
    [ "$(samples_of y.zarr | xargs)" = "S3 S7 S12" ]
    says 0 "2 of 4 contigs of -R not in 'x.zarr' (first: '7')" gt-rechunk -f -R regions.bed x.zarr -o y.zarr
    diff <(ids_of y.zarr) <(ids_of -r 1,3 x.zarr)
    says 0 "2 of 5 samples of -S not in 'x.vcf.gz' (first: 'nobody')" gt-unpack -S samples x.vcf.gz -o y.vcf
    [ -z "$(gt-info -q --stats samples -S samples x.zarr 2>&1 > /dev/null)" ]
    # -n
    for command in "gt-pack -o n.zarr" "gt-unpack -o n.vcf" "gt-pdist -o n.tsv" "gt-svd -k 2 -o n" "gt-info --stats samples" "gt-rechunk -o n.zarr"; do
        # shellcheck disable=SC2086
        says 0 "2 of 5 samples of -S not in 'x.zarr' (first: 'nobody')" $command -n -S samples x.zarr
        # shellcheck disable=SC2086
        says 3 "there is no contig '7' in 'x.zarr'" $command -n --strict -R regions.bed x.zarr
    done
}

@test "--strict: one absent name is an error, and leaves no output" {
    for from in x.vcf.gz x.zarr x.bed; do
        says 3 "there is no sample 'nobody' in '$from' (absent: 2 of 5 samples of -S)" gt-pack --strict -S samples $from -o no.zarr
        says 3 "there is no sample 'nobody' in '$from'" gt-pack --strict -S ^samples $from -o no.zarr
        says 3 "there is no variant ID 'rs1' in '$from' (absent: 3 of 13 variant IDs of --extract)" gt-pack --strict --extract ids $from -o no.zarr
        says 3 "there is no variant ID 'rs1' in '$from'" gt-unpack --strict --exclude ids $from -o no.vcf
        says 3 "there is no contig '7' in '$from' (absent: 2 of 4 contigs of -R)" gt-pack --strict -R regions.bed $from -o no.zarr
        says 3 "there is no contig 'Q' in '$from'" gt-pdist --strict --contigs 1,Q $from -o no.tsv
    done
    says 3 "there is no contig 'Q' in 'open.vcf'" gt-pack --strict -r 1,Q open.vcf -o no.zarr
    says 3 "there is no sample 'nobody' in 'x.zarr'" gt-rechunk --strict -S samples x.zarr -o no.zarr
    says 3 "sample 'nobody' is not in 'x.zarr' (absent: 2 of 5 samples of --rows)" gt-pdist --strict --rows samples x.zarr -o no.tsv
    says 3 "there is no variant ID 'rs1'" gt-svd --strict --extract ids x.zarr -o no
    run ! compgen -G 'no*'
    diff <(ids_of --strict --extract <(sed -n '1~9p' all) x.zarr) <(sed -n '1~9p' all)
    says 0 "" gt-pack -f --strict -s S1,S2 -r 1,2 x.zarr -o y.zarr
    says 2 "--strict needs an option that names samples, contigs or variants" gt-pack --strict x.zarr -o no.zarr
    says 2 "--strict cannot be combined with --skip-absent" gt-pack --strict --skip-absent -s S1 x.zarr -o no.zarr
    says 2 "--strict needs -s, -S, -r or -R" gt-rechunk --strict x.zarr -o no.zarr
}

@test "no name of an option is there: an error, unless --skip-absent" {
    printf 'rs1\nrs2\n' > strangers
    for from in x.vcf.gz x.zarr x.bed; do
        says 3 "there is no variant ID 'rs1' in '$from' (absent: all 2 variant IDs of --extract)" gt-pack --extract strangers $from -o no.zarr
        says 3 "there is no contig 'Q' in '$from'" gt-pack -r Q $from -o no.zarr
        says 3 "there is no sample 'Q' in '$from' (absent: all 2 samples of -s)" gt-pack -s Q,P $from -o no.zarr
        says 0 "1 of 1 contig of -r not in '$from'" gt-pack -f --skip-absent -r Q $from -o y.zarr
        says 0 "2 of 2 variant IDs of --extract not in '$from'" gt-pack -f --skip-absent --extract strangers $from -o y.zarr
        says 0 "2 of 2 variant IDs of --exclude not in '$from'" gt-pack -f --exclude strangers $from -o y.zarr
    done
    says 3 "there is no contig 'chr1' in 'x.vcf.gz'" gt-pack -r chr1 x.vcf.gz -o no.zarr
    [[ "$stderr" == *"hint: did you mean '1'? --skip-absent continues without 'chr1'"* ]]
    printf "S1 X\n" > pairs
    says 3 "'pairs' has no pair of 'x.zarr'" gt-pdist --pairs pairs x.zarr -o no.tsv
    run ! compgen -G 'no*'
}

@test "only a part is read: no ID of a list need be there, with an index and without" {
    cp x.vcf.gz indexed.vcf.gz
    command -v bcftools > /dev/null || skip "no bcftools"
    bcftools index indexed.vcf.gz
    ids_of -r 1 x.vcf.gz > first
    [ "$(wc -l < first)" -eq 30 ]
    for from in x.vcf.gz indexed.vcf.gz x.zarr; do
        says 0 "" gt-info --stats variants -r 2 --extract first $from
        [ "$(wc -l <<< "$output")" -eq 1 ]
    done
    says 3 "variant ID" gt-info --stats variants -r 2 --extract first --strict indexed.vcf.gz
    says 0 "30 of 30 variant IDs of --extract not in 'indexed.vcf.gz' among the variants that were read" \
        gt-info --stats variants -r 2 --extract first indexed.vcf.gz
}

@test "gt-svd --fit: names of the fit, and of the others" {
    printf 'S%d\n' {1..8} > fit
    says 0 "" gt-svd -f -k 2 --fit fit --strict x.zarr -o y
    says 3 "absent: 2 of 5 samples of --fit" gt-svd -f -k 2 --fit samples --strict x.zarr -o y
    says 0 "1 of 9 samples of -s not in 'x.zarr' (first: 'NA')" gt-svd -f -k 2 --fit fit -s S1,S2,S3,S4,S5,S6,S7,S8,NA x.zarr -o y
    [[ "$stderr" != *"FIT 0"* ]]
    says 3 "there is no sample 'NA'" gt-svd -f -k 2 --fit fit -s S1,S2,S9,NA --strict x.zarr -o y
    says 0 "1 of 2 contigs of -r not in 'x.zarr' (first: 'Q')" gt-svd -f -k 2 --fit fit -r 1,Q x.zarr -o y
    [ "$(grep -c "contigs of -r" <<< "$stderr")" -eq 1 ]
}

@test "no family of --keep-fam is there: the hint says where families stand" {
    echo none > families
    says 3 "hint: the first column of a .fam file has the family ids" gt-info --stats samples --keep-fam families x.bed
}

@test "gt-pdist --rows: samples that the selection drops" {
    printf 'S1\nS2\n' > two
    says 0 "1 of 2 samples of --rows not in the samples selected from 'x.zarr' (first: 'S2')" gt-pdist --rows two -s S1,S3 x.zarr
    says 3 "sample 'S1' is not in the samples selected from 'x.zarr'" gt-pdist --rows two -s S5,S6 x.zarr
}

@test "several inputs, --mind and contigs that come later" {
    for contig in 1 2 3; do gt-unpack -q -r $contig x.zarr -o part$contig.vcf; done
    says 0 "2 of 4 contigs of -R not in any of the 3 inputs (first: '7')" gt-info --stats variants -R regions.bed part?.vcf
    says 0 "3 of 13 variant IDs of --extract not in any of the 3 inputs (first: 'rs1')" gt-info --stats variants --extract ids part?.vcf
    [ "$(grep -c 'variant IDs of' <<< "$stderr")" -eq 1 ]
    says 0 "3 of 13 variant IDs of --extract not in 'x.zarr' (first: 'rs1')" gt-info --mind 1 --stats variants --extract ids x.zarr
    [ "$(grep -c 'variant IDs of' <<< "$stderr")" -eq 1 ]
    says 0 "1 of 2 contigs of -r not in 'open.vcf' (first: 'Q')" gt-info --stats variants -r 2,Q open.vcf
    [ "$(tail -n +2 <<< "$output" | cut -f 1 | sort -u)" = 2 ]
    # ids on other contigs are there, whatever is kept
    says 0 "3 of 13 variant IDs of --extract not in 'open.vcf' (first: 'rs1')" gt-info --stats variants --thin 2 --snps --extract ids open.vcf
}

@test "ranks: what each of them has read is counted once" {
    # shellcheck source=test/support/mpirun.bash
    source "$GT_SOURCE/test/support/mpirun.bash"
    need_mpi
    gt-pack -f --no-version --extract ids x.zarr -o one.zarr 2> one.err
    mpirun_of "$(mpis | head -1)" -n 3 gt-pack -f --no-version --extract ids x.zarr -o three.zarr 2> three.err
    diff -r one.zarr three.zarr
    grep -q "3 of 13 variant IDs of --extract not in 'x.zarr' (first: 'rs1')" one.err
    [ "$(grep -c "3 of 13 variant IDs of --extract not in 'x.zarr' (first: 'rs1')" three.err)" -eq 1 ]
}
