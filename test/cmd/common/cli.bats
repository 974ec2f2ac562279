#!/usr/bin/env bats
# What all commands share: options, help, messages, exit codes, signals.

setup() {
    cd "$BATS_TEST_TMPDIR"
    sample=$GT_BUILD/test/cmd/common/sample
    unset GT_CPU GT_THREADS GT_MEMORY OMP_NUM_THREADS
}

# Runs on a terminal of its own, with standard input from it.
on_terminal() { script -qec "$1" /dev/null </dev/null; }
need_terminal() {
    command -v script >/dev/null || skip "no script(1)"
    on_terminal true >/dev/null 2>&1 || skip "no pseudo-terminal can be had here"
}

has_line() { grep -qxF -- "$1" <<<"$output" || { echo "no line '$1' in:"; echo "$output"; return 1; }; }
has() { [[ $output == *"$1"* ]] || { echo "no '$1' in:"; echo "$output"; return 1; }; }
code() { [ "$status" -eq "$1" ] || { echo "exit $status, not $1: $output"; return 1; }; }

# --- options --------------------------------------------------------------------

@test "defaults" {
    run "$sample" x
    code 0
    has "flag=0 keep=1 text=none count=7 size=1024 real=0.5 rate=0.25 choice=0"
    has "output=- force=0 version=1 dry_run=0 json=0 progress=0 seed=0"
    has "geno=-1 mind=-1 maf=-1 thin=0 ploidy=0 half_call=0"
}

@test "values behind a space, an equals sign and a letter" {
    for args in "--count 5 --text v" "--count=5 --text=v" "-c 5 -t v" "-c5 -tv"; do
        run "$sample" $args
        code 0
        has "text=v count=5"
    done
}

@test "letters in a bundle, the last with its value" {
    run "$sample" -afc5 x
    code 0
    has "flag=1"
    has "count=5"
    has "force=1"
}

@test "an empty value, a value that looks like an option" {
    run "$sample" --text= -c 1
    has "text= count=1"
    run "$sample" --text -a
    has "flag=0 keep=1 text=-a"
}

@test "--no- forms" {
    run "$sample" --no-keep --no-version --no-progress
    code 0
    has "keep=0"
    has "version=0"
    has "progress=-1"
    run "$sample" --no-progress --progress
    has "progress=1"
}

@test "operands and options mix; -- ends the options" {
    run "$sample" one -a two -- -b --text
    code 0
    [ "$(grep ^operand <<<"$output" | tr '\n' ' ')" = "operand=one operand=two operand=-b operand=--text " ]
    has "flag=1"
}

@test "no operand means standard input" {
    run "$sample"
    has_line "operand=-"
}

@test "counts and sizes" {
    run "$sample" -c 2.5e6 --size 1.5K --memory 300MB --thin 3
    code 0
    has "count=2500000 size=1536"
    has "memory=300000000"
    has "thin=3"
}

@test "choices and rates" {
    run "$sample" -m blue --rate 1 --half-call error --ploidy 1 --geno 0
    code 0
    has "rate=1 choice=2"
    has "ploidy=1 half_call=4"
    has "geno=0"
}

@test "the command line is kept as a shell would take it" {
    run "$sample" -t "it's a b" x
    has_line "line=sample -t 'it'\\''s a b' x"
}

@test "wrong options: exit 2, one line that names it, and a hint" {
    while IFS='|' read -r args expect; do
        run "$sample" $args
        code 2
        [ "${#lines[@]}" -eq 2 ] || { echo "$args: $output"; return 1; }
        [[ ${lines[0]} == "sample: "*"$expect"* ]] || { echo "$args: $output"; return 1; }
        [[ ${lines[1]} == "hint: "* ]]
    done <<'LIST'
--bogus|unknown option '--bogus'
--coun 5|unknown option '--coun'
-Z|unknown option '-Z'
-aZ|unknown option '-Z'
--count|option '--count' needs a value
-c|option '-c' needs a value
--flag=1|option '--flag' takes no value
--count=x|option '--count': 
--count=-1|option '--count': 
--count=1.5|option '--count': 
-c 99999999999999999999|option '-c': 
--size 1Q|option '--size': 
--real nan|option '--real': 
--rate 1.01|option '--rate': '1.01' is not between 0 and 1
--rate -0.1|option '--rate': '-0.1' is not between 0 and 1
-m pink|option '-m': unknown value 'pink'
-m re|option '-m': unknown value 're'
--threads 0|option '--threads' must be at least 1
--threads 1e9|option '--threads' must be at most
--memory 0|option '--memory' must be at least 1
--thin 0|option '--thin' must be at least 1
- -|standard input ('-') was given 2 times
LIST
}

