"""Modules and exports of PyTorch; skipped where it is not installed."""
import importlib.util
import unittest

import numpy as np

import lathe


@unittest.skipUnless(importlib.util.find_spec("torch") and importlib.util.find_spec("onnxscript"), "PyTorch or onnxscript is not installed")
class Exports(unittest.TestCase):
    def setUp(self):
        import torch

        torch.manual_seed(0)
        self.torch = torch
        self.net = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.Tanh(), torch.nn.Linear(4, 2)).eval()
        self.x = torch.randn(5, 3)
        self.wanted = self.net(self.x).detach().numpy()

    def test_exported_programs(self):
        fixed = self.torch.export.export(self.net, (self.x,))
        np.testing.assert_allclose(lathe.compile(fixed)(self.x), self.wanted, atol=1e-6)
        opened = self.torch.export.export(self.net, (self.x,), dynamic_shapes=({0: self.torch.export.Dim("rows")},))
        for rows in (1, 5):
            np.testing.assert_allclose(lathe.compile(opened)(self.x[:rows]), self.wanted[:rows], atol=1e-6)
        self.assertEqual([kind for _, kind in lathe.compile(opened, open_dims=[{0: "rows"}]).run.inputs], ["f32[rows][3]"])

    def test_onnx_programs(self):
        program = self.torch.onnx.export(self.net, (self.x,), dynamo=True, verbose=False)
        np.testing.assert_allclose(lathe.compile(program)(self.x), self.wanted, atol=1e-6)

    def test_training_needs_the_module(self):
        with self.assertRaisesRegex(TypeError, "train_step takes the torch.nn.Module itself"):
            lathe.train_step(self.torch.export.export(self.net, (self.x,)), "mse", example_target=self.x[:, :2])


if __name__ == "__main__":
    unittest.main()
