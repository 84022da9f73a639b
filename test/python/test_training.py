"""lathe.train_step, beside the same steps in NumPy."""
import unittest

import numpy as np
import onnx_models

import lathe


class Training(unittest.TestCase):
    def setUp(self):
        self.x = np.array([[1, 0], [0, 1], [1, 1]], np.float32)
        self.y = np.array([[1], [2], [4]], np.float32)
        self.w = np.array([[2], [3]], np.float64)

    def gradient(self):
        return 2 * self.x.T @ (self.x @ self.w - self.y) / len(self.y)

    def test_descent(self):
        step = lathe.train_step(onnx_models.linear(), "mse", example_target=self.y, target_dims={0: "n"}, optimizer=lathe.optim.sgd(0.1))
        self.assertEqual(step.entries, ["step", "predict", "init"])
        self.assertEqual(step.step.inputs, [("x", "f32[n][2]"), ("target", "f32[n][1]"), ("learning_rate", "f32")])
        for _ in range(5):
            loss = ((self.x @ self.w - self.y) ** 2).mean()
            self.assertAlmostEqual(float(step(self.x, self.y, 0.1)), loss, places=5)
            self.w -= 0.1 * self.gradient()
            np.testing.assert_allclose(step.state["net.w"], self.w, rtol=1e-5)
        np.testing.assert_allclose(step.predict(self.x), self.x @ self.w, rtol=1e-5)

    def test_inputs_and_a_budget(self):
        """inputs=(x, target) in place of example_target=, and a budget that the step keeps to."""
        step = lathe.train_step(onnx_models.linear(), "mse", inputs=(self.x, self.y), target_dims={0: "n"}, optimizer=lathe.optim.sgd(0.1),
                                mem_budget="4KB:n=8")
        loss = ((self.x @ self.w - self.y) ** 2).mean()
        self.assertAlmostEqual(float(step(self.x, self.y)), loss, places=5)
        np.testing.assert_allclose(step.state["net.w"], self.w - 0.1 * self.gradient(), rtol=1e-5)
        with self.assertRaisesRegex(lathe.CompileError, "use --mem-budget="):
            lathe.train_step(onnx_models.linear(), "mse", inputs=(self.x, self.y), target_dims={0: "n"}, mem_budget="1:n=8")
        for options in ({"inputs": self.x, "example_target": self.y}, {"inputs": self.x}):
            with self.subTest(options), self.assertRaises(TypeError):
                lathe.train_step(onnx_models.linear(), "mse", **options)

    def test_learning_rate_of_the_optimizer(self):
        """A call without a learning rate takes the optimiser's."""
        step = lathe.train_step(onnx_models.linear(), "mse", example_target=self.y, target_dims={0: "n"}, optimizer=lathe.optim.sgd(0.05))
        self.assertEqual(step.step.defaults, {"learning_rate": 0.05})
        self.assertIn("learning_rate: f32 = 0.05", repr(step))
        for rate in (None, 0.2, None):
            step(self.x, self.y, **({} if rate is None else {"learning_rate": rate}))
            self.w -= (rate or 0.05) * self.gradient()
            np.testing.assert_allclose(step.state["net.w"], self.w, rtol=1e-5)
        step.step.defaults = {"learning_rate": 0.1}
        wanted = step.interpret(self.x, self.y)
        self.assertAlmostEqual(float(step(self.x, self.y)), float(wanted), places=5)
        self.w -= 0.1 * self.gradient()
        np.testing.assert_allclose(step.state["net.w"], self.w, rtol=1e-5)
        for error, values in [(ValueError, {"rate": 1}), (TypeError, {"learning_rate": "fast"}), (ValueError, {"learning_rate": [1, 2]}),
                              (TypeError, 3)]:
            with self.subTest(values), self.assertRaises(error):
                step.step.defaults = values
        self.assertEqual(step.step.defaults, {"learning_rate": 0.1})
        plain = lathe.train_step(onnx_models.linear(), "mse", example_target=self.y, target_dims={0: "n"})
        self.assertEqual(plain.step.defaults, {"learning_rate": 0.001})

    def test_adam_and_options_of_losses(self):
        step = lathe.train_step(onnx_models.linear(), "huber delta 0.5", example_target=self.y, target_dims={0: "n"},
                                optimizer=lathe.optim.adam(0.01, beta1=0.8))
        first = float(step(self.x, self.y, 0.01))
        for _ in range(50):
            last = float(step(self.x, self.y, 0.01))
        self.assertLess(last, first)
        self.assertEqual(float(step.state["adam.step"]), 51)

    def test_micro_batches(self):
        step = lathe.train_step(onnx_models.linear(), "mse", example_target=self.y, target_dims={0: "n"}, micro_batches=True,
                                optimizer=lathe.optim.sgd(0.1, momentum=0.5))
        self.assertEqual(step.step.inputs,
                         [("x", "f32[micro_batches][n][2]"), ("target", "f32[micro_batches][n][1]"), ("learning_rate", "f32")])
        velocity = np.zeros_like(self.w)
        x, y = np.stack([self.x, 2 * self.x]), np.stack([self.y, -self.y])
        for _ in range(4):
            parts = [x[i] @ self.w - y[i] for i in range(2)]
            self.assertAlmostEqual(float(step(x, y, 0.1)), np.mean([(part ** 2).mean() for part in parts]), places=4)
            velocity = 0.5 * velocity + np.mean([2 * x[i].T @ parts[i] / 3 for i in range(2)], axis=0)
            self.w -= 0.1 * velocity
            np.testing.assert_allclose(step.state["net.w"], self.w, rtol=1e-4)
        np.testing.assert_allclose(step.predict(self.x), self.x @ self.w, rtol=1e-4)

    def test_slots(self):
        step = lathe.train_step(onnx_models.linear(), "mse", example_target=self.y, target_dims={0: "n"},
                                optimizer=lathe.optim.adam(0.1, slots="bf16"))
        exact = lathe.train_step(onnx_models.linear(), "mse", example_target=self.y, target_dims={0: "n"}, optimizer=lathe.optim.adam(0.1))
        step(self.x, self.y, 0.1)
        exact(self.x, self.y, 0.1)
        mean = np.asarray(step.state["net.w.mean"]).view(np.uint16).astype(np.uint32) << 16
        np.testing.assert_allclose(mean.view(np.float32), 0.1 * self.gradient(), rtol=2 ** -7)
        for _ in range(100):
            losses = float(step(self.x, self.y, 0.1)), float(exact(self.x, self.y, 0.1))
        self.assertAlmostEqual(*losses, delta=0.05)

    def test_refusals(self):
        with self.assertRaises(lathe.CompileError):
            lathe.train_step(onnx_models.linear(), "no_such_loss", example_target=self.y)
        with self.assertRaises(lathe.CompileError):
            lathe.train_step(onnx_models.linear(), "mse", example_target=self.y, target_dims={0: "n"}, trainable=["v"])


if __name__ == "__main__":
    unittest.main()
