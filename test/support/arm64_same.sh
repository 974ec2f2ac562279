#!/usr/bin/env bash
# arm64_same.sh NATIVE OTHER: the programs in the folder OTHER write the bytes that those in NATIVE write, in all that is
# promised to be the same on every processor.  The last line is "N passed, N failed, 0 skipped".
#
# The components of gt-svd come through OpenBLAS, whose last bits depend on the processor: their bytes are reported, and
# numbers that differ by more than 1e-9 of the largest are a failure.
set -euo pipefail

native=$(realpath "$1") other=$(realpath "$2")
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
mkdir "$dir/native" "$dir/other"
passed=0 failed=0

# both COMMAND: in a folder for each of them; programs that fail are a failure.
both() {
    (cd "$dir/native" && PATH=$native:$PATH bash -o pipefail -c "$1") > "$dir/native.log" 2>&1 || { echo "native: $1" && tail -3 "$dir/native.log"; return 1; }
    (cd "$dir/other" && PATH=$other:$PATH bash -o pipefail -c "$1") > "$dir/other.log" 2>&1 || { echo "other: $1" && tail -3 "$dir/other.log"; return 1; }
}

# end STATUS WORDS: counts a case.
end() {
    if [ "$1" -eq 0 ]; then
        passed=$((passed + 1)) && echo "ok - $2"
    else
        failed=$((failed + 1)) && echo "not ok - $2"
    fi
}

# same WORDS COMMAND: what it writes into out* is the same.  What it reads is of commands before.
same() {
    local status=0
    both "$2" && [ -n "$(ls "$dir"/native/out* 2> /dev/null)" ] && diff -rq "$dir/native" "$dir/other" || status=1
    end $status "$1"
    rm -rf "$dir"/{native,other}/out*
}

# keep WORDS COMMAND: the same, of what later commands read: in*.  From here on both read what the native one wrote.
keep() {
    local status=0
    both "$2" && diff -rq "$dir/native" "$dir/other" || status=1
    end $status "$1"
    rm -rf "$dir/other" && cp -r "$dir/native" "$dir/other"
}

# near WORDS COMMAND: the numbers of out*.npy are close.
near() {
    local status=0
    both "$2" && "${PYTHON:-/usr/bin/python3}" - "$dir" << 'PY' || status=1
import glob, os, sys
import numpy as np
names = sorted(glob.glob(sys.argv[1] + "/native/out*.npy"))
assert names
for name in names:
    a, b = np.load(name), np.load(name.replace("/native/", "/other/"))
    worst = np.abs(a - b).max() / np.abs(a).max()
    same = open(name, "rb").read() == open(name.replace("/native/", "/other/"), "rb").read()
    print("  %s: %s" % (os.path.basename(name), "the same bytes" if same else "largest difference %.1e" % worst))
    assert a.shape == b.shape and worst < 1e-9
PY
    end $status "$1"
    rm -rf "$dir"/{native,other}/out*
}

SIM="--missing 0.03 --seed 7 --no-version -q"
keep "gt-sim: VCF" "gt-sim --samples 97 --variants 1500 --pops 3 --fst 0.1 --contigs 2 $SIM -O vcf -o in.vcf"
keep "gt-sim | gt-pack" "gt-sim --samples 131 --variants 3000 --pops 2 --fst 0.2 --ld 20 $SIM -O vcf | gt-pack -q --no-version - -o in.zarr"
keep "gt-sim: phased calls of several alleles" "gt-sim --samples 33 --variants 700 --phased --multiallelic 0.2 $SIM -O vcz -o in.vcz"
keep "gt-sim: PLINK" "gt-sim --samples 65 --variants 900 --pops 2 ${SIM/--no-version/} -O bed -o in.bed"
keep "gt-sim: an array of numbers" "gt-sim --samples 40 --variants 300 --normal --seed 3 --no-version -q -O zarr -o in-normal.zarr"
keep "gt-sim: rare variants" "gt-sim --samples 700 --variants 2500 --pops 2 --min-maf 0.0008 ${SIM/--no-version/} -O bed -o in-rare.bed"
keep "gt-sim: an array of whole numbers" "gt-sim --samples 50 --variants 400 --uniform 0..200 --dtype uint8 --seed 3 --no-version -q -O zarr -o in-uint8.zarr"
keep "gt-sim: an array of low rank" "gt-sim --samples 40 --variants 300 --rank 5 --noise 0.1 --seed 3 --no-version -q -O zarr -o in-rank.zarr"
same "gt-sim: the truth" "gt-sim --samples 50 --variants 400 --pops 4 --fst 0.3 $SIM -O packed -o out.zarr --truth out.tsv"

same "gt-pack: blosc, Zarr 3" "gt-pack -q --no-version --zarr-format 3 --codec blosc:lz4:5:shuffle in.vcf -o out.zarr"
same "gt-pack: gzip, chunks" "gt-pack -q --no-version --codec gzip:6 --chunks variants=100,samples=12 in.vcf -o out.zarr"
same "gt-pack: VCF Zarr" "gt-pack -q --no-version --layout vcz in.vcf -o out.zarr"
same "gt-pack: a zip and a stream" "gt-pack -q --no-version in.vcf -o out.zip && gt-pack -q --no-version in.bed -o - > out.tar"
same "gt-pack: selections" "gt-pack -q --no-version --maf 0.05 --hwe 1e-4 --geno 0.05 --ld-prune 50,5,0.2 in.zarr -o out.zarr"

