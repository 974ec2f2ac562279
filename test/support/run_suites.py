#!/usr/bin/env python3
"""Runs test programs and bats files side by side, the longest first.

    run_suites.py select SOURCE [NAME...]      prints the suites that NAMEs select, a path each
    run_suites.py run SOURCE BUILD [NAME...]   runs them; the last line is "N passed, N failed, N skipped"

A suite is a program (t_x.c, fuzz_x.c), a bats file (x.bats) or the script `layers` below SOURCE/test.  NAME is a suite (pdist_scale,
cmd/pdist/pdist_scale.bats), a folder (kernels, storage/codec), a room or a command (codec, pdist, gt-pdist), or a part
of the name of a case ('by its definition').  Cases are looked for in the suites that are named, or in all of them.
No NAME selects everything.

A bats file that takes long is run in parts.  How long a suite took is read from BUILD/tests/seconds.tsv, or where there is no such file
from test/support/seconds.tsv.  Each run writes the former.  Standard output and error of each part are in BUILD/tests/log.

Environment: GT_TEST_JOBS, the number of suites at once (default: three for two cpus, since suites wait for servers, disks and
timeouts); GT_TEST_SHORT, seconds: cases of bats files that take longer, by test/support/seconds.tsv, are left out; GT_TEST_LIMIT, the
seconds that a part may take; GT_TEST_LEVEL, GT_TEST_DATA, PYTHON and PYTHON_* are for the suites.
"""
import heapq
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import threading
import time

PART_SECONDS = 15  # parts of a bats file take about so long
DEFAULT_SECONDS = 0.3  # of a case that is not in the table


class Suite:
    """A program, a bats file or a script; `path` is relative to SOURCE/test."""

    def __init__(self, source, path):
        self.path = path
        self.file = os.path.join(source, "test", path)
        self.name = re.sub(r"\.(bats|c)$", "", path)
        self.is_bats = path.endswith(".bats")
        self.cases = bats_cases(self.file) if self.is_bats else []
        self.wanted = None  # the cases to run, None for all

    def is_named(self, name):
        name = re.sub(r"^(\./)?test/|\.(bats|c)$|/$", "", name)
        base = os.path.basename(self.name)
        folders = self.name.split("/")[:-1]
        whole = "/" + self.name + "/"
        return "/" + name + "/" in whole or name in (base, re.sub("^(t|fuzz)_", "", base)) or name.replace("gt-", "", 1) in folders

    def has_text(self, text):
        with open(self.file, encoding="utf-8") as f:
            return text in f.read()


def bats_cases(path):
    with open(path, encoding="utf-8") as f:
        return [re.sub(r"\\(.)", r"\1", m[1]) for m in re.finditer(r'^@test "((?:[^"\\]|\\.)*)"', f.read(), re.M)]


def all_suites(source):
    found = []
    for folder, _, names in os.walk(os.path.join(source, "test")):
        for name in names:
            if re.fullmatch(r".*\.bats|t_.*\.c|fuzz_.*\.c|layers", name):
                found.append(Suite(source, os.path.relpath(os.path.join(folder, name), os.path.join(source, "test"))))
    return sorted(found, key=lambda s: s.path)


def select(source, names):
    """The suites that the names select, each with the cases that are wanted of it."""
    suites = all_suites(source)
    named = [n for n in names if any(s.is_named(n) for s in suites)]
    texts = [n for n in names if n not in named]
    if named:
        suites = [s for s in suites if any(s.is_named(n) for n in named)]
    if not texts:
        return suites
    chosen = []
    for suite in suites:
        suite.wanted = [c for c in suite.cases if any(t in c for t in texts)]
        # the cases of a program are known when it runs: all of it is run
        if suite.wanted or (not suite.is_bats and any(suite.has_text(t) for t in texts)):
            chosen.append(suite)
    for text in texts:
        if not any(any(text in c for c in s.wanted) or (not s.is_bats and s.has_text(text)) for s in chosen):
            sys.exit("scripts/test: no suite, room, command or case is named '%s'\nhint: ls test test/*" % text)
    return chosen


# --- how long they take ------------------------------------------------------------------


def read_seconds(path):
    """{(suite, case): seconds}; the case "" stands for what comes before the first: setup_file."""
    table = {}
    if os.path.exists(path):
        with open(path, encoding="utf-8") as f:
            for line in f:
                suite, case, seconds = line.rstrip("\n").split("\t")
                table[suite, case] = float(seconds)
    return table


def leave_out_long(suites, table, limit):
    """Leaves out the cases that take longer than the limit; their number."""
    n = 0
    for suite in suites:
        wanted = suite.cases if suite.wanted is None else suite.wanted
        short = [c for c in wanted if table.get((suite.name, c), 0) <= limit]
        n += len(wanted) - len(short)
        if len(short) < len(wanted):
            suite.wanted = short
    return n


