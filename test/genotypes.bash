# What pack.bats and unpack.bats share.

setup() {
    cd "$BATS_TEST_TMPDIR" || exit 1
    chr22=$GT_TEST_DATA/vcf/1kg_phase3_chr22_16-16.5mb.vcf.gz
    pinf=$GT_TEST_DATA/vcf/pinf_sc50.vcf.gz
    hm3=$GT_TEST_DATA/plink/HM3_thinned
}

need_data() { [ -e "$GT_TEST_DATA/README.md" ] || skip "no test data"; }
need() { command -v "$1" > /dev/null || skip "no $1"; }

# What has an output's name; bats keeps its own files here, whose names end at random.
outs() { find . -name '*out*' ! -name 'separate-stderr-*'; }

# Fails unless the command exits with $1, prints one line that holds $2 (a hint
# may follow), and leaves nothing under the name out* or beside it.
refused() {
    local code=$1 text=$2
    shift 2
    run --separate-stderr "$@"
    [ "$status" -eq "$code" ] || { echo "exit $status, not $code: $stderr"; return 1; }
    [ -z "$output" ] || { echo "on standard output: $output"; return 1; }
    grep -v '^hint: ' <<< "$stderr" > lines || true
    [ "$(wc -l < lines)" -eq 1 ] || { echo "not one line: $stderr"; return 1; }
    grep -q -- "$text" lines || { echo "no '$text' in: $stderr"; return 1; }
    grep -q '^gt-[a-z]*: ' lines
    [ -z "$(outs)" ] || { echo "left: $(ls)"; return 1; }
}
