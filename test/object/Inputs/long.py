"""Runs @long of checked.o on tensors of 150 elements of which one is wrong, at the ends of blocks and after the last whole block.
Fails at the first position where the report names another element."""
import subprocess
import sys

import npyfile

LONG = {"x": ("<f4", 1, -1), "h": ("<f2", 1, -1), "d": ("<f8", 1, -1), "i": ("<i4", 4, 5), "j": ("<i8", 4, -1)}
SAID = {"x": "produces a NaN", "h": "produces a NaN", "d": "produces a NaN", "i": "index 5", "j": "index -1"}


def write(name, kind, values):
    npyfile.write(f"{name}.npy", kind, values)


def run(expected):
    inputs = [part for name in LONG for part in ("--input", f"{name}=@{name}.npy")]
    done = subprocess.run(["lathe-run", "checked.o", "long", *inputs, "--input", "t=1"], capture_output=True, text=True)
    if done.returncode != (4 if expected else 0) or expected not in done.stderr:
        sys.exit(f"expected '{expected}', exit code {done.returncode}: {done.stderr}")


for name, (kind, good, _) in LONG.items():
    write(name, kind, [good] * 150)
run("")
for name, (kind, good, bad) in LONG.items():
    for at in (0, 1, 63, 64, 127, 128, 149):
        write(name, kind, [bad if k in (at, 149) else good for k in range(150)])
        run(f"{SAID[name]} at [{at}]")
    write(name, kind, [good] * 150)
for at in (0, 63, 64, 149):
    write("x", "<f4", [2 if k in (at, 149) else 1 for k in range(150)])
    run(f"'all are small' failed at [{at}]")
print("each place is named")
