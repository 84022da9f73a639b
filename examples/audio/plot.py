#!/usr/bin/env python3
# Part of the Lathe project, under the Apache License v2.0 with LLVM Exceptions. See LICENSE for licence information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""plot.py FOLDER: draws the sounds and times that audio has left in FOLDER into FOLDER/audio.png. Needs nothing but Python."""
import os
import sys

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "common"))
from npy import read_npy  # noqa: E402
from picture import BLUE, GREEN, GREY, INK, ORANGE, Canvas, Plot  # noqa: E402

EXCERPT, EXCERPT_AT, EXCERPT_RATE = 720, 60000, 48000


def load(folder, name):
    return read_npy(os.path.join(folder, name + ".npy"))[1]


def legend(canvas, y, title, entries):
    canvas.text(90, y, title, INK)
    x = 560
    for colour, text in entries:
        canvas.box(x, y, 22, 14, colour)
        canvas.text(x + 32, y, text, INK)
        x += 60 + 12 * len(text)


def draw_amplifier(canvas, folder):
    """15 ms of a string, what the circuit makes of it, and what the model makes of it."""
    legend(canvas, 20, "amplifier, milliseconds", ((GREY, "string"), (ORANGE, "circuit"), (BLUE, "model")))
    plot = Plot(canvas, (90, 52, 1210, 232), (0, 1e3 * EXCERPT / EXCERPT_RATE), (-1.4, 1.4))
    plot.frame(y_ticks=[(-1, "-1"), (0, "0"), (1, "1")])
    for name, colour, width in (("dry", GREY, 1.6), ("circuit", ORANGE, 4.4), ("amplified", BLUE, 1.6)):
        plot.curve(load(folder, name)[EXCERPT_AT : EXCERPT_AT + EXCERPT], colour, width)


def draw_denoiser(canvas, folder):
    """A recording with noise, after the denoiser, and as it was."""
    legend(canvas, 290, "denoiser, seconds", ((GREY, "with noise"), (BLUE, "denoised"), (GREEN, "recorded")))
    for index, (name, colour) in enumerate((("noisy", GREY), ("denoised", BLUE), ("clean", GREEN))):
        sound, top = load(folder, name), 322 + 74 * index
        plot = Plot(canvas, (90, top, 1210, top + 66), (0, len(sound) / 16000), (-0.5, 0.5))
        plot.frame(x_ticks=None if name == "clean" else [], y_ticks=[(0, "0")])
        plot.curve(sound, colour, 1.0)


def draw_times(canvas, folder):
    """The share of the calls that take at most so long."""
    entries = (("amplifier", BLUE), ("denoiser", GREEN), ("control", GREY))
    legend(canvas, 598, "microseconds by percent of calls", [(colour, name) for name, colour in entries])
    times = [(load(folder, name + "-elapsed"), colour) for name, colour in entries]
    plot = Plot(canvas, (90, 630, 1210, 790), (0, 100), (0, 1.25 * max(values[1980] for values, _ in times)))
    plot.frame()
    for values, colour in times:
        plot.curve([min(value, plot.y_range[1]) for value in values], colour)


def main():
    canvas = Canvas(1240, 840)
    draw_amplifier(canvas, sys.argv[1])
    draw_denoiser(canvas, sys.argv[1])
    draw_times(canvas, sys.argv[1])
    picture = os.path.join(sys.argv[1], "audio.png")
    canvas.write_png(picture)
    print("picture: %s" % picture)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main()
