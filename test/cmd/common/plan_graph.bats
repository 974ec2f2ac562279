#!/usr/bin/env bats
# --graph: the plan of each command as a graph, planned and run.

bats_require_minimum_version 1.5.0

setup_file() {
    cd "$BATS_FILE_TMPDIR" || exit 1
    unset GT_CPU GT_THREADS GT_MEMORY OMP_NUM_THREADS
    gt-sim -q --samples 60 --variants 5000 -O vcf -o s.vcf
    gt-pack -q s.vcf -o s.zarr
    gt-unpack -q s.zarr -o s.bed
    gt-sim -q --samples 40 --variants 300 --normal -o m.zarr
    cat > graph.py << 'PY'
import re
class Graph:
    """The nodes (name -> label) and edges of a file of --graph; checks that it is whole."""
    def __init__(self, path):
        text = open(path).read()
        assert text.startswith("digraph plan {\n") and text.endswith("}\n")
        self.nodes = {n: re.sub(r"\\(.)", lambda m: {"n": "\n", "l": "\n"}.get(m[1], m[1]), l) for n, l in re.findall(r'^  (\w+) \[.*?label="((?:[^"\\]|\\.)*)"\];$', text, re.M) if n not in ("graph", "node", "edge")}
        self.edges = []
        for line in text.splitlines():
            if " -> " in line and "label=\"gt-" not in line:
                names = re.sub(r" \[.*", "", line).rstrip(";").split(" -> ")
                self.edges += list(zip((n.strip() for n in names), (n.strip() for n in names[1:])))
        used = {n for e in self.edges for n in e}
        assert used <= set(self.nodes), used - set(self.nodes)
        assert set(self.nodes) - used <= {"memory"}, set(self.nodes) - used
    def steps(self):
        return {label.split("\n")[0]: name for name, label in self.nodes.items() if name.startswith("step")}
    def step(self, title):
        return self.nodes[self.steps()[title]]
    def reaches(self, a, b):
        seen, todo = set(), [a]
        while todo:
            n = todo.pop()
            if n not in seen:
                seen.add(n)
                todo += [y for x, y in self.edges if x == n]
        return b in seen
    def chunks(self):
        return [n for n in self.nodes if n.startswith("chunk")]
PY
}

setup() { cd "$BATS_FILE_TMPDIR" || exit 1; }

@test "--graph of every command, planned and run: from the inputs over steps to the outputs" {
    while read -r name command; do
        # shellcheck disable=SC2086
        $command -n --graph $name.plan.dot > /dev/null 2> err || { echo "$command -n: $(cat err)"; return 1; }
        # shellcheck disable=SC2086
        $command --graph $name.run.dot > out.txt 2> err || { echo "$command: $(cat err)"; return 1; }
        "$PYTHON" - $name "$command" << 'PY'
exec(open("graph.py").read())
import sys
name, command = sys.argv[1:]
for kind in "plan", "run":
    g = Graph("%s.%s.dot" % (name, kind))
    first = "input" if "input" in g.nodes else min(n for n in g.nodes if n.startswith("step"))
    assert len(g.steps()) >= 1 and g.reaches(first, "output"), (kind, g.nodes, g.edges)
    assert all(g.reaches(s, "output") or g.nodes[s].startswith("Zarr") for s in g.steps().values()), (kind, g.edges)
    if name == "pdist":
        assert g.reaches(g.steps()["sums of pairs, last rows"], g.steps()["matrix of pairs"]), (kind, g.edges)
    for word in command.split():
        if word in ("s.vcf", "s.zarr", "s.bed", "m.zarr"):
            assert word in g.nodes["input"]
    assert g.nodes["memory"].startswith("memory limit ")
PY
    done << 'COMMANDS'
pack gt-pack -q -f s.vcf -o p.zarr
unpack gt-unpack -q -f s.zarr -o u.vcf
pdist gt-pdist -q -f s.bed -m king -o d.tsv
svd gt-svd -q -f s.zarr -k 3 --algorithm krylov -o v
matrix gt-svd -q -f m.zarr -k 3 --algorithm krylov -O zarr -o w.zarr
rechunk gt-rechunk -q -f m.zarr -c 50,10 -o r.zarr
sim gt-sim -q -f --samples 30 --variants 900 -o t.zarr
stats gt-info -q --stats samples s.zarr
check gt-info -q --check s.zarr
pi gt-pi -q --points 1e5
COMMANDS
}

