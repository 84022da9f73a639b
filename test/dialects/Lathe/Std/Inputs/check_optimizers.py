"""check_optimizers.py FOLDER: three steps of each optimiser on the squares of x w + b - t, against the same steps in Python.

With micro-batches the loss is the mean of the sums of their squares."""
import math
import re
import struct
import subprocess
import sys
from pathlib import Path

import training
from arrays import Array, read, write

USES = ["sgd<>", "sgd<learning_rate = 0.05, weight_decay = 0.1>", "sgd<clip_norm = 0.5, learning_rate = 0.1>",
        "sgd<momentum = 0.9>", "sgd<momentum = 0.5, nesterov, weight_decay = 0.25>", "momentum<>",
        "momentum<momentum = 0.9, nesterov, learning_rate = 0.1>", "adam<>",
        "adam<beta1 = 0.5, beta2 = 0.75, epsilon = 0.1, learning_rate = 0.1, clip_norm = 2.0>",
        "adam<beta1 = 0.0>", "adam<beta2 = 0.0, epsilon = 0.5>", "adamw<learning_rate = 0.1>", "adamw<weight_decay = 0.0>", "rmsprop<decay = 0.5, clip_norm = 1.0>", "rmsprop<>",
        "adagrad<learning_rate = 0.1>",
        "lion<weight_decay = 0.1, learning_rate = 0.01>", "lion<beta1 = 0.5, beta2 = 0.5, clip_norm = 1000.0>"]
SLOTS = {"sgd": 0, "momentum": 1, "adam": 2, "adamw": 2, "rmsprop": 1, "adagrad": 1, "lion": 1}

ROWS, IN, OUT = 6, 3, 2
X = Array.of([ROWS, IN], lambda i, k: math.sin(1 + 7 * i + 3 * k))
T = Array.of([ROWS, OUT], lambda i, j: math.cos(2 + 5 * i + j))
W = Array.of([IN, OUT], lambda k, j: math.sin(3 + 2 * k + 5 * j) / 2)
B = Array.of([OUT], lambda j: 0.25 - j)
RATES = [0.5, 0.25, 0.0625]  # of the graph that gives them


def dense(array):
    """Every bit of it: a hexadecimal number for each entry is read in as it is."""
    return f'dense<"0x{struct.pack(f"<{len(array.values)}d", *array.values).hex().upper()}">'