def write_seconds(path, table):
    with open(path + ".part", "w", encoding="utf-8") as f:
        for (suite, case), seconds in sorted(table.items()):
            if seconds >= 1:
                f.write("%s\t%s\t%.0f\n" % (suite, case, seconds))
    os.rename(path + ".part", path)


class Part:
    """Some cases of a bats file, or a program: what one process runs."""

    def __init__(self, suite, cases, seconds, number=None):
        self.suite, self.cases, self.seconds = suite, cases, seconds
        self.name = suite.name if number is None else "%s.%d" % (suite.name, number)

    def command(self, build):
        if not self.suite.is_bats:
            return [os.path.join(build, "test", self.suite.name) if self.suite.path.endswith(".c") else self.suite.file]
        command = ["bats", "--tap", "--timing", self.suite.file]
        if self.cases != self.suite.cases:
            names = [re.sub(r"([][().*+?{}|^$\\])", r"\\\1", c) for c in self.cases]
            command[1:1] = ["-f", "^(" + "|".join(names) + ")$"]
        return command


def parts_of(suite, table):
    """The suite, in as many parts of about the same length as its time and that of its setup_file allow."""
    setup = table.get((suite.name, ""), 0)
    if not suite.is_bats:
        return [Part(suite, [], setup)]
    cases = suite.cases if suite.wanted is None else suite.wanted
    cost = {c: table.get((suite.name, c), DEFAULT_SECONDS) for c in cases}
    n = max(1, min(len(cases), round(sum(cost.values()) / PART_SECONDS)))
    if setup * n > sum(cost.values()) * 0.2:
        n = max(1, int(sum(cost.values()) * 0.2 / setup))
    bins = [[setup, i, []] for i in range(n)]
    for case in sorted(cases, key=lambda c: -cost[c]):
        least = heapq.heappop(bins)
        heapq.heappush(bins, [least[0] + cost[case], least[1], least[2] + [case]])
    bins.sort(key=lambda b: b[1])
    return [Part(suite, sorted(b[2], key=suite.cases.index), b[0], b[1] + 1 if n > 1 else None) for b in bins]


# --- running -----------------------------------------------------------------------------


class Result:
    """What the TAP of a part says."""

    def __init__(self, part, text, status, wall):
        self.part, self.status, self.wall = part, status, wall
        self.passed = self.failed = self.skipped = 0
        self.failures, self.skips, self.seconds = [], [], {}
        plan, block = None, None
        for line in text.split("\n"):
            found = re.match(r"(not ok|ok)\b *\d*(?: - | |$)(.*)", line)
            if found:
                block = None
                name = self.count(found[1] == "ok", found[2])
                if name is not None:
                    block = [line]
                    self.failures.append(block)
            elif line.startswith("Bail out!"):
                self.failures.append([line])
            elif re.fullmatch(r"1\.\.\d+.*", line):
                plan = int(re.match(r"1\.\.(\d+)", line)[1])
            elif block is not None:
                block.append(line)
        self.check_end(plan, text)

    def count(self, good, rest):
        """Counts a case; its name if it failed."""
        skip = re.search(r"# *skip *(.*)", rest, re.I)
        name = re.sub(r" *# *skip.*", "", rest, flags=re.I)
        timing = re.search(r" in (\d+)ms$", name) if self.part.suite.is_bats else None
        if timing:
            name = name[:timing.start()]
            self.seconds[name] = int(timing[1]) / 1000
        if good and skip:
            self.skipped += 1
            self.skips.append(skip[1])
        elif good:
            self.passed += 1
        else:
            self.failed += 1
            return name
        return None

    def check_end(self, plan, text):
        """A suite that ends badly fails, whatever its cases did."""
        n = self.passed + self.failed + self.skipped
        last = [line for line in text.split("\n") if line][-20:]
        if self.part.suite.is_bats and plan is not None and plan != len(self.part.cases):
            self.failures.append(["%s: %d cases were wanted, %d were run" % (self.part.name, len(self.part.cases), plan)])
            self.failed += 1
        elif plan != n:
            self.failures.append(["%s: %d cases, %s in the plan, status %d" % (self.part.name, n, plan, self.status)] + last)
            self.failed += 1
        elif self.status != 0 and self.failed == 0:
            self.failures.append(["%s: status %d" % (self.part.name, self.status)] + last)
            self.failed += 1


