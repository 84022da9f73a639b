#!/usr/bin/env python3
# Part of the Lathe project, under the Apache License v2.0 with LLVM Exceptions. See LICENSE for licence information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""plot.py FOLDER [PNG]: draws what digits has left in FOLDER into PNG (default: FOLDER/digits.png).

Above, test images with what was read beneath them, the wrong ones first; below, the loss. Needs nothing but Python.
"""
import array
import ast
import math
import os
import struct
import sys
import zlib

from font import GLYPHS

WHITE, INK, GREY, PALE, TILE = (255, 255, 255), (31, 41, 55), (107, 114, 128), (229, 231, 235), (243, 244, 246)
RED, RED_TILE, BLUE, BLUE_PALE = (185, 28, 28), (254, 226, 226), (29, 78, 216), (191, 210, 252)

SCALE, COLUMNS, ROWS = 4, 12, 6
MARGIN, CELL_X, CELL_Y, HEAD, PLOT_HEIGHT = 48, 82, 98, 92, 280


def read_npy(path):
    with open(path, "rb") as file:
        data = file.read()
    length = struct.unpack_from("<H", data, 8)[0]
    header = ast.literal_eval(data[10 : 10 + length].decode())
    values = array.array({"<f4": "f", "<i4": "i"}[header["descr"]])
    values.frombytes(data[10 + length :])
    return header["shape"], values


def mix(a, b, share):
    return tuple(round(p + (q - p) * share) for p, q in zip(a, b))


class Canvas:
    def __init__(self, width, height):
        self.width, self.height = width, height
        self.pixels = bytearray(WHITE) * (width * height)

    def blend(self, x, y, colour, share=1.0):
        if 0 <= x < self.width and 0 <= y < self.height and share > 0:
            at = 3 * (y * self.width + x)
            self.pixels[at : at + 3] = bytes(mix(self.pixels[at : at + 3], colour, min(share, 1.0)))

    def box(self, x, y, width, height, colour):
        for row in range(y, y + height):
            at = 3 * (row * self.width + x)
            self.pixels[at : at + 3 * width] = bytes(colour) * width

    def stroke_column(self, x, top, bottom, colour):
        """A vertical stroke whose ends may lie within pixels."""
        for y in range(math.floor(top), math.ceil(bottom)):
            self.blend(x, y, colour, min(bottom, y + 1) - max(top, y))

    def text(self, x, y, text, colour, size=2, align=0.0):
        x -= round(align * text_width(text, size))
        for letter in text:
            for row, line in enumerate(GLYPHS[letter]):
                for column, dot in enumerate(line):
                    if dot != ".":
                        self.box(x + column * size, y + row * size, size, size, colour)
            x += (len(GLYPHS[letter][0]) + 1) * size

    def write_png(self, path):
        def chunk(kind, data):
            return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

        stride = 3 * self.width
        rows = b"".join(b"\0" + self.pixels[y * stride : (y + 1) * stride] for y in range(self.height))
        with open(path, "wb") as file:
            file.write(b"\x89PNG\r\n\x1a\n")
            file.write(chunk(b"IHDR", struct.pack(">IIBBBBB", self.width, self.height, 8, 2, 0, 0, 0)))
            file.write(chunk(b"IDAT", zlib.compress(rows, 9)) + chunk(b"IEND", b""))


def text_width(text, size):
    return sum((len(GLYPHS[letter][0]) + 1) * size for letter in text) - size


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


def nice_step(span, count):
    power = 10.0 ** math.floor(math.log10(span / count))
    return next(factor * power for factor in (1, 2, 5, 10) if factor * power * count >= span)


class Axes:
    """Steps across, the logarithm of the loss up."""

    def __init__(self, canvas, left, top, right, bottom, steps, logs):
        self.canvas, self.left, self.top, self.right, self.bottom = canvas, left, top, right, bottom
        self.steps = steps
        self.low, self.high = math.floor(min(logs) * 2) / 2, max(math.ceil(max(logs) * 2) / 2, math.floor(min(logs)) + 1)

    def y(self, log):
        return self.bottom - (log - self.low) / (self.high - self.low) * (self.bottom - self.top)

    def draw(self):
        for exponent in range(math.ceil(self.low), math.floor(self.high) + 1):
            y = round(self.y(exponent))
            self.canvas.box(self.left, y, self.right - self.left, 1, PALE)
            self.canvas.text(self.left - 10, y - 7, "%g" % 10.0**exponent, GREY, align=1.0)
        step = int(max(nice_step(self.steps, 8), 1))
        for tick in range(0, self.steps + 1, step):
            x = self.left + round(tick / self.steps * (self.right - self.left))
            self.canvas.box(x, self.bottom, 1, 6, GREY)
            self.canvas.text(x, self.bottom + 12, str(tick), GREY, align=0.5)
        self.canvas.box(self.left, self.bottom, self.right - self.left + 1, 1, GREY)


def smooth(values, reach):
    """The mean of the values up to `reach` places away."""
    sums = [0.0]
    for value in values:
        sums.append(sums[-1] + value)
    ends = [(max(i - reach, 0), min(i + reach + 1, len(values))) for i in range(len(values))]
    return [(sums[last] - sums[first]) / (last - first) for first, last in ends]


def at(values, position):
    """Linear interpolation."""
    i = min(max(int(position), 0), len(values) - 1)
    j = min(i + 1, len(values) - 1)
    return values[i] + (values[j] - values[i]) * min(max(position - i, 0), 1)


def draw_curve(axes, values, colour, width):
    scale = (len(values) - 1) / (axes.right - axes.left)
    for x in range(axes.left, axes.right + 1):
        first, last = (x - axes.left - 0.5) * scale, (x - axes.left + 0.5) * scale
        seen = [at(values, first), at(values, last)] + [at(values, i) for i in range(math.ceil(first), int(last) + 1)]
        axes.canvas.stroke_column(x, axes.y(max(seen)) - width / 2, axes.y(min(seen)) + width / 2, colour)


def draw_loss(canvas, folder, top):
    _, loss = read_npy(os.path.join(folder, "loss.npy"))
    logs = [math.log10(max(value, 1e-6)) if math.isfinite(value) else 6.0 for value in loss]
    canvas.text(MARGIN, top, "Loss of each training step", INK, size=3)
    canvas.text(MARGIN, top + 32, "cross-entropy of a batch of 32 images, logarithmic; dark: smoothed", GREY)
    axes = Axes(canvas, MARGIN + 80, top + 70, canvas.width - MARGIN, top + PLOT_HEIGHT + 70, len(loss), logs)
    axes.draw()
    draw_curve(axes, logs, BLUE_PALE, 1.0)
    draw_curve(axes, smooth(logs, max(len(logs) // 60, 1)), BLUE, 2.4)


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
