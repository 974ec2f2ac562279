#!/usr/bin/env bash
# A uint16 array read whole, chunk by chunk, every chunk decoded and let go: gt-info --check --deep
# beside zarr-python 3 and TensorStore; then by URL from nginx on this machine.  Chunks of 256^3:
# raw, zstd:1, and shards of zstd:1 with 64^3 inside.  Seconds, median of runs that take turns: ours of
# the whole process, theirs without the start of Python.  All have two threads for decoding; of what
# zarr-python can be asked (a call for each chunk from two threads, a layer of chunks a call) the faster counts.
#   zarr.sh [N [RUNS]]        an array of N^3; needs GT_BIN; default 1024 5
# $WITH, $WITH_SERVER: what stands in front of each run and of nginx, as "chrt -r 10".  $PYTHON_ZARR: a Python with zarr 3, tensorstore, fsspec and aiohttp, made where it is not set.
set -euo pipefail
n=${1:-1024} runs=${2:-5} threads=${GT_THREADS:-2}
# shellcheck source=scripts/lib-setup.sh
source "$(dirname "${BASH_SOURCE[0]}")/../lib-setup.sh"
python=${PYTHON_ZARR:-$(pypi "$TOP/build/bench-zarr" 'zarr>=3,<4 tensorstore fsspec aiohttp' 'import zarr, tensorstore, fsspec, aiohttp')}
[ -n "$python" ] || { echo "zarr-python and TensorStore cannot be had" >&2; exit 1; }
work=$(mktemp -d "${TMPDIR:-/tmp}/bench-zarr.XXXXXX")
nginx=
trap '[ -z "$nginx" ] || kill "$nginx"; rm -rf "$work"' EXIT
cd "$work"
chmod a+rx .
export no_proxy=127.0.0.1

"$python" - "$n" << 'PYTHON'
import sys, numpy as np, zarr
from zarr.codecs import ZstdCodec
n = int(sys.argv[1])
zstd = ZstdCodec(level=1)
arrays = [zarr.create_array(name + ".zarr", shape=(n,) * 3, dtype="uint16", **how) for name, how in {
    "raw": dict(chunks=(256,) * 3, compressors=None), "zstd": dict(chunks=(256,) * 3, compressors=zstd),
    "shard": dict(chunks=(64,) * 3, shards=(256,) * 3, compressors=zstd)}.items()]
rng = np.random.default_rng(1)
y, x = np.arange(n, dtype="u2")[:, None], np.arange(n, dtype="u2")
for at in range(0, n, 256):  # slopes with noise of four bits, as of a microscope
    slab = np.stack([(z * 7 + y * 3 + x * 5) // 16 for z in range(at, min(at + 256, n))]).astype("u2")
    slab += rng.integers(0, 16, slab.shape, dtype="u2")
    for array in arrays:
        array[at:at + 256] = slab
PYTHON

cat > theirs.py << 'PYTHON'
import itertools, sys, time
from concurrent.futures import ThreadPoolExecutor
tool, name, threads = sys.argv[1], sys.argv[2], int(sys.argv[3])
def boxes(shape, edge):
    return [tuple(slice(a, min(a + edge, n)) for a, n in zip(at, shape)) for at in itertools.product(*(range(0, n, edge) for n in shape))]
if tool == "tensorstore":
    import tensorstore as ts
    context = ts.Context({"data_copy_concurrency": {"limit": threads}, "file_io_concurrency": {"limit": threads}, "http_request_concurrency": {"limit": 32}})
    start = time.perf_counter()
    kv = {"driver": "http", "base_url": name} if "://" in name else {"driver": "file", "path": name}
    array = ts.open({"driver": "zarr3", "kvstore": kv}, context=context, read=True).result()
    all, ahead = boxes(array.shape, 256), []
    for box in all:
        ahead.append(array[box].read())
        if len(ahead) > 4:
            ahead.pop(0).result()
    for f in ahead:
        f.result()
else:
    import zarr
    import numpy
    if "://" in name:
        import aiohttp, fsspec
    zarr.config.set({"threading.max_workers": threads})
    start = time.perf_counter()
    array = zarr.open_array(name, mode="r")
    if tool == "zarr_calls":
        with ThreadPoolExecutor(threads) as pool:
            for _ in pool.map(lambda box: array[box].shape, boxes(array.shape, 256)):
                pass
    else:
        for at in range(0, array.shape[0], 256):
            array[at:at + 256]
print(time.perf_counter() - start)
PYTHON

median() { sort -g | awk '{ a[NR] = $1 } END { print a[int((NR + 1) / 2)] }'; }
ours() {
    local from
    from=$(date +%s.%N)
    ${WITH:-} "$GT_BIN/gt-info" --check --deep -@ "$threads" "$1" > said
    grep -q ' 0 missing, 0 damaged, 0 not supported' said
    echo "$(date +%s.%N) - $from" | bc
}
bytes=$((n * n * n * 2))
# table PREFIX TOOL...: a row for each array, of these peers.
table() {
    local prefix=$1 name tool i
    shift
    for name in raw zstd shard; do
        rm -f times.*
        for ((i = 0; i < runs; i++)); do
            ours "$prefix$name.zarr" >> times.gt
            for tool in "$@"; do ${WITH:-} "$python" theirs.py "$tool" "$prefix$name.zarr" "$threads" >> "times.$tool"; done
        done
        printf '%-6s ours %6.2f s %6.2f GB/s' "$name" "$(median < times.gt)" "$(echo "$bytes / 1000000000 / $(median < times.gt)" | bc -l)"
        for tool in "$@"; do
            printf '   %s %6.2f s, ratio %5.2f' "$tool" "$(median < "times.$tool")" "$(echo "$(median < "times.$tool") / $(median < times.gt)" | bc -l)"
        done
        echo
    done
}

cat ./*.zarr/zarr.json > /dev/null
find . -type f -path '*/c/*' -exec cat {} + > /dev/null
echo "directory, $n^3 uint16"
table "" zarr_calls zarr_layers tensorstore

PATH=$PATH:/usr/sbin
command -v nginx > /dev/null || { echo "no nginx"; exit 0; }
port=$("$python" -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
cat > nginx.conf << CONF
pid $work/nginx.pid;
error_log $work/error.log;
worker_processes 1;
daemon off;
events {}
http {
    access_log off;
    sendfile on;
    client_body_temp_path $work/a; proxy_temp_path $work/b; fastcgi_temp_path $work/c; uwsgi_temp_path $work/d; scgi_temp_path $work/e;
    server { listen 127.0.0.1:$port; root $work; }
}
CONF
# shellcheck disable=SC2086
${WITH_SERVER:-} nginx -p "$work" -e "$work/error.log" -c "$work/nginx.conf" -g "user $(id -un);" &
nginx=$!
sleep 1
echo "http, nginx on this machine"
table "http://127.0.0.1:$port/" zarr_calls zarr_layers tensorstore
