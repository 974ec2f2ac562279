#!/usr/bin/env bats
# The wheel without its libraries, and what packages depend on.  scripts/package-debian, -wheel and -container build and try the packages in
# new chroots; that takes minutes, and is done before a release.
bats_require_minimum_version 1.5.0

setup() {
    cd "$BATS_TEST_TMPDIR" || exit 1
}

@test "a wheel of the built commands, installed in an empty environment: commands, pages and module; removed, nothing is left" {
    "$PYTHON" -m venv v || skip "no python3-venv"
    mkdir -p stage/bin stage/share/man/man1 stage/licenses
    for command in gt-sim gt-pack gt-svd; do ln -s "$(command -v $command)" stage/bin; done
    cp "$GT_SOURCE"/man/gt-pack.1 stage/share/man/man1
    echo text > stage/licenses/library.txt
    find v ! -type d | sort > before
    (cd "$GT_SOURCE/packaging/python" && GT_STAGE=$BATS_TEST_TMPDIR/stage PYTHONDONTWRITEBYTECODE=1 "$PYTHON" -c 'import backend, sys
print(backend.build_wheel(sys.argv[1]))' "$BATS_TEST_TMPDIR") > name
    v/bin/pip install -q --no-index --no-deps "$(cat name)" 2> pip.log
    pipeline() { gt-sim -q --samples 30 --variants 500 --seed 1 | gt-pack -q | gt-svd -q -k 2 -o "$1"; }
    pipeline ours
    export PATH=$PWD/v/bin:$PATH
    [ "$(command -v gt-pack)" = "$PWD/v/bin/gt-pack" ]
    gt-pack --version | grep -q '^gt-pack '
    pipeline theirs
    cmp ours.eigenvec theirs.eigenvec
    cmp v/share/man/man1/gt-pack.1 "$GT_SOURCE/man/gt-pack.1"
    [ "$(cat v/lib/python3*/site-packages/gt_utils-*.dist-info/licenses/library.txt)" = text ]
    [ -f "$(echo v/lib/python3*/site-packages/gt_utils/__init__.py)" ]
    # Python ignores SIGPIPE; the commands behind it do not, and have their exit status and name
    run bash -c 'gt-sim -q --samples 500 --variants 30000 -O vcf | head -n 1 > /dev/null; echo ${PIPESTATUS[0]}'
    [ "$output" = 141 ]
    run gt-pack missing.vcf
    [ "$status" -eq 1 ]
    [[ $output == "gt-pack: "*missing.vcf* ]]
    v/bin/pip uninstall -q -y gt-utils
    find v ! -type d | grep -v __pycache__ | sort > after
    grep -v __pycache__ before | diff - after
}

@test "packages name the libraries that scripts/lib-setup.sh installs" {
    source "$GT_SOURCE/scripts/lib-setup.sh"
    host=$(sed -n '/^  host:/,/^  run:/p' "$GT_SOURCE/packaging/conda/meta.yaml")
    for package in "${LIBRARY_PACKAGES[@]}"; do
        grep -q "^ $package,\$" "$GT_SOURCE/packaging/debian/control"
        name=${package%-dev}
        case $name in
            libcurl4*) name=libcurl ;;
            librandom123) continue ;; # a source of the recipe
            liblapacke) name=openblas ;;
            libopenblas*) name=libopenblas ;;
            libdeflate | libarchive) ;;
            libhts) name=htslib ;;
            liblz4) name=lz4-c ;;
            zlib1g) name=zlib ;;
            libbz2) name=bzip2 ;;
            *) name=${name#lib} ;;
        esac
        grep -qx "    - $name" <<< "$host"
    done
    grep -q 'folder: random123' "$GT_SOURCE/packaging/conda/meta.yaml"
}

@test "the container's run-time packages have the libraries of the commands" {
    command -v dpkg-query > /dev/null || skip "not a Debian system"
    from() { sed -n '/install \\$/,/&& \\$\|^ *rm /{ s/&& \\$//; s/\\$//; /apt-get\|^ *rm /d; p }' "$1" | tr -s ' \n' '\n' | sed '/^$/d' | sort; }
    from "$GT_SOURCE/packaging/container/Containerfile" > packages
    from "$GT_SOURCE/packaging/container/gt-utils.def" | diff packages -
    [ "$(wc -l < packages)" -ge 10 ]
    # libraries that a command names itself, but those of glibc and of sanitizers
    for command in gt-pack gt-svd; do readelf -d "$(command -v $command)"; done | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' | sort -u > needed
    [ "$(wc -l < needed)" -ge 12 ]
    while read -r library; do
        package=$(dpkg-query -S "*/$library" | cut -d : -f 1 | sort -u)
        case $library in libc.* | libm.* | ld-linux* | lib*san.*) continue ;; esac
        grep -qxF "$package" packages || { echo "$library: $package"; return 1; }
    done < needed
}
