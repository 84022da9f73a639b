# Part of the Lathe project, under the Apache License v2.0 with LLVM Exceptions. See LICENSE for licence information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The objective functions of ADBench, element by element in Python, and their derivatives by the complex step.

f(x + ih) = f(x) + ih f'(x) + O(h^2), without any difference of close numbers: with h = 1e-30 the imaginary part is the derivative
to all digits, by arithmetic that has nothing to do with the compiler's rules. See gmm.mlir, ba.mlir and lstm.mlir for the formulas.
"""
import cmath
import math

STEP = 1e-30


def derivatives(function, arguments, wrt):
    """The gradient of a function of lists by some of them, as lists."""
    result = {}
    for name in wrt:
        result[name] = []
        for i in range(len(arguments[name])):
            moved = list(arguments[name])
            moved[i] += 1j * STEP
            result[name].append(function({**arguments, name: moved}).imag / STEP)
    return result


def logsumexp(values):
    largest = max(value.real for value in values)
    return largest + cmath.log(sum(cmath.exp(value - largest) for value in values))


def gmm(a, k, d, n):
    t = d * (d - 1) // 2
    gamma, m = a["gamma"][0], a["m"][0]
    points, total = range(n), 0
    terms = [[] for _ in points]
    for c in range(k):
        q, low = a["q"][c * d : (c + 1) * d], a["l"][c * t : (c + 1) * t]
        mean, diagonal = a["means"][c * d : (c + 1) * d], [cmath.exp(x) for x in a["q"][c * d : (c + 1) * d]]
        for i in points:
            off = [a["x"][i * d + j] - mean[j] for j in range(d)]
            scaled = [diagonal[j] * off[j] for j in range(d)]
            place = 0
            for column in range(d):
                for row in range(column + 1, d):
                    scaled[row] += low[place] * off[column]
                    place += 1
            terms[i].append(a["alphas"][c] + sum(q) - 0.5 * sum(x * x for x in scaled))
        total += gamma * gamma / 2 * (sum(x * x for x in diagonal) + sum(x * x for x in low)) - m * sum(q)
    freedom = d + m + 1
    gammas = 0.25 * d * (d - 1) * math.log(math.pi) + sum(math.lgamma(0.5 * (freedom - j)) for j in range(d))
    total -= k * (freedom * d * (math.log(gamma) - 0.5 * math.log(2)) - gammas)
    total += sum(logsumexp(row) for row in terms)
    return total - n * (logsumexp(a["alphas"]) + d / 2 * math.log(2 * math.pi))


def cross(a, b):
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def rotated(r, x):
    if all(value.real == 0 for value in r):
        return [p + q for p, q in zip(x, cross(r, x))]
    angle = cmath.sqrt(sum(value * value for value in r))
    axis = [value / angle for value in r]
    along = sum(p * q for p, q in zip(axis, x)) * (1 - cmath.cos(angle))
    beside = cross(axis, x)
    return [x[i] * cmath.cos(angle) + beside[i] * cmath.sin(angle) + axis[i] * along for i in range(3)]


def reprojection(unknown, sighting):
    """Of the 15 unknowns of a sighting: camera, point and weight."""
    camera, x, w = unknown[:11], unknown[11:14], unknown[14]
    p = rotated(camera[:3], [a - b for a, b in zip(x, camera[3:6])])
    a = [p[0] / p[2], p[1] / p[2]]
    s = a[0] * a[0] + a[1] * a[1]
    scale = 1 + camera[9] * s + camera[10] * s * s
    return [w * (a[i] * scale * camera[6] + camera[7 + i] - sighting[i]) for i in range(2)]


def ba(a, p):
    """Errors, their blocks of 2 x 15, errors of the weights and the slopes of these."""
    errors, blocks = [], []
    for i in range(p):
        camera, point = a["camera"][i], a["point"][i]
        unknown = list(a["cameras"][11 * camera : 11 * camera + 11]) + list(a["points"][3 * point : 3 * point + 3]) + [a["w"][i]]
        sighting = a["sightings"][2 * i : 2 * i + 2]
        errors += [value.real for value in reprojection(unknown, sighting)]
        slopes = []
        for j in range(15):
            moved = list(unknown)
            moved[j] += 1j * STEP
            slopes.append([value.imag / STEP for value in reprojection(moved, sighting)])
        blocks += [slope[row] for row in range(2) for slope in slopes]
    return {"errors": errors, "blocks": blocks, "weight_errors": [1 - w * w for w in a["w"]], "weight_slopes": [-2 * w for w in a["w"]]}


def logistic(x):
    return 1 / (1 + cmath.exp(-x))


def lstm(a, layers, bits, steps):
    hidden = [list(a["hidden"][i * bits : (i + 1) * bits]) for i in range(layers)]
    cell = [list(a["cell"][i * bits : (i + 1) * bits]) for i in range(layers)]
    total = 0
    for step in range(steps):
        x = [a["now"][step * bits + i] * a["in_weight"][i] for i in range(bits)]
        for layer in range(layers):
            for i in range(bits):
                at = [layer * 4 * bits + gate * bits + i for gate in range(4)]
                forget, put, out, change = (value * a["weights"][place] + a["biases"][place] for value, place in
                                            zip((x[i], hidden[layer][i], x[i], hidden[layer][i]), at))
                cell[layer][i] = cell[layer][i] * logistic(forget) + logistic(put) * cmath.tanh(change)
                hidden[layer][i] = logistic(out) * cmath.tanh(cell[layer][i])
            x = hidden[layer]
        y = [x[i] * a["out_weight"][i] + a["out_bias"][i] for i in range(bits)]
        log = cmath.log(sum(cmath.exp(value) for value in y) + 2)
        total += sum(a["next"][step * bits + i] * (y[i] - log) for i in range(bits))
    return -total / (steps * bits)
