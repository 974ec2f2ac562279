#!/usr/bin/env bats
# Stores written to URLs: moto for S3 and Google's storage, nginx for PUT, each behind a proxy that lets uploads fail.

bats_require_minimum_version 1.5.0

load ../../support/level
load ../../support/servers

setup_file() {
    cd "$BATS_FILE_TMPDIR"
    export no_proxy=127.0.0.1 NO_PROXY=127.0.0.1
    touch pids
    gt-sim -q --samples 100 --variants 4000 --missing 0.01 --contigs 2 --seed 1 --chunks variants=200 -O packed -o s.zarr
    gt-sim -q --samples 50 --variants 900 --missing 0.01 --seed 2 -O vcf -o x.vcf
    gt-sim -q --samples 30 --variants 400 --uniform 0..9 --seed 3 --chunks variants=40,samples=30 -o plain.zarr
    export PATH=$PATH:/usr/sbin
    if [ -n "${PYTHON_MOTO:-}" ]; then
        free_port > moto.port
        timeout "${GT_TEST_LIMIT:-900}" "$PYTHON_MOTO" -m moto.server -H 127.0.0.1 -p "$(cat moto.port)" > moto.log 2>&1 3>&- &
        echo $! >> pids
    fi
    if command -v nginx > /dev/null && nginx -V 2>&1 | grep -q http_dav_module; then
        free_port > nginx.port
        mkdir -p nginx www
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
    client_max_body_size 0;
    server {
        listen 127.0.0.1:$(cat nginx.port); root $PWD/www;
        location / { dav_methods PUT DELETE; create_full_put_path on; }
        location /only/ { }
    }
}
CONF
        timeout "${GT_TEST_LIMIT:-900}" nginx -p "$PWD/nginx" -e "$PWD/nginx/error.log" -c "$PWD/nginx.conf" -g "user $(id -un);" > /dev/null 2>&1 3>&- &
        echo $! >> pids
    fi
    if [ -f moto.port ]; then
        wait_for answers "http://127.0.0.1:$(cat moto.port)/moto-api/"
        bucket make
        proxy "$(cat moto.port)" faulty 10
    fi
    [ ! -f nginx.port ] || proxy "$(cat nginx.port)" faulty_web 10
}

teardown_file() {
    cd "$BATS_FILE_TMPDIR"
    kill $(cat pids) 2> /dev/null || true
}

setup() {
    cd "$BATS_FILE_TMPDIR"
    gt-info --version | grep -q '^URL schemes: .*http' || skip "built without libcurl"
    export HOME=$PWD AWS_REGION=us-east-1 AWS_EC2_METADATA_DISABLED=true AWS_ACCESS_KEY_ID=AKIAWRITER AWS_SECRET_ACCESS_KEY=hidden/secret
    export GCS_OAUTH_TOKEN=hidden-token # moto removes nothing for the anonymous
    unset AWS_SESSION_TOKEN AWS_PROFILE
    [ ! -f moto.port ] || export AWS_ENDPOINT_URL=http://127.0.0.1:$(cat moto.port) STORAGE_EMULATOR_HOST=127.0.0.1:$(cat moto.port)
}

needs_moto() { [ -f moto.port ] || skip "no server of S3: PYTHON_MOTO is not set (scripts/test makes it where it can)"; }
needs_nginx() { [ -f nginx.port ] || skip "no nginx with its module for WebDAV"; }

# same_in_bucket KEY FOLDER: each object is a file, and each file an object.
same_in_bucket() {
    rm -rf got
    mkdir got
    bucket get "$1" got
    diff -r got "$2"
}

# stores TO SUFFIX: what each command that writes stores makes, to TO/NAME.zarrSUFFIX
stores() {
    local to=$1
    gt-pack -q --no-version s.zarr -o "$to/packed.zarr"
    gt-pack -q --no-version --layout vcz --chunks variants=300,samples=50 x.vcf -o "$to/vcz.zarr"
    gt-pack -q --no-version --zarr-format 3 --chunks variants=100,samples=40 --shard variants=1500,samples=80 s.zarr -o "$to/shards.zarr"
    gt-rechunk -q --no-version --zarr-format 3 -c variants=200 --shard variants=1000,samples=100 s.zarr -o "$to/sharded.zarr"
    gt-rechunk -q --no-version -c variants=370,samples=52 s.zarr -o "$to/rechunk.zarr"
    gt-rechunk -q --no-version -c 23,30 plain.zarr -o "$to/array.zarr"
    gt-sim -q --no-version --samples 20 --variants 300 --seed 5 -O vcz -o "$to/sim.zarr"
    gt-svd -q --no-version -k 3 -O zarr s.zarr -o "$to/svd.zarr"
    gt-pdist -q --no-version -m ibs -O zarr s.zarr -o "$to/pdist.zarr"
}

