"""JAX: one compiled function whose weights are arguments; a training step donates its state."""
import numpy as np
from adapter import Adapter
from rows import MOMENTUM, RATES


def sgd(jax, rate):
    def start(parameters):
        return jax.tree.map(jax.numpy.zeros_like, parameters)

    def update(parameters, moments, gradients):
        moments = jax.tree.map(lambda m, g: MOMENTUM * m + g, moments, gradients)
        return jax.tree.map(lambda p, m: p - rate * m, parameters, moments), moments
    return start, update


def adam(jax, rate):
    def start(parameters):
        zeros = jax.tree.map(jax.numpy.zeros_like, parameters)
        return zeros, jax.tree.map(jax.numpy.zeros_like, parameters), jax.numpy.zeros((), jax.numpy.float32)

    def update(parameters, state, gradients):
        means, squares, count = state
        count = count + 1
        means = jax.tree.map(lambda m, g: 0.9 * m + 0.1 * g, means, gradients)
        squares = jax.tree.map(lambda s, g: 0.999 * s + 0.001 * g * g, squares, gradients)
        scale, size = 1 - 0.9 ** count, 1 - 0.999 ** count

        def moved(p, m, s):
            return p - rate * (m / scale) / (jax.numpy.sqrt(s / size) + 1e-8)
        return jax.tree.map(moved, parameters, means, squares), (means, squares, count)
    return start, update


class Jax(Adapter):
    package = "jax"

    def prepare(self):
        import jax
        import to_jax
        self.jax, self.function = jax, to_jax.function(self.graph)
        self.inputs = {name: jax.device_put(array.astype(np.int32) if array.dtype == np.int64 else array)
                       for name, array in self.graph.inputs.items()}
        self.parameters = jax.device_put(self.graph.parameters)

    def build(self):
        self.program = self.jax.jit(self.function).lower(self.parameters, self.inputs).compile()

    def load(self):
        pass

    def call(self):
        self.last = self.program(self.parameters, self.inputs)
        self.jax.block_until_ready(self.last)

    def results(self):
        return [np.asarray(value) for value in self.last]


class JaxTraining(Jax):
    def prepare(self):
        super().prepare()
        start, update = {"sgd": sgd, "adam": adam}[self.row.optimizer](self.jax, RATES[self.row.optimizer])

        def step(parameters, state, inputs):
            loss, gradients = self.jax.value_and_grad(lambda p: self.function(p, inputs)[0])(parameters)
            return *update(parameters, state, gradients), loss
        self.step, self.start = step, start
        self.reset()

    def reset(self):
        self.variables = self.jax.tree.map(self.jax.numpy.copy, self.parameters)  # a step takes the memory of its arguments
        self.state = self.start(self.variables)

    def build(self):
        jitted = self.jax.jit(self.step, donate_argnums=(0, 1))
        self.program = jitted.lower(self.variables, self.state, self.inputs).compile()

    def call(self):
        self.variables, self.state, self.loss = self.program(self.variables, self.state, self.inputs)
        self.jax.block_until_ready((self.variables, self.loss))

    def results(self):
        return [np.asarray(self.loss)]
