"""Optimisers for lathe.train_step. Their rules are composites of Lathe's library (docs/std.md#optimisers).

learning_rate is that of steps whose call gives none: step(x, y) uses it, step(x, y, 1e-4) another one.
slots="bf16" keeps what an optimiser has for each parameter in bf16, stochastically rounded (docs/memory.md)."""
from __future__ import annotations

import dataclasses
from typing import Mapping, Optional, Union


@dataclasses.dataclass(frozen=True)
class Optimizer:
    """An optimiser and its options, as `lathe.minimize ... with` takes them."""

    name: str
    options: Mapping[str, Union[float, str, None]]

    def __str__(self) -> str:
        listed = ", ".join(f"{name} = {value if isinstance(value, str) else repr(float(value))}" for name, value in self.options.items()
                           if value is not None)
        return f"{self.name}<{listed}>" if listed else self.name


def sgd(learning_rate: float = 0.01, *, momentum: Optional[float] = None, weight_decay: Optional[float] = None,
        clip_norm: Optional[float] = None, slots: Optional[str] = None) -> Optimizer:
    """Gradient descent, with momentum where it is given."""
    options = dict(learning_rate=learning_rate, momentum=momentum, weight_decay=weight_decay, clip_norm=clip_norm, slots=slots)
    return Optimizer("sgd" if momentum is None else "momentum", options)


def adam(learning_rate: float = 0.001, *, beta1: Optional[float] = None, beta2: Optional[float] = None, epsilon: Optional[float] = None,
         clip_norm: Optional[float] = None, slots: Optional[str] = None) -> Optimizer:
    """Adam. clip_norm: the gradients together are shortened to this Euclidean length where they are longer."""
    return Optimizer("adam", dict(learning_rate=learning_rate, beta1=beta1, beta2=beta2, epsilon=epsilon, clip_norm=clip_norm, slots=slots))


def adamw(learning_rate: float = 0.001, *, beta1: Optional[float] = None, beta2: Optional[float] = None, epsilon: Optional[float] = None,
          weight_decay: Optional[float] = None, clip_norm: Optional[float] = None, slots: Optional[str] = None) -> Optimizer:
    """Adam with decoupled weight decay."""
    options = dict(learning_rate=learning_rate, beta1=beta1, beta2=beta2, epsilon=epsilon, weight_decay=weight_decay, clip_norm=clip_norm, slots=slots)
    return Optimizer("adamw", options)


def rmsprop(learning_rate: float = 0.001, *, decay: Optional[float] = None, epsilon: Optional[float] = None,
            clip_norm: Optional[float] = None, slots: Optional[str] = None) -> Optimizer:
    """RMSprop."""
    return Optimizer("rmsprop", dict(learning_rate=learning_rate, decay=decay, epsilon=epsilon, clip_norm=clip_norm, slots=slots))


def adagrad(learning_rate: float = 0.001, *, epsilon: Optional[float] = None, clip_norm: Optional[float] = None, slots: Optional[str] = None) -> Optimizer:
    """Adagrad."""
    return Optimizer("adagrad", dict(learning_rate=learning_rate, epsilon=epsilon, clip_norm=clip_norm, slots=slots))


def lion(learning_rate: float = 0.001, *, beta1: Optional[float] = None, beta2: Optional[float] = None,
         weight_decay: Optional[float] = None, clip_norm: Optional[float] = None, slots: Optional[str] = None) -> Optimizer:
    """Lion."""
    options = dict(learning_rate=learning_rate, beta1=beta1, beta2=beta2, weight_decay=weight_decay, clip_norm=clip_norm, slots=slots)
    return Optimizer("lion", options)
