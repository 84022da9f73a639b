# Part of the Lathe project, under the Apache License v2.0 with LLVM Exceptions. See LICENSE for licence information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What comparisons of an example's training with JAX share. Needs JAX."""
import json
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


def compare(folder, losses, record=None):
    """Exits with 1 where one of the first losses in FOLDER/loss.npy is off by more than 1e-3 of itself."""
    ours = np.load(os.path.join(folder, "loss.npy"))
    if len(ours) < len(losses):
        sys.exit("loss.npy has %d steps, %d are compared" % (len(ours), len(losses)))
    worst = max(abs(a - b) / b for a, b in zip(ours, losses))
    print("%d losses agree with JAX's to %.1e" % (len(losses), worst))
    if record:
        with open(record, "w") as file:
            file.writelines("%.9g\n" % loss for loss in losses)
    sys.exit(int(worst > 1e-3))
