// One node during its conversion: its data (NodeReader.h), and builders of the ops that it becomes.
#ifndef LATHE_IMPORT_ONNX_NODE_H
#define LATHE_IMPORT_ONNX_NODE_H

#include "lib/Import/ONNX/NodeReader.h"

namespace lathe::onnximport {

using mlir::Attribute;
using mlir::NamedAttribute;
using mlir::ValueRange;

/// A window that slides along all dimensions: each list has one entry for each dimension.
struct Window {
  Integers size, stride, dilation, low, high;
};

/// Reads a node and builds the ops that it becomes.
class Node : public NodeReader {
public:
  using NodeReader::NodeReader;

  // ---- Results
  template <typename Op>
  Value emit(ValueRange operands, llvm::ArrayRef<NamedAttribute> attributes = {}) {
    return emitNamed(Op::getOperationName(), operands, attributes);
  }
  /// Emits a composite of the library, with options as in docs/std.md and optional operands by name.
  Value composite(llvm::StringRef name, ValueRange operands, llvm::ArrayRef<NamedAttribute> options = {},
                  llvm::ArrayRef<std::pair<llvm::StringRef, Value>> given = {});
  void set(int output, Value value);
  void set(int output, Known known);
  /// Sets an output to an entry of another graph.
  void set(int output, Entry *entry);

  NamedAttribute list(llvm::StringRef name, llvm::ArrayRef<int64_t> values);
  NamedAttribute number(llvm::StringRef name, int64_t value);
  NamedAttribute realNumber(llvm::StringRef name, double value);
  NamedAttribute word(llvm::StringRef name, llvm::StringRef value);
  NamedAttribute flag(llvm::StringRef name);
  NamedAttribute shape(llvm::StringRef name, llvm::ArrayRef<Dim> dims);
  NamedAttribute type(llvm::StringRef name, Type type);

