#!/usr/bin/env python3
# Part of the Lathe project, under the Apache License v2.0 with LLVM Exceptions. See LICENSE for licence information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""plot.py FOLDER [PNG]: draws what digits has left in FOLDER into PNG (default: FOLDER/digits.png).

Above, test images with what was read beneath them, the wrong ones first; below, the loss. Needs nothing but Python.
"""
import math
import os
import sys

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "common"))
from npy import read_npy  # noqa: E402
from picture import BLUE, BLUE_PALE, GREY, INK, RED, RED_TILE, TILE, Canvas, Plot, mix, smooth, ticks  # noqa: E402

SCALE, COLUMNS, ROWS = 4, 12, 6
MARGIN, CELL_X, CELL_Y, HEAD, PLOT_HEIGHT = 48, 82, 98, 92, 280


def draw_digit(canvas, x, y, side, pixels, prediction, label):
    right = prediction == label
    tile, ink = (TILE, INK) if right else (RED_TILE, RED)
    canvas.box(x, y, side * SCALE, side * SCALE, tile)
    for i, value in enumerate(pixels):
        colour = mix(tile, ink, min(max(value, 0.0), 1.0))
        canvas.box(x + i % side * SCALE, y + i // side * SCALE, SCALE, SCALE, colour)
    caption = str(prediction) if right else "%d, is %d" % (prediction, label)
    canvas.text(x + side * SCALE // 2, y + side * SCALE + 6, caption, GREY if right else RED, align=0.5)


def draw_grid(canvas, folder):
    shape, images = read_npy(os.path.join(folder, "images.npy"))
    _, predictions = read_npy(os.path.join(folder, "predictions.npy"))
    _, labels = read_npy(os.path.join(folder, "labels.npy"))
    count, side = shape[0], shape[1]
    order = sorted(range(count), key=lambda i: predictions[i] == labels[i])
    wrong = sum(predictions[i] != labels[i] for i in range(count))
    accuracy = "%.1f %%" % (100 * (count - wrong) / count)
    title = accuracy + " of the digits are read right"
    note = "%d of %d test images were misread" % (wrong, count) + (": they come first, in red" if wrong else "")
    canvas.text(MARGIN, 30, title, INK, size=3)
    canvas.text(MARGIN, 62, note, GREY)
    for place, i in enumerate(order[: COLUMNS * ROWS]):
        x, y = MARGIN + place % COLUMNS * CELL_X, HEAD + place // COLUMNS * CELL_Y
        pixels = images[i * side * side : (i + 1) * side * side]
        draw_digit(canvas, x, y, side, pixels, predictions[i], labels[i])
    return "accuracy %s, %d of %d test images misread" % (accuracy, wrong, count)


def draw_loss(canvas, folder, top):
    _, loss = read_npy(os.path.join(folder, "loss.npy"))
    logs = [math.log10(max(value, 1e-6)) if math.isfinite(value) else 6.0 for value in loss]
    canvas.text(MARGIN, top, "Loss of each training step", INK, size=3)
    canvas.text(MARGIN, top + 32, "cross-entropy of a batch of 32 images, logarithmic; dark: smoothed", GREY)
    low, high = math.floor(min(logs) * 2) / 2, max(math.ceil(max(logs) * 2) / 2, math.floor(min(logs)) + 1)
    plot = Plot(canvas, (MARGIN + 80, top + 70, canvas.width - MARGIN, top + PLOT_HEIGHT + 70), (0, len(loss)), (low, high))
    exponents = range(math.ceil(low), math.floor(high) + 1)
    plot.frame([tick for tick in ticks(0, len(loss), 8) if tick[0] % 1 == 0], [(e, "%g" % 10.0**e) for e in exponents])
    plot.curve(logs, BLUE_PALE, 1.0)
    plot.curve(smooth(logs, max(len(logs) // 60, 1)), BLUE)


def main():
    folder = sys.argv[1]
    plot_top = HEAD + ROWS * CELL_Y + 28
    canvas = Canvas(2 * MARGIN + (COLUMNS - 1) * CELL_X + 16 * SCALE, plot_top + 70 + PLOT_HEIGHT + 64)
    summary = draw_grid(canvas, folder)
    draw_loss(canvas, folder, plot_top)
    picture = sys.argv[2] if len(sys.argv) > 2 else os.path.join(folder, "digits.png")
    canvas.write_png(picture)
    print("%s; picture: %s" % (summary, picture))


if __name__ == "__main__":
    if not 2 <= len(sys.argv) <= 3:
        sys.exit(__doc__)
    main()
