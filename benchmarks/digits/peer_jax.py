"""JAX: losses of the first steps, and slices of timed runs on request. Leaves OUT_DIR/jax-losses.txt.
usage: peer_jax.py OUT_DIR IMAGES LABELS THREADS"""
import os
import sys
import time

out, images_path, labels_path, threads = sys.argv[1:5]
if threads == "1":
    os.environ["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"
import jax
import jax.numpy as jnp
import numpy as np
from network import BATCH, initial_parameters
from network_jax import logits, step


def main():
    p = {k: jnp.asarray(v) for k, v in initial_parameters(out + "/initial.safetensors").items()}
    images, labels = np.load(images_path), np.load(labels_path)
    m, v, t = jax.tree.map(jnp.zeros_like, p), jax.tree.map(jnp.zeros_like, p), jnp.float32(0)
    train = jax.jit(step, donate_argnums=(0, 1, 2))
    predict = jax.jit(lambda p, x: jax.nn.softmax(logits(p, x)))
    ours, worst, losses = np.load(out + "/losses.npy"), 0.0, []
    for i, expected in enumerate(ours):
        rows = slice(i * BATCH, (i + 1) * BATCH)
        p, m, v, t, value = train(p, m, v, t, images[rows], labels[rows])
        losses.append(float(value))
        worst = max(worst, abs(losses[-1] - expected) / abs(losses[-1]))
    with open(out + "/jax-losses.txt", "w") as file:
        file.writelines(f"{loss:.7g}\n" for loss in losses)
    print("ready", worst, flush=True)
    for line in sys.stdin:
        what, n = line.split()
        x, y, times = jnp.asarray(images[:int(n)]), jnp.asarray(labels[:int(n)]), []
        begin = time.perf_counter()
        while len(times) < 5 or time.perf_counter() - begin < 0.3:
            start = time.perf_counter()
            if what == "step":
                p, m, v, t, value = train(p, m, v, t, x, y)
                value.block_until_ready()
            else:
                predict(p, x).block_until_ready()
            times.append(time.perf_counter() - start)
        times.sort()
        print(times[0] * 1e3, times[len(times) // 2] * 1e3, flush=True)


main()
