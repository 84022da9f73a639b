"""loop.py FOLDER: a recurrence and a classifier with weights that are numbers of bf16, as plain.mlir, and as rounded.mlir with the
rounding of the left operands written out."""
import random
import struct
import sys

numbers = random.Random(1)


def constant(kind):
    rows, columns = map(int, kind.split("x"))
    data = b"".join(struct.pack("<f", numbers.randrange(-16, 17) / 64) for _ in range(rows * columns))
    return f'lathe.constant dense<"0x{data.hex().upper()}"> : tensor<{kind}xf32>'


WEIGHTS, CLASSES = constant("128x192"), constant("40x128")


def rounded(name, kind, isRounded):
    return [f"%{name}h = lathe.convert %{name} to bf16 : tensor<{kind}xf32>", f"%{name}r = lathe.convert %{name}h to f32 : tensor<{kind}xbf16>"] \
        if isRounded else [f"%{name}r = lathe.reshape %{name} to [{kind.replace('x', ', ')}] : tensor<{kind}xf32>"]


def graph(isRounded):
    return "\n".join([
        'func.func @f(%x: tensor<7x3x192xf32>, %h: tensor<3x128xf32>) -> (tensor<7x3x128xf32> {lathe.name = "states"}, tensor<3x40xf32> {lathe.name = "classes"}) {',
        f"  %w = {WEIGHTS}", f"  %v = {CLASSES}",
        "  %final, %states = lathe.scan carry(%c = %h : tensor<3x128xf32>) over(%s = %x : tensor<7x3x192xf32>) -> (tensor<3x128xf32>, tensor<7x3x128xf32>) {",
        *rounded("c", "3x128", isRounded),
        "    %p = lathe.dot_general %cr, %w contract [1] x [0] : tensor<3x128xf32>, tensor<128x192xf32>",
        "    %q = lathe.add %p, %s : tensor<3x192xf32>, tensor<3x192xf32>", "    %t = lathe.tanh %q : tensor<3x192xf32>",
        "    %n = lathe.slice %t from [0, 32] to [3, 160] : tensor<3x192xf32>",
        "    lathe.yield carry(%n : tensor<3x128xf32>) collect(%n : tensor<3x128xf32>)", "  }",
        *rounded("final", "3x128", isRounded),
        "  %classes = lathe.dot_general %finalr, %v contract [1] x [1] : tensor<3x128xf32>, tensor<40x128xf32>",
        "  return %states, %classes : tensor<7x3x128xf32>, tensor<3x40xf32>", "}", ""])


for name, isRounded in (("plain", False), ("rounded", True)):
    with open(f"{sys.argv[1]}/{name}.mlir", "w") as file:
        file.write(graph(isRounded))
