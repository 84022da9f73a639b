"""compare.py LATHEC OUT ROUNDS: the tables of benchmarks/loops/run."""
import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parent.parent))
import peers  # noqa: E402, F401: it sets the number of threads before JAX is loaded
from compiled import Compiled, least_times  # noqa: E402

import jax  # noqa: E402
import jax.numpy as jnp  # noqa: E402
import numpy as np  # noqa: E402

jax.config.update("jax_enable_x64", True)
LATHEC, OUT, ROUNDS = sys.argv[1], sys.argv[2], int(sys.argv[3])

SERIES = """
func.func private @of(%x: tensor<8xf64>, %w: tensor<8xf64>) -> tensor<f64> {{
  %h = lathe.scan carry(%h = %x : tensor<8xf64>) trip {steps} {policy} -> tensor<8xf64> {{
    %a = lathe.mul %h, %w : tensor<8xf64>
    %s = lathe.sin %a : tensor<8xf64>
    %t = lathe.tanh %h : tensor<8xf64>
    %p = lathe.mul %s, %t : tensor<8xf64>
    %n = lathe.add %h, %p : tensor<8xf64>
    lathe.yield carry(%n : tensor<8xf64>)
  }}
  %r = lathe.reduce sum %h dims [0] : tensor<8xf64>
  return %r : tensor<f64>
}}
"""
GRADIENT = """
func.func @f(%x: tensor<8xf64>, %w: tensor<8xf64>) -> (tensor<f64>, tensor<8xf64>, tensor<8xf64>) {
  %v, %dx, %dw = lathe.value_and_grad @of(%x, %w) wrt [0, 1] : (tensor<8xf64>, tensor<8xf64>) -> (tensor<f64>, tensor<8xf64>, tensor<8xf64>)
  return %v, %dx, %dw : tensor<f64>, tensor<8xf64>, tensor<8xf64>
}
"""
FUNCTION = """
func.func @f(%x: tensor<8xf64>, %w: tensor<8xf64>) -> tensor<f64> {
  %v = func.call @of(%x, %w) : (tensor<8xf64>, tensor<8xf64>) -> tensor<f64>
  return %v : tensor<f64>
}
"""

