#!/usr/bin/env bats
# Stores by URL, from servers on this machine: Python's, with faults, nginx, and moto for S3.

bats_require_minimum_version 1.5.0

load ../../support/servers

setup_file() {
    cd "$BATS_FILE_TMPDIR"
    export no_proxy=127.0.0.1 NO_PROXY=127.0.0.1
    gt-sim -q --samples 300 --variants 6000 --missing 0.01 --contigs 3 --seed 1 --chunks variants=20,samples=300 -O packed -o s.zarr
    gt-sim -q --samples 40 --variants 300 --seed 2 --chunks variants=50,samples=20 -O vcz --zarr-format 3 -o v3.zarr
    gt-sim -q --samples 40 --variants 300 --missing 0.02 --seed 3 --chunks variants=50 -O packed -o small.zarr
    gt-sim -q --samples 20 --variants 30 --uniform 0..200 --dtype i2 --zarr-format 3 --chunks variants=20,samples=10 --codec \
        '[{"name":"sharding_indexed","configuration":{"chunk_shape":[5,2],"codecs":[{"name":"bytes","configuration":{"endian":"little"}},"zstd"],"index_codecs":[{"name":"bytes","configuration":{"endian":"little"}},"crc32c"]}}]' \
        -o shards.zarr
    mkdir -p deep/of
    cp -r s.zarr deep/of/name
    timeout "${GT_TEST_LIMIT:-900}" "$PYTHON" "$GT_SOURCE/test/support/http_server.py" . port log > /dev/null 2>&1 3>&- &
    echo $! > pids
    wait_for test -f port
}

teardown_file() {
    [ ! -f "$BATS_FILE_TMPDIR/pids" ] || kill $(cat "$BATS_FILE_TMPDIR/pids") 2> /dev/null || true
}

setup() {
    cd "$BATS_FILE_TMPDIR"
    gt-info --version | grep -q '^URL schemes: .*http' || skip "built without libcurl"
    url=http://127.0.0.1:$(cat port)
    : > log
}

# pack ARG...: the packed stream, without where it came from.
pack() { timeout 120 gt-pack -q --no-version "$@" -o -; }

# all_commands IN DIR: what every command makes of the store, without where it came from.
all_commands() {
    mkdir -p "$2"
    timeout 120 gt-pack -q --no-version "$1" -o "$2/pack.tar"
    timeout 120 gt-pack -q --no-version --maf 0.1 -s '^S2,S5' "$1" -o "$2/some.tar"
    timeout 120 gt-unpack -q --no-version "$1" -o - > "$2/unpack.vcf"
    timeout 120 gt-rechunk -q --no-version -c variants=70,samples=-1 "$1" -o "$2/rechunk.tar"
    timeout 120 gt-pdist -q -m ibs "$1" -o "$2/pdist.npy"
    timeout 120 gt-pdist -q -m king -O king "$1" -o "$2/king"
    timeout 120 gt-svd -q -k 3 "$1" -o "$2/svd"
    timeout 120 gt-info -q --stats variants "$1" > "$2/variants.tsv"
    timeout 120 gt-info -q --stats samples "$1" > "$2/samples.tsv"
    timeout 120 gt-info --head 9 --array variant_allele "$1" > "$2/head.txt"
    timeout 120 gt-info --check --deep "$1" | tail -n 1 > "$2/check.txt"
}

# in_one_file STORE NAME: makes NAME.zip and NAME.tar of a directory.
in_one_file() {
    (cd "$1" && find . -type f \( -name '.z*' -o -name zarr.json \) | sort && find . -type f ! -name '.z*' ! -name zarr.json | sort) > keys
    tar -C "$1" -cf "$2.tar" -T keys
    "$PYTHON" -c 'import sys, zipfile
with zipfile.ZipFile(sys.argv[2], "w") as z:
    for key in open("keys").read().split():
        z.write(sys.argv[1] + "/" + key, key)' "$1" "$2.zip"
}

# taken: bytes that the server sent.
taken() { awk '{ n += $3 } END { print n + 0 }' log; }

@test "a store by URL is what it is as a directory" {
    pack "$url/s.zarr" | cmp - <(pack s.zarr)
    pack "$url/s.zarr/?token=a%2Fb" | cmp - <(pack s.zarr)
    pack "$url/v3.zarr" | cmp - <(pack v3.zarr)
    for at in s.zarr/variant_position deep/of/name/variant_position v3.zarr/call_genotype shards.zarr; do
        timeout 60 gt-info --head 3 "$url/$at" | cmp - <(gt-info --head 3 "$at")
    done
    pack "$url/deep/of/name" | cmp - <(pack s.zarr)
    timeout 60 gt-pdist -q -m ibs "$url/whole/s.zarr" -o - | cmp - <(gt-pdist -q -m ibs s.zarr -o -)
    timeout 60 gt-info --check --deep "$url/s.zarr" | tail -n 1 | cmp - <(gt-info --check --deep s.zarr | tail -n 1)
    timeout 60 gt-info --head 30 "$url/whole/shards.zarr" | cmp - <(gt-info --head 30 shards.zarr)
}

@test "every command makes the same of a store wherever it lies" {
    for store in small v3; do
        all_commands $store.zarr want.$store
        in_one_file $store.zarr all
        cp -r $store.zarr all.zarr
        STORAGE_EMULATOR_HOST=127.0.0.1:$(cat port)
        export STORAGE_EMULATOR_HOST
        mkdir -p bucket/of
        cp -r $store.zarr all.zip bucket/of
        for from in all.zarr all.zip all.tar "$url/all.zarr" "$url/all.zip" "$url/all.tar" "gs://bucket/of/$store.zarr" gs://bucket/of/all.zip; do
            rm -rf made
            all_commands "$from" made
            diff -r made want.$store || { echo "$from"; return 1; }
        done
        rm -r all.* bucket
    done
}

