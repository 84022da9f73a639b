"""Lathe: a shared library that lathec makes of the row's ONNX model, timed by a loop in C (timing.c)."""
import ctypes
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
from adapter import Adapter
from rows import MOMENTUM, RATES

sys.path.append(str(Path(__file__).resolve().parent.parent))
from compiled import Entry, aligned  # noqa: E402: it is one folder up

MOST = 1 << 20  # calls in a slice
STEP = """func.func private @net({types}) -> tensor<f32> attributes {{lathe.model = "model.onnx"}}
func.func @run({arguments}) -> tensor<f32> {{
  %loss = lathe.minimize @net({names}) with {optimizer} : ({types}) -> tensor<f32>
  return %loss : tensor<f32>
}}
"""
OPTIMIZERS = {"sgd": f"sgd<learning_rate = {RATES['sgd']}, momentum = {MOMENTUM}>", "adam": f"adam<learning_rate = {RATES['adam']}>"}


def step_text(row, graph):
    """Returns the training step as a graph that calls the model and minimises its loss."""
    types = {name: f"tensor<{'x'.join([*map(str, array.shape), 'f32' if array.dtype == np.float32 else 'i64'])}>"
             for name, array in graph.inputs.items()}
    arguments = ", ".join(f"%{name}: {kind}" for name, kind in types.items())
    return STEP.format(types=", ".join(types.values()), arguments=arguments, names=", ".join(f"%{name}" for name in types),
                       optimizer=OPTIMIZERS[row.optimizer])


class Lathe(Adapter):
    shared_object = "libsuite.so"
    extra_options = ()

    def version(self):
        return subprocess.run([self.lathec, "--version"], capture_output=True, text=True, check=True).stdout.split()[-1]

    def prepare(self):
        self.lathec = os.path.join(os.environ["LATHE_BUILD"], "bin/lathec")
        self.timing = ctypes.CDLL(os.environ["LATHE_TIMING"], mode=ctypes.RTLD_GLOBAL)
        self.timing.lathe_context_create.restype = ctypes.c_void_p
        self.timing.suite_time.restype = ctypes.c_int64
        self.source, self.options = "model.onnx", ["--name=suite", *self.extra_options, *self.graph.lathec_options]
        if self.row.kind == "training":
            self.source = "step.mlir"
            Path(self.folder, self.source).write_text(step_text(self.row, self.graph))
            self.options.append("--state=initializers:p*")

    def build(self):
        command = [self.lathec, self.source, *self.options, "--emit=shared", "-o", self.shared_object]
        subprocess.run(command, check=True, cwd=self.folder)

    def load(self):
        """Binds the entries; called once, after build."""
        library = ctypes.CDLL(os.path.join(self.folder, self.shared_object))
        context = self.timing.lathe_context_create(self.threads) if self.threads > 1 else None
        state = None
        if self.row.kind == "training":
            state = aligned(int(re.search(r"STATE_SIZE (\d+)u", Path(self.folder, "suite.h").read_text()).group(1)))
            self.reset = Entry(library, "suite_init", [np.zeros((), np.int64)], [], context, state)
        expected = [np.empty(self.graph.shapes[name], self.graph.element(name)) for name in self.graph.outputs]
        self.entry = Entry(library, "suite_run", self.graph.inputs.values(), expected, context, state)

    def call(self):
        self.entry()

    def results(self):
        return self.entry.results

    def times(self, seconds, least):
        taken = np.empty(MOST, np.int64)
        entry = ctypes.cast(self.entry.entry, ctypes.c_void_p)
        count = self.timing.suite_time(entry, self.entry.args, ctypes.c_int64(int(seconds * 1e9)), ctypes.c_int64(least),
                                       ctypes.c_int64(MOST), ctypes.c_void_p(taken.ctypes.data))
        if count < 0:
            raise RuntimeError(f"the entry returned status {-1 - count}")
        return taken[:count].tolist()


class LatheFast(Lathe):
    """The same with the approximations of docs/fast-math.md."""
    shared_object = "libfast.so"
    extra_options = ("--math=fast",)
