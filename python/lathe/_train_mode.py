"""Export of torch modules as they are in training: batch norms by the batch's own statistics, dropout with bits from a seed.

A module is traced twice in one graph, in training and in inference, so that both share its parameters. While it is traced, the
functions of torch.nn.functional that behave otherwise in training are replaced: those of batch norms take the running statistics from
inputs and compute the new ones, which become results, and those of dropout take their bits from a seed, an input.
"""
from __future__ import annotations

import contextlib
import dataclasses
import inspect
from typing import Any, Callable, Iterator, Sequence

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

    def __init__(self, module: Any, seed: Any, buffers: dict[str, Any]) -> None:
        """buffers: values of running statistics in the place of the module's own."""
        self.names = {id(buffer): name for name, buffer in module.named_buffers()}
        self.seed, self.buffers = seed, buffers
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
            self._keep(running_mean, mean, momentum)
            count = 1
            for axis in dims:
                count = count * input.shape[axis]
            self._keep(running_var, variance * count / (count - 1), momentum)
        result = apart * torch.rsqrt(variance + eps).reshape(shape)
        if weight is not None:
            result = result * weight.reshape(shape)
        if bias is not None:
            result = result + bias.reshape(shape)
        return result.to(input.dtype)

    def _keep(self, buffer: Any, now: Any, momentum: float) -> None:
        name = self.names.get(id(buffer))
        if name is None:
            raise LatheError("a batch norm has running statistics that are not buffers of the module")
        self.statistics[name] = self._before(buffer) * (1 - momentum) + now.to(buffer.dtype) * momentum

    def kept(self, shape: Any, p: float) -> Any:
        """Returns which elements of a tensor of this shape dropout keeps."""
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
        return (mixed(place, second) >= round(p * 2.0**32)).reshape(shape)

    def dropout(self, input: Any, p: float = 0.5, training: bool = True, inplace: bool = False) -> Any:
        return self._dropped(input, input.shape, p, training)

    def feature_dropout(self, input: Any, p: float = 0.5, training: bool = True, inplace: bool = False) -> Any:
        if input.dim() < 3:
            raise LatheError("dropout of whole channels needs a tensor [batch, channels, ...]")
        return self._dropped(input, [*input.shape[:2]] + [1] * (input.dim() - 2), p, training)

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
            raise LatheError("attention with dropout and grouped heads (enable_gqa) is not supported in training")
        scores = query @ key.transpose(-2, -1) * (query.shape[-1] ** -0.5 if scale is None else scale)
        if is_causal:
            attn_mask = torch.ones(query.shape[-2], key.shape[-2], dtype=torch.bool).tril()
        if attn_mask is not None:
            scores = scores.masked_fill(~attn_mask, float("-inf")) if attn_mask.dtype == torch.bool else scores + attn_mask
        return self.dropout(torch.softmax(scores, -1), dropout_p) @ value


def _refused(name: str) -> Callable[..., Any]:
    def function(input: Any, *options: Any, **named: Any) -> Any:
        bound = inspect.signature(_ORIGINALS[name]).bind(input, *options, **named)
        bound.apply_defaults()
        if bound.arguments.get("training") or bound.arguments.get("use_input_stats") and bound.arguments.get("running_mean") is not None:
            raise LatheError(f"torch.nn.functional.{name} in training is not supported; set the layer to inference by eval()")
        return _ORIGINALS[name](input, *options, **named)

    return function


_ORIGINALS: dict[str, Callable[..., Any]] = {}  # of torch.nn.functional, while they are replaced
_REFUSED = ("alpha_dropout", "feature_alpha_dropout", "instance_norm", "rrelu")


@contextlib.contextmanager
def _replaced(trace: _Trace) -> Iterator[None]:
    """Replaces the functions that differ in training."""
    import torch.nn.functional as functions

    news: dict[str, Callable[..., Any]] = {
        "batch_norm": trace.batch_norm, "dropout": trace.dropout, "dropout1d": trace.feature_dropout, "dropout2d": trace.feature_dropout,
        "dropout3d": trace.feature_dropout, "scaled_dot_product_attention": trace.attention, **{name: _refused(name) for name in _REFUSED}}
    _ORIGINALS.update({name: getattr(functions, name) for name in news})
    try:
        for name, function in news.items():
            setattr(functions, name, function)
        yield
    finally:
        for name in news:
            setattr(functions, name, _ORIGINALS[name])


@contextlib.contextmanager
def _without_counters(module: Any) -> Iterator[None]:
    """Removes what counts the batches, which only the exponential averages of no momentum need."""
    layers = [layer for layer in module.modules() if getattr(layer, "num_batches_tracked", None) is not None]
    for layer in layers:
        if layer.momentum is None and layer.training:
            raise LatheError(f"{type(layer).__name__} with momentum=None, the average of all batches, is not supported in training")
    counters = [layer.num_batches_tracked for layer in layers]
    try:
        for layer in layers:
            layer.num_batches_tracked = None
        yield
    finally:
        for layer, counter in zip(layers, counters):
            layer.num_batches_tracked = counter


def _refuse_recurrent_dropout(module: Any) -> None:
    for name, layer in module.named_modules():
        if layer.training and hasattr(layer, "all_weights") and getattr(layer, "dropout", 0) > 0 and getattr(layer, "num_layers", 1) > 1:
            raise LatheError(f"{name or type(layer).__name__}: dropout between the layers of {type(layer).__name__} is not supported in "
                             "training; use layers of their own with a Dropout between them, or set it to inference by eval()")


class _Both:
    """A forward function that runs a module in training, and then in inference."""

    def __init__(self, module: Any) -> None:
        self.module = module
        self.forward = module.forward
        self.modes = {name: layer.training for name, layer in module.named_modules()}

    def train(self, inputs: Sequence[Any], seed: Any, buffers: dict[str, Any]) -> tuple[Any, _Trace]:
        trace = _Trace(self.module, seed, buffers)
        with _replaced(trace):
            return self.forward(*inputs), trace

    def infer(self, inputs: Sequence[Any], buffers: dict[str, Any]) -> Any:
        for layer in self.module.modules():
            layer.training = False
        try:
            with _replaced(_Trace(self.module, None, buffers)):
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
        if not isinstance(result, torch.Tensor):
            raise LatheError("the module must return one tensor, of which the loss is computed")
        return (result, *(trace.statistics[name] for name in mode.buffers), self.infer(inputs, buffers))


@contextlib.contextmanager
def traced(module: Any, inputs: tuple[Any, ...]) -> Iterator[TrainMode]:
    """Finds out what a module does in training only. If it does, a trace of the module inside the context has further results: those of
    training, new statistics, those of inference; and with dropout a further input, the seed."""
    import torch

    _refuse_recurrent_dropout(module)
    with _without_counters(module):
        both = _Both(module)
        with torch.no_grad():
            trace = both.train(inputs, torch.tensor(0), {})[1]
        buffers = {name: buffer.detach().clone() for name, buffer in module.named_buffers() if name in trace.statistics}
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
