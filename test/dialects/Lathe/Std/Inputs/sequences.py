"""Definitions of the recurrent layers, CTC and decoding, row by row and step by step; see definitions.py."""
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
    """Only the states, a count and a vector, decide."""
    count, vector = states
    return [value * (count[0] + k) for k, value in enumerate(vector)], [[count[0] + 1], vector[1:] + vector[:1]]


STEPS = {"@step": step, "@bigram": bigram, "@counting": counting}


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