# An LSTM over time, the loss the sum of squares of all outputs.
LSTM = """
func.func private @of(%xs: tensor<{t}x{n}x{x}xf32>, %w: tensor<{x}x{g}xf32>, %u: tensor<{h}x{g}xf32>, %b: tensor<{g}xf32>) -> tensor<f32> {{
  %zero = lathe.constant dense<0.0> : tensor<{n}x{h}xf32>
  %h, %c, %ys = lathe.scan carry(%h = %zero : tensor<{n}x{h}xf32>, %c = %zero : tensor<{n}x{h}xf32>) over(%x = %xs : tensor<{t}x{n}x{x}xf32>)
      -> (tensor<{n}x{h}xf32>, tensor<{n}x{h}xf32>, tensor<{t}x{n}x{h}xf32>) {{
    %xw = lathe.dot_general %x, %w contract [1] x [0] : tensor<{n}x{x}xf32>, tensor<{x}x{g}xf32>
    %hu = lathe.dot_general %h, %u contract [1] x [0] : tensor<{n}x{h}xf32>, tensor<{h}x{g}xf32>
    %sum = lathe.add %xw, %hu : tensor<{n}x{g}xf32>
    %z = lathe.add %sum, %b : tensor<{n}x{g}xf32>, tensor<{g}xf32>
    %zi = lathe.slice %z from [0, 0] to [{n}, {h}] : tensor<{n}x{g}xf32>
    %zf = lathe.slice %z from [0, {h}] to [{n}, {h2}] : tensor<{n}x{g}xf32>
    %zo = lathe.slice %z from [0, {h2}] to [{n}, {h3}] : tensor<{n}x{g}xf32>
    %zg = lathe.slice %z from [0, {h3}] to [{n}, {g}] : tensor<{n}x{g}xf32>
    %i = lathe.logistic %zi : tensor<{n}x{h}xf32>
    %f = lathe.logistic %zf : tensor<{n}x{h}xf32>
    %o = lathe.logistic %zo : tensor<{n}x{h}xf32>
    %cell = lathe.tanh %zg : tensor<{n}x{h}xf32>
    %kept = lathe.mul %f, %c : tensor<{n}x{h}xf32>
    %new = lathe.mul %i, %cell : tensor<{n}x{h}xf32>
    %c1 = lathe.add %kept, %new : tensor<{n}x{h}xf32>
    %tc = lathe.tanh %c1 : tensor<{n}x{h}xf32>
    %h1 = lathe.mul %o, %tc : tensor<{n}x{h}xf32>
    lathe.yield carry(%h1 : tensor<{n}x{h}xf32>, %c1 : tensor<{n}x{h}xf32>) collect(%h1 : tensor<{n}x{h}xf32>)
  }}
  %sq = lathe.mul %ys, %ys : tensor<{t}x{n}x{h}xf32>
  %r = lathe.reduce sum %sq dims [0, 1, 2] : tensor<{t}x{n}x{h}xf32>
  return %r : tensor<f32>
}}
"""
LSTM_FUNCTION = """
func.func @f(%xs: tensor<{t}x{n}x{x}xf32>, %w: tensor<{x}x{g}xf32>, %u: tensor<{h}x{g}xf32>, %b: tensor<{g}xf32>) -> tensor<f32> {{
  %v = func.call @of(%xs, %w, %u, %b) : (tensor<{t}x{n}x{x}xf32>, tensor<{x}x{g}xf32>, tensor<{h}x{g}xf32>, tensor<{g}xf32>) -> tensor<f32>
  return %v : tensor<f32>
}}
"""
LSTM_GRADIENT = """
func.func @f(%xs: tensor<{t}x{n}x{x}xf32>, %w: tensor<{x}x{g}xf32>, %u: tensor<{h}x{g}xf32>, %b: tensor<{g}xf32>)
    -> (tensor<f32>, tensor<{x}x{g}xf32>, tensor<{h}x{g}xf32>, tensor<{g}xf32>) {{
  %v, %dw, %du, %db = lathe.value_and_grad @of(%xs, %w, %u, %b) wrt [1, 2, 3]
      : (tensor<{t}x{n}x{x}xf32>, tensor<{x}x{g}xf32>, tensor<{h}x{g}xf32>, tensor<{g}xf32>) -> (tensor<f32>, tensor<{x}x{g}xf32>, tensor<{h}x{g}xf32>, tensor<{g}xf32>)
  return %v, %dw, %du, %db : tensor<f32>, tensor<{x}x{g}xf32>, tensor<{h}x{g}xf32>, tensor<{g}xf32>
}}
"""


