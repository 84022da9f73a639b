#!/usr/bin/env python3
# Part of the Lathe project, under the Apache License v2.0 with LLVM Exceptions. See LICENSE for licence information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""prepare.py FOLDER [--large]: writes the problems that adbench solves, a folder each, an .npy file for each argument.

Small ones for derivatives to be checked, with --large those of ADBench's sizes to be timed too. Random, as ADBench's are, with a
fixed seed. Needs nothing but Python.
"""
import os
import random
import sys

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "common"))
from npy import write_npy  # noqa: E402

SMALL = {"gmm": dict(d=5, k=4, n=50), "ba": dict(n=4, m=20, p=50), "lstm": dict(layers=3, bits=8, characters=30)}
LARGE = {"gmm-10": dict(d=10, k=25, n=1000), "gmm-32": dict(d=32, k=25, n=1000), "ba-31843": dict(n=49, m=7776, p=31843),
         "lstm-2": dict(layers=2, bits=14, characters=1024), "lstm-4": dict(layers=4, bits=14, characters=1024)}


def gauss(draw, count, scale=1.0):
    return [draw.gauss(0, scale) for _ in range(count)]


def gmm(draw, d, k, n):
    t = d * (d - 1) // 2
    return {"alphas": ((k,), gauss(draw, k)), "means": ((k, d), [draw.random() for _ in range(k * d)]),
            "q": ((k, d), gauss(draw, k * d, 0.5)), "l": ((k, t), gauss(draw, k * t)), "x": ((n, d), gauss(draw, n * d)),
            "gamma": ((), [1.3]), "m": ((), [2.0])}


def ba(draw, n, m, p):
    """The first camera is not rotated: the branch of Rodrigues's formula for that is taken, too."""
    cameras = []
    for i in range(n):
        rotation = gauss(draw, 3, 0.3) if i else [0.0] * 3
        cameras += rotation + gauss(draw, 2, 0.5) + [-6 + draw.random()]  # the centre lies before the points
        cameras += [500 + 10 * draw.gauss(0, 1), 320 + draw.gauss(0, 1), 240 + draw.gauss(0, 1)] + gauss(draw, 2, 0.02)
    return {"cameras": ((n, 11), cameras), "points": ((m, 3), gauss(draw, 3 * m)), "w": ((p,), [draw.random() for _ in range(p)]),
            "camera": ((p,), [i * n // p for i in range(p)]), "point": ((p,), [draw.randrange(m) for _ in range(p)]),
            "sightings": ((p, 2), [300 + 50 * z for z in gauss(draw, 2 * p)])}


def lstm(draw, layers, bits, characters):
    sequence = [[float(draw.random() < 0.5) for _ in range(bits)] for _ in range(characters)]
    steps = characters - 1
    flat = [sum(rows, []) for rows in (sequence[:-1], sequence[1:])]
    return {"weights": ((layers, 4, bits), gauss(draw, 4 * layers * bits)), "biases": ((layers, 4, bits), gauss(draw, 4 * layers * bits)),
            "in_weight": ((bits,), gauss(draw, bits)), "out_weight": ((bits,), gauss(draw, bits)),
            "out_bias": ((bits,), gauss(draw, bits)), "hidden": ((layers, bits), gauss(draw, layers * bits)),
            "cell": ((layers, bits), gauss(draw, layers * bits)), "now": ((steps, bits), flat[0]), "next": ((steps, bits), flat[1])}


MAKERS = {"gmm": gmm, "ba": ba, "lstm": lstm}


def main():
    folder, *options = sys.argv[1:]
    for name, sizes in {**SMALL, **(LARGE if options else {})}.items():
        for argument, (shape, values) in MAKERS[name.split("-")[0]](random.Random(1), **sizes).items():
            kind = "<i4" if argument in ("camera", "point") else "<f8"
            write_npy(os.path.join(folder, name, argument + ".npy"), kind, shape, values)


if __name__ == "__main__":
    if not (len(sys.argv) == 2 or sys.argv[2:] == ["--large"]):
        sys.exit(__doc__)
    main()
