"""JAX: one step in a shard_map over the processes, each with its part of the batch; collectives are gloo's. The gradients of the
mean loss become sums over the ranks by JAX's own derivative. See train_peer.py for the arguments."""
import os
import sys

os.environ["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"
import train_peer  # first: it completes the path
import jax
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec


def step_of(net):
    """Returns train(parameters, mean, square, t, batch, rate) -> (parameters, mean, square, t, loss), with t steps done."""
    if net == "digits":
        import network_jax  # noqa: PLC0415: it starts JAX, after the job is known
        network_jax.loss = mean_over_ranks(network_jax.loss)
        return lambda p, m, v, t, batch, rate: network_jax.step(p, m, v, t, *batch, rate=rate)
    import compare_jax  # noqa: PLC0415: the same
    compare_jax.loss_of = mean_over_ranks(compare_jax.loss_of)

    def train(p, m, v, t, batch, rate):
        p, m, v, loss = compare_jax.train(p, m, v, *batch, rate, t + 1)
        return p, m, v, t + 1, loss
    return train


def mean_over_ranks(loss):
    return lambda *arguments: jax.lax.pmean(loss(*arguments), "data")


def names_of(net):
    if net == "digits":
        return None
    import compare_jax  # noqa: PLC0415: it starts JAX, after the job is known
    return compare_jax.PARAMETERS


def main():
    job = train_peer.job_of(sys.argv[1:])
    if job.ranks > 1:
        jax.config.update("jax_cpu_collectives_implementation", "gloo")
        jax.distributed.initialize(job.address, job.ranks, job.rank)
    mesh = Mesh(np.array(jax.devices()), ("data",))
    whole, divided = NamedSharding(mesh, PartitionSpec()), NamedSharding(mesh, PartitionSpec("data"))

    def place(array, sharding):
        return jax.make_array_from_process_local_data(sharding, np.asarray(array))

    state = [{name: place(value, whole) for name, value in job.parameters(names_of(job.net)).items()}]
    for _ in range(2):
        state.append({name: place(np.zeros(value.shape, np.float32), whole) for name, value in state[0].items()})
    state.append(place(np.float32(0), whole))
    batches = [tuple(place(part, divided) for part in batch) for batch in zip(*job.inputs[:-1])]
    rates = [place(rate, whole) for rate in job.inputs[-1]]
    parts = (*4 * [PartitionSpec()], PartitionSpec("data"), PartitionSpec())
    divided_step = jax.shard_map(step_of(job.net), mesh=mesh, in_specs=parts, out_specs=PartitionSpec())
    train = jax.jit(divided_step, donate_argnums=(0, 1, 2, 3))
    last = [None]

    def step(i):
        *state[:], last[0] = train(*state, batches[i], rates[i])
        jax.block_until_ready((state, last[0]))
    train_peer.serve(job, step, lambda: float(last[0]))


main()
