"""A graph as an ONNX model of opset 17 in f32, with its parameters as initializers."""
import math

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

SIMPLE = {"relu": "Relu", "sigmoid": "Sigmoid", "tanh": "Tanh", "exp": "Exp", "abs": "Abs", "sqrt": "Sqrt", "neg": "Neg", "add": "Add",
          "mul": "Mul"}


class Writer:
    def __init__(self, graph):
        self.graph, self.nodes, self.constants = graph, [], []

    def constant(self, value, kind):
        """Returns the name of an initializer that is not a parameter."""
        name = f"c{len(self.constants)}"
        self.constants.append(numpy_helper.from_array(np.asarray(value, kind), name))
        return name

    def number(self, value):
        return self.constant(value, np.float32)

    def sizes(self, *values):
        return self.constant(values, np.int64)

    def node(self, op, *inputs, output=None, **attributes):
        """Adds a node of one result, and returns its name."""
        output = output or f"t{len(self.nodes)}"
        self.nodes.append(helper.make_node(op, list(inputs), [output], **attributes))
        return output


def relu6(w, node, x):
    w.node("Clip", x, w.number(0), w.number(6), output=node.output)


def gelu(w, node, x):
    """Writes the exact form, x (1 + erf(x / sqrt 2)) / 2, as PyTorch's exporter spells it."""
    shifted = w.node("Add", w.node("Erf", w.node("Div", x, w.number(math.sqrt(2)))), w.number(1))
    w.node("Mul", w.node("Mul", x, shifted), w.number(0.5), output=node.output)


def gelu_tanh(w, node, x):
    cube = w.node("Mul", w.node("Mul", w.node("Mul", x, x), x), w.number(0.044715))
    bent = w.node("Tanh", w.node("Mul", w.node("Add", x, cube), w.number(math.sqrt(2 / math.pi))))
    w.node("Mul", w.node("Mul", x, w.number(0.5)), w.node("Add", bent, w.number(1)), output=node.output)


def add_number(w, node, x):
    w.node("Add", x, w.number(node.attributes["number"]), output=node.output)


def mul_number(w, node, x):
    w.node("Mul", x, w.number(node.attributes["number"]), output=node.output)


def dense(w, node, x, weights, *bias):
    w.node("Gemm", x, weights, *bias, transB=1, output=node.output)


def linear(w, node, x, weights, bias):
    w.node("Add", w.node("MatMul", x, weights), bias, output=node.output)


def conv(w, node, x, *rest):
    a = node.attributes
    w.node("Conv", x, *rest, kernel_shape=[a["size"]] * 2, strides=[a["stride"]] * 2, pads=[a["pad"]] * 4, group=a["groups"],
           output=node.output)


def batch_norm(w, node, x, scale, offset):
    channels = w.graph.shapes[scale][0]
    running = [w.number(np.zeros(channels)), w.number(np.ones(channels))]
    outputs = [node.output, f"{node.output}_mean", f"{node.output}_variance"]
    w.nodes.append(helper.make_node("BatchNormalization", [x, scale, offset, *running], outputs, training_mode=1,
                                    epsilon=node.attributes["epsilon"]))


def layer_norm(w, node, *inputs):
    w.node("LayerNormalization", *inputs, axis=-1, epsilon=node.attributes["epsilon"], output=node.output)


def max_pool(w, node, x):
    a = node.attributes
    w.node("MaxPool", x, kernel_shape=[a["size"]] * 2, strides=[a["stride"]] * 2, pads=[a["pad"]] * 4, output=node.output)


def mean_pool(w, node, x):
    w.node("Reshape", w.node("GlobalAveragePool", x), w.sizes(*w.graph.shapes[node.output]), output=node.output)


def softmax(w, node, x):
    w.node("Softmax", x, axis=-1, output=node.output)


def add_up(w, node, x):
    w.node("ReduceSum", x, w.sizes(node.attributes["axis"]), keepdims=0, output=node.output)


def cross_entropy(w, node, x, labels):
    w.node("SoftmaxCrossEntropyLoss", x, labels, reduction="mean", output=node.output)


def reshape(w, node, x):
    w.node("Reshape", x, w.sizes(*node.attributes["extents"]), output=node.output)


def transpose(w, node, x):
    w.node("Transpose", x, perm=list(node.attributes["order"]), output=node.output)


def concat(w, node, *values):
    w.node("Concat", *values, axis=node.attributes["axis"], output=node.output)


def cut(w, node, x):
    a = node.attributes
    w.node("Slice", x, w.sizes(a["begin"]), w.sizes(a["end"]), w.sizes(a["axis"]), output=node.output)


def take(w, node, x):
    w.node("Gather", x, w.constant(node.attributes["index"], np.int64), axis=node.attributes["axis"], output=node.output)


def embed(w, node, table, indices):
    w.node("Gather", table, indices, axis=0, output=node.output)


def attention(w, node, query, key, value):
    batch, length, heads, width = node.attributes["split"]

    def by_head(x, order):
        return w.node("Transpose", w.node("Reshape", x, w.sizes(batch, length, heads, width)), perm=order)

    scores = w.node("MatMul", by_head(query, [0, 2, 1, 3]), by_head(key, [0, 2, 3, 1]))
    scores = w.node("Mul", scores, w.number(width ** -0.5))
    if node.attributes["causal"]:
        scores = w.node("Add", scores, w.number(np.triu(np.full((1, 1, length, length), -1e9), 1)))
    mixed = w.node("MatMul", w.node("Softmax", scores, axis=-1), by_head(value, [0, 2, 1, 3]))
    w.node("Reshape", w.node("Transpose", mixed, perm=[0, 2, 1, 3]), w.sizes(batch, length, heads * width), output=node.output)


def lstm(w, node, *inputs):
    w.node("Squeeze", w.node("LSTM", *inputs, hidden_size=node.attributes["width"]), w.sizes(1), output=node.output)


OPS = {"relu6": relu6, "gelu": gelu, "gelu_tanh": gelu_tanh, "add_number": add_number, "mul_number": mul_number, "dense": dense,
       "logits": dense, "linear": linear, "conv": conv, "batch_norm": batch_norm, "layer_norm": layer_norm, "max_pool": max_pool,
       "mean_pool": mean_pool, "softmax": softmax, "sum": add_up, "cross_entropy": cross_entropy, "reshape": reshape,
       "transpose": transpose, "concat": concat, "slice": cut, "take": take, "embed": embed, "attention": attention, "lstm": lstm}


def model(graph):
    writer = Writer(graph)
    for node in graph.nodes:
        if node.op in OPS:
            OPS[node.op](writer, node, *node.inputs)
        else:
            writer.node(SIMPLE[node.op], *node.inputs, output=node.output)
    inputs = [helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(array.dtype), array.shape)
              for name, array in graph.inputs.items()]
    outputs = [helper.make_tensor_value_info(name, TensorProto.FLOAT, graph.shapes[name]) for name in graph.outputs]
    parameters = [numpy_helper.from_array(array, name) for name, array in graph.parameters.items()]
    made = helper.make_graph(writer.nodes, "suite", inputs, outputs, parameters + writer.constants)
    return helper.make_model(made, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


def save(graph, path):
    onnx.save(model(graph), path)
