// Shape ops.
#include "dialects/Lathe/Interpreter/Evaluate.h"
#include "dialects/Lathe/Interpreter/Places.h"
#include "dialects/Lathe/Interpreter/Scalars.h"
#include "llvm/ADT/TypeSwitch.h"
#include <cstring>

using namespace mlir;
using namespace lathe;

/// Returns the tensor of this shape whose element at an index is the operand's at base + sum of index * stride.
static Tensor copyStrided(const Tensor &operand, ArrayRef<int64_t> shape, ArrayRef<int64_t> strides, int64_t base) {
  Tensor result(operand.getElement(), shape);
  visitAny(operand.getElement(), [&](auto zero) {
    using T = decltype(zero);
    T *to = result.data<T>();
    const T *from = operand.data<T>();
    auto copy = [&](int64_t i, int64_t place) { to[i] = from[place]; };
    // The columns of a transposition are far apart: few enough at a time that their lines of memory stay in a cache for all
    // rows.
    constexpr int64_t kColumns = 256;
    if (shape.empty() || strides.back() == 1)
      forEachPlace(shape, strides, base, copy);
    else
      for (int64_t first = 0; first < shape.back(); first += kColumns)
        forEachPlaceOfColumns(shape, strides, base, first, std::min(first + kColumns, shape.back()), copy);
    return true;
  });
  return result;
}

Tensor lathe::broadcast(const Tensor &operand, ArrayRef<int64_t> dims, ArrayRef<int64_t> shape) {
  Extents from = rowMajorStrides(operand.getShape()), strides(shape.size(), 0);
  for (auto [i, dim] : llvm::enumerate(dims))
    if (operand.getShape()[i] == shape[dim])
      strides[dim] = from[i];
  return copyStrided(operand, shape, strides, 0);
}

Tensor lathe::transpose(const Tensor &operand, ArrayRef<int64_t> permutation) {
  Extents from = rowMajorStrides(operand.getShape()), shape, strides;
  for (int64_t dim : permutation) {
    shape.push_back(operand.getShape()[dim]);
    strides.push_back(from[dim]);
  }
  return copyStrided(operand, shape, strides, 0);
}

static Tensor reverse(const Tensor &operand, ArrayRef<int64_t> dims) {
  Extents strides = rowMajorStrides(operand.getShape());
  int64_t base = 0;
  for (int64_t dim : dims) {
    base += (operand.getShape()[dim] - 1) * strides[dim];
    strides[dim] = -strides[dim];
  }
  return copyStrided(operand, operand.getShape(), strides, base);
}

/// Returns the sizes of dimensions, all of which are known in the interpreter.
static Extents sizesOf(ArrayRef<Dim> dims, const Sizes &sizes) {
  Extents result;
  for (const Dim &dim : dims)
    result.push_back(evaluate(dim, sizes).value_or(0));
  return result;
}

static Tensor slice(SliceOp op, const Tensor &operand, const Call &call) {
  Extents starts = sizesOf(dimsOf(op.getStarts()), call.sizes);
  Extents strides = rowMajorStrides(operand.getShape());
  int64_t base = 0;
  for (size_t i = 0; i < strides.size(); ++i) {
    base += starts[i] * strides[i];
    strides[i] *= op.getSteps()[i];
  }
  return copyStrided(operand, call.shape, strides, base);
}

static Tensor pad(PadOp op, const Call &call) {
  ArrayRef<int64_t> shape = call.shape;
  const Tensor &operand = call.operand(0), &value = call.operand(1);
  Extents low = sizesOf(dimsOf(op.getLow()), call.sizes);
  Tensor result = broadcast(value, {}, shape);
  Extents strides = rowMajorStrides(shape), index(shape.size(), 0);
  size_t width = sizeOf(operand.getElement());
  for (int64_t i = 0, size = operand.size(); i < size; ++i) {
    int64_t place = 0;
    bool inside = true;
    for (size_t d = 0; d < index.size(); ++d) {
      int64_t at = low[d] + index[d] * (op.getInterior()[d] + 1);
      inside &= at >= 0 && at < shape[d];
      place += at * strides[d];
    }
    if (inside)
      std::memcpy(result.data<char>() + place * width, operand.data<char>() + i * width, width);
    advanceIndex(index, operand.getShape());
  }
  return result;
}

static Tensor concatenate(const Call &call, int64_t dim) {
  Tensor result(call.operand().getElement(), call.shape);
  size_t width = sizeOf(result.getElement());
  int64_t outer = product(ArrayRef<int64_t>(call.shape).take_front(dim));
  int64_t row = product(ArrayRef<int64_t>(call.shape).drop_front(dim)) * width, done = 0;
  for (const Tensor *operand : call.operands) {
    int64_t part = product(operand->getShape().drop_front(dim)) * width;
    for (int64_t i = 0; i < outer && part; ++i)
      std::memcpy(result.data<char>() + i * row + done, operand->data<char>() + i * part, part);
    done += part;
  }
  return result;
}

static Tensor iota(IotaOp op, const Call &call) {
  ArrayRef<int64_t> shape = call.shape;
  Tensor result(call.element, shape);
  Extents strides(shape.size(), 0);
  strides[op.getDim()] = 1;
  visitNumber(result.getElement(), [&](auto zero) {
    using T = decltype(zero);
    T *to = result.data<T>();
    forEachPlace(shape, strides, 0, [&](int64_t i, int64_t place) { to[i] = scalar::convert<T>(place); });
    return true;
  });
  return result;
}

Result lathe::evaluateShape(const Call &call) {
  return llvm::TypeSwitch<Operation *, Result>(call.op)
      .Case([&](ConstantOp op) { return Tensor::fromAttr(op.getValue()); })
      .Case([&](ScratchOp op) { return Tensor(*elementOf(op.getType().getElementType()), call.shape); })
      .Case([&](BroadcastOp op) { return broadcast(call.operand(), op.getDims(), call.shape); })
      .Case([&](ReshapeOp) { return call.operand().reshaped(call.shape); })
      .Case([&](TransposeOp op) { return transpose(call.operand(), op.getPermutation()); })
      .Case([&](ReverseOp op) { return reverse(call.operand(), op.getDims()); })
      .Case([&](SliceOp op) { return slice(op, call.operand(), call); })
      .Case([&](PadOp op) { return pad(op, call); })
      .Case([&](ConcatenateOp op) { return concatenate(call, op.getDim()); })
      .Case([&](IotaOp op) { return iota(op, call); })
      .Case([&](DimSizeOp op) { return Tensor::scalar<int64_t>(call.operand().getShape()[op.getDim()]); })
      .Default([](Operation *) { return std::nullopt; });
}
