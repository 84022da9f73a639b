"""Sums in f32 as each of the peers writes them: a graph for Lathe, and functions of NumPy, PyTorch and JAX.

A case takes the number of terms n and gives arrays and graph; its functions take the arrays. `exact` computes in f64."""
import dataclasses
import typing

import jax
import numpy as np
import torch
import torch.nn.functional as nn

jax.config.update("jax_enable_x64", True)  # only what is given in f64 is computed in f64


@dataclasses.dataclass
class Case:
    name: str
    shapes: typing.Callable  # n -> shapes of the arrays
    result: typing.Callable  # n -> shape of the result
    body: str  # the graph's op, with the types of the arrays as {0}, {1}
    torch: typing.Callable
    jax: typing.Callable
    numpy: typing.Callable = None  # none where NumPy has no such function
    most: int = 8  # the largest exponent of n, by memory
    exact: typing.Callable = None  # of arrays of f64, NumPy's own by default
    before: str = ""  # ops in front, with n as {n} and the result's type as {result}
    helper: str = ""  # a function that the op differentiates; the op then has its result and the gradient

    def reference(self, arrays):
        arrays = [array.astype(np.float64) for array in arrays]
        if self.exact or self.numpy:
            return (self.exact or self.numpy)(*arrays)
        return self.torch(*map(torch.from_numpy, arrays)).numpy()


