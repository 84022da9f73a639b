"""lathe.train_step of torch modules that differ in training, beside PyTorch. Skipped where PyTorch and its exporter are not installed."""
import importlib.util
import unittest
import warnings

import numpy as np

import lathe

TORCH = importlib.util.find_spec("torch") and importlib.util.find_spec("onnxscript")
if TORCH:
    import torch
    from torch import nn


@unittest.skipUnless(TORCH, "torch and onnxscript are not installed")
class TrainMode(unittest.TestCase):
    def setUp(self):
        warnings.simplefilter("ignore")
        torch.manual_seed(0)

    def trainer(self, net, x, target, loss="cross_entropy", **options):
        return lathe.train_step(net, loss, x, target, optimizer=lathe.optim.sgd(momentum=0.9), open_dims=[{0: "batch"}],
                                target_dims={0: "batch"}, **options)

    def test_batch_norms(self):
        """One of images, one whose layer is in inference, one without statistics of its own."""
        fixed = nn.BatchNorm1d(6)
        fixed.eval()
        net = nn.Sequential(nn.Conv2d(2, 6, 3, bias=False), nn.BatchNorm2d(6, momentum=0.3), nn.ReLU(), nn.Flatten(2),
                            nn.BatchNorm1d(6, track_running_stats=False), nn.AdaptiveMaxPool1d(1), nn.Flatten(), fixed, nn.Linear(6, 3))
        x, target = torch.randn(8, 2, 7, 7), torch.randint(0, 3, (8,))
        modes = [layer.training for layer in net.modules()]
        before = [value.clone() for value in net.state_dict().values()]
        trainer = self.trainer(net, x, target)
        self.assertEqual([layer.training for layer in net.modules()], modes)
        self.assertTrue(all(torch.equal(a, b) for a, b in zip(before, net.state_dict().values())))
        self.assertEqual(net.forward.__func__, nn.Sequential.forward)
        optimizer = torch.optim.SGD(net.parameters(), lr=0.05, momentum=0.9)
        for _ in range(5):
            loss = nn.functional.cross_entropy(net(x), target)
            self.assertAlmostEqual(float(trainer.step(x, target, 0.05)), loss.item(), places=5)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        for name in ("1.running_mean", "1.running_var", "0.weight", "1.weight", "8.bias"):
            np.testing.assert_allclose(trainer.state["net." + name], net.state_dict()[name], atol=1e-5)
        self.assertNotIn("net.7.running_mean", trainer.state)
        np.testing.assert_allclose(trainer.predict(x), net.eval()(x).detach(), atol=1e-5)
        few = x[:3]  # another batch than that of the export
        np.testing.assert_allclose(trainer.predict(few), net(few).detach(), atol=1e-5)

    def test_dropout(self):
        class Dropped(nn.Module):
            def __init__(self):
                super().__init__()
                self.w = nn.Parameter(torch.ones(1))
                self.rows = nn.Dropout(0.3)

            def forward(self, x):
                return self.rows(x * self.w)

        x, zeros = torch.ones(50, 400), torch.zeros(50, 400)
        trainer = self.trainer(Dropped(), x, zeros, "mse reduction sum", seed=3)
        losses = [float(trainer.step(x, zeros, 0)) for _ in range(20)]
        kept = np.array(losses) * 0.7**2 / x.numel()  # a kept element is 1 / 0.7
        deviation = (0.3 * 0.7 / x.numel())**0.5
        self.assertLess(abs(kept.mean() - 0.7), 4 * deviation / 20**0.5)
        self.assertTrue(0.5 < kept.std() / deviation < 1.7)
        self.assertEqual(len(set(losses)), 20)
        self.assertEqual(int(trainer.state["dropout_seed"]), 23)
        trainer.state["dropout_seed"] = 3
        self.assertEqual([float(trainer.step(x, zeros, 0)) for _ in range(20)], losses)
        self.assertEqual(trainer.predict(x).tolist(), x.tolist())

    def test_places_of_dropout(self):
        """Which elements are dropped is independent between neighbours, layers and steps."""
        class Mask(nn.Module):
            def __init__(self):
                super().__init__()
                self.w = nn.Parameter(torch.zeros(2, 64, 64))

            def forward(self, x):
                twice = [nn.functional.dropout(x, 0.5, self.training), nn.functional.dropout2d(x[:, :, None], 0.5, self.training)[:, :, 0]]
                return torch.stack(twice, 1) + self.w

        x = torch.ones(4, 64, 64)
        # The gradient of the sum by w does not depend on the mask: the mask is what one step of a target of zeros leaves in w.
        net = Mask()
        trainer = lathe.train_step(net, "mse reduction sum", x, torch.zeros(4, 2, 64, 64), optimizer=lathe.optim.sgd(), seed=1)
        masks = []
        for _ in range(2):
            trainer.state["net.w"] = 0
            trainer.step(x, np.zeros((4, 2, 64, 64), np.float32), 1)
            masks.append(trainer.state["net.w"] / -4)  # -2 times the sum over the batch of 0 or 2
        first, second = masks
        self.assertTrue(np.isin(first, range(5)).all())
        counts = first[0]
        for a, b in [(counts[:, 1:], counts[:, :-1]), (counts[1:], counts[:-1]), (counts, first[1]), (counts, second[0])]:
            self.assertLess(abs(np.corrcoef(a.ravel(), b.ravel())[0, 1]), 0.07)
        self.assertTrue((first[1] == first[1][:, :1]).all())  # whole channels
        self.assertFalse((first[0] == first[0][:, :1]).all())

    def test_attention_with_dropout(self):
        layer = nn.TransformerEncoderLayer(8, 2, 16, dropout=0.2, batch_first=True)
        x, target = torch.randn(4, 5, 8), torch.randn(4, 5, 8)
        trainer = lathe.train_step(layer, "mse", x, target, open_dims=[{0: "batch"}], target_dims={0: "batch"})
        losses = [float(trainer.step(x, target, 1e-3)) for _ in range(60)]
        self.assertLess(np.mean(losses[-10:]), np.mean(losses[:10]))
        self.assertGreater(len(set(losses)), 50)
        self.assertEqual(trainer.predict(x).tolist(), trainer.predict(x).tolist())

    def test_refusals(self):
        x, target = torch.randn(4, 3), torch.randint(0, 3, (4,))
        sequence = torch.randn(4, 5, 3)
        for text, net, example in [("alpha_dropout in training", nn.Sequential(nn.Linear(3, 3), nn.AlphaDropout(0.1)), x),
                                   ("momentum=None", nn.Sequential(nn.Linear(3, 3), nn.BatchNorm1d(3, momentum=None)), x),
                                   ("dropout between the layers of LSTM", nn.LSTM(3, 3, num_layers=2, dropout=0.1), sequence)]:
            with self.subTest(text), self.assertRaisesRegex(lathe.LatheError, text):
                lathe.train_step(net, "cross_entropy", example, target)
            self.assertTrue(net.training)
            self.assertFalse("forward" in net.__dict__)


if __name__ == "__main__":
    unittest.main()
