// How far a right result may be from the interpreter's.
//
// The rule. Each value of a graph has a bound for each element, found while the interpreter runs:
//  - 0, to the bit, where every way of computing is bound to give the same: arguments, integers, moves, and ops that round once
//    (+ - * / fma sqrt, comparisons, roundings, conversions ...) of operands whose bounds are 0. A NaN equals a NaN. Sums
//    of a graph that is derived are not among them: in which order cotangents add up depends on what was folded before.
//  - Of an elementary function its bound in docs/math-accuracy.md and one ULP of the interpreter's.
//  - Of a sum of n terms (reductions, contractions, windows, running sums) 2 n u sum|terms|, u the rounding unit of the
//    type that it is made in (f32 for halves, plus their own rounding): Higham's bound for any order, for both sides.
//    Products: 2 n u |result| where no partial product can leave the normal numbers.
//  - Operands' bounds go through each op: linear ones apply it to the bounds, products take |a| eb + |b| ea + ea eb, monotone
//    functions are computed at both ends; and then both sides round.
//  - NaN, "anything goes", where no bound is known: what steps (floor, compare, sort, indices) of what is not exact, and what
//    is not a number within a rounding error. Elements without a bound are counted, so that a run shows how much it compared.
#ifndef LATHE_TEST_FUZZ_BOUNDS_H
#define LATHE_TEST_FUZZ_BOUNDS_H

#include "dialects/Lathe/Interpreter/Tensor.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseMap.h"

namespace fuzz {

class Bounds {
public:
  /// For a graph that is differentiated, or for a plain one.
  explicit Bounds(bool isDerived) : isDerived(isDerived) {}
  /// A value as the interpreter has it; operands come before.
  void observe(mlir::Value value, const lathe::Tensor &tensor);
  /// The result of a collective on the rank with this index. `along` are the bounds of the ranks along the axis, by index,
  /// which have seen the operand.
  void observeCollective(mlir::Value value, const lathe::Tensor &tensor, llvm::ArrayRef<const Bounds *> along, size_t index);
  const lathe::Tensor &boundOf(mlir::Value value) const { return values.find(value)->second.bound; }
  const lathe::Tensor &valueOf(mlir::Value value) const { return values.find(value)->second.value; }

private:
  struct Known {
    lathe::Tensor value, bound; // bounds are f64
  };
  /// A loop that is running: its steps so far, what the last one that is over yields, whether all that it yielded is exact.
  struct Run {
    int64_t steps = 0;
    std::vector<lathe::Tensor> last;
    bool isExact = true;
  };
  lathe::Tensor boundOfArgument(mlir::BlockArgument argument, const lathe::Tensor &tensor);
  lathe::Tensor boundOfResult(mlir::OpResult result, const lathe::Tensor &tensor);
  void endStep(mlir::Operation *loop);

  llvm::DenseMap<mlir::Value, Known> values;
  llvm::DenseMap<mlir::Operation *, Run> runs;
  bool isDerived;
};

/// The view of an op for the rules.
struct Seen {
  mlir::Operation *op;
  llvm::StringRef name; // without the dialect's
  std::vector<const lathe::Tensor *> values, bounds;
  const lathe::Tensor &result;
  bool isDerived; // the graph

  lathe::Element element() const { return result.getElement(); }
  bool isExact() const;
};

using Bound = std::optional<lathe::Tensor>; // nullopt: no rule of this family
Bound boundElementwise(const Seen &seen);
Bound boundMove(const Seen &seen);
Bound boundSum(const Seen &seen);
Bound boundSystem(const Seen &seen);

/// Bounds a sum at one element: `size` is the sum of the terms' magnitudes, `passed` that of their bounds.
double boundOfSum(lathe::Element element, double result, double size, double passed, double terms);
/// Bounds the result that a collective has on the rank with this index, from the values and bounds of its operand on all ranks.
/// A sum over ranks adds in a fixed order, so that those of exact values are exact.
lathe::Tensor boundCollective(mlir::Operation *op, const lathe::Tensor &result, llvm::ArrayRef<const lathe::Tensor *> values,
                              llvm::ArrayRef<const lathe::Tensor *> bounds, size_t index);

/// The op run on other operands.
lathe::Tensor evaluateOn(const Seen &seen, llvm::ArrayRef<const lathe::Tensor *> operands, lathe::Element element);
/// |x| in f64, where it is finite, else 0.
lathe::Tensor magnitudes(const lathe::Tensor &tensor);
/// Half the distance of numbers around 1, the least number above 0, the least normal one and the largest one of a float type.
struct FloatFormat {
  double unit, least, normal, largest;
};
FloatFormat formatOf(lathe::Element element);
/// Returns the error of rounding a number of this size on both sides.
double roundings(lathe::Element element, double size);

} // namespace fuzz

#endif
