"""OpenVINO's CPU plugin in f32, for latency: one stream."""
import os

from adapter import Adapter


class OpenVino(Adapter):
    package = "openvino"

    def prepare(self):
        import openvino
        self.package_module = openvino
        self.core = openvino.Core()

    def build(self):
        options = {"INFERENCE_NUM_THREADS": self.threads, "NUM_STREAMS": 1, "PERFORMANCE_HINT": "LATENCY",
                   "INFERENCE_PRECISION_HINT": "f32"}
        self.model = self.core.compile_model(os.path.join(self.folder, "model.onnx"), "CPU", options)

    def load(self):
        self.request = self.model.create_infer_request()
        self.tensors = [self.package_module.Tensor(array, shared_memory=True) for array in self.graph.inputs.values()]
        for name, tensor in zip(self.graph.inputs, self.tensors):
            self.request.set_tensor(name, tensor)

    def call(self):
        self.request.start_async()  # infer() copies results
        self.request.wait()

    def results(self):
        return [self.request.get_output_tensor(i).data for i in range(len(self.graph.outputs))]