@test "the hint names the option that was meant" {
    run "$sample" --coun 5
    has "hint: did you mean '--count'?"
    run "$sample" --treads 5
    has "hint: did you mean '--threads'?"
}

@test "the hint names the word that was meant: slips, and those of plink, bcftools and vcftools" {
    while IFS='|' read -r command args hint; do
        # shellcheck disable=SC2086
        run "$GT_BUILD/$command" $args
        code 2
        [ "${lines[1]}" = "hint: $hint" ] || { echo "$command $args: $output"; return 1; }
    done <<'LIST'
gt-pdist|--threds 4|did you mean '--threads'?
gt-pdist|--sampels A|did you mean '--samples'?
gt-pdist|--regoin-file A|did you mean '--regions-file'?
gt-pdist|--dryrun|did you mean '--dry-run'?
gt-pdist|-m manhattan|did you mean 'cityblock'?
gt-pdist|-m citybolck|did you mean 'cityblock'?
gt-pdist|-m eucl|did you mean 'euclidean'?
gt-pdist|-m euclidaen|did you mean 'euclidean'?
gt-pdist|-O numpy|did you mean 'npy'?
gt-pdist|--half-call mising|did you mean 'missing'?
gt-pdist|--keep x|plink's --keep FILE is -S FILE here
gt-pack|--remove x|plink's --remove FILE is -S ^FILE here
gt-pack|--chr 22|plink's --chr LIST is --contigs LIST here: -r CHR:FROM-TO takes a part
gt-pdist|--bfile x|plink's --bfile IN is IN here: inputs are given without an option
gt-pdist|--out x|plink's --out OUT is -o OUT here
gt-pdist|-t 22|bcftools' -t LIST is -r LIST --regions-overlap pos here
gt-pdist|--force-samples|bcftools' --force-samples is --skip-absent here
gt-pack|-i QUAL>30|use bcftools view -i EXPR IN | gt-...
gt-info|--hardy|plink's --hardy is --stats variants here
gt-pack|-m2|bcftools' -m N is --min-alleles N here
gt-info|-M 2|bcftools' -M N is --max-alleles N here
gt-pack|-Oz|bcftools' -O TYPE is gt-unpack IN -o OUT.vcf.gz here: gt-pack writes a store; OUT.bcf is BCF
gt-pack|-e QUAL<30|use bcftools view -e EXPR IN | gt-...
gt-pdist|--distance|plink's --distance is -m mismatches here
gt-pdist|--make-king|plink's --make-king is -m king -O king here
gt-pack|--make-bed|plink's --make-bed is gt-unpack IN -o OUT.bed here
gt-unpack|--make-bed|plink's --make-bed is -o OUT.bed here
gt-unpack|--make-pgen|plink's --make-pgen is -o OUT.pgen here
gt-pdist|--pca 10|plink's --pca 10 is gt-svd -k 10 IN -o OUT here
gt-svd|--indep-pairwise 50 5 0.2|plink's --indep-pairwise 50 5 0.2 is --ld-prune 50,5,0.2 here
gt-svd|--ld-prune 50 5 0.2 x|plink's --ld-prune 50 5 0.2 is --ld-prune 50,5,0.2 here
gt-pack|-f PASS x|bcftools' -f PASS is --pass here
gt-unpack|-Oz x|did you mean 'vcf'? name the output OUT.vcf.gz for compressed VCF
gt-pdist|--king-cutoff 0.177|plink's --king-cutoff 0.177 is -m king --unrelated 0.177 here
gt-pdist|-m allele-ct|did you mean 'allele-count'?
gt-pdist|-O square|did you mean 'tsv'?
gt-info|--stats sites|did you mean 'variants'?
gt-pi|--keep x|see gt-pi -h
gt-pdist|--nothing-like-it|see gt-pdist -h
gt-pdist|--missing q|choose rescale, ignore, plink, mean, error or literal
LIST
}

# --- help and version ----------------------------------------------------------------

