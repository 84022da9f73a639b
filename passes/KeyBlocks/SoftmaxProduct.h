// A product whose left operand is a softmax, as in attention.
#ifndef LATHE_PASSES_KEYBLOCKS_SOFTMAXPRODUCT_H
#define LATHE_PASSES_KEYBLOCKS_SOFTMAXPRODUCT_H

#include "dialects/Lathe/IR/Lathe.h"
#include <optional>

namespace lathe {

/// The parts of softmax(scores) * values. The keys are the last dimension of the scores.
struct SoftmaxProduct {
  DotGeneralOp product;
  mlir::Value scores;
  mlir::Value largest, total; // of each row: the largest score, and the sum of the exponentials
  /// The largest score of a row that has no keys, if such a row has zeros as its weights. Otherwise they are what the ops
  /// compute.
  mlir::TypedAttr never;

  int64_t keysDim() const { return int64_t(dimsOf(scores).size()) - 1; }
  Dim keys() const { return dimsOf(scores).back(); }
  /// Returns the dimensions of a value with one element for each row.
  Dims rows() const { return Dims(llvm::ArrayRef(dimsOf(scores)).drop_back()); }
};

/// Finds a softmax over the last dimension of the product's left operand, which nothing else reads. The rows must be the
/// leading dimensions of the product, in their order.
std::optional<SoftmaxProduct> softmaxProductOf(DotGeneralOp product);

} // namespace lathe

#endif
