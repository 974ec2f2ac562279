#!/usr/bin/env bats
# Messages and plans, each line as a whole, with the values in it.

bats_require_minimum_version 1.5.0

. "$GT_SOURCE/test/support/said.bash"

setup_file() {
    cd "$BATS_FILE_TMPDIR" || exit 1
    gt-sim -q --samples 6 --variants 30 --contigs 1 --seed 1 -O vcf -o s.vcf
    gt-pack -q s.vcf -o s.zarr
    gt-sim -q --samples 6 --variants 30 --uniform 0..9 --seed 1 -o a.zarr
    gt-pack -q --report r.json s.vcf -o q.zarr
    "$PYTHON" -c '
import numpy as np
x = np.arange(12.0).reshape(3, 4)
np.save("x.npy", x)
np.save("i.npy", x.astype("i4"))
np.save("codes.npy", (x % 3).astype("i1"))
np.save("cube.npy", np.zeros((2, 3, 4)))
np.save("none.npy", np.zeros((0, 4)))
x[1, 2] = np.inf
np.save("inf.npy", x)
z = np.random.default_rng(1).normal(size=(30, 3))
np.save("sum.npy", np.c_[z, z[:, 0] + z[:, 1]])'
    mkdir out
}

setup() {
    cd "$BATS_FILE_TMPDIR" || exit 1
    export GT_THREADS=3
    "$PYTHON" -c 'import numpy' 2> /dev/null || skip "no python3-numpy"
}

@test "refusals of gt-pi, gt-sim, gt-info and gt-pack" {
    says << 'TABLE'
2 | unexpected argument '5' | see gt-pi -h | gt-pi 5
2 | --points 0: must be at least 1 | see gt-pi -h | gt-pi --points 0
2 | --chunks 0: must be at least 1 | see gt-pi -h | gt-pi --chunks 0
2 | --runs 0: give a number from 1 to 1000 | see gt-pi -h | gt-pi --runs 0
2 | --runs 1001: give a number from 1 to 1000 | see gt-pi -h | gt-pi --runs 1001
2 | --bytes 15 is less than one point, which is 16 bytes | see gt-pi -h | gt-pi --bytes 15
2 | give --points or --bytes, not both | see gt-pi -h | gt-pi --bytes 16 --points 0
2 | --threads '1,x': give a number from 1 to 4096, or at most 64 of them, separated by commas | see gt-pi -h | gt-pi --threads 1,x
2 | --threads '4097': give a number from 1 to 4096, or at most 64 of them, separated by commas | see gt-pi -h | gt-pi --threads 4097
2 | 6000000000000000000 points on each of 2 threads are too many | see gt-pi -h | gt-pi --points 6e18 --threads 1,2
2 | --uniform '5': expected A..B | | gt-sim --samples 2 --variants 3 --uniform 5 -o out/x
2 | --uniform '..5': expected A..B | | gt-sim --samples 2 --variants 3 --uniform ..5 -o out/x
2 | --uniform '5..x': expected A..B | | gt-sim --samples 2 --variants 3 --uniform 5..x -o out/x
2 | --uniform 'x..5': expected A..B | | gt-sim --samples 2 --variants 3 --uniform x..5 -o out/x
2 | -O zarr needs --uniform, --normal or --rank | see gt-sim -h | gt-sim --samples 2 --variants 3 -O zarr -o out/x
2 | --uniform, --normal and --rank cannot be combined | see gt-sim -h | gt-sim --samples 2 --variants 3 --normal --rank 0 -o out/x
2 | --samples and --variants are needed | gt-sim --samples 1000 --variants 100000 --pops 3 -o sim.zarr | gt-sim --samples 2 -o out/x
2 | --samples and --variants are needed | gt-sim --samples 1000 --variants 100000 --pops 3 -o sim.zarr | gt-sim --variants 2 -o out/x
2 | --samples 1073741825 is too large: at most 1073741824 | | gt-sim --samples 1073741825 --variants 1 -o out/x
2 | --variants 1099511627777 is too large: at most 1099511627776 | | gt-sim --samples 1 --variants 1099511627777 -o out/x
2 | --variants is too large: at most 1099511627776 | | gt-sim --samples 1 --variants 1099511627777 --normal -o out/x
2 | 4000000000 variants a contig do not fit 31-bit positions | ask for more --contigs | gt-sim --samples 2 --variants 4e9 -o out/x
2 | --devices cannot be combined with --check | see gt-info -h | gt-info --devices --check
2 | --devices cannot be combined with --head | see gt-info -h | gt-info --devices --head 0
2 | --array needs a store; 's.vcf' is a VCF | | gt-info --stats variants --array call_genotype s.vcf
2 | option '--min-alleles' must be at least 1 | see gt-pack -h | gt-pack --min-alleles 0 s.vcf -o out/x
2 | --biallelic cannot be combined with --split-multiallelic | | gt-pack --biallelic --split-multiallelic s.vcf -o out/x
2 | --concat samples cannot be combined with a --slice of the ploidy axis | | gt-pack --concat samples --slice :,:,0 s.zarr s.zarr -o out/x
2 | --sites needs a store of calls; 's.vcf' is a VCF | | gt-pack --sites s.zarr s.vcf -o out/x
2 | --chunks 'variants=0': '0' is not a length | | gt-pack --layout vcz --chunks variants=0 s.vcf -o out/x
2 | --devices cannot be combined with --plot | see gt-info -h | gt-info --devices --plot out/x.svg
2 | --devices cannot be combined with --stats | see gt-info -h | gt-info --devices --stats samples
2 | --check, --head, --stats and --plot cannot be combined | see gt-info -h | gt-info --head 0 --check s.zarr
2 | --check, --head, --stats and --plot cannot be combined | see gt-info -h | gt-info --stats samples --plot out/x.svg s.zarr
2 | --deep needs --check | see gt-info -h | gt-info --deep s.zarr
2 | --groups needs --stats | see gt-info -h | gt-info --groups g s.zarr
2 | --maf needs --stats | see gt-info -h | gt-info --maf 0.1 s.zarr
2 | --samples needs --stats | see gt-info -h | gt-info -s S1 s.zarr
2 | --plot cannot be combined with --json | see gt-info -h | gt-info --plot out/x.svg --json s.zarr
2 | --plot cannot be combined with --output | see gt-info -h | gt-info --plot out/x.svg -o out/y s.zarr
2 | --head cannot be combined with --json | see gt-info -h | gt-info --head 0 --json s.zarr
2 | 'r.json' is a report: --check, --head, --stats, --plot and --array do not apply | see gt-info -h | gt-info --check r.json
2 | 'r.json' is a report: --check, --head, --stats, --plot and --array do not apply | see gt-info -h | gt-info --head 0 r.json
2 | 'r.json' is a report: --check, --head, --stats, --plot and --array do not apply | see gt-info -h | gt-info --array x r.json
2 | --log 'out/x.log.gz': a log cannot be compressed; choose another suffix | see gt-pack -h | gt-pack s.vcf --log out/x.log.gz -o out/x
1 | cannot create 'out/no/x.log': No such file or directory | | gt-pack s.vcf --log out/no/x.log -o out/x
2 | option '--output' has an empty name | see gt-pack -h | gt-pack s.vcf -o ''
1 | cannot open '': No such file or directory | | gt-pack '' -o out/x
2 | --chunks 'variants=5,samples=x': 'x' is not a length | | gt-pack --chunks variants=5,samples=x s.vcf -o out/x
TABLE
}

