"""worker.py ROW PEER FOLDER SECONDS: prints, as JSON, the memory that training steps take beyond parameters and optimiser state, and
their least time in ms, on one thread.

PEER is lathe, lathe:BYTES (a budget), lathe:BYTES:offload (whose second region does not count), torch, torch:checkpoint (segments of a
root of the number of ops) or torch:budget=SHARE (torch.compile with an activation memory budget). The memory is measured in the same way
for all: the largest resident size during some steps, less that before them, after a first step and with freed memory given back to the
system."""
import ctypes
import gc
import json
import math
import os
import sys
import time
from pathlib import Path

SUITE = Path(__file__).resolve().parent.parent / "suite"
sys.path += [str(SUITE), str(SUITE.parent)]
import networks_of_memory  # noqa: E402


def resident(field):
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(field):
            return int(line.split()[1]) * 1024
    raise SystemExit(f"/proc/self/status has no {field}")


def peak_of(call, steps=3):
    """Returns the bytes by which the resident size grows during some calls."""
    gc.collect()
    ctypes.CDLL(None).malloc_trim(0)
    Path("/proc/self/clear_refs").write_text("5")  # the largest size begins anew
    before = resident("VmRSS")
    for _ in range(steps):
        call()
    return resident("VmHWM") - before


def least_of(call, seconds):
    least, end = math.inf, time.perf_counter() + seconds
    while True:
        begin = time.process_time_ns()
        call()
        least = min(least, time.process_time_ns() - begin)
        if time.perf_counter() > end:
            return least / 1e6


def lathe_step(row, graph, folder, budget):
    import numpy as np
    from adapter_lathe import Lathe
    from compiled import aligned

    class Budgeted(Lathe):
        def prepare(self):
            super().prepare()
            if budget:
                size, *offload = budget.split(":")
                self.options += [f"--mem-budget={size}", *(f"--{option}" for option in offload)]

    peer = Budgeted(row, graph, folder, 1)
    peer.prepare()
    peer.build()
    peer.load()
    peer.reset()
    entry = peer.entry
    size = len(entry.memory)
    entry.memory = None  # each step below has memory of its own
    place = len(entry.args) - (6 if hasattr(entry, "cold") else 4)

    def step():
        workspace = aligned(size) if size > 1 << 20 else np.zeros(size + 64, np.uint8)
        entry.args[place] = workspace.ctypes.data + (-workspace.ctypes.data % 64)
        peer.call()
    return step, size


def torch_step(row, graph, how):
    import networks_in_segments
    from adapter_torch import TorchTraining
    import torch

    class Peer(TorchTraining):
        def prepare(self):
            super().prepare()
            if how == "checkpoint":
                self.forward = networks_in_segments.checkpointed(graph, self.module)
            elif how.startswith("budget="):
                import torch._functorch.config
                torch._functorch.config.activation_memory_budget = float(how[7:])
                self.forward = torch.compile(self.module, dynamic=False)

        def call(self):
            super().call()
            self.optimizer.zero_grad(set_to_none=True)

    peer = Peer(row, graph, "", 1)
    peer.prepare()
    return peer.call, None


def main():
    name, peer, folder, seconds = sys.argv[1:]
    kind, _, detail = peer.partition(":")
    row = networks_of_memory.find(name)
    graph = row.build()
    step, planned = lathe_step(row, graph, folder, detail) if kind == "lathe" else torch_step(row, graph, detail)
    step()
    step()
    print(json.dumps({"row": name, "peer": peer, "peak": peak_of(step), "planned": planned, "ms": least_of(step, float(seconds))}))


os.environ.setdefault("OMP_NUM_THREADS", "1")
main()
