# %% [markdown]
# # From scikit-learn
# A forest that predicts the area of an ellipse from noisy measurements of its axes.

# %%
import time

import numpy as np
from skl2onnx import to_onnx
from sklearn.ensemble import RandomForestRegressor

import lathe

random = np.random.default_rng(0)
axes = random.uniform(0.5, 2, size=(2000, 2)).astype(np.float32)
area = np.pi * axes.prod(1) + random.normal(scale=0.05, size=2000)

# %% Fit and compile
forest = RandomForestRegressor(100, max_depth=8, random_state=0, n_jobs=1).fit(axes, area)
compiled = lathe.compile(to_onnx(forest, axes[:1]), threads=1)

# %% The same predictions
difference = np.abs(compiled(axes)[:, 0] - forest.predict(axes)).max()
print(f"largest difference {difference:.1e}")
assert difference < 1e-4


# %% Times of 1000 rows
def seconds(function):
    function()
    start = time.perf_counter()
    for _ in range(5):
        function()
    return (time.perf_counter() - start) / 5


rows = axes[:1000]
print(f"scikit-learn {1e3 * seconds(lambda: forest.predict(rows)):.2f} ms, Lathe {1e3 * seconds(lambda: compiled(rows)):.2f} ms")
