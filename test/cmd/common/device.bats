#!/usr/bin/env bats
# --device and GT_DEVICE: the host device runs what a GPU would, in plain C; refusals; faults in each operation.

bats_require_minimum_version 1.5.0

# shellcheck source=test/support/level.bash
. "$GT_SOURCE/test/support/level.bash"

setup() {
    cd "$BATS_TEST_TMPDIR" || exit 1
    unset GT_DEVICE GT_DEVICE_FAULT
}

inside() { gt-pi --json "$@" | sed 's/.*"inside": \([0-9]*\),.*"device": "\([^"]*\)".*/\1 \2/'; }

# Every call of every operation that the command makes, up to the third, fails once: one line, exit 1 or 4, no output $1 left.
every_fault() {
    local out=$1 operation call late n=0
    shift
    for operation in open alloc host_alloc stream_new stream_wait event_new event_record event_wait stream_after copy_to copy_from zero launch igemm fgemm syev qr; do
        for call in $(seq "$(by_level 1 2 4)"); do
            for late in "" :late; do
                rm -rf "$out"*
                GT_DEVICE=host GT_DEVICE_FAULT=$operation:$call$late run --separate-stderr "$@"
                [ "$status" -ne 0 ] || { continue; }
                [[ $status -eq 1 || $status -eq 4 ]] || { echo "$operation:$call$late: exit $status: $stderr"; return 1; }
                [[ $stderr == *"host:0: "*"fault injected"* ]] || { echo "$operation:$call$late: $stderr"; return 1; }
                [ "$(grep -vc '^hint: ' <<< "$stderr")" -eq 1 ] || { echo "$operation:$call$late: $stderr"; return 1; }
                [ -z "$out" ] || [ -z "$(ls -d "$out"* 2> /dev/null)" ] || { echo "$operation:$call$late left $(ls -d "$out"*)"; return 1; }
                ((++n))
            done
        done
    done
    echo "$n faults were met"
    ((n > 4))
}

@test "devices that are not there" {
    export GT_MODULES=$PWD
    run -1 --separate-stderr gt-pi --points 1000 --device cuda
    [[ $stderr == *"no CUDA module"*"hint: "* ]]
    run -0 --separate-stderr gt-pi --points 1000 --device auto
    [[ $stderr == *"device: cpu (this build has no CUDA module"* && $output == *"device       cpu ("* ]]
    run -2 --separate-stderr gt-pi --points 1000 --device gpu
    [[ $stderr == *"unknown device 'gpu'"*"hint: choose cpu, cuda"* ]]
    run -2 gt-pi --points 1000 --device host
    run -2 --separate-stderr gt-pi --points 1000 --device-memory 1G
    [[ $stderr == *"--device-memory needs --device cuda"* ]]
    GT_DEVICE=none run -2 --separate-stderr gt-pi --points 1000
    [[ $stderr == *"GT_DEVICE: unknown device 'none'"* ]]
    GT_DEVICE=host:1 run -1 --separate-stderr gt-pi --points 1000
    [[ $stderr == *"host:1: cannot be used: there is one device, 0"* ]]
    GT_DEVICE=host run -4 --separate-stderr gt-pi --points 1000 --device-memory 1000
    [[ $stderr == *"host:0: this work needs "*"may use 1000"*"hint: use --device-memory "* ]]
    GT_DEVICE=host run -4 --separate-stderr gt-pi --points 1000 --device-memory 1T
    [[ $stderr == *"--device-memory 1.0 TiB: host:0 has 4.0 GiB free"* ]]
}

@test "what there is: gt-info --devices, --version, the plan" {
    run -0 gt-info --devices
    [[ $output == "cpu: "*"cuda"* ]]
    run -0 gt-info --devices --json
    run -2 gt-info --devices input
    run -2 gt-info --devices --check
    GT_MODULES=$PWD run -0 gt-pi --version
    [[ $output == *"CUDA module: "* ]]
    run -0 gt-pi --points 1000 -n
    [[ $output == *"device       cpu ("* ]]
    GT_DEVICE=host run -0 gt-pi --points 1000 -n
    [[ $output == *"device       host:0 ("*"of its memory"* ]]
    GT_DEVICE=host run -0 gt-sim --samples 10 --variants 100 -n
    [[ $output == *"device         host:0 ("*"of its memory"* ]]
}

