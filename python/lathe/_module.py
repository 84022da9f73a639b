"""Compilation, and modules whose entries are functions of arrays."""
from __future__ import annotations

import os
import pathlib
import tempfile
import time
from typing import Any, Mapping, Optional, Sequence, Union

import numpy

from . import _arrays, _core, _sources
from ._compiler import Recipe, options_of
from ._profile import Profile
from ._state import State

_PREFIX = "graph"  # of the C names of what is loaded into this process


def compile(source: Any, example_inputs: Any = None, *, open_dims: Optional[Sequence[Optional[Mapping[int, str]]]] = None,
            dims: Optional[Mapping[str, Union[int, str]]] = None, specialize: Optional[Mapping[str, Union[int, Sequence[int]]]] = None,
            max_steps: Union[int, Mapping[str, int], None] = None, constants: Optional[Mapping[str, Any]] = None,
            state: Union[str, Sequence[str], None] = None, grad: Union[str, Sequence[str], None] = None,
            entries: Optional[Sequence[str]] = None, target: str = "host", math: str = "strict", check: Optional[str] = None,
            optimize: int = 2, threads: int = 0, mem_budget: Union[int, str, None] = None, offload: bool = False) -> Module:
    """Compiles a graph or a model for this process.

    source: the path of a .mlir, .mlirbc or .onnx file; the text of a graph; an onnx.ModelProto; a torch.nn.Module; a function, jitted or
        not, that JAX lowers; what torch.export, torch.onnx, jax.export or .lower() of a jitted function return; or the bytes of a graph,
        a model, a program of StableHLO or a serialized jax.export.Exported.
    example_inputs: for a torch.nn.Module, the tensors with which it is exported; for a function, the tuple of its arguments, arrays or
        jax.ShapeDtypeStructs or trees of them. All their leaves become inputs, also those that the function does not use.
    open_dims: for a torch.nn.Module or a function, for each argument a dict from axes to names: [{0: "batch"}]. Other sizes are those of
        the examples. For a torch.export.ExportedProgram, names of the sizes that its export left open.
    dims: sizes of named dimensions, {"batch": 1}, or expressions of others, {"H": "32*h"}.
    specialize: sizes of named dimensions that get code of their own, {"batch": [1, 8]} or {"batch": 8}.
    max_steps: the most steps of loops of a model that data ends: a number for all, or {"output": number}.
    constants: inputs that become constants, {"name": array}, or numbers and lists, which get the input's element type. Their values are
        part of the code.
    state: patterns of a model's initializers that become variables, which can be trained: ["fc.*"], or "*"; for a program of JAX,
        patterns of its inputs, such as "params_*", which the results that replace them update.
    grad: functions whose gradients become entries of their own: "loss" adds loss_grad, which returns what loss does and the gradients of
        its first result, a scalar, by each input of floats; "loss:wrt=a,b" only those by a and b. The entry of a model is "run", that
        of a jitted function "main".
    entries: the functions to export; all public ones by default.
    target: the CPU, and the GPU if there is one, as lathec's --target takes them.
    math: "strict", or "fast" for approximations, on CPUs too (docs/fast-math.md).
    check: "finite" or "bounds" makes calls fail at the first op that produces a NaN or an infinity, or that accesses a tensor out of
        bounds.
    optimize: 0 to 3, as lathec's -O.
    threads: how many threads calls use; 0: one for each core.
    mem_budget: the largest workspace of each entry, in bytes or as "64MB", with the largest sizes of named dimensions where there are
        any, "64MB:batch=32" (docs/memory.md). Values are computed again to keep to it; CompileError names the least that is possible.
    offload: with mem_budget, values that are not read for long may also move to a second workspace, which the budget does not count.

    Returns a Module. Raises CompileError with all diagnostics if the graph has errors or an option does not fit, FileNotFoundError if
    there is no such file, and TypeError for a source or options of another kind.
    """
    taken = _sources.take(source, example_inputs, open_dims)
    options = options_of(dims, specialize, max_steps, state, entries, target, math, check, optimize, taken.variables, grad, mem_budget, offload)
    return Module(Recipe(taken, constants or {}, options), threads)


def _sizes(dims: Optional[Mapping[str, int]]) -> list[str]:
    """Returns lathe-run's arguments for sizes of dimensions."""
    return [f"--dim={name}={size}" for name, size in (dims or {}).items()]


