// The code of a kernel whose inputs are contiguous along a dimension x, and its results along another one, y:
//
//   block of 32 x 8 threads per tile of 32 x 32 points:
//     for 4 rows: tile[y, x] = results at (x, y)           // adjacent threads along x, so that loads are contiguous
//     barrier
//     for 4 rows: results[x, y] = tile[y, x]               // adjacent threads along y, so that stores are contiguous
//
// The tile is in shared memory. Its rows are 33 elements apart, so that neither access has bank conflicts.
#include "codegen/GPU/Loops/Loops.h"
#include "codegen/GPU/Threads/ThreadFrame.h"
#include "codegen/Points/LeafAccesses.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::gpu;

static constexpr int64_t kTile = 32, kRows = 8; // elements along a side of a tile; rows of threads

/// Returns the dimension along which inputs are contiguous. Returns nullopt if an input is contiguous along the last dimension,
/// if inputs disagree, or if tiles would be too small, or too many for shared memory.
static std::optional<unsigned> readDimension(const KernelLoops &loops) {
  constexpr unsigned kWidest = 8; // bytes of the widest element
  unsigned dims = loops.extents.size(), symbols = loops.symbols.size();
  std::optional<unsigned> found;
  if (loops.reduction || dims < 2 || loops.roots.size() * kTile * (kTile + 1) * kWidest > kDeclaredSharedBytes)
    return std::nullopt;
  for (const LeafAccess &leaf : collectLeafAccesses(loops)) {
    std::optional<int64_t> alongLast = strideByPosition(leaf, dims - 1, dims, symbols);
    if (leaf.isWrite != (alongLast == 1))
      return std::nullopt;
    if (alongLast == 0) // uniform along the last dimension
      continue;
    for (unsigned dim = 0; !leaf.isWrite && dim + 1 < dims; ++dim)
      if (strideByPosition(leaf, dim, dims, symbols) == 1) {
        if (found && *found != dim)
          return std::nullopt;
        found = dim;
      }
  }
  auto isWide = [&](unsigned dim) { return loops.extents[dim].isStatic() && loops.extents[dim].constant() >= kTile / 2; };
  return found && isWide(*found) && isWide(dims - 1) ? found : std::nullopt;
}

namespace {
class TransposedEmitter {
public:
  TransposedEmitter(KernelOp kernel, KernelLoops kernelLoops, unsigned read, const FunctionPlace &place)
      : loops(std::move(kernelLoops)), read(read), last(loops.extents.size() - 1), thread(place.target.thread()),
        b(kernel.getContext()),
        frame(kernel, loops.symbols,
              makeFunction(kernel, place.module, place.name, wordsOf(kernel, loops.symbols), kTile * kRows), kTile * kRows,
              thread, b),
        eval(frame.eval) {}

  KernelCode emit();

private:
  int64_t tiles(unsigned dim) const { return llvm::divideCeil(loops.extents[dim].constant(), kTile); }
  bool isWhole(unsigned dim) const { return loops.extents[dim].constant() % kTile == 0; }
  Dim placeTile();
  void forElements(function_ref<void(Value inTile, Value row, ArrayRef<Index> point)> body, bool reads);

  KernelLoops loops;
  unsigned read, last;
  VectorTarget thread;
  OpBuilder b;
  ThreadFrame frame;
  PointEvaluator &eval;
  SmallVector<Index> point;
  Value firstRead, firstLast; // the tile's first index along `read` and `last`
};

/// Sets the block's tile. Returns the number of blocks.
Dim TransposedEmitter::placeTile() {
  Value number = frame.divide(frame.block, tiles(last));
  firstLast = eval.mul(frame.remainder(frame.block, tiles(last)), eval.i64(kTile));
  firstRead = eval.mul(frame.remainder(number, tiles(read)), eval.i64(kTile));
  Dims others(loops.extents.begin(), loops.extents.end());
  others[read] = others[last] = Dim(1);
  point = frame.indicesOf(frame.divide(number, tiles(read)), others);
  return productOf(others) * Dim(tiles(read) * tiles(last));
}

/// Calls the body for the thread's elements of the tile. Adjacent threads are adjacent along the dimension that is read, or
/// along the last one.
void TransposedEmitter::forElements(function_ref<void(Value inTile, Value row, ArrayRef<Index> point)> body, bool reads) {
  Value column = frame.remainder(frame.thread, kTile), start = frame.divide(frame.thread, kTile);
  for (int64_t step = 0; step < kTile; step += kRows) {
    Value row = eval.add(start, eval.i64(step));
    Value atRead = eval.add(firstRead, reads ? column : row), atLast = eval.add(firstLast, reads ? row : column), inside;
    if (!isWhole(read))
      inside = frame.isBelow(atRead, eval.extent(loops.extents[read]));
    if (!isWhole(last))
      inside = eval.both(inside, frame.isBelow(atLast, eval.extent(loops.extents[last])));
    point[read] = eval.uniform(atRead);
    point[last] = eval.uniform(atLast);
    eval.nextPoint();
    auto here = [&] { body(column, row, point); };
    inside ? frame.when(inside, here) : here();
  }
}

KernelCode TransposedEmitter::emit() {
  Dim blocks = placeTile();
  SmallVector<std::pair<Value, RankedTensorType>> memory; // one tile per result, with a column more against bank conflicts
  for (auto [i, root] : llvm::enumerate(loops.roots)) {
    Type element = cast<RankedTensorType>(root.getType()).getElementType();
    Type stored = element.isInteger(1) ? b.getI8Type() : eval.registerType(scalarOf(element));
    memory.push_back({frame.shared("tile" + std::to_string(i), stored, kTile * (kTile + 1)),
                      RankedTensorType::get({kTile, kTile + 1}, element)});
  }
  auto at = [&](Value row, Value column) { return SmallVector<Index>{eval.uniform(row), eval.uniform(column)}; };
  forElements(
      [&](Value column, Value row, ArrayRef<Index> point) {
        for (auto [root, tile] : llvm::zip_equal(loops.roots, memory))
          eval.store(eval.tensor(root, point), tile.first, tile.second, at(row, column));
      },
      /*reads=*/true);
  frame.barrier();
  forElements(
      [&](Value column, Value row, ArrayRef<Index> point) {
        for (auto [root, tile, output] : llvm::zip_equal(loops.roots, memory, frame.outputs))
          eval.store(eval.loadFrom(tile.first, tile.second, at(column, row)), output, cast<RankedTensorType>(root.getType()),
                     point);
      },
      /*reads=*/false);
  KernelCode code =
      frame.finish(loops.symbols, blocks, "tiles of 32 x 32 that are read along one dimension and written along another");
  code.unit = 1;
  return code;
}

class TransposedTilesForm : public FormOf<NoParameters> {
public:
  TransposedTilesForm() : FormOf("transposed_tiles") {}

  bool takes(KernelOp kernel, const Target &) const override {
    if (!isOfNests(kernel))
      return false;
    FailureOr<KernelLoops> loops = analyseLoops(kernel);
    return succeeded(loops) && readDimension(*loops);
  }

private:
  FailureOr<NoParameters> chooseFor(KernelOp, const Target &) const override { return NoParameters(); }
  FailureOr<KernelCode> emitBy(KernelOp kernel, const NoParameters &, const FunctionPlace &place) const override {
    FailureOr<KernelLoops> loops = analyseLoops(kernel);
    if (failed(loops))
      return failure();
    return TransposedEmitter(kernel, *loops, *readDimension(*loops), place).emit();
  }
};
} // namespace

const Form &lathe::gpu::transposedTilesForm() {
  static const TransposedTilesForm form;
  return form;
}