@test "commands and work without a device path refuse it" {
    for command in gt-pack gt-unpack gt-rechunk gt-info; do
        run -2 --separate-stderr $command --device cuda x
        [[ $stderr == *"unknown option '--device'"*"computes on the CPU only"* ]]
    done
    gt-sim -q --samples 4 --variants 20 --normal -o matrix.zarr
    gt-sim -q --samples 4 --variants 20 -o genotypes.vcf
    run -2 --separate-stderr gt-pdist --device cuda matrix.zarr
    [[ $stderr == *"--device cuda: a plain array runs on the CPU only"* ]]
    run -2 --separate-stderr gt-svd -k 2 --device cuda matrix.zarr
    [[ $stderr == *"--device cuda: an array runs on the CPU only"* ]]
    [ "$(GT_DEVICE=host gt-pdist -q matrix.zarr | cksum)" = "$(gt-pdist -q matrix.zarr | cksum)" ]
    for option in "--ld 10" "--spectrum growth" "--uniform 0..2"; do
        # shellcheck disable=SC2086
        run -2 --separate-stderr gt-sim --samples 10 --variants 100 $option --device cuda -o x.zarr
        [[ $stderr == *"--device cuda: "*"runs on the CPU only"* ]]
        # shellcheck disable=SC2086
        GT_DEVICE=host run -0 gt-sim -q --samples 10 --variants 100 $option --no-version -o a.zarr
        # shellcheck disable=SC2086
        run -0 gt-sim -q --samples 10 --variants 100 $option --no-version -o b.zarr
        diff -r a.zarr b.zarr
        rm -r a.zarr b.zarr
    done
    run -2 --separate-stderr gt-pi --points 1000 --threads 1,2 --device cuda
    [[ $stderr == *"a list of --threads runs on the CPU only"* ]]
}

@test "gt-pi: the CPU's counts" {
    for args in "--points 3000001 --seed 5" "--points 1" "--points 1023 --seed 9" "--points 400000 --chunks 77" "--points 1e6 --runs 2"; do
        # shellcheck disable=SC2086
        [ "$(GT_DEVICE=host inside $args | sed 's/host:0/cpu/')" = "$(inside $args)" ]
    done
    [ "$(GT_DEVICE=host inside --points 1000)" = "$(inside --points 1000 | sed 's/cpu/host:0/')" ]
    GT_DEVICE=host run -0 gt-pi --points 1000
    [[ $output == *"device       host:0 ("* ]]
}

@test "gt-pi: a fault in each operation" {
    every_fault "" gt-pi --points 100000 --runs 3
}

@test "gt-sim: the CPU's genotypes" {
    for args in "--samples 1001 --variants 700 --pops 3 --missing 0.05" "--samples 3 --variants 9000" "--samples 60 --variants 500 --missing 1" \
        "--samples 130 --variants 300 --phased --multiallelic 0.3 -O vcz" "--samples 20 --variants 100 --pops 20 --spectrum flat --missing 0.2 -O vcf"; do
        # shellcheck disable=SC2086
        GT_DEVICE=host gt-sim -q --seed 4 $args --no-version -o a
        # shellcheck disable=SC2086
        gt-sim -q --seed 4 $args --no-version -o b
        diff -r a b
        rm -r a b
    done
}

@test "gt-sim: a fault in each operation" {
    every_fault out gt-sim -q --samples 101 --variants 900 --pops 2 --missing 0.1 -o out.zarr
}

# The bytes of gt-pdist on the host device are those of the cpu.
same_pairs() {
    GT_DEVICE=host gt-pdist -q "$@" > on_device || return 1
    gt-pdist -q "$@" > on_cpu || return 1
    cmp on_device on_cpu || { echo "gt-pdist $*"; return 1; }
}

