#!/usr/bin/env bats
# Stores that were copied in part: what is missing or cut is found, and never read as something else.

bats_require_minimum_version 1.5.0

setup() {
    cd "$BATS_TEST_TMPDIR" || exit 1
}

need_zarr() { "$PYTHON" -c 'import zarr, numpy' 2> /dev/null || skip "no python3-zarr"; }

# Nine samples, five sites (or $1) of two contigs, one of them with three ALTs.
make_vcf() {
    printf '##fileformat=VCFv4.2\n##FILTER=<ID=q10,Description="x">\n##contig=<ID=1,length=1000>\n##contig=<ID=2,length=900>\n'
    printf '##FORMAT=<ID=GT,Number=1,Type=String,Description="x">\n'
    printf '#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT'
    printf '\tid%d' 1 2 3 4 5 6 7 8 9
    local i
    for i in $(seq "${1:-5}"); do
        printf '\n%d\t%d\trs%d\tA\t%s\t%d\tPASS\t.\tGT' $((i >= 4 ? 2 : 1)) $((10 * i)) $i "$([ $i -eq 4 ] && echo C,G,T || echo C)" $((20 + i))
        printf '\t%s' 0/0 0/1 1/1 ./. 0/1 0/0 1/1 1/0 0/1
    done
    echo
}

# What is read of a store, all of it; --no-version, so that it is the same for the same content.
content() { gt-pack -q --no-version "$1" -o - > content.tar && cat content.tar; }

# Fails unless reading $1 gives what `want` holds, or exit 3 with one line.
same_or_refused() {
    local status=0 n
    content "$1" > have 2> log || status=$?
    n=$(grep -vc '^hint: ' log || true)
    if [ $status -eq 0 ]; then
        cmp -s have want || { echo "$2: read as something else"; return 1; }
    elif [ $status -ne 3 ] || [ "$n" -ne 1 ]; then
        echo "$2: exit $status: $(cat log)"
        return 1
    fi
}

# Fails unless gt-info --check finds damage, and says which key where it is a chunk.
damage() {
    local status=0
    gt-info --check "$1" > found 2> log || status=$?
    [ $status -eq 3 ] || { echo "$2: --check ended with $status: $(cat found log)"; return 1; }
    case $2 in
    *.z* | *zarr.json) ;;
    *) grep -q "damaged	$2	" found || { echo "$2 is not named: $(cat found log)"; return 1; } ;;
    esac
}

files_of() { (cd "$1" && find . -type f | sed 's,^\./,,' | LC_ALL=C sort); }

# Each file of directory store $1 away in turn, then cut to half and to nothing.
try_all() {
    local key
    content "$1" > want
    files_of "$1" > keys
    [ "$(wc -l < keys)" -gt 50 ]
    while read -r key; do
        mv "$1/$key" kept
        same_or_refused "$1" "without $key"
        [ "$key" = .zmetadata ] || damage "$1" "$key"
        head -c $(($(stat -c %s kept) / 2)) kept > "$1/$key"
        same_or_refused "$1" "half of $key"
        damage "$1" "$key"
        : > "$1/$key"
        same_or_refused "$1" "nothing in $key"
        mv kept "$1/$key"
    done < keys
}

@test "a directory, Zarr 2: any one file missing, cut to half, or empty" {
    make_vcf 20 > x.vcf
    gt-pack -q --chunks variants=2 x.vcf -o x.zarr
    [ -e x.zarr/variant_allele/0.3 ]
    [ ! -e x.zarr/variant_allele/1.2 ] # the later sites have one ALT
    try_all x.zarr
}

@test "a directory, Zarr 3: any one file missing, cut to half, or empty" {
    make_vcf > x.vcf
    gt-pack -q --zarr-format 3 --chunks variants=2,samples=4 x.vcf -o x.zarr
    content x.zarr > want
    files_of x.zarr > keys
    while read -r key; do
        mv x.zarr/"$key" kept
        same_or_refused x.zarr "without $key"
        damage x.zarr "$key"
        mv kept x.zarr/"$key"
    done < keys
}

