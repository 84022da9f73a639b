"""The first N rows of arrays, as files of their names in another folder. usage: first-rows.py FROM TO N NAME..."""
import math
import os
import sys

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..", "examples", "common"))
from npy import read_npy, write_npy  # noqa: E402

KINDS = {"B": "|b1", "f": "<f4", "d": "<f8", "i": "<i4", "q": "<i8"}
source, target, count = sys.argv[1], sys.argv[2], int(sys.argv[3])
for name in sys.argv[4:]:
    shape, values = read_npy(os.path.join(source, name + ".npy"))
    write_npy(os.path.join(target, name + ".npy"), KINDS[values.typecode], (count, *shape[1:]), values[: count * math.prod(shape[1:])])