@test "gt-pdist: the CPU's bytes, all metrics of genotypes" {
    local metric n=0
    gt-sim -q --samples 70 --variants 600 --pops 2 --missing 0.03 --seed 2 -o gaps.zarr
    gt-sim -q --samples 70 --variants 300 --pops 2 --seed 2 -o full.zarr
    for metric in $(gt-pdist -m none 2>&1 | sed -n 's/^hint: choose //p' | tr -d , | sed 's/ or / /'); do
        GT_DEVICE=host gt-pdist -q -m "$metric" full.zarr > on_device 2> said || {
            run ! gt-pdist -q -m "$metric" full.zarr
            continue
        }
        same_pairs -m "$metric" full.zarr
        same_pairs -m "$metric" gaps.zarr
        ((++n))
    done
    ((n >= 25))
}

@test "gt-pdist: the CPU's bytes, rules for missing calls, boxes, parts, formats" {
    local rule
    gt-sim -q --samples 150 --variants 900 --pops 2 --missing 0.1 --seed 3 -o gaps.zarr
    for rule in rescale ignore mean literal; do
        same_pairs --missing $rule gaps.zarr
    done
    same_pairs -m ibs --missing plink gaps.zarr
    same_pairs -m king --min 0.02 -O pairs gaps.zarr
    same_pairs -O counts gaps.zarr
    same_pairs -m grm --part 2/3 gaps.zarr
    same_pairs --between variants --slice :90 gaps.zarr
    # less memory on the device: several passes
    gt-sim -q --samples 700 --variants 64 --missing 0.1 --seed 3 -o gaps.zarr -f
    GT_DEVICE=host gt-pdist -n gaps.zarr > plan
    GT_DEVICE=host gt-pdist -n --device-memory 12M gaps.zarr > low
    [ "$(awk '$1 == "passes" {print $2}' low)" -gt "$(awk '$1 == "passes" {print $2}' plan)" ]
    GT_DEVICE=host gt-pdist -q --device-memory 12M gaps.zarr > on_device
    gt-pdist -q gaps.zarr > on_cpu
    cmp on_device on_cpu
    GT_DEVICE=host run -4 --separate-stderr gt-pdist --device-memory 100k gaps.zarr -o none.tsv
    [[ $stderr == *"of device memory, and may use"*"hint: use --device-memory "* && ! -e none.tsv ]]
    [ "$(GT_DEVICE=host gt-pdist -q -@ 3 gaps.zarr | cksum)" = "$(cksum < on_cpu)" ]
}

@test "gt-pdist: multiallelic variants, haploid data" {
    gt-sim -q --samples 40 --variants 300 --multiallelic 0.4 --missing 0.05 --seed 5 -O vcf -o many.vcf
    same_pairs -m mismatches many.vcf
    same_pairs -m ibs-prob many.vcf
    gt-sim -q --samples 20 --variants 200 --phased -O vcf -o phased.vcf
    same_pairs --haplotypes -m hamming phased.vcf
}

@test "gt-pdist: a fault in each operation" {
    gt-sim -q --samples 40 --variants 5000 --missing 0.1 -o gaps.zarr
    every_fault out gt-pdist -q -m grm gaps.zarr -o out.tsv
}

# The files of gt-svd on the host device are those of the cpu.
same_pcs() {
    GT_DEVICE=host gt-svd -q -k 3 "$@" -o on_device -f || return 1
    gt-svd -q -k 3 "$@" -o on_cpu -f || return 1
    cmp on_device.eigenvec on_cpu.eigenvec && cmp on_device.eigenval on_cpu.eigenval || { echo "gt-svd $*"; return 1; }
}

@test "gt-svd: the CPU's bytes, krylov, compressed and gram" {
    gt-sim -q --samples 90 --variants 2500 --pops 3 --missing 0.05 --seed 2 -o gaps.zarr
    gt-sim -q --samples 67 --variants 900 --pops 3 --seed 2 -o full.zarr
    for algorithm in krylov compressed gram; do
        same_pcs --algorithm $algorithm gaps.zarr
        same_pcs --algorithm $algorithm full.zarr
    done
    same_pcs --algorithm krylov --tol 1e-6 --scale none gaps.zarr
    same_pcs --algorithm compressed --power-iterations 2 --scale patterson gaps.zarr
    GT_DEVICE=host run -4 --separate-stderr gt-svd -k 3 --algorithm krylov --device-memory 100k gaps.zarr -o none
    [[ $stderr == *"of device memory, and may use"* && ! -e none.eigenvec ]]
}

