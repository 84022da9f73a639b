#!/usr/bin/env python3
# Part of the Lathe project, under the Apache License v2.0 with LLVM Exceptions. See LICENSE for licence information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""plot.py FOLDER: draws what mixed has left in FOLDER into FOLDER/mixed.png.

Fails where fewer than 90 % of the things that lack nothing are told right, or where without a part it is not 30 % of them less.
Needs nothing but Python.
"""
import math
import os
import sys

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "common"))
from npy import read_npy  # noqa: E402
from picture import BLUE, BLUE_PALE, GREY, INK, RED, Canvas, Plot, smooth  # noqa: E402

BAR, WORTH = 90.0, 30.0
NAMES = ("all", "complete", "no image", "no note", "no numbers")


def main():
    folder = sys.argv[1]
    _, losses = read_npy(os.path.join(folder, "loss.npy"))
    _, accuracy = read_npy(os.path.join(folder, "accuracy.npy"))
    canvas = Canvas(1240, 360)
    canvas.text(40, 24, "loss by step", INK)
    logs = [math.log10(max(loss, 1e-3)) for loss in losses]
    plot = Plot(canvas, (90, 60, 470, 300), (0, len(losses)), (-1, 0.6))
    plot.frame(y_ticks=[(-1, "0.1"), (0, "1")])
    plot.curve(logs, BLUE_PALE, 1.0)
    plot.curve(smooth(logs, max(len(logs) // 60, 1)), BLUE)
    canvas.text(540, 24, "told right, %; with a part taken away", INK)
    plot = Plot(canvas, (590, 60, 1210, 300), (0, 5), (0, 100))
    plot.frame([(i + 0.5, name) for i, name in enumerate(NAMES)])
    for i, value in enumerate(accuracy):
        top, left = round(plot.y(value)), round(plot.x(i + 0.2))
        canvas.box(left, top, round(plot.x(i + 0.8)) - left, plot.bottom - top, BLUE if i < 2 else BLUE_PALE)
        canvas.text(round(plot.x(i + 0.5)), top - 18, "%.1f" % value, INK if i < 2 else GREY, align=0.5)
    plot.level(BAR, RED)
    picture = os.path.join(folder, "mixed.png")
    canvas.write_png(picture)
    print("picture: %s" % picture)
    if accuracy[1] < BAR:
        print("at least %g %% asked of those that lack nothing" % BAR)
    same = [name for name, value in zip(NAMES[2:], accuracy[2:]) if value > accuracy[1] - WORTH]
    for name in same:
        print("%s: as good as with all parts" % name)
    sys.exit(bool(same) or accuracy[1] < BAR)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main()
