"""Formats that numpy lacks: arrays of them are unsigned integers here, and become f64 to be compared."""
import numpy as np


class Format:
    """A binary format: so many bits of exponent and mantissa. `least`: the relative error of rounding to the nearest."""

    def __init__(self, exponent, mantissa, has_infinity=True):
        self.mantissa, self.bits = mantissa, 1 + exponent + mantissa
        self.bias = (1 << (exponent - 1)) - 1
        self.dtype = {8: np.uint8, 16: np.uint16}[self.bits]
        self.epsilon = 2.0 ** -(mantissa + 1)
        codes = np.arange(1 << self.bits)
        fields = (codes >> mantissa) & ((1 << exponent) - 1)
        fraction = (codes & ((1 << mantissa) - 1)) / (1 << mantissa)
        values = np.where(fields == 0, fraction * 2.0 ** (1 - self.bias), (1 + fraction) * np.exp2(fields - float(self.bias)))
        top = fields == (1 << exponent) - 1
        if has_infinity:
            values = np.where(top, np.where(fraction == 0, np.inf, np.nan), values)
        else: # only all ones are not a number
            values = np.where(top & (fraction == 1 - 2.0 ** -mantissa), np.nan, values)
        self.values = np.where(codes >> (self.bits - 1), -values, values)
        self.positive = self.values[:1 << (self.bits - 1)]
        self.positive = self.positive[np.isfinite(self.positive)]

    def decode(self, codes):
        return self.values[codes]

    def encode(self, numbers, rounds_up=True):
        """To the nearest, ties to even, or towards zero; above the largest to infinity, or of eight bits to the largest."""
        numbers = np.asarray(numbers, np.float64)
        size = np.abs(numbers)
        steps = np.append(self.positive, 2 * self.positive[-1] - self.positive[-2]) # the value that infinity replaces
        above = np.clip(np.searchsorted(steps, size), 1, len(steps) - 1)
        low, high = steps[above - 1], steps[above]
        up = (size - low > high - size) | ((size - low == high - size) & (above % 2 == 0))
        codes = np.where((up & rounds_up) | (size >= high), above, above - 1)
        codes = np.minimum(codes, len(self.positive) - (self.bits == 8))
        codes = np.where(np.isnan(numbers), (1 << (self.bits - 1)) - 1, codes)
        return (codes + (np.signbit(numbers) << (self.bits - 1))).astype(self.dtype)


class Native:
    """A format that numpy has."""

    def __init__(self, dtype):
        self.dtype = dtype
        self.epsilon = np.finfo(dtype).eps / 2 if np.issubdtype(dtype, np.floating) else 0.0

    def decode(self, values):
        return values.astype(np.float64)

    def encode(self, numbers):
        with np.errstate(all="ignore"):
            return np.asarray(numbers).astype(self.dtype)


FORMATS = {"fp16": Native(np.float16), "fp32": Native(np.float32), "fp64": Native(np.float64), "i8": Native(np.int8),
           "i32": Native(np.int32), "i64": Native(np.int64), "u32": Native(np.uint32), "u64": Native(np.uint64),
           "bf16": Format(8, 7), "fp8e5": Format(5, 2),
           "fp8e4nv": Format(4, 3, has_infinity=False)}


def tf32(numbers):
    """Rounded to 11 bits of mantissa, the leading one included."""
    fraction, exponent = np.frexp(numbers)
    return np.ldexp(np.round(fraction * 2.0 ** 11), exponent - 11)
