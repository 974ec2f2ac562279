#!/usr/bin/env bats
# --device and GT_DEVICE: the host device runs what a GPU would, in plain C; refusals; faults in each operation.

bats_require_minimum_version 1.5.0

# shellcheck source=test/support/level.bash
. "$GT_SOURCE/test/support/level.bash"

setup() {
    cd "$BATS_TEST_TMPDIR" || exit 1
    unset GT_DEVICE GT_DEVICE_FAULT
}

inside() { gt-pi --json "$@" | sed 's/.*"inside": \([0-9]*\),.*"device": "\([^"]*\)".*/\1 \2/'; }

# Every call of every operation that the command makes, up to the third, fails once: one line, exit 1 or 4, no output $1 left.
every_fault() {
    local out=$1 operation call late n=0
    shift
    for operation in open alloc host_alloc stream_new stream_log stream_wait event_new event_record event_wait stream_after copy_to copy_from zero launch igemm fgemm syev qr; do
        for call in $(seq "$(by_level 1 2 4)"); do
            for late in "" :late; do
                rm -rf "$out"*
                GT_DEVICE=host GT_DEVICE_FAULT=$operation:$call$late run --separate-stderr "$@"
                [ "$status" -ne 0 ] || { continue; }
                [[ $status -eq 1 || $status -eq 4 ]] || { echo "$operation:$call$late: exit $status: $stderr"; return 1; }
                [[ $stderr == *"host:0: "*"fault injected"* ]] || { echo "$operation:$call$late: $stderr"; return 1; }
                [ "$(grep -vc '^hint: ' <<< "$stderr")" -eq 1 ] || { echo "$operation:$call$late: $stderr"; return 1; }
                [ -z "$out" ] || [ -z "$(ls -d "$out"* 2> /dev/null)" ] || { echo "$operation:$call$late left $(ls -d "$out"*)"; return 1; }
                ((++n))
            done
        done
    done
    echo "$n faults were met"
    ((n > 4))
}

@test "devices that are not there" {
    export GT_MODULES=$PWD
    run -1 --separate-stderr gt-pi --points 1000 --device cuda
    [[ $stderr == *"no CUDA module"*"hint: "* ]]
    run -0 --separate-stderr gt-pi --points 1000 --device auto
    [[ $stderr == *"device: cpu (this build has no CUDA module"* && $output == *"device       cpu ("* ]]
    run -2 --separate-stderr gt-pi --points 1000 --device gpu
    [[ $stderr == *"unknown device 'gpu'"*"hint: choose cpu, cuda"* ]]
    run -2 gt-pi --points 1000 --device host
    run -2 --separate-stderr gt-pi --points 1000 --device-memory 1G
    [[ $stderr == *"--device-memory needs --device cuda"* ]]
    GT_DEVICE=none run -2 --separate-stderr gt-pi --points 1000
    [[ $stderr == *"GT_DEVICE: unknown device 'none'"* ]]
    GT_DEVICE=host:1 run -1 --separate-stderr gt-pi --points 1000
    [[ $stderr == *"host:1: cannot be used: there is one device, 0"* ]]
    GT_DEVICE=host run -4 --separate-stderr gt-pi --points 1000 --device-memory 1000
    [[ $stderr == *"host:0: this work needs "*"may use 1000"*"hint: use --device-memory "* ]]
    GT_DEVICE=host run -4 --separate-stderr gt-pi --points 1000 --device-memory 1T
    [[ $stderr == *"--device-memory 1.0 TiB: host:0 has 4.0 GiB free"* ]]
}

@test "what there is: gt-info --devices, --version, the plan" {
    run -0 gt-info --devices
    [[ $output == "cpu: "*"cuda"* ]]
    GT_MODULES=$PWD run -0 gt-info --devices --json # no module here
    "${PYTHON:-python3}" -c 'import json, sys; d = json.loads(sys.argv[1]); assert d["devices"] == [] and "module" in d["cause"], d' "$output"
    run -2 gt-info --devices input
    run -2 gt-info --devices --check
    GT_MODULES=$PWD run -0 gt-pi --version
    [[ $output == *"CUDA module: none"* || $output == *"CUDA module: "*"; compiled and run against a mock; not run on a GPU"* ]]
    run -0 gt-pi --points 1000 -n
    [[ $output == *"device       cpu ("* ]]
    GT_DEVICE=host run -0 gt-pi --points 1000 -n
    [[ $output == *"device       host:0 ("*"of its memory"* ]]
    GT_DEVICE=host run -0 gt-sim --samples 10 --variants 100 -n
    [[ $output == *"device         host:0 ("*"of its memory"* ]]
}