@test "what every command writes to a bucket is what it writes to a folder" {
    needs_moto
    rm -rf want
    mkdir want
    stores want
    stores "s3://cohorts/a b+c"
    same_in_bucket "a b+c" want
    stores gs://cohorts/of/google
    same_in_bucket of/google want
    # the bytes that come back through our reader
    gt-pdist -q -m ibs gs://cohorts/of/google/packed.zarr | cmp - <(gt-pdist -q -m ibs s.zarr)
}

@test "stores of few objects, of S3, of Google and of PUT: those of a folder" {
    needs_moto
    local to
    rm -rf want www/few
    mkdir -p "want/a b+c"
    for to in want s3://cohorts/few; do
        gt-pack -q --no-version --chunks variants=500 x.vcf -o "$to/a b+c/packed.zarr"
        gt-pdist -q --no-version -m ibs -O zarr x.vcf -o "$to/pdist.zarr"
    done
    for to in want gs://cohorts/few; do
        gt-rechunk -q --no-version --zarr-format 3 -c 70,30 --shard 210,30 plain.zarr -o "$to/shards.zarr"
    done
    same_in_bucket few want
    gt-pdist -q -m ibs "gs://cohorts/few/a b+c/packed.zarr" | cmp - <(gt-pdist -q -m ibs x.vcf)
    needs_nginx
    gt-pack -q --no-version --layout vcz --chunks variants=900,samples=30 x.vcf -o want/x.vcz
    gt-pack -q --no-version --layout vcz --chunks variants=900,samples=30 x.vcf -o "http://127.0.0.1:$(cat nginx.port)/few/x.vcz"
    diff -r www/few/x.vcz want/x.vcz
}

@test "the same for a server of PUT, and for one that lets every tenth upload fail" {
    needs_nginx
    rm -rf want www/web www/faulty
    mkdir want
    stores want
    stores "http://127.0.0.1:$(cat nginx.port)/web"
    diff -r www/web want
    : > faulty_web.log
    stores "http://127.0.0.1:$(cat faulty_web)/faulty"
    diff -r www/faulty want
    [ "$(grep -c ' \(503\|early\|late\)$' faulty_web.log)" -ge 20 ]
    needs_moto
    export AWS_ENDPOINT_URL=http://127.0.0.1:$(cat faulty)
    : > faulty.log
    stores s3://cohorts/faulty
    same_in_bucket faulty want
    [ "$(grep -c ' \(503\|early\|late\)$' faulty.log)" -ge 20 ]
}

# results TO: files of each command.
results() {
    local to=$1
    gt-unpack -q --no-version x.vcf -o "$to/x.vcf.gz" # with .csi
    gt-unpack -q --no-version x.vcf -o "$to/x.bcf"
    gt-unpack -q x.vcf -O bed -o "$to/x.bed"
    gt-unpack -q x.vcf -o "$to/x.npy" # tile by tile
    gt-pdist -q x.vcf -m cityblock -o "$to/d.tsv"
    gt-pdist -q x.vcf -m king -O king -o "$to/k"
    gt-pdist -q x.vcf -m 1-ibs -o "$to/i.npy" --plot "$to/i.svg" --tree "$to/i.nwk"
    gt-svd -q -k 3 x.vcf -o "$to/pca"
    gt-info -q --stats samples x.vcf -o "$to/samples.tsv.gz"
    gt-sim -q --no-version --samples 5 --variants 20 --seed 3 -o "$to/sim.vcf"
    gt-pack -q --no-version x.vcf -o "$to/x.zip"
    gt-pack -q --no-version x.vcf -o "$to/x.tar"
}