@test "refusals of gt-pdist, gt-svd and gt-rechunk" {
    printf '0 1 2\n1 0 3\n' > two.txt
    printf '0 1 2\n1 0 3\n2 3 0\n4 4 4\n' > four.txt
    printf '0 1 2\n1 0 3\n2 4 0\n' > uneven.txt
    { grep '^#' s.vcf && grep -v '^#' s.vcf | sed 's|[01]/[01]|0/1|g'; } > same.vcf
    sed 's/S2/S(2/' s.vcf > odd.vcf
    says << 'TABLE'
2 | -p needs -m minkowski; 'king' has no power | see gt-pdist -h | gt-pdist -p 3 -m king s.zarr
2 | -V needs -m seuclidean; 'euclidean' takes no variances | see gt-pdist -h | gt-pdist -V x.npy -m euclidean a.zarr
2 | --axis 3: genotypes have variants on axis 0 and samples on axis 1 | | gt-pdist --axis 3 s.zarr
2 | --pairs cannot be combined with --rows | see gt-pdist -h | gt-pdist --pairs x --rows y s.zarr
2 | --pairs cannot be combined with --cols | see gt-pdist -h | gt-pdist --pairs x --cols y s.zarr
2 | --unrelated 0.5: must be a kinship from 0 to below 0.5 | see gt-pdist -h | gt-pdist --unrelated 0.5 -m king s.zarr
2 | --unrelated -0.1: must be a kinship from 0 to below 0.5 | see gt-pdist -h | gt-pdist --unrelated=-0.1 -m king s.zarr
2 | --unrelated needs kinship, and ibs is not one; use -m king | see gt-pdist -h | gt-pdist --unrelated 0.1 -m ibs s.zarr
2 | GCTA's format holds relatedness, and king is not one; use -m grm or -m grm-vanraden | see gt-pdist -h | gt-pdist -m king -O grm s.zarr -o out/x
2 | KING's format holds kinship, and grm is not one; use -m king | see gt-pdist -h | gt-pdist -m grm -O king s.zarr -o out/x
2 | --min 1 is above --max 0.25: no pair would be written | see gt-pdist -h | gt-pdist -O pairs --min 1 --max 0.25 s.zarr
2 | --tree needs distances, but -O counts writes pair counts | compute distances from the counts with --merge, which accepts --tree | gt-pdist -O counts s.zarr -o out/c --tree out/t
2 | --plot needs distances, but -O counts writes pair counts | compute distances from the counts with --merge, which accepts --plot | gt-pdist --part 1/2 --plot out/t.svg s.zarr -o out/c.counts
2 | variants are compared within one input; 's.zarr' is a second one | | gt-pdist --cols s.zarr --axis 0 s.zarr
2 | PLINK does not define weights for king: --missing plink does not apply | use it with -m allele-count, 1-ibs, ibs, mismatches or cityblock | gt-pdist -m king --missing plink s.zarr
2 | metric seuclidean needs a plain array, not genotypes | | gt-pdist -m seuclidean s.zarr
2 | --as genotypes needs a Zarr array; 'i.npy' is a NumPy .npy | | gt-pdist -m euclidean --as genotypes i.npy
2 | -O counts needs genotypes: sums over 'x.npy' are not integers | | gt-pdist -O counts -m euclidean x.npy -o out/c
3 | 'two.txt': a table has 3 lines of 3 numbers, for allele counts 0, 1 and 2 | | gt-pdist -m table:two.txt s.zarr
3 | 'four.txt', line 4: a table has 3 lines of 3 numbers | | gt-pdist -m table:four.txt s.zarr
3 | 'uneven.txt' is not symmetric: 2 and 1 give 4, 1 and 2 give 3 | | gt-pdist -m table:uneven.txt s.zarr
3 | 'sum.npy': the covariance of its columns is singular | remove columns that are linear combinations of others | gt-pdist -m mahalanobis sum.npy
3 | 'sum.npy': the covariance of 30 rows needs at least 31 columns; there are 4 | give an inverse covariance with --vi | gt-pdist -m mahalanobis --axis 1 sum.npy
3 | sample id 'S(2' cannot be written as PHYLIP: it has a blank or one of ()[]:;, | | gt-pdist -m 1-ibs -O phylip odd.vcf
2 | --tol with --algorithm compressed needs a plain array, and 's.zarr' holds genotypes | | gt-svd --algorithm compressed --tol 1e-3 s.zarr -o out/x
2 | 'out/x.eigenvec' is the name of PLINK's table; use -O plink | | gt-svd -k 1 s.zarr -O npy -o out/x.eigenvec
2 | -O plink is for genotypes; u, s and v of an array are written as npy, tsv or zarr | | gt-svd -O plink x.npy -o out/x
3 | 'same.vcf': no variant differs between the samples | | gt-svd -k 1 same.vcf -o out/x
3 | 'standard input': no variant is left to make components of | | grep '^#' s.vcf | gt-svd -k 1 -o out/x
3 | 'none.npy' is 0 x 4: there is nothing to decompose | | gt-svd -k 1 none.npy -o out/x
3 | 'inf.npy': a value is infinite in row 1, column 2 | | gt-svd -k 1 inf.npy -o out/x
2 | --as array: 's.zarr' is a group of arrays | name one of its arrays with --array; gt-info lists them | gt-svd --as array -k 1 s.zarr -o out/x
2 | --pick: index '99999999999999999999' is too large | | gt-rechunk --pick 0:99999999999999999999 x.npy -o out/x
2 | --pick: '0=5' is neither AXIS:FILE nor AXIS:INDEX,INDEX | see gt-rechunk -h | gt-rechunk --pick 0=5 x.npy -o out/x
2 | --order of 'x.npy': axis '1' is given twice | | gt-rechunk --order 1,1 x.npy -o out/x
2 | --layout packed: 'cube.npy' would have 3 axes; packed genotypes need variants and samples | | gt-rechunk --layout packed cube.npy -o out/x
3 | 'x.npy' has dosages above 2, which packed genotypes cannot have | keep them as int8 with --layout plain | gt-rechunk --layout packed x.npy -o out/x
3 | 'i.npy' has dosages that are not calls of two alleles: they are not -1, 0, 1 or 2 | keep them as int8 with --layout plain | gt-rechunk --layout calls i.npy -o out/x
2 | -c has 3 lengths, but 'x.npy' has 2 axes | | gt-rechunk -c 1,2,3 x.npy -o out/x
2 | -c: '0' is not a length | | gt-rechunk --chunks 0,2 x.npy -o out/x
2 | --dtype 'i3': no such type | int8 to int64, uint8 to uint64, float32, float64 | gt-rechunk --dtype i3 x.npy -o out/x
2 | --array needs a store, but 'x.npy' is a NumPy array | | gt-rechunk --array y x.npy -o out/x
3 | 's.vcf' is neither a store nor a .npy file: it is a VCF | make a store with gt-pack | gt-rechunk s.vcf -o out/x
2 | --drop-empty is for plain arrays; 'contig_id' is in a store of genotypes, which must have all chunks | | gt-rechunk --drop-empty s.zarr -o out/x
3 | --layout calls: 'packed_dosage' is a stream and may have multiallelic variants, which are known only at its end | store it as a directory or zip first | gt-pack -q s.vcf | gt-rechunk --layout calls -o out/x
TABLE
}

