"""The exceptions of Lathe."""
from __future__ import annotations

import dataclasses
import re
from typing import Optional


class LatheError(Exception):
    """Base class of all exceptions that Lathe defines."""


@dataclasses.dataclass(frozen=True)
class Diagnostic:
    """One message of the compiler. `line` and `column` count from 1; they are 0 where the message has no place in a file."""

    file: str
    line: int
    column: int
    severity: str  # "error", "warning", "note" or "remark"
    message: str


_HEAD = re.compile(r"^(?:(.*?):(\d+):(\d+): |(.*?): )?(error|warning|note|remark): (.*)$")


def parse_diagnostics(text: str) -> list[Diagnostic]:
    """Returns the diagnostics in the compiler's text, without the source lines that it shows below each."""
    found = []
    for line in text.splitlines():
        match = _HEAD.match(line)
        if match:
            file, row, column, whole, severity, message = match.groups()
            found.append(Diagnostic(file or whole or "", int(row or 0), int(column or 0), severity, message))
    return found


class CompileError(LatheError):
    """A graph that the compiler refuses, or options that do not fit it. `diagnostics` lists all messages, in line order."""

    def __init__(self, text: str) -> None:
        super().__init__(text.rstrip())
        self.diagnostics = parse_diagnostics(text)


class RunError(LatheError):
    """A call that an entry refused or could not finish. The variables keep their values.

    `status` is the name of the status in lathe/runtime.h, such as "LATHE_ERROR_DIMENSION". `file`, `line` and `column` are the place in
    the graph, `function` the entry, `op` the op that fails, `argument` and `other` what it concerns, `expected` and `actual` numbers,
    `index` the element, `node` the name of the node in a model. What does not apply is None or 0.
    """

    status: Optional[str] = None
    file: Optional[str] = None
    function: Optional[str] = None
    op: Optional[str] = None
    argument: Optional[str] = None
    other: Optional[str] = None
    node: Optional[str] = None
    line: int = 0
    column: int = 0
    expected: int = 0
    actual: int = 0
    index: tuple[int, ...] = ()