@test "without consolidated metadata, any one chunk or array missing" {
    make_vcf > x.vcf
    gt-pack -q --chunks variants=2,samples=4 x.vcf -o x.zarr
    rm x.zarr/.zmetadata
    content x.zarr > want
    files_of x.zarr | grep -v '^\.zattrs$\|^contig_length' > keys # which may not be there
    while read -r key; do
        mv x.zarr/"$key" kept
        same_or_refused x.zarr "without $key"
        mv kept x.zarr/"$key"
    done < keys
    for array in variant_position variant_contig variant_allele variant_id variant_filter sample_id contig_id filter_id; do
        mv x.zarr/$array kept
        run --separate-stderr gt-pack -q x.zarr -o - 
        [ "$status" -eq 3 ]
        [[ "$stderr" == *"'x.zarr' has no array '$array'"*"hint: "*"incomplete"* ]]
        mv kept x.zarr/$array
    done
}

@test "a zip and a tar: any one entry missing" {
    make_vcf > x.vcf
    gt-pack -q --chunks variants=2,samples=4 x.vcf -o x.zip
    gt-pack -q --chunks variants=2,samples=4 x.vcf -o x.tar
    mkdir d
    tar xf x.tar -C d
    content x.zip > want
    cat > without.py << 'PY'
import sys, zipfile
with zipfile.ZipFile("x.zip") as x, zipfile.ZipFile("y.zip", "w") as y:
    for name in x.namelist():
        if name != sys.argv[1]:
            y.writestr(name, x.read(name))
PY
    gt-pack -q --chunks variants=2,samples=4 x.vcf -o x.zarr
    files_of x.zarr > keys
    while read -r key; do
        "$PYTHON" without.py "$key"
        same_or_refused y.zip "zip without $key"
        case $key in *.z*) ;; *) damage y.zip "$key" ;; esac
    done < keys
    files_of d > keys # sites in chunks of two variants, too
    while read -r key; do
        (cd d && find . -name '.z*' && find . -type f ! -name '.z*' | LC_ALL=C sort -t/ -k3) | grep -vxF "./$key" > names
        tar cf y.tar -C d --no-recursion -T names
        same_or_refused y.tar "tar without $key"
    done < keys
}

@test "a position, an id, an allele that is not there is named, and stops each command" {
    make_vcf 20 > x.vcf
    gt-pack -q --chunks variants=2,samples=4 x.vcf -o x.zarr
    mv x.zarr/variant_position/1 kept
    run ! gt-pack -q -r 2:10-200 x.zarr -o out.zarr
    [[ "$output" == *"chunk 'variant_position/1' is missing"* ]]
    run ! gt-info --head 20 x.zarr/variant_position
    [[ "$output" == *"chunk 'variant_position/1' is missing"* ]]
    mv kept x.zarr/variant_position/1
    mv x.zarr/sample_id/0 kept
    for command in "gt-pdist x.zarr" "gt-info --stats samples x.zarr" "gt-pack -s id1 x.zarr -o out.zarr"; do
        run $command
        [ "$status" -eq 3 ]
        [[ "$output" == *"chunk 'sample_id/0' is missing"* ]]
    done
    mv kept x.zarr/sample_id/0
    mv x.zarr/variant_allele/0.0 kept
    run gt-pack --snps x.zarr -o out.zarr
    [ "$status" -eq 3 ]
    [[ "$output" == *"chunk 'variant_allele/0.0' is missing"* ]]
    [ ! -e out.zarr ]
}

