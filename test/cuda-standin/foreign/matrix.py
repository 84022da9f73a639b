"""Matrix products: every type of tensor cores, every order of both operands, operands from registers and by tensor maps."""
import numpy as np
import triton
import triton.language as tl

from formats import FORMATS, tf32
from kernels import Array, Case, Run, result
from roles import by_roles, in_turns


@triton.jit
def product(a, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, A_INSIDE: tl.constexpr,
            B_INSIDE: tl.constexpr, PRECISION: tl.constexpr, SUM: tl.constexpr):
    """c = a b; A_INSIDE, B_INSIDE: the depth of that operand lies inside."""
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    columns = tl.program_id(1) * BN + tl.arange(0, BN)
    depth = tl.arange(0, BK)
    if A_INSIDE:
        at_a = a + rows[:, None] * K + depth[None, :]
    else:
        at_a = a + rows[:, None] + depth[None, :] * M
    if B_INSIDE:
        at_b = b + depth[:, None] + columns[None, :] * K
    else:
        at_b = b + depth[:, None] * N + columns[None, :]
    total = tl.zeros((BM, BN), SUM)
    for k in range(0, K, BK):
        x = tl.load(at_a, mask=(rows[:, None] < M) & (depth[None, :] < K - k), other=0.0)
        y = tl.load(at_b, mask=(columns[None, :] < N) & (depth[:, None] < K - k), other=0.0)
        total = tl.dot(x, y, total, input_precision=PRECISION, out_dtype=SUM)
        at_a += BK if A_INSIDE else BK * M
        at_b += BK if B_INSIDE else BK * N
    inside = (rows[:, None] < M) & (columns[None, :] < N)
    tl.store(c + rows[:, None] * N + columns[None, :], total.to(c.dtype.element_ty), mask=inside)


