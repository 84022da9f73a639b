"""Training steps: a model, a loss and an optimiser as one graph."""
from __future__ import annotations

import re
from typing import Any, Mapping, Optional, Sequence

from . import _sources
from ._compiler import Recipe, options_of
from ._core import Entry
from ._module import Module
from ._train_mode import SEED, TrainMode
from .errors import LatheError
from .optim import Optimizer, adamw

_ELEMENTS = {"float64": "f64", "float32": "f32", "float16": "f16", "bfloat16": "bf16", "bool": "i1", "int8": "i8", "int16": "i16",
             "int32": "i32", "int64": "i64", "uint8": "ui8", "uint16": "ui16", "uint32": "ui32", "uint64": "ui64"}


def train_step(source: Any, loss: str, example_inputs: Any = None, example_target: Any = None, *, optimizer: Optional[Optimizer] = None,
               open_dims: Optional[Sequence[Optional[Mapping[int, str]]]] = None, target_dims: Optional[Mapping[int, str]] = None,
               trainable: Optional[Sequence[str]] = None, seed: int = 0, target: str = "host", optimize: int = 2, threads: int = 0) -> Module:
    """Compiles a training step: forward, backward and optimiser as one entry, all by Lathe.

    source: a torch.nn.Module; or an ONNX model with one result, as a path, bytes or onnx.ModelProto.
    loss: the name of a loss of the library (docs/std.md#losses) of the model's result and the target: "cross_entropy", "mse" and so on,
        with options behind it: "cross_entropy smoothing 0.1".
    example_inputs: for a torch.nn.Module, the tensors with which it is exported.
    example_target: an array or a tensor of the type and the shape of the loss's target.
    optimizer: of lathe.optim; adamw() by default.
    open_dims, target_dims: names of dimensions by axis, a dict for each input and one for the target: [{0: "batch"}], {0: "batch"}.
    trainable: names of parameters, or patterns of a model's initializers; by default all that require a gradient, or all initializers.
    seed: the first seed of dropout, which the variable "dropout_seed" keeps; each step draws other bits.

    The result is a Module with these entries: step(x..., target, learning_rate) updates the variables and returns the loss before the
    update; predict(x...), which is inference. Its state has the parameters by their names behind "net.", and what the optimiser keeps for
    each.

    A torch.nn.Module is trained as it is: batch norms and dropout of layers in training behave as in PyTorch, and running statistics are
    variables that each step updates. Layers that eval() was called on are in inference in both entries. Raises LatheError for a layer
    whose training is not supported, and CompileError for a loss that does not exist or does not fit.
    """
    mode = TrainMode()
    if _sources.is_torch_module(source):
        names = trainable or [name for name, parameter in source.named_parameters() if parameter.requires_grad]
        model, mode = _sources.exported_for_training(source, example_inputs, open_dims)
    else:
        names = trainable or ["*"]
        model = _sources.copied(_sources.take(source, None, None), "model.onnx")
    state = [f"--state=initializers:{name}" for name in names]
    step = _Step(Module(Recipe(model, {}, ["-O0", *state]), 1)["run"], mode)
    graph = step.text(loss, _type_of(example_target, target_dims), optimizer or adamw(), seed)
    made = _sources.Source(name="graph.mlir", content=graph.encode(), beside=model)
    return Module(Recipe(made, {}, [*options_of(None, None, None, None, None, target, "strict", None, optimize), *state]), threads)


def _type_of(array: Any, dims: Optional[Mapping[int, str]]) -> str:
    """Returns "i64[batch]" for an array or a tensor, as entries describe their arguments."""
    element = _ELEMENTS[str(array.dtype).replace("torch.", "")]
    return element + "".join(f"[{(dims or {}).get(axis, size)}]" for axis, size in enumerate(array.shape))


def _written(kind: str) -> tuple[str, str]:
    """Returns the type "f32[N][3]" as it is in the body of a graph, and the attribute with its named dimensions."""
    element, *dims = re.findall(r"^[a-z0-9]+|(?<=\[)[^\]]*", kind)
    names = [dim for dim in dims if not dim.isdigit()]
    element = re.sub(r"^u(?=\d)", "ui", element)
    text = "tensor<" + "".join(f"{dim if dim.isdigit() else '?'}x" for dim in dims) + element + ">"
    return text, f" {{lathe.dims = #lathe.dims<{', '.join(names)}>}}" if names else ""


