"""compare.py BUILD ROUNDS THREADS [NAME...]: the table of benchmarks/int8/run."""
import os
import re
import subprocess
import sys
import time

import networks
import numpy as np
import onnxruntime

SECONDS = 2.0  # of each turn


class Lathe:
    def __init__(self, build, model, threads):
        self.object = model.replace(".onnx", ".o")
        subprocess.run([os.path.join(build, "bin/lathec"), model, "-o", self.object], check=True)
        self.input = model.replace(".onnx", "-x.npy")
        self.command = [os.path.join(build, "bin/lathe-run"), self.object, "--input", "x=@" + self.input, f"--threads={threads}"]

    def result(self, x):
        np.save(self.input, x)
        target = self.object.replace(".o", "-y.npy")
        subprocess.run([*self.command, "--output", "y=@" + target], check=True, capture_output=True)
        return np.load(target)

    def turn(self):
        """Milliseconds, the least."""
        told = subprocess.run([*self.command, f"--benchmark={SECONDS}"], capture_output=True, text=True, check=True).stdout
        return float(re.search(r"min ([0-9.]+) ms", told).group(1))


class Peer:
    def __init__(self, model, threads):
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        self.session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])

    def result(self, x):
        self.inputs = {"x": x}
        return self.session.run(None, self.inputs)[0]

    def turn(self):
        """Milliseconds, the least."""
        best, end = float("inf"), time.perf_counter() + SECONDS
        while time.perf_counter() < end:
            start = time.perf_counter()
            self.session.run(None, self.inputs)
            best = min(best, time.perf_counter() - start)
        return best * 1e3


def main(build, rounds, threads, names):
    print("| network | Lathe int8 ms | Lathe f32 | ONNX Runtime int8 | off, Lathe | off, ONNX Runtime |\n|---|---|---|---|---|---|")
    for name in names:
        real, quantised, shape = networks.export(name, os.path.join(build, "benchmarks/int8"))
        x = networks.sample(shape)
        runs = {"int8": Lathe(build, quantised, threads), "f32": Lathe(build, real, threads), "peer": Peer(quantised, threads)}
        results = {key: run.result(x) for key, run in runs.items()}
        off = {key: np.linalg.norm(result - results["f32"]) / np.linalg.norm(results["f32"]) for key, result in results.items()}
        if not off["int8"] < 1.5 * off["peer"]:
            sys.exit(f"{name}: the results are off by {off['int8']:.2g}, ONNX Runtime's by {off['peer']:.2g}")
        least = dict.fromkeys(runs, float("inf"))
        for _ in range(rounds):
            for key, run in runs.items():
                least[key] = min(least[key], run.turn())
        print(f"| {name} | {least['int8']:.3g} | {least['f32'] / least['int8']:.2f} x | {least['peer'] / least['int8']:.2f} x | "
              f"{off['int8']:.1%} | {off['peer']:.1%} |", flush=True)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4:] or list(networks.NETWORKS))
