"""Finds conditions in bats files that cannot fail a test: bash's errexit, by which bats works, ignores `! COMMAND`, and all
but the last command of `A && B`.  Prints FILE:LINE of each; exits with 1 if there is one."""
import re
import sys

OPEN, CLOSE = {"(": ")", "{": "}"}, {")", "}"}
CONTROL = re.compile(r"(if|elif|while|until|for|case)\b|#")
LEAVES = re.compile(r"&&\s+(continue|return|break|skip|exit)\b")


def joints(line):
    """Where && and || stand outside of quotes, parentheses, braces and [[ ]]; None: the line is part of a longer one."""
    found, depth, quote, at = [], 0, "", 0
    while at < len(line):
        c = line[at]
        if c == "\\" and quote != "'":
            at += 2
            continue
        if quote:
            quote = "" if c == quote else quote
        elif c in "'\"":
            quote = c
        elif c == "#" and (at == 0 or line[at - 1].isspace()):
            break
        elif c in OPEN or line.startswith("[[ ", at):
            depth += 1
        elif c in CLOSE or line.startswith(" ]]", at):
            depth -= 1
        elif not depth and line[at : at + 2] in ("&&", "||"):
            found.append((at, line[at : at + 2]))
            at += 1
        at += 1
    return None if quote or depth else found


def hidden(text, following):
    """The condition of this line, which another one follows, cannot fail the test."""
    at = joints(text)
    if at is None or CONTROL.match(text) or following == "}":
        return False
    words = [word for _, word in at]
    if text.startswith("! "):
        return "||" not in words
    return "&&" in words and "||" not in words and not LEAVES.search(text) and not text.endswith(("\\", "&&", "|"))


def main():
    bad = 0
    for name in sys.argv[1:]:
        with open(name, encoding="utf-8") as file:
            lines = [line.strip() for line in file]
        for i, text in enumerate(lines):
            following = next((line for line in lines[i + 1 :] if line), "")
            if hidden(text, following):
                print(f"{name}:{i + 1}: {text}")
                bad += 1
    return bad > 0


if __name__ == "__main__":
    sys.exit(main())
