// lathe.strips: the region runs once for each strip, on slices of the inputs.
#include "dialects/Lathe/Interpreter/Frame.h"

using namespace mlir;
using namespace lathe;

namespace {
/// The indices of a strip: one for each of the op's extents, the last of which is its first row; and its number of rows.
struct Strip {
  SmallVector<int64_t> indices;
  int64_t rows;
};
} // namespace

/// Returns the bytes in front of a strip's part of a tensor, whose leading dimensions are the extents that `places` names.
static int64_t offsetOf(const Tensor &tensor, ArrayRef<int64_t> places, const Strip &strip) {
  int64_t offset = 0;
  for (auto [place, extent] : llvm::zip(places, tensor.getShape()))
    offset = offset * extent + strip.indices[place];
  for (int64_t extent : tensor.getShape().drop_front(places.size()))
    offset *= extent;
  return offset * sizeOf(tensor.getElement());
}

static Tensor partOf(const Tensor &tensor, ArrayRef<int64_t> places, const Strip &strip) {
  SmallVector<int64_t> shape(tensor.getShape().drop_front(places.size()));
  if (!places.empty() && places.back() + 1 == int64_t(strip.indices.size()))
    shape.insert(shape.begin(), strip.rows);
  Tensor part(tensor.getElement(), shape);
  if (!part.getBytes().empty())
    std::memcpy(part.data<char>(), tensor.data<char>() + offsetOf(tensor, places, strip), part.getBytes().size());
  return part;
}

/// Calls `body` for all strips of an op with these extents, until a call fails.
static LogicalResult forEachStrip(ArrayRef<int64_t> extents, int64_t height, function_ref<LogicalResult(const Strip &)> body) {
  int64_t outer = 1, rows = extents.back();
  for (int64_t extent : extents.drop_back())
    outer *= extent;
  for (int64_t matrix = 0; matrix < outer; ++matrix)
    for (int64_t first = 0; first < rows; first += height) {
      Strip strip{SmallVector<int64_t>(extents.size()), std::min(height, rows - first)};
      strip.indices.back() = first;
      for (int64_t i = extents.size() - 1, rest = matrix; i-- > 0; rest /= extents[i])
        strip.indices[i] = rest % extents[i];
      if (failed(body(strip)))
        return failure();
    }
  return success();
}

LogicalResult Frame::stepStrips(StripsOp op) {
  std::vector<Tensor> inputs = takeAll(op->getOpOperands()), results;
  for (Value result : op.getResults()) {
    SmallVector<int64_t> shape;
    if (failed(shapeOf(*op, result.getType(), shape)))
      return failure();
    results.emplace_back(*elementOf(cast<RankedTensorType>(result.getType()).getElementType()), shape);
  }
  SmallVector<int64_t> extents;
  for (const Dim &dim : dimsOf(op.getExtents()))
    extents.push_back(*evaluate(dim, sizes)); // the results have these extents
  SmallVector<int64_t> all = llvm::to_vector(llvm::seq<int64_t>(0, extents.size()));
  LogicalResult done = forEachStrip(extents, op.getHeight(), [&](const Strip &strip) {
    Sizes inStrip = sizes;
    inStrip[op.getRows().str()] = strip.rows;
    std::vector<Tensor> parts;
    for (auto [i, input] : llvm::enumerate(inputs))
      parts.push_back(partOf(input, op.getPlacesOf(i), strip));
    FailureOr<std::vector<Tensor>> yielded = Frame(inStrip, options, steps).run(op.getBody().front(), std::move(parts));
    if (failed(yielded))
      return failure();
    for (auto [part, result] : llvm::zip_equal(*yielded, results))
      if (!part.getBytes().empty())
        std::memcpy(result.data<char>() + offsetOf(result, all, strip), part.data<char>(), part.getBytes().size());
    return success();
  });
  if (failed(done))
    return failure();
  for (auto [value, tensor] : llvm::zip_equal(op.getResults(), results))
    define(value, std::move(tensor));
  return success();
}
