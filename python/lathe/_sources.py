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
from typing import Any, Iterator, Mapping, Optional

from . import _lowering, _train_mode
from ._lowering import OpenDims

_BYTECODE = b"ML\xefR"  # MLIR's bytecode begins with it
_PORTABLE = b"StableHLO_v"  # follows in programs whose ops have a version


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


def take(source: Any, example_inputs: Any, open_dims: OpenDims) -> Source:
    """Returns the Source for what lathe.compile takes."""
    is_exported, is_called = is_exported_program(source), is_function(source)
    if open_dims is not None and not (is_torch_module(source) or is_exported or is_called):
        raise TypeError("open_dims= is for a torch.nn.Module, its torch.export.ExportedProgram and a function; export a function of JAX with "
                        "symbolic shapes, and give a graph or a model names for its sizes")
    if isinstance(open_dims, Mapping):
        raise TypeError('open_dims= is a list with a dict for each input, [{0: "batch"}], not a dict')
    if isinstance(source, os.PathLike) or isinstance(source, str) and _is_path(source):
        return _file(os.fspath(source))
    if isinstance(source, str):
        return Source(name="graph.mlir", content=source.encode())
    if isinstance(source, (bytes, bytearray, memoryview)):
        return _content(bytes(source))
    if hasattr(source, "mlir_module"):  # a jax.export.Exported
        return program(source.mlir_module())
    if hasattr(source, "compiler_ir"):  # a jax.stages.Lowered
        return program(source.as_text(debug_info=True))
    if is_exported:
        return _program_of_torch(source, open_dims)
    if is_called:
        if example_inputs is None:
            raise TypeError("a function needs example_inputs, the tuple of the arguments for which JAX lowers it")
        return program(_lowering.text(source, _tuple_of(example_inputs), open_dims))
    if is_torch_module(source):
        return exported(source, example_inputs, open_dims)
    model = getattr(source, "model_proto", source)  # of a torch.onnx.ONNXProgram, or an onnx.ModelProto itself
    if hasattr(model, "SerializeToString"):
        return Source(name="model.onnx", content=model.SerializeToString())
    raise TypeError(
        f"cannot compile an object of type {type(source).__name__}; expected the path of a .mlir, .mlirbc or .onnx file, the text of a graph, "
        "a model or a program as bytes, an onnx.ModelProto, a torch.nn.Module or a function with example inputs, or what torch.export, "
        "jax.export or .lower() of a jitted function return"
    )


def _is_path(text: str) -> bool:
    """True if a text is the path of a file, not a graph."""
    return "\n" not in text and (text.endswith((".mlir", ".mlirbc", ".onnx")) or os.path.isfile(text))


def _file(path: str) -> Source:
    """Returns the Source for a file. Raises FileNotFoundError if there is none."""
    with open(path, "rb") as file:
        begin = file.read(len(_BYTECODE) + 64)
    if begin.startswith(_BYTECODE) and _PORTABLE in begin:
        return _content(pathlib.Path(path).read_bytes())
    return Source(path)


def _content(content: bytes) -> Source:
    """Returns the Source for a graph in text, MLIR's bytecode, a program of StableHLO as jax.export serializes it, or an ONNX model."""
    if content.startswith(_BYTECODE) and _PORTABLE not in content[:len(_BYTECODE) + 64]:
        return Source(name="graph.mlirbc", content=content)
    if content.startswith(_BYTECODE):
        return program(_lowering.portable_text(content))
    if _PORTABLE in content:  # in front of the program in an Exported
        from jax import export

        return program(export.deserialize(bytearray(content)).mlir_module())
    if _is_text(content):
        return Source(name="graph.mlir", content=content)
    return Source(name="model.onnx", content=content)


def _is_text(content: bytes) -> bool:
    """True for UTF-8 without control characters. A model in ONNX's format has some."""
    try:
        return not any(char < " " and not char.isspace() for char in content.decode())
    except UnicodeDecodeError:
        return False


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


def is_exported_program(source: Any) -> bool:
    """True for a torch.export.ExportedProgram, without an import of torch."""
    return type(source).__name__ == "ExportedProgram" and type(source).__module__.startswith("torch.export.")


def is_function(source: Any) -> bool:
    """True for a function, jitted or not, which JAX is to lower."""
    return callable(source) and not isinstance(source, type) and not is_torch_module(source) and not is_exported_program(source) \
        and not hasattr(source, "SerializeToString") and not hasattr(source, "model_proto")


def exported(module: Any, example_inputs: Any, open_dims: OpenDims) -> Source:
    """Exports a torch module as it is in inference."""
    inputs = _tuple_of(example_inputs)
    with _in_inference(module):
        return _export(module, inputs, open_dims, simplify=True)


def exported_for_training(module: Any, example_inputs: Any,
                          open_dims: OpenDims) -> tuple[Source, _train_mode.TrainMode]:
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


def _export(module: Any, inputs: tuple[Any, ...], open_dims: OpenDims, simplify: bool) -> Source:
    _check_exporter()
    with _named_apart(module):
        shapes = _grouped(module.forward, [dims or {} for dims in open_dims]) if open_dims else None
        return _onnx(module, inputs, shapes, simplify)


@contextlib.contextmanager
def _named_apart(module: Any) -> Iterator[None]:
    """Gives inputs other names inside the context where a parameter or a buffer has their name, from which PyTorch's exporter does not
    tell them apart."""
    taken = {name for name, _ in [*module.named_parameters(), *module.named_buffers()]}
    original, own = module.forward, module.__dict__.get("forward")
    parameters = inspect.signature(original).parameters
    if not taken & set(parameters):
        yield
        return

    def forward(*inputs: Any) -> Any:
        return original(*inputs)

    names: list[str] = []
    for name in parameters:
        while name in taken or name in names:
            name += "_"
        names.append(name)
    forward.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
        [each.replace(name=name) for each, name in zip(parameters.values(), names)])
    module.forward = forward
    try:
        yield
    finally:
        if own is None:
            del module.forward
        else:
            module.forward = own


def _program_of_torch(program: Any, open_dims: OpenDims) -> Source:
    """Returns the Source for a torch.export.ExportedProgram. Its sizes are open or fixed; open_dims gives names to open ones."""
    _check_exporter()
    return _onnx(program, (), tuple(dims or {} for dims in open_dims) if open_dims else None, simplify=True)


def _check_exporter() -> None:
    """Raises ImportError if the exporter of PyTorch lacks a package."""
    try:
        import onnxscript  # noqa: F401 - PyTorch's exporter imports it, but pip does not install it with PyTorch
    except ImportError as error:
        raise ImportError("PyTorch needs the package onnxscript for the export of a module: pip install onnxscript") from error


def _onnx(module: Any, inputs: tuple[Any, ...], shapes: Any, simplify: bool) -> Source:
    import torch

    made = Source(name="model.onnx")
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Exporting a model while it is in training mode")
        program: Any = torch.onnx.export(module, inputs, made.path, dynamo=True, dynamic_shapes=shapes, verbose=False, optimize=simplify)
    made.initializers = set(program.model.graph.initializers)
    return made
