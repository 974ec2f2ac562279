"""plan_peaks.py < TABLE: what commands plan to take, next to what they count.

A line of the table is `COMMAND | NAME LOW HIGH | ...`.  NAME is a step of --report: what one of its tasks counted at most is LOW to
HIGH of what was planned for one.  "all" stands for all buffers, as parts of what the plan can use at most; "least" for all buffers of
a second run, at the smallest --memory of the plan, as parts of that.  LOW and HIGH are near what the buffers come to by their sizes,
so that a size that is planned as half or as twice what it is falls out.  Of every command: no step of which nothing is said here takes
more than it planned, all buffers together neither, and what the process takes beyond its buffers is within what is allowed for code.

Prints what is wrong, then a count.  Exit 1 if anything is.  VERBOSE=1 prints figures for all.
"""

import json
import os
import shlex
import subprocess
import sys

MIB = 1 << 20
SANITIZED = os.environ.get("SANITIZED") == "1"


def run(command, *more):
    words = shlex.split(command)
    environment = {**os.environ, "GT_CPU": "ref"}  # sizes of tiles depend on instruction sets
    environment.pop("GT_DEVICE", None)  # that of the row counts
    while "=" in words[0]:
        name, value = words.pop(0).split("=")
        environment[name] = value
    one = ["-q", "-@", "1", *([] if words[0] == "sim" else ["--io", "1"]), *([] if words[0] == "info" else ["-f"])]
    done = subprocess.run(["gt-" + words[0], *words[1:], *one, "--report", "peaks.json", *more],
                          stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, env=environment)
    if done.returncode:
        sys.exit(f"{command} {' '.join(more)}: exit {done.returncode}\n{done.stderr}")
    with open("peaks.json") as file:
        return json.load(file)


def allowance(report):
    """Of code, stacks and libraries (core/engine/engine.c)."""
    return (24 + report["machine"]["threads"] + report["machine"]["io_threads"]) * MIB


def check(command, bands):
    """What is wrong, and the figures."""
    report, wrong, figures = run(command), [], {}
    use, code = report["memory_use"], allowance(report)
    for step in report["plan"]["steps"]:
        if step["started"] and step["task_bytes"] > 1:
            figures[step["flow"]] = step["task_peak"] / step["task_bytes"]
    figures["all"] = use["peak_buffers"] / (use["planned_most"] - code)
    if not SANITIZED and "GT_DEVICE" not in command and use["peak"] > use["peak_buffers"] + code:
        wrong.append(f"{use['peak']} bytes are resident, {use['peak_buffers']} are counted, {code} are for code")
    if "least" in bands:
        room = -(-use["planned_minimum"] // MIB)
        least = run(command, "--memory", f"{room}M")["memory_use"]
        figures["least"] = least["peak_buffers"] / (room * MIB - code)
        if not SANITIZED and "GT_DEVICE" not in command and least["peak"] > room * MIB:
            wrong.append(f"{least['peak']} bytes are resident under --memory {room}M")
    for name, (low, high) in bands.items():
        if name not in figures:
            wrong.append(f"no step {name}")
        elif not low <= figures[name] <= high:
            wrong.append(f"{name} counts {figures[name]:.2f} of what was planned, not {low} to {high}")
    wrong += [f"{name} counts {part:.2f} of what was planned" for name, part in figures.items() if name not in bands and part > 1]
    return wrong, figures


def main():
    failed = n = 0
    for line in sys.stdin:
        command, *rest = (part.strip() for part in line.split("|"))
        bands = {name: (float(low), float(high)) for name, low, high in (part.split() for part in rest)}
        wrong, figures = check(command, bands)
        n += 1
        failed += bool(wrong)
        if wrong or os.environ.get("VERBOSE"):
            print(command, *("\n    " + text for text in wrong), "\n    ", *(f"{k} {v:.2f} |" for k, v in figures.items()))
    print(f"{n} commands, {failed} wrong")
    return failed > 0 or n == 0


sys.exit(main())