@test "results, zip files and tar streams are spooled, and sent when they are whole" {
    needs_moto
    needs_nginx
    rm -rf want www/files spool got
    mkdir want spool got
    results want
    export TMPDIR=$PWD/spool
    AWS_ENDPOINT_URL=http://127.0.0.1:$(cat faulty) results s3://cohorts/files
    same_in_bucket files want
    results "http://127.0.0.1:$(cat faulty_web)/files"
    diff -r www/files want
    [ -z "$(ls -A spool)" ]
    unset TMPDIR
    run -1 --separate-stderr gt-pdist -q x.vcf -m cityblock -o s3://cohorts/files/d.tsv
    [ "${stderr_lines[0]}" = "gt-pdist: cannot replace 's3://cohorts/files/d.tsv': it already exists" ]
    [ "${stderr_lines[1]}" = "hint: replace it with --force" ]
    gt-pdist -q -f x.vcf -m ibs -o s3://cohorts/files/d.tsv
    gt-pdist -q x.vcf -m ibs > want/d.tsv
    same_in_bucket files want
    # an error leaves nothing, nor one of several that failed
    head -n 300 x.vcf | head -c -30 > cut.vcf
    run -3 gt-unpack -q cut.vcf -o s3://cohorts/files/cut.vcf.gz
    run -1 --separate-stderr gt-svd -q -k 2 x.vcf -o s3://no-such-bucket/pca
    [[ $stderr == *"cannot write 's3://no-such-bucket/pca.eigenv"*"404 (NoSuchBucket)"* ]]
    same_in_bucket files want
    # what is written while the command runs
    run -2 --separate-stderr gt-pdist -q x.vcf --report s3://cohorts/files/r.html
    [[ $stderr == *"--report is written while the command runs, and cannot be at a URL"* ]]
    run -2 --separate-stderr gt-pdist -q x.vcf -o s3://cohorts/files/same.tsv --tree s3://cohorts/files/same.tsv
    [[ $stderr == *"are the same file"* ]]
}

@test "what is there already needs --force, which leaves nothing of it" {
    needs_moto
    needs_nginx
    local web=http://127.0.0.1:$(cat nginx.port)/force
    rm -rf www/force want
    mkdir want
    gt-rechunk -q --no-version -c 70,30 plain.zarr -o want/x.zarr
    gt-rechunk -q --no-version -c 400,6 plain.zarr -o want/longer.zarr
    for to in s3://cohorts/force "$web"; do
        gt-rechunk -q --no-version -c 100,15 plain.zarr -o "$to/x.zarr"
        run -1 --separate-stderr gt-rechunk -q --no-version -c 70,30 plain.zarr -o "$to/x.zarr"
        [ "${stderr_lines[0]}" = "gt-rechunk: cannot create '$to/x.zarr': it already exists" ]
        [ "${stderr_lines[1]}" = "hint: replace it with --force" ]
        gt-rechunk -q -f --no-version -c 70,30 plain.zarr -o "$to/x.zarr"
        # the same name in front
        gt-rechunk -q --no-version -c 400,6 plain.zarr -o "$to/x.zarr.longer"
        gt-rechunk -q -f --no-version -c 70,30 plain.zarr -o "$to/x.zarr"
        # a name that begins that of another: it is free, and replaced alone
        gt-rechunk -q --no-version -c 400,6 plain.zarr -o "$to/free.zarr2"
        gt-rechunk -q --no-version -c 70,30 plain.zarr -o "$to/free.zarr"
        gt-rechunk -q -f --no-version -c 100,15 plain.zarr -o "$to/free.zarr"
        # no input, nor a part of one
        for out in x.zarr x.zarr/part.zarr ""; do
            run -2 --separate-stderr gt-rechunk -q -f "$to/x.zarr" -o "$to/$out"
            [[ $stderr == *"it is the input '$to/x.zarr'"* ]]
        done
    done
    gt-rechunk -q --no-version -c 100,15 plain.zarr -o want/free.zarr
    rm -rf got
    mkdir got
    bucket get force got
    for to in got www/force; do
        diff -r $to/free.zarr want/free.zarr
        diff -r $to/free.zarr2 want/longer.zarr
        diff -r $to/x.zarr want/x.zarr
        diff -r $to/x.zarr.longer want/longer.zarr
    done
    # not a store
    bucket put force/other/deep/file.txt
    for force in "" -f; do
        run -1 --separate-stderr gt-rechunk -q $force plain.zarr -o s3://cohorts/force/other
        [[ ${stderr_lines[0]} == "gt-rechunk: cannot create 's3://cohorts/force/other': there are other objects below it" ]]
        [[ ${stderr_lines[1]} == "hint: choose another name, or remove them" ]]
    done
    [ "$(bucket list force/other)" = force/other/deep/file.txt ]
    # a server without PUT, no server, no bucket
    run -1 --separate-stderr gt-rechunk -q plain.zarr -o "http://127.0.0.1:$(cat nginx.port)/only/x.zarr"
    [[ $stderr == *"cannot write 'http://127.0.0.1:$(cat nginx.port)/only/x.zarr/.gt-journal/0': the server answers with status 405"*"hint: the server does not accept uploads (PUT)"* ]]
    run -1 --separate-stderr gt-rechunk -q plain.zarr -o s3://no-such-bucket/x.zarr
    [[ $stderr == *"cannot write 's3://no-such-bucket/x.zarr/.gt-journal/0': the server answers with status 404 (NoSuchBucket)"* ]]
    run -1 --separate-stderr gt-rechunk -q --timeout 1 plain.zarr -o http://127.0.0.1:1/x.zarr
    [[ $stderr == *"cannot read 'http://127.0.0.1:1/x.zarr/"* ]]
}

