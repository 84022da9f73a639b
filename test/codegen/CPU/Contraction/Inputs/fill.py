"""Prints a graph with `dense<any>` replaced by numbers: fill.py GRAPH. They are eighths from -2 to 2, or integers, so that each
element type has them exactly, and follow from the constant's number in the text."""
import itertools
import re
import struct
import sys

seeds = itertools.count(1)
FORMATS = {"f16": "e", "f32": "f", "f64": "d", "i8": "b", "i32": "i"}


def numbers(count, seed):
    for _ in range(count):
        seed = (seed * 1103515245 + 12345) % (1 << 31)
        yield (seed >> 16) % 33 - 16


def elements(count, kind, seed):
    if kind == "bf16": # the upper half of f32
        return b"".join(struct.pack("<f", n / 8)[2:] for n in numbers(count, seed))
    scale = 1 if kind.startswith("i") else 1 / 8
    return b"".join(struct.pack("<" + FORMATS[kind], n * scale if scale != 1 else n) for n in numbers(count, seed))


def fill(match):
    *shape, kind = match[1].split("x")
    count = 1
    for extent in shape:
        count *= int(extent)
    return f'dense<"0x{elements(count, kind, next(seeds)).hex().upper()}"> : tensor<{match[1]}>'


print(re.sub(r"dense<any> : tensor<(.*?)>", fill, open(sys.argv[1]).read()))
