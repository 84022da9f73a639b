"""Graphs that reduce rows, and the same computation with JAX, PyTorch and, where it has the ops, ONNX."""
import dataclasses
import typing

import jax
import jax.numpy as jnp
import numpy as np
import torch
import torch.nn.functional as F
from onnx import helper
from peers import Onnx

random = np.random.default_rng(0)


@dataclasses.dataclass
class Case:
    what: str
    text: str  # the module
    inputs: dict  # name: array
    results: int
    jax: typing.Callable
    torch: typing.Callable
    onnx: Onnx | None = None


def floats(*shape):
    return (random.standard_normal(shape) * 1.5).astype(np.float32)


def type_of(*shape, element="f32"):
    return f"tensor<{''.join(f'{extent}x' for extent in shape)}{element}>"


def shifted(source, shape, axis, stop=False):
    """The ops that take the largest of its line off each element, to %shifted."""
    kept = [i for i in range(len(shape)) if i != axis]
    line, whole = type_of(*[shape[i] for i in kept]), type_of(*shape)
    text = f"%most = lathe.reduce max %{source} dims [{axis}] : {whole}\n"
    if stop:
        text += f"%largest = lathe.stop_gradient %most : {line}\n"
    return text + f"""%wide = lathe.broadcast %{'largest' if stop else 'most'} dims {kept} to {list(shape)} : {line}
%shifted = lathe.sub %{source}, %wide : {whole}
%exp = lathe.exp %shifted : {whole}
%total = lathe.reduce sum %exp dims [{axis}] : {whole}
"""


def softmax(source, shape, axis):
    kept = [i for i in range(len(shape)) if i != axis]
    return shifted(source, shape, axis) + f"""%totals = lathe.broadcast %total dims {kept} to {list(shape)} : {type_of(*[shape[i] for i in kept])}
%softmax = lathe.div %exp, %totals : {type_of(*shape)}
"""


def softmax_case(rows, columns, axis):
    shape = (rows, columns)
    text = f"func.func @f(%x: {type_of(*shape)}) -> {type_of(*shape)} {{\n{softmax('x', shape, axis)}return %softmax : {type_of(*shape)}\n}}\n"
    return Case(f"softmax {rows}x{columns}" + ("" if axis else ", axis 0"), text, {"x": floats(*shape)}, 1,
                lambda x: jax.nn.softmax(x, axis), lambda x: torch.softmax(x, axis),
                Onnx([helper.make_node("Softmax", ["x"], ["r"], axis=axis)]))


def layer_norm_case(rows, columns):
    whole, line, vector = type_of(rows, columns), type_of(rows), type_of(columns)
    text = f"""func.func @f(%x: {whole}, %scale: {vector}, %offset: {vector}) -> {whole} {{
%count = lathe.constant dense<{columns}.0> : tensor<f32>
%epsilon = lathe.constant dense<1.0e-5> : tensor<f32>
%sum = lathe.reduce sum %x dims [1] : {whole}
%mean = lathe.div %sum, %count : {line}, tensor<f32>
%means = lathe.broadcast %mean dims [0] to [{rows}, {columns}] : {line}
%centred = lathe.sub %x, %means : {whole}
%square = lathe.mul %centred, %centred : {whole}
%squares = lathe.reduce sum %square dims [1] : {whole}
%variance = lathe.div %squares, %count : {line}, tensor<f32>
%safe = lathe.add %variance, %epsilon : {line}, tensor<f32>
%factor = lathe.rsqrt %safe : {line}
%factors = lathe.broadcast %factor dims [0] to [{rows}, {columns}] : {line}
%normal = lathe.mul %centred, %factors : {whole}
%scaled = lathe.mul %normal, %scale : {whole}, {vector}
%y = lathe.add %scaled, %offset : {whole}, {vector}
return %y : {whole}
}}
"""

    def of_jax(x, scale, offset):
        mean = x.mean(1, keepdims=True)
        return (x - mean) * jax.lax.rsqrt(x.var(1, keepdims=True) + 1e-5) * scale + offset

    return Case(f"layer norm {rows}x{columns}", text, {"x": floats(rows, columns), "scale": floats(columns), "offset": floats(columns)},
                1, of_jax, lambda x, scale, offset: F.layer_norm(x, (columns,), scale, offset, 1e-5),
                Onnx([helper.make_node("LayerNormalization", ["x", "scale", "offset"], ["r"], axis=1, epsilon=1e-5)]))


