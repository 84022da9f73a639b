"""Tells where the files of Lathe are that C and C++ programs need.

    python -m lathe.config --cmake-dir      the folder for CMake's -DLathe_DIR=
    python -m lathe.config --include-dir    the folder of lathe/runtime.h
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


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m lathe.config", description="Prints where files of Lathe are.")
    which = parser.add_mutually_exclusive_group(required=True)
    which.add_argument("--cmake-dir", action="store_true", help="the folder for CMake's -DLathe_DIR=")
    which.add_argument("--include-dir", action="store_true", help="the folder of lathe/runtime.h")
    which.add_argument("--lathec", action="store_true", help="the compiler")
    options = parser.parse_args()
    print(cmake_dir() if options.cmake_dir else include_dir() if options.include_dir else tool("lathec"))


if __name__ == "__main__":
    main()
