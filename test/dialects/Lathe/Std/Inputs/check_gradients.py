"""check_gradients.py FOLDER: derivatives of composites against differences, to the second order, and where they must be finite."""
import math
import re
import subprocess
import sys
from pathlib import Path

from arrays import Array, read
from cases import FUNCTIONS, Case, Graph, graphs_of, std_reference
from edges import ACTIVATIONS, INF, use
from solvers import ease

# They count and compare; of them there is no derivative.
WITHOUT = {"count", "one_hot", "row_ids", "within", "close_to"}
X, ROWS = "tensor<?x4xf32>", "tensor<?x4xf32>, tensor<?xi32>"
SECOND = [use(name, "%x", X) for name in
          ("softplus", "gelu", "gelu approximation tanh", "silu", "mish", "elu", "log_sigmoid", "softsign", "tanh_shrink", "glu",
           "softmax", "log_softmax dim 0", "logsumexp dims [1]", "logsumexp", "layer_norm", "rms_norm", "l2_normalize",
           "norm dims [1]", "variance dims [1]")]
SECOND += [use("cross_entropy smoothing 0.1", "%logits, %labels", ROWS),
           use("cross_entropy ignore_negative", "%logits, %labels", ROWS),
           use("soft_cross_entropy", "%logits, %probabilities", X), use("mse", "%prediction, %target", X),
           use("huber", "%prediction, %target", X), use("binary_cross_entropy", "%probability, %target", X),
           use("binary_cross_entropy_with_logits", "%logits, %target", X), use("kl_divergence", "%log_prediction, %target", X),
           use("cosine_similarity", "%a, %b", X), use("batch_norm", "%x", "tensor<3x2x2xf32>"),
           use("segment_softmax", "%values, %offsets", "tensor<?x2xf32>, tensor<3xi32>"),
           use("group_norm groups 2 scale %s", "%x", "tensor<?x2x4xf32>, tensor<4xf32>"),
           use("attention causal mask %m", "%q, %k, %v", "tensor<?x3x4xf32>, tensor<?x3x4xf32>, tensor<?x3x2xf32>, tensor<3x3xi1>",
               m=[0, 1, 1, 1, 1, 0, 1, 0, 1]),
           use("attention bias %b", "%q, %k, %v", "tensor<?x2x4xf32>, tensor<?x3x4xf32>, tensor<?x3x2xf32>, tensor<2x3xf32>")]

EASED = [0.0, 0.0]
while EASED != (closer := ease(EASED, Array([], [0.1]))):
    EASED = closer
WEIGHTS = "tensor<8x3xf32>, tensor<8x2xf32>"
SECOND += [use("rnn lengths %lengths", "%x, %weights, %recurrent", "tensor<4x?x3xf32>, tensor<2x3xf32>, tensor<2x2xf32>, tensor<?xi32>"),
           use("lstm bias %b peepholes %p h0 %h c0 %m", "%x, %weights, %recurrent",
               f"tensor<3x?x3xf32>, {WEIGHTS}, tensor<8xf32>, tensor<6xf32>, tensor<?x2xf32>, tensor<?x2xf32>"),
           use("gru recurrent_bias %b checkpoint sqrt", "%x, %weights, %recurrent",
               "tensor<4x?x3xf32>, tensor<6x3xf32>, tensor<6x2xf32>, tensor<6xf32>"),
           use("ctc_loss", "%log_probabilities, %targets", "tensor<4x?x3xf32>, tensor<?x2xi32>", targets=lambda n: [1, 2, 1, 1, 2, 1][:2 * n]),
           use("inverse", "%matrix", "tensor<3x3xf32>", matrix=[1.0, 4.0, 0.5, 3.0, 1.0, -1.0, 0.0, 1.0, 5.0]),
           use("solve", "%matrix, %b", "tensor<2x2xf32>, tensor<2xf32>", matrix=[1.0, 3.0, -2.0, 1.0]),
           use("jacobian with %load function @balance", "%x", "tensor<2xf32>, tensor<2xf32>"),
           use("newton with %load function @balance tolerance 1.0e-12", "%x", "tensor<2xf32>, tensor<2xf32>"),
           use("fixed_point with %rate function @ease tolerance 1.0e-14", "%x", "tensor<2xf32>, tensor<f32>"),
           use("fixed_point with %rate function @ease tolerance 1.0e-14 implicit iteration bound 20", "%x", "tensor<2xf32>, tensor<f32>"),
           # Found in one step, of which the derivative is not that of the equation.
           use("fixed_point with %rate function @ease tolerance 1.0e-14", "%x", "tensor<2xf32>, tensor<f32>", x=EASED),
           use("rk4 with %rate function @swing steps 4", "%y, %t0, %t1", "tensor<2xf32>, tensor<f32>, tensor<f32>, tensor<f32>")]

FAR = [0.0, -0.0, 1e4, -1e4]