@test "commands and work without a device path refuse it" {
    for command in gt-pack gt-unpack gt-rechunk gt-info; do
        run -2 --separate-stderr $command --device cuda x
        [[ $stderr == *"unknown option '--device'"*"computes on the CPU only"* ]]
    done
    gt-sim -q --samples 4 --variants 20 -o genotypes.vcf
    gt-pdist -q -O counts genotypes.vcf -o a.counts
    run -2 --separate-stderr gt-pdist --merge --device cuda a.counts
    [[ $stderr == *"--device cuda: --merge runs on the CPU only"* ]]
    [ "$(GT_DEVICE=host gt-pdist -q --merge -m ibs a.counts | cksum)" = "$(gt-pdist -q --merge -m ibs a.counts | cksum)" ]
    for option in "--ld 10" "--spectrum growth" "--uniform 0..2"; do
        # shellcheck disable=SC2086
        run -2 --separate-stderr gt-sim --samples 10 --variants 100 $option --device cuda -o x.zarr
        [[ $stderr == *"--device cuda: "*"runs on the CPU only"* ]]
        # shellcheck disable=SC2086
        GT_DEVICE=host run -0 gt-sim -q --samples 10 --variants 100 $option --no-version -o a.zarr
        # shellcheck disable=SC2086
        run -0 gt-sim -q --samples 10 --variants 100 $option --no-version -o b.zarr
        diff -r a.zarr b.zarr
        rm -r a.zarr b.zarr
    done
    run -2 --separate-stderr gt-pi --points 1000 --threads 1,2 --device cuda
    [[ $stderr == *"a list of --threads runs on the CPU only"* ]]
}

@test "gt-pi: the CPU's counts" {
    for args in "--points 3000001 --seed 5" "--points 1" "--points 1023 --seed 9" "--points 400000 --chunks 77" "--points 1e6 --runs 2"; do
        # shellcheck disable=SC2086
        [ "$(GT_DEVICE=host inside $args | sed 's/host:0/cpu/')" = "$(inside $args)" ]
    done
    [ "$(GT_DEVICE=host inside --points 1000)" = "$(inside --points 1000 | sed 's/cpu/host:0/')" ]
    GT_DEVICE=host run -0 gt-pi --points 1000
    [[ $output == *"device       host:0 ("* ]]
}

@test "gt-pi: a fault in each operation, also with a report" {
    every_fault "" gt-pi --points 100000 --runs 3
    every_fault "" gt-pi --points 100000 --runs 3 --report r.json
    GT_DEVICE=host GT_DEVICE_FAULT=stream_log:1 run -1 --separate-stderr gt-pi --points 1000 --trace t.json
    [[ $stderr == *"host:0: cannot measure a stream: fault injected"* ]]
    GT_DEVICE=host GT_DEVICE_FAULT=stream_log:1 run -0 gt-pi -q --points 1000
}

@test "gt-sim: the CPU's genotypes" {
    for args in "--samples 1001 --variants 700 --pops 3 --missing 0.05" "--samples 3 --variants 9000" "--samples 60 --variants 500 --missing 1" \
        "--samples 130 --variants 300 --phased --multiallelic 0.3 -O vcz" "--samples 20 --variants 100 --pops 20 --spectrum flat --missing 0.2 -O vcf"; do
        # shellcheck disable=SC2086
        GT_DEVICE=host gt-sim -q --seed 4 $args --no-version -o a
        # shellcheck disable=SC2086
        gt-sim -q --seed 4 $args --no-version -o b
        diff -r a b
        rm -r a b
    done
}

@test "gt-sim: a fault in each operation" {
    every_fault out gt-sim -q --samples 101 --variants 900 --pops 2 --missing 0.1 -o out.zarr
}

# The bytes of gt-pdist on the host device are those of the cpu.
same_pairs() {
    GT_DEVICE=host gt-pdist -q "$@" > on_device || return 1
    gt-pdist -q "$@" > on_cpu || return 1
    cmp on_device on_cpu || { echo "gt-pdist $*"; return 1; }
}