def cross_entropy_case(rows, columns):
    whole, line = type_of(rows, columns), type_of(rows)
    labels = type_of(rows, element="i32")
    text = f"""func.func private @loss(%x: {whole}, %label: {labels}) -> tensor<f32> {{
{shifted('x', (rows, columns), 1, stop=True)}%log = lathe.log %total : {line}
%right = lathe.gather %shifted, %label axis 1 batch 1 : {whole}, {labels}
%each = lathe.sub %log, %right : {line}
%sum = lathe.reduce sum %each dims [0] : {line}
%count = lathe.constant dense<{rows}.0> : tensor<f32>
%loss = lathe.div %sum, %count : tensor<f32>
return %loss : tensor<f32>
}}
func.func @f(%x: {whole}, %label: {labels}) -> (tensor<f32>, {whole}) {{
%loss, %gradient = lathe.value_and_grad @loss(%x, %label) wrt [0] : ({whole}, {labels}) -> (tensor<f32>, {whole})
return %loss, %gradient : tensor<f32>, {whole}
}}
"""

    def loss(x, label):
        return -jnp.take_along_axis(jax.nn.log_softmax(x, 1), label[:, None], 1).mean()

    def of_torch(x, label):
        x = x.detach().requires_grad_()
        value = F.cross_entropy(x, label.long())
        return value.detach(), torch.autograd.grad(value, x)[0]

    return Case(f"cross-entropy and gradient {rows}x{columns}", text,
                {"x": floats(rows, columns), "label": random.integers(0, columns, rows, np.int32)}, 2, jax.value_and_grad(loss), of_torch)


def attention_case(heads, length, depth):
    shape, scores = (heads, length, depth), (heads, length, length)
    text = f"""func.func @f(%q: {type_of(*shape)}, %k: {type_of(*shape)}, %v: {type_of(*shape)}, %mask: {type_of(length, length)}) -> {type_of(*shape)} {{
%scale = lathe.constant dense<{depth ** -0.5}> : tensor<f32>
%product = lathe.dot_general %q, %k contract [2] x [2] batch [0] x [0] : {type_of(*shape)}, {type_of(*shape)}
%scaled = lathe.mul %product, %scale : {type_of(*scores)}, tensor<f32>
%x = lathe.add %scaled, %mask : {type_of(*scores)}, {type_of(length, length)}
{softmax('x', scores, 2)}%y = lathe.dot_general %softmax, %v contract [2] x [1] batch [0] x [0] : {type_of(*scores)}, {type_of(*shape)}
return %y : {type_of(*shape)}
}}
"""

    def of_jax(q, k, v, mask):
        return jax.nn.softmax(q @ k.swapaxes(1, 2) * depth ** -0.5 + mask, 2) @ v

    nodes = [helper.make_node("Transpose", ["k"], ["turned"], perm=[0, 2, 1]), helper.make_node("MatMul", ["q", "turned"], ["product"]),
             helper.make_node("Mul", ["product", "factor"], ["scaled"]), helper.make_node("Add", ["scaled", "mask"], ["scores"]),
             helper.make_node("Softmax", ["scores"], ["weights"], axis=2), helper.make_node("MatMul", ["weights", "v"], ["r"])]
    inputs = {name: floats(*shape) for name in "qkv"} | {"mask": np.triu(np.full((length, length), -1e9, np.float32), 1)}
    return Case(f"attention {heads}x{length}x{depth}, masked", text, inputs, 1, of_jax,
                lambda q, k, v, mask: F.scaled_dot_product_attention(q, k, v, mask),
                Onnx(nodes, {"factor": np.array(depth ** -0.5, np.float32)}))


CASES = [softmax_case(1536, 128, 1), softmax_case(77, 333, 1), softmax_case(64, 10, 1), softmax_case(1024, 1024, 0),
         layer_norm_case(2048, 768), cross_entropy_case(32, 10), cross_entropy_case(512, 1000), attention_case(12, 128, 64)]
