"""Training steps: a model, a loss and an optimiser as one graph."""
from __future__ import annotations

from typing import Any, Callable, Mapping, Optional, Sequence, Union

from . import _jax, _sources
from ._compiler import Recipe, options_of
from ._core import Entry
from ._graph_text import dense, symbol, type_of, written
from ._module import Module
from ._train_mode import SEED, TrainMode
from .errors import LatheError
from .optim import Optimizer, adamw

def train_step(source: Any, loss: Optional[str] = None, example_inputs: Any = None, example_target: Any = None, *, inputs: Any = None,
               predict: Optional[Callable[..., Any]] = None, has_aux: bool = False, optimizer: Optional[Optimizer] = None,
               open_dims: Optional[Sequence[Optional[Mapping[int, str]]]] = None, target_dims: Optional[Mapping[int, str]] = None,
               trainable: Optional[Sequence[str]] = None, seed: int = 0, micro_batches: bool = False, target: str = "host", optimize: int = 2,
               threads: int = 0, mem_budget: Union[int, str, None] = None, offload: bool = False) -> Module:
    """Compiles a training step: forward, backward and optimiser as one entry, all by Lathe.

    source: a torch.nn.Module; an ONNX model with one result, as a path, bytes or onnx.ModelProto; or a loss that JAX can lower, a
        function of the parameters and further inputs that returns a scalar.
    loss: for a module or a model, the name of a loss of the library (docs/std.md#losses) of its result and the target: "cross_entropy",
        "mse" and so on, with options behind it: "cross_entropy smoothing 0.1".
    example_inputs: for a torch.nn.Module, the tensors with which it is exported.
    example_target: an array or a tensor of the type and the shape of the loss's target.
    inputs: for a loss of JAX, the tuple of its arguments: first the parameters, a tree of arrays that the variables begin with, then
        arrays, trees of them, or jax.ShapeDtypeStructs. For a module, in place of example_inputs and example_target: the examples and
        the target, (x, target).
    predict: for a loss of JAX, a function of the parameters and the first of the further inputs, as many as it takes, which becomes the
        entry predict.
    has_aux: the loss of JAX returns a pair, the loss and any tree of auxiliary results, such as an accuracy. The leaves of the tree become
        further results of step, with the values before the update.
    optimizer: of lathe.optim; adamw() by default. Its learning rate is that of calls of step that give none.
    open_dims, target_dims: names of dimensions by axis, a dict for each input and one for the target: [{0: "batch"}], {0: "batch"}. For a
        loss of JAX a dict for each of `inputs`, which holds for all arrays in it; None for the parameters.
    trainable: names of parameters, or patterns of a model's initializers or of a loss's parameters; by default all that the
        model uses and that require a gradient, or all that are floats.
    seed: the first seed of dropout, which the variable "dropout_seed" keeps; each step draws other bits.
    micro_batches: for a module or a model, step takes one dimension more in front of the inputs and the target, whose extent is the number
        of micro-batches. Their losses and gradients are averaged before one update, and the values of one of them are kept at a time.

    mem_budget, offload: the largest workspace of each entry, and whether values may move out of it, as in lathe.compile.

    The result is a Module with these entries: step(x..., target, learning_rate), or step(inputs..., learning_rate), updates the variables
    and returns the loss before the update, with has_aux as a tuple with the auxiliary results behind it; predict(x...), which is
    inference. A call of step may leave out the learning rate; the function in the written object always takes it. The state has the
    parameters by their names behind "net.", or those of a loss behind the name of its first argument, "params.layers.0.w", and what the
    optimiser keeps for each.

    A torch.nn.Module is trained as it is: batch norms and dropout of layers in training behave as in PyTorch, and running statistics are
    variables that each step updates. Layers that eval() was called on are in inference in both entries. Raises LatheError for a layer
    whose training is not supported and for a loss that does not return one scalar, and CompileError for a loss that does not exist or
    does not fit, or has ops that are not supported.
    """
    if optimizer is not None and not isinstance(optimizer, Optimizer):
        raise TypeError(f"optimizer is {optimizer!r}, expected one of lathe.optim, such as lathe.optim.adam()")
    if loss is not None and not isinstance(loss, str):
        raise TypeError(f"loss is {loss!r}, expected the name of a loss, such as \"cross_entropy\" (docs/std.md)")
    if _sources.is_exported_program(source) or hasattr(source, "mlir_module") or hasattr(source, "compiler_ir"):
        raise TypeError(f"source is {type(source).__name__}, which is fixed; train_step takes the torch.nn.Module itself, or the loss of JAX "
                        "as a function")
    optimizer = optimizer or adamw()
    defaults = {"step": {"learning_rate": optimizer.options["learning_rate"]}}
    options = options_of(None, None, None, None, None, target, "strict", None, optimize, mem_budget=mem_budget, offload=offload)
    if _sources.is_function(source):
        if loss is not None or example_inputs is not None or example_target is not None:
            raise TypeError("a loss of JAX takes inputs=(parameters, ...), and no other loss, example inputs or target")
        return Module(Recipe(_jax.training(source, inputs, predict, optimizer, open_dims, trainable, has_aux), {}, options), threads, defaults)
    if loss is None or predict is not None or has_aux:
        raise TypeError("a module or a model takes the name of a loss; predict= and has_aux= are for losses of JAX")
    if inputs is not None:
        example_inputs, example_target = _split(inputs, example_inputs, example_target)
    mode = TrainMode()
    if _sources.is_torch_module(source):
        model, mode = _sources.exported_for_training(source, example_inputs, open_dims)
        names = trainable or _parameters(source, model.initializers)
    else:
        names = trainable or ["*"]
        model = _sources.copied(_sources.take(source, None, None), "model.onnx")
    state = [f"--state=initializers:{name}" for name in names]
    step = _Step(Module(Recipe(model, {}, ["-O0", *state]), 1)["run"], mode, micro_batches)
    graph = step.text(loss, type_of(example_target, target_dims), optimizer, seed)
    made = _sources.Source(name="graph.mlir", content=graph.encode(), beside=model)
    return Module(Recipe(made, {}, [*options, *state]), threads, defaults)


