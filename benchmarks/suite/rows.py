"""The rows of the table, in its order. A pattern of `run --rows` is a part of a row's name, or of its kind."""
import dataclasses
import typing

import kernels
import networks


@dataclasses.dataclass
class Row:
    name: str
    kind: str  # network, kernel or training
    build: typing.Callable
    optimizer: str | None = None  # sgd (with momentum) or adam


RATES = {"sgd": 0.01, "adam": 1e-3}
MOMENTUM = 0.9
TRAINERS = ("lathe", "lathe_fast", "jax", "torch", "inductor")  # the peers that have training rows

ROWS = [
    Row("resnet50", "network", networks.resnet50),
    Row("mobilenet_v2", "network", networks.mobilenet_v2),
    Row("bert_base", "network", networks.bert_base),
    Row("gpt2_small", "network", networks.gpt2_small),
    Row("mlp_b1", "network", lambda: networks.mlp(1)),
    Row("mlp_b64", "network", lambda: networks.mlp(64)),
    Row("cnn16_b1", "network", lambda: networks.cnn16(1)),
    Row("cnn16_b32", "network", lambda: networks.cnn16(32)),
    Row("lstm", "network", lambda: networks.lstm(1)),
    Row("dlrm", "network", networks.dlrm),
    Row("empty", "kernel", kernels.empty),
    Row("matmul_bias_gelu", "kernel", kernels.matmul_bias_gelu),
    Row("softmax", "kernel", kernels.softmax),
    Row("layer_norm", "kernel", kernels.layer_norm),
    Row("attention", "kernel", kernels.attention),
    Row("conv3x3", "kernel", kernels.conv3x3),
    Row("depthwise3x3", "kernel", kernels.depthwise3x3),
    Row("elementwise10", "kernel", kernels.elementwise10),
    Row("transpose", "kernel", kernels.transpose),
    Row("sum_of_rows", "kernel", kernels.sum_of_rows),
    Row("sum_in_rows", "kernel", kernels.sum_in_rows),
    Row("gather", "kernel", kernels.gather),
    Row("concat", "kernel", kernels.concat),
    Row("train_mlp_b64", "training", lambda: networks.mlp(64, training=True), "sgd"),
    Row("train_cnn16_b32", "training", lambda: networks.cnn16(32, training=True), "sgd"),
    Row("train_resnet18_b16", "training", networks.resnet18, "sgd"),
    Row("train_transformer_b4", "training", networks.transformer, "adam"),
    Row("train_lstm_b8", "training", lambda: networks.lstm(8, training=True), "sgd"),
]


def find(name):
    return next(row for row in ROWS if row.name == name)


def select(patterns):
    """Returns the rows that any of the patterns names; all for no patterns."""
    return [row for row in ROWS if not patterns or any(text in row.name or text == row.kind for text in patterns)]
