"""The digits net for the peers: parameters from Lathe's initial state, NHWC, float32. Layers as in examples/digits/digits.mlir."""
import json
import struct

import numpy as np

STRIDES = [1, 1, 1, 2, 1, 1, 2, 1, 1, 1]
BATCH = 32


def read_safetensors(path):
    with open(path, "rb") as file:
        size, = struct.unpack("<Q", file.read(8))
        header = json.loads(file.read(size))
        data = file.read()
    types = {"F32": np.float32, "F64": np.float64, "I32": np.int32, "I64": np.int64}
    result = {}
    for name, entry in header.items():
        if name != "__metadata__":
            begin, end = entry["data_offsets"]
            result[name] = np.frombuffer(data[begin:end], types[entry["dtype"]]).reshape(entry["shape"]).copy()
    return result


def initial_parameters(path):
    """Weights and biases by name; the optimiser's slots start at zero and are left out."""
    return {name: value for name, value in read_safetensors(path).items() if name.endswith((".w", ".b"))}
