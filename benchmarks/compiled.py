"""A graph as a shared library, called through its C interface, and the time of a call: what the comparisons with peers share."""
import ctypes
import os
import subprocess
import time

import numpy as np


def aligned(size):
    """Returns `size` bytes at a multiple of 64, as entries need their workspace and state."""
    memory = np.zeros(size + 64, np.uint8)
    begin = -memory.ctypes.data % 64
    return memory[begin:begin + size]


class Entry:
    """An entry of a loaded library with its arguments. `results` are arrays of the shapes and types to expect; `context` is the
    address of a lathe_context, None for one thread; `state` is the memory of the variables, for an entry that has some."""

    def __init__(self, library, symbol, inputs, results, context=None, state=None):
        size = library[f"{symbol}_workspace_size"]
        size.restype = ctypes.c_size_t
        self.arrays = [np.ascontiguousarray(array) for array in inputs]
        self.results = [np.empty_like(result) for result in results]
        self.state, self.memory = state, aligned(size())
        pointers = [array.ctypes.data for array in self.arrays + self.results]
        pointers += [] if state is None else [state.ctypes.data]
        pointers += [self.memory.ctypes.data, size()]
        if hasattr(library, f"{symbol}_cold_workspace_size"):
            cold_size = library[f"{symbol}_cold_workspace_size"]
            cold_size.restype = ctypes.c_size_t
            self.cold = aligned(cold_size())
            pointers += [self.cold.ctypes.data, cold_size()]
        pointers += [context, None]
        self.args = (ctypes.c_void_p * len(pointers))(*pointers)
        self.entry = library[symbol]

    def __call__(self):
        if self.entry(self.args) != 0:
            raise SystemExit("an entry failed")
        return self.results


class Compiled(Entry):
    """Calls entry @f of a graph's text."""

    def __init__(self, name, text, lathec, out, inputs, results, context=None):
        path, shared = os.path.join(out, f"{name}.mlir"), os.path.join(out, f"lib{name}.so")
        with open(path, "w") as file:
            file.write(text)
        subprocess.run([lathec, path, "--emit=shared", "-o", shared], check=True, cwd=out)
        super().__init__(ctypes.CDLL(shared), f"{name}_f", inputs, results, context)


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
