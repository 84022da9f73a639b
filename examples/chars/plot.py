#!/usr/bin/env python3
# Part of the Lathe project, under the Apache License v2.0 with LLVM Exceptions. See LICENSE for licence information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""plot.py FOLDER NAME STEPS BITS [RECORD]: draws the loss that an example on text has left in FOLDER into FOLDER/NAME.png.

Fails where its first losses are more than 1e-3 of themselves from those in RECORD, or where after STEPS steps the text that was held
back takes more than BITS bits a character. Needs nothing but Python.
"""
import math
import os
import sys

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "common"))
from npy import read_npy  # noqa: E402
from picture import BLUE, BLUE_PALE, GREY, INK, RED, Canvas, Plot, smooth  # noqa: E402


def as_recorded(losses, record):
    with open(record) as file:
        recorded = [float(line) for line in file]
    errors = [abs(a - b) / b for a, b in zip(losses, recorded)]
    print("the first %d losses are those recorded to %.1e" % (len(errors), max(errors, default=0)))
    return len(losses) < len(recorded) or all(error <= 1e-3 for error in errors)


def main():
    folder, name, steps, most = sys.argv[1], sys.argv[2], int(sys.argv[3]), float(sys.argv[4])
    _, losses = read_npy(os.path.join(folder, "loss.npy"))
    _, (held_back,) = read_npy(os.path.join(folder, "bits.npy"))
    if not all(map(math.isfinite, [*losses, held_back])):
        sys.exit("not all losses are numbers")
    bits = [loss / math.log(2) for loss in losses]
    canvas = Canvas(760, 400)
    canvas.text(40, 24, name + ": bits a character by step", INK, size=3)
    canvas.text(40, 56, "blue: of each batch; red: of text that was held back, at the end, %.3f" % held_back, GREY)
    plot = Plot(canvas, (80, 90, 720, 340), (0, len(bits)), (1, math.ceil(max(bits))))
    plot.frame()
    plot.curve(bits, BLUE_PALE, 1.0)
    plot.curve(smooth(bits, max(len(bits) // 60, 1)), BLUE)
    plot.level(held_back, RED)
    picture = os.path.join(folder, name + ".png")
    canvas.write_png(picture)
    met = len(sys.argv) < 6 or as_recorded(losses, sys.argv[5])
    if len(losses) >= steps and held_back > most:
        print("held back: at most %g bits a character asked" % most)
        met = False
    print("held back: %.3f bits a character; picture: %s" % (held_back, picture))
    sys.exit(not met)


if __name__ == "__main__":
    if not 5 <= len(sys.argv) <= 6:
        sys.exit(__doc__)
    main()
