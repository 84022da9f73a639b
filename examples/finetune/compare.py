#!/usr/bin/env python3
# Part of the Lathe project, under the Apache License v2.0 with LLVM Exceptions. See LICENSE for licence information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""compare.py FOLDER [RECORD.txt]: compares what finetune has left in FOLDER with ONNX Runtime and NumPy.

Probabilities before are those of the network in ONNX Runtime; the losses those of the last layer, trained in NumPy on what ONNX
Runtime gives that layer; the probabilities after those of the network in ONNX Runtime with the tuned weights put into its file.
Fails where a probability differs by more than 5e-5, or a loss by more than 5e-3. Records the samples' largest
probabilities in RECORD.txt. Needs numpy, onnx and onnxruntime; the whole run before, without options.
"""
import json
import os
import struct
import sys
import time

import numpy as np
import onnx
import onnxruntime

BATCH, PEAK, NEW, TOLERANCE, TOLERANCE_OF_LOSS = 32, 3e-3, 198, 5e-5, 5e-3
EPSILON = 1e-4
WEIGHT, BIAS = "jax2tf_get_logits_/Const_24:0", "jax2tf_get_logits_/pjit_get_logits_/MagikaV2/Dense_1/Reshape:0"
BEFORE_LAST = "jax2tf_get_logits_/pjit_get_logits_/MagikaV2/LayerNorm_1/AddV2_1:0"


def bytes_of(path):
    with open(path, "rb") as file:
        data = file.read()
    first, last = data[:4096].lstrip()[:1024], data[-4096:].rstrip()[-1024:]
    return [*first, *[256] * (2048 - len(first) - len(last)), *last]


def read_list(path):
    with open(path) as file:
        lines = [line.rstrip("\n").split(" ", 1) for line in file]
    return np.array([kind == "1" for kind, _ in lines]), np.array([bytes_of(name) for _, name in lines], np.int32)


def read_state(path, name):
    with open(path, "rb") as file:
        data = file.read()
    length = struct.unpack_from("<Q", data)[0]
    entry = json.loads(data[8 : 8 + length])[name]
    first, last = entry["data_offsets"]
    return np.frombuffer(data[8 + length + first : 8 + length + last], np.float32).reshape(entry["shape"])


def run(model, data, results=("target_label",), batch=1):
    """The results of all, and the seconds of a file. One by one: ONNX Runtime's probabilities depend on the batch, up to 2e-4."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    start = time.perf_counter()
    parts = [session.run(list(results), {"bytes": data[i : i + batch]}) for i in range(0, len(data), batch)]
    seconds = (time.perf_counter() - start) / len(data)
    return [np.concatenate(part) for part in zip(*parts)], seconds


def shuffles(count):
    """The orders in which finetune goes through its files: common/random.h with the seed 1."""
    state, order, mask = 1, list(range(count)), 2**64 - 1
    while True:
        for i in range(count - 1, 0, -1):
            state = (state + 0x9E3779B97F4A7C15) & mask
            z = ((state ^ state >> 30) * 0xBF58476D1CE4E5B9) & mask
            z = ((z ^ z >> 27) * 0x94D049BB133111EB) & mask
            j = ((z ^ z >> 31) >> 32) * (i + 1) >> 32
            order[i], order[j] = order[j], order[i]
        yield list(order)


