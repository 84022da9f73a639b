"""Writes steps.mlirbc and steps.mlir, which JAX 0.10.2 lowered: a program with attributes of StableHLO, a loop and a call; and half.vhlo, a
portable artifact. Needs JAX.

    python3 write-bytecode.py FOLDER"""
import pathlib
import sys

import jax
import jax.numpy as jnp
from jaxlib.mlir.dialects import stablehlo
from jaxlib.mlir.passmanager import PassManager


def steps(w, x):
    def step(state, row):
        state = jnp.tanh(state @ w + row)
        return state, jnp.where(state > 0, state, 0).sum()

    state, sums = jax.lax.scan(step, jnp.zeros((2,)), x)
    return state, jnp.sort(sums), jax.lax.reduce_window(sums, -jnp.inf, jax.lax.max, (2,), (1,), "VALID"), x[jnp.array([1, 0])]


folder = pathlib.Path(sys.argv[1])
lowered = jax.jit(steps).lower(jnp.ones((2, 2)), jnp.ones((3, 2)))
(folder / "steps.mlir").write_text(lowered.as_text())
module = lowered.compiler_ir("stablehlo")
with module.context:
    PassManager.parse("builtin.module(strip-debuginfo)").run(module.operation)  # no paths of the machine
with open(folder / "steps.mlirbc", "wb") as file:
    module.operation.write_bytecode(file)
half = jax.jit(lambda x: x / 2).lower(jnp.ones(3)).compiler_ir("stablehlo")
with half.context:
    PassManager.parse("builtin.module(strip-debuginfo)").run(half.operation)
(folder / "half.vhlo").write_bytes(stablehlo.serialize_portable_artifact_str(str(half), stablehlo.get_minimum_version()))
