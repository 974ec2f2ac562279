#!/usr/bin/env bats
# What a command writes: never over what it reads, and over other files only when
# they look like its own; and which format a name asks for.

bats_require_minimum_version 1.5.0

setup() {
    cd "$BATS_TEST_TMPDIR" || exit 1
    mkdir in
    gt-sim -q --samples 8 --variants 40 --seed 1 -O vcf -o in/x.vcf.gz
    gt-sim -q --samples 8 --variants 40 --seed 1 -O bed -o in/b
    gt-sim -q --samples 8 --variants 40 --seed 1 -o in/s.zarr
    gt-sim -q --samples 8 --variants 40 --seed 1 -o in/s.zip
    gt-sim -q --samples 8 --variants 40 --seed 1 -o in/s.tar
    printf 'S1\nS2\n' > in/samples
    printf '1\t1\t900000\n' > in/regions
    touch in/x.vcf.gz.tbi
    find in -type f -exec md5sum {} + | sort > before
}

# What stands in the folder of inputs is as it was.
unharmed() {
    find in -type f -exec md5sum {} + | sort > after
    cmp before after
}

# refused WORDS COMMAND...: exit 2, these words, a hint, and nothing changed.
refused() {
    local words=$1
    shift
    run --separate-stderr "$@"
    [ "$status" -eq 2 ] || { echo "exit $status: $* $stderr"; return 1; }
    [[ "${stderr_lines[0]}" == *"$words"* ]] || { echo "no '$words': $* $stderr"; return 1; }
    [ -z "$output" ] || { echo "$* wrote to standard output"; return 1; }
    unharmed
}

@test "an output that is an input is refused, whatever it is called" {
    ln -s in/x.vcf.gz link.vcf.gz
    ln in/x.vcf.gz hard.vcf.gz
    ln -s in folder
    local own="it is the input"
    refused "'in/x.vcf.gz' has the suffix of a VCF, which gt-pdist does not write" gt-pdist in/x.vcf.gz -o in/x.vcf.gz
    refused "'in/b.fam' has the suffix of a PLINK .fam, which gt-pdist does not write" gt-pdist in/b -o in/b.fam
    for out in in/samples folder/samples ./in/../in/samples "$PWD/in/samples" /proc/self/cwd/in/samples; do
        refused "$own" gt-pdist -S in/samples in/x.vcf.gz -f -o "$out"
        refused "$own" gt-pdist -S ^in/samples in/x.vcf.gz -f -o "$out"
    done
    for out in in/x.vcf.gz hard.vcf.gz link.vcf.gz folder/x.vcf.gz; do
        refused "$own" gt-info in/x.vcf.gz -f -o d.txt --trace "$out"
        refused "$own" gt-pdist link.vcf.gz -f -o d.tsv --trace "$out"
        refused "$own" gt-pdist - -f -o d.tsv --trace "$out" < in/x.vcf.gz
    done
    refused "$own" gt-pdist in/x.vcf.gz -R in/regions -f -o in/regions
    refused "$own" gt-pdist in/x.vcf.gz --exclude-long-range in/regions -f -o in/regions
    printf '0 1 2\n1 0 1\n2 1 0\n' > table.tsv
    refused "$own 'table.tsv'" gt-pdist in/x.vcf.gz -m table:table.tsv -f -o table.tsv
    refused "$own" gt-info --stats samples in/samples -f -o in/samples
    refused "$own 'in/s.zip'" gt-pack in/s.zip -f -o in/s.zip
    refused "$own 'in/s.tar'" gt-pack in/s.tar -f -o in/s.tar
    refused "$own 'in/s.zarr'" gt-pack in/s.zarr -f -o in/s.zarr
    refused "$own" gt-pack in/s.zarr/packed_dosage -f -o in/s.zarr/
    refused "$own" gt-info --check in/s.zarr -f -o d.txt --log in/s.tar in/s.tar
    [ ! -e d.tsv ]
    [ ! -e d.txt ]
}

