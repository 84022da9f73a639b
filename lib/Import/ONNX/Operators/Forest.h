// Decision trees as the operators of ai.onnx.ml describe them, and as tables that vector code walks.
#ifndef LATHE_IMPORT_ONNX_FOREST_H
#define LATHE_IMPORT_ONNX_FOREST_H

#include "lib/Import/ONNX/Operators/Learning.h"

namespace lathe::onnximport {

/// How a branch compares its feature with its value, numbered as in TreeEnsemble of opset 5 of the domain.
enum class BranchMode { Leq, Lt, Gte, Gt, Eq, Neq, Member };

/// A node of a tree that asks about a feature. A child is a branch, or the leaf ~child.
struct Branch {
  BranchMode mode;
  int64_t feature;
  double value;
  bool missingIsTrue; // a NaN takes the true side
  int64_t onTrue, onFalse;
  llvm::SmallVector<double> members = {}; // of mode Member
};

/// The weights of a leaf: pairs of a target and a weight.
using Leaf = llvm::SmallVector<std::pair<int64_t, double>, 1>;

enum class Aggregate { Average, Sum, Min, Max };

struct Forest {
  std::vector<Branch> branches;
  std::vector<Leaf> leaves;
  std::vector<int64_t> roots; // like children
  int64_t targets = 1;
};

/// Returns the aggregated weights [N, targets] of the leaves that each row of x [N, C] reaches.
Value sumForest(Node &node, const Forest &forest, Value x, Aggregate aggregate);

} // namespace lathe::onnximport

#endif
