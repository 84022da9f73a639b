"""A network as a list of ops with known shapes. to_onnx, to_torch and to_jax each make a program of it, so that all peers compute the
same."""
import dataclasses
import math

import numpy as np

LABELS = np.int64  # the element type of labels and of rows to look up


@dataclasses.dataclass
class Node:
    op: str  # the key into the tables of to_onnx, to_torch and to_jax
    inputs: list
    output: str
    attributes: dict


class Graph:
    """Values are names; `shapes` has the shape of each. Parameters and inputs are arrays, drawn from one seed in the order of the calls."""

    lathec_options = ()

    def __init__(self, seed):
        self.random = np.random.default_rng(seed)
        self.inputs, self.parameters, self.shapes = {}, {}, {}
        self.nodes, self.outputs = [], []
        self.operations = 0  # of products and convolutions: two for each multiply-add

    def floats(self, *shape):
        """Adds an input of normal random numbers."""
        return self._input(self.random.standard_normal(shape).astype(np.float32))

    def integers(self, count, *shape):
        """Adds an input of random integers below `count`."""
        return self._input(self.random.integers(0, count, shape).astype(LABELS))

    def element(self, name):
        """Returns the element type of an output."""
        return np.float32

    def _input(self, array):
        name = f"x{len(self.inputs)}"
        self.inputs[name], self.shapes[name] = array, array.shape
        return name

    def parameter(self, *shape, scale=0.02):
        """Adds normal random numbers times `scale`."""
        return self._parameter((self.random.standard_normal(shape) * scale).astype(np.float32))

    def filled(self, value, *shape):
        return self._parameter(np.full(shape, value, np.float32))

    def _parameter(self, array):
        name = f"p{len(self.parameters)}"
        self.parameters[name], self.shapes[name] = array, array.shape
        return name

    def apply(self, op, inputs, shape, **attributes):
        """Adds a node, and returns its output's name."""
        name = f"v{len(self.nodes)}"
        self.nodes.append(Node(op, list(inputs), name, attributes))
        self.shapes[name] = tuple(int(extent) for extent in shape)
        return name

    def result(self, value):
        self.outputs.append(value)
        return self

    # Elementwise.
    def map(self, op, x):
        """Applies relu, relu6, sigmoid, tanh, exp, abs, sqrt, neg, gelu or gelu_tanh."""
        return self.apply(op, [x], self.shapes[x])

    def combine(self, op, a, b):
        """Applies add or mul to two values, or to a value and a number."""
        if isinstance(b, float):
            return self.apply(op + "_number", [a], self.shapes[a], number=b)
        return self.apply(op, [a, b], np.broadcast_shapes(self.shapes[a], self.shapes[b]))

    def add(self, a, b):
        return self.combine("add", a, b)

    def mul(self, a, b):
        return self.combine("mul", a, b)

    # Products and convolutions.
    def dense(self, x, columns):
        """Returns x W^T + b of a matrix x, as a layer of PyTorch stores it."""
        rows, depth = self.shapes[x]
        weights = self.parameter(columns, depth, scale=math.sqrt(2 / (depth + columns)))
        self.operations += 2 * rows * depth * columns
        return self.apply("dense", [x, weights, self.parameter(columns)], (rows, columns))

    def logits(self, x, table):
        """Returns x T^T of a matrix x and a table that the embedding reads too."""
        rows, depth = self.shapes[x]
        columns = self.shapes[table][0]
        self.operations += 2 * rows * depth * columns
        return self.apply("logits", [x, table], (rows, columns))

    def linear(self, x, columns):
        """Returns x W + b over the last dimension."""
        *outer, depth = self.shapes[x]
        weights = self.parameter(depth, columns, scale=math.sqrt(2 / (depth + columns)))
        self.operations += 2 * math.prod(outer) * depth * columns
        return self.apply("linear", [x, weights, self.parameter(columns)], (*outer, columns))

    def conv(self, x, channels, size, stride=1, groups=1, bias=True, gain=2.0):
        """Adds a convolution of NCHW images, padded so that stride 1 keeps the extents."""
        count, depth, *extents = self.shapes[x]
        depth, pad = depth // groups, (size - 1) // 2
        weights = self.parameter(channels, depth, size, size, scale=math.sqrt(gain / (depth * size * size)))
        shape = (count, channels, *((extent + 2 * pad - size) // stride + 1 for extent in extents))
        self.operations += 2 * math.prod(shape) * depth * size * size
        inputs = [x, weights] + ([self.parameter(channels)] if bias else [])
        return self.apply("conv", inputs, shape, size=size, stride=stride, pad=pad, groups=groups)

    # Norms, pools and sums.
    def batch_norm(self, x):
        """Normalises by the statistics of the batch, as a training step does."""
        channels = self.shapes[x][1]
        return self.apply("batch_norm", [x, self.filled(1, channels), self.filled(0, channels)], self.shapes[x], epsilon=1e-5)

    def layer_norm(self, x, epsilon=1e-5):
        width = self.shapes[x][-1]
        return self.apply("layer_norm", [x, self.filled(1, width), self.filled(0, width)], self.shapes[x], epsilon=epsilon, width=width)

    def max_pool(self, x, size, stride, pad):
        count, channels, *extents = self.shapes[x]
        shape = (count, channels, *((extent + 2 * pad - size) // stride + 1 for extent in extents))
        return self.apply("max_pool", [x], shape, size=size, stride=stride, pad=pad)

    def mean_pool(self, x):
        """Returns the mean of each channel of each image, [count, channels]."""
        return self.apply("mean_pool", [x], self.shapes[x][:2])

    def softmax(self, x):
        return self.apply("softmax", [x], self.shapes[x])

    def sum(self, x, axis):
        shape = list(self.shapes[x])
        del shape[axis]
        return self.apply("sum", [x], shape, axis=axis)

    def cross_entropy(self, x, labels):
        """Returns the mean loss of rows of logits."""
        return self.apply("cross_entropy", [x, labels], ())

    # Shapes and look-ups.
    def reshape(self, x, *shape):
        return self.apply("reshape", [x], shape, extents=shape)

    def transpose(self, x, *order):
        """Moves elements: peers may not return a view."""
        return self.apply("transpose", [x], [self.shapes[x][axis] for axis in order], order=order)

    def concat(self, values, axis):
        shape = list(self.shapes[values[0]])
        shape[axis] = sum(self.shapes[value][axis] for value in values)
        return self.apply("concat", values, shape, axis=axis)

    def slice(self, x, axis, begin, end):
        shape = list(self.shapes[x])
        shape[axis] = end - begin
        return self.apply("slice", [x], shape, axis=axis, begin=begin, end=end)

    def take(self, x, axis, index):
        """Returns one index along an axis, without the axis."""
        shape = list(self.shapes[x])
        del shape[axis]
        return self.apply("take", [x], shape, axis=axis, index=index)

    def embed(self, table, indices):
        return self.apply("embed", [table, indices], (*self.shapes[indices], self.shapes[table][1]))

    # Layers of several ops in ONNX.
    def attention(self, query, key, value, heads, causal=False):
        """Adds attention over [batch, length, width]; heads share the width."""
        batch, length, width = self.shapes[query]
        self.operations += 4 * batch * length * length * width
        return self.apply("attention", [query, key, value], (batch, length, width), heads=heads, causal=causal,
                          split=(batch, length, heads, width // heads))

    def lstm(self, x, width):
        """Adds a layer over [length, batch, depth] from zeros. Gates are in ONNX's order: input, output, forget, cell."""
        length, batch, depth = self.shapes[x]
        scale = 1 / math.sqrt(width)
        weights = [self.parameter(1, 4 * width, depth, scale=scale), self.parameter(1, 4 * width, width, scale=scale),
                   self.parameter(1, 8 * width)]
        self.operations += 8 * length * batch * width * (depth + width)
        return self.apply("lstm", [x, *weights], (length, batch, width), width=width, batch=batch)
