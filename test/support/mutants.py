#!/usr/bin/env python3
"""Which small faults in the sources do the tests notice?  All faults are in one build; GT_MUTANT=NUMBER chooses one when a program starts.

    mutants.py build OUT FILE...          copies the tree of the current folder to OUT/tree, with faults in FILEs, and builds it there
    mutants.py cover OUT [-s S] SUITE...  runs the suites without a fault, and notes which faults each case reaches (no case of more than S s)
    mutants.py run OUT [-n N] [-s S] FILE...  N faults of each FILE: which are noticed by S s of the cases that reach them

SUITE is a path below test/ (cmd/pdist/pdist.bats, geno/model/t_regions.c).  It needs the package libclang; no other build knows of it.
After a build of other sources, cover again.  What survives with a few seconds may be noticed with more: try it with all of a command's
suites before writing a test.
"""
import argparse
import collections
import concurrent.futures
import json
import os
import random
import re
import signal
import subprocess
import sys
import threading
import time

import clang.cindex
from clang.cindex import CursorKind as K

SWAPS = {"<": ["<=", ">="], "<=": ["<", ">"], ">": [">=", "<="], ">=": [">", "<"], "==": ["!="], "!=": ["=="], "+": ["-"], "-": ["+"], "&&": ["||"],
         "||": ["&&"], "/": ["*"], "%": ["/"], "&": ["|"], "|": ["&"], "<<": [">>"], ">>": ["<<"]}
# Calls that say something, free memory or show progress: their arguments and the call itself stay.
KEPT = re.compile(r"gt_(fail|hint|warn|note|say|trace|progress|report_)|.*(free|release|close|assert|printf|perror|printf_|puts)$|mem(advise)?$|madvise")
RUNTIME = r"""
#include <fcntl.h>
#include <stdlib.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
static unsigned char gt_mutant_none[MUTANTS];
unsigned char *gt_mutant_hits = gt_mutant_none;
int gt_mutant_now;
extern char *program_invocation_short_name;
__attribute__((constructor(101))) static void gt_mutant_start(void)
{
    const char *now = getenv("GT_MUTANT"), *cover = getenv("GT_MUTANT_COVER"), *file = getenv("BATS_TEST_FILENAME"), *test = getenv("BATS_TEST_NAME");
    gt_mutant_now = now ? atoi(now) : 0;
    if (!cover)
        return;
    char path[4096];
    const int len = snprintf(path, sizeof path, "%s/%s", cover, file ? strrchr(file, '/') + 1 : program_invocation_short_name);
    snprintf(path + len, sizeof path - (size_t)len, ",%.200s", file && test ? test : "");
    const int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0644);
    if (fd < 0 || ftruncate(fd, MUTANTS))
        return;
    void *map = mmap(NULL, MUTANTS, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    close(fd);
    if (map != MAP_FAILED)
        gt_mutant_hits = map;
}
"""
HEAD = "extern unsigned char *gt_mutant_hits; extern int gt_mutant_now;\n#define GT_M(n) (gt_mutant_hits[n] = 1, gt_mutant_now == n)\n#line 1 \"%s\"\n"


