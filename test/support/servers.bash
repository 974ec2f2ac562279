# shellcheck shell=bash
# Servers that suites start, on this machine.  Their process numbers are in the file pids.

# wait_for COMMAND...: until it succeeds, 30 s at most.
wait_for() {
    for _ in {1..300}; do
        ! "$@" > /dev/null 2>&1 || return 0
        sleep 0.1
    done
    return 1
}

free_port() { "$PYTHON" -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'; }

answers() { "$PYTHON" -c 'import sys, urllib.request; urllib.request.urlopen(sys.argv[1])' "$1"; }

# proxy PORT NAME [EVERY [MS]]: of a port, its own is in the file NAME.
proxy() {
    timeout "${GT_TEST_LIMIT:-900}" "$PYTHON" "$GT_SOURCE/test/support/fault_proxy.py" "$1" "$2" "$2.log" "${@:3}" > /dev/null 2>&1 3>&- &
    echo $! >> pids
    wait_for test -f "$2"
}

# bucket make | get PREFIX FOLDER | list PREFIX | put KEY | remove PREFIX | uploads: of 'cohorts' on moto, whose port is in moto.port.
bucket() {
    AWS_ENDPOINT_URL=http://127.0.0.1:$(cat moto.port) "$PYTHON_MOTO" - "$@" << 'PY'
import boto3, os, sys
s3 = boto3.client("s3", endpoint_url=os.environ["AWS_ENDPOINT_URL"], region_name="us-east-1", aws_access_key_id="a", aws_secret_access_key="b")
def keys(prefix):
    for page in s3.get_paginator("list_objects_v2").paginate(Bucket="cohorts", Prefix=prefix):
        for item in page.get("Contents", []):
            yield item["Key"]
what, args = sys.argv[1], sys.argv[2:]
if what == "make":
    s3.create_bucket(Bucket="cohorts")
elif what == "get":
    for key in keys(args[0] + "/"):
        path = os.path.join(args[1], key[len(args[0]) + 1:])
        os.makedirs(os.path.dirname(path), exist_ok=True)
        s3.download_file("cohorts", key, path)
elif what == "list":
    print(*keys(args[0]), sep="\n")
elif what == "put":
    s3.put_object(Bucket="cohorts", Key=args[0], Body=b"other")
elif what == "remove":
    for key in keys(args[0]):
        s3.delete_object(Bucket="cohorts", Key=key)
elif what == "uploads":
    print(len(s3.list_multipart_uploads(Bucket="cohorts").get("Uploads", [])))
PY
}
