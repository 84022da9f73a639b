#!/usr/bin/env python3
# Part of the Lathe project, under the Apache License v2.0 with LLVM Exceptions. See LICENSE for licence information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""prepare.py CONFIG.json FOLDER: chooses the files, and lists them in FOLDER/train.txt and FOLDER/test.txt.

A line is a class and a path. Class 1 is MLIR, all of this repository's; class 0 is what the network knows: other files of the
repository, and of what Debian installs beside a compiler and Python. A file's path decides which list it is in, so that another
file more or less moves none. FOLDER/samples gets the texts whose probabilities are recorded, listed in FOLDER/samples.txt, and
FOLDER/labels.txt the network's 214 labels. Needs Python alone.
"""
import glob
import hashlib
import json
import os
import sys

from samples import SAMPLES

SEED, SHARE_OF_TEST = "lathe", 1 / 3
TOP = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
SOURCES = "benchmarks cmake codegen dialects docs examples include lib passes scripts test tools".split()

# At most so many of each: patterns of this repository, then of the machine.
OURS = {"*.cpp": 45, "*.h": 45, "*.py": 30, "*.c": 25, "*.md": 25, "CMakeLists.txt": 20}
THEIRS = {
    "/usr/lib/python3*/*.py": 50,
    "/usr/include/*.h": 40,
    "/usr/share/perl/*/*.pm": 30,
    "/usr/share/common-licenses/*": 12,
    "/etc/init.d/*": 10,
    "/usr/bin/*.sh": 10,
    "/usr/share/bash-completion/completions/*": 15,
    "/usr/share/xml/**/*.xml": 10,
}


def number_of(path, purpose):
    """From 0 to 1, the same on every machine."""
    return int.from_bytes(hashlib.sha256((purpose + SEED + path).encode()).digest()[:4], "big") / 2**32


def find(patterns):
    """The files of some patterns, in the order of their numbers. Links are skipped: what they name is there itself."""
    found = {path for pattern in patterns for path in glob.glob(pattern, recursive=True)}
    files = [path for path in found if os.path.isfile(path) and not os.path.islink(path)]
    return sorted(files, key=lambda path: number_of(path, "order"))


def ours(name):
    return [path for folder in SOURCES for path in (os.path.join(folder, name), os.path.join(folder, "**", name))]


def is_text(data):
    return len(data.strip()) >= 64 and b"\0" not in data


def choose():
    """Pairs of class and path, no two files with the same bytes."""
    seen, chosen = set(), []
    groups = [(1, ours("*.mlir"), None)] + [(0, ours(name), most) for name, most in OURS.items()]
    groups += [(0, [pattern], most) for pattern, most in THEIRS.items()]
    for kind, patterns, most in groups:
        taken = 0
        for path in find(patterns):
            with open(path, "rb") as file:
                data = file.read()
            digest = hashlib.sha256(data).digest()
            if digest not in seen and is_text(data) and (most is None or taken < most):
                seen.add(digest)
                chosen.append((kind, path))
                taken += 1
    return chosen


def main():
    config, folder = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
    os.chdir(TOP)
    lists = {"train": [], "test": []}
    for kind, path in choose():
        lists["test" if number_of(path, "list") < SHARE_OF_TEST else "train"].append((kind, path))
    for name, files in lists.items():
        files.sort(key=lambda line: number_of(line[1], "line"))  # the first of them are of all kinds
        with open(os.path.join(folder, name + ".txt"), "w") as file:
            file.writelines("%d %s\n" % (kind, os.path.abspath(path)) for kind, path in files)
        print("%s: %d files of MLIR, %d others" % (name, sum(kind for kind, _ in files), sum(1 - kind for kind, _ in files)))
    with open(config) as file:
        labels = json.load(file)["target_labels_space"]
    with open(os.path.join(folder, "labels.txt"), "w") as file:
        file.writelines(label + "\n" for label in labels)
    os.makedirs(os.path.join(folder, "samples"), exist_ok=True)
    with open(os.path.join(folder, "samples.txt"), "w") as listed:
        for name, text in SAMPLES.items():
            path = os.path.join(folder, "samples", name)
            listed.write("0 %s\n" % path)
            with open(path, "wb") as file:
                file.write(text.encode())


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main()
