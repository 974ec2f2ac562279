#!/usr/bin/env bats
# gt-pack --resume: what is there already is kept, and nothing else is.

bats_require_minimum_version 1.5.0

. "$GT_SOURCE/test/support/level.bash"
. "$GT_SOURCE/test/support/genotypes.bash"

@test "killed at random moments and started again with --resume the store is the same" {
    "$GT_SOURCE/test/support/resume_kills.sh" "${GT_KILLS_SEED:-1}" "$(by_level 7 14 1000)" . gt-pack
}

@test "--resume goes on behind what is whole, and with nothing else" {
    gt-sim -q --samples 100 --variants 60000 --missing 0.02 --multiallelic 0.05 --contigs 2 -O vcf -o in.vcf
    cp -p in.vcf good.vcf
    begin() { # a run that a damaged line ends, in a file that looks like the good one
        rm -rf o.zarr o.zarr.partial
        sed -i '59000s/0\/./0\/x/' in.vcf
        touch -r good.vcf in.vcf
        cmp -s in.vcf good.vcf && return 1
        run ! gt-pack "${args[@]}" --resume in.vcf -o o.zarr
        [[ $output == *"'o.zarr.partial'; continue with --resume"* ]]
        cp -p good.vcf in.vcf
        n=$(grep -c '^+ ' o.zarr.partial/.gt-journal)
        [ "$n" -gt "$1" ]
    }
    goes_on() { # AT LEAST, row groups
        gt-pack "${args[@]}" -q --resume --json in.vcf -o o.zarr > said
        [ "$(sed 's/.*"row_groups_kept": *\([0-9]*\).*/\1/' said)" -ge "$1" ]
        sed 's/"row_groups_kept.*//' said > counts
        diff want.counts counts
        diff -r want.zarr o.zarr
    }
    for args in "--chunks variants=100" "--chunks variants=500 --layout vcz"; do
        read -ra args <<< "--no-version $args --maf 0.01"
        rm -rf want.zarr
        gt-pack "${args[@]}" -q --json in.vcf -o want.zarr | sed 's/"row_groups_kept.*//' > want.counts
        begin 1
        goes_on 50
        begin 1 # the last note is cut short
        truncate -s -2 o.zarr.partial/.gt-journal
        goes_on 40
        begin 1 # and what a note in the middle tells of is not there
        if [[ ${args[*]} = *vcz* ]]; then
            printf damaged | dd of=o.zarr.partial/.gt-scratch conv=notrunc bs=1 seek=200000 status=none
        else
            rm o.zarr.partial/packed_dosage/80.0
        fi
        goes_on 10
    done
    begin 1
    touch in.vcf
    run gt-pack "${args[@]}" --resume in.vcf -o o.zarr
    [ "$status" -eq 3 ]
    [[ "${lines[0]}" == *"was begun differently: with input $PWD/in.vcf ("*", now with input $PWD/in.vcf ("* ]]
    cp -p good.vcf in.vcf
    run gt-pack "${args[@]}" --maf 0.02 --resume in.vcf -o o.zarr
    [ "$status" -eq 3 ]
    [[ "${lines[0]}" == *"with --maf 0.01, now with --maf 0.02"* ]]
    gt-pack "${args[@]}" -n --resume in.vcf -o o.zarr | grep -q '^resume  *[0-9,]* chunks are there'
    # with --force it is started again; -n leaves it as it is
    gt-pack "${args[@]}" --maf 0.02 -n -f --resume in.vcf -o o.zarr | grep -q '^resume  *0 chunks are there'
    cp -pr o.zarr.partial kept.partial
    run -0 gt-pack "${args[@]}" --maf 0.02 -f --resume in.vcf -o o.zarr
    [[ "${lines[*]}" == *"with --maf 0.01, now with --maf 0.02; starting again (--force)"* ]]
    gt-pack "${args[@]}" --maf 0.02 -q in.vcf -o other.zarr
    diff -r other.zarr o.zarr
    [ ! -e o.zarr.partial ]
    rm -r o.zarr other.zarr
    mv kept.partial o.zarr.partial
    goes_on 50
    gt-pack -q in.vcf -o p.zarr
    gt-pack --resume -@ 1 --memory 200M in.vcf -o p.zarr 2>&1 | grep -q "is already complete"
    run gt-pack --resume --geno 0.5 in.vcf -o p.zarr
    [ "$status" -eq 3 ]
    run gt-pack --resume - -o q.zarr < in.vcf
    [ "$status" -eq 2 ]
    gt-pack -f --verify in.vcf -o p.zarr 2>&1 | grep -q "read back (.*): all match what was written"
}

