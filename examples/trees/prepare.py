#!/usr/bin/env python3
# Part of the Lathe project, under the Apache License v2.0 with LLVM Exceptions. See LICENSE for licence information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""prepare.py FOLDER: writes random expressions of 1 to 16 digits with +, - and *, and their values modulo 10, as trees.

FOLDER/train has 6,000, FOLDER/test 2,000 others that are not among them: kind, left, right i32[count][31], nodes in post order,
of which count.npy says how many there are; value i32[count]. The seed is fixed. Needs nothing but Python.
"""
import os
import random
import sys

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "common"))
from npy import write_npy  # noqa: E402

NODES, BASE, SIGNS = 31, 10, "+-*"
FUNCTIONS = (lambda a, b: a + b, lambda a, b: a - b, lambda a, b: a * b)


def grow(draw, leaves, nodes):
    """Appends a tree with so many digits to `nodes`; its value."""
    if leaves == 1:
        digit = draw.randrange(BASE)
        nodes.append((digit, 0, 0))
        return digit
    on_left = draw.randrange(1, leaves)
    a = grow(draw, on_left, nodes)
    left = len(nodes) - 1
    b = grow(draw, leaves - on_left, nodes)
    which = draw.randrange(3)
    nodes.append((BASE + which, left, len(nodes) - 1))
    return FUNCTIONS[which](a, b) % BASE


def text(nodes, i):
    kind, left, right = nodes[i]
    return str(kind) if kind < BASE else "(%s%s%s)" % (text(nodes, left), SIGNS[kind - BASE], text(nodes, right))


def write(folder, trees):
    filled = [nodes + [(0, 0, 0)] * (NODES - len(nodes)) for nodes, _ in trees]
    for column, name in enumerate(("kind", "left", "right")):
        values = [node[column] for nodes in filled for node in nodes]
        write_npy(os.path.join(folder, name + ".npy"), "<i4", (len(trees), NODES), values)
    write_npy(os.path.join(folder, "count.npy"), "<i4", (len(trees),), [len(nodes) for nodes, _ in trees])
    write_npy(os.path.join(folder, "value.npy"), "<i4", (len(trees),), [value for _, value in trees])


def main():
    folder, draw = sys.argv[1], random.Random(1)
    train, test, known = [], [], set()
    while len(train) < 6000:
        nodes = []
        value = grow(draw, draw.randint(1, 16), nodes)
        known.add(text(nodes, len(nodes) - 1))
        train.append((nodes, value))
    while len(test) < 2000:
        nodes = []
        value = grow(draw, draw.randint(2, 16), nodes)
        if text(nodes, len(nodes) - 1) not in known:
            test.append((nodes, value))
    write(os.path.join(folder, "train"), train)
    write(os.path.join(folder, "test"), test)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main()
