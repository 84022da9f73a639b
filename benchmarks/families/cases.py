"""One row or more for each op family: a graph, inputs, and the same computation with NumPy, JAX, PyTorch and ONNX Runtime, where
they have it."""
import jax
import jax.numpy as jnp
import numpy as np
import torch
from case import Case, distinct, floats, integers, node, type_of
from convolutions import CONVOLUTIONS
from onnx.helper import make_node
from peers import Onnx

M = 1024
T, I = type_of(M, M), type_of(M, M, element="i32")
x, y = floats(M, M), floats(M, M)
positive = floats(M, M, low=0.1, high=3.0)


def product_and_sum(family, element, dtype, with_numpy, with_onnx, tolerance):
    kind = type_of(M, M, element=element)
    return Case(family, f"x * y + x, 1 M {element}", f"%p = lathe.mul %x, %y : {kind}\n%r = lathe.add %p, %x : {kind}",
                {"x": x.astype(dtype), "y": y.astype(dtype)}, with_numpy, lambda x, y: x * y + x, lambda x, y: torch.addcmul(x, x, y),
                with_onnx, tolerance)


def function(name, data, of_numpy, of_jax):
    return Case("functions", f"{name}, 1 M f32", f"%r = lathe.{name} %x : {T}", {"x": data}, of_numpy, of_jax, getattr(torch, name),
                node(name.capitalize(), "x"))


ELEMENTWISE = [
    product_and_sum("arithmetic", "f32", np.float32, lambda x, y: x * y + x,
                    Onnx([make_node("Mul", ["x", "y"], ["p"]), make_node("Add", ["p", "x"], ["r"])]), 1e-4),
    Case("arithmetic", "x / y, 1 M i32", f"%r = lathe.div %x, %y : {I}",
         {"x": integers(M, M, high=1 << 30), "y": integers(M, M, high=1000) + 1}, lambda x, y: x // y, jax.lax.div,
         lambda x, y: torch.div(x, y, rounding_mode="trunc"), node("Div", "x", "y")),
    function("exp", x, np.exp, jnp.exp), function("log", positive, np.log, jnp.log), function("tanh", x, np.tanh, jnp.tanh),
    function("sin", x, np.sin, jnp.sin), function("erf", x, None, jax.lax.erf), function("atan", x, np.arctan, jnp.arctan),
    Case("functions", "pow, 1 M f32", f"%r = lathe.pow %x, %y : {T}", {"x": positive, "y": y}, np.power, jnp.power, torch.pow,
         node("Pow", "x", "y")),
    product_and_sum("halves", "bf16", jnp.bfloat16, None, None, 2e-2),
    Case("bits", "popcount, 1 M i32", f"%r = lathe.popcount %x : {I}", {"x": integers(M, M, high=1 << 30)},
         lambda x: np.bitwise_count(x).astype(np.int32), jax.lax.population_count),
]


def transpose(*shape):
    return Case("shape", f"transpose {'x'.join(map(str, shape))}", f"%r = lathe.transpose %x [1, 0] : {type_of(*shape)}",
                {"x": floats(*shape)}, lambda x: np.ascontiguousarray(x.T), lambda x: x.T, lambda x: x.T.contiguous(),
                node("Transpose", "x", perm=[1, 0]))


SHAPE = [
    transpose(1000, 1040), transpose(1024, 1024), transpose(2048, 2048),
    Case("shape", "concatenate along rows", f"%r = lathe.concatenate %x, %y dim 1 : {T}, {T}", {"x": x, "y": y},
         lambda x, y: np.concatenate([x, y], 1), lambda x, y: jnp.concatenate([x, y], 1), lambda x, y: torch.cat([x, y], 1),
         node("Concat", "x", "y", axis=1)),
    Case("indexing", "gather 4096 rows of 256", "%r = lathe.gather %x, %i axis 0 : tensor<10000x256xf32>, tensor<4096xi32>",
         {"x": floats(10000, 256), "i": integers(4096, high=10000)}, lambda x, i: x[i], lambda x, i: x[i],
         lambda x, i: torch.index_select(x, 0, i), node("Gather", "x", "i", axis=0)),
    Case("indexing", "scatter add 4096 rows of 256",
         "%r = lathe.scatter add %x, %i, %u axis 0 : tensor<10000x256xf32>, tensor<4096xi32>, tensor<4096x256xf32>",
         {"x": floats(10000, 256), "i": integers(4096, high=10000), "u": floats(4096, 256)}, None, lambda x, i, u: x.at[i].add(u),
         lambda x, i, u: x.index_add(0, i, u),
         Onnx([make_node("Cast", ["i"], ["long"], to=7), make_node("Unsqueeze", ["long", "last"], ["places"]),
               make_node("ScatterND", ["x", "places", "u"], ["r"], reduction="add")], {"last": np.array([1])})),
]

REDUCTIONS = [
    Case("reduce", "sum of rows, 1 M", f"%r = lathe.reduce sum %x dims [1] : {T}", {"x": x}, lambda x: x.sum(1), lambda x: x.sum(1),
         lambda x: x.sum(1), node("ReduceSum", "x", [1], keepdims=0), 1e-3),
    Case("reduce", "max of columns, 1 M", f"%r = lathe.reduce max %x dims [0] : {T}", {"x": x}, lambda x: x.max(0), lambda x: x.max(0),
         lambda x: x.amax(0), node("ReduceMax", "x", [0], keepdims=0)),
    Case("reduce", "argmax of rows, 1 M", f"%r = lathe.argmax %x dim 1 : {T}", {"x": x}, lambda x: x.argmax(1), lambda x: x.argmax(1),
         lambda x: x.argmax(1), node("ArgMax", "x", axis=1, keepdims=0)),
    Case("running", "cumulative sum of rows, 1 M", f"%r = lathe.cumulative sum %x dim 1 : {T}", {"x": x}, lambda x: x.cumsum(1),
         lambda x: x.cumsum(1), lambda x: x.cumsum(1), node("CumSum", "x", np.array(1)), 1e-3),
]