# Of each line OPTIONS | message: the first refuses the rest of the command with it; those without a message are planned.
goes() {
    local options message status
    while IFS='|' read -r options message; do
        status=0
        (eval "$* $options") > said.out 2> said || status=$?
        message=$(sed 's/^ *//; s/ *$//' <<< "$message")
        if [ -z "$message" ]; then
            [ $status -eq 0 ] || { echo "exit $status: $* $options" && cat said && return 1; }
        else
            { [ $status -eq 2 ] && [ "$(head -n 1 said)" = "$1: $message" ]; } || { echo "exit $status: $* $options" && cat said && return 1; }
        fi
    done
}

@test "gt-pdist: which options go with which formats, lists, metrics, and with counts" {
    gt-pdist -q -O counts -m ibs s.zarr -o c.counts
    local format option
    for format in tsv npy condensed triangle pairs zarr phylip kin0 counts; do
        metric='-m 1-ibs' and=
        case $format in kin0) metric='-m king' ;; counts) metric= ;; esac
        case $format in pairs) knn= width='--dtype needs -O npy, condensed or zarr' ;; npy | condensed | zarr) width= ;; *) width='--dtype needs -O npy, condensed or zarr' ;; esac
        case $format in pairs) knn= ;; *) knn='--knn needs -O pairs' ;; esac
        case $format in pairs | kin0) min= max= ;; *) min='--min needs -O pairs or -O kin0' max='--max needs -O pairs or -O kin0' ;; esac
        case $format in pairs) pairs= ;; *) pairs='--pairs needs -O pairs' ;; esac
        case $format in tsv | npy | zarr | pairs) rows= ;; *) rows='--rows and --cols need -O tsv, npy, zarr or pairs: other formats are square' ;; esac
        case $format in zarr) part='--part cannot be combined with -O zarr: a chunk may hold rows of two parts' ;; *) part= ;; esac
        goes gt-pdist -n -q $metric -O $format s.zarr -o out/x << TABLE
