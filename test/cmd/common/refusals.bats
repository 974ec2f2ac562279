#!/usr/bin/env bats
# What is refused: exit status, cause, and hint, of each command line; nothing is written.

bats_require_minimum_version 1.5.0

setup_file() {
    cd "$BATS_FILE_TMPDIR" || exit 1
    gt-sim -q --samples 6 --variants 30 --contigs 1 --seed 1 -O vcf -o s.vcf
    gt-pack -q s.vcf -o s.zarr
    gt-unpack -q s.vcf -o s.bed
    gt-unpack -q s.vcf -o s.bcf
    gt-sim -q --samples 6 --variants 30 --uniform 0..9 --seed 1 -o a.zarr
    gt-pdist -q -m ibs --part 1/2 s.zarr -o p1.counts
    mkdir out
}

setup() { cd "$BATS_FILE_TMPDIR" || exit 1; }

# Of each line STATUS | message | hint | command: the first line says the message, the hint, if there is one, the hint.
refused() {
    local want message hint command status
    while IFS='|' read -r want message hint command; do
        status=0
        (eval "$command") > said.out 2> said || status=$?
        message=$(sed 's/^ *//; s/ *$//' <<< "$message") hint=$(sed 's/^ *//; s/ *$//' <<< "$hint")
        { [ "$status" -eq "$want" ] && grep -v '^hint: ' said | head -n 1 | grep -qF -- "$message" && [ ! -s said.out ] &&
            { [ -z "$hint" ] || grep '^hint: ' said | grep -qF -- "$hint"; }; } ||
            { echo "exit $status:$command"; cat said said.out; return 1; }
        [ -z "$(ls out)" ] || { echo "left by$command: $(ls out)"; return 1; }
    done
}

@test "gt-pack, gt-unpack, gt-sim, gt-info, gt-pi" {
    refused << 'TABLE'
2 | contradicts | omit the format, or choose another output name | gt-unpack -O bed s.zarr -o out/x.vcf
2 | --fields '': use 'none' for no fields, 'all' for all | | gt-pack --layout vcz --fields '' s.vcf -o out/x
2 | not variants=N,samples=M | | gt-pack --chunks 5 s.vcf -o out/x
2 | no such type | int8 to int64, uint8 to uint64, float32, float64 | gt-sim --samples 2 --variants 2 --uniform 0..1 --dtype i3 -o out/x
2 | --uniform: an integer --dtype needs integer limits | | gt-sim --samples 2 --variants 2 --uniform 0..1.5 --dtype i4 -o out/x
2 | --uniform: at most 2^32 different integers | | gt-sim --samples 2 --variants 2 --uniform 0..4294967296 -o out/x
2 | --min-maf cannot be combined | select common variants afterwards: gt-pack --maf F | gt-sim --samples 2 --variants 2 --spectrum growth --min-maf 0.1 -o out/x
3 | 'a.zarr' has no contigs, which VCF needs | write only genotypes with -O npy | gt-unpack a.zarr -o out/x.vcf
2 | --kinship needs --plot | | gt-info --kinship s.zarr
2 | give one input, not 2 | | gt-info s.zarr a.zarr
2 | give --points or --bytes, not both | | gt-pi --points 5 --bytes 5
2 | '-5M' is not a size | | gt-pi --points 5 --memory -5M
2 | --memory | for example 512M, 1.5G or 100MB | gt-pi --points 5 --memory 5Q
TABLE
}

