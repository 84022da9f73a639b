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

    def test_inputs_named_as_parameters(self):
        """PyTorch's exporter gives both the same name."""
        torch = self.torch

        class Shifted(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.x, self.x_ = torch.nn.Parameter(torch.ones(3, 2)), torch.nn.Parameter(torch.ones(2))

            def forward(self, x, other):
                return x @ self.x + self.x_ + other

        net, other, y = Shifted(), torch.ones(5, 2), torch.zeros(5, 2)
        module = lathe.compile(net, (self.x, other), state="x")
        self.assertEqual(([name for name, _ in module.run.inputs], list(module.state)), (["x__", "other"], ["x"]))
        np.testing.assert_allclose(module(self.x, other), net(self.x, other).detach(), atol=1e-6)
        trainer = lathe.train_step(net, "mse", (self.x, other), y, optimizer=lathe.optim.sgd(0.1), open_dims=[{0: "n"}, {0: "n"}],
                                   target_dims={0: "n"})
        optimizer = torch.optim.SGD(net.parameters(), 0.1)
        for _ in range(3):
            loss = torch.nn.functional.mse_loss(net(self.x, other), y)
            self.assertAlmostEqual(float(trainer.step(self.x, other, y)), loss.item(), places=5)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()

    def test_parametrizations(self):
        """Parameters have the names that PyTorch gives them, and losses are PyTorch's."""
        torch = self.torch
        from torch.nn.utils import parametrizations, prune

        norm = parametrizations.weight_norm(torch.nn.Linear(3, 2))
        pruned = prune.l1_unstructured(torch.nn.Linear(3, 2), "weight", amount=0.5)
        y = torch.zeros(5, 2)
        for net in (norm, pruned):
            trainer = lathe.train_step(net, "mse", self.x, y, optimizer=lathe.optim.sgd(0.1))
            self.assertEqual(sorted(trainer.state), sorted("net." + name for name, _ in net.named_parameters()))
            optimizer = torch.optim.SGD(net.parameters(), 0.1)
            for _ in range(3):
                loss = torch.nn.functional.mse_loss(net(self.x), y)
                self.assertAlmostEqual(float(trainer.step(self.x, y)), loss.item(), places=5)
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()

    def test_buffers_that_training_changes(self):
        """Power iterations of spectral norms are not part of a step, and the module keeps its buffers."""
        torch = self.torch
        from torch.nn.utils import parametrizations

        net = torch.nn.Sequential(parametrizations.spectral_norm(torch.nn.Linear(3, 2)))
        before = {name: buffer.clone() for name, buffer in net.named_buffers()}
        with self.assertRaisesRegex(lathe.LatheError, "changes its buffer '0.parametrizations.weight.0._u' in training"):
            lathe.train_step(net, "mse", self.x, torch.zeros(5, 2))
        for name, buffer in net.named_buffers():
            self.assertTrue(torch.equal(buffer, before[name]), name)
        net[0].eval()
        net[0].parametrizations.weight.eval()
        trainer = lathe.train_step(net, "mse", self.x, torch.zeros(5, 2))
        wanted = torch.nn.functional.mse_loss(net(self.x), torch.zeros(5, 2)).item()
        self.assertAlmostEqual(float(trainer.step(self.x, torch.zeros(5, 2))), wanted, places=5)

    def test_training_needs_the_module(self):
        with self.assertRaisesRegex(TypeError, "train_step takes the torch.nn.Module itself"):
            lathe.train_step(self.torch.export.export(self.net, (self.x,)), "mse", example_target=self.x[:, :2])


if __name__ == "__main__":
    unittest.main()
