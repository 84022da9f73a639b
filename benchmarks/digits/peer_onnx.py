"""ONNX Runtime: slices of timed predictions on request. usage: peer_onnx.py OUT_DIR IMAGES LABELS THREADS"""
import sys
import time

import numpy as np
import onnx
import onnxruntime
from network import STRIDES, initial_parameters
from onnx import TensorProto, helper, numpy_helper

out, images_path, labels_path, threads = sys.argv[1:5]


def model(p):
    nodes, values, x = [], [], "image"
    for i, stride in enumerate(STRIDES, 1):
        values.append(numpy_helper.from_array(np.ascontiguousarray(p[f"conv{i}.w"].transpose(3, 2, 0, 1)), f"w{i}"))
        values.append(numpy_helper.from_array(p[f"conv{i}.b"], f"b{i}"))
        pads = [1, 1, 1, 1] if stride == 1 else [0, 0, 1, 1]
        nodes.append(helper.make_node("Conv", [x, f"w{i}", f"b{i}"], [f"c{i}"], strides=[stride] * 2, pads=pads))
        nodes.append(helper.make_node("Relu", [f"c{i}"], [f"x{i}"]))
        x = f"x{i}"
    values += [numpy_helper.from_array(p["dense.w"], "w"), numpy_helper.from_array(p["dense.b"], "b")]
    nodes += [helper.make_node("GlobalAveragePool", [x], ["mean"]), helper.make_node("Flatten", ["mean"], ["flat"]),
              helper.make_node("Gemm", ["flat", "w", "b"], ["z"]), helper.make_node("Softmax", ["z"], ["probability"], axis=1)]
    graph = helper.make_graph(nodes, "digits", [helper.make_tensor_value_info("image", TensorProto.FLOAT, ["N", 1, 16, 16])],
                              [helper.make_tensor_value_info("probability", TensorProto.FLOAT, ["N", 10])], values)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


def main():
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = int(threads)
    session = onnxruntime.InferenceSession(model(initial_parameters(out + "/initial.safetensors")).SerializeToString(), options)
    images = np.ascontiguousarray(np.load(images_path).transpose(0, 3, 1, 2))
    print("ready", flush=True)
    for line in sys.stdin:
        what, n = line.split()
        x, times = images[:int(n)], []
        begin = time.perf_counter()
        while len(times) < 5 or time.perf_counter() - begin < 0.3:
            start = time.perf_counter()
            session.run(None, {"image": x})
            times.append(time.perf_counter() - start)
        times.sort()
        print(times[0] * 1e3, times[len(times) // 2] * 1e3, flush=True)


main()
