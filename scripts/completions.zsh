#compdef gt-pack gt-unpack gt-rechunk gt-info gt-pdist gt-svd gt-sim gt-pi
# Completion of the options and choices of all gt-utils commands, for zsh: `make install` makes it site-functions/_gt-utils.
# The commands are asked for their option tables, so it never goes stale.

local letter name kind arg help value=
local -a specs
while IFS=$'\t' read -r letter name kind arg help; do
    help=${${help//\[/\\[}//\]/\\]}
    case $kind in
    flag) value= ;;
    choice) value=":${arg//:/\\:}:(${arg//|/ })" ;;
    file | text) value=":${arg//:/\\:}:_files" ;;
    *) value=":${arg//:/\\:}: " ;;
    esac
    [[ $name == - ]] || specs+=("--$name${value:+=}[$help]$value")
    [[ $letter == - ]] || specs+=("-$letter${value:+"+"}[$help]$value")
done < <("$words[1]" --help-options 2>/dev/null)
_arguments -s -S "$specs[@]" '*:file:_files'
