"""Reads and writes .npy files with the standard library only. Text tests import it as `npyfile`, and run it as %npy:

    npyfile.py FILE DTYPE SHAPE NUMBER...   writes a file; DTYPE as NumPy names it (<i4, |b1), SHAPE as 5x2
"""
import ast
import struct
import sys

FORMATS = {"<f2": "e", "<f4": "f", "<f8": "d", "|b1": "?", "|i1": "b", "<i2": "h", "<i4": "i", "<i8": "q",
           "|u1": "B", "<u2": "H", "<u4": "I", "<u8": "Q"}


def write(path, descr, values, shape=None):
    """Writes values in row-major order; without a shape, as one dimension."""
    write_bytes(path, descr, struct.pack(f"<{len(values)}{FORMATS[descr]}", *values), (len(values),) if shape is None else shape)


def write_bytes(path, descr, data, shape):
    header = repr({"descr": descr, "fortran_order": False, "shape": tuple(shape)}).encode()
    header += b" " * (-(len(header) + 11) % 64) + b"\n"
    with open(path, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header + data)


def read(path):
    """Returns the element type and the bytes."""
    with open(path, "rb") as file:
        content = file.read()
    length = struct.unpack("<H", content[8:10])[0]
    header = ast.literal_eval(content[10:10 + length].decode())
    return header["descr"], content[10 + length:]


def read_values(path):
    descr, data = read(path)
    code = FORMATS[descr]
    return list(struct.unpack(f"<{len(data) // struct.calcsize(code)}{code}", data))


def main():
    path, descr, shape, *numbers = sys.argv[1:]
    number = float if descr[1] == "f" else int
    write(path, descr, [number(text) for text in numbers], [int(extent) for extent in shape.split("x")])


if __name__ == "__main__":
    main()
