#!/usr/bin/env bats
# What each command says to options, values and inputs that it does not take: the message, the hint, and the exit status.

bats_require_minimum_version 1.5.0

. "$GT_SOURCE/test/support/said.bash"

setup_file() {
    cd "$BATS_FILE_TMPDIR" || exit 1
    "$PYTHON" -c 'import numpy' 2> /dev/null || return 0
    gt-sim -q --samples 6 --variants 30 --contigs 1 --seed 1 -O vcf -o s.vcf
    gt-pack -q s.vcf -o s.zarr
    gt-pack -q --layout vcz s.vcf -o s.vcz
    gt-sim -q --samples 6 --variants 30 --uniform 0..9 --seed 1 -o a.zarr
    gt-pdist -q -O counts -m ibs s.zarr -o c.counts
    gt-svd -q -k 2 --loadings s.zarr -o m.npy
    odd_vcf > k.vcf
    gt-pack -q --polyploid missing k.vcf -o k.zarr
    { grep '^#' s.vcf && grep -v '^#' s.vcf | sed 's|0/1|./.|'; } > gaps.vcf
    { grep '^#' s.vcf && grep -v '^#' s.vcf | sed p; } > twice.vcf
    awk -F '\t' -v OFS='\t' '!/^#/ { for (i = 10; i <= NF; i++) $i = substr($i, 1, 1) } 1' s.vcf > hap.vcf
    printf 'S1 S2\nS3 S3\n' > self
    printf 'a 1\nb 2\nzz 1\n' > sex
    printf '%s\n' S1 S2 S3 S4 > fit4
    seq 60 > six
    "$PYTHON" -c '
import numpy as np
np.save("x.npy", np.arange(12.0).reshape(3, 4))
np.save("tall.npy", np.arange(6.0).reshape(3, 2) + 0.25)
np.save("neg.npy", np.array([1.0, -1, 0, 0]))
np.save("inf.npy", np.array([1.0, 1, np.inf, 0]))
np.save("w.npy", np.array([1.0, 1, 2]))
np.save("w2.npy", np.ones((2, 2)))
np.save("cube.npy", np.zeros((2, 3, 4)))'
    mkdir out
}

setup() {
    cd "$BATS_FILE_TMPDIR" || exit 1
    export GT_THREADS=3
    "$PYTHON" -c 'import numpy' 2> /dev/null || skip "no python3-numpy"
}

