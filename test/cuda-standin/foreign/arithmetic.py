"""Computations of one thread: conversions of every format, functions, rounding modes, whole numbers, random numbers."""
from fractions import Fraction

import numpy as np
import triton
import triton.language as tl
from triton.language.extra.cuda import libdevice

from formats import FORMATS
from kernels import Array, Case, Run, result

EACH = 1024 # elements of a block


@triton.jit
def convert(x, y, SIZE: tl.constexpr, ROUNDING: tl.constexpr):
    at = tl.program_id(0) * SIZE + tl.arange(0, SIZE)
    tl.store(y + at, tl.load(x + at).to(y.dtype.element_ty, fp_downcast_rounding=ROUNDING))


@triton.jit
def functions(x, exp2, exp, log2, log, sine, cosine, root, reciprocal, error, tangent, power, SIZE: tl.constexpr):
    at = tl.arange(0, SIZE)
    v = tl.load(x + at)
    tl.store(exp2 + at, tl.exp2(v))
    tl.store(exp + at, tl.exp(v))
    tl.store(log2 + at, tl.log2(tl.abs(v)))
    tl.store(log + at, tl.log(tl.abs(v)))
    tl.store(sine + at, tl.sin(v))
    tl.store(cosine + at, tl.cos(v))
    tl.store(root + at, tl.sqrt(tl.abs(v)))
    tl.store(reciprocal + at, tl.rsqrt(tl.abs(v)))
    tl.store(error + at, tl.erf(v))
    tl.store(tangent + at, libdevice.tanh(v))
    tl.store(power + at, libdevice.pow(tl.abs(v), v))


@triton.jit
def roundings(x, y, z, down, up, zero, near, product, quotient, root, fused, floor, ceiling, even, truncated, SIZE: tl.constexpr):
    at = tl.arange(0, SIZE)
    a, b, c = tl.load(x + at), tl.load(y + at), tl.load(z + at)
    tl.store(down + at, libdevice.add_rd(a, b))
    tl.store(up + at, libdevice.add_ru(a, b))
    tl.store(zero + at, libdevice.add_rz(a, b))
    tl.store(near + at, libdevice.add_rn(a, b))
    tl.store(product + at, libdevice.mul_ru(a, b))
    tl.store(quotient + at, tl.div_rn(a, b))
    tl.store(root + at, libdevice.sqrt_rd(tl.abs(a)))
    tl.store(fused + at, libdevice.fma_rz(a, b, c))
    tl.store(floor + at, tl.floor(a))
    tl.store(ceiling + at, tl.ceil(a))
    tl.store(even + at, libdevice.rint(a))
    tl.store(truncated + at, libdevice.trunc(a))


