#!/usr/bin/env python3
"""Times operators of ggml's tests on several simulated machines, in one table.

    ggml-time.py ROOT --out FOLDER [--machines A,B] [--rounds N] [--seconds S] CASE...

starts `test-backend-ops perf` on each machine, in a root that debian-root.sh made,
for each case, as the tests print it: 'ADD(type=f32,ne=[4096,1,1,1],nr=[1,1,1,1],nf=1)'.
The first submission with a dispatch, which is the operator once, is captured as a
job, for which the tests have up to S seconds of the host; what they go on with is
not waited for. An experiment over the jobs (FOLDER/operators.yaml) then runs each
job once, from cold caches, and again as the last of N rounds over the same
buffers, so that the caches have what fits of them. The table has microseconds of
both, of the whole submission with its launches and fills, and what each read and
wrote in DRAM.
The program spvsim is the one of --spvsim, else that of the path. What FOLDER has
is not captured or run again.
"""
import argparse
import collections
import csv
import json
import os
import re
import shutil
import subprocess
import sys
import time

import ggml_tests


def whole(job):
    """Says whether a captured job is there with what it expects, which comes last."""
    if not os.path.exists(job):
        return False
    with open(job) as f:
        return "\nexpect:\n" in f.read()


def capture(wanted, machine, case):
    """Gives the job of one case on one machine, a path from the folder."""
    name = os.path.join(machine, re.sub(r"[^A-Za-z0-9_.]+", "-", case).strip("-"), "0001.yaml")
    job = os.path.join(wanted.out, name)
    if whole(job):
        return name
    os.makedirs(os.path.dirname(job), exist_ok=True)
    flags = ["--machine", machine, "--mode", "functional", "--capture", os.path.dirname(job), "--whole", "--select", "*:1"]
    log = os.path.join(os.path.dirname(job), "said.txt")
    with open(log, "w") as f:
        tests = subprocess.Popen([wanted.spvsim, "app", "-q", *flags, "--", *ggml_tests.words(wanted.root, "perf", "-o", case)],
                                 stdout=f, stderr=subprocess.STDOUT)
        end = time.monotonic() + wanted.seconds
        while not whole(job) and tests.poll() is None and time.monotonic() < end:
            time.sleep(0.1)
        tests.terminate()
        tests.wait()
    if not whole(job):
        with open(log) as f:
            sys.exit(f"{case} on {machine}: no submission with a dispatch is captured: is it a case of test-backend-ops perf?\n{ggml_tests.ESCAPES.sub('', f.read())[-1000:]}")
    return name


def experiment(wanted, runs):
    """Writes the experiment over the captured jobs: machine, case and job go together."""
    quoted = json.dumps  # of strings and lists, which YAML reads as JSON
    text = f"""description: operators of ggml, once and again over the same buffers
axes:
  run:
    zip:
      case: {{path: row.case, values: {quoted([case for _, case, _ in runs])}}}
      machine: {quoted([machine for machine, _, _ in runs])}
      job: {quoted([job for _, _, job in runs])}
  rounds: {{path: repeat, values: [1, {wanted.rounds}]}}
columns: {{seconds: seconds, instructions: instructions.total, dram_bytes: memory.memory.bytes}}
derived: {{us: seconds * 1e6}}
"""
    path = os.path.join(wanted.out, "operators.yaml")
    with open(path, "w") as f:
        f.write(text)
    return path


def table(rows):
    """Prints a row of each case and machine."""
    times = collections.defaultdict(dict)
    for row in rows:
        times[row["case"], row["machine"]][int(row["rounds"])] = row
    lines = [("case", "machine", "instructions", "first, us", "DRAM, KB", "warm, us", "DRAM, KB")]
    for (case, machine), of in times.items():
        first, warm = of[min(of)], of[max(of)]
        lines.append((case, machine, first["instructions"], *(f"{number:.1f}" for row in (first, warm) for number in (float(row["us"]), int(row["dram_bytes"]) / 1024))))
    widths = [max(map(len, column)) for column in zip(*lines)]
    for line in lines:
        print("  ".join(text.ljust(w) if i < 2 else text.rjust(w) for i, (text, w) in enumerate(zip(line, widths))))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("root")
    parser.add_argument("case", nargs="+")
    parser.add_argument("--out", required=True)
    parser.add_argument("--machines", default="rdna3-rx7900xtx")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=120)
    parser.add_argument("--spvsim", default="spvsim")
    wanted = parser.parse_args()
    if wanted.rounds < 2:
        parser.error(f"--rounds {wanted.rounds}: want at least 2, of which the last is warm")
    if not shutil.which(wanted.spvsim):
        parser.error(f"--spvsim {wanted.spvsim}: there is no such program")
    wanted.out = os.path.abspath(wanted.out)
    runs = [(machine, case, capture(wanted, machine, case)) for case in wanted.case for machine in wanted.machines.split(",")]
    subprocess.run([wanted.spvsim, "sweep", experiment(wanted, runs), "-o", wanted.out], check=True, stdout=sys.stderr)
    with open(os.path.join(wanted.out, "operators.csv"), newline="") as f:
        table(csv.DictReader(f))


main()
