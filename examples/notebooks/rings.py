# %% [markdown]
# # From PyTorch
# A classifier of points in two rings.

# %%
import tempfile
import warnings

import numpy as np
import torch

import lathe

warnings.simplefilter("ignore")
torch.manual_seed(0)
angle, ring = torch.rand(512) * 2 * torch.pi, torch.randint(0, 2, (512,))
points = torch.stack([angle.cos(), angle.sin()], 1) * (1 + ring[:, None]) + 0.1 * torch.randn(512, 2)

# %% A network with a batch norm and dropout
net = torch.nn.Sequential(torch.nn.Linear(2, 32), torch.nn.BatchNorm1d(32), torch.nn.ReLU(), torch.nn.Dropout(0.1), torch.nn.Linear(32, 2))

# %% Training: forward, backward and optimiser are one entry, all compiled by Lathe
trainer = lathe.train_step(net, "cross_entropy", points, ring, optimizer=lathe.optim.adamw(), open_dims=[{0: "batch"}],
                           target_dims={0: "batch"})
losses = [float(trainer.step(points, ring, 1e-2)) for _ in range(200)]
print(f"loss {losses[0]:.3f} to {losses[-1]:.3f}")

# %% Prediction is in inference: running statistics, no dropout
accuracy = (trainer.predict(points).argmax(1) == ring.numpy()).mean()
print(f"accuracy {accuracy:.3f}")
assert accuracy > 0.95

# %% Where the time of a step goes
print(trainer.profile(points, ring, 1e-2, seconds=0.2))

# %% Back to PyTorch: the variables have its names
with torch.no_grad():
    for name, value in [*net.named_parameters(), *net.named_buffers()]:
        if "net." + name in trainer.state:
            value.copy_(torch.from_numpy(trainer.state["net." + name].copy()))
difference = np.abs(net.eval()(points).detach().numpy() - trainer.predict(points)).max()
print(f"difference from PyTorch {difference:.1e}")
assert difference < 1e-4

# %% The trainer for a C or C++ program
print([path.name for path in trainer.write(tempfile.mkdtemp() + "/rings")])