@test "gt-pack" {
    says << 'TABLE'
2 | option '--hwe' must be above 0 | see gt-pack -h | gt-pack --hwe 0 s.vcf -o out/x
2 | option '--timeout' must be above 0 and at most 86400 | see gt-pack -h | gt-pack --timeout 0 s.vcf -o out/x
2 | option '--maf' must be at most 0.5 | see gt-pack -h | gt-pack --maf 0.6 s.vcf -o out/x
2 | --dry-run cannot be combined with --json: the plan is text | see gt-pack -h | gt-pack -n --json s.vcf -o out/x
2 | --quiet cannot be combined with --verbose, except with --log | see gt-pack -h | gt-pack -q -v s.vcf -o out/x
2 | 'out/x.zarr.gz' has the suffix of a compressed file, but packed is not compressed | omit .gz: the chunks of a store are compressed | gt-pack s.vcf -o out/x.zarr.gz
2 | cannot write 's.vcf': it is the input 's.vcf' | no output may be an input: give it another name | gt-pack s.vcf --log s.vcf -o out/x
2 | 's.vcf' has the suffix of a VCF, which gt-pack does not write | gt-unpack IN -o OUT.vcf | gt-pack s.vcf -o s.vcf -f
2 | --deep reads its input twice, and 'standard input' is a stream | | gt-pack s.vcf | gt-info --check --deep
2 | --layout vcz reads VCF, BCF, PLINK and EIGENSTRAT; 's.zarr' is a packed store | convert it first: gt-unpack -O vcf s.zarr | gt-pack --layout vcz s.zarr -o out/x
2 | --fields '': use 'none' for no fields, 'all' for all | see gt-pack -h | gt-pack --fields '' --layout vcz s.vcf -o out/x
2 | --layout vcz reads VCF, BCF, PLINK and EIGENSTRAT; 's.vcz' is a VCF Zarr store | convert it first: gt-unpack -O vcf s.vcz | gt-pack --layout vcz --slice :,:,0 s.vcz -o out/x
2 | unknown option '--device' | leave out --device cuda: this command computes on the CPU only | gt-pack --device cuda s.vcf -o out/x
2 | --verify needs an output that is a directory store, and 'out/x.zip' is not one | | gt-pack --verify s.vcf -o out/x.zip
2 | --resume needs an output that is a directory store, and 'out/x.zip' is not one | | gt-pack --resume s.vcf -o out/x.zip
2 | --resume: standard input cannot be read again | | gt-pack --resume - -o out/x.zarr < s.vcf
2 | --resume: '/dev/stdin' cannot be read again | | cat s.vcf | gt-pack --resume /dev/stdin -o out/x.zarr
3 | 'a.zarr' already exists, made by 'gt-sim 0.1.0: gt-sim --samples 6 --variants 30 --uniform 0..9 --seed 1 -o a.zarr'; this is 'gt-pack 0.1.0: gt-pack s.vcf -o a.zarr' | replace it with --force | gt-pack --resume s.vcf -o a.zarr
3 | 's.zarr' already exists, and with --no-version there is no record of what made it | replace it with --force | gt-pack --resume s.vcf --no-version -o s.zarr
3 | 's.zarr' already exists, made by 'gt-pack 0.1.0: gt-pack s.vcf -o s.zarr'; this is 'gt-pack 0.1.0: gt-pack --maf 0.1 s.vcf -o s.zarr' | replace it with --force | gt-pack --resume --maf 0.1 s.vcf -o s.zarr
2 | --chunks 'variants=0': '0' is not a length | | gt-pack --chunks variants=0 s.vcf -o out/x
2 | --shard: 6 is not a multiple of the chunk length 5 | use --shard variants=10 | gt-pack --chunks variants=5,samples=4 --shard variants=6 --zarr-format 3 s.vcf -o out/x
2 | 'out/x.log' has the suffix of a log, which gt-pack does not write | a name ending in .zip or .tar makes one file; any other name a directory, such as x.zarr | gt-pack --log out/x.log s.vcf -o out/x.log
3 | 'k.vcf' has calls of ploidy 3; --local-alleles needs diploid calls | | gt-pack -f --layout vcz --local-alleles k.vcf -o o.zarr
3 | 'k.vcf', line 9 (1:10): sample 'c' has genotype '2/.': a half call | | gt-pack -f k.vcf --half-call error -o o.zarr
3 | --sex auto: 's.vcf' has no sex for any sample | use --sex FILE with lines 'IID SEX' (1 or M: male, 2 or F: female) | gt-pack -f --sex auto s.vcf -o o.zarr
1 | cannot open 'hg19': No such file or directory | | gt-pack -f --exclude-long-range hg19 s.vcf -o o.zarr
2 | 'out/x.bed' has the suffix of a PLINK .bed, which gt-pack does not write | gt-unpack IN -o OUT.bed | gt-pack s.vcf -o out/x.bed
2 | option '--concat': unknown value 'foo' | choose variants or samples | gt-pack --concat foo s.vcf -o out/x
3 | sample 'S1' is in both 's.vcf' and 's.vcf' | | gt-pack --concat samples s.vcf s.vcf -o out/x
3 | 'k.vcf' has 4 samples and 's.vcf' has 6 | | gt-pack s.vcf k.vcf -o out/x
3 | there is no sample 'nobody' in 's.vcf' | gt-info --stats samples lists the samples of an input | gt-pack -s nobody s.vcf -o out/x
3 | sample 'S1' is listed twice | | gt-pack -s S1,S1 s.vcf -o out/x
2 | bad region '9:5-1' | write CHR, CHR:POS, CHR:FROM- or CHR:FROM-TO, first base 1 | gt-pack -r 9:5-1 s.vcf -o out/x
2 | bad region '1:a' | write CHR, CHR:POS, CHR:FROM- or CHR:FROM-TO, first base 1 | gt-pack -r 1:a s.vcf -o out/x
2 | --regions-overlap needs -r or -R | | gt-pack --regions-overlap pos s.vcf -o out/x
3 | 30 variants of 's.vcf' are left; --require-sites needs 31 | | gt-pack --require-sites 31 s.vcf -o out/x
2 | --thin 1: the number must be at least 2 | | gt-pack --thin 1 s.vcf -o out/x
2 | --ld-prune 3: give a window and a squared correlation | 1000kb,0.1 (bases), 50,0.2 (variants), or 50,5,0.2 (variants, step of the window) | gt-pack --ld-prune 3 s.vcf -o out/x
2 | --ld-prune 3,5,2: give a window and a squared correlation | 1000kb,0.1 (bases), 50,0.2 (variants), or 50,5,0.2 (variants, step of the window) | gt-pack --ld-prune 3,5,2 s.vcf -o out/x
2 | option '--rm-dup': unknown value 'foo' | choose force-first or error | gt-pack --rm-dup foo s.vcf -o out/x
3 | 'twice.vcf' has duplicated variants at 1:2126 A G | keep the first with --rm-dup force-first | gt-pack --rm-dup error twice.vcf -o out/x
2 | option '--mac' must be at least 1 | see gt-pack -h | gt-pack --mac 0 s.vcf -o out/x
2 | --min-alleles 3 is above --max-alleles 2 | | gt-pack --min-alleles 3 --max-alleles 2 s.vcf -o out/x
2 | -s cannot be combined with -S | | gt-pack -s S1 -S sex s.vcf -o out/x
2 | -r cannot be combined with -R | | gt-pack -r 1 -R sex s.vcf -o out/x
3 | there is no contig '7' in 's.vcf' | --skip-absent continues without it | gt-pack --contigs 7 s.vcf -o out/x
2 | option '--memory': 'x' is not a size | for example 512M, 1.5G or 100MB | gt-pack --memory x s.vcf -o out/x
2 | option '--threads' must be at least 1 | see gt-pack -h | gt-pack -@ 0 s.vcf -o out/x
2 | option '--io' must be at least 1 | see gt-pack -h | gt-pack --io 0 s.vcf -o out/x
2 | option '--io' must be at most 4096 | see gt-pack -h | gt-pack --io 5000 s.vcf -o out/x
1 | cannot open 'foo': No such file or directory | | gt-pack --progress foo s.vcf -o out/x
2 | --chunks 's.vcf': not variants=N,samples=M | | gt-pack --chunks s.vcf -o out/x
2 | option '--codec' needs a value | see gt-pack -h | gt-pack --codec
2 | option '--json' takes no value | see gt-pack -h | gt-pack --json=5 s.vcf
2 | option '--zarr-format': unknown value '4' | choose 2 or 3 | gt-pack --zarr-format 4 s.vcf -o out/x
3 | 'standard input' is empty | | gt-pack -o out/x
1 | cannot open 'nope.vcf': No such file or directory | | gt-pack nope.vcf -o out/x
1 | cannot create 's.zarr': it already exists | replace it with --force | gt-pack s.vcf -o s.zarr
2 | --set-all-var-ids 'foo': give a form with @ (contig) and # (position), once each | --set-all-var-ids @:#:$r:$a is CONTIG:POSITION:REF:ALT | gt-pack --set-all-var-ids foo s.vcf -o out/x
2 | --mask selects variants by index, and the number of variants of 's.vcf' (VCF) is not known | make a store first: gt-pack | gt-pack --mask foo s.vcf -o out/x
2 | --sites needs a store of calls; 's.vcf' is a VCF | | gt-pack --sites s.zarr s.vcf -o out/x
2 | --fields 'FOO': the header of 's.vcf' declares no such field | | gt-pack --layout vcz --fields FOO s.vcf -o out/x
2 | --fields 'INFO/XX': the header of 's.vcf' declares no such field | | gt-pack --layout vcz --fields INFO/XX s.vcf -o out/x
2 | unknown option '-C' | see gt-pack -h | gt-pack -C s.vcf -o out/x
2 | unknown option '--sam' | did you mean '--samples'? | gt-pack --sam S1 s.vcf -o out/x
2 | unknown option '--m' | bcftools' -m N is --min-alleles N here | gt-pack --m 1 s.vcf -o out/x
2 | unknown option '--sampels' | did you mean '--samples'? | gt-pack --sampels S1 s.vcf -o out/x
2 | 'out/x' (-o) and 'out' (--log) are the same file; two outputs need two names | | gt-pack --log out s.vcf -o out/x
2 | bad slice '0:5:0': a step is 0 | write it as for numpy, one part an axis (of genotypes: variants,samples,ploidy): ':,:,1' or '0:1000,::2' | gt-pack --slice 0:5:0 s.vcf -o out/x
2 | bad slice '9,9,9,9': there are at most three axes | write it as for numpy, one part an axis (of genotypes: variants,samples,ploidy): ':,:,1' or '0:1000,::2' | gt-pack --slice 9,9,9,9 s.vcf -o out/x
TABLE
}

