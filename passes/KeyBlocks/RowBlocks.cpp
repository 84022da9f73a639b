#include "dialects/Lathe/IR/EraseUnused.h"
#include "dialects/Lathe/IR/PlanAttributes.h"
#include "lib/Support/Explain.h"
#include "passes/KeyBlocks/KeyBlocks.h"
#include "passes/KeyBlocks/RowLoops.h"
#include "passes/KeyBlocks/RowSums.h"

namespace lathe {
#define GEN_PASS_DEF_BLOCKROWSPASS
#include "passes/KeyBlocks/KeyBlocks.h.inc"
} // namespace lathe

using namespace mlir;
using namespace lathe;

/// Returns the bytes of a value of known extents; nullopt for other values.
static std::optional<int64_t> knownBytes(Value value) {
  Dim bytes = byteSize(value);
  return bytes.isStatic() ? std::optional(bytes.constant()) : std::nullopt;
}

/// True if the loop writes its matrices for the most part instead of other ops, and reads few bytes.
static bool savesMemory(const RowRegion &region) {
  size_t products = region.getResults().size(), again = 0;
  for (Operation *op : region.getOps())
    if (isa<DotGeneralOp>(op)) {
      ++products;
      again += region.isShared(op);
    }
  int64_t bytes = 0;
  for (Value input : region.getInputs())
    bytes += knownBytes(input).value_or(std::numeric_limits<int32_t>::max());
  return !region.isShared(region.getMatrix().getDefiningOp()) && 3 * again <= products &&
         4 * bytes <= *knownBytes(region.getMatrix());
}

/// Returns the last op that a region's loop must follow: those of its inputs and results.
static Operation *lastOf(const RowRegion &region) {
  Operation *last = nullptr;
  auto add = [&](Operation *op) {
    if (op && (!last || last->isBeforeInBlock(op)))
      last = op;
  };
  for (Value result : region.getResults())
    add(result.getDefiningOp());
  for (Value input : region.getInputs())
    add(input.getDefiningOp());
  return last;
}

/// Returns what makes a region better than others: its results, and how many of them the innermost loop adds up. What it does
/// not add up, an outer loop over columns writes in each step.
static std::pair<size_t, size_t> rankOf(const RowRegion &region) {
  size_t innermost = region.getExtents().size() - 1;
  auto isSum = [&](Value result) { return region.addsUp(result, innermost); };
  return {region.getResults().size(), llvm::count_if(region.getResults(), isSum)};
}

namespace {
struct BlockRowsPass : lathe::impl::BlockRowsPassBase<BlockRowsPass> {
  using BlockRowsPassBase::BlockRowsPassBase;

  void runOnOperation() final {
    SmallVector<Block *> blocks;
    getOperation().walk([&](Block *block) { blocks.push_back(block); });
    for (Block *block : blocks) {
      simplifyRowSums(*block, least);
      while (std::unique_ptr<RowRegion> region = largestIn(*block))
        replace(*region);
    }
  }

private:
  /// Returns the region with the most results that pays; null if there is none.
  std::unique_ptr<RowRegion> largestIn(Block &block) const {
    std::unique_ptr<RowRegion> largest;
    for (DotGeneralOp sum : block.getOps<DotGeneralOp>())
      for (unsigned operand : {0, 1}) {
        std::optional<int64_t> bytes = knownBytes(sum->getOperand(operand));
        if (!bytes || *bytes < least || *bytes < 4 * knownBytes(sum.getResult()).value_or(0))
          continue;
        std::unique_ptr<RowRegion> region = regionOf(sum, operand);
        if (region && (!largest || rankOf(*region) >= rankOf(*largest)) && isWorthIt(*region))
          largest = std::move(region);
      }
    return largest;
  }

  /// Returns the region around a matrix, in blocks of columns where possible; null if it cannot be computed in blocks.
  std::unique_ptr<RowRegion> regionOf(DotGeneralOp sum, unsigned operand) const {
    auto whole = std::make_unique<RowRegion>(sum, operand);
    if (!whole->collect())
      return nullptr;
    auto divided = std::make_unique<RowRegion>(*whole);
    return divided->divideColumns() && hasManyColumns(*divided) && divided->collect() ? std::move(divided) : std::move(whole);
  }

  bool hasManyColumns(const RowRegion &region) const {
    int64_t loop = region.getColumnsLoop();
    return region.getExtents()[loop] >= 2 * columns && region.getExtents().back() >= 2 * tall;
  }

  bool isWorthIt(const RowRegion &region) const {
    return region.getExtents().back() >= 2 * rows && savesMemory(region) &&
           llvm::all_of(dependentsBefore(region.getResults(), lastOf(region)), isMemoryEffectFree);
  }

  /// Returns the indices of a block: the number nearest above `few`, or else below, that divides all indices. Otherwise the
  /// last block has fewer.
  static int64_t blockOf(int64_t all, int64_t few) {
    for (int64_t some = few; some <= few + few / 2; ++some)
      if (all % some == 0)
        return some;
    for (int64_t some = few; some >= few / 2; --some)
      if (all % some == 0)
        return some;
    return few;
  }

  void replace(const RowRegion &region) {
    Operation *last = lastOf(region); // the loop may make it unused
    Block &block = *last->getBlock();
    SmallVector<Operation *> users = dependentsBefore(region.getResults(), last);
    Location location = region.getResults().front().getLoc();
    std::string bytes = byteSize(region.getMatrix()).str();
    OpBuilder builder(last->getContext());
    builder.setInsertionPointAfter(last);
    int64_t loop = region.getColumnsLoop();
    bool dividesColumns = loop != kUndivided;
    int64_t height = blockOf(region.getExtents().back(), dividesColumns ? tall : rows);
    int64_t width = dividesColumns ? blockOf(region.getExtents()[loop], columns) : 0;
    SmallVector<Value> made = emitRowLoops(builder, region, height, width);
    moveAfter(users, &*std::prev(builder.getInsertionPoint()));
    for (auto [result, value] : llvm::zip_equal(region.getResults(), made))
      Value(result).replaceAllUsesWith(value);
    eraseUnused(block, isMemoryEffectFree);
    ++blocked;
    explain(location, "layout", "{} products are computed for {} rows{} at a time; their matrices of {} bytes are never stored",
            made.size(), height, dividesColumns ? fmt::format(" and {} columns", width) : "", bytes);
  }
};
} // namespace
