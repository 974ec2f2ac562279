#!/usr/bin/env bats
# gt-pi as a user sees it.

bats_require_minimum_version 1.5.0

. "$GT_SOURCE/test/support/level.bash"

setup() {
    cd "$BATS_TEST_TMPDIR"
    unset GT_THREADS OMP_NUM_THREADS GT_MEMORY GT_CPU
}

inside() { gt-pi --json "$@" | sed 's/.*"inside": \([0-9]*\),.*/\1/'; }

@test "the same count for any threads, chunks and instruction set" {
    want=$(inside --points 3000001 --seed 5)
    [ -n "$want" ]
    for threads in 1 2 7; do
        for chunks in 1 2 33; do
            [ "$(inside --points 3000001 --seed 5 -@ $threads --chunks $chunks)" = "$want" ]
        done
    done
    for level in ref avx2 avx512 avx512vbmi; do
        GT_CPU=$level run --separate-stderr gt-pi --points 3000001 --seed 5 --json
        if [ "$status" -eq 2 ]; then
            [[ $stderr == *"lacks '$level'"* ]]
        else
            [[ $output == *"\"inside\": $want,"* ]]
        fi
    done
    [ "$(inside --points 3000001 --seed 6)" != "$want" ]
}

@test "the summary names what was measured" {
    run -0 gt-pi --bytes 10kB --chunks 4 -@ 2
    [[ $output == *"points       625"* ]]
    [[ $output == *"bytes        10,000"* ]]
    [[ $output == *"chunks       4"* ]]
    for word in inside pi error stderr z seconds points/s "threads      2" "ranks        1" "device       ${GT_DEVICE:-cpu}"; do
        [[ $output == *"$word"* ]]
    done
}

@test "error, stderr and z follow from the points inside, with the sign of the error" {
    local seed signs=
    for seed in 1 2 3 4 5 6; do
        gt-pi --points 1e5 --seed $seed > said
        awk '{ gsub(",", "", $2); v[$1] = $2 }
            END { p = 4 * v["inside"] / v["points"]; q = atan2(0, -1); s = 4 * sqrt(q / 4 * (1 - q / 4) / v["points"])
                printf "%.10f %+.3e %.3e %+.2f\n%s %s %s %s\n", p, p - q, s, (p - q) / s, v["pi"], v["error"], v["stderr"], v["z"] }' said > both
        [ "$(uniq both | wc -l)" -eq 1 ]
        signs+=$(sed -n 's/^z *\([-+]\).*/\1/p' said)
    done
    [[ $signs == *+* ]]
    [[ $signs == *-* ]]
}

@test "JSON has the documented keys and no others" {
    gt-pi --points 1e6 --json >out.json
    run -0 "$PYTHON" - <<'PY'
import json, math, os
d = json.load(open("out.json"))
assert list(d) == ["points", "inside", "pi", "error", "stderr", "seconds", "points_per_second", "threads", "ranks", "device", "seed"], d
assert d["points"] == 10**6 and d["pi"] == 4 * d["inside"] / d["points"] and abs(d["error"] - (d["pi"] - math.pi)) < 1e-15
assert abs(d["error"]) < 5 * d["stderr"] and d["ranks"] == 1 and d["seed"] == 0
assert d["device"].split(":")[0] == (os.environ.get("GT_DEVICE") or "cpu")
assert abs(d["points_per_second"] * d["seconds"] / d["points"] - 1) < 1e-6
PY
}

@test "several runs give median and spread, and one JSON line each" {
    run -0 gt-pi --points 1e6 --runs 3
    [[ $output == *"median of 3 runs"* ]]
    [ "$(gt-pi --points 1e5 --runs 4 --json | wc -l)" -eq 4 ]
}

@test "a list of threads gives strong and weak scaling" {
    run -0 gt-pi --points 1e6 --threads 1,2,4
    [[ $output == *"strong scaling: 1,000,000 points in all"* ]]
    [[ $output == *"weak scaling: 1,000,000 points a thread"* ]]
    [ "$(grep -c ' %$' <<<"$output")" -eq 6 ]
    [[ $output == *"4,000,000"* ]]
    [ "$(gt-pi --points 1e5 -@ 1,2 --json | wc -l)" -eq 4 ]
}