@test "gt-pdist: formats, lists and arrays" {
    says << 'TABLE'
2 | 'out/x.npy.gz' has the suffix of a compressed file, but npy is not compressed | leave out the .gz | gt-pdist s.zarr -O npy -o out/x.npy.gz
2 | --as array: 's.zarr/packed_dosage' holds four genotypes in each byte | gt-rechunk --layout plain --dtype int8 writes one number for each genotype | gt-pdist --as array s.zarr/packed_dosage
2 | -m king needs genotypes, but --slice selects single alleles of the calls of 's.vcz' | | gt-pdist -m king --slice :,:,0 s.vcz
2 | -O counts needs samples: counts of variants cannot be added | | gt-pdist -O counts --axis 0 s.zarr -o out/x
2 | unknown option '-w' | see gt-pdist -h | gt-pdist -m euclidean -w cube.npy x.npy
2 | unknown option '-w' | see gt-pdist -h | gt-pdist -m euclidean -w neg.npy x.npy
2 | unknown option '-w' | see gt-pdist -h | gt-pdist -m king -w neg.npy x.npy
2 | unknown option '-w' | see gt-pdist -h | gt-pdist -m correlation -w neg.npy x.npy
2 | unknown option '-w' | see gt-pdist -h | gt-pdist -m mahalanobis -w neg.npy x.npy
2 | -O grm writes PREFIX.grm.bin, PREFIX.grm.N.bin and PREFIX.grm.id: it needs -o PREFIX | see gt-pdist -h | gt-pdist -m grm -O grm s.zarr
2 | 'out/x.rel.bin' has the suffix of a binary matrix, but this one is text | use --plink-shape bin or bin-square for a binary matrix | gt-pdist -O plink -o out/x.rel.bin -m grm s.zarr
2 | 'out/x.mibs.bin' has the suffix of a binary matrix, but this one is text | use --plink-shape bin or bin-square for a binary matrix | gt-pdist -O plink -o out/x.mibs.bin -m ibs s.zarr
2 | 'out/x.mdist' is not PLINK's name for 'ibs', which ends in .mibs | see gt-pdist -h | gt-pdist -O plink -o out/x.mdist -m ibs s.zarr
2 | format plink contradicts 'out/x.txt', which has the suffix of a text | omit the format, or choose another output name | gt-pdist -O plink --plink-shape bin -m ibs s.zarr -o out/x.txt
2 | 'x.npy' is a plain array; give one array at a time, not 2 | | gt-pdist x.npy x.npy
2 | --knn 0: must be at least 1 | see gt-pdist -h | gt-pdist --knn 0 -O pairs s.zarr
3 | self, line 2: 'S3' is paired with itself | | gt-pdist -O pairs -m grm-vanraden --pairs self s.zarr
3 | self, line 2: 'S3' is paired with itself | | gt-pdist -O pairs -m ibs --pairs self s.zarr
2 | --part auto: this process is not a task of an array job of Slurm, Grid Engine, LSF or PBS | give --part I/N | gt-pdist --part auto s.zarr -o out/c.counts
2 | --part auto/3: this process is not a task of an array job of Slurm, Grid Engine, LSF or PBS | give --part I/N | gt-pdist --part auto/3 s.zarr -o out/c.counts
2 | --part auto: Grid Engine does not say how many tasks the array job has | number the tasks 1 to N, and give --part auto/N | env SGE_TASK_ID=1 SGE_TASK_FIRST=1 SGE_TASK_STEPSIZE=1 gt-pdist --part auto s.zarr -o out/c.counts
2 | --part auto: LSF does not say how many tasks the array job has | number the tasks 1 to N, and give --part auto/N | env LSB_JOBINDEX=1 gt-pdist --part auto s.zarr -o out/c.counts
2 | --part auto: Torque does not say how many tasks the array job has | number the tasks 1 to N, and give --part auto/N | env PBS_ARRAYID=1 gt-pdist --part auto s.zarr -o out/c.counts
2 | --part auto: PBS does not say how many tasks the array job has | number the tasks 1 to N, and give --part auto/N | env PBS_ARRAY_INDEX=1 gt-pdist --part auto s.zarr -o out/c.counts
2 | 's.vcf' and 's.zarr' are both inputs | give one of them as IN: gt-pdist --cols s.zarr s.vcf | gt-pdist --rows s.vcf --cols s.zarr s.vcf
2 | 's.vcf' and 's.zarr' are both inputs | give one of them as IN: gt-pdist --cols s.zarr s.vcf | gt-pdist --rows s.vcf --cols s.zarr
2 | 'c.counts' lacks the count 'square', which king needs | it has n, abs; make the counts with the same -m | gt-pdist -m king --merge c.counts
2 | --plot and the matrix cannot both go to standard output | see gt-pdist -h | gt-pdist --plot - -o - s.zarr -m 1-ibs
2 | --tree and --plot cannot both go to standard output | see gt-pdist -h | gt-pdist --tree - --plot - s.zarr -m 1-ibs
2 | --device-memory needs --device cuda or --device auto | | gt-pdist --device-memory 1G s.zarr
2 | --device: unknown device 'foo' | choose cpu, cuda, cuda:N or auto; gt-info --devices lists what there is | gt-pdist --device foo s.zarr
2 | no device 'cuda:x'; choose cpu, auto, cuda or cuda:N | | gt-pdist --device cuda:x s.zarr
2 | unknown metric 'allele-share' | choose euclidean, sqeuclidean, seuclidean, mahalanobis, cityblock, minkowski, chebyshev, canberra, braycurtis, cosine, correlation, hamming, jaccard, jensenshannon, dice, kulczynski1, kulsinski, rogerstanimoto, russellrao, sokalmichener, sokalsneath, yule, mismatches, allele-count, 1-ibs, ibs, ibs-prob, ibs0, king, grm, grm-vanraden or weir-goudet | gt-pdist -m allele-share --polyploid missing k.vcf
2 | --missing plink is for diploid data: PLINK expects differences of diploid genotypes | | gt-pdist -m ibs --missing plink hap.vcf
3 | 'neg.npy': value 2 is -1; values must be finite and not negative | | gt-pdist -m euclidean --weights neg.npy x.npy
3 | 'inf.npy': value 3 is inf; values must be finite and not negative | | gt-pdist -m euclidean --weights inf.npy x.npy
3 | 'w2.npy' has 2 axes; one is needed | | gt-pdist -m euclidean --weights w2.npy x.npy
TABLE
}

