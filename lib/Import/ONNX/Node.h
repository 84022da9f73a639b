// One node during its conversion: its data (NodeReader.h), and builders of the ops that it becomes.
#ifndef LATHE_IMPORT_ONNX_NODE_H
#define LATHE_IMPORT_ONNX_NODE_H

#include "lib/Import/Emit/Emitter.h"
#include "lib/Import/ONNX/NodeReader.h"

namespace lathe::onnximport {

using mlir::Attribute;
using mlir::NamedAttribute;
using mlir::ValueRange;

/// Reads a node and builds the ops that it becomes.
class Node : public NodeReader, public Emitter {
public:
  Node(Graph &graph, onnx::NodeProto &proto, mlir::Location location, int line)
      : NodeReader(graph, proto, location, line), Emitter(graph.getBuilder(), location) {}

  void refuse(const llvm::Twine &reason) override { NodeReader::refuse(reason); }
  bool failed() const override { return NodeReader::failed(); }

  // ---- Results
  void set(int output, Value value);
  void set(int output, Known known);
  /// Sets an output to an entry of another graph.
  void set(int output, Entry *entry);

  // ---- Ops that many converters need
  /// Returns the value with the dimensions `dims`; the entry checks sizes that may differ. A failed
  /// check names `neededBy`, or else the node.
  Value withSizes(Value value, llvm::ArrayRef<Dim> dims, llvm::StringRef neededBy = "");
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
  /// Pads the value with zeros at the end, or cuts it, to these sizes.
  Value padTo(Value value, llvm::ArrayRef<Dim> sizes);
  /// Returns the size of a dimension as a rank 0 tensor of integers.
  Value size(const Dim &dim, Type element);
  /// Returns indices as i64, with those that count from the end of a dimension converted.
  Value wrapIndices(Value indices, const Dim &extent);
  /// Returns the first `count` elements of a dimension, where `count` is data. The dimension gets a new name:
  /// `name`, or else one after the node's first output.
  Value setDimSize(Value value, int64_t dim, Value count, const std::string &name = {});

private:
  /// True if sizes of inputs that meet in the operator broadcast at run time.
  bool isBroadcasting() const;
  /// Broadcasts a dimension that is 1 or `to`. The entry refuses other sizes.
  Value stretched(Value value, int64_t dim, const Dim &to);
  /// Broadcasts such dimensions of the operands of an elementwise op.
  void prepareElementwise(llvm::SmallVectorImpl<Value> &operands) override;
};

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
