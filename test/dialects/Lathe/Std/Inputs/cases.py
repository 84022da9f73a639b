"""Uses of composites, each with operands and with what it is by definition; and one graph of many of them."""
import itertools
import random
import re
import subprocess
import sys
from pathlib import Path

from arrays import DESCRIPTIONS, Array, read, write

ROOT = Path(__file__).resolve().parents[5]
sys.path += [str(ROOT / "scripts"), str(ROOT / "test/docs")]
import definitions as d  # noqa: E402
import sequences as q  # noqa: E402
import solvers as v  # noqa: E402
import std_reference  # noqa: E402
import training as t  # noqa: E402
from examples import wrapped  # noqa: E402

DEFINITIONS = {
    "relu": d.elementwise(lambda x: x if x > 0 or x != x else 0.0), "relu6": d.elementwise(d.relu6),
    "leaky_relu": d.elementwise(lambda x, slope=0.01: x if x > 0 else slope * x),
    "prelu": d.elementwise(lambda x, slope: x if x > 0 else slope * x),
    "elu": d.elementwise(d.elu), "celu": d.elementwise(d.celu), "selu": d.elementwise(d.selu), "gelu": d.elementwise(d.gelu),
    "silu": d.elementwise(lambda x: x / (1 + d.exp(-x))), "mish": d.elementwise(lambda x: x * d.math.tanh(d.softplus(x))),
    "softplus": d.elementwise(d.softplus), "softsign": d.elementwise(lambda x: x / (1 + abs(x))),
    "log_sigmoid": d.elementwise(lambda x: -d.softplus(-x)),
    "hard_sigmoid": d.elementwise(lambda x, slope=1 / 6, offset=0.5: d.clamped(slope * x + offset, 0.0, 1.0)),
    "hard_swish": d.elementwise(lambda x: x * d.relu6(x + 3) / 6),
    "hard_tanh": d.elementwise(lambda x, low=-1.0, high=1.0: d.clamped(x, low, high)),
    "tanh_shrink": d.elementwise(lambda x: x - d.math.tanh(x)), "soft_shrink": d.elementwise(d.soft_shrink),
    "hard_shrink": d.elementwise(d.hard_shrink), "glu": d.glu,
    "sum": d.reduction(d.total), "max": d.reduction(d.largest), "min": d.reduction(d.smallest), "count": d.count,
    "mean": d.reduction(d.mean_of), "variance": d.reduction(d.variance_of),
    "norm": d.reduction(lambda line: d.math.sqrt(d.total([x * x for x in line]))),
    "softmax": d.softmax, "log_softmax": d.log_softmax, "logsumexp": d.reduction(d.logsumexp_of),
    "part": d.part, "one_hot": d.one_hot, "embedding": d.embedding, "row_ids": d.row_ids,
    "dropout": d.dropout, "stochastic_round": d.stochastic_round,
    "segment_sum": d.by_row(d.total), "segment_max": d.segment_max, "segment_softmax": d.segment_softmax,
    "segment_mean": d.by_row(lambda row: d.mean_of(row) if row else 0.0),
    "layer_norm": d.layer_norm, "rms_norm": d.rms_norm, "l2_normalize": d.l2_normalize, "batch_norm": d.batch_norm,
    "batch_norm_inference": d.batch_norm_inference, "group_norm": d.group_norm, "instance_norm": d.instance_norm,
    "linear": d.linear, "attention": d.attention, "max_pool": d.max_pool, "average_pool": d.average_pool,
    "reduced": t.reduced, "cross_entropy": t.cross_entropy, "soft_cross_entropy": t.soft_cross_entropy,
    "mse": t.loss(lambda x, y: (x - y) * (x - y)), "mae": t.loss(lambda x, y: abs(x - y)), "huber": t.loss(t.huber),
    "binary_cross_entropy": t.loss(t.binary_cross_entropy), "hinge": t.loss(lambda x, y: d.largest([0.0, 1 - x * y])),
    "binary_cross_entropy_with_logits": t.loss(t.binary_cross_entropy_with_logits),
    "kl_divergence": t.loss(t.kl_divergence), "cosine_similarity": t.cosine_similarity,
    "sgd": t.rule(t.sgd), "momentum": t.rule(t.momentum), "adam": t.rule(t.adam), "adamw": t.rule(t.adamw),
    "rmsprop": t.rule(t.rmsprop), "adagrad": t.rule(t.adagrad), "lion": t.rule(t.lion),
    "decayed": t.rule(lambda p, g, weight_decay: (g + weight_decay * p,)),
    "clip_by_norm": t.clip_by_norm, "clip_factor": d.elementwise(t.clip_factor),
    "exponential_decay": d.elementwise(t.exponential_decay), "cosine_decay": d.elementwise(t.cosine_decay),
    "activation": q.activation, "within": q.within, "rnn": q.rnn, "lstm": q.lstm, "gru": q.gru, "ctc_loss": q.ctc_loss,
    "greedy_decode": q.greedy_decode, "beam_decode": q.beam_decode, "add_scaled": v.add_scaled, "rk4": v.integral(v.RK4),
    "dopri5": v.integral(v.DOPRI5), "dopri5_step": v.dopri5_step, "dopri5_adaptive": v.dopri5_adaptive,
    "inverse": v.inverse, "solve": v.solve, "jacobian": v.jacobian, "close_to": v.close_to, "newton": v.newton,
    "fixed_point": v.fixed_point,
    "linear_schedule": d.elementwise(t.linear_schedule), "inverse_sqrt_schedule": d.elementwise(t.inverse_sqrt_schedule),
}

