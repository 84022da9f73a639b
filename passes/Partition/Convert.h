// Converts values from one sharding to another, by collectives and cuts.
#ifndef LATHE_PASSES_PARTITION_CONVERT_H
#define LATHE_PASSES_PARTITION_CONVERT_H

#include "mlir/IR/Builders.h"
#include "passes/Partition/Sharding.h"
#include "llvm/ADT/DenseMap.h"

namespace lathe::partition {

/// Converts values of one function. Every value has the block's type of its sharding.
class Converter {
public:
  Converter(mlir::MLIRContext *context, const Axes &axes) : axes(axes), builder(context) {}

  /// Sets the sharding that a value has. With `early`, sums over ranks are added up once for all of its readers.
  void set(mlir::Value value, const Sharding &sharding, bool early = false);
  /// Returns the value under another sharding.
  mlir::Value convert(mlir::Value value, const Sharding &to);

  /// Numbers of collectives made.
  struct Counts {
    unsigned reductions = 0, gathers = 0, exchanges = 0;
    bool any() const { return reductions + gathers + exchanges != 0; }
  };
  const Counts &getCounts() const { return counts; }

private:
  struct Known {
    Sharding sharding;
    bool early = false;
    llvm::SmallVector<std::pair<Sharding, mlir::Value>, 2> others; // the same value under other shardings
  };

  template <typename Op, typename... Arguments>
  mlir::Value create(Arguments &&...arguments) {
    return builder.createOrFold<Op>(location, std::forward<Arguments>(arguments)...);
  }
  ShapeAttr sizeOf(mlir::StringAttr axis) const;
  void place(mlir::Value behind);
  mlir::Value make(mlir::Value value, const Sharding &from, const Sharding &to);
  /// Adds up one axis of a sum: for all ranks, or for each its block of a dimension that `to` divides.
  mlir::Value reduce(mlir::Value value, Sharding &now, mlir::StringAttr axis, const Sharding &to);
  /// Undoes the split of one dimension, or moves it to the dimension that `to` divides over the same axis.
  mlir::Value gather(mlir::Value value, Sharding &now, int64_t dim, const Sharding &to);
  /// Makes a whole number a sum over the ranks of an axis: the first one has it, the others have 0. Numbers that are added to
  /// sums, as squares of gradients for a norm, so wait for one exchange.
  mlir::Value addend(mlir::Value value, mlir::StringAttr axis);
  /// Returns this rank's block of a value. What it is made of is cut where that takes less work.
  mlir::Value cut(mlir::Value value, const Sharding &now, const Sharding &to);
  mlir::Value cutSource(mlir::Value value, const Sharding &to);
  mlir::Value cutBroadcast(BroadcastOp op, const Sharding &to);
  mlir::Value cutElements(mlir::Operation *op, const Sharding &to);
  mlir::Value dynamicCut(mlir::Value value, const Sharding &now, const Sharding &to);

  const Axes &axes;
  mlir::OpBuilder builder;
  mlir::Location location = builder.getUnknownLoc();
  llvm::DenseMap<mlir::Value, Known> known;
  Counts counts;
};

} // namespace lathe::partition

#endif
