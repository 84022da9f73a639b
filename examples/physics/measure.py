#!/usr/bin/env python3
# Part of the Lathe project, under the Apache License v2.0 with LLVM Exceptions. See LICENSE for licence information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""measure.py FOLDER: writes what the application of physics measures, with the noise of a fixed seed. Needs nothing but Python.

The truth is integrated by other methods than the graphs': the pendulum with extrapolated midpoint steps of 1/100 of a
measurement's interval, the rod with Crank and Nicolson's on three times as many cells.
"""
import math
import os
import random
import sys

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "common"))
from npy import write_npy  # noqa: E402

LENGTH, DAMPING, ANGLE, SPEED = 1.25, 0.2, 1.2, -0.5  # of the pendulum, in m, 1/s, rad, rad/s
TIMES, INTERVAL, ANGLE_NOISE = 200, 0.05, 0.02
CONDUCTIVITIES, BORDERS = (1.0, 0.3, 0.6), (0.35, 0.65)  # of the rod's materials, and where they meet
CELLS, ROWS, STEP, HEAT_NOISE = 40, 100, 0.0002, 0.01
PLACES = (5, 12, 19, 27, 35)  # the cells with a thermometer


def midpoint_angles(parts):
    """The explicit midpoint rule with `parts` steps an interval."""
    h, x, v, angles = INTERVAL / parts, ANGLE, SPEED, []
    for _ in range(TIMES):
        for _ in range(parts):
            xm = x + h / 2 * v
            vm = v + h / 2 * (-9.80665 / LENGTH * math.sin(x) - DAMPING * v)
            x, v = x + h * vm, v + h * (-9.80665 / LENGTH * math.sin(xm) - DAMPING * vm)
        angles.append(x)
    return angles


def pendulum():
    """Richardson's extrapolation of two runs of second order."""
    coarse, fine = midpoint_angles(50), midpoint_angles(100)
    return [b + (b - a) / 3 for a, b in zip(coarse, fine)]


def material(x):
    return sum(x > border for border in BORDERS)


def start(x):
    """Hot to the left, cold to the right."""
    return math.sin(math.pi * x) + 0.5 * math.sin(2 * math.pi * x)


def solve(lower, diagonal, upper, right):
    """Thomas's algorithm for a tridiagonal system."""
    count = len(diagonal)
    factors, values = [0.0] * count, [0.0] * count
    for i in range(count):
        pivot = diagonal[i] - (lower[i] * factors[i - 1] if i else 0)
        factors[i] = upper[i] / pivot
        values[i] = (right[i] - (lower[i] * values[i - 1] if i else 0)) / pivot
    for i in reversed(range(count - 1)):
        values[i] -= factors[i] * values[i + 1]
    return values


def rod(parts=3, steps=4):
    """`parts` cells for each of the graph's, `steps` steps between measurements; rows of temperatures in the graph's cells."""
    count, h = CELLS * parts, 8 * STEP / steps
    k = [CONDUCTIVITIES[material((i + 0.5) / count)] for i in range(count)]
    face = [2 * k[0]] + [2 / (1 / a + 1 / b) for a, b in zip(k, k[1:])] + [2 * k[-1]]
    half = h / 2 * count * count
    lower, upper = [-half * f for f in face[:-1]], [-half * f for f in face[1:]]
    diagonal = [1 - a - b for a, b in zip(lower, upper)]
    u = [start((i + 0.5) / count) for i in range(count)]
    rows = []
    for _ in range(ROWS):
        for _ in range(steps):
            around = [0.0] + u + [0.0]
            right = [around[i + 1] + half * (face[i] * (around[i] - around[i + 1]) - face[i + 1] * (around[i + 1] - around[i + 2]))
                     for i in range(count)]
            u = solve(lower, diagonal, upper, right)
        rows.append([sum(u[i * parts : (i + 1) * parts]) / parts for i in range(CELLS)])
    return rows


def main():
    folder = sys.argv[1]
    draw = random.Random(1)
    angles = [x + draw.gauss(0, ANGLE_NOISE) for x in pendulum()]
    write_npy(os.path.join(folder, "angles.npy"), "<f8", (TIMES,), angles)
    rows = rod()
    shown = [row[place] + draw.gauss(0, HEAT_NOISE) for row in rows for place in PLACES]
    centres = [(i + 0.5) / CELLS for i in range(CELLS)]
    write_npy(os.path.join(folder, "thermometers.npy"), "<f8", (ROWS, len(PLACES)), shown)
    write_npy(os.path.join(folder, "places.npy"), "<i4", (len(PLACES),), PLACES)
    write_npy(os.path.join(folder, "material.npy"), "<i4", (CELLS,), map(material, centres))
    write_npy(os.path.join(folder, "start.npy"), "<f8", (CELLS,), map(start, centres))


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main()