@test "other stores: a chunk that is not there is fill, but not of positions, and no id is empty or there twice" {
    need_zarr
    "$PYTHON" - << 'PY'
import numpy as np, numcodecs, zarr
g = zarr.open("f.zarr", mode="w")
x = g.create_dataset("call_genotype", data=np.ones((6, 4, 2), "i1"), chunks=(2, 4, 2), fill_value=0)
g.create_dataset("variant_position", data=np.arange(1, 7, dtype="i4"), chunks=2, fill_value=0)
g.create_dataset("variant_contig", data=np.zeros(6, "i1"), chunks=2)
g.create_dataset("contig_id", data=np.array(["1"], dtype="S1"))
g.create_dataset("sample_id", data=np.array(["a", "b", "c", "d"], dtype=object), chunks=2, object_codec=numcodecs.VLenUTF8())
PY
    rm f.zarr/call_genotype/1.0.0
    [ "$(gt-info --stats variants f.zarr | tail -n +2 | cut -f 9 | tr '\n' ' ')" = "0 0 4 4 0 0 " ]
    rm f.zarr/variant_position/1
    run gt-info --stats variants f.zarr
    [ "$status" -eq 3 ]
    [[ "$output" == *"chunk 'variant_position/1' is missing"* ]]
    gt-info --stats samples f.zarr > /dev/null
    mv f.zarr/sample_id/1 kept
    run gt-info --stats samples f.zarr
    [ "$status" -eq 3 ]
    [[ "$output" == *"sample 3 has an empty id"* ]]
    cp f.zarr/sample_id/0 f.zarr/sample_id/1
    run gt-info --stats samples f.zarr
    [ "$status" -eq 3 ]
    [[ "$output" == *"samples 1 and 3 have the same id, 'a'"* ]]
}

# As a user without root's right to read everything.
plain_user() { if [ "$(id -u)" -eq 0 ]; then setpriv --bounding-set -dac_override,-dac_read_search -- "$@"; else "$@"; fi; }

@test "--check goes on after a folder or file without read permission, and lists it" {
    mkdir shut
    chmod 000 shut
    if plain_user ls shut > /dev/null 2>&1; then skip "permissions do not apply to this user"; fi
    make_vcf 20 > x.vcf
    gt-pack -q --chunks variants=2 x.vcf -o two.zarr
    gt-pack -q --chunks variants=2 --zarr-format 3 x.vcf -o three.zarr
    cp -r two.zarr bare.zarr
    rm bare.zarr/.zmetadata
    for store in two three bare; do
        : > $store.zarr/variant_position/7.7 # listed last, so the check has gone on
        for mode in 000 400; do
            chmod $mode $store.zarr/packed_dosage
            run --separate-stderr plain_user gt-info --check $store.zarr
            chmod 755 $store.zarr/packed_dosage
            [ "$status" -eq 3 ]
            [ "$(grep -c "^damaged	packed_dosage	cannot .*/packed_dosage.*: Permission denied" <<< "$output")" -eq 1 ]
            [ -z "$(cut -f 2 <<< "$output" | sort | uniq -d)" ] # nothing twice
            grep "^orphaned	variant_position/7.7" <<< "$output"
            [ $store = bare ] || grep "^damaged	packed_dosage/.*[0-9]	" <<< "$output" # its chunks, which the metadata tells
        done
        plain_user gt-info $store.zarr > /dev/null
        chmod 000 $store.zarr/packed_dosage
        run ! plain_user gt-info $store.zarr
        [ "${lines[0]}" = "gt-info: cannot open '$store.zarr/packed_dosage': Permission denied" ]
        chmod 755 $store.zarr/packed_dosage
    done
    chmod 000 bare.zarr/variant_id/.zarray bare.zarr/variant_position/0
    run plain_user gt-info --check bare.zarr
    [ "$status" -eq 3 ]
    grep "^damaged	variant_id	cannot open .*: Permission denied" <<< "$output"
    grep "^damaged	variant_position/0	cannot open .*: Permission denied" <<< "$output"
    [[ "$output" == *" 2 damaged"* ]]
    plain_user gt-info --check --json bare.zarr 2> /dev/null | grep -A1 '"key": "variant_id"' | grep "Permission denied"
}
