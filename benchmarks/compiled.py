"""A graph as a shared library, called through its C interface, and the time of a call: what the comparisons with peers share."""
import ctypes
import os
import subprocess
import time

import numpy as np


class Compiled:
    """Calls entry @f of a graph's text. `results` are arrays of the shapes and types to expect; `context` a lathe_context's address,
    None for one thread."""

    def __init__(self, name, text, lathec, out, inputs, results, context=None):
        path, shared = os.path.join(out, f"{name}.mlir"), os.path.join(out, f"lib{name}.so")
        with open(path, "w") as file:
            file.write(text)
        subprocess.run([lathec, path, "--emit=shared", "-o", shared], check=True, cwd=out)
        library = ctypes.CDLL(shared)
        size = library[f"{name}_f_workspace_size"]
        size.restype = ctypes.c_size_t
        self.arrays = [np.ascontiguousarray(array) for array in inputs]
        self.results = [np.empty_like(result) for result in results]
        self.memory = np.empty(size() + 64, np.uint8)
        place = -(-self.memory.ctypes.data // 64) * 64
        pointers = [array.ctypes.data for array in self.arrays + self.results] + [place, size(), context, None]
        self.args = (ctypes.c_void_p * len(pointers))(*pointers)
        self.entry = library[f"{name}_f"]

    def __call__(self):
        if self.entry(self.args) != 0:
            raise SystemExit("an entry failed")
        return self.results


def least_time(call, seconds):
    """Of the calls that fit into so many seconds, in ms."""
    least, end = float("inf"), time.perf_counter() + seconds
    while True:
        begin = time.perf_counter()
        call()
        now = time.perf_counter()
        least = min(least, now - begin)
        if now > end:
            return least * 1e3


def least_times(calls, rounds, seconds):
    """The same of each of some calls by name, in turns."""
    best = {name: float("inf") for name in calls}
    for _ in range(rounds):
        for name in best:
            best[name] = min(best[name], least_time(calls[name], seconds))
    return best
