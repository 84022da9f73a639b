"""Lowering of functions of JAX so that their derivatives, which StableHLO has no ops for, are kept."""
from __future__ import annotations

from typing import Any, Callable, Sequence

import numpy

from .errors import LatheError

STOP_GRADIENT = "lathe.stop_gradient"  # the custom call that becomes lathe.stop_gradient


def rules(is_sized: bool) -> tuple[tuple[Any, Callable[..., Any]], ...]:
    """Returns rules that replace those of JAX in one lowering: stop_gradient becomes a custom call, and functions of
    jax.custom_jvp and jax.custom_vjp become composites, which the importer of StableHLO knows. is_sized: all sizes of the program are numbers;
    JAX calls no composites otherwise."""
    import jax
    from jax.extend import core
    from jax.interpreters import mlir

    @jax.custom_vjp
    def example(x: Any) -> Any:
        return x

    example.defvjp(lambda x: (x, None), lambda _, cotangent: (cotangent,))
    stop, jvp, vjp = [_primitive(function) for function in (jax.lax.stop_gradient, jax.nn.relu, example)]

    def held(x: Any) -> Any:
        return jax.ffi.ffi_call(STOP_GRADIENT, jax.ShapeDtypeStruct(x.shape, x.dtype))(x)

    inside: list[Any] = []  # functions whose composite is being lowered: nothing in it is differentiated again

    def custom(primitive: Any) -> Callable[..., Any]:
        def rule(context: Any, *operands: Any, **params: Any) -> Any:
            def function(*arguments: Any) -> Any:
                bound = primitive.get_bind_params(params)
                functions, named = ((), bound) if isinstance(bound, dict) else bound  # older versions of JAX return two parts
                return primitive.bind(*functions, *arguments, **named)

            plain = core.jaxpr_as_fun(params["call_jaxpr"])
            lowered = plain if inside else _with_gradient(function, context.avals_out) if is_sized else _of_any_size(params, plain)
            inside.append(function)
            try:
                return mlir.lower_fun(lowered, multiple_results=True)(context, *operands)
            finally:
                inside.pop()

        return rule

    return (stop, mlir.lower_fun(held, multiple_results=False)), (jvp, custom(jvp)), (vjp, custom(vjp))


def _primitive(function: Callable[..., Any]) -> Any:
    import jax

    return jax.make_jaxpr(function)(0.0).eqns[0].primitive


def _with_gradient(function: Callable[..., Any], results: Sequence[Any]) -> Callable[..., Any]:
    """Returns a function that calls a composite of the arguments and cotangents, whose decomposition has the gradient of JAX's rule."""
    import jax

    def is_float(value: Any) -> bool:
        return jax.numpy.issubdtype(value.dtype, jax.numpy.floating)

    def called(*arguments: Any) -> Any:
        count = len(arguments)
        places = [i for i, argument in enumerate(arguments) if is_float(argument)]

        def decomposition(*given: Any, **_: Any) -> Any:
            def of_floats(*floats: Any) -> Any:
                values = list(given[:count])
                for place, value in zip(places, floats):
                    values[place] = value
                return function(*values)

            made, pull = jax.vjp(of_floats, *[given[place] for place in places])
            cotangents = iter(given[count:])
            return [*made, *pull([next(cotangents) if is_float(each) else numpy.zeros(each.shape, jax.dtypes.float0) for each in made])]

        zeros = [jax.numpy.zeros(each.shape, each.dtype) for each in results if is_float(each)]
        composite = jax.lax.composite(decomposition, name="lathe.custom_gradient")
        return composite(*arguments, *zeros, arguments=numpy.int64(count), results=numpy.int64(len(results)))[:len(results)]

    return called


def _of_any_size(params: Any, plain: Callable[..., Any]) -> Callable[..., Any]:
    """Returns what a function with open sizes computes, if the derivative of that is the one of its rule. Raises LatheError otherwise."""
    import jax

    name, _, place = str(params["call_jaxpr"].jaxpr.debug_info.func_src_info).partition(" at ")
    if "/jax/_src/" not in place.replace("\\", "/"):
        raise LatheError(f"{name} has a derivative of its own ({place}); it is supported only if all sizes are numbers")
    bounds = {"relu": lambda x: jax.numpy.where(x <= 0, 0, x), "relu6": lambda x: jax.numpy.where(x <= 0, 0, jax.numpy.where(x >= 6, 6, x))}
    if name in bounds:  # their rules have other derivatives at the bounds than maximum and minimum
        return lambda x: [bounds[name](x).astype(x.dtype)]
    return plain
