"""Times the rows' graphs beside JAX, PyTorch and ONNX Runtime, in turns within one process, and prints the table.

usage: compare.py LATHEC RUNTIME_SO OUT_DIR THREADS ROUNDS [WORD...]
"""
import ctypes
import os
import sys
from pathlib import Path

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

sys.path.append(str(Path(__file__).resolve().parent.parent))
from compiled import Compiled, least_times  # noqa: E402

SLICE = 0.05  # seconds of each turn
torch.set_num_threads(threads)


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


def run(case, number, lathec, runtime, out, rounds):
    calls = peers(case)
    expected = [np.asarray(value) for value in in_tuple(calls["JAX"]())]
    context = runtime.lathe_context_create(threads) if threads > 1 else None
    lathe = Compiled(f"rows{number}", case.text, lathec, out, case.inputs.values(), expected, context)
    for name, call in (calls | {"Lathe": lathe}).items():
        for given, value in zip(in_tuple(call()), expected):
            if not np.allclose(np.asarray(given), value, rtol=1e-4, atol=1e-5):
                raise SystemExit(f"{case.what}: {name} differs from JAX by {np.abs(np.asarray(given) - value).max()}")
    best = least_times({"Lathe": lathe} | calls, rounds, SLICE)
    columns = [f"{best[name] / best['Lathe']:.2f}" if name in best else "" for name in COLUMNS]
    print(f"| {threads} | {case.what} | {best['Lathe'] * 1e3:.1f} | {' | '.join(columns)} |", flush=True)


COLUMNS = ("JAX", "PyTorch", "PyTorch, compiled", "ONNX Runtime")
lathec, runtime, out = os.path.abspath(sys.argv[1]), ctypes.CDLL(os.path.abspath(sys.argv[2])), os.path.abspath(sys.argv[3])
runtime.lathe_context_create.restype = ctypes.c_void_p
words = sys.argv[6:]
for number, case in enumerate(CASES):
    if not words or any(word in case.what for word in words):
        run(case, number, lathec, runtime, out, int(sys.argv[5]))
