"""Programs of JAX; skipped where it is not installed."""
import importlib.util
import unittest

import numpy as np

import lathe


@unittest.skipUnless(importlib.util.find_spec("jax"), "JAX is not installed")
class Programs(unittest.TestCase):
    def setUp(self):
        import jax
        import jax.numpy as jnp

        self.jax, self.jnp = jax, jnp
        self.parameters = {"w": np.linspace(-1, 1, 6, dtype=np.float32).reshape(3, 2), "b": np.zeros(2, np.float32)}
        self.x = np.arange(12, dtype=np.float32).reshape(4, 3) / 10

    def loss(self, parameters, x):
        return self.jnp.mean(self.jnp.tanh(x @ parameters["w"] + parameters["b"]) ** 2)

    def test_jitted(self):
        gradient = self.jax.jit(self.jax.value_and_grad(self.loss))
        module = lathe.compile(gradient, (self.parameters, self.x))
        value, b, w = module(self.parameters["b"], self.parameters["w"], self.x)
        wanted, gradients = gradient(self.parameters, self.x)
        np.testing.assert_allclose(value, wanted, rtol=1e-6)
        np.testing.assert_allclose(w, gradients["w"], rtol=1e-5, atol=1e-7)
        np.testing.assert_allclose(b, gradients["b"], rtol=1e-5, atol=1e-7)

    def test_state(self):
        def update(parameters, x):
            value, gradients = self.jax.value_and_grad(self.loss)(parameters, x)
            return self.jax.tree.map(lambda p, g: p - 0.1 * g, parameters, gradients), value

        jitted = self.jax.jit(update)
        module = lathe.compile(jitted, (self.parameters, self.x), state="parameters_*")
        module.state["parameters_w"][...] = self.parameters["w"]
        parameters = self.parameters
        for _ in range(5):
            parameters, wanted = jitted(parameters, self.x)
            np.testing.assert_allclose(module(self.x), wanted, rtol=1e-5)
        np.testing.assert_allclose(module.state["parameters_b"], parameters["b"], rtol=1e-4, atol=1e-6)

    def test_exports(self):
        from jax import export

        size = export.symbolic_shape("b")[0]
        scaled = self.jax.jit(lambda x: x * self.jnp.arange(x.shape[0])[:, None] + self.jnp.mean(x))
        made = export.export(scaled)(self.jax.ShapeDtypeStruct((size, 3), np.float32))
        for source in (made, made.serialize()):
            module = lathe.compile(source)
            for rows in (1, 4):
                x = self.x[:rows]
                np.testing.assert_allclose(module(x), x * np.arange(rows)[:, None] + x.mean(), rtol=1e-6)

    def test_examples_are_needed(self):
        with self.assertRaisesRegex(TypeError, "example_inputs"):
            lathe.compile(self.jax.jit(lambda x: x))


if __name__ == "__main__":
    unittest.main()
