"""The first N images and labels of prepare.py as files of their own. usage: first-digits.py FOLDER N..."""
import struct
import sys


def read(path):
    with open(path, "rb") as file:
        data = file.read()
    return data[10 + struct.unpack_from("<H", data, 8)[0]:]


def write(path, kind, shape, data):
    header = f"{{'descr': '{kind}', 'fortran_order': False, 'shape': {tuple(shape)}, }}"
    header += " " * (63 - (10 + len(header)) % 64) + "\n"
    with open(path, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + data)


folder = sys.argv[1]
images, labels = read(f"{folder}/images.npy"), read(f"{folder}/labels.npy")
for count in map(int, sys.argv[2:]):
    write(f"{folder}/images{count}.npy", "<f4", (count, 16, 16, 1), images[:count * 1024])
    write(f"{folder}/labels{count}.npy", "<i4", (count,), labels[:count * 4])