TEMPLATES = {template.name: template for path in sorted(std_reference.LIBRARY.glob("*.lathe-template"))
             for template in std_reference.templates(path)[1]}

# One without states, and one that needs nothing but them.
STEPS = """
func.func private @bigram(%tokens: tensor<?xi64>, %table: tensor<4x4xf32>) -> tensor<?x4xf32> {
  %logits = lathe.gather %table, %tokens axis 0 : tensor<4x4xf32>, tensor<?xi64>
  return %logits : tensor<?x4xf32>
}
func.func private @counting(%tokens: tensor<?xi32>, %count: tensor<?xf32> {lathe.dims = #lathe.dims<M>}, %vector: tensor<?x3xf32>)
    -> (tensor<?x3xf32>, tensor<?xf32>, tensor<?x3xf32>) {
  %place = lathe.constant dense<[0.0, 1.0, 2.0]> : tensor<3xf32>
  %column = lathe.broadcast %count dims [0] to [M, 3] : tensor<?xf32>
  %weight = lathe.add %column, %place : tensor<?x3xf32>, tensor<3xf32>
  %logits = lathe.mul %vector, %weight : tensor<?x3xf32>
  %one = lathe.constant dense<1.0> : tensor<f32>
  %next = lathe.add %count, %one : tensor<?xf32>, tensor<f32>
  %head = lathe.slice %vector from [0, 0] to [M, 1] : tensor<?x3xf32>
  %tail = lathe.slice %vector from [0, 1] to [M, 3] : tensor<?x3xf32>
  %turned = lathe.concatenate %tail, %head dim 1 : tensor<?x2xf32>, tensor<?x1xf32>
  return %logits, %next, %turned : tensor<?x3xf32>, tensor<?xf32>, tensor<?x3xf32>
}
"""
FUNCTIONS = (std_reference.functions() + STEPS).replace("f32>", "f64>")

# The values of operands with these names; others are between -4 and 4. `target` is a probability, and a sign for hinge.
RANGES = {"variance": (0.5, 2), "probability": (0.05, 0.95), "probabilities": (0.05, 0.5), "target": (0.05, 0.95),
          "log_prediction": (-3, -0.1), "total": (5, 9), "rate": (0.1, 0.1), "step": (250, 250), "t": (3, 3), "m": (-1, 1),
          "v": (0.1, 1), "s": (0.5, 1.5), "weights": (-1, 1), "recurrent": (-1, 1), "log_probabilities": (-3, -0.1),
          "t0": (0, 0.5), "t1": (1, 2), "h": (0.1, 0.2), "table": (-2, 2), "matrix": (-1, 1)}
INDICES = {"index": (-2, 11), "labels": (-2, 11), "ids": (-2, 11), "seed": (-2**40, 2**40), "lengths": (0, 6),
           "targets": (1, 3), "input_lengths": (3, 5), "target_lengths": (0, 2), "first": (1, 5),
           "bits": (-2**31, 2**31 - 1)}


def value_of(word):
    if word.startswith("["):
        return [int(number) for number in word[1:-1].split(",") if number.strip()]
    for kind in (int, float):
        try:
            return kind(word)
        except ValueError:
            pass
    return word


