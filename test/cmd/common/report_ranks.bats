#!/usr/bin/env bats
# --report of several ranks: one report with the figures of all, also when a rank fails, is interrupted or is killed.

bats_require_minimum_version 1.5.0

setup_file() {
    cd "$BATS_FILE_TMPDIR"
    gt-sim -q --samples 200 --variants 30000 --seed 3 --chunks variants=3000,samples=200 -o s.zarr
    cat > ranks.py << 'PYTHON'
import json, os, re, sys
def load(path):
    text = open(path).read()
    return json.loads(re.search(r'<script type="application/json" id="data">\n(.*?)\n?</script>', text, re.S)[1] if path.endswith('.html') else text)
def check(r, n, whole=True):
    """Sums over ranks, threads and intervals agree; whole: all ranks have ended, and none is unknown."""
    assert r['machine']['ranks'] == n == len(r['ranks']) and [k['rank'] for k in r['ranks']] == list(range(n))
    assert not whole or all(k['state'] == 'ended' for k in r['ranks']), r['ranks']
    assert {t['rank'] for t in r['threads']} <= {k['rank'] for k in r['ranks'] if k['state'] != 'unknown'}
    assert r['state'] != 'done' or {t['rank'] for t in r['threads']} == set(range(n))
    for i, s in enumerate(r['stages']):
        for which, name in (1, 'worked'), (2, 'waited'):
            parts = sum(t[which] for thread in r['threads'] for t in thread['stages'] if t[0] == i)
            assert abs(parts - s[name]) <= 1e-5 * (1 + len(r['threads'])), (s, parts)
    for t in r['threads']:
        wall = r['ranks'][t['rank']]['wall']
        assert sum(w + v for _, w, v in t['stages']) <= 1.01 * wall + 0.01, (t, wall)
    assert abs(r['time']['cpu_user'] - sum(k.get('cpu_user', 0) for k in r['ranks'])) < 1e-4
    if not whole:
        return
    assert len(r['timeline']['threads']) == len(r['threads'])
    for thread, cells in zip(r['threads'], r['timeline']['threads']):
        seconds = r['ranks'][thread['rank']]['bin_seconds']
        for i in range(len(r['stages'])):
            for which, at in (1, 2), (2, 3):
                total = sum(t[which] for t in thread['stages'] if t[0] == i)
                own = [c[at] for c in cells if c[1] == i]
                assert abs(total - sum(own) / 1000 * seconds) <= (1 + len(own)) * seconds / 1000 + 1e-5, (thread, i)
    for i, s in enumerate(r['stages']):
        moved = sum(b for _, stage, b in r['timeline']['bytes'] if stage == i)
        assert abs(moved - s['bytes']) <= 1 + 0.001 * s['bytes'] + len(r['timeline']['bytes']), (s, moved)
    if r['tasks']:
        assert len(r['tasks']) == sum(s['tasks'] for s in r['stages'])
        for i, s in enumerate(r['stages']):
            assert sum(t[1] == i for t in r['tasks']) == s['tasks']
        work = {}
        for thread, stage, start, took, waited, _ in r['tasks']:
            rank = r['threads'][thread]['rank']
            assert 0 <= start and start + took <= 1.01 * r['ranks'][rank]['wall'] + 0.01
PYTHON
}

setup() {
    cd "$BATS_TEST_TMPDIR"
    unset GT_THREADS OMP_NUM_THREADS GT_MEMORY GT_CPU GT_MODULES
    # shellcheck source=test/support/mpirun.bash
    source "$GT_SOURCE/test/support/mpirun.bash"
    # shellcheck source=test/support/level.bash
    source "$GT_SOURCE/test/support/level.bash"
    cp "$BATS_FILE_TMPDIR/ranks.py" .
    data=$BATS_FILE_TMPDIR
    need_mpi
}

