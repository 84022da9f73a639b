#include "codegen/GPU/Contraction/Schedule.h"
#include "codegen/GPU/Threads/Parts.h"
#include "codegen/GPU/Tuning.h"
#include "codegen/Schedules/Parameters.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::gpu;

std::optional<TiledProduct> TiledProduct::of(KernelOp kernel) {
  if (!isOfNests(kernel))
    return std::nullopt;
  FailureOr<KernelLoops> loops = analyseLoops(kernel);
  if (failed(loops))
    return std::nullopt;
  std::optional<Product> product = Product::of(kernel, *loops);
  if (!product)
    return std::nullopt;
  for (ArrayRef<unsigned> dims : {ArrayRef(product->rows), ArrayRef(product->columns), ArrayRef(product->depth)})
    if (Dim all = extentOf(*loops, dims); all.isStatic() && all.constant() < tuning::kLeastProduct)
      return std::nullopt;
  return TiledProduct{std::move(*loops), std::move(*product)};
}

static bool isCopied(const Product &product) { return product.lhs.copied > 0 || product.rhs.copied > 0; }

static unsigned elementBytes(const Product &product) { return product.element.getIntOrFloatBitWidth() / 8; }

/// Returns the bytes of a stage, which is a k-slice of both operands.
static unsigned stageBytes(const Tile &tile, const Product &product) {
  return (tile.rows + tile.columns) * tile.depth * elementBytes(product);
}

/// Chooses the number of stages. K-slices that pass through registers are one stage ahead, copies as many as fit.
static int64_t chooseStages(const Tile &tile, const Product &product, const Target &target) {
  unsigned fitting = target.sharedBytesOfBlock(tuning::kBlocksTogether) / stageBytes(tile, product);
  return isCopied(product) ? std::clamp(fitting, tuning::kLeastStages, tuning::kMostStages) : 2;
}

/// Returns the parts of the depth that give a GPU enough blocks, or 1 if the number of tiles is not known.
static int64_t chooseSplit(const TiledProduct &tiled, const Tile &tile) {
  Dim tiles = TileGrid(tiled.product, tile, tiled.loops, 1).tiles;
  return tiles.isStatic() ? partsFor(tiled.loops, tiles.constant()) : 1;
}

TensorCoresSchedule lathe::gpu::chooseTensorCores(const TiledProduct &tiled, const Target &target) {
  TensorCoresSchedule schedule;
  schedule.tile = chooseTile(tiled.product, tiled.loops, target.isFast);
  schedule.stages = chooseStages(schedule.tile, tiled.product, target);
  schedule.parts = chooseSplit(tiled, schedule.tile);
  return schedule;
}

/// Checks that a tile is whole instructions along the depth, and whole loads of a warp along rows and columns.
static LogicalResult checkTile(KernelOp kernel, const Product &product, const Tile &tile) {
  unsigned depth = product.element.isF64() ? 4 : isHalf(product.element) ? 16 : 8, own = 16;
  auto isPower = [](unsigned size) { return llvm::isPowerOf2_32(size); };
  bool isWhole = isPower(tile.rows) && isPower(tile.columns) && isPower(tile.depth) && isPower(tile.warpsDown) &&
                 isPower(tile.warpsAcross) && tile.depth >= depth && tile.rows >= tile.warpsDown * own &&
                 tile.columns >= tile.warpsAcross * own;
  if (!isWhole)
    return kernel.emitError("a schedule with tiles of ")
           << tile.rows << " x " << tile.columns << " x " << tile.depth << " by " << tile.warpsDown << " x " << tile.warpsAcross
           << " warps; expected powers of two, at least " << own << " rows and columns for each warp, and " << depth
           << " of the depth";
  unsigned least = std::min(tile.rows, tile.columns) * tile.depth * elementBytes(product);
  constexpr unsigned kMostThreads = 512, kLeastCopy = 4;
  if (tile.threads() > kMostThreads || least < tile.threads() * std::max(kLeastCopy, elementBytes(product)))
    return kernel.emitError("a schedule with ") << tile.threads() << " threads; expected at most " << kMostThreads
                                                << ", each of which brings " << kLeastCopy << " bytes of both operands or more";
  return success();
}

LogicalResult lathe::gpu::checkTensorCores(KernelOp kernel, const TiledProduct &tiled, const TensorCoresSchedule &schedule,
                                           const Target &target) {
  const Product &product = tiled.product;
  TensorCoresSchedule expected = chooseTensorCores(tiled, target);
  SmallVector<StringRef> ordered{"parts"};
  if (expected.parts > 1) // a part is a number of k-slices
    ordered.push_back("depth");
  if (failed(checkTile(kernel, product, schedule.tile)) ||
      failed(keepsSumOrder(kernel.getLoc(), writeParameters(kernel.getContext(), schedule),
                           writeParameters(kernel.getContext(), expected), ordered)))
    return failure();
  int64_t least = isCopied(product) ? 3 : 2, most = isCopied(product) ? 8 : 2;
  int64_t fitting = target.sharedBytesOfBlock() / stageBytes(schedule.tile, product);
  most = std::min(most, fitting);
  if (most < least)
    return kernel.emitError("a schedule with tiles of ")
           << schedule.tile.rows << " x " << schedule.tile.columns << " x " << schedule.tile.depth << ", whose stages take "
           << stageBytes(schedule.tile, product) << " bytes; expected " << least << " stages to fit a block on '"
           << Machine::nameOf(target) << "'";
  if (schedule.stages < least || schedule.stages > most)
    return kernel.emitError("a schedule with 'stages' ")
           << schedule.stages << "; expected " << least << " to " << most << " on '" << Machine::nameOf(target) << "'";
  return success();
}
