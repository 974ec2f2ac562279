#!/usr/bin/env bats
# gt-pdist of more than one run holds: parts, counts and what is put together of them.

bats_require_minimum_version 1.5.0

. "$GT_SOURCE/test/support/level.bash"

setup() { cd "$BATS_TEST_TMPDIR" || exit 1; }

need_arrays() { "$PYTHON" -c 'import numpy, scipy, zarr' 2> /dev/null || skip "no python3-scipy, -zarr"; }

# parts N ARG...: the output of all N parts, one behind another.
parts() {
    local n=$1 i
    shift
    for ((i = 1; i <= n; i++)); do gt-pdist -q --part "$i/$n" "$@" || return; done
}

@test "--part: parts of every format follow each other to the bytes of one run" {
    gt-sim -q --samples 150 --variants 300 --missing 0.05 --seed 3 -o x.zarr
    for format in tsv npy condensed triangle pairs phylip plink king kin0 "plink --plink-shape square0" "plink --plink-shape bin" \
        "king --plink-shape bin4-square" "plink --plink-shape bin-square0" "king --plink-shape bin4-square0" "plink -m ibs"; do
        # shellcheck disable=SC2086
        gt-pdist -q -O $format x.zarr > whole
        for n in $(by_level 3 "1 3 7" "1 3 7"); do
            # shellcheck disable=SC2086
            parts $n -O $format x.zarr | cmp - whole || { echo "$format in $n parts"; return 1; }
        done
    done
    local few
    few=$(by_level "-s $(seq -s , -f S%g 25)" "" "")
    # shellcheck disable=SC2086
    gt-pdist -q -O triangle $few x.zarr > whole
    # shellcheck disable=SC2086
    parts "$(by_level 30 200 200)" -O triangle $few x.zarr | cmp - whole # parts of one row, and of none
    need_arrays
    "$PYTHON" -c 'import numpy as np; np.save("a.npy", np.random.RandomState(5).standard_normal((130, 40)))'
    gt-pdist -q a.npy > whole
    parts 4 a.npy | cmp - whole
}

@test "rare variants: what numpy has, on two threads" {
    need_arrays
    "$PYTHON" "$GT_SOURCE/test/support/pdist_rare.py" write
    for metric in cityblock euclidean king; do
        gt-pdist -q -f -@ 2 -m $metric --missing ignore -O npy x.bed -o got.npy
        "$PYTHON" "$GT_SOURCE/test/support/pdist_rare.py" check $metric
    done
}

@test "rare variants: what numpy has, by any kernels, threads, blocks and parts" {
    need_arrays
    "$PYTHON" "$GT_SOURCE/test/support/pdist_rare.py" write
    for metric in cityblock euclidean king; do
        for level in ref avx2 avx512 avx512vbmi avx512amx; do
            GT_CPU=$level gt-pdist -q -n x.bed > /dev/null 2>&1 || continue # not of this cpu
            for n in 1 2 3; do
                GT_CPU=$level gt-pdist -q -f -@ $n -m $metric --missing ignore -O npy x.bed -o got.npy
                "$PYTHON" "$GT_SOURCE/test/support/pdist_rare.py" check $metric || { echo "$level, $n threads"; return 1; }
            done
        done
    done
    gt-pack -q --chunks variants=77,samples=200 x.bed -o x.zarr
    for args in "-m grm" "-m king" "-m ibs --missing plink" "-m cityblock --missing mean"; do
        # shellcheck disable=SC2086
        GT_CPU=ref gt-pdist -q $args -O npy x.bed > whole
        for how in "-@ 1" "-@ 3" "--memory 40M -@ 2"; do
            # shellcheck disable=SC2086
            gt-pdist -q $args $how -O npy x.zarr | cmp - whole || { echo "$args $how"; return 1; }
        done
        # shellcheck disable=SC2086
        parts 3 $args -O npy x.zarr | cmp - whole
    done
    gt-pdist -q -m king -O npy x.bed > whole
    for part in 1 2; do gt-pdist -q -m king -O counts --part $part/2 x.zarr -o "$part.counts"; done
    gt-pdist -q -m king --merge -O npy 1.counts 2.counts | cmp - whole
}

@test "--part: in little memory, into files, and of no samples" {
    gt-sim -q --samples 2200 --variants 60 --missing 0.02 --seed 5 -o x.zarr
    for format in npy triangle; do
        gt-pdist -q -O $format x.zarr > whole
        [[ "$(gt-pdist -n -O $format --part 2/3 --memory 44M x.zarr)" =~ passes\ +([0-9]+) ]]
        [ "${BASH_REMATCH[1]}" -gt 2 ]
        parts 3 -O $format --memory 44M x.zarr | cmp - whole
    done
    for i in 1 2 3; do gt-pdist -q -O condensed --part $i/3 x.zarr -o part$i.npy; done
    gt-pdist -q -O condensed x.zarr -o all.npy
    cat part?.npy | cmp - all.npy
    cmp part1.npy.id all.npy.id
    [ ! -e part2.npy.id ]
    need_arrays
    for n in 0 1 2; do
        "$PYTHON" -c "import numpy as np; np.save('few.npy', np.ones(($n, 4)))"
        for format in tsv condensed pairs; do
            gt-pdist -q -O $format few.npy > whole
            parts 3 -O $format few.npy | cmp - whole
        done
    done
}

