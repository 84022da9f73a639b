"""Parts of graphs in text."""
from __future__ import annotations

import re
from typing import Any, Mapping, Optional

ELEMENTS = {"float64": "f64", "float32": "f32", "float16": "f16", "bfloat16": "bf16", "bool": "i1", "int8": "i8", "int16": "i16",
            "int32": "i32", "int64": "i64", "uint8": "ui8", "uint16": "ui16", "uint32": "ui32", "uint64": "ui64"}


def type_of(array: Any, dims: Optional[Mapping[int, str]] = None) -> str:
    """Returns "i64[batch]" for an array or a tensor, as entries describe their arguments."""
    element = ELEMENTS[str(array.dtype).replace("torch.", "")]
    return element + "".join(f"[{(dims or {}).get(axis, size)}]" for axis, size in enumerate(array.shape))


def written(kind: str) -> tuple[str, str]:
    """Returns the type "f32[N][3]" as it is in the body of a graph, and the attribute with its named dimensions, or ""."""
    element, *dims = re.findall(r"^[a-z0-9]+|(?<=\[)[^\]]*", kind)
    names = [dim for dim in dims if not dim.isdigit()]
    element = re.sub(r"^u(?=\d)", "ui", element)
    text = "tensor<" + "".join(f"{dim if dim.isdigit() else '?'}x" for dim in dims) + element + ">"
    return text, f"lathe.dims = #lathe.dims<{', '.join(names)}>" if names else ""


def symbol(name: str) -> str:
    """Returns a reference to the variable `name`."""
    return "@" + name if re.fullmatch(r"[A-Za-z_][\w.$-]*", name) else f'@"{name}"'


def dense(array: Any) -> str:
    """Returns an attribute with the elements of a NumPy array."""
    if array.dtype == bool:
        return f"dense<{str(array.tolist()).lower()}>"
    return f'dense<"0x{array.tobytes().hex().upper()}">'
