#include "codegen/CPU/PairProducts/AmxProducts.h"
#include "codegen/CPU/Tuning.h"
#include "llvm/TargetParser/Triple.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::cpu;

bool lathe::cpu::multipliesTiles(const VectorTarget &target) {
  llvm::Triple triple(llvm::Triple::normalize(target.triple)); // entries know how to ask Linux for the registers
  return target.hasBF16Tiles && target.lanes(sizeof(float)) == AmxTile::kLanes && triple.isX86() && triple.isOSLinux();
}

/// Returns the bytes of a thread's stack that the product takes: sums, the last pairs of rows and columns, packed columns.
static int64_t stackBytes(const PairProductShape &shape, const TileShape &tile) {
  return shape.stackBytes(tile) + int64_t(tile.rows + AmxTile::kPairs * tile.vectors) * AmxTile::kRowBytes;
}

/// Returns tiles of two by two registers for more than 16 rows. Each number that is loaded then meets two others. For fewer
/// rows, four registers of columns hide the latency of sums.
AmxSchedule lathe::cpu::chooseAmxProduct(const PairProductShape &shape, const VectorTarget &target) {
  AmxSchedule schedule;
  bool areFew = shape.rows.isStatic() && shape.rows.constant() <= AmxTile::kRows;
  schedule.rowTiles = areFew ? 1 : 2;
  schedule.columnTiles = AmxTile::kMostSums / schedule.rowTiles;
  while (schedule.columnTiles > 1 && (schedule.columnTiles * AmxTile::kLanes > shape.columns ||
                                      stackBytes(shape, schedule.tile()) > tuning::kMostStackBytes))
    schedule.columnTiles /= 2;
  schedule.blockRows = chooseRowBlock(shape, schedule.tile().rows, target);
  return schedule;
}

LogicalResult lathe::cpu::checkAmxProduct(KernelOp kernel, const PairProductShape &shape, const AmxSchedule &schedule) {
  if (schedule.columnTiles == 3)
    return kernel.emitError("'column_tiles' is 3; expected a power of two");
  if (schedule.rowTiles * schedule.columnTiles > AmxTile::kMostSums)
    return kernel.emitError("a tile of ") << schedule.rowTiles << " by " << schedule.columnTiles
                                          << " registers does not leave registers for the factors; expected at most "
                                          << AmxTile::kMostSums;
  return checkPairColumns(kernel, shape, schedule.tile(), stackBytes(shape, schedule.tile()), "column_tiles");
}
