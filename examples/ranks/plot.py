#!/usr/bin/env python3
# Part of the Lathe project, under the Apache License v2.0 with LLVM Exceptions. See LICENSE for licence information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""plot.py FOLDER RANKS: draws the losses of one rank and of several, which are in FOLDER/one and FOLDER/several, into FOLDER/ranks.png.

Fails where a loss of several ranks differs by more than 1e-4 of itself from that of one rank. Needs nothing but Python.
"""
import math
import os
import sys

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "common"))
from npy import read_npy  # noqa: E402
from picture import BLUE, GREY, INK, RED, Canvas, Plot  # noqa: E402


def main():
    folder, ranks = sys.argv[1], sys.argv[2]
    _, one = read_npy(os.path.join(folder, "one", "loss.npy"))
    _, several = read_npy(os.path.join(folder, "several", "loss.npy"))
    if len(one) != len(several) or not all(map(math.isfinite, [*one, *several])):
        sys.exit("the runs have different numbers of steps, or losses that are no numbers")
    apart = max(abs(a - b) / a for a, b in zip(one, several))
    print("losses of 1 and %s ranks: the same to %.1e" % (ranks, apart))
    canvas = Canvas(760, 400)
    canvas.text(40, 24, "transformer on ranks: bits a character by step", INK, size=3)
    canvas.text(40, 56, "red: one rank; blue on it: %s ranks, apart by %.0e at most" % (ranks, apart), GREY)
    bits = [[loss / math.log(2) for loss in losses] for losses in (one, several)]
    plot = Plot(canvas, (80, 90, 720, 340), (0, len(one)), (1, math.ceil(max(max(each) for each in bits))))
    plot.frame()
    plot.curve(bits[0], RED, 4.0)
    plot.curve(bits[1], BLUE, 1.5)
    canvas.write_png(os.path.join(folder, "ranks.png"))
    if apart > 1e-4:
        sys.exit("the losses of several ranks are not those of one")


if __name__ == "__main__":
    main()
