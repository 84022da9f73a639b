"""no-path.py FILE...: fails if a file's printable text holds a path, or this machine's or user's name."""
import getpass
import os
import re
import socket
import sys

names = {socket.gethostname().encode(), os.getcwd().encode(), os.path.expanduser("~").encode()} - {b"/", b""}
if len(getpass.getuser()) > 4:
    names.add(getpass.getuser().encode())
faults = 0
for file in sys.argv[1:]:
    with open(file, "rb") as content:
        data = content.read()
    for text in re.findall(rb"[ -~]{4,}", data):
        # A header's comments have slashes; a path has two, with names between, or is one of a machine's folders.
        path = re.search(rb"(?:^|[^\w/*.])/(?:home|root|tmp|usr|var|work|build|Users|[\w.+-]+/[\w.+-]+)(?:/|$)", text)
        if path or any(name in text for name in names):
            print(f"{file}: {text.decode()}")
            faults += 1
sys.exit(faults > 0)
