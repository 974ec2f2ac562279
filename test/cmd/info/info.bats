#!/usr/bin/env bats
# gt-info: listing, --json, --head, --check, --stats, and what it refuses.

. "$GT_SOURCE/test/support/level.bash"

setup() {
    cd "$BATS_TEST_TMPDIR"
    info=$GT_BUILD/gt-info
    vcz=$GT_TEST_DATA/vcz
}

need_data() { [ -f "$GT_TEST_DATA/README.md" ] || skip "no test data"; }
need_zip() { need_data; command -v unzip >/dev/null || skip "no unzip"; }
code() { [ "$status" -eq "$1" ] || { echo "exit $status, not $1: $output"; return 1; }; }
has() { [[ $output == *"$1"* ]] || { echo "no '$1' in:"; echo "$output"; return 1; }; }
shape() { "$PYTHON" -c 'import json, sys; print(eval("json.load(sys.stdin)" + sys.argv[1]))' "$1"; }

# A small store without any tool: two arrays of raw bytes.
make_store() {
    mkdir -p "$1/x" "$1/sub/y"
    echo '{"zarr_format": 2}' >"$1/.zgroup"
    echo '{"zarr_format": 2}' >"$1/sub/.zgroup"
    echo '{"gt:history": ["gt-pack a.vcf"]}' >"$1/.zattrs"
    echo '{"zarr_format":2,"shape":[5],"chunks":[2],"dtype":"|u1","compressor":null,"fill_value":7,"order":"C","filters":null}' >"$1/x/.zarray"
    echo '{"zarr_format":2,"shape":[2,3],"chunks":[2,2],"dtype":"<i2","compressor":null,"fill_value":0,"order":"C","filters":null}' >"$1/sub/y/.zarray"
    printf '\1\2' >"$1/x/0"
    printf '\5\0' >"$1/x/2"
    printf '\1\0\2\0\3\0\4\0' >"$1/sub/y/0.0"
    printf '\377\377\0\0\376\377\0\0' >"$1/sub/y/0.1"
}

@test "the listing" {
    make_store s.zarr
    run "$info" s.zarr
    code 0
    [ "${lines[0]}" = "s.zarr: Zarr v2, directory, $(find s.zarr -type f -printf '%s\n' | awk '{n += $1} END {print n}') B in 9 keys" ]
    has "sub/y     int16    (2, 3) in (2, 2)  none  16 B"
    has "x         uint8    (5) in (2)  none  4 B"
    has "2 of 3 chunks"
    has "history: gt-pack a.vcf"
    run "$info" s.zarr/sub
    code 0
    has "  y "
    [[ $output != *uint8* ]]
    mv s.zarr/sub/y s.zarr/sub/a_name_of_some_length
    run "$info" s.zarr/sub/a_name_of_some_length
    code 0
    has "  sub/a_name_of_some_length  int16    (2, 3) in (2, 2)"
}

@test "--json" {
    make_store s.zarr
    [ "$("$info" --json s.zarr | shape '["arrays"][1]["shape"]')" = "[5]" ]
    [ "$("$info" --json s.zarr | shape '["arrays"][1]["chunks_stored"]')" = 2 ]
    [ "$("$info" --json s.zarr | shape '["history"]')" = "['gt-pack a.vcf']" ]
    [ "$("$info" --json s.zarr | shape '["groups"]')" = "['', 'sub']" ]
}

@test "--head, with fill values" {
    make_store s.zarr
    [ "$("$info" --head 4 s.zarr/x | tr '\n' ' ')" = "1 2 7 7 " ]
    [ "$("$info" --head 99 s.zarr/x | tr '\n' ' ')" = "1 2 7 7 5 " ]
    [ "$("$info" --head 2 s.zarr/sub/y)" = "$(printf '1\t2\t-1\n3\t4\t-2')" ]
    [ -z "$("$info" --head 0 s.zarr/x)" ]
    run "$info" --head 4 s.zarr
    code 2
    has "hint: name one of its arrays, such as s.zarr/sub/y"
}