@test "figures of all ranks: tasks, threads, time axis and waiting for ranks" {
    for mpi in $(mpis); do
        mpirun_of "$mpi" -n 3 gt-pi -q --points 3e6 --chunks 90 -@ 2 --memory 100M --report pi.json > out
        mpirun_of "$mpi" -n 3 gt-pdist -q -f "$data/s.zarr" -m king -O npy -o k.npy -@ 1 --report d.json
        "$PYTHON" - "$GT_SOURCE/doc/report.schema.json" << 'PYTHON'
exec(open('ranks.py').read())
schema = json.load(open(sys.argv[1]))
for name in 'pi.json', 'd.json':
    r = load(name)
    check(r, 3)
    assert set(r) <= set(schema['properties']) and r['state'] == 'done', set(r) - set(schema['properties'])
    members = schema['properties']['ranks']['items']['properties']
    assert all(set(k) == set(members) for k in r['ranks']), [set(members) ^ set(k) for k in r['ranks']]
    assert r['limited_by']['cause'] in schema['properties']['limited_by']['properties']['cause']['enum']
r = load('pi.json')
count = [i for i, s in enumerate(r['stages']) if (s['flow'], s['stage']) == ('pi', 'count')][0]
assert r['stages'][count]['tasks'] == 90 and len(r['stages']) == len({(s['flow'], s['stage']) for s in r['stages']})
by_rank = [sum(t[1] == count and r['threads'][t[0]]['rank'] == k for t in r['tasks']) for k in range(3)]
assert by_rank == [30, 30, 30], by_rank
r = load('d.json')
assert r['data']['genotypes']['variants'] == 30000
assert any(a['path'] == 'packed_dosage' and a['chunks'] == [3000, 50] for f in r['data']['inputs'] for a in f['arrays']), r['data']
PYTHON
    done
}

@test "more tasks than are listed: none is lost" {
    mpis_in_turn
    mpirun_of "${tried[0]}" -n 3 gt-pi -q --points 3e6 --chunks 30000 -@ 2 --memory 100M --report r.html > out
    "$PYTHON" -c "
exec(open('ranks.py').read())
r = load('r.html')
check(r, 3)
assert r['tasks'] == [] and 30000 in [s['tasks'] for s in r['stages']], r['stages']"
    [ "$(wc -c < r.html)" -lt 2000000 ]
}

@test "a browser shows one page for all ranks: stages, a row for each thread and rank, and sums of wall x threads" {
    command -v chromium > /dev/null || skip "no chromium"
    mpis_in_turn
    mpirun_of "${tried[0]}" -n 3 gt-pdist -q "$data/s.zarr" -m 1-ibs -o d.tsv -@ 1 --report r.html
    timeout 120 chromium --headless --no-sandbox --disable-gpu --enable-logging=stderr --user-data-dir="$PWD/c" --dump-dom "file://$PWD/r.html" > dom 2> said ||
        skip "chromium does not run here"
    run ! grep -E 'Uncaught|SyntaxError|TypeError|ReferenceError' said
    "$PYTHON" << 'PYTHON'
exec(open('ranks.py').read())
r, dom = load('r.html'), open('dom').read()
check(r, 3)
unit = {'h': 3600, 'min': 60, 's': 1, 'ms': 1e-3, '\u00b5s': 1e-6}
def seconds(text):
    number, name = text.split(' ')
    return float(number) * unit[name]
def near(text, want):
    digits = .5 * 10.0 ** -len(text.split(' ')[0].partition('.')[2]) * unit[text.split(' ')[1]]
    assert abs(seconds(text) - want) <= 0.01 * want + 1.01 * digits, (text, want)
n, total, worked, waited, rest = re.search(r'(\d+) threads of 3 ranks x .*? = (.*?): (.*?) of work.*?, (.*?) waiting inside.*?, (\S+ \S+) without', dom).groups()
walls = sum(r['ranks'][t['rank']]['wall'] for t in r['threads'])
assert int(n) == len(r['threads'])
near(total, walls)
near(worked, sum(s['worked'] for s in r['stages']))
near(waited, sum(s['waited'] for s in r['stages']))
near(rest, walls - sum(s['worked'] + s['waited'] for s in r['stages']))
rows = re.findall(r'<tr>(.*?)</tr>', re.search(r'<table id="rank-table">(.*?)</table>', dom, re.S)[1], re.S)
assert len(rows) == 4
for rank, row in zip(r['ranks'], rows[1:]):
    cells = re.findall(r'<td>(.*?)</td>', row)
    own = [t for t in r['threads'] if t['rank'] == rank['rank']]
    assert cells[0] == str(rank['rank']) and cells[3] == str(len(own)), cells
    near(cells[4], sum(w for t in own for _, w, _ in t['stages']))
    near(cells[7], rank['waited'])
PYTHON
}

