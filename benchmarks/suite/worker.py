"""One peer with one row in one process: worker.py PEER ROW FOLDER THREADS.

It answers on standard output in lines of JSON: once when the row is compiled and checked, then to each line "SECONDS LEAST" of
standard input with the times of a slice. What libraries print goes to standard error."""
import importlib
import json
import os
import sys
import time
import traceback

import numpy as np
import rows

CLASSES = {"lathe": ("adapter_lathe", "Lathe", "Lathe"), "lathe_fast": ("adapter_lathe", "LatheFast", "LatheFast"),
           "onnxruntime": ("adapter_onnxruntime", "OnnxRuntime", None), "openvino": ("adapter_openvino", "OpenVino", None), "jax": ("adapter_jax", "Jax", "JaxTraining"),
           "torch": ("adapter_torch", "Torch", "TorchTraining"), "inductor": ("adapter_torch", "Inductor", "InductorTraining")}
KEPT = 2000  # times of a slice that are sent
WARM_UP = 0.03  # seconds before each slice


def error_of(results, folder):
    """Returns the largest difference from the expected results over their largest value, or None without expected ones."""
    path = os.path.join(folder, "expected.npz")
    if not os.path.exists(path):
        return None
    worst = 0.0
    for given, expected in zip(results, np.load(path).values(), strict=True):
        given, expected = np.asarray(given, np.float64), expected.astype(np.float64)
        if given.shape != expected.shape:
            raise ValueError(f"a result has the shape {given.shape}, expected {expected.shape}")
        difference = np.abs(given - expected).max() / max(np.abs(expected).max(), 1e-30)
        worst = max(worst, float(difference) if np.isfinite(difference) else float("inf"))
    return worst if np.isfinite(worst) else 1e30  # JSON has no infinity


def thinned(times):
    """Returns at most KEPT times, evenly chosen."""
    step = -(-len(times) // KEPT)
    return times[::step]


def start(peer, row, folder, threads):
    module, inference, training = CLASSES[peer]
    adapter = getattr(importlib.import_module(module), training if row.kind == "training" else inference)
    adapter = adapter(row, row.build(), folder, threads)
    adapter.prepare()
    begin = time.perf_counter()
    adapter.build()
    seconds = time.perf_counter() - begin
    adapter.load()
    error = error_of(adapter.first_results(), folder)
    return adapter, {"version": adapter.version(), "compile_s": round(seconds, 4), "error": error}


def serve(adapter, answer):
    for line in sys.stdin:
        seconds, least = line.split()
        adapter.reset()
        adapter.times(WARM_UP, 1)
        times = adapter.times(float(seconds), int(least))
        answer({"runs": len(times), "minimum": min(times), "times": thinned(times)})


def main(peer, find, name, folder, threads):
    """Measures the row that `find` returns for a name."""
    output = os.dup(1)
    os.dup2(2, 1)

    def answer(value):
        os.write(output, (json.dumps(value) + "\n").encode())
    try:
        adapter, facts = start(peer, find(name), folder, int(threads))
        answer(facts)
        serve(adapter, answer)
    except Exception as error:
        traceback.print_exc()
        answer({"failed": f"{type(error).__name__}: {error}"[:300]})


if __name__ == "__main__":
    main(sys.argv[1], rows.find, *sys.argv[2:])
