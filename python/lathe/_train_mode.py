"""Export of torch modules as they are in training: batch norms by the batch's own statistics, dropout with bits from a seed.

A module is traced twice in one graph, in training and in inference, so that both share its parameters. While it is traced, the
functions of torch.nn.functional that behave otherwise in training are replaced: those of batch norms take the running statistics from
inputs and compute the new ones, which become results, and those of dropout take their bits from a seed, an input.
"""
from __future__ import annotations

import contextlib
import dataclasses
import inspect
from typing import Any, Callable, Iterator, Mapping, Sequence

from .errors import LatheError

SEED = "dropout_seed"  # the input of an exported module that has dropout

# Multipliers and the shift of a hash of 32 bits: lowbias32 by Chris Wellons, with the seed added between its rounds.
_FIRST, _SECOND, _GOLDEN, _MASK = 0x7FEB352D, 0x846CA68B, 0x9E3779B9, 0xFFFFFFFF


@dataclasses.dataclass
class TrainMode:
    """What a module does in training that it does not do in inference."""

    buffers: dict[str, Any] = dataclasses.field(default_factory=dict)  # running statistics, which are further inputs and results
    has_dropout: bool = False

    @property
    def differs(self) -> bool:
        """True if the module was exported with its training, so that results are those of training, statistics, those of inference."""
        return bool(self.buffers) or self.has_dropout

    def further_inputs(self) -> tuple[Any, ...]:
        """Returns examples of the inputs behind those of the module."""
        import torch

        return (*((torch.tensor(0),) if self.has_dropout else ()), *self.buffers.values())