@test "gt-pdist: the CPU's bytes, all metrics of genotypes" {
    local metric n=0
    gt-sim -q --samples 70 --variants 600 --pops 2 --missing 0.03 --seed 2 -o gaps.zarr
    gt-sim -q --samples 70 --variants 300 --pops 2 --seed 2 -o full.zarr
    for metric in $(gt-pdist -m none 2>&1 | sed -n 's/^hint: choose //p' | tr -d , | sed 's/ or / /'); do
        GT_DEVICE=host gt-pdist -q -m "$metric" full.zarr > on_device 2> said || {
            run ! gt-pdist -q -m "$metric" full.zarr
            continue
        }
        same_pairs -m "$metric" full.zarr
        same_pairs -m "$metric" gaps.zarr
        ((++n))
    done
    ((n >= 25))
}

@test "gt-pdist: the CPU's bytes, rules for missing calls, boxes, parts, formats" {
    local rule
    gt-sim -q --samples 150 --variants 900 --pops 2 --missing 0.1 --seed 3 -o gaps.zarr
    for rule in rescale ignore mean literal; do
        same_pairs --missing $rule gaps.zarr
    done
    same_pairs -m ibs --missing plink gaps.zarr
    same_pairs -m king --min 0.02 -O pairs gaps.zarr
    same_pairs -O counts gaps.zarr
    same_pairs -m grm --part 2/3 gaps.zarr
    same_pairs --between variants --slice :90 gaps.zarr
    # less memory on the device: several passes
    gt-sim -q --samples 700 --variants 64 --missing 0.1 --seed 3 -o gaps.zarr -f
    GT_DEVICE=host gt-pdist -n gaps.zarr > plan
    GT_DEVICE=host gt-pdist -n --device-memory 12M gaps.zarr > low
    [ "$(awk '$1 == "passes" {print $2}' low)" -gt "$(awk '$1 == "passes" {print $2}' plan)" ]
    GT_DEVICE=host gt-pdist -q --device-memory 12M gaps.zarr > on_device
    gt-pdist -q gaps.zarr > on_cpu
    cmp on_device on_cpu
    GT_DEVICE=host run -4 --separate-stderr gt-pdist --device-memory 100k gaps.zarr -o none.tsv
    [[ $stderr == *"of device memory, and may use"*"hint: use --device-memory "* && ! -e none.tsv ]]
    [ "$(GT_DEVICE=host gt-pdist -q -@ 3 gaps.zarr | cksum)" = "$(cksum < on_cpu)" ]
}

@test "gt-pdist: multiallelic variants, haploid data" {
    gt-sim -q --samples 40 --variants 300 --multiallelic 0.4 --missing 0.05 --seed 5 -O vcf -o many.vcf
    same_pairs -m mismatches many.vcf
    same_pairs -m ibs-prob many.vcf
    gt-sim -q --samples 20 --variants 200 --phased -O vcf -o phased.vcf
    same_pairs --haplotypes -m hamming phased.vcf
}

@test "gt-pdist: a fault in each operation" {
    gt-sim -q --samples 40 --variants 5000 --missing 0.1 -o gaps.zarr
    every_fault out gt-pdist -q -m grm gaps.zarr -o out.tsv
}

# arrays: floats with and without missing values, and bytes that are no genotypes
arrays() {
    "${PYTHON:-python3}" -c 'import numpy as np
rng = np.random.default_rng(5)
x = rng.standard_normal((75, 340)); np.save("full.npy", x)
x[rng.random(x.shape) < 0.03] = np.nan; np.save("gaps.npy", x)
np.save("bytes.npy", rng.integers(0, 200, (70, 90)).astype("u1"))
np.save("weights.npy", rng.random(340)); np.save("tall.npy", rng.random((700, 40)))' || return 1
}

