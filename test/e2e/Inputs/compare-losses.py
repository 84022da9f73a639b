"""Fails where a loss is further than 1e-4, relative, from the recorded one. usage: compare-losses.py LOSSES.npy RECORDED.txt"""
import sys

import npyfile

losses = npyfile.read_values(sys.argv[1])
with open(sys.argv[2]) as file:
    recorded = [float(line) for line in file]
assert len(losses) == len(recorded) == 20, (len(losses), len(recorded))
wrong = [(i, ours, theirs) for i, (ours, theirs) in enumerate(zip(losses, recorded)) if not abs(ours - theirs) <= 1e-4 * abs(theirs)]
for i, ours, theirs in wrong:
    print(f"step {i}: {ours}, JAX recorded {theirs}")
sys.exit(bool(wrong))
