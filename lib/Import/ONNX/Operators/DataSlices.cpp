// Slices along a dimension whose size data decides, or between bounds that are data: both bounds are clamped when the entry
// runs.
#include "dialects/Lathe/IR/DerivedDims.h"
#include "lib/Import/ONNX/Operators/DataSizes.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::onnximport;

bool onnximport::isDecidedByData(Node &node, const Dim &extent) {
  auto &names = node.getGraph().getModel().dataDims;
  return llvm::any_of(namesIn(extent), [&](const std::string &name) { return names.count(name); });
}

/// Returns a bound as a value from `least` up to `most`. A negative one counts from the end, as ONNX defines it.
static Value clampedBound(Node &node, const Dim &given, Value size, Value least, Value most) {
  if (given.isStatic() && std::abs(given.constant()) >= kEndless)
    return given.constant() > 0 ? most : least;
  Value place = node.size(given, node.i64()), fromEnd = node.emit<AddOp>({place, size});
  if (signOf(given) == -1)
    place = fromEnd;
  else if (!isNeverNegative(given))
    place = node.emit<SelectOp>({node.compare(CompareKind::LT, place, node.constantInt(0, node.i64())), fromEnd, place});
  return node.emit<MaxOp>({node.emit<MinOp>({place, most}), least});
}

/// Returns an upper bound on the number of elements: from the bounds if they are numbers that count from the same end, else
/// from the largest size of the dimension.
static Dim mostElements(const Dim &start, const Dim &end, int64_t step, const Dim &most) {
  bool isEndless = end.isStatic() && end.constant() >= kEndless;
  if (step > 0 && start.isStatic() && end.isStatic() && std::abs(start.constant()) < kEndless) {
    int64_t from = start.constant(), to = isEndless ? 0 : end.constant();
    if (isEndless ? from < 0 : (from < 0) == (to < 0) && std::abs(to) < kEndless)
      return ceilDiv(Dim(std::max<int64_t>(to - from, 0)), step);
  }
  return ceilDiv(most, std::abs(step));
}

Value onnximport::elementFromEnd(Node &node, Value x, int64_t dim, const Dim &start) {
  Dim extent = dimsOfValue(x)[dim], place = extent + start;
  Value isThere = node.compare(CompareKind::GE, node.size(place, node.i64()), node.constantInt(0, node.i64()));
  if (!node.failed())
    AssertOp::create(node.getGraph().getBuilder(), node.getLocation(), isThere, extent.str() + " >= " + (Dim(0) - start).str());
  return node.slice(x, dim, place, place + Dim(1));
}

namespace {
/// The values that bounds of a slice are clamped to.
struct Ends {
  Value size, zero, least, highest;
};
} // namespace

static Ends endsOf(Node &node, Value x, int64_t dim, int64_t step) {
  Value size = node.size(dimsOfValue(x)[dim], node.i64()), zero = node.constantInt(0, node.i64());
  Value last = node.emit<SubOp>({size, node.constantInt(1, node.i64())});
  return {size, zero, step > 0 ? zero : node.constantInt(-1, node.i64()), step > 0 ? size : last};
}

/// Returns every step-th element between bounds that are clamped, `most` at most.
static Value pickedBetween(Node &node, Value x, int64_t dim, Value from, Value to, int64_t step, const Dim &most) {
  auto number = [&](int64_t value) { return node.constantInt(value, node.i64()); };
  Value zero = number(0), stride = number(std::abs(step));
  Value span = step > 0 ? node.emit<SubOp>({to, from}) : node.emit<SubOp>({from, to});
  Value count = node.emit<FloorDivOp>({node.emit<AddOp>({span, number(std::abs(step) - 1)}), stride});
  Value places = node.emit<MulOp>({node.iota(0, {most}, node.i64()), stride});
  places = step > 0 ? node.emit<AddOp>({from, places}) : node.emit<MaxOp>({node.emit<SubOp>({from, places}), zero});
  return node.setDimSize(node.gather(x, places, dim), dim, node.emit<MaxOp>({count, zero}));
}

Value onnximport::slicedByData(Node &node, Value x, int64_t dim, const Dim &start, const Dim &end, int64_t step) {
  Dim extent = dimsOfValue(x)[dim], most = mostElements(start, end, step, node.getGraph().getModel().mostOf(extent));
  Ends ends = endsOf(node, x, dim, step);
  Value from = clampedBound(node, start, ends.size, ends.least, ends.highest);
  Value to = clampedBound(node, end, ends.size, ends.least, ends.highest);
  return pickedBetween(node, x, dim, from, to, step, most);
}

Value onnximport::slicedBetween(Node &node, Value x, int64_t dim, Value start, Value end, int64_t step) {
  Ends ends = endsOf(node, x, dim, step);
  auto clamped = [&](Value place) {
    Value isFromEnd = node.compare(CompareKind::LT, place, ends.zero);
    place = node.emit<SelectOp>({isFromEnd, node.emit<AddOp>({place, ends.size}), place});
    return node.emit<MaxOp>({node.emit<MinOp>({place, ends.highest}), ends.least});
  };
  Dim most = ceilDiv(node.getGraph().getModel().mostOf(dimsOfValue(x)[dim]), std::abs(step));
  return pickedBetween(node, x, dim, clamped(start), clamped(end), step, most);
}
