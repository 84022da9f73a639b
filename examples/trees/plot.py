#!/usr/bin/env python3
# Part of the Lathe project, under the Apache License v2.0 with LLVM Exceptions. See LICENSE for licence information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""plot.py FOLDER: draws what trees has left in FOLDER into FOLDER/trees.png.

To the left the loss and how many trees are right by their size, to the right the tables of the operators. Fails where fewer than
99 % of the trees are right. Needs nothing but Python.
"""
import math
import os
import sys

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "common"))
import prepare  # noqa: E402
from npy import read_npy  # noqa: E402
from picture import BLUE, BLUE_PALE, GREY, INK, RED, RED_TILE, TILE, Canvas, Plot, smooth  # noqa: E402

BAR, CELL = 0.99, 17


def draw_loss(canvas, folder):
    _, losses = read_npy(os.path.join(folder, "loss.npy"))
    canvas.text(40, 30, "loss by step", INK)
    plot = Plot(canvas, (100, 64, 500, 264), (0, len(losses)), (-3, 0.5))
    plot.frame(y_ticks=[(e, "%g" % 10.0**e) for e in range(-3, 1)])
    logs = [math.log10(max(value, 1e-3)) for value in losses]
    plot.curve(logs, BLUE_PALE, 1.0)
    plot.curve(smooth(logs, max(len(logs) // 60, 1)), BLUE)


def draw_sizes(canvas, right):
    """`right`: of each number of digits whether each tree is right."""
    canvas.text(40, 320, "right by number of digits, %", INK)
    plot = Plot(canvas, (100, 354, 500, 534), (1.5, 16.5), (0, 100))
    plot.frame([(size, str(size)) for size in range(2, 17, 2)])
    for size, hits in sorted(right.items()):
        top, left = round(plot.y(100 * sum(hits) / len(hits))), round(plot.x(size - 0.35))
        canvas.box(left, top, round(plot.x(size + 0.35)) - left, plot.bottom - top, BLUE)


def draw_tables(canvas, folder):
    """What an operator makes of the digits named so; red where that is not arithmetic."""
    _, names = read_npy(os.path.join(folder, "names.npy"))
    _, operators = read_npy(os.path.join(folder, "operators.npy"))
    for which, function in enumerate(prepare.FUNCTIONS):
        left, top = 580, 30 + which * (11 * CELL + 8)
        canvas.text(left + 3, top + 3, prepare.SIGNS[which], INK)
        for i in range(10):
            for x, y in ((left + (i + 1) * CELL, top), (left, top + (i + 1) * CELL)):
                canvas.text(x + 4, y + 2, str(i), GREY)
            for j in range(10):
                found = operators[which * 100 + names[i] * 10 + names[j]]
                right = found == function(i, j) % 10
                x, y = left + (j + 1) * CELL, top + (i + 1) * CELL
                canvas.box(x, y, CELL - 1, CELL - 1, TILE if right else RED_TILE)
                canvas.text(x + 4, y + 2, str(found), INK if right else RED)


def main():
    folder = sys.argv[1]
    _, predicted = read_npy(os.path.join(folder, "predicted.npy"))
    _, value = read_npy(os.path.join(folder, "data", "test", "value.npy"))
    _, count = read_npy(os.path.join(folder, "data", "test", "count.npy"))
    right = {}
    for i, nodes in enumerate(count):
        right.setdefault((nodes + 1) // 2, []).append(predicted[i] == value[i])
    canvas = Canvas(800, 630)
    draw_loss(canvas, folder)
    draw_sizes(canvas, right)
    draw_tables(canvas, folder)
    picture = os.path.join(folder, "trees.png")
    canvas.write_png(picture)
    share = sum(map(sum, right.values())) / len(value)
    print("%.2f %% exact, at least %g %% asked; picture: %s" % (100 * share, 100 * BAR, picture))
    sys.exit(share < BAR)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main()