@test "gt-pdist of arrays: the CPU's bits, all metrics; weights, missing values, parts, memory of the device" {
    local metric n=0
    arrays
    for metric in $(gt-pdist -m none 2>&1 | sed -n 's/^hint: choose //p' | tr -d , | sed 's/ or / /'); do
        gt-pdist -q -m "$metric" full.npy > on_cpu 2> /dev/null || {
            GT_DEVICE=host run ! gt-pdist -q -m "$metric" full.npy
            continue
        }
        [ "$metric" = jensenshannon ] || same_pairs -O condensed -m "$metric" gaps.npy
        ((++n))
    done
    ((n >= 21))
    for metric in euclidean jensenshannon "mahalanobis --axis 1"; do
        # shellcheck disable=SC2086
        same_pairs -O condensed -m $metric full.npy
    done
    same_pairs -O condensed -m minkowski -p 2.5 gaps.npy
    same_pairs -O condensed -m minkowski -p 40 full.npy
    same_pairs -O condensed --weights weights.npy gaps.npy
    same_pairs --missing mean -m correlation gaps.npy
    same_pairs --part 2/3 gaps.npy
    same_pairs --axis 1 --as array bytes.npy
    GT_DEVICE=host gt-pdist -n tall.npy | grep '^device  *host:0 .* of its memory'
    [[ $(GT_DEVICE=host gt-pdist -n --device-memory 1k tall.npy 2>&1) =~ --device-memory\ ([0-9]+M) ]]
    GT_DEVICE=host gt-pdist -n --device-memory "${BASH_REMATCH[1]}" tall.npy | grep '^passes  *[2-9]$'
    GT_DEVICE=host gt-pdist -q --device-memory "${BASH_REMATCH[1]}" tall.npy > on_device
    gt-pdist -q tall.npy | cmp - on_device
    GT_DEVICE=host run -4 --separate-stderr gt-pdist --device-memory 10k gaps.npy -o none.tsv
    [[ $stderr == *"of device memory, and may use"*"hint: use --device-memory "* && ! -e none.tsv ]]
}

@test "gt-pdist of arrays: a fault in each operation" {
    arrays
    every_fault out gt-pdist -q -m cosine --weights weights.npy gaps.npy -o out.tsv
}

# The files of gt-svd on the host device are those of the cpu.
same_pcs() {
    GT_DEVICE=host gt-svd -q -k 3 "$@" -o on_device -f || return 1
    gt-svd -q -k 3 "$@" -o on_cpu -f || return 1
    cmp on_device.eigenvec on_cpu.eigenvec && cmp on_device.eigenval on_cpu.eigenval || { echo "gt-svd $*"; return 1; }
}

@test "gt-svd: the CPU's bytes, krylov, compressed and gram" {
    gt-sim -q --samples 90 --variants 2500 --pops 3 --missing 0.05 --seed 2 -o gaps.zarr
    gt-sim -q --samples 67 --variants 900 --pops 3 --seed 2 -o full.zarr
    for algorithm in krylov compressed gram; do
        same_pcs --algorithm $algorithm gaps.zarr
        same_pcs --algorithm $algorithm full.zarr
    done
    same_pcs --algorithm krylov --tol 1e-6 --scale none gaps.zarr
    same_pcs --algorithm compressed --power-iterations 2 --scale patterson gaps.zarr
    GT_DEVICE=host run -4 --separate-stderr gt-svd -k 3 --algorithm krylov --device-memory 100k gaps.zarr -o none
    [[ $stderr == *"of device memory, and may use"* && ! -e none.eigenvec ]]
}

@test "gt-svd: the CPU's bytes of loadings, --fit and --project" {
    local algorithm
    gt-sim -q --samples 90 --variants 2500 --pops 3 --missing 0.05 --seed 2 -o gaps.zarr
    # allele counts are swapped for some samples' projection: REF and ALT of every other variant change places
    gt-unpack -q gaps.zarr -O vcf | awk -F'\t' -v OFS='\t' '!/^#/ && NR % 2 {t = $4; $4 = $5; $5 = t} {print}' > swapped.vcf
    grep -m 1 '^#CHROM' swapped.vcf | cut -f 10-59 | tr '\t' '\n' > half
    for algorithm in krylov compressed gram; do
        same_pcs --algorithm $algorithm --loadings gaps.zarr
        cmp on_device.eigenvec.var on_cpu.eigenvec.var
    done
    same_pcs --fit half --loadings gaps.zarr
    cmp on_device.eigenvec.var on_cpu.eigenvec.var
    GT_DEVICE=host gt-svd -q --project on_cpu.model.zip swapped.vcf -o on_device -f
    gt-svd -q --project on_cpu.model.zip swapped.vcf -o projected -f
    cmp on_device.eigenvec projected.eigenvec
    GT_DEVICE=host gt-svd -n --project on_cpu.model.zip swapped.vcf | grep '^device  *host:0 .* of its memory'
    GT_DEVICE=host run -4 --separate-stderr gt-svd --project on_cpu.model.zip --device-memory 100k swapped.vcf -o none
    [[ $stderr == *"host:0: this work needs "*"hint: use --device-memory "* && ! -e none.eigenvec ]]
}

