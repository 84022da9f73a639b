"""Lathe, an ahead-of-time compiler for array programs.

    import lathe
    module = lathe.compile("model.onnx")
    y = module(x)              # NumPy arrays in, NumPy arrays out
    module.write("model")      # model.o, model.h and model.so, which need neither Python nor Lathe
"""
from ._module import Module, compile
from .errors import CompileError, Diagnostic, LatheError, RunError

__all__ = ["CompileError", "Diagnostic", "LatheError", "Module", "RunError", "compile"]
