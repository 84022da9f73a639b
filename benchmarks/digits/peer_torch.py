"""PyTorch, channels_last: slices of timed runs on request.
usage: peer_torch.py OUT_DIR IMAGES LABELS THREADS eager|compiled"""
import sys
import time

import numpy as np
import torch
import torch.nn.functional as F
from network import STRIDES, initial_parameters

out, images_path, labels_path, threads, mode = sys.argv[1:6]
torch.set_num_threads(int(threads))


def main():
    raw = initial_parameters(out + "/initial.safetensors")
    p = {}
    for name, value in raw.items():
        t = torch.from_numpy(value)
        if value.ndim == 4:  # HWIO to OIHW
            t = t.permute(3, 2, 0, 1).contiguous(memory_format=torch.channels_last)
        p[name] = t.clone(memory_format=torch.preserve_format).requires_grad_()
    optimizer = torch.optim.Adam(p.values(), lr=1e-4, eps=1e-8, fused=True)
    images = torch.from_numpy(np.load(images_path)).permute(0, 3, 1, 2).contiguous(memory_format=torch.channels_last)
    labels = torch.from_numpy(np.load(labels_path)).long()

    def logits(x):
        for i, stride in enumerate(STRIDES, 1):
            if stride == 2:  # as "same": the odd element of padding behind
                x = F.conv2d(F.pad(x, (0, 1, 0, 1)), p[f"conv{i}.w"], p[f"conv{i}.b"], stride=2)
            else:
                x = F.conv2d(x, p[f"conv{i}.w"], p[f"conv{i}.b"], padding=1)
            x = F.relu(x)
        return x.mean((2, 3)) @ p["dense.w"] + p["dense.b"]

    def loss(x, y):
        return F.cross_entropy(logits(x), y)

    def probabilities(x):
        return torch.softmax(logits(x), 1)

    if mode == "compiled":
        loss, probabilities = torch.compile(loss, dynamic=False), torch.compile(probabilities, dynamic=False)
    print("ready", flush=True)
    for line in sys.stdin:
        what, n = line.split()
        x, y, times = images[:int(n)], labels[:int(n)], []
        begin = time.perf_counter()
        while len(times) < 5 or time.perf_counter() - begin < 0.3:
            start = time.perf_counter()
            if what == "step":
                optimizer.zero_grad(set_to_none=True)
                loss(x, y).backward()
                optimizer.step()
            else:
                with torch.no_grad():
                    probabilities(x)
            times.append(time.perf_counter() - start)
        times.sort()
        print(times[0] * 1e3, times[len(times) // 2] * 1e3, flush=True)


main()
