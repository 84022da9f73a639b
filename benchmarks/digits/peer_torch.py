"""PyTorch, channels_last: slices of timed runs on request.
usage: peer_torch.py OUT_DIR IMAGES LABELS THREADS eager|compiled"""
import sys
import time

import network_torch
import numpy as np
import torch

out, images_path, labels_path, threads, mode = sys.argv[1:6]
torch.set_num_threads(int(threads))


def main():
    p = network_torch.parameters_of(out + "/initial.safetensors")
    optimizer = torch.optim.Adam(p.values(), lr=1e-4, eps=1e-8, fused=True)
    images = network_torch.images_of(np.load(images_path))
    labels = torch.from_numpy(np.load(labels_path)).long()

    def loss(x, y):
        return network_torch.loss(p, x, y)

    def probabilities(x):
        return torch.softmax(network_torch.logits(p, x), 1)

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
