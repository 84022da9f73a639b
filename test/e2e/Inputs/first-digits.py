"""The first N images and labels of prepare.py as files of their own. usage: first-digits.py FOLDER N..."""
import sys

import npyfile

folder = sys.argv[1]
(_, images), (_, labels) = npyfile.read(f"{folder}/images.npy"), npyfile.read(f"{folder}/labels.npy")
for count in map(int, sys.argv[2:]):
    npyfile.write_bytes(f"{folder}/images{count}.npy", "<f4", images[:count * 1024], (count, 16, 16, 1))
    npyfile.write_bytes(f"{folder}/labels{count}.npy", "<i4", labels[:count * 4], (count,))