@test "-h fits a screen of 24 by 80" {
    run "$sample" -h
    code 0
    [ "${#lines[@]}" -ge 8 ]
    [ "$("$sample" -h | wc -l)" -le 23 ]
    [ "$("$sample" -h | wc -L)" -le 79 ]
}

@test "every option stands in -h and in --help" {
    "$sample" -h >short
    "$sample" --help >long
    [ "$(wc -L <long)" -le 80 ]
    "$sample" --help-options >list
    [ "$(wc -l <list)" -ge 40 ]
    while IFS=$'\t' read -r letter name kind arg help; do
        [ "$name" = - ] && name=$letter || name=-$name
        grep -qE -- "-$name( |/|,|$)" short || { echo "-$name is not in -h"; return 1; }
        grep -qE -- "-$name( |\[|$)" long || { echo "-$name is not in --help"; return 1; }
    done <list
    run cat long
    has_line "Samples and variants"
    has_line "Resources"
    has_line "Examples"
}

@test "no name or letter stands twice in the table" {
    "$sample" --help-options >list
    [ -z "$(cut -f1 list | grep -v '^-$' | sort | uniq -d)" ]
    [ -z "$(cut -f2 list | grep -v '^-$' | sort | uniq -d)" ]
}

@test "help comes before the input is asked for" {
    run "$sample" -h /nowhere
    code 0
    run "$sample" --help --bogus
    code 0
    run "$sample" --bogus --help
    code 2
}

@test "--version: the name and number first, then what it is made of" {
    run "$sample" --version
    code 0
    [[ ${lines[0]} =~ ^sample\ [0-9]+\.[0-9]+\.[0-9]+$ ]]
    has "htslib 1."
    has "instruction sets: "
    has "CUDA module: "
    has "MPI modules: "
}

@test "standard input on a terminal: the short help, exit 2" {
    need_terminal
    run on_terminal "$sample"
    code 2
    has "Usage: sample"
    run on_terminal "$sample -"
    code 2
    run on_terminal "$sample x"
    code 0
}

# --- messages and exit codes -----------------------------------------------------------

@test "exit codes" {
    run "$sample" --do fail
    code 1
    [ "$output" = "sample: cannot do 'none'" ]
    run "$sample" --do input
    code 3
    [ "${lines[0]}" = "sample: 'none' is damaged" ]
    [ "${lines[1]}" = "hint: make it anew" ]
    run "$sample" --do nofit
    code 4
}

@test "control characters in a message are made visible" {
    run "$sample" --do note -t $'a\n\e[31mb\x7f\xff\xc2\x9bc\xe2\x80\xaed'
    [ "${lines[0]}" = "sample: a note on 'a\\n\\x1b[31mb\\x7f\\xff\\xc2\\x9bc\\xe2\\x80\\xaed'" ]
    run "$sample" --do fail -t $'a\n\e[31mb\x7f'
    [ "${#lines[@]}" -eq 1 ]
    [[ $output != *$'\e'* && $output != *$'\x7f'* ]]
    run "$sample" --do fail -t "ä日😀"
    [ "$output" = "sample: cannot do 'ä日😀'" ]
}

