"""A graph that joins COUNT vectors: wide.py COUNT"""

import sys

vectors = [f"%x{i}" for i in range(int(sys.argv[1]))]
arguments = ", ".join(f"{vector}: tensor<4xf32>" for vector in vectors)
types = ", ".join("tensor<4xf32>" for _ in vectors)
joined = f"tensor<{4 * len(vectors)}xf32>"
print(f"func.func @join({arguments}) -> {joined} {{")
print(f"  %0 = lathe.concatenate {', '.join(vectors)} dim 0 : {types}")
print(f"  return %0 : {joined}\n}}")