@test "--dry-run prints the plan and computes nothing" {
    run -0 gt-pi --bytes 100GB --chunks 40 -n
    [[ $output == *"chunks       40"* ]]
    [[ $output == *"156,250,000 points, 2,500,000,000 bytes"* ]]
    [[ $output =~ "memory       "[0-9]+"M needed, " ]]
    [[ $output != *"inside"* ]]
    run -0 gt-pi --bytes 10TB -n
}

@test "memory does not grow with the size" {
    [ -x /usr/bin/time ] || skip "no /usr/bin/time"
    ! sanitized || skip "not under sanitizers"
    for size in 1MB 8GB; do
        /usr/bin/time -f %M -o peak gt-pi --bytes $size -@ 2 >out
        [ "$(tail -n 1 peak)" -lt 40000 ]
    done
}

# refuse MESSAGE ARG...: exit 2, one line with the message, nothing on standard output
refuse() {
    local message=$1
    shift
    run -2 --separate-stderr gt-pi "$@"
    [ -z "$output" ]
    [[ ${stderr_lines[0]} == "gt-pi: "*"$message"* ]]
}

@test "nonsense options are refused with a clear line" {
    refuse "must be at least 1" --points 0
    refuse "too large" --points 9223372036854775808
    refuse "too large" --points 1e19
    refuse "not an integer" --points -5
    refuse "not an integer" --points 1.5
    refuse "11 chunks are more than the 10 points" --points 10 --chunks 11
    refuse "must be at least 1" --chunks 0
    refuse "less than one point" --bytes 15
    refuse "not both" --points 10 --bytes 1K
    refuse "--runs 0" --runs 0
    refuse "from 1 to" --threads 0
    refuse "from 1 to" --threads 1,,2
    refuse "from 1 to" -@ 2,x
    refuse "too many" --points 9e18 -@ 1,2
    refuse "" --nosuch
    refuse "unexpected argument" 100
}

@test "a closed pipe ends it quietly" {
    run bash -c 'gt-pi --points 1000 2>err | true; cat err'
    [ -z "$output" ]
}

@test "--trace has every task of a run of many, and -v what they took" {
    [ "${GT_DEVICE:-cpu}" = cpu ] || skip "a device counts all points in one task"
    gt-pi --points 100000 --chunks 50000 -@ 2 -v --trace t.json 2>err >/dev/null
    "${PYTHON:-python3}" - <<'END'
import json
trace = json.load(open("t.json"))
slices = [e for e in trace["traceEvents"] if e["ph"] == "X" and e["name"] == "count"]
count = [s for s in trace["stages"] if s["stage"] == "count"][0]
assert count["flow"] == "pi" and count["tasks"] == 50000, count
assert sum(e["args"]["tasks"] for e in slices) == 50000 and len(slices) < 20000, len(slices)
for key in "worked", "waited":
    assert abs(sum(e["args"][key] for e in slices) - count[key]) < 1e-3, (key, count)
assert any(e["ph"] == "C" and e["name"] == "memory" for e in trace["traceEvents"])
assert any(e["ph"] == "C" and e["name"] == "pi: tickets" for e in trace["traceEvents"])
END
    grep -q 'pi/count: 50,000 tasks, .* s at work, 0.00 s waiting' err
}

@test "scaling: speedup and efficiency are those of the first number of threads" {
    gt-pi --points 3e6 --threads 2,1 > tables
    awk '$1 == "threads" { first = 0; tables++ } $1 ~ /^[12]$/ && NF > 6 {
        speedup = $(NF - 2)
        if (!first) { first = $1; if (speedup != 1 || $(NF - 1) != 100) exit 1 }
        want = 100 * speedup * first / $1
        if ($(NF - 1) - want > 2 || want - $(NF - 1) > 2) exit 1
        rows++
    } END { if (tables != 2 || rows != 4) exit 1 }' tables || { cat tables; return 1; }
}

@test "the median of any number of runs, and the spread, in the table" {
    local n
    for n in 2 3 4; do
        gt-pi --points 1e6 --runs $n > said
        awk -v n=$n '/^seconds/ { match($0, /of [0-9]+ runs, /); split(substr($0, RSTART + RLENGTH), s, /[ )]/); median = $2; least = s[1]; most = s[3] }
            END { middle = (least + most) / 2
                  if (least > median || median > most || (n == 2 && (median > middle * 1.001 || median < middle * 0.999))) exit 1 }' said ||
            { cat said; return 1; }
    done
}
