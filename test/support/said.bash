# Tables of commands and of what they say on standard error.

# Of each line STATUS | message | hint | command: these are the last line that is no hint, and the hint, and nothing is written.
says() {
    local want message hint command status line last told left
    while IFS='|' read -r want message hint command; do
        status=0 last='' told=''
        (eval "$command") > said.out 2> said < /dev/null || status=$?
        while IFS= read -r line; do
            case $line in 'hint: '*) told=${line#hint: } ;; *) last=${line#*: } ;; esac
        done < said
        message=${message# } hint=${hint# }
        message=${message% } hint=${hint% }
        { [ "$status" -eq "$want" ] && [ "$last" = "$message" ] && [ "$told" = "$hint" ] && [ ! -s said.out ]; } ||
            { echo "exit $status:$command, not $want, $message; $hint"; cat said said.out; return 1; }
        left=(out/*)
        [ ! -e "${left[0]}" ] || { echo "left by$command: ${left[*]}"; return 1; }
    done
}

# Of each block "> COMMAND" and lines: that is all on standard error; * in a line stands for seconds, rates and sizes.
all_said() {
    local line command at lines
    while IFS= read -r line; do
        case $line in
        '> '*)
            command=${line#> } at=0
            eval "$command" 2> said > out.txt < /dev/null || { echo "$command" && cat said && return 1; }
            mapfile -t lines < said
            [[ $command != *' -o '* || $command == *--json* || ! -s out.txt ]] || { echo "$command wrote:" && cat out.txt && return 1; }
            ;;
        '') [ ${#lines[@]} -eq $at ] || { echo "$command: ${#lines[@]} lines, not $at" && cat said && return 1; } ;;
        *)
            # shellcheck disable=SC2053
            [[ ${lines[at]} == $line ]] || { echo "$command: '${lines[at]}', not '$line'" && return 1; }
            at=$((at + 1))
            ;;
        esac
    done
}

# Calls of every kind: of two ALTs, half, haploid and of three alleles; on X too; and values that a header does not declare.
odd_vcf() {
    local format='##FORMAT=<ID=%s,Number=1,Type=%s,Description="x">\n' info='##INFO=<ID=%s,Number=%s,Type=Integer,Description="x">\n'
    printf '##fileformat=VCFv4.2\n##contig=<ID=1,length=2000>\n##contig=<ID=X,length=5000>\n'
    # shellcheck disable=SC2059
    printf "$format" GT String DP Integer
    # shellcheck disable=SC2059
    printf "$info" AC A AN 1
    printf '#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\ta\tb\tc\td\n'
    printf '1\t10\tm\tA\tC,G\t.\t.\tAC=3,2;AN=7\tGT:DP\t0/1:3\t1/2:-1\t2/.:-2\t1/1:0\n'
    printf '1\t20\tn\tA\tC\t.\t.\tAC=2;AN=8\tGT:DP\t0/0:3\t0/1:3\t0/1:4\t0/0:0\n'
    printf '1\t30\tp\tA\tC\t.\t.\tAC=2;AN=4;ZZ=5\tGT:DP\t0:3\t0/1:3\t0/1:4\t./.:0\n'
    printf 'X\t40\tq\tA\tC\t.\t.\t.\tGT:DP\t0/1:3\t0/1:3\t1/1:4\t1:0\n'
    printf 'X\t50\tr\tA\tC\t.\t.\t.\tGT:DP\t0/1/1:3\t0/1:3\t./1/.:4\t1:0\n'
}
