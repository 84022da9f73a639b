"""The tables of docs/sum-accuracy.md: the largest relative error of f32 sums against f64, for Lathe and its peers.

usage: measure.py LATHE_RUN [EXPONENT [FAMILY...]]"""
import importlib.metadata
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import numpy as np

import cases

PAGE = pathlib.Path(__file__).resolve().parents[2] / "docs/sum-accuracy.md"
LEAST = 3  # exponent of the number of terms
ROUNDING = 2.0 ** -24  # of a result


def inputs(case, n, kind):
    """Random numbers from 0.1 to 1.1, or all 1.1, whose errors point one way. What is normed or goes through exp is not all equal: the
    first element is larger."""
    generator = np.random.default_rng(n)
    arrays = []
    for shape in case.shapes(n):
        if kind == "random":
            array = generator.random(shape, np.float32)
            array += np.float32(0.1)
        else:
            array = np.full(shape, 1.1, np.float32)
            if case.name in ("variance", "softmax", "layer norm"):
                array[:, ::2] = 1.45
        arrays.append(array)
    return arrays


def run_lathe(lathe_run, case, n, arrays, folder):
    graph, result = folder / "graph.mlir", folder / "r.npy"
    graph.write_text(cases.graph(case, n))
    command = [lathe_run, graph, "--threads=1"]
    for i, array in enumerate(arrays):
        np.save(folder / f"a{i}.npy", array)
        command += ["--input", f"a{i}=@{folder}/a{i}.npy"]
    # What is written to standard output are the results' first elements.
    subprocess.run([*command, "--output", f"r=@{result}"], check=True, stdout=subprocess.DEVNULL)
    return np.load(result)


def error(result, exact):
    """The largest relative error; of elements that are themselves differences (of a norm), of the largest."""
    off = np.abs(result.astype(np.float64) - exact)
    size = np.abs(exact)
    return float((off / np.where(size > size.max() / 10, size, size.max())).max())


def measure(lathe_run, case, n, kind, folder):
    arrays = inputs(case, n, kind)
    exact = case.reference(arrays)
    errors = {"Lathe": error(run_lathe(lathe_run, case, n, arrays, folder), exact)}
    errors["PyTorch"] = error(cases.of_torch(case.torch)(*arrays), exact)
    errors["JAX"] = error(cases.of_jax(case.jax)(*arrays), exact)
    if case.numpy:
        errors["NumPy"] = error(case.numpy(*arrays), exact)
    return errors


def is_worse(errors):
    """Whether Lathe's error is more than twice the best one; half a unit of the last place is no error."""
    best = min(value for name, value in errors.items() if name != "Lathe")
    return errors["Lathe"] > 2 * max(best, ROUNDING)


def table(lathe_run, most, chosen, kind, folder):
    exponents = range(LEAST, most + 1)
    lines = ["| what | by | " + " | ".join(f"10^{e}" for e in exponents) + " |", "|---|---|" + "---|" * len(exponents)]
    for case in chosen:
        measured = {}
        for e in exponents:
            if e > case.most:
                continue
            errors = measure(lathe_run, case, 10 ** e, kind, folder)
            for name, value in errors.items():
                mark = "**" if name == "Lathe" and is_worse(errors) else ""
                measured.setdefault(name, []).append(f"{mark}{value:.1e}{mark}")
            print(case.name, kind, e, errors, file=sys.stderr, flush=True)
        for i, (name, values) in enumerate(measured.items()):
            values += [""] * (len(exponents) - len(values))
            lines.append(f"| {'' if i else case.name} | {name} | " + " | ".join(values) + " |")
    return "\n".join(lines) + "\n"


def main():
    lathe_run, most = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 8
    names = sys.argv[3:]
    chosen = [case for case in cases.CASES if not names or case.name in names]
    versions = ", ".join(f"{name} {importlib.metadata.version(name.lower())}" for name in ("torch", "jax", "numpy"))
    scratch = os.environ.get("TMPDIR")
    with tempfile.TemporaryDirectory(dir=scratch) as folder:
        for kind in ("random", "equal"):
            text = table(lathe_run, most, chosen, kind, pathlib.Path(folder))
            if names:
                print(text)
                continue
            page = PAGE.read_text()
            pattern = re.compile(rf"(?<=<!-- {kind}: made by benchmarks/accuracy/run -->\n).*?(?=<!-- end -->)", re.S)
            PAGE.write_text(pattern.sub(lambda _: text, page, count=1))
    print(f"with {versions}", file=sys.stderr)


main()
