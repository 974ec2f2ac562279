#!/usr/bin/env python3
"""Types what stands on the left in hints.def, reads the hint, and runs what it says.

    hints.py HINTS_DEF BUILD [--quick]    in an empty folder; prints what failed, and how many hints were tried;
                                          --quick: each row with one command
"""
import os
import re
import subprocess
import sys

COMMANDS = "gt-pack gt-unpack gt-rechunk gt-pdist gt-svd gt-info gt-sim gt-pi".split()
SUFFIX = {"gt-pack": ".zarr", "gt-rechunk": ".zarr", "gt-unpack": ".vcf", "gt-pdist": ".tsv", "gt-svd": "", "gt-sim": ".vcf"}


def rows_of(path):
    for line in open(path):
        m = re.match(r'(OPTION|OPERAND|VALUE)\((".*")\)$', line)
        if m:
            yield m[1], [eval(s) for s in re.findall(r'"(?:[^"\\]|\\.)*"', m[2])]


def run(command):
    p = subprocess.run(["bash", "-c", "set -o pipefail; " + command], capture_output=True, text=True, timeout=60, stdin=subprocess.DEVNULL)
    return p.returncode, p.stderr


class Hints:
    def __init__(self, build):
        os.environ["PATH"] = build + ":" + os.environ["PATH"]
        self.tried, self.failed, self.n, self.before, self.quick = 0, 0, 0, 0, sys.argv[3:] == ["--quick"]
        self.options = {c: self.options_of(c) for c in COMMANDS}
        run("gt-sim -q --samples 60 --variants 400 --contigs 2 --seed 1 -o IN.vcf; gt-pack -q IN.vcf -o IN.zarr; gt-unpack -q IN.vcf -o IN.bed")
        ids = subprocess.run("grep -m1 '^#CHROM' IN.vcf | cut -f 10-", shell=True, capture_output=True, text=True).stdout.split()
        self.samples = ids[:12]
        open("samples", "w").write("\n".join(self.samples) + "\n")
        open("regions", "w").write("1\t1\t100000000\n")
        open("families", "w").write("\n".join(self.samples) + "\n")
        lines = [line.split() for line in open("IN.fam")]
        open("IN.fam", "w").write("".join("\t".join([f[1]] + f[1:]) + "\n" for f in lines))

    def options_of(self, command):
        lines = subprocess.run([command, "--help-options"], capture_output=True, text=True).stdout.splitlines()
        table = [line.split("\t") for line in lines]
        return {name: choices for letter, longname, kind, choices, _ in table for name in (letter, longname) if name != "-"}

    def fill(self, text, command):
        """The words of hints as files and numbers that exist."""
        file = "families" if "-fam" in text else "regions" if re.match(r"(-R|-T|--bed|--targets-file) ", text) else "samples"
        for word, value in ((r"\^FILE", "^" + file), (r"\bFILE\b", file), ("CHR:FROM-TO", "1:1-100000000"), (r"-s \^A\b", "-s ^" + self.samples[0]),
                            (r"-s A\b", "-s " + ",".join(self.samples)), (r"-r LIST", "-r 1"), (r"\bLIST\b", "1"), (r"1-F\b", "0.1"), (r"\bF\b", "0.01"),
                            (r"\bN\b", "2"), ("EXPR", "'POS>0'"), ("FORMAT", "vcf" if command == "gt-sim" else "npy"), (r"gt-\.\.\.", "gt-pack -o OUT.zarr")):
            text = re.sub(word, value, text)
        if text == "--skip-absent":
            text = "-s %s,nobody --skip-absent" % ",".join(self.samples)
        return text

    def whole(self, command, args, theirs=False):
        """The command line for these options, with input and output where they have none."""
        self.n += 1
        if not args.startswith(("gt-", "bcftools")):
            args = "%s %s" % (command, args)
            name = args.split()[0]
            if name == "gt-sim":
                args += " --samples 5 --variants 9"
            elif name != "gt-pi" and not re.search(r"\bIN\b", args):
                args += " IN"
            if name == "gt-info" and "--stats" not in args and not theirs:
                args += " --stats variants"
            if not re.search(r"\bOUT\b", args) and name in SUFFIX:
                m = re.search(r"-O (\w+)", args)
                suffix = {"npy": ".npy", "bed": ".bed", "vcf": ".vcf", "bcf": ".bcf", "packed": ".zarr"}.get(m[1], "") if m else ".zarr" if "--zarr" in args else SUFFIX[name]
                args += " -o OUT" + suffix
        file = "IN.zarr" if "gt-rechunk" in args else "IN.bed" if "-fam" in args else "IN.vcf"
        return re.sub(r"\bOUT\b", "out%d" % self.n, re.sub(r"\bIN\b", file, args))

    def fail(self, *text):
        self.failed += 1
        print(*text)

    def check(self, command, theirs, hint, ours):
        if self.quick and self.tried > self.before:
            return
        self.tried += 1
        typed = self.whole(command, self.fill(theirs, command), not re.match(r"-[vf] |--ld-prune", theirs))
        status, said = run(typed)
        if status != 2 or "\nhint: %s\n" % hint not in said:
            self.fail("%s: status %d: %s; expected: %s" % (typed, status, said, hint))
        works = self.whole(command, self.fill(ours, command))
        status, said = run(works)
        if status:
            self.fail("%s: status %d: %s" % (works, status, said))

    def option(self, kind, program, theirs, needs, ours, note, seen):
        name = theirs.split()[0].lstrip("-")
        owner = program + ("'" if program.endswith("s") else "'s")
        what = "leave out " + theirs if not ours else "%s %s is %s here" % (owner, theirs, ours) if program else "use " + ours
        for command, options in self.options.items():
            known = name in options
            if needs not in options or known != (kind == "OPERAND") or (command, theirs) in seen:
                continue
            seen.add((command, theirs))
            self.check(command, theirs, what + (": " + note if note else ""), ours)

    def value(self, theirs, ours, note):
        option, word = theirs.split()
        for command, options in self.options.items():
            choices = options.get(option.lstrip("-"), "")
            choices = "cityblock|euclidean|sqeuclidean|allele-count|king|correlation" if choices == "METRIC" else choices
            if ours not in choices.split("|") or word in choices.split("|"):
                continue
            self.check(command, theirs, "did you mean '%s'?%s" % (ours, " " + note if note else ""), "%s %s" % (option, ours))


def main():
    hints, seen, rows = Hints(os.path.abspath(sys.argv[2])), set(), list(rows_of(sys.argv[1]))
    for kind, columns in rows:
        hints.before = hints.tried
        if kind == "VALUE":
            hints.value(*columns)
        else:
            hints.option(kind, *(columns + [""])[:5], seen)
        if hints.tried == hints.before:
            hints.fail("%s: no command gives this hint" % (columns,))
    print("%d rows, %d hints tried, %d failed" % (len(rows), hints.tried, hints.failed))
    sys.exit(hints.failed > 0 or len(rows) < 100)


main()
