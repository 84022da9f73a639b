// One op of a StableHLO program during its conversion: its data, and builders of the ops that it becomes.
#ifndef LATHE_IMPORT_STABLEHLO_HLONODE_H
#define LATHE_IMPORT_STABLEHLO_HLONODE_H

#include "dialects/StableHLO/StableHLO.h"
#include "lib/Import/Emit/Emitter.h"
#include "lib/Import/StableHLO/Program.h"

namespace lathe::hloimport {

using llvm::ArrayRef;
using llvm::SmallVector;
using llvm::StringRef;
using mlir::NamedAttribute;
using mlir::RankedTensorType;
using mlir::Region;
using mlir::Type;
using mlir::Value;
using mlir::ValueRange;

/// Reads an op of the program and builds the ops that it becomes. The first problem is recorded, and the op is refused at the
/// end; until then accessors return harmless values, so that converters need no error checks.
class HloNode : public Emitter {
public:
  HloNode(Program &program, Frame &frame, mlir::Operation *op)
      : Emitter(program.builder, op->getLoc()), program(program), frame(frame), op(op) {}

  // ---- Problems
  void refuse(const llvm::Twine &text) override {
    if (!failed())
      reason = text.str();
  }
  /// Records that an op inside this one has been refused.
  void refuseAsTold() { isTold = true; }
  bool failed() const override { return isTold || !reason.empty(); }
  const std::string &getReason() const { return reason; }

  // ---- Operands and declared types
  unsigned operands() const { return op->getNumOperands(); }
  unsigned results() const { return op->getNumResults(); }
  Value operand(unsigned i) { return frame.find(op->getOperand(i)); }
  SmallVector<Value> operandRange(unsigned begin, unsigned end);
  Type element(unsigned i) { return elementOfValue(operand(i)); }
  Dims dims(unsigned i) { return dimsOfValue(operand(i)); }
  int64_t rank(unsigned i) { return rankOf(operand(i)); }
  /// Returns the declared element type and dimensions of a result; a `?` is unknown.
  Type resultElement(unsigned i = 0) { return elementOfValue(op->getResult(i)); }
  Dims resultDims(unsigned i = 0) { return dimsOf(op->getResult(i)); }
  /// True in the body of a reduction, whose scalars are tensors here. Only elementwise ops may be in it.
  bool isLifted() const { return frame.lifted > 0; }

  // ---- Attributes
  ArrayRef<int64_t> numbers(StringRef name);
  /// Returns the list, or `count` times `otherwise` if it is missing.
  Integers numbers(StringRef name, size_t count, int64_t otherwise);
  /// Returns the low and high pads of each dimension; zeros if they are missing.
  void readPadding(size_t count, Integers &low, Integers &high);
  int64_t integer(StringRef name, int64_t otherwise = 0);
  bool flag(StringRef name);
  StringRef word(StringRef name);
  mlir::DictionaryAttr dictionary(StringRef name) { return op->getAttrOfType<mlir::DictionaryAttr>(name); }

  // ---- Results
  /// Sets a result, which must have the declared type.
  void set(unsigned i, Value value);
  void set(ValueRange values);

  // ---- Regions
  /// Imports the ops of a region where the builder is, with the region's arguments bound. Returns the values that it ends with;
  /// nothing after a refusal.
  SmallVector<Value> inlineRegion(Region &region, ValueRange arguments);
  /// The same with tensors for the region's scalars: its ops must be elementwise, and the results are broadcast to `shape`.
  SmallVector<Value> liftRegion(Region &region, ValueRange arguments, ArrayRef<Dim> shape);

  Value zero(Type element);
  /// Returns the size of a dimension as a rank 0 tensor of integers.
  Value size(const Dim &dim, Type element);
  /// Returns the elements of an operand that is a list of sizes; refuses the op if they are not known.
  Dims knownDims(unsigned i);
  /// Returns a tensor of i64 or i32 for an index op: unsigned and narrow integers become i64.
  Value asIndex(Value value);

  Program &program;
  Frame &frame;
  mlir::Operation *op;

private:
  Value sizeOfName(const std::string &name);

  std::string reason;
  bool isTold = false;
};

/// The conversion of an op.
using Converter = void (*)(HloNode &node);
using Converters = llvm::StringMap<Converter>; // by the op's full name

/// Returns the table of all converters (Operators/Converters.cpp).
const Converters &converters();

} // namespace lathe::hloimport

#endif
