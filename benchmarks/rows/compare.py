"""Times the rows' graphs beside JAX, PyTorch and ONNX Runtime, in turns within one process, and prints the table.

usage: compare.py LATHEC RUNTIME_SO OUT_DIR THREADS ROUNDS [WORD...]
"""
import ctypes
import os
import subprocess
import sys
import time

threads = int(sys.argv[4])
if threads == 1:
    os.environ["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"
for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ[variable] = str(threads)

import jax  # noqa: E402: the variables above come first
import numpy as np  # noqa: E402
import onnxruntime  # noqa: E402
import torch  # noqa: E402

from cases import CASES, onnx_model  # noqa: E402

SLICE = 0.05  # seconds of each turn
torch.set_num_threads(threads)


class Compiled:
    """The graph as a shared library, called through its C interface."""

    def __init__(self, case, number, lathec, runtime, out, results):
        name = f"rows{number}"
        path = os.path.join(out, name + ".mlir")
        with open(path, "w") as file:
            file.write(case.text)
        subprocess.run([lathec, path, "--emit=shared", "-o", os.path.join(out, f"lib{name}.so")], check=True, cwd=out)
        library = ctypes.CDLL(os.path.join(out, f"lib{name}.so"))
        size = library[f"{name}_f_workspace_size"]
        size.restype = ctypes.c_size_t
        self.arrays = [np.ascontiguousarray(array) for array in case.inputs.values()]
        self.results = [np.empty_like(result) for result in results]
        self.memory = np.empty(size() + 64, np.uint8)
        place = -(-self.memory.ctypes.data // 64) * 64
        runtime.lathe_context_create.restype = ctypes.c_void_p
        context = runtime.lathe_context_create(threads) if threads > 1 else None
        pointers = [array.ctypes.data for array in self.arrays + self.results] + [place, size(), context, None]
        self.args = (ctypes.c_void_p * len(pointers))(*pointers)
        self.entry = library[f"{name}_f"]

    def __call__(self):
        if self.entry(self.args) != 0:
            raise SystemExit("an entry failed")
        return self.results


def in_tuple(value):
    return list(value) if isinstance(value, (tuple, list)) else [value]


def peers(case):
    placed = [jax.device_put(array) for array in case.inputs.values()]
    with_jax = jax.jit(case.jax)
    calls = {"JAX": lambda: jax.block_until_ready(with_jax(*placed))}
    tensors = [torch.from_numpy(array) for array in case.inputs.values()]
    calls["PyTorch"] = lambda: case.torch(*tensors)
    compiled = torch.compile(case.torch, dynamic=False)
    calls["PyTorch, compiled"] = lambda: compiled(*tensors)
    if case.onnx:
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        model = onnx_model(case, np.asarray(in_tuple(calls["JAX"]())[0])).SerializeToString()
        session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
        calls["ONNX Runtime"] = lambda: session.run(None, case.inputs)
    return calls


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


def run(case, number, lathec, runtime, out, rounds):
    calls = peers(case)
    expected = [np.asarray(value) for value in in_tuple(calls["JAX"]())]
    lathe = Compiled(case, number, lathec, runtime, out, expected)
    for name, call in (calls | {"Lathe": lathe}).items():
        for given, value in zip(in_tuple(call()), expected):
            if not np.allclose(np.asarray(given), value, rtol=1e-4, atol=1e-5):
                raise SystemExit(f"{case.what}: {name} differs from JAX by {np.abs(np.asarray(given) - value).max()}")
    calls = {"Lathe": lathe} | calls
    best = {name: float("inf") for name in calls}
    for _ in range(rounds):
        for name in best:
            best[name] = min(best[name], timed(calls[name]))
    columns = [f"{best[name] / best['Lathe']:.2f}" if name in best else "" for name in COLUMNS]
    print(f"| {threads} | {case.what} | {best['Lathe'] * 1e3:.1f} | {' | '.join(columns)} |", flush=True)


COLUMNS = ("JAX", "PyTorch", "PyTorch, compiled", "ONNX Runtime")
lathec, runtime, out = os.path.abspath(sys.argv[1]), ctypes.CDLL(os.path.abspath(sys.argv[2])), os.path.abspath(sys.argv[3])
words = sys.argv[6:]
for number, case in enumerate(CASES):
    if not words or any(word in case.what for word in words):
        run(case, number, lathec, runtime, out, int(sys.argv[5]))
