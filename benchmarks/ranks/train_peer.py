"""What the peers of benchmarks/ranks/train have in common: their arguments, and how they answer the driver.

usage of a peer: PEER.py NET INPUTS STATE COMMANDS RANK RANKS ADDRESS
NET is transformer or digits. INPUTS has the batches of some steps, STATE the initial parameters in safetensors. Each rank reads
commands from COMMANDS.RANK, and rank 0 answers. The ranks meet at ADDRESS, a host and a port."""
import dataclasses
import json
import os
import sys
import time

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
EXAMPLES = os.path.join(HERE, "..", "..", "examples")
sys.path += [os.path.join(HERE, "..", "digits"), os.path.join(EXAMPLES, "common"), os.path.join(EXAMPLES, "transformer")]
import network  # noqa: E402: after the path

INPUTS = {"transformer": ("text", "rate"), "digits": ("image", "label", "learning_rate")}


@dataclasses.dataclass
class Job:
    """This rank's place in the job, with the inputs of all steps: the rank's share of the batches, and the rates."""
    net: str
    inputs: list
    state: str
    commands: str
    rank: int
    ranks: int
    address: str

    def parameters(self, names=None):
        """Returns the initial parameters by name: those of `names`, or all weights and biases of digits."""
        if names is None:
            return network.initial_parameters(self.state)
        every = network.read_safetensors(self.state)
        return {name: every[name] for name in names}


def share_of(array, rank, ranks):
    """Returns a rank's part of the batches [steps, batch, ...]; rates [steps] are not divided."""
    if array.ndim == 1:
        return array
    part = array.shape[1] // ranks
    return np.ascontiguousarray(array[:, rank * part:(rank + 1) * part])


def job_of(words):
    net, folder, state, commands, rank, ranks, address = words
    rank, ranks = int(rank), int(ranks)
    inputs = [share_of(np.load(os.path.join(folder, name + ".npy")), rank, ranks) for name in INPUTS[net]]
    return Job(net, inputs, state, commands, rank, ranks, address)


def serve(job, step, loss_of):
    """Runs each step of the inputs once, and answers with their losses and then with the times of the steps that are asked for.
    `step(i)` runs one with inputs number i and returns after it is complete; `loss_of()` is its loss, the mean over the ranks."""
    output = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)

    def answer(value):
        if job.rank == 0:
            print(json.dumps(value), file=output, flush=True)
    steps, losses = len(job.inputs[0]), []
    for i in range(steps):
        step(i)
        losses.append(loss_of())
    answer({"losses": losses})
    with open(f"{job.commands}.{job.rank}") as commands:
        for line in commands:
            what, count = line.split()
            if what == "end":
                return
            times = []
            for i in range(int(count)):
                begin = time.perf_counter_ns()
                step(i % steps)
                times.append(time.perf_counter_ns() - begin)
            answer({"runs": len(times), "minimum": min(times), "times": times})
