#!/usr/bin/env bats
# --report: figures that add up, a page that shows them, of runs that end well, fail and are interrupted.

bats_require_minimum_version 1.5.0

# shellcheck source=test/support/level.bash
. "$GT_SOURCE/test/support/level.bash"

setup() {
    cd "$BATS_TEST_TMPDIR"
    unset GT_CPU GT_THREADS GT_MEMORY OMP_NUM_THREADS
    PATH=$GT_BUILD:$PATH
    sample=$GT_BUILD/test/cmd/common/sample
    py=${PYTHON:-python3}
    cat > figures.py << 'PYTHON'
import json, re, sys
def page(path):
    text = open(path).read()
    return json.loads(re.search(r'<script type="application/json" id="data">\n(.*?)\n?</script>', text, re.S)[1])
def load(path):
    return page(path) if path.endswith('.html') else json.load(open(path))
def check(r, threads_sum=True):
    wall, stages = r['time']['wall'], r['stages']
    for i, s in enumerate(stages):
        for which, name in (1, 'worked'), (2, 'waited'):
            parts = sum(t[which] for thread in r['threads'] for t in thread['stages'] if t[0] == i)
            assert abs(parts - s[name]) <= 1e-5 * (1 + len(r['threads'])), (s, parts)
    # longest is in whole microseconds
    assert all(s['worked'] <= 1e-5 + (s['longest'] + 1e-6) * s['tasks'] and s['longest'] <= s['worked'] + 1e-5 for s in stages), stages
    cpu = sum(t['cpu'] for t in r['threads'])
    assert 0 < cpu <= r['time']['cpu_user'] + r['time']['cpu_system'] + 0.2, cpu
    for t in r['threads']:
        assert sum(w + v for _, w, v in t['stages']) <= 1.01 * wall + 0.01, t
    assert r['memory_use']['peak_buffers'] <= r['memory_use']['limit']
    for name in 'memory', 'queues', 'timeline', 'tasks':
        assert name in r, name
    line = r['timeline']
    assert line['bins'] * line['seconds'] >= 0.99 * wall and len(line['threads']) == len(r['threads'])
    for thread, cells in zip(r['threads'], line['threads']):
        for i in range(len(stages)):  # a cell is rounded to a thousandth of a bin
            for which, at in (1, 2), (2, 3):
                total = sum(t[which] for t in thread['stages'] if t[0] == i)
                drawn = sum(c[at] for c in cells if c[1] == i) / 1000 * line['seconds']
                slack = (1 + line['bins']) * line['seconds'] / 1000 + 1e-6 * (1 + len(cells))
                assert abs(total - drawn) <= slack, (thread['name'], stages[i], total, drawn)
PYTHON
}

@test "--report FILE.json: sums of stages, threads and time axis agree; every task once" {
    gt-sim -q --samples 200 --variants 4000 -o s.zarr
    gt-pdist -q s.zarr -m king -O npy -o k.npy -@ 3 --memory 200M --report r.json
    "$py" - << 'PYTHON'
exec(open('figures.py').read())
r = load('r.json')
check(r)
assert (r['report'], r['state'], r['exit'], r['message']) == (1, 'done', 0, '')
assert r['command']['line'].startswith('gt-pdist -q s.zarr -m king') and r['machine']['threads'] == 3 and r['machine']['ranks'] == 1
assert r['memory_use']['limit'] == 200 << 20 and 0 < r['memory_use']['planned_minimum'] <= 200 << 20
assert 0 < len(r['tasks']) == sum(s['tasks'] for s in r['stages'])
worked = {}
for thread, stage, start, took, waited, task in r['tasks']:
    assert 0 <= start and start + took <= 1.01 * r['time']['wall'] + 0.01 and 0 <= waited <= took
    worked[stage] = worked.get(stage, 0) + 1
assert all(worked.get(i, 0) == s['tasks'] for i, s in enumerate(r['stages']))
assert max(b for _, b in r['memory']) <= r['memory_use']['peak_buffers']
total, held = dict(map(tuple, r['memory'])), {}
for q in r['queues']:
    for when, _, _, own in q['samples']:
        held[when] = held.get(when, 0) + own
assert held and set(held) <= set(total) and max(held.values()) > 100000, held
# buffers that came between two looks may be in one and not in the other
assert sum(held[when] <= total[when] for when in held) >= 0.8 * len(held) and max(held.values()) <= r['memory_use']['peak_buffers'], (held, total)
read = [s for s in r['stages'] if s['stage'] == 'read' and s['tasks']]
assert read and read[0]['bytes'] > 0
PYTHON
}

