// Square matrices: Det.
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

/// Emits the product of the pivots of Gaussian elimination, with the sign of the row exchanges.
static void determinant(Node &node) {
  constexpr int64_t kMostRows = 64; // some twenty ops for each
  Value x = node.input(0);
  Dims dims = node.dims(0);
  Type element = node.element(0);
  if (dims.size() < 2 || dims[dims.size() - 1] != dims[dims.size() - 2] || !isa_and_nonnull<FloatType>(element))
    return node.refuse("a tensor of shape " + str(dims) + ", expected square matrices of floats");
  Dim size = dims.pop_back_val();
  dims.pop_back();
  if (!size.isStatic() || size.constant() < 1 || size.constant() > kMostRows)
    return node.refuse("matrices of " + size.str() + " rows, expected 1 to " + Twine(kMostRows) +
                       "; fix a named dimension with --dim");
  std::optional<Dim> batch = numElements(dims);
  if (!batch)
    return node.refuse("its size overflows 63 bits");
  Elimination left{node.reshape(node.convert(x, Node::wide(element)), {*batch, size, size}), Value()};
  for (int64_t i = 0; i < size.constant() && !node.failed(); ++i)
    eliminate(node, left);
  node.set(0, node.convert(node.reshape(left.determinant, dims), element));
}

void onnximport::addMatrices(Converters &converters) { converters["Det"] = {determinant, 1, 1, ""}; }