@test "--part: the plan says which, and what is no part is refused" {
    gt-sim -q --samples 150 --variants 30 --seed 3 -o x.zarr
    run gt-pdist -n --part 2/4 -O triangle x.zarr
    [[ "$output" == *"part           2 of 4: 31 of 150 rows"* ]]
    for bad in 0/3 4/3 3 /3 3/ a/3 1/a 1/0 -1/3 1.5/3 1/3/3; do
        run gt-pdist --part $bad x.zarr -o no.tsv
        [ "$status" -eq 2 ]
        [ "${lines[0]}" = "gt-pdist: --part $bad: must be I/N, with I from 1 to N, or auto" ]
        [ ! -e no.tsv ]
    done
    # every pair is counted in one of the parts
    for format in tsv pairs condensed; do
        sum=0
        for i in 1 2 3; do
            gt-pdist -O $format --part $i/3 x.zarr 2> err > out
            [[ "$(cat err)" =~ ([0-9,]+)\ pairs ]]
            sum=$((sum + ${BASH_REMATCH[1]//,/}))
        done
        [ $format = tsv ] || [ $sum -eq $((150 * 149 / 2)) ]
    done
}

# counts_of METRIC ARG...: 1.counts, 2.counts and 3.counts of the contigs of a.zarr, and whole.* of all of it.
some_contigs() { gt-sim -q --samples "${1:-150}" --variants 400 --contigs 3 --missing 0.05 --seed 11 -o a.zarr; }
counts_of() {
    local metric=$1 contig
    shift
    rm -f ./?.counts
    for contig in 1 2 3; do gt-pdist -q -m "$metric" "$@" -O counts -r $contig a.zarr -o $contig.counts; done
}

@test "--merge --sum: counts of contigs give the bytes of one run over all, of every metric" {
    some_contigs
    metrics=$("$GT_BUILD/test/calc/pdist/metric_list" | awk '/^\.It Cm/ && $3 != "seuclidean" && $3 != "jensenshannon" && $3 != "mahalanobis" { print $3 }')
    [ "$(wc -w <<< "$metrics")" -ge 18 ]
    for metric in $metrics; do
        [[ "$metric" != grm* ]] || continue # not of whole counts
        counts_of "$metric"
        for missing in rescale ignore; do
            gt-pdist -q -m "$metric" --missing $missing -O npy a.zarr > whole
            gt-pdist -q -m "$metric" --missing $missing -O npy --merge --sum 3.counts 1.counts 2.counts | cmp - whole || { echo "$metric"; return 1; }
        done
    done
}

@test "--merge --sum: counts of contigs, every format, and sums of sums" {
    some_contigs
    counts_of king
    for format in tsv npy condensed triangle pairs king kin0; do
        gt-pdist -q -m king -O $format a.zarr > whole
        gt-pdist -q -m king -O $format --merge --sum 1.counts 2.counts 3.counts | cmp - whole
    done
    gt-pdist -q -m ibs0 a.zarr > whole # ibs0 is counted for the table of kinship
    gt-pdist -q -m ibs0 --merge --sum ?.counts | cmp - whole
    counts_of euclidean --missing literal
    gt-pdist -q --missing literal a.zarr > whole
    gt-pdist -q --merge --sum ?.counts | cmp - whole
    gt-pdist -q -O counts --missing literal a.zarr -o all.counts # sums of sums
    gt-pdist -q -O counts --merge --sum 1.counts 2.counts 3.counts -o sum.counts
    cmp all.counts sum.counts
    gt-pdist -q -O counts --missing literal a.zarr | cmp - all.counts
}

@test "--merge: parts of counts give the bytes of one run, in any order and in little memory" {
    some_contigs 1500
    for i in 1 2 3 4; do gt-pdist -q -O counts --part $i/4 a.zarr -o part$i.counts; done
    gt-pdist -q -O npy a.zarr -o whole.npy
    gt-pdist -q -O counts a.zarr -o whole.counts
    gt-pdist -q --merge part[3124].counts -o d.npy
    cmp d.npy whole.npy
    cmp d.npy.id whole.npy.id
    gt-pdist -q -O counts --merge part?.counts | cmp - whole.counts
    [[ "$(gt-pdist -n --memory 48M -O npy --merge part?.counts)" =~ passes\ +([0-9]+) ]]
    [ "${BASH_REMATCH[1]}" -gt 1 ]
    for format in npy triangle counts; do
        gt-pdist -q -O $format a.zarr > whole
        gt-pdist -q -O $format --memory 48M -@ 3 --merge part?.counts | cmp - whole
        gt-pdist -q -O $format --memory 48M a.zarr | cmp - whole
    done
    gt-pdist -q -O triangle a.zarr > whole
    parts 3 -O triangle --merge part?.counts | cmp - whole
    # parts of parts, each of other variants
    for contig in 1 2 3; do
        for i in 1 2; do gt-pdist -q -O counts -r $contig --part $i/2 a.zarr -o $contig.$i.counts; done
    done
    gt-pdist -q --merge --sum ?.?.counts -o d.npy -f
    cmp d.npy whole.npy
    run gt-pdist --merge --sum 1.1.counts 2.?.counts -o e.npy
    [ "$status" -eq 3 ]
    [[ "${lines[0]}" == "gt-pdist: '1.1.counts' is one of several parts; rows from 1061 on are missing" ]]
}

@test "--merge: damage and what does not belong together is refused with one line, and nothing is written" {
    some_contigs
    counts_of king
    refused() { # STATUS WORDS ARG...
        local status_wanted=$1 words=$2
        shift 2
        run gt-pdist "$@" -o no.tsv
        [ "$status" -eq "$status_wanted" ] || { echo "$*: $status $output"; return 1; }
        [[ "$output" == *"$words"* ]] || { echo "$*: $output"; return 1; }
        [ ! -e no.tsv ]
    }
    size=$(stat -c %s 1.counts)
    for at in 100 2000 $((size / 2)) $((size - 9)) $((size - 1)); do # names, ids, numbers, checksum
        cp 1.counts bad.counts
        byte=$(od -An -tu1 -j $at -N1 bad.counts | tr -d ' ')
        printf "\\x$(printf %x $(((byte + 1) % 256)))" | dd of=bad.counts bs=1 seek=$at conv=notrunc 2> /dev/null
        run gt-pdist -q -m king --merge bad.counts -o no.tsv
        [ "$status" -eq 3 ] || [ "$status" -eq 2 ]
        [ ! -e no.tsv ]
    done
    cp 1.counts bad.counts
    printf X | dd of=bad.counts bs=1 seek=$((size / 2)) conv=notrunc 2> /dev/null
    refused 3 "'bad.counts' is damaged: its checksum does not match" --merge -m king bad.counts
    for i in 1 2; do # more sites than any number holds
        cp $i.counts bad$i.counts
        printf '\1\0\0\0\0\0\0\x7f' | dd of=bad$i.counts bs=1 seek=40 conv=notrunc 2> /dev/null
    done
    refused 3 "'bad2.counts' is damaged: it claims" --merge --sum -m king bad1.counts bad2.counts
    run --separate-stderr gt-pdist --merge -m king bad.counts # and nothing on standard output
    [ -z "$output" ]
    for n in 0 5 71 72 500 $((size - 8)) $((size - 1)); do
        head -c $n 1.counts > bad.counts
        refused 3 "bad.counts" --merge -m king bad.counts
    done
    cat 1.counts 1.counts > bad.counts
    refused 3 "its length does not match its header" --merge -m king bad.counts
    refused 3 "'1.counts' and '2.counts' have different variants" --merge -m king 1.counts 2.counts
    refused 3 "'1.counts' has rows that '1.counts' has too" --merge -m king 1.counts 1.counts
    refused 2 "'1.counts' lacks the count 'abs', which ibs needs" --merge -m ibs 1.counts
    refused 2 "was made without X, Y and mitochondria, which this metric keeps" --merge -m sqeuclidean 1.counts
    gt-pdist -q -m ibs -O counts -r 2 a.zarr -o ibs.counts
    refused 3 "hold counts for different metrics" --merge --sum -m ibs ibs.counts 1.counts
    gt-pdist -q -m king -O counts -s ^S1 -r 2 a.zarr -o few.counts
    refused 3 "'1.counts' and 'few.counts' have different samples" --merge --sum -m king 1.counts few.counts
    gt-pdist -q -O counts --part 2/3 a.zarr -o part.counts
    refused 3 "'part.counts' is one of several parts; rows from 1 on are missing" --merge part.counts
    refused 1 "cannot open 'none.counts'" --merge none.counts
    refused 3 "'a.vcf' is not a file of pair counts" --merge "$(echo text > a.vcf; echo a.vcf)"
    refused 2 "is not a regular file" --merge .
    refused 2 "--sum needs --merge" --sum a.zarr
    refused 2 "--maf cannot be combined with --merge" --merge --maf 0.1 1.counts
    refused 2 "--missing literal applies when genotypes are counted, not with --merge" --merge --missing literal 1.counts
    for args in "--missing rescale" "-m minkowski -p 3"; do
        # shellcheck disable=SC2086
        run gt-pdist $args -O counts a.zarr -o no.counts
        [ "$status" -eq 2 ]
        [[ "${lines[0]}" == *"applies to --merge, which computes distances from the counts" ]]
    done
    run gt-pdist 1.counts
    [ "$status" -eq 3 ]
    [[ "$output" == *"hint: --merge reads files of pair counts"* ]]
    refused 3 "'1.counts' and '1.counts' have the same" --merge --sum -m king 1.counts 1.counts
    refused 2 "--allow-overlaps needs --merge --sum" --merge --allow-overlaps 1.counts
    gt-pdist -q --merge --sum --allow-overlaps -m king 1.counts 1.counts > /dev/null
}

@test "-O counts: the head by its layout, and every number of it that is damaged is refused with what is wrong" {
    printf '##fileformat=VCFv4.2\n##contig=<ID=1>\n##contig=<ID=chr22>\n##FORMAT=<ID=GT,Number=1,Type=String,Description="x">\n#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\ta\tlong_name\tc\n' > x.vcf
    printf '%s\t%d\t.\t%s\t%s\t.\t.\t.\tGT\t0/1\t1/1\t0/0\n' 1 5 A C 1 5 A G 1 9 AC A chr22 300000000 G T >> x.vcf
    "$PYTHON" - << 'PY'
import struct, subprocess
def run(*words):
    return subprocess.run(["gt-pdist", *words], stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True)
assert run("-q", "-m", "cityblock", "-O", "counts", "x.vcf", "-o", "x.counts").returncode == 0
with open("x.counts", "rb") as f:
    good = f.read()
head = struct.unpack_from("<8sII5QII3Q", good)
assert head[0] == b"\x93GTPAIRS" and head[1] == 2 and head[3:7] == (3, 0, 3, 4), head
planes, width, ids, n_ranges, ranges = head[8:]
names = [good[88 + 16 * k:104 + 16 * k].rstrip(b"\0") for k in range(planes)]
assert b"abs" in names and width == 4 and ids == 14 and (n_ranges, ranges) == (2, 2 * 64 + 2 + 6), (head, names)
at = 88 + 16 * planes
assert good[at:at + ids] == b"a\0long_name\0c\0"
first, second = struct.unpack_from("<5q", good, at + ids), struct.unpack_from("<5q", good, at + ids + 66)
assert first == (5, 9, 3, 2, 1) and second == (300000000, 300000000, 1, 1, 1), (first, second)
assert good[at + ids + 64:at + ids + 66] == b"1\0" and good[at + ids + 130:at + ids + 136] == b"chr22\0"
size = len(good)
length = "'bad.counts' is truncated or damaged: its length does not match its header"
def number(offset, value, format="<Q"):
    return offset, struct.pack(format, value)
cases = [((0, b"X"), "'bad.counts' is not a file of pair counts (gt-pdist -O counts)"),
         (number(8, 3, "<I"), "'bad.counts' has version 3 of the format; this program reads version 2"),
         ((88, b"\0"), "'bad.counts' is damaged: its counts have no name"), ((103, b"x"), "'bad.counts' is damaged: its counts have no name"),
         ((88 + 16 * planes - 1, b"x"), "'bad.counts' is damaged: its counts have no name"),
         ((at + 1, b"x"), "'bad.counts' is damaged: it does not have 3 ids"), ((at + 3, b"\0"), "'bad.counts' is damaged: it does not have 3 ids"),
         ((at + ids - 1, b"x"), "'bad.counts' is damaged: it does not have 3 ids"), ((at + ids - 2, b"\0"), "'bad.counts' is damaged: it does not have 3 ids"),
         (number(72, 1), "'bad.counts': its variants are damaged"), (number(72, 3), "'bad.counts': its variants are damaged"), (number(72, 0), "'bad.counts': its variants are damaged"),
         ((at + ids + 65, b"x"), "'bad.counts' is damaged: its checksum does not match"), ((at + ids + 135, b"x"), "'bad.counts': its variants are damaged"),
         ((size - 1, bytes([good[-1] ^ 1])), "'bad.counts' is damaged: its checksum does not match"),
         ((size - 9, bytes([good[-9] ^ 1])), "'bad.counts' is damaged: its checksum does not match"),
         ((at + ids, b"\4"), "'bad.counts' is damaged: its checksum does not match")]
for offset in 16, 24, 32, 64, 72, 80:
    for value in 1 << 31, 1 << 50, (1 << 63) - 1, 1 << 63, (1 << 64) - 1:
        cases.append((number(offset, value), length))
cases += [(number(offset, value, "<I"), length) for offset, value in ((56, 0), (56, 1 << 31), (56, 2**32 - 1), (60, 0), (60, 2), (60, 8), (60, 2**32 - 1))]
cases += [(number(40, 1 << 63), length), (number(16, 2), length), (number(24, 4), length), (number(32, 4), length)]
for (offset, value), message in cases:
    with open("bad.counts", "wb") as f:
        f.write(good[:offset] + value + good[offset + len(value):])
    done = run("-q", "--merge", "-m", "cityblock", "bad.counts")
    assert done.returncode == 3 and done.stderr.splitlines()[0] == "gt-pdist: " + message, (offset, value, message, done)
# files in any order, parts of one run among them, some without rows
for i in range(1, 6):
    assert run("-q", "-m", "cityblock", "-O", "counts", "--part", "%d/5" % i, "x.vcf", "-o", "%d.counts" % i).returncode == 0
parts = ["%d.counts" % i for i in range(1, 6)]
for files in parts + ["x.counts"], parts[::-1] + ["x.counts"], parts[:2] + ["x.counts"] + parts[2:], ["x.counts"] + parts:
    done = run("-q", "--merge", "--sum", "-m", "cityblock", *files)
    assert done.returncode == 3 and "have the same 3 variants of contig 1" in done.stderr, (files, done)
    assert run("-q", "--merge", "--sum", "--allow-overlaps", "-m", "cityblock", "--missing", "ignore", *files, "-o", "twice.tsv", "-f").returncode == 0
    with open("twice.tsv") as f:
        assert f.read() == "id\ta\tlong_name\tc\na\t0\t8\t8\nlong_name\t8\t0\t16\nc\t8\t16\t0\n"
PY
}

@test "--merge --sum: files with variants in common are refused, windows with --regions-overlap pos are not" {
    "$PYTHON" - << 'PY'
import random
random.seed(4)
with open("x.vcf", "w") as f:
    f.write("##fileformat=VCFv4.2\n##contig=<ID=1,length=9000>\n##contig=<ID=2,length=9000>\n"
            "##FORMAT=<ID=GT,Number=1,Type=String,Description=\"x\">\n#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\t"
            + "\t".join("s%d" % i for i in range(9)) + "\n")
    for contig in "12":
        pos = 0
        for i in range(200):
            pos += random.choice([0, 1, 3, 20]) if i else 1
            ref = "".join(random.choice("ACGT") for _ in range(random.choice([1, 1, 1, 12])))
            alt = ref[0] if len(ref) > 1 else {"A": "C", "C": "G", "G": "T", "T": "A"}[ref]
            f.write("\t".join([contig, str(pos), ".", ref, alt, ".", ".", ".", "GT"] + [random.choice(["0/0", "0/1", "1/1"]) for _ in range(9)]) + "\n")
PY
    gt-pack -q x.vcf -o x.zarr
    gt-pdist -q -m king -O kin0 x.zarr > whole
    counts() { gt-pdist -q -m king -O counts "$@"; }
    refused() { # STATUS TEXT OPTION...
        run --separate-stderr timeout 60 gt-pdist "${@:3}"
        # shellcheck disable=SC2154
        { [ "$status" -eq "$1" ] && [[ "${stderr_lines[0]}" == *"$2"* ]] && [ -z "$output" ]; } ||
            { echo "${*:3}: status $status: $stderr"; return 1; }
    }
    join() { gt-pdist -m king -O kin0 --merge --sum "$@"; }
    # windows of 100 bases: by pos they are the whole, whatever the order, and in two steps
    files=()
    for contig in 1 2; do
        for from in $(seq 1 100 2500); do
            counts -r "$contig:$from-$((from + 99))" --regions-overlap pos x.zarr -o w$contig.$from.counts
            files+=("w$contig.$from.counts")
        done
    done
    join -q "${files[@]}" | cmp - whole
    join -q $(printf '%s\n' "${files[@]}" | tac) | cmp - whole
    gt-pdist -q -m king --merge --sum -O counts "${files[@]:0:20}" -o some.counts
    join -q some.counts "${files[@]:20}" | cmp - whole
    refused 3 "'some.counts' and '${files[3]}' have the same " -m king --merge --sum some.counts "${files[3]}"
    # by record a deletion on a border is in two windows
    for from in 1 101 201 301 401 501 601 701; do counts -r "1:$from-$((from + 99))" x.zarr -o r$from.counts; done
    refused 3 " overlap: 1:" -m king --merge --sum r*.counts
    [[ "$stderr" == *"hint: count windows with --regions-overlap pos; if no variant is in both files, add --allow-overlaps"* ]]
    # a genome and one of its chromosomes, also under another name, in several passes, and from a pipe
    counts x.zarr -o all.counts
    counts -r 2 x.zarr -o 2.counts
    refused 3 "'all.counts' and '2.counts' have the same 200 variants of contig 2" -m king --merge --sum all.counts 2.counts
    sed 's/^2\t/chr2\t/; s/ID=2,/ID=chr2,/' x.vcf > chr.vcf
    counts -r chr2 - < chr.vcf -o chr2.counts
    refused 3 "'all.counts' and 'chr2.counts' have the same 200 variants of contig 2" -m king --merge --sum all.counts chr2.counts
    counts -r 1 x.vcf -o 1.counts
    join -q 1.counts chr2.counts | cmp - whole
    join -q --allow-overlaps all.counts 2.counts > twice
    [ "$(awk 'NR == 2 { print $5 }' twice)" -eq 600 ]
    # windows that meet at one position: variants of it are told apart where each has one
    printf '##fileformat=VCFv4.2\n##contig=<ID=1>\n##FORMAT=<ID=GT,Number=1,Type=String,Description="x">\n#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\ta\tb\n' > head
    line() { printf '1\t%s\t.\tA\t%s\t.\t.\t.\tGT\t0/1\t1/1\n' "$@"; }
    (cat head; line 5 C 9 C) | counts - -o a.counts
    (cat head; line 9 G 12 C) | counts - -o b.counts
    (cat head; line 9 C 12 C) | counts - -o c.counts
    (cat head; line 6 C 8 C) | counts - -o inside.counts
    join -q a.counts b.counts > /dev/null
    refused 3 "'a.counts' and 'c.counts' overlap: 1:5-9 and 1:9-12" -m king --merge --sum a.counts c.counts
    refused 3 "'a.counts' and 'inside.counts' overlap" -m king --merge --sum a.counts inside.counts
    # several of one side at that position: whether the other's is among them nobody knows
    (cat head; line 5 C 9 C 9 G) | counts - -o two_last.counts
    (cat head; line 9 C 9 G 12 C) | counts - -o two_first.counts
    refused 3 "'two_last.counts' and 'c.counts' overlap: 1:5-9 and 1:9-12" -m king --merge --sum two_last.counts c.counts
    refused 3 "'c.counts' and 'two_last.counts' overlap" -m king --merge --sum c.counts two_last.counts
    refused 3 "'a.counts' and 'two_first.counts' overlap: 1:5-9 and 1:9-12" -m king --merge --sum a.counts two_first.counts
    # parts of one run have the same variants, and are one
    for part in 1 2 3; do counts --part $part/3 -r 1 x.zarr -o p$part.counts; done
    join -q p2.counts 2.counts p1.counts p3.counts | cmp - whole
    refused 3 "have the same 200 variants" -m king --merge --sum p1.counts p2.counts p3.counts all.counts
}

@test "--merge: no variants, one sample, no samples" {
    gt-sim -q --samples 9 --variants 5 --missing 0.1 --seed 1 -o s.zarr
    gt-pdist -q -O counts s.zarr -o s.counts
    gt-pdist -q -O counts -r 1:900000000-900000001 s.zarr -o empty.counts
    gt-pdist -q s.zarr > whole
    gt-pdist -q --merge --sum empty.counts s.counts empty.counts | cmp - whole
    gt-pdist -q --merge empty.counts > d.tsv
    [ "$(sed -n 2p d.tsv | cut -f 2)" = nan ]
    for i in {1..12}; do gt-pdist -q -O counts --part $i/12 s.zarr -o $i.counts; done # some have no rows
    gt-pdist -q --merge {1..12}.counts | cmp - whole
    gt-pdist -q -O counts -s S1 s.zarr -o one.counts
    gt-pdist -q -s S1 s.zarr > whole
    gt-pdist -q --merge one.counts | cmp - whole
    need_arrays
    "$PYTHON" -c 'import numpy as np; np.save("x.npy", np.ones((3, 4)))'
    run gt-pdist -O counts x.npy -o x.counts
    [ "$status" -eq 2 ]
    [[ "${lines[0]}" == *"-O counts needs genotypes"* ]]
}

@test "--min, --max, --knn of 120 samples: the pairs of a full table, and in parts" {
    need_arrays
    gt-sim -q --samples 120 --variants 40 --missing 0.1 --seed 7 -o x.zarr
    for metric in cityblock ibs; do
        gt-pdist -q -m $metric -O pairs x.zarr > all
        awk -v OFS='\t' 'NR == 1 || ($3 >= 0.7 && $3 <= 12)' all > want
        gt-pdist -q -m $metric --min 0.7 --max 12 x.zarr | cmp - want
        parts 2 -m $metric --min 0.7 --max 12 x.zarr | cmp - want
        gt-pdist -q -m $metric -O npy x.zarr -o square.npy -f
        for k in 1 7; do
            gt-pdist -q -m $metric --knn $k x.zarr -o knn.tsv -f
            parts 2 -m $metric --knn $k x.zarr | cmp - knn.tsv
            "$PYTHON" - $metric $k << 'PY'
import sys, numpy as np
metric, k = sys.argv[1], int(sys.argv[2])
d, ids = np.load("square.npy"), np.array(open("square.npy.id").read().split())
rows, want = [line.split("\t") for line in open("knn.tsv")], []
assert rows[0][:3] == ["id1", "id2", metric]
for i in range(len(d)):
    order = np.argsort(-d[i] if metric == "ibs" else d[i], kind="stable")
    want += [(ids[i], ids[j], d[i, j]) for j in [j for j in order if j != i and not np.isnan(d[i, j])][:k]]
assert [row[:2] for row in rows[1:]] == [[a, b] for a, b, _ in want]
assert np.allclose([float(row[2]) for row in rows[1:]], [value for _, _, value in want], rtol=1e-9)
PY
        done
    done
}

@test "--min, --max, --knn: the pairs of a full table, also in little memory and in parts" {
    need_arrays
    gt-sim -q --samples "$(by_level 1200 2200 2200)" --variants 40 --missing 0.1 --seed 7 -o x.zarr
    for metric in cityblock ibs; do
        gt-pdist -q -m $metric -O pairs x.zarr > all
        awk -v OFS='\t' 'NR == 1 || ($3 >= 0.7 && $3 <= 12)' all > want
        gt-pdist -q -m $metric --min 0.7 --max 12 x.zarr -o d.tsv -f # the list is the format then
        cmp want d.tsv
        parts 2 -m $metric --min 0.7 --max 12 --memory 70M x.zarr | cmp - want
        awk 'NR == 1 || $3 <= 0.9' all > want
        gt-pdist -q -m $metric --max 0.9 x.zarr | cmp - want
        gt-pdist -q -m $metric -O npy x.zarr -o square.npy -f
        for k in $([ $metric = ibs ] && echo 1 || echo 7); do
            gt-pdist -q -m $metric --knn $k x.zarr -o knn.tsv -f
            parts 2 -m $metric --knn $k --memory 70M -@ 5 x.zarr | cmp - knn.tsv
            gt-pdist -q -m $metric --knn $k --min 0.7 x.zarr -o knn.min.tsv -f
            "$PYTHON" - $metric $k << 'PY'
import sys, numpy as np
metric, k = sys.argv[1], int(sys.argv[2])
d, ids = np.load("square.npy"), np.array(open("square.npy.id").read().split())
for name, low in ("knn.tsv", -np.inf), ("knn.min.tsv", 0.7):
    rows = [line.split("\t") for line in open(name)]
    assert rows[0][:3] == ["id1", "id2", metric]
    want = []
    for i in range(len(d)):
        order = np.argsort(-d[i] if metric == "ibs" else d[i], kind="stable")
        order = [j for j in order if j != i and not np.isnan(d[i, j]) and d[i, j] >= low][:k]
        want += [[ids[i], ids[j]] for j in order]
    assert [row[:2] for row in rows[1:]] == want, name
PY
        done
    done
}

@test "--knn: more than there are, ties, kinship of none, and its memory is in the plan" {
    gt-sim -q --samples 9 --variants 30 --seed 1 -o s.zarr
    gt-pdist -q --knn 1e15 s.zarr > all
    [ "$(wc -l < all)" -eq $((1 + 9 * 8)) ]
    gt-pdist -q --knn 8 s.zarr | cmp - all
    gt-pdist -q --knn 2 -r 1:900000000-900000001 s.zarr > none # no numbers: no neighbours
    [ "$(wc -l < none)" -eq 1 ]
    gt-pdist -q --knn 2 -s S1 s.zarr > none
    [ "$(wc -l < none)" -eq 1 ]
    gt-sim -q --samples 1500 --variants 30 --seed 1 -o many.zarr
    run gt-pdist -n --knn 1200 --memory 60M many.zarr
    [ "$status" -eq 4 ]
    [[ "${lines[0]}" == *"what the output keeps"* ]]
    [[ "$output" =~ --memory\ ([0-9]+)M ]]
    gt-pdist -q -@ 2 --knn 1200 --memory "${BASH_REMATCH[1]}M" many.zarr | tail -n +2 | wc -l > lines
    [ "$(cat lines)" -eq $((1500 * 1200)) ]
}

@test "--min, --max, --knn, --dtype: what makes no sense is refused" {
    gt-sim -q --samples 9 --variants 30 --seed 1 -o s.zarr
    for args in "--knn 0" "--min 2 --max 1" "--knn 2 -O tsv" "--min 1 -O npy" "--max 1 -o no.npy" "--knn 2 -O kin0 -o no" "--dtype f4" \
        "--dtype f8 -O triangle" "--knn 2 -O counts" "--min x" "--knn -1"; do
        # shellcheck disable=SC2086
        run gt-pdist $args s.zarr
        [ "$status" -eq 2 ] || { echo "$args: $status $output"; return 1; }
        [ -z "$(find . -name 'no*')" ]
    done
    gt-pdist -q -m mismatches -O pairs s.zarr > equal
    gt-pdist -q -m mismatches --min "$(sed -n '2s/.*\t\(.*\)\t.*/\1/p' equal)" --max "$(sed -n '2s/.*\t\(.*\)\t.*/\1/p' equal)" s.zarr |
        cmp - <(awk -F '\t' 'NR == 2 { value = $3 } NR == 1 || $3 == value' equal)
    gt-pdist -q -O kin0 s.zarr > all
    gt-pdist -q -O kin0 --min -0.1 s.zarr | cmp - <(awk 'NR == 1 || $8 >= -0.1' all)
}

@test "--dtype f4: npy and condensed of the rounded numbers" {
    need_arrays
    gt-sim -q --samples 70 --variants 90 --missing 0.1 --seed 2 -o x.zarr
    for format in npy condensed; do
        gt-pdist -q -O $format x.zarr -o wide.npy -f
        gt-pdist -q -O $format --dtype f8 x.zarr | cmp - wide.npy
        gt-pdist -q -O $format --dtype f4 x.zarr -o narrow.npy -f
        gt-pdist -q -O $format --dtype f4 x.zarr | cmp - narrow.npy
        parts 3 -O $format --dtype f4 x.zarr | cmp - narrow.npy
        "$PYTHON" -c 'import numpy as np; a, b = np.load("wide.npy"), np.load("narrow.npy"); assert b.dtype == np.float32 and (a.astype("f4") == b).all()'
    done
}

@test "more than 200,000 rows: which pairs are meant must be said" {
    need_arrays
    "$PYTHON" -c 'import numpy as np; np.save("long.npy", np.zeros((200001, 1), "i1"))'
    run gt-pdist -n long.npy
    [ "$status" -eq 2 ]
    [ "${lines[0]}" = "gt-pdist: 200,001 rows have 20,000,100,000 pairs" ]
    for args in "--knn 3" "--max 1" "--part 3/1000"; do
        # shellcheck disable=SC2086
        gt-pdist -n $args --memory 8G long.npy
    done
}

@test "--pairs: those of a full table, in the order and with the ids as they were asked for" {
    gt-sim -q --samples 300 --variants 60 --missing 0.1 --seed 8 -o x.zarr
    gt-pdist -q -m king -O pairs x.zarr > all
    awk 'NR > 1 && NR % 97 == 3 { print NR % 2 ? $1 "\t" $2 : $2 "\t" $1 }' all | sort -k2,2r > ask
    awk -v OFS='\t' 'NR == FNR { v[$1, $2] = v[$2, $1] = $3 "\t" $4; next } FNR == 1 { print "id1", "id2", "king", "n" } { print $1, $2, v[$1, $2] }' all ask > want
    [ "$(wc -l < want)" -gt 400 ]
    gt-pdist -q -m king --pairs ask x.zarr -o d.tsv
    cmp want d.tsv
    gt-pdist -q -m king --pairs d.tsv -@ 3 --memory 40M x.zarr | cmp - want # a table of ours is a list of pairs
    gt-pdist -q -O kin0 --min 0.1 x.zarr > near.kin0
    gt-pdist -q -m king --pairs near.kin0 x.zarr | tail -n +2 | cut -f 3 > values
    [ "$(wc -l < values)" -eq $(($(wc -l < near.kin0) - 1)) ]
    awk '$1 < 0.1 { exit 1 }' values
    cat ask ask > twice
    [ "$(gt-pdist -q --pairs twice x.zarr | wc -l)" -eq $((2 * $(wc -l < ask) + 1)) ]
    need_arrays
    "$PYTHON" -c 'import numpy as np; np.save("a.npy", np.random.RandomState(5).standard_normal((40, 9)))'
    gt-pdist -q -O pairs a.npy > all
    printf '7 3\n3 30\n' > ask
    [ "$(gt-pdist -q --pairs ask a.npy | sed -n 2p | cut -f 3)" = "$(awk '$1 == 3 && $2 == 7 { print $3 }' all)" ]
}

@test "--pairs, --rows and --cols read the lists that gt-pdist writes of families" {
    gt-sim -q --samples 12 --variants 200 --seed 3 -O bed -o own
    for iid in '$2' '"X" int(NR / 2)'; do # unique, and such as readers join with their family
        awk -v OFS='\t' "{ \$1 = \"F\" NR; \$2 = $iid; print }" own.fam > a.fam
        cp own.bed a.bed
        cp own.bim a.bim
        gt-pdist -q -f -O kin0 a.bed -o a
        gt-pdist -q -f --unrelated 0.01 a.bed -o a
        [ "$(gt-pdist -q --pairs a.kin0 a.bed | wc -l)" -eq 67 ]
        gt-pdist -q -S a.in.id a.bed > want
        gt-pdist -q --rows a.in.id --cols a.in.id a.bed | cmp - want
    done
}

@test "--rows, --cols: a rectangle of the square, in every format that can hold one" {
    need_arrays
    gt-sim -q --samples 300 --variants 60 --missing 0.1 --seed 8 -o x.zarr
    printf 'S%d\n' 5 200 17 3 > few
    printf 'S%d\n' {290..100..3} 17 > many
    for metric in king euclidean; do
        gt-pdist -q -m $metric -O npy x.zarr -o square.npy -f
        for rows in few many; do
            for cols in many; do
                gt-pdist -q -m $metric --rows $rows --cols $cols -O npy x.zarr -o d.npy -f
                cmp d.npy.id $rows
                gt-pdist -q -m $metric --rows $rows --cols $cols x.zarr -o d.tsv -f
                gt-pdist -q -m $metric --rows $rows --cols $cols -O pairs x.zarr -o pairs.tsv -f
                parts 3 -m $metric --rows $rows --cols $cols -O npy --memory 40M x.zarr | cmp - d.npy
                gt-pdist -q -m $metric --rows $rows --cols $cols --knn 2 x.zarr > near
                "$PYTHON" - $rows $cols << 'PY'
import sys, numpy as np
square, ids = np.load("square.npy"), open("square.npy.id").read().split()
rows, cols = [open(name).read().split() for name in sys.argv[1:]]
want = square[np.ix_([ids.index(r) for r in rows], [ids.index(c) for c in cols])]
assert np.array_equal(np.load("d.npy"), want, equal_nan=True)
table = [line.rstrip("\n").split("\t") for line in open("d.tsv")]
assert table[0] == ["id"] + cols and [t[0] for t in table[1:]] == rows
assert np.allclose(np.array([t[1:] for t in table[1:]], float), want, rtol=1e-9, equal_nan=True)
pairs = [line.split() for line in open("pairs.tsv")][1:]
assert [p[:2] for p in pairs] == [[r, c] for r in rows for c in cols]
near = [line.split() for line in open("near")][1:]
sign = -1 if want[0][0] < 1 and "king" in open("near").readline() else 1
others = [[j for j in np.argsort(sign * want[i], kind="stable") if cols[j] != r] for i, r in enumerate(rows)]  # not itself
best = [[r, cols[j]] for i, r in enumerate(rows) for j in others[i][:2]]
assert [p[:2] for p in near] == best
PY
            done
        done
    done
    gt-pdist -q --rows few -O npy x.zarr -o d.npy -f # against all
    "$PYTHON" -c 'import numpy as np; assert np.load("d.npy").shape == (4, 300)'
    gt-pdist -q --cols few -O npy x.zarr -o d.npy -f
    "$PYTHON" -c 'import numpy as np; assert np.load("d.npy").shape == (300, 4)'
    [ "$(wc -l < d.npy.id)" -eq 300 ]
}

@test "--knn with --rows: no sample is a neighbour of itself, but may be one of itself in another input" {
    gt-sim -q --samples 9 --variants 300 --seed 1 -o s.zarr
    printf 'S1\nS2\nS3\n' > rows
    for cols in "" "--cols rows"; do
        # shellcheck disable=SC2086
        gt-pdist -q --rows rows $cols --knn 20 s.zarr > near
        awk 'NR > 1 && $1 == $2 { exit 1 }' near
        [ "$(wc -l < near)" -eq $((1 + 3 * (${#cols} ? 2 : 8))) ]
    done
    gt-pack -q s.zarr -o t.zarr
    gt-pdist -q --cols t.zarr --knn 1 s.zarr | awk 'NR > 1 && ($1 != $2 || $3 != 0) { exit 1 }'
}

@test "--pairs, --rows, --cols: what does not go together, and ids that are not there" {
    gt-sim -q --samples 9 --variants 30 --seed 1 -o s.zarr
    printf 'S1 S2\n' > ask
    printf 'S1\n' > one
    for args in "--pairs ask --rows one" "--pairs ask --knn 2" "--pairs ask --part 1/2" "--pairs ask -O npy" "--rows one -O condensed" \
        "--cols one -O phylip" "--rows one -O counts" "--pairs ask --merge" "--rows one --merge" "--rows one -m seuclidean"; do
        # shellcheck disable=SC2086
        run gt-pdist $args s.zarr -o no.out
        [ "$status" -eq 2 ] || { echo "$args: $status $output"; return 1; }
        [ ! -e no.out ]
    done
    printf 'S1 S2\nS1 X\n' > bad
    run gt-pdist --strict --pairs bad s.zarr -o no.tsv
    [ "$status" -eq 3 ]
    [ "${lines[0]}" = "gt-pdist: bad, line 2: sample 'X' is not in 's.zarr' (absent: 1 of 4 samples of --pairs)" ]
    printf 'S1 S1\n' > bad
    run gt-pdist --pairs bad s.zarr -o no.tsv
    [ "$status" -eq 3 ]
    printf 'S1\n' > bad
    run gt-pdist --pairs bad s.zarr -o no.tsv
    [[ "${lines[0]}" == "gt-pdist: bad, line 1: two ids are needed" ]]
    : > bad
    for option in pairs rows cols; do
        run gt-pdist --$option bad s.zarr -o no.tsv
        [ "$status" -eq 3 ]
        [ "${lines[0]}" = "gt-pdist: 'bad' is empty" ]
        run gt-pdist --$option absent s.zarr -o no.tsv
        [ "$status" -eq 1 ]
    done
    for option in pairs rows cols samples-file regions-file; do
        run gt-pdist --$option - s.zarr -o no.tsv < one
        [ "$status" -eq 2 ]
        [ "${lines[0]}" = "gt-pdist: '-': a list must be a file, not standard input" ]
        [ "${lines[1]}" = "hint: use /dev/stdin" ]
    done
    gt-pdist -q --rows /dev/stdin s.zarr < one | cmp - <(gt-pdist -q --rows one s.zarr)
    [ ! -e no.tsv ]
}

@test "out of core: npy of float32, lists and counts in --memory that holds a part of the sums" {
    [ -x /usr/bin/time ] || skip "no GNU time"
    ! sanitized || skip "sanitizers take memory of their own"
    gt-sim -q --samples 3000 --variants 1500 --missing 0.01 --seed 1 -o x.zarr
    for args in "-O npy --dtype f4 -o d.npy" "--knn 5 -o d.tsv" "--max 20 -o d.tsv" "-O counts -o d.counts"; do
        # shellcheck disable=SC2086
        [[ "$(gt-pdist -n -@ 2 --memory 60M $args -f x.zarr)" =~ passes\ +([0-9]+) ]]
        [ "${BASH_REMATCH[1]}" -gt 2 ]
        # shellcheck disable=SC2086
        /usr/bin/time -f %M -o peak gt-pdist -q -@ 2 --memory 60M $args -f x.zarr
        [ "$(cat peak)" -le $((60 * 1024)) ] || { echo "$args: $(cat peak) KiB"; return 1; }
    done
    gt-pdist -q -O npy --dtype f4 x.zarr -o whole.npy
    cmp d.npy whole.npy
}

@test "a triangle whose last rows are few is planned, at any --memory" {
    local n m code
    for n in 1410 1500 2000; do
        gt-sim -q --samples $n --variants 10 --seed 7 -o s$n.zarr
        for m in 34 35 36 37 38 39; do
            code=0
            timeout 60 gt-pdist -q -n -O triangle --memory ${m}M s$n.zarr > plan 2> said || code=$?
            [ "$code" -eq 0 ] || [ "$code" -eq 4 ]
        done
    done
}

@test "--merge: standard input is no file of counts" {
    for operand in "" -; do
        run gt-pdist --merge $operand < /dev/null
        [ "$status" -eq 2 ]
        [[ "$output" == "gt-pdist: --merge needs the names of files of pair counts; it does not read standard input" ]]
    done
}

@test "--knn takes the nearest first, --tree takes distances only: of each metric, by two samples that are nearly alike" {
    "$PYTHON" -c 'import numpy' || skip "no numpy"
    "$PYTHON" << 'PY'
import numpy as np
rng = np.random.default_rng(5)
x = (rng.random((9, 400)) < 0.4).astype("i1")
x[1] = x[0]
x[8] = 1 - x[7]  # no constant column
x[1, np.flatnonzero(x[0])[:4]] = 0
np.save("x.npy", x)
with open("g.vcf", "w") as f:
    print("##fileformat=VCFv4.2\n##contig=<ID=1>\n#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT", *[f"S{i}" for i in range(1, 10)], sep="\t", file=f)
    g = rng.integers(0, 3, (9, 400))
    g[1] = g[0]
    g[1, :4] = (g[0, :4] + 1) % 3
    for v in range(400):
        print(1, v + 1, ".", "A", "C", ".", ".", ".", "GT", *[("0/0", "0/1", "1/1")[c] for c in g[:, v]], sep="\t", file=f)
PY
    "$GT_BUILD/test/calc/pdist/metric_list" | awk '/^\.It Cm/ { name = $3; getline; print name, /; genotypes only/ ? "g.vcf genotypes" : "x.npy array" }' > metrics
    [ "$(wc -l < metrics)" -ge 25 ]
    local metric input as said
    while read -r metric input as; do
        case $metric in mahalanobis | chebyshev) continue ;; esac # all are as far
        gt-pdist -q -f --as "$as" -m "$metric" "$input" -O condensed -o d.npy
        gt-pdist -q -f --as "$as" -m "$metric" --knn 1 "$input" -o knn.tsv
        said=$(awk -F '\t' 'NR == 2 { print $1, $2 }' knn.tsv)
        "$PYTHON" - "$metric" << 'PY' > kind
import sys, numpy as np
d = np.load("d.npy")
assert np.isfinite(d).all() and (d[0] < d[1:8].min() or d[0] > d[1:8].max()), (sys.argv[1], d[:8])  # the first is of the pair
print("distance" if d[0] < d[1:8].min() else "similarity")
PY
        [[ $said = 'S1 S2' || $said = '0 1' ]] || { echo "$metric: the nearest is $said"; return 1; }
        if [ "$(cat kind)" = distance ]; then
            gt-pdist -q -f --as "$as" -m "$metric" "$input" --tree t.nwk -o d.tsv
        else
            run -2 gt-pdist -q -f --as "$as" -m "$metric" "$input" --tree t.nwk -o d.tsv
            [[ $output == *"is a similarity"* ]]
        fi
    done < metrics
}

@test "each column of kin0, pairs, --knn, --rows and --cols, on calls of every kind, of VCF, BCF and stores" {
    "$PYTHON" -c 'import numpy' || skip "no numpy"
    "$PYTHON" "$GT_SOURCE/test/support/pdist_columns.py"
}
