"""Reads and writes .npy files of one dimension with the standard library alone."""
import ast
import struct

FORMATS = {"<f2": "e", "<f4": "f", "<f8": "d", "|b1": "?", "|i1": "b", "<i2": "h", "<i4": "i", "<i8": "q",
           "|u1": "B", "<u2": "H", "<u4": "I", "<u8": "Q"}


def write(path, descr, values):
    write_bytes(path, descr, struct.pack(f"<{len(values)}{FORMATS[descr]}", *values), len(values))


def write_bytes(path, descr, data, count):
    header = repr({"descr": descr, "fortran_order": False, "shape": (count,)}).encode()
    header += b" " * (-(len(header) + 11) % 64) + b"\n"
    with open(path, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header + data)


def read(path):
    """The element type and the bytes."""
    with open(path, "rb") as file:
        content = file.read()
    length = struct.unpack("<H", content[8:10])[0]
    header = ast.literal_eval(content[10:10 + length].decode())
    return header["descr"], content[10 + length:]


def read_values(path):
    descr, data = read(path)
    code = FORMATS[descr]
    return list(struct.unpack(f"<{len(data) // struct.calcsize(code)}{code}", data))
