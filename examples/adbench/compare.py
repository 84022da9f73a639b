#!/usr/bin/env python3
# Part of the Lathe project, under the Apache License v2.0 with LLVM Exceptions. See LICENSE for licence information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""compare.py FOLDER: compares the derivatives that adbench has left in FOLDER with those of reference.py, and draws
FOLDER/adbench.png if there are times.

Fails where one is off by more than 1e-8 of itself or of the mean size of its tensor, whichever is larger, or where a gradient has
taken more than four times its function. Needs nothing but Python.
"""
import math
import os
import sys

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "common"))
import prepare  # noqa: E402
import reference  # noqa: E402
from npy import read_npy  # noqa: E402
from picture import BLUE, BLUE_PALE, GREY, INK, RED, Canvas, Plot, ticks  # noqa: E402

TOLERANCE, BAR = 1e-8, 4.0


def arguments(folder, name):
    directory = os.path.join(folder, "data", name)
    return {file[:-4]: list(read_npy(os.path.join(directory, file))[1]) for file in os.listdir(directory)}


def expected(name, a, sizes):
    if name == "ba":
        return reference.ba(a, sizes["p"])
    if name == "gmm":
        function, wrt = lambda b: reference.gmm(b, sizes["k"], sizes["d"], sizes["n"]), ("alphas", "means", "q", "l")
    else:
        function = lambda b: reference.lstm(b, sizes["layers"], sizes["bits"], sizes["characters"] - 1)  # noqa: E731
        wrt = ("weights", "biases", "in_weight", "out_weight", "out_bias")
    slopes = {"by_" + key: values for key, values in reference.derivatives(function, a, wrt).items()}
    return {"value": [function(a).real], **slopes}


def compare(folder, name, sizes):
    met = True
    for key, wanted in expected(name, arguments(folder, name), sizes).items():
        _, found = read_npy(os.path.join(folder, name + "." + key + ".npy"))
        size = sum(map(abs, wanted)) / len(wanted)
        errors = [abs(x - y) / max(abs(y), size) for x, y in zip(found, wanted)] if len(found) == len(wanted) else [float("nan")]
        passed = all(error <= TOLERANCE for error in errors) # a NaN is not
        worst = max(errors, key=lambda error: math.inf if math.isnan(error) else error)
        met = met and passed
        print("%-5s %-14s %5d values, largest error %.1e%s" % (name, key, len(wanted), worst, "" if passed else ", WRONG"))
    return met


def draw(folder):
    """How many times its function's time a derivative takes; whether the gradients meet the bar."""
    with open(os.path.join(folder, "times.txt")) as file:
        rows = [line.split() for line in file]
    canvas = Canvas(760, 400)
    canvas.text(48, 30, "a derivative's time over its function's", INK, size=3)
    canvas.text(48, 62, "red: the bar that the gradients of gmm and lstm are held to", GREY)
    plot = Plot(canvas, (90, 100, 720, 340), (0, len(rows)), (0, 1 + max([BAR] + [float(row[3]) for row in rows])))
    plot.frame([(i + 0.5, row[0]) for i, row in enumerate(rows)], ticks(*plot.y_range))
    for i, row in enumerate(rows):
        top, left = round(plot.y(float(row[3]))), round(plot.x(i + 0.25))
        canvas.box(left, top, round(plot.x(i + 0.75)) - left, plot.bottom - top, BLUE_PALE if row[0].startswith("ba") else BLUE)
        canvas.text(round(plot.x(i + 0.5)), top - 18, row[3], INK, align=0.5)
    plot.level(BAR, RED)
    slow = [row[0] for row in rows if not row[0].startswith("ba") and float(row[3]) > BAR]
    if slow:
        print("more than %g times the function: %s" % (BAR, ", ".join(slow)))
    picture = os.path.join(folder, "adbench.png")
    canvas.write_png(picture)
    print("picture: %s" % picture)
    return not slow


def main():
    folder = sys.argv[1]
    met = [compare(folder, name, sizes) for name, sizes in prepare.SMALL.items()]
    if os.path.exists(os.path.join(folder, "times.txt")):
        met.append(draw(folder))
    sys.exit(not all(met))


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main()
