// One node while it is converted: its operands and attributes, and the ops that come of it. A problem is noted once and ends in
// a refusal of the node; until then accessors return something harmless, so that converters read straight through.
#ifndef LATHE_IMPORT_ONNX_NODE_H
#define LATHE_IMPORT_ONNX_NODE_H

#include "dialects/Lathe/IR/Lathe.h"
#include "lib/Import/ONNX/Graph.h"

namespace lathe::onnximport {

using mlir::Attribute;
using mlir::NamedAttribute;
using mlir::Type;
using mlir::Value;
using mlir::ValueRange;
using Integers = llvm::SmallVector<int64_t>;

class Node {
public:
  /// `line` is that of the listing which diagnostics show.
  Node(Graph &graph, onnx::NodeProto &proto, mlir::Location location, int line);

  // ---- Problems
  /// Notes why the node cannot be imported; the first reason stays.
  void refuse(const llvm::Twine &reason);
  /// The same of an operand that must be known while importing.
  void refuseData(const llvm::Twine &reason, llvm::ArrayRef<int> operands);
  /// A graph inside of the node has told why it cannot be imported.
  void refuseAsTold() { isTold = true; }
  bool failed() const { return isTold || !reason.empty(); }
  const std::string &getReason() const { return reason; }

  // ---- What the model says
  llvm::StringRef op() const { return proto.op_type(); }
  int64_t opset() const { return graph.getOpset(); }
  ExternalFiles &files() { return graph.getModel().files; }
  int inputs() const { return proto.input_size(); }
  bool has(int input) const { return input < proto.input_size() && !proto.input(input).empty(); }
  /// Whether somebody may read that output.
  bool wants(int output) const { return output < proto.output_size() && !proto.output(output).empty(); }
  int outputs() const { return proto.output_size(); }
  const std::string &output(int output) const { return proto.output(output); }
  /// Whether so many elements more may be worked out and kept.
  bool spendElements(int64_t count) { return graph.spendElements(count); }
  Value input(int input);
  llvm::SmallVector<Value> allInputs();
  Type element(int input);
  Dims dims(int input);
  int64_t rank(int input) { return dims(input).size(); }
  const Known *known(int input);
  /// What an operand stands for; null if it is left out.
  Entry *entry(int input);
  /// The value of an operand that must be known while importing: a list of numbers, or of dimensions.
  Integers knownIntegers(int input, llvm::StringRef what);
  Dims knownDims(int input, llvm::StringRef what);
  llvm::SmallVector<double> knownReals(int input, llvm::StringRef what);
  /// The same of one number, for which a float may stand.
  Dim knownDim(int input, llvm::StringRef what);
  int64_t knownInteger(int input, llvm::StringRef what);

  bool hasAttribute(llvm::StringRef name) const { return find(name); }
  int64_t integer(llvm::StringRef name, int64_t otherwise);
  double real(llvm::StringRef name, double otherwise);
  std::string text(llvm::StringRef name, llvm::StringRef otherwise);
  Integers integers(llvm::StringRef name, Integers otherwise = {});
  llvm::SmallVector<double> reals(llvm::StringRef name);
  const onnx::AttributeProto *find(llvm::StringRef name) const;
  /// A dimension that may count from the end, of `rank` ones.
  int64_t axis(int64_t axis, int64_t rank);
  /// The same for a list; distinct and ascending.
  Integers axes(llvm::ArrayRef<int64_t> axes, int64_t rank);
  /// Axes that are an attribute before some version and an input from then on; nullopt if they are not given.
  std::optional<Integers> axesOf(int input);

  // ---- Graphs inside
  Graph &getGraph() { return graph; }
  const onnx::NodeProto &getProto() const { return proto; }
  int getLine() const { return line; }
  mlir::Location getLocation() const { return location; }
  /// The graph that an attribute holds; null after a refusal.
  onnx::GraphProto *body(llvm::StringRef name);
  /// The value of what a graph inside calls an output, which it is to be at the end of the graph's block.
  Value valueOf(Entry *entry);

  // ---- What comes of it
  template <typename Op>
  Value emit(ValueRange operands, llvm::ArrayRef<NamedAttribute> attributes = {}) {
    return emitNamed(Op::getOperationName(), operands, attributes);
  }
  /// A composite of the library; options as in docs/std.md, operands that may be left out by name.
  Value composite(llvm::StringRef name, ValueRange operands, llvm::ArrayRef<NamedAttribute> options = {},
                  llvm::ArrayRef<std::pair<llvm::StringRef, Value>> given = {});
  void set(int output, Value value);
  void set(int output, Known known);
  /// What another graph's name stands for.
  void set(int output, Entry *entry);

  NamedAttribute list(llvm::StringRef name, llvm::ArrayRef<int64_t> values);
  NamedAttribute number(llvm::StringRef name, int64_t value);
  NamedAttribute realNumber(llvm::StringRef name, double value);
  NamedAttribute word(llvm::StringRef name, llvm::StringRef value);
  NamedAttribute flag(llvm::StringRef name);
  NamedAttribute shape(llvm::StringRef name, llvm::ArrayRef<Dim> dims);
  NamedAttribute type(llvm::StringRef name, Type type);
  NamedAttribute reduceKind(ReduceKind kind);

