"""near.py FILE...: compares f32 weights in .npy files with those of the first file, which must have moved from where they began, 0.5."""
import sys

import npyfile

first, *others = [npyfile.read_values(path) for path in sys.argv[1:]]
if all(value == 0.5 for value in first):
    raise SystemExit("the weights have not moved")
for values in others:
    worst = max(abs(value - wanted) / abs(wanted) for value, wanted in zip(values, first, strict=True))
    if worst > 1e-6:
        raise SystemExit(f"the weights differ by {worst}")
