// The schedule of a convolution with known extents: chosen from its shape and the target, and checked.
#include "codegen/CPU/Convolution/Forward.h"
#include "codegen/CPU/Convolution/PackedFilter.h"
#include "codegen/CPU/Tuning.h"
#include "codegen/Schedules/Cheapest.h"
#include "lib/Analysis/Planes.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::cpu;

unsigned lathe::cpu::mostImagesOf(const TileShape &tile) { return tile.rows > 8 ? tile.rows / (tile.rows / 8) : tile.rows; }

bool PackedFilter::fits(ConvOp op, const ConvolutionShape &shape, const TileShape &tile) {
  int64_t row = shape.sumRow();
  return isa<FloatType>(getElementTypeOrSelf(op.getType())) && !panelWidthOf(op) &&
         (row <= kProductOrder.chain || row % kProductOrder.chain == 0) &&
         shape.sumTerms() <= kProductOrder.chain * kProductOrder.group &&
         (tile.rows <= 8 || shape.dims.back().outputStep() == 1);
}

bool PackedFilter::sharesTiles(const ConvolutionShape &shape, const TileShape &tile) {
  int64_t width = tile.vectors * int64_t(tile.lanes), columns = shape.columns();
  return shape.columnGroups() == 1 && columns % width == 0 && columns / width >= tuning::kLeastSharedTiles;
}

PackedFilter PackedFilter::of(const ConvolutionShape &shape, const TapTable &table, const TileShape &tile, unsigned bytes) {
  int64_t imagesOfTile = mostImagesOf(tile), width = tile.vectors * int64_t(tile.lanes);
  int64_t ofImage = shape.outputPlaces() * width;
  int64_t tiles = std::max<int64_t>(tuning::kPackedSumBytes / (ofImage * bytes * imagesOfTile), 1);
  return {tiles * imagesOfTile, tiles * imagesOfTile * ofImage, table.chainRows * width};
}

PatchParameters lathe::cpu::patchParametersOf(ConvOp op, const ForwardSchedule &schedule, const VectorTarget &target) {
  return {schedule.pixels.rows,
          schedule.pixels.vectors,
          unsigned(schedule.panels),
          schedule.blockLines,
          schedule.blockPlaces,
          writesPlanes(op),
          target};
}

/// Returns the tile whose rows are images. It is as wide as a tile of pixels if its own width does not divide panels of
/// `panel` columns.
static TileShape chooseImages(const ConvolutionShape &shape, const VectorTarget &target, unsigned bytes, int64_t panel) {
  TileShape tile = chooseTile(target, bytes, shape.columns());
  if (panel % (tile.vectors * tile.lanes) == 0)
    return tile;
  tile = chooseHalvedPixels(shape, target, bytes);
  tile.rows = std::max(tile.rows, tuning::kFewImages);
  return tile;
}

/// Returns the number of panels of a work item: the most that divide the full panels, since tiles of few pixels are the better
/// the wider they are.
static int64_t choosePanels(const ConvolutionShape &shape, const TileShape &tile) {
  int64_t full = shape.columns() / (int64_t(tile.vectors) * tile.lanes);
  return full % 4 == 0 && full ? 4 : full % 2 == 0 && full ? 2 : 1;
}

/// Cuts the blocks of a convolution of so few images that threads would have too few work items, as long as a block is left
/// with enough outputs for its tiles, and then its panels, as long as tiles of one pixel have enough sums.
static void cutBlocks(ForwardSchedule &schedule, ConvOp op, const ConvolutionShape &shape) {
  constexpr int64_t kLeastPanels = 2;
  int64_t width = shape.dims.back().output, lines = shape.outputPlaces() / width;
  Dim images = dimsOf(op.getResult())[0];
  int64_t groups = shape.columnGroups() * (images.isStatic() ? std::max<int64_t>(images.constant(), 1) : 1);
  auto items = [&] {
    int64_t columns = schedule.panels * schedule.pixels.vectors * schedule.pixels.lanes;
    return groups * llvm::divideCeil(shape.columns(), columns) * llvm::divideCeil(lines, schedule.blockLines) *
           llvm::divideCeil(width, schedule.blockPlaces);
  };
  while (schedule.blockLines > 1 && items() < tuning::kLeastBlocks &&
         schedule.blockLines * schedule.blockPlaces >= 2 * tuning::kLeastBlockOutputs)
    schedule.blockLines = llvm::divideCeil(schedule.blockLines, 2);
  while (images.isStatic() && schedule.panels > kLeastPanels && items() < tuning::kLeastBlocks)
    schedule.panels /= 2;
}

/// Returns the lines of the larger half of `repeated` times the blocks of an image over the mean of both halves: what two
/// threads wait for each other.
static double imbalanceOf(int64_t lines, int64_t blockLines, int64_t repeated) {
  int64_t blocks = llvm::divideCeil(lines, blockLines), items = blocks * repeated, first = 0;
  for (int64_t item = 0; item < (items + 1) / 2; ++item)
    first += std::min(blockLines, lines - item % blocks * blockLines);
  return 2.0 * std::max(first, lines * repeated - first) / double(lines * repeated);
}