class File:
    """The places of one file where a fault can stand: {(begin, end, is a statement): [(text, what it is called)]}, in bytes."""

    def __init__(self, path, args):
        self.path = path
        with open(path, "rb") as f:
            self.raw = f.read()
        unit = clang.cindex.Index.create().parse(path, args, options=clang.cindex.TranslationUnit.PARSE_DETAILED_PROCESSING_RECORD)
        bad = [d.spelling for d in unit.diagnostics if d.severity >= 3]
        if bad:
            sys.exit("%s: %s" % (path, bad[0]))
        self.places = collections.defaultdict(list)
        mine = [c for c in unit.cursor.get_children() if c.location.file and c.location.file.name == path]
        self.macros = [self.extent(c) for c in mine if c.kind == K.MACRO_INSTANTIATION]
        for c in mine:
            body = [b for b in c.get_children() if b.kind == K.COMPOUND_STMT] if c.kind == K.FUNCTION_DECL else []
            if body and not KEPT.match(c.spelling):
                self.returns = c.result_type.get_canonical().spelling
                self.walk(body[0])

    def extent(self, c):
        return c.extent.start.offset, c.extent.end.offset

    def text(self, begin, end):
        return self.raw[begin:end].decode().replace("\n", " ")  # each line keeps its number

    def add(self, c, texts, statement=False):
        begin, end = self.extent(c)
        if begin < end and not any(m[0] <= begin and end <= m[1] for m in self.macros):
            self.places[begin, end, statement] += texts

    def walk(self, c):
        kids = list(c.get_children())
        if c.kind == K.CALL_EXPR and KEPT.match(c.spelling or ""):
            return
        if c.kind == K.VAR_DECL and (c.storage_class == clang.cindex.StorageClass.STATIC or "[" in c.type.spelling):
            return
        if c.kind in (K.ENUM_DECL, K.STRUCT_DECL, K.CXX_UNARY_EXPR):  # constants, sizeof
            return
        if c.kind == K.CASE_STMT:
            kids = kids[1:]
        if c.kind == K.BINARY_OPERATOR and len(kids) == 2:
            self.binary(c, *kids)
        if c.kind == K.INTEGER_LITERAL:
            text = self.text(*self.extent(c))
            self.add(c, ["%s + 1" % text] + (["0"] if text == "1" else []))
        if c.kind == K.FLOATING_LITERAL:
            self.add(c, ["%s + 1" % self.text(*self.extent(c))])
        if c.kind == K.UNARY_OPERATOR and self.text(*self.extent(c)).startswith("!"):
            self.add(c, ["!" + self.text(*self.extent(c))])
        if c.kind == K.RETURN_STMT and kids and kids[0].kind != K.INTEGER_LITERAL:
            if re.fullmatch(r"(const )?(_Bool|bool|(unsigned |long |short )*(int|long|char)|double|float)", self.returns):
                self.add(kids[0], ["0"])
        if c.kind in (K.BREAK_STMT, K.CONTINUE_STMT):
            other = {"break": "continue", "continue": "break"}
            self.add(c, [other.get(self.text(*self.extent(c)), "?")], True)
        for i, kid in enumerate(kids):
            self.condition(c, kid, i)
            is_body = c.kind == K.COMPOUND_STMT or (c.kind in (K.IF_STMT, K.CASE_STMT, K.DEFAULT_STMT) and i > 0) or (
                c.kind in (K.FOR_STMT, K.WHILE_STMT) and i == len(kids) - 1)
            if is_body and self.removable(kid):
                self.add(kid, [";"], True)
            self.walk(kid)

    def removable(self, c):
        if c.kind == K.CALL_EXPR:
            return not KEPT.match(c.spelling or "")
        return c.kind == K.COMPOUND_ASSIGNMENT_OPERATOR or (c.kind == K.BINARY_OPERATOR and "=" in self.text(*self.extent(c))) or (
            c.kind == K.UNARY_OPERATOR and ("++" in self.text(*self.extent(c)) or "--" in self.text(*self.extent(c))))

    def binary(self, c, left, right):
        begin, end = self.extent(c)
        a, b = self.extent(left)[1], self.extent(right)[0]
        op = self.text(a, b).strip() if a <= b else ""
        self.add(c, [self.text(begin, a) + " " + swap + " " + self.text(b, end) for swap in SWAPS.get(op, [])])

    def condition(self, parent, c, i):
        """A condition that is no comparison, the other way round."""
        if i == 0 and parent.kind in (K.IF_STMT, K.WHILE_STMT, K.CONDITIONAL_OPERATOR) and c.kind not in (K.BINARY_OPERATOR, K.UNARY_OPERATOR):
            self.add(c, ["!(%s)" % self.text(*self.extent(c))])

    def render(self, first, dropped):
        """The file with its faults, numbered from `first`, and a list of them.  Those of dropped lines do not compile."""
        faults, numbers = [], {}
        for place in sorted(self.places):
            line, last = (self.raw.count(b"\n", 0, at) + 1 for at in place[:2])
            for text in dict.fromkeys(self.places[place]):
                if not dropped & set(range(line, last + 1)):
                    numbers.setdefault(place, []).append((first + len(faults), text))
                    faults.append({"file": self.path, "line": line, "was": self.text(*place[:2]), "is": text})
        order = sorted(numbers, key=lambda p: (p[0], -p[1], not p[2]))

        def part(begin, end, i):
            out = b""
            while i < len(order) and order[i][0] < end:
                b, e, statement = order[i]
                out += self.raw[begin:b]
                inner, i = part(b, e, i + 1)
                if statement:
                    out += b"".join(b"if (GT_M(%d)) %s else " % (n, (t.strip(";") + ";").encode()) for n, t in numbers[b, e, statement]) + inner
                else:
                    out += b"(" + b"".join(b"GT_M(%d) ? (%s) : " % (n, t.encode()) for n, t in numbers[b, e, statement]) + b"(" + inner + b"))"
                begin = e
            return out + self.raw[begin:end], i

        return (HEAD % os.path.basename(self.path)).encode() + part(0, len(self.raw), 0)[0], faults


def save(path, data):
    """An unchanged file keeps its time, so that make does not build it again."""
    os.makedirs(os.path.dirname(path), exist_ok=True)
    if not os.path.exists(path) or open(path, "rb").read() != data:
        with open(path, "wb") as f:
            f.write(data)


