"""Training steps from losses of JAX. The loss becomes a StableHLO program, which a graph in text declares as a function and minimises."""
from __future__ import annotations

import fnmatch
import inspect
import re
from typing import Any, Callable, Optional, Sequence

import numpy

from . import _jax_rules, _lowering, _sources
from ._graph_text import ELEMENTS, dense, symbol, written
from ._lowering import OpenDims
from .errors import LatheError
from .optim import Optimizer


class _Leaf:
    """An array of an argument: a parameter or an input."""

    def __init__(self, path: str, array: Any) -> None:
        """path: "params.layers.0.w". array: anything with a shape and a dtype; its sizes may be symbolic."""
        element = ELEMENTS.get(str(array.dtype))
        if element is None:
            raise TypeError(f"{path}: elements of type {array.dtype} are not supported; of random keys pass jax.random.key_data")
        self.path, self.is_float = path, element in ("f64", "f32", "f16", "bf16")
        self.type, self.dims = written(element.replace("ui", "u") + "".join(f"[{size}]" for size in array.shape))


class _Arguments:
    """The arguments of a loss: shapes, types and names of their arrays."""

    def __init__(self, loss: Callable[..., Any], inputs: Sequence[Any], open_dims: OpenDims) -> None:
        import jax

        self.shapes = list(_lowering.opened(jax.eval_shape(lambda *each: each, *inputs), open_dims))
        self.leaves = [_leaves(name, shape) for name, shape in zip(_lowering.argument_names(loss, len(inputs)), self.shapes)]
        self.names: dict[str, str] = {}  # of inputs, as the entries have them, by their paths
        for leaf in self.inputs():
            name = re.sub(r"\W+", "_", leaf.path)
            while name in [*self.names.values(), "learning_rate"]:
                name += "_"
            self.names[leaf.path] = name

    def inputs(self, count: Optional[int] = None) -> list[_Leaf]:
        """Returns the arrays of the first `count` arguments, or of all, behind the parameters."""
        return [leaf for leaves in self.leaves[1:count] for leaf in leaves]


def _leaves(name: str, tree: Any) -> list[_Leaf]:
    return [_Leaf(path, leaf) for path, leaf in _lowering.leaves(name, tree)]


def _program(function: Callable[..., Any], shapes: Sequence[Any], keeps_derivatives: bool = False) -> tuple[str, Any]:
    """Returns a function as a StableHLO program, and the tree of its results. keeps_derivatives: what derivatives need, and StableHLO has
    no ops for, is in the program."""
    import jax
    from jax import export
    from jax.interpreters import mlir

    jitted = jax.jit(lambda *arguments: function(*arguments), keep_unused=True)  # a new function, which JAX has not lowered before
    sizes = [size for leaf in jax.tree.leaves(shapes) for size in leaf.shape]
    is_sized = all(isinstance(size, int) for size in sizes)
    rules: Any = _jax_rules.rules(is_sized) if keeps_derivatives else ()
    if is_sized:
        lowered = jitted.trace(*shapes).lower(_private_parameters=mlir.LoweringParameters(override_lowering_rules=rules))
        return lowered.as_text(), lowered.out_info
    exported = export.export(jitted, platforms=["cpu"], disabled_checks=[export.DisabledSafetyCheck.custom_call(_jax_rules.STOP_GRADIENT)],
                             _override_lowering_rules=rules)(*shapes)
    results = [jax.ShapeDtypeStruct(leaf.shape, leaf.dtype) for leaf in exported.out_avals]
    return exported.mlir_module(), jax.tree.unflatten(exported.out_tree, results)


