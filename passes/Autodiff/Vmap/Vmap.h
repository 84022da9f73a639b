// The table of batching rules: how each op works on a batch of operands.
#ifndef LATHE_AUTODIFF_VMAP_H
#define LATHE_AUTODIFF_VMAP_H

#include "passes/Autodiff/Emit.h"
#include "llvm/ADT/DenseSet.h"
#include <functional>

namespace lathe::autodiff {

/// A value of the batched function: a tensor with the batch as dimension 0, or one that all elements share.
struct Lifted {
  mlir::Value value;
  bool batched = false;
};
using Lifteds = llvm::ArrayRef<Lifted>;
using LiftedResults = llvm::SmallVector<Lifted, 1>;
using Ints = llvm::SmallVector<int64_t>;

/// Returns the dimensions shifted by the batch dimension.
Ints shifted(llvm::ArrayRef<int64_t> dims);
/// Returns a list with the batch's entry before it.
Ints prepended(int64_t first, llvm::ArrayRef<int64_t> rest);
Dims prepended(const Dim &first, llvm::ArrayRef<Dim> rest);

/// The batch of one lathe.vmap, and builders for rules.
class Batch {
public:
  Batch(Emit &e, VmapOp op) : e(e), size(op.getBatch()), op(op) {}
  /// The same batch in another block. `mask`, if not null, is true for elements for which the block's results are used.
  Batch(Emit &e, const Batch &outer, mlir::Value mask) : e(e), size(outer.size), mask(mask), op(outer.op) {}

  /// Returns the dimensions with the batch's before them.
  Dims over(const Dims &dims) const;
  /// Returns a value with the batch as dimension 0, repeated if it is shared.
  mlir::Value whole(const Lifted &value);
  llvm::SmallVector<mlir::Value> whole(Lifteds values);
  /// Moves dimension `dim` to the front.
  mlir::Value toFront(mlir::Value value, int64_t dim);
  /// Emits a copy of the op with other operands and with attributes changed by `edit`.
  template <typename Op>
  mlir::Value again(Op like, mlir::ValueRange operands, llvm::function_ref<void(Op)> edit = nullptr) {
    mlir::Operation *made = e.getBuilder().clone(*like.getOperation());
    made->setOperands(operands);
    if (edit)
      edit(mlir::cast<Op>(made));
    return inferred(made);
  }
  mlir::Value again(mlir::Operation *like, mlir::ValueRange operands);

  /// Reports that an op cannot be batched here, and at which op.
  mlir::Value fail(mlir::Operation *at, const llvm::Twine &reason);
  bool hasFailed() const { return failedOnce; }

  Emit &e;
  const Dim size;
  const mlir::Value mask; // [batch] of i1; loops must end for masked elements, whatever their values are

private:
  mlir::Value inferred(mlir::Operation *made);

  VmapOp op;
  bool failedOnce = false;
};

/// Rules by op name; elementwise ops share one rule. An op that is not in the table cannot have a batched operand.
class BatchRules {
public:
  using Rule = std::function<LiftedResults(Batch &, mlir::Operation *, Lifteds)>;

  /// `module` contains the functions that ops name, and receives those of batches; it is null if only the table is read.
  explicit BatchRules(mlir::MLIRContext *context, mlir::ModuleOp module = {});
  const Rule *find(mlir::OperationName op) const;

  /// (Batch &, Op, Lifteds operands) -> Value with the batch in front, or Lifted, or LiftedResults.
  template <typename Op, typename Function>
  void add(Function function) {
    table[mlir::OperationName(Op::getOperationName(), context)] = [function](Batch &b, mlir::Operation *op,
                                                                             Lifteds operands) -> LiftedResults {
      using Result = std::invoke_result_t<Function, Batch &, Op, Lifteds>;
      if constexpr (std::is_same_v<Result, LiftedResults>)
        return function(b, mlir::cast<Op>(op), operands);
      else if constexpr (std::is_same_v<Result, Lifted>)
        return {function(b, mlir::cast<Op>(op), operands)};
      else
        return {Lifted{function(b, mlir::cast<Op>(op), operands), true}};
    };
  }

private:
  mlir::MLIRContext *context;
  Rule elementwise;
  llvm::DenseMap<mlir::OperationName, Rule> table;
};

// By family.
void addShapeBatching(BatchRules &rules);
void addReductionBatching(BatchRules &rules); // and all other ops along dimensions: cumulative ops, sorting, windows, matrices
void addContractionBatching(BatchRules &rules);
void addIndexingBatching(BatchRules &rules);
void addRandomBatching(BatchRules &rules);
void addCollectiveBatching(BatchRules &rules);
void addExternBatching(BatchRules &rules);
void addCallBatching(BatchRules &rules, mlir::ModuleOp module);
void addReportBatching(BatchRules &rules);

/// Returns the values of a body that differ between elements of the batch if the seeds do.
llvm::DenseSet<mlir::Value> batchedValues(const Piece &body, mlir::ValueRange seeds);

/// Emits the piece's ops for all elements at once, and returns its yields.
mlir::FailureOr<llvm::SmallVector<Lifted>> lift(const BatchRules &rules, Batch &batch, const Piece &piece,
                                                const llvm::DenseSet<mlir::Value> &batched, Lifteds arguments);

/// Batches a control op with a batched result or operand.
mlir::FailureOr<llvm::SmallVector<Lifted>> liftControl(const BatchRules &rules, Batch &batch, mlir::Operation *op,
                                                       const llvm::DenseSet<mlir::Value> &batched, Lifteds operands);

/// Emits the body's ops for all elements at once, and returns its yields, each with the batch as dimension 0.
mlir::FailureOr<llvm::SmallVector<mlir::Value>> vmap(const BatchRules &rules, Batch &batch, Body &body, Lifteds arguments);

} // namespace lathe::autodiff

#endif
