"""Prints a graph of convolutions whose images and filters are numbers of bf16: strides, borders of different widths, dilation, one tap,
lines with odd numbers of factors, images of one dimension, a known number of images."""
import random
import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[2] / "Inputs"))
from dense import constant  # noqa: E402

numbers = random.Random(1)
# name, images, filter, rest of the op, result
CASES = [("stride", "?x9x8x32", "3x3x32x48", "stride [2, 2] pad [[0, 1], [1, 2]]", "?x4x5x48"),
         ("border", "?x5x4x40", "3x3x40x64", "stride [1, 1] pad [[1, 1], [1, 1]]", "?x5x4x64"),
         ("dilated", "?x9x8x32", "3x2x32x20", "stride [1, 2] pad [[2, 0], [0, 1]] dilation [2, 3]", "?x7x3x20"),
         ("single", "?x9x8x64", "1x1x64x32", "stride [2, 3] pad [[0, 0], [0, 0]]", "?x5x3x32"),
         ("line", "?x12x32", "5x32x33", "stride [1] pad [[2, 2]]", "?x12x33"),
         ("first", "?x9x11x3", "7x7x3x32", "stride [2, 2] pad [[3, 3], [3, 3]]", "?x5x6x32"),
         ("odd", "?x5x7x5", "5x3x5x16", "stride [1, 3] pad [[2, 2], [1, 0]]", "?x5x2x16"),
         ("taps", "?x20x33", "4x33x20", "stride [2] pad [[1, 2]] dilation [3]", "?x7x20"),
         ("batch", "3x6x6x32", "3x3x32x32", "stride [1, 1] pad [[1, 1], [1, 1]]", "3x6x6x32")]


def named(kind):
    return f"tensor<{kind}xf32>" + (" {lathe.dims = #lathe.dims<N>}" if kind[0] == "?" else "")


arguments, lines, results, types = [], [], [], []
for name, images, taps, rest, result in CASES:
    arguments.append(f"%{name}: {named(images)}")
    lines += [f"%{name}h = lathe.convert %{name} to bf16 : tensor<{images}xf32>", f"%{name}x = lathe.convert %{name}h to f32 : tensor<{images}xbf16>",
              f"%{name}w = {constant(numbers, taps)}", f"%{name}y = lathe.conv %{name}x, %{name}w {rest} : tensor<{images}xf32>, tensor<{taps}xf32>"]
    results.append(f"%{name}y")
    types.append(f"tensor<{result}xf32>")
print("lathe.dim @N, 1 to 64")
outputs = [f'{kind} {{lathe.name = "{result[1:]}"}}' for result, kind in zip(results, types)]
print(f"func.func @f({', '.join(arguments)}) -> ({', '.join(outputs)}) {{")
print("\n".join("  " + line for line in lines))
print(f"  return {', '.join(results)} : {', '.join(types)}\n}}")
