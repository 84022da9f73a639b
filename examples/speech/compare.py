#!/usr/bin/env python3
# Part of the Lathe project, under the Apache License v2.0 with LLVM Exceptions. See LICENSE for licence information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""compare.py FILE.wav FOLDER MODEL.onnx [RECORD.txt]: runs the model in ONNX Runtime in turns with FOLDER/speech.

Prints the time of a frame in both, on one thread, least of the rounds, and fails where a probability differs by more than 1e-5.
Records those of ONNX Runtime in RECORD.txt. Needs numpy and onnxruntime.
"""
import os
import subprocess
import sys
import time
import wave

import numpy as np
import onnxruntime

RATE, FRAME, CONTEXT, ROUNDS, TOLERANCE = 16000, 512, 64, 15, 1e-5


def frames_of(path):
    """f32[frames][1][context + frame]: each frame behind the end of the one before."""
    with wave.open(path, "rb") as file:
        samples = np.frombuffer(file.readframes(file.getnframes()), "<i2").astype(np.float32) / 32768
    samples = np.concatenate([np.zeros(CONTEXT, np.float32), samples, np.zeros(-len(samples) % FRAME, np.float32)])
    return [samples[i : i + CONTEXT + FRAME].reshape(1, -1) for i in range(0, len(samples) - CONTEXT, FRAME)]


def open_session(path):
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 3
    return onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])


def listen(session, frames):
    """The probabilities, and the seconds of a frame."""
    state, rate, probabilities = np.zeros((2, 1, 128), np.float32), np.array(RATE, np.int64), []
    start = time.perf_counter()
    for frame in frames:
        probability, state = session.run(["output", "stateN"], {"input": frame, "state": state, "sr": rate})
        probabilities.append(probability)
    return np.concatenate(probabilities).ravel(), (time.perf_counter() - start) / len(frames)


def main():
    sound, folder, model = sys.argv[1:4]
    frames, session = frames_of(sound), open_session(model)
    ours, theirs = [], []
    for _ in range(ROUNDS):
        subprocess.run([os.path.join(folder, "speech"), sound, folder], check=True, stdout=subprocess.DEVNULL)
        ours.append(np.load(os.path.join(folder, "times.npy")).mean())
        expected, seconds = listen(session, frames)
        theirs.append(seconds)
    probability = np.load(os.path.join(folder, "probability.npy"))
    if probability.shape != expected.shape:
        sys.exit("expected %d probabilities, got %d" % (len(expected), len(probability)))
    difference = np.abs(probability - expected)
    print("%d probabilities: at most %.1e from those of ONNX Runtime %s" %
          (len(expected), difference.max(), onnxruntime.__version__))
    print("ms a frame, least of %d rounds in turns: Lathe %.4f, ONNX Runtime %.4f" % (ROUNDS, 1e3 * min(ours), 1e3 * min(theirs)))
    for record in sys.argv[4:]:
        with open(record, "w") as file:
            file.writelines(" ".join("%.4f" % p for p in expected[i : i + 16]) + "\n" for i in range(0, len(expected), 16))
    sys.exit(not np.all(difference <= TOLERANCE))  # a NaN is not


if __name__ == "__main__":
    if len(sys.argv) not in (4, 5):
        sys.exit(__doc__)
    main()