@test "names inside a store that a URL escapes, and such as look so" {
    local name='dé à/a b%20c?#'
    mkdir -p odd.zarr
    echo '{"zarr_format": 3, "node_type": "group", "attributes": {}}' > odd.zarr/zarr.json
    gt-rechunk -q --array variant_position --slice :3 v3.zarr -o "odd.zarr/array"
    mkdir -p "odd.zarr/${name%/*}"
    mv odd.zarr/array "odd.zarr/$name"
    gt-info --head 3 --array "$name" odd.zarr > want
    gt-info --head 3 "$url/odd.zarr/d%C3%A9%20%c3%a0/a%20b%2520c%3F%23" | cmp - want
    gt-info --head 3 "$url/odd.zarr/dé à/a b%2520c%3f%23?token=%20" | cmp - want
    gt-info --head 3 --array "$name" "$url/odd.zarr" | cmp - want
    run gt-info --head 3 "$url/odd.zarr/a%00b%4"
    [ "$status" -eq 3 ]
    [[ $output == *"no Zarr array or group 'a%00b%4'"* ]]
    run gt-info --head 3 "$url/odd.zarr/%2e%2e/v3.zarr/variant_position"
    [ "$status" -ne 0 ]
    rm -r odd.zarr
}

@test "a zip by URL: its directory, and the values that are needed" {
    gt-rechunk -q --no-version s.zarr -o s.zip
    (cd v3.zarr && "$PYTHON" -c 'import os, zipfile
with zipfile.ZipFile("../packed.zip", "w", zipfile.ZIP_DEFLATED) as z:
    for folder, _, names in os.walk("."):
        for name in names:
            z.write(os.path.join(folder, name), os.path.join("v3.zarr", folder, name))')
    gt-rechunk -q shards.zarr -o shards.zip
    cp s.zip named.dat
    "$PYTHON" -c 'import shutil, zipfile
for name, n in ("near", 16384 - 22), ("beyond", 16384 - 21), ("longest", 65535): # 22 bytes of the record before it, 16 KiB are got first
    shutil.copy("s.zip", name + ".zip")
    with zipfile.ZipFile(name + ".zip", "a") as z:
        z.comment = b"PK\x05\x06" * 20 + b"c" * (n - 80)'
    for name in near beyond longest; do timeout 60 gt-info --head 30 "$url/$name.zip/variant_position" | cmp - <(gt-info --head 30 s.zip/variant_position); done
    : > log
    pack "$url/s.zip" | cmp - <(pack s.zarr)
    # a request for each value, one for the end
    [ "$(wc -l < log)" -le $(($(find s.zarr -type f | wc -l) + 5)) ]
    pack "$url/s.zip?token=1" | cmp - <(pack s.zarr)
    pack "$url/named.dat" | cmp - <(pack s.zarr)
    pack "$url/packed.zip" | cmp - <(pack v3.zarr)
    for at in s.zip/variant_position packed.zip/call_genotype shards.zip; do
        timeout 60 gt-info --head 30 "$url/$at" | cmp - <(gt-info --head 30 "$at")
    done
    timeout 60 gt-info "$url/s.zip" | tail -n +2 | cmp - <(gt-info s.zip | tail -n +2)
    timeout 120 gt-pack --no-version -q --timeout 8 "$url/faulty/packed.zip" -o - | cmp - <(pack v3.zarr)
    : > log
    timeout 60 gt-info -q --head 3 "$url/s.zip/packed_dosage" > /dev/null
    [ "$(taken)" -lt 200000 ]
    head -c 200000 s.zip > cut.zip
    for name in cut.zip:3:truncated none.zip:1:'No such file' whole/s.zip:1:'does not support range requests'; do
        IFS=: read -r at code what <<< "$name"
        run --separate-stderr timeout 30 gt-pack "$url/$at" -o none.zarr
        [ "$status" -eq "$code" ]
        [[ $stderr == *"$url/$at"*"$what"* ]]
    done
    "$PYTHON" - << 'PY'
data = bytearray(open("s.zip", "rb").read())
at = data.find(b"packed_dosage/9.0") + 17 + 10
data[at] ^= 4
open("flipped.zip", "wb").write(data)
PY
    run timeout 60 gt-info --check "$url/flipped.zip"
    [ "$status" -eq 3 ]
    [[ $output == *"packed_dosage/9.0"* ]]
    run ! ls none.zarr
}

@test "the listing of a store by URL, with and without consolidated metadata" {
    run timeout 60 gt-info "$url/s.zarr"
    [ "$status" -eq 0 ]
    [ "${lines[0]}" = "$url/s.zarr: Zarr v2, remote store" ]
    [[ $output == *"packed_dosage"*"uint8    (6000, 75) in (20, 75)  zstd:1"* ]]
    gt-info --json "$url/s.zarr" | "$PYTHON" -c 'import json, sys; x = json.load(sys.stdin); assert x["bytes_stored"] is None and len(x["arrays"]) > 5'
    cp -r s.zarr bare.zarr
    rm bare.zarr/.zmetadata
    gt-info "$url/bare.zarr" > have
    grep -q 'variant_allele .*(6000, ' have
    grep -q 'sample_id .*(300)' have
    pack "$url/bare.zarr" | cmp - <(pack s.zarr)
    rm -r bare.zarr
}

@test "a region: few bytes, counted by -v" {
    region=2:$(gt-info --head 3060 s.zarr/variant_position | sed -n '3001p; 3060p' | paste -sd -)
    gt-pdist -q -r "$region" s.zarr -o want.npy -f
    timeout 60 gt-pdist -v -r "$region" "$url/s.zarr" -o have.npy -f 2> notes
    cmp have.npy want.npy
    grep -q 'kept 60 of 6,000 variants' notes # 1 %
    [ "$(taken)" -gt 0 ]
    # Positions and contigs of all sites, and four of 300 chunks of genotypes; a chunk of the least size is of 75 bytes x 20.
    [ "$(awk '$1 ~ /packed_dosage/ { n++ } END { print n }' log)" -le 4 ]
    [ "$(taken)" -lt $(($(find s.zarr -type f -printf '%s\n' | awk '{ n += $1 } END { print n }') * 3 / 100 + 20000)) ]
    [[ $(cat notes) == *"requests to servers (0 repeated): "* ]]
}

@test "1 % of a cohort by region takes under 3 % of its bytes" {
    gt-sim -q --samples 1000 --variants 40000 --missing 0.01 --seed 4 --chunks variants=400,samples=1000 -O packed -o packed.zarr
    gt-sim -q --samples 1000 --variants 40000 --missing 0.01 --seed 4 --chunks variants=400,samples=1000 -O vcz -o vcz.zarr
    in_one_file packed.zarr one
    region=1:$(gt-info --head 20400 packed.zarr/variant_position | sed -n '20001p; 20400p' | paste -sd -)
    gt-pdist -q -m ibs -r "$region" packed.zarr -o want.npy -f
    for store in packed.zarr vcz.zarr one.zip; do
        : > log
        timeout 60 gt-pdist -v -m ibs -r "$region" "$url/$store" -o have.npy -f 2> notes
        cmp have.npy want.npy
        grep -q 'kept 400 of 40,000 variants' notes
        all=$(find "$store" -type f -printf '%s\n' | awk '{ n += $1 } END { print n }')
        [ "$store" != one.zip ] || all=$((all + 2000000)) # its directory is read, twice
        [ "$(taken)" -gt 0 ] && [ "$(taken)" -lt $((all * 3 / 100)) ] || { echo "$store: $(taken) of $all"; return 1; }
    done
    rm -r packed.zarr vcz.zarr one.zip
}

# tell NAME: what the server says of itself.
tell() { "$PYTHON" -c 'import sys, urllib.request; print(urllib.request.urlopen(sys.argv[1]).read().decode())' "$url/$1"; }

@test "many requests are on their way at once" {
    pack --io 32 "$url/slow/s.zarr" | cmp - <(pack s.zarr)
    [ "$(tell most)" -ge 16 ]
}

@test "50 ms a request cost what 32 requests at once leave of them" {
    local kind from ms requests slow=999999 quick=999999
    for _ in 1 2 3; do
        for kind in slow/ ""; do
            : > log
            from=$(date +%s%3N)
            timeout 120 gt-info -q --check --io 32 "$url/${kind}s.zarr" > said
            ms=$(($(date +%s%3N) - from))
            [[ $(tail -n 1 said) == *" 0 damaged, 0 not supported" ]]
            requests=$(wc -l < log)
            if [ -n "$kind" ]; then slow=$((ms < slow ? ms : slow)); else quick=$((ms < quick ? ms : quick)); fi
        done
        # 16: until the chunks are known, with what is left of rounds at the end, on a machine that is busy
        [ "$slow" -gt $((quick + 50 * (requests / 32 + 16) * 3 / 2)) ] || return 0
    done
    echo "with $slow ms, without $quick ms, for $requests requests"
    return 1
}

@test "a stretch of a store takes few requests after one another" {
    local rounds
    for _ in 1 2 3; do
        tell rounds
        timeout 120 gt-pdist -q -m ibs -r 1:1-50000 --io 32 "$url/slow/s.zarr" -o stretch.npy -f
        rounds=$(tell rounds)
        rm stretch.npy
        # metadata, tables, sites, calls; if each array and each document had its turn they would be 16
        [ "$rounds" -lt 3 ] || [ "$rounds" -gt 8 ] || return 0
    done
    echo "$rounds requests after one another"
    return 1
}

@test "texts of variable length are asked for many at a time" {
    local rounds chunk
    gt-rechunk -q --array variant_allele -c 20,2 s.zarr -o texts.zarr # 300 chunks
    for chunk in 6000,2 600,2 7,1; do
        gt-rechunk -q --no-version -c $chunk texts.zarr -o here.zarr -f
        for _ in 1 2 3; do
            tell rounds > /dev/null
            timeout 120 gt-rechunk -q --no-version -@ 2 --io 32 -c $chunk "$url/slow/texts.zarr" -o there.zarr -f
            rounds=$(tell rounds)
            [ "$rounds" -ge 75 ] || break # two at a time they would be 150
        done
        [ "$rounds" -gt 3 ] && [ "$rounds" -lt 75 ] || { echo "$rounds requests after one another for $chunk"; return 1; }
        diff -r here.zarr there.zarr
    done
    rm -r texts.zarr here.zarr there.zarr
}

make_inner() { gt-rechunk -q --array packed_dosage --zarr-format 3 -c 20,300 --shard 6000,300 s.zarr -o inner.zarr; }

@test "ranges that stand close to one another are one request, of a shard and a zip, of servers with faults" {
    make_inner
    gt-rechunk -q --zarr-format 2 -c 20,300 --codec gzip:1 inner.zarr -o inner.zip
    gt-pdist -q -m ibs inner.zarr -o want.npy
    local kind name
    for name in inner.zarr inner.zip; do # 300 chunks of 20 variants
        for kind in "" whole/ faulty/ slow/; do
            [ "$kind$name" != whole/inner.zip ] || continue # a zip needs ranges
            : > log
            timeout 120 gt-pdist -q -m ibs --io 32 "$url/$kind$name" -o got.npy -f
            cmp got.npy want.npy
            [ "$kind" = faulty/ ] || [ "$(wc -l < log)" -lt 40 ] || { echo "$kind$name: $(wc -l < log)"; return 1; }
        done
    done
    rm -r inner.zarr inner.zip
}

@test "ranges that stand close to one another are one request" {
    make_inner
    gt-pdist -q -m ibs inner.zarr -o want.npy
    : > log
    timeout 60 gt-pdist -q -m ibs --io 32 "$url/inner.zarr" -o got.npy -f
    cmp got.npy want.npy
    [ "$(wc -l < log)" -lt 40 ]
    # what makes a chunk of the output is asked for together
    : > log
    timeout 60 gt-rechunk -q -@ 2 --io 4 -c 60,300 "$url/inner.zarr" -o sixty.zarr
    [ "$(wc -l < log)" -lt 110 ] || { echo "$(wc -l < log) requests"; return 1; }
    [ -z "$(sort log | uniq -d)" ] # not even the index of the shard, which no chunk may hold for a moment
    gt-rechunk -q -c 60,300 inner.zarr -o sixty_here.zarr
    diff -r --exclude zarr.json sixty.zarr sixty_here.zarr
    # and what makes many chunks, all of which need all of it
    : > log
    timeout 60 gt-rechunk -q -@ 2 --io 4 -c 6000,20 "$url/inner.zarr" -o turned.zarr
    [ "$(wc -l < log)" -lt 60 ] || { echo "$(wc -l < log) requests"; return 1; }
    gt-rechunk -q -c 6000,20 inner.zarr -o turned_here.zarr
    diff -r --exclude zarr.json turned.zarr turned_here.zarr
    rm -r turned.zarr turned_here.zarr
    # ten of a hundred, far from one another, are not all that is between
    : > log
    timeout 60 gt-rechunk -q --slice ::600 "$url/inner.zarr" -o few.zarr
    gt-rechunk -q --slice ::600 inner.zarr -o few_here.zarr
    diff -r --exclude zarr.json few.zarr few_here.zarr
    [ "$(taken)" -lt $(($(stat -c %s inner.zarr/c/0/0) / 4)) ]
    # a shard that ends early, and one whose index leads beyond its end
    cp -r inner.zarr short.zarr
    truncate -s -5000 short.zarr/c/0/0
    run timeout 60 gt-pdist -q -m ibs "$url/short.zarr" -o short.npy
    [ "$status" -eq 3 ]
    [[ $output == *"c/0/0"* ]]
    rm -r inner.zarr few.zarr few_here.zarr short.zarr sixty.zarr sixty_here.zarr
}

@test "a range that comes from another place is an error, and not taken for what was asked for" {
    gt-rechunk -q --zarr-format 3 --codec none -c 20,300 --shard 6000,300 --array packed_dosage --layout plain s.zarr -o raw.zarr
    gt-rechunk -q --slice 40:80 "$url/raw.zarr" -o some.npy
    gt-rechunk -q -f --slice 40:80 raw.zarr -o here.npy
    cmp some.npy here.npy
    local kind
    for kind in raw.zarr small.zip; do
        [ -f small.zip ] || gt-rechunk -q small.zarr -o small.zip
        run timeout 60 gt-rechunk -q -f --slice 40:80 "$url/shifted/$kind" -o other.npy
        [ "$status" -eq 1 ]
        [[ $output == *"/shifted/$kind"*"the server returned other bytes than requested"* ]]
    done
    rm -r raw.zarr
}

@test "what consolidated metadata do not list is not asked for, and documents are asked for at once" {
    gt-pdist -q -m ibs "$url/s.zarr" -o x.npy -f
    [ "$(grep -c variants/CHROM log)" -eq 0 ]
    rm -f x.npy
    mkdir -p bare
    cp -r small.zarr bare/x.zarr
    rm bare/x.zarr/.zmetadata
    local from
    from=$(date +%s%3N)
    timeout 60 gt-info --io 32 "$url/slow/bare/x.zarr" | grep packed_dosage
    [ $(($(date +%s%3N) - from)) -lt 2500 ] # one after another they would take four seconds
}

@test "a server that fails now and then changes nothing but the time" {
    timeout 120 gt-pack -v --no-version --timeout 8 "$url/faulty/v3.zarr" -o faulty.tar -f 2> notes
    cmp faulty.tar <(pack v3.zarr)
    [[ $(cat notes) == *" repeated): "* ]]
    run ! grep -q '(0 repeated)' notes
}

# asked_again CODE...: of a server that answers so once
asked_again() {
    local code
    for code in "$@"; do
        : > log
        timeout 120 gt-pack -v --no-version "$url/once/$code/v3.zarr" -o once.tar -f 2> notes
        cmp once.tar <(pack v3.zarr)
        n=$(grep -c "^once $code" log)
        [ "$n" -gt 3 ]
        [[ $(cat notes) == *" repeated): "* ]]
        run ! grep -q '(0 repeated)' notes
    done
}

@test "a server that answers 429 once is asked again" { asked_again 429; }

@test "a server that answers 408, 500 or 502 once is asked again" { asked_again 408 500 502; }

@test "the query of a URL is sent with every request" {
    timeout 60 gt-info --head 3 "$url/signed/v3.zarr/sample_id?key=a%20b" > have
    cmp have <(gt-info --head 3 v3.zarr/sample_id)
    timeout 60 gt-pack -q --no-version "$url/signed/small.zarr?key=a%20b" -o - | cmp - <(pack small.zarr)
    run -1 --separate-stderr timeout 60 gt-pack "$url/signed/small.zarr?key=a" -o none.zarr
    [ ! -e none.zarr ]
}

@test "a server that says how many seconds to wait is asked again no earlier" {
    timeout 120 gt-info --head 3 --array sample_id "$url/busy/v3.zarr" > have
    cmp have <(gt-info --head 3 --array sample_id v3.zarr)
    [ "$(grep -c '^once 429' log)" -ge 2 ]
    run ! grep '^early' log
}

@test "values are asked for without Content-Encoding, and refused with one" {
    pack "$url/polite/v3.zarr" | cmp - <(pack v3.zarr)
    timeout 60 gt-rechunk -q --no-version -c 10,10 "$url/polite/shards.zarr" -o - | cmp - <(gt-rechunk -q --no-version -c 10,10 shards.zarr -o -)
    run -1 --separate-stderr timeout 30 gt-pack "$url/gzip/v3.zarr" -o none.zarr
    [[ "${stderr_lines[0]}" = *"gt-pack: "*"cannot read '$url/gzip/v3.zarr/"*"': the server sent Content-Encoding gzip, although identity was requested" ]]
    [[ $stderr == *"hint: store the files without a Content-Encoding, or turn compression off"* ]]
    [ ! -e none.zarr ]
}

@test "a server that is silent, fails always, refuses, or is not there is an error that names the URL" {
    SECONDS=0
    run --separate-stderr timeout 30 gt-pack --timeout 1 "$url/silent/s.zarr" -o none.zarr
    [ "$status" -eq 1 ]
    [[ $stderr == *"cannot read '$url/silent/s.zarr/"*"': no answer for "* ]]
    [ "$SECONDS" -lt 15 ]
    run --separate-stderr timeout 30 gt-pack --timeout 1 "$url/status/500/s.zarr" -o none.zarr
    [ "$status" -eq 1 ]
    [[ $stderr == *"the server answers with status 500"* ]]
    run --separate-stderr timeout 30 gt-pack "$url/status/401/s.zarr" -o none.zarr
    [ "$status" -eq 1 ]
    [[ $stderr == *"cannot read '$url/status/401/s.zarr/"*"the server answers with status 401"* ]]
    local from=${EPOCHREALTIME/./}
    run --separate-stderr timeout 30 gt-pack --timeout 2 http://127.0.0.1:1/s.zarr -o none.zarr
    [ "$status" -eq 1 ]
    [ $((${EPOCHREALTIME/./} - from)) -ge 1700000 ]
    [[ $stderr == *"cannot read 'http://127.0.0.1:1/s.zarr/"* ]]
    run --separate-stderr timeout 30 gt-pack "$url/none.zarr" -o none.zarr
    [ "$status" -eq 3 ]
    [[ $stderr == *"holds no Zarr store"* ]]
    run --separate-stderr timeout 30 gt-pack "$url/refused/s.zarr" -o none.zarr
    [ "$status" -eq 1 ]
    [[ $stderr == *"status 403"*"--missing-403"* ]]
    pack --missing-403 "$url/refused/s.zarr" | cmp - <(pack s.zarr)
    run --separate-stderr timeout 30 gt-pack --timeout 0 "$url/s.zarr" -o none.zarr
    [ "$status" -eq 2 ]
    [ ! -e none.zarr ]
    run --separate-stderr timeout 30 gt-pack s3:///x -o none.zarr
    [ "$status" -eq 2 ]
}

@test "a chunk that is not there reads as fill, of packed genotypes it is an error; damage names the key" {
    cp -r v3.zarr holes.zarr
    rm holes.zarr/call_genotype/c/2/0/0
    timeout 60 gt-info --head 300 "$url/holes.zarr/call_genotype" | cmp - <(gt-info --head 300 holes.zarr/call_genotype)
    cp -r s.zarr less.zarr
    rm less.zarr/packed_dosage/7.0
    run --separate-stderr timeout 60 gt-pack "$url/less.zarr" -o none.zarr
    [ "$status" -eq 3 ]
    [[ $stderr == *"chunk 'packed_dosage/7.0' is missing"* ]]
    truncate -s -3 less.zarr/packed_dosage/8.0
    run timeout 60 gt-info --check "$url/less.zarr"
    [ "$status" -eq 3 ]
    [[ $output == *"damaged	packed_dosage/7.0	"*"damaged	packed_dosage/8.0	"* ]]
    truncate -s 30 shards.zarr/c/0/0
    run timeout 60 gt-info --head 3 "$url/shards.zarr"
    [ "$status" -eq 3 ]
    [[ $output == *"c/0/0"* ]]
    rm -r less.zarr holes.zarr
}

# A server of HTTP/2 on $port2, with a certificate that we alone know; it logs its connections.
two() {
    openssl req -x509 -newkey rsa:2048 -nodes -keyout key.pem -out cert.pem -days 2 -subj /CN=127.0.0.1 -addext subjectAltName=IP:127.0.0.1 2> /dev/null
    cat << CONF
    log_format two "\$connection \$server_protocol";
    server { listen 127.0.0.1:$port2 ssl http2; access_log $PWD/nginx/two.log two; ssl_certificate $PWD/cert.pem; ssl_certificate_key $PWD/key.pem; root $PWD; }
CONF
}

# missing_chunks STORE...: of holes.zarr, each as a file or by URL
missing_chunks() {
    local store way command
    "$PYTHON" - << 'PY'
import numpy, zarr
a = zarr.open("holes.zarr", mode="w", shape=(100, 8), chunks=(10, 8), dtype="i4", fill_value=7)
a[:30] = numpy.arange(240).reshape(30, 8)
a[90:] = 1
PY
    in_one_file holes.zarr holes
    for store in "$@"; do
        for way in "" "--missing-chunks fill"; do
            timeout 60 gt-rechunk -q $way -c 50,4 "$store" -o filled.zarr -f
            "$PYTHON" -c 'import zarr; assert (zarr.open("filled.zarr", "r")[:] == zarr.open("holes.zarr", "r")[:]).all()'
        done
        for command in "gt-rechunk -q -c 50,4 -f -o no.zarr" "gt-pdist -q -m euclidean -f -o no.npy" "gt-svd -q -k 2 -f -o no"; do
            run -3 --separate-stderr timeout 60 $command --missing-chunks error "$store"
            [[ "${stderr_lines[0]}" = *"chunk '"[3-8]".0' is missing" ]]
            [[ "${stderr_lines[1]}" = "hint: --missing-chunks fill"* ]]
        done
        run -3 timeout 60 gt-info --check --missing-chunks error "$store"
        [ "$(grep -c "^damaged	[3-8].0	.* is missing$" <<< "$output")" -eq 6 ]
    done
}

@test "--missing-chunks error refuses what else reads as fill values: a folder, a folder by URL" { missing_chunks holes.zarr "$url/holes.zarr"; }

@test "--missing-chunks error refuses what else reads as fill values, in files; what stores leave out by agreement does not count" {
    missing_chunks holes.zip holes.tar "$url/holes.zip"
    # what our own stores leave out by agreement does not count
    gt-pack -q --missing-chunks error s.zarr -o whole.zarr -f
    gt-rechunk -q --missing-chunks error -c variants=70 s.zarr -o whole.zarr -f
    gt-info --check --deep --missing-chunks error s.zarr
}

@test "nginx, with HTTP/2 many requests on a connection" {
    PATH=$PATH:/usr/sbin
    command -v nginx > /dev/null || skip "no nginx"
    port=$(free_port)
    port2=$(free_port)
    mkdir -p nginx
    cat > nginx.conf << CONF
pid $PWD/nginx/pid;
error_log $PWD/nginx/error.log;
worker_processes 1;
daemon off;
events {}
http {
    access_log $PWD/nginx/access.log;
    client_body_temp_path $PWD/nginx/a; proxy_temp_path $PWD/nginx/b; fastcgi_temp_path $PWD/nginx/c;
    uwsgi_temp_path $PWD/nginx/d; scgi_temp_path $PWD/nginx/e;
    server { listen 127.0.0.1:$port; root $PWD; location /moved/ { rewrite ^/moved/(.*) /\$1 redirect; } }
    $(! command -v openssl > /dev/null || two)
}
CONF
    chmod -R a+rX . .. 2> /dev/null || true
    timeout "${GT_TEST_LIMIT:-900}" nginx -p "$PWD/nginx" -e "$PWD/nginx/error.log" -c "$PWD/nginx.conf" -g "user $(id -un);" > /dev/null 2>&1 3>&- &
    echo $! >> pids
    wait_for "$PYTHON" -c 'import sys, urllib.request; urllib.request.urlopen(sys.argv[1])' "http://127.0.0.1:$port/s.zarr/.zgroup"
    pack "http://127.0.0.1:$port/s.zarr" | cmp - <(pack s.zarr)
    pack "http://127.0.0.1:$port/moved/s.zarr" | cmp - <(pack s.zarr)
    timeout 60 gt-info --head 30 "http://127.0.0.1:$port/v3.zarr/call_genotype" | cmp - <(gt-info --head 30 v3.zarr/call_genotype)
    nginx -V 2>&1 | grep -q http_v2_module && [ -f cert.pem ] || return 0
    run timeout 60 gt-info "https://127.0.0.1:$port2/s.zarr"
    [ "$status" -eq 1 ]
    [[ $output == *"certificate"* ]]
    export CURL_CA_BUNDLE=$PWD/cert.pem
    : > nginx/two.log
    pack --io 4 "https://127.0.0.1:$port2/s.zarr" | cmp - <(pack s.zarr)
    [ "$(grep -c HTTP/2.0 nginx/two.log)" -ge 300 ]
    [ "$(sort -u nginx/two.log | wc -l)" -le 8 ]
}

@test "--memory counts what encrypted connections take" {
    local from
    for from in https://127.0.0.1:1/s.zarr s3://bucket/s.zarr gs://bucket/s.zarr; do
        run timeout 30 gt-info --check --memory 200M --io 20 "$from"
        [ "$status" -eq 4 ]
        [[ $output == *"--memory "*"or fewer connections with --io" ]]
    done
    timeout 60 gt-info -q --check --memory 200M --io 20 "$url/s.zarr" | grep ' 0 damaged'
}

# A server of S3 that checks who may do what, with v3.zarr and v3.zip below cohorts/a b+c.
setup_s3() {
    [ -n "${PYTHON_MOTO:-}" ] || skip "no server of S3: PYTHON_MOTO is not set (scripts/test makes it where it can)"
    export HOME=$PWD AWS_REGION=eu-west-1
    unset AWS_ACCESS_KEY_ID AWS_SECRET_ACCESS_KEY AWS_SESSION_TOKEN AWS_PROFILE
    port=$("$PYTHON" -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
    export AWS_ENDPOINT_URL=http://127.0.0.1:$port
    in_one_file v3.zarr v3
    # Calls after those that set up the bucket have to be allowed.
    INITIAL_NO_AUTH_ACTION_COUNT=100000 timeout "${GT_TEST_LIMIT:-900}" "$PYTHON_MOTO" -m moto.server -H 127.0.0.1 -p "$port" > moto.log 2>&1 3>&- &
    echo $! >> pids
    wait_for "$PYTHON" -c 'import sys, urllib.request; urllib.request.urlopen(sys.argv[1])' "$AWS_ENDPOINT_URL/moto-api/"
    "$PYTHON_MOTO" - << 'PY'
import boto3, os, urllib.request
end = dict(endpoint_url=os.environ["AWS_ENDPOINT_URL"], region_name="eu-west-1", aws_access_key_id="root", aws_secret_access_key="root")
iam, s3 = boto3.client("iam", **end), boto3.client("s3", **end)
iam.create_user(UserName="u")
key = iam.create_access_key(UserName="u")["AccessKey"]
policy = '{"Version":"2012-10-17","Statement":[{"Effect":"Allow","Action":"s3:*","Resource":"*"}]}'
iam.put_user_policy(UserName="u", PolicyName="p", PolicyDocument=policy)
with open("keys", "w") as f:
    f.write("AWS_ACCESS_KEY_ID=%s\nAWS_SECRET_ACCESS_KEY=%s\n" % (key["AccessKeyId"], key["SecretAccessKey"]))
s3.create_bucket(Bucket="cohorts", CreateBucketConfiguration={"LocationConstraint": "eu-west-1"})
for store in "v3.zarr",:
    for folder, _, names in os.walk(store):
        for name in names:
            s3.upload_file(os.path.join(folder, name), "cohorts", "a b+c/" + os.path.join(folder, name))
s3.upload_file("v3.zip", "cohorts", "a b+c/v3.zip")
PY
    AWS_ACCESS_KEY_ID=any AWS_SECRET_ACCESS_KEY=any pack "s3://cohorts/a b+c/v3.zarr" | cmp - <(pack v3.zarr)
    "$PYTHON_MOTO" -c 'import boto3, os; boto3.client("s3", endpoint_url=os.environ["AWS_ENDPOINT_URL"], region_name="eu-west-1",
        aws_access_key_id="root", aws_secret_access_key="root").put_bucket_acl(Bucket="cohorts", ACL="public-read")'
    # From now on every call is checked: who, with which signature, may do it.
    "$PYTHON" -c 'from urllib.request import *; import sys; urlopen(Request(sys.argv[1], b"0", {"Content-Type": "text/plain"}))' \
        "$AWS_ENDPOINT_URL/moto-api/reset-auth"
    . ./keys
}

@test "s3: every command" {
    setup_s3
    export AWS_ACCESS_KEY_ID AWS_SECRET_ACCESS_KEY
    all_commands v3.zarr want.s3
    for from in "s3://cohorts/a b+c/v3.zarr" "s3://cohorts/a b+c/v3.zip"; do
        rm -rf made
        all_commands "$from" made
        diff -r made want.s3
    done
}

@test "s3: signed and anonymous, and what is forbidden" {
    setup_s3
    run --separate-stderr timeout 30 gt-pack "s3://cohorts/a b+c/v3.zarr" -o none.zarr
    [ "$status" -eq 1 ]
    [[ $stderr == *"cannot read 's3://cohorts/a b+c/v3.zarr/"*"status 40"* ]]
    export AWS_ACCESS_KEY_ID AWS_SECRET_ACCESS_KEY
    pack "s3://cohorts/a b+c/v3.zarr" | cmp - <(pack v3.zarr)
    pack "s3://cohorts/a b+c/v3.zip" | cmp - <(pack v3.zarr)
    mkdir -p .aws
    printf '[other]\naws_access_key_id = no\naws_secret_access_key = no\n[default]\naws_access_key_id = %s\naws_secret_access_key = %s\n' \
        "$AWS_ACCESS_KEY_ID" "$AWS_SECRET_ACCESS_KEY" > .aws/credentials
    unset AWS_ACCESS_KEY_ID AWS_SECRET_ACCESS_KEY
    pack "s3://cohorts/a b+c/v3.zarr" | cmp - <(pack v3.zarr)
    AWS_SECRET_ACCESS_KEY=wrong AWS_ACCESS_KEY_ID=$(sed -n 's/^AWS_ACCESS_KEY_ID=//p' keys) run --separate-stderr timeout 30 gt-pack \
        "s3://cohorts/a b+c/v3.zarr" -o none.zarr
    [ "$status" -eq 1 ]
}

# columns_asked KEY: the columns of chunks of an array (key like NAME/ROW.COLUMN... or NAME/c/ROW/COLUMN...) that the server was asked for.
columns_asked() { sed -n "s,.*/$1/\(c/\)*[0-9]*[./]\([0-9]*\).* [0-9]* [0-9]*\$,\2,p" log | sort -n | uniq -c | awk '{ printf "%s%s:%s", s, $2, $1; s = " " }'; }

@test "of samples that are not kept no chunk is fetched: every layout, requests and bytes" {
    mkdir -p some
    gt-sim -q --samples 600 --variants 1200 --missing 0.02 --seed 4 -o some/x.vcf
    local how="variants=400,samples=64" # three rows of ten columns of chunks
    gt-pack -q --chunks $how some/x.vcf -o some/packed.zarr
    gt-pack -q --chunks $how --zarr-format 3 some/x.vcf -o some/packed3.zarr
    gt-pack -q --layout vcz --chunks $how some/x.vcf -o some/vcz.zarr
    gt-pack -q --layout vcz --chunks $how --zarr-format 3 some/x.vcf -o some/vcz3.zarr
    gt-pdist -q -s S1,S130 some/x.vcf > some/pair
    gt-pdist -q -s ^S3 some/x.vcf > some/most # all columns have samples that are kept
    gt-svd -q -k 2 -s S1,S70,S100,S130,S65 some/x.vcf -o some/pca
    for name in packed packed3 vcz vcz3; do
        # the first chunk of calls is read once more when the store is opened: it shows the ploidy
        case $name in packed*) array=packed_dosage first=3 ;; *) array=call_genotype first=4 ;; esac
        for select in "-s S1,S130" "-s S130,S1" "--slice :,0:130:129"; do
            : > log
            # shellcheck disable=SC2086
            gt-pdist -q $select "$url/some/$name.zarr" > some/ours
            [ "$select" = "-s S130,S1" ] || cmp some/ours some/pair
            [ "$(columns_asked $array)" = "0:$first 2:3" ] || { echo "$name $select: $(columns_asked $array)"; cat log; return 1; }
            [ "$(taken)" -lt $(($(du -bs "some/$name.zarr" | cut -f 1) / 2)) ]
        done
        : > log
        gt-pdist -q -s ^S3 "$url/some/$name.zarr" | cmp - some/most
        [ "$(columns_asked $array)" = "0:$first 1:3 2:3 3:3 4:3 5:3 6:3 7:3 8:3 9:3" ]
        : > log
        gt-svd -q -k 2 -s S1,S70,S100,S130,S65 "$url/some/$name.zarr" -o some/ours
        cmp some/ours.eigenvec some/pca.eigenvec
        [ "$(columns_asked $array | tr ' ' '\n' | cut -d : -f 1 | tr '\n' ' ')" = "0 1 2 " ]
        # the same of a stream, where what is not wanted is passed over, and of one file
        in_one_file some/$name.zarr some/$name
        gt-pdist -q -s S1,S130 - < some/$name.tar | cmp - some/pair
        gt-pdist -q -s S1,S130 some/$name.zip | cmp - some/pair
        rm some/$name.tar some/$name.zip
        # a filter that looks at sites first, and one that counts the samples that are kept
        gt-pdist -q -s S1,S130 -r 1:1-200000 --geno 0 some/x.vcf | cmp - <(gt-pdist -q -s S1,S130 -r 1:1-200000 --geno 0 some/$name.zarr)
        diff <(gt-info --stats samples -s S200,S500 some/x.vcf 2>&1) <(gt-info --stats samples -s S200,S500 some/$name.zarr 2>&1)
    done
    # records: every array of calls
    : > log
    gt-unpack -q --no-version -s S1,S130 "$url/some/vcz.zarr" | grep -v '^##' > some/ours
    gt-unpack -q --no-version -s S1,S130 some/x.vcf | grep -v '^##' | cmp - some/ours
    [ "$(columns_asked call_genotype)" = "0:4 2:3" ]
    # no array of calls has been asked for another column
    [ -z "$(grep -E '/call_[a-z_]*/[0-9]+\.' log | sed -E 's,.*/call_[a-z_]*/[0-9]+\.([0-9]+).*,\1,' | grep -v -E '^(0|2)$')" ]
    # phases are looked up in chunks of their own
    gt-unpack -q some/x.vcf | sed '/^#/!s,\t\([01.]\)/,\t\1|,g' > some/phased.vcf
    gt-pack -q --layout vcz --chunks $how some/phased.vcf -o some/phased.zarr
    gt-pdist -q --haplotypes some/phased.vcf > some/all
    gt-pdist -q --haplotypes some/phased.zarr | cmp - some/all
    gt-pdist -q --haplotypes -s S1,S130 some/phased.vcf > some/pair
    : > log
    gt-pdist -q --haplotypes -s S1,S130 "$url/some/phased.zarr" | cmp - some/pair
    [ "$(columns_asked call_genotype_phased)" = "0:3 2:3" ]
}

@test "a server that refuses connections is waited for as long as --timeout says, else an address without a server fails soon" {
    local began=$SECONDS free
    free=$("$PYTHON" -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
    run gt-info "http://127.0.0.1:$free/small.zarr"
    [ "$status" -eq 1 ]
    [[ "$output" == *"connect to 127.0.0.1 port $free"* ]]
    (sleep 2 && exec timeout 60 "$PYTHON" -m http.server --bind 127.0.0.1 "$free") > /dev/null 2>&1 3>&- &
    local server=$!
    gt-info --timeout 40 "http://127.0.0.1:$free/small.zarr" > waited
    kill $server || true
    grep -q "packed genotypes: 40 samples x 300 variants" waited
    [ $((SECONDS - began)) -lt 40 ]
}