@test "an output that belongs to an input is refused" {
    local own="it is the input"
    for operand in in/b in/b.bed; do
        for part in bed bim fam; do
            refused "$own 'in/b" gt-pdist $operand -f -o d.tsv --log in/b.$part
        done
    done
    ln in/b.fam hard
    refused "$own 'in/b.fam'" gt-pdist in/b -f -o hard
    refused "$own 'in/x.vcf.gz.tbi'" gt-pdist in/x.vcf.gz -f -o in/x.vcf.gz.tbi
    refused "it lies in the input 'in/s.zarr'" gt-pdist in/s.zarr -f -o in/s.zarr/d.tsv
    refused "it lies in the input" gt-pdist in/s.zarr/packed_dosage -f -o in/s.zarr/packed_dosage/0.0.tsv
    refused "it lies in the input" gt-pack in/s.zarr -o in/s.zarr/copy.zarr
    refused "the input 'in/s.zarr' lies in it" gt-pack in/s.zarr -f -o in
    cp -r in/s.zarr t.zarr.partial
    refused "it is the input 't.zarr.partial'" gt-pack t.zarr.partial -o t.zarr
    diff -r in/s.zarr t.zarr.partial
}

@test "the file of ids beside .npy, and each of a .bed set, are looked at too" {
    mv in/samples in/d.npy.id
    find in -type f -exec md5sum {} + | sort > before
    refused "'in/d.npy.id': it is the input" gt-pdist -S in/d.npy.id in/s.zarr -o in/d.npy
    [ ! -e in/d.npy ]
    for part in bed bim fam pgen pvar psam; do
        mkdir -p $part/b.$part
        format=$([[ $part == p* ]] && echo pgen || echo bed)
        run gt-unpack -q in/s.zarr -O "$format" -o $part/b
        [ "$status" -eq 1 ]
        [[ "${lines[0]}" == "gt-unpack: cannot write '$part/b.$part': Is a directory" ]]
        [ "$(ls -A $part)" = b.$part ]
    done
}

@test "standard output that goes into an input is refused" {
    run bash -c 'gt-pdist in/s.tar >> in/s.tar'
    [ "$status" -eq 2 ]
    [[ "${lines[0]}" == "gt-pdist: cannot write 'standard output': it is the input 'in/s.tar'" ]]
    unharmed
    run bash -c 'gt-info - <> in/s.tar >&0'
    [ "$status" -eq 2 ]
    unharmed
}

@test "two outputs at one place are refused" {
    for pair in "-o d.tsv --log d.tsv" "-o d.tsv --trace ./d.tsv" "-O npy -o d --log d.id" "--log l --trace l"; do
        # shellcheck disable=SC2086
        refused "two outputs need two names" gt-pdist in/s.zarr $pair
    done
    for part in bed bim fam pgen pvar psam; do
        format=$([[ $part == p* ]] && echo pgen || echo bed)
        refused "'d.$part' (-o) and './d.$part' (--log) are the same file; two outputs need two names" gt-unpack in/s.zarr -o d.$format --log ./d.$part
        refused "two outputs need two names" gt-unpack in/s.zarr -O "$format" -o d --trace d.$part
    done
    cp -r in/s.zarr n.zarr
    refused "two outputs need two names" gt-pack in/b -f -o n.zarr --log n.zarr/log
    diff -r in/s.zarr n.zarr
    gt-pdist -q in/s.zarr -o d.tsv --log /dev/null --trace /dev/null
}

@test "devices and pipes may be input and output" {
    run gt-pdist /dev/null -o /dev/null
    [ "$status" -eq 3 ]
    mkfifo p
    timeout 60 cat p > got 3>&- &
    timeout 60 gt-pdist -q in/s.zarr -o p
    wait
    gt-pdist -q in/s.zarr | cmp got
}

# As a user who may create nothing in the folders of devices.
as_user() {
    if [ "$(id -u)" -eq 0 ]; then
        setpriv --reuid 65534 --regid 65534 --clear-groups "$@"
    else
        "$@"
    fi
}

