"""Programs of StableHLO from functions of JAX."""
from __future__ import annotations

import inspect
from typing import Any, Callable, Mapping, Optional, Sequence

OpenDims = Optional[Sequence[Optional[Mapping[int, str]]]]


def opened(shapes: Sequence[Any], open_dims: OpenDims) -> Sequence[Any]:
    """Returns trees of shapes, with symbols of jax.export where dimensions are named. Raises ValueError for a name that is of no array."""
    import jax
    from jax import export

    if len(open_dims or ()) > len(shapes):
        raise ValueError(f"open_dims= has {len(open_dims or ())} dicts, but there are {len(shapes)} arguments")
    scope, symbols = export.SymbolicScope(), {}

    def dim(name: str) -> Any:
        if name not in symbols:
            symbols[name] = export.symbolic_shape(name, scope=scope)[0]
        return symbols[name]

    def opened_tree(tree: Any, dims: Optional[Mapping[int, str]]) -> Any:
        return jax.tree.map(lambda leaf: jax.ShapeDtypeStruct(
            tuple(dim(dims[axis]) if axis in dims else size for axis, size in enumerate(leaf.shape)), leaf.dtype), tree) if dims else tree

    named = [*(open_dims or []), *[None] * len(shapes)]
    for i, (tree, dims) in enumerate(zip(shapes, named)):
        ranks = [len(leaf.shape) for leaf in jax.tree.leaves(tree)]
        for axis in dims or ():
            if not 0 <= axis < max(ranks, default=0):
                raise ValueError(f"open_dims= names axis {axis} of argument {i}, whose arrays have the ranks {ranks}; axes count from 0")
    return [opened_tree(tree, dims) for tree, dims in zip(shapes, named)]


def argument_names(function: Callable[..., Any], count: int) -> list[str]:
    """Returns names for the first `count` arguments of a function."""
    names = list(inspect.signature(function).parameters.values())
    return [names[i].name if i < len(names) and names[i].kind != inspect.Parameter.VAR_POSITIONAL else f"arg{i}" for i in range(count)]


def leaves(name: str, tree: Any) -> list[tuple[str, Any]]:
    """Returns the leaves of the argument `name` with their paths, such as "params.layers.0.w"."""
    import jax

    paths = jax.tree_util.tree_leaves_with_path(tree)
    return [(".".join(filter(None, [name, jax.tree_util.keystr(path, simple=True, separator=".")])), leaf) for path, leaf in paths]


def text(function: Callable[..., Any], inputs: Sequence[Any], open_dims: OpenDims) -> str:
    """Returns a function, jitted or not, as a StableHLO program with an argument for each leaf of `inputs`. Raises TypeError if JAX leaves
    out an argument that the function does not use."""
    if any(type(value).__module__ == "torch" for value in inputs):
        raise TypeError("JAX lowers functions, but the example inputs are tensors of PyTorch; make the function the forward of a "
                        "torch.nn.Module")
    try:
        import jax
    except ImportError as error:
        raise ImportError("JAX lowers functions: pip install jax") from error
    lower = _export if open_dims else _lower
    shapes = opened(jax.eval_shape(lambda *each: each, *inputs), open_dims) if open_dims else inputs
    jitted: Any = function if hasattr(function, "lower") else jax.jit(function, keep_unused=True)
    program, is_whole = lower(jitted, shapes)
    if is_whole:
        return program
    # Unless keep_unused is set, JAX leaves out arguments that are not used. In a function around this one they are kept.
    arguments = jitted.trace(*shapes).args_info[0]
    if len(arguments) != len(shapes):
        raise TypeError("JAX leaves out an argument that the function does not use; pass keep_unused=True to jax.jit, since the function has "
                        "static arguments")
    donated = [i for i, argument in enumerate(arguments) if any(leaf.donated for leaf in jax.tree.leaves(argument))]
    return lower(jax.jit(function, keep_unused=True, donate_argnums=donated), shapes)[0]


def _main(module: Any) -> Any:
    return next(op for op in module.body.operations if op.name.value == "main")


def _lower(jitted: Any, inputs: Sequence[Any]) -> tuple[str, bool]:
    """Returns the program for these arguments, and whether it has all of them."""
    import jax

    lowered = jitted.lower(*inputs)
    return lowered.as_text(debug_info=True), len(_main(lowered.compiler_ir("stablehlo")).arguments) >= len(jax.tree.leaves(lowered.args_info))


def _export(jitted: Any, shapes: Sequence[Any]) -> tuple[str, bool]:
    """Returns the program for these shapes, some of whose sizes are symbols, and whether it has all arguments."""
    from jax import export

    exported = export.export(jitted, platforms=["cpu"])(*shapes)
    paths = [path for name, shape in zip(argument_names(jitted, len(shapes)), shapes) for path, _ in leaves(name, shape)]
    program = portable_text(exported.mlir_module_serialized, [paths[i] for i in exported.module_kept_var_idx])
    return program, len(exported.module_kept_var_idx) == len(exported.in_avals)


def portable_text(content: bytes, names: Sequence[str] = ()) -> str:
    """Returns the text of a portable artifact of StableHLO, such as Exported.mlir_module_serialized. names: those of the arguments, or
    none."""
    try:
        from jaxlib.mlir import ir
        from jaxlib.mlir.dialects import stablehlo
    except ImportError as error:
        raise ImportError("a serialized program of StableHLO is read by JAX: pip install jax; or write the program as text") from error
    with ir.Context() as context:
        stablehlo.register_dialect(context)
        module = stablehlo.deserialize_portable_artifact(context, content)
        if names:
            main = _main(module)
            given = [{each.name: each.attr for each in attributes} for attributes in main.arg_attrs] or [{} for _ in names]
            main.arg_attrs = ir.ArrayAttr.get([ir.DictAttr.get({**attributes, "jax.arg_info": ir.StringAttr.get(name)})
                                               for attributes, name in zip(given, names)])
        return str(module.operation.get_asm(enable_debug_info=True))
