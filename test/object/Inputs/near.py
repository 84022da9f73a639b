"""Two files of the same lines, whose numbers agree to 1e-5 of the largest."""
import sys

there, here = ([line.split()[-1] for line in open(path)] for path in sys.argv[1:])
assert len(there) == len(here) > 2 and there[0] == here[0] == "0", (there[0], here[0])
largest = max(abs(float(x)) for x in here)
assert largest > 0.1, largest
for a, b in zip(there, here):
    assert abs(float(a) - float(b)) <= 1e-5 * largest, (a, b)
