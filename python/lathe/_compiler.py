"""Runs lathec, which the package holds."""
import os
import pathlib
import subprocess
import tempfile

import numpy

from .errors import CompileError

_BIN = pathlib.Path(__file__).parent / "bin"


def tool(name):
    """Returns the path of a program of Lathe: in the folder LATHE_BIN, else in the package."""
    return str(pathlib.Path(os.environ.get("LATHE_BIN", _BIN), name))


class Recipe:
    """A source with its options, which can be compiled again."""

    def __init__(self, source, constants, options):
        """source: a _sources.Source. constants: arrays by the names of inputs. options: arguments of lathec, as a list."""
        self.source = source
        self.constants = {name: numpy.asarray(value) for name, value in constants.items()}
        self.options = options

    def run(self, program, *arguments):
        """Runs lathec or lathe-run on the source. Returns what it writes to standard output and to standard error. Raises CompileError
        if it fails."""
        with tempfile.TemporaryDirectory(prefix="lathe-") as folder:
            command = [tool(program), self.source.path, *self.options, *arguments]
            for i, (name, value) in enumerate(self.constants.items()):
                file = os.path.join(folder, f"{i}.npy")
                numpy.save(file, value)
                command.append(f"--const-input={name}={file}")
            done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode != 0:
            raise CompileError(self.source.shortened(done.stderr))
        return self.source.shortened(done.stdout), self.source.shortened(done.stderr)


def options_of(dims, specialize, max_steps, state, entries, target, math, check, optimize, variables="initializers"):
    """Returns lathec's arguments for those of lathe.compile."""
    steps = max_steps if isinstance(max_steps, dict) else {None: max_steps} if max_steps is not None else {}
    patterns = [state] if isinstance(state, str) else state or []
    return [
        *(f"--dim={name}={size}" for name, size in (dims or {}).items()),
        *(f"--specialize={name}={','.join(map(str, sizes))}" for name, sizes in (specialize or {}).items()),
        *(f"--max-steps={name}={count}" if name else f"--max-steps={count}" for name, count in steps.items()),
        *(f"--state={variables}:{pattern}" for pattern in patterns),
        *(f"--entry={name}" for name in entries or []),
        *([f"--check={check}"] if check else []),
        f"--target={target}",
        f"--math={math}",
        f"-O{optimize}",
    ]
