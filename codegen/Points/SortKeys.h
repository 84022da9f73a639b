// Elements as unsigned numbers in the order that a sort asks for.
#ifndef LATHE_CODEGEN_POINTS_SORTKEYS_H
#define LATHE_CODEGEN_POINTS_SORTKEYS_H

#include "mlir/IR/Builders.h"

namespace lathe {

struct SortKeys {
  mlir::OpBuilder &b;
  mlir::Location loc;
  mlir::Type element; // a float, or a signed integer
  bool descending;
  bool hasFMA;

  /// Of 32 bits, or 64 where the element has more.
  mlir::IntegerType type() const { return b.getIntegerType(element.getIntOrFloatBitWidth() > 32 ? 64 : 32); }
  /// A number that is lower for what comes first; all ones for a NaN. Of a vector in each lane.
  mlir::Value of(mlir::Value value) const;
};

} // namespace lathe

#endif
