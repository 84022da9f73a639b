"""The rows: a program of GradBench with sizes, as a graph, as a call of JAX, and as a function of the C++ programs with the place of
the graph's results in theirs."""
import dataclasses
import functools
import os
import typing

import inputs
import minors
import programs_jax
import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
EXAMPLES = os.path.join(HERE, "..", "..", "examples", "adbench")


@dataclasses.dataclass
class Row:
    program: str
    sizes: dict
    graph: typing.Callable  # the graph's text
    entry: str
    dims: dict              # the graph's named dimensions
    results: list           # shapes of the graph's results
    function: str           # of the C++ programs
    form: typing.Callable   # brings what these give and a list of the graph's results into comparable lists of arrays
    jax: dict               # programs by name
    variant: str = ""       # of the graph

    @property
    def name(self):
        return " ".join([self.program, *self.variant.split(), *(f"{key}={value}" for key, value in self.sizes.items())])

    @property
    def stem(self):
        return self.name.replace(" ", "-")

    @functools.cached_property
    def given(self):
        return getattr(inputs, self.program)(**self.sizes)


def text_of(path):
    with open(path) as file:
        return file.read()


def same(given, ours):
    return [np.array(given)], ours


def in_gmm(given, ours):
    return [np.array(given[key]) for key in ("alpha", "mu", "q", "l")], ours[1:]


def in_ba(given, ours):
    """They give the first block and the last weight's slope."""
    return [np.array(given["vals"])], [np.append(ours[0][0], ours[1][-1])]


def in_lstm(given, ours):
    weights, biases = ours[1], ours[2]
    layers = [np.ravel(part) for pair in zip(weights, biases) for part in pair]
    return [np.array(given)], [np.concatenate(layers + ours[3:])]


def in_ht(given, ours):
    return [np.array(given)], [ours[0].reshape(28, -1).T]


def in_det(given, ours):
    return [np.array(given)], [ours[0].ravel()]


def text_of_gmm():
    """ADBench takes the prior off the likelihood, GradBench adds it."""
    ours, theirs = "lathe.sub %shape, %kc", "lathe.sub %kc, %shape"
    text = text_of(os.path.join(EXAMPLES, "gmm.mlir"))
    if text.count(ours) != 1:
        raise SystemExit("gmm.mlir has no line to turn the prior's sign in")
    return text.replace(ours, theirs)


def gmm(n, k, d):
    t = d * (d - 1) // 2
    return Row("gmm", dict(n=n, k=k, d=d), text_of_gmm, "gradient", dict(N=n, K=k, D=d, T=t),
               [(), (k,), (k, d), (k, d), (k, t)], "jacobian", in_gmm, {"JAX": programs_jax.gmm})


def ba(n, m, p):
    return Row("ba", dict(n=n, m=m, p=p), lambda: text_of(os.path.join(EXAMPLES, "ba.mlir")), "jacobian", dict(N=n, M=m, P=p),
               [(p, 2, 15), (p,)], "jacobian", in_ba, {"JAX": programs_jax.ba})


def lstm(layers, characters, bits=14):
    return Row("lstm", dict(layers=layers, characters=characters, bits=bits), lambda: text_of(os.path.join(EXAMPLES, "lstm.mlir")),
               "gradient", dict(L=layers, B=bits, C=characters - 1),
               [(), (layers, 4, bits), (layers, 4, bits), (bits,), (bits,), (bits,)], "jacobian", in_lstm, {"JAX": programs_jax.lstm})


def own(program, sizes, dims, result, function, form=same, text=None, jax=None):
    graph = text or (lambda: text_of(os.path.join(HERE, program + ".mlir")))
    return Row(program, sizes, graph, "derivative", dims, [result], function, form, jax or {"JAX": getattr(programs_jax, program)})


def ht(vertices, points):
    return own("ht", dict(vertices=vertices, points=points), dict(V=vertices, C=points), (28, points, 3), "jacobian", in_ht)


def kmeans(n, k, d, graph="kmeans"):
    """Two graphs, and two programs of JAX: |p - c|^2 directly, and multiplied out."""
    row = own("kmeans", dict(n=n, k=k, d=d), dict(N=n, K=k, D=d), (k, d), "dir", text=lambda: text_of(os.path.join(HERE, graph + ".mlir")),
              jax={"JAX": programs_jax.kmeans, "JAX, direct": programs_jax.kmeans_direct})
    return dataclasses.replace(row, variant="" if graph == "kmeans" else "multiplied out")


def llsq(n, m):
    return own("llsq", dict(n=n, m=m), dict(N=n, M=m), (m,), "gradient")


def det(ell):
    return own("det", dict(ell=ell), {}, (ell, ell), "gradient", in_det, text=lambda: minors.text(ell))


def ode(n, s):
    return own("ode", dict(n=n, s=s), dict(N=n, S=s), (n,), "gradient")


def rows():
    return [gmm(1000, 25, 10), gmm(1000, 25, 32), ba(49, 7776, 31843), ba(257, 65132, 225911), lstm(2, 1024), lstm(4, 4096),
            ht(544, 200), ht(10000, 12800), kmeans(10000, 10, 8), kmeans(10000, 100, 16),
            kmeans(10000, 10, 8, "kmeans-products"), kmeans(10000, 100, 16, "kmeans-products"), llsq(1024, 128), llsq(16392, 128),
            det(6), det(9), ode(100, 100), ode(1000, 250)]
