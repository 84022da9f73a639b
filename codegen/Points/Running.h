// How a running result takes in the next element.
#ifndef LATHE_CODEGEN_POINTS_RUNNING_H
#define LATHE_CODEGEN_POINTS_RUNNING_H

#include "codegen/Points/CodeFrame.h"

namespace lathe {

/// Whether parts of a line cannot be combined apart from what comes before: a factor that overflows may meet a zero. Null
/// stands for a linear recurrence.
inline bool keepsOrder(CumulativeOp op) { return !op || op.getKind() == CumulativeKind::Product; }

/// Whether a step of such a scan is a function of many operations.
inline bool isCostly(CumulativeOp op) { return op && op.getKind() == CumulativeKind::LogSumExp; }

class Running {
public:
  /// Of a cumulative, or with a null one of a linear recurrence.
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
