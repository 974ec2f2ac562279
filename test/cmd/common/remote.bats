#!/usr/bin/env bats
# VCF and BCF by URL, from a server on this machine.

bats_require_minimum_version 1.5.0

setup_file() {
    cd "$BATS_FILE_TMPDIR"
    export no_proxy=127.0.0.1 NO_PROXY=127.0.0.1
    command -v bcftools >/dev/null || return 0
    gt-sim --samples 200 --variants 60000 --missing 0.01 --contigs 3 -O vcf -o big.vcf
    bcftools view --no-version -Oz -o big.vcf.gz big.vcf
    bcftools view --no-version -Ob -o big.bcf big.vcf
    bcftools index -t big.vcf.gz
    bcftools index big.bcf
    for name in vcf.gz bcf; do
        cp big.$name bare.$name
    done
    "$PYTHON" "$GT_SOURCE/test/support/http_server.py" . port log >/dev/null 2>&1 3>&- &
    echo $! > pid
    for _ in {1..100}; do
        [ ! -f port ] || break
        sleep 0.1
    done
}

teardown_file() {
    [ ! -f "$BATS_FILE_TMPDIR/pid" ] || kill "$(cat "$BATS_FILE_TMPDIR/pid")"
}

setup() {
    cd "$BATS_FILE_TMPDIR"
    [ -f port ] || skip "no bcftools to make the files with"
    url=http://127.0.0.1:$(cat port)
    : > log
}

# pack ARG...: the packed stream, without where it came from.
pack() {
    gt-pack -q --no-version "$@" -o -
}

# taken NAME: bytes of that file that the server sent.
taken() {
    awk -v name="$1" '$1 == name { n += $3 } END { print n + 0 }' log
}

@test "a VCF.gz, a BCF and plain text by URL are what they are as files" {
    for name in big.vcf.gz big.bcf big.vcf; do
        pack "$url/$name" | cmp - <(pack $name)
    done
    pack "$url/stream/bare.vcf.gz" | cmp - <(pack bare.vcf.gz)
    pack bare.vcf.gz > x.tar
    pack "$url/x.tar" | cmp - x.tar
    run --separate-stderr gt-pack "$url/cut/x.tar" -o out.zarr
    [ "$status" -eq 1 ]
    gt-unpack -q bare.vcf.gz -o x.npy
    run --separate-stderr gt-pack "$url/x.npy" -o out.zarr
    [ "$status" -eq 3 ]
    [[ $stderr == *"is a NumPy .npy, which cannot be read by URL"* ]]
}

@test "several passes over a URL: read again, or spooled when it cannot be" {
    for mind in 0.5 0.01; do
        pack --mind $mind "$url/big.vcf.gz" | cmp - <(pack --mind $mind big.vcf.gz)
        pack --mind $mind "$url/stream/bare.vcf.gz" | cmp - <(pack --mind $mind bare.vcf.gz)
    done
}

@test "regions by a remote index: the same sites, and little of the file" {
    # Not compressed: how far the server runs ahead depends on buffers and on time, and is small beside these sizes.
    bcftools view --no-version -Oz -l 0 -o large.vcf.gz big.vcf
    bcftools view --no-version -Ob -l 0 -o large.bcf big.vcf
    bcftools index -t large.vcf.gz
    bcftools index large.bcf
    for name in vcf.gz bcf; do
        for regions in 2:1000000-1500000 "3:5000000-5000100,1:90000000-90100000,2:1-200000"; do
            : > log
            pack -r $regions "$url/large.$name" | cmp - <(pack -r $regions bare.$name)
            [ "$(taken large.$name)" -gt 0 ]
            [ "$(taken large.$name)" -lt $(($(stat -c %s large.$name) / 4)) ]
        done
    done
    pack -r 2:1000000-1500000 "$url/big.vcf.gz?token=a/b" | cmp - <(pack -r 2:1000000-1500000 bare.vcf.gz)
    [ "$(taken big.vcf.gz.tbi)" -gt 0 ]
}

@test "without an index, or without ranges, the whole file is read" {
    pack -r 2:1000000-1500000 "$url/bare.vcf.gz" | cmp - <(pack -r 2:1000000-1500000 big.vcf.gz)
    pack -r 2:1000000-1500000 "$url/stream/big.vcf.gz" | cmp - <(pack -r 2:1000000-1500000 big.vcf.gz)
}

@test "what is missing, not allowed, or breaks off is an error that names it" {
    run --separate-stderr gt-pack "$url/none.vcf.gz" -o out.zarr
    [ "$status" -eq 1 ]
    [[ $stderr == *"cannot open '$url/none.vcf.gz': No such file"* ]]
    run --separate-stderr gt-pack "$url/status/403/big.vcf.gz" -o out.zarr
    [ "$status" -eq 1 ]
    [[ $stderr == *"cannot open '$url/status/403/big.vcf.gz'"* ]]
    run --separate-stderr gt-pack "$url/cut/bare.vcf.gz" -o out.zarr
    [ "$status" -eq 1 ]
    [[ $stderr == *"cannot read '$url/cut/bare.vcf.gz': Connection reset"* ]]
    run --separate-stderr gt-pack http://127.0.0.1:1/x.vcf.gz -o out.zarr
    [ "$status" -eq 1 ]
    [[ $stderr == *"cannot open 'http://127.0.0.1:1/x.vcf.gz'"* ]]
    [ ! -e out.zarr ]
    [ ! -e out.zarr.partial ]
}
