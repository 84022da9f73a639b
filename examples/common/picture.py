# Part of the Lathe project, under the Apache License v2.0 with LLVM Exceptions. See LICENSE for licence information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Pictures of what an example has done: a canvas with text, axes and curves that becomes a PNG. Needs nothing but Python."""
import math
import os
import struct
import sys
import zlib

sys.path.append(os.path.dirname(os.path.abspath(__file__)))
from font import GLYPHS  # noqa: E402

WHITE, INK, GREY, PALE, TILE = (255, 255, 255), (31, 41, 55), (107, 114, 128), (229, 231, 235), (243, 244, 246)
RED, RED_TILE, BLUE, BLUE_PALE = (185, 28, 28), (254, 226, 226), (29, 78, 216), (191, 210, 252)
GREEN, ORANGE = (21, 128, 61), (194, 101, 12)


def mix(a, b, share):
    return tuple(round(p + (q - p) * share) for p, q in zip(a, b))


def text_width(text, size):
    return sum((len(GLYPHS[letter][0]) + 1) * size for letter in text) - size


class Canvas:
    def __init__(self, width, height):
        self.width, self.height = width, height
        self.pixels = bytearray(WHITE) * (width * height)

    def blend(self, x, y, colour, share=1.0):
        if 0 <= x < self.width and 0 <= y < self.height and share > 0:
            at = 3 * (y * self.width + x)
            self.pixels[at : at + 3] = bytes(mix(self.pixels[at : at + 3], colour, min(share, 1.0)))

    def box(self, x, y, width, height, colour):
        left, right = max(x, 0), min(x + width, self.width)
        for row in range(max(y, 0), min(y + height, self.height) if left < right else 0):
            at = 3 * (row * self.width + left)
            self.pixels[at : at + 3 * (right - left)] = bytes(colour) * (right - left)

    def dot(self, x, y, radius, colour):
        """A disc; its centre and its edge may lie within pixels."""
        for row in range(math.floor(y - radius), math.ceil(y + radius) + 1):
            for column in range(math.floor(x - radius), math.ceil(x + radius) + 1):
                self.blend(column, row, colour, radius + 0.5 - math.hypot(column + 0.5 - x, row + 0.5 - y))

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


def nice_step(span, count):
    """The least of 1, 2, 5, 10 ... of which at most `count` fit into `span`."""
    power = 10.0 ** math.floor(math.log10(span / count))
    return next(factor * power for factor in (1, 2, 5, 10) if factor * power * count >= span)


def ticks(low, high, count=6):
    """Round numbers from low to high, each with its text."""
    step = nice_step(high - low, count)
    return [(i * step, "%g" % (i * step)) for i in range(math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9) + 1)]


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


class Plot:
    """Axes in the box from (left, top) to (right, bottom), for x and y in the given ranges."""

    def __init__(self, canvas, box, x_range, y_range):
        self.canvas = canvas
        self.left, self.top, self.right, self.bottom = box
        self.x_range, self.y_range = x_range, y_range

    def x(self, value):
        low, high = self.x_range
        return self.left + (value - low) / (high - low) * (self.right - self.left)

    def y(self, value):
        low, high = self.y_range
        return self.bottom - (value - low) / (high - low) * (self.bottom - self.top)

    def frame(self, x_ticks=None, y_ticks=None):
        """Lines across at the ticks, which are pairs of value and text, and both axes' texts."""
        for value, text in ticks(*self.y_range) if y_ticks is None else y_ticks:
            y = round(self.y(value))
            self.canvas.box(self.left, y, self.right - self.left, 1, PALE)
            self.canvas.text(self.left - 10, y - 7, text, GREY, align=1.0)
        for value, text in ticks(*self.x_range, 8) if x_ticks is None else x_ticks:
            x = round(self.x(value))
            self.canvas.box(x, self.bottom, 1, 6, GREY)
            self.canvas.text(x, self.bottom + 12, text, GREY, align=0.5)
        self.canvas.box(self.left, self.bottom, self.right - self.left + 1, 1, GREY)

    def curve(self, values, colour, width=2.4):
        """Values at equal distances from the left end to the right."""
        scale = (len(values) - 1) / (self.right - self.left)
        for x in range(self.left, self.right + 1):
            first, last = (x - self.left - 0.5) * scale, (x - self.left + 0.5) * scale
            seen = [at(values, first), at(values, last)]
            seen += [at(values, i) for i in range(math.ceil(first), int(last) + 1)]
            self.canvas.stroke_column(x, self.y(max(seen)) - width / 2, self.y(min(seen)) + width / 2, colour)

    def dots(self, points, colour, radius=2.5):
        for x, y in points:
            self.canvas.dot(self.x(x), self.y(y), radius, colour)

    def level(self, value, colour):
        self.canvas.box(self.left, round(self.y(value)), self.right - self.left, 2, colour)
