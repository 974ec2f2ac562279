#!/usr/bin/env bats
# Plans: what --dry-run accepts runs, in the memory given; what it refuses says which --memory would do.

bats_require_minimum_version 1.5.0

. "$GT_SOURCE/test/support/level.bash"

setup() { cd "$BATS_TEST_TMPDIR" || exit 1; }

# 8,000 x 200,000 as a .bed whose genotypes are a hole in the file.
tall_bed() {
    printf '\x6c\x1b\x01' > tall.bed
    truncate -s $((3 + 2000 * 200000)) tall.bed
    awk 'BEGIN { for (i = 1; i <= 200000; i++) print "1\tv" i "\t0\t" i "\tA\tC" }' > tall.bim
    awk 'BEGIN { for (i = 1; i <= 8000; i++) print i, i, 0, 0, 0, -9 }' > tall.fam
}

@test "gt-pack of 8,000 x 200,000 under 32M: what is advised is accepted, and runs" {
    tall_bed
    run --separate-stderr gt-pack -@ 2 -n --memory 32M tall.bed -o out.zip
    [ "$status" -eq 4 ]
    [[ "$stderr" == *"32.0 MiB of memory leave "*" for reading, "*" for a stripe"* ]]
    [[ "$stderr" =~ hint:\ (--memory [0-9]+M)\ would\ do,\ or\ (--chunks variants=[0-9]+) ]]
    local more=${BASH_REMATCH[1]} lower=${BASH_REMATCH[2]}
    # shellcheck disable=SC2086
    gt-pack -q -@ 2 $more tall.bed -o more.zip
    # shellcheck disable=SC2086
    gt-pack -q -@ 2 --memory 32M $lower tall.bed -o lower.zip
}

@test "gt-info --check, of files and --deep: what is planned is what happens" {
    gt-sim -q --samples 60000 --variants 40 -O vcf -o wide.vcf
    gt-sim -q --samples 60000 --variants 1000 -O packed -o wide.zarr
    for input in "wide.vcf" "--deep wide.zarr"; do
        local seen=
        for memory in 30M 36M 44M 100M; do
            # shellcheck disable=SC2086
            {
                run gt-info -@ 2 --memory $memory -n --check $input
                local planned=$status
                run gt-info -@ 2 --memory $memory --check $input
            }
            echo "# $input $memory: $planned $status"
            [ "$status" -eq "$planned" ]
            seen+=$status
        done
        [[ "$seen" =~ ^4+0+$ ]]
    done
}

@test "random commands, inputs, memory and threads: no exit 4 after an accepted plan" {
    local trials
    trials=$(by_level 15 80 2000)
    ! ldd "$(command -v gt-pack)" | grep -q -e libasan -e libtsan || trials=12
    run "$GT_SOURCE/test/support/plan_trials.sh" "${GT_TRIALS_SEED:-1}" "$trials" "$PWD"
    echo "# ${lines[-1]}" >&3
    [ "$status" -eq 0 ] || { echo "$output"; return 1; }
    [[ "${lines[-1]}" =~ :\ [1-9][0-9]*\ accepted ]]
}