@test "gt-svd: the CPU's bytes of loadings, --fit and --project" {
    local algorithm
    gt-sim -q --samples 90 --variants 2500 --pops 3 --missing 0.05 --seed 2 -o gaps.zarr
    # allele counts are swapped for some samples' projection: REF and ALT of every other variant change places
    gt-unpack -q gaps.zarr -O vcf | awk -F'\t' -v OFS='\t' '!/^#/ && NR % 2 {t = $4; $4 = $5; $5 = t} {print}' > swapped.vcf
    grep -m 1 '^#CHROM' swapped.vcf | cut -f 10-59 | tr '\t' '\n' > half
    for algorithm in krylov compressed gram; do
        same_pcs --algorithm $algorithm --loadings gaps.zarr
        cmp on_device.eigenvec.var on_cpu.eigenvec.var
    done
    same_pcs --fit half --loadings gaps.zarr
    cmp on_device.eigenvec.var on_cpu.eigenvec.var
    GT_DEVICE=host gt-svd -q --project on_cpu.model.zip swapped.vcf -o on_device -f
    gt-svd -q --project on_cpu.model.zip swapped.vcf -o projected -f
    cmp on_device.eigenvec projected.eigenvec
    GT_DEVICE=host gt-svd -n --project on_cpu.model.zip swapped.vcf | grep '^device  *host:0 .* of its memory'
    GT_DEVICE=host run -4 --separate-stderr gt-svd --project on_cpu.model.zip --device-memory 100k swapped.vcf -o none
    [[ $stderr == *"host:0: this work needs "*"hint: use --device-memory "* && ! -e none.eigenvec ]]
}

@test "gt-svd: a fault in each operation" {
    gt-sim -q --samples 50 --variants 1500 --pops 2 --missing 0.05 -o gaps.zarr
    every_fault out gt-svd -q -k 2 --algorithm krylov --passes 4 gaps.zarr -o out
    gt-svd -q -k 2 --loadings gaps.zarr -o model
    every_fault out gt-svd -q --project model.model.zip gaps.zarr -o out
    every_fault out gt-svd -q -k 2 --algorithm gram --loadings gaps.zarr -o out
}

# The module for GPUs on a mock of CUDA's libraries, which executes its calls on the cpu.
@test "the CUDA module on a mock: the CPU's bytes" {
    mock=$GT_BUILD/test/support/cuda_mock
    [ -e "$GT_BUILD/gt-cuda.so" ] && [ -e "$mock/made" ] || skip "this build has no CUDA module, or no mock"
    on_mock() { LD_LIBRARY_PATH=$mock "$@"; }
    run -0 on_mock gt-info --devices
    [[ $output == *"cuda:0: Mock GPU"* ]]
    gt-sim -q --samples 90 --variants 800 --pops 3 --missing 0.1 --seed 7 --no-version -o on_cpu.zarr
    on_mock gt-sim -q --samples 90 --variants 800 --pops 3 --missing 0.1 --seed 7 --no-version --device cuda -o on_cuda.zarr
    diff -r on_cpu.zarr on_cuda.zarr
    for metric in euclidean cityblock king grm 1-ibs; do
        on_mock gt-pdist -q -m $metric --device cuda on_cpu.zarr > on_cuda
        gt-pdist -q -m $metric on_cpu.zarr | cmp - on_cuda
    done
    for algorithm in krylov gram; do
        on_mock gt-svd -q -k 3 --algorithm $algorithm --device cuda on_cpu.zarr -o on_cuda -f
        gt-svd -q -k 3 --algorithm $algorithm on_cpu.zarr -o on_cpu -f
        cmp on_cuda.eigenvec on_cpu.eigenvec
    done
    on_mock gt-pdist -q --missing mean --device cuda:0 on_cpu.zarr > on_cuda
    gt-pdist -q --missing mean on_cpu.zarr | cmp - on_cuda
    [ "$(on_mock inside --points 1e6 --device cuda)" = "$(inside --points 1e6 | sed 's/cpu/cuda:0/')" ]
}
