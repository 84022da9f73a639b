"""The digits net in JAX: parameters by their names in examples/digits/digits.mlir, and a step of Adam."""
import jax
import jax.numpy as jnp
from network import STRIDES


def logits(p, x):
    for i, stride in enumerate(STRIDES, 1):
        x = jax.lax.conv_general_dilated(x, p[f"conv{i}.w"], (stride, stride), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"))
        x = x + p[f"conv{i}.b"]
        x = jnp.where(x > 0, x, 0.0)
    return x.mean((1, 2)) @ p["dense.w"] + p["dense.b"]


def loss(p, x, y):
    z = logits(p, x)
    z = z - jax.lax.stop_gradient(z.max(1, keepdims=True))
    return (jnp.log(jnp.exp(z).sum(1)) - jnp.take_along_axis(z, y[:, None], 1)[:, 0]).mean()


def step(p, m, v, t, x, y, rate=1e-4, b1=0.9, b2=0.999, eps=1e-8):
    value, g = jax.value_and_grad(loss)(p, x, y)
    t = t + 1
    m = jax.tree.map(lambda m, g: b1 * m + (1 - b1) * g, m, g)
    v = jax.tree.map(lambda v, g: b2 * v + (1 - b2) * g * g, v, g)
    p = jax.tree.map(lambda p, m, v: p - rate * (m / (1 - b1**t)) / (jnp.sqrt(v / (1 - b2**t)) + eps), p, m, v)
    return p, m, v, t, value
