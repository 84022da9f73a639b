"""Times every family beside NumPy and JAX, in turns within one process, and prints the table.

usage: compare.py LATHEC OUT_DIR ROUNDS [CASE...]
"""
import ctypes
import os
import subprocess
import sys
import time

os.environ.setdefault("XLA_FLAGS", "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1")
for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(variable, "1")

import jax  # noqa: E402: the variables above come first
import numpy as np  # noqa: E402

from cases import CASES  # noqa: E402

SLICE = 0.02  # seconds of each turn
NAMES = {"float32": "f32", "float64": "f64", "int32": "i32", "int64": "i64", "bfloat16": "bf16", "float16": "f16", "bool": "i1"}


def tensor(array):
    return f"tensor<{''.join(f'{extent}x' for extent in array.shape)}{NAMES[str(array.dtype)]}>"


class Compiled:
    """The graph as a shared library, called through its C interface on one thread."""

    def __init__(self, case, number, lathec, out, result):
        name = f"case{number}"
        arguments = ", ".join(f"%{key}: {tensor(array)}" for key, array in case.inputs.items())
        path = os.path.join(out, name + ".mlir")
        with open(path, "w") as file:
            file.write(f"func.func @f({arguments}) -> {tensor(result)} {{\n{case.text}\nreturn %r : {tensor(result)}\n}}\n")
        subprocess.run([lathec, path, "--emit=shared", "-o", os.path.join(out, f"lib{name}.so")], check=True, cwd=out)
        library = ctypes.CDLL(os.path.join(out, f"lib{name}.so"))
        size = library[f"{name}_f_workspace_size"]
        size.restype = ctypes.c_size_t
        self.result, self.arrays = np.empty_like(result), [np.ascontiguousarray(array) for array in case.inputs.values()]
        self.memory = np.empty(size() + 64, np.uint8)
        place = -(-self.memory.ctypes.data // 64) * 64
        pointers = [array.ctypes.data for array in self.arrays] + [self.result.ctypes.data, place, size(), None, None]
        self.args = (ctypes.c_void_p * len(pointers))(*pointers)
        self.entry = library[f"{name}_f"]

    def __call__(self):
        if self.entry(self.args) != 0:
            raise SystemExit("an entry failed")
        return self.result


def timed(call):
    """The least time of one call, in ms."""
    least, end = float("inf"), time.perf_counter() + SLICE
    while True:
        begin = time.perf_counter()
        call()
        now = time.perf_counter()
        least = min(least, now - begin)
        if now > end:
            return least * 1e3


def run(case, number, lathec, out, rounds):
    with_jax, with_numpy = None, None
    if case.jax:
        placed = [jax.device_put(array) for array in case.inputs.values()]
        function = jax.jit(case.jax)
        with_jax = lambda: function(*placed).block_until_ready()
        expected = np.asarray(with_jax())
    else:
        expected = np.empty((1024, 1024), np.int32)
    lathe = Compiled(case, number, lathec, out, expected)
    given = np.asarray(lathe(), np.float64) if case.jax else None
    if case.jax and not np.allclose(given, expected.astype(np.float64), rtol=case.tolerance, atol=case.tolerance):
        raise SystemExit(f"{case.what}: the results differ by {np.abs(given - expected.astype(np.float64)).max()}")
    if case.numpy:
        arrays = list(case.inputs.values())
        with_numpy = lambda: case.numpy(*arrays)
    calls = {"Lathe": lathe, "NumPy": with_numpy, "JAX": with_jax}
    best = {name: float("inf") for name, call in calls.items() if call}
    for _ in range(rounds):
        for name in best:
            best[name] = min(best[name], timed(calls[name]))
    ratio = {name: f"{best[name] / best['Lathe']:.2f}" if name in best else "" for name in calls}
    print(f"| {case.family} | {case.what} | {best['Lathe']:.3f} | {ratio['NumPy']} | {ratio['JAX']} |", flush=True)


lathec, out, rounds = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2]), int(sys.argv[3])
print("| family | what | Lathe ms | NumPy / Lathe | JAX / Lathe |\n|---|---|---|---|---|")
for number, case in enumerate(CASES):
    if len(sys.argv) == 4 or any(word in case.what for word in sys.argv[4:]):
        run(case, number, lathec, out, rounds)