def train(features, wanted, weight, bias, steps):
    """The losses of Adam (Kingma and Ba 2015) on the last layer, in f64."""
    values = [weight.astype(np.float64), bias.astype(np.float64)]
    means, squares, losses = [0, 0], [0, 0], []
    per_epoch = len(features) // BATCH
    for order in shuffles(len(features)):
        for k in range(per_epoch):
            t = len(losses)
            if t == steps:
                return losses
            chosen = order[k * BATCH : (k + 1) * BATCH]
            logits = features[chosen] @ values[0] + values[1]
            logs = logits - logits.max(1, keepdims=True)
            logs -= np.log(np.exp(logs).sum(1, keepdims=True))
            losses.append(-(wanted[chosen] * logs).sum(1).mean())
            slope = (np.exp(logs) * wanted[chosen].sum(1, keepdims=True) - wanted[chosen]) / BATCH
            rate = PEAK / 2 * (1 + np.cos(np.pi * t / steps))
            for i, gradient in enumerate((features[chosen].T @ slope, slope.sum(0, keepdims=True))):
                means[i] = 0.9 * means[i] + 0.1 * gradient
                squares[i] = 0.999 * squares[i] + 0.001 * gradient**2
                corrected = np.sqrt(squares[i] / (1 - 0.999 ** (t + 1))) + EPSILON
                values[i] = values[i] - rate * means[i] / (1 - 0.9 ** (t + 1)) / corrected


def differ(what, got, expected, tolerance):
    if got.shape != expected.shape:
        sys.exit("%s: expected %s, got %s" % (what, expected.shape, got.shape))
    error = np.abs(got - expected).max()
    print("%s: at most %.1e apart" % (what, error))
    return not error <= tolerance  # a NaN is not


def main():
    folder = sys.argv[1]
    ours = {name: np.load(os.path.join(folder, name + ".npy")) for name in ("sample", "before", "after", "loss", "times")}
    (_, samples), (is_new, lessons), (_, held_back) = (
        read_list(os.path.join(folder, "data", name + ".txt")) for name in ("samples", "train", "test"))
    model = onnx.load(os.path.join(folder, "model.onnx"))
    weights = {tensor.name: tensor for tensor in model.graph.initializer}
    model.graph.output.append(onnx.helper.make_tensor_value_info(BEFORE_LAST, onnx.TensorProto.FLOAT, None))
    print("onnxruntime %s, numpy %s" % (onnxruntime.__version__, np.__version__))

    (sample,), _ = run(model, samples)
    (before,), _ = run(model, held_back)
    wrong = differ("probabilities of the samples", ours["sample"], sample, TOLERANCE)
    wrong |= differ("probabilities before", ours["before"], before, TOLERANCE)
    _, seconds = run(model, held_back, batch=BATCH)
    print("ms a file in batches of 32: Lathe %.2f, ONNX Runtime %.2f" % (1e3 * ours["times"][0], 1e3 * seconds))

    (wanted, features), _ = run(model, lessons, ("target_label", BEFORE_LAST))
    wanted[is_new] = np.eye(214)[NEW]
    layer = [onnx.numpy_helper.to_array(weights[name]) for name in (WEIGHT, BIAS)]
    losses = np.array(train(features.astype(np.float64), wanted.astype(np.float64), *layer, len(ours["loss"])))
    wrong |= differ("losses of %d steps" % len(losses), ours["loss"], losses, TOLERANCE_OF_LOSS)

    for name in (WEIGHT, BIAS):
        tuned = read_state(os.path.join(folder, "tuned.safetensors"), "net." + name)
        weights[name].CopyFrom(onnx.numpy_helper.from_array(tuned, name))
    (after,), _ = run(model, held_back)
    wrong |= differ("probabilities after", ours["after"], after, TOLERANCE)

    for record in sys.argv[2:]:
        write_record(record, folder, sample)
    sys.exit(int(wrong))


def write_record(record, folder, sample):
    with open(os.path.join(folder, "data", "labels.txt")) as file:
        labels = file.read().split()
    with open(os.path.join(folder, "data", "samples.txt")) as file:
        names = [os.path.basename(line.split()[1]) for line in file]
    with open(record, "w") as file:
        file.write("# The five likeliest labels of each sample, with their probabilities in ONNX Runtime %s, by compare.py\n"
                   % onnxruntime.__version__)
        for name, row in zip(names, sample):
            pairs = ("%s %.4f" % (labels[i], row[i]) for i in np.argsort(-row)[:5])
            file.write("%s %s\n" % (name, " ".join(pairs)))


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    main()
