# %% [markdown]
# # From JAX
# A classifier of points on two spirals.

# %%
import tempfile

import jax
import jax.numpy as jnp
import numpy as np

import lathe

random = np.random.default_rng(0)
turn, arm = random.uniform(0.5, 2, 400).astype(np.float32), random.integers(0, 2, 400).astype(np.int32)
angle = 2 * np.pi * turn + np.pi * arm
points = (np.stack([np.cos(angle), np.sin(angle)], 1) * turn[:, None] + 0.05 * random.normal(size=(400, 2))).astype(np.float32)


# %% A network and its loss
def logits(params, points):
    for w, b in params[:-1]:
        points = jax.nn.relu(points @ w + b)
    w, b = params[-1]
    return points @ w + b


def loss(params, points, arm):
    return -jnp.take_along_axis(jax.nn.log_softmax(logits(params, points)), arm[:, None], axis=1).mean()


keys, sizes = jax.random.split(jax.random.PRNGKey(0), 3), [2, 48, 48, 2]
params = [(jax.random.normal(key, (a, b)) * np.sqrt(2 / a), jnp.zeros(b)) for key, a, b in zip(keys, sizes, sizes[1:])]

# %% Training: Lathe derives the loss and updates the parameters, for batches of any size
trainer = lathe.train_step(loss, inputs=(params, points, arm), predict=logits, optimizer=lathe.optim.adam(),
                           open_dims=[None, {0: "batch"}, {0: "batch"}])
first = float(loss(params, points, arm))
for step in range(2000):
    batch = random.choice(400, 100, replace=False)
    trainer.step(points[batch], arm[batch], 1e-2)

# %% Back to JAX: the variables have the names of the parameters
trained = [tuple(jnp.array(trainer.state[f"params.{i}.{k}"]) for k in range(2)) for i in range(3)]
last = float(loss(trained, points, arm))
difference = np.abs(trainer.predict(points) - logits(trained, points)).max()
print(f"loss {first:.3f} to {last:.3f}, difference from JAX {difference:.1e}")
assert last < 0.1 and difference < 1e-3

# %% Prediction
accuracy = (trainer.predict(points).argmax(1) == arm).mean()
print(f"accuracy {accuracy:.3f}")
assert accuracy > 0.97

# %% Where the time of a step goes
print(trainer.profile(points, arm, 1e-2, seconds=0.2))

# %% The trainer for a C or C++ program
print([path.name for path in trainer.write(tempfile.mkdtemp() + "/spirals")])
