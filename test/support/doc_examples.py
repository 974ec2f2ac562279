"""doc_examples.py FILE.md: runs the commands of its examples, and compares what they print.

An example is an indented or fenced block of lines, each command after "$ ".  What follows a command is what it prints, on standard
error too.  Times, speeds and residuals stand for any other: a number in front of s, MiB/s or "a second".  Decimals of five digits
and more agree to a thousandth: processors and BLAS libraries round differently, and components are accurate to --tol.
Commands without "$ " are not run; their options have to be those of --help-options.
"""
import re
import subprocess
import sys

MASKS = [
    (r"[\d.,]+(e[+-]?\d+)? (\S+ x \S+|\S+) a second", "N a second"),
    (r"[\d.,]+ [KMGT]?i?B/s", "N B/s"),
    (r"\b[\d.]+ s\b", "N s"),
    (r"residual [\d.e-]+", "residual N"),
]
DECIMAL = r"-?\d+\.\d+"


def masked(line):
    for pattern, to in MASKS:
        line = re.sub(pattern, to, line)
    return line.rstrip()


def same(got, want):
    """Whether two lines are the same but for the last digits of their decimals."""
    if re.sub(DECIMAL, "", got) != re.sub(DECIMAL, "", want):
        return False
    for a, b in zip(re.findall(DECIMAL, got), re.findall(DECIMAL, want)):
        digits = len(re.sub(r"^-?0*\.?0*|\.", "", b))
        if a != b and (digits < 5 or abs(float(a) - float(b)) > 1e-3 * abs(float(b))):
            return False
    return True


def blocks(text):
    """Code blocks, a list of lines each."""
    block, fenced = [], False
    for line in text.split("\n") + ["end"]:
        if line.startswith("```"):
            fenced = not fenced
        elif fenced or line.startswith("    ") and not re.match(r"\s*([-*]|\d+\.) ", line):
            block.append(line if fenced else line[4:])
            continue
        elif not line.strip() and block and not fenced:
            block.append("")
            continue
        if block:
            yield block
        block = []


def examples(block):
    """(command, lines that it prints) of a block."""
    found = []
    for line in block:
        if line.startswith("$ "):
            found.append((line[2:], []))
        elif found:
            found[-1][1].append(line)
    return found


def run(command, want):
    done = subprocess.run(["bash", "-o", "pipefail", "-c", command], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, timeout=600)
    got = [masked(line) for line in done.stdout.decode().rstrip("\n").split("\n")]
    while want and not want[-1].strip():
        want = want[:-1]
    want = [masked(line) for line in want] or [""]
    # head ends a pipe early: the command before it may say so by its status
    if done.returncode not in (0, 141):
        return ["exit status %d" % done.returncode] + got
    agree = len(got) == len(want) and all(map(same, got, want))
    return [] if agree else ["prints:"] + got + ["the document has:"] + want


def options_of(command):
    if command not in options_of.cache:
        text = subprocess.run([command, "--help-options"], stdout=subprocess.PIPE, check=True).stdout.decode()
        names = set()
        for line in text.split("\n"):
            short, long = (line.split("\t") + ["-", "-"])[:2]
            names |= {"-" + short} if short != "-" else set()
            names |= {"--" + long} if long != "-" else set()
        options_of.cache[command] = names
    return options_of.cache[command]


options_of.cache = {}


def unknown_options(line):
    """Options that the gt- commands of a line do not have."""
    for part in re.split(r"[|;&]+|\$\(|<\(", re.sub(r"'[^']*'|\"[^\"]*\"|#.*", "", line)):
        words = part.split()
        if not words or not re.fullmatch(r"gt-[a-z]+", words[0]):
            continue
        for word in words[1:]:
            name = re.match(r"--[a-z][a-z0-9-]*|-[A-Za-z@]", word)
            if name and name[0] not in options_of(words[0]):
                yield "%s has no option %s: %s" % (words[0], name[0], line.strip())


def main(path):
    with open(path, encoding="utf-8") as f:
        found = list(blocks(f.read()))
    wrong = ran = 0
    for block in found:
        for fault in [u for line in block for u in unknown_options(re.sub(r"^\$ ", "", line))]:
            print(fault)
            wrong += 1
        for command, want in examples(block):
            fault = run(command, want)
            ran += 1
            if fault:
                print("\n    ".join(["$ " + command] + fault))
                wrong += 1
    print("%d examples, %d wrong" % (ran, wrong))
    return 1 if wrong else 0


sys.exit(main(sys.argv[1]))
