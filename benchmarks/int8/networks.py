"""The networks of benchmarks/int8/run, in f32 and quantised by ONNX Runtime."""
import logging
import os
import warnings

import numpy as np
import torch
import torchvision
from onnxruntime.quantization import CalibrationDataReader, QuantFormat, QuantType, quantize_dynamic, quantize_static
from onnxruntime.quantization.shape_inference import quant_pre_process


class Encoder(torch.nn.Module):
    """The layers of BERT-base, whose first weights are normally distributed with a deviation of 0.02."""

    def __init__(self, layers=12, width=768, heads=12, inner=3072):
        super().__init__()
        self.heads = heads
        self.layers = torch.nn.ModuleList()
        for _ in range(layers):
            self.layers.append(torch.nn.ModuleDict({
                **{name: torch.nn.Linear(width, width) for name in ("query", "key", "value", "mix")},
                "wide": torch.nn.Linear(width, inner), "narrow": torch.nn.Linear(inner, width),
                "first": torch.nn.LayerNorm(width), "second": torch.nn.LayerNorm(width)}))
        for module in self.modules():
            if isinstance(module, torch.nn.Linear):
                torch.nn.init.normal_(module.weight, std=0.02)
                torch.nn.init.zeros_(module.bias)

    def forward(self, x):
        batch, length, width = x.shape
        size = width // self.heads
        for layer in self.layers:
            query, key, value = (layer[name](x).view(batch, length, self.heads, size).transpose(1, 2)
                                 for name in ("query", "key", "value"))
            scores = torch.softmax(query @ key.transpose(-1, -2) / size ** 0.5, -1)
            mixed = layer["mix"]((scores @ value).transpose(1, 2).reshape(batch, length, width))
            x = layer["first"](x + mixed)
            x = layer["second"](x + layer["narrow"](torch.nn.functional.gelu(layer["wide"](x))))
        return x


def resnet50():
    network = torchvision.models.resnet50(weights=None).train()
    with torch.no_grad():  # gives the batch norms statistics
        for _ in range(3):
            network(torch.randn(4, 3, 224, 224))
    return network.eval(), (1, 3, 224, 224)


class Samples(CalibrationDataReader):
    def __init__(self, shape):
        self.left = iter([sample(shape, seed) for seed in range(1, 5)])

    def get_next(self):
        array = next(self.left, None)
        return None if array is None else {"x": array}


def sample(shape, seed=0):
    return np.random.RandomState(seed).standard_normal(shape).astype(np.float32)


def static(source, target, shape, bits):
    quantize_static(source, target, Samples(shape), quant_format=QuantFormat.QDQ, per_channel=True, reduce_range=bits == 7,
                    activation_type=QuantType.QUInt8, weight_type=QuantType.QInt8)


# By name: the network and the way to quantise it.
NETWORKS = {
    "resnet50": (resnet50, lambda source, target, shape: static(source, target, shape, 8)),
    "resnet50_7bits": (resnet50, lambda source, target, shape: static(source, target, shape, 7)),
    "bert_base": (lambda: (Encoder().eval(), (1, 128, 768)),
                  lambda source, target, shape: quantize_dynamic(source, target, weight_type=QuantType.QInt8)),
}


def export(name, folder):
    """Writes both models unless they are there. Returns their paths and the input's shape."""
    logging.disable(logging.WARNING)
    warnings.simplefilter("ignore")
    real, quantised = (os.path.join(folder, f"{name}-{kind}.onnx") for kind in ("f32", "int8"))
    torch.manual_seed(0)
    network, shape = NETWORKS[name][0]()
    if not os.path.exists(quantised):
        torch.onnx.export(network, (torch.zeros(shape),), real, input_names=["x"], output_names=["y"], opset_version=17, dynamo=False)
        quant_pre_process(real, real, skip_symbolic_shape=True)
        NETWORKS[name][1](real, quantised, shape)
    return real, quantised, shape
