// Square matrices: Det, by Gaussian elimination. Small matrices of a known size lose a row and a column in each step. In all
// others the eliminated rows stay, masked, so that all steps have the same shape.
#include "dialects/Lathe/IR/Control.h"
#include "lib/Import/ONNX/Operators/Operators.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::onnximport;

namespace {
/// The remaining part of matrices [B, M, M] during the elimination.
struct Elimination {
  Value matrices;
  Value determinant; // [B], of the eliminated part; null at first
};
} // namespace

/// Removes the first column, with the row that has its largest element.
static void eliminate(Node &node, Elimination &left) {
  Value x = left.matrices;
  Dims dims = dimsOfValue(x);
  if (node.failed())
    return;
  Type element = elementOfValue(x);
  Dim batch = dims[0], size = dims[1];
  Value zero = node.constant(0, element), one = node.constant(1, element), minusOne = node.constant(-1, element);
  Value column = node.reshape(node.slice(x, 2, 0, Dim(1)), {batch, size});
  Value place = node.emit<ArgmaxOp>(node.emit<AbsOp>(column), node.number("dim", 1)); // NaN is the largest
  Value first = node.slice(x, 1, 0, Dim(1)),
        row = node.reshape(node.gather(x, node.reshape(place, {batch, Dim(1)}), 1, 1), dimsOfValue(first));
  Value pivot = node.reshape(node.slice(row, 2, 0, Dim(1)), {batch});
  Value isFirst = node.compare(CompareKind::EQ, place, node.constantInt(0, elementOfValue(place)));
  Value factor = node.emit<SelectOp>({isFirst, pivot, node.emit<MulOp>({pivot, minusOne})});
  left.determinant = left.determinant ? node.emit<MulOp>({left.determinant, factor}) : factor;
  if (node.failed() || size == Dim(1))
    return;
  // The first row moves to the removed row's position, and the removed row is subtracted from the remaining ones; not if the
  // column is zero.
  Value number = node.iota(1, {Dim(1), size, Dim(1)}, elementOfValue(place));
  Value isPlace = node.compare(CompareKind::EQ, number, node.reshape(place, {batch, Dim(1), Dim(1)}));
  Value others = node.slice(node.emit<SelectOp>({isPlace, first, x}), 1, 1, size);
  Value isZero = node.compare(CompareKind::EQ, pivot, zero);
  Value divisor = node.reshape(node.emit<SelectOp>({isZero, one, pivot}), {batch, Dim(1), Dim(1)});
  Value ratios = node.emit<DivOp>({node.slice(others, 2, 0, Dim(1)), divisor});
  Value taken = node.emit<MulOp>({ratios, node.slice(row, 2, 1, size)});
  left.matrices = node.emit<SubOp>({node.slice(others, 2, 1, size), taken});
}