/// Takes blocks of fewer lines where there are few work items that two threads could not share evenly.
static void balanceBlocks(ForwardSchedule &schedule, ConvOp op, const ConvolutionShape &shape) {
  Dim images = dimsOf(op.getResult())[0];
  int64_t width = shape.dims.back().output, lines = shape.outputPlaces() / width;
  if (!images.isStatic() || images.constant() == 0 || schedule.blockPlaces < width || lines == 0)
    return;
  int64_t columns = schedule.panels * schedule.pixels.vectors * schedule.pixels.lanes;
  int64_t repeated = shape.columnGroups() * images.constant() * llvm::divideCeil(shape.columns(), columns);
  if (repeated * llvm::divideCeil(lines, schedule.blockLines) >= tuning::kBalancedItems)
    return;
  SmallVector<int64_t> candidates{schedule.blockLines};
  while (candidates.back() > 1 && (candidates.back() - 1) * width >= tuning::kLeastBlockOutputs)
    candidates.push_back(candidates.back() - 1);
  schedule.blockLines = cheapest(candidates, [&](int64_t blockLines) {
    return imbalanceOf(lines, blockLines, repeated) * (1 + tuning::kTimeOfBlock / double(blockLines));
  });
}

ForwardSchedule lathe::cpu::chooseForward(ConvOp op, const ConvolutionShape &shape, const VectorTarget &target) {
  unsigned bytes = elementBytesOf(op);
  ForwardSchedule schedule;
  schedule.images = chooseImages(shape, target, bytes, panelWidthOf(op));
  schedule.pixels = shape.isDepthwise() ? choosePixelTile(target, bytes, shape.columns()) : choosePixels(shape, target, bytes);
  if (shape.isDepthwise())
    return schedule;
  schedule.byImages = shape.outputPlaces() < tuning::kLeastOutputs;
  schedule.packsFilter = schedule.byImages && PackedFilter::fits(op, shape, schedule.images) &&
                         shape.outputPitch() * bytes >= tuning::kLeastPackedPitch;
  schedule.panels = choosePanels(shape, schedule.pixels);
  // A block's sums in one panel take half of the first-level cache, beside the filter.
  int64_t width = shape.dims.back().output;
  int64_t places = std::max<int64_t>(1, target.cacheBlockBytes() / (schedule.pixels.vectors * schedule.pixels.lanes * bytes));
  schedule.blockPlaces = std::min(width, places);
  if (writesPlanes(op)) // in blocks of equal length, so that squares of outputs fit in the last one of a line, too
    schedule.blockPlaces = llvm::divideCeil(width, llvm::divideCeil(width, schedule.blockPlaces));
  schedule.blockLines = std::clamp<int64_t>(places / width, 1, shape.outputPlaces() / width);
  cutBlocks(schedule, op, shape);
  balanceBlocks(schedule, op, shape);
  return schedule;
}

/// Returns the bytes of sums on a thread's stack.
static int64_t stackOf(const ConvolutionShape &shape, const ForwardSchedule &schedule, unsigned bytes) {
  int64_t width = shape.dims.back().output, lines = shape.outputPlaces() / width;
  int64_t outputs = std::min(schedule.blockLines, lines) * std::min(schedule.blockPlaces, width);
  bool hasGroups = shape.sumTerms() > kProductOrder.chain * kProductOrder.group;
  return (hasGroups ? 2 : 1) * schedule.panels * outputs * schedule.pixels.vectors * schedule.pixels.lanes * bytes;
}

bool lathe::cpu::hasForward(ConvOp op, const ConvolutionShape &shape, const TapTable &table, const ForwardSchedule &schedule,
                            const VectorTarget &target) {
  return shape.isDepthwise() || Patches::make(shape, table, patchParametersOf(op, schedule, target));
}

LogicalResult lathe::cpu::checkForward(KernelOp kernel, ConvOp op, const ConvolutionShape &shape,
                                       const ForwardSchedule &schedule, const VectorTarget &target) {
  unsigned bytes = elementBytesOf(op);
  Dim anyHeight = shape.isDepthwise() ? Dim::unknown() : Dim(schedule.pixels.rows); // patches have tiles of all heights
  if (failed(checkTile(kernel, schedule.images, bytes, target, Dim::unknown())) ||
      failed(checkTile(kernel, schedule.pixels, bytes, target, anyHeight)) ||
      failed(checkPanels(kernel, op, schedule.images)) || failed(checkPanels(kernel, op, schedule.pixels)))
    return failure();
  if (schedule.images.rows < tuning::kFewImages)
    return kernel.emitError("a schedule with 'image_rows' ")
           << schedule.images.rows << "; expected at least " << tuning::kFewImages;
  if (!llvm::isPowerOf2_64(schedule.panels))
    return kernel.emitError("a schedule with 'pixel_panels' ") << schedule.panels << "; expected a power of two";
  if (int64_t stack = stackOf(shape, schedule, bytes); stack > tuning::kMostStackBytes)
    return kernel.emitError("a schedule with 'block_lines' ")
           << schedule.blockLines << " and 'block_places' " << schedule.blockPlaces << " takes " << stack
           << " bytes of a thread's stack; expected at most " << tuning::kMostStackBytes;
  if (schedule.packsFilter && !PackedFilter::fits(op, shape, schedule.images))
    return kernel.emitError("a schedule with 'packs_filter'; expected a filter of floats that is not in panels, and chains of "
                            "equally many rows in one group");
  std::optional<SumOrder> order =
      isa<FloatType>(getElementTypeOrSelf(op.getType())) ? std::optional(kProductOrder) : std::nullopt;
  TapTable table = *TapTable::build(shape, order);
  if (int64_t stack = schedule.packsFilter ? PackedFilter::of(shape, table, schedule.images, bytes).elements() * bytes : 0;
      stack > tuning::kMostStackBytes)
    return kernel.emitError("a schedule with 'packs_filter' takes ")
           << stack << " bytes of a thread's stack for " << shape.outputPlaces() << " outputs of an image; expected at most "
           << tuning::kMostStackBytes;
  if (!hasForward(op, shape, table, schedule, target))
    return kernel.emitError("a schedule with 'block_lines' ")
           << schedule.blockLines << " and 'block_places' " << schedule.blockPlaces << " has too many patches";
  return success();
}
