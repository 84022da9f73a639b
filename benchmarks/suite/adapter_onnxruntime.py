"""ONNX Runtime with inputs and outputs bound to the session, so that a call copies nothing."""
import os

from adapter import Adapter


class OnnxRuntime(Adapter):
    package = "onnxruntime"

    def prepare(self):
        import onnxruntime
        self.package_module = onnxruntime

    def build(self):
        options = self.package_module.SessionOptions()
        options.intra_op_num_threads, options.inter_op_num_threads = self.threads, 1
        path = os.path.join(self.folder, "model.onnx")
        self.session = self.package_module.InferenceSession(path, options, providers=["CPUExecutionProvider"])

    def load(self):
        value = self.package_module.OrtValue
        self.binding, self.values = self.session.io_binding(), []
        for name, array in self.graph.inputs.items():
            self.values.append(value.ortvalue_from_numpy(array))
            self.binding.bind_ortvalue_input(name, self.values[-1])
        self.bound = [value.ortvalue_from_shape_and_type(self.graph.shapes[name], self.graph.element(name))
                      for name in self.graph.outputs]
        for name, bound in zip(self.graph.outputs, self.bound):
            self.binding.bind_ortvalue_output(name, bound)

    def call(self):
        self.session.run_with_iobinding(self.binding)

    def results(self):
        return [value.numpy() for value in self.bound]