@test "a device, and a pipe in a folder that cannot be written, have no file of ids" {
    as_user gt-pdist -h > /dev/null || skip "the commands cannot be run as another user"
    mkdir closed
    mkfifo -m 666 closed/p
    chmod 755 .
    chmod 555 closed
    while read -r command; do
        # shellcheck disable=SC2086
        as_user $command -q -o /dev/null < in/s.tar || { echo "$command: /dev/null"; return 1; }
        timeout 60 cat closed/p > got 3>&- &
        # shellcheck disable=SC2086
        as_user timeout 60 $command -q -o closed/p < in/s.tar || { echo "$command: a pipe"; return 1; }
        wait
        # shellcheck disable=SC2086
        $command -q < in/s.tar | cmp got || { echo "$command: other bytes"; return 1; }
    done << 'COMMANDS'
gt-unpack -O npy
gt-pdist -m ibs -O npy
gt-pdist -m ibs -O condensed
gt-pdist -m ibs -O triangle
gt-pdist -m king -O king
gt-pdist -m ibs -O plink
gt-svd -k 1 -O npy
COMMANDS
    [ "$(ls closed)" = p ]
}

@test "files in /dev/shm are no devices: they have a file of ids, and PLINK's names" {
    [ -w /dev/shm ] || skip "no /dev/shm"
    local prefix=/dev/shm/gt-test.$$
    gt-pdist -q -m ibs -O plink in/s.zarr -o $prefix
    gt-svd -q -k 1 in/s.zarr -o $prefix
    run ls $prefix*
    rm -f $prefix*
    [ "$output" = "$(printf '%s\n' $prefix.{eigenval,eigenvec,mibs,mibs.id})" ]
}

@test "compressed VCF into a pipe with a name: the bytes of the file, and no index beside it" {
    gt-unpack -q --no-version in/s.zarr -o file.vcf.gz
    [ -e file.vcf.gz.csi ]
    mkfifo pipe.vcf.gz
    timeout 60 cat pipe.vcf.gz > got 3>&- &
    timeout 60 gt-unpack -q --no-version in/s.zarr -o pipe.vcf.gz
    wait $!
    cmp file.vcf.gz got
    [ ! -e pipe.vcf.gz.csi ]
    [ -p pipe.vcf.gz ]
}

@test "a dry run refuses what the run would" {
    refused "it lies in the input" gt-pack -n in/s.zarr -o in/s.zarr/x.zarr
    echo precious > notes
    run gt-pdist -n in/s.zarr -o notes
    [ "$status" -eq 1 ]
    : > plain
    for command in "gt-pdist -n -o gone/d.tsv" "gt-pdist -n -O zarr -o gone/d.zarr/" "gt-pdist -n -o plain/d.npy" "gt-pack -n -o gone/x" \
        "gt-pdist -n --tree gone/t.nwk" "gt-svd -n -k 2 -o gone/pca"; do
        # shellcheck disable=SC2086
        run $command in/s.zarr
        [ "$status" -eq 1 ] || { echo "$command: $status $output"; return 1; }
        [[ "${lines[0]}" == *": cannot create '"*"': No"* ]] || { echo "$output"; return 1; } # such file, or no directory
        # shellcheck disable=SC2086
        run ${command/ -n/} in/s.zarr
        [ "$status" -eq 1 ] || { echo "$command without -n: $status $output"; return 1; }
    done
    gt-pdist -n in/s.zarr -O zarr -o new.zarr/ > plan
}

# keeps FILE COMMAND...: exit 1 with the hint, and FILE is as it was; with -f it is replaced.
keeps() {
    local file=$1
    shift
    cp "$file" kept
    run "$@"
    [ "$status" -eq 1 ] || { echo "exit $status: $* $output"; return 1; }
    [[ "${lines[0]}" == *": cannot replace '$file': it does not look like a"* ]] || { echo "$output"; return 1; }
    [ "${lines[1]}" = "hint: replace it with --force" ]
    cmp "$file" kept
    "$@" -f -q > /dev/null
    run ! cmp -s "$file" kept
}

