"""Times the rows' graphs beside JAX, PyTorch and ONNX Runtime, in turns within one process, and prints the table.

usage: compare.py LATHEC RUNTIME_SO OUT_DIR ROUNDS [WORD...], with the number of threads in OMP_NUM_THREADS
"""
import ctypes
import os
import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parent.parent))
import peers  # noqa: E402: it comes before other modules
from cases import CASES  # noqa: E402
from compiled import Compiled, least_times  # noqa: E402

SLICE = 0.05  # seconds of each turn
COLUMNS = ("JAX", "PyTorch", "PyTorch, compiled", "ONNX Runtime")


def run(case, number, lathec, runtime, out, rounds):
    calls = peers.calls_of(case.inputs, case.jax, case.torch, case.onnx)
    expected = [peers.array_of(value) for value in peers.in_tuple(calls["JAX"][0]())]
    context = runtime.lathe_context_create(peers.threads) if peers.threads > 1 else None
    lathe = Compiled(f"rows{number}", case.text, lathec, out, case.inputs.values(), expected, context)
    calls = {"Lathe": (lathe, peers.array_of)} | calls
    peers.check(case.what, calls, expected, rtol=1e-4, atol=1e-5)
    best = least_times({name: call for name, (call, _) in calls.items()}, rounds, SLICE)
    columns = [f"{best[name] / best['Lathe']:.2f}" if name in best else "" for name in COLUMNS]
    print(f"| {peers.threads} | {case.what} | {best['Lathe'] * 1e3:.1f} | {' | '.join(columns)} |", flush=True)


lathec, runtime, out = os.path.abspath(sys.argv[1]), ctypes.CDLL(os.path.abspath(sys.argv[2])), os.path.abspath(sys.argv[3])
runtime.lathe_context_create.restype = ctypes.c_void_p
words = sys.argv[5:]
for number, case in enumerate(CASES):
    if not words or any(word in case.what for word in words):
        run(case, number, lathec, runtime, out, int(sys.argv[4]))
