#!/usr/bin/env bats
# Several ranks that write one store in a bucket: moto for S3, nginx for PUT, behind proxies that delay requests and let uploads fail.

bats_require_minimum_version 1.5.0

load ../../support/servers

setup_file() {
    cd "$BATS_FILE_TMPDIR"
    export no_proxy=127.0.0.1 NO_PROXY=127.0.0.1
    touch pids
    [ -n "${PYTHON_MOTO:-}" ] || return 0
    gt-sim -q --samples 100 --variants 4000 --missing 0.01 --contigs 2 --seed 1 --chunks variants=200 -O packed -o s.zarr
    free_port > moto.port
    timeout "${GT_TEST_LIMIT:-900}" "$PYTHON_MOTO" -m moto.server -H 127.0.0.1 -p "$(cat moto.port)" > moto.log 2>&1 3>&- &
    echo $! >> pids
    wait_for answers "http://127.0.0.1:$(cat moto.port)/moto-api/"
    bucket make
    proxy "$(cat moto.port)" faulty 10 0
    proxy "$(cat moto.port)" slow 0 10
}

teardown_file() {
    cd "$BATS_FILE_TMPDIR"
    # shellcheck disable=SC2046
    kill $(cat pids) 2> /dev/null || true
}

setup() {
    cd "$BATS_FILE_TMPDIR"
    unset GT_THREADS OMP_NUM_THREADS GT_MEMORY GT_CPU GT_MODULES AWS_SESSION_TOKEN AWS_PROFILE
    # shellcheck source=test/support/mpirun.bash
    source "$GT_SOURCE/test/support/mpirun.bash"
    need_mpi
    mpis_in_turn
    gt-info --version | grep -q '^URL schemes: .*http' || skip "built without libcurl"
    [ -f moto.port ] || skip "no server of S3: PYTHON_MOTO is not set (scripts/test makes it where it can)"
    export AWS_REGION=us-east-1 AWS_EC2_METADATA_DISABLED=true AWS_ACCESS_KEY_ID=a AWS_SECRET_ACCESS_KEY=b AWS_ENDPOINT_URL=http://127.0.0.1:$(cat moto.port)
}

same_in_bucket() {
    rm -rf got
    mkdir got
    bucket get "$1" got
    diff -r got "$2"
}

@test "what three ranks write to a bucket is what one process writes to a folder, and nothing else" {
    rm -rf want
    mkdir want
    local rechunk="gt-rechunk -q --no-version --zarr-format 3 -c variants=50,samples=20 --shard variants=200,samples=40 s.zarr"
    local pack="gt-pack -q --no-version --chunks variants=100 --maf 0.01 s.zarr"
    $rechunk -o want/r.zarr
    $pack -o want/p.zarr
    mpirun_of "$tried" -n 3 $rechunk --verify -o s3://cohorts/ranks/r.zarr
    same_in_bucket ranks/r.zarr want/r.zarr
    mpirun_of "$tried" -n 3 $pack --verify -o s3://cohorts/ranks/p.zarr
    same_in_bucket ranks/p.zarr want/p.zarr
    # what is there already; uploads that fail
    run -1 mpirun_of "$tried" -n 2 $rechunk -o s3://cohorts/ranks/r.zarr
    [[ $output == *"cannot create 's3://cohorts/ranks/r.zarr': it already exists"* ]]
    export AWS_ENDPOINT_URL=http://127.0.0.1:$(cat faulty)
    mpirun_of "$tried" -n 2 gt-rechunk -q -c variants=4 --array variant_position -f s.zarr -o s3://cohorts/ranks/r.zarr
    mpirun_of "$tried" -n 3 $rechunk -f -o s3://cohorts/ranks/r.zarr
    same_in_bucket ranks/r.zarr want/r.zarr
    [ "$(grep -c ' \(503\|early\|late\)$' faulty.log)" -ge 5 ]
    run -2 mpirun_of "$tried" -n 2 $rechunk -o s3://cohorts/ranks/r.zip
    [[ $output == *"2 ranks write one directory store, and 's3://cohorts/ranks/r.zip' is a zip archive"* ]]
}

# Chunks that the journal in the bucket lists.
listed() {
    rm -rf journal
    mkdir journal
    bucket get again/r.zarr/.gt-journal journal
    cat journal/* | sed -n 's/^.* \(packed_dosage\/[0-9.]*\)$/\1/p' | sort -u
}

@test "ranks that were stopped are continued by another number of them, which store no chunk again" {
    rm -rf want
    mkdir want
    local to=s3://cohorts/again/r.zarr rechunk="gt-rechunk --no-version -c variants=200,samples=20 s.zarr" n
    $rechunk -q -o want/r.zarr
    export AWS_ENDPOINT_URL=http://127.0.0.1:$(cat slow)
    cat > stopped << 'SH'
"$@" &
while kill -0 $! 2> /dev/null && [ "$(grep -c 'PUT.*/packed_dosage/[0-9].* 200$' slow.log)" -lt 10 ]; do sleep 0.05; done
kill -TERM $!
wait $!
SH
    for n in 3 2; do # the second goes on after the first
        : > slow.log
        run ! mpirun_of "$tried" -n $n bash stopped $rechunk -q --io 1 --resume -o $to
        run ! grep -xE 'again/r.zarr/(.zgroup|.zarray|zarr.json)' <(bucket list again/)
    done
    listed > chunks
    [ "$(wc -l < chunks)" -ge 5 ]
    : > slow.log
    mpirun_of "$tried" -n 2 $rechunk -q --resume -o $to
    same_in_bucket again/r.zarr want/r.zarr
    [ "$(grep -c 'PUT.*/packed_dosage/[0-9].* 200$' slow.log)" -eq $((100 - $(wc -l < chunks))) ]
}
