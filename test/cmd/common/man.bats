#!/usr/bin/env bats
# The manual: pages without faults, one for each command, with its options.

setup() {
    cd "$BATS_TEST_TMPDIR"
    pages=$GT_SOURCE/man
    commands=()
    for path in "$GT_BUILD"/gt-*; do
        [ ! -f "$path" ] || [ ! -x "$path" ] || commands+=("$(basename "$path")")
    done
}

need_mandoc() { command -v mandoc >/dev/null || skip "no mandoc"; }

@test "every page is free of warnings" {
    need_mandoc
    mandoc -T lint -W warning "$pages"/*.[157]
}

@test "every command has a page, every page its command" {
    for c in "${commands[@]}"; do
        [ -f "$pages/$c.1" ] || { echo "no page for $c"; return 1; }
    done
    for p in "$pages"/*.1; do
        [ ! -f "$p" ] || [ -x "$GT_BUILD/$(basename "$p" .1)" ] || { echo "no command for $p"; return 1; }
    done
}

@test "gt-zarr(5) names every codec and every type" {
    need_mandoc
    mandoc -T utf8 -O width=1000 "$pages/gt-zarr.5" | sed "s,.$(printf "\\b"),,g" | tr -s ' \n' '  ' > text
    local codecs types name
    codecs=$(sed -n 's/.*\.name = "\([a-z0-9_-]*\)".*/\1/p' "$GT_SOURCE"/src/storage/codec/*.c | sort -u)
    types=$(sed -n 's/^    {GT_[A-Z0-9]*, .*"\([a-z0-9]*\)"},$/\1/p' "$GT_SOURCE"/src/storage/codec/dtype.c | grep -v "time" | sort -u)
    [ "$(wc -w <<< "$codecs")" -ge 20 ]
    [ "$(wc -w <<< "$types")" -ge 10 ]
    for name in $codecs $types; do
        grep -q -e "[ (]$name[ ,;.)]" text || { echo "no $name"; return 1; }
    done
}

@test "gt-pdist(1) names the metrics that leave out X" {
    need_mandoc
    printf '##fileformat=VCFv4.2\n##contig=<ID=1>\n##contig=<ID=X>\n##FORMAT=<ID=GT,Number=1,Type=String,Description="G">\n' > x.vcf
    printf '#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\ta\tb\n' >> x.vcf
    printf '%s\t1\t.\tA\tC\t.\t.\t.\tGT\t0/1\t1/1\n' 1 X >> x.vcf
    mandoc -T ascii "$pages/gt-pdist.1" | col -bx | tr -s ' \n' ' ' | grep -o "metrics of PLINK and KING (.*) and .* exclude contigs" |
        grep -oE '\(.*\) and [a-z-]+ ' | tr -d '(),' | sed 's/ and / /' | tr -s ' ' '\n' | sort > named
    for metric in $("$GT_BUILD/test/calc/pdist/metric_list" | awk '/^\.It Cm/ { name = $3; getline; if (!/; arrays only\)$/) print name }'); do
        if gt-pdist -m "$metric" x.vcf 2>&1 > d.tsv | grep -q 'dropped on X'; then echo "$metric"; fi
    done | sort > leave
    [ -s leave ]
    diff named leave
}

@test "a page names every option of its command and no other" {
    need_mandoc
    local wrong=0
    for c in "${commands[@]}"; do
        "$GT_BUILD/$c" --help-options | awk -F'\t' '$1 != "-" { print "-" $1 } $2 != "-" { print "--" $2 }' | sort >table
        mandoc -T html "$pages/$c.1" | grep -o '<code class="Fl"[^>]*>[^<]*' | sed 's/.*>//' | sort -u >page
        comm -23 table page | sed "s/^/$c(1) does not name /" >faults
        comm -13 table page | sed "s/^/$c does not have /" >>faults
        cat faults
        [ ! -s faults ] || wrong=1
    done
    [ "$wrong" -eq 0 ]
}

@test "gt-pdist(1) lists the metrics of the table" {
    awk '/^\.Sh METRICS/ { section = 1 } inside && /^\.El/ { exit } inside { print } section && /^\.Bl/ { inside = 1 }' \
        "$pages/gt-pdist.1" >page
    "$GT_BUILD/test/calc/pdist/metric_list" | diff page - || { echo "scripts/man-metrics writes it anew"; return 1; }
}

