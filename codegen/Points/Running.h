// The combination of a running result with the next element of a scan.
#ifndef LATHE_CODEGEN_POINTS_RUNNING_H
#define LATHE_CODEGEN_POINTS_RUNNING_H

#include "codegen/Points/CodeFrame.h"

namespace lathe {

/// True if parts of a line cannot be combined before the preceding result is known: a factor that overflows may meet a zero.
/// Null denotes a linear recurrence.
inline bool keepsOrder(CumulativeOp op) { return !op || op.getKind() == CumulativeKind::Product; }

/// True if a step of the scan is a function of many operations.
inline bool isCostly(CumulativeOp op) { return op && op.getKind() == CumulativeKind::LogSumExp; }

/// True if the scan sums up floats, so that rounding errors accumulate.
inline bool isFloatSum(CumulativeOp op) {
  return op && op.getKind() == CumulativeKind::Sum && mlir::isa<mlir::FloatType>(mlir::getElementTypeOrSelf(op.getType()));
}

class Running {
public:
  /// `op` is null for a linear recurrence.
  Running(CodeFrame &frame, CumulativeOp op, mlir::Type element) : frame(frame), op(op), element(element) {}

  bool isCostly() const { return lathe::isCostly(op); }
  mlir::Value neutral() const;
  mlir::Value combine(mlir::Value total, mlir::Value value) const;

private:
  NestReduction reduction() const;
  mlir::Value addLogs(mlir::Value x, mlir::Value y) const;

  CodeFrame &frame;
  CumulativeOp op;
  mlir::Type element;
};

} // namespace lathe

#endif