@test "gt-svd: a fault in each operation" {
    gt-sim -q --samples 50 --variants 1500 --pops 2 --missing 0.05 -o gaps.zarr
    every_fault out gt-svd -q -k 2 --algorithm krylov --passes 4 gaps.zarr -o out
    gt-svd -q -k 2 --loadings gaps.zarr -o model
    every_fault out gt-svd -q --project model.model.zip gaps.zarr -o out
    every_fault out gt-svd -q -k 2 --algorithm gram --loadings gaps.zarr -o out
}

# close MORE OPTION...: u, s and v on the host device are the cpu's but for rounding, the same for any threads and memory, also with MORE MiB
# of the device's beyond what is needed.
close() {
    local part how memory more=$1
    shift
    memory=$(GT_DEVICE=host gt-svd -n --device-memory 1k "$@" 2>&1 | sed -n 's/^hint: use --device-memory \([0-9]*\)M/\1/p')
    gt-svd -q -f "$@" -o on_cpu || return 1
    for how in "-@ 1" "-@ 3 --memory 200M" "--device-memory $((memory + more))M"; do
        # shellcheck disable=SC2086
        GT_DEVICE=host gt-svd -q -f $how "$@" -o on_device || return 1
        for part in u s v; do
            [ -e "first.$part" ] || cp on_device.$part.npy "first.$part"
            cmp on_device.$part.npy "first.$part" || { echo "$how $*"; return 1; }
        done
    done
    rm first.?
    "${PYTHON:-python3}" - << 'PY'
import numpy as np
a, b = [[np.load(f'{name}.{part}.npy') for part in 'usv'] for name in ('on_cpu', 'on_device')]
assert np.allclose(a[1], b[1], rtol=1e-12, atol=1e-13 * a[1][0]), abs(a[1] - b[1]).max()
own = a[1] > 1e-9 * a[1][0]
for p, q in (a[0].T, b[0].T), (a[2], b[2]):
    assert np.allclose(q @ q.T, np.eye(len(q)), atol=1e-12)
    assert np.allclose(p[own], q[own], atol=1e-8), abs(p - q)[own].max()
PY
}

@test "gt-svd of arrays: the CPU's results but for rounding, the same for any threads and memory" {
    local way
    "${PYTHON:-python3}" -c 'import numpy as np
rng = np.random.default_rng(5)
x = rng.standard_normal((1100, 6)) * (2.0 ** -np.arange(6)) @ rng.standard_normal((6, 2100)) + 1e-3 * rng.standard_normal((1100, 2100))
np.save("wide.npy", x[:60]); np.save("y.npy", x.T[:, :50]); np.save("few.npy", x[:, :40] * 1e100)
x[3, 5] = np.nan; np.save("gaps.npy", x.T[:, :50])
np.save("blocks.npy", np.vstack([x[4:], x[4:]]).astype("f4"))'
    for way in "krylov -k 4 wide.npy" "compressed -k 4 --power-iterations 2 few.npy" "tsqr wide.npy" "tsqr few.npy" \
        "compressed -k 4 --iterator QR --power-iterations 1 wide.npy"; do
        # shellcheck disable=SC2086
        close 0 --algorithm $way
    done
    close 0 --algorithm tsqr --center y.npy
    close 0 --algorithm krylov -k 3 --missing mean gaps.npy
    close 35 --algorithm compressed -k 3 --power-iterations 1 blocks.npy # two blocks, of which one stays
    GT_DEVICE=host gt-svd -n --algorithm krylov y.npy | grep '^device  *host:0 .* of its memory'
    GT_DEVICE=host run -4 --separate-stderr gt-svd --algorithm krylov --device-memory 100k y.npy -o none
    [[ $stderr == *"of device memory, and may use"*"hint: use --device-memory "* && ! -e none.u.npy ]]
}

@test "gt-svd of arrays of 0, 1 and 2: the CPU's bits" {
    local way x part
    "${PYTHON:-python3}" -c 'import numpy as np
x = np.random.default_rng(3).integers(0, 3, (4300, 310)).astype("u1"); np.save("x.npy", x); np.save("y.npy", x[:900].T.astype("i2"))
x[4000, 7] = 3; np.save("others.npy", x)'
    for way in "krylov --passes 4" "krylov --tol 1e-2" compressed "compressed --power-iterations 1 -k 5"; do
        for x in x.npy y.npy; do
            # shellcheck disable=SC2086
            GT_DEVICE=host gt-svd -q -f --algorithm $way $x -o on_device
            # shellcheck disable=SC2086
            gt-svd -q -f --algorithm $way $x -o on_cpu
            for part in u s v; do cmp on_device.$part.npy on_cpu.$part.npy; done
        done
    done
    GT_DEVICE=host gt-svd -q -f -k 4 --algorithm krylov --tol 1e-2 others.npy -o on_device
    gt-svd -q -f -k 4 --algorithm krylov --tol 1e-2 others.npy -o on_cpu
    "${PYTHON:-python3}" -c 'import numpy as np
assert np.allclose(np.load("on_device.s.npy"), np.load("on_cpu.s.npy"), rtol=1e-12)'
}

