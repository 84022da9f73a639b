#!/usr/bin/env python3
"""Prints the minimax coefficients of codegen/Math as C arrays (needs mpmath). `fit-math.py NAME...` prints those named; without
names it prints all.

Each entry defines the polynomial p that minimises max |weight(t) * (target(t) - p(t))| over an interval (Remez exchange).
Coefficients are rounded to the working precision, the lowest order first, and the others are fitted again after each rounding.
The printed error is that of the rounded polynomial.
"""
import struct
import sys
from mpmath import (mp, mpf, matrix, lu_solve, exp, expm1, log, log1p, sinh, tanh, erf, erfc, erfinv, sin, cos, tan, asin, atan, cbrt, sqrt,
                    cot, loggamma, psi, euler, pi, fabs)

mp.prec = 300


def roundTo(value, single):
    number = float(value)
    return mpf(struct.unpack("f", struct.pack("f", number))[0]) if single else mpf(number)


def polynomial(coefficients, t):
    total = mpf(0)
    for c in reversed(coefficients):
        total = total * t + c
    return total


def grid(low, high, count):
    from math import cos as c, pi as p
    return [low + (high - low) * (1 - mpf(c(p * i / (count - 1)))) / 2 for i in range(count)]


def remez(target, weight, low, high, fixed, count):
    """Returns the coefficients of the weighted minimax polynomial, which begin with `fixed`, and its error."""
    points = grid(low, high, 40 * (count + 2))
    values = [(target(t), fabs(weight(t))) for t in points]
    if count == 0:
        return fixed, max(fabs(w * (v - polynomial(fixed, t))) for t, (v, w) in zip(points, values))
    # Uniform on the Chebyshev grid and never at its middle, where a weight may vanish.
    chosen = [int((i + 0.37) * len(points) / (count + 1)) for i in range(count + 1)]
    best = None
    for _ in range(30):
        system, right = matrix(count + 1, count + 1), matrix(count + 1, 1)
        for row, index in enumerate(chosen):
            t, (v, w) = points[index], values[index]
            for k in range(count):
                system[row, k] = t ** (len(fixed) + k)
            system[row, count] = (-1) ** row / w if w else mpf(0)
            right[row] = v - polynomial(fixed, t)
        solution = lu_solve(system, right)
        candidate = fixed + [solution[k] for k in range(count)]
        errors = [w * (v - polynomial(candidate, t)) for t, (v, w) in zip(points, values)]
        worst = max(fabs(e) for e in errors)
        if best is None or worst < best[1]:
            best = (candidate, worst)
        extrema = []  # the largest error of each run of one sign
        for i, e in enumerate(errors):
            if extrema and (errors[extrema[-1]] > 0) == (e > 0):
                if fabs(e) > fabs(errors[extrema[-1]]):
                    extrema[-1] = i
            else:
                extrema.append(i)
        while len(extrema) > count + 1:
            extrema.pop(0 if fabs(errors[extrema[0]]) < fabs(errors[extrema[-1]]) else -1)
        if len(extrema) < count + 1 or worst < fabs(solution[count]) * mpf("1.01"):
            break
        chosen = extrema
    return best


def fit(name, target, weight, low, high, count, single, exactFirst=()):
    """Prints the array of `count` coefficients; the first ones may be prescribed."""
    low, high = mpf(low), mpf(high)
    fixed = [mpf(c) for c in exactFirst]
    first, ideal = remez(target, weight, low, high, fixed, count - len(fixed))
    # The terms that remain after a rounding do not form a Haar system if the interval contains 0. Keep the plain rounding if it
    # is better.
    plain = fixed + [roundTo(c, single) for c in first[len(fixed):]]
    while len(fixed) < count:
        best = remez(target, weight, low, high, fixed, count - len(fixed))[0]
        fixed = fixed + [roundTo(best[len(fixed)], single)]
    worst, fixed = min((remez(target, weight, low, high, c, 0)[1], c) for c in (plain, fixed))
    print(f"// {name}: error 2^{float(log(worst, 2)):.2f} (2^{float(log(ideal, 2)):.2f} before rounding)")
    suffix = float.hex
    print(f"constexpr double {name}[] = {{" + ", ".join(suffix(float(c)) for c in fixed) + "};")