@test "--graph: numbers of tasks, chunks, passes and sums, and who reads whom" {
    gt-pack -q -f s.vcf --chunks variants=500,samples=60 -o five.zarr
    gt-pdist -q -f five.zarr -m king -o d.tsv --graph d.dot
    gt-svd -q -f five.zarr -k 3 --algorithm krylov -o v --json --graph v.dot > v.json
    gt-rechunk -q -f five.zarr --codec zstd:1 -o r.zarr --graph r.dot
    gt-pi -q --points 1000 --chunks 7 --graph p.dot > /dev/null
    gt-pi -q --points 10000 --chunks 201 -n --graph many.dot > /dev/null
    gt-pack -q -f s.vcf --chunks variants=500,samples=60 -o p.zarr --graph pack.dot
    gt-pack -n -f s.bed --chunks variants=500,samples=60 -o p.zarr --graph ten.dot > /dev/null
    "$PYTHON" << 'PY'
exec(open("graph.py").read())
import json, os
g = Graph("d.dot")
zarr, pairs = g.steps()["Zarr chunks"], g.steps()["sums of pairs"]
mine = [c for c in g.chunks() if c.startswith(zarr.replace("step", "chunk") + "_")]
assert "\n%d tasks" % len(mine) in g.nodes[zarr] and len(mine) > 1, g.nodes
assert (zarr, pairs) in g.edges and (pairs, pairs.replace("step", "sum")) in g.edges
assert all(("input", c) in g.edges and (c, zarr) in g.edges for c in mine)
assert (pairs.replace("step", "sum"), "output") not in g.edges and g.reaches(pairs, g.steps()["matrix of pairs"])
arrays = [l for l in Graph("r.dot").nodes.values() if re.search(r"\d+ (arrays|passes)", l)]
assert len(arrays) == 2 and all("arrays" in l and "passes" not in l for l in arrays), arrays
meta = json.load(open("five.zarr/packed_dosage/.zarray" if os.path.exists("five.zarr/packed_dosage/.zarray") else "five.zarr/packed_dosage/zarr.json"))
shape, chunks = meta["shape"], meta["chunks"] if "chunks" in meta else meta["chunk_grid"]["configuration"]["chunk_shape"]
extents = [" x ".join(format(n, ",") for n in e) for e in (shape, chunks)]
assert "packed store: 60 samples, 5,000 variants\nfive.zarr\npacked_dosage: %s uint8, chunks %s, " % tuple(extents) in g.nodes["input"], g.nodes["input"]
assert re.search(r"r\.zarr, [0-9.]+ KiB\npacked_dosage: %s uint8, chunks %s, zstd:1\n" % tuple(extents), Graph("r.dot").nodes["output"]), Graph("r.dot").nodes["output"]
g = Graph("v.dot")
assert [l for n, l in g.nodes.items() if n.startswith("kept")][0].startswith("genotypes between passes")
made = json.load(open("v.json"))
passes = int(re.search(r"(\d+) passes", g.step("products with vectors"))[1])
assert 2 <= passes < made["passes"] <= passes + 3, (passes, made)  # and those for frequencies and projections
g = Graph("p.dot")
assert len(g.chunks()) == 7 and "7 tasks" in g.step("random points")
g = Graph("many.dot")
assert g.chunks() == [] and "201 tasks" in g.step("random points")
g = Graph("ten.dot")
assert "10 tasks" in g.step("store written") and len(g.chunks()) == 10  # 5,000 variants in row groups of 500
g = Graph("pack.dot")
assert g.reaches(g.steps()["text lines"], g.steps()["VCF records"]) and (g.steps()["VCF records"], g.steps()["store written"]) in g.edges
PY
}

@test "--graph FILE.svg and FILE.png: what the text says" {
    export ASAN_OPTIONS=${ASAN_OPTIONS:-}:detect_leaks=0 # of the libraries that draw
    gt-pi -q --points 1000 --chunks 4 --graph g.svg > /dev/null 2> err || { grep -q 'cannot draw graphs' err && skip "built without Graphviz"; cat err; return 1; }
    gt-pdist -q -f s.vcf -m king -o 'd<&">.tsv' --graph g.svg
    gt-pdist -q -f s.vcf -m king -o 'd<&">.tsv' --graph g.dot
    "$PYTHON" << 'PY'
exec(open("graph.py").read())
import xml.etree.ElementTree as ET
svg = "{http://www.w3.org/2000/svg}"
root, g = ET.parse("g.svg").getroot(), Graph("g.dot")
titles = [e.find(svg + "title").text for e in root.iter(svg + "g") if e.get("class") in ("node", "edge")]
assert sorted(t for t in titles if "->" not in t) == sorted(g.nodes)
assert sorted(t for t in titles if "->" in t) == sorted("%s->%s" % e for e in g.edges)
text = " ".join(t.text for t in root.iter(svg + "text"))
assert 'd<&">.tsv' in text and "sums of pairs" in text
PY
    ! gt-svd -q s.zarr -k 2 -f --plot try.png 2> /dev/null || gt-pi -q --points 1000 --graph g.png > /dev/null
    [ ! -e g.png ] || [ "$(head -c 4 g.png | tail -c 3)" = PNG ]
}

@test "--graph: names that cannot be" {
    run gt-pi --points 1e3 --graph g.txt
    [ "$status" -eq 2 ]
    [[ "${lines[0]}" == "gt-pi: --graph 'g.txt': the name must end in .dot, .svg, .png or .pdf" ]]
    run env GT_MODULES=/nowhere gt-pi --points 1e3 --graph g.svg
    [ "$status" -eq 2 ]
    [[ "${lines[0]}" == "gt-pi: --graph: this build cannot draw graphs" && "${lines[1]}" == "hint: name the file .dot"* ]]
    run gt-pi --points 1e3 --graph nowhere/g.dot
    [ "$status" -eq 1 ]
    [[ "${lines[0]}" == *"nowhere"* ]]
    [ ! -e g.txt ]
    [ ! -e nowhere ]
}
