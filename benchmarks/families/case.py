"""What a row of the comparison is made of."""
import dataclasses
import typing

import numpy as np
from onnx.helper import make_node
from peers import Onnx

random = np.random.default_rng(0)


@dataclasses.dataclass
class Case:
    family: str
    what: str
    text: str  # the body of @f, up to %r
    inputs: dict  # name: array
    numpy: typing.Callable | None = None
    jax: typing.Callable | None = None
    torch: typing.Callable | None = None
    onnx: Onnx | None = None
    tolerance: float = 1e-4
    torch_inputs: typing.Callable = lambda tensors: tensors
    shown: np.ndarray | None = None  # the result's shape and type, where peers draw other numbers and none are compared


def floats(*shape, low=-1.0, high=1.0):
    return (random.random(shape, np.float32) * np.float32(high - low) + np.float32(low)).astype(np.float32)


def integers(*shape, high, dtype=np.int32):
    return random.integers(0, high, shape, dtype)


def distinct(*shape):
    """Where the order of equal elements is each peer's own."""
    count = int(np.prod(shape))
    return random.permutation(np.unique(random.standard_normal(2 * count).astype(np.float32)))[:count].reshape(shape)


def type_of(*shape, element="f32"):
    return f"tensor<{''.join(f'{extent}x' for extent in shape)}{element}>"


def node(op, *inputs, results=("r",), **attributes):
    """A model of one operator; inputs that are no names are constants."""
    constants = {f"constant{i}": np.asarray(value) for i, value in enumerate(inputs) if not isinstance(value, str)}
    names = [value if isinstance(value, str) else f"constant{i}" for i, value in enumerate(inputs)]
    return Onnx([make_node(op, names, list(results), **attributes)], constants)
