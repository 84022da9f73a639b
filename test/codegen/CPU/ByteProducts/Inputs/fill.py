"""Prints a graph with `dense<any>` replaced by bytes of all values, `dense<bell>` by small ones with few large ones, as trained
weights have, and `dense<edge>` by ones whose sums are at the limits up to which products with 255 fit in 16 bits: fill.py GRAPH."""
import random
import re
import sys

numbers = random.Random(1)


def element(kind):
    if kind == "any":
        return numbers.randrange(256)
    if kind == "edge":
        return numbers.choice((32, -32, 33, -33, 64, -64, 65, -127)) & 255 if numbers.random() < 0.1 else 0
    return max(-128, min(127, round(numbers.gauss(0, 30)))) & 255


def fill(match):
    kind, tensor = match.groups()
    count = 1
    for extent in tensor.split("x")[:-1]:
        count *= int(extent)
    return f'dense<"0x{bytes(element(kind) for _ in range(count)).hex().upper()}"> : tensor<{tensor}>'


print(re.sub(r"dense<(any|bell|edge)> : tensor<(.*?)>", fill, open(sys.argv[1]).read()))
