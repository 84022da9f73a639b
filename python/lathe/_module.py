"""Compilation, and modules whose entries are functions of arrays."""
import os
import pathlib
import tempfile

from . import _core, _sources
from ._compiler import Recipe, options_of
from ._state import State

_PREFIX = "graph"  # of the C names of what is loaded into this process


def compile(source, example_inputs=None, *, open_dims=None, dims=None, specialize=None, max_steps=None, constants=None, state=None,
            entries=None, target="host", math="strict", check=None, optimize=2, threads=0):
    """Compiles a graph or a model for this process.

    source: the path of a .mlir or .onnx file; the text of a graph; a model as bytes or onnx.ModelProto; a torch.nn.Module; a function
        that jax.jit returns, a jax.export.Exported, or its serialized bytes.
    example_inputs: for a torch.nn.Module, the tensors with which it is exported; for a jitted function, the tuple of its arguments,
        whose leaves become the inputs.
    open_dims: for a torch.nn.Module, for each input a dict from axes to names: [{0: "batch"}]. Other sizes are those of the examples.
    dims: sizes of named dimensions, {"batch": 1}, or expressions of others, {"H": "32*h"}.
    specialize: sizes of named dimensions that get code of their own, {"batch": [1, 8]}.
    max_steps: the most steps of loops of a model that data ends: a number for all, or {"output": number}.
    constants: inputs that become constants, {"name": array}. Their values are part of the code.
    state: patterns of a model's initializers that become variables, which can be trained: ["fc.*"], or "*"; for a program of JAX,
        patterns of its inputs, such as "params_*", which the results that replace them update.
    entries: the functions to export; all public ones by default.
    target: the CPU, and the GPU if there is one, as lathec's --target takes them.
    math: "strict", or "fast" for approximations on GPUs.
    check: "finite" or "bounds" makes calls fail at the first op that produces a NaN or an infinity, or that accesses a tensor out of
        bounds.
    optimize: 0 to 3, as lathec's -O.
    threads: how many threads calls use; 0: one for each core.

    Returns a Module. Raises CompileError with all diagnostics if the graph has errors or an option does not fit.
    """
    taken = _sources.take(source, example_inputs, open_dims)
    options = options_of(dims, specialize, max_steps, state, entries, target, math, check, optimize, taken.variables)
    return Module(Recipe(taken, constants or {}, options), threads)


class Module:
    """A compiled graph. Its entries are attributes, and module(...) calls the first one.

    An entry takes its inputs by position or by name: NumPy arrays, objects with DLPack such as torch tensors, numbers, nested lists. It
    copies only what is not row-major. `out=` gives the arrays for the results, `dims=` the sizes of dimensions that no input has. It
    returns None, an array, or a tuple of arrays. Calls from several threads wait for each other.
    """

    def __init__(self, recipe, threads):
        self._recipe = recipe
        with tempfile.TemporaryDirectory(prefix="lathe-") as folder:
            library = os.path.join(folder, _PREFIX + ".so")
            recipe.run("lathec", f"--name={_PREFIX}", "-o", library)
            self._program = _core.Program(library, _PREFIX, "", threads)
            self.header = pathlib.Path(folder, _PREFIX + ".h").read_text()
        self._entries = {entry.name: entry for entry in self._program.entries}
        self._first = next(iter(self._entries.values()), None)
        self.state = State(self._program)
        if self.state and "init" in self._entries and [kind for _, kind in self._entries["init"].inputs] == ["i64"]:
            self._entries["init"](0)

    def __call__(self, *inputs, **named):
        return self._first(*inputs, **named)

    def __getitem__(self, name):
        return self._entries[name]

    def __getattr__(self, name):
        entries = self.__dict__.get("_entries", {})
        if name not in entries:
            raise AttributeError(f"the module has no entry {name!r}; it has {', '.join(entries) or 'none'}")
        return entries[name]

    def __dir__(self):
        return [*super().__dir__(), *self._entries]

    def __repr__(self):
        def listed(arguments):
            return ", ".join(f"{name}: {kind}" for name, kind in arguments)

        entries = [f"{entry.name}({listed(entry.inputs)}) -> ({listed(entry.results)})" for entry in self._entries.values()]
        return f"<lathe.Module for {self._program.target}: " + "; ".join(entries) + ">"

    @property
    def entries(self):
        """The names of the entries, in the order of the graph."""
        return list(self._entries)

    @property
    def threads(self):
        """How many threads a call uses. The bits of results do not depend on it."""
        return self._program.threads

    @threads.setter
    def threads(self, count):
        self._program.threads = count

    def explain(self):
        """Returns what the compiler decided, a remark on a line."""
        return self._recipe.run("lathec", "--emit=none", "--explain")[1]

    def text(self, stage="plan"):
        """Returns the graph as text after a stage of the compiler: one of lathec's --emit-stage."""
        return self._recipe.run("lathec", "--emit=mlir", f"--emit-stage={stage}", "-o", "-")[0]

    def gradcheck(self, entry=None):
        """Compares the derivatives of an entry, the first one by default, with finite differences in f64. Returns the report. Raises
        CompileError, with the report, if they differ."""
        name = entry or self.entries[0]
        return self._recipe.run("lathe-run", name, "--gradcheck", "--random")[0]

    def write(self, base):
        """Writes the module for programs without Python: BASE.o and BASE.h for C and C++, and BASE.so. C names begin with the last
        part of BASE.

        A program includes BASE.h, and links BASE.o and the runtime of Lathe, which CMake finds in `python -m lathe.config --cmake-dir`.
        Returns the three paths.
        """
        base = pathlib.Path(base)
        base.parent.mkdir(parents=True, exist_ok=True)
        files = [base.with_name(base.name + suffix) for suffix in (".o", ".so")]
        for file in files:
            self._recipe.run("lathec", f"--name={base.name}", "-o", os.fspath(file))
        return [files[0], base.with_name(base.name + ".h"), files[1]]
