"""Writes a row's files: reference.py ROW FOLDER. model.onnx is for the peers; expected.npz has the outputs of ONNX Runtime, or the
losses of the first steps in f64 by PyTorch. Without that peer there is no expected.npz. Prints the row's shapes as JSON."""
import json
import os
import sys

import numpy as np
import rows
import to_onnx
from adapter import LOSSES


def outputs(path, graph):
    import onnxruntime
    session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
    return session.run(graph.outputs, graph.inputs)


def losses(row, graph):
    import adapter_torch
    import torch
    module = adapter_torch.to_torch.module(graph, trained=True).double()
    inputs = [torch.from_numpy(array) for array in graph.inputs.values()]
    inputs = [value.double() if value.is_floating_point() else value for value in inputs]
    optimizer = adapter_torch.optimizer_of(row, list(module.parameters()))
    values = []
    for _ in range(LOSSES):
        optimizer.zero_grad()
        loss = module(*inputs)[0]
        loss.backward()
        optimizer.step()
        values.append(loss.item())
    return [np.array(values)]


def describe(array):
    return f"{'i64' if array.dtype == np.int64 else 'f32'}[{','.join(map(str, array.shape))}]"


def main(name, folder):
    row = rows.find(name)
    graph = row.build()
    path = os.path.join(folder, "model.onnx")
    to_onnx.save(graph, path)
    try:
        expected = losses(row, graph) if row.kind == "training" else outputs(path, graph)
        np.savez(os.path.join(folder, "expected.npz"), *expected)
    except ImportError as error:
        print(f"no reference: {error}", file=sys.stderr)
    facts = {"inputs": {key: describe(array) for key, array in graph.inputs.items()},
             "outputs": {key: f"f32[{','.join(map(str, graph.shapes[key]))}]" for key in graph.outputs},
             "parameters": sum(array.size for array in graph.parameters.values()), "operations": graph.operations}
    print(json.dumps(facts))


if __name__ == "__main__":
    main(*sys.argv[1:])