def _symbol(name: str) -> str:
    return "@net." + name if re.fullmatch(r"[\w.$-]*", name) else f'@"net.{name}"'


def _dense(value: Any) -> str:
    """Returns an attribute with the elements of a tensor."""
    return f'dense<"0x{value.cpu().numpy().tobytes().hex().upper()}">'


class _Step:
    """Writes the graph of a training step. The entry `run` of the model takes the inputs, with dropout a seed, and running statistics; it
    returns one result, or that of training, new statistics, and that of inference."""

    def __init__(self, run: Entry, mode: TrainMode) -> None:
        results = [_written(kind)[0] for _, kind in run.results]
        if len(results) != (len(mode.buffers) + 2 if mode.differs else 1):
            raise LatheError(f"the model has {len(results)} results; a loss is of one")
        self.mode = mode
        self.result, self.results = results[0], ", ".join(results)
        inputs = [(name, *_written(kind)) for name, kind in run.inputs]
        self.types = ", ".join(kind for _, kind, _ in inputs)
        self.inputs = inputs[:len(inputs) - len(mode.buffers) - mode.has_dropout]
        # What the model gets and keeps besides: values, variables and types.
        self.kept = [(f"%{SEED}", f"@{SEED}", "tensor<i64>")] if mode.has_dropout else []
        self.statistics = [(f"%running{i}", _symbol(name), kind) for i, (name, kind) in enumerate(zip(mode.buffers, results[1:-1]))]
        self.kept += self.statistics

    def _call(self, index: int) -> str:
        """Returns a call of the model, whose result at `index` is %y."""
        names = ["%y"]
        if self.mode.differs:
            names = ["%trained", *(f"%new{i}" for i in range(len(self.statistics))), "%inferred"]
            names[index] = "%y"
        values = ", ".join([f"%{name}" for name, _, _ in self.inputs] + [value for value, _, _ in self.kept])
        return f"  {', '.join(names)} = call @net({values}) : ({self.types}) -> ({self.results})\n"

    def text(self, loss: str, target: str, optimizer: Optimizer, seed: int) -> str:
        """Returns the graph with the entries step and predict."""
        wanted, wanted_dims = _written(target)
        name, _, options = loss.partition(" ")
        full = ", ".join(f"%{name}: {kind}{dims}" for name, kind, dims in self.inputs)
        arguments = [(f"%{name}", kind) for name, kind, _ in self.inputs] + [("%target", wanted)] + [(value, kind) for value, _, kind in self.kept]
        reads = "".join(f"  {value} = lathe.read {variable} : {kind}\n" for value, variable, kind in self.kept)
        writes = "".join(f"  lathe.write {variable}, %new{i} : {kind}\n" for i, (_, variable, kind) in enumerate(self.statistics))
        initial = [*([f"dense<{seed}>"] if self.mode.has_dropout else []), *(_dense(value) for value in self.mode.buffers.values())]
        variables = "".join(f"lathe.variable {variable} : {kind} init {value} : {kind}\n"
                            for (_, variable, kind), value in zip(self.kept, initial))
        counted = f"""  %one = lathe.constant dense<1> : tensor<i64>
  %next_seed = lathe.add %{SEED}, %one : tensor<i64>, tensor<i64>
  lathe.write @{SEED}, %next_seed : tensor<i64>
"""
        return f"""{variables}func.func private @net({self.types}) -> ({self.results}) attributes {{lathe.model = "model.onnx"}}
func.func private @loss({", ".join(f"{value}: {kind}" for value, kind in arguments)}) -> tensor<f32> {{
{self._call(0)}{writes}  %loss = lathe.std.{name} %y, %target{" " + options if options else ""} : {self.result}, {wanted}
  return %loss : tensor<f32>
}}
func.func @step({full}, %target: {wanted}{wanted_dims}, %learning_rate: tensor<f32>) -> (tensor<f32> {{lathe.name = "loss"}}) {{
{reads}{counted if self.mode.has_dropout else ""}  %loss = lathe.minimize @loss({", ".join(value for value, _ in arguments)}) with {optimizer} learning_rate %learning_rate : tensor<f32>
      : ({", ".join(kind for _, kind in arguments)}) -> tensor<f32>
  return %loss : tensor<f32>
}}
func.func @predict({full}) -> ({self.result} {{lathe.name = "y"}}) {{
{reads}{self._call(-1)}  return %y : {self.result}
}}
"""
