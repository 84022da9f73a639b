# Part of the Lathe project, under the Apache License v2.0 with LLVM Exceptions. See LICENSE for licence information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Arrays in .npy files, as flat lists with a shape. Needs nothing but Python."""
import array
import ast
import os
import struct

_CODES = {"<f4": "f", "<f8": "d", "<i4": "i", "<i8": "q", "|b1": "B"}


def read_npy(path):
    """The shape, and the values in row-major order."""
    with open(path, "rb") as file:
        data = file.read()
    length = struct.unpack_from("<H", data, 8)[0]
    header = ast.literal_eval(data[10 : 10 + length].decode())
    values = array.array(_CODES[header["descr"]])
    values.frombytes(data[10 + length :])
    return header["shape"], values


def write_npy(path, kind, shape, values):
    """`values` in row-major order as elements of `kind`, such as "<f4"."""
    header = "{'descr': '%s', 'fortran_order': False, 'shape': %s, }" % (kind, tuple(shape))
    header += " " * (63 - (10 + len(header)) % 64) + "\n"
    os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
    with open(path, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode())
        file.write(array.array(_CODES[kind], values).tobytes())
