"""Prints a graph of products and depthwise convolutions behind them. Inputs and constants are few eighths and sixty-fourths, so that
products have the same sums in any order, and only their rounding to bf16 shows."""
import random
import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[2] / "Inputs"))
from dense import constant  # noqa: E402

numbers = random.Random(3)
# name, places, channels of the product, taps, rest of the convolution, places of its result
CASES = [("same", "9x8", 48, "3x3", "stride [1, 1] pad [[1, 1], [1, 1]]", "9x8"),
         ("stride", "9x8", 37, "3x3", "stride [2, 2] pad [[0, 1], [0, 1]]", "4x4"),
         ("wide", "5x16", 20, "1x7", "stride [1, 3] pad [[0, 0], [2, 2]]", "5x5"),
         ("dilated", "9x9", 144, "3x2", "stride [1, 1] pad [[2, 2], [0, 0]] dilation [2, 3]", "9x6")]


print("lathe.dim @N, 1 to 64")
lines, arguments, results = [], [], []
for name, places, channels, taps, rest, made in CASES:
    x, y, z = f"?x{places}x32", f"?x{places}x{channels}", f"?x{made}x{channels}"
    arguments.append(f"%{name}: tensor<{x}xf32> {{lathe.dims = #lathe.dims<N>}}")
    lines += [f"%{name}0 = lathe.mul %{name}, %many : tensor<{x}xf32>, tensor<f32>", f"%{name}1 = lathe.floor %{name}0 : tensor<{x}xf32>",
              f"%{name}2 = lathe.div %{name}1, %many : tensor<{x}xf32>, tensor<f32>", f"%{name}w = {constant(numbers, f'32x{channels}')}",
              f"%{name}3 = lathe.dot_general %{name}2, %{name}w contract [3] x [0] : tensor<{x}xf32>, tensor<32x{channels}xf32>",
              f"%{name}b = {constant(numbers, str(channels))}", f"%{name}4 = lathe.broadcast %{name}b dims [3] to [N, {places.replace('x', ', ')}, {channels}] : tensor<{channels}xf32> -> tensor<{y}xf32>",
              f"%{name}5 = lathe.add %{name}3, %{name}4 : tensor<{y}xf32>", f"%{name}6 = lathe.max %{name}5, %zero : tensor<{y}xf32>, tensor<f32>",
              f"%{name}k = {constant(numbers, f'{taps}x1x{channels}')}",
              f"%{name}7 = lathe.conv %{name}6, %{name}k {rest} groups {channels} : tensor<{y}xf32>, tensor<{taps}x1x{channels}xf32>"]
    results.append((f"%{name}7", f"tensor<{z}xf32>"))
outputs = ", ".join(f'{kind} {{lathe.name = "{value[1:-1]}_y"}}' for value, kind in results)
print(f"func.func @f({', '.join(arguments)}) -> ({outputs}) {{")
print("  %many = lathe.constant dense<64.0> : tensor<f32>\n  %zero = lathe.constant dense<0.0> : tensor<f32>")
print("\n".join("  " + line for line in lines))
print(f"  return {', '.join(value for value, _ in results)} : {', '.join(kind for _, kind in results)}\n}}")
