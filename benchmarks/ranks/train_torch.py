"""PyTorch with DistributedDataParallel over gloo, eager; one rank is without it. See train_peer.py for the arguments."""
import math
import sys

import train_peer  # first: it completes the path
import network_torch
import torch
import torch.distributed
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel

HEADS, CLIP = 4, 1.0  # of examples/transformer/transformer.mlir
LAYERS = ("norm1", "qkv", "merge", "norm2", "wide", "narrow")
TRANSFORMER = ("embedding", "position", *LAYERS, "norm.out", "out")


def rms_norm(x, scale):
    return F.rms_norm(x, x.shape[-1:], scale, 1e-6)


def attention(x):
    """Attends from each place to those up to itself; x has queries, keys and values side by side."""
    texts, length, _ = x.shape
    q, k, v = (part.view(texts, length, HEADS, -1).transpose(1, 2) for part in x.chunk(3, dim=-1))
    return F.scaled_dot_product_attention(q, k, v, is_causal=True).transpose(1, 2).reshape(texts, length, -1)


def transformer_loss(p, text):
    x = F.embedding(text[:, :-1], p["embedding"]) + p["position"]
    for norm1, qkv, merge, norm2, wide, narrow in zip(*(p[name] for name in LAYERS)):
        x = x + attention(rms_norm(x, norm1) @ qkv) @ merge
        x = x + F.gelu(rms_norm(x, norm2) @ wide, approximate="tanh") @ narrow
    logits = rms_norm(x, p["norm.out"]) @ p["out"]
    return F.cross_entropy(logits.flatten(0, 1), text[:, 1:].flatten())


class Net(torch.nn.Module):
    """A loss with its parameters as a module; the names of modules' parameters have no dots."""

    def __init__(self, parameters, loss):
        super().__init__()
        self.names, self.loss = list(parameters), loss
        for name, value in parameters.items():
            self.register_parameter(name.replace(".", "_"), torch.nn.Parameter(value.detach()))

    def forward(self, *batch):
        return self.loss({name: getattr(self, name.replace(".", "_")) for name in self.names}, *batch)


def net_of(job):
    """Returns the net, the batches of the steps, beta2 of Adam and the length to which gradients are clipped."""
    if job.net == "transformer":
        parameters = {name: torch.from_numpy(value) for name, value in job.parameters(TRANSFORMER).items()}
        batches = [(torch.from_numpy(text).long(),) for text in job.inputs[0]]
        return Net(parameters, transformer_loss), batches, 0.99, CLIP
    batches = [(network_torch.images_of(image), torch.from_numpy(label).long()) for image, label in zip(*job.inputs[:2])]
    return Net(network_torch.parameters_of(job.state), network_torch.loss), batches, 0.999, math.inf


def main():
    job = train_peer.job_of(sys.argv[1:])
    torch.set_num_threads(1)
    net, batches, beta2, clip = net_of(job)
    model = net
    if job.ranks > 1:
        torch.distributed.init_process_group("gloo", init_method="tcp://" + job.address, rank=job.rank, world_size=job.ranks)
        model = DistributedDataParallel(net, gradient_as_bucket_view=True)
    optimizer = torch.optim.Adam(net.parameters(), lr=1.0, betas=(0.9, beta2), eps=1e-8, fused=True)
    rates, last = job.inputs[-1].tolist(), [None]

    def step(i):
        optimizer.param_groups[0]["lr"] = rates[i]
        optimizer.zero_grad(set_to_none=True)
        loss = model(*batches[i])
        loss.backward()
        if clip < math.inf:
            torch.nn.utils.clip_grad_norm_(net.parameters(), clip)
        optimizer.step()
        last[0] = loss.detach()

    def mean_loss():
        if job.ranks > 1:
            torch.distributed.all_reduce(last[0])
        return float(last[0]) / job.ranks
    train_peer.serve(job, step, mean_loss)


main()