@triton.jit
def integers(x, y, quotient, remainder, left, right, logical, high, zeros, ones, turned, absolute, mixed, chosen,
             SIZE: tl.constexpr):
    at = tl.arange(0, SIZE)
    a, b = tl.load(x + at), tl.load(y + at)
    tl.store(quotient + at, a // b)
    tl.store(remainder + at, a % b)
    tl.store(left + at, a << (b & 31))
    tl.store(right + at, a >> (b & 31))
    tl.store(logical + at, (a.to(tl.uint32, bitcast=True) >> (b & 31).to(tl.uint32)).to(tl.int32, bitcast=True))
    tl.store(high + at, libdevice.mulhi(a, b))
    tl.store(zeros + at, libdevice.clz(a))
    tl.store(ones + at, libdevice.popc(a))
    tl.store(turned + at, libdevice.brev(a))
    tl.store(absolute + at, tl.abs(a))
    tl.store(mixed + at, libdevice.byte_perm(a, b, 0x6240))
    tl.store(chosen + at, tl.where(a < b, tl.minimum(a, 17), tl.maximum(b, -17)))


@triton.jit
def longs(x, y, product, high, quotient, shifted, single, SIZE: tl.constexpr):
    at = tl.arange(0, SIZE)
    a, b = tl.load(x + at), tl.load(y + at)
    tl.store(product + at, a * b)
    tl.store(high + at, tl.umulhi(a.to(tl.uint64, bitcast=True), b.to(tl.uint64, bitcast=True)).to(tl.int64, bitcast=True))
    tl.store(quotient + at, a // b)
    tl.store(shifted + at, a >> (b & 63))
    tl.store(single + at, a.to(tl.float32))


@triton.jit
def elementary(x, y, z, total, difference, product, quotient, root, fused, floor, truncated, least, most, known, chosen,
               SIZE: tl.constexpr):
    """Checks floats: rounding to the nearest, NaNs in minima and maxima, comparisons."""
    at = tl.arange(0, SIZE)
    a, b, c = tl.load(x + at), tl.load(y + at), tl.load(z + at)
    tl.store(total + at, a + b)
    tl.store(difference + at, a - b)
    tl.store(product + at, a * b)
    tl.store(quotient + at, libdevice.div_rn(a, b))
    tl.store(root + at, libdevice.sqrt_rn(tl.abs(a)))
    tl.store(fused + at, tl.fma(a, b, c))
    tl.store(floor + at, tl.floor(a))
    tl.store(truncated + at, libdevice.trunc(a))
    tl.store(least + at, tl.minimum(a, b))
    tl.store(most + at, tl.maximum(a, b, propagate_nan=tl.PropagateNan.ALL))
    tl.store(known + at, tl.minimum(a, b, propagate_nan=tl.PropagateNan.ALL))
    tl.store(chosen + at, tl.where((a <= b) & (b < 2 * c), -a, tl.where((a == c) | (b >= c), b, tl.where(a != b, c, a))))


@triton.jit
def naturals(x, y, quotient, remainder, high, least, most, chosen, single, SIZE: tl.constexpr):
    at = tl.arange(0, SIZE)
    a, b = tl.load(x + at), tl.load(y + at)
    tl.store(quotient + at, a // b)
    tl.store(remainder + at, a % b)
    tl.store(high + at, tl.umulhi(a, b))
    tl.store(least + at, tl.minimum(a, b))
    tl.store(most + at, tl.maximum(a, b))
    tl.store(chosen + at, tl.where((a <= b) | (a > 12345678), a ^ b, ~a & b))
    tl.store(single + at, a.to(tl.float32))


@triton.jit
def random_bits(y, SEED, SIZE: tl.constexpr):
    at = tl.arange(0, SIZE)
    a, b, c, d = tl.randint4x(SEED, at)
    tl.store(y + at, a.to(tl.int32, bitcast=True))
    tl.store(y + SIZE + at, b.to(tl.int32, bitcast=True))
    tl.store(y + 2 * SIZE + at, c.to(tl.int32, bitcast=True))
    tl.store(y + 3 * SIZE + at, d.to(tl.int32, bitcast=True))


def everything(format):
    """All numbers of a narrow format, or many of a wide one: of all magnitudes, and others."""
    kind = FORMATS[format]
    if np.dtype(kind.dtype).itemsize <= 2:
        bits = 8 * np.dtype(kind.dtype).itemsize
        values = kind.decode(np.arange(1 << bits).astype(f"u{bits // 8}").view(kind.dtype))
        if bits == 8: # to infinity nothing rounds there
            values = np.where(np.isinf(values), 1.0, values)
        return np.resize(values, max(len(values), EACH))
    random = np.random.default_rng(1)
    if format.startswith("i"):
        bits = 8 * np.dtype(kind.dtype).itemsize
        return random.integers(-1 << (bits - 1), (1 << (bits - 1)) - 1, 4 * EACH) >> random.integers(0, bits - 1, 4 * EACH)
    wide = random.integers(0, 1 << 32, 16 * EACH, np.uint64).astype(np.uint32).view(np.float32).astype(np.float64)
    wide[:EACH] = random.standard_normal(EACH).astype(np.float32)
    wide[EACH:2 * EACH] = FORMATS["bf16"].decode(random.integers(0, 1 << 16, EACH)) # ties of the narrow formats
    return np.where(np.isnan(wide), 1.5, wide)


def conversions(source, target, rounding=None, limit=None):
    def make():
        x = everything(source)
        if limit is not None: # whole numbers that the other format has
            x = np.where(np.isfinite(x) & (abs(x) < limit), x, 1.75)
        if (source, target) == ("fp8e5", "bf16"): # Triton's instructions for it make numbers of NaNs
            x = np.where(np.isnan(x), 1.0, x)
        kind = FORMATS[target]
        if rounding == "rtz":
            if target == "fp16":
                near = x.astype(np.float16)
                wanted = np.where(abs(near.astype(np.float64)) > abs(x), np.nextafter(near, np.float16(0)), near).astype(np.float64)
            else:
                wanted = kind.decode(kind.encode(x, rounds_up=False))
        else:
            wanted = kind.decode(kind.encode(x))
        run = Run(convert, dict(x=Array(source, x), y=result(target, len(x))), dict(SIZE=EACH, ROUNDING=rounding),
                  (len(x) // EACH,))
        return run, {"y": (wanted, 0.0)}
    return make


def called(kernel, inputs, wanted, bounds, formats=None):
    formats = formats or {}
    arguments = {name: Array(format, values) for name, (format, values) in inputs.items()}
    default = next(iter(inputs.values()))[0]
    arguments.update({name: result(formats.get(name, default), len(values)) for name, values in wanted.items()})
    return Run(kernel, arguments, dict(SIZE=EACH), (1,)), {name: (values, bounds.get(name, 0)) for name, values in wanted.items()}


def calls():
    x = np.random.default_rng(2).uniform(-8, 8, EACH).astype(np.float32).astype(np.float64)
    wanted = dict(exp2=np.exp2(x), exp=np.exp(x), log2=np.log2(abs(x)), log=np.log(abs(x)), sine=np.sin(x), cosine=np.cos(x),
                  root=np.sqrt(abs(x)), reciprocal=abs(x) ** -0.5, error=np.vectorize(__import__("math").erf)(x),
                  tangent=np.tanh(x), power=abs(x) ** x)
    # CUDA's documentation: a few units in the last place; exp and log go through those of base 2, whose argument is rounded.
    bounds = {name: 2.0 ** -19 * np.maximum(abs(values), 2.0 ** -3) for name, values in wanted.items()}
    return called(functions, dict(x=("fp32", x)), wanted, bounds)


def rounded(value, direction):
    """A fraction as f32: -1 down, 1 up, 0 towards zero, None to the nearest."""
    near = np.float32(float(value)) # by f64, which is far enough from a tie here
    if direction is None:
        return near
    if direction == 0:
        direction = -1 if value > 0 else 1
    if direction < 0 and Fraction(float(near)) > value or direction > 0 and Fraction(float(near)) < value:
        return np.nextafter(near, np.float32(direction * np.inf))
    return near


def directed():
    random = np.random.default_rng(3)
    x, y, z = ((random.standard_normal(EACH) * np.exp2(random.integers(-12, 12, EACH))).astype(np.float32) for _ in range(3))
    x[:256] = np.round(x[:256] * 2) / 2 # ties of whole numbers
    exact = [tuple(Fraction(float(v)) for v in row) for row in zip(x, y, z)]
    each = lambda f, direction: np.array([rounded(f(*row), direction) for row in exact], np.float64)
    add = lambda a, b, c: a + b
    roots = np.array([rounded(Fraction(float(np.sqrt(np.longdouble(abs(v))))), -1) for v in x], np.float64)
    wide = x.astype(np.float64)
    wanted = dict(down=each(add, -1), up=each(add, 1), zero=each(add, 0), near=each(add, None),
                  product=each(lambda a, b, c: a * b, 1),
                  quotient=each(lambda a, b, c: a / b, None), root=roots, fused=each(lambda a, b, c: a * b + c, 0),
                  floor=np.floor(wide), ceiling=np.ceil(wide), even=np.rint(wide), truncated=np.trunc(wide))
    return called(roundings, dict(x=("fp32", x), y=("fp32", y), z=("fp32", z)), wanted, {})


def whole_numbers():
    random = np.random.default_rng(4)
    x, y = (random.integers(-1 << 31, 1 << 31, EACH) >> random.integers(0, 31, EACH) for _ in range(2))
    y[y == 0] = 3
    unsigned, other = x & 0xffffffff, y & 0xffffffff
    signed = lambda v: np.asarray(v, np.int64).astype(np.uint32).view(np.int32).astype(np.int64)
    byte = lambda v, i: v >> (8 * i) & 255
    wanted = dict(quotient=np.trunc(x / y), remainder=np.fmod(x, y), left=signed(x << (y & 31)), right=x >> (y & 31),
                  logical=signed(unsigned >> (y & 31)), high=x * y >> 32, zeros=[32 - int(v).bit_length() for v in unsigned],
                  ones=[int(v).bit_count() for v in unsigned], turned=signed([int(f"{v:032b}"[::-1], 2) for v in unsigned]),
                  absolute=abs(x), chosen=np.where(x < y, np.minimum(x, 17), np.maximum(y, -17)),
                  mixed=signed(byte(unsigned, 0) | byte(other, 0) << 8 | byte(unsigned, 2) << 16 | byte(other, 2) << 24))
    return called(integers, dict(x=("i32", x), y=("i32", y)), {name: np.asarray(v, np.float64) for name, v in wanted.items()}, {})


def long_numbers():
    """Results are compared as f64, which a bound allows for."""
    random = np.random.default_rng(5)
    x, y = (random.integers(-1 << 62, 1 << 62, EACH) >> random.integers(0, 61, EACH) for _ in range(2))
    y[y == 0] = 3
    pairs = [(int(a), int(b)) for a, b in zip(x, y)]
    wrap = lambda v: (v + (1 << 63)) % (1 << 64) - (1 << 63)
    wide = 1 << 64
    wanted = dict(product=[wrap(a * b) for a, b in pairs], high=[wrap(a % wide * (b % wide) >> 64) for a, b in pairs],
                  quotient=[abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1) for a, b in pairs],
                  shifted=[a >> (b & 63) for a, b in pairs], single=x.astype(np.float32))
    return called(longs, dict(x=("i64", x), y=("i64", y)), {name: np.array(v, np.float64) for name, v in wanted.items()}, {},
                  dict(single="fp32"))


def elementary_floats(format):
    """f32 is rounded from f64 and f64 from a long double, which for one operation is as if at once; a fused one is by fractions."""
    def make():
        random = np.random.default_rng(6)
        kind, wide = (np.float32, np.float64) if format == "fp32" else (np.float64, np.longdouble)
        x, y, z = ((random.standard_normal(EACH) * np.exp2(random.integers(-6, 6, EACH))).astype(kind) for _ in range(3))
        x[:64], z[128:256] = y[:64], x[128:256]
        exact = [tuple(Fraction(float(v)) for v in row) for row in zip(x, y, z)]
        # A quotient of two integers is rounded once in Python, and so a fraction that becomes a float.
        fused = np.array([kind(float(a * b + c)) for a, b, c in exact]) if format == "fp64" else \
            np.array([rounded(a * b + c, None) for a, b, c in exact])
        a, b = x.astype(wide), y.astype(wide)
        chosen = np.where((x <= y) & (y < 2 * z), -x, np.where((x == z) | (y >= z), y, np.where(x != y, z, x)))
        wanted = dict(total=x + y, difference=x - y, product=x * y, quotient=(a / b).astype(kind), root=np.sqrt(abs(x)),
                      fused=fused, floor=np.floor(x), truncated=np.trunc(x), least=np.minimum(x, y), most=np.maximum(x, y),
                      known=np.minimum(x, y), chosen=chosen)
        return called(elementary, {name: (format, v.astype(np.float64)) for name, v in dict(x=x, y=y, z=z).items()},
                      {name: v.astype(np.float64) for name, v in wanted.items()}, {})
    return make


def with_nans():
    """minimum and maximum: of one NaN and a number the number, unless NaNs shall stay."""
    random = np.random.default_rng(7)
    x, y, z = (np.where(random.random(EACH) < 0.3, np.nan, random.integers(1, 4, EACH)) for _ in range(3))
    names = [name for name in elementary.arg_names if name not in ("x", "y", "z", "SIZE")]
    run, _ = called(elementary, dict(x=("fp32", x), y=("fp32", y), z=("fp32", z)), dict.fromkeys(names, x), {})
    chosen = np.where((x <= y) & (y < 2 * z), -x, np.where((x == z) | (y >= z), y, np.where(x != y, z, x)))
    return run, dict(least=(np.fmin(x, y), 0), most=(np.maximum(x, y), 0), known=(np.minimum(x, y), 0), chosen=(chosen, 0),
                     total=(x + y, 0))


def natural_numbers(format):
    def make():
        bits = int(format[1:])
        random = np.random.default_rng(8)
        x, y = ((random.integers(0, 1 << 64, EACH, np.uint64) >> random.integers(65 - bits, 63, EACH).astype(np.uint64))
                .astype(np.uint64) for _ in range(2))
        y[y == 0] = 3
        pairs, mask = [(int(a), int(b)) for a, b in zip(x, y)], (1 << bits) - 1
        wanted = dict(quotient=[a // b for a, b in pairs], remainder=[a % b for a, b in pairs],
                      high=[a * b >> bits for a, b in pairs],
                      least=np.minimum(x, y), most=np.maximum(x, y), single=x.astype(np.float32),
                      chosen=[a ^ b if a <= b or a > 12345678 else ~a & mask & b for a, b in pairs])
        wanted = {name: np.array(v).astype(np.float64) for name, v in wanted.items()}
        return called(naturals, dict(x=(format, x), y=(format, y)), wanted, {}, dict(single="fp32"))
    return make


def philox():
    """The generator of Salmon and others, "Parallel random numbers: as easy as 1, 2, 3", of ten rounds."""
    low, seed = 0xffffffff, 0x123456789abcdef
    words = [np.arange(EACH, dtype=np.uint64)] + [np.zeros(EACH, np.uint64)] * 3
    keys = [seed & low, seed >> 32]
    for _ in range(10):
        first, third = words[0] * np.uint64(0xD2511F53), words[2] * np.uint64(0xCD9E8D57)
        words = [third >> np.uint64(32) ^ words[1] ^ np.uint64(keys[0]), third & np.uint64(low),
                 first >> np.uint64(32) ^ words[3] ^ np.uint64(keys[1]), first & np.uint64(low)]
        keys = [keys[0] + 0x9E3779B9 & low, keys[1] + 0xBB67AE85 & low]
    wanted = np.concatenate(words).astype(np.uint32).view(np.int32).astype(np.float64)
    return Run(random_bits, dict(y=result("i32", 4 * EACH)), dict(SIZE=EACH, SEED=seed), (1,)), {"y": (wanted, 0)}


def cases():
    both, floats = (80, 90), ("fp32", "fp16", "bf16", "fp64")
    for source in floats:
        for target in floats:
            if source != target:
                yield Case(f"{source} to {target}", both, conversions(source, target))
    for target in ("fp16", "bf16"):
        yield Case(f"fp32 to {target} towards zero", both, conversions("fp32", target, "rtz"))
    for small in ("fp8e4nv", "fp8e5"):
        for wide in ("fp32", "fp16", "bf16"):
            yield Case(f"{small} to {wide}", (90,) if small == "fp8e4nv" else both, conversions(small, wide))
            yield Case(f"{wide} to {small}", (90,), conversions(wide, small))
    for integer, limit in (("i8", 127), ("i32", 2.0 ** 31), ("i64", 2.0 ** 63)):
        for wide in floats:
            yield Case(f"{integer} to {wide}", both, conversions(integer, wide))
            yield Case(f"{wide} to {integer}", both, conversions(wide, integer, limit=limit))
    yield Case("functions", both, calls)
    yield Case("rounding modes", both, directed)
    yield Case("whole numbers", both, whole_numbers)
    yield Case("long numbers", both, long_numbers)
    yield Case("random numbers", both, philox)
    for format in ("fp32", "fp64"):
        yield Case(f"elementary operations of {format}", both, elementary_floats(format))
    yield Case("elementary operations of NaNs", both, with_nans)
    for format in ("u32", "u64"):
        yield Case(f"natural numbers of {format}", both, natural_numbers(format))