@test "--force in a bucket that lists few keys at a time, of names that are escaped" {
    needs_moto
    local to="s3://cohorts/pages/a b+c/é.zarr"
    rm -rf want pages
    mkdir -p "want/a b+c"
    PAGE_KEYS=3 proxy "$(cat moto.port)" pages
    export AWS_ENDPOINT_URL=http://127.0.0.1:$(cat pages)
    gt-rechunk -q --no-version -c 70,10 plain.zarr -o "$to"
    : > pages.log
    gt-rechunk -q --no-version -f -c 200,30 plain.zarr -o "$to"
    [ "$(grep -c '^GET .*continuation-token=.* 200$' pages.log)" -ge 6 ] # of 20 keys
    [ "$(grep -c '^DELETE ' pages.log)" -ge 20 ]
    gt-rechunk -q --no-version -c 200,30 plain.zarr -o "want/a b+c/é.zarr"
    same_in_bucket pages want
}

# check_unfinished PREFIX: what there is of a store in the bucket has no document that makes it one, or is complete.
check_unfinished() {
    if grep -qE "^$1/(.zgroup|.zarray|zarr.json)$" <<< "$(bucket list "$1/")"; then
        rm -rf got
        mkdir got
        bucket get "$1" got
        rm -rf got/.gt-journal
        diff -r got "$2" || return 1
    fi
}

@test "killed at any moment: no store that opens but lacks data, and --resume completes it" {
    needs_moto
    rm -rf want kills.log
    mkdir want
    local trials ms n=0 complete=0 args
    trials=$(by_level 3 8 50)
    proxy "$(cat moto.port)" slow 0 5
    local plain="--chunks variants=100" sharded="--zarr-format 3 --chunks variants=50 --shard variants=100"
    # shellcheck disable=SC2086
    gt-pack -q $plain --no-version s.zarr -o want/plain.zarr
    # shellcheck disable=SC2086
    gt-pack -q $sharded --no-version s.zarr -o want/sharded.zarr
    export AWS_ENDPOINT_URL=http://127.0.0.1:$(cat slow)
    RANDOM=7
    for ((i = 0; i < trials; i++)); do
        bucket remove kill/
        local kind=plain
        ((i % 2)) || kind=sharded
        read -ra args <<< "-q ${!kind} --no-version --io 4 s.zarr -o s3://cohorts/kill/x.zarr"
        gt-pack "${args[@]}" 2>> kills.log 3>&- &
        ms=$((RANDOM % 400))
        sleep "0.$(printf %03d $ms)"
        kill -$((i % 3 ? 9 : 15)) $! 2> /dev/null || complete=$((complete + 1))
        wait $! || n=$((n + 1))
        check_unfinished kill/x.zarr want/$kind.zarr
        gt-pack "${args[@]}" --resume 2> resumed.err || grep -q 'no record of what made it' resumed.err
        same_in_bucket kill/x.zarr want/$kind.zarr
    done
    [ "$n" -ge $((trials / 4)) ] # were killed
}

