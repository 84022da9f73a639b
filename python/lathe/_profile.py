"""Times of the kernels of an entry."""
from __future__ import annotations

import dataclasses
import json
import os
from typing import Optional, Union


@dataclasses.dataclass(frozen=True)
class KernelTime:
    """The time of one kernel: `seconds` in a call, on average, in which it ran `runs` times.

    `op` is its main op and `fused` the others in it; `file`, `line` and `node` are the place of the main op in the graph or the model.
    """

    op: str
    fused: str
    file: str
    line: int
    node: Optional[str]
    runs: float
    seconds: float


class Profile:
    """Times of the kernels of an entry, the slowest one first: a list of KernelTime as `kernels`. str() of it is a table.

    `seconds` is the time of a call, on average, and `calls` how many there were. The profile itself makes calls of small kernels slower.
    """

    def __init__(self, name: str, rows: list[tuple[str, str, str, int, Optional[str], str, float, float]], calls: int,
                 seconds: float) -> None:
        self.name = name
        self.calls = calls
        self.seconds = seconds / calls
        self._last = rows[len(rows) - len(rows) // calls:]
        times: dict[tuple[str, str, str, int, Optional[str], str], list[float]] = {}
        for *kernel, begin, end in rows:
            times.setdefault(tuple(kernel), []).append(end - begin)  # type: ignore[arg-type]
        self.kernels = sorted((KernelTime(*key[:5], len(taken) / calls, sum(taken) / calls) for key, taken in times.items()),
                              key=lambda kernel: -kernel.seconds)

    def __str__(self) -> str:
        lines = [f"{self.name}: {self.seconds * 1e6:.1f} us a call, {self.calls} calls"]
        for kernel in self.kernels:
            place = f"{kernel.file}:{kernel.line}" + (f" {kernel.node}" if kernel.node else "")
            lines.append(f"{kernel.seconds * 1e6:10.1f} us {100 * kernel.seconds / self.seconds:5.1f} %  {place}: {kernel.op}" +
                         (f" with {kernel.fused}" if kernel.fused else ""))
        return "\n".join(lines)

    def save_trace(self, path: Union[str, os.PathLike[str]]) -> None:
        """Writes the kernels of the last call as a trace for Perfetto or chrome://tracing."""
        start = self._last[0][6] if self._last else 0.0
        events = [dict(name=op, cat="kernel", ph="X", pid=0, tid=0, ts=(begin - start) * 1e6, dur=(end - begin) * 1e6,
                       args=dict(place=f"{file}:{line}", fused=fused, node=node, kernel=symbol))
                  for op, fused, file, line, node, symbol, begin, end in self._last]
        with open(path, "w") as file:
            json.dump({"traceEvents": events}, file)