--knn 2 | $knn
--min 0.1 | $min
--max 0.1 | $max
--dtype f4 | $width
--pairs <(echo S1 S2) | $pairs
--rows <(echo S1) | $rows
--cols <(echo S1) | $rows
--part 1/2 | $part
TABLE
    done
    goes gt-pdist -n -q << 'TABLE'
--sum s.zarr | --sum needs --merge
--merge --allow-overlaps c.counts | --allow-overlaps needs --merge --sum
--merge --maf 0.1 c.counts | --maf cannot be combined with --merge, which reads pair counts
--merge --haplotypes c.counts | --haplotypes cannot be combined with --merge, which reads pair counts
--merge -s S1 c.counts | --samples cannot be combined with --merge, which reads pair counts
--merge --missing plink -m ibs c.counts | --missing plink applies when genotypes are counted, not with --merge
--merge --missing ignore -m ibs c.counts |
-O counts --missing ignore s.zarr -o out/x | --missing ignore applies to --merge, which computes distances from the counts
-O counts --missing rescale s.zarr -o out/x | --missing rescale applies to --merge, which computes distances from the counts
-O counts -m minkowski -p 3 s.zarr -o out/x | -p applies to --merge, which computes distances from the counts
--merge --pairs <(echo S1 S2) c.counts | --pairs cannot be combined with --merge, which reads pair counts
--merge --rows <(echo S1) c.counts | --rows cannot be combined with --merge, which reads pair counts
--merge --cols <(echo S1) c.counts | --cols cannot be combined with --merge, which reads pair counts
--merge --axis 1 c.counts | --axis cannot be combined with --merge, which reads pair counts
--merge --between samples c.counts | --between cannot be combined with --merge, which reads pair counts
--axis 1 --between samples s.zarr | --axis cannot be combined with --between
--as array --between samples a.zarr | --between cannot be combined with --as array; --axis 0 compares rows, --axis 1 columns
-m king --axis 0 s.zarr | -m king compares samples, not variants
-m euclidean --axis 0 --missing mean s.zarr | --missing mean applies to samples, not to variants
-m cityblock --axis 0 --missing plink s.zarr | --missing plink applies to samples, not to variants
-m seuclidean --rows <(echo 1) x.npy | this metric needs the variances of all rows: it cannot be combined with --pairs, --rows or --cols
-m mahalanobis --pairs <(echo 0 1) x.npy | this metric needs the variances of all rows: it cannot be combined with --pairs, --rows or --cols
-O pairs --pairs <(echo S1 S2) --knn 1 s.zarr | --pairs cannot be combined with --knn, --min, --max or --part
-O pairs --pairs <(echo S1 S2) --min 0 s.zarr | --pairs cannot be combined with --knn, --min, --max or --part
-O pairs --pairs <(echo S1 S2) --part 1/1 s.zarr | --pairs cannot be combined with --knn, --min, --max or --part
--vi x.npy -m euclidean x.npy | --vi needs -m mahalanobis; 'euclidean' takes no inverse covariance
--tree out/t --pairs <(echo S1 S2) -O pairs -m 1-ibs s.zarr | --tree needs all pairs, but --pairs selects some
--tree out/t --rows <(echo S1) -m 1-ibs s.zarr | --tree needs all pairs, but --rows or --cols selects some
--plot out/t.svg --part 1/2 -O pairs -m 1-ibs s.zarr -o out/x | --plot needs all pairs, but --part selects some
-m 1-ibs s.zarr -o out/x.nwk | 'out/x.nwk' has the suffix of a tree, but -o names the matrix
-m 1-ibs s.zarr -o out/x.newick | 'out/x.newick' has the suffix of a tree, but -o names the matrix
-m 1-ibs s.zarr -o out/x.tree | 'out/x.tree' has the suffix of a tree, but -o names the matrix
-m 1-ibs s.zarr -o out/x.tre | 'out/x.tre' has the suffix of a tree, but -o names the matrix
-m 1-ibs s.zarr -o out/x.svg | 'out/x.svg' has the suffix of a picture, but -o names the matrix
-m 1-ibs s.zarr -o out/x.png | 'out/x.png' has the suffix of a picture, but -o names the matrix
-m 1-ibs s.zarr -o out/x.pdf | 'out/x.pdf' has the suffix of a picture, but -o names the matrix
-m king --unrelated 0.1 s.zarr | --unrelated writes PREFIX.in.id and PREFIX.out.id: it needs -o PREFIX
-m king --unrelated 0.1 s.zarr -o out/x |
TABLE
    for option in '-O tsv' '--plink-shape bin' '--rows x' '--cols x' '--part 1/2' '--between samples' '--tree out/t' \
        '--tree-method nj' '--plot out/t.svg' '--groups x'; do
        goes gt-pdist -n -q -m king --unrelated 0.1 s.zarr -o out/x <<< "$option | --unrelated cannot be combined with $(sed 's/^-O.*/--output-format/; s/ .*//' <<< "$option")"
    done
}

