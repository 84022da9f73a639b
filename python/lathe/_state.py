"""The variables of a module as a mapping."""
import collections.abc
import os


class State(collections.abc.Mapping):
    """The variables of a module by name, as NumPy arrays over their memory: writing into one changes the variable, and calls change the
    arrays. An array stays valid after its module is gone."""

    def __init__(self, program):
        self._program = program

    def __getitem__(self, name):
        return self._program.variable(name)

    def __setitem__(self, name, value):
        """Copies a value into a variable. Its shape must broadcast to the variable's."""
        self[name][...] = value

    def __iter__(self):
        return iter(self._program.variable_names())

    def __len__(self):
        return len(self._program.variable_names())

    def __repr__(self):
        return "State({" + ", ".join(f"{name!r}: {value.dtype}{list(value.shape)}" for name, value in self.items()) + "})"

    def save(self, path):
        """Writes the variables as a safetensors file. Raises RunError where it cannot be written."""
        self._program.save_state(os.fspath(path))

    def load(self, path, partial=False):
        """Reads the variables from a safetensors file, by name. All change, or none.

        Raises RunError if a tensor does not fit its variable, and without `partial` also if a tensor or a variable has no counterpart.
        Returns the names of the variables that the file lacks and of the tensors that no variable takes.
        """
        return self._program.load_state(os.fspath(path), partial)
