// The data of one node: its operands, its attributes and the graphs inside it. The first problem is recorded and the node is
// refused at the end. Until then accessors return harmless values, so that converters need no error checks.
#ifndef LATHE_IMPORT_ONNX_NODEREADER_H
#define LATHE_IMPORT_ONNX_NODEREADER_H

#include "dialects/Lathe/IR/Lathe.h"
#include "lib/Import/Emit/Emitter.h"
#include "lib/Import/ONNX/Graph.h"

namespace lathe::onnximport {

using mlir::Type;
using mlir::Value;

class NodeReader {
public:
  /// `line` is the line in the listing that diagnostics show.
  NodeReader(Graph &graph, onnx::NodeProto &proto, mlir::Location location, int line)
      : graph(graph), proto(proto), location(location), line(line) {}

  // ---- Problems
  /// Records why the node cannot be imported; the first reason stays.
  void refuse(const llvm::Twine &reason);
  /// The same for operands that must be known during import.
  void refuseData(const llvm::Twine &reason, llvm::ArrayRef<int> operands);
  /// Records that a graph inside the node has reported why it cannot be imported.
  void refuseAsTold() { isTold = true; }
  bool failed() const { return isTold || !reason.empty(); }
  const std::string &getReason() const { return reason; }

  // ---- The model's data
  llvm::StringRef op() const { return proto.op_type(); }
  int64_t opset() const { return graph.getOpset(); }
  ExternalFiles &files() { return graph.getModel().files; }
  int inputs() const { return proto.input_size(); }
  bool has(int input) const { return input < proto.input_size() && !proto.input(input).empty(); }
  /// True if that output may be used.
  bool wants(int output) const { return output < proto.output_size() && !proto.output(output).empty(); }
  int outputs() const { return proto.output_size(); }
  const std::string &output(int output) const { return proto.output(output); }
  /// True if `count` more elements may be evaluated and kept.
  bool spendElements(int64_t count) { return graph.spendElements(count); }
  Value input(int input);
  llvm::SmallVector<Value> allInputs();
  Type element(int input);
  Dims dims(int input);
  int64_t rank(int input) { return dims(input).size(); }
  const Known *known(int input);
  /// Returns the entry of an operand; null if it is omitted.
  Entry *entry(int input);
  /// Returns the elements of an operand that must be known during import: numbers, or dimensions.
  Integers knownIntegers(int input, llvm::StringRef what);
  Dims knownDims(int input, llvm::StringRef what);
  llvm::SmallVector<double> knownReals(int input, llvm::StringRef what);
  /// The same for a single number, which may be given as a float.
  Dim knownDim(int input, llvm::StringRef what);
  int64_t knownInteger(int input, llvm::StringRef what);

  bool hasAttribute(llvm::StringRef name) const { return find(name); }
  int64_t integer(llvm::StringRef name, int64_t otherwise);
  double real(llvm::StringRef name, double otherwise);
  std::string text(llvm::StringRef name, llvm::StringRef otherwise);
  Integers integers(llvm::StringRef name, Integers otherwise = {});
  llvm::SmallVector<double> reals(llvm::StringRef name);
  const onnx::AttributeProto *find(llvm::StringRef name) const;
  /// Resolves an axis that may count from the end, for a rank.
  int64_t axis(int64_t axis, int64_t rank);
  /// The same for a list; the result is distinct and ascending.
  Integers axes(llvm::ArrayRef<int64_t> axes, int64_t rank);
  /// Returns axes that are an attribute in old versions and an input in newer ones; nullopt if they are not given.
  std::optional<Integers> axesOf(int input);

  // ---- Graphs inside
  Graph &getGraph() { return graph; }
  const onnx::NodeProto &getProto() const { return proto; }
  int getLine() const { return line; }
  mlir::Location getLocation() const { return location; }
  /// Returns the graph in an attribute; null after a refusal.
  onnx::GraphProto *body(llvm::StringRef name);
  /// Returns the value of an inner graph's output, created at the end of that graph's block.
  Value valueOf(Entry *entry);

protected:
  Graph &graph;
  onnx::NodeProto &proto;
  mlir::Location location;

private:
  /// Returns why an unknown operand is not known although it is computed from sizes only; nullopt if none is.
  std::optional<std::string> sizesText(llvm::ArrayRef<int> operands);

  int line;
  bool isTold = false;
  std::string reason;
};

} // namespace lathe::onnximport

#endif