@test "gt-utils(7) names every command" {
    for c in "${commands[@]}"; do
        grep -q "^\.It Xr $c 1" "$pages/gt-utils.7" || { echo "$c is missing"; return 1; }
    done
}

@test "every command: -h fits a screen, --version, no option twice" {
    for c in "${commands[@]}"; do
        [ "$("$GT_BUILD/$c" -h | wc -l)" -le 23 ] || { echo "$c -h is too long"; return 1; }
        [ "$("$GT_BUILD/$c" -h | wc -L)" -le 79 ] || { echo "$c -h is too wide"; return 1; }
        [ "$("$GT_BUILD/$c" --help | wc -L)" -le 80 ] || { echo "$c --help is too wide"; return 1; }
        [[ $("$GT_BUILD/$c" --version | head -n 1) =~ ^$c\ [0-9.]+$ ]]
        "$GT_BUILD/$c" --help-options >table
        [ -z "$(cut -f 1 table | grep -v '^-$' | sort | uniq -d)" ] || { echo "$c: a letter twice"; return 1; }
        [ -z "$(cut -f 2 table | grep -v '^-$' | sort | uniq -d)" ] || { echo "$c: a name twice"; return 1; }
        run "$GT_BUILD/$c" --no-such-option
        [ "$status" -eq 2 ]
        [ "${lines[0]}" = "$c: unknown option '--no-such-option'" ]
    done
}

make_vcf() {
    printf '##fileformat=VCFv4.2\n##contig=<ID=1>\n##FORMAT=<ID=GT,Number=1,Type=String,Description="G">\n'
    printf '#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\tA\tB\tC\tD\tE\tF\n'
    printf '1\t10\t.\tA\tC\t.\t.\t.\tGT\t0/0\t0/1\t1/1\t./.\t1|0\t1|1\n'
    printf '1\t20\t.\tG\tT\t.\t.\t.\tGT\t1/1\t./.\t0/0\t0/0\t0/0\t0|1\n'
}

# Runs every piece of Python in the pages, of stores of both kinds and formats, with
# this python; each piece must leave the dosages in d.
run_python_of_pages() {
    make_vcf >x.vcf
    for page in "$pages"/*.[157]; do
        awk '/^import /{ n++ } /^\.Ed/{ in_it = 0 } /^import /{ in_it = 1 } in_it { print >(base "-" n ".py") }' \
            base="$(basename "$page")" "$page"
    done
    ls ./*.py
    [ "$(ls ./*.py | wc -l)" -ge 3 ]
    for format in 2 3; do
        "$GT_BUILD/gt-pack" -q -f --zarr-format $format x.vcf -o cohort.zarr
        "$GT_BUILD/gt-pack" -q -f --zarr-format $format x.vcf -o cohort.zip
        for piece in ./*.py; do
            { cat "$piece" && echo 'assert d.tolist() == [[0, 1, 2, 3, 1, 2], [2, 3, 0, 0, 0, 1]], d'; } >run
            [ "$format" -le "$2" ] || continue
            "$1" run || { echo "$piece of Zarr $format fails"; return 1; }
        done
    done
}

@test "the Python of the pages gives the dosages, with zarr-python 2" {
    "$PYTHON" -c 'import numpy, zarr; assert zarr.__version__.startswith("2.")' || skip "no numpy or zarr 2"
    run_python_of_pages "$PYTHON" 2
}

@test "the Python of the pages gives the dosages, with zarr-python 3" {
    [ -n "${PYTHON_ZARR3:-}" ] || skip "no zarr 3: PYTHON_ZARR3 is not set (scripts/test makes it where it can)"
    "$PYTHON_ZARR3" -c 'import zarr; assert zarr.__version__.startswith("3.")'
    run_python_of_pages "$PYTHON_ZARR3" 3
}

@test "the store of gt-stream(5): a directory by tar x, a stream by tar c" {
    make_vcf | gzip >x.vcf.gz
    sed -n '/^mkdir x.zarr/,/^\.Ed/{/^\./d;p}' "$pages/gt-stream.5" >example.sh
    [ "$(wc -l <example.sh)" -ge 4 ]
    PATH=$GT_BUILD:$PATH bash -e -o pipefail example.sh
    "$GT_BUILD/gt-pdist" x.vcf.gz -o expected.tsv
    cmp expected.tsv dist.tsv
}