def finite_cases():
    """Yields points where careless formulas divide zero by zero or multiply it by infinity. Not here: norm at 0, whose slope
    is NaN, and softmax of a single -inf, which is NaN itself."""
    yield from (use(name, "%x", "tensor<6xf32>", x=[*FAR, 1e30, -1e30]) for name in ACTIVATIONS)
    yield use("prelu", "%x, %slope", "tensor<4xf32>, tensor<1xf32>", x=FAR, slope=[0.0])
    yield use("glu", "%x", "tensor<8xf32>", x=FAR + FAR[::-1])
    lines = [0.0] * 4 + FAR + [1e4] * 4 + [-1e4] * 4 + [-INF, 1e4, 0.0, -INF]
    for name in ("softmax", "log_softmax", "logsumexp dims [1]", "layer_norm", "rms_norm", "l2_normalize", "variance dims [1]"):
        infinite = name.startswith(("softmax", "logsumexp"))
        yield use(name, "%x", f"tensor<{5 if infinite else 4}x4xf32>", x=lines if infinite else lines[:16])
    yield use("logsumexp dims [1]", "%x", "tensor<2x2xf32>", x=[-INF, -INF, 0.0, -INF])
    yield use("batch_norm", "%x", "tensor<4x4xf32>", x=lines[:16])
    yield use("group_norm groups 2", "%x", "tensor<4x4xf32>", x=lines[:16])
    pairs = {"target": [0.0, 1.0, -1.0, 0.0, 1.0, 1.0, -1.0, 1e4], "prediction": FAR + [1.0, -1.0, 0.5, 1e4]}
    pairs["logits"] = pairs["prediction"]
    for name in ("mse", "mae", "huber", "hinge"):
        yield use(name, "%prediction, %target", "tensor<8xf32>", **pairs)
    yield use("binary_cross_entropy_with_logits", "%logits, %target", "tensor<8xf32>", **pairs)
    yield use("binary_cross_entropy", "%probability, %target", "tensor<8xf32>",
              probability=[0.0, 0.0, 1.0, 1.0, 1e-44, 0.5, 1e-30, 0.0], target=[0.0, 1.0, 0.0, 1.0, 1.0, 1.0, 0.0, 0.5])
    yield use("kl_divergence", "%log_prediction, %target", "tensor<4xf32>", log_prediction=FAR, target=[0.0, 1.0, 0.0, 1e-30])
    logits = {"logits": lines[:16]}
    yield use("cross_entropy", "%logits, %labels", "tensor<4x4xf32>, tensor<4xi32>", **logits, labels=[0, 1, -1, 9])
    yield use("cross_entropy ignore_negative smoothing 0.1", "%logits, %labels", "tensor<4x4xf32>, tensor<4xi32>", **logits,
              labels=[-1, 3, -2, 9])
    yield use("soft_cross_entropy", "%logits, %probabilities", "tensor<4x4xf32>", **logits, probabilities=[0.0, 1.0] * 8)
    yield use("cosine_similarity", "%a, %b", "tensor<2x2xf32>", a=[0.0, 0.0, 1e4, 0.0], b=[0.0, 0.0, 0.0, -1e4])
    for name in ("segment_softmax", "segment_mean", "segment_max", "segment_sum"):  # gaps before and behind, an empty row
        yield use(name, "%values, %offsets", "tensor<5x2xf32>, tensor<4xi32>", offsets=[1, 1, 3, 4],
                  values=[1e4, INF, 0.0, -1e4, 1e4, 0.0, -1e4, 0.0, -1e4, -INF])
    some = [0.0, -INF, -1.0, -INF, -INF, 0.0, 0.0, -INF, -INF, -1e4, -1.0, -2.0]
    for said in (some, [-INF] * 12, [0.0] * 12, [-1e4] * 12):  # of some rows no alignment fits
        yield use("ctc_loss input_lengths %input_lengths target_lengths %target_lengths", "%log_probabilities, %targets",
                  "tensor<3x2x2xf32>, tensor<2x3xi32>, tensor<2xi32>, tensor<2xi32>", log_probabilities=said,
                  targets=[1, 1, -1, 1, 5, 1], input_lengths=[3, 2], target_lengths=[2, 1])
        yield use("ctc_loss", "%log_probabilities, %targets", "tensor<3x2x2xf32>, tensor<2x3xi32>", log_probabilities=said,
                  targets=[1, 1, 1, 1, 0, 1])
    tokens = {"q": FAR * 3, "k": [1.0, 1e4, 0.0, -1e4] * 3, "v": FAR * 3}
    types = "tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>"
    yield use("attention", "%q, %k, %v", types, **tokens)
    yield use("attention causal mask %m", "%q, %k, %v", f"{types}, tensor<3x3xi1>", **tokens, m=[0, 1, 1, 0, 1, 1, 0, 0, 0])
    yield use("attention bias %b", "%q, %k, %v", f"{types}, tensor<3x1xf32>", **tokens, b=[-INF, 0.0, 1e4])


