#!/usr/bin/env bats
# Defaults: what help says is what a run without the option does; and help says what the manual says.

bats_require_minimum_version 1.5.0

setup_file() {
    cd "$BATS_FILE_TMPDIR" || exit 1
    gt-sim -q --samples 40 --variants 300 --missing 0.05 --contigs 2 --seed 3 -O vcf -o s.vcf
    sed -i '20s|0/0|./1|g' s.vcf
    gt-pack -q s.vcf -o s.zarr
    gt-sim -q --samples 12 --variants 320 --normal --seed 1 -o a.zarr
    gt-sim -q --samples 300 --variants 320 --normal --seed 1 -o wide.zarr
    mkdir hole.zarr
    echo '{"zarr_format": 2, "shape": [9000, 9000], "chunks": [9000, 9000], "dtype": "<f8", "compressor": null, "fill_value": 0, "filters": null, "order": "C"}' > hole.zarr/.zarray
    gt-rechunk -q -O npy a.zarr -o x.npy
    gt-svd -q -k 3 --loadings s.zarr -o m
    grep -v '^#' s.vcf | awk 'NR % 2' > half
    { grep '^#' s.vcf && cat half; } > half.vcf
}

setup() { cd "$BATS_FILE_TMPDIR" || exit 1; }

# What the command writes, notes aside: a number for all of it, in $number.
made() {
    local status=0
    rm -rf made
    mkdir made
    eval "$1" > made/out 2> said || status=$?
    number=$({ echo $status; grep -ahEv '^(time  |estimate  )' made/out; cat made/x* made/x.zarr/.z* made/x.zarr/* made/x.zarr/*/*; } 2> /dev/null | cksum)
    [ $status -eq 0 ] || number+=$(< said)
}

