"""A graph as a PyTorch module: torch.fx writes the Python code of its forward function."""
import operator

import numpy as np
import torch
import torch.nn.functional as F


def dense(x, weights, bias=None):
    return F.linear(x, weights, bias)


def linear(x, weights, bias):
    return F.linear(x, weights.t(), bias)


def conv(x, weights, bias=None, *, size, stride, pad, groups):
    return F.conv2d(x, weights, bias, stride, pad, groups=groups)


def batch_norm(x, scale, offset, *, epsilon):
    return F.batch_norm(x, None, None, scale, offset, True, 0.1, epsilon)


def layer_norm(x, scale, offset, *, epsilon, width):
    return F.layer_norm(x, (width,), scale, offset, epsilon)


def max_pool(x, *, size, stride, pad):
    return F.max_pool2d(x, size, stride, pad)


def attention(query, key, value, *, heads, causal, split):
    parts = [part.reshape(split).transpose(1, 2) for part in (query, key, value)]
    mixed = F.scaled_dot_product_attention(*parts, is_causal=causal)
    return mixed.transpose(1, 2).reshape(query.shape)


def lstm(x, weights, recurrent, bias, *, width, batch):
    start = x.new_zeros(1, batch, width)
    in_bias, out_bias = bias.view(2, 4 * width).unbind(0)
    flat = [weights[0], recurrent[0], in_bias, out_bias]
    return torch.lstm(x, (start, start), flat, True, 1, 0.0, torch.is_grad_enabled(), False, False)[0]


def cut(x, *, axis, begin, end):
    return x.narrow(axis, begin, end - begin)


def take(x, *, axis, index):
    return x.select(axis, index)


OPS = {"relu": torch.relu, "relu6": lambda x: F.hardtanh(x, 0.0, 6.0), "sigmoid": torch.sigmoid, "tanh": torch.tanh, "exp": torch.exp,
       "abs": torch.abs, "sqrt": torch.sqrt, "neg": torch.neg, "gelu": F.gelu, "gelu_tanh": lambda x: F.gelu(x, approximate="tanh"),
       "add": operator.add, "mul": operator.mul, "add_number": lambda x, *, number: x + number,
       "mul_number": lambda x, *, number: x * number, "dense": dense, "logits": dense, "linear": linear, "conv": conv,
       "batch_norm": batch_norm, "layer_norm": layer_norm, "max_pool": max_pool, "mean_pool": lambda x: x.mean((2, 3)),
       "softmax": lambda x: torch.softmax(x, -1), "sum": lambda x, *, axis: x.sum(axis), "cross_entropy": F.cross_entropy,
       "reshape": lambda x, *, extents: x.reshape(extents), "transpose": lambda x, *, order: x.permute(order).contiguous(),
       "concat": lambda *values, axis: torch.cat(values, axis), "slice": cut, "take": take,
       "embed": lambda table, indices: F.embedding(indices, table), "attention": attention, "lstm": lstm}
for name, function in OPS.items():
    if getattr(function, "__name__", "") == "<lambda>":
        function.__name__ = function.__qualname__ = name  # torch.fx writes calls by name


def gates_in_order(array, width):
    """Returns weights or biases of an LSTM with the gates in PyTorch's order: input, forget, cell, output."""
    parts = array.reshape(-1, 4, width, *array.shape[2:])
    return np.ascontiguousarray(parts[:, [0, 2, 3, 1]]).reshape(array.shape)


def parameters_of(graph):
    arrays = dict(graph.parameters)
    for node in graph.nodes:
        if node.op == "lstm":
            for name in node.inputs[1:]:
                arrays[name] = gates_in_order(arrays[name], node.attributes["width"])
    return arrays


def module(graph, trained=False):
    """Returns a module whose inputs are the graph's, and whose parameters need gradients if they are trained."""
    root = torch.nn.Module()
    for name, array in parameters_of(graph).items():
        root.register_parameter(name, torch.nn.Parameter(torch.from_numpy(array.copy()), requires_grad=trained))
    code = torch.fx.Graph()
    values = {name: code.placeholder(name) for name in graph.inputs}
    values |= {name: code.get_attr(name) for name in graph.parameters}
    for node in graph.nodes:
        values[node.output] = code.call_function(OPS[node.op], tuple(values[name] for name in node.inputs), node.attributes)
    code.output(tuple(values[name] for name in graph.outputs))
    return torch.fx.GraphModule(root, code)
