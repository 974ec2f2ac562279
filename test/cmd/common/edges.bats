#!/usr/bin/env bats
# Stores at an edge: of an integer type, of a byte, of what metadata may leave out.

bats_require_minimum_version 1.5.0

setup() {
    cd "$BATS_TEST_TMPDIR" || exit 1
}

# $1 contigs, all in the header; a site on each of the last three, and one on the first.
contigs_vcf() {
    printf '##fileformat=VCFv4.2\n##FORMAT=<ID=GT,Number=1,Type=String,Description="x">\n'
    seq "$1" | sed 's/.*/##contig=<ID=c&>/'
    printf '#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\ta\tb\n'
    for c in 1 $(($1 - 2)) $(($1 - 1)) "$1"; do printf 'c%d\t%d\t.\tA\tC\t.\t.\t.\tGT\t0/1\t1/1\n' "$c" "$c"; done
}

@test "127 to 129 and 32,767 to 32,769 contigs: directory, stream and tar x" {
    for n in 127 128 129 32767 32768 32769; do
        contigs_vcf $n > x.vcf
        gt-pack -q x.vcf -o $n.zarr
        gt-pack -q x.vcf -o $n.tar
        mkdir $n
        tar xf $n.tar -C $n
        for store in $n.zarr $n.tar $n; do
            gt-info --stats variants $store | tail -n +2 | cut -f 1,2 > have
            printf 'c%d\t%d\n' 1 1 $((n - 2)) $((n - 2)) $((n - 1)) $((n - 1)) $n $n | cmp - have || { echo "$store"; return 1; }
        done
        [ "$(gt-info $n.zarr | grep -c "variant_contig  *int$((n > 32768 ? 32 : n > 128 ? 16 : 8)) ")" -eq 1 ]
        gt-pack -q -r c$n $n.zarr -o one.zip
        [ "$(gt-info --stats variants one.zip | tail -n +2 | cut -f 1,2)" = "c$n	$n" ]
        rm -r one.zip $n $n.tar
    done
}

@test "127 to 129 contigs of VCF Zarr calls" {
    for n in 127 128 129; do
        gt-sim -q --samples 3 --variants 400 --contigs $n -O vcz -o v.zarr
        gt-sim -q --samples 3 --variants 400 --contigs $n -o v.vcf
        gt-info --stats variants v.vcf | cmp - <(gt-info --stats variants v.zarr)
        rm -r v.zarr
    done
}

@test "pad bits that are set in a packed store of another writer are not read" {
    gt-sim -q --no-version --samples 9 --variants 700 --missing 0.1 --chunks variants=100,samples=8 --codec none -o x.zarr
    cp -r x.zarr y.zarr
    # nine samples: of the third byte of a row, which is a chunk of its own, three quarters are pad
    "$PYTHON" - << 'PY'
import glob
for name in glob.glob("y.zarr/packed_dosage/*.1"):
    b = bytearray(open(name, "rb").read())
    assert len(b) == 200 and not any(x & 0xfc for x in b[::2]) and not any(b[1::2])
    open(name, "wb").write(bytes(x | 0xfc if i % 2 == 0 else 0xff for i, x in enumerate(b)))
PY
    run ! cmp -s x.zarr/packed_dosage/0.1 y.zarr/packed_dosage/0.1
    for command in "gt-pdist -q -m mismatches" "gt-pdist -q --missing ignore" "gt-info --stats samples" "gt-info --stats variants" \
        "gt-pack -q --no-version" "gt-pack -q --no-version --geno 0.2 --maf 0.2" "gt-pack -q --no-version -s S9,S1"; do
        $command x.zarr > want
        $command y.zarr | cmp - want || { echo "$command"; return 1; }
    done
}

@test "Zarr 3: the separator of chunk keys may be left out, and is '.' for keys of kind v2" {
    gt-sim -q --no-version --samples 9 --variants 700 --chunks variants=100,samples=4 --zarr-format 3 -o x.zarr
    gt-info --stats samples x.zarr > want
    for kind in '{"name": "v2"}' '{"name": "v2", "configuration": {}}' '{"name": "default"}' '{"name": "v2", "configuration": {"separator": "/"}}' \
        '{"name": "default", "configuration": {"separator": "."}}'; do
        cp -r x.zarr y.zarr
        "$PYTHON" - "$kind" << 'PY'
import glob, json, os, sys
kind = json.loads(sys.argv[1])
separator = kind.get("configuration", {}).get("separator", "." if kind["name"] == "v2" else "/")
def change(meta):
    if meta["node_type"] == "array":
        meta["chunk_key_encoding"] = kind
    for below in meta.get("consolidated_metadata", {}).get("metadata", {}).values():
        change(below)
for name in glob.glob("y.zarr/**/zarr.json", recursive=True):
    meta = json.load(open(name))
    change(meta)
    json.dump(meta, open(name, "w"))
for name in [n for n in glob.glob("y.zarr/*/c/**", recursive=True) if os.path.isfile(n)]:
    array, index = name.split("/c/")
    key = separator.join((["c"] if kind["name"] == "default" else []) + index.split("/"))
    os.makedirs(os.path.dirname(f"{array}/{key}"), exist_ok=True)
    os.rename(name, f"{array}/{key}")
PY
        gt-info --stats samples y.zarr | cmp - want || { echo "$kind"; return 1; }
        gt-info --check y.zarr | grep -q ", 0 missing, 0 damaged" || { echo "$kind"; return 1; }
        rm -r y.zarr
    done
}
