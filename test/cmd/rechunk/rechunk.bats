#!/usr/bin/env bats
# gt-rechunk: against zarr and numpy, and what it refuses.

bats_require_minimum_version 1.5.0

. "$GT_SOURCE/test/support/level.bash"

setup_file() {
    cd "$BATS_FILE_TMPDIR" || exit 1
    gt-sim -q --samples 30 --variants 500 --missing 0.05 --seed 1 -O packed -o packed.zarr
    gt-sim -q --samples 300 --variants 400 --uniform 0..99 --seed 1 -o plain.zarr
    ! "$PYTHON" -c 'import zarr, numpy, sys; sys.exit(not zarr.__version__.startswith("2."))' 2> /dev/null || touch has_zarr
}

setup() {
    cd "$BATS_TEST_TMPDIR" || exit 1
    in=$BATS_FILE_TMPDIR
    oracle=$GT_SOURCE/test/support/rechunk_oracle.py
}

need_zarr() { [ -f "$in/has_zarr" ] || skip "no python3 with zarr 2"; }
same() { "$PYTHON" "$oracle" same "$@"; }

# Exit $1, and the first line of standard error ends in $2.
fails() {
    local code=$1 want=$2
    run --separate-stderr "${@:3}"
    # shellcheck disable=SC2154
    { [ "$status" -eq "$code" ] && [[ "${stderr_lines[0]}" == *"$want" ]]; } || { echo "$status: $stderr"; return 1; }
}

@test "random arrays: slices, orders, types, chunks, codecs, formats, shards" {
    need_zarr
    "$PYTHON" "$oracle" trials "${GT_TRIALS_SEED:-1}" "$(by_level 30 80 1000)"
}

@test "a group: axes of one name go together, attributes and groups come along" {
    need_zarr
    "$PYTHON" "$oracle" group .
    gt-rechunk -q -c variants=20,samples=-1 --slice '5:45,::3' in.zarr -o out.zarr
    same out.zarr/call_genotype in.zarr/call_genotype 'x[5:45, ::3]'
    same out.zarr/call_DP in.zarr/call_DP 'x[5:45, ::3]'
    same out.zarr/variant_position in.zarr/variant_position 'x[5:45]'
    same out.zarr/variant_allele in.zarr/variant_allele 'x[5:45]'
    same out.zarr/sample_id in.zarr/sample_id 'x[::3]'
    same out.zarr/contig_id in.zarr/contig_id x
    same out.zarr/extra/deep/numbers in.zarr/extra/deep/numbers x
    [ ! -e out.zarr/region_index ]
    "$PYTHON" - << EOF
import zarr
a, b = zarr.open("in.zarr"), zarr.open_consolidated("out.zarr")
assert b.attrs["list"] == a.attrs["list"] and b.attrs["source"] == "by hand", dict(b.attrs)
assert b["extra/deep"].attrs["level"] == 2
assert b["call_DP"].chunks == (20, 4) and b["variant_position"].chunks == (20,) and b["variant_allele"].chunks == (20, 1)
for name in "call_genotype", "call_DP", "variant_allele", "sample_id", "contig_id":
    assert dict(a[name].attrs) == dict(b[name].attrs), name
EOF
    # one allele, samples as rows, of all arrays that have these axes; in Zarr 3
    gt-rechunk -q --slice ':,:,1' --transpose -c -1,25 --zarr-format 3 in.zarr -o turned.zarr
    same turned.zarr/call_genotype in.zarr/call_genotype 'x[:, :, 1].T'
    same turned.zarr/call_DP in.zarr/call_DP 'x.T'
    same turned.zarr/variant_allele in.zarr/variant_allele x
    same turned.zarr/contig_id in.zarr/contig_id x
    grep -A4 dimension_names turned.zarr/call_genotype/zarr.json | tr -d ' \n' | grep -q '\["samples","variants"\]'
    # a group below, an array below
    gt-rechunk -q in.zarr/extra -o extra.zarr
    same extra.zarr/deep/numbers in.zarr/extra/deep/numbers x
    gt-rechunk -q --order samples,variants --array call_DP in.zarr -o dp.zarr
    same dp.zarr in.zarr/call_DP x.T
    # and through a pipe, as a tar stream in and out
    gt-rechunk -q in.zarr | gt-rechunk -q --slice '5:45,::3' - -o piped.zip
    gt-rechunk -q piped.zip -o piped.zarr
    same piped.zarr/call_genotype in.zarr/call_genotype 'x[5:45, ::3]'
    same piped.zarr/variant_allele in.zarr/variant_allele 'x[5:45]'
}

@test "chunks that were never written have the fill value, in base64 too" {
    need_zarr
    "$PYTHON" -c "
import zarr
zarr.open('s.zarr', mode='w', shape=7, chunks=2, dtype='S5', fill_value=b'0')
zarr.open('n.zarr', mode='w', shape=(7, 3), chunks=2, dtype='i2', fill_value=-7)[2, 1] = 5"
    gt-rechunk -q -c 3 s.zarr -o s3.zarr
    same s3.zarr s.zarr x
    gt-rechunk -q --transpose --dtype float32 n.zarr -o n3.zarr
    same n3.zarr n.zarr 'x.T.astype("f4")'
}

@test "packed genotypes are sliced by samples, become dosages and come back" {
    need_zarr
    x=$in/packed.zarr
    gt-rechunk -q --layout plain --array packed_dosage "$x" -o all.zarr
    gt-rechunk -q -c variants=100,samples=8 --slice '3:400:7,1:30:3' "$x" -o part.zarr
    gt-info --check --deep part.zarr
    gt-rechunk -q --layout plain --array packed_dosage part.zarr -o part_plain.zarr
    same part_plain.zarr all.zarr 'x[3:400:7, 1:30:3]'
    gt-rechunk -q --slice '3:400:7,1:30:3' --transpose --array packed_dosage "$x" -o turned.zarr
    same turned.zarr all.zarr 'x[3:400:7, 1:30:3].T'
    # what the readers of genotypes make of it
    gt-rechunk -q -c variants=64,samples=12 "$x" -o other.zarr
    for what in samples variants; do
        gt-info -q --stats $what "$x" > want
        gt-info -q --stats $what other.zarr | cmp - want
    done
    gt-rechunk -q --layout plain "$x" -o plain.zarr
    gt-rechunk -q --layout packed plain.zarr -o back.zarr
    diff -r "$x/packed_dosage" back.zarr/packed_dosage
    [ "$(ls "$x" | grep -v region_index)" = "$(ls back.zarr)" ]
    gt-info -q --check --deep plain.zarr
    for what in "gt-pdist -q" "gt-info -q --stats samples" "gt-unpack -q --no-version" "gt-svd -q -k 2"; do
        $what "$x" > want
        $what plain.zarr | cmp - want
    done
    [ "$(gt-info --stats samples part.zarr -q | tail -n +2 | cut -f 1 | tr '\n' ' ')" = "S2 S5 S8 S11 S14 S17 S20 S23 S26 S29 " ]
}