def fitRational(name, target, high, above, below):
    """Prints p of `above` and q of `below` coefficients, q[0] = 1, that minimise the largest relative error of x p(t) / q(t) for an
    odd function of x up to `high`, t = x^2. Points with large errors get more weight in a linear fit (Lawson), which divides by
    the denominator of the step before (Sanathanan and Koerner)."""
    points = [x for x in grid(mpf(0), mpf(high), 160) if x > 1e-3]
    values = [(x * x, target(x) / x) for x in points]
    weights, q = [mpf(1)] * len(points), [mpf(1)]
    best, count = None, above + below - 1
    for _ in range(60):
        system, right = matrix(count, count), matrix(count, 1)
        for weight, (t, y) in zip(weights, values):
            powers = [t**k for k in range(max(above, below))]
            row = powers[:above] + [-y * power for power in powers[1:below]]
            factor = weight / (polynomial(q, t) * y) ** 2
            for i in range(count):
                right[i] += factor * row[i] * y
                for j in range(count):
                    system[i, j] += factor * row[i] * row[j]
        solution = list(lu_solve(system, right))
        p, q = solution[:above], [mpf(1)] + solution[above:]
        errors = [fabs(polynomial(p, t) / polynomial(q, t) / y - 1) for t, y in values]
        if best is None or max(errors) < best[0]:
            best = (max(errors), p, q)
        total = sum(w * e for w, e in zip(weights, errors))
        weights = [max(w * e * len(points) / total, mpf("1e-9")) for w, e in zip(weights, errors)]
    print(f"// {name}: error 2^{float(log(best[0], 2)):.2f} before rounding")
    for part, coefficients in (("Above", best[1]), ("Below", best[2])):
        rounded = ", ".join(float.hex(float(roundTo(c, True))) for c in coefficients)
        print(f"constexpr double {name}{part}[] = {{{rounded}}};")


def even(function):
    """Returns the function of t = x^2 for an odd or even series. At t = 0 it takes the value of a nearby point."""
    return lambda t: function(sqrt(t) if t > 0 else mpf(2) ** -80)


def away(function):
    return lambda t: function(t if t != 0 else mpf(2) ** -80)


# The reduced operands of exp are between log(3/4) and log(3/2), with a small margin.
expLow, expHigh = log(mpf("0.75")) - mpf("0.0003"), log(mpf("1.5")) + mpf("0.0003")
logLow, logHigh = sqrt(mpf("0.5")) - 1, sqrt(mpf(2)) - 1
sHigh = logHigh / (2 + logHigh) * mpf("1.0001")
atanHigh = tan(pi / 8) ** 2 * mpf("1.0001")


def erfcScaled(u):
    """Returns erfc(x) exp(x^2) (x + 2) for u = (x - 2) / (x + 2)."""
    x = 2 * (1 + u) / (1 - u)
    return erfc(x) * exp(x * x) * (x + 2)


def erfInv(w):
    """Returns erfinv(x) / x for w = -log(1 - x^2)."""
    if fabs(w) < mpf(10) ** -30:
        return sqrt(pi) / 2
    x = sqrt(-expm1(-w))
    return erfinv(x) / x


def erfInvPiece(terms, low, high, ofRoot, single):
    """Fits a polynomial around the middle of an interval of w, or of its square root."""
    low, high = mpf(low), mpf(high)
    middle = (low + high) / 2

    def target(t):
        v = middle + t
        return erfInv(v * v if ofRoot else v)
    return lambda n: fit(n, target, lambda t: 1 / target(t), low - middle, high - middle, terms, single)


def odd(function, terms, low, high, single):
    """Fits p in function(x) = x + x t p(t), t = x^2, for t from `low` to `high`."""
    return lambda n: fit(n, even(lambda x: (function(x) / x - 1) / x**2), even(lambda x: x**3 / function(x)), low, high,
                         terms, single)


def lgammaQuotient(t):
    """Returns log(gamma(1 + t)) divided by its zeros at 0 and 1."""
    if fabs(t) < mpf(10) ** -30:
        return +euler
    if fabs(t - 1) < mpf(10) ** -30:
        return 1 - euler
    return loggamma(1 + t) / (t * (t - 1))