@test "--report: more tasks than are listed are summed up, and none is lost" {
    gt-pi -q --points 4e6 --chunks 40000 -@ 2 --report r.html
    "$py" - << 'PYTHON'
exec(open('figures.py').read())
r = load('r.html')
check(r)
assert r['tasks'] == [] and 40000 in [s['tasks'] for s in r['stages']], r['stages']
PYTHON
    [ "$(wc -c < r.html)" -lt 2000000 ]
}

@test "--report FILE.html: self-contained, and what a browser shows" {
    gt-sim -q --samples 50 --variants 2000 -o s.zarr
    gt-info --stats samples s.zarr -o '<!--<script>.txt' --report r.html
    run ! grep -E '(src|href) *=|@import|url\(|fetch\(|XMLHttp' r.html
    run ! grep -q 'http-equiv="refresh"' r.html
    "$py" -c "
exec(open('figures.py').read())
r = load('r.html')
check(r)
assert '<!--<script>.txt' in r['command']['line']"
    command -v chromium > /dev/null || skip "no chromium"
    timeout 120 chromium --headless --no-sandbox --disable-gpu --enable-logging=stderr --user-data-dir="$PWD/c" --dump-dom "file://$PWD/r.html" > dom 2> said ||
        skip "chromium does not run here"
    run ! grep -E 'Uncaught|SyntaxError|TypeError|ReferenceError' said
    grep -q '<b class="done">Finished</b> after' dom
    grep -q '<title>gt-info: finished</title>' dom
    grep -Eq '<tr><td><span class="key"[^>]*></span>[A-Za-z ]+: [a-z ]+</td>' dom
    grep -Eq '[0-9]+ threads x .* of work in tasks' dom
    "$py" << 'PYTHON'
exec(open('figures.py').read())
import html
dom, r = open('dom').read(), load('r.html')
rows = re.findall(r'<tr><td><span class="key" style="background: ([^;"]+)[^>]*></span>([^<]*)</td><td>([^<]*)</td><td>[^<]*</td><td>[^<]*</td><td>([^<]*)</td><td>([^<]*)</td>', dom)
assert [r[1] for r in rows] == [s['title'] + ': ' + s['stage'] for s in sorted((s for s in r['stages'] if s['tasks']), key=lambda s: -s['worked'] - s['waited'])], rows
assert len({colour for colour, *_ in rows}) == len(rows) <= 24, 'a colour for each stage'
for _, name, _, moved, rate in rows:  # of what is handed on no rate
    assert not rate or moved and (name.split(': ')[1] in ('read', 'write', 'commit') or 'compress' in name), (name, rate)
begun, wall = min(t[2] for t in r['tasks']), r['time']['wall']
said = re.search(r'Before the first task: ([0-9.]+) (m?s)', dom)
assert bool(said) == (begun > .05 * wall and begun > .02) or abs(begun - max(.02, .05 * wall)) < r['timeline']['seconds'], (said, begun, wall)
assert re.search(r'computing threads? worked for [0-9.]+ %', dom) and re.search('without a task, of which .* of computing threads', dom)
PYTHON
}

