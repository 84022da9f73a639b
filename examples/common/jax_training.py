# Part of the Lathe project, under the Apache License v2.0 with LLVM Exceptions. See LICENSE for licence information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What comparisons of an example's training with JAX share. Needs JAX."""
import json
import math
import os
import struct
import sys

import jax
import jax.numpy as jnp
import numpy as np


def read_state(path, names):
    """The tensors of these names in a file of safetensors, all f32."""
    with open(path, "rb") as file:
        data = file.read()
    length = struct.unpack_from("<Q", data)[0]
    header = json.loads(data[8 : 8 + length])
    tensors = {}
    for name in names:
        first, last = header[name]["data_offsets"]
        tensors[name] = np.frombuffer(data[8 + length + first : 8 + length + last], np.float32).reshape(header[name]["shape"])
    return {name: jnp.asarray(tensor) for name, tensor in tensors.items()}


def adam(parameters, mean, square, gradient, rate, t, beta1=0.9, beta2=0.999):
    """Parameters and both means anew at step t, 1 first (Kingma and Ba 2015)."""
    mean = jax.tree.map(lambda m, g: beta1 * m + (1 - beta1) * g, mean, gradient)
    square = jax.tree.map(lambda v, g: beta2 * v + (1 - beta2) * g * g, square, gradient)

    def update(p, m, v):
        return p - rate * (m / (1 - beta1**t)) / (jnp.sqrt(v / (1 - beta2**t)) + 1e-8)

    return jax.tree.map(update, parameters, mean, square), mean, square


def losses_of(folder, names, train, pieces, rates, *carried):
    """One loss a step, from the parameters of these names in FOLDER/initial.safetensors. `train` is given them, both of Adam's means,
    what it carries on, the step's piece and rate and its number, 1 first, and gives the first of these anew and the loss."""
    parameters = read_state(os.path.join(folder, "initial.safetensors"), names)
    mean = square = jax.tree.map(jnp.zeros_like, parameters)
    losses = []
    for t, (piece, rate) in enumerate(zip(pieces, rates)):
        *state, loss = train(parameters, mean, square, *carried, piece, np.float32(rate), np.float32(t + 1))
        parameters, mean, square, *carried = state
        losses.append(float(loss))
    return losses


def cosine_rate(peak, t, steps):
    return peak / 2 * (1 + math.cos(math.pi * t / steps))


def compare(folder, losses, record=None):
    """Exits with 1 where one of the first losses in FOLDER/loss.npy is off by more than 1e-3 of itself."""
    ours = np.load(os.path.join(folder, "loss.npy"))
    if len(ours) < len(losses):
        sys.exit("loss.npy has %d steps, %d are compared" % (len(ours), len(losses)))
    errors = np.abs(ours[: len(losses)] - losses) / losses
    print("%d losses agree with JAX's to %.1e" % (len(losses), errors.max()))
    if record:
        with open(record, "w") as file:
            file.writelines("%.9g\n" % loss for loss in losses)
    sys.exit(int(not np.all(errors <= 1e-3)))  # a NaN is not
