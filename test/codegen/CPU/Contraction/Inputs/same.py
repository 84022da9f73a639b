"""Fails unless folders have the same bytes in all results: same.py FOLDER FOLDER..., as lathe-run --save writes them."""
import pathlib
import sys

first, *others = map(pathlib.Path, sys.argv[1:])
results = sorted(first.glob("out-*.npy"))
if not results:
    sys.exit(f"{first} has no results")
for other in others:
    for result in results:
        if result.read_bytes() != (other / result.name).read_bytes():
            sys.exit(f"{other / result.name} differs from {result}")