@test "calls become dosages, and dosages calls with their mask and phase" {
    need_zarr
    gt-sim -q --samples 37 --variants 500 --missing 0.05 --contigs 2 --phased --multiallelic 0.05 -O vcf -o x.vcf
    gt-pack -q --layout vcz x.vcf -o x.vcz
    "$PYTHON" -c "
import zarr
g = zarr.open('x.vcz')['call_genotype']
g[3, 5] = [1, -2]; g[4, 5] = [0, -2]; g[5, 5] = [-1, 2]; g[6, 5] = [-2, -2]; g[7, 36] = [1, 2]"
    gt-rechunk -q --layout packed --array call_genotype -c 100,12 x.vcz -o packed.zarr
    gt-rechunk -q --layout plain -c variants=7,samples=5 --zarr-format 2 x.vcz -o plain.zarr
    gt-rechunk -q --layout plain --memory 32M -@ 1 --transpose --array call_genotype x.vcz -o turned.zarr
    gt-rechunk -q --layout plain --array packed_dosage "$in/packed.zarr" -o dosage.zarr
    gt-rechunk -q --layout calls "$in/packed.zarr" -o calls.zarr
    gt-rechunk -q --layout calls --array packed_dosage -c 9,4 --slice 3::2 "$in/packed.zarr" -o alone.zarr
    "$PYTHON" -c "
import zarr, numpy as np
g = zarr.open('x.vcz', 'r')['call_genotype'][:]
half = ((g == -1).sum(2) == 1); none = (g < 0).all(2); haploid = (g == -2).sum(2) == 1
d = np.where(half | none, -1, np.where(haploid, 2, 1) * (g > 0).sum(2)).astype('i1')
p = zarr.open('packed.zarr', 'r')[:]
q = np.stack([p >> 2 * k & 3 for k in range(4)], -1).reshape(len(p), -1)[:, :37].astype('i1'); q[q == 3] = -1
assert (q == d).all()
z = zarr.open('plain.zarr', 'r')
assert (z['call_dosage'][:] == d).all() and 'call_genotype_mask' not in z and 'call_genotype_phased' not in z
assert (zarr.open('turned.zarr', 'r')[:] == d.T).all()
want = np.array([[-1, -1], [0, 0], [0, 1], [1, 1]], 'i1')[zarr.open('dosage.zarr', 'r')[:] + 1]
z = zarr.open('calls.zarr', 'r')
assert (z['call_genotype'][:] == want).all() and (z['call_genotype_mask'][:] == (want < 0)).all()
assert z['call_genotype_phased'].shape == want.shape[:2] and not z['call_genotype_phased'][:].any()
assert z['call_genotype_mask'].dtype == z['call_genotype_phased'].dtype == bool
assert z['call_genotype'].attrs['_ARRAY_DIMENSIONS'] == ['variants', 'samples', 'ploidy']
assert 'variant_multiallelic' not in z
assert (zarr.open('alone.zarr', 'r')[:] == want[3::2]).all()"
    # of packed genotypes the header declares END, which comes from their lengths
    gt-unpack -q --no-version "$in/packed.zarr" | grep -v '^##INFO=<ID=END,' > want
    gt-unpack -q --no-version calls.zarr | cmp - want
    gt-pack -q x.vcf -o p.zarr
    fails 3 "with several ALTs, which do not determine the calls" gt-rechunk --layout calls p.zarr -o o.zarr
    gt-rechunk -q p.zarr -o p.tar
    fails 3 "which are known only at its end" gt-rechunk --layout calls p.tar -o o.zarr
    run gt-rechunk --layout calls --array packed_dosage p.zarr -o first.zarr
    [[ "$status" -eq 0 && "$output" == *"a single array does not show which variants are multiallelic"* ]]
    fails 3 "they are not -1, 0, 1 or 2" gt-rechunk --layout calls "$in/plain.zarr" -o o.zarr
    fails 2 "a packed store needs arrays that a store of calls does not have" gt-rechunk --layout packed x.vcz -o o.zarr
    gt-rechunk -q -c ploidy=1 x.vcz -o apart.vcz
    fails 2 "are in different chunks" gt-rechunk --layout plain apart.vcz -o o.zarr
    "$PYTHON" -c "import zarr, numpy as np; zarr.save_array('cube.zarr', np.zeros((4, 5, 2), 'f4'))"
    fails 2 "'cube.zarr' has 3 axes, and neither dosages nor calls" gt-rechunk --layout calls cube.zarr -o o.zarr
    [ ! -e o.zarr ] && [ ! -e o.zarr.partial ]
}

@test "--layout calls and packed: multiallelic variants are known from the alleles if the group does not mark them" {
    need_zarr
    gt-sim -q --samples 6 --variants 40 --multiallelic 0.5 --seed 1 -O vcz -o w.vcz
    gt-rechunk -q --layout plain w.vcz -o plain.zarr
    local several
    several=$("$PYTHON" -c 'import zarr; print((zarr.open("w.vcz", "r")["variant_allele"][:, 2:] != "").any(1).sum())')
    fails 3 "'call_dosage' has allele counts of $several sites with several ALTs, which do not determine the calls" \
        gt-rechunk --layout calls plain.zarr -o o.zarr
    gt-rechunk -q plain.zarr -o plain.tar
    fails 3 "which are known only at its end" gt-rechunk --layout calls plain.tar -o o.zarr
    fails 3 "which are known only at its end" gt-rechunk --layout packed plain.tar -o o.zarr
    [ ! -e o.zarr ]

    gt-rechunk -q --layout packed plain.zarr -o packed.zarr
    gt-rechunk -q --zarr-format 3 plain.zarr -o three.zarr
    gt-rechunk -q --layout packed -c variants=7 --slice 3:33:2 three.zarr -o some.zarr
    gt-info -q --check --deep packed.zarr
    gt-info -q --check --deep some.zarr
    gt-rechunk -q --zarr-format 2 some.zarr -o some2.zarr
    "$PYTHON" -c 'import zarr
several = (zarr.open("w.vcz", "r")["variant_allele"][:, 2:] != "").any(1)
mark = zarr.open("packed.zarr", "r")["variant_multiallelic"]
assert mark.dtype == bool and mark.attrs["_ARRAY_DIMENSIONS"] == ["variants"] and (mark[:] == several).all(), mark[:]
assert (zarr.open("some2.zarr", "r")["variant_multiallelic"][:] == several[3:33:2]).all()'
    gt-pack -q w.vcz -o want.zarr
    for what in samples variants; do
        gt-info -q --stats $what want.zarr > stats
        gt-info -q --stats $what packed.zarr | cmp - stats
    done

    gt-sim -q --samples 6 --variants 40 --seed 1 -O vcz -o two.vcz
    gt-rechunk -q --layout plain two.vcz -o two.zarr
    gt-rechunk -q two.zarr -o two.tar
    gt-rechunk -q --layout packed two.tar -o two_packed.zarr
    gt-unpack -q --no-version two.vcz -o two.vcf
    gt-unpack -q --no-version two_packed.zarr | grep -v '^#' > got
    grep -v '^#' two.vcf | tr '|' / | sed 's,1/0,0/1,g' | cmp - got
    rm -r two.zarr/variant_length two.zarr/.zmetadata
    fails 2 "a packed store needs an array 'variant_length', which 'two.zarr' does not have" gt-rechunk --layout packed two.zarr -o o.zarr
    [[ "$stderr" == *"hint: use gt-pack, or --array call_dosage for the genotypes alone"* ]]
}

@test "an INFO field called multiallelic is no mark of multiallelic variants" {
    need_zarr
    gt-sim -q --samples 6 --variants 40 --multiallelic 0.5 --seed 1 -O vcz -o w.vcz
    gt-rechunk -q --layout plain w.vcz -o w.zarr
    cp -r w.vcz numbers.vcz
    cp -r w.vcz flags.vcz
    "$PYTHON" -c 'import zarr, numpy as np
for name, dtype in ("numbers", "i2"), ("flags", bool):
    x = zarr.open(name + ".vcz", "a").create_dataset("variant_multiallelic", data=np.arange(40).astype(dtype), chunks=100)
    x.attrs["_ARRAY_DIMENSIONS"] = ["variants"]
    zarr.consolidate_metadata(name + ".vcz")'
    gt-rechunk -q --layout plain numbers.vcz -o numbers.zarr
    for x in numbers.vcz flags.vcz numbers.zarr; do
        gt-info -q --stats variants "w.${x##*.}" > want
        gt-info -q --stats variants $x | cmp - want
    done
    fails 3 "with several ALTs, which do not determine the calls" gt-rechunk --layout calls numbers.zarr -o o.zarr
    fails 2 "has an INFO field 'variant_multiallelic', which in a packed store marks variants" \
        gt-rechunk --layout packed numbers.zarr -o o.zarr
    gt-sim -q --samples 6 --variants 40 --seed 1 -O vcz -o two.vcz
    cp -r numbers.vcz/variant_multiallelic two.vcz
    rm two.vcz/.zmetadata
    gt-rechunk -q --layout plain two.vcz -o two.zarr
    gt-rechunk -q --layout calls two.zarr -o back.vcz
    same back.vcz/variant_multiallelic numbers.vcz/variant_multiallelic x
}

