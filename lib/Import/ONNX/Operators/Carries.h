// The carries of a Loop, whose sizes may change from step to step.
#ifndef LATHE_IMPORT_ONNX_OPERATORS_CARRIES_H
#define LATHE_IMPORT_ONNX_OPERATORS_CARRIES_H

#include "lib/Import/ONNX/Operators/Bodies.h"

namespace lathe::onnximport {

/// A dimension of a carry whose size a step may change.
struct ChangingDim {
  int carry;
  int64_t dim;
  Dim room;             // the maximum extent before any step; a placeholder until that is known
  Dim after;            // the maximum extent after a step, in terms of `room`; set by Carries::end
  std::string name;     // the dimension's name in the step; set by Carries::bring
  bool isExact = false; // each step leaves `after` elements if it begins with `room`
};

/// The carries of a loop, which are the body's inputs from 2 on. A carry with a changing dimension is stored with room for the
/// maximum extent. Its actual extent is one more carry of the loop's op.
struct Carries {
  /// Returns the number of values that the op carries for these: the carries, then the sizes of changing dimensions.
  size_t size() const { return first.size() + changing.size(); }
  /// Returns the op's initial values.
  llvm::SmallVector<Value> begin(Node &node) const;
  /// Adds the step's arguments for these.
  void bring(Node &node, Body &body);
  /// Converts the step's results for the carries, `ends` from `at` on, to the op's next values: padded values, then sizes.
  /// Returns false after a refusal, if a type changes other than in a changing dimension. `found` then has the dimensions that
  /// would have to be changing, too. The types may depend on the operands `deciding`.
  bool end(Node &node, Body &body, llvm::SmallVector<Value> &ends, size_t at, llvm::ArrayRef<int> deciding = {});
  /// Sets the node's outputs to the carries after the last step. `areAllSteps` is true if no step was skipped.
  void set(Node &node, ValueRange results, bool areAllSteps) const;

  /// Adds the dimensions in `others` to the changing ones, each with a placeholder for its room.
  void addChanging(llvm::ArrayRef<ChangingDim> others);
  /// Sets the rooms of all changing dimensions for a loop of at most `most` steps, or 0 if that number is not known. Returns
  /// false after a refusal.
  bool setRooms(Node &node, const onnx::GraphProto &body, const Dim &most);

  llvm::SmallVector<Value> first; // the initial values
  llvm::SmallVector<ChangingDim> changing, found;
  bool isProbe = false;  // only the types after a step are needed: `end` refuses the node
  bool hasEnded = false; // these types are known
  bool grows = false;    // rooms depend on the number of steps

private:
  mlir::RankedTensorType typeOf(size_t carry) const;
};

/// True if data inside one of the blocks decides the size.
bool isDecidedIn(Node &node, const Dim &dim, llvm::ArrayRef<mlir::Block *> blocks);

} // namespace lathe::onnximport

#endif
