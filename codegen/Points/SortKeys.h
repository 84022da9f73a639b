// Elements as unsigned keys in the order of a sort.
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

  /// Returns the type of keys: 32 bits, or 64 if the element is wider.
  mlir::IntegerType type() const { return b.getIntegerType(element.getIntOrFloatBitWidth() > 32 ? 64 : 32); }
  /// Returns a key that is lower for elements that come first, and all ones for a NaN; for a vector, in each lane.
  mlir::Value of(mlir::Value value) const;
};

} // namespace lathe

#endif
