"""The digits net in PyTorch, channels_last: parameters by their names in examples/digits/digits.mlir."""
import torch
import torch.nn.functional as F
from network import STRIDES, initial_parameters


def parameters_of(path):
    """Returns the parameters in a file of safetensors; filters are OIHW, in channels_last."""
    p = {}
    for name, value in initial_parameters(path).items():
        t = torch.from_numpy(value)
        if value.ndim == 4:  # HWIO to OIHW
            t = t.permute(3, 2, 0, 1).contiguous(memory_format=torch.channels_last)
        p[name] = t.clone(memory_format=torch.preserve_format).requires_grad_()
    return p


def images_of(array):
    """Returns NHWC images as NCHW in channels_last."""
    return torch.from_numpy(array).permute(0, 3, 1, 2).contiguous(memory_format=torch.channels_last)


def logits(p, x):
    for i, stride in enumerate(STRIDES, 1):
        if stride == 2:  # as "same": the odd element of padding behind
            x = F.conv2d(F.pad(x, (0, 1, 0, 1)), p[f"conv{i}.w"], p[f"conv{i}.b"], stride=2)
        else:
            x = F.conv2d(x, p[f"conv{i}.w"], p[f"conv{i}.b"], padding=1)
        x = F.relu(x)
    return x.mean((2, 3)) @ p["dense.w"] + p["dense.b"]


def loss(p, x, y):
    return F.cross_entropy(logits(p, x), y)
