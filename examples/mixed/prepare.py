#!/usr/bin/env python3
# Part of the Lathe project, under the Apache License v2.0 with LLVM Exceptions. See LICENSE for licence information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""prepare.py FOLDER: writes things as three parts each, any of which may be absent: FOLDER/train has 6,000, FOLDER/test 1,500.

images f32[P][12][12][1], image i32[count] (the number of its image, -1: none), words i32[T], offsets i32[count + 1] (an empty note:
none), rows f32[count][6] (NaN: a gap), has_row i1[count], label i32[count]. The seed is fixed. Needs nothing but Python.

- The image is a disc, a frame, a cross or a bar, anywhere, of any size, in noise.
- The note is of 3 to 16 words, one of which judges; "not" right before it, as of three in ten, turns that round; it may stand elsewhere, too.
- The numbers are three noisy views of one quantity and three of another; what is dear has a sum above 0.
"""
import math
import os
import random
import sys

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "common"))
from npy import write_npy  # noqa: E402

SIDE, WORDS, GOOD, BAD, NOT = 12, 40, range(1, 6), range(6, 11), 0
ABSENT, GAP = 0.15, 0.15


def shape(draw, kind):
    """Discs, frames, crosses and bars around a random middle."""
    x0, y0, size = draw.uniform(4, 7), draw.uniform(4, 7), draw.uniform(2.4, 4)
    pixels = []
    for y in range(SIDE):
        for x in range(SIDE):
            dx, dy = abs(x - x0), abs(y - y0)
            ink = (math.hypot(dx, dy) <= size, size - 1.2 < max(dx, dy) <= size, min(dx, dy) <= 0.6 and max(dx, dy) <= size,
                   dy <= 1.2 and dx <= size + 1)[kind]
            pixels.append(ink + draw.gauss(0, 0.25))
    return pixels


def note(draw, likes):
    words = [draw.choice(range(11, WORDS)) for _ in range(draw.randint(2, 12))]
    if draw.random() < 0.5:  # one that turns nothing round
        words.insert(draw.randint(0, len(words) - 1), NOT)
    turned = draw.random() < 0.3
    judgement = [draw.choice(GOOD if likes != turned else BAD)]
    place = draw.choice([i for i in range(len(words) + 1) if i == 0 or words[i - 1] != NOT])
    return words[:place] + [NOT] * turned + judgement + words[place:]


def row(draw, dear):
    while True:
        a, b = draw.gauss(0, 1), draw.gauss(0, 1)
        if (a + b > 0) == dear and abs(a + b) > 0.3:
            break
    values = [a + draw.gauss(0, 0.3) for _ in range(3)] + [b + draw.gauss(0, 0.3) for _ in range(3)]
    return [math.nan if draw.random() < GAP else value for value in values]


def write(folder, draw, count):
    images, image, words, offsets, rows, has_row, label = [], [], [], [0], [], [], []
    for _ in range(count):
        kind, likes, dear = draw.randrange(4), draw.random() < 0.5, draw.random() < 0.5
        there = [draw.random() >= ABSENT for _ in range(3)]
        image.append(len(images) // SIDE**2 if there[0] else -1)
        if there[0]:
            images += shape(draw, kind)
        if there[1]:
            words += note(draw, likes)
        offsets.append(len(words))
        rows += row(draw, dear) if there[2] else [math.nan] * 6
        has_row.append(there[2])
        label.append(4 * kind + 2 * likes + dear)
    pixels = (len(images) // SIDE**2, SIDE, SIDE, 1)
    for name, kind, extents, values in (("images", "<f4", pixels, images), ("image", "<i4", (count,), image),
                                        ("words", "<i4", (len(words),), words), ("offsets", "<i4", (count + 1,), offsets),
                                        ("rows", "<f4", (count, 6), rows), ("has_row", "|b1", (count,), has_row),
                                        ("label", "<i4", (count,), label)):
        write_npy(os.path.join(folder, name + ".npy"), kind, extents, values)


def main():
    draw = random.Random(1)
    write(os.path.join(sys.argv[1], "train"), draw, 6000)
    write(os.path.join(sys.argv[1], "test"), draw, 1500)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main()
