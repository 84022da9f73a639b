"""Rows of convolutions and of their gradients. Lathe and JAX have channels last; so have PyTorch's tensors, in its own order of
dimensions; ONNX Runtime has channels first."""
import jax
import numpy as np
import torch
from case import Case, floats, node, type_of

SPATIAL = {2: "HW", 3: "DHW"}


def first(tensor):
    """[N, spatial..., C] as [N, C, spatial...], where it lies."""
    return tensor.movedim(-1, 1)


def filters_first(tensor):
    """[taps..., C, F] as PyTorch has it."""
    layout = torch.channels_last if tensor.ndim == 4 else torch.channels_last_3d
    return tensor.movedim((-1, -2), (0, 1)).contiguous(memory_format=layout)


class Convolution:
    """`kernel` taps in each of the dimensions, padding "same", one stride."""

    def __init__(self, what, images, extents, channels, filters, kernel=3, stride=1, groups=1):
        self.what, self.kernel, self.stride, self.groups, self.extents = what, kernel, stride, groups, extents
        rank = len(extents)
        self.input = (images, *extents, channels)
        self.filter = (*[kernel] * rank, channels // groups, filters)
        self.output = (images, *[-(-extent // stride) for extent in extents], filters)
        total = [max((out - 1) * stride + kernel - extent, 0) for extent, out in zip(extents, self.output[1:])]
        self.pads = [(each // 2, each - each // 2) for each in total]
        if stride != 1 and any(low != high for low, high in self.pads):
            raise ValueError("PyTorch pads both sides alike")
        self.options = f"stride {[stride] * rank} pad {[list(pad) for pad in self.pads]} groups {groups}"

    def jax(self, x, w):
        names = SPATIAL[len(self.extents)]
        return jax.lax.conv_general_dilated(x, w, [self.stride] * len(self.extents), self.pads, feature_group_count=self.groups,
                                            dimension_numbers=(f"N{names}C", f"{names}IO", f"N{names}C"))

    def onnx(self, operator, name, weights):
        """A model with the weights as constants, over channels first."""
        model = node(operator, name, np.ascontiguousarray(np.moveaxis(weights, (-1, -2), (0, 1))), group=self.groups,
                     strides=[self.stride] * len(self.extents), pads=[low for low, _ in self.pads] + [high for _, high in self.pads])
        model.inputs = lambda arrays: {name: np.ascontiguousarray(np.moveaxis(arrays[name], -1, 1))}
        model.result = lambda array: np.moveaxis(array, 1, -1)
        return model

    def forward(self):
        convolve = {2: torch.conv2d, 3: torch.conv3d}[len(self.extents)]
        weights = floats(*self.filter)
        return Case("convolution", self.what, f"%r = lathe.conv %x, %w {self.options} : {type_of(*self.input)}, {type_of(*self.filter)}",
                    {"x": floats(*self.input), "w": weights}, None, self.jax,
                    lambda x, w: convolve(x, w, None, self.stride, [low for low, _ in self.pads], 1, self.groups).movedim(1, -1),
                    self.onnx("Conv", "x", weights), 1e-2, lambda tensors: [first(tensors[0]), filters_first(tensors[1])])

    def backward(self, dy, x, w, wanted):
        rank = len(self.extents)
        return torch.ops.aten.convolution_backward(dy, x, w, None, [self.stride] * rank, [low for low, _ in self.pads], [1] * rank, False,
                                                   [0] * rank, self.groups, [wanted == "input", wanted == "filter", False])

    def input_gradient(self):
        x, weights = first(torch.zeros(self.input)), floats(*self.filter)
        return Case("convolution", f"{self.what}: input's gradient",
                    f"%r = lathe.conv_input_grad %dy, %w input {list(self.extents)} {self.options} : "
                    f"{type_of(*self.output)}, {type_of(*self.filter)}",
                    {"dy": floats(*self.output), "w": weights}, None,
                    lambda dy, w: jax.vjp(lambda x: self.jax(x, w), np.zeros(self.input, np.float32))[1](dy)[0],
                    lambda dy, w: self.backward(dy, x, w, "input")[0].movedim(1, -1), self.onnx("ConvTranspose", "dy", weights), 1e-2,
                    lambda tensors: [first(tensors[0]), filters_first(tensors[1])])

    def filter_gradient(self):
        w = filters_first(torch.zeros(self.filter))
        return Case("convolution", f"{self.what}: filter's gradient",
                    f"%r = lathe.conv_filter_grad %x, %dy filter {[self.kernel] * len(self.extents)} {self.options} : "
                    f"{type_of(*self.input)}, {type_of(*self.output)}",
                    {"x": floats(*self.input), "dy": floats(*self.output)}, None,
                    lambda x, dy: jax.vjp(lambda w: self.jax(x, w), np.zeros(self.filter, np.float32))[1](dy)[0],
                    lambda x, dy: self.backward(dy, x, w, "filter")[1].movedim((0, 1), (-1, -2)), None, 1e-2,
                    lambda tensors: [first(tensors[0]), first(tensors[1])])


FORWARD = [Convolution("3x3, 8x28x28x64 to 64", 8, (28, 28), 64, 64), Convolution("3x3 in 4 groups, 8x28x28x64 to 64", 8, (28, 28), 64, 64, groups=4),
           Convolution("3x3x3, 2x8x14x14x32 to 32", 2, (8, 14, 14), 32, 32)]
DEPTHWISE = [Convolution("depthwise 3x3, 8x28x28x64", 8, (28, 28), 64, 64, groups=64),
             Convolution("depthwise 3x3 by 2, 8x57x57x32", 8, (57, 57), 32, 32, stride=2, groups=32),
             Convolution("depthwise 7x7, 4x14x14x384", 4, (14, 14), 384, 384, kernel=7, groups=384)]
CONVOLUTIONS = [convolution.forward() for convolution in FORWARD] + [
    case for each in DEPTHWISE for case in (each.forward(), each.input_gradient(), each.filter_gradient())]
