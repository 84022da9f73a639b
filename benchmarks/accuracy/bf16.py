"""Measures the rounding errors of products under --math=strict, and under --math=fast on CPUs with AVX512_BF16, and prints the table
of docs/fast-math.md (half a minute; needs NumPy and the clang of LLVM 22).

usage: bf16.py LATHE_RUN [CLANG]

Operands are normal numbers. Errors are those of the f32 results against sums in f64, over the root of the mean square of the results.
A stand-in computes the instruction (test/codegen/avx512), so that any machine with AVX2 measures it.
"""
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

STANDIN = Path(__file__).resolve().parent.parent.parent / "test/codegen/avx512/standin.py"
ROWS, COLUMNS, DEPTHS = 512, 512, (64, 512, 3072)
GRAPH = """
func.func @main(%x: tensor<{m}x{k}xf32>, %w: tensor<{k}x{n}xf32>) -> tensor<{m}x{n}xf32> {{
  %y = lathe.dot_general %x, %w contract [1] x [0] : tensor<{m}x{k}xf32>, tensor<{k}x{n}xf32>
  return %y : tensor<{m}x{n}xf32>
}}
"""


def run(tool, clang, folder, math):
    code = f"{folder}/product.mlir"
    if math == "fast":
        code = f"{folder}/product.o"
        subprocess.run([str(tool).replace("lathe-run", "lathec"), f"{folder}/product.mlir", "--math=fast", "--emit=llvm",
                        "--target=x86_64-linux-gnu:znver4", "-o", f"{folder}/product.ll"], check=True)
        subprocess.run([sys.executable, "-B", STANDIN, clang, f"{folder}/product.ll", code, "dpbf16ps.512"], check=True)
    subprocess.run([tool, code, "main", f"--input=x=@{folder}/x.npy", f"--input=w=@{folder}/w.npy", f"--output=y=@{folder}/y.npy"],
                   check=True, capture_output=True)
    return np.load(f"{folder}/y.npy")


def main(tool, clang="clang"):
    generator = np.random.default_rng(0)
    print("| depth | largest error, strict | fast | mean square root, strict | fast |\n|---|---|---|---|---|")
    for depth in DEPTHS:
        x = generator.standard_normal((ROWS, depth)).astype(np.float32)
        w = generator.standard_normal((depth, COLUMNS)).astype(np.float32)
        y = x.astype(np.float64) @ w.astype(np.float64)
        scale = np.sqrt((y**2).mean())
        with tempfile.TemporaryDirectory() as folder:
            np.save(f"{folder}/x.npy", x)
            np.save(f"{folder}/w.npy", w)
            Path(folder, "product.mlir").write_text(GRAPH.format(m=ROWS, n=COLUMNS, k=depth))
            off = [run(tool, clang, folder, math).astype(np.float64) - y for math in ("strict", "fast")]
        cells = [f"{np.abs(e).max() / scale:.1e}" for e in off] + [f"{np.sqrt((e**2).mean()) / scale:.1e}" for e in off]
        print(f"| {depth} | " + " | ".join(cells) + " |")


if __name__ == "__main__":
    main(*sys.argv[1:])
