"""Definitions of the losses, optimisers and schedules of the library; see definitions.py."""
import math

from arrays import Array, indices
from definitions import exp, l2_normalize, largest, log, logsumexp_of, mean_of, softplus, total


# ---- Losses

def reduced(each, reduction="mean"):
    if reduction == "none":
        return each
    return Array([], [mean_of(each.values) if reduction == "mean" else total(each.values)])


def loss(function):
    def composite(x, target, reduction="mean", **options):
        return reduced(Array.of(x.shape, lambda *i: function(x[i], target[i], **options)), reduction)
    return composite


def cross_entropy(logits, labels, smoothing=0.0, ignore_negative=False, reduction="mean"):
    classes = logits.shape[-1]

    def entry(*i):
        line, label = [logits[i + (c,)] for c in range(classes)], labels[i]
        own = line[label] if 0 <= label < classes else 0.0
        spread = smoothing * mean_of(line) if smoothing else 0.0
        return 0.0 if ignore_negative and label < 0 else logsumexp_of(line) - (1 - smoothing) * own - spread
    each = Array.of(labels.shape, entry)
    if ignore_negative and reduction == "mean":
        return Array([], [mean_of([value for value, label in zip(each.values, labels.values) if label >= 0])])
    return reduced(each, reduction)


def soft_cross_entropy(logits, probabilities, reduction="mean"):
    lines = lambda array, i: [array[i + (c,)] for c in range(array.shape[-1])]  # noqa: E731
    each = Array.of(logits.shape[:-1], lambda *i: sum(p * (logsumexp_of(lines(logits, i)) - x)
                                                      for p, x in zip(lines(probabilities, i), lines(logits, i))))
    return reduced(each, reduction)


def huber(prediction, target, delta=1.0):
    distance = abs(prediction - target)
    return distance * distance / 2 if distance <= delta else delta * (distance - delta / 2)


def binary_cross_entropy(p, t):
    return -(t * largest([log(p), -100.0]) + (1 - t) * largest([log(1 - p), -100.0]))


def binary_cross_entropy_with_logits(x, t):
    return largest([x, 0.0]) - x * t + math.log1p(exp(-abs(x)))


def kl_divergence(log_prediction, target):
    return 0.0 if target == 0 else target * (math.log(target) - log_prediction)


def cosine_similarity(a, b, dim=-1, epsilon=1e-8):
    x, y = l2_normalize(a, [dim], epsilon), l2_normalize(b, [dim], epsilon)
    return Array.of(x.shape, lambda *i: x[i] * y[i]).along([dim], total)


# ---- Optimisers, of one parameter's entry: the entry and its slots anew

def rule(function):
    """Operands that are numbers, the learning rate and the step, are seen by every entry."""
    def composite(*operands, **options):
        shape = operands[0].shape
        entries = [function(*(operand[i] if operand.shape else operand.values[0] for operand in operands), **options)
                   for i in indices(shape)]
        return tuple(Array(shape, column) for column in zip(*entries))
    return composite


def sgd(p, g, rate, weight_decay=0.0):
    return (p - rate * (g + weight_decay * p),)


def momentum(p, g, rate, v, momentum=0.9, nesterov=False, weight_decay=0.0):
    g += weight_decay * p
    v = momentum * v + g
    return p - rate * (g + momentum * v if nesterov else v), v


def adam(p, g, rate, t, m, v, beta1=0.9, beta2=0.999, epsilon=1e-8):
    m = beta1 * m + (1 - beta1) * g
    v = beta2 * v + (1 - beta2) * g ** 2
    return p - rate * (m / (1 - beta1 ** t)) / (math.sqrt(v / (1 - beta2 ** t)) + epsilon), m, v


def adamw(p, g, rate, t, m, v, weight_decay=0.01, **options):
    return adam(p - rate * weight_decay * p, g, rate, t, m, v, **options)


def rmsprop(p, g, rate, s, decay=0.9, epsilon=1e-8):
    s = decay * s + (1 - decay) * g ** 2
    return p - rate * g / (math.sqrt(s) + epsilon), s


def adagrad(p, g, rate, s, epsilon=1e-10):
    s += g ** 2
    return p - rate * g / (math.sqrt(s) + epsilon), s


def lion(p, g, rate, m, beta1=0.9, beta2=0.99, weight_decay=0.0):
    blend = beta1 * m + (1 - beta1) * g
    return p - rate * ((blend > 0) - (blend < 0) + weight_decay * p), beta2 * m + (1 - beta2) * g


def clip_factor(squares, limit):
    return min(1.0, limit / math.sqrt(squares)) if squares else 1.0


def clip_by_norm(gradient, limit):
    factor = clip_factor(total([value ** 2 for value in gradient.values]), limit)
    return gradient.map(lambda value: value * factor)


# ---- Schedules, of the step

def exponential_decay(step, initial, factor, steps, staircase=False):
    return initial * factor ** (math.floor(step / steps) if staircase else step / steps)


def cosine_decay(step, initial, steps, final=0.0):
    return final + (initial - final) * (1 + math.cos(math.pi * min(step, steps) / steps)) / 2


def linear_schedule(step, initial, final, steps):
    return initial + (final - initial) * min(step, steps) / steps


def inverse_sqrt_schedule(step, initial, warmup):
    return initial * (step / warmup if step < warmup else math.sqrt(warmup / step))