@test "gt-pdist --part: places in array jobs that are refused" {
    job() { env SLURM_ARRAY_TASK_ID="$1" SLURM_ARRAY_TASK_MIN="$2" SLURM_ARRAY_TASK_MAX="$3" SLURM_ARRAY_TASK_STEP="$4" SLURM_ARRAY_TASK_COUNT="$5" \
        gt-pdist -n -q --part "$6" s.zarr -o out/c.counts; }
    local even='--part auto: the tasks of this array job of Slurm are not numbered evenly'
    while IFS='|' read -r args want; do
        status=0
        # shellcheck disable=SC2086
        job $args > plan 2> said || status=$?
        if [[ $want == part* ]]; then
            { [ $status -eq 0 ] && sed 's/  */ /g' plan | grep -q "^$want "; } || { echo "$args" && cat plan said && return 1; }
        else
            { [ $status -eq 2 ] && [ "$(head -n 1 said)" = "gt-pdist: $want" ]; } || { echo "$args" && cat plan said && return 1; }
        fi
    done << TABLE
3 3 9 2 4 auto|part 1 of 4:
9 3 9 2 4 auto|part 4 of 4:
5 3 9 2 4 auto|part 2 of 4:
4 3 9 2 4 auto|$even
1 3 9 2 4 auto|$even
11 3 9 2 4 auto|$even
3 3 9 2 3 auto|$even
2 1 3 1 3 auto/5|part 2 of 5:
5 1 5 1 5 auto/5|part 5 of 5:
0 0 5 1 6 auto/5|--part auto/5: this is task 0, which must be from 1 to 5
6 1 9 1 9 auto/5|--part auto/5: this is task 6, which must be from 1 to 5
1 1 3 1 3 auto/0|--part auto/0: N must be a number above 0
1 1 3 1 3 auto/x|--part auto/x: N must be a number above 0
1 1 3 1 3 4/3|--part 4/3: must be I/N, with I from 1 to N, or auto
1 1 3 1 3 automatically_and_far_too_long/3|--part automatically_and_far_too_long/3: must be I/N, with I from 1 to N, or auto
TABLE
}

@test "gt-pack, gt-unpack, gt-svd and gt-rechunk: which options do not go together" {
    printf 'S1 1\n' > sex
    gt-pack -q --layout vcz s.vcf -o s.vcz
    goes gt-pack -n -q s.vcf -o out/x << 'TABLE'
--layout vcz --split-multiallelic | --split-multiallelic changes how allele counts are made, but --layout vcz keeps the calls as they are
--layout vcz --sex sex | --sex changes how allele counts are made, but --layout vcz keeps the calls as they are
--layout vcz --half-call missing | --half-call changes how allele counts are made, but --layout vcz keeps the calls as they are
--layout vcz --polyploid missing | --polyploid changes how allele counts are made, but --layout vcz keeps the calls as they are
--layout vcz --half-call missing --maf 0.1 |
--layout vcz --local-alleles --ploidy 1 | --local-alleles is for diploid calls, and --ploidy says 1
--layout vcz --local-alleles --ploidy 2 |
--fields all | --fields needs --layout vcz
--local-alleles | --local-alleles needs --layout vcz
--no-update -s S1 | --no-update needs --layout vcz
--lenient | --lenient needs --layout vcz
TABLE
    goes gt-unpack -n -q << 'TABLE'
s.zarr -O bed | -O bed writes PREFIX.bed, PREFIX.bim and PREFIX.fam: it needs -o PREFIX
s.zarr -O pgen | -O pgen writes PREFIX.pgen, PREFIX.pvar and PREFIX.psam: it needs -o PREFIX
s.zarr --level 3 -o out/x.vcf | --level needs BCF or VCF.gz; the output is VCF
s.zarr --level 0 -o out/x.vcf.gz | --level 0 is not between 1 and 12
s.zarr --level 13 -o out/x.vcf.gz | --level 13 is not between 1 and 12
s.zarr --level 12 -o out/x.vcf.gz |
s.zarr --level 1 -o out/x.bcf |
s.vcz --ploidy 1 -o out/x.vcf | --ploidy does not apply: the calls of 's.vcz' are written as they are
s.vcz --half-call missing -o out/x.bcf | --half-call does not apply: the calls of 's.vcz' are written as they are
s.vcz --polyploid missing -o out/x.vcf | --polyploid needs calls of ploidy above 2; those of 's.vcz' have at most 2 alleles
s.vcz --sex sex -o out/x.vcf | --sex does not apply: the calls of 's.vcz' are written as they are
s.vcz --ploidy 1 -o out/x.npy |
s.vcz --half-call missing --maf 0.1 -o out/x.vcf |
s.vcf --half-call missing -o out/x.vcf |
TABLE
    goes gt-svd -n -q -k 2 s.zarr -o out/x << 'TABLE'
--algorithm tsqr | --algorithm tsqr needs a plain array; 's.zarr' holds genotypes
--missing mean | --missing needs a plain array; 's.zarr' holds genotypes
--center | --center needs a plain array; 's.zarr' holds genotypes
--algorithm compressed --sketch gaussian | --sketch needs a plain array; 's.zarr' holds genotypes
TABLE
    for option in '-c 1,1' '--chunk-bytes 9' '--codec none' '--zarr-format 2' '--drop-empty' '--resume' '--verify'; do
        goes gt-rechunk -n -q x.npy -o out/y.npy <<< "$option | $(sed 's/^-c/--chunks/; s/ .*//' <<< "$option") needs a store as output, but 'out/y.npy' is a NumPy array"
    done
    goes gt-rechunk -n -q x.npy << 'TABLE'
-o out/y.npy --layout packed | --layout packed needs a store as output, but 'out/y.npy' is a NumPy array
-o out/y.npy --layout calls | --layout calls needs a store as output, but 'out/y.npy' is a NumPy array
-o out/y --cast unsafe | --cast needs --dtype
-o out/y --skip-missing | --skip-missing needs --reduce
-o out/y --chunk-bytes 0 | --chunk-bytes: a chunk has at least one byte
-o out/y --chunk-bytes 9 -c 1,1 | --chunk-bytes needs lengths that are auto, as in -c time=auto
-o out/y --chunk-bytes 9 -c auto,1 |
-o out/y --chunk-bytes 1 |
-o out/y --transpose --order 1,0 | --transpose cannot be combined with --order
TABLE
}

