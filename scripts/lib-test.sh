# shellcheck shell=bash
# For scripts/test, which sources it: steps, their sum, and what each of its modes runs.

passed=0 failed=0 skipped=0
SUM='([0-9]+) passed, ([0-9]+) failed, ([0-9]+) skipped'

# count LOG: adds up the sum at the end of a run of suites, or the summaries that make check printed.
count() {
    local key n
    if [[ $(tail -n 1 "$1") =~ ^$SUM$ ]]; then
        passed=$((passed + BASH_REMATCH[1])) failed=$((failed + BASH_REMATCH[2])) skipped=$((skipped + BASH_REMATCH[3]))
        return
    fi
    while read -r key n; do
        case $key in
        PASS: | XFAIL:) passed=$((passed + n)) ;;
        FAIL: | XPASS: | ERROR:) failed=$((failed + n)) ;;
        SKIP:) skipped=$((skipped + n)) ;;
        esac
    done < <(sed $'s/\x1b\\[[0-9;]*m//g; s/^# *\\([A-Z]*: *[0-9]*\\)$/\\1/; t; d' "$1")
}

# step NAME LOG COMMAND...: one build or run of tests; a failure that no test explains counts as one.
step() {
    local name=$1 log=$2 before=$failed start=$SECONDS status=0
    shift 2
    say "$name"
    if [ "$1" = run_suites ]; then
        "$@" 2>&1 | tee "$log" || status=1
    else
        "$@" > "$log" 2>&1 || status=1
    fi
    count "$log"
    if [ $status -ne 0 ]; then
        [ "$failed" -gt "$before" ] || failed=$((failed + 1))
        [ "$1" = run_suites ] || show_failure "$log"
    fi
    say "$name: $((SECONDS - start)) s"
}

# The failing lines of make's log, or its end when there are none.
show_failure() {
    grep -A 3 '^not ok\|^FAIL\|^ERROR\|error:' "$1" | tail -n 100 | grep . || tail -n 60 "$1"
    say "all of it is in $1"
}

# run_check COMMAND...: a check that is one case.
run_check() {
    if "$@"; then echo "1 passed, 0 failed, 0 skipped"; else echo "0 passed, 1 failed, 0 skipped" && return 1; fi
}

# Checks of the source files, one case each.
SOURCE_CHECKS=(check-words check-format)
check_sources() {
    local check
    for check in "${SOURCE_CHECKS[@]}"; do
        step "scripts/$check" "build/$check.log" run_check "scripts/$check"
    done
}

# Every file that git knows is in the distribution, but for those that only git needs.
check_distribution() {
    local from
    from=$(sources) && rm -rf build/dist && mkdir build/dist && make -s -C build distdir distdir=dist/tree || return
    (cd "$from" && git -C "$TOP" ls-files | grep -v '^path$\|\(^\|/\)\.git') | sort > build/dist/git
    (cd build/dist/tree && find . -type f | sed 's|^\./||' | sort) > build/dist/made
    comm -23 build/dist/git build/dist/made > build/dist/missing
    cat build/dist/missing
    chmod -R u+w build/dist/tree && rm -r build/dist/tree
    [ ! -s build/dist/missing ]
}

# finish: prints the sum; the exit status says whether all went well.
finish() {
    printf '%d passed, %d failed, %d skipped\n' "$passed" "$failed" "$skipped"
    [ "$failed" -eq 0 ]
}

# Seconds: cases of bats files that take longer are run once by --all, and by name.
SHORT=4

# build_for_suites DIR ARG... -- SUITE...: configures DIR with ARGs and builds what these suites need.
build_for_suites() {
    local dir=$1 args=() suite commands=() targets=()
    shift
    while [ "$1" != -- ]; do args+=("$1") && shift; done
    shift
    for suite in "$@"; do
        case $suite in
        *.bats | layers) commands=(test-commands) ;;
        */t_nomem.c) commands=(test-commands) && targets+=("test/${suite%.c}") ;;
        *.c) targets+=("test/${suite%.c}") ;;
        esac
    done
    configure_in "$dir" "${args[@]}" && make -C "$dir" -j"$(nproc)" "${commands[@]}" "${targets[@]}"
}

# run_suites DIR [NAME...]: of the sources that DIR was configured from, behind the command in ${prefix[@]}.
prefix=()
run_suites() {
    local from
    from=$(sources) && "${prefix[@]}" "$from/test/support/run_suites.py" run "$from" "$@"
}