def max_pooling():
    onnx = node("MaxPool", "x", kernel_shape=[3, 3], strides=[2, 2], pads=[0, 0, 1, 1])
    onnx.inputs = lambda arrays: {"x": np.ascontiguousarray(arrays["x"].transpose(0, 3, 1, 2))}
    onnx.result = lambda array: array.transpose(0, 2, 3, 1)
    return Case("windows", "max pooling 3x3 by 2, 8x56x56x64",
                "%r = lathe.reduce_window max %x window [1, 3, 3, 1] stride [1, 2, 2, 1] pad [[0, 0], [0, 1], [0, 1], [0, 0]] : "
                "tensor<8x56x56x64xf32>", {"x": floats(8, 56, 56, 64)}, None,
                lambda x: jax.lax.reduce_window(x, -jnp.inf, jax.lax.max, (1, 3, 3, 1), (1, 2, 2, 1), ((0, 0), (0, 1), (0, 1), (0, 0))),
                lambda x: torch.max_pool2d(x, 3, 2, 0, 1, True).movedim(1, -1), onnx,  # rounded up: the same windows
                torch_inputs=lambda tensors: [tensors[0].movedim(-1, 1)])


ORDER = [
    Case("order", "sort rows of 1000, 1 M", "%r = lathe.sort %x dim 1 : tensor<1000x1000xf32>", {"x": floats(1000, 1000)},
         lambda x: np.sort(x, 1), lambda x: jnp.sort(x, 1), lambda x: torch.sort(x, 1)[0],
         node("TopK", "x", [1000], results=("r", "places"), axis=1, largest=0)),
    Case("order", "argsort 100 k, stable", "%r = lathe.argsort %x dim 0 : tensor<100000xf32>", {"x": floats(100000)},
         lambda x: np.argsort(x, kind="stable"), jnp.argsort, lambda x: torch.argsort(x, stable=True),
         node("TopK", "x", [100000], results=("values", "r"), axis=0, largest=0)),
    Case("order", "top 50 of 64 rows of 16384", "%r = lathe.top_k %x dim 1 count 50 : tensor<64x16384xf32>", {"x": distinct(64, 16384)},
         None, lambda x: jax.lax.top_k(x, 50)[1], lambda x: torch.topk(x, 50)[1],
         node("TopK", "x", [50], results=("values", "r"), axis=1)),
]


def product(what, options, shapes, element="f32", dtype=np.float32, tolerance=1e-3, with_numpy=True):
    left, right = [type_of(*shape, element=element) for shape in shapes]
    return Case("products", what, f"%r = lathe.dot_general %x, %y {options} : {left}, {right}",
                {name: floats(*shape).astype(dtype) for name, shape in zip("xy", shapes)}, np.matmul if with_numpy else None, jnp.matmul,
                torch.matmul, node("MatMul", "x", "y") if element != "bf16" else None, tolerance)


PRODUCTS = [
    product("dot 512x512x512", "contract [1] x [0]", [(512, 512), (512, 512)]),
    product("batch of 64 dots 64x64x64", "contract [2] x [1] batch [0] x [0]", [(64, 64, 64), (64, 64, 64)]),
    product("matrix by vector 2048x2048", "contract [1] x [0]", [(2048, 2048), (2048,)]),
    product("dot 512x512x512, f16", "contract [1] x [0]", [(512, 512), (512, 512)], "f16", np.float16, 5e-2, False),
    product("dot 512x512x512, bf16", "contract [1] x [0]", [(512, 512), (512, 512)], "bf16", jnp.bfloat16, 2e-1, False),
]

LINEAR_ALGEBRA = [
    Case("linear algebra", "cholesky 512", f"%r = lathe.cholesky %x : {type_of(512, 512)}", {"x": np.eye(512, dtype=np.float32) * 600 + 1},
         np.linalg.cholesky, jnp.linalg.cholesky, torch.linalg.cholesky, None, 1e-3),
    Case("linear algebra", "triangular solve 512, 64 columns",
         "%r = lathe.triangular_solve %a, %b : tensor<512x512xf32>, tensor<512x64xf32>",
         {"a": np.tril(floats(512, 512)) * np.float32(0.05) + np.eye(512, dtype=np.float32), "b": floats(512, 64)}, None,
         lambda a, b: jax.scipy.linalg.solve_triangular(a, b, lower=True),
         lambda a, b: torch.linalg.solve_triangular(a, b, upper=False), None, 1e-2),
]

# Threefry with JAX, each peer's own generator elsewhere.
generator = np.random.Generator(np.random.Philox(7))
key = jax.random.key(7)
RANDOM = [Case("random", "1 M random words", f"%r = lathe.random_bits %s stream 0 to [{M}, {M}] : i32", {"s": np.array(7, np.int64)},
               lambda s: generator.integers(0, 1 << 32, (M, M), np.uint32), lambda s: jax.random.bits(key, (M, M)),
               lambda s: torch.empty(M, M, dtype=torch.int32).random_(), shown=np.empty((M, M), np.int32))]

CASES = ELEMENTWISE + SHAPE + REDUCTIONS + [max_pooling()] + ORDER + PRODUCTS + CONVOLUTIONS + LINEAR_ALGEBRA + RANDOM