# Of a line near the end: good.vcf with a call that is none, in in.vcf; what --resume looks at of a file is the same.
damage_unseen() {
    "$PYTHON" - << 'PY'
import os
data = bytearray(open("good.vcf", "rb").read())
seen = {b for i in range(256) for b in range(i * (len(data) - 4096) // 255 - 1, i * (len(data) - 4096) // 255 + 4097)}
lines = [i for i in range(len(data)) if data.startswith(b"\t0/0:", i) and i not in seen]
data[lines[int(len(lines) * 0.95)] + 3] = ord("x")
stat = os.stat("good.vcf")
open("in.vcf", "wb").write(data)
os.utime("in.vcf", ns=(stat.st_atime_ns, stat.st_mtime_ns))
PY
}

@test "--resume of all fields of a small VCF: shapes, ploidies, values -1, undeclared ones, and notes that are not whole" {
    "$PYTHON" - << 'PY'
field = '##%s=<ID=%s,Number=%s,Type=%s,Description="x">'
head = ["##fileformat=VCFv4.2", "##contig=<ID=1,length=90000>", field % ("FORMAT", "GT", 1, "String")]
head += [field % ("FORMAT", "DP", 1, "Integer"), field % ("FORMAT", "TX", ".", "String"), field % ("INFO", "AC", "A", "Integer")]
head += [field % ("INFO", "S", 1, "String"), "\t".join("#CHROM POS ID REF ALT QUAL FILTER INFO FORMAT a b c".split())]
rows = []
for v in range(1, 401):
    text = "abcdefghijklmnopqrstuvwxyz"[: 1 + v % 26] * (400000 // (1 + v % 26) if v % 40 == 22 else 1) # the file is read in pieces
    two = v % 90 == 80
    info = "AC=" + ("1,1" if two else "1") + (";S=" + text if v % 3 else "") + (";Z%d=1" % v if v % 50 == 7 else "")
    call = "0/1/1" if v % 130 == 120 else "1" if v % 31 == 3 else "0/1"
    rows.append([1, v * 10, "v%d" % v, "A", "C,G" if two else "C", v if v % 5 else ".", "PASS", info, "GT:DP:TX", "%s:%d:%s" % (call, -1 if v % 40 == 9 else v, text[:30]),
                 "0/0:%d:x,yy" % v, "./.:.:." if v % 4 else "1/1:.:."])
open("good.vcf", "w").write("\n".join(head + ["\t".join(map(str, r)) for r in rows]) + "\n")
PY
    cp -p good.vcf in.vcf
    args=(--no-version --layout vcz --chunks variants=10 --resume --json in.vcf)
    gt-pack "${args[@]}" -o want.zarr 2> want.said > json
    grep -q ': warning: 8 values of fields that the header does not declare are dropped; the first is INFO/Z7$' want.said
    grep -q ': warning: 10 values -1 or -2 (FORMAT/DP 10): ' want.said
    sed 's/"row_groups_kept.*//' json > want.counts
    damage_unseen
    run -3 gt-pack "${args[@]}" -o o.zarr
    [[ $output == *"gt-pack: finished chunks are kept in 'o.zarr.partial'; continue with --resume"* ]]
    n=$(grep -c '^+ ' o.zarr.partial/.gt-journal)
    [ "$n" -ge 4 ]
    cp -p good.vcf in.vcf
    cp -r o.zarr.partial begun
    local way kept want
    while read -r want way; do
        rm -rf o.zarr o.zarr.partial
        cp -r begun o.zarr.partial
        [ "$way" = - ] || sed -i -E "$way" o.zarr.partial/.gt-journal
        gt-pack "${args[@]}" -o o.zarr > json 2> said
        kept=$(sed 's/.*"row_groups_kept": *\([0-9]*\).*/\1/' json)
        [ "$kept" -eq $((want)) ] || { echo "$way: $kept kept, not $want"; return 1; }
        diff want.counts <(sed 's/"row_groups_kept.*//' json)
        diff <(grep warning want.said) <(grep warning said)
        [ "$kept" -eq 0 ] || grep -q "^gt-pack: $kept row groups\? were already complete$" said
        diff -r want.zarr o.zarr
    done << WAYS
n -
1 /^\+ 1 /s/^(\+ 1 2 10 3 10 20 0) .*/\1/
2 /^\+ 2 /s/ (-?[0-9]{15,} ([^ ]+ ){40}).*/ \1/
3 /^\+ 3 /s/ -?[0-9]{15,} / 77 /
1 /^\+ 1 /s/ [^ ]+ ?$//
WAYS
    rm -rf o.zarr o.zarr.partial
    cp -r begun o.zarr.partial
    run -3 gt-pack "${args[@]/variants=10/variants=20}" -o o.zarr
    [[ ${lines[*]} == *"was begun differently: with --chunks variants=10, now with --chunks variants=20"* ]]
    # the scratch file holds what notes tell of
    rm -rf o.zarr o.zarr.partial
    cp -r begun o.zarr.partial
    printf damaged | dd of=o.zarr.partial/.gt-scratch conv=notrunc bs=1 seek=3000 status=none
    gt-pack "${args[@]}" -q -o o.zarr > json
    kept=$(sed 's/.*"row_groups_kept": *\([0-9]*\).*/\1/' json)
    [ "$kept" -ge 1 ]
    [ "$kept" -lt "$n" ]
    diff -r want.zarr o.zarr
}

@test "--resume counts calls once, also where all inputs are read again" {
    gt-sim -q --samples 20 --variants 20000 --missing 0.02 -O vcf -o a.vcf
    sed -i '10~20s,0/0,./1,; 11~20s,0/1\t,1\t,' a.vcf # half calls, haploid ones
    sed '/^#CHROM/s/\tS/\tT/g' a.vcf > b.vcf
    sed '/^#/!p' a.vcf > twice.vcf
    for way in "--concat samples a.vcf b.vcf" "--rm-dup force-first twice.vcf"; do
        read -ra args <<< "--no-version --chunks variants=100 $way"
        last=${args[-1]}
        cp -p $last good.vcf
        gt-pack "${args[@]}" -q --json -o want.zarr | sed 's/"row_groups_kept.*//' > want.counts
        grep -q '"half_calls": *[1-9]' want.counts
        grep -q '"haploid_calls": *[1-9]' want.counts
        sed -i '19000s,0/.,0/x,' $last
        touch -r good.vcf $last
        run ! gt-pack "${args[@]}" -q --resume -o o.zarr
        [ -e o.zarr.partial ]
        cp -p good.vcf $last
        gt-pack "${args[@]}" -q --resume --json -o o.zarr > said
        [ "$(sed 's/.*"row_groups_kept": *\([0-9]*\).*/\1/' said)" -ge 10 ]
        diff want.counts <(sed 's/"row_groups_kept.*//' said)
        diff -r want.zarr o.zarr
        rm -r want.zarr o.zarr
    done
}

@test "--resume of haploid data: the store is haploid and the same" {
    gt-sim -q --samples 20 --variants 20000 --missing 0.02 --multiallelic 0.05 -O vcf -o two.vcf
    awk -F '\t' -v OFS='\t' '!/^#/ { for (i = 10; i <= NF; i++) sub(/[\/|].*/, "", $i) } { print }' two.vcf > in.vcf
    cp -p in.vcf good.vcf
    for args in "--chunks variants=100" "--chunks variants=100 --layout vcz" "--chunks variants=100 --maf 0.01 --ploidy 1"; do
        rm -rf want.zarr o.zarr
        read -ra args <<< "--no-version $args"
        gt-pack "${args[@]}" -q --json in.vcf -o want.zarr | sed 's/"row_groups_kept.*//' > want.counts
        awk -F '\t' -v OFS='\t' '/^#/ || ++n != 15000 { print; next } { $12 = "x"; print }' good.vcf > in.vcf
        truncate -s "$(stat -c %s good.vcf)" in.vcf
        touch -r good.vcf in.vcf
        run ! gt-pack "${args[@]}" -q --resume in.vcf -o o.zarr
        [ -e o.zarr.partial ]
        cp -p good.vcf in.vcf
        gt-pack "${args[@]}" -q --resume --json in.vcf -o o.zarr > said
        [ "$(sed 's/.*"row_groups_kept": *\([0-9]*\).*/\1/' said)" -ge 10 ]
        diff want.counts <(sed 's/"row_groups_kept.*//' said)
        diff -r want.zarr o.zarr
        gt-unpack -q --skip-multiallelic o.zarr -O vcf | grep -v '^#' | cut -f 10- | cut -d : -f 1 > calls
        run ! grep -q '[/|]' calls
        rm -rf o.zarr
        # killed instead, and begun again; in the foreground, timeout waits for what it kills, which has the lock until it is gone
        for ((at = 0; at < 3; at++)); do
            timeout --foreground -s KILL 0.$((2 + 2 * at)) gt-pack "${args[@]}" -q --resume in.vcf -o o.zarr || true
        done
        [ -e o.zarr ] || gt-pack "${args[@]}" -q --resume in.vcf -o o.zarr
        diff -r want.zarr o.zarr
    done
}

@test "--resume: region_index has the ends of long records before the break and of short ones after it" {
    gt-sim -q --samples 200 --variants 4000 --contigs 2 -O vcf | awk -F '\t' -v OFS='\t' '
        /^#CHROM/ { print "##INFO=<ID=END,Number=1,Type=Integer,Description=\"end\">" }
        { if ($1 !~ /^#/ && ++n < 3300 && n % 7 == 0) $4 = $4 "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA" }
        { if ($1 !~ /^#/ && n < 3300 && n % 31 == 0) $8 = "END=" ($2 + 1000000 + n) }
        { print }' > in.vcf
    cp -p in.vcf good.vcf
    for args in "" "--layout vcz"; do
        read -ra args <<< "--no-version --chunks variants=100 $args in.vcf"
        rm -rf want.zarr o.zarr
        gt-pack -q "${args[@]}" -o want.zarr
        sed -i '3700s/0\/./0\/x/' in.vcf
        touch -r good.vcf in.vcf
        run -3 gt-pack "${args[@]}" -q --resume -o o.zarr
        cp -p good.vcf in.vcf
        run -0 gt-pack "${args[@]}" --resume -o o.zarr
        [[ $output == *"row groups were already complete"* ]]
        diff -r want.zarr o.zarr
        "${PYTHON:-python3}" - << 'END'
import re

import zarr

group = zarr.open("o.zarr", mode="r")
unit = group["variant_position"].chunks[0]
rows, n = [], 0
for line in open("in.vcf"):
    if line[0] == "#":
        continue
    contig, position, _, ref, _, _, _, info = line.split("\t")[:8]
    position, end = int(position), re.match(r"END=(\d+)", info)
    key = (n // 100, contig)
    if not rows or key != last:
        rows.append([n // unit, int(contig) - 1, position, position, 0, 0])
        last = key
    row = rows[-1]
    row[2], row[3] = min(row[2], position), max(row[3], position)
    row[4] = max(row[4], int(end[1]) if end else position + len(ref) - 1)
    row[5] += 1
    n += 1
assert sum(row[4] > row[3] + 1000 for row in rows) >= 8, rows
assert rows == group["region_index"][...].tolist(), rows
END
    done
}

@test "--resume counts the variants outside of a region once" {
    gt-sim -q --samples 20 --variants 20000 --missing 0.02 --contigs 4 -O vcf -o a.vcf
    gt-pack -q --chunks variants=100 a.vcf -o s.zarr
    args=(--no-version --chunks variants=100 -r 1,2,3 s.zarr)
    gt-pack "${args[@]}" -q --json -o want.zarr | sed 's/"row_groups_kept.*//' > want.counts
    grep -q '"variants_in": 20000,.*"region": 5000,' want.counts
    chunk=s.zarr/packed_dosage/140.0
    cp -p $chunk good
    printf damaged | dd of=$chunk conv=notrunc bs=1 status=none
    touch -r good $chunk
    run ! gt-pack "${args[@]}" -q --resume -o o.zarr
    [ -e o.zarr.partial ]
    cp -p good $chunk
    gt-pack "${args[@]}" -q --resume --json -o o.zarr > said
    [ "$(sed 's/.*"row_groups_kept": *\([0-9]*\).*/\1/' said)" -ge 10 ]
    diff want.counts <(sed 's/"row_groups_kept.*//' said)
    diff -r want.zarr o.zarr
}

@test "--resume: variant IDs that an earlier run met are not absent, and those of no run are" {
    gt-sim -q --samples 300 --variants 4000 --contigs 2 -O vcf -o all.vcf
    for n in 1 2; do awk -v n=$n '/^#/ || $1 == n' all.vcf > part$n.vcf; done
    cp -p part2.vcf good.vcf
    damaged=$(sed -n 1800p part2.vcf | cut -f 3) # a variant that is read
    { echo "$damaged"; grep -v '^#' all.vcf | cut -f 3 | grep -vxF "$damaged" | shuf --random-source=all.vcf; } > ids
    { head -n 3000 ids; echo zz; } > list
    { tail -n 100 ids; echo yy; echo xx; } > others
    for args in "--extract list --exclude others part1.vcf part2.vcf" "--extract list --exclude others --layout vcz part1.vcf part2.vcf"; do
        rm -rf want.zarr o.zarr
        read -ra args <<< "--no-version --chunks variants=100 $args"
        gt-pack -q "${args[@]}" -o want.zarr
        sed -i '1800s/0\/./0\/x/' part2.vcf
        touch -r good.vcf part2.vcf
        run -3 gt-pack "${args[@]}" -q --resume -o o.zarr
        [ -e o.zarr.partial ]
        cp -p good.vcf part2.vcf
        for time in 1 2; do # which keeps what is done, and does not get past it later
            run -3 gt-pack "${args[@]}" -q --strict --resume -o o.zarr
            [[ ${lines[0]} == *"there is no variant ID 'zz' in any of the 2 inputs (absent: 1 of 3,001 variant IDs of --extract)" ]]
            [ ! -e o.zarr ]
        done
        run -0 gt-pack "${args[@]}" --resume -o o.zarr
        [[ $output == *"row groups were already complete"* ]]
        [[ $output == *"1 of 3,001 variant IDs of --extract not in any of the 2 inputs (first: 'zz')"* ]]
        [[ $output == *"2 of 102 variant IDs of --exclude not in any of the 2 inputs (first: 'yy')"* ]]
        diff -r want.zarr o.zarr
        run -3 gt-pack "${args[@]}" -q --strict --resume -o o.zarr # complete, but not known to be that strict
        [[ ${lines[0]} == *"'o.zarr' already exists"* ]]
    done
    # every ID is there
    head -n 3000 ids > list
    args=(--no-version --chunks variants=100 --extract list part1.vcf part2.vcf)
    rm -rf want.zarr o.zarr
    gt-pack -q "${args[@]}" -o want.zarr
    sed -i '1800s/0\/./0\/x/' part2.vcf
    touch -r good.vcf part2.vcf
    run -3 gt-pack "${args[@]}" -q --resume -o o.zarr
    cp -p good.vcf part2.vcf
    run -0 gt-pack "${args[@]}" --strict --resume -o o.zarr
    [[ $output == *"row groups were already complete"* ]]
    diff -r want.zarr o.zarr
}

@test "--resume does not trust a file that differs in its middle, at its end or in its size, whatever its time" {
    # begin FILE LINE TEXT: a run of a file like that one, with the same time, that ends at a damaged QUAL
    begin() {
        rm -rf o.zarr o.zarr.partial
        cp -p "$1" s.vcf
        awk -F '\t' -v OFS='\t' -v line="$2" -v text="$3" 'NR == line { $6 = text } { print }' "$1" > damaged
        cat damaged > s.vcf
        touch -r "$1" s.vcf
        [ "$(stat -c %Y.%y s.vcf)" = "$(stat -c %Y.%y "$1")" ]
        run -3 gt-pack -q --resume s.vcf -o o.zarr
        [ -e o.zarr.partial/.gt-journal ]
        cp -p "$1" s.vcf
        run -3 gt-pack -q --resume s.vcf -o o.zarr
        [[ "${lines[0]}" == *"was begun differently: with input $PWD/s.vcf ("*", now with input $PWD/s.vcf ("* ]]
        [ ! -e o.zarr ]
    }
    gt-sim -q --samples 10 --variants 800 --seed 1 -O vcf | awk -F '\t' -v OFS='\t' '!/^#/ { $6 = "50" } { print }' > small.vcf
    gt-sim -q --samples 100 --variants 9000 --seed 1 -O vcf | awk -F '\t' -v OFS='\t' '!/^#/ { $6 = "50" } { print }' > large.vcf
    [ "$(stat -c %s small.vcf)" -gt 20000 ]
    [ "$(stat -c %s large.vcf)" -gt 3000000 ]
    for file in small large; do
        n=$(wc -l < $file.vcf)
        begin $file.vcf "$n" x0                # its end
        begin $file.vcf $((n / 2)) x00         # its size
        [ $file = large ] || begin $file.vcf $((n / 2)) x0 # its middle
    done
    # what did not change is gone on with
    begin small.vcf 500 x0
    rm -r o.zarr.partial
    gt-pack -q small.vcf -o want.zarr --no-version
    gt-pack -q --resume --no-version s.vcf -o o.zarr
    diff -r want.zarr o.zarr
}

@test "--resume: a store is not made already where an input changed after it, in the same second or not" {
    small_vcf > s.vcf
    gt-pack -q --resume s.vcf -o o.zarr
    gt-pack --resume s.vcf -o o.zarr 2>&1 | grep -q "is already complete"
    touch -d "$(stat -c %y o.zarr | sed 's/\.[0-9]*/.999999999/')" s.vcf
    run gt-pack -q --resume s.vcf -o o.zarr
    [ "$status" -eq 3 ]
    [[ "${lines[0]}" == *"already exists and is older than its input"* ]]
}

@test "--resume: a list that comes through a pipe is refused, and one that changed" {
    gt-sim -q --samples 3 --variants 100 -O vcf -o s.vcf
    gt-pack -q -S <(echo S1) s.vcf -o o.zarr
    run -2 gt-pack -q --resume -S <(echo S2) s.vcf -o o.zarr
    [[ "${lines[0]}" == "gt-pack: --resume: '/dev/fd/"*"' is a pipe, which cannot be compared with that of the earlier run" ]]
    [ "${lines[1]}" = "hint: write its contents to a file, and give that file" ]
    run -2 gt-pack -q --resume --extract <(echo v1) s.vcf -o new.zarr
    [ ! -e new.zarr ]
    echo '1 1 2' > places
    gt-pack -q --exclude-long-range places s.vcf -o p.zarr
    gt-pack --resume --exclude-long-range places s.vcf -o p.zarr 2>&1 | grep -q "is already complete"
    touch -d '1 hour ago' places
    run -3 gt-pack -q --resume --exclude-long-range b37 s.vcf -o p.zarr
    sleep 0.02
    echo '1 1 2000000' > places
    run -3 gt-pack -q --resume --exclude-long-range places s.vcf -o p.zarr
    [[ "${lines[0]}" == *"already exists and is older than its input"* ]]
}

@test "--resume: chunks that another --memory makes are refused" {
    gt-sim -q --samples 20000 --variants 40 -O vcf -o in.vcf
    cp -p in.vcf good.vcf
    sed -i '/\tv30\t/s/0\/./0\/x/' in.vcf # where no hash looks
    touch -r good.vcf in.vcf
    run ! gt-pack -q --layout vcz -@ 2 --memory 40M --resume in.vcf -o o.zarr
    cp -p good.vcf in.vcf
    run -3 gt-pack -q --layout vcz -@ 2 --memory 60M --resume in.vcf -o o.zarr
    [[ $output == *"the unfinished 'o.zarr' was begun with chunks of 15 variants x 10000 samples, not 62 x 10000"* ]] || { echo "$output"; return 1; }
    [[ $output == *"hint: give the same --memory or --chunks, or omit --resume to start again"* ]]
    gt-pack -q --layout vcz -@ 2 --memory 40M --resume in.vcf -o o.zarr
    gt-unpack -q o.zarr | grep -v '^##' | cmp - <(grep -v '^##' good.vcf)
}

@test "--resume refuses another value of each option that says what is in the store" {
    gt-sim -q --samples 20 --variants 6000 --contigs 2 --missing 0.02 -O vcf -o in.vcf
    cp -p in.vcf good.vcf
    printf '%s\n' S1 S2 S3 S4 S5 S6 S7 S8 S9 S10 > s
    head -n 9 s > t
    awk '!/^#/ && $2 % 3 { print $3 }' in.vcf > v
    cp v w
    sed -i '1d' w
    local same=(--no-version --chunks variants=100) with
    # OPTION FIRST SECOND; - is none
    while read -r option first second; do
        cp -p good.vcf in.vcf
        sed -i '5900s/0\/./0\/x/' in.vcf
        touch -r good.vcf in.vcf
        rm -rf o.zarr.partial
        with=("$option" "$first")
        [ "$first" != - ] || with=()
        run ! gt-pack -q "${same[@]}" "${with[@]}" --resume in.vcf -o o.zarr
        [ -d o.zarr.partial ] || { echo "$option $first: $output"; return 1; }
        cp -p good.vcf in.vcf
        with=("$option" "$second")
        [ "$second" != - ] || with=("$option")
        run gt-pack -q "${same[@]}" "${with[@]}" --resume in.vcf -o o.zarr
        { [ "$status" -eq 3 ] && [[ ${lines[0]} == *"was begun differently"*"$option"* ]]; } || { echo "$option $first $second: $status $output"; return 1; }
    done << TABLE
--half-call missing reference
--half-call - haploid
--polyploid - missing
--rm-dup force-first error
--zarr-format 2 3
--layout packed vcz
--maf 0.01 0.02
--mac - 2
--geno 0.5 0.4
--hwe - 1e-9
--thin - 2
--bp-space 2 3
--contigs 1,2 2,1
--not-chr - 3
--samples-file s t
--extract v w
--max-alleles - 2
--codec zstd lz4
--set-all-var-ids @:# @_#
--ploidy - 2
--snps - -
--pass - -
--split-multiallelic - -
TABLE
}

@test "--resume goes on with other options that say nothing of what is in the store, and knows that it is complete" {
    gt-sim -q --samples 20 --variants 4000 --contigs 2 --chunks variants=100 -o in.zarr
    local args=(--chunks variants=100 -s S1,S2,S3 --contigs 1,2 in.zarr) option chunk=in.zarr/packed_dosage/35.0
    cp -p $chunk good
    gt-pack -q --no-version "${args[@]}" -o want.zarr
    begin() { # OPTION...: a run that a damaged chunk ends
        rm -rf o.zarr o.zarr.partial
        printf damaged | dd of=$chunk conv=notrunc bs=1 status=none
        touch -r good $chunk
        run -3 gt-pack -q "$@" "${args[@]}" --resume -o o.zarr
        grep -q '^+ ' o.zarr.partial/.gt-journal
        cp -p good $chunk
    }
    begin --no-version
    mv o.zarr.partial begun
    for option in "--strict -@ 1 --io=3" "--skip-absent --memory 1G --missing-403 --timeout 5" "-@3 --missing-chunks error --tmpdir $PWD --mpi off" \
        "--verify --log log --trace=trace -v -f" --json; do
        rm -rf o.zarr
        cp -pr begun o.zarr.partial
        # shellcheck disable=SC2086
        gt-pack --no-version $option "${args[@]}" --resume -o o.zarr > said 2>&1 || { cat said; return 1; }
        grep -Eq 'row groups were already complete|"row_groups_kept": *[1-9]' said || { echo "$option"; cat said; return 1; }
        diff -r want.zarr o.zarr
    done
    # without what it began with
    for option in --strict --skip-absent; do
        begin --no-version $option
        gt-pack --no-version "${args[@]}" --resume -o o.zarr 2>&1 | grep -q 'row groups were already complete'
        diff -r want.zarr o.zarr
    done
    cp -pr begun o.zarr.partial
    rm -rf o.zarr
    run -3 gt-pack -q "${args[@]}" --resume -o o.zarr
    [[ ${lines[0]} == *"the unfinished 'o.zarr' was begun differently: with --no-version"* ]]
    # the command line that a complete one records
    gt-pack -q -f -@2 "${args[@]}" -o o.zarr
    for option in "-@ 1 --memory 1G --verify" "-@3 -v" "--threads=3 --log log"; do
        # shellcheck disable=SC2086
        gt-pack $option "${args[@]}" --resume -n -o o.zarr > said
        grep -qx 'resume  *already complete' said || { echo "$option"; cat said; return 1; }
    done
    for option in "--maf 0" "--max-alleles=2" --zarr-format=2; do
        # shellcheck disable=SC2086
        run gt-pack $option "${args[@]}" --resume -n -o o.zarr
        { [ "$status" -eq 3 ] && [[ $output == *"'o.zarr' already exists, made by 'gt-pack "*"'; this is 'gt-pack "*": gt-pack $option "* ]]; } || { echo "$option $status $output"; return 1; }
    done
}

# N records whose fields, alleles, ploidies and texts grow, some of them undeclared, of three samples.
growing() {
    awk -v n="$1" -v OFS='\t' 'BEGIN {
        print "##fileformat=VCFv4.3\n##contig=<ID=1>\n##contig=<ID=2>\n##FILTER=<ID=q10,Description=\"x\">"
        m = split("I1 1 Integer II . Integer IF . Float IS . String FL 0 Flag AA A Integer", f, " ")
        for (i = 1; i < m; i += 3) printf "##INFO=<ID=%s,Number=%s,Type=%s,Description=\"x\">\n", f[i], f[i + 1], f[i + 2]
        m = split("GT 1 String FI . Integer FF 1 Float FS . String AD R Integer", f, " ")
        for (i = 1; i < m; i += 3) printf "##FORMAT=<ID=%s,Number=%s,Type=%s,Description=\"x\">\n", f[i], f[i + 1], f[i + 2]
        print "#CHROM", "POS", "ID", "REF", "ALT", "QUAL", "FILTER", "INFO", "FORMAT", "a", "b", "c"
        for (i = 0; i < n; i++) {
            alts = 1 + int(3 * i / n)
            info = "I1=" i * i (i % 7 ? "" : ";FL") (2 * i > n ? ";U" i % 2 "=7" : "") ";AA=" i; ad = i
            for (k = 1; k < alts; k++) info = info "," i + k
            for (k = 0; k < alts; k++) ad = ad "," i + k
            if (i % 3 == 0) { info = info ";II=" i * 2 ^ (i % 18); for (k = 0; k < int(5 * i / n); k++) info = info "," k }
            if (i % 5 == 0) { info = info ";IS=w" i; for (k = 0; k < int(3 * i / n); k++) info = info ",x" k }
            if (i % 4 == 0) info = info ";IF=" i / 8 ",."
            printf "%d\t%d\t%s\tA\t%s\t50\t%s\t%s\tGT:FI:FF:FS:AD", 1 + (3 * i > 2 * n), 10 * i + 10, i % 6 ? "v" i : ".",
                substr("C,G,T", 1, 2 * alts - 1), i % 2 ? "q10" : "PASS", info
            for (s = 0; s < 3; s++) {
                gt = (i + s) % (alts + 1)
                for (k = 1; k < (4 * i < 3 * n ? 2 : 1 + (i + s) % 3); k++) gt = gt "/" (i + s + k) % (alts + 1)
                printf "\t%s:%d%s:%g:%s:%s", gt, i * (s + 1), (2 * i > n ? "," i * 77 : ""), i / 4, i % 9 ? "t" i : ".", ad
            }
            print ""
        }
    }'
}

@test "--resume of fields goes on after any row group, and after none whose note or data are damaged" {
    growing 600 > in.vcf
    args=(--no-version --chunks variants=50 --ploidy 3 --layout vcz in.vcf)
    gt-pack "${args[@]}" --json -o want.zarr 2> want.log | sed 's/"row_groups_kept.*//' > want.counts
    goes_on() { # FEWEST, MOST: row groups that it keeps; all else is as of one run
        gt-pack "${args[@]}" --resume --json -o o.zarr > said 2> log
        kept=$(sed 's/.*"row_groups_kept": *\([0-9]*\).*/\1/' said)
        { [ "$kept" -ge "$1" ] && [ "$kept" -le "$2" ]; } || { echo "kept $kept, not $1 to $2"; return 1; }
        diff want.counts <(sed 's/"row_groups_kept.*//' said)
        diff <(sed 's/, [0-9.]* s (.*//' want.log) <(grep -v 'already complete' log | sed 's/, [0-9.]* s (.*//')
        diff -r want.zarr o.zarr
        rm -r o.zarr
    }
    most=0
    for size in 2 4 8 12; do # KiB of the file where they wait
        run ! bash -c 'ulimit -f "$1"; shift; exec gt-pack -q "$@" --resume -o o.zarr' - $size "${args[@]}"
        n=$(grep -c '^+ ' o.zarr.partial/.gt-journal) || true
        [ "$n" -ge "$most" ]
        most=$n
        [ $size -ne 12 ] || cp -pr o.zarr.partial kept
        goes_on "$n" "$n"
    done
    [ "$most" -ge 4 ]
    line=$(grep -n '^+ ' kept/.gt-journal | sed -n '3s/:.*//p')
    numbers=$(sed -n "${line}p" kept/.gt-journal | wc -w)
    for cut in 40 220 $((numbers - 1)); do
        cp -pr kept o.zarr.partial
        sed -i "${line}s/^\(\([^ ]* \)\{$cut\}\).*/\1/" o.zarr.partial/.gt-journal
        goes_on 2 2
    done
    for word in $((numbers - 43)) $((numbers - 38)); do
        cp -pr kept o.zarr.partial
        sed -i "${line}s/^\(\([^ ]* \)\{$word\}\)[^ ]*/\177777/" o.zarr.partial/.gt-journal
        goes_on 2 2
    done
    cp -pr kept o.zarr.partial
    printf '!' | dd of=o.zarr.partial/.gt-scratch conv=notrunc bs=1 seek=5000 status=none
    goes_on 1 $((most - 1))
}
