"""Definitions of the library's composites, from the papers and from what PyTorch, JAX and ONNX say of theirs, entry by entry.

Arguments are operands in order, then options and operands that may be left out by name, with the library's own defaults."""
import math
import struct
import sys
from pathlib import Path

from arrays import Array, indices

sys.path.append(str(Path(__file__).resolve().parents[4] / "codegen/Types/Inputs"))
from random_numbers import threefry  # noqa: E402

INFINITY = math.inf


def exp(x):
    return INFINITY if x > 709.7 else math.exp(x)


def log(x):
    return -INFINITY if x == 0 else math.nan if x < 0 else math.log(x)


def expm1(x):
    return INFINITY if x > 709.7 else math.expm1(x)


def divided(x, y):
    if y == 0:
        return math.nan if x == 0 or math.isnan(x) else math.copysign(INFINITY, x) * math.copysign(1, y)
    return x / y


def largest(values):
    return math.nan if any(map(math.isnan, values)) else max(values, default=-INFINITY)


def smallest(values):
    return -largest([-value for value in values])


def total(values):
    """Rounded once, where no infinity or NaN is in the way."""
    return math.fsum(values) if all(map(math.isfinite, values)) else sum(values)


def mean_of(values):
    return divided(total(values), len(values))


def variance_of(values, correction=0):
    mean = mean_of(values)
    return divided(total([(value - mean) * (value - mean) for value in values]), len(values) - correction)


def elementwise(function):
    def composite(x, *others, **options):
        return Array.of(x.shape, lambda *i: function(x[i], *(other[i] for other in others), **options))
    return composite


# ---- Activations, of one number

def clamped(x, low, high):
    return x if math.isnan(x) else min(max(x, low), high)


def elu(x, alpha=1.0):
    return x if x > 0 else alpha * expm1(x)


def celu(x, alpha=1.0):  # max(0, x) + min(0, alpha * (exp(x / alpha) - 1))
    return x if math.isnan(x) else max(0.0, x) + min(0.0, alpha * expm1(x / alpha))


def selu(x):
    alpha, scale = 1.6732632423543772848170429916717, 1.0507009873554804934193349852946
    return x if math.isnan(x) else scale * (max(0.0, x) + min(0.0, alpha * expm1(x)))


def gelu(x, approximation="none"):
    if approximation == "none":
        return x * (math.erfc(-x / math.sqrt(2)) / 2)
    return 0.5 * x * (1 + math.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * (x * x * x))))


def logistic(x):
    return 1 / (1 + exp(-x))


def softplus(x):  # log(1 + exp(x)); the 1 is below the last bit from 40 on
    return x if x > 40 else math.log1p(exp(x))


def relu6(x):
    return clamped(x, 0.0, 6.0)


def hard_shrink(x, threshold=0.5):
    return 0.0 if abs(x) <= threshold else x


def soft_shrink(x, threshold=0.5):
    return x - threshold if x > threshold else x + threshold if x < -threshold else x * 0.0


def glu(x, dim=-1):
    a, b = part(x, dim=dim, index=0, of=2), part(x, dim=dim, index=1, of=2)
    return Array.of(a.shape, lambda *i: a[i] * logistic(b[i]))


# ---- Reductions and softmax

def all_of(x, dims):
    return range(x.rank()) if dims is None else dims


def reduction(function):
    def composite(x, dims=None, keep=False, **options):
        return x.along(all_of(x, dims), lambda line: function(line, **options), keep)
    return composite


def count(x, dims=None):
    return Array([], [math.prod(x.shape[dim] for dim in all_of(x, dims))], "i64")


def logsumexp_of(line):
    """Two at a time: log(e^a + e^b) = max + log(1 + e^(min - max))."""
    result = -INFINITY
    for value in line:
        high, low = (value, result) if value > result or math.isnan(value) else (result, value)
        result = high if math.isinf(high) and not math.isnan(low) else high + math.log1p(exp(low - high))
    return result


def softmax_of(x, line):
    """1 / sum(e^(other - x)); NaN where the largest is infinite, for infinity is taken from infinity then."""
    if math.isinf(largest(line)) or math.isnan(largest(line)):
        return math.nan
    return 0.0 if x == -INFINITY else 1 / total([exp(other - x) for other in line])


