"""The variables of a module as a mapping."""
from __future__ import annotations

import os
from typing import Any, Iterable, Iterator, Mapping, Union

import numpy

from ._core import Program


class State(Mapping[str, numpy.ndarray]):
    """The variables of a module by name, as NumPy arrays over their memory: writing into one changes the variable, and calls change the
    arrays. An array stays valid after its module is gone, and writing into it is not ordered with calls of other threads. A copy or a
    pickle of the mapping is a dict of new arrays. Raises KeyError for an unknown name."""

    def __init__(self, program: Program) -> None:
        self._program = program

    def __getitem__(self, name: str) -> numpy.ndarray:
        return self._program.variable(name)

    def __setitem__(self, name: str, value: Any) -> None:
        """Copies a value into a variable. Its shape must broadcast to the variable's; ValueError otherwise."""
        self[name][...] = value

    def __delitem__(self, name: str) -> None:
        """Raises TypeError."""
        raise TypeError(f"variable {name!r} cannot be deleted: the variables of a module are fixed")

    def update(self, values: Union[Mapping[str, Any], Iterable[tuple[str, Any]]] = (), **named: Any) -> None:
        """Copies values into variables, as dict.update. Raises KeyError for an unknown name and ValueError for a shape that does not fit,
        before any variable changes."""
        given = dict(values, **named)
        new = {name: numpy.empty_like(self[name]) for name in given}
        for name, value in given.items():
            new[name][...] = value
        for name, value in new.items():
            self[name] = value

    def copy(self) -> dict[str, numpy.ndarray]:
        """Returns the values of the variables as new arrays."""
        return {name: value.copy() for name, value in self.items()}

    def __reduce__(self) -> tuple[Any, ...]:
        return dict, (self.copy(),)

    def __iter__(self) -> Iterator[str]:
        return iter(self._program.variable_names())

    def __len__(self) -> int:
        return len(self._program.variable_names())

    def __repr__(self) -> str:
        return "State({" + ", ".join(f"{name!r}: {value.dtype}{list(value.shape)}" for name, value in self.items()) + "})"

    def save(self, path: Union[str, os.PathLike[str]]) -> None:
        """Writes the variables as a safetensors file. Raises RunError where it cannot be written."""
        self._program.save_state(os.fspath(path))

    def load(self, path: Union[str, os.PathLike[str]], partial: bool = False) -> tuple[list[str], list[str]]:
        """Reads the variables from a safetensors file, by name. All change, or none.

        Raises RunError if a tensor does not fit its variable, and without `partial` also if a tensor or a variable has no counterpart.
        Returns the names of the variables that the file lacks and of the tensors that no variable takes.
        """
        return self._program.load_state(os.fspath(path), partial)