def series(x, w, steps, segment=None):
    def step(h, _):
        return h + jnp.sin(h * w) * jnp.tanh(h), None

    if segment is None:
        return jax.lax.scan(step, x, None, length=steps)[0].sum()
    inner = jax.checkpoint(lambda h, _: (jax.lax.scan(step, h, None, length=segment)[0], None))
    return jax.lax.scan(inner, x, None, length=steps // segment)[0].sum()


def lstm(xs, w, u, b, hidden):
    def step(carry, x):
        h, c = carry
        z = x @ w + h @ u + b
        i, f, o = (jax.nn.sigmoid(z[:, k * hidden:(k + 1) * hidden]) for k in range(3))
        c = f * c + i * jnp.tanh(z[:, 3 * hidden:])
        h = o * jnp.tanh(c)
        return (h, c), h

    zero = jnp.zeros((xs.shape[1], hidden), xs.dtype)
    _, ys = jax.lax.scan(step, (zero, zero), xs)
    return (ys * ys).sum()


def checked(calls):
    """The calls, after the first one's results were found in the second one's."""
    ours, theirs = (np.concatenate([np.ravel(np.asarray(array)) for array in jax.tree_util.tree_leaves(call())]) for call in calls)
    error = np.abs(ours - theirs).max() / max(1, np.abs(theirs).max())
    if not error <= 1e-4:  # nor is a NaN
        raise SystemExit(f"results differ by {error}")


def compare(name, function, gradient, inputs, outputs, jax_function, jax_gradient):
    ours = {"function": Compiled(name + "_function", function, LATHEC, OUT, inputs, outputs[:1]),
            "gradient": Compiled(name + "_gradient", gradient, LATHEC, OUT, inputs, outputs)}
    arrays = [jnp.asarray(array) for array in inputs]
    compiled = {"function": jax.jit(jax_function), "gradient": jax.jit(jax_gradient)}
    theirs = {kind: lambda call=call: jax.block_until_ready(call(*arrays)) for kind, call in compiled.items()}
    for kind in ours:
        checked([ours[kind], theirs[kind]])
    calls = {("Lathe", kind): call for kind, call in ours.items()} | {("JAX", kind): call for kind, call in theirs.items()}
    best = least_times(calls, ROUNDS, 0.3)
    return ours["gradient"].memory.size, best


def policies():
    print("| steps | checkpoint | workspace, bytes | gradient, ms | of the function | of `none` | JAX / Lathe |\n|---|---|---|---|---|---|---|")
    x, w = (np.random.default_rng(seed).uniform(0, 1, 8) for seed in (1, 2))
    outputs = [np.zeros(()), np.zeros(8), np.zeros(8)]
    for steps in (100, 2500, 10000):
        none = None
        for policy, segment in (("none", None), ("sqrt", int(steps**0.5)), ("every 10", 10)):
            text = SERIES.format(steps=steps, policy="" if policy == "none" else "checkpoint " + policy)
            size, best = compare(f"series{steps}_{policy.replace(' ', '')}", text + FUNCTION, text + GRADIENT, [x, w], outputs,
                                 lambda x, w: series(x, w, steps), jax.value_and_grad(lambda x, w: series(x, w, steps, segment), (0, 1)))
            mine = best["Lathe", "gradient"]
            none = none or mine
            print(f"| {steps} | {policy} | {size:,} | {mine:.3f} | {mine / best['Lathe', 'function']:.2f} | {mine / none:.2f} "
                  f"| {best['JAX', 'gradient'] / mine:.2f} |", flush=True)


def networks():
    print("\n| LSTM: steps x batch, inputs, hidden | function, ms | gradient, ms | of the function | JAX / Lathe: function | gradient |\n"
          "|---|---|---|---|---|---|")
    for t, n, x, h in ((100, 1, 64, 128), (10000, 1, 64, 128), (100, 32, 64, 128), (50, 64, 128, 256)):
        sizes = dict(t=t, n=n, x=x, h=h, h2=2 * h, h3=3 * h, g=4 * h)
        rng = np.random.default_rng(3)
        inputs = [rng.normal(0, s, shape).astype(np.float32) for s, shape in
                  ((1, (t, n, x)), (x**-0.5, (x, 4 * h)), (h**-0.5, (h, 4 * h)), (0.1, (4 * h,)))]
        outputs = [np.zeros((), np.float32)] + [np.zeros_like(array) for array in inputs[1:]]
        text = LSTM.format(**sizes)
        _, best = compare(f"lstm{t}_{n}_{h}", text + LSTM_FUNCTION.format(**sizes), text + LSTM_GRADIENT.format(**sizes), inputs, outputs,
                          lambda xs, w, u, b: lstm(xs, w, u, b, h),
                          jax.value_and_grad(lambda xs, w, u, b: lstm(xs, w, u, b, h), (1, 2, 3)))
        mine, own = best["Lathe", "gradient"], best["Lathe", "function"]
        print(f"| {t} x {n}, {x}, {h} | {own:.3f} | {mine:.3f} | {mine / own:.2f} | {best['JAX', 'function'] / own:.2f} "
              f"| {best['JAX', 'gradient'] / mine:.2f} |", flush=True)


policies()
networks()
