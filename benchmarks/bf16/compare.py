"""compare.py BUILD ROUNDS [THREADS...]: the page of benchmarks/bf16/run."""
import os
import re
import statistics
import subprocess
import sys
import time

import numpy as np
import onnx
import onnxruntime
import openvino
import rows as suite
import to_onnx
import to_torch
import torch

SECONDS = 1.0  # of each turn
FEATURES = ("avx2", "fma", "avx512f", "avx512_bf16", "amx_bf16")


def cpu():
    """The model's name, and which of the features it has."""
    facts = dict(re.findall(r"^([\w ]+?)\s*: (.*)$", open("/proc/cpuinfo").read(), re.M))
    flags = facts["flags"].split()
    return f"{facts['model name']} (family {facts['cpu family']}, model {facts['model']})", [name for name in FEATURES if name in flags]


class Row:
    """A model as a file, as a module, and its input."""

    def __init__(self, folder, name):
        self.path, self.inputs = os.path.join(folder, name + ".onnx"), {}


class Product(Row):
    def __init__(self, folder):
        super().__init__(folder, "product")
        generator = np.random.default_rng(0)
        self.inputs = {"x": generator.standard_normal((512, 512)).astype(np.float32)}
        weights = generator.standard_normal((512, 512)).astype(np.float32)
        info = [onnx.helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, (512, 512)) for name in "xy"]
        graph = onnx.helper.make_graph([onnx.helper.make_node("MatMul", ["x", "w"], ["y"])], "product", info[:1], info[1:],
                                       [onnx.numpy_helper.from_array(weights, "w")])
        onnx.save(onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 18)], ir_version=8), self.path)
        half = torch.from_numpy(weights).bfloat16()
        self.module = lambda x: (x.bfloat16() @ half).float()


class Network(Row):
    """A network of benchmarks/suite."""

    def __init__(self, folder, row):
        super().__init__(folder, row.name)
        graph = row.build()
        self.inputs = graph.inputs
        to_onnx.save(graph, self.path)
        module = to_torch.module(graph, False).bfloat16()
        self.module = lambda *inputs: module(*[x.bfloat16() if x.is_floating_point() else x for x in inputs])[0].float()


class Lathe:
    def __init__(self, build, row, threads):
        self.object = row.path.replace(".onnx", ".o")
        subprocess.run([os.path.join(build, "bin/lathec"), row.path, "--math=fast", "-o", self.object], check=True)
        self.command = [os.path.join(build, "bin/lathe-run"), self.object, f"--threads={threads}"]
        for name, array in row.inputs.items():
            np.save(f"{row.path}-{name}.npy", array)
            self.command.append(f"--input={name}=@{row.path}-{name}.npy")

    def result(self):
        folder = self.object + "-saved"
        subprocess.run([*self.command, "--save", folder], check=True, capture_output=True)
        return np.load(next(os.path.join(folder, name) for name in os.listdir(folder) if name.startswith("out-")))

    def turn(self):
        """The least and the median of a turn, in milliseconds."""
        told = subprocess.run([*self.command, f"--benchmark={SECONDS}"], capture_output=True, text=True, check=True).stdout
        return tuple(float(value) for value in re.search(r"min ([0-9.]+) ms, median ([0-9.]+) ms", told).groups())


class Peer:
    def turn(self):
        times, end = [], time.perf_counter() + SECONDS
        while not times or time.perf_counter() < end:
            start = time.perf_counter()
            self.call()
            times.append((time.perf_counter() - start) * 1e3)
        return min(times), statistics.median(times)


class Torch(Peer):
    def __init__(self, row, threads):
        self.row, self.threads = row, threads
        self.inputs = [torch.from_numpy(array) for array in row.inputs.values()]

    def call(self):
        torch.set_num_threads(self.threads)
        with torch.no_grad():
            self.last = self.row.module(*self.inputs)

    def result(self):
        self.call()
        return self.last.numpy()


class OpenVino(Peer):
    def __init__(self, row, threads):
        options = {"INFERENCE_NUM_THREADS": threads, "NUM_STREAMS": 1, "PERFORMANCE_HINT": "LATENCY", "INFERENCE_PRECISION_HINT": "bf16"}
        model = openvino.Core().compile_model(row.path, "CPU", options)
        self.precision = model.get_property("INFERENCE_PRECISION_HINT").get_type_name()
        self.request = model.create_infer_request()
        for name, array in row.inputs.items():
            self.request.set_tensor(name, openvino.Tensor(array, shared_memory=True))

    def call(self):
        self.request.start_async()
        self.request.wait()

    def result(self):
        self.call()
        return self.request.get_output_tensor(0).data


class OnnxRuntime(Peer):
    def __init__(self, row, threads):
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        self.session = onnxruntime.InferenceSession(row.path, options, providers=["CPUExecutionProvider"])
        self.inputs = row.inputs

    def call(self):
        self.last = self.session.run(None, self.inputs)[0]

    def result(self):
        self.call()
        return self.last


def main(build, rounds, threads):
    folder = os.path.join(build, "benchmarks/bf16")
    name, features = cpu()
    print(f"# Products of bf16 beside PyTorch and OpenVINO\n`benchmarks/bf16/run build {rounds}`: {name}, {os.cpu_count()} cores, with "
          f"{', '.join(features)}; Lathe under `--math=fast`, PyTorch {torch.__version__.split('+')[0]} and OpenVINO "
          f"{openvino.__version__.split('-')[0]} in bf16, ONNX Runtime {onnxruntime.__version__} in f32. Turns of {SECONDS:g} s; the load was "
          f"{os.getloadavg()[0]:.1f} at the start. Times are the least of a call / the median of the turns' medians, in ms; `off` is the distance "
          "from ONNX Runtime's results, divided by their size, and `best / Lathe` compares the least times of the peers in bf16.\n")
    print("| what | threads | Lathe fast | PyTorch bf16 | OpenVINO bf16 | ONNX Runtime f32 | best / Lathe | off: Lathe | PyTorch | OpenVINO |")
    print("|---|---|---|---|---|---|---|---|---|---|")
    notes = set()
    for row in [Product(folder), *(Network(folder, each) for each in suite.ROWS if each.kind == "network")]:
        for count in threads:
            runs = [Lathe(build, row, count), Torch(row, count), OpenVino(row, count), OnnxRuntime(row, count)]
            exact = runs[-1].result().astype(np.float64)
            off = [np.linalg.norm(run.result() - exact) / np.linalg.norm(exact) for run in runs[:-1]]
            notes.add(f"OpenVINO computes in {runs[2].precision} here, as it reports.")
            turns = [[] for _ in runs]
            for _ in range(rounds):
                for run, times in zip(runs, turns):
                    times.append(run.turn())
            least = [min(turn[0] for turn in times) for times in turns]
            cells = [f"{low:.3g} / {statistics.median(t[1] for t in times):.3g}" for low, times in zip(least, turns)]
            what = os.path.basename(row.path).removesuffix(".onnx")
            print(f"| {what} | {count} | {' | '.join(cells)} | {min(least[1:3]) / least[0]:.2f} | {' | '.join(f'{each:.1e}' for each in off)} |",
                  flush=True)
    print("\n" + " ".join(sorted(notes)) + f" The load was {os.getloadavg()[0]:.1f} at the end.")


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), [int(count) for count in sys.argv[3:]] or [1, 2])