# begin_and_end PATTERN N COMMAND...: ended by SIGTERM when N requests to the proxy `delayed` were answered that match.
begin_and_end() {
    local code=0
    : > delayed.log
    "${@:3}" > /dev/null 2> ended.err 3>&- &
    for _ in {1..200}; do
        [ "$(grep -c "$1" delayed.log)" -lt "$2" ] || break
        sleep 0.05
    done
    kill -15 $!
    wait $! || code=$?
    [ "$code" -eq 143 ]
}

@test "--resume of a store of few chunks: those that are not there, and no others" {
    needs_moto
    local to=s3://cohorts/short done again
    rm -rf want
    mkdir want
    gt-rechunk -q --no-version -c 20,30 plain.zarr -o want/x.zarr
    rm -f delayed
    proxy "$(cat moto.port)" delayed 0 20
    export AWS_ENDPOINT_URL=http://127.0.0.1:$(cat delayed)
    command="gt-rechunk --no-version -c 20,30 plain.zarr -o $to/x.zarr"
    begin_and_end 'PUT.*x.zarr/[0-9].* 200$' 5 $command --io 1
    [[ $(cat ended.err) == *"unfinished data remains below '$to/x.zarr': continue with --resume"* ]]
    run -3 --separate-stderr gt-rechunk --no-version -c 25,30 plain.zarr -o $to/x.zarr --resume
    [[ $stderr == *"'$to/x.zarr' was begun differently: with --chunks 20,30, now with --chunks 25,30"* ]]
    begin_and_end 'PUT.*x.zarr/[0-9].* 200$' 4 $command --io 1 --resume
    bucket list short/x.zarr/ | grep -x 'short/x.zarr/[0-9]*\.0' | sort > done
    [ "$(wc -l < done)" -ge 8 ]
    [ "$(wc -l < done)" -le 18 ]
    : > delayed.log
    $command -q --resume
    grep -o 'PUT /cohorts/short/x.zarr/[0-9.]* ' delayed.log | cut -d / -f 3- | tr -d ' ' | sort > again
    # those that were noted are not stored again; each other one is, once
    comm -12 done again > both
    [ "$(wc -l < both)" -le 2 ]
    [ "$(sort -u done again | wc -l)" -eq 20 ]
    [ -z "$(uniq -d again)" ]
    same_in_bucket short/x.zarr want/x.zarr
    run -3 --separate-stderr $command --resume
    [[ $stderr == *"'$to/x.zarr' already exists, and with --no-version there is no record of what made it"* ]]
}

@test "--resume stores nothing again that is there, and refuses another plan" {
    needs_moto
    local to=s3://cohorts/again again command
    rm -rf want
    mkdir want
    gt-rechunk -q --no-version -c 4,30 plain.zarr -o want/x.zarr
    gt-pack -q --no-version --chunks variants=50 s.zarr -o want/p.zarr
    rm -f delayed
    proxy "$(cat moto.port)" delayed 0 20
    export AWS_ENDPOINT_URL=http://127.0.0.1:$(cat delayed)
    command="gt-rechunk --no-version -c 4,30 plain.zarr -o $to/x.zarr"
    begin_and_end 'PUT.*x.zarr/[0-9].* 200$' 12 $command --io 2
    [[ $(cat ended.err) == *"unfinished data remains below '$to/x.zarr': continue with --resume"* ]]
    [[ $(bucket list again/x.zarr) == *"/.gt-journal/1"* ]]
    [[ $(bucket list again/x.zarr) != *".zarray"* ]]
    run -1 --separate-stderr $command
    [[ ${stderr_lines[1]} == "hint: replace it with --force, or continue it with --resume" ]]
    run -3 --separate-stderr gt-rechunk --no-version -c 5,30 plain.zarr -o $to/x.zarr --resume
    [[ $stderr == *"'$to/x.zarr' was begun differently: with --chunks 4,30, now with --chunks 5,30"* ]]
    run -0 $command -n --resume
    [[ $output =~ resume\ +([0-9]+)\ chunks\ are\ there && ${BASH_REMATCH[1]} -ge 12 && ${BASH_REMATCH[1]} -le 30 ]]
    # one that is gone meanwhile, and one that is another
    bucket remove again/x.zarr/3.0
    bucket put again/x.zarr/4.0
    : > delayed.log
    $command -q --resume --verify
    again=$(grep -c 'PUT.*/x.zarr/[0-9]' delayed.log)
    [ "$again" -ge $((100 - BASH_REMATCH[1] + 2)) ]
    [ "$again" -le $((100 - 12 + 2)) ]
    grep -q 'PUT.*/x.zarr/3.0 ' delayed.log
    grep -q 'PUT.*/x.zarr/4.0 ' delayed.log
    same_in_bucket again/x.zarr want/x.zarr
    # gt-pack goes on in its input
    command="gt-pack --no-version --chunks variants=50 s.zarr -o $to/p.zarr"
    begin_and_end 'PUT.*/packed_dosage/[0-9].* 200$' 12 $command --io 2
    : > delayed.log
    $command --resume --io 8 2> notes
    grep -E ': [0-9]+ row groups were already complete' notes
    run ! grep -q 'PUT.*/packed_dosage/0.0 ' delayed.log
    [ "$(grep -c 'PUT.*/packed_dosage/[0-9]' delayed.log)" -le 75 ]
    same_in_bucket again/p.zarr want/p.zarr
}