metrics=$("$native/test/calc/pdist/metric_list" | awk '/^\.It Cm/ { print $3 }')
[ "$(wc -w <<< "$metrics")" -ge 29 ]
for metric in $metrics; do
    power=
    [ "$metric" != minkowski ] || power="-p 3"
    case $metric in
    seuclidean | mahalanobis | jensenshannon) ;; # of plain arrays, below
    *) same "gt-pdist -m $metric" "gt-pdist -q -m $metric $power -O npy in.zarr -o out.npy && gt-pdist -q -m $metric $power in.bed -o out.tsv" ;;
    esac
    case $metric in
    mismatches | allele-count | 1-ibs | ibs | ibs-prob | ibs0 | king | grm* | weir-goudet | jensenshannon | mahalanobis) ;;
    *) same "gt-pdist -m $metric of an array" "gt-pdist -q -m $metric $power -O npy in-normal.zarr -o out.npy" ;;
    esac
done
same "gt-pdist: pairs, PHYLIP, PLINK" "gt-pdist -q -O pairs in.zarr -o out.tsv && gt-pdist -q -O phylip in.zarr -o out.phy && gt-pdist -q -m ibs -O plink in.bed -o out"
same "gt-pdist: haplotypes" "gt-pdist -q --haplotypes -m hamming in.vcz -o out.tsv"
same "gt-pdist: alleles" "gt-pdist -q -m mismatches in.vcz -o out.tsv && gt-pdist -q -m ibs-prob --split-multiallelic in.vcz -o out2.tsv"
same "gt-pdist: rare variants, pairs above a limit" "gt-pdist -q -m king --min 0.01 in-rare.bed -o out.kin0 && gt-pdist -q -m ibs --knn 3 in-rare.bed -o out.tsv"
same "gt-pdist: rare variants in little memory" "gt-pdist -q --memory 36M -O npy in-rare.bed -o out.npy"
same "gt-pdist: rules of missing genotypes" "for i in ignore plink mean literal; do gt-pdist -q -m cityblock --missing \$i in.zarr -o out.\$i.tsv || exit; done"
same "gt-pdist: between variants, a rectangle" "gt-pdist -q --between variants -r 1:1- --thin 10 in.zarr -o out.tsv && head -n 9 in-rare.fam | cut -f 2 > out.ids && gt-pdist -q -m king --rows out.ids in-rare.bed -o out2.tsv"
same "gt-pdist: an array of whole numbers" "for i in euclidean cityblock canberra; do gt-pdist -q -m \$i --as array -O npy in-uint8.zarr -o out.\$i.npy || exit; done"
same "gt-pdist: on the host device" "GT_DEVICE=host gt-pdist -q -O npy in-rare.bed -o out.npy && GT_DEVICE=host gt-pdist -q -m minkowski -p 2.5 -O npy in-normal.zarr -o out2.npy"
same "gt-pdist: counts, merged" "gt-pdist -q -O counts --part 1/2 in.zarr -o out.1 && gt-pdist -q -O counts --part 2/2 in.zarr -o out.2 && gt-pdist -q --merge out.1 out.2 -o out.tsv"
same "gt-pdist: a tree" "gt-pdist -q --tree out.nwk in.zarr -o out.tsv"

near "gt-svd: exact components" "gt-svd -q --algorithm gram -k 4 -O npy in.zarr -o out.npy"
same "gt-svd: a table as PLINK writes it" "gt-svd -q -k 4 in.zarr -o out"
near "gt-svd: krylov" "gt-svd -q --algorithm krylov -k 2 --seed 1 -O npy in.zarr -o out.npy"
near "gt-svd: compressed" "gt-svd -q --algorithm compressed -k 2 --power-iterations 4 --seed 1 -O npy in.zarr -o out.npy"
near "gt-svd: rare variants" "gt-svd -q --algorithm compressed -k 2 --power-iterations 3 --seed 1 -O npy in-rare.bed -o out.npy && gt-svd -q --algorithm krylov -k 2 --seed 1 -O npy in-rare.bed -o out2.npy"
near "gt-svd: tsqr of an array" "gt-svd -q --algorithm tsqr -O npy in-rank.zarr -o out"

same "gt-unpack: VCF, VCF.gz and BCF" "gt-unpack -q --no-version in.zarr -o out.vcf && gt-unpack -q --no-version in.vcz -o out.vcf.gz && gt-unpack -q --no-version in.vcz -o out.bcf"
same "gt-unpack: PLINK and NumPy" "gt-unpack -q in.zarr -O bed -o out && gt-unpack -q in.bed -O npy -o out.npy"
same "gt-unpack and gt-pack: pgen" "gt-unpack -q in.vcz -O pgen -o out && gt-pack -q --no-version out.pgen -o out.zarr"
same "gt-rechunk: chunks, codec, transposed" "gt-rechunk -q --no-version -c 7,300 --codec zstd:5 --transpose in-normal.zarr -o out.zarr"
same "gt-rechunk: float32, shards" "gt-rechunk -q --no-version --dtype float32 --zarr-format 3 -c 10,10 --shard 100,40 in-normal.zarr -o out.zarr"
same "gt-rechunk: mean and sum" "gt-rechunk -q --no-version --reduce mean:0 in-rank.zarr -o out.zarr && gt-rechunk -q --no-version --reduce sum:1 in-rank.zarr -o out2.zarr"
same "gt-info: statistics" "gt-info --stats samples in.zarr -o out.s && gt-info --stats variants in.zarr -o out.v"
same "gt-pi" "gt-pi -q --points 3000000 --seed 5 --json | grep -o '\"\(pi\|inside\|hits\|estimate\)\": *[0-9.]*' > out"
echo "$passed passed, $failed failed, 0 skipped"
[ $failed -eq 0 ]