@test "--layout: calls of other types, ploidies and shapes, and texts as npy, are refused" {
    need_zarr
    gt-sim -q --samples 4 --variants 9 --seed 3 -O vcf -o x.vcf
    gt-pack -q --layout vcz x.vcf -o x.vcz
    "$PYTHON" - << 'PY'
import os, shutil, subprocess, numpy as np, zarr
calls = zarr.open("x.vcz", "r")["call_genotype"]
attributes = dict(calls.attrs)
dims = attributes["_ARRAY_DIMENSIONS"]
two = calls[:]
def store(value, chunks=None, name="call_genotype", axes=dims):
    shutil.rmtree("bad.zarr", ignore_errors=True)
    shutil.copytree("x.vcz", "bad.zarr")
    os.remove("bad.zarr/.zmetadata")
    g = zarr.open("bad.zarr")
    del g["call_genotype"]
    g.create_dataset(name, data=value, chunks=chunks or value.shape).attrs.update(attributes, _ARRAY_DIMENSIONS=axes)
def refused(message, *options):
    done = subprocess.run(["gt-rechunk", "-f", *options], stderr=subprocess.PIPE, text=True)
    assert done.returncode == 2 and done.stderr.splitlines()[0] == "gt-rechunk: " + message, (options, done)
    assert not os.path.exists("o.zarr")
only = "--array", "call_genotype", "bad.zarr", "-o", "o.zarr"
for value in two.astype("i2"), two.astype("i4"), np.concatenate([two, two[:, :, :1]], 2), np.concatenate([two, two], 2):
    store(value)
    for layout in "plain", "packed":
        refused("--layout: 'call_genotype' has no calls of one or two alleles in int8", "--layout", layout, *only)
store(two, (9, 4, 1))
for layout in "plain", "packed":
    refused("--layout: the alleles of a call in 'call_genotype' are in different chunks", "--layout", layout, *only)
store(two)
refused("--layout packed: a packed store needs arrays that a store of calls does not have", "--layout", "packed", "bad.zarr", "-o", "o.zarr")
np.save("four.npy", np.zeros((2, 3, 2, 2), "i1"))
refused("--layout calls: 'four.npy' has 4 axes, and neither dosages nor calls", "--layout", "calls", "four.npy", "-o", "o.zarr")
refused("array 'variant_id' has strings of variable length, which .npy cannot hold", "-O", "npy", "--array", "variant_id", "x.vcz", "-o", "o.npy")
# one allele, and two: what is refused with another type is the sums with this one
for value in two, two[:, :, :1]:
    store(value)
    subprocess.run(["gt-rechunk", "-q", "--layout", "plain", *only], check=True)
    assert (zarr.open("o.zarr", "r")[:] == (value > 0).sum(2)).all()
    shutil.rmtree("o.zarr")
PY
}

@test "numbers that do not fit are named, and nothing is written" {
    need_zarr
    x=$in/plain.zarr
    "$PYTHON" -c "
import zarr, numpy as np
a = np.arange(600).reshape(20, 30); zarr.save('n.zarr', a)
f = np.arange(600.0).reshape(20, 30); f[3, 7] = 0.25; f[19, 29] = np.nan; zarr.save('f.zarr', f); zarr.save('f32.zarr', f * 1e40)"
    fails 3 "128 at [4, 8] does not fit in int8" gt-rechunk --dtype int8 n.zarr -o o.zarr
    fails 3 "480 at [16, 0] does not fit in uint8" gt-rechunk --slice ::8,::4 --transpose --dtype uint8 n.zarr -o o.zarr
    fails 3 "0.25 at [3, 7] does not fit in int16" gt-rechunk --dtype int16 f.zarr -o o.zarr
    fails 3 "nan at [19, 29] does not fit in int64" gt-rechunk --slice 4: --dtype int64 f.zarr -o o.zarr
    fails 3 "at [0, 1] does not fit in float32" gt-rechunk --dtype float32 f32.zarr -o o.zarr
    "$PYTHON" -c "import zarr, numpy as np; zarr.save('u8.zarr', np.array([[7, 2 ** 63], [2 ** 64 - 1, 0]], 'u8'))"
    fails 3 "'u8.zarr': 9223372036854775808 at [0, 1] does not fit in int64" gt-rechunk --dtype int64 u8.zarr -o o.zarr
    fails 3 "18446744073709551615 at [1, 0] does not fit in int64" gt-rechunk --slice 1: --dtype int64 u8.zarr -o o.zarr
    [ ! -e o.zarr ]
    [ ! -e o.zarr.partial ]
    gt-rechunk -q --dtype int8 --cast unsafe n.zarr -o wrapped.zarr
    same wrapped.zarr n.zarr 'x.astype("i1")'
    gt-rechunk -q --dtype uint16 --slice :19 --order 1,0 --cast unsafe f.zarr -o cut.zarr
    same cut.zarr f.zarr 'x[:19].T.astype("u2")'
    # what is not read does not matter
    gt-rechunk -q --dtype int8 --slice ':4,:' n.zarr -o few.zarr
    same few.zarr n.zarr 'x[:4].astype("i1")'
    fails 3 "dosages above 2, which packed genotypes cannot have" gt-rechunk --layout packed --slice ':4,:' n.zarr -o o.zarr
    fails 2 "cannot be cast" gt-rechunk --array sample_id --dtype int8 "$in/packed.zarr" -o o.zarr
}

@test "-n tells what runs, and what is refused runs with the memory that is named" {
    x=$in/plain.zarr
    gt-rechunk -n -c -1,1 "$x" -o o.zarr > plan
    grep -q '^decodes *every chunk of the input once' plan
    grep -q '^passes *1$' plan
    [ ! -e o.zarr ]
    gt-sim -q --samples 3000 --variants 9000 --uniform 0..99 --chunks variants=100,samples=3000 --codec zstd:1 -o big.zarr
    gt-rechunk -n --memory 48M -c -1,300 big.zarr -o o.zarr > plan
    grep -q 'two passes, through a file' plan
    grep -q '^spilled *25.7 MiB to one file' plan
    gt-rechunk -q --memory 48M -c -1,300 big.zarr -o o.zarr
    gt-rechunk -q -c 100,-1 o.zarr -o back.zarr
    diff -r --exclude .zattrs big.zarr back.zarr
    # texts are decoded for each chunk that needs them: 500 of them in chunks of 100 are in two chunks of 250
    gt-rechunk -q -c 100 --array variant_id "$in/packed.zarr" -o ids.zarr
    gt-rechunk -n -c 250 ids.zarr -o ids250.zarr > plan
    grep -qx 'decodes *every chunk of the input once, except strings of variable length: at most 6, of 5' plan
    gt-rechunk -n --memory 46M -c -1,-1 --dtype float64 big.zarr -o huge.zarr > plan || code=$?
    [ "$code" -eq 4 ]
    least=$(gt-rechunk -n --memory 46M -c -1,-1 --dtype float64 big.zarr -o huge.zarr 2>&1 | grep -o '[0-9]*M would do')
    gt-rechunk -q --memory "${least% would do}" -c -1,-1 --dtype float64 big.zarr -o huge.zarr
    fails 4 "less than the largest chunks need (851.4 MiB)" gt-rechunk --memory "$((${least%M*} - 1))M" -c -1,-1 --dtype float64 big.zarr -o huger.zarr
}

@test "chunks that stay what they are are copied" {
    x=$in/packed.zarr
    gt-rechunk -n "$x" -o o.zarr > plan
    [ "$(grep -c 'copied as they are stored' plan)" -eq "$(grep -c '^array' plan)" ]
    gt-rechunk -q "$x" -o o.zarr
    for array in packed_dosage variant_id variant_position; do
        diff -r --exclude '.z*' "$x/$array" o.zarr/$array
    done
    gt-rechunk -q --slice :300 --array variant_id -c -1 "$x" -o ids.zarr
    [ "$(gt-info --head 1000 ids.zarr | wc -l)" -ge 300 ]
}