DIGAMMA_ZERO = mpf("0.461632144968362341262659542325721328468196204006446351295988408598786440353801810243074992733725592750556793")


def digammaQuotient(t):
    """Returns digamma(1 + t) divided by its zero."""
    return psi(0, 1 + t) / (t - DIGAMMA_ZERO)


def stirlingRest(w):
    """Returns the remainder of Stirling's formula for log(gamma(x)), times x, for w = 1 / x^2."""
    if w < mpf(10) ** -20:
        return mpf(1) / 12 - w / 360
    x = 1 / sqrt(w)
    return (loggamma(x) - (x - mpf(1) / 2) * log(x) + x - log(2 * pi) / 2) * x


def digammaRest(w):
    """Returns (log x - 1 / (2 x) - digamma(x)) x^2 for w = 1 / x^2."""
    if w < mpf(10) ** -20:
        return mpf(1) / 12 - w / 120
    x = 1 / sqrt(w)
    return (log(x) - 1 / (2 * x) - psi(0, x)) / w


def powCentres(name):
    """Prints a c near 1 / m for each eighth of [sqrt(1/2), sqrt(2)), divided by the bits of f32, and -log2(c) in two pieces.
    m c - 1 is a multiple of 2^-28 below 2^-4 and thus exact. The high pieces are multiples of 2^-15, so that their sums with
    exponents are exact, too."""
    def fromBits(bits):
        return mpf(struct.unpack("f", struct.pack("I", bits))[0])
    start = 0x3f3504f3  # sqrt(1/2)
    centres, high, low = [], [], []
    for eighth in range(8):
        first, last = fromBits(start + (eighth << 20)), fromBits(start + ((eighth + 1) << 20) - 1)
        steps = 16 if first < 1 else 32  # numbers below 1 have one more fractional bit
        if first <= 1 <= last:
            c = mpf(1)  # the logarithm of 1 is exact
        else:
            c = min((mpf(k) / steps for k in range(steps // 2, 2 * steps)), key=lambda c: max(fabs(first * c - 1), fabs(last * c - 1)))
        if max(fabs(first * c - 1), fabs(last * c - 1)) >= mpf("0.0625"):
            raise ValueError(f"{name}: eighth {eighth} is too wide")
        logarithm = -log(c, 2)
        centres.append(c)
        high.append(mp.nint(logarithm * 2**15) / 2**15)
        low.append(roundTo(logarithm - high[-1], True))
    for suffix, numbers in ("", centres), ("High", high), ("Low", low):
        print(f"constexpr double {name}{suffix}[] = {{" + ", ".join(float.hex(float(c)) for c in numbers) + "};")
    perOctave = roundTo(1 / log(mpf(2)), True)
    print(f"// log2(e): {float.hex(float(perOctave))} + {float.hex(float(roundTo(1 / log(mpf(2)) - perOctave, True)))}")


FITS = {
    # expm1(r) = r + r^2 p(r)
    "expSingle": lambda n: fit(n, away(lambda r: (expm1(r) - r) / r**2), away(lambda r: r**2 / exp(r)), expLow,
                               expHigh, 5, True),
    "expDouble": lambda n: fit(n, away(lambda r: (expm1(r) - r) / r**2), away(lambda r: r**2 / exp(r)), expLow,
                               expHigh, 10, False),
    # log(1 + f) = f - f^2/2 + f^3 p(f)
    "logSingle": lambda n: fit(n, away(lambda f: (log1p(f) - f + f * f / 2) / f**3), away(lambda f: f**3 / log1p(f)),
                               logLow, logHigh, 9, True),
    # log(1 + f) = 2 s + s z p(z), s = f / (2 + f), z = s^2
    "logDouble": lambda n: fit(n, even(lambda s: (log((1 + s) / (1 - s)) / s - 2) / s**2),
                               even(lambda s: s**3 / log((1 + s) / (1 - s))), 0, sHigh**2, 7, False),
    # tanh(x) = x + x t p(t), t = x^2
    "tanhSingle": lambda n: fit(n, even(lambda x: (tanh(x) / x - 1) / x**2), even(lambda x: x**3 / tanh(x)), 0,
                                mpf("0.6")**2, 5, True),
    "tanhDouble": odd(tanh, 11, 0, mpf("0.36"), False),
    "sinhSingle": odd(sinh, 4, 0, 1, True),
    "sinhDouble": odd(sinh, 7, 0, 1, False),
    "atanSingle": odd(atan, 5, 0, atanHigh, True),
    "atanDouble": odd(atan, 11, 0, atanHigh, False),
    "asinSingle": odd(asin, 5, 0, mpf("0.25"), True),
    "asinDouble": odd(asin, 13, 0, mpf("0.25"), False),
    # The first estimate of the cube root of a number in [sqrt(1/2), sqrt(2))
    "cbrtSeed": lambda n: fit(n, cbrt, lambda m: 1 / cbrt(m), sqrt(mpf("0.5")), sqrt(mpf(2)), 7, True),
    # erfc(x) = exp(-x^2) p(u) / (x + 2), u = (x - 2) / (x + 2)
    "erfcSingle": lambda n: fit(n, erfcScaled, lambda u: 1 / erfcScaled(u), -1, mpf("8.6") / mpf("12.6"), 11, True,
                                [mpf(float.fromhex("0x1.058671c54111cp+0"))]),  # in two pieces
    "erfcDouble": lambda n: fit(n, erfcScaled, lambda u: 1 / erfcScaled(u), -1, mpf(26) / 30, 26, False),
    # x p(w - 2.5), x p(sqrt(w) - 3.25) and so on, w = -log(1 - x^2)
    "erfInvSingle": erfInvPiece(11, 0, 5, False, True),
    "erfInvSingleTail": erfInvPiece(11, "2.2", "4.2", True, True),
    "erfInvDouble": erfInvPiece(24, 0, "5.5", False, False),
    "erfInvDoubleTail": erfInvPiece(24, "2.3", "4", True, False),
    "erfInvDoubleFarTail": erfInvPiece(24, 4, "6.2", True, False),
    # log(gamma(1 + t)) = t (t - 1) p(t - 0.1) from -0.3 to 0.5, t (t - 1) p(t - 1.25) from there to 2
    "lgammaLow": lambda n: fit(n, lambda t: lgammaQuotient(t + mpf("0.1")), lambda t: 1 / lgammaQuotient(t + mpf("0.1")),
                               mpf("-0.401"), mpf("0.401"), 23, False),
    "lgammaHigh": lambda n: fit(n, lambda t: lgammaQuotient(t + mpf("1.25")), lambda t: 1 / lgammaQuotient(t + mpf("1.25")),
                                mpf("-0.751"), mpf("0.751"), 23, False),
    # log(gamma(x)) = (x - 1/2) log x - x + log(2 pi) / 2 + p(1 / x^2) / x from 6 on
    "lgammaRest": lambda n: fit(n, stirlingRest, lambda w: mpf(1), 0, mpf(1) / 36, 9, False),
    # sin(pi r) = r (pi + t p(t)), t = r^2, up to 1/2; pi cot(pi r) = 1 / r + r p(t) and pi tan(pi r) = r p(t) up to 1/4
    "sinPi": lambda n: fit(n, even(lambda r: (sin(pi * r) / r - pi) / r**2), even(lambda r: r**3 / sin(pi * r)), 0,
                           mpf("0.2501"), 8, False),
    "cotPi": lambda n: fit(n, even(lambda r: (pi * cot(pi * r) - 1 / r) / r), even(lambda r: r * tan(pi * r)), 0,
                           mpf("0.0626"), 10, False),
    "tanPi": lambda n: fit(n, even(lambda r: pi * tan(pi * r) / r), even(lambda r: r / tan(pi * r) / pi), 0, mpf("0.0626"), 17,
                           False),
    # digamma(1 + t) = (t - its zero) p(t - 0.375) up to 0.75, and p(t - 1.375) from there to 2
    "digammaLow": lambda n: fit(n, lambda t: digammaQuotient(t + mpf("0.375")), lambda t: 1 / digammaQuotient(t + mpf("0.375")),
                                mpf("-0.3751"), mpf("0.3751"), 20, False),
    "digammaHigh": lambda n: fit(n, lambda t: digammaQuotient(t + mpf("1.375")), lambda t: 1 / digammaQuotient(t + mpf("1.375")),
                                 mpf("-0.6251"), mpf("0.6251"), 20, False),
    # digamma(x) = log x - 1 / (2 x) - p(1 / x^2) / x^2 from 6 on
    "digammaRest": lambda n: fit(n, digammaRest, lambda w: mpf(1), 0, mpf(1) / 36, 10, False),
    # sin(r) = r + r t p(t), cos(r) = 1 - t/2 + t^2 p(t), t = r^2; |r| <= 0.8 leaves room for a rounded quotient
    "sinSingle": lambda n: fit(n, even(lambda r: (sin(r) / r - 1) / r**2), even(lambda r: r**3 / sin(r)), 0,
                               mpf("0.64"), 4, True),
    "cosSingle": lambda n: fit(n, even(lambda r: (cos(r) - 1 + r**2 / 2) / r**4), even(lambda r: r**4 / cos(r)), 0,
                               mpf("0.64"), 3, True),
    "sinDouble": lambda n: fit(n, even(lambda r: (sin(r) / r - 1) / r**2), even(lambda r: r**3 / sin(r)), 0,
                               mpf("0.64"), 7, False),
    "cosDouble": lambda n: fit(n, even(lambda r: (cos(r) - 1 + r**2 / 2) / r**4), even(lambda r: r**4 / cos(r)), 0,
                               mpf("0.64"), 6, False),
    # erf(x) = x + x p(t), t = x^2, and erfc(x) = exp(p(x - 1)) above
    "erfSmallSingle": lambda n: fit(n, even(lambda x: erf(x) / x - 1), even(lambda x: x / erf(x)), 0,
                                    mpf("0.9")**2, 6, True),
    "erfLargeSingle": lambda n: fit(n, lambda u: log(erfc(u + 1)), lambda u: erfc(u + 1), mpf("-0.1"),
                                    3, 7, True),
    "erfSmallDouble": lambda n: fit(n, even(lambda x: erf(x) / x - 1), even(lambda x: x / erf(x)), 0, 1, 13, False),
    "erfLargeDouble": lambda n: fit(n, lambda u: log(erfc(u + 1)), lambda u: erfc(u + 1), 0, 5, 18, False),
    # In fast mode: erf(x) and tanh(x) as x p(t) / q(t), t = x^2, and 2^f = 1 + f p(f)
    "fastErf": lambda n: fitRational(n, erf, "3.92", 7, 5),
    "fastTanh": lambda n: fitRational(n, tanh, "9.02", 5, 5),
    "fastExp2": lambda n: fit(n, away(lambda f: (mpf(2)**f - 1) / f), away(lambda f: f * mpf(2)**-f), mpf("-0.501"), mpf("0.501"),
                              5, True),
    # In f64 for f32: log2((1 + s) / (1 - s)) = s p(z), z = s^2, and 2^f = p(f)
    "powLog2": lambda n: fit(n, even(lambda s: log((1 + s) / (1 - s)) / log(mpf(2)) / s),
                             even(lambda s: s * log(mpf(2)) / log((1 + s) / (1 - s))), 0, sHigh**2, 5, False),
    "powExp2": lambda n: fit(n, lambda f: mpf(2)**f, lambda f: mpf(2)**-f, mpf("-0.501"), mpf("0.501"), 7, False),
    # In f32: log(1 + r) = r - r^2/2 + r^3/2 p(r) for the remainder after the centres, and 2^f = 1 + f p(f)
    "powCentres": powCentres,
    "powLogSingle": lambda n: fit(n, away(lambda r: (log1p(r) - r + r * r / 2) * 2 / r**3), away(lambda r: r**3 / 2 / log1p(r)),
                                  mpf("-0.0625"), mpf("0.0625"), 5, True),
    "powExp2Single": lambda n: fit(n, away(lambda f: (mpf(2)**f - 1) / f), away(lambda f: f * mpf(2)**-f), mpf("-0.501"),
                                   mpf("0.501"), 6, True),
    # log((1 + s) / (1 - s)) = 2 s (1 + z (1/3 + z p(z)))
    "powLog": lambda n: fit(n, even(lambda s: (log((1 + s) / (1 - s)) / (2 * s) - 1 - s**2 / 3) / s**4),
                            even(lambda s: s**4), 0, sHigh**2, 7, False),
}

for name in sys.argv[1:] or FITS:
    FITS[name](name)