class Runner:
    def __init__(self, source, build, parts):
        self.source, self.build = source, build
        self.log = os.path.join(build, "tests", "log")
        self.tmp = os.path.join(build, "tests", "tmp")
        self.limit = os.environ.get("GT_TEST_LIMIT", "900")
        self.queue = sorted(parts, key=lambda p: -p.seconds)
        self.n, self.results, self.running = len(parts), [], {}
        self.lock, self.stopped = threading.Lock(), False

    def environment(self, tmp):
        env = dict(os.environ, GT_BUILD=self.build, GT_SOURCE=self.source, TMPDIR=tmp)
        env["PATH"] = self.build + ":" + env["PATH"]
        env.setdefault("PYTHON", "/usr/bin/python3")
        env.setdefault("OPENBLAS_NUM_THREADS", "1")  # of numpy: its threads would only wait for a cpu
        env.setdefault("GT_TEST_LEVEL", "quick")
        env["GT_TEST_DATA"] = os.path.realpath(env.get("GT_TEST_DATA") or os.path.join(self.source, "..", "shared", "data"))
        return env

    def run_part(self, part):
        name = part.name.replace("/", "-")
        tmp, log = os.path.join(self.tmp, name), os.path.join(self.log, name)
        os.makedirs(tmp)
        command = [os.path.join(self.source, "test", "support", "limit"), self.limit] + part.command(self.build)
        begun = time.monotonic()
        with open(log, "wb") as out:
            process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.STDOUT,
                                       cwd=self.build, env=self.environment(tmp))
            with self.lock:
                self.running[process.pid] = process
            status = process.wait()
            with self.lock:
                del self.running[process.pid]
        with open(log, encoding="utf-8", errors="replace") as f:
            result = Result(part, f.read(), status, time.monotonic() - begun)
        subprocess.run(["chmod", "-R", "u+rwx", tmp], stderr=subprocess.DEVNULL)
        shutil.rmtree(tmp, ignore_errors=True)
        return result

    def work(self):
        while True:
            with self.lock:
                if self.stopped or not self.queue:
                    return
                part = self.queue.pop(0)
            result = self.run_part(part)
            with self.lock:
                self.results.append(result)
                if not self.stopped:
                    self.report(result)

    def report(self, result):
        counts = "%d passed" % result.passed
        for n, word in (result.failed, "failed"), (result.skipped, "skipped"):
            counts += ", %d %s" % (n, word) if n else ""
        print("[%d/%d] %6.1f s  %s: %s" % (len(self.results), self.n, result.wall, result.part.name, counts))
        for block in result.failures:
            print("\n".join("    " + line for line in block[:80]))
        sys.stdout.flush()

    def stop(self, *_):
        self.stopped = True
        for process in list(self.running.values()):
            process.terminate()

    def run(self):
        for path in self.log, self.tmp:
            subprocess.run(["rm", "-rf", path], check=True)
            os.makedirs(path)
        for number in signal.SIGINT, signal.SIGTERM, signal.SIGHUP:
            signal.signal(number, self.stop)
        jobs = int(os.environ.get("GT_TEST_JOBS") or os.cpu_count() * 3 // 2)
        workers = [threading.Thread(target=self.work) for _ in range(jobs)]
        begun = time.monotonic()
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
        self.seconds = time.monotonic() - begun


def record_seconds(path, table, results):
    """What the cases took, into the table that the next run orders them by."""
    setup = {}
    for result in results:
        name = result.part.suite.name
        for case, seconds in result.seconds.items():
            table[name, case] = seconds
        setup[name] = max(setup.get(name, 0), result.wall - sum(result.seconds.values()))
    for name, seconds in setup.items():
        table[name, ""] = seconds
    write_seconds(path, table)


def summary(runner):
    """Prints the sum; did all go well?"""
    results = runner.results
    failed = [r for r in results if r.failed]
    skips = {}
    for result in results:
        for why in result.skips:
            skips[why] = skips.get(why, 0) + 1
    for why, n in sorted(skips.items(), key=lambda item: -item[1]):
        print("skipped %d: %s" % (n, why or "no reason given"))
    for result in failed:
        print("failed in %s: %s" % (result.part.name, "; ".join(b[0] for b in result.failures)))
    if failed:
        print("logs: %s" % runner.log)
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    print("%.0f s, %.0f s of cpu time" % (runner.seconds, used.ru_utime + used.ru_stime))
    if runner.stopped:
        print("interrupted: %d of %d parts were run" % (len(results), runner.n))
    print("%d passed, %d failed, %d skipped" % tuple(sum(getattr(r, k) for r in results) for k in ("passed", "failed", "skipped")))
    return not failed and not runner.stopped


def main():
    action, source = sys.argv[1], os.path.realpath(sys.argv[2])
    if action == "select":
        print("\n".join(s.path for s in select(source, sys.argv[3:])))
        return 0
    build, names = os.path.realpath(sys.argv[3]), sys.argv[4:]
    os.makedirs(os.path.join(build, "tests"), exist_ok=True)
    own = os.path.join(build, "tests", "seconds.tsv")
    committed = read_seconds(os.path.join(source, "test", "support", "seconds.tsv"))
    table = read_seconds(own) or committed
    suites, limit = select(source, names), os.environ.get("GT_TEST_SHORT")
    if limit:
        print("%d cases that take longer than %s s are left to scripts/test --all" % (leave_out_long(suites, committed, float(limit)), limit))
    runner = Runner(source, build, [part for suite in suites if suite.wanted != [] for part in parts_of(suite, table)])
    runner.run()
    record_seconds(own, table, runner.results)
    return 0 if summary(runner) else 1


sys.exit(main())
