"""Training steps: a model, a loss and an optimiser as one graph."""
import re

from . import _sources
from ._compiler import Recipe, options_of
from ._module import Module
from .errors import LatheError
from .optim import Optimizer, adamw

_ELEMENTS = {"float64": "f64", "float32": "f32", "float16": "f16", "bfloat16": "bf16", "bool": "i1", "int8": "i8", "int16": "i16",
             "int32": "i32", "int64": "i64", "uint8": "ui8", "uint16": "ui16", "uint32": "ui32", "uint64": "ui64"}


def train_step(source, loss, example_inputs=None, example_target=None, *, optimizer=None, open_dims=None, target_dims=None, trainable=None,
               target="host", optimize=2, threads=0):
    """Compiles a training step: forward, backward and optimiser as one entry, all by Lathe.

    source: a torch.nn.Module; or an ONNX model with one result, as a path, bytes or onnx.ModelProto.
    loss: the name of a loss of the library (docs/std.md#losses) of the model's result and the target: "cross_entropy", "mse" and so on,
        with options behind it: "cross_entropy smoothing 0.1".
    example_inputs: for a torch.nn.Module, the tensors with which it is exported.
    example_target: an array or a tensor of the type and the shape of the loss's target.
    optimizer: of lathe.optim; adamw() by default.
    open_dims, target_dims: names of dimensions by axis, a dict for each input and one for the target: [{0: "batch"}], {0: "batch"}.
    trainable: names of parameters, or patterns of a model's initializers; by default all that require a gradient, or all initializers.

    The result is a Module with these entries: step(x..., target, learning_rate) updates the variables and returns the loss before the
    update; predict(x...). Its state has the parameters by their names behind "net.", and what the optimiser keeps for each.

    A torch.nn.Module whose layers behave otherwise in training, such as batch norms and dropout, is refused unless they are set to
    inference (`layer.eval()`).
    """
    if _sources.is_torch_module(source):
        _refuse_other_layers(source)
        names = trainable or [name for name, parameter in source.named_parameters() if parameter.requires_grad]
        model = _sources.exported(source, example_inputs, open_dims, simplify=False)
    else:
        names = trainable or ["*"]
        model = _sources.copied(_sources.take(source, None, None), "model.onnx")
    state = [f"--state=initializers:{name}" for name in names]
    shapes = Module(Recipe(model, {}, ["-O0", *state]), 1)["run"]
    graph = _graph(shapes, loss, _type_of(example_target, target_dims), optimizer or adamw())
    made = _sources.Source(name="graph.mlir", content=graph.encode(), beside=model)
    return Module(Recipe(made, {}, [*options_of(None, None, None, None, None, target, "strict", None, optimize), *state]), threads)


def _refuse_other_layers(module):
    refused = [f"{name} ({type(layer).__name__})" for name, layer in module.named_modules() if layer.training and _differs(layer)]
    if refused:
        raise LatheError("these layers behave otherwise in training, which cannot be exported yet: " + ", ".join(refused) +
                         "; call eval() on them to train with what they have learned")


def _differs(layer):
    """True for a layer that computes something else in training."""
    name = type(layer).__name__
    return "BatchNorm" in name or "InstanceNorm" in name and layer.track_running_stats or "Dropout" in name and layer.p > 0


def _type_of(array, dims):
    """Returns "i64[batch]" for an array or a tensor, as entries describe their arguments."""
    element = _ELEMENTS[str(array.dtype).replace("torch.", "")]
    return element + "".join(f"[{(dims or {}).get(axis, size)}]" for axis, size in enumerate(array.shape))


def _written(kind):
    """Returns the type "f32[N][3]" as it is in the body of a graph, and the attribute with its named dimensions."""
    element, *dims = re.findall(r"^[a-z0-9]+|(?<=\[)[^\]]*", kind)
    names = [dim for dim in dims if not dim.isdigit()]
    text = "tensor<" + "".join(f"{dim if dim.isdigit() else '?'}x" for dim in dims) + element + ">"
    return text, f" {{lathe.dims = #lathe.dims<{', '.join(names)}>}}" if names else ""


def _graph(run, loss, target, optimizer: Optimizer):
    """Returns the text of the training step for an entry `run` of a model."""
    inputs = [(name, *_written(kind)) for name, kind in run.inputs]
    if len(run.results) != 1:
        raise LatheError(f"the model has {len(run.results)} results; a loss is of one")
    result = run.results[0][1]
    result, _ = _written(result)
    wanted, wanted_dims = _written(target)
    name, _, options = loss.partition(" ")
    types = ", ".join(kind for _, kind, _ in inputs)
    values = ", ".join(f"%{name}" for name, _, _ in inputs)
    bare = ", ".join(f"%{name}: {kind}" for name, kind, _ in inputs)
    full = ", ".join(f"%{name}: {kind}{dims}" for name, kind, dims in inputs)
    return f"""func.func private @net({types}) -> {result} attributes {{lathe.model = "model.onnx"}}
func.func private @loss({bare}, %target: {wanted}) -> tensor<f32> {{
  %y = call @net({values}) : ({types}) -> {result}
  %loss = lathe.std.{name} %y, %target{" " + options if options else ""} : {result}, {wanted}
  return %loss : tensor<f32>
}}
func.func @step({full}, %target: {wanted}{wanted_dims}, %learning_rate: tensor<f32>) -> (tensor<f32> {{lathe.name = "loss"}}) {{
  %loss = lathe.minimize @loss({values}, %target) with {optimizer} learning_rate %learning_rate : tensor<f32>
      : ({types}, {wanted}) -> tensor<f32>
  return %loss : tensor<f32>
}}
func.func @predict({full}) -> ({result} {{lathe.name = "y"}}) {{
  %y = call @net({values}) : ({types}) -> {result}
  return %y : {result}
}}
"""