@test "gt-pdist" {
    refused << 'TABLE'
2 | -p needs -m minkowski | | gt-pdist -p 3 -m ibs s.zarr
2 | compares samples, not variants | use a numeric metric: -m correlation, euclidean, hamming, ... | gt-pdist --axis 0 -m king s.zarr
2 | is not PLINK's name for | | gt-pdist -m king -O plink s.zarr -o out/x.mibs
2 | --plink-shape needs -O plink or -O king | | gt-pdist --plink-shape square -m king s.zarr
2 | --no-version needs -O zarr: no other format records its history | | gt-pdist --no-version s.zarr
2 | is not one; use -m grm or -m grm-vanraden | | gt-pdist -m ibs -O grm s.zarr -o out/x
2 | KING's format holds kinship, and | | gt-pdist -m ibs -O king s.zarr -o out/x
2 | no pair would be written | | gt-pdist -O pairs --min 1 --max 0 s.zarr
2 | --knn needs -O pairs | | gt-pdist --knn 2 -O npy s.zarr -o out/x
2 | needs -O pairs or -O kin0 | | gt-pdist --min 0 -O npy s.zarr -o out/x
2 | --dtype needs -O npy, condensed or zarr | | gt-pdist --dtype f4 s.zarr
2 | --pairs needs -O pairs | | gt-pdist --pairs <(echo S1 S2) -O npy s.zarr -o out/x
3 | is paired with itself | | gt-pdist --pairs <(echo S1 S1) s.zarr
2 | --part | give --part I/N | gt-pdist --part auto s.zarr -o out/x.counts
2 | --unrelated needs kinship, and | | gt-pdist -m ibs --unrelated 0.1 s.zarr -o out/x
2 | similarity | use -m 1-ibs or -m euclidean | gt-pdist -m ibs --tree out/t.nwk s.zarr
3 | has missing genotypes | choose how to treat them: --missing rescale or --missing ignore | gt-pdist -q --missing error <(sed 's|0/0|./.|' s.vcf)
2 | --axis 2: 'a.zarr' has axes 0 and 1 | | gt-pdist --axis 2 -m euclidean --as array a.zarr
TABLE
}

@test "gt-svd, gt-rechunk, and --no-version of all" {
    refused << 'TABLE'
2 | --no-version needs -O zarr: no other format records its history | | gt-svd --no-version --as array -k 2 a.zarr -o out/x.npy
2 | --no-version needs -O zarr or --loadings: no other format records its history | | gt-svd --no-version -k 2 s.zarr -o out/x.npy
2 | --no-version needs VCF or BCF: no other format records its history | | gt-unpack --no-version s.zarr -o out/x.bed
2 | --no-version needs VCF or BCF: no other format records its history | | gt-unpack --no-version s.zarr -o out/x.npy
2 | --no-version needs VCF or BCF: no other format records its history | | gt-unpack --no-version s.zarr -o out/x.pgen
2 | --no-version needs a store as output: no other format records its history | | gt-rechunk --no-version a.zarr -o out/x.npy
2 | --no-version needs a store or -O vcf: no other format records its history | | gt-sim --samples 4 --variants 5 --no-version -o out/x.bed
3 | is not a model | make a model with gt-svd --loadings | gt-svd --project s.zarr s.zarr -o out/x
2 | --reduce: unknown function 'middle'; choose | | gt-rechunk --reduce middle a.zarr -o out/x
2 | axes are missing after the colon | --reduce sum:0, or --reduce sum for all axes | gt-rechunk --reduce sum: a.zarr -o out/x
2 | unknown codec | | gt-rechunk --codec zip a.zarr -o out/x
2 | takes one number, its level | | gt-rechunk --codec zstd:x:y a.zarr -o out/x
2 | choose noshuffle, shuffle or bitshuffle | | gt-rechunk --codec blosc:zstd:1:none a.zarr -o out/x
2 | 'x' is not a size | | gt-rechunk --codec blosc:zstd:1:shuffle:x a.zarr -o out/x
2 | bad slice '0:x': a ',' was expected | write it as for numpy, one part an axis | gt-pack --slice 0:x s.zarr -o out/x
3 | does not fit | --cast unsafe wraps and rounds such values | gt-rechunk --dtype bool a.zarr -o out/x
TABLE
}