@test "a file of another kind is replaced only with -f, by every command" {
    for name in notes x.docx y.fam; do
        echo precious > $name
    done
    keeps notes gt-pdist in/s.zarr -o notes
    echo precious > notes
    keeps notes gt-pdist in/s.zarr -O npy -o notes
    keeps x.docx gt-info in/s.zarr -o x.docx
    echo precious > notes
    keeps notes gt-info --stats samples in/s.zarr -o notes
    echo precious > notes
    keeps notes gt-sim -q --samples 4 --variants 4 -O vcf -o notes
    for option in --log --trace; do
        for command in "gt-pi --points 1e3" "gt-pack in/b -o b.zip" "gt-info in/s.zarr" "gt-pdist in/b -o d.tsv" \
            "gt-sim --samples 4 --variants 4 -o s.zip"; do
            echo precious > notes
            # shellcheck disable=SC2086
            keeps notes $command $option notes
        done
    done
    echo precious > notes
    keeps notes gt-sim -q --samples 4 --variants 4 -o s.zip --truth notes
    ln in/x.vcf.gz x.html
    refused "it is the input" gt-info in/x.vcf.gz -f --report x.html
}

@test "what looks like its own, by suffix or first bytes, is replaced; so is an empty file" {
    for i in 1 2; do
        gt-pdist -q in/s.zarr -o a
        gt-pdist -q in/s.zarr -O npy -o b
        gt-info --stats samples in/s.zarr -o c
        gt-info --stats variants in/s.zarr -o d
        gt-sim -q --samples 4 --variants 4 -O vcf -o e
        gt-pi -q --points 1e3 --trace f --log g -v
    done
    for name in d.tsv d.npy; do
        echo something > $name
        gt-pdist -q in/s.zarr -o $name
        run ! grep -q something $name
    done
    : > empty
    gt-pdist -q in/s.zarr -o empty
    cmp a empty
    run gt-pdist in/s.zarr -O npy -o a
    [ "$status" -eq 1 ]
}

@test "the name chooses the format" {
    gt-pdist -q in/s.zarr -o d.npy
    [ "$(head -c 6 d.npy | tail -c 5)" = NUMPY ]
    [ -e d.npy.id ]
    gt-pdist -q in/s.zarr -o d.tsv
    [ "$(head -c 3 d.tsv)" = "$(printf 'id\t')" ]
    gt-pdist -q in/s.zarr -o d
    cmp d.tsv d
    gt-pdist -q in/s.zarr -O npy -o e
    cmp d.npy e
    gt-sim -q --samples 4 --variants 4 -o f.bed
    [ -e f.bim ]
}

@test "a text whose name ends in .gz or .bgz is compressed, and the same inside" {
    command -v bgzip > /dev/null || skip "no bgzip"
    gt-sim -q --samples 900 --variants 40 --missing 0.1 --seed 3 -o w.zarr # rows of several blocks
    gt-pdist -q w.zarr -o d.tsv
    gt-info --stats variants w.zarr -o v.tsv
    gt-info --json w.zarr -o i.json
    gt-info w.zarr -o i.txt
    for end in gz bgz; do
        gt-pdist -q w.zarr -o d.tsv.$end
        gt-info --stats variants w.zarr -o v.tsv.$end
        gt-info --json w.zarr -o i.json.$end
        gt-info w.zarr -o i.txt.$end
        for name in d.tsv v.tsv i.json i.txt; do
            bgzip -t $name.$end
            gzip -dc < $name.$end | cmp $name
        done
    done
    gt-sim -q --samples 4 --variants 4 -o s.zip --truth t.json.gz --trace r.json.gz
    for name in t.json.gz r.json.gz; do
        gzip -dc $name | "$PYTHON" -c 'import json, sys; json.load(sys.stdin)'
    done
    mkfifo p.gz
    timeout 60 gzip -dc < p.gz > piped 3>&- &
    timeout 60 gt-pdist -q w.zarr -o p.gz
    wait
    cmp d.tsv piped
    refused "a log cannot be compressed" gt-pdist w.zarr --log x.log.gz
}

