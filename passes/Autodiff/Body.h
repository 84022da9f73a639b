// A straight piece of program outside any function: what the steps of a derivative hand to each other.
#ifndef LATHE_AUTODIFF_BODY_H
#define LATHE_AUTODIFF_BODY_H

#include "dialects/Lathe/IR/Lathe.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"

namespace lathe::autodiff {

/// Arguments, ops, and the values that it gives; without a terminator, so that a step may end it as it likes.
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

/// A body, or the block of a control op's region, to be read.
struct Piece {
  mlir::Block *block;
  llvm::SmallVector<mlir::Value> yields;

  static Piece of(Body &body) { return {&body.block, body.yields}; }
  /// Returns the body of a region whose terminator has the yields as operands.
  static Piece of(mlir::Region &region) {
    return {&region.front(), llvm::SmallVector<mlir::Value>(region.front().getTerminator()->getOperands())};
  }

  /// Without the terminator, which a body has not.
  auto ops() const {
    return llvm::make_filter_range(*block, [](mlir::Operation &op) { return !op.hasTrait<mlir::OpTrait::IsTerminator>(); });
  }
  auto arguments() const { return block->getArguments(); }
};

/// Ops that stand for a transformed function.
inline bool isTransform(mlir::Operation *op) { return mlir::isa<JvpOp, VjpOp, ValueAndGradOp, VmapOp>(op); }

inline mlir::RankedTensorType typeOf(mlir::Value value) { return mlir::cast<mlir::RankedTensorType>(value.getType()); }
inline bool isFloat(mlir::Value value) { return isFloatTensor(value.getType()); }

/// Fills a body with the function's ops for arguments of the types of `inputs`: calls are inlined, and the broadcasts that
/// elementwise operands imply are written out. Of a function with a derivative rule, and of calls of one, it is the call.
/// Fails, with a diagnostic, on a function without a body or one that calls itself.
mlir::LogicalResult flatten(mlir::func::FuncOp function, mlir::ValueRange inputs, Body &body);
/// The same for arguments of these types, which no value may have.
mlir::LogicalResult flatten(mlir::func::FuncOp function, llvm::ArrayRef<mlir::Type> inputs, Body &body);

/// The function's ops in place, for these arguments. Gives what it returns. Calls of functions with a derivative rule stay
/// calls.
mlir::FailureOr<llvm::SmallVector<mlir::Value>> inlineAt(mlir::OpBuilder builder, mlir::func::FuncOp function,
                                                         mlir::ValueRange arguments);

/// Infers the result types of an op anew, after its operands or attributes have changed.
mlir::LogicalResult refineResults(mlir::Operation *op);

} // namespace lathe::autodiff

#endif