# What the pages, the fields of VCF Zarr and servers are compared with, and what runs the examples, where suites ask for it.
make_pythons() { # SUITE...
    local uses
    uses=$(cd "$TOP/test" && grep -ho 'PYTHON_[A-Z0-9]*' "$@" | sort -u) || true
    [[ $uses != *ZARR3* ]] || echo "${PYTHON_ZARR3:-$(zarr3 build/zarr3)}" > build/zarr3.path
    [[ $uses != *MOTO* ]] || echo "${PYTHON_MOTO:-$(moto build/moto)}" > build/moto.path
    [[ $uses != *VCZ* ]] || echo "${PYTHON_VCZ:-$(bio2zarr build/bio2zarr)}" > build/bio2zarr.path
    [[ $uses != *SNAKEMAKE* ]] || echo "${PYTHON_SNAKEMAKE:-$(snakemake build/snakemake)}" > build/snakemake.path
}

use_pythons() {
    export AWS_EC2_METADATA_DISABLED=true # tests ask no machine but this one
    PYTHON_ZARR3=$(cat build/zarr3.path 2> /dev/null) || true
    PYTHON_MOTO=$(cat build/moto.path 2> /dev/null) || true
    PYTHON_VCZ=$(cat build/bio2zarr.path 2> /dev/null) || true
    PYTHON_SNAKEMAKE=$(cat build/snakemake.path 2> /dev/null) || true
    export PYTHON_ZARR3 PYTHON_MOTO PYTHON_VCZ PYTHON_SNAKEMAKE
    local name
    for name in zarr3 moto bio2zarr snakemake; do
        [ ! -e build/$name.path ] || [ -n "$(cat build/$name.path)" ] || say "no $name (build/$name.log): what needs it is skipped"
    done
}

# --- scripts/test --all --------------------------------------------------------------------

# Where the kernel spreads addresses over 32 bits, gcc 12's sanitizers find their shadow taken now and
# then, and fault without end: no random addresses for them.
fixed=()
! setarch -R true 2> /dev/null || fixed=(setarch -R)

# What is computed by kernels, and so depends on the instruction set; the tests of kernels try all of them at once.
# Plain C takes minutes for real data, so it is left to suites of small data.
KERNEL_SUITES=(arrays/linalg calc/convert calc/stats cmd/info/stats cmd/pack/pgen cmd/pdist/pdist_related)
FAST_KERNEL_SUITES=(cmd/pdist/pdist cmd/pdist/pdist_missing cmd/svd/svd cmd/unpack)

# What the distribution is tried with, beside the list of its files: one suite for each kind of helper.
DIST_SUITES=(storage/codec cmd/common/man cmd/common/scripts cmd/common/docs cmd/common/inputs cmd/rechunk/zarr_readers)

# What a GPU would compute, in plain C on the host device.
DEVICE_SUITES=(cmd/pi/pi cmd/sim/sim cmd/pdist/pdist cmd/svd/svd)

# Threads: small runs of each kind.
THREAD_SUITES=(core/base/t_base core/engine/t_comm core/engine/t_engine core/engine/t_flow core/engine/t_flow_memory
    core/engine/t_trace storage/archive/t_tar arrays/zarr/t_region geno/plink/t_site_lines geno/vcf/t_geno_vcf geno/source/t_geno_shapes
    storage/bgzf/t_csi geno/select/t_select calc/convert/t_pack calc/rechunk/t_rechunk cmd/common/races)

# The instruction sets that this cpu has, the best last.
levels() {
    local level
    for level in ref avx2 avx512 avx512vbmi avx512amx neon neon_dot neon_i8mm; do
        ! GT_CPU=$level build/gt-info --version > /dev/null 2>&1 || echo $level
    done
}

# select_suites NAME...: their paths.
select_suites() { "$TOP/test/support/run_suites.py" select "$TOP" "$@"; }