@test "binary data is not written to a terminal, text is" {
    command -v script > /dev/null || skip "no script(1)"
    on_terminal() { script -qec "$1" /dev/null < /dev/null; }
    on_terminal true > /dev/null 2>&1 || skip "no pseudo-terminal can be had here"
    ln -s /dev/stdout tty.vcf.gz
    ln -s /dev/stdout tty.tar
    local command
    for command in "gt-unpack -O bcf in/s.zarr" "gt-unpack in/s.zarr -o tty.vcf.gz" "gt-unpack -O npy in/s.zarr" "gt-pdist -O npy in/s.zarr" "gt-pack in/s.zarr -o -" \
        "gt-sim --samples 3 --variants 4 -O packed -o tty.tar" "gt-rechunk -O npy in/s.zarr/packed_dosage -o -"; do
        run on_terminal "$command"
        [ "$status" -eq 2 ] || { echo "exit $status: $command: $output"; return 1; }
        [[ $output == *"refusing to write binary data to a terminal"* ]] || { echo "$command: $output"; return 1; }
    done
    on_terminal "gt-unpack -q -O vcf in/s.zarr" | tr -d '\r' > seen
    gt-unpack -q -O vcf in/s.zarr | cmp - seen
    on_terminal "gt-pdist -q -m ibs in/s.zarr" | tr -d '\r' > seen
    gt-pdist -q -m ibs in/s.zarr | cmp - seen
}

