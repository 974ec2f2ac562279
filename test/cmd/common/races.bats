#!/usr/bin/env bats
# Commands with more threads than they need, on small inputs cut into many tickets:
# what ThreadSanitizer watches in a build with --enable-tsan.  In other builds the
# results are still to be those of one thread.

bats_require_minimum_version 1.5.0

setup_file() {
    cd "$BATS_FILE_TMPDIR" || exit 1
    gt-sim -q --samples 60 --variants 3000 --contigs 3 --missing 0.05 --multiallelic 0.02 -O vcf -o x.vcf.gz
    gt-sim -q --samples 60 --variants 3000 --contigs 3 --missing 0.05 -O bed -o x
    gt-sim -q --samples 60 --variants 3000 --contigs 3 --missing 0.05 -O vcz --chunks variants=100,samples=20 -o x.vcz
    gt-pack -q --chunks variants=100,samples=20 x.vcf.gz -o x.zarr
    gt-pack -q --chunks variants=100,samples=20 x.vcf.gz -o x.zip
    gt-pack -q --chunks variants=100,samples=20 x.vcf.gz -o x.tar
    # a header without contigs: they are numbered while others look them up
    gzip -dc x.vcf.gz | grep -v '^##contig' >late.vcf
    gt-sim -q --samples 60 --variants 6000 --contigs 600 -O vcf | grep -v '^##contig' >later.vcf
}

setup() {
    cd "$BATS_FILE_TMPDIR" || exit 1
    export TSAN_OPTIONS=halt_on_error=1:exitcode=66
}

# The command prints the same with one thread and with five, and three readers.
same() {
    "$@" -q -@ 1 >one
    "$@" -q -@ 5 >many
    cmp one many
}

@test "gt-pdist of a VCF, of a .bed, of stores" {
    for input in x.vcf.gz late.vcf x.bed x.vcz x.zarr x.zip x.tar; do
        same gt-pdist --io 3 "$input"
    done
}

@test "gt-svd of a VCF, of stores" {
    for input in late.vcf x.vcz x.tar; do
        same gt-svd -k 3 --io 3 "$input"
        same gt-svd -k 3 --tol 1e-2 --io 3 "$input"
    done
}

@test "gt-pack of a VCF, of a .bed, of stores, as a stream" {
    for input in x.vcf.gz late.vcf x.bed x.vcz x.zarr x.tar; do
        same gt-pack --no-version --chunks variants=100,samples=20 --io 3 "$input"
    done
}

@test "gt-pack with filters that look at genotypes, and a pass before the first" {
    same gt-pack --no-version --chunks variants=100 --maf 0.05 --geno 0.2 --mind 0.5 --io 3 late.vcf
}

@test "gt-pack into a directory and a zip" {
    gt-pack -q -f -@ 5 --chunks variants=50,samples=20 late.vcf -o d.zarr
    gt-pack -q -f -@ 5 --io 3 --chunks variants=50,samples=20 d.zarr -o d.zip
    gt-info --check --deep -@ 5 d.zip
}

@test "gt-pack into a pipe that gt-pdist reads" {
    gt-pack -q -@ 5 --chunks variants=50,samples=20 late.vcf | gt-pdist -q -@ 5 - >piped
    gt-pdist -q -@ 1 late.vcf >one
    cmp one piped
}

@test "gt-info: tables and checks" {
    same gt-info --stats variants late.vcf
    same gt-info --stats variants later.vcf
    same gt-info --stats samples x.zarr
    same gt-info --check --deep x.zarr
    same gt-info --head 200 x.zarr/variant_allele
}

@test "gt-sim in every format" {
    for format in packed vcz; do
        same gt-sim --samples 300 --variants 3000 --no-version -O $format
    done
    same gt-sim --samples 300 --variants 3000 --phased --ld 50 -O vcf --no-version
    gt-sim -q -@ 5 --samples 300 --variants 3000 --pops 3 -O bed -o y --truth y.json
}

@test "gt-pi, with progress and a trace" {
    gt-pi --points 1e6 --chunks 500 -@ 5 --progress --trace trace.json 2>/dev/null
}

@test "a failure in the middle of the work" {
    gzip -dc x.vcf.gz | sed '2000s/0\/0/0x0/' >bad.vcf
    run -3 gt-pdist -q -@ 5 bad.vcf
    run -3 gt-pack -q -@ 5 bad.vcf -o bad.zarr
    [ ! -e bad.zarr ]
}

@test "a signal in the middle of the work" {
    timeout 60 gt-pi --points 1e12 --chunks 100000 -@ 5 3>&- &
    pid=$!
    sleep 0.5
    kill -TERM $pid
    status=0
    wait $pid || status=$?
    [ "$status" -eq 143 ]
}