# Of each line COMMAND|OPTION|DEFAULT|OTHER: help names the default; with it and without the option the same is written, with another value not.
defaults() {
    local command option name default other said without number
    local -A known
    while IFS='|' read -r command option default other; do
        name=${option#-}
        said=$(${command%% *} --help-options | awk -F '\t' -v name="${name#-}" '$2 == name || $1 == name { print $NF }')
        [[ $said == *default*"$default"* || $said == *"$default"*default* ]] || { echo "$option $default: $said"; return 1; }
        [ -n "${known[$command]}" ] || { made "$command" && known[$command]=$number; }
        without=${known[$command]}
        made "$command $option $default"
        [ "$number" = "$without" ] || { echo "$command $option $default: not the default"; cat said; return 1; }
        [ -n "$other" ] || continue
        made "$command $option $other"
        [ "$number" != "$without" ] || { echo "$command $option $other: the same"; return 1; }
    done
}

@test "gt-pack, gt-unpack, gt-rechunk and gt-pdist: a run with the default as help has it, and one without the option, write the same" {
    defaults << 'TABLE'
gt-pack -q --no-version s.vcf -o made/x.zarr|--layout|packed|vcz
gt-pack -q --no-version s.vcf -o made/x.zarr|--zarr-format|2|3
gt-pack -q --no-version s.vcf -o made/x.zarr|--half-call|missing|reference
gt-pack -q --no-version --layout vcz s.vcf -o made/x.zarr|--fields|all|none
gt-pack -q --no-version s.vcf half.vcf -o made/x.zarr|--concat|variants|samples
gt-unpack -q --no-version s.vcf|-O|vcf|bcf
gt-unpack -q --no-version s.vcf -o made/x.bcf|--level|4|9
gt-unpack -q --no-version s.vcf -o made/x.vcf.gz|--level|1|9
gt-rechunk -n hole.zarr -c auto,auto -o made/x.zarr|--chunk-bytes|16M|1M
gt-pdist -q a.zarr|-m|euclidean|cityblock
gt-pdist -q a.zarr|-O|tsv|npy
gt-pdist -q s.zarr|--missing|rescale|ignore
gt-pdist -q -m 1-ibs --tree - s.zarr|--tree-method|nj|upgma
gt-pdist -q -m ibs -O plink s.zarr|--plink-shape|triangle|square
gt-pdist -q -m ibs -O npy s.zarr|--dtype|f8|f4
gt-pdist -q s.zarr|--between|samples|variants
gt-pdist -q x.npy|--axis|0|1
gt-pdist -q -m minkowski a.zarr|-p|2|3
TABLE
}

@test "gt-svd, gt-sim and gt-pi: the same" {
    defaults << 'TABLE'
gt-svd -q s.zarr -o made/x|-k|10|9
gt-svd -q -k 3 s.zarr|-O|plink|tsv
gt-svd -q --project m.model.zip half.vcf -o made/x|--match|position|
gt-svd -q --project m.model.zip half.vcf -o made/x|--min-match|0.5|0.9
gt-svd -q -k 3 s.zarr|--scale|binomial|standard
gt-svd -q -k 3 s.zarr|--algorithm|auto|krylov
gt-svd -q -k 3 --algorithm krylov --seed 1 s.zarr|--tol|1e-4|1e-1
gt-svd -q -k 3 --algorithm krylov s.zarr|--seed|0|1
gt-svd -n -k 3 --algorithm krylov s.zarr|--passes|200|100
gt-svd -q -k 3 --algorithm krylov s.zarr|--oversample|6|30
gt-svd -q -k 3 --algorithm compressed s.zarr|--oversample|10|30
gt-svd -q -k 3 --algorithm compressed s.zarr|--power-iterations|0|1
gt-svd -q -k 3 --algorithm compressed --power-iterations 2 wide.zarr|--iterator|power|
gt-sim -q --no-version --samples 20 --variants 90 -O vcf|--pops|1|2
gt-sim -q --no-version --samples 20 --variants 90 --pops 2 -O vcf|--fst|0.1|0.2
gt-sim -q --no-version --samples 20 --variants 90 -O vcf|--missing|0|0.1
gt-sim -q --no-version --samples 20 --variants 90 -O vcf|--contigs|1|2
gt-sim -q --no-version --samples 20 --variants 90 -O vcf|--multiallelic|0|0.2
gt-sim -q --no-version --samples 20 --variants 90 -O vcf|--spectrum|neutral|flat
gt-sim -q --no-version --samples 20 --variants 90 -O vcf|--min-maf|0.01|0.05
gt-sim -q --no-version --samples 20 --variants 90 --spectrum common -O vcf|--min-maf|0.05|0.01
gt-sim -q --no-version --samples 20 --variants 90 -O vcf|--seed|0|1
gt-sim -q --no-version --samples 20 --variants 90 --rank 2 -o made/x.zarr|--noise|0.01|0.02
gt-sim -q --no-version --samples 20 --variants 90 -o made/x.zarr|--zarr-format|2|3
gt-pi -n|--points|1e9|1e8
gt-pi -n|--runs|1|2
gt-pi -n|--seed|0|1
TABLE
}

@test "numbers, options, variables and defaults that help names are in the manual's words about the option" {
    command -v mandoc > /dev/null || skip "no mandoc"
    local command
    for command in pack unpack rechunk pdist svd info sim pi; do
        # gt-pack(1) has what others share with it
        mandoc -T ascii -O width=1000 "$GT_SOURCE/man/gt-$command.1" "$GT_SOURCE/man/gt-pack.1" | col -bx > page
        gt-$command --help-options > options
        "$PYTHON" - "gt-$command" << 'PY'
import re, sys
items, names = {}, []
for line in open("page"):
    head = re.match(r"     (-\S.*)$", line)
    if head:
        names = re.findall(r"(?<![\w-])--?[\w@-]+", head[1])
        for name in names:
            items[name] = items.get(name, "") + line
    elif re.match(r"       ", line) and names:
        for name in names:
            items[name] += line
    elif line.strip():
        names = []
wrong, whole = [], open("page").read()
for line in open("options"):
    letter, name, _, value, text = line.rstrip("\n").split("\t")
    option = "--" + name if name != "-" else "-" + letter
    item = items.get(option, items.get("-" + letter, ""))
    wanted = re.findall(r"--[a-z][a-z-]+|GT_[A-Z]+|(?<![\w.:-])(?<!exit )\d[\w.%-]*\w|(?<![\w.:-])(?<!exit )\d", text)
    wanted += [w for d in re.findall(r"\(default:? ([^)]*)\)", text) for w in re.findall(r"[\w.-]*\w", d)
               if value != "-" and w in value.split("|")]
    for w in wanted:
        if w not in item.replace("two", "2") and not (w.startswith("--") and w in whole):
            wrong.append("%s %s: '%s' of '%s'" % (sys.argv[1], option, w, text))
print("\n".join(wrong))
sys.exit(len(wrong) > 0)
PY
    done
}
