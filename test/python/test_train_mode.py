"""lathe.train_step of torch modules that differ in training, beside PyTorch. Skipped where PyTorch and its exporter are not installed."""
import copy
import importlib.util
import unittest
import warnings

import numpy as np

import lathe

TORCH = importlib.util.find_spec("torch") and importlib.util.find_spec("onnxscript")
if TORCH:
    import torch
    from torch import nn

    class Shown(nn.Module):
        """A layer without parameters, and a parameter that is added to its result. Its gradient shows the result."""

        def __init__(self, layer, *shape):
            super().__init__()
            self.layer, self.w = layer, nn.Parameter(torch.zeros(shape))

        def forward(self, x):
            return self.layer(x) + self.w


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

    def check_steps(self, net, reference, x, target, steps=4):
        """Compares the losses of steps with those of PyTorch, and the state after them."""
        trainer = self.trainer(net, x, target)
        optimizer = torch.optim.SGD(reference.parameters(), lr=0.05, momentum=0.9)
        for _ in range(steps):
            loss = nn.functional.cross_entropy(reference(x), target)
            self.assertAlmostEqual(float(trainer.step(x, target, 0.05)), loss.item(), places=5)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        for name, value in reference.state_dict().items():
            if "net." + name in trainer.state:
                np.testing.assert_allclose(trainer.state["net." + name], value, atol=1e-5, err_msg=name)
        np.testing.assert_allclose(trainer.predict(x), reference.eval()(x).detach(), atol=1e-5)
        return trainer

    def test_averages_of_all_batches(self):
        net = nn.Sequential(nn.Conv1d(2, 4, 3), nn.BatchNorm1d(4, momentum=None), nn.InstanceNorm1d(4, affine=True, track_running_stats=True),
                            nn.Flatten(), nn.Linear(20, 3))
        x, target = torch.randn(6, 2, 7), torch.randint(0, 3, (6,))
        reference = copy.deepcopy(net)
        trainer = self.check_steps(net, reference, x, target)
        self.assertEqual(trainer.state["net.1.num_batches_tracked"], 4)
        for name in ("1.running_mean", "1.running_var", "2.running_mean", "2.running_var"):
            self.assertIn("net." + name, trainer.state)
        self.assertEqual(net[1].num_batches_tracked, 0)

    def test_dropout_between_layers(self):
        """A rate too small to drop anything: the layers are run one by one, and must be those of PyTorch. Then one that drops."""
        class Last(nn.Module):
            def __init__(self, kind, p, **options):
                super().__init__()
                self.layers, self.head = kind(3, 4, num_layers=3, dropout=p, **options), nn.LazyLinear(3)

            def forward(self, x):
                return self.head(self.layers(x)[0][:, -1])

        x, target = torch.randn(4, 5, 3), torch.randint(0, 3, (4,))
        for kind, options in [(nn.LSTM, {"bidirectional": True}), (nn.GRU, {}), (nn.RNN, {"bias": False})]:
            with self.subTest(kind.__name__):
                net = Last(kind, 1e-12, batch_first=True, **options)
                net(x)
                reference = copy.deepcopy(net)
                reference.layers.dropout = 0.0
                self.assertIn("dropout_seed", self.check_steps(net, reference, x, target, steps=2).state)
                self.assertNotIn(kind.__name__.lower(), vars(torch._VF))
        net = Last(nn.LSTM, 0.5, batch_first=True)
        net(x)
        trainer = self.trainer(net, x, target)
        self.assertGreater(len({float(trainer.step(x, target, 0.0)) for _ in range(6)}), 4)

    def test_dropout_of_selu(self):
        class Dropped(nn.Module):
            def __init__(self):
                super().__init__()
                self.w, self.elements, self.channels = nn.Parameter(torch.ones(1)), nn.AlphaDropout(0.3), nn.FeatureAlphaDropout(0.3)

            def forward(self, x):
                return torch.stack([self.elements(x), self.channels(x)]) * self.w

        x = torch.randn(20, 30, 50)
        trainer = lathe.train_step(Dropped(), "mse", x, torch.zeros(2, 20, 30, 50))
        # The loss is the mean square: 1 for values of variance 1 and mean 0, which this dropout keeps.
        self.assertAlmostEqual(float(trainer.step(x, np.zeros((2, 20, 30, 50), np.float32), 0.0)), 1, places=1)
        # A module that only drops shows its elements by the gradient of its input's weights.
        shown = lathe.train_step(Shown(nn.FeatureAlphaDropout(0.3), 2, 400, 5), "mse", torch.ones(2, 400, 5), torch.zeros(2, 400, 5),
                                 optimizer=lathe.optim.sgd())
        shown.step(np.ones((2, 400, 5), np.float32), np.zeros((2, 400, 5), np.float32), 1.0)
        values = -shown.state["net.w"] * 4000 / 2  # what the step subtracts: 2 / count * value
        values = values.astype(np.float64)
        dropped, kept = values.min(), values.max()
        scale = (0.7 * (1 + 0.3 * 1.7580993408473766 ** 2)) ** -0.5
        self.assertAlmostEqual(kept - dropped, scale * (1 + 1.7580993408473766), places=3)
        self.assertAlmostEqual(kept, scale * (1 + 0.3 * 1.7580993408473766), places=3)
        self.assertTrue((abs(values - dropped) + abs(values - kept) < kept - dropped + 1e-3).all())
        self.assertAlmostEqual((abs(values - dropped) < 1e-3).mean(), 0.3, delta=0.05)
        self.assertTrue((values == values[:, :, :1]).all())  # whole channels

    def test_random_slopes(self):
        shown = lathe.train_step(Shown(nn.RReLU(0.1, 0.3), 4000), "mse", -torch.ones(4000), torch.zeros(4000), optimizer=lathe.optim.sgd())
        shown.step(-np.ones(4000, np.float32), np.zeros(4000, np.float32), 1.0)
        slopes = shown.state["net.w"] * 4000 / 2
        self.assertTrue((slopes > 0.0999).all() and (slopes < 0.3001).all())
        self.assertAlmostEqual(slopes.mean(), 0.2, delta=0.005)
        self.assertAlmostEqual(slopes.std(), 0.2 / 12 ** 0.5, delta=0.003)
        np.testing.assert_allclose(shown.predict(-np.ones(4000, np.float32)), -0.2 + shown.state["net.w"], rtol=1e-5)

    def test_grouped_attention(self):
        class Attention(nn.Module):
            def __init__(self, p):
                super().__init__()
                self.q, self.kv, self.head, self.p = nn.Linear(8, 8), nn.Linear(8, 4), nn.Linear(8, 3), p

            def forward(self, x):
                q, (k, v) = self.q(x).unflatten(-1, (4, 2)).transpose(1, 2), self.kv(x).unflatten(-1, (2, 1, 2)).unbind(2)
                y = nn.functional.scaled_dot_product_attention(q, k.transpose(1, 2), v.transpose(1, 2), dropout_p=self.p if self.training else 0.0,
                                                               is_causal=True, enable_gqa=True)
                return self.head(y.transpose(1, 2).flatten(2)[:, -1])

        x, target = torch.randn(4, 5, 8), torch.randint(0, 3, (4,))
        net = Attention(1e-12)
        reference = copy.deepcopy(net)
        reference.p = 0.0
        self.check_steps(net, reference, x, target, steps=2)

    def test_no_batch(self):
        """Dropout of channels takes inputs without a batch."""
        x, target = torch.randn(40, 6), torch.zeros(40, 6)
        trainer = lathe.train_step(Shown(nn.Dropout1d(0.5), 40, 6), "mse", torch.ones(40, 6), target, optimizer=lathe.optim.sgd())
        trainer.step(np.ones((40, 6), np.float32), target, 1.0)
        values = -trainer.state["net.w"]
        self.assertTrue((values == values[:, :1]).all())
        self.assertEqual(len(np.unique(values)), 2)

    def test_tied_and_unused_parameters(self):
        class Tied(nn.Module):
            def __init__(self):
                super().__init__()
                self.words, self.head, self.unused = nn.Embedding(7, 4), nn.Linear(4, 7, bias=False), nn.Linear(4, 4)
                self.head.weight = self.words.weight

            def forward(self, x):
                return self.head(torch.tanh(self.words(x)))

        net = Tied()
        x, target = torch.randint(0, 7, (5,)), torch.randint(0, 7, (5,))
        trainer = self.check_steps(net, copy.deepcopy(net), x, target)
        weights = [name for name in trainer.state if name.endswith(".weight")]
        self.assertEqual(len(weights), 1)
        self.assertNotIn("unused", weights[0])

    def test_refusals(self):
        with self.assertRaisesRegex(lathe.LatheError, "one tensor"):
            lathe.train_step(nn.LSTM(3, 3, num_layers=2, dropout=0.1), "cross_entropy", torch.randn(4, 5, 3), torch.randint(0, 3, (4,)))


if __name__ == "__main__":
    unittest.main()
