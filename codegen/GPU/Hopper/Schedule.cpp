#include "codegen/GPU/Hopper/Schedule.h"
#include "codegen/GPU/Hopper/Boxes.h"
#include "codegen/GPU/Tuning.h"
#include "codegen/Schedules/Parameters.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::gpu;

Tile WarpGroupsSchedule::grid() const {
  Tile tile;
  tile.rows = gridRows;
  tile.columns = gridColumns;
  return tile;
}

/// Sets a tile's size without boxes.
static void setLengths(GroupProduct &form, unsigned columns) {
  form.left.length = kConsumers * 64;
  form.right.length = columns;
  form.right.number = 1;
  form.right.offset = form.left.bytes();
}

/// Sets a tile's size and, for an image, the boxes of tiles and of k-slices. Returns false if there are none.
static bool setTile(GroupProduct &form, unsigned columns) {
  const KernelLoops &loops = form.loops;
  Side &left = form.left, &right = form.right;
  setLengths(form, columns);
  for (Side *side : {&left, &right}) {
    for (SmallVector<Span> *spans : {&side->own, &side->depths})
      for (Span &span : *spans)
        span.box = 1;
    side->own.back().box = side->length;
    side->depths.back().box = side->depth();
  }
  if (!form.isImage)
    return true;
  // If an operand has the depth inside, a k-slice is a run of the last span, else any box.
  if (!left.hasDepthInside() && !right.hasDepthInside() && !chooseBoxes(loops, left.depths, left.depth(), [&] {
        right.depths = left.depths;
        return left.isCopied() && right.isCopied();
      }))
    return false;
  right.depths = left.depths;
  return llvm::all_of(ArrayRef({&left, &right}), [&](Side *side) {
    return chooseBoxes(loops, side->own, side->length, [&] { return side->isCopied(); });
  });
}

/// Chooses the columns of a tile. Wide tiles read less of the operands for each product, but narrow ones occupy more
/// multiprocessors. The cost is the time of the block with the most tiles, plus some time per tile. Returns 0 if no width has
/// boxes.
static unsigned chooseColumns(GroupProduct &form, int64_t parts) {
  Dim batch = extentOf(form.loops, form.batch);
  int64_t matrices = batch.isStatic() ? batch.constant() : tuning::kLargeExtent, least = 0;
  unsigned best = 0;
  for (unsigned width : {64, 128, 256}) {
    if ((form.isSplit && width > 128) || !setTile(form, width)) // split sums take twice as many registers
      continue;
    int64_t tiles = boxesOf(form.loops, form.left.own) * boxesOf(form.loops, form.right.own) * matrices * parts;
    int64_t cost = int64_t(llvm::divideCeil(tiles, kMultiprocessors)) * (width + tuning::kGroupTileTime);
    if (best == 0 || cost <= least) {
      best = width;
      least = cost;
    }
  }
  return best;
}

/// Returns the fraction of the boxes' points that are points of the image.
static double usedFractionOfImage(const GroupProduct &form) {
  ArrayRef<Span> rows = (form.isTransposed ? form.right : form.left).own;
  return usedOf(form.loops, rows) * usedOf(form.loops, form.left.depths);
}

static SmallVector<int64_t> boxesOfSpans(ArrayRef<Span> spans) {
  return llvm::map_to_vector(spans, [](const Span &span) { return int64_t(span.box); });
}

std::optional<WarpGroupsSchedule> lathe::gpu::chooseWarpGroups(GroupProduct &form, const TiledProduct &tiled,
                                                               const Target &target) {
  TensorCoresSchedule counted = chooseTensorCores(tiled, target);
  unsigned columns = chooseColumns(form, counted.parts);
  if (columns == 0 || !setTile(form, columns) || (form.isImage && usedFractionOfImage(form) < tuning::kLeastUsed))
    return std::nullopt;
  WarpGroupsSchedule schedule;
  schedule.columns = columns;
  schedule.leftBox = boxesOfSpans(form.left.own);
  schedule.rightBox = boxesOfSpans(form.right.own);
  schedule.depthBox = boxesOfSpans(form.left.depths);
  schedule.stages = form.fittingStages(target);
  schedule.parts = counted.parts;
  schedule.gridRows = counted.tile.rows;
  schedule.gridColumns = counted.tile.columns;
  return schedule;
}

/// Sets the boxes of spans. Returns false unless there is a power of two for each, whose product is `length`.
static bool setBoxes(MutableArrayRef<Span> spans, ArrayRef<int64_t> boxes, int64_t length) {
  if (spans.size() != boxes.size())
    return false;
  for (auto [span, box] : llvm::zip_equal(spans, boxes)) {
    if (!llvm::isPowerOf2_64(box))
      return false;
    span.box = box;
    length /= box;
  }
  return length == 1;
}

bool lathe::gpu::applyBoxes(GroupProduct &form, const WarpGroupsSchedule &schedule) {
  setLengths(form, schedule.columns);
  return setBoxes(form.left.own, schedule.leftBox, form.left.length) &&
         setBoxes(form.right.own, schedule.rightBox, form.right.length) &&
         setBoxes(form.left.depths, schedule.depthBox, form.left.depth()) &&
         setBoxes(form.right.depths, schedule.depthBox, form.right.depth()) &&
         (!form.isImage || (form.left.isCopied() && form.right.isCopied()));
}

LogicalResult lathe::gpu::checkWarpGroups(KernelOp kernel, const TiledProduct &tiled, const WarpGroupsSchedule &schedule,
                                          const Target &target) {
  GroupProduct form = *GroupProduct::of(kernel, tiled, target);
  WarpGroupsSchedule expected = *chooseWarpGroups(form, tiled, target);
  auto write = [&](const WarpGroupsSchedule &which) { return writeParameters(kernel.getContext(), which); };
  if (failed(keepsSumOrder(kernel.getLoc(), write(schedule), write(expected), {"depth_box", "parts"})))
    return failure();
  int64_t most = form.isSplit ? 128 : 256;
  if (!llvm::isPowerOf2_64(schedule.columns) || schedule.columns > most)
    return kernel.emitError("a schedule with 'columns' ") << schedule.columns << "; expected a power of two up to " << most;
  if (!applyBoxes(form, schedule))
    return kernel.emitError("a schedule with boxes that TMA cannot copy, or that do not make up tiles of ")
           << form.left.length << " and " << form.right.length << "; expected powers of two with these products";
  if (schedule.stages > form.fittingStages(target))
    return kernel.emitError("a schedule with 'stages' ")
           << schedule.stages << "; expected at most " << form.fittingStages(target) << ", which fit shared memory";
  return success();
}