@test "gt-pdist: metrics, counts, parts and trees" {
    says << 'TABLE'
2 | 3 weights or variances for 'x.npy', which has 4 columns | | gt-pdist -m euclidean --weights w.npy x.npy
2 | -m king cannot be weighted: --weights does not apply | see gt-pdist -h | gt-pdist -m king --weights w.npy s.zarr
2 | -m mahalanobis cannot be weighted: --weights does not apply | see gt-pdist -h | gt-pdist -m mahalanobis --weights w.npy x.npy
3 | 'neg.npy': value 2 is -1; values must be finite and not negative | | gt-pdist -m seuclidean -V neg.npy x.npy
2 | unknown metric 'allele-share' | choose euclidean, sqeuclidean, seuclidean, mahalanobis, cityblock, minkowski, chebyshev, canberra, braycurtis, cosine, correlation, hamming, jaccard, jensenshannon, dice, kulczynski1, kulsinski, rogerstanimoto, russellrao, sokalmichener, sokalsneath, yule, mismatches, allele-count, 1-ibs, ibs, ibs-prob, ibs0, king, grm, grm-vanraden or weir-goudet | gt-pdist -n -m allele-share k.vcf
3 | no samples of 's.zarr' are left | | gt-pdist -s ^S1,S2,S3,S4,S5,S6 s.zarr
2 | --plot 'out/x.jpg': the name must end in .svg, .png or .pdf | see gt-pdist -h | gt-pdist --plot out/x.jpg -m 1-ibs s.zarr
2 | --groups needs --plot | see gt-pdist -h | gt-pdist --groups sex s.zarr
2 | -p needs -m minkowski; 'euclidean' has no power | see gt-pdist -h | gt-pdist -p 3 s.zarr
2 | -p 0: must be above 0 and at most 1000, or inf | see gt-pdist -h | gt-pdist -m minkowski -p 0 s.zarr
2 | -p 0: must be above 0 and at most 1000, or inf | see gt-pdist -h | gt-pdist -m minkowski -p 0 x.npy
2 | metric king needs genotypes, not a plain array | | gt-pdist -m king x.npy
1 | cannot open 'nope': No such file or directory | | gt-pdist -m table:nope s.zarr
2 | --plink-shape needs -O plink or -O king | see gt-pdist -h | gt-pdist --plink-shape bin s.zarr
2 | KING's format holds kinship, and ibs is not one; use -m king | see gt-pdist -h | gt-pdist -O kin0 -m ibs s.zarr
2 | KING's format holds kinship, and ibs is not one; use -m king | see gt-pdist -h | gt-pdist -O king -m ibs s.zarr
2 | 's.zarr' is not a regular file: --merge reads its inputs more than once | | gt-pdist --merge s.zarr
2 | --merge needs the names of files of pair counts; it does not read standard input | | gt-pdist --merge
3 | 'x.npy' is not a file of pair counts (gt-pdist -O counts) | | gt-pdist --merge -m ibs c.counts x.npy
2 | --haplotypes needs calls; 's.zarr' (packed store) has only dosages | | gt-pdist --haplotypes s.zarr
2 | --haplotypes needs genotypes; 'x.npy' is a plain array | --slice selects rows and columns of an array | gt-pdist --haplotypes x.npy
2 | option '--between': unknown value 'foo' | choose samples or variants | gt-pdist --between foo s.zarr
2 | --tree-method needs --tree | see gt-pdist -h | gt-pdist --tree-method upgma s.zarr
2 | --tree needs distances, but king is a similarity | use -m 1-ibs or -m euclidean | gt-pdist --tree out/t -m king s.zarr
2 | --tree needs distances, but ibs is a similarity | use -m 1-ibs or -m euclidean | gt-pdist --tree out/t -m ibs s.zarr
3 | 'x.npy' has 2 axes (3, 4); the inverse covariance of 'x.npy' must be 4 x 4 | | gt-pdist -m mahalanobis --vi x.npy x.npy
3 | 'w2.npy' has 2 axes (2, 2); the inverse covariance of 'x.npy' must be 4 x 4 | | gt-pdist -m mahalanobis --vi w2.npy x.npy
3 | gaps.vcf has missing genotypes | choose how to treat them: --missing rescale or --missing ignore | gt-pdist --missing error gaps.vcf
3 | gaps.vcf has missing genotypes | choose how to treat them: --missing rescale or --missing ignore | gt-pdist --missing error -m ibs gaps.vcf
3 | fit4, line 1: two ids are needed | | gt-pdist -O pairs --pairs fit4 s.zarr
1 | cannot open 'nope': No such file or directory | | gt-pdist -O pairs --pairs nope s.zarr
1 | cannot open 'nope': No such file or directory | | gt-pdist --rows nope s.zarr
3 | six, line 1: sample '1' is not in 's.zarr' (absent: all 60 samples of --rows) | gt-info --stats samples lists the samples of an input | gt-pdist --rows six s.zarr
3 | sex, line 1: sample '1' is not in 's.zarr' (absent: all 3 samples of --rows) | gt-info --stats samples lists the samples of an input | gt-pdist --rows sex --cols fit4 s.zarr
3 | 'c.counts' and 'c.counts' have the same 30 variants of contig 1 | count windows with --regions-overlap pos; if no variant is in both files, add --allow-overlaps | gt-pdist -m ibs --merge --sum c.counts c.counts
3 | sample 'S1' is in both 's.zarr' and 's.zarr' | | gt-pdist -m ibs --concat samples s.zarr s.zarr
2 | --as genotypes needs a Zarr array; 'x.npy' is a NumPy .npy | | gt-pdist --as genotypes x.npy
TABLE
}

