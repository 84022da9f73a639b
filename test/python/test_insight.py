"""module.profile and module.interpret."""
import json
import pathlib
import tempfile
import unittest

import numpy as np
import onnx_models

import lathe

GRAPH = """
lathe.variable @w : tensor<4x4xf32> init #lathe.he_normal
func.func @net(%x: tensor<?x4xf32> {lathe.dims = #lathe.dims<N>}) -> (tensor<?x4xf32> {lathe.name = "y"}, tensor<f32> {lathe.name = "s"}) {
  %w = lathe.read @w : tensor<4x4xf32>
  %z = lathe.dot_general %x, %w contract [1] x [0] : tensor<?x4xf32>, tensor<4x4xf32>
  %y = lathe.exp %z : tensor<?x4xf32>
  %s = lathe.reduce sum %y dims [0, 1] : tensor<?x4xf32>
  return %y, %s : tensor<?x4xf32>, tensor<f32>
}
func.func @step() -> (tensor<f32> {lathe.name = "s"}) {
  %w = lathe.read @w : tensor<4x4xf32>
  %v = lathe.add %w, %w : tensor<4x4xf32>, tensor<4x4xf32>
  lathe.write @w, %v : tensor<4x4xf32>
  %s = lathe.reduce sum %v dims [0, 1] : tensor<4x4xf32>
  return %s : tensor<f32>
}
func.func @types(%i: tensor<?xi64> {lathe.dims = #lathe.dims<N>}, %b: tensor<2xbf16>, %t: tensor<2xi1>) -> (tensor<?xi64>, tensor<2xbf16>, tensor<2xi1>) {
  %i2 = lathe.add %i, %i : tensor<?xi64>, tensor<?xi64>
  %b2 = lathe.add %b, %b : tensor<2xbf16>, tensor<2xbf16>
  %t2 = lathe.not %t : tensor<2xi1>
  return %i2, %b2, %t2 : tensor<?xi64>, tensor<2xbf16>, tensor<2xi1>
}
func.func @count() -> tensor<?xi64> {
  %i = lathe.iota dim 0 to [K] : i64
  return %i : tensor<?xi64>
}
func.func @root(%x: tensor<f32>) -> tensor<f32> {
  %zero = lathe.constant dense<0.0> : tensor<f32>
  %fits = lathe.compare ge %x, %zero : tensor<f32>
  lathe.assert %fits, "x is negative" : tensor<i1>
  return %x : tensor<f32>
}
"""


class Insight(unittest.TestCase):
    def setUp(self):
        self.module = lathe.compile(GRAPH, threads=1)
        self.x = np.linspace(-1, 1, 12, dtype=np.float32).reshape(3, 4)

    def test_profile(self):
        profile = self.module.profile(self.x, seconds=0.01)
        self.assertEqual(profile.name, "net")
        self.assertGreaterEqual(profile.calls, 1)
        ops = " ".join(f"{kernel.op} {kernel.fused}" for kernel in profile.kernels)
        for op in ("lathe.dot_general", "lathe.exp", "lathe.reduce"):
            self.assertIn(op, ops)
        self.assertTrue(all(kernel.file == "graph.mlir" and 3 < kernel.line < 8 and kernel.runs >= 1 for kernel in profile.kernels))
        self.assertLessEqual(sum(kernel.seconds for kernel in profile.kernels), profile.seconds)
        self.assertEqual([kernel.seconds for kernel in profile.kernels], sorted((kernel.seconds for kernel in profile.kernels), reverse=True))
        self.assertIn("us a call", str(profile))
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "trace.json")
            profile.save_trace(path)
            events = json.loads(path.read_text())["traceEvents"]
        self.assertEqual(len(events), sum(kernel.runs for kernel in profile.kernels))
        self.assertEqual(events[0]["ts"], 0)

    def test_profile_keeps_variables(self):
        before = self.module.state["w"].copy()
        self.assertEqual(self.module.profile(entry="step", seconds=0.001).name, "step")
        self.assertEqual(self.module.state["w"].tolist(), before.tolist())
        with self.assertRaises(TypeError):
            self.module.profile(self.x, entry="step")
        self.assertAlmostEqual(float(self.module.step()), float(self.module.state["w"].sum()), places=3)

    def test_calls_after_a_profile_are_not_recorded(self):
        self.module.profile(self.x, seconds=0.001)
        self.module(self.x)
        self.assertEqual(self.module._program.take_profile(), [])

    def test_interpret(self):
        y, s = self.module.interpret(self.x)
        w = self.module.state["w"]
        np.testing.assert_allclose(y, np.exp(self.x @ w), rtol=1e-5)
        np.testing.assert_allclose(s, y.sum(), rtol=1e-5)
        np.testing.assert_allclose(self.module(self.x)[0], y, rtol=1e-5)

    def test_interpret_reads_the_module_s_variables(self):
        self.module.state["w"] = 1
        self.assertEqual(float(self.module.interpret(entry="step")), 32)
        self.assertEqual(self.module.state["w"].tolist(), np.ones((4, 4)).tolist())

    def test_interpret_types(self):
        i, b, t = self.module.interpret([1, 2, 3], [0.5, 1.5], entry="types", t=[True, False])
        self.assertEqual((i.tolist(), i.dtype, b.tolist(), t.tolist()), ([2, 4, 6], np.int64, [1, 3], [False, True]))
        self.assertEqual(self.module.interpret(entry="count", dims={"K": 3}).tolist(), [0, 1, 2])

    def test_interpret_failures(self):
        with self.assertRaisesRegex(lathe.RunError, "x is negative"):
            self.module.interpret(-1, entry="root")
        with self.assertRaises(lathe.CompileError):
            self.module.interpret(self.x.astype(np.float64))
        with self.assertRaisesRegex(TypeError, "has no input 'z'"):
            self.module.interpret(self.x, z=1)

    def test_interpret_with_options(self):
        module = lathe.compile(onnx_models.reshape(), constants={"s": np.array([2, 2])}, check="finite", entries=["run"])
        self.assertEqual(module.interpret([1, 2, 3, 4]).tolist(), [[1, 2], [3, 4]])


if __name__ == "__main__":
    unittest.main()
