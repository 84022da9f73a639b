#!/usr/bin/env python3
# Part of the Lathe project, under the Apache License v2.0 with LLVM Exceptions. See LICENSE for licence information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""text.py FOLDER: writes the text of data/ as numbers of characters: FOLDER/train.npy, its first nine tenths, FOLDER/test.npy, the
rest, FOLDER/lines.npy, the test's lines, one a row, i32[count][80], and length.npy, how many characters each has to be guessed;
alphabet.npy has the character of each number. Needs nothing but Python.

A line begins with the end of the one before and ends with its own.
"""
import gzip
import os
import sys

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "common"))
from npy import write_npy  # noqa: E402

WIDTH = 80


def read_text():
    """Without carriage returns and the mark of the end, which are of the file and not of the book."""
    source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "data", "alice29.txt.gz")
    with gzip.open(source, "rb") as file:
        return file.read().replace(b"\r", b"").replace(b"\x1a", b"")


def main():
    folder, text = sys.argv[1], read_text()
    alphabet = sorted(set(text))
    numbers = [alphabet.index(character) for character in text]
    split = len(text) * 9 // 10
    write_npy(os.path.join(folder, "alphabet.npy"), "<i4", (len(alphabet),), alphabet)
    write_npy(os.path.join(folder, "train.npy"), "<i4", (split,), numbers[:split])
    write_npy(os.path.join(folder, "test.npy"), "<i4", (len(text) - split,), numbers[split:])
    end = alphabet.index(ord("\n"))
    lines, line = [], [end]
    for number in numbers[split:]:
        line.append(number)
        if number == end:
            lines.append(line)
            line = [end]
    write_npy(os.path.join(folder, "lines.npy"), "<i4", (len(lines), WIDTH), sum((row + [0] * (WIDTH - len(row)) for row in lines), []))
    write_npy(os.path.join(folder, "length.npy"), "<i4", (len(lines),), [len(row) - 1 for row in lines])


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main()