@test "what cannot be done is a usage error" {
    x=$in/packed.zarr
    fails 2 "-c: no array has an axis 'variant'" gt-rechunk -c variant=3 "$x" -o o.zarr
    fails 2 "-c has 3 lengths, but 'packed_dosage' has 2 axes" gt-rechunk -c 3,3,3 "$x" -o o.zarr
    fails 2 "-c: 'variants=0' is not a length" gt-rechunk -c variants=0 "$x" -o o.zarr
    fails 2 "-c: 'variants' was given twice" gt-rechunk -c variants=5,variants=6 "$x" -o o.zarr
    fails 2 "-c: name all lengths or none" gt-rechunk -c variants=5,7 "$x" -o o.zarr
    fails 2 "packed chunks need a multiple of 4 samples; 6 is not one" gt-rechunk -c samples=6 "$x" -o o.zarr
    gt-rechunk -q --array packed_dosage --layout plain -c 100,3 "$x" -o three.zarr
    fails 2 "packed chunks need a multiple of 4 samples; those of 'three.zarr' have 3" gt-rechunk --layout packed three.zarr -o o.zarr
    gt-rechunk -q --layout packed -c 100,4 three.zarr -o four.zarr
    fails 2 "--shard: Zarr 2 has no shards" gt-rechunk --shard variants=100 "$x" -o o.zarr
    fails 2 "--shard: 150 is not a multiple of the chunk length 100" gt-rechunk --zarr-format 3 -c variants=100 --shard variants=150 "$x" -o o.zarr
    fails 2 "--order: 'packed_dosage' has no axis 'ploidy'" gt-rechunk --order ploidy,samples "$x" -o o.zarr
    fails 2 "--order of 'packed_dosage': axis 'samples' is given twice" gt-rechunk --order samples,samples "$x" -o o.zarr
    fails 2 "--order names 1 axes, and 'packed_dosage' has 2" gt-rechunk --order samples "$x" -o o.zarr
    fails 2 "--transpose cannot be combined with --order" gt-rechunk --transpose --order 1,0 "$x" -o o.zarr
    fails 2 "--cast needs --dtype" gt-rechunk --cast unsafe "$x" -o o.zarr
    fails 2 "--layout packed cannot be combined with --dtype: packed genotypes have 2 bits" gt-rechunk --layout packed --dtype int8 "$x" -o o.zarr
    fails 2 "more than one input: 'a' and 'b'" gt-rechunk a b -o o.zarr
    fails 3 "there is no Zarr array or group 'nothing'" gt-rechunk --array nothing "$x" -o o.zarr
    gt-sim -q --samples 3 --variants 3 -O vcf -o x.vcf
    fails 3 "'x.vcf' is neither a store nor a .npy file: it is a VCF" gt-rechunk x.vcf -o o.zarr
    [ ! -e o.zarr ]
    # a group without genotypes
    cp -r "$x" some.zarr
    rm -r some.zarr/packed_dosage some.zarr/.zmetadata
    fails 2 "--slice without names of axes: the store has no genotypes, and it has 13 arrays" gt-rechunk --slice :5 some.zarr -o o.zarr
    gt-rechunk -q -c variants=77 some.zarr -o named.zarr
}

@test "the summary counts what was read and written, whichever way" {
    for args in "" "-c 13,11" "-c 300,-1" "--dtype int16" "--transpose -c -1,1"; do
        # shellcheck disable=SC2086
        gt-rechunk --json -f $args "$in/plain.zarr" -o o.zarr > said 2> note
        [ "$(find o.zarr -name '[0-9]*' -printf '%s\n' | awk '{ n += $1 } END { print n }')" = "$(sed 's/.*"bytes_written": \([0-9]*\).*/\1/' said)" ]
        [ "$(find "$in/plain.zarr" -name '[0-9]*' -printf '%s\n' | awk '{ n += $1 } END { print n }')" = "$(sed 's/.*"bytes_read": \([0-9]*\).*/\1/' said)" ]
    done
}

@test "--pick: as numpy's indices and masks, and what does not suit is told" {
    need_zarr
    x=$in/packed.zarr
    gt-rechunk -q --layout plain --array packed_dosage "$x" -o all.zarr
    "$PYTHON" -c "
import numpy as np, zarr
rng = np.random.default_rng(1)
np.save('mask.npy', rng.random(500) < 0.3); np.save('any.npy', rng.integers(-500, 500, 900)); np.save('none.npy', np.zeros(0, dtype=int))
np.save('real.npy', np.zeros(5)); np.save('two.npy', np.zeros((5, 5), dtype=int)); np.save('huge.npy', np.array([2**64 - 1], dtype='u8'))
zarr.save('mask.zarr', rng.random(30) < 0.5)"
    printf '29\n3\n3\n-1\n0\n' > some.txt
    printf '29\n3\n7\n' > some2.txt
    printf 'true\nfalse\n' > short.txt
    printf '1\n\n2 \nx\n' > odd.txt
    { seq 30 | sed 's/.*/true/' && echo 3; } > mixed.txt
    { echo 3 && seq 30 | sed 's/.*/true/'; } > mixed2.txt
    load() { echo "np.load('$1')"; }
    gt-rechunk -q --pick variants:mask.npy,samples:some.txt "$x" -o a.zarr
    gt-rechunk -q --layout plain --array packed_dosage a.zarr -o a_plain.zarr
    same a_plain.zarr all.zarr "x[$(load mask.npy)][:, [29, 3, 3, -1, 0]]"
    "$PYTHON" -c "
import zarr, numpy as np
a, b = zarr.open('$x'), zarr.open('a.zarr')
m = np.load('mask.npy')
assert (b['variant_position'][:] == a['variant_position'][:][m]).all() and list(b['variant_id'][:]) == list(a['variant_id'][:][m])
assert list(b['sample_id'][:]) == list(a['sample_id'][:][[29, 3, 3, -1, 0]])"
    gt-rechunk -q --pick 0:any.npy --slice ':,3:9' --transpose -c 2,100 all.zarr -o b.zarr
    same b.zarr all.zarr "x[$(load any.npy), 3:9].T"
    gt-rechunk -q --pick 1:mask.zarr --array packed_dosage --layout plain "$x" -o c.zarr
    [ "$("$PYTHON" -c "import zarr; print((zarr.open('c.zarr')[:] == zarr.open('all.zarr')[:][:, zarr.load('mask.zarr')]).all())")" = True ]
    gt-rechunk -q --pick 0:none.npy all.zarr -o d.zarr
    same d.zarr all.zarr "x[:0]"
    fails 2 "'short.txt' has 2 booleans, and the samples axis has 30 items" gt-rechunk --pick samples:short.txt "$x" -o o.zarr
    gt-rechunk -q --slice :,:9 all.zarr -o c9.zarr
    fails 2 "'some.txt': index 29 is outside the 1 axis of 9" gt-rechunk --pick 1:some.txt c9.zarr -o o.zarr
    fails 2 "is outside the 0 axis of 500" gt-rechunk --pick 0:huge.npy all.zarr -o o.zarr
    fails 3 "'odd.txt', line 4: 'x' is not an index" gt-rechunk --pick 1:odd.txt all.zarr -o o.zarr
    fails 3 "'mixed.txt', line 31: '3' is not 'true' or 'false'" gt-rechunk --pick 1:mixed.txt all.zarr -o o.zarr
    fails 3 "'mixed2.txt', line 2: 'true' is not an index" gt-rechunk --pick 1:mixed2.txt all.zarr -o o.zarr
    fails 3 "its values are neither integers nor booleans" gt-rechunk --pick 1:real.npy all.zarr -o o.zarr
    fails 3 "it does not have one axis" gt-rechunk --pick 1:two.npy all.zarr -o o.zarr
    fails 1 "No such file or directory" gt-rechunk --pick 1:nowhere.npy all.zarr -o o.zarr
    fails 2 "--pick: 'x' is neither AXIS:FILE nor AXIS:INDEX,INDEX" gt-rechunk --pick x all.zarr -o o.zarr
    fails 2 "--pick: 'all.zarr' has no axis 'ploidy'" gt-rechunk --pick ploidy:some.txt all.zarr -o o.zarr
    fails 2 "--pick: axis 'samples' was given twice" gt-rechunk --pick 1:some.txt,samples:some.txt "$x" -o o.zarr
    fails 2 "both choose items of 'all.zarr' along axis 1" gt-rechunk --pick 1:some.txt --slice ':,3:' all.zarr -o o.zarr
    fails 2 "" gt-rechunk -f --pick 1:mask.zarr all.zarr -o mask.zarr
    gt-rechunk -q --pick samples:some2.txt "$x" -o e.zarr
    gt-info -q --check --deep e.zarr
    [ ! -e o.zarr ]
    # rows in any order, and no room for a column of them: the plan says how often chunks are decoded
    gt-sim -q --samples 2000 --variants 9000 --uniform 0..99 --chunks variants=100,samples=2000 --codec none -o big.zarr
    "$PYTHON" -c "import numpy as np; np.save('rows.npy', np.random.default_rng(1).permutation(9000))"
    gt-rechunk -n --memory 44M --pick 0:rows.npy -c 100,-1 big.zarr -o o.zarr > plan
    grep -q '^decodes  *every chunk of the input once, except items that --pick reorders: at most [0-9,]*, of 90$' plan
    gt-rechunk -q --memory 44M --pick 0:rows.npy -c 100,-1 big.zarr -o mixed.zarr
    same mixed.zarr big.zarr "x[$(load rows.npy)]"
}

