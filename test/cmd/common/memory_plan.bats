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
    [[ "$stderr" == *"32.0 MiB of memory leaves "*" for reading, "*" for a row group"* ]]
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

# The command is refused with exit 4, and never takes more than --memory.
refused_within() { # MIB COMMAND...
    local mib=$1 kib
    shift
    run --separate-stderr /usr/bin/time -q -f %M -o peak "$@" --memory "${mib}M"
    kib=$(tail -1 peak)
    echo "# ${*:0:3}: exit $status, $((kib / 1024)) MiB, $stderr"
    [ "$status" -eq 4 ]
    sanitized || [ "$kib" -le $((mib * 1024)) ]
}

@test "hostile stores: 200 inner chunks of a shard at one place, and strings that are transposed, count in --memory" {
    [ -x /usr/bin/time ] || skip "no /usr/bin/time"
    "$PYTHON" - << 'PY'
import gzip, json, os, struct
n, units = 9_000_000, 200
chunk = gzip.compress(struct.pack("<I", n) + bytes(4 * n), 9)
index = struct.pack("<QQ", 0, len(chunk)) * units
codecs = [{"name": "vlen-utf8"}, {"name": "gzip", "configuration": {"level": 9}}]
def write(path, shape, codecs, key, data):
    os.makedirs(os.path.dirname(f"{path}/{key}"))
    with open(f"{path}/zarr.json", "w") as file:
        json.dump({"zarr_format": 3, "node_type": "array", "shape": shape, "data_type": "string", "fill_value": "", "codecs": codecs,
                   "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": shape}},
                   "chunk_key_encoding": {"name": "default"}}, file)
    with open(f"{path}/{key}", "wb") as file:
        file.write(data)
shard = {"name": "sharding_indexed", "configuration": {"chunk_shape": [n], "codecs": codecs, "index_codecs": [
    {"name": "bytes", "configuration": {"endian": "little"}}]}}
write("shard.zarr", [n * units], [shard], "c/0", chunk + index)
write("turned.zarr", [3000, 3000], [{"name": "transpose", "configuration": {"order": [1, 0]}}, *codecs], "c/0/0", chunk)
PY
    refused_within 256 gt-info --check shard.zarr
    refused_within 160 gt-info --check turned.zarr
}

@test "hostile stores: the metadata of 60,000 empty arrays count in --memory" {
    [ -x /usr/bin/time ] || skip "no /usr/bin/time"
    "$PYTHON" - << 'PY'
import json, zipfile
meta = json.dumps({"zarr_format": 2, "shape": [0], "chunks": [1], "dtype": "<i4", "compressor": None, "fill_value": 0, "filters": None, "order": "C"})
with zipfile.ZipFile("many.zip", "w") as file:
    file.writestr(".zgroup", '{"zarr_format": 2}')
    for i in range(60000):
        file.writestr(f"a{i}/.zarray", meta)
PY
    local command memory
    for command in "gt-info" "gt-info --json" "gt-info --check" "gt-rechunk -n -o out.zarr" "gt-rechunk -o out.zip"; do
        # shellcheck disable=SC2086
        refused_within 64 $command many.zip
        [[ "$stderr" =~ hint:\ --memory\ ([0-9]+)M\ would\ do ]]
        memory=${BASH_REMATCH[1]}
        [ "$command" = "gt-rechunk -o out.zip" ] || $command many.zip --memory "${memory}M" > out.txt
    done
    [ ! -e out.zip ]
}

@test "what a refusal while opening names runs: .bed, .pgen, VCF with many samples, --mind" {
    gt-sim -q --samples 120000 --variants 24 --missing 0.02 -O bed -o wide
    gt-sim -q --samples 120000 --variants 24 --missing 0.02 -O vcf -o wide.vcf
    local input options
    for input in wide.bed wide.vcf; do
        for options in "" "--mind 0.5"; do
            # shellcheck disable=SC2086
            run --separate-stderr gt-pack -q -@ 2 --memory 30M $options $input -o out.zip
            echo "# $input $options: $stderr"
            [ "$status" -eq 4 ]
            [[ "$stderr" =~ hint:\ --memory\ ([0-9]+)M\ would\ do ]]
            # shellcheck disable=SC2086
            gt-pack -q -f -@ 2 --memory "${BASH_REMATCH[1]}M" $options $input -o out.zip
        done
    done
}