@test "gt-svd of arrays: a fault in each operation" {
    "${PYTHON:-python3}" -c 'import numpy as np
rng = np.random.default_rng(5)
np.save("x.npy", rng.standard_normal((400, 30))); np.save("codes.npy", rng.integers(0, 3, (400, 60)).astype("u1"))'
    every_fault out gt-svd -q --algorithm tsqr x.npy -o out
    every_fault out gt-svd -q -k 2 --algorithm compressed codes.npy -o out
}

# streams NAME...: NAME.json and NAME.trace have the streams and their work; each NAME prints the same line: kinds, counts and bytes.
streams() {
    "${PYTHON:-python3}" - "$@" << 'PYTHON'
import json, sys
for name in sys.argv[1:]:
    r, trace = json.load(open(name + '.json')), json.load(open(name + '.trace'))
    wall, (device,) = r['time']['wall'], r['devices']
    kinds, streams, tasks, line = device['stages'], device['streams'], device['tasks'], device['timeline']
    assert len(tasks) == sum(k['tasks'] for k in kinds) > 0
    for i, k in enumerate(kinds):
        own = [t for t in tasks if t[1] == i]
        assert len(own) == k['tasks'] and k['waited'] == 0, k
        # microseconds are rounded, in each task and in the sum
        assert abs(sum(t[3] for t in own) - k['worked']) <= 1e-6 * (1 + len(own)), k
        assert abs(sum(w for s in streams for j, w, v in s['stages'] if j == i) - k['worked']) <= 1e-5, k
    for i, s in enumerate(streams):
        end = 0
        for _, kind, start, took, waited, number in sorted((t for t in tasks if t[0] == i), key=lambda t: t[5]):
            assert start >= end - 2e-6 and took >= 0 and waited == 0, (s, start, end)
            end = start + took
        total = sum(w for _, w, _ in s['stages'])
        assert end <= wall and total <= wall, (s, end, total, wall)
        drawn = sum(c[2] for c in line['streams'][i]) / 1000 * line['seconds']
        assert abs(drawn - total) <= (1 + len(line['streams'][i])) * line['seconds'] / 1000, (s, drawn, total)
        assert all(v == 0 for _, _, _, v in line['streams'][i])
    # threads know nothing of them: their sums are those of their tasks, and at most wall x threads
    assert not {k['stage'] for k in kinds} & {s['stage'] for s in r['stages']} and all(s['flow'] != 'device' for s in r['stages'])
    for i, s in enumerate(r['stages']):
        for which, key in (1, 'worked'), (2, 'waited'):
            assert abs(sum(t[which] for thread in r['threads'] for t in thread['stages'] if t[0] == i) - s[key]) <= 1e-5 * (1 + len(r['threads']))
    assert all(sum(w + v for _, w, v in t['stages']) <= 1.01 * wall for t in r['threads'])
    # the trace has rows of the streams, with the same work
    rows = {e['tid']: e['args']['name'] for e in trace['traceEvents'] if e['name'] == 'thread_name'}
    assert sorted(s['name'] for s in streams) == sorted(n for n in rows.values() if ':0 ' in n), rows
    count = {}
    for e in trace['traceEvents']:
        if e['ph'] == 'X' and ':0 ' in rows[e['tid']]:
            assert e['cat'] == 'device' and e['dur'] >= 0 and e['ts'] >= 0
            count[e['name']] = count.get(e['name'], 0) + 1
    assert count == {k['stage']: k['tasks'] for k in kinds}, count
    assert all(s['flow'] != 'device' for s in trace['stages'])
    print([s['name'].split()[1] for s in streams], sorted((k['stage'], k['tasks'], k['bytes']) for k in kinds))
PYTHON
}

