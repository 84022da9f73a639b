#!/usr/bin/env python3
# Part of the Lathe project, under the Apache License v2.0 with LLVM Exceptions. See LICENSE for licence information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""compare_jax.py FOLDER [RECORD]: trains the model of transformer.mlir in JAX from the state that transformer has left in FOLDER as
initial.safetensors, on the pieces whose places it has left there, and compares the losses of the first 20 steps with those in
FOLDER/loss.npy.

Fails where one is off by more than 1e-3 of itself. RECORD receives JAX's losses; jax-losses.txt beside this file is such a record,
which `run` compares with where there is no JAX. Needs JAX.
"""
import math
import os
import sys

import jax
import jax.numpy as jnp
import numpy as np

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "common"))
from jax_training import adam, compare, cosine_rate, losses_of  # noqa: E402

STEPS, LENGTH, HEADS, PEAK_RATE, WARM_UP, ALL_STEPS, CLIP = 20, 64, 4, 2e-3, 20, 600, 1.0
LAYERS = ("norm1", "qkv", "merge", "norm2", "wide", "narrow")
PARAMETERS = ("embedding", "position", *LAYERS, "norm.out", "out")


def rms_norm(x, scale):
    return x / jnp.sqrt((x * x).mean(-1, keepdims=True) + 1e-6) * scale


def attention(x):
    """Of queries, keys and values side by side, [texts, length, 3 * features]; each place sees those up to itself."""
    texts, length, _ = x.shape
    q, k, v = (part.reshape(texts, length, HEADS, -1).transpose(0, 2, 1, 3) for part in jnp.split(x, 3, axis=-1))
    scores = q @ k.transpose(0, 1, 3, 2) / math.sqrt(q.shape[-1])
    scores = jnp.where(jnp.tril(jnp.ones((length, length), bool)), scores, -jnp.inf)
    return (jax.nn.softmax(scores) @ v).transpose(0, 2, 1, 3).reshape(texts, length, -1)


def loss_of(parameters, text):
    def layer(x, weights):
        norm1, qkv, merge, norm2, wide, narrow = weights
        y = x + attention(rms_norm(x, norm1) @ qkv) @ merge
        return y + jax.nn.gelu(rms_norm(y, norm2) @ wide, approximate=True) @ narrow, None

    x = parameters["embedding"][text[:, :-1]] + parameters["position"]
    x, _ = jax.lax.scan(layer, x, tuple(parameters[name] for name in LAYERS))
    logits = rms_norm(x, parameters["norm.out"]) @ parameters["out"]
    return -jnp.take_along_axis(jax.nn.log_softmax(logits), text[:, 1:, None], axis=2).mean()


@jax.jit
def train(parameters, mean, square, text, rate, t):
    loss, gradient = jax.value_and_grad(loss_of)(parameters, text)
    length = jnp.sqrt(sum((g * g).sum() for g in jax.tree.leaves(gradient)))
    gradient = jax.tree.map(lambda g: g * (CLIP / jnp.maximum(CLIP, length)), gradient)
    return *adam(parameters, mean, square, gradient, rate, t, beta2=0.99), loss


def main():
    folder = sys.argv[1]
    text = np.load(os.path.join(folder, "data", "train.npy"))
    places = np.load(os.path.join(folder, "places.npy"))
    pieces = [np.stack([text[place : place + LENGTH + 1] for place in places[t]]) for t in range(STEPS)]
    rates = [min((t + 1) / WARM_UP, 1) * cosine_rate(PEAK_RATE, t, ALL_STEPS) for t in range(STEPS)]
    compare(folder, losses_of(folder, PARAMETERS, train, pieces, rates), *sys.argv[2:])


if __name__ == "__main__":
    if not 2 <= len(sys.argv) <= 3:
        sys.exit(__doc__)
    main()