@test "-n names what the plan needs, what it can use, and the ceiling" {
    gt-sim -q --samples 100 --variants 500 -O packed -o a.zarr
    local command needed
    for command in "gt-pack a.zarr -o b.zarr" "gt-unpack a.zarr -o b.vcf" "gt-rechunk -c variants=10 a.zarr -o b.zarr" "gt-pdist a.zarr" \
        "gt-svd -k 2 a.zarr" "gt-info --stats samples a.zarr" "gt-info --check a.zarr" "gt-info a.zarr" \
        "gt-sim --samples 9 --variants 9 -o b.zarr" "gt-pi"; do
        run $command -n -@ 2 --memory 900M
        echo "# $command: $output"
        [ "$status" -eq 0 ]
        [[ "$output" =~ memory\ +([0-9]+)M\ needed,\ ([0-9]+)M\ used\ at\ most\;\ ceiling\ 900.0\ MiB\ \(--memory\) ]]
        needed=${BASH_REMATCH[1]}
        [ "$needed" -le "${BASH_REMATCH[2]}" ]
        $command -n -@ 2 --memory "${needed}M" > again
        run $command -n -@ 2 --memory "$((needed - 1))M"
        [ "$status" -eq 4 ]
    done
}

@test "gt-pdist: where memory is short, blocks stay tall, without lists of rare sites; the bytes are the same" {
    gt-sim -q --samples 2504 --variants 3000 --missing 0.01 -o tall.zarr
    gt-pdist -q -m king -O npy tall.zarr -o most.npy
    for m in 60M 120M 246M; do
        sites=$(gt-pdist -n -m king -O npy tall.zarr -o m.npy --memory $m | sed -n 's/^block *\([0-9,]*\) sites.*/\1/p')
        echo "$m: $sites"
        [ "${sites//,/}" -ge 512 ]
        gt-pdist -q -m king -O npy tall.zarr -o $m.npy --memory $m
        cmp most.npy $m.npy
    done
}

@test "--concat samples: peak memory is within the ceiling that -n names, below the size of the genotypes" {
    [ -x /usr/bin/time ] || skip "no /usr/bin/time"
    ! sanitized || skip "not under sanitizers"
    gt-sim -q --samples 4000 --variants 80000 --missing 0.02 -O packed -o all.zarr # 76 MiB of genotypes
    gt-pack -q --slice :,:2000 all.zarr -o a.zarr
    gt-pack -q --slice :,2000: all.zarr -o b.zarr
    local command
    for command in "gt-pack -o out.zip" "gt-unpack -o out.bed" "gt-pdist -m king --part 1/100 -O condensed -o out.part"; do
        run $command -n -@ 2 --concat samples a.zarr b.zarr
        [[ "$output" =~ memory\ +([0-9]+)M\ needed ]]
        [ "${BASH_REMATCH[1]}" -lt 76 ]
        /usr/bin/time -f %M -o peak $command -q -f -@ 2 --memory "${BASH_REMATCH[1]}M" --concat samples a.zarr b.zarr
        echo "# $command: $(cat peak) KiB of ${BASH_REMATCH[1]} MiB"
        [ "$(cat peak)" -le $((BASH_REMATCH[1] * 1024)) ]
    done
    gt-unpack -q all.zarr -o all.bed
    cmp all.bed out.bed
}

@test "a hint for what is far larger than the ceiling is arithmetic: nothing is read or made for it" {
    [ -x /usr/bin/time ] || skip "no /usr/bin/time"
    refused_within 256 gt-sim --samples 1e9 --variants 1 -o a.zarr
    [[ "$stderr" =~ hint:\ --memory\ [0-9]+M\ would\ do ]]
}

@test "random commands at the smallest --memory of their plans: they run in it, and write the same bytes" {
    run "$PYTHON" "$GT_SOURCE/test/support/plan_trials.py" "${GT_TRIALS_SEED:-1}" "${GT_TRIALS:-$(by_level 6 16 2000)}" "$PWD"
    echo "# ${lines[-1]}" >&3
    [ "$status" -eq 0 ] || { echo "$output"; return 1; }
    [[ "${lines[-1]}" =~ :\ [1-9][0-9]*\ commands ]]
}