@test "--head of texts and of three axes" {
    need_data
    [ "$("$info" --head 2 "$vcz/sample.vcz.zip/variant_id" | tail -n 1)" = "" ] || [ "$("$info" --head 2 "$vcz/sample.vcz.zip/variant_id" | tail -n 1)" = "." ]
    [ "$("$info" --head 3 "$vcz/sample.vcz.zip/sample_id" | tr '\n' ' ')" = "NA00001 NA00002 NA00003 " ]
    [ "$("$info" --head 1 "$vcz/sample.vcz3.zip/call_genotype")" = "$(printf '0,0\t0,0\t0,1')" ]
}

@test "a .npy: what it is, --json and --head, from a file and a pipe" {
    "$GT_BUILD/gt-sim" -q --samples 3 --variants 9 -o s.zarr
    "$GT_BUILD/gt-pdist" -q -m cityblock s.zarr -o d.npy
    "$GT_BUILD/gt-pdist" -q -m cityblock s.zarr | tail -n +2 | cut -f 2- >want
    [ "$("$info" d.npy)" = "d.npy: NumPy array of float64 (3, 3)" ]
    "$info" --head 9 d.npy | cmp - want
    "$info" --head 2 - <d.npy | cmp - <(head -n 2 want)
    [ "$("$info" --json d.npy | shape '["shape"]')" = "[3, 3]" ]
    run "$info" --array x d.npy
    code 2
    [ "$("$info" --check d.npy)" = "9 values checked, 0 damaged, 0 not supported" ]
    [ "$("$info" --check - <d.npy)" = "9 values checked, 0 damaged, 0 not supported" ]
    [ "$("$info" --check --json d.npy | shape '["values"]')" = 9 ]
    head -c -1 d.npy >short.npy
    for type in U3 c16 'M8[D]' O 'i4,f8'; do # good files, which we do not read
        TYPE=$type "$PYTHON" -c 'import os, numpy as np
np.save("other.npy", np.zeros(3, os.environ["TYPE"]))'
        [[ "$("$info" --check other.npy)" == *"0 damaged, 1 not supported" ]]
    done
    for type in '<Q3' '<f3' 'Snonsense' '<i99999999999999999999' ''; do # and no types of any
        TYPE=$type "$PYTHON" -c 'import os
head = "{%r: %r, %r: False, %r: (3,), }" % ("descr", os.environ["TYPE"], "fortran_order", "shape")
open("odd.npy", "wb").write(b"\x93NUMPY\x01\x00" + (118).to_bytes(2, "little") + head.ljust(117).encode() + b"\n" + bytes(24))'
        run "$info" --check odd.npy
        [ "$status" -eq 3 ]
        [[ "$output" == *"1 damaged, 0 not supported"* ]]
    done
    run "$info" --check short.npy
    code 3
    [[ "$output" == *"1 damaged"* ]]
}

@test "--head: any shape and chunks, of numbers and of texts, is what was written" {
    command -v "$PYTHON" >/dev/null && "$PYTHON" -c 'import zarr, sys; sys.exit(not zarr.__version__.startswith("2."))' 2>/dev/null || skip "no zarr 2"
    local many
    many=$(by_level 14 60 60)
    "$PYTHON" - "$many" <<'PY'
import sys, numpy as np, zarr
r = np.random.RandomState(1)
g = zarr.open_group("h.zarr", mode="w")
def line(row):
    row = np.asarray(row)
    if row.ndim == 0:
        return str(row)
    if row.ndim == 1:
        return "\t".join(str(x) for x in row)
    return "\t".join(",".join(str(x) for x in last) for last in row.reshape(-1, row.shape[-1]))
for i in range(int(sys.argv[1])):
    shape = tuple(int(x) for x in r.randint(1, 8, r.randint(1, 5)))
    chunks = tuple(int(r.randint(1, n + 2)) for n in shape)
    a = r.randint(-100, 100, shape)
    a = a.astype(r.choice(["i1", "<i2", ">i4", "<i8"])) if i % 2 else np.char.add("t", a.astype(str)).astype(r.choice(["<U6", "S6", object]))
    kw = {"object_codec": __import__("numcodecs").VLenUTF8()} if a.dtype == object else {}
    g.create_dataset(f"a{i}", data=a, chunks=chunks, order=r.choice(["C", "F"]), **kw)
    text = a.astype(str) if a.dtype != "S6" else np.char.decode(a)
    open(f"a{i}.want", "w").writelines(line(row) + "\n" for row in text)
PY
    for ((i = 0; i < many; i++)); do
        for n in 1 3 9; do
            "$info" --head $n h.zarr/a$i >have
            head -n $n a$i.want | cmp - have || { echo "a$i, $n rows"; return 1; }
        done
    done
}

