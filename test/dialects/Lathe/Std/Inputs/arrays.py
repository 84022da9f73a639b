"""Tensors as flat lists with shapes, with the standard library only."""
import itertools
import math
import struct
import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[4]))
import npyfile  # noqa: E402

DESCRIPTIONS = {"f64": "<f8", "f32": "<f4", "f16": "<f2", "i1": "|b1", "i8": "|i1", "i32": "<i4", "i64": "<i8"}
ELEMENTS = {description: element for element, description in DESCRIPTIONS.items()}


class Array:
    def __init__(self, shape, values, element="f64"):
        self.shape, self.values, self.element = tuple(shape), list(values), element
        assert len(self.values) == math.prod(self.shape), (self.shape, len(self.values))

    @classmethod
    def of(cls, shape, function, element="f64"):
        """The array whose entry at i, j, ... is function(i, j, ...)."""
        return cls(shape, (function(*index) for index in indices(shape)), element)

    def __getitem__(self, index):
        """Broadcasts: dimensions are aligned at the last, and one of extent 1 takes every index."""
        index = (index if isinstance(index, tuple) else (index,))
        place = 0
        for i, extent in zip(index[len(index) - len(self.shape):], self.shape):
            place = place * extent + (i if extent != 1 else 0)
        return self.values[place]

    def map(self, function):
        return Array(self.shape, map(function, self.values), self.element)

    def rounded(self, element):
        code = npyfile.FORMATS[DESCRIPTIONS[element]]
        return Array(self.shape, (struct.unpack(code, struct.pack(code, value))[0] for value in self.values), element)

    def rank(self):
        return len(self.shape)

    def along(self, dims, function, keep=False):
        """function(entries) of each line along these dimensions."""
        dims = [dim % self.rank() for dim in dims]
        lines = {index: [] for index in indices([1 if i in dims else n for i, n in enumerate(self.shape)])}
        for index, value in zip(indices(self.shape), self.values):
            lines[tuple(0 if i in dims else n for i, n in enumerate(index))].append(value)
        shape = [1 if i in dims else n for i, n in enumerate(self.shape) if keep or i not in dims]
        return Array(shape, map(function, lines.values()), self.element)


def indices(shape):
    return itertools.product(*map(range, shape))


def write(path, array):
    npyfile.write(path, DESCRIPTIONS[array.element], array.values, array.shape)


def read(path, shape):
    """Returns the file's entries. Checks that their number is that of the shape."""
    return Array(shape, npyfile.read_values(path), ELEMENTS[npyfile.read(path)[0]])