run_all() {
    local level suites
    export GT_TEST_LEVEL=quick GT_TEST_SHORT=1 # the cases ran above, by one instruction set
    mapfile -t suites < <(levels | sed '$d') # all suites ran with the best
    local names
    for level in "${suites[@]}"; do
        names=("${KERNEL_SUITES[@]}")
        [ "$level" = ref ] || names+=("${FAST_KERNEL_SUITES[@]}")
        GT_CPU=$level step "suites with GT_CPU=$level" "build/suites-$level.log" run_suites build "${names[@]}"
    done

    GT_DEVICE=host step "suites with GT_DEVICE=host" build/suites-device.log run_suites build "${DEVICE_SUITES[@]}"

    export UBSAN_OPTIONS=print_stacktrace=1
    mapfile -t suites < <(select_suites)
    mkdir -p build-san build-tsan build-clang
    step "build with sanitizers" build-san/build.log build_for_suites build-san --enable-werror --enable-sanitize CFLAGS="-g -O1" -- "${suites[@]}"
    prefix=("${fixed[@]}")
    GT_TEST_SHORT=1 step "suites with sanitizers" build-san/suites.log run_suites build-san # which take two to three times as long

    mapfile -t suites < <(select_suites "${THREAD_SUITES[@]}")
    step "build with ThreadSanitizer" build-tsan/build.log build_for_suites build-tsan --enable-werror --enable-tsan CFLAGS="-g -O1" -- "${suites[@]}"
    GT_TEST_SHORT=2 TSAN_OPTIONS=halt_on_error=1:exitcode=66 step "suites with ThreadSanitizer" build-tsan/suites.log run_suites build-tsan "${THREAD_SUITES[@]}"
    prefix=()

    if command -v clang > /dev/null; then
        step "build with clang" build-clang/build.log build build-clang --enable-werror CC=clang CFLAGS=-O0 # for its warnings
        step "tests with clang" build-clang/compile.log make -C build-clang check TESTS= -j"$(nproc)"
    fi

    # The suites ran above: here the distribution has to hold all that they need.
    step "files of the distribution" build/dist.log run_check check_distribution
    mapfile -t suites < <(select_suites "${DIST_SUITES[@]}")
    suites=("${suites[@]/#/test/}")
    step "make distcheck" build/distcheck.log env GT_TEST_DATA=/nowhere \
        make -C build distcheck -j"$(nproc)" DISTCHECK_CONFIGURE_FLAGS="--enable-werror CFLAGS=-O0" TESTS="${suites[*]%.c}"
}

# --- scripts/test --gpu --------------------------------------------------------------------

# Of the commands that compute on GPUs; those suites that look at results, whatever the device.
GPU_SUITES=(cmd/sim/sim cmd/pdist/pdist cmd/pdist/pdist_arrays cmd/svd/svd cmd/svd/svd_arrays)

with_gpu() { env GT_BUILD="$TOP/build" GT_TEST_GPU=1 "$@"; }

run_gpu() {
    local suites tool device
    mapfile -t suites < <(select_suites core/device/t_cuda "${GPU_SUITES[@]}")
    mkdir -p build
    step "build" build/build.log build_for_suites build --enable-werror --with-cuda CFLAGS="-O2 -g1" -- "${suites[@]}"
    if ! device=$(build/gt-info --devices | grep '^cuda:0: '); then
        say "there is no GPU: $(build/gt-info --devices | tail -n 1)"
        failed=$((failed + 1))
        return
    fi
    say "$device"
    step "operations" build/gpu.log with_gpu build/test/core/device/t_cuda
    passed=$((passed + $(grep -c '^ok ' build/gpu.log || true)))
    GT_DEVICE=cuda step "suites with GT_DEVICE=cuda" build/suites-gpu.log run_suites build "${GPU_SUITES[@]}"
    for tool in memcheck racecheck; do
        if ! command -v compute-sanitizer > /dev/null; then
            say "compute-sanitizer is not installed: no $tool"
            continue
        fi
        step "$tool" "build/$tool.log" with_gpu compute-sanitizer --tool $tool --error-exitcode 1 build/test/core/device/t_cuda
        step "$tool of gt-pi" "build/$tool-pi.log" run_check compute-sanitizer --tool $tool --error-exitcode 1 build/gt-pi --points 1e7 --device cuda
    done
}

# --- scripts/test --long -------------------------------------------------------------------

# Each fuzz target for GT_FUZZ_SECONDS.  The trials and campaigns of the suites go by GT_TEST_LEVEL.
run_long() {
    local target
    for target in "$TOP"/test/fuzz/fuzz_*.c; do
        target=$(basename "${target%.c}")
        step "fuzzing ${target#fuzz_}" "build/$target.log" scripts/fuzz "${target#fuzz_}" "${GT_FUZZ_SECONDS:-300}"
    done
}