def graph(use, given_rate, parts):
    """parts: the number of micro-batches, or 0."""
    rate = lambda i: f" learning_rate %rate{i} : tensor<f64>" if given_rate else ""  # noqa: E731
    rates = "".join(f", %rate{i}: tensor<f64>" for i in range(3)) if given_rate else ""
    lead, rows = (f"{parts}x", ROWS // parts) if parts else ("", ROWS)
    types = f"(tensor<{lead}{rows}x3xf64>, tensor<{lead}{rows}x2xf64>) -> tensor<f64>"
    split = " micro_batches [0, 1]" if parts else ""
    steps = "\n".join(f"  %loss{i} = lathe.minimize @loss(%xs, %ts) with {use}{rate(i)}{split} : {types}" for i in range(3))
    shapes = [f"[{parts}, {rows}, {columns}]" if parts else f"[{rows}, {columns}]" for columns in (IN, OUT)]
    return f"""
lathe.variable @w : tensor<3x2xf64> init {dense(W)} : tensor<3x2xf64>
lathe.variable @b : tensor<2xf64> init {dense(B)} : tensor<2xf64>
func.func private @loss(%x: tensor<{rows}x3xf64>, %t: tensor<{rows}x2xf64>) -> tensor<f64> {{
  %w = lathe.read @w : tensor<3x2xf64>
  %b = lathe.read @b : tensor<2xf64>
  %y = lathe.std.linear %x, %w bias %b : tensor<{rows}x3xf64>, tensor<3x2xf64>, tensor<2xf64>
  %loss = lathe.std.mse %y, %t reduction sum : tensor<{rows}x2xf64>
  return %loss : tensor<f64>
}}
func.func @steps(%x: tensor<{ROWS}x3xf64>, %t: tensor<{ROWS}x2xf64>{rates})
    -> (tensor<f64>, tensor<f64>, tensor<f64>, tensor<3x2xf64>, tensor<2xf64>) {{
  %xs = lathe.reshape %x to {shapes[0]} : tensor<{ROWS}x3xf64>
  %ts = lathe.reshape %t to {shapes[1]} : tensor<{ROWS}x2xf64>
{steps}
  %w = lathe.read @w : tensor<3x2xf64>
  %b = lathe.read @b : tensor<2xf64>
  return %loss0, %loss1, %loss2, %w, %b : tensor<f64>, tensor<f64>, tensor<f64>, tensor<3x2xf64>, tensor<2xf64>
}}
"""


def by_definition(use, given_rate, parts):
    """Losses before each step, then the parameters."""
    name, options = use[:-1].split("<")
    options = {key: float(value) if value else True for key, value in re.findall(r"(\w+)(?: = ([\d.]+))?", options)}
    if name == "sgd" and "momentum" in options:
        name = "momentum"
    default = options.pop("learning_rate", 0.01 if name in ("sgd", "momentum") else 0.001)
    limit = options.pop("clip_norm", math.inf)
    parameters = W.values + B.values
    slots = [[0.0] * SLOTS[name] for _ in parameters]
    losses = []
    for step in range(3):
        w, b = parameters[:IN * OUT], parameters[IN * OUT:]
        rest = Array.of([ROWS, OUT], lambda i, j: math.fsum(X[i, k] * w[k * OUT + j] for k in range(IN)) + b[j] - T[i, j])
        losses.append(math.fsum(value ** 2 for value in rest.values) / (parts or 1))
        gradient = [2 * math.fsum(X[i, k] * rest[i, j] for i in range(ROWS)) for k in range(IN) for j in range(OUT)]
        gradient += [2 * math.fsum(rest[i, j] for i in range(ROWS)) for j in range(OUT)]
        gradient = [g / (parts or 1) for g in gradient]
        length = math.hypot(*gradient)
        gradient = [g * min(1.0, limit / length) for g in gradient]
        rate = RATES[step] if given_rate else default
        counted = [step + 1] if name.startswith("adam") else []
        for i, (p, g) in enumerate(zip(parameters, gradient)):
            parameters[i], *slots[i] = getattr(training, name)(p, g, rate, *counted, *slots[i], **options)
    return losses + parameters


def run(folder, use, given_rate, parts, *words):
    (folder / "steps.mlir").write_text(graph(use, given_rate, parts))
    shapes = {"loss0": [], "loss1": [], "loss2": [], "w": [IN, OUT], "b": [OUT]}
    words = ["lathe-run", folder / "steps.mlir", "steps", *words, "--input", f"x=@{folder}/x.npy", "--input", f"t=@{folder}/t.npy"]
    words += [word for i in range(3) if given_rate for word in ("--input", f"rate{i}={RATES[i]}")]
    words += [word for name in shapes for word in ("--output", f"{name}=@{folder}/{name}.npy")]
    done = subprocess.run(words, text=True, capture_output=True)
    if done.returncode:
        sys.exit(f"{use}: lathe-run fails: {done.stderr}")
    return [value for name, shape in shapes.items() for value in read(folder / f"{name}.npy", shape).values]


def main():
    folder = Path(sys.argv[1])
    write(folder / "x.npy", X)
    write(folder / "t.npy", T)
    faults = []
    cases = [(use, False, 0) for use in USES] + [(use, True, 0) for use in ("sgd<>", "adam<>", "lion<>")]
    cases += [("sgd<>", False, 3), ("adam<clip_norm = 0.5>", False, 2), ("sgd<momentum = 0.5>", True, 6), ("adamw<>", True, 1)]
    for use, given_rate, parts in cases:
        expected = by_definition(use, given_rate, parts)
        ways = ((), ("--interpret",))
        for way in ways:
            got = run(folder, use, given_rate, parts, *way)
            faults += [f"{use} {parts} {way}: entry {i} is {a}, by definition {b}" for i, (a, b) in enumerate(zip(got, expected))
                       if abs(a - b) > 1e-12 * abs(b)]
    print(f"{len(cases)} uses: three steps compared, compiled and interpreted")
    if run(folder, "sgd<momentum = 0.9>", False, 0) != run(folder, "momentum<momentum = 0.9>", False, 0):
        faults.append("sgd with a momentum is not momentum")
    print("\n".join(faults) or "all agree")
    sys.exit(bool(faults))


main()
