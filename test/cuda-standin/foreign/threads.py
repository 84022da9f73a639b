"""Operations between threads: reductions, scans, sorts, histograms, gathers, atomic operations, moves between layouts."""
import numpy as np
import triton
import triton.language as tl

from formats import FORMATS
from kernels import Array, Case, Run, result


@triton.jit
def softmax(x, y, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    at = (tl.program_id(0) * ROWS + tl.arange(0, ROWS))[:, None] * COLUMNS + tl.arange(0, COLUMNS)[None, :]
    values = tl.load(x + at)
    parts = tl.exp(values - tl.max(values, 1)[:, None])
    tl.store(y + at, parts / tl.sum(parts, 1)[:, None])


@triton.jit
def reductions(x, sums, most, least, place, parity, ROWS: tl.constexpr, COLUMNS: tl.constexpr, AXIS: tl.constexpr):
    """Returns whole numbers, so that every order of a sum has the same result."""
    at = tl.arange(0, ROWS)[:, None] * COLUMNS + tl.arange(0, COLUMNS)[None, :]
    values = tl.load(x + at)
    kept = tl.arange(0, ROWS if AXIS == 1 else COLUMNS)
    tl.store(sums + kept, tl.sum(values, AXIS))
    tl.store(most + kept, tl.max(values, AXIS))
    tl.store(least + kept, tl.min(values, AXIS))
    tl.store(place + kept, tl.argmax(values, AXIS))
    tl.store(parity + kept, tl.xor_sum(values.to(tl.int32), AXIS))


@triton.jit
def larger(x, y):
    return tl.maximum(x, y)


@triton.jit
def affine(a, b, c, d):
    """First x to a x + b, then to c x + d: a composition, which does not commute."""
    return a * c, b * c + d


@triton.jit
def scans(x, w, sums, products, most, composed, ROWS: tl.constexpr, COLUMNS: tl.constexpr, AXIS: tl.constexpr,
          REVERSE: tl.constexpr):
    at = tl.arange(0, ROWS)[:, None] * COLUMNS + tl.arange(0, COLUMNS)[None, :]
    values, signs = tl.load(x + at), tl.load(w + at)
    tl.store(sums + at, tl.cumsum(values, AXIS, reverse=REVERSE))
    tl.store(products + at, tl.cumprod(signs, AXIS, reverse=REVERSE))
    tl.store(most + at, tl.associative_scan(values, AXIS, larger, reverse=REVERSE))
    _, offset = tl.associative_scan((signs, values), AXIS, affine, reverse=REVERSE)
    tl.store(composed + at, offset)


@triton.jit
def sorting(x, up, down, highest, turned, ROWS: tl.constexpr, COLUMNS: tl.constexpr, K: tl.constexpr):
    rows, columns = tl.arange(0, ROWS)[:, None], tl.arange(0, COLUMNS)[None, :]
    values = tl.load(x + rows * COLUMNS + columns)
    tl.store(up + rows * COLUMNS + columns, tl.sort(values, dim=1))
    tl.store(down + rows * COLUMNS + columns, tl.sort(values, dim=1, descending=True))
    tl.store(highest + rows * K + tl.arange(0, K)[None, :], tl.topk(values, K))
    tl.store(turned + rows * COLUMNS + columns, tl.flip(values, 1))


@triton.jit
def gathering(x, index, counts, taken, joined, SIZE: tl.constexpr, BINS: tl.constexpr, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    at = tl.arange(0, SIZE)
    places = tl.load(index + at)
    tl.store(counts + tl.arange(0, BINS), tl.histogram(places % BINS, BINS))
    grid = tl.arange(0, ROWS)[:, None] * COLUMNS + tl.arange(0, COLUMNS)[None, :]
    tl.store(taken + grid, tl.gather(tl.load(x + grid), tl.load(index + grid) % COLUMNS, 1))
    tl.store(joined + tl.arange(0, 2 * SIZE), tl.interleave(tl.load(x + at), -tl.load(x + at)))


@triton.jit
def moves(x, turned, folded, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    """From one layout among threads to another, through shared memory."""
    values = tl.load(x + tl.arange(0, ROWS)[:, None] * COLUMNS + tl.arange(0, COLUMNS)[None, :])
    tl.store(turned + tl.arange(0, COLUMNS)[:, None] * ROWS + tl.arange(0, ROWS)[None, :], tl.trans(values))
    halves = tl.reshape(values, (ROWS, 2, COLUMNS // 2))
    tl.store(folded + tl.arange(0, COLUMNS // 2)[:, None] * ROWS + tl.arange(0, ROWS)[None, :], tl.trans(tl.sum(halves, 1)))


@triton.jit
def atomics(index, sums, most, least, bits, halves, taken, locks, SIZE: tl.constexpr, PLACES: tl.constexpr):
    at = tl.program_id(0) * SIZE + tl.arange(0, SIZE)
    place, number = tl.load(index + at) % PLACES, at
    tl.atomic_add(sums + place, number.to(tl.float32))
    tl.atomic_max(most + place, number)
    tl.atomic_min(least + place, number)
    tl.atomic_xor(bits + place, number)
    tl.atomic_add(halves + place, tl.full((SIZE,), 1, halves.dtype.element_ty))
    tl.store(taken + at, tl.atomic_add(locks + tl.zeros((SIZE,), tl.int32), tl.full((SIZE,), 1, tl.int32)))


@triton.jit
def last_comer(x, parts, count, total, SIZE: tl.constexpr, BLOCKS: tl.constexpr):
    """Every block adds up a part; the one that comes last adds up the parts."""
    mine = tl.sum(tl.load(x + tl.program_id(0) * SIZE + tl.arange(0, SIZE)))
    tl.store(parts + tl.program_id(0), mine)
    tl.debug_barrier()
    if tl.atomic_add(count, 1, sem="acq_rel") == BLOCKS - 1:
        tl.store(total, tl.sum(tl.load(parts + tl.arange(0, BLOCKS), volatile=True)))


def whole(random, *shape):
    return random.integers(-50, 50, shape).astype(np.float64)


def of(kernel, inputs, results, constants, wanted, grid=(1,), bound=0.0, **options):
    """`inputs`: format and values by name; `results`: format; `wanted`: values, which give the results' shapes."""
    arguments = {name: Array(format, values) for name, (format, values) in inputs.items()}
    arguments.update({name: result(format, *np.shape(wanted[name])) for name, format in results.items()})
    checks = {name: (np.asarray(values, np.float64), bound) for name, values in wanted.items()}
    return Run(kernel, arguments, constants, grid, options), checks


def softmaxes(columns, **options):
    def make():
        x = FORMATS["fp32"].decode(FORMATS["fp32"].encode(np.random.default_rng(1).standard_normal((16, columns))))
        parts = np.exp(x - x.max(1, keepdims=True))
        # Each of the steps errs by two units of f32, a sum of positive numbers by one for each doubling; results are below 1.
        return of(softmax, dict(x=("fp32", x)), dict(y="fp32"), dict(ROWS=4, COLUMNS=columns),
                  dict(y=parts / parts.sum(1, keepdims=True)), (4,), 32 * 2.0 ** -24, **options)
    return make


def reduced(rows, columns, axis, **options):
    def make():
        x = whole(np.random.default_rng(2), rows, columns)
        wanted = dict(sums=x.sum(axis), most=x.max(axis), least=x.min(axis), place=x.argmax(axis),
                      parity=np.bitwise_xor.reduce(x.astype(np.int32), axis))
        return of(reductions, dict(x=("fp32", x)), dict(sums="fp32", most="fp32", least="fp32", place="i32", parity="i32"),
                  dict(ROWS=rows, COLUMNS=columns, AXIS=axis), wanted, **options)
    return make


def scanned(rows, columns, axis, reverse, **options):
    def make():
        random = np.random.default_rng(3)
        x, w = whole(random, rows, columns), random.choice([-1.0, 1.0], (rows, columns))
        turn = (lambda a: np.flip(a, axis)) if reverse else (lambda a: a)
        along, signs = turn(x), turn(w)
        composed = np.zeros_like(x)
        state = np.zeros_like(np.take(x, 0, axis))
        for i in range(x.shape[axis]):
            state = state * np.take(signs, i, axis) + np.take(along, i, axis)
            composed[(slice(None),) * axis + (i,)] = state
        wanted = dict(sums=turn(along.cumsum(axis)), products=turn(signs.cumprod(axis)),
                      most=turn(np.maximum.accumulate(along, axis)), composed=turn(composed))
        return of(scans, dict(x=("fp32", x), w=("fp32", w)), dict.fromkeys(wanted, "fp32"),
                  dict(ROWS=rows, COLUMNS=columns, AXIS=axis, REVERSE=reverse), wanted, **options)
    return make


def sorted_rows(format, rows, columns, **options):
    def make():
        x = whole(np.random.default_rng(4), rows, columns)
        up = np.sort(x, 1)
        wanted = dict(up=up, down=up[:, ::-1], highest=up[:, ::-1][:, :8], turned=x[:, ::-1])
        return of(sorting, dict(x=(format, x)), dict.fromkeys(wanted, format), dict(ROWS=rows, COLUMNS=columns, K=8), wanted,
                  **options)
    return make


def gathered(rows, columns, bins, **options):
    def make():
        random = np.random.default_rng(5)
        x, index = whole(random, rows, columns), random.integers(0, 1 << 20, (rows, columns))
        wanted = dict(counts=np.bincount(index.ravel() % bins, minlength=bins), taken=np.take_along_axis(x, index % columns, 1),
                      joined=np.stack([x.ravel(), -x.ravel()], 1).ravel())
        return of(gathering, dict(x=("fp32", x), index=("i32", index)), dict(counts="i32", taken="fp32", joined="fp32"),
                  dict(SIZE=rows * columns, BINS=bins, ROWS=rows, COLUMNS=columns), wanted, **options)
    return make


def moved(format, rows, columns, **options):
    def make():
        x = np.random.default_rng(6).integers(-7, 8, (rows, columns)).astype(np.float64) # sums of two are in every format
        wanted = dict(turned=x.T, folded=(x[:, :columns // 2] + x[:, columns // 2:]).T)
        return of(moves, dict(x=(format, x)), dict.fromkeys(wanted, format), dict(ROWS=rows, COLUMNS=columns), wanted, **options)
    return make


def counted(halves, **options):
    def make():
        blocks, size, places = 4, 256, 38 # of halves a whole number of words, which some of them are added by
        index = np.random.default_rng(7).integers(0, 1 << 20, blocks * size)
        place, number = index % places, np.arange(blocks * size)
        start = dict(sums=np.zeros(places), most=np.zeros(places), least=np.full(places, 1 << 20), bits=np.zeros(places),
                     halves=np.zeros(places), locks=np.zeros(1))
        wanted = {name: values.astype(np.int64) for name, values in start.items()}
        for name, operation in dict(sums=np.add, most=np.maximum, least=np.minimum, bits=np.bitwise_xor).items():
            operation.at(wanted[name], place, number)
        np.add.at(wanted["halves"], place, 1)
        wanted["locks"][0] = len(index)
        formats = dict(sums="fp32", most="i32", least="i32", bits="i32", halves=halves, locks="i32")
        run, checks = of(atomics, dict(index=("i32", index)), dict(taken="i32"), dict(SIZE=size, PLACES=places),
                         dict(taken=np.zeros(len(index))), (blocks,), **options)
        checks = {name: (values.astype(np.float64), 0) for name, values in wanted.items()}
        for name, values in start.items():
            run.arguments[name] = Array(formats[name], values, isResult=True)
        return run, checks
    return make


def last(**options):
    def make():
        blocks, size = 8, 256
        x = whole(np.random.default_rng(8), blocks * size)
        run, checks = of(last_comer, dict(x=("fp32", x)), dict(parts="fp32", total="fp32"), dict(SIZE=size, BLOCKS=blocks),
                         dict(parts=x.reshape(blocks, size).sum(1), total=[x.sum()]), (blocks,), **options)
        run.arguments["count"] = Array("i32", np.zeros(1), isResult=True)
        return run, checks
    return make


def cases():
    both = (80, 90)
    for columns, warps in ((64, 1), (512, 4), (4096, 8)):
        yield Case(f"softmax of {columns}", both, softmaxes(columns, num_warps=warps))
    for axis in (0, 1):
        for rows, columns, warps in ((16, 64, 4), (128, 32, 8), (1, 2048, 4), (64, 16, 1)):
            yield Case(f"reductions {rows} x {columns} along {axis}", both, reduced(rows, columns, axis, num_warps=warps))
        for reverse in (False, True):
            for rows, columns, warps in ((16, 64, 4), (64, 128, 8)):
                yield Case(f"scans {rows} x {columns} along {axis}{' back' * reverse}", both,
                           scanned(rows, columns, axis, reverse, num_warps=warps))
    for format in ("fp32", "i32", "fp16", "i64"):
        yield Case(f"sort of {format}", both, sorted_rows(format, 8, 128, num_warps=4))
    yield Case("sort of long rows", both, sorted_rows("fp32", 2, 1024, num_warps=8))
    yield Case("gathers", both, gathered(16, 64, 32, num_warps=4))
    yield Case("gathers in a warp", both, gathered(32, 32, 128, num_warps=1))
    for format in ("fp32", "fp16", "bf16", "i8", "fp64"):
        yield Case(f"moves of {format}", both, moved(format, 64, 128, num_warps=4))
    for format in ("fp16", "bf16", "fp32"):
        yield Case(f"atomics, {format}", both, counted(format, num_warps=4))
    yield Case("the last block", both, last(num_warps=4))
    yield Case("reductions in clusters", (90,), reduced(64, 128, 1, num_warps=4, num_ctas=2))
    yield Case("moves in clusters", (90,), moved("fp32", 64, 128, num_warps=4, num_ctas=2))
