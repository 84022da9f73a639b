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


def whole_numbers(value: Any, element: Any) -> numpy.ndarray:
    """Returns an array of integers or booleans for numbers and lists of them. Raises TypeError for a number that the element type does
    not have, such as 1.5."""
    given = numpy.asarray(value)
    with numpy.errstate(invalid="ignore"):
        made = numpy.asarray(value, element)
    if given.dtype.kind in "biufc" and (given != made).any():
        raise TypeError(f"{given[given != made].flat[0]} is not a number of {numpy.dtype(element).name}")
    return made


def bound(entry: Entry, inputs: Sequence[Any], named: Mapping[str, Any]) -> dict[str, numpy.ndarray]:
    """Returns arrays for the inputs of an entry by name, bf16 as float32, with its defaults where none is given. Raises TypeError for
    missing or unknown ones."""
    values = {**given(entry, (), entry.defaults), **given(entry, inputs, named)}
    missing = [f"{name!r}, {kind}" for name, kind in entry.inputs if name not in values]
    if missing:
        raise TypeError(f"{entry.name} misses input {missing[0]}")
    return values


def given(entry: Entry, inputs: Sequence[Any], named: Mapping[str, Any]) -> dict[str, numpy.ndarray]:
    """Returns arrays for those inputs of an entry that are given, by name, bf16 as float32. Raises TypeError for unknown ones."""
    names = [name for name, _ in entry.inputs]
    if len(inputs) > len(names):
        raise TypeError(f"{entry.name} takes {len(names)} inputs, not {len(inputs)}")
    values = dict(zip(names, inputs))
    for name, value in named.items():
        if name not in names or name in values:
            raise TypeError(f"{entry.name} {'got twice' if name in values else 'has no'} input {name!r}")
        values[name] = value
    return {name: array(name, values[name], kind.partition("[")[0]) for name, kind in entry.inputs if name in values}


def array(name: str, value: Any, element: str) -> numpy.ndarray:
    """Returns an array in the host's memory for an input. Numbers and lists become arrays of the element type; arrays keep theirs, but for
    bf16."""
    if isinstance(value, (bool, int, float, list, tuple)):
        convert = whole_numbers if element[0] in "iu" else numpy.asarray
        try:
            return convert(value, _ELEMENTS[element])
        except (TypeError, ValueError, OverflowError) as error:
            raise TypeError(f"input {name!r} cannot become an array of {_ELEMENTS[element]}: {error}") from error
    if element == "bf16" and not isinstance(value, numpy.ndarray) and hasattr(value, "float"):
        value = value.float()  # a tensor of PyTorch, whose bf16 NumPy cannot read
    if not isinstance(value, numpy.ndarray) and hasattr(value, "__dlpack__"):
        value = numpy.from_dlpack(value)
    given = numpy.asarray(value)
    if element == "bf16" and given.dtype == numpy.uint16:  # bits
        return (given.astype(numpy.uint32) << 16).view(numpy.float32)
    return given.astype(numpy.float32) if element == "bf16" else given
