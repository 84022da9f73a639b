"""halves.py make | check: f32 and f64 numbers around everything that rounding to a half can meet, all halves, and what the
standard library (f16) and exact fractions (bf16) say that they become."""
import math
import struct
import sys
from fractions import Fraction

import npyfile


def bits_of(value):
    return struct.unpack("<I", struct.pack("<f", value))[0]


def single(bits):
    return struct.unpack("<f", struct.pack("<I", bits & 0xFFFFFFFF))[0]


def singles():
    """Every exponent and sign; fractions at, just below and just above the places where f16 and bf16 round."""
    fractions = {0, 1, 0x7FFFFF, 0x400000}
    for kept in (10, 7):
        drop = 23 - kept
        for upper in (0, 1, 2, 3, (1 << kept) - 1, (1 << kept) - 2, 0x155 & ((1 << kept) - 1)):
            for low in (0, 1, (1 << drop - 1) - 1, 1 << drop - 1, (1 << drop - 1) + 1, (1 << drop) - 1):
                fractions.add(upper << drop | low)
    for shift in range(1, 24):  # denormal f16 keep fewer bits the smaller they are
        fractions |= {(1 << shift) - 1, 1 << shift - 1, (1 << shift - 1) + 1, (0x7FFFFF >> shift) << shift}
    return [single(sign << 31 | exponent << 23 | fraction) for sign in (0, 1) for exponent in range(256)
            for fraction in sorted(fractions)]


def doubles():
    """Numbers whose rounding to f32 would lie on a tie of a half."""
    result = []
    for value in singles()[::3]:
        if not math.isfinite(value):
            result.append(value)
            continue
        bits = struct.unpack("<q", struct.pack("<d", value))[0]
        result += [struct.unpack("<d", struct.pack("<q", bits + step))[0] for step in (-1, 0, 1)]
    return [value for value in result if not math.isnan(value)] + [1e308, -1e-320, 65519.999999999, 65520.0, math.nan]


def float16(value):
    if math.isnan(value):
        return None
    try:
        return struct.unpack("<H", struct.pack("<e", value))[0]
    except OverflowError:
        return 0x7C00 if value > 0 else 0xFC00


def bfloat16(value):
    if math.isnan(value):
        return None
    sign = 0x8000 if math.copysign(1, value) < 0 else 0
    size = abs(value)
    if math.isinf(size):
        return sign | 0x7F80
    exact = Fraction(size)
    exponent = max(math.frexp(size)[1] - 1, -126)  # of the last denormals, too
    last = Fraction(2) ** (exponent - 7)
    count = exact / last
    whole = count.numerator // count.denominator
    rest = count - whole
    whole += rest > Fraction(1, 2) or (rest == Fraction(1, 2) and whole % 2 == 1)
    if whole == 256:
        whole, exponent = 128, exponent + 1
    if exponent > 127:
        return sign | 0x7F80
    return sign | (whole if whole < 128 else (exponent + 127) << 7 | (whole - 128))


def halves():
    return [bits for bits in range(65536)]


def make():
    npyfile.write("single.npy", "<f4", singles())
    npyfile.write("double.npy", "<f8", doubles())
    npyfile.write_bytes("half.npy", "<f2", struct.pack("<65536H", *halves()), [65536])
    npyfile.write("brain.npy", "<f4", [single(bits << 16) for bits in halves()])


def same(kind, given, expected):
    wrong = [i for i, (a, b) in enumerate(zip(given, expected, strict=True)) if a != b]
    if wrong:
        i = wrong[0]
        sys.exit(f"{kind}: {len(wrong)} of {len(expected)} differ, first {i}: {given[i]:#x}, expected {expected[i]}")
    print(f"{kind}: {len(expected)} agree")


def as_float16(path):
    _, data = npyfile.read(path)
    bits = struct.unpack(f"<{len(data) // 2}H", data)
    return [None if word & 0x7FFF > 0x7C00 else word for word in bits]


def as_bfloat16(path):
    """bf16 is stored as f32."""
    _, data = npyfile.read(path)
    words = struct.unpack(f"<{len(data) // 4}I", data)
    assert all(word & 0xFFFF == 0 for word in words)
    return [None if word & 0x7FFFFFFF > 0x7F800000 else word >> 16 for word in words]


def as_singles(path):
    _, data = npyfile.read(path)
    words = struct.unpack(f"<{len(data) // 4}I", data)
    return [None if word & 0x7FFFFFFF > 0x7F800000 else word for word in words]


def check():
    for source in ("single", "double"):
        values = npyfile.read_values(source + ".npy")
        same(f"f16 of {source}", as_float16(f"{source}-f16.npy"), [float16(value) for value in values])
        same(f"bf16 of {source}", as_bfloat16(f"{source}-bf16.npy"), [bfloat16(value) for value in values])
    wide = [struct.unpack("<e", struct.pack("<H", bits))[0] for bits in halves()]
    same("f32 of f16", as_singles("half-f32.npy"), [None if math.isnan(value) else bits_of(value) for value in wide])
    wide = [single(bits << 16) for bits in halves()]
    same("f32 of bf16", as_singles("brain-f32.npy"), [None if math.isnan(value) else bits_of(value) for value in wide])


{"make": make, "check": check}[sys.argv[1]]()