class Gradients(Graph):
    """All gradients of the sum of each result's entries or of their cubes (squares add up to a constant for some): @all's result
    %r7_x is that of case 7 by its operand %x."""

    def __init__(self, cases, cubes):
        super().__init__(cases)
        self.cubes = cubes

    def floats(self, case):
        return [name for name, (type, _) in case.types.items() if type.endswith("f64>")]

    def loss(self, i, case):
        arguments = ", ".join(f"%{name}: {type}{unknown}" for name, (type, unknown) in case.types.items())
        types = [type for type in self.types[i] if type.endswith("f64>")]
        lines = [f"  {', '.join(f'%y{j}' for j in range(len(self.types[i])))} = {case.line}",
                 "  %total = lathe.constant dense<0.0> : tensor<f64>"]
        for j, type in enumerate(types):
            lines += [f"  %square{j} = lathe.mul %y{j}, %y{j} : {type}", f"  %cube{j} = lathe.mul %square{j}, %y{j} : {type}",
                      f"  %sum{j} = lathe.std.sum %{'cube' if self.cubes else 'y'}{j} : {type}",
                      f"  %total{j} = lathe.add %total{j - 1 if j else ''}, %sum{j} : tensor<f64>"]
        head = f"func.func private @loss{i}({arguments}) -> tensor<f64> {{"
        return "\n".join([head, *lines, f"  return %total{len(types) - 1} : tensor<f64>"]) + "\n}\n"

    def results(self):
        return [f"r{i}_{name}" for i, case in enumerate(self.cases) for name in self.floats(case)]

    def text(self):
        text, arguments, lines, types = "lathe.dim @N, 1 to 64\n" + FUNCTIONS, [], [], []
        for i, case in enumerate(self.cases):
            text += self.loss(i, case)
            arguments += [f"%c{i}_{name}: {type}{unknown}" for name, (type, unknown) in case.types.items()]
            chosen = [case.types[name][0] for name in self.floats(case)]
            places = [j for j, name in enumerate(case.types) if name in self.floats(case)]
            results = ", ".join([f"%v{i}"] + [f"%r{i}_{name}" for name in self.floats(case)])
            lines.append(f"  {results} = lathe.value_and_grad @loss{i}("
                         + ", ".join(f"%c{i}_{name}" for name in case.types) + f") wrt {places} : ("
                         + ", ".join(type for type, _ in case.types.values()) + f") -> ({', '.join(['tensor<f64>'] + chosen)})")
            types += chosen
        return (f"{text}func.func @all({', '.join(arguments)}) -> ({', '.join(types)}) {{\n" + "\n".join(lines)
                + f"\n  return {', '.join('%' + result for result in self.results())} : {', '.join(types)}\n}}\n")


def lathe_run(*words):
    done = subprocess.run(["lathe-run", *map(str, words)], text=True, capture_output=True)
    return done.returncode, done.stdout + done.stderr


def against_differences(folder, kind, graphs):
    """Both modes: lathe-run compares reverse mode with differences, and forward with reverse mode. Interpreted, which takes less
    time here than compiling does; that compiled code does the same is for other tests."""
    faults, derivatives = [], 0
    for graph in graphs:
        (folder / "all.mlir").write_text(graph.text())
        status, said = lathe_run(folder / "all.mlir", "all", "--gradcheck", "--interpret", *graph.write_operands(folder, 3))
        found = re.search(r"gradcheck: (\d+) of \1 tensors agree to 1e-05: (\d+) derivatives", said)
        forward = re.search(r"jvp and vjp differ by ([\d.e+-]+)", said)
        if status or not found or not forward or float(forward[1]) > 1e-12:
            faults.append(f"{kind}: {', '.join(case.line for case in graph.cases)}: {said}")
        else:
            derivatives += int(found[2])
    print(f"{kind}: {derivatives} agree with differences")
    return faults


def finite(folder, way):
    faults, count = [], 0
    for graph in [Gradients(cases, False) for cases in chunks(list(finite_cases()), 8)]:
        (folder / "all.mlir").write_text(graph.text().replace("f64>", "f32>"))
        words = [*way, *graph.write_operands(folder, 3, "f32")]
        for result in graph.results():
            words += ["--output", f"{result}=@{folder}/{result}.npy"]
        status, said = lathe_run(folder / "all.mlir", "all", *words)
        if status:
            return [said]
        for i, case in enumerate(graph.cases):
            for name in graph.floats(case):
                values = read(folder / f"r{i}_{name}.npy", case.operands(3)[name].shape).values
                count += len(values)
                if not all(map(math.isfinite, values)):
                    faults.append(f"{case.line}: its gradient by {name} is {values}")
    print(f"{' '.join(way) or 'compiled'}: {count} entries of gradients at 0, far away and where masked are finite")
    return faults


def chunks(cases, size):
    return [cases[i:i + size] for i in range(0, len(cases), size)]


def main():
    folder = Path(sys.argv[1])
    examples = [Case(line) for name, uses in std_reference.examples().items() for line in uses if name not in WITHOUT]
    faults = against_differences(folder, "first", graphs_of(examples, 6))
    faults += against_differences(folder, "second", [Gradients(cases, True) for cases in chunks(SECOND, 6)])
    faults += finite(folder, ["--interpret"]) + finite(folder, [])
    print("\n".join(faults) or "all agree")
    sys.exit(bool(faults))


main()
