"""compare.py BUILD ROUNDS [NAME...]: the table of benchmarks/models/run."""
import os
import re
import subprocess
import sys
import time

import networks
import numpy as np
import onnxruntime

SECONDS = 2.0  # of each turn


def compiled(build, model, target):
    """Seconds and bytes at the peak that compiling takes, the object written."""
    code = ("import os, sys, time; start = time.perf_counter(); pid = os.spawnv(os.P_NOWAIT, sys.argv[1], sys.argv[1:]); "
            "_, status, usage = os.wait4(pid, 0); print(time.perf_counter() - start, usage.ru_maxrss * 1024, status)")
    command = [sys.executable, "-c", code, os.path.join(build, "bin/lathec"), model, "-o", target]
    seconds, peak, status = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
    if int(status):
        sys.exit(f"{model} does not compile")
    return float(seconds), int(peak)


def peer(model):
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    return onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])


def peer_turn(session, inputs):
    """Milliseconds, the least."""
    best, end = float("inf"), time.perf_counter() + SECONDS
    while time.perf_counter() < end:
        start = time.perf_counter()
        session.run(None, inputs)
        best = min(best, time.perf_counter() - start)
    return best * 1e3


def turn(command):
    told = subprocess.run([*command, f"--benchmark={SECONDS}"], capture_output=True, text=True, check=True).stdout
    return float(re.search(r"min ([0-9.]+) ms", told).group(1))


def main(build, rounds, names):
    folder = os.path.join(build, "benchmarks/models")
    print("| network | Lathe ms | ONNX Runtime | apart | compiled in s | peak, of the model's size |\n|---|---|---|---|---|---|")
    for name in names:
        model, target = os.path.join(folder, name + ".onnx"), os.path.join(folder, name + ".o")
        inputs = networks.export(name, model)
        seconds, peak = compiled(build, model, target)
        command = [os.path.join(build, "bin/lathe-run"), target]
        for key, value in inputs.items():
            np.save(os.path.join(folder, f"{name}-{key}.npy"), value)
            command += ["--input", f"{key}=@{os.path.join(folder, f'{name}-{key}.npy')}"]
        result = os.path.join(folder, name + "-result.npy")
        subprocess.run([*command, "--output", "result=@" + result], check=True, capture_output=True)
        session = peer(model)
        expected, = session.run(None, inputs)
        apart = np.abs(np.load(result) - expected).max() / np.abs(expected).max()
        if not apart < 1e-4:
            sys.exit(f"{name}: results are {apart:.1e} apart")
        ours, theirs = [], []
        for _ in range(rounds):
            theirs.append(peer_turn(session, inputs))
            ours.append(turn(command))
        print(f"| {name} | {min(ours):.3g} | {min(theirs) / min(ours):.2f} x | {apart:.0e} | {seconds:.1f} | "
              f"{peak / os.path.getsize(model):.2f} x |", flush=True)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), sys.argv[3:] or networks.NAMES)
