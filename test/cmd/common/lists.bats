#!/usr/bin/env bats
# Files of lists in every form that is valid, cut short, and with what options compare them: the same selection, or an error.

bats_require_minimum_version 1.5.0

setup_file() {
    cd "$BATS_FILE_TMPDIR" || exit 1
    gt-sim -q --samples 12 --variants 90 --contigs 3 --seed 3 -o x.vcf
    gt-pack -q --chunks variants=8 x.vcf -o x.zarr
    gt-unpack -q x.vcf -o x.vcf.gz # with an index
    gt-unpack -q x.vcf -o x.bed
    awk '!/^#/ { print $1, $2, $3 }' x.vcf > all
}

setup() { cd "$BATS_FILE_TMPDIR" || exit 1; }

ids() { gt-info -q --stats variants --contigs all "$@" | tail -n +2 | cut -f 3; }
samples() { gt-info -q --stats samples "$@" | tail -n +2 | cut -f 1; }

refused() { # STATUS TEXT COMMAND...
    run --separate-stderr timeout 60 "${@:3}"
    # shellcheck disable=SC2154
    { [ "$status" -eq "$1" ] && [[ "${stderr_lines[0]}" == *"$2"* ]]; } || { echo "${*:3}: status $status: $output $stderr"; return 1; }
}

@test "a gzip file cut short is an error, whatever lists it" {
    seq -f 'S%g' 12 > s
    cut -d ' ' -f 3 all > v
    awk -v OFS='\t' '{ print $1, $2 }' all > r
    awk -v OFS='\t' '{ print $1, $2 - 1, $2 }' all > b
    awk '{ print $1, $1, "g" NR % 3 }' s > g
    awk '{ print $1, "S" 13 - NR }' s > p
    awk '{ print $1, 1 + NR % 2 }' s > x
    awk '{ print $1, $2, $2, "r" NR }' all > l
    local name size cut
    for name in s v r b g p x l; do
        gzip -c $name > whole
        size=$(stat -c %s whole)
        for cut in 1 8 20; do head -c $((size - cut)) whole > $name.$cut.gz; done
        for cut in 1 8 20; do cp $name.$cut.gz $name.$cut.bed.gz; done
    done
    for cut in 1 8 20; do # of the last 20 bytes, 8 are size and checksum
        for input in x.vcf x.zarr; do
            refused 3 "truncated" gt-info --stats samples -S s.$cut.gz $input
            refused 3 "truncated" gt-info --stats samples -S ^s.$cut.gz $input
            refused 3 "truncated" gt-info --stats variants --extract v.$cut.gz $input
            refused 3 "truncated" gt-info --stats variants --exclude v.$cut.gz $input
            [ $cut -lt 20 ] || continue # a line cut short is an error of its own
            refused 3 "truncated" gt-info --stats variants -R r.$cut.gz $input
            refused 3 "truncated" gt-info --stats variants -R b.$cut.bed.gz $input
            refused 3 "truncated" gt-info --stats variants --exclude-long-range l.$cut.gz $input
            refused 3 "truncated" gt-info --stats samples --groups g.$cut.gz $input
            refused 3 "truncated" gt-info --stats samples --sex x.$cut.gz $input
        done
        [ $cut -lt 20 ] || continue
        refused 3 "truncated" gt-pdist --pairs p.$cut.gz x.zarr
        refused 3 "truncated" gt-pdist --rows s.$cut.gz x.zarr
        refused 3 "truncated" gt-rechunk -S s.$cut.gz x.zarr -o no.zarr
        refused 3 "truncated" gt-svd -k 2 --plot no.svg --groups g.$cut.gz x.zarr -o no
    done
    [ -z "$(compgen -G 'no*')" ]
}

# forms FILE: F.1, F.2, ... list the same.
forms() {
    sed 's/$/\r/' "$1" > "$1.1"              # CRLF
    head -c -1 "$1" > "$1.2"                 # no newline at the end
    sed 's/$/  /' "$1" > "$1.3"              # blanks at the end
    sed '3s/^/\n/; $s/$/\n\n/' "$1" > "$1.4" # empty lines
    gzip -c "$1" > "$1.5"                    # gzip, in one part and in two, under any name
    { head -n 2 "$1" | gzip; tail -n +3 "$1" | gzip; } > "$1.6"
    printf '\xef\xbb\xbf' | cat - "$1" > "$1.7" # byte order mark
    sed 's/$/\r/' "$1" | head -c -2 | gzip > "$1.8"
    cat "$1" "$1" > "$1.9" # each twice
}