def image(n):
    """A height and a width of n pixels in all."""
    height = 10 ** (len(str(n)) // 2)
    return height, n // height


def layer_norm(x):
    centered = x - x.mean(-1, keepdims=True)
    return centered / np.sqrt((centered * centered).mean(-1, keepdims=True) + x.dtype.type(1e-5))


def softmax(x):
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def channels_first(x):
    return x.permute(0, 3, 1, 2)


def jax_conv(x, w):
    return jax.lax.conv_general_dilated(x, w, (1, 1), "VALID", dimension_numbers=("NHWC", "HWIO", "NHWC"))


def torch_conv(x, w):
    return nn.conv2d(channels_first(x), w.permute(3, 2, 0, 1)).permute(0, 2, 3, 1)


def torch_filter_gradient(x, dy):
    shape = (dy.shape[-1], x.shape[-1], 1, 1)
    gradient = torch.nn.grad.conv2d_weight(channels_first(x), shape, channels_first(dy))
    return gradient.permute(2, 3, 1, 0)


def jax_filter_gradient(x, dy):
    w = np.zeros((1, 1, x.shape[-1], dy.shape[-1]), x.dtype)
    return jax.vjp(lambda w: jax_conv(x, w), w)[1](dy)[0]


def torch_bias_gradient(x, dy):
    bias = torch.zeros(dy.shape[-1], dtype=dy.dtype, requires_grad=True)
    return torch.autograd.grad(x + bias, bias, dy)[0]


def torch_product_gradient(x, dy):
    w = torch.zeros((x.shape[1], dy.shape[1]), dtype=x.dtype, requires_grad=True)
    return torch.autograd.grad(x @ w, w, dy)[0]


def rows_of(x):
    """The row of a table of four that each element was gathered from."""
    return np.arange(len(x)) % 4


def torch_gather_gradient(dy):
    table = torch.zeros((4, dy.shape[1]), dtype=dy.dtype, requires_grad=True)
    return torch.autograd.grad(nn.embedding(torch.from_numpy(rows_of(dy)), table), table, dy)[0]


def jax_gather_gradient(dy):
    return jax.vjp(lambda table: table[rows_of(dy)], np.zeros((4, dy.shape[1]), dy.dtype))[1](dy)[0]


def numpy_gather_gradient(dy):
    table = np.zeros((4, dy.shape[1]), dy.dtype)
    np.add.at(table, rows_of(dy), dy)
    return table


def of_torch(f):  # arrays in, an array out
    return lambda *arrays: f(*map(torch.from_numpy, arrays)).detach().numpy()


def of_jax(f):
    compiled = jax.jit(f)
    return lambda *arrays: np.asarray(compiled(*arrays))


CASES = [
    Case("sum of a line", lambda n: [(2, n)], lambda n: (2,),
         "lathe.reduce sum %a0 dims [1] : {0}",
         lambda x: x.sum(1), lambda x: x.sum(1), lambda x: x.sum(1)),
    Case("sum of rows", lambda n: [(n, 2)], lambda n: (2,),
         "lathe.reduce sum %a0 dims [0] : {0}",
         lambda x: x.sum(0), lambda x: x.sum(0), lambda x: x.sum(0)),
    Case("sum of all", lambda n: [image(n)], lambda n: (),
         "lathe.reduce sum %a0 dims [0, 1] : {0}",
         lambda x: x.sum(), lambda x: x.sum(), lambda x: x.sum()),
    Case("mean of the middle", lambda n: [(2, n, 2)], lambda n: (2, 2),
         "lathe.std.mean %a0 dims [1] : {0}",
         lambda x: x.mean(1), lambda x: x.mean(1), lambda x: x.mean(1), most=7),
    Case("variance", lambda n: [(2, n)], lambda n: (2,),
         "lathe.std.variance %a0 dims [1] : {0}",
         lambda x: x.var(1, correction=0), lambda x: x.var(1), lambda x: x.var(1)),
    Case("softmax", lambda n: [(2, n)], lambda n: (2, n),
         "lathe.std.softmax %a0 : {0}",
         lambda x: x.softmax(-1), lambda x: jax.nn.softmax(x), softmax, most=7),
    Case("layer norm", lambda n: [(2, n)], lambda n: (2, n),
         "lathe.std.layer_norm %a0 : {0}",
         lambda x: nn.layer_norm(x, x.shape[1:]), lambda x: jax.nn.standardize(x, epsilon=1e-5), layer_norm, most=7),
    Case("pooling", lambda n: [(1, *image(n), 2)], lambda n: (1, 2),
         "lathe.std.mean %a0 dims [1, 2] : {0}",
         lambda x: nn.adaptive_avg_pool2d(channels_first(x), 1)[:, :, 0, 0], lambda x: x.mean((1, 2)),
         lambda x: x.mean((1, 2))),
    Case("dot", lambda n: [(4, n), (n, 4)], lambda n: (4, 4),
         "lathe.dot_general %a0, %a1 contract [1] x [0] : {0}, {1}",
         lambda x, y: x @ y, lambda x, y: x @ y, lambda x, y: x @ y, most=7),
    Case("dot of vectors", lambda n: [(n,), (n,)], lambda n: (),
         "lathe.dot_general %a0, %a1 contract [0] x [0] : {0}, {1}",
         lambda x, y: x @ y, lambda x, y: x @ y, lambda x, y: x @ y),
    Case("conv", lambda n: [(1, 4, 4, n), (1, 1, n, 4)], lambda n: (1, 4, 4, 4),
         "lathe.conv %a0, %a1 stride [1, 1] pad [[0, 0], [0, 0]] : {0}, {1}", torch_conv, jax_conv, most=6),
    Case("gradient of a filter", lambda n: [(1, *image(n), 4), (1, *image(n), 4)], lambda n: (1, 1, 4, 4),
         "lathe.conv_filter_grad %a0, %a1 filter [1, 1] stride [1, 1] pad [[0, 0], [0, 0]] : {0}, {1}",
         torch_filter_gradient, jax_filter_gradient, most=7),
    Case("gradient of a bias", lambda n: [(1, *image(n), 2), (1, *image(n), 2)], lambda n: (2,),
         "lathe.vjp @biased(%bias, %a0) cotangents(%a1) wrt [0] : ({result}, {0}), ({1}) -> ({1}, {result})",
         torch_bias_gradient, lambda x, dy: jax.vjp(lambda b: x + b, np.zeros(2, dy.dtype))[1](dy)[0],
         most=7, exact=lambda x, dy: dy.sum((0, 1, 2)),
         before="%bias = lathe.constant dense<0.0> : {result}",
         helper="func.func private @biased(%bias: {result}, %x: {0}) -> {0} {{\n"
                "  %y = lathe.add %x, %bias : {0}, {result}\n  return %y : {0}\n}}\n"),
    Case("gradient of a product", lambda n: [(n, 4), (n, 4)], lambda n: (4, 4),
         "lathe.dot_general %a0, %a1 contract [0] x [0] : {0}, {1}",
         torch_product_gradient, lambda x, dy: jax.vjp(lambda w: x @ w, np.zeros((4, 4), x.dtype))[1](dy)[0],
         most=7, exact=lambda x, dy: x.T @ dy),
    Case("cumulative sum of a line", lambda n: [(2, n)], lambda n: (2, n),
         "lathe.cumulative sum %a0 dim 1 : {0}",
         lambda x: x.cumsum(1), lambda x: x.cumsum(1), lambda x: x.cumsum(1), most=7),
    Case("cumulative sum of rows", lambda n: [(n, 2)], lambda n: (n, 2),
         "lathe.cumulative sum %a0 dim 0 : {0}",
         lambda x: x.cumsum(0), lambda x: x.cumsum(0), lambda x: x.cumsum(0), most=7),
    Case("gradient of a gather", lambda n: [(n, 2)], lambda n: (4, 2),
         "lathe.vjp @picked(%table, %places) cotangents(%a0) wrt [0] : ({result}, tensor<{n}xi32>), ({0}) -> ({0}, {result})",
         torch_gather_gradient, jax_gather_gradient, numpy_gather_gradient, most=7,
         before="%table = lathe.constant dense<0.0> : {result}\n  %four = lathe.constant dense<4> : tensor<i32>\n"
                "  %number = lathe.iota dim 0 to [{n}] : i32\n  %places = lathe.rem %number, %four : tensor<{n}xi32>, tensor<i32>",
         helper="func.func private @picked(%table: {result}, %places: tensor<{n}xi32>) -> {0} {{\n"
                "  %y = lathe.gather %table, %places axis 0 : {result}, tensor<{n}xi32>\n  return %y : {0}\n}}\n"),
]


def type_of(shape):
    return "tensor<" + "".join(f"{extent}x" for extent in shape) + "f32>"


def graph(case, n):
    types, result = [type_of(shape) for shape in case.shapes(n)], type_of(case.result(n))
    arguments = ", ".join(f"%a{i}: {type}" for i, type in enumerate(types))
    helper, before, op = (text.format(*types, n=n, result=result) for text in (case.helper, case.before, case.body))
    results = "%y, %r" if helper else "%r"
    return (f"{helper}func.func @f({arguments}) -> ({result} {{lathe.name = \"r\"}}) {{\n"
            f"  {before}\n  {results} = {op}\n  return %r : {result}\n}}\n")
