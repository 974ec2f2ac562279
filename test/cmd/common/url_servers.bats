#!/usr/bin/env bats
# Outputs at the URLs of servers that fail in odd ways, or say nothing; and what is secret in URLs.

bats_require_minimum_version 1.5.0

wait_for_file() {
    for _ in {1..100}; do
        [ ! -f "$1" ] || return 0
        sleep 0.1
    done
    return 1
}

# odd KIND [FILE]: starts the server; its port is in the file KIND.
odd() {
    timeout "${GT_TEST_LIMIT:-900}" "$PYTHON" "$GT_SOURCE/test/support/odd_server.py" "$1" "$1.log" "$@" > /dev/null 2>&1 3>&- &
    echo $! >> pids
    wait_for_file "$1"
    server=http://127.0.0.1:$(cat "$1")
}

setup_file() {
    cd "$BATS_FILE_TMPDIR"
    export no_proxy=127.0.0.1 NO_PROXY=127.0.0.1
    touch pids
    gt-sim -q --samples 30 --variants 400 --uniform 0..9 --seed 3 --chunks variants=40,samples=30 -o plain.zarr
}

teardown_file() {
    cd "$BATS_FILE_TMPDIR"
    kill $(cat pids) 2> /dev/null || true
}

setup() {
    cd "$BATS_FILE_TMPDIR"
    gt-info --version | grep -q '^URL schemes: .*http' || skip "built without libcurl"
}

