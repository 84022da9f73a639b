"""What the recurrent layers, CTC, decoding and the solvers are, row by row and step by step; see definitions.py."""
import itertools
import math

import definitions as d
from arrays import Array

ACTIVATIONS = {"tanh": math.tanh, "sigmoid": d.logistic, "none": lambda x: x, "relu": lambda x: max(x, 0.0),
               "leaky_relu": lambda x: x if x > 0 else 0.01 * x, "elu": d.elu, "softplus": d.softplus,
               "softsign": lambda x: x / (1 + abs(x)), "hard_sigmoid": lambda x: d.clamped(x / 6 + 0.5, 0.0, 1.0)}


def activation(x, function):
    return x.map(ACTIVATIONS[function])


def within(x, lengths, dim=0):
    steps, rows = x.shape[dim], lengths.shape[0]
    if dim % x.rank():
        return Array.of([rows, steps, 1], lambda n, t, _: t < lengths[n], "i1")
    return Array.of([steps, rows, 1], lambda t, n, _: t < lengths[n], "i1")


# ---- Recurrent layers

def products(matrix, vector):
    """One for each row of a matrix."""
    return [d.total([matrix[i, k] * value for k, value in enumerate(vector)]) for i in range(matrix.shape[0])]


def vector_of(array, count):
    return [array[i] for i in range(count)] if array else [0.0] * count


def layer(step, x, weights, recurrent, states, lengths, time, reverse):
    """Each row by itself: step(x of the step, its states) gives its new states, of which the first is the output."""
    steps, rows, hidden = x.shape[time], x.shape[1 - time], recurrent.shape[1]
    states = [[[state[n, j] if state else 0.0 for j in range(hidden)] for state in states] for n in range(rows)]
    outputs = {}
    for n in range(rows):
        for t in reversed(range(steps)) if reverse else range(steps):
            place = (n, t) if time else (t, n)
            outputs[place] = [0.0] * hidden
            if lengths is None or t < lengths[n]:
                states[n] = step([x[place + (k,)] for k in range(x.shape[2])], *states[n])
                outputs[place] = states[n][0]
    shape = [rows, steps, hidden] if time else [steps, rows, hidden]
    return (Array.of(shape, lambda *i: outputs[i[:2]][i[2]]),
            *(Array.of([rows, hidden], lambda n, j: states[n][which][j]) for which in range(len(states[0]))))


def rnn(x, weights, recurrent, bias=None, recurrent_bias=None, h0=None, lengths=None, activation="tanh", time=0, reverse=False,
        checkpoint=None):
    f, hidden = ACTIVATIONS[activation], recurrent.shape[1]

    def step(inputs, h):
        parts = zip(products(weights, inputs), vector_of(bias, hidden), products(recurrent, h), vector_of(recurrent_bias, hidden))
        return [[f(sum(part)) for part in parts]]
    return layer(step, x, weights, recurrent, [h0], lengths, time, reverse)


def lstm(x, weights, recurrent, bias=None, recurrent_bias=None, peepholes=None, h0=None, c0=None, lengths=None, gates="ifgo",
         activation="sigmoid", cell_activation="tanh", hidden_activation="tanh", time=0, reverse=False, checkpoint=None):
    """The order of ONNX's peepholes is that of its gates, i, o, f; that of the others i, f, o."""
    gates, hidden = gates.replace("c", "g"), recurrent.shape[1]
    sigma, cell, shown = (ACTIVATIONS[name] for name in (activation, cell_activation, hidden_activation))
    peeping = gates.replace("g", "")

    def step(inputs, h, c):
        z = [sum(part) for part in zip(products(weights, inputs), vector_of(bias, 4 * hidden), products(recurrent, h),
                                       vector_of(recurrent_bias, 4 * hidden))]
        of = lambda gate, j: z[gates.index(gate) * hidden + j]  # noqa: E731
        peep = lambda gate, j: peepholes[peeping.index(gate) * hidden + j] if peepholes else 0.0  # noqa: E731
        new_h, new_c = [], []
        for j in range(hidden):
            i, f = (sigma(of(gate, j) + peep(gate, j) * c[j]) for gate in "if")
            new_c.append(f * c[j] + i * cell(of("g", j)))
            new_h.append(sigma(of("o", j) + peep("o", j) * new_c[j]) * shown(new_c[j]))
        return [new_h, new_c]
    return layer(step, x, weights, recurrent, [h0, c0], lengths, time, reverse)


