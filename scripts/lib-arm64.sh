# shellcheck shell=bash
# For scripts/test --arm64: a build for arm64 on another machine, its tests under qemu-user, and its results beside the native build's.
# Debian's arm64 libraries are unpacked in build-arm64/root.  They are not installed: the packages of the system stay as they are.

ARM64=aarch64-linux-gnu

# Programs of these folders, and cases of the commands' suites: what is small enough for qemu, which is ten to a hundred times slower.
ARM64_PROGRAMS=(kernels calc/pairs/t_tiles storage/codec geno/model geno/plink geno/vcf
    geno/source/t_geno_shapes geno/source/t_reblock arrays/linalg/t_linalg arrays/linalg/t_qr core/base)
ARM64_COMMANDS=(cmd/pack/pack cmd/pdist/pdist cmd/svd/svd cmd/unpack/unpack)
ARM64_CASES=('a small VCF' 'dosage rules' 'selections: samples' 'a store of no variants' 'several inputs are joined'
    'a small matrix by hand' '--missing ignore, and error' 'no overlap is nan' 'half of the variants observed'
    'the numbers of an npy begin' 'little memory: rows in bands' 'every metric of genotypes by its definition'
    "PLINK 1.9's --distance" 'odd shapes, all scales' 'plink, tsv and npy hold' 'the sign of components'
    'PLINK there and back' 'npy: dosages' 'families, parents, sex')

# Without and with products of bytes; qemu's own cpu has matrix products too.
ARM64_CPUS=(cortex-a57 neoverse-n1)

# arm64_root DIR: LIBRARY_PACKAGES of arm64 with all that they need, unpacked in DIR.
arm64_root() {
    local root=$1 apt options package link lib
    apt=$(realpath -m "$root.apt")
    [ "$(cat "$root/packages" 2> /dev/null)" != "${LIBRARY_PACKAGES[*]}" ] || return 0
    rm -rf "$root" "$apt"
    mkdir -p "$root" "$apt/lists/partial" "$apt/archives/partial"
    : > "$apt/status"
    # Its own lists, cache and status: neither root nor a change of the system is needed.
    options=(-q -y -o "Dir::State=$apt" -o "Dir::State::lists=$apt/lists" -o "Dir::State::status=$apt/status" -o "Dir::Cache=$apt"
        -o "Dir::Log=$apt" -o APT::Architecture=arm64 -o APT::Architectures=arm64 -o "APT::Sandbox::User=$(id -un)" -o Debug::NoLocking=1)
    apt-get "${options[@]}" update || return
    apt-get "${options[@]}" --no-install-recommends --download-only install "${LIBRARY_PACKAGES[@]}" || return
    for package in "$apt"/archives/*.deb; do
        dpkg -x "$package" "$root" || return
    done
    rm -rf "$apt"
    # Links between packages are absolute, and those of OpenBLAS are made when it is installed.
    find "$root" -type l -lname '/*' -print | while read -r link; do
        ln -sfn "$(realpath -m --relative-to="$(dirname "$link")" "$root/$(readlink "$link")")" "$link"
    done
    lib=$root/usr/lib/$ARM64
    (cd "$lib" && ln -s openblas-serial/lib*.so* .) || return
    for package in openblas lapack blas; do
        ln -s "../openblas-serial/pkgconfig/$(basename "$lib/openblas-serial/pkgconfig/$package"*.pc)" "$lib/pkgconfig/$package.pc" || return
    done
    printf '%s\n' "${LIBRARY_PACKAGES[*]}" > "$root/packages"
}

# arm64_wrap BUILD ROOT: BUILD/run has a script for each program of BUILD that runs it under qemu-user.
arm64_wrap() {
    local build root program
    build=$(realpath "$1") root=$(realpath "$2")
    rm -rf "$build/run"
    (cd "$build" && find . -path ./tests -prune -o -path ./root -prune -o -type f -perm -u+x ! -name '*.so' -printf '%P\n') | while read -r program; do
        [ "$(head -c 4 "$build/$program" | tail -c 3)" = ELF ] || continue
        mkdir -p "$build/run/$(dirname "$program")"
        printf '#!/bin/sh\nexec qemu-%s-static -L "%s" "%s" "$@"\n' "${ARM64%%-*}" "$root" "$build/$program" > "$build/run/$program"
        chmod +x "$build/run/$program"
    done
}

# Why arm64 cannot be tested here; nothing if it can.
arm64_lacks() {
    local tool
    for tool in "$ARM64-gcc" "qemu-${ARM64%%-*}-static" apt-get dpkg; do
        command -v "$tool" > /dev/null || { echo "no $tool" && return; }
    done
    arm64_root build-arm64/root > build-arm64/root.log 2>&1 || echo "Debian's arm64 libraries cannot be had (build-arm64/root.log)"
}

run_arm64() {
    local root=$TOP/build-arm64/root lib=$TOP/build-arm64/root/usr/lib/$ARM64 why programs cpu
    mkdir -p build-arm64
    why=$(arm64_lacks)
    if [ -n "$why" ]; then
        say "arm64 is skipped: $why"
        skipped=$((skipped + 1))
        return
    fi
    mapfile -t programs < <(select_suites "${ARM64_PROGRAMS[@]}")
    export PKG_CONFIG_SYSROOT_DIR=$root PKG_CONFIG_LIBDIR=$lib/pkgconfig
    step "build for arm64" build-arm64/build.log build_for_suites build-arm64 --host=$ARM64 CC="$ARM64-gcc --sysroot=$root" \
        --enable-werror CFLAGS="-O2 -g1" -- "${programs[@]}" cmd/pack/pack.bats
    unset PKG_CONFIG_SYSROOT_DIR PKG_CONFIG_LIBDIR
    arm64_wrap build-arm64 "$root"
    step "bytes of arm64 under qemu-user, and of this machine" build-arm64/same.log test/support/arm64_same.sh build build-arm64/run
    step "programs of arm64 under qemu-user" build-arm64/programs.log run_suites build-arm64/run "${ARM64_PROGRAMS[@]}"
    for cpu in "${ARM64_CPUS[@]}"; do
        QEMU_CPU=$cpu step "kernels on $cpu under qemu-user" "build-arm64/kernels-$cpu.log" run_suites build-arm64/run kernels
    done
    step "commands of arm64 under qemu-user" build-arm64/commands.log run_suites build-arm64/run "${ARM64_COMMANDS[@]}" "${ARM64_CASES[@]}"
}