def read(path):
    with open(path, encoding="utf-8") as f:
        return json.load(f)


def build(o):
    out = os.path.abspath(o.out)
    tree, built = out + "/tree", out + "/build"
    listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], check=True, capture_output=True, text=True).stdout.split("\n")
    for name in filter(os.path.isfile, listed):
        if name not in o.files and name != "src/core/base/err.c":
            save(tree + "/" + name, open(name, "rb").read())
            os.chmod(tree + "/" + name, os.stat(name).st_mode)
    os.makedirs(built, exist_ok=True)
    if not os.path.exists(tree + "/configure"):
        subprocess.run(["autoreconf", "-fi"], cwd=tree, check=True, stderr=subprocess.DEVNULL)
    if not os.path.exists(built + "/Makefile"):
        subprocess.run([tree + "/configure", "-q", "CFLAGS=-O1 -w"], cwd=built, check=True)
    system = subprocess.run(["clang", "-print-resource-dir"], check=True, capture_output=True, text=True).stdout.strip() + "/include"
    args = ["-std=gnu11", "-w", "-Isrc", "-I.", "-I" + built, "-isystem", system, '-DGT_MODULE_DIR=""']
    all_faults = [None]  # number 0 is none
    for name in o.files:
        parsed, dropped = File(name, args), set()
        while True:
            text, faults = parsed.render(len(all_faults), dropped)
            save(out + "/try.c", text)
            done = subprocess.run(["gcc", "-fsyntax-only"] + args[:2] + ["-I" + tree + "/src", "-I" + tree, "-I" + built, args[-1], out + "/try.c"],
                                  capture_output=True, text=True, check=False)
            wrong = {int(n) for n in re.findall(r"^%s:(\d+):\d+: error" % re.escape(os.path.basename(name)), done.stderr, re.M)}
            if done.returncode == 0:
                break
            if wrong <= dropped:
                sys.exit(done.stderr)
            dropped |= wrong
        save(tree + "/" + name, text)
        all_faults += faults
    save(tree + "/src/core/base/err.c", open("src/core/base/err.c", "rb").read() + RUNTIME.replace("MUTANTS", str(len(all_faults))).encode())
    if os.path.exists(out + "/faults.json") and read(out + "/faults.json") != all_faults:  # other numbers
        subprocess.run(["rm", "-rf", out + "/cover", out + "/cover.json"], check=True)
    with open(out + "/faults.json", "w", encoding="utf-8") as f:
        json.dump(all_faults, f)
    floors = sorted({name.replace("src/", "").split("/")[0] for name in o.files})
    tests = [os.path.join(folder, t[:-2]) for floor in floors for folder, _, names in os.walk("test/" + floor) for t in names if re.match(r"t_.*\.c$", t)]
    subprocess.run(["make", "-s", "-C", built, "-j2", "test-commands"] + tests, check=True)
    print("%d faults in %d files" % (len(all_faults) - 1, len(o.files)))


# --- running the tests ------------------------------------------------------------------


def encoded(case):
    """The name that bats gives to the function of a case."""
    if not re.search(r"[^A-Za-z0-9 _-]", case):
        return "test_" + case.replace("_", "-5f").replace("-", "-2d").replace(" ", "_")
    return "test_" + "".join("_" if c == " " else c if c.isalnum() else "-%02x" % ord(c) for c in case)


