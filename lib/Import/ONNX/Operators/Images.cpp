// CenterCropPad, Col2Im, EyeLike and BitCast: crops and sums of blocks without interpolation, matrices of ones, and
// reinterpreted bits.
#include "dialects/Lathe/IR/DerivedDims.h"
#include "dialects/Lathe/IR/EqualSizes.h"
#include "lib/Import/ONNX/Operators/Windows.h"
#include "lib/Support/Text.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::onnximport;

/// Keeps the middle of a dimension, or pads it with zeros; an odd element is the last one.
static void centerCropPad(Node &node) {
  Value x = node.input(0);
  Dims dims = node.dims(0), sizes = node.knownDims(1, "the shape's elements");
  int64_t rank = dims.size();
  Integers axes = node.integers("axes", range(0, rank));
  Dims low(rank), high(rank);
  if (!node.failed() && axes.size() != sizes.size())
    node.refuse("a shape of " + Twine(sizes.size()) + " elements for " + Twine(axes.size()) + " axes");
  node.axes(axes, rank); // distinct
  for (size_t i = 0; i < axes.size() && !node.failed(); ++i) {
    int64_t axis = node.axis(axes[i], rank);
    Dim more = sizes[i] - dims[axis];
    // Rounded towards zero, both for padding and for cropping.
    low[axis] = more.isStatic() ? Dim(more.constant() / 2) : maxOf(floorDiv(more, 2), Dim(0)) + minOf(ceilDiv(more, 2), Dim(0));
    high[axis] = more - low[axis];
  }
  if (!node.failed())
    node.set(0, node.pad(x, node.constantInt(0, node.element(0)), low, high));
}

namespace {
/// One dimension of an image to which blocks are added up.
struct BlockAxis {
  int64_t block, stride, dilation, low;
  Dim extent, blocks;
};
} // namespace

/// Moves the elements of blocks to their positions in the image. x is [..., block, ..., blocks, ...] with these two dimensions
/// at `taps` and `places`.
static Value fold(Node &node, Value x, int64_t taps, int64_t places, const BlockAxis &axis) {
  Dims dims = dimsOfValue(x);
  if (node.failed())
    return {};
  Dims without = dims;
  without.erase(without.begin() + taps);
  --places;
  Value zero = node.constantInt(0, elementOfValue(x)), sum;
  Dim length = dilated(axis.blocks, axis.stride);
  for (int64_t tap = 0; tap < axis.block; ++tap) {
    Dim low(tap * axis.dilation - axis.low), high = axis.extent - low - length;
    auto isInPadding = [&](const Dim &end) {
      return length.isStatic() && end.isStatic() && end.constant() <= -length.constant();
    };
    if (isInPadding(low) || isInPadding(high))
      continue;
    Value part = node.reshape(node.slice(x, taps, tap, Dim(tap + 1)), without);
    Dims lows(without.size(), Dim(0)), highs = lows;
    Integers interior(without.size(), 0);
    lows[places] = low, highs[places] = high, interior[places] = axis.stride - 1;
    part =
        node.emit<PadOp>({part, zero}, {node.shape("low", lows), node.shape("high", highs), node.list("interior", interior)});
    sum = sum ? node.emit<AddOp>({sum, part}) : part;
  }
  if (sum || node.failed())
    return sum;
  without[places] = axis.extent;
  return node.broadcast(zero, {}, without);
}

