// Factors of matrices, and triangular systems.
#include "lib/Import/StableHLO/Operators/Operators.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::hloimport;

/// Returns matrices with rows and columns exchanged.
static Value transposed(HloNode &node, Value value) {
  Integers order = range(0, rankOf(value));
  if (order.size() < 2) {
    node.refuse("expected matrices");
    return {};
  }
  std::swap(order[order.size() - 1], order[order.size() - 2]);
  return node.transpose(value, order);
}

Value hloimport::factor(HloNode &node, Value a, bool isLower) {
  // The upper factor is the transpose of the lower one of the transposed matrix.
  Value lower = node.emit<CholeskyOp>(isLower ? a : transposed(node, a));
  return isLower ? lower : transposed(node, lower);
}

Value hloimport::solveTriangular(HloNode &node, Value a, Value b, bool isRight, bool isUpper, bool isTransposed, bool isUnit) {
  SmallVector<NamedAttribute> words;
  for (auto [word, isSet] : {std::pair("right", isRight), std::pair("upper", isUpper), std::pair("transposed", isTransposed),
                             std::pair("unit", isUnit)})
    if (isSet)
      words.push_back(node.getBuilder().getNamedAttr(word, node.getBuilder().getUnitAttr()));
  return node.emit<TriangularSolveOp>({a, b}, words);
}

static void cholesky(HloNode &node) { node.set(0, factor(node, node.operand(0), node.flag("lower"))); }

static void triangularSolve(HloNode &node) {
  StringRef transpose = node.word("transpose_a");
  node.set(0, solveTriangular(node, node.operand(0), node.operand(1), !node.flag("left_side"), !node.flag("lower"),
                              transpose == "TRANSPOSE" || transpose == "ADJOINT", node.flag("unit_diagonal")));
}

void hloimport::addLinearAlgebra(Converters &converters) {
  converters["stablehlo.cholesky"] = cholesky;
  converters["stablehlo.triangular_solve"] = triangularSolve;
}