@test "gt-svd" {
    says << 'TABLE'
2 | --ranks needs --dry-run; mpirun or srun starts ranks | see gt-svd -h | gt-svd --ranks 2 s.vcf -o out/x
2 | --as array: 's.zarr/packed_dosage' holds four genotypes in each byte | gt-rechunk --layout plain --dtype int8 writes one number for each genotype | gt-svd --as array s.zarr/packed_dosage -k 1 -o out/x
2 | --loadings writes several files: it needs -o PREFIX | | gt-svd -k 1 s.zarr --loadings 
2 | --plot and the components cannot both go to standard output | see gt-svd -h | gt-svd -k 1 s.zarr --plot - -O tsv
2 | --tol 0: must be above 0 and below 1 | see gt-svd -h | gt-svd --tol 0 -k 1 s.zarr
2 | --tol 1: must be above 0 and below 1 | see gt-svd -h | gt-svd --tol 1 -k 1 s.zarr
2 | --passes 2: krylov needs at least 3 | see gt-svd -h | gt-svd --algorithm krylov --passes 2 -k 1 s.zarr
2 | --seed cannot be combined with --sketch, which gives the random matrix | see gt-svd -h | gt-svd --algorithm compressed --seed 1 --sketch x.npy x.npy -k 1
2 | --algorithm cannot be combined with --project, which uses an existing model | see gt-svd -h | gt-svd --project m.model.zip --algorithm gram s.zarr
2 | --loadings cannot be combined with --project, which uses an existing model | see gt-svd -h | gt-svd --project m.model.zip --loadings s.zarr -o out/x
2 | --tol cannot be combined with --project, which uses an existing model | see gt-svd -h | gt-svd --project m.model.zip --tol 0.1 s.zarr -o out/x
2 | --fit cannot be combined with --project, which uses an existing model | see gt-svd -h | gt-svd --project m.model.zip --fit s s.zarr -o out/x
2 | --ranks: arrays are decomposed by one process | | gt-svd --ranks 2 -n x.npy -k 1
2 | --ranks: --project runs in one process | | gt-svd --ranks 2 -n --project m.model.zip s.zarr
2 | -O zarr writes a directory or a .zip: it needs -o | | gt-svd -O zarr x.npy -k 1
2 | -O zarr writes a directory or a .zip: it needs -o | | gt-svd -O zarr s.zarr -k 1
2 | --scores cannot be combined with -O zarr, which stores the singular values | | gt-svd -O zarr --scores s.zarr -k 1 -o out/x
2 | 'x.npy' is a plain array; give one array, not 2 | | gt-svd x.npy x.npy -k 1
2 | gt-svd needs genotypes, but --slice selects one allele of each call of 's.vcz' | | gt-svd --slice :,:,0 s.vcz -k 1
1 | cannot open 's.npy': No such file or directory | | gt-svd --loadings s.npy -k 1
2 | --fit reads its input twice, and 'standard input' is a stream | make a store with gt-pack | gt-pack s.vcf | gt-svd --fit self -k 1 -o out/x
2 | --fit reads its input twice, and 'standard input' is a stream | make a store with gt-pack | gt-svd --fit self -k 1 - < s.vcf
2 | --plot 'out/x.jpg': the name must end in .svg, .png or .pdf | see gt-svd -h | gt-svd --plot out/x.jpg -k 1 s.zarr
2 | --report 'out/r.txt': the name must end in .html or .json | --report report.html | gt-svd -k 1 s.zarr --report out/r.txt
2 | --graph 'out/r.txt': the name must end in .dot, .svg, .png or .pdf | | gt-svd -k 1 s.zarr --graph out/r.txt
2 | --groups needs --plot | see gt-svd -h | gt-svd --groups sex -k 1 s.zarr
3 | 'six', line 1: a sample without a group | | gt-svd --plot out/x.svg --groups six -k 1 s.zarr
2 | option '--plot-dpi' must be at least 1 | see gt-svd -h | gt-svd --plot-dpi 0 --plot out/x.png -k 1 s.zarr
2 | --plot-dpi is the resolution of PNG; 'out/x.svg' has none | see gt-svd -h | gt-svd --plot-dpi 100 --plot out/x.svg -k 1 s.zarr
2 | --plot-width needs --plot | see gt-svd -h | gt-svd --plot-width 100 -k 1 s.zarr
2 | --refit needs --fit | see gt-svd -h | gt-svd --refit -k 1 s.zarr
2 | --match needs --project | see gt-svd -h | gt-svd --match id -k 1 s.zarr
2 | --min-match needs --project | see gt-svd -h | gt-svd --min-match 0.2 -k 1 s.zarr
3 | 'x.npy' is a NumPy .npy, not a model | | gt-svd --project x.npy s.zarr -o out/x
1 | cannot open 'nope.zip': No such file or directory | | gt-svd --project nope.zip s.zarr -o out/x
3 | only 7 of 22 model variants found in 's.zarr' by position (--min-match 1) | --match id would find 7; are the model and the data of the same genome build? | gt-svd --project m.model.zip --min-match 1 --maf 0.3 s.zarr -o out/x
2 | -k 7 is more than 's.zarr' has (6 samples) | | gt-svd -k 7 s.zarr -o out/x
2 | -k 5: 'x.npy' is 3 x 4 and has at most 3 singular values | | gt-svd -k 5 x.npy -o out/x
2 | -k 0: must be from 1 to 1000 | see gt-svd -h | gt-svd -k 0 x.npy -o out/x
3 | 'w.npy' is 3 x 1; a sketch of 'x.npy' must be 4 x 3 | one row per column of the array, and max(K + oversample, 20) columns, but no more than the array's shorter side | gt-svd -k 1 --algorithm compressed --sketch w.npy x.npy -o out/x
3 | 'w2.npy' is 2 x 2; a sketch of 'x.npy' must be 4 x 3 | one row per column of the array, and max(K + oversample, 20) columns, but no more than the array's shorter side | gt-svd -k 1 --algorithm compressed --sketch w2.npy x.npy -o out/x
2 | --iterator needs a plain array; 's.zarr' holds genotypes | | gt-svd -k 1 --algorithm compressed --iterator QR s.zarr -o out/x
1 | cannot open 'nope': No such file or directory | | gt-svd -k 1 --fit nope s.zarr -o out/x
3 | there is no sample '1' in 's.zarr' (absent: all 60 samples of --fit) | gt-info --stats samples lists the samples of an input | gt-svd -k 1 --fit six s.zarr -o out/x
TABLE
}

