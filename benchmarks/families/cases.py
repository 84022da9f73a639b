"""One row for each op family: a graph, inputs, and the same computation with NumPy and with JAX."""
import dataclasses
import typing

import jax
import jax.numpy as jnp
import numpy as np

random = np.random.default_rng(0)


@dataclasses.dataclass
class Case:
    family: str
    what: str
    text: str  # the body of @f
    inputs: dict  # name: array
    numpy: typing.Callable | None
    jax: typing.Callable
    tolerance: float = 1e-4


def floats(*shape, low=-1.0, high=1.0):
    return (random.random(shape, np.float32) * np.float32(high - low) + np.float32(low)).astype(np.float32)


def integers(*shape, high, dtype=np.int32):
    return random.integers(0, high, shape, dtype)


def square(n):
    return f"tensor<{n}x{n}xf32>"


M = 1024
T = square(M)
x, y = floats(M, M), floats(M, M)
positive = floats(M, M, low=0.1, high=3.0)
CASES = [
    Case("arithmetic", "x * y + x, 1 M f32", f"%p = lathe.mul %x, %y : {T}\n%r = lathe.add %p, %x : {T}",
         {"x": x, "y": y}, lambda x, y: x * y + x, lambda x, y: x * y + x),
    Case("arithmetic", "x / y, 1 M i32", f"%r = lathe.div %x, %y : {T.replace('f32', 'i32')}",
         {"x": integers(M, M, high=1 << 30), "y": integers(M, M, high=1000) + 1}, lambda x, y: x // y, lambda x, y: jax.lax.div(x, y)),
    *[Case("functions", f"{name}, 1 M f32", f"%r = lathe.{name} %x : {T}", {"x": data}, of_numpy, of_jax) for name, data, of_numpy, of_jax in [
        ("exp", x, np.exp, jnp.exp), ("log", positive, np.log, jnp.log), ("tanh", x, np.tanh, jnp.tanh), ("sin", x, np.sin, jnp.sin),
        ("erf", x, None, jax.lax.erf), ("atan", x, np.arctan, jnp.arctan)]],
    Case("functions", "pow, 1 M f32", f"%r = lathe.pow %x, %y : {T}", {"x": positive, "y": y}, np.power, jnp.power),
    Case("halves", "x * y + x, 1 M bf16", f"%p = lathe.mul %x, %y : {T.replace('f32', 'bf16')}\n%r = lathe.add %p, %x : {T.replace('f32', 'bf16')}",
         {"x": np.asarray(jnp.asarray(x, jnp.bfloat16)), "y": np.asarray(jnp.asarray(y, jnp.bfloat16))}, None, lambda x, y: x * y + x, 1e-2),
    Case("bits", "popcount, 1 M i32", f"%r = lathe.popcount %x : {T.replace('f32', 'i32')}", {"x": integers(M, M, high=1 << 30)},
         lambda x: np.bitwise_count(x).astype(np.int32), lambda x: jax.lax.population_count(x)),
    Case("shape", "transpose 1000x1040", "%r = lathe.transpose %x [1, 0] : tensor<1000x1040xf32>", {"x": floats(1000, 1040)},
         lambda x: np.ascontiguousarray(x.T), lambda x: x.T),
    Case("shape", "concatenate along rows", f"%r = lathe.concatenate %x, %y dim 1 : {T}, {T}", {"x": x, "y": y},
         lambda x, y: np.concatenate([x, y], 1), lambda x, y: jnp.concatenate([x, y], 1)),
    Case("indexing", "gather 4096 rows of 256", "%r = lathe.gather %x, %i axis 0 : tensor<10000x256xf32>, tensor<4096xi32>",
         {"x": floats(10000, 256), "i": integers(4096, high=10000)}, lambda x, i: x[i], lambda x, i: x[i]),
    Case("indexing", "scatter add 4096 rows of 256",
         "%r = lathe.scatter add %x, %i, %u axis 0 : tensor<10000x256xf32>, tensor<4096xi32>, tensor<4096x256xf32>",
         {"x": floats(10000, 256), "i": integers(4096, high=10000), "u": floats(4096, 256)}, None, lambda x, i, u: x.at[i].add(u)),
    Case("reduce", "sum of rows, 1 M", f"%r = lathe.reduce sum %x dims [1] : {T}", {"x": x}, lambda x: x.sum(1), lambda x: x.sum(1)),
    Case("reduce", "max of columns, 1 M", f"%r = lathe.reduce max %x dims [0] : {T}", {"x": x}, lambda x: x.max(0), lambda x: x.max(0)),
    Case("reduce", "argmax of rows, 1 M", f"%r = lathe.argmax %x dim 1 : {T}", {"x": x}, lambda x: x.argmax(1).astype(np.int32),
         lambda x: x.argmax(1)),
    Case("running", "cumulative sum of rows, 1 M", f"%r = lathe.cumulative sum %x dim 1 : {T}", {"x": x}, lambda x: x.cumsum(1),
         lambda x: x.cumsum(1), 1e-3),
    Case("windows", "max pooling 3x3 by 2, 8x56x56x64",
         "%r = lathe.reduce_window max %x window [1, 3, 3, 1] stride [1, 2, 2, 1] pad [[0, 0], [0, 1], [0, 1], [0, 0]] : tensor<8x56x56x64xf32>",
         {"x": floats(8, 56, 56, 64)}, None,
         lambda x: jax.lax.reduce_window(x, -jnp.inf, jax.lax.max, (1, 3, 3, 1), (1, 2, 2, 1), ((0, 0), (0, 1), (0, 1), (0, 0)))),
    Case("order", "sort rows of 1000, 1 M", "%r = lathe.sort %x dim 1 : tensor<1000x1000xf32>", {"x": floats(1000, 1000)},
         lambda x: np.sort(x, 1), lambda x: jnp.sort(x, 1)),
    Case("order", "argsort 100 k, stable", "%r = lathe.argsort %x dim 0 : tensor<100000xf32>", {"x": floats(100000)},
         lambda x: np.argsort(x, kind="stable").astype(np.int32), lambda x: jnp.argsort(x)),
    Case("order", "top 50 of 64 rows of 16384", "%r = lathe.top_k %x dim 1 count 50 : tensor<64x16384xf32>", {"x": floats(64, 16384)},
         None, lambda x: jax.lax.top_k(x, 50)[1]),
    Case("products", "dot 512x512x512", f"%r = lathe.dot_general %x, %y contract [1] x [0] : {square(512)}, {square(512)}",
         {"x": floats(512, 512), "y": floats(512, 512)}, np.matmul, jnp.matmul, 1e-3),
    Case("products", "batch of 64 dots 64x64x64",
         "%r = lathe.dot_general %x, %y contract [2] x [1] batch [0] x [0] : tensor<64x64x64xf32>, tensor<64x64x64xf32>",
         {"x": floats(64, 64, 64), "y": floats(64, 64, 64)}, np.matmul, jnp.matmul, 1e-3),
    Case("products", "matrix by vector 2048x2048", "%r = lathe.dot_general %x, %y contract [1] x [0] : tensor<2048x2048xf32>, tensor<2048xf32>",
         {"x": floats(2048, 2048), "y": floats(2048)}, np.matmul, jnp.matmul, 1e-3),
    Case("convolution", "3x3, 8x28x28x64 to 64",
         "%r = lathe.conv %x, %w stride [1, 1] pad same : tensor<8x28x28x64xf32>, tensor<3x3x64x64xf32>",
         {"x": floats(8, 28, 28, 64), "w": floats(3, 3, 64, 64)}, None,
         lambda x, w: jax.lax.conv_general_dilated(x, w, (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC")), 1e-2),
    Case("convolution", "depthwise 3x3, 8x28x28x64",
         "%r = lathe.conv %x, %w stride [1, 1] pad same groups 64 : tensor<8x28x28x64xf32>, tensor<3x3x1x64xf32>",
         {"x": floats(8, 28, 28, 64), "w": floats(3, 3, 1, 64)}, None,
         lambda x, w: jax.lax.conv_general_dilated(x, w, (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"), feature_group_count=64)),
    Case("convolution", "3x3 in 4 groups, 8x28x28x64 to 64",
         "%r = lathe.conv %x, %w stride [1, 1] pad same groups 4 : tensor<8x28x28x64xf32>, tensor<3x3x16x64xf32>",
         {"x": floats(8, 28, 28, 64), "w": floats(3, 3, 16, 64)}, None,
         lambda x, w: jax.lax.conv_general_dilated(x, w, (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"), feature_group_count=4), 1e-2),
    Case("convolution", "3x3x3, 2x8x14x14x32 to 32",
         "%r = lathe.conv %x, %w stride [1, 1, 1] pad same : tensor<2x8x14x14x32xf32>, tensor<3x3x3x32x32xf32>",
         {"x": floats(2, 8, 14, 14, 32), "w": floats(3, 3, 3, 32, 32)}, None,
         lambda x, w: jax.lax.conv_general_dilated(x, w, (1, 1, 1), "SAME", dimension_numbers=("NDHWC", "DHWIO", "NDHWC")), 1e-2),
    Case("linear algebra", "cholesky 512", f"%r = lathe.cholesky %x : {square(512)}", {"x": np.eye(512, dtype=np.float32) * 600 + 1},
         np.linalg.cholesky, jnp.linalg.cholesky, 1e-3),
    Case("linear algebra", "triangular solve 512, 64 columns", "%r = lathe.triangular_solve %a, %b : tensor<512x512xf32>, tensor<512x64xf32>",
         {"a": np.tril(floats(512, 512)) * 0.05 + np.eye(512, dtype=np.float32), "b": floats(512, 64)}, None,
         lambda a, b: jax.scipy.linalg.solve_triangular(a, b, lower=True), 1e-2),
    Case("random", "1 M random words", f"%r = lathe.random_bits %s stream 0 to [{M}, {M}] : i32", {"s": np.array(7, np.int64)}, None, None),
]