def with_line(x, dim, function):
    """function(entry, the entries along the dimension with it)."""
    lines = {}
    without = lambda index: index[:dim % x.rank()] + index[dim % x.rank() + 1:]  # noqa: E731
    for index in indices(x.shape):
        lines.setdefault(without(index), []).append(x[index])
    return Array.of(x.shape, lambda *i: function(x[i], lines[without(i)]))


def softmax(x, dim=-1):
    return with_line(x, dim, softmax_of)


def log_softmax(x, dim=-1):
    def entry(each, line):
        if math.isinf(largest(line)) or each == -INFINITY:
            return each + largest(line) - largest(line)
        return -logsumexp_of([other - each for other in line])
    return with_line(x, dim, entry)


# ---- Shapes and indices

def part(x, index, of, dim=-1):
    dim %= x.rank()
    extent = x.shape[dim] // of
    shape = [extent if i == dim else n for i, n in enumerate(x.shape)]
    return Array.of(shape, lambda *i: x[i[:dim] + (i[dim] + index * extent,) + i[dim + 1:]], x.element)


def one_hot(index, size, type="f32"):
    return Array.of([*index.shape, size], lambda *i: int(index[i[:-1]] == i[-1]), type)


def embedding(table, ids):
    rows, features = table.shape[0], table.shape[1:]
    return Array.of([*ids.shape, *features],
                    lambda *i: table[(ids[i[:ids.rank()]],) + i[ids.rank():]] if 0 <= ids[i[:ids.rank()]] < rows else 0.0)


def dropout(x, seed, rate=0.5, stream=0):
    """A place is kept whose 32 random bits, as a share of 2^32, are below the probability to be kept."""
    limit = round((1 - rate) * 2**32)
    words = [threefry(seed.values[0], (place, stream))[0] for place in range(len(x.values))]
    return Array(x.shape, [value * (1 / (1 - rate)) if word < limit else 0.0 for value, word in zip(x.values, words)])


def stochastic_round(value, bits, upper=False):
    """Random bits of half a word are added below the last bit of a bf16, and what is there then is cut off."""
    def rounded(number, word):
        exact, = struct.unpack("<I", struct.pack("<f", number))
        word = word >> 16 & 0xffff if upper else word & 0xffff
        return struct.unpack("<f", struct.pack("<I", exact + word & 0xffff0000))[0]
    return Array(value.shape, map(rounded, value.values, bits.values))


def row_of(element, offsets):
    bounds = offsets.values
    inside = [row for row in range(len(bounds) - 1) if bounds[row] <= element < bounds[row + 1]]
    return inside[0] if inside else -1 if element < bounds[0] else len(bounds) - 1


def row_ids(values, offsets):
    return Array.of(values.shape[:1], lambda i: row_of(i, offsets), "i32")


def by_row(function):
    def composite(values, offsets):
        bounds = offsets.values
        return Array.of([len(bounds) - 1, *values.shape[1:]],
                        lambda r, *i: function([values[(t,) + i] for t in range(bounds[r], bounds[r + 1])]), values.element)
    return composite


def segment_max(values, offsets):
    least = -2 ** 31 if values.element == "i32" else -INFINITY
    return by_row(lambda row: largest(row) if row else least)(values, offsets)


def segment_softmax(values, offsets):
    bounds = offsets.values

    def entry(t, *i):
        row = row_of(t, offsets)
        if not 0 <= row < len(bounds) - 1:
            return 0.0
        return softmax_of(values[(t,) + i], [values[(s,) + i] for s in range(bounds[row], bounds[row + 1])])
    return Array.of(values.shape, entry)


# ---- Normalisations

def scaled(x, scale, bias, place=lambda index: index):
    """x times scale plus bias, each at place(index)."""
    return Array.of(x.shape, lambda *i: x[i] * (scale[place(i)] if scale else 1.0) + (bias[place(i)] if bias else 0.0))


def standardised(x, dims, epsilon):
    mean, variance = x.along(dims, mean_of, True), x.along(dims, variance_of, True)
    return Array.of(x.shape, lambda *i: (x[i] - mean[i]) / math.sqrt(variance[i] + epsilon))


