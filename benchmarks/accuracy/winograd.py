"""Measures the rounding errors of 3x3 convolutions and of the gradients of their filters under --math=strict and --math=fast, and
prints the tables of docs/fast-math.md (a minute; needs NumPy).

usage: winograd.py LATHE_RUN

Inputs are normal and rectified, filters normal with a variance of 2 / (9 C), as in a network of rectifiers, and cotangents normal.
Errors are those of the f32 results against sums in f64, over the root of the mean square of the results.
"""
import subprocess
import sys
import tempfile

import numpy as np

FILTERS = 32
IMAGES = {4: (2, 24), 2: (64, 6)}  # side of the square that the compiler chooses: images, and outputs a side
CHANNELS = {4: (16, 64, 256, 512), 2: (64, 256, 512)}
GRAPH = """
func.func @main(%x: tensor<{n}x{i}x{i}x{c}xf32>, %w: tensor<3x3x{c}x{f}xf32>) -> tensor<{n}x{o}x{o}x{f}xf32> {{
  %y = lathe.conv %x, %w stride [1, 1] pad [[0, 0], [0, 0]] : tensor<{n}x{i}x{i}x{c}xf32>, tensor<3x3x{c}x{f}xf32>
  return %y : tensor<{n}x{o}x{o}x{f}xf32>
}}
"""


GRADIENT = """
func.func @main(%x: tensor<{n}x{i}x{i}x{c}xf32>, %w: tensor<{n}x{o}x{o}x{f}xf32>) -> tensor<3x3x{c}x{f}xf32> {{
  %y = lathe.conv_filter_grad %x, %w filter [3, 3] stride [1, 1] pad [[0, 0], [0, 0]]
    : tensor<{n}x{i}x{i}x{c}xf32>, tensor<{n}x{o}x{o}x{f}xf32>
  return %y : tensor<3x3x{c}x{f}xf32>
}}
"""
GRADIENTS = {4: ((2, 24), (16, 24), (64, 56)), 2: ((64, 6), (512, 6))}  # of 32 channels: images, and outputs a side


def exact(x, w, side):
    x, w = x.astype(np.float64), w.astype(np.float64)
    return sum(x[:, i:i + side, j:j + side] @ w[i, j] for i in range(3) for j in range(3))


def exact_gradient(x, dy, side):
    x, dy = x.astype(np.float64), dy.astype(np.float64).reshape(-1, dy.shape[-1])
    taps = [[x[:, i:i + side, j:j + side].reshape(-1, x.shape[-1]).T @ dy for j in range(3)] for i in range(3)]
    return np.array(taps)


def run(tool, folder, math, square):
    command = [tool, f"{folder}/conv.mlir", "main", f"--math={math}", f"--input=x=@{folder}/x.npy", f"--input=w=@{folder}/w.npy",
               f"--output=y=@{folder}/y.npy"]
    subprocess.run(command, check=True, capture_output=True)
    compiler = str(tool).replace("lathe-run", "lathec")
    told = subprocess.run([compiler, f"{folder}/conv.mlir", f"--math={math}", "--emit=none", "--explain"], check=True,
                          capture_output=True, text=True).stderr
    assert (f"F({square}x{square}, 3x3)" in told) == (math == "fast"), told
    return np.load(f"{folder}/y.npy")


def errors(tool, graph, x, w, y, square):
    """Returns the cells with the largest errors and the roots of the mean squares, strict and fast."""
    scale = np.sqrt((y**2).mean())
    with tempfile.TemporaryDirectory() as folder:
        np.save(f"{folder}/x.npy", x)
        np.save(f"{folder}/w.npy", w)
        with open(f"{folder}/conv.mlir", "w") as file:
            file.write(graph)
        off = [run(tool, folder, math, square).astype(np.float64) - y for math in ("strict", "fast")]
    cells = [f"{np.abs(e).max() / scale:.1e}" for e in off] + [f"{np.sqrt((e**2).mean()) / scale:.1e}" for e in off]
    return " | ".join(cells)


def images_of(generator, images, side, channels):
    return np.maximum(generator.standard_normal((images, side + 2, side + 2, channels)), 0).astype(np.float32)


def main(tool):
    generator = np.random.default_rng(0)
    head = "largest error, strict | fast | mean square root, strict | fast |"
    print(f"| squares of | channels | {head}\n|---|---|---|---|---|---|")
    for square, (images, side) in IMAGES.items():
        for channels in CHANNELS[square]:
            x = images_of(generator, images, side, channels)
            w = (generator.standard_normal((3, 3, channels, FILTERS)) * np.sqrt(2 / (9 * channels))).astype(np.float32)
            graph = GRAPH.format(n=images, i=side + 2, o=side, c=channels, f=FILTERS)
            print(f"| {square}x{square} | {channels} | {errors(tool, graph, x, w, exact(x, w, side), square)} |")
    print(f"\n| squares of | outputs | {head}\n|---|---|---|---|---|---|")
    for square, cases in GRADIENTS.items():
        for images, side in cases:
            x = images_of(generator, images, side, FILTERS)
            dy = generator.standard_normal((images, side, side, FILTERS)).astype(np.float32)
            graph = GRADIENT.format(n=images, i=side + 2, o=side, c=FILTERS, f=FILTERS)
            cells = errors(tool, graph, x, dy, exact_gradient(x, dy, side), square)
            print(f"| {square}x{square} | {images} x {side} x {side} | {cells} |")


if __name__ == "__main__":
    main(sys.argv[1])
