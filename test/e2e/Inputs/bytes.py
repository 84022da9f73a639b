"""bytes.py FILE ROWS COLUMNS OUT: the first bytes of a file as a tensor of i32."""
import struct
import sys

path, rows, columns, out = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4]
values = open(path, "rb").read(rows * columns)
assert len(values) == rows * columns
header = f"{{'descr': '<i4', 'fortran_order': False, 'shape': ({rows}, {columns}), }}"
header += " " * (-(len(header) + 11) % 64) + "\n"
with open(out, "wb") as file:
    file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + struct.pack(f"<{len(values)}i", *values))
