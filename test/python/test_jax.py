"""Programs of JAX; skipped where it is not installed."""
import importlib.util
import io
import pathlib
import tempfile
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

    def test_functions(self):
        """A function that is not jitted, an object that is called, and shapes in place of arrays."""
        wanted = self.loss(self.parameters, self.x)
        shapes = self.jax.tree.map(lambda leaf: self.jax.ShapeDtypeStruct(leaf.shape, leaf.dtype), (self.parameters, self.x))
        for source, inputs in [(self.loss, (self.parameters, self.x)), (self.loss, shapes)]:
            module = lathe.compile(source, inputs)
            self.assertEqual([name for name, _ in module.main.inputs], ["parameters_b", "parameters_w", "x"])
            np.testing.assert_allclose(module(self.parameters["b"], self.parameters["w"], self.x), wanted, rtol=1e-6)

        class Scale:
            def __call__(self, x):
                return 3 * x

        self.assertEqual(lathe.compile(Scale(), np.ones(2, np.float32))([1, 2]).tolist(), [3, 6])

    def test_open_dims(self):
        for source in (lambda x, w: x @ w, self.jax.jit(lambda x, w: x @ w)):
            module = lathe.compile(source, (self.x, self.parameters["w"]), open_dims=[{0: "rows"}, None])
            self.assertEqual(module.main.inputs, [("x", "f32[rows][3]"), ("w", "f32[3][2]")])
            for rows in (1, 4):
                np.testing.assert_allclose(module(self.x[:rows], self.parameters["w"]), self.x[:rows] @ self.parameters["w"], rtol=1e-6)

    def test_open_dims_of_no_array(self):
        for message, dims in [("names axis 2 of argument 0", [{2: "rows"}]), ("names axis -1 of argument 0", [{-1: "rows"}]),
                              ("names axis 0 of argument 1", [None, {0: "rows"}]), ("has 3 dicts, but there are 2", [None, None, {0: "rows"}])]:
            with self.subTest(message), self.assertRaisesRegex(ValueError, message):
                lathe.compile(lambda x, scale: x * scale, (self.x, np.float32(1)), open_dims=dims)

    def test_unused_arguments(self):
        """JAX leaves them out of the program, but they are inputs of the entry."""
        def half(x, unused, w):
            return w / 2, x.shape[0]

        w = np.ones(3, np.float32)
        for source in (half, self.jax.jit(half), self.jax.jit(half, donate_argnums=2)):
            for open_dims in (None, [{0: "rows"}]):
                module = lathe.compile(source, (self.x, np.int32(1), w), open_dims=open_dims)
                self.assertEqual([name for name, _ in module.main.inputs], ["x", "unused", "w"])
                self.assertEqual(module(self.x, 1, w)[0].tolist(), [0.5] * 3)
        with self.assertRaisesRegex(TypeError, "keep_unused=True"):
            lathe.compile(self.jax.jit(lambda x, unused, count: x * count, static_argnums=2), (w, w, 2))
        kept = self.jax.jit(lambda x, unused, count: x * count, static_argnums=2, keep_unused=True)
        self.assertEqual(lathe.compile(kept, (w, w, 2))(w, w).tolist(), [2] * 3)

    def test_lowered(self):
        jitted = self.jax.jit(self.loss)
        wanted = self.loss(self.parameters, self.x)
        module = lathe.compile(jitted.lower(self.parameters, self.x))
        self.assertEqual([name for name, _ in module.main.inputs], ["parameters_b", "parameters_w", "x"])
        np.testing.assert_allclose(module(self.parameters["b"], self.parameters["w"], self.x), wanted, rtol=1e-6)

    def test_programs_as_bytes(self):
        """A portable artifact, plain bytecode and text, in memory and in files."""
        from jax import export

        jitted = self.jax.jit(lambda x: x * 2)
        lowered = jitted.lower(self.x)
        plain = io.BytesIO()
        lowered.compiler_ir("stablehlo").operation.write_bytecode(plain)
        portable = export.export(jitted)(self.x).mlir_module_serialized
        with tempfile.TemporaryDirectory() as folder:
            for name, content in [("plain.mlirbc", plain.getvalue()), ("portable.mlirbc", portable), ("text.mlir", lowered.as_text().encode())]:
                file = pathlib.Path(folder, name)
                file.write_bytes(content)
                for source in (content, bytearray(content), file, str(file)):
                    with self.subTest((name, type(source))):
                        np.testing.assert_array_equal(lathe.compile(source)(self.x), self.x * 2)

    def test_misused(self):
        with self.assertRaisesRegex(TypeError, "example_inputs"):
            lathe.compile(self.jax.jit(lambda x: x))
        with self.assertRaisesRegex(TypeError, "open_dims="):
            lathe.compile(self.jax.jit(lambda x: x).lower(self.x), open_dims=[{0: "rows"}])

        class Tensor:
            __module__ = "torch"

        with self.assertRaisesRegex(TypeError, "the forward of a torch.nn.Module"):
            lathe.compile(lambda x: x, (Tensor(),))


if __name__ == "__main__":
    unittest.main()
