"""Times every family beside NumPy and JAX, in turns within one process, and prints the table.

usage: compare.py LATHEC OUT_DIR ROUNDS [CASE...]
"""
import os
import sys
from pathlib import Path

os.environ.setdefault("XLA_FLAGS", "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1")
for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(variable, "1")

import jax  # noqa: E402: the variables above come first
import numpy as np  # noqa: E402

from cases import CASES  # noqa: E402

sys.path.append(str(Path(__file__).resolve().parent.parent))
from compiled import Compiled, least_times  # noqa: E402

SLICE = 0.02  # seconds of each turn
NAMES = {"float32": "f32", "float64": "f64", "int32": "i32", "int64": "i64", "bfloat16": "bf16", "float16": "f16", "bool": "i1"}


def tensor(array):
    return f"tensor<{''.join(f'{extent}x' for extent in array.shape)}{NAMES[str(array.dtype)]}>"


def module(case, result):
    arguments = ", ".join(f"%{key}: {tensor(array)}" for key, array in case.inputs.items())
    return f"func.func @f({arguments}) -> {tensor(result)} {{\n{case.text}\nreturn %r : {tensor(result)}\n}}\n"


def run(case, number, lathec, out, rounds):
    with_jax, with_numpy = None, None
    if case.jax:
        placed = [jax.device_put(array) for array in case.inputs.values()]
        function = jax.jit(case.jax)
        with_jax = lambda: function(*placed).block_until_ready()
        expected = np.asarray(with_jax())
    else:
        expected = np.empty((1024, 1024), np.int32)
    lathe = Compiled(f"case{number}", module(case, expected), lathec, out, case.inputs.values(), [expected])
    given = np.asarray(lathe()[0], np.float64) if case.jax else None
    if case.jax and not np.allclose(given, expected.astype(np.float64), rtol=case.tolerance, atol=case.tolerance):
        raise SystemExit(f"{case.what}: the results differ by {np.abs(given - expected.astype(np.float64)).max()}")
    if case.numpy:
        arrays = list(case.inputs.values())
        with_numpy = lambda: case.numpy(*arrays)
    calls = {"Lathe": lathe, "NumPy": with_numpy, "JAX": with_jax}
    best = least_times({name: call for name, call in calls.items() if call}, rounds, SLICE)
    ratio = {name: f"{best[name] / best['Lathe']:.2f}" if name in best else "" for name in calls}
    print(f"| {case.family} | {case.what} | {best['Lathe']:.3f} | {ratio['NumPy']} | {ratio['JAX']} |", flush=True)


lathec, out, rounds = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2]), int(sys.argv[3])
print("| family | what | Lathe ms | NumPy / Lathe | JAX / Lathe |\n|---|---|---|---|---|")
for number, case in enumerate(CASES):
    if len(sys.argv) == 4 or any(word in case.what for word in sys.argv[4:]):
        run(case, number, lathec, out, rounds)
