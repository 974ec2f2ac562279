# What the suites of gt-pack and gt-unpack share.

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

header() {
    printf '##fileformat=VCFv4.2\n##FILTER=<ID=q10,Description="x">\n##contig=<ID=1,length=1000>\n'
    printf '##FORMAT=<ID=%s,Number=1,Type=%s,Description="x">\n' GT String DP Integer
}
columns() { printf '#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO'; [ $# -eq 0 ] || { printf '\tFORMAT'; printf '\t%s' "$@"; }; echo; }

small_vcf() {
    header
    columns a b c d
    printf '1\t10\trs1\tA\tC\t30.5\tPASS\t.\tGT\t0/0\t0/1\t1/1\t./.\n'
    printf '1\t20\t.\tA\tC,G\t.\tq10\t.\tGT\t0/0\t0|2\t1/2\t./1\n'
    printf '1\t30\trs3\tAT\tA\t50\t.\t.\tGT:DP\t1:3\t.:3\t0:.\t1/1\n'
}