@test "CRLF, blanks at the end, empty lines, no last newline, gzip, a byte order mark: the list is the same" {
    printf 'S7\nS2\nS11\nS3\n' > s
    sed -n '5~7p' all | cut -d ' ' -f 3 > v
    awk -v OFS='\t' 'NR % 9 == 1 { print $1, $2 }' all > r
    awk -v OFS='\t' 'NR % 9 == 1 { print $1, $2 - 1, $2 + 3 }' all > b.bed
    printf 'S1 S1 g2\nS4 S4 g1\nS9 S9 g2\nS12 S12 g1\n' > g
    printf 'S1 S2\nS3 S12\nS5 S4\nS1 S9\n' > p
    for name in s v r g p; do forms $name; done
    forms b.bed
    for k in 1 2 3 4 5 6 7 8 9; do mv b.bed.$k b.$k.bed; done
    for input in x.vcf x.zarr; do
        for k in 1 2 3 4 5 6 7 8 9; do
            if [ $k -eq 9 ]; then
                refused 3 "sample 'S7' is listed twice" gt-info --stats samples -S s.9 $input
                diff <(ids --extract v.9 $input) v
                diff <(ids -R r.9 $input) <(ids -R r $input)
                diff <(ids -R b.9.bed $input) <(ids -R b.bed $input)
                continue
            fi
            diff <(samples -S s.$k $input) <(printf 'S7\nS2\nS11\nS3\n')
            [ "$(samples -S ^s.$k $input | wc -l)" -eq 8 ]
            diff <(ids --extract v.$k $input) v
            [ "$(ids --exclude v.$k $input | wc -l)" -eq $((90 - $(wc -l < v))) ]
            [ $k -ne 3 ] || continue # numbers with blanks behind them are refused, as by bcftools
            diff <(ids -R r.$k $input) <(awk 'NR % 9 == 1 { print $3 }' all)
            diff <(ids -R b.$k.bed $input) <(ids -R b.bed $input)
            diff <(gt-info -q --stats samples --groups g.$k $input) <(gt-info -q --stats samples --groups g $input)
        done
    done
    for k in 1 2 3 4 5 6 7 8; do
        diff <(gt-pdist -q -m ibs --pairs p.$k x.zarr | cut -f 1,2) <(gt-pdist -q -m ibs --pairs p x.zarr | cut -f 1,2)
    done
    [ "$(gt-pdist -q -m ibs --pairs p x.zarr | wc -l)" -eq 5 ]
}

@test "-R: bases of .bed and .bed.gz are counted from 0, those of other files from 1, as bcftools counts them" {
    awk -v OFS='\t' 'NR % 7 == 2 { print $1, $2, $2 + 1 } NR % 7 == 3 { print $1, $2 - 1, $2 }' all > list.bed
    cp list.bed list.tsv
    gzip -k list.bed
    gzip -k list.tsv
    for suffix in bed tsv; do
        for from in x.vcf x.vcf.gz x.zarr x.bed; do
            for list in list.$suffix list.$suffix.gz; do
                ids -R $list $from > got
                if [ $suffix = bed ]; then
                    diff got <(awk 'NR % 7 == 3 { print $3 }' all)
                else
                    diff got <(awk 'NR % 7 == 2 || NR % 7 == 3 { print $3 }' all)
                fi
                ! command -v bcftools > /dev/null || diff got <(bcftools view -H -R $list x.vcf.gz | cut -f 3)
            done
        done
    done
}

@test "--thin counts variants of the input, then -r selects, with an index and without" {
    [ -d x.zarr/region_index ]
    for n in 2 7; do
        sed -n "1~${n}p" all > thinned
        for contigs in 2 2,3 3; do
            awk -v of=",$contigs," 'index(of, "," $1 ",") { print $3 }' thinned > want
            for from in x.vcf x.vcf.gz x.zarr x.bed; do
                ids -r $contigs --thin $n $from | diff - want
                gt-info -q --stats variants --contigs $contigs --thin $n $from | tail -n +2 | cut -f 3 | diff - want
            done
        done
        awk '$1 == 2 && $2 >= 5000 { print $3 }' thinned > want
        for from in x.vcf x.vcf.gz x.zarr x.bed; do ids -r 2:5000- --thin $n $from | diff - want; done
    done
}

# around FILE: of each region "contig begin end", a record before, at its begin, at its end and after it.
around() {
    printf '##fileformat=VCFv4.2\n'
    for c in $(seq 22); do echo "##contig=<ID=$c>"; done
    printf '#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\tA\n'
    awk '{ print $1, $2 - 1; print $1, $2; print $1, $3; print $1, $3 + 1 }' "$1" | sort -k1,1n -k2,2n -u |
        awk -v OFS='\t' '{ print $1, $2, $1 ":" $2, "A", "C", ".", ".", ".", "GT", "0/1" }'
}

@test "--exclude-long-range: each region of both tables, from its first base to its last" {
    # Price et al. 2008, in megabases
    printf '%s\n' 1:48-52 2:86-100.5 2:134.5-138 2:183-190 3:47.5-50 3:83.5-87 3:89-97.5 5:44.5-50.5 5:98-100.5 5:129-132 5:135.5-138.5 \
        6:25-35 6:57-64 6:140-142.5 7:55-66 8:7-13 8:43-50 8:112-115 10:37-43 11:46-57 11:87.5-90.5 12:33-40 12:109.5-112 20:32-34.5 |
        awk -F '[:-]' '{ printf "%s %d %d\n", $1, $2 * 1e6, $3 * 1e6 }' > b37
    # plinkQC, high-LD-regions-hg38-GRCh38.bed: regions of 100 kb and more
    cat > b38 << 'TABLE'
1 47761740 51761740
2 85919365 100517106
2 182427027 189427029
3 47483505 49987563
3 83368158 86868160
5 44464140 51168409
5 129636407 132636409
6 25391792 33424245
6 57788603 58453888
6 61109122 61357029
6 139637169 142137170
7 54964812 66897578
8 8105067 12105082
8 43025699 48924888
8 110918594 113918595
10 36671065 43184546
11 88127183 91127184
12 32955798 41319931
20 33948532 36438183
TABLE
    cat b37 b38 > both
    around both > l.vcf
    for table in b37 b38; do
        awk 'NR == FNR { c[NR] = $1; from[NR] = $2; to[NR] = $3; n = NR; next }
            !/^#/ { out = 0; for (k = 1; k <= n; k++) out += $1 == c[k] && $2 >= from[k] && $2 <= to[k]; if (!out) print $3 }' $table l.vcf > want
        [ "$(wc -l < want)" -gt 40 ]
        diff <(ids --exclude-long-range $table l.vcf) want
    done
}
