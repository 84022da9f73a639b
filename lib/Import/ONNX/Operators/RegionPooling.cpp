// MaxRoiPool: the largest elements of the bins of regions, without interpolation, in contrast to RoiAlign.
#include "lib/Import/ONNX/Operators/Operators.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::onnximport;

namespace {
/// The elements along one dimension that belong to the bins of each region.
struct Bins {
  Value isIn, isEmpty; // [R, P, extent] and [R, P]
};
} // namespace

/// Returns P bins of equal length for regions whose first and last elements are in the columns `low` and `low` + 2 of the
/// table. Each bin's start is rounded down and its end up. A region is at least one element long; its parts outside the image
/// count nothing.
static Bins binsOf(Node &node, Value regions, int64_t low, int64_t count, const Dim &extent) {
  Type type = elementOfValue(regions);
  Value scale = node.constant(node.real("spatial_scale", 1), type), one = node.constant(1, type);
  auto edge = [&](int64_t column) { // [R, 1]
    return node.emit<RoundHalfAwayOp>({node.emit<MulOp>({node.slice(regions, 1, column, Dim(column + 1)), scale})});
  };
  Value start = edge(low), length = node.emit<AddOp>({node.emit<SubOp>({edge(low + 2), start}), one});
  Value size = node.emit<DivOp>({node.emit<MaxOp>({length, one}), node.constant(count, type)});
  auto ends = [&](int64_t first, bool isUp) { // [R, P]
    SmallVector<double> numbers;
    for (int64_t i = 0; i < count; ++i)
      numbers.push_back(double(first + i));
    Value place = node.emit<MulOp>({size, node.realConstants(numbers, {1, count}, type)});
    Value whole = isUp ? node.emit<CeilOp>({place}) : node.emit<FloorOp>({place});
    return node.emit<ClampOp>({node.constant(0, type), node.emit<AddOp>({whole, start}), node.size(extent, type)});
  };
  Value begin = ends(0, false), end = ends(1, true);
  Dims dims = dimsOfValue(begin);
  if (node.failed())
    return {};
  Dims apart = dims;
  apart.push_back(Dim(1));
  Value place = node.iota(0, {extent}, type);
  Value isIn = node.emit<AndOp>({node.compare(CompareKind::LE, node.reshape(begin, apart), place),
                                 node.compare(CompareKind::GT, node.reshape(end, apart), place)});
  return {isIn, node.compare(CompareKind::LE, end, begin)};
}

static void maxRoiPool(Node &node) {
  Integers pooled = node.integers("pooled_shape");
  Dims images = node.dims(0), regions = node.dims(1);
  Type element = node.element(0), wide = Node::wide(element);
  if (!isa_and_nonnull<FloatType>(element) || images.size() != 4)
    node.refuse("expected images [N, C, H, W] of floats, got a tensor of shape " + str(images));
  else if (regions.size() != 2 || !regions[1].isStatic(5))
    node.refuse("expected regions [R, 5], got a tensor of shape " + str(regions));
  else if (pooled.size() != 2 || pooled[0] < 1 || pooled[1] < 1)
    node.refuse("'pooled_shape' must be two positive numbers");
  if (node.failed())
    return;
  Value x = node.convert(node.input(0), wide), table = node.convert(node.input(1), wide);
  Bins columns = binsOf(node, table, 1, pooled[1], images[3]), rows = binsOf(node, table, 2, pooled[0], images[2]);
  Value image = node.convert(node.reshape(node.slice(table, 1, 0, Dim(1)), {regions[0]}), node.i64());
  if (node.failed())
    return;
  Dim count = regions[0], channels = images[1], one(1);
  Value lowest = node.constant(-std::numeric_limits<double>::infinity(), wide);
  // Reduce along the rows first: this leaves one column for each bin.
  Value taken = node.reshape(node.gather(x, image, 0), {count, channels, images[2], one, images[3]});
  Value inColumns = node.reshape(columns.isIn, {count, one, one, Dim(pooled[1]), images[3]});
  Value best = node.reduce(ReduceKind::Max, node.emit<SelectOp>({inColumns, taken, lowest}), {4}, /*keep=*/false);
  best = node.reshape(best, {count, channels, one, images[2], Dim(pooled[1])});
  Value inRows = node.reshape(rows.isIn, {count, one, Dim(pooled[0]), images[2], one});
  best = node.reduce(ReduceKind::Max, node.emit<SelectOp>({inRows, best, lowest}), {3}, /*keep=*/false);
  Value isEmpty = node.emit<OrOp>({node.reshape(rows.isEmpty, {count, one, Dim(pooled[0]), one}),
                                   node.reshape(columns.isEmpty, {count, one, one, Dim(pooled[1])})});
  node.set(0, node.convert(node.emit<SelectOp>({isEmpty, node.constant(0, wide), best}), element));
}

void onnximport::addRegionPooling(Converters &converters) {
  converters["MaxRoiPool"] = {maxRoiPool, 2, 2, "pooled_shape,spatial_scale"};
}
