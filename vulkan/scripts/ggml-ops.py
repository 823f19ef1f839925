#!/usr/bin/env python3
"""Runs ggml's own operator tests in a root that ggml-root.sh made, and counts.

    ggml-ops.py ROOT --out FILE [--per-op N] [--work W] [--seconds S] [--stop T] [--ops A,B]

takes of each operator N of the cases that the back-end supports, evenly over the
list, and runs them on the driver of VK_DRIVER_FILES, each for up to S seconds.
The rows of FILE are operator, case, outcome, instructions of the machine and
seconds of the host. Outcomes: pass, fail (a wrong result), uncompared (the
back-end to compare with lacks it), ended (the program ended in it) and late (not
finished in time; its instructions are those of what ended). Cases whose rows are
there are not run again, so that a run stopped behind T seconds goes on later.
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
import re
import selectors
import subprocess
import sys
import time

TESTS = "/usr/libexec/x86_64-linux-gnu/ggml/test-backend-ops"
HERE = os.path.dirname(os.path.abspath(__file__))
ESCAPES = re.compile(r"\x1b\[[0-9;]*m")
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
    """Gives the cases of each operator that the back-end says it supports."""
    words = [os.path.join(HERE, "ggml-root.sh"), "run", root, TESTS, "support", "-b", "Vulkan0", "--output", "csv"]
    text = ESCAPES.sub("", subprocess.run(words, stdout=subprocess.PIPE).stdout.decode(errors="replace"))
    if '"backend_name"' not in text:
        sys.exit(f"{' '.join(words)}: it lists no case:\n{text[-1000:]}")
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
    """Is one process that runs cases of one operator in the order of their list."""

    def __init__(self, root, op, cases, seconds):
        self.op, self.left, self.seconds, self.results = op, list(cases), seconds, {}
        self.rows = Instructions(os.path.abspath(f".ggml-ops-{os.getpid()}.csv"))
        self.said = collections.deque(maxlen=3)
        words = [os.path.join(HERE, "ggml-root.sh"), "run", root, "stdbuf", "-oL",
                 TESTS, "test", "-b", "Vulkan0", "-o", ",".join(f"{op}({c})" for c in cases)]
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
        for case in self.left:
            if f"{self.op}({case}): " in line:
                self.decide(case, outcome(line))
                return True
        return False

    def decide(self, case, what):
        now = time.monotonic()
        self.results[case] = (what, self.rows.more(), round(now - self.began, 2))
        self.began = now
        self.left.remove(case)

    def stop(self, why):
        self.process.kill()
        self.process.wait()
        if why != "done":
            if why == "ended":
                print(f"{self.op}({self.left[0]}) ended the program:", *self.said, sep="\n  ", file=sys.stderr)
            self.decide(self.left[0], why)
        if os.path.exists(self.rows.path):
            os.remove(self.rows.path)
        return self.results


def chosen(cases, wanted):
    """Gives pairs of an operator and some of its cases, the operators in turn."""
    of = {op: spread([c for c in list if work(op, c) <= wanted.work], wanted.per_op) for op, list in sorted(cases.items())}
    if wanted.ops:
        return [(op, of[op]) for op in wanted.ops.split(",")]
    turns, size = [], 1
    while any(of.values()):
        for op in of:
            part, of[op] = of[op][:size], of[op][size:]
            turns += [(op, part)] if part else []
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
    for op, cases in chosen(supported(wanted.root), wanted):
        left = [c for c in cases if (op, c) not in known]
        while left and time.monotonic() < end:
            results = Run(wanted.root, op, left, wanted.seconds).finish()
            left = [c for c in left if c not in results]
            new = [(op, case, *map(str, r)) for case, r in results.items()]
            rows += new
            with open(wanted.out, "a", newline="") as f:
                csv.writer(f).writerows(new)
    tell(rows)


main()
