#!/usr/bin/env python3
# Part of the Lathe project, under the Apache License v2.0 with LLVM Exceptions. See LICENSE for licence information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""plot.py FOLDER: draws what physics has left in FOLDER into FOLDER/physics.png, and compares it with the truth in measure.py.

Fails where a length, friction or conductivity is further from the truth than 2 %, or than four of its own stated errors.
"""
import math
import os
import sys

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "common"))
import measure  # noqa: E402
from npy import read_npy  # noqa: E402
from picture import BLUE, GREEN, GREY, INK, ORANGE, RED, Canvas, Plot, ticks  # noqa: E402

COLOURS = (RED, ORANGE, GREEN, BLUE, INK)
SECONDS_A_ROW = 8 * measure.STEP


def compare(name, truth, log_found, log_error):
    """The line of a table, and whether the fit has met the truth. An error of a logarithm is a relative one."""
    found, error = math.exp(log_found), math.exp(log_found) * log_error
    met = abs(found - truth) <= 0.02 * truth and abs(found - truth) <= 4 * error
    print("%-22s %.4f +- %.4f, truth %.4f: %+.2f %%%s" % (name, found, error, truth, 100 * (found / truth - 1), "" if met else ", MISSED"))
    return met


def table(folder):
    _, pendulum = read_npy(os.path.join(folder, "pendulum.npy"))
    _, rod = read_npy(os.path.join(folder, "rod.npy"))
    names = ["length of the pendulum", "friction"] + ["conductivity %d" % (i + 1) for i in range(3)]
    truths = (measure.LENGTH, measure.DAMPING) + measure.CONDUCTIVITIES
    found = [pendulum[0:2], pendulum[2:4]] + [rod[2 * i : 2 * i + 2] for i in range(3)]
    return all([compare(*row[:2], *row[2]) for row in zip(names, truths, found)])


def draw_pendulum(canvas, folder, top):
    _, angles = read_npy(os.path.join(folder, "data", "angles.npy"))
    _, swing = read_npy(os.path.join(folder, "swing.npy"))
    canvas.text(48, top, "pendulum: angle by time", INK, size=3)
    canvas.text(48, top + 32, "dots: measured; line: fitted; rad, s", GREY)
    h = measure.INTERVAL
    plot = Plot(canvas, (110, top + 64, 910, top + 304), (h, h * len(angles)), (-1.25, 1.25))
    plot.frame()
    plot.dots([(h * (i + 1), angle) for i, angle in enumerate(angles)], GREY)
    plot.curve(swing, BLUE, 1.6)


def draw_rod(canvas, folder, top):
    (rows, count), shown = read_npy(os.path.join(folder, "data", "thermometers.npy"))
    (_, cells), temperatures = read_npy(os.path.join(folder, "temperatures.npy"))
    canvas.text(48, top, "rod: temperature by time at five places", INK, size=3)
    canvas.text(48, top + 32, "dots: measured; lines: fitted", GREY)
    h = SECONDS_A_ROW
    plot = Plot(canvas, (110, top + 64, 910, top + 304), (h, h * rows), (min(-0.3, min(shown)), max(1.3, max(shown))))
    plot.frame(y_ticks=ticks(-0.25, 1.25))
    for index, (place, colour) in enumerate(zip(measure.PLACES, COLOURS)):
        plot.dots([(h * (i + 1), shown[i * count + index]) for i in range(rows)], colour, 1.6)
        plot.curve([temperatures[i * cells + place] for i in range(rows)], colour, 1.4)


def main():
    folder = sys.argv[1]
    canvas = Canvas(960, 760)
    draw_pendulum(canvas, folder, 30)
    draw_rod(canvas, folder, 400)
    picture = os.path.join(folder, "physics.png")
    canvas.write_png(picture)
    met = table(folder)
    print("picture: %s" % picture)
    sys.exit(not met)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main()
