// Inference of random bits and of random numbers of a distribution.
#include "dialects/Lathe/IR/Lathe.h"

using namespace mlir;
using namespace lathe;

/// Checks the stream and the shape, which every op of the family has. Sets the result type.
template <typename Adaptor>
static LogicalResult inferRandom(std::optional<Location> location, StringRef op, Adaptor adaptor,
                                 SmallVectorImpl<Type> &types) {
  if (int64_t stream = adaptor.getStream(); stream < 0 || stream > int64_t(UINT32_MAX))
    return emitOptionalError(location, op, ": stream ", stream, " does not fit 32 bits");
  Dims shape = dimsOf(adaptor.getShape());
  if (failed(checkExtents(location, op, shape)))
    return failure();
  types.push_back(tensorOf(shape, adaptor.getElement()));
  return success();
}

static LogicalResult wantElement(bool fits, std::optional<Location> location, StringRef op, StringRef what, Type got) {
  return fits ? success() : emitOptionalError(location, op, ": element type must be ", what, ", got ", got);
}

LogicalResult RandomBitsOp::inferReturnTypes(MLIRContext *, std::optional<Location> location, Adaptor adaptor,
                                             SmallVectorImpl<Type> &types) {
  Type element = adaptor.getElement();
  bool isWord = element.isSignlessInteger(32) || element.isSignlessInteger(64);
  if (failed(wantElement(isWord, location, getOperationName(), "i32 or i64", element)))
    return failure();
  return inferRandom(location, getOperationName(), adaptor, types);
}

template <typename Adaptor>
static LogicalResult inferFloats(std::optional<Location> location, StringRef op, Adaptor adaptor,
                                 SmallVectorImpl<Type> &types) {
  Type element = adaptor.getElement();
  if (failed(wantElement(isElementType(element) && isa<FloatType>(element), location, op, "f64, f32, f16 or bf16", element)))
    return failure();
  return inferRandom(location, op, adaptor, types);
}

LogicalResult RandomUniformOp::inferReturnTypes(MLIRContext *, std::optional<Location> location, Adaptor adaptor,
                                                SmallVectorImpl<Type> &types) {
  return inferFloats(location, getOperationName(), adaptor, types);
}

LogicalResult RandomNormalOp::inferReturnTypes(MLIRContext *, std::optional<Location> location, Adaptor adaptor,
                                               SmallVectorImpl<Type> &types) {
  return inferFloats(location, getOperationName(), adaptor, types);
}

LogicalResult RandomIntegersOp::inferReturnTypes(MLIRContext *, std::optional<Location> location, Adaptor adaptor,
                                                 SmallVectorImpl<Type> &types) {
  StringRef op = getOperationName();
  Type element = adaptor.getElement();
  bool isInteger = isElementType(element) && isa<IntegerType>(element) && !element.isInteger(1);
  if (failed(wantElement(isInteger, location, op, "an integer of 8 to 64 bits", element)))
    return failure();
  int64_t low = adaptor.getLow(), high = adaptor.getHigh();
  if (low >= high)
    return emitOptionalError(location, op, ": expected low < high, got from ", low, " below ", high);
  if (uint64_t(high) - uint64_t(low) > uint64_t(1) << 32)
    return emitOptionalError(location, op, ": from ", low, " below ", high,
                             " are more than 2^32 numbers; use lathe.random_bits for the full range of i64");
  unsigned width = element.getIntOrFloatBitWidth();
  bool positive = element.isUnsignedInteger();
  int64_t least = positive ? 0 : width == 64 ? INT64_MIN : -(int64_t(1) << (width - 1));
  int64_t most = width == 64 ? INT64_MAX : (int64_t(1) << (positive ? width : width - 1)) - 1;
  if (low < least || high - 1 > most)
    return emitOptionalError(location, op, ": numbers from ", low, " to ", high - 1, " do not fit ", element);
  return inferRandom(location, op, adaptor, types);
}

LogicalResult RandomBernoulliOp::inferReturnTypes(MLIRContext *, std::optional<Location> location, Adaptor adaptor,
                                                  SmallVectorImpl<Type> &types) {
  StringRef op = getOperationName();
  if (failed(wantElement(adaptor.getElement().isInteger(1), location, op, "i1", adaptor.getElement())))
    return failure();
  if (double probability = adaptor.getProbability().convertToDouble(); !(probability >= 0 && probability <= 1))
    return emitOptionalError(location, op, ": probability must be from 0 to 1, got ", adaptor.getProbabilityAttr());
  return inferRandom(location, op, adaptor, types);
}

LogicalResult RandomPermutationOp::inferReturnTypes(MLIRContext *, std::optional<Location> location, Adaptor adaptor,
                                                    SmallVectorImpl<Type> &types) {
  StringRef op = getOperationName();
  if (failed(wantElement(adaptor.getElement().isSignlessInteger(32), location, op, "i32", adaptor.getElement())))
    return failure();
  if (dimsOf(adaptor.getShape()).empty())
    return emitOptionalError(location, op, ": expected a dimension to permute, got the shape []");
  return inferRandom(location, op, adaptor, types);
}