  // ---- Ops that many converters need
  Value constant(double value, Type element);
  Value constantInt(int64_t value, Type element);
  Value constants(llvm::ArrayRef<int64_t> values, llvm::ArrayRef<int64_t> shape, Type element);
  Value realConstants(llvm::ArrayRef<double> values, llvm::ArrayRef<int64_t> shape, Type element);
  Value convert(Value value, Type element);
  /// What sums of an element type are computed in: f32 of halves.
  static Type wide(Type element) { return element && isHalf(element) ? mlir::Float32Type::get(element.getContext()) : element; }
  /// Returns the value where each of its dimensions is one of `dims`, which the entry checks where that may not be so.
  Value withSizes(Value value, llvm::ArrayRef<Dim> dims);
  Value reshape(Value value, llvm::ArrayRef<Dim> dims);
  Value transpose(Value value, llvm::ArrayRef<int64_t> permutation);
  Value broadcast(Value value, llvm::ArrayRef<int64_t> dims, llvm::ArrayRef<Dim> shape);
  /// The right operand of arithmetic, comparisons and logic. Before opset 7 `axis` says which dimension of the left one its
  /// first one is; from then on NumPy's rules hold.
  Value rightOperand();
  /// Stretched by NumPy's rules, aligned at the last dimension.
  Value broadcastTo(Value value, llvm::ArrayRef<Dim> shape);
  Value reverse(Value value, int64_t dim);
  /// Elements from `start` up to `limit` of one dimension; the limit is a number or the extent.
  Value slice(Value value, int64_t dim, const Dim &start, const Dim &limit, int64_t step = 1);
  Value pad(Value value, Value with, llvm::ArrayRef<Dim> low, llvm::ArrayRef<Dim> high);
  /// The value with zeros behind its elements, or without the last ones, so that it has these sizes.
  Value padTo(Value value, llvm::ArrayRef<Dim> sizes);
  Value concatenate(ValueRange values, int64_t dim);
  Value iota(int64_t dim, llvm::ArrayRef<Dim> shape, Type element);
  Value compare(CompareKind kind, Value lhs, Value rhs);
  Value gather(Value table, Value indices, int64_t axis, int64_t batch = 0);
  Value reduce(ReduceKind kind, Value value, llvm::ArrayRef<int64_t> dims, bool keep);
  Value contract(Value lhs, Value rhs, llvm::ArrayRef<int64_t> lhsContract, llvm::ArrayRef<int64_t> rhsContract,
                 llvm::ArrayRef<int64_t> lhsBatch = {}, llvm::ArrayRef<int64_t> rhsBatch = {});
  /// The size of a dimension as a rank 0 tensor of integers.
  Value size(const Dim &dim, Type element);
  /// Indices that may count from the end of a dimension made ones that do not, as i64.
  Value wrapIndices(Value indices, const Dim &extent);
  /// The first elements of a dimension, `count` of them, which is data: from here on a dimension with a name of its own.
  /// It is called `name`, or else after the node's first output.
  Value setDimSize(Value value, int64_t dim, Value count, const std::string &name = {});
  Type i64();
  Type i1();

private:
  Value emitNamed(llvm::StringRef name, ValueRange operands, llvm::ArrayRef<NamedAttribute> attributes);

  Graph &graph;
  onnx::NodeProto &proto;
  mlir::Location location;
  int line;
  bool isTold = false;
  std::string reason;
};

inline Type elementOfValue(Value value) {
  return value ? mlir::cast<mlir::RankedTensorType>(value.getType()).getElementType() : Type();
}
inline Dims dimsOfValue(Value value) { return value ? dimsOf(value) : Dims(); }
inline int64_t rankOf(Value value) { return dimsOfValue(value).size(); }
Integers range(int64_t begin, int64_t end);
/// NumPy's: matrices in the last two dimensions, the others broadcast; a vector is a row on the left, a column on the right.
Value matrixProduct(Node &node, Value lhs, Value rhs);

/// How an operator is converted.
struct Converter {
  void (*convert)(Node &node);
  int least, most;             // operands; most is -1 for any number
  llvm::StringRef attributes;  // that it knows, separated by commas
  int64_t since = 6;           // the first opset of ai.onnx of which it is understood; 0 needs none
  bool takesSequences = false; // and optional values; of all others operands are tensors
};
using Converters = llvm::StringMap<Converter>; // by operator, those of ONNX Runtime as com.microsoft:QLinearAdd
inline constexpr llvm::StringLiteral kMicrosoft = "com.microsoft";

/// The table of all.
const Converters &converters();

/// Imports the body of the model's function that a node calls.
void expandFunction(Node &node);

/// Works a node out whose operands are known; false if it is not one of those or some element does not come out.
bool evaluateNode(Node &node);

} // namespace lathe::onnximport

#endif
