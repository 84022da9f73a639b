// Collectives: each result as a function of the values of all ranks along the axis.
#include "dialects/Lathe/Interpreter/Evaluate.h"
#include "dialects/Lathe/Interpreter/Ranks.h"
#include <cmath>
#include <cstring>

using namespace lathe;

/// Adds values as a balanced tree: n of them are split after the largest power of two below n.
template <typename T>
static T sumOf(llvm::ArrayRef<T> values) {
  if (values.size() == 1)
    return values[0];
  size_t split = std::bit_floor(values.size() - 1);
  T left = sumOf(values.take_front(split)), right = sumOf(values.drop_front(split));
  if constexpr (std::is_integral_v<T>)
    return T(std::make_unsigned_t<T>(left) + std::make_unsigned_t<T>(right));
  else
    return left + right;
}

template <typename T>
static T combine(CollectiveKind kind, llvm::ArrayRef<T> values) {
  if (kind == CollectiveKind::Sum || kind == CollectiveKind::Mean)
    return sumOf(values);
  T best = values[0];
  for (T value : values.drop_front()) {
    if constexpr (std::is_floating_point_v<T>)
      if (std::isnan(best) || std::isnan(value)) {
        best = std::isnan(best) ? best : value;
        continue;
      }
    if (kind == CollectiveKind::Max ? value > best : value < best)
      best = value;
  }
  return best;
}

/// Combines the values. A mean divides the sum after it was rounded to `element`.
static Tensor reduce(CollectiveKind kind, llvm::ArrayRef<Tensor> values, Element element) {
  Tensor result(values[0].getElement(), values[0].getShape());
  visitNumber(result.getElement(), [&](auto zero) {
    using T = decltype(zero);
    std::vector<T> column(values.size());
    for (int64_t i = 0; i < result.size(); ++i) {
      for (size_t rank = 0; rank < values.size(); ++rank)
        column[rank] = values[rank].data<T>()[i];
      result.data<T>()[i] = combine<T>(kind, column);
    }
    return true;
  });
  if (kind != CollectiveKind::Mean)
    return result;
  Tensor mean = convert(convert(result, element), result.getElement());
  visitFloat(mean.getElement(), [&](auto zero) {
    for (int64_t i = 0; i < mean.size(); ++i)
      mean.data<decltype(zero)>()[i] /= decltype(zero)(values.size());
    return true;
  });
  return mean;
}

/// The bytes of a dimension's elements in a tensor of this shape, and how many such groups there are.
struct Lines {
  Lines(Element element, llvm::ArrayRef<int64_t> shape, int64_t dim) : count(1), bytes(sizeOf(element)) {
    for (int64_t extent : shape.take_front(dim))
      count *= extent;
    for (int64_t extent : shape.drop_front(dim))
      bytes *= extent;
  }
  int64_t count, bytes;
};

/// Returns part `index` of `parts` equal ones along a dimension.
static Tensor partAlong(const Tensor &whole, int64_t dim, int64_t parts, int64_t index) {
  llvm::SmallVector<int64_t> shape(whole.getShape());
  shape[dim] /= parts;
  Tensor part(whole.getElement(), shape);
  Lines lines(part.getElement(), shape, dim);
  for (int64_t i = 0; i < lines.count; ++i)
    std::memcpy(part.getBytes().data() + i * lines.bytes, whole.getBytes().data() + (i * parts + index) * lines.bytes,
                lines.bytes);
  return part;
}

static Tensor joinAlong(llvm::ArrayRef<Tensor> parts, int64_t dim) {
  llvm::SmallVector<int64_t> shape(parts[0].getShape());
  Lines lines(parts[0].getElement(), shape, dim);
  shape[dim] *= parts.size();
  Tensor whole(parts[0].getElement(), shape);
  for (auto [index, part] : llvm::enumerate(parts))
    for (int64_t i = 0; i < lines.count; ++i)
      std::memcpy(whole.getBytes().data() + (i * parts.size() + index) * lines.bytes, part.getBytes().data() + i * lines.bytes,
                  lines.bytes);
  return whole;
}

Tensor lathe::evaluateCollective(const Call &call, llvm::ArrayRef<Tensor> values, int64_t index) {
  int64_t ranks = values.size();
  if (auto op = mlir::dyn_cast<AllReduceOp>(call.op))
    return reduce(op.getKind(), values, call.element);
  if (auto op = mlir::dyn_cast<ReduceScatterOp>(call.op))
    return partAlong(reduce(op.getKind(), values, call.element), op.getDim(), ranks, index);
  if (auto op = mlir::dyn_cast<AllGatherOp>(call.op))
    return joinAlong(values, op.getDim());
  if (auto op = mlir::dyn_cast<AllToAllOp>(call.op)) {
    std::vector<Tensor> parts;
    for (const Tensor &value : values)
      parts.push_back(partAlong(value, op.getSplit(), ranks, index));
    return joinAlong(parts, op.getConcat());
  }
  if (auto op = mlir::dyn_cast<CollectiveBroadcastOp>(call.op))
    return values[op.getRoot()];
  int64_t shift = int64_t(mlir::cast<CollectivePermuteOp>(call.op).getShift()) % ranks;
  return values[(index - shift + ranks) % ranks];
}
