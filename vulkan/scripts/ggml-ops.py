#!/usr/bin/env python3
"""Runs ggml's own operator tests in a root that ggml-root.sh made, and counts.

    ggml-ops.py ROOT [--per-op N] [--work W] [--seconds S] [--ops A,B] [--out FILE]

takes of each operator up to N of the cases that the back-end supports and whose
work is at most W, evenly over the list, and runs them on the driver of
VK_DRIVER_FILES, an operator at a time, for up to S seconds. The rows are
operator, case and outcome: pass, fail (a wrong result), uncompared (the back-end
to compare with lacks it), ended (the program ended in it) or late (not finished
in time).
"""
import argparse
import collections
import csv
import io
import math
import os
import re
import subprocess
import sys

TESTS = "/usr/libexec/x86_64-linux-gnu/ggml/test-backend-ops"
HERE = os.path.dirname(os.path.abspath(__file__))
ESCAPES = re.compile(r"\x1b\[[0-9;]*m")


def inside(root, *command, seconds):
    """Gives what a command in the root printed, and whether it ended in time."""
    words = [os.path.join(HERE, "ggml-root.sh"), "run", root, *command]
    try:
        done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=seconds)
        return ESCAPES.sub("", done.stdout.decode(errors="replace")), True
    except subprocess.TimeoutExpired as late:
        return ESCAPES.sub("", (late.stdout or b"").decode(errors="replace")), False


def supported(root):
    """Gives the cases of each operator that the back-end says it supports."""
    text, _ = inside(root, TESTS, "support", "-b", "Vulkan0", "--output", "csv", seconds=600)
    rows = text[text.index('"backend_name"'):]
    cases = collections.defaultdict(list)
    for row in csv.DictReader(io.StringIO(rows)):
        if row["supported"] == "1" and row["op_params"] not in cases[row["op_name"]]:
            cases[row["op_name"]].append(row["op_params"])
    return cases


def named(params, *names):
    found = [re.search(r"(?:^|,)%s=(\d+)" % name, params) for name in names]
    return math.prod(int(m.group(1)) for m in found if m)


def work(op, params):
    """Guesses the multiplications or elements of a case from its sizes."""
    lists = [math.prod(int(n) for n in text.split(",")) for text in re.findall(r"\[(-?\d+(?:,-?\d+)*)\]", params)]
    if op.startswith("MUL_MAT"):
        return named(params, "m", "n", "k") * max([1, *lists])
    if op.startswith("FLASH_ATTN"):
        return named(params, "hsk", "nh", "kv", "nb") * max([1, *lists])
    if op.startswith("CONV") and len(lists) > 1:
        return lists[0] * lists[1]
    return math.prod(lists) if op in ("ADD", "SUB", "MUL", "DIV") else max([1, *lists])


def spread(cases, n):
    return cases if len(cases) <= n else [cases[i * len(cases) // n] for i in range(n)]


def outcome(line):
    if "not supported" in line:
        return "uncompared"
    return "pass" if line.rstrip().endswith("OK") else "fail"


def outcomes(root, op, cases, seconds):
    """Runs cases of one operator; one that ends the program is left out of the next run."""
    left, results = list(cases), {}
    while left:
        text, in_time = inside(root, TESTS, "test", "-b", "Vulkan0", "-o", ",".join(f"{op}({c})" for c in left), seconds=seconds)
        for line in text.splitlines():
            for case in left:
                at = line.find(f"{op}({case}): ")
                if at >= 0:
                    results[case] = outcome(line)
        left = [c for c in left if c not in results]
        if not left:
            break
        if not in_time:
            results.update((c, "late") for c in left)
            break
        print(f"{op}({left[0]}) ended the program:", *[line for line in text.splitlines() if line.startswith("spvsim:")][-3:], sep="\n  ", file=sys.stderr)
        results[left.pop(0)] = "ended"
    return results


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("root")
    parser.add_argument("--per-op", type=int, default=5)
    parser.add_argument("--work", type=float, default=1e5)
    parser.add_argument("--seconds", type=float, default=120)
    parser.add_argument("--ops")
    parser.add_argument("--out")
    wanted = parser.parse_args()
    cases = supported(wanted.root)
    rows, totals = [], collections.Counter()
    for op in wanted.ops.split(",") if wanted.ops else sorted(cases):
        small = spread([c for c in cases[op] if work(op, c) <= wanted.work], wanted.per_op)
        results = outcomes(wanted.root, op, small, wanted.seconds)
        count = collections.Counter(results.values())
        totals += count
        print(f"{op}: {len(cases[op])} supported, {len(small)} taken:", ", ".join(f"{n} {what}" for what, n in sorted(count.items())), flush=True)
        rows += [(op, case, results[case]) for case in small]
    print("all:", ", ".join(f"{n} {what}" for what, n in sorted(totals.items())))
    if wanted.out:
        with open(wanted.out, "w", newline="") as f:
            csv.writer(f).writerows([("operator", "case", "outcome"), *rows])


main()
