"""spoil.py FILE...: makes the last number of each .npy file a NaN."""
import struct
import sys

for path in sys.argv[1:]:
    with open(path, "r+b") as file:
        code = "d" if b"<f8" in file.read(100) else "f"
        file.seek(-struct.calcsize(code), 2)
        file.write(struct.pack("<" + code, float("nan")))
