#include "codegen/CPU/ByteProducts/Choice.h"
#include "codegen/CPU/ByteProducts/Pack.h"
#include "codegen/CPU/Tuning.h"
#include "codegen/Schedules/Cheapest.h"
#include "llvm/TargetParser/Triple.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::cpu;

/// Returns the vectors of sums that a tile has in registers: three quarters of them, or half. Without three-operand
/// instructions each product needs a copy, and the method `mixed` has the factors of two groups in registers.
static unsigned sumsInRegisters(ByteMethod method, const VectorTarget &target) {
  bool copies = target.level && target.vectorBytes < 32;
  return copies || method == ByteMethod::Mixed ? target.vectorRegisters / 2 : target.vectorRegisters * 3 / 4;
}

/// Returns the vectors of sums for a vector of columns.
static unsigned sumsOfVector(ByteMethod method) { return method == ByteMethod::Pairs ? 2 : 1; }

/// Returns the most panels of a tile. A tile of one row needs many sums to hide the latency of dot products; with few panels,
/// wide tiles would leave threads without work.
static int64_t panelsOf(const ByteProductShape &shape, bool inPanels, ByteMethod method) {
  constexpr int64_t kMost = 4;
  if (!inPanels || method == ByteMethod::Mixed) // a table is of one panel
    return 1;
  return shape.panels() >= kMost * kMost ? kMost : std::min<int64_t>(shape.panels(), 2);
}

/// Returns the candidates for the tile: as many rows as the registers allow, for each width.
static SmallVector<TileShape> tilesOf(const ByteProductShape &shape, bool inPanels, ByteMethod method,
                                      const VectorTarget &target) {
  int64_t widest = panelsOf(shape, inPanels, method) * BytePanel::kColumns;
  unsigned lanes = std::min<unsigned>(target.lanes(4), BytePanel::kColumns), most = sumsInRegisters(method, target);
  SmallVector<TileShape> tiles;
  for (unsigned vectors = 1; vectors * lanes <= widest; vectors *= 2) {
    unsigned rows = most / (vectors * sumsOfVector(method));
    if (vectors > 1 && rows == 0)
      break;
    rows = rows >= 8 ? 8 : rows >= 6 ? 6 : llvm::bit_floor(std::max(rows, 1u));
    if (shape.rows.isStatic())
      rows = std::min<int64_t>(rows, std::max<int64_t>(shape.rows.constant(), 1));
    tiles.push_back({rows, vectors, lanes});
  }
  return tiles;
}

/// Returns the time of a step of a tile for each product, by its loads.
static int64_t loadsFor(const TileShape &tile, ByteMethod method) {
  constexpr int64_t kScale = 1000;
  return kScale * (tile.rows + tile.vectors * sumsOfVector(method)) / (tile.rows * tile.vectors);
}

/// Returns the bytes of a packed row, in all the ways in which the method reads it.
static int64_t bytesOfRow(const ByteProductShape &shape, ByteMethod method, const VectorTarget &target) {
  PackedRows packed(shape, method, target);
  return packed.pitch() + (method == ByteMethod::Mixed ? packed.wordPitch() : 0);
}

/// Returns the rows that are packed at once: the block stays in the second-level cache, and its part of the stack is small.
static int64_t rowsAtOnce(const ByteProductShape &shape, const TileShape &tile, int64_t bytesOfRow,
                          const VectorTarget &target) {
  int64_t bytes = std::min(target.secondBlockBytes(), tuning::kMostStackBytes / 2);
  int64_t rows = std::clamp<int64_t>(bytes / bytesOfRow / tile.rows * tile.rows, tile.rows, tuning::kPackedRows);
  return shape.rows.isStatic() ? std::clamp<int64_t>(shape.rows.constant(), 1, rows) : rows;
}

/// True if the target multiplies u8 by i8 into i16, and the table says where that is exact.
static bool canMix(bool inPanels, const VectorTarget &target) {
  constexpr unsigned kLeastVectorBytes = 32; // no code for narrower ones
  return inPanels && llvm::Triple(target.triple).isX86() && target.vectorBytes >= kLeastVectorBytes;
}

ByteProductSchedule lathe::cpu::chooseByteProduct(const ByteProductShape &shape, bool inPanels, const VectorTarget &target) {
  ByteProductSchedule schedule;
  schedule.method = target.hasByteDots ? ByteMethod::Dots : canMix(inPanels, target) ? ByteMethod::Mixed : ByteMethod::Pairs;
  schedule.tile = cheapest(tilesOf(shape, inPanels, schedule.method, target),
                           [&](const TileShape &tile) { return loadsFor(tile, schedule.method); });
  schedule.blockRows = rowsAtOnce(shape, schedule.tile, bytesOfRow(shape, schedule.method, target), target);
  return schedule;
}

/// Refuses instructions that the target does not have.
static LogicalResult checkMethod(KernelOp kernel, bool inPanels, const ByteProductSchedule &schedule,
                                 const VectorTarget &target) {
  const TileShape &tile = schedule.tile;
  if (schedule.method == ByteMethod::Dots && !target.hasByteDots)
    return kernel.emitError("'") << target.name() << "' has no dot products of bytes; expected 'method' pairs or mixed";
  if (schedule.method != ByteMethod::Mixed)
    return success();
  if (!canMix(inPanels, target) || tile.lanes != target.lanes(4))
    return kernel.emitError(
        "'method' mixed needs a constant in panels and a tile of whole vectors of 32 bytes or more on x86-64");
  if (int64_t(tile.vectors) * tile.lanes > BytePanel::kColumns)
    return kernel.emitError("'method' mixed reads the table of one panel; expected a tile of up to ")
           << BytePanel::kColumns << " columns";
  return success();
}

LogicalResult lathe::cpu::checkByteProduct(KernelOp kernel, const ByteProductShape &shape, bool inPanels,
                                           const ByteProductSchedule &schedule, const VectorTarget &target) {
  constexpr unsigned kLeastLanes = 4; // of the narrowest vector
  const TileShape &tile = schedule.tile;
  if (failed(checkTile(kernel, tile, /*elementBytes=*/4, target, shape.rows)))
    return failure();
  if (tile.lanes < kLeastLanes || tile.lanes > BytePanel::kColumns)
    return kernel.emitError("a tile of ") << tile.lanes << " lanes has no instructions for bytes; expected " << kLeastLanes
                                          << " to " << BytePanel::kColumns;
  int64_t width = int64_t(tile.vectors) * tile.lanes;
  if (BytePanel::kColumns % width && width % BytePanel::kColumns)
    return kernel.emitError("a tile of ") << width << " columns is neither a part nor a multiple of the panels of "
                                          << BytePanel::kColumns << " in which bytes are stored";
  if (failed(checkMethod(kernel, inPanels, schedule, target)))
    return failure();
  int64_t group = groupColumns(tile), panels = inPanels ? 0 : group / BytePanel::kColumns * BytePanel{shape.depth}.bytes();
  int64_t stack = schedule.blockRows * bytesOfRow(shape, schedule.method, target) + tile.rows * group * 4 + panels;
  if (stack > tuning::kMostStackBytes)
    return kernel.emitError("a schedule with 'block_rows' ")
           << schedule.blockRows << " takes " << stack << " bytes of a thread's stack; expected at most "
           << tuning::kMostStackBytes;
  return success();
}
