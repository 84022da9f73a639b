"""npy.py FILE DTYPE SHAPE NUMBER...: writes a .npy file; DTYPE as NumPy names it (<i4, |b1), SHAPE as 5x2."""
import struct
import sys

path, dtype, shape, *numbers = sys.argv[1:]
extents = "".join(f"{extent}, " for extent in shape.split("x"))
header = f"{{'descr': '{dtype}', 'fortran_order': False, 'shape': ({extents}), }}"
header += " " * (-(len(header) + 11) % 64) + "\n"
code = {"<i4": "i", "<i8": "q", "<f2": "e", "<f4": "f", "<f8": "d", "|b1": "?", "|u1": "B"}[dtype]
with open(path, "wb") as file:
    file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode())
    file.write(struct.pack(f"<{len(numbers)}{code}", *(float(n) if dtype[1] == "f" else int(n) for n in numbers)))