/// Emits a step of the elimination of matrices [B, M, M]: with the largest element of column `step` in the rows from `step` on.
/// Returns the matrices, whose rows up to `step` have no further meaning, and the determinant of the eliminated part.
static SmallVector<Value> eliminateMasked(Node &node, Value x, Value determinant, Value step) {
  Dims dims = dimsOfValue(x);
  if (node.failed())
    return {};
  Type element = elementOfValue(x);
  Dim batch = dims[0], size = dims[1];
  auto at = [&](Value value, int64_t axis) { return node.gather(value, node.reshape(step, {Dim(1)}), axis); };
  Value number = node.iota(0, {size}, node.i64()), zero = node.constant(0, element);
  Value isLeft = node.compare(CompareKind::GE, number, step);
  Value column = node.reshape(at(x, 2), {batch, size});
  Value magnitude = node.emit<SelectOp>({isLeft, node.emit<AbsOp>(column), node.constant(-1, element)});
  Value place = node.convert(node.emit<ArgmaxOp>(magnitude, node.number("dim", 1)), node.i64()); // NaN is the largest
  Value first = at(x, 1), row = node.reshape(node.gather(x, node.reshape(place, {batch, Dim(1)}), 1, 1), dimsOfValue(first));
  Value pivot = node.reshape(at(row, 2), {batch});
  Value isFirst = node.compare(CompareKind::EQ, place, step);
  Value factor = node.emit<SelectOp>({isFirst, pivot, node.emit<MulOp>({pivot, node.constant(-1, element)})});
  Dims rows{Dim(1), size, Dim(1)}, single{batch, Dim(1), Dim(1)};
  number = node.reshape(number, rows);
  Value isPlace = node.compare(CompareKind::EQ, number, node.reshape(place, single));
  Value others = node.emit<SelectOp>({isPlace, first, x});
  Value divisor = node.emit<SelectOp>({node.compare(CompareKind::EQ, pivot, zero), node.constant(1, element), pivot});
  // Rows that are eliminated stay as they are, so that no infinity comes into them.
  Value isBelow = node.compare(CompareKind::GT, number, step);
  Value ratios = node.emit<DivOp>({node.emit<SelectOp>({isBelow, at(others, 2), zero}), node.reshape(divisor, single)});
  Value left = node.emit<SubOp>({others, node.emit<MulOp>({ratios, row})});
  return {left, node.emit<MulOp>({determinant, factor})};
}

/// Returns the determinants [B] of matrices [B, M, M] by a scan over their rows; 1 if they have none.
static Value determinantByScan(Node &node, Value x) {
  Dims dims = dimsOfValue(x);
  if (node.failed())
    return {};
  OpBuilder &builder = node.getGraph().getBuilder();
  Value one = node.broadcast(node.constant(1, elementOfValue(x)), {}, {dims[0]}), steps = node.iota(0, {dims[1]}, node.i64());
  if (node.failed() || dims[1].isStatic(0))
    return one;
  auto scan =
      ScanOp::create(builder, node.getLocation(), Value(), ValueRange(), ValueRange{x, one}, steps, ShapeAttr(), TypeRange());
  {
    OpBuilder::InsertionGuard guard(builder);
    Block &block = scan.getBody().front();
    builder.setInsertionPointToEnd(&block);
    SmallVector<Value> next = eliminateMasked(node, block.getArgument(0), block.getArgument(1), block.getArgument(2));
    if (node.failed())
      return {};
    YieldOp::create(builder, node.getLocation(), next);
  }
  closeRegions(scan);
  return scan.getResult(1);
}

/// Emits the product of the pivots of Gaussian elimination, with the sign of the row exchanges.
static void determinant(Node &node) {
  constexpr int64_t kMostUnrolled = 16; // some twenty ops for each row
  Value x = node.input(0);
  Dims dims = node.dims(0);
  Type element = node.element(0);
  auto differ = [](const Dim &a, const Dim &b) { return (a - b).isStatic() && a != b; };
  if (dims.size() < 2 || differ(dims[dims.size() - 2], dims.back()) || !isa_and_nonnull<FloatType>(element))
    return node.refuse("a tensor of shape " + str(dims) + ", expected square matrices of floats");
  dims.back() = dims[dims.size() - 2];
  x = node.withSizes(x, dims); // the entry checks that names with different sizes are equal
  Dim size = dims.pop_back_val();
  dims.pop_back();
  std::optional<Dim> batch = numElements(dims);
  if (!batch)
    return node.refuse("its size overflows 63 bits");
  Value matrices = node.reshape(node.convert(x, Node::wide(element)), {*batch, size, size}), result;
  if (!size.isStatic() || size.constant() < 1 || size.constant() > kMostUnrolled) {
    result = determinantByScan(node, matrices);
  } else {
    Elimination left{matrices, Value()};
    for (int64_t i = 0; i < size.constant() && !node.failed(); ++i)
      eliminate(node, left);
    result = left.determinant;
  }
  node.set(0, node.convert(node.reshape(result, dims), element));
}

void onnximport::addMatrices(Converters &converters) { converters["Det"] = {determinant, 1, 1, ""}; }