def _split(inputs: Any, example_inputs: Any, example_target: Any) -> tuple[Any, Any]:
    """Returns the examples and the target of inputs=(x..., target)."""
    if example_inputs is not None or example_target is not None:
        raise TypeError("inputs= takes the place of example_inputs= and example_target=; give one of the two")
    if not isinstance(inputs, (tuple, list)) or not inputs:
        raise TypeError(f"inputs is {type(inputs).__name__}, expected the tuple of the examples and the target, such as (x, target)")
    return tuple(inputs[:-1]) or None, inputs[-1]


def _parameters(module: Any, exported: set[str]) -> list[str]:
    """Returns the names of the parameters that an exported module uses and that require a gradient. One that the module has under several
    names has the exported one. Raises LatheError if several of them were exported."""
    names: dict[int, str] = {}
    for name, parameter in module.named_parameters(remove_duplicate=False):
        if name not in exported or not parameter.requires_grad:
            continue
        other = names.setdefault(id(parameter), name)
        if other != name:
            raise LatheError(f"{other} and {name} are one parameter, but two in the exported model, which would be trained apart")
    return list(names.values())


def _argument(kind: str) -> tuple[str, str]:
    """Returns a type, and the attributes of an argument that has it."""
    text, dims = written(kind)
    return text, f" {{{dims}}}" if dims else ""


def _stacked(kind: str, dims: str) -> tuple[str, str]:
    """Returns a type and its attributes with the number of micro-batches as the first dimension."""
    listed = dims.partition("#lathe.dims<")[2]
    return kind.replace("tensor<", "tensor<?x", 1), f" {{lathe.dims = #lathe.dims<micro_batches{', ' + listed if listed else '>}'}"


