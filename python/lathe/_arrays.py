"""Arrays of inputs, and element types that NumPy itself does not have."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any, Mapping, Sequence

import numpy

try:
    import ml_dtypes

    bfloat16 = ml_dtypes.bfloat16
except ImportError:  # arrays of bf16 then hold their bits as uint16
    bfloat16 = None

if TYPE_CHECKING:
    from ._core import Entry

_ELEMENTS = {"f64": "float64", "f32": "float32", "f16": "float16", "bf16": "float32", "i1": "bool", "i8": "int8", "i16": "int16",
             "i32": "int32", "i64": "int64", "u8": "uint8", "u16": "uint16", "u32": "uint32", "u64": "uint64"}


def brain_bits(value: Any) -> numpy.ndarray:
    """Returns the bits of numbers in bf16, rounded to the nearest one, and to the even one of two."""
    numbers = numpy.asarray(value, numpy.float32)
    bits = numbers.view(numpy.uint32)
    rounded = (bits + numpy.uint32(0x7fff) + ((bits >> 16) & 1)) >> 16
    return numpy.where(numpy.isnan(numbers), 0x7fc0, rounded).astype(numpy.uint16)


def bound(entry: Entry, inputs: Sequence[Any], named: Mapping[str, Any]) -> dict[str, numpy.ndarray]:
    """Returns arrays for the inputs of an entry by name, bf16 as float32. Raises TypeError for missing or unknown ones."""
    names = [name for name, _ in entry.inputs]
    if len(inputs) > len(names):
        raise TypeError(f"{entry.name} takes {len(names)} inputs, not {len(inputs)}")
    values = dict(zip(names, inputs))
    for name, value in named.items():
        if name not in names or name in values:
            raise TypeError(f"{entry.name} {'got twice' if name in values else 'has no'} input {name!r}")
        values[name] = value
    missing = [f"{name!r}, {kind}" for name, kind in entry.inputs if name not in values]
    if missing:
        raise TypeError(f"{entry.name} misses input {missing[0]}")
    return {name: _array(values[name], kind.partition("[")[0]) for name, kind in entry.inputs}


def _array(value: Any, element: str) -> numpy.ndarray:
    """Returns an array in the host's memory. Numbers and lists become arrays of the element type; arrays keep theirs, but for bf16."""
    if isinstance(value, (bool, int, float, list, tuple)):
        return numpy.asarray(value, _ELEMENTS[element])
    if element == "bf16" and not isinstance(value, numpy.ndarray) and hasattr(value, "float"):
        value = value.float()  # a tensor of PyTorch, whose bf16 NumPy cannot read
    if not isinstance(value, numpy.ndarray) and hasattr(value, "__dlpack__"):
        value = numpy.from_dlpack(value)
    array = numpy.asarray(value)
    if element == "bf16" and array.dtype == numpy.uint16:  # bits
        return (array.astype(numpy.uint32) << 16).view(numpy.float32)
    return array.astype(numpy.float32) if element == "bf16" else array