@test "notes and warnings: standard error, --log, not under -q" {
    "$sample" --do note --log log 2>err >out
    [ ! -s out ]
    [ "$(cat err)" = "sample: a note on 'none'
sample: warning: beware of 'none'" ]
    cmp err log
    "$sample" --do note --log log2 -q 2>err
    [ ! -s err ]
    cmp log log2
    run "$sample" --do fail -q --log log3
    code 1
    [ "$output" = "sample: cannot do 'none'" ]
    [ "$(cat log3)" = "$output" ]
}

@test "a log that cannot be written" {
    run "$sample" --log /nowhere/log
    code 1
    has "cannot create '/nowhere/log': No such file or directory"
}

@test "-v says what was used" {
    run "$sample" -v --threads 2
    code 0
    has "2 computing threads (--threads)"
    has "peak memory"
}

@test "a full or closed standard output is an error" {
    [ -w /dev/full ] || skip "no /dev/full"
    run bash -c "'$sample' >/dev/full"
    code 1
    has "cannot write 'standard output': No space left on device"
    run bash -c "'$sample' >&-"
    code 1
    has "cannot write 'standard output'"
}

@test "descriptors closed at start are not taken by our files" {
    run bash -c "'$sample' --do slow -c 1 -o kept <&- >&- 2>&-"
    code 0
    [ "$(cat kept)" = half ]
}

@test "a reader that goes away: quiet, as by SIGPIPE" {
    run bash -c "set -o pipefail; '$sample' --do lines -c 200000 | head -n 1 >/dev/null"
    code 141
    [ -z "$output" ]
    run "$sample" --do pipe
    code 141
    [ -z "$output" ]
}

# --- limits, instruction sets, trace, progress -------------------------------------------

@test "GT_CPU" {
    GT_CPU=ref run "$sample" --version
    code 0
    has "instruction sets: ref in use"
    GT_CPU=pentium run "$sample" x
    code 2
    [ "${lines[0]}" = "sample: GT_CPU: no such instruction set 'pentium'" ]
    [[ ${lines[1]} == "hint: GT_CPU may be ref"* ]]
}

@test "GT_CPU: a level that this cpu lacks" {
    missing=$("$sample" --version | sed -n 's/.*compiled: \([^,]*\), this cpu: \(.*\)/\1|\2/p' |
        awk -F'|' '{ n = split($1, c, " "); for (i = 1; i <= n; i++) if (index(" " $2 " ", " " c[i] " ") == 0) print c[i] }' | head -n 1)
    [ -n "$missing" ] || skip "this cpu has every level"
    GT_CPU=$missing run "$sample" x
    code 2
    has "GT_CPU: this cpu or build lacks '$missing'"
}

@test "limits from the environment give way to flags; nonsense is refused" {
    GT_THREADS=3 GT_MEMORY=512M run "$sample" x
    has "threads=3 memory=536870912"
    GT_THREADS=3 GT_MEMORY=512M run "$sample" -@ 2 --memory 1G x
    has "threads=2 memory=1073741824"
    GT_THREADS=many run "$sample" x
    code 2
    has GT_THREADS
    GT_MEMORY=12parsec run "$sample" x
    code 2
    has GT_MEMORY
}

@test "memory that cannot hold even the program: exit 4 with the numbers" {
    run "$sample" --memory 1M x
    code 4
    has "1.0 MiB"
}

@test "--trace writes Chrome trace JSON" {
    run "$sample" --do slow -c 3 -o out --trace trace.json
    code 0
    "${PYTHON:-python3}" -c "import json; json.load(open('trace.json'))"
    run "$sample" --trace /nowhere/t.json
    code 1
    has "/nowhere/t.json"
}

@test "progress: after a second when it is asked for, else only on a terminal" {
    run "$sample" --do slow -c 75 -@ 1 -o out --progress
    code 0
    has "sample"
    has "%"
    has "ETA"
    run "$sample" --do slow -c 75 -@ 1 -f -o out
    [ -z "$output" ]
}

@test "progress: the time that is left follows from the percentage and the time that went by" {
    "${PYTHON:-python3}" - "$sample" << 'END'
import re, subprocess, sys, time
begun = time.monotonic()
run = subprocess.Popen([sys.argv[1], *"--do slow -c 200 -@ 1 -f -o out --progress".split()], stderr=subprocess.PIPE, text=True)
seen = 0
for line in run.stderr:
    got = re.search(r"(\d+) % .*ETA (\d+):(\d+)", line)
    if not got or int(got[1]) == 0:
        continue
    seen += 1
    passed, part, eta = time.monotonic() - begun, int(got[1]) / 100, int(got[2]) * 60 + int(got[3])
    # the percentage is rounded; the program began a little after we did
    least, most = (t * (1 - p) / p for t, p in ((passed - 1, part + 0.005), (passed, part - 0.005)))
    assert least - 1 <= eta <= most + 1, (line, passed, least, most)
assert run.wait() == 0 and seen > 1, seen
END
}

@test "progress goes by the bytes of the input where it reads text" {
    run "$sample" --do read -c 90 -@ 1 -o out --progress
    code 0
    has "ETA"
    # three quarters of the input are never read
    [ "$(grep -o '[0-9]* %' <<< "$output" | sort -n | tail -1 | cut -d ' ' -f 1)" -le 25 ]
    [ "$(grep -o '[0-9]* %' <<< "$output" | sort -n | tail -1 | cut -d ' ' -f 1)" -ge 5 ]
}

@test "progress on a terminal, gone at the end" {
    need_terminal
    TERM=xterm run on_terminal "$sample --do slow -c 75 -@ 1 -o out x"
    code 0
    has "ETA"
    [[ $output == *$'\e[K' ]]
    TERM=xterm run on_terminal "$sample --do slow -c 75 -@ 1 -f -o out --no-progress x"
    [[ $output != *ETA* ]]
}

# --- signals -----------------------------------------------------------------------------

# Starts $@ with the signals as a fresh shell has them, sends $sig after 0.4 s.
ended_by() {
    local sig=$1 pid code=0
    shift
    "${PYTHON:-python3}" - "$sig" "$@" <<'PY'
import signal, subprocess, sys, time
sig = getattr(signal, "SIG" + sys.argv[1])
for s in ("SIGINT", "SIGTERM", "SIGHUP"):
    signal.signal(getattr(signal, s), signal.SIG_DFL)
p = subprocess.Popen(sys.argv[2:])
time.sleep(0.4)
p.send_signal(sig)
start = time.time()
try:
    p.wait(20)
finally:
    p.kill()
print("died %d after %.1f" % (-p.returncode, time.time() - start))
PY
}

@test "a signal during a run: nothing is left, the process ends as by it" {
    for sig in TERM:15 INT:2 HUP:1; do
        run ended_by "${sig%:*}" "$sample" --do slow -c 100000 -o out
        has "died ${sig#*:} after 0"
        [ -z "$(ls)" ] || { ls; return 1; }
    done
}

@test "a run that does not hear: ends after two seconds, nothing is left" {
    run ended_by TERM "$sample" --do hang -o out
    has "died 15 after 2"
    [ -z "$(ls)" ]
}

@test "a signal that was ignored stays ignored" {
    "${PYTHON:-python3}" - "$sample" <<'PY'
import signal, subprocess, sys, time
signal.signal(signal.SIGHUP, signal.SIG_IGN)
p = subprocess.Popen([sys.argv[1], "--do", "slow", "-c", "40", "-o", "out"])
time.sleep(0.3)
p.send_signal(signal.SIGHUP)
sys.exit(p.wait(60))
PY
    [ "$(cat out)" = half ]
}

@test "a file-size limit is an error, not a signal" {
    run bash -c "ulimit -f 0; '$sample' --do slow -c 1 -o out"
    code 1
    has "File too large"
    [ -z "$(ls)" ]
}

@test "a list, or a file to read, that is given twice is refused: one of the two would be lost" {
    cd "$BATS_TEST_TMPDIR"
    gt-sim -q --samples 4 --variants 30 --contigs 2 -o s.zarr
    printf 'S1\nS2\n' > a
    printf 'S3\n' > b
    for option in "-r 1 -r 2" "-r 1 --regions 2" "-s S1 -s S2" "--samples=S1 -sS2" "-S a -S b" "--contigs 1 --contigs 2"; do
        for command in gt-pdist "gt-info --stats samples" "gt-pack -o p.zip"; do
            # shellcheck disable=SC2086
            run $command $option s.zarr
            [ "$status" -eq 2 ] || { echo "$command $option: exit $status"; return 1; }
            [[ "${lines[0]}" == *"was given twice"* ]] || { echo "$command $option: $output"; return 1; }
        done
    done
    [[ "${lines[1]}" == "hint: give one list: --contigs A,B" ]]
    gt-pdist -q -r 1 -r 1 s.zarr > same # the same list again says nothing else
    gt-pdist -q -r 1 s.zarr | cmp - same
    gt-pdist -q -@ 1 -@ 2 -m king -m euclidean -r 1 s.zarr | cmp - same # of other options the last one counts
}

@test "words that are almost right: --contigs autosome, --memory 4gb; one is no plural" {
    cd "$BATS_TEST_TMPDIR"
    gt-sim -q --samples 2 --variants 1 -O vcf -o s.vcf
    for word in autosome AUTOSOMES autosomal ALL autosomes,1; do
        run gt-pdist --contigs $word s.vcf
        [ "$status" -eq 3 ]
        [[ "${lines[-1]}" == "hint: did you mean --contigs a"*" alone?" ]] || { echo "$word: $output"; return 1; }
    done
    gt-pdist -q --memory 4gb s.vcf > with
    gt-pdist -q --memory 1GiB s.vcf | cmp - with
    [ "$(gt-info --check s.vcf)" = "1 variant checked, 0 damaged, 0 not supported" ]
}
