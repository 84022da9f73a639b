"""Lowering of functions of JAX so that their derivatives, which StableHLO has no ops for, are kept."""
from __future__ import annotations

from typing import Any, Callable, Sequence

import numpy


STOP_GRADIENT = "lathe.stop_gradient"  # the custom call that becomes lathe.stop_gradient
CUSTOM_GRADIENT = "lathe.custom_gradient"  # the composite, and the first part of the functions' names


def rules(is_sized: bool) -> tuple[tuple[Any, Callable[..., Any]], ...]:
    """Returns rules that replace those of JAX in one lowering: stop_gradient becomes a custom call, and functions of
    jax.custom_jvp and jax.custom_vjp become composites, or calls of functions with the composite's name, both of which the importer of
    StableHLO knows. is_sized: all sizes of the program are numbers; JAX passes named sizes to functions, but not to composites."""
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
            lowered = plain if inside else _with_gradient(function, context.avals_out, is_sized)
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


def _with_gradient(function: Callable[..., Any], results: Sequence[Any], is_sized: bool) -> Callable[..., Any]:
    """Returns a function that calls a composite, or a function, of the arguments and cotangents, which has the gradient of JAX's rule."""
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
        if not is_sized:
            decomposition.__name__ = f"{CUSTOM_GRADIENT}.{count}.{len(results)}"
            return jax.jit(decomposition)(*arguments, *zeros)[:len(results)]
        composite = jax.lax.composite(decomposition, name=CUSTOM_GRADIENT)
        return composite(*arguments, *zeros, arguments=numpy.int64(count), results=numpy.int64(len(results)))[:len(results)]

    return called