@test "a password and a query string are sent, but not shown or stored" {
    odd plain
    local url="${server/:\/\//://me:hidden-password@}/x.zarr?token=hidden-token"
    gt-rechunk -v --report report.html --trace trace.json plain.zarr -o "$url" 2> notes
    grep -q 'PUT /x.zarr/0.0?token=hidden-token 200' plain.log
    run -1 --separate-stderr gt-rechunk -q plain.zarr -o "$url"
    [ "${stderr_lines[0]}" = "gt-rechunk: cannot create '${server/:\/\//://...@}/x.zarr?...': it already exists" ]
    # as an input; the history of a store has it, and so has that of what is made of it
    gt-rechunk -q --report again.html --graph again.dot "$url" -o again.zarr
    [ "$(grep -o "gt-rechunk [^\"]*" again.zarr/.zattrs | tail -n 1 | grep -cF '/x.zarr?...')" -eq 1 ]
    run ! grep -r 'hidden-' notes report.html trace.json again.html again.dot again.zarr
    # the plan of an unfinished store
    odd refuses
    run -1 gt-rechunk "$url" -o "${server/:\/\//://me:hidden-password@}/x.zarr?token=hidden-token"
    [[ $output != *hidden-* ]]
    "$PYTHON" -c 'import sys, urllib.request; print(urllib.request.urlopen(sys.argv[1]).read().decode())' "$server/x.zarr/.gt-journal/0" > journal
    grep -qF '@127.0.0.1:' journal
    run ! grep 'hidden-' journal
}

@test "a server that never answers: --timeout holds, and a signal ends the command, before anything is written too" {
    "$PYTHON" -c 'import os, socket, time
s = socket.socket()
s.bind(("127.0.0.1", 0))
s.listen(50)
open("silent.tmp", "w").write(str(s.getsockname()[1]))
os.rename("silent.tmp", "silent")
time.sleep(120)' > /dev/null 2>&1 3>&- &
    echo $! >> pids
    wait_for_file silent
    # by default the command would wait for a minute
    run -1 --separate-stderr timeout -s KILL 40 gt-rechunk -q --timeout 1 plain.zarr -o "http://127.0.0.1:$(cat silent)/x.zarr"
    [[ $stderr == "gt-rechunk: cannot read 'http://127.0.0.1:$(cat silent)/x.zarr/"*"': no answer for "* ]]
    run -143 timeout --preserve-status -k 40 1 gt-rechunk -q plain.zarr -o "http://127.0.0.1:$(cat silent)/x.zarr"
}

@test "--missing-403: what a server hides does not exist" {
    odd hides
    run -1 --separate-stderr gt-rechunk -q plain.zarr -o "$server/x.zarr"
    [[ $stderr == *"cannot read '$server/x.zarr/.zgroup': the server answers with status 403"* ]]
    gt-rechunk -q --no-version --missing-403 plain.zarr -o "$server/x.zarr"
    gt-rechunk -q --no-version --missing-403 "$server/x.zarr" -o got.zarr
    gt-rechunk -q --no-version plain.zarr -o want.zarr
    diff -r got.zarr want.zarr
    run -1 --separate-stderr gt-rechunk -q --missing-403 plain.zarr -o "$server/x.zarr"
    [[ ${stderr_lines[0]} == *"cannot create '$server/x.zarr': it already exists" ]]
}

@test "a folder that the server cannot remove whole is an error of --force" {
    odd keeps
    gt-rechunk -q plain.zarr -o "$server/x.zarr"
    run -1 --separate-stderr gt-rechunk -q --force plain.zarr -o "$server/x.zarr"
    [[ $stderr == *"cannot remove '$server/x.zarr/': the server answers with status 207"* ]]
}

# status METHOD PATH [BODY]: the server's answer.
status() {
    local line
    {
        printf '%s %s HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n%s' "$1" "$2" ${#3} "${3:-}" >&0
        read -r line
    } 0<> "/dev/tcp/127.0.0.1/${server##*:}"
    cut -d ' ' -f 2 <<< "$line"
}

@test "a fileset is there whole or not at all: --force for each of its files, and none is left when the server refuses one" {
    odd refuses
    local parts part
    gt-sim -q --samples 5 --variants 9 --seed 1 -O bed -o set
    for parts in "bed bim fam" "pgen pvar psam"; do
        for part in $parts; do
            run -1 --separate-stderr gt-unpack -q set.bed -O "${parts%% *}" -o "$server/$part/x"
            [[ $stderr == "gt-unpack: cannot write '$server/$part/x.$part': the server answers with status 403"* ]]
            for other in $parts; do
                [ "$(status GET "/$part/x.$other")" = 404 ]
            done
            [ "$(status PUT "/y.$part")" = 200 ]
            run -1 --separate-stderr gt-unpack -q set.bed -O "${parts%% *}" -o "$server/y"
            [ "${stderr_lines[0]}" = "gt-unpack: cannot replace '$server/y.$part': it already exists" ]
            [ "${stderr_lines[1]}" = "hint: replace it with --force" ]
            [ "$(status DELETE "/y.$part")" = 204 ]
        done
    done
    run -1 --separate-stderr gt-pdist -q set.bed -O npy -o "$server/id/x.npy"
    [[ $stderr == *"cannot write '$server/id/x.npy.id'"* ]]
    [ "$(status GET "/id/x.npy")" = 404 ]
}

@test "--resume stores again what is missing or has another size, and --verify finds what is not what was written" {
    odd keeps
    gt-sim -q --samples 400 --variants 9000 --uniform 0..9 --dtype u1 --seed 3 --chunks variants=20,samples=400 -o in.zarr
    cp -p in.zarr/449.0 good
    local args=(--no-version -@ 1 --io 1 --codec none -c 100,400 in.zarr) to n
    gt-rechunk -q "${args[@]}" -o whole.zarr
    begin() { # a run that a damaged chunk of the input ends
        to=$server/$1
        printf damaged | dd of=in.zarr/449.0 conv=notrunc status=none
        touch -r good in.zarr/449.0
        run -3 gt-rechunk "${args[@]}" -o "$to"
        [[ $output == *"unfinished data remains below '$to': continue with --resume"* ]]
        cp -p good in.zarr/449.0
        n=$(gt-rechunk "${args[@]}" -n --resume -o "$to" | sed -n 's/^resume  *\([0-9]*\) chunks are there.*/\1/p')
        [ "$n" -ge 8 ] || { echo "$n chunks are there"; return 1; }
    }
    begin one.zarr
    [ "$(status PUT /one.zarr/1.0 cut)" = 200 ]
    [ "$(status PUT /one.zarr/2.0)" = 200 ]
    [ "$(status PUT /one.zarr/3.0 "$(printf '%40001s')")" = 200 ]
    [ "$(status DELETE /one.zarr/4.0)" = 204 ]
    gt-rechunk "${args[@]}" -n --resume -o "$to" | grep -q "^resume  *$((n - 4)) chunks are there, .*; $((90 - n + 4)) of 90 are left$"
    : > keeps.log
    gt-rechunk -q "${args[@]}" --resume --verify --json -o "$to" > said
    grep -q "\"chunks_kept\": $((n - 4))," said
    grep 'PUT /one.zarr/[0-9]' keeps.log | cut -d ' ' -f 2 | sort -V > stored
    [ "$(wc -l < stored)" -eq $((90 - n + 4)) ]
    [ "$(head -n 4 stored | tr -d '\n')" = /one.zarr/1.0/one.zarr/2.0/one.zarr/3.0/one.zarr/4.0 ] || { cat stored; return 1; }
    gt-rechunk -q --no-version --codec none "$to" -o mended.zarr
    diff -r whole.zarr mended.zarr
    # other bytes of the same size
    begin two.zarr
    [ "$(status PUT /two.zarr/6.0 "$(printf '%40000s')")" = 200 ]
    run -3 gt-rechunk -q "${args[@]}" --resume --verify -o "$to"
    [[ $output == "gt-rechunk: '$to/6.0' is not what was written"* ]]
    [ "$(status GET /two.zarr/.zarray)" = 404 ]
}

@test "an upload in parts that the server forgets is an error, even if an older value has the same size" {
    gt-sim -q --samples 6000 --variants 6000 --uniform 0..200 --dtype u1 --seed 4 --chunks variants=6000,samples=6000 --codec none -o big.zarr
    gt-rechunk -q big.zarr -o big.npy
    odd forgets big.npy
    export HOME=$PWD AWS_EC2_METADATA_DISABLED=true AWS_ACCESS_KEY_ID=a AWS_SECRET_ACCESS_KEY=b AWS_ENDPOINT_URL=$server
    run -1 --separate-stderr gt-rechunk -q --force big.zarr -o s3://b/big.npy
    [[ $stderr == "gt-rechunk: cannot write 's3://b/big.npy': the server answers with status 404 (NoSuchUpload)" ]]
    grep -q '^DELETE /b/big.npy?uploadId=one ' forgets.log # parts take space until then
    rm -rf big.zarr big.npy
}

@test "no output is the input, however its URL is written" {
    [ -f plain ] || odd plain
    server=http://127.0.0.1:$(cat plain)
    local port=${server##*:} url
    export HOME=$PWD AWS_EC2_METADATA_DISABLED=true AWS_ACCESS_KEY_ID=a AWS_SECRET_ACCESS_KEY=b AWS_ENDPOINT_URL=$server
    gt-rechunk -q --no-version --force plain.zarr -o "$server/b/in.zarr"
    for url in "HTTP://127.0.0.1:$port/b/in.zarr" "http://me@127.0.0.1:$port//b/in.zarr/" "$server/b/%69n.zarr" "$server/b/in.zarr/sub?a=b" s3://b/in.zarr; do
        run -2 --separate-stderr gt-rechunk -q --force "$server/b/in.zarr" -o "$url"
        [[ $stderr == *"it is the input '$server/b/in.zarr', or one lies in the other"* ]]
    done
    gt-rechunk -q --no-version "$server/b/in.zarr" -o same.zarr
    gt-rechunk -q --no-version plain.zarr -o as_it_was.zarr
    diff -r same.zarr as_it_was.zarr
    # another place
    gt-rechunk -q "$server/b/in.zarr" -o "$server/b/in.zarr2"
}