# By gt-sim.1: which outputs have a use for an option.
@test "gt-sim: each option with each output is used or refused, with both in the message" {
    local option what kind how uses status
    while IFS='|' read -r option what uses; do
        while read -r kind how; do
            status=0
            # shellcheck disable=SC2086
            gt-sim -n -q --samples 4 --variants 6 --$option $how 2> said > /dev/null || status=$?
            case $kind in
            packed) name="a packed store" ;;
            vcz) name="VCF Zarr" ;;
            vcf) name=VCF ;;
            bed) name="a .bed" ;;
            *) name="a matrix" ;;
            esac
            if [[ " $uses " == *" $kind "* ]]; then
                [ $status -eq 0 ] || { echo "--$option $how: $status" && cat said && return 1; }
            else
                { [ $status -eq 2 ] && [ "$(head -n 1 said)" = "gt-sim: --${option%% *} needs $what; the output is $name" ]; } ||
                    { echo "--$option $how: $status" && cat said && return 1; }
            fi
        done << 'TABLE'
packed -o out/x.zarr
vcz -O vcz -o out/x.zarr
vcf -o out/x.vcf
bed -O bed -o out/x
normal --normal -o out/x.zarr
uniform --uniform 0..3 -o out/x.zarr
rank --rank 2 -o out/x.zarr
TABLE
    done << 'TABLE'
pops 2|genotypes|packed vcz vcf bed
fst 0.1|genotypes|packed vcz vcf bed
missing 0.1|genotypes|packed vcz vcf bed
ld 3|genotypes|packed vcz vcf bed
contigs 2|genotypes|packed vcz vcf bed
spectrum flat|genotypes|packed vcz vcf bed
min-maf 0.1|genotypes|packed vcz vcf bed
multiallelic 0.1|-O packed, vcz or vcf|packed vcz vcf
phased|-O vcz or vcf|vcz vcf
noise 0.1|--rank|rank
dtype f8|--uniform, --normal or --rank|normal uniform rank
chunks variants=3|a store|packed vcz normal uniform rank
codec none|a store|packed vcz normal uniform rank
zarr-format 3|a store|packed vcz normal uniform rank
TABLE
    local format
    for format in packed vcz vcf bed; do
        run -2 --separate-stderr gt-sim --samples 2 --variants 3 --normal -O $format -o out/x
        [ "${stderr_lines[0]}" = "gt-sim: a matrix cannot be written as $format; use -O zarr" ]
    done
}

# Of each block "> COMMAND" and lines: these are the plan, but for lines of the machine, of buffers and of time, and terms of that.
plans() {
    local block command
    while IFS= read -r block || [ -n "$block" ]; do
        case $block in
        '> '*) command=${block#> } && : > wanted ;;
        '') eval "${command/ / -n }" | grep -Ev '^(memory|threads|device|time|row group|sites|vectors|block|blocks of QR|pair sums|loadings|estimate) |^  [a-z]' |
            sed 's/  */ /g; s/^ //; s/ $//' > plan && diff wanted plan || { echo "$command" && return 1; } ;;
        *) echo "$block" >> wanted ;;
        esac
    done
    [ -z "$(ls out)" ]
}

