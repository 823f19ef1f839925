#!/usr/bin/env python3
"""Says how long a program of ggml took on the simulated GPU, by operator.

    operator-times.py ROWS.csv [--tokens N] [--layers N]

ROWS are the driver's rows of dispatches; with GGML_VK_DEBUG_MARKERS=1 ggml names
them by operator and tensor. The time of a token is that of its dispatches and
transfers, launches included. With --layers, the dispatches of the layers, whose
tensors' names end with the layer's number, count as for a model of so many.
"""
import argparse
import collections
import csv
import re
import sys

LABEL = re.compile(r"^(?:submit \d+/)?([A-Z_0-9+]+) (.*?)/")


def label(row):
    """Gives operator and tensor of a dispatch; what has no label is called by its own name."""
    m = LABEL.match(row["name"])
    return (m.group(1), m.group(2)) if m else (row["name"].split("/")[-1], "")


def layer_marks(rows):
    """Says of each row whether it belongs to a layer: what follows a layer's tensor does until a tensor of the whole."""
    inside, marks = False, []
    for row in rows:
        tensor = label(row)[1]
        if re.search(r"-\d+$", tensor):
            inside = True
        elif tensor == "norm" or tensor.startswith("result"):
            inside = False
        marks.append(inside)
    return marks


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("rows")
    parser.add_argument("--tokens", type=int, default=1)
    parser.add_argument("--layers", type=int)
    wanted = parser.parse_args()
    with open(wanted.rows, newline="") as f:
        rows = list(csv.DictReader(f))
    marks = layer_marks(rows)
    here = len({m.group(1) for row in rows if (m := re.search(r"-(\d+)$", label(row)[1]))})
    scale = (wanted.layers or here) / max(here, 1)
    times, count = collections.Counter(), collections.Counter()
    for row, inside in zip(rows, marks):
        operator = label(row)[0]
        times[operator] += float(row["microseconds"]) * (scale if inside else 1)
        count[operator] += 1
    whole = sum(times.values())
    if not whole:
        sys.exit(f"{wanted.rows}: no row has a time: want those of a timed run")
    print(f"machine {rows[0]['machine']}, {here} layers run, counted as {wanted.layers or here}")
    print(f"{whole / 1000:.3f} ms for {wanted.tokens} tokens: {wanted.tokens / whole * 1e6:.1f} tokens a second")
    for operator, microseconds in times.most_common():
        print(f"{100 * microseconds / whole:5.1f} %  {microseconds:12.1f} us  {count[operator]:5d} in the rows  {operator}")


main()
