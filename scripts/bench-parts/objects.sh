#!/usr/bin/env bash
# Small objects by URL: COUNT chunks of 10,000 bytes (random, no codec) read from nginx on this machine, and as many written to it (PUT),
# at once and over a link of 20 ms (scripts/bench-parts/delay_proxy.c): gt-info --check --deep and gt-rechunk beside TensorStore and
# obstore, with the same number of concurrent requests.  Requests a second, and cpu seconds (user and system) of a whole run; the tools
# take turns, and the run of the median time counts.  All read and write whole arrays but obstore, which gets and puts the objects alone.
# TensorStore writes by requests of S3 without a signature, since it cannot write to a plain HTTP server.
#   objects.sh [COUNT [RUNS [CONCURRENCY...]]]        needs GT_BIN; default 20000 3 32
# $PYTHON_OBJECTS: a Python with tensorstore and obstore, made where it is not set.
set -euo pipefail
count=${1:-20000} runs=${2:-3}
concurrency=("${@:3}")
[ ${#concurrency[@]} -gt 0 ] || concurrency=(32)
# shellcheck source=scripts/lib-setup.sh
source "$(dirname "${BASH_SOURCE[0]}")/../lib-setup.sh"
python=${PYTHON_OBJECTS:-$(pypi "$TOP/build/bench-objects" 'tensorstore obstore numpy' 'import tensorstore, obstore')}
[ -n "$python" ] || { echo "TensorStore and obstore cannot be had" >&2; exit 1; }
PATH=$PATH:/usr/sbin
command -v nginx > /dev/null || { echo "nginx cannot be had" >&2; exit 1; }
work=$(mktemp -d "${TMPDIR:-/tmp}/bench-objects.XXXXXX")
pids=()
trap '[ ${#pids[@]} = 0 ] || kill "${pids[@]}" 2> /dev/null || true; rm -rf "$work"' EXIT
cd "$work"
chmod a+rx .
export no_proxy=127.0.0.1 NO_PROXY=127.0.0.1

gcc -O2 -o delay_proxy "$TOP/scripts/bench-parts/delay_proxy.c"
mkdir -m 777 www
"$GT_BIN/gt-sim" -q --no-version --samples 2500 --variants "$count" --normal --dtype float32 --zarr-format 3 --codec none --chunks variants=1,samples=2500 --seed 1 -o www/in.zarr
port=$("$python" -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
cat > nginx.conf << CONF
pid $work/nginx.pid;
error_log $work/error.log;
worker_processes 1;
daemon off;
events { worker_connections 1024; }
http {
    access_log off;
    sendfile on;
    tcp_nodelay on;
    keepalive_requests 1000000;
    client_body_temp_path $work/a; proxy_temp_path $work/b; fastcgi_temp_path $work/c; uwsgi_temp_path $work/d; scgi_temp_path $work/e;
    client_max_body_size 0;
    server { listen 127.0.0.1:$port; root $work/www; location / { dav_methods PUT DELETE; create_full_put_path on; add_header ETag '"1"'; } }
}
CONF
nginx -p "$work" -e "$work/error.log" -c "$work/nginx.conf" -g "user $(id -un);" > /dev/null 2>&1 &
pids+=($!)
./delay_proxy "$port" delayed 20 &
pids+=($!)
for _ in {1..100}; do [ -s delayed ] && "$python" -c "import urllib.request; urllib.request.urlopen('http://127.0.0.1:$port/in.zarr/zarr.json')" 2> /dev/null && break; sleep 0.1; done

cat > theirs.py << 'PYTHON'
import asyncio, sys, time
import numpy as np
tool, what, base, count, limit = sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4]), int(sys.argv[5])
data = np.random.default_rng(1).standard_normal((count, 2500), dtype="f4")
def tensorstore():
    import tensorstore as ts
    context = ts.Context({"data_copy_concurrency": {"limit": 2}, "http_request_concurrency": {"limit": limit}, "s3_request_concurrency": {"limit": limit}})
    if what == "read":
        array = ts.open({"driver": "zarr3", "kvstore": {"driver": "http", "base_url": base + "/in.zarr/"}}, context=context, read=True).result()
        start = time.perf_counter()
        got = array.read().result()
        assert got.shape == data.shape
        return start
    kv = {"driver": "s3", "bucket": "out-ts", "endpoint": base, "aws_region": "us-east-1", "aws_credentials": {"type": "anonymous"}, "path": "x.zarr/"}
    start = time.perf_counter()
    array = ts.open({"driver": "zarr3", "kvstore": kv, "metadata": {"shape": [count, 2500], "data_type": "float32", "chunk_grid": {
        "name": "regular", "configuration": {"chunk_shape": [1, 2500]}}}}, context=context, create=True, open=True, write=True, assume_metadata=True).result()
    array.write(data).result()
    return start
def obstore():
    import obstore
    from obstore.store import HTTPStore
    store = HTTPStore.from_url(base, client_options={"allow_http": True})
    async def run():
        gate = asyncio.Semaphore(limit)
        async def get(i):
            async with gate:
                got = await obstore.get_async(store, f"in.zarr/c/{i}/0")
                assert len(await got.bytes_async()) == 10000
        async def put(i):
            async with gate:
                await obstore.put_async(store, f"out.obs/c/{i}/0", data[i].tobytes(), use_multipart=False)
        await asyncio.gather(*((get if what == "read" else put)(i) for i in range(count)))
    start = time.perf_counter()
    asyncio.run(run())
    return start
before = time.process_time()
start = (tensorstore if tool == "tensorstore" else obstore)()
print(time.perf_counter() - start, time.process_time() - before)
PYTHON

# ours WHAT URL LIMIT: seconds and cpu seconds.
ours() {
    local command=("$GT_BIN/gt-info" --check --deep --io "$3" "$2/in.zarr")
    [ "$1" = read ] || command=("$GT_BIN/gt-rechunk" -q --no-version --io "$3" www/in.zarr -o "$2/out.gt")
    TIMEFORMAT='%R %U %S'
    { time "${command[@]}" > said; } 2>&1 | tail -n 1 | awk '{ print $1, $2 + $3 }'
    [ "$1" != read ] || grep -q ' 0 missing, 0 damaged, 0 not supported' said
}
run() { # TOOL WHAT URL LIMIT
    rm -rf www/out*
    if [ "$1" = gt ]; then ours "${@:2}"; else "$python" theirs.py "$1" "$2" "$3" "$count" "$4" 2> err || { tail -n 1 err >&2; echo "- -"; }; fi
}
median() { sort -g | awk '{ a[NR] = $0 } END { print a[int((NR + 1) / 2)] }'; }

find www/in.zarr -type f -exec cat {} + > /dev/null
echo "| $count objects | link | concurrent | gt-utils | TensorStore | obstore |"
echo "|---|---|---|---|---|---|"
for what in read write; do
    for link in 0 20; do
        [ $link = 0 ] && url=http://127.0.0.1:$port || url=http://127.0.0.1:$(cat delayed)
        for limit in "${concurrency[@]}"; do
            rm -f times.*
            for ((i = 0; i < runs; i++)); do
                for tool in gt tensorstore obstore; do run $tool $what "$url" "$limit" >> times.$tool; done
            done
            printf '| %s | %s ms | %s |' $what $link "$limit"
            for tool in gt tensorstore obstore; do
                median < times.$tool | awk -v n="$count" '{ if ($1 == "-") printf " - |"; else printf " %.0f/s, cpu %.2f s |", n / $1, $2 }'
            done
            echo
        done
    done
done
