"""Times every family beside NumPy, JAX, PyTorch and ONNX Runtime, in turns within one process, and prints the table.

usage: compare.py LATHEC OUT_DIR ROUNDS [WORD...]
"""
import os
import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parent.parent))
import peers  # noqa: E402: it comes before other modules
from case import type_of  # noqa: E402
from cases import CASES  # noqa: E402
from compiled import Compiled, least_times  # noqa: E402

SLICE = 0.02  # seconds of each turn
COLUMNS = ("NumPy", "JAX", "PyTorch", "PyTorch, compiled", "ONNX Runtime")
NAMES = {"float32": "f32", "float64": "f64", "int32": "i32", "int64": "i64", "uint32": "i32", "bfloat16": "bf16", "float16": "f16",
         "bool": "i1"}
TWICE = 0.5  # the best peer's time over Lathe's, of what takes twice as long


def tensor(array):
    return type_of(*array.shape, element=NAMES[str(array.dtype)])


def module(case, result):
    arguments = ", ".join(f"%{key}: {tensor(array)}" for key, array in case.inputs.items())
    return f"func.func @f({arguments}) -> {tensor(result)} {{\n{case.text}\nreturn %r : {tensor(result)}\n}}\n"


def run(case, number, lathec, out, rounds):
    """Prints the row; returns the least of the peers' ratios."""
    calls = peers.calls_of(case.inputs, case.jax, case.torch, case.onnx, case.torch_inputs)
    expected = peers.array_of(calls["JAX"][0]()) if case.shown is None else case.shown
    lathe = Compiled(f"case{number}", module(case, expected), lathec, out, case.inputs.values(), [expected])
    if case.numpy:
        arrays = list(case.inputs.values())
        calls = {"NumPy": ((lambda: case.numpy(*arrays)), peers.array_of)} | calls
    calls = {"Lathe": (lathe, peers.array_of)} | calls
    if case.shown is None:
        peers.check(case.what, calls, [expected], rtol=case.tolerance, atol=case.tolerance)
    best = least_times({name: call for name, (call, _) in calls.items()}, rounds, SLICE)
    ratios = {name: best[name] / best["Lathe"] for name in COLUMNS if name in best}
    columns = [f"{ratios[name]:.2f}" if name in ratios else "" for name in COLUMNS]
    least = min(ratios.values())
    print(f"| {case.family} | {case.what} | {best['Lathe']:.3f} | {' | '.join(columns)} | {least:.2f} |", flush=True)
    return least


lathec, out, rounds = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2]), int(sys.argv[3])
print(f"| family | what | Lathe ms | {' | '.join(COLUMNS)} | best peer |\n|{'---|' * (len(COLUMNS) + 4)}")
slow = [case.what for number, case in enumerate(CASES)
        if (len(sys.argv) == 4 or any(word in case.what for word in sys.argv[4:])) and run(case, number, lathec, out, rounds) < TWICE]
print(f"\nSlower than twice the best: {'; '.join(slow) if slow else 'none'}.")
