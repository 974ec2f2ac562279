#!/usr/bin/env bats
# --report: figures that add up, a page that shows them, of runs that end well, fail and are interrupted.

bats_require_minimum_version 1.5.0

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
assert r['command']['line'].startswith('gt-pdist -q s.zarr -m king') and r['machine']['threads'] == 3
assert r['memory_use']['limit'] == 200 << 20 and 0 < r['memory_use']['planned_minimum'] <= 200 << 20
assert 0 < len(r['tasks']) == sum(s['tasks'] for s in r['stages'])
worked = {}
for thread, stage, start, took, waited, task in r['tasks']:
    assert 0 <= start and start + took <= 1.01 * r['time']['wall'] + 0.01 and 0 <= waited <= took
    worked[stage] = worked.get(stage, 0) + 1
assert all(worked.get(i, 0) == s['tasks'] for i, s in enumerate(r['stages']))
assert max(b for _, b in r['memory']) <= r['memory_use']['peak_buffers']
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
    gt-info --stats samples s.zarr -o '<!--<b>.txt' --report r.html
    run ! grep -E '(src|href) *=|@import|url\(|fetch\(|XMLHttp' r.html
    run ! grep -q 'http-equiv="refresh"' r.html
    "$py" -c "
exec(open('figures.py').read())
r = load('r.html')
check(r)
assert '<!--<b>.txt' in r['command']['line']"
    command -v chromium > /dev/null || skip "no chromium"
    timeout 120 chromium --headless --no-sandbox --disable-gpu --enable-logging=stderr --user-data-dir="$PWD/c" --dump-dom "file://$PWD/r.html" > dom 2> said ||
        skip "chromium does not run here"
    run ! grep -E 'Uncaught|SyntaxError|TypeError|ReferenceError' said
    grep -q '<b class="done">Finished</b> after' dom
    grep -q '<title>gt-info: finished</title>' dom
    grep -Eq '<tr><td><span class="key"[^>]*></span>[a-z]+/[a-z]+</td>' dom
    grep -Eq '[0-9]+ threads x .* of work in tasks' dom
}

@test "--report: a run that fails leaves its report, with the error" {
    run "$sample" --do fail --text 'it </script>' --report r.html
    [ "$status" -eq 1 ]
    run "$sample" --do input --text it --report r.json
    [ "$status" -eq 3 ]
    "$py" -c "
exec(open('figures.py').read())
r = load('r.html')
assert (r['state'], r['exit'], r['message']) == ('failed', 1, \"cannot do 'it </script>'\"), r
r = load('r.json')
assert (r['state'], r['exit'], r['message']) == ('failed', 3, \"'it' is damaged\"), r"
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
assert r['state'] == 'interrupted', r['state']
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