@test "large values go in parts, which the server checks; a failed upload leaves none" {
    needs_moto
    gt-sim -q --no-version --samples 6000 --variants 6001 --uniform 0..200 --dtype u1 --seed 4 --chunks variants=6001,samples=6000 --codec none -o big.zarr
    export AWS_ENDPOINT_URL=http://127.0.0.1:$(cat faulty)
    : > faulty.log
    gt-rechunk -q --no-version big.zarr -o s3://cohorts/big.zarr
    [ "$(grep -c 'PUT /cohorts/big.zarr/0.0?partNumber=[123]&uploadId=.* 200$' faulty.log)" -ge 3 ]
    same_in_bucket big.zarr big.zarr
    [ "$(bucket uploads)" -eq 0 ]
    gt-rechunk -q --no-version big.zarr -o gs://cohorts/gs/big.zarr
    same_in_bucket gs/big.zarr big.zarr
    rm -rf big.zarr got
    bucket remove big.zarr/
    bucket remove gs/
}

@test "credentials are sent to the server, and nowhere else" {
    needs_moto
    gt-pack -v --report report.html --trace trace.json s.zarr -o s3://cohorts/secret/x.zarr 2> notes
    run gt-pack -v s.zarr -o s3://no-such-bucket/x.zarr
    echo "$output" >> notes
    rm -rf got
    mkdir got
    bucket get secret got
    run ! grep -rE 'hidden|AKIAWRITER' got notes report.html trace.json
}

# who_asks VARIABLE=VALUE...: access key, region and session token of the first request to s3.
who_asks() {
    : > asked
    env "$@" timeout 20 gt-info s3://cohorts/x.zarr > /dev/null 2> asking.err || true
    head -n 1 asked
}