@test "one MiB less than the plan needs: parts that add up to what is needed, and a hint that is the plan's, which runs" {
    gt-sim -q --samples 100 --variants 500 -O packed -o a.zarr
    gt-unpack -q a.zarr -o a.vcf
    gt-svd -q -k 2 --loadings a.zarr -o m
    gt-pdist -q -O counts -m ibs a.zarr -o a.counts
    gt-sim -q --samples 300 --variants 300 --normal -o random.zarr
    gt-sim -q --samples 5 --variants 100 --normal -o tall.zarr
    local command needed
    while read -r command; do
        needed=$(gt-$command -n -@ 2 --memory 900M 2> said | sed -n 's/^memory *\([0-9]*\)M needed.*/\1/p')
        run --separate-stderr gt-$command -@ 2 --memory "$((needed - 1))M"
        [ $status -eq 4 ] || { echo "$command: exit $status under ${needed}M - 1" >&2; return 1; }
        echo "$needed|$command|${stderr//$'\n'/|}"
        gt-$command -q -f -@ 2 --memory "${needed}M" > "out.${command%% *}"
    done > refused << 'COMMANDS'
pack --chunks variants=64 a.vcf -o p.zarr
pack --ld-prune 1000kb,0.1 --chunks variants=64 a.zarr -o q.zarr
pack --mind 0.5 --chunks variants=64 a.vcf -o r.zarr
unpack a.zarr -o u.vcf
unpack a.vcf -o u.bcf
unpack a.zarr -o u.pgen
rechunk -c variants=10 a.zarr -o c.zarr
rechunk random.zarr -o c.npy
pdist a.zarr
pdist -m euclidean --axis 0 a.zarr
pdist --axis 0 -m mahalanobis tall.zarr
pdist --merge -m ibs a.counts
svd -k 2 a.zarr
svd -k 2 --algorithm krylov a.zarr
svd -k 2 --algorithm compressed a.zarr
svd -k 2 --algorithm tsqr random.zarr -o w
svd --project m.model.zip a.zarr
info --stats samples a.zarr
info --check a.zarr
sim --samples 9 --variants 9 -o s.zarr
sim --samples 9 --variants 9 -O vcf
sim --samples 9 --variants 9 --rank 2 -o t.zarr
pi
COMMANDS
    "$PYTHON" - << 'PY'
import re
unit = {"B": 1, "KiB": 1 << 10, "MiB": 1 << 20}
size = lambda text: float(text.split()[0]) * unit[text.split()[1]]
lines, parts = open("refused").read().splitlines(), 0
assert len(lines) == 23
for line in lines:
    needed, command, message, hint = line.split("|")[:4]
    assert re.search(r"--memory %sM (would do|or more)" % needed, hint), line
    short = "less than the largest chunks need" in message
    assert short or "%d.0 MiB of memory" % (int(needed) - 1) in message, line
    m = re.search(r"leaves (\S+ \S+) for data, but (\S+ \S+) is needed: (.*)$", message)
    if not m:
        assert short or "is too little: code, libraries and 2 threads take about" in message, line
        continue
    each = [size(s) for s in re.findall(r"([\d.]+ [KM]?i?B) for ", m[3])]
    assert abs(sum(each) - size(m[2])) < 0.06 * (len(each) + 1) * (1 << 20 if size(m[2]) > 1 << 20 else 1 << 10), line
    assert size(m[1]) < size(m[2]) + 1 and size(m[2]) - size(m[1]) <= 1.1 * (1 << 20), line
    parts += len(each)
assert parts > 20, parts
PY
}