def _results_of(result: Any, has_aux: bool) -> list[_Leaf]:
    """Returns the results of a loss: the loss, and with has_aux the leaves of what it returns beside it. Raises LatheError if it returns
    anything else."""
    import jax

    if has_aux and not (isinstance(result, (tuple, list)) and len(result) == 2):
        raise LatheError(f"with has_aux the loss must return a pair, the loss and auxiliary results, not {jax.tree.structure(result)}")
    value, aux = result if has_aux else (result, ())
    losses = jax.tree.leaves(value)
    if len(losses) != 1 or losses[0].shape or not _Leaf("the loss", losses[0]).is_float:
        hint = "; pass has_aux=True if the loss is the first of a pair" if isinstance(result, (tuple, list)) and not has_aux else ""
        raise LatheError("the loss must return one float without dimensions, not " +
                         ", ".join(f"{leaf.dtype}{list(leaf.shape)}" for leaf in losses) + hint)
    return [_Leaf("loss", losses[0]), *_leaves("aux", aux)]


def training(loss: Callable[..., Any], inputs: Any, predict: Optional[Callable[..., Any]], optimizer: Optimizer, open_dims: OpenDims,
             trainable: Optional[Sequence[str]], has_aux: bool) -> _sources.Source:
    """Returns the graph of a training step. lathe.train_step describes the arguments."""
    import jax

    if not isinstance(inputs, (tuple, list)) or not inputs:
        raise TypeError("a loss of JAX needs inputs, the tuple of its arguments, of which the first one has the parameters")
    arguments = _Arguments(loss, inputs, open_dims)
    text, result = _program(loss, arguments.shapes, keeps_derivatives=True)
    results = _results_of(result, has_aux)
    values = jax.tree.leaves(inputs[0])
    if any(isinstance(value, jax.ShapeDtypeStruct) for value in values):
        raise TypeError("the parameters must be arrays, with which the variables begin")
    graph = _Graph(arguments, trainable)
    body = graph.variables([numpy.asarray(jax.numpy.asarray(value)) for value in values]) + graph.step(results, optimizer)
    made = _sources.Source(name="loss.mlir", content=text.encode())
    if predict is not None:
        count = len(inspect.signature(predict).parameters)
        if not 1 <= count <= len(inputs):
            raise TypeError(f"predict takes {count} arguments; expected the parameters and at most {len(inputs) - 1} inputs")
        text, result = _program(predict, arguments.shapes[:count])
        _sources.Source(name="predict.mlir", content=text.encode(), beside=made)
        body += graph.predict(count, _leaves("", result))
    return _sources.Source(name="graph.mlir", content=body.encode(), beside=made)


