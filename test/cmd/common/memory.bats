#!/usr/bin/env bats
# Peak resident memory under --memory 256M plus 20 %, for 2,504 x 500,000, in
# every command, as /usr/bin/time -v has it; of fewer variants in less memory for a quick run.

bats_require_minimum_version 1.5.0

. "$GT_SOURCE/test/support/level.bash"
variants=$(by_level 160000 500000 500000)
memory=$(by_level 80 256 256) # MiB
limit=$((memory * 1024 * 12 / 10)) # KiB

setup_file() {
    ! sanitized || return 0
    cd "$BATS_FILE_TMPDIR" || exit 1
    size="--samples 2504 --variants $variants --missing 0.01 --seed 1"
    # shellcheck disable=SC2086
    {
        /usr/bin/time -v -o sim.time gt-sim -q --memory ${memory}M $size -O packed -o x.zarr
        /usr/bin/time -v -o bed.time gt-sim -q --memory ${memory}M $size -O bed -o x
        /usr/bin/time -v -o vcf.time gt-sim -q --memory ${memory}M $size -O vcf -o x.vcf.gz
    }
}

setup() {
    ! sanitized || skip "not under sanitizers"
    [ -x /usr/bin/time ] || skip "no /usr/bin/time"
    cd "$BATS_FILE_TMPDIR" || exit 1
}

# The command, under that memory: succeeds, and its peak is within the limit.
within() {
    /usr/bin/time -v -o "$1.time" "$1" --memory ${memory}M "${@:2}"
    peak "$1.time"
}
peak() {
    local kib
    kib=$(awk '/Maximum resident/ { print $NF }' "$1")
    echo "# peak $((kib / 1024)) MiB of $((limit / 1024))" >&3
    [ "$kib" -le "$limit" ]
}

@test "gt-sim to a packed store" { peak sim.time; }
@test "gt-sim to a .bed" { peak bed.time; }
@test "gt-sim to a VCF.gz" { peak vcf.time; }
@test "gt-pack from a VCF.gz" { within gt-pack -q x.vcf.gz -o v.zarr; }
@test "gt-pack from a BCF" {
    command -v bcftools > /dev/null || skip "no bcftools"
    gt-sim -q --samples 2504 --variants 20000 --missing 0.01 --seed 1 -O vcf -o part.vcf.gz
    bcftools view -Ob part.vcf.gz -o part.bcf
    # shellcheck disable=SC2046
    bcftools concat --naive $(yes part.bcf | head -$((variants / 20000))) -Ob -o x.bcf 2> /dev/null
    within gt-pack -q x.bcf -o f.zip
}
@test "gt-unpack: records of VCF as BCF, of 120,000 samples, at the ceiling that the plan names" {
    gt-sim -q --samples 120000 --variants 12 -O vcf -o wide.vcf.gz
    local needed limit memory
    needed=$(gt-unpack wide.vcf.gz -@ 2 -o wide.bcf -n | sed -n 's/^memory *\([0-9]*\)M needed.*/\1/p')
    for memory in "$needed" $((needed * 3 / 2)); do
        limit=$((memory * 1024))
        /usr/bin/time -v -o wide.time gt-unpack -q wide.vcf.gz -f -@ 2 -o wide.bcf --memory "${memory}M"
        peak wide.time
    done
}
@test "gt-pack from a .bed" { within gt-pack -q x.bed -o b.zip; }
@test "gt-pack from a packed store, through pipes" {
    gt-pack -q --memory ${memory}M x.zarr -o - | within gt-pack -q - -o t.tar
    within gt-info --check t.tar > /dev/null
    rm t.tar
}
@test "gt-info --check" { within gt-info --check x.zarr > /dev/null; }
@test "gt-info --stats" {
    within gt-info --stats samples x.zarr > /dev/null
    within gt-info --stats variants x.zarr > /dev/null
}
@test "gt-pdist" { within gt-pdist -q -O npy x.zarr -o d.npy; }
@test "gt-pi" { within gt-pi --points 1e9 > /dev/null; }
@test "what codecs take beside their buffers" {
    gt-sim -q --samples 90 --variants 250000 --missing 0.01 -O bed -o tall.bed
    limit=$((64 * 1024))
    for codec in zstd:15 $(by_level "" blosc:zstd:9 blosc:zstd:9); do
        /usr/bin/time -v -o tall.time gt-pack -q -f -@ 8 --memory 64M --codec $codec tall.bed -o tall.zip
        peak tall.time
        /usr/bin/time -v -o calls.time gt-sim -q -f -@ 8 --memory 64M --codec $codec --samples 500 --variants 6000 -O vcz -o calls.zip
        peak calls.time
        /usr/bin/time -v -o array.time gt-sim -q -f -@ 8 --memory 64M --codec $codec --samples 1000 --variants 2000 --chunks variants=120,samples=1000 --normal -O zarr -o array.zip
        peak array.time
    done
}
