# What suites of gt-pdist share.

# Each line CODE|ARGUMENTS|MESSAGE of standard input: gt-pdist with the words given here and those arguments exits with
# the code, prints the message and leaves no output.
refuses() {
    local code args message
    while IFS='|' read -r code args message; do
        # shellcheck disable=SC2086
        run gt-pdist -q "$@" $args -o no.tsv
        [ "$status" -eq "$code" ] || { echo "$args: $status, $output"; return 1; }
        [[ "$output" == *"$message"* ]] || { echo "$args: $output"; return 1; }
        [ ! -e no.tsv ] || { echo "$args: left no.tsv"; return 1; }
    done
}