@test "--report: a run that fails leaves its report, with the error" {
    run "$sample" --do fail --text 'it </script>' --report r.html
    [ "$status" -eq 1 ]
    run "$sample" --do input --text it --report r.json
    [ "$status" -eq 3 ]
    run gt-pi -q --points 1e5 --memory 1M --report m.html
    [ "$status" -eq 4 ]
    "$py" -c "
exec(open('figures.py').read())
r = load('r.html')
assert (r['state'], r['exit'], r['message']) == ('failed', 1, \"cannot do 'it </script>'\"), r
r = load('r.json')
assert (r['state'], r['exit'], r['message']) == ('failed', 3, \"'it' is damaged\"), r
r = load('m.html')
assert (r['state'], r['exit'], r['memory_use']['limit']) == ('failed', 4, 1 << 20) and r['message'].startswith('1.0 MiB of memory')
assert r['hint'].startswith('use --memory '), r
"
}

@test "--report: a page that is reloaded while the command runs; interrupted, it says so" {
    "$sample" --do slow -c 4000 -o out --report r.html 2> said &
    pid=$!
    until [ -s r.html ]; do sleep 0.05; done
    grep -q 'http-equiv="refresh"' r.html
    "$py" -c "
exec(open('figures.py').read())
r = load('r.html')
assert r['state'] == 'running' and 'timeline' not in r"
    for i in $(seq 200); do
        cmp -s r.html first && sleep 0.1 && continue
        [ -e first ] && break
        cp r.html first
    done
    run ! cmp -s r.html first
    "$py" -c "
exec(open('figures.py').read())
a, b = page('first'), load('r.html')
assert b['time']['wall'] > a['time']['wall'] + 3 and b['progress']['done'] > 0"
    kill -TERM $pid
    status=0
    wait $pid || status=$?
    [ "$status" -eq 143 ]
    "$py" -c "
exec(open('figures.py').read())
r = load('r.html')
assert (r['state'], r['exit']) == ('interrupted', 1), (r['state'], r['exit'])
check(r)"
    run ! grep -q 'http-equiv="refresh"' r.html
    [ -z "$(find . -name '*.gt-tmp')" ]
}

@test "--report: names and places that cannot be written" {
    run gt-pi --points 1e3 --report r.txt
    [ "$status" -eq 2 ]
    [[ ${lines[0]} == "gt-pi: --report 'r.txt': the name must end in .html or .json" && ${lines[1]} == "hint: --report report.html" ]]
    run gt-pi --points 1e3 --report /nowhere/r.html
    [ "$status" -ne 0 ]
    [[ ${lines[0]} == *"/nowhere"* ]]
    run gt-pi --points 1e3 --report r.html --trace r.html
    [ "$status" -eq 2 ]
    [ -z "$(ls | grep -v figures.py)" ]
}

# slow.so, to be preloaded: reading takes that many ns for each byte
slow_reads() {
    cat > slow.c << 'C'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <time.h>
#include <unistd.h>
static ssize_t late(ssize_t got)
{
    const long long ns = got * NS_PER_BYTE;
    if (got > 1000)
        nanosleep(&(struct timespec){.tv_sec = ns / 1000000000, .tv_nsec = ns % 1000000000}, NULL);
    return got;
}
ssize_t read(int fd, void *to, size_t n)
{
    return late(((ssize_t (*)(int, void *, size_t))dlsym(RTLD_NEXT, "read"))(fd, to, n));
}
ssize_t pread(int fd, void *to, size_t n, off_t at)
{
    return late(((ssize_t (*)(int, void *, size_t, off_t))dlsym(RTLD_NEXT, "pread"))(fd, to, n, at));
}
ssize_t pread64(int fd, void *to, size_t n, off64_t at)
{
    return pread(fd, to, n, at);
}
C
    cc -shared -fPIC -DNS_PER_BYTE="${1}LL" -o slow.so slow.c -ldl
}

# the cause in r.json, and words that its sentence must have
limited() {
    "$py" -c "
import json, sys
limit = json.load(open('r.json'))['limited_by']
assert limit['cause'] == sys.argv[1] and sys.argv[2] in limit['text'], limit" "$@"
}

@test "--report says what limited a run, for two commands each: too little memory, a codec, a huge chunk, one thread, a slow disk" {
    ! sanitized || skip "stages take other times under sanitizers"
    gt-sim -q --samples 1500 --variants 8000 -O bed -o s.bed
    gt-pdist -q s.bed -m king -O npy -o k.npy --memory 40M -@ 2 --report r.json
    limited memory 'passes over the data'
    gt-sim -q --samples 2000 --variants 40000 -o v.zarr
    gt-svd -q v.zarr -k 4 --algorithm krylov -o v --memory 96M -@ 2 --report r.json
    limited memory 'passes over the data'

    gt-sim -q --samples 1000 --variants 2000 --normal -o n.zarr
    gt-rechunk -q n.zarr --codec zstd:12 -c 20,1000 -@ "$(nproc)" -o many.zarr --report r.json
    limited codec 'compressing zstd took'
    gt-sim -q --samples 1000 --variants 15000 --normal --codec gzip:1 -o gzip.zarr
    gt-info -q --check gzip.zarr -@ "$(nproc)" --report r.json
    limited codec 'decompressing gzip took'

    gt-rechunk -q n.zarr --codec zstd:12 -c 2000,1000 -@ 2 -o one.zarr --report r.json
    limited 'few tasks' 'compression (zstd) had 1 task for 2 threads'
    gt-sim -q --samples 50 --variants 1600000 -o w.zarr
    gt-rechunk -q w.zarr --codec gzip:1 -c 1600000,50 -o whole.zarr
    gt-svd -q whole.zarr -k 2 --algorithm gram -@ 2 -o g --report r.json
    limited 'few tasks' 'had 1 task for 2 threads'
    [ "$(nproc)" -eq 1 ] || {
        gt-sim -q --samples 5000 --variants 40000 -o large.zarr
        gt-pdist -q large.zarr -m king -O npy -o k.npy --force -@ 1 --report r.json
        limited threads '1 of'
        gt-svd -q large.zarr -k 3 --algorithm krylov -o h -@ 1 --report r.json
        limited threads '1 of'
    }
    slow_reads 1000 || skip "no compiler" # 1 MB/s: waiting is most of the run on a busy machine, too
    LD_PRELOAD=$PWD/slow.so gt-pdist -q s.bed -m king -O npy -o v.npy --report r.json
    limited input 'one reader read for'
    LD_PRELOAD=$PWD/slow.so gt-info -q --stats samples s.bed -o i.tsv --report r.json
    limited input 'one reader read for'
}

@test "--report: the plan is there, and figures fit the schema's required members" {
    gt-sim -q --samples 100 --variants 2000 -o s.zarr
    gt-svd -q s.zarr -k 3 --algorithm krylov -o v --report r.json
    GT_DEVICE=host gt-svd -q s.zarr -k 3 --algorithm krylov --passes 3 -f -o v --report device.json
    "$py" - "$GT_SOURCE/doc/report.schema.json" << 'PYTHON'
import json, sys
schema, r = json.load(open(sys.argv[1])), json.load(open('r.json'))
root = schema
def fits(value, schema, at):
    if '$ref' in schema:
        schema = root['$defs'][schema['$ref'].split('/')[-1]]
    for key in schema.get('required', []):
        assert key in value, (at, key)
    if 'enum' in schema:
        assert value in schema['enum'], (at, value)
    for key, part in schema.get('properties', {}).items():
        if key in value:
            fits(value[key], part, at + '.' + key)
    if isinstance(value, list) and isinstance(schema.get('items'), dict):
        for v in value:
            fits(v, schema['items'], at + '[]')
fits(r, schema, '')
assert set(r) <= set(schema['properties']), set(r) - set(schema['properties'])
on_device = json.load(open('device.json'))
fits(on_device, schema, '')
assert set(on_device) - {'devices'} == set(r) and set(on_device['devices'][0]) <= set(schema['properties']['devices']['items']['properties'])
steps = {s['flow']: s for s in r['plan']['steps']}
assert steps['multiply']['passes'] > 1 and steps['zarr']['started'] and steps['zarr']['tasks'] > 0
assert any(s['name'] == 'genotypes between passes' and s['size'] >= s['minimum'] for s in r['plan']['memory'])
PYTHON
}

@test "--report: shapes, chunks and codecs of inputs and outputs are those of their metadata" {
    gt-sim -q --samples 90 --variants 2000 --normal --chunks variants=300,samples=40 -o n.zarr
    gt-rechunk -q n.zarr -c 500,90 --codec zstd:3 --zarr-format 2 -o out.zarr --report r.json
    gt-sim -q --samples 50 --variants 700 -O vcf -o v.vcf
    gt-pack -q v.vcf --chunks variants=200,samples=50 -o p.zarr --report p.json
    gt-pack -q v.vcf --chunks variants=200,samples=50 -o - --report t.json > p.tar
    mkdir stream
    tar -xf p.tar -C stream
    gt-pdist -q -m king p.zarr -O npy -o k.npy --report k.json
    run gt-pdist -q -m king absent.zarr -O npy -o k.npy -f --report no.json
    "$py" << 'PYTHON'
import json, math, os
def load(name): return json.load(open(name))['data']
def stored(store):  # path -> shape, chunks and codec of each array, from the store's own documents
    found = {}
    for folder, _, files in os.walk(store):
        path = os.path.relpath(folder, store).replace('.', '', 1) if folder == store else os.path.relpath(folder, store)
        if '.zarray' in files:
            m = json.load(open(folder + '/.zarray'))
            found[path] = m['shape'], m['chunks'], m['compressor'] and m['compressor']['id']
        elif 'zarr.json' in files:
            m = json.load(open(folder + '/zarr.json'))
            if m['node_type'] == 'array':
                found[path] = m['shape'], m['chunk_grid']['configuration']['chunk_shape'], m['codecs'][-1]['name']
    assert found
    return found
def agrees(file, store, all_of_it):
    want, got = stored(store), {a['path']: a for a in file['arrays']}
    assert set(got) <= set(want) and (set(got) == set(want) or not all_of_it), (set(got) ^ set(want))
    for path, (shape, chunks, codec) in want.items():
        if path in got:
            a = got[path]
            assert (a['shape'], a['chunks']) == (shape, chunks) and (codec is None or a['codec'].split(':')[0] == codec or codec in a['codec']), (a, want[path])
    sizes = [math.prod(a['shape']) for a in file['arrays']]
    assert sizes == sorted(sizes, reverse=True)
r = load('r.json')
assert [f['name'] for f in r['inputs'] + r['outputs']] == ['n.zarr', 'out.zarr'] and r['genotypes'] is None
agrees(r['inputs'][0], 'n.zarr', True)
agrees(r['outputs'][0], 'out.zarr', True)
assert r['outputs'][0]['bytes'] == sum(os.path.getsize(os.path.join(d, f)) for d, _, files in os.walk('out.zarr') for f in files)
p = load('p.json')
assert p['genotypes'] == {'kind': 'VCF', 'samples': 50, 'variants': 700}, p['genotypes']
assert p['inputs'] == [{'name': 'v.vcf', 'bytes': os.path.getsize('v.vcf'), 'arrays': []}], p['inputs']
agrees(p['outputs'][0], 'p.zarr', True)
t = load('t.json')['outputs']
assert [f['name'] for f in t] == ['standard output']
agrees(t[0], 'stream', True)
k = load('k.json')
agrees(k['inputs'][0], 'p.zarr', False)
assert k['outputs'][0] == {'name': 'k.npy', 'bytes': os.path.getsize('k.npy'), 'arrays': [{'path': '', 'shape': [50, 50], 'chunks': None, 'type': '<f8', 'codec': None}]}, k['outputs']
assert all(f['bytes'] is None and not f['arrays'] for f in load('no.json')['outputs'])
PYTHON
}

@test "--report: bytes that were written are those of the files" {
    gt-sim -q --samples 90 --variants 3000 -o s.zarr --chunks variants=500 --report sim.json
    for kind in npy vcf vcf.gz bcf bed pgen; do gt-unpack -q s.zarr -o "u.$kind" --report "$kind.json"; done
    gt-rechunk -q s.zarr -c variants=700 -o r.zarr --report rechunk.json
    gt-pdist -q s.zarr -m king -O npy -o k.npy --report matrix.json
    gt-pdist -q s.zarr -m king -o k.tsv --report table.json
    "$py" << 'PYTHON'
import json, os
def written(name):
    return sum(s['bytes'] for s in json.load(open(name + '.json'))['stages'] if s['stage'] == 'commit' or s['flow'] == 'distances')
def chunks(store):  # of the arrays, without metadata
    return sum(os.path.getsize(os.path.join(d, f)) for d, _, files in os.walk(store) for f in files if not f.startswith('.') and f != 'zarr.json')
def size(*names): return sum(map(os.path.getsize, names))
heads = {'npy': 1024, 'vcf': 4096, 'vcf.gz': 2048, 'bcf': 2048, 'bed': 3, 'pgen': 16384, 'matrix': 1024, 'table': 1024}
files = {'npy': ['u.npy'], 'vcf': ['u.vcf'], 'vcf.gz': ['u.vcf.gz'], 'bcf': ['u.bcf'], 'pgen': ['u.pgen', 'u.pvar'], 'bed': ['u.bed', 'u.bim'], 'matrix': ['k.npy'], 'table': ['k.tsv']}
for name, paths in files.items():
    assert 0 <= size(*paths) - written(name) <= heads[name], (name, written(name), size(*paths))
for name, store in ('sim', 's.zarr'), ('rechunk', 'r.zarr'):
    assert 0.9 * chunks(store) - 4096 <= written(name) <= chunks(store), (name, written(name), chunks(store))
PYTHON
}

@test "--report: the tree of gt-pdist --tree is drawn: each leaf at its distance from the root" {
    command -v chromium > /dev/null || skip "no chromium"
    gt-sim -q --samples 40 --variants 3000 --pops 3 --fst 0.1 -o s.zarr
    gt-pdist -q -m 1-ibs --tree t.nwk --report r.html s.zarr
    timeout 120 chromium --headless --no-sandbox --disable-gpu --enable-logging=stderr --user-data-dir="$PWD/c" --dump-dom "file://$PWD/r.html" > dom 2> said ||
        skip "chromium does not run here"
    run ! grep -E 'Uncaught|SyntaxError|TypeError|ReferenceError' said
    "$py" << 'PYTHON'
import re
def leaves(text):  # name -> distance from the root
    found, stack, at = {}, [], 0
    pieces = re.findall(r"[(),;]|[^(),;]+", text.strip())
    def parse():
        nonlocal at
        inner = {}
        if pieces[at] == '(':
            while pieces[at] in '(,':
                at += 1
                inner.update(parse())
            at += 1
        name, length = ('', 0.0)
        if pieces[at] not in '(),;':
            name, _, length = pieces[at].partition(':')
            at += 1
        length = max(0.0, float(length or 0))
        return {n: d + length for n, d in (inner or {name: 0.0}).items()}
    return parse()
want = leaves(open('t.nwk').read())
svg = re.search(r'<div id="tree-drawing">(.*?)</div>', open('dom').read(), re.S)[1]
got = {name: float(x) for x, name in re.findall(r'<text x="([\d.]+)"[^>]*fill="[^"]*">(S\d+)<', svg)}
assert set(got) == set(want) and len(got) == 40, set(want) ^ set(got)
far, near = max(want, key=want.get), min(want, key=want.get)
scale = (got[far] - 8) / want[far]
assert scale > 0 and all(abs(got[n] - 8 - scale * want[n]) < 0.2 for n in want), [(n, got[n], want[n]) for n in want]
bar, long = re.search(r'd="M4 [\d.]+h([\d.]+)"', svg)[1], re.search(r'<text x="4"[^>]*>([\d.e-]+)<', svg)[1]
assert abs(float(bar) - scale * float(long)) < 0.2, (bar, long, scale)
PYTHON
}

@test "gt-info --report A.json B.json: a table of several runs; nothing is overwritten" {
    gt-sim -q --samples 30 --variants 500 -o s.zarr --report a.json
    gt-pdist -q s.zarr -m king -o k.tsv -@ 2 --report b.json
    run gt-pdist -q absent.vcf -o n.tsv --report c.json
    cp a.json kept.json
    gt-info --report a.json b.json c.json > table.tsv
    cmp a.json kept.json
    gt-info a.json b.json c.json | cmp - table.tsv
    gt-info --json a.json b.json c.json > table.json
    "$py" << 'PYTHON'
import json
rows = [line.rstrip('\n').split('\t') for line in open('table.tsv')]
runs = [json.load(open(p)) for p in ('a.json', 'b.json', 'c.json')]
made = json.load(open('table.json'))
assert len(rows) == 4 and len(made) == 3
for path, row, run, one in zip(('a.json', 'b.json', 'c.json'), rows[1:], runs, made):
    figures = dict(zip(rows[0], row))
    assert figures['report'] == path == one['file'] and figures['command'] == run['command']['name'] and figures['state'] == run['state']
    assert abs(float(figures['seconds']) - run['time']['wall']) < 1e-3 and int(figures['peak_bytes']) == run['memory_use']['peak']
    assert figures['limited_by'] == run['limited_by']['cause'] and figures['command_line'] == run['command']['line']
    assert one['stages'] == run['stages'] and one['time'] == run['time']
assert [r[2] for r in rows[1:]] == ['done', 'done', 'failed']
PYTHON
    run gt-info --stats samples a.json
    [ "$status" -eq 2 ]
    echo '{ "report": 1, "sta' > bad.json
    run gt-info bad.json
    [ "$status" -eq 3 ]
    [[ "${lines[0]}" == *"'bad.json'"* || "${lines[0]}" == *"bad.json"* ]]
}

@test "--report: pages of all commands, of runs that are small, large, fail and are interrupted, in one browser" {
    command -v chromium > /dev/null || skip "no chromium"
    ! sanitized || skip "pages are the same under sanitizers"
    gt-sim -q --samples 90 --variants "$(by_level 3000 100000 300000)" -O vcf -o s.vcf --report sim.html
    gt-pack -q s.vcf -o s.zarr --report pack.html
    gt-unpack -q s.zarr -o s.bed --report unpack.html
    gt-pdist -q s.bed -m 1-ibs --plot d.svg --report pdist.html
    gt-svd -q s.zarr -k 4 --plot p.svg --report svd.html
    gt-rechunk -q s.zarr -o r.zarr --codec zstd:9 --report rechunk.html
    gt-info -q --plot i.svg s.zarr --report info.html
    gt-info -q --check s.zarr --report check.html > /dev/null
    gt-pi -q --points 1e5 --report pi.html > /dev/null
    gt-pi -q --points 1e6 --chunks 100000 --report large.html > /dev/null
    gt-sim -q --samples 500 --variants 20000 --chunks variants=1000 -o slow.zarr
    slow_reads 20000 || skip "no compiler"
    "$py" << 'PYTHON'
import os, signal, subprocess, time
def begin(kind, name, options, **more):
    words = ['gt-' + name, '-q'] + options.split() + ['--report', kind + '_' + name + '.html']
    return subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **more)
def all_commands(kind, input, sim, pi, **more):
    yield begin(kind, 'sim', sim)
    yield begin(kind, 'pi', pi)
    for name, options in ('pack', '-o x.zarr'), ('unpack', '-o x.vcf'), ('pdist', '-m king -o x.tsv'), ('svd', '-k 2 -o x'), ('rechunk', '-o y.zarr'), ('info', '--stats samples -o x.txt'):
        yield begin(kind, name, options + ' ' + input, **more)
open('bad.vcf', 'w').write('no such format\n')
ends = [p.wait() for p in all_commands('failed', 'bad.vcf', '--samples 90 --variants 3000 -o /proc/x.zarr', '--memory 1M')]
assert ends == [1, 4] + [3] * 6, ends
runs = list(all_commands('stopped', 'slow.zarr', '--samples 2000 --variants 1e8 -o z.zarr', '--points 1e13', env=dict(os.environ, LD_PRELOAD=os.environ['PWD'] + '/slow.so')))
names = 'sim pi pack unpack pdist svd rechunk info'.split()
for p, name in zip(runs, names):
    while p.poll() is None and not os.path.exists('stopped_' + name + '.html'):
        time.sleep(.02)
    p.send_signal(signal.SIGINT)
ends = [p.wait() for p in runs]
assert ends == [-signal.SIGINT] * 8, ends
PYTHON
    cat > all.html << 'HTML'
<pre id="got"></pre><script>
const commands = "sim pack unpack pdist svd rechunk info pi".split(" ");
const got = [], names = commands.concat("check", "large", commands.map(c => "failed_" + c), commands.map(c => "stopped_" + c));
function next() {
  const name = names.shift();
  if (!name) { document.getElementById("got").textContent = JSON.stringify(got); return; }
  const frame = document.createElement("iframe");
  frame.width = [400, 1300, 2000][names.length % 3]; frame.height = 800; frame.src = name + ".html";
  frame.onload = () => {
    const d = frame.contentDocument, text = id => d.getElementById(id).textContent;
    const drawn = [...d.querySelectorAll("canvas")].map(c => c.offsetParent ? new Set(c.getContext("2d").getImageData(0, 0, c.width, c.height).data).size : 0);
    got.push({ name, title: d.title, state: text("state"), limit: text("limit"), sum: text("sum"), rows: d.querySelectorAll("#stages tr").length, plan: d.querySelectorAll("#steps tr").length,
               drawn, picture: d.querySelectorAll("#drawing svg").length, points: d.querySelectorAll("#drawing title").length, wide: d.documentElement.scrollWidth - d.documentElement.clientWidth });
    frame.remove(); next();
  };
  document.body.append(frame);
}
next();
</script>
HTML
    timeout 200 chromium --headless --no-sandbox --disable-gpu --allow-file-access-from-files --virtual-time-budget=20000 --enable-logging=stderr \
        --user-data-dir="$PWD/c" --dump-dom "file://$PWD/all.html" > dom 2> said || skip "chromium does not run here"
    run ! grep -E 'Uncaught|SyntaxError|TypeError|ReferenceError' said
    "$py" << 'PYTHON'
exec(open('figures.py').read())
import html
got = {g['name']: g for g in json.loads(html.unescape(re.search(r'<pre id="got">(.*?)</pre>', open('dom').read(), re.S)[1]))}
assert len(got) == 26, list(got)
unit = {'h': 3600, 'min': 60, 's': 1, 'ms': 1e-3, '\u00b5s': 1e-6}
def seconds(text):
    number, name = text.split(' ')
    return float(number) * unit[name]
def shown(*texts):  # half of the last digits
    return sum(.5 * 10.0 ** -len(t.split(' ')[0].partition('.')[2]) * unit[t.split(' ')[1]] for t in texts)
for name, g in got.items():
    r = load(name + '.html')
    kind, _, command = name.rpartition('_')
    state, words = {'failed': ('Failed', 'failed'), 'stopped': ('Interrupted', 'interrupted'), '': ('Finished', 'done')}[kind]
    assert g['state'].startswith(state + ' after ') and r['state'] == words, g
    assert r['command']['name'] == 'gt-' + {'check': 'info', 'large': 'pi'}.get(command, command), (name, r['command'])
    assert g['wide'] <= 0, (name, 'scrolls sideways', g['wide'])
    if not r['threads']:
        assert kind and r['message'] in g['state'] and g['limit'] == '' and g['rows'] <= 1, g
        continue
    assert g['limit'] == 'What limited this run. ' + r['limited_by']['text']
    assert g['rows'] == 1 + sum(s['tasks'] > 0 for s in r['stages']) and (g['plan'] >= 2 or kind) and max(g['drawn']) > 10, g
    n, wall, total, worked, waited, rest = re.match(r'(\d+) threads x (.*?) = (.*?): (.*?) of work.*?, (.*?) waiting.*?, (\S+ \S+) without', g['sum']).groups()
    assert int(n) == len(r['threads']) and abs(seconds(total) - r['time']['wall'] * int(n)) <= 0.01 * seconds(total) + shown(total)
    assert abs(seconds(worked) + seconds(waited) + seconds(rest) - seconds(total)) <= 0.01 * seconds(total) + shown(worked, waited, rest, total), g
    stages = sum(s['worked'] + s['waited'] for s in r['stages'])
    assert abs(seconds(worked) + seconds(waited) - stages) <= 0.01 * stages + shown(worked, waited)
assert [got[k]['picture'] for k in ('pdist', 'svd', 'info', 'pack')] == [1, 1, 1, 0]
assert got['svd']['points'] > 2 * 80 and got['info']['points'] > 90
import os
assert all(os.path.getsize(n + '.html') < 2000000 for n in got)
PYTHON
}

@test "--report: the peak of memory is the kernel's, in bytes" {
    "$PYTHON" - << 'PY'
import json, resource, subprocess
subprocess.run(["gt-pi", "--points", "1e6", "--report", "r.json"], check=True, stdout=subprocess.DEVNULL)
most, peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024, json.load(open("r.json"))["memory_use"]["peak"]
assert most / 2 <= peak <= most, (most, peak)
PY
}
