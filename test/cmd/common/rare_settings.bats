#!/usr/bin/env bats
# Inputs that few tests have: each case makes one by hand or with another program, and says what must come of it.

bats_require_minimum_version 1.5.0

setup() { cd "$BATS_TEST_TMPDIR" || exit 1; }

need_numpy() { "$PYTHON" -c "import numpy" 2> /dev/null || skip "no python3-numpy"; }

@test "two letters that are swapped at the beginning of an option are one slip" {
    run -2 gt-pdist --nkn 3 x.vcf
    [[ $output == *"did you mean '--knn'?"* ]]
    run -2 gt-pack --amf 0.1 x.vcf -o x.zarr
    [[ $output == *"did you mean '--maf'?"* ]]
}

@test "plain gzip: gt-unpack keeps the records whole, as of the text and of BGZF" {
    printf '##fileformat=VCFv4.2\n##contig=<ID=1>\n##INFO=<ID=AF,Number=A,Type=Float,Description="f">\n' > a.vcf
    printf '##FORMAT=<ID=GT,Number=1,Type=String,Description="g">\n##FORMAT=<ID=DP,Number=1,Type=Integer,Description="d">\n' >> a.vcf
    printf '#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\ta\tb\n1\t5\tr\tA\tC\t7.5\t.\tAF=0.25\tGT:DP\t0/1:3\t./.:.\n' >> a.vcf
    gzip -k a.vcf
    gt-unpack -q a.vcf.gz | grep -v '^#' > got
    grep -v '^#' a.vcf | cmp - got
    gt-unpack -q a.vcf.gz -o b.vcf.gz
    gt-unpack -q b.vcf.gz | grep -v '^#' | cmp - got
}

@test "a file of pair counts of another version is named, an older one too" {
    gt-sim -q --samples 4 --variants 20 -o s.zarr
    gt-pdist -q -m king -O counts s.zarr -o c.counts
    for version in 0 1 3; do
        printf "\\$version" | dd of=c.counts bs=1 seek=8 conv=notrunc status=none
        run -3 gt-pdist --merge c.counts -o x.kin0
        [[ $output == *"'c.counts' has version $version of the format"* ]]
        [ ! -e x.kin0 ]
    done
}

@test "rows of a slice of three axes have the numbers that they have in the array" {
    need_numpy
    "$PYTHON" -c 'import numpy as np; np.save("a.npy", np.random.default_rng(1).standard_normal((4, 6, 3)))'
    gt-pdist -q --slice 2,1:6:2 -O pairs a.npy -o got
    [ "$(cut -f 1,2 got | tail -n 3 | tr '\t\n' ' /')" = "1 3/1 5/3 5/" ]
    gt-pdist -q --slice 1:3,4 -O pairs a.npy -o got
    [ "$(cut -f 1,2 got | tail -n 1)" = "$(printf '1\t2')" ]
    "$PYTHON" - << 'PY'
import numpy as np
a = np.load("a.npy")
assert abs(float(open("got").read().split()[-2]) - np.linalg.norm(a[1, 4] - a[2, 4])) < 1e-6
PY
}

@test "a slice from the end of a pipe is that of the file" {
    gt-sim -q --samples 6 --variants 6000 -O vcf -o a.vcf
    for slice in :-5 -7: -9:-3 3:-5900; do
        gt-unpack -q --slice "$slice" a.vcf | grep -v '^#' > want
        gt-unpack -q --slice "$slice" - < <(cat a.vcf) | grep -v '^#' > got
        cmp got want
    done
    [ "$(wc -l < want)" -eq 97 ]
}

@test "calls of three copies: phased where the first two alleles are, in text and BCF" {
    need_numpy
    command -v bcftools > /dev/null || skip "no bcftools"
    printf '##fileformat=VCFv4.2\n##contig=<ID=1>\n##FORMAT=<ID=GT,Number=1,Type=String,Description="g">\n' > a.vcf
    printf '#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\ta\tb\tc\td\te\n' >> a.vcf
    printf '1\t5\t.\tA\tC\t.\t.\t.\tGT\t0/1|1\t0|1/1\t1|1|0\t0/1\t0|0\n' >> a.vcf
    bcftools view -Ob -o a.bcf a.vcf
    for input in a.vcf a.bcf; do
        gt-pack -q -f "$input" -o a.vcz
        gt-rechunk -q -f a.vcz/call_genotype_phased -o phased.npy
        [ "$("$PYTHON" -c 'import numpy as np; print(*np.load("phased.npy")[0].astype(int))')" = "0 1 1 0 1" ]
    done
}

@test "bytes behind the end of a zlib chunk are damage" {
    mkdir z.zarr
    printf '{"zarr_format": 2, "shape": [8], "chunks": [8], "dtype": "<i4", "compressor": {"id": "zlib", "level": 1}, "fill_value": 0, "filters": null, "order": "C"}' > z.zarr/.zarray
    python3 -c 'import struct, zlib; open("z.zarr/0", "wb").write(zlib.compress(struct.pack("<8i", *range(8))))'
    gt-info -q --check z.zarr
    printf xx >> z.zarr/0
    run -3 gt-info -q --check z.zarr
    run -3 gt-rechunk -q z.zarr -c 2 -o o.zarr
    [[ $output == *"chunk '0'"*"zlib"* ]]
}

@test "an inner chunk that is absent from a shard inside a shard reads as fill values" {
    [ -x "${PYTHON_ZARR3:-}" ] || skip "no zarr 3"
    "$PYTHON_ZARR3" - << 'PY'
import numpy as np, zarr
from zarr.codecs import BytesCodec, ShardingCodec, TransposeCodec
x = np.arange(8 * 12, dtype="i4").reshape(8, 12) + 1
x[4:, 9:] = 7 # the last inner chunk holds fill values
x[2:4, 3:6] = 7
inner = ShardingCodec(chunk_shape=(3, 2), codecs=[BytesCodec()]) # of the transposed chunk
a = zarr.create_array("s.zarr", shape=x.shape, dtype="i4", chunks=x.shape, fill_value=7, serializer=ShardingCodec(chunk_shape=(4, 6), codecs=[TransposeCodec(order=(1, 0)), inner]), compressors=None, config={"write_empty_chunks": False})
a[...] = x
np.save("want.npy", zarr.open_array("s.zarr")[...])
PY
    gt-rechunk -q s.zarr -o got.npy
    "$PYTHON_ZARR3" -c 'import numpy as np; assert np.array_equal(np.load("got.npy"), np.load("want.npy"))'
}
