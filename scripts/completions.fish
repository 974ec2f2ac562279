# Completion of the options and choices of all gt-utils commands, for fish: `make install` makes it
# vendor_completions.d/COMMAND.fish.  The commands are asked for their option tables, so it never goes stale.

for command in gt-pack gt-unpack gt-rechunk gt-info gt-pdist gt-svd gt-sim gt-pi
    complete -c $command -e
    $command --help-options 2>/dev/null | while read -d \t -l letter name kind arg help
        set -l option -d $help
        test $letter = -; or set -a option -s $letter
        test $name = -; or set -a option -l $name
        switch $kind
            case flag
            case choice
                set -a option -x -a (string replace -a '|' ' ' $arg)
            case file text
                set -a option -r
            case '*'
                set -a option -x
        end
        complete -c $command $option
    end
end