@test "--report and --trace: streams of a device, in order, each operation once; none without a device" {
    gt-sim -q --samples 100 --variants 2000 --pops 2 --missing 0.05 --seed 2 -o gaps.zarr
    mock=$GT_BUILD/test/support/cuda_mock
    for run in "pdist gt-pdist -q -m king gaps.zarr -@ 1 -o k.npy" "svd gt-svd -q -k 3 --algorithm krylov --passes 4 gaps.zarr -@ 1 -o v" "pi gt-pi -q --points 3e6 -@ 3"; do
        read -r name command <<< "$run"
        # shellcheck disable=SC2086
        GT_DEVICE=host $command --report "$name.json" --trace "$name.trace" > out
        run -0 streams "$name"
        of_host=$output
        echo "$output"
        case $name in
        pdist) [[ $output == "['copies', 'products']"*"'code_plane'"*"'copy from device'"*"'copy to device'"*"'int8 product'"* ]] ;;
        svd) [[ $output == "['products']"*"'copy from device'"*"'copy to device'"*"'int8 product'"* ]] ;;
        pi) [[ $output == "['points'"*"'copy from device'"*"'pi_count'"* && $output != *product* ]] ;;
        esac
        rm -rf k.npy v.*
        if [ -e "$GT_BUILD/gt-cuda.so" ] && [ -e "$mock/made" ]; then
            # shellcheck disable=SC2086
            LD_LIBRARY_PATH=$mock GT_MOCK_LOG=$PWD/log.$name $command --device cuda --report "$name.json" --trace "$name.trace" > out
            run -0 streams "$name"
            [ "$output" = "$of_host" ] || { echo "$output"; return 1; }
            run ! grep -E '^(fault|leak)' "log.$name"
            # the calls of CUDA themselves
            for call in "cudaMemcpyAsync copy." "cudaLaunchKernel [a-z0-9]*_[a-z_0-9]*'" "cublasLtMatmul [a-z0-9]*.product" "cudaMemset[2D]*Async clear"; do
                read -r function kind <<< "$call"
                calls=$(sed -n "s/^count $function //p" "log.$name" | awk '{n += $1} END {print n + 0}')
                [ "$calls" -eq "$(grep -o "('${kind}[^)]*)" <<< "$of_host" | awk -F, '{n += $2} END {print n + 0}')" ] || { echo "$function: $calls"; return 1; }
            done
            # an event has a time only where one was asked for
            rm -rf k.npy v.* log.plain
            # shellcheck disable=SC2086
            LD_LIBRARY_PATH=$mock GT_MOCK_LOG=$PWD/log.plain $command --device cuda > out
            run ! grep -E '^count cudaEvent(Query|ElapsedTime)' log.plain
            rm -rf k.npy v.*
        fi
    done
    # more work than is kept piece by piece
    GT_DEVICE=host gt-sim -q --samples 2 --variants 600000 --chunks variants=50 -@ 1 -o many.zip --report r.html --trace t.json
    "${PYTHON:-python3}" - << 'PYTHON'
import json, re
r = json.loads(re.search(r'<script type="application/json" id="data">\n(.*?)\n?</script>', open('r.html').read(), re.S)[1])
d = r['devices'][0]
assert d['tasks'] == [] and {s['stage']: s['tasks'] for s in d['stages']} == {
    'copy to device': 12000 + len(d['streams']), 'sim_codes': 12000, 'copy from device': 12000}, d['stages']
drawn = sum(c[2] for cells in d['timeline']['streams'] for c in cells) / 1000 * d['timeline']['seconds']
total = sum(s['worked'] for s in d['stages'])
assert abs(drawn - total) <= len(d['stages']) * len(d['streams']) * d['timeline']['bins'] * d['timeline']['seconds'] / 2000, (drawn, total)
events = [e for e in json.load(open('t.json'))['traceEvents'] if e.get('cat') == 'device']
assert sum(e['args']['tasks'] for e in events) == 36000 + len(d['streams']) > len(events)
assert abs(sum(e['args']['worked'] for e in events) / 1e6 - total) <= 1e-5
PYTHON
    gt-pi -q --points 1e5 --report r.json --trace t.json
    run ! grep -q '"devices"\|device' r.json
}

@test "--report FILE.html: a row for each stream of a device" {
    gt-sim -q --samples 100 --variants 2000 --pops 2 --missing 0.05 --seed 2 -o gaps.zarr
    GT_DEVICE=host gt-pdist -q gaps.zarr -o d.tsv -@ 2 --report r.html
    command -v chromium > /dev/null || skip "no chromium"
    # what is drawn: the texts of the chart, and the tooltips along its rows
    cat > look.html << 'HTML'
<script>
window.texts = [];
const fill = CanvasRenderingContext2D.prototype.fillText;
CanvasRenderingContext2D.prototype.fillText = function (text, ...at) { if (this.canvas.id === "tasks") window.texts.push(text); return fill.call(this, text, ...at); };
</script>
HTML
    cat > after.html << 'HTML'
<script>
const chart = document.getElementById("tasks"), box = chart.getBoundingClientRect(), tips = new Set();
for (let y = box.top + 3; y < box.bottom; y += 8) for (let x = box.left; x < box.right; x += 2) {
  chart.dispatchEvent(new MouseEvent("mousemove", { clientX: x, clientY: y }));
  tips.add(document.getElementById("tip").textContent.replace(/, [0-9.]+ \S+\n/, "\n").split("\n").slice(0, 2).join(" | "));
}
const pre = document.createElement("pre"); pre.id = "seen";
pre.textContent = "texts: " + [...new Set(window.texts)].join(" / ") + "\n" + [...tips].join("\n"); document.body.append(pre);
</script>
HTML
    sed -e '/<meta charset/r look.html' -e '/^<\/body>/{
        r after.html
        d
    }' r.html > seen.html
    timeout 120 chromium --headless --no-sandbox --disable-gpu --enable-logging=stderr --user-data-dir="$PWD/c" --dump-dom "file://$PWD/seen.html" > dom 2> said ||
        skip "chromium does not run here"
    run ! grep -E 'Uncaught|SyntaxError|TypeError|ReferenceError' said
    sed -n '/<pre id="seen">/,$p' dom > seen
    cat seen
    grep -q '<pre id="seen">texts: .*/ host:0 copies / host:0 products' seen
    grep -q '^host:0 products | int8 product' seen
    grep -q '^host:0 products | code_plane\|^host:0 products | sum_codes\|^host:0 copies | copy to device' seen
    grep -q '^worker 1 | ' seen
    grep -Eq 'Streams of devices are rows of their own.*int8 product [0-9.]+ (m?s|.s) \([0-9,]+\)' dom
    "${PYTHON:-python3}" - << 'PYTHON'
import json, re
r = json.loads(re.search(r'<script type="application/json" id="data">\n(.*?)\n?</script>', open('r.html').read(), re.S)[1])
dom = open('dom').read()
# the threads' line counts no stream
assert re.search(r'>(\d+) threads x ', dom)[1] == str(len(r['threads'])) and len(r['devices'][0]['streams']) == 2
for kind in r['devices'][0]['stages']:
    assert re.search(re.escape(kind['stage']) + r' [0-9.]+ \S+ \(' + format(kind['tasks'], ',') + r'[,)]', dom), kind
PYTHON
}