def gru(x, weights, recurrent, bias=None, recurrent_bias=None, h0=None, lengths=None, gates="rzn", reset="after",
        activation="sigmoid", new_activation="tanh", time=0, reverse=False, checkpoint=None):
    hidden = recurrent.shape[1]
    sigma, f = ACTIVATIONS[activation], ACTIVATIONS[new_activation]

    def step(inputs, h):
        at = {gate: [gates.index(gate) * hidden + j for j in range(hidden)] for gate in "rzn"}
        b, rb = vector_of(bias, 3 * hidden), vector_of(recurrent_bias, 3 * hidden)
        wx, uh = products(weights, inputs), products(recurrent, h)
        r, z = ([sigma(wx[k] + b[k] + uh[k] + rb[k]) for k in at[gate]] for gate in "rz")
        if reset == "after":
            n = [f(wx[k] + b[k] + r[j] * (uh[k] + rb[k])) for j, k in enumerate(at["n"])]
        else:
            partly = products(recurrent, [r[j] * h[j] for j in range(hidden)])
            n = [f(wx[k] + b[k] + partly[k] + rb[k]) for k in at["n"]]
        return [[(1 - z[j]) * n[j] + z[j] * h[j] for j in range(hidden)]]
    return layer(step, x, weights, recurrent, [h0], lengths, time, reverse)


# ---- CTC

def ctc_loss(log_probabilities, targets, input_lengths=None, target_lengths=None, blank=0, reduction="mean", checkpoint=None):
    """By every path of classes: equal neighbours are one, blanks go, and what is left must be the target."""
    steps, rows, classes = log_probabilities.shape

    def spoken(path):
        return [c for c, _ in itertools.groupby(path) if c != blank]

    def loss(n):
        length = steps if input_lengths is None else min(input_lengths[n], steps)
        count = targets.shape[1] if target_lengths is None else target_lengths[n]
        if not 0 <= count <= targets.shape[1]:
            return math.inf
        target = [targets[n, i] for i in range(count)]
        paths = (path for path in itertools.product(range(classes), repeat=length) if spoken(path) == target)
        return -d.logsumexp_of([d.total([log_probabilities[t, n, c] for t, c in enumerate(path)]) for path in paths])
    each = Array.of([rows], loss)
    return each if reduction == "none" else Array([], [d.total(each.values) if reduction == "sum" else d.mean_of(each.values)])


# ---- Functions of docs/std-examples.mlir and of cases.py, of one row each

def step(token, states, table):
    vocabulary, width = table.shape
    new = [math.tanh(states[0][k] + (table[token, k] if 0 <= token < vocabulary else 0.0)) for k in range(width)]
    return [d.total([new[k] * table[word, k] for k in range(width)]) for word in range(vocabulary)], [new]


def bigram(token, states, table):
    return [table[token, word] for word in range(table.shape[1])], []


def counting(token, states):
    """The states, a count and a vector, decide alone."""
    count, vector = states
    return [value * (count[0] + k) for k, value in enumerate(vector)], [[count[0] + 1], vector[1:] + vector[:1]]


STEPS = {"@step": step, "@bigram": bigram, "@counting": counting}


def swing(y, t, rate):
    return [y[1 - k] * rate.values[0] + math.cos(t) for k in range(2)]


# ---- Decoding

def log_softmax_of(line):
    return [each - d.logsumexp_of(line) for each in line]


def rows_of(states, n):
    return [[array[n, k] for k in range(array.shape[1])] if array.rank() == 2 else [array[n]] for array in states]


def greedy_decode(first, function, vocabulary, end, max_length, state=(), type="f64", **others):
    rows = first.shape[0]
    tokens, lengths, scores = {}, [], []
    for n in range(rows):
        token, states, said, score = first[n], rows_of(state, n), [], 0.0
        while len(said) < max_length and (not said or token != end):
            logits, states = STEPS[function](token, states, *others.get("with", []))
            token = logits.index(max(logits))
            score += log_softmax_of(logits)[token]
            said.append(token)
        lengths.append(len(said))
        scores.append(score)
        tokens.update({(n, i): said[i] if i < len(said) else end for i in range(max_length)})
    return (Array.of([rows, max_length], lambda *i: tokens[i], first.element), Array([rows], lengths, "i32"),
            Array([rows], scores))


def beam_decode(first, function, vocabulary, end, max_length, beams, length_penalty=0.0, state=(), type="f64", **others):
    """A beam is (sum, tokens, state); of ended ones there is one continuation, itself."""
    rows, best = first.shape[0], []
    rank = lambda beam: beam[0] / ((5 + len(beam[1])) / 6) ** length_penalty  # noqa: E731
    ended = lambda beam: beam[1][-1:] == [end]  # noqa: E731
    for n in range(rows):
        live = [(0.0, [], rows_of(state, n))]
        while not all(map(ended, live)) and max(len(said) for _, said, _ in live) < max_length:
            following = []
            for score, said, states in live:
                if ended((score, said, states)):
                    following.append((score, said, states))
                    continue
                logits, new = STEPS[function](said[-1] if said else first[n], states, *others.get("with", []))
                gains = log_softmax_of(logits)
                following += [(score + gains[word], said + [word], new) for word in range(vocabulary)]
            live = sorted(following, key=rank, reverse=True)[:beams]
        best.append(live)
    words = lambda n, b, i: best[n][b][1][i] if i < len(best[n][b][1]) else end  # noqa: E731
    return (Array.of([rows, beams, max_length], words, first.element),
            Array.of([rows, beams], lambda n, b: len(best[n][b][1]), "i32"),
            Array.of([rows, beams], lambda n, b: rank(best[n][b])))


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
