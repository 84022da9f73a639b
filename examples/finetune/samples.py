# Part of the Lathe project, under the Apache License v2.0 with LLVM Exceptions. See LICENSE for licence information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Texts that never change, for comparisons with recorded probabilities: with white space at both ends, shorter than what the
network reads, as long as a block, and longer."""

_C = """#include <stdio.h>

/* Adds up what is on standard input, a number a line. */
int main(void) {
  double sum = 0, number;
  while (scanf("%lf", &number) == 1)
    sum += number;
  printf("%g\\n", sum);
  return 0;
}
"""

_PYTHON = '''import sys


def words(path):
    """The words of a file, with how often each of them occurs."""
    counts = {}
    with open(path) as file:
        for word in file.read().split():
            counts[word] = counts.get(word, 0) + 1
    return counts


if __name__ == "__main__":
    for word, count in sorted(words(sys.argv[1]).items()):
        print(word, count)
'''

_SHELL = """#!/bin/sh
# Keeps the last seven copies of a folder.
set -eu
day=$(date +%a)
for folder in "$@"; do
  tar -czf "$HOME/copies/$(basename "$folder")-$day.tar.gz" "$folder" || echo "$folder: no copy" >&2
done
"""

_JSON = '{"name": "lamp", "parts": [{"id": 1, "weight": 0.25}, {"id": 2, "weight": 1.5}], "colours": ["red", "blue"]}'

_MLIR = """func.func @f(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %sum = lathe.add %x, %y : tensor<4xf32>
  return %sum : tensor<4xf32>
}
"""

_WINDS = ("north", "east", "south", "west")
_TABLE = "".join("%d,%s,%d.%02d\n" % (row, _WINDS[row % 4], row * 7 % 90, row * 31 % 100) for row in range(400))

SAMPLES = {
    "sum.c": _C,
    "words.py": "\n\n  \t" + _PYTHON + "\n \n",
    "copies.sh": _SHELL,
    "lamp.json": _JSON,
    "sum.mlir": _MLIR,
    "table.csv": _TABLE,
    "block.c": (_C * 30)[:4096],
    "long.py": _PYTHON * 40 + " " * 5000,  # no bytes are left of the end
}
