#!/usr/bin/env python3
# Part of the Lathe project, under the Apache License v2.0 with LLVM Exceptions. See LICENSE for licence information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""prepare.py FOLDER: writes FOLDER/images.npy, f32[1797][16][16][1] in 0..1, and FOLDER/labels.npy, i32[1797].

The 8 x 8 images of data/digits.csv.gz are enlarged with bilinear interpolation. Needs nothing but Python.
"""
import gzip
import os
import sys

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "common"))
from npy import write_npy  # noqa: E402

SMALL, LARGE, WHITE = 8, 16, 16.0


def taps(i):
    """The two small pixels around the centre of large pixel i, and the second one's share."""
    centre = min(max((i + 0.5) * SMALL / LARGE - 0.5, 0), SMALL - 1)
    first = min(int(centre), SMALL - 2)
    return first, first + 1, centre - first


def enlarge(pixels):
    for y in range(LARGE):
        top, bottom, down = taps(y)
        for x in range(LARGE):
            left, right, across = taps(x)
            row = [pixels[r * SMALL + left] * (1 - across) + pixels[r * SMALL + right] * across for r in (top, bottom)]
            yield (row[0] * (1 - down) + row[1] * down) / WHITE


def main():
    source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "data", "digits.csv.gz")
    folder = sys.argv[1]
    images, labels = [], []
    with gzip.open(source, "rt") as file:
        for line in file:
            *pixels, label = map(float, line.split(","))
            images.extend(enlarge(pixels))
            labels.append(int(label))
    write_npy(os.path.join(folder, "images.npy"), "<f4", (len(labels), LARGE, LARGE, 1), images)
    write_npy(os.path.join(folder, "labels.npy"), "<i4", (len(labels),), labels)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main()