@test "--check: whole, truncated, empty, missing" {
    make_store s.zarr
    run "$info" --check s.zarr
    code 0
    [ "$output" = "5 chunks checked, 1 missing, 0 damaged, 0 not supported" ]
    printf '\1' >s.zarr/x/2
    : >s.zarr/sub/y/0.1
    run "$info" --check s.zarr
    code 3
    has "damaged	x/2	"
    has "damaged	sub/y/0.1	"
    has "5 chunks checked, 1 missing, 2 damaged, 0 not supported"
    has "gt-info: 's.zarr' is damaged"
    [ "$("$info" --check --json s.zarr 2>/dev/null | shape '["damaged"][1]["key"]')" = "x/2" ]
}

@test "--check: what does not fit the memory is exit 4, and nothing is called damaged" {
    make_store s.zarr
    mkdir s.zarr/large
    echo '{"zarr_format":2,"shape":[300000000],"chunks":[300000000],"dtype":"|u1","compressor":{"id":"zlib","level":1},"fill_value":0,"order":"C","filters":null}' >s.zarr/large/.zarray
    "$PYTHON" -c 'import sys, zlib; c = zlib.compressobj(1); [sys.stdout.buffer.write(c.compress(bytes(10**7))) for i in range(30)]; sys.stdout.buffer.write(c.flush())' >s.zarr/large/0
    run "$info" --check --memory 128M s.zarr -o report
    code 4
    [[ $output != *damaged* ]]
    [ ! -e report ]
    run "$info" --check --memory 4G s.zarr
    code 0
    truncate -s 1000 s.zarr/large/0
    run "$info" --check --memory 4G s.zarr
    code 3
    has "damaged	large/0"
}

@test "--check: an array of a kind that is not read is not damaged, one whose metadata make no sense is" {
    make_store s.zarr
    sed -i 's/"compressor":null/"compressor":{"id":"nonesuch"}/' s.zarr/x/.zarray
    run "$info" s.zarr
    code 0
    has "nonesuch"
    run "$info" --check s.zarr
    code 0
    has "not supported	x	"
    has "2 chunks checked, 0 missing, 0 damaged, 1 not supported"
    [ "$("$info" --check --json s.zarr | shape '["not_supported"][0]["key"]')" = "x" ]
    sed -i 's/"chunks":\[2\]/"chunks":[-2]/' s.zarr/x/.zarray
    run "$info" --check s.zarr
    code 3
    has "damaged	x	"
}

@test "an array of a codec that is not read, without a group: its version of Zarr, its fault, what is stored" {
    mkdir -p two.zarr three.zarr/c
    echo '{"zarr_format":2,"shape":[5],"chunks":[2],"dtype":"|u1","compressor":{"id":"nonesuch"},"fill_value":7,"order":"C","filters":null}' > two.zarr/.zarray
    echo '{"zarr_format":3,"node_type":"array","shape":[5],"data_type":"uint8","chunk_grid":{"name":"regular","configuration":{"chunk_shape":[2]}},
        "chunk_key_encoding":{"name":"default"},"fill_value":7,"codecs":[{"name":"bytes"},{"name":"nonesuch"}]}' > three.zarr/zarr.json
    printf '\1\2' | tee two.zarr/0 three.zarr/c/0 > three.zarr/c/1
    run "$info" two.zarr
    code 0
    [ "${lines[0]}" = "two.zarr: Zarr v2, directory, $(cat two.zarr/.zarray two.zarr/0 | wc -c) B in 2 keys" ]
    has "  (root)  "
    has "nonesuch"
    run "$info" three.zarr
    code 0
    [ "${lines[0]}" = "three.zarr: Zarr v3, directory, $(cat three.zarr/zarr.json three.zarr/c/? | wc -c) B in 3 keys" ]
    has "  (root)  "
    has "nonesuch"
    sed -i 's/,{"name":"nonesuch"}//' three.zarr/zarr.json
    run "$info" three.zarr
    [ "${lines[0]}" = "three.zarr: Zarr v3, directory, $(cat three.zarr/zarr.json three.zarr/c/? | wc -c) B in 3 keys" ]
    has "uint8    (5) in (2)  none  4 B"
}