@test "gt-pack to VCF Zarr, of records that are longer than the first one: the least memory that is named is enough" {
    "$PYTHON" - << 'PY'
import random
random.seed(5)
with open("a.vcf", "w") as f:
    print("##fileformat=VCFv4.2\n##contig=<ID=1>", file=f)
    for name, number in (("GT", 1), ("AD", "R"), ("DP", 1), ("PL", "G")):
        print(f'##FORMAT=<ID={name},Number={number},Type={"String" if name == "GT" else "Integer"},Description="d">', file=f)
    print(*"#CHROM POS ID REF ALT QUAL FILTER INFO FORMAT".split(), *(f"s{i}" for i in range(60)), sep="\t", file=f)
    for v in range(2500):
        alleles = 2 + (v % 50 == 7) + 2 * (v % 400 == 60)
        call = lambda: ":".join((f"{random.randrange(alleles)}/{random.randrange(alleles)}", ",".join(str(random.randrange(60)) for _ in range(alleles)),
                                 str(random.randrange(300)), ",".join(str(random.randrange(2000)) for _ in range(alleles * (alleles + 1) // 2))))
        calls = ("0/0:3:9:0,9,9",) * 60 if v == 0 else [call() for _ in range(60)]
        print(1, v + 1, ".", "A", ",".join("CGTN"[: alleles - 1]), ".", ".", ".", "GT:AD:DP:PL", *calls, sep="\t", file=f)
PY
    for threads in 1 4; do
        [[ "$(gt-pack -n -f -@ $threads a.vcf -o a.vcz)" =~ memory\ +([0-9]+)M\ needed ]]
        for memory in $((BASH_REMATCH[1])) $((BASH_REMATCH[1] + 1)) $((BASH_REMATCH[1] + 2)); do
            gt-pack -q -f -@ $threads --memory ${memory}M a.vcf -o a.vcz
        done
    done
}

@test "a store of calls whose alleles are numbers above 127: the least memory that is named is enough" {
    local option
    "$PYTHON" - << 'PY'
calls = "\t".join("%d/%d" % (128 + i % 171, 298 - i % 153) for i in range(1000))
with open("n.vcf", "w") as f:
    f.write('##fileformat=VCFv4.3\n##contig=<ID=1>\n##FORMAT=<ID=GT,Number=1,Type=String,Description="g">\n')
    f.write("#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\t" + "\t".join("s%d" % i for i in range(1000)) + "\n")
    alts = ",".join("<%d>" % i for i in range(1, 300))
    for i in range(600):
        f.write("1\t%d\t.\tA\t%s\t.\t.\t.\tGT\t%s\n" % (i + 1, alts, calls))
PY
    gt-pack -q --layout vcz --chunks variants=600,samples=1000 n.vcf -o n.zarr
    for option in "" --polymorphic; do
        [[ "$(gt-pack -n -f -@ 1 $option n.zarr -o p.zarr)" =~ memory\ +([0-9]+)M\ needed ]]
        gt-pack -q -f -@ 1 --memory "${BASH_REMATCH[1]}M" $option n.zarr -o p.zarr
        gt-info p.zarr | grep -q "1,000 samples x 600 variants"
    done
}

# 400 samples, 100 sites of 299 ALTs, some of two and of one; half calls, which are counted once a record.
many_alts() {
    awk 'BEGIN {
        printf "##fileformat=VCFv4.2\n##contig=<ID=1>\n##FORMAT=<ID=GT,Number=1,Type=String,Description=\"g\">\n"
        printf "#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT"
        for (s = 0; s < 400; s++) printf "\tS%d", s
        for (v = 0; v < 120; v++) {
            n = v < 100 ? 299 : v % 2 + 1
            alts = ""
            for (i = n; i > 0; i--) alts = alts "," sprintf("A%s", substr("CGTTGCATCC", i % 10 + 1, 1)) substr("ACGT", int(i / 10) % 4 + 1, 1) substr("CATG", int(i / 40) % 4 + 1, 1) substr("GT", int(i / 160) % 2 + 1, 1)
            printf "\n1\t%d\t.\tA\t%s\t.\t.\t.\tGT", v + 1, substr(alts, 2)
            for (s = 0; s < 400; s++) {
                a = (s * 7 + v * 13) % (n + 1)
                printf "\t%s|%d", s % 97 ? a : ".", (a * 5 + s) % (n + 1)
            }
        }
        printf "\n"
    }' > many.vcf
}

# What is said but for the times.
said() { sed -E 's/, [0-9.]+ (s|ms)[ :].*//' "$1"; }

@test "sites of 299 ALTs that are split, at the --memory that the plan names: the same bytes and counts as with more" {
    many_alts
    gt-unpack -q many.vcf -o many.bcf
    gt-pack -q --layout vcz many.vcf -o many.zarr
    gt-pack -q --layout vcz many.vcf -o many.tar
    local input options more needed
    while read -r input options; do
        read -ra more <<< "-@ 2 --part 1/50 -O npy --split-multiallelic $options $input"
        gt-pdist -f "${more[@]}" --memory 900M -o roomy.npy < many.tar 2> roomy.said
        needed=$(gt-pdist -n "${more[@]}" -o x.npy < many.tar 2> x.said | sed -n 's/^memory *\([0-9]*\)M needed.*/\1/p')
        gt-pdist -f "${more[@]}" --memory "${needed}M" -o tight.npy < many.tar 2> tight.said
        cmp roomy.npy tight.npy
        [ "$(said roomy.said)" = "$(said tight.said)" ]
    done << 'INPUTS'
many.vcf -m king --polymorphic
many.bcf -m jaccard --haplotypes --half-call reference
many.zarr -m king --polymorphic
- -m king
INPUTS
}

@test "--mind, which reads the input twice: the plan names the same memory each time" {
    gt-sim -q --samples 90 --variants 9000 --missing 0.02 --seed 1 -O vcf -o x.vcf
    gt-unpack -q x.vcf -o x.bcf
    for input in x.vcf x.bcf; do
        for _ in 1 2 3 4 5 6 7 8; do
            gt-unpack -n -@ 8 --mind 0.5 --skip-multiallelic $input -o y.bcf | grep '^memory .* needed'
        done | sort -u > needed
        cat needed
        [ "$(wc -l < needed)" -eq 1 ]
        needed=$(sed 's/^memory *\([0-9]*\)M.*/\1/' needed)
        gt-unpack -q -@ 8 --mind 0.5 --skip-multiallelic --memory "${needed}M" $input -o "y$needed.bcf"
    done
}

# A VCF of 3 samples and that many sites, of which one in so many has 60 ALTs.
sites_of_60_alts() { # SITES STEP
    awk -v sites="$1" -v step="$2" 'BEGIN {
        printf "##fileformat=VCFv4.2\n##contig=<ID=1>\n##FORMAT=<ID=GT,Number=1,Type=String,Description=\"g\">\n"
        printf "#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\tS1\tS2\tS3\n"
        for (i = 0; i < 60; i++) alts = alts ",A" substr("ACGT", int(i / 16) + 1, 1) substr("ACGT", int(i / 4) % 4 + 1, 1) substr("ACGT", i % 4 + 1, 1)
        for (v = 1; v <= sites; v++)
            printf "1\t%d\t.\tA\t%s\t.\t.\t.\tGT\t0/%d\t1/1\t./.\n", v, v % step ? "C" : substr(alts, 2), v % step ? 1 : v % 60 + 1
    }'
}

@test "sites of 60 ALTs in .pgen, VCF and VCF Zarr, at the --memory that the plan names" {
    sites_of_60_alts 4000 1 > many.vcf
    sites_of_60_alts 30000 20 > some.vcf
    gt-unpack -q many.vcf -o many.pgen
    local command needed
    gt-pack -q --layout vcz many.vcf -o many.zarr
    gt-pack -q many.vcf -o packed.zarr
    sites_of_60_alts 8000 1 | awk -F '\t' -v OFS='\t' '!/^#/ && ++n <= 1000 { $5 = "C"; $10 = "0/1" } 1' > late.vcf
    gt-pack -q --layout vcz --chunks variants=1000 late.vcf -o late.zarr
    sed '/^#CHROM/s/S\([123]\)/T\1/g' many.vcf | gt-pack -q -o others.zarr
    while read -r command; do
        needed=$($command -n -@ 2 | sed -n 's/^memory *\([0-9]*\)M needed.*/\1/p')
        $command -@ 2 --memory "${needed}M"
    done << 'COMMANDS'
gt-info --check many.pgen
gt-pdist -f -m king many.pgen -o x.npy
gt-unpack -f many.pgen -o x.bcf
gt-unpack -f many.vcf -o x.pgen
gt-unpack -f many.zarr -o x.vcf
gt-pack -f many.pgen -o x.zarr
gt-pack -f --codec none --chunks variants=4000 many.zarr -o x.zarr
gt-pack -f --layout vcz --codec zstd:19 many.vcf -o x.zip
gt-pack -f many.zarr -o x.zip
gt-pack -f late.zarr -o x.zip
gt-unpack -f late.zarr -o x.vcf
gt-pack -f --codec none --chunks variants=50 packed.zarr -o x.tar
gt-pack -f --concat samples packed.zarr others.zarr -o x.zarr
gt-pack -f --codec none --chunks variants=50 many.pgen -o x.tar
gt-pdist -f --split-multiallelic --ld-prune 50,5,0.2 some.vcf -o x.npy
COMMANDS
}

@test "thousands of small chunks in flight stay within the --memory that the plan names" {
    [ -x /usr/bin/time ] || skip "no /usr/bin/time"
    sanitized && skip "a sanitizer takes memory of its own"
    local needed
    gt-sim -q --samples 60000 --variants 24 -O packed -o wide.zarr
    gt-rechunk -q -c variants=8,samples=32 wide.zarr -o many.zip
    needed=$(gt-unpack -n -@ 1 --mind 0.5 --skip-multiallelic many.zip -o x.npy | sed -n 's/^memory *\([0-9]*\)M needed.*/\1/p')
    /usr/bin/time -q -f %M -o peak gt-unpack -q -@ 1 --mind 0.5 --skip-multiallelic --memory "${needed}M" many.zip -o x.npy
    [ "$(tail -1 peak)" -le $((needed * 1024)) ]
}