def layer_norm(x, scale=None, bias=None, dims=(-1,), epsilon=1e-5):
    return scaled(standardised(x, dims, epsilon), scale, bias)


def rms_norm(x, scale=None, dims=(-1,), epsilon=1e-6):
    square = x.along(dims, lambda line: mean_of([value ** 2 for value in line]), True)
    return scaled(Array.of(x.shape, lambda *i: x[i] / math.sqrt(square[i] + epsilon)), scale, None)


def l2_normalize(x, dims=(-1,), epsilon=1e-12):
    length = x.along(dims, lambda line: math.hypot(*line), True)
    return Array.of(x.shape, lambda *i: x[i] / max(length[i], epsilon))


def channel(dim, x):
    return lambda index: (index[dim % x.rank()],)


def batch_norm(x, scale=None, bias=None, dim=-1, epsilon=1e-5):
    others = [i for i in range(x.rank()) if i != dim % x.rank()]
    y = scaled(standardised(x, others, epsilon), scale, bias, channel(dim, x))
    return y, x.along(others, mean_of), x.along(others, variance_of)


def batch_norm_inference(x, mean, variance, scale=None, bias=None, dim=-1, epsilon=1e-5):
    at = channel(dim, x)
    return scaled(Array.of(x.shape, lambda *i: (x[i] - mean[at(i)]) / math.sqrt(variance[at(i)] + epsilon)), scale, bias, at)


def group_norm(x, groups, scale=None, bias=None, dim=-1, epsilon=1e-5):
    at, size = channel(dim, x), x.shape[dim] // groups
    members = {}
    group = lambda index: (index[0], at(index)[0] // size)  # noqa: E731
    for index in indices(x.shape):
        members.setdefault(group(index), []).append(x[index])
    y = Array.of(x.shape, lambda *i: (x[i] - mean_of(members[group(i)])) / math.sqrt(variance_of(members[group(i)]) + epsilon))
    return scaled(y, scale, bias, at)


def instance_norm(x, scale=None, bias=None, dim=-1, epsilon=1e-5):
    return group_norm(x, x.shape[dim], scale, bias, dim, epsilon)


# ---- Layers

def linear(x, weights, bias=None):
    return Array.of([*x.shape[:-1], weights.shape[1]],
                    lambda *i: total([x[i[:-1] + (k,)] * weights[k, i[-1]] for k in range(x.shape[-1])])
                    + (bias[i] if bias else 0.0))


def attention(q, k, v, mask=None, bias=None, scale=None, causal=False):
    keys, width = k.shape[-2], q.shape[-1]
    scale = 1 / math.sqrt(width) if scale is None else scale

    def score(query, key):
        at = query + (key,)
        product = total([q[query + (d,)] * k[query[:-1] + (key, d)] for d in range(width)])
        return product * scale + (bias[at] if bias else 0.0)

    def entry(*i):
        query = i[:-1]
        seen = [t for t in range(keys) if not (causal and t > query[-1]) and not (mask and not mask[query + (t,)])]
        seen = [t for t in seen if score(query, t) != -INFINITY]
        scores = [score(query, t) for t in seen]
        return total([softmax_of(s, scores) * v[query[:-1] + (t, i[-1])] for s, t in zip(scores, seen)])
    return Array.of([*q.shape[:-1], v.shape[-1]], entry)


def windows(x, window, stride, padding, function):
    """function(the entries of each window, without padding)."""
    padding = padding or [0] * len(window)
    extents = [(n + 2 * p - w) // s + 1 for n, w, s, p in zip(x.shape[1:-1], window, stride, padding)]

    def entry(batch, *rest):
        places = ([o * s - p + j for o, s, p, j in zip(rest, stride, padding, inside)] for inside in indices(window))
        return function([x[(batch, *place, rest[-1])] for place in places
                         if all(0 <= at < n for at, n in zip(place, x.shape[1:-1]))])
    return Array.of([x.shape[0], *extents, x.shape[-1]], entry, x.element)


def max_pool(x, window, stride, padding=None):
    return windows(x, window, stride, padding, largest)


def average_pool(x, window, stride, padding=None):
    return windows(x, window, stride, padding, lambda values: total(values) / math.prod(window))