@test "streams of the device of each rank are rows of the page" {
    mpis_in_turn
    GT_DEVICE=host mpirun_of "${tried[0]}" -n 3 gt-pi -q --points 3e6 -@ 2 --memory 100M --report r.html > out
    "$PYTHON" << 'PYTHON'
exec(open('ranks.py').read())
r = load('r.html')
check(r, 3)
assert [d['rank'] for d in r['devices']] == [0, 1, 2]
for d in r['devices']:
    wall = r['ranks'][d['rank']]['wall']
    assert {s['stage'] for s in d['stages']} == {'pi_count', 'copy from device'} and 1 <= len(d['streams']) <= 2, d
    assert len(d['tasks']) == sum(s['tasks'] for s in d['stages']) > 0
    assert all(0 <= start and start + took <= wall for _, _, start, took, _, _ in d['tasks'])
    assert all(sum(w for _, w, _ in s['stages']) <= wall for s in d['streams'])
PYTHON
    command -v chromium > /dev/null || skip "no chromium"
    sed 's|^</body>|<script>const pre = document.createElement("pre"); pre.textContent = lanes.map(l => l.label).join("/"); document.body.append(pre);</script>|' r.html > lanes.html
    timeout 120 chromium --headless --no-sandbox --disable-gpu --enable-logging=stderr --user-data-dir="$PWD/c" --dump-dom "file://$PWD/lanes.html" > dom 2> said ||
        skip "chromium does not run here"
    run ! grep -E 'Uncaught|SyntaxError|TypeError|ReferenceError' said
    grep -Eq '<pre>0: .*/1: .*/2: .*/0: host:0 points.*/1: host:0 points.*/2: host:0 points' dom
}

@test "a rank that fails: the page says which one, and has the figures of all" {
    cp -r "$data/s.zarr" bad.zarr
    for chunk in bad.zarr/packed_dosage/9.*; do : > "$chunk"; done # the last variants: of the last rank
    for mpi in $(mpis); do
        run mpirun_of "$mpi" -n 3 gt-pdist -q -f bad.zarr -m king -O npy -o k.npy -@ 1 --report r.html
        [ "$status" -eq 3 ]
        "$PYTHON" -c "
exec(open('ranks.py').read())
r = load('r.html')
check(r, 3)
assert (r['state'], r['exit']) == ('failed', 3) and r['message'].startswith('rank 2 on ') and 'packed_dosage/9.' in r['message'], r['message']"
        run ! grep -q 'http-equiv="refresh"' r.html
        rm r.html
    done
}

@test "ranks that are interrupted or killed: nothing hangs, and the page is whole" {
    pages=$(by_level 1 4 4) # running, and so 3 ranks, in the second page
    export pages
    mpis_in_turn
    for mpi in "${tried[@]}"; do
        for signal in INT KILL; do
            status=0 start=$SECONDS
            # shellcheck disable=SC2016
            mpirun_of "$mpi" -n 3 bash -c '
                victim=0
                [ "$0" = INT ] || victim=1
                if [ "${OMPI_COMM_WORLD_RANK:-${PMI_RANK:-0}}" = "$victim" ]; then
                    pid=$$
                    (
                        for _ in $(seq 300); do
                            [ "$(grep -o "\"state\": \"running\"" r.html 2> /dev/null | wc -l)" -lt "$pages" ] || break
                            sleep 0.1
                        done
                        sleep 0.3
                        kill -$0 "$pid"
                    ) < /dev/null > /dev/null 2>&1 &
                fi
                exec "$@"' $signal gt-pi -q --points 1e13 -@ 1 --memory 100M --report r.html > out 2> err || status=$?
            [ "$status" -ne 0 ]
            [ "$status" -ne 124 ]
            "$PYTHON" - $signal << 'PYTHON'
exec(open('ranks.py').read())
r = load('r.html')
check(r, 3, False)
if sys.argv[1] == 'INT':
    assert r['state'] == 'interrupted', r['state']
else:
    assert r['state'] in ('running', 'failed', 'interrupted'), r['state']
    assert os.environ['pages'] == '1' or all(k['state'] != 'unknown' for k in r['ranks']), r['ranks']
PYTHON
            rm -f r.html
        done
    done
}
