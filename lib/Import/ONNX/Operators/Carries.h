// The carries of a Loop, whose sizes may change from step to step.
#ifndef LATHE_IMPORT_ONNX_OPERATORS_CARRIES_H
#define LATHE_IMPORT_ONNX_OPERATORS_CARRIES_H

#include "lib/Import/ONNX/Operators/Bodies.h"

namespace lathe::onnximport {

/// A dimension of a carry whose size a step may change.
struct ChangingDim {
  int carry;
  int64_t dim;
  Dim room;             // the most elements that it has before any step; a placeholder as long as that is not known
  Dim after;            // the most that a step leaves, in terms of `room`; set by Carries::end
  std::string name;     // the dimension's inside of the step; set by Carries::bring
  bool isExact = false; // each step leaves `after` elements if it begins with `room`
};

/// The carries of a loop, which the step calls like its inputs from 2 on. One with a changing dimension is stored with room for
/// the most elements there can be, and how many of them count is one more carry of the loop's op.
struct Carries {
  /// Number of values that the op carries for these: the carries, then the sizes of changing dimensions.
  size_t size() const { return first.size() + changing.size(); }
  /// Returns what the op begins with.
  llvm::SmallVector<Value> begin(Node &node) const;
  /// Adds the step's arguments for these.
  void bring(Node &node, Body &body);
  /// Turns what a step gives for the carries, `ends` from `at` on, into what the op takes on: values with room, then sizes.
  /// False after a refusal, where a type changes otherwise than by a changing dimension: `found` has the dimensions that would
  /// have to be changing ones, too. The types may depend on the operands `deciding`.
  bool end(Node &node, Body &body, llvm::SmallVector<Value> &ends, size_t at, llvm::ArrayRef<int> deciding = {});
  /// Gives the node's outputs the carries behind the last step; `areAllSteps` if none was left out.
  void set(Node &node, ValueRange results, bool areAllSteps) const;

  /// Adds the dimensions in `others` to the changing ones, each with a placeholder for its room.
  void addChanging(llvm::ArrayRef<ChangingDim> others);
  /// Gives all changing dimensions their rooms in a loop of at most `most` steps; false after a refusal. `most` is 0 where that
  /// number is not known.
  bool setRooms(Node &node, const onnx::GraphProto &body, const Dim &most);

  llvm::SmallVector<Value> first; // what the loop begins with
  llvm::SmallVector<ChangingDim> changing, found;
  bool isProbe = false;  // only the types behind a step are wanted: `end` refuses the node
  bool hasEnded = false; // these types are known
  bool grows = false;    // rooms depend on the number of steps

private:
  mlir::RankedTensorType typeOf(size_t carry) const;
};

/// Returns whether data inside of one of the blocks decides the size.
bool isDecidedIn(Node &node, const Dim &dim, llvm::ArrayRef<mlir::Block *> blocks);

} // namespace lathe::onnximport

#endif
