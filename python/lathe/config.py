"""Tells where the files of Lathe are that C and C++ programs need.

    python -m lathe.config --cmake-dir      the folder for CMake's -DLathe_DIR=
    python -m lathe.config --include-dir    the folder of lathe/runtime.h
    python -m lathe.config --cflags --libs  what a C compiler needs besides: cc main.c net.o $(python -m lathe.config --cflags --libs)
    python -m lathe.config --lathec         the compiler
"""
from __future__ import annotations

import argparse
import pathlib

from ._compiler import tool

_HERE = pathlib.Path(__file__).parent


def cmake_dir() -> pathlib.Path:
    """Returns the folder of LatheConfig.cmake."""
    return next(iter(sorted(_HERE.glob("lib*/**/cmake/Lathe"))), _HERE / "lib/cmake/Lathe")


def include_dir() -> pathlib.Path:
    """Returns the folder of lathe/runtime.h."""
    return _HERE / "include"


def flags() -> list[str]:
    """Returns the compiler's arguments for the headers."""
    return [f"-I{include_dir()}"]


def libraries() -> list[str]:
    """Returns the linker's arguments for the runtime and what it needs. Raises FileNotFoundError if the package is not installed."""
    for path in sorted(_HERE.glob("lib*/**/liblathe_runtime.a")):
        return [str(path), "-pthread", "-ldl", "-lm"]
    raise FileNotFoundError(f"there is no liblathe_runtime.a in {_HERE}; install the package, or link the one in the build folder")


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m lathe.config", description="Prints where files of Lathe are.")
    parts = {
        "cmake-dir": ("the folder for CMake's -DLathe_DIR=", lambda: [str(cmake_dir())]),
        "include-dir": ("the folder of lathe/runtime.h", lambda: [str(include_dir())]),
        "cflags": ("arguments of a C compiler for the headers", flags),
        "libs": ("arguments of a linker for the runtime", libraries),
        "lathec": ("the compiler", lambda: [tool("lathec")]),
    }
    for name, (meaning, _) in parts.items():
        parser.add_argument(f"--{name}", action="store_true", help=meaning)
    chosen = vars(parser.parse_args())
    if not any(chosen.values()):
        parser.error("expected one or more of " + ", ".join(f"--{name}" for name in parts))
    print(*(text for name, (_, texts) in parts.items() if chosen[name.replace("-", "_")] for text in texts()))


if __name__ == "__main__":
    main()