# The module for GPUs on a mock of CUDA's libraries, which executes its calls on the cpu.
@test "the CUDA module on a mock: the CPU's bytes" {
    mock=$GT_BUILD/test/support/cuda_mock
    [ -e "$GT_BUILD/gt-cuda.so" ] && [ -e "$mock/made" ] || skip "this build has no CUDA module, or no mock"
    on_mock() { LD_LIBRARY_PATH=$mock "$@"; }
    run -0 on_mock gt-info --devices
    [[ $output == *"cuda:0: Mock GPU"* ]]
    gt-sim -q --samples 90 --variants 800 --pops 3 --missing 0.1 --seed 7 --no-version -o on_cpu.zarr
    on_mock gt-sim -q --samples 90 --variants 800 --pops 3 --missing 0.1 --seed 7 --no-version --device cuda -o on_cuda.zarr
    diff -r on_cpu.zarr on_cuda.zarr
    for metric in euclidean cityblock king grm 1-ibs; do
        on_mock gt-pdist -q -m $metric --device cuda on_cpu.zarr > on_cuda
        gt-pdist -q -m $metric on_cpu.zarr | cmp - on_cuda
    done
    for algorithm in krylov gram; do
        on_mock gt-svd -q -k 3 --algorithm $algorithm --device cuda on_cpu.zarr -o on_cuda -f
        gt-svd -q -k 3 --algorithm $algorithm on_cpu.zarr -o on_cpu -f
        cmp on_cuda.eigenvec on_cpu.eigenvec
    done
    on_mock gt-pdist -q --missing mean --device cuda:0 on_cpu.zarr > on_cuda
    gt-pdist -q --missing mean on_cpu.zarr | cmp - on_cuda
    [ "$(on_mock inside --points 1e6 --device cuda)" = "$(inside --points 1e6 | sed 's/cpu/cuda:0/')" ]
}