class _Step:
    """Writes the graph of a training step. The entry `run` of the model takes the inputs, with dropout a seed, and running statistics; it
    returns one result, or that of training, new statistics, and that of inference."""

    def __init__(self, run: Entry, mode: TrainMode, micro_batches: bool) -> None:
        results = [written(kind)[0] for _, kind in run.results]
        if len(results) != (len(mode.buffers) + 2 if mode.differs else 1):
            raise LatheError(f"the model has {len(results)} results; a loss is of one")
        self.mode, self.micro_batches = mode, micro_batches
        self.result, self.results = results[0], ", ".join(results)
        inputs = [(name, *_argument(kind)) for name, kind in run.inputs]
        self.types = ", ".join(kind for _, kind, _ in inputs)
        self.inputs = inputs[:len(inputs) - len(mode.buffers) - mode.has_dropout]
        # What the model gets and keeps besides: values, variables and types.
        self.kept = [(f"%{SEED}", f"@{SEED}", "tensor<i64>")] if mode.has_dropout else []
        self.statistics = [(f"%running{i}", symbol("net." + name), kind) for i, (name, kind) in enumerate(zip(mode.buffers, results[1:-1]))]
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
        wanted, wanted_dims = _argument(target)
        name, _, options = loss.partition(" ")
        full = ", ".join(f"%{name}: {kind}{dims}" for name, kind, dims in self.inputs)
        batch = [*self.inputs, ("target", wanted, wanted_dims)]
        kept = [(value, kind) for value, _, kind in self.kept]
        arguments = [(f"%{name}", kind) for name, kind, _ in batch] + ([] if self.micro_batches else kept)
        reads = "".join(f"  {value} = lathe.read {variable} : {kind}\n" for value, variable, kind in self.kept)
        writes = "".join(f"  lathe.write {variable}, %new{i} : {kind}\n" for i, (_, variable, kind) in enumerate(self.statistics))
        initial = [*([f"dense<{seed}>"] if self.mode.has_dropout else []), *(dense(value.cpu().numpy()) for value in self.mode.buffers.values())]
        variables = "".join(f"lathe.variable {variable} : {kind} init {value} : {kind}\n"
                            for (_, variable, kind), value in zip(self.kept, initial))
        counted = f"""  %one = lathe.constant dense<1> : tensor<i64>
  %next_seed = lathe.add %{SEED}, %one : tensor<i64>, tensor<i64>
  lathe.write @{SEED}, %next_seed : tensor<i64>
"""
        # The loss of a micro-batch reads and writes what the model keeps, so that the next one finds it; no argument changes in between.
        own, before, split = "", reads + (counted if self.mode.has_dropout else ""), ""
        if self.micro_batches:
            own, before = before, ""
            batch = [(name, *_stacked(kind, dims)) for name, kind, dims in batch]
            split = f" micro_batches {list(range(len(batch)))}"
        given = [(f"%{name}", kind) for name, kind, _ in batch] + ([] if self.micro_batches else kept)
        signature = ", ".join(f"%{name}: {kind}{dims}" for name, kind, dims in batch)
        return f"""{variables}func.func private @net({self.types}) -> ({self.results}) attributes {{lathe.model = "model.onnx"}}
func.func private @loss({", ".join(f"{value}: {kind}" for value, kind in arguments)}) -> tensor<f32> {{
{own}{self._call(0)}{writes}  %loss = lathe.std.{name} %y, %target{" " + options if options else ""} : {self.result}, {wanted}
  return %loss : tensor<f32>
}}
func.func @step({signature}, %learning_rate: tensor<f32>) -> (tensor<f32> {{lathe.name = "loss"}}) {{
{before}  %loss = lathe.minimize @loss({", ".join(value for value, _ in given)}) with {optimizer} learning_rate %learning_rate : tensor<f32>{split}
      : ({", ".join(kind for _, kind in given)}) -> tensor<f32>
  return %loss : tensor<f32>
}}
func.func @predict({full}) -> ({self.result} {{lathe.name = "y"}}) {{
{reads}{self._call(-1)}  return %y : {self.result}
}}
"""
