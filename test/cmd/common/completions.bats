#!/usr/bin/env bats
# Completion in the shells themselves, of names and choices that are written here, not taken from the option table.
bats_require_minimum_version 1.5.0

setup() { cd "$BATS_TEST_TMPDIR" || exit 1; }

needs() { command -v "$1" > /dev/null || skip "no $1"; }

# in_bash WORD...: the completions of the last word of a command line.
in_bash() {
    bash --norc -c '
        source "$0/scripts/completions.bash" || exit
        complete -p "$1" | grep -q " -F _gt_utils $1$" || exit
        COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
        _gt_utils "$1" "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
        printf "%s\n" "${COMPREPLY[@]}"' "$GT_SOURCE" "$@" | sort | tr '\n' ' '
}

@test "bash: options, choices of long and short options, and nothing for files" {
    [ "$(in_bash gt-pack --lay)" = "--layout " ]
    [ "$(in_bash gt-pack --layout '')" = "packed vcz " ]
    [ "$(in_bash gt-pack --layout = v)" = "vcz " ]
    [ "$(in_bash gt-pdist -O tr)" = "triangle " ]
    [ "$(in_bash gt-pack -o x)" = " " ]
    [ "$(in_bash gt-pi --poi)" = "--points " ]
    for command in pack unpack rechunk info pdist svd sim pi; do [[ "$(in_bash "gt-$command" --)" == *"--version "* ]]; done
}

# in_zsh KEYS: the command line that these keys make in an interactive zsh, where \t completes.
in_zsh() {
    mkdir -p functions home
    cp "$GT_SOURCE/scripts/completions.zsh" functions/_gt-utils
    HOME=$PWD/home timeout 60 zsh -f -c '
        zmodload zsh/zpty
        zpty shell "exec zsh -f -i"
        answer() { zpty -r shell found "*$1"; }
        zpty -w shell "PS1=; unsetopt prompt_sp; stty -echo; fpath=($PWD/functions \$fpath); autoload -Uz compinit; compinit -u -D; print rea\"\"dy"
        answer ready
        zpty -n -w shell "$(print -n -- "$1")"
        zpty -n -w shell $'"'"'\C-aprint -r -- "<" \C-e ">"\n'"'"'
        zpty -r shell found "*
< *>"
        print -r -- "${${found##*< }%% >*}"' zsh "$1"
}

@test "zsh: options, and choices of long and short options" {
    needs zsh
    [ "$(in_zsh 'gt-pack --layo\tv\t')" = "gt-pack --layout=vcz" ]
    [ "$(in_zsh 'gt-pdist -O tri\t')" = "gt-pdist -O triangle" ]
    [ "$(in_zsh 'gt-pi --poi\t1')" = "gt-pi --points=1" ]
}

# in_fish LINE: the completions of a command line, without what they mean.
in_fish() { HOME=$PWD fish -N -c 'source $argv[1]/scripts/completions.fish; complete -C $argv[2]' "$GT_SOURCE" "$1" | cut -f 1 | sort | tr '\n' ' '; }

@test "fish: options, choices of long and short options, what an option does" {
    needs fish
    [ "$(in_fish 'gt-pack --layo')" = "--layout " ]
    [ "$(in_fish 'gt-pack --layout ')" = "packed vcz " ]
    [ "$(in_fish 'gt-pdist -O tri')" = "triangle " ]
    touch a.vcf
    [ "$(in_fish 'gt-pack --samples-file a.')" = "a.vcf " ]
    HOME=$PWD fish -N -c 'source $argv[1]/scripts/completions.fish; complete -C "gt-pi --poi"' "$GT_SOURCE" | grep -q "^--points	..*point"
}

@test "make install: one file for each command and shell; make uninstall removes them" {
    make -s -C "$GT_BUILD" DESTDIR="$PWD/root" prefix=/usr install-data-hook
    share=root/usr/share
    for command in pack unpack rechunk info pdist svd sim pi; do
        cmp "$share/bash-completion/completions/gt-$command" "$GT_SOURCE/scripts/completions.bash"
        cmp "$share/fish/vendor_completions.d/gt-$command.fish" "$GT_SOURCE/scripts/completions.fish"
    done
    head -n 1 "$share/zsh/site-functions/_gt-utils" | grep -q '^#compdef .*gt-svd'
    make -s -C "$GT_BUILD" DESTDIR="$PWD/root" prefix=/usr uninstall-hook
    [ -z "$(find root -type f)" ]
}