@test "pipes that do not wait: a slow reader of the output, a slow writer of the input" {
    gt-sim -q --samples 400 --variants 400 -o w.zarr
    gt-pdist -q w.zarr -o expected
    gt-pack -q w.zarr -o w.tar
    "$PYTHON" - << 'PY'
import os, subprocess, time
out_end, out = os.pipe()
come, come_end = os.pipe()
os.set_blocking(out, False)
os.set_blocking(come, False)
command = subprocess.Popen(["gt-pdist", "-q", "-"], stdin=come, stdout=out)
os.close(out)
os.close(come)
data = open("w.tar", "rb").read()
for at in range(0, len(data), len(data) // 4 + 1):
    time.sleep(0.1)
    os.write(come_end, data[at : at + len(data) // 4 + 1])
os.close(come_end)
time.sleep(0.3)  # the pipe is full by now
got = b""
while piece := os.read(out_end, 50000):
    got += piece
    time.sleep(0.005)
assert command.wait(60) == 0
assert got == open("expected", "rb").read(), (len(got), "bytes")
PY
}

@test "a matrix and its ids appear together or not at all" {
    [ "$(id -u)" -eq 0 ] && command -v unshare > /dev/null || skip "needs root and unshare(1)"
    gt-pdist -q in/s.zarr -o old.npy
    cp old.npy d.npy
    echo "old ids" > d.npy.id
    # a file that something is mounted on cannot be renamed over
    for name in d.npy d.npy.id; do
        run unshare -m bash -c ": > m && mount --bind m $name && gt-pdist -q -f -s S1,S2 in/s.zarr -o d.npy"
        [[ "$output" != *mount:* ]] || skip "cannot mount here"
        [ "$status" -eq 1 ]
        [[ "${lines[0]}" == "gt-pdist: cannot rename "*": Device or resource busy" ]]
        cmp d.npy old.npy
        [ "$(cat d.npy.id)" = "old ids" ]
        [ -z "$(find . -name '*-tmp' -o -name '*-old' -o -name '*.old')" ]
    done
}

@test "a name that contradicts -O, or is that of something else, is an error" {
    refused "format tsv contradicts 'd.npy', which has the suffix of a NumPy array" gt-pdist in/s.zarr -O tsv -o d.npy
    refused "format npy contradicts 'd.tsv'" gt-pdist in/s.zarr -O npy -o d.tsv
    refused "format bed contradicts 'x.vcf.gz'" gt-sim --samples 2 --variants 2 -O bed -o x.vcf.gz
    for name in d.vcf d.vcf.gz d.bcf d.bed d.fam d.vcz d.csv d.csv.gz d.npz; do
        refused "which gt-pdist does not write" gt-pdist in/s.zarr -o $name
        [ ! -e $name ]
    done
    for name in d.vcf d.vcf.gz d.bcf d.bed d.npy d.tsv d.txt d.csv d.pgen d.dist d.h5; do
        refused "which gt-pack does not write" gt-pack in/b -o $name
        refused "which gt-sim --normal does not write" gt-sim --samples 2 --variants 2 --normal -o $name
    done
    refused "which gt-info does not write" gt-info in/s.zarr -o d.npy
    for name in d.ped d.tped d.geno; do # no VCF in their place
        refused "which gt-unpack does not write" gt-unpack in/s.zarr -o $name
        [ ! -e $name ]
    done
    refused "has the suffix of a compressed file, but npy is not compressed" gt-pdist in/s.zarr -o d.npy.gz
    refused "has the suffix of a compressed file" gt-pack in/b -o d.gz
    refused "has the suffix of a compressed file, but packed is not compressed" gt-pack in/b -o d.tar.gz
    [ "${stderr_lines[1]}" = "hint: omit .gz: the chunks of a store are compressed" ]
    refused "has the suffix of a compressed file" gt-pdist in/b -O npy -o d.gz
}

@test "a name that is too long is said to be so" {
    long=$(printf 'a%.0s' {1..251}) # .partial makes it longer than a name may be
    run gt-pack in/s.zarr -o "$long"
    [ "$status" -eq 1 ]
    [[ "${lines[0]}" == *": File name too long" && "${#lines[@]}" -eq 1 ]]
    [ ! -e "$long" ]
}

@test "a link to what is not there yet: -n says what the run would say, and two outputs that are one file are refused" {
    gt-sim -q --samples 5 --variants 9 -o in.vcf
    ln -s /nowhere/x.npy lost.npy
    run gt-pdist -n -O npy in.vcf -o lost.npy
    [ "$status" -eq 1 ]
    [[ "$output" == *"cannot create 'lost.npy'"* ]]
    ln -s there.npy link.npy
    gt-pdist -n -q -O npy in.vcf -o link.npy
    gt-pdist -q -O npy in.vcf -o link.npy
    [ -L link.npy ]
    [ -f there.npy ]
    ln -s y.vcf truth
    run gt-sim -q --samples 5 --variants 9 -o y.vcf --truth truth
    [ "$status" -ne 0 ]
    [[ "$output" == *"truth"* ]]
    [ ! -e y.vcf ]
    # one file by two names that are there
    echo 1 > one.tsv
    ln one.tsv two.tsv
    run gt-pdist -q -f in.vcf -o one.tsv --trace two.tsv
    [ "$status" -eq 2 ]
    [[ "$output" == *"'one.tsv' (-o) and 'two.tsv' (--trace) are the same file"* ]] || { echo "$output"; return 1; }
    [ "$(cat one.tsv two.tsv)" = 1$'\n'1 ]
}

@test "a VCF Zarr store is one by its name: as a file of it too, and with a slash behind" {
    gt-sim -q --samples 5 --variants 9 -o in.vcf
    for out in x.vcz x.vcz.zip x.vcz.tar y.vcz/; do
        gt-pack -q in.vcf -o "$out"
        [[ "$(gt-info "${out%/}")" == *call_genotype* ]]
        run gt-pack -f --layout packed in.vcf -o "$out"
        [ "$status" -eq 2 ]
        [[ "$output" == *"format packed contradicts"* ]]
    done
    gt-rechunk -q x.vcz -o z.vcz --codec zstd:9
    [[ "$(gt-info z.vcz)" == *call_genotype* ]]
}
