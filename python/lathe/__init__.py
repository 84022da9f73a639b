"""Lathe, an ahead-of-time compiler for array programs.

    import lathe
    module = lathe.compile("model.onnx")
    y = module(x)              # NumPy arrays in, NumPy arrays out
    module.write("model")      # model.o, model.h and model.so, which need neither Python nor Lathe
"""
from . import optim
from ._module import Module, compile
from ._training import train_step
from .errors import CompileError, Diagnostic, LatheError, RunError

__all__ = ["CompileError", "Diagnostic", "LatheError", "Module", "RunError", "compile", "optim", "train_step"]