@test "options of selection" {
    printf '1\t5\n' > two.bed
    printf 'a b\na b\n' > twice
    printf 'F1 S1\n' > fam
    : > empty
    refused << 'TABLE'
2 | bad region '1:9-5' | write CHR, CHR:POS, CHR:FROM- or CHR:FROM-TO, first base 1 | gt-pack -r 1:9-5 s.vcf -o out/x
2 | a region is empty | | gt-pack -r , s.vcf -o out/x
3 | not a region | | gt-pack -R two.bed s.vcf -o out/x
2 | lists no regions | | gt-pack -R empty s.vcf -o out/x
3 | is listed twice | | gt-pack -s S1,S1 s.vcf -o out/x
2 | a sample name in | | gt-pack -s S1,,S2 s.vcf -o out/x
2 | lists no families | | gt-pack --keep-fam empty s.bed -o out/x
2 | --set-all-var-ids | --set-all-var-ids @:#:$r:$a is CONTIG:POSITION:REF:ALT | gt-pack --set-all-var-ids x s.vcf -o out/x
2 | a slice with step -1: a negative step would reverse the variants axis | | gt-info --stats variants --slice=::-1 s.vcf
2 | a slice with step -2: a negative step would reverse the variants axis | | gt-unpack --slice=::-2 s.vcf
2 | a negative step would reverse the variants axis | | gt-pack -n --slice=::-1 s.vcf -o out/x
2 | a negative step would reverse the samples axis | | gt-pdist -n -m ibs --slice=:,::-1 s.vcf
2 | a negative step would reverse the variants axis | | gt-info --stats variants -n --slice=5:1:-1 s.bcf
2 | a negative step would reverse the variants axis | | gt-svd -n -k 1 --slice=::-1 <(cat s.vcf) -o out/x
2 | --ld-prune | 1000kb,0.1 (bases), 50,0.2 (variants), or 50,5,0.2 (variants, step of the window | gt-pack --ld-prune 5 s.zarr -o out/x
2 | --mask | make a store first: gt-pack | gt-pack --mask a.zarr s.vcf -o out/x
3 | 's.zarr' overlaps an earlier input at 1:2126 | inputs are concatenated along variants; they must not overlap | gt-pack s.vcf s.zarr -o out/x
3 | duplicate | keep the first with --rm-dup force-first | gt-pack --rm-dup error <(cat s.vcf; tail -n 1 s.vcf) -o out/x
3 | needs sorted positions, but 2126 comes after 29272 | | gt-pack --ld-prune 1kb,0.1 <(cat s.vcf; grep -v '^#' s.vcf | head -n 1) -o out/x
3 | needs sorted | sort it with 'bcftools sort | gt-pack --rm-dup force-first <(cat s.vcf; grep -v '^#' s.vcf | head -n 1) -o out/x
3 | --sex auto: 's.vcf' has no sex for any sample | use --sex FILE with lines 'IID SEX' | gt-pack --sex auto s.vcf -o out/x
TABLE
}

@test "files: .npy, Zarr metadata, compressed and cut ones" {
    "$PYTHON" -c 'import numpy, zarr' 2> /dev/null || skip "no python3-zarr"
    "$PYTHON" - << 'PY'
import json, shutil
import numpy as np
np.save("rec.npy", np.zeros(3, dtype=[("a", "i4"), ("b", "f8")]))
np.save("x.npy", np.zeros((3, 4)))
b = open("x.npy", "rb").read()
open("cut.npy", "wb").write(b[:40])
open("bad.npy", "wb").write(b.replace(b"descr", b"dexcr"))
open("far.npy", "wb").write(b[:8] + b"\xff\xff" + b[10:])
for name, change in dict(order=lambda m: m.update(order="X"), separator=lambda m: m.update(dimension_separator="+"), dtype=lambda m: m.pop("dtype")).items():
    shutil.copytree("a.zarr", name + ".zarr", dirs_exist_ok=True)
    meta = json.load(open(name + ".zarr/.zarray"))
    change(meta)
    json.dump(meta, open(name + ".zarr/.zarray", "w"))
v3 = dict(zarr_format=3, node_type="array", shape=[2], data_type="int8", chunk_grid=dict(name="regular", configuration=dict(chunk_shape=[2])),
          chunk_key_encoding=dict(name="default"), fill_value=0, codecs=[dict(name="bytes")])
import os
for key in "node_type", "data_type", "codecs":
    os.makedirs("no_" + key, exist_ok=True)
    json.dump({k: v for k, v in v3.items() if k != key}, open("no_" + key + "/zarr.json", "w"))
PY
    tar -cf - s.zarr | gzip > t.tar.gz
    refused << 'TABLE'
3 | is a structured array; only numbers are supported | | gt-rechunk rec.npy -o out/x
3 | is truncated: it ends inside its header | | gt-rechunk cut.npy -o out/x
3 | bad .npy header | | gt-rechunk bad.npy -o out/x
3 | header | | gt-rechunk far.npy -o out/x
3 | order is neither | | gt-rechunk order.zarr -o out/x
3 | dimension_separator is neither | | gt-rechunk separator.zarr -o out/x
3 | dtype is missing | | gt-rechunk dtype.zarr -o out/x
3 | node_type is missing | | gt-rechunk no_node_type -o out/x
3 | data_type is missing | | gt-rechunk no_data_type -o out/x
3 | codecs is missing | | gt-rechunk no_codecs -o out/x
3 | 't.tar.gz' is not a VCF | it is a compressed tar: decompress it with gzip -dc and use a pipe | gt-rechunk t.tar.gz -o out/x
2 | 's.zarr' is a group of arrays | name one of its arrays with --array; gt-info lists them | gt-svd --as array -k 1 s.zarr -o out/x
3 | holds strings; numbers are needed | | gt-svd --as array -k 1 s.zarr/variant_id -o out/x
TABLE
}

@test "codecs" {
    one() { gt-rechunk -q --zarr-format 3 --codec "[$1]" a.zarr -o out/x; }
    two() { gt-rechunk -q --zarr-format 2 --codec "[$1]" a.zarr -o out/x; }
    conf() { printf '{"name":"%s","configuration":{%s}}' "$1" "$2"; }
    bytes=$(conf bytes '"endian":"little"')
    refused << 'TABLE'
2 | neither little nor big | | one "$(conf bytes '"endian":"middle"')"
2 | order' is not a permutation of | | one "$(conf transpose '"order":[0,0]'),$bytes"
2 | order' is not a permutation of | | one "$(conf transpose '"order":[0]'),$bytes"
2 | comes after the array-to-bytes codec | | one "$bytes,$(conf transpose '"order":[1,0]')"
2 | 'chunk_shape' does not divide the shard along axis 0 | | one "$(conf sharding_indexed '"chunk_shape":[7,6],"codecs":[{"name":"bytes"}],"index_codecs":[{"name":"bytes"}]')"
2 | chunk_shape' is not a shape of | | one "$(conf sharding_indexed '"chunk_shape":[30],"codecs":[{"name":"bytes"}],"index_codecs":[{"name":"bytes"}]')"
2 | chunk_shape', 'codecs' or 'index_codecs' is missing | | one "$(conf sharding_indexed '"chunk_shape":[30,6],"codecs":[{"name":"bytes"}]')"
2 | neither start nor end | | one "$(conf sharding_indexed '"chunk_shape":[30,6],"codecs":[{"name":"bytes"}],"index_codecs":[{"name":"bytes"}],"index_location":"middle"')"
2 | index: its codecs change its size | | one "$(conf sharding_indexed '"chunk_shape":[30,6],"codecs":[{"name":"bytes"}],"index_codecs":[{"name":"bytes"},{"name":"zstd"}]')"
2 | items are not booleans | | two '{"id":"packbits"}'
2 | is neither true nor false | | one "$bytes,$(conf zstd '"level":1,"checksum":3')"
2 | is not a string | | one "$bytes,$(conf blosc '"cname":5,"clevel":1,"shuffle":"shuffle","typesize":1,"blocksize":0')"
2 | scale' is 0 | | two '{"id":"fixedscaleoffset","dtype":"|i1","astype":"|i1","scale":0,"offset":0}'
TABLE
}

@test "what calls, families, layouts and models do not allow" {
    "$PYTHON" -c 'import numpy, zarr' 2> /dev/null || skip "no python3-zarr"
    head=$(grep '^##' s.vcf && printf '#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\ta\tb\n')
    one() { # CALL CALL
        printf '%s\n' "$head"
        printf '1\t5\tx\tA\tC\t.\t.\t.\tGT\t%s\t%s\n' "$@"
    }
    one 0/1/1 0/0 > three.vcf
    one 0/1 0/0 > het.vcf
    one 0 1 > hap.vcf
    { one 0/1 0/0 | sed 's/\tC\t/\tC,G\t/'; } > many.vcf
    gt-pack -q many.vcf -o many.zarr
    gt-pack -q --layout vcz het.vcf -o het.vcz
    sed 's/^[^ \t]*\([ \t]\)/F\1/' s.fam > f.fam
    cp s.bed f.bed
    cp s.bim f.bim
    printf 'G S1\n' > other
    "$PYTHON" - << 'PY'
import numpy as np, zarr
g = zarr.open("two.zarr", "w")
for name in "x", "y":
    g.create_dataset(name, data=np.arange(12.0).reshape(3, 4))
    g[name].attrs.update(scale_factor=0.5, add_offset=3.0)
zarr.save("cube.zarr", np.zeros((2, 3, 4)))
np.save("plain.npy", np.zeros((3, 4)))
a = zarr.open("het.vcz")["call_genotype"][:]
z = zarr.open("apart.vcz", "w").create_dataset("call_genotype", data=a, chunks=(1, 2, 1))
z.attrs["_ARRAY_DIMENSIONS"] = ["variants", "samples", "ploidy"]
PY
    gt-svd -q --ploidy 2 -k 1 --loadings s.zarr -o m.npy
    refused << 'TABLE'
3 | ploidy is above 2 | --polyploid missing sets such calls to missing | gt-pack three.vcf -o out/x
3 | heterozygous call in data that is read as haploid | bcftools +setGT IN -- -t q -n . -i 'GT="het"' sets such calls to missing | gt-pack --ploidy 1 het.vcf -o out/x
3 | 1:5 is multiallelic; genotypes cannot be restored from allele counts | --skip-multiallelic drops such variants | gt-unpack many.zarr -o out/x.vcf
3 | the model is of diploid data, and 'hap.vcf' is haploid | --ploidy 2 reads the data as the model needs it | gt-svd --project m.model.zip hap.vcf -o out/x
3 | its family id is 'F' | list IIDs alone, one per line | gt-pack -S other f.bed -o out/x
2 | --keep-fam needs family ids, and 's.vcf' has none | list samples with -S FILE | gt-pack --keep-fam other s.vcf -o out/x
2 | the store has no genotypes, and it has 2 arrays | name it with --array | gt-rechunk --dtype f4 two.zarr -o out/x
2 | --shard: Zarr 2 has no shards | --zarr-format 3 has | gt-rechunk --zarr-format 2 --shard 4,4 -c 2,2 --array x two.zarr -o out/x
2 | has scale_factor 0.5 and add_offset 3, and its numbers are not what readers see | --reduce mean:AXES keeps them | gt-rechunk --array x --reduce prod:0 two.zarr -o out/x
2 | has 3 axes; a matrix with rows and columns is needed | an index in --slice removes an axis: --slice ':,:,0' | gt-svd --as array -k 1 cube.zarr -o out/x
2 | the alleles of a call in 'call_genotype' are in different chunks | join them with gt-rechunk -c ploidy=2 | gt-rechunk --layout plain --array call_genotype apart.vcz -o out/x
2 | --between needs an axis named samples | --axis 0 compares rows, --axis 1 columns | gt-pdist -m euclidean --between samples plain.npy
3 | a .npy header needs the number of variants | write to a file: -o FILE.npy | gt-unpack -O npy s.vcf
TABLE
}

@test "BCF, arrays of sites, counts and covariances" {
    command -v bcftools > /dev/null || skip "no bcftools"
    "$PYTHON" -c 'import numpy, zarr' 2> /dev/null || skip "no python3-zarr"
    bcftools view -Ou s.vcf > s.bcf
    head -c 200 s.bcf > cut.bcf
    { printf 'BCF\4' && tail -c +5 s.bcf; } > old.bcf
    { head -c 5 s.bcf && printf '\377\377\377\377' && tail -c +10 s.bcf; } > far.bcf
    gt-pack -q --layout vcz s.vcf -o s.vcz
    cp -r s.vcz bad.vcz
    "$PYTHON" -c '
import numpy as np, zarr
g = zarr.open("bad.vcz")
n = g["variant_position"].shape[0]
del g["variant_position"]
g.create_dataset("variant_position", data=np.ones((n, 2), "i4"))
np.save("wide.npy", np.random.default_rng(1).normal(size=(3, 4)))'
    rm bad.vcz/.zmetadata
    gt-pdist -q -m ibs --part 1/1 s.zarr -o all.counts
    gt-pdist -q -m ibs --part 1/1 -r 1:1-9000 s.zarr -o some.counts
    gt-pdist -q -m ibs --part 1/1 -r 1:9001-90000 s.zarr -o rest.counts
    refused << 'TABLE'
3 | 'cut.bcf' is truncated: it ends inside its header | | gt-pack cut.bcf -o out/x
3 | is not a | | gt-pack old.bcf -o out/x
3 | 'far.bcf': bad BCF header: it claims | | gt-pack far.bcf -o out/x
3 | array 'variant_position' has the wrong shape or data type | | gt-pack bad.vcz -o out/x
3 | 'wide.npy': the covariance of 4 columns needs at least 5 rows; there are 3 | give an inverse covariance with --vi | gt-pdist -q -m mahalanobis wide.npy
3 | 'some.counts' and 'rest.counts' have different variants | add counts of different variants with --sum | gt-pdist -m ibs --merge some.counts rest.counts
3 | 'all.counts' has rows that 'all.counts' has too | | gt-pdist -m ibs --merge all.counts all.counts
3 | 'all.counts' and 'some.counts' overlap: 1: | count windows with --regions-overlap pos; if no variant is in both files, add --allow-overlaps | gt-pdist -m ibs --sum --merge all.counts some.counts
TABLE
    gt-pdist -q -m ibs --merge --sum some.counts rest.counts | cmp - <(gt-pdist -q -m ibs s.zarr)
}

@test "negative positions, which PLINK leaves out: what the hints write is read" {
    command -v plink2 > /dev/null || skip "no plink2"
    gt-unpack -q s.zarr -o n.bed
    gt-unpack -q s.zarr -o n.pgen
    sed -i -E '3s/\t([0-9]+)(\t.\t.)$/\t-\1\2/' n.bim
    awk 'BEGIN { OFS = FS = "\t" } !/^#/ && ++n == 3 { $2 = -$2 } 1' n.pvar > x
    mv x n.pvar
    position=$(sed -n 3p s.bim | cut -f 4)
    line=$(grep -n -- -"$position" n.pvar | cut -d : -f 1)
    refused << TABLE
3 | 'n.bim', line 3: the position is negative: -$position | plink2 --bfile PREFIX --make-bed --out NEW | gt-unpack n.bed -o out/x.bcf
3 | 'n.pvar', line $line: the position is negative: -$position | plink2 --pfile PREFIX --make-pgen --out NEW | gt-unpack n.pgen -o out/x.vcf
TABLE
    plink2 --bfile n --make-bed --out new > /dev/null
    plink2 --pfile n --make-pgen --out new > /dev/null
    for new in new.bed new.pgen; do
        gt-unpack -q --no-version $new -O vcf | grep -v '^#' | cut -f 1-5,10- | diff - <(gt-unpack -q s.bed -O vcf | grep -v '^#' | sed 3d | cut -f 1-5,10-)
    done
}