/// Adds columns [N, C * block, blocks] up to images [N, C, ...], one dimension at a time.
static void columnsToImage(Node &node) {
  constexpr int64_t kMostTaps = 1024; // one op for each
  Value x = node.input(0);
  Dims dims = node.dims(0);
  Dims image = node.knownDims(1, "the image's sizes");
  Integers block = node.knownIntegers(2, "the block's sizes");
  Windows windows = readWindows(node, image, block);
  if (!node.failed() && (dims.size() != 3 || !isa<FloatType, IntegerType>(node.element(0)) || node.element(0).isInteger(1)))
    node.refuse("expected numbers [N, C * block, blocks]");
  if (node.failed())
    return;
  int64_t rank = windows.rank(), taps = 1;
  SmallVector<BlockAxis> axes;
  Dims shape{dims[0], Dim(0)};
  Dim blocks(1);
  for (int64_t i = 0; i < rank; ++i) {
    Dim room = image[i] + Dim(windows.low[i] + windows.high[i] - windows.reach(i));
    if ((room.isStatic() && room.constant() < 0) || block[i] > kMostTaps)
      return node.refuse("a block of " + listText(block) + " for an image of " + str(image) +
                         ", expected at most the image and its padding, and up to " + Twine(kMostTaps));
    axes.push_back({block[i], windows.strides[i], windows.dilations[i], windows.low[i], image[i],
                    floorDiv(room, windows.strides[i]) + Dim(1)});
    shape.push_back(Dim(block[i]));
    taps *= block[i];
    blocks = blocks * axes[i].blocks;
    if (taps > (int64_t(1) << 40) || blocks.isUnknown())
      return node.refuse("its size overflows 63 bits");
  }
  std::optional<Dim> channels = dims[1].dividedBy(taps);
  if (!channels || !canBeEqual(dims[2], blocks))
    return node.refuse("columns of shape " + str(dims) + ", expected a multiple of " + Twine(taps) + " for dimension 1 and " +
                       blocks.str() + " blocks");
  x = node.withSizes(x, {dims[0], dims[1], blocks});
  shape[1] = *channels;
  for (const BlockAxis &axis : axes)
    shape.push_back(axis.blocks);
  x = node.reshape(x, shape);
  for (int64_t i = 0; i < rank; ++i) // the first remaining block dimension, and its position
    x = fold(node, x, 2, 2 + rank, axes[i]);
  node.set(0, x);
}

/// Emits ones on one diagonal.
static void eyeLike(Node &node) {
  Dims dims = node.dims(0);
  int64_t number = node.integer("dtype", 0), far = int64_t(1) << 40;
  Type element = node.hasAttribute("dtype") ? elementTypeOf(number, node.i64().getContext()) : node.element(0);
  if (!element)
    node.refuse("dtype " + nameOfDataType(number) + " is not supported");
  if (dims.size() != 2)
    node.refuse("its operand has " + Twine(dims.size()) + " dimensions, expected 2");
  if (node.failed())
    return;
  Value row = node.iota(0, dims, node.i64()), column = node.iota(1, dims, node.i64());
  int64_t shift = std::clamp(node.integer("k", 0), -far, far); // there are none beyond that
  Value isOne = node.compare(CompareKind::EQ, column, node.emit<AddOp>({row, node.constantInt(shift, node.i64())}));
  node.set(0, node.convert(isOne, element));
}

/// Converts BitCast; a boolean is a byte.
static void bitCast(Node &node) {
  Value x = node.input(0);
  int64_t number = node.integer("to", 0);
  Type to = elementTypeOf(number, node.i64().getContext()), from = node.element(0);
  if (node.failed())
    return;
  auto width = [](Type type) { return type.isInteger(1) ? 8 : type.getIntOrFloatBitWidth(); };
  if (!to)
    return node.refuse("to " + nameOfDataType(number) + " is not supported");
  if (width(from) != width(to))
    return node.refuse("from " + Twine(width(from)) + " bits to the " + Twine(width(to)) + " of " + nameOfDataType(number));
  if (from.isInteger(1) || to.isInteger(1))
    return node.set(0, node.convert(x, to));
  node.set(0, from == to ? x : node.emit<BitcastOp>(x, node.type("to", to)));
}

void onnximport::addImages(Converters &converters) {
  converters["CenterCropPad"] = {centerCropPad, 2, 2, "axes"};
  converters["Col2Im"] = {columnsToImage, 3, 3, "dilations,pads,strides"};
  converters["EyeLike"] = {eyeLike, 1, 1, "dtype,k"};
  converters["BitCast"] = {bitCast, 1, 1, "to"};
}