@test "--check goes on after what cannot be read, and lists all damage and orphaned chunks" {
    gt-sim -q --samples 40 --variants 400 --seed 3 -O vcf -o in.vcf
    for format in 2 3; do
        for layout in packed vcz; do
            rm -rf s.zarr
            gt-pack -q --zarr-format $format --layout $layout --chunks variants=100,samples=20 in.vcf -o s.zarr
            run "$info" --check s.zarr
            code 0
            [[ $output == *" 0 damaged, 0 not supported" ]]
            "$PYTHON" - $format <<'PY'
import os, random, sys
random.seed(4)
meta = "zarr.json" if sys.argv[1] == "3" else ".zarray"
arrays = [n for n in sorted(os.listdir("s.zarr")) if os.path.isdir("s.zarr/" + n)]
chunks = {a: sorted(os.path.join(d, f)[7:] for d, _, fs in os.walk("s.zarr/" + a) for f in fs if f[0].isdigit()) for a in arrays}
planted, orphans = set(), set()
cut = {"variant_position", "sample_id"}
for a in cut:
    os.truncate(f"s.zarr/{a}/{meta}", 20)
    planted |= {a, f"{a}/{meta}"}
for a in set(arrays) - cut:
    for kind, key in zip(("loop", "cut", "empty"), random.sample(chunks[a], min(3, len(chunks[a])))):
        path = "s.zarr/" + key
        size = os.path.getsize(path)
        if kind == "loop":
            os.remove(path)
            os.symlink(os.path.basename(path), path)
        else:
            os.truncate(path, size // 2 if kind == "cut" else 0)
        planted.add(key)
    last = chunks[a][-1]
    orphan = os.path.join(os.path.dirname(last), "977" if "." not in os.path.basename(last) else "977" + os.path.basename(last)[os.path.basename(last).index("."):])
    orphans.add(orphan)
    open("s.zarr/" + orphan, "w").write("x")
os.mkdir("s.zarr/gone")
open("s.zarr/gone/0.0", "w").write("x")
orphans.add("gone/0.0")
root = ["zarr.json"] if sys.argv[1] == "3" else [".zmetadata", ".zattrs"]
open("planted", "w").writelines(sorted(k + "\n" for k in planted))
open("orphans", "w").writelines(sorted(k + "\n" for k in orphans))
open("root", "w").writelines(sorted(k + "\n" for k in root))
PY
            run "$info" --check s.zarr
            code 3
            sed -n 's/^damaged\t\([^\t]*\)\t.*/\1/p' <<<"$output" | LC_ALL=C sort -u >found
            # consolidated metadata have the arrays whose own documents are cut: these are read
            grep -vx -e variant_position -e sample_id planted | diff - found
            sed -n 's/^orphaned\t\([^\t]*\)\tit belongs to no array$/\1/p' <<<"$output" | LC_ALL=C sort | diff <(LC_ALL=C sort orphans) -
            has ", $(wc -l <orphans) orphaned"
            "$info" --check --json s.zarr 2>/dev/null | "$PYTHON" -c 'import json, sys; assert sorted(o["key"] for o in json.load(sys.stdin)["orphaned"]) == sorted(open("orphans").read().split())'
            # now the root's are cut as well
            while read -r key; do truncate -s 30 s.zarr/$key; done <root
            run "$info" --check s.zarr
            code 3
            sed -n 's/^damaged\t\([^\t]*\)\t.*/\1/p' <<<"$output" | LC_ALL=C sort -u >found
            # and the arrays are known by their own documents alone
            { grep -v -e variant_position/ -e sample_id/ planted; cat root; } | LC_ALL=C sort | diff - found
        done
    done
}

@test "--check of packed genotypes: a missing chunk is damage" {
    make_store s.zarr
    mkdir s.zarr/packed_dosage s.zarr/sample_id
    printf "\1\2" >s.zarr/x/1
    echo '{"zarr_format":2,"shape":[3,1],"chunks":[2,1],"dtype":"|u1","compressor":null,"fill_value":null,"order":"C","filters":null}' >s.zarr/packed_dosage/.zarray
    echo '{"gt_packed":{"bits":2,"samples":3,"missing":3}}' >s.zarr/packed_dosage/.zattrs
    echo '{"zarr_format":2,"shape":[3],"chunks":[3],"dtype":"|S2","compressor":null,"fill_value":null,"order":"C","filters":null}' >s.zarr/sample_id/.zarray
    printf 'a\0b\0c\0' >s.zarr/sample_id/0
    printf '\1\2' >s.zarr/packed_dosage/0.0
    run "$info" --check s.zarr
    code 3
    has "damaged	packed_dosage/1.0	s.zarr: chunk 'packed_dosage/1.0' is missing"
    printf '\3\0' >s.zarr/packed_dosage/1.0
    run "$info" --check --deep s.zarr
    code 0
    run "$info" s.zarr
    has "packed genotypes: 3 samples x 3 variants"
    run "$info" --stats samples s.zarr
    code 0
    [ "${lines[1]}" = "a	2	1	0.3333333333	0	1	1	0.5	0	2	1	1.277777778	-0.384615385" ] || { echo "$output"; false; }
}

@test "--check finds bits that have changed in any chunk of a packed store" {
    need_data
    for format in 2 3; do
        gt-pack -q --zarr-format $format --chunks variants=3000,samples=400 "$GT_TEST_DATA/plink/HM3_thinned.bed" -o p$format.zarr
        for round in 1 2 3 4 5 6 7 8; do
            rm -rf d.zarr
            cp -r p$format.zarr d.zarr
            "$PYTHON" - d.zarr $round >flipped <<'EOF'
import os, random, sys
random.seed(int(sys.argv[2]))
for where, _, names in sorted(os.walk(sys.argv[1])):
    for name in sorted(names):
        if name[0] != "." and name != "zarr.json":
            path = os.path.join(where, name)
            data = bytearray(open(path, "rb").read())
            bit = random.randrange(8 * 5, 8 * len(data))  # after the magic bytes and the flags
            data[bit // 8] ^= 1 << bit % 8
            open(path, "wb").write(data)
            print(os.path.relpath(path, sys.argv[1]))
EOF
            run "$info" --check d.zarr
            code 3
            awk '$1 == "damaged" { print $2 }' <<<"$output" | sort | comm -3 <(sort flipped) - >odd
            if grep '^	' odd; then return 1; fi
            missed=$((${missed:-0} + $(wc -l <odd))) all=$((${all:-0} + $(wc -l <flipped)))
        done
    done
    # a frame has a few bits that no decoder looks at
    [ $((20 * missed)) -lt "$all" ] || { echo "$missed of $all not found"; false; }
}

@test "files that are no stores" {
    need_data
    run "$info" "$GT_TEST_DATA/plink/HM3_thinned.bed"
    code 0
    has "PLINK bed"
    has "samples: 957 ("
    has "variants: 14079"
    run "$info" "$GT_TEST_DATA/vcf/1kg_phase3_chr21_start.vcf.gz"
    code 0
    has "samples: 2504 (HG00096, "
    [ "$("$info" --json "$GT_TEST_DATA/plink/HM3_thinned.bed" | shape '["samples"]')" = 957 ]
    run "$info" --check "$GT_TEST_DATA/plink/HM3_thinned.bed"
    code 0
    [ "$output" = "14079 variants checked, 0 damaged, 0 not supported" ]
}

# checked CODE WORDS...: --check of the rest exits so, and its table has the words.
checked() {
    local expected=$1 words=$2
    shift 2
    run "$info" -q --check "$@"
    [ "$status" -eq "$expected" ] || { echo "exit $status, not $expected: $* $output"; return 1; }
    [[ $output == *"$words"* ]] || { echo "no '$words': $* $output"; return 1; }
}

@test "--check of a VCF, a BCF and a .bed: whole, cut, changed" {
    gt-sim -q --samples 30 --variants 4000 --seed 1 -o x.vcf.gz
    gt-sim -q --samples 30 --variants 4000 --seed 1 -o b.bed
    gzip -dc x.vcf.gz >x.vcf
    for input in x.vcf x.vcf.gz b b.bed; do
        checked 0 "4000 variants checked, 0 damaged, 0 not supported" $input
    done
    for input in x.vcf x.vcf.gz; do
        cat $input | "$info" --check - | grep -q '^4000 variants checked, 0 damaged'
    done
    size=$(stat -c %s x.vcf.gz)
    head -c $((size - 28)) x.vcf.gz >cut.vcf.gz # without its end mark
    checked 3 "damaged	cut.vcf.gz	" cut.vcf.gz
    head -c $((size / 2)) x.vcf.gz >cut.vcf.gz
    checked 3 "1 damaged, 0 not supported" cut.vcf.gz
    "$PYTHON" - <<'EOF'
data = bytearray(open("x.vcf.gz", "rb").read())
data[len(data) // 2] ^= 4
open("bad.vcf.gz", "wb").write(data)
EOF
    checked 3 "damaged	bad.vcf.gz	" bad.vcf.gz
    run "$info" -q --check bad.vcf.gz -o report
    code 3
    grep -q '^damaged	bad.vcf.gz	' report
    [ "$("$info" -q --check --json bad.vcf.gz 2>/dev/null | shape '["damaged"][0]["key"]')" = bad.vcf.gz ]
    [ "$(cat bad.vcf.gz | "$info" -q --check --json - 2>/dev/null | shape '["damaged"][0]["key"]')" = "standard input" ]
    head -c 1000 b.bed >short.bed
    cp b.bim short.bim
    cp b.fam short.fam
    checked 3 "damaged	short.bed	" short.bed
    cp b.bed odd.bed
    cp b.fam odd.fam
    sed '2000s/\t/ \t/; 3000s/^[^\t]*\t[^\t]*\t//' b.bim >odd.bim
    checked 3 "damaged	odd	" odd
    if command -v bcftools >/dev/null; then
        bcftools view -Ob x.vcf.gz -o x.bcf 2>err
        checked 0 "4000 variants checked, 0 damaged" x.bcf
        head -c 5000 x.bcf >cut.bcf
        checked 3 "damaged	cut.bcf	" cut.bcf
    fi
    run "$info" --check nothing.vcf
    code 1
}

@test "--check: damaged, not there and not supported are three words" {
    printf '##fileformat=VCFv4.2\n##contig=<ID=1>\n##FORMAT=<ID=GT,Number=1,Type=String,Description="G">\n' >p.vcf
    printf '#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\tA\tB\n' >>p.vcf
    printf '1\t10\t.\tA\tC\t.\t.\t.\tGT\t0/0/1\t0/1/1/1\n1\t20\t.\tA\tC\t.\t.\t.\tGT\t0/1\t0/1\n' >>p.vcf
    checked 0 "not supported	p.vcf	2 calls of ploidy above 2" p.vcf
    checked 0 "2 variants checked, 0 damaged, 1 not supported" p.vcf
    [ "$("$info" -q --check --json p.vcf | shape '["not_supported"][0]["cause"]')" = "2 calls of ploidy above 2" ]
    [ "$("$info" -q --check --json p.vcf | shape '["damaged"]')" = "[]" ]
    make_store s.zarr
    sed -i 's/"compressor":null/"compressor":{"id":"nonesuch"}/' s.zarr/sub/y/.zarray
    checked 0 "0 damaged, 1 not supported" s.zarr
    checked 0 "3 chunks checked, 1 missing, " s.zarr
    : >s.zarr/x/0
    checked 3 "1 missing, 1 damaged, 1 not supported" s.zarr
}

@test "-n --check: the plan of a file that is no store" {
    gt-sim -q --samples 3 --variants 9 -O vcf -o x.vcf
    "$info" --check -n x.vcf > plan
    [ "$(head -n 1 plan)" = "the whole input is read" ]
    grep -q '^memory  *[0-9]*M needed' plan
    "$info" --check x.vcf | grep -q '^9 variants checked, 0 damaged, 0 not supported$'
}

@test "pipes with a path are read once, as standard input is" {
    need_data
    vcf=$GT_TEST_DATA/vcf/edge/sample.vcf.gz
    mkfifo p.fifo
    timeout 60 cat "$vcf" >p.fifo 3>&- &
    run timeout 20 "$info" p.fifo
    code 2
    has "'p.fifo' is a stream; only a store (tar) can be shown from a stream, and this is a VCF (BGZF)"
    run timeout 20 bash -c '"$0" <(zcat "$1")' "$info" "$vcf"
    code 2
    has "and this is a VCF"
    run timeout 20 bash -c 'cat "$1" | "$0"' "$info" "$vcf"
    code 2
    has "'standard input' is a stream"
    run timeout 20 bash -c '"$0" <(cat "$1")' "$info" "$GT_TEST_DATA/plink/HM3_thinned.bed"
    code 2
    has "and this is a PLINK .bed"
    "$info" --stats variants "$vcf" >file
    timeout 60 cat "$vcf" >p.fifo 3>&- &
    timeout 20 "$info" --stats variants p.fifo | cmp file
    make_store s.zarr
    run timeout 20 bash -c '"$0" <(tar c -C s.zarr .)' "$info"
    code 0
    has "2 of 3 chunks"
    run timeout 20 bash -c '"$0" --check --deep <(tar c -C s.zarr .)' "$info"
    code 2
    has "--deep reads its input twice, and"
}

@test "--stats of a VCF and of its VCF Zarr are the same" {
    need_data
    "$info" --stats variants "$GT_TEST_DATA/vcf/edge/sample.vcf.gz" >a
    "$info" --stats variants "$vcz/sample.vcz.zip" >b
    "$info" --stats variants "$vcz/sample.vcz3.zip" >c
    cmp a b
    cmp a c
    [ "$(wc -l <a)" -eq 10 ]
}

# The reader adds them while other threads write the table of what it read before.
@test "--stats: contigs that the header lacks, by the thousand" {
    awk 'BEGIN {
        print "##fileformat=VCFv4.2\n##FORMAT=<ID=GT,Number=1,Type=String,Description=\"x\">"
        print "#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\ta\tb\tc"
        for (c = 0; c < 20000; c++)
            for (p = 1; p < 4; p++)
                print "scaffold_" c "\t" p "\t.\tA\tC\t.\t.\t.\tGT\t0/1\t1/1\t./."
    }' >many.vcf
    for threads in 1 2 4; do
        "$info" --stats variants -@ $threads many.vcf >table 2>err || { cat err; return 1; }
        awk 'NR > 1 { print $1 "\t" $2 }' table | cmp - <(awk '!/^#/ { print $1 "\t" $2 }' many.vcf)
    done
    gt-pack -q many.vcf -o - | "$info" --stats variants - | cmp table -
}

@test "v2 and v3 list alike, consolidated metadata or not" {
    need_zip
    unzip -q "$vcz/sample.vcz3.zip" -d v3.zarr
    "$info" v3.zarr | tail -n +2 >a
    "$info" "$vcz/sample.vcz.zip" | tail -n +2 >b
    cmp a b
}

@test "what is refused" {
    make_store s.zarr
    run "$info" nothing.zarr
    code 1
    [ "${lines[0]}" = "gt-info: cannot open 'nothing.zarr': No such file or directory" ]
    run "$info" s.zarr/nothing
    code 3
    has "there is no Zarr array or group 'nothing'"
    echo text >other
    tar cf other.tar other
    for command in gt-info "gt-pack -o out.zarr"; do
        run $command other.tar
        code 3
        has "'other.tar' is a tar but holds no Zarr store"
        run $command - <other.tar
        code 3
        has "'standard input' is a tar but holds no Zarr store"
    done
    run "$info" --check --head 3 s.zarr
    code 2
    run "$info" --deep s.zarr
    code 2
    run "$info" --json --head 3 s.zarr
    code 2
    run "$info" s.zarr s.zarr
    code 2
    mkdir empty.zarr
    run "$info" empty.zarr
    [ "$status" -ne 0 ]
    echo '{' >s.zarr/x/.zarray
    run "$info" s.zarr
    code 0
    has "not valid JSON"
    echo '{"zarr_format":2,"shape":[1e15],"chunks":[1],"dtype":"|u1","compressor":null,"fill_value":7,"order":"C","filters":null}' >s.zarr/x/.zarray
    run timeout 20 "$info" --check s.zarr
    code 0 # chunks that are not there are fill values
    has "not supported	x	too few of its chunks are stored to check each"
    echo '{' >s.zarr/.zmetadata
    run "$info" s.zarr
    code 3
    [[ "$output" == "gt-info: s.zarr: '.zmetadata': metadata is not valid JSON"* ]] # the store once
}

@test "a closed pipe ends it quietly" {
    make_store s.zarr
    echo '{"zarr_format":2,"shape":[3000000],"chunks":[1000000],"dtype":"|u1","compressor":null,"fill_value":7,"order":"C","filters":null}' >s.zarr/sub/y/.zarray
    rm s.zarr/sub/y/0.*
    "$info" --head 3000000 s.zarr/sub/y 2>err | head -n 1 >out
    [ ! -s err ]
    [ "$(cat out)" = 7 ]
    [ "$("$info" --head 3000000 s.zarr/sub/y | wc -l)" -eq 3000000 ]
}

@test "-o: a report of damage is kept, nothing else is when it fails" {
    make_store s.zarr
    : >s.zarr/sub/y/0.0
    run "$info" --check -o report.txt s.zarr
    code 3
    grep -q 'damaged.sub/y/0.0' report.txt
    run "$info" --check -o none.txt missing.zarr
    code 1
    [ ! -e none.txt ]
    rm -r s.zarr
    make_store s.zarr
    run "$info" --check --deep -o report.txt s.zarr # without genotypes there is no more to check
    code 0
    grep -q ' 0 damaged' report.txt
    mkdir s.zarr/call_genotype
    echo '{"zarr_format":2,"shape":[1,1,2],"chunks":[1,1,2],"dtype":"<f4","compressor":null,"fill_value":9,"order":"C","filters":null}' >s.zarr/call_genotype/.zarray
    run "$info" --check --deep -o none.txt s.zarr
    code 3
    [ ! -e none.txt ]
}

@test "metadata of any size is not read" {
    make_store s.zarr
    truncate -s 1T s.zarr/x/.zarray || skip "no sparse files"
    run timeout 60 "$info" s.zarr
    code 0
    has "metadata of more than 64 MiB"
}

@test "-n of arrays: no more memory is named than the array takes" {
    gt-sim -q --normal --samples 100 --variants 5000 -O zarr -o x.zarr # 3.8 MiB
    gt-sim -q --normal --samples 100 --variants 5000 -O zarr --chunks variants=100,samples=7 -o y.zarr
    at_most() { sed -n 's/^memory .* \([0-9]*\)M used at most.*/\1/p'; }
    for store in x.zarr y.zarr; do
        [ "$(gt-info -n --head 3 $store | at_most)" -lt 300 ]
        [ "$(gt-info -n --check $store | at_most)" -lt 300 ]
        [ "$(gt-pdist -n -m euclidean -@ 2 $store -o d.tsv | at_most)" -lt 300 ]
    done
}
