#!/usr/bin/env python3
# Part of the Lathe project, under the Apache License v2.0 with LLVM Exceptions. See LICENSE for licence information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""plot.py FOLDER RECORD.txt: draws what finetune has left in FOLDER into FOLDER/finetune.png.

Fails where less than 95 % of the MLIR held back is found, more than 4 % of the other files are told otherwise than before, or a
probability of the samples is off by more than 1e-3 from the one that compare.py recorded. Needs nothing but Python.
"""
import collections
import os
import sys

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "common"))
from npy import read_npy  # noqa: E402
from picture import BLUE, BLUE_PALE, GREEN, INK, RED, Canvas, Plot  # noqa: E402

LEAST_FOUND, MOST_CHANGED, TOLERANCE = 95.0, 4.0, 1e-3
NEW = "winregistry"  # the label that MLIR gets, as in network.h
MOST_KINDS = 8


def read_rows(path):
    (count, width), values = read_npy(path)
    return [values[i * width : (i + 1) * width] for i in range(count)]


def likeliest(row):
    return max(range(len(row)), key=row.__getitem__)


def percent(part, whole):
    return 100 * part / max(whole, 1)


def agree(rows, labels, path):
    """Whether the samples have the probabilities that are recorded, each line a name with labels and their probabilities."""
    with open(path) as file:
        recorded = [line.split() for line in file if not line.startswith("#")]
    same = len(rows) == len(recorded) and all(abs(sum(row) - 1) <= TOLERANCE for row in rows)  # a NaN's is not
    for row, (_, *pairs) in zip(rows, recorded):
        same = same and all(abs(row[labels.index(label)] - float(p)) <= TOLERANCE for label, p in zip(pairs[::2], pairs[1::2]))
    print("probabilities before: %s those of ONNX Runtime, to %g" % ("all are" if same else "NOT all are", TOLERANCE))
    return same


def judge(is_new, before, after, new):
    """Prints what has become of both classes; whether it is as asked, and the shares in a hundred of MLIR that is found."""
    mlir, others = ([i for i, kind in enumerate(is_new) if kind == wanted] for wanted in (1, 0))
    found = [percent(sum(told[i] == new for i in mlir), len(mlir)) for told in (before, after)]
    changed = sum(before[i] != after[i] for i in others)
    taken = sum(after[i] == new and before[i] != new for i in others)
    print("MLIR found: %.1f %% of %d files before, %.1f %% after" % (found[0], len(mlir), found[1]))
    print("other files told otherwise than before: %.1f %% of %d, %d of them taken for MLIR"
          % (percent(changed, len(others)), len(others), taken))
    right = [found[1] >= LEAST_FOUND, percent(changed, len(others)) <= MOST_CHANGED, len(mlir) > 0 and len(others) > 0]
    if not right[0]:
        print("at least %g %% of the MLIR is asked" % LEAST_FOUND)
    if not right[1]:
        print("at most %g %% of the others is asked" % MOST_CHANGED)
    return all(right), found


def kinds_of(is_new, before, after, labels):
    """The commonest labels that the network gave to the known files, with how many of theirs have them still."""
    counts = collections.Counter(told for told, kind in zip(before, is_new) if not kind)
    still = collections.Counter(told for told, now, kind in zip(before, after, is_new) if not kind and told == now)
    return [(labels[label], percent(still[label], count)) for label, count in counts.most_common(MOST_KINDS)]


def bar(plot, left, right, value, colour):
    x, top = round(plot.x(left)), round(plot.y(value))
    plot.canvas.box(x, top, round(plot.x(right)) - x, plot.bottom - top, colour)
    plot.canvas.text(round(plot.x((left + right) / 2)), top - 20, "%.0f" % value, INK, align=0.5)


def draw(losses, least, found, kinds):
    canvas = Canvas(1240, 380)
    canvas.text(40, 24, "loss by step", INK)
    plot = Plot(canvas, (90, 70, 430, 310), (0, len(losses)), (0, max([1.0, *losses])))
    plot.frame()
    plot.level(least, RED)
    plot.curve(losses, BLUE)
    canvas.text(490, 24, "files held back, %: mlir found; others told as before", INK)
    plot = Plot(canvas, (530, 70, 1220, 310), (0, 2 + len(kinds)), (0, 100))
    plot.frame([(0.5, "before"), (1.5, "after")], [(i, "%d" % i) for i in (0, 50, 100)])
    bar(plot, 0.2, 0.8, found[0], BLUE_PALE)
    bar(plot, 1.2, 1.8, found[1], BLUE)
    for i, (label, value) in enumerate(kinds):
        bar(plot, 2.2 + i, 2.8 + i, value, GREEN)
        canvas.text(round(plot.x(2.5 + i)), plot.bottom + 12 + 20 * ((i + 1) % 2), label, INK, align=0.5)
    return canvas


def main():
    folder, record = sys.argv[1:]
    with open(os.path.join(folder, "data", "labels.txt")) as file:
        labels = file.read().split()
    new = labels.index(NEW)
    _, losses = read_npy(os.path.join(folder, "loss.npy"))
    _, least = read_npy(os.path.join(folder, "least.npy"))
    _, is_new = read_npy(os.path.join(folder, "new.npy"))
    before, after = ([likeliest(row) for row in read_rows(os.path.join(folder, name))] for name in ("before.npy", "after.npy"))
    tuned, found = judge(is_new, before, after, new)
    same = agree(read_rows(os.path.join(folder, "sample.npy")), labels, record)
    picture = os.path.join(folder, "finetune.png")
    draw(losses, least[0], found, kinds_of(is_new, before, after, labels)).write_png(picture)
    print("picture: %s" % picture)
    sys.exit(not (tuned and same))


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main()
