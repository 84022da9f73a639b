"""The compiler and the runner of a wheel as commands."""
from __future__ import annotations

import os
import sys
from typing import NoReturn

from ._compiler import tool


def _become(name: str) -> NoReturn:
    path = tool(name)
    os.execv(path, [path, *sys.argv[1:]])


def lathec() -> NoReturn:
    """Becomes lathec with this process's arguments."""
    _become("lathec")


def lathe_run() -> NoReturn:
    """Becomes lathe-run with this process's arguments."""
    _become("lathe-run")
