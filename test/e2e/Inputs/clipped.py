"""clipped.py COMMON: boxes and texts that leave a canvas of COMMON/picture.py on any side change only pixels of the canvas."""
import sys

sys.path.append(sys.argv[1])
from picture import INK, WHITE, Canvas  # noqa: E402

canvas = Canvas(6, 4)
canvas.text(-3, -3, "0", WHITE)
canvas.box(-2, 1, 3, 2, INK)
canvas.box(5, -3, 9, 4, INK)
canvas.box(2, 3, 1, 7, INK)
canvas.box(9, 0, 2, 2, INK)
canvas.box(-5, 0, 2, 2, INK)
rows = [canvas.pixels[3 * y * 6 : 3 * (y + 1) * 6] for y in range(4)]
for row in rows:
    print("".join(".#"[bytes(row[3 * x : 3 * x + 3]) == bytes(INK)] for x in range(6)))
