#!/usr/bin/env python3
"""Runs ggml's own operator tests in a root that debian-root.sh made, and counts.

    ggml-ops.py ROOT --out FILE [--per-op N | --random N --seed K] [--work W] [--seconds S] [--stop T] [--ops A,B]

takes of each operator N of the cases that the back-end supports, evenly over the
list, and runs them on the driver of VK_DRIVER_FILES, each for up to S seconds.
With --random, it draws N of all cases instead, and runs them in the order in
which they are drawn, so that a run that is stopped has a fair share of them.
The rows of FILE are operator, case, outcome, instructions of the machine and
seconds of the host. Outcomes: pass, fail (a wrong result), uncompared (the
back-end to compare with lacks it), ended (the program ended in it) and late (not
finished in time; its instructions are those of what ended). Cases whose rows are
there are not run again, so that a run stopped after T seconds goes on later.
Without --ops, all operators take turns: every one has had its first case before
one has its second. Cases of more multiplications or elements than W are left
out unseen; by default those that can't be done in 10 million instructions.
"""
import argparse
import collections
import csv
import io
import math
import os
import random
import re
import selectors
import subprocess
import sys
import time

import ggml_tests
from ggml_tests import ESCAPES

LARGE = 10_000_000  # instructions, beyond which a case does not count
LANES = 64  # of an instruction at most
BATCH = 24  # cases of one process

# The sizes whose product is the multiplications of operators that go through a sequence, or compare all with all.
RECURRENT = {
    "SSM_SCAN": ("d_state", "head_dim", "n_head", "n_seq_tokens", "n_seqs"),
    "GATED_DELTA_NET": ("head_count", "head_size", "head_size", "n_seq_tokens", "n_seqs"),
    "GATED_LINEAR_ATTN": ("head_count", "head_size", "head_size", "n_seq_tokens", "n_seqs"),
    "RWKV_WKV6": ("head_count", "head_size", "head_size", "n_seq_tokens", "n_seqs"),
    "RWKV_WKV7": ("head_count", "head_size", "head_size", "n_seq_tokens", "n_seqs"),
    "LIGHTNING_INDEXER": ("hsk", "nh", "kv", "nb", "ns"),
}


def supported(root):
    """Gives the pairs of operator and case that the back-end says it supports, in the order in which the tests run them."""
    words = ggml_tests.words(root, "support", "--output", "csv")
    text = ESCAPES.sub("", subprocess.run(words, stdout=subprocess.PIPE).stdout.decode(errors="replace"))
    if '"backend_name"' not in text:
        sys.exit(f"{' '.join(words)}: it lists no case:\n{text[-1000:]}")
    rows = csv.DictReader(io.StringIO(text[text.index('"backend_name"'):]))
    return list(dict.fromkeys((row["op_name"], row["op_params"]) for row in rows if row["supported"] == "1"))


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
    if op in RECURRENT:
        return named(params, *RECURRENT[op])
    if op.startswith("CONV") and len(lists) > 1:
        return lists[0] * lists[1]
    return math.prod(lists) if op in ("ADD", "SUB", "MUL", "DIV") else max([1, *lists])


