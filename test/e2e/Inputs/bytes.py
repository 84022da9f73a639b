"""bytes.py FILE ROWS COLUMNS OUT: the first bytes of a file as a tensor of i32."""
import sys

import npyfile

path, rows, columns, out = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4]
values = open(path, "rb").read(rows * columns)
assert len(values) == rows * columns
npyfile.write(out, "<i4", values, (rows, columns))
