"""The structure of our own products on sm_90a, in Gluon, Triton's lower language: one warp copies boxes to a ring of stages, one or
two warp groups multiply them, and barriers in shared memory say which stage is full and which has been read."""
from triton.experimental import gluon
from triton.experimental.gluon import language as gl
from triton.experimental.gluon.language.nvidia.hopper import fence_async_shared, mbarrier, tma, warpgroup_mma, warpgroup_mma_wait


@gluon.jit
def fill(a, b, c, pieces, rooms_a, rooms_b, full, empty, BK: gl.constexpr, A_INSIDE: gl.constexpr, B_INSIDE: gl.constexpr,
         STAGES: gl.constexpr, BM: gl.constexpr, BN: gl.constexpr):
    row, column = gl.program_id(0) * BM, gl.program_id(1) * BN
    for turn in range(pieces):
        stage = turn % STAGES
        mbarrier.wait(empty.index(stage), (turn // STAGES & 1) ^ 1)
        mbarrier.expect(full.index(stage), a.nbytes_per_cta + b.nbytes_per_cta)
        tma.async_load(a, [row, turn * BK] if A_INSIDE else [turn * BK, row], full.index(stage), rooms_a.index(stage))
        tma.async_load(b, [column, turn * BK] if B_INSIDE else [turn * BK, column], full.index(stage), rooms_b.index(stage))


@gluon.jit
def drain(a, b, c, pieces, rooms_a, rooms_b, full, empty, BK: gl.constexpr, A_INSIDE: gl.constexpr, B_INSIDE: gl.constexpr,
          STAGES: gl.constexpr, BM: gl.constexpr, BN: gl.constexpr):
    layout: gl.constexpr = gl.NVMMADistributedLayout([3, 0], [gl.num_warps(), 1], [16, BN, 256 // a.dtype.primitive_bitwidth])
    total = gl.zeros((BM, BN), gl.float32, layout)
    for turn in range(pieces):
        stage = turn % STAGES
        mbarrier.wait(full.index(stage), turn // STAGES & 1)
        x = rooms_a.index(stage) if A_INSIDE else rooms_a.index(stage).permute((1, 0))
        y = rooms_b.index(stage).permute((1, 0)) if B_INSIDE else rooms_b.index(stage)
        total = warpgroup_mma(x, y, total, is_async=True)
        # The products of the piece before have been read once only these are under way.
        total = warpgroup_mma_wait(1, deps=[total])
        mbarrier.arrive(empty.index((turn + STAGES - 1) % STAGES), pred=turn > 0)
    total = warpgroup_mma_wait(0, deps=[total])
    room = gl.allocate_shared_memory(c.dtype, c.block_shape, c.layout)
    room.store(total.to(c.dtype))
    fence_async_shared()
    gl.barrier()
    tma.async_store(c, [gl.program_id(0) * BM, gl.program_id(1) * BN], room)
    tma.store_wait(0)


@gluon.jit
def by_roles(a, b, c, K, BM: gl.constexpr, BN: gl.constexpr, BK: gl.constexpr, A_INSIDE: gl.constexpr, B_INSIDE: gl.constexpr,
             PRECISION: gl.constexpr, SUM: gl.constexpr, STAGES: gl.constexpr):
    rooms_a = gl.allocate_shared_memory(a.dtype, [STAGES] + a.block_shape, a.layout)
    rooms_b = gl.allocate_shared_memory(b.dtype, [STAGES] + b.block_shape, b.layout)
    full = gl.allocate_shared_memory(gl.int64, [STAGES, 1], mbarrier.MBarrierLayout())
    empty = gl.allocate_shared_memory(gl.int64, [STAGES, 1], mbarrier.MBarrierLayout())
    for stage in gl.static_range(STAGES):
        mbarrier.init(full.index(stage), count=1)
        mbarrier.init(empty.index(stage), count=1)
    pieces = gl.cdiv(K, BK)
    gl.warp_specialize([(drain, (a, b, c, pieces, rooms_a, rooms_b, full, empty, BK, A_INSIDE, B_INSIDE, STAGES, BM, BN)),
                        (fill, (a, b, c, pieces, rooms_a, rooms_b, full, empty, BK, A_INSIDE, B_INSIDE, STAGES, BM, BN))],
                       [1], [40])


@gluon.jit
def in_turns(a, b, c, PIECES: gl.constexpr, ROWS: gl.constexpr, SIDE: gl.constexpr):
    """Two rooms for pieces of b, written in turns by the groups that multiply: none may write what another still reads."""
    sums: gl.constexpr = gl.NVMMADistributedLayout([3, 0], [gl.num_warps(), 1], [16, SIDE, 16])
    threads: gl.constexpr = gl.BlockedLayout([1, 8], [4, 8], [gl.num_warps(), 1], [1, 0])
    swizzled: gl.constexpr = gl.NVMMASharedLayout(128, 16, 2)
    columns = gl.arange(0, SIDE, layout=gl.SliceLayout(0, threads))[None, :]
    rows = gl.arange(0, ROWS, layout=gl.SliceLayout(1, threads))[:, None]
    at = b + gl.arange(0, SIDE, layout=gl.SliceLayout(1, threads))[:, None] * SIDE + columns
    lhs = gl.allocate_shared_memory(a.dtype.element_ty, [ROWS, SIDE], swizzled)
    lhs.store(gl.load(a + rows * SIDE + columns))
    even = gl.allocate_shared_memory(b.dtype.element_ty, [SIDE, SIDE], swizzled)
    odd = gl.allocate_shared_memory(b.dtype.element_ty, [SIDE, SIDE], swizzled)
    total = gl.zeros((ROWS, SIDE), gl.float32, sums)
    for piece in gl.static_range(PIECES):
        room = odd if piece % 2 else even
        room.store(gl.load(at + piece * SIDE * SIDE))
        fence_async_shared()
        total = warpgroup_mma(lhs, room, total, is_async=True)
        total = warpgroup_mma_wait(min(piece, 1), deps=[total])
    total = warpgroup_mma_wait(0, deps=[total])
    to = c + gl.arange(0, ROWS, layout=gl.SliceLayout(1, sums))[:, None] * SIDE
    gl.store(to + gl.arange(0, SIDE, layout=gl.SliceLayout(0, sums))[None, :], total)