class _Graph:
    """Writes the graph of a training step."""

    def __init__(self, arguments: _Arguments, trainable: Optional[Sequence[str]]) -> None:
        self.arguments, self.parameters = arguments, arguments.leaves[0]
        prefix = next(iter([leaf.path.partition(".")[0] + "." for leaf in self.parameters]), "")
        patterns = ["*"] if trainable is None else trainable
        for pattern in patterns:
            if not any(_matches(leaf.path, prefix, pattern) for leaf in self.parameters):
                raise LatheError(f"no parameter matches {pattern!r}; there are {', '.join(leaf.path for leaf in self.parameters)}")
        self.is_trained = [leaf.is_float and any(_matches(leaf.path, prefix, pattern) for pattern in patterns) for leaf in self.parameters]

    def variables(self, values: Sequence[Any]) -> str:
        """Returns the declarations of the parameters."""
        return "".join(f"lathe.variable {symbol(leaf.path)} : {leaf.type} init {dense(value)} : {leaf.type}\n"
                       for leaf, value in zip(self.parameters, values))

    def _reads(self, trained: bool) -> str:
        return "".join(f"  %p{i} = lathe.read {symbol(leaf.path)} : {leaf.type}\n"
                       for i, leaf in enumerate(self.parameters) if self.is_trained[i] == trained)

    def _signature(self, inputs: Sequence[_Leaf]) -> list[str]:
        """Returns the arguments of an entry."""
        return [f"%in{i}: {leaf.type} {{" + ", ".join(filter(None, [f'lathe.name = "{self.arguments.names[leaf.path]}"', leaf.dims])) + "}"
                for i, leaf in enumerate(inputs)]

    def _declaration(self, name: str, inputs: Sequence[_Leaf], results: Sequence[str], file: str) -> str:
        types = ", ".join(leaf.type for leaf in [*self.parameters, *inputs])
        return f'func.func private @{name}({types}) -> ({", ".join(results)}) attributes {{lathe.model = "{file}"}}\n'

    def _call(self, name: str, inputs: Sequence[_Leaf], results: Sequence[str], returned: Optional[int] = None) -> str:
        """Returns a call, and the return of its results or of the first `returned` ones of them."""
        values = [f"%p{i}" for i in range(len(self.parameters))] + [f"%in{i}" for i in range(len(inputs))]
        types = ", ".join(leaf.type for leaf in [*self.parameters, *inputs])
        made = [f"%r{i}" for i in range(len(results))]
        end = f"  return {', '.join(made[:returned])} : {', '.join(results[:returned])}\n" if returned != 0 else ""
        return f"  {', '.join(made)} = call @{name}({', '.join(values)}) : ({types}) -> ({', '.join(results)})\n{end}"

    def step(self, results: Sequence[_Leaf], optimizer: Optimizer) -> str:
        """Returns the entry step and the loss, which reads the parameters that are trained and takes the other ones as arguments. Results
        beside the loss are those of a call before the update: the compiler computes once what the calls have in common."""
        inputs, kinds = self.arguments.inputs(), [leaf.type for leaf in results]
        names = [re.sub(r"\W+", "_", leaf.path) for leaf in results]
        named = ", ".join(f'{kind} {{lathe.name = "{name}"}}' for kind, name in zip(kinds, names))
        again = self._reads(True) + self._call("net", inputs, kinds, 0) if len(results) > 1 else ""
        returned = ", ".join(["%loss", *(f"%r{i}" for i in range(1, len(results)))])
        passed = [(f"%in{i}", leaf.type) for i, leaf in enumerate(inputs)]
        passed += [(f"%p{i}", leaf.type) for i, leaf in enumerate(self.parameters) if not self.is_trained[i]]
        values, types = (", ".join(part) for part in zip(*passed)) if passed else ("", "")
        return f"""{self._declaration("net", inputs, kinds, "loss.mlir")}func.func private @loss({
            ", ".join(f"{value}: {kind}" for value, kind in passed)}) -> {kinds[0]} {{
{self._reads(True)}{self._call("net", inputs, kinds, 1)}}}
func.func @step({", ".join([*self._signature(inputs), "%learning_rate: tensor<f32>"])}) -> ({named}) {{
{self._reads(False)}{again}  %loss = lathe.minimize @loss({values}) with {optimizer} learning_rate %learning_rate : tensor<f32>
      : ({types}) -> {kinds[0]}
  return {returned} : {", ".join(kinds)}
}}
"""

    def predict(self, count: int, leaves: Sequence[_Leaf]) -> str:
        """Returns the entry predict of the first `count` arguments."""
        inputs, results = self.arguments.inputs(count), [leaf.type for leaf in leaves]
        names = ["y" if not leaf.path else re.sub(r"\W+", "_", "y." + leaf.path) for leaf in leaves]
        named = ", ".join(f'{kind} {{lathe.name = "{name}"}}' for kind, name in zip(results, names))
        return f"""{self._declaration("apply", inputs, results, "predict.mlir")}func.func @predict({", ".join(self._signature(inputs))}) -> ({named}) {{
{self._reads(True)}{self._reads(False)}{self._call("apply", inputs, results)}}}
"""


def _matches(path: str, prefix: str, pattern: str) -> bool:
    """True if a pattern is of a parameter's path, with or without the name of the argument in front."""
    return fnmatch.fnmatchcase(path, pattern) or fnmatch.fnmatchcase(path.removeprefix(prefix), pattern)
