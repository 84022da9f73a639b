"""Runs lathec and lathe-run, which the package holds."""
from __future__ import annotations

import os
import pathlib
import re
import subprocess
import tempfile
from typing import Any, Mapping, Optional, Sequence, Union

import numpy

from . import _arrays
from ._sources import Source
from .errors import CompileError, RunError

_BIN = pathlib.Path(__file__).parent / "bin"
_OTHER_ELEMENTS = re.compile(r"^input '(.*)' cannot become a constant: its value has elements of \w+, expected (\w+)")
_FAILED = 4  # lathe-run's exit code for a call that failed


def tool(name: str) -> str:
    """Returns the path of a program of Lathe: in the folder LATHE_BIN, else in the package."""
    return str(pathlib.Path(os.environ.get("LATHE_BIN", _BIN), name))


class Recipe:
    """A source with its options, which can be compiled again."""

    def __init__(self, source: Source, constants: Mapping[str, Any], options: list[str]) -> None:
        """source: a _sources.Source. constants: arrays by the names of inputs, or numbers and lists, which get the input's element type.
        options: arguments of lathec, as a list."""
        self.source = source
        self.constants = {name: numpy.asarray(value) for name, value in constants.items()}
        self.options = options
        self._numbers = {name: value for name, value in constants.items() if isinstance(value, (bool, int, float, list, tuple))}

    def compile(self, *arguments: str) -> tuple[str, str]:
        """Runs lathec on the source. Returns what it writes to standard output and to standard error. Raises CompileError if it fails."""
        try:
            return self._compile(*arguments)
        except CompileError as error:  # only the compiler knows the element types of inputs
            if not self._convert(error):
                raise
        return self.compile(*arguments)

    def _convert(self, error: CompileError) -> bool:
        """Gives a constant that came as numbers the element type that the compiler expects. Returns False if the error has another reason."""
        for diagnostic in error.diagnostics:
            match = _OTHER_ELEMENTS.search(diagnostic.message)
            if match and match[1] in self._numbers:
                self.constants[match[1]] = _arrays.array(match[1], self._numbers.pop(match[1]), match[2].replace("ui", "u"))
                return True
        return False

    def _compile(self, *arguments: str) -> tuple[str, str]:
        with tempfile.TemporaryDirectory(prefix="lathe-") as folder:
            constants = [f"--const-input={name}={file}" for name, file in self._stored(folder)]
            return self._run("lathec", [*self.options, *constants, *arguments])

    def execute(self, entry: str, *arguments: str) -> tuple[str, str]:
        """Runs an entry by lathe-run, and returns what `compile` does. Raises RunError if the call fails, and CompileError for all other
        reasons."""
        with tempfile.TemporaryDirectory(prefix="lathe-") as folder:
            constants = [f"--input={name}=@{file}" for name, file in self._stored(folder)]
            if constants:
                constants.append("--const-inputs=" + ",".join(self.constants))
            options = [text for option in self.options for text in _of_lathe_run(option)]
            return self._run("lathe-run", [entry, *options, *constants, *arguments])

    def _stored(self, folder: str) -> list[tuple[str, str]]:
        files = [(name, os.path.join(folder, f"{i}.npy")) for i, name in enumerate(self.constants)]
        for name, file in files:
            numpy.save(file, self.constants[name])
        return files

    def _run(self, program: str, arguments: Sequence[str]) -> tuple[str, str]:
        done = subprocess.run([tool(program), self.source.path, *arguments], capture_output=True, text=True)
        errors = self.source.shortened(done.stderr)
        if done.returncode == _FAILED and program == "lathe-run":
            raise RunError(errors.rstrip())
        if done.returncode != 0:
            raise CompileError(errors)
        return self.source.shortened(done.stdout), errors


def _of_lathe_run(option: str) -> list[str]:
    """Returns an option of lathec as lathe-run spells it: the entry is an argument of its own, --check means something else."""
    if option.startswith("--entry="):
        return []
    if option.startswith("--check="):
        return [f"--check-{kind}" for kind in option.partition("=")[2].split(",")]
    return [option]


def options_of(dims: Optional[Mapping[str, Union[int, str]]], specialize: Optional[Mapping[str, Union[int, Sequence[int]]]],
               max_steps: Union[int, Mapping[str, int], None], state: Union[str, Sequence[str], None], entries: Optional[Sequence[str]],
               target: str, math: str, check: Optional[str], optimize: int, variables: str = "initializers",
               grad: Union[str, Sequence[str], None] = None, mem_budget: Union[int, str, None] = None,
               offload: bool = False) -> list[str]:
    """Returns lathec's arguments for those of lathe.compile. Raises CompileError for values that none of its options has."""
    for option, value, values in [("math", math, ("strict", "fast")), ("check", check, (None, "finite", "bounds", "finite,bounds")),
                                  ("optimize", optimize, (0, 1, 2, 3))]:
        if value not in values:
            raise CompileError(f"{option} is {value!r}, expected " + " or ".join(repr(each) for each in values))
    fixed = {name: [sizes] if isinstance(sizes, int) else sizes for name, sizes in (specialize or {}).items()}
    steps = {"": max_steps} if isinstance(max_steps, int) else max_steps or {}
    patterns = [state] if isinstance(state, str) else state or []
    functions = [grad] if isinstance(grad, str) else grad or []
    return [
        *(f"--dim={name}={size}" for name, size in (dims or {}).items()),
        *(f"--specialize={name}={','.join(map(str, sizes))}" for name, sizes in fixed.items()),
        *(f"--max-steps={name}={count}" if name else f"--max-steps={count}" for name, count in steps.items()),
        *(f"--state={variables}:{pattern}" for pattern in patterns),
        *(f"--grad={function}" for function in functions),
        *(f"--entry={name}" for name in entries or []),
        *([f"--check={check}"] if check else []),
        *([f"--mem-budget={mem_budget}"] if mem_budget is not None else []),
        *(["--offload"] if offload else []),
        f"--target={target}",
        f"--math={math}",
        f"-O{optimize}",
    ]
