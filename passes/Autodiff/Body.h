// A straight-line piece of program outside any function, which the steps of a derivative pass on.
#ifndef LATHE_AUTODIFF_BODY_H
#define LATHE_AUTODIFF_BODY_H

#include "dialects/Lathe/IR/Lathe.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"

namespace lathe::autodiff {

/// Arguments, ops, and yielded values. There is no terminator, so that each step can add its own.
struct Body {
  mlir::Block block;
  llvm::SmallVector<mlir::Value> yields;

  mlir::BlockArgument add(mlir::Value like) { return block.addArgument(like.getType(), like.getLoc()); }
  mlir::OpBuilder end(mlir::MLIRContext *context) {
    mlir::OpBuilder builder(context);
    builder.setInsertionPointToEnd(&block);
    return builder;
  }
};

/// A read-only view of a body, or of the block of a control op's region.
struct Piece {
  mlir::Block *block;
  llvm::SmallVector<mlir::Value> yields;

  static Piece of(Body &body) { return {&body.block, body.yields}; }
  /// Returns the body of a region whose terminator has the yields as operands.
  static Piece of(mlir::Region &region) {
    return {&region.front(), llvm::SmallVector<mlir::Value>(region.front().getTerminator()->getOperands())};
  }

  /// Returns the ops without the terminator, which a body lacks.
  auto ops() const {
    return llvm::make_filter_range(*block, [](mlir::Operation &op) { return !op.hasTrait<mlir::OpTrait::IsTerminator>(); });
  }
  auto arguments() const { return block->getArguments(); }
};

inline mlir::RankedTensorType typeOf(mlir::Value value) { return mlir::cast<mlir::RankedTensorType>(value.getType()); }
inline bool isFloat(mlir::Value value) { return isFloatTensor(value.getType()); }

/// Fills a body with the function's ops for arguments of the types of `inputs`. Inlines calls and makes the implicit broadcasts
/// of elementwise operands explicit. A function with a derivative rule becomes a call, and calls of such functions stay. Fails,
/// with a diagnostic, on a function without a body or one that calls itself.
mlir::LogicalResult flatten(mlir::func::FuncOp function, mlir::ValueRange inputs, Body &body);
/// The same for arguments of these types, for which no values need to exist.
mlir::LogicalResult flatten(mlir::func::FuncOp function, llvm::ArrayRef<mlir::Type> inputs, Body &body);

/// Emits the function's ops in place, for these arguments, and returns its results. Calls of functions with a derivative rule
/// stay calls.
mlir::FailureOr<llvm::SmallVector<mlir::Value>> inlineAt(mlir::OpBuilder builder, mlir::func::FuncOp function,
                                                         mlir::ValueRange arguments);

/// Infers the result types of an op again, after its operands or attributes have changed.
mlir::LogicalResult refineResults(mlir::Operation *op);

} // namespace lathe::autodiff

#endif