@triton.jit
def widened(a, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    """The same of an `a` that is made of bytes in registers, and then multiplied by the halves of b."""
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    columns = tl.program_id(1) * BN + tl.arange(0, BN)
    depth = tl.arange(0, BK)
    total = tl.zeros((BM, BN), tl.float32)
    for k in range(0, K, BK):
        x = tl.load(a + rows[:, None] * K + (k + depth)[None, :]).to(b.dtype.element_ty)
        y = tl.load(b + (k + depth)[:, None] * N + columns[None, :])
        total = tl.dot(x, y, total)
    tl.store(c + rows[:, None] * N + columns[None, :], total)


@triton.jit
def by_maps(a, b, c, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, A_INSIDE: tl.constexpr, B_INSIDE: tl.constexpr,
            PRECISION: tl.constexpr, SUM: tl.constexpr):
    """The product of boxes that tensor maps describe."""
    row, column = tl.program_id(0) * BM, tl.program_id(1) * BN
    total = tl.zeros((BM, BN), SUM)
    for k in range(0, K, BK):
        x = a.load([row, k]) if A_INSIDE else a.load([k, row]).T
        y = b.load([column, k]).T if B_INSIDE else b.load([k, column])
        total = tl.dot(x, y, total, input_precision=PRECISION, out_dtype=SUM)
    c.store([row, column], total.to(c.dtype))


@triton.jit
def attention(q, k, v, o, KEYS, SCALE, BM: tl.constexpr, BN: tl.constexpr, D: tl.constexpr):
    """softmax(q k^T) v; the weights are an operand in registers."""
    rows, width = tl.program_id(0) * BM + tl.arange(0, BM), tl.arange(0, D)
    keys = tl.arange(0, BN)
    mine = tl.load(q + rows[:, None] * D + width[None, :])
    most = tl.full((BM,), float("-inf"), tl.float32)
    weight = tl.zeros((BM,), tl.float32)
    total = tl.zeros((BM, D), tl.float32)
    for first in range(0, KEYS, BN):
        their = tl.load(k + (first + keys)[None, :] * D + width[:, None])
        scores = tl.dot(mine, their) * SCALE
        higher = tl.maximum(most, tl.max(scores, 1))
        parts = tl.exp2(scores - higher[:, None])
        shrink = tl.exp2(most - higher)
        weight = weight * shrink + tl.sum(parts, 1)
        values = tl.load(v + (first + keys)[:, None] * D + width[None, :])
        total = tl.dot(parts.to(v.dtype.element_ty), values, total * shrink[:, None])
        most = higher
    tl.store(o + rows[:, None] * D + width[None, :], (total / weight[:, None]).to(o.dtype.element_ty))


SUMS = {"fp32": tl.float32, "fp16": tl.float16, "i32": tl.int32, "fp64": tl.float64}


def numbers(random, format, *shape):
    """Random ones that the format has, so that products of them are exact in f64."""
    if format.startswith("i"):
        return random.integers(-128, 128, shape)
    return FORMATS[format].decode(FORMATS[format].encode(random.standard_normal(shape)))


def compared(a, b, to, sums, operands=0.0):
    """The product in f64 and how far a result may lie from it: each step of a sum errs by a unit in the last place of the sum
    of magnitudes at most, operands by `operands` together, and the result is rounded."""
    a, b = np.asarray(a, np.float64), np.asarray(b, np.float64)
    wanted = a @ b
    step = 2 * FORMATS[sums].epsilon
    return {"c": (wanted, (a.shape[1] * step + operands) * (abs(a) @ abs(b)) + FORMATS[to].epsilon * abs(wanted))}


PRECISIONS = {"tf32": 0, "raw": 2.0 ** -9, "tf32x3": 2.0 ** -19, "ieee": 0} # the operands' error


def products(format, to="fp32", sums="fp32", *, precision="ieee", inside=(1, 0), size=(128, 128, 192), block=(64, 64, 64),
             kernel=product, stages=0, **options):
    """A case: `inside` says of both operands whether their depth is; precision `raw` is tf32 of numbers with more bits."""
    def make():
        (M, N, K), (BM, BN, BK) = size, block
        random = np.random.default_rng(K + BK + inside[0] * 2 + inside[1])
        a, b = numbers(random, format, M, K), numbers(random, format, K, N)
        if precision == "tf32":
            a, b = tf32(a), tf32(b)
        arrays = dict(a=Array(format, a if inside[0] else a.T), b=Array(format, b.T if inside[1] else b), c=result(to, M, N))
        constants = dict(BM=BM, BN=BN, BK=BK, A_INSIDE=bool(inside[0]), B_INSIDE=bool(inside[1]),
                         PRECISION="tf32" if precision == "raw" else precision, SUM=SUMS[sums])
        if kernel is not product:
            arrays["a"].box = (BM, BK) if inside[0] else (BK, BM)
            arrays["b"].box = (BN, BK) if inside[1] else (BK, BN)
            arrays["c"].box = (BM, BN)
            arguments = dict(arrays, K=K)
            constants.update(dict(STAGES=stages) if stages else {})
        else:
            arguments = dict(arrays, M=M, N=N, K=K)
        run = Run(kernel, arguments, constants, (-(-M // BM), -(-N // BN)), options)
        return run, compared(a, b, to, sums, PRECISIONS[precision])
    return make


def widenings(format, **options):
    def make():
        M, N, K = 128, 128, 128
        random = np.random.default_rng(5)
        a, b = numbers(random, "i8", M, K), numbers(random, format, K, N)
        run = Run(widened, dict(a=Array("i8", a), b=Array(format, b), c=result("fp32", M, N), M=M, N=N, K=K),
                  dict(BM=128, BN=64, BK=64), (M // 128, N // 64), options)
        return run, compared(a, b, "fp32", "fp32")
    return make


def attentions(format, block=(128, 64), width=64, **options):
    def make():
        rows, keys, scale = 256, 192, 0.25
        random = np.random.default_rng(3)
        q, k, v = (numbers(random, format, n, width) for n in (rows, keys, keys))
        scores = np.exp2(scale * (q @ k.T))
        weights = scores / scores.sum(1, keepdims=True)
        wanted = weights @ v
        # Weights are rounded to the format, scores err as sums of f32 do, and both make an error of the weights.
        error = FORMATS[format].epsilon + 2 * scale * width * 2.0 ** -23 * (abs(q) @ abs(k).T).max() + keys * 2.0 ** -23
        run = Run(attention, dict(q=Array(format, q), k=Array(format, k), v=Array(format, v), o=result("fp32", rows, width),
                                  KEYS=keys, SCALE=scale),
                  dict(BM=block[0], BN=block[1], D=width), (rows // block[0],), options)
        return run, {"o": (wanted, 2 * error * (weights @ abs(v)))}
    return make


def turns(format, **options):
    def make():
        pieces, rows, side = 5, 128, 64
        random = np.random.default_rng(9)
        a, b = numbers(random, format, rows, side), numbers(random, format, pieces * side, side)
        run = Run(in_turns, dict(a=Array(format, a), b=Array(format, b), c=result("fp32", rows, side)),
                  dict(PIECES=pieces, ROWS=rows, SIDE=side), (1,), options)
        return run, compared(np.tile(a, pieces), b, "fp32", "fp32")
    return make


ORDERS = [(1, 0), (1, 1), (0, 0), (0, 1)]


def ordered(order):
    return "-".join("inside" if x else "outside" for x in order)


def cases():
    for order in ORDERS:
        name = ordered(order)
        for format in ("fp16", "bf16"):
            yield Case(f"{format} {name}", (80, 90), products(format, inside=order, num_stages=3))
            yield Case(f"{format} {name} wide", (90,), products(format, format, inside=order, size=(256, 256, 128),
                                                               block=(128, 128, 64), num_warps=8, num_stages=3))
        yield Case(f"tf32 {name}", (80, 90), products("fp32", precision="tf32", inside=order, block=(64, 64, 32), num_stages=4))
        yield Case(f"tf32 of more bits {name}", (80, 90), products("fp32", precision="raw", inside=order, block=(64, 64, 32)))
        yield Case(f"tf32x3 {name}", (80, 90), products("fp32", precision="tf32x3", inside=order, block=(64, 64, 32)))
        yield Case(f"bytes {name}", (80, 90), products("i8", "i32", "i32", inside=order, block=(64, 64, 64), num_stages=3))
        yield Case(f"e4m3 {name}", (90,), products("fp8e4nv", inside=order, block=(64, 64, 64), num_stages=3))
    yield Case("f32 without tensor cores", (80, 90), products("fp32", size=(64, 64, 64), block=(32, 32, 32)))
    yield Case("f64", (80, 90), products("fp64", "fp64", "fp64", size=(64, 64, 64), block=(32, 32, 32)))
    yield Case("e5m2", (90,), products("fp8e5", block=(64, 64, 64)))
    for order in ORDERS[:2]:
        yield Case(f"e4m3 by mma.sync {ordered(order)}", (89,), products("fp8e4nv", inside=order, num_stages=3))
    # On sm_90a Triton reads sums of halves before it waits for them, and leaves it to ptxas to mend that (C7517).
    yield Case("sums of halves", (80,), products("fp16", "fp16", "fp16", num_stages=3))
    for stages in (1, 2, 4):
        yield Case(f"{stages} stages", (80, 90), products("bf16", num_stages=stages, size=(128, 128, 320)))
    yield Case("ragged", (80, 90), products("fp16", size=(100, 120, 72), block=(64, 64, 32), num_stages=3))
    yield Case("narrow", (80, 90), products("bf16", size=(128, 48, 96), block=(64, 16, 32), num_stages=3))
    yield Case("tall of 8 warps", (80, 90), products("fp16", size=(256, 64, 128), block=(256, 64, 32), num_warps=8))
    yield Case("clusters", (90,), products("bf16", num_ctas=2))
    for format in ("fp16", "bf16"):
        yield Case(f"{format} from registers", (80, 90), widenings(format, num_stages=3))
        yield Case(f"attention of {format}", (80, 90), attentions(format, num_stages=2))
        yield Case(f"attention of {format}, 8 warps", (80, 90), attentions(format, width=128, num_warps=8, num_stages=3))
    yield from mapped()


def mapped():
    """By tensor maps: 128, 64 and 32 bytes of depth or of rows, which choose the swizzle."""
    for order in ORDERS:
        name = ordered(order)
        for depth in (64, 32, 16):
            yield Case(f"maps bf16 {name} {depth}", (90,), products("bf16", "bf16", inside=order, block=(64, 64, depth),
                                                                          kernel=by_maps))
        yield Case(f"maps tf32 {name}", (90,), products("fp32", precision="tf32", inside=order, block=(64, 64, 32), kernel=by_maps))
        yield Case(f"maps fp16 {name} 8 warps", (90,), products("fp16", inside=order, block=(128, 128, 64), kernel=by_maps,
                                                                num_warps=8, num_stages=4))
        for format, columns, warps in (("fp16", 64, 4), ("bf16", 128, 4), ("bf16", 256, 8)):
            yield Case(f"roles {format} {name} {columns}", (90,),
                       products(format, "bf16" if columns == 256 else "fp32", inside=order, size=(256, 256, 448),
                                block=(16 * warps, columns, 64), kernel=by_roles, stages=3, num_warps=warps))
    yield Case("two warp groups in turns", (90,), turns("bf16", num_warps=8))
    yield Case("maps bytes", (90,), products("i8", "i32", "i32", inside=(1, 1), kernel=by_maps))
    yield Case("maps e4m3", (90,), products("fp8e4nv", inside=(1, 1), kernel=by_maps))
    yield Case("maps narrow", (90,), products("bf16", "bf16", block=(128, 32, 64), kernel=by_maps))
    yield Case("maps ragged", (90,), products("bf16", "bf16", size=(104, 120, 72), block=(64, 64, 32), kernel=by_maps))
    yield Case("maps clusters", (90,), products("bf16", block=(128, 128, 64), kernel=by_maps, num_ctas=2))