@test "gt-rechunk and gt-unpack" {
    says << 'TABLE'
2 | --layout packed: 'variant_id' would have 1 axes; packed genotypes need variants and samples | | gt-rechunk s.zarr --layout packed --array variant_id -o out/x
2 | --shard: Zarr 2 has no shards | --zarr-format 3 has | gt-rechunk --shard 2,2 x.npy -o out/x
2 | --regions: 'x.npy' has no axis 'variants' | | gt-rechunk -r 1 x.npy -o out/x
2 | --samples: 'x.npy' has no axis 'samples' | | gt-rechunk -s S1 x.npy -o out/x
2 | format npy contradicts 'out/x.zarr', which has the suffix of a Zarr store | omit the format, or choose another output name | gt-rechunk x.npy -O npy -o out/x.zarr
3 | 's.zarr': there is no Zarr array or group 'nope' | | gt-rechunk s.zarr -O npy -o out/x.npy --array nope
2 | --reduce: unknown function 'foo'; choose sum, prod, mean, min, max, std, var, any, all or count, or nansum, nanprod, ... nanvar | | gt-rechunk x.npy --reduce foo:0 -o out/x
2 | bad slice '0:1,0:1,0:1': there are at most 2 axes | write it as for numpy, one part an axis (of genotypes: variants,samples,ploidy): ':,:,1' or '0:1000,::2' | gt-rechunk x.npy --slice 0:1,0:1,0:1 -o out/x
2 | bad slice 'a': a number or ':' is missing | write it as for numpy, one part an axis (of genotypes: variants,samples,ploidy): ':,:,1' or '0:1000,::2' | gt-rechunk x.npy --slice a -o out/x
3 | 'tall.npy': 0.25 at [0, 0] does not fit in int8 | --cast unsafe wraps and rounds such values | gt-rechunk tall.npy --dtype i1 -o out/x
2 | '9': index 9 is outside the 0 axis of 3 | | gt-rechunk x.npy --pick 0:9 -o out/x
2 | --pick: 'x.npy' has no axis '5' | | gt-rechunk x.npy --pick 5:0 -o out/x
1 | cannot open 'nope': No such file or directory | | gt-rechunk x.npy --pick 0:nope -o out/x
3 | there is no sample 'nobody' in 's.zarr' | gt-info --stats samples lists the samples of an input | gt-rechunk s.zarr -s nobody -o out/x
3 | there is no contig '7' in 's.zarr' | --skip-absent, instead of --strict, continues without them | gt-rechunk s.zarr -r 7 --strict -o out/x
2 | more than one input: 's.zarr' and 'x.npy' | | gt-rechunk s.zarr x.npy -o out/x
2 | -c: packed chunks need a multiple of 4 samples; 2 is not one | | gt-rechunk s.zarr -c samples=2 -o out/x
2 | -c: no array has an axis 'foo' | | gt-rechunk s.zarr -c foo=2 -o out/x
2 | -c: 'variants=0' is not a length | | gt-rechunk s.zarr -c variants=0 -o out/x
2 | array '/': unknown codec 'foo' | codecs are zstd:LEVEL, blosc:NAME:LEVEL:SHUFFLE:BLOCK, gzip:LEVEL, zlib:LEVEL, bz2:LEVEL, lz4, none, or the JSON of a Zarr codec list | gt-rechunk --codec foo x.npy -o out/x
2 | array '/': level '99' of codec 'zstd' is not a number from -131072 to 22 | | gt-rechunk --codec zstd:99 x.npy -o out/x
2 | --slice selects one allele of each call, which is not a genotype | | gt-unpack --slice :,:,0 s.vcz
2 | --ploidy does not apply: the calls of 's.vcz' are written as they are | | gt-unpack -f s.vcz -O vcf --ploidy 2
2 | format pgen contradicts 'out/x.bed', which has the suffix of a PLINK .bed | omit the format, or choose another output name | gt-unpack s.zarr -O pgen -o out/x.bed
3 | 'x.npy' holds no genotypes: it is a NumPy .npy | | gt-unpack s.zarr x.npy
3 | 'x.npy' holds no genotypes: it is a NumPy .npy | | gt-unpack x.npy
3 | 1:10 is multiallelic; genotypes cannot be restored from allele counts | --skip-multiallelic drops such variants; for calls, --split-multiallelic makes a row for each ALT | gt-unpack k.zarr -o out/x.bed
3 | 'k.vcf', line 13 (X:50): sample 'a' has genotype '0/1/1': its ploidy is above 2 | --polyploid missing sets such calls to missing | gt-unpack k.vcf -o out/x.bed
TABLE
}

