"""Definitions of the solvers; see definitions.py."""
import math

import definitions as d
from arrays import Array

# ---- Functions of docs/std-examples.mlir, and derivatives of two of them

def swing(y, t, rate):
    return [y[1 - k] * rate.values[0] + math.cos(t) for k in range(2)]


def ease(x, rate):
    return [rate.values[0] * (math.cos(value) + 1) for value in x[::-1]]


def ease_slopes(x, rate):
    return [[0.0, -rate.values[0] * math.sin(x[1])], [-rate.values[0] * math.sin(x[0]), 0.0]]


def balance(x, load):
    return [value ** 3 + 2 * value + other - load[i] for i, (value, other) in enumerate(zip(x, x[::-1]))]


def balance_slopes(x, load):
    return [[3 * x[0] ** 2 + 2, 1.0], [1.0, 3 * x[1] ** 2 + 2]]


EQUATIONS = {"@ease": (ease, ease_slopes), "@balance": (balance, balance_slopes)}


# ---- Differential equations: explicit methods by their tableaus

RK4 = ([[], [1 / 2], [0, 1 / 2], [0, 0, 1]], [1 / 6, 1 / 3, 1 / 3, 1 / 6])
DOPRI5 = ([[], [1 / 5], [3 / 40, 9 / 40], [44 / 45, -56 / 15, 32 / 9], [19372 / 6561, -25360 / 2187, 64448 / 6561, -212 / 729],
           [9017 / 3168, -355 / 33, 46732 / 5247, 49 / 176, -5103 / 18656],
           [35 / 384, 0, 500 / 1113, 125 / 192, -2187 / 6784, 11 / 84]],
          [35 / 384, 0, 500 / 1113, 125 / 192, -2187 / 6784, 11 / 84, 0])
DOPRI4 = [5179 / 57600, 0, 7571 / 16695, 393 / 640, -92097 / 339200, 187 / 2100, 1 / 40]


def slopes(tableau, y, t, h, *others):
    found = []
    for coefficients in tableau[0]:
        at = [y[j] + h * sum(a * k[j] for a, k in zip(coefficients, found)) for j in range(len(y))]
        found.append(swing(at, t + h * sum(coefficients), *others))
    return found


def advanced(weights, found, y, h):
    return [y[j] + h * sum(b * k[j] for b, k in zip(weights, found)) for j in range(len(y))]


def integral(tableau):
    def composite(y, t0, t1, function, steps, checkpoint=None, **others):
        t0, t1 = t0.values[0], t1.values[0]
        h, now, path = (t1 - t0) / steps, list(y.values), []
        for i in range(steps):
            now = advanced(tableau[1], slopes(tableau, now, t0 + i * h, h, *others.get("with", [])), now, h)
            path.append(now)
        return Array(y.shape, now), Array.of([steps, *y.shape], lambda i, j: path[i][j])
    return composite


def dopri5_step(y, t, h, function, **others):
    t, h = t.values[0], h.values[0]
    found = slopes(DOPRI5, y.values, t, h, *others["with"])
    end, other = (advanced(weights, found, y.values, h) for weights in (DOPRI5[1], DOPRI4))
    return Array(y.shape, end), Array(y.shape, [a - b for a, b in zip(end, other)])


def add_scaled(y, x, factor):
    return Array.of(y.shape, lambda *i: y[i] + factor * x[i])


def dopri5_adaptive(y, t0, t1, function, relative=1e-6, absolute=1e-6, first=0.01, bound=1000, checkpoint=None, **others):
    t, last, now, tried = t0.values[0], t1.values[0], list(y.values), 0
    h = (last - t) * first
    while t != last:
        final = abs(h) >= abs(last - t)
        h = last - t if final else h
        found = slopes(DOPRI5, now, t, h, *others.get("with", []))
        following, other = (advanced(weights, found, now, h) for weights in (DOPRI5[1], DOPRI4))
        norm = math.sqrt(d.mean_of([((a - b) / (absolute + relative * max(abs(a), abs(c)))) ** 2
                                    for a, b, c in zip(following, other, now)]))
        if norm <= 1:
            t, now = last if final else t + h, following
        h *= min(max(0.9 * norm ** -0.2, 0.2), 5.0) if norm else 5.0
        tried += 1
    return Array(y.shape, now), Array([], [tried], "i32")


# ---- Equations

def determinant(rows):
    if not rows:
        return 1.0
    return sum((-1) ** j * value * determinant([row[:j] + row[j + 1:] for row in rows[1:]]) for j, value in enumerate(rows[0]))


def matrix_of(a):
    return [[a[i, j] for j in range(a.shape[1])] for i in range(a.shape[0])]


def solved(rows, b):
    """By Cramer's rule."""
    replaced = lambda j: [row[:j] + [b[i]] + row[j + 1:] for i, row in enumerate(rows)]  # noqa: E731
    return [determinant(replaced(j)) / determinant(rows) for j in range(len(rows))]


def inverse(a):
    columns = [solved(matrix_of(a), [float(i == j) for i in range(a.shape[0])]) for j in range(a.shape[0])]
    return Array.of(a.shape, lambda i, j: columns[j][i])


def solve(a, b):
    if b.rank() == 1:
        return Array(b.shape, solved(matrix_of(a), b.values))
    columns = [solved(matrix_of(a), [b[i, j] for i in range(b.shape[0])]) for j in range(b.shape[1])]
    return Array.of(b.shape, lambda i, j: columns[j][i])


def jacobian(x, function, **others):
    value, slopes = (f(x.values, *others["with"]) for f in EQUATIONS[function])
    return Array(x.shape, value), Array.of([2, 2], lambda i, j: slopes[i][j])


def close_to(a, b, tolerance=1e-6):
    allowed = tolerance * (1 + max(map(abs, b.values)))
    return Array([], [all(abs(x - y) <= allowed for x, y in zip(a.values, b.values))], "i1")


def search(advance):
    """The first of advance(x), advance(advance(x)), ... that is close to the one before."""
    def composite(x, function, tolerance=1e-6, bound=None, implicit=None, **others):
        now, steps, near = x, 0, False
        while not near:
            following = Array(x.shape, advance(EQUATIONS[function], now.values, others["with"]))
            near, now, steps = close_to(following, now, tolerance).values[0], following, steps + 1
        return now, Array([], [steps], "i32")
    return composite


newton = search(lambda of, x, given: [a - b for a, b in zip(x, solved(of[1](x, *given), of[0](x, *given)))])
fixed_point = search(lambda of, x, given: of[0](x, *given))
