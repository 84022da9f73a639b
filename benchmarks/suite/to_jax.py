"""A graph as a function of parameters and inputs that JAX traces."""
import jax
import jax.numpy as jnp
from jax import lax


def conv(x, weights, bias=None, *, size, stride, pad, groups):
    result = lax.conv_general_dilated(x, weights, (stride, stride), [(pad, pad)] * 2, feature_group_count=groups,
                                      dimension_numbers=("NCHW", "OIHW", "NCHW"))
    return result if bias is None else result + bias[:, None, None]


def normal(x, axes, epsilon):
    mean = x.mean(axes, keepdims=True)
    centred = x - mean
    return centred * lax.rsqrt((centred * centred).mean(axes, keepdims=True) + epsilon)


def batch_norm(x, scale, offset, *, epsilon):
    return normal(x, (0, 2, 3), epsilon) * scale[:, None, None] + offset[:, None, None]


def layer_norm(x, scale, offset, *, epsilon, width):
    return normal(x, -1, epsilon) * scale + offset


def max_pool(x, *, size, stride, pad):
    padding = [(0, 0), (0, 0), (pad, pad), (pad, pad)]
    return lax.reduce_window(x, -jnp.inf, lax.max, (1, 1, size, size), (1, 1, stride, stride), padding)


def cross_entropy(x, labels):
    return -jnp.take_along_axis(jax.nn.log_softmax(x), labels[:, None], 1).mean()


def attention(query, key, value, *, heads, causal, split):
    query, key, value = (part.reshape(split).swapaxes(1, 2) for part in (query, key, value))
    scores = query @ key.swapaxes(2, 3) * split[-1] ** -0.5
    if causal:
        scores = jnp.where(jnp.tril(jnp.ones(scores.shape[2:], bool)), scores, -1e9)
    mixed = jax.nn.softmax(scores) @ value
    return mixed.swapaxes(1, 2).reshape(split[0], split[1], -1)


def lstm(x, weights, recurrent, bias, *, width, batch):
    by_step = x @ weights[0].T + bias[0, :4 * width] + bias[0, 4 * width:]
    turned = recurrent[0].T

    def step(carry, given):
        hidden, cell = carry
        i, o, f, g = jnp.split(given + hidden @ turned, 4, -1)
        cell = jax.nn.sigmoid(f) * cell + jax.nn.sigmoid(i) * jnp.tanh(g)
        hidden = jax.nn.sigmoid(o) * jnp.tanh(cell)
        return (hidden, cell), hidden

    start = jnp.zeros((batch, width), x.dtype)
    return lax.scan(step, (start, start), by_step)[1]


def dense(x, weights, bias=None):
    return x @ weights.T if bias is None else x @ weights.T + bias


OPS = {"relu": jax.nn.relu, "relu6": lambda x: jnp.clip(x, 0, 6), "sigmoid": jax.nn.sigmoid, "tanh": jnp.tanh, "exp": jnp.exp,
       "abs": jnp.abs, "sqrt": jnp.sqrt, "neg": jnp.negative, "gelu": lambda x: jax.nn.gelu(x, approximate=False),
       "gelu_tanh": lambda x: jax.nn.gelu(x, approximate=True), "add": jnp.add, "mul": jnp.multiply,
       "add_number": lambda x, *, number: x + number, "mul_number": lambda x, *, number: x * number, "dense": dense, "logits": dense,
       "linear": lambda x, weights, bias: x @ weights + bias, "conv": conv, "batch_norm": batch_norm, "layer_norm": layer_norm,
       "max_pool": max_pool, "mean_pool": lambda x: x.mean((2, 3)), "softmax": jax.nn.softmax,
       "sum": lambda x, *, axis: x.sum(axis), "cross_entropy": cross_entropy, "reshape": lambda x, *, extents: x.reshape(extents),
       "transpose": lambda x, *, order: x.transpose(order), "concat": lambda *values, axis: jnp.concatenate(values, axis),
       "slice": lambda x, *, axis, begin, end: lax.slice_in_dim(x, begin, end, axis=axis),
       "take": lambda x, *, axis, index: lax.index_in_dim(x, index, axis, keepdims=False),
       "embed": lambda table, indices: table[indices], "attention": attention, "lstm": lstm}


def function(graph):
    """Returns a function of two dictionaries, parameters and inputs by name, to the list of outputs."""
    def run(parameters, inputs):
        values = {**parameters, **inputs}
        for node in graph.nodes:
            values[node.output] = OPS[node.op](*(values[name] for name in node.inputs), **node.attributes)
        return [values[name] for name in graph.outputs]
    return run