# What is reduced: f.zarr and others; close IN WHAT: o.zarr is WHAT of x, the array IN.
to_reduce() {
    "$PYTHON" -c "
import zarr, numpy as np
rng = np.random.default_rng(1)
f = rng.normal(size=(90, 40, 30)); f[3, 4, 5] = np.nan
z = zarr.open('f.zarr', mode='w', shape=f.shape, chunks=(11, 7, 30), dtype='f8'); z[:] = f
zarr.save('u1.zarr', np.full((3000, 3), 200, dtype='u1')); zarr.save('u8.zarr', np.array([2**64 - 1, 5, 2**63], dtype='u8'))
zarr.save('none.zarr', np.zeros((0, 4), dtype='i2')); zarr.save('text.zarr', np.array(['a', 'b']))
zarr.save('big.zarr', np.full(1000, 2**62))"
    close() { "$PYTHON" -c "
import zarr, numpy as np, sys
x, got = zarr.open('$1')[...], np.asarray(zarr.open('o.zarr')[...]); want = np.asarray($2)
assert got.dtype == want.dtype and got.shape == want.shape and np.allclose(got, want, rtol=1e-12, atol=1e-12, equal_nan=True), (got, want)"; }
}

@test "--reduce: as numpy, in the same bits for any threads, memory and instruction set" {
    need_zarr
    to_reduce
    for what in "mean:0 x.mean(0)" "std:2 x.std(2)" "sum:0,1 x.sum((0,1))" "min:1 x.min(1)" "max x.max()" "count:0 np.count_nonzero(x,axis=0)" "any:2 x.any(2)" "nanvar:1,2 np.nanvar(x,(1,2))"; do
        gt-rechunk -q -f --no-version -@ 3 --reduce "${what% *}" f.zarr -o o.zarr
        close f.zarr "${what#* }"
        for level in ref avx2; do
            GT_CPU=$level gt-rechunk -q -f --no-version -@ 1 --memory 32M --reduce "${what% *}" f.zarr -o again.zarr
            diff -r o.zarr again.zarr
        done
    done
}

@test "--reduce: integers that a result has to hold, exact means of large ones, nothing at all" {
    need_zarr
    to_reduce
    gt-rechunk -q -f --reduce sum:0 u1.zarr -o o.zarr
    close u1.zarr "x.sum(0)" # 600,000 is more than a uint8 holds
    gt-rechunk -q -f --reduce max:0 u8.zarr -o o.zarr
    close u8.zarr "x.max(0)"
    gt-rechunk -q -f --reduce min:0 u8.zarr -o o.zarr
    close u8.zarr "x.min(0)"
    gt-rechunk -q -f --reduce mean:0 u8.zarr -o o.zarr
    close u8.zarr "x.mean(0)"
    # exact sums of large numbers, divided once
    "$PYTHON" -c "import zarr, numpy as np
r = np.random.RandomState(3)
zarr.save('i8l.zarr', r.randint(-2**62, 2**62, (120, 7))); zarr.save('u8l.zarr', r.randint(2**62, 2**63 - 1, (120, 7)).astype('u8') * 2 + 1)"
    for type in i8 u8; do
        gt-rechunk -q -f --reduce mean:1 ${type}l.zarr -o o.zarr
        "$PYTHON" -c "import zarr; from fractions import Fraction
x, got = zarr.open('${type}l.zarr')[...].tolist(), zarr.open('o.zarr')[...].tolist()
want = [float(Fraction(sum(row), len(row))) for row in x]
assert got == want, [(a, b) for a, b in zip(got, want) if a != b]"
    done
    gt-rechunk -q -f --reduce std:0 u8.zarr -o o.zarr
    close u8.zarr "x.std(0)"
    gt-rechunk -q -f --reduce sum big.zarr -o o.zarr
    close big.zarr "x.sum()" # modulo 2^64
    gt-rechunk -q -f --reduce mean:0 none.zarr -o o.zarr
    close none.zarr "np.full(4, np.nan)"
    gt-rechunk -q -f --reduce all:0 none.zarr -o o.zarr
    close none.zarr "x.all(0)"
}

@test "--reduce: bytes, which are added without being made longer" {
    need_zarr
    to_reduce
    for type in i1 u1; do
        "$PYTHON" -c "import zarr, numpy as np
r = np.random.RandomState(3); i = np.iinfo('$type')
x = r.randint(i.min, i.max + 1, (5000, 11)).astype('$type'); x[:, 3] = i.max; x[:, 4] = i.min; x[:, 5] = 255 - 256 * (i.min < 0)
zarr.save_array('bytes.zarr', x, chunks=(2111, 4))"
        for what in "sum:0 x.sum(0)" "mean:0 x.mean(0)" "mean:1 x.mean(1)" "sum x.sum()"; do
            gt-rechunk -q -f --reduce "${what% *}" bytes.zarr -o o.zarr
            close bytes.zarr "${what#* }"
        done
    done
}

@test "--reduce: rows with none, one and all that are not 0, in several chunks" {
    need_zarr
    "$PYTHON" - << 'PY'
import subprocess, numpy as np, zarr
few = np.zeros((6, 9), int)
few[1, 0] = few[2, 8] = few[5, 4] = 3
few[3], few[4, 1:] = 1, 2
for kind in "i1", "u8", "f4", "?":
    x = few.astype(kind)
    zarr.save_array("few.zarr", x, chunks=(2, 4))
    for how, want in ("any:1", x.any(1)), ("all:1", x.all(1)), ("count:1", (x != 0).sum(1)), ("any:0", x.any(0)), ("all", x.all()), ("count", (x != 0).sum()):
        subprocess.run(["gt-rechunk", "-q", "-f", "--reduce", how, "few.zarr", "-o", "o.zarr"], check=True)
        got = zarr.open("o.zarr", "r")[...]
        assert got.dtype == want.dtype and (got == want).all(), (kind, how, got, want)
PY
}

@test "--reduce and --skip-missing of every type, in one chunk and in several that are joined: as numpy" {
    need_zarr
    "$PYTHON" -W ignore - << 'PY'
import itertools, os, subprocess, numpy as np, zarr
kinds = "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f4", "f8"
hows = "sum", "prod", "mean", "min", "max", "std", "var", "any", "all", "count"
some = int(os.environ.get("GT_TEST_LEVEL", "quick") == "quick") * 2 + 1
for number, (kind, how, skip) in enumerate(itertools.product(kinds, hows, (False, True))):
    if number * 7 % some:
        continue
    random = np.random.default_rng(number)
    x = random.integers(0 if kind[0] == "u" else -3, 4, (7, 10)).astype(kind)
    x[2], x[3] = 0, 2
    x[5, 6] = np.iinfo(kind).max if kind[0] != "f" and how in ("sum", "min", "max", "mean") else 3
    mark = 5 if how in ("prod", "any", "all") else 0 if how in ("max", "count") else 2
    x[4, 3:] = mark  # whole rows of none and most of one
    x[6] = mark if kind[0] == "f" or how in ("sum", "prod", "any", "all", "count") else x[6]
    z = zarr.open("in.zarr", mode="w", shape=x.shape, chunks=((7, 10), (3, 4))[number // 2 % 2], dtype=x.dtype, fill_value=mark if skip else None)
    z[:] = x
    subprocess.run(["gt-rechunk", "-q", "-f"] + ["--skip-missing"] * skip + ["--reduce", how + ":1", "in.zarr", "-o", "o.zarr"], check=True)
    got = zarr.open("o.zarr", "r")[...]
    want = []
    for row in x:
        row = row[row != mark] if skip else row
        few = not len(row) and how in ("mean", "min", "max", "std", "var")
        want.append(mark if few and how in ("min", "max") and kind[0] != "f" else np.nan if few else np.count_nonzero(row) if how == "count" else getattr(row.astype("f8") if kind == "f4" else row, how)())
    want = np.array(want)
    assert np.allclose(got.astype("f8"), want.astype("f8"), rtol=1e-6 if kind == "f4" else 1e-13, atol=0, equal_nan=True), (kind, how, skip, got, want)
    if kind != "f4":
        assert got.dtype == want.dtype or how in ("any", "all", "min", "max"), (kind, how, got.dtype)
PY
}

@test "--reduce: what is refused; of a store, of slices, in another order" {
    need_zarr
    to_reduce
    fails 2 "min of an empty axis is undefined" gt-rechunk -f --reduce min:0 none.zarr -o o.zarr
    fails 2 "--reduce needs numbers; these are texts" gt-rechunk -f --reduce max text.zarr -o o.zarr
    fails 2 "unknown function 'median'; choose sum, prod, mean, min, max, std, var, any, all or count, or nansum, nanprod, ... nanvar" gt-rechunk -f --reduce median:0 f.zarr -o o.zarr
    fails 2 "unknown function 'nanany'; choose sum, prod, mean, min, max, std, var, any, all or count, or nansum, nanprod, ... nanvar" gt-rechunk -f --reduce nanany:0 f.zarr -o o.zarr
    fails 2 "--reduce sum:: axes are missing after the colon" gt-rechunk -f --reduce sum: f.zarr -o o.zarr
    fails 2 "'f.zarr' has no axis '3'" gt-rechunk -f --reduce sum:3 f.zarr -o o.zarr
    fails 2 "axis '0' is given twice" gt-rechunk -f --reduce sum:0,0 f.zarr -o o.zarr
    fails 3 "600000 at [:, 0] does not fit in int16" gt-rechunk -f --reduce sum:0 --dtype int16 u1.zarr -o o.zarr
    # of a store the genotypes alone, by names; and of slices, in another order
    gt-rechunk -q -f --reduce sum:samples --slice '::2,3:20' --transpose "$in/packed.zarr" -o sums.zarr
    gt-rechunk -q --layout plain --array packed_dosage "$in/packed.zarr" -o all.zarr
    same sums.zarr all.zarr "x[::2, 3:20].sum(1)"
    printf '7\n3\n' > turned.txt
    gt-rechunk -q -f --pick 0:turned.txt --reduce mean:1 -c 1,7 f.zarr -o o.zarr && close f.zarr "x[[7, 3]].mean(1)"
}

@test "--reduce warns of missing values that it takes as numbers" {
    need_zarr
    "$PYTHON" -c 'import zarr
for name, fill, attrs in ("mark", -9999, {}), ("named", 0, {"missing_value": 255}), ("zero", 0, {}), ("null", None, {}):
    z = zarr.open(name + ".zarr", "w", shape=(4, 3), chunks=(2, 3), dtype="i4", fill_value=fill)
    z[:] = 7
    z.attrs.update(attrs)'
    for how in mean nanmean; do
        for name in mark named; do
            run gt-rechunk -f --reduce $how:0 $name.zarr -o o.zarr
            [[ $output == *"warning: '$name.zarr': --reduce takes missing values as numbers (--skip-missing leaves them out)"* ]]
        done
    done
    run gt-rechunk -f --reduce sum:samples "$in/packed.zarr" -o o.zarr
    [[ $output == *"warning: 'packed_dosage': --reduce takes missing values as numbers"* ]]
    for args in "zero.zarr" "null.zarr" "--skip-missing mark.zarr" "--skip-missing $in/packed.zarr"; do
        run gt-rechunk -f --reduce mean:0 $args -o o.zarr
        [ "$status" -eq 0 ]
        [[ $output != *warning* ]]
    done
}

@test "--reduce prod, var and those that ignore NaN: as numpy, of gaps, of integers modulo 2^64 and of no items" {
    need_zarr
    "$PYTHON" -W ignore - << 'PY'
import subprocess, numpy as np
gaps = np.random.default_rng(3).normal(size=(60, 40, 5))
gaps[gaps > 1] = np.nan
gaps[7] = np.nan
arrays = {"gaps": gaps, "single": gaps[:, 0].astype("f4"), "u1": np.full((300, 3), 200, "u1"), "u8": np.array([[2**64 - 1, 5, 2**63 + 1]] * 3, "u8"), "none": np.zeros((0, 4), "i2")}
for name, x in arrays.items():
    np.save(name + ".npy", x)
    for how in ["prod", "var"] + ["nan" + f for f in ("sum", "prod", "mean", "std", "var", "min", "max")]:
        for axis in 0, 1, None:
            if len(x) == 0 and axis != 1 and how in ("nanmin", "nanmax"):
                continue
            where = "" if axis is None else f":{axis}"
            subprocess.run(["gt-rechunk", "-q", "-f", "--reduce", how + where, name + ".npy", "-o", "o.npy"], check=True)
            got, want = np.load("o.npy"), np.asarray(getattr(np, how)(x, axis))
            if name == "single":
                want = np.asarray(getattr(np, how)(x.astype("f8"), axis)).astype("f4")
            assert got.dtype == want.dtype and got.shape == want.shape and np.allclose(got, want, rtol=1e-6 if name == "single" else 1e-12, atol=0, equal_nan=True), (name, how, axis, got, want)
PY
}

@test "--reduce: what readers make of scale_factor and add_offset is reduced, or it is refused" {
    need_zarr
    "$PYTHON" - << 'PY'
import subprocess, numpy as np, zarr
def read(path):
    z = zarr.open(path, "r")
    return z[:].astype(float) * z.attrs.get("scale_factor", 1) + z.attrs.get("add_offset", 0)
for scale, offset in (0.5, 100), (-2, 3), (1, 7), (4, None), (-3, None), (None, 2), (0, None):
    z = zarr.open("in.zarr", mode="w", shape=(6, 5), chunks=(4, 2), dtype="i2")
    z[:] = np.random.default_rng(1).integers(-3, 4, (6, 5))
    z.attrs.update({k: v for k, v in (("scale_factor", scale), ("add_offset", offset)) if v is not None})
    s, o = 1 if scale is None else scale, offset or 0
    for how in "sum", "mean", "min", "max", "std", "var", "count", "any", "all", "prod":
        if scale == 0 and how not in ("min", "max", "count", "any", "all", "prod"):
            continue
        for axis in 0, 1:
            done = subprocess.run(["gt-rechunk", "-q", "-f", "--reduce", "%s:%d" % (how, axis), "in.zarr", "-o", "o.zarr"], stderr=subprocess.PIPE, text=True)
            if s <= 0 if how in ("min", "max") else o != 0 or s == 0 or how == "prod" if how in ("count", "any", "all", "prod") else False:
                assert done.returncode == 2, (scale, offset, how)
                assert done.stderr == "gt-rechunk: --reduce %s: 'in.zarr' has scale_factor %g and add_offset %g, and its numbers are not what readers see\nhint: --reduce mean:AXES keeps them\n" % (how, s, o), done.stderr
                continue
            have, x = read("o.zarr"), read("in.zarr")
            want = np.count_nonzero(x, axis=axis) if how == "count" else getattr(np, how)(x, axis=axis)
            assert done.returncode == 0 and have.shape == want.shape and np.allclose(have, want, rtol=1e-12), (scale, offset, how, axis, have, want)
# an offset is added once for each item that is there
z.attrs.update(scale_factor=0.5, add_offset=10)
for axes, of in ("0", 0), ("1", 1), ("0,1", (0, 1)):
    subprocess.run(["gt-rechunk", "-q", "-f", "--reduce", "sum:" + axes, "--slice", "1:6:2,:4", "in.zarr", "-o", "o.zarr"], check=True)
    z = zarr.open("o.zarr", "r")
    assert np.allclose(z[...] * z.attrs["scale_factor"] + z.attrs["add_offset"], read("in.zarr")[1:6:2, :4].sum(of)), axes
for more in ["--skip-missing", "--reduce", "sum:0"], ["--reduce", "nansum:0"]:
    done = subprocess.run(["gt-rechunk", "-f", *more, "in.zarr", "-o", "no.zarr"], stderr=subprocess.PIPE, text=True)
    assert done.returncode == 2 and ": 'in.zarr' has scale_factor 0.5 and add_offset 10, and its numbers are not what readers see\n" in done.stderr, (more, done)
PY
}

@test "-O npy: a file, a pipe in order or through a file, and what npy files have not" {
    need_zarr
    x=$in/plain.zarr
    load() { "$PYTHON" -c "
import io, numpy as np, zarr, sys
x, got = zarr.open('$2')[...], np.load(io.BytesIO(sys.stdin.buffer.read()) if '$1' == '-' else '$1'); want = $3
assert got.dtype == want.dtype and got.shape == want.shape and (got == want).all(), (got, want)"; }
    gt-rechunk -q --slice '::3,5:' --transpose --dtype float32 "$x" -o a.npy
    load a.npy "$x" "x[::3, 5:].T.astype('f4')"
    gt-rechunk -q -O npy "$x" | load - "$x" x
    gt-rechunk -q -O npy --memory 64M -@ 1 "$x" -o b
    cmp b <(gt-rechunk -q -O npy "$x")
    # rows so long that chunks of several rows come before the first is whole
    "$PYTHON" -c "
import zarr, numpy as np
zarr.open('wide.zarr', mode='w', shape=(4, 2, 3000000), chunks=(2, 2, 1000000), dtype='i4')[:] = np.arange(24000000).reshape(4, 2, 3000000)
zarr.save('words.zarr', np.array([['a', 'bcd'], ['', 'xy']])); zarr.save('none.zarr', np.zeros((0, 5), dtype='u2'))
zarr.save('one.zarr', np.float64(7)); zarr.save('days.zarr', np.array(['2026-11-22', 'NaT'], dtype='M8[D]'))"
    gt-rechunk -q -O npy wide.zarr | load - wide.zarr x
    gt-rechunk -q wide.zarr -o wide.npy
    load wide.npy wide.zarr x
    gt-rechunk -q words.zarr -o w.npy
    load w.npy words.zarr x
    gt-rechunk -q none.zarr -o n.npy
    load n.npy none.zarr x
    gt-rechunk -q one.zarr -o o.npy
    load o.npy one.zarr "np.asarray(x)"
    gt-rechunk -q --reduce sum wide.zarr -o s.npy
    load s.npy wide.zarr "np.asarray(x.sum())"
    "$PYTHON" -c "
import subprocess, numpy as np
subprocess.run(['gt-rechunk', '-q', 'days.zarr', '-o', 'd.npy'], check=True); assert np.load('d.npy').dtype == 'M8[D]'"
    gt-rechunk -n "$x" -o p.npy | grep -qx 'output  *p.npy, NumPy array'
    fails 2 "--chunks needs a store as output, but 'p.npy' is a NumPy array" gt-rechunk -c 3,3 "$x" -o p.npy
    fails 2 "--layout packed needs a store as output, but 'p.npy' is a NumPy array" gt-rechunk --layout packed "$x" -o p.npy
    fails 2 "has strings of variable length, which .npy cannot hold" gt-rechunk --array variant_id "$in/packed.zarr" -o p.npy
    fails 3 "does not fit in int8" gt-rechunk --dtype int8 wide.zarr -o p.npy
    [ ! -e p.npy ]
}

@test "-O npy of packed genotypes: any number of samples, four in a byte" {
    need_zarr
    gt-rechunk -q --layout plain --array packed_dosage "$in/packed.zarr" -o counts.zarr
    for n in 1 2 3 4 5 7 30; do
        gt-rechunk -q -f --slice ":,:$n" "$in/packed.zarr" -o p.npy
        "$PYTHON" -c "
import numpy as np, zarr
x = zarr.open('counts.zarr', mode='r')[:, :$n].astype('u1') & 3
x = np.pad(x, ((0, 0), (0, -x.shape[1] % 4))).reshape(len(x), -1, 4)
want = (x << np.array([0, 2, 4, 6], 'u1')).sum(2).astype('u1')
got = np.load('p.npy')
assert got.dtype == want.dtype and got.shape == want.shape and (got == want).all(), (got.shape, want.shape)"
    done
}

@test "-s, -S, -r and -R cut all arrays of a store alike: packed, VCF Zarr, scikit-allel" {
    need_zarr
    gt-sim -q --samples 20 --variants 300 --contigs 3 --missing 0.05 --seed 3 -O vcf -o x.vcf.gz
    gt-pack -q x.vcf.gz -o packed.zarr
    gt-pack -q --layout vcz x.vcf.gz -o full.vcz
    printf 'S9\nS2\nS17\n' > ids.txt
    region=$(gt-unpack -q x.vcf.gz | awk '!/^#/ && $1 == 2 {n++; if (n == 20) from = $2; if (n == 60) print "2:" from "-" $2}')
    for store in packed.zarr full.vcz; do
        for what in "-S ids.txt -r $region,3" "-s ^S1,S4" "-r 1" "-R regions.txt -s S3"; do
            printf '3\n%s\n' "$region" > regions.txt
            # shellcheck disable=SC2086
            gt-rechunk -q -f $what $store -o cut.zarr
            gt-info -q --check --deep cut.zarr
            gt-unpack -q --no-version cut.zarr | grep -v '^##' > got
            # shellcheck disable=SC2086
            gt-unpack -q --no-version $what $store | grep -v '^##' | cmp - got
        done
    done
    "$PYTHON" -c "
import zarr, numpy as np
a = zarr.open('full.vcz'); g = zarr.open_group('allel.zarr', mode='w')
g['calldata/GT'] = a['call_genotype'][:]; g['samples'] = a['sample_id'][:].astype('U'); g['variants/POS'] = a['variant_position'][:]
g['variants/CHROM'] = a['contig_id'][:].astype('U')[a['variant_contig'][:]]; g['variants/REF'] = a['variant_allele'][:, 0].astype('U')"
    gt-rechunk -q -S ids.txt -r "$region" allel.zarr -o cut.zarr -f
    gt-rechunk -q -f -S ids.txt -r "$region" full.vcz -o want.zarr
    "$PYTHON" -c "
import zarr
a, b = zarr.open('cut.zarr'), zarr.open('want.zarr')
assert (a['calldata/GT'][:] == b['call_genotype'][:]).all() and (a['variants/POS'][:] == b['variant_position'][:]).all() and a['variants/POS'].shape[0] > 20
assert list(a['samples'][:]) == ['S9', 'S2', 'S17']"
    gt-rechunk -q -s S5,S1 --slice '::7' packed.zarr | gt-unpack -q - | grep '^#CHROM' | cut -f 10- | grep -qx "S5$(printf '\t')S1"
    fails 3 "there is no sample 'S99' in 'packed.zarr'" gt-rechunk -s S99 packed.zarr -o o.zarr
    fails 3 "there is no contig '9' in 'packed.zarr'" gt-rechunk -r 9 packed.zarr -o o.zarr
    gt-rechunk -q -r 9,1 packed.zarr -o some.zarr
    fails 2 "a selection and --slice: both choose items of 'packed_dosage' along axis 0" gt-rechunk -r 1 --slice :5 packed.zarr -o o.zarr
    echo 3 > places.txt
    fails 2 "--samples cannot be combined with --pick: both select samples" gt-rechunk -s S1 --pick samples:places.txt packed.zarr -o o.zarr
    fails 3 "has no ids for its 300 samples" gt-rechunk -s S1 "$in/plain.zarr" -o o.zarr
    [ ! -e o.zarr ]
}

@test "an array of more chunks than can be is refused at once" {
    mkdir huge.zarr
    echo '{"zarr_format": 2, "shape": [1099511627776, 4], "chunks": [1048576, 4], "dtype": "|i1", "compressor": null, "fill_value": 0,
        "order": "C", "filters": null}' > huge.zarr/.zarray
    fails 2 "is more than 16777216 chunks" timeout 10 gt-rechunk -c 1,1 huge.zarr -o o.zarr
    printf 12345678901234567890%012d 0 > huge.zarr/0.0
    truncate -s 4194304 huge.zarr/0.0
    gt-rechunk -q --slice '5:9,1:3' -c 1,1 huge.zarr -o o.zarr
    [ "$(find o.zarr -name '[0-9]*' | wc -l)" -eq 8 ]
}

@test "damage of the input is told, and nothing stands under the output's name" {
    cp -r "$in/packed.zarr" cut.zarr
    chunk=$(find cut.zarr/packed_dosage -type f ! -name '.z*' | sort | tail -1)
    rm "$chunk"
    fails 3 "is missing" gt-rechunk -c variants=100 cut.zarr -o o.zarr
    printf x > "$chunk"
    fails 3 "" gt-rechunk -c variants=100 cut.zarr -o o.zarr
    gt-rechunk -q "$in/packed.zarr" > whole.tar
    head -c 20000 whole.tar > cut.tar
    fails 3 "" gt-rechunk cut.tar -o o.zarr
    [ ! -e o.zarr ]
    [ ! -e o.zarr.partial ]
    fails 2 "" gt-rechunk -f cut.zarr -o cut.zarr
    fails 2 "" gt-rechunk -f cut.zarr -o cut.zarr/inside
    mkdir here
    fails 1 "it already exists" gt-rechunk "$in/plain.zarr" -o here
}

@test "killed at random moments and started again with --resume the output is the same" {
    "$GT_SOURCE/test/support/resume_kills.sh" "${GT_KILLS_SEED:-1}" "$(by_level 11 16 1000)" . gt-rechunk
}

@test "--resume goes on with what is whole, and with nothing else" {
    gt-sim -q --samples 400 --variants 6000 --uniform 0..2 --chunks variants=20,samples=400 -o in.zarr
    args=(-q --no-version -c 100,400 --codec zstd:1)
    gt-rechunk "${args[@]}" in.zarr -o want.zarr
    cp -p in.zarr/299.0 good
    begin() { # a run that a damaged chunk ends, which has the size and the time of the good one
        rm -rf o.zarr o.zarr.partial
        printf damaged | dd of=in.zarr/299.0 conv=notrunc status=none
        touch -r good in.zarr/299.0
        run ! gt-rechunk "${args[@]}" --resume -@ 1 in.zarr -o o.zarr
        cp -p good in.zarr/299.0
        n=$(grep -c '^[0-9]* [0-9a-f]\{16\} [0-9]*[.]0$' o.zarr.partial/.gt-journal)
        [ "$n" -gt 20 ]
    }
    begin
    gt-rechunk "${args[@]}" -n --resume in.zarr -o o.zarr | grep -q "^resume  *$n chunks are there, .*; $((60 - n)) of 60 are left$"
    fails 3 "now with --chunks 100,200" gt-rechunk -q --no-version -c 100,200 --codec zstd:1 -n --resume in.zarr -o o.zarr
    gt-rechunk "${args[@]}" --resume --json in.zarr -o o.zarr > said
    grep -q "\"chunks_kept\": $n," said
    diff -r want.zarr o.zarr
    begin # two of them damaged, one gone, the last line cut short
    printf x | dd of=o.zarr.partial/3.0 conv=notrunc bs=1 seek=50 status=none
    truncate -s 10 o.zarr.partial/4.0
    rm o.zarr.partial/5.0
    truncate -s -2 o.zarr.partial/.gt-journal
    gt-rechunk "${args[@]}" --resume --json in.zarr -o o.zarr > said
    grep -q "\"chunks_kept\": $((n - 4))," said
    diff -r want.zarr o.zarr
    begin
    touch in.zarr/0.0
    run gt-rechunk "${args[@]}" --resume in.zarr -o o.zarr
    [ "$status" -eq 3 ]
    [[ "${lines[0]}" == *"was begun differently: with input $PWD/in.zarr ("*", now with input $PWD/in.zarr ("* ]]
    [ ! -e o.zarr ] && [ -e o.zarr.partial/1.0 ]
}

@test "SIGTERM keeps what is finished, an error keeps nothing, and --resume refuses what differs" {
    gt-sim -q --samples 2000 --variants 6000 --uniform 0..2 --chunks variants=50,samples=2000 -o in.zarr
    for ms in 30 60 90 120 150 200; do # until it was there for it
        rm -rf o.zarr
        timeout -s TERM "0.$(printf %03d $ms)" gt-rechunk -q -f -c 50,100 in.zarr -o o.zarr 3>&- || code=$?
        [ ! -e o.zarr.partial ] || break
    done
    [ "$code" -eq 124 ]
    [ ! -e o.zarr ]
    [ -e o.zarr.partial/.gt-journal ]
    fails 3 "the unfinished 'o.zarr' was begun differently: with --chunks 50,100, now with --chunks 50,200" gt-rechunk --resume -c 50,200 in.zarr -o o.zarr
    fails 3 "was begun differently: without --slice :,:" gt-rechunk --resume -c 50,100 --slice :,: in.zarr -o o.zarr
    fails 3 "was begun differently: with --chunks 50,100" gt-rechunk --resume in.zarr -o o.zarr
    gt-rechunk -q --resume -@ 1 --memory 100M -c 50,100 in.zarr -o o.zarr
    [ ! -e o.zarr.partial ]
    gt-info -q --check --deep o.zarr
    gt-rechunk -q -c 50,100 in.zarr -o want.zarr
    diff -r --exclude .zattrs want.zarr o.zarr
    # made already, by this command or by another
    gt-rechunk -q -c 50,100 in.zarr -o p.zarr
    gt-rechunk -n --resume -c 50,100 in.zarr -o p.zarr | grep -qx 'resume  *already complete'
    gt-rechunk --resume -@ 1 --memory 1G -v -c 50,100 in.zarr -o p.zarr 2>&1 | grep -q "'p.zarr' is already complete"
    fails 3 "gt-rechunk -c 10,-1 in.zarr -o p.zarr'" gt-rechunk --resume -c 10,-1 in.zarr -o p.zarr
    gt-rechunk -q -f --resume -c 500,500 in.zarr -o p.zarr
    # an error leaves nothing, but under --resume
    "$PYTHON" -c "import zarr, numpy" 2> /dev/null || return 0
    "$PYTHON" -c "
import zarr, numpy as np
zarr.save('n.zarr', np.arange(4000).reshape(1000, 4) % 200)"
    fails 3 "does not fit in int8" gt-rechunk --dtype int8 -c 10,4 n.zarr -o e.zarr
    [ ! -e e.zarr ]
    [ ! -e e.zarr.partial ]
    fails 3 "does not fit in int8" gt-rechunk -q --resume --dtype int8 -c 10,4 n.zarr -o e.zarr
    [ ! -e e.zarr ]
    [ -e e.zarr.partial ]
    gt-rechunk -q --dtype uint8 -c 10,4 n.zarr -o e.zarr
    fails 2 "--resume needs an output that is a directory store, and 'x.zip' is not one" gt-rechunk --resume in.zarr -o x.zip
    fails 2 "--verify needs an output that is a directory store, and '-' is not one" gt-rechunk --verify in.zarr
    fails 2 "--resume: standard input cannot be read again" gt-rechunk --resume -o x.zarr < in.zarr/.zarray
}

@test "-n: chunks of packed genotypes are told in variants and samples" {
    gt-sim -q --samples 50 --variants 300 --chunks variants=100,samples=24 --seed 1 -o p.zarr
    gt-rechunk -n -c variants=60,samples=20 p.zarr -o q.zarr > plan
    grep -A 1 '^array  .*: 300 x 50 packed .* in chunks of 100 x 24, ' plan | grep -q -- '-> .*: 300 x 50 packed .* in chunks of 60 x 20, '
}