@test "credentials as Amazon's tools find them" {
    export HOME=$PWD/home
    mkdir -p home/.aws
    timeout "${GT_TEST_LIMIT:-900}" "$PYTHON" "$GT_SOURCE/test/support/aws_services.py" services asked > /dev/null 2>&1 3>&- &
    echo $! >> pids
    wait_for test -f services
    local here=http://127.0.0.1:$(cat services)
    unset AWS_ACCESS_KEY_ID AWS_SECRET_ACCESS_KEY AWS_ENDPOINT_URL AWS_REGION AWS_EC2_METADATA_DISABLED
    cat > home/.aws/credentials << INI
[default]
aws_access_key_id = DEFAULT
aws_secret_access_key=secret=with/equals
# other
[ work ]
aws_access_key_id=WORK
aws_secret_access_key = b
aws_session_token = WORKTOKEN
INI
    cat > home/.aws/config << INI
[default]
region = eu-north-1
endpoint_url = $here
[profile work]
region = us-west-2
endpoint_url = $here
[profile made]
endpoint_url = $here
credential_process = echo '{"Version": 1, "AccessKeyId": "MADE", "SecretAccessKey": "x", "SessionToken": "m"}'
[profile half]
endpoint_url = $here
aws_access_key_id = WITHOUT_SECRET
credential_process = echo '{"Version": 1, "AccessKeyId": "MADE", "SecretAccessKey": "x"}'
[profile broken]
endpoint_url = $here
credential_process = echo nothing
[profile role]
endpoint_url = $here
role_arn = arn:aws:iam::123456789012:role/r
source_profile = default
[profile machine]
endpoint_url = $here
credential_source = Ec2InstanceMetadata
[profile none]
endpoint_url = $here
INI
    [ "$(who_asks)" = "DEFAULT eu-north-1 -" ]
    [ "$(who_asks AWS_PROFILE=work)" = "WORK us-west-2 WORKTOKEN" ]
    [ "$(who_asks AWS_DEFAULT_PROFILE=work AWS_DEFAULT_REGION=ap-south-1)" = "WORK ap-south-1 WORKTOKEN" ]
    [ "$(who_asks AWS_PROFILE=work AWS_ACCESS_KEY_ID=ENV AWS_SECRET_ACCESS_KEY=x)" = "ENV us-west-2 -" ]
    [ "$(who_asks AWS_PROFILE=made)" = "MADE us-east-1 m" ]
    [ "$(who_asks AWS_PROFILE=half)" = "MADE us-east-1 -" ]
    [ "$(who_asks AWS_REGION=eu-west-3 AWS_DEFAULT_REGION=ap-south-1)" = "DEFAULT eu-west-3 -" ]
    [ "$(who_asks AWS_ENDPOINT_URL_S3="$here" AWS_ENDPOINT_URL=http://127.0.0.1:1)" = "DEFAULT eu-north-1 -" ]
    [ "$(who_asks AWS_PROFILE=none)" = "- - -" ]
    [ "$(who_asks AWS_NO_SIGN_REQUEST=yes)" = "- - -" ]
    [ "$(who_asks AWS_PROFILE=none AWS_EC2_METADATA_SERVICE_ENDPOINT="$here")" = "MACHINE us-east-1 token of MACHINE" ]
    [ "$(who_asks AWS_PROFILE=machine AWS_EC2_METADATA_SERVICE_ENDPOINT="$here/")" = "MACHINE us-east-1 token of MACHINE" ]
    [ "$(who_asks AWS_PROFILE=none AWS_EC2_METADATA_DISABLED=true AWS_EC2_METADATA_SERVICE_ENDPOINT="$here")" = "- - -" ]
    [ "$(who_asks AWS_PROFILE=work AWS_EC2_METADATA_SERVICE_ENDPOINT="$here")" = "WORK us-west-2 WORKTOKEN" ]
    [ "$(who_asks AWS_PROFILE=none AWS_CONTAINER_CREDENTIALS_FULL_URI="$here/container" AWS_CONTAINER_AUTHORIZATION_TOKEN='let me in')" = \
        "CONTAINER us-east-1 token of CONTAINER" ]
    echo 'let me in' > token
    [ "$(who_asks AWS_PROFILE=none AWS_CONTAINER_CREDENTIALS_FULL_URI="$here/container" AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE=token)" = \
        "CONTAINER us-east-1 token of CONTAINER" ]
    # what is not done is said
    [ -z "$(who_asks AWS_PROFILE=role)" ]
    [[ $(cat asking.err) == *"the AWS profile 'role' has role_arn, which is not supported"*"hint: eval"* ]]
    [ -z "$(who_asks AWS_PROFILE=broken)" ]
    [[ $(cat asking.err) == *"credential_process of the AWS profile 'broken' gives no credentials"* ]]
    [ -z "$(who_asks AWS_PROFILE=none AWS_CONTAINER_CREDENTIALS_FULL_URI=http://192.0.2.1/x)" ]
    [[ $(cat asking.err) == *"AWS_CONTAINER_CREDENTIALS_FULL_URI names a host that may not be asked"* ]]
    [ -z "$(who_asks AWS_PROFILE=none AWS_CONTAINER_CREDENTIALS_FULL_URI="$here/container")" ]
    [[ $(cat asking.err) == *"cannot read credentials from '$here/container': it has none"* ]]
}
