// Inference and folds of window ops.
#include "dialects/Lathe/IR/DerivedDims.h"
#include "dialects/Lathe/IR/Lathe.h"
#include "lib/Support/Text.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace lathe;

/// Checks C1 and C2.
static LogicalResult checkLists(std::optional<Location> location, StringRef op, WindowAttr window, size_t rank) {
  const std::pair<StringRef, ArrayRef<int64_t>> lists[] = {
      {"window", window.getSize()},       {"stride", window.getStride()},
      {"dilation", window.getDilation()}, {"base_dilation", window.getBaseDilation()},
      {"pad", window.getLow()},           {"pad", window.getHigh()},
  };
  for (auto [name, list] : lists)
    if (list.size() != rank)
      return emitOptionalError(location, op, ": '", name, "' has ", list.size(), " entries for ", rank, " dimensions");
  for (auto [name, list] : ArrayRef(lists).take_front(4))
    if (llvm::any_of(list, [](int64_t value) { return value < 1; }))
      return emitOptionalError(location, op, ": '", name, "' must be at least 1, got ", listText(list));
  return success();
}

/// Returns the extents after sliding a window over these extents. Checks C1 to C4.
static FailureOr<Dims> slide(std::optional<Location> location, StringRef op, WindowAttr window, const Dims &extents) {
  if (failed(checkLists(location, op, window, extents.size())))
    return failure();
  Dims result;
  for (auto [i, extent] : llvm::enumerate(extents)) {
    int64_t stride = window.getStride()[i], holes = window.getBaseDilation()[i];
    Dim span = dilated(extent, holes);
    Dim padded = span + Dim(window.getLow()[i]) + Dim(window.getHigh()[i]);
    Dim reach = Dim(window.getSize()[i] - 1) * Dim(window.getDilation()[i]) + Dim(1), last = padded - reach;
    if (hasOverflowed(last, extent))
      return emitOptionalError(location, op, ": the extents of dimension ", i, " overflow 63 bits");
    if (last.isStatic() && last.constant() < -stride)
      return emitOptionalError(location, op, ": the window spans ", reach.str(), " elements of dimension ", i, ", which has ",
                               padded.str(), " with its padding");
    result.push_back(floorDiv(last, stride) + Dim(1));
  }
  return result;
}

LogicalResult ReduceWindowOp::inferReturnTypes(MLIRContext *, std::optional<Location> location, Adaptor adaptor,
                                               SmallVectorImpl<Type> &types) {
  FailureOr<Dims> result = slide(location, getOperationName(), adaptor.getWindow(), dimsOf(adaptor.getOperand()));
  if (failed(result))
    return failure();
  if (ofBits(adaptor.getKind()))
    return emitOptionalError(location, getOperationName(), ": the kind must be sum, product, max or min, got ",
                             stringifyReduceKind(adaptor.getKind()));
  types.push_back(tensorOf(*result, getElementTypeOrSelf(adaptor.getOperand())));
  return success();
}
/// Folds a window of one element that neither steps nor leaves the operand.
OpFoldResult ReduceWindowOp::fold(FoldAdaptor) {
  WindowAttr window = getWindow();
  auto all = [](DenseI64ArrayAttr list, int64_t value) {
    return llvm::all_of(list.asArrayRef(), [=](int64_t entry) { return entry == value; });
  };
  bool isIdentity = all(window.getSize(), 1) && all(window.getStride(), 1) && all(window.getBaseDilation(), 1) &&
                    all(window.getLow(), 0) && all(window.getHigh(), 0);
  bool isSum = getKind() == ReduceKind::Sum && isa<FloatType>(getElementTypeOrSelf(getType())); // of -0 the sum is 0
  return isIdentity && !isSum ? getOperand() : Value();
}

LogicalResult WindowIndexOp::inferReturnTypes(MLIRContext *context, std::optional<Location> location, Adaptor adaptor,
                                              SmallVectorImpl<Type> &types) {
  FailureOr<Dims> result = slide(location, getOperationName(), adaptor.getWindow(), dimsOf(adaptor.getOperand()));
  if (failed(result))
    return failure();
  if (adaptor.getKind() != ReduceKind::Max && adaptor.getKind() != ReduceKind::Min)
    return emitOptionalError(location, getOperationName(), ": the kind must be max or min, got ",
                             stringifyReduceKind(adaptor.getKind()));
  types.push_back(tensorOf(*result, IntegerType::get(context, 32)));
  return success();
}

static LogicalResult checkShape(std::optional<Location> location, StringRef op, StringRef operand, Value value,
                                const Dims &expected) {
  Dims given = dimsOf(value);
  bool fits = given.size() == expected.size();
  for (size_t i = 0; fits && i < given.size(); ++i)
    fits = mayEqual(given[i], expected[i]);
  if (!fits)
    return emitOptionalError(location, op, ": operand '", operand, "' has shape ", str(given), ", expected ", str(expected));
  return success();
}

LogicalResult WindowGatherOp::inferReturnTypes(MLIRContext *, std::optional<Location> location, Adaptor adaptor,
                                               SmallVectorImpl<Type> &types) {
  FailureOr<Dims> result = slide(location, getOperationName(), adaptor.getWindow(), dimsOf(adaptor.getOperand()));
  if (failed(result) || failed(checkShape(location, getOperationName(), "taps", adaptor.getTaps(), *result)))
    return failure();
  types.push_back(tensorOf(*result, getElementTypeOrSelf(adaptor.getOperand())));
  return success();
}

LogicalResult WindowScatterOp::inferReturnTypes(MLIRContext *, std::optional<Location> location, Adaptor adaptor,
                                                SmallVectorImpl<Type> &types) {
  Dims shape = dimsOf(adaptor.getShape()), given = dimsOf(adaptor.getOperand());
  if (failed(checkExtents(location, getOperationName(), shape)))
    return failure();
  FailureOr<Dims> expected = slide(location, getOperationName(), adaptor.getWindow(), shape);
  if (failed(expected) || failed(checkShape(location, getOperationName(), "operand", adaptor.getOperand(), *expected)) ||
      failed(checkShape(location, getOperationName(), "taps", adaptor.getTaps(), given)))
    return failure();
  types.push_back(tensorOf(namedAs(shape, given), getElementTypeOrSelf(adaptor.getOperand())));
  return success();
}