class Case:
    """A use as in docs/std-examples.mlir, in f64. `data`, by operand, stands for random numbers."""

    floor = 1e-14  # absolute tolerance: sums of numbers around 1 may be near 0

    def __init__(self, line, **data):
        self.line, self.data = line.replace("f32>", "f64>").replace("type f32", "type f64"), data
        self.name = re.match(r"lathe\.std\.(\w+)", line)[1]
        arguments = re.findall(r"%(\w+): (tensor<[^>]*>)( \{[^}]*\})?", wrapped(self.line).split("{\n")[0])
        self.types = {name: (type, unknown) for name, type, unknown in arguments}

    def calls(self):
        """True if it calls a function, which computes in halves if its operands are halves."""
        return "@" in self.line

    def has_sizes(self):
        return any(unknown for _, unknown in self.types.values())

    def operands(self, n, element="f64"):
        """Floats as they are in another float type."""
        operands = {name: self.operand(name, type, n) for name, (type, _) in self.types.items()}
        return {name: array.rounded(element) if array.element == "f64" else array for name, array in operands.items()}

    def operand(self, name, type, n):
        *extents, element = re.match(r"tensor<(.*)>", type)[1].split("x")
        shape = [n if extent == "?" else int(extent) for extent in extents]
        if name in self.data:
            values = self.data[name]
            return Array(shape, values(n) if callable(values) else values, element)
        draw = random.Random(f"{self.line}{name}{n}")
        if name == "offsets":  # two rows of n elements, with an empty one where n is 1
            return Array(shape, [0, n // 2, n], element)
        if element == "f64":
            low, high = RANGES.get(name, (-4, 4))
            values = [draw.choice((-1.0, 1.0)) if self.name == "hinge" and name == "target" else draw.uniform(low, high)
                      for _ in range(d.math.prod(shape))]
            return Array(shape, values)
        choose = (lambda: draw.random() < 0.6) if element == "i1" else lambda: draw.randint(*INDICES[name])
        return Array(shape, [choose() for _ in range(d.math.prod(shape))], element)

    def results(self, operands):
        """By definition."""
        flags = {option.split(":")[0].strip() for option in TEMPLATES[self.name].options if option.split(":")[1].strip() == "flag"}
        text = self.line.rpartition(" : ")[0].partition(" ")[2]
        words, given, options = re.findall(r"[%@]\w+|\[[^\]]*\]|[\w.+-]+", text), [], {}
        lists = {operand.split("*")[0][1:] for operand in TEMPLATES[self.name].operands if "*" in operand}
        while words:
            word = words.pop(0)
            if word.startswith("%"):
                given.append(operands[word[1:]])
            elif word in flags:
                options[word] = True
            elif word in lists:
                options[word] = [operands[name[1:]] for name in itertools.takewhile(lambda each: each[0] == "%", words)]
                del words[:len(options[word])]
            elif word == "checkpoint":
                options[word] = words.pop(0) if words[0] == "sqrt" else (words.pop(0), words.pop(0))
            elif words[0].startswith("%"):
                options[word] = operands[words.pop(0)[1:]]
            else:
                options[word] = value_of(words.pop(0))
        results = DEFINITIONS[self.name](*given, **options)
        return results if isinstance(results, tuple) else (results,)

    def result_types(self):
        """Extents that differ with N are dynamic."""
        pairs = zip(self.results(self.operands(3)), self.results(self.operands(2)))
        return [f"tensor<{''.join(str(a) + 'x' if a == b else '?x' for a, b in zip(three.shape, two.shape))}{three.element}>"
                for three, two in pairs]


class Graph:
    """All cases in one function @all: case 7's operand %x is %c7_x, its results %r7_0 and so on."""

    def __init__(self, cases):
        self.cases = cases
        self.types = [case.result_types() for case in cases]

    def text(self):
        arguments, lines, results, types = [], [], [], []
        for i, case in enumerate(self.cases):
            arguments += [f"%c{i}_{name}: {type}{unknown}" for name, (type, unknown) in case.types.items()]
            names = [f"%r{i}_{j}" for j in range(len(self.types[i]))]
            lines.append(f"  {', '.join(names)} = " + re.sub(r"%(\w+)", rf"%c{i}_\1", case.line))
            results += names
            types += self.types[i]
        return (f"lathe.dim @N, 1 to 64\n{FUNCTIONS}func.func @all({', '.join(arguments)}) -> ({', '.join(types)}) {{\n" + "\n".join(lines)
                + f"\n  return {', '.join(results)} : {', '.join(types)}\n}}\n")

    def write_operands(self, folder, n, element="f64"):
        """Returns the words for lathe-run."""
        words = []
        for i, case in enumerate(self.cases):
            for name, array in case.operands(n, element).items():
                write(folder / f"c{i}_{name}.npy", array)
                words += ["--input", f"c{i}_{name}=@{folder}/c{i}_{name}.npy"]
        return words

    def run(self, folder, n, *words, element="f64"):
        """The results of each case, with those by definition."""
        path = folder / "all.mlir"
        path.write_text(self.text().replace("f64>", element + ">").replace("type f64", "type " + element))
        words = [*words, *self.write_operands(folder, n, element)]
        for i, types in enumerate(self.types):
            for j in range(len(types)):
                words += ["--output", f"r{i}_{j}=@{folder}/r{i}_{j}.npy"]
        done = subprocess.run(["lathe-run", path, "all", *words], text=True, capture_output=True)
        if done.returncode:
            sys.exit(f"lathe-run fails: {done.stderr[:2000]}")
        for i, case in enumerate(self.cases):
            expected = case.results(case.operands(n, element))
            yield case, [read(folder / f"r{i}_{j}.npy", array.shape) for j, array in enumerate(expected)], expected


def graphs_of(cases, size=8):
    """Several graphs: one of them all would take the compiler long."""
    return [Graph(cases[i:i + size]) for i in range(0, len(cases), size)]