def _stored(values: Mapping[str, numpy.ndarray], folder: str) -> list[str]:
    """Stores inputs in a folder, and returns lathe-run's arguments for them."""
    arguments = []
    for i, (name, value) in enumerate(values.items()):
        file = os.path.join(folder, f"in{i}.npy")
        numpy.save(file, value)
        arguments.append(f"--input={name}=@{file}")
    return arguments


class Written(list[pathlib.Path]):
    """The paths of what `Module.write` wrote, and how a C program links it."""

    @property
    def command(self) -> str:
        """The command that makes a program of main.c, which includes the header."""
        return f"cc -O2 main.c {self[0]} $(python -m lathe.config --cflags --libs) -o main"

    def __repr__(self) -> str:
        return "wrote " + ", ".join(map(str, self)) + f"; main.c includes {self[1].name}: {self.command}"


class Module:
    """A compiled graph. Its entries are attributes, and module(...) calls the first one.

    An entry takes its inputs by position or by name: NumPy arrays, objects with DLPack such as torch tensors, numbers, nested lists. It
    copies only what is not row-major. `out=` gives the arrays for the results, `dims=` the sizes of dimensions that no input has,
    `threads=` the number of threads of this call. It returns None, an array, or a tuple of arrays. Calls from several threads wait for
    each other. `entry.defaults` has values of inputs that a call need not give.

    repr() of the module, and of an entry, lists the types and shapes of inputs and results: `scale(x: f32[N][3]) -> (y: f32[N][3])`. A
    call raises TypeError for an input of another element type, on a device or missing, ValueError for one of another shape and for a
    result of `out=` that is read-only or does not fit, and RunError if the entry refuses the sizes or fails.
    """

    def __init__(self, recipe: Recipe, threads: int, defaults: Optional[Mapping[str, Mapping[str, Any]]] = None) -> None:
        """defaults: values for inputs of entries, {"step": {"learning_rate": 0.001}}, with which calls need not give them."""
        self._recipe = recipe
        with tempfile.TemporaryDirectory(prefix="lathe-") as folder:
            library = os.path.join(folder, _PREFIX + ".so")
            recipe.compile(f"--name={_PREFIX}", "-o", library)
            try:
                self._program = _core.Program(library, _PREFIX, "", threads)
            except ImportError as error:
                raise ImportError("the code does not run in this process: a module is code for this machine; compile for another one with "
                                  "lathec --target") from error
            self.header = pathlib.Path(folder, _PREFIX + ".h").read_text()
        self._entries = {entry.name: entry for entry in self._program.entries}
        for name, values in (defaults or {}).items():
            self._entries[name].defaults = dict(values)
        self._first = next(iter(self._entries.values()))
        self.state = State(self._program)
        if self.state and "init" in self._entries and [kind for _, kind in self._entries["init"].inputs] == ["i64"]:
            self._entries["init"](0)

    def __call__(self, *inputs: Any, **named: Any) -> Any:
        """Calls the first entry. The class describes arguments, results and errors."""
        return self._first(*inputs, **named)

    def __getitem__(self, name: str) -> _core.Entry:
        """Returns an entry by its name. Raises KeyError if there is none."""
        return self._entries[name]

    def __getattr__(self, name: str) -> _core.Entry:
        """Returns an entry by its name. Raises AttributeError if there is none."""
        entries = self.__dict__.get("_entries", {})
        if name not in entries:
            raise AttributeError(f"the module has no entry {name!r}; it has {', '.join(entries) or 'none'}")
        return entries[name]

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self._entries]

    def __repr__(self) -> str:
        return f"<lathe.Module for {self._program.target}: " + "; ".join(entry.signature for entry in self._entries.values()) + ">"

    def __reduce__(self) -> tuple[Any, ...]:
        raise TypeError("a module cannot be copied or pickled: it is code in this process; compile the source again, and pass the variables on "
                        "by state.copy() or state.save()")

    @property
    def entries(self) -> list[str]:
        """The names of the entries, in the order of the graph."""
        return list(self._entries)

    @property
    def threads(self) -> int:
        """How many threads a call without `threads=` uses. The bits of results do not depend on it. The module keeps the threads of each
        number that was used."""
        return self._program.threads

    @threads.setter
    def threads(self, count: int) -> None:
        self._program.threads = count

    def explain(self) -> str:
        """Returns what the compiler decided, a remark on a line."""
        return self._recipe.compile("--emit=none", "--explain")[1]

    def text(self, stage: str = "plan") -> str:
        """Returns the graph as text after a stage of the compiler: one of lathec's --emit-stage. Raises CompileError for another one."""
        return self._recipe.compile("--emit=mlir", f"--emit-stage={stage}", "-o", "-")[0]

    def gradcheck(self, entry: Optional[str] = None, *, inputs: Any = (),
                  dims: Optional[Mapping[str, int]] = None) -> str:
        """Compares the derivatives of an entry, the first one by default, with finite differences in f64.

        inputs: where the derivatives are taken: a tuple with the first inputs, or a dict of any inputs by name, {"labels": [0, 2, 1]}. The
        others are random, and variables have the values that they begin with. dims: the sizes of named dimensions that no given input has, {"batch": 4}. Returns the
        report. Raises TypeError for inputs that the entry does not have, and CompileError if one does not fit or, with the report, if the
        derivatives differ.
        """
        function = self._named(entry)
        named = inputs if isinstance(inputs, Mapping) else {}
        listed = inputs if isinstance(inputs, (tuple, list)) else () if named is inputs else (inputs,)
        values = _arrays.given(function, listed, named)
        with tempfile.TemporaryDirectory(prefix="lathe-") as folder:
            arguments = [*_sizes(dims), *_stored(values, folder)]
            return self._recipe.execute(function.name, "--gradcheck", "--random", *arguments)[0]

    def profile(self, *inputs: Any, entry: Optional[str] = None, seconds: float = 0.5, **named: Any) -> Profile:
        """Calls an entry, the first one by default, for about this many seconds, and returns the times of its kernels.

        Inputs are those of a call. After one call that is not counted there is at least one that is. Variables keep their values. Raises
        what a call raises. Calls of other threads meanwhile are counted as well.
        """
        function = self._named(entry)
        kept = {name: numpy.array(value) for name, value in self.state.items()}
        try:
            function(*inputs, **named)
            self._program.start_profile()
            calls, start = 0, time.perf_counter()
            while calls == 0 or time.perf_counter() - start < seconds:
                function(*inputs, **named)
                calls += 1
            taken = time.perf_counter() - start
        finally:
            rows = self._program.take_profile()
            for name, value in kept.items():
                self.state[name] = value
        return Profile(function.name, rows, calls, taken)

    def interpret(self, *inputs: Any, entry: Optional[str] = None, dims: Optional[Mapping[str, int]] = None, **named: Any) -> Any:
        """Runs an entry, the first one by default, in the reference interpreter, which defines what each op means.

        Inputs are those of a call; results are new arrays as a call returns them, those of bf16 as float32. The interpreter reads the
        module's variables, and they keep their values. It is slow. Raises TypeError for inputs that the entry does not have, CompileError
        if an input does not fit, and RunError if the entry fails.
        """
        function = self._named(entry)
        values = _arrays.bound(function, inputs, named)
        with tempfile.TemporaryDirectory(prefix="lathe-") as folder:
            arguments = [*_sizes(dims), *_stored(values, folder)]
            files = [os.path.join(folder, f"out{i}.npy") for i in range(len(function.results))]
            arguments += [f"--output={name}=@{file}" for (name, _), file in zip(function.results, files)]
            if self.state:
                self.state.save(os.path.join(folder, "state"))
                arguments.append("--load-state=" + os.path.join(folder, "state"))
            self._recipe.execute(function.name, "--interpret", *arguments)
            results = tuple(numpy.load(file) for file in files)
        return results if len(results) > 1 else results[0] if results else None

    def _named(self, entry: Optional[str]) -> _core.Entry:
        return self._first if entry is None else getattr(self, entry)

    def write(self, base: Union[str, os.PathLike[str]]) -> Written:
        """Writes the module for programs without Python: BASE.o, BASE.h for C and BASE.hpp for C++, and BASE.so. C names begin with the
        last part of BASE.

        A program includes BASE.h or BASE.hpp, and links BASE.o and the runtime of Lathe, which CMake finds in
        `python -m lathe.config --cmake-dir`. Returns the list of the four paths, whose text says how to link, and whose `command` is the
        command line that does. Raises CompileError if the last part of BASE is not a C identifier.
        """
        base = pathlib.Path(base)
        base.parent.mkdir(parents=True, exist_ok=True)
        paths = Written(base.with_name(base.name + suffix) for suffix in (".o", ".h", ".hpp", ".so"))
        for file, options in [(paths[0], ["--cxx-header"]), (paths[3], [])]:
            self._recipe.compile(f"--name={base.name}", *options, "-o", os.fspath(file))
        return paths