@test "gt-sim, gt-info and gt-pi" {
    says << 'TABLE'
2 | --ld must be at least 1 | | gt-sim --ld 0 --samples 2 --variants 2
2 | --fst must be at least 0 and below 1 | | gt-sim --fst 1 --samples 2 --variants 2
2 | --fst must be at least 0 and below 1 | | gt-sim --fst -0.5 --samples 2 --variants 2
2 | --min-maf cannot be combined with --spectrum growth | select common variants afterwards: gt-pack --maf F | gt-sim --spectrum growth --min-maf 0.1 --samples 2 --variants 2
2 | --truth - and the data cannot both go to standard output | see gt-sim -h | gt-sim --truth - -O vcf --samples 2 --variants 2
2 | --rank must be at least 1, and at most the smaller side of the matrix and 10000 | | gt-sim --samples 2 --variants 2 -O zarr --rank 3 -o out/x
2 | 'out/x.bgen' has the suffix of a BGEN, which gt-sim does not write | a name ending in .zip or .tar makes one file; any other name a directory, such as x.zarr | gt-sim --samples 2 --variants 2 -o out/x.bgen
2 | --samples must be at least 1 | | gt-sim --samples 0 --variants 2
2 | --pops 3 is more than --samples 2 | | gt-sim --samples 2 --variants 2 --pops 3
2 | --contigs 3 is more than --variants 2 | | gt-sim --samples 2 --variants 2 --contigs 3
2 | option '--spectrum': unknown value 'foo' | choose neutral, flat, common or growth | gt-sim --samples 2 --variants 2 --spectrum foo
2 | --normal needs --dtype float32 or float64 | | gt-sim --samples 2 --variants 2 --normal --dtype i1
2 | --uniform: the range does not fit the --dtype | | gt-sim --samples 2 --variants 2 --uniform 0..300 --dtype u1
2 | --uniform: an integer --dtype needs integer limits | | gt-sim --samples 2 --variants 2 --uniform 0..0.5 --dtype i1
2 | option '--missing': '2' is not between 0 and 1 | see gt-sim -h | gt-sim --samples 2 --variants 2 --missing 2
2 | --min-maf must be above 0 and at most 0.5 | | gt-sim --samples 2 --variants 2 --min-maf 0.6
2 | option '--multiallelic': '2' is not between 0 and 1 | see gt-sim -h | gt-sim --samples 2 --variants 2 --multiallelic 2 -O vcf
2 | --shard: Zarr 2 has no shards | add --zarr-format 3 | gt-sim --samples 2 --variants 2 --shard variants=2
2 | unexpected argument 'x' | see gt-sim -h | gt-sim x --samples 2 --variants 2
2 | --stats needs genotypes, but --slice selects one allele of each call | | gt-info --stats samples --slice :,:,0 s.vcz
2 | --head needs an array, and 's.zarr' is a group | name one of its arrays, such as s.zarr/contig_id | gt-info --head 1 s.zarr
2 | --head needs a store; 's.vcf' is a VCF | | gt-info --head 1 s.vcf
2 | --array needs a store; 's.vcf' is a VCF | | gt-info --check --array y s.vcf
2 | --array needs a store; 's.vcf' is a VCF | | gt-info --array y s.vcf
2 | --deep needs a store; 's.vcf' is a VCF, which --check reads in full | | gt-info --deep --check s.vcf
2 | 'standard input' is a stream; only a store (tar) can be shown from a stream, and this is a VCF | use --stats or --check, or give a file | gt-info < s.vcf
3 | 'standard input' is empty | | gt-info
1 | cannot open 'nope': No such file or directory | | gt-info --plot out/x.svg --kinship nope s.zarr
3 | 'self' has no column KINSHIP | make it with gt-pdist -m king -O kin0 | gt-info --plot out/x.svg --kinship self s.zarr
1 | cannot open 'nope.zarr': No such file or directory | | gt-info --head 2 nope.zarr
2 | --plot 'out/x.txt': the name must end in .svg, .png or .pdf | see gt-info -h | gt-info --plot out/x.txt s.zarr
2 | --plot 'out/x.jpg': the name must end in .svg, .png or .pdf | see gt-info -h | gt-info --plot out/x.jpg s.zarr
2 | option '--stats': unknown value 'foo' | choose samples or variants | gt-info --stats foo s.zarr
3 | 'x.npy' holds no genotypes: it is a NumPy .npy | | gt-info --stats samples x.npy
3 | 's.zarr': there is no Zarr array or group 'nope' | | gt-info --array nope s.zarr
2 | give one input, not 2 | | gt-info s.zarr x.npy
2 | give one input, not 2 | | gt-info r.json s.zarr
2 | unexpected argument 's.zarr' | see gt-info -h | gt-info --devices s.zarr
2 | --kinship needs --plot | see gt-info -h | gt-info --kinship self s.zarr
3 | 'x.npy' holds no genotypes: it is a NumPy .npy | | gt-info --plot out/x.svg x.npy
2 | --bytes 5 is less than one point, which is 16 bytes | see gt-pi -h | gt-pi --bytes 5
2 | 6 chunks are more than the 5 points there are | see gt-pi -h | gt-pi --points 5 --chunks 6
2 | option '--points': '-1' is not an integer | see gt-pi -h | gt-pi --points -1
TABLE
}

