# shellcheck shell=bash
# Completion of the options and choices of all gt-utils commands, for bash: source
# this file.  The commands are asked for their option tables, so it never goes stale.

_gt_utils() {
    local command=$1 word=$2 before=$3 letter name kind arg words=()
    [ "$before" != = ] || before=${COMP_WORDS[COMP_CWORD - 2]}
    while IFS=$'\t' read -r letter name kind arg _; do
        if [ "$kind" != flag ] && { [ "$before" = "--$name" ] || [ "$before" = "-$letter" ]; }; then
            words=()
            [ "$kind" != choice ] || IFS="|" read -ra words <<<"$arg"
            mapfile -t COMPREPLY < <(compgen -W "${words[*]}" -- "${word#=}")
            return
        fi
        [ "$name" = - ] || words+=("--$name")
    done < <("$command" --help-options 2>/dev/null)
    [[ $word != -* ]] || mapfile -t COMPREPLY < <(compgen -W "${words[*]}" -- "$word")
}

complete -o default -F _gt_utils gt-pack gt-unpack gt-rechunk gt-info gt-pdist gt-svd gt-sim gt-pi
