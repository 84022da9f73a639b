#!/usr/bin/env python3
# Part of the Lathe project, under the Apache License v2.0 with LLVM Exceptions. See LICENSE for licence information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""compare_jax.py FOLDER [RECORD]: trains the model of chars.mlir in JAX from the state that chars has left in FOLDER as
initial.safetensors, on the same pieces, and compares the losses of the first 20 steps with those in FOLDER/loss.npy.

Fails where one is off by more than 1e-3 of itself. RECORD receives JAX's losses; jax-losses.txt beside this file is such a record,
which `run` compares with where there is no JAX. Needs JAX.
"""
import os
import sys

import jax
import jax.numpy as jnp
import numpy as np

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "common"))
from jax_training import adam, compare, cosine_rate, losses_of  # noqa: E402

STEPS, TEXTS, PIECE, HIDDEN, PEAK_RATE, ALL_STEPS = 20, 32, 64, 128, 2e-2, 600
PARAMETERS = ("table", "recurrent", "out.w", "out.b")


def loss_of(parameters, h, c, text):
    z = parameters["table"][text[:, :-1]]

    def step(carry, z):
        h, c = carry
        i, f, o, g = jnp.split(z + h @ parameters["recurrent"], 4, axis=1)
        c = jax.nn.sigmoid(f + 1) * c + jax.nn.sigmoid(i) * jnp.tanh(g)
        h = jax.nn.sigmoid(o) * jnp.tanh(c)
        return (h, c), h

    (h, c), hs = jax.lax.scan(step, (h, c), z.transpose(1, 0, 2))
    logits = hs.transpose(1, 0, 2) @ parameters["out.w"] + parameters["out.b"]
    each = jnp.take_along_axis(jax.nn.log_softmax(logits), text[:, 1:, None], axis=2)
    return -each.mean(), (h, c)


@jax.jit
def train(parameters, mean, square, h, c, text, rate, t):
    (loss, (h, c)), gradient = jax.value_and_grad(loss_of, has_aux=True)(parameters, h, c, text)
    parameters, mean, square = adam(parameters, mean, square, gradient, rate, t)
    return parameters, mean, square, h, c, loss


def main():
    folder = sys.argv[1]
    text = np.load(os.path.join(folder, "data", "train.npy"))
    distance, start = len(text) // TEXTS, jnp.zeros((TEXTS, HIDDEN))
    pieces = [np.stack([text[k * distance + t * PIECE :][: PIECE + 1] for k in range(TEXTS)]) for t in range(STEPS)]
    rates = [cosine_rate(PEAK_RATE, t, ALL_STEPS) for t in range(STEPS)]
    compare(folder, losses_of(folder, PARAMETERS, train, pieces, rates, start, start), *sys.argv[2:])


if __name__ == "__main__":
    if not 2 <= len(sys.argv) <= 3:
        sys.exit(__doc__)
    main()
