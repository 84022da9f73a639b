"""One computation as calls with JAX, PyTorch and ONNX Runtime, on OMP_NUM_THREADS threads. To be imported before other modules that
import one of them, or NumPy: they read the numbers of threads when they are loaded."""
import dataclasses
import os
import typing

threads = int(os.environ.setdefault("OMP_NUM_THREADS", "1"))
os.environ["OPENBLAS_NUM_THREADS"] = str(threads)
if threads == 1:
    os.environ["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"

import jax  # noqa: E402: the variables above come first
import numpy as np  # noqa: E402
import onnx  # noqa: E402
import onnxruntime  # noqa: E402
import torch  # noqa: E402

torch.set_num_threads(threads)


@dataclasses.dataclass
class Onnx:
    """Nodes from the inputs' names to "r". Where the operators have a layout of their own, `inputs` brings arrays into it before
    anything is timed, and `result` brings the result back."""
    nodes: list
    constants: dict = dataclasses.field(default_factory=dict)
    inputs: typing.Callable = lambda arrays: arrays
    result: typing.Callable = lambda array: array

    def session(self, arrays):
        def info(name, array):
            return onnx.helper.make_tensor_value_info(name, onnx.helper.np_dtype_to_tensor_dtype(array.dtype), array.shape)

        constants = [onnx.numpy_helper.from_array(array, name) for name, array in self.constants.items()]
        result = onnx.ValueInfoProto(name="r")  # its type is inferred
        graph = onnx.helper.make_graph(self.nodes, "f", [info(*item) for item in arrays.items()], [result], constants)
        model = onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 18)], ir_version=8)
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        return onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])


def tensor_of(array):
    if array.dtype.name == "bfloat16":  # which NumPy knows from elsewhere
        return torch.from_numpy(array.view(np.int16)).view(torch.bfloat16)
    return torch.from_numpy(array)


def array_of(value):
    if isinstance(value, torch.Tensor):
        value = value.float() if value.dtype == torch.bfloat16 else value
        return value.numpy()
    return np.asarray(value)


def in_tuple(value):
    return list(value) if isinstance(value, (tuple, list)) else [value]


def calls_of(inputs, with_jax=None, with_torch=None, with_onnx=None, torch_inputs=lambda tensors: tensors):
    """For each peer that has the computation, a call and what brings its results into the form of the others, by the peer's name.
    `torch_inputs` places PyTorch's tensors before anything is timed."""
    calls = {}
    if with_jax:
        placed = [jax.device_put(array) for array in inputs.values()]
        jitted = jax.jit(with_jax)
        calls["JAX"] = (lambda: jax.block_until_ready(jitted(*placed))), array_of
    if with_torch:
        tensors = torch_inputs([tensor_of(array) for array in inputs.values()])
        torch.compiler.reset()  # it counts versions of a function, and gives up at some
        compiled = torch.compile(with_torch, dynamic=False)
        calls["PyTorch"] = (lambda: with_torch(*tensors)), array_of
        calls["PyTorch, compiled"] = (lambda: compiled(*tensors)), array_of
    if with_onnx:
        arrays = with_onnx.inputs(inputs)
        session = with_onnx.session(arrays)
        calls["ONNX Runtime"] = (lambda: session.run(None, arrays)), with_onnx.result
    return calls


def check(what, calls, expected, rtol, atol):
    """Ends the program if a peer's results, or Lathe's, are not those expected."""
    for name, (call, form) in calls.items():
        for given, value in zip(in_tuple(call()), expected):
            given, value = form(given).astype(np.float64), value.astype(np.float64)
            if not np.allclose(given, value, rtol=rtol, atol=atol):
                raise SystemExit(f"{what}: the result of {name} differs by {np.abs(given - value).max()}")