class Tests:
    def __init__(self, out):
        self.out = os.path.abspath(out)
        self.source, self.build = self.out + "/tree", self.out + "/build"
        self.env = dict(os.environ, GT_BUILD=self.build, GT_SOURCE=self.source, PATH=self.build + ":" + os.environ["PATH"],
                        PYTHON=os.environ.get("PYTHON", "/usr/bin/python3"), OPENBLAS_NUM_THREADS="1", GT_TEST_LEVEL="quick")

    def run(self, suite, cases, limit, env, stop):
        """{case: (passed, seconds)} of a suite; with `stop`, up to the first that fails.  None for the time limit."""
        names = "|".join(re.sub(r"([][().*+?{}|^$\\])", r"\\\1", c) for c in cases)
        command = ["bats", "--tap", "--timing", "-f", "^(%s)$" % names, self.source + "/test/" + suite] if suite.endswith(".bats") else [
            self.build + "/test/" + suite[:-2]]
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, cwd=self.build,
                                   env=dict(self.env, **env), text=True, errors="replace", start_new_session=True)
        done, late, begun = {}, [], time.monotonic()

        def kill(*_):
            late.append(1)
            try:
                os.killpg(process.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass

        timer = threading.Timer(limit, kill)
        timer.start()
        for line in process.stdout:
            found = re.match(r"(not ok|ok) \d+ (?:- )?(.*?)(?: in (\d+)ms)?(?: # skip.*)?$", line)
            if found:
                done[found[2]] = (found[1] == "ok", int(found[3] or 0) / 1000)
                if stop and found[1] != "ok":
                    kill()
        status = process.wait()
        timer.cancel()
        if not suite.endswith(".bats"):
            return {"": (status == 0, time.monotonic() - begun)}
        return done if not late or stop else None


def cases_of(path):
    with open(path, encoding="utf-8") as f:
        return [re.sub(r"\\(.)", r"\1", m[1]) for m in re.finditer(r'^@test "((?:[^"\\]|\\.)*)"', f.read(), re.M)]


def cover(o):
    tests = Tests(o.out)
    folder = tests.out + "/cover"
    os.makedirs(folder, exist_ok=True)
    table = [line.rstrip("\n").split("\t") for line in open("test/support/seconds.tsv", encoding="utf-8")]
    long = {(s, c) for s, c, seconds in table if float(seconds) > o.seconds}

    def one(suite):
        cases = [""] if suite.endswith(".c") else [c for c in cases_of(tests.source + "/test/" + suite) if (suite[:-5], c) not in long]
        begun = time.monotonic()
        done = tests.run(suite, cases, 600, {"GT_MUTANT_COVER": folder}, False) or {}
        print("%s: %d of %d cases passed, %.0f s" % (suite, sum(d[0] for d in done.values()), len(cases), time.monotonic() - begun), flush=True)
        found = []
        for case, (passed, seconds) in done.items():
            base = os.path.basename(suite)
            names = [base + "," + encoded(case)[:200], base + ","] if case else [base[:-2] + ","]
            hits = set()
            for name in names:
                if os.path.exists(folder + "/" + name):
                    hits |= {i for i, b in enumerate(open(folder + "/" + name, "rb").read()) if b}
            if passed and hits:
                found.append({"suite": suite, "case": case, "seconds": seconds, "hits": sorted(hits)})
        return found

    path = tests.out + "/cover.json"
    old = [c for c in (read(path) if os.path.exists(path) else []) if c["suite"] not in o.files]
    with concurrent.futures.ThreadPoolExecutor(o.jobs) as pool:
        found = old + [c for suite in pool.map(one, o.files) for c in suite]
    with open(path, "w", encoding="utf-8") as f:
        json.dump(found, f)


def run(o):
    tests = Tests(o.out)
    faults = read(tests.out + "/faults.json")
    reach = collections.defaultdict(list)
    for case in read(tests.out + "/cover.json"):
        case["files"] = collections.Counter(faults[i]["file"] for i in case["hits"] if i)
        for number in case["hits"]:
            reach[number].append(case)

    def judge(number):
        """By the cases that look at most of the file in the shortest time."""
        cases, spent = collections.OrderedDict(), 0
        for c in sorted(reach[number], key=lambda c: -c["files"][faults[number]["file"]] / (0.2 + c["seconds"])):
            if spent + c["seconds"] <= o.seconds or not cases:
                cases.setdefault(c["suite"], []).append(c)
                spent += c["seconds"]
        for suite, some in cases.items():
            expected = sum(c["seconds"] for c in some)
            done = tests.run(suite, [c["case"] for c in some], 20 + 10 * expected, {"GT_MUTANT": str(number)}, True)
            if len(done) < len(some) or not all(d[0] for d in done.values()):
                return "noticed"
        return "survived" if cases else "not reached"

    for name in o.files:
        mine = [i for i, f in enumerate(faults) if f and f["file"] == name]
        some = sorted(random.Random(o.seed).sample(mine, min(o.number, len(mine))))
        with concurrent.futures.ThreadPoolExecutor(o.jobs) as pool:
            for number, verdict in zip(some, pool.map(judge, some)):
                faults[number]["verdict"] = verdict
        noticed = sum(faults[i]["verdict"] == "noticed" for i in some)
        print("%s: %d of %d noticed; %d of all %d are not reached" % (name, noticed, len(some), sum(not reach[i] for i in mine), len(mine)))
        for i in some:
            f = faults[i]
            if f["verdict"] != "noticed":
                print("  %d %s:%d: %s: '%s' for '%s'" % (i, os.path.basename(name), f["line"], f["verdict"], f["is"], f["was"]))
        sys.stdout.flush()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("action", choices=["build", "cover", "run"])
    parser.add_argument("out")
    parser.add_argument("files", nargs="+")
    parser.add_argument("-n", "--number", type=int, default=50)
    parser.add_argument("-s", "--seconds", type=float, default=10)
    parser.add_argument("-j", "--jobs", type=int, default=2)
    parser.add_argument("--seed", type=int, default=1)
    o = parser.parse_args()
    {"build": build, "cover": cover, "run": run}[o.action](o)


main()
