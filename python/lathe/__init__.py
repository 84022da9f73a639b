"""Lathe, an ahead-of-time compiler for array programs.

    import lathe
    module = lathe.compile("model.onnx")
    y = module(x)              # NumPy arrays in, NumPy arrays out
    module.write("model")      # model.o, model.h, model.hpp and model.so, which need neither Python nor Lathe
"""
from . import optim
from ._core import Entry, __version__
from ._module import Module, Written, compile
from ._profile import KernelTime, Profile
from ._state import State
from ._training import train_step
from .errors import CompileError, Diagnostic, LatheError, RunError

__all__ = ["CompileError", "Diagnostic", "Entry", "KernelTime", "LatheError", "Module", "Profile", "RunError", "State", "Written",
           "__version__", "compile", "optim", "train_step"]
