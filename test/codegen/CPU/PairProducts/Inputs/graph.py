"""Writes a graph of products for --math=fast, and what expect.c needs to compute them: graph.py FOLDER.

FOLDER gets graph.mlir, the constants as .npy files, and `cases`: on each line the names of the operands and of the result, then the
number of products of a sum, the number of columns, and 1 if the result is rounded to bf16."""
import os
import random
import struct
import sys

import npyfile

# Rows (a list of extents; a letter is a named one), products of a sum, columns, and whether the right operand is a constant.
CASES = [([70], 64, 96, False), ([70], 64, 96, True), (["M"], 71, 100, False), (["M"], 71, 100, True), ([1], 200, 300, True),
         ([3], 129, 130, True), ([2, 9], 33, 65, True), (["M", 3], 10, 64, True), ([300], 1, 64, False), ([64], 6000, 80, False),
         ([5], 300, 64, True), ([130], 2, 1000, True), ([7], 2049, 72, True)]
SPECIAL = [0.0, -0.0, 1e-40, -3e-39, 1.1754944e-38, 3e38, -3.4e38, float("inf"), float("nan"), 1.00390625, 1.01171875, 2.0 ** -70]
numbers = random.Random(7)


def single(kind):
    if kind == "special" and numbers.random() < 0.02:
        return numbers.choice(SPECIAL)
    return numbers.gauss(0, 1)


def words(count, kind="plain"):
    return struct.pack(f"<{count}f", *(single(kind) for _ in range(count)))


def tensor(extents):
    return f"tensor<{'x'.join('?' if isinstance(e, str) else str(e) for e in extents)}xf32>"


def main(folder):
    arguments, lines, results, cases = [], [], [], []
    for i, (rows, depth, columns, is_constant) in enumerate(CASES):
        left, right, result = tensor([*rows, depth]), tensor([depth, columns]), tensor([*rows, columns])
        dims = f" {{lathe.dims = #lathe.dims<M>, lathe.name = \"x{i}\"}}" if "M" in rows else f' {{lathe.name = "x{i}"}}'
        arguments.append(f"%x{i}: {left}{dims}")
        if is_constant:
            data = words(depth * columns, "special" if i % 2 else "plain")
            npyfile.write_bytes(f"{folder}/in-w{i}.npy", "<f4", data, (depth, columns))
            lines.append(f'%w{i} = lathe.constant dense<"0x{data.hex().upper()}"> : {right}')
        else:
            arguments.append(f'%w{i}: {right} {{lathe.name = "w{i}"}}')
        lines.append(f"%y{i} = lathe.dot_general %x{i}, %w{i} contract [{len(rows)}] x [0] : {left}, {right}")
        results.append((f"%y{i}", result, f"y{i}"))
        cases.append(f"x{i} w{i} y{i} {depth} {columns} 0")
    # A product of a product: the kernel of the first one stores its results as bf16, beside what the entry returns.
    lines.append("%deep = lathe.tanh %y0 : tensor<70x96xf32>")
    arguments.append('%v: tensor<96x64xf32> {lathe.name = "v"}')
    lines.append("%again = lathe.dot_general %deep, %v contract [1] x [0] : tensor<70x96xf32>, tensor<96x64xf32>")
    results += [("%deep", "tensor<70x96xf32>", "deep"), ("%again", "tensor<70x64xf32>", "again")]
    # A product of bf16, and a convolution with one tap.
    lines += ["%hx = lathe.convert %x0 to bf16 : tensor<70x64xf32>", "%hw = lathe.convert %w0 to bf16 : tensor<64x96xf32>",
              "%hy = lathe.dot_general %hx, %hw contract [1] x [0] : tensor<70x64xbf16>, tensor<64x96xbf16>",
              "%half = lathe.convert %hy to f32 : tensor<70x96xbf16>",
              "%conv = lathe.conv %image, %filter stride [1, 1] pad [[0, 0], [0, 0]] : tensor<3x5x6x32xf32>, tensor<1x1x32x72xf32>"]
    arguments += ['%image: tensor<3x5x6x32xf32> {lathe.name = "image"}', '%filter: tensor<1x1x32x72xf32> {lathe.name = "filter"}']
    results += [("%half", "tensor<70x96xf32>", "half"), ("%conv", "tensor<3x5x6x72xf32>", "conv")]
    cases += ["deep v again 96 64 0", "x0 w0 half 64 96 1", "image filter conv 32 72 0"]
    with open(f"{folder}/graph.mlir", "w") as graph:
        graph.write(f"func.func @main({', '.join(arguments)})\n    -> ({', '.join(r[1] + f' {{lathe.name = {chr(34)}{r[2]}{chr(34)}}}' for r in results)}) {{\n")
        graph.write("".join(f"  {line}\n" for line in lines))
        graph.write(f"  return {', '.join(r[0] for r in results)} : {', '.join(r[1] for r in results)}\n}}\n")
    for i, (rows, depth, columns, is_constant) in enumerate(CASES): # inputs with special values
        extents = [5 if e == "M" else e for e in rows]
        count = 1
        for extent in extents:
            count *= extent
        npyfile.write_bytes(f"{folder}/given-x{i}.npy", "<f4", words(count * depth, "special" if i % 3 == 2 else "plain"), (*extents, depth))
    with open(f"{folder}/cases", "w") as file:
        file.write("\n".join(cases) + "\n")


if __name__ == "__main__":
    os.makedirs(sys.argv[1], exist_ok=True)
    main(sys.argv[1])