@test "an option that is not there: which one is meant, up to two letters away, of short ones one" {
    local word want
    while read -r word want; do
        run -2 --separate-stderr gt-pack "--$word" s.vcf -o out/x
        [ "${stderr_lines[0]}" = "gt-pack: unknown option '--$word'" ]
        [ "${stderr_lines[1]}" = "hint: $([ "$want" = - ] && echo 'see gt-pack -h' || echo "did you mean '--$want'?")" ] || { echo "$word: $stderr"; return 1; }
    done << 'WORDS'
samplez samples
smaples samples
smaplse samples
samplezz samples
sampzzzs -
sam samples
forc force
forze force
fxrze -
versoin version
vesrino version
vorsoinx -
mae maf
max-alelles max-alleles
max-alxxxes -
WORDS
}

@test "names in messages: what a terminal takes as a command, and bytes that are no UTF-8, are shown in hexadecimal" {
    "$PYTHON" - << 'PY'
import subprocess
points = [0x1f, 0x20, 0x7e, 0x7f, 0x9f, 0xa0, 0x7ff, 0x800, 0x200d, 0x200e, 0x200f, 0x2010, 0x2027, 0x2028, 0x202e, 0x202f, 0x2065, 0x2066,
          0x2069, 0x206a, 0xd7ff, 0xe000, 0xffff, 0x10000, 0x10ffff]
control = lambda p: p < 0x20 or 0x7f <= p < 0xa0 or 0x200e <= p <= 0x200f or 0x2028 <= p <= 0x202e or 0x2066 <= p <= 0x2069
cases = [(chr(p).encode(), control(p)) for p in points]
cases += [(b, True) for b in (b"\x80", b"\xbf", b"\xc1\x80", b"\xc2", b"\xe0\x9f\xbf", b"\xed\xa0\x80", b"\xed\xbf\xbf", b"\xf0\x8f\xbf\xbf",
                              b"\xf4\x90\x80\x80", b"\xf5\x80\x80\x80", b"\xe2\x80")]
for text, hidden in cases:
    said = subprocess.run([b"gt-pack", b"a" + text + b"b", "-o", "out/x"], capture_output=True).stderr
    shown = b"?" if text in (b"\x1f", b"\x7f") else b"".join(b"\\x%02x" % c for c in text) if hidden else text
    assert said.startswith(b"gt-pack: cannot open 'a" + shown + b"b': No such file"), (text, said)
PY
}

@test "gt-info: names of arrays with control characters" {
    mkdir -p named
    echo '{"zarr_format": 2}' > named/.zgroup
    local name
    for name in $'a\x1fb' $'a\x7fb' 'a b' 'a~b'; do
        mkdir -p "named/$name"
        echo '{"zarr_format": 2, "shape": [2], "chunks": [2], "dtype": "<i2", "compressor": null, "fill_value": 0, "filters": null, "order": "C"}' \
            > "named/$name/.zarray"
    done
    gt-info named > said
    for name in 'a\x1fb' 'a\x7fb' 'a b' 'a~b'; do grep -qF "  $name  " said; done
    [ "$(grep -c ' int16 ' said)" -eq 4 ]
}