class _Trace:
    """Replaces functions of torch during one trace of a module in training."""

    def __init__(self, module: Any, seed: Any, buffers: dict[str, Any], counters: Mapping[str, tuple[str, Any]]) -> None:
        """buffers: values of running statistics in the place of the module's own. counters: those of batches, for the averages of all
        batches, by the names of the running means."""
        self.names = {id(buffer): name for name, buffer in module.named_buffers()}
        self.seed, self.buffers, self.counters = seed, buffers, counters
        self.statistics: dict[str, Any] = {}
        self.dropouts = 0

    def _before(self, buffer: Any) -> Any:
        name = self.names.get(id(buffer), "")
        return self.statistics.get(name, self.buffers.get(name, buffer))

    def batch_norm(self, input: Any, running_mean: Any, running_var: Any, weight: Any = None, bias: Any = None, training: bool = False,
                   momentum: float = 0.1, eps: float = 1e-5) -> Any:
        import torch

        if not training:
            return _ORIGINALS["batch_norm"](input, self._before(running_mean), self._before(running_var), weight, bias, training, momentum, eps)
        dims = [axis for axis in range(input.dim()) if axis != 1]
        shape = [1, -1] + [1] * (input.dim() - 2)
        wide = input.float() if input.dtype in (torch.float16, torch.bfloat16) else input
        mean = wide.mean(dims)
        apart = wide - mean.reshape(shape)
        variance = (apart * apart).mean(dims)
        if running_mean is not None:
            if counter := self.counters.get(self.names.get(id(running_mean), "")):
                momentum = 1 / self._counted(*counter).to(mean.dtype)
            self._keep(running_mean, mean, momentum)
            self._keep(running_var, _unbiased(variance, input, dims), momentum)
        return self._scaled(apart * torch.rsqrt(variance + eps).reshape(shape), weight, bias, input)

    def instance_norm(self, input: Any, running_mean: Any = None, running_var: Any = None, weight: Any = None, bias: Any = None,
                      use_input_stats: bool = True, momentum: float = 0.1, eps: float = 1e-5) -> Any:
        import torch

        if not use_input_stats or running_mean is None:
            return _ORIGINALS["instance_norm"](input, self._before(running_mean), self._before(running_var), weight, bias, use_input_stats,
                                               momentum, eps)
        dims = list(range(2, input.dim()))
        wide = input.float() if input.dtype in (torch.float16, torch.bfloat16) else input
        apart = wide - wide.mean(dims, keepdim=True)
        variance = (apart * apart).mean(dims)
        self._keep(running_mean, wide.mean(dims).mean(0), momentum)
        self._keep(running_var, _unbiased(variance, input, dims).mean(0), momentum)
        return self._scaled(apart * torch.rsqrt(variance + eps).reshape(*variance.shape, *[1] * len(dims)), weight, bias, input)

    def _scaled(self, result: Any, weight: Any, bias: Any, input: Any) -> Any:
        """Returns a norm's result, of the input's type, with the weights of the channels."""
        shape = [1, -1] + [1] * (input.dim() - 2)
        if weight is not None:
            result = result * weight.reshape(shape)
        if bias is not None:
            result = result + bias.reshape(shape)
        return result.to(input.dtype)

    def _counted(self, name: str, counter: Any) -> Any:
        """Counts a batch. Returns how many there have been."""
        self.statistics[name] = self.statistics.get(name, self.buffers.get(name, counter)) + 1
        return self.statistics[name]

    def _keep(self, buffer: Any, now: Any, momentum: Any) -> None:
        name = self.names.get(id(buffer))
        if name is None:
            raise LatheError("a norm has running statistics that are not buffers of the module")
        self.statistics[name] = self._before(buffer) * (1 - momentum) + now.to(buffer.dtype) * momentum

    def kept(self, shape: Any, p: float) -> Any:
        """Returns which elements of a tensor of this shape dropout keeps."""
        return self._bits(shape) >= round(p * 2.0**32)

    def _bits(self, shape: Any) -> Any:
        """Returns new random numbers from 0 to 2^32 - 1."""
        import torch

        self.dropouts += 1
        count = 1
        for size in shape:
            count = count * size

        def mixed(value: Any, between: Any) -> Any:
            value = torch.bitwise_and((value ^ value >> 16) * _FIRST + between, _MASK)
            value = torch.bitwise_and((value ^ value >> 15) * _SECOND, _MASK)
            return value ^ value >> 16

        seed = torch.bitwise_and(self.seed * _GOLDEN + self.dropouts, _MASK)
        first = mixed(seed, 0)
        second = mixed(first, self.dropouts)
        place = torch.bitwise_and(torch.arange(count, dtype=torch.int64) * _GOLDEN + first, _MASK)
        return mixed(place, second).reshape(shape)

    def dropout(self, input: Any, p: float = 0.5, training: bool = True, inplace: bool = False) -> Any:
        return self._dropped(input, input.shape, p, training)

    def feature_dropout(self, input: Any, p: float = 0.5, training: bool = True, inplace: bool = False) -> Any:
        return self._dropped(input, _channels(input), p, training)

    def dropout_of(self, rank: int) -> Callable[..., Any]:
        """Returns dropout of whole channels for inputs of a rank, and for those without a batch."""
        def function(input: Any, p: float = 0.5, training: bool = True, inplace: bool = False) -> Any:
            return self.feature_dropout(input[None], p, training)[0] if input.dim() == rank - 1 else self.feature_dropout(input, p, training)

        return function

    def alpha_dropout(self, input: Any, p: float = 0.5, training: bool = False, inplace: bool = False) -> Any:
        return self._saturated(input, input.shape, p, training)

    def feature_alpha_dropout(self, input: Any, p: float = 0.5, training: bool = False, inplace: bool = False) -> Any:
        return self._saturated(input, _channels(input), p, training)

    def _saturated(self, input: Any, shape: Any, p: float, training: bool) -> Any:
        """Sets elements to the least value of SELU, and keeps mean and variance."""
        import torch

        if not training or p == 0:
            return input
        if p == 1:
            return torch.zeros_like(input)
        least = -1.7580993408473766
        scale = ((1 - p) * (1 + p * least * least)) ** -0.5
        return torch.where(self.kept(shape, p), input * scale, torch.full_like(input, scale * least)) - scale * p * least

    def rrelu(self, input: Any, lower: float = 1 / 8, upper: float = 1 / 3, training: bool = False, inplace: bool = False) -> Any:
        import torch

        slope = self._bits(input.shape).to(input.dtype) * ((upper - lower) / 2.0**32) + lower if training else (lower + upper) / 2
        return torch.where(input >= 0, input, input * slope)

    def recurrent(self, name: str) -> Callable[..., Any]:
        """Returns a function of torch._VF for stacked layers that applies dropout between them."""
        def function(input: Any, state: Any, *rest: Any) -> Any:
            import torch

            original = _ORIGINALS[name]
            if not isinstance(rest[0], (list, tuple)):
                return original(input, state, *rest)  # a packed sequence, which cannot be exported
            weights, bias, layers, p, training, bidirectional, batch_first = rest
            if layers == 1 or p == 0 or not training:
                return original(input, state, *rest)
            own, directions, ends = len(weights) // layers, 2 if bidirectional else 1, []
            for i in range(layers):
                begin = [part[i * directions:(i + 1) * directions] for part in state] if name == "lstm" else state[i * directions:(i + 1) * directions]
                input, *end = original(input, begin, weights[i * own:(i + 1) * own], bias, 1, 0.0, False, bidirectional, batch_first)
                input = self.dropout(input, p) if i + 1 < layers else input
                ends.append(end)
            return (input, *(torch.cat(parts) for parts in zip(*ends)))

        return function

    def _dropped(self, input: Any, shape: Any, p: float, training: bool) -> Any:
        import torch

        if not training or p == 0:
            return input
        zeros = torch.zeros_like(input)
        return zeros if p == 1 else torch.where(self.kept(shape, p), input / (1 - p), zeros)

    def attention(self, query: Any, key: Any, value: Any, attn_mask: Any = None, dropout_p: float = 0.0, is_causal: bool = False,
                  scale: Any = None, enable_gqa: bool = False) -> Any:
        import torch

        if dropout_p == 0:
            return _ORIGINALS["scaled_dot_product_attention"](query, key, value, attn_mask, 0.0, is_causal, scale=scale, enable_gqa=enable_gqa)
        if enable_gqa:
            key, value = (each.repeat_interleave(query.shape[-3] // each.shape[-3], -3) for each in (key, value))
        scores = query @ key.transpose(-2, -1) * (query.shape[-1] ** -0.5 if scale is None else scale)
        if is_causal:
            attn_mask = torch.ones(query.shape[-2], key.shape[-2], dtype=torch.bool).tril()
        if attn_mask is not None:
            scores = scores.masked_fill(~attn_mask, float("-inf")) if attn_mask.dtype == torch.bool else scores + attn_mask
        return self.dropout(torch.softmax(scores, -1), dropout_p) @ value


def _unbiased(variance: Any, input: Any, dims: Sequence[int]) -> Any:
    """Returns the variance along the dimensions of the input, with one degree of freedom less."""
    count = 1
    for axis in dims:
        count = count * input.shape[axis]
    return variance * count / (count - 1)


def _channels(input: Any) -> list[Any]:
    """Returns the shape of what whole channels share."""
    return [*input.shape[:2]] + [1] * (input.dim() - 2)


_ORIGINALS: dict[str, Callable[..., Any]] = {}  # of torch.nn.functional and torch._VF, while they are replaced
_RECURRENT = ("lstm", "gru", "rnn_tanh", "rnn_relu")


@contextlib.contextmanager
def _replaced(trace: _Trace) -> Iterator[None]:
    """Replaces the functions that differ in training."""
    import torch.nn.functional as functions
    from torch.nn.modules import rnn

    news: dict[str, Callable[..., Any]] = {
        "batch_norm": trace.batch_norm, "instance_norm": trace.instance_norm, "dropout": trace.dropout, "dropout1d": trace.dropout_of(3),
        "dropout2d": trace.feature_dropout, "dropout3d": trace.dropout_of(5), "alpha_dropout": trace.alpha_dropout,
        "feature_alpha_dropout": trace.feature_alpha_dropout, "rrelu": trace.rrelu, "scaled_dot_product_attention": trace.attention}
    _ORIGINALS.update({name: getattr(functions, name) for name in news})
    _ORIGINALS.update({name: getattr(rnn._VF, name) for name in _RECURRENT})
    try:
        for name, function in news.items():
            setattr(functions, name, function)
        for name in _RECURRENT:
            setattr(rnn._VF, name, trace.recurrent(name))
        yield
    finally:
        for name in news:
            setattr(functions, name, _ORIGINALS[name])
        for name in _RECURRENT:
            delattr(rnn._VF, name)  # the module looks up its functions when they are called


@contextlib.contextmanager
def _without_counters(module: Any) -> Iterator[dict[str, tuple[str, Any]]]:
    """Removes what counts the batches from layers. Yields the names and the values of those that average over all batches, by the
    names of the running means; only they need it."""
    named = [(name, layer) for name, layer in module.named_modules() if getattr(layer, "num_batches_tracked", None) is not None]
    layers = [layer for _, layer in named]
    counters = [layer.num_batches_tracked for layer in layers]
    try:
        for layer in layers:
            layer.num_batches_tracked = None
        yield {f"{name}.running_mean".lstrip("."): (f"{name}.num_batches_tracked".lstrip("."), counter)
               for (name, layer), counter in zip(named, counters) if layer.momentum is None and isinstance(layer, _batch_norm())}
    finally:
        for layer, counter in zip(layers, counters):
            layer.num_batches_tracked = counter


def _batch_norm() -> type:
    import torch

    return torch.nn.modules.batchnorm._BatchNorm


class _Both:
    """A forward function that runs a module in training, and then in inference."""

    def __init__(self, module: Any, counters: Mapping[str, tuple[str, Any]]) -> None:
        self.module, self.counters = module, counters
        self.forward = module.forward
        self.modes = {name: layer.training for name, layer in module.named_modules()}

    def train(self, inputs: Sequence[Any], seed: Any, buffers: dict[str, Any]) -> tuple[Any, _Trace]:
        trace = _Trace(self.module, seed, buffers, self.counters)
        with _replaced(trace):
            return self.forward(*inputs), trace

    def infer(self, inputs: Sequence[Any], buffers: dict[str, Any]) -> Any:
        for layer in self.module.modules():
            layer.training = False
        try:
            with _replaced(_Trace(self.module, None, buffers, self.counters)):
                return self.forward(*inputs)
        finally:
            for name, layer in self.module.named_modules():
                layer.training = self.modes[name]

    def __call__(self, values: Sequence[Any], mode: TrainMode) -> Any:
        import torch

        count = len(values) - len(mode.buffers)
        buffers = dict(zip(mode.buffers, values[count:]))
        inputs = values[:count - mode.has_dropout]
        result, trace = self.train(inputs, values[count - 1], buffers)
        return (result, *(trace.statistics[name] for name in mode.buffers), self.infer(inputs, buffers))


@contextlib.contextmanager
def _unchanged_buffers(module: Any) -> Iterator[None]:
    """Raises LatheError if the module changes a buffer inside the context, as spectral norms do, after it has its value again."""
    import torch

    before: dict[str, tuple[Any, Any]] = {name: (buffer, buffer.clone()) for name, buffer in module.named_buffers()}
    yield
    now = dict(module.named_buffers())
    changed = [name for name, (buffer, value) in before.items() if id(now.get(name)) != id(buffer) or not bool(((buffer == value) | (value != value)).all())]
    for name, (buffer, value) in before.items():
        buffer.copy_(value)
        owner, _, own = name.rpartition(".")
        module.get_submodule(owner)._buffers[own] = buffer
    if changed:
        raise LatheError(f"the module changes its buffer {changed[0]!r} in training, which is supported for running statistics of norms only; "
                         "call eval() on that layer")


@contextlib.contextmanager
def traced(module: Any, inputs: tuple[Any, ...]) -> Iterator[TrainMode]:
    """Finds out what a module does in training only. If it does, a trace of the module inside the context has further results: those of
    training, new statistics, those of inference; and with dropout a further input, the seed."""
    import torch

    with _without_counters(module) as counters:
        both = _Both(module, counters)
        with torch.no_grad(), _unchanged_buffers(module):
            result, trace = both.train(inputs, torch.tensor(0), {})
        if not isinstance(result, torch.Tensor):
            raise LatheError("the module must return one tensor, of which the loss is computed")
        known = [*module.named_buffers(), *counters.values()]
        buffers = {name: buffer.detach().clone() for name, buffer in known if name in trace.statistics}
        mode = TrainMode(buffers, trace.dropouts > 0)
        if not mode.differs:
            yield mode
            return

        def forward(*values: Any) -> Any:
            return both(values, mode)

        parameters = list(inspect.signature(module.forward).parameters.values())[:len(inputs)]
        more = [*([SEED] if mode.has_dropout else []), *(f"running{i}" for i in range(len(buffers)))]
        parameters += [inspect.Parameter(name, inspect.Parameter.POSITIONAL_OR_KEYWORD) for name in more]
        forward.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
        own = module.__dict__.get("forward")
        module.forward = forward
        try:
            yield mode
        finally:
            if own is None:
                del module.forward
            else:
                module.forward = own