  // ---- Ops that many converters need
  Value constant(double value, Type element);
  Value constantInt(int64_t value, Type element);
  Value constants(llvm::ArrayRef<int64_t> values, llvm::ArrayRef<int64_t> shape, Type element);
  Value realConstants(llvm::ArrayRef<double> values, llvm::ArrayRef<int64_t> shape, Type element);
  Value convert(Value value, Type element);
  /// Returns the type in which sums of an element type are computed: f32 for halves.
  static Type wide(Type element) { return element && isHalf(element) ? mlir::Float32Type::get(element.getContext()) : element; }
  /// Returns the value with the dimensions `dims`; the entry checks sizes that may differ. A failed
  /// check names `neededBy`, or else the node.
  Value withSizes(Value value, llvm::ArrayRef<Dim> dims, llvm::StringRef neededBy = "");
  Value reshape(Value value, llvm::ArrayRef<Dim> dims);
  Value transpose(Value value, llvm::ArrayRef<int64_t> permutation);
  Value broadcast(Value value, llvm::ArrayRef<int64_t> dims, llvm::ArrayRef<Dim> shape);
  /// Returns the right operand of arithmetic, comparisons and logic. Before opset 7, `axis` aligns its first dimension with one
  /// of the left operand; from then on NumPy's rules hold.
  Value rightOperand();
  /// Broadcasts by NumPy's rules, aligned at the last dimension.
  Value broadcastTo(Value value, llvm::ArrayRef<Dim> shape);
  /// Returns the shape to which NumPy's rules broadcast these, or nullopt. Sizes of inputs broadcast at run time where the
  /// operator does so or `--dim=m=1,n` declares it; others that may be equal are taken for equal.
  std::optional<Dims> broadcastShapes(llvm::ArrayRef<Dims> shapes);
  /// Returns the value with the last sizes of `shape`, except where its own is 1: the entry checks sizes that may differ.
  Value fitted(Value value, llvm::ArrayRef<Dim> shape);
  /// Returns the value, which has the sizes to which `shape` broadcasts; the entry checks those that do so at run time.
  Value checkedWide(Value value, llvm::ArrayRef<Dim> shape);
  Value reverse(Value value, int64_t dim);
  /// Returns the elements from `start` up to `limit` of one dimension; the limit is a number or the extent.
  Value slice(Value value, int64_t dim, const Dim &start, const Dim &limit, int64_t step = 1);
  Value pad(Value value, Value with, llvm::ArrayRef<Dim> low, llvm::ArrayRef<Dim> high);
  /// Pads the value with zeros at the end, or cuts it, to these sizes.
  Value padTo(Value value, llvm::ArrayRef<Dim> sizes);
  Value concatenate(ValueRange values, int64_t dim);
  Value iota(int64_t dim, llvm::ArrayRef<Dim> shape, Type element);
  Value compare(CompareKind kind, Value lhs, Value rhs);
  Value gather(Value table, Value indices, int64_t axis, int64_t batch = 0);
  Value reduce(ReduceKind kind, Value value, llvm::ArrayRef<int64_t> dims, bool keep);
  Value reduceWindow(ReduceKind kind, Value value, const Window &window);
  /// Returns the tap of each window that its minimum or maximum has.
  Value windowIndex(ReduceKind kind, Value value, const Window &window);
  /// Combines the elements up to each position of a dimension, or from there on with `reverses`.
  Value cumulative(CumulativeKind kind, Value value, int64_t dim, bool reverses = false);
  /// Combines updates into the slices that indices select along an axis.
  Value scatter(ScatterKind kind, Value into, Value indices, Value updates, int64_t axis, int64_t batch = 0);
  Value contract(Value lhs, Value rhs, llvm::ArrayRef<int64_t> lhsContract, llvm::ArrayRef<int64_t> rhsContract,
                 llvm::ArrayRef<int64_t> lhsBatch = {}, llvm::ArrayRef<int64_t> rhsBatch = {});
  /// Returns the size of a dimension as a rank 0 tensor of integers.
  Value size(const Dim &dim, Type element);
  /// Returns indices as i64, with those that count from the end of a dimension converted.
  Value wrapIndices(Value indices, const Dim &extent);
  /// Returns the first `count` elements of a dimension, where `count` is data. The dimension gets a new name:
  /// `name`, or else one after the node's first output.
  Value setDimSize(Value value, int64_t dim, Value count, const std::string &name = {});
  Type i64();
  Type i1();

private:
  /// True if sizes of inputs that meet in the operator broadcast at run time.
  bool isBroadcasting() const;
  /// Broadcasts a dimension that is 1 or `to`. The entry refuses other sizes.
  Value stretched(Value value, int64_t dim, const Dim &to);
  /// Broadcasts such dimensions of the operands of an elementwise op.
  void stretchOperands(llvm::SmallVectorImpl<Value> &operands);
  template <typename KindAttr, typename Kind>
  NamedAttribute kindOf(Kind kind);
  llvm::SmallVector<NamedAttribute> windowAttributes(ReduceKind kind, const Window &window);
  Value emitNamed(llvm::StringRef name, ValueRange operands, llvm::ArrayRef<NamedAttribute> attributes);
};

inline Type elementOfValue(Value value) {
  return value ? mlir::cast<mlir::RankedTensorType>(value.getType()).getElementType() : Type();
}
inline Dims dimsOfValue(Value value) { return value ? dimsOf(value) : Dims(); }
inline int64_t rankOf(Value value) { return dimsOfValue(value).size(); }
Integers range(int64_t begin, int64_t end);
/// Emits NumPy's matrix product: matrices in the last two dimensions, the others broadcast; a vector is a row on the left and a
/// column on the right.
Value matrixProduct(Node &node, Value lhs, Value rhs);

/// The conversion of an operator.
struct Converter {
  void (*convert)(Node &node);
  int least, most;             // number of operands; `most` is -1 for any number
  llvm::StringRef attributes;  // known attributes, separated by commas
  int64_t since = 6;           // the first supported opset of ai.onnx; 0 needs none
  bool takesSequences = false; // and optional values; the operands of all other operators are tensors
};
using Converters = llvm::StringMap<Converter>; // by operator; those of ONNX Runtime as com.microsoft:QLinearAdd
inline constexpr llvm::StringLiteral kMicrosoft = "com.microsoft";

/// Returns the table of all converters.
const Converters &converters();

/// Imports the body of the model's function that a node calls.
void expandFunction(Node &node);

/// Evaluates a node with known operands. Returns false if the operator is not supported or an element cannot be computed.
bool evaluateNode(Node &node);

} // namespace lathe::onnximport

#endif