def spread(cases, n):
    return cases if len(cases) <= n else [cases[i * len(cases) // n] for i in range(n)]


def outcome(line):
    if "not supported" in line:
        return "uncompared"
    return "pass" if line.rstrip().endswith("OK") else "fail"


class Instructions:
    """Counts what the driver adds to its rows."""

    def __init__(self, path):
        self.path, self.at, self.column = path, 0, None
        if os.path.exists(path):
            os.remove(path)

    def more(self):
        if not os.path.exists(self.path):
            return 0
        with open(self.path, newline="") as f:
            f.seek(self.at)
            text = f.read()
            whole = text.rfind("\n") + 1
            self.at += len(text[:whole].encode())
        total = 0
        for row in csv.reader(io.StringIO(text[:whole])):
            if "instructions" in row:
                self.column = row.index("instructions")
            else:
                total += int(row[self.column])
        return total


class Run:
    """Is one process that runs pairs of operator and case in the order of the tests' list."""

    def __init__(self, root, pairs, seconds):
        self.left, self.seconds, self.results = list(pairs), seconds, {}
        self.rows = Instructions(os.path.abspath(f".ggml-ops-{os.getpid()}.csv"))
        self.said = collections.deque(maxlen=3)
        words = ggml_tests.words(root, "test", "-o", ",".join(f"{op}({c})" for op, c in pairs), before=("stdbuf", "-oL"))
        self.process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                        env={**os.environ, "SPVSIM_RECORD": self.rows.path})
        os.set_blocking(self.process.stdout.fileno(), False)

    def finish(self):
        """Gives the cases that were decided, and why it stopped: done, late or ended."""
        wait, text = selectors.DefaultSelector(), b""
        wait.register(self.process.stdout, selectors.EVENT_READ)
        self.began = time.monotonic()
        end = self.began + self.seconds
        while self.left:
            if not wait.select(max(end - time.monotonic(), 0)):
                return self.stop("late")
            piece = self.process.stdout.read()
            if not piece:
                return self.stop("ended")
            *lines, text = (text + piece).split(b"\n")
            if any([self.line(ESCAPES.sub("", line.decode(errors="replace"))) for line in lines]):
                end = time.monotonic() + self.seconds
        return self.stop("done")

    def line(self, line):
        if line.startswith("spvsim:"):
            self.said.append(line)
        for pair in self.left:
            if "%s(%s): " % pair in line:
                self.decide(pair, outcome(line))
                return True
        return False

    def decide(self, pair, what):
        now = time.monotonic()
        self.results[pair] = (what, self.rows.more(), round(now - self.began, 2))
        self.began = now
        self.left.remove(pair)

    def stop(self, why):
        self.process.kill()
        self.process.wait()
        if why != "done":
            if why == "ended":
                print("%s(%s) ended the program:" % self.left[0], *self.said, sep="\n  ", file=sys.stderr)
            self.decide(self.left[0], why)
        if os.path.exists(self.rows.path):
            os.remove(self.rows.path)
        return self.results


def drawn(pairs, wanted):
    """Gives lists of pairs, each in the order of all, of those that a seed draws."""
    every = [p for p in pairs if work(*p) <= wanted.work]
    picks = random.Random(wanted.seed).sample(range(len(every)), min(wanted.random, len(every)))
    print(f"{len(picks)} of {len(every)} cases drawn with seed {wanted.seed}", file=sys.stderr)
    return [[every[k] for k in sorted(picks[i:i + BATCH])] for i in range(0, len(picks), BATCH)]


def chosen(pairs, wanted):
    """Gives lists of pairs, each of some cases of an operator, the operators in turn."""
    if wanted.random:
        return drawn(pairs, wanted)
    cases = collections.defaultdict(list)
    for op, case in pairs:
        cases[op].append((op, case))
    of = {op: spread([p for p in list if work(*p) <= wanted.work], wanted.per_op) for op, list in sorted(cases.items())}
    if wanted.ops:
        return [of[op] for op in wanted.ops.split(",")]
    turns, size = [], 1
    while any(of.values()):
        for op in of:
            part, of[op] = of[op][:size], of[op][size:]
            turns += [part] if part else []
        size = min(2 * size, BATCH)
    return turns


def tell(rows):
    """Says what came out, of the cases that count and of the others."""
    for name, of in (("up to 10^7 instructions", [r for r in rows if int(r[3]) <= LARGE]), ("larger", [r for r in rows if int(r[3]) > LARGE])):
        count = collections.Counter(r[2] for r in of)
        print(f"{name}: {len(of)} cases of {len({r[0] for r in of})} operators:", ", ".join(f"{n} {what}" for what, n in sorted(count.items())))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("root")
    parser.add_argument("--out", required=True)
    parser.add_argument("--per-op", type=int, default=5)
    parser.add_argument("--random", type=int, default=0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--work", type=float, default=LARGE * LANES)
    parser.add_argument("--seconds", type=float, default=30)
    parser.add_argument("--stop", type=float, default=math.inf)
    parser.add_argument("--ops")
    wanted = parser.parse_args()
    end = time.monotonic() + wanted.stop
    rows = []
    if os.path.exists(wanted.out):
        with open(wanted.out, newline="") as f:
            rows = [tuple(r) for r in csv.reader(f)][1:]
    else:
        with open(wanted.out, "w", newline="") as f:
            csv.writer(f).writerow(("operator", "case", "outcome", "instructions", "seconds"))
    known = {r[:2] for r in rows}
    for left in chosen(supported(wanted.root), wanted):
        left = [p for p in left if p not in known]
        while left and time.monotonic() < end:
            results = Run(wanted.root, left, wanted.seconds).finish()
            left = [p for p in left if p not in results]
            new = [(*pair, *map(str, r)) for pair, r in results.items()]
            rows += new
            with open(wanted.out, "a", newline="") as f:
                csv.writer(f).writerows(new)
    tell(rows)


main()
