"""What can be compiled, as a file that the compiler reads."""
from __future__ import annotations

import contextlib
import inspect
import os
import pathlib
import shutil
import tempfile
import warnings
import weakref
from typing import Any, Iterator, Mapping, Optional, Sequence

from . import _train_mode


class Source:
    """A file with a graph or a model. A temporary one lives as long as this object."""

    def __init__(self, path: Optional[str] = None, name: str = "", content: bytes = b"", beside: Optional[Source] = None) -> None:
        """Takes the file `path`, or writes a temporary one: into a folder of its own, or into that of the temporary source `beside`,
        which lives as long."""
        self.variables = "initializers"  # what can become variables
        self.initializers: set[str] = set()  # names of those of an exported module
        self._folder: Optional[str] = beside._folder if beside else None
        self._beside = beside
        if path is None:
            if not self._folder:
                self._folder = tempfile.mkdtemp(prefix="lathe-")
                weakref.finalize(self, shutil.rmtree, self._folder, ignore_errors=True)
            path = os.path.join(self._folder, name)
            pathlib.Path(path).write_bytes(content)
        self.path = path

    def shortened(self, text: str) -> str:
        """Returns a text of the compiler without the names of temporary folders."""
        return text.replace(self._folder + os.sep, "") if self._folder else text


def take(source: Any, example_inputs: Any, open_dims: Optional[Sequence[Optional[Mapping[int, str]]]]) -> Source:
    """Returns the Source for what lathe.compile takes."""
    if open_dims is not None and not is_torch_module(source):
        raise TypeError("open_dims= is for a torch.nn.Module; lower a jitted function by jax.export with symbolic shapes, and give a graph "
                        "or a model names for its sizes")
    if isinstance(open_dims, Mapping):
        raise TypeError('open_dims= is a list with a dict for each input, [{0: "batch"}], not a dict')
    if isinstance(source, os.PathLike):
        return Source(os.fspath(source))
    if isinstance(source, str) and source.endswith((".mlir", ".onnx")) and "\n" not in source:
        return Source(source)
    if isinstance(source, str):
        return Source(name="graph.mlir", content=source.encode())
    if isinstance(source, (bytes, bytearray)) and b"StableHLO_v" in source:  # in front of the program of a serialized export
        from jax import export

        source = export.deserialize(bytearray(source))
    if hasattr(source, "mlir_module"):  # a jax.export.Exported
        return program(source.mlir_module())
    if hasattr(source, "lower") and hasattr(source, "trace"):  # of jax.jit
        if example_inputs is None:
            raise TypeError("a jitted function needs example_inputs, the tuple of the arguments for which it is lowered")
        inputs = example_inputs if isinstance(example_inputs, (tuple, list)) else (example_inputs,)
        return program(source.lower(*inputs).as_text(debug_info=True))
    if isinstance(source, (bytes, bytearray)):
        return Source(name="model.onnx", content=bytes(source))
    if is_torch_module(source):
        return exported(source, example_inputs, open_dims)
    if hasattr(source, "SerializeToString"):
        return Source(name="model.onnx", content=source.SerializeToString())
    raise TypeError(
        f"cannot compile an object of type {type(source).__name__}; expected the path of a .mlir or .onnx file, the text of a graph, a model "
        "as bytes or as onnx.ModelProto, a torch.nn.Module or a jitted function of JAX with example inputs, or an export of JAX"
    )


def program(text: str) -> Source:
    """Returns the Source of a StableHLO program."""
    made = Source(name="program.mlir", content=text.encode())
    made.variables = "arguments"
    return made


def copied(source: Source, name: str) -> Source:
    """Returns a temporary Source with the content of another one."""
    return Source(name=name, content=pathlib.Path(source.path).read_bytes())


def is_torch_module(source: Any) -> bool:
    """True for a torch.nn.Module, without an import of torch."""
    return any(kind.__module__.startswith("torch.nn.") and kind.__name__ == "Module" for kind in type(source).__mro__)


def exported(module: Any, example_inputs: Any, open_dims: Optional[Sequence[Optional[Mapping[int, str]]]]) -> Source:
    """Exports a torch module as it is in inference."""
    inputs = _tuple_of(example_inputs)
    with _in_inference(module):
        return _export(module, inputs, open_dims, simplify=True)


def exported_for_training(module: Any, example_inputs: Any,
                          open_dims: Optional[Sequence[Optional[Mapping[int, str]]]]) -> tuple[Source, _train_mode.TrainMode]:
    """Exports a torch module whose parameters keep their names and their forms: as it is in inference, or, if it differs in training, as
    _train_mode.traced says. Layers that are set to inference by themselves stay so."""
    inputs = _tuple_of(example_inputs)
    with _train_mode.traced(module, inputs) as mode:
        if mode.differs:
            more = mode.further_inputs()
            shapes = [*(open_dims or [None] * len(inputs)), *[None] * len(more)]
            return _export(module, inputs + more, shapes, simplify=False), mode
    with _in_inference(module):
        return _export(module, inputs, open_dims, simplify=False), mode


def _tuple_of(example_inputs: Any) -> tuple[Any, ...]:
    if example_inputs is None:
        raise TypeError("a torch.nn.Module needs example_inputs, the tensors with which it is exported")
    return tuple(example_inputs) if isinstance(example_inputs, (tuple, list)) else (example_inputs,)


@contextlib.contextmanager
def _in_inference(module: Any) -> Iterator[None]:
    modes = [(layer, layer.training) for layer in module.modules()]
    module.eval()
    try:
        yield
    finally:
        for layer, training in modes:
            layer.training = training


def _grouped(function: Any, inputs: list[Any]) -> tuple[Any, ...]:
    """Returns what belongs to the inputs of a function as torch.export takes it: one tuple for all those of *arguments."""
    parameters = list(inspect.signature(function).parameters.values())
    starred = [i for i, each in enumerate(parameters) if each.kind == inspect.Parameter.VAR_POSITIONAL]
    return (*inputs[:starred[0]], tuple(inputs[starred[0]:])) if starred else tuple(inputs)


def _export(module: Any, inputs: tuple[Any, ...], open_dims: Optional[Sequence[Optional[Mapping[int, str]]]], simplify: bool) -> Source:
    try:
        import onnxscript  # noqa: F401 - PyTorch's exporter imports it, but pip does not install it with PyTorch
    except ImportError as error:
        raise ImportError("PyTorch needs the package onnxscript for the export of a module: pip install onnxscript") from error
    import torch

    made = Source(name="model.onnx")
    shapes = _grouped(module.forward, [dims or {} for dims in open_dims]) if open_dims else None
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Exporting a model while it is in training mode")
        program = torch.onnx.export(module, inputs, made.path, dynamo=True, dynamic_shapes=shapes, verbose=False, optimize=simplify)
    made.initializers = set(program.model.graph.initializers)
    return made