@test "plans, line by line" {
    "$PYTHON" -c '
import numpy as np
np.save("tall.npy", np.ones((5000, 7)))
np.save("wide.npy", np.ones((7, 5000)))
np.save("square.npy", np.ones((3000, 3000), "f4"))'
    gt-svd -q --loadings -k 2 s.zarr -o m
    gt-unpack -q s.vcf -o s.bed
    gt-pdist -q -m ibs --part 1/2 s.zarr -o p1.counts
    gt-pdist -q -m ibs --part 2/2 s.zarr -o p2.counts
    plans << 'PLANS'
> gt-rechunk -c 2,3 --dtype f4 --order 1,0 x.npy -o out/x
input x.npy (.npy file)
output out/x, Zarr 2
array (root): 3 x 4 float64 in chunks of 3 x 4, none
-> (root): 4 x 3 float32 in chunks of 2 x 3, none
1 chunk read, 2 chunks written: one pass
passes 1
decodes every chunk of the input once
read 96 B, decoded
written 48 B, before it is encoded
spilled 0 B
chunk files 2

> gt-rechunk --zarr-format 3 -c 1,2 --shard 2,4 x.npy -o -
input x.npy (.npy file)
output standard output (tar stream), Zarr 3
array (root): 3 x 4 float64 in chunks of 3 x 4, none
-> (root): 3 x 4 float64 in chunks of 1 x 2 in shards of 2 x 4, none
1 chunk read, 2 chunks written: one pass
passes 1
decodes every chunk of the input once
read 96 B, decoded
written 96 B, before it is encoded
spilled 0 B

> gt-rechunk --layout calls s.zarr/packed_dosage -o out/x
input s.zarr (directory)
output out/x, Zarr 2
array packed_dosage: 30 x 6 packed int8 in chunks of 65,536 x 8, zstd:1
-> (root): 30 x 6 dosages, as calls, int8 in chunks of 65,536 x 8, zstd:1
1 chunk read, 1 chunk written: one pass
passes 1
decodes every chunk of the input once
read 180 B, decoded
written 180 B, before it is encoded
spilled 0 B
chunk files 1

> gt-svd -k 3 tall.npy -o out/x
input tall.npy (npy)
rows 5,000
columns 7
values 3
algorithm tsqr (one side is short: exact)
passes 7 at most, by rows

> gt-svd -k 2 wide.npy -o out/x
input wide.npy (npy)
rows 7
columns 5,000
values 2
algorithm tsqr (one side is short: exact)
passes 7 at most, by columns

> gt-svd -k 3 square.npy -o out/x
input square.npy (npy)
rows 3,000
columns 3,000
values 3
algorithm krylov (both sides are long)
passes 200 at most, by rows
array is read again in each pass; it is uncompressed, so that a copy in memory would save nothing
projection 9 columns

> gt-svd -k 3 --algorithm compressed square.npy -o out/x
input square.npy (npy)
rows 3,000
columns 3,000
values 3
algorithm compressed (as --algorithm says)
passes 2 at most, by rows
projection 20 columns

> gt-svd -k 2 codes.npy -o out/x
input codes.npy (npy)
rows 3
columns 4
values 2
algorithm tsqr (one side is short: exact)
passes 7 at most, by columns

> gt-svd -k 3 s.zarr -o out/x
input s.zarr (packed store)
samples 6
variants unknown before the end; at most 30
components 3
algorithm gram (few samples: exact)
passes 1
matrix 288 B

> gt-svd -k 3 --algorithm krylov --passes 17 --loadings s.zarr -o out/x
input s.zarr (packed store)
samples 6
variants unknown before the end; at most 30
components 3
algorithm krylov (as --algorithm says)
passes 17 at most
genotypes stay in memory between passes
columns 16 a block

> gt-svd -k 3 --algorithm compressed s.vcf -o out/x
input s.vcf (VCF)
samples 6
variants unknown before the end
components 3
algorithm compressed (as --algorithm says)
passes 2
genotypes are read again in each pass, except what fits in memory
columns 8 a block

> gt-svd -k 3 --algorithm compressed --power-iterations 0 s.bed -o out/x
input s.bed (PLINK bed)
samples 6
variants unknown before the end; at most 30
components 3
algorithm compressed (as --algorithm says)
passes 1
genotypes are read once
columns 8 a block

> gt-svd -k 3 --algorithm compressed --power-iterations 2 s.vcf -o out/x
input s.vcf (VCF)
samples 6
variants unknown before the end
components 3
algorithm compressed (as --algorithm says)
passes 4
genotypes are read again in each pass, except what fits in memory
columns 8 a block

> gt-pack --zarr-format 3 --codec gzip:3 s.zarr -o -
input s.zarr (packed store)
samples 6
variants 30
output standard output (tar stream), Zarr 3, gzip:3
chunks 30 variants x 8 samples
files 1
row groups 1, of 1 genotype chunks each

> gt-unpack s.zarr -o out/x.bed
input s.zarr (packed store)
samples 6
variants 30
output out/x.bed (PLINK .bed, .bim, .fam)

> gt-unpack s.zarr -o -
input s.zarr (packed store)
samples 6
variants 30
output standard output (VCF)

> gt-pdist -m king s.zarr
input s.zarr (packed store)
samples 6
variants unknown before the end; at most 30
pairs 15
passes 1

> gt-svd --project m.model.zip s.vcf -o out/p
input s.vcf (VCF)
samples 6
variants unknown before the end
components 2
model 22 variants
passes 1

> gt-svd --fit <(printf 'S1\nS2\nS3\n') -k 2 s.zarr -o out/p
input s.zarr (packed store)
samples 3
variants unknown before the end; at most 30
components 2
algorithm gram (few samples: exact)
passes 1
matrix 72 B

> gt-pdist -m king -O kin0 --min 0 s.vcf
input s.vcf (VCF)
samples 6
variants unknown before the end
pairs 15
passes 1

> gt-pdist --merge -m ibs p1.counts p2.counts
input p1.counts (pair counts)
samples 6
variants 30
pairs 15
pair-sites 450
passes 1

> gt-pdist -m euclidean --axis 1 x.npy
input x.npy (npy)
columns 4
rows 3
pairs 6
pair-sites 18
passes 1

> gt-unpack -O npy -s S1 s.vcf -o out/x.npy
input s.vcf (VCF)
samples 1
variants unknown before the end
output out/x.npy (NumPy array of int8)

> gt-sim --samples 5 --variants 6 -o -
output standard output (packed store)
shape 6 variants x 5 samples
values 30
chunks 6 variants x 8 samples
files 1

> gt-sim --samples 5 --variants 6 -O vcz -o out/x
output out/x (VCF Zarr)
shape 6 variants x 5 samples
values 30
chunks 6 variants x 5 samples
files 51

> gt-sim --samples 5 --variants 1e6 -o out/x.vcf
output out/x.vcf (VCF)
shape 1,000,000 variants x 5 samples
values 5e+06

> gt-sim --samples 5 --variants 6 -O bed -o out/x
output out/x (PLINK .bed, .bim, .fam)
shape 6 variants x 5 samples
values 30

> gt-sim --samples 5 --variants 6 --normal -o out/x
output out/x (Zarr array)
shape 6 variants x 5 samples
values 30

> gt-pdist -m ibs --ranks 3 --contigs all s.zarr
input s.zarr (packed store)
samples 6
variants 30
pairs 15
pair-sites 450
ranks 3: each reads and counts its range of the variants; rank 0 adds up and writes
per rank reads 20 B of genotypes a pass, sends at most 29.1 KiB in all
rank 0 receives at most 29.1 KiB in all
passes 1

> gt-pdist --ranks 3 x.npy
input x.npy (npy)
rows 3
columns 4
pairs 3
pair-sites 12
ranks 3: each reads all of the input and counts its share of the pairs; rank 0 writes
per rank receives and sends 18.5 KiB in all, from rank to rank
rank 0 receives 18.5 KiB in all
passes 1

> gt-pdist --ranks 2 -m king s.vcf
input s.vcf (VCF)
samples 6
variants unknown before the end
pairs 15
ranks 2: each reads all of the input and counts its share of the variants; rank 0 writes
per rank sends at most 29.1 KiB in all
rank 0 receives at most 29.1 KiB in all
passes 1

> gt-pdist -m ibs -O pairs --rows <(printf 'S1\nS2\nS3\nS4\n') s.zarr
input s.zarr (packed store)
samples 4 by 6
variants unknown before the end; at most 30
pairs 24
passes 1

> gt-pdist -O pairs --knn 2 s.zarr
input s.zarr (packed store)
samples 6
variants 30
pairs 15
pair-sites 450
passes 1
output keeps 336 B

> gt-pdist codes.npy
input codes.npy (npy)
rows 3
columns 4
numbers if all are 0, 1 or 2: stored in two bits
pairs 3
pair-sites 12
passes 1

> gt-svd -k 2 --ranks 3 s.zarr
input s.zarr (packed store)
samples 6
variants unknown before the end; at most 30
components 2
algorithm gram (few samples: exact)
ranks 3: each reads its range of the variants and computes its share; rank 0 solves and writes
per rank reads at most 20 B of genotypes a pass, sends at most 21.6 KiB a pass
rank 0 receives at most 21.6 KiB a pass
passes 1
matrix 288 B

> gt-svd -k 2 --ranks 3 --algorithm krylov s.zarr
input s.zarr (packed store)
samples 6
variants unknown before the end; at most 30
components 2
algorithm krylov (as --algorithm says)
ranks 3: each reads its range of the variants and computes its share; rank 0 solves and writes
per rank reads at most 20 B of genotypes a pass, sends 896 B a pass, holds 20 B
rank 0 receives 896 B, and sends each other rank 384 B a pass
passes 200 at most
genotypes stay in memory between passes
columns 8 a block

> gt-pack --resume s.vcf -o s.zarr
input s.vcf (VCF)
samples 6
variants unknown before the end
output s.zarr, Zarr 2, zstd:1
chunks 65,536 variants x 8 samples
files about 49
resume already complete

> gt-pack s.vcf -o out/x.zip
input s.vcf (VCF)
samples 6
variants unknown before the end
output out/x.zip, Zarr 2, zstd:1
chunks 65,536 variants x 8 samples
files 1

> gt-pack --zarr-format 3 --chunks variants=3,samples=4 --shard variants=9 s.zarr s.vcf -o out/x
input s.zarr (and 1 more) (packed store)
s.vcf
samples 6
variants unknown before the end
output out/x, Zarr 3, zstd:1
chunks 3 variants x 4 samples
shards 9 variants x 4 samples
files about 45

> gt-rechunk --pick 0:2,0 --codec none -c 1,4 x.npy -o out/x
input x.npy (.npy file)
output out/x, Zarr 2
array (root): 3 x 4 float64 in chunks of 3 x 4, none
-> (root): 2 x 4 float64 in chunks of 1 x 4, none
1 chunk read, 2 chunks written: one pass
passes 1
decodes every chunk of the input once
read 64 B, decoded
written 64 B, before it is encoded
spilled 0 B
chunk files 2

> gt-pi --points 1000 --runs 3 --seed 5
points 1,000
bytes 16,000 (16 a point, none stored)
chunks 1
chunk 1,000 points, 16,000 bytes (15.6 KiB)
runs 3
seed 5

> gt-pi --points 9e18
points 9,000,000,000,000,000,000
bytes 1.44e+20 (16 a point, none stored)
chunks 536,441,802,979
chunk 16,777,216 points, 268,435,456 bytes (256.0 MiB)
runs 1
seed 0

PLANS
}
