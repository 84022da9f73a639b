"""Only copies by tensor maps: their ranks, what lies outside of a tensor, and additions to memory."""
import numpy as np
import triton
import triton.language as tl

from kernels import Array, Case, Run, result


@triton.jit
def line(x, y, B: tl.constexpr):
    y.store([tl.program_id(0) * B], x.load([tl.program_id(0) * B]) * 2)


@triton.jit
def solid(x, y, B: tl.constexpr, C: tl.constexpr, D: tl.constexpr):
    at = tl.program_id(0) * B, tl.program_id(1) * C, tl.program_id(2) * D
    y.store([at[0], at[1], at[2]], x.load([at[0], at[1], at[2]]) * 2)


@triton.jit
def five(x, y, FIRST: tl.constexpr, B: tl.constexpr, C: tl.constexpr, D: tl.constexpr):
    first, second = tl.program_id(0) // FIRST, tl.program_id(0) % FIRST
    third, row, column = 0, tl.program_id(1) * C, tl.program_id(2) * D
    for step in range(2):
        third = step * B
        y.store([first, second, third, row, column], x.load([first, second, third, row, column]) * 2)


@triton.jit
def added(x, y, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    """All blocks add to the same box."""
    y.atomic_add([0, 0], x.load([tl.program_id(0) * ROWS, 0]))


def doubled(kernel, format, shape, box, grid, constants):
    def make():
        x = np.random.default_rng(1).integers(-60, 60, shape).astype(np.float64)
        run = Run(kernel, dict(x=Array(format, x, box), y=result(format, *shape, box=box)), constants, grid)
        return run, {"y": (2 * x, 0)}
    return make


def summed(format, rows, columns):
    def make():
        blocks = 5
        x = np.random.default_rng(2).integers(-9, 9, (blocks * rows, columns)).astype(np.float64)
        y = np.random.default_rng(3).integers(-9, 9, (rows, columns)).astype(np.float64)
        run = Run(added, dict(x=Array(format, x, (rows, columns)), y=Array(format, y, (rows, columns), isResult=True)),
                  dict(ROWS=rows, COLUMNS=columns), (blocks,))
        return run, {"y": (y + x.reshape(blocks, rows, columns).sum(0), 0)}
    return make


def cases():
    for format in ("fp16", "fp32", "i8", "i32", "bf16"):
        yield Case(f"boxes of one dimension of {format}", (90,), doubled(line, format, (1000,), (128,), (8,), dict(B=128)))
        yield Case(f"boxes of three dimensions of {format}", (90,),
                   doubled(solid, format, (3, 50, 96), (1, 16, 32), (3, 4, 3), dict(B=1, C=16, D=32)))
    yield Case("deep boxes", (90,), doubled(solid, "bf16", (6, 20, 64), (4, 8, 64), (2, 3, 1), dict(B=4, C=8, D=64)))
    yield Case("boxes of five dimensions", (90,),
               doubled(five, "fp16", (2, 3, 7, 20, 72), (1, 1, 4, 16, 32), (6, 2, 3), dict(FIRST=3, B=4, C=16, D=32)))
    for format, rows, columns in (("fp32", 16, 32), ("fp16", 32, 64), ("bf16", 16, 128), ("i32", 8, 64)):
        yield Case(f"additions of {format} by boxes", (90,), summed(format, rows, columns))
