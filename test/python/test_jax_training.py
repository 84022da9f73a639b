"""lathe.train_step of losses of JAX, beside value_and_grad of JAX and optax; skipped where they are not installed."""
import importlib.util
import unittest

import numpy as np

import lathe

STEPS, RATE = 20, 0.01


@unittest.skipUnless(importlib.util.find_spec("jax") and importlib.util.find_spec("optax"), "JAX or optax is not installed")
class Training(unittest.TestCase):
    def setUp(self):
        import jax
        import jax.numpy as jnp
        import optax

        self.jax, self.jnp, self.optax = jax, jnp, optax
        self.random = np.random.default_rng(0)

    def normal(self, *shape):
        return self.random.normal(size=shape).astype(np.float32) / np.float32(np.sqrt(shape[-2] if len(shape) > 1 else 1))

    def mlp(self):
        return {"hidden": {"w": self.normal(6, 9), "b": np.zeros(9, np.float32)}, "out": [self.normal(9, 4)]}

    def applied(self, params, x):
        return self.jnp.tanh(x @ params["hidden"]["w"] + params["hidden"]["b"]) @ params["out"][0]

    def squares(self, params, x, y):
        return self.jnp.mean((self.applied(params, x) - y) ** 2)

    def entropy(self, params, x, y):
        return self.optax.softmax_cross_entropy_with_integer_labels(self.applied(params, x), y).mean()

    def optimizers(self):
        return [(lathe.optim.sgd(momentum=0.9), self.optax.sgd(RATE, momentum=0.9)),
                (lathe.optim.adamw(weight_decay=0.02), self.optax.adamw(RATE, weight_decay=0.02))]

    def check(self, loss, params, *inputs, optimizers=None, **options):
        """Compares the losses of 20 steps and the parameters after them."""
        for ours, theirs in optimizers or self.optimizers():
            module = lathe.train_step(loss, inputs=(params, *inputs), optimizer=ours, **options)
            wanted, slots = params, theirs.init(params)
            given = self.jax.tree.leaves(inputs)
            step = self.jax.jit(self.jax.value_and_grad(loss))
            for _ in range(STEPS):
                value, gradients = step(wanted, *inputs)
                updates, slots = theirs.update(gradients, slots, wanted)
                wanted = self.optax.apply_updates(wanted, updates)
                np.testing.assert_allclose(module.step(*given, RATE), value, rtol=2e-5, atol=2e-5)
            names = [name for name in module.state if name == "params" or name.startswith("params.") and
                     not name.endswith((".momentum", ".mean", ".variance"))]
            leaves = {self.path(path): leaf for path, leaf in self.jax.tree_util.tree_leaves_with_path(wanted)}
            self.assertEqual(sorted(names), sorted(leaves))
            for name, leaf in leaves.items():
                np.testing.assert_allclose(module.state[name], leaf, rtol=1e-4, atol=5e-5, err_msg=name)
        return module, wanted

    def path(self, path):
        return ".".join(filter(None, ["params", self.jax.tree_util.keystr(path, simple=True, separator=".")]))

    def test_perceptron(self):
        x, y = self.normal(8, 6), np.arange(8, dtype=np.int32) % 4
        module, params = self.check(self.entropy, self.mlp(), x, y, predict=self.applied)
        self.assertEqual(module.entries, ["step", "predict", "init"])
        self.assertEqual(module.step.inputs, [("x", "f32[8][6]"), ("y", "i32[8]"), ("learning_rate", "f32")])
        np.testing.assert_allclose(module.predict(x), self.applied(params, x), atol=1e-4)

    def test_open_batch(self):
        x, y = self.normal(8, 6), np.arange(8, dtype=np.int32) % 4
        params = self.mlp()
        module, _ = self.check(self.entropy, params, x, y, predict=self.applied, open_dims=[None, {0: "batch"}, {0: "batch"}])
        self.assertEqual(module.step.inputs[:2], [("x", "f32[batch][6]"), ("y", "i32[batch]")])
        module.init(0)
        np.testing.assert_allclose(module.step(x[:3], y[:3], RATE), self.entropy(params, x[:3], y[:3]), rtol=1e-5)

    def test_convolutions(self):
        lax, jnp = self.jax.lax, self.jnp
        layout = ("NHWC", "HWIO", "NHWC")

        def loss(params, x, y):
            x = self.jax.nn.relu(lax.conv_general_dilated(x, params["first"], (1, 1), "SAME", dimension_numbers=layout))
            x = lax.reduce_window(x, -jnp.inf, lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID")
            x = lax.conv_general_dilated(x, params["grouped"], (2, 2), "SAME", dimension_numbers=layout, feature_group_count=4)
            x = (x - x.mean((0, 1, 2))) / jnp.sqrt(x.var((0, 1, 2)) + 1e-5)
            x = lax.reduce_window(x, 0.0, lax.add, (1, 2, 2, 1), (1, 1, 1, 1), "SAME")
            return jnp.mean((x.reshape(x.shape[0], -1) @ params["out"] - y) ** 2)

        params = {"first": self.normal(3, 3, 3, 8), "grouped": self.normal(3, 3, 2, 16), "out": self.normal(64, 5)}
        self.check(loss, params, self.normal(4, 8, 8, 3), self.normal(4, 5))

    def test_recurrence(self):
        jnp, nn = self.jnp, self.jax.nn

        def loss(params, xs, y):
            def cell(state, x):
                h, c = state
                i, f, g, o = jnp.split(x @ params["w"] + h @ params["u"] + params["b"], 4, axis=-1)
                c = nn.sigmoid(f) * c + nn.sigmoid(i) * jnp.tanh(g)
                h = nn.sigmoid(o) * jnp.tanh(c)
                return (h, c), h

            start = jnp.zeros((xs.shape[1], 8))
            (h, _), hs = self.jax.lax.scan(self.jax.checkpoint(cell), (start, start), xs)
            return jnp.mean((h @ params["out"] - y) ** 2) + 1e-2 * jnp.mean(hs[::2] ** 2)

        params = {"w": self.normal(5, 32), "u": self.normal(8, 32), "b": np.zeros(32, np.float32), "out": self.normal(8, 3)}
        self.check(loss, params, self.normal(7, 4, 5), self.normal(4, 3))

    def test_transformer(self):
        jnp, nn = self.jnp, self.jax.nn

        def norm(x, scale):
            return (x - x.mean(-1, keepdims=True)) * self.jax.lax.rsqrt(x.var(-1, keepdims=True) + 1e-5) * scale

        def loss(params, tokens):
            x = params["words"][tokens] + params["places"]
            q, k, v = (jnp.einsum("btd,dhe->bhte", norm(x, params["scale"]), w) for w in params["qkv"])
            scores = jnp.where(jnp.tril(jnp.ones((6, 6), bool)), jnp.einsum("bhte,bhse->bhts", q, k) / 2, -1e30)
            x = x + jnp.einsum("bhts,bhse,hed->btd", nn.softmax(scores), v, params["o"])
            x = x + nn.gelu(x @ params["up"]) @ params["down"]
            logits = nn.log_softmax(x[:, :-1] @ params["words"].T)
            return -jnp.mean(jnp.take_along_axis(logits, tokens[:, 1:, None], axis=-1))

        params = {"words": self.normal(11, 8), "places": self.normal(6, 8), "scale": np.ones(8, np.float32),
                  "qkv": [self.normal(8, 2, 4) for _ in range(3)], "o": self.normal(2, 4, 8), "up": self.normal(8, 16), "down": self.normal(16, 8)}
        self.check(loss, params, self.random.integers(0, 11, (3, 6)).astype(np.int32))

    def test_doubles(self):
        with self.jax.enable_x64(True):
            params = self.jax.tree.map(np.float64, self.mlp())
            self.check(self.squares, params, np.float64(self.normal(8, 6)), np.float64(self.normal(8, 4)))

    def test_stop_gradient_and_rules(self):
        """What StableHLO has no ops for. Without it the derivatives differ by far more than rounding."""
        jax, jnp = self.jax, self.jnp

        @jax.custom_vjp
        def clipped(x, bound):
            return x

        clipped.defvjp(lambda x, bound: (x, bound), lambda bound, cotangent: (jnp.clip(cotangent, -bound, bound), None))

        @jax.custom_jvp
        def doubled(x):
            return x

        doubled.defjvp(lambda primals, tangents: (primals[0], 2 * tangents[0]))
        x, y = self.normal(8, 6), self.normal(8, 4)
        sgd = [(lathe.optim.sgd(), self.optax.sgd(RATE))]
        self.check(lambda params, x, y: self.squares(params, x, y + jax.lax.stop_gradient(self.applied(params, x / 2))), self.mlp(), x, y,
                   optimizers=sgd)
        self.check(lambda params, x, y: jnp.mean((clipped(self.applied(params, x), 1e-3) - y) ** 2), self.mlp(), x, y, optimizers=sgd)
        self.check(lambda params, x, y: jnp.mean((doubled(self.applied(params, x)) - y) ** 2), self.mlp(), x, y, optimizers=sgd)
        # With an open size, also in the rule itself.
        @jax.custom_vjp
        def shared(x):
            return x * 3, jnp.sum(x)

        shared.defvjp(lambda x: (shared(x), x), lambda x, cotangents: (cotangents[0] / x.shape[0] + 2 * cotangents[1] + 0 * x,))
        for function in (lambda y: clipped(y, 1e-3), doubled, lambda y: shared(y)[0] + 0.1 * shared(y)[1]):
            module, params = self.check(lambda params, x, y: jnp.mean((function(self.applied(params, x)) - y) ** 2), self.mlp(), x, y,
                                        optimizers=sgd, open_dims=[None, {0: "n"}, {0: "n"}])
            params = {name: np.array(module.state[f"params.{name}"]) for name in ("hidden.w", "hidden.b", "out.0")}
            tree = {"hidden": {"w": params["hidden.w"], "b": params["hidden.b"]}, "out": [params["out.0"]]}
            loss = lambda params: jnp.mean((function(self.applied(params, x[:5])) - y[:5]) ** 2)
            np.testing.assert_allclose(module.step(x[:5], y[:5], RATE), loss(tree), rtol=2e-5)
            gradient = jax.grad(loss)(tree)["hidden"]["w"]
            np.testing.assert_allclose(module.state["params.hidden.w"], params["hidden.w"] - RATE * gradient, rtol=1e-4, atol=5e-5)

    def test_auxiliary_results(self):
        def loss(params, x, y):
            made = self.applied(params, x)
            return self.jnp.mean((made - y) ** 2), {"made": made, "sums": [made.sum(), self.jnp.argmax(made, axis=1)]}

        x, y = self.normal(8, 6), self.normal(8, 4)
        params = self.mlp()
        module = lathe.train_step(loss, inputs=(params, x, y), optimizer=lathe.optim.sgd(), has_aux=True, open_dims=[None, {0: "n"}, {0: "n"}])
        self.assertEqual(module.step.results, [("loss", "f32"), ("aux_made", "f32[n][4]"), ("aux_sums_0", "f32"), ("aux_sums_1", "i32[n]")])
        plain = lathe.train_step(lambda params, x, y: loss(params, x, y)[0], inputs=(params, x, y), optimizer=lathe.optim.sgd(),
                                 open_dims=[None, {0: "n"}, {0: "n"}])
        for _ in range(3):  # those before the update
            tree = {"hidden": {"w": module.state["params.hidden.w"].copy(), "b": module.state["params.hidden.b"].copy()},
                    "out": [module.state["params.out.0"].copy()]}
            value, aux = loss(tree, x, y)
            results = module.step(x, y, RATE)
            for made, wanted in zip(results, [value, aux["made"], *aux["sums"]]):
                np.testing.assert_allclose(made, wanted, rtol=2e-5, atol=2e-5)
            self.assertEqual(float(plain.step(x, y, RATE)), float(results[0]))
        np.testing.assert_array_equal(plain.state["params.hidden.w"], module.state["params.hidden.w"])
        self.assertEqual(len(module.profile(x, y, RATE, seconds=0.001).kernels), len(plain.profile(x, y, RATE, seconds=0.001).kernels) + 2)
        with self.assertRaisesRegex(lathe.LatheError, "with has_aux the loss must return a pair"):
            lathe.train_step(lambda params: params.sum(), inputs=(x,), has_aux=True)
        with self.assertRaisesRegex(lathe.LatheError, "pass has_aux=True"):
            lathe.train_step(lambda params: (params.sum(), params), inputs=(x,))
        with self.assertRaisesRegex(TypeError, "has_aux= are for losses of JAX"):
            lathe.train_step("model.onnx", "mse", has_aux=True)

    def test_derivatives_at_bounds(self):
        """relu and others have rules of their own for places where their ops have several derivatives."""
        jax, jnp = self.jax, self.jnp
        params = np.array([0, -1, 2, 6, 0], np.float32)
        losses = [lambda params: jax.nn.relu(params).sum(), lambda params: jax.nn.relu6(params).sum(),
                  lambda params: jax.nn.softplus(params).sum(), lambda params: jax.scipy.special.xlogy(params, 3.0).sum(),
                  lambda params: jnp.maximum(params, 0).sum(), lambda params: jax.nn.elu(params).sum(), lambda params: jnp.max(params)]
        for loss in losses:
            module = lathe.train_step(loss, inputs=(params,), optimizer=lathe.optim.sgd())
            module.step(1.0)
            np.testing.assert_allclose(params - module.state["params"], jax.grad(loss)(params), atol=1e-6)
        scaled = lathe.train_step(lambda params, x: (jax.nn.relu(params) * x.sum()).sum(), inputs=(params, np.ones(3, np.float32)),
                                  optimizer=lathe.optim.sgd(), open_dims=[None, {0: "n"}])
        scaled.step([0.5, 0.5], 1.0)
        np.testing.assert_allclose(params - scaled.state["params"], [0, 0, 1, 1, 0])

    def test_random_bits(self):
        jax, jnp = self.jax, self.jnp

        def loss(params, x, y, key):
            hidden = jnp.tanh(x @ params["hidden"]["w"])
            kept = jnp.where(jax.random.bernoulli(key, 0.8, hidden.shape), hidden / 0.8, 0)
            return jnp.mean((kept @ params["out"][0] - y) ** 2) + 0 * params["hidden"]["b"].sum()

        self.check(loss, self.mlp(), self.normal(8, 6), self.normal(8, 4), jax.random.PRNGKey(3), optimizers=self.optimizers()[:1])

    def test_trainable(self):
        params = {**self.mlp(), "count": np.int32(3)}

        def loss(params, x, y):
            return self.squares(params, x, y) * params["count"]

        x, y = self.normal(8, 6), self.normal(8, 4)
        module = lathe.train_step(loss, inputs=(params, x, y), optimizer=lathe.optim.sgd(), trainable=["hidden.*"])
        np.testing.assert_allclose(module.step(x, y, RATE), loss(params, x, y), rtol=1e-5)
        self.assertEqual(int(module.state["params.count"]), 3)
        np.testing.assert_array_equal(module.state["params.out.0"], params["out"][0])
        self.assertGreater(np.abs(module.state["params.hidden.w"] - params["hidden"]["w"]).max(), 0)

    def test_named_inputs(self):
        def loss(params, batch, learning_rate):
            return self.squares(params, batch["x"], batch["y"]) * learning_rate

        batch = {"x": self.normal(8, 6), "y": self.normal(8, 4)}
        module = lathe.train_step(loss, inputs=(self.mlp(), batch, np.float32(1)))
        self.assertEqual([name for name, _ in module.step.inputs], ["batch_x", "batch_y", "learning_rate_", "learning_rate"])

    def test_learning_rate_of_the_optimizer(self):
        params, x, y = self.mlp(), self.normal(8, 6), self.normal(8, 4)
        module = lathe.train_step(self.squares, inputs=(params, x, y), optimizer=lathe.optim.sgd(RATE))
        module.step(x, y)
        gradient = self.jax.grad(self.squares)(params, x, y)["hidden"]["w"]
        np.testing.assert_allclose(module.state["params.hidden.w"], params["hidden"]["w"] - RATE * gradient, rtol=1e-4, atol=1e-6)

    def test_refusals(self):
        params, x, y = self.mlp(), self.normal(8, 6), self.normal(8, 4)
        for error, message, arguments in [
                (TypeError, "needs inputs", dict()), (TypeError, "takes inputs=", dict(loss="mse")),
                (TypeError, "predict takes 4 arguments", dict(inputs=(params, x, y), predict=lambda a, b, c, d: a)),
                (lathe.LatheError, "no parameter matches 'w'", dict(inputs=(params, x, y), trainable=["w"])),
                (TypeError, "must be arrays", dict(inputs=(self.jax.eval_shape(lambda p: p, params), x, y)))]:
            with self.subTest(message), self.assertRaisesRegex(error, message):
                lathe.train_step(self.squares, **arguments)
        with self.assertRaisesRegex(lathe.LatheError, r"one float without dimensions, not float32\[8, 4\]"):
            lathe.train_step(self.applied, inputs=(params, x))
        with self.assertRaisesRegex(TypeError, "key: .*key_data"):
            lathe.train_step(lambda params, key: params.sum(), inputs=(x, self.jax.random.key(0)))
        with self.assertRaisesRegex(lathe.CompileError, "fft"):
            lathe.train_step(lambda params: self.jnp.abs(self.jnp.fft.fft(params)).sum(), inputs=(x,))


if __name__ == "__main__":
    unittest.main()
